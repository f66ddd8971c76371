(* Truth tables: a formula at a letter is its value at the point of that position. *)
From Coq Require Import ZArith List Bool Arith Lia.
From Temper Require Import Strings Programs Compile Temporal.
From Temper.checker Require Import Model Checker.
Import ListNotations.

Lemma nats_eqb_ok a : forall b, nats_eqb a b = true -> a = b.
Proof.
  induction a as [|x a IH]; intros [|y b]; simpl; intros H; try discriminate; auto.
  apply andb_prop in H. destruct H as [H1 H2]. apply Nat.eqb_eq in H1. f_equal; auto.
Qed.
Lemma same_ok d e : same d e = true -> d = e.
Proof. destruct d, e; simpl; intros; congruence. Qed.
Lemma fml_eqb_ok f : forall g, fml_eqb f g = true -> f = g.
Proof.
  induction f; intros [] H; cbn in H; try discriminate; auto;
    repeat (match goal with X : _ && _ = true |- _ => apply andb_prop in X; destruct X end);
    repeat (match goal with X : same _ _ = true |- _ => apply same_ok in X; subst end);
    repeat (match goal with X : Z.eqb _ _ = true |- _ => apply Z.eqb_eq in X; subst end); try (f_equal; auto; fail).
  - apply nats_eqb_ok in H. now subst.
  - repeat match goal with X : Nat.eqb _ _ = true |- _ => apply Nat.eqb_eq in X; subst end. reflexivity.
Qed.

Section Points.
Variable w : list nat.
Definition true_at (i : nat) (v : val) := forall f b, In (f, b) v -> sat w (den f) i = b.
Lemma look_ok i v f b : true_at i v -> look v f = Some b -> sat w (den f) i = b.
Proof.
  intros T. induction v as [|[g c] v IH]; simpl; intros H; [discriminate|].
  destruct (fml_eqb g f) eqn:E. apply fml_eqb_ok in E. injection H as <-. subst g. apply T. now left.
  apply IH; auto. intros h d Hd. apply T. now right.
Qed.
Lemma bev_ok i a v f : at_ w i = Some a -> true_at i v -> forall b, bev a v f = Some b -> sat w (den f) i = b.
Proof.
  intros A T. assert (Lt : letter w i = true) by (unfold letter; now rewrite A).
  induction f; cbn [bev den sat]; intros x H.
  - rewrite A. congruence.
  - rewrite A. congruence.
  - destruct (bev a v f) as [y|]; [|discriminate]. injection H as <-. rewrite Lt, (IHf y eq_refl). reflexivity.
  - destruct (bev a v f1) as [y|]; [|discriminate]. destruct (bev a v f2) as [z|]; [|discriminate]. injection H as <-.
    now rewrite (IHf1 y eq_refl), (IHf2 z eq_refl).
  - apply (look_ok i v (FOnce d f) x T H).
  - apply (look_ok i v (FSince d f1 f2) x T H).
  - apply (look_ok i v (FStep d f) x T H).
  - injection H as <-. now rewrite Lt.
  - apply (look_ok i v (FPlus k d f1 f2) x T H).
  - apply (look_ok i v (FMod d s m k) x T H).
Qed.
Lemma vals_ok i l : exists v, In v (vals l) /\ true_at i v.
Proof.
  induction l as [|f l (v & I1 & T)]. exists []. split. now left. intros f b [].
  exists ((f, sat w (den f) i) :: v). split.
  - cbn [vals]. apply in_flat_map. exists v. split; auto. destruct (sat w (den f) i); simpl; auto.
  - intros g b [E|H]. now injection E as <- <-. now apply T.
Qed.
(* what is left out is at no position *)
Lemma alone_ok i v d : letter w i = true -> true_at i v -> alone v d = true -> letter w (step d i) = false.
Proof.
  unfold alone. intros L T H. destruct (look v (FStep d FT)) as [[]|] eqn:E; try discriminate.
  assert (X := look_ok i v _ _ T E). cbn [den sat] in X. rewrite L in X. cbn [andb] in X. unfold letter.
  now destruct (at_ w (step d i)).
Qed.
Lemma seen_alone d i j : letter w i = true -> letter w (step d i) = false -> In j (seen w d i) -> j = i.
Proof.
  intros L N H. apply in_seen in H. destruct H as [Lj S]. apply letter_iff in L, Lj.
  assert (Nl : ~ (1 <= step d i <= length w)%nat) by (rewrite <- letter_iff; congruence).
  destruct d; cbn [sees step] in *; apply Nat.leb_le in S; lia.
Qed.
Lemma seen_here d i : letter w i = true -> In i (seen w d i).
Proof. intros L. apply in_seen. split; auto. destruct d; apply Nat.leb_refl. Qed.
Lemma since_here d g h i : letter w i = true -> sat w h i = true -> sat w (Since d g h) i = true.
Proof.
  intros L H. cbn [sat]. rewrite L. cbn [andb]. apply existsb_exists. exists i. split. now apply seen_here. rewrite H.
  apply forallb_forall. intros k Hk. apply filter_In in Hk. destruct Hk as [Hk P]. apply in_seen in Hk.
    destruct Hk as [_ S].
  destruct d; cbn [sees passed] in *; apply Nat.leb_le in S; apply Nat.ltb_lt in P; lia.
