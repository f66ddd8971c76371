(* doc/certificate.md, "Operations that are covered": every number that an operation of a run may give, and how large
   it can be. Rounding in Format.v has no largest number. A machine's run is that of the model if every result of an
   operation is at most `top` in size. float_run is a relation, so its operations may be done in several ways; these
   predicates hold of the results of all of them.

   summed_result, stored_result   what an operation of one channel may give, in the format of sums and in that of
                                  storage
   row_size_ok    rows whose terms are at most multiples of 1/2
   logit_sizes    scores and logits with one query and one key
   unit_row       a softmax row of Boolean values: sums are at most 2^p, the output is at most 2
   count_row      a row without scores: every sum is exact *)
From Coq Require Import ZArith Reals Lia Lra Psatz List Bool Arith Permutation.
From Flocq Require Import Core.
From Temper Require Import Rows Heads Format Sums Nearest NearestAny Rounding Exact Range Strings Programs FloatRun
  NearestHead OnceTree CountHead.
Import ListNotations.
Local Open Scope R_scope.

Section Results.
Context {A : Type}.
Variable tail : bool.
Variables fs fa : format.
Notation N := (N tail). Notation keys := (keys tail). Notation asc_parts := (asc_parts fa).

Definition row_summed (e : env) r i : list R := terms fa e r i ++ asc_parts 0 (terms fa e r i).
(* products and sums of a score, fused or not *)
Section Row_results.
Variable E : R -> R.
Variable ord : order.
Inductive dot_result : R -> list (R * R) -> R -> Prop :=
  | dr_product s x y l : dot_result s ((x, y) :: l) (rnd fa (x * y))
  | dr_plain s x y l : dot_result s ((x, y) :: l) (rnd fa (s + rnd fa (x * y)))
  | dr_fused s x y l : dot_result s ((x, y) :: l) (rnd fa (s + x * y))
  | dr_plain_more s x y l z : dot_result (rnd fa (s + rnd fa (x * y))) l z -> dot_result s ((x, y) :: l) z
  | dr_fused_more s x y l z : dot_result (rnd fa (s + x * y)) l z -> dot_result s ((x, y) :: l) z.
Definition scaled lam (qk : list (R * R)) := map (fun t => (rnd fa (lam * fst t), snd t)) qk.
Inductive logit_result (lam : R) (qk : list (R * R)) : R -> Prop :=
  | lr_score z : dot_result 0 qk z -> logit_result lam qk z
  | lr_product s : dot fa 0 qk s -> logit_result lam qk (rnd fa (lam * s))
  | lr_query t : In t qk -> logit_result lam qk (rnd fa (lam * fst t))
  | lr_scaled z : dot_result 0 (scaled lam qk) z -> logit_result lam qk z
  | lr_logit l : logit_of fa ord lam qk l -> logit_result lam qk l.
(* a softmax row: differences, weights, sums of both kinds over any of its keys, also rescaled, and the quotient *)
Definition asc_weight (logit : nat -> R) top j := E (rnd fa (logit j - logit top)).
(* a tree over some of the keys of a row, each at most once *)
Definition among (K L : list nat) (o : option nat) := exists rest,
  Permutation (match o with Some j => [j] | None => [] end ++ L ++ rest) K.
Definition tree_of (logit v : nat -> R) K win L o t x : Prop :=
  (exists js, In js K /\ (forall j, In j K -> logit j <= logit js) /\ win = logit js) /\ ok fa win t /\
  summed fa E logit v win L o t x /\ among K L o.
Inductive softmax_result (logit v : nat -> R) (K : list nat) : R -> Prop :=
  | sr_difference j k : In j K -> In k K -> softmax_result logit v K (rnd fa (logit j - logit k))
  | sr_weight z : 0 <= z <= 1 -> softmax_result logit v K z
  | sr_product j top : ord = Ascending -> In j K -> In top K -> (forall k, In k K -> logit k <= logit top) ->
      softmax_result logit v K (rnd fa (rnd fs (asc_weight logit top j) * v j))
  | sr_num top z : ord = Ascending -> In top K -> (forall k, In k K -> logit k <= logit top) ->
      In z (asc_parts 0 (map (fun j => rnd fa (rnd fs (asc_weight logit top j) * v j)) K)) -> softmax_result logit v
        K z
  | sr_den top z : ord = Ascending -> In top K -> (forall k, In k K -> logit k <= logit top) ->
      In z (asc_parts 0 (map (asc_weight logit top) K)) -> softmax_result logit v K z
  | sr_quotient top : ord = Ascending -> In top K -> (forall k, In k K -> logit k <= logit top) ->
      softmax_result logit v K (rnd fa (asc fa 0 (map (fun j => rnd fa (rnd fs (asc_weight logit top j) * v j)) K) /
        asc fa 0 (map (asc_weight logit top) K)))
  | sr_tree win L o t x : ord = AnyOrder -> tree_of logit v K win L o t x -> forall z, z = val fa E win t \/ z = x ->
      softmax_result logit v K z
  | sr_rescaled win L o t x m : ord = AnyOrder -> tree_of logit v K win L o t x -> number fa m -> ref win t <= m ->
      forall y, y = val fa E win t \/ y = x -> softmax_result logit v K (rnd fa (y * E (rnd fa (ref win t - m))))
  | sr_share win L j t x : ord = AnyOrder -> tree_of logit v K win L (Some j) t x ->
      softmax_result logit v K (rnd fa (x / val fa E win t)).

