(* Formats exist, the exp model is not empty, and numbers by interval. *)
From Coq Require Import ZArith Reals Lia Lra Psatz.
From Flocq Require Import Core Relative.
From Interval Require Import Tactic.
From Temper Require Import Format Sums Nearest Rounding.
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

Definition f16 : format.
Proof.
  refine {| prec := 11; emin := -24; top := 65504 |}; try lia.
  - apply generic_format_FLT. apply FLT_spec with (Float radix2 2047 5); [unfold F2R; simpl; lra | simpl; lia | simpl;
    lia].
  - rewrite <- !IZR_Zpower by lia. rewrite <- ?mult_IZR. apply IZR_le. vm_compute. discriminate.
Defined.

(* their largest numbers are large *)
Lemma large_f32 : IZR (10 ^ 38) <= top f32.
Proof. cbn [top f32]. rewrite <- IZR_Zpower, <- mult_IZR by lia. apply IZR_le. vm_compute. discriminate. Qed.
Lemma large_f64 : IZR (10 ^ 38) <= top f64.
Proof. cbn [top f64]. rewrite <- IZR_Zpower, <- mult_IZR by lia. apply IZR_le. vm_compute. discriminate. Qed.
Lemma large_bf16 : IZR (10 ^ 38) <= top bf16.
Proof. cbn [top bf16]. rewrite <- IZR_Zpower, <- mult_IZR by lia. apply IZR_le. vm_compute. discriminate. Qed.
Lemma large_f16 : IZR 65504 <= top f16. Proof. cbn [top f16]. lra. Qed.
Lemma large_e4m3 : IZR 448 <= top e4m3. Proof. cbn [top e4m3]. lra. Qed.
(* one format in another, as a type stores in one and sums in the other *)
Lemma narrower fs fa x : (prec fs <= prec fa)%Z -> (emin fa <= emin fs)%Z -> number fs x -> number fa x.
Proof.
  intros Hp He H. destruct (number_form fs x H) as (m & e & E & Hm & H2). apply (number_mult fa x m e); [exact E|
    |lia].
  eapply Z.le_trans; [apply Hm|]. apply Z.pow_le_mono_r; lia.
Qed.
Lemma finer fs fa : (emin fa < emin fs)%Z -> 2 * tiny fa <= tiny fs.
Proof.
  intros H. unfold tiny. change 2 with (bpow radix2 1). rewrite <- bpow_plus. apply bpow_le. lia.
Qed.
(* what is nearer to 1 than half a unit below it is rounded to 1 *)
Lemma near_one f y : Rabs (y - 1) <= u f / 4 -> rnd f y = 1.
Proof.
  intros H. assert (U := u_pos f). assert (N := rnd_nearest f y 1 (number_1 f)).
  rewrite (Rabs_minus_sym 1) in N. assert (Uh := u_le_half f).
  assert (B : Rabs (rnd f y - 1) <= u f / 2).
  { replace (rnd f y - 1) with ((rnd f y - y) + (y - 1)) by ring. eapply Rle_trans; [apply Rabs_triang|]. lra. }
  destruct (number_form f _ (rnd_number f y)) as (m & e & E & Hm & He). apply Rabs_le_inv in B.
  assert (Ub := u_bpow f). assert (P1 := prec_ge_2 f).
  assert (Ge : (- prec f <= e)%Z).
  { assert (X : bpow radix2 (- prec f - 1) < bpow radix2 e).
    { apply Rmult_lt_reg_l with (IZR (2 ^ prec f)). apply IZR_lt. apply Z.pow_pos_nonneg; lia.
      apply Rlt_le_trans with (rnd f y).
      rewrite pow_IZR, <- bpow_plus by lia. replace (prec f + (- prec f - 1))%Z with (-1)%Z by lia. simpl bpow. lra.
      rewrite E. apply Rmult_le_compat_r. apply bpow_ge_0. apply IZR_le. lia. }
    apply lt_bpow in X. lia. }
  (* a whole number of units *)
  assert (Eq : rnd f y = IZR (m * 2 ^ (e + prec f)) * u f).
  { rewrite Ub, mult_IZR, pow_IZR, Rmult_assoc, <- bpow_plus, E by lia. do 2 f_equal. lia. }
  assert (E1 : 1 = IZR (2 ^ prec f) * u f).
  { rewrite Ub, pow_IZR, <- bpow_plus by lia. replace (prec f + - prec f)%Z with 0%Z by lia. reflexivity. }
  set (k := (m * 2 ^ (e + prec f))%Z) in *. set (n := (2 ^ prec f)%Z) in *.
  assert (K : k = n). { assert (IZR (k - n) < 1 /\ -1 < IZR (k - n)).
    { rewrite minus_IZR. assert (- (u f / 2) <= (IZR k - IZR n) * u f <= u f / 2) by lra. split; nra. }
    assert (k - n < 1)%Z by (apply lt_IZR; tauto). assert (-1 < k - n)%Z by (apply lt_IZR; tauto). lia. }
  rewrite Eq, K. auto.
Qed.
(* the correctly rounded exp is a model *)
Lemma rounded_exp_model f : exp_model f (fun x => rnd f (exp x)).
Proof.
  assert (U := u_pos f). assert (T := tiny_pos f). split.
  - rewrite exp_0. apply rnd_id, number_1.
  - intros x _ Hx. apply near_one. assert (e1 := exp_ineq1_le x). assert (e2 : exp x <= exp 0) by (apply exp_le; lra).
    rewrite exp_0 in e2. apply Rabs_le. lra.
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
