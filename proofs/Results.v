(* doc/certificate.md, "Operations that are covered": every number that an operation of a run may give, and how large
  it can be.
   Rounding in Format.v has no largest number. A machine's run is that of the model if every result of an operation
     is at most `top` in
   size. float_run is a relation, so its operations may be done in several ways; these predicates hold of the results
     of all of them.

   summed_result, stored_result   what an operation of one channel may give, in the format of sums and in that of
     storage
   row_ok, logit_result_size, softmax_size   how large they can be.
     The bounds are coarse: |rnd x| <= 2 |x|, |rnd (a + b)| <= |a| + 2 |b| *)
From Coq Require Import ZArith Reals Lia Lra Psatz List Bool Arith Permutation.
From Flocq Require Import Core.
From Temper Require Import Rows Heads Format Sums Nearest NearestAny Rounding Range Strings Programs FloatRun
  OnceTree.
Import ListNotations.
Local Open Scope R_scope.

Section Results.
Context {A : Type}.
Variable tail : bool.
Variables fs fa : format.
Variable E : R -> R.
Variable ord : order.
Notation N := (N tail). Notation keys := (keys tail).

(* the partial sums of an ascending sum *)
Fixpoint asc_parts (s : R) ws : list R := match ws with [] => [] | x :: r => rnd fa (s + x) :: asc_parts (rnd fa (s +
  x)) r end.
Definition row_summed (e : env) r i : list R := terms fa e r i ++ asc_parts 0 (terms fa e r i).
(* products and sums of a score, fused or not *)
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
  | sr_tree win L o t x : ord = AnyOrder -> number fa win -> ok fa win t -> summed fa E logit v win L o t x -> (size
    t <= length K)%nat ->
      (forall j, In j L \/ o = Some j -> In j K) -> forall z, z = val fa E win t \/ z = x -> softmax_result logit v K
        z
  | sr_rescaled win L o t x m : ord = AnyOrder -> number fa win -> ok fa win t -> summed fa E logit v win L o t x ->
    (size t <= length K)%nat ->
      (forall j, In j L \/ o = Some j -> In j K) -> number fa m -> ref win t <= m -> forall y, y = val fa E win t \/
        y = x ->
      softmax_result logit v K (rnd fa (y * E (rnd fa (ref win t - m))))
  | sr_share win L j t x : ord = AnyOrder -> number fa win -> ok fa win t -> summed fa E logit v win L (Some j) t x
    -> (size t <= length K)%nat ->
      (forall k, In k L \/ Some j = Some k -> In k K) -> softmax_result logit v K (rnd fa (x / val fa E win t)).

Definition summed_result (w : list A) (e : env) (d : def A) i z : Prop := match d with
  | Letter _ => False | Feature _ => False
  | Head m scale qk v => exists lam, expression fa (scale (N w)) lam /\ (z = lam \/
      (exists r, In r (map fst qk) /\ In z (row_summed e r i)) \/
      (exists j r, In j (keys w m i) /\ In r (v :: map snd qk) /\ In z (row_summed e r j)) \/
      (exists j, In j (keys w m i) /\ logit_result lam (pairs fs fa e qk i j) z) \/
      (exists logit, (forall j, number fa (logit j)) /\ (forall j, In j (keys w m i) -> logit_of fa ord lam (pairs fs
        fa e qk i j) (logit j)) /\
         softmax_result logit (fun j => float_row fs fa e v j) (keys w m i) z))
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

(* ---- sizes ---- *)
Lemma rnd_twice f x : Rabs (rnd f x) <= 2 * Rabs x.
Proof.
  assert (H := rnd_nearest f x 0 (number_0 f)). rewrite Rminus_0_l, Rabs_Ropp in H.
  replace (rnd f x) with ((rnd f x - x) + x) by ring. eapply Rle_trans; [apply Rabs_triang|]. lra.
Qed.
Lemma add_size f a b : number f a -> Rabs (rnd f (a + b)) <= Rabs a + 2 * Rabs b.
Proof.
  intros Na. assert (H := add_error_r f a b Na). replace (rnd f (a + b)) with ((rnd f (a + b) - (a + b)) + (a + b))
    by ring.
  eapply Rle_trans; [apply Rabs_triang|]. assert (T := Rabs_triang a b). lra.
Qed.
Lemma asc_size ws : forall s, number fa s -> Rabs (asc fa s ws) <= Rabs s + 2 * sum Rabs ws /\ (forall z, In z
  (asc_parts s ws) -> Rabs z <= Rabs s + 2 * sum Rabs ws).
Proof.
  induction ws as [|x r IH]; intros s Ns; cbn [asc asc_parts sum]. split. lra. intros z [].
  assert (A1 := add_size fa s x Ns). destruct (IH (rnd fa (s + x)) (rnd_number fa _)) as [B1 B2].
  assert (P : 0 <= sum Rabs r) by (apply sum_nonneg; intros; apply Rabs_pos). split. lra.
  intros z [<-|Hz]. lra. specialize (B2 z Hz). lra.
