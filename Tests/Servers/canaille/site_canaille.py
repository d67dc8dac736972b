"""Canaille with a person and clients of every kind: site_canaille.py PORT DATABASE"""
import os
import sys

from canaille import create_app
from canaille.app import models
from canaille.backends import Backend
from joserfc.jwk import ECKey, RSAKey

PORT, DATABASE = int(sys.argv[1]), sys.argv[2]
REDIRECTS = ["http://127.0.0.1:8765/callback"]
SCOPES = ["openid", "profile", "email"]


def key(kind, size, name):
    return kind.generate_key(size, {"kid": name}, private=True).as_dict(private=True)


def client(name, is_its_own_audience=True, **facts):
    made = models.Client(
        client_id=name, client_name=name, redirect_uris=REDIRECTS, response_types=["code"], scope=SCOPES,
        grant_types=["authorization_code", "refresh_token", "client_credentials"], client_secret="flowrun-secret",
        token_endpoint_auth_method="client_secret_basic")
    for member, value in facts.items():
        setattr(made, member, value)
    Backend.instance.save(made)
    if is_its_own_audience:
        made.audience = [made]
        Backend.instance.save(made)


if os.path.exists(DATABASE):       # its keys are new
    os.remove(DATABASE)
app = create_app({
    "SECRET_KEY": "test-only", "SERVER_NAME": f"127.0.0.1:{PORT}", "PREFERRED_URL_SCHEME": "http",
    "CANAILLE": {"DATABASE": "sql", "LOGGING": None},
    "CANAILLE_SQL": {"DATABASE_URI": f"sqlite:///{DATABASE}"},
    "CANAILLE_OIDC": {
        "ENABLE_OIDC": True, "DYNAMIC_CLIENT_REGISTRATION_OPEN": True,
        "ACTIVE_JWKS": [key(RSAKey, 2048, "rsa"), key(ECKey, "P-256", "ec")],
    },
})
with app.app_context():
    Backend.instance.install(app)
with app.app_context(), Backend.instance.session():
    Backend.instance.save(models.User(
        user_name="alice", password="alice-password", given_name="Alice", family_name="Test", formatted_name="Alice Test",
        emails=["alice@example.test"]))
    client("flowrun")
    client("flowrun-public", client_secret="", token_endpoint_auth_method="none")
    client("flowrun-nobody", is_its_own_audience=False)
app.run("127.0.0.1", PORT, threaded=True)
