(* doc/certificate.md, "One rounding", and doc/theory.md, "Gates for short number formats".

   rnd_half       a number of size at most 2^k is rounded with an error of at most u 2^(k-1) + t/2
   ulp_bound      the unit in the last place of a number below 2^k
   round_raw_ok   rounding one raw value is exact in every pair of formats *)
From Coq Require Import ZArith Reals Lia Lra Psatz List.
From Flocq Require Import Core.
From Temper Require Import Format Sums.
Import ListNotations.
Local Open Scope R_scope.

Lemma pow_IZR k : (0 <= k)%Z -> IZR (2 ^ k) = bpow radix2 k.
Proof. intros H. change 2%Z with (radix_val radix2). now apply IZR_Zpower. Qed.

Section One.
Variable f : format.
Notation fexp := (FLT_exp (emin f) (prec f)).
Lemma number_form x : number f x -> exists m e, x = IZR m * bpow radix2 e /\ (Z.abs m <= 2 ^ prec f)%Z /\ (emin f <=
  e)%Z.
Proof.
  intros H. apply FLT_format_generic in H; [|apply prec_pos]. destruct H as [[m e] E H1 H2].
  exists m, e. cbn in *. split; auto. split; auto. change (radix_val radix2) with 2%Z in H1. lia.
Qed.
Lemma number_double x : number f x -> number f (2 * x).
Proof.
  intros H. destruct (number_form x H) as (m & e & -> & M & Em). apply (number_mult f _ m (e + 1)); auto; [|lia].
  rewrite bpow_plus. change (bpow radix2 1) with 2. ring.
Qed.
Lemma number_opp x : number f x -> number f (- x).
Proof. apply generic_format_opp. Qed.
Lemma rnd_small x (k : Z) : x = IZR k -> (Z.abs k <= 4)%Z -> rnd f x = IZR k.
Proof.
  intros -> H. apply rnd_id, number_int. eapply Z.le_trans. apply H. change 4%Z with (2 ^ 2)%Z.
    apply Z.pow_le_mono_r. lia. apply prec_ge_2.
Qed.
Lemma u_bpow : u f = bpow radix2 (- prec f).
Proof. unfold u. rewrite bpow_plus. change (bpow radix2 1) with 2. lra. Qed.
Lemma ulp_bound x k : Rabs x < bpow radix2 k -> ulp radix2 fexp x <= 2 * u f * bpow radix2 (k - 1) + tiny f.
Proof.
  intros H. assert (B : bpow radix2 (k - prec f) = 2 * u f * bpow radix2 (k - 1)).
  { rewrite u_bpow. replace (k - prec f)%Z with (1 + (- prec f) + (k - 1))%Z by lia. rewrite !bpow_plus.
    change (bpow radix2 1) with 2. ring. }
  rewrite <- B. assert (P1 := bpow_ge_0 radix2 (k - prec f)). assert (P2 := tiny_pos f).
  destruct (Req_dec x 0) as [->|Nz]. rewrite ulp_FLT_0 by apply prec_pos. fold (tiny f). lra.
  rewrite ulp_neq_0 by auto. unfold cexp. assert (M : (mag radix2 x <= k)%Z) by now apply mag_le_bpow.
  destruct (Z.max_spec (mag radix2 x - prec f) (emin f)) as [[_ Q]|[_ Q]]; unfold FLT_exp; rewrite Q.
  - fold (tiny f). lra.
  - apply Rle_trans with (bpow radix2 (k - prec f)). apply bpow_le. lia. lra.
Qed.
Lemma rnd_half x k : (emin f <= k)%Z -> Rabs x <= bpow radix2 k -> Rabs (rnd f x - x) <= u f * bpow radix2 (k - 1) +
  / 2 * tiny f.
Proof.
  intros Hk [H|H].
  - assert (B := ulp_bound x k H). assert (X := error_le_half_ulp radix2 fexp (fun n => negb (Z.even n)) x).
    unfold rnd.
    fold (ZnearestE) in X. lra.
  - assert (Nx : number f x). { apply generic_format_abs_inv. rewrite H. apply generic_format_bpow. unfold FLT_exp.
    generalize (prec_ge_2 f). lia. }
    rewrite rnd_id, Rminus_diag_eq, Rabs_R0 by auto. assert (U := u_pos f). assert (B := bpow_ge_0 radix2 (k - 1)).
      assert (T := tiny_pos f). nra.
Qed.
Lemma abs_rnd_le x y : number f y -> Rabs x <= y -> Rabs (rnd f x) <= y.
Proof.
  intros Ny H. apply Rabs_le_inv in H. apply Rabs_le. split. apply rnd_ge. now apply number_opp. lra.
    apply rnd_le_number; auto. lra.