Qed.
Lemma sum_In {B} (g : B -> R) l x : (forall y, In y l -> 0 <= g y) -> In x l -> g x <= sum g l.
Proof.
  induction l as [|y l IH]; intros H Hx; [destruct Hx|]. cbn [sum].
    assert (P : 0 <= sum g l) by (apply sum_nonneg; intros; apply H; now right).
  destruct Hx as [->|Hx]. lra. assert (0 <= g y) by (apply H; now left).
    assert (g x <= sum g l) by (apply IH; auto; intros; apply H; now right). lra.
Qed.

Variable cap : nat -> R.
Definition row_size (r : row) := sum (fun t => Rabs (fst t) * cap (snd t)) r.
Definition reads_row (r : row) c := exists t, In t r /\ snd t = c.
Definition bounded (e : env) (r : row) i := forall t, In t r -> Rabs (chan e (snd t) i) <= cap (snd t).
Lemma row_ok e r i : bounded e r i -> (forall z, In z (row_summed e r i) -> Rabs z <= 4 * row_size r) /\ Rabs (asc fa
  0 (terms fa e r i)) <= 4 * row_size r /\
  Rabs (float_row fs fa e r i) <= 8 * row_size r /\ 0 <= row_size r.
Proof.
  intros H. assert (T : sum Rabs (terms fa e r i) <= 2 * row_size r /\ forall z, In z (terms fa e r i) -> Rabs z <= 2
    * row_size r).
  { unfold terms, row_size. split.
    - rewrite sum_map, <- sum_scal. apply sum_le. intros t Ht. eapply Rle_trans; [apply rnd_twice|].
      rewrite Rabs_mult. apply Rmult_le_compat_l. lra.
      apply Rmult_le_compat_l. apply Rabs_pos. now apply H.
    - intros z Hz. apply in_map_iff in Hz. destruct Hz as (t & <- & Ht). eapply Rle_trans; [apply rnd_twice|].
      rewrite Rabs_mult. apply Rmult_le_compat_l. lra.
      eapply Rle_trans; [|apply (sum_In (fun t => Rabs (fst t) * cap (snd t)) r t); auto]. apply Rmult_le_compat_l.
        apply Rabs_pos. now apply H.
      intros y Hy. apply Rmult_le_pos. apply Rabs_pos. eapply Rle_trans; [apply Rabs_pos|apply (H y Hy)]. }
  assert (P : 0 <= row_size r). { unfold row_size. apply sum_nonneg. intros t Ht. apply Rmult_le_pos.
    apply Rabs_pos. eapply Rle_trans; [apply Rabs_pos|apply (H t Ht)]. }
  destruct T as [T1 T2]. destruct (asc_size (terms fa e r i) 0 (number_0 fa)) as [A1 A2]. rewrite Rabs_R0 in A1, A2.
  assert (A3 : Rabs (asc fa 0 (terms fa e r i)) <= 4 * row_size r) by lra. repeat split; auto.
  - intros z Hz. unfold row_summed in Hz. apply in_app_or in Hz. destruct Hz as [Hz|Hz]. specialize (T2 z Hz). lra.
    specialize (A2 z Hz). lra.
  - unfold float_row. eapply Rle_trans; [apply rnd_twice|]. lra.
Qed.

(* scores *)
Lemma dot_size (l : list (R * R)) z : forall s, number fa s -> dot_result s l z -> Rabs z <= Rabs s + 4 * sum (fun t
  => Rabs (fst t) * Rabs (snd t)) l.
Proof.
  induction l as [|[x y] l IH]; intros s Ns H; [inversion H|]. cbn [sum fst snd].
  assert (Pp : Rabs (rnd fa (x * y)) <= 2 * (Rabs x * Rabs y)) by (rewrite <- Rabs_mult; apply rnd_twice).
  assert (Q1 := add_size fa s (rnd fa (x * y)) Ns). assert (Q2 := add_size fa s (x * y) Ns). rewrite Rabs_mult in Q2.
  assert (P0 : 0 <= Rabs x * Rabs y) by (apply Rmult_le_pos; apply Rabs_pos). assert (Ps := Rabs_pos s).
  assert (Pl : 0 <= sum (fun t : R * R => Rabs (fst t) * Rabs (snd t)) l) by (apply sum_nonneg; intros; apply
    Rmult_le_pos; apply Rabs_pos).
  inversion H; subst; try lra; clear H.
  - match goal with D : dot_result _ _ _ |- _ => assert (X := IH _ (rnd_number fa _) D) end. lra.
  - match goal with D : dot_result _ _ _ |- _ => assert (X := IH _ (rnd_number fa _) D) end. lra.
Qed.
Lemma dot_value (l : list (R * R)) z s : number fa s -> dot fa s l z -> Rabs z <= Rabs s + 4 * sum (fun t => Rabs
  (fst t) * Rabs (snd t)) l /\ number fa z.
