(* The lines of src/number/heads.sheet about heads that compare the start sentinel with the other keys of a row
   (SheetTheorems.v has the others). `left` is what separates the two sides, e the relative error of what makes up for
   the number of keys.

   sheet_sentinel, sheet_sentinel_any     the output of such a head of any run is within sentinel_error
   sheet_compare     what `left` and e are for a comparison: the inequalities of compare_row_ok

   Lines: sentinel_rest, sentinel_above, sentinel_below, sentinel_lost, sentinel_error, sentinel_scale,
     sentinel_weight,
   sentinel_range, sentinel_fits, sentinel_normal, compare_off, compare_logit, compare_error, balance_scale,
   balance_fits, lookup_scale, lookup_fits. *)
From Coq Require Import ZArith Reals Lia Lra Psatz List Bool.
From Flocq Require Import Core.
From Temper Require Import Rows Heads Format Sums Nearest NearestAny Rounding FloatRun OnceTree CountHead CompareHead
  CompareAny CompareLogit Results SoundCompare SafeBlocks NoOverflow Sheet SheetTyped SheetTheorems.
Import ListNotations.
Local Open Scope R_scope.

Ltac open_sentinel := unfold Sheet.sentinel_error, Sheet.sentinel_lost, Sheet.sentinel_above, Sheet.sentinel_below,
  Sheet.sentinel_rest, Sheet.subnormal_loss, Sheet.more, Sheet.log_M; fields.

Section Sentinel.
Variable M : nat.
Variable x : Sheet.head.
Hypothesis open : Sheet.close x = false.
Variables left e : R.
Hypothesis e_pos : 0 <= e.

(* what m keys weigh beside exp (l), l at least left + (1 - e) ln m *)
Lemma side f m l : (1 <= m <= M)%nat -> l <= - left + e * ln (INR m) + 2 * tiny f ->
  INR m * exp (- ln (INR m) + l) <= exp (e * ln (INR M) - left + 2 * tiny f) /\
  INR m * exp (l - ln (INR m)) <= exp (e * ln (INR M) - left + 2 * tiny f).
Proof.
  intros Hm Hl. destruct (ln_le_M m M Hm) as [L0 L1]. assert (m0 : 0 < INR m) by (apply lt_0_INR; lia).
  assert (X : INR m * exp (- ln (INR m) + l) = exp l).
  { rewrite exp_plus, exp_Ropp, exp_ln by auto. field. lra. }
  replace (l - ln (INR m)) with (- ln (INR m) + l) by ring. rewrite X.
  assert (e * ln (INR m) <= e * ln (INR M)) by (apply Rmult_le_compat_l; lra). split; apply exp_mono; lra.
Qed.

(* ---- ascending ---- *)
Section Ascending.
Variables fs fa : format.
Hypothesis incl : forall y, number fs y -> number fa y.
Hypothesis fine : fs = fa \/ 2 * tiny fa <= tiny fs.
Variable E : R -> R.
Hypothesis HE : exp_model fa E.
Notation head := (typed fs fa Ascending M x).
Variables (m z : nat) (K : list nat) (logit : nat -> R) (y : R).
Hypothesis m_M : (1 <= m < M)%nat.
Hypothesis distinct : NoDup K.
Hypothesis has_z : In z K.
Hypothesis count : length K = S m.
Hypothesis logit_number : forall j, number fa (logit j).
Hypothesis others : forall j, In j K -> j <> z -> logit j = 0.
Hypothesis row : softmax_row fs fa E Ascending logit (at_z z) K y.
Let B := ln (INR m).
Let rest := Sheet.sentinel_rest head left e.

Lemma rest_ge : 0 <= exp (e * ln (INR M) - left + 2 * tiny fa) /\
  (1 + 2 * u fa) * exp (e * ln (INR M) - left + 2 * tiny fa) + INR m * tiny fa <= rest.
Proof.
  split. left; apply exp_pos. unfold rest. open_sentinel. apply Rplus_le_compat_l. apply Rmult_le_compat_r.
  left; apply tiny_pos. apply le_INR. lia.
