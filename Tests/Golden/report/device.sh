#!/bin/sh
# The requests of run r_1JcZgpIwOGqLTcf7 of device-login with sandbox.
# Holds no secret: each is a variable, which the script asks for where it needs it.
set -eu

# Writes an option for `curl --config -`: what it holds is in no command line, which others could read.
option() { printf '%s = "%s"\n' "$1" "$(printf '%s' "$2" | sed 's/[\\"]/\\&/g')"; }

# Ends with the last answer, which is an error.
stop() {
    printf '%s\n' "$answer" >&2
    exit 1
}

# Takes a member out of the last answer.
member() {
    printf '%s' "$answer" | tr -d '\n' | sed -n 's/.*"'"$1"'"[[:space:]]*:[[:space:]]*"\([^"]*\)".*/\1/p'
}

# 1 device_authorize: discovery, answered 200
answer=$(
    curl --silent --show-error --globoff --fail-with-body \
        --header 'Accept: application/json' \
        --url 'http://127.0.0.1:47689/.well-known/openid-configuration'
) || stop
printf '%s\n' "$answer"

# 2 device_authorize: device_authorization, answered 200
answer=$(
    curl --silent --show-error --globoff --fail-with-body \
        --header 'Accept: application/json' \
        --data-urlencode 'scope=openid profile email offline_access' \
        --data-urlencode 'client_id=flowrun-sandbox' \
        --url 'http://127.0.0.1:47689/device_authorization'
) || stop
printf '%s\n' "$answer"
DEVICE_CODE=$(member 'device_code')
[ -n "$DEVICE_CODE" ] || stop
printf 'Enter the code at that address, then press Return here. ' >&2
read -r _

# 3 device_poll: device_token, answered 200
answer=$(
    {
        option data-urlencode "device_code=${DEVICE_CODE}"
    } | curl --silent --show-error --globoff --fail-with-body --config - \
        --header 'Accept: application/json' \
        --data-urlencode 'grant_type=urn:ietf:params:oauth:grant-type:device_code' \
        --data-urlencode 'client_id=flowrun-sandbox' \
        --url 'http://127.0.0.1:47689/token'
) || stop
printf '%s\n' "$answer"

# 4 verify: jwks, answered 200
answer=$(
    curl --silent --show-error --globoff --fail-with-body \
        --header 'Accept: application/jwk-set+json, application/json' \
        --url 'http://127.0.0.1:47689/jwks'
) || stop
printf '%s\n' "$answer"
