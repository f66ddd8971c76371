(* Fractions from above: exp by squaring 1/(1 - x/2^24) 24 times, rounded up each time; powers of two; few digits. *)
From Coq Require Import ZArith QArith Qround Qreals Reals Lia Lra Psatz.
From Flocq Require Import Core.
From Temper Require Import Rows Heads Format Rounding OnceTree.

(* exp of a / 2^64, in units of 2^-64, from above *)
Definition up (a b : Z) : Z := (- ((- a) / b))%Z.
Fixpoint square_up (n : nat) (e : Z) : Z := match n with O => e | S n => square_up n (Z.shiftr (e * e) 64 + 1) end.
Definition exp_fixed (a : Z) : Z := square_up 24 (up (2 ^ 152) (2 ^ 88 - a)).
Definition exp_up (x : Q) : Q := exp_fixed (Qceiling (x * inject_Z (2 ^ 64))) # 2 ^ 64.
Definition small_up (x : Q) : Q := Qceiling (x * inject_Z (2 ^ 30)) # 2 ^ 30.     (* with few digits *)
Definition below (e : Z) : Q := 1 # 2 ^ Z.to_pos (- e).                               (* 2^e, e < 0 *)

Local Open Scope R_scope.
Lemma up_ok a b : (0 < b)%Z -> IZR a / IZR b <= IZR (up a b).
Proof.
  intros B. unfold up. assert (P : 0 < IZR b) by (now apply IZR_lt). apply Rmult_le_reg_r with (IZR b); auto.
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. rewrite <- mult_IZR. apply IZR_le.
  assert (X := Z.mul_div_le (- a) b B). lia.
Qed.
Notation one64 := (IZR (2 ^ 64)).
Lemma one64_pos : 0 < one64. Proof. apply IZR_lt. reflexivity. Qed.
Lemma shift_ok a : IZR a / one64 <= IZR (Z.shiftr a 64 + 1).
Proof.
  assert (P := one64_pos). rewrite Z.shiftr_div_pow2 by lia. apply Rmult_le_reg_r with one64; auto.
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, <- mult_IZR by lra. apply IZR_le.
  assert (X := Z.mul_succ_div_gt a (2 ^ 64) ltac:(lia)). lia.
Qed.
Lemma square_up_ok n : forall e x, exp x <= IZR e / one64 -> exp (x * 2 ^ n) <= IZR (square_up n e) / one64.
Proof.
  assert (P := one64_pos). induction n as [|n IH]; intros e x H; cbn [square_up pow]. now rewrite Rmult_1_r.
  replace (x * (2 * 2 ^ n)) with ((x + x) * 2 ^ n) by ring. apply IH. rewrite exp_plus.
  apply Rle_trans with (IZR e / one64 * (IZR e / one64)).
  - assert (E := exp_pos x). apply Rmult_le_compat; lra.
  - replace (IZR e / one64 * (IZR e / one64)) with (IZR (e * e) / one64 / one64) by (rewrite mult_IZR; field; lra).
    apply Rmult_le_compat_r. left. now apply Rinv_0_lt_compat. apply shift_ok.
Qed.
Lemma exp_fixed_ok a : (a < 2 ^ 88)%Z -> exp (IZR a / one64) <= IZR (exp_fixed a) / one64.
Proof.
  intros H. assert (P := one64_pos). unfold exp_fixed. set (n := 24%nat).
    assert (P24 : 2 ^ n = IZR (2 ^ 24)) by (unfold n; simpl; lra).
  assert (P88 : IZR (2 ^ 88) = one64 * IZR (2 ^ 24)) by (rewrite <- mult_IZR; reflexivity).
  assert (P152 : IZR (2 ^ 152) = one64 * IZR (2 ^ 88)) by (rewrite <- mult_IZR; reflexivity).
  assert (Q24 : 0 < IZR (2 ^ 24)) by (apply IZR_lt; reflexivity).
  assert (Q88 : 0 < IZR (2 ^ 88)) by (apply IZR_lt; reflexivity).
  replace (IZR a / one64) with (IZR a / IZR (2 ^ 88) * 2 ^ n) by (rewrite P24, P88; field; lra).
  apply square_up_ok. set (y := IZR a / IZR (2 ^ 88)).
  assert (Y : y < 1). { unfold y. apply Rmult_lt_reg_r with (IZR (2 ^ 88)); auto. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l, Rmult_1_l, Rmult_1_r by lra. now apply IZR_lt. }
  apply Rle_trans with (/ (1 - y)).
  - replace (exp y) with (/ exp (- y)) by (rewrite exp_Ropp; apply Rinv_inv). assert (E := exp_ineq1_le (- y)).
    apply Rinv_le_contravar; lra.
  - assert (X := up_ok (2 ^ 152) (2 ^ 88 - a) ltac:(lia)). apply Rmult_le_reg_r with one64; auto.
    unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. eapply Rle_trans; [|apply X].
    rewrite minus_IZR. assert (D : 0 < IZR (2 ^ 88) - IZR a) by (rewrite <- minus_IZR; apply IZR_lt; lia).
    assert (Ey : 1 - y = (IZR (2 ^ 88) - IZR a) / IZR (2 ^ 88)) by (unfold y; field; lra). rewrite Ey, P152.
    right. field. split; lra.
