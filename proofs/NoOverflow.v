(* doc/certificate.md, "Quantities": in a run that `sound` speaks of no operation overflows, if largest numbers are
   large enough.

   no_overflow   for every covered formula: with 10^10 M^2 W <= top every result of every operation of every run is at
                 most top in size. So the run is that of a machine whose numbers end there
   fits_large    it is so in f64, f32 and bf16 (Instances.v: large_f64, large_f32, large_bf16) *)
From Coq Require Import ZArith Reals Lia Lra List Bool Arith.
From Flocq Require Import Core.
From Temper Require Import Rows Heads Format Sums Rounding Strings Programs Compile Temporal MainTheorem FloatRun
  NearestHead Results Soundness SoundFormulas SoundCompare Sound SafeBlocks.
Import ListNotations.
Local Open Scope R_scope.

Section Overflow.
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
Notation fits := (fits fs fa M). Notation safe := (safe (A := A) tail fs fa E ord M).
(* what is asked of the largest numbers *)
Definition compare_fits (s : lin A) := fits (lin_weight s + 3 * Rabs (IZR (const s) + / 2) + 1).
Definition range_ok (f : form A) : Prop := (Z.of_nat M <= 2 ^ prec fa)%Z /\ fits 1 /\ covered True True compare_fits
  f.

Section Program.
Hypothesis size_M : (Z.of_nat M <= 2 ^ prec fa)%Z.
Hypothesis fits_1 : fits 1.
Hypothesis M_1 : (1 <= M)%nat.
Theorem safe_program : (forall f : form A, formula_ok fs fa ord M f -> covered True True compare_fits f -> tail =
  true \/ past f -> forall p, good p -> safe p ->
    safe (fst (compile Temperature f p))) /\
  (forall s : lin A, lin_ok fs fa ord M s -> covered_lin True True compare_fits s -> tail = true \/ past_lin s ->
    forall p, good p -> safe p ->
    safe (fst (compile_lin Temperature s p))).
Proof.
  destruct (sound_program (A := A) tail fs fa incl fine bits bits_a E HE ord M) as [SF SL].
    unfold formula_ok, lin_ok in *. apply form_lin_ind.
  - intros q _ _ _ p G Sp. cbn. now apply letter_safe.
  - intros a IH Nf Cf F p G Sp. destruct (SF a Nf F p G) as (Ex & B & C). cbn [compile fst snd].
    assert (Gq := extends_good _ _ Ex G).
    apply (negation_safe tail fs fa E HE ord M size_M fits_1 M_1 _ _ a); auto.
  - intros a IHa b IHb [Na Nb] [Ca Cb] F p G Sp. assert (Fa : tail = true \/ past a) by (destruct F as [|[]]; auto).
    assert (Fb : tail = true \/ past b) by (destruct F as [|[]]; auto).
    destruct (SF a Na Fa p G) as (Ea & Ba & Ha). cbn [compile fst snd]. set (q := compile Temperature a p) in *.
      assert (Gq := extends_good _ _ Ea G).
    destruct (SF b Nb Fb (fst q) Gq) as (Eb & Bb & Hb). set (r := compile Temperature b (fst q)) in *.
      assert (Lq := extends_length _ _ Eb).
    apply (conjunction_safe tail fs fa E HE ord M size_M fits_1 M_1 _ _ _ a b); auto. eapply extends_good; eauto.
      lia. now apply (float_extends tail fs fa E ord M (fst q)).
    unfold r. apply IHb; auto. unfold q. now apply IHa.
  - intros d a IH [_ Na] [_ Ca] F p G Sp. assert (Fa : tail = true \/ past a) by (destruct F as [|[]]; auto).
    destruct (SF a Na Fa p G) as (Ex & B & C). cbn [compile fst snd].
    apply (once_safe tail fs fa E HE ord M size_M fits_1 M_1 _ _ a); auto. eapply extends_good; eauto.
  - intros d a IHa b IHb (_ & Na & Nb) (_ & Ca & Cb) F p G Sp.
    assert (Fa : tail = true \/ past a) by (destruct F as [|(_ & ? & ?)]; auto).
    assert (Fb : tail = true \/ past b) by (destruct F as [|(_ & ? & ?)]; auto).
    destruct (SF a Na Fa p G) as (Ea & Ba & Ha). cbn [compile fst snd]. set (q := compile Temperature a p) in *.
      assert (Gq := extends_good _ _ Ea G).
    destruct (SF b Nb Fb (fst q) Gq) as (Eb & Bb & Hb). set (r := compile Temperature b (fst q)) in *.
      assert (Lq := extends_length _ _ Eb).
    apply (since_safe tail fs fa E HE ord M size_M fits_1 M_1 _ _ _ a b); auto. eapply extends_good; eauto. lia.
      now apply (float_extends tail fs fa E ord M (fst q)).
    unfold r. apply IHb; auto. unfold q. now apply IHa.
  - intros d a IH [_ Na] [_ Ca] F p G Sp. assert (Fa : tail = true \/ past a) by (destruct F as [|[]]; auto).
    destruct (SF a Na Fa p G) as (Ex & B & C). cbn [compile fst snd].
    apply (step_safe tail fs fa E HE ord M size_M fits_1 M_1 _ _ a); auto. eapply extends_good; eauto.
  - intros s IH (_ & Lk & Ns) (Cf & _ & Cs) F p G Sp. destruct (SL s Ns F p G) as (Ex & Rd).
    rewrite compile_at_least. cbv zeta. cbn [fst snd]. set (q := compile_lin Temperature s p) in *.
    assert (Gq := extends_good _ _ Ex G). assert (Sq : safe (fst q)) by now apply IH. unfold at_least_block.
    destruct (forallb (fun t => same Past (look t)) (snd q)) eqn:E1; [|destruct (forallb (fun t => same Future (look
      t)) (snd q)) eqn:E2].
    + now apply (compare_safe tail fs fa E HE ord M size_M fits_1 M_1).
    + now apply (compare_safe tail fs fa E HE ord M size_M fits_1 M_1).
    + exfalso. destruct Lk as [Lk|Lk].
      * assert (X : forallb (fun t => same Past (look t)) (snd q) = true); [|congruence]. apply forallb_forall.
        intros t Ht. now rewrite (looks_all tail fs fa E ord M (fst q) Past s (snd q) Lk Rd t Ht).
      * assert (X : forallb (fun t => same Future (look t)) (snd q) = true); [|congruence]. apply forallb_forall.
        intros t Ht. now rewrite (looks_all tail fs fa E ord M (fst q) Future s (snd q) Lk Rd t Ht).
  - intros s IH m r [].
  - intros b _ _ _ p G Sp. exact Sp.
  - intros k d a IHa s IHs [Na Ns] [Ca Cs] F p G Sp. assert (Fa : tail = true \/ past a) by (destruct F as [|(_ & ? &
    ?)]; auto).
    assert (Fs : tail = true \/ past_lin s) by (destruct F as [|(_ & ? & ?)]; auto).
      destruct (SF a Na Fa p G) as (Ea & Ba & Ha). rewrite compile_plus. cbv zeta. cbn [fst snd].
    apply IHs; auto. eapply extends_good; eauto.
