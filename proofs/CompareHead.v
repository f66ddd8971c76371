(* doc/certificate.md, "Compare", ascending: the row of a comparison in floating point.
  The sentinel z has the logit l, the m others have 0.
   It is shown from bounds of l; how the logit comes from the counts is Exact.v's sums and means, and the page's eps,
     on paper.

   compare_true    l above 0: the output is within error(rho) of 1, rho bounding the others' weights
   compare_false   l so low that e^l / m is small: the output is at most F *)
From Coq Require Import ZArith Reals Lia Lra Psatz List Bool Arith.
From Flocq Require Import Core Relative.
From Temper Require Import Rows Heads Format Sums Crumbs Nearest NearestAny Rounding Strings Programs FloatRun
  NearestHead.
Import ListNotations.
Local Open Scope R_scope.

Lemma pow_le_1 y n : 0 <= y <= 1 -> y ^ n <= 1.
Proof. intros H. rewrite <- (pow1 n). apply pow_incr; lra. Qed.

Section Compare.
Variables fs fa : format.
Hypothesis incl : forall x, number fs x -> number fa x.
Hypothesis fine : fs = fa \/ 2 * tiny fa <= tiny fs.
Variable E : R -> R.
Hypothesis HE : exp_model fa E.
Variables (K1 K2 : list nat) (z : nat) (l : R) (x : R).
Let K := K1 ++ z :: K2.
Let m := length (K1 ++ K2).
Hypothesis distinct : NoDup K.
Hypothesis some : (1 <= m)%nat.
Hypothesis Nl : number fa l.
Definition logit j := if Nat.eqb j z then l else 0.
Definition value j := if Nat.eqb j z then 1 else 0.
Hypothesis row : softmax_row fs fa E Ascending logit value K x.

Lemma others j : In j (K1 ++ K2) -> Nat.eqb j z = false.
Proof.
  intros H. apply Nat.eqb_neq. intros ->. unfold K in distinct. apply NoDup_remove in distinct. tauto.
Qed.
Lemma others1 j : In j K1 -> Nat.eqb j z = false. Proof. intros; apply others, in_or_app; auto. Qed.
Lemma others2 j : In j K2 -> Nat.eqb j z = false. Proof. intros; apply others, in_or_app; auto. Qed.
Lemma asc_zero_skip s ws : number fa s -> (forall w, In w ws -> w = 0) -> asc fa s ws = s.
Proof.
  revert s. induction ws as [|a ws IH]; simpl; intros s Ns H; auto. rewrite (H a) by auto.
    rewrite Rplus_0_r, rnd_id by auto. apply IH; auto.
Qed.
(* the row as it is summed: top is the larger one of l and 0 *)
Definition wz := E (rnd fa (l - Rmax l 0)).
Definition wo := E (rnd fa (0 - Rmax l 0)).
Lemma row_is : x = quotient fs fa (rnd fs wz) (asc fa 0 (map (fun _ => wo) K1 ++ wz :: map (fun _ => wo) K2)) /\
  (0 <= wz <= 1 /\ number fa wz) /\ (0 <= wo <= 1 /\ number fa wo).
