(* doc/certificate.md, "What is claimed": soundness for all formulas of letters, negation, conjunction, since,
  until, yesterday, next, once and
   comparisons of counts that look one way, by temperature.

   covered         the formulas that are here, each kind of head with its inequalities
   within_range    in a run every result of every operation is at most the largest number of its format
   sound           if the inequalities hold, then for every string of up to M positions and every possible run in
                   floating point, the channel that the compiler names holds the formula's truth, at every position,
                   and no operation overflows *)
From Coq Require Import ZArith Reals Lia Lra List Bool Arith.
From Flocq Require Import Core.
From Temper Require Import Rows Heads Format Sums Nearest NearestAny Rounding Strings Programs Compile Temporal
  MainTheorem
  FloatRun NearestHead OnceHead OnceTree OnceAny Results Soundness SoundFormulas SoundCompare SafeBlocks SafeCompare.
Import ListNotations.
Local Open Scope R_scope.

(* the inequalities of nearest heads: k with 16 M < 2^k, and what storing a key loses *)
Definition near_fine (fs fa : format) (ord : order) (M : nat) : Prop := exists k stored_error,
  (forall x, number fa x -> Rabs x <= 2 -> Rabs (rnd fs x - x) <= stored_error) /\ (Z.of_nat M <= 2 ^ prec fa)%Z /\
  16 * INR M < bpow radix2 k /\ near_ok fs fa ord M k stored_error.
(* of steps alone: 8 M < 2^k *)
Definition step_fine (fs fa : format) (ord : order) (M : nat) : Prop := exists k, (Z.of_nat M <= 2 ^ prec fa)%Z /\
  8 * INR M < bpow radix2 k /\ near_of fs fa ord M (eta_step fs fa M k).
(* and of a comparison *)
Definition compare_fine {A} (fs fa : format) (ord : order) (M : nat) (s : lin A) : Prop :=
  compare_ok fs fa ord M (lin_weight s) (Rabs (IZR (const s) + / 2)).
(* with what is asked of the largest number *)
Definition near_good fs fa ord M := near_fine fs fa ord M /\ near_range fa M.
Definition step_good fs fa ord M := near_good fs fa ord M \/ step_fine fs fa ord M /\ near_range fa M.
Definition once_good fs fa ord M := once_fine fs fa ord M /\ once_range fa M.
Definition compare_good {A} fs fa ord M (s : lin A) := compare_fine fs fa ord M s /\
  compare_range fs fa M (lin_weight s + Rabs (IZR (const s) + / 2)).
(* all counts of a sum look the same way *)
Fixpoint looks {A} (d : dir) (s : lin A) : Prop := match s with Const _ => True | Plus _ d' _ s' => d' = d /\ looks
  d s' end.

Section Covered.
Context {A : Type}.
Variables (near steps once : Prop) (compare : lin A -> Prop).
Fixpoint covered (f : form A) : Prop := match f with
  | Sym _ => True | Neg a => covered a | Conj a b => covered a /\ covered b
  | Since _ a b => near /\ covered a /\ covered b | Step _ a => steps /\ covered a
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
Variable E : (R -> R) -> Prop.                             (* each row has one of these *)
Hypothesis HE : forall E0, E E0 -> exp_model fa E0.
Variable ord : order.
Variable M : nat.
Notation float_computes := (float_computes tail fs fa E ord M).
Notation float_reads := (float_reads tail fs fa E ord M).
Notation safe := (safe (A := A) tail fs fa E ord M).
Definition formula_ok (f : form A) := covered (near_good fs fa ord M) (step_good fs fa ord M) (once_good fs fa ord M)
  (compare_good fs fa ord
  M) f.
Definition lin_ok (s : lin A) := covered_lin (near_good fs fa ord M) (step_good fs fa ord M) (once_good fs fa ord M)
  (compare_good fs fa ord
  M) s.
Definition within_range w e (p : prog A) := forall k d i, nth_error p k = Some d -> (i < N tail w)%nat ->
  (forall z, summed_result tail fs fa E ord w (firstn k e) d i z -> Rabs z <= top fa) /\
  (forall z, stored_result tail fs fa w (firstn k e) d i z -> Rabs z <= top fs) /\ Rabs (chan e k i) <= top fs.

