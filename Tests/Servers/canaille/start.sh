#!/usr/bin/env bash
# Canaille (PyPI), an identity provider made with Authlib, SQLite, Flask's threaded development server.
NAME=canaille; PORT="${PORT:-9415}"
. "$(dirname "$0")/../lib/common.sh"
V="${OPS_STATE:-${TMPDIR:-/tmp}/flowrun-servers}/venv-canaille"
venv "$V" 'canaille[front,oidc,sqlite]==0.3.6' 'Authlib==1.9.10'
export PYTHONWARNINGS=ignore PYTHONDONTWRITEBYTECODE=1
if ! is_running; then
  run_bg "$V/bin/python" "$HERE/site_canaille.py" "$PORT" "$STATE/db.sqlite3"
  wait_http "http://127.0.0.1:$PORT/.well-known/openid-configuration" 60
fi
echo "{\"issuer\": \"http://127.0.0.1:$PORT\"}" > "$STATE/op.json"
show
