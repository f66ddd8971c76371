(* Counts: what sums of counts mean, that sums which are the same at every point are so at every position, and that a
   head without scores gives the mean of what it counts.

   same_sum_ok   two sums with equal tables have equal values
   sum_name_ok   the name of a sum holds where the sum is at least 0
   mean_row      a row of such a head: the exact sum of its values over the number of keys
   sum_of_keys   that sum is twice the value of its formula, and 1 for the sentinel *)
From Coq Require Import ZArith Reals Lia Lra Psatz List Bool Arith.
From Flocq Require Import Core.
From Temper Require Import Rows Format Sums Nearest Exact Strings Programs Compile Temporal Counting FloatRun CountHead
  SoundCompare.
From Temper.checker Require Import Model Checker Points Exactness.
Import ListNotations.

(* ---- sums as formulas ---- *)
Section Sums.
Variables (w : list nat) (letters : nat).
Hypothesis in_alphabet : forall i a, at_ w i = Some a -> (a < letters)%nat.
Local Open Scope Z_scope.
Definition amount (f : fml) (i : nat) : Z := value w (lin_of (den f)) i.
Fixpoint added (d : dir) (f : fml) (j : nat) : Z := match f with
  | FPlus k e a r => (if same d e && sat w (den a) j then k else 0) + added d r j | _ => 0 end.
Definition zsum (g : nat -> Z) (l : list nat) : Z := fold_right (fun j z => g j + z) 0 l.
Lemma zsum_plus g h l : zsum (fun j => g j + h j) l = zsum g l + zsum h l.
Proof. unfold zsum. induction l; cbn [fold_right]; lia. Qed.
Lemma zsum_same g h l : (forall j, In j l -> g j = h j) -> zsum g l = zsum h l.
Proof.
  unfold zsum. induction l as [|a l IH]; cbn [fold_right]; intros H; auto. rewrite (H a), IH; auto using in_eq, in_cons.
Qed.
Lemma zsum_count k (p : nat -> bool) l : zsum (fun j => if p j then k else 0) l = k * Z.of_nat (length (filter p l)).
Proof.
  unfold zsum. induction l as [|a l IH]; cbn [fold_right filter]. cbn; lia. rewrite IH.
  destruct (p a); cbn [length]; lia.
Qed.
Lemma zsum_scale q g l : zsum (fun j => q * g j) l = q * zsum g l.
Proof. unfold zsum. induction l; cbn [fold_right]; lia. Qed.
Lemma zsum_zero l : zsum (fun _ => 0) l = 0. Proof. unfold zsum. induction l; cbn [fold_right]; lia. Qed.
Lemma amount_is f i : amount f i = base f + zsum (added Past f) (seen w Past i) + zsum (added Future f) (seen w Future i).
Proof.
  unfold amount. induction f; try (cbn [den lin_of value base]; cbn [added]; rewrite !zsum_zero; lia).
  change (lin_of (den (FPlus k d f1 f2))) with (Plus k d (den f1) (lin_of (den f2))). rewrite value_plus, IHf2.
  cbn [base]. cbn [added]. rewrite !zsum_plus.
  destruct d; cbn [same andb]; rewrite zsum_zero, (zsum_count k (fun j => sat w (den f1) j)); lia.
Qed.
Lemma sat_sum f i : is_sum f = true -> sat w (den f) i = letter w i && (0 <=? amount f i).
Proof. destruct f; try discriminate; intros _; reflexivity. Qed.
Lemma seen_letter d i j : In j (seen w d i) -> exists a, at_ w j = Some a /\ (a < letters)%nat.
Proof.
  intros H. apply in_seen in H. destruct H as [L _]. unfold letter in L. destruct (at_ w j) as [a|] eqn:A;
    [|discriminate]. eauto.
Qed.
Lemma adds_ok d a v j f : at_ w j = Some a -> true_at w j v -> forall z, adds d a v f = Some z -> added d f j = z.
Proof.
  intros A T. induction f; cbn [adds added]; intros z H; try discriminate; [now injection H|].
  destruct (bev a v f1) as [b|] eqn:B; [|discriminate]. destruct (adds d a v f2) as [x|]; [|discriminate].
  injection H as <-. now rewrite (IHf2 x eq_refl), (bev_ok w j a v f1 A T b B).
