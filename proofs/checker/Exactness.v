(* Rows of exact Booleans are computed without rounding: from the weights of the file to a whole number of halves. *)
From Coq Require Import ZArith Reals Lia Lra Psatz List Bool Arith.
From Flocq Require Import Core.
From Temper Require Import Rows Format Sums Exact Rounding Strings Programs Compile Temporal FloatRun Instances.
From Temper.checker Require Import Model Checker Points.
Import ListNotations.
Local Open Scope R_scope.

Definition b2R (b : bool) : R := if b then 1 else 0.
Definition half (z : Z) : R := IZR z * bpow radix2 (-1).
Lemma half_eq z : half z = IZR z / 2. Proof. unfold half. simpl. lra. Qed.

(* The formats that a kind stands for: numbers are stored in fs and summed in fa, ascending,
  or they are one format and
   rows are summed in any order. *)
Definition pair_of (fs fa : format) (ord : order) (k : kind) : Prop :=
  (prec fs = digits k /\ emin fs = least k /\ bpow radix2 (room k) <= top fs) /\
  (prec fa = sum_digits k /\ emin fa = sum_least k /\ bpow radix2 100 <= top fa) /\
  if one_format k then fs = fa /\ ord = AnyOrder else ord = Ascending.

Section Exactness.
Variables (fs fa : format) (ord : order) (bits : kind).
Hypothesis pair : pair_of fs fa ord bits.
Hypothesis sound_kind : sane bits = true.
Notation big := (big bits). Notation wide := (wide bits).
Lemma kind_sizes : (4 <= digits bits <= sum_digits bits)%Z /\ (24 <= sum_digits bits <= 53)%Z /\
  (sum_least bits <= least bits)%Z /\ (sum_least bits <= -149)%Z /\ (least bits <= -8)%Z /\
    (8 <= room bits <= 100)%Z /\
  (one_format bits = false -> sum_least bits < least bits)%Z.
Proof.
  unfold sane in sound_kind. repeat match goal with H : _ && _ = true |- _ => apply andb_prop in H; destruct H end.
  repeat match goal with H : (_ <=? _)%Z = true |- _ => apply Z.leb_le in H end. repeat (split; [lia|]).
  intros O. rewrite O in *. match goal with H : false || _ = true |- _ => apply Z.ltb_lt in H; lia end.
Qed.
Lemma one_is : one_format bits = true -> fs = fa.
Proof. intros O. destruct pair as (_ & _ & P). rewrite O in P. tauto. Qed.
Lemma any_is : ord = AnyOrder -> fs = fa.
Proof. intros O. destruct pair as (_ & _ & P). destruct (one_format bits). tauto. congruence. Qed.
Lemma digits_is : prec fs = digits bits. Proof. apply pair. Qed.
Lemma sum_digits_is : prec fa = sum_digits bits. Proof. apply pair. Qed.
Lemma incl x : number fs x -> number fa x.
Proof.
  destruct pair as ((P & Q & _) & (P' & Q' & _) & _). assert (S := kind_sizes). apply narrower; lia.
Qed.
Lemma fine : fs = fa \/ 2 * tiny fa <= tiny fs.
Proof.
  destruct pair as ((P & Q & _) & (P' & Q' & _) & O). destruct (one_format bits) eqn:F. left; tauto.
  right. apply finer. assert (S := kind_sizes). specialize (proj2 (proj2 (proj2 (proj2 (proj2 (proj2 S))))) F). lia.
Qed.
Lemma wide_pos : (64 <= wide)%Z.
Proof.
  assert (S := kind_sizes). change 64%Z with (2 ^ 6)%Z. apply Z.pow_le_mono_r; lia.
