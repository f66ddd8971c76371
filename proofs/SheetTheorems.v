(* What prover and auditor compute is what the theorems are about: the lines of src/number/heads.sheet, which
   scripts/sheet-to-coq.py prints as Sheet.v. Here: softmax rows, nearest heads, look-up heads.

   sheet_counts          ones are counted exactly
   sheet_sum             the weights of a row add up to at most 1 + leak(R), ascending
   sheet_row_ascending, sheet_row_any     error(R) of the theorems
   sheet_pick_range      no difference of logits overflows
   sheet_nearest, sheet_nearest_any       a nearest head, from the error of its logits on
   sheet_lookup, sheet_lookup_any         a look-up head, from the error of its logits on

   Lines: subnormal_loss, more, less, growth, leak_all, leak, stored, row_one, row_above, row_zero, row_error,
     ones_counted,
   pick_ratio, pick_rest, pick_error, pick_range. *)
From Coq Require Import ZArith Reals Lia Lra Psatz List Bool.
From Flocq Require Import Core.
From Temper Require Import Rows Heads Format Sums Nearest NearestAny Rounding Exact FloatRun LookupHead Sheet
  SheetTyped.
Import ListNotations.
Local Open Scope R_scope.

Ltac open_rows := unfold Sheet.row_error, Sheet.row_one, Sheet.row_above, Sheet.row_zero, Sheet.leak, Sheet.leak_all,
  Sheet.stored, Sheet.growth, Sheet.more, Sheet.less, Sheet.pick_error, Sheet.pick_rest, Sheet.pick_ratio,
  Sheet.subnormal_loss, Sheet.log_M; fields.

Section Rows.
Variables fs fa : format.
Variable ord : order.
Variable M : nat.
Variable x : Sheet.head.
Notation head := (typed fs fa ord M x).

Theorem sheet_counts : Sheet.ones_counted head <-> (Z.of_nat M <= 2 ^ prec fa)%Z.
Proof.
  unfold Sheet.ones_counted. fields. assert (P := prec_ge_2 fa). rewrite Z2Nat.id by lia.
  rewrite INR_IZR_INZ, <- IZR_Zpower by lia. change (radix_val radix2) with 2%Z. split.
  - intros H. now apply le_IZR.
  - intros H. now apply IZR_le.
Qed.

(* ---- how much more than 1 the weights of a row add up to ---- *)
Lemma asc_grows ws : weights fa ws -> forall s, number fa s -> 0 <= s ->
  0 <= asc fa s ws <= (1 + u fa) ^ length ws * (s + total ws).
Proof.
  assert (U := u_pos fa). induction ws as [|w ws IH]; intros W s Ns S0; unfold total in *; cbn [asc length pow sum].
  - lra.
  - destruct (W w (or_introl eq_refl)) as [Nw W0]. assert (Ww : weights fa ws) by (intros y Hy; apply W; now right).
    assert (R0 : 0 <= rnd fa (s + w)) by (apply rnd_ge; [apply number_0|lra]).
    destruct (IH Ww (rnd fa (s + w)) (rnd_number fa _) R0) as [A B]. split; auto. eapply Rle_trans; [apply B|].
    assert (X := add_relative fa s w Ns Nw). rewrite (Rabs_pos_eq (s + w)) in X by lra. apply Rabs_le_inv in X.
    assert (T0 : 0 <= sum (fun y => y) ws) by (apply sum_nonneg; intros y Hy; now destruct (Ww y Hy)).
    set (t := sum (fun y => y) ws) in *. assert (P : 1 <= (1 + u fa) ^ length ws) by (apply pow_R1_Rle; lra).
    replace ((1 + u fa) * (1 + u fa) ^ length ws * (s + (w + t))) with ((1 + u fa) ^ length ws * ((1 + u fa) * (s + w
      + t))) by ring.
    apply Rmult_le_compat_l. lra. nra.
