#!/usr/bin/env python3
"""Writes a certificate as a Coq file that proves its claim from proofs/Replay.v: usage certificate-to-coq.py CERTIFICATE.json FILE.v

The file has the numbers of the certificate, and interval checks them; nothing of the prover or the auditor is used. It can be done of the
claim "formula" about formulas of letters, negation, conjunction, disjunction, S, U, Y and X, whose heads are all "nearest" and bounded, in
f32. Every binary operation needs parentheses, except the outermost. The model file is not looked at: the theorem is about the
transformer that proofs/Compile.v makes of the formula."""
import json
import re
import sys
from fractions import Fraction

FORMATS = {"f32": (24, 149)}  # bits, least exponent; in f64 the prover counts fewer roundings than proofs/NearestHead.v


def refuse(why):
    sys.exit("certificate-to-coq: " + why)


def tokens(text):
    found = re.findall(r"\[[^\]]*\]|->|[A-Za-z]+|[!&|()]", text)
    if "".join(found) != re.sub(r"\s", "", text):
        refuse("the source is not understood: " + text)
    return found


class Reader:
    """A formula with parentheses around every binary operation but the outermost."""

    binary = {"S": "Since Past", "U": "Since Future", "&": "Conj", "and": "Conj", "|": "Disj", "or": "Disj"}
    unary = {"!": "Neg", "not": "Neg", "Y": "Step Past", "X": "Step Future"}

    def __init__(self, text):
        self.left = tokens(text)

    def take(self):
        if not self.left:
            refuse("the source ends too early")
        return self.left.pop(0)

    def whole(self):
        first = self.operand()
        if self.left and self.left[0] in self.binary:
            word = self.take()
            first = f"({self.binary[word]} {first} {self.operand()})"
        return first

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


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        certificate = json.load(file)
    if certificate.get("claim") != "formula" or certificate.get("syntax") != "spec":
        refuse("only the claim \"formula\" of a formula")
    if certificate["type"] not in FORMATS or certificate["order"] != "any":
        refuse("only f32")
    heads = certificate["heads"]
    if not heads or any(head["kind"] != "nearest" or head["by"] != "bound" for head in heads):
        refuse("only nearest heads that are bounded")
    reader = Reader(certificate["source"])
    formula = reader.whole()
    if reader.left:
        refuse("more parentheses are needed after: " + certificate["source"])
    future = "Future" in formula
    length = int(certificate["length"])
    positions = length + (2 if future else 1)
    bits, least = FORMATS[certificate["type"]]
    exponent = (16 * positions).bit_length()
    largest = max(Fraction(head["error"]) for head in heads)
    if Fraction(certificate["error"]) < largest or Fraction(certificate["allowed"]) != Fraction(1, 4):
        refuse("\"error\" is less than that of a head, or \"allowed\" is not a quarter")
    # What proofs/Replay.v makes of the same roundings, in eleven digits: the certificate's own number is rounded up to four.
    unit, tiny = Fraction(1, 2**bits), Fraction(1, 2**least)
    eta = 8 * positions * (Fraction(5, 10**16) + unit * 3 / 2 + tiny) + 3 * unit * 2 ** (exponent - 1) + tiny * 3 / 2
    eta = Fraction(-(-eta * 10**11 // 1), 10**11)
    rounding = max((head["rounding"] for head in heads), key=Fraction)
    error = max((head["error"] for head in heads), key=Fraction)
    # A comment must not end inside the source.
    shown = certificate["source"].replace("*)", "* )").replace("(*", "( *")
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(f"""(* Generated from a certificate: {shown}, up to {length} letters, in {certificate["type"]}; "rounding" {rounding}, "error" {error}. *)
From Coq Require Import ZArith Reals Lia Lra Bool List.
From Flocq Require Import Core.
From Interval Require Import Tactic.
From Temper Require Import Rows Format Sums Strings Programs Compile FloatRun SoundFormulas Instances Replay.
Local Open Scope R_scope.

Definition source : form Z := {formula}.
Definition type : format := {certificate["type"]}.
Definition eta_bound : R := {decimal(eta)}.
Lemma rounding_holds : eta_bound <= {decimal(rounding)}.
Proof. unfold eta_bound. lra. Qed.
Theorem certified : forall E, exp_model type E -> forall w e i,
  (Z.of_nat (length w) <= {length})%Z -> (1 <= i <= length w)%nat ->
  float_run {str(future).lower()} type type E AnyOrder w (fst (transformer Temperature source)) e ->
  chan e (snd (transformer Temperature source)) i = if sat w source i then 1 else 0.
Proof.
  apply (claim_any type {str(future).lower()} source {length} {exponent} {decimal(eta)} {decimal(error)}
           (/ IZR (2 ^ {bits})) (/ IZR (2 ^ {least})) (IZR (2 ^ {exponent - 1}))).
  - lia.
  - repeat split.
  - {"left; reflexivity" if future else "right; repeat split"}.
  - cbn; lia.
  - cbn; lia.
  - unfold u. cbn. lra.
  - reflexivity.
  - reflexivity.
  - change (bpow radix2 {exponent}) with (IZR (2 ^ {exponent})). cbn; lra.
  - cbn. interval with (i_prec 100).
  - lra.
  - cbn -[exp pow]. repeat split; interval with (i_prec 100).
  - lra.
Qed.
""")


main()
