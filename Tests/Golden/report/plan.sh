#!/bin/sh
# The requests of a dry run of login with google.
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

# The port of the redirect URI: a run takes one that is free. Nothing needs to listen there, the address that the
# browser ends at is enough; where the provider compares ports, set PORT to the one that is registered.
PORT=${PORT:-8080}

# 1 authorize: discovery
answer=$(
    curl --silent --show-error --globoff --fail-with-body \
        --header 'Accept: application/json' \
        --url 'https://accounts.google.com/.well-known/openid-configuration'
) || stop
printf '%s\n' "$answer"
AUTHORIZATION_ENDPOINT=$(member 'authorization_endpoint')
[ -n "$AUTHORIZATION_ENDPOINT" ] || stop
TOKEN_ENDPOINT=$(member 'token_endpoint')
[ -n "$TOKEN_ENDPOINT" ] || stop
USERINFO_ENDPOINT=$(member 'userinfo_endpoint')
[ -n "$USERINFO_ENDPOINT" ] || stop
JWKS_URI=$(member 'jwks_uri')
[ -n "$JWKS_URI" ] || stop

# 2 authorize: authorization
STATE=$(openssl rand -hex 16)
NONCE=$(openssl rand -hex 16)
CODE_VERIFIER=$(openssl rand -hex 32)
CODE_CHALLENGE=$(printf '%s' "$CODE_VERIFIER" | openssl dgst -sha256 -binary | openssl base64 -A | tr '+/' '-_' | tr -d '=')
printf '%s\n' 'Open this address in a browser:' "${AUTHORIZATION_ENDPOINT}?response_type=code&client_id=demo&redirect_uri=http%3A%2F%2F127.0.0.1%3A${PORT}%2Fcallback&scope=openid%20email%20profile&state=${STATE}&nonce=${NONCE}&code_challenge=${CODE_CHALLENGE}&code_challenge_method=S256&access_type=offline&prompt=consent" >&2
printf 'Enter the address that it ends at, or the code in it: ' >&2
read -r CODE
case $CODE in
*[?\&]code=*) CODE=${CODE#*[?&]code=} ;;
esac
CODE=${CODE%%[&#]*}

# 3 exchange: token
answer=$(
    {
        option data "code=${CODE}"
        option data-urlencode "code_verifier=${CODE_VERIFIER}"
    } | curl --silent --show-error --globoff --fail-with-body --config - \
        --header 'Accept: application/json' \
        --data-urlencode 'grant_type=authorization_code' \
        --data-urlencode 'redirect_uri=http://127.0.0.1:'"${PORT}"'/callback' \
        --data-urlencode 'client_id=demo' \
        --url "${TOKEN_ENDPOINT}"
) || stop
printf '%s\n' "$answer"
ACCESS_TOKEN=$(member 'access_token')
[ -n "$ACCESS_TOKEN" ] || stop

# 4 verify: jwks
answer=$(
    curl --silent --show-error --globoff --fail-with-body \
        --header 'Accept: application/jwk-set+json, application/json' \
        --url "${JWKS_URI}"
) || stop
printf '%s\n' "$answer"

# 5 userinfo: userinfo
answer=$(
    {
        option header "Authorization: Bearer ${ACCESS_TOKEN}"
    } | curl --silent --show-error --globoff --fail-with-body --config - \
        --header 'Accept: application/json' \
        --url "${USERINFO_ENDPOINT}"
) || stop
printf '%s\n' "$answer"
