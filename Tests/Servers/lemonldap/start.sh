#!/usr/bin/env bash
# LemonLDAP::NG (Debian) with its demonstration users, by itself: no web server, and everything below $STATE.
NAME=lemonldap; PORT="${PORT:-9410}"
. "$(dirname "$0")/../lib/common.sh"
packages=(liblemonldap-ng-portal-perl lemonldap-ng-fastcgi-server libplack-perl libio-string-perl
  libstring-random-perl
  libcrypt-jwt-perl libmime-tools-perl libemail-address-xs-perl libemail-sender-perl)   # wanted by newer ones
modules=(Plack IO::String String::Random Crypt::JWT MIME::Entity Email::Address::XS Email::Sender)
portal=/usr/share/lemonldap-ng/portal/htdocs/index.psgi
if [ ! -f "$portal" ] || ! perl "${modules[@]/#/-M}" -e 1 2>/dev/null; then
  sudo=(); [ "$(id -u)" = 0 ] || sudo=(sudo)
  DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get update -qq >&2
  DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends \
    -o DPkg::Lock::Timeout=300 "${packages[@]}" >&2
fi
BASE="http://127.0.0.1:$PORT"

# What was set up for another port or by another version of this is of no use.
version="$PORT ${ACCESS_TOKEN_SECONDS:-} $(cksum <"$HERE/configure.py")"
[ "$(cat "$STATE/.configured" 2>/dev/null)" = "$version" ] || stop_bg
if ! is_running; then
  [ -f "$STATE/sign.key" ] || openssl genrsa -out "$STATE/sign.key" 2048 2>/dev/null
  openssl pkey -in "$STATE/sign.key" -pubout -out "$STATE/sign.pub"
  python3 "$HERE/configure.py" "$STATE" "$BASE" "${ACCESS_TOKEN_SECONDS:-3600}"
  echo "$version" > "$STATE/.configured"
  export LLNG_DEFAULTCONFFILE="$STATE/lemonldap-ng.ini"
  run_bg plackup -s HTTP::Server::PSGI --env deployment --host 127.0.0.1 --port "$PORT" "$portal"
  wait_http "$BASE/.well-known/openid-configuration" 30
fi
cat > "$STATE/op.json" <<J
{"issuer":"$BASE","signing_key":"$STATE/sign.key","sessions":"$STATE/sessions","user":"dwho","password":"dwho",
 "signed_secret":"flowrun-secret-long-enough-for-hs512-0123456789-0123456789-0123456789"}
J
show
