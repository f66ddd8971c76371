(* doc/certificate.md, "Saturation": where exp underflows to 0 a softmax row makes its choice exactly, in both orders.
   z is a number with E x = 0 for every x <= -z. Winners are the keys whose logits are at least low, all others are
   losers and lie at least z below low. Only the computed logits matter here; "Errors of scores" says how far apart
   they are.

   silent           losers add exactly 0 to the numerator: where all winners have the value 0, so has the output
   one_hot          with one winner the output is its value, bit by bit
   exp_saturates    the correctly rounded exp is so for every z with e^-z < t/2 *)
From Coq Require Import ZArith Reals Lia Lra List Bool Arith Permutation.
From Flocq Require Import Core.
From Temper Require Import Rows Format Sums Nearest NearestAny Rounding Exact Range Strings Programs FloatRun
  NearestHead
  CompareHead.
Import ListNotations.
Local Open Scope R_scope.

Definition saturates (f : format) (E : R -> R) (z : R) := number f z /\ 0 < z /\ forall x, number f x -> x <= - z ->
  E x = 0.

Section Saturation.
Variables fs fa : format.
Hypothesis incl : forall x, number fs x -> number fa x.
Variable E : R -> R.
Hypothesis HE : exp_model fa E.
Variable z : R.
Hypothesis Sat : saturates fa E z.
Variable ord : order.
Variables (logit v : nat -> R) (K : list nat).
Hypothesis logit_number : forall j, number fa (logit j).

Lemma rnd_0 f : rnd f 0 = 0. Proof. apply rnd_id, number_0. Qed.
(* a difference is rounded, and -z is a number: rounding keeps order *)
Lemma far x y : x <= y - z -> E (rnd fa (x - y)) = 0.
Proof.
  intros H. destruct Sat as (Nz & _ & Z). apply Z. apply rnd_number. apply rnd_le_number. now apply number_opp. lra.
Qed.
Lemma near x : E (rnd fa (x - x)) = 1.
Proof. rewrite Rminus_diag_eq, rnd_0 by auto. apply (E_0 _ _ HE). Qed.