Qed.
Theorem same_sum_ok f g : same_sum letters f g = true -> is_sum f = true /\ is_sum g = true /\
  forall i, amount f i = amount g i.
Proof.
  unfold same_sum. cbv zeta. intros H. apply andb_prop in H. destruct H as [H H4]. apply andb_prop in H.
  destruct H as [H H3]. apply andb_prop in H. destruct H as [H1 H2]. apply Z.eqb_eq in H3. apply andb_prop in H4.
  destruct H4 as [_ H4]. rewrite forallb_forall in H4. split; auto. split; auto. intros i. rewrite !amount_is, H3.
  assert (E : forall d e, In e (seen w d i) -> added Past f e = added Past g e /\ added Future f e = added Future g e).
  { intros d j Hj. destruct (seen_letter d i j Hj) as (a & A & La).
    destruct (points_ok w letters (counted f ++ counted g) j a A La) as (v & I1 & P). specialize (H4 _ I1).
    cbn [same_adds] in H4. destruct P as [_ T].
    destruct (adds Past a v f) as [x|] eqn:X; [|discriminate]. destruct (adds Past a v g) as [y|] eqn:Y; [|discriminate].
    destruct (adds Future a v f) as [z|] eqn:Z; [|discriminate]. destruct (adds Future a v g) as [t|] eqn:T'; [|discriminate].
    apply andb_prop in H4. destruct H4 as [E1 E2]. apply Z.eqb_eq in E1, E2.
    rewrite (adds_ok _ a v j f A T _ X), (adds_ok _ a v j g A T _ Y), (adds_ok _ a v j f A T _ Z),
      (adds_ok _ a v j g A T _ T'). auto. }
  f_equal; [f_equal|]; apply zsum_same; intros j Hj; now apply (E _ _ Hj).
Qed.
Lemma adds_all_ok q f : adds_all letters q f = true -> forall d i j, In j (seen w d i) -> q (added d f j) = true.
Proof.
  unfold adds_all. intros H d i j Hj. apply andb_prop in H. destruct H as [_ H]. rewrite forallb_forall in H.
  destruct (seen_letter d i j Hj) as (a & A & La). destruct (points_ok w letters (counted f) j a A La) as (v & I1 & P).
  specialize (H _ I1). cbn beta iota in H. destruct P as [_ T].
  destruct (adds Past a v f) as [x|] eqn:X; [|discriminate]. destruct (adds Future a v f) as [y|] eqn:Y; [|discriminate].
  apply andb_prop in H. destruct H as [E1 E2]. destruct d.
  now rewrite (adds_ok _ a v j f A T _ X). now rewrite (adds_ok _ a v j f A T _ Y).
Qed.
Lemma zsum_nonneg g l : (forall j, In j l -> 0 <= g j) -> 0 <= zsum g l.
Proof. induction l as [|a l IH]; cbn; intros H. lia. assert (H1 := H a (or_introl eq_refl)).
  assert (0 <= zsum g l) by (apply IH; auto). unfold zsum in *. lia. Qed.
Lemma zsum_nonpos g l : (forall j, In j l -> g j <= 0) -> zsum g l <= 0.
Proof. induction l as [|a l IH]; cbn; intros H. lia. assert (H1 := H a (or_introl eq_refl)).
  assert (zsum g l <= 0) by (apply IH; auto). unfold zsum in *. lia. Qed.
Lemma opposite_is f : is_sum f = true -> is_sum (opposite f) = true /\ base (opposite f) = - base f - 1 /\
  forall d j, added d (opposite f) j = - added d f j.
Proof.
  induction f; try discriminate; cbn [is_sum opposite base]; intros H.
  - repeat split; auto.
  - destruct (IHf2 H) as (A & B & C). repeat split; auto. intros e j. cbn [added]. rewrite C.
    destruct (same e d && sat w (den f1) j); lia.
Qed.
Lemma amount_opposite f i : is_sum f = true -> amount (opposite f) i = -1 - amount f i.
Proof.
  intros H. destruct (opposite_is f H) as (_ & B & C). rewrite !amount_is, B.
  assert (E : forall d l, zsum (added d (opposite f)) l = - zsum (added d f) l).
  { intros d l. rewrite (zsum_same _ (fun j => -1 * added d f j)) by (intros; rewrite C; lia). rewrite zsum_scale. lia. }
  rewrite !E. lia.
Qed.
Lemma divided_is q f : 0 < q -> (q | shared f) -> is_sum (divided q f) = is_sum f /\ base (divided q f) = (if is_sum f
  then base f / q else base (divided q f)) /\ forall d j, added d f j = q * added d (divided q f) j.
Proof.
  intros Q. induction f; cbn [shared divided is_sum]; intros D; try (repeat split; auto; intros; cbn [added]; lia).
  destruct IHf2 as (A & B & C). { eapply Z.divide_trans; [apply D|apply Z.gcd_divide_r]. }
  split; auto. split. { cbn [base]. destruct (is_sum f2); auto. }
  intros e j. cbn [added]. rewrite C.
  assert (Dk : (q | k)) by (eapply Z.divide_trans; [apply D|apply Z.gcd_divide_l]). destruct Dk as [c ->].
  rewrite Z.div_mul by lia. destruct (same e d && sat w (den f1) j); ring.
Qed.
Lemma reduced_ok f : is_sum f = true -> is_sum (reduced f) = true /\ forall i, (0 <=? amount (reduced f) i) = (0 <=? amount f i).
Proof.
  intros H. unfold reduced. destruct (Z.ltb_spec 1 (shared f)) as [L|L]; auto. set (q := shared f) in *.
  destruct (divided_is q f ltac:(lia) (Z.divide_refl _)) as (A & B & C). rewrite H in A, B. split; auto. intros i.
  rewrite !amount_is, B.
  assert (E : forall d l, zsum (added d f) l = q * zsum (added d (divided q f)) l).
  { intros d l. rewrite <- zsum_scale. apply zsum_same. intros; apply C. }
  rewrite !E. set (x := zsum _ _). set (y := zsum _ _).
  replace (base f + q * x + q * y) with (base f + (x + y) * q) by ring.
  replace (base f / q + x + y) with ((base f + (x + y) * q) / q) by (rewrite Z.div_add by lia; lia).
  apply eq_true_iff_eq. rewrite !Z.leb_le. split; intros G.
  - assert (q * ((base f + (x + y) * q) / q) <= base f + (x + y) * q) by (apply Z.mul_div_le; lia). nia.
  - apply Z.div_pos; lia.
Qed.
Theorem sum_name_ok cands f : is_sum f = true -> forall i, sat w (den (sum_name letters cands f)) i = sat w (den f) i.
Proof.
  intros H i. unfold sum_name. cbv zeta. destruct (reduced_ok f H) as [G R]. set (g := reduced f) in *.
  assert (S : sat w (den f) i = sat w (den g) i) by (now rewrite !sat_sum, R).
  rewrite S. clear S. destruct (_ && _) eqn:C1.
  { apply andb_prop in C1. destruct C1 as [B A]. apply Z.leb_le in B. rewrite (sat_sum g) by auto.
    assert (P : (0 <=? amount g i) = true).
    { apply Z.leb_le. rewrite amount_is. assert (X := adds_all_ok _ _ A).
      assert (0 <= zsum (added Past g) (seen w Past i)) by (apply zsum_nonneg; intros j Hj; apply Zle_bool_imp_le; exact (X Past i j Hj)).
      assert (0 <= zsum (added Future g) (seen w Future i)) by (apply zsum_nonneg; intros j Hj; apply Zle_bool_imp_le; exact (X Future i j Hj)).
      lia. }
    rewrite P. cbn [den sat]. unfold letter. now destruct (at_ w i). }
  clear C1. destruct (_ && _) eqn:C2.
  { apply andb_prop in C2. destruct C2 as [B A]. apply Z.ltb_lt in B. rewrite (sat_sum g) by auto.
    assert (P : (0 <=? amount g i) = false).
    { apply Z.leb_gt. rewrite amount_is. assert (X := adds_all_ok _ _ A).
      assert (zsum (added Past g) (seen w Past i) <= 0) by (apply zsum_nonpos; intros j Hj; specialize (X Past i j Hj);
        apply Z.geb_le in X; lia).
      assert (zsum (added Future g) (seen w Future i) <= 0) by (apply zsum_nonpos; intros j Hj; specialize (X Future i j Hj);
        apply Z.geb_le in X; lia).
      lia. }
    rewrite P. cbn [FF den sat]. unfold letter. now destruct (at_ w i). }
  destruct (find (same_sum letters g) cands) as [h|] eqn:F1.
  { apply find_some in F1. destruct F1 as [_ F1]. destruct (same_sum_ok _ _ F1) as (_ & Hh & E). now rewrite !sat_sum, E. }
  destruct (find (same_sum letters (opposite g)) cands) as [h|] eqn:F2; auto.
  apply find_some in F2. destruct F2 as [_ F2]. destruct (same_sum_ok _ _ F2) as (_ & Hh & E).
  cbn [den sat]. rewrite !sat_sum by auto. rewrite <- E, amount_opposite by auto. destruct (letter w i); auto. cbn [andb].
  apply eq_true_iff_eq. rewrite negb_true_iff, Z.leb_gt, Z.leb_le. lia.
Qed.
(* terms that are alike *)
Lemma alike_sat f g : alike letters f g = true -> forall j, sat w (den f) j = sat w (den g) j.
Proof.
  intros H j. destruct (at_ w j) as [a|] eqn:A. now apply (alike_ok w letters f g j a), (in_alphabet j).
  assert (L : letter w j = false) by (unfold letter; now rewrite A).
  destruct (sat w (den f) j) eqn:X. apply sat_letter in X; congruence.
  destruct (sat w (den g) j) eqn:Y; auto. apply sat_letter in Y; congruence.
Qed.
Definition number_of d a i := Z.of_nat (length (filter (fun j => sat w (den a) j) (seen w d i))).
Lemma amount_plus k d a s i : amount (FPlus k d a s) i = k * number_of d a i + amount s i.
Proof. unfold amount. change (lin_of (den (FPlus k d a s))) with (Plus k d (den a) (lin_of (den s))). apply value_plus. Qed.
Lemma number_alike d a b i : alike letters a b = true -> number_of d a i = number_of d b i.
Proof. intros H. unfold number_of. do 2 f_equal. apply filter_ext. now apply alike_sat. Qed.
Lemma insert_ok k d a s i : is_sum s = true -> is_sum (insert letters k d a s) = true /\
  amount (insert letters k d a s) i = k * number_of d a i + amount s i.
Proof.
  intros H. induction s; try discriminate; cbn [insert].
  - split; [reflexivity|apply amount_plus].
  - cbn [is_sum] in H. destruct (IHs2 H) as [A B]. destruct (same d d0 && alike letters a s1) eqn:C.
    + apply andb_prop in C. destruct C as [C1 C2]. apply same_ok in C1. subst d0. rewrite amount_plus.
      rewrite <- (number_alike d a s1 i C2). destruct (Z.eqb_spec (k + k0) 0) as [E|E].
      * split; auto. replace k with (- k0) by lia. ring.
      * split; auto. rewrite amount_plus, <- (number_alike d a s1 i C2). ring.
    + split; auto. rewrite !amount_plus, B. ring.
Qed.
Lemma merged_ok s i : is_sum s = true -> is_sum (merged letters s) = true /\ amount (merged letters s) i = amount s i.
Proof.
  intros H. induction s; try discriminate; cbn [merged]; auto. cbn [is_sum] in H. destruct (IHs2 H) as [A B].
  rewrite amount_plus. destruct ((k =? 0) || alike letters s1 FF) eqn:C.
  - split; auto. rewrite B. apply orb_prop in C. destruct C as [C|C].
    + apply Z.eqb_eq in C. subst k. ring.
    + rewrite (number_alike d s1 FF i C). unfold number_of. rewrite (filter_ext _ (fun _ => false)) by apply sat_FF.
      assert (E : forall l : list nat, filter (fun _ => false) l = []) by (induction l; auto). rewrite E. cbn. ring.
  - destruct (insert_ok k d s1 (merged letters s2) i A) as [A' B']. split; auto. now rewrite B', B.
Qed.
(* enough if it stands once *)
Lemma any_added d b s : forall f, any d b s = Some f -> is_sum s = true /\ b < 0 /\ (forall e j, e <> d -> added e s j = 0) /\
  forall j, letter w j = true -> (sat w (den f) j = true -> 0 <= b + added d s j) /\
    (sat w (den f) j = false -> added d s j = 0) /\ 0 <= added d s j.
Proof.
  induction s; intros f H; try discriminate; cbn [any] in H.
  - destruct (Z.ltb_spec b 0) as [Neg|]; [|discriminate]. injection H as <-. split; [reflexivity|]. split; [exact Neg|].
    split; [reflexivity|]. intros j L. rewrite sat_FF. cbn [added]. repeat split; try discriminate; lia.
  - destruct (same d d0) eqn:D; [|discriminate]. apply same_ok in D. subst d0.
    destruct (Z.leb_spec 0 (b + k)); [|discriminate]. cbn [andb] in H.
    destruct (any d b s2) as [g|]; [|discriminate]. injection H as <-. destruct (IHs2 g eq_refl) as (A & Neg & B & C).
    split; auto. split; auto. assert (Sd : same d d = true) by (now destruct d). split.
    + intros e j Ne. cbn [added]. rewrite B by auto. destruct e, d; try congruence; reflexivity.
    + intros j L. destruct (C j L) as (C1 & C2 & C3). cbn [added]. rewrite Sd. cbn [andb].
      assert (O : sat w (den (FOr s1 g)) j = sat w (den s1) j || sat w (den g) j).
      { cbn [FOr den sat]. rewrite L. cbn [andb]. now destruct (sat w (den s1) j), (sat w (den g) j). }
      rewrite O. destruct (sat w (den s1) j); cbn [orb]; repeat split; try discriminate; try (intros; lia); intros X.
      * specialize (C1 X). lia.
      * now rewrite C2.
Qed.
Theorem any_ok d s f i : any d (base s) s = Some f -> sat w (den s) i = sat w (den (FOnce d f)) i.
Proof.
  intros H. destruct (any_added d (base s) s f H) as (A & Neg & B & C). rewrite sat_sum by auto. cbn [den sat].
  destruct (letter w i) eqn:L; auto. cbn [andb].
  assert (E : amount s i = base s + zsum (added d s) (seen w d i)).
  { assert (X : forall e, e <> d -> zsum (added e s) (seen w e i) = 0).
    { intros e Ne. rewrite (zsum_same _ (fun _ => 0)) by (intros; now apply B). apply zsum_zero. }
    rewrite amount_is. destruct d. rewrite (X Future) by congruence. lia. rewrite (X Past) by congruence. lia. }
  rewrite E. clear E.
  assert (Ls : forall j, In j (seen w d i) -> letter w j = true) by (intros j Hj; now apply in_seen in Hj).
  revert Ls. generalize (seen w d i). intros l Ls. apply eq_true_iff_eq. rewrite Z.leb_le.
  induction l as [|j l IH]; cbn [existsb].
  - unfold zsum. cbn. split; [lia|discriminate].
  - assert (P : 0 <= zsum (added d s) l) by (apply zsum_nonneg; intros q Hq; now apply C, Ls; right).
    destruct (C j (Ls j (or_introl eq_refl))) as (C1 & C2 & C3).
    change (zsum (added d s) (j :: l)) with (added d s j + zsum (added d s) l).
    destruct (sat w (den f) j); cbn [orb].
    + specialize (C1 eq_refl). split; auto. lia.
    + rewrite (C2 eq_refl), Z.add_0_l. apply IH. intros q Hq. apply Ls. now right.
Qed.
End Sums.

(* ---- what the values of a head add up to ---- *)
Section Keys.
Variables (tail : bool) (w : list nat).
Local Open Scope Z_scope.
Notation size := (N tail w).
Lemma zsum_app g a b : zsum g (a ++ b) = zsum g a + zsum g b.
Proof. unfold zsum. induction a; cbn [fold_right app]; lia. Qed.
Lemma zsum_filter g p l : zsum g (filter p l) = zsum (fun j => if p j then g j else 0) l.
Proof. unfold zsum. induction l as [|a l IH]; cbn [fold_right filter]; auto. destruct (p a); cbn [fold_right]; lia. Qed.
Lemma zsum_one z b l : NoDup l -> zsum (fun j => if Nat.eqb j z then b else 0) l = if existsb (Nat.eqb z) l then b else 0.
Proof.
  induction 1 as [|a l N _ IH]; cbn [zsum fold_right existsb]; auto. fold (zsum (fun j => if Nat.eqb j z then b else 0) l).
  rewrite IH, (Nat.eqb_sym z a). destruct (Nat.eqb_spec a z) as [->|Ne]; cbn [orb]; [|lia].
  destruct (existsb (Nat.eqb z) l) eqn:X; [|lia]. apply existsb_exists in X. destruct X as (y & Y & E).
  apply Nat.eqb_eq in E. subst y. contradiction.
Qed.
(* letters among the keys *)
Lemma zsum_keys d g i : (forall j, letter w j = false -> g j = 0) -> zsum g (keys tail w (mask_of d) i) = zsum g (seen w d i).
Proof.
  intros Z. unfold seen, Programs.keys, pos. rewrite !zsum_filter.
  assert (E : seq 0 size = [O] ++ seq 1 (length w) ++ (if tail then [S (length w)] else [])).
  { unfold Programs.N. destruct tail.
    - replace (length w + 2)%nat with (1 + (length w + 1))%nat by lia. now rewrite !seq_app.
    - replace (length w + 1)%nat with (1 + length w)%nat by lia. now rewrite seq_app, app_nil_r. }
  rewrite E, !zsum_app. cbn [zsum fold_right]. rewrite (Z O) by reflexivity.
  assert (T : zsum (fun j => if allowed (mask_of d) i j then g j else 0) (if tail then [S (length w)] else []) = 0).
  { destruct tail; auto. cbn. rewrite Z. now destruct (allowed (mask_of d) i (S (length w))).
    destruct (letter w (S (length w))) eqn:L; auto. apply letter_iff in L. lia. }
  rewrite T. destruct (allowed (mask_of d) i O); rewrite ?Z.add_0_l, ?Z.add_0_r; apply zsum_same; intros j _;
    now rewrite mask_sees.
Qed.
(* every term looks in the direction of the head *)
Fixpoint looks (d : dir) (g : fml) : bool := match g with FPlus _ e _ r => same d e && looks d r | _ => true end.
Lemma looks_added d e g j : looks d g = true -> e <> d -> added w e g j = 0.
Proof.
  induction g; cbn [looks added]; intros L Ne; auto. apply andb_prop in L. destruct L as [L1 L2]. apply same_ok in L1.
  subst d0. rewrite IHg2 by auto. destruct e, d; try congruence; reflexivity.
Qed.
Lemma added_letter d g j : letter w j = false -> added w d g j = 0.
Proof.
  intros L. induction g; cbn [added]; auto. rewrite IHg2. destruct (sat w (den g1) j) eqn:S.
  apply sat_letter in S. congruence. now rewrite andb_false_r.
Qed.
Theorem sum_of_keys d g i (z : nat -> Z) : (i < size)%nat -> looks d g = true ->
  (forall j, (j < size)%nat -> z j = if Nat.eqb j (sentinel d size) then 2 * base g + 1 else 2 * added w d g j) ->
  letter w (sentinel d size) = false ->
  zsum z (keys tail w (mask_of d) i) = 2 * amount w g i + 1.
Proof.
  intros Hi L Hz Ls. rewrite amount_is.
  assert (O : zsum (added w Past g) (seen w Past i) + zsum (added w Future g) (seen w Future i)
    = zsum (added w d g) (seen w d i)).
  { assert (X : forall e, e <> d -> zsum (added w e g) (seen w e i) = 0).
    { intros e Ne. rewrite (zsum_same _ (fun _ => 0)) by (intros; now apply looks_added with d). apply zsum_zero. }
    destruct d. rewrite (X Future) by congruence. lia. rewrite (X Past) by congruence. lia. }
  rewrite (zsum_same z (fun j => (if Nat.eqb j (sentinel d size) then 2 * base g + 1 else 0) + 2 * added w d g j)).
  2:{ intros j Hj. apply in_keys in Hj. rewrite Hz by tauto. destruct (Nat.eqb_spec j (sentinel d size)) as [->|]; [|lia].
    rewrite (added_letter d g _ Ls). lia. }
  rewrite zsum_plus, zsum_scale, zsum_one by apply keys_NoDup.
  assert (X : existsb (Nat.eqb (sentinel d size)) (keys tail w (mask_of d) i) = true).
  { apply existsb_exists. exists (sentinel d size). split. now apply (keys_sentinel tail). apply Nat.eqb_refl. }
  rewrite X, zsum_keys by apply added_letter. lia.
Qed.
End Keys.