Proof.
  intros Ns H. induction H as [s|s x y l z H IH|s x y l z H IH]; cbn [sum fst snd].
  - split; auto. lra.
  - destruct (IH (rnd_number fa _)) as [X Nz]. assert (Pp : Rabs (rnd fa (x * y)) <= 2 * (Rabs x * Rabs y)) by
    (rewrite <- Rabs_mult; apply rnd_twice).
    assert (Q1 := add_size fa s (rnd fa (x * y)) Ns). split; auto. lra.
  - destruct (IH (rnd_number fa _)) as [X Nz]. assert (Q2 := add_size fa s (x * y) Ns). rewrite Rabs_mult in Q2.
    assert (P0 : 0 <= Rabs x * Rabs y) by (apply Rmult_le_pos; apply Rabs_pos). split; auto. lra.
Qed.
Lemma moved_size l0 l : number fa l0 -> moved fa ord l0 l -> Rabs l <= 2 * Rabs l0 + 1.
Proof.
  intros N0 [Nl H]. assert (P := Rabs_pos l0). destruct ord; [rewrite H; lra|].
  assert (U : ulp radix2 (FLT_exp (emin fa) (prec fa)) l0 <= Rabs l0 + 1).
  { destruct (Req_dec l0 0) as [->|Nz].
    - rewrite ulp_FLT_0 by apply prec_pos. rewrite Rabs_R0. assert (bpow radix2 (emin fa) <= bpow radix2 0) by (apply
      bpow_le; generalize (emin_neg fa) (prec_ge_2 fa); lia). simpl in *. lra.
    - assert (X := ulp_le_abs radix2 (FLT_exp (emin fa) (prec fa)) l0 Nz N0). lra. }
  replace l with ((l - l0) + l0) by ring. eapply Rle_trans; [apply Rabs_triang|]. lra.
Qed.
Definition products (qk : list (R * R)) := sum (fun t => Rabs (fst t) * Rabs (snd t)) qk.
Lemma products_pos qk : 0 <= products qk.
Proof. apply sum_nonneg; intros; apply Rmult_le_pos; apply Rabs_pos. Qed.
Lemma products_scaled lam qk : products (scaled lam qk) <= 2 * Rabs lam * products qk.
Proof.
  unfold products, scaled. rewrite sum_map, <- sum_scal. apply sum_le. intros t _. cbn [fst snd].
    assert (X := rnd_twice fa (lam * fst t)). rewrite Rabs_mult in X.
  assert (P := Rabs_pos (snd t)). replace (2 * Rabs lam * (Rabs (fst t) * Rabs (snd t))) with (2 * (Rabs lam * Rabs
    (fst t)) * Rabs (snd t)) by ring. now apply Rmult_le_compat_r.
Qed.
Lemma logit_size lam qk l : logit_of fa ord lam qk l -> Rabs l <= 16 * Rabs lam * products qk + 1.
Proof.
  intros H. assert (Pq := products_pos qk). assert (Pl := Rabs_pos lam).
    assert (PP : 0 <= Rabs lam * products qk) by now apply Rmult_le_pos. inversion H; subst.
  - destruct (dot_value qk s 0 (number_0 fa) H0) as [X _]. fold (products qk) in X. rewrite Rabs_R0 in X.
    assert (Y := rnd_twice fa (lam * s)). rewrite Rabs_mult in Y.
    assert (Z := moved_size _ _ (rnd_number fa _) H1). assert (Rabs lam * Rabs s <= Rabs lam * (4 * products qk)) by
      (apply Rmult_le_compat_l; lra). lra.
  - destruct (dot_value _ s 0 (number_0 fa) H0) as [X Ns]. fold (scaled lam qk) in X.
    fold (products (scaled lam qk)) in X. rewrite Rabs_R0 in X.
    assert (Z := moved_size _ _ Ns H1). assert (Y := products_scaled lam qk). lra.
Qed.
Lemma logit_result_size lam qk z : logit_result lam qk z -> Rabs z <= 16 * Rabs lam * products qk + 1 \/ Rabs z <= 4
  * products qk \/ exists t, In t qk /\ Rabs z <= 2 * Rabs lam * Rabs (fst t).
Proof.
  intros H. assert (Pq := products_pos qk). assert (Pl := Rabs_pos lam).
    assert (PP : 0 <= Rabs lam * products qk) by now apply Rmult_le_pos. destruct H as [z H|s H|t H|z H|l H].
  - right; left. assert (X := dot_size qk z 0 (number_0 fa) H). rewrite Rabs_R0 in X. unfold products. lra.
  - left. destruct (dot_value qk s 0 (number_0 fa) H) as [X _]. fold (products qk) in X. rewrite Rabs_R0 in X.
    assert (Y := rnd_twice fa (lam * s)). rewrite Rabs_mult in Y.
    assert (Rabs lam * Rabs s <= Rabs lam * (4 * products qk)) by (apply Rmult_le_compat_l; lra). lra.
  - right; right. exists t. split; auto. assert (Y := rnd_twice fa (lam * fst t)). rewrite Rabs_mult in Y. lra.
  - left. assert (X := dot_size (scaled lam qk) z 0 (number_0 fa) H). fold (products (scaled lam qk)) in X.
    rewrite Rabs_R0 in X. assert (Y := products_scaled lam qk). lra.
  - left. now apply logit_size.
