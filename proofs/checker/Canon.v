(* Giving equal atoms one name, and folding constants, changes no truth value. *)
From Coq Require Import ZArith List Bool Arith Lia.
From Temper Require Import Strings Programs Compile Temporal.
From Temper.checker Require Import Model Checker Points CountsOk Invariant Meaning.
Import ListNotations.

Section Canon.
Variables (w : list nat) (letters : nat).
Hypothesis in_alphabet : forall i a, at_ w i = Some a -> (a < letters)%nat.
Notation same_table := (same_table letters). Notation alike := (alike letters).
Definition equal (f g : fml) := forall j, sat w (den f) j = sat w (den g) j.
Lemma known_equal f g : alike f g = true -> equal f g.
Proof. intros H j. now apply (alike_everywhere w letters in_alphabet). Qed.
Lemma alike_equal f g : same_table f g = true -> equal f g.
Proof. intros H j. now apply (alike_everywhere w letters in_alphabet), same_table_alike. Qed.
Lemma filter_same {X} (p q : X -> bool) l : (forall x, p x = q x) -> filter p l = filter q l.
Proof. intros H. induction l as [|a l IH]; cbn; auto. now rewrite H, IH. Qed.
Lemma forallb_same {X} (p q : X -> bool) l : (forall x, p x = q x) -> forallb p l = forallb q l.
Proof. intros H. induction l as [|a l IH]; cbn; auto. now rewrite H, IH. Qed.
Lemma once_equal d a b : equal a b -> equal (FOnce d a) (FOnce d b).
Proof. intros H j. cbn [den sat]. f_equal. apply existsb_same. intros; apply H. Qed.
Lemma step_equal d a b : equal a b -> equal (FStep d a) (FStep d b).
Proof. intros H j. cbn [den sat]. now rewrite H. Qed.
Lemma since_equal d a b x y : equal a x -> equal b y -> equal (FSince d a b) (FSince d x y).
Proof.
  intros H1 H2 j. cbn [den sat]. f_equal. apply existsb_same. intros k. rewrite H2. f_equal. apply forallb_same.
    intros; apply H1.
Qed.
Lemma ff j : sat w (den FF) j = false.
Proof. cbn. unfold letter. now destruct (at_ w j). Qed.
Lemma tt_ j : sat w (den FT) j = letter w j.
Proof. cbn. unfold letter. now destruct (at_ w j). Qed.
Lemma existsb_none {X} (p : X -> bool) l : (forall x, p x = false) -> existsb p l = false.
Proof. intros H. induction l; cbn; auto. now rewrite H. Qed.
Lemma sees_self d i : sees d i i = true. Proof. destruct d; cbn; apply Nat.leb_refl. Qed.
Lemma once_false d a : equal a FF -> equal (FOnce d a) FF.
Proof. intros H j. rewrite ff. cbn [den sat]. rewrite existsb_none, andb_false_r; auto. intros k. now rewrite H, ff.
  Qed.
Lemma once_true d a : equal a FT -> equal (FOnce d a) FT.
Proof.
  intros H j. rewrite tt_. cbn [den sat]. destruct (letter w j) eqn:L; auto. cbn [andb]. apply existsb_exists.
    exists j. split.
  apply in_seen. split; auto. apply sees_self. now rewrite H, tt_.
Qed.
Lemma step_false d a : equal a FF -> equal (FStep d a) FF.
Proof. intros H j. rewrite ff. cbn [den sat]. now rewrite H, ff, andb_false_r. Qed.
Lemma since_false d a b : equal b FF -> equal (FSince d a b) FF.
Proof. intros H j. rewrite ff. cbn [den sat]. rewrite existsb_none, andb_false_r; auto. intros k. now rewrite H, ff.
  Qed.
