(* certificate.md Lemma 2: ones and crumbs, ascending.  Proved with exponent p (the page says p + 1). *)
From Coq Require Import ZArith Reals Lia Lra Psatz List.
From Flocq Require Import Core.
From Temper Require Import Format.
Import ListNotations.
Local Open Scope R_scope.
Section C.
Variable f : format.
Notation rnd := (rnd f). Notation number := (number f). Notation u := (u f). Notation p := (prec f).
Let two_p := bpow radix2 p.

Inductive term := One | Crumb (x : R).
Definition valid ts := forall x, In (Crumb x) ts -> number x /\ 0 <= x < 1.
Fixpoint all s ts := match ts with [] => s | One :: r => all (rnd (s + 1)) r | Crumb x :: r => all (rnd (s + x)) r
  end.
Fixpoint ones o ts := match ts with [] => o | One :: r => ones (rnd (o + 1)) r | Crumb _ :: r => ones o r end.
Fixpoint crumbs ts := match ts with [] => 0 | One :: r => crumbs r | Crumb x :: r => x + crumbs r end.

Lemma two_p_IZR : two_p = IZR (2 ^ p).
Proof. unfold two_p. change 2%Z with (radix_val radix2). rewrite IZR_Zpower; auto. generalize (prec_ge_2 f); lia. Qed.
Lemma pow_split : (2 ^ p = 2 * 2 ^ (p - 1) /\ 2 ^ (p - 1) = 2 * 2 ^ (p - 2) /\ 1 <= 2 ^ (p - 2))%Z.
Proof.
  generalize (prec_ge_2 f); intros. split; [|split].
  - replace p with (Z.succ (p - 1)) at 1 by lia. apply Z.pow_succ_r; lia.
  - replace (p - 1)%Z with (Z.succ (p - 2)) at 1 by lia. apply Z.pow_succ_r; lia.
  - assert (0 < 2 ^ (p - 2))%Z by (apply Z.pow_pos_nonneg; lia). lia.
Qed.
(* the tie at 2^p goes to the even neighbour *)
Lemma stuck : rnd (two_p + 1) = two_p.
Proof.
  generalize (prec_ge_2 f) (emin_neg f) pow_split; intros Hp He (P1 & P2 & P3).
  unfold rnd, Format.rnd, round, scaled_mantissa.
  assert (M : mag radix2 (two_p + 1) = (p + 1)%Z :> Z).
  { apply mag_unique_pos. replace (p + 1 - 1)%Z with p by lia. fold two_p. split. lra.
    rewrite bpow_plus. fold two_p. simpl (bpow radix2 1). rewrite two_p_IZR.
    assert (IZR 1 < IZR (2 ^ p)) by (apply IZR_lt; lia). simpl in *. lra. }
  assert (C : cexp radix2 (FLT_exp (emin f) p) (two_p + 1) = 1%Z) by (unfold cexp, FLT_exp; rewrite M; lia).
  rewrite C. replace ((two_p + 1) * bpow radix2 (- (1))) with (IZR (2 ^ (p - 1)) + / 2).
  2:{ rewrite two_p_IZR, P1, mult_IZR. simpl. lra. }
  assert (Fl : Zfloor (IZR (2 ^ (p - 1)) + / 2) = (2 ^ (p - 1))%Z) by (apply Zfloor_imp; rewrite plus_IZR; lra).
  unfold Znearest. rewrite Fl. replace (IZR (2 ^ (p - 1)) + / 2 - IZR (2 ^ (p - 1))) with (/ 2) by lra.
  rewrite Rcompare_Eq by auto. replace (negb (Z.even (2 ^ (p - 1)))) with false.
  2:{ rewrite P2, Z.even_mul. reflexivity. }
  unfold F2R. simpl Fnum. simpl Fexp. rewrite two_p_IZR, P1, mult_IZR. simpl. lra.
Qed.
Lemma cap s x : s <= two_p -> x <= 1 -> rnd (s + x) <= two_p.
Proof. intros. rewrite <- stuck. apply rnd_le. lra. Qed.

(* one more one, in one binade: exact *)
Lemma add_one_cases s : number s -> 1 <= s < two_p ->
  rnd (s + 1) = s + 1 \/ (exists e, (e < p)%Z /\ s < bpow radix2 e /\ bpow radix2 e <= s + 1).
