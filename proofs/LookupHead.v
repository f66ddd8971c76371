(* doc/certificate.md, "Look-up": the bound of a look-up head, from the error eta of its logits on. The ideal logit
  of a key at
   distance d from the peak lies at least kappa d below it, and each distance occurs at most twice.

   lookup_sum         the ideal weights of all other keys add up to at most 2q/(1-q)
   lookup_ascending   the output is within error(R) of the peak's value, ascending
   lookup_any         the same in any order *)
From Coq Require Import ZArith Reals Lia Lra Psatz List Bool Arith.
From Flocq Require Import Core.
From Temper Require Import Rows Heads Format Sums Nearest NearestAny.
Import ListNotations.
Local Open Scope R_scope.

Lemma lookup_sum kappa J (num : nat -> nat) js : 0 < kappa -> NoDup (map num (js :: J)) ->
  let q := exp (- kappa) in sum (fun j => exp (- (kappa * Rabs (INR (num j) - INR (num js))))) J <= 2 * (q / (1 - q)).
Proof.
  intros Hk Nd q. inversion Nd as [|? ? Ni Nd']; subst. assert (Q := exp_neg_lt_1 kappa Hk). fold q in Q.
  assert (ne : forall j, In j J -> num j <> num js) by (intros j Hj E; apply Ni; rewrite <- E; now apply in_map).
  assert (inj : forall x y, In x J -> In y J -> num x = num y -> x = y).
  { clear - Nd'. induction J as [|a l IH]; intros x y Hx Hy E; [destruct Hx|]. cbn in Nd'. inversion Nd' as [|? ? Na
    Nl]; subst.
    destruct Hx as [<-|Hx], Hy as [<-|Hy]; auto; exfalso; apply Na; [rewrite E|rewrite <- E]; now apply in_map. }
  assert (ndJ : NoDup J) by (clear - Nd'; induction J; constructor; cbn in Nd'; inversion Nd'; subst; auto; intros H;
    apply H1;
    now apply in_map).
  rewrite (sum_split (fun j => Nat.ltb (num j) (num js))). replace (2 * (q / (1 - q))) with (q / (1 - q) + q / (1 -
    q)) by ring.
  apply Rplus_le_compat.
  - apply (distinct_gaps kappa _ (fun j => (num js - num j)%nat)); auto.
    + apply NoDup_map_inj. now apply NoDup_filter. intros x y Hx Hy E. apply filter_In in Hx, Hy.
      destruct Hx as [Hx Lx], Hy as [Hy Ly]. apply Nat.ltb_lt in Lx, Ly. apply inj; auto. lia.
    + intros j Hj. apply filter_In in Hj. destruct Hj as [_ Lx]. apply Nat.ltb_lt in Lx. lia.
    + intros j Hj. apply filter_In in Hj. destruct Hj as [_ Lx]. apply Nat.ltb_lt in Lx. rewrite minus_INR by lia.
      apply lt_INR in Lx. rewrite Rabs_left by lra. lra.
  - apply (distinct_gaps kappa _ (fun j => (num j - num js)%nat)); auto.
    + apply NoDup_map_inj. now apply NoDup_filter. intros x y Hx Hy E. apply filter_In in Hx, Hy.
      destruct Hx as [Hx Lx], Hy as [Hy Ly]. apply negb_true_iff, Nat.ltb_ge in Lx, Ly. assert (X := ne x Hx).
      assert (Y := ne y Hy). apply inj; auto. lia.
    + intros j Hj. apply filter_In in Hj. destruct Hj as [Hj Lx]. apply negb_true_iff, Nat.ltb_ge in Lx.
      assert (X := ne j Hj). lia.
    + intros j Hj. apply filter_In in Hj. destruct Hj as [Hj Lx]. apply negb_true_iff, Nat.ltb_ge in Lx.
      rewrite minus_INR by lia. apply le_INR in Lx. rewrite Rabs_pos_eq by lra. lra.
Qed.

Section Lookup.
Variables fs fa : format.
Hypothesis incl : forall x, number fs x -> number fa x.
Hypothesis fine : fs = fa \/ 2 * tiny fa <= tiny fs.
Variable E : R -> R.
Hypothesis HE : exp_model fa E.
Variables (logit ideal : nat -> R) (eta kappa : R) (num : nat -> nat) (J : list nat) (js : nat).
Notation ua := (u fa).
Hypothesis logit_number : forall j, number fa (logit j).
Hypothesis kappa_pos : 0 < kappa.
Hypothesis off : forall j, In j (js :: J) -> Rabs (logit j - ideal j) <= eta.
Hypothesis distinct : NoDup (map num (js :: J)).
Hypothesis gaps : forall j, In j J -> kappa * Rabs (INR (num j) - INR (num js)) <= ideal js - ideal j.
Hypothesis eta_small : 2 * eta < kappa.
Let q := exp (- (kappa * (1 - ua))).
Definition lookup_leak (T : R) := (1 + 2 * ua) * exp (2 * eta) * (2 * (q / (1 - q))) + T.
Lemma one_apart j : In j J -> 1 <= Rabs (INR (num j) - INR (num js)).
Proof.
  intros Hj. inversion distinct as [|? ? Ni _]; subst. assert (ne : num j <> num js) by (intros X; apply Ni; rewrite
    <- X; now
    apply in_map).
  destruct (lt_eq_lt_dec (num j) (num js)) as [[L|X]|L]; [|contradiction|].
  apply (le_INR (S (num j))) in L. rewrite S_INR in L. rewrite Rabs_left; lra.
  apply (le_INR (S (num js))) in L. rewrite S_INR in L. rewrite Rabs_pos_eq; lra.
