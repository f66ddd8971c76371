#!/usr/bin/env python3
"""Writes a certificate as a Coq file that proves its claim from proofs/Replay.v: usage certificate-to-coq.py CERTIFICATE.json MODEL FILE.v

The file has the numbers of the certificate, and interval checks them; nothing of the prover or the auditor is used. It can be done of the
claim "formula" about formulas of letters, Boolean and temporal operators and comparisons of counts, in the types of FORMATS, if all heads are
bounded. MODEL is the certificate's file: digest, size, source, and how it is read are compared here, in Python.
The errors that are checked are the certificate's own, and so is the rounding of nearest heads, except in f64: float_run allows four roundings of a feature in f64, the page counts one. The weights are not
looked at: the theorem is about the transformer that proofs/Compile.v makes of the formula, and check_sound (scripts/theorem.py) about those of a file."""
import hashlib
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
    """Signs, words, letters in quotes ('x), classes ([ab]); a bracket behind # opens what is counted, up to its ]."""
    found, at, counted = [], 0, []
    while at < len(text):
        if text[at].isspace():
            at += 1
        elif text[at] == "[" and found and found[-1] in ("#", "#>"):
            counted.append(True)
            found.append("#[")
            at += 1
        elif text[at] == "]" and counted:
            counted.pop()
            found.append("]")
            at += 1
        else:
            match = re.compile(r"'[^'\\]'|\"[^\"\\]\"|\[[A-Za-z]+\]|<->|->|<=|>=|&&|\|\||#>|wX|[0-9]+|[a-z_][a-z0-9_]*|[A-Z]|[!&|^()#+*<>-]").match(text, at)
            if not match:
                refuse("the source is not understood: " + text[at:])
            found.append("'" + match[0][1] if match[0][0] in "\"'" else match[0])
            at = match.end()
    return found


TRUE = "(Sym (fun _ => true))"


class Reader:
    """A formula, with the precedence of doc/language.md."""

    unary = {"!": "(Neg {})", "Y": "(Step Past {})", "X": "(Step Future {})", "Z": "(Weak_step Past {})", "wX": "(Weak_step Future {})",
             "O": "(Once Past {})", "F": "(Once Future {})", "H": "(Always Past {})", "G": "(Always Future {})"}
    future = {"U": "(Since Future {} {})", "R": "(Release Future {} {})", "W": "(Weak_until Future {} {})", "M": "(Strong_release Future {} {})"}
    past = {"S": "(Since Past {} {})", "T": "(Release Past {} {})"}
    words = {"true": TRUE, "false": f"(Neg {TRUE})", "first": f"(Neg (Step Past {TRUE}))", "last": f"(Neg (Step Future {TRUE}))"}

    def __init__(self, text, sums):
        self.left = tokens(text)
        self.sums = sums  # of all comparisons, as whole sums of Coq

    def next(self):
        return self.left[0] if self.left else ""

    def take(self, *signs):
        if self.next() and (not signs or self.next() in signs):
            return self.left.pop(0)
        if not signs:
            refuse("the source ends too early")
        return None

    def whole(self):
        """<->, which is not chained."""
        first = self.implies()
        if self.take("<->"):
            second = self.implies()
            return f"(Disj (Conj {first} {second}) (Conj (Neg {first}) (Neg {second})))"
        return first

    def implies(self):
        first = self.disjunction()
        return f"(Disj (Neg {first}) {self.implies()})" if self.take("->") else first

    def disjunction(self):
        first = self.exclusive()
        while self.take("|", "||", "or"):
            first = f"(Disj {first} {self.exclusive()})"
        return first

    def exclusive(self):
        first = self.conjunction()
        while self.take("^", "xor"):
            second = self.conjunction()
            first = f"(Disj (Conj {first} (Neg {second})) (Conj (Neg {first}) {second}))"
        return first

    def conjunction(self):
        first = self.temporal(None)
        while self.take("&", "&&", "and"):
            first = f"(Conj {first} {self.temporal(None)})"
        return first

    def temporal(self, group):
        """From the right; the two groups do not mix."""
        first = self.operand()
        for names in (self.future, self.past):
            if self.next() in names:
                if group not in (None, names):
                    refuse("parentheses are needed before " + self.next())
                return names[self.take()].format(first, self.temporal(names))
        return first

    def operand(self):
        word = self.take()
        if word in ("not",):
            word = "!"
        if word in self.unary:
            return self.unary[word].format(self.operand())
        if word == "(":
            inside = self.whole()
            if not self.take(")"):
                refuse("a parenthesis is missing")
            return inside
        if word[0] in "#-" or word.isdigit():
            self.left.insert(0, word)
            return self.comparison()
        if word in self.words:
            return self.words[word]
        letters = word[1:-1] if word[0] == "[" else word.lstrip("'")
        if word[0] not in "['" and not re.fullmatch(r"[a-z]", word):
            refuse("this is not known: " + word)
        tests = " || ".join(f"Z.eqb x {ord(letter)}" for letter in letters)
        return f"(Sym (fun x => {tests}))"

    def side(self):
        """A sum: its terms (factor, direction, counted formula) and its constant."""
        terms, constant, sign = [], 0, 1
        while True:
            if self.take("-"):
                sign = -sign
            factor, word = sign, self.take()
            if word.isdigit():
                factor = sign * int(word)
                word = self.take() if self.take("*") else None
            if word is None:
                constant += factor
            else:
                if word not in ("#", "#>") or not self.take("#["):
                    refuse("this is not a count: " + word)
                terms.append((factor, "Future" if word == "#>" else "Past", self.whole()))
                if not self.take("]"):
                    refuse("a bracket is missing")
            if self.next() not in ("+", "-"):
                return terms, constant
            sign = 1 if self.take("+", "-") == "+" else -1

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
        terms = high + [(-factor, way, formula) for factor, way, formula in low]
        text = f"(Const ({constant}))"
        for factor, way, formula in reversed(terms):
            text = f"(Plus ({factor}) {way} {formula} {text})"
        self.sums.append((text, sum(abs(factor) for factor, _, _ in terms), abs(Fraction(2 * constant + 1, 2))))
        return f"(AtLeast sum_{len(self.sums)})"


