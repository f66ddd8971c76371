(* doc/theory.md, "Gates" and "Sums of what excludes each other": gates of any number of literals over the reals,
  with raw inputs. *)
From Coq Require Import Reals List Lia Lra Psatz Bool Arith.
From Temper Require Import Rows.
Import ListNotations.
Local Open Scope R_scope.

Definition relu x := Rmax 0 x.
Definition ramp t := relu (2 * t - / 2) - relu (2 * t - 3 / 2).
Lemma ramp_low t : t <= / 4 -> ramp t = 0.
Proof. intros. unfold ramp, relu. rewrite !Rmax_left by lra. lra. Qed.
Lemma ramp_high t : 3 / 4 <= t -> ramp t = 1.
Proof. intros. unfold ramp, relu. rewrite !Rmax_right by lra. lra. Qed.

(* a literal: negated or not, the number that is there, the Boolean that it stands for, how far it may be off *)
Record literal := { negated : bool; actual : R; meant : bool; off : R }.
Definition holds l := if negated l then negb (meant l) else meant l.
Definition signed l := if negated l then - actual l else actual l.
Definition one (b : bool) : R := if b then 1 else 0.
Definition near l := Rabs (actual l - one (meant l)) <= off l.
Definition s ls := sum signed ls.
Definition plain ls := INR (length (filter (fun l => negb (negated l)) ls)).         (* P *)
Definition negs ls := INR (length (filter negated ls)).                              (* Q *)
Definition holding ls := length (filter holds ls).

Lemma count ls : plain ls + negs ls = INR (length ls).
Proof.
  unfold plain, negs. rewrite <- plus_INR. f_equal. induction ls as [|l ls IH]; simpl; auto.
    destruct (negated l); simpl; lia.