Proof.
  assert (Nm : number fa (Rmax l 0)) by (unfold Rmax; destruct Rle_dec; auto; apply number_0).
  assert (Bz := E_bound fa E HE l (Rmax l 0) Nl Nm (Rmax_l l 0)). assert (Bo := E_bound fa E HE 0 (Rmax l 0)
    (number_0 fa) Nm (Rmax_r l 0)).
  fold wz in Bz. fold wo in Bo. split; [|tauto].
  unfold softmax_row in row. fold K in row. destruct K as [|k0 K0] eqn:EK; [destruct K1; discriminate|].
    rewrite <- EK in *. clear EK.
  destruct row as (top & T1 & T2 & ->). cbv zeta.
  assert (Et : logit top = Rmax l 0).
  { assert (Iz : In z K) by (unfold K; apply in_or_app; right; now left). assert (A := T2 z Iz).
    unfold logit in A at 1. rewrite Nat.eqb_refl in A.
    assert (Io : exists o, In o (K1 ++ K2)) by (unfold m in some; destruct (K1 ++ K2) as [|o q]; [simpl in some;
      lia|exists o; now left]). destruct Io as [o Io].
    assert (Ik : In o K) by (unfold K; apply in_app_or in Io; apply in_or_app; simpl; tauto). assert (B := T2 o Ik).
      unfold logit in B at 1. rewrite (others o Io) in B.
    unfold logit in *. destruct (Nat.eqb top z); unfold Rmax in *; destruct (Rle_dec l 0); lra. }
  assert (Wz : E (rnd fa (logit z - logit top)) = wz) by (rewrite Et; unfold logit; now rewrite Nat.eqb_refl).
  assert (Wo : forall j, Nat.eqb j z = false -> E (rnd fa (logit j - logit top)) = wo) by (intros j Hj; rewrite Et;
    unfold logit; now rewrite Hj).
  assert (Nz : number fa (rnd fs wz)) by apply incl, rnd_number.
  f_equal.
  - unfold K. rewrite map_app, asc_app. cbn [map]. rewrite (asc_zero_skip 0 (map _ K1)); [|apply number_0|].
    2:{ intros w Hw. apply in_map_iff in Hw. destruct Hw as (j & <- & Hj). unfold value.
      rewrite (others1 j Hj), Rmult_0_r. apply rnd_id, number_0. }
    cbn [asc]. rewrite Wz. unfold value at 1. rewrite Nat.eqb_refl, Rmult_1_r, Rplus_0_l, !(rnd_id fa (rnd fs wz)) by
      auto.
    apply asc_zero_skip; auto. intros w Hw. apply in_map_iff in Hw. destruct Hw as (j & <- & Hj). unfold value.
      rewrite (others2 j Hj), Rmult_0_r. apply rnd_id, number_0.
  - unfold K. rewrite map_app. cbn [map]. rewrite Wz. f_equal. f_equal. apply map_ext_in. intros j Hj.
    now apply Wo, others1.
    f_equal. apply map_ext_in. intros j Hj. now apply Wo, others2.
Qed.
Lemma total_const w (q : list nat) : total (map (fun _ => w) q) = INR (length q) * w.
Proof. unfold total. rewrite sum_map, sum_const. ring. Qed.

Theorem compare_true rho : 0 <= l -> INR m * ((1 + 2 * u fa) * exp (- l) + tiny fa) <= rho -> 4 * rho <= 1 ->
  Rabs (x - 1) <= error fs fa (4 * rho) 0 /\ 0 <= x.
Proof.
  intros L0 Hr H1. destruct row_is as (-> & (Bz & Nz) & (Bo & No)).
  assert (Z1 : wz = 1). { unfold wz. rewrite Rmax_left by lra. rewrite Rminus_diag_eq by auto.
    rewrite (rnd_id fa 0) by apply number_0. apply (E_0 _ _ HE). }
  assert (Wo : wo <= (1 + 2 * u fa) * exp (- l) + tiny fa).
  { unfold wo. rewrite Rmax_left by lra. rewrite Rminus_0_l, (rnd_id fa (- l)) by (now apply number_opp).
    apply (E_le _ _ HE). now apply number_opp. lra. }
  rewrite Z1, (rnd_id fs 1) by apply number_1.
  assert (W : forall q : list nat, weights fa (map (fun _ => wo) q)) by (intros q w Hw; apply in_map_iff in Hw;
    destruct Hw as (j & <- & _); split; auto; lra).
  assert (D := lemma1_ascending fa _ _ (W K1) (W K2)). rewrite !total_const in D.
  assert (Em : INR m = INR (length K1) + INR (length K2)) by (unfold m; rewrite app_length, plus_INR; auto).
  assert (P1 : 0 <= INR (length K1)) by apply pos_INR. assert (P2 : 0 <= INR (length K2)) by apply pos_INR.
  assert (S : INR m * wo <= rho) by (eapply Rle_trans; [apply Rmult_le_compat_l; [apply pos_INR|apply Wo]|auto]).
    rewrite Em in S.
  split. apply quotient_one; try nra.
  apply rnd_ge. apply number_0. apply rnd_ge. apply number_0. apply Rmult_le_pos. lra. left. apply Rinv_0_lt_compat.
    lra.
Qed.

(* a sum of q equal weights loses at most the factor (1-u)^q *)
Lemma asc_const_ge w (q : list nat) : 0 <= w -> number fa w -> forall s, number fa s -> 0 <= s -> (1 - u fa) ^ length
  q * (s + INR (length q) * w) <= asc fa s (map (fun _ => w) q).
