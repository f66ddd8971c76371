(* doc/certificate.md, "Count" and "Compare": soundness of comparisons of counts, in both orders, by temperature.

   compare_ok      the inequalities that a certificate has for a comparison
   compare_row_is  the output of the second head is within compare_error of the comparison's truth
   compare_row_ok  within a quarter, if the inequalities hold
   compare_sound   if they hold, the block of a comparison computes its formula in every possible run *)
From Coq Require Import ZArith Reals Lia Lra Psatz List Bool Arith Permutation.
From Flocq Require Import Core.
From Temper Require Import Rows Heads Format Sums Nearest NearestAny Rounding Exact Strings Programs Compile
  Temporal Counting
  FloatRun NearestHead OnceTree OnceAny CountHead CompareHead CompareAny CompareLogit Soundness.
Import ListNotations.
Local Open Scope R_scope.

Section Inequalities.
Variables fs fa : format.
Variable ord : order.
Variable M : nat.
Definition compare_eps := (1 + u fa) ^ 8 * (1 + u fs) ^ 3 * (1 + v64) ^ 6 - 1.
Definition compare_rest := (1 + 2 * u fa) * (exp (- (8 * (1 - compare_eps)) + 2 * tiny fa) * exp (compare_eps * ln
  (INR M))) +
  match ord with Ascending => INR M * tiny fa | AnyOrder => 2 * INR M ^ 2 * tiny fa end.
Definition compare_low := (1 - 2 * u fa) * (1 - u fa) ^ (4 * M).
Definition compare_error_false := match ord with
  | Ascending => ((1 + u_stored fs fa) * compare_rest + tiny fs) * (1 + u fa) * (1 + u_stored fs fa) * exp (2 * tiny
    fa) /
    compare_low + tiny fs
  | AnyOrder => (compare_rest + tiny fs) * (1 + u fa) * exp (2 * tiny fa) / compare_low + tiny fs end.
Definition compare_error_true := match ord with Ascending => error fs fa (4 * compare_rest) 0
  | AnyOrder => error_row fa M compare_rest end.
Definition compare_error := Rmax compare_error_true compare_error_false.
(* wl: the sum of |coefficients|; we: |constant + 1/2| *)
Definition compare_ok (wl we : R) : Prop := least fa <= least fs /\ (Z.of_nat M <= 2 ^ prec fa)%Z /\
  least fs <= / (2 * INR M) /\ least fs <= ln 2 / (16 * INR M) /\ exp ((1 + compare_eps) * ln (INR M)) <= / least fa
    /\
  wl + we <= bpow radix2 (prec fs - 1) /\ INR M * wl + we <= bpow radix2 (prec fa - 1) /\
  match ord with
  | Ascending => 4 * compare_rest <= 1 /\ error fs fa (4 * compare_rest) 0 <= / 4
  | AnyOrder => fs = fa /\ 8 * tiny fa <= u fa /\ 2 * (1 + u fa) ^ (4 * M) * compare_rest <= 1 /\ error_row fa M
    compare_rest <= / 4 end /\
  compare_error_false <= / 4.

Lemma eps_facts : 0 <= eps1 fs fa /\ eps1 fs fa <= compare_eps /\ (1 + eps1 fs fa) * (1 + u fa) <= 1 + compare_eps /\
  1 - compare_eps <= (1 - eps1 fs fa) * (1 - u fa).
Proof.
  assert (Ua := u_pos fa). assert (Us := u_pos fs). assert (V : 0 <= v64) by apply bpow_ge_0.
  set (h1 := (1 + u fa) ^ 5 * (1 + u fs) ^ 2 * (1 + v64) ^ 4).
  assert (P1 : 1 <= (1 + u fa) ^ 5) by (apply pow_R1_Rle; lra).
    assert (P2 : 1 <= (1 + u fs) ^ 2) by (apply pow_R1_Rle; lra).
  assert (P3 : 1 <= (1 + v64) ^ 4) by (apply pow_R1_Rle; lra).
  assert (H1 : 1 <= h1). { unfold h1. assert (1 <= (1 + u fa) ^ 5 * (1 + u fs) ^ 2) by nra. nra. }
  assert (Q1 : 1 <= (1 + u fa) ^ 2) by (apply pow_R1_Rle; lra).
    assert (Q2 : 1 <= (1 + v64) ^ 2) by (apply pow_R1_Rle; lra).
  assert (R1 : 1 <= (1 + u fa) ^ 2 * (1 + u fs) * (1 + v64) ^ 2).
    { assert (1 <= (1 + u fa) ^ 2 * (1 + u fs)) by nra. nra. }
  assert (E : 1 + compare_eps = h1 * (1 + u fa) * ((1 + u fa) ^ 2 * (1 + u fs) * (1 + v64) ^ 2)) by (unfold
    compare_eps, h1; ring).
  assert (X : h1 * (1 + u fa) <= 1 + compare_eps).
  { rewrite E. rewrite <- (Rmult_1_r (h1 * (1 + u fa))) at 1. apply Rmult_le_compat_l; auto.
    apply Rmult_le_pos; lra. }
  unfold eps1. fold h1. replace (1 + (h1 - 1)) with h1 by ring. assert (0 <= h1 - 1) by lra. split; auto. split.
    nra. split; auto. nra.
Qed.
Lemma rest_big : (1 <= M)%nat -> exp (- (8 * (1 - compare_eps))) <= compare_rest.
Proof.
  intros M1. assert (Ua := u_pos fa). assert (T := tiny_pos fa). unfold compare_rest.
    destruct eps_facts as (A & B & _ & _).
  assert (e1 := exp_pos (- (8 * (1 - compare_eps)))).
  assert (X1 : exp (- (8 * (1 - compare_eps))) <= exp (- (8 * (1 - compare_eps)) + 2 * tiny fa)) by (apply exp_mono;
    lra).
  assert (L0 : 0 <= ln (INR M)). { assert (H : 1 <= INR M) by (change 1 with (INR 1); apply le_INR; lia).
    rewrite <- ln_1. destruct H as [H|<-]; [left; apply ln_increasing; lra|right; auto]. }
  assert (X2 : exp 0 <= exp (compare_eps * ln (INR M))) by (apply exp_mono; apply Rmult_le_pos; lra).
    rewrite exp_0 in X2.
  assert (Y : exp (- (8 * (1 - compare_eps))) <= exp (- (8 * (1 - compare_eps)) + 2 * tiny fa) * exp (compare_eps *
    ln (INR M))) by nra.
  assert (0 <= match ord with Ascending => INR M * tiny fa | AnyOrder => 2 * INR M ^ 2 * tiny fa end).
  { assert (0 <= INR M) by apply pos_INR. destruct ord; apply Rmult_le_pos; try lra. apply Rmult_le_pos. lra.
    apply pow_le; lra. }
  assert (0 <= exp (- (8 * (1 - compare_eps)) + 2 * tiny fa) * exp (compare_eps * ln (INR M))) by lra. nra.
Qed.
(* what is weighed is far from 1 *)
Lemma rest_small wl we : (1 <= M)%nat -> compare_ok wl we -> / 2 <= 8 * (1 - compare_eps) /\ (ord = AnyOrder -> 4 *
  compare_rest <= 1 - 2 * u fa).
