(* doc/certificate.md, "Count": a head without scores, in both orders.
  Its logits are 0, or moved by a unit in the last place, and so all its
   weights are exactly 1, whatever the tree and its reference points. Sums are then exact, and a mean is one quotient.

   E_low       logits of at most a unit in the last place of 0 weigh exactly 1 against each other
   ones_tree   any tree of such keys: the denominator is their number, the numerator the exact sum of their values
   count_out   the output of a count head is the rounded quotient of the exact sum and the number of keys *)
From Coq Require Import ZArith Reals Lia Lra Psatz List Bool Arith Permutation.
From Flocq Require Import Core.
From Temper Require Import Rows Heads Format Sums Nearest NearestAny Rounding Exact Strings Programs FloatRun
  OnceTree.
Import ListNotations.
Local Open Scope R_scope.

Lemma sum_perm (f : nat -> R) a b : Permutation a b -> sum f a = sum f b.
Proof. induction 1; simpl; lra. Qed.
Lemma number_tiny f : number f (tiny f).
Proof.
  apply (number_mult f _ 1 (emin f)). unfold tiny. ring. simpl. assert (2 ^ 1 <= 2 ^ prec f)%Z by (apply
    Z.pow_le_mono_r; generalize (prec_ge_2 f); lia). lia. lia.
Qed.
Lemma number_nat f n : (Z.of_nat n <= 2 ^ prec f)%Z -> number f (INR n).
Proof. intros H. rewrite INR_IZR_INZ. apply number_int. lia. Qed.

Section Ones.
Variable f : format.
Notation rnd := (rnd f). Notation number := (number f). Notation u := (u f). Notation tiny := (tiny f).
Variable E : R -> R.
Hypothesis HE : exp_model f E.
Definition low x := Rabs x <= tiny.
Hypothesis narrow : 8 * tiny <= u.                         (* true of every type: 2^(emin+3) <= 2^-prec *)

Lemma E_low x y : number x -> number y -> low x -> low y -> x <= y -> E (rnd (x - y)) = 1.
Proof.
  intros Nx Ny Lx Ly H. apply (E_near _ _ HE). apply rnd_number. unfold low in *. apply Rabs_le_inv in Lx, Ly.
  destruct (diff f x y Nx Ny H) as (D & _). split; auto.
  apply Rle_trans with (- (2 * tiny)). lra.
  apply rnd_ge. apply number_opp, number_double, number_tiny. lra.
Qed.

Variables (logit v : nat -> R) (win : R) (e : Z).
Hypothesis win_number : number win.
Hypothesis win_low : low win.
Hypothesis grid : (emin f <= e)%Z.
Notation absv := (fun j => Rabs (v j)).

Lemma share_abs L o : Rabs (share v L o) <= share absv L o.
Proof.
  unfold share. assert (X : Rabs (sum v L) <= sum absv L).
  { induction L; simpl. rewrite Rabs_R0; lra. eapply Rle_trans; [apply Rabs_triang|]. lra. }
  eapply Rle_trans; [apply Rabs_triang|]. destruct o; rewrite ?Rabs_R0; lra.
Qed.
Lemma share_abs_pos L o : 0 <= share absv L o.
Proof. eapply Rle_trans; [apply Rabs_pos|apply share_abs]. Qed.
Lemma share_multiple L o : (forall j, In j L \/ o = Some j -> multiple e (v j)) -> multiple e (share v L o).
Proof.
  intros H. unfold share. apply multiple_add.
  - induction L; simpl. exists 0%Z. ring. apply multiple_add. apply H. left; now left. apply IHL. intros j [Hj|Hj];
    apply H; simpl; auto.
  - destruct o. apply H; auto. exists 0%Z. ring.
Qed.
Lemma share_number L o : (forall j, In j L \/ o = Some j -> multiple e (v j)) -> share absv L o <= bpow radix2 (e +
  prec f) -> number (share v L o).
