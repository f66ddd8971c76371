(* doc/certificate.md, "Quantities", "Once", "Nearest", "Compare": what is asked of the largest number, in simpler
  words.

   near_room, once_room, compare_room   coarse conditions that imply those of `sound`
   near_page, compare_page              the conditions as the page has them imply those of `sound` *)
From Coq Require Import ZArith Reals Lia Lra Psatz List Bool Arith.
From Flocq Require Import Core.
From Temper Require Import Rows Format Sums Rounding Strings Programs FloatRun NearestHead OnceTree CompareLogit
  Results
  SoundCompare SafeBlocks.
Local Open Scope R_scope.

Section Room.
Variables fs fa : format.
Hypothesis incl : forall x, number fs x -> number fa x.
Hypothesis bits : (3 <= prec fs)%Z.
Hypothesis bits_a : (4 <= prec fa)%Z.
Variable M : nat.
Hypothesis M_1 : (1 <= M)%nat.
Lemma one_M : 1 <= INR M. Proof. change 1 with (INR 1). now apply le_INR. Qed.
Lemma u_16 : u fa <= / 16.
Proof. rewrite u_bpow. change (/ 16) with (bpow radix2 (-4)). apply bpow_le. lia. Qed.
Lemma tiny_u : tiny fa <= u fa.
Proof. rewrite u_bpow. apply bpow_le, emin_neg. Qed.
(* a logit of size Y and a unit in its last place *)
Lemma with_ulp Y : 0 <= Y -> Y + ulp_of fa Y <= (1 + 2 * u fa) * Y + tiny fa.
Proof. intros H. assert (X := ulp_rel fa Y). rewrite Rabs_pos_eq in X by auto. unfold ulp_of. lra. Qed.
Lemma rnd_1 f x : 1 <= x -> 1 <= rnd f x <= (1 + u f) * x.
Proof. intros H. split. apply rnd_ge; [apply number_1|auto]. now apply normal_rel. Qed.

(* ---- nearest: 16 M is a number, and the page asks for twice 16 M and a unit in its last place ---- *)
Theorem near_page : (Z.of_nat M <= 2 ^ prec fa)%Z -> 2 * (16 * INR M + ulp_of fa (16 * INR M)) <= top fa ->
  near_range fa M.
Proof.
  intros HM H. unfold near_range. rewrite rnd_id; auto. apply (number_mult fa _ (Z.of_nat M) 4).
  rewrite <- INR_IZR_INZ. simpl. lra. lia. generalize (emin_neg fa) (prec_ge_2 fa); lia.
Qed.
Theorem near_room : (Z.of_nat M <= 2 ^ prec fa)%Z -> 40 * INR M <= top fa -> near_range fa M.
Proof.
  intros HM H. apply near_page; auto. assert (m := one_M). assert (U := u_16). assert (Up := u_pos fa). assert (T :=
    tiny_u).
  assert (X := with_ulp (16 * INR M) ltac:(lra)). assert (u fa * INR M <= / 16 * INR M) by (apply Rmult_le_compat_r;
    lra).
  lra.
Qed.
(* ---- once ---- *)
Theorem once_room : 3 * (ln (INR M) + 8) <= top fa -> once_range fa M.
Proof.
  intros H. unfold once_range. cbv zeta. assert (m := one_M). assert (U := u_16). assert (Up := u_pos fa).
  assert (T := tiny_u).
  assert (l0 : 0 <= ln (INR M)) by (rewrite <- ln_1; destruct m as [m|<-]; [left; apply ln_increasing; lra|right;
    auto]).
  assert (F : 0 <= f64_error <= / 1000).
  { unfold f64_error, v64. change (bpow radix2 (-53)) with (/ IZR (2 ^ 53)). split; [|simpl; lra].
    assert (X := pow_R1_Rle (1 + / IZR (2 ^ 53)) 4). simpl in *. lra. }
  set (X := ln (INR M) + 8) in *. assert (X8 : 8 <= X) by (unfold X; lra).
  assert (fX : 0 <= f64_error * X <= / 1000 * X) by (split; [apply Rmult_le_pos; lra|apply Rmult_le_compat_r; lra]).
  assert (R := rnd_1 fa ((1 + f64_error) * X) ltac:(lra)). set (Y := rnd fa ((1 + f64_error) * X)) in *.
  assert (W := with_ulp Y ltac:(lra)).
  assert (u fa * ((1 + f64_error) * X) <= / 16 * ((1 + f64_error) * X)) by (apply Rmult_le_compat_r; lra).
  assert (u fa * Y <= / 16 * Y) by (apply Rmult_le_compat_r; lra). lra.
