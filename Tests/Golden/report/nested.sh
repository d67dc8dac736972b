#!/bin/sh
# The requests of run r_7F82Rztt5vLWIVJx of report with sandbox.
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

# 1 login/authorize: discovery, answered 200
answer=$(
    curl --silent --show-error --globoff --fail-with-body \
        --header 'Accept: application/json' \
        --url 'http://127.0.0.1:9400/.well-known/openid-configuration'
) || stop
printf '%s\n' "$answer"

# 2 login/authorize: authorization
STATE=$(openssl rand -hex 16)
NONCE=$(openssl rand -hex 16)
CODE_VERIFIER=$(openssl rand -hex 32)
CODE_CHALLENGE=$(printf '%s' "$CODE_VERIFIER" | openssl dgst -sha256 -binary | openssl base64 -A | tr '+/' '-_' | tr -d '=')
printf '%s\n' 'Open this address in a browser:' "http://127.0.0.1:9400/authorize?response_type=code&client_id=flowrun-sandbox&redirect_uri=http%3A%2F%2F127.0.0.1%3A40131%2Fcallback&scope=openid%20profile%20email%20offline_access&state=${STATE}&nonce=${NONCE}&code_challenge=${CODE_CHALLENGE}&code_challenge_method=S256" >&2
