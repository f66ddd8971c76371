(* doc/certificate.md, "Once", in any order: the bound of the page. With X = ln M + C, eps = 1 - (1-u)^7 (1-v)^4,

     sigma = (M-1) ((1+2u)^6 e^(-(1-eps) X + 2t) + t) + 2 M^2 t,    w = (1-2u)^3 e^(-5uX),
     error = 1 - (1-u)^(M+6) / ((1 + sigma/w) (1+u)^(M+5)).

   near_values    a logit that is moved by a unit in the last place is one of four numbers, and 0 one of three
   once_any_out   the output is 0 without a candidate, and within the error of 1 with one *)
From Coq Require Import ZArith Reals Lia Lra Psatz List Bool Arith Permutation.
From Flocq Require Import Core Relative.
From Temper Require Import Rows Heads Format Sums Nearest NearestAny Rounding Strings Programs FloatRun NearestHead
  OnceTree.
Import ListNotations.
Local Open Scope R_scope.

(* ---- how many different logits a row has ---- *)
Section Values.
Variable f : format.
Notation fexp := (FLT_exp (emin f) (prec f)).
Lemma small_values l : number f l -> Rabs l <= tiny f -> l = - tiny f \/ l = 0 \/ l = tiny f.
Proof.
  intros Nl H. destruct (number_form f l Nl) as (m & e & -> & _ & He). assert (T := tiny_pos f).
  assert (Em : IZR m * bpow radix2 e = IZR (m * 2 ^ (e - emin f)) * tiny f).
  { rewrite mult_IZR, pow_IZR by lia. unfold tiny. rewrite Rmult_assoc, <- bpow_plus. do 2 f_equal. lia. }
  rewrite Em in *. set (k := (m * 2 ^ (e - emin f))%Z) in *. rewrite Rabs_mult, (Rabs_pos_eq (tiny f)) in H by lra.
  assert (K : Rabs (IZR k) <= 1) by (apply Rmult_le_reg_r with (tiny f); lra). apply Rabs_le_inv in K.
  assert (k = (-1) \/ k = 0 \/ k = 1)%Z as [-> |[-> | ->]].
  { destruct K as [K1 K2]. assert (A : (-1 <= k)%Z) by (apply le_IZR; lra). apply le_IZR in K2. lia. }
  left; lra. right; left; lra. right; right; lra.
Qed.
Theorem near_values lam l : number f lam -> number f l -> least f <= lam -> (4 <= prec f)%Z -> Rabs (l - lam) <= ulp
  radix2 fexp lam ->
  let h := ulp radix2 fexp lam in l = lam - h \/ l = lam - h / 2 \/ l = lam \/ l = lam + h.
Proof.
  intros Nlam Nl Lm P4 H. cbv zeta. assert (L0 : 0 < least f) by apply bpow_gt_0. assert (lam0 : lam <> 0) by lra.
  assert (Uh : ulp radix2 fexp lam <= lam / 2).
  { eapply Rle_trans. apply ulp_FLT_le. rewrite Rabs_pos_eq by lra. exact Lm. rewrite Rabs_pos_eq by lra.
    apply Rmult_le_compat_l. lra. change (/ 2) with (bpow radix2 (-1)). apply bpow_le. lia. }
  apply Rabs_le_inv in H. assert (l2 : lam / 2 <= l) by lra.
  set (c := cexp radix2 fexp lam). assert (Eu : ulp radix2 fexp lam = bpow radix2 c) by now apply ulp_neq_0.
  assert (Cl : (c - 1 <= cexp radix2 fexp l)%Z).
  { assert (Mg : (mag radix2 lam - 1 <= mag radix2 l)%Z).
    { assert (X := mag_mult_bpow radix2 lam (-1) lam0). replace (mag radix2 lam - 1)%Z with (mag radix2 lam + -1)%Z
      by ring. rewrite <- X.
      apply mag_le. apply Rmult_lt_0_compat. lra. apply bpow_gt_0. change (bpow radix2 (-1)) with (/ 2). lra. }
    unfold c, cexp, FLT_exp. lia. }
  assert (Fl : exists k, l = IZR k * bpow radix2 (c - 1)).
  { unfold number, generic_format, F2R in Nl. cbn [Fnum Fexp] in Nl.
    set (ml := Ztrunc (scaled_mantissa radix2 fexp l)) in *.
    set (cl := cexp radix2 fexp l) in *. clearbody ml cl. exists (ml * 2 ^ (cl - (c - 1)))%Z.
      rewrite mult_IZR, pow_IZR by lia.
    rewrite Rmult_assoc, <- bpow_plus. rewrite Nl at 1. do 2 f_equal. lia. }
  assert (Fm : exists m, lam = IZR (2 * m) * bpow radix2 (c - 1)).
  { exists (Ztrunc (scaled_mantissa radix2 fexp lam)). rewrite mult_IZR. rewrite Nlam at 1. unfold F2R.
    cbn [Fnum Fexp]. fold c.
    replace (bpow radix2 c) with (2 * bpow radix2 (c - 1)). ring. change 2 with (bpow radix2 1).
      rewrite <- bpow_plus. f_equal. lia. }
  destruct Fl as [k Ek]. destruct Fm as [m Em]. assert (B := bpow_gt_0 radix2 (c - 1)).
  assert (E2 : bpow radix2 c = 2 * bpow radix2 (c - 1)) by (change 2 with (bpow radix2 1); rewrite <- bpow_plus;
    f_equal; lia).
  rewrite Eu, E2 in *. set (b := bpow radix2 (c - 1)) in *.
  assert (K : (-2 <= k - 2 * m <= 2)%Z).
  { assert (X : l - lam = IZR (k - 2 * m) * b) by (rewrite minus_IZR, Rmult_minus_distr_r; lra). rewrite X in H.
    split; apply le_IZR; apply Rmult_le_reg_r with b; auto; lra. }
  assert (El : l = lam + IZR (k - 2 * m) * b) by (rewrite minus_IZR, Rmult_minus_distr_r; lra).
  assert (Cs : (k - 2 * m = -2 \/ k - 2 * m = -1 \/ k - 2 * m = 0 \/ k - 2 * m = 1 \/ k - 2 * m = 2)%Z) by lia.
  destruct Cs as [C|[C|[C|[C|C]]]]; rewrite C in El; try lra.
  exfalso. assert (S : succ radix2 fexp lam <= l) by (apply succ_le_lt; auto; try apply fexp_valid; lra).
    rewrite succ_eq_pos in S by lra. rewrite Eu in S. lra.
