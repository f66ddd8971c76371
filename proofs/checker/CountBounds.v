(* The error of a comparison and what a counting head may count, from the length and the format, as fractions that a
   program can compute. *)
From Coq Require Import ZArith QArith Qround Qreals Reals Lia Lra Psatz List Bool Arith.
From Flocq Require Import Core.
From Temper Require Import Rows Format Sums Nearest NearestAny Rounding Strings Programs FloatRun NearestHead OnceTree OnceAny
  CompareLogit SoundCompare Replay.
From Temper.checker Require Import Model Checker Exactness HeadsOk NearOk Fractions Bounds.
Import ListNotations.

(* in one format *)
Definition compare_error_of (bits : kind) (M : Z) : option Q :=
  if one_format bits && (M <=? 2 ^ sum_digits bits)%Z then
    let k := Qceiling ((4 * M # 1) * u_a bits + (1 # 1000)) in
    if (0 <=? k)%Z && (k <=? 4)%Z then Some ((3 ^ k # 1) * (12 # 10000) + (1 # 10000))%Q else None
  else None.
Definition most_of (bits : kind) (M : Z) : Z := if one_format bits then (2 ^ sum_digits bits / M)%Z else 0%Z.
Definition errors_of (bits : kind) (M : Z) : errors := with_counts bits M (compare_error_of bits M) (most_of bits M).

Local Open Scope R_scope.
Lemma pow_IZR3 k : (0 <= k)%Z -> 3 ^ Z.to_nat k = IZR (3 ^ k).
Proof.
  intros H. rewrite <- (Z2Nat.id k H) at 2. induction (Z.to_nat k) as [|n IH]; auto. cbn [pow].
  rewrite IH, Nat2Z.inj_succ, Z.pow_succ_r, mult_IZR by lia. reflexivity.
Qed.
Section Bounds.
Variable f : format.
Variable bits : kind.
Hypothesis pair : pair_of f f AnyOrder bits.
Hypothesis sound_kind : sane bits = true.
Variable Mz : Z.
Hypothesis M1 : (1 <= Mz)%Z.
Hypothesis M53 : (Mz <= 2 ^ 53)%Z.
Hypothesis MB : (Mz <= 2 ^ sum_digits bits)%Z.
Let M := Z.to_nat Mz.
Notation u := (u f). Notation t := (tiny f).
Let US := u_small f f AnyOrder bits pair sound_kind Mz M1.
Let TT := t_tiny f f AnyOrder bits pair sound_kind Mz M1 M53.
Let MMT := MMt f f AnyOrder bits pair sound_kind Mz M1 M53.
Let LM := ln_M Mz M1 M53.
Let MR := M_range Mz M1 M53.
Let EMz : INR M = IZR Mz := EM Mz M1.
Let MU := Mu_le f f AnyOrder bits pair sound_kind Mz M1 M53 MB.
Lemma sizes_ : prec f = sum_digits bits /\ (24 <= prec f <= 53)%Z /\ (emin f <= -149)%Z.
Proof. assert (S := sizes f f AnyOrder bits pair sound_kind Mz M1). destruct S as (A & B & C & _). lia. Qed.
Lemma eps_small : 0 <= compare_eps f f <= 20 * u.
Proof.
  destruct US as [U0 U1]. assert (V : 0 <= v64 <= u). { unfold v64. split. apply bpow_ge_0. rewrite u_bpow. apply bpow_le. generalize sizes_; lia. }
  unfold compare_eps. set (p := (1 + u) ^ 8 * (1 + u) ^ 3 * (1 + v64) ^ 6).
  assert (P : p <= (1 + u) ^ 17).
  { unfold p. replace ((1 + u) ^ 17) with ((1 + u) ^ 8 * (1 + u) ^ 3 * (1 + u) ^ 6) by ring.
    apply Rmult_le_compat_l. apply Rmult_le_pos; apply pow_le; lra. apply pow_incr. lra. }
  assert (Q : 1 <= p).
  { unfold p. assert (A : 1 <= (1 + u) ^ 8) by (apply pow_R1_Rle; lra). assert (B : 1 <= (1 + u) ^ 3) by (apply pow_R1_Rle; lra).
    assert (C : 1 <= (1 + v64) ^ 6) by (apply pow_R1_Rle; lra). assert (1 <= (1 + u) ^ 8 * (1 + u) ^ 3) by nra. nra. }
  assert (R : (1 + u) ^ 17 <= 1 + 20 * u).
  { eapply Rle_trans; [apply pow_exp|]. replace (INR 17 * u) with (17 * u) by (simpl; lra).
    assert (X : exp (17 * u) <= / (1 - 17 * u)).
    { rewrite <- (Rinv_inv (exp (17 * u))). apply Rinv_le_contravar. lra. rewrite <- exp_Ropp.
      assert (Y := exp_ineq1_le (- (17 * u))). lra. }
    eapply Rle_trans; [apply X|]. apply Rmult_le_reg_r with (1 - 17 * u). lra. rewrite Rinv_l by lra. nra. }
  lra.
Qed.
Lemma eps_log : 0 <= compare_eps f f * ln (IZR Mz) <= / 10000.
Proof. destruct US as [U0 U1]. destruct eps_small as [E0 E1]. destruct LM as [l0 l1]. split. now apply Rmult_le_pos. nra. Qed.
Lemma rest_le : 0 <= compare_rest f f AnyOrder M <= / 1780.
Proof.
  destruct US as [U0 U1]. destruct eps_small as [E0 E1]. destruct eps_log as [L0 L1]. assert (T0 := tiny_pos f).
  unfold compare_rest. rewrite EMz. set (ep := compare_eps f f) in *.
  assert (X : exp (- (8 * (1 - ep)) + 2 * t) <= / 1800 * (1 + / 1000)).
  { replace (- (8 * (1 - ep)) + 2 * t) with (-8 + (8 * ep + 2 * t)) by ring. rewrite exp_plus.
    assert (Ed := exp_double (8 * ep + 2 * t) ltac:(lra)). assert (E8 := exp_m8_le). assert (P := exp_pos (-8)).
    assert (P' := exp_pos (8 * ep + 2 * t)). apply Rmult_le_compat; lra. }
  assert (Y : exp (ep * ln (IZR Mz)) <= 1 + / 1000).
  { assert (Ed := exp_double (ep * ln (IZR Mz)) ltac:(lra)). lra. }
  assert (PX := exp_pos (- (8 * (1 - ep)) + 2 * t)). assert (PY := exp_pos (ep * ln (IZR Mz))).
  assert (M2 : 0 <= 2 * IZR Mz ^ 2 * t) by (apply Rmult_le_pos; [apply Rmult_le_pos; [lra|apply pow_le; lra]|lra]).
  assert (XY : 0 <= exp (- (8 * (1 - ep)) + 2 * t) * exp (ep * ln (IZR Mz)) <= (/ 1800 * (1 + / 1000)) * (1 + / 1000)).
  { split. apply Rmult_le_pos; lra. apply Rmult_le_compat; lra. }
  set (xy := exp (- (8 * (1 - ep)) + 2 * t) * exp (ep * ln (IZR Mz))) in *.
  assert (0 <= (1 + 2 * u) * xy <= (1 + / 1000) * ((/ 1800 * (1 + / 1000)) * (1 + / 1000))).
  { split. apply Rmult_le_pos; lra. apply Rmult_le_compat; lra. }
  lra.
Qed.
Lemma least_small : 0 < OnceTree.least f <= bpow radix2 (-97).
Proof. split. apply bpow_gt_0. unfold OnceTree.least. apply bpow_le. generalize sizes_; lia. Qed.
Lemma ln_2_ge : / 2 <= ln 2.
Proof.
  rewrite <- (ln_exp (/ 2)). assert (P := exp_pos (/ 2)). assert (X : exp (/ 2) * exp (/ 2) <= 3).
  { rewrite <- exp_plus. replace (/ 2 + / 2) with 1 by lra. apply exp_le_3. }
  assert (exp (/ 2) <= 2) by nra. destruct H as [H| ->]; [left; now apply ln_increasing|right; auto].
Qed.
Theorem compare_error_le k : (0 <= k <= 4)%Z -> 4 * IZR Mz * u + / 1000 <= IZR k ->
  compare_ok f f AnyOrder M 0 0 /\ compare_error f f AnyOrder M <= IZR (3 ^ k) * (12 / 10000) + / 10000.
Proof.
  intros K Hk. destruct US as [U0 U1]. assert (T0 := tiny_pos f). destruct rest_le as [r0 r1]. destruct MR as [m1 m2].
  assert (TTx := TT). destruct MU as [_ MUx]. assert (MMTx := MMT).
  set (rest := compare_rest f f AnyOrder M) in *.
  assert (Ek : exp (4 * IZR Mz * u + / 1000) <= IZR (3 ^ k)).
  { apply Rle_trans with (exp (IZR k)). destruct Hk as [Hk| ->]; [left; now apply exp_increasing|right; auto].
    assert (e1 : exp (IZR k) = exp 1 ^ Z.to_nat k). { rewrite <- Rpower_pow by apply exp_pos. unfold Rpower.
      rewrite ln_exp, INR_Z by lia. f_equal. ring. }
    rewrite e1. replace (IZR (3 ^ k)) with (3 ^ Z.to_nat k). apply pow_incr. split. left; apply exp_pos. apply exp_le_3.
    apply pow_IZR3. lia. }
  assert (K3 : 1 <= IZR (3 ^ k)). { apply (IZR_le 1). assert (0 < 3 ^ k)%Z by (apply Z.pow_pos_nonneg; lia). lia. }
  assert (K81 : IZR (3 ^ k) <= 81). { apply (IZR_le _ 81). change 81%Z with (3 ^ 4)%Z. apply Z.pow_le_mono_r; lia. }
  set (E := IZR (3 ^ k)) in *.
  assert (N4 : INR (4 * M) = 4 * IZR Mz). { rewrite mult_INR, EMz. simpl (INR 4). ring. }
  assert (Pw : 1 <= (1 + u) ^ (4 * M) <= E).
  { split. apply pow_R1_Rle; lra. eapply Rle_trans; [apply pow_exp|]. eapply Rle_trans; [|apply Ek]. rewrite N4.
    left. apply exp_increasing. lra. }
  assert (Dn : / E <= (1 - u) ^ (4 * M)).
  { eapply Rle_trans; [|apply pow_exp_low]. rewrite exp_Ropp, N4. apply Rinv_le_contravar. apply exp_pos.
    eapply Rle_trans; [|apply Ek]. assert (V : u / (1 - u) <= u * (1 + 2 * u)).
    { apply Rmult_le_reg_r with (1 - u). lra. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra. }
    assert (0 <= IZR Mz * u) by (apply Rmult_le_pos; lra). left. apply exp_increasing.
    apply Rle_lt_trans with (4 * IZR Mz * (u * (1 + 2 * u))). apply Rmult_le_compat_l; lra. nra. }
  assert (Lp : 0 <= 2 * (1 + u) ^ (4 * M) * rest <= E * (12 / 10000)).
  { split. apply Rmult_le_pos; lra. replace (2 * (1 + u) ^ (4 * M) * rest) with ((1 + u) ^ (4 * M) * (2 * rest)) by ring.
    apply Rmult_le_compat; lra. }
  assert (Row : error_row f M rest <= E * (12 / 10000) + / 10000).
  { unfold error_row. cbv zeta. set (L := 2 * (1 + u) ^ (4 * M) * rest) in *. apply Rmax_lub.
    - assert (Y : 1 - (1 - u) / (1 + L) = (L + u) / (1 + L)) by (field; lra). rewrite Y.
      apply Rle_trans with (L + u). 2: lra. apply Rmult_le_reg_r with (1 + L). lra. unfold Rdiv.
        rewrite Rmult_assoc, Rinv_l by lra. nra.
    - assert (L * u <= 1 * u) by (apply Rmult_le_compat_r; lra). lra. }
  assert (Fl : compare_error_false f f AnyOrder M <= E * (12 / 10000) + / 10000).
  { unfold compare_error_false. fold rest. unfold compare_low.
    assert (I0 : 0 < / E) by (apply Rinv_0_lt_compat; lra).
    assert (Lo : (1 - / 1000) * / E <= (1 - 2 * u) * (1 - u) ^ (4 * M)) by (apply Rmult_le_compat; lra).
    set (lo := (1 - 2 * u) * (1 - u) ^ (4 * M)) in *.
    assert (Lo0 : 0 < (1 - / 1000) * / E) by (apply Rmult_lt_0_compat; lra).
    assert (Il : / lo <= (1 + / 500) * E).
    { apply Rle_trans with (/ ((1 - / 1000) * / E)). now apply Rinv_le_contravar. rewrite Rinv_mult, Rinv_inv.
      apply Rmult_le_compat_r; lra. }
    assert (Il0 : 0 < / lo) by (apply Rinv_0_lt_compat; lra).
    assert (Ed : exp (2 * t) <= 1 + / 1000) by (assert (X := exp_double (2 * t) ltac:(lra)); lra).
    assert (Ep := exp_pos (2 * t)).
    assert (A : 0 <= (rest + t) * (1 + u) <= (/ 1780 + / 1000000) * (1 + / 1000)) by (split; [apply Rmult_le_pos; lra|
      apply Rmult_le_compat; lra]).
    assert (B : 0 <= (rest + t) * (1 + u) * exp (2 * t) <= (/ 1780 + / 1000000) * (1 + / 1000) * (1 + / 1000)) by (split;
      [apply Rmult_le_pos; lra|apply Rmult_le_compat; lra]).
    unfold Rdiv.
    assert (C : (rest + t) * (1 + u) * exp (2 * t) * / lo <= (/ 1780 + / 1000000) * (1 + / 1000) * (1 + / 1000) * ((1 + / 500) * E))
      by (apply Rmult_le_compat; lra).
    lra. }
  destruct least_small as [l0 l1].
  assert (P97 : bpow radix2 (-97) = / 158456325028528675187087900672) by (change (-97)%Z with (- (97))%Z; rewrite bpow_opp;
    rewrite <- pow_IZR by lia; f_equal).
  assert (Mz53 : IZR Mz <= 9007199254740992) by (rewrite <- pow_IZR in m2 by lia; exact m2).
  split.
  - unfold compare_ok. fold rest. repeat split; try lra.
    + unfold M. rewrite Z2Nat.id by lia. destruct sizes_ as (-> & _). exact MB.
    + rewrite EMz. apply Rle_trans with (/ (2 * 9007199254740992)). lra. apply Rinv_le_contravar; lra.
    + rewrite EMz. assert (X := ln_2_ge). unfold Rdiv.
      apply Rle_trans with (/ 2 * / (16 * 9007199254740992)). lra.
      apply Rmult_le_compat; try lra. apply Rinv_le_contravar; lra.
    + rewrite EMz. destruct eps_log as [L0 L1]. rewrite Rmult_plus_distr_r, Rmult_1_l, exp_plus, exp_ln by lra.
      assert (Ed := exp_double (compare_eps f f * ln (IZR Mz)) ltac:(lra)).
      apply Rle_trans with (IZR Mz * 2). apply Rmult_le_compat_l; lra.
      apply Rle_trans with (/ bpow radix2 (-97)). rewrite P97, Rinv_inv. lra. apply Rinv_le_contravar; lra.
    + rewrite Rplus_0_l. apply bpow_ge_0.
    + rewrite Rmult_0_r, Rplus_0_l. apply bpow_ge_0.
    + assert (bpow radix2 (3 + emin f) <= bpow radix2 (- prec f)) by (apply bpow_le; generalize sizes_; lia). rewrite bpow_plus in H.
      change (bpow radix2 3) with 8 in H. rewrite u_bpow. exact H.
  - unfold compare_error. apply Rmax_lub; auto.
Qed.
End Bounds.
Theorem errors_ok_ fs fa ord bits Mz : pair_of fs fa ord bits -> sane bits = true -> (1 <= Mz)%Z -> (Mz <= 2 ^ 53)%Z ->
  errors_ok fs fa ord (one_format bits) (Z.to_nat Mz) (errors_of bits Mz).
Proof.
  intros P Sk M1 M53. apply with_counts_ok; auto.
  - intros q H. unfold compare_error_of in H. destruct (one_format bits) eqn:O; [|discriminate].
    destruct (Z.leb_spec Mz (2 ^ sum_digits bits)) as [MB|]; [|discriminate]. cbn [andb] in H.
    assert (P' := P). destruct P' as (_ & _ & E). rewrite O in E. destruct E as [-> ->]. cbv zeta in H.
    set (y := ((4 * Mz # 1) * u_a bits + (1 # 1000))%Q) in *. set (k := Qceiling y) in *.
    destruct (Z.leb_spec 0 k) as [K0|]; [|discriminate]. destruct (Z.leb_spec k 4) as [K4|]; [|discriminate].
    cbn [andb] in H. injection H as <-.
    assert (Hy := Qle_ceiling y). fold k in Hy. apply Qle_Rle in Hy. unfold y in Hy.
    rewrite Q2R_plus, Q2R_mult, Q2R_z, (u_a_is fa fa AnyOrder bits P Sk Mz M1) in Hy.
    replace (Q2R (1 # 1000)) with (/ 1000) in Hy by (unfold Q2R; simpl; lra).
    rewrite Q2R_inject, mult_IZR in Hy.
    destruct (compare_error_le fa bits P Sk Mz M1 M53 MB k ltac:(lia) Hy) as [Ok E].
    unfold compare_bound. rewrite Q2R_plus, Q2R_mult, Q2R_z.
    replace (Q2R (12 # 10000)) with (12 / 10000) by (unfold Q2R; simpl; lra).
    replace (Q2R (1 # 10000)) with (/ 10000) by (unfold Q2R; simpl; lra).
    assert (K3 : 1 <= IZR (3 ^ k)). { apply (IZR_le 1). assert (0 < 3 ^ k)%Z by (apply Z.pow_pos_nonneg; lia). lia. }
    repeat split; try apply Ok; lra.
  - unfold most_of. intros Pos. destruct (one_format bits) eqn:O; [|lia].
    assert (P' := P). destruct P' as (_ & _ & E). rewrite O in E. destruct E as [-> ->].
    destruct (sizes_ fa bits P Sk Mz M1) as (S1 & S2 & S3).
    assert (F : (2 ^ sum_digits bits / Mz * Mz <= 2 ^ prec fa)%Z).
    { rewrite S1, Z.mul_comm. apply Z.mul_div_le. lia. }
    split. now rewrite Z2Nat.id by lia. split. nia. intros _.
    assert (X : bpow radix2 (3 + emin fa) <= bpow radix2 (- prec fa)) by (apply bpow_le; lia). rewrite bpow_plus in X.
    change (bpow radix2 3) with 8 in X. rewrite u_bpow. exact X.
Qed.