Qed.
End One.

(* ---- one raw value a: units 2a + 2r - 5/2 and 2a + 2r - 7/2, hidden numbers stored ---- *)
Section Raw.
Variables fs fa : format.
Hypothesis incl : forall x, number fs x -> number fa x.
Hypothesis bits : (3 <= prec fs)%Z.
Hypothesis bits_a : (4 <= prec fa)%Z.
Definition relu x := Rmax 0 x.
Definition raw_ramp a r := let S := rnd fa (rnd fa (0 + rnd fa (2 * a)) + rnd fa (2 * r)) in
  let h1 := rnd fs (relu (rnd fa (S + - (5 / 2)))) in let h2 := rnd fs (relu (rnd fa (S + - (7 / 2)))) in
  rnd fs (rnd fa (rnd fa (0 + rnd fa (1 * h1)) + rnd fa (-1 * h2))).

Lemma number_half_int (m : Z) : (Z.abs m <= 8)%Z -> number fs (IZR m / 2).
Proof.
  intros H. apply (number_mult fs _ m (-1)). simpl; lra. eapply Z.le_trans. apply H. change 8%Z with (2 ^ 3)%Z.
    apply Z.pow_le_mono_r; lia.
  generalize (emin_neg fs). lia.
Qed.
(* rounding keeps multiples of 2^e *)
Lemma rnd_multiple (m e : Z) : exists m', rnd fa (IZR m * bpow radix2 e) = IZR m' * bpow radix2 e.
Proof.
  set (x := IZR m * bpow radix2 e). set (c := cexp radix2 (FLT_exp (emin fa) (prec fa)) x).
  destruct (Z_le_gt_dec c e) as [H|H].
  - exists m. apply rnd_id. unfold number, x. change (IZR m * bpow radix2 e) with (F2R (Float radix2 m e)).
    apply generic_format_F2R. intros _. exact H.
  - exists (ZnearestE (scaled_mantissa radix2 (FLT_exp (emin fa) (prec fa)) x) * 2 ^ (c - e))%Z.
    unfold rnd, round, F2R. cbn [Fnum Fexp]. fold c.
    rewrite mult_IZR. rewrite pow_IZR by lia. rewrite Rmult_assoc, <- bpow_plus. do 2 f_equal. lia.
Qed.

Theorem round_raw_ok a r b : number fs a -> (b = 0 \/ b = 1) -> 0 <= a -> Rabs (a - b) <= / 4 -> (r = 1 \/ r = 0) ->
  raw_ramp a r = r * b.
