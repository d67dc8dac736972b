"""What Authlib's server knows: its metadata and keys, its one user, and the tables of clients, codes and tokens."""
import sys

from authlib.integrations import sqla_oauth2
from authlib.oauth2.rfc8628 import DEVICE_CODE_GRANT_TYPE
from authlib.oidc.core import UserInfo
from flask import Flask
from flask_sqlalchemy import SQLAlchemy
from joserfc.jwk import KeySet, RSAKey

PORT, DATABASE = int(sys.argv[1]), sys.argv[2]
ISSUER = f"http://127.0.0.1:{PORT}"
KEYS = KeySet([RSAKey.generate_key(2048, {"kid": "rsa", "use": "sig", "alg": "RS256"}, private=True)])
SCOPES = ["openid", "profile", "email", "read"]
PROOFS = ["client_secret_basic", "client_secret_post", "none"]
GRANTS = ["authorization_code", "refresh_token", "client_credentials", DEVICE_CODE_GRANT_TYPE]
# By Authlib's names for them.
ENDPOINTS = [
    "client_registration", "device_authorization", "end_session", "introspection", "revocation", "userinfo"]
METADATA = {
    "issuer": ISSUER, "jwks_uri": f"{ISSUER}/jwks",
    **{f"{name.removeprefix('client_')}_endpoint": f"{ISSUER}/{name}"
       for name in ("authorization", "token", *ENDPOINTS)},
    "scopes_supported": SCOPES, "grant_types_supported": GRANTS, "response_types_supported": ["code"],
    "token_endpoint_auth_methods_supported": PROOFS, "code_challenge_methods_supported": ["S256"],
    "introspection_endpoint_auth_methods_supported": PROOFS[:1], "revocation_endpoint_auth_methods_supported": PROOFS[:1],
    "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["RS256"],
    "authorization_response_iss_parameter_supported": True,
}
app = Flask(__name__)
app.config.update(
    SECRET_KEY="test-only", SQLALCHEMY_DATABASE_URI=f"sqlite:///{DATABASE}", OAUTH2_SCOPES_SUPPORTED=SCOPES)
db = SQLAlchemy(app)


class Client(db.Model, sqla_oauth2.OAuth2ClientMixin):
    id = db.Column(db.Integer, primary_key=True)
    registration_access_token = db.Column(db.String)


class Code(db.Model, sqla_oauth2.OAuth2AuthorizationCodeMixin):
    id = db.Column(db.Integer, primary_key=True)


class Token(db.Model, sqla_oauth2.OAuth2TokenMixin):
    id = db.Column(db.Integer, primary_key=True)
    user_id = db.Column(db.String)

    def get_user(self):
        return Alice()

    def get_client(self):
        return find_client(self.client_id)


class Alice:
    def get_user_id(self):
        return "alice"


class Site:
    """What Authlib asks in more than one place."""

    def get_issuer(self):
        return ISSUER

    def get_jwks(self):
        return KEYS

    get_server_jwks = get_jwks

    def get_server_metadata(self):
        return METADATA

    def authenticate_user(self, credential):
        return Alice()

    def generate_user_info(self, user, scope):
        return UserInfo(
            sub=user.get_user_id(), name="Alice Test", email="alice@example.test", email_verified=True).filter(scope)

    def generate_client_registration_info(self, client, request):
        return {"registration_access_token": client.registration_access_token,
                "registration_client_uri": f"{ISSUER}/client_configuration/{client.client_id}"}


find_client = sqla_oauth2.create_query_client_func(db.session, Client)
find_token = sqla_oauth2.create_query_token_func(db.session, Token)


def save(row):
    db.session.add(row)
    db.session.commit()
    return row


def delete(row):
    db.session.delete(row)
    db.session.commit()
