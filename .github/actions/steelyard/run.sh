#!/usr/bin/env bash
# The steps of the action: `run.sh install` and `run.sh run`. All inputs come as INPUT_* variables.
# Written for bash 3.2, which macOS still has: no mapfile, and no empty arrays under `set -u`.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
venv="${RUNNER_TEMP:-${TMPDIR:-/tmp}}/steelyard-action"

fail() {
    echo "::error::$1"
    exit 2
}

# A Python of one's own lets pip install where the system's Python refuses. It sees the packages that the job has
# installed, so that the suite's own checks can import them.
install() {
    local python bin
    python=$(command -v python3 || command -v python) || fail "no python3 on the PATH; set the input python-version"
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        fail "steelyard needs Python 3.11 or newer, found $("$python" --version 2>&1); set the input python-version"
    "$python" -m venv --system-site-packages "$venv"
    bin="$venv/bin"
    [ -d "$bin" ] || bin="$venv/Scripts"
    "$bin/python" -m pip install --disable-pip-version-check --quiet "${INPUT_INSTALL:-$here/../../..}"
    "$bin/steelyard" --version
    echo "$bin" >>"$GITHUB_PATH"
}

# true or false, however it is written; anything else is a mistake and not a no.
is_true() {
    case $(printf %s "$2" | tr '[:upper:]' '[:lower:]') in
    true | yes | 1 | on) return 0 ;;
    false | no | 0 | off | "") return 1 ;;
    *) fail "input $1 must be true or false, got '$2'" ;;
    esac
}

baseline="${INPUT_BASELINE:-}"
kept=""

put_back() {
    [ -e "$baseline" ] || cp "$kept" "$baseline"
    rm -r "$(dirname "$kept")"
}

run() {
    [ -n "${INPUT_SUITE:-}" ] || fail "input suite is required"
    local folder="${INPUT_OUTPUT_DIR:-steelyard-results}" status=0 summary="" strict="" words="" word
    if is_true job-summary "${INPUT_JOB_SUMMARY:-true}"; then summary=1; fi
    if is_true strict "${INPUT_STRICT:-false}"; then strict=1; fi
    mkdir -p "$folder"
    # A baseline may lie where this run's results go. It is compared with, and is back if the run leaves none.
    for word in results.json junit.xml summary.md badge.json; do
        if [ -n "$baseline" ] && [ "$baseline" -ef "$folder/$word" ]; then
            kept=$(mktemp -d)/$word
            trap put_back EXIT
            cp "$baseline" "$kept"
        fi
    done
    # What an earlier step has left must not be taken for this run's.
    rm -f "$folder/results.json" "$folder/junit.xml" "$folder/summary.md" "$folder/badge.json"
    local arguments=(run "$INPUT_SUITE" -o "json:$folder/results.json" -o "junit:$folder/junit.xml"
        -o "markdown:$folder/summary.md" -o "badge:$folder/badge.json")
    if [ -n "${INPUT_FAIL_UNDER:-}" ]; then
        arguments+=(--fail-under "$(python "$here/values.py" percent fail-under "$INPUT_FAIL_UNDER")")
    fi
    if [ -n "$baseline" ]; then
        arguments+=(--baseline "${kept:-$baseline}")
        arguments+=(--threshold "$(python "$here/values.py" points threshold "${INPUT_THRESHOLD:-0}")")
        if [ -n "$strict" ]; then
            arguments+=(--strict)
        fi
    fi
    # Split before they are used: a substitution that fails in the loop's own redirection would go unnoticed.
    words=$(python "$here/values.py" words args "${INPUT_ARGS:-}")
    if [ -n "$words" ]; then
        while IFS= read -r word; do
            arguments+=("$word")
        done <<<"$words"
    fi

    steelyard "${arguments[@]}" || status=$?

    python "$here/values.py" outputs "$folder/results.json" "$status" >>"$GITHUB_OUTPUT"
    if [ -n "$summary" ] && [ -f "$folder/summary.md" ]; then
        cat "$folder/summary.md" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
    fi
    exit "$status"
}

case "${1:-}" in
install | run) "$1" ;;
*) fail "run.sh install, or run.sh run" ;;
esac