Qed.
End Values.

(* ranks of the seven numbers that a logit can be *)
Section Ranks.
Variables t lam h : R.
Hypothesis t_pos : 0 < t.
Hypothesis h_pos : 0 < h.
Hypothesis apart : t < lam - h.
Definition value m := m = - t \/ m = 0 \/ m = t \/ m = lam - h \/ m = lam - h / 2 \/ m = lam \/ m = lam + h.
Definition above a m : nat := if Rlt_dec a m then 1 else 0.
Definition rank m : nat := (above (- t) m + above 0 m + above t m + above (lam - h) m + above (lam - h / 2) m + above
  lam m)%nat.
Lemma rank_max m : (rank m <= 6)%nat.
Proof. unfold rank, above. repeat destruct Rlt_dec; lia. Qed.
Ltac rank_of := unfold rank, above; repeat (destruct Rlt_dec as [?H|?H]; [try (exfalso; lra)|try (exfalso; lra)]);
  reflexivity.
Lemma rank_1 : rank (- t) = 0%nat. Proof. rank_of. Qed.
Lemma rank_2 : rank 0 = 1%nat. Proof. rank_of. Qed.
Lemma rank_3 : rank t = 2%nat. Proof. rank_of. Qed.
Lemma rank_4 : rank (lam - h) = 3%nat. Proof. rank_of. Qed.
Lemma rank_5 : rank (lam - h / 2) = 4%nat. Proof. rank_of. Qed.
Lemma rank_6 : rank lam = 5%nat. Proof. rank_of. Qed.
Lemma rank_7 : rank (lam + h) = 6%nat. Proof. rank_of. Qed.
Lemma rank_grows x y : value x -> value y -> x < y -> (rank x < rank y)%nat.
Proof.
  intros [-> |[-> |[-> |[-> |[-> |[-> | ->]]]]]] [-> |[-> |[-> |[-> |[-> |[-> | ->]]]]]] H; try (exfalso; lra);
  rewrite ?rank_1, ?rank_2, ?rank_3, ?rank_4, ?rank_5, ?rank_6, ?rank_7; lia.
Qed.
End Ranks.

(* ---- the head ---- *)
Section Head.
Variable f : format.
Variable E : R -> R.
Hypothesis HE : exp_model f E.
Variables (M : nat) (C : R).                              (* positions; the scale is ln N + C *)
Hypothesis C_range : 1 <= C <= 16.
Notation u := (u f). Notation tiny := (tiny f).
Definition once_any_eps := 1 - (1 - u) ^ 2 * (1 - u) ^ 5 * (1 - v64) ^ 4.
Definition once_any_sigma := (INR M - 1) * ((1 + 2 * u) ^ 6 * exp (- ((1 - once_any_eps) * (ln (INR M) + C)) + 2 *
  tiny) + tiny) + 2 * INR M ^ 2 * tiny.
Definition once_any_w := (1 - 2 * u) ^ 3 * exp (- (5 * u * (ln (INR M) + C))).
Definition once_any_error := 1 - (1 - u) ^ (M + 6) / ((1 + once_any_sigma / once_any_w) * (1 + u) ^ (M + 5)).
Definition once_any_ok : Prop := (8 <= prec f <= 53)%Z /\ 8 * tiny <= u /\ once_any_error <= / 4.

Lemma v64_small : 0 < v64 <= / 1000000000000000.
Proof. unfold v64. change (bpow radix2 (-53)) with (/ IZR (2 ^ 53)). simpl. lra. Qed.
Lemma f64_error_16 : 0 <= f64_error <= / 16.
Proof. unfold f64_error, v64. change (bpow radix2 (-53)) with (/ IZR (2 ^ 53)). simpl. lra. Qed.
Lemma units : (8 <= prec f <= 53)%Z -> v64 <= u <= / 256.
Proof.
  intros H. rewrite u_bpow. unfold v64. change (/ 256) with (bpow radix2 (-8)). split; apply bpow_le; lia.
Qed.
(* the roundings that the page counts are more than those of lambda, a unit in the last place and a difference *)
Lemma room x v : 0 < v <= / 1000000000000000 -> v <= x -> x <= / 32 ->
  (1 - x) ^ 2 * (1 - x) ^ 5 * (1 - v) ^ 4 <= (1 - x) ^ 2 * (1 - 2 * x) * (1 - ((1 + v) ^ 4 - 1)).