Qed.

(* ---- softmax rows ---- *)
Hypothesis HE : exp_model fa E.
Variable M : nat.
Hypothesis size_M : (Z.of_nat M <= 2 ^ prec fa)%Z.
Lemma tiny_le_u : tiny fa <= u fa.
Proof. rewrite u_bpow. unfold tiny. apply bpow_le. apply emin_neg. Qed.
Lemma grow_3 k : (k <= M)%nat -> 1 <= (1 + u fa) ^ k <= 3.
Proof.
  intros Hk. assert (U := u_pos fa). split. apply pow_R1_Rle; lra.
  assert (X : (1 + u fa) ^ k <= exp (INR k * u fa)).
  { clear Hk. induction k as [|k IH]. simpl. rewrite Rmult_0_l, exp_0. lra. rewrite S_INR.
    replace ((INR k + 1) * u fa) with (u fa + INR k * u fa) by ring.
    rewrite exp_plus. cbn [pow]. apply Rmult_le_compat; auto. lra. apply pow_le; lra. apply exp_ineq1_le. }
  assert (Y : INR k * u fa <= 1).
  { assert (H : INR k <= bpow radix2 (prec fa)). { rewrite INR_IZR_INZ, <- pow_IZR by (generalize (prec_ge_2 fa);
    lia). apply IZR_le. lia. }
    apply Rle_trans with (bpow radix2 (prec fa) * u fa). apply Rmult_le_compat_r; lra.
      rewrite u_bpow, <- bpow_plus, Z.add_opp_diag_r. simpl. lra. }
  assert (Z : exp (INR k * u fa) <= exp 1) by now apply exp_mono. assert (T := exp_le_3). lra.
Qed.

Section Row.
Variables (logit v : nat -> R) (K : list nat) (V Lam : R).
Hypothesis logit_number : forall j, number fa (logit j).
Hypothesis logit_le : forall j, In j K -> Rabs (logit j) <= Lam.
Hypothesis len : (length K <= M)%nat.
Hypothesis V1 : 1 <= V.
Hypothesis v_le : forall j, In j K -> Rabs (v j) <= V.

Lemma rnd_rel_u x : Rabs (rnd fa x) <= (1 + u fa) * Rabs x + / 2 * u fa.
Proof.
  assert (H := rnd_error fa x). assert (T := tiny_le_u). replace (rnd fa x) with ((rnd fa x - x) + x) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. lra.
Qed.
Lemma times_unit x y : 0 <= y <= 1 -> Rabs (x * y) <= Rabs x.
Proof. intros H. rewrite Rabs_mult, (Rabs_pos_eq y) by lra. rewrite <- (Rmult_1_r (Rabs x)) at 2.
  apply Rmult_le_compat_l. apply Rabs_pos. lra. Qed.
Lemma tree_size win L o t x : number fa win -> ok fa win t -> summed fa E logit v win L o t x -> (forall j, In j L \/
  o = Some j -> In j K) ->
  Rabs x <= (1 + u fa) ^ (2 * size t) * ((2 * INR (size t) - 1) * V).