Qed.
Lemma wide_le : (wide <= 2 ^ sum_digits bits)%Z.
Proof. assert (S := kind_sizes). apply Z.pow_le_mono_r; lia. Qed.
Lemma digits_16 : (16 <= 2 ^ digits bits)%Z.
Proof. assert (S := kind_sizes). change 16%Z with (2 ^ 4)%Z. apply Z.pow_le_mono_r; lia. Qed.
Lemma emin_low : (emin fa <= emin fs <= -8)%Z.
Proof. destruct pair as ((P & Q & _) & (P' & Q' & _) & _). assert (S := kind_sizes). lia. Qed.
Lemma number_half z : (Z.abs z <= 2 ^ digits bits)%Z -> number fs (half z).
Proof. intros H. apply (number_mult fs _ z (-1)); auto. now rewrite digits_is. generalize emin_low; lia. Qed.
Lemma number_half_sum z : (Z.abs z <= 2 ^ sum_digits bits)%Z -> number fa (half z).
Proof. intros H. apply (number_mult fa _ z (-1)); auto. now rewrite sum_digits_is. generalize emin_low; lia. Qed.
Lemma halves_ok d h : halves d = Some h -> dR d = half h.
Proof.
  unfold halves. destruct (Z.leb_spec (Z.abs (ex d)) 60) as [H60|]; [|discriminate]. unfold dR, half.
  destruct (Z.leb_spec (-1) (ex d)) as [H|H].
  - intros [= <-]. rewrite mult_IZR, pow_IZR, Rmult_assoc, <- bpow_plus by lia. do 2 f_equal. lia.
  - cbv zeta. destruct (Z.eqb_spec (man d mod 2 ^ (-1 - ex d)) 0) as [M|]; [|discriminate]. intros [= <-].
    assert (P : (0 < 2 ^ (-1 - ex d))%Z) by (apply Z.pow_pos_nonneg; lia).
    rewrite (Z.div_mod (man d) (2 ^ (-1 - ex d))) at 1 by lia. rewrite M, Z.add_0_r, mult_IZR, pow_IZR by lia.
    rewrite (Rmult_comm (bpow radix2 (-1 - ex d))), Rmult_assoc, <- bpow_plus. do 2 f_equal. lia.
Qed.
Lemma wt_half d h : halves d = Some h -> (Z.abs h <= 2 ^ digits bits)%Z -> wt fs d = half h.
Proof. intros H B. unfold wt. rewrite (halves_ok d h H). now apply rnd_id, number_half. Qed.
Lemma zabs_pos r : forall z, zabs r = Some z -> (0 <= z)%Z.
Proof.
  induction r as [|[c d] r IH]; cbn; intros z H. injection H as <-; lia.
  destruct (halves d) as [h|]; [|discriminate]. destruct (zabs r) as [y|]; [|discriminate]. injection H as <-.
  specialize (IH y eq_refl). lia.
Qed.
Lemma zabs_term r : forall z, zabs r = Some z -> forall t, In t r -> exists h, halves (snd t) = Some h /\
  (Z.abs h <= z)%Z.
Proof.
  induction r as [|[c d] r IH]; cbn; intros z H t Ht; [destruct Ht|].
  destruct (halves d) as [h|] eqn:Hh; [|discriminate]. destruct (zabs r) as [y|] eqn:Hy; [|discriminate].
    injection H as <-.
  assert (Y := zabs_pos r y Hy). destruct Ht as [<-|Ht]. exists h. cbn. split; auto. lia.
  destruct (IH y eq_refl t Ht) as (g & G1 & G2). exists g. split; auto. lia.
Qed.
Lemma half_add a b : half a + half b = half (a + b).
Proof. unfold half. rewrite plus_IZR. ring. Qed.
Lemma big_le : (big <= 2 ^ digits bits)%Z. Proof. unfold Checker.big. lia. Qed.
Lemma big_wide : (big <= wide)%Z. Proof. unfold Checker.big. lia. Qed.

(* the terms of a row whose channels are known to be Boolean *)
Lemma terms_ok (x : state) i (en : nat -> option bool) r : forall z s, zrow en r = Some z -> zabs r = Some s ->
  (s <= 2 ^ digits bits)%Z -> (forall t b, In t r -> en (fst t) = Some b -> x (fst t) i = b2R b) ->
  exists hs, row_terms fs fa x r i = map half hs /\ fold_right Z.add 0%Z hs = z /\
    (fold_right (fun h a => Z.abs h + a)
    0 hs <=
    s)%Z.
Proof.
  induction r as [|[c d] r IH]; cbn [zrow zabs]; intros z s Hz Hs B Hx.
  - injection Hz as <-. injection Hs as <-. exists []. cbn. auto with zarith.
  - destruct (halves d) as [h|] eqn:Hh; [|discriminate]. destruct (en c) as [b|] eqn:Ec; [|discriminate].
    destruct (zrow en r) as [z'|]; [|discriminate]. destruct (zabs r) as [s'|] eqn:Hs'; [|discriminate].
    injection Hz as <-. injection Hs as <-. assert (P := zabs_pos r s' Hs').
    destruct (IH z' s' eq_refl eq_refl ltac:(lia)) as (hs & E & S1 & S2). { intros t y Ht. apply Hx. now right. }
    exists ((if b then h else 0%Z) :: hs). cbn [row_terms map fst snd fold_right]. repeat split.
    + f_equal; auto. rewrite (wt_half d h Hh) by lia. assert (Xc : x c i = b2R b) by exact (Hx (c, d)
      b (or_introl eq_refl) Ec). rewrite Xc. unfold b2R. destruct b.
      rewrite Rmult_1_r. apply rnd_id, incl, number_half. lia. rewrite Rmult_0_r. unfold half. rewrite Rmult_0_l.
      apply rnd_id, number_0.
    + now rewrite S1.
    + destruct b; lia.
