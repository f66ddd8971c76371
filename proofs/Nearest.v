(* One head in floating point, ascending.

   quotient_one, quotient_zero   error(R)
   winner_ascending              one winner: the output is within error(R) of its value
   nearest_ascending             R for a nearest head *)
From Coq Require Import ZArith Reals Lia Lra Psatz List.
From Flocq Require Import Core Relative.
From Temper Require Import Rows Format Sums.
Import ListNotations.
Local Open Scope R_scope.

Section H.
Variables fs fa : format.                                 (* stored, summed *)
Hypothesis incl : forall x, number fs x -> number fa x.
Hypothesis fine : fs = fa \/ 2 * tiny fa <= tiny fs.
Notation ua := (u fa).

Lemma u_le_half f : u f <= / 4.
Proof. unfold u. assert (bpow radix2 (- prec f + 1) <= bpow radix2 (-1)) by (apply bpow_le; generalize (prec_ge_2 f);
  lia). simpl in H. lra. Qed.
Lemma half_number f : number f (/ 2).
Proof. apply (number_mult f _ 1 (-1)). simpl; lra. simpl. assert (2 ^ 1 <= 2 ^ prec f)%Z by (apply Z.pow_le_mono_r;
  generalize (prec_ge_2 f); lia). lia. generalize (emin_neg f) (prec_ge_2 f); lia. Qed.
Lemma rnd_normal f x : / 2 <= x -> (1 - u f) * x <= rnd f x <= (1 + u f) * x.
Proof.
  intros H. assert (X : Rabs (rnd f x - x) <= u f * Rabs x).
  { apply relative_error_N_FLT. generalize (prec_ge_2 f); lia. rewrite Rabs_pos_eq by lra.
    apply Rle_trans with (bpow radix2 (-1)). apply bpow_le. generalize (emin_neg f); lia. simpl. lra. }
  rewrite (Rabs_pos_eq x) in X by lra. apply Rabs_le_inv in X. lra.
Qed.

(* what storing a number of the format of sums rounds: nothing if the formats are equal *)
Definition same_format := (Z.eqb (prec fs) (prec fa) && Z.eqb (emin fs) (emin fa))%bool.
Definition u_stored := if same_format then 0 else u fs.
Definition stored_leak R n := if same_format then R else (1 + u fs) * R + n * tiny fs.
Notation us := u_stored.
Lemma store_same x : same_format = true -> number fa x -> rnd fs x = x.
Proof.
  unfold same_format. intros H Nx. apply andb_prop in H. destruct H as [H1 H2]. apply Z.eqb_eq in H1, H2.
  apply rnd_id. unfold number in *. now rewrite H1, H2.
Qed.
Lemma same_refl : fs = fa -> same_format = true.
Proof. intros Ef. unfold same_format. rewrite Ef. now rewrite !Z.eqb_refl. Qed.
Lemma u_stored_range : 0 <= us <= / 4 /\ us <= u fs.
Proof. unfold u_stored. generalize (u_pos fs) (u_le_half fs). destruct same_format; lra. Qed.
Lemma store_normal x : number fa x -> / 2 <= x -> (1 - us) * x <= rnd fs x <= (1 + us) * x.
Proof.
  intros Nx H. unfold u_stored. destruct same_format eqn:E. rewrite store_same by auto. lra. now apply rnd_normal.
Qed.
Lemma store_error x : number fa x -> Rabs (rnd fs x - x) <= us * Rabs x + / 2 * tiny fs.
Proof.
  intros Nx. unfold u_stored. destruct same_format eqn:E; [|apply rnd_error].
  rewrite store_same, Rminus_diag_eq, Rabs_R0 by auto. assert (T := tiny_pos fs). lra.
Qed.

(* the second term is left out if the formats are equal: the quotient is then at most 1 *)
Definition error1 L := 1 - (1 - ua) * (1 - us) / (1 + L).
Definition error2 Ls := (1 + Ls) * (1 + ua) * (1 + us) - 1.
Definition error3 Ls := Ls * (1 + ua) * (1 + us) + tiny fs.
Definition error L Ls := Rmax (error1 L) (Rmax (if same_format then 0 else error2 Ls) (error3 Ls)).
Definition quotient num den := rnd fs (rnd fa (num / den)).

Lemma quotient_one num den L Ls : L <= 1 -> 1 <= den <= 1 + L -> 1 <= num <= 1 + Ls -> (same_format = true -> num <=
  den)
  -> Rabs (quotient num den - 1) <= error L Ls.
