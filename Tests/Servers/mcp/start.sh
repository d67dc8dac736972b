#!/usr/bin/env bash
# An MCP server with the Python SDK of the Model Context Protocol (PyPI), which issues the tokens that it takes itself.
NAME=mcp; PORT="${PORT:-9411}"
. "$(dirname "$0")/../lib/common.sh"
V="${OPS_STATE:-${TMPDIR:-/tmp}/flowrun-servers}/venv-mcp"
venv "$V" 'mcp==2.3.0'
export PYTHONWARNINGS=ignore PYTHONDONTWRITEBYTECODE=1
if ! is_running; then
  run_bg "$V/bin/python" "$HERE/site_mcp.py" "$PORT"
  wait_http "http://127.0.0.1:$PORT/.well-known/oauth-authorization-server" 60
fi
echo "{\"issuer\":\"http://127.0.0.1:$PORT\",\"resource\":\"http://127.0.0.1:$PORT/mcp\"}" > "$STATE/op.json"
show