Qed.
End Program.

Theorem no_overflow (f : form A) : formula_ok fs fa ord M f -> range_ok f -> tail = true \/ past f -> forall w e, (N
  tail w <= M)%nat ->
  float_run tail fs fa E ord w (fst (transformer Temperature f)) e ->
  forall k d i, nth_error (fst (transformer Temperature f)) k = Some d -> (i < N tail w)%nat ->
  (forall z, summed_result tail fs fa E ord w (firstn k e) d i z -> Rabs z <= top fa) /\
  (forall z, stored_result tail fs fa w (firstn k e) d i z -> Rabs z <= top fs) /\ Rabs (chan e k i) <= top fs.
Proof.
  intros Nf (SM & F1 & Cf) F w e NM Run k d i Hk Hi. assert (M1 : (1 <= M)%nat) by (assert (X := N_pos tail w); lia).
  assert (S0 : safe [real_def]). { apply (letter_safe tail fs fa E HE ord M SM [] (fun _ => true)).
    intros w0 e0 _ _ k0 d0 i0 H. destruct k0; discriminate. }
  destruct (proj1 (safe_program SM F1 M1) f Nf Cf F [real_def] eq_refl S0 w e NM Run k d i Hk Hi) as [[S1 S2] S3].
    auto.
Qed.
End Overflow.

(* it is so of every type whose largest numbers are 10^38 or more, up to a million positions and weights *)
Theorem fits_large fs fa M W : IZR (10 ^ 38) <= top fs -> IZR (10 ^ 38) <= top fa -> INR M <= 1000000 -> 0 <= W <=
  1000000 -> fits fs fa M W.
Proof.
  intros H1 H2 HM HW. assert (M0 := pos_INR M).
  assert (A1 : INR M * INR M <= 1000000 * 1000000) by (apply Rmult_le_compat; lra).
  assert (A0 : 0 <= INR M * INR M) by (apply Rmult_le_pos; lra).
  assert (A2 : INR M * INR M * W <= 1000000 * 1000000 * 1000000) by (apply Rmult_le_compat; lra).
  assert (T : 10000000000 * (1000000 * 1000000 * 1000000) <= IZR (10 ^ 38)).
  { rewrite <- !mult_IZR. apply IZR_le. vm_compute. discriminate. }
  unfold fits. split; lra.
Qed.
