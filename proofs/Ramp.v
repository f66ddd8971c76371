(* The ramp of two relu units with equal rows and biases -c, -c-1 is exactly 0 or 1 in floating point. *)
From Coq Require Import ZArith Reals Lia Lra Psatz.
From Flocq Require Import Core.
From Temper Require Import Format.
Local Open Scope R_scope.
Definition relu x := Rmax 0 x.

Section Ramp.
Variable f : format.
Notation rnd := (rnd f). Notation number := (number f).

(* computed: bias added last, hidden values stored (equal formats), output channel 0 + h1 - h2, left to right *)
Definition ramp (S c : R) : R :=
  let h1 := relu (rnd (S - c)) in let h2 := relu (rnd (S - (c + 1))) in rnd (rnd (0 + h1) - h2).

Lemma sub_exact S (k : Z) : number S -> S < bpow radix2 (prec f - 1) ->
  0 <= IZR k / 2 <= S -> number (S - IZR k / 2).
Proof.
  intros HS Hlt [Hk0 HkS].
  destruct (Req_dec S 0) as [Z|NZ].
  { replace (S - IZR k / 2) with 0 by lra. apply number_0. }
  set (e := cexp radix2 (FLT_exp (emin f) (prec f)) S).
  assert (Hpos : 0 < S) by lra.
  assert (He : (emin f <= e <= -1)%Z).
  { unfold e, cexp, FLT_exp. assert (mag radix2 S <= prec f - 1)%Z.
    { apply mag_le_bpow; auto. rewrite Rabs_pos_eq; lra. }
    generalize (emin_neg f) (prec_ge_2 f). lia. }
  assert (Hm : S = IZR (Ztrunc (scaled_mantissa radix2 (FLT_exp (emin f) (prec f)) S)) * bpow radix2 e).
  { unfold number, Format.number in HS. rewrite HS at 1. reflexivity. }
  set (m := Ztrunc (scaled_mantissa radix2 (FLT_exp (emin f) (prec f)) S)) in Hm.
  set (k' := (k * 2 ^ (-1 - e))%Z).
  assert (Hk' : IZR k / 2 = IZR k' * bpow radix2 e).
  { unfold k'. rewrite mult_IZR. change 2%Z with (radix_val radix2). rewrite IZR_Zpower by lia.
    rewrite Rmult_assoc, <- bpow_plus. replace (-1 - e + e)%Z with (-1)%Z by lia. simpl. lra. }
  apply (number_mult f _ (m - k') e).
  - rewrite minus_IZR, Rmult_minus_distr_r, <- Hm, <- Hk'. reflexivity.
  - (* |m - k'| <= m <= 2^prec *)
    assert (B : 0 < bpow radix2 e) by apply bpow_gt_0.
    assert (K0 : (0 <= k')%Z). { apply le_IZR. apply Rmult_le_reg_r with (1 := B). rewrite <- Hk'. lra. }
    assert (KM : (k' <= m)%Z). { apply le_IZR. apply Rmult_le_reg_r with (1 := B). rewrite <- Hk', <- Hm. lra. }
    assert (M : (m <= 2 ^ prec f)%Z).
    { apply le_IZR. change 2%Z with (radix_val radix2). rewrite IZR_Zpower by (generalize (prec_ge_2 f); lia).
      apply Rmult_le_reg_r with (1 := B). rewrite <- Hm, <- bpow_plus.
      (* S < 2^mag <= 2^(prec+e) *)
      apply Rle_trans with (bpow radix2 (mag radix2 S)).
      left. eapply Rle_lt_trans. apply Rle_abs. apply bpow_mag_gt.
      apply bpow_le. unfold e, cexp, FLT_exp. lia. }
    lia.
  - lia.
Qed.

Theorem ramp_exact (S : R) (k : Z) : let c := IZR k / 2 in
  number S -> S < bpow radix2 (prec f - 1) -> (0 < k)%Z ->
  (S <= c -> ramp S c = 0) /\ (c + 1 <= S -> ramp S c = 1).
Proof.
  intros c HS Hlt Hk. assert (Hc : 0 < c) by (unfold c; apply IZR_lt in Hk; lra).
  assert (N0 := number_0 f). assert (N1 := number_1 f).
  split; intros H; unfold ramp.
  - assert (A : rnd (S - c) <= 0) by (apply rnd_le_number; auto; lra).
    assert (B : rnd (S - (c + 1)) <= 0) by (apply rnd_le_number; auto; lra).
    unfold relu. rewrite !Rmax_left by auto. rewrite Rplus_0_l, (rnd_id f 0) by auto.
    rewrite Rminus_0_r. now apply rnd_id.
  - assert (E1 : rnd (S - c) = S - c). { apply rnd_id. apply sub_exact; auto. unfold c in *; lra. }
    assert (E2 : rnd (S - (c + 1)) = S - (c + 1)).
    { apply rnd_id. replace (c + 1) with (IZR (k + 2) / 2) by (unfold c; rewrite plus_IZR; lra).
      apply sub_exact; auto. rewrite plus_IZR. unfold c in *; lra. }
    rewrite E1, E2. unfold relu. rewrite !Rmax_right by lra.
    rewrite Rplus_0_l. rewrite (rnd_id f (S - c)) by (rewrite <- E1; apply rnd_number).
    replace (S - c - (S - (c + 1))) with 1 by lra. now apply rnd_id.
Qed.
End Ramp.
