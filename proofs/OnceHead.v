(* doc/certificate.md, "Once", ascending: a once head in floating point, in any two formats, by lemma 2. The scale is
   ln n + C.
   The head's inequality: with eps the relative error of the scale and sigma all that losers may weigh,
   1 - (1-ua)(1-us)/((1+2 sigma)(1+ua)^p) <= 1/4, and one loser weighs less than 1.

   once_near  the output is 0 if there is no candidate, and that near to 1 if there is one
   once_out   the same with C = 8, where a quarter is enough *)
From Coq Require Import ZArith Reals Lia Lra Psatz List Bool Arith.
From Flocq Require Import Core.
From Temper Require Import Rows Heads Format Sums Crumbs Nearest NearestAny Rounding Strings Programs FloatRun
  NearestHead OnceTree.
Import ListNotations.
Local Open Scope R_scope.

Section Once.
Variables fs fa : format.
Hypothesis incl : forall x, number fs x -> number fa x.
Variable E : R -> R.
Hypothesis HE : exp_model fa E.
Variable M : nat.
Definition eps := 1 - (1 - u fa) * (1 - f64_error).
Definition loser_max C := (1 + 2 * u fa) * exp (- ((1 - eps) * C)) + tiny fa.
Definition sigma C := (INR M - 1) * ((1 + 2 * u fa) * exp (- ((1 - eps) * (ln (INR M) + C))) + tiny fa).
Definition once_error C := 1 - (1 - u fa) * (1 - u_stored fs fa) / ((1 + 2 * sigma C) * (1 + u fa) ^ Z.to_nat (prec
  fa)).
Definition once_ok : Prop := loser_max 8 < 1 /\ once_error 8 <= / 4.

(* the scale *)
Lemma eps_range : 0 <= eps <= / 2.
Proof.
  assert (U := u_pos fa). assert (H := u_le_half fa). assert (F := f64_error_pos). unfold eps.
  assert (F2 : f64_error <= / 16). { unfold f64_error, v64. change (bpow radix2 (-53)) with (/ IZR (2 ^ 53)). simpl.
    lra. }
  nra.
Qed.
Lemma scale_near C n lam : 1 <= C -> (0 < n)%nat -> expression fa (ln (INR n) + C) lam ->
  (1 - eps) * (ln (INR n) + C) <= lam /\ number fa lam.
