(* doc/theory.md, "Normal form": what the derived operators of the table mean, with quantifiers.
   i is a letter; seen w d i are the letters that i sees, itself included. *)
From Coq Require Import ZArith Lia List Bool Arith.
From Temper Require Import Strings.
Import ListNotations.

Section NormalForm.
Context {A : Type}.
Variables (w : list A) (i : nat).
Hypothesis Li : letter w i = true.

Lemma sat_neg (a : form A) j : letter w j = true -> sat w (Neg a) j = negb (sat w a j).
Proof. intros H. simpl. now rewrite H. Qed.
Theorem disj_means (a b : form A) : sat w (Disj a b) i = sat w a i || sat w b i.
Proof. unfold Disj. simpl. rewrite Li. simpl. now destruct (sat w a i), (sat w b i). Qed.
Theorem once_means d (a : form A) : sat w (Once d a) i = true <-> exists j, In j (seen w d i) /\ sat w a j = true.
Proof. cbn [sat]. rewrite Li. simpl. apply existsb_exists. Qed.
Theorem always_means d (a : form A) : sat w (Always d a) i = true <-> forall j, In j (seen w d i) -> sat w a j = true.
Proof.
  unfold Always. rewrite sat_neg by auto. rewrite negb_true_iff, <- not_true_iff_false, once_means. split.
  - intros H j Hj. destruct (sat w a j) eqn:E; auto. exfalso. apply H. exists j. split; auto.
    rewrite sat_neg, E; auto. now apply in_seen in Hj.
  - intros H (j & Hj & X). rewrite sat_neg in X by (now apply in_seen in Hj). rewrite (H j Hj) in X. discriminate.
Qed.
Theorem since_means d (a b : form A) : sat w (Since d a b) i = true <->
  exists j, In j (seen w d i) /\ sat w b j = true /\ forall k, In k (seen w d i) -> passed d k j = true -> sat w a k
    = true.
Proof.
  cbn [sat]. rewrite Li. simpl andb. rewrite existsb_exists. split; intros (j & Hj & X); exists j; split; auto.
  - apply andb_prop in X. destruct X as [X Y]. split; auto. rewrite forallb_forall in Y. intros k Hk Hp. apply Y.
    apply filter_In. auto.
  - destruct X as [X Y]. rewrite X. simpl. apply forallb_forall. intros k Hk. apply filter_In in Hk. destruct Hk.
    auto.
Qed.
(* R and its mirror image T: b up to the first a, or always *)
Theorem release_means d (a b : form A) : sat w (Release d a b) i = true <->
  forall j, In j (seen w d i) -> sat w b j = true \/ exists k, In k (seen w d i) /\ passed d k j = true /\ sat w a k
    = true.
Proof.
  unfold Release. rewrite sat_neg by auto. rewrite negb_true_iff, <- not_true_iff_false, since_means. split.
  - intros H j Hj. destruct (sat w b j) eqn:E; auto. right.
    destruct (existsb (fun k => passed d k j && sat w a k) (seen w d i)) eqn:X.
    + apply existsb_exists in X. destruct X as (k & Hk & X). apply andb_prop in X. exists k. tauto.
    + exfalso. apply H. exists j. split; auto. split. rewrite sat_neg, E; auto. now apply in_seen in Hj.
      intros k Hk Hp. rewrite sat_neg by (now apply in_seen in Hk). destruct (sat w a k) eqn:Y; auto.
      assert (existsb (fun k => passed d k j && sat w a k) (seen w d i) = true); [|congruence]. apply existsb_exists.
        exists k. now rewrite Hp, Y.
  - intros H (j & Hj & X & Y). rewrite sat_neg in X by (now apply in_seen in Hj).
    destruct (H j Hj) as [B|(k & Hk & Hp & B)].
    rewrite B in X. discriminate. specialize (Y k Hk Hp). rewrite sat_neg, B in Y by (now apply in_seen in Hk).
      discriminate.
Qed.
Theorem step_means d (a : form A) : sat w (Step d a) i = sat w a (step d i).
Proof. cbn [sat]. now rewrite Li. Qed.
(* Z and weak X: true where there is no neighbour *)
Theorem weak_step_means d (a : form A) : sat w (Weak_step d a) i = if letter w (step d i) then sat w a (step d i)
  else true.
Proof.
  unfold Weak_step. rewrite sat_neg, step_means by auto. cbn [sat]. destruct (letter w (step d i)); simpl; auto.
    now rewrite negb_involutive.
Qed.
Theorem strong_release_means d (a b : form A) : sat w (Strong_release d a b) i = true <->
  exists j, In j (seen w d i) /\ sat w a j = true /\ sat w b j = true /\ forall k, In k (seen w d i) -> passed d k j
    = true -> sat w b k = true.
