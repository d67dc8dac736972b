#!/bin/sh
# The requests of run r_oLxIwNpT23TII35D of client-credentials with sandbox.
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

# Form-encodes a text, as RFC 6749 §2.3.1 asks of the parts of Basic credentials.
form() {
    printf '%s' "$1" | od -An -v -tx1 | tr 'a-f' 'A-F' | tr -s ' ' '\n' | while read -r byte; do
        case $byte in
        '') ;;
        20) printf '+' ;;
        2D | 2E | 5F | 7E | 3[0-9] | 4[1-9A-F] | 5[0-9A] | 6[1-9A-F] | 7[0-9A])
            printf "\\$(printf '%o' "0x$byte")" ;;
        *) printf '%%%s' "$byte" ;;
        esac
    done
}

# 1 token: discovery, answered 200
answer=$(
    curl --silent --show-error --globoff --fail-with-body \
        --header 'Accept: application/json' \
        --url 'http://127.0.0.1:58703/.well-known/openid-configuration'
) || stop
printf '%s\n' "$answer"

# 2 token: client_credentials, answered 200
: "${CLIENT_SECRET:?set it to the secret of the client}"
answer=$(
    {
        option user "dyn-nSNIk12e8lDZLpiW:$(form "${CLIENT_SECRET}")"
    } | curl --silent --show-error --globoff --fail-with-body --config - \
        --header 'Accept: application/json' \
        --data-urlencode 'grant_type=client_credentials' \
        --data-urlencode 'scope=profile' \
        --url 'http://127.0.0.1:58703/token'
) || stop
printf '%s\n' "$answer"
