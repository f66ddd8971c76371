(* What prover and auditor compute is what the theorems are about: the lines of src/number/heads.sheet, which
   scripts/sheet-to-coq.py prints as Sheet.v, equal the bounds of the theorems about heads.

   sheet_row, sheet_pick        error(R), and R of a nearest head, in both orders
   sheet_once                   a once head, any order
   sheet_compare                the row of a comparison, in both orders
   once_within_sheet            once_any_out, said of the sheet *)
From Coq Require Import ZArith Reals Lia Lra Psatz List.
From Flocq Require Import Core.
From Temper Require Import Rows Format Sums Rounding Quantities FloatRun Nearest NearestAny CompareLogit CompareAny OnceTree OnceHead OnceAny SoundCompare Sheet.
Local Open Scope R_scope.

Section Typed.
Variables fs fa : format.
Variable ord : order.
Variable M : nat.
Let ascending := match ord with Ascending => true | AnyOrder => false end.

(* the sheet with the numbers of a type, M positions, and a head of sharpness kappa whose logits are at most X *)
Definition typed (kappa X : R) : Sheet.head := {|
  Sheet.known := ascending; Sheet.ascending := ascending; Sheet.equal := same_format fs fa; Sheet.close := false;
  Sheet.scaled := true; Sheet.anywhere := false; Sheet.lone := false;
  Sheet.M := M; Sheet.p_a := Z.to_nat (prec fa); Sheet.p_s := Z.to_nat (prec fs); Sheet.parts := 0;
  Sheet.r_0 := 0; Sheet.r_1 := 0; Sheet.r_2 := 0; Sheet.terms := 0; Sheet.grid := 0;
  Sheet.u_a := u fa; Sheet.u_s := u fs; Sheet.u_r := u_stored fs fa; Sheet.u_f := u fs; Sheet.u_l := u fa;
  Sheet.v := v64; Sheet.t_a := tiny fa; Sheet.t_s := tiny fs; Sheet.m_a := least fa; Sheet.m_s := least fs;
  Sheet.F_a := top fa; Sheet.F_s := top fs; Sheet.kappa := kappa; Sheet.X := X;
  Sheet.W := 0; Sheet.W_l := 0; Sheet.W_e := 0; Sheet.W_t := 0; Sheet.W_o := 0; Sheet.e_u := 0; Sheet.raw := 0 |}.

Ltac open_sheet := unfold Sheet.row_error, Sheet.row_one, Sheet.row_above, Sheet.row_zero, Sheet.leak, Sheet.leak_all,
  Sheet.stored, Sheet.more, Sheet.less, Sheet.pick_rest, Sheet.pick_ratio, Sheet.subnormal_loss, Sheet.log_M; cbn [typed
  Sheet.known Sheet.ascending Sheet.equal Sheet.close Sheet.M Sheet.p_a Sheet.u_a Sheet.u_s Sheet.u_r Sheet.v
  Sheet.t_a Sheet.t_s Sheet.kappa Sheet.X].

Theorem sheet_row_ascending kappa X rest : ord = Ascending ->
  Sheet.row_error (typed kappa X) rest = error fs fa (4 * rest) (4 * stored_leak fs fa rest (INR M)).
Proof.
  intros O. unfold typed, ascending. rewrite O. open_sheet. unfold error, error1, error2, error3, stored_leak.
  destruct (same_format fs fa); f_equal; f_equal; ring.
Qed.
Theorem sheet_row_any kappa X rest : ord = AnyOrder -> fs = fa -> 0 <= rest ->
  Sheet.row_error (typed kappa X) rest = error_row fa M rest.
Proof.
  intros O F P. unfold typed, ascending. rewrite O. open_sheet. unfold error_row, u_stored.
  rewrite (same_refl fs fa F), F. set (g := (1 + u fa) ^ (4 * M)).
  assert (G : 0 <= g) by (apply pow_le; generalize (u_pos fa); lra).
  assert (T := tiny_pos fa). assert (U := u_pos fa).
  assert (0 <= 2 * rest * g) by (apply Rmult_le_pos; lra).
  rewrite (Rmax_right 0) by nra.
  replace (2 * g * rest) with (2 * rest * g) by ring. f_equal. f_equal. f_equal. ring. ring.
Qed.
Theorem sheet_pick_any kappa X eta : ord = AnyOrder ->
  Sheet.pick_rest (typed kappa X) eta 1 = leak_any fa M eta kappa.
Proof. intros O. unfold typed, ascending. rewrite O. open_sheet. unfold leak_any. cbv zeta. ring. Qed.
Theorem sheet_pick_ascending kappa X eta (K0 K1 : list nat) : ord = Ascending -> (length (K0 ++ K1) <= M)%nat ->
  leak_bound fa K0 K1 eta kappa <= Sheet.pick_rest (typed kappa X) eta 1.
