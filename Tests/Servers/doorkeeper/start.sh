#!/usr/bin/env bash
# Doorkeeper with its OpenID Connect extension (Debian), in a one-file Rails application, SQLite, Puma.
NAME=doorkeeper; PORT="${PORT:-9414}"
. "$(dirname "$0")/../lib/common.sh"
packages=(ruby-doorkeeper-openid-connect ruby-activerecord ruby-sqlite3 puma)
gems=(doorkeeper-openid_connect activerecord sqlite3 puma)
if ! /usr/bin/ruby -e 'ARGV.each { |name| gem name }' "${gems[@]}" 2>/dev/null; then
  sudo=(); [ "$(id -u)" = 0 ] || sudo=(sudo)
  DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get update -qq >&2
  DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends \
    -o DPkg::Lock::Timeout=300 "${packages[@]}" >&2
fi
if ! is_running; then
  [ -f "$STATE/key.pem" ] || openssl genrsa -out "$STATE/key.pem" 2048 2>/dev/null
  run_bg /usr/bin/ruby "$HERE/site_doorkeeper.rb" "$STATE" "$PORT" "${ACCESS_TOKEN_SECONDS:-7200}"
  wait_http "http://127.0.0.1:$PORT/.well-known/openid-configuration" 60
fi
cat > "$STATE/op.json" <<END
{"issuer": "http://127.0.0.1:$PORT", "lasting_secret": "flowrun/secret+%41:="}
END
show