(* at the position itself nothing is between *)
Lemma none_between d i : filter (fun k => passed d k i) (seen w d i) = [].
Proof.
  destruct (filter (fun k => passed d k i) (seen w d i)) as [|k l] eqn:E; auto. exfalso.
    assert (I : In k (k :: l)) by (now left). rewrite <- E in I.
  apply filter_In in I. destruct I as [I1 I2]. apply in_seen in I1. destruct I1 as [_ I1]. destruct d; cbn in *;
    apply Nat.ltb_lt in I2; apply Nat.leb_le in I1; lia.
Qed.
Lemma since_here d a b j : sat w (den b) j = true -> sat w (den (FSince d a b)) j = true.
Proof.
  intros H. assert (L := sat_letter _ _ _ H). cbn [den sat]. rewrite L. cbn [andb]. apply existsb_exists. exists j.
    split. apply in_seen. split; auto. apply sees_self.
  rewrite H. cbn [andb]. now rewrite none_between.
Qed.
Lemma since_true d a b : equal b FT -> equal (FSince d a b) FT.
Proof.
  intros H j. rewrite tt_. destruct (letter w j) eqn:L. apply since_here. now rewrite H, tt_.
  destruct (sat w (den (FSince d a b)) j) eqn:X; auto. apply sat_letter in X. congruence.
Qed.
Lemma since_only d a b : (forall j, sat w (den a) j = true -> sat w (den b) j = true) -> equal (FSince d a b) b.
Proof.
  intros H j. apply eq_true_iff_eq. split; [|apply since_here]. cbn [den sat]. rewrite andb_true_iff, existsb_exists.
    intros (L & k & Hk & S).
  apply andb_prop in S. destruct S as [S1 S2]. destruct (Nat.eq_dec k j) as [->|Ne]; auto.
    rewrite forallb_forall in S2.
  assert (I : In j (filter (fun q => passed d q k) (seen w d j))).
  { apply filter_In. split. apply in_seen. split; auto. apply sees_self. apply in_seen in Hk. destruct Hk as [_ Hk].
    destruct d; cbn in *; apply Nat.ltb_lt; apply Nat.leb_le in Hk; lia. }
  specialize (S2 j I). now apply H.
Qed.
Lemma since_once d a b : (forall j, letter w j = true -> sat w (den a) j = false -> sat w (den b) j = true) ->
  equal (FSince d a b) (FOnce d b).
Proof.
  (* the nearest b: between it and i there is none, so a holds there *)
  intros H i. destruct (letter w i) eqn:Li. 2:{ cbn [den sat]. now rewrite Li. }
  destruct (greatest (fun j => sat w (den b) j) (num d (N true w)) (keys true w (mask_of d) i))
    as [None_|(js & J1 & J2 & J3)].
  - assert (O : sat w (den (FOnce d b)) i = false).
    { cbn [den sat]. rewrite Li. cbn [andb]. apply not_true_is_false. rewrite existsb_exists. intros (j & Hj & S).
      apply in_seen in Hj.
      rewrite None_ in S; [discriminate|]. apply in_mask. split; [|tauto]. apply letter_N. tauto. }
    rewrite O. destruct (sat w (den (FSince d a b)) i) eqn:X; auto. cbn [den sat] in X. rewrite Li in X.
      cbn [andb] in X. apply existsb_exists in X.
    destruct X as (j & Hj & S). apply andb_prop in S. destruct S as [S _]. apply in_seen in Hj. rewrite None_ in S;
      [discriminate|]. apply in_mask.
    split; [|tauto]. apply letter_N. tauto.
  - assert (Ljs := sat_letter _ _ _ J2). apply in_mask in J1. destruct J1 as [N1 S1].
    assert (O : sat w (den (FOnce d b)) i = true).
    { cbn [den sat]. rewrite Li. cbn [andb]. apply existsb_exists. exists js. split; auto. apply in_seen. auto. }
    rewrite O. cbn [den]. rewrite (since_nearest true w d (den a) (den b) i js Li S1).
    + exact J2.
    + unfold cand. now rewrite Ljs, J2.
    + intros j Hj Sj C. apply J3. apply in_mask; auto. unfold cand in C. apply andb_prop in C. destruct C as [Lj C].
      apply orb_prop in C.
      destruct C as [C|C]; auto. apply negb_true_iff in C. now apply H.
