(* doc/theory.md, "Softmax against a hard choice" and "Heads": one row of attention over the reals, for each kind of
  head.
   A row is a list K of keys without repetition; s are its logits, v its values.

   hard_attention   gap and scale against any hard choice by average
   once_row         some candidate, all of one value
   nearest_row      the candidate with the largest number
   uniform_row      no scores: a mean
   compare_row      a sentinel against m others: exactly a sigmoid
   lookup_row       a peak: gaps of at least kappa times the distance *)
From Coq Require Import Reals List Lia Lra Psatz Bool Arith.
From Temper Require Import Rows.
Import ListNotations.
Local Open Scope R_scope.

Lemma exp_mono x y : x <= y -> exp x <= exp y.
Proof. intros [H| ->]. left; now apply exp_increasing. right; auto. Qed.
Lemma exp_neg_lt_1 x : 0 < x -> 0 < exp (- x) < 1.
Proof. intros H. split. apply exp_pos. rewrite <- exp_0. apply exp_increasing. lra. Qed.
Lemma exp_neg_le x : 0 <= x -> exp (- x) <= / (1 + x).
Proof.
  intros [H|<-]. 2: rewrite Ropp_0, exp_0, Rplus_0_r, Rinv_1; lra.
  rewrite exp_Ropp. apply Rinv_le_contravar. lra. left. apply exp_ineq1. lra.
Qed.

Lemma output_sum s v K : output s v K = sum (fun j => weight s K j * v j) K.
Proof. destruct K; reflexivity. Qed.
Lemma mass_pos s K : K <> [] -> 0 < sum (fun k : nat => exp (s k)) K.
Proof.
  destruct K as [|a K]; [easy|]. intros _. cbn [sum].
  assert (0 <= sum (fun k => exp (s k)) K) by (apply sum_nonneg; intros; left; apply exp_pos).
    generalize (exp_pos (s a)). lra.
Qed.
Lemma nonempty {X} (x : X) l : In x l -> l <> [].
Proof. now destruct l. Qed.
Lemma weight_nonneg s K j : K <> [] -> 0 <= weight s K j.
Proof. intros H. apply Rmult_le_pos. left; apply exp_pos. left; apply Rinv_0_lt_compat. now apply mass_pos. Qed.
Lemma weights_one s K : K <> [] -> sum (weight s K) K = 1.
Proof.
  intros H. assert (P := mass_pos s K H). unfold weight.
  rewrite (sum_ext _ (fun j => / sum (fun k => exp (s k)) K * exp (s j))) by (intros; unfold Rdiv; ring).
  rewrite sum_scal. field. lra.
Qed.
Lemma output_unit s v K : (forall j, In j K -> 0 <= v j <= 1) -> 0 <= output s v K <= 1.
Proof.
  intros H. rewrite output_sum. destruct K as [|a K0] eqn:EK. simpl; lra. rewrite <- EK in *.
  assert (Kn : K <> []) by (rewrite EK; discriminate). split.
  - apply sum_nonneg. intros j Hj. apply Rmult_le_pos. now apply weight_nonneg. now apply H.
  - rewrite <- (weights_one s K Kn). apply sum_le. intros j Hj. rewrite <- (Rmult_1_r (weight s K j)) at 2.
    apply Rmult_le_compat_l. now apply weight_nonneg. now apply H.
Qed.
Lemma output_ext s s' v v' K : (forall j, In j K -> s j = s' j) -> (forall j, In j K -> v j = v' j) -> output s v K =
  output s' v' K.