Proof. intros H1 H2. apply (multiple_number f e); auto. now apply share_multiple.
  eapply Rle_trans; [apply share_abs|auto].
  Qed.
Lemma low_between x y z : low x -> low z -> x <= y <= z -> low y.
Proof. unfold low. intros A B C. apply Rabs_le_inv in A, B. apply Rabs_le. lra. Qed.

Theorem ones_tree L o t x : ok f win t -> summed f E logit v win L o t x -> (forall j, In j L -> low (logit j)) ->
  (Z.of_nat (size t) <= 2 ^ prec f)%Z -> (forall j, In j L \/ o = Some j -> multiple e (v j)) ->
  share absv L o <= bpow radix2 (e + prec f) ->
  low (ref win t) /\ val f E win t = INR (size t) /\ x = share v L o.
Proof.
  intros H S. assert (Sapp : forall (w : nat -> R) a b, sum w (a ++ b) = sum w a + sum w b) by (intros w a b;
    induction a;
    simpl; lra).
  assert (Sa : forall (w : nat -> R) La Lb o, share w (La ++ Lb) o = share w La o + share w Lb None) by (intros;
    unfold
    share; rewrite Sapp; lra).
  assert (Sb : forall (w : nat -> R) La Lb o, share w (La ++ Lb) o = share w La None + share w Lb o) by (intros;
    unfold
    share; rewrite Sapp; lra).
  assert (One : forall t m y, ok f win t -> number m -> ref win t <= m -> m <= win -> low (ref win t) -> y * E (rnd
    (ref
    win t - m)) = y).
  { intros t0 m y H0 Hm Hr Hw Lr. rewrite E_low; auto. ring. now apply (ref_number f win win_number).
    apply (low_between (ref win t0) m win); auto. }
  induction S; intros Lg Sz Mv Ab; cbn [ok] in H; cbn [ref val size] in *.
  - destruct H as (Nl & Nm & Hm). assert (Lj := Lg j (or_introl eq_refl)).
    assert (Lm : low m) by (apply (low_between (logit j) m win); auto).
    split; auto. rewrite E_low by (auto; lra). split. reflexivity. unfold share in *. cbn [sum] in *.
      rewrite Rmult_1_l, !Rplus_0_r in *.
    rewrite rnd_id. auto. apply (multiple_number f e); auto. apply Mv. left; now left.
  - split; auto. split; auto. unfold share. cbn [sum]. ring.
  - destruct H as (Ha & Hb & Hm & Ra & Rb & Rw). rewrite Sa in *.
    assert (P1 := share_abs_pos La o). assert (P2 := share_abs_pos Lb None).
    destruct (IHS1 Ha) as (A1 & A2 & A3). intros; apply Lg, in_or_app; auto. lia. intros k [Hk|Hk]; apply Mv; auto.
      left. apply in_or_app; auto. lra.
    destruct (IHS2 Hb) as (B1 & B2 & B3). intros; apply Lg, in_or_app; auto. lia. intros k [Hk|Hk]; [|discriminate].
      apply Mv;
      auto. left. apply in_or_app; auto. lra.
    rewrite !One by auto. split. apply (low_between (ref win a) m win); auto. rewrite A2, B2, A3, B3.
    assert (Na : number (share v La o)). { apply share_number. intros k [Hk|Hk]; apply Mv; auto. left.
      apply in_or_app; auto.
      lra. }
    assert (Nb : number (share v Lb None)). { apply share_number. intros k [Hk|Hk]; [|discriminate]. apply Mv; auto.
      left.
      apply in_or_app; auto. lra. }
    rewrite plus_INR, !(rnd_id f (INR _)) by (apply number_nat; lia).
      rewrite (rnd_id f (share v La o)), (rnd_id f (share v Lb
      None)) by auto.
    split. rewrite <- plus_INR. apply rnd_id, number_nat. lia.
    rewrite <- (Sa v). apply rnd_id. apply share_number; auto. rewrite Sa. lra.
  - destruct H as (Ha & Hb & Hm & Ra & Rb & Rw). rewrite Sb in *.
    assert (P1 := share_abs_pos La None). assert (P2 := share_abs_pos Lb o).
    destruct (IHS1 Ha) as (A1 & A2 & A3). intros; apply Lg, in_or_app; auto. lia. intros k [Hk|Hk]; [|discriminate].
      apply Mv; auto.
      left. apply in_or_app; auto. lra.
    destruct (IHS2 Hb) as (B1 & B2 & B3). intros; apply Lg, in_or_app; auto. lia. intros k [Hk|Hk]; apply Mv;
      auto. left. apply in_or_app; auto. lra.
    rewrite !One by auto. split. apply (low_between (ref win a) m win); auto. rewrite A2, B2, A3, B3.
    assert (Na : number (share v La None)). { apply share_number. intros k [Hk|Hk]; [|discriminate]. apply Mv; auto.
      left. apply
      in_or_app; auto. lra. }
    assert (Nb : number (share v Lb o)). { apply share_number. intros k [Hk|Hk]; apply Mv; auto. left.
      apply in_or_app; auto. lra. }
    rewrite plus_INR, !(rnd_id f (INR _)) by (apply number_nat; lia).
      rewrite (rnd_id f (share v La None)), (rnd_id f (share v Lb
      o)) by auto.
    split. rewrite <- plus_INR. apply rnd_id, number_nat. lia.
    rewrite <- (Sb v). apply rnd_id. apply share_number; auto. rewrite Sb. lra.
  - destruct H as (Ha & Hm & Ra). assert (Es : forall w : nat -> R, share w (j :: L) o = share w L o + w j) by
    (intros; unfold
      share; cbn [sum]; lra). rewrite Es in *. assert (P1 := Rabs_pos (v j)).
    destruct (IHS Ha) as (A1 & A2 & A3). intros; apply Lg; now right. lia. intros k [Hk|Hk]; apply Mv; auto.
      left; now right. lra.
    assert (Lj := Lg j (or_introl eq_refl)). rewrite !One by (auto; lra). split; auto. rewrite A2, A3, S_INR.
    split. rewrite <- S_INR. apply rnd_id, number_nat. lia.
    rewrite <- (Es v). apply rnd_id. apply share_number; auto. rewrite Es. lra.
  - assert (Es : forall w : nat -> R, share w L (Some j) = share w L None + w j) by (intros; unfold
      share; lra). rewrite Es in *. assert (P1 := Rabs_pos (v j)).
    destruct (IHS H) as (A1 & A2 & A3). intros; now apply Lg. lia. intros k [Hk|Hk]; [|discriminate].
      apply Mv; auto. lra.
    rewrite !One by (auto; try lra; now apply (ref_le f)). split; auto. rewrite A2, A3, S_INR.
    split. rewrite <- S_INR. apply rnd_id, number_nat. lia.
    rewrite <- (Es v). apply rnd_id. apply share_number; auto. rewrite Es. lra.
