#!/bin/sh
# The requests of run r_D14icxq3YmHvFHxC of login with sandbox.
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

# 1 authorize: discovery, answered 200
answer=$(
    curl --silent --show-error --globoff --fail-with-body \
        --header 'Accept: application/json' \
        --url 'http://127.0.0.1:34133/.well-known/openid-configuration'
) || stop
printf '%s\n' "$answer"

# 2 authorize: authorization
STATE=$(openssl rand -hex 16)
NONCE=$(openssl rand -hex 16)
CODE_VERIFIER=$(openssl rand -hex 32)
CODE_CHALLENGE=$(printf '%s' "$CODE_VERIFIER" | openssl dgst -sha256 -binary | openssl base64 -A | tr '+/' '-_' | tr -d '=')
printf '%s\n' 'Open this address in a browser:' "http://127.0.0.1:34133/authorize?response_type=code&client_id=flowrun-sandbox&redirect_uri=http%3A%2F%2F127.0.0.1%3A46271%2Fcallback&scope=openid%20profile%20email%20offline_access&state=${STATE}&nonce=${NONCE}&code_challenge=${CODE_CHALLENGE}&code_challenge_method=S256" >&2
printf 'Enter the address that it ends at, or the code in it: ' >&2
read -r CODE
case $CODE in
*[?\&]code=*) CODE=${CODE#*[?&]code=} ;;
esac
CODE=${CODE%%[&#]*}

# 3 exchange: token, answered 400
answer=$(
    {
        option data "code=${CODE}"
        option data-urlencode "code_verifier=${CODE_VERIFIER}"
    } | curl --silent --show-error --globoff --config - \
        --header 'Accept: application/json' \
        --data-urlencode 'grant_type=authorization_code' \
        --data-urlencode 'redirect_uri=http://127.0.0.1:46271/callback' \
        --data-urlencode 'client_id=flowrun-sandbox' \
        --url 'http://127.0.0.1:34133/token'
)
printf '%s\n' "$answer"

# 4 authorize (2): authorization
STATE_2=$(openssl rand -hex 16)
NONCE_2=$(openssl rand -hex 16)
CODE_VERIFIER_2=$(openssl rand -hex 32)
CODE_CHALLENGE_2=$(printf '%s' "$CODE_VERIFIER_2" | openssl dgst -sha256 -binary | openssl base64 -A | tr '+/' '-_' | tr -d '=')
printf '%s\n' 'Open this address in a browser:' "http://127.0.0.1:34133/authorize?response_type=code&client_id=flowrun-sandbox&redirect_uri=http%3A%2F%2F127.0.0.1%3A47975%2Fcallback&scope=openid%20profile%20email%20offline_access&state=${STATE_2}&nonce=${NONCE_2}&code_challenge=${CODE_CHALLENGE_2}&code_challenge_method=S256" >&2
printf 'Enter the address that it ends at, or the code in it: ' >&2
read -r CODE_2
case $CODE_2 in
*[?\&]code=*) CODE_2=${CODE_2#*[?&]code=} ;;
esac
CODE_2=${CODE_2%%[&#]*}

# 5 exchange (2): token, answered 200
answer=$(
    {
        option data "code=${CODE_2}"
        option data-urlencode "code_verifier=${CODE_VERIFIER_2}"
    } | curl --silent --show-error --globoff --fail-with-body --config - \
        --header 'Accept: application/json' \
        --data-urlencode 'grant_type=authorization_code' \
        --data-urlencode 'redirect_uri=http://127.0.0.1:47975/callback' \
        --data-urlencode 'client_id=flowrun-sandbox' \
        --url 'http://127.0.0.1:34133/token'
) || stop
printf '%s\n' "$answer"
ACCESS_TOKEN=$(member 'access_token')
[ -n "$ACCESS_TOKEN" ] || stop

# 6 verify: jwks, answered 200
answer=$(
    curl --silent --show-error --globoff --fail-with-body \
        --header 'Accept: application/jwk-set+json, application/json' \
        --url 'http://127.0.0.1:34133/jwks'
) || stop
printf '%s\n' "$answer"

# 7 userinfo: userinfo, answered 200
answer=$(
    {
        option header "Authorization: Bearer ${ACCESS_TOKEN}"
    } | curl --silent --show-error --globoff --fail-with-body --config - \
        --header 'Accept: application/json' \
        --url 'http://127.0.0.1:34133/userinfo'
) || stop
printf '%s\n' "$answer"
