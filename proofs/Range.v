(* doc/certificate.md, "Quantities" and "Softmax rows": what keeps numbers below the largest one of the format.
  Rounding in Format.v has no
   largest number. A machine's run is that of the model up to the first operation whose result is beyond top; these
     bounds say that there
   is none, as far as they go: weights and their sums, and the logits of nearest heads.

   in_range_rnd      what is at most top before rounding is at most top after it
   tree_in_range     no partial sum of weights overflows, whatever the tree, if M (1+u)^M <= top
   scan_in_range     the same, ascending, if 2 M <= top
   nearest_in_range  logits of nearest heads, and their differences, if 64 M <= top *)
From Coq Require Import ZArith Reals Lia Lra Psatz List.
From Flocq Require Import Core.
From Temper Require Import Rows Format Sums Nearest NearestAny Rounding.
Import ListNotations.
Local Open Scope R_scope.

Section Range.
Variable f : format.
Definition in_range x := Rabs x <= top f.
Lemma in_range_rnd x : in_range x -> in_range (rnd f x).
Proof. apply abs_rnd_le. apply top_format. Qed.

(* every partial sum of a tree *)
Variable E : R -> R.
Hypothesis HE : exp_model f E.
Variable win : R.
Hypothesis win_number : number f win.
Fixpoint partial_sums (t : Sums.run) : list R := val f E win t :: match t with
  | Join a b _ => partial_sums a ++ partial_sums b | Top a _ => partial_sums a | TopWin a => partial_sums a | _ =>
    [] end.
Theorem tree_in_range t M : ok f win t -> (size t <= M)%nat -> (1 + u f) ^ M * INR M <= top f ->
  forall x, In x (partial_sums t) -> in_range x.
Proof.
  intros H Sz B. assert (U := u_pos f).
  assert (Node : forall t, ok f win t -> (size t <= M)%nat -> in_range (val f E win t)).
  { intros t0 H0 S0. destruct (val_basic f E HE win win_number t0 H0) as [_ V0]. unfold in_range.
    rewrite Rabs_pos_eq by auto.
    eapply Rle_trans; [apply (val_count f E HE win win_number t0 H0)|]. eapply Rle_trans; [|apply B].
    apply Rmult_le_compat. assert (X := g_ge_1 f (size t0)); lra. apply pos_INR. apply Rle_pow; [lra|auto].
      now apply le_INR. }
  induction t; intros x Hx; cbn [partial_sums] in Hx; destruct Hx as [<-|Hx]; try (now apply Node); try (now
    destruct Hx);
    cbn [ok size] in *.
  - apply in_app_or in Hx. destruct Hx as [Hx|Hx]. apply IHt1; auto. tauto. lia. apply IHt2; auto. tauto. lia.
  - apply IHt; auto. tauto. lia.
  - apply IHt; auto. lia.
Qed.
(* ascending: n weights of at most 1 *)
Theorem scan_in_range ws : weights f ws -> (forall w, In w ws -> w <= 1) -> 2 * INR (length ws) <= top f -> in_range
  (asc f 0 ws).
Proof.
  intros W H1 B. assert (A := asc_ge f 0 ws (number_0 f) W). assert (C := asc_le f 0 ws (number_0 f) W).
  assert (T : total ws <= INR (length ws)).
  { unfold total. rewrite <- (Rmult_1_r (INR _)), <- sum_const. apply sum_le. auto. }
  unfold in_range. rewrite Rabs_pos_eq by auto. lra.
Qed.
(* a nearest head: the scale, the product with a key of at most 2, a unit in the last place, and differences *)
Theorem nearest_in_range n M key : (0 < n <= M)%nat -> Rabs key <= 2 -> 64 * INR M <= top f ->
  in_range (8 * INR n) /\ in_range (8 * INR n * key) /\ forall l l' : R, Rabs l <= 32 * INR M -> Rabs l' <= 32 * INR
    M -> in_range (l - l').
Proof.
  intros Hn Hk B. assert (n0 : 0 < INR n) by (apply lt_0_INR; lia).
    assert (nM : INR n <= INR M) by (apply le_INR; lia). unfold in_range.
  split. rewrite Rabs_pos_eq by lra. lra. split.
  - rewrite Rabs_mult, (Rabs_pos_eq (8 * INR n)) by lra. apply Rle_trans with (8 * INR n * 2).
    apply Rmult_le_compat_l; lra. lra.
  - intros l l' H H'. unfold Rminus. eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. lra.
Qed.
End Range.