Qed.
End Ones.

Section Count.
Variables fs fa : format.
Variable E : R -> R.
Hypothesis HE : exp_model fa E.
Variable ord : order.
Hypothesis narrow : ord = AnyOrder -> 8 * tiny fa <= u fa.

Lemma moved_0 l : moved fa ord 0 l -> number fa l /\ low fa l.
Proof.
  clear narrow. intros [N H]. split; auto. unfold low. destruct ord. rewrite H, Rabs_R0. left; apply tiny_pos.
  rewrite Rminus_0_r in H. rewrite ulp_FLT_0 in H by apply prec_pos. exact H.
Qed.
Theorem count_out e K logit v x : K <> [] -> (emin fa <= e)%Z -> (Z.of_nat (length K) <= 2 ^ prec fa)%Z ->
  (forall j, number fa (logit j)) -> (forall j, In j K -> moved fa ord 0 (logit j)) ->
  (forall j, In j K -> multiple e (v j)) -> sum (fun j => Rabs (v j)) K <= bpow radix2 (e + prec fa) ->
  softmax_row fs fa E ord logit v K x -> x = quotient fs fa (sum v K) (INR (length K)).
Proof.
  intros Ne He Len Nl Lg Mv Ab SR. unfold softmax_row in SR. destruct K as [|k0 K0] eqn:EK; [contradiction|].
  rewrite <- EK in *. clear EK Ne. destruct ord eqn:Eo.
  - destruct SR as (top & T1 & T2 & ->). cbv zeta.
    assert (Z : forall j, In j K -> logit j = 0) by (intros j Hj; now destruct (Lg j Hj)).
    assert (W : forall j, In j K -> E (rnd fa (logit j - logit top)) = 1).
    { intros j Hj. rewrite !Z, Rminus_0_r by auto. rewrite (rnd_id fa 0) by apply number_0. apply (E_0 _ _ HE). }
    f_equal.
    + rewrite (map_ext_in _ v). 2:{ intros j Hj. rewrite (W j Hj), (rnd_id fs 1), Rmult_1_l by apply number_1.
      apply rnd_id.
        apply (multiple_number fa e); auto. eapply Rle_trans; [|apply Ab]. clear - Hj.
        induction K; simpl. destruct Hj. assert (P : 0 <= sum (fun j => Rabs (v j)) K) by (apply sum_nonneg; intros;
          apply Rabs_pos).
        assert (Q := Rabs_pos (v a)). destruct Hj as [->|Hj]. lra. specialize (IHK Hj). lra. }
      rewrite (asc_exact fa e); auto. rewrite Rplus_0_l. unfold total. rewrite sum_map. reflexivity. exists 0%Z; ring.
      intros y Hy. apply in_map_iff in Hy. destruct Hy as (j & <- & Hj). auto. rewrite Rabs_R0, Rplus_0_l, sum_map.
        auto.
    + rewrite (map_ext_in _ (fun _ => 1)) by auto. rewrite (asc_exact fa 0); auto.
      * rewrite Rplus_0_l. unfold total. rewrite sum_map, sum_const. ring.
      * generalize (emin_neg fa) (prec_ge_2 fa); lia.
      * exists 0%Z. rewrite Rmult_0_l. auto.
      * intros y Hy. apply in_map_iff in Hy. destruct Hy as (j & <- & Hj). exists 1%Z.
        change (bpow radix2 0) with 1. lra.
      * rewrite Rabs_R0, sum_map, Rabs_R1, sum_const, Z.add_0_l.
        rewrite <- pow_IZR by (generalize (prec_ge_2 fa); lia).
        apply IZR_le in Len. rewrite <- INR_IZR_INZ in Len. lra.
  - destruct SR as (js & L & t & num & P & T2 & [Ok _] & S & ->).
    assert (Ij : In js K) by (apply (Permutation_in _ P); now left).
    assert (Lw : forall j, In j K -> low fa (logit j)).
    { intros j Hj. destruct (Lg j Hj) as [_ X]. rewrite Rminus_0_r, ulp_FLT_0 in X by apply prec_pos. exact X. }
    assert (Sz := summed_size fa E logit v _ _ _ _ _ S). cbn in Sz. assert (Lk := Permutation_length P). cbn in Lk.
    assert (Sh : forall w : nat -> R, share w L (Some js) = sum w K) by (intros w; rewrite <- (sum_perm w _ _ P);
      unfold share; cbn
      [sum]; lra).
    destruct (ones_tree fa E HE (narrow eq_refl) logit v (logit js) e (Nl js) (Lw js Ij) He L (Some js) t num Ok S)
      as (_ & A & B).
    + intros j Hj. apply Lw. apply (Permutation_in _ P). now right.
    + lia.
    + intros j [Hj|Hj]. apply Mv, (Permutation_in _ P). now right. injection Hj as <-. auto.
    + rewrite Sh. auto.
    + rewrite A, B, Sh. do 2 f_equal. lia.
Qed.
End Count.
