# What the end-to-end scripts share: a place of their own, a sandbox, and ways to say what a command must do.
#
# Sourced with $flowrun, the program, in the package's folder.

# Whatever a shell starts in the background has SIGINT and SIGQUIT ignored, and so does all that it starts in turn.
if [ -z "${signals_are_reset:-}" ]; then
    exec env --default-signal=HUP,INT,QUIT,TERM signals_are_reset=1 "Tests/EndToEnd/$(basename "$0")" "$flowrun"
fi
unset signals_are_reset

work=$(mktemp -d)
sandbox=""
published=""
trap 'stop_sandbox; [ -z "$published" ] || kill "$published"; rm -rf "$work"' EXIT
export XDG_DATA_HOME=$work/data XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config XDG_CACHE_HOME=$work/cache
unset BROWSER DISPLAY WAYLAND_DISPLAY "${!FLOWRUN_@}"
passed=0
pids=()
curl="curl --silent --location --output /dev/null"
# Before a command that must need no network. Root needs no users of its own for it, which a chroot would not let it have.
offline=(unshare --net)
[ "$(id -u)" = 0 ] || offline+=(--map-root-user)

# ok NAME COMMAND...: the command must succeed; its words are shown when it does not.
ok() {
    printf '%s ... ' "$1"
    if "${@:2}" >"$work/out" 2>&1; then
        passed=$((passed + 1))
        echo ok
    else
        echo "FAILED"
        cat "$work/out"
        echo "$passed passed, 1 failed"
        exit 1
    fi
}

# ends STATUS COMMAND...: the command must end with this status.
ends() {
    local status=0
    "${@:2}" || status=$?
    [ "$status" = "$1" ] || { echo "status $status instead of $1: ${*:2}"; return 1; }
}

# says TEXT COMMAND...: the command must succeed and its output hold the text.
says() {
    local output
    output=$("${@:2}" 2>&1) || { echo "$output"; return 1; }
    case $output in *"$1"*) ;; *) echo "no '$1' in:"; echo "$output"; return 1 ;; esac
}

# tells TEXT COMMAND...: the command must fail and say the text.
tells() {
    local output
    ! output=$("${@:2}" 2>&1) || { echo "it succeeds:"; echo "$output"; return 1; }
    case $output in *"$1"*) ;; *) echo "no '$1' in:"; echo "$output"; return 1 ;; esac
}

# waits_for PATTERN FOLDER: a line of a file there must match within ten seconds.
waits_for() {
    for _ in $(seq 100); do
        ! grep -rqs -- "$@" || return 0
        sleep 0.1
    done
    return 1
}

stop_sandbox() {
    [ -n "$sandbox" ] || return 0
    kill -TERM "$sandbox" 2>/dev/null || true
    wait "$sandbox" 2>/dev/null || true
    sandbox=""
}

# Starts the sandbox anew with the given options; $issuer is where it answers. Sessions go with the old one.
start_sandbox() {
    stop_sandbox
    rm -rf "$XDG_DATA_HOME" "$XDG_STATE_HOME"
    : >"$work/issuer"
    "$flowrun" sandbox --port 0 --output json --automatic "$@" >"$work/issuer" 2>"$work/sandbox.log" &
    sandbox=$!
    for _ in $(seq 200); do
        issuer=$(sed -n 's/.*"issuer": *"\([^"]*\)".*/\1/p' "$work/issuer")
        [ -z "$issuer" ] || return 0
        sleep 0.05
    done
    cat "$work/sandbox.log"
    return 1
}

login() { "$flowrun" run flows/login.flow.yaml --provider sandbox --set issuer="$issuer" --browser "$curl" "$@"; }

# fault STATUS WORDS FAULT...: a sign-in under these faults ends with the status, says the words and stores nothing.
fault() {
    local status=$1 words=$2
    start_sandbox "${@:3}" || return 1
    ends "$status" login --wait 1s --http-timeout 2s >"$work/login" 2>&1 || { cat "$work/login"; return 1; }
    grep -qF -- "$words" "$work/login" || { echo "no '$words' in:"; cat "$work/login"; return 1; }
    ends 4 login --no-input >"$work/login" 2>&1 || { echo "something was stored"; cat "$work/login"; return 1; }
}

