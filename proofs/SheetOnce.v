(* The lines of src/number/heads.sheet about once heads (SheetTheorems.v has the others). C stands for kappa: the
  scale
   is ln N + C, and logits are at most X = ln M + C.

   sheet_once_any    in any order the sheet's error is that of once_any_out
   once_within_sheet, once_within_sheet_ascending    the output of a once head of any run is within the sheet's error
   sheet_once_light  one loser weighs less than a candidate
   sheet_once_range  how large a logit of the row is

   Lines: log_M, once_kept, once_rounding, once_exps, once_loser, once_losers, once_rest, once_winner, once_known,
     once_sum,
   once_any, once_error, once_light, once_range. *)
From Coq Require Import ZArith Reals Lia Lra Psatz List Bool.
From Flocq Require Import Core.
From Temper Require Import Rows Heads Format Sums Nearest NearestAny Rounding Strings Programs FloatRun NearestHead
  OnceTree OnceHead OnceAny CompareLogit Sheet SheetTyped.
Import ListNotations.
Local Open Scope R_scope.

Ltac open_once := unfold Sheet.once_error, Sheet.once_any, Sheet.once_sum, Sheet.once_known, Sheet.once_rest,
  Sheet.once_losers, Sheet.once_loser, Sheet.once_kept, Sheet.once_exps, Sheet.once_winner, Sheet.growth,
  Sheet.subnormal_loss, Sheet.less, Sheet.log_M; fields.

Section Any.
Variable f : format.
Variable M : nat.
Variable x : Sheet.head.
Notation head := (typed f f AnyOrder M x).
Notation C := (Sheet.kappa x).
Hypothesis X_is : Sheet.X x = ln (INR M) + C.

Theorem sheet_once_any : Sheet.once_error head = once_any_error f M C.
Proof.
  open_once. rewrite X_is. unfold once_any_error, once_any_sigma, once_any_w, once_any_eps.
  set (k := (1 - u f) ^ 2 * (1 - u f) ^ 5 * (1 - v64) ^ 4).
  replace ((1 - u f) ^ 2 * ((1 - u f) ^ 5 * (1 - v64) ^ 4)) with k by (unfold k; ring).
  replace (1 - (1 - k)) with k by ring.
  replace (2 * tiny f - k * (ln (INR M) + C)) with (- (k * (ln (INR M) + C)) + 2 * tiny f) by ring.
  replace (2 * INR M * (INR M * tiny f)) with (2 * INR M ^ 2 * tiny f) by ring. reflexivity.
Qed.

Variable E : R -> R.
Hypothesis HE : exp_model f E.
Hypothesis C_range : 1 <= C <= 16.
Theorem once_within_sheet n K (c : nat -> bool) logit lam y :
  (8 <= prec f <= 53)%Z -> 8 * tiny f <= u f -> Sheet.once_error head <= / 4 -> (0 < n <= M)%nat ->
  (length K <= n)%nat -> NoDup K -> expression f (ln (INR n) + C) lam -> (forall j, number f (logit j)) ->
  (forall j, In j K -> Rabs (logit j - (if c j then lam else 0)) <= ulp radix2 (FLT_exp (emin f) (prec f)) (if c j
    then lam else 0)) ->
  softmax_row f f E AnyOrder logit (fun j => if c j then 1 else 0) K y ->
  ((forall j, In j K -> c j = false) -> y = 0) /\
  (forall j, In j K -> c j = true -> Rabs (y - 1) <= Sheet.once_error head /\ 0 <= y).
Proof.
  rewrite sheet_once_any. intros P T Q. apply (once_any_out f E HE M C C_range). now repeat split.
Qed.
End Any.

Lemma v64_tiny : 0 < v64 <= / 1000000.
Proof. unfold v64. split. apply bpow_gt_0. change (bpow radix2 (-53)) with (/ IZR (2 ^ 53)). simpl. lra. Qed.
Lemma f64_error_bounds : 0 < f64_error <= 5 * v64.
Proof.
  assert (V := v64_tiny). unfold f64_error. split.
  - assert (1 < (1 + v64) ^ 4); [|lra]. apply Rlt_pow_R1; [lra|lia].
  - simpl. nra.
Qed.
Lemma u_ge_v f : (prec f <= 53)%Z -> v64 <= u f.
Proof. intros H. rewrite u_bpow. apply bpow_le. lia. Qed.
Lemma u_eighth f : (3 <= prec f)%Z -> u f <= / 8.
Proof. intros H. rewrite u_bpow. change (/ 8) with (bpow radix2 (-3)). apply bpow_le. lia. Qed.
Lemma tiny_eighth f : (3 <= prec f)%Z -> tiny f <= / 8.
Proof. intros H. change (/ 8) with (bpow radix2 (-3)). apply bpow_le. generalize (emin_neg f). lia. Qed.

