(* doc/certificate.md: from the numbers that a certificate lists to its claim.
  A generated file (scripts/certificate-to-coq.py) has the
   numbers of one certificate and closes these inequalities by interval.

   replay_any        equal formats, any order
   replay_ascending  two formats, ascending *)
From Coq Require Import ZArith Reals Lia Lra Psatz List Bool Arith.
From Flocq Require Import Core.
From Temper Require Import Rows Heads Format Sums Nearest NearestAny Rounding Strings Programs Compile Temporal
  FloatRun NearestHead SoundFormulas.
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
Variables (Mz k : Z) (us ts ua ta P etab errb : R).
Hypothesis Mpos : (0 < Mz)%Z.
Hypothesis us_is : u fs = us. Hypothesis ts_is : tiny fs = ts. Hypothesis ua_is : u fa = ua.
  Hypothesis ta_is : tiny fa = ta.
Hypothesis P_is : bpow radix2 (k - 1) = P.
Let M := Z.to_nat Mz.
Let q := exp (- (8 * (1 - ua))).

Section Any.
Hypothesis same : fs = fa.
Hypothesis eta_le : 8 * IZR Mz * (5 / 10 ^ 16 + 3 / 2 * ua + ta) + 3 * ua * P + 3 / 2 * ta <= etab.
Hypothesis eta_8 : 2 * etab < 8.
Let L := 2 * exp (4 * IZR Mz * ua) * ((1 + 2 * ua) * exp (2 * etab) * (q / (1 - q)) + 2 * IZR Mz ^ 2 * ta).
Hypothesis L_1 : L <= 1.
Hypothesis err_one : 1 - (1 - ua) / (1 + L) <= errb.
Hypothesis err_zero : L * (1 + ua) + ta <= errb.
Hypothesis err_quarter : errb <= / 4.

Theorem replay_any : eta fs fa M k 0 <= etab /\ error_any fa M (eta fs fa M k 0) kappa8 <= errb /\ near_ok fs fa
  AnyOrder M k 0.