(* a sum with the winner has the winner's reference *)
Lemma winner_ref win L j t x : ok fa win t -> summed fa E logit v win L (Some j) t x -> ref win t = win.
Proof.
  intros Ok S. remember (Some j) as o eqn:Eo. induction S; cbn [ok ref] in *; try discriminate; auto.
  - destruct Ok as (Oa & _ & _ & Ra & _ & Rw). rewrite (IHS1 Oa Eo) in Ra. lra.
  - destruct Ok as (_ & Ob & _ & _ & Rb & Rw). rewrite (IHS2 Ob Eo) in Rb. lra.
  - destruct Ok as (Oa & _ & Rl). rewrite (IHS Oa Eo) in Rl. lra.
Qed.

Section Silent.
Variables (low : R) (wins : nat -> bool).
Hypothesis winner : forall j, In j K -> wins j = true -> low <= logit j /\ v j = 0.
Hypothesis loser : forall j, In j K -> wins j = false -> logit j <= low - z.
Hypothesis some : exists j, In j K /\ wins j = true.
Lemma split_refs m : (exists j, In j K /\ m = logit j) -> low <= m \/ m <= low - z.
Proof.
  intros (j & Hj & ->). destruct (wins j) eqn:W. left. now apply winner. right. now apply loser.
Qed.
(* a side that is taken to a reference of a winner *)
Lemma silent_side x r m : (low <= r -> x = 0) -> low <= r \/ r <= low - z -> low <= m -> x * E (rnd fa (r - m)) = 0.
Proof.
  intros H [R|R] M. rewrite H by auto. ring. rewrite far by lra. ring.
Qed.
Lemma silent_tree win L o t x : (forall j, In j K -> logit j <= win) -> (o <> None -> low <= win) ->
  refs (fun m => exists j, In j K /\ m = logit j) t -> summed fa E logit v win L o t x ->
  (forall j, In j L \/ o = Some j -> In j K) -> (low <= ref win t \/ ref win t <= low - z) /\ (low <= ref win t -> x
    = 0).
Proof.
  intros Top Ow Rf S. induction S; intros KL; cbn [ref refs] in *.
  - split. now apply split_refs. intros M. assert (Hj := KL j (or_introl (or_introl eq_refl))).
    destruct (wins j) eqn:W. rewrite (proj2 (winner j Hj W)), Rmult_0_r. apply rnd_0.
    rewrite far by (specialize (loser j Hj W); lra). rewrite Rmult_0_l. apply rnd_0.
  - assert (Lw : low <= win) by (apply Ow; discriminate). split; auto. intros _.
    assert (Hj := KL j (or_intror eq_refl)). destruct (wins j) eqn:W. now apply winner.
    exfalso. specialize (loser j Hj W). destruct Sat as (_ & Z & _). lra.
  - destruct Rf as (Ra & Rb & Rm). destruct (IHS1 Ow Ra) as [A1 A2]. intros k [Hk|Hk]; apply KL; auto; left; apply
      in_or_app; auto.
    destruct (IHS2 ltac:(congruence) Rb) as [B1 B2]. intros k [Hk|Hk]; [|discriminate]; apply KL; left; apply
      in_or_app; auto.
    split. now apply split_refs. intros M. rewrite !silent_side by auto. rewrite !rnd_0, Rplus_0_l. apply rnd_0.
  - destruct Rf as (Ra & Rb & Rm). destruct (IHS1 ltac:(congruence) Ra) as [A1 A2]. intros k [Hk|Hk]; [|discriminate];
      apply KL; left; apply in_or_app; auto.
    destruct (IHS2 Ow Rb) as [B1 B2]. intros k [Hk|Hk]; apply KL; auto; left; apply in_or_app; auto.
    split. now apply split_refs. intros M. rewrite !silent_side by auto. rewrite !rnd_0, Rplus_0_l. apply rnd_0.
  - destruct Rf as (Ra & Rm). destruct (IHS Ow Ra) as [A1 A2]. intros k [Hk|Hk]; apply KL; auto. left; now right.
    split. now apply split_refs. intros M. rewrite silent_side by auto. assert (Hj := KL j (or_introl (or_introl
      eq_refl))).
    destruct (wins j) eqn:W. rewrite (proj2 (winner j Hj W)), Rplus_0_l. apply rnd_0.
    exfalso. specialize (loser j Hj W). destruct Sat as (_ & Z & _). lra.
  - destruct (IHS ltac:(congruence) Rf) as [A1 A2]. intros k [Hk|Hk]; [|discriminate]; apply KL; auto.
    assert (Lw : low <= win) by (apply Ow; discriminate). split; auto. intros M. rewrite silent_side by auto.
    assert (Hj := KL j (or_intror eq_refl)). destruct (wins j) eqn:W. rewrite (proj2 (winner j Hj W)), Rplus_0_l.
      apply rnd_0.
    exfalso. specialize (loser j Hj W). destruct Sat as (_ & Z & _). lra.
Qed.
Theorem silent x : softmax_row fs fa E ord logit v K x -> x = 0.
Proof.
  intros H. unfold softmax_row in H. destruct K as [|k0 K0] eqn:EK; auto. rewrite <- EK in *. clear EK.
  destruct some as (jw & J1 & J2). assert (Lw := proj1 (winner jw J1 J2)).
  destruct ord.
  - destruct H as (top & T1 & T2 & ->). cbv zeta. rewrite asc_zeros. apply quotient_0.
    intros y Hy. apply in_map_iff in Hy. destruct Hy as (j & <- & Hj). destruct (wins j) eqn:W.
    rewrite (proj2 (winner j Hj W)), Rmult_0_r. apply rnd_0.
    rewrite far. rewrite rnd_0, Rmult_0_l. apply rnd_0. specialize (loser j Hj W). specialize (T2 jw J1). lra.
  - destruct H as (js & L & t & num & P & T2 & [Ok Rf] & S & ->). assert (Wl : low <= logit js) by (specialize (T2 jw
    J1);
      lra).
    assert (In js K) by (apply (Permutation_in _ P); now left).
    destruct (silent_tree (logit js) L (Some js) t num T2 (fun _ => Wl) Rf S) as [_ X].
    { intros j [Hj|[= <-]]; auto. apply (Permutation_in _ P). now right. }
    rewrite X. apply quotient_0. rewrite (winner_ref (logit js) L js t num Ok S). lra.
Qed.
End Silent.

Section OneHot.
Variable js : nat.
Hypothesis js_in : In js K.
Hypothesis distinct : NoDup K.
Hypothesis v_number : number fs (v js).
Hypothesis loser : forall j, In j K -> j <> js -> logit j <= logit js - z.
Let win := logit js.
Lemma loser_refs m : (exists j, In j K /\ m = logit j) -> m = win \/ m <= win - z.
Proof. intros (j & Hj & ->). destruct (Nat.eq_dec j js) as [->|Ne]; [now left|right; now apply loser]. Qed.
Lemma hot_side x r m : (r = win -> x = 0) -> r = win \/ r <= win - z -> m = win -> x * E (rnd fa (r - m)) = 0.
Proof. intros H [->|R] ->. rewrite H by auto. ring. rewrite far by lra. ring. Qed.
Lemma one_hot_tree L o t x : ok fa win t -> refs (fun m => exists j, In j K /\ m = logit j) t ->
  summed fa E logit v win L o t x -> (forall j, In j L -> In j K /\ j <> js) -> (forall j, o = Some j -> j = js) ->
  match o with
  | None => (ref win t = win \/ ref win t <= win - z) /\ (ref win t = win -> val fa E win t = 0 /\ x = 0)
  | Some _ => ref win t = win /\ val fa E win t = 1 /\ x = v js end.
Proof.
  intros Ok Rf S. assert (Zp : 0 < z) by apply Sat. assert (Nv := incl _ v_number). assert (R0 := rnd_0 fa).
  assert (R1 : rnd fa 1 = 1) by apply rnd_id, number_1.
  induction S; intros HL Ho; cbn [ref refs ok val] in *.
  - split. now apply loser_refs. intros ->. destruct (HL j (or_introl eq_refl)) as [Hj Ne].
    rewrite far by (now apply loser). split; auto. now rewrite Rmult_0_l.
  - rewrite (Ho j eq_refl). auto.
  - destruct Rf as (Ra & Rb & Rm). destruct Ok as (Oa & Ob & Nm & Rma & Rmb & Rmw).
    specialize (IHS1 Oa Ra (fun k Hk => HL k (in_or_app _ _ _ (or_introl Hk))) Ho).
    specialize (IHS2 Ob Rb (fun k Hk => HL k (in_or_app _ _ _ (or_intror Hk))) ltac:(congruence)). cbn in IHS2.
    destruct IHS2 as [B1 B2]. destruct o.
    + destruct IHS1 as (A1 & A2 & A3). assert (m = win) by lra. subst m. split; auto. rewrite A1, A2, A3, near.
      rewrite (hot_side (val fa E win b)), (hot_side y) by (auto; now apply B2).
      rewrite !Rmult_1_r, R0, R1, (rnd_id fa (v js)), !Rplus_0_r by auto. split; auto. now apply rnd_id.
    + destruct IHS1 as [A1 A2]. split. now apply loser_refs. intros Em.
      rewrite (hot_side (val fa E win a)), (hot_side (val fa E win b)), (hot_side x), (hot_side y) by (auto; first
        [now
        apply A2|now apply B2]). rewrite !R0, !Rplus_0_r, R0. auto.
  - destruct Rf as (Ra & Rb & Rm). destruct Ok as (Oa & Ob & Nm & Rma & Rmb & Rmw).
    specialize (IHS1 Oa Ra (fun k Hk => HL k (in_or_app _ _ _ (or_introl Hk))) ltac:(congruence)).
    specialize (IHS2 Ob Rb (fun k Hk => HL k (in_or_app _ _ _ (or_intror Hk))) Ho). cbn in IHS1.
    destruct IHS1 as [A1 A2]. destruct o.
    + destruct IHS2 as (B1 & B2 & B3). assert (m = win) by lra. subst m. split; auto. rewrite B1, B2, B3, near.
      rewrite (hot_side (val fa E win a)), (hot_side x) by (auto; now apply A2).
      rewrite !Rmult_1_r, R0, R1, (rnd_id fa (v js)), !Rplus_0_l by auto. split; auto. now apply rnd_id.
    + destruct IHS2 as [B1 B2]. split. now apply loser_refs. intros Em.
      rewrite (hot_side (val fa E win a)), (hot_side (val fa E win b)), (hot_side x), (hot_side y) by (auto; first
        [now
        apply A2|now apply B2]). rewrite !R0, !Rplus_0_r, R0. auto.
  - destruct Rf as (Ra & Rm). destruct Ok as (Oa & Nm & Rl). destruct (HL j (or_introl eq_refl)) as [Hj Ne].
    specialize (IHS Oa Ra (fun k Hk => HL k (or_intror Hk)) Ho). assert (Lj := loser j Hj Ne). fold win in Lj.
      destruct o.
    + exfalso. destruct IHS as (A1 & _). lra.
    + split. now right. intros X. exfalso. lra.
  - specialize (IHS Ok Rf HL ltac:(congruence)). cbn in IHS. destruct IHS as [A1 A2]. rewrite (Ho j eq_refl).
    rewrite (hot_side (val fa E win a)), (hot_side x) by (auto; now apply A2). rewrite !Rplus_0_l, R1.
    split; auto. split; auto. now apply rnd_id.
Qed.
Theorem one_hot x : softmax_row fs fa E ord logit v K x -> x = v js.
Proof.
  intros H. assert (Zp : 0 < z) by apply Sat. assert (Nv := incl _ v_number). assert (R0 := rnd_0 fa).
  assert (Q : quotient fs fa (v js) 1 = v js).
  { unfold quotient, Rdiv. rewrite Rinv_1, Rmult_1_r, (rnd_id fa (v js)) by auto. now apply rnd_id. }
  unfold softmax_row in H. destruct K as [|k0 K0] eqn:EK; [destruct js_in|]. rewrite <- EK in *. clear EK.
  destruct ord.
  - destruct H as (top & T1 & T2 & ->). cbv zeta. assert (Et : top = js).
    { destruct (Nat.eq_dec top js); auto. specialize (loser top T1 n). specialize (T2 js js_in). lra. } subst top.
    destruct (in_split js K js_in) as (K1 & K2 & EK).
    assert (Ls : forall j, In j (K1 ++ K2) -> E (rnd fa (logit j - logit js)) = 0).
    { intros j Hj. apply far. apply loser. rewrite EK. apply in_app_or in Hj. apply in_or_app. destruct Hj; auto.
      right;
      now right. intros ->. rewrite EK in distinct. apply NoDup_remove_2 in distinct. contradiction. }
    assert (One : forall (g : nat -> R) c, number fa c -> (forall j, In j (K1 ++ K2) -> g j = 0) -> g js = c ->
      asc fa 0 (map g K) = c).
    { intros g c Nc G Gj. rewrite EK, map_app. cbn [map]. rewrite asc_app. rewrite (asc_zeros fa (map g K1)).
      cbn [asc]. rewrite Rplus_0_l, Gj, (rnd_id fa c) by auto. apply (asc_zero_skip fa); auto.
      intros y Hy. apply in_map_iff in Hy. destruct Hy as (j & <- & Hj). apply G, in_or_app; auto.
      intros y Hy. apply in_map_iff in Hy. destruct Hy as (j & <- & Hj). apply G, in_or_app; auto. }
    rewrite (One _ (v js)), (One _ 1); auto using number_1.
    + apply near.
    + intros j Hj. rewrite (Ls j Hj), rnd_0, Rmult_0_l. apply rnd_0.
    + rewrite near, (rnd_id fs 1), Rmult_1_l by apply number_1. now apply rnd_id.
  - destruct H as (j0 & L & t & num & P & T2 & [Ok Rf] & S & ->). assert (I0 : In j0 K) by (apply (Permutation_in _
    P); now
      left).
    assert (j0 = js). { destruct (Nat.eq_dec j0 js); auto. specialize (loser j0 I0 n). specialize (T2 js js_in). lra.
      }
    subst j0. assert (Nd := Permutation_NoDup (Permutation_sym P) distinct). inversion Nd as [|? ? Nj Nl]; subst.
    fold win. destruct (one_hot_tree L (Some js) t num Ok Rf S) as (_ & -> & ->); auto.
    + intros j Hj. split. apply (Permutation_in _ P). now right. intros ->. contradiction.
    + now intros j [= <-].
Qed.
End OneHot.
End Saturation.

(* what is below half the least number is rounded to 0 *)
Theorem exp_saturates f z : number f z -> 0 < z -> exp (- z) < / 2 * tiny f -> saturates f (fun x => rnd f (exp x)) z.
Proof.
  intros Nz Hz H. split; auto. split; auto. intros x _ Hx. assert (T := tiny_pos f).
  assert (X : exp x <= exp (- z)) by (destruct Hx as [Hx| ->]; [left; now apply exp_increasing|right; auto]).
  assert (P := exp_pos x). assert (Near := rnd_nearest f (exp x) 0 (number_0 f)).
  rewrite Rminus_0_l, Rabs_Ropp, (Rabs_pos_eq (exp x)) in Near by lra. apply Rabs_le_inv in Near.
  destruct (number_multiple f _ (rnd_number f (exp x))) as [m Em]. rewrite Em in *. fold (tiny f) in *.
  assert (B : -1 < IZR m < 1) by (split; apply Rmult_lt_reg_r with (tiny f); auto; lra).
  destruct B as [B1 B2]. apply lt_IZR in B1, B2. replace m with 0%Z by lia. ring.
Qed.
