#!/bin/sh
# The requests of a dry run of login with google.
# Holds no secret: each is a variable, which the script asks for where it needs it.
set -eu

# Writes an option for `curl --config -`: what it holds is in no command line, which others could read.
option() { printf '%s = "%s"\n' "$1" "$(printf '%s' "$2" | sed 's/[\\"]/\\&/g')"; }

# Takes a member out of the last answer.
member() {
    printf '%s' "$answer" | tr -d '\n' | sed -n 's/.*"'"$1"'"[[:space:]]*:[[:space:]]*"\([^"]*\)".*/\1/p'
}

# 1 authorize: discovery
answer=$(
    curl --silent --show-error --globoff \
        --header 'Accept: application/json' \
        --url 'https://accounts.google.com/.well-known/openid-configuration'
)
printf '%s\n' "$answer"
TOKEN_ENDPOINT=$(member 'token_endpoint')
USERINFO_ENDPOINT=$(member 'userinfo_endpoint')
JWKS_URI=$(member 'jwks_uri')

# 2 authorize: authorization
# In a browser: https://accounts.google.com/(authorization_endpoint)?response_type=code&client_id=demo&redirect_uri=http%3A%2F%2F127.0.0.1%3APORT%2Fcallback&scope=openid%20email%20profile&state=%E2%80%B9state%E2%80%BA&nonce=%E2%80%B9nonce%E2%80%BA&code_challenge=i5c7d_1KriabqbP1LaYpaIZMY6ckWVKygEpMaZA5l4Q&code_challenge_method=S256&access_type=offline&prompt=consent

# 3 exchange: token
: "${CODE:?set it to the code in the address that the browser ends at}"
: "${CODE_VERIFIER:?set it to the verifier of the challenge in the address above}"
answer=$(
    {
        option data-urlencode "code=${CODE}"
        option data-urlencode "code_verifier=${CODE_VERIFIER}"
    } | curl --silent --show-error --globoff --config - \
        --header 'Accept: application/json' \
        --data-urlencode 'grant_type=authorization_code' \
        --data-urlencode 'redirect_uri=http://127.0.0.1:PORT/callback' \
        --data-urlencode 'client_id=demo' \
        --url "${TOKEN_ENDPOINT}"
)
printf '%s\n' "$answer"
ACCESS_TOKEN=$(member 'access_token')

# 4 verify: jwks
answer=$(
    curl --silent --show-error --globoff \
        --header 'Accept: application/jwk-set+json, application/json' \
        --url "${JWKS_URI}"
)
printf '%s\n' "$answer"

# 5 userinfo: userinfo
answer=$(
    {
        option header "Authorization: Bearer ${ACCESS_TOKEN}"
    } | curl --silent --show-error --globoff --config - \
        --header 'Accept: application/json' \
        --url "${USERINFO_ENDPOINT}"
)
printf '%s\n' "$answer"