Proof.
  intros Hs Hv. rewrite !output_sum. unfold weight.
  rewrite (sum_ext (fun k => exp (s k)) (fun k => exp (s' k)) K) by (intros; now rewrite Hs).
  apply sum_ext. intros x Hx. now rewrite Hs, Hv.
Qed.
Lemma output_zero s v K : (forall j, In j K -> v j = 0) -> output s v K = 0.
Proof. intros H. rewrite output_sum, (sum_ext _ (fun _ => 0)). rewrite sum_const; ring. intros x Hx.
  rewrite (H x Hx). ring. Qed.
Lemma output_shift s c v K : output (fun j => s j + c) v K = output s v K.
Proof.
  rewrite !output_sum. apply sum_ext. intros j Hj. f_equal. unfold weight.
  assert (P := mass_pos s K (nonempty _ _ Hj)).
  rewrite (sum_ext (fun k => exp (s k + c)) (fun k => exp c * exp (s k)) K) by (intros; rewrite exp_plus; ring).
  rewrite sum_scal, exp_plus. assert (C := exp_pos c). field. split; lra.
Qed.

(* ---- any hard choice by average ---- *)
Definition hard_output (T : nat -> bool) (v : nat -> R) (K : list nat) : R := sum (fun j => hard_weight T K j * v j)
  K.

Lemma hard_weights_one T K : (0 < length (filter T K))%nat -> sum (hard_weight T K) K = 1.
Proof.
  intros H. rewrite (sum_split T). unfold hard_weight.
  rewrite (sum_ext _ (fun _ => / INR (length (filter T K))) (filter T K)) by (intros x Hx; apply filter_In in Hx;
    destruct Hx as [_ ->]; auto).
  rewrite (sum_ext _ (fun _ => 0) (filter (fun x => negb (T x)) K)) by (intros x Hx; apply filter_In in Hx; destruct
    Hx as [_ Hx]; destruct (T x); [discriminate|auto]).
  rewrite !sum_const. field. apply not_0_INR. lia.
Qed.
Lemma share_mono t r L : 0 <= L <= r -> 1 <= t -> L / (t + L) <= r / (1 + r).
Proof.
  intros [L0 L1] Ht. apply Rmult_le_reg_r with ((t + L) * (1 + r)). nra.
  replace (L / (t + L) * ((t + L) * (1 + r))) with (L * (1 + r)) by (field; lra).
  replace (r / (1 + r) * ((t + L) * (1 + r))) with (r * (t + L)) by (field; lra). nra.
Qed.
(* the losers' ideal weights together at most r: the output is within r/(1+r) of the hard choice *)
Theorem leak_error s v K T M r : (forall j, In j K -> T j = true -> s j = M) -> (0 < length (filter T K))%nat ->
  (forall j, In j K -> 0 <= v j <= 1) -> leak s M T K <= r ->
  Rabs (output s v K - hard_output T v K) <= r / (1 + r).
Proof.
  intros Top St V Lr. assert (TV := softmax_total_variation s M T K Top St).
  assert (Kn : K <> []) by (destruct K; [simpl in St; lia|discriminate]).
  assert (B : Rabs (output s v K - hard_output T v K) <= tv (weight s K) (hard_weight T K) K).
  { rewrite output_sum. unfold hard_output. apply tv_bounds; auto. rewrite weights_one by auto.
    now rewrite hard_weights_one. }
  eapply Rle_trans. apply B. rewrite TV. apply share_mono.
  split; auto. apply sum_nonneg. intros; left; apply exp_pos.
  change 1 with (INR 1). apply le_INR. lia.
Qed.
(* doc/theory.md, "Softmax against a hard choice": gap gamma and scale at least (ln N + kappa)/gamma *)
Theorem hard_attention (score v : nat -> R) K T M gamma lambda kappa n :
  (forall j, In j K -> T j = true -> score j = M) -> (0 < length (filter T K))%nat ->
  (forall j, In j K -> T j = false -> score j <= M - gamma) ->
  (forall j, In j K -> 0 <= v j <= 1) -> (length K <= n)%nat -> 0 < gamma -> 0 <= lambda -> (ln (INR n) + kappa) /
    gamma <= lambda ->
  Rabs (output (fun j => lambda * score j) v K - hard_output T v K) <= exp (- kappa).
Proof.
  intros Top St Gap V Ln Gm L0 Lam.
  assert (n0 : 0 < INR n). { apply lt_0_INR. destruct K; [simpl in St; lia|simpl in Ln; lia]. }
  assert (Lg : ln (INR n) + kappa <= lambda * gamma).
  { apply Rmult_le_reg_r with (/ gamma). now apply Rinv_0_lt_compat. rewrite Rmult_assoc, Rinv_r, Rmult_1_r by lra.
    exact Lam. }
  assert (Lk : leak (fun j => lambda * score j) (lambda * M) T K <= exp (- kappa)).
  { unfold leak. apply Rle_trans with (sum (fun _ => / INR n * exp (- kappa)) (filter (fun j => negb (T j)) K)).
    - apply sum_le. intros j Hj. apply filter_In in Hj. destruct Hj as [Hj HT]. apply negb_true_iff in HT.
      replace (/ INR n * exp (- kappa)) with (exp (- (ln (INR n) + kappa))).
      2:{ rewrite Ropp_plus_distr, exp_plus, exp_Ropp, exp_ln; auto. }
      apply exp_mono. specialize (Gap j Hj HT). assert (lambda * score j <= lambda * (M - gamma)) by now apply
        Rmult_le_compat_l. nra.
    - rewrite sum_const. assert (Ek := exp_pos (- kappa)).
      assert (INR (length (filter (fun j => negb (T j)) K)) <= INR n).
      { apply le_INR. eapply Nat.le_trans; [|apply Ln]. clear. induction K; simpl; auto.
        destruct (negb (T a)); simpl; lia. }
      rewrite <- (Rmult_1_l (exp (- kappa))) at 2. rewrite <- Rmult_assoc. apply Rmult_le_compat_r. lra.
      apply Rmult_le_reg_r with (INR n); auto. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  eapply Rle_trans. apply (leak_error _ v K T (lambda * M) (exp (- kappa))); auto. intros j Hj HT. now rewrite Top.
  assert (Ek := exp_pos (- kappa)). apply Rmult_le_reg_r with (1 + exp (- kappa)). lra.
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra.
Qed.

(* ---- once ---- *)
Theorem once_row kappa n K (c : nat -> R) jc : (length K <= n)%nat -> (forall j, In j K -> c j = 0 \/ c j = 1) ->
  In jc K -> c jc = 1 -> 0 <= ln (INR n) + kappa ->
  Rabs (output (fun j => (ln (INR n) + kappa) * c j) c K - 1) <= exp (- kappa).
Proof.
  intros Ln B J C Pos. set (T j := if Req_EM_T (c j) 1 then true else false).
  assert (Tt : forall j, T j = true -> c j = 1) by (unfold T; intros j; destruct (Req_EM_T (c j) 1); easy).
  assert (Tf : forall j, In j K -> T j = false -> c j = 0) by (unfold T; intros j Hj; destruct (Req_EM_T (c j) 1);
    [easy|]; destruct (B j Hj); easy).
  assert (St : (0 < length (filter T K))%nat).
  { assert (In jc (filter T K)) by (apply filter_In; split; auto; unfold T; destruct (Req_EM_T (c jc) 1); easy).
    destruct (filter T K); [easy|simpl; lia]. }
  assert (H1 : hard_output T c K = 1).
  { rewrite <- (hard_weights_one T K St). unfold hard_output. apply sum_ext. intros j Hj. unfold hard_weight.
    destruct (T j) eqn:E.
    rewrite (Tt j E). ring. ring. }
  enough (X : Rabs (output (fun j => (ln (INR n) + kappa) * c j) c K - hard_output T c K) <= exp (- kappa)) by
    (rewrite H1 in X; exact X).
  apply (hard_attention c c K T 1 1 _ kappa n); auto; try lra.
  - intros j Hj E. rewrite (Tf j Hj E). lra.
  - intros j Hj. destruct (B j Hj); lra.
Qed.

(* ---- one winner ---- *)
Lemma filter_one js K : NoDup K -> In js K -> filter (fun j => Nat.eqb j js) K = [js].
Proof.
  intros Hn Hi. assert (H : forall K', NoDup K' -> (In js K' -> filter (fun j => Nat.eqb j js) K' = [js]) /\ (~ In js
    K' -> filter (fun j => Nat.eqb j js) K' = [])).
  { clear. induction K'; intros H. split; [intros []|auto]. inversion H; subst. destruct (IHK' H3) as [I1 I2].
    simpl. destruct (Nat.eqb_spec a js).
    - subst. split; intros; [rewrite I2; auto| exfalso; apply H0; now left].
    - split; intros. apply I1. destruct H0; [congruence|auto]. apply I2. tauto. }
  now apply H.
Qed.
Definition losers js K := filter (fun j => negb (Nat.eqb j js)) K.
Lemma in_losers js K j : In j (losers js K) <-> In j K /\ j <> js.
Proof. unfold losers. rewrite filter_In, negb_true_iff, Nat.eqb_neq. tauto. Qed.
Lemma winner s v K js r : NoDup K -> In js K -> (forall j, In j K -> 0 <= v j <= 1) ->
  sum (fun j => exp (- (s js - s j))) (losers js K) <= r -> Rabs (output s v K - v js) <= r / (1 + r).
Proof.
  intros Hn Hi V L. set (T j := Nat.eqb j js).
  assert (F1 : filter T K = [js]) by now apply filter_one.
  assert (Ho : hard_output T v K = v js).
  { unfold hard_output. rewrite (sum_split T), F1. cbn [sum]. rewrite (sum_ext _ (fun _ => 0) (filter (fun x => negb
    (T x)) K)).
    rewrite sum_const. unfold hard_weight. rewrite F1. unfold T. rewrite Nat.eqb_refl. simpl. field.
    intros x Hx. apply filter_In in Hx. destruct Hx as [_ Hx]. unfold hard_weight. destruct (T x); [discriminate|].
      ring. }
  rewrite <- Ho. apply (leak_error s v K T (s js)); auto.
  - intros j _ E. apply Nat.eqb_eq in E. now subst.
  - rewrite F1. simpl. lia.
  - unfold leak. fold T in L. eapply Rle_trans; [|apply L]. right. unfold losers. fold T. apply sum_ext. intros.
    f_equal. lra.
Qed.
Lemma NoDup_map_inj {X Y} (d : X -> Y) l : NoDup l -> (forall x y, In x l -> In y l -> d x = d y -> x = y) -> NoDup
  (map d l).
Proof.
  induction l as [|a l IH]; simpl; intros nd inj; constructor; inversion nd; subst.
  - intro H. apply in_map_iff in H. destruct H as (x & E & Hx). apply H1. rewrite (inj a x); auto.
  - apply IH; auto.
Qed.

(* ---- nearest: num numbers the keys, rightwards or leftwards; the candidate with the largest number wins ---- *)
Theorem nearest_row kappa n K (num : nat -> nat) (c v : nat -> R) js :
  0 < kappa -> NoDup K -> (forall j, In j K -> (num j < n)%nat) ->
  (forall x y, In x K -> In y K -> num x = num y -> x = y) ->
  (forall j, In j K -> c j = 0 \/ c j = 1) -> (forall j, In j K -> 0 <= v j <= 1) ->
  In js K -> c js = 1 -> (forall j, In j K -> c j = 1 -> (num j <= num js)%nat) ->
  Rabs (output (fun j => kappa * INR n * c j + kappa * INR (num j)) v K - v js) <= exp (- kappa).
Proof.
  intros Hk Hn Kn inj cB V Hi jsc best.
  assert (Q := exp_neg_lt_1 kappa Hk). set (q := exp (- kappa)) in *.
  replace q with (q / (1 - q) / (1 + q / (1 - q))) by (field; lra).
  apply winner; auto.
  set (d j := if Req_EM_T (c j) 1 then (num js - num j)%nat else (n + num js - num j)%nat).
  apply (distinct_gaps kappa _ d).
  - auto.
  - apply NoDup_map_inj. now apply NoDup_filter. intros x y Hx Hy. apply in_losers in Hx, Hy.
    destruct Hx as [Hx _], Hy as [Hy _].
    intros E. apply inj; auto. assert (X := Kn x Hx). assert (Y := Kn y Hy). assert (Z := Kn js Hi). revert E.
      unfold d.
    destruct (Req_EM_T (c x) 1) as [c1|c1], (Req_EM_T (c y) 1) as [c2|c2];
    try (assert (num x <= num js)%nat by auto); try (assert (num y <= num js)%nat by auto); lia.
  - intros j Hj. apply in_losers in Hj. destruct Hj as [Hj Hne]. assert (J := Kn j Hj). unfold d.
    destruct (Req_EM_T (c j) 1).
    assert (num j <= num js)%nat by auto. assert (num j <> num js) by (intro; apply Hne; auto). lia. lia.
  - intros j Hj. apply in_losers in Hj. destruct Hj as [Hj _]. assert (J := Kn j Hj).
    unfold d. rewrite jsc. destruct (Req_EM_T (c j) 1) as [e|e].
    + rewrite e. assert (num j <= num js)%nat by auto. rewrite minus_INR by auto. lra.
    + destruct (cB j Hj) as [e0|]; [|contradiction]. rewrite e0, minus_INR, plus_INR by lia. lra.
Qed.

(* ---- count: equal logits give the mean ---- *)
Theorem uniform_row v K : output (fun _ => 0) v K = sum v K / INR (length K).
Proof.
  rewrite output_sum. unfold weight. rewrite sum_const, exp_0, Rmult_1_r.
  rewrite (sum_ext _ (fun j => / INR (length K) * v j)) by (intros; unfold Rdiv; ring).
  rewrite sum_scal. unfold Rdiv. ring.
Qed.

(* ---- compare: the weight of a sentinel z with logit x + ln m against m others of logit 0 ---- *)
Definition is_ (z j : nat) : R := if Nat.eqb j z then 1 else 0.
Theorem compare_row K z x m : NoDup K -> In z K -> length K = S m -> (0 < m)%nat ->
  output (fun j => (x + ln (INR m)) * is_ z j) (is_ z) K = / (1 + exp (- x)).
Proof.
  intros Hn Hz Hl Hm. rewrite output_sum. assert (m0 : 0 < INR m) by now apply lt_0_INR.
  assert (F1 := filter_one z K Hn Hz). set (T j := Nat.eqb j z) in F1.
  assert (Len : length (filter (fun j => negb (T j)) K) = m).
  { assert (H : forall K', (length (filter T K') + length (filter (fun j => negb (T j)) K') = length K')%nat).
    { induction K'; simpl; auto. destruct (T a); simpl; lia. }
    specialize (H K). rewrite F1, Hl in H. simpl in H. lia. }
  assert (M : sum (fun k => exp ((x + ln (INR m)) * is_ z k)) K = INR m * exp x + INR m).
  { rewrite (sum_split T), F1. cbn [sum]. unfold is_ at 1. rewrite Nat.eqb_refl, Rmult_1_r, exp_plus, exp_ln by auto.
    rewrite (sum_ext _ (fun _ => 1)). rewrite sum_const, Len. ring.
    intros j Hj. apply filter_In in Hj. destruct Hj as [_ E]. apply negb_true_iff in E. unfold T in E. unfold is_.
      rewrite E, Rmult_0_r. apply exp_0. }
  rewrite (sum_split T), F1. cbn [sum]. rewrite (sum_ext _ (fun _ => 0) (filter (fun j => negb (T j)) K)).
  2:{ intros j Hj. apply filter_In in Hj. destruct Hj as [_ E]. apply negb_true_iff in E. unfold T in E.
    unfold is_ at 2. rewrite E. ring. }
  rewrite sum_const. unfold weight. rewrite M. unfold is_. rewrite Nat.eqb_refl, !Rmult_1_r, exp_plus, exp_ln,
    exp_Ropp by auto.
  assert (E := exp_pos x). field. split; [lra|]. split; nra.
Qed.

(* ---- look-up: the key js is the peak, and a key at distance d lies at least kappa d below ---- *)
Theorem lookup_row kappa K (num : nat -> nat) (s v : nat -> R) js :
  0 < kappa -> NoDup K -> (forall x y, In x K -> In y K -> num x = num y -> x = y) ->
  (forall j, In j K -> 0 <= v j <= 1) -> In js K ->
  (forall j, In j K -> kappa * Rabs (INR (num j) - INR (num js)) <= s js - s j) ->
  Rabs (output s v K - v js) <= 2 * exp (- kappa) / (1 - exp (- kappa)).
Proof.
  intros Hk Hn inj V Hi Gap. assert (Q := exp_neg_lt_1 kappa Hk). set (q := exp (- kappa)) in *.
  assert (P : 0 < q / (1 - q)) by (apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra]).
  assert (W : Rabs (output s v K - v js) <= (2 * (q / (1 - q))) / (1 + 2 * (q / (1 - q)))).
  { apply winner; auto.
    rewrite (sum_split (fun j => Nat.ltb (num j) (num js))).
    assert (ne : forall j, In j (losers js K) -> num j <> num js) by (intros j Hj E; apply in_losers in Hj; destruct
      Hj as [Hj Hne]; apply Hne; auto).
    replace (2 * (q / (1 - q))) with (q / (1 - q) + q / (1 - q)) by ring. apply Rplus_le_compat.
    - apply (distinct_gaps kappa _ (fun j => (num js - num j)%nat)); auto.
      + apply NoDup_map_inj. apply NoDup_filter. now apply NoDup_filter. intros x y Hx Hy E.
        apply filter_In in Hx, Hy.
        destruct Hx as [Hx Lx], Hy as [Hy Ly]. apply Nat.ltb_lt in Lx, Ly. apply in_losers in Hx, Hy.
          apply inj; try tauto. lia.
      + intros j Hj. apply filter_In in Hj. destruct Hj as [_ Lx]. apply Nat.ltb_lt in Lx. lia.
      + intros j Hj. apply filter_In in Hj. destruct Hj as [Hj Lx]. apply Nat.ltb_lt in Lx. apply in_losers in Hj.
        rewrite minus_INR by lia. eapply Rle_trans; [|apply Gap; tauto]. right. f_equal. apply lt_INR in Lx.
          rewrite Rabs_left; lra.
    - apply (distinct_gaps kappa _ (fun j => (num j - num js)%nat)); auto.
      + apply NoDup_map_inj. apply NoDup_filter. now apply NoDup_filter. intros x y Hx Hy E.
        apply filter_In in Hx, Hy.
        destruct Hx as [Hx Lx], Hy as [Hy Ly]. apply negb_true_iff, Nat.ltb_ge in Lx, Ly.
        assert (X := ne _ Hx). assert (Y := ne _ Hy). apply in_losers in Hx, Hy. apply inj; try tauto. lia.
      + intros j Hj. apply filter_In in Hj. destruct Hj as [Hj Lx]. apply negb_true_iff, Nat.ltb_ge in Lx.
        assert (X := ne _ Hj). lia.
      + intros j Hj. apply filter_In in Hj. destruct Hj as [Hj Lx]. apply negb_true_iff, Nat.ltb_ge in Lx.
        apply in_losers in Hj.
        rewrite minus_INR by lia. eapply Rle_trans; [|apply Gap; tauto]. right. f_equal. apply le_INR in Lx.
          rewrite Rabs_pos_eq; lra. }
  eapply Rle_trans. apply W. replace (2 * q / (1 - q)) with (2 * (q / (1 - q))) by (unfold Rdiv; ring).
  set (r := 2 * (q / (1 - q))) in *. assert (0 < r) by (unfold r; lra).
  apply Rmult_le_reg_r with (1 + r). lra. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra.
Qed.

(* kappa is 8, and 16 for look-ups: every error is at most a quarter *)
Lemma quarter kappa : 8 <= kappa -> exp (- kappa) <= / 4.
Proof. intros H. eapply Rle_trans. apply exp_neg_le; lra. apply Rinv_le_contravar; lra. Qed.
Lemma quarter_sigmoid x : 8 <= x -> Rabs (/ (1 + exp (- x)) - 1) <= / 4 /\ Rabs (/ (1 + exp x)) <= / 4.
Proof.
  intros H. assert (E : 1 + x < exp x) by (apply exp_ineq1; lra).
  assert (I : / (1 + exp x) <= / 4) by (apply Rinv_le_contravar; lra).
  assert (P : 0 < / (1 + exp x)) by (apply Rinv_0_lt_compat; lra).
  split.
  - rewrite exp_Ropp. replace (/ (1 + / exp x) - 1) with (- / (1 + exp x)) by (field; lra).
    rewrite Rabs_Ropp, Rabs_pos_eq; lra.
  - rewrite Rabs_pos_eq; lra.
Qed.
Lemma quarter_lookup kappa : 16 <= kappa -> 2 * exp (- kappa) / (1 - exp (- kappa)) <= / 4.
Proof.
  intros H. assert (E : exp (- kappa) <= / 17) by (eapply Rle_trans; [apply exp_neg_le; lra|apply Rinv_le_contravar;
    lra]).
  assert (P := exp_pos (- kappa)). set (q := exp (- kappa)) in *.
  apply Rmult_le_reg_r with (1 - q). lra. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.
