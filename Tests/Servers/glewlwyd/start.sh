#!/usr/bin/env bash
# Glewlwyd (Debian): two issuers in one process with SQLite, set up through its own interface for administrators.
NAME=glewlwyd; PORT="${PORT:-9404}"
. "$(dirname "$0")/../lib/common.sh"
packages=(glewlwyd dbconfig-sqlite3 sqlite3)   # without dbconfig-sqlite3 it brings a database server's client
if ! command -v glewlwyd >/dev/null || ! command -v sqlite3 >/dev/null; then
  sudo=(); [ "$(id -u)" = 0 ] || sudo=(sudo)
  DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get update -qq >&2
  DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends \
    -o DPkg::Lock::Timeout=300 "${packages[@]}" >&2
fi
BASE="http://127.0.0.1:$PORT"

# pair NAME COMMAND...: the private key that the command prints, as PKCS #8, and its public half.
pair() {
  "${@:2}" 2>/dev/null | openssl pkcs8 -topk8 -nocrypt -out "$STATE/$1.key"
  openssl pkey -in "$STATE/$1.key" -pubout -out "$STATE/$1.pub"
}

# A database with nothing but its administrator, the keys, and the configuration: all below $STATE.
prepare() {
  rm -f "$STATE"/db.sqlite*
  zcat /usr/share/doc/glewlwyd/database/init.sqlite3.sql.gz | sqlite3 "$STATE/db.sqlite"
  pair rsa openssl genrsa 2048
  pair ec openssl ecparam -name prime256v1 -genkey -noout
  pair client openssl genrsa 2048
  sed -e "s|^port=.*|port=$PORT\nbind_address=\"127.0.0.1\"|" -e "s|^external_url=.*|external_url=\"$BASE\"|" \
    -e 's|^log_mode=.*|log_mode="console"|' -e 's|^log_level=.*|log_level="WARNING"|' -e '/^log_file=/d' \
    -e 's|^# *static_files_path=.*|static_files_path="/usr/share/glewlwyd/webapp/"|' \
    -e "s|^@include.*|database = { type = \"sqlite3\"; path = \"$STATE/db.sqlite\"; };|" \
    /etc/glewlwyd/glewlwyd.conf > "$STATE/glewlwyd.conf"
}

# What was set up for another port or by another version of this is of no use.
version="$PORT ${ACCESS_TOKEN_SECONDS:-} $(cat "${BASH_SOURCE[0]}" "$HERE/provision.py" | cksum)"
if [ "$(cat "$STATE/.provisioned" 2>/dev/null)" != "$version" ]; then
  stop_bg
  rm -f "$STATE/.provisioned"
fi
if ! is_running; then
  [ -f "$STATE/.provisioned" ] || prepare
  run_bg glewlwyd --config-file="$STATE/glewlwyd.conf"
  wait_http "$BASE/config" 20
  if [ ! -f "$STATE/.provisioned" ]; then
    python3 "$HERE/provision.py" "$BASE" "$STATE" || { stop_bg; exit 1; }
    echo "$version" > "$STATE/.provisioned"
  fi
  wait_http "$BASE/api/strict/.well-known/openid-configuration" 20
fi
cat > "$STATE/op.json" <<J
{"issuer":"$BASE/api/oidc","strict_issuer":"$BASE/api/strict",
 "client_id":"flowrun","client_secret":"flowrun-secret","public_client_id":"flowrun-public",
 "secret_jwt":{"client_id":"flowrun-secret-jwt","client_secret":"flowrun-secret-long-enough-for-hs256-0123456789"},
 "key_jwt":{"client_id":"flowrun-key-jwt","private_key":"$STATE/client.key"},"user":"alice","password":"alice-password"}
J
show
