(* doc/ordinary.md, "Norms, with errors": with a pin P = C^2 = 2^k among its squares an RMS norm is bit for bit the
  identity.

   absorbed        what is less than half a unit above 2^k is rounded away
   pinned_sum      the sum of squares, in any order, is exactly P, if all others together are below 2^(k-p), a little
     less
                   for their own roundings
   mean_square     the mean of d = 2^m squares, and epsilon added to it, is exactly P/d
   rms_identity    a column, times 1/root and times its gain, is what it was *)
From Coq Require Import ZArith Reals Lia Lra List Permutation.
From Flocq Require Import Core.
From Temper Require Import Rows Format Sums Rounding Range.
Import ListNotations.
Local Open Scope R_scope.

Section Norm.
Variable f : format.
Variable k : Z.
Hypothesis k_fits : (emin f + prec f <= k)%Z.
Notation P := (bpow radix2 k).
Notation H := (bpow radix2 (k - prec f)).                  (* half of the distance to the next number *)
Lemma pow_number e : (emin f <= e)%Z -> number f (bpow radix2 e).
Proof. intros He. apply generic_format_bpow. unfold FLT_exp. generalize (prec_ge_2 f). lia. Qed.
Theorem absorbed y : 0 <= y < H -> rnd f (P + y) = P.
Proof.
  intros [Y0 Y1]. assert (p2 := prec_ge_2 f). assert (NP : number f P) by (apply pow_number; lia).
  assert (E2 : bpow radix2 (k - prec f + 1) = 2 * H).
  { rewrite bpow_plus. change (bpow radix2 1) with 2. ring. }
  assert (HP : H <= P) by (apply bpow_le; lia).
  assert (M : mag radix2 (P + y) = (k + 1)%Z :> Z).
  { apply mag_unique_pos. replace (k + 1 - 1)%Z with k by lia. split. lra. rewrite bpow_plus. change (bpow radix2 1)
    with 2.
    lra. }
  (* the rounded number is a multiple of 2 H, no further from P + y than P is *)
  assert (Near := rnd_nearest f (P + y) P NP). replace (P - (P + y)) with (- y) in Near by ring.
  rewrite Rabs_Ropp, (Rabs_pos_eq y) in Near by auto.
  assert (C : cexp radix2 (FLT_exp (emin f) (prec f)) (P + y) = (k - prec f + 1)%Z) by (unfold cexp, FLT_exp; rewrite
    M; lia).
  assert (Mu : exists m, rnd f (P + y) = IZR m * (2 * H)).
  { exists (ZnearestE (scaled_mantissa radix2 (FLT_exp (emin f) (prec f)) (P + y))). unfold rnd, round, F2R. cbn
    [Fnum Fexp].
    now rewrite C, E2. }
  destruct Mu as [m Em]. assert (EP : P = IZR (2 ^ (prec f - 1)) * (2 * H)).
  { rewrite pow_IZR, <- E2, <- bpow_plus by lia. f_equal. lia. }
  assert (Hp : 0 < H) by apply bpow_gt_0. apply Rabs_le_inv in Near. rewrite Em in *.
  assert (B : -1 < IZR (m - 2 ^ (prec f - 1)) < 1).
  { rewrite minus_IZR. split; apply Rmult_lt_reg_r with (2 * H); try lra. }
  destruct B as [B1 B2]. apply lt_IZR in B1, B2. replace m with (2 ^ (prec f - 1))%Z by lia. now rewrite <- EP.
Qed.

(* any tree of nonnegative numbers is at most (1+u)^n times its sum *)
Lemma tree_sum t : (forall x, In x (leaves t) -> number f x /\ 0 <= x) -> 0 <= computed f t <= (1 + u f) ^ length
  (leaves t)
  * total (leaves t).
Proof.
  assert (U := u_pos f). induction t as [w|a IHa b IHb]; cbn [leaves computed]; intros Hl.
  - destruct (Hl w (or_introl eq_refl)) as [_ W]. unfold total. cbn [length sum]. rewrite pow_1, Rplus_0_r. split;
    auto.
    rewrite <- (Rmult_1_l w) at 1. apply Rmult_le_compat_r; lra.
  - destruct IHa as [A0 A1]. intros; apply Hl, in_or_app; auto. destruct IHb as [B0 B1]. intros; apply Hl, in_or_app;
    auto.
    assert (Na : number f (computed f a)) by (apply computed_number; intros; apply Hl, in_or_app; auto).
    assert (Nb : number f (computed f b)) by (apply computed_number; intros; apply Hl, in_or_app; auto).
    split. apply rnd_ge; [apply number_0|lra]. assert (X := add_relative f _ _ Na Nb). rewrite (Rabs_pos_eq (_ + _))
      in X by
      lra. apply Rabs_le_inv in X.
    assert (Sp : forall t : tree, (1 <= length (leaves t))%nat) by (induction t; cbn [leaves]; rewrite ?app_length;
      simpl; lia).
    assert (Sa := Sp a). assert (Sb := Sp b). rewrite app_length.
    assert (Tp : forall l, (forall x, In x l -> 0 <= x) -> 0 <= total l) by (intros l Hx; now apply sum_nonneg).
    assert (Ta : 0 <= total (leaves a)) by (apply Tp; intros; apply Hl, in_or_app; auto).
    assert (Tb : 0 <= total (leaves b)) by (apply Tp; intros; apply Hl, in_or_app; auto).
    assert (Et : total (leaves a ++ leaves b) = total (leaves a) + total (leaves b)).
    { unfold total. generalize (leaves a). intros l. induction l; simpl; lra. }
    rewrite Et. set (g := (1 + u f) ^ (length (leaves a) + length (leaves b))).
    assert (Ga : (1 + u f) * (1 + u f) ^ length (leaves a) <= g) by (change ((1 + u f) ^ S (length (leaves a)) <= g);
      apply
      Rle_pow; [lra|lia]).
    assert (Gb : (1 + u f) * (1 + u f) ^ length (leaves b) <= g) by (change ((1 + u f) ^ S (length (leaves b)) <= g);
      apply
      Rle_pow; [lra|lia]).
    assert (Qa : (1 + u f) * computed f a <= g * total (leaves a)).
    { apply Rle_trans with ((1 + u f) * (1 + u f) ^ length (leaves a) * total (leaves a)).
      rewrite Rmult_assoc. apply Rmult_le_compat_l; lra. now apply Rmult_le_compat_r. }
    assert (Qb : (1 + u f) * computed f b <= g * total (leaves b)).
    { apply Rle_trans with ((1 + u f) * (1 + u f) ^ length (leaves b) * total (leaves b)).
      rewrite Rmult_assoc. apply Rmult_le_compat_l; lra. now apply Rmult_le_compat_r. }
    lra.
