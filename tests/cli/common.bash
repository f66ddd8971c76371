# What the tests of the command line share: they look at it from outside, at answers, messages, exit codes and streams. A test reads this
# first, with the path to temper as its $1, then is in an empty folder, and ends with `finish`.
set -u
export TEMPER_PROGRESS=0 # nothing is said on slow machines but where a test asks for it
export LC_ALL=C NO_COLOR=1
unset COLUMNS
temper=$(realpath "${1:?usage: $0 path/to/temper}")
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0
tab=$'\t'
# Under sanitizers some commands take a minute; others do the same there.
case ${TEMPER_TEST_EFFORT:-1} in 0.*) brief=yes ;; *) brief= ;; esac
. "$root/tests/bare/oracle.sh"

pass() { passed=$((passed + 1)); }
fail() {
    failed=$((failed + 1))
    printf 'FAILED: %s\n' "$1"
    shift
    [ $# -gt 0 ] && printf '    %s\n' "$@"
}

# same NAME EXPECTED ACTUAL
same() { if [ "$2" == "$3" ]; then pass; else fail "$1" "expected: $2" "got:      $3"; fi; }
# has NAME TEXT PART
has() { case $2 in *"$3"*) pass ;; *) fail "$1" "no '$3' in: $2" ;; esac; }
lacks() { case $2 in *"$3"*) fail "$1" "'$3' in: $2" ;; *) pass ;; esac; }

# run CODE ARGS...: runs temper, checks the exit code, leaves $out and $err. Standard input is passed on.
run() {
    local want=$1 code
    shift
    "$temper" "$@" >out 2>err
    code=$?
    { out=$(<out) err=$(<err); } 2>/dev/null # it warns of bytes 0, which are left out
    if [ $code == "$want" ]; then pass; else fail "exit code of: temper $*" "expected $want, got $code" "stderr: $err"; fi
    # A crash of the sanitizer kind is never expected.
    case $err in *Sanitizer* | *"runtime error"*) fail "sanitizer: temper $*" "$err" ;; esac
}

# The model m.temper of a formula that several tests look at.
usual_model() {
    formula='(a S b) & #[a] >= 1'
    "$temper" compile -q -f "$formula" -o m.temper
}

finish() {
    echo "$(basename "$0"): $passed passed, $failed failed"
    [ $failed == 0 ]
}
