(* doc/certificate.md, "Gates": ramps with several raw inputs, in one format, terms added in any order.

   tree_error     any tree of n rounded additions is off by at most ((1+u)^(n-1) - 1) times the sum of sizes
   fused_ramp     a ramp whose terms are off by at most a half together, rounding included, is exactly 0 or 1
   or_exact, xor_exact, exclusive_conjunction     gates of exact Booleans, and the second half of the lemma about
     sums
   exclusive_tree                                 a sum of Booleans that exclude each other is exact, in any order *)
From Coq Require Import ZArith Reals Lia Lra Psatz List Bool Arith.
From Flocq Require Import Core.
From Temper Require Import Rows Format Sums Ramp Gates Exact.
Import ListNotations.
Local Open Scope R_scope.

Section Fused.
Variable f : format.
Notation u := (u f).
Lemma leaves_pos (t : tree) : (1 <= length (leaves t))%nat.
Proof. induction t; simpl; [lia|]. rewrite app_length. lia. Qed.
Lemma sum_app_abs a b : sum Rabs (a ++ b) = sum Rabs a + sum Rabs b.
Proof. induction a; simpl; lra. Qed.
Lemma total_two a b : total (a ++ b) = total a + total b.
Proof. unfold total. induction a; simpl; lra. Qed.
Lemma total_abs l : Rabs (total l) <= sum Rabs l.
Proof.
  unfold total. induction l as [|a l IH]; cbn [sum]. rewrite Rabs_R0; lra.
  eapply Rle_trans; [apply Rabs_triang|]. now apply Rplus_le_compat_l.
Qed.
Theorem tree_error t : (forall w, In w (leaves t) -> number f w) ->
  Rabs (computed f t - total (leaves t)) <= ((1 + u) ^ (length (leaves t) - 1) - 1) * sum Rabs (leaves t).
Proof.
  assert (U := u_pos f). induction t as [w|l IHl r IHr]; intros H.
  - simpl. unfold total. simpl. rewrite Rplus_0_r, Rminus_diag_eq, Rabs_R0 by auto. lra.
  - cbn [leaves computed] in *. assert (Hl : forall w, In w (leaves l) -> number f w) by (intros; apply H, in_or_app;
    auto).
    assert (Hr : forall w, In w (leaves r) -> number f w) by (intros; apply H, in_or_app; auto).
    specialize (IHl Hl). specialize (IHr Hr). assert (Pl := leaves_pos l). assert (Pr := leaves_pos r).
    rewrite app_length, sum_app_abs, total_two.
    assert (Al := total_abs (leaves l)). assert (Ar := total_abs (leaves r)).
    set (A := sum Rabs (leaves l)) in *. set (B := sum Rabs (leaves r)) in *.
    set (cl := computed f l) in *. set (cr := computed f r) in *. set (tl := total (leaves l)) in *.
      set (tr := total (leaves r)) in *.
    assert (Nl : number f cl) by (now apply computed_number). assert (Nr : number f cr) by (now apply
      computed_number).
    assert (A0 : 0 <= A) by (eapply Rle_trans; [apply Rabs_pos|apply Al]).
      assert (B0 : 0 <= B) by (eapply Rle_trans; [apply Rabs_pos|apply Ar]).
    assert (X := add_relative f cl cr Nl Nr).
    set (gl := (1 + u) ^ (length (leaves l) - 1)) in *. set (gr := (1 + u) ^ (length (leaves r) - 1)) in *.
    assert (Cl : Rabs cl <= gl * A).
    { replace cl with ((cl - tl) + tl) by ring. eapply Rle_trans; [apply Rabs_triang|]. lra. }
    assert (Cr : Rabs cr <= gr * B).
    { replace cr with ((cr - tr) + tr) by ring. eapply Rle_trans; [apply Rabs_triang|]. lra. }
    assert (Xu : u * Rabs (cl + cr) <= u * (gl * A + gr * B)).
    { apply Rmult_le_compat_l. lra. eapply Rle_trans; [apply Rabs_triang|]. lra. }
    set (G := (1 + u) ^ (length (leaves l) + length (leaves r) - 1)).
    assert (Gl : (1 + u) * gl <= G).
    { change ((1 + u) * gl) with ((1 + u) ^ S (length (leaves l) - 1)). apply Rle_pow; [lra|lia]. }
    assert (Gr : (1 + u) * gr <= G).
    { change ((1 + u) * gr) with ((1 + u) ^ S (length (leaves r) - 1)). apply Rle_pow; [lra|lia]. }
    assert (D1 : (1 + u) * gl * A <= G * A) by (now apply Rmult_le_compat_r).
    assert (D2 : (1 + u) * gr * B <= G * B) by (now apply Rmult_le_compat_r).
    replace (rnd f (cl + cr) - (tl + tr)) with ((rnd f (cl + cr) - (cl + cr)) + ((cl - tl) + (cr - tr))) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. eapply Rle_trans; [apply Rplus_le_compat_l, Rabs_triang|]. lra.
Qed.

