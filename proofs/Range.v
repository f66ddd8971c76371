(* doc/certificate.md, "Quantities" and "Softmax rows": what keeps numbers below the largest one of the format.
   Rounding in Format.v has no largest number. A machine's run is that of the model if no operation of the model gives
   a number beyond top. Since rounding keeps order, it is enough that the exact argument is not beyond top.

   in_range_rnd      what is at most top before rounding is at most top after it
   tree_in_range     a partial sum of weights is at most the number of its keys, whatever the tree, up to 2^p keys
   scan_in_range     ascending, every partial sum of weights is at most 2^p, however many there are
   double_scan       numerators with stored weights are at most twice the denominator *)
From Coq Require Import ZArith Reals Lia Lra Psatz List.
From Flocq Require Import Core.
From Temper Require Import Rows Format Sums Nearest NearestAny Rounding Exact Crumbs.
Import ListNotations.
Local Open Scope R_scope.

Section Range.
Variable f : format.
Definition in_range x := Rabs x <= top f.
Lemma in_range_rnd x : in_range x -> in_range (rnd f x).
Proof. apply abs_rnd_le. apply top_format. Qed.
Lemma number_pow k : (0 <= k <= prec f)%Z -> number f (bpow radix2 k).
Proof.
  intros H. apply generic_format_bpow. unfold FLT_exp. generalize (prec_ge_2 f) (emin_neg f). lia.
Qed.
Lemma top_pow k : (k <= prec f)%Z -> bpow radix2 k <= top f.
Proof. intros H. eapply Rle_trans; [apply bpow_le, H|apply top_ge]. Qed.
Lemma number_two : number f 2.
Proof. change 2 with (bpow radix2 1). apply number_pow. generalize (prec_ge_2 f); lia. Qed.

(* ---- trees ---- *)
Section Trees.
Variable E : R -> R.
Hypothesis HE : exp_model f E.
Variable win : R.
Hypothesis win_number : number f win.
Theorem tree_in_range t : ok f win t -> (Z.of_nat (size t) <= 2 ^ prec f)%Z -> 0 <= val f E win t <= INR (size t).
Proof.
  assert (Int : forall n, (Z.of_nat n <= 2 ^ prec f)%Z -> number f (INR n)).
  { intros n H. rewrite INR_IZR_INZ. apply number_int. lia. }
  intros H Sz. split. apply (val_basic f E HE win win_number t H).
  induction t; cbn [ok size val] in *.
  - destruct H as (Nl & Nm & H1 & H2). destruct (E_bound f E HE l m Nl Nm H1) as ([_ X] & _). simpl. lra.
  - simpl. lra.
  - destruct H as (Ha & Hb & Hm & Ra & Rb & _).
    destruct (resc_basic f E HE win win_number t1 m Ha Hm Ra) as (_ & _ & A).
    destruct (resc_basic f E HE win win_number t2 m Hb Hm Rb) as (_ & _ & B). unfold resc in A, B.
    assert (X := IHt1 Ha ltac:(lia)). assert (Y := IHt2 Hb ltac:(lia)).
    apply rnd_le_number. apply Int; lia. rewrite plus_INR. lra.
  - destruct H as (Ha & Hm & Rl). assert (X := IHt Ha ltac:(lia)).
    destruct (val_basic f E HE win win_number t Ha) as [_ P].
    destruct (E_bound f E HE (ref win t) l (ref_number f win win_number t Ha) Hm ltac:(lra)) as ([A0 A1] & _).
    assert (val f E win t * E (rnd f (ref win t - l)) <= val f E win t * 1) by (apply Rmult_le_compat_l; lra).
    apply rnd_le_number. apply Int; lia. rewrite S_INR. lra.
  - assert (X := IHt H ltac:(lia)). destruct (val_basic f E HE win win_number t H) as [_ P].
    destruct (E_bound f E HE (ref win t) win (ref_number f win win_number t H) win_number (ref_le f win t H))
      as ([A0 A1] & _).
    assert (val f E win t * E (rnd f (ref win t - win)) <= val f E win t * 1) by (apply Rmult_le_compat_l; lra).
    apply rnd_le_number. apply Int; lia. rewrite S_INR. lra.
Qed.
End Trees.

(* ---- ascending ---- *)
Fixpoint asc_parts (s : R) ws : list R := match ws with [] => [] | x :: r => rnd f (s + x) :: asc_parts (rnd f (s +
  x)) r end.
Theorem scan_in_range ws : (forall w, In w ws -> 0 <= w <= 1) -> forall s, number f s -> 0 <= s <= bpow radix2 (prec
  f)
  -> 0 <= asc f s ws <= bpow radix2 (prec f) /\ forall z, In z (asc_parts s ws) -> 0 <= z <= bpow radix2 (prec f).
Proof.
  induction ws as [|x r IH]; intros W s Ns Hs; cbn [asc asc_parts]. split; [lra|intros z []].
  assert (X : 0 <= x <= 1) by (apply W; now left).
  assert (B : 0 <= rnd f (s + x) <= bpow radix2 (prec f)).
  { split. apply rnd_ge; [apply number_0|lra]. apply cap; lra. }
  destruct (IH (fun w Hw => W w (or_intror Hw)) _ (rnd_number f _) B) as [I1 I2]. split; auto.
  intros z [<-|Hz]; auto.
