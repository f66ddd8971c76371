(* What the keys of a row say about formulas that look through them. *)
From Coq Require Import ZArith List Bool Arith Lia.
From Temper Require Import Strings Programs Compile Temporal.
From Temper.checker Require Import Model Checker Points.
Import ListNotations.

Section Meaning.
Variables (tail : bool) (w : list nat).
Notation size := (N tail w). Notation keys := (keys tail w).
Lemma mask_cases m d : dir_of m = Some d -> m = mask_of d /\ strict m = false \/ m = strict_of d /\ strict m = true.
Proof. destruct m, d; cbn; intros H; try discriminate; auto. Qed.
Lemma existsb_same {X} (p q : X -> bool) l : (forall x, p x = q x) -> existsb p l = existsb q l.
Proof. intros H. induction l as [|a l IH]; cbn; auto. now rewrite H, IH. Qed.
(* a strict mask at i is the plain one at the neighbour, if that is a letter; else it has no letter *)
Lemma strict_key d i j : letter w i = true -> letter w j = true ->
  (passed d i j = true <-> letter w (step d i) = true /\ sees d (step d i) j = true).
Proof.
  rewrite !letter_iff. destruct d; unfold passed, step, sees; rewrite Nat.ltb_lt, Nat.leb_le; lia.
Qed.
Lemma once_means m d a i : dir_of m = Some d -> letter w i = true ->
  sat w (den (shifted m d (FOnce d a))) i = existsb (fun j => sat w (den a) j) (keys m i).
Proof.
  intros D Li. unfold shifted. destruct (mask_cases m d D) as [[-> ->]|[-> ->]]; cbn [den sat]; rewrite Li;
    cbn [andb].
  - apply eq_true_iff_eq. rewrite !existsb_exists. split; intros (j & Hj & S).
    + exists j. split; auto. apply in_seen in Hj. apply in_mask. split; [|tauto]. apply letter_N. tauto.
    + exists j. split; auto. apply in_mask in Hj. apply in_seen. split; [|tauto]. now apply sat_letter in S.
  - apply eq_true_iff_eq. rewrite andb_true_iff, !existsb_exists. split.
    + intros (Ls & j & Hj & S). exists j. split; auto. apply in_seen in Hj. apply in_keys. split. apply letter_N;
      tauto.
      rewrite strict_passed. apply strict_key; tauto.
    + intros (j & Hj & S). apply in_keys in Hj. rewrite strict_passed in Hj. assert (Lj := sat_letter _ _ _ S).
      destruct Hj as [_ Hj]. apply strict_key in Hj; auto. split; [tauto|]. exists j. split; auto. apply in_seen.
        tauto.
Qed.
(* since: the value at the nearest candidate *)
Lemma since_no m d a b i : dir_of m = Some d -> letter w i = true -> (forall j, In j (keys m i) -> cand w (den a)
  (den b) j =
  false) -> sat w (den (shifted m d (FSince d a b))) i = false.
Proof.
  intros D Li H. unfold shifted. destruct (mask_cases m d D) as [[-> ->]|[-> ->]].
  - cbn [den]. apply (since_none tail). intros j Hj S. apply H. apply in_mask. auto.
  - cbn [den sat]. rewrite Li. cbn [andb]. change (sat w (Since d (den a) (den b)) (step d i) = false).
    destruct (letter w (step d i)) eqn:Ls.
    + apply (since_none tail). intros j Hj S. destruct (letter w j) eqn:Lj. 2: unfold cand; now rewrite Lj.
      apply H. apply in_keys. split; auto. rewrite strict_passed. apply strict_key; auto.
    + destruct (sat w (Since d (den a) (den b)) (step d i)) eqn:X; auto. apply sat_letter in X. congruence.
Qed.
Lemma since_yes m d a b i js : dir_of m = Some d -> letter w i = true -> In js (keys m i) -> cand w (den a) (den b)
  js = true ->
  (forall j, In j (keys m i) -> cand w (den a) (den b) j = true -> (num d size j <= num d size js)%nat) ->
  sat w (den (shifted m d (FSince d a b))) i = sat w (den b) js.
Proof.
  intros D Li Hjs C Best. assert (Ljs : letter w js = true) by (unfold cand in C; apply andb_prop in C; tauto).
  unfold shifted. destruct (mask_cases m d D) as [[-> ->]|[-> ->]].
  - cbn [den]. apply in_mask in Hjs. apply (since_nearest tail w d _ _ i js); try tauto.
    intros j Hj S. apply Best. apply in_mask. auto.
  - cbn [den sat]. rewrite Li. cbn [andb]. apply in_keys in Hjs. rewrite strict_passed in Hjs.
    destruct Hjs as [_ Hjs].
    apply strict_key in Hjs; auto. destruct Hjs as [Ls Hs].
    change (sat w (Since d (den a) (den b)) (step d i) = sat w (den b) js).
    apply (since_nearest tail w d _ _ (step d i) js); auto. intros j Hj S Cj.
    assert (Lj : letter w j = true) by (unfold cand in Cj; apply andb_prop in Cj; tauto).
    apply Best; auto. apply in_keys. split; auto. rewrite strict_passed. apply strict_key; auto.
Qed.
(* yesterday and next: the nearest key of all *)
Lemma step_yes m d a i js : dir_of m = Some d -> strict m = true -> (tail = true \/ d = Past) -> letter w i = true ->
  In js (keys m i) -> (forall j, In j (keys m i) -> (num d size j <= num d size js)%nat) -> sat w (den (FStep d a))
    i = sat w
  (den a) js.
Proof.
  intros D St T Li Hjs Best. destruct (mask_cases m d D) as [[-> Z]|[-> _]]; [congruence|].
  cbn [den sat]. rewrite Li. cbn [andb]. f_equal. apply in_keys in Hjs. rewrite strict_passed in Hjs.
  assert (In (step d i) (keys (strict_of d) i)).
  { apply in_keys. rewrite strict_passed. apply letter_iff in Li. unfold N. destruct d; unfold step, passed.
    split. destruct tail; lia. apply Nat.ltb_lt; lia. destruct T as [-> | T]; [|discriminate]. split. lia.
      apply Nat.ltb_lt; lia. }
  specialize (Best _ H). apply in_keys in H. rewrite strict_passed in H.
  destruct d; unfold passed, step, num in *; destruct Hjs as [H1 H2], H as [H3 H4]; apply Nat.ltb_lt in H2, H4; lia.
Qed.
Lemma step_key m d i : dir_of m = Some d -> strict m = true -> (tail = true \/ d = Past) -> letter w i = true ->
  keys m i <> [].
Proof.
  intros D St T Li. destruct (mask_cases m d D) as [[-> Z]|[-> _]]; [congruence|].
  assert (In (step d i) (keys (strict_of d) i)).
  { apply in_keys. rewrite strict_passed. apply letter_iff in Li. unfold N. destruct d; unfold step, passed.
    split. destruct tail; lia. apply Nat.ltb_lt; lia. destruct T as [-> | T]; [|discriminate]. split. lia.
      apply Nat.ltb_lt; lia. }
  intros E. rewrite E in H. destruct H.
Qed.
End Meaning.
