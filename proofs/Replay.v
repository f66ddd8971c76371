(* doc/certificate.md: from the numbers that a certificate lists to its claim.
  A generated file (scripts/certificate-to-coq.py) has the
   numbers of one certificate and closes these inequalities by interval.

   replay_near        nearest, equal formats, any order: near_fine
   replay_near_asc    the same, ascending, in any pair of formats
   replay_step, replay_step_asc     yesterday and next alone
   replay_compare     comparisons, equal formats, any order: compare_ok
   replay_compare_asc the same in two formats, ascending
   replay_once        once, equal formats, any order: once_any_ok
   claim              all strings of up to n letters, from the inequalities of the heads *)
From Coq Require Import ZArith Reals Lia Lra Psatz List Bool Arith.
From Flocq Require Import Core.
From Temper Require Import Rows Heads Format Sums Nearest NearestAny Rounding Strings Programs Compile Temporal
  FloatRun NearestHead OnceHead OnceTree OnceAny CompareHead CompareAny Results SoundFormulas SoundCompare SafeBlocks
  NoOverflow
    Sound.
Import ListNotations.
Local Open Scope R_scope.

(* (1+u)^n without a power of a large numeral *)
Lemma pow_exp f n : (1 + u f) ^ n <= exp (INR n * u f).
Proof.
  assert (U := u_pos f). induction n. simpl. rewrite Rmult_0_l, exp_0. lra.
  cbn [pow]. replace (INR (S n) * u f) with (u f + INR n * u f) by (rewrite S_INR; ring). rewrite exp_plus.
  apply Rmult_le_compat; auto. lra. apply pow_le; lra. left. apply exp_ineq1. lra.
Qed.
Lemma f64_error_small : f64_error <= 5 / 10 ^ 16.
Proof. unfold f64_error, v64. change (bpow radix2 (-53)) with (/ IZR (2 ^ 53)). simpl. lra. Qed.
Lemma INR_Z z : (0 <= z)%Z -> INR (Z.to_nat z) = IZR z.
Proof. intros. rewrite INR_IZR_INZ, Z2Nat.id; auto. Qed.

Section Replay.
Variables fs fa : format.
Variables (Mz : Z) (ua ta etab errb : R).
Hypothesis Mpos : (0 < Mz)%Z.
Hypothesis ua_is : u fa = ua. Hypothesis ta_is : tiny fa = ta.
Let M := Z.to_nat Mz.
Let q := exp (- (8 * (1 - ua))).

Section Any.
Hypothesis same : fs = fa.
Variable far : R.
Hypothesis He : far <= etab.
Hypothesis eta_8 : 2 * etab < 8.
Let L := 2 * exp (4 * IZR Mz * ua) * ((1 + 2 * ua) * exp (2 * etab) * (q / (1 - q)) + 2 * IZR Mz ^ 2 * ta).
Hypothesis L_1 : L <= 1.
Hypothesis err_one : 1 - (1 - ua) / (1 + L) <= errb.
Hypothesis err_zero : L * (1 + ua) + ta <= errb.
Hypothesis err_quarter : errb <= / 4.