Qed.
(* multiples of 1/2, by their sizes: every partial sum is at most the sum of the sizes *)
Theorem asc_whole ws cs : length ws = length cs -> (forall c, In c cs -> multiple (-1) c) ->
  (forall k, Rabs (nth k ws 0) <= nth k cs 0) -> forall s b, Rabs s <= b -> multiple (-1) b ->
  b + total cs <= bpow radix2 (prec f - 1) ->
  Rabs (asc f s ws) <= b + total cs /\ forall z, In z (asc_parts s ws) -> Rabs z <= b + total cs.
Proof.
  revert cs. induction ws as [|x r IH]; intros [|c cs] Len Mc Ab s b Hs Mb Hb; try discriminate; cbn [asc asc_parts].
  - unfold total in *. cbn [sum] in *. split; [lra|intros z []].
  - assert (X := Ab 0%nat). cbn in X. assert (Px := Rabs_pos x).
    assert (P : 0 <= total cs).
    { assert (Q : forall k, 0 <= nth k cs 0) by (intros k; eapply Rle_trans; [apply Rabs_pos|apply (Ab (S k))]).
      clear - Q. unfold total. induction cs as [|y l IH]; cbn [sum]. lra. assert (Y := Q 0%nat). cbn in Y.
      assert (0 <= sum (fun w => w) l) by (apply IH; intros k; apply (Q (S k))). lra. }
    assert (Tc : total (c :: cs) = c + total cs) by reflexivity. rewrite Tc in *.
    assert (Mbc : multiple (-1) (b + c)) by (apply multiple_add; auto; apply Mc; now left).
    assert (B : Rabs (rnd f (s + x)) <= b + c).
    { apply abs_rnd_le. apply (multiple_number f (-1)); auto. generalize (emin_neg f) (prec_ge_2 f); lia.
      replace (-1 + prec f)%Z with (prec f - 1)%Z by lia. rewrite Rabs_pos_eq; [lra|].
      eapply Rle_trans; [apply Rabs_pos|]. apply Rle_trans with (Rabs s + Rabs x). apply (Rle_trans _ (Rabs s)).
      apply Rle_refl. lra. lra.
      eapply Rle_trans; [apply Rabs_triang|]. lra. }
    destruct (IH cs) with (s := rnd f (s + x)) (b := b + c) as [I1 I2]; auto.
    + intros y Hy. apply Mc. now right.
    + intros k. apply (Ab (S k)).
    + lra.
    + split. lra. intros z [<-|Hz]. lra. specialize (I2 z Hz). lra.
Qed.

(* ---- twice as much ---- *)
Lemma number_multiple x : number f x -> multiple (emin f) x.
Proof.
  intros H. destruct (number_form f x H) as (m & e & -> & _ & He). exists (m * 2 ^ (e - emin f))%Z.
  rewrite mult_IZR, pow_IZR, Rmult_assoc, <- bpow_plus by lia. do 2 f_equal. lia.
Qed.
Lemma rnd_double x : multiple (emin f) x -> rnd f (2 * x) = 2 * rnd f x.
Proof.
  intros Mx. destruct (Req_dec x 0) as [->|Nz]. rewrite Rmult_0_r, (rnd_id f 0 (number_0 f)). ring.
  destruct (Z_lt_le_dec (mag radix2 x - prec f) (emin f)) as [Sm|Lg].
  - assert (Nx : number f x). { apply (multiple_number f (emin f)); auto. lia.
      apply Rlt_le, Rlt_le_trans with (bpow radix2 (mag radix2 x)). apply bpow_mag_gt. apply bpow_le. lia. }
    rewrite (rnd_id f x Nx). apply rnd_id. now apply number_double.
  - assert (C : cexp radix2 (FLT_exp (emin f) (prec f)) (2 * x) = (cexp radix2 (FLT_exp (emin f) (prec f)) x + 1)%Z).
    { unfold cexp, FLT_exp. replace (2 * x) with (x * bpow radix2 1) by (change (bpow radix2 1) with 2; ring).
      rewrite mag_mult_bpow by auto.
      lia. }
    unfold rnd, round, scaled_mantissa, F2R. cbn [Fnum Fexp]. rewrite C.
    replace (2 * x * bpow radix2 (- (cexp radix2 (FLT_exp (emin f) (prec f)) x + 1)))
      with (x * bpow radix2 (- cexp radix2 (FLT_exp (emin f) (prec f)) x)).
    rewrite bpow_plus. change (bpow radix2 1) with 2. ring.
    replace (- (cexp radix2 (FLT_exp (emin f) (prec f)) x + 1))%Z
      with (- cexp radix2 (FLT_exp (emin f) (prec f)) x + -1)%Z by lia.
    rewrite bpow_plus. change (bpow radix2 (-1)) with (/ 2). field.
Qed.
Theorem double_scan (a b : nat -> R) K : (forall j, In j K -> a j <= 2 * b j) -> (forall j, In j K -> number f (b j))
  -> forall s t, number f t -> s <= 2 * t -> asc f s (map a K) <= 2 * asc f t (map b K).
Proof.
  induction K as [|j K IH]; intros A B s t Nt H; cbn [map asc]. auto.
  apply IH. intros; apply A; now right. intros; apply B; now right. apply rnd_number.
  rewrite <- rnd_double. apply rnd_le. assert (X := A j (or_introl eq_refl)). lra.
  apply multiple_add; apply number_multiple; auto. apply B. now left.
Qed.
End Range.