Proof.
  intros V VX X. assert (F : (1 - v) ^ 4 - 13 * v ^ 2 <= 1 - ((1 + v) ^ 4 - 1)).
  { assert (0 <= v ^ 2) by (apply pow2_ge_0). assert (v ^ 2 <= / 2) by (simpl; nra).
    assert (v ^ 4 <= / 2 * v ^ 2) by (replace (v ^ 4) with (v ^ 2 * v ^ 2) by ring; apply Rmult_le_compat_r; lra).
    replace (1 - ((1 + v) ^ 4 - 1)) with (1 - 4 * v - 6 * v ^ 2 - 4 * (v * v ^ 2) - v ^ 4) by ring.
    replace ((1 - v) ^ 4) with (1 - 4 * v + 6 * v ^ 2 - 4 * (v * v ^ 2) + v ^ 4) by ring. lra. }
  assert (K : 99 / 100 <= (1 - v) ^ 4 <= 1). { split; [|apply pow_0_1; lra].
    apply Rle_trans with ((1 - / 1000) ^ 4). lra. apply pow_incr; lra. }
  assert (Q5 : (1 - x) ^ 5 <= 1 - 5 * x + 10 * x ^ 2).
  { replace ((1 - x) ^ 5) with (1 - 5 * x + 10 * x ^ 2 - x ^ 3 * (10 - 5 * x + x ^ 2)) by ring.
    assert (0 <= x ^ 3) by (apply pow_le; lra). assert (0 <= x ^ 2) by apply pow2_ge_0.
      assert (0 <= x ^ 3 * (10 - 5 * x + x ^ 2)) by (apply Rmult_le_pos; lra). lra. }
  assert (D : 5 / 2 * x <= (1 - 2 * x) - (1 - x) ^ 5) by (assert (10 * x ^ 2 <= 10 / 32 * x) by (simpl; nra); lra).
  assert (V2 : 13 * v ^ 2 <= / 100 * x). { replace (v ^ 2) with (v * v) by ring.
    assert (v * v <= / 1000000000000000 * x) by (apply Rmult_le_compat; lra). lra. }
  rewrite !Rmult_assoc. apply Rmult_le_compat_l. apply pow_le; lra.
    apply Rle_trans with ((1 - 2 * x) * ((1 - v) ^ 4 - 13 * v ^ 2)); [|apply Rmult_le_compat_l; lra].
  set (k := (1 - v) ^ 4) in *. set (d := (1 - 2 * x) - (1 - x) ^ 5) in *.
    replace ((1 - x) ^ 5) with ((1 - 2 * x) - d) by (unfold d; ring).
  assert (99 / 100 * d <= k * d) by (apply Rmult_le_compat_r; lra). assert (0 <= v ^ 2) by apply pow2_ge_0.
    assert (0 <= x * v ^ 2) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma lam_range n lam : (0 < n <= M)%nat -> expression f (ln (INR n) + C) lam -> u <= / 256 ->
  (1 - u) * (1 - f64_error) * (ln (INR n) + C) <= lam <= (1 + u) * (1 + f64_error) * (ln (INR M) + C) /\ 0 <= ln (INR
    n) <= ln (INR M) /\ number f lam.
