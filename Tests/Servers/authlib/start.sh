#!/usr/bin/env bash
# Authlib (PyPI) in a Flask application, SQLite, Flask's threaded development server.
NAME=authlib; PORT="${PORT:-9416}"
. "$(dirname "$0")/../lib/common.sh"
V="${OPS_STATE:-${TMPDIR:-/tmp}/flowrun-servers}/venv-authlib"
venv "$V" 'Authlib==1.9.10' 'joserfc==1.8.0' 'Flask==3.1.3' 'Flask-SQLAlchemy==3.1.1'
# it takes no requests over HTTP otherwise
export AUTHLIB_INSECURE_TRANSPORT=1 PYTHONWARNINGS=ignore PYTHONDONTWRITEBYTECODE=1
if ! is_running; then
  run_bg "$V/bin/python" "$HERE/site_authlib.py" "$PORT" "$STATE/db.sqlite3"
  wait_http "http://127.0.0.1:$PORT/.well-known/openid-configuration" 60
fi
echo "{\"issuer\": \"http://127.0.0.1:$PORT\"}" > "$STATE/op.json"
show
