"""Authlib's server: it checks requests, proves clients and makes tokens; what it leaves to applications is here."""
import secrets
import time

from authlib.integrations import flask_oauth2, sqla_oauth2
from authlib.oauth2 import rfc7591, rfc7592, rfc7636, rfc7662, rfc8628, rfc9068, rfc9207
from authlib.oauth2.rfc6749 import TokenMixin, grants
from authlib.oidc import core, registration, rpinitiated
from flask import session

from store_authlib import ISSUER, KEYS, PROOFS, Client, Code, Site, Token, app, db, delete, find_client, find_token, save


class AuthorizationCode(Site, grants.AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = PROOFS

    def save_authorization_code(self, code, request):
        names = ("redirect_uri", "code_challenge", "code_challenge_method", "nonce")
        save(Code(code=code, client_id=request.client.client_id, scope=request.scope,
                  **{name: request.payload.data.get(name) for name in names}))

    def query_authorization_code(self, code, client):
        found = Code.query.filter_by(code=code, client_id=client.client_id).first()
        return found if found and not found.is_expired() else None

    def delete_authorization_code(self, code):
        delete(code)


class RefreshToken(Site, grants.RefreshTokenGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = PROOFS
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, token):
        return Token.query.filter_by(refresh_token=token, refresh_token_revoked_at=0).first()

    def revoke_old_credential(self, token):
        token.access_token_revoked_at = token.refresh_token_revoked_at = int(time.time())
        save(token)


class DeviceCode(rfc8628.DeviceCodeGrant):
    asked, decided = {}, {}

    def query_device_credential(self, code):
        return self.asked.get(code)

    def query_user_grant(self, user_code):
        return self.decided.get(user_code)

    def should_slow_down(self, credential):
        return False


class DeviceAuthorization(rfc8628.DeviceAuthorizationEndpoint):
    INTERVAL = 1

    def get_verification_uri(self):
        return f"{ISSUER}/device"

    def save_device_credential(self, client_id, scope, data):
        DeviceCode.asked[data["device_code"]] = rfc8628.DeviceCredentialDict(data, client_id=client_id, scope=scope)


class IDToken(Site, core.OpenIDCode):
    def exists_nonce(self, nonce, request):
        return Code.query.filter_by(nonce=nonce).first() is not None

    def get_client_claims(self, client):
        return {"iss": ISSUER}

    def resolve_client_private_key(self, client):
        return KEYS


class AccessToken(Site, rfc9068.JWTBearerTokenGenerator):
    pass


class Issuer(Site, rfc9207.IssuerParameter):
    pass


class UserInfo(Site, core.UserInfoEndpoint):
    pass


class Introspection(rfc7662.IntrospectionEndpoint):
    def query_token(self, token, hint):
        return find_token(token, hint)

    def check_permission(self, token, client, request):
        return token.check_client(client)

    def introspect_token(self, token):
        return {"client_id": token.client_id, "scope": token.scope, "sub": token.user_id or token.client_id}


class Registration(Site, rfc7591.ClientRegistrationEndpoint):
    def authenticate_token(self, request):
        return request.headers.get("Authorization") == "Bearer flowrun-initial"

    def save_client(self, facts, metadata, request):
        client = Client(registration_access_token=secrets.token_urlsafe(), **facts)
        client.set_client_metadata(metadata)
        return save(client)


class ConfigurationAccess(TokenMixin):
    def __init__(self, request):
        self.token = request.headers.get("Authorization", "").removeprefix("Bearer ")

    def check_client(self, client):
        return client.registration_access_token == self.token


class Configuration(Site, rfc7592.ClientConfigurationEndpoint):
    def authenticate_token(self, request):
        return ConfigurationAccess(request)

    def authenticate_client(self, request):
        return find_client(request.uri.rsplit("/", 1)[1])

    def revoke_access_token(self, request, token):
        pass

    def check_permission(self, client, request):
        return True

    def update_client(self, client, metadata, request):
        client.set_client_metadata(metadata)
        return save(client)

    def delete_client(self, client, request):
        delete(client)


class EndSession(Site, rpinitiated.EndSessionEndpoint):
    def end_session(self, request):
        session.clear()


server = flask_oauth2.AuthorizationServer(app, find_client, sqla_oauth2.create_save_token_func(db.session, Token))
server.register_token_generator(
    "default", AccessToken(ISSUER, refresh_token_generator=lambda *_, **__: secrets.token_urlsafe()))
server.register_grant(AuthorizationCode, [rfc7636.CodeChallenge(required=True), IDToken()])
server.register_grant(RefreshToken)
server.register_grant(DeviceCode, [IDToken()])
server.register_grant(grants.ClientCredentialsGrant)
server.register_extension(Issuer())
members = [rfc7591.ClientMetadataClaims, registration.ClientMetadataClaims, rpinitiated.ClientMetadataClaims]
protector = flask_oauth2.ResourceProtector()
protector.register_token_validator(sqla_oauth2.create_bearer_token_validator(db.session, Token)())
for endpoint in (
        DeviceAuthorization, EndSession, Introspection, sqla_oauth2.create_revocation_endpoint(db.session, Token),
        Registration(claims_classes=members), Configuration(claims_classes=members),
        UserInfo(resource_protector=protector)):
    server.register_endpoint(endpoint)
