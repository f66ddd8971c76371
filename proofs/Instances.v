(* Formats exist, the exp model is not empty, and numbers by interval. *)
From Coq Require Import ZArith Reals Lia Lra Psatz.
From Flocq Require Import Core Relative.
From Interval Require Import Tactic.
From Temper Require Import Format Sums.
Local Open Scope R_scope.

Definition f32 : format.
Proof.
  refine {| prec := 24; emin := -149; top := IZR (2^24 - 1) * bpow radix2 104 |}; try lia.
  - apply generic_format_FLT. apply FLT_spec with (Float radix2 (2^24 - 1) 104); [reflexivity| simpl; lia | simpl;
    lia].
  - rewrite <- !IZR_Zpower by lia. rewrite <- ?mult_IZR. apply IZR_le. vm_compute. discriminate.
Defined.
Definition f64 : format.
Proof.
  refine {| prec := 53; emin := -1074; top := IZR (2^53 - 1) * bpow radix2 971 |}; try lia.
  - apply generic_format_FLT. apply FLT_spec with (Float radix2 (2^53 - 1) 971); [reflexivity| simpl; lia | simpl;
    lia].
  - rewrite <- !IZR_Zpower by lia. rewrite <- ?mult_IZR. apply IZR_le. vm_compute. discriminate.
Defined.
Definition bf16 : format.
Proof.
  refine {| prec := 8; emin := -133; top := IZR (2^8 - 1) * bpow radix2 120 |}; try lia.
  - apply generic_format_FLT. apply FLT_spec with (Float radix2 (2^8 - 1) 120); [reflexivity| simpl; lia | simpl;
    lia].
  - rewrite <- !IZR_Zpower by lia. rewrite <- ?mult_IZR. apply IZR_le. vm_compute. discriminate.
Defined.
Definition e4m3 : format.     (* top = 448, not 480: the largest number is a parameter *)
Proof.
  refine {| prec := 4; emin := -9; top := 448 |}; try lia.
  - apply generic_format_FLT. apply FLT_spec with (Float radix2 14 5); [unfold F2R; simpl; lra | simpl; lia | simpl;
    lia].
  - rewrite <- !IZR_Zpower by lia. rewrite <- ?mult_IZR. apply IZR_le. vm_compute. discriminate.
Defined.

(* the correctly rounded exp is a model *)
Lemma rounded_exp_model f : exp_model f (fun x => rnd f (exp x)).
Proof.
  assert (U := u_pos f). assert (T := tiny_pos f). split.
  - rewrite exp_0. apply rnd_id, number_1.
  - intros. apply rnd_number.
  - intros x _ Hx. split. apply rnd_ge. apply number_0. left; apply exp_pos.
    apply rnd_le_number. apply number_1. rewrite <- exp_0. now apply exp_le.
  - intros x _ _. generalize (rnd_error f (exp x)) (exp_pos x). intros X P. rewrite (Rabs_pos_eq (exp x)) in X by lra.
    apply Rabs_le_inv in X. nra.
  - intros x _ _ Hn. assert (P := exp_pos x).
    assert (X : Rabs (rnd f (exp x) - exp x) <= u f * Rabs (exp x)).
    { apply relative_error_N_FLT. generalize (prec_ge_2 f); lia. rewrite Rabs_pos_eq by lra. exact Hn. }
    rewrite (Rabs_pos_eq (exp x)) in X by lra. apply Rabs_le_inv in X. nra.
Qed.

(* (1+u)^n without a power of a large numeral *)
Lemma g_exp f n : g f n <= exp (INR n * u f).
Proof.
  assert (U := u_pos f). unfold g. induction n. simpl. rewrite Rmult_0_l, exp_0. lra.
  cbn [pow]. replace (INR (S n) * u f) with (u f + INR n * u f) by (rewrite S_INR; ring). rewrite exp_plus.
  apply Rmult_le_compat; auto. lra. apply pow_le; lra. left. apply exp_ineq1. lra.
Qed.

Lemma exp_m8 : exp (-8) <= 0.000336.
Proof. interval. Qed.
Lemma gates_128 : 128 * exp (-8) <= / 4.
Proof. interval. Qed.
(* `a S b` over {a,b,c} in f32 at length 100000, order any: the certificate says rounding 9.060e-01, error 4.209e-03.
   (Over {a,b} the compiler turns it into a once head.) Large exponents by g_exp, never as nat numerals. *)
Lemma since_f32_leak : let u := / 16777216 in let M := 100001 in let eta := 0.906 in let q := exp (- (8 * (1 - u))) in
  2 * exp (4 * M * u) * ((1 + 2 * u) * exp (2 * eta) * (q / (1 - q)) + 2 * M ^ 2 * powerRZ 2 (-149)) <= 0.004210.
Proof. cbv zeta. interval with (i_prec 60). Qed.
