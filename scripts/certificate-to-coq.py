#!/usr/bin/env python3
"""Writes a certificate as a Coq file that proves its claim from proofs/Replay.v: usage certificate-to-coq.py CERTIFICATE.json FILE.v

The file has the numbers of the certificate, and interval checks them; nothing of the prover or the auditor is used. It can be done of the
claim "formula" about formulas of letters, negation, conjunction, disjunction, S, U, Y, X, O and comparisons of counts, in the types of
FORMATS, if all heads are bounded. Every binary operation needs parentheses, except the outermost.
The errors that are checked are the certificate's own, and so is the rounding of nearest heads, except in f64: float_run allows four roundings of a feature in f64, the page counts one. The model file is not looked at: the theorem is about the transformer that proofs/Compile.v makes of the formula."""
import json
import re
import sys
from fractions import Fraction

# name in proofs/Instances.v, bits, least exponent, a number that is not above the largest one (large_NAME)
F64, F32, BF16, F16, E4M3 = ("f64", 53, 1074, 10**38), ("f32", 24, 149, 10**38), ("bf16", 8, 133, 10**38), ("f16", 11, 24, 65504), ("e4m3", 4, 9, 448)
# stored, summed
FORMATS = {
    "f64": (F64, F64), "f32": (F32, F32), "bf16": (BF16, BF16), "f16": (F16, F16),
    "f32/f64": (F32, F64), "bf16/f64": (BF16, F64), "bf16/f32": (BF16, F32), "f16/f32": (F16, F32), "e4m3/f32": (E4M3, F32),
}


def refuse(why):
    sys.exit("certificate-to-coq: " + why)


def tokens(text):
    found = re.findall(r"\[[^\]]*\]|->|<=|>=|[0-9]+|[A-Za-z]+|[!&|()#+*<>-]", text)
    if "".join(found) != re.sub(r"\s", "", text):
        refuse("the source is not understood: " + text)
    return found


class Reader:
    """A formula with parentheses around every binary operation but the outermost, or one comparison."""

    binary = {"S": "Since Past", "U": "Since Future", "&": "Conj", "and": "Conj", "|": "Disj", "or": "Disj"}
    unary = {"!": "Neg", "not": "Neg", "Y": "Step Past", "X": "Step Future", "O": "Once Past"}

    def __init__(self, text, sums):
        self.left = tokens(text)
        self.sums = sums  # of all comparisons, as whole sums of Coq

    def take(self):
        if not self.left:
            refuse("the source ends too early")
        return self.left.pop(0)

    def whole(self):
        if self.left and (self.left[0] == "#" or self.left[0].isdigit()):
            return self.comparison()
        first = self.operand()
        if self.left and self.left[0] in self.binary:
            word = self.take()
            first = f"({self.binary[word]} {first} {self.operand()})"
        return first

    def side(self):
        """A sum: its terms (factor, counted formula) and its constant."""
        terms, constant, sign = [], 0, 1
        while True:
            word = self.take()
            factor = sign
            if word.isdigit():
                factor = sign * int(word)
                if self.left and self.left[0] == "*":
                    self.take()
                    word = self.take()
                else:
                    constant += factor
                    word = None
            if word is not None:
                if word != "#" or not self.left or not self.left[0].startswith("["):
                    refuse("this is not a count: " + word)
                inner = self.take()[1:-1]
                reader = Reader(f"[{inner}]" if inner.isalpha() and inner.islower() else inner, self.sums)
                terms.append((factor, reader.whole()))
                if reader.left:
                    refuse("more parentheses are needed in: " + inner)
            if not self.left or self.left[0] not in ("+", "-"):
                return terms, constant
            sign = 1 if self.take() == "+" else -1

    def comparison(self):
        """Left minus right, or right minus left, is at least 0. The compiler's sum is that one, or minus one minus it: the same weights."""
        low, low_constant = self.side()
        word = self.take()
        high, high_constant = self.side()
        if word in (">=", ">"):
            (low, low_constant), (high, high_constant) = (high, high_constant), (low, low_constant)
        elif word not in ("<=", "<"):
            refuse("this is no comparison: " + word)
        constant = high_constant - low_constant - (1 if word in ("<", ">") else 0)
        terms = high + [(-factor, formula) for factor, formula in low]
        text = f"(Const ({constant}))"
        for factor, formula in reversed(terms):
            text = f"(Plus ({factor}) Past {formula} {text})"
        self.sums.append((text, sum(abs(factor) for factor, _ in terms), abs(Fraction(2 * constant + 1, 2))))
        return f"(AtLeast sum_{len(self.sums)})"

    def operand(self):
        word = self.take()
        if word in self.unary:
            return f"({self.unary[word]} {self.operand()})"
        if word == "(":
            inside = self.whole()
            if self.take() != ")":
                refuse("a parenthesis is missing")
            return inside
        if word.startswith("["):
            letters = word[1:-1]
        elif len(word) == 1 and word.islower():
            letters = word
        else:
            refuse("this is not known: " + word)
        if not letters.isalpha():
            refuse("letters only: " + word)
        tests = " || ".join(f"Z.eqb x {ord(letter)}" for letter in letters)
        return f"(Sym (fun x => {tests}))"