Proof.
  intros Hs [H1 H2]. generalize (prec_ge_2 f) (emin_neg f); intros Hp He.
  set (e := mag radix2 s : Z).
  assert (L : bpow radix2 (e - 1) <= s) by (rewrite <- (Rabs_pos_eq s) by lra; apply bpow_mag_le; lra).
  assert (U : s < bpow radix2 e) by (rewrite <- (Rabs_pos_eq s) at 1 by lra; apply bpow_mag_gt).
  assert (Ep : (e <= p)%Z). { apply mag_le_bpow. lra. rewrite Rabs_pos_eq by lra. exact H2. }
  assert (E1 : (1 <= e)%Z). { assert (bpow radix2 0 < bpow radix2 e) by (simpl; lra). apply lt_bpow in H. lia. }
  assert (Cx : cexp radix2 (FLT_exp (emin f) p) s = (e - p)%Z) by (unfold cexp, FLT_exp; fold e; lia).
  set (m := Ztrunc (scaled_mantissa radix2 (FLT_exp (emin f) p) s)).
  assert (Hm : s = IZR m * bpow radix2 (e - p)).
  { unfold m. rewrite <- Cx. unfold number, Format.number in Hs. rewrite Hs at 1. reflexivity. }
  assert (O : 1 = IZR (2 ^ (p - e)) * bpow radix2 (e - p)).
  { change 2%Z with (radix_val radix2). rewrite IZR_Zpower by lia. rewrite <- bpow_plus.
    replace (p - e + (e - p))%Z with 0%Z by lia. reflexivity. }
  assert (B : 0 < bpow radix2 (e - p)) by apply bpow_gt_0.
  assert (m0 : (0 < m)%Z). { apply lt_IZR. apply Rmult_lt_reg_r with (1 := B). rewrite <- Hm. lra. }
  assert (mp : (m < 2 ^ p)%Z).
  { apply lt_IZR. rewrite <- two_p_IZR. apply Rmult_lt_reg_r with (1 := B). rewrite <- Hm. unfold two_p.
    rewrite <- bpow_plus. replace (p + (e - p))%Z with e by lia. auto. }
  destruct (Z_le_gt_dec (m + 2 ^ (p - e)) (2 ^ p)) as [Q|Q].
  - left. apply rnd_id. apply (number_mult f _ (m + 2 ^ (p - e)) (e - p)).
    rewrite plus_IZR, Rmult_plus_distr_r, <- Hm, <- O. reflexivity.
    assert (0 < 2 ^ (p - e))%Z by (apply Z.pow_pos_nonneg; lia). lia. lia.
  - right. exists e. split; [|split; auto].
    + assert (e <> p); [|lia]. intros ->. rewrite Z.sub_diag in Q. simpl in Q. lia.
    + replace (s + 1) with (IZR (m + 2 ^ (p - e)) * bpow radix2 (e - p)) by (rewrite plus_IZR, Rmult_plus_distr_r, <-
      Hm, <- O; reflexivity).
      replace (bpow radix2 e) with (IZR (2 ^ p) * bpow radix2 (e - p)). apply Rmult_le_compat_r. lra. apply IZR_le.
        lia.
      rewrite <- two_p_IZR. unfold two_p. rewrite <- bpow_plus. f_equal. lia.
Qed.

Definition inv (o s sigma : R) (k : nat) :=
  number s /\ (exists z, o = IZR z /\ (0 <= z <= 2 ^ p)%Z) /\ o <= s <= two_p /\ 0 <= sigma /\
  (Z.of_nat k <= p)%Z /\ (k = O \/ bpow radix2 (Z.of_nat k - 1) <= s) /\ s <= (o + 2 * sigma) * (1 + u) ^ k.

Lemma ones_step z : (0 <= z <= 2 ^ p)%Z -> rnd (IZR z + 1) = IZR (Z.min (z + 1) (2 ^ p)).
Proof.
  intros H. destruct (Z.eq_dec z (2 ^ p)) as [->|Hn].
  - rewrite Z.min_r by lia. rewrite <- two_p_IZR. apply stuck.
  - rewrite Z.min_l by lia. rewrite <- plus_IZR. apply rnd_id, number_int. lia.
Qed.

Lemma lemma2_from ts : valid ts -> forall o s sigma k, inv o s sigma k ->
  exists k', inv (ones o ts) (all s ts) (sigma + crumbs ts) k'.
