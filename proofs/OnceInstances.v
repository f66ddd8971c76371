(* The inequalities of once heads hold at real lengths, so the theorems about them are not empty: by interval. *)
From Coq Require Import ZArith Reals Lia Lra Psatz.
From Flocq Require Import Core.
From Interval Require Import Tactic.
From Temper Require Import Format Sums Nearest Rounding FloatRun NearestHead OnceHead OnceTree OnceAny Replay
  Instances.
Local Open Scope R_scope.

Lemma u_f32 : u f32 = / 16777216. Proof. unfold u. cbn. lra. Qed.
Lemma u_bf16 : u bf16 = / 256. Proof. unfold u. cbn. lra. Qed.
Lemma tiny_f32 : tiny f32 = / IZR (2 ^ 149). Proof. reflexivity. Qed.
Lemma f64_error_range : 0 <= f64_error <= 5 / 10 ^ 16.
Proof. split. apply f64_error_pos. apply f64_error_small. Qed.

(* O a in f32, any order, up to 100,000 positions *)
Theorem once_f32 : once_any_ok f32 (Z.to_nat 100000) 8.
Proof.
  apply (replay_once f32 100000 (/ 16777216) (/ IZR (2 ^ 149)) (13 / 1000)). lia. cbn; lia. exact u_f32.
    exact tiny_f32. interval. lra.
  cbv zeta. interval with (i_prec 60).
Qed.
(* O a stored in bf16 and summed in f32, ascending, up to a million positions *)
Theorem once_bf16_f32 : once_ok bf16 f32 (Z.to_nat 1000000).
Proof.
  assert (F := f64_error_range). unfold once_ok, once_error, loser_max, sigma, eps.
  replace (u_stored bf16 f32) with (/ 256) by (unfold u_stored; cbn; rewrite u_bf16; auto).
  rewrite u_f32, tiny_f32, INR_Z by lia. set (z := f64_error) in *. clearbody z.
    change (Z.to_nat (prec f32)) with 24%nat.
  split; interval with (i_prec 60).
Qed.