Proof.
  intros M1 (_ & _ & _ & _ & _ & _ & _ & O & F). assert (B := rest_big M1). assert (Ua := u_pos fa).
    assert (Uh := u_le_half fa). assert (T := tiny_pos fa).
  assert (Ts := tiny_pos fs).
  assert (e := exp_ineq1_le (- (8 * (1 - compare_eps)))). assert (e0 := exp_pos (- (8 * (1 - compare_eps)))).
  assert (G : 1 <= (1 + u fa) ^ (4 * M)) by (apply pow_R1_Rle; lra).
  split. { destruct ord. lra. destruct O as (_ & _ & O & _). nra. }
  intros Eo. unfold compare_error_false in F. rewrite Eo in F. set (c := compare_rest) in *.
    set (lo := compare_low) in *.
  assert (Lo : 0 < lo <= 1 - 2 * u fa). { unfold lo, compare_low.
    assert (0 < (1 - u fa) ^ (4 * M) <= 1) by (split; [apply pow_lt; lra|apply pow_le_1; lra]). split; nra. }
  assert (X : exp 0 <= exp (2 * tiny fa)) by (apply exp_mono; lra). rewrite exp_0 in X.
  assert (c <= (c + tiny fs) * (1 + u fa) * exp (2 * tiny fa)). { assert (c <= (c + tiny fs) * (1 + u fa)) by nra.
    nra. }
  assert (Y : (c + tiny fs) * (1 + u fa) * exp (2 * tiny fa) <= / 4 * lo).
  { apply Rmult_le_reg_r with (/ lo). apply Rinv_0_lt_compat; lra.
    replace (/ 4 * lo * / lo) with (/ 4) by (field; lra). unfold Rdiv in F. lra. }
  lra.
Qed.
End Inequalities.

Lemma softmax_logit_ext fs fa E K x v l l' : (forall j, In j K -> l j = l' j) -> softmax_row fs fa E Ascending l v K
  x -> softmax_row fs fa E Ascending l' v K x.
Proof.
  intros H. unfold softmax_row. destruct K as [|k0 K0] eqn:EK; auto. rewrite <- EK in *. clear EK.
  intros (top & T1 & T2 & ->). exists top. split; auto. split. intros j Hj. rewrite <- !H; auto. cbv zeta. f_equal.
  f_equal. apply map_ext_in. intros j Hj. now rewrite !H. f_equal. apply map_ext_in. intros j Hj. now rewrite !H.
