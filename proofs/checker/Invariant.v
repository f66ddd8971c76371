(* What it means that a channel holds what the checker says, and that rows of such channels are what their tables say.
   *)
From Coq Require Import ZArith QArith Qreals Reals Lia Lra Psatz List Bool Arith.
From Flocq Require Import Core.
From Temper Require Import Rows Format Sums Nearest Exact Rounding Strings Programs Compile Temporal FloatRun NearestHead
  Soundness.
From Temper.checker Require Import Model Checker Points Exactness CountsOk.
Import ListNotations.
Local Open Scope R_scope.

Section Invariant.
Variables (fs fa : format) (ord : order) (bits : kind).
Hypothesis pair : pair_of fs fa ord bits.
Hypothesis sound_kind : sane bits = true.
Variables (tail : bool) (w : list nat) (letters : nat).
Hypothesis in_alphabet : forall i a, at_ w i = Some a -> (a < letters)%nat.
Notation size := (N tail w).

Definition holds (k : content) (x : nat -> R) : Prop := forall i, (i < size)%nat -> match k with
  | Ex g s e => x i = b2R (if letter w i then sat w (den g) i else if Nat.eqb i 0 then s else e)
  | Place => expression fs (INR i / INR size) (x i)
  | Raw g D => number fs (x i) /\ 0 <= x i /\ exists b, Rabs (x i - b2R b) <= Q2R D /\ (letter w i = true ->
    b = sat w (den
      g) i)
  | Mean d g z => x i = quotient fs fa (IZR (amount w g i) + / 2) (INR (length (keys tail w (mask_of d) i)))
      /\ Rabs (x i) <= half z
  | Share d => expression fs (ln (INR (Nat.max (num d size i) 1)) / (16 * INR size)) (x i)
  | Junk => True end.
Definition fits (st : list content) (x : state) := forall c, holds (get st c) (x c).

Lemma number_bit f b : number f (b2R b). Proof. destruct b. apply number_1. apply number_0. Qed.
Lemma exact_at_ok st x p i c b : fits st x -> (i < size)%nat -> point_of w p i -> exact_at st p c = Some b ->
  x c i = b2R b.
Proof.
  intros F Hi P H. specialize (F c i Hi). unfold exact_at in H. destruct (get st c) as [g s e| | | | |]; try discriminate.
  rewrite F. destruct p as [a v| |]; cbn [point_of] in P.
  - destruct P as [A T]. unfold letter. rewrite A. now rewrite (bev_ok w i a v g A T b H).
  - subst i. injection H as <-. reflexivity.
  - destruct P as [A T]. rewrite A. destruct (Nat.eqb_spec i 0); [contradiction|]. now injection H as <-.
Qed.
(* every position has its point *)
Lemma sentinel_point i : (i < size)%nat -> letter w i = false -> point_of w (if Nat.eqb i 0 then Begin else Finish) i.
Proof. intros _ H. destruct (Nat.eqb_spec i 0); cbn; auto. Qed.
Lemma letter_at i : letter w i = true -> exists a, at_ w i = Some a /\ (a < letters)%nat.
Proof. unfold letter. destruct (at_ w i) as [a|] eqn:A; [|discriminate]. exists a. eauto. Qed.

Lemma row_bool_ok st x r p i b : fits st x -> (i < size)%nat -> point_of w p i -> at_most (zabs r) (big bits)
  = true ->
  row_bool st r p = Some b -> row_sum fs fa x r i = b2R b /\ row_val fs fa x r i = b2R b.
Proof.
  intros F Hi P A H. unfold row_bool in H. destruct (zrow (exact_at st p) r) as [z|] eqn:Z; [|discriminate].
  unfold at_most in A. destruct (zabs r) as [s|] eqn:S; [|discriminate]. apply Z.leb_le in A.
  destruct (row_exact fs fa ord bits pair sound_kind x i (exact_at st p) r z s Z S) as (R1 & R2 & _).
  - generalize (big_le bits). lia.
  - intros t y Ht Hy. now apply (exact_at_ok st x p).
  - rewrite R1, R2. assert (z = 0 \/ z = 2)%Z by (destruct z as [|[[]|[]|]|]; try discriminate; auto).
    destruct H0 as [-> | ->]; injection H as <-; unfold half, b2R; simpl; lra.
