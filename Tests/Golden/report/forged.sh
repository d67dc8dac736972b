#!/bin/sh
# The requests of run r_pOeCqhlUyz82nwvR of login with sandbox.
# Holds no secret: each is a variable, which the script asks for where it needs it.
set -eu

# Writes an option for `curl --config -`: what it holds is in no command line, which others could read.
option() { printf '%s = "%s"\n' "$1" "$(printf '%s' "$2" | sed 's/[\\"]/\\&/g')"; }

# Takes a member out of the last answer.
member() {
    printf '%s' "$answer" | tr -d '\n' | sed -n 's/.*"'"$1"'"[[:space:]]*:[[:space:]]*"\([^"]*\)".*/\1/p'
}

# 1 authorize: discovery, answered 200
answer=$(
    curl --silent --show-error --globoff \
        --header 'Accept: application/json' \
        --url 'http://127.0.0.1:39113/.well-known/openid-configuration'
)
printf '%s\n' "$answer"

# 2 authorize: authorization
# In a browser: http://127.0.0.1:39113/authorize?response_type=code&client_id=flowrun-sandbox&redirect_uri=http%3A%2F%2F127.0.0.1%3A48607%2Fcallback&scope=openid%20profile%20email%20offline_access&state=%E2%80%B9state%2043%20%23c2c7%E2%80%BA&nonce=%E2%80%B9nonce%2043%20%236750%E2%80%BA&code_challenge=XRD-AhFvGaAkMhkd2pnxjXoH5x3LFXM4tIWboiBbyPE&code_challenge_method=S256

# 3 exchange: token, answered 200
: "${CODE:?set it to the code in the address that the browser ends at}"
: "${CODE_VERIFIER:?set it to the verifier of the challenge in the address above}"
answer=$(
    {
        option data-urlencode "code=${CODE}"
        option data-urlencode "code_verifier=${CODE_VERIFIER}"
    } | curl --silent --show-error --globoff --config - \
        --header 'Accept: application/json' \
        --data-urlencode 'grant_type=authorization_code' \
        --data-urlencode 'redirect_uri=http://127.0.0.1:48607/callback' \
        --data-urlencode 'client_id=flowrun-sandbox' \
        --url 'http://127.0.0.1:39113/token'
)
printf '%s\n' "$answer"

# 4 verify: jwks, answered 200
answer=$(
    curl --silent --show-error --globoff \
        --header 'Accept: application/jwk-set+json, application/json' \
        --url 'http://127.0.0.1:39113/jwks'
)
printf '%s\n' "$answer"