Qed.
Lemma rep_ok reps f p : (forall g, p g = true -> equal g f) -> equal (fst (rep reps f p)) f.
Proof.
  intros H. unfold rep. destruct (find p reps) as [g|] eqn:F; cbn [fst]. apply find_some in F. now apply H. intros j.
    reflexivity.
Qed.
Lemma rep_once_ok reps d a : equal (fst (rep_once letters reps d a)) (FOnce d a).
Proof.
  apply rep_ok. intros g H. destruct g; try discriminate. apply andb_prop in H. destruct H as [H1 H2].
    apply same_ok in H1. subst d0.
  apply once_equal. intros j. symmetry. now apply alike_equal.
Qed.
Lemma rep_step_ok reps d a : equal (fst (rep_step letters reps d a)) (FStep d a).
Proof.
  apply rep_ok. intros g H. destruct g; try discriminate. apply andb_prop in H. destruct H as [H1 H2].
    apply same_ok in H1. subst d0.
  apply step_equal. intros j. symmetry. now apply alike_equal.
Qed.
Lemma rep_since_ok reps d a b : equal (fst (rep_since letters reps d a b)) (FSince d a b).
Proof.
  apply rep_ok. intros g H. destruct g; try discriminate. apply andb_prop in H. destruct H as [H H3].
    apply andb_prop in H. destruct H as [H1 H2].
  apply same_ok in H1. subst d0. apply since_equal; intros j; symmetry; now apply alike_equal.
Qed.
Lemma step_not_ok d a g : equal g (FStep d a) -> equal (step_not d g) (FStep d (FNot a)).
Proof.
  intros H j. unfold step_not. cbn [den sat]. rewrite H. cbn [den sat]. unfold letter.
    destruct (at_ w j), (at_ w (step d j)); auto.
Qed.
Lemma trans f g h : equal f g -> equal g h -> equal f h. Proof. intros H1 H2 j. now rewrite H1. Qed.
Lemma sym f g : equal f g -> equal g f. Proof. intros H j. now rewrite H. Qed.
Lemma mk_step_ok d a : forall reps, equal (fst (mk_step letters reps d a)) (FStep d a).
Proof.
  assert (G : forall b reps, equal (fst (if alike b FF then (FF, reps)
    else if alike b FT then rep_step letters reps d
    FT else rep_step letters reps d b)) (FStep d b)).
  { intros b reps. destruct (alike b FF) eqn:X. apply sym, step_false. now apply known_equal.
    destruct (alike b FT) eqn:Y; [|apply rep_step_ok].
    apply trans with (FStep d FT). apply rep_step_ok. apply sym, step_equal. now apply known_equal. }
  induction a; intros reps; try apply G. cbn [mk_step]. destruct (alike a FT) eqn:X.
  - cbn [fst]. apply sym, step_false. intros j. rewrite ff. cbn [den sat]. rewrite (known_equal _ _ X j), tt_.
    now destruct (letter w j).
  - specialize (IHa reps). destruct (mk_step letters reps d a) as [g r]. cbn [fst] in *. now apply step_not_ok.
Qed.
Lemma negate_ok a : equal (negate a) (FNot a).
Proof.
  destruct a; try (intros j; reflexivity). intros j. cbn [negate den sat]. destruct (letter w j) eqn:L; cbn [andb].
    now rewrite negb_involutive.
  destruct (sat w (den a) j) eqn:X; auto. apply sat_letter in X. congruence.