Proof.
  intros O L. unfold typed, ascending. rewrite O. open_sheet. unfold leak_bound.
  assert (N := le_INR _ _ L). assert (T := tiny_pos fa).
  assert (INR (length (K0 ++ K1)) * tiny fa <= INR M * tiny fa) by (apply Rmult_le_compat_r; lra). lra.
Qed.

Theorem sheet_compare_off kappa X : Sheet.compare_off (typed kappa X) = compare_eps fs fa.
Proof. unfold Sheet.compare_off, compare_eps. open_sheet. ring. Qed.
Theorem sheet_compare X : Sheet.sentinel_rest (typed 8 X) (8 * (1 - compare_eps fs fa)) (compare_eps fs fa) =
  compare_rest fs fa ord M.
Proof.
  unfold Sheet.sentinel_rest, compare_rest, typed, ascending. open_sheet. set (e := compare_eps fs fa).
  replace (e * ln (INR M) - 8 * (1 - e) + 2 * tiny fa) with (- (8 * (1 - e)) + 2 * tiny fa + e * ln (INR M)) by ring.
  rewrite exp_plus. destruct ord; ring.
Qed.
Theorem sheet_compare_false X : (ord = AnyOrder -> fs = fa) ->
  Sheet.sentinel_lost (typed 8 X) (8 * (1 - compare_eps fs fa)) (compare_eps fs fa) = compare_error_false fs fa ord M.
Proof.
  intros F. unfold Sheet.sentinel_lost, Sheet.sentinel_above, Sheet.sentinel_below. rewrite sheet_compare.
  open_sheet. unfold compare_error_false, compare_low. fold (compare_low fa M). destruct ord.
  - f_equal. f_equal. ring.
  - unfold u_stored. rewrite same_refl by now apply F. f_equal. f_equal. ring.
Qed.
Theorem sheet_counts kappa X : Sheet.ones_counted (typed kappa X) <-> (Z.of_nat M <= 2 ^ prec fa)%Z.
Proof.
  unfold Sheet.ones_counted. open_sheet. assert (P := prec_ge_2 fa). rewrite Z2Nat.id by lia.
  rewrite INR_IZR_INZ, <- IZR_Zpower by lia. change (radix_val radix2) with 2%Z. split.
  - intros H. now apply le_IZR.
  - intros H. now apply IZR_le.
Qed.
End Typed.

Section Once.
Variable f : format.
Variables (M : nat) (C : R).
Let x := typed f f AnyOrder M C (ln (INR M) + C).
Theorem sheet_once : Sheet.once_error x = once_any_error f M C.
Proof.
  unfold Sheet.once_error, Sheet.once_any, Sheet.once_rest, Sheet.once_losers, Sheet.once_loser, Sheet.once_kept,
    Sheet.once_exps, Sheet.once_winner, Sheet.subnormal_loss, Sheet.log_M, x, typed.
  cbn [Sheet.known Sheet.ascending Sheet.M Sheet.u_a Sheet.u_s Sheet.v Sheet.t_a Sheet.kappa Sheet.X].
  unfold once_any_error, once_any_sigma, once_any_w, once_any_eps.
  set (k := (1 - u f) ^ 2 * (1 - u f) ^ 5 * (1 - v64) ^ 4).
  replace ((1 - u f) ^ 2 * ((1 - u f) ^ 5 * (1 - v64) ^ 4)) with k by (unfold k; ring).
  replace (1 - (1 - k)) with k by ring.
  replace (2 * tiny f - k * (ln (INR M) + C)) with (- (k * (ln (INR M) + C)) + 2 * tiny f) by ring.
  replace (2 * INR M * (INR M * tiny f)) with (2 * INR M ^ 2 * tiny f) by ring. reflexivity.
Qed.

(* a once head of any run in any order is within the error that the sheet says *)
Variable E : R -> R.
Hypothesis HE : exp_model f E.
Hypothesis C_range : 1 <= C <= 16.
Theorem once_within_sheet n K (c : nat -> bool) logit lam y :
  (8 <= prec f <= 53)%Z -> 8 * tiny f <= u f -> Sheet.once_error x <= / 4 -> (0 < n <= M)%nat -> (length K <= n)%nat ->
  NoDup K -> expression f (ln (INR n) + C) lam -> (forall j, number f (logit j)) ->
  (forall j, In j K -> Rabs (logit j - (if c j then lam else 0)) <= ulp radix2 (FLT_exp (emin f) (prec f)) (if c j
    then lam else 0)) ->
  softmax_row f f E AnyOrder logit (fun j => if c j then 1 else 0) K y ->
  ((forall j, In j K -> c j = false) -> y = 0) /\
  (forall j, In j K -> c j = true -> Rabs (y - 1) <= Sheet.once_error x /\ 0 <= y).
Proof.
  rewrite sheet_once. intros P T Q. apply (once_any_out f E HE M C C_range). now repeat split.
Qed.
End Once.