Section Ascending.
Variables fs fa : format.
Hypothesis bits : (3 <= prec fa <= 53)%Z.
Variable M : nat.
Variable x : Sheet.head.
Hypothesis open : Sheet.close x = false.
Notation head := (typed fs fa Ascending M x).
Notation C := (Sheet.kappa x).
Hypothesis C_1 : 1 <= C.

(* the sheet counts more roundings of the scale *)
Lemma kept_le : 0 < Sheet.once_kept head <= 1 - eps fa.
Proof.
  unfold Sheet.once_kept. fields. assert (Ua := u_pos fa). assert (Uh := u_le_half fa). assert (Us := u_pos fs).
  assert (Ush := u_le_half fs). assert (V := v64_tiny). assert (UV := u_ge_v fa ltac:(lia)). assert (F :=
    f64_error_bounds).
  unfold eps. replace (1 - (1 - (1 - u fa) * (1 - f64_error))) with ((1 - u fa) * (1 - f64_error)) by ring.
  split. { apply Rmult_lt_0_compat; [apply pow_lt; lra|apply Rmult_lt_0_compat; apply pow_lt; lra]. }
  assert (A : 0 <= (1 - u fs) ^ 2 <= 1) by (split; [apply pow_le; lra|rewrite <- (pow1 2); apply pow_incr; lra]).
  assert (B : 0 <= (1 - u fa) ^ 4 <= 1 - v64).
  { split. apply pow_le; lra. apply Rle_trans with ((1 - v64) ^ 4). apply pow_incr; lra. simpl. nra. }
  assert (D : 0 <= (1 - v64) ^ 4 <= 1 - 3 * v64) by (split; [apply pow_le; lra|simpl; nra]).
  replace ((1 - u fa) ^ 5 * (1 - v64) ^ 4) with ((1 - u fa) * ((1 - u fa) ^ 4 * (1 - v64) ^ 4)) by ring.
  assert (G : (1 - u fa) ^ 4 * (1 - v64) ^ 4 <= 1 - f64_error).
  { assert (B2 : (1 - u fa) ^ 4 <= 1 - 3 * v64). { eapply Rle_trans; [apply (pow_incr (1 - u fa) (1 - v64)); lra|].
    simpl. nra. }
    apply Rle_trans with ((1 - 3 * v64) * (1 - 3 * v64)). apply Rmult_le_compat; lra. nra. }
  assert (P : 0 <= (1 - u fa) ^ 4 * (1 - v64) ^ 4) by (apply Rmult_le_pos; lra).
  assert (Q : 0 <= (1 - u fa) * ((1 - u fa) ^ 4 * (1 - v64) ^ 4)) by (apply Rmult_le_pos; lra).
  apply Rle_trans with (1 * ((1 - u fa) * ((1 - u fa) ^ 4 * (1 - v64) ^ 4))). apply Rmult_le_compat_r; lra.
  rewrite Rmult_1_l. apply Rmult_le_compat_l; lra.
Qed.
Lemma loser_less : loser_max fa C < 1.
Proof.
  unfold loser_max. assert (Ua := u_pos fa). assert (U8 := u_eighth fa ltac:(lia)). assert (T8 := tiny_eighth fa
    ltac:(lia)).
  assert (F := f64_error_bounds). assert (V := v64_tiny).
  assert (K : 4 / 5 <= (1 - eps fa) * C).
  { apply Rle_trans with ((1 - eps fa) * 1). unfold eps. nra. apply Rmult_le_compat_l; auto. unfold eps. nra. }
  assert (Ex : exp (- ((1 - eps fa) * C)) <= / (1 + 4 / 5)).
  { rewrite exp_Ropp. apply Rinv_le_contravar. lra. eapply Rle_trans; [|apply exp_ineq1_le]. lra. }
  assert (P := exp_pos (- ((1 - eps fa) * C))). nra.