Qed.
Lemma bool_row_ok cands st x r g : bool_row bits letters cands st r = Some g -> fits st x -> forall i,
  (i < size)%nat ->
  row_sum fs fa x r i = truth w (den g) i /\ row_val fs fa x r i = truth w (den g) i.
Proof.
  unfold bool_row. destruct (at_most (zabs r) (big bits)) eqn:A; [|discriminate].
  destruct (off_sentinels st r) eqn:O; [|discriminate]. destruct (few (row_forms st r)); [|discriminate]. cbn [andb].
  destruct (table (row_bool st r) (points letters (row_forms st r))) as [t|] eqn:T; [|discriminate].
  intros L F i Hi. unfold truth. destruct (letter w i) eqn:Li.
  - destruct (letter_at i Li) as (a & At_ & La). destruct (learned w letters _ cands _ t g i a T L At_ La)
    as (v & P & H).
    exact (row_bool_ok st x r (At a v) i _ F Hi P A H).
  - destruct (sat w (den g) i) eqn:S. apply sat_letter in S. congruence.
    assert (P := sentinel_point i Hi Li). unfold off_sentinels in O.
    destruct (row_bool st r Begin) as [[]|] eqn:B; try discriminate. destruct (row_bool st r Finish) as [[]|] eqn:E;
      try discriminate.
    destruct (Nat.eqb i 0).
    exact (row_bool_ok st x r Begin i false F Hi P A B).
    exact (row_bool_ok st x r Finish i false F Hi P A E).
Qed.
(* two formulas that are alike on letters are alike everywhere *)
Lemma alike_everywhere g h : alike letters g h = true -> forall j, sat w (den g) j = sat w (den h) j.
Proof.
  intros H j. destruct (letter w j) eqn:Lj.
  - destruct (letter_at j Lj) as (a & A & La). now apply (alike_ok w letters g h j a).
  - destruct (sat w (den g) j) eqn:X. apply sat_letter in X; congruence.
    destruct (sat w (den h) j) eqn:Y; auto. apply sat_letter in Y; congruence.
Qed.
Lemma half_is_ok d z : half_is d z = true -> halves d = Some z.
Proof. unfold half_is. destruct (halves d) as [h|]; [|discriminate]. intros H. apply Z.eqb_eq in H. now rewrite H.
  Qed.
Lemma wt_of d z : half_is d z = true -> (Z.abs z <= 2 ^ digits bits)%Z -> wt fs d = half z.
Proof. intros H. apply (wt_half fs fa ord bits pair sound_kind). now apply half_is_ok. Qed.
Lemma two_bits : (16 <= 2 ^ digits bits)%Z.
Proof. apply (digits_16 bits sound_kind). Qed.
Lemma wt_1 d : half_is d 2 = true -> wt fs d = 1.
Proof. intros H. rewrite (wt_of d 2 H). unfold half; simpl; lra. generalize two_bits; lia. Qed.
Lemma wt_m1 d : half_is d (-2) = true -> wt fs d = -1.
Proof. intros H. rewrite (wt_of d (-2) H). unfold half; simpl; lra. generalize two_bits; lia. Qed.
Lemma query_one_ok st x h i : query_one st h = true -> fits st x -> (i < size)%nat ->
  map (fun r => row_val fs fa x r i) (h_query h) = [1].
Proof.
  unfold query_one. intros H F Hi. destruct (h_query h) as [|[|[c d] [|]] [|]]; try discriminate.
  apply andb_prop in H. destruct H as [H1 H2]. unfold is_one in H2. specialize (F c i Hi).
  destruct (get st c) as [[] [] []| | | | |]; try discriminate.
  assert (X : x c i = 1). { rewrite F. cbn [den sat]. unfold letter. destruct (at_ w i); auto.
    now destruct (Nat.eqb i 0). }
  cbn [map]. unfold row_val, row_sum, row_terms. cbn [map asc fst snd]. rewrite (wt_1 d H1), X, Rmult_1_l.
  rewrite !(rnd_id fa 1) by apply number_1. now rewrite Rplus_0_l, !(rnd_id fa 1), (rnd_id fs 1) by apply number_1.
Qed.
End Invariant.