Theorem replay_any : error_any fa M far kappa8 <= errb /\ near_of fs fa AnyOrder M far.
Proof.
  assert (F := f64_error_small). assert (EM : INR M = IZR Mz) by (apply INR_Z; lia).
    assert (M0 : 0 < IZR Mz) by now apply IZR_lt.
  assert (Ua := u_pos fa). assert (Ta := tiny_pos fa). assert (Uh := u_le_half fa).
  assert (Q := exp_neg_lt_1 (8 * (1 - ua)) ltac:(rewrite <- ua_is; lra)). fold q in Q.
  assert (Q' : 0 <= q / (1 - q)) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]).
  assert (Hl : leak_any fa M far kappa8 <= (1 + 2 * ua) * exp (2 * etab) * (q / (1 - q)) + 2 * IZR Mz ^
    2 * ta).
  { unfold leak_any, kappa8. cbv zeta. rewrite EM, ua_is, ta_is. fold q. apply Rplus_le_compat_r.
    apply Rmult_le_compat_r; auto.
    rewrite <- ua_is. apply Rmult_le_compat_l. lra. apply exp_mono. lra. }
  assert (L0 : 0 <= leak_any fa M far kappa8).
  { unfold leak_any, kappa8. cbv zeta. rewrite ua_is. fold q. apply Rplus_le_le_0_compat. apply Rmult_le_pos; auto.
    apply Rmult_le_pos. rewrite <- ua_is; lra. left; apply exp_pos.
    apply Rmult_le_pos; [|lra]. apply Rmult_le_pos. lra. apply pow_le, pos_INR. }
  assert (HL : 2 * (1 + u fa) ^ (4 * M) * leak_any fa M far kappa8 <= L).
  { unfold L. apply Rmult_le_compat; auto.
    - apply Rmult_le_pos. lra. apply pow_le. lra.
    - apply Rmult_le_compat_l. lra. eapply Rle_trans. apply pow_exp. rewrite mult_INR, EM, ua_is. right. f_equal.
      simpl (INR 4). ring. }
  set (L' := 2 * (1 + u fa) ^ (4 * M) * leak_any fa M far kappa8) in *.
  assert (L'0 : 0 <= L'). { unfold L'. apply Rmult_le_pos; auto. apply Rmult_le_pos. lra. apply pow_le; lra. }
  assert (Er : error_any fa M far kappa8 <= errb).
  { unfold error_any, error_row. cbv zeta. fold L'. rewrite ua_is, ta_is. apply Rmax_lub.
    - eapply Rle_trans; [|apply err_one]. assert (I : / (1 + L) <= / (1 + L')) by (apply Rinv_le_contravar; lra).
      unfold Rdiv.
      assert ((1 - ua) * / (1 + L) <= (1 - ua) * / (1 + L')) by (apply Rmult_le_compat_l; [rewrite <- ua_is;
        lra|auto]). lra.
    - eapply Rle_trans; [|apply err_zero]. apply Rplus_le_compat_r. apply Rmult_le_compat_r. rewrite <- ua_is; lra.
      auto. }
  split; auto. unfold near_of, kappa8. split. lra. split; auto. split. fold kappa8. fold L'. lra.
    eapply Rle_trans; [apply Er|auto].
Qed.
End Any.
End Replay.

(* nearest heads, in the type f for storing and summing *)
Theorem replay_near (f : format) (Mz k : Z) etab errb us ts P : (0 < Mz)%Z -> (Mz <= 2 ^ prec f)%Z ->
  u f = us -> tiny f = ts -> bpow radix2 (k - 1) = P -> 16 * IZR Mz < bpow radix2 k ->
  8 * IZR Mz * (5 / 10 ^ 16 + 3 / 2 * us + ts) + 3 * us * P + 3 / 2 * ts <= etab -> 2 * etab < 8 ->
  (let q := exp (- (8 * (1 - us))) in
   let L := 2 * exp (4 * IZR Mz * us) * ((1 + 2 * us) * exp (2 * etab) * (q / (1 - q)) + 2 * IZR Mz ^ 2 * ts) in
   L <= 1 /\ 1 - (1 - us) / (1 + L) <= errb /\ L * (1 + us) + ts <= errb) -> errb <= / 4 ->
  near_fine f f AnyOrder (Z.to_nat Mz).
Proof.
  intros Mp HM Eu Et EP Hk He H8 (L1 & L2 & L3) H4. exists k, 0.
  split. { intros x Nx _. rewrite rnd_id, Rminus_diag_eq, Rabs_R0 by auto. lra. }
  split. rewrite Z2Nat.id; lia. split. rewrite INR_Z by lia. exact Hk. unfold near_ok.
  apply (replay_any f f Mz us ts etab errb Mp Eu Et eq_refl); auto. eapply Rle_trans; [|apply He].
  assert (F := f64_error_small). assert (M0 : 0 < IZR Mz) by now apply IZR_lt.
  unfold eta, key_error. rewrite INR_Z, EP, Eu, Et by lia.
  assert (8 * IZR Mz * f64_error <= 8 * IZR Mz * (5 / 10 ^ 16)) by (apply Rmult_le_compat_l; lra). lra.
Qed.
(* steps alone: what their logits are off by, in numbers *)
Lemma step_far fs fa Mz k us ts ua ta P etab : (0 < Mz)%Z -> u fs = us -> tiny fs = ts -> u fa = ua -> tiny fa = ta ->
  bpow radix2 (k - 1) = P -> 8 * IZR Mz * (5 / 10 ^ 16 + (us * / 2 + / 2 * ts)) + 3 * ua * P + 3 / 2 * ta <= etab ->
  eta_step fs fa (Z.to_nat Mz) k <= etab.
Proof.
  intros Mp Us Ts Ua Ta EP He. eapply Rle_trans; [|apply He]. assert (F := f64_error_small).
  assert (M0 : 0 < IZR Mz) by now apply IZR_lt. unfold eta_step, step_error. rewrite INR_Z, EP, Us, Ts, Ua, Ta by lia.
  assert (8 * IZR Mz * f64_error <= 8 * IZR Mz * (5 / 10 ^ 16)) by (apply Rmult_le_compat_l; lra). lra.
Qed.
Theorem replay_step (f : format) (Mz k : Z) etab errb us ts P : (0 < Mz)%Z -> (Mz <= 2 ^ prec f)%Z ->
  u f = us -> tiny f = ts -> bpow radix2 (k - 1) = P -> 8 * IZR Mz < bpow radix2 k ->
  8 * IZR Mz * (5 / 10 ^ 16 + (us * / 2 + / 2 * ts)) + 3 * us * P + 3 / 2 * ts <= etab -> 2 * etab < 8 ->
  (let q := exp (- (8 * (1 - us))) in
   let L := 2 * exp (4 * IZR Mz * us) * ((1 + 2 * us) * exp (2 * etab) * (q / (1 - q)) + 2 * IZR Mz ^ 2 * ts) in
   L <= 1 /\ 1 - (1 - us) / (1 + L) <= errb /\ L * (1 + us) + ts <= errb) -> errb <= / 4 ->
  step_fine f f AnyOrder (Z.to_nat Mz).
Proof.
  intros Mp HM Eu Et EP Hk He H8 (L1 & L2 & L3) H4. exists k. split. rewrite Z2Nat.id; lia. split.
  rewrite INR_Z by lia. exact Hk. apply (replay_any f f Mz us ts etab errb Mp Eu Et eq_refl); auto.
  now apply (step_far f f Mz k us ts us ts P).
Qed.

(* the same, ascending, stored in fs and summed in fa; same says if the formats are equal *)
Lemma replay_asc (fs fa : format) (same : bool) (Mz : Z) far etab errb us ts ua ta : (0 < Mz)%Z ->
  same_format fs fa = same -> u fs = us -> tiny fs = ts -> u fa = ua -> tiny fa = ta -> far <= etab -> 2 * etab < 8 ->
  (let q := exp (- (8 * (1 - ua))) in let us1 := if same then 0 else us in
   let R := (1 + 2 * ua) * exp (2 * etab) * (q / (1 - q)) + IZR Mz * ta in
   let Rs := if same then R else (1 + us) * R + IZR Mz * ts in
   4 * R <= 1 /\ 1 - (1 - ua) * (1 - us1) / (1 + 4 * R) <= errb /\
   (if same then 0 else (1 + 4 * Rs) * (1 + ua) * (1 + us1) - 1) <= errb /\ 4 * Rs * (1 + ua) * (1 + us1) + ts <=
     errb) ->
  errb <= / 4 -> near_of fs fa Ascending (Z.to_nat Mz) far.
Proof.
  intros Mp Sm Us Ts Ua Ta Et H8 HR H4. cbv zeta in HR.
  assert (EM : INR (Z.to_nat Mz) = IZR Mz) by (apply INR_Z; lia). assert (M0 : 0 < IZR Mz) by now apply IZR_lt.
  assert (Up := u_pos fa). assert (Tp := tiny_pos fa). assert (Usp := u_pos fs). assert (Tsp := tiny_pos fs).
  assert (Uh := u_le_half fa). rewrite Ua in Up, Uh. rewrite Us in Usp. rewrite Ta in Tp. rewrite Ts in Tsp.
  set (q := exp (- (8 * (1 - ua)))) in *.
  assert (Q := exp_neg_lt_1 (8 * (1 - ua)) ltac:(lra)). fold q in Q.
  assert (Q' : 0 <= q / (1 - q)) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]).
  set (R := (1 + 2 * ua) * exp (2 * etab) * (q / (1 - q)) + IZR Mz * ta) in *.
  assert (Lk : 0 <= leak_of fa (Z.to_nat Mz) far <= R).
  { unfold leak_of, kappa8. cbv zeta. rewrite EM, Ua, Ta. fold q. unfold R.
    assert (0 <= IZR Mz * ta) by (apply Rmult_le_pos; lra). split.
    - apply Rplus_le_le_0_compat; auto. apply Rmult_le_pos; auto. apply Rmult_le_pos. lra. left; apply exp_pos.
    - apply Rplus_le_compat_r. apply Rmult_le_compat_r; auto. apply Rmult_le_compat_l. lra. apply exp_mono. lra. }
  destruct HR as (R1 & R2 & R3 & R4). unfold near_of, kappa8. split. lra. split. lra.
  eapply Rle_trans; [|apply H4].
  apply Rle_trans with (error fs fa (4 * R) (4 * (if same then R else (1 + us) * R + IZR Mz * ts))).
  + apply error_mono. lra. unfold stored_leak. rewrite Sm, EM, Us, Ts. destruct same; [lra|].
    assert ((1 + us) * leak_of fa (Z.to_nat Mz) far <= (1 + us) * R) by (apply Rmult_le_compat_l; lra). lra.
  + unfold error, error1, error2, error3, u_stored. rewrite Sm, Us, Ua, Ts. repeat apply Rmax_lub; destruct same;
    lra.
Qed.
Theorem replay_near_asc (fs fa : format) (same : bool) (Mz k : Z) etab errb us ts ua ta P : (0 < Mz)%Z -> (Mz <= 2 ^
  prec fa)%Z ->
  same_format fs fa = same -> u fs = us -> tiny fs = ts -> u fa = ua -> tiny fa = ta ->
  bpow radix2 (k - 1) = P -> 16 * IZR Mz < bpow radix2 k ->
  (let lost := if same then 0 else us + / 2 * ts in
   8 * IZR Mz * (5 / 10 ^ 16 + (us * / 2 + / 2 * ts) + (ua + / 2 * ta) + lost) + 3 * ua * P + 3 / 2 * ta <= etab) ->
  2 * etab < 8 ->
  (let q := exp (- (8 * (1 - ua))) in let us1 := if same then 0 else us in
   let R := (1 + 2 * ua) * exp (2 * etab) * (q / (1 - q)) + IZR Mz * ta in
   let Rs := if same then R else (1 + us) * R + IZR Mz * ts in
   4 * R <= 1 /\ 1 - (1 - ua) * (1 - us1) / (1 + 4 * R) <= errb /\
   (if same then 0 else (1 + 4 * Rs) * (1 + ua) * (1 + us1) - 1) <= errb /\ 4 * Rs * (1 + ua) * (1 + us1) + ts <=
     errb) ->
  errb <= / 4 -> near_fine fs fa Ascending (Z.to_nat Mz).
Proof.
  intros Mp HM Sm Us Ts Ua Ta EP Hk He H8 HR H4. assert (F := f64_error_small).
  assert (EM : INR (Z.to_nat Mz) = IZR Mz) by (apply INR_Z; lia). assert (M0 : 0 < IZR Mz) by now apply IZR_lt.
  set (lost := if same then 0 else us + / 2 * ts) in *. exists k, lost. split; [|split; [|split]].
  - intros x Nx Hx. unfold lost. destruct same.
    + rewrite (store_same fs fa x Sm Nx), Rminus_diag_eq, Rabs_R0 by auto. lra.
    + assert (X := rnd_half fs x 1). change (bpow radix2 1) with 2 in X. change (bpow radix2 (1 - 1)) with 1 in X.
      rewrite Us, Ts in X. rewrite Rmult_1_r in X. apply X; auto. generalize (emin_neg fs) (prec_ge_2 fs); lia.
  - rewrite Z2Nat.id; lia.
  - now rewrite EM.
  - apply (replay_asc fs fa same Mz _ etab errb us ts ua ta); auto. cbv zeta in He. eapply Rle_trans; [|apply He].
    unfold eta, key_error. rewrite EM, EP, Us, Ts, Ua, Ta.
    assert (8 * IZR Mz * f64_error <= 8 * IZR Mz * (5 / 10 ^ 16)) by (apply Rmult_le_compat_l; lra). lra.
Qed.
Theorem replay_step_asc (fs fa : format) (same : bool) (Mz k : Z) etab errb us ts ua ta P : (0 < Mz)%Z -> (Mz <= 2 ^
  prec fa)%Z ->
  same_format fs fa = same -> u fs = us -> tiny fs = ts -> u fa = ua -> tiny fa = ta ->
  bpow radix2 (k - 1) = P -> 8 * IZR Mz < bpow radix2 k ->
  8 * IZR Mz * (5 / 10 ^ 16 + (us * / 2 + / 2 * ts)) + 3 * ua * P + 3 / 2 * ta <= etab -> 2 * etab < 8 ->
  (let q := exp (- (8 * (1 - ua))) in let us1 := if same then 0 else us in
   let R := (1 + 2 * ua) * exp (2 * etab) * (q / (1 - q)) + IZR Mz * ta in
   let Rs := if same then R else (1 + us) * R + IZR Mz * ts in
   4 * R <= 1 /\ 1 - (1 - ua) * (1 - us1) / (1 + 4 * R) <= errb /\
   (if same then 0 else (1 + 4 * Rs) * (1 + ua) * (1 + us1) - 1) <= errb /\ 4 * Rs * (1 + ua) * (1 + us1) + ts <=
     errb) ->
  errb <= / 4 -> step_fine fs fa Ascending (Z.to_nat Mz).
Proof.
  intros Mp HM Sm Us Ts Ua Ta EP Hk He H8 HR H4. exists k. split. rewrite Z2Nat.id; lia. split.
  rewrite INR_Z by lia. exact Hk. apply (replay_asc fs fa same Mz _ etab errb us ts ua ta); auto.
  now apply (step_far fs fa Mz k us ts ua ta P).
Qed.

(* (1-u)^n from below *)
Lemma pow_exp_low f n : exp (- (INR n * (u f / (1 - u f)))) <= (1 - u f) ^ n.
Proof.
  assert (U := u_pos f). assert (Uh := u_le_half f). set (a := u f / (1 - u f)).
  assert (Hs : exp (- a) <= 1 - u f).
  { assert (e := exp_ineq1_le a). assert (E1 : 1 + a = / (1 - u f)) by (unfold a; field; lra). rewrite exp_Ropp.
    rewrite <- (Rinv_inv (1 - u f)). apply Rinv_le_contravar. apply Rinv_0_lt_compat; lra. lra. }
  induction n. simpl. rewrite Rmult_0_l, Ropp_0, exp_0. lra.
  cbn [pow]. replace (- (INR (S n) * a)) with (- a + - (INR n * a)) by (rewrite S_INR; ring). rewrite exp_plus.
  apply Rmult_le_compat; auto; left; apply exp_pos.
Qed.
Lemma low_ge f Mz us : (0 < Mz)%Z -> u f = us -> 0 < (1 - 2 * us) * exp (- (4 * IZR Mz * (us / (1 - us)))) <=
  compare_low f (Z.to_nat Mz).
Proof.
  intros Mp Eu. assert (U := u_pos f). assert (Uh := u_le_half f). rewrite Eu in *. unfold compare_low. rewrite Eu.
  assert (X := pow_exp_low f (4 * Z.to_nat Mz)). rewrite mult_INR, INR_Z, Eu in X by lia.
    replace (INR 4) with 4 in X by (simpl; lra).
  split. apply Rmult_lt_0_compat. lra. apply exp_pos. apply Rmult_le_compat_l; lra.
Qed.

Section Compare.
Variables fs fa : format.
Variables (Mz : Z) (us ts ls ua ta la wl we errb ep : R).
Hypothesis Mpos : (0 < Mz)%Z.
Hypothesis us_is : u fs = us. Hypothesis ts_is : tiny fs = ts. Hypothesis ls_is : least fs = ls.
Hypothesis ua_is : u fa = ua. Hypothesis ta_is : tiny fa = ta. Hypothesis la_is : least fa = la.
Hypothesis ep_is : (1 + ua) ^ 8 * (1 + us) ^ 3 * (1 + / IZR (2 ^ 53)) ^ 6 - 1 = ep.
Hypothesis normals : la <= ls.
Hypothesis M_bits : (Mz <= 2 ^ prec fa)%Z.
Hypothesis mean_normal : ls <= / (2 * IZR Mz).
Hypothesis log_normal : ls <= ln 2 / (16 * IZR Mz).
Hypothesis power : exp ((1 + ep) * ln (IZR Mz)) <= / la.
Hypothesis weights_s : wl + we <= bpow radix2 (prec fs - 1).
Hypothesis weights_a : IZR Mz * wl + we <= bpow radix2 (prec fa - 1).
Hypothesis quarter : errb <= / 4.
Let losers := (1 + 2 * ua) * (exp (- (8 * (1 - ep)) + 2 * ta) * exp (ep * ln (IZR Mz))).
Let lo := (1 - 2 * ua) * exp (- (4 * IZR Mz * (ua / (1 - ua)))).
Let M := Z.to_nat Mz.
Lemma ep_eq : compare_eps fs fa = ep.
Proof. unfold compare_eps, v64. rewrite us_is, ua_is. change (bpow radix2 (-53)) with (/ IZR (2 ^ 53)). exact ep_is.
  Qed.
Lemma rest_eq ord : compare_rest fs fa ord M = losers + match ord with Ascending => IZR Mz * ta | AnyOrder => 2 *
  IZR Mz ^ 2 * ta end.
Proof. unfold compare_rest, losers. rewrite ep_eq, ua_is, ta_is. unfold M. rewrite INR_Z by lia. now destruct ord.
  Qed.
Lemma divide_low x : 0 <= x -> x / compare_low fa M <= x / lo.
Proof.
  intros X. destruct (low_ge fa Mz ua Mpos ua_is) as [L0 L1]. fold lo in L0, L1. apply Rmult_le_compat_l; auto.
    apply Rinv_le_contravar; auto.
Qed.
Lemma losers_pos : 0 <= losers.
Proof. unfold losers. assert (U := u_pos fa). rewrite ua_is in U. apply Rmult_le_pos. lra.
  apply Rmult_le_pos; left; apply exp_pos. Qed.

Theorem replay_compare : fs = fa -> 8 * ta <= ua ->
  (let rest := losers + 2 * IZR Mz ^ 2 * ta in let L := 2 * exp (4 * IZR Mz * ua) * rest in
   L <= 1 /\ 1 - (1 - ua) / (1 + L) <= errb /\ L * (1 + ua) + ta <= errb /\ (rest + ts) * (1 + ua) * exp (2 * ta) /
     lo + ts <= errb) ->
  compare_ok fs fa AnyOrder M wl we.
Proof.
  cbv zeta. set (rest := losers + 2 * IZR Mz ^ 2 * ta). set (L := 2 * exp (4 * IZR Mz * ua) * rest).
    intros Ef Nar (L1 & L2 & L3 & L4).
  assert (U := u_pos fa). assert (Uh := u_le_half fa). assert (T := tiny_pos fa). assert (Ts := tiny_pos fs).
    rewrite ua_is in U, Uh. rewrite ta_is in T. rewrite ts_is in Ts.
  assert (M0 : 0 < IZR Mz) by now apply IZR_lt. assert (EM : INR M = IZR Mz) by (apply INR_Z; lia).
  assert (R0 : 0 <= rest). { unfold rest. assert (X := losers_pos).
    assert (0 <= 2 * IZR Mz ^ 2 * ta) by (apply Rmult_le_pos; [|lra]; apply Rmult_le_pos; [lra|apply pow_le; lra]).
    lra. }
  unfold compare_ok. rewrite rest_eq, ep_eq, EM, ls_is, la_is, ta_is, ua_is. fold rest.
  assert (Gx : (1 + ua) ^ (4 * M) <= exp (4 * IZR Mz * ua)).
  { rewrite <- ua_is. eapply Rle_trans. apply pow_exp. rewrite mult_INR, EM. right. f_equal.
    replace (INR 4) with 4 by (simpl; lra). ring. }
  assert (L' : 2 * (1 + ua) ^ (4 * M) * rest <= L) by (unfold L; apply Rmult_le_compat_r; lra).
  assert (L'0 : 0 <= 2 * (1 + ua) ^ (4 * M) * rest) by (apply Rmult_le_pos; auto; apply Rmult_le_pos; [lra|apply
    pow_le; lra]).
  repeat split; auto.
  - unfold M. rewrite Z2Nat.id; lia.
  - lra.
  - unfold error_row. cbv zeta. rewrite ua_is, ta_is. set (L0 := 2 * (1 + ua) ^ (4 * M) * rest) in *. apply Rmax_lub.
    + assert (I : / (1 + L) <= / (1 + L0)) by (apply Rinv_le_contravar; lra). unfold Rdiv in *.
      assert ((1 - ua) * / (1 + L) <= (1 - ua) * / (1 + L0)) by (apply Rmult_le_compat_l; lra). lra.
    + assert (L0 * (1 + ua) <= L * (1 + ua)) by (apply Rmult_le_compat_r; lra). lra.
  - unfold compare_error_false. rewrite rest_eq, ua_is, ta_is, ts_is. fold rest.
    assert (X := divide_low ((rest + ts) * (1 + ua) * exp (2 * ta))). assert (e := exp_pos (2 * ta)).
    assert (0 <= (rest + ts) * (1 + ua) * exp (2 * ta)) by (apply Rmult_le_pos; [apply Rmult_le_pos; lra|lra]).
      specialize (X H). lra.
Qed.
Theorem replay_compare_asc us1 : u_stored fs fa = us1 -> (let rest := losers + IZR Mz * ta in
   4 * rest <= 1 /\ 1 - (1 - ua) * (1 - us1) / (1 + 4 * rest) <= errb /\ (1 + ua) * (1 + us1) - 1 <= errb /\ ts <=
     errb /\
   ((1 + us1) * rest + ts) * (1 + ua) * (1 + us1) * exp (2 * ta) / lo + ts <= errb) ->
  compare_ok fs fa Ascending M wl we.
Proof.
  cbv zeta. set (rest := losers + IZR Mz * ta). intros us1_is (L1 & L2 & L3 & L4 & L5).
  assert (Us1 := u_stored_range fs fa). rewrite us1_is in Us1.
  assert (U := u_pos fa). assert (Us := u_pos fs). assert (T := tiny_pos fa). assert (Ts := tiny_pos fs).
    rewrite ua_is in U. rewrite us_is in Us. rewrite ta_is in T. rewrite ts_is in Ts.
  assert (M0 : 0 < IZR Mz) by now apply IZR_lt. assert (EM : INR M = IZR Mz) by (apply INR_Z; lia).
  assert (R0 : 0 <= rest). { unfold rest. assert (X := losers_pos).
    assert (0 <= IZR Mz * ta) by (apply Rmult_le_pos; lra). lra. }
  unfold compare_ok. rewrite rest_eq, ep_eq, EM, ls_is, la_is. fold rest. repeat split; auto.
  - unfold M. rewrite Z2Nat.id; lia.
  - unfold error, error1, error2, error3. rewrite ua_is, us1_is, ts_is. repeat apply Rmax_lub; try lra.
    assert (0 <= ua * us1) by (apply Rmult_le_pos; lra). destruct same_format; lra.
  - unfold compare_error_false. rewrite rest_eq, ua_is, us1_is, ta_is, ts_is. fold rest.
    assert (X := divide_low (((1 + us1) * rest + ts) * (1 + ua) * (1 + us1) * exp (2 * ta))).
      assert (e := exp_pos (2 * ta)).
    assert (Y : 0 <= (1 + us1) * rest) by (apply Rmult_le_pos; lra).
    assert (0 <= ((1 + us1) * rest + ts) * (1 + ua) * (1 + us1) * exp (2 * ta)) by (repeat apply Rmult_le_pos; lra).
      specialize (X H). lra.
Qed.
End Compare.

(* once, in any order: the page's bound, with powers as exponentials *)
Theorem replay_once (f : format) (Mz : Z) us ts errb : (0 < Mz)%Z -> (8 <= prec f <= 53)%Z -> u f = us -> tiny f = ts
  -> 8 * ts <= us -> errb <= / 4 ->
  (let X := ln (IZR Mz) + 8 in let left := (1 - us) ^ 2 * (1 - us) ^ 5 * (1 - / IZR (2 ^ 53)) ^ 4 in
   let sigma := (IZR Mz - 1) * ((1 + 2 * us) ^ 6 * exp (- (left * X) + 2 * ts) + ts) + 2 * IZR Mz ^ 2 * ts in
   let w := (1 - 2 * us) ^ 3 * exp (- (5 * us * X)) in
   1 - exp (- ((IZR Mz + 6) * (us / (1 - us)))) / ((1 + sigma / w) * exp ((IZR Mz + 5) * us)) <= errb) ->
  once_any_ok f (Z.to_nat Mz) 8 /\ once_any_error f (Z.to_nat Mz) 8 <= errb.
Proof.
  intros Mp Pr Eu Et T8 H4 H. cbv zeta in H. assert (EM : INR (Z.to_nat Mz) = IZR Mz) by (apply INR_Z; lia).
    assert (Ok8 : 8 * tiny f <= u f) by lra.
  assert (U := u_pos f). assert (U2 := u_le_half f). assert (T := tiny_pos f).
    assert (M1 : 1 <= IZR Mz) by (apply IZR_le; lia).
  enough (X : once_any_error f (Z.to_nat Mz) 8 <= errb) by (split; [split; [auto|split; [auto|lra]]|auto]).
  unfold once_any_error, once_any_sigma, once_any_w, once_any_eps. rewrite EM, Eu, Et. unfold v64.
    change (bpow radix2 (-53)) with (/ IZR (2 ^ 53)).
  rewrite Eu in U, U2. rewrite Et in T.
  replace (1 - (1 - (1 - us) ^ 2 * (1 - us) ^ 5 * (1 - / IZR (2 ^ 53)) ^ 4)) with ((1 - us) ^ 2 * (1 - us) ^ 5 * (1 -
    / IZR (2 ^ 53)) ^ 4) by ring.
  set (sg := (IZR Mz - 1) * _ + _) in *. set (w := (1 - 2 * us) ^ 3 * _) in *.
  assert (w0 : 0 < w) by (unfold w; apply Rmult_lt_0_compat; [apply pow_lt; lra|apply exp_pos]).
  assert (s0 : 0 <= sg).
  { unfold sg. apply Rplus_le_le_0_compat. apply Rmult_le_pos. lra. apply Rplus_le_le_0_compat; [|lra].
    apply Rmult_le_pos. apply pow_le; lra. left; apply exp_pos.
    apply Rmult_le_pos; [|lra]. apply Rmult_le_pos. lra. apply pow_le; lra. }
  assert (sw : 0 <= sg / w) by (apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]).
  assert (Lo := pow_exp_low f (Z.to_nat Mz + 6)). assert (Hi := pow_exp f (Z.to_nat Mz + 5)).
    rewrite plus_INR, EM, Eu in Lo, Hi.
  replace (INR 6) with 6 in Lo by (simpl; lra). replace (INR 5) with 5 in Hi by (simpl; lra).
  eapply Rle_trans; [|apply H]. apply Rplus_le_compat_l, Ropp_le_contravar.
  set (a := exp (- ((IZR Mz + 6) * (us / (1 - us))))) in *. set (b := exp ((IZR Mz + 5) * us)) in *.
    assert (a0 : 0 < a) by apply exp_pos. assert (b0 : 0 < b) by apply exp_pos.
  assert (P0 : 1 <= (1 + us) ^ (Z.to_nat Mz + 5)) by (apply pow_R1_Rle; lra).
  unfold Rdiv at 1. unfold Rdiv at 2. apply Rmult_le_compat; auto. lra. left. apply Rinv_0_lt_compat.
    apply Rmult_lt_0_compat; lra.
  apply Rinv_le_contravar. apply Rmult_lt_0_compat; lra. apply Rmult_le_compat_l; lra.
Qed.

(* the claim of a certificate: all strings of up to n letters, each row with an exp of its own. No operation
  overflows,
   and the answer is right; at position 0 it is that for the empty string, which is no *)
Theorem claim {A} (fs fa : format) (ord : order) (tail : bool) (phi : form A) (n : Z) :
  (forall x, number fs x -> number fa x) -> fs = fa \/ 2 * tiny fa <= tiny fs -> (3 <= prec fs)%Z -> (4 <= prec
    fa)%Z ->
  let Mz := (n + (if tail then 2 else 1))%Z in (0 <= n)%Z -> tail = true \/ past phi ->
  formula_ok fs fa ord (Z.to_nat Mz) phi ->
  forall w e, (Z.of_nat (length w) <= n)%Z -> float_run tail fs fa (exp_model fa) ord w (fst (transformer Temperature
    phi)) e ->
  within_range tail fs fa (exp_model fa) ord w e (fst (transformer Temperature phi)) /\ forall i, (i <= length w)%nat
    ->
  chan e (snd (transformer Temperature phi)) i = if sat w phi i then 1 else 0.
Proof.
  intros Incl Fine B3 B4 Mz Hn F Ok w e Hw Run.
  apply (sound tail fs fa Incl Fine B3 B4 (exp_model fa) (fun E0 H => H) ord (Z.to_nat Mz)); auto.
  unfold Programs.N, Mz. destruct tail; lia.
Qed.

(* what is asked of the largest number, of a length that is a number in binary *)
Lemma one_Z Mz : (0 < Mz)%Z -> (1 <= Z.to_nat Mz)%nat.
Proof. lia. Qed.
Theorem near_room_Z fa Mz : (4 <= prec fa)%Z -> (0 < Mz)%Z -> (Mz <= 2 ^ prec fa)%Z -> 40 * IZR Mz <= top fa ->
  near_range fa (Z.to_nat Mz).
Proof.
  intros B M1 M2 H. apply near_room; auto using one_Z. rewrite Z2Nat.id; lia. now rewrite INR_Z by lia.
Qed.
Theorem once_room_Z fa Mz : (4 <= prec fa)%Z -> (0 < Mz)%Z -> 3 * (ln (IZR Mz) + 8) <= top fa ->
  once_range fa (Z.to_nat Mz).
Proof. intros B M1 H. apply once_room; auto using one_Z. now rewrite INR_Z by lia. Qed.
Theorem compare_room_Z fs fa Mz W : (4 <= prec fa)%Z -> (0 < Mz)%Z -> 0 <= W -> u fs <= / 8 ->
  32 * IZR Mz * (W + 1) <= top fa -> compare_range fs fa (Z.to_nat Mz) W.
Proof. intros B M1 W0 U H. apply compare_room; auto using one_Z. now rewrite INR_Z by lia. Qed.