End Row_results.

(* of a channel; each row of each head has an exp of its own *)
Definition summed_result (exps : (R -> R) -> Prop) (ord : order) (w : list A) (e : env) (d : def A) i z : Prop :=
  match d with
  | Letter _ => False | Feature _ => False
  | Head m scale qk v => exists lam, expression fa (scale (N w)) lam /\ (z = lam \/
      (exists r, In r (map fst qk) /\ In z (row_summed e r i)) \/
      (exists j r, In j (keys w m i) /\ In r (v :: map snd qk) /\ In z (row_summed e r j)) \/
      (exists j, In j (keys w m i) /\ logit_result ord lam (pairs fs fa e qk i j) z) \/
      (exists logit, (forall j, number fa (logit j)) /\ (forall j, In j (keys w m i) -> logit_of fa ord lam (pairs fs
        fa e qk i j) (logit j)) /\
         exists E, exps E /\ softmax_result E ord logit (fun j => float_row fs fa e v j) (keys w m i) z))
  | Net us => (exists t, In t us /\ (In z (row_summed e (snd (fst t)) i) \/ z = rnd fa (asc fa 0 (terms fa e (snd
    (fst t)) i) + snd t) \/
      z = rnd fa (fst (fst t) * hidden fs fa e t i))) \/ In z (asc_parts 0 (map (fun t => rnd fa (fst (fst t) *
        hidden fs fa e t i)) us)) end.
Definition stored_result (w : list A) (e : env) (d : def A) i z : Prop := match d with
  | Letter _ => False | Feature g => expression fs (g i (N w)) z
  | Head m scale qk v => (exists r, In r (map fst qk) /\ z = float_row fs fa e r i) \/
      (exists j r, In j (keys w m i) /\ In r (v :: map snd qk) /\ z = float_row fs fa e r j) \/ (exists x, 0 <= x <=
        1 /\ z = rnd fs x)
  | Net us => exists t, In t us /\ z = hidden fs fa e t i end.

End Results.

(* ---- sizes ---- *)
Section Sizes.
Variables fs fa : format.
Variable E : R -> R.
Variable ord : order.
Notation asc_parts := (asc_parts fa). Notation dot_result := (dot_result fa).
Notation row_summed := (row_summed fa). Notation scaled := (scaled fa).
Notation logit_result := (logit_result fa ord). Notation asc_weight := (asc_weight fa E).
Notation tree_of := (tree_of fa E). Notation softmax_result := (softmax_result fs fa E ord).
Notation big f := (bpow radix2 (prec f)).
Lemma among_in K L o j : among K L o -> In j L \/ o = Some j -> In j K.
Proof.
  intros [rest P] H. apply (Permutation_in _ P). destruct o; cbn; rewrite ?in_app_iff.
  destruct H as [H|[= ->]]; auto. destruct H as [H|H]; [auto|discriminate].
Qed.
Lemma among_share (g : nat -> R) K L o : (forall j, In j K -> 0 <= g j) -> among K L o -> share g L o <= sum g K.
Proof.
  intros H [rest P]. rewrite <- (sum_perm g _ _ P). assert (Q : 0 <= sum g rest).
  { apply sum_nonneg. intros j Hj. apply H, (Permutation_in _ P). destruct o; cbn; rewrite ?in_app_iff; auto. }
  unfold share. destruct o; cbn [app sum]; rewrite ?sum_app; lra.
Qed.
Lemma among_size logit v K win L o t x : tree_of logit v K win L o t x -> (size t <= length K)%nat.
Proof.
  intros (_ & _ & S & rest & P). rewrite (summed_size fa E logit v _ _ _ _ _ S), <- (Permutation_length P).
  destruct o; cbn; rewrite !app_length; cbn; lia.
Qed.
Lemma times_unit x y : 0 <= y <= 1 -> Rabs (x * y) <= Rabs x.
Proof. intros H. rewrite Rabs_mult, (Rabs_pos_eq y) by lra. rewrite <- (Rmult_1_r (Rabs x)) at 2.
  apply Rmult_le_compat_l. apply Rabs_pos. lra. Qed.