Qed.
Lemma since_not_here d g h i : letter w i = true -> sat w h i = false -> letter w (step d i)
  = false \/ sat w g i = false ->
  sat w (Since d g h) i = false.
Proof.
  intros L H O. destruct (sat w (Since d g h) i) eqn:S; auto. cbn [sat] in S. rewrite L in S. cbn [andb] in S.
  apply existsb_exists in S. destruct S as (j & Hj & S). apply andb_prop in S. destruct S as [S F].
  assert (Ne : j <> i) by congruence. destruct O as [N|G].
  - exfalso. apply Ne. now apply (seen_alone d i j).
  - rewrite forallb_forall in F. rewrite <- G. symmetry. apply F. apply filter_In. split. now apply seen_here.
    apply in_seen in Hj. destruct Hj as [_ Sj]. destruct d; cbn [sees passed] in *; apply Nat.leb_le in Sj;
      apply Nat.ltb_lt; lia.
Qed.
Lemma step_alone d g i : letter w (step d i) = false -> sat w (Step d g) i = false.
Proof.
  intros N. cbn [sat]. destruct (sat w g (step d i)) eqn:S. apply sat_letter in S. congruence. apply andb_false_r.
Qed.
Lemma sat_FF j : sat w (den FF) j = false.
Proof. cbn. unfold letter. now destruct (at_ w j). Qed.
Lemma never_ok f i : never f = true -> sat w (den f) i = false.
Proof.
  assert (Ex : forall l (p : nat -> bool), (forall j, p j = false) -> existsb p l = false).
  { intros l p H. induction l as [|j l IH]; cbn; auto. now rewrite H. }
  destruct f as [| | | |d g|d g h|d g| | |]; cbn [never]; try discriminate.
  - destruct g as [| |[]| | | | | | |]; try discriminate. intros _. change (letter w i && existsb (fun j => sat w (den FF)
    j) (seen w d i) = false).
    rewrite Ex; [apply andb_false_r|exact sat_FF].
  - destruct h as [| |[]| | | | | | |]; try discriminate. intros _. change (sat w (Since d (den g) (den FF)) i = false).
    cbn [sat].
    rewrite Ex; [apply andb_false_r|]. intros j. fold (sat w (den FF) j). now rewrite sat_FF.
  - destruct g as [| |[]| | | | | | |]; try discriminate. intros _. change (letter w i && sat w (den FF) (step d i)
    = false).
    rewrite sat_FF. apply andb_false_r.
