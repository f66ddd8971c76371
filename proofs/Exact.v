(* Sums without rounding: doc/certificate.md, "Count" and "Gates" (exact units), and doc/theory.md, "Digits", claims
  2 to 4.

   exact_tree        any tree of additions of multiples of 2^e that are at most 2^(e+p) together is exact
   asc_exact         the same, ascending
   count_exact       counts of Booleans, in any order
   mean_error        a mean of exact sums has two roundings
   digits_exact      claims 2 and 3: logits of digits are exact, in any order
   nearest_bonus     claim 4 over the reals: a bonus of kappa N or more *)
From Coq Require Import ZArith Reals Lia Lra Psatz List Bool Arith.
From Flocq Require Import Core Relative.
From Temper Require Import Rows Heads Format Sums Nearest Rounding.
Import ListNotations.
Local Open Scope R_scope.

Section Exact.
Variable f : format.
Definition multiple (e : Z) (x : R) := exists m, x = IZR m * bpow radix2 e.
Lemma multiple_number e x : multiple e x -> (emin f <= e)%Z -> Rabs x <= bpow radix2 (e + prec f) -> number f x.
Proof.
  intros [m ->] He H. apply (number_mult f _ m e); auto. apply le_IZR. rewrite abs_IZR, pow_IZR by (generalize
    (prec_ge_2 f); lia).
  assert (B := bpow_gt_0 radix2 e). apply Rmult_le_reg_r with (1 := B). rewrite Rabs_mult, (Rabs_pos_eq (bpow radix2
    e)), bpow_plus in H by lra. lra.
Qed.
Lemma multiple_add e x y : multiple e x -> multiple e y -> multiple e (x + y).
Proof. intros [m ->] [n ->]. exists (m + n)%Z. rewrite plus_IZR. ring. Qed.
Lemma abs_total l : Rabs (total l) <= sum Rabs l.
Proof. unfold total. induction l as [|a l IH]; cbn [sum]. rewrite Rabs_R0; lra.
  eapply Rle_trans; [apply Rabs_triang|]. now apply Rplus_le_compat_l. Qed.
Lemma total_app a b : total (a ++ b) = total a + total b.
Proof. unfold total. induction a; simpl; lra. Qed.

Theorem exact_tree e t : (emin f <= e)%Z -> (forall w, In w (leaves t) -> multiple e w) -> sum Rabs (leaves t) <=
  bpow radix2 (e + prec f) ->
  computed f t = total (leaves t) /\ multiple e (total (leaves t)).
Proof.
  intros He. induction t as [w|l IHl r IHr]; cbn [leaves computed]; intros Hm Hs.
  - unfold total. cbn [sum]. rewrite Rplus_0_r. split; auto. apply Hm. now left.
  - assert (S : sum Rabs (leaves l ++ leaves r) = sum Rabs (leaves l) + sum Rabs (leaves r)) by (generalize (leaves
    l); intros q; induction q; simpl; lra).
    assert (Pl : 0 <= sum Rabs (leaves l)) by (apply sum_nonneg; intros; apply Rabs_pos).
      assert (Pr : 0 <= sum Rabs (leaves r)) by (apply sum_nonneg; intros; apply Rabs_pos).
    destruct IHl as [El Ml]. intros; apply Hm, in_or_app; auto. lra.
    destruct IHr as [Er Mr]. intros; apply Hm, in_or_app; auto. lra.
    rewrite El, Er, total_app. assert (Mm := multiple_add e _ _ Ml Mr). split; auto. apply rnd_id.
      apply (multiple_number e); auto.
    rewrite <- total_app. eapply Rle_trans; [apply abs_total|auto].
Qed.
(* the same, ascending *)
Lemma asc_exact e ws : (emin f <= e)%Z -> forall s, multiple e s -> (forall w, In w ws -> multiple e w) ->
  Rabs s + sum Rabs ws <= bpow radix2 (e + prec f) -> asc f s ws = s + total ws.
