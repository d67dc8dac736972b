"""idpyoidc as a program: site_idpyoidc.py STATE PORT

Every client registers itself; there is one user, who is never asked.
"""
import http.server
import json
import os
import sys
import threading
import traceback
import urllib.parse

import cryptojwt.key_jar
from idpyoidc.message.oauth2 import ResponseMessage
from idpyoidc.server import Server
from idpyoidc.server.configure import OPConfiguration
from idpyoidc.server.token.id_token import IDToken

STATE, PORT = sys.argv[1], int(sys.argv[2])
ISSUER = f"http://127.0.0.1:{PORT}"
PROOFS = ["client_secret_basic", "client_secret_post", "private_key_jwt"]
ALGORITHMS = ["RS256", "ES256"]
ENCRYPTION = (["RSA-OAEP", "RSA-OAEP-256"], ["A128CBC-HS256"])
USER = {"sub": "diana", "name": "Diana Krall", "email": "diana@example.test", "email_verified": True}

# A line for its log fails for clients without keys.
cryptojwt.key_jar.KeyJar.key_summary = lambda *_: ""

# It encrypts ID tokens for those who ask it to in its own language, and not for those who registered it.
sign = IDToken.sign_encrypt


def sign_as_registered(self, session_id, client_id, *rest, **named):
    client = self.upstream_get("context").cdb[client_id]
    return sign(self, session_id, client_id, *rest,
                **{**named, "encrypt": "id_token_encrypted_response_alg" in client})


IDToken.sign_encrypt = sign_as_registered


def endpoint(path, name, **options):
    return {"path": path, "class": f"idpyoidc.server.{name}", "kwargs": options}


def symmetric(*names):
    return {"key_defs": [{"type": "OCT", "use": ["enc"], "kid": name} for name in names]}


def configuration():
    keys = [{"type": "RSA", "use": ["sig"]}, {"type": "EC", "crv": "P-256", "use": ["sig"]},
            {"type": "RSA", "use": ["enc"]}]
    token = "idpyoidc.server.token"
    return {
        "issuer": ISSUER,
        "base_url": ISSUER,
        "template_dir": STATE,
        "key_conf": {"private_path": "keys.json", "read_only": False, "key_defs": keys, "uri_path": "jwks"},
        "preference": {
            "subject_types_supported": ["public"],
            "scopes_supported": ["openid", "profile", "email", "offline_access"],
            "id_token_signing_alg_values_supported": ALGORITHMS,
            "encrypt_id_token_supported": True,
            "id_token_encryption_alg_values_supported": ENCRYPTION[0],
            "id_token_encryption_enc_values_supported": ENCRYPTION[1],
            "userinfo_signing_alg_values_supported": ALGORITHMS,
            "encrypt_userinfo_supported": True,
            "userinfo_encryption_alg_values_supported": ENCRYPTION[0],
            "userinfo_encryption_enc_values_supported": ENCRYPTION[1],
            "encrypt_request_object_supported": True,
            "request_object_signing_alg_values_supported": ALGORITHMS,
            "request_object_encryption_alg_values_supported": ENCRYPTION[0],
            "request_object_encryption_enc_values_supported": ENCRYPTION[1],
        },
        "token_handler_args": {
            "jwks_defs": {"private_path": "token_keys.json", "read_only": False,
                          **symmetric("code", "refresh")},
            "code": {"kwargs": {"lifetime": 600}},
            "token": {"class": f"{token}.jwt_token.JWTToken", "kwargs": {"lifetime": 3600}},
            "refresh": {"class": f"{token}.jwt_token.JWTToken", "kwargs": {"lifetime": 86400}},
            "id_token": {"class": f"{token}.id_token.IDToken", "kwargs": {}},
        },
        "endpoint": {
            "provider_config": endpoint(
                ".well-known/openid-configuration", "oidc.provider_config.ProviderConfiguration"),
            "registration": endpoint("registration", "oidc.registration.Registration"),
            "registration_api": endpoint(
                "client", "oidc.read_registration.RegistrationRead", client_authn_method=["bearer_header"]),
            "authorization": endpoint(
                "authorization", "oidc.authorization.Authorization", response_types_supported=["code"]),
            "token": endpoint("token", "oidc.token.Token", client_authn_method=PROOFS),
            "userinfo": endpoint("userinfo", "oidc.userinfo.UserInfo"),
            "introspection": endpoint(
                "introspection", "oauth2.introspection.Introspection", client_authn_method=PROOFS),
            "revocation": endpoint(
                "revoke", "oauth2.token_revocation.TokenRevocation", client_authn_method=PROOFS),
        },
        "userinfo": {"class": "idpyoidc.server.user_info.UserInfo", "kwargs": {"db": {"diana": USER}}},
        "authentication": {"anyone": {
            "acr": "anyone", "class": "idpyoidc.server.user_authn.user.NoAuthn", "kwargs": {"user": "diana"}}},
        "add_on": {"pkce": {
            "function": "idpyoidc.server.oauth2.add_on.pkce.add_support", "kwargs": {"essential": True}}},
        "session_params": {"encrypter": {"kwargs": {"keys": symmetric("password", "salt"), "iterations": 1}}},
    }


class Site(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    lock = threading.Lock()

    def log_message(self, *_):
        pass

    def send(self, status, body="", fields=()):
        body = body.encode()
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def json(self, status, value):
        self.send(status, json.dumps(value), [("Content-Type", "application/json")])

    def answer(self):
        place = urllib.parse.urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        name = place.path.strip("/")
        if name == "jwks":
            return self.json(200, {"keys": [key.serialize() for key in server.keyjar.get_issuer_keys("")]})
        if name not in endpoints:
            return self.json(404, {"error": "not_found"})
        try:
            with self.lock:
                self.ask(endpoints[name], place, body)
        except Exception as problem:
            traceback.print_exc()
            status = 401 if "Unauthorized" in type(problem).__name__ else 500
            self.json(status, {"error": "invalid_client" if status == 401 else "server_error"})

    def ask(self, endpoint, place, body):
        if "json" in (self.headers.get("Content-Type") or ""):
            request = body
        else:
            request = dict(urllib.parse.parse_qsl(body or place.query))
        headers = {name.lower(): value for name, value in self.headers.items()}
        info = {"headers": headers, "method": self.command, "url": ISSUER + place.path, "cookie": []}
        request = endpoint.parse_request(request, http_info=info)
        if isinstance(request, ResponseMessage) and "error" in request:
            return self.json(400, request.to_dict())
        result = endpoint.process_request(request, http_info=info)
        answer = endpoint.do_response(request=request, **result)
        fields = answer.get("http_headers", [])
        if answer.get("response_placement", endpoint.response_placement) == "url":
            return self.send(303, fields=[*fields, ("Location", answer["response"])])
        status = 400 if "error" in result else result.get("response_code", 200)
        self.send(status, answer["response"], fields)

    do_GET = do_POST = answer


os.chdir(STATE)
server = Server(OPConfiguration(conf=configuration(), base_path=STATE, domain="127.0.0.1", port=PORT), cwd=STATE)
endpoints = {endpoint.endpoint_path: endpoint for endpoint in server.endpoint.values() if endpoint}
http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Site).serve_forever()
