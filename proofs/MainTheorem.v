(* The theorem over the reals: for every formula the compiled softmax transformer computes it, at every position of
  every string of
   every length. It is one program for all strings: transformer does not see the string.

   soft_transformer         every channel program that transformer makes, by both methods, with and without an end
     sentinel
   soft_transformer_exists  the same, as a reader wants it *)
From Coq Require Import ZArith Reals Lia Lra List Bool Arith.
From Temper Require Import Rows Strings Programs Compile Temporal Counting Residues.
Import ListNotations.
Local Open Scope R_scope.

Section Main.
Context {A : Type}.
Variable tail : bool.
Variable me : method.
Notation computes := (computes tail). Notation reads := (reads tail).

Lemma modulo_computes (p : prog A) s ts m r : good p -> reads p s ts ->
  let g := group me m ts (const s) p in
  computes (fst g ++ [Net (if Nat.ltb r (Pos.to_nat m) then [(1, [(1, (snd g + r)%nat)], 0)] else [])]) (length (fst
    g)) (Modulo s m r).
Proof.
  intros G Rd g. destruct (group_computes tail me s ts m p G Rd) as (E & B & C). fold g in E, B, C. intros w i Hi.
  assert (G' := extends_good _ _ E G). rewrite <- (Nat.add_0_r (length (fst g))).
  destruct (Nat.ltb_spec r (Pos.to_nat m)) as [Hr|Hr].
  - rewrite (block_net tail (fst g) [Net [(1, [(1, (snd g + r)%nat)], 0)]] w 0 _ i eq_refl) by rows. unfold row_at.
    cbn [sum fst snd].
    rewrite (block_old tail (fst g) _ w (snd g + r) _ i) by (try apply C; auto; lia).
    assert (U := truth_unit w (Modulo s m r) i). rewrite relu_pos by lra. lra.
  - rewrite (block_net tail (fst g) [Net []] w 0 _ i eq_refl) by rows. cbn [sum]. unfold truth. rewrite sat_modulo.
    assert (V := Z.mod_pos_bound (value w s i) (Z.pos m) eq_refl). assert (EM := positive_nat_Z m).
    destruct (Z.eqb_spec (value w s i mod Z.pos m) (Z.of_nat r)) as [X|X]. exfalso; lia. now rewrite andb_false_r.
Qed.

(* what looks to the right needs the end sentinel *)
Definition fits_tail (f : form A) := tail = true \/ past f.
Definition fits_tail_lin (s : lin A) := tail = true \/ past_lin s.

Lemma compile_at_least (s : lin A) p : compile me (AtLeast s) p = (let q := compile_lin me s p in let bl :=
  at_least_block me (snd q) (const s) (length (fst q)) in
  (fst q ++ bl, (length (fst q) + (length bl - 1))%nat)).
Proof. reflexivity. Qed.
Lemma compile_modulo (s : lin A) m r p : compile me (Modulo s m r) p = (let q := compile_lin me s p in let g := group
  me m (snd q) (const s) (fst q) in
  (fst g ++ [Net (if Nat.ltb r (Pos.to_nat m) then [(1, [(1, (snd g + r)%nat)], 0)] else [])], length (fst g))).
Proof. reflexivity. Qed.
Lemma compile_plus k d (a : form A) s p : compile_lin me (Plus k d a s) p = (let q := compile me a p in let r :=
  compile_lin me s (fst q) in (fst r, (k, d, snd q) :: snd r)).
Proof. reflexivity. Qed.

Theorem compile_computes : (forall f : form A, fits_tail f -> forall p, good p ->
    let q := compile me f p in extends p (fst q) /\ (snd q < length (fst q))%nat /\ computes (fst q) (snd q) f) /\
  (forall s : lin A, fits_tail_lin s -> forall p, good p ->
    let q := compile_lin me s p in extends p (fst q) /\ reads (fst q) s (snd q)).
Proof.
  unfold fits_tail, fits_tail_lin. apply form_lin_ind.
  - intros q _ p G. cbn. split; [apply extends_app|]. split. rewrite app_length; simpl; lia.
    intros w i Hi. rewrite <- (Nat.add_0_r (length p)). rewrite (at_block tail w p [Letter q] 0 (Letter q) i
      eq_refl). cbn. unfold truth. cbn. now destruct (at_ w i).
  - intros a IH F p G. destruct (IH F p G) as (E & B & C). cbn [compile fst snd]. set (q := compile me a p) in *.
    split. eapply extends_trans; [apply E|apply extends_app]. split. rewrite app_length; simpl; lia.
    apply negation_computes; auto. eapply extends_good; eauto.
  - intros a IHa b IHb F p G. assert (Fa : tail = true \/ past a) by (destruct F as [|[]]; auto).
    assert (Fb : tail = true \/ past b) by (destruct F as [|[]]; auto).
    destruct (IHa Fa p G) as (Ea & Ba & Ca). cbn [compile fst snd]. set (q := compile me a p) in *.
    assert (Gq := extends_good _ _ Ea G). destruct (IHb Fb (fst q) Gq) as (Eb & Bb & Cb).
      set (r := compile me b (fst q)) in *.
    assert (Lq := extends_length _ _ Eb).
    split. eapply extends_trans; [apply Ea|]. eapply extends_trans; [apply Eb|apply extends_app]. split.
      rewrite app_length; simpl; lia.
    apply conjunction_computes; auto. eapply extends_good; eauto. lia. now apply (extends_computes tail (fst q)).
  - intros d a IH F p G. assert (Fa : tail = true \/ past a) by (destruct F as [|[]]; auto).
    destruct (IH Fa p G) as (E & B & C). cbn [compile fst snd]. set (q := compile me a p) in *.
    split. eapply extends_trans; [apply E|apply extends_app]. split. rewrite app_length; simpl; lia.
    apply once_computes; auto. eapply extends_good; eauto.
  - intros d a IHa b IHb F p G. assert (Fa : tail = true \/ past a) by (destruct F as [|(_ & ? & ?)]; auto).
    assert (Fb : tail = true \/ past b) by (destruct F as [|(_ & ? & ?)]; auto).
    destruct (IHa Fa p G) as (Ea & Ba & Ca). cbn [compile fst snd]. set (q := compile me a p) in *.
    assert (Gq := extends_good _ _ Ea G). destruct (IHb Fb (fst q) Gq) as (Eb & Bb & Cb).
      set (r := compile me b (fst q)) in *.
    assert (Lq := extends_length _ _ Eb).
    split. eapply extends_trans; [apply Ea|]. eapply extends_trans; [apply Eb|apply extends_app]. split.
      rewrite app_length; simpl; lia.
    apply since_computes; auto. eapply extends_good; eauto. lia. now apply (extends_computes tail (fst q)).
  - intros d a IH F p G. assert (Fa : tail = true \/ past a) by (destruct F as [|[]]; auto).
    assert (D : dir_ok tail d) by (unfold dir_ok; destruct F as [|[]]; auto).
    destruct (IH Fa p G) as (E & B & C). cbn [compile fst snd]. set (q := compile me a p) in *.
    split. eapply extends_trans; [apply E|apply extends_app]. split. rewrite app_length; simpl; lia.
    apply step_computes; auto. eapply extends_good; eauto.
  - intros s IH F p G. destruct (IH F p G) as (E & Rd). cbv zeta. rewrite compile_at_least. cbv zeta. cbn [fst snd].
    set (q := compile_lin me s p) in *.
    split. eapply extends_trans; [apply E|apply extends_app]. split.
    + rewrite app_length. enough (0 < length (at_least_block (A := A) me (snd q) (const s) (length (fst q))))%nat by
      lia.
      unfold at_least_block. destruct forallb; [simpl; lia|]. destruct forallb; simpl; lia.
    + apply at_least_computes; auto. eapply extends_good; eauto.
  - intros s IH m r F p G. destruct (IH F p G) as (E & Rd). cbv zeta. rewrite compile_modulo. cbv zeta.
    cbn [fst snd]. set (q := compile_lin me s p) in *.
    assert (Gq := extends_good _ _ E G). destruct (group_computes tail me s (snd q) m (fst q) Gq Rd) as (Eg & _ & _).
    split. eapply extends_trans; [apply E|]. eapply extends_trans; [apply Eg|apply extends_app]. split.
      rewrite app_length; simpl; lia.
    now apply modulo_computes.
  - intros b _ p G. cbn [compile_lin fst snd]. split. exists []. now rewrite app_nil_r. constructor.
  - intros k d a IHa s IHs F p G. assert (Fa : tail = true \/ past a) by (destruct F as [|(_ & ? & ?)]; auto).
    assert (Fs : tail = true \/ past_lin s) by (destruct F as [|(_ & ? & ?)]; auto).
    assert (D : dir_ok tail d) by (unfold dir_ok; destruct F as [|[]]; auto).
    destruct (IHa Fa p G) as (Ea & Ba & Ca). cbv zeta. rewrite compile_plus. cbv zeta. cbn [fst snd].
      set (q := compile me a p) in *.
    assert (Gq := extends_good _ _ Ea G). destruct (IHs Fs (fst q) Gq) as (Es & Rs).
      set (r := compile_lin me s (fst q)) in *.
    assert (Lq := extends_length _ _ Es).
    split. eapply extends_trans; eauto. constructor; auto. lia. now apply (extends_computes tail (fst q)).
Qed.
End Main.

Theorem soft_transformer {A} (me : method) (tail : bool) (f : form A) : tail = true \/ past f ->
  forall w i, (1 <= i <= length w)%nat ->
  chan (run tail w (fst (transformer me f))) (snd (transformer me f)) i = if sat w f i then 1 else 0.
Proof.
  intros F w i Hi. destruct (proj1 (compile_computes tail me) f F [real_def] eq_refl) as (_ & _ & C). apply C.
  unfold N. destruct tail; lia.
Qed.
Corollary soft_transformer_exists {A} (f : form A) : exists p c, forall w i, (1 <= i <= length w)%nat ->
  chan (run true w p) c i = if sat w f i then 1 else 0.
Proof. exists (fst (transformer Temperature f)), (snd (transformer Temperature f)). intros.
  apply soft_transformer; auto. Qed.