Proof.
  intros Nw H S. assert (U := u_pos fa). assert (Uh := u_le_half fa).
  assert (Sz : forall t, (1 <= size t)%nat) by (intros t0; apply INR_le; simpl; apply size_pos).
  assert (JOIN : forall na nb xa xb ea eb, (1 <= na)%nat -> (1 <= nb)%nat -> 0 <= ea <= 1 -> 0 <= eb <= 1 ->
    Rabs xa <= (1 + u fa) ^ (2 * na) * ((2 * INR na - 1) * V) -> Rabs xb <= (1 + u fa) ^ (2 * nb) * ((2 * INR nb - 1)
      * V) ->
    Rabs (rnd fa (rnd fa (xa * ea) + rnd fa (xb * eb))) <= (1 + u fa) ^ (2 * (na + nb)) * ((2 * INR (na + nb) - 1) *
      V)).
  { intros na nb xa xb ea eb Ha Hb Ea Eb A1 B1. assert (R1 := add_relative fa _ _ (rnd_number fa (xa * ea))
    (rnd_number fa (xb * eb))).
    assert (Qa := rnd_rel_u (xa * ea)). assert (Qb := rnd_rel_u (xb * eb)). assert (Ta := times_unit xa ea Ea).
      assert (Tb := times_unit xb eb Eb).
    set (ya := rnd fa (xa * ea)) in *. set (yb := rnd fa (xb * eb)) in *.
    assert (Z : Rabs (rnd fa (ya + yb)) <= (1 + u fa) * (Rabs ya + Rabs yb)).
    { replace (rnd fa (ya + yb)) with ((rnd fa (ya + yb) - (ya + yb)) + (ya + yb)) by ring.
      eapply Rle_trans; [apply Rabs_triang|].
      assert (T := Rabs_triang ya yb). assert (u fa * Rabs (ya + yb) <= u fa * (Rabs ya + Rabs yb)) by (apply
        Rmult_le_compat_l; lra). lra. }
    rewrite plus_INR. assert (na1 : 1 <= INR na) by (change 1 with (INR 1); apply le_INR; lia).
      assert (nb1 : 1 <= INR nb) by (change 1 with (INR 1); apply le_INR; lia).
    set (G := (1 + u fa) ^ (2 * (na + nb))). assert (G1 : 1 <= G) by (apply pow_R1_Rle; lra).
    assert (Ga : (1 + u fa) * ((1 + u fa) * (1 + u fa) ^ (2 * na)) <= G) by (change ((1 + u fa) ^ Datatypes.S
      (Datatypes.S (2 * na)) <= G); apply Rle_pow; [lra|lia]).
    assert (Gb : (1 + u fa) * ((1 + u fa) * (1 + u fa) ^ (2 * nb)) <= G) by (change ((1 + u fa) ^ Datatypes.S
      (Datatypes.S (2 * nb)) <= G); apply Rle_pow; [lra|lia]).
    assert (Pa : 0 <= (2 * INR na - 1) * V) by (apply Rmult_le_pos; lra).
      assert (Pb : 0 <= (2 * INR nb - 1) * V) by (apply Rmult_le_pos; lra).
    assert (Ia : (1 + u fa) * ((1 + u fa) * Rabs xa) <= G * ((2 * INR na - 1) * V)).
    { apply Rle_trans with ((1 + u fa) * ((1 + u fa) * (1 + u fa) ^ (2 * na)) * ((2 * INR na - 1) * V)); [|now apply
      Rmult_le_compat_r].
      rewrite !Rmult_assoc. apply Rmult_le_compat_l. lra. apply Rmult_le_compat_l. lra. lra. }
    assert (Ib : (1 + u fa) * ((1 + u fa) * Rabs xb) <= G * ((2 * INR nb - 1) * V)).
    { apply Rle_trans with ((1 + u fa) * ((1 + u fa) * (1 + u fa) ^ (2 * nb)) * ((2 * INR nb - 1) * V)); [|now apply
      Rmult_le_compat_r].
      rewrite !Rmult_assoc. apply Rmult_le_compat_l. lra. apply Rmult_le_compat_l. lra. lra. }
    assert (Ya : (1 + u fa) * Rabs ya <= (1 + u fa) * ((1 + u fa) * Rabs xa) + (1 + u fa) * (/ 2 * u fa)).
    { rewrite <- Rmult_plus_distr_l. apply Rmult_le_compat_l. lra.
      assert ((1 + u fa) * Rabs (xa * ea) <= (1 + u fa) * Rabs xa) by (apply Rmult_le_compat_l; lra). lra. }
    assert (Yb : (1 + u fa) * Rabs yb <= (1 + u fa) * ((1 + u fa) * Rabs xb) + (1 + u fa) * (/ 2 * u fa)).
    { rewrite <- Rmult_plus_distr_l. apply Rmult_le_compat_l. lra.
      assert ((1 + u fa) * Rabs (xb * eb) <= (1 + u fa) * Rabs xb) by (apply Rmult_le_compat_l; lra). lra. }
    assert (uu : (1 + u fa) * u fa <= 1) by (apply Rle_trans with ((1 + / 4) * / 4); [apply Rmult_le_compat;
      lra|lra]). assert (GV : 1 <= G * V) by (apply Rle_trans with (1 * 1); [lra|apply Rmult_le_compat; lra]). lra. }
  assert (TOP : forall na x e y, (1 <= na)%nat -> 0 <= e <= 1 -> Rabs y <= V -> Rabs x <= (1 + u fa) ^ (2 * na) * ((2
    * INR na - 1) * V) ->
    Rabs (rnd fa (x * e + y)) <= (1 + u fa) ^ (2 * Datatypes.S na) * ((2 * INR (Datatypes.S na) - 1) * V)).
  { intros na x0 e y Ha Ee Hy Hx. assert (Q := rnd_rel_u (x0 * e + y)). assert (T := Rabs_triang (x0 * e) y).
    assert (Tu := times_unit x0 e Ee).
    rewrite S_INR. assert (na1 : 1 <= INR na) by (change 1 with (INR 1); apply le_INR; lia).
    set (G := (1 + u fa) ^ (2 * Datatypes.S na)). assert (Ga : (1 + u fa) * (1 + u fa) ^ (2 * na) <= G) by (change
      ((1 + u fa) ^ Datatypes.S (2 * na) <= G); apply Rle_pow; [lra|lia]).
    assert (G2 : (1 + u fa) * (1 + u fa) <= G) by (replace ((1 + u fa) * (1 + u fa)) with ((1 + u fa) ^ 2) by ring;
      apply Rle_pow; [lra|lia]).
    assert (Pa : 0 <= (2 * INR na - 1) * V) by (apply Rmult_le_pos; lra).
    assert (Ia : (1 + u fa) * Rabs x0 <= G * ((2 * INR na - 1) * V)).
    { apply Rle_trans with ((1 + u fa) * (1 + u fa) ^ (2 * na) * ((2 * INR na - 1) * V)); [|now apply
      Rmult_le_compat_r]. rewrite Rmult_assoc. apply Rmult_le_compat_l; lra. }
    assert (Iy : (1 + u fa) * Rabs y + / 2 * u fa <= G * V).
    { apply Rle_trans with ((1 + u fa) * (1 + u fa) * V); [|apply Rmult_le_compat_r; lra].
      assert ((1 + u fa) * Rabs y <= (1 + u fa) * V) by (apply Rmult_le_compat_l; lra).
      assert (u fa * 1 <= u fa * V) by (apply Rmult_le_compat_l; lra).
        assert (0 <= u fa * u fa * V) by (apply Rmult_le_pos; [apply Rmult_le_pos; lra|lra]). lra. }
    assert (GV : 0 <= G * V) by (apply Rmult_le_pos; [assert (0 <= (1 + u fa) * (1 + u fa)) by (apply Rmult_le_pos;
      lra); lra|lra]).
    assert ((1 + u fa) * Rabs (x0 * e + y) <= (1 + u fa) * (Rabs x0 + Rabs y)) by (apply Rmult_le_compat_l; lra).
      lra. }
  assert (One : forall y, Rabs y <= V -> Rabs (rnd fa y) <= (1 + u fa) ^ (2 * 1) * ((2 * INR 1 - 1) * V) /\ Rabs y <=
    (1 + u fa) ^ (2 * 1) * ((2 * INR 1 - 1) * V)).
  { intros y Hy. assert (Q := rnd_rel_u y). simpl INR. change (2 * 1)%nat with 2%nat.
    replace ((1 + u fa) ^ 2) with (1 + 2 * u fa + u fa * u fa) by ring.
    assert ((1 + u fa) * Rabs y <= (1 + u fa) * V) by (apply Rmult_le_compat_l; lra).
      assert (u fa * 1 <= u fa * V) by (apply Rmult_le_compat_l; lra).
    assert (0 <= u fa * u fa * V) by (apply Rmult_le_pos; [apply Rmult_le_pos; lra|lra]). split; lra. }
  induction S; intros KL; cbn [ok] in H; cbn [size].
  - destruct H as (Nl & Nm & [H1 H2]). destruct (E_bound fa E HE (logit j) m Nl Nm H1) as (Ee & _).
    refine (proj1 (One _ _)). rewrite Rmult_comm.
    eapply Rle_trans; [apply times_unit; exact Ee|]. apply v_le, KL. left; now left.
  - refine (proj2 (One _ _)). apply v_le, KL. now right.
  - destruct H as (Ha & Hb & Hm & Ra & Rb & Rw). apply JOIN; auto.
    apply (E_bound fa E HE); auto. now apply ref_number. apply (E_bound fa E HE); auto. now apply ref_number.
    apply IHS1; auto. intros k [Hk|Hk]; apply KL; [left; apply in_or_app|right]; auto. apply IHS2; auto.
      intros k [Hk|Hk]; [|discriminate]. apply KL. left. apply in_or_app; auto.
  - destruct H as (Ha & Hb & Hm & Ra & Rb & Rw). apply JOIN; auto.
    apply (E_bound fa E HE); auto. now apply ref_number. apply (E_bound fa E HE); auto. now apply ref_number.
    apply IHS1; auto. intros k [Hk|Hk]; [|discriminate]. apply KL. left. apply in_or_app; auto. apply IHS2; auto.
      intros k [Hk|Hk]; apply KL; [left; apply in_or_app|right]; auto.
  - destruct H as (Ha & Hm & Ra & Rl). apply TOP; [apply Sz|apply (E_bound fa E HE); auto; [now apply
    ref_number|lra]|apply v_le, KL; left; now left|].
    apply IHS; auto. intros k [Hk|Hk]; apply KL; auto. left; now right.
  - apply TOP; [apply Sz|apply (E_bound fa E HE); auto; [now apply ref_number|now apply (ref_le fa)]|apply v_le, KL;
    now right|].
    apply IHS; auto. intros k [Hk|Hk]; [|discriminate]. apply KL. auto.