Qed.
(* ---- comparisons: the page asks for twice (1 + eps)(16 M W + ln M) ---- *)
Theorem compare_page W : 1 <= W -> 2 * (1 + compare_eps fs fa) * (16 * INR M * W + ln (INR M)) <= top fa ->
  compare_range fs fa M W.
Proof.
  intros W1 H. unfold compare_range. cbv zeta. assert (m := one_M). assert (Up := u_pos fa). assert (Us := u_pos fs).
  assert (T := tiny_u).
  assert (l0 : 0 <= ln (INR M)) by (rewrite <- ln_1; destruct m as [m|<-]; [left; apply ln_increasing; lra|right;
    auto]).
  set (a := 1 + u fa). set (b := 1 + u fs). assert (a1 : 1 < a) by (unfold a; lra). assert (b1 : 1 < b) by (unfold b;
    lra).
  assert (R1 := rnd_1 fa (W + 1) ltac:(lra)). fold a in R1. assert (R2 := rnd_1 fs (rnd fa (W + 1)) ltac:(lra)). fold
    b in R2.
  set (S := rnd fs (rnd fa (W + 1))) in *.
  assert (MS1 : 1 <= 16 * INR M * S). { apply Rle_trans with (1 * 1); [lra|]. apply Rmult_le_compat; lra. }
  assert (R3 := rnd_1 fa (16 * INR M * S) MS1). fold a in R3. set (Y := rnd fa (16 * INR M * S)) in *.
  assert (V := with_ulp Y ltac:(lra)).
  assert (SB : S <= b * a * (2 * W)). { apply Rle_trans with (b * (a * (W + 1))).
    apply Rle_trans with (b * rnd fa (W + 1)); [lra|]. apply Rmult_le_compat_l; lra.
    rewrite <- Rmult_assoc. apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|lra]. }
  assert (YB : Y <= a * (16 * INR M * (b * a * (2 * W)))). { eapply Rle_trans; [apply R3|]. apply Rmult_le_compat_l.
    lra.
    apply Rmult_le_compat_l; lra. }
  (* three more factors are left *)
  assert (Ep : a ^ 8 * b <= 1 + compare_eps fs fa).
  { unfold compare_eps. fold a. fold b. assert (v1 : 1 <= (1 + v64) ^ 6) by (apply pow_R1_Rle; unfold v64; assert (X
    :=
      bpow_ge_0 radix2 (-53)); lra).
    assert (a8 : 0 <= a ^ 8) by (apply pow_le; lra). assert (b3 : b <= b ^ 3) by (simpl; nra).
    replace (1 + (a ^ 8 * b ^ 3 * (1 + v64) ^ 6 - 1)) with (a ^ 8 * b ^ 3 * (1 + v64) ^ 6) by ring.
    apply Rle_trans with (a ^ 8 * b ^ 3). now apply Rmult_le_compat_l. rewrite <- (Rmult_1_r (a ^ 8 * b ^ 3)) at 1.
    apply Rmult_le_compat_l; auto. apply Rmult_le_pos; auto. apply pow_le; lra. }
  set (Q := 32 * INR M * W). assert (Q32 : 32 <= Q). { unfold Q. apply Rle_trans with (32 * 1 * 1); [lra|].
    apply Rmult_le_compat; lra. }
  assert (YQ : Y <= a ^ 2 * b * Q) by (eapply Rle_trans; [apply YB|]; unfold Q; right; ring).
  assert (Two : 1 + 2 * u fa <= a ^ 2) by (unfold a; simpl; assert (0 <= u fa * u fa) by (apply Rmult_le_pos; lra);
    lra).
  assert (Z0 : 0 <= b * Q) by (apply Rmult_le_pos; lra).
  assert (V2 : (1 + 2 * u fa) * Y <= a ^ 4 * (b * Q)).
  { apply Rle_trans with (a ^ 2 * (a ^ 2 * b * Q)); [|right; ring]. apply Rmult_le_compat; lra. }
  assert (Extra : a ^ 4 * (b * Q) + 2 * u fa <= a ^ 8 * (b * Q)).
  { assert (a4 : 1 <= a ^ 4) by (apply pow_R1_Rle; lra). assert (A4 : 1 + u fa <= a ^ 4).
    { replace (a ^ 4) with (a * a ^ 3) by ring. assert (1 <= a ^ 3) by (apply pow_R1_Rle; lra). fold a.
      rewrite <- (Rmult_1_r a) at 1. apply Rmult_le_compat_l; lra. }
    assert (bQ : 32 <= b * Q) by (apply Rle_trans with (1 * 32); [lra|apply Rmult_le_compat; lra]).
    replace (a ^ 8 * (b * Q)) with (a ^ 4 * (a ^ 4 * (b * Q))) by ring.
    apply Rle_trans with ((1 + u fa) * (a ^ 4 * (b * Q))).
    - assert (32 <= a ^ 4 * (b * Q)) by (apply Rle_trans with (1 * 32); [lra|apply Rmult_le_compat; lra]).
      assert (u fa * 32 <= u fa * (a ^ 4 * (b * Q))) by (apply Rmult_le_compat_l; lra). lra.
    - apply Rmult_le_compat_r; auto. apply Rmult_le_pos; lra. }
  assert (Fin : a ^ 8 * (b * Q) <= top fa).
  { apply Rle_trans with ((1 + compare_eps fs fa) * Q). replace (a ^ 8 * (b * Q)) with (a ^ 8 * b * Q) by ring.
    apply Rmult_le_compat_r; lra. eapply Rle_trans; [|apply H].
    assert (0 <= 1 + compare_eps fs fa). { apply Rle_trans with (a ^ 8 * b); auto. apply Rmult_le_pos. apply pow_le;
      lra. lra. }
    assert (0 <= (1 + compare_eps fs fa) * ln (INR M)) by (now apply Rmult_le_pos). unfold Q. lra. }
  lra.