Lemma over_one x y : 1 <= y -> Rabs (x / y) <= Rabs x.
Proof.
  intros H. unfold Rdiv. apply times_unit. split. left. apply Rinv_0_lt_compat. lra. rewrite <- Rinv_1.
    apply Rinv_le_contravar; lra.
Qed.
Lemma rnd_twice f x : Rabs (rnd f x) <= 2 * Rabs x.
Proof.
  assert (H := rnd_nearest f x 0 (number_0 f)). rewrite Rminus_0_l, Rabs_Ropp in H.
  replace (rnd f x) with ((rnd f x - x) + x) by ring. eapply Rle_trans; [apply Rabs_triang|]. lra.
Qed.
Lemma expression_1 f y x : expression f y x -> Rabs y <= 1 -> Rabs x <= 1.
Proof.
  intros [(y' & _ & H & ->) _] Hy. apply abs_rnd_le. apply number_1. auto.
Qed.

(* rows: the sizes of the terms are multiples of 1/2 *)
Variable cap : nat -> R.
Definition row_size (r : row) := sum (fun t => Rabs (fst t) * cap (snd t)) r.
Definition bounded (e : env) (r : row) i := forall t, In t r -> Rabs (chan e (snd t) i) <= cap (snd t) /\ multiple
  (-1)
  (Rabs (fst t) * cap (snd t)).
Theorem row_size_ok e r i : bounded e r i -> row_size r <= bpow radix2 (prec fa - 1) ->
  (forall z, In z (row_summed e r i) -> Rabs z <= row_size r) /\ Rabs (asc fa 0 (terms fa e r i)) <= row_size r.
Proof.
  intros H Sz. set (cs := map (fun t => Rabs (fst t) * cap (snd t)) r).
  assert (T : total cs = row_size r) by (unfold total, cs, row_size; now rewrite sum_map).
  assert (P : forall t, In t r -> 0 <= Rabs (fst t) * cap (snd t)).
  { intros t Ht. apply Rmult_le_pos. apply Rabs_pos. eapply Rle_trans; [apply Rabs_pos|apply (H t Ht)]. }
  assert (Le : forall t, In t r -> Rabs (fst t) * cap (snd t) <= row_size r).
  { intros t Ht. unfold row_size. clear - Ht P. induction r as [|y l IH]; [destruct Ht|]. cbn [sum].
    assert (Q : 0 <= sum (fun t => Rabs (fst t) * cap (snd t)) l) by (apply sum_nonneg; intros; apply P; now right).
    assert (Py := P y (or_introl eq_refl)). destruct Ht as [->|Ht]. lra.
    specialize (IH (fun t Ht => P t (or_intror Ht)) Ht). lra. }
  assert (Tm : forall t, In t r -> Rabs (rnd fa (fst t * chan e (snd t) i)) <= Rabs (fst t) * cap (snd t)).
  { intros t Ht. destruct (H t Ht) as [H1 H2]. apply abs_rnd_le.
    - apply (multiple_number fa (-1)); auto. generalize (emin_neg fa) (prec_ge_2 fa); lia.
      replace (-1 + prec fa)%Z with (prec fa - 1)%Z by lia. rewrite Rabs_pos_eq by auto. specialize (Le t Ht). lra.
    - rewrite Rabs_mult. apply Rmult_le_compat_l; auto. apply Rabs_pos. }
  assert (A1 : Rabs (asc fa 0 (terms fa e r i)) <= 0 + total cs /\ forall z, In z (asc_parts 0 (terms fa e r i)) ->
    Rabs
    z <= 0 + total cs).
  { apply asc_whole.
    - unfold terms, cs. now rewrite !map_length.
    - intros c Hc. unfold cs in Hc. apply in_map_iff in Hc. destruct Hc as (t & <- & Ht). now apply H.
    - unfold terms, cs. clear - Tm. intros k. revert k. induction r as [|t l IH]; intros [|k]; cbn [map nth];
      rewrite ?Rabs_R0; try lra. apply Tm; now left. apply IH. intros; apply Tm; now right.
    - rewrite Rabs_R0; lra.
    - exists 0%Z. ring.
    - rewrite T. lra. }
  rewrite T, Rplus_0_l in A1. destruct A1 as [A1 A2]. split; auto.
  intros z Hz. unfold row_summed in Hz. apply in_app_or in Hz. destruct Hz as [Hz|Hz]; auto.
  unfold terms in Hz. apply in_map_iff in Hz. destruct Hz as (t & <- & Ht). specialize (Tm t Ht). specialize (Le t
    Ht).
  lra.
Qed.

(* one query and one key: the score is at most S, the scale at most Lam *)
Lemma dot_one q k z : dot fa 0 [(q, k)] z -> z = rnd fa (q * k).
Proof.
  intros D. inversion D as [|? ? ? ? ? D'|? ? ? ? ? D']; subst; inversion D'; subst; rewrite Rplus_0_l; auto.
  apply rnd_id, rnd_number.
Qed.
Lemma dot_result_one q k z : dot_result 0 [(q, k)] z -> z = rnd fa (q * k).
Proof.
  intros D. inversion D; subst; rewrite ?Rplus_0_l; auto; try (apply rnd_id, rnd_number);
  match goal with X : dot_result _ [] _ |- _ => inversion X end.
Qed.
Definition ulp_of x := ulp radix2 (FLT_exp (emin fa) (prec fa)) x.
Lemma ulp_mono x y : Rabs x <= y -> ulp_of x <= ulp_of y.
Proof.
  intros H. unfold ulp_of. rewrite <- (ulp_abs _ _ x). apply ulp_le_pos; [typeclasses eauto..|apply Rabs_pos|auto].
Qed.
Lemma moved_size l0 l Y : moved fa ord l0 l -> Rabs l0 <= Y -> Rabs l <= Y + ulp_of Y.
Proof.
  intros [_ H] H0. assert (U : 0 <= ulp_of Y) by apply ulp_ge_0. destruct ord. subst. lra.
  assert (X := ulp_mono l0 Y H0). unfold ulp_of in *. replace l with ((l - l0) + l0) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. lra.
Qed.
Lemma abs_rnd_mono x y : Rabs x <= y -> Rabs (rnd fa x) <= rnd fa y.
Proof. intros H. unfold rnd. rewrite <- round_NE_abs by typeclasses eauto. now apply rnd_le. Qed.
Theorem logit_sizes lam q k Lam S : number fa lam -> Rabs lam <= Lam -> number fa S -> Rabs q <= S -> Rabs (q * k) <=
  S ->
  q = 1 \/ 0 <= k <= 1 -> let Y := rnd fa (Lam * S) in
  (forall l, logit_of fa ord lam [(q, k)] l -> Rabs l <= Y + ulp_of Y) /\
  (forall z, logit_result lam [(q, k)] z -> Rabs z <= S \/ Rabs z <= Y + ulp_of Y).
Proof.
  intros Nl Hl NS Hq Hqk One Y. assert (U : 0 <= ulp_of Y) by apply ulp_ge_0.
  assert (L0 := Rabs_pos lam). assert (S0 : 0 <= S) by (eapply Rle_trans; [apply Rabs_pos|apply Hq]).
  assert (Pr : forall x, Rabs x <= S -> Rabs (rnd fa (lam * x)) <= Y).
  { intros x Hx. apply abs_rnd_mono. rewrite Rabs_mult. apply Rmult_le_compat; auto; apply Rabs_pos. }
  assert (Sc : Rabs (rnd fa (q * k)) <= S) by (now apply abs_rnd_le).
  assert (Sq : Rabs (rnd fa (rnd fa (lam * q) * k)) <= Y).
  { destruct One as [->|Hk].
    - rewrite Rmult_1_r, (rnd_id fa lam) by auto. apply Pr. now rewrite Rmult_1_l in Hqk.
    - apply abs_rnd_le. apply rnd_number. eapply Rle_trans; [now apply times_unit|]. now apply Pr. }
  assert (Lg : forall l, logit_of fa ord lam [(q, k)] l -> Rabs l <= Y + ulp_of Y).
  { intros l [s D Mv|s D Mv].
    - apply dot_one in D. subst s. apply (moved_size _ _ _ Mv). now apply Pr.
    - cbn [map fst snd] in D. apply dot_one in D. subst s. apply (moved_size _ _ _ Mv Sq). }
  split; auto. intros z [z0 D|s D|t [<-|[]]|z0 D|l D].
  - left. apply dot_result_one in D. now subst.
  - right. apply dot_one in D. subst s. specialize (Pr _ Sc). lra.
  - right. cbn [fst]. specialize (Pr q Hq). lra.
  - right. unfold scaled in D. cbn [map fst snd] in D. apply dot_result_one in D. subst. lra.
  - right. now apply Lg.
Qed.

(* ---- softmax rows ---- *)
Hypothesis HE : exp_model fa E.
Section Row.
Variables (logit v : nat -> R) (K : list nat).
Hypothesis logit_number : forall j, number fa (logit j).
Lemma asc_weight_unit top : (forall k, In k K -> logit k <= logit top) ->
  forall j, In j K -> 0 <= asc_weight logit top j <= 1 /\ number fa (asc_weight logit top j).
Proof.
  intros T2 j Hj. destruct (E_bound fa E HE (logit j) (logit top)) as (A1 & A2 & _); auto.
Qed.
Lemma asc_weight_sum top : In top K -> (forall k, In k K -> logit k <= logit top) ->
  1 <= asc fa 0 (map (asc_weight logit top) K).
Proof.
  intros T1 T2. assert (W := asc_weight_unit top T2). destruct (in_split top K T1) as (K1 & K2 & EK).
  rewrite EK, map_app. cbn [map].
  replace (asc_weight logit top top) with 1. 2:{ unfold asc_weight. rewrite Rminus_diag_eq by auto.
    rewrite (rnd_id fa 0) by apply number_0. symmetry. apply (E_0 _ _ HE). }
  apply (lemma1_ascending fa); intros y Hy; apply in_map_iff in Hy; destruct Hy as (j & <- & Hj); destruct (W j) as
    [W1 W2]; try (rewrite EK; apply in_or_app; auto; right; now right); split; auto; lra.
Qed.
Lemma big_1 : 1 <= big fa.
Proof. change 1 with (bpow radix2 0). apply bpow_le. generalize (prec_ge_2 fa); lia. Qed.
Lemma tree_big win L o t x : (Z.of_nat (length K) <= 2 ^ prec fa)%Z -> tree_of logit v K win L o t x ->
  number fa win /\ 0 <= val fa E win t <= big fa.
Proof.
  intros Len T. assert (Sz := among_size _ _ _ _ _ _ _ _ T). destruct T as ((js & J1 & J2 & ->) & Ok & S & _). split.
  apply logit_number.
  destruct (tree_in_range fa E HE (logit js) (logit_number js) t Ok ltac:(lia)) as [V0 V1]. split; auto.
  eapply Rle_trans; [apply V1|]. rewrite INR_IZR_INZ, <- pow_IZR by (generalize (prec_ge_2 fa); lia). apply IZR_le.
    lia.
Qed.
Lemma top_big : big fa <= top fa. Proof. apply top_ge. Qed.

(* Boolean values *)
Section Unit.
Hypothesis v_01 : forall j, In j K -> v j = 0 \/ v j = 1.
Hypothesis len : ord = AnyOrder -> (Z.of_nat (length K) <= 2 ^ prec fa)%Z.
Let v' j := if Req_EM_T (v j) 1 then 1 else 0.
Lemma tree_unit win L o t x : tree_of logit v K win L o t x -> 0 <= x <= val fa E win t.
Proof.
  intros ((js & J1 & J2 & ->) & Ok & S & Am). assert (S' : summed fa E logit v' (logit js) L o t x).
  { apply (summed_ext fa E logit v v' _ _ _ _ _ S). intros j Hj. unfold v'. destruct (Req_EM_T (v j) 1) as [e|e];
    auto.
    destruct (v_01 j (among_in _ _ _ _ Am Hj)); [auto|contradiction]. }
  apply (numerator_le fa E HE (logit js) (logit_number js) t x Ok). apply (summed_nums fa E HE logit v') with (L := L)
    (o := o); auto.
  intros j. unfold v'. destruct (Req_EM_T (v j) 1); auto.
Qed.
Hypothesis incl : forall x, number fs x -> number fa x.
Lemma stored_unit w j : In j K -> 0 <= w <= 1 -> 0 <= rnd fa (rnd fs w * v j) <= 1 /\ rnd fa (rnd fs w * v j) <= 2 *
  w.
Proof.
  intros Hj Hw. assert (R0 : 0 <= rnd fs w) by (apply rnd_ge; [apply number_0|lra]).
  assert (R1 : rnd fs w <= 1) by (apply rnd_le_number; [apply number_1|lra]).
  assert (R2 := rnd_twice fs w). rewrite !Rabs_pos_eq in R2 by lra.
  destruct (v_01 j Hj) as [-> | ->]. rewrite Rmult_0_r, (rnd_id fa 0) by apply number_0. lra.
  rewrite Rmult_1_r, (rnd_id fa) by apply incl, rnd_number. lra.
Qed.
Lemma asc_unit top : In top K -> (forall k, In k K -> logit k <= logit top) ->
  let num := asc fa 0 (map (fun j => rnd fa (rnd fs (asc_weight logit top j) * v j)) K) in
  let den := asc fa 0 (map (asc_weight logit top) K) in 0 <= num <= 2 * den /\ 1 <= den.
Proof.
  intros T1 T2 num den. assert (W := asc_weight_unit top T2). split; [split|].
  - apply (asc_ge fa 0); [apply number_0|]. intros y Hy. apply in_map_iff in Hy. destruct Hy as (j & <- & Hj).
    split. apply rnd_number. destruct (stored_unit _ j Hj (proj1 (W j Hj))). lra.
  - apply double_scan; auto. intros j Hj. now apply stored_unit, W. intros; now apply W. apply number_0. lra.
  - now apply asc_weight_sum.
Qed.
Lemma share_2 x y : 0 <= x <= 2 * y -> 1 <= y -> 0 <= x / y <= 2.
Proof.
  intros X Y. split. apply Rmult_le_pos. lra. left. apply Rinv_0_lt_compat; lra.
  apply Rmult_le_reg_r with y. lra. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.
Theorem unit_out x : softmax_row fs fa E ord logit v K x -> 0 <= x <= 2.
Proof.
  clear len. intros H. unfold softmax_row in H. destruct K as [|k0 K0] eqn:EK. subst. lra. rewrite <- EK in *. clear
    EK.
  assert (Q : forall a b, 0 <= a <= 2 * b -> 1 <= b -> 0 <= quotient fs fa a b <= 2).
  { intros a b Ha Hb. destruct (share_2 a b Ha Hb). unfold quotient. split.
    apply (rnd_ge fs); [apply number_0|]. apply (rnd_ge fa); [apply number_0|]. auto.
    apply (rnd_le_number fs); [apply number_two|]. apply (rnd_le_number fa); [apply number_two|]. auto. }
  destruct ord eqn:Eo.
  - destruct H as (top & T1 & T2 & ->). destruct (asc_unit top T1 T2). now apply Q.
  - destruct H as (js & L & t & nm & Pm & Top & [Okt _] & S & ->).
    assert (T : tree_of logit v K (logit js) L (Some js) t nm).
    { split. exists js. split; auto. apply (Permutation_in _ Pm). now left. split; auto. split; auto.
      exists []. now rewrite app_nil_r. }
    assert (X := tree_unit _ _ _ _ _ T).
    destruct (lemma1_any fa E HE (logit js) (logit_number js) (u_half fa) t Okt (summed_wins fa E logit v _ _ _ _ _
      S)) as [_ [D1 _]]. apply Q; lra.
Qed.
Hypothesis near_logits : forall j k, In j K -> In k K -> Rabs (logit j - logit k) <= top fa.
Theorem unit_row z : softmax_result logit v K z -> Rabs z <= top fa.
Proof.
  assert (T := top_big). assert (B1 := big_1). assert (P0 := number_0 fa).
  assert (B2 : 2 <= big fa). { change 2 with (bpow radix2 1). apply bpow_le. generalize (prec_ge_2 fa); lia. }
  intros [j k Hj Hk|y Hy|j top _ Hj T1 T2|top y _ T1 T2 Hy|top y _ T1 T2 Hy|top _ T1 T2|win L o t x Eo Tr y Hy
    |win L o t x m Eo Tr Nm Rm y Hy|win L j t x Eo Tr].
  - apply in_range_rnd. now apply near_logits.
  - rewrite Rabs_pos_eq; lra.
  - destruct (stored_unit (asc_weight logit top j) j Hj) as [X _]. now apply asc_weight_unit. rewrite Rabs_pos_eq;
    lra.
  - destruct (scan_in_range fa (map (fun j => rnd fa (rnd fs (asc_weight logit top j) * v j)) K)) with (s := 0) as
    [_ X]; auto; try lra.
    + intros w Hw. apply in_map_iff in Hw. destruct Hw as (j & <- & Hj). apply stored_unit; auto.
      now apply asc_weight_unit.
    + specialize (X y Hy). rewrite Rabs_pos_eq; lra.
  - destruct (scan_in_range fa (map (asc_weight logit top) K)) with (s := 0) as [_ X]; auto; try lra.
    + intros w Hw. apply in_map_iff in Hw. destruct Hw as (j & <- & Hj). now apply asc_weight_unit.
    + specialize (X y Hy). rewrite Rabs_pos_eq; lra.
  - destruct (asc_unit top T1 T2) as [X Y]. destruct (share_2 _ _ X Y).
    apply Rle_trans with 2; [|lra]. apply abs_rnd_le. apply number_two. rewrite Rabs_pos_eq; lra.
  - destruct (tree_big win L o t x (len Eo) Tr) as [_ X]. assert (Y := tree_unit _ _ _ _ _ Tr).
    destruct Hy as [-> | ->]; rewrite Rabs_pos_eq; lra.
  - destruct (tree_big win L o t x (len Eo) Tr) as [Nw X]. assert (Y := tree_unit _ _ _ _ _ Tr).
    destruct Tr as (_ & Ok & _). destruct (E_bound fa E HE (ref win t) m (ref_number fa win Nw t Ok) Nm Rm) as (Ee &
      _).
    apply Rle_trans with (big fa); auto. apply abs_rnd_le. apply number_pow. generalize (prec_ge_2 fa); lia.
    eapply Rle_trans; [now apply times_unit|]. destruct Hy as [-> | ->]; rewrite Rabs_pos_eq; lra.
  - assert (Y := tree_unit _ _ _ _ _ Tr). destruct (tree_big win L (Some j) t x (len Eo) Tr) as [Nw _].
    destruct Tr as (_ & Ok & S & _).
    destruct (lemma1_any fa E HE win Nw (u_half fa) t Ok (summed_wins fa E logit v win _ _ _ _ S)) as [_ [D1 _]].
    destruct (share_2 x (val fa E win t)); [lra|lra|]. apply Rle_trans with 2; [|lra]. apply abs_rnd_le.
    apply number_two. rewrite Rabs_pos_eq; lra.
Qed.
End Unit.

(* no scores: all weights are exactly 1, and every sum is exact *)
Section Count.
Hypothesis narrow : ord = AnyOrder -> 8 * tiny fa <= u fa.
Hypothesis len : (Z.of_nat (length K) <= 2 ^ prec fa)%Z.
Hypothesis logits : forall j, In j K -> moved fa ord 0 (logit j).
Hypothesis v_half : forall j, In j K -> multiple (-1) (v j).
Hypothesis v_sum : sum (fun j => Rabs (v j)) K <= bpow radix2 (prec fa - 1).
Lemma ga : (emin fa <= -1)%Z. Proof. generalize (emin_neg fa) (prec_ge_2 fa); lia. Qed.
Lemma sum_one j : In j K -> Rabs (v j) <= bpow radix2 (prec fa - 1).
Proof.
  intros Hj. eapply Rle_trans; [|apply v_sum]. clear - Hj. induction K as [|a l IH]; [destruct Hj|]. cbn [sum].
  assert (P : 0 <= sum (fun j => Rabs (v j)) l) by (apply sum_nonneg; intros; apply Rabs_pos).
  assert (Q := Rabs_pos (v a)). destruct Hj as [->|Hj]. lra. specialize (IH Hj). lra.
Qed.
Lemma ones_asc top : ord = Ascending -> In top K ->
  map (fun j => rnd fa (rnd fs (asc_weight logit top j) * v j)) K = map v K /\ forall j, In j K -> asc_weight logit
    top j
    = 1.
Proof.
  intros Eo T1. assert (Z : forall j, In j K -> logit j = 0).
  { intros j Hj. destruct (logits j Hj) as [_ X]. now rewrite Eo in X. }
  assert (W : forall j, In j K -> asc_weight logit top j = 1).
  { intros j Hj. unfold asc_weight. rewrite !Z, Rminus_0_r, (rnd_id fa 0) by (auto; apply number_0). apply (E_0 _ _
    HE). }
  split; auto. apply map_ext_in. intros j Hj. rewrite (W j Hj), (rnd_id fs 1), Rmult_1_l by apply number_1.
  apply rnd_id. apply (multiple_number fa (-1)); auto using ga. replace (-1 + prec fa)%Z with (prec fa - 1)%Z by lia.
  now apply sum_one.
Qed.
Lemma ones_any win L o t x : ord = AnyOrder -> tree_of logit v K win L o t x -> Rabs x <= bpow radix2 (prec fa - 1).
Proof.
  intros Eo Tr. assert (Sz := among_size _ _ _ _ _ _ _ _ Tr). destruct Tr as ((js & J1 & J2 & ->) & Ok & S & Am).
  assert (Lw : forall j, In j K -> low fa (logit j)) by (intros j Hj; now destruct (moved_0 fa ord _ (logits j Hj))).
  assert (Sh := among_share (fun j => Rabs (v j)) K L o (fun j _ => Rabs_pos _) Am).
  destruct (ones_tree fa E HE (narrow Eo) logit v (logit js) (-1) (logit_number js) (Lw js J1) ga L o t x Ok S) as
    (_ & _ & ->).
  - intros j Hj. apply Lw. apply (among_in _ _ _ _ Am). auto.
  - lia.
  - intros j Hj. apply v_half. now apply (among_in _ _ _ _ Am).
  - replace (-1 + prec fa)%Z with (prec fa - 1)%Z by lia. lra.
  - eapply Rle_trans; [apply share_abs|]. lra.
Qed.
Theorem count_row z : softmax_result logit v K z -> Rabs z <= top fa.
Proof.
  assert (T := top_big). assert (B1 := big_1). assert (P0 := number_0 fa).
  assert (H1 : bpow radix2 (prec fa - 1) <= top fa) by (apply top_pow; lia).
  assert (Nh : number fa (bpow radix2 (prec fa - 1))) by (apply number_pow; generalize (prec_ge_2 fa); lia).
  assert (Ps : forall y, In y (asc_parts 0 (map v K)) \/ y = asc fa 0 (map v K) -> Rabs y <= bpow radix2 (prec fa -
    1)).
  { destruct (asc_whole fa (map v K) (map (fun j => Rabs (v j)) K)) with (s := 0) (b := 0) as [X Y].
    - now rewrite !map_length.
    - intros c Hc. apply in_map_iff in Hc. destruct Hc as (j & <- & Hj). destruct (v_half j Hj) as [m Em].
      exists (Z.abs m). rewrite abs_IZR, Em, Rabs_mult, (Rabs_pos_eq (bpow radix2 (-1))); auto. apply bpow_ge_0.
    - clear. induction K as [|a l IH]; intros [|k]; cbn [map nth]; rewrite ?Rabs_R0; try lra. apply IH.
    - rewrite Rabs_R0; lra.
    - exists 0%Z; ring.
    - unfold total. rewrite sum_map. lra.
    - unfold total in X, Y. rewrite sum_map in X, Y. intros y [Hy | ->]. specialize (Y y Hy). lra. lra. }
  intros [j k Hj Hk|y Hy|j top Eo Hj T1 T2|top y Eo T1 T2 Hy|top y Eo T1 T2 Hy|top Eo T1 T2|win L o t x Eo Tr y Hy
    |win L o t x m Eo Tr Nm Rm y Hy|win L j t x Eo Tr].
  - apply in_range_rnd. destruct (moved_0 fa ord _ (logits j Hj)) as [_ X]. destruct (moved_0 fa ord _ (logits k Hk))
    as
    [_ Y]. unfold low in X, Y. assert (tiny fa <= bpow radix2 (-1)) by (apply bpow_le, ga).
    change (bpow radix2 (-1)) with (/ 2) in *. unfold in_range. eapply Rle_trans; [apply Rabs_triang|].
    rewrite Rabs_Ropp. lra.
  - rewrite Rabs_pos_eq; lra.
  - destruct (ones_asc top Eo T1) as [_ W]. rewrite (W j Hj), (rnd_id fs 1), Rmult_1_l by apply number_1.
    apply in_range_rnd. assert (X := sum_one j Hj). unfold in_range. lra.
  - destruct (ones_asc top Eo T1) as [Em _]. rewrite Em in Hy. assert (X := Ps y (or_introl Hy)). lra.
  - destruct (scan_in_range fa (map (asc_weight logit top) K)) with (s := 0) as [_ X]; auto; try lra.
    + intros w Hw. apply in_map_iff in Hw. destruct Hw as (j & <- & Hj). now apply asc_weight_unit.
    + specialize (X y Hy). rewrite Rabs_pos_eq; lra.
  - destruct (ones_asc top Eo T1) as [Em _]. rewrite Em. assert (X := Ps _ (or_intror eq_refl)).
    apply in_range_rnd. unfold in_range. eapply Rle_trans; [apply over_one; now apply asc_weight_sum|]. lra.
  - destruct (tree_big win L o t x len Tr) as [_ X]. assert (Y := ones_any _ _ _ _ _ Eo Tr).
    destruct Hy as [-> | ->]; [rewrite Rabs_pos_eq; lra|lra].
  - destruct (tree_big win L o t x len Tr) as [Nw X]. assert (Y := ones_any _ _ _ _ _ Eo Tr).
    destruct Tr as (_ & Ok & _). destruct (E_bound fa E HE (ref win t) m (ref_number fa win Nw t Ok) Nm Rm) as (Ee &
      _).
    apply in_range_rnd. unfold in_range. eapply Rle_trans; [now apply times_unit|].
    destruct Hy as [-> | ->]; [rewrite Rabs_pos_eq; lra|lra].
  - assert (Y := ones_any _ _ _ _ _ Eo Tr). destruct (tree_big win L (Some j) t x len Tr) as [Nw _].
    destruct Tr as (_ & Ok & S & _).
    destruct (lemma1_any fa E HE win Nw (u_half fa) t Ok (summed_wins fa E logit v win _ _ _ _ S)) as [_ [D1 _]].
    apply in_range_rnd. unfold in_range. eapply Rle_trans; [now apply over_one|]. lra.
Qed.
(* the mean of numbers of at most V *)
Theorem count_mean V x : number fs V -> number fa V -> (forall j, In j K -> Rabs (v j) <= V) -> 0 <= V ->
  softmax_row fs fa E ord logit v K x -> Rabs x <= V.
Proof.
  intros Ns Na Hv V0 H. destruct K as [|k0 K0] eqn:EK. { cbn in H. subst. rewrite Rabs_R0. lra. } rewrite <- EK in *.
  assert (Ne : K <> []) by (rewrite EK; discriminate).
  rewrite (count_out fs fa E HE ord narrow (-1) K logit v x) with (8 := H); auto using ga.
  2:{ replace (-1 + prec fa)%Z with (prec fa - 1)%Z by lia. exact v_sum. }
  assert (n0 : 0 < INR (length K)) by (apply lt_0_INR; rewrite EK; simpl; lia).
  assert (S : Rabs (sum v K) <= INR (length K) * V).
  { rewrite <- sum_const. clear - Hv. induction K as [|a l IH]; cbn [sum]. rewrite Rabs_R0; lra.
    eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat. apply Hv; now left. apply IH. intros; apply Hv; now
      right. }
  unfold quotient. apply abs_rnd_le; auto. apply abs_rnd_le; auto. unfold Rdiv.
  rewrite Rabs_mult, (Rabs_pos_eq (/ INR (length K))) by (left; now apply Rinv_0_lt_compat).
  apply Rmult_le_reg_r with (INR (length K)); auto. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.
End Count.
End Row.
End Sizes.
