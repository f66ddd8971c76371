# Read by tests that compare with a program which may be missing. It counts in `failed`, which they have.
#
# oracle PROGRAM "what is not compared without it": whether the program is here. Where it is not, the test says so, and fails
# if TEMPER_NO_SKIP is set, as in .ci/run; scripts/run-tests.sh shows at its end what was left out.
oracle() {
    if command -v "$1" >/dev/null; then return 0; fi
    echo "SKIPPED: no $1: $2"
    [ -z "${TEMPER_NO_SKIP-}" ] || failed=$((failed + 1))
    return 1
}