Qed.
(* ---- the second head's row ---- *)
Section Row.
Variables fs fa : format.
Hypothesis incl : forall x, number fs x -> number fa x.
Hypothesis fine : fs = fa \/ 2 * tiny fa <= tiny fs.
Variable E : R -> R.
Hypothesis HE : exp_model fa E.
Variable ord : order.
Variable M : nat.
Variables wl we : R.
Hypothesis Ok : compare_ok fs fa ord M wl we.
Variables (n m z : nat) (K : list nat) (logit : nat -> R) (V : Z) (x y g : R).
Hypothesis n_M : (n <= M)%nat.
Hypothesis m_n : (1 <= m < n)%nat.
Hypothesis distinct : NoDup K.
Hypothesis has_z : In z K.
Hypothesis count : length K = S m.
Hypothesis logit_number : forall j, number fa (logit j).
Hypothesis lows : forall j, In j K -> j <> z -> moved fa ord 0 (logit j).
Let Sum := IZR V + / 2.
Hypothesis y_is : y = quotient fs fa Sum (INR (S m)).
Hypothesis g_is : expression fs (ln (INR (Nat.max m 1)) / (16 * INR n)) g.
Hypothesis z_is : moved fa ord (rnd fa (16 * INR n * rnd fs (rnd fa (y + g)))) (logit z).
Hypothesis row : softmax_row fs fa E ord logit (at_z z) K x.

Theorem compare_row_is : 0 <= x /\ Rabs (x - (if Z.leb 0 V then 1 else 0)) <= compare_error fs fa ord M.
Proof.
  assert (Ok' := Ok). destruct Ok' as (Nrm & HM & Mean & Logn & Pw & _ & _ & O & F).
  destruct (rest_small fs fa ord M wl we ltac:(lia) Ok) as [e8 R4].
    destruct (eps_facts fs fa) as (e10 & e1e & eu & el).
  set (ep := compare_eps fs fa) in *. set (e1 := eps1 fs fa) in *. set (rest := compare_rest fs fa ord M) in *.
  assert (Ua := u_pos fa). assert (Uh := u_le_half fa). assert (T := tiny_pos fa). assert (Us := u_pos fs).
    assert (Ush := u_le_half fs). assert (Ts := tiny_pos fs).
  assert (m1 : 1 <= INR m) by (change 1 with (INR 1); apply le_INR; lia).
    assert (mM : INR m <= INR M) by (apply le_INR; lia).
  assert (n0 : 0 < INR n) by (apply lt_0_INR; lia). assert (Sn : INR (S m) <= INR n) by (apply le_INR; lia).
    assert (S0 : 0 < INR (S m)) by (apply lt_0_INR; lia).
  assert (B0 : 0 <= ln (INR m)) by (rewrite <- ln_1; destruct m1 as [m1|<-]; [left; apply ln_increasing; lra|right;
    auto]).
  assert (BM : ln (INR m) <= ln (INR M)) by (destruct mM as [mM| ->]; [left; apply ln_increasing; lra|right; auto]).
  assert (tu : 8 * tiny fa <= 1). { assert (tiny fa <= bpow radix2 (-2)) by (apply bpow_le; generalize (emin_neg fa)
    (prec_ge_2 fa); lia). 
    assert (tiny fa <= bpow radix2 (-3) \/ tiny fa = bpow radix2 (-2)).
    { destruct (Z_le_gt_dec (emin fa) (-3)). left. now apply bpow_le. right. unfold tiny. f_equal.
      generalize (emin_neg fa) (prec_ge_2 fa). lia. }
    destruct H0 as [H0|H0]. simpl in H0. lra. exfalso. assert (Lm : least fa = / 2).
    { unfold least. unfold tiny in H0. apply bpow_inj in H0. replace (emin fa + prec fa - 1)%Z with (-1)%Z.
      reflexivity. generalize (emin_neg fa) (prec_ge_2 fa). lia. }
    assert (M2 : (2 <= M)%nat) by lia. apply le_INR in M2. simpl (INR 2) in M2.
      assert (X : / (2 * INR M) <= / 4) by (apply Rinv_le_contravar; lra). lra. }
  assert (SH : / 2 <= Rabs Sum). { unfold Sum. destruct (Z_le_gt_dec 0 V) as [H|H].
    apply IZR_le in H. rewrite Rabs_pos_eq; lra. assert (V <= -1)%Z by lia. apply IZR_le in H0.
      rewrite Rabs_left1; lra. }
  destruct (compare_logit fs fa incl Nrm ord n m M n_M m_n Mean Logn Sum y g (logit z) SH y_is g_is z_is) as (a & b
    & c & Ha & Hb & Hc & El).
  fold e1 in Ha, Hb. set (A := 16 * INR n * (Sum / INR (S m))) in *. set (B := ln (INR m)) in *.
    set (lz := logit z) in *.
  apply Rabs_le_inv in Ha, Hb, Hc.
  assert (Lw : forall j, In j K -> j <> z -> low fa (logit j)) by (intros j Hj Hne; apply (moved_0 fa ord); now
    apply lows).
  destruct (Z.leb_spec 0 V) as [HV|HV].
  - (* it holds *)
    assert (A8 : 8 <= A). { unfold A, Sum. apply IZR_le in HV. apply Rmult_le_reg_r with (INR (S m)); auto.
      replace (16 * INR n * ((IZR V + / 2) / INR (S m)) * INR (S m)) with (16 * INR n * (IZR V + / 2)) by (field;
        lra). nra. }
    assert (Lz : (1 - e1) * (8 + B) - tiny fa <= lz). { rewrite El. assert ((1 - e1) * A <= A * (1 + a)) by nra.
      assert ((1 - e1) * B <= B * (1 + b)) by nra.
      assert ((1 - e1) * 8 <= (1 - e1) * A) by (apply Rmult_le_compat_l; lra). nra. }
    assert (L16 : / 2 - tiny fa <= lz). { assert (0 <= (1 - e1) * B) by (apply Rmult_le_pos; lra). lra. }
    assert (Ex : forall k, k <= 1 -> k * (1 - e1) >= 1 - ep -> 0 <= k -> B + k * (tiny fa - lz) <= - (8 * (1 - ep))
      + 2 * tiny fa + ep * ln (INR M)).
    { intros k k1 k2 k0. assert (X : k * (tiny fa - lz) <= k * (2 * tiny fa) - k * ((1 - e1) * (8 + B))).
      { rewrite <- Rmult_minus_distr_l. apply Rmult_le_compat_l; lra. }
      assert (Y : (1 - ep) * (8 + B) <= k * (1 - e1) * (8 + B)) by (apply Rmult_le_compat_r; lra).
      assert (k * (2 * tiny fa) <= 2 * tiny fa) by nra. assert (ep * B <= ep * ln (INR M)) by (apply
        Rmult_le_compat_l; lra). nra. }
    assert (Mx : forall q, B + q <= - (8 * (1 - ep)) + 2 * tiny fa + ep * ln (INR M) -> INR m * exp q <= exp (- (8 *
      (1 - ep)) + 2 * tiny fa) * exp (ep * ln (INR M))).
    { intros q Hq. rewrite <- (exp_ln (INR m)) at 1 by lra. rewrite <- !exp_plus. apply exp_mono. exact Hq. }
    set (XX := exp (- (8 * (1 - ep)) + 2 * tiny fa) * exp (ep * ln (INR M))) in *.
    assert (X0 : 0 <= XX) by (unfold XX; apply Rmult_le_pos; left; apply exp_pos).
    destruct ord eqn:Eo.
    + destruct O as [O1 O2]. destruct (in_split z K has_z) as (K1 & K2 & EK).
      assert (Em : length (K1 ++ K2) = m) by (rewrite EK, app_length in count; simpl in count; rewrite app_length;
        lia).
      assert (R' : softmax_row fs fa E Ascending (CompareHead.logit z lz) (value z) (K1 ++ z :: K2) x).
      { rewrite <- EK. revert row. apply softmax_logit_ext. intros j Hj. unfold CompareHead.logit.
        destruct (Nat.eqb_spec j z) as [->|Hne]. auto.
        now destruct (lows j Hj Hne). }
      destruct (compare_true fs fa incl fine E HE K1 K2 z lz x ltac:(rewrite <- EK; auto) ltac:(rewrite Em; lia)
        (logit_number z) R' rest) as [C1 C2].
      * lra.
      * rewrite Em. unfold rest, compare_rest. fold ep. fold XX. assert (Q := Mx (- lz)).
        assert (Q' := Ex 1 ltac:(lra) ltac:(lra) ltac:(lra)).
        assert (Q2 : INR m * exp (- lz) <= XX) by (apply Q; lra).
        replace (INR m * ((1 + 2 * u fa) * exp (- lz) + tiny fa)) with ((1 + 2 * u fa) * (INR m * exp (- lz)) + INR
          m * tiny fa) by ring.
        apply Rplus_le_compat. apply Rmult_le_compat_l; lra. apply Rmult_le_compat_r; lra.
      * auto.
      * split; auto. eapply Rle_trans; [apply C1|apply Rmax_l].
    + destruct O as (Ef & Nar & O1 & O2). subst fs.
      destruct (compare_any_true fa E HE K z m M logit x distinct has_z count ltac:(lia) ltac:(lia) logit_number Lw
        row rest) as [C1 C2].
      * fold lz. lra.
      * fold lz. unfold rest, compare_rest. fold ep. fold XX. apply Rplus_le_compat_r.
        assert (Q2 : INR m * exp ((1 - u fa) * (tiny fa - lz)) <= XX) by (apply Mx, Ex; lra). nra.
      * exact O1.
      * split; auto. eapply Rle_trans; [apply C1|apply Rmax_l].
  - (* it does not hold *)
    assert (HV' : (V <= -1)%Z) by lia. apply IZR_le in HV'.
    assert (A8 : A <= -8). { unfold A, Sum. apply Rmult_le_reg_r with (INR (S m)); auto.
      replace (16 * INR n * ((IZR V + / 2) / INR (S m)) * INR (S m)) with (16 * INR n * (IZR V + / 2)) by (field;
        lra). nra. }
    assert (Lz : lz <= - (8 * (1 - e1)) + (1 + e1) * B + tiny fa). { rewrite El.
      assert (A * (1 + a) <= A * (1 - e1)) by nra.
      assert (A * (1 - e1) <= -8 * (1 - e1)) by (apply Rmult_le_compat_r; lra).
        assert (B * (1 + b) <= (1 + e1) * B) by nra. nra. }
    rewrite Rminus_0_r. enough (G : 0 <= x <= compare_error_false fs fa ord M).
    { rewrite Rabs_pos_eq by lra. split. lra. eapply Rle_trans; [apply G|apply Rmax_r]. }
    assert (eps0 : 0 <= ep) by lra.
    assert (X2 : exp 0 <= exp (2 * tiny fa)) by (apply exp_mono; lra). rewrite exp_0 in X2.
    set (XX := exp (- (8 * (1 - ep)) + 2 * tiny fa) * exp (ep * ln (INR M))).
    assert (XX0 : 0 < XX) by (apply Rmult_lt_0_compat; apply exp_pos).
    assert (LnM : (1 + ep) * B <= (1 + ep) * ln (INR M)) by (apply Rmult_le_compat_l; lra).
    assert (Lst := least_pos fa).
    assert (PwI : least fa <= exp (- ((1 + ep) * ln (INR M)))).
    { rewrite exp_Ropp. rewrite <- (Rinv_inv (least fa)). apply Rinv_le_contravar; auto. apply exp_pos. }
    destruct ord eqn:Eo.
    + destruct O as [O1 O2]. destruct (in_split z K has_z) as (K1 & K2 & EK).
      assert (Em : length (K1 ++ K2) = m) by (rewrite EK, app_length in count; simpl in count; rewrite app_length;
        lia).
      assert (R' : softmax_row fs fa E Ascending (CompareHead.logit z lz) (value z) (K1 ++ z :: K2) x).
      { rewrite <- EK. revert row. apply softmax_logit_ext. intros j Hj. unfold CompareHead.logit.
        destruct (Nat.eqb_spec j z) as [->|Hne]. auto.
        now destruct (lows j Hj Hne). }
      assert (CF := compare_false fs fa incl fine E HE K1 K2 z lz x). rewrite Em in CF.
        specialize (CF ltac:(rewrite <- EK; auto) ltac:(lia) (logit_number z) R' XX).
      match type of CF with ?H1 -> ?H2 -> _ => assert (C1 : H1); [|assert (C2 : H2)] end.
      { unfold XX. rewrite <- exp_plus. unfold Rdiv. rewrite <- (exp_ln (INR m)) at 1 by lra. fold B.
        rewrite <- exp_Ropp, <- exp_plus. apply exp_mono.
        assert (e1 * B <= ep * B) by (apply Rmult_le_compat_r; lra).
          assert (ep * B <= ep * ln (INR M)) by (apply Rmult_le_compat_l; lra). lra. }
      { eapply Rle_trans; [apply PwI|]. apply exp_mono. assert ((1 + e1) * B <= (1 + ep) * B) by (apply
        Rmult_le_compat_r; lra). lra. }
      specialize (CF C1 C2). cbv zeta in CF. destruct CF as [CF1 CF2]. split; auto. eapply Rle_trans; [apply CF2|].
      unfold compare_error_false. fold rest. apply Rplus_le_compat_r.
      assert (Gl : 0 < compare_low fa M <= (1 - 2 * u fa) * g_low fa K1 K2).
      { unfold compare_low, g_low. rewrite Em. assert (P := pow_ge fa (S m) (4 * M) ltac:(lia)). split.
        apply Rmult_lt_0_compat; lra. apply Rmult_le_compat_l; lra. }
      set (c1 := (1 + 2 * u fa) * XX + tiny fa) in *. assert (c0 : 0 <= c1) by (unfold c1; nra).
      assert (c2 : c1 <= rest). { unfold c1, rest, compare_rest. fold ep. fold XX. apply Rplus_le_compat_l. nra. }
      assert (Us' := u_stored_range fs fa).
      set (Q := (1 + u_stored fs fa) * c1 + tiny fs). set (Q' := (1 + u_stored fs fa) * rest + tiny fs).
      assert (Q0 : 0 <= Q <= Q') by (unfold Q, Q'; nra).
      assert (I : 0 < / ((1 - 2 * u fa) * g_low fa K1 K2) <= / compare_low fa M) by (split; [apply Rinv_0_lt_compat;
        lra|apply Rinv_le_contravar; lra]).
      unfold Rdiv. set (i1 := / ((1 - 2 * u fa) * g_low fa K1 K2)) in *. set (i2 := / compare_low fa M) in *.
      assert (qi : Q * i1 <= Q' * i2) by (apply Rmult_le_compat; lra).
        assert (qi0 : 0 <= Q' * i2) by (apply Rmult_le_pos; lra).
      replace (Q' * (1 + u fa) * (1 + u_stored fs fa) * exp (2 * tiny fa) * i2) with ((Q' * i2) * ((1 + u fa) * (1 +
        u_stored fs fa)) *
        exp (2 * tiny fa)) by ring.
      apply Rle_trans with ((Q' * i2) * ((1 + u fa) * (1 + u_stored fs fa))). rewrite Rmult_assoc.
        apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|auto].
      rewrite <- (Rmult_1_r (Q' * i2 * ((1 + u fa) * (1 + u_stored fs fa)))) at 1. apply Rmult_le_compat_l; auto.
        apply Rmult_le_pos; auto. apply Rmult_le_pos; lra.
    + destruct O as (Ef & Nar & O1 & O2). subst fs. specialize (R4 eq_refl).
      set (D := - (8 * (1 - ep)) + (1 + ep) * B + 4 * tiny fa).
      assert (D1 : (1 + u fa) * (lz + tiny fa) <= D).
      { apply Rle_trans with ((1 + u fa) * (- (8 * (1 - e1)) + (1 + e1) * B + 2 * tiny fa)).
        apply Rmult_le_compat_l; lra. unfold D.
        assert ((1 + e1) * (1 + u fa) * B <= (1 + ep) * B) by (apply Rmult_le_compat_r; lra).
        assert (1 - ep <= (1 + u fa) * (1 - e1)) by (assert (0 <= u fa * (1 - e1)) by (apply Rmult_le_pos; lra); lra).
        assert (u fa * tiny fa <= / 4 * tiny fa) by (apply Rmult_le_compat_r; lra). lra. }
      assert (D2 : (1 - u fa) * (lz + tiny fa) <= D).
      { apply Rle_trans with ((1 - u fa) * (- (8 * (1 - e1)) + (1 + e1) * B + 2 * tiny fa)).
        apply Rmult_le_compat_l; lra. unfold D.
        assert (0 <= (1 + e1) * u fa) by (apply Rmult_le_pos; lra).
        assert ((1 + e1) * (1 - u fa) * B <= (1 + ep) * B) by (apply Rmult_le_compat_r; lra).
        assert (0 <= u fa * tiny fa) by (apply Rmult_le_pos; lra). lra. }
      destruct (compare_any fa E HE Nar K z m M logit x distinct has_z count ltac:(lia) ltac:(lia) logit_number Lw
        row D) as [C1 C2]; auto.
      { intros _. fold lz. unfold w0. apply Rle_trans with ((1 - 2 * u fa) * exp (- D)).
        2:{ apply Rmult_le_compat_l. lra. apply exp_mono. lra. }
        (* e^(8 (1 - eps)) makes up for 1 - 2u *)
        assert (Rb := rest_big fa fa AnyOrder M ltac:(lia)). fold ep in Rb. fold rest in Rb.
          assert (E8 : exp (- (8 * (1 - ep))) * exp (8 * (1 - ep)) = 1) by (rewrite <- exp_plus,
          Rplus_opp_l; apply exp_0).
        assert (p1 := exp_pos (8 * (1 - ep))). assert (p2 : 4 <= (1 - 2 * u fa) * exp (8 * (1 - ep))).
        { apply Rle_trans with (4 * rest * exp (8 * (1 - ep))); [|apply Rmult_le_compat_r; lra].
          assert (exp (- (8 * (1 - ep))) * exp (8 * (1 - ep)) <= rest * exp (8 * (1 - ep))) by (apply
            Rmult_le_compat_r; lra). lra. }
        assert (E4 : / 2 <= exp (- (4 * tiny fa))) by (assert (X := exp_ineq1_le (- (4 * tiny fa))); lra).
        replace (- D) with (8 * (1 - ep) + - (4 * tiny fa) + - ((1 + ep) * B)) by (unfold D; ring). rewrite !exp_plus.
        assert (Pw' : least fa <= exp (- ((1 + ep) * B))) by (eapply Rle_trans; [apply PwI|apply exp_mono; lra]).
        replace ((1 - 2 * u fa) * (exp (8 * (1 - ep)) * exp (- (4 * tiny fa)) * exp (- ((1 + ep) * B)))) with
          ((1 - 2 * u fa) * exp (8 * (1 - ep)) * exp (- (4 * tiny fa)) * exp (- ((1 + ep) * B))) by ring.
        apply Rle_trans with (1 * least fa). lra. apply Rmult_le_compat; try lra.
        apply Rle_trans with (4 * / 2). lra. apply Rmult_le_compat; lra. }
      split; auto. eapply Rle_trans; [apply C2|]. unfold compare_error_false. fold rest. apply Rplus_le_compat_r.
      assert (Gl : 0 < compare_low fa M <= (1 - 2 * u fa) * (1 - u fa) ^ (2 * M)).
      { unfold compare_low. assert (P := pow_ge fa (2 * M) (4 * M) ltac:(lia)). split. apply Rmult_lt_0_compat; lra.
        apply Rmult_le_compat_l; lra. }
      unfold false_bound. set (lw := (1 - 2 * u fa) * (1 - u fa) ^ (2 * M)) in *.
      assert (Ed : exp D = INR m * (exp (- (8 * (1 - ep)) + 2 * tiny fa) * exp (ep * B) * exp (2 * tiny fa))).
      { rewrite <- (exp_ln (INR m)) at 1 by lra. fold B. rewrite <- !exp_plus. f_equal. unfold D. ring. }
      assert (Xm : exp (- (8 * (1 - ep)) + 2 * tiny fa) * exp (ep * B) <= XX). { unfold XX. apply Rmult_le_compat_l.
        left; apply exp_pos. apply exp_mono.
        apply Rmult_le_compat_l; lra. }
      set (Xb := exp (- (8 * (1 - ep)) + 2 * tiny fa) * exp (ep * B)) in *.
        assert (Xb0 : 0 <= Xb) by (unfold Xb; apply Rmult_le_pos; left; apply exp_pos).
      assert (Nb : (1 + 2 * u fa) * exp D + tiny fa <= INR m * ((rest + tiny fa) * exp (2 * tiny fa))).
      { rewrite Ed. assert (r1 : (1 + 2 * u fa) * Xb <= rest). { unfold rest, compare_rest. fold ep. fold XX.
        assert (0 <= 2 * INR M ^ 2 * tiny fa) by (apply Rmult_le_pos; [|lra];
          apply Rmult_le_pos; [lra|apply pow_le, pos_INR]). assert ((1 + 2 * u fa) * Xb <= (1 + 2 * u fa) * XX) by
            (apply Rmult_le_compat_l; lra). lra. }
        assert (r2 : (1 + 2 * u fa) * Xb * exp (2 * tiny fa) <= rest * exp (2 * tiny fa)) by (apply
          Rmult_le_compat_r; lra).
        assert (r3 : tiny fa <= INR m * (tiny fa * exp (2 * tiny fa))).
          { assert (s1 : tiny fa * 1 <= tiny fa * exp (2 * tiny fa)) by (apply Rmult_le_compat_l; lra).
          assert (s2 : 1 * (tiny fa * exp (2 * tiny fa)) <= INR m * (tiny fa * exp (2 * tiny fa))) by (apply
            Rmult_le_compat_r; lra). lra. }
        assert (r4 : INR m * ((1 + 2 * u fa) * Xb * exp (2 * tiny fa)) <= INR m * (rest * exp (2 * tiny fa))) by
          (apply Rmult_le_compat_l; lra). lra. }
      set (N1 := (1 + 2 * u fa) * exp D + tiny fa) in *. assert (N10 : 0 <= N1) by (unfold N1; assert (p := exp_pos
        D); apply Rplus_le_le_0_compat; [apply Rmult_le_pos; lra|lra]).
      assert (Q : N1 / (INR m * lw) <= (rest + tiny fa) * exp (2 * tiny fa) / compare_low fa M).
      { apply Rle_trans with ((rest + tiny fa) * exp (2 * tiny fa) / lw).
        - apply Rmult_le_reg_r with (INR m * lw). apply Rmult_lt_0_compat; lra.
          replace (N1 / (INR m * lw) * (INR m * lw)) with N1 by (field; lra).
          replace ((rest + tiny fa) * exp (2 * tiny fa) / lw * (INR m * lw)) with (INR m * ((rest + tiny fa) * exp
            (2 * tiny fa))) by (field; lra). auto.
        - apply Rmult_le_compat_l. assert (0 <= rest) by (assert (Rb := rest_big fa fa AnyOrder M ltac:(lia)); fold
          rest in Rb; assert (p := exp_pos (- (8 * (1 - compare_eps fa fa)))); lra).
          apply Rmult_le_pos; lra. apply Rinv_le_contravar; lra. }
      replace ((rest + tiny fa) * (1 + u fa) * exp (2 * tiny fa) / compare_low fa M) with ((rest + tiny fa) * exp (2
        * tiny fa) / compare_low fa M * (1 + u fa))
        by (unfold Rdiv; ring). apply Rmult_le_compat_r; lra.
Qed.
Theorem compare_row_ok : 0 <= x /\ Rabs (x - (if Z.leb 0 V then 1 else 0)) <= / 4.
Proof.
  destruct compare_row_is as [A B]. split; auto. eapply Rle_trans; [apply B|]. assert (O := Ok).
  destruct O as (_ & _ & _ & _ & _ & _ & _ & O & F). apply Rmax_lub; auto. unfold compare_error_true.
  destruct ord; tauto.
Qed.
End Row.

(* ---- the block ---- *)
Fixpoint lin_weight {A} (s : lin A) : R := match s with Const _ => 0 | Plus k _ _ s' => Rabs (IZR k) + lin_weight s'
  end.
Section Block.
Context {A : Type}.
Variable tail : bool.
Variables fs fa : format.
Hypothesis incl : forall x, number fs x -> number fa x.
Hypothesis fine : fs = fa \/ 2 * tiny fa <= tiny fs.
Hypothesis bits : (3 <= prec fs)%Z.
Hypothesis bits_a : (4 <= prec fa)%Z.
Variable E : (R -> R) -> Prop.                             (* each row has one of these *)
Hypothesis HE : forall E0, E E0 -> exp_model fa E0.
Variable ord : order.
Variable M : nat.
Notation N := (N tail). Notation keys := (keys tail). Notation float_run := (float_run tail fs fa E ord).
  Notation float_row := (float_row fs fa).
Notation float_computes := (float_computes tail fs fa E ord M).

Inductive float_reads (p : prog A) : lin A -> list term -> Prop :=
  | fr_const b : float_reads p (Const b) []
  | fr_plus k d a s c ts : (c < length p)%nat -> float_computes p c a -> dir_ok tail d -> float_reads p s ts ->
      float_reads p (Plus k d a s) ((k, d, c) :: ts).
Lemma float_reads_lt p s ts t : float_reads p s ts -> In t ts -> (ch t < length p)%nat.
Proof. induction 1; intros Hin; [destruct Hin|destruct Hin as [<-|Hin]; auto]. Qed.
Lemma float_reads_weight p s ts : float_reads p s ts -> lin_weight s = sum (fun t => Rabs (coef t)) ts.
Proof. induction 1; cbn [lin_weight sum]; auto. now rewrite IHfloat_reads. Qed.

Section Terms.
Variables (p bl : prog A) (w : list A) (e : env).
Hypothesis NM : (N w <= M)%nat.
Hypothesis Run : float_run w (p ++ bl) e.
Lemma float_value s ts i : float_reads p s ts -> (i < N w)%nat ->
  IZR (Strings.value w s i) = IZR (const s) + sum (fun t => coef t * sum (chan e (ch t)) (keys w (mask_of (look t))
    i)) ts.
Proof.
  intros H Hi. induction H. cbn; lra. rewrite value_plus. cbn [const sum].
    rewrite plus_IZR, mult_IZR, <- INR_IZR_INZ, IHfloat_reads.
    unfold coef, look, ch. cbn [fst snd].
  rewrite <- (count_keys tail). rewrite (sum_ext (chan e c) (truth w a)). lra.
  intros j Hj. apply in_keys in Hj. apply (fb_old tail fs fa E ord M p bl w e NM Run c a j); tauto.
Qed.
Lemma float_bool s ts t j : float_reads p s ts -> In t ts -> (j < N w)%nat -> chan e (ch t) j = 0 \/ chan e (ch t) j
  = 1.
Proof.
  induction 1; intros Hin Hj; [destruct Hin|]. destruct Hin as [<-|Hin]; auto. unfold ch. cbn [snd].
  rewrite (fb_old tail fs fa E ord M p bl w e NM Run c a j); auto. apply truth_01.
Qed.
End Terms.

(* one key alone: it weighs all *)
Lemma single E0 logit v z x : exp_model fa E0 -> v z = 1 -> softmax_row fs fa E0 ord logit v [z] x -> x = 1.
Proof.
  clear fine. intros HE0 Vz H. unfold softmax_row in H. assert (Q : quotient fs fa 1 1 = 1).
  { unfold quotient. replace (1 / 1) with 1 by field. rewrite !rnd_id; auto; try apply number_1.
    rewrite rnd_id; apply number_1. }
  destruct ord.
  - destruct H as (top & [<-|[]] & _ & ->). cbn [map asc]. rewrite Vz, Rminus_diag_eq, (rnd_id fa 0), (E_0 _ _ HE0)
    by (auto; apply number_0).
    rewrite (rnd_id fs 1), Rmult_1_r, (rnd_id fa 1), Rplus_0_l, (rnd_id fa 1) by apply number_1. exact Q.
  - destruct H as (js & L & t & num & P & _ & [Ok _] & S & ->).
    assert (Lk := Permutation_length P). cbn in Lk. destruct L as [|]; [|simpl in Lk; lia].
    assert (js = z) by (apply Permutation_length_1 in P; auto). subst js.
    assert (Sz := summed_size fa E0 logit v _ _ _ _ _ S). assert (W := summed_wins fa E0 logit v _ _ _ _ _ S).
      cbn in Sz, W.
    destruct t as [l m| |a b m|a l|a]; cbn [size wins] in Sz, W; try discriminate.
    + inversion S; subst. cbn [val]. rewrite Vz. exact Q.
    + exfalso. assert (X1 := size_pos a). assert (X2 := size_pos b).
      assert (1 <= size a)%nat by (apply INR_le; simpl; auto).
      assert (1 <= size b)%nat by (apply INR_le; simpl; auto). lia.
    + exfalso. assert (X1 := size_pos a). assert (1 <= size a)%nat by (apply INR_le; simpl; auto). lia.
    + exfalso. assert (X1 := size_pos a). assert (1 <= size a)%nat by (apply INR_le; simpl; auto). lia.
Qed.
Lemma logit_empty lam l : logit_of fa ord lam [] l -> moved fa ord 0 l.
Proof.
  intros [s D Mv|s D Mv]; inversion D; subst; auto. revert Mv. now rewrite Rmult_0_r, rnd_id by apply number_0.
Qed.
Lemma logit_zero lam q l : logit_of fa ord lam [(q, 0)] l -> moved fa ord 0 l.
Proof.
  assert (R0 : rnd fa 0 = 0) by apply rnd_id, number_0.
  assert (D0 : forall q s, dot fa 0 [(q, 0)] s -> s = 0).
  { intros q0 s D. inversion D as [|? ? ? ? ? D'|? ? ? ? ? D']; subst; inversion D'; subst; rewrite Rmult_0_r, ?R0,
    Rplus_0_l; auto. }
  intros [s D Mv|s D Mv]. rewrite (D0 _ _ D) in Mv. now rewrite Rmult_0_r, R0 in Mv. cbn [map fst snd] in D.
    now rewrite (D0 _ _ D) in Mv.
Qed.
Lemma logit_unit lam q l : number fa q -> logit_of fa ord lam [(q, 1)] l -> moved fa ord (rnd fa (lam * q)) l.
Proof.
  intros Nq. assert (D1 : forall q s, number fa q -> dot fa 0 [(q, 1)] s -> s = q).
  { intros q0 s N0 D. inversion D as [|? ? ? ? ? D'|? ? ? ? ? D']; subst; inversion D'; subst; rewrite Rmult_1_r,
    ?(rnd_id fa q0), Rplus_0_l, ?(rnd_id fa q0);
    auto. }
  intros [s D Mv|s D Mv]. now rewrite (D1 _ _ Nq D) in Mv. cbn [map fst snd] in D.
    rewrite (D1 _ _ (rnd_number fa _) D) in Mv. auto.
Qed.

Theorem compare_sound p s ts d : compare_ok fs fa ord M (lin_weight s) (Rabs (IZR (const s) + / 2)) -> good p ->
  float_reads p s ts ->
  (forall t, In t ts -> look t = d) -> dir_ok tail d ->
  float_computes (p ++ compare_block Temperature d ts (const s) (length p)) (length p + 5) (AtLeast s).
Proof.
  intros Ok G Rd Hd Dk w e NM Run i Hi. set (L := length p) in *.
    set (bl := compare_block Temperature d ts (const s) L) in *.
  assert (Lt : forall t, In t ts -> (ch t < L)%nat) by (intros; eapply float_reads_lt; eauto).
    assert (P := good_pos p G). fold L in P.
  set (n := N w) in *. set (z := sentinel d n). set (K := keys w (mask_of d) i). set (m := num d n i).
  assert (Np : (0 < n)%nat) by (unfold n, Programs.N; destruct tail; lia).
  assert (IK : forall j, In j K -> (j < n)%nat) by (intros j Hj; apply in_keys in Hj; tauto).
  assert (LK : length K = S m) by (apply keys_mask; auto). assert (ND : NoDup K) by apply keys_NoDup.
    assert (HZ : In z K) by (apply keys_sentinel; auto).
  assert (zn : (z < n)%nat) by now apply IK.
  assert (mn : (m < n)%nat) by (apply num_lt; auto).
  (* features that are exact *)
  assert (F0 : forall j, (j < n)%nat -> chan e L j = at_z z j).
  { intros j Hj. rewrite <- (Nat.add_0_r L). unfold L. destruct (fb_feature tail fs fa E ord p bl w e Run 0 _ j
    eq_refl Hj) as [_ X].
    unfold L in X. rewrite X. unfold ind, at_z. reflexivity. unfold ind.
      destruct (Nat.eqb j _); [apply number_1|apply number_0]. }
  assert (F3 : forall j, (j < n)%nat -> chan e (L + 3) j = at_z z j).
  { intros j Hj. unfold L. destruct (fb_feature tail fs fa E ord p bl w e Run 3 _ j eq_refl Hj) as [_ X].
    unfold L in X. cbn [by_method] in X. rewrite X. unfold ind, at_z. fold n. fold z. destruct (Nat.eqb j z); ring.
    unfold ind. destruct (Nat.eqb j _); rewrite ?Rmult_1_r, ?Rmult_0_r; [apply number_1|apply number_0]. }
  assert (Nz : forall f j, number f (at_z z j)) by (intros f j; unfold at_z; destruct (Nat.eqb j z); [apply
    number_1|apply number_0]).
  (* the first head *)
  set (half := IZR (const s) + / 2) in *. set (vr := map (fun t => (coef t, ch t)) ts ++ [(half, L)]).
  set (v j := sum (fun t => coef t * chan e (ch t) j) ts + half * at_z z j).
  assert (Ok1 := Ok). destruct Ok1 as (_ & HM & _ & _ & _ & Wf & Ws & _ & _).
  assert (We : lin_weight s = sum (fun t => Rabs (coef t)) ts) by now apply (float_reads_weight p).
  assert (W0 : 0 <= lin_weight s) by (rewrite We; apply sum_nonneg; intros; apply Rabs_pos).
  assert (M1 : 1 <= INR M) by (change 1 with (INR 1); apply le_INR; lia).
  assert (Hp := Rabs_pos half).
  assert (Mh : multiple (-1) half). { exists (2 * const s + 1)%Z. unfold half. rewrite plus_IZR, mult_IZR.
    change (bpow radix2 (-1)) with (/ 2). field. }
  assert (Mi : forall k : Z, multiple (-1) (IZR k)). { intros k. exists (2 * k)%Z. rewrite mult_IZR.
    change (bpow radix2 (-1)) with (/ 2). field. }
  assert (M0 : multiple (-1) 0) by apply (Mi 0%Z).
  assert (Gs : (emin fs <= -1)%Z) by (generalize (emin_neg fs) (prec_ge_2 fs); lia).
    assert (Ga : (emin fa <= -1)%Z) by (generalize (emin_neg fa) (prec_ge_2 fa); lia).
  assert (Mt : forall t j, In t ts -> (j < n)%nat -> multiple (-1) (coef t * chan e (ch t) j) /\ Rabs (coef t * chan
    e (ch t) j) <= Rabs (coef t)).
  { intros t j Ht Hj. destruct (float_bool p bl w e NM Run s ts t j Rd Ht Hj) as [-> | ->].
    rewrite Rmult_0_r, Rabs_R0. split; auto. apply Rabs_pos. rewrite Rmult_1_r. split; [apply Mi|lra]. }
  assert (Abs : forall j, (j < n)%nat -> sum (fun t => Rabs (coef t * chan e (ch t) j)) ts <= lin_weight s).
  { intros j Hj. rewrite We. apply sum_le. intros t Ht. now apply Mt. }
  assert (Zh : forall j, multiple (-1) (half * at_z z j) /\ Rabs (half * at_z z j) = Rabs half * at_z z j).
  { intros j. unfold at_z. destruct (Nat.eqb j z). rewrite !Rmult_1_r. auto. rewrite !Rmult_0_r, Rabs_R0. auto. }
  assert (z1 : forall j, 0 <= at_z z j <= 1) by (intros j; unfold at_z; destruct (Nat.eqb j z); lra).
  assert (Sm : forall j, (j < n)%nat -> forall ts', (forall t, In t ts' -> In t ts) -> multiple (-1) (sum (fun t =>
    coef t * chan e (ch t) j) ts')).
  { intros j Hj ts'. induction ts' as [|t ts' IH]; intros Sub; cbn [sum]; auto. apply multiple_add. apply Mt; auto.
    apply Sub; now left. apply IH. intros; apply Sub; now right. }
  assert (Vm : forall j, (j < n)%nat -> multiple (-1) (v j)) by (intros j Hj; apply multiple_add; [apply Sm;
    auto|apply Zh]).
  assert (Va : forall j, (j < n)%nat -> Rabs (v j) <= lin_weight s + Rabs half * at_z z j).
  { intros j Hj. unfold v. eapply Rle_trans; [apply Rabs_triang|]. destruct (Zh j) as [_ ->]. apply Rplus_le_compat_r.
    eapply Rle_trans; [|apply (Abs j Hj)]. clear. induction ts; cbn [sum]. rewrite Rabs_R0; lra.
      eapply Rle_trans; [apply Rabs_triang|]. lra. }
  assert (hz : forall j, Rabs half * at_z z j <= Rabs half). { intros j. rewrite <- (Rmult_1_r (Rabs half)) at 2.
    apply Rmult_le_compat_l; auto. apply z1. }
  assert (MW : lin_weight s + Rabs half <= INR M * lin_weight s + Rabs half). { apply Rplus_le_compat_r.
    rewrite <- (Rmult_1_l (lin_weight s)) at 1. apply Rmult_le_compat_r; auto. }
  assert (VR : forall j, (j < n)%nat -> float_row e vr j = v j).
  { intros j Hj. unfold FloatRun.float_row, terms, vr. rewrite map_app, map_map. cbn [map fst snd]. rewrite (F0 j Hj).
    assert (T1 : map (fun x => rnd fa (coef x * chan e (ch x) j)) ts = map (fun t => coef t * chan e (ch t) j) ts).
    { apply map_ext_in. intros t Ht. apply rnd_id. destruct (Mt t j Ht Hj) as [A1 A2].
      apply (multiple_number fa (-1)); auto.
      replace (-1 + prec fa)%Z with (prec fa - 1)%Z by lia. eapply Rle_trans; [apply A2|]. 
      apply Rle_trans with (lin_weight s); [|lra]. rewrite We. clear - Ht. induction ts as [|a ts IH]. destruct Ht.
        cbn [sum].
      assert (Q : 0 <= sum (fun t => Rabs (coef t)) ts) by (apply sum_nonneg; intros; apply Rabs_pos).
        assert (Q1 := Rabs_pos (coef a)).
      destruct Ht as [->|Ht]. lra. specialize (IH Ht). lra. }
    rewrite T1. rewrite (rnd_id fa (half * at_z z j)).
    2:{ destruct (Zh j) as [A1 A2]. apply (multiple_number fa (-1)); auto. rewrite A2.
      replace (-1 + prec fa)%Z with (prec fa - 1)%Z by lia. specialize (hz j). lra. }
    rewrite (asc_exact fa (-1)); auto.
    - assert (Tt : Sums.total (map (fun t => coef t * chan e (ch t) j) ts ++ [half * at_z z j]) = v j).
      { unfold Sums.total, v. rewrite sum_app', sum_map. cbn [sum]. lra. }
      rewrite Tt, Rplus_0_l. apply rnd_id. apply (multiple_number fs (-1)); auto.
        replace (-1 + prec fs)%Z with (prec fs - 1)%Z by lia.
      eapply Rle_trans; [apply Va; auto|]. specialize (hz j). lra.
    - intros y Hy. apply in_app_or in Hy. destruct Hy as [Hy|[<-|[]]]. apply in_map_iff in Hy.
      destruct Hy as (t & <- & Ht). now apply Mt. apply Zh.
    - rewrite Rabs_R0, Rplus_0_l, sum_app', sum_map. cbn [sum]. destruct (Zh j) as [_ ->].
      replace (-1 + prec fa)%Z with (prec fa - 1)%Z by lia.
      specialize (hz j). specialize (Abs j Hj). lra. }
  assert (Sv : sum v K = IZR (Strings.value w s i) + / 2).
  { unfold v. rewrite sum_plus, sum_scal. unfold at_z at 1. rewrite (sum_once (fun _ => 1)) by auto.
    rewrite (float_value p bl w e NM Run s ts i Rd Hi). rewrite (sum_swap (fun j t => coef t * chan e (ch t) j)).
    rewrite (sum_ext (fun t => sum (fun j => coef t * chan e (ch t) j) K) (fun t => coef t * sum (chan e (ch t))
      (keys w (mask_of (look t)) i))).
    unfold half. lra. intros t Ht. rewrite sum_scal, (Hd t Ht). reflexivity. }
  assert (Sa : sum (fun j => Rabs (v j)) K <= bpow radix2 (-1 + prec fa)).
  { replace (-1 + prec fa)%Z with (prec fa - 1)%Z by lia. eapply Rle_trans; [|apply Ws].
    apply Rle_trans with (sum (fun j => lin_weight s + Rabs half * at_z z j) K). apply sum_le. intros j Hj.
      apply Va; auto.
    rewrite sum_plus, sum_const, sum_scal. unfold at_z. rewrite (sum_once (fun _ => 1)) by auto. rewrite Rmult_1_r.
      apply Rplus_le_compat_r.
    apply Rmult_le_compat_r; auto. apply le_INR. rewrite LK. lia. }
  assert (Nar : ord = AnyOrder -> 8 * tiny fa <= u fa). { intros Eo.
    destruct Ok as (_ & _ & _ & _ & _ & _ & _ & O & _). rewrite Eo in O. tauto. }
  assert (Y : chan e (L + 1) i = quotient fs fa (IZR (Strings.value w s i) + / 2) (INR (S m))).
  { destruct (fb_head tail fs fa E ord p bl w e Run 1 _ _ _ _ i eq_refl Hi) as (lam & logit & _ & Nl & Lg & E0 & I0 &
    SR).
    { intros t []. } { fold L. intros x Hx. apply (in_terms _ _ _ _ x _ Hx). intros t Ht. specialize (Lt t Ht). lia.
      lia. }
    fold L in Lg, SR. fold K in Lg, SR. fold half in SR. fold vr in SR.
    assert (SR' : softmax_row fs fa E0 ord logit v K (chan e (L + 1) i)) by (revert SR; apply softmax_ext; intros j
      Hj; apply VR; auto).
    rewrite (count_out fs fa E0 (HE E0 I0) ord Nar (-1) K logit v _) with (8 := SR'); auto.
    - now rewrite Sv, LK.
    - intros X. rewrite X in LK. discriminate.
    - rewrite LK. lia.
    - intros j Hj. apply (logit_empty lam). apply (Lg j Hj). }
  (* the second head *)
  destruct (fb_head tail fs fa E ord p bl w e Run 4 _ _ _ _ i eq_refl Hi) as (lam & logit & Hl & Nl & Lg & E0 & I0 &
    SR).
  { fold L. rows. } { fold L. rows. }
  fold L in Lg, SR. fold K in Lg, SR. fold n in Hl. cbn [by_method] in Hl.
  assert (Lam : lam = 16 * INR n). { destruct Hl as [_ X]. rewrite X. unfold kappa. ring.
    apply (number_mult fa _ (Z.of_nat n) 4). rewrite <- INR_IZR_INZ. unfold kappa. simpl. lra. lia.
      generalize (emin_neg fa) (prec_ge_2 fa); lia. }
  assert (V4 : forall j, In j K -> float_row e [(1, L)] j = at_z z j).
  { intros j Hj. rewrite (row_one fs fa incl); rewrite (F0 j (IK j Hj)); auto. }
  assert (K4 : forall j, In j K -> float_row e [(1, (L + 3)%nat)] j = at_z z j).
  { intros j Hj. rewrite (row_one fs fa incl); rewrite (F3 j (IK j Hj)); auto. }
  assert (Fg := fb_feature tail fs fa E ord p bl w e Run 2 _ i eq_refl Hi). fold L in Fg. fold n in Fg. fold m in Fg.
  set (y := chan e (L + 1) i) in *. set (g := chan e (L + 2) i) in *.
  assert (Ny : number fs y) by (rewrite Y; apply rnd_number). assert (Ng : number fs g) by (destruct Fg as [(y' & _
    & _ & ->) _]; apply rnd_number).
  assert (Q4 : float_row e [(1, (L + 1)%nat); (1, (L + 2)%nat)] i = rnd fs (rnd fa (y + g))).
  { unfold FloatRun.float_row, terms. cbn [map asc fst snd]. fold y. fold g. rewrite !Rmult_1_l, Rplus_0_l.
    rewrite (rnd_id fa y), (rnd_id fa y), (rnd_id fa g); auto. }
  set (q := rnd fs (rnd fa (y + g))) in *.
  assert (SR' : softmax_row fs fa E0 ord logit (at_z z) K (chan e (L + 4) i)) by (revert SR; apply softmax_ext; exact
    V4).
  assert (Na : number fs (chan e (L + 4) i)) by (eapply softmax_number; exact SR').
  assert (Lg0 : forall j, In j K -> j <> z -> moved fa ord 0 (logit j)).
  { intros j Hj Hne. specialize (Lg j Hj). cbn [pairs map fst snd] in Lg. rewrite (K4 j Hj), Q4 in Lg.
    unfold at_z in Lg.
    destruct (Nat.eqb_spec j z); [contradiction|]. now apply logit_zero in Lg. }
  assert (Lgz : moved fa ord (rnd fa (16 * INR n * q)) (logit z)).
  { specialize (Lg z HZ). cbn [pairs map fst snd] in Lg. rewrite (K4 z HZ), Q4 in Lg. unfold at_z in Lg.
    rewrite Nat.eqb_refl in Lg. rewrite <- Lam.
    apply logit_unit in Lg; auto. apply incl, rnd_number. }
  assert (Fg' : expression fs (ln (INR (Nat.max m 1)) / (16 * INR n)) g).
  { replace (16 * INR n) with (2 * kappa * INR n) by (unfold kappa; ring). exact Fg. }
  assert (Both : 0 <= chan e (L + 4) i /\ exists b, (b = 0 \/ b = 1) /\ Rabs (chan e (L + 4) i - b) <= / 4 /\
    (letter w i = true -> b = truth w (AtLeast s) i)).
  { destruct (Nat.eq_dec m 0) as [m0|m0].
    - assert (EK : K = [z]). { destruct K as [|k1 [|k2 K']]; [destruct HZ| |simpl in LK; lia].
      destruct HZ as [->|[]]. auto. }
      rewrite EK in SR'. rewrite (single E0 logit (at_z z) z _ (HE E0 I0)) with (2 := SR') by (unfold at_z; now
        rewrite
        Nat.eqb_refl).
      split. lra. exists 1. rewrite Rminus_diag_eq, Rabs_R0 by auto. split; auto. split. lra. intros Li. exfalso.
        apply letter_iff in Li.
      unfold m, n, Programs.N in m0. destruct d; simpl in m0. lia. destruct Dk as [D|Tl]; [discriminate|].
        rewrite Tl in m0. lia.
    - destruct (compare_row_ok fs fa incl fine E0 (HE E0 I0) ord M _ _ Ok n m z K logit (Strings.value w s i) (chan e
      (L + 4)
      i) y g) as [C1 C2]; auto. lia.
      split; auto. exists (if Z.leb 0 (Strings.value w s i) then 1 else 0). split.
        destruct (Z.leb 0 (Strings.value w s i)); auto. split; auto.
      intros Li. unfold truth. rewrite sat_at_least, Li, andb_true_l. reflexivity. }
  apply (fb_round tail fs fa incl bits bits_a E ord p bl w e G Run 5 (L + 4) i _ eq_refl Hi); try (fold L; lia); auto.
  - destruct Both as (B0 & _). exact B0.
  - destruct Both as (_ & B1). exact B1.
Qed.
End Block.