Proof.
  intros Hn [(y' & H1 & _ & ->) _] U32. assert (F := f64_error_16). assert (U := u_pos f).
  assert (n1 : 1 <= INR n) by (change 1 with (INR 1); apply le_INR; lia).
    assert (nM : INR n <= INR M) by (apply le_INR; lia).
  assert (L0 : 0 <= ln (INR n)) by (rewrite <- ln_1; destruct n1 as [n1|<-]; [left; apply ln_increasing; lra|right;
    auto]).
  assert (L1 : ln (INR n) <= ln (INR M)) by (destruct nM as [nM| ->]; [left; apply ln_increasing; lra|right; auto]).
  set (y := ln (INR n) + C) in *. assert (Y : 1 <= y) by (unfold y; lra). rewrite (Rabs_pos_eq y) in H1 by lra.
    apply Rabs_le_inv in H1.
  assert (Yh : / 2 <= y') by nra. destruct (rnd_normal f y' Yh) as [A B]. split; [split|split; auto].
  - eapply Rle_trans; [|apply A]. rewrite Rmult_assoc. apply Rmult_le_compat_l; lra.
  - eapply Rle_trans; [apply B|]. rewrite Rmult_assoc. apply Rmult_le_compat_l. lra.
    apply Rle_trans with ((1 + f64_error) * y). lra. apply Rmult_le_compat_l; unfold y; lra.
  - apply rnd_number.
Qed.

(* what an error of a quarter says of the length *)
Lemma sizes : once_any_ok -> (1 <= M)%nat -> 3 / 4 <= (1 - u) ^ (M + 6) /\ 0 <= once_any_sigma /\ 0 < once_any_w /\
  least f <= (1 - u) ^ (M + 6) * once_any_w.
Proof.
  intros (P & T8 & Err) M1. destruct (units P) as [_ U32]. assert (U := u_pos f). assert (T := tiny_pos f).
  assert (m1 : 1 <= INR M) by (change 1 with (INR 1); apply le_INR; lia).
  assert (W : 0 < once_any_w) by (unfold once_any_w; apply Rmult_lt_0_compat; [apply pow_lt; lra|apply exp_pos]).
  assert (S0 : 0 <= once_any_sigma).
  { unfold once_any_sigma. assert (0 < exp (- ((1 - once_any_eps) * (ln (INR M) + C)) + 2 * tiny)) by apply exp_pos.
    apply Rplus_le_le_0_compat. apply Rmult_le_pos. lra. apply Rplus_le_le_0_compat.
      apply Rmult_le_pos; [apply pow_le; lra|lra]. lra.
    apply Rmult_le_pos; [|lra]. apply Rmult_le_pos. lra. apply pow_le; lra. }
  assert (Z1 : 1 <= (1 + once_any_sigma / once_any_w) * (1 + u) ^ (M + 5)).
  { assert (0 <= once_any_sigma / once_any_w) by (apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]).
    assert (1 <= (1 + u) ^ (M + 5)) by (apply pow_R1_Rle; lra). apply Rle_trans with (1 * 1); [lra|].
      apply Rmult_le_compat; lra. }
  assert (K : 3 / 4 <= (1 - u) ^ (M + 6)).
  { unfold once_any_error in Err. set (Z := (1 + once_any_sigma / once_any_w) * (1 + u) ^ (M + 5)) in *.
    assert (0 <= (1 - u) ^ (M + 6)) by (apply pow_le; lra). assert (X : (1 - u) ^ (M + 6) / Z <= (1 - u) ^ (M + 6) /
      1).
    { apply Rmult_le_compat_l; auto. apply Rinv_le_contravar; lra. } lra. }
  split; auto. split; auto. split; auto.
  assert (Eu : (1 - u) ^ (M + 6) <= exp (- (INR (M + 6) * u))).
  { generalize (M + 6)%nat. intros k. induction k as [|k IH]. simpl. rewrite Rmult_0_l, Ropp_0, exp_0. lra.
    rewrite S_INR. replace (- ((INR k + 1) * u)) with (- u + - (INR k * u)) by ring. rewrite exp_plus. cbn [pow].
    apply Rmult_le_compat. lra. apply pow_le; lra. assert (X := exp_ineq1_le (- u)). lra. exact IH. }
  assert (Sm : INR (M + 6) * u <= / 3).
  { assert (A : exp (INR (M + 6) * u) <= 4 / 3).
    { rewrite exp_Ropp in Eu. assert (B : 0 < exp (INR (M + 6) * u)) by apply exp_pos.
      set (y := exp (INR (M + 6) * u)) in *.
      apply Rmult_le_reg_l with (/ y). now apply Rinv_0_lt_compat. rewrite Rinv_l by lra. lra. }
    assert (B := exp_ineq1_le (INR (M + 6) * u)). lra. }
  rewrite plus_INR in Sm. replace (INR 6) with 6 in Sm by (simpl; lra).
  assert (Ln : ln (INR M) <= INR M - 1). { assert (X := exp_ineq1_le (ln (INR M))). rewrite exp_ln in X by lra. lra. }
  assert (X2 : 5 * u * (ln (INR M) + C) <= 2) by nra.
  assert (E9 : / 9 <= exp (- (5 * u * (ln (INR M) + C)))).
  { apply Rle_trans with (exp (Ropp 2)). 2: apply exp_mono; lra. rewrite exp_Ropp. apply Rinv_le_contravar.
    apply exp_pos.
    replace 2 with (1 + 1) by ring. rewrite exp_plus. assert (A := exp_le_3). assert (B := exp_pos 1). nra. }
  assert (C3 : 4 / 5 <= (1 - 2 * u) ^ 3) by (apply Rle_trans with ((1 - / 16) ^ 3); [lra|apply pow_incr; lra]).
  assert (Lst : least f <= / 16).
  { assert (H : bpow radix2 (3 + emin f) <= bpow radix2 (- prec f)) by (rewrite bpow_plus, <- u_bpow; change (bpow
    radix2 3) with 8; exact T8).
    apply le_bpow in H. change (/ 16) with (bpow radix2 (-4)). unfold least. apply bpow_le. lia. }
  assert (A : 4 / 5 * / 9 <= once_any_w) by (unfold once_any_w; apply Rmult_le_compat; lra).
  assert (B : 3 / 4 * (4 / 5 * / 9) <= (1 - u) ^ (M + 6) * once_any_w) by (apply Rmult_le_compat; lra). lra.
Qed.

(* the error grows with M, so M is far below 2^p *)
Lemma once_any_size : once_any_ok -> (Z.of_nat M <= 2 ^ prec f)%Z.
Proof.
  intros Ok. destruct (Nat.eq_dec M 0) as [->|M0]. { apply Z.pow_nonneg. lia. }
  destruct (sizes Ok ltac:(lia)) as (S3 & _). destruct Ok as (P & _). destruct (units P) as [_ U2]. assert (U :=
    u_pos f).
  assert (B : forall n, (1 - u) ^ n * (1 + INR n * u) <= 1).
  { induction n as [|n IH]. simpl; lra. rewrite S_INR. cbn [pow]. assert (X := pos_INR n).
    assert (Q : 0 <= (1 - u) ^ n) by (apply pow_le; lra).
    assert ((1 - u) * (1 + (INR n + 1) * u) <= 1 + INR n * u) by nra.
    replace ((1 - u) * (1 - u) ^ n * (1 + (INR n + 1) * u)) with ((1 - u) ^ n * ((1 - u) * (1 + (INR n + 1) * u))) by
      ring.
    apply Rle_trans with ((1 - u) ^ n * (1 + INR n * u)); auto. now apply Rmult_le_compat_l. }
  specialize (B M). assert (L : (1 - u) ^ (M + 6) <= (1 - u) ^ M) by (apply pow_less; [lra|lia]).
  assert (m0 := pos_INR M). assert (X : INR M * u <= 1) by nra.
  apply le_IZR. rewrite <- INR_IZR_INZ, pow_IZR by lia. assert (Ub := u_bpow f).
  assert (Pp : bpow radix2 (prec f) * u = 1) by (rewrite Ub, <- bpow_plus, Z.add_opp_diag_r; reflexivity).
  apply Rmult_le_reg_r with u; auto. lra.
Qed.

Theorem once_any_out n K (c : nat -> bool) logit lam x : once_any_ok -> (0 < n <= M)%nat -> (length K <= n)%nat ->
  NoDup K ->
  expression f (ln (INR n) + C) lam -> (forall j, number f (logit j)) ->
  (forall j, In j K -> Rabs (logit j - (if c j then lam else 0)) <= ulp radix2 (FLT_exp (emin f) (prec f)) (if c j
    then lam else 0)) ->
  softmax_row f f E AnyOrder logit (fun j => if c j then 1 else 0) K x ->
  ((forall j, In j K -> c j = false) -> x = 0) /\ (forall jc, In jc K -> c jc = true -> Rabs (x - 1) <=
    once_any_error /\ 0 <= x).
Proof.
  intros Ok Hn Ln Nd Hl Nl Lg SR. split.
  { intros Z. apply (softmax_zero f f E AnyOrder logit (fun j => if c j then 1 else 0) K); auto. intros j Hj.
    now rewrite (Z j Hj). }
  intros jc Hi Hc. destruct (sizes Ok ltac:(lia)) as (M34 & Sg0 & W0 & Norm). destruct Ok as (P & T8 & Err).
    destruct (units P) as [Uv U32].
  destruct (lam_range n lam Hn Hl U32) as ([Lam1 Lam2] & [L0 L1] & Nlam).
  assert (U := u_pos f). assert (T := tiny_pos f). assert (F := f64_error_16).
    set (fexp := FLT_exp (emin f) (prec f)) in *.
  assert (Lam9 : 9 / 10 <= lam).
  { eapply Rle_trans; [|apply Lam1]. apply Rle_trans with ((1 - / 256) * (1 - / 16) * 1). lra.
    apply Rmult_le_compat; try lra. apply Rmult_le_compat; lra. }
  assert (Lst : least f <= / 16).
  { assert (H : bpow radix2 (3 + emin f) <= bpow radix2 (- prec f)) by (rewrite bpow_plus, <- u_bpow; change (bpow
    radix2 3) with 8; exact T8).
    apply le_bpow in H. change (/ 16) with (bpow radix2 (-4)). unfold least. apply bpow_le. lia. }
  set (h := ulp radix2 fexp lam) in *.
  assert (h0 : 0 < h). { unfold h. rewrite ulp_neq_0 by lra. apply bpow_gt_0. }
  assert (hu : h <= 2 * u * lam).
  { unfold h. eapply Rle_trans. apply ulp_FLT_le. rewrite Rabs_pos_eq by lra. fold (least f). lra.
    rewrite Rabs_pos_eq by lra. rewrite u_bpow. replace (1 - prec f)%Z with (1 + - prec f)%Z by ring.
      rewrite bpow_plus. change (bpow radix2 1) with 2. lra. }
  assert (h16 : h <= lam / 16) by nra. assert (t4 : tiny <= / 256) by lra.
  assert (Apart : tiny < lam - h) by lra.
  assert (Cand : forall j, In j K -> c j = true -> logit j = lam - h \/ logit j = lam - h / 2 \/ logit j = lam \/
    logit j = lam + h).
  { intros j Hj Cj. specialize (Lg j Hj). rewrite Cj in Lg. apply near_values; auto. lra. lia. }
  assert (Lose : forall j, In j K -> c j = false -> logit j = - tiny \/ logit j = 0 \/ logit j = tiny).
  { intros j Hj Cj. specialize (Lg j Hj). unfold fexp in Lg. rewrite Cj, ulp_FLT_0 in Lg by apply prec_pos.
    rewrite Rminus_0_r in Lg. now apply small_values. }
  set (v j := if in_dec Nat.eq_dec j K then (if c j then 1 else 0) else 0).
  assert (SR' : softmax_row f f E AnyOrder logit v K x). { revert SR. apply softmax_ext. intros j Hj. unfold v.
    destruct (in_dec Nat.eq_dec j K); [auto|contradiction]. }
  clear SR. assert (v01 : forall j, v j = 0 \/ v j = 1) by (intros j; unfold v; destruct (in_dec Nat.eq_dec j K);
    auto; destruct (c j); auto).
  assert (vC : forall j, v j = 1 -> In j K /\ c j = true) by (intros j; unfold v; destruct (in_dec Nat.eq_dec j K);
    [|lra]; destruct (c j); [auto|lra]).
  assert (vF : forall j, In j K -> v j = if c j then 1 else 0) by (intros j Hj; unfold v; destruct (in_dec Nat.eq_dec
    j K); [auto|contradiction]).
  unfold softmax_row in SR'. destruct K as [|k0 K0] eqn:EK; [destruct Hi|]. rewrite <- EK in *. clear EK.
  destruct SR' as (js & L & t & num & Pm & Top & [Okt Rs] & S & ->).
  assert (Ij : In js K) by (apply (Permutation_in _ Pm); now left).
  assert (Val : forall j, In j K -> value tiny lam h (logit j)).
  { intros j Hj. unfold value. destruct (c j) eqn:Cj. destruct (Cand j Hj Cj) as [Z|[Z|[Z|Z]]]; tauto.
    destruct (Lose j Hj Cj) as [Z|[Z|Z]]; tauto. }
  assert (Cjs : c js = true). { destruct (c js) eqn:X; auto. assert (A := Top jc Hi).
    destruct (Lose js Ij X) as [Z|[Z|Z]], (Cand jc Hi Hc) as [Y|[Y|[Y|Y]]]; rewrite Z, Y in A; lra. }
  set (win := logit js) in *. assert (W1 : lam - h <= win <= lam + h) by (destruct (Cand js Ij Cjs) as [Z|[Z|[Z|Z]]];
    fold win in Z; rewrite Z; lra).
  set (lo := lam - h). assert (Vw : value tiny lam h win) by now apply Val.
  (* the factors between candidates *)
  assert (Spread : exp (- (5 * u * (ln (INR M) + C))) <= exp ((1 + u) * (lo - win))).
  { apply exp_mono. assert (A : lo - win >= - (2 * h)) by (unfold lo; lra).
    assert (B : (1 + u) * (2 * h) <= 5 * u * (ln (INR M) + C)).
    { apply Rle_trans with ((1 + u) * (2 * (2 * u * lam))). apply Rmult_le_compat_l; lra.
      replace ((1 + u) * (2 * (2 * u * lam))) with (4 * u * ((1 + u) * lam)) by ring.
        replace (5 * u * (ln (INR M) + C)) with (4 * u * (5 / 4 * (ln (INR M) + C))) by field.
      apply Rmult_le_compat_l. lra. apply Rle_trans with ((1 + u) * ((1 + u) * (1 + f64_error) * (ln (INR M) + C))).
        apply Rmult_le_compat_l; lra.
      replace ((1 + u) * ((1 + u) * (1 + f64_error) * (ln (INR M) + C))) with ((1 + u) * (1 + u) * (1 + f64_error) *
        (ln (INR M) + C)) by ring. apply Rmult_le_compat_r. lra.
      assert (F2 : f64_error <= / 100) by (unfold f64_error, v64; change (bpow radix2 (-53)) with (/ IZR (2 ^ 53));
        simpl; lra).
      apply Rle_trans with ((1 + / 32) * (1 + / 32) * (1 + / 100)); [|lra]. apply Rmult_le_compat; try lra.
        apply Rmult_le_pos; lra. apply Rmult_le_compat; lra. }
    assert ((1 + u) * (- (2 * h)) <= (1 + u) * (lo - win)) by (apply Rmult_le_compat_l; lra). lra. }
  assert (Wl : once_any_w <= (1 - 2 * u) ^ 3 * exp ((1 + u) * (lo - win))) by (unfold once_any_w; apply
    Rmult_le_compat_l; [apply pow_le; lra|auto]).
  assert (Normal : least f <= (1 - u) ^ (M + 6) * ((1 - 2 * u) ^ 3 * exp ((1 + u) * (lo - win)))) by (eapply
    Rle_trans; [apply Norm|]; apply Rmult_le_compat_l; [apply pow_le; lra|auto]).
  assert (KL : forall j, In j L -> In j K) by (intros j Hj; apply (Permutation_in _ Pm); now right).
  assert (Len : Datatypes.S (length L) = length K) by (apply Permutation_length in Pm; simpl in Pm; lia).
  assert (Sz : size t = Datatypes.S (length L)) by (rewrite (summed_size f E logit v win _ _ _ _ S); lia).
  assert (Rs' : refs (value tiny lam h) t). { clear - Rs Val.
    induction t; cbn [refs] in *; intuition; match goal with H : exists _, _ |- _ => destruct H as (j & Hj & ->); now
    apply Val end. }
  assert (Hi3 : forall j, v j = 1 -> value tiny lam h (logit j) -> lo <= logit j /\ (3 <= rank tiny lam h (logit
    j))%nat).
  { intros j Vj _. destruct (vC j Vj) as [Kj Cj]. destruct (Cand j Kj Cj) as [Z|[Z|[Z|Z]]]; rewrite Z; unfold lo.
    rewrite rank_4 by lra; split; [lra|lia]. rewrite rank_5 by lra; split; [lra|lia].
      rewrite rank_6 by lra; split; [lra|lia]. rewrite rank_7 by lra; split; [lra|lia]. }
  destruct (effective f E HE logit v win lo (value tiny lam h) (rank tiny lam h) 3 M ltac:(lra) (Nl js) v01
    (rank_grows tiny lam h T h0 Apart) (rank_max tiny lam h) Vw Hi3
    ltac:(assert (X := rank_max tiny lam h win); lia) ltac:(unfold lo; lra) Normal L (Some js) t num Okt S Rs'
      ltac:(intros; now apply Val, KL) ltac:(lia))
    as (cc & dd & [C0 D0] & _ & Cs & Cl & Xl & Yu & I1 & Du).
  destruct (lemma1_any f E HE win (Nl js) (u_half f) t Okt (summed_wins f E logit v win _ _ _ _ S)) as [Rf [D1 _]].
  assert (Sn := summed_nums f E HE logit v win v01 L (Some js) t num Okt S).
  assert (Unit := output_in_unit f E HE win (Nl js) (u_half f) t num Okt (summed_wins f E logit v win _ _ _ _ S) Sn).
  rewrite Rf in *. set (den := val f E win t) in *. set (R := rank tiny lam h win) in *.
    assert (R6 : (R <= 6)%nat) by apply rank_max.
  assert (Vjs : v js = 1) by (rewrite (vF js Ij), Cjs; auto).
  assert (V0 : 0 <= sum v L) by (apply sum_nonneg; intros j _; destruct (v01 j); lra).
  assert (s1 : 1 <= share v L (Some js)) by (unfold share; rewrite Vjs; lra).
  (* the candidates weigh at least w *)
  assert (Cw : once_any_w <= cc).
  { eapply Rle_trans; [apply Wl|]. eapply Rle_trans; [|apply Cl]. assert (e1 := exp_pos ((1 + u) * (lo - win))).
    assert (B : 0 <= (1 - 2 * u) ^ 3 <= (1 - 2 * u) ^ (R - 3)) by (split; [apply pow_le; lra|apply pow_less;
      [lra|lia]]).
    apply Rmult_le_compat_r. lra. apply Rle_trans with (1 * (1 - 2 * u) ^ (R - 3)). lra.
      apply Rmult_le_compat_r; lra. }
  (* and the losers at most sigma *)
  set (q := share (fun j => 1 - v j) L (Some js)) in *.
  assert (q0 : 0 <= q) by (unfold q; destruct (share_whole (fun j => 1 - v j) ltac:(intros j; destruct (v01 j); lra)
    L (Some js)); lra).
  assert (qn : q <= INR n - 1).
  { unfold q, share. rewrite Vjs. assert (X : sum (fun j => 1 - v j) L <= INR (length L)).
    { rewrite <- (Rmult_1_r (INR (length L))), <- sum_const. apply sum_le. intros j _. destruct (v01 j); lra. }
    assert (INR (length L) <= INR n - 1). { assert (Y : INR (Datatypes.S (length L)) <= INR n) by (apply le_INR;
      lia). rewrite S_INR in Y. lra. } lra. }
  set (Y := ln (INR n) + C) in *. set (ex := exp ((1 - u) * (tiny - (lam - h)))).
    assert (ex0 : 0 < ex) by apply exp_pos.
  assert (Idl : ideal f logit v L (Some js) win <= q * ex).
  { unfold ideal, q, share. rewrite Vjs. replace ((1 - 1) * exp ((1 - u) * (logit js - win))) with 0 by ring.
    rewrite !Rplus_0_r.
    replace (sum (fun j => 1 - v j) L + (1 - 1)) with (sum (fun j => 1 - v j) L) by ring.
      rewrite Rmult_comm, <- sum_scal. apply sum_le. intros j Hj.
    destruct (v01 j) as [Vj|Vj]; [|rewrite Vj; lra]. rewrite (Rmult_comm ex). apply Rmult_le_compat_l. lra.
    apply exp_mono. apply Rmult_le_compat_l. lra. assert (Kj := KL j Hj). rewrite (vF j Kj) in Vj.
      destruct (c j) eqn:Cj; [lra|].
    assert (logit j <= tiny) by (destruct (Lose j Kj Cj) as [Z|[Z|Z]]; rewrite Z; lra). lra. }
  assert (n1 : 1 <= INR n) by (change 1 with (INR 1); apply le_INR; lia).
    assert (nM : INR n <= INR M) by (apply le_INR; lia).
  set (e1 := 1 - once_any_eps). assert (E1 : e1 = (1 - u) ^ 2 * (1 - u) ^ 5 * (1 - v64) ^ 4) by (unfold e1,
    once_any_eps; ring).
  assert (V64 := v64_small). assert (e1b : 0 <= e1 <= 1).
  { rewrite E1. assert (A1 : 0 <= (1 - u) ^ 2 <= 1) by (apply pow_0_1; lra).
    assert (A2 : 0 <= (1 - u) ^ 5 <= 1) by (apply pow_0_1; lra).
    assert (A3 : 0 <= (1 - v64) ^ 4 <= 1) by (apply pow_0_1; lra). split.
      apply Rmult_le_pos; [apply Rmult_le_pos|]; lra.
    apply Rle_trans with (1 * 1 * 1); [|lra]. apply Rmult_le_compat; try lra. apply Rmult_le_pos; lra.
      apply Rmult_le_compat; lra. }
  assert (Main : (1 + 2 * u) ^ R * (q * ex) <= (INR M - 1) * ((1 + 2 * u) ^ 6 * exp (- (e1 * (ln (INR M) + C)) + 2 *
    tiny))).
  { assert (G6 : (1 + 2 * u) ^ R <= (1 + 2 * u) ^ 6) by (apply Rle_pow; [lra|auto]).
    assert (G0 : 0 < (1 + 2 * u) ^ 6) by (apply pow_lt; lra).
    assert (Ex : ex <= exp (2 * tiny + - (e1 * Y))).
    { unfold ex. apply exp_mono. assert (Y8 : 0 <= Y) by (unfold Y; lra).
      assert (A : (1 - u) ^ 2 * (1 - 2 * u) * (1 - f64_error) * Y <= (1 - u) * (lam - h)).
      { apply Rle_trans with ((1 - u) * ((1 - 2 * u) * lam)).
        - replace ((1 - u) ^ 2 * (1 - 2 * u) * (1 - f64_error) * Y) with ((1 - u) * ((1 - 2 * u) * ((1 - u) * (1 -
          f64_error) * Y))) by ring.
          apply Rmult_le_compat_l. lra. apply Rmult_le_compat_l; lra.
        - apply Rmult_le_compat_l; lra. }
      assert (Rm := room u v64 V64 Uv ltac:(lra)). fold f64_error in Rm. rewrite <- E1 in Rm.
      set (b := (1 - u) ^ 2 * (1 - 2 * u) * (1 - f64_error)) in *.
        assert (B : e1 * Y <= b * Y) by (apply Rmult_le_compat_r; lra).
      assert (0 <= u * tiny) by (apply Rmult_le_pos; lra). lra. }
    assert (Step : (1 + 2 * u) ^ R * (q * ex) <= (1 + 2 * u) ^ 6 * (q * exp (2 * tiny + - (e1 * Y)))).
    { apply Rmult_le_compat; auto. apply pow_le; lra. apply Rmult_le_pos; lra. apply Rmult_le_compat_l; lra. }
    eapply Rle_trans; [apply Step|]. rewrite (Rplus_comm (- (e1 * (ln (INR M) + C)))), !exp_plus.
    replace ((1 + 2 * u) ^ 6 * (q * (exp (2 * tiny) * exp (- (e1 * Y))))) with ((1 + 2 * u) ^ 6 * exp (2 * tiny) *
      (exp (- (e1 * Y)) * q)) by ring.
    replace ((INR M - 1) * ((1 + 2 * u) ^ 6 * (exp (2 * tiny) * exp (- (e1 * (ln (INR M) + C)))))) with ((1 + 2 * u)
      ^ 6 * exp (2 * tiny) * (exp (- (e1 * (ln (INR M) + C))) * (INR M - 1))) by ring.
    apply Rmult_le_compat_l. apply Rmult_le_pos. lra. left; apply exp_pos.
    assert (Gw := losers_grow e1 C (INR n) (INR M) e1b n1 nM). fold Y in Gw.
    apply Rle_trans with (exp (- (e1 * Y)) * (INR n - 1)). apply Rmult_le_compat_l. left; apply exp_pos. lra. lra. }
  assert (Sig : dd + (2 * INR (size t) - 1) * tiny <= once_any_sigma).
  { assert (St : INR (size t) <= INR M) by (apply le_INR; lia). assert (St1 := size_pos t).
    assert (A : (1 + 2 * u) ^ R * ideal f logit v L (Some js) win <= (1 + 2 * u) ^ R * (q * ex)) by (apply
      Rmult_le_compat_l; [apply pow_le; lra|auto]).
    assert (B : 2 * INR (size t) * q * tiny <= 2 * INR M * (INR M - 1) * tiny) by (apply Rmult_le_compat_r; [lra|];
      apply Rmult_le_compat; lra).
    assert (Cc : (2 * INR (size t) - 1) * tiny <= (2 * INR M - 1) * tiny) by (apply Rmult_le_compat_r; lra).
    unfold once_any_sigma. fold e1. rewrite (Rmult_plus_distr_l (INR M - 1)).
      assert (0 <= INR M * tiny) by (apply Rmult_le_pos; lra).
    replace (2 * INR M ^ 2 * tiny) with (2 * INR M * (INR M - 1) * tiny + 2 * (INR M * tiny)) by ring. lra. }
  (* the quotient *)
  set (a := (1 - u) ^ (M + 5)). set (b := (1 + u) ^ (M + 5)) in *. set (w := once_any_w) in *.
    set (sg := once_any_sigma) in *.
  assert (a0 : 0 < a) by (apply pow_lt; lra). assert (b1 : 1 <= b) by (apply pow_R1_Rle; lra).
  assert (Num : a * cc <= num).
  { eapply Rle_trans; [|apply Xl]. apply Rmult_le_compat_r; auto. apply pow_less; [lra|lia]. }
  assert (sw : 0 <= sg / w) by (apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]).
  assert (Den : den <= b * (cc * (1 + sg / w))).
  { eapply Rle_trans; [apply Yu|]. apply Rle_trans with (b * (cc + sg)).
    - assert (0 <= (2 * INR (size t) - 1) * tiny) by (apply Rmult_le_pos; [assert (X := size_pos t); lra|lra]).
      apply Rmult_le_compat. apply pow_le; lra. lra. apply Rle_pow; [lra|lia]. lra.
    - apply Rmult_le_compat_l. lra. assert (sg <= cc * (sg / w)). { apply Rle_trans with (w * (sg / w)). right.
      field. lra. apply Rmult_le_compat_r; lra. } lra. }
  set (Z := (1 + sg / w) * b). assert (Z0 : 0 < Z) by (apply Rmult_lt_0_compat; lra). assert (cc0 : 0 < cc) by lra.
  assert (Q : a / Z <= num / den).
  { apply Rmult_le_reg_r with (den * Z). apply Rmult_lt_0_compat; lra.
    replace (a / Z * (den * Z)) with (a * den) by (field; lra).
    replace (num / den * (den * Z)) with (num * Z) by (field; lra).
      apply Rle_trans with (a * (b * (cc * (1 + sg / w)))). apply Rmult_le_compat_l; lra.
    replace (a * (b * (cc * (1 + sg / w)))) with (a * cc * Z) by (unfold Z; ring). apply Rmult_le_compat_r; lra. }
  assert (Ea : (1 - u) ^ (M + 6) = (1 - u) * a) by (replace (M + 6)%nat with (Datatypes.S (M + 5)) by lia;
    reflexivity).
  assert (Eerr : once_any_error = 1 - (1 - u) * (a / Z)).
  { unfold once_any_error. fold sg w b. fold Z. rewrite Ea. unfold Rdiv. ring. }
  assert (aZ : 0 < a / Z) by (apply Rmult_lt_0_compat; [lra|now apply Rinv_0_lt_compat]).
  assert (qh : / 2 <= num / den) by (assert (0 <= u * (a / Z)) by (apply Rmult_le_pos; lra); lra).
    destruct (rnd_normal f _ qh) as [A1 _].
  unfold quotient. rewrite (rnd_id f (rnd f (num / den))) by apply rnd_number.
  assert (A2 : (1 - u) * (a / Z) <= (1 - u) * (num / den)) by (apply Rmult_le_compat_l; lra).
  split; [|lra]. rewrite Eerr. apply Rabs_le. lra.
Qed.
End Head.
