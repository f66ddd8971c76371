#!/bin/sh
# Compiles proofs/ with Coq and looks at what its theorems rest on, then has Coq check some certificates. usage: scripts/check-proofs.sh BUILD JOBS
# It fails on a proof that is left open, on a statement that is assumed, and on an axiom beyond those of Coq's real numbers.
set -eu
build=$1/proofs
temper=$1/temper
here=$(pwd)
jobs=${2:-1}

if grep -nwE 'Admitted|admit|give_up|Axioms?|Parameters?|Conjectures?|Abort|Declare Module|bypass_check|Unset Guard Checking|Unset Universe Checking' proofs/*.v proofs/checker/*.v; then
    echo "proofs: something is assumed, or left open" >&2
    exit 1
fi
# Outside sections these words assume something for good.
awk 'FNR == 1 { depth = 0 }
     /^ *Section / { depth++ }
     /^ *End / { depth-- }
     depth <= 0 && /^ *(Variables?|Hypothes[ie]s|Context)[ (]/ { print FILENAME ":" FNR ": " $0; bad = 1 }
     END { exit bad }' proofs/*.v proofs/checker/*.v || { echo "proofs: something is assumed outside a section" >&2; exit 1; }

sh scripts/proofs-compile.sh "$1" "$jobs"
# A sheet whose lines are others than those of the theorems must not pass.
python3 scripts/sheet-proofs.py "$1" "$jobs"
cd "$build"
# These are compiled last, and always.
rm -f Theorems.vo TheoremsByInterval.vo Certificate* certificate*
coqc -Q . Temper Theorems.v >Theorems.txt
coqc -Q . Temper TheoremsByInterval.v >TheoremsByInterval.txt

# Certificates, from their JSON and the model files that they are of: NAME TYPE LENGTH ALPHABET FORMULA.
replayed=
certificate() {
    "$here/$temper" compile -q --alphabet "$4" -f "$5" -o "model-$1.temper"
    "$here/$temper" certify --type "$2" --length "$3" "model-$1.temper" -o "certificate-$1.json" >/dev/null
}
replay() {
    certificate "$@"
    python3 "$here/scripts/certificate-to-coq.py" "certificate-$1.json" "model-$1.temper" "Certificate_$1.v"
    coqc -Q . Temper "Certificate_$1.v"
    replayed="$replayed $1"
}
replay since f32 100000 abc 'a S b'
replay since64 f64 1000 abc 'a S b'
replay since16 f16 100 abc 'a S b'
replay since16_32 f16/f32 300 abc 'a S b'
replay yesterday f32 10000 ab 'Y a'
replay next16_32 bf16/f32 60 ab 'X a'
replay count f32 1000 ab '#[a] <= 2*#[b]'
replay count64 f64 1000 ab '#[a] <= 2*#[b]'
replay count16 bf16/f32 1000 ab '#[a] >= 3'
replay count_f16 f16 60 ab '#[a] <= 2*#[b]'
replay once f32 100000 ab 'O a'
replay once64 f64 1000000000000 ab 'O a'
replay once16 bf16/f32 1000000 ab 'O a'
replay words f32 1000 abc 'G (a -> !b U c)'
replay blanks f32 500 abc '#[ a & !O b ] >= 2 & true'
# What they rest on, all at once: each walk through all proofs takes a quarter of a minute.
{
    for name in $replayed; do echo "From Temper Require Certificate_$name."; done
    echo "Definition certified := (tt"
    for name in $replayed; do echo "  , Certificate_$name.certified"; done
    printf ').\nPrint Assumptions certified.\n'
} >CertificateTheorems.v
coqc -Q . Temper CertificateTheorems.v >>TheoremsByInterval.txt
# What must not pass: bounds that are too small, a length beyond what is proved, another model, source or digest.
refused() { # WHAT MODEL: of certificate-wrong.json
    cmp -s certificate-since.json certificate-wrong.json && { echo "proofs: the certificate has other numbers than this script expects" >&2; exit 1; }
    if ! python3 "$here/scripts/certificate-to-coq.py" certificate-wrong.json "$2" CertificateWrong.v 2>certificate-wrong.log; then
        grep -q '^certificate-to-coq: ' certificate-wrong.log || { cat certificate-wrong.log >&2; exit 1; }
    elif coqc -Q . Temper CertificateWrong.v >certificate-wrong.log 2>&1; then
        echo "proofs: a certificate with $1 was accepted" >&2
        exit 1
    fi
}
wrong() { # WHAT SED
    sed "$2" certificate-since.json >certificate-wrong.json
    refused "$1" model-since.temper
}
wrong "a bound that is too small" 's/"error": "1\.[0-9]*e-03"/"error": "1.000e-03"/g'
wrong "rounding that is too small" 's/"rounding": "[1-9][^"]*"/"rounding": "1.000e-02"/g'
wrong "a length that its bounds do not cover" 's/"length": 100000,/"length": 110000,/'
wrong "another source" 's/"source": "a S b"/"source": "b S a"/'
wrong "another answer for the empty string" 's/"empty": "reject"/"empty": "accept"/'
wrong "a digest of zeros" 's/"sha256": "[0-9a-f]*"/"sha256": "0000000000000000000000000000000000000000000000000000000000000000"/'
wrong "another size" 's/"bytes": [0-9]*/"bytes": 1/'
cp certificate-once.json certificate-wrong.json
refused "another model file" model-since.temper

