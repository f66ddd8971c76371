(* The inequalities of once heads hold at real lengths, so the theorems about them are not empty: by interval. *)
From Coq Require Import ZArith Reals Lia Lra Psatz.
From Flocq Require Import Core.
From Interval Require Import Tactic.
From Temper Require Import Format Sums Nearest Rounding FloatRun NearestHead OnceHead OnceAny Replay Instances.
Local Open Scope R_scope.

Lemma bernoulli x n : 0 <= x <= 1 -> 1 - INR n * x <= (1 - x) ^ n.
Proof.
  intros H. induction n. simpl; lra. rewrite S_INR. cbn [pow]. assert (0 <= INR n) by apply pos_INR.
  apply Rle_trans with ((1 - x) * (1 - INR n * x)). nra. apply Rmult_le_compat_l; lra.
Qed.
Lemma u_f32 : u f32 = / 16777216. Proof. unfold u. cbn. lra. Qed.
Lemma u_bf16 : u bf16 = / 256. Proof. unfold u. cbn. lra. Qed.
Lemma tiny_f32 : tiny f32 = / IZR (2 ^ 149). Proof. reflexivity. Qed.
Lemma f64_error_range : 0 <= f64_error <= 5 / 10 ^ 16.
Proof. split. apply f64_error_pos. apply f64_error_small. Qed.

(* O a in f32, any order, up to 100,000 positions *)
Theorem once_f32 : once_any_ok f32 (Z.to_nat 100000) 5.
Proof.
  assert (F := f64_error_range). unfold once_any_ok, once_any_error, kept, losers_any, moves, all_eps, lam_eps, least.
  rewrite u_f32, tiny_f32, INR_Z by lia. change (bpow radix2 5) with 32. change (bpow radix2 (5 - 1)) with 16.
  change (bpow radix2 (emin f32 + prec f32 - 1)) with (/ IZR (2 ^ 126)). set (z := f64_error) in *. clearbody z.
  assert (B : 1 - 100000 * (4 * / 16777216) <= beta f32 ^ Z.to_nat 100000).
  { apply Rle_trans with ((1 - 4 * / 16777216) ^ Z.to_nat 100000). eapply Rle_trans; [|apply bernoulli; lra].
    rewrite INR_Z by lia. lra.
    apply pow_incr. split. lra. unfold beta. rewrite u_f32. simpl. lra. }
  set (b := beta f32 ^ Z.to_nat 100000) in *. assert (B1 : b <= 1).
  { unfold b. rewrite <- (pow1 (Z.to_nat 100000)). apply pow_incr. unfold beta. rewrite u_f32. simpl. lra. }
  clearbody b.
  set (G := (1 + / 16777216) ^ (4 * Z.to_nat 100000)).
  assert (G1 : 1 <= G) by (apply pow_R1_Rle; lra).
  assert (G2 : G <= exp (400000 * / 16777216)).
  { unfold G. assert (X := pow_exp f32 (4 * Z.to_nat 100000)). rewrite u_f32, mult_INR, INR_Z in X by lia.
    simpl (INR 4) in X. eapply Rle_trans; [apply X|]. right. f_equal. lra. }
  assert (G3 : exp (400000 * / 16777216) <= 1.0242) by interval. assert (G4 : G <= 1.0242) by lra. clearbody G.
    clear G2 G3.
  repeat split; interval with (i_prec 60).
Qed.
(* O a stored in bf16 and summed in f32, ascending, up to a million positions *)
Theorem once_bf16_f32 : once_ok bf16 f32 (Z.to_nat 1000000).
Proof.
  assert (F := f64_error_range). unfold once_ok, once_error, loser_max, sigma, eps.
  rewrite u_f32, u_bf16, tiny_f32, INR_Z by lia. set (z := f64_error) in *. clearbody z.
    change (Z.to_nat (prec f32)) with 24%nat.
  split; interval with (i_prec 60).
Qed.