Proof.
  intros He. induction ws as [|a ws IH]; intros s Ms Mw Hs; unfold total in *; cbn [asc sum] in *. lra.
  assert (P : 0 <= sum Rabs ws) by (apply sum_nonneg; intros; apply Rabs_pos).
  assert (Ma : multiple e (s + a)) by (apply multiple_add; auto; apply Mw; now left).
  assert (T := Rabs_triang s a).
  rewrite (rnd_id f (s + a)) by (apply (multiple_number e); auto; lra). rewrite IH; auto; try lra.
  intros; apply Mw; now right.
Qed.
(* counting: whole numbers of size at most w, n of them, n w <= 2^p *)
Corollary count_exact t : (forall w, In w (leaves t) -> multiple 0 w) -> sum Rabs (leaves t) <= bpow radix2 (prec f)
  -> computed f t = total (leaves t).
Proof. intros H1 H2. apply (exact_tree 0 t); auto. generalize (emin_neg f) (prec_ge_2 f); lia. Qed.
(* with one half among them, as the comparison's constant: (b + 1/2) on the sentinel *)
Corollary compare_sum_exact t : (forall w, In w (leaves t) -> multiple (-1) w) -> sum Rabs (leaves t) <= bpow radix2
  (prec f - 1) -> computed f t = total (leaves t).
Proof. intros H1 H2. apply (exact_tree (-1) t); auto. generalize (emin_neg f) (prec_ge_2 f); lia.
  now replace (-1 + prec f)%Z with (prec f - 1)%Z by lia. Qed.
(* digits: all terms of a candidate are 8 times whole numbers of one sign, N/2 <= 2^p together; with the bonus, beta
  + 4 N <= 8 * 2^p *)
Corollary digits_exact t : (forall w, In w (leaves t) -> multiple 3 w) -> sum Rabs (leaves t) <= 8 * bpow radix2
  (prec f) -> computed f t = total (leaves t).
Proof.
  intros H1 H2. apply (exact_tree 3 t); auto. generalize (emin_neg f) (prec_ge_2 f); lia. now rewrite bpow_plus.
Qed.
End Exact.

(* a mean of an exact sum S over n keys: one rounding to the format of sums, one to storage; its sign is right *)
Theorem mean_error fs fa S n : (1 <= n)%nat -> bpow radix2 (emin fa + prec fa - 1) <= Rabs (S / INR n) -> bpow radix2
  (emin fs + prec fs - 1) <= Rabs (rnd fa (S / INR n)) ->
  Rabs (quotient fs fa S (INR n) - S / INR n) <= ((1 + u fa) * (1 + u fs) - 1) * Rabs (S / INR n) /\ 0 < quotient fs
    fa S (INR n) * S.
Proof.
  intros Hn Ha Hs. set (y := S / INR n) in *. assert (Ua := u_pos fa). assert (Us := u_pos fs).
    assert (Uah := u_le_half fa). assert (Ush := u_le_half fs).
  assert (n0 : 0 < INR n) by (apply lt_0_INR; lia). assert (La := bpow_gt_0 radix2 (emin fa + prec fa - 1)).
  assert (X : Rabs (rnd fa y - y) <= u fa * Rabs y) by (apply relative_error_N_FLT; auto; generalize (prec_ge_2 fa);
    lia).
  assert (Y : Rabs (rnd fs (rnd fa y) - rnd fa y) <= u fs * Rabs (rnd fa y)) by (apply relative_error_N_FLT; auto;
    generalize (prec_ge_2 fs); lia).
  assert (Z : Rabs (rnd fa y) <= (1 + u fa) * Rabs y). { replace (rnd fa y) with ((rnd fa y - y) + y) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. lra. }
  assert (D : Rabs (quotient fs fa S (INR n) - y) <= ((1 + u fa) * (1 + u fs) - 1) * Rabs y).
  { unfold quotient. fold y. replace (rnd fs (rnd fa y) - y) with ((rnd fs (rnd fa y) - rnd fa y) + (rnd fa y - y))
    by ring. eapply Rle_trans; [apply Rabs_triang|].
    assert (u fs * Rabs (rnd fa y) <= u fs * ((1 + u fa) * Rabs y)) by (apply Rmult_le_compat_l; lra). lra. }
  split; auto. set (q := quotient fs fa S (INR n)) in *. replace (q * S) with (q * y * INR n) by (unfold y; field;
    lra). apply Rmult_lt_0_compat; auto.
  assert (Y0 : 0 < Rabs y) by lra. assert (C : (1 + u fa) * (1 + u fs) - 1 < 1) by nra.
  assert (D' : Rabs (q - y) < Rabs y) by nra. revert D'. generalize q y. clear. intros q z D.
  unfold Rabs in D. destruct (Rcase_abs (q - z)), (Rcase_abs z).
  all: first [apply Rmult_lt_0_compat; lra | replace (q * z) with ((- q) * (- z)) by ring; apply Rmult_lt_0_compat;
    lra].
Qed.

(* doc/theory.md, "Digits", claim 4, and "Nearest" with any bonus of at least kappa n *)
Theorem nearest_bonus kappa alpha n K (num : nat -> nat) (c v : nat -> R) js :
  0 < kappa -> kappa * INR n <= alpha -> NoDup K -> (forall j, In j K -> (num j < n)%nat) ->
  (forall x y, In x K -> In y K -> num x = num y -> x = y) ->
  (forall j, In j K -> c j = 0 \/ c j = 1) -> (forall j, In j K -> 0 <= v j <= 1) ->
  In js K -> c js = 1 -> (forall j, In j K -> c j = 1 -> (num j <= num js)%nat) ->
  Rabs (output (fun j => kappa * INR (num j) - alpha * (1 - c j)) v K - v js) <= exp (- kappa).
Proof.
  intros Hk Ha Hn Kn inj cB V Hi jsc best.
  assert (Q := exp_neg_lt_1 kappa Hk). set (q := exp (- kappa)) in *.
  replace q with (q / (1 - q) / (1 + q / (1 - q))) by (field; lra).
  apply winner; auto.
  set (d j := if Req_EM_T (c j) 1 then (num js - num j)%nat else (n + num js - num j)%nat).
  apply (distinct_gaps kappa _ d).
  - auto.
  - apply NoDup_map_inj. now apply NoDup_filter. intros x y Hx Hy. apply in_losers in Hx, Hy.
    destruct Hx as [Hx _], Hy as [Hy _].
    intros E. apply inj; auto. assert (X := Kn x Hx). assert (Y := Kn y Hy). assert (Z := Kn js Hi). revert E.
      unfold d.
    destruct (Req_EM_T (c x) 1) as [c1|c1], (Req_EM_T (c y) 1) as [c2|c2];
    try (assert (num x <= num js)%nat by auto); try (assert (num y <= num js)%nat by auto); lia.
  - intros j Hj. apply in_losers in Hj. destruct Hj as [Hj Hne]. assert (J := Kn j Hj). unfold d.
    destruct (Req_EM_T (c j) 1).
    assert (num j <= num js)%nat by auto. assert (num j <> num js) by (intro; apply Hne; auto). lia. lia.
  - intros j Hj. apply in_losers in Hj. destruct Hj as [Hj _]. assert (J := Kn j Hj).
    unfold d. rewrite jsc. destruct (Req_EM_T (c j) 1) as [e|e].
    + rewrite e. assert (num j <= num js)%nat by auto. rewrite minus_INR by auto. lra.
    + destruct (cB j Hj) as [e0|]; [|contradiction]. rewrite e0, minus_INR, plus_INR by lia. lra.
Qed.