Qed.
(* ascending; R bounds all weights but one, which is 1 *)
Theorem sheet_sum before after R : ord = Ascending -> weights fa before -> weights fa after ->
  (length (before ++ 1%R :: after) <= M)%nat -> total before + total after <= R ->
  1 <= asc fa 0 (before ++ 1 :: after) <= 1 + Sheet.leak head R.
Proof.
  intros O Wb Wa L T. assert (A := lemma1_ascending fa before after Wb Wa).
  assert (U := u_pos fa). split. lra. open_rows. rewrite O. cbn [is_ascending].
  assert (Tb : 0 <= total before) by (unfold total; apply sum_nonneg; intros y Hy; now destruct (Wb y Hy)).
  assert (Ta : 0 <= total after) by (unfold total; apply sum_nonneg; intros y Hy; now destruct (Wa y Hy)).
  assert (G : asc fa 0 (before ++ 1 :: after) <= (1 + u fa) ^ M * (1 + R)).
  { assert (W : weights fa (before ++ 1 :: after)).
    { intros y Hy. apply in_app_or in Hy. destruct Hy as [Hy|[<-|Hy]]; auto. split. apply number_1. lra. }
    destruct (asc_grows _ W 0 (number_0 fa) ltac:(lra)) as [_ B]. eapply Rle_trans; [apply B|].
    assert (E : total (before ++ 1 :: after) = total before + (1 + total after)) by (rewrite total_app; unfold total;
      cbn [sum]; lra).
    rewrite E. apply Rmult_le_compat; try lra. apply pow_le; lra. apply Rle_pow; [lra|exact L]. }
  destruct (Sheet.close x); [|lra]. apply Rle_trans with (1 + Rmin (4 * R) ((1 + R) * (1 + u fa) ^ M - 1)); [|lra].
  unfold Rmin. destruct Rle_dec; lra.
Qed.

(* ---- error(R) ---- *)
Theorem sheet_row_ascending R : ord = Ascending -> Sheet.close x = false ->
  Sheet.row_error head R = error fs fa (4 * R) (4 * stored_leak fs fa R (INR M)).
Proof.
  intros O C. open_rows. rewrite O, C. cbn [is_ascending]. unfold error, error1, error2, error3, stored_leak.
  destruct (same_format fs fa); f_equal; f_equal; ring.
Qed.
Theorem sheet_row_any R : ord = AnyOrder -> fs = fa -> Sheet.close x = false -> 0 <= R ->
  Sheet.row_error head R = error_row fa M R.
Proof.
  intros O F C P. open_rows. rewrite O, C. cbn [is_ascending]. unfold error_row, u_stored.
  rewrite (same_refl fs fa F), F. set (g := (1 + u fa) ^ (4 * M)).
  assert (G : 0 <= g) by (apply pow_le; generalize (u_pos fa); lra).
  assert (T := tiny_pos fa). assert (U := u_pos fa).
  assert (0 <= 2 * R * g) by (apply Rmult_le_pos; lra).
  rewrite (Rmax_right 0) by nra.
  replace (2 * g * R) with (2 * R * g) by ring. f_equal. f_equal. f_equal. ring. ring.
Qed.
(* no difference of two logits overflows: sizes `most`, and `room` for a unit in the last place *)
Theorem sheet_pick_range most room (l k : R) : Sheet.pick_range head most room -> Rabs l <= most + room ->
  Rabs k <= most + room -> Rabs (rnd fa (l - k)) <= top fa.
Proof.
  unfold Sheet.pick_range. fields. intros H L K. apply abs_rnd_le. apply (top_format fa).
  eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. lra.
