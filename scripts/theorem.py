#!/usr/bin/env python3
"""A Coq file with a theorem about the bytes of a model file. usage: theorem.py MODEL LENGTH TYPE > FILE.v

Coq parses the bytes, checks the model and prints the formula, the statement and what it rests on; see doc/checker.md."""
import hashlib
import sys

# the type: the formats of storage and of sums, and the order of sums
kinds = {"f32": "f32 f32 AnyOrder", "f64": "f64 f64 AnyOrder", "bf16/f32": "bf16 f32 Ascending",
         "f16/f32": "f16 f32 Ascending", "e4m3/f32": "e4m3 f32 Ascending"}
if len(sys.argv) != 4 or not sys.argv[2].isdecimal() or sys.argv[3] not in kinds:
    sys.exit("usage: theorem.py MODEL LENGTH " + "|".join(kinds))
model, length, form = sys.argv[1], int(sys.argv[2]), sys.argv[3].replace("/", "_")
formats = kinds[sys.argv[3]]
both = formats.rsplit(" ", 1)[0]
data = open(model, "rb").read()
if not data.startswith(b"temper-model") or b"\0" in data or len(data) > 1 << 20:
    sys.exit("theorem: not a model in text form of at most 1 MiB")
text = data.decode("latin-1").replace('"', '""')
sys.stdout.buffer.write(f"""(* A model file of {len(data)} bytes, SHA-256 {hashlib.sha256(data).hexdigest()} *)
From Coq Require Import ZArith Reals String List.
From Temper Require Import Strings FloatRun Instances.
From Temper Require Import Format.
From Temper.checker Require Import Model Checker Operations Check.
From Temper.checker Require Parse Source.
Definition file : string := "{text}"%string.
Definition formula : fml := Eval vm_compute in match Parse.parse file with
  | Some t => match Source.specification_of t with Some f => f | None => FF end | None => FF end.
Lemma formula_is : match Parse.parse file with Some t => Source.specification_of t | None => None end = Some formula.
Proof. vm_compute. reflexivity. Qed.
Lemma checked : check {form}_kind file {length} = true.
Proof. vm_compute. reflexivity. Qed.
Theorem file_is_right : exists t, Parse.parse file = Some t /\\ Source.specification_of t = Some formula /\\
  forall w, Forall (fun a => (a < length (m_embed (Parse.t_model t)))%nat) w -> (Z.of_nat (length w) <= {length})%Z ->
  (forall f z, operation {formats} (Parse.t_model t) w (f, z) -> (Rabs z <= top f)%R) /\\
  forall x, model_run {formats} (Parse.t_model t) w x ->
    (forall i, (1 <= i <= length w)%nat ->
      answer {both} (Parse.t_model t) x i = if sat w (den formula) i then 1%R else 0%R) /\\
    answer {both} (Parse.t_model t) x 0 = if Parse.t_empty t then 1%R else 0%R.
Proof.
  destruct (check_sound {formats} {form}_kind {form}_is file {length} checked) as (t & f & P & S & H).
  assert (F := formula_is). rewrite P, S in F. injection F as ->. exists t. auto.
Qed.
Print formula.
Check file_is_right.
Print Assumptions file_is_right.
""".encode("latin-1"))