Qed.
(* coarsely, for any weights *)
Theorem compare_room W : 0 <= W -> u fs <= / 8 -> 32 * INR M * (W + 1) <= top fa -> compare_range fs fa M W.
Proof.
  intros W0 Us8 H. unfold compare_range. cbv zeta. assert (m := one_M). assert (Up := u_pos fa). assert (Us := u_pos
    fs).
  assert (T := tiny_u). assert (U := u_16).
  assert (R1 := rnd_1 fa (W + 1) ltac:(lra)). assert (R2 := rnd_1 fs (rnd fa (W + 1)) ltac:(lra)).
  set (S := rnd fs (rnd fa (W + 1))) in *.
  assert (MS1 : 1 <= 16 * INR M * S). { apply Rle_trans with (1 * 1); [lra|]. apply Rmult_le_compat; lra. }
  assert (R3 := rnd_1 fa (16 * INR M * S) MS1). set (Y := rnd fa (16 * INR M * S)) in *.
  assert (V := with_ulp Y ltac:(lra)).
  assert (A1 : (1 + u fa) * (W + 1) <= (1 + / 16) * (W + 1)) by (apply Rmult_le_compat_r; lra).
  assert (A2 : (1 + u fs) * rnd fa (W + 1) <= (1 + / 8) * rnd fa (W + 1)) by (apply Rmult_le_compat_r; lra).
  assert (A3 : (1 + u fa) * (16 * INR M * S) <= (1 + / 16) * (16 * INR M * S)) by (apply Rmult_le_compat_r; lra).
  assert (A4 : (1 + 2 * u fa) * Y <= (1 + / 8) * Y) by (apply Rmult_le_compat_r; lra).
  assert (SB : S <= (1 + / 8) * (1 + / 16) * (W + 1)) by lra.
  assert (MSB : INR M * S <= INR M * ((1 + / 8) * (1 + / 16) * (W + 1))) by (apply Rmult_le_compat_l; lra).
  assert (MW : 1 <= INR M * (W + 1)) by (apply Rle_trans with (1 * 1); [lra|apply Rmult_le_compat; lra]).
  lra.
Qed.
End Room.