Qed.
(* a tree that has the pin on its way: all else is on side branches *)
Inductive pinned : tree -> list R -> Prop :=
  | pin : pinned (Leaf P) []
  | pin_l a b l : pinned a l -> pinned (Node a b) (l ++ leaves b)
  | pin_r a b l : pinned b l -> pinned (Node a b) (leaves a ++ l).
Theorem pinned_sum t rest : pinned t rest -> (forall x, In x rest -> number f x /\ 0 <= x) ->
  (1 + u f) ^ length rest * total rest < H -> computed f t = P.
Proof.
  assert (U := u_pos f).
  assert (Et : forall a b : list R, total (a ++ b) = total a + total b) by (intros a b; unfold total; induction a;
    simpl; lra).
  assert (Tp : forall l, (forall x, In x l -> number f x /\ 0 <= x) -> 0 <= total l) by (intros l Hx; apply
    sum_nonneg; intros;
    now apply Hx).
  assert (Part : forall a b n, (forall x, In x a -> number f x /\ 0 <= x) -> (forall x, In x b -> number f x /\ 0 <=
    x) ->
    n = length (a ++ b) -> (1 + u f) ^ n * total (a ++ b) < H -> (1 + u f) ^ length a * total a < H /\ (1 + u f) ^
      length b *
    total b < H).
  { intros a b n Ha Hb -> Lt. assert (A0 := Tp a Ha). assert (B0 := Tp b Hb). rewrite Et, app_length in Lt.
    assert (G1 : (1 + u f) ^ length a <= (1 + u f) ^ (length a + length b)) by (apply Rle_pow; [lra|lia]).
    assert (G2 : (1 + u f) ^ length b <= (1 + u f) ^ (length a + length b)) by (apply Rle_pow; [lra|lia]).
    assert (G0 : 0 <= (1 + u f) ^ (length a + length b)) by (apply pow_le; lra).
    split; (eapply Rle_lt_trans; [|apply Lt]); apply Rmult_le_compat; try lra; apply pow_le; lra. }
  intros Pn. induction Pn as [|a b l Pn IH|a b l Pn IH]; intros Hr Lt; cbn [computed]; auto.
  - destruct (Part l (leaves b) _ ltac:(intros; apply Hr, in_or_app; auto) ltac:(intros; apply Hr, in_or_app; auto)
    eq_refl Lt)
      as [L1 L2]. rewrite IH by (auto; intros; apply Hr, in_or_app; auto). apply absorbed.
    assert (X := tree_sum b ltac:(intros; apply Hr, in_or_app; auto)). lra.
  - destruct (Part (leaves a) l _ ltac:(intros; apply Hr, in_or_app; auto) ltac:(intros; apply Hr, in_or_app; auto)
    eq_refl Lt)
      as [L1 L2]. rewrite IH by (auto; intros; apply Hr, in_or_app; auto). rewrite Rplus_comm. apply absorbed.
    assert (X := tree_sum a ltac:(intros; apply Hr, in_or_app; auto)). lra.
Qed.
End Norm.

(* the mean of 2^m squares with epsilon, and the root: P = 4^c, d = 4^m, so that the root is 2^(c-m) *)
Theorem mean_square f c m eps : (emin f + prec f <= 2 * (c - m))%Z -> 0 <= eps < bpow radix2 (2 * (c - m) - prec f) ->
  rnd f (rnd f (bpow radix2 (2 * c) / bpow radix2 (2 * m)) + eps) = bpow radix2 (c - m) * bpow radix2 (c - m).
Proof.
  intros He E. assert (Q : bpow radix2 (2 * c) / bpow radix2 (2 * m) = bpow radix2 (2 * (c - m))).
  { unfold Rdiv. rewrite <- bpow_opp, <- bpow_plus. f_equal. lia. }
  rewrite Q, (rnd_id f (bpow radix2 (2 * (c - m)))). rewrite absorbed by auto. rewrite <- bpow_plus. f_equal. lia.
  apply pow_number. generalize (prec_ge_2 f). lia.
Qed.
(* a column x is multiplied by 1/root = 2^(m-c) and by its gain 2^(c-m) *)
Theorem rms_identity f e x : number f x -> number f (x * bpow radix2 (- e)) ->
  rnd f (rnd f (x * bpow radix2 (- e)) * bpow radix2 e) = x.
Proof.
  intros Nx Nm. rewrite (rnd_id f (x * bpow radix2 (- e))) by auto. rewrite Rmult_assoc, <- bpow_plus,
    Z.add_opp_diag_l.
  cbn [bpow]. rewrite Rmult_1_r. now apply rnd_id.
Qed.
