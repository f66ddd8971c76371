(* The errors of heads from the length and the formats, as fractions that a program can compute; those of
   doc/certificate.md, but for a thousandth or less. They need no interval arithmetic (Fractions.v). *)
From Coq Require Import ZArith QArith Qround Qreals Reals Lia Lra Psatz List Bool Arith.
From Flocq Require Import Core.
From Temper Require Import Rows Heads Format Sums Nearest NearestAny Rounding Strings Programs FloatRun NearestHead
  OnceHead OnceTree OnceAny
  Replay.
From Temper.checker Require Import Model Checker Exactness HeadsOk TapsOk NearOk Fractions.
Import ListNotations.

Section Errors.
Variables (bits : kind) (M : Z).
Definition u_s := below (- digits bits).
Definition u_a := below (- sum_digits bits).
Definition t_s := below (Z.max (least bits) (-100)).
Definition t_a := below (-100).
Definition place_error_of : Q := ((5 # 2 ^ 53) + (1 # 2) * (u_s + t_s))%Q.
Definition key_error_of : Q := (place_error_of + (u_a + t_a) + (if one_format bits then 0 else u_s + t_s))%Q.
(* e: of a key; s: keys are at most 2^(s - 3) *)
Definition eta_of (e : Q) (s : Z) : Q := ((8 * M # 1) * e + 3 * u_a * inject_Z (2 ^ Z.log2 (M * 2 ^ s)) + 2 * t_a)%Q.
Definition leak_of (q eta : Q) : Q := ((1 + 2 * u_a) * exp_up (2 * eta) * (q / (1 - q)) + (1 # 2 ^ 40))%Q.
Definition loser : Q := exp_up (- (8) + 8 * u_a).                                    (* e^-8, of the nearest loser *)
Definition pick_of (q eta : Q) : option Q :=
  if (M <=? 2 ^ sum_digits bits)%Z && Qle_bool eta (7 # 2) && Qle_bool q (1 # 2) then
    let r := leak_of q eta in
    if one_format bits then
      let l := (2 * exp_up ((4 * M # 1) * u_a) * r)%Q in
      if Qle_bool l (1 # 2) then Some (small_up (l + u_a + t_a)%Q) else None
    else
      let rs := ((1 + u_s) * r + (M # 1) * t_s)%Q in
      if Qle_bool ((1 + 4 * rs) * ((1 + u_a) * (1 + u_s)) + t_s) (5 # 4) &&
         Qle_bool ((3 # 4) * (1 + 4 * r)) ((1 - u_a) * (1 - u_s)) then Some (1 # 4) else None
  else None.
Definition once_error_of : option Q :=
  if one_format bits then
    if (M <=? 2 ^ sum_digits bits)%Z then
      let q := (1 - (999 # 1000) / exp_up ((2 * M + 12 # 1) * (u_a * (1 + 2 * u_a))))%Q in
      if Qle_bool 0 q && Qle_bool q (1 # 4) then Some (small_up q) else None
    else None
  else Some (1 # 4).
(* with the error of comparisons, and what a count may add (CountBounds.v) *)
Definition with_counts (compare : option Q) (most : Z) : errors :=
  let q := loser in Errors once_error_of (pick_of q (eta_of key_error_of 4)) (pick_of q (eta_of place_error_of 3))
    compare most.
End Errors.

Local Open Scope R_scope.
Lemma pow_below_1 x n : 0 <= x <= 1 -> x ^ n <= 1.
Proof. intros H. rewrite <- (pow1 n). now apply pow_incr. Qed.
Lemma bernoulli u n : 0 <= u <= 1 -> 1 - INR n * u <= (1 - u) ^ n.
Proof.
  intros U. induction n as [|n IH]. simpl; lra. rewrite S_INR. cbn [pow]. assert (P := pos_INR n).
    assert (0 <= (1 - u) ^ n) by (apply pow_le; lra).
  assert ((1 - u) * (1 - INR n * u) <= (1 - u) * (1 - u) ^ n) by (apply Rmult_le_compat_l; lra). nra.
Qed.
Lemma exp_m8_le : exp (-8) <= / 1800.
Proof.
  replace (-8) with (- (8)) by lra. rewrite exp_Ropp. apply Rinv_le_contravar. lra.
  assert (E : exp 8 = exp (/ 8) ^ 64). { rewrite <- exp_pow || idtac. rewrite <- Rpower_pow by apply exp_pos.
    unfold Rpower. rewrite ln_exp. f_equal.
    replace (INR 64) with 64 by (simpl; lra). lra. }
  rewrite E. assert (X := exp_ineq1_le (/ 8)). apply Rle_trans with ((9 / 8) ^ 64). simpl; lra. apply pow_incr. lra.
Qed.
Lemma ln_2_le : ln 2 <= 1.
Proof. rewrite <- (ln_exp 1). destruct (Req_dec 2 (exp 1)) as [<-|N]. lra. left. apply ln_increasing. lra.
  assert (X := exp_ineq1 1 ltac:(lra)). lra. Qed.

Section Bounds.
Variables (fs fa : format) (ord : order) (bits : kind).
Hypothesis pair : pair_of fs fa ord bits.
Hypothesis sound_kind : sane bits = true.
Variable Mz : Z.
Hypothesis M1 : (1 <= Mz)%Z.
Hypothesis M53 : (Mz <= 2 ^ 53)%Z.
Let M := Z.to_nat Mz.
Notation u := (u fa). Notation t := (tiny fa).
Lemma sizes : prec fa = sum_digits bits /\ (24 <= sum_digits bits <= 53)%Z /\ (emin fa <= -149)%Z /\
  prec fs = digits bits /\
  (4 <= digits bits)%Z /\ emin fs = least bits.
Proof. destruct pair as ((A & B & _) & (C & D & _) & _). assert (K := kind_sizes bits sound_kind). lia. Qed.
Lemma EM : INR M = IZR Mz. Proof. apply INR_Z. lia. Qed.
Lemma u_small : 0 < u <= / 16777216.
Proof.
  split. apply u_pos. rewrite u_bpow. change (/ 16777216) with (bpow radix2 (-24)). apply bpow_le. generalize sizes.
    lia.
Qed.
Lemma t_small : 0 < t <= bpow radix2 (-149). Proof. split. apply tiny_pos. apply bpow_le. generalize sizes. lia. Qed.
Lemma M_range : 1 <= IZR Mz <= bpow radix2 53.
Proof.
  split. now apply IZR_le. rewrite <- pow_IZR by lia. now apply IZR_le.
Qed.
Lemma MMt : IZR Mz ^ 2 * t <= / 8000000000000.
Proof.
  destruct M_range as [A B]. destruct t_small as [C D]. apply Rle_trans with (bpow radix2 53 ^ 2 * bpow radix2
    (-149)).
  apply Rmult_le_compat; try lra. apply pow_le; lra. apply pow_incr; lra.
  replace (bpow radix2 53 ^ 2 * bpow radix2 (-149)) with (bpow radix2 (-43)).
  - change (bpow radix2 (-43)) with (/ IZR (2 ^ 43)). simpl. lra.
  - cbn [pow]. rewrite Rmult_1_r, <- !bpow_plus. reflexivity.
Qed.
Lemma Mt : 0 <= IZR Mz * t <= / 8000000000000.
Proof.
  assert (X := MMt). destruct M_range as [A _]. destruct t_small as [C _]. split. apply Rmult_le_pos; lra.
  apply Rle_trans with (IZR Mz ^ 2 * t); auto. apply Rmult_le_compat_r. lra. simpl. nra.
Qed.
Lemma t_tiny : t <= / 1000000000000.
Proof. assert (X := Mt). destruct M_range as [A _]. destruct t_small as [C _]. nra. Qed.
Lemma ln_M : 0 <= ln (IZR Mz) <= 53.
Proof.
  destruct M_range as [A B]. split. rewrite <- ln_1. destruct A as [A|<-]; [left; apply ln_increasing; lra|right;
    auto].
  apply Rle_trans with (ln (bpow radix2 53)). destruct B as [B| ->]; [left; apply ln_increasing; lra|right; auto].
  rewrite <- pow_IZR by lia. replace (IZR (2 ^ 53)) with (2 ^ 53) by (simpl; lra). rewrite ln_pow by lra.
    assert (X := ln_2_le).
  replace (INR 53) with 53 by (simpl; lra). lra.
Qed.
(* ---- once ---- *)
Lemma losers_le ep : 0 <= ep <= 11 * u ->
  0 <= (IZR Mz - 1) * ((1 + 2 * u) ^ 6 * exp (- ((1 - ep) * (ln (IZR Mz) + 8)) + 2 * t) + t) <= / 1750.
Proof.
  intros Ep. destruct u_small as [U0 U1]. destruct t_small as [T0 _]. assert (TT := t_tiny).
  assert (A := MMt). assert (B := Mt). destruct M_range as [m1 m2]. destruct ln_M as [l0 l1].
  split.
  { apply Rmult_le_pos. lra. apply Rplus_le_le_0_compat; [|lra]. apply Rmult_le_pos. apply pow_le; lra. left;
    apply exp_pos. }
  set (X := ln (IZR Mz) + 8) in *. assert (X61 : 8 <= X <= 61) by (unfold X; lra).
  assert (Y : 0 <= ep * X + 2 * t <= / 20000) by (split; [apply Rplus_le_le_0_compat; [apply Rmult_le_pos|];
    lra|nra]).
  assert (Ex : exp (- ((1 - ep) * X) + 2 * t) <= / IZR Mz * (/ 1800 * (1 + / 10000))).
  { replace (- ((1 - ep) * X) + 2 * t) with (- ln (IZR Mz) + (-8 + (ep * X + 2 * t))) by (unfold X; ring).
    rewrite exp_plus, exp_Ropp, exp_ln by lra.
    apply Rmult_le_compat_l. left. apply Rinv_0_lt_compat; lra. rewrite exp_plus. assert (E8 := exp_m8_le).
      assert (E0 := exp_pos (-8)).
    assert (Ed := exp_double (ep * X + 2 * t) ltac:(lra)). assert (Ep0 := exp_pos (ep * X + 2 * t)).
      apply Rmult_le_compat; lra. }
  assert (P6 : 1 <= (1 + 2 * u) ^ 6 <= 1 + / 10000).
  { split. apply pow_R1_Rle; lra. apply Rle_trans with ((1 + 2 * / 16777216) ^ 6). apply pow_incr; lra. simpl; lra. }
  assert (I : 0 < / IZR Mz) by (apply Rinv_0_lt_compat; lra).
  assert (Big : (IZR Mz - 1) * ((1 + 2 * u) ^ 6 * exp (- ((1 - ep) * X) + 2 * t) + t) <= (1 + / 10000)
    * (/ 1800 * (1 + / 10000)) + IZR Mz * t).
  { assert (W : (1 + 2 * u) ^ 6 * exp (- ((1 - ep) * X) + 2 * t) <= (1 + / 10000)
    * (/ IZR Mz * (/ 1800 * (1 + / 10000)))).
    { apply Rmult_le_compat; try lra. left; apply exp_pos. }
    assert (Z : (IZR Mz - 1) * ((1 + / 10000) * (/ IZR Mz * (/ 1800 * (1 + / 10000)))) <= (1 + / 10000)
      * (/ 1800 * (1 + / 10000))).
    { replace ((IZR Mz - 1) * ((1 + / 10000) * (/ IZR Mz * (/ 1800 * (1 + / 10000))))) with
        (((1 + / 10000) * (/ 1800 * (1 + / 10000))) * ((IZR Mz - 1) * / IZR Mz)) by ring.
      rewrite <- (Rmult_1_r ((1 + / 10000) * (/ 1800 * (1 + / 10000)))) at 2. apply Rmult_le_compat_l. lra.
      rewrite Rmult_minus_distr_r, Rinv_r by lra. lra. }
    assert ((IZR Mz - 1) * ((1 + 2 * u) ^ 6 * exp (- ((1 - ep) * X) + 2 * t)) <= (IZR Mz - 1) * ((1 + / 10000)
      * (/ IZR Mz * (/ 1800 * (1 + / 10000)))))
      by (apply Rmult_le_compat_l; lra). lra. }
  lra.
Qed.
Lemma once_sigma_le : once_any_sigma fa M 8 <= / 1700.
Proof.
  unfold once_any_sigma, once_any_eps. rewrite EM. destruct u_small as [U0 U1]. assert (A := MMt).
  set (ep := 1 - (1 - u) ^ 2 * (1 - u) ^ 5 * (1 - v64) ^ 4).
  assert (V : 0 <= v64 <= u). { unfold v64. split. apply bpow_ge_0. rewrite u_bpow. apply bpow_le. generalize sizes;
    lia. }
  assert (Ep : 0 <= ep <= 11 * u).
  { unfold ep. assert (P2 : 0 <= (1 - u) ^ 2 * (1 - u) ^ 5 <= 1).
    { rewrite <- pow_add. split. apply pow_le; lra. apply pow_below_1; lra. }
    assert (P4 : 0 <= (1 - v64) ^ 4 <= 1) by (split; [apply pow_le|apply pow_below_1]; lra).
    assert (B7 := bernoulli u 7 ltac:(lra)). assert (B4 := bernoulli v64 4 ltac:(lra)). rewrite <- pow_add in *.
      cbn [Nat.add] in *.
    replace (INR 7) with 7 in B7 by (simpl; lra). replace (INR 4) with 4 in B4 by (simpl; lra). nra. }
  assert (X := losers_le ep Ep). lra.
Qed.
Lemma once_w_ge : / 2 <= once_any_w fa M 8 * (99 / 100) /\ 99 / 100 <= once_any_w fa M 8.
Proof.
  unfold once_any_w. rewrite EM. destruct u_small as [U0 U1]. destruct ln_M as [l0 l1].
    set (X := ln (IZR Mz) + 8) in *.
  assert (A := bernoulli (2 * u) 3 ltac:(lra)). replace (INR 3) with 3 in A by (simpl; lra).
  assert (Y : 0 <= 5 * u * X <= / 1000) by (unfold X; split; nra). assert (B := exp_ineq1_le (- (5 * u * X))).
  assert (99 / 100 <= (1 - 2 * u) ^ 3 * exp (- (5 * u * X))).
  { apply Rle_trans with ((999 / 1000) * (999 / 1000)). lra. apply Rmult_le_compat; lra. }
  lra.
Qed.
(* ---- what the program computes is a bound ---- *)
Ltac to_R := repeat (rewrite Q2R_plus || rewrite Q2R_mult || rewrite Q2R_minus || rewrite Q2R_z || rewrite Q2R_inject
  ||
  rewrite Q2R_opp || rewrite Q2R_pow2).
Ltac to_R_in H := repeat (rewrite Q2R_plus in H || rewrite Q2R_mult in H || rewrite Q2R_minus in H || rewrite Q2R_z
  in H
  || rewrite Q2R_inject in H || rewrite Q2R_opp in H || rewrite Q2R_pow2 in H).
Lemma u_a_is : Q2R (u_a bits) = u.
Proof. unfold u_a. rewrite below_is by (generalize sizes; lia). rewrite u_bpow. f_equal. generalize sizes. lia. Qed.
Lemma u_s_is : Q2R (u_s bits) = Format.u fs.
Proof. unfold u_s. rewrite below_is by (generalize sizes; lia). rewrite u_bpow. f_equal. generalize sizes. lia. Qed.
Lemma t_s_ge : tiny fs <= Q2R (t_s bits).
Proof.
  assert (S := sizes). assert (K := kind_sizes bits sound_kind). unfold t_s. rewrite below_is by lia. unfold tiny.
  apply bpow_le. lia.
Qed.
Lemma t_a_ge : t <= Q2R t_a.
Proof. assert (S := sizes). unfold t_a. rewrite below_is by lia. unfold tiny. apply bpow_le. lia. Qed.
Lemma q_1 : Q2R 1 = 1. Proof. unfold Q2R; simpl; lra. Qed.
Lemma q_0 : Q2R 0 = 0. Proof. unfold Q2R; simpl; lra. Qed.
Lemma q_half : Q2R (1 # 2) = / 2. Proof. unfold Q2R; simpl; lra. Qed.
Lemma q_2 : Q2R 2 = 2. Proof. unfold Q2R; simpl; lra. Qed.
Lemma q_3 : Q2R 3 = 3. Proof. unfold Q2R; simpl; lra. Qed.
Lemma q_4 : Q2R 4 = 4. Proof. unfold Q2R; simpl; lra. Qed.
Lemma q_8 : Q2R 8 = 8. Proof. unfold Q2R; simpl; lra. Qed.
Lemma some_is {X} (a b : X) : Some a = Some b -> b = a. Proof. now intros [= ->]. Qed.
Lemma place_error_le : place_error fs <= Q2R (place_error_of bits).
Proof.
  unfold place_error, place_error_of. to_R. rewrite u_s_is, ?q_half. assert (T := t_s_ge).
    assert (F := f64_error_small).
  assert (F5 : 5 / 10 ^ 16 <= 5 * / IZR (2 ^ Z.pos 53)) by (simpl; lra). lra.
Qed.
Lemma key_error_le : key_error fs fa (one_format bits) <= Q2R (key_error_of bits).
Proof.
  unfold key_error, key_error_of. to_R. rewrite u_a_is. assert (P := place_error_le). assert (T := t_s_ge).
  assert (Ta := t_a_ge). assert (T0 := tiny_pos fs). assert (T1 := tiny_pos fa).
  destruct (one_format bits). rewrite ?q_0. lra. to_R. rewrite u_s_is. lra.
Qed.
Lemma place_error_pos : 0 <= place_error fs.
Proof. unfold place_error. generalize f64_error_pos (u_pos fs) (tiny_pos fs). lra. Qed.
Lemma key_error_pos : 0 <= key_error fs fa (one_format bits).
Proof.
  unfold key_error. generalize place_error_pos (u_pos fs) (tiny_pos fs) (u_pos fa) (tiny_pos fa).
  destruct (one_format bits); lra.
Qed.
(* k is the least with M 2^s < 2^k *)
Lemma log_k s : (0 <= s)%Z -> let k := (Z.log2 (Mz * 2 ^ s) + 1)%Z in INR M * bpow radix2 s < bpow radix2 k /\
  bpow radix2 (k - 1) = IZR (2 ^ Z.log2 (Mz * 2 ^ s)).
Proof.
  intros S. cbv zeta. assert (P : (0 < Mz * 2 ^ s)%Z) by (assert (0 < 2 ^ s)%Z by (apply Z.pow_pos_nonneg; lia); nia).
  destruct (Z.log2_spec _ P) as [A B]. assert (L := Z.log2_nonneg (Mz * 2 ^ s)). split.
  - rewrite EM, <- (pow_IZR s), <- mult_IZR, <- pow_IZR by lia. apply IZR_lt. rewrite <- Z.add_1_r in B. exact B.
  - replace (Z.log2 (Mz * 2 ^ s) + 1 - 1)%Z with (Z.log2 (Mz * 2 ^ s)) by lia. rewrite <- pow_IZR; auto.
Qed.
Lemma eta_le e q s : (0 <= s)%Z -> 0 <= e -> e <= Q2R q -> let k := (Z.log2 (Mz * 2 ^ s) + 1)%Z in
  0 <= logit_error fa M e k <= Q2R (eta_of bits Mz q s).
Proof.
  intros S E0 H. cbv zeta. destruct (log_k s S) as [_ B]. unfold logit_error, eta_of. to_R.
  rewrite u_a_is, ?q_3, ?q_2, mult_IZR, B, EM. set (b := IZR (2 ^ Z.log2 (Mz * 2 ^ s))).
  assert (b0 : 0 <= b). { unfold b. apply IZR_le. apply Z.pow_nonneg. lia. }
  assert (T := t_a_ge). assert (T1 := tiny_pos fa). assert (U := u_pos fa). destruct M_range as [m1 _].
  assert (0 <= 8 * IZR Mz * e) by (apply Rmult_le_pos; lra). assert (0 <= u * b) by (apply Rmult_le_pos; lra).
  assert (8 * IZR Mz * e <= 8 * IZR Mz * Q2R q) by (apply Rmult_le_compat_l; lra). lra.
Qed.
Lemma Mu_le : (Mz <= 2 ^ sum_digits bits)%Z -> 0 <= IZR Mz * u <= 1.
Proof.
  intros MB. assert (S := sizes). destruct M_range as [m1 _]. assert (U := u_pos fa). split. apply Rmult_le_pos; lra.
  rewrite u_bpow. destruct S as (Sp & S). rewrite Sp.
  apply Rle_trans with (bpow radix2 (sum_digits bits) * bpow radix2 (- sum_digits bits)).
  apply Rmult_le_compat_r. apply bpow_ge_0. rewrite <- pow_IZR by lia. now apply IZR_le.
  rewrite <- bpow_plus, Z.add_opp_diag_r. simpl. lra.
Qed.
Lemma ratio_le q p : 0 < q <= p -> p < 1 -> 0 <= q / (1 - q) <= p / (1 - p).
Proof.
  intros H P. split. apply Rmult_le_pos. lra. left. apply Rinv_0_lt_compat. lra.
  apply Rmult_le_compat. lra. left. apply Rinv_0_lt_compat. lra. lra. apply Rinv_le_contravar; lra.
Qed.
Lemma leak_le eta q (p := loser bits) : 0 <= eta <= Q2R q -> Q2R q <= 7 / 2 -> Q2R p <= / 2 ->
  0 <= (1 + 2 * u) * exp (2 * eta) * (exp (- (8 * (1 - u))) / (1 - exp (- (8 * (1 - u))))) + 2 * INR M ^ 2 * t <=
    Q2R (leak_of bits p q).
Proof.
  intros He Hq P1. unfold leak_of. to_R. rewrite ?q_1, ?q_2, u_a_is.
  assert (U := u_small). assert (A := MMt). assert (T1 := tiny_pos fa). rewrite EM.
  assert (X8 : Q2R (- (8) + 8 * u_a bits) = - (8 * (1 - u))). { to_R. rewrite ?q_8, u_a_is. ring. }
  assert (Ep : exp (- (8 * (1 - u))) <= Q2R p) by (unfold p, loser; apply exp_up_ok; rewrite X8; lra). clearbody p.
  assert (E0 := exp_pos (- (8 * (1 - u)))). destruct (ratio_le _ _ (conj E0 Ep) ltac:(lra)) as [R0 R1].
  assert (Ee : exp (2 * eta) <= Q2R (exp_up (2 * q))) by (apply exp_up_ok; rewrite Q2R_mult, ?q_2; lra).
  assert (Ee0 := exp_pos (2 * eta)). assert (Dv : Q2R (p / (1 - p)) = Q2R p / (1 - Q2R p)).
  { unfold Qdiv, Rdiv. rewrite Q2R_mult, Q2R_inv, Q2R_minus, ?q_1. reflexivity.
    intros Z. apply Qeq_eqR in Z. rewrite Q2R_minus, ?q_1, ?q_0 in Z. lra. }
  rewrite Dv. assert (Sq : 0 <= 2 * IZR Mz ^ 2 * t) by (apply Rmult_le_pos; [apply Rmult_le_pos; [lra|apply pow_le;
    generalize M_range; lra]|lra]).
  assert (S40 : 2 * / 8000000000000 <= 1 * / IZR (2 ^ Z.pos 40)) by (simpl; lra).
  assert (0 <= (1 + 2 * u) * exp (2 * eta)) by (apply Rmult_le_pos; lra).
  assert (Y : (1 + 2 * u) * exp (2 * eta) * (exp (- (8 * (1 - u))) / (1 - exp (- (8 * (1 - u))))) <=
    (1 + 2 * u) * Q2R (exp_up (2 * q)) * (Q2R p / (1 - Q2R p))).
  { apply Rmult_le_compat; auto. apply Rmult_le_compat_l; lra. }
  split. apply Rplus_le_le_0_compat; auto. apply Rmult_le_pos; auto. lra.
Qed.
Theorem pick_ok eta q d : 0 <= eta <= Q2R q -> pick_of bits Mz (loser bits) q = Some d ->
  (Z.of_nat M <= 2 ^ prec fa)%Z /\
  picks fs fa ord M eta d.
Proof.
  intros He. unfold pick_of. cbv zeta. destruct (Z.leb_spec Mz (2 ^ sum_digits bits)) as [MB|]; [|discriminate].
  cbn [andb]. destruct (Qle_bool q (7 # 2) && _) eqn:Q7; [|discriminate]. apply andb_prop in Q7.
    destruct Q7 as [Q7 Qp].
  apply Qle_bool_iff in Q7, Qp. apply Qle_Rle in Q7, Qp. rewrite ?q_half in Qp.
  replace (Q2R (7 # 2)) with (7 / 2) in Q7 by (unfold Q2R; simpl; lra).
  intros H. assert (S := sizes). assert (U := u_small). assert (Ta := t_a_ge). assert (T1 := tiny_pos fa).
  split. { unfold M. rewrite Z2Nat.id by lia. destruct S as (-> & _). exact MB. }
  assert (Mu := Mu_le MB).
  destruct (leak_le eta q He Q7 Qp) as [L0 L1]. set (r := leak_of bits _ q) in *.
  assert (Or : (one_format bits = true /\ fs = fa /\ ord = AnyOrder) \/ (one_format bits = false /\ ord = Ascending)).
  { destruct pair as (_ & _ & P). destruct (one_format bits); tauto. }
  destruct Or as [(O & Ef & Oo)|(O & Oo)]; rewrite O in H.
  - destruct (Qle_bool _ (1 # 2)) eqn:Q2 in H; [|discriminate]. apply some_is in H. subst d. apply Qle_bool_iff in Q2.
    apply Qle_Rle in Q2. rewrite ?q_half in Q2. unfold picks. rewrite Oo. to_R_in Q2. rewrite ?q_2 in Q2.
    set (ex := Q2R (exp_up ((4 * Mz # 1) * u_a bits))) in *.
    assert (Pw : 1 <= (1 + u) ^ (4 * M) <= ex).
    { split. apply pow_R1_Rle; lra. eapply Rle_trans; [apply pow_exp|]. unfold ex. rewrite mult_INR, EM.
      replace (INR 4) with 4 by (simpl; lra). apply exp_up_ok; rewrite Q2R_mult, Q2R_z, u_a_is, mult_IZR; lra. }
    set (lk := leak_any fa M eta 8). assert (Lk : 0 <= lk <= Q2R r) by (unfold lk, leak_any; cbv zeta; split;
      [exact L0|exact L1]).
    assert (B : 2 * (1 + u) ^ (4 * M) * lk <= 2 * ex * Q2R r) by (apply Rmult_le_compat; try lra).
    assert (B0 : 0 <= 2 * (1 + u) ^ (4 * M) * lk) by (apply Rmult_le_pos; lra).
    set (L := 2 * (1 + u) ^ (4 * M) * lk) in *.
    assert (Dd := small_up_ok (2 * exp_up ((4 * Mz # 1) * u_a bits) * r + u_a bits + t_a)%Q).
    rewrite !Q2R_plus, !Q2R_mult, ?q_2, u_a_is in Dd. fold ex in Dd.
    split; [split; lra|]. split; [lra|]. unfold error_any, error_row. cbv zeta. fold lk. fold L. apply Rmax_lub.
    + assert (Y : 1 - (1 - u) / (1 + L) = (L + u) / (1 + L)) by (field; lra). rewrite Y.
      apply Rle_trans with (L + u). 2: lra. apply Rmult_le_reg_r with (1 + L). lra. unfold Rdiv.
        rewrite Rmult_assoc, Rinv_l by lra. nra.
    + assert (L * u <= 1 * u) by (apply Rmult_le_compat_r; lra). lra.
  - destruct (Qle_bool _ (5 # 4) && _) eqn:Qb in H; [|discriminate]. apply some_is in H. subst d.
    apply andb_prop in Qb.
    destruct Qb as [Qa Qb]. apply Qle_bool_iff in Qa, Qb. apply Qle_Rle in Qa, Qb.
    assert (d4 : Q2R (1 # 4) = / 4) by (unfold Q2R; simpl; lra).
    replace (Q2R (5 # 4)) with (5 / 4) in Qa by (unfold Q2R; simpl; lra). to_R_in Qa. to_R_in Qb.
    replace (Q2R (3 # 4)) with (3 / 4) in Qb by (unfold Q2R; simpl; lra).
    rewrite ?q_1, ?q_4, ?u_a_is, ?u_s_is in Qa, Qb. unfold picks. rewrite Oo, d4.
    assert (Us := u_pos fs). assert (Ts := tiny_pos fs). assert (Tg := t_s_ge).
      destruct (u_stored_range fs fa) as [[us0 us1] us2].
    set (lk := (1 + 2 * u) * exp (2 * eta) * (exp (- (8 * (1 - u))) / (1 - exp (- (8 * (1 - u))))) + INR M * tiny fa).
    assert (Lk : 0 <= lk <= Q2R r).
    { assert (Mt1 := Mt). assert (M2 : INR M * t <= 2 * INR M ^ 2 * t).
      { rewrite EM. apply Rmult_le_compat_r. lra. destruct M_range. simpl. nra. }
      assert (P0 : 0 <= (1 + 2 * u) * exp (2 * eta) * (exp (- (8 * (1 - u))) / (1 - exp (- (8 * (1 - u)))))).
      { assert (E0 := exp_pos (- (8 * (1 - u)))). assert (E1 : exp (- (8 * (1 - u))) < 1).
        { apply Rlt_le_trans with (exp 0). apply exp_increasing. lra. rewrite exp_0. lra. }
        assert (E2 := exp_pos (2 * eta)). apply Rmult_le_pos. apply Rmult_le_pos; lra. apply Rmult_le_pos. lra.
        left. apply Rinv_0_lt_compat. lra. }
      unfold lk. rewrite EM in *. split; lra. }
    set (Ls := stored_leak fs fa lk (INR M)). set (Rs := (1 + Format.u fs) * Q2R r + IZR Mz * Q2R (t_s bits)) in *.
    assert (Hs : 0 <= Ls <= Rs).
    { unfold Ls, stored_leak, Rs. rewrite EM. destruct M_range as [m1 _].
      assert (A1 : (1 + Format.u fs) * lk <= (1 + Format.u fs) * Q2R r) by (apply Rmult_le_compat_l; lra).
      assert (A2 : 0 <= (1 + Format.u fs) * lk) by (apply Rmult_le_pos; lra).
      assert (A3 : 0 <= IZR Mz * tiny fs) by (apply Rmult_le_pos; lra).
      assert (A4 : IZR Mz * tiny fs <= IZR Mz * Q2R (t_s bits)) by (apply Rmult_le_compat_l; lra).
      assert (0 <= Format.u fs * lk) by (apply Rmult_le_pos; lra).
      destruct (same_format fs fa); lra. }
    assert (Prod : 1 <= (1 + u) * (1 + u_stored fs fa) <= (1 + u) * (1 + Format.u fs)).
    { split. assert (0 <= u * u_stored fs fa) by (apply Rmult_le_pos; lra). lra. apply Rmult_le_compat_l; lra. }
    assert (Rs0 : 0 <= Rs) by lra.
    assert (Top : (1 + 4 * Ls) * ((1 + u) * (1 + u_stored fs fa)) <= (1 + 4 * Rs) * ((1 + u) * (1 + Format.u fs))) by
      (apply Rmult_le_compat; lra).
    split. split; lra. split.
    { assert (1 <= (1 + u) * (1 + Format.u fs)) by lra. assert (Q2R r <= Rs).
      { unfold Rs. destruct M_range as [m1 _]. assert (0 <= IZR Mz * Q2R (t_s bits)) by (apply Rmult_le_pos; lra).
        assert (0 <= Format.u fs * Q2R r) by (apply Rmult_le_pos; lra). lra. }
      assert (1 + 4 * Rs <= (1 + 4 * Rs) * ((1 + u) * (1 + Format.u fs))) by nra. lra. }
    split; [|lra]. unfold error. repeat apply Rmax_lub.
    + unfold error1. assert (Us2 : (1 - u) * (1 - Format.u fs) <= (1 - u) * (1 - u_stored fs fa)) by (apply
      Rmult_le_compat_l; lra).
      assert (X : 3 / 4 <= (1 - u) * (1 - u_stored fs fa) / (1 + 4 * lk)).
      { apply Rmult_le_reg_r with (1 + 4 * lk). lra.
        replace ((1 - u) * (1 - u_stored fs fa) / (1 + 4 * lk) * (1 + 4 * lk)) with ((1 - u) * (1 - u_stored fs fa))
          by (field; lra).
        apply Rle_trans with (3 / 4 * (1 + 4 * Q2R r)); lra. }
      lra.
    + destruct (same_format fs fa). lra. unfold error2. fold Ls. rewrite Rmult_assoc. lra.
    + unfold error3. fold Ls. rewrite Rmult_assoc.
      replace (4 * Ls * ((1 + u) * (1 + u_stored fs fa))) with ((1 + 4 * Ls) * ((1 + u) * (1 + u_stored fs fa)) -
        (1 + u) * (1 + u_stored fs fa)) by ring. lra.
Qed.
Theorem once_ok_ d : once_error_of bits Mz = Some d -> once_bound fs fa ord M d.
Proof.
  unfold once_error_of. intros H. assert (S := sizes). destruct u_small as [U0 U1]. assert (T1 := tiny_pos fa).
  assert (Tt := t_tiny).
  assert (Or : (one_format bits = true /\ fs = fa /\ ord = AnyOrder) \/ (one_format bits = false /\ ord = Ascending)).
  { destruct pair as (_ & _ & P). destruct (one_format bits); tauto. }
  destruct Or as [(O & Ef & Oo)|(O & Oo)]; rewrite O in H; unfold once_bound; rewrite Oo.
  - destruct (Z.leb_spec Mz (2 ^ sum_digits bits)) as [MB|]; [|discriminate]. cbv zeta in H.
    destruct (_ && _) eqn:Q4 in H; [|discriminate]. apply some_is in H. subst d. apply andb_prop in Q4.
      destruct Q4 as [Q0 Q4].
    set (x := ((2 * Mz + 12 # 1) * (u_a bits * (1 + 2 * u_a bits)))%Q) in *. set (e := exp_up x) in *.
    apply Qle_bool_iff in Q0, Q4. apply Qle_Rle in Q0, Q4. rewrite ?q_0 in Q0.
      replace (Q2R (1 # 4)) with (/ 4) in Q4 by (unfold Q2R; simpl; lra).
    assert (Mu := Mu_le MB).
    assert (Xx : Q2R x = (2 * IZR Mz + 12) * (u * (1 + 2 * u))).
    { unfold x. to_R. rewrite ?q_1, ?q_2, u_a_is, plus_IZR, mult_IZR. reflexivity. }
    assert (X6 : Q2R x <= 1000000) by (rewrite Xx; nra).
    assert (Ee : exp (Q2R x) <= Q2R e) by (apply exp_up_ok; lra). assert (e0 := exp_up_pos x X6). fold e in e0.
    assert (Ie : Q2R (1 - (999 # 1000) / e) = 1 - 999 / 1000 / Q2R e).
    { unfold Qdiv, Rdiv. rewrite Q2R_minus, ?q_1, Q2R_mult, Q2R_inv. unfold Q2R at 1. simpl. lra.
      intros Z. apply Qeq_eqR in Z. rewrite ?q_0 in Z. lra. }
    assert (Er : once_any_error fa M 8 <= 1 - 999 / 1000 / Q2R e).
    { unfold once_any_error. assert (Sg := once_sigma_le). destruct once_w_ge as [_ W].
      set (sg := once_any_sigma fa M 8) in *. set (wt_ := once_any_w fa M 8) in *.
      assert (S0 : 0 <= sg).
      { unfold sg, once_any_sigma. rewrite EM. destruct M_range as [m1 _]. apply Rplus_le_le_0_compat.
        apply Rmult_le_pos. lra. apply Rplus_le_le_0_compat; [|lra]. apply Rmult_le_pos. apply pow_le; lra. left;
          apply exp_pos.
        apply Rmult_le_pos; [|lra]. apply Rmult_le_pos. lra. apply pow_le; lra. }
      assert (I : 0 < / wt_) by (apply Rinv_0_lt_compat; lra).
      assert (s : 0 <= sg / wt_ <= / 1000).
      { split. apply Rmult_le_pos; lra. apply Rmult_le_reg_r with wt_. lra. unfold Rdiv. rewrite Rmult_assoc,
        Rinv_l by lra.
        lra. }
      set (s0 := sg / wt_) in *.
      assert (Pa : 0 < (1 - u) ^ (M + 6)) by (apply pow_lt; lra).
      assert (Pb : 0 < (1 + u) ^ (M + 5)) by (apply pow_lt; lra).
      (* (1+u)/(1-u) is at most exp (2u(1+2u)) *)
      assert (Step : / (1 - u) <= exp (u * (1 + 2 * u))).
      { apply Rle_trans with (1 + u * (1 + 2 * u)). 2: apply exp_ineq1_le.
        apply Rmult_le_reg_r with (1 - u). lra. rewrite Rinv_l by lra. nra. }
      assert (Up1 : / (1 - u) ^ (M + 6) <= exp (INR (M + 6) * (u * (1 + 2 * u)))).
      { rewrite <- pow_inv. clear - Step U0 U1. induction (M + 6)%nat as [|n IH]. cbn [pow]. simpl (INR 0).
        rewrite Rmult_0_l, exp_0. lra.
        rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, Rplus_comm, exp_plus. cbn [pow]. apply Rmult_le_compat; auto.
        left. apply Rinv_0_lt_compat. lra. apply pow_le. left. apply Rinv_0_lt_compat. lra. }
      assert (Up2 : (1 + u) ^ (M + 5) <= exp (INR (M + 6) * (u * (1 + 2 * u)))).
      { eapply Rle_trans; [apply pow_exp|]. apply exp_mono. apply Rmult_le_compat; try lra. apply pos_INR.
        apply le_INR. lia. nra. }
      assert (Up : (1 + u) ^ (M + 5) / (1 - u) ^ (M + 6) <= Q2R e).
      { eapply Rle_trans; [|apply Ee]. rewrite Xx.
        replace ((2 * IZR Mz + 12) * (u * (1 + 2 * u))) with (INR (M + 6) * (u * (1 + 2 * u)) + INR (M + 6) * (u * (1
          + 2 * u))).
        2:{ rewrite plus_INR, EM. simpl (INR 6). ring. }
        rewrite exp_plus. unfold Rdiv. apply Rmult_le_compat; auto. lra. left. now apply Rinv_0_lt_compat. }
      assert (Fr : 999 / 1000 / Q2R e <= (1 - u) ^ (M + 6) / ((1 + s0) * (1 + u) ^ (M + 5))).
      { replace ((1 - u) ^ (M + 6) / ((1 + s0) * (1 + u) ^ (M + 5))) with
          (/ (1 + s0) * / ((1 + u) ^ (M + 5) / (1 - u) ^ (M + 6))) by (field; split; lra).
        unfold Rdiv at 1. apply Rmult_le_compat. lra. left; now apply Rinv_0_lt_compat.
        - apply Rmult_le_reg_r with (1 + s0). lra. rewrite Rinv_l by lra. lra.
        - apply Rinv_le_contravar; auto. apply Rmult_lt_0_compat; auto. now apply Rinv_0_lt_compat. }
      lra. }
    rewrite Ie in Q0, Q4. assert (Dd := small_up_ok (1 - (999 # 1000) / e)%Q). rewrite Ie in Dd.
    split. lra. split; [|lra]. unfold once_any_ok. split; [lia|]. split; [|lra].
    assert (bpow radix2 (3 + emin fa) <= bpow radix2 (- prec fa)) by (apply bpow_le; lia). rewrite bpow_plus in H.
      change (bpow radix2 3) with 8 in H. rewrite u_bpow. exact H.
  - injection H as <-. assert (d4 : Q2R (1 # 4) = / 4) by (unfold Q2R; simpl; lra). rewrite d4.
    split; [lra|]. split; [|lra]. unfold OnceHead.once_ok, OnceHead.once_error, OnceHead.loser_max, OnceHead.sigma.
    assert (F := f64_error_small). assert (F0 := f64_error_pos). assert (V := eps_range fa).
    assert (Ep : 0 <= eps fa <= 11 * u).
    { split. tauto. unfold eps. assert (v53 : 5 / 10 ^ 16 <= 8 * u).
      { rewrite u_bpow. apply Rle_trans with (8 * bpow radix2 (-53)).
        change (bpow radix2 (-53)) with (/ IZR (2 ^ 53)). simpl; lra.
        apply Rmult_le_compat_l. lra. apply bpow_le. lia. }
      assert (0 <= u * f64_error) by (apply Rmult_le_pos; lra). lra. }
    split.
    + assert (E8 := exp_m8_le). assert (E0 := exp_pos (-8)).
      replace (- ((1 - eps fa) * 8)) with (-8 + 8 * eps fa) by ring. rewrite exp_plus.
      assert (Ed := exp_double (8 * eps fa) ltac:(lra)). assert (Ep0 := exp_pos (8 * eps fa)).
      assert (exp (-8) * exp (8 * eps fa) <= / 1800 * 2) by (apply Rmult_le_compat; lra).
      assert (0 <= exp (-8) * exp (8 * eps fa)) by (apply Rmult_le_pos; lra). nra.
    + rewrite EM. assert (X := losers_le (eps fa) Ep). destruct M_range as [m1 _].
      set (g := exp (- ((1 - eps fa) * (ln (IZR Mz) + 8)))) in *.
      assert (g0 : 0 < g) by apply exp_pos. rewrite exp_plus in X. fold g in X.
      assert (e2 : 1 <= exp (2 * t)). { assert (X2 := exp_ineq1_le (2 * t)). lra. }
      assert (p6 : 1 + 2 * u <= (1 + 2 * u) ^ 6). { rewrite <- (pow_1 (1 + 2 * u)) at 1. apply Rle_pow. lra. lia. }
      assert (Y : (1 + 2 * u) * g <= (1 + 2 * u) ^ 6 * (g * exp (2 * t))).
      { apply Rmult_le_compat; try lra. rewrite <- (Rmult_1_r g) at 1. apply Rmult_le_compat_l; lra. }
      set (sg := (IZR Mz - 1) * ((1 + 2 * u) * g + t)).
      assert (Sg : 0 <= sg <= / 1750).
      { unfold sg. split. apply Rmult_le_pos. lra. assert (0 <= (1 + 2 * u) * g) by (apply Rmult_le_pos; lra). lra.
        eapply Rle_trans; [|apply X]. apply Rmult_le_compat_l; lra. }
      assert (Pw : 1 <= (1 + u) ^ Z.to_nat (prec fa) <= 1 + / 1000).
      { split. apply pow_R1_Rle; lra. eapply Rle_trans; [apply pow_exp|]. rewrite INR_IZR_INZ, Z2Nat.id by lia.
        assert (P53 : IZR (prec fa) <= 53) by (apply IZR_le; lia). assert (P0 : 0 <= IZR (prec fa)) by (apply IZR_le;
          lia).
        assert (0 <= IZR (prec fa) * u <= 53 * / 16777216) by (split; [apply Rmult_le_pos; lra|apply Rmult_le_compat;
          lra]).
        eapply Rle_trans; [apply exp_double; lra|]. lra. }
      set (G := (1 + u) ^ Z.to_nat (prec fa)) in *.
      destruct (u_stored_range fs fa) as [[us0 us1] us2]. assert (Us : Format.u fs <= / 16).
      { rewrite u_bpow. change (/ 16) with (bpow radix2 (-4)). apply bpow_le. lia. }
      assert (Den : 0 < (1 + 2 * sg) * G <= 101 / 100).
      { split. apply Rmult_lt_0_compat; lra. apply Rle_trans with ((1 + 2 * / 1750) * (1 + / 1000)). 2: lra.
        apply Rmult_le_compat; lra. }
      assert (Z3 : 3 / 4 <= (1 - u) * (1 - u_stored fs fa) / ((1 + 2 * sg) * G)).
      { apply Rmult_le_reg_r with ((1 + 2 * sg) * G). lra.
        replace ((1 - u) * (1 - u_stored fs fa) / ((1 + 2 * sg) * G) * ((1 + 2 * sg) * G)) with
          ((1 - u) * (1 - u_stored fs fa)) by (field; split; lra).
        assert (A1 : (1 - / 16777216) * (1 - / 16) <= (1 - u) * (1 - u_stored fs fa)) by (apply Rmult_le_compat;
          lra). lra. }
      lra.
Qed.
Theorem with_counts_ok c z : (forall q, c = Some q -> compare_bound fs fa ord M q) -> most_fits fs fa ord M z ->
  errors_ok fs fa ord (one_format bits) M (with_counts bits Mz c z).
Proof.
  intros Hc Hz. unfold errors_ok, with_counts. cbv zeta. cbn [D_once D_near D_step D_compare most].
  split; [exact once_ok_|]. split; [|split; [|now split]]; intros d Hd.
  - assert (E := eta_le (key_error fs fa (one_format bits)) _ 4 ltac:(lia) key_error_pos key_error_le). cbv zeta in E.
    destruct (pick_ok _ _ d E Hd) as [A B]. split; auto. eexists. split; [|exact B]. apply log_k. lia.
  - assert (E := eta_le (place_error fs) _ 3 ltac:(lia) place_error_pos place_error_le). cbv zeta in E.
    destruct (pick_ok _ _ d E Hd) as [A B]. split; auto. eexists. split; [|exact B]. apply log_k. lia.
Qed.
End Bounds.