Qed.
Lemma tree_18 win L o t x : number fa win -> ok fa win t -> summed fa E logit v win L o t x -> (size t <= length
  K)%nat -> (forall j, In j L \/ o = Some j -> In j K) ->
  Rabs x <= 18 * INR M * V /\ 0 <= val fa E win t <= 18 * INR M * V.
Proof.
  intros Nw H S Sz KL. assert (B := tree_size win L o t x Nw H S KL). assert (C := val_count fa E HE win Nw t H).
    destruct (val_basic fa E HE win Nw t H) as [_ V0].
  destruct (grow_3 (size t) ltac:(lia)) as [G1 G3]. assert (s1 := size_pos t).
    assert (sM : INR (size t) <= INR M) by (apply le_INR; lia).
  replace (2 * size t)%nat with (size t + size t)%nat in B by lia. rewrite pow_add in B. unfold g in C.
    set (a := (1 + u fa) ^ size t) in *.
  assert (aa : a * a <= 9) by nra. assert (P : 0 <= (2 * INR (size t) - 1) * V) by (apply Rmult_le_pos; lra).
  assert (Q : (2 * INR (size t) - 1) * V <= 2 * INR M * V) by (apply Rmult_le_compat_r; lra).
  assert (MV : INR M * 1 <= INR M * V) by (apply Rmult_le_compat_l; lra).
  split. apply Rle_trans with (9 * ((2 * INR (size t) - 1) * V)). eapply Rle_trans; [apply B|].
    apply Rmult_le_compat_r; auto. lra.
  split; auto. apply Rle_trans with (3 * INR M); [|lra]. eapply Rle_trans; [apply C|]. apply Rmult_le_compat; lra.
