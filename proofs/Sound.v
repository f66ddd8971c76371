(* doc/certificate.md, "What is claimed": soundness for all formulas of letters, negation, conjunction, since,
  until, yesterday, next, once and
   comparisons of counts that look one way, by temperature.

   covered   the formulas that are here, each kind of head with its inequalities
   sound     if the inequalities hold, then for every string of up to M positions and every possible run in floating
     point, the
             channel that the compiler names holds the formula's truth, at every position *)
From Coq Require Import ZArith Reals Lia Lra List Bool Arith.
From Flocq Require Import Core.
From Temper Require Import Rows Heads Format Sums Nearest NearestAny Rounding Strings Programs Compile Temporal
  MainTheorem
  FloatRun NearestHead OnceHead OnceTree OnceAny Soundness SoundFormulas SoundCompare.
Import ListNotations.
Local Open Scope R_scope.

(* the inequalities of nearest heads: k with 16 M < 2^k, and what storing a key loses *)
Definition near_fine (fs fa : format) (ord : order) (M : nat) : Prop := exists k stored_error,
  (forall x, number fa x -> Rabs x <= 2 -> Rabs (rnd fs x - x) <= stored_error) /\ (Z.of_nat M <= 2 ^ prec fa)%Z /\
  16 * INR M < bpow radix2 k /\ near_ok fs fa ord M k stored_error.
(* and of a comparison *)
Definition compare_fine {A} (fs fa : format) (ord : order) (M : nat) (s : lin A) : Prop :=
  compare_ok fs fa ord M (lin_weight s) (Rabs (IZR (const s) + / 2)).
(* all counts of a sum look the same way *)
Fixpoint looks {A} (d : dir) (s : lin A) : Prop := match s with Const _ => True | Plus _ d' _ s' => d' = d /\ looks
  d s' end.

Section Covered.
Context {A : Type}.
Variables (near once : Prop) (compare : lin A -> Prop).
Fixpoint covered (f : form A) : Prop := match f with
  | Sym _ => True | Neg a => covered a | Conj a b => covered a /\ covered b
  | Since _ a b => near /\ covered a /\ covered b | Step _ a => near /\ covered a
  | Once _ a => once /\ covered a
  | AtLeast s => compare s /\ (looks Past s \/ looks Future s) /\ covered_lin s
  | Modulo _ _ _ => False end
with covered_lin (s : lin A) : Prop := match s with Const _ => True | Plus _ _ a s' => covered a /\ covered_lin s'
  end.
End Covered.

Section Sound.
Context {A : Type}.
Variable tail : bool.
Variables fs fa : format.
Hypothesis incl : forall x, number fs x -> number fa x.
Hypothesis fine : fs = fa \/ 2 * tiny fa <= tiny fs.
Hypothesis bits : (3 <= prec fs)%Z.
Hypothesis bits_a : (4 <= prec fa)%Z.
Variable E : R -> R.
Hypothesis HE : exp_model fa E.
Variable ord : order.
Variable M : nat.
Notation float_computes := (float_computes tail fs fa E ord M).
Notation float_reads := (float_reads tail fs fa E ord M).
Definition formula_ok (f : form A) := covered (near_fine fs fa ord M) (once_fine fs fa ord M) (compare_fine fs fa
  ord M) f.
Definition lin_ok (s : lin A) := covered_lin (near_fine fs fa ord M) (once_fine fs fa ord M) (compare_fine fs fa ord
  M) s.

Lemma looks_all (p : prog A) d s ts : looks d s -> float_reads p s ts -> forall t, In t ts -> look t = d.
Proof.
  intros H Rd. induction Rd; intros t Ht; [destruct Ht|]. destruct H as [-> H]. destruct Ht as [<-|Ht]; auto.
Qed.
Lemma past_looks (s : lin A) : past_lin s -> looks Past s.
Proof. induction s; cbn; auto. intros (-> & _ & H). auto. Qed.
Lemma at_least_sound (p : prog A) s ts : compare_fine fs fa ord M s -> (looks Past s \/ looks Future s) -> tail =
  true \/ past_lin s -> good p -> float_reads p s ts ->
  let bl := at_least_block Temperature ts (const s) (length p) in float_computes (p ++ bl) (length p + (length bl -
    1)) (AtLeast s).
Proof.
  intros Ok Lk F G Rd. cbv zeta. unfold at_least_block.
  destruct (forallb (fun t => same Past (look t)) ts) eqn:E1; [|destruct (forallb (fun t => same Future (look t))
    ts) eqn:E2].
  - rewrite forallb_forall in E1. apply (compare_sound tail fs fa incl fine bits bits_a E HE ord M); auto.
    intros t Ht. specialize (E1 t Ht). destruct (look t); [auto|discriminate]. now left.
  - rewrite forallb_forall in E2. assert (D : forall t, In t ts -> look t = Future) by (intros t Ht; specialize (E2 t
    Ht); destruct (look t); [discriminate|auto]).
    apply (compare_sound tail fs fa incl fine bits bits_a E HE ord M); auto. destruct F as [F|F]. now right. exfalso.
    destruct ts as [|t0 l]; [discriminate|]. assert (X := looks_all p Past s (t0 :: l) (past_looks s F) Rd t0
      (or_introl eq_refl)).
    rewrite (D t0 (or_introl eq_refl)) in X. discriminate.
  - exfalso. destruct Lk as [Lk|Lk].
    + assert (X : forallb (fun t => same Past (look t)) ts = true); [|congruence]. apply forallb_forall. intros t Ht.
      now rewrite (looks_all p Past s ts Lk Rd t Ht).
    + assert (X : forallb (fun t => same Future (look t)) ts = true); [|congruence]. apply forallb_forall.
      intros t Ht.
      now rewrite (looks_all p Future s ts Lk Rd t Ht).
Qed.

Theorem sound_program : (forall f : form A, formula_ok f -> tail = true \/ past f -> forall p, good p ->
    let q := compile Temperature f p in extends p (fst q) /\ (snd q < length (fst q))%nat /\ float_computes (fst q)
      (snd q) f) /\
  (forall s : lin A, lin_ok s -> tail = true \/ past_lin s -> forall p, good p ->
    let q := compile_lin Temperature s p in extends p (fst q) /\ float_reads (fst q) s (snd q)).
Proof.
  unfold formula_ok, lin_ok. apply form_lin_ind.
  - intros q _ _ p G. cbn. split; [apply extends_app|]. split. rewrite app_length; simpl; lia.
    intros w e NM Run i Hi. rewrite <- (Nat.add_0_r (length p)).
    assert (X := fb_at tail fs fa E ord p [Letter q] w e Run 0 (Letter q) i eq_refl Hi I i Hi). cbn in X |- *.
      rewrite X. unfold truth. cbn. now destruct (at_ w i).
  - intros a IH Nf F p G. destruct (IH Nf F p G) as (Ex & B & C). cbn [compile fst snd].
    set (q := compile Temperature a p) in *.
    split. eapply extends_trans; [apply Ex|apply extends_app]. split. rewrite app_length; simpl; lia.
    apply negation_sound; auto. eapply extends_good; eauto.
  - intros a IHa b IHb [Na Nb] F p G. assert (Fa : tail = true \/ past a) by (destruct F as [|[]]; auto).
    assert (Fb : tail = true \/ past b) by (destruct F as [|[]]; auto).
    destruct (IHa Na Fa p G) as (Ea & Ba & Ca). cbn [compile fst snd]. set (q := compile Temperature a p) in *.
    assert (Gq := extends_good _ _ Ea G). destruct (IHb Nb Fb (fst q) Gq) as (Eb & Bb & Cb).
      set (r := compile Temperature b (fst q)) in *.
    assert (Lq := extends_length _ _ Eb).
    split. eapply extends_trans; [apply Ea|]. eapply extends_trans; [apply Eb|apply extends_app]. split.
      rewrite app_length; simpl; lia.
    apply conjunction_sound; auto. eapply extends_good; eauto. lia.
      now apply (float_extends tail fs fa E ord M (fst q)).
  - intros d a IH [OF Na] F p G. assert (Fa : tail = true \/ past a) by (destruct F as [|[]]; auto).
    destruct (IH Na Fa p G) as (Ex & B & C). cbn [compile fst snd]. set (q := compile Temperature a p) in *.
    split. eapply extends_trans; [apply Ex|apply extends_app]. split. rewrite app_length; simpl; lia.
    apply once_sound; auto. eapply extends_good; eauto.
  - intros d a IHa b IHb (Nr & Na & Nb) F p G. assert (Fa : tail = true \/ past a) by (destruct F as [|(_ & ? & ?)];
    auto).
    assert (Fb : tail = true \/ past b) by (destruct F as [|(_ & ? & ?)]; auto).
    destruct (IHa Na Fa p G) as (Ea & Ba & Ca). cbn [compile fst snd]. set (q := compile Temperature a p) in *.
    assert (Gq := extends_good _ _ Ea G). destruct (IHb Nb Fb (fst q) Gq) as (Eb & Bb & Cb).
      set (r := compile Temperature b (fst q)) in *.
    assert (Lq := extends_length _ _ Eb).
    split. eapply extends_trans; [apply Ea|]. eapply extends_trans; [apply Eb|apply extends_app]. split.
      rewrite app_length; simpl; lia.
    destruct Nr as (k & se & N1 & N2 & N3 & N4).
    apply (since_sound tail fs fa incl fine bits bits_a E HE ord M k se N1 N2 N3 N4); auto.
    eapply extends_good; eauto. lia. now apply (float_extends tail fs fa E ord M (fst q)).
  - intros d a IH [Nr Na] F p G. assert (Fa : tail = true \/ past a) by (destruct F as [|[]]; auto).
    assert (D : dir_ok tail d) by (unfold dir_ok; destruct F as [|[]]; auto).
    destruct (IH Na Fa p G) as (Ex & B & C). cbn [compile fst snd]. set (q := compile Temperature a p) in *.
    split. eapply extends_trans; [apply Ex|apply extends_app]. split. rewrite app_length; simpl; lia.
    destruct Nr as (k & se & N1 & N2 & N3 & N4).
    apply (step_sound tail fs fa incl fine bits bits_a E HE ord M k se N1 N2 N3 N4); auto. eapply extends_good; eauto.
  - intros s IH (Cf & Lk & Ns) F p G. destruct (IH Ns F p G) as (Ex & Rd). cbv zeta. rewrite compile_at_least.
    cbv zeta. cbn [fst snd].
    set (q := compile_lin Temperature s p) in *.
    split. eapply extends_trans; [apply Ex|apply extends_app]. split.
    + rewrite app_length. enough (0 < length (at_least_block (A := A) Temperature (snd q) (const s) (length (fst
      q))))%nat by lia.
      unfold at_least_block. destruct forallb; [simpl; lia|]. destruct forallb; simpl; lia.
    + apply at_least_sound; auto. eapply extends_good; eauto.
  - intros s IH m r [].
  - intros b _ _ p G. cbn [compile_lin fst snd]. split. exists []. now rewrite app_nil_r. constructor.
  - intros k d a IHa s IHs [Na Ns] F p G. assert (Fa : tail = true \/ past a) by (destruct F as [|(_ & ? & ?)]; auto).
    assert (Fs : tail = true \/ past_lin s) by (destruct F as [|(_ & ? & ?)]; auto).
    assert (D : dir_ok tail d) by (unfold dir_ok; destruct F as [|[]]; auto).
    destruct (IHa Na Fa p G) as (Ea & Ba & Ca). cbv zeta. rewrite compile_plus. cbv zeta. cbn [fst snd].
      set (q := compile Temperature a p) in *.
    assert (Gq := extends_good _ _ Ea G). destruct (IHs Ns Fs (fst q) Gq) as (Es & Rs).
      set (r := compile_lin Temperature s (fst q)) in *.
    assert (Lq := extends_length _ _ Es).
    split. eapply extends_trans; eauto. constructor; auto. lia. now apply (float_extends tail fs fa E ord M (fst q)).
Qed.

Theorem sound (f : form A) : formula_ok f -> tail = true \/ past f -> forall w e i, (N tail w <= M)%nat -> (1 <= i
  <= length w)%nat ->
  float_run tail fs fa E ord w (fst (transformer Temperature f)) e ->
  chan e (snd (transformer Temperature f)) i = if sat w f i then 1 else 0.
Proof.
  intros Nf F w e i NM Hi Run. destruct (proj1 sound_program f Nf F [real_def] eq_refl) as (_ & _ & C).
    apply (C w e NM Run).
  unfold Programs.N. destruct tail; lia.
Qed.
End Sound.