Qed.
Lemma Q2R_pow2 z (p : positive) : Q2R (z # 2 ^ p) = IZR z * / IZR (2 ^ Zpos p).
Proof. unfold Q2R. cbn [Qnum Qden]. now rewrite Pos2Z.inj_pow. Qed.
Lemma Q2R_z z : Q2R (z # 1) = IZR z. Proof. unfold Q2R. cbn. lra. Qed.
Lemma Q2R_inject z : Q2R (inject_Z z) = IZR z. Proof. unfold Q2R, inject_Z. cbn. lra. Qed.
Lemma ceiling_scaled x n : Q2R x <= IZR (Qceiling (x * inject_Z (2 ^ Zpos n))) / IZR (2 ^ Zpos n).
Proof.
  assert (P : 0 < IZR (2 ^ Zpos n)) by (apply IZR_lt, Z.pow_pos_nonneg; lia).
  assert (H := Qle_ceiling (x * inject_Z (2 ^ Zpos n))). apply Qle_Rle in H. rewrite Q2R_mult, !Q2R_inject in H.
  apply Rmult_le_reg_r with (IZR (2 ^ Zpos n)); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    exact H.
Qed.
Lemma exp_up_ok x y : y <= Q2R x -> Q2R x <= 1000000 -> exp y <= Q2R (exp_up x).
Proof.
  intros Y X. unfold exp_up. rewrite Q2R_pow2. set (a := Qceiling (x * inject_Z (2 ^ 64))).
  assert (A := ceiling_scaled x 64). fold a in A. change (Z.pos 64) with 64%Z in A.
  apply Rle_trans with (exp (IZR a / one64)). apply exp_mono. lra.
  apply exp_fixed_ok. apply lt_IZR. assert (H := Qceiling_lt (x * inject_Z (2 ^ 64))). fold a in H.
    apply Qlt_Rlt in H.
  rewrite Q2R_mult, !Q2R_inject, minus_IZR in H. apply Rlt_trans with (Q2R x * IZR (2 ^ 64) + 1). lra.
  assert (P : 0 < IZR (2 ^ 64)) by (apply IZR_lt; reflexivity).
  apply Rle_lt_trans with (1000000 * IZR (2 ^ 64) + 1). apply Rplus_le_compat_r. apply Rmult_le_compat_r; lra.
  rewrite <- mult_IZR, <- plus_IZR. apply IZR_lt. reflexivity.
Qed.
Lemma exp_up_pos x : Q2R x <= 1000000 -> 0 < Q2R (exp_up x).
Proof. intros H. eapply Rlt_le_trans; [apply (exp_pos (Q2R x))|]. apply exp_up_ok; lra. Qed.
Lemma small_up_ok x : Q2R x <= Q2R (small_up x).
Proof. unfold small_up. rewrite Q2R_pow2. exact (ceiling_scaled x 30). Qed.
Lemma below_is e : (e < 0)%Z -> Q2R (below e) = bpow radix2 e.
Proof.
  intros H. unfold below. rewrite Q2R_pow2, Z2Pos.id by lia. rewrite Rmult_1_l.
  replace (bpow radix2 e) with (/ bpow radix2 (- e)) by (rewrite <- bpow_opp; f_equal; lia).
  rewrite <- pow_IZR by lia. reflexivity.
Qed.
