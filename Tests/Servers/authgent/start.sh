#!/usr/bin/env bash
# authgent-server (PyPI), SQLite. It issues and takes JWTs that carry somebody's identity from one domain to the next;
# here it is both.
NAME=authgent; PORT="${PORT:-9418}"
. "$(dirname "$0")/../lib/common.sh"
V="${OPS_STATE:-${TMPDIR:-/tmp}/flowrun-servers}/venv-authgent"
venv "$V" 'authgent-server==0.3.4'
issuer="http://127.0.0.1:$PORT"
export AUTHGENT_SERVER_URL="$issuer" AUTHGENT_DATABASE_URL="sqlite+aiosqlite:///$STATE/db.sqlite3" \
  AUTHGENT_SECRET_KEY=test-only-0123456789abcdef0123456789abcdef AUTHGENT_CONSENT_MODE=ui \
  AUTHGENT_REGISTER_RATE_LIMIT=1000 AUTHGENT_TOKEN_RATE_LIMIT=1000 PYTHONDONTWRITEBYTECODE=1 \
  AUTHGENT_TRUSTED_CHAINING_TARGETS="[\"$issuer\"]" AUTHGENT_TRUSTED_CHAINING_ISSUERS="[\"$issuer\"]"
if ! is_running; then
  run_bg "$V/bin/authgent-server" run --host 127.0.0.1 --port "$PORT"
  wait_http "$issuer/.well-known/oauth-authorization-server" 60
fi
echo "{\"issuer\": \"$issuer\"}" > "$STATE/op.json"
show