(* ideal: the sum with the Booleans that the raw inputs stand for; it is at most c - 1/2 or at least c + 3/2 *)
Theorem fused_ramp t (k : Z) ideal : let c := IZR k / 2 in
  (forall w, In w (leaves t) -> number f w) -> (0 < k)%Z ->
  computed f t < bpow radix2 (prec f - 1) ->
  Rabs (total (leaves t) - ideal) + ((1 + u) ^ (length (leaves t) - 1) - 1) * sum Rabs (leaves t) <= / 2 ->
  (ideal <= c - / 2 -> Ramp.ramp f (computed f t) c = 0) /\ (c + 3 / 2 <= ideal -> Ramp.ramp f (computed f t) c = 1).
Proof.
  intros c Hn Hk Hs He. assert (E := tree_error t Hn). assert (N : number f (computed f t)) by now apply
    computed_number.
  assert (B : Rabs (computed f t - ideal) <= / 2).
  { replace (computed f t - ideal) with ((computed f t - total (leaves t)) + (total (leaves t) - ideal)) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. lra. }
  apply Rabs_le_inv in B. destruct (ramp_exact f (computed f t) k N Hs Hk) as [R0 R1]. fold c in R0, R1.
  split; intros H; [apply R0|apply R1]; lra.
Qed.
End Fused.

Lemma exact_sum ls : (forall l, In l ls -> actual l = one (meant l)) -> s ls + negs ls = INR (holding ls).
Proof.
  intros H. unfold s, negs, holding. induction ls as [|l ls IH]. simpl; lra.
  assert (IH' := IH (fun x Hx => H x (or_intror Hx))). assert (Hl := H l (or_introl eq_refl)). cbn [sum filter].
  unfold signed at 1. unfold holds at 1. rewrite Hl. unfold one.
  destruct (negated l), (meant l); cbn [negb length]; rewrite ?S_INR; lra.
Qed.
Theorem or_exact ls : (forall l, In l ls -> actual l = one (meant l)) ->
  Gates.relu (s ls + negs ls * 1) - Gates.relu (s ls + (negs ls - 1) * 1) = one (existsb holds ls).
Proof.
  intros H. assert (E := exact_sum ls H). unfold Gates.relu. destruct (existsb holds ls) eqn:X.
  - apply holding_some in X. assert (Y : 1 <= INR (holding ls)) by (change 1 with (INR 1); apply le_INR; lia).
    rewrite !Rmax_right by lra. unfold one. lra.
  - assert (Z : holding ls = 0%nat) by (destruct (holding ls) eqn:Z; auto;
      assert (existsb holds ls = true) by (apply holding_some; lia); congruence).
    rewrite Z in E. simpl in E. rewrite Rmax_right, Rmax_left by lra. unfold one. lra.
Qed.
Theorem xor_exact a b : Gates.relu (one a + one b) - 2 * Gates.relu (one a + one b - 1) = one (xorb a b).
Proof.
  unfold Gates.relu, one. destruct a, b; simpl; repeat first [rewrite Rmax_right by lra | rewrite Rmax_left by lra];
    lra.
Qed.
(* no two of them are 0: their sum less m - 1 is their conjunction *)
Theorem exclusive_conjunction bs : exclusive (map negb bs) -> sum one bs - (INR (length bs) - 1) = one (forallb (fun
  b => b) bs).
Proof.
  intros H. assert (E := exclusive_sum _ H).
  assert (S1 : sum one (map negb bs) = INR (length bs) - sum one bs).
  { clear. induction bs as [|b bs IH]; cbn [map sum length]. simpl; lra. rewrite S_INR, IH.
    destruct b; unfold one; simpl; lra. }
  assert (S2 : existsb (fun b => b) (map negb bs) = negb (forallb (fun b => b) bs)).
  { clear. induction bs as [|b bs IH]; simpl; auto. rewrite IH. now destruct b. }
  rewrite S1, S2 in E. destruct (forallb (fun b => b) bs); unfold one in *; simpl in E; lra.
Qed.
(* in floating point: every partial sum is 0 or 1, so any tree of rounded additions gives the disjunction *)
Theorem exclusive_tree f bs t : exclusive bs -> leaves t = map one bs -> computed f t = one (existsb (fun b => b) bs).
Proof.
  intros H El. assert (Ab : sum Rabs (map one bs) = sum one bs).
  { rewrite sum_map. apply sum_ext. intros b _. apply Rabs_pos_eq. unfold one. destruct b; simpl; lra. }
  assert (S1 := exclusive_sum bs H). destruct (exact_tree f 0 t) as [E _].
  - generalize (emin_neg f) (prec_ge_2 f); lia.
  - intros w Hw. rewrite El in Hw. apply in_map_iff in Hw. destruct Hw as (b & <- & _). exists (if b then 1 else 0)%Z.
    unfold one. destruct b; simpl; lra.
  - rewrite El, Ab, S1. apply Rle_trans with (bpow radix2 0). unfold one. destruct existsb; simpl; lra. apply bpow_le.
    generalize (prec_ge_2 f); lia.
  - rewrite E, El. unfold total. rewrite sum_map. exact S1.
Qed.