Qed.
Lemma sigma_le : (1 <= M)%nat -> 0 <= sigma fa M C <= Sheet.once_rest head.
Proof.
  intros M1. assert (Ua := u_pos fa). assert (T := tiny_pos fa). assert (K := kept_le). unfold sigma. open_once.
  unfold Sheet.once_kept in K. revert K. fields. set (k := (1 - u fs) ^ 2 * ((1 - u fa) ^ 5 * (1 - v64) ^ 4)). intros
    K.
  assert (m1 : 1 <= INR M) by (change 1 with (INR 1); now apply le_INR).
  assert (L := proj1 (ln_le_M M M ltac:(lia))). set (Y := ln (INR M) + C) in *. assert (Y0 : 0 <= Y) by (unfold Y;
    lra).
  assert (P := exp_pos (- ((1 - eps fa) * Y))).
  assert (0 <= (1 + 2 * u fa) * exp (- ((1 - eps fa) * Y))) by (apply Rmult_le_pos; lra).
  split. apply Rmult_le_pos; lra. apply Rmult_le_compat_l. lra. apply Rplus_le_compat_r. apply Rmult_le_compat_l. lra.
  apply exp_mono. assert (k * Y <= (1 - eps fa) * Y) by (apply Rmult_le_compat_r; lra). lra.
Qed.
Theorem once_within_sheet_ascending E n K (c : nat -> bool) logit lam y : exp_model fa E ->
  Sheet.once_error head <= / 4 -> (0 < n <= M)%nat -> (length K <= n)%nat -> expression fa (ln (INR n) + C) lam ->
  (forall j, In j K -> logit j = if c j then lam else 0) ->
  softmax_row fs fa E Ascending logit (fun j => if c j then 1 else 0) K y ->
  ((forall j, In j K -> c j = false) -> y = 0) /\
  (forall j, In j K -> c j = true -> Rabs (y - 1) <= Sheet.once_error head /\ 0 <= y).
Proof.
  intros HE Q Hn Ln Hl Lg SR. assert (Ua := u_pos fa). assert (Us := u_stored_range fs fa). assert (Uh := u_le_half
    fa).
  destruct (sigma_le ltac:(lia)) as [S0 S1].
  assert (Le : once_error fs fa M C <= Sheet.once_error head).
  { unfold once_error, Sheet.once_error, Sheet.once_sum, Sheet.once_known, Sheet.less. set (R := Sheet.once_rest
    head) in *.
    fields. rewrite open. apply Rplus_le_compat_l, Ropp_le_contravar. apply Rmult_le_compat_l. apply Rmult_le_pos;
      lra.
    assert (P : 1 <= (1 + u fa) ^ Z.to_nat (prec fa)) by (apply pow_R1_Rle; lra).
    apply Rinv_le_contravar. apply Rmult_lt_0_compat; lra. apply Rmult_le_compat; try lra. apply Rle_pow; [lra|lia]. }
  destruct (once_near fs fa E HE M C n K c logit lam y C_1 loser_less ltac:(lra) Hn Ln Hl Lg SR) as [A B].
  split; auto. intros j Hj Hc. destruct (B j Hj Hc). split; auto. lra.
Qed.
(* what the sheet asks of one loser holds in every such type *)
Theorem sheet_once_light : (3 <= prec fs)%Z -> (4 <= prec fa)%Z -> (1 <= M)%nat -> Sheet.once_light head.
Proof.
  intros Ps Pa M1 _. unfold Sheet.once_loser, Sheet.once_exps, Sheet.once_kept, Sheet.log_M. fields.
  assert (Us := u_pos fs). assert (Us8 := u_eighth fs Ps). assert (Ua := u_pos fa). assert (V := v64_tiny).
  assert (U16 : u fa <= / 16) by (rewrite u_bpow; change (/ 16) with (bpow radix2 (-4)); apply bpow_le; lia).
  assert (T16 : tiny fa <= / 16) by (change (/ 16) with (bpow radix2 (-4)); apply bpow_le; generalize (emin_neg fa);
    lia).
  assert (T := tiny_pos fa). assert (L := proj1 (ln_le_M M M ltac:(lia))).
  assert (K : / 2 <= (1 - u fs) ^ 2 * ((1 - u fa) ^ 5 * (1 - v64) ^ 4)).
  { assert (A : (7 / 8) ^ 2 <= (1 - u fs) ^ 2) by (apply pow_incr; lra).
    assert (B : (15 / 16) ^ 5 <= (1 - u fa) ^ 5) by (apply pow_incr; lra).
    assert (D : (99 / 100) ^ 4 <= (1 - v64) ^ 4) by (apply pow_incr; lra).
    apply Rle_trans with ((7 / 8) ^ 2 * ((15 / 16) ^ 5 * (99 / 100) ^ 4)). simpl. lra.
    assert (0 <= (15 / 16) ^ 5) by (apply pow_le; lra). assert (0 <= (99 / 100) ^ 4) by (apply pow_le; lra).
    apply Rmult_le_compat; try (apply pow_le; lra); auto. apply Rmult_le_pos; auto. apply Rmult_le_compat; auto. }
  set (k := (1 - u fs) ^ 2 * ((1 - u fa) ^ 5 * (1 - v64) ^ 4)) in *. set (Y := ln (INR M) + C).
  assert (Y1 : / 2 * 1 <= k * Y) by (apply Rmult_le_compat; unfold Y; lra).
  assert (Ex : exp (2 * tiny fa - k * Y) <= / (1 + 3 / 8)).
  { apply Rle_trans with (exp (- (3 / 8))). apply exp_mono. lra. rewrite exp_Ropp. apply Rinv_le_contravar. lra.
    apply exp_ineq1_le. }
  assert (P := exp_pos (2 * tiny fa - k * Y)). nra.