Qed.
(* error(R) grows with R *)
Lemma div_mono a b c : 0 < a -> a <= b -> 0 <= c -> c / b <= c / a.
Proof. intros A B C. apply Rmult_le_compat_l; auto. now apply Rinv_le_contravar. Qed.
Lemma error_mono L L' S S' : 0 <= L <= L' -> 0 <= S <= S' -> error fs fa L S <= error fs fa L' S'.
Proof.
  intros HL HS. assert (Ua := u_pos fa). assert (Uh := u_le_half fa). assert (Us := u_stored_range fs fa).
  unfold error, error1, error2, error3.
  assert (P : 0 <= (1 + u fa) * (1 + u_stored fs fa)) by (apply Rmult_le_pos; lra).
  assert (A : 1 - (1 - u fa) * (1 - u_stored fs fa) / (1 + L) <= 1 - (1 - u fa) * (1 - u_stored fs fa) / (1 + L')).
  { assert (D := div_mono (1 + L) (1 + L') ((1 - u fa) * (1 - u_stored fs fa)) ltac:(lra) ltac:(lra)).
    specialize (D ltac:(apply Rmult_le_pos; lra)). lra. }
  assert (B : S * (1 + u fa) * (1 + u_stored fs fa) <= S' * (1 + u fa) * (1 + u_stored fs fa)).
  { rewrite !Rmult_assoc. apply Rmult_le_compat_r; lra. }
  assert (D : (if same_format fs fa then 0 else (1 + S) * (1 + u fa) * (1 + u_stored fs fa) - 1) <=
    (if same_format fs fa then 0 else (1 + S') * (1 + u fa) * (1 + u_stored fs fa) - 1)).
  { destruct (same_format fs fa). lra. assert ((1 + S) * ((1 + u fa) * (1 + u_stored fs fa)) <= (1 + S') * ((1 + u
    fa) * (1 + u_stored fs fa)))
      by (apply Rmult_le_compat_r; lra). lra. }
  apply Rmax_lub; [eapply Rle_trans; [apply A|apply Rmax_l]|].
  eapply Rle_trans; [|apply Rmax_r]. apply Rmax_lub; [eapply Rle_trans; [apply D|apply Rmax_l]|].
  eapply Rle_trans; [|apply Rmax_r]. lra.
Qed.
End Rows.

(* ---- nearest and look-up heads ---- *)
Section Picks.
Variables fs fa : format.
Hypothesis incl : forall y, number fs y -> number fa y.
Hypothesis fine : fs = fa \/ 2 * tiny fa <= tiny fs.
Variable E : R -> R.
Hypothesis HE : exp_model fa E.
Variable M : nat.
Variable x : Sheet.head.
Hypothesis open : Sheet.close x = false.
Notation kappa := (Sheet.kappa x).
Notation far := (typed fs fa Ascending M x).
Notation any := (typed fa fa AnyOrder M x).
Let q := exp (- (kappa * (1 - u fa))).

Lemma pick_any eta sides : Sheet.pick_rest any eta sides =
  (1 + 2 * u fa) * exp (2 * eta) * (sides * (q / (1 - q))) + 2 * INR M ^ 2 * tiny fa.
Proof. open_rows. fold q. f_equal. ring. Qed.
Lemma pick_far eta sides : Sheet.pick_rest far eta sides =
  (1 + 2 * u fa) * exp (2 * eta) * (sides * (q / (1 - q))) + INR M * tiny fa.
Proof. open_rows. reflexivity. Qed.
Lemma q_part sides : 0 < kappa -> 0 <= sides -> 0 <= sides * (q / (1 - q)).
Proof.
  intros K S. assert (Uh := u_le_half fa). assert (Q := exp_neg_lt_1 (kappa * (1 - u fa))). unfold q.
  assert (0 < kappa * (1 - u fa)) by (apply Rmult_lt_0_compat; lra). specialize (Q H). apply Rmult_le_pos; auto.
  apply Rmult_le_pos. left; apply exp_pos. left. apply Rinv_0_lt_compat. lra.
Qed.
(* what rows of fewer keys leave is less *)
Lemma row_grows R R' n : 0 <= R <= R' -> (n <= M)%nat ->
  error fs fa (4 * R) (4 * stored_leak fs fa R (INR n)) <= error fs fa (4 * R') (4 * stored_leak fs fa R' (INR M)).
Proof.
  intros HR HN. assert (Us := u_pos fs). assert (Ts := tiny_pos fs). assert (n0 := pos_INR n). apply le_INR in HN.
  apply error_mono. lra. unfold stored_leak. destruct (same_format fs fa). lra.
  assert (0 <= INR n * tiny fs) by (apply Rmult_le_pos; lra).
  assert (INR n * tiny fs <= INR M * tiny fs) by (apply Rmult_le_compat_r; lra).
  assert (0 <= (1 + u fs) * R) by (apply Rmult_le_pos; lra).
  assert ((1 + u fs) * R <= (1 + u fs) * R') by (apply Rmult_le_compat_l; lra). lra.
Qed.

Section Ascending.
Variables (K0 K1 : list nat) (js : nat) (logit ideal : nat -> R) (eta : R) (v : nat -> bool).
Let J := K0 ++ K1.
Hypothesis few : (length J <= M)%nat.
Hypothesis logit_number : forall j, number fa (logit j).
Hypothesis off : forall j, In j (js :: J) -> Rabs (logit j - ideal j) <= eta.
Hypothesis kappa_pos : 0 < kappa.
Let w j := E (rnd fa (logit j - logit js)).
Let sw j := if v j then rnd fs (w j) else 0.
Let out := quotient fs fa (asc fa 0 (map sw K0 ++ (if v js then 1 else 0) :: map sw K1)) (asc fa 0 (map w K0 ++ 1 ::
  map w K1)).

(* each loser has a distance of its own *)
Theorem sheet_nearest (d : nat -> nat) : (forall j, In j J -> (1 <= d j)%nat /\ kappa * INR (d j) <= ideal js - ideal
  j) ->
  NoDup (map d J) -> 4 * Sheet.pick_rest far eta 1 <= 1 ->
  Rabs (out - (if v js then 1 else 0)) <= Sheet.pick_error far eta 1.
Proof.
  intros G D S. rewrite pick_far in S. assert (T := tiny_pos fa). assert (U := u_pos fa). assert (N := le_INR _ _
    few).
  assert (Q := q_part 1 kappa_pos ltac:(lra)). rewrite Rmult_1_l in *. set (part := q / (1 - q)) in *.
  assert (Ls : INR (length J) * tiny fa <= INR M * tiny fa) by (apply Rmult_le_compat_r; lra).
  assert (L0 : 0 <= INR (length J) * tiny fa) by (apply Rmult_le_pos; [apply pos_INR|lra]).
  assert (P0 : 0 <= (1 + 2 * u fa) * exp (2 * eta) * part).
  { apply Rmult_le_pos; auto. apply Rmult_le_pos. lra. left; apply exp_pos. }
  assert (NA := nearest_ascending fs fa incl fine E HE K0 K1 js logit ideal eta kappa d v logit_number off kappa_pos
    G D).
  unfold leak_bound in NA. fold q J part in NA. specialize (NA ltac:(lra)). cbv zeta in NA.
  eapply Rle_trans; [apply NA|]. unfold Sheet.pick_error. rewrite (sheet_row_ascending fs fa Ascending M x _ eq_refl
    open), pick_far.
  rewrite Rmult_1_l. fold part. apply row_grows; auto. lra.
Qed.
(* each distance from the peak occurs at most twice *)
Theorem sheet_lookup (num : nat -> nat) : NoDup (map num (js :: J)) ->
  (forall j, In j J -> kappa * Rabs (INR (num j) - INR (num js)) <= ideal js - ideal j) -> 2 * eta < kappa ->
  4 * Sheet.pick_rest far eta 2 <= 1 -> Rabs (out - (if v js then 1 else 0)) <= Sheet.pick_error far eta 2.
Proof.
  intros D G H S. rewrite pick_far in S. assert (T := tiny_pos fa). assert (U := u_pos fa). assert (N := le_INR _ _
    few).
  assert (Q := q_part 2 kappa_pos ltac:(lra)). set (part := 2 * (q / (1 - q))) in *.
  assert (Ls : INR (length J) * tiny fa <= INR M * tiny fa) by (apply Rmult_le_compat_r; lra).
  assert (L0 : 0 <= INR (length J) * tiny fa) by (apply Rmult_le_pos; [apply pos_INR|lra]).
  assert (P0 : 0 <= (1 + 2 * u fa) * exp (2 * eta) * part).
  { apply Rmult_le_pos; auto. apply Rmult_le_pos. lra. left; apply exp_pos. }
  assert (NA := lookup_ascending fs fa incl fine E HE logit ideal eta kappa num J js logit_number kappa_pos off D G H
    K0 K1 v eq_refl).
  unfold lookup_leak in NA. fold q part in NA. specialize (NA ltac:(lra)). cbv zeta in NA.
  eapply Rle_trans; [apply NA|]. unfold Sheet.pick_error. rewrite (sheet_row_ascending fs fa Ascending M x _ eq_refl
    open), pick_far.
  fold part. apply row_grows; auto. lra.
Qed.
End Ascending.

Section AnyOrder.
Variables (J : list nat) (js : nat) (logit ideal : nat -> R) (eta : R) (v : nat -> R) (t : run) (y : R).
Hypothesis v_01 : forall j, v j = 0 \/ v j = 1.
Hypothesis few : (length J < M)%nat.
Hypothesis logit_number : forall j, number fa (logit j).
Hypothesis off : forall j, In j (js :: J) -> Rabs (logit j - ideal j) <= eta.
Hypothesis kappa_pos : 0 < kappa.
Hypothesis tree : summed fa E logit v (logit js) J (Some js) t y.
Hypothesis tree_ok : ok fa (logit js) t.
Let out := rnd fa (y / val fa E (logit js) t).

Lemma rest_pos sides : 0 <= sides -> 0 <= Sheet.pick_rest any eta sides.
Proof.
  intros S. rewrite pick_any. assert (U := u_pos fa). assert (T := tiny_pos fa). assert (Q := q_part sides kappa_pos
    S).
  apply Rplus_le_le_0_compat. apply Rmult_le_pos; auto. apply Rmult_le_pos. lra. left; apply exp_pos.
  apply Rmult_le_pos; [|lra]. apply Rmult_le_pos. lra. apply pow_le, pos_INR.
Qed.
Theorem sheet_nearest_any (d : nat -> nat) : (forall j, In j J -> (1 <= d j)%nat /\ kappa * INR (d j) <= ideal js -
  ideal j) ->
  NoDup (map d J) -> Sheet.leak_all any (Sheet.pick_rest any eta 1) <= 1 -> Rabs (out - v js) <= Sheet.pick_error any
    eta 1.
Proof.
  intros G D S. assert (P := rest_pos 1 ltac:(lra)). unfold Sheet.pick_error.
  rewrite (sheet_row_any fa fa AnyOrder M x _ eq_refl eq_refl open P). rewrite pick_any in *. rewrite Rmult_1_l in *.
  assert (NA := nearest_any fa E HE J js M logit ideal eta kappa d v t y v_01 logit_number off kappa_pos G D few tree
    tree_ok).
  unfold error_any, leak_any in NA. fold q in NA. apply NA. revert S. unfold Sheet.leak_all. fields. lra.
Qed.
Theorem sheet_lookup_any (num : nat -> nat) : NoDup (map num (js :: J)) ->
  (forall j, In j J -> kappa * Rabs (INR (num j) - INR (num js)) <= ideal js - ideal j) ->
  Sheet.leak_all any (Sheet.pick_rest any eta 2) <= 1 -> Rabs (out - v js) <= Sheet.pick_error any eta 2.
Proof.
  intros D G S. assert (P := rest_pos 2 ltac:(lra)). unfold Sheet.pick_error.
  rewrite (sheet_row_any fa fa AnyOrder M x _ eq_refl eq_refl open P). rewrite pick_any in *.
  assert (NA := lookup_any fa E HE logit ideal eta kappa num J js logit_number kappa_pos off D G M v t y v_01 few
    tree tree_ok).
  unfold lookup_leak in NA. fold q in NA. apply NA. revert S. unfold Sheet.leak_all. fields. lra.
Qed.
End AnyOrder.
End Picks.