Qed.
Theorem sheet_sentinel : 4 * rest <= 1 -> 2 * tiny fa <= left -> Sheet.sentinel_weight head e ->
  (0 <= logit z -> left + (1 - e) * B - 2 * tiny fa <= logit z -> Rabs (y - 1) <= Sheet.sentinel_error head left e /\
    0 <= y) /\
  (logit z <= - left + (1 + e) * B + 2 * tiny fa -> 0 <= y <= Sheet.sentinel_error head left e).
Proof.
  intros R1 L2 Wt. assert (Ua := u_pos fa). assert (Uh := u_le_half fa). assert (T := tiny_pos fa). assert (Ts :=
    tiny_pos fs).
  assert (Us := u_stored_range fs fa). destruct rest_ge as [X0 Rg]. set (XX := exp (e * ln (INR M) - left + 2 * tiny
    fa)) in *.
  assert (m1 : 1 <= INR m) by (change 1 with (INR 1); apply le_INR; lia).
  destruct (ln_le_M m M ltac:(lia)) as [B0 BM]. fold B in B0, BM.
  assert (r0 : 0 <= INR m * tiny fa) by (apply Rmult_le_pos; lra). assert (rest0 : 0 <= rest) by nra.
  destruct (in_split z K has_z) as (K1 & K2 & EK).
  assert (Em : length (K1 ++ K2) = m) by (rewrite EK, app_length in count; simpl in count; rewrite app_length; lia).
  assert (R' : softmax_row fs fa E Ascending (CompareHead.logit z (logit z)) (value z) (K1 ++ z :: K2) y).
  { rewrite <- EK. revert row. apply softmax_logit_ext. intros j Hj. unfold CompareHead.logit.
    destruct (Nat.eqb_spec j z) as [->|Hne]; auto. }
  split.
  - intros P0 Lz. destruct (compare_true fs fa incl fine E HE K1 K2 z (logit z) y ltac:(rewrite <- EK; auto)
      ltac:(rewrite Em; lia) (logit_number z) R' rest P0) as [C1 C2]; auto.
    + rewrite Em. destruct (side fa m (B - logit z) ltac:(lia)) as [S1 _]. { fold B. lra. }
      fold B XX in S1. replace (- B + (B - logit z)) with (- logit z) in S1 by ring.
      replace (INR m * ((1 + 2 * u fa) * exp (- logit z) + tiny fa)) with ((1 + 2 * u fa) * (INR m * exp (- logit z))
        + INR m * tiny fa) by ring.
      assert ((1 + 2 * u fa) * (INR m * exp (- logit z)) <= (1 + 2 * u fa) * XX) by (apply Rmult_le_compat_l; lra).
        lra.
    + split; auto. eapply Rle_trans; [apply C1|]. unfold Sheet.sentinel_error. fold rest.
      rewrite (sheet_row_ascending fs fa Ascending M x rest eq_refl open). eapply Rle_trans; [|apply Rmax_l].
      apply error_mono. lra. split. lra. assert (0 <= stored_leak fs fa rest (INR M)); [|lra]. unfold stored_leak.
      assert (0 <= INR M * tiny fs) by (apply Rmult_le_pos; [apply pos_INR|lra]). assert (U := u_pos fs).
      destruct (same_format fs fa); auto. assert (0 <= (1 + u fs) * rest) by (apply Rmult_le_pos; lra). lra.
  - intros Lz. assert (CF := compare_false fs fa incl fine E HE K1 K2 z (logit z) y). rewrite Em in CF.
    specialize (CF ltac:(rewrite <- EK; auto) ltac:(lia) (logit_number z) R' XX).
    match type of CF with ?H1 -> ?H2 -> _ => assert (C1 : H1); [|assert (C2 : H2)] end.
    { destruct (side fa m (logit z - B) ltac:(lia)) as [_ S1]. { fold B. lra. } fold B XX in S1.
      apply Rmult_le_reg_l with (INR m). lra. replace (INR m * (exp (logit z) / INR m)) with (exp (logit z)) by
        (field; lra).
      assert (S2 : exp (logit z - B) <= XX).
      { unfold XX. apply exp_mono. assert (e * B <= e * ln (INR M)) by (apply Rmult_le_compat_l; lra). lra. }
      replace (logit z) with (B + (logit z - B)) by ring. rewrite exp_plus. unfold B at 1. rewrite exp_ln by lra.
      apply Rmult_le_compat_l; lra. }
    { revert Wt. unfold Sheet.sentinel_weight, Sheet.log_M. fields. intros Wt. fold (least fa). assert (Lp :=
      least_pos fa).
      apply Rle_trans with (exp (- ((1 + e) * ln (INR M)))).
      - rewrite exp_Ropp, <- (Rinv_inv (least fa)). apply Rinv_le_contravar. apply exp_pos. unfold Rdiv in Wt. lra.
      - apply exp_mono. assert ((1 + e) * B <= (1 + e) * ln (INR M)) by (apply Rmult_le_compat_l; lra). lra. }
    specialize (CF C1 C2). cbv zeta in CF. destruct CF as [CF1 CF2]. split; auto. eapply Rle_trans; [apply CF2|].
    unfold Sheet.sentinel_error. fold rest. eapply Rle_trans; [|apply Rmax_r].
    unfold Sheet.sentinel_lost, Sheet.sentinel_above, Sheet.sentinel_below, Sheet.more. fold rest. fields. apply
      Rplus_le_compat_r.
    assert (X2 : exp 0 <= exp (2 * tiny fa)) by (apply exp_mono; lra). rewrite exp_0 in X2.
    set (lo := (1 - 2 * u fa) * (1 - u fa) ^ (4 * M)).
    assert (Gl : 0 < lo <= (1 - 2 * u fa) * g_low fa K1 K2).
    { unfold lo, g_low. rewrite Em. assert (P := pow_ge fa (S m) (4 * M) ltac:(lia)). split.
      apply Rmult_lt_0_compat; lra. apply Rmult_le_compat_l; lra. }
    set (c1 := (1 + 2 * u fa) * XX + tiny fa) in *. assert (c0 : 0 <= c1) by (unfold c1; nra).
    assert (c2 : c1 <= rest). { unfold c1. assert (1 * tiny fa <= INR m * tiny fa) by (apply Rmult_le_compat_r; lra).
      lra. }
    set (Q := (1 + u_stored fs fa) * c1 + tiny fs). set (Q' := (1 + u_stored fs fa) * rest + tiny fs).
    assert (Q0 : 0 <= Q <= Q') by (unfold Q, Q'; nra).
    assert (I : 0 < / ((1 - 2 * u fa) * g_low fa K1 K2) <= / lo) by (split; [apply Rinv_0_lt_compat; lra|apply
      Rinv_le_contravar; lra]).
    unfold Rdiv. set (i1 := / ((1 - 2 * u fa) * g_low fa K1 K2)) in *. set (i2 := / lo) in *.
    assert (qi : Q * i1 <= Q' * i2) by (apply Rmult_le_compat; lra). assert (qi0 : 0 <= Q' * i2) by (apply
      Rmult_le_pos; lra).
    set (w := (1 + u fa) * (1 + u_stored fs fa)). assert (w0 : 0 <= w) by (unfold w; apply Rmult_le_pos; lra).
    replace (Q * i1 * (1 + u fa) * (1 + u_stored fs fa)) with (Q * i1 * w) by (unfold w; ring).
    replace (Q' * (w * exp (2 * tiny fa)) * i2) with (Q' * i2 * w * exp (2 * tiny fa)) by ring.
    apply Rle_trans with (Q' * i2 * w). apply Rmult_le_compat_r; auto.
    rewrite <- (Rmult_1_r (Q' * i2 * w)) at 1. apply Rmult_le_compat_l; auto. now apply Rmult_le_pos.
Qed.
End Ascending.

(* ---- in any order; every logit may be moved by a unit in the last place ---- *)
Section AnyOrder.
Variable f : format.
Variable E : R -> R.
Hypothesis HE : exp_model f E.
Hypothesis narrow : 8 * tiny f <= u f.
Notation head := (typed f f AnyOrder M x).
Variables (m z : nat) (K : list nat) (logit : nat -> R) (y : R).
Hypothesis m_M : (1 <= m < M)%nat.
Hypothesis distinct : NoDup K.
Hypothesis has_z : In z K.
Hypothesis count : length K = S m.
Hypothesis logit_number : forall j, number f (logit j).
Hypothesis others : forall j, In j K -> j <> z -> low f (logit j).
Hypothesis row : softmax_row f f E AnyOrder logit (at_z z) K y.
Let B := ln (INR m).
Let rest := Sheet.sentinel_rest head left e.

Theorem sheet_sentinel_any : Sheet.leak_all head rest <= 1 -> 2 <= left -> Sheet.sentinel_weight head e ->
  (tiny f < logit z -> left + (1 - e) * B - 2 * tiny f <= (1 - u f) * (logit z - tiny f) ->
     Rabs (y - 1) <= Sheet.sentinel_error head left e /\ 0 <= y) /\
  ((1 + u f) * (logit z + tiny f) <= - left + (1 + e) * B + 4 * tiny f ->
   (1 - u f) * (logit z + tiny f) <= - left + (1 + e) * B + 4 * tiny f -> 0 <= y <= Sheet.sentinel_error head left e).
Proof.
  intros R1 L2 Wt. assert (U := u_pos f). assert (Uh := u_le_half f). assert (T := tiny_pos f).
  assert (m1 : 1 <= INR m) by (change 1 with (INR 1); apply le_INR; lia).
  destruct (ln_le_M m M ltac:(lia)) as [B0 BM]. fold B in B0, BM.
  set (XX := exp (e * ln (INR M) - left + 2 * tiny f)). assert (X0 : 0 < XX) by apply exp_pos.
  assert (mm : 0 <= 2 * INR M ^ 2 * tiny f) by (apply Rmult_le_pos; [|lra]; apply Rmult_le_pos; [lra|apply pow_le,
    pos_INR]).
  assert (Re : rest = (1 + 2 * u f) * XX + 2 * INR M ^ 2 * tiny f) by (unfold rest; open_sentinel; fold XX; f_equal;
    ring).
  assert (rX : (1 + 2 * u f) * XX <= rest) by lra. assert (rest0 : 0 <= rest) by nra.
  assert (Pw : least f <= exp (- ((1 + e) * ln (INR M)))).
  { revert Wt. unfold Sheet.sentinel_weight, Sheet.log_M. fields. intros Wt. assert (Lp := least_pos f).
    rewrite exp_Ropp, <- (Rinv_inv (least f)). apply Rinv_le_contravar. apply exp_pos. unfold Rdiv in Wt. lra. }
  assert (X2 : exp 0 <= exp (2 * tiny f)) by (apply exp_mono; lra). rewrite exp_0 in X2.
  split.
  - intros Hz Lz. destruct (compare_any_true f E HE K z m M logit y distinct has_z count ltac:(lia) ltac:(lia)
    logit_number
      others row rest) as [C1 C2]; auto.
    + rewrite Re. apply Rplus_le_compat_r. assert (S1 : INR m * exp ((1 - u f) * (tiny f - logit z)) <= XX).
      { rewrite <- (exp_ln (INR m)) by lra. fold B. rewrite <- exp_plus. apply exp_mono.
        assert (e * B <= e * ln (INR M)) by (apply Rmult_le_compat_l; lra). lra. }
      nra.
    + revert R1. unfold Sheet.leak_all. fields. lra.
    + split; auto. eapply Rle_trans; [apply C1|]. unfold Sheet.sentinel_error. fold rest.
      rewrite (sheet_row_any f f AnyOrder M x rest eq_refl eq_refl open rest0). apply Rmax_l.
  - intros D1 D2. set (D := - left + (1 + e) * B + 4 * tiny f) in *.
    destruct (compare_any f E HE narrow K z m M logit y distinct has_z count ltac:(lia) ltac:(lia) logit_number
      others row D)
      as [C1 C2]; auto.
    { intros _. unfold w0. apply Rle_trans with ((1 - 2 * u f) * exp (- D)).
      2:{ apply Rmult_le_compat_l. lra. apply exp_mono. lra. }
      replace (- D) with (- ((1 + e) * B) + (left - 4 * tiny f)) by (unfold D; ring). rewrite exp_plus.
      assert (Pw' : least f <= exp (- ((1 + e) * B))).
      { eapply Rle_trans; [apply Pw|apply exp_mono]. assert ((1 + e) * B <= (1 + e) * ln (INR M)) by (apply
        Rmult_le_compat_l; lra). lra. }
      assert (E2 : 2 <= exp (left - 4 * tiny f)). { eapply Rle_trans; [|apply exp_ineq1_le]. lra. }
      assert (Lp := least_pos f).
      apply Rle_trans with (/ 2 * (least f * 2)). lra. apply Rmult_le_compat; try lra. apply Rmult_le_compat; lra. }
    split; auto. eapply Rle_trans; [apply C2|]. unfold Sheet.sentinel_error. fold rest. eapply Rle_trans; [|apply
      Rmax_r].
    unfold Sheet.sentinel_lost, Sheet.sentinel_above, Sheet.sentinel_below, Sheet.more. fold rest. fields.
    unfold u_stored. rewrite same_refl by auto. apply Rplus_le_compat_r. rewrite !Rplus_0_r, Rmult_1_r, Rmult_1_l.
    set (lo := (1 - 2 * u f) * (1 - u f) ^ (4 * M)). set (lw := (1 - 2 * u f) * (1 - u f) ^ (2 * M)).
    assert (Gl : 0 < lo <= lw).
    { unfold lo, lw. assert (P := pow_ge f (2 * M) (4 * M) ltac:(lia)). split. apply Rmult_lt_0_compat; lra. apply
      Rmult_le_compat_l; lra. }
    unfold false_bound. fold lw.
    set (Xb := exp (- left + 2 * tiny f + e * B)). assert (Xb0 : 0 < Xb) by apply exp_pos.
    assert (Ed : exp D = INR m * (Xb * exp (2 * tiny f))).
    { rewrite <- (exp_ln (INR m)) at 1 by lra. fold B. unfold Xb. rewrite <- !exp_plus. f_equal. unfold D. ring. }
    assert (Xm : Xb <= XX) by (unfold Xb, XX; apply exp_mono; assert (e * B <= e * ln (INR M)) by (apply
      Rmult_le_compat_l; lra); lra).
    assert (Nb : (1 + 2 * u f) * exp D + tiny f <= INR m * ((rest + tiny f) * exp (2 * tiny f))).
    { rewrite Ed. assert (r1 : (1 + 2 * u f) * Xb <= rest) by (assert ((1 + 2 * u f) * Xb <= (1 + 2 * u f) * XX) by
      (apply Rmult_le_compat_l; lra); lra).
      assert (r2 : (1 + 2 * u f) * Xb * exp (2 * tiny f) <= rest * exp (2 * tiny f)) by (apply Rmult_le_compat_r;
        lra).
      assert (r3 : tiny f <= INR m * (tiny f * exp (2 * tiny f))).
      { assert (s1 : tiny f * 1 <= tiny f * exp (2 * tiny f)) by (apply Rmult_le_compat_l; lra).
        assert (s2 : 1 * (tiny f * exp (2 * tiny f)) <= INR m * (tiny f * exp (2 * tiny f))) by (apply
          Rmult_le_compat_r; lra). lra. }
      assert (r4 : INR m * ((1 + 2 * u f) * Xb * exp (2 * tiny f)) <= INR m * (rest * exp (2 * tiny f))) by (apply
        Rmult_le_compat_l; lra).
      lra. }
    set (N1 := (1 + 2 * u f) * exp D + tiny f) in *.
    assert (Q : N1 / (INR m * lw) <= (rest + tiny f) * exp (2 * tiny f) / lo).
    { apply Rle_trans with ((rest + tiny f) * exp (2 * tiny f) / lw).
      - apply Rmult_le_reg_r with (INR m * lw). apply Rmult_lt_0_compat; lra.
        replace (N1 / (INR m * lw) * (INR m * lw)) with N1 by (field; lra).
        replace ((rest + tiny f) * exp (2 * tiny f) / lw * (INR m * lw)) with (INR m * ((rest + tiny f) * exp (2 *
          tiny f))) by (field; lra). auto.
      - apply Rmult_le_compat_l. apply Rmult_le_pos; lra. apply Rinv_le_contravar; lra. }
    replace ((rest + tiny f) * ((1 + u f) * exp (2 * tiny f)) / lo) with ((rest + tiny f) * exp (2 * tiny f) / lo *
      (1 + u f)) by (unfold Rdiv; ring).
    apply Rmult_le_compat_r; lra.
Qed.
End AnyOrder.
End Sentinel.

(* ---- comparisons ---- *)
Section Compare.
Variables fs fa : format.
Variable ord : order.
Variable M : nat.
Variable x : Sheet.head.
Hypothesis kappa_8 : Sheet.kappa x = 8.
Hypothesis open : Sheet.close x = false.
Notation head := (typed fs fa ord M x).

Theorem sheet_compare_off : Sheet.compare_off head = compare_eps fs fa.
Proof. unfold Sheet.compare_off, compare_eps. fields. ring. Qed.
Theorem sheet_compare_rest : Sheet.sentinel_rest head (8 * (1 - compare_eps fs fa)) (compare_eps fs fa) =
  compare_rest fs fa ord M.
Proof.
  open_sentinel. unfold compare_rest. set (e := compare_eps fs fa).
  replace (e * ln (INR M) - 8 * (1 - e) + 2 * tiny fa) with (- (8 * (1 - e)) + 2 * tiny fa + e * ln (INR M)) by ring.
  rewrite exp_plus. destruct ord; cbn [is_ascending]; ring.
Qed.
Theorem sheet_compare_false : (ord = AnyOrder -> fs = fa) ->
  Sheet.sentinel_lost head (8 * (1 - compare_eps fs fa)) (compare_eps fs fa) = compare_error_false fs fa ord M.
Proof.
  intros F. unfold Sheet.sentinel_lost, Sheet.sentinel_above, Sheet.sentinel_below, Sheet.more. rewrite
    sheet_compare_rest.
  fields. unfold compare_error_false. fold (compare_low fa M). destruct ord.
  - f_equal. f_equal. ring.
  - unfold u_stored. rewrite same_refl by now apply F. f_equal. f_equal. ring.
Qed.
(* what a certificate asks of a comparison is what the sheet says; W is the sum of |weights| *)
Theorem sheet_compare wl we : (1 <= M)%nat -> Sheet.compare_error head <= / 4 -> least fa <= least fs ->
  Sheet.ones_counted head ->
  Sheet.count_normal head -> Sheet.sentinel_normal head -> Sheet.sentinel_weight head (Sheet.compare_off head) ->
  wl + we <= bpow radix2 (prec fs - 1) -> INR M * wl + we <= bpow radix2 (prec fa - 1) ->
  (ord = AnyOrder -> fs = fa /\ 8 * tiny fa <= u fa) -> Sheet.leak_all head (compare_rest fs fa ord M) <= 1 ->
  compare_ok fs fa ord M wl we.
Proof.
  intros M1 He Hl Ones Mean Norm Wt H1 H2 Ho Lk. unfold Sheet.compare_error in He.
  rewrite sheet_compare_off in He, Wt. revert He. unfold Sheet.sentinel_error. cbn [Sheet.kappa typed]. rewrite
    kappa_8, sheet_compare_rest.
  rewrite sheet_compare_false by (intros O; apply (Ho O)). intros He. assert (He1 := Rle_trans _ _ _ (Rmax_l _ _) He).
  assert (He2 := Rle_trans _ _ _ (Rmax_r _ _) He). clear He. apply sheet_counts in Ones.
  revert Mean Norm Wt Lk. unfold Sheet.count_normal, Sheet.sentinel_normal, Sheet.sentinel_scale,
    Sheet.sentinel_weight, Sheet.leak_all, Sheet.log_M.
  fields. rewrite kappa_8. intros Mean Norm Wt Lk. unfold compare_ok. assert (R0 : 0 <= compare_rest fs fa ord M).
  { assert (A := rest_big fs fa ord M M1). assert (P := exp_pos (- (8 * (1 - compare_eps fs fa)))). lra. }
  refine (conj Hl (conj Ones (conj _ (conj _ (conj _ (conj H1 (conj H2 (conj _ He2)))))))).
  - unfold Rdiv in Mean. lra.
  - replace (16 * INR M) with (2 * 8 * INR M) by ring. exact Norm.
  - unfold Rdiv in Wt. lra.
  - destruct ord; cbn [is_ascending] in Lk.
    + rewrite (sheet_row_ascending fs fa Ascending M x _ eq_refl open) in He1. split. lra. eapply Rle_trans; [|apply
      He1].
      apply error_mono. lra. unfold stored_leak. assert (T := tiny_pos fs). assert (Us := u_pos fs). assert (m0 :=
        pos_INR M).
      assert (0 <= INR M * tiny fs) by (apply Rmult_le_pos; lra).
      assert (0 <= (1 + u fs) * compare_rest fs fa Ascending M) by (apply Rmult_le_pos; lra). destruct (same_format
        fs fa); lra.
    + destruct (Ho eq_refl) as [-> Nar]. rewrite (sheet_row_any fa fa AnyOrder M x _ eq_refl eq_refl open R0) in He1.
      repeat split; auto; lra.
Qed.
(* no operation overflows: compare_page, of the sheet *)
Theorem sheet_compare_range : (forall y, number fs y -> number fa y) -> (3 <= prec fs)%Z -> (4 <= prec fa)%Z -> (1 <=
  M)%nat ->
  1 <= Sheet.W x -> Sheet.sentinel_range head (Sheet.compare_off head) (Sheet.compare_logit head) -> compare_range fs
    fa M (Sheet.W x).
Proof.
  intros incl Ps Pa M1 W1. rewrite sheet_compare_off. unfold Sheet.sentinel_range, Sheet.compare_logit,
    Sheet.sentinel_scale, Sheet.log_M.
  fields. rewrite kappa_8. intros H. apply compare_page; auto. lra.
Qed.
End Compare.
(* a scale that the sheet admits is no larger than the largest number, also when it is rounded *)
Theorem sheet_fits f y : y <= top f -> rnd f y <= top f.
Proof. intros H. apply rnd_le_number; auto. apply (top_format f). Qed.
Theorem sheet_scales fs fa ord M x : Sheet.scaled x = true ->
  (Sheet.sentinel_fits (typed fs fa ord M x) -> rnd fa (2 * Sheet.kappa x * INR M) <= top fa) /\
  (Sheet.balance_fits (typed fs fa ord M x) -> rnd fa (2 * Sheet.kappa x * (INR M * INR M)) <= top fa) /\
  (Sheet.lookup_fits (typed fs fa ord M x) -> rnd fa (Sheet.kappa x * (INR M * (INR M * INR M))) <= top fa).
Proof.
  intros H. unfold Sheet.sentinel_fits, Sheet.sentinel_scale, Sheet.balance_fits, Sheet.balance_scale,
    Sheet.lookup_fits, Sheet.lookup_scale.
  fields. rewrite H. repeat split; apply sheet_fits.
Qed.