Proof.
  intros W0 Nw. assert (U := u_pos fa). assert (Uh := u_le_half fa). induction q as [|a q IH]; intros s Ns S0.
    simpl; lra.
  cbn [map asc]. rewrite (eq_refl : length (a :: q) = S (length q)), S_INR. generalize (add_relative fa s w Ns Nw).
    rewrite (Rabs_pos_eq (s + w)) by lra. intros X. apply Rabs_le_inv in X.
  assert (R0 : 0 <= rnd fa (s + w)) by (apply rnd_ge; [apply number_0|lra]).
    eapply Rle_trans; [|apply IH; auto; apply rnd_number]. cbn [pow].
  assert (P : 0 < (1 - u fa) ^ length q) by (apply pow_lt; lra). assert (I := pos_INR (length q)).
  rewrite (Rmult_comm (1 - u fa)), Rmult_assoc. apply Rmult_le_compat_l. lra.
  assert (0 <= u fa * (INR (length q) * w)) by (apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]). nra.
Qed.
Definition g_low := (1 - u fa) ^ S m.
(* the denominator is at least the others' weights *)
Lemma den_ge : g_low * (INR m * wo) <= asc fa 0 (map (fun _ => wo) K1 ++ wz :: map (fun _ => wo) K2).
Proof.
  destruct row_is as (_ & (Bz & Nz) & (Bo & No)). assert (U := u_pos fa). assert (Uh := u_le_half fa).
    rewrite asc_app. cbn [asc].
  set (s1 := asc fa 0 (map (fun _ => wo) K1)). assert (N1 : number fa s1) by (apply asc_number, number_0).
  assert (A := asc_const_ge wo K1 (proj1 Bo) No 0 (number_0 fa) (Rle_refl 0)). fold s1 in A. rewrite Rplus_0_l in A.
  assert (P1 : 0 < (1 - u fa) ^ length K1) by (apply pow_lt; lra). assert (P2 : 0 < (1 - u fa) ^ length K2) by (apply
    pow_lt; lra).
  assert (I1 := pos_INR (length K1)). assert (I2 := pos_INR (length K2)).
  assert (S0 : 0 <= s1) by (eapply Rle_trans; [|apply A]; apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]).
  assert (G : s1 <= rnd fa (s1 + wz)) by (apply add_ge_r; auto; lra).
  eapply Rle_trans; [|apply asc_const_ge; auto; try apply rnd_number; lra].
  unfold g_low, m. rewrite app_length. cbn [pow]. rewrite pow_add, plus_INR.
  set (p1 := (1 - u fa) ^ length K1) in *. set (p2 := (1 - u fa) ^ length K2) in *.
  assert (p1l : p1 <= 1) by (apply pow_le_1; lra).
  apply Rle_trans with (p2 * (p1 * (INR (length K1) * wo) + INR (length K2) * wo)).
  - assert (X1 : 0 <= INR (length K1) * wo) by (apply Rmult_le_pos; lra).
    assert (X2 : 0 <= INR (length K2) * wo) by (apply Rmult_le_pos; lra).
    replace ((1 - u fa) * (p1 * p2) * ((INR (length K1) + INR (length K2)) * wo)) with (p2 * ((1 - u fa) * (p1 * (INR
      (length K1) * wo) + p1 * (INR (length K2) * wo)))) by ring.
    apply Rmult_le_compat_l. lra. assert (p1 * (INR (length K2) * wo) <= INR (length K2) * wo) by nra.
    assert (0 <= p1 * (INR (length K1) * wo)) by (apply Rmult_le_pos; lra).
      assert (0 <= p1 * (INR (length K2) * wo)) by (apply Rmult_le_pos; lra). nra.
  - apply Rmult_le_compat_l. lra. lra.
Qed.
Lemma quotient_le num den F : 0 <= num -> 0 < den -> num / den <= F -> 0 <= quotient fs fa num den <= F * (1 + u fa)
  * (1 + u_stored fs fa) + tiny fs.