Proof.
  induction ts as [|t ts IH]; intros V o s sigma k I; simpl.
  { exists k. now rewrite Rplus_0_r. }
  assert (V' : valid ts) by (intros x Hx; apply V; now right).
  assert (Up := u_pos f). 
  destruct I as (Ns & (z & Ez & Hz) & (Hos & Hcap) & Hsg & Hk & Hb & Hs).
  assert (Gk : 1 <= (1 + u) ^ k) by (apply pow_R1_Rle; lra).
  assert (O0 : 0 <= o) by (rewrite Ez; apply IZR_le; lia).
  destruct t as [|x].
  - (* a one *)
    assert (Eo : rnd (o + 1) = IZR (Z.min (z + 1) (2 ^ p))) by (rewrite Ez; now apply ones_step).
    assert (Z' : (0 <= Z.min (z + 1) (2 ^ p) <= 2 ^ p)%Z) by lia.
    assert (Mono : rnd (o + 1) <= rnd (s + 1)) by (apply rnd_le; lra).
    assert (Cap : rnd (s + 1) <= two_p) by (apply cap; lra).
    assert (Grow : s <= rnd (s + 1)) by (apply add_ge_r; auto; lra).
    assert (Rel : rnd (s + 1) <= (1 + u) * (s + 1)).
    { generalize (add_relative f s 1 Ns (number_1 f)). rewrite (Rabs_pos_eq (s + 1)) by lra. intros X.
      apply Rabs_le_inv in X. lra. }
    destruct (Rle_lt_or_eq_dec s two_p Hcap) as [Lt|Eq].
    + assert (zl : (z < 2 ^ p)%Z). { apply lt_IZR. rewrite <- two_p_IZR, <- Ez. lra. }
      assert (Eo1 : rnd (o + 1) = o + 1) by (rewrite Eo, Z.min_l by lia; rewrite plus_IZR, Ez; reflexivity).
      destruct (Rlt_le_dec s 1) as [S1|S1].
      * (* from below 1 *)
        assert (k = O). { destruct Hb as [|Hb]; auto. destruct k; auto. exfalso.
          assert (bpow radix2 0 <= bpow radix2 (Z.of_nat (S k) - 1)) by (apply bpow_le; lia).
            simpl (bpow radix2 0) in H. lra. }
        subst k. simpl in Hs. apply (IH V' _ _ _ 1%nat). repeat split; auto.
        apply rnd_number. exists (Z.min (z + 1) (2 ^ p)); auto. generalize (prec_ge_2 f); lia.
        right. simpl. apply rnd_ge. apply number_1. lra.
        rewrite Eo1. simpl. nra.
      * destruct (add_one_cases s Ns (conj S1 Lt)) as [Ex|(e & Ee & He1 & He2)].
        -- apply (IH V' _ _ _ k). repeat split; auto. apply rnd_number. exists (Z.min (z + 1) (2 ^ p)); auto.
           destruct Hb; auto. right. lra. rewrite Ex, Eo1. nra.
        -- apply (IH V' _ _ _ (S k)). 
           assert (ke : (Z.of_nat k <= e)%Z).
           { destruct Hb as [->|Hb]. assert (bpow radix2 0 < bpow radix2 e) by (simpl; lra). apply lt_bpow in H. lia.
             assert (bpow radix2 (Z.of_nat k - 1) < bpow radix2 e) by lra. apply lt_bpow in H. lia. }
           repeat split; auto. apply rnd_number. exists (Z.min (z + 1) (2 ^ p)); auto. lia.
           right. replace (Z.of_nat (S k) - 1)%Z with (Z.of_nat k) by lia.
           apply Rle_trans with (bpow radix2 e). apply bpow_le; auto.
           apply rnd_ge; auto. apply generic_format_bpow. unfold FLT_exp. generalize (emin_neg f) (prec_ge_2 f). lia.
           rewrite Eo1. simpl pow. apply Rle_trans with ((1 + u) * (s + 1)); auto.
           replace ((o + 1 + 2 * sigma) * ((1 + u) * (1 + u) ^ k)) with ((1 + u) * ((o + 1 + 2 * sigma) * (1 + u) ^
             k)) by ring.
           apply Rmult_le_compat_l. lra. nra.
    + (* stuck at 2^p *)
      assert (Es : rnd (s + 1) = s) by (rewrite Eq; apply stuck).
      apply (IH V' _ _ _ k). rewrite Es in *. repeat split; auto. exists (Z.min (z + 1) (2 ^ p)); auto.
      eapply Rle_trans. apply Hs. apply Rmult_le_compat_r. lra.
      assert (o <= rnd (o + 1)). { rewrite Eo, Ez. apply IZR_le. lia. } lra.
  - (* a crumb *)
    destruct (V x (or_introl eq_refl)) as [Nx Hx].
    replace (sigma + (x + crumbs ts)) with ((sigma + x) + crumbs ts) by ring.
    apply (IH V' _ _ _ k).
    assert (Grow : s <= rnd (s + x)) by (apply add_ge_r; auto; lra).
    assert (Up2 : rnd (s + x) <= s + 2 * x) by (apply add_le_r; auto; lra).
    repeat split; auto. apply rnd_number. exists z; auto. lra. apply cap; lra. lra.
    destruct Hb; auto. right; lra. nra.
Qed.

Theorem lemma2 ts : valid ts ->
  ones 0 ts <= all 0 ts <= (ones 0 ts + 2 * crumbs ts) * (1 + u) ^ Z.to_nat p.
Proof.
  intros V. destruct (lemma2_from ts V 0 0 0 0) as (k & _ & (z & Ez & Hz) & (H1 & _) & Hsg & Hk & _ & H2).
  - repeat split; try lra. apply number_0. exists 0%Z. split; auto. generalize pow_split; lia.
    unfold two_p. apply bpow_ge_0. generalize (prec_ge_2 f); simpl; lia. now left. all: simpl; lra.
  - split; auto. rewrite Rplus_0_l in *. eapply Rle_trans. apply H2.
    apply Rmult_le_compat_l. assert (0 <= ones 0 ts) by (rewrite Ez; apply IZR_le; lia). lra.
    apply Rle_pow. generalize (u_pos f); lra. lia.
Qed.
End C.
