#!/usr/bin/env bash
# django-allauth (PyPI) as an OpenID provider, in a one-file Django project, SQLite, Django's threaded dev server.
NAME=allauth; PORT="${PORT:-9412}"
. "$(dirname "$0")/../lib/common.sh"
V="${OPS_STATE:-${TMPDIR:-/tmp}/flowrun-servers}/venv-allauth"
# its metadata for client identifiers that are URLs imports requests, which it does not ask for
venv "$V" 'django-allauth[idp-oidc]==65.22.1' 'Django==5.2.19' 'oauthlib==4.0.1' 'requests==2.34.2'
export ALLAUTH_STATE="$STATE" ALLAUTH_PORT="$PORT" PYTHONPATH="$HERE" PYTHONWARNINGS=ignore PYTHONDONTWRITEBYTECODE=1
if ! is_running; then
  # whoever publishes documents about clients, on this machine
  [ -f "$STATE/documents.pem" ] || openssl req -x509 -newkey rsa:2048 -nodes -keyout "$STATE/documents.key" \
    -out "$STATE/documents.pem" -days 3650 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 2>/dev/null
  [ -f "$STATE/.provisioned" ] || {
    openssl genrsa -out "$STATE/key.pem" 2048 2>/dev/null
    "$V/bin/python" "$HERE/site_allauth.py" provision && touch "$STATE/.provisioned"
  }
  REQUESTS_CA_BUNDLE="$STATE/documents.pem" run_bg "$V/bin/python" "$HERE/site_allauth.py" serve
  wait_http "http://127.0.0.1:$PORT/.well-known/openid-configuration" 60
fi
cat > "$STATE/op.json" <<END
{"issuer": "http://127.0.0.1:$PORT", "device_page": "http://127.0.0.1:$PORT/identity/o/device",
 "documents": {"certificate": "$STATE/documents.pem", "key": "$STATE/documents.key"}}
END
show