Lemma looks_all (p : prog A) d s ts : looks d s -> float_reads p s ts -> forall t, In t ts -> look t = d.
Proof.
  intros H Rd. induction Rd; intros t Ht; [destruct Ht|]. destruct H as [-> H]. destruct Ht as [<-|Ht]; auto.
Qed.
Lemma past_looks (s : lin A) : past_lin s -> looks Past s.
Proof. induction s; cbn; auto. intros (-> & _ & H). auto. Qed.
Lemma at_least_sound (p : prog A) s ts : compare_good fs fa ord M s -> (looks Past s \/ looks Future s) -> tail =
  true \/ past_lin s -> good p -> float_reads p s ts ->
  let bl := at_least_block Temperature ts (const s) (length p) in float_computes (p ++ bl) (length p + (length bl -
    1)) (AtLeast s) /\ (safe p -> safe (p ++ bl)).
Proof.
  intros [Ok Rg] Lk F G Rd. cbv zeta. unfold at_least_block.
  assert (Cmp : forall d, (forall t, In t ts -> look t = d) -> dir_ok tail d -> let bl := compare_block Temperature d
    ts
    (const s) (length p) in float_computes (p ++ bl) (length p + (length bl - 1)) (AtLeast s) /\ (safe p -> safe (p ++
    bl))).
  { intros d Hd Dk. assert (C : float_computes (p ++ compare_block Temperature d ts (const s) (length p)) (length p +
    5)
      (AtLeast s)) by (now apply (compare_sound tail fs fa incl fine bits bits_a E HE ord M)).
    split. exact C. intros Sp. now apply (compare_safe tail fs fa incl bits bits_a E HE ord M p G Sp s ts d). }
  destruct (forallb (fun t => same Past (look t)) ts) eqn:E1; [|destruct (forallb (fun t => same Future (look t))
    ts) eqn:E2].
  - rewrite forallb_forall in E1. apply Cmp.
    intros t Ht. specialize (E1 t Ht). destruct (look t); [auto|discriminate]. now left.
  - rewrite forallb_forall in E2. assert (D : forall t, In t ts -> look t = Future) by (intros t Ht; specialize (E2 t
    Ht); destruct (look t); [discriminate|auto]).
    apply Cmp; auto. destruct F as [F|F]. now right. exfalso.
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
      (snd q) f /\ (safe p -> safe (fst q))) /\
  (forall s : lin A, lin_ok s -> tail = true \/ past_lin s -> forall p, good p ->
    let q := compile_lin Temperature s p in extends p (fst q) /\ float_reads (fst q) s (snd q) /\ (safe p -> safe (fst
      q))).
