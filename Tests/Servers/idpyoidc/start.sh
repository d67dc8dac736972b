#!/usr/bin/env bash
# idpyoidc (PyPI), the OpenID provider of Identity Python, behind the HTTP server of Python's standard library.
NAME=idpyoidc; PORT="${PORT:-9408}"
. "$(dirname "$0")/../lib/common.sh"
V="${OPS_STATE:-${TMPDIR:-/tmp}/flowrun-servers}/venv-idpyoidc"
venv "$V" 'idpyoidc==5.0.0' 'cryptojwt==1.11.0'
export PYTHONWARNINGS=ignore PYTHONDONTWRITEBYTECODE=1
if ! is_running; then
  run_bg "$V/bin/python" "$HERE/site_idpyoidc.py" "$STATE" "$PORT"
  wait_http "http://127.0.0.1:$PORT/.well-known/openid-configuration" 60
fi
echo "{\"issuer\":\"http://127.0.0.1:$PORT\"}" > "$STATE/op.json"
show
