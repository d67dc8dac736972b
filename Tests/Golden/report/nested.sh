#!/bin/sh
# The requests of run r_7F82Rztt5vLWIVJx of report with sandbox.
# Holds no secret: each is a variable, which the script asks for where it needs it.
set -eu

# Writes an option for `curl --config -`: what it holds is in no command line, which others could read.
option() { printf '%s = "%s"\n' "$1" "$(printf '%s' "$2" | sed 's/[\\"]/\\&/g')"; }

# Takes a member out of the last answer.
member() {
    printf '%s' "$answer" | tr -d '\n' | sed -n 's/.*"'"$1"'"[[:space:]]*:[[:space:]]*"\([^"]*\)".*/\1/p'
}

# 1 login/authorize: discovery, answered 200
answer=$(
    curl --silent --show-error --globoff \
        --header 'Accept: application/json' \
        --url 'http://127.0.0.1:9400/.well-known/openid-configuration'
)
printf '%s\n' "$answer"

# 2 login/authorize: authorization
# In a browser: http://127.0.0.1:9400/authorize?response_type=code&client_id=flowrun-sandbox&redirect_uri=http%3A%2F%2F127.0.0.1%3A40131%2Fcallback&scope=openid%20profile%20email%20offline_access&state=%E2%80%B9state%2043%20%232a60%E2%80%BA&nonce=%E2%80%B9nonce%2043%20%2306f4%E2%80%BA&code_challenge=hZO1utndtzMHPl5A5q-N7ei4n5ds0L8rx4gearJN_cw&code_challenge_method=S256