# The theorem about the bytes of a model file, by Coq alone; and files and lengths of which it is not true.
"$here/$temper" compile -q -f 'a S b' --alphabet abc -o since.temper
theorem() { # MODEL LENGTH
    python3 "$here/scripts/theorem.py" "$1" "$2" f32 >Theorem_file.v
    coqc -Q . Temper Theorem_file.v >Theorem_file.txt 2>&1
}
theorem since.temper 100000 || { echo "proofs: the theorem about a model file fails" >&2; cat Theorem_file.txt; exit 1; }
sed -n '/^Axioms:/,$p' Theorem_file.txt >>Theorems.txt
sed 's/^source "a S b"/source "b S a"/' since.temper >source.temper
sed 's/^empty reject/empty accept/' since.temper >empty.temper
sed 's/^unit -0x1.4p+1/unit -0x1.8p+1/' since.temper >weight.temper
for wrong in "since.temper 2000000" "source.temper 10" "empty.temper 10" "weight.temper 10"; do
    # shellcheck disable=SC2086
    cmp -s since.temper ${wrong% *} && test "${wrong#* }" = 10 && { echo "proofs: the model has other lines" >&2; exit 1; }
    # shellcheck disable=SC2086
    if theorem $wrong; then
        echo "proofs: Coq proves what is not true: $wrong" >&2
        exit 1
    fi
done

# An axiom stands at the beginning of a line of what Print Assumptions says.
axioms() { grep -vE '^( |Axioms:|Closed under|Fetching|Section Variables:|$)' "$1" | sed 's/[ :].*//' | sort -u; }
reals='ClassicalDedekindReals\.sig_forall_dec|ClassicalDedekindReals\.sig_not_dec|FunctionalExtensionality\.functional_extensionality_dep|Classical_Prop\.classic'
primitive='PrimInt63\..*|Uint63\..*|Int63\..*|Sint63\..*|PrimFloat\..*|FloatAxioms\..*|FloatOps\..*'
if axioms Theorems.txt | grep -vxE "$reals"; then
    echo "proofs: these assumptions are not among those of Coq's real numbers" >&2
    exit 1
fi
if axioms TheoremsByInterval.txt | grep -vxE "$reals|$primitive"; then
    echo "proofs: these assumptions are neither those of real numbers nor those of primitive numbers" >&2
    exit 1
fi
cd - >/dev/null
echo "theorems:"
sed -n 's/^Print Assumptions \(.*\)\.$/  \1/p' proofs/Theorems.v
echo "they assume no more than:"
axioms "$build/Theorems.txt" | sed 's/^/  /'
echo "numbers by interval, which also assumes Coq's primitive integers and floats:"
sed -n 's/^Print Assumptions \(.*\)\.$/  \1/p' proofs/TheoremsByInterval.v
for file in "$build"/Certificate_*.v; do
    echo "  certified: $(sed -n '1s/^(\* Generated from a certificate: \(.*\); of the model file$/\1/p' "$file")"
done
echo "proofs: $(cat proofs/*.v proofs/checker/*.v | wc -l) lines checked"
