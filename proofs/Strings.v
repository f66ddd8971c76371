(* doc/theory.md, "Setting", and doc/language.md: strings, formulas, and what they mean.
   A string of n letters has the positions 0, 1, ..., n and perhaps n+1; position 0 and those beyond n are sentinels.
   Every operator comes in two directions: Past looks at j <= i, Future at j >= i. Since Future is "until". *)
From Coq Require Import ZArith Reals Lia Lra List Bool Arith.
From Temper Require Import Rows.
Import ListNotations.

Section Strings.
Context {A : Type}.

Definition at_ (w : list A) (i : nat) : option A := match i with O => None | S k => nth_error w k end.
Definition letter w i := match at_ w i with Some _ => true | None => false end.
Definition pos (w : list A) := seq 1 (length w).                       (* the letters' positions *)

Inductive dir := Past | Future.
Definition sees d i j := match d with Past => Nat.leb j i | Future => Nat.leb i j end.
  (* j from i, i itself included *)
Definition passed d i j := match d with Past => Nat.ltb j i | Future => Nat.ltb i j end.  (* the same without i *)
Definition seen w d i := filter (sees d i) (pos w).
Definition step d i := match d with Past => (i - 1)%nat | Future => (i + 1)%nat end.

Inductive form :=
  | Sym (p : A -> bool)                     (* the letter is one of p *)
  | Neg (a : form)
  | Conj (a b : form)
  | Once (d : dir) (a : form)               (* a at some j that i sees *)
  | Since (d : dir) (a b : form)            (* b at some j that i sees, and a at every k between, i included *)
  | Step (d : dir) (a : form)               (* a at the neighbour *)
  | AtLeast (s : lin)                       (* s >= 0 *)
  | Modulo (s : lin) (m : positive) (r : nat)
with lin :=                                 (* whole sums of counts *)
  | Const (b : Z)
  | Plus (k : Z) (d : dir) (a : form) (s : lin).

Fixpoint sat w (f : form) (i : nat) {struct f} : bool := match f with
  | Sym p => match at_ w i with Some a => p a | None => false end
  | Neg a => letter w i && negb (sat w a i)
  | Conj a b => sat w a i && sat w b i
  | Once d a => letter w i && existsb (fun j => sat w a j) (seen w d i)
  | Since d a b => letter w i &&
      existsb (fun j => sat w b j && forallb (fun k => sat w a k) (filter (fun k => passed d k j) (seen w d i)))
        (seen w d i)
  | Step d a => letter w i && sat w a (step d i)
  | AtLeast s => letter w i && Z.leb 0 (value w s i)
  | Modulo s m r => letter w i && Z.eqb (Z.modulo (value w s i) (Z.pos m)) (Z.of_nat r)
  end
with value w (s : lin) (i : nat) {struct s} : Z := match s with
  | Const b => b
  | Plus k d a s' => (k * Z.of_nat (length (filter (fun j => sat w a j) (seen w d i))) + value w s' i)%Z
  end.

Local Open Scope R_scope.
Definition truth w f i : R := if sat w f i then 1 else 0.
Definition real w i : R := if letter w i then 1 else 0.
Definition const := fix const (s : lin) : Z := match s with Const b => b | Plus _ _ _ s' => const s' end.

(* what looks to the right needs an end sentinel *)
Fixpoint past (f : form) : Prop := match f with
  | Sym _ => True | Neg a => past a | Conj a b => past a /\ past b
  | Once d a => d = Past /\ past a | Since d a b => d = Past /\ past a /\ past b | Step d a => d = Past /\ past a
  | AtLeast s => past_lin s | Modulo s _ _ => past_lin s end
with past_lin (s : lin) : Prop := match s with Const _ => True | Plus _ d a s' => d = Past /\ past a /\ past_lin s'
  end.

Lemma letter_iff w i : letter w i = true <-> (1 <= i <= length w)%nat.
Proof.
  unfold letter, at_. destruct i. split; [discriminate|lia].
  destruct (nth_error w i) eqn:E. split; auto. assert (i < length w)%nat by (apply nth_error_Some; congruence). lia.
  split; [discriminate|]. intros. apply nth_error_None in E. lia.
Qed.
Lemma sat_letter w f i : sat w f i = true -> letter w i = true.
Proof.
  induction f; simpl; intros H; try (apply andb_prop in H; tauto).
  unfold letter. destruct (at_ w i); auto.
Qed.
Lemma sat_at_least w s i : sat w (AtLeast s) i = letter w i && Z.leb 0 (value w s i).
Proof. reflexivity. Qed.
Lemma sat_modulo w s m r i : sat w (Modulo s m r) i = letter w i && Z.eqb (Z.modulo (value w s i) (Z.pos m))
  (Z.of_nat r).
Proof. reflexivity. Qed.
Lemma value_plus w k d a s i : value w (Plus k d a s) i = (k * Z.of_nat (length (filter (fun j => sat w a j) (seen w
  d i))) + value w s i)%Z.
Proof. reflexivity. Qed.
Lemma truth_01 w f i : truth w f i = 0 \/ truth w f i = 1.
Proof. unfold truth. destruct (sat w f i); auto. Qed.
Lemma truth_unit w f i : 0 <= truth w f i <= 1.
Proof. unfold truth. destruct (sat w f i); lra. Qed.
Lemma truth_sentinel w f i : letter w i = false -> truth w f i = 0.
Proof. unfold truth. destruct (sat w f i) eqn:E; auto. apply sat_letter in E. congruence. Qed.
Lemma in_seen w d i j : In j (seen w d i) <-> (letter w j = true /\ sees d i j = true).
Proof. unfold seen, pos. rewrite filter_In, in_seq, letter_iff. destruct (sees d i j); intuition; lia. Qed.

(* ---- doc/theory.md, "Normal form": the operators of the table that are written by others ---- *)
Definition Disj a b := Neg (Conj (Neg a) (Neg b)).
Definition Always d a := Neg (Once d (Neg a)).                          (* H, G *)
Definition Weak_step d a := Neg (Step d (Neg a)).                       (* Z, weak X *)
Definition Release d a b := Neg (Since d (Neg a) (Neg b)).              (* T, R *)
Definition Weak_until d a b := Release d b (Disj a b).                  (* W *)
Definition Strong_release d a b := Since d b (Conj a b).                (* M *)
End Strings.
Arguments form A : clear implicits.
Arguments lin A : clear implicits.

Scheme form_lin := Induction for form Sort Prop with lin_form := Induction for lin Sort Prop.
Combined Scheme form_lin_ind from form_lin, lin_form.