Proof.
  assert (F := f64_error_small). assert (EM : INR M = IZR Mz) by (apply INR_Z; lia).
    assert (M0 : 0 < IZR Mz) by now apply IZR_lt.
  assert (Ua := u_pos fa). assert (Ta := tiny_pos fa). assert (Uh := u_le_half fa).
  assert (He : eta fs fa M k 0 <= etab).
  { eapply Rle_trans; [|apply eta_le]. unfold eta, key_error. rewrite EM, P_is, same, ua_is, ta_is in *.
    assert (8 * IZR Mz * f64_error <= 8 * IZR Mz * (5 / 10 ^ 16)) by (apply Rmult_le_compat_l; lra). lra. }
  assert (Q := exp_neg_lt_1 (8 * (1 - ua)) ltac:(rewrite <- ua_is; lra)). fold q in Q.
  assert (Q' : 0 <= q / (1 - q)) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]).
  assert (Hl : leak_any fa M (eta fs fa M k 0) kappa8 <= (1 + 2 * ua) * exp (2 * etab) * (q / (1 - q)) + 2 * IZR Mz ^
    2 * ta).
  { unfold leak_any, kappa8. cbv zeta. rewrite EM, ua_is, ta_is. fold q. apply Rplus_le_compat_r.
    apply Rmult_le_compat_r; auto.
    rewrite <- ua_is. apply Rmult_le_compat_l. lra. apply exp_mono. lra. }
  assert (L0 : 0 <= leak_any fa M (eta fs fa M k 0) kappa8).
  { unfold leak_any, kappa8. cbv zeta. rewrite ua_is. fold q. apply Rplus_le_le_0_compat. apply Rmult_le_pos; auto.
    apply Rmult_le_pos. rewrite <- ua_is; lra. left; apply exp_pos.
    apply Rmult_le_pos; [|lra]. apply Rmult_le_pos. lra. apply pow_le, pos_INR. }
  assert (HL : 2 * (1 + u fa) ^ (4 * M) * leak_any fa M (eta fs fa M k 0) kappa8 <= L).
  { unfold L. apply Rmult_le_compat; auto.
    - apply Rmult_le_pos. lra. apply pow_le. lra.
    - apply Rmult_le_compat_l. lra. eapply Rle_trans. apply pow_exp. rewrite mult_INR, EM, ua_is. right. f_equal.
      simpl (INR 4). ring. }
  set (L' := 2 * (1 + u fa) ^ (4 * M) * leak_any fa M (eta fs fa M k 0) kappa8) in *.
  assert (L'0 : 0 <= L'). { unfold L'. apply Rmult_le_pos; auto. apply Rmult_le_pos. lra. apply pow_le; lra. }
  assert (Er : error_any fa M (eta fs fa M k 0) kappa8 <= errb).
  { unfold error_any. cbv zeta. fold L'. rewrite ua_is, ta_is. apply Rmax_lub.
    - eapply Rle_trans; [|apply err_one]. assert (I : / (1 + L) <= / (1 + L')) by (apply Rinv_le_contravar; lra).
      unfold Rdiv.
      assert ((1 - ua) * / (1 + L) <= (1 - ua) * / (1 + L')) by (apply Rmult_le_compat_l; [rewrite <- ua_is;
        lra|auto]). lra.
    - eapply Rle_trans; [|apply err_zero]. apply Rplus_le_compat_r. apply Rmult_le_compat_r. rewrite <- ua_is; lra.
      auto. }
  split; auto. split; auto. unfold near_ok, kappa8. split. lra. split; auto. split. fold kappa8. fold L'. lra.
    eapply Rle_trans; [apply Er|auto].
Qed.
End Any.
End Replay.

(* the claim of a certificate by nearest heads, in the type f for storing and summing *)
Theorem claim_any {A} (f : format) (tail : bool) (phi : form A) (n k : Z) etab errb us ts P :
  let Mz := (n + (if tail then 2 else 1))%Z in (0 <= n)%Z -> covered (once_fine f f AnyOrder (Z.to_nat Mz)) phi ->
    tail = true \/ past phi -> (4 <= prec f)%Z -> (Mz <= 2 ^ prec f)%Z ->
  u f = us -> tiny f = ts -> bpow radix2 (k - 1) = P -> 16 * IZR Mz < bpow radix2 k ->
  8 * IZR Mz * (5 / 10 ^ 16 + 3 / 2 * us + ts) + 3 * us * P + 3 / 2 * ts <= etab -> 2 * etab < 8 ->
  (let q := exp (- (8 * (1 - us))) in
   let L := 2 * exp (4 * IZR Mz * us) * ((1 + 2 * us) * exp (2 * etab) * (q / (1 - q)) + 2 * IZR Mz ^ 2 * ts) in
   L <= 1 /\ 1 - (1 - us) / (1 + L) <= errb /\ L * (1 + us) + ts <= errb) -> errb <= / 4 ->
  forall E, exp_model f E -> forall w e i, (Z.of_nat (length w) <= n)%Z -> (1 <= i <= length w)%nat ->
  float_run tail f f E AnyOrder w (fst (transformer Temperature phi)) e ->
  chan e (snd (transformer Temperature phi)) i = if sat w phi i then 1 else 0.
Proof.
  intros Mz Hn Nf F B4 HM Eu Et EP Hk He H8 (L1 & L2 & L3) H4 E HE w e i Hw Hi Run.
  assert (Mp : (0 < Mz)%Z) by (unfold Mz; destruct tail; lia).
  assert (Nk : near_ok f f AnyOrder (Z.to_nat Mz) k 0) by (eapply replay_any; eauto).
  apply (sound tail f f (fun x H => H) (or_introl eq_refl) ltac:(lia) B4 E HE AnyOrder (Z.to_nat Mz) k 0); auto.
  - intros x Nx _. rewrite rnd_id, Rminus_diag_eq, Rabs_R0 by auto. lra.
  - rewrite Z2Nat.id; lia.
  - rewrite INR_Z by lia. exact Hk.
  - unfold Programs.N, Mz. destruct tail; lia.
Qed.