Qed.
Lemma sees_trans d i j k : sees d i j = true -> sees d j k = true -> sees d i k = true.
Proof. destruct d; cbn; rewrite !Nat.leb_le; lia. Qed.
Lemma once_once d a : equal (FOnce d (FOnce d a)) (FOnce d a).
Proof.
  intros i. cbn [den sat]. destruct (letter w i) eqn:L; auto. cbn [andb]. apply eq_true_iff_eq.
    rewrite !existsb_exists. split.
  - intros (j & Hj & S). apply andb_prop in S. destruct S as [_ S]. apply existsb_exists in S.
    destruct S as (k & Hk & S). exists k. split; auto.
    apply in_seen in Hj, Hk. apply in_seen. split; [tauto|]. apply (sees_trans d i j k); tauto.
  - intros (j & Hj & S). exists j. split; auto. assert (Lj := sat_letter _ _ _ S). rewrite Lj. cbn [andb].
    apply existsb_exists. exists j. split; auto.
    apply in_seen. split; auto. apply sees_self.
Qed.
Lemma mk_once_ok reps d a : equal (fst (mk_once letters reps d a)) (FOnce d a).
Proof.
  unfold mk_once. destruct (alike a FF) eqn:X. apply sym, once_false. now apply known_equal.
    destruct (alike a FT) eqn:Y. apply sym, once_true. now apply known_equal.
  destruct a; try apply rep_once_ok. destruct (same d d0) eqn:D; [|apply rep_once_ok]. apply same_ok in D. subst d0.
    apply sym, once_once.
Qed.
Lemma mk_sum_ok reps g : equal (fst (mk_sum letters reps g)) g.
Proof.
  unfold mk_sum. destruct (is_sum g) eqn:S; cbn [negb]. 2: intros j; reflexivity. cbv zeta.
  set (h := reduced (merged letters g)).
  assert (M : is_sum (merged letters g) = true) by (now apply (merged_ok w letters in_alphabet g 0)).
  destruct (reduced_ok w (merged letters g) M) as [H R]. fold h in H, R.
  assert (E : equal h g).
  { intros i. rewrite !sat_sum, R by auto. now rewrite (proj2 (merged_ok w letters in_alphabet g i S)). }
  set (d := looks_first h). destruct (any d (base h) h) as [f|] eqn:A.
  - apply trans with (FOnce d f). apply mk_once_ok. apply trans with h; auto. intros i. symmetry. now apply any_ok.
  - destruct (any d (base (opposite h)) (opposite h)) as [f|] eqn:B.
    + assert (O := mk_once_ok reps d f). destruct (mk_once letters reps d f) as [q r]. cbn [fst] in *.
      apply trans with (FNot q). apply negate_ok. apply trans with h; auto. intros i. cbn [den sat].
      rewrite (O i), <- (any_ok w d (opposite h) f i B). destruct (opposite_is w h H) as [P _].
      rewrite !sat_sum, amount_opposite by auto. destruct (letter w i); auto. cbn [andb].
      apply eq_true_iff_eq. rewrite negb_true_iff, Z.leb_gt, Z.leb_le. lia.
    + assert (X := sum_name_ok w letters in_alphabet reps h H). apply trans with h; auto. intros i. rewrite <- X.
      now destruct (sum_name letters reps h).
