(* The errors of heads from the length and the format, as fractions that a program can compute. They are coarser than
   those of doc/certificate.md (a factor of 2 to 4), and need no interval arithmetic. *)
From Coq Require Import ZArith QArith Qround Qreals Reals Lia Lra Psatz List Bool Arith.
From Flocq Require Import Core.
From Temper Require Import Rows Format Sums Nearest NearestAny Rounding Strings Programs FloatRun NearestHead OnceAny
  Replay.
From Temper.checker Require Import Model Checker HeadsOk TapsOk RampsOk.
Import ListNotations.

Definition once_error_of (bits M : Z) : option Q :=
  if (24 <=? bits)%Z && (bits <=? 53)%Z && (1 <=? M)%Z && (M <=? 2 ^ bits)%Z then
    let q := ((2 * M + 11 # 2 ^ Z.to_pos bits) + (1 # 1000))%Q in if Qle_bool q (1 # 4) then Some q else None
  else None.
(* T: terms of a key row *)
Definition near_eta_of (bits M : Z) (T : nat) : Q :=
  ((M # 1) * (8 * ((5 # 2 ^ 53) + (1 # 2 ^ Z.to_pos bits) * ((1 # 2) + (4 * Z.of_nat T # 1)))
    + (192 # 2 ^ Z.to_pos bits)) + (1 # 2 ^ 30))%Q.
Definition near_error_of (bits M : Z) (T : nat) : option Q :=
  if (24 <=? bits)%Z && (bits <=? 53)%Z && (1 <=? M)%Z && (M <=? 2 ^ bits)%Z && Nat.leb T 64 then
    let k := Qceiling ((4 * M # 2 ^ Z.to_pos bits) + 2 * near_eta_of bits M T) in
    if (0 <=? k)%Z && (k <=? 4)%Z then Some ((3 ^ k # 1) * (12 # 10000) + (1 # 10000))%Q else None
  else None.

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

Lemma pow_IZR_ n : 3 ^ n = IZR (3 ^ Z.of_nat n).
Proof. induction n as [|n IH]; auto. cbn [pow]. rewrite IH, Nat2Z.inj_succ, Z.pow_succ_r, mult_IZR by lia.
  reflexivity. Qed.
Lemma pow_IZR3 k : (0 <= k)%Z -> 3 ^ Z.to_nat k = IZR (3 ^ k).
Proof. intros H. rewrite pow_IZR_. now rewrite Z2Nat.id. Qed.

Section Bounds.
Variable f : format.
Variables (bits Mz : Z).
Hypothesis bits_is : prec f = bits.
Hypothesis low : (emin f <= -149)%Z.
Hypothesis b24 : (24 <= bits <= 53)%Z.
Hypothesis M1 : (1 <= Mz)%Z.
Hypothesis MB : (Mz <= 2 ^ bits)%Z.
Let M := Z.to_nat Mz.
Notation u := (u f). Notation t := (tiny f).
Lemma EM : INR M = IZR Mz. Proof. apply INR_Z. lia. Qed.
Lemma u_eq : u = / IZR (2 ^ bits). Proof. rewrite u_bpow, bits_is, bpow_opp, <- pow_IZR by lia. reflexivity. Qed.
Lemma u_small : 0 < u <= / 16777216.
Proof.
  split. apply u_pos. rewrite u_bpow, bits_is. change (/ 16777216) with (bpow radix2 (-24)). apply bpow_le. lia.
Qed.
Lemma t_small : 0 < t <= bpow radix2 (-149). Proof. split. apply tiny_pos. apply bpow_le. auto. Qed.
Lemma Mu : IZR Mz * u <= 1.
Proof.
  rewrite u_eq. assert (P : 0 < IZR (2 ^ bits)) by (apply IZR_lt, Z.pow_pos_nonneg; lia).
    apply Rmult_le_reg_r with (IZR (2 ^ bits)); auto.
  rewrite Rmult_assoc, Rinv_l by lra. rewrite Rmult_1_r, Rmult_1_l. now apply IZR_le.
Qed.
Lemma M_range : 1 <= IZR Mz <= bpow radix2 53.
Proof.
  split. now apply IZR_le. rewrite <- pow_IZR by lia. apply IZR_le. eapply Z.le_trans; [apply MB|].
    apply Z.pow_le_mono_r; lia.
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
Lemma once_sigma_le : once_any_sigma f M 8 <= / 1700.
Proof.
  unfold once_any_sigma, once_any_eps. rewrite EM. destruct u_small as [U0 U1]. destruct t_small as [T0 _].
    assert (TT := t_tiny).
  assert (A := MMt). assert (B := Mt). destruct M_range as [m1 m2]. destruct ln_M as [l0 l1].
  set (ep := 1 - (1 - u) ^ 2 * (1 - u) ^ 5 * (1 - v64) ^ 4).
  assert (V : 0 <= v64 <= u). { unfold v64. split. apply bpow_ge_0. rewrite u_bpow. apply bpow_le. lia. }
  assert (Ep : 0 <= ep <= 11 * u).
  { unfold ep. assert (P2 : 0 <= (1 - u) ^ 2 * (1 - u) ^ 5 <= 1).
    { rewrite <- pow_add. split. apply pow_le; lra. apply pow_below_1; lra. }
    assert (P4 : 0 <= (1 - v64) ^ 4 <= 1) by (split; [apply pow_le|apply pow_below_1]; lra).
    assert (B7 := bernoulli u 7 ltac:(lra)). assert (B4 := bernoulli v64 4 ltac:(lra)). rewrite <- pow_add in *.
      cbn [Nat.add] in *.
    replace (INR 7) with 7 in B7 by (simpl; lra). replace (INR 4) with 4 in B4 by (simpl; lra). nra. }
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
Lemma once_w_ge : / 2 <= once_any_w f M 8 * (99 / 100) /\ 99 / 100 <= once_any_w f M 8.
Proof.
  unfold once_any_w. rewrite EM. destruct u_small as [U0 U1]. destruct ln_M as [l0 l1].
    set (X := ln (IZR Mz) + 8) in *.
  assert (A := bernoulli (2 * u) 3 ltac:(lra)). replace (INR 3) with 3 in A by (simpl; lra).
  assert (Y : 0 <= 5 * u * X <= / 1000) by (unfold X; split; nra). assert (B := exp_ineq1_le (- (5 * u * X))).
  assert (99 / 100 <= (1 - 2 * u) ^ 3 * exp (- (5 * u * X))).
  { apply Rle_trans with ((999 / 1000) * (999 / 1000)). lra. apply Rmult_le_compat; lra. }
  lra.
Qed.
Theorem once_error_le : once_any_error f M 8 <= (2 * IZR Mz + 11) * u + / 1000.
Proof.
  unfold once_any_error. destruct u_small as [U0 U1]. assert (S := once_sigma_le). destruct once_w_ge as [_ W].
  set (sg := once_any_sigma f M 8) in *. set (w := once_any_w f M 8) in *.
  assert (S0 : 0 <= sg).
  { unfold sg, once_any_sigma. rewrite EM. destruct M_range as [m1 _]. destruct t_small as [T0 _].
    apply Rplus_le_le_0_compat.
    apply Rmult_le_pos. lra. apply Rplus_le_le_0_compat; [|lra]. apply Rmult_le_pos. apply pow_le; lra. left;
      apply exp_pos.
    apply Rmult_le_pos; [|lra]. apply Rmult_le_pos. lra. apply pow_le; lra. }
  assert (I : 0 < / w) by (apply Rinv_0_lt_compat; lra).
  assert (s : 0 <= sg / w <= / 1000).
  { split. apply Rmult_le_pos; lra. apply Rmult_le_reg_r with w. lra. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
    lra. }
  set (s0 := sg / w) in *. assert (P : 0 < (1 + u) ^ (M + 5)) by (apply pow_lt; lra).
  assert (Fr : (1 - (2 * IZR Mz + 11) * u) - s0 <= (1 - u) ^ (M + 6) / ((1 + s0) * (1 + u) ^ (M + 5))).
  { assert (Inv : (1 - s0) * (1 - u) ^ (M + 5) <= / ((1 + s0) * (1 + u) ^ (M + 5))).
    { rewrite Rinv_mult. apply Rmult_le_compat. lra. apply pow_le; lra.
      - apply Rmult_le_reg_r with (1 + s0). lra. rewrite Rinv_l by lra. nra.
      - rewrite <- pow_inv. apply pow_incr. split. lra. apply Rmult_le_reg_r with (1 + u). lra. rewrite Rinv_l by lra.
        nra. }
    assert (B := bernoulli u (M + 6 + (M + 5)) ltac:(lra)). rewrite !plus_INR, EM in B.
      replace (INR 6) with 6 in B by (simpl; lra).
    replace (INR 5) with 5 in B by (simpl; lra). rewrite pow_add in B.
    assert (Q6 : 0 <= (1 - u) ^ (M + 6)) by (apply pow_le; lra). assert (Q5 : 0 <= (1 - u) ^ (M + 5))
      by (apply pow_le; lra).
    assert (Q11 : (1 - u) ^ (M + 6) * (1 - u) ^ (M + 5) <= 1).
    { rewrite <- pow_add. apply pow_below_1. lra. }
    unfold Rdiv. apply Rle_trans with ((1 - u) ^ (M + 6) * ((1 - s0) * (1 - u) ^ (M + 5))).
      2: apply Rmult_le_compat_l; auto.
    replace ((1 - u) ^ (M + 6) * ((1 - s0) * (1 - u) ^ (M + 5))) with (((1 - u) ^ (M + 6) * (1 - u) ^ (M + 5))
      * (1 - s0)) by ring.
    set (p := (1 - u) ^ (M + 6) * (1 - u) ^ (M + 5)) in *. nra. }
  lra.
Qed.

(* ---- nearest ---- *)
Lemma q_le : 0 <= exp (- (8 * (1 - u))) <= / 1790.
Proof.
  destruct u_small as [U0 U1]. split. left; apply exp_pos. replace (- (8 * (1 - u))) with (-8 + 8 * u) by ring.
    rewrite exp_plus.
  assert (E8 := exp_m8_le). assert (E0 := exp_pos (-8)). assert (Ed := exp_double (8 * u) ltac:(lra)).
    assert (Ep := exp_pos (8 * u)).
  apply Rle_trans with (/ 1800 * (1 + 2 * (8 * u))). apply Rmult_le_compat; lra. lra.
Qed.
Variable T : nat.
Hypothesis T64 : (T <= 64)%nat.
Lemma Q2R_pow2 z (p : positive) : Q2R (z # 2 ^ p) = IZR z * / IZR (2 ^ Zpos p).
Proof. unfold Q2R. cbn [Qnum Qden]. now rewrite Pos2Z.inj_pow. Qed.
Lemma Q2R_u z : Q2R (z # 2 ^ Z.to_pos bits) = IZR z * u.
Proof. rewrite Q2R_pow2, Z2Pos.id, u_eq by lia. reflexivity. Qed.
Lemma Q2R_z z : Q2R (z # 1) = IZR z. Proof. unfold Q2R. cbn. lra. Qed.
Lemma eta_le : near_eta f M T <= Q2R (near_eta_of bits Mz T).
Proof.
  unfold near_eta_of, near_eta, near_key_error. repeat (rewrite Q2R_plus || rewrite Q2R_mult).
    rewrite !Q2R_u, !Q2R_pow2, !Q2R_z, EM.
  assert (F := f64_error_small). destruct u_small as [U0 U1]. destruct t_small as [T0 _]. assert (A := Mt).
    destruct M_range as [m1 _].
  assert (TT := t_tiny). assert (Tn : 0 <= INR T <= 64). { split. apply pos_INR. replace 64 with (INR 64) by (simpl;
    lra). now apply le_INR. }
  replace (Q2R 8) with 8 by (unfold Q2R; simpl; lra). replace (Q2R (1 # 2)) with (/ 2) by (unfold Q2R; simpl; lra).
  rewrite mult_IZR, <- INR_IZR_INZ. rewrite Rmult_1_l.
  assert (F5 : f64_error <= 5 * / IZR (2 ^ 53)).
  { unfold f64_error, v64. change (bpow radix2 (-53)) with (/ IZR (2 ^ 53)). simpl. lra. }
  set (v := 5 * / IZR (2 ^ 53)) in *. replace (1 * / IZR (2 ^ 30)) with (/ 1073741824) by (simpl; lra).
  assert (Mt2 : IZR Mz * t * INR T <= / 8000000000000 * 64) by (apply Rmult_le_compat; lra).
  assert (8 * IZR Mz * f64_error <= 8 * IZR Mz * v) by (apply Rmult_le_compat_l; lra).
  replace (8 * IZR Mz * (f64_error + (u * / 2 + / 2 * t) + INR T * (4 * u + / 2 * t)) + 192 * u * IZR Mz + 2 * t) with
    (8 * IZR Mz * f64_error + IZR Mz * u * (4 + 32 * INR T + 192) + (4 * (IZR Mz * t) + 4 * (IZR Mz * t * INR T)
      + 2 * t)) by field.
  replace (IZR Mz * (8 * (v + u * (/ 2 + 4 * INR T)) + 192 * u) + / 1073741824) with
    (8 * IZR Mz * v + IZR Mz * u * (4 + 32 * INR T + 192) + / 1073741824) by field.
  lra.
Qed.
Lemma eta_pos : 0 <= near_eta f M T.
Proof.
  unfold near_eta, near_key_error. assert (F : 0 <= f64_error) by apply f64_error_pos. destruct u_small as [U0 _].
    destruct t_small as [T0 _].
  rewrite EM. destruct M_range as [m1 _]. assert (Tn := pos_INR T).
  assert (0 <= INR T * (4 * u + / 2 * t)) by (apply Rmult_le_pos; lra).
  assert (0 <= 8 * IZR Mz * (f64_error + (u * / 2 + / 2 * t) + INR T * (4 * u + / 2 * t))) by (apply Rmult_le_pos;
    lra). nra.
Qed.
Theorem near_error_le k : (0 <= k <= 4)%Z -> 4 * IZR Mz * u + 2 * near_eta f M T <= IZR k ->
  let L := 2 * (1 + u) ^ (4 * M) * leak_any f M (near_eta f M T) 8 in
  L <= IZR (3 ^ k) * (12 / 10000) /\ error_any f M (near_eta f M T) 8 <= IZR (3 ^ k) * (12 / 10000) + / 10000.
Proof.
  intros K Hk L. destruct u_small as [U0 U1]. destruct t_small as [T0 _]. assert (TT := t_tiny). assert (A := MMt).
    destruct M_range as [m1 _].
  assert (E0 := eta_pos). destruct q_le as [q0 q1]. set (q := exp (- (8 * (1 - u)))) in *.
    set (eta := near_eta f M T) in *.
  assert (Ek : exp (4 * IZR Mz * u + 2 * eta) <= IZR (3 ^ k)).
  { apply Rle_trans with (exp (IZR k)). destruct Hk as [Hk| ->]; [left; now apply exp_increasing|right; auto].
    assert (e1 : exp (IZR k) = exp 1 ^ Z.to_nat k). { rewrite <- Rpower_pow by apply exp_pos. unfold Rpower.
      rewrite ln_exp, INR_Z by lia. f_equal. ring. }
    rewrite e1. replace (IZR (3 ^ k)) with (3 ^ Z.to_nat k). apply pow_incr. split. left; apply exp_pos.
      apply exp_le_3.
    now apply pow_IZR3. }
  assert (K3 : 1 <= IZR (3 ^ k)). { apply (IZR_le 1). assert (0 < 3 ^ k)%Z by (apply Z.pow_pos_nonneg; lia). lia. }
  assert (K81 : IZR (3 ^ k) <= 81). { apply (IZR_le _ 81). change 81%Z with (3 ^ 4)%Z. apply Z.pow_le_mono_r; lia. }
  set (E := IZR (3 ^ k)) in *.
  assert (Pw : 1 <= (1 + u) ^ (4 * M) <= exp (4 * IZR Mz * u)).
  { split. apply pow_R1_Rle; lra. eapply Rle_trans; [apply pow_exp|]. rewrite mult_INR, EM. right. f_equal.
    simpl (INR 4). ring. }
  assert (Q : 0 <= q / (1 - q) <= / 1780).
  { split. apply Rmult_le_pos; auto. left. apply Rinv_0_lt_compat; lra. apply Rmult_le_reg_r with (1 - q). lra.
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (Ee := exp_pos (2 * eta)). assert (E4 := exp_pos (4 * IZR Mz * u)). rewrite exp_plus in Ek.
  assert (e2 : 1 <= exp (2 * eta)). { rewrite <- exp_0. destruct (Req_dec (2 * eta) 0) as [-> |N0]. lra. left.
    apply exp_increasing. lra. }
  assert (HL : 0 <= L <= E * (12 / 10000)).
  { unfold L, leak_any. cbv zeta. fold q. rewrite EM. set (a := (1 + u) ^ (4 * M)) in *.
    set (b := exp (4 * IZR Mz * u)) in *. set (c := exp (2 * eta)) in *.
    assert (aE : a <= E). { apply Rle_trans with (b * c); auto. assert (a * 1 <= b * c) by (apply Rmult_le_compat;
      lra). lra. }
    assert (acE : a * c <= E). { apply Rle_trans with (b * c); auto. apply Rmult_le_compat_r; lra. }
    assert (A0 : 0 <= 2 * IZR Mz ^ 2 * t) by (apply Rmult_le_pos; [|lra]; apply Rmult_le_pos; [lra|apply pow_le;
      lra]).
    set (X := 2 * IZR Mz ^ 2 * t) in *. assert (X1 : X <= 2 * / 8000000000000) by (unfold X; lra).
    split. { apply Rmult_le_pos. lra. apply Rplus_le_le_0_compat; auto. apply Rmult_le_pos; [|lra].
      apply Rmult_le_pos; lra. }
    replace (2 * a * ((1 + 2 * u) * c * (q / (1 - q)) + X)) with (2 * ((a * c) * ((1 + 2 * u) * (q / (1 - q))))
      + 2 * (a * X)) by ring.
    assert (W : (1 + 2 * u) * (q / (1 - q)) <= / 1700).
    { apply Rle_trans with ((1 + 2 * / 16777216) * / 1780). apply Rmult_le_compat; lra. lra. }
    assert (W0 : 0 <= (1 + 2 * u) * (q / (1 - q))) by (apply Rmult_le_pos; lra).
    assert ((a * c) * ((1 + 2 * u) * (q / (1 - q))) <= E * / 1700) by (apply Rmult_le_compat; try lra;
      apply Rmult_le_pos; lra).
    assert (a * X <= E * (2 * / 8000000000000)) by (apply Rmult_le_compat; lra). lra. }
  split. tauto. unfold error_any, error_row. cbv zeta. fold L. apply Rmax_lub.
  - assert (Y : 1 - (1 - u) / (1 + L) = (L + u) / (1 + L)) by (field; lra). rewrite Y.
    apply Rle_trans with (L + u). 2: lra. apply Rmult_le_reg_r with (1 + L). lra. unfold Rdiv.
      rewrite Rmult_assoc, Rinv_l by lra. nra.
  - assert (L * u <= 1 * u) by (apply Rmult_le_compat_r; lra). lra.
Qed.
End Bounds.

(* what the program computes is a bound *)
Theorem once_error_ok f bits Mz q : prec f = bits -> (emin f <= -149)%Z -> once_error_of bits Mz = Some q ->
  once_bound f (Z.to_nat Mz) q.
Proof.
  unfold once_error_of. intros Pb Lo H. assert (En : IZR (2 * Mz + 11) = 2 * IZR Mz + 11) by (rewrite plus_IZR,
    mult_IZR; auto).
  set (n := (2 * Mz + 11)%Z) in *. clearbody n. destruct (_ && _) eqn:C; [|discriminate]. apply andb_prop in C.
    destruct C as [C C4]. apply andb_prop in C.
  destruct C as [C C3]. apply andb_prop in C. destruct C as [C1 C2]. apply Z.leb_le in C1, C2, C3, C4. cbv zeta in H.
  destruct (Qle_bool _ _) eqn:Q; [|discriminate]. injection H as <-. apply Qle_bool_iff in Q. apply Qle_Rle in Q.
  assert (E := once_error_le f bits Mz Pb Lo ltac:(lia) C3 C4). unfold once_bound.
    rewrite Q2R_plus, (Q2R_u f bits Mz Pb ltac:(lia) 0 ltac:(lia)) in *.
  replace (Q2R (1 # 1000)) with (/ 1000) in * by (unfold Q2R; simpl; lra).
    replace (Q2R (1 # 4)) with (/ 4) in Q by (unfold Q2R; simpl; lra).
  rewrite En in *. assert (U := u_small f bits Mz Pb ltac:(lia)).
  assert (1 <= IZR Mz) by (now apply IZR_le). assert (TT := t_tiny f bits Mz Lo ltac:(lia) C3 C4).
  split; [|split; [lra|nra]]. unfold once_any_ok. split; [lia|]. split; [|lra].
  assert (bpow radix2 (3 + emin f) <= bpow radix2 (- prec f)) by (apply bpow_le; lia). rewrite bpow_plus in H0.
    change (bpow radix2 3) with 8 in H0.
  rewrite u_bpow. exact H0.
Qed.
Theorem near_error_ok f bits Mz T q : prec f = bits -> (emin f <= -149)%Z -> near_error_of bits Mz T = Some q ->
  near_bound f (Z.to_nat Mz) T q.
Proof.
  unfold near_error_of. intros Pb Lo H. destruct (_ && _) eqn:C; [|discriminate]. apply andb_prop in C.
    destruct C as [C C5]. apply andb_prop in C.
  destruct C as [C C4]. apply andb_prop in C. destruct C as [C C3]. apply andb_prop in C. destruct C as [C1 C2].
  apply Z.leb_le in C1, C2, C3, C4. apply Nat.leb_le in C5. cbv zeta in H.
  set (y := ((4 * Mz # 2 ^ Z.to_pos bits) + 2 * near_eta_of bits Mz T)%Q) in *. set (k := Qceiling y) in *.
  destruct (Z.leb_spec 0 k) as [K0|]; [|discriminate]. destruct (Z.leb_spec k 4) as [K4|]; [|discriminate].
    cbn [andb] in H. injection H as <-.
  assert (Hy := Qle_ceiling y). fold k in Hy. apply Qle_Rle in Hy. unfold y in Hy.
  rewrite Q2R_plus, Q2R_mult, (Q2R_u f bits Mz Pb ltac:(lia) T C5) in Hy.
  replace (Q2R 2) with 2 in Hy by (unfold Q2R; simpl; lra). replace (Q2R (inject_Z k)) with (IZR k)
    in Hy by (unfold Q2R; cbn; lra).
  rewrite mult_IZR in Hy. assert (E := eta_le f bits Mz Pb Lo ltac:(lia) C3 C4 T C5).
    assert (E0 := eta_pos f bits Mz Pb Lo ltac:(lia) C3 C4 T).
  destruct (near_error_le f bits Mz Pb Lo ltac:(lia) C3 C4 T C5 k ltac:(lia) ltac:(lra)) as [L1 L2].
  assert (Mp : 0 <= 4 * IZR Mz * u f). { assert (U := u_pos f). assert (1 <= IZR Mz) by (now apply IZR_le). nra. }
  assert (K4' : IZR k <= 4) by (now apply IZR_le).
  assert (K81 : IZR (3 ^ k) <= 81). { apply (IZR_le _ 81). change 81%Z with (3 ^ 4)%Z. apply Z.pow_le_mono_r; lia. }
  assert (K3 : 1 <= IZR (3 ^ k)). { apply (IZR_le 1). assert (0 < 3 ^ k)%Z by (apply Z.pow_pos_nonneg; lia). lia. }
  unfold near_bound. cbv zeta. rewrite Q2R_plus, Q2R_mult, Q2R_z.
  replace (Q2R (12 # 10000)) with (12 / 10000) by (unfold Q2R; simpl; lra).
    replace (Q2R (1 # 10000)) with (/ 10000) by (unfold Q2R; simpl; lra).
  split; [lra|]. split; [lra|]. split; lra.
Qed.
