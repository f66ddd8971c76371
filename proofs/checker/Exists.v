(* The theorem is about something: every model has a run on every string. *)
From Coq Require Import ZArith Reals Lia Lra List Bool Arith.
From Flocq Require Import Core.
From Temper Require Import Rows Format Sums NearestAny Strings Programs FloatRun Instances.
From Temper.checker Require Import Model.
Import ListNotations.
Local Open Scope R_scope.

Section Exists.
Variables (fs fa : format) (ord : order) (m : model) (w : list nat).
Notation size := (N (m_end m) w).
Definition E x := rnd fa (exp x).                                       (* the correctly rounded exp *)
Definition head_of (x : state) (h : head) (v : wrow) i : R :=
  softmax_of fs fa E ord (fun j => rnd fa (rnd fa (ereal (h_scale h) 0 (length w) size)
    * dot_of fa (pairs_ fs fa x h i j))) (fun j => row_val fs fa x v j)
    (keys (m_end m) w (h_mask h) i).
Lemma head_exists x h v i : head_row fs fa ord m w x h v i (head_of x h v i).
Proof.
  exists E, (rnd fa (ereal (h_scale h) 0 (length w) size)). eexists. split. apply rounded_exp_model. split.
    apply expression_exists. split; [|split; [|apply softmax_exists]].
  - intros j. apply rnd_number.
  - intros j _. eapply logit_scaled. apply dot_exists. split. apply rnd_number. destruct ord; auto.
    rewrite Rminus_diag_eq, Rabs_R0 by auto. apply ulp_ge_0.
  - intros j. apply rnd_number.
Qed.
Lemma attention_exists x l : exists x', attention fs fa ord m w x l x'.
Proof.
  exists (fun c i => residual fs fa x (map snd (taps l)) (fun i => map (fun o : nat -> R => o i) (map (fun t =>
    head_of x (fst (fst t)) (snd (fst t))) (taps l))) c i).
  exists (map (fun t => head_of x (fst (fst t)) (snd (fst t))) (taps l)). split; auto.
  induction (taps l) as [|t r IH]; constructor; auto. intros i _. apply head_exists.
Qed.
Theorem model_run_exists : exists x, model_run fs fa ord m w x.
Proof.
  assert (L : forall l x, exists x', layers fs fa ord m w l x x').
  { induction l as [|a l IH]; intros x. exists x. constructor. destruct (attention_exists x a) as [y Y].
    destruct (IH (fun c i => residual fs fa y (map u_out (l_units a)) (fun i => map (fun u => hidden fs fa y u i)
      (l_units a)) c i)) as [x' X'].
    exists x'. econstructor; eauto. intros c i _. reflexivity. }
  destruct (L (m_layers m) (fun c i => add_terms fs fa (token_row m w i) c (match nth c (m_channels m)
    None with None => 0 | Some e => rnd fs (ereal e i (length w) size) end))) as [x X].
  exists x. eexists. split; [|exact X]. intros c i _. eexists. split; [|reflexivity].
    destruct (nth c (m_channels m) None); auto. apply expression_exists.
Qed.
End Exists.