Qed.
Lemma peak_wins j : In j J -> logit j <= logit js.
Proof.
  intros Hj. assert (O1 := off j (or_intror Hj)). assert (O2 := off js (or_introl eq_refl)). apply Rabs_le_inv in O1,
    O2.
  assert (G := gaps j Hj). assert (D := one_apart j Hj).
  assert (kappa * 1 <= kappa * Rabs (INR (num j) - INR (num js))) by (apply Rmult_le_compat_l; lra). lra.
Qed.
(* the ideal weights, with the roundings of differences *)
Lemma lookup_mass : sum (fun j => exp ((1 - ua) * (logit j - logit js))) J <= exp (2 * eta) * (2 * (q / (1 - q))).
Proof.
  assert (U := u_pos fa). assert (Uh := u_le_half fa).
  apply Rle_trans with (sum (fun j => exp (2 * eta) * exp (- (kappa * (1 - ua) * Rabs (INR (num j) - INR (num js)))))
    J).
  - apply sum_le. intros j Hj. rewrite <- exp_plus. apply exp_le. assert (O1 := off j (or_intror Hj)).
    assert (O2 := off js (or_introl eq_refl)). apply Rabs_le_inv in O1, O2. assert (G := gaps j Hj).
    assert (X : logit j - logit js <= 2 * eta - kappa * Rabs (INR (num j) - INR (num js))) by lra.
    assert (0 <= eta) by lra. assert (Y : (1 - ua) * (logit j - logit js) <= (1 - ua) * (2 * eta - kappa * Rabs (INR
      (num j) -
      INR (num js)))) by (apply Rmult_le_compat_l; lra).
    assert (0 <= ua * (2 * eta)) by (apply Rmult_le_pos; lra). lra.
  - rewrite sum_scal. apply Rmult_le_compat_l. left; apply exp_pos. unfold q.
    apply (lookup_sum (kappa * (1 - ua))); auto. apply Rmult_lt_0_compat; lra.
Qed.

Section Ascending.
Variables (K0 K1 : list nat) (v : nat -> bool).
Hypothesis J_is : J = K0 ++ K1.
Let w j := E (rnd fa (logit j - logit js)).
Let R := lookup_leak (INR (length J) * tiny fa).
Theorem lookup_ascending : 4 * R <= 1 -> let sw j := if v j then rnd fs (w j) else 0 in
  Rabs (quotient fs fa (asc fa 0 (map sw K0 ++ (if v js then 1 else 0) :: map sw K1)) (asc fa 0 (map w K0 ++ 1 :: map
    w K1)) -
    (if v js then 1 else 0)) <= error fs fa (4 * R) (4 * stored_leak fs fa R (INR (length J))).
Proof.
  intros Small sw. assert (U := u_pos fa). unfold sw. rewrite J_is.
  apply (winner_ascending fs fa incl fine E HE K0 K1 js logit v R); auto; rewrite <- J_is; [apply peak_wins|].
  apply Rle_trans with (sum (fun j => (1 + 2 * ua) * exp ((1 - ua) * (logit j - logit js)) + tiny fa) J).
  - apply sum_le. intros j Hj. assert (M := peak_wins j Hj).
    destruct (diff fa (logit j) (logit js) (logit_number j) (logit_number js) M) as (D1 & D2 & D3).
    eapply Rle_trans. apply (E_le _ _ HE); auto. apply Rplus_le_compat_r. apply Rmult_le_compat_l. lra. now apply
      exp_le.
  - rewrite sum_plus, sum_scal, sum_const. unfold R, lookup_leak. apply Rplus_le_compat_r. rewrite Rmult_assoc.
    apply Rmult_le_compat_l. lra. apply lookup_mass.
Qed.
End Ascending.

(* in any order; values are Boolean, and the row has less than M other keys *)
Section AnyOrder.
Variables (M : nat) (v : nat -> R) (t : run) (x : R).
Hypothesis v_01 : forall j, v j = 0 \/ v j = 1.
Hypothesis len : (length J < M)%nat.
Hypothesis tree : summed fa E logit v (logit js) J (Some js) t x.
Hypothesis tree_ok : ok fa (logit js) t.
Let R := lookup_leak (2 * INR M ^ 2 * tiny fa).
Theorem lookup_any : 2 * (1 + ua) ^ (4 * M) * R <= 1 ->
  Rabs (rnd fa (x / val fa E (logit js) t) - v js) <= error_row fa M R /\ 0 <= rnd fa (x / val fa E (logit js) t) <=
    1.
Proof.
  intros Small. assert (U := u_pos fa). assert (Uh := u_le_half fa). assert (T := tiny_pos fa).
  apply (winner_any fa E HE J js M logit v t x R); auto.
  rewrite (summed_mass fa E logit v _ _ _ _ _ (logit js) tree). assert (Sz := summed_size fa E logit v _ _ _ _ _
    tree).
  cbn in Sz. unfold R, lookup_leak. assert (L := lookup_mass). set (a := exp (2 * eta) * (2 * (q / (1 - q)))) in *.
  assert (a0 : 0 <= a). { eapply Rle_trans; [|apply L]. apply sum_nonneg. intros; left; apply exp_pos. }
  assert (S1 : INR (size t) ^ 2 * tiny fa <= INR M ^ 2 * tiny fa).
  { apply Rmult_le_compat_r. lra. apply pow_incr. split. apply pos_INR. apply le_INR. lia. }
  assert (0 <= 2 * ua * a) by (apply Rmult_le_pos; lra).
  replace ((1 + 2 * ua) * exp (2 * eta) * (2 * (q / (1 - q)))) with ((1 + 2 * ua) * a) by (unfold a; ring). lra.
Qed.
End AnyOrder.
End Lookup.