Proof.
  intros C1 Hn [(y' & H1 & _ & ->) _]. split; [|apply rnd_number].
  assert (n1 : 1 <= INR n) by (change 1 with (INR 1); apply le_INR; lia).
  assert (L0 : 0 <= ln (INR n)) by (rewrite <- ln_1; destruct n1 as [n1|<-]; [left; apply ln_increasing; lra|right;
    auto]).
  set (y := ln (INR n) + C) in *. assert (Y : 1 <= y) by (unfold y; lra). rewrite (Rabs_pos_eq y) in H1 by lra.
    apply Rabs_le_inv in H1.
  assert (F := f64_error_pos). assert (F2 : f64_error <= / 16). { unfold f64_error, v64.
    change (bpow radix2 (-53)) with (/ IZR (2 ^ 53)). simpl. lra. }
  assert (Y' : (1 - f64_error) * y <= y') by lra. assert (Yh : / 2 <= y') by nra.
  destruct (rnd_normal fa y' Yh) as [A _]. assert (U := u_pos fa). assert (H := u_le_half fa).
  replace (1 - eps) with ((1 - u fa) * (1 - f64_error)) by (unfold eps; ring).
  eapply Rle_trans; [|apply A]. rewrite Rmult_assoc. apply Rmult_le_compat_l; lra.
Qed.

Lemma scale_once n lam : (0 < n)%nat -> expression fa (ln (INR n) + 8) lam -> (1 - eps) * (ln (INR n) + 8) <= lam /\
  number fa lam.
Proof. apply scale_near. lra. Qed.

Definition kinds (c : nat -> bool) (x : R) (K : list nat) : list term := map (fun j => if c j then One else Crumb x)
  K.
Lemma all_kinds c x K : forall s, all fa s (kinds c x K) = asc fa s (map (fun j => if c j then 1 else x) K).
Proof. induction K as [|a K IH]; simpl; intros s; auto. destruct (c a); simpl; auto. Qed.
Lemma ones_kinds c x K : forall s, number fa s -> ones fa s (kinds c x K) = asc fa s (map (fun j => if c j then 1
  else 0) K).
Proof.
  induction K as [|a K IH]; simpl; intros s Ns; auto. destruct (c a); simpl. apply IH. apply rnd_number.
  rewrite Rplus_0_r, rnd_id by auto. now apply IH.
Qed.
Lemma crumbs_kinds c x K : 0 <= x -> 0 <= crumbs (kinds c x K) <= INR (length K) * x.
Proof.
  intros Hx. induction K as [|a K IH]. simpl; lra. cbn [kinds map crumbs length] in *. rewrite S_INR.
    fold (kinds c x K) in *. destruct (c a); cbn [crumbs]; nra.
Qed.
Lemma crumbs_losers c x K jc : 0 <= x -> In jc K -> c jc = true -> crumbs (kinds c x K) <= (INR (length K) - 1) * x.
Proof.
  intros Hx Hi Hc. induction K as [|a K IH]; [destruct Hi|]. cbn [kinds map crumbs length]. rewrite S_INR.
    fold (kinds c x K).
  destruct Hi as [->|Hi]. rewrite Hc. cbn [crumbs]. assert (Z := crumbs_kinds c x K Hx). lra.
  specialize (IH Hi). destruct (c a); cbn [crumbs]; lra.
Qed.

Theorem once_near C n K (c : nat -> bool) logit lam x : 1 <= C -> loser_max C < 1 -> once_error C <= / 4 -> (0 < n <=
  M)%nat -> (length K <= n)%nat -> expression fa (ln (INR n) + C) lam -> (forall j, In j K -> logit j = if c j then
    lam else 0) ->
  softmax_row fs fa E Ascending logit (fun j => if c j then 1 else 0) K x ->
  ((forall j, In j K -> c j = false) -> x = 0) /\ (forall jc, In jc K -> c jc = true -> Rabs (x - 1) <=
    once_error C /\ 0 <= x).
Proof.
  intros C1 Ok1 Ok2 Hn Ln Hl Lg SR. split.
  { intros Z. apply (softmax_zero fs fa E Ascending logit (fun j => if c j then 1 else 0) K); auto. intros j Hj.
    now rewrite (Z j Hj). }
  intros jc Hi Hc. destruct (scale_near C n lam C1 ltac:(lia) Hl) as [Lam Nlam]. assert (Er := eps_range).
  assert (n1 : 1 <= INR n) by (change 1 with (INR 1); apply le_INR; lia).
    assert (nM : INR n <= INR M) by (apply le_INR; lia).
  assert (L0 : 0 <= ln (INR n)) by (rewrite <- ln_1; destruct n1 as [n1|<-]; [left; apply ln_increasing; lra|right;
    auto]).
  assert (lnM : ln (INR n) <= ln (INR M)) by (destruct nM as [nM| ->]; [left; apply ln_increasing; lra|right; auto]).
  assert (Lp : 0 < lam) by (eapply Rlt_le_trans; [|apply Lam]; apply Rmult_lt_0_compat; lra). assert (U := u_pos fa).
    assert (Uh := u_le_half fa). assert (T := tiny_pos fa).
    assert (Us := u_stored_range fs fa).
  unfold softmax_row in SR. destruct K as [|k0 K0] eqn:EK; [destruct Hi|]. rewrite <- EK in *. clear EK.
  destruct SR as (top & T1 & T2 & ->). cbv zeta.
  assert (Et : logit top = lam). { assert (X := T2 jc Hi). rewrite (Lg jc Hi), Hc in X. rewrite (Lg top T1) in *.
    destruct (c top); auto. lra. }
  set (w0 := E (rnd fa (0 - lam))).
  assert (Nm : rnd fa (0 - lam) = - lam) by (rewrite Rminus_0_l; apply rnd_id; now apply number_opp).
  assert (W : forall j, In j K -> E (rnd fa (logit j - logit top)) = if c j then 1 else w0).
  { intros j Hj. rewrite Et, (Lg j Hj). destruct (c j); auto. rewrite Rminus_diag_eq by auto.
    rewrite (rnd_id fa 0) by apply number_0. apply (E_0 _ _ HE). }
  assert (Nn : number fa (- lam)) by now apply number_opp.
  assert (w0r : 0 <= w0 <= 1 /\ number fa w0). { unfold w0. rewrite Nm. split. apply (E_range _ _ HE); auto; lra.
    apply (E_number _ _ HE); auto; lra. }
  assert (w0e : w0 <= (1 + 2 * u fa) * exp (- ((1 - eps) * (ln (INR n) + C))) + tiny fa).
  { unfold w0. rewrite Nm. eapply Rle_trans. apply (E_le _ _ HE); auto; lra. apply Rplus_le_compat_r.
    apply Rmult_le_compat_l. lra. apply exp_mono. lra. }
  assert (w01 : w0 < 1). { eapply Rle_lt_trans; [apply w0e|]. eapply Rle_lt_trans; [|apply Ok1]. unfold loser_max.
    apply Rplus_le_compat_r. apply Rmult_le_compat_l. lra. apply exp_mono.
    assert (0 <= (1 - eps) * ln (INR n)) by (apply Rmult_le_pos; lra). lra. }
  destruct w0r as [w0r w0n].
  assert (Ed : asc fa 0 (map (fun j => E (rnd fa (logit j - logit top))) K) = all fa 0 (kinds c w0 K)).
  { rewrite all_kinds. f_equal. now apply map_ext_in. }
  assert (En : asc fa 0 (map (fun j => rnd fa (rnd fs (E (rnd fa (logit j - logit top))) * (if c j then 1 else 0)))
    K) = ones fa 0 (kinds c w0 K)).
  { rewrite ones_kinds by apply number_0. f_equal. apply map_ext_in. intros j Hj. rewrite (W j Hj). destruct (c j).
    rewrite Rmult_1_r, (rnd_id fs 1) by apply number_1. apply rnd_id, number_1. rewrite Rmult_0_r.
      apply rnd_id, number_0. }
  rewrite Ed, En.
  assert (V : valid fa (kinds c w0 K)). { intros y Hy. unfold kinds in Hy. apply in_map_iff in Hy.
    destruct Hy as (j & Ej & _). destruct (c j); [discriminate|]. injection Ej as <-. split; auto. lra. }
  destruct (lemma2 fa _ V) as [S1 S2]. set (o := ones fa 0 (kinds c w0 K)) in *.
    set (s := all fa 0 (kinds c w0 K)) in *.
  assert (o1 : 1 <= o).
  { unfold o. rewrite ones_kinds by apply number_0. destruct (in_split jc K Hi) as (K1 & K2 & ->). rewrite map_app.
    cbn [map]. rewrite Hc.
    apply (lemma1_ascending fa); intros y Hy; apply in_map_iff in Hy; destruct Hy as (j & <- & _); destruct (c j);
      split; try apply number_1; try apply number_0; lra. }
  assert (Sg : crumbs (kinds c w0 K) <= sigma C).
  { eapply Rle_trans. apply (crumbs_losers c w0 K jc); auto; lra.
    assert (Kn : INR (length K) <= INR n) by (apply le_INR; auto). assert (K1 : 1 <= INR (length K)) by (change 1
      with (INR 1); apply le_INR; destruct K; [destruct Hi|simpl; lia]).
    apply Rle_trans with ((INR n - 1) * ((1 + 2 * u fa) * exp (- ((1 - eps) * (ln (INR n) + C))) + tiny fa)).
      apply Rmult_le_compat; lra.
    unfold sigma. rewrite (Rmult_plus_distr_l (INR n - 1)), (Rmult_plus_distr_l (INR M - 1)). apply Rplus_le_compat.
    - assert (G := losers_grow (1 - eps) C (INR n) (INR M) ltac:(lra) n1 nM).
      replace ((INR n - 1) * ((1 + 2 * u fa) * exp (- ((1 - eps) * (ln (INR n) + C))))) with ((1 + 2 * u fa) * ((INR
        n - 1) * exp (- ((1 - eps) * (ln (INR n) + C))))) by ring.
      replace ((INR M - 1) * ((1 + 2 * u fa) * exp (- ((1 - eps) * (ln (INR M) + C))))) with ((1 + 2 * u fa) * ((INR
        M - 1) * exp (- ((1 - eps) * (ln (INR M) + C))))) by ring.
      apply Rmult_le_compat_l; lra.
    - apply Rmult_le_compat_r; lra. }
  assert (C0 := proj1 (crumbs_kinds c w0 K (proj1 w0r))).
  set (G := (1 + u fa) ^ Z.to_nat (prec fa)) in *. assert (G1 : 1 <= G) by (apply pow_R1_Rle; lra).
  assert (Sg0 : 0 <= sigma C) by lra.
  assert (sb : s <= o * ((1 + 2 * sigma C) * G)). { eapply Rle_trans; [apply S2|]. rewrite <- Rmult_assoc.
    apply Rmult_le_compat_r. lra. nra. }
  assert (s0 : 0 < s) by lra. assert (q1 : o / s <= 1). { apply Rmult_le_reg_r with s; auto. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (D0 : 0 < (1 + 2 * sigma C) * G) by nra.
  assert (q2 : / ((1 + 2 * sigma C) * G) <= o / s).
  { apply Rmult_le_reg_r with (s * ((1 + 2 * sigma C) * G)). nra. replace (/ ((1 + 2 * sigma C) * G) * (s * ((1 + 2 *
    sigma C) * G))) with s by (field; nra).
    replace (o / s * (s * ((1 + 2 * sigma C) * G))) with (o * ((1 + 2 * sigma C) * G)) by (field; lra). exact sb. }
  assert (P : 0 < / ((1 + 2 * sigma C) * G)) by now apply Rinv_0_lt_compat.
  unfold quotient. assert (R1 : rnd fa (o / s) <= 1) by (apply rnd_le_number; auto; apply number_1).
  assert (R2 : rnd fs (rnd fa (o / s)) <= 1) by (apply rnd_le_number; auto; apply number_1).
  assert (Z0 : 0 <= rnd fs (rnd fa (o / s))) by (apply rnd_ge; [apply number_0|apply rnd_ge; [apply number_0|lra]]).
  split; auto. unfold once_error in Ok2. fold G in Ok2. unfold Rdiv at 1 in Ok2.
  assert (qh : / 2 <= o / s). { assert ((1 - u fa) * (1 - u_stored fs fa) <= 1) by nra.
    assert (3 / 4 <= (1 - u fa) * (1 - u_stored fs fa) * / ((1 + 2 * sigma C) * G)) by lra. nra. }
  destruct (rnd_normal fa _ qh) as [A1 _]. assert (Ah : / 2 <= rnd fa (o / s)) by (apply rnd_ge; auto; apply
    half_number).
  destruct (store_normal fs fa _ (rnd_number fa _) Ah) as [B1 _].
  assert (Lo : (1 - u fa) * (1 - u_stored fs fa) * / ((1 + 2 * sigma C) * G) <= rnd fs (rnd fa (o / s))).
  { eapply Rle_trans; [|apply B1]. replace ((1 - u fa) * (1 - u_stored fs fa) * / ((1 + 2 * sigma C) * G)) with ((1 -
    u_stored fs fa) * ((1
    - u fa) * / ((1 + 2 * sigma C) * G))) by ring.
    apply Rmult_le_compat_l. lra. eapply Rle_trans; [|apply A1]. apply Rmult_le_compat_l; lra. }
  unfold once_error. fold G. unfold Rdiv at 1. apply Rabs_le. lra.
Qed.
Corollary once_out n K (c : nat -> bool) logit lam x : once_ok -> (0 < n <= M)%nat -> (length K <= n)%nat ->
  expression fa (ln (INR n) + 8) lam -> (forall j, In j K -> logit j = if c j then lam else 0) ->
  softmax_row fs fa E Ascending logit (fun j => if c j then 1 else 0) K x ->
  ((forall j, In j K -> c j = false) -> x = 0) /\ (forall jc, In jc K -> c jc = true -> Rabs (x - 1) <= / 4 /\ 0 <=
    x).
Proof.
  intros [Ok1 Ok2] Hn Ln Hl Lg SR. destruct (once_near 8 n K c logit lam x ltac:(lra) Ok1 Ok2 Hn Ln Hl Lg SR) as [A
    B].
  split; auto. intros jc Hj Hc. destruct (B jc Hj Hc). split; auto. lra.
Qed.
End Once.