Proof.
  intros N0 D0 HF. assert (Q0 : 0 <= num / den) by (apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]).
  assert (A0 : 0 <= rnd fa (num / den)) by (apply rnd_ge; auto; apply number_0).
    assert (B0 : 0 <= rnd fs (rnd fa (num / den))) by (apply rnd_ge; auto; apply number_0).
  split. exact B0. assert (Ua := u_pos fa). assert (Us := u_stored_range fs fa).
    assert (Uah := u_le_half fa). assert (Ta := tiny_pos fa). assert (Ts := tiny_pos fs).
  assert (A1 : rnd fa (num / den) <= (1 + u fa) * F + / 2 * tiny fa).
  { generalize (rnd_error fa (num / den)). rewrite (Rabs_pos_eq (num / den)) by auto. intros X.
    apply Rabs_le_inv in X. nra. }
  assert (F0 : 0 <= F) by lra. unfold quotient. destruct fine as [Ef|Ef].
  - rewrite (rnd_id fs). 2:{ rewrite Ef. apply rnd_number. } assert (tiny fa = tiny fs) by now rewrite Ef.
    assert (0 <= (1 + u fa) * F) by (apply Rmult_le_pos; lra). nra.
  - generalize (store_error fs fa (rnd fa (num / den)) (rnd_number fa _)). rewrite (Rabs_pos_eq (rnd fa (num / den)))
    by auto. intros X.
    apply Rabs_le_inv in X. nra.
Qed.
Theorem compare_false phi : exp l / INR m <= phi -> bpow radix2 (emin fa + prec fa - 1) <= exp (- l) ->
  let F := ((1 + u_stored fs fa) * ((1 + 2 * u fa) * phi + tiny fa) + tiny fs) / ((1 - 2 * u fa) * g_low) in
  0 <= x <= F * (1 + u fa) * (1 + u_stored fs fa) + tiny fs.