Qed.
End Ascending.

(* ---- how large a logit of the row is, a unit in the last place included ---- *)
Theorem sheet_once_range fs fa ord M x n lam l : (3 <= prec fs <= 53)%Z -> (4 <= prec fa <= 53)%Z -> (prec fs <= prec
  fa)%Z ->
  Sheet.X x = ln (INR M) + Sheet.kappa x -> 1 <= Sheet.kappa x -> Sheet.once_range (typed fs fa ord M x) -> (1 <= n
    <= M)%nat ->
  expression fa (ln (INR n) + Sheet.kappa x) lam -> 4 * tiny fa <= u fa ->
  Rabs (l - lam) <= ulp radix2 (FLT_exp (emin fa) (prec fa)) lam ->
  Rabs l <= Sheet.X x + Sheet.once_rounding (typed fs fa ord M x) /\ 2 * Rabs l <= top fa.
Proof.
  intros Ps Pa Psa HX C1 Rg Hn [(y' & H1 & _ & El) _] Tu Hl.
  assert (Ua := u_pos fa). assert (Us := u_pos fs). assert (V := v64_tiny). assert (UV := u_ge_v fa ltac:(lia)).
  assert (F := f64_error_bounds). assert (T := tiny_pos fa).
  assert (U16 : u fa <= / 16) by (rewrite u_bpow; change (/ 16) with (bpow radix2 (-4)); apply bpow_le; lia).
  assert (Us8 := u_eighth fs ltac:(lia)). assert (Uas : u fa <= u fs) by (rewrite !u_bpow; apply bpow_le; lia).
  destruct (ln_le_M n M Hn) as [L0 L1]. set (C := Sheet.kappa x) in *. set (Y := ln (INR n) + C) in *.
  assert (Y1 : 1 <= Y) by (unfold Y; lra). assert (YX : Y <= Sheet.X x) by (rewrite HX; unfold Y; lra).
  rewrite (Rabs_pos_eq Y) in H1 by lra. apply Rabs_le_inv in H1.
  assert (B1 : Rabs y' <= (1 + f64_error) * Y). { apply Rabs_le. assert (0 <= f64_error * Y) by (apply Rmult_le_pos;
    lra).
    assert (f64_error * Y <= 1 * Y) by (apply Rmult_le_compat_r; lra). lra. }
  assert (B2 : Rabs lam <= (1 + u fa) * ((1 + f64_error) * Y) + / 2 * tiny fa).
  { assert (R := rnd_error fa y'). rewrite <- El in R. replace lam with ((lam - y') + y') by ring.
    eapply Rle_trans; [apply Rabs_triang|]. assert (u fa * Rabs y' <= u fa * ((1 + f64_error) * Y)) by (apply
      Rmult_le_compat_l; lra). lra. }
  assert (B3 : ulp radix2 (FLT_exp (emin fa) (prec fa)) lam <= 2 * u fa * Rabs lam + tiny fa) by apply ulp_rel.
  assert (B4 : Rabs l <= (1 + 2 * u fa) * ((1 + u fa) * ((1 + f64_error) * Y) + / 2 * tiny fa) + tiny fa).
  { replace l with ((l - lam) + lam) by ring. eapply Rle_trans; [apply Rabs_triang|].
    assert ((1 + 2 * u fa) * Rabs lam <= (1 + 2 * u fa) * ((1 + u fa) * ((1 + f64_error) * Y) + / 2 * tiny fa)) by
      (apply Rmult_le_compat_l; lra). lra. }
  assert (G : Rabs l <= Sheet.X x + Sheet.once_rounding (typed fs fa ord M x)); [|revert Rg; unfold Sheet.once_range;
    fields; lra].
  unfold Sheet.once_rounding, Sheet.once_kept. fields.
  assert (W7 : (1 - u fa) ^ 7 <= 1 - 23 / 4 * u fa).
  { set (w := u fa) in *. assert (W2 : (1 - w) ^ 2 <= 1 - 31 / 16 * w) by nra. assert (W2p : 0 <= (1 - w) ^ 2) by
    (apply pow_le; lra).
    assert (W4 : (1 - w) ^ 4 <= (1 - 31 / 16 * w) ^ 2) by (replace ((1 - w) ^ 4) with (((1 - w) ^ 2) ^ 2) by ring;
      apply pow_incr; lra).
    assert (W4' : (1 - w) ^ 4 <= 1 - 29 / 8 * w) by nra. assert (W4p : 0 <= (1 - w) ^ 4) by (apply pow_le; lra).
    assert (W3 : (1 - w) ^ 3 <= 1 - 22 / 8 * w) by (replace ((1 - w) ^ 3) with ((1 - w) * (1 - w) ^ 2) by ring; nra).
    assert (W3p : 0 <= (1 - w) ^ 3) by (apply pow_le; lra). replace ((1 - w) ^ 7) with ((1 - w) ^ 4 * (1 - w) ^ 3) by
      ring.
    apply Rle_trans with ((1 - 29 / 8 * w) * (1 - 22 / 8 * w)). apply Rmult_le_compat; lra. nra. }
  assert (V4 : 0 <= (1 - v64) ^ 4 <= 1 - 399 / 100 * v64) by (split; [apply pow_le; lra|simpl; nra]).
  assert (F4 : f64_error <= 401 / 100 * v64) by (unfold f64_error; simpl; nra).
  assert (K : (1 - u fs) ^ 2 * ((1 - u fa) ^ 5 * (1 - v64) ^ 4) <= (1 - 23 / 4 * u fa) * (1 - 399 / 100 * v64)).
  { assert (A : 0 <= (1 - u fs) ^ 2 <= (1 - u fa) ^ 2) by (split; [apply pow_le; lra|apply pow_incr; lra]).
    assert (B : 0 <= (1 - u fa) ^ 5) by (apply pow_le; lra). assert (P7 : 0 <= (1 - u fa) ^ 7) by (apply pow_le; lra).
    apply Rle_trans with ((1 - u fa) ^ 2 * ((1 - u fa) ^ 5 * (1 - v64) ^ 4)).
    apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|lra].
    replace ((1 - u fa) ^ 2 * ((1 - u fa) ^ 5 * (1 - v64) ^ 4)) with ((1 - u fa) ^ 7 * (1 - v64) ^ 4) by ring.
    apply Rmult_le_compat; lra. }
  set (k := (1 - u fs) ^ 2 * ((1 - u fa) ^ 5 * (1 - v64) ^ 4)) in *. set (X := Sheet.X x) in *.
  assert (uv : 0 <= u fa * v64 <= / 1000000 * u fa) by (split; [apply Rmult_le_pos; lra|rewrite Rmult_comm; apply
    Rmult_le_compat_r; lra]).
  assert (K' : 5 * u fa + 401 / 100 * v64 <= 1 - k) by nra.
  assert (KX : (5 * u fa + 401 / 100 * v64) * X <= (1 - k) * X) by (apply Rmult_le_compat_r; lra).
  assert (Up : (1 + 2 * u fa) * ((1 + u fa) * (1 + f64_error)) + 2 * tiny fa <= 1 + 5 * u fa + 401 / 100 * v64).
  { assert (P : (1 + 2 * u fa) * (1 + u fa) <= 1 + 13 / 4 * u fa) by nra. assert (P0 : 0 <= (1 + 2 * u fa) * (1 + u
    fa)) by (apply Rmult_le_pos; lra).
    rewrite <- Rmult_assoc. apply Rle_trans with ((1 + 13 / 4 * u fa) * (1 + 401 / 100 * v64) + 2 * tiny fa).
    apply Rplus_le_compat_r. apply Rmult_le_compat; lra. nra. }
  assert (UpY : ((1 + 2 * u fa) * ((1 + u fa) * (1 + f64_error)) + 2 * tiny fa) * Y <= (1 + 5 * u fa + 401 / 100 *
    v64) * X).
  { apply Rle_trans with ((1 + 5 * u fa + 401 / 100 * v64) * Y). apply Rmult_le_compat_r; lra. apply
    Rmult_le_compat_l; lra. }
  assert (TY : 2 * tiny fa * 1 <= 2 * tiny fa * Y) by (apply Rmult_le_compat_l; lra).
  assert (TT : (1 + 2 * u fa) * (/ 2 * tiny fa) + tiny fa <= 2 * tiny fa).
  { assert (u fa * tiny fa <= / 16 * tiny fa) by (apply Rmult_le_compat_r; lra). lra. }
  lra.
Qed.