def decimal(text):
    number = Fraction(text)
    return f"({number.numerator} / {number.denominator})"


def room(theorem, positions, fa, what):
    """That numbers stay below the largest one of the format of sums: theorem is about INR of the positions."""
    return f"""  {{ apply ({theorem}); {what}; first [cbn; lia | lia | rewrite ?Z2Nat.id by lia; cbn; lia | rewrite INR_Z by lia;
      apply Rle_trans with (IZR {fa[3]}); [interval|exact large_{fa[0]}]]. }}
"""


def near_lemma(positions, fs, fa, ascending, error, rounding):
    """The inequalities of nearest heads."""
    exponent = (16 * positions).bit_length()
    # What proofs/Replay.v makes of the same roundings, in eleven digits: the certificate's own number is rounded up to four.
    (unit_s, tiny_s), (unit, tiny) = ((Fraction(1, 2**bits), Fraction(1, 2**least)) for _, bits, least, _ in (fs, fa))
    lost = 0 if fs == fa else unit_s + tiny_s / 2
    eta = 8 * positions * (Fraction(5, 10**16) + unit_s / 2 + tiny_s / 2 + unit + tiny / 2 + lost) + 3 * unit * 2 ** (exponent - 1) + tiny * 3 / 2
    eta = Fraction(-(-eta * 10**11 // 1), 10**11)
    numbers = " ".join(f"(/ IZR (2 ^ {bits})) (/ IZR (2 ^ {least}))" for _, bits, least, _ in ((fs, fa) if ascending else (fa,)))
    same = str(fs == fa).lower()
    text = "" if fs == F64 else f"""Lemma rounding_holds : {decimal(eta)} <= {decimal(rounding)}.
Proof. lra. Qed.
"""
    head = f"replay_near_asc stored summed {same}" if ascending else "replay_near summed"
    units = ("  - reflexivity.\n" if ascending else "") + "  - unfold u. cbn. lra.\n  - reflexivity.\n" * (2 if ascending else 1)
    return text + f"""Lemma near_holds : near_good stored summed ord (Z.to_nat {positions}).
Proof.
  split.
  {{ apply ({head} {positions} {exponent} {decimal(eta)} {decimal(error)} {numbers} (IZR (2 ^ {exponent - 1}))).
  - lia.
  - cbn; lia.
{units}  - reflexivity.
  - change (bpow radix2 {exponent}) with (IZR (2 ^ {exponent})). cbn; lra.
  - cbn. interval with (i_prec 150).
  - lra.
  - cbn -[exp pow]. repeat split; interval with (i_prec 150).
  - lra. }}
{room("near_room summed", positions, fa, "try exact I")}Qed.
"""


def once_lemma(positions, fs, fa, ascending, error):
    _, bits, least, _ = fa
    if ascending:
        inner = f"""change (once_ok stored summed (Z.to_nat {positions})). assert (F := f64_error_range). unfold once_ok, once_error, loser_max, sigma, eps.
  replace (u summed) with (/ IZR (2 ^ {bits})) by (unfold u; cbn; lra).
  replace (u_stored stored summed) with ({"0" if fs == fa else f"/ IZR (2 ^ {fs[1]})"}) by (unfold u_stored, u; cbn; lra).
  replace (tiny summed) with (/ IZR (2 ^ {least})) by reflexivity. rewrite INR_Z by lia. set (z := f64_error) in *. clearbody z.
  change (Z.to_nat (prec summed)) with {bits}%nat.
  split. interval with (i_prec 150). apply Rle_trans with {decimal(error)}; [interval with (i_prec 150)|lra]."""
    else:
        inner = f"""split. reflexivity. apply (replay_once summed {positions} (/ IZR (2 ^ {bits})) (/ IZR (2 ^ {least})) {decimal(error)}).
  - lia.
  - cbn; lia.
  - unfold u. cbn. lra.
  - reflexivity.
  - interval.
  - lra.
  - cbv zeta. interval with (i_prec 150)."""
    return f"""Lemma once_holds : once_good stored summed ord (Z.to_nat {positions}).
Proof.
  split.
  {{ {inner} }}
{room("once_room summed", positions, fa, "try exact I")}Qed.
"""


def compare_lemma(index, positions, fs, fa, ascending, weight, constant, error):
    def numbers(format):
        _, bits, least, _ = format
        return f"(/ IZR (2 ^ {bits})) (/ IZR (2 ^ {least})) (/ IZR (2 ^ {least - bits + 1}))"

    bits_s, bits_a = fs[1], fa[1]
    eps = f"((1 + / IZR (2 ^ {bits_a})) ^ 8 * (1 + / IZR (2 ^ {bits_s})) ^ 3 * (1 + / IZR (2 ^ 53)) ^ 6 - 1)"
    stored = "0" if fs == fa else f"(/ IZR (2 ^ {bits_s}))"
    return f"""Lemma compare_holds_{index} : compare_good stored summed ord (Z.to_nat {positions}) sum_{index}.
Proof.
  unfold compare_good, compare_fine. replace (lin_weight sum_{index}) with {weight} by (unfold sum_{index}; cbn [lin_weight]; unfold Rabs; repeat destruct Rcase_abs; lra).
  replace (Rabs (IZR (const sum_{index}) + / 2)) with {decimal(constant)} by (unfold sum_{index}; cbn [const]; unfold Rabs; destruct Rcase_abs; lra).
  split.
  {{ apply ({"replay_compare_asc" if ascending else "replay_compare"} stored summed {positions} {numbers(fs)} {numbers(fa)} {weight} {decimal(constant)} {decimal(error)}
           {eps}{" " if ascending else ""}) {"with (us1 := " + stored + ")" if ascending else ""}.
  - lia.
  - unfold u. cbn. lra.
  - reflexivity.
  - reflexivity.
  - unfold u. cbn. lra.
  - reflexivity.
  - reflexivity.
  - reflexivity.
  - {"apply Rle_refl" if fs[2] - bits_s == fa[2] - bits_a else "interval"}.
  - cbn. lia.
  - interval.
  - interval with (i_prec 100).
  - interval with (i_prec 150).
  - change (bpow radix2 (prec stored - 1)) with (IZR (2 ^ {bits_s - 1})). interval.
  - change (bpow radix2 (prec summed - 1)) with (IZR (2 ^ {bits_a - 1})). interval.
  - lra.
{"  - unfold u_stored, u; cbn; lra." if ascending else "  - reflexivity." + chr(10) + "  - interval."}
  - cbv zeta. repeat split; interval with (i_prec 150). }}
{room("compare_room stored summed", positions, fa, "try lra; try (unfold u; cbn; lra)")}Qed.
"""


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        certificate = json.load(file)
    if certificate.get("claim") != "formula" or certificate.get("syntax") != "spec":
        refuse("only the claim \"formula\" of a formula")
    if certificate["type"] not in FORMATS:
        refuse("only " + ", ".join(FORMATS))
    fs, fa = FORMATS[certificate["type"]]
    ascending = certificate["order"] == "ascending"
    if certificate["order"] not in ("ascending", "any") or (not ascending and fs != fa):
        refuse("this order is not known of the type")
    heads = certificate["heads"]
    kinds = {head["kind"] for head in heads}
    if not heads or kinds - {"nearest", "once", "count", "compare"} or any(head["by"] != "bound" for head in heads):
        refuse("only heads for once, nearest, count and compare that are bounded")
    sums = []
    reader = Reader(certificate["source"], sums)
    formula = reader.whole()
    if reader.left:
        refuse("more parentheses are needed after: " + certificate["source"])
    needed = {"nearest": "Since" in formula or "Step" in formula, "once": "Once" in formula, "compare": bool(sums)}
    # A formula may become another kind of head than proofs/Compile.v makes; then there is nothing to compare with.
    if any(needed[kind] != (kind in kinds) for kind in needed):
        refuse("the heads are not those that the formula has in proofs/Compile.v")
    future = "Future" in formula
    length = int(certificate["length"])
    positions = length + (2 if future else 1)
    if Fraction(certificate["allowed"]) != Fraction(1, 4) or any(Fraction(certificate["error"]) < Fraction(head["error"]) for head in heads):
        refuse("\"error\" is less than that of a head, or \"allowed\" is not a quarter")

    def largest(kind, what):
        return max((head[what] for head in heads if head["kind"] == kind), key=Fraction)

    lemmas = ""
    if needed["nearest"]:
        lemmas += near_lemma(positions, fs, fa, ascending, largest("nearest", "error"), largest("nearest", "rounding"))
    if needed["once"]:
        lemmas += once_lemma(positions, fs, fa, ascending, largest("once", "error"))
    for index, (_, weight, constant) in enumerate(sums, 1):
        lemmas += compare_lemma(index, positions, fs, fa, ascending, weight, constant, largest("compare", "error"))
    known = [name + "_holds" for name in ("near", "once") if needed[{"near": "nearest"}.get(name, name)]]
    known += [f"compare_holds_{index}" for index in range(1, len(sums) + 1)]
    listed = "; ".join(f"{kind}: \"error\" {largest(kind, 'error')}" for kind in ("nearest", "once", "compare") if kind in kinds)
    definitions = "".join(f"Definition sum_{index} : lin Z := {text}.\n" for index, (text, _, _) in enumerate(sums, 1))
    # A comment must not end inside the source.
    shown = certificate["source"].replace("*)", "* )").replace("(*", "( *")
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(f"""(* Generated from a certificate: {shown}, up to {length} letters, in {certificate["type"]}; {listed}. *)
From Coq Require Import ZArith Reals Lia Lra Bool List.
From Flocq Require Import Core.
From Interval Require Import Tactic.
From Temper Require Import Rows Format Sums Strings Programs Compile Rounding FloatRun NearestHead OnceHead OnceTree OnceAny Nearest Results SoundFormulas
  SoundCompare SafeBlocks NoOverflow Sound Instances OnceInstances Replay.
Local Open Scope R_scope.

{definitions}Definition source : form Z := {formula}.
Definition stored : format := {fs[0]}.
Definition summed : format := {fa[0]}.
Definition ord : order := {"Ascending" if ascending else "AnyOrder"}.
{lemmas}Theorem certified : forall E, exp_model summed E -> forall w e, (Z.of_nat (length w) <= {length})%Z ->
  float_run {str(future).lower()} stored summed E ord w (fst (transformer Temperature source)) e ->
  within_range {str(future).lower()} stored summed E ord w e (fst (transformer Temperature source)) /\\ forall i, (1 <= i <= length w)%nat ->
  chan e (snd (transformer Temperature source)) i = if sat w source i then 1 else 0.
Proof.
  apply (claim stored summed ord {str(future).lower()} source {length}).
  - {"intros x; apply narrower; cbn; lia" if fs != fa else "auto"}.
  - {"right; apply finer; cbn; lia" if fs != fa else "left; reflexivity"}.
  - cbn; lia.
  - cbn; lia.
  - lia.
  - {"left; reflexivity" if future else "right; repeat split"}.
  - cbn -[near_good once_good compare_good]. repeat match goal with |- _ /\\ _ => split end; try exact I;
    try first [{" | ".join("exact " + name for name in known)} | left; repeat split; reflexivity].
Qed.
(* The theorem is about something: there is such an exp, and a run on every string. *)
Example not_empty w : exists E e, exp_model summed E /\\ float_run {str(future).lower()} stored summed E ord w (fst (transformer Temperature source)) e.
Proof. exists (fun x => rnd summed (exp x)). eexists. split. apply rounded_exp_model. apply float_run_exists. Qed.
""")


main()