Qed.
Lemma sum_half hs : sum Rabs (map half hs) = half (fold_right (fun h a => Z.abs h + a)%Z 0%Z hs).
Proof.
  induction hs as [|h hs IH]. unfold half. cbn [map sum fold_right]. ring. cbn [map sum fold_right].
  rewrite IH, <- half_add. f_equal. unfold half. rewrite Rabs_mult, abs_IZR, (Rabs_pos_eq (bpow radix2 (-1)))
    by apply bpow_ge_0. reflexivity.
Qed.
Lemma total_half hs : total (map half hs) = half (fold_right Z.add 0%Z hs).
Proof. unfold total. induction hs as [|h hs IH]. unfold half. cbn [map sum fold_right]. ring.
  cbn [map sum fold_right]. now rewrite IH, half_add. Qed.
Lemma half_le z s : (z <= s)%Z -> half z <= half s.
Proof. intros H. unfold half. apply Rmult_le_compat_r. apply bpow_ge_0. now apply IZR_le. Qed.
Lemma half_big s : (s <= 2 ^ sum_digits bits)%Z -> half s <= bpow radix2 (-1 + prec fa).
Proof.
  assert (S := kind_sizes). intros H. rewrite sum_digits_is, bpow_plus, <- (pow_IZR (sum_digits bits)) by lia.
    unfold half.
    rewrite (Rmult_comm (bpow radix2 (-1))).
  apply Rmult_le_compat_r. apply bpow_ge_0. now apply IZR_le.
Qed.
Lemma asc_halves hs s : (fold_right (fun h a => Z.abs h + a) 0 hs <= s)%Z -> (s <= 2 ^ sum_digits bits)%Z ->
  asc fa 0 (map half hs) = half (fold_right Z.add 0%Z hs).
Proof.
  intros H B. rewrite (asc_exact fa (-1)).
  - now rewrite total_half, Rplus_0_l.
  - generalize emin_low; lia.
  - exists 0%Z. ring.
  - intros y Hy. apply in_map_iff in Hy. destruct Hy as (h & <- & _). now exists h.
  - rewrite Rabs_R0, Rplus_0_l, sum_half. eapply Rle_trans; [apply half_le, H|]. now apply half_big.
Qed.
Lemma fold_abs hs : (Z.abs (fold_right Z.add 0 hs) <= fold_right (fun h a => Z.abs h + a) 0 hs)%Z.
Proof. induction hs as [|h hs IH]; cbn; lia. Qed.
Theorem row_exact (x : state) i en r z s : zrow en r = Some z -> zabs r = Some s -> (s <= 2 ^ digits bits)%Z ->
  (forall t b, In t r -> en (fst t) = Some b -> x (fst t) i = b2R b) ->
  row_sum fs fa x r i = half z /\ row_val fs fa x r i = half z /\ (Z.abs z <= s)%Z.
Proof.
  intros Hz Hs B Hx. destruct (terms_ok x i en r z s Hz Hs B Hx) as (hs & E & S1 & S2). unfold row_val, row_sum.
  assert (W : (2 ^ digits bits <= 2 ^ sum_digits bits)%Z) by (assert (S := kind_sizes); apply Z.pow_le_mono_r; lia).
  rewrite E, (asc_halves hs s) by (auto; lia). rewrite S1. assert (A := fold_abs hs). rewrite S1 in A.
  split; auto. split; [|lia]. apply rnd_id, number_half. lia.
Qed.
(* which channels a row reads that zrow knows *)
Lemma zrow_known en r : forall z, zrow en r = Some z -> forall t, In t r -> exists b, en (fst t) = Some b.
Proof.
  induction r as [|[c d] r IH]; cbn [zrow]; intros z H t Ht; [destruct Ht|].
  destruct (halves d); [|discriminate]. destruct (en c) as [b|] eqn:Ec; [|discriminate].
  destruct (zrow en r) as [y|]; [|discriminate]. destruct Ht as [<-|Ht]. now exists b. now apply (IH y).
Qed.
End Exactness.