Proof.
  intros Hp Hn F. destruct row_is as (Ex & (Bz & Nz) & (Bo & No)). assert (Dg := den_ge). rewrite Ex. clear Ex.
  set (den := asc fa 0 (map (fun _ => wo) K1 ++ wz :: map (fun _ => wo) K2)) in *.
  assert (Ua := u_pos fa). assert (Us := u_stored_range fs fa). assert (Uah := u_le_half fa).
    assert (Ta := tiny_pos fa). assert (Ts := tiny_pos fs).
  assert (m1 : 1 <= INR m) by (change 1 with (INR 1); apply le_INR; auto).
  assert (Gp : 0 < g_low <= 1). { unfold g_low. split. apply pow_lt; lra. apply pow_le_1; lra. }
  assert (el := exp_pos l). assert (ph0 : 0 < phi) by (eapply Rlt_le_trans; [|apply Hp]; apply Rmult_lt_0_compat;
    [auto|apply Rinv_0_lt_compat; lra]).
  assert (Hp' : exp l <= phi * INR m). { apply Rmult_le_reg_r with (/ INR m). apply Rinv_0_lt_compat; lra.
    rewrite Rmult_assoc, Rinv_r by lra. unfold Rdiv in Hp. lra. }
  assert (Sz : rnd fs wz <= (1 + u_stored fs fa) * wz + tiny fs).
  { generalize (store_error fs fa wz Nz). rewrite (Rabs_pos_eq wz) by lra. intros X. apply Rabs_le_inv in X. lra. }
  assert (Sz0 : 0 <= rnd fs wz) by (apply rnd_ge; [apply number_0|lra]).
  (* the ratio of the sentinel's weight and the others' *)
  assert (Key : 0 < wo /\ (1 - 2 * u fa) * rnd fs wz <= ((1 + u_stored fs fa) * ((1 + 2 * u fa) * phi + tiny fa) +
    tiny fs) *
    (INR m * wo)).
  { destruct (Rle_dec l 0) as [L|L].
    - assert (W1 : wo = 1). { unfold wo. rewrite Rmax_right by lra. rewrite Rminus_diag_eq by auto.
      rewrite (rnd_id fa 0) by apply number_0. apply (E_0 _ _ HE). }
      assert (W2 : wz <= (1 + 2 * u fa) * exp l + tiny fa). { unfold wz. rewrite Rmax_right by lra.
        rewrite Rminus_0_r, (rnd_id fa l) by auto. apply (E_le _ _ HE); auto. }
      rewrite W1. split. lra. rewrite Rmult_1_r.
      apply Rle_trans with (rnd fs wz). rewrite <- (Rmult_1_l (rnd fs wz)) at 2. apply Rmult_le_compat_r; lra.
      eapply Rle_trans; [apply Sz|]. assert ((1 + 2 * u fa) * exp l <= (1 + 2 * u fa) * (phi * INR m)) by (apply
        Rmult_le_compat_l; lra).
      apply Rle_trans with ((1 + u_stored fs fa) * ((1 + 2 * u fa) * (phi * INR m) + tiny fa) + tiny fs).
        apply Rplus_le_compat_r. apply Rmult_le_compat_l; lra.
      replace (((1 + u_stored fs fa) * ((1 + 2 * u fa) * phi + tiny fa) + tiny fs) * INR m) with ((1 + u_stored fs
        fa) * ((1 + 2 * u fa)
        * (phi * INR m) + tiny fa * INR m) + tiny fs * INR m) by ring.
      apply Rplus_le_compat. apply Rmult_le_compat_l. lra. nra. nra.
    - assert (W1 : wz = 1). { unfold wz. rewrite Rmax_left by lra. rewrite Rminus_diag_eq by auto.
      rewrite (rnd_id fa 0) by apply number_0. apply (E_0 _ _ HE). }
      assert (W2 : (1 - 2 * u fa) * exp (- l) <= wo). { unfold wo. rewrite Rmax_left by lra.
        rewrite Rminus_0_l, (rnd_id fa (- l)) by (now apply number_opp). apply (E_ge _ _ HE); auto.
        now apply number_opp. lra. }
      rewrite W1, (rnd_id fs 1) by apply number_1. assert (e2 := exp_pos (- l)). split. nra. rewrite Rmult_1_r.
      assert (X : 1 - 2 * u fa <= phi * INR m * wo).
      { apply Rle_trans with (exp l * wo). 2: apply Rmult_le_compat_r; lra.
        apply Rle_trans with (exp l * ((1 - 2 * u fa) * exp (- l))). 2: apply Rmult_le_compat_l; lra.
        rewrite exp_Ropp. right. field. lra. }
      assert (Y : 0 <= phi * INR m * wo) by lra. assert (0 <= INR m * wo) by (apply Rmult_le_pos; lra).
      apply Rle_trans with (1 * (phi * INR m * wo)). lra.
      replace (((1 + u_stored fs fa) * ((1 + 2 * u fa) * phi + tiny fa) + tiny fs) * (INR m * wo)) with ((1 +
        u_stored fs fa) * (1 + 2 *
        u fa) * (phi * INR m * wo) + ((1 + u_stored fs fa) * tiny fa + tiny fs) * (INR m * wo)) by ring.
      assert (0 <= ((1 + u_stored fs fa) * tiny fa + tiny fs) * (INR m * wo)) by (apply Rmult_le_pos; nra).
        assert (1 * (phi * INR m * wo) <= (1 + u_stored fs fa) * (1 + 2 * u fa) * (phi * INR m * wo)) by (apply
        Rmult_le_compat_r; nra). lra. }
  destruct Key as [Wp Key]. set (C := (1 + u_stored fs fa) * ((1 + 2 * u fa) * phi + tiny fa) + tiny fs) in *.
  assert (mw : 0 < INR m * wo) by (apply Rmult_lt_0_compat; lra). assert (d0 : 0 < den) by (eapply Rlt_le_trans;
    [|apply Dg]; apply Rmult_lt_0_compat; lra).
  apply quotient_le; auto. unfold F. fold C.
  assert (C0 : 0 <= C) by (assert (0 <= (1 + 2 * u fa) * phi) by (apply Rmult_le_pos; lra); unfold C; nra).
  assert (p1 : 0 < (1 - 2 * u fa) * g_low) by (apply Rmult_lt_0_compat; lra).
  apply Rmult_le_reg_r with (den * ((1 - 2 * u fa) * g_low)). now apply Rmult_lt_0_compat.
  replace (rnd fs wz / den * (den * ((1 - 2 * u fa) * g_low))) with (g_low * ((1 - 2 * u fa) * rnd fs wz)) by (field;
    lra).
  replace (C / ((1 - 2 * u fa) * g_low) * (den * ((1 - 2 * u fa) * g_low))) with (C * den) by (field; split; lra).
  apply Rle_trans with (g_low * (C * (INR m * wo))). apply Rmult_le_compat_l; lra.
  replace (g_low * (C * (INR m * wo))) with (C * (g_low * (INR m * wo))) by ring. now apply Rmult_le_compat_l.
Qed.
End Compare.