Qed.
Lemma sum_near ls : (forall l, In l ls -> near l) -> Rabs (s ls + negs ls - INR (holding ls)) <= sum off ls.
Proof.
  induction ls as [|l ls IH]; intros H.
  - unfold s, negs, holding. simpl. rewrite Rabs_right; lra.
  - assert (IH' := IH (fun x Hx => H x (or_intror Hx))). assert (Hl := H l (or_introl eq_refl)). unfold near in Hl.
    assert (E : s (l :: ls) + negs (l :: ls) - INR (holding (l :: ls)) = (signed l + one (negated l) - one (holds l))
      + (s ls + negs ls - INR (holding ls))).
    { unfold s, negs, holding. cbn [sum filter]. destruct (negated l), (holds l); cbn [length]; rewrite ?S_INR;
      unfold one; lra. }
    rewrite E. cbn [sum]. eapply Rle_trans. apply Rabs_triang. apply Rplus_le_compat; auto.
      eapply Rle_trans; [|apply Hl]. right.
    unfold signed, holds, one. destruct (negated l).
    + rewrite <- (Rabs_Ropp (actual l - _)). f_equal. destruct (meant l); simpl; lra.
    + f_equal. destruct (meant l); lra.
Qed.
Lemma holding_le ls : (holding ls <= length ls)%nat.
Proof. unfold holding. induction ls as [|l ls IH]; simpl; auto. destruct (holds l); simpl; lia. Qed.
Lemma holding_all ls : forallb holds ls = true <-> holding ls = length ls.
Proof.
  unfold holding. induction ls as [|l ls IH]; simpl. tauto. rewrite andb_true_iff, IH.
  assert (H := holding_le ls). unfold holding in H. destruct (holds l); simpl; split; intros; try lia; try (split;
    auto; lia); destruct H0; discriminate.
Qed.
Lemma holding_some ls : existsb holds ls = true <-> (0 < holding ls)%nat.
Proof. unfold holding. induction ls as [|l ls IH]; simpl. split; [discriminate|lia].
  destruct (holds l); simpl; [split; auto; lia|auto]. Qed.
Lemma abs_inv x y : Rabs x <= y -> - y <= x <= y.
Proof. intros H. generalize (Rle_abs x) (Rle_abs (- x)). rewrite Rabs_Ropp. lra. Qed.

(* on letters, where real = 1; k literals *)
Theorem and_gate ls : (forall l, In l ls -> near l) -> sum off ls <= / 4 ->
  ramp (s ls + (negs ls + 1) * 1 - INR (length ls)) = one (forallb holds ls).
Proof.
  intros H B. assert (X := abs_inv _ _ (sum_near ls H)). assert (L := holding_le ls).
  destruct (forallb holds ls) eqn:E.
  - apply holding_all in E. rewrite E in X. rewrite ramp_high; auto. lra.
  - assert (holding ls <> length ls) by (intro Y; apply holding_all in Y; congruence).
    assert (Y : INR (holding ls) + 1 <= INR (length ls)) by (rewrite <- S_INR; apply le_INR; lia).
      rewrite ramp_low; auto. lra.
Qed.
Theorem or_gate ls : (forall l, In l ls -> near l) -> sum off ls <= / 4 ->
  ramp (s ls + INR (length ls) * 1 - plain ls) = one (existsb holds ls).
Proof.
  intros H B. assert (X := abs_inv _ _ (sum_near ls H)). assert (C := count ls).
  destruct (existsb holds ls) eqn:E.
  - apply holding_some in E. assert (Y : 1 <= INR (holding ls)) by (change 1 with (INR 1); apply le_INR; lia).
    rewrite ramp_high; auto. lra.
  - assert (holding ls = 0%nat) by (destruct (holding ls) eqn:Z; auto; assert (existsb holds ls = true) by (apply
    holding_some; lia); congruence).
    rewrite H0 in X. simpl in X. rewrite ramp_low; auto. lra.
Qed.
Theorem xor_gate a b x y da db : Rabs (x - one a) <= da -> Rabs (y - one b) <= db -> da + db <= / 4 ->
  ramp (x + y + 2 * 1 - 2) - ramp (x + y + 2 * 1 - 3) = one (xorb a b).
Proof.
  intros Ha Hb B. apply abs_inv in Ha, Hb. destruct a, b; unfold one in *; simpl.
  - rewrite !ramp_high by lra. lra.
  - rewrite ramp_high, ramp_low by lra. lra.
  - rewrite ramp_high, ramp_low by lra. lra.
  - rewrite !ramp_low by lra. lra.
Qed.
(* on sentinels, where real = 0: whatever raw inputs in [0, 1] are, and exact inputs are 0 *)
Lemma s_sentinel ls : (forall l, In l ls -> 0 <= actual l <= 1) -> s ls <= plain ls.
Proof.
  intros H. unfold s, plain. induction ls as [|l ls IH]; cbn [sum filter]. simpl; lra.
  assert (IH' := IH (fun x Hx => H x (or_intror Hx))). assert (Hl := H l (or_introl eq_refl)). unfold signed at 1.
  destruct (negated l); cbn [negb]. lra. cbn [length]. rewrite S_INR. lra.
Qed.
Theorem gates_sentinel ls : (forall l, In l ls -> 0 <= actual l <= 1) ->
  ramp (s ls + (negs ls + 1) * 0 - INR (length ls)) = 0 /\ ramp (s ls + INR (length ls) * 0 - plain ls) = 0.
Proof.
  intros H. assert (X := s_sentinel ls H). assert (C := count ls). assert (0 <= negs ls) by apply pos_INR.
    split; apply ramp_low; lra.
Qed.
(* gates of exact Booleans *)
Theorem and_exact ls : (forall l, In l ls -> actual l = one (meant l)) -> ls <> [] ->
  relu (s ls + (1 - plain ls) * 1) = one (forallb holds ls).
Proof.
  intros H Ne. assert (X : Rabs (s ls + negs ls - INR (holding ls)) <= 0).
  { assert (Y := sum_near (map (fun l => {| negated := negated l; actual := actual l; meant := meant l; off := 0 |})
    ls)).
    unfold s, negs, holding in *. clear Ne. induction ls as [|l ls IH]. simpl. rewrite Rabs_right; lra.
    assert (Hl := H l (or_introl eq_refl)).
    assert (IH' : Rabs (sum signed ls + INR (length (filter negated ls)) - INR (length (filter holds ls))) <= 0).
    { apply IH. intros; apply H; now right. intros Z. apply sum_near in Z. exact Z. }
    cbn [sum filter]. assert (E : forall a b, Rabs a <= 0 -> b = a -> Rabs b <= 0) by (intros; subst; auto).
      eapply E; [apply IH'|].
    unfold signed at 1. unfold holds at 1. rewrite Hl. unfold one. destruct (negated l), (meant l); cbn [negb
      length]; rewrite ?S_INR; lra. }
  apply abs_inv in X. assert (C := count ls). assert (L := holding_le ls). destruct (forallb holds ls) eqn:E.
  - apply holding_all in E. rewrite E in X. unfold relu, one. rewrite Rmax_right; lra.
  - assert (holding ls <> length ls) by (intro Y; apply holding_all in Y; congruence).
    assert (Y : INR (holding ls) + 1 <= INR (length ls)) by (rewrite <- S_INR; apply le_INR; lia). unfold relu, one.
      rewrite Rmax_left; lra.
Qed.

(* Booleans no two of which are 1: their sum is their disjunction. The hypothesis holds of every part, so every
  partial sum is 0 or 1. *)
Definition exclusive (bs : list bool) := (length (filter (fun b => b) bs) <= 1)%nat.
Theorem exclusive_sum bs : exclusive bs -> sum one bs = one (existsb (fun b => b) bs).
Proof.
  unfold exclusive. induction bs as [|b bs IH]; simpl; auto. destruct b; simpl; intros H.
  - assert (Z : filter (fun b => b) bs = []) by (destruct (filter (fun b => b) bs); auto; simpl in H; lia).
    replace (sum one bs) with 0. change (one true) with 1. lra. clear - Z.
      induction bs as [|b bs IH]; simpl in *; auto. destruct b; [discriminate|]. rewrite <- IH by auto.
      change (one false) with 0. lra.
  - rewrite IH by auto. change (one false) with 0. lra.
Qed.
Lemma exclusive_part bs p : exclusive bs -> exclusive (firstn p bs).
Proof.
  unfold exclusive. intros H. eapply Nat.le_trans; [|apply H]. clear H. revert p.
  induction bs as [|b bs IH]; intros p; destruct p; simpl; try lia. destruct b; simpl; [|apply IH].
    specialize (IH p). lia.
Qed.
