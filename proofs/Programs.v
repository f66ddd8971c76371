(* doc/theory.md, "Setting": a softmax transformer as a list of channels.
   Each channel is an embedding of letters, a feature of position and length, the output of one softmax head, or one
     output of
   a feed-forward net, and reads earlier channels through rows (linear forms). Nothing here knows of formulas.
   How channels share places in the residual stream, and sublayers share a layer, is left out: doc/theory.md, "Layers
     and channels". *)
From Coq Require Import ZArith Reals Lia Lra List Bool Arith.
From Temper Require Import Rows Strings.
Import ListNotations.
Local Open Scope R_scope.

Definition row := list (R * nat).                        (* weight, channel *)
Inductive mask := All | Before | UpTo | After | From.
Definition allowed m i j := match m with All => true | Before => Nat.ltb j i | UpTo => Nat.leb j i
                            | After => Nat.ltb i j | From => Nat.leb i j end.
Inductive def (A : Type) :=
  | Letter (p : A -> bool)                               (* an embedding: 0 on sentinels *)
  | Feature (g : nat -> nat -> R)                        (* of the position i and the number N of positions: no
    letter *)
  | Head (m : mask) (scale : nat -> R) (qk : list (row * row)) (v : row)     (* query and key rows, value row *)
  | Net (units : list (R * row * R)).                    (* sum of out * relu(row + bias) *)
Arguments Letter {A} p. Arguments Feature {A} g. Arguments Head {A} m scale qk v. Arguments Net {A} units.
Definition prog A := list (def A).

Definition relu x := Rmax 0 x.
Definition env := list (nat -> R).
Definition chan (e : env) (c i : nat) : R := nth c e (fun _ => 0) i.
Definition row_at (e : env) (r : row) i := sum (fun t => fst t * chan e (snd t) i) r.

Section Run.
Context {A : Type}.
Variable tail : bool.                                    (* is there an end sentinel? *)
Definition N (w : list A) := (length w + if tail then 2 else 1)%nat.
Definition keys w m i := filter (allowed m i) (seq 0 (N w)).
Definition eval_def w (e : env) (d : def A) (i : nat) : R := match d with
  | Letter p => match at_ w i with Some a => if p a then 1 else 0 | None => 0 end
  | Feature g => g i (N w)
  | Head m scale qk v => output (fun j => scale (N w) * sum (fun t => row_at e (fst t) i * row_at e (snd t) j) qk)
                                (fun j => row_at e v j) (keys w m i)
  | Net us => sum (fun t => fst (fst t) * relu (row_at e (snd (fst t)) i + snd t)) us end.
Fixpoint run_from w (e : env) (p : prog A) : env := match p with [] => e | d :: r => run_from w (e ++ [eval_def w e
  d]) r end.
Definition run w (p : prog A) : env := run_from w [] p.

Lemma run_from_length w p : forall e, length (run_from w e p) = (length e + length p)%nat.
Proof. induction p; simpl; intros; [lia|]. rewrite IHp, app_length. simpl. lia. Qed.
Lemma run_length w p : length (run w p) = length p.
Proof. apply run_from_length. Qed.
Lemma run_app w p q : run w (p ++ q) = run_from w (run w p) q.
Proof. unfold run. generalize (@nil (nat -> R)). induction p; simpl; auto. Qed.
Lemma run_from_keep w q : forall e c i, (c < length e)%nat -> chan (run_from w e q) c i = chan e c i.
Proof.
  induction q; simpl; intros; auto. rewrite IHq by (rewrite app_length; lia).
  unfold chan. now rewrite app_nth1.
Qed.
Lemma run_keep w p q c i : (c < length p)%nat -> chan (run w (p ++ q)) c i = chan (run w p) c i.
Proof. intros. rewrite run_app. apply run_from_keep. now rewrite run_length. Qed.
Lemma run_from_firstn w q : forall e, firstn (length e) (run_from w e q) = e.
Proof.
  induction q; simpl; intros e. apply firstn_all.
  specialize (IHq (e ++ [eval_def w e a])). rewrite app_length in IHq. simpl in IHq.
  rewrite <- (firstn_firstn (run_from w (e ++ [eval_def w e a]) q) (length e) (length e + 1)) at 1 || idtac.
  assert (E : firstn (length e) (firstn (length e + 1) (run_from w (e ++ [eval_def w e a]) q)) = e).
  { rewrite IHq, firstn_app, Nat.sub_diag, firstn_all. simpl. apply app_nil_r. }
  rewrite firstn_firstn in E. rewrite Nat.min_l in E by lia. exact E.
Qed.
Lemma chan_firstn e m c i : (c < m)%nat -> chan (firstn m e) c i = chan e c i.
Proof.
  unfold chan. revert e c. induction m; intros e c H; [lia|]. destruct e; [destruct c; auto|].
    destruct c; simpl; auto. apply IHm. lia.
Qed.
Lemma row_firstn e m r i : (forall t, In t r -> (snd t < m)%nat) -> row_at (firstn m e) r i = row_at e r i.
Proof. intros H. apply sum_ext. intros t Ht. rewrite chan_firstn; auto. Qed.

(* the j-th channel of a block that was put after p *)
Lemma at_block w p bl j d i : nth_error bl j = Some d ->
  chan (run w (p ++ bl)) (length p + j) i = eval_def w (firstn (length p + j) (run w (p ++ bl))) d i.
Proof.
  intros H. destruct (nth_error_split bl j H) as (b1 & b2 & -> & Lj).
  replace (p ++ b1 ++ d :: b2) with ((p ++ b1) ++ d :: b2) by (now rewrite <- app_assoc).
  assert (L : (length p + j)%nat = length (run w (p ++ b1))) by (rewrite run_length, app_length; lia).
  rewrite L, run_app. rewrite (run_from_firstn w (d :: b2) (run w (p ++ b1))).
  simpl. rewrite run_from_keep by (rewrite app_length; simpl; lia).
  unfold chan. rewrite app_nth2, Nat.sub_diag by lia. reflexivity.
Qed.
Lemma in_keys w m i j : In j (keys w m i) <-> ((j < N w)%nat /\ allowed m i j = true).
Proof. unfold keys. rewrite filter_In, in_seq. intuition; lia. Qed.
Lemma keys_NoDup w m i : NoDup (keys w m i).
Proof. apply NoDup_filter, seq_NoDup. Qed.
Lemma keys_length w m i : (length (keys w m i) <= N w)%nat.
Proof.
  unfold keys. rewrite <- (seq_length (N w) 0) at 2. generalize (seq 0 (N w)).
  induction l; simpl; auto. destruct (allowed m i a); simpl; lia.
Qed.
End Run.