Qed.
Lemma may_be_ok i a v t : at_ w i = Some a -> true_at i v -> In t v -> may_be a v t = true.
Proof.
  intros A T Ht. assert (L : letter w i = true) by (unfold letter; now rewrite A). destruct t as [f b].
  assert (S := T f b Ht). unfold may_be. cbn [fst snd].
  destruct (never f) eqn:Nv. { rewrite <- S, (never_ok f i Nv). reflexivity. } clear Nv.
    destruct f as [|ls|f|f1 f2|d g|d g h|d g| | |]; auto.
  - destruct (bev a v g) as [[]|] eqn:E; auto; apply (bev_ok i a v g A T) in E.
    + rewrite <- S. cbn [den sat]. rewrite L. cbn [andb]. apply existsb_exists. exists i. split; auto.
      now apply seen_here.
    + destruct b; auto. cbn [andb]. destruct (alone v d) eqn:Al; auto. exfalso. cbn [den sat] in S. rewrite L in S.
      cbn [andb] in S. apply existsb_exists in S. destruct S as (j & Hj & Sj).
      apply (seen_alone d i j L (alone_ok i v d L T Al)) in Hj. congruence.
  - destruct (bev a v h) as [[]|] eqn:E; auto; apply (bev_ok i a v h A T) in E.
    + rewrite <- S. cbn [den]. now apply since_here.
    + destruct b; auto. cbn [andb]. destruct (alone v d || _) eqn:Al; auto. exfalso. apply orb_prop in Al.
      cbn [den] in S. rewrite since_not_here in S; auto; [discriminate|]. destruct Al as [Al|Al].
      * left. now apply (alone_ok i v).
      * right. destruct (bev a v g) as [[]|] eqn:G; try discriminate. now apply (bev_ok i a v g A T).
  - assert (N : b = true -> alone v d = false).
    { intros ->. destruct (alone v d) eqn:Al; auto. exfalso. cbn [den] in S.
      rewrite step_alone in S; [discriminate|]. now apply (alone_ok i v). }
    destruct b. 2:{ destruct g; reflexivity. } rewrite (N eq_refl). destruct g as [|x| | | | | | | |]; auto. cbn [andb orb].
    destruct (existsb _ v) eqn:X; auto. exfalso. apply existsb_exists in X. destruct X as ([u c] & Hu & X).
    destruct u as [| | | | | |e [|y| | | | | | | |]| | |]; try discriminate. destruct c; [|discriminate]. apply andb_prop in X.
    destruct X as [D X]. apply same_ok in D. subst e. apply negb_true_iff in X. assert (S2 := T _ _ Hu).
      cbn [den sat] in S, S2.
    apply andb_prop in S, S2. destruct S as [_ S], S2 as [_ S2]. destruct (at_ w (step d i)) as [c|]; [|discriminate].
    apply existsb_exists in S. destruct S as (c' & Hc & E). apply Nat.eqb_eq in E. subst c'.
    assert (Y : existsb (fun c => existsb (Nat.eqb c) y) x = true) by (apply existsb_exists; eauto). congruence.
Qed.
(* the point of a position *)
Definition point_of (p : point) (i : nat) := match p with
  | At a v => at_ w i = Some a /\ true_at i v
  | Begin => i = O | Finish => letter w i = false /\ i <> O end.
Lemma points_ok letters l i a : at_ w i = Some a -> (a < letters)%nat -> exists v, In (At a v) (points letters l) /\
  point_of
  (At a v) i.
Proof.
  intros A H. destruct (vals_ok i (dedup (flat_map atoms l))) as (v & I1 & T). exists v. split; [|split; auto].
  unfold points, all_points. apply filter_In. split. apply in_flat_map. exists a. split. apply in_seq; lia.
    now apply in_map.
  apply forallb_forall. intros t Ht. now apply (may_be_ok i).
Qed.
(* what a table says holds at every letter *)
Lemma table_in g ps t : table g ps = Some t -> forall p, In p ps -> exists b, g p = Some b /\ In (p, b) t.
Proof.
  revert t. induction ps as [|q ps IH]; intros t H p Hp; [destruct Hp|]. cbn in H.
  destruct (g q) as [b|] eqn:G; [|discriminate]. destruct (table g ps) as [t'|]; [|discriminate]. injection H as <-.
  destruct Hp as [->|Hp]. exists b. split; auto. now left.
  destruct (IH t' eq_refl p Hp) as (c & H1 & H2). exists c. split; auto. now right.
Qed.
Lemma agrees_ok tab f a v b : agrees_with tab f = true -> In (At a v, b) tab -> bev a v f = Some b.
Proof.
  intros H I1. unfold agrees_with in H. rewrite forallb_forall in H. specialize (H _ I1). cbn in H.
  destruct (bev a v f) as [c|]; [|discriminate]. apply eqb_prop in H. now subst.
Qed.
Lemma learn_ok cands tab f : learn cands tab = Some f -> agrees_with tab f = true.
Proof.
  unfold learn. destruct (find (agrees_with tab) cands) as [g|] eqn:F.
  - apply find_some in F. intros [= <-]. tauto.
  - destruct (agrees_with tab (synth tab)) eqn:X; [|discriminate]. now intros [= <-].
Qed.
Lemma learned letters l cands (g : point -> option bool) tab f i a :
  table g (points letters l) = Some tab -> learn cands tab = Some f -> at_ w i = Some a -> (a < letters)%nat ->
  exists v, point_of (At a v) i /\ g (At a v) = Some (sat w (den f) i).
Proof.
  intros T L A H. destruct (points_ok letters l i a A H) as (v & I1 & P). exists v. split; auto.
  destruct (table_in _ _ _ T _ I1) as (b & G & I2). rewrite G. f_equal. symmetry.
  apply (bev_ok i a v f A (proj2 P)). apply (agrees_ok tab); auto. now apply (learn_ok cands).
Qed.
Lemma alike_ok letters f g i a : alike letters f g = true -> at_ w i = Some a -> (a < letters)%nat ->
  sat w (den f) i = sat w (den g) i.
Proof.
  unfold alike. intros H A La. apply andb_prop in H. destruct H as [_ H]. rewrite forallb_forall in H.
  destruct (points_ok letters [f; g] i a A La) as (v & I1 & P). specialize (H _ I1). cbn in H.
  destruct (bev a v f) as [x|] eqn:X; [|discriminate]. destruct (bev a v g) as [y|] eqn:Y; [|discriminate].
  apply eqb_prop in H. subst. now rewrite (bev_ok i a v f A (proj2 P) _ X), (bev_ok i a v g A (proj2 P) _ Y).
Qed.
Lemma same_table_alike letters f g : same_table letters f g = true -> alike letters f g = true.
Proof.
  unfold same_table, alike. intros H. apply andb_prop in H. destruct H as [-> H]. cbn [andb].
    rewrite forallb_forall in H.
  apply forallb_forall. intros p Hp. apply H. unfold points in Hp. now apply filter_In in Hp.
Qed.
End Points.