Proof.
  unfold formula_ok, lin_ok. apply form_lin_ind.
  - intros q _ _ p G. cbn. split; [apply extends_app|]. split. rewrite app_length; simpl; lia. split.
    + intros w e NM Run i Hi. rewrite <- (Nat.add_0_r (length p)).
      assert (X := fb_at tail fs fa E ord p [Letter q] w e Run 0 (Letter q) i eq_refl Hi I i Hi). cbn in X |- *.
        rewrite X. unfold truth. cbn. now destruct (at_ w i).
    + intros Sp. now apply letter_safe.
  - intros a IH Nf F p G. destruct (IH Nf F p G) as (Ex & B & C & S). cbn [compile fst snd].
    set (q := compile Temperature a p) in *. assert (Gq := extends_good _ _ Ex G).
    split. eapply extends_trans; [apply Ex|apply extends_app]. split. rewrite app_length; simpl; lia.
    assert (Out : float_computes (fst q ++ [negation (snd q)]) (length (fst q)) (Neg a)) by now apply negation_sound.
    split; auto. intros Sp. now apply (negation_safe tail fs fa bits bits_a E ord M (fst q) Gq (S Sp) (snd q) a).
  - intros a IHa b IHb [Na Nb] F p G. assert (Fa : tail = true \/ past a) by (destruct F as [|[]]; auto).
    assert (Fb : tail = true \/ past b) by (destruct F as [|[]]; auto).
    destruct (IHa Na Fa p G) as (Ea & Ba & Ca & Sa). cbn [compile fst snd]. set (q := compile Temperature a p) in *.
    assert (Gq := extends_good _ _ Ea G). destruct (IHb Nb Fb (fst q) Gq) as (Eb & Bb & Cb & Sb).
      set (r := compile Temperature b (fst q)) in *.
    assert (Lq := extends_length _ _ Eb). assert (Gr := extends_good _ _ Eb Gq).
    assert (Ca' := float_extends tail fs fa E ord M (fst q) (fst r) (snd q) a Eb Ba Ca).
    split. eapply extends_trans; [apply Ea|]. eapply extends_trans; [apply Eb|apply extends_app]. split.
      rewrite app_length; simpl; lia.
    assert (Out : float_computes (fst r ++ [conjunction (snd q) (snd r)]) (length (fst r)) (Conj a b)) by (apply
      conjunction_sound; auto; lia).
    split; auto. intros Sp. apply (conjunction_safe tail fs fa bits bits_a E ord M (fst r) Gr (Sb (Sa Sp)) (snd q)
      (snd r) a
      b); auto. lia.
  - intros d a IH [[OF OR] Na] F p G. assert (Fa : tail = true \/ past a) by (destruct F as [|[]]; auto).
    destruct (IH Na Fa p G) as (Ex & B & C & S). cbn [compile fst snd]. set (q := compile Temperature a p) in *.
    assert (Gq := extends_good _ _ Ex G).
    split. eapply extends_trans; [apply Ex|apply extends_app]. split. rewrite app_length; simpl; lia.
    assert (Out : float_computes (fst q ++ once_block Temperature d (length (fst q)) (snd q)) (length (fst q) + 2)
      (Once d
      a)) by (now apply once_sound).
    split; auto. intros Sp. apply (once_safe tail fs fa incl bits bits_a E HE ord M (fst q) Gq (S Sp) (snd q) a);
      auto.
    intros Eo. unfold once_fine in OF. rewrite Eo in OF. destruct OF as [_ OF]. apply (once_any_size fa M 8); auto.
      lra.
  - intros d a IHa b IHb ([(k & se & N1 & N2 & N3 & N4) NR] & Na & Nb) F p G.
    assert (Fa : tail = true \/ past a) by (destruct F as [|(_ & ? & ?)]; auto).
    assert (Fb : tail = true \/ past b) by (destruct F as [|(_ & ? & ?)]; auto).
    destruct (IHa Na Fa p G) as (Ea & Ba & Ca & Sa). cbn [compile fst snd]. set (q := compile Temperature a p) in *.
    assert (Gq := extends_good _ _ Ea G). destruct (IHb Nb Fb (fst q) Gq) as (Eb & Bb & Cb & Sb).
      set (r := compile Temperature b (fst q)) in *.
    assert (Lq := extends_length _ _ Eb). assert (Gr := extends_good _ _ Eb Gq).
    assert (Ca' := float_extends tail fs fa E ord M (fst q) (fst r) (snd q) a Eb Ba Ca).
    split. eapply extends_trans; [apply Ea|]. eapply extends_trans; [apply Eb|apply extends_app]. split.
      rewrite app_length; simpl; lia.
    assert (Out : float_computes (fst r ++ since_block Temperature d (length (fst r)) (snd q) (snd r)) (length (fst
      r) + 5)
      (Since d a b)) by (apply (since_sound tail fs fa incl fine bits bits_a E HE ord M k se N1 N2 N3 N4); auto; lia).
    split; auto. intros Sp. apply (since_safe tail fs fa incl bits bits_a E HE ord M (fst r) Gr (Sb (Sa Sp)) (snd q)
      (snd r)
      a b); auto. lia.
  - intros d a IH [St Na] F p G.
    assert (NR : near_range fa M) by (destruct St as [[_ NR]|[_ NR]]; exact NR).
    assert (Far : exists far, (Z.of_nat M <= 2 ^ prec fa)%Z /\ near_of fs fa ord M far /\ forall n key l z, (0 < n <=
      M)%nat -> Rabs key <= 1 -> Rabs (key - z) <= step_error fs -> moved fa ord (rnd fa (8 * INR n * key)) l ->
      Rabs (l - 8 * INR n * z) <= far).
    { destruct St as [[(k & se & N1 & N2 & N3 & N4) _]|[(k & N2 & N3 & N4) _]].
      - exists (eta fs fa M k se). split; auto. split; auto. intros n key l z Hn K1 K2 Mv.
        apply (nearest_logit fs fa ord M k se N2 n key l z N3 Hn); auto. lra.
        eapply Rle_trans; [apply K2|]. now apply step_le_key.
      - exists (eta_step fs fa M k). split; auto. split; auto. intros n key l z Hn K1 K2 Mv.
        now apply (step_logit fs fa ord M k N2 n key l z N3 Hn). }
    destruct Far as (far & N2 & N4 & N5).
    assert (Fa : tail = true \/ past a) by (destruct F as [|[]]; auto).
    assert (D : dir_ok tail d) by (unfold dir_ok; destruct F as [|[]]; auto).
    destruct (IH Na Fa p G) as (Ex & B & C & S). cbn [compile fst snd]. set (q := compile Temperature a p) in *.
    assert (Gq := extends_good _ _ Ex G).
    split. eapply extends_trans; [apply Ex|apply extends_app]. split. rewrite app_length; simpl; lia.
    assert (Out : float_computes (fst q ++ step_block Temperature d (length (fst q)) (snd q)) (length (fst q) + 3)
      (Step d
      a)) by (now apply (step_sound tail fs fa incl fine bits bits_a E HE ord M N2 far N4 N5)).
    split; auto. intros Sp. now apply (step_safe tail fs fa incl bits bits_a E HE ord M (fst q) Gq (S Sp) (snd q) a).
  - intros s IH (Cf & Lk & Ns) F p G. destruct (IH Ns F p G) as (Ex & Rd & S). cbv zeta. rewrite compile_at_least.
    cbv zeta. cbn [fst snd].
    set (q := compile_lin Temperature s p) in *. assert (Gq := extends_good _ _ Ex G).
    split. eapply extends_trans; [apply Ex|apply extends_app]. split.
    + rewrite app_length. enough (0 < length (at_least_block (A := A) Temperature (snd q) (const s) (length (fst
      q))))%nat by lia.
      unfold at_least_block. destruct forallb; [simpl; lia|]. destruct forallb; simpl; lia.
    + destruct (at_least_sound (fst q) s (snd q) Cf Lk F Gq Rd) as [C1 C2]. split; auto.
  - intros s IH m r [].
  - intros b _ _ p G. cbn [compile_lin fst snd]. split. exists []. now rewrite app_nil_r. split; auto. constructor.
  - intros k d a IHa s IHs [Na Ns] F p G. assert (Fa : tail = true \/ past a) by (destruct F as [|(_ & ? & ?)]; auto).
    assert (Fs : tail = true \/ past_lin s) by (destruct F as [|(_ & ? & ?)]; auto).
    assert (D : dir_ok tail d) by (unfold dir_ok; destruct F as [|[]]; auto).
    destruct (IHa Na Fa p G) as (Ea & Ba & Ca & Sa). cbv zeta. rewrite compile_plus. cbv zeta. cbn [fst snd].
      set (q := compile Temperature a p) in *.
    assert (Gq := extends_good _ _ Ea G). destruct (IHs Ns Fs (fst q) Gq) as (Es & Rs & Ss).
      set (r := compile_lin Temperature s (fst q)) in *.
    assert (Lq := extends_length _ _ Es).
    split. eapply extends_trans; eauto. split; auto. constructor; auto. lia.
    now apply (float_extends tail fs fa E ord M (fst q)).
Qed.

Theorem sound (f : form A) : formula_ok f -> tail = true \/ past f -> forall w e, (N tail w <= M)%nat ->
  float_run tail fs fa E ord w (fst (transformer Temperature f)) e ->
  within_range w e (fst (transformer Temperature f)) /\ forall i, (i <= length w)%nat ->
  chan e (snd (transformer Temperature f)) i = if sat w f i then 1 else 0.
Proof.
  intros Nf F w e NM Run. destruct (proj1 sound_program f Nf F [real_def] eq_refl) as (_ & _ & C & S). split.
  - intros k d i Hk Hi. assert (S0 : safe [real_def]).
    { apply (letter_safe tail fs fa bits E ord M [] (fun w0 e0 _ _ k0 d0 i0 H => ltac:(destruct k0; discriminate))
      (fun _ =>
        true)). }
    destruct (S S0 w e NM Run k d i Hk Hi) as [[S1 S2] S3]. auto.
  - intros i Hi. apply (C w e NM Run). unfold Programs.N. destruct tail; lia.
Qed.
End Sound.
