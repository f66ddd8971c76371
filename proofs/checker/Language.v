(* The checker of files whose specification is a regular expression. It has a hint, which it does not trust: a formula that
   the weights may compute, automata of the expression, and a table that shows that the two are the same (AutomatonOk.v).

   check_language bits file length hint   as `check` of Check.v, with the words of the expression in the place of a formula
   check_language_sound                   if it is true, then in every run the answer at each position is 1 where the letters
                                          up to there (of a file that is read at its first position: from there on) are a
                                          word of the expression, and 0 elsewhere; the answer at the start sentinel is that
                                          for the empty word; and no operation overflows *)
From Coq Require Import ZArith Reals Lia Bool Arith String List.
From Flocq Require Import Core.
From Temper Require Import Format Strings Programs FloatRun.
From Temper.checker Require Import Model Checker Exactness Operations Check Regex RegexOk AutomatonOk.
From Temper.checker Require Parse.
Import ListNotations.
Local Open Scope R_scope.

Definition check_language_text (bits : kind) (t : Parse.text_model) (len : Z) (h : hint) : bool := match regex_of t with
  | Some r => hint_ok (List.length (m_embed (Parse.t_model t))) (Parse.t_first t) r h
      && Bool.eqb (Parse.t_empty t) (nullable r)
      && check_model bits (Parse.t_model t) (hint_fml (Parse.t_first t) h) len (Parse.t_empty t)
  | None => false end.
Definition check_language (bits : kind) (file : string) (len : Z) (h : hint) : bool := match Parse.parse file with
  | Some t => check_language_text bits t len h | None => false end.
(* 1 if it is so, else 0 *)
Definition tells (x : R) (P : Prop) : Prop := P /\ x = 1 \/ ~ P /\ x = 0.
Lemma tells_if (b : bool) (P : Prop) x : (b = true <-> P) -> x = (if b then 1 else 0) -> tells x P.
Proof. unfold tells. intros H ->. destruct b. left. tauto. right. split; auto. intros p. apply H in p. discriminate. Qed.

Section Sound.
Variables (fs fa : format) (ord : order) (bits : kind).
Hypothesis pair : pair_of fs fa ord bits.
Theorem check_language_sound file len h : check_language bits file len h = true ->
  exists t r, Parse.parse file = Some t /\ regex_of t = Some r /\ let m := Parse.t_model t in
  forall w, Forall (fun a => (a < List.length (m_embed m))%nat) w -> (Z.of_nat (List.length w) <= len)%Z ->
  (forall f z, operation fs fa ord m w (f, z) -> Rabs z <= top f) /\
  forall x, model_run fs fa ord m w x ->
  (forall i, (1 <= i <= List.length w)%nat -> tells (answer fs fa m x i) (lang r (part (Parse.t_first t) w i))) /\
  tells (answer fs fa m x 0) (lang r []).
Proof.
  unfold check_language. destruct (Parse.parse file) as [t|]; [|discriminate]. unfold check_language_text.
  destruct (regex_of t) as [r|] eqn:Rt; [|discriminate]. intros H. apply andb_prop in H as [H C].
  apply andb_prop in H as [H E]. apply eqb_prop in E. exists t, r. split; [reflexivity|]. split; [exact Rt|].
  cbv zeta. intros w Al Lw. split. { exact (check_model_in_range fs fa ord bits pair _ _ _ _ C w Al Lw). }
  intros x Run. destruct (check_model_sound fs fa ord bits pair _ _ _ _ C w Al Lw x Run) as [A B]. split.
  - intros i Hi. exact (tells_if _ _ _ (language_sound _ _ r h H w Al i Hi) (A i Hi)).
  - apply (tells_if (Parse.t_empty t)); [|exact B]. rewrite E. apply nullable_ok.
Qed.
End Sound.