Qed.
Lemma plus_equal k d a a' s s' : equal a' a -> is_sum s' = is_sum s -> (forall i, amount w s' i = amount w s i) ->
  forall i, amount w (FPlus k d a' s') i = amount w (FPlus k d a s) i.
Proof.
  intros A _ B i. unfold amount in *. change (lin_of (den (FPlus k d a' s'))) with (Plus k d (den a') (lin_of (den s'))).
  change (lin_of (den (FPlus k d a s))) with (Plus k d (den a) (lin_of (den s))). rewrite !value_plus, B.
  rewrite (filter_ext (fun j => sat w (den a') j) (fun j => sat w (den a) j)); auto.
Qed.
Lemma sat_plus k d a s i : sat w (den (FPlus k d a s)) i = letter w i && (0 <=? amount w (FPlus k d a s) i)%Z.
Proof. reflexivity. Qed.
Lemma canon_both f : forall reps, equal (fst (canon_ letters false f reps)) f /\
  is_sum (fst (canon_ letters true f reps)) = is_sum f /\ forall i, amount w (fst (canon_ letters true f reps)) i = amount w f i.
Proof.
  induction f as [|ls|a IHa|a IHa b IHb|d a IHa|d a IHa b IHb|d a IHa|z|k d a IHa s IHs|d s m k]; intros reps; cbn [canon_];
    cbv zeta; (split; [|try (split; reflexivity)]).
  - intros j; reflexivity.
  - intros j; reflexivity.
  - destruct (IHa reps) as [IHa' _]; clear IHa; rename IHa' into IHa. destruct (canon_ letters false a reps) as [a' r]. cbn [fst] in *. apply trans with (FNot a').
    apply negate_ok. intros j. cbn [den sat]. now rewrite IHa.
  - destruct (IHa reps) as [IHa' _]; clear IHa; rename IHa' into IHa. destruct (canon_ letters false a reps) as [a' r]. destruct (IHb r) as [IHb' _]; clear IHb; rename IHb' into IHb.
    destruct (canon_ letters false b r) as [b' q]. cbn [fst] in *.
    apply trans with (FAnd a' b'). 2: intros j; cbn [den sat]; now rewrite IHa, IHb. unfold both.
    destruct (alike (FAnd a' b') a') eqn:X1. apply sym. now apply known_equal.
    destruct (alike (FAnd a' b') b') eqn:X2. apply sym. now apply known_equal. intros j. reflexivity.
  - destruct (IHa reps) as [IHa' _]; clear IHa; rename IHa' into IHa. destruct (canon_ letters false a reps) as [a' r]. cbn [fst] in *.
    apply trans with (FOnce d a'). 2: now apply once_equal.
    apply mk_once_ok.
  - destruct (IHa reps) as [IHa' _]; clear IHa; rename IHa' into IHa. destruct (canon_ letters false a reps) as [a' r]. destruct (IHb r) as [IHb' _]; clear IHb; rename IHb' into IHb.
    destruct (canon_ letters false b r) as [b' q]. cbn [fst] in *.
    apply trans with (FSince d a' b'). 2: now apply since_equal.
    destruct (alike b' FF) eqn:X1. apply sym, since_false. now apply known_equal.
      destruct (alike b' FT) eqn:X2.
      apply sym, since_true. now apply known_equal.
    destruct (same_table a' (FAnd a' b')) eqn:X3. { apply sym, since_only. intros j Sj.
      rewrite (alike_equal _ _ X3 j) in Sj. cbn [den sat] in Sj. apply andb_prop in Sj. tauto. }
    destruct (same_table (FNot a') (FAnd (FNot a') b')) eqn:X4; [|apply rep_since_ok]. apply trans with (FOnce d b').
      apply mk_once_ok. apply sym, since_once.
    intros j Lj Sj. assert (Z := alike_equal _ _ X4 j). cbn [den sat] in Z. rewrite Lj, Sj in Z.
      cbn in Z. now symmetry in Z.
  - destruct (IHa reps) as [IHa' _]; clear IHa; rename IHa' into IHa. destruct (canon_ letters false a reps) as [a' r]. cbn [fst] in *.
    apply trans with (FStep d a'). 2: now apply step_equal. apply mk_step_ok.
  - apply mk_sum_ok.
  - destruct (IHa reps) as [A _]. destruct (canon_ letters false a reps) as [a' r]. destruct (IHs r) as (_ & B & C).
    destruct (canon_ letters true s r) as [s' q]. cbn [fst] in *.
    apply trans with (FPlus k d a' s'). apply mk_sum_ok. intros j. rewrite !sat_plus. now rewrite (plus_equal k d a a' s s').
  - destruct (IHa reps) as [A _]. destruct (canon_ letters false a reps) as [a' r]. destruct (IHs r) as (_ & B & C).
    destruct (canon_ letters true s r) as [s' q]. cbn [fst] in *. split. exact B. now apply plus_equal.
  - intros j; reflexivity.
Qed.
Theorem canon_ok f : forall reps, equal (fst (canon letters f reps)) f.
Proof. intros reps. apply canon_both. Qed.
End Canon.