Proof.
  unfold Strong_release. rewrite since_means. split; intros (j & Hj & X & Y); exists j; split; auto; cbn [sat] in *.
  apply andb_prop in X. tauto. destruct Y as [Y Z]. rewrite X, Y. auto.
Qed.
(* W: until, or always *)
Lemma first_of d (p : nat -> bool) l : (exists j, In j l /\ p j = true) ->
  exists j, In j l /\ p j = true /\ forall k, In k l -> passed d k j = true -> p k = false.
Proof.
  induction l as [|a l IH]; intros (j & Hj & Pj); [destruct Hj|].
  destruct (existsb p l) eqn:X.
  - apply existsb_exists in X. destruct IH as (m & Hm & Pm & Fm); auto.
    destruct (p a && passed d a m) eqn:Y.
    + apply andb_prop in Y. destruct Y as [Pa Ya]. exists a. split. now left. split; auto.
      intros k [<-|Hk] Z. exfalso. destruct d; simpl in Z; apply Nat.ltb_lt in Z; lia.
      apply Fm; auto. destruct d; simpl in *; apply Nat.ltb_lt in Z, Ya; apply Nat.ltb_lt; lia.
    + exists m. split. now right. split; auto. intros k [<-|Hk] Z; auto. destruct (p a); auto. simpl in Y. congruence.
  - exists a. destruct Hj as [->|Hj]. split. now left. split; auto. intros k [<-|Hk] Z.
    exfalso. destruct d; simpl in Z; apply Nat.ltb_lt in Z; lia. destruct (p k) eqn:Pk; auto. exfalso.
    assert (existsb p l = true) by (apply existsb_exists; eauto). congruence.
    exfalso. assert (existsb p l = true) by (apply existsb_exists; eauto). congruence.
Qed.
Theorem weak_until_means d (a b : form A) : sat w (Weak_until d a b) i = true <->
  sat w (Since d a b) i = true \/ sat w (Always d a) i = true.
Proof.
  assert (Dj : forall j, In j (seen w d i) -> sat w (Disj a b) j = sat w a j || sat w b j).
  { intros j Hj. apply in_seen in Hj. destruct Hj as [Lj _]. unfold Disj. simpl. rewrite Lj. simpl.
    now destruct (sat w a j), (sat w b j). }
  unfold Weak_until. rewrite release_means, since_means, always_means. split.
  - intros H. destruct (forallb (fun j => sat w a j) (seen w d i)) eqn:Al. { right. now apply forallb_forall. } left.
    assert (Ex : exists j, In j (seen w d i) /\ sat w b j = true).
    { destruct (existsb (fun j => sat w b j) (seen w d i)) eqn:X. now apply existsb_exists in X. exfalso.
      assert (forallb (fun j => sat w a j) (seen w d i) = true); [|congruence]. apply forallb_forall. intros j Hj.
      assert (No : forall k, In k (seen w d i) -> sat w b k = false).
      { intros k Hk. destruct (sat w b k) eqn:Y; auto. assert (existsb (fun j => sat w b j) (seen w d i) = true) by
          (apply existsb_exists; eauto). congruence. }
      destruct (H j Hj) as [B|(k & Hk & _ & B)].
      rewrite (Dj j Hj), (No j Hj) in B. now destruct (sat w a j). rewrite (No k Hk) in B. discriminate. }
    destruct (first_of d (fun j => sat w b j) _ Ex) as (j & Hj & Bj & Fj). exists j. split; auto. split; auto.
    intros k Hk Pk. destruct (H k Hk) as [B|(m & Hm & Pm & B)].
    + rewrite (Dj k Hk), (Fj k Hk Pk), orb_false_r in B. exact B.
    + assert (Pmj : passed d m j = true) by (destruct d; simpl in *; apply Nat.ltb_lt in Pm, Pk; apply Nat.ltb_lt;
      lia).
      rewrite (Fj m Hm Pmj) in B. discriminate.
  - intros [(j & Hj & Bj & Aj)|Al] k Hk; [|left; rewrite (Dj k Hk), (Al k Hk); auto].
    destruct (lt_eq_lt_dec j k) as [[L| ->]|L].
    + destruct d; [left; rewrite (Dj k Hk), (Aj k Hk); auto; simpl; now apply Nat.ltb_lt|right; exists j; repeat
      split; auto;
        simpl; now apply Nat.ltb_lt].
    + left. rewrite (Dj k Hk), Bj. apply orb_true_r.
    + destruct d; [right; exists j; repeat split; auto; simpl; now apply Nat.ltb_lt|left; rewrite (Dj k Hk), (Aj k
      Hk); auto;
        simpl; now apply Nat.ltb_lt].
Qed.
End NormalForm.
