#!/usr/bin/env bash
# django-allauth (PyPI) as an OpenID provider, in a one-file Django project, SQLite, Django's threaded dev server.
NAME=allauth; PORT="${PORT:-9412}"
. "$(dirname "$0")/../lib/common.sh"
V="${OPS_STATE:-${TMPDIR:-/tmp}/flowrun-servers}/venv-allauth"
# its metadata for client identifiers that are URLs imports requests, which it does not ask for
venv "$V" 'django-allauth[idp-oidc]==65.22.1' 'Django==5.2.19' 'oauthlib==4.0.1' 'requests==2.34.2'
export ALLAUTH_STATE="$STATE" ALLAUTH_PORT="$PORT" PYTHONPATH="$HERE" PYTHONWARNINGS=ignore PYTHONDONTWRITEBYTECODE=1
if ! is_running; then
  [ -f "$STATE/.provisioned" ] || {
    openssl genrsa -out "$STATE/key.pem" 2048 2>/dev/null
    "$V/bin/python" "$HERE/site_allauth.py" provision && touch "$STATE/.provisioned"
  }
  run_bg "$V/bin/python" "$HERE/site_allauth.py" serve
  wait_http "http://127.0.0.1:$PORT/.well-known/openid-configuration" 60
fi
echo "{\"issuer\":\"http://127.0.0.1:$PORT\",\"device_page\":\"http://127.0.0.1:$PORT/identity/o/device\"}" > "$STATE/op.json"
show