Qed.
(* ascending *)
Lemma asc_facts top : In top K -> (forall k, In k K -> logit k <= logit top) ->
  (forall j, In j K -> 0 <= asc_weight logit top j <= 1 /\ number fa (asc_weight logit top j)) /\
  (forall j, In j K -> Rabs (rnd fa (rnd fs (asc_weight logit top j) * v j)) <= 2 * V) /\
  1 <= asc fa 0 (map (asc_weight logit top) K) /\ sum Rabs (map (asc_weight logit top) K) <= INR M /\
  sum Rabs (map (fun j => rnd fa (rnd fs (asc_weight logit top j) * v j)) K) <= INR M * (2 * V).
Proof.
  intros T1 T2. assert (KM : INR (length K) <= INR M) by now apply le_INR.
  assert (W : forall j, In j K -> 0 <= asc_weight logit top j <= 1 /\ number fa (asc_weight logit top j)).
  { intros j Hj. destruct (E_bound fa E HE (logit j) (logit top)) as (A1 & A2 & _); auto. }
  assert (Pr : forall j, In j K -> Rabs (rnd fa (rnd fs (asc_weight logit top j) * v j)) <= 2 * V).
  { intros j Hj. eapply Rle_trans; [apply rnd_twice|]. apply Rmult_le_compat_l. lra. rewrite Rmult_comm.
    destruct (W j Hj) as [W1 _].
    eapply Rle_trans; [apply times_unit|now apply v_le]. split. apply rnd_ge; [apply number_0|lra].
      apply rnd_le_number; [apply number_1|lra]. }
  split; [exact W|]. split; [exact Pr|]. split; [|split].
  - destruct (in_split top K T1) as (K1 & K2 & EK). rewrite EK, map_app. cbn [map].
    replace (asc_weight logit top top) with 1. 2:{ unfold asc_weight. rewrite Rminus_diag_eq by auto.
      rewrite (rnd_id fa 0) by apply number_0. symmetry. apply (E_0 _ _ HE). }
    apply (lemma1_ascending fa); intros y Hy; apply in_map_iff in Hy; destruct Hy as (j & <- & Hj); destruct (W j) as
      [W1 W2]; try (rewrite EK; apply in_or_app; auto; right; now right); split; auto; lra.
  - rewrite sum_map. eapply Rle_trans; [|apply KM]. rewrite <- (Rmult_1_r (INR (length K))), <- sum_const.
    apply sum_le. intros j Hj. destruct (W j Hj). rewrite Rabs_pos_eq; lra.
  - rewrite sum_map. apply Rle_trans with (INR (length K) * (2 * V)). rewrite <- sum_const. apply sum_le. exact Pr.
    apply Rmult_le_compat_r; lra.
Qed.
Lemma over_one x y : 1 <= y -> Rabs (x / y) <= Rabs x.
Proof.
  intros H. unfold Rdiv. apply times_unit. split. left. apply Rinv_0_lt_compat. lra. rewrite <- Rinv_1.
    apply Rinv_le_contravar; lra.
