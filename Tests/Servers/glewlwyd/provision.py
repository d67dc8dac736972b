#!/usr/bin/env python3
"""Sets up a new Glewlwyd as its administrator's page would: scopes, two issuers, clients and a user.

    provision.py http://127.0.0.1:9404 STATE      STATE holds rsa, ec and client as .key and .pub
"""
import os
import http.cookiejar
import json
import sys
import urllib.error
import urllib.request

base, state = sys.argv[1:]
session = urllib.request.build_opener(
    urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
scopes = ["openid", "profile", "email", "read"]
# It compares redirect URIs with their ports, so there are a few to choose from.
redirects = [f"http://127.0.0.1:{port}/callback" for port in range(8765, 8770)]


def post(path, body):
    request = urllib.request.Request(
        f"{base}/api{path}", json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        session.open(request, timeout=20).read()
    except urllib.error.HTTPError as error:
        raise SystemExit(f"{path}: {error.code} {error.read().decode()[:500]}")


def pem(name):
    with open(f"{state}/{name}") as file:
        return file.read()


def issuer(name, key, **changes):
    parameters = {
        "iss": f"{base}/api/{name}", "key": pem(f"{key}.key"), "cert": pem(f"{key}.pub"),
        "jwt-type": "rsa", "jwt-key-size": "256", "jwks-show": True, "allowed-scope": scopes,
        "access-token-duration": int(os.environ.get("ACCESS_TOKEN_SECONDS", "300")), "refresh-token-duration": 86400, "code-duration": 60,
        "refresh-token-rolling": True, "refresh-token-one-use": "always",
        "allow-non-oidc": True, "auth-type-code-enabled": True, "auth-type-code-revoke-replayed": True,
        "auth-type-token-enabled": False, "auth-type-id-token-enabled": True, "auth-type-implicit-enabled": False,
        "auth-type-none-enabled": False, "auth-type-password-enabled": False, "auth-type-client-enabled": True,
        "auth-type-refresh-enabled": True, "auth-type-device-enabled": True,
        "device-authorization-expiration": 600, "device-authorization-interval": 1,
        "pkce-allowed": True, "pkce-method-plain-allowed": False, "pkce-required": False,
        "pkce-required-public-client": True,
        "introspection-revocation-allowed": True, "introspection-revocation-allow-target-client": True,
        "subject-type": "public", "name-claim": "on-demand", "name-claim-scope": ["profile"],
        "email-claim": "on-demand", "email-claim-scope": ["email"], "scope-claim": "no",
        "address-claim": {"type": "no"}, "claims": [], "request-parameter-allow": True, "request-maximum-exp": 3600,
        "oauth-dpop-allowed": True, "oauth-dpop-iat-duration": 60, "oauth-dpop-iat-gap-duration": 5,
        "oauth-par-allowed": True, "oauth-par-required": False, "oauth-par-duration": 90,
        "oauth-par-request_uri-prefix": "urn:ietf:params:oauth:request_uri:",
        "register-client-allowed": True, "register-client-auth-scope": [],
        "register-client-credentials-scope": ["openid", "profile", "email"],
        "register-client-management-allowed": True, "register-default-properties": {},
        "session-management-allowed": True, "session-cookie-name": "GLEWLWYD2_OIDC_SID",
        "session-cookie-expiration": 86400, "front-channel-logout-allowed": True, "back-channel-logout-allowed": True,
        "oauth-as-iss-id": True, "client-pubkey-parameter": "pubkey", "client-jwks-parameter": "jwks",
        "client-jwks_uri-parameter": "jwks_uri", "restrict-scope-client-property": "",
    } | changes
    post("/mod/plugin/", {
        "module": "oidc", "name": name, "display_name": name, "enabled": True, "parameters": parameters})


def client(name, methods, **changes):
    post("/client/", {
        "client_id": name, "name": name, "client_name": name, "enabled": True, "confidential": True,
        "client_secret": "flowrun-secret", "token_endpoint_auth_method": methods, "redirect_uri": redirects,
        "scope": scopes,
        "authorization_type": [
            "code", "id_token", "client_credentials", "refresh_token", "delete_token", "device_authorization"],
    } | changes)


post("/auth/", {"username": "admin", "password": "password"})
for scope in scopes[1:]:   # openid is there
    post("/scope/", {
        "name": scope, "display_name": scope, "description": scope, "password_required": True,
        "password_max_age": 0, "scheme": {}})
issuer("oidc", "rsa")
issuer("strict", "ec", **{
    "jwt-type": "ecdsa", "pkce-required": True, "oauth-par-required": True,
    "oauth-dpop-nonce-mandatory": True, "oauth-dpop-nonce-counter": 5})
client("flowrun", ["client_secret_basic", "client_secret_post"])
client("flowrun-public", ["none"], confidential=False, client_secret="")
client("flowrun-secret-jwt", ["client_secret_jwt"], client_secret="flowrun-secret-long-enough-for-hs256-0123456789")
client("flowrun-key-jwt", ["private_key_jwt"], client_secret="", pubkey=pem("client.pub"))
post("/user/", {
    "username": "alice", "name": "Alice Test", "email": "alice@example.test", "password": "alice-password",
    "enabled": True, "scope": ["g_profile"] + scopes})
