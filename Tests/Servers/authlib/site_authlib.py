"""Authlib's server in a Flask application, with one user: site_authlib.py PORT DATABASE"""
import os

from authlib.oauth2 import OAuth2Error
from flask import request, session

from server_authlib import DeviceCode, server
from store_authlib import DATABASE, ENDPOINTS, GRANTS, KEYS, METADATA, PORT, SCOPES, Alice, Client, app, db, save


def page(*names):
    return "<form method=post>" + "".join(f"<input name={name}>" for name in names) + "<button>OK</button></form>"


def signed_in():
    if request.form.get("name") == "alice" and request.form.get("password") == "alice-password":
        session["name"] = "alice"
    return Alice() if "name" in session else None


@app.route("/authorization", methods=["GET", "POST"])
def authorization():
    user = signed_in()
    try:
        grant = server.get_consent_grant(end_user=user)
    except OAuth2Error as error:
        return server.handle_error_response(request, error)
    if not user:
        return page("name", "password")
    if "answer" not in request.form:
        return page("answer")
    return server.create_authorization_response(grant=grant, grant_user=user if request.form["answer"] == "yes" else None)


@app.route("/device", methods=["GET", "POST"])
def device():
    user = signed_in()
    if not user:
        return page("name", "password")
    if "answer" not in request.form:
        return page("user_code", "answer")
    DeviceCode.decided[request.form["user_code"]] = (user, request.form["answer"] == "yes")
    return "Go back to your device."


@app.route("/<name>", methods=["GET", "POST"])
def endpoint(name):
    return (server.create_endpoint_response(name) or "Done.") if name in ENDPOINTS else ("", 404)


@app.route("/client_configuration/<client_id>", methods=["GET", "PUT", "DELETE"])
def configuration(client_id):
    return server.create_endpoint_response("client_configuration")


app.add_url_rule("/token", "token", lambda: server.create_token_response(), methods=["POST"])
app.add_url_rule("/.well-known/openid-configuration", "metadata", lambda: METADATA)
app.add_url_rule("/jwks", "jwks", lambda: KEYS.as_dict(private=False))

if os.path.exists(DATABASE):       # its keys are new
    os.remove(DATABASE)
with app.app_context():
    db.create_all()
    for name, proof in (
            ("flowrun", "client_secret_basic"), ("flowrun-post", "client_secret_post"), ("flowrun-public", "none")):
        client = Client(client_id=name, client_secret="flowrun-secret")
        client.set_client_metadata({
            "client_name": name, "token_endpoint_auth_method": proof, "grant_types": GRANTS, "scope": " ".join(SCOPES),
            "response_types": ["code"], "redirect_uris": ["http://127.0.0.1:8765/callback"],
            "post_logout_redirect_uris": ["http://127.0.0.1:8765/bye"]})
        save(client)
app.run("127.0.0.1", PORT, threaded=True)