Qed.
Theorem softmax_size z : (1 <= M)%nat -> softmax_result logit v K z -> Rabs z <= 4 * Lam \/ Rabs z <= 36 * INR M * V.
Proof.
  intros Ne H. assert (M1 : 1 <= INR M) by (change 1 with (INR 1); now apply le_INR).
  assert (MV : 1 <= INR M * V) by (apply Rle_trans with (1 * 1); [lra|apply Rmult_le_compat; lra]).
    assert (MV1 : V <= INR M * V) by (rewrite <- (Rmult_1_l V) at 1; apply Rmult_le_compat_r; lra).
  destruct H as [j k Hj Hk|z Hz|j top _ Hj T1 T2|top z _ T1 T2 Hz|top z _ T1 T2 Hz|top _ T1 T2|win L o t x _ Nw Hok S
    Sz KL z Hz|win L o t x m _ Nw Hok S Sz KL Nm Rm y Hy|win L j t x _ Nw Hok S Sz KL].
  - left. eapply Rle_trans; [apply rnd_twice|]. assert (T := Rabs_triang (logit j) (- logit k)).
    rewrite Rabs_Ropp in T. assert (A1 := logit_le j Hj). assert (A2 := logit_le k Hk).
    unfold Rminus. lra.
  - right. rewrite Rabs_pos_eq by lra. lra.
  - right. destruct (asc_facts top T1 T2) as (_ & P & _). specialize (P j Hj). lra.
  - right. destruct (asc_facts top T1 T2) as (_ & _ & _ & _ & P).
    destruct (asc_size (map (fun j => rnd fa (rnd fs (asc_weight logit top j) * v j)) K) 0 (number_0 fa)) as [_ A2].
    specialize (A2 z Hz). rewrite Rabs_R0 in A2. lra.
  - right. destruct (asc_facts top T1 T2) as (_ & _ & _ & P & _).
    destruct (asc_size (map (asc_weight logit top) K) 0 (number_0 fa)) as [_ A2].
    specialize (A2 z Hz). rewrite Rabs_R0 in A2. assert (INR M <= INR M * V) by (rewrite <- (Rmult_1_r (INR M)) at 1;
      apply Rmult_le_compat_l; lra). lra.
  - right. destruct (asc_facts top T1 T2) as (_ & _ & D & _ & P).
    destruct (asc_size (map (fun j => rnd fa (rnd fs (asc_weight logit top j) * v j)) K) 0 (number_0 fa)) as [A1 _].
    rewrite Rabs_R0 in A1. eapply Rle_trans; [apply rnd_twice|].
      assert (O := over_one (asc fa 0 (map (fun j => rnd fa (rnd fs (asc_weight logit top j) * v j)) K)) _ D). lra.
  - right. destruct (tree_18 win L o t x Nw Hok S Sz KL) as [A1 A2]. destruct Hz as [-> | ->].
    rewrite Rabs_pos_eq; lra. lra.
  - right. destruct (tree_18 win L o t x Nw Hok S Sz KL) as [A1 A2].
    destruct (E_bound fa E HE (ref win t) m (ref_number fa win Nw t Hok) Nm Rm) as (Ee & _).
    eapply Rle_trans; [apply rnd_twice|]. assert (O := times_unit y _ Ee).
      assert (Rabs y <= 18 * INR M * V) by (destruct Hy as [-> | ->]; [rewrite Rabs_pos_eq; lra|lra]). lra.
  - right. destruct (tree_18 win L (Some j) t x Nw Hok S Sz KL) as [A1 A2].
    destruct (lemma1_any fa E HE win Nw (u_half fa) t Hok (summed_wins fa E logit v win _ _ _ _ S)) as [_ [D1 _]].
    eapply Rle_trans; [apply rnd_twice|]. assert (O := over_one x _ D1). lra.
Qed.
Theorem softmax_out x : softmax_row fs fa E ord logit v K x -> Rabs x <= 72 * INR M * V.
Proof.
  unfold softmax_row. destruct K as [|k0 K0] eqn:EK. intros ->. rewrite Rabs_R0.
    assert (0 <= INR M) by apply pos_INR. apply Rmult_le_pos; lra. rewrite <- EK in *.
  assert (Ne : K <> []) by congruence. intros H.
  assert (M1 : 1 <= INR M) by (change 1 with (INR 1); apply le_INR; destruct K; [congruence|simpl in len; lia]).
  assert (MV : 1 <= INR M * V) by (apply Rle_trans with (1 * 1); [lra|apply Rmult_le_compat; lra]).
  destruct ord eqn:Eo.
  - destruct H as (top & T1 & T2 & ->). cbv zeta. unfold quotient. eapply Rle_trans; [apply rnd_twice|].
    destruct (asc_facts top T1 T2) as (_ & _ & D & _ & P). unfold asc_weight in D, P.
      destruct (asc_size (map (fun j => rnd fa (rnd fs (E (rnd fa (logit j - logit top))) * v j)) K) 0 (number_0 fa))
      as [A1 _].
    rewrite Rabs_R0 in A1. set (nm := asc fa 0 (map (fun j => rnd fa (rnd fs (E (rnd fa (logit j - logit top))) * v
      j)) K)) in *. set (dn := asc fa 0 (map (fun j => E (rnd fa (logit j - logit top))) K)) in *.
    assert (Z := rnd_twice fa (nm / dn)). assert (O := over_one nm dn D). lra.
  - destruct H as (js & L & t & nm & Pm & Top & [Okt _] & S & ->). unfold quotient.
    eapply Rle_trans; [apply rnd_twice|].
    assert (Sz : (size t <= length K)%nat) by (rewrite (summed_size fa E logit v _ _ _ _ _ S), <- (Permutation_length
      Pm); simpl; lia).
    assert (KL : forall j, In j L \/ Some js = Some j -> In j K) by (intros j [Hj|[= <-]]; apply (Permutation_in _
      Pm); [now right|now left]).
    destruct (tree_18 (logit js) L (Some js) t nm (logit_number js) Okt S Sz KL) as [A1 A2].
    destruct (lemma1_any fa E HE (logit js) (logit_number js) (u_half fa) t Okt (summed_wins fa E logit v _ _ _ _ _
      S)) as [_ [D1 _]].
    assert (Z := rnd_twice fa (nm / val fa E (logit js) t)). assert (O := over_one nm _ D1). lra.
Qed.
End Row.
End Results.
