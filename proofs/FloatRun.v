(* doc/numerics.md and doc/certificate.md, "Operations that are covered": what a run in floating point may compute.
   float_run w p e: the channels e are a possible result of the program p on the string w, stored in the format fs
     and summed in fa.
   It is a relation: features and scales are off by what f64 and storing round, logits are made in either way, with
     fused
   operations or not; in order "any" they may be moved by a unit in the last place, and softmax rows are any tree of
     Sums.v, each row with an exp of its own.
   Assumed: every operation is rounded to nearest even (Format.v), exp satisfies exp_model (Sums.v). Numbers have no
   largest one here; that a run stays below it is a part of `sound` (within_range in Sound.v).

   float_run_exists   the relation is not empty: every program has a run on every string *)
From Coq Require Import ZArith Reals Lia Lra Psatz List Bool Arith Permutation.
From Flocq Require Import Core.
From Temper Require Import Rows Heads Format Sums Nearest NearestAny Strings Programs.
Import ListNotations.
Local Open Scope R_scope.

Inductive order := Ascending | AnyOrder.

Section FloatRun.
Context {A : Type}.
Variable tail : bool.
Variables fs fa : format.                                 (* stored, summed *)
Notation N := (N tail). Notation keys := (keys tail).

(* an expression of position and length: at most four roundings of f64, then one to the format f.
   f64's roundings keep order, so a value of at most 1 stays so; a value that is a number of f is computed exactly. *)
Definition v64 := bpow radix2 (-53).
Definition f64_error := (1 + v64) ^ 4 - 1.
Definition expression (f : format) (y x : R) : Prop :=
  (exists y', Rabs (y' - y) <= f64_error * Rabs y /\ (Rabs y <= 1 -> Rabs y' <= 1) /\ x = rnd f y') /\ (number f y ->
    x = y).

(* rows: product by product, in the order of the terms, from 0, then stored *)
Definition terms (e : env) (r : row) i : list R := map (fun t => rnd fa (fst t * chan e (snd t) i)) r.
Definition float_row (e : env) r i := rnd fs (asc fa 0 (terms e r i)).

(* scores, fused or not; logits in both ways; one unit in the last place *)
Section Row.
Variable E : R -> R.
Variable ord : order.
Inductive dot : R -> list (R * R) -> R -> Prop :=
  | dot_nil s : dot s [] s
  | dot_plain s x y l z : dot (rnd fa (s + rnd fa (x * y))) l z -> dot s ((x, y) :: l) z
  | dot_fused s x y l z : dot (rnd fa (s + x * y)) l z -> dot s ((x, y) :: l) z.
Definition moved l0 l := number fa l /\ match ord with Ascending => l = l0
  | AnyOrder => Rabs (l - l0) <= ulp radix2 (FLT_exp (emin fa) (prec fa)) l0 end.
Inductive logit_of (lam : R) (qk : list (R * R)) (l : R) : Prop :=
  | logit_scaled s : dot 0 qk s -> moved (rnd fa (lam * s)) l -> logit_of lam qk l
  | logit_queries s : dot 0 (map (fun t => (rnd fa (lam * fst t), snd t)) qk) s -> moved s l -> logit_of lam qk l.
Definition pairs (e : env) qk i j : list (R * R) := map (fun t => (float_row e (fst t) i, float_row e (snd t) j)) qk.

(* a softmax row; an empty one gives 0 *)
Definition softmax_row (logit v : nat -> R) (K : list nat) (x : R) : Prop := match K with [] => x = 0 | _ =>
  match ord with
  | Ascending => exists top, In top K /\ (forall j, In j K -> logit j <= logit top) /\
      let w j := E (rnd fa (logit j - logit top)) in
      x = quotient fs fa (asc fa 0 (map (fun j => rnd fa (rnd fs (w j) * v j)) K)) (asc fa 0 (map w K))
  | AnyOrder => exists js L t num, Permutation (js :: L) K /\ (forall j, In j K -> logit j <= logit js) /\
      (ok fa (logit js) t /\ refs (fun m => exists j, In j K /\ m = logit j) t) /\ summed fa E logit v (logit js) L
        (Some js) t num /\ x = quotient fs fa num (val fa E
        (logit js) t)
  end end.
End Row.

(* nets: the bias last, hidden numbers stored, the outputs added from 0 *)
Definition hidden (e : env) (t : R * row * R) i := rnd fs (relu (rnd fa (asc fa 0 (terms e (snd (fst t)) i) + snd
  t))).
Definition float_net (e : env) us i := rnd fs (asc fa 0 (map (fun t => rnd fa (fst (fst t) * hidden e t i)) us)).

(* each row of each head has an exp of its own; all are among exps *)
Variable exps : (R -> R) -> Prop.
Variable ord : order.
Definition float_def w (e : env) (d : def A) (c : nat -> R) : Prop := forall i, (i < N w)%nat -> match d with
  | Letter p => c i = match at_ w i with Some a => if p a then 1 else 0 | None => 0 end
  | Feature g => expression fs (g i (N w)) (c i)
  | Head m scale qk v => exists lam logit, expression fa (scale (N w)) lam /\ (forall j, number fa (logit j)) /\
      (forall j, In j (keys w m i) -> logit_of ord lam (pairs e qk i j) (logit j)) /\
      exists E, exps E /\ softmax_row E ord logit (fun j => float_row e v j) (keys w m i) (c i)
  | Net us => c i = float_net e us i end.
Inductive float_run (w : list A) : prog A -> env -> Prop :=
  | float_nil : float_run w [] []
  | float_snoc p e d c : float_run w p e -> float_def w e d c -> float_run w (p ++ [d]) (e ++ [c]).

Lemma float_run_length w p e : float_run w p e -> length e = length p.
Proof. induction 1; auto. rewrite !app_length. simpl. lia. Qed.
Lemma float_run_prefix w p : forall q e, float_run w (p ++ q) e -> float_run w p (firstn (length p) e).
Proof.
  intros q. induction q as [|d q IH] using rev_ind; intros e H.
  - rewrite app_nil_r in H. rewrite <- (float_run_length w p e H), firstn_all. exact H.
  - rewrite app_assoc in H. inversion H as [X|p' e' d' c' H1 H2 X]. destruct (p ++ q); discriminate.
    apply app_inj_tail in X. destruct X as [-> ->]. specialize (IH e' H1).
    assert (Le := float_run_length _ _ _ H1). rewrite app_length in Le.
    rewrite firstn_app. replace (length p - length e')%nat with 0%nat by lia. simpl. now rewrite app_nil_r.
Qed.
Lemma float_run_at w p e c d : float_run w p e -> nth_error p c = Some d -> float_def w (firstn c e) d (fun i => chan
  e c i).
Proof.
  intros H. revert c d. induction H as [|p e d' c' H IH Hd]; intros c d Hc. destruct c; discriminate.
  assert (Le := float_run_length _ _ _ H). destruct (lt_dec c (length p)) as [Lt|Ge].
  - rewrite nth_error_app1 in Hc by auto. specialize (IH c d Hc). rewrite firstn_app.
    replace (c - length e)%nat with 0%nat by lia.
    simpl. rewrite app_nil_r. intros i Hi. specialize (IH i Hi). cbv beta in IH |- *.
    replace (chan (e ++ [c']) c i) with (chan e c i) by (unfold chan; rewrite app_nth1; auto; lia). exact IH.
  - assert (c = length p). { assert (X : nth_error (p ++ [d']) c <> None) by congruence. apply nth_error_Some in X.
    rewrite app_length in X. simpl in X. lia. }
    subst c. rewrite nth_error_app2, Nat.sub_diag in Hc by lia. injection Hc as ->.
    rewrite firstn_app, <- Le, Nat.sub_diag, firstn_all. simpl. rewrite app_nil_r. intros i Hi. specialize (Hd i Hi).
      cbv beta in Hd |- *.
    replace (chan (e ++ [c']) (length e) i) with (c' i) by (unfold chan; rewrite app_nth2, Nat.sub_diag; auto).
      exact Hd.
Qed.

End FloatRun.

(* ---- the relation is not empty: one of its runs, as a function ---- *)
Section Exists.
Context {A : Type}.
Variable tail : bool.
Variables fs fa : format.
Variable E : R -> R.
Variable ord : order.
Variable exps : (R -> R) -> Prop.
Hypothesis E_is : exps E.
Notation N := (N tail). Notation keys := (keys tail). Notation float_row := (float_row fs fa).
Notation pairs := (pairs fs fa). Notation float_net := (float_net fs fa). Notation dot := (dot fa).
Notation softmax_row := (softmax_row fs fa E ord). Notation float_def := (float_def tail fs fa exps ord).
Notation float_run := (float_run tail fs fa exps ord).
Definition dot_of (l : list (R * R)) : R := fold_left (fun s t => rnd fa (s + fst t * snd t)) l 0.
Fixpoint pick (logit : nat -> R) k r : nat * list nat := match r with [] => (k, [])
  | a :: r' => let t := pick logit a r' in if Rle_dec (logit k) (logit (fst t)) then (fst t, k :: snd t) else (k, fst
    t :: snd t) end.
(* in any order, for example: the winner first, then every other key against it, as the dense kernel does *)
Fixpoint dense_tree (logit : nat -> R) win L : Sums.run := match L with [] => Win
  | a :: r => Join (Key (logit a) win) (dense_tree logit win r) win end.
Fixpoint dense_sum (logit v : nat -> R) js L : R := match L with [] => v js
  | a :: r => rnd fa (rnd fa (rnd fa (E (rnd fa (logit a - logit js)) * v a) * E (rnd fa (logit js - logit js)))
                      + rnd fa (dense_sum logit v js r * E (rnd fa (ref (logit js) (dense_tree logit (logit js) r) -
                        logit js)))) end.
Definition softmax_of (logit v : nat -> R) K : R := match K with [] => 0 | k :: r =>
  let t := pick logit k r in let js := fst t in
  match ord with
  | Ascending => quotient fs fa (asc fa 0 (map (fun j => rnd fa (rnd fs (E (rnd fa (logit j - logit js))) * v j)) K))
                                (asc fa 0 (map (fun j => E (rnd fa (logit j - logit js))) K))
  | AnyOrder => quotient fs fa (dense_sum logit v js (snd t)) (val fa E (logit js) (dense_tree logit (logit js) (snd
    t)))
  end end.
Definition def_of w (e : env) (d : def A) (i : nat) : R := match d with
  | Letter p => match at_ w i with Some a => if p a then 1 else 0 | None => 0 end
  | Feature g => rnd fs (g i (N w))
  | Head m scale qk v => softmax_of (fun j => rnd fa (rnd fa (scale (N w)) * dot_of (pairs e qk i j))) (float_row e
    v) (keys w m i)
  | Net us => float_net e us i end.
Fixpoint run_of_from w (e : env) (p : prog A) : env := match p with [] => e | d :: r => run_of_from w (e ++ [def_of w
  e d]) r end.
Definition run_of w (p : prog A) : env := run_of_from w [] p.

Lemma expression_exists f y : expression f y (rnd f y).
Proof.
  split. 2: apply rnd_id. exists y. rewrite Rminus_diag_eq, Rabs_R0 by auto. split; [|split; auto].
  apply Rmult_le_pos; [|apply Rabs_pos]. unfold f64_error, v64. assert (B := bpow_gt_0 radix2 (-53)). nra.
Qed.
Lemma dot_exists l : dot 0 l (dot_of l).
Proof. unfold dot_of. generalize 0 at 1 2. induction l as [|[x y] l IH]; simpl; intros s. constructor.
  apply dot_fused. apply IH. Qed.
Lemma pick_ok logit r : forall k, Permutation (fst (pick logit k r) :: snd (pick logit k r)) (k :: r) /\
  (forall j, In j (k :: r) -> logit j <= logit (fst (pick logit k r))).
Proof.
  induction r as [|a r IH]; intros k. simpl. split; auto. intros j [<-|[]]; lra.
  destruct (IH a) as [P M]. cbn [pick]. cbv zeta. destruct (Rle_dec (logit k) (logit (fst (pick logit a r)))) as
    [H|H]; cbn [fst snd].
  - split. eapply perm_trans. apply perm_swap. now apply perm_skip. intros j [<-|Hj]; auto.
  - split. now apply perm_skip. intros j [<-|Hj]. lra. specialize (M j Hj). lra.
Qed.
Lemma dense_ok (logit v : nat -> R) js L : (forall j, number fa (logit j)) -> (forall j, In j L -> logit j <= logit
  js) ->
  (ok fa (logit js) (dense_tree logit (logit js) L) /\
   refs (fun m => exists j, In j (js :: L) /\ m = logit j) (dense_tree logit (logit js) L)) /\ ref (logit js)
     (dense_tree logit (logit js) L) = logit js /\
  summed fa E logit v (logit js) L (Some js) (dense_tree logit (logit js) L) (dense_sum logit v js L).
Proof.
  intros Nl. induction L as [|a L IH]; intros HL.
  - repeat split; constructor; auto.
  - destruct IH as ((Ok & Rs) & Rf & S); [intros; apply HL; now right|]. cbn [dense_tree dense_sum]. split; [|split].
    + split. cbn [ok ref]. rewrite Rf. repeat split; auto; try lra; try apply Nl; apply HL; now left.
      cbn [refs]. assert (X : exists j, In j (js :: a :: L) /\ logit js = logit j) by (exists js; simpl; auto).
      repeat split; auto. clear - Rs. revert Rs. generalize (dense_tree logit (logit js) L). intros t.
      induction t; cbn [refs]; try tauto; try (intros (j & [<-|Hj] & ->); [exists js|exists j]; simpl; now auto).
      intros (H1 & H2 & j & Hj & ->). repeat split; auto. exists j. simpl in *. tauto.
      intros (H1 & j & Hj & ->). split; auto. exists j. simpl in *. tauto.
    + reflexivity.
    + apply (s_join_r fa E logit v (logit js) [a] L (Some js) (Key (logit a) (logit js))). constructor. exact S.
Qed.
Lemma softmax_exists logit v K : (forall j, number fa (logit j)) -> softmax_row logit v K (softmax_of logit v K).
Proof.
  intros Nl. destruct K as [|k r]. reflexivity. unfold softmax_row, softmax_of. destruct (pick_ok logit r k) as [P M].
  set (t := pick logit k r) in *. cbv zeta. destruct ord.
  - exists (fst t). split. apply (Permutation_in _ P). now left. split; auto.
  - destruct (dense_ok logit v (fst t) (snd t) Nl) as (Ok & _ & S). { intros j Hj. apply M.
    apply (Permutation_in _ P). now right. }
    destruct Ok as [Ok Rs]. assert (Rs' : refs (fun m => exists j, In j (k :: r) /\ m = logit j) (dense_tree logit
      (logit
      (fst t)) (snd t))).
    { clear - Rs P. revert Rs. generalize (dense_tree logit (logit (fst t)) (snd t)). intros q.
      assert (X : forall m, (exists j, In j (fst t :: snd t) /\ m = logit j) -> exists j, In j (k :: r) /\ m = logit
        j)
        by (intros m (j & Hj & ->); exists j; split; auto; now apply (Permutation_in _ P)).
      induction q; cbn [refs]; intuition. }
    exists (fst t), (snd t), (dense_tree logit (logit (fst t)) (snd t)), (dense_sum logit v (fst t) (snd t)). auto.
Qed.
Lemma def_exists w e d : float_def w e d (def_of w e d).
Proof.
  intros i Hi. destruct d; cbn [def_of]; auto. apply expression_exists.
  exists (rnd fa (scale (N w))). eexists. split. apply expression_exists. split; [|split; [|exists E; split; [exact
    E_is|apply softmax_exists]]].
  - intros j. apply rnd_number.
  - intros j _. eapply logit_scaled. apply dot_exists. split. apply rnd_number. destruct ord; auto.
    rewrite Rminus_diag_eq, Rabs_R0 by auto. apply ulp_ge_0.
  - intros j. apply rnd_number.
Qed.
Theorem float_run_exists w p : float_run w p (run_of w p).
Proof.
  assert (H : forall q r e, float_run w q e -> float_run w (q ++ r) (run_of_from w e r)).
  { intros q r. revert q. induction r as [|d r IH]; intros q e He; simpl. now rewrite app_nil_r.
    replace (q ++ d :: r) with ((q ++ [d]) ++ r) by (now rewrite <- app_assoc). apply IH. constructor; auto.
      apply def_exists. }
  apply (H [] p []). constructor.
Qed.
End Exists.