Proof.
  intros HL [D1 D2] [N1 N2] Le. set (q := num / den).
  assert (I : / (1 + L) <= / den) by (apply Rinv_le_contravar; lra).
  assert (I1 : / den <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
  assert (I0 : 0 < / (1 + L)) by (apply Rinv_0_lt_compat; lra).
  assert (Ih : / 2 <= / (1 + L)) by (apply Rinv_le_contravar; lra).
  assert (Q1 : / (1 + L) <= q) by (unfold q, Rdiv; nra).
  assert (Q2 : q <= 1 + Ls) by (unfold q, Rdiv; nra).
  assert (Qh : / 2 <= q) by lra.
  destruct (rnd_normal fa q Qh) as [A1 A2].
  assert (Ah : / 2 <= rnd fa q) by (apply rnd_ge; auto; apply half_number).
  destruct (store_normal _ (rnd_number fa q) Ah) as [B1 B2].
  generalize (u_pos fa) u_stored_range (u_le_half fa); intros.
  unfold quotient. fold q. unfold error, error1, error2, error3.
  set (e1 := 1 - (1 - ua) * (1 - us) / (1 + L)). set (e2 := if same_format then 0 else (1 + Ls) * (1 + ua) * (1 + us)
    - 1).
  set (e3 := Ls * (1 + ua) * (1 + us) + tiny fs).
  generalize (Rmax_l e1 (Rmax e2 e3)) (Rmax_r e1 (Rmax e2 e3)) (Rmax_l e2 e3); intros.
  assert (Lo : 1 - e1 <= rnd fs (rnd fa q)).
  { unfold e1. apply Rle_trans with ((1 - us) * ((1 - ua) * q)).
    replace (1 - (1 - (1 - ua) * (1 - us) / (1 + L))) with ((1 - us) * (1 - ua) * / (1 + L)) by (unfold Rdiv; ring).
    rewrite <- Rmult_assoc. apply Rmult_le_compat_l; auto. apply Rmult_le_pos; lra.
    eapply Rle_trans; [|apply B1]. apply Rmult_le_compat_l; lra. }
  assert (Hi : rnd fs (rnd fa q) <= 1 + e2).
  { unfold e2. destruct same_format eqn:Sm.
    { rewrite store_same by (auto; apply rnd_number). rewrite Rplus_0_r. apply rnd_le_number. apply number_1. unfold
      q.
      apply Rmult_le_reg_r with den. lra. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. specialize (Le eq_refl).
        lra. }
    eapply Rle_trans. apply B2. apply Rle_trans with ((1 + us) * ((1 + ua) * q)). apply Rmult_le_compat_l; lra.
    replace (1 + ((1 + Ls) * (1 + ua) * (1 + us) - 1)) with ((1 + us) * ((1 + ua) * (1 + Ls))) by ring.
    apply Rmult_le_compat_l. lra. apply Rmult_le_compat_l; lra. }
  apply Rabs_le. lra.
Qed.

Lemma quotient_zero num den L Ls : 1 <= den -> 0 <= num <= Ls -> 0 <= quotient num den /\ Rabs (quotient num den - 0)
  <= error L Ls.
Proof.
  intros D [N1 N2]. set (q := num / den).
  assert (I1 : 0 < / den <= 1) by (split; [apply Rinv_0_lt_compat; lra | rewrite <- Rinv_1; apply Rinv_le_contravar;
    lra]).
  assert (Q0 : 0 <= q) by (apply Rmult_le_pos; lra).
  assert (Q2 : q <= Ls) by (unfold q, Rdiv; nra).
  assert (A0 : 0 <= rnd fa q) by (apply rnd_ge; auto; apply number_0).
  assert (B0 : 0 <= rnd fs (rnd fa q)) by (apply rnd_ge; auto; apply number_0).
  generalize (u_pos fa) u_stored_range (u_le_half fa) (tiny_pos fa) (tiny_pos fs); intros.
  split. exact B0. unfold quotient. fold q. rewrite Rminus_0_r, Rabs_pos_eq by auto.
  apply Rle_trans with (error3 Ls). 2:{ unfold error. eapply Rle_trans; [apply Rmax_r|apply Rmax_r]. }
  unfold error3.
  assert (A1 : rnd fa q <= (1 + ua) * Ls + / 2 * tiny fa).
  { generalize (rnd_error fa q). rewrite (Rabs_pos_eq q) by auto. intros X. apply Rabs_le_inv in X. nra. }
  destruct fine as [E|E].
  - rewrite (rnd_id fs). 2:{ rewrite E. apply rnd_number. }
    assert (tiny fa = tiny fs) by now rewrite E. assert (0 <= (1 + ua) * Ls) by (apply Rmult_le_pos; lra). nra.
  - generalize (store_error (rnd fa q) (rnd_number fa q)). rewrite (Rabs_pos_eq (rnd fa q)) by auto. intros X. apply
    Rabs_le_inv in X.
    nra.
Qed.

(* ---- one winner, ascending: the weights of all others add up to at most Rl ---- *)
Lemma total_map (g : nat -> R) l : total (map g l) = sum g l.
Proof. unfold total. rewrite sum_map. reflexivity. Qed.
Lemma sum_app (g : nat -> R) a b : sum g (a ++ b) = sum g a + sum g b.
Proof. induction a; simpl; lra. Qed.
Lemma asc_map_mono (a b : nat -> R) l : (forall j, In j l -> a j <= b j) -> forall x y, x <= y -> asc fa x (map a l)
  <= asc
  fa y (map b l).
Proof.
  induction l as [|j l IH]; intros H x y Hx; cbn [map asc]; auto. apply IH. intros; apply H; now right. apply rnd_le.
  specialize (H j (or_introl eq_refl)). lra.
Qed.
Section Winner.
Variable E : R -> R.
Hypothesis HE : exp_model fa E.
Variables (K0 K1 : list nat) (js : nat).                  (* the row is K0 ++ js :: K1 *)
Variables (logit : nat -> R) (v : nat -> bool) (Rl : R).
Let J := K0 ++ K1.
Let w j := E (rnd fa (logit j - logit js)).
Hypothesis logit_le : forall j, In j J -> logit j <= logit js.
Hypothesis leak : sum w J <= Rl.
Hypothesis small : 4 * Rl <= 1.
Lemma w_basic j : In j J -> number fa (w j) /\ 0 <= w j <= 1.
Proof.
  intros Hj. assert (M := logit_le j Hj). assert (Z : rnd fa (logit j - logit js) <= 0) by (apply rnd_le_number;
    [apply
    number_0|lra]).
  split. apply (E_number _ _ HE); auto. apply rnd_number. apply (E_range _ _ HE); auto. apply rnd_number.
Qed.
(* the computed row: denominator over weights, numerator over stored weights times Boolean values *)
Let den := asc fa 0 (map w K0 ++ 1 :: map w K1).
Let sw j := if v j then rnd fs (w j) else 0.
Let num := asc fa 0 (map sw K0 ++ (if v js then 1 else 0) :: map sw K1).
Let Rs := stored_leak Rl (INR (length J)).

Lemma sw_basic j : In j J -> number fa (sw j) /\ 0 <= sw j <= (1 + u fs) * w j + tiny fs /\ (same_format = true -> sw
  j <=
  w j).
Proof.
  intros Hj. destruct (w_basic j Hj) as [N [P _]]. generalize (u_pos fs) (tiny_pos fs); intros. unfold sw.
    destruct (v j).
  - split. apply incl, rnd_number. split; [split|]. apply rnd_ge; auto. apply number_0.
    generalize (rnd_error fs (w j)). rewrite (Rabs_pos_eq (w j)) by auto. intros X. apply Rabs_le_inv in X. lra.
    intros Sm. rewrite store_same by auto. lra.
  - split. apply number_0. split; auto. split. lra. assert (0 <= u fs * w j) by (apply Rmult_le_pos; lra). lra.
Qed.
Lemma stored_le : sum sw J <= Rs.
Proof.
  unfold Rs, stored_leak. destruct same_format eqn:Sm.
  - apply Rle_trans with (sum w J); [|apply leak]. apply sum_le. intros j Hj. now apply sw_basic.
  - apply Rle_trans with (sum (fun j => (1 + u fs) * w j + tiny fs) J). apply sum_le. intros; now apply sw_basic.
    rewrite sum_plus, sum_scal, sum_const. apply Rplus_le_compat_r. apply Rmult_le_compat_l.
      generalize (u_pos fs); lra. apply leak.
Qed.
Theorem winner_ascending :
  Rabs (quotient num den - (if v js then 1 else 0)) <= error (4 * Rl) (4 * Rs).
Proof.
  assert (HR : 4 * Rl <= 1) by exact small.
  assert (Wd : forall K, (forall j, In j K -> In j J) -> weights fa (map w K)) by (intros K HK x Hx; apply in_map_iff
    in Hx; destruct Hx as (j & <- & Hj); destruct (w_basic j (HK j Hj)); tauto).
  assert (Ws : forall K, (forall j, In j K -> In j J) -> weights fa (map sw K)) by (intros K HK x Hx; apply
    in_map_iff in Hx; destruct Hx as (j & <- & Hj); destruct (sw_basic j (HK j Hj)) as (? & [? ?] & _); tauto).
  assert (I0 : (forall j, In j K0 -> In j J)) by (intros j Hj; apply in_or_app; auto).
  assert (I1 : (forall j, In j K1 -> In j J)) by (intros j Hj; apply in_or_app; auto).
  assert (D := lemma1_ascending fa _ _ (Wd _ I0) (Wd _ I1)). fold den in D. rewrite !total_map in D.
  assert (Sw := leak). unfold J in Sw. rewrite sum_app in Sw.
  assert (Ss := stored_le). unfold J in Ss. rewrite sum_app in Ss.
  assert (P0 : 0 <= sum w K0) by (apply sum_nonneg; intros x Hx; destruct (w_basic x (I0 x Hx)); tauto).
  assert (P1 : 0 <= sum w K1) by (apply sum_nonneg; intros x Hx; destruct (w_basic x (I1 x Hx)); tauto).
  assert (Q0 : 0 <= sum sw K0) by (apply sum_nonneg; intros x Hx; destruct (sw_basic x (I0 x Hx)) as (? & [? ?] & _);
    tauto).
  assert (Q1 : 0 <= sum sw K1) by (apply sum_nonneg; intros x Hx; destruct (sw_basic x (I1 x Hx)) as (? & [? ?] & _);
    tauto).
  unfold num. destruct (v js).
  - assert (M := lemma1_ascending fa _ _ (Ws _ I0) (Ws _ I1)). rewrite !total_map in M. apply quotient_one; try lra.
    intros Sm. unfold den. rewrite !asc_app. cbn [asc]. apply asc_map_mono. intros j Hj. apply sw_basic; auto.
    apply rnd_le. apply Rplus_le_compat_r. apply asc_map_mono; [|lra]. intros j Hj. apply sw_basic; auto.
  - apply quotient_zero. lra. 
    assert (W' : weights fa (map sw K0 ++ 0 :: map sw K1)).
    { intros x Hx. apply in_app_or in Hx. destruct Hx as [Hx|[<-|Hx]]. apply (Ws _ I0 x Hx). split. apply number_0.
      lra. apply (Ws _ I1 x Hx). }
    assert (G := asc_ge fa 0 _ (number_0 fa) W'). assert (B := asc_le fa 0 _ (number_0 fa) W').
    unfold total in B. assert (T : sum (fun x : R => x) (map sw K0 ++ 0 :: map sw K1) = sum sw K0 + sum sw K1).
    { change (sum (fun x : R => x)) with total. rewrite <- (total_map sw K0), <- (total_map sw K1).
      unfold total. generalize (map sw K0). induction l; simpl; lra. }
    rewrite T in B. lra.
Qed.
End Winner.

(* ---- nearest, ascending ---- *)
Variable E : R -> R.
Hypothesis HE : exp_model fa E.
Variables (K0 K1 : list nat) (js : nat).                  (* the row is K0 ++ js :: K1 *)
Variables (logit ideal : nat -> R) (eta kappa : R) (d : nat -> nat) (v : nat -> bool).
Let J := K0 ++ K1.
Hypothesis logit_number : forall j, number fa (logit j).
Hypothesis off : forall j, In j (js :: J) -> Rabs (logit j - ideal j) <= eta.
Hypothesis kappa_pos : 0 < kappa.
Hypothesis gaps : forall j, In j J -> (1 <= d j)%nat /\ kappa * INR (d j) <= ideal js - ideal j.
Hypothesis distinct : NoDup (map d J).
Let q := exp (- (kappa * (1 - ua))).
Definition leak_bound := (1 + 2 * ua) * exp (2 * eta) * (q / (1 - q)) + INR (length J) * tiny fa.
Hypothesis leak_small : 4 * leak_bound <= 1.              (* the certificate's inequality; it implies 2 eta < kappa *)

Lemma eta_small : 2 * eta < kappa.
Proof.
  generalize (u_pos fa) (u_le_half fa) (tiny_pos fa); intros U1 U2 T.
  assert (Q : 0 < q < 1). { split. apply exp_pos. unfold q. assert (0 < kappa * (1 - ua)) by (apply
    Rmult_lt_0_compat; lra).
    apply Rlt_le_trans with (exp 0). apply exp_increasing; lra. rewrite exp_0; lra. }
  assert (L : 0 <= INR (length J) * tiny fa) by (apply Rmult_le_pos; [apply pos_INR|lra]).
  assert (B : exp (2 * eta) * q < 1).
  { assert (P := exp_pos (2 * eta)). assert (q <= q / (1 - q)). { unfold Rdiv. rewrite <- (Rmult_1_r q) at 1.
    apply Rmult_le_compat_l. lra. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
    assert (exp (2 * eta) * q <= exp (2 * eta) * (q / (1 - q))) by (apply Rmult_le_compat_l; lra).
    assert (0 <= exp (2 * eta) * (q / (1 - q))) by nra.
    unfold leak_bound in leak_small. nra. }
  assert (B' : exp (2 * eta + - (kappa * (1 - ua))) < exp 0) by (rewrite exp_0, exp_plus; exact B).
  apply exp_lt_inv in B'. nra.
Qed.
Lemma max_js j : In j J -> logit j <= logit js.
Proof.
  intros Hj. assert (O1 := off j (or_intror Hj)). assert (O2 := off js (or_introl eq_refl)).
    apply Rabs_le_inv in O1, O2.
  destruct (gaps j Hj) as [D G]. assert (D' : INR 1 <= INR (d j)) by (apply le_INR; auto). simpl (INR 1) in D'.
  assert (kappa <= kappa * INR (d j)) by nra. generalize eta_small. lra.
Qed.

Let w j := E (rnd fa (logit j - logit js)).
Lemma leak_le : sum w J <= leak_bound.
Proof.
  generalize (u_pos fa) (u_le_half fa); intros U1 U2. unfold leak_bound.
  apply Rle_trans with (sum (fun j => (1 + 2 * ua) * exp (2 * eta) * exp (- (kappa * (1 - ua) * INR (d j))) + tiny
    fa) J).
  - apply sum_le. intros j Hj. assert (M := max_js j Hj).
    assert (Nn : number fa (- logit js)) by (apply generic_format_opp, logit_number).
    assert (Z : rnd fa (logit j - logit js) <= 0) by (apply rnd_le_number; [apply number_0|lra]).
    unfold w. eapply Rle_trans. apply (E_le _ _ HE); auto. apply rnd_number. apply Rplus_le_compat_r.
    rewrite Rmult_assoc. apply Rmult_le_compat_l. lra. rewrite <- exp_plus. apply exp_le.
    generalize (add_relative fa _ _ (logit_number j) Nn). replace (logit j + - logit js) with (logit j - logit js) by
      ring.
    rewrite (Rabs_left1 (logit j - logit js)) by lra. intros X. apply Rabs_le_inv in X.
    assert (O1 := off j (or_intror Hj)). assert (O2 := off js (or_introl eq_refl)). apply Rabs_le_inv in O1, O2.
    destruct (gaps j Hj) as [_ G].
    assert (logit j - logit js <= 2 * eta - kappa * INR (d j)) by lra.
    assert (0 <= eta) by lra. nra.
  - rewrite sum_plus, sum_const, sum_scal. apply Rplus_le_compat_r. apply Rmult_le_compat_l.
    apply Rmult_le_pos. lra. left; apply exp_pos.
    apply (distinct_gaps (kappa * (1 - ua)) (fun j => kappa * (1 - ua) * INR (d j)) d J); auto.
    apply Rmult_lt_0_compat; lra. intros j Hj; now apply gaps. intros; lra.
Qed.

(* denominator over weights, numerator over stored weights times Boolean values *)
Theorem nearest_ascending : let sw j := if v j then rnd fs (w j) else 0 in
  Rabs (quotient (asc fa 0 (map sw K0 ++ (if v js then 1 else 0) :: map sw K1)) (asc fa 0 (map w K0 ++ 1 :: map w
    K1)) -
    (if v js then 1 else 0)) <= error (4 * leak_bound) (4 * stored_leak leak_bound (INR (length J))).
Proof. apply (winner_ascending E HE K0 K1 js logit v leak_bound max_js leak_le leak_small). Qed.
End H.