def compare_with_model(certificate, path):
    """The certificate is of this file: its digest and size, its source and how it is read are the file's."""
    data = open(path, "rb").read()
    if certificate["model"] != {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}:
        refuse("the certificate is of another model file")
    lines = data.decode("utf-8").split("\n")
    if lines[0] != "temper-model 1":
        refuse("only models in text form")
    for key, wanted in (("syntax", certificate["syntax"]), ("source", json.dumps(certificate["source"], ensure_ascii=False)),
                        ("at", certificate["at"]), ("empty", certificate["empty"])):
        if [line for line in lines if line.startswith(key + " ")] != [f"{key} {wanted}"]:
            refuse(f"the model file has another {key} than the certificate")
    if certificate["empty"] != "reject":
        refuse("the transformer of proofs/Compile.v rejects the empty string")


def decimal(text):
    number = Fraction(text)
    return f"({number.numerator} / {number.denominator})"


def room(lemma, fa, more=""):
    """That numbers stay below the largest one of the format of sums."""
    return f"""  {{ apply {lemma}; {more}first [lia | cbn; lia | apply Rle_trans with (IZR {fa[3]}); [interval|exact large_{fa[0]}]]. }}
"""


def near_lemma(positions, fs, fa, ascending, error, rounding, alone):
    """The inequalities of nearest heads; alone: of steps, whose keys have no Boolean."""
    size = (8 if alone else 16) * positions
    exponent = size.bit_length()
    # What proofs/Replay.v makes of the same roundings, in eleven digits: the certificate's own number is rounded up to four.
    (unit_s, tiny_s), (unit, tiny) = ((Fraction(1, 2**bits), Fraction(1, 2**least)) for _, bits, least, _ in (fs, fa))
    key = Fraction(5, 10**16) + unit_s / 2 + tiny_s / 2
    if not alone:
        key += unit + tiny / 2 + (0 if fs == fa else unit_s + tiny_s / 2)
    eta = 8 * positions * key + 3 * unit * 2 ** (exponent - 1) + tiny * 3 / 2
    eta = Fraction(-(-eta * 10**11 // 1), 10**11)
    numbers = " ".join(f"(/ IZR (2 ^ {bits})) (/ IZR (2 ^ {least}))" for _, bits, least, _ in ((fs, fa) if ascending else (fa,)))
    same = str(fs == fa).lower()
    text = "" if fs == F64 else f"""Lemma rounding_holds : {decimal(eta)} <= {decimal(rounding)}.
Proof. lra. Qed.
"""
    kind = "step" if alone else "near"
    head = f"replay_{kind}_asc stored summed {same}" if ascending else f"replay_{kind} summed"
    units = ("  - reflexivity.\n" if ascending else "") + "  - unfold u. cbn. lra.\n  - reflexivity.\n" * (2 if ascending else 1)
    return text + f"""Lemma {kind}_holds : {kind}_good stored summed ord (Z.to_nat {positions}).
Proof.
  {"right. " if alone else ""}split.
  {{ apply ({head} {positions} {exponent} {decimal(eta)} {decimal(error)} {numbers} (IZR (2 ^ {exponent - 1}))).
  - lia.
  - cbn; lia.
{units}  - reflexivity.
  - change (bpow radix2 {exponent}) with (IZR (2 ^ {exponent})). cbn; lra.
  - cbn. interval with (i_prec 150).
  - lra.
  - cbn -[exp pow]. repeat split; interval with (i_prec 150).
  - lra. }}
{room(f"(near_room_Z summed {positions})", fa)}Qed.
""" + ("" if alone else """Lemma step_holds : step_good stored summed ord (Z.to_nat %d).
Proof. left. exact near_holds. Qed.
""" % positions)


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
{room(f"(once_room_Z summed {positions})", fa)}Qed.
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
{room(f"(compare_room_Z stored summed {positions})", fa, "try lra; try (unfold u; cbn; lra); ")}Qed.
"""


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        certificate = json.load(file)
    if certificate.get("claim") != "formula" or certificate.get("syntax") != "spec":
        refuse("only the claim \"formula\" of a formula")
    compare_with_model(certificate, sys.argv[2])
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
        refuse("the source goes on: " + " ".join(reader.left))
    everything = formula + "".join(text for text, _, _ in sums)
    needed = {"nearest": bool(re.search(r"\((Since|Step|Weak_step|Release|Weak_until|Strong_release) ", everything)),
              "once": bool(re.search(r"\((Once|Always) ", everything)), "compare": bool(sums)}
    # A formula may become another kind of head than proofs/Compile.v makes; then there is nothing to compare with.
    if any(needed[kind] != (kind in kinds) for kind in needed):
        refuse("the heads are not those that the formula has in proofs/Compile.v")
    future = "Future" in everything
    length = int(certificate["length"])
    positions = length + (2 if future else 1)
    if Fraction(certificate["allowed"]) != Fraction(1, 4) or any(Fraction(certificate["error"]) < Fraction(head["error"]) for head in heads):
        refuse("\"error\" is less than that of a head, or \"allowed\" is not a quarter")

    def largest(kind, what):
        return max((head[what] for head in heads if head["kind"] == kind), key=Fraction)

    lemmas = ""
    if needed["nearest"]:
        alone = not re.search(r"\((Since|Release|Weak_until|Strong_release) ", everything)
        lemmas += near_lemma(positions, fs, fa, ascending, largest("nearest", "error"), largest("nearest", "rounding"), alone)
    if needed["once"]:
        lemmas += once_lemma(positions, fs, fa, ascending, largest("once", "error"))
    for index, (_, weight, constant) in enumerate(sums, 1):
        lemmas += compare_lemma(index, positions, fs, fa, ascending, weight, constant, largest("compare", "error"))
    known = (["step_holds"] + ([] if alone else ["near_holds"]) if needed["nearest"] else []) + (["once_holds"] if needed["once"] else [])
    known += [f"compare_holds_{index}" for index in range(1, len(sums) + 1)]
    listed = "; ".join(f"{kind}: \"error\" {largest(kind, 'error')}" for kind in ("nearest", "once", "compare") if kind in kinds)
    definitions = "".join(f"Definition sum_{index} : lin Z := {text}.\n" for index, (text, _, _) in enumerate(sums, 1))
    # A comment must not end inside the source.
    shown = certificate["source"].replace("*)", "* )").replace("(*", "( *")
    with open(sys.argv[3], "w", encoding="utf-8") as file:
        file.write(f"""(* Generated from a certificate: {shown}, up to {length} letters, in {certificate["type"]}; {listed}; of the model file
   {certificate["model"]["sha256"]}.
   Position 0 is the start sentinel: what stands there is the answer for the empty string. *)
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
{lemmas}Theorem certified : forall w e, (Z.of_nat (length w) <= {length})%Z ->
  float_run {str(future).lower()} stored summed (exp_model summed) ord w (fst (transformer Temperature source)) e ->
  within_range {str(future).lower()} stored summed (exp_model summed) ord w e (fst (transformer Temperature source)) /\\ forall i, (i <= length w)%nat ->
  chan e (snd (transformer Temperature source)) i = if sat w source i then 1 else 0.
Proof.
  apply (claim stored summed ord {str(future).lower()} source {length}).
  - {"intros x; apply narrower; cbn; lia" if fs != fa else "auto"}.
  - {"right; apply finer; cbn; lia" if fs != fa else "left; reflexivity"}.
  - cbn; lia.
  - cbn; lia.
  - lia.
  - {"left; reflexivity" if future else "right; repeat split"}.
  - change (formula_ok stored summed ord (Z.to_nat {positions}) source). cbn -[Z.to_nat near_good step_good once_good compare_good]. repeat match goal with |- _ /\\ _ => split end; try exact I;
    try first [{" | ".join("exact " + name for name in known)} | left; repeat split; reflexivity].
Qed.
(* The theorem is about something: there is a run on every string. *)
Example not_empty w : exists e, float_run {str(future).lower()} stored summed (exp_model summed) ord w (fst (transformer Temperature source)) e.
Proof. eexists. apply float_run_exists. apply (rounded_exp_model summed). Qed.
""")


main()