Proof.
  intros Na Hb A0 Near Hr. apply Rabs_le_inv in Near.
  assert (N2a : number fa (2 * a)) by (apply number_double; auto).
  assert (N52 : number fs (5 / 2)) by (apply (number_half_int 5); lia). assert (N72 : number fs (7 / 2)) by (apply
    (number_half_int 7); lia).
  assert (N2 : number fs 2) by (replace 2 with (IZR 4 / 2) by lra; apply number_half_int; lia).
  unfold raw_ramp. rewrite (Rplus_0_l (rnd fa (2 * a))), !(rnd_id fa (2 * a)) by auto.
  assert (R2 : rnd fa (2 * r) = 2 * r) by (destruct Hr as [-> | ->]; [rewrite (rnd_small fa _ 2) by (try lra; lia);
    lra | rewrite (rnd_small fa _ 0) by (try lra; lia); lra]).
  rewrite R2. cbv zeta. set (S := rnd fa (2 * a + 2 * r)).
  assert (Low : S <= 5 / 2 -> rnd fs (rnd fa (rnd fa (0 + rnd fa (1 * rnd fs (relu (rnd fa (S + - (5 / 2))))))
       + rnd fa (-1 * rnd fs (relu (rnd fa (S + - (7 / 2))))))) = 0).
  { intros H. assert (X1 : rnd fa (S + - (5 / 2)) <= 0) by (apply rnd_le_number; [apply number_0|lra]).
    assert (X2 : rnd fa (S + - (7 / 2)) <= 0) by (apply rnd_le_number; [apply number_0|lra]).
    unfold relu. rewrite !Rmax_left by auto. rewrite (rnd_id fs 0) by apply number_0.
    rewrite !Rmult_0_r, !(rnd_id fa 0) by apply number_0. rewrite Rplus_0_l, !(rnd_id fa 0) by apply number_0.
    rewrite Rplus_0_l, (rnd_id fa 0) by apply number_0. apply rnd_id, number_0. }
  destruct Hr as [-> | ->].
  2:{ rewrite Rmult_0_l. apply Low. apply rnd_le_number; auto. destruct Hb as [-> | ->]; lra. }
  rewrite (Rmult_1_l b). destruct Hb as [-> | ->].
  { apply Low. apply rnd_le_number; auto. lra. }
  clear Low. assert (S7 : 7 / 2 <= S) by (apply rnd_ge; auto; lra).
  assert (S9 : S <= 9 / 2).
  { apply rnd_le_number; [|lra]. apply (number_mult fa _ 9 (-1)). simpl; lra.
    assert (2 ^ 4 <= 2 ^ prec fa)%Z by (apply Z.pow_le_mono_r; lia). simpl in *; lia. generalize (emin_neg fa); lia. }
  set (p := prec fs) in *. assert (Ep := emin_neg fs). fold p in Ep.
  (* everything is a multiple of 2^(1-p) *)
  assert (Mul : exists m, S = IZR m * bpow radix2 (1 - p)).
  { destruct (number_form fs a Na) as (m & e & Ea & Hm & He). fold p in Hm.
    assert (Ge : (- p <= e)%Z).
    { assert (X : bpow radix2 (- p - 1) < bpow radix2 e).
      { apply Rmult_lt_reg_l with (IZR (2 ^ p)). apply IZR_lt. apply Z.pow_pos_nonneg; lia.
        apply Rlt_le_trans with a. replace (IZR (2 ^ p) * bpow radix2 (- p - 1)) with (/ 2). lra.
        rewrite pow_IZR, <- bpow_plus by lia. replace (p + (- p - 1))%Z with (-1)%Z by lia. reflexivity.
        rewrite Ea. apply Rmult_le_compat_r. apply bpow_ge_0. apply IZR_le. lia. }
      apply lt_bpow in X. lia. }
    assert (Em : 2 * a + 2 * 1 = IZR (m * 2 ^ (e + p) + 2 ^ p) * bpow radix2 (1 - p)).
    { rewrite plus_IZR, mult_IZR. rewrite !pow_IZR by lia. rewrite Rmult_plus_distr_r, Rmult_assoc, <- !bpow_plus.
      replace (e + p + (1 - p))%Z with (e + 1)%Z by lia. replace (p + (1 - p))%Z with 1%Z by lia. rewrite bpow_plus.
        change (bpow radix2 1) with 2. rewrite Ea. ring. }
    unfold S. rewrite Em. apply rnd_multiple. }
  destruct Mul as [m Em].
  assert (Two : 2 = IZR (2 ^ p) * bpow radix2 (1 - p)).
  { rewrite pow_IZR, <- bpow_plus by lia. replace (p + (1 - p))%Z with 1%Z by lia. reflexivity. }
  assert (Half : / 2 = IZR (2 ^ (p - 2)) * bpow radix2 (1 - p)).
  { rewrite pow_IZR, <- bpow_plus by lia. replace (p - 2 + (1 - p))%Z with (-1)%Z by lia. reflexivity. }
  assert (Sub : forall k : Z, 0 <= S - IZR k / 2 <= 2 -> number fs (S + - (IZR k / 2))).
  { intros k [K0 K2]. assert (Ek : S - IZR k / 2 = IZR (m - k * 2 ^ (p - 2)) * bpow radix2 (1 - p)).
    { rewrite minus_IZR, mult_IZR, Rmult_minus_distr_r, <- Em, Rmult_assoc, <- Half. lra. }
    replace (S + - (IZR k / 2)) with (S - IZR k / 2) by ring. apply (number_mult fs _ _ _ Ek); [|lia]. fold p.
    assert (B := bpow_gt_0 radix2 (1 - p)). rewrite Z.abs_eq.
    apply le_IZR. apply Rmult_le_reg_r with (1 := B). rewrite <- Ek, <- Two. lra.
    apply le_IZR. apply Rmult_le_reg_r with (1 := B). rewrite <- Ek. lra. }
  assert (H1 : number fs (S + - (5 / 2))) by (apply (Sub 5%Z); lra). assert (H2 : number fs (S + - (7 / 2))) by
    (apply (Sub 7%Z); lra).
  rewrite !(rnd_id fa (S + - _)) by auto. unfold relu. rewrite !Rmax_right by lra.
    rewrite !(rnd_id fs (S + - _)) by auto.
  rewrite Rmult_1_l, (rnd_id fa (S + - (5 / 2))) by auto. rewrite Rplus_0_l, (rnd_id fa (S + - (5 / 2))) by auto.
  replace (-1 * (S + - (7 / 2))) with (- (S + - (7 / 2))) by ring. rewrite (rnd_id fa (- _)) by (apply number_opp;
    auto).
  replace (S + - (5 / 2) + - (S + - (7 / 2))) with 1 by lra. rewrite (rnd_id fa 1) by apply number_1.
    apply rnd_id, number_1.
Qed.
End Raw.
