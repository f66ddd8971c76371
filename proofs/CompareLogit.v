(* doc/certificate.md, "Compare": how far the sentinel's logit is off.
  It is 16 n times the sum of the mean y and the normaliser
   ln(m)/(16 n), both rounded and stored. Each of the two parts has a relative error of at most eps1, and the whole
     is moved by t besides.

   rnd_rel         one rounding: relative, or relative to the least normal number
   compare_logit   l = A (1 + a) + ln m (1 + b) + c t, |a|, |b| <= eps1, |c| <= 1 *)
From Coq Require Import ZArith Reals Lia Lra Psatz List Bool Arith.
From Flocq Require Import Core Relative.
From Temper Require Import Rows Heads Format Sums Nearest NearestAny Rounding Exact Strings Programs FloatRun
  NearestHead OnceTree CountHead.
Import ListNotations.
Local Open Scope R_scope.

Section One.
Variable f : format.
Lemma least_pos : 0 < least f. Proof. apply bpow_gt_0. Qed.
Lemma half_tiny : / 2 * tiny f = u f * least f.
Proof.
  rewrite u_bpow. unfold least, tiny. rewrite <- bpow_plus. replace (- prec f + (emin f + prec f - 1))%Z with (-1 +
    emin f)%Z by lia.
  rewrite bpow_plus. reflexivity.
Qed.
Theorem rnd_rel x : Rabs (rnd f x - x) <= u f * Rmax (Rabs x) (least f).
Proof.
  assert (U := u_pos f). destruct (Rle_dec (least f) (Rabs x)) as [H|H].
  - rewrite Rmax_left by auto. apply relative_error_N_FLT; auto. generalize (prec_ge_2 f); lia.
  - rewrite Rmax_right by lra. rewrite <- half_tiny. unfold rnd.
    eapply Rle_trans; [apply error_le_half_ulp; typeclasses eauto|]. rewrite ulp_FLT_small. unfold tiny. lra.
      apply prec_pos.
    eapply Rlt_trans. apply Rnot_le_lt. exact H. unfold least. apply bpow_lt. lia.
Qed.
Lemma ulp_rel x : ulp radix2 (FLT_exp (emin f) (prec f)) x <= 2 * u f * Rabs x + tiny f.
Proof.
  assert (U := u_pos f). assert (T := tiny_pos f). assert (A := Rabs_pos x).
    destruct (Rle_dec (least f) (Rabs x)) as [H|H].
  - eapply Rle_trans. apply ulp_FLT_le. exact H. unfold u. replace (1 - prec f)%Z with (- prec f + 1)%Z by lia. nra.
  - rewrite ulp_FLT_small. fold (tiny f). nra. apply prec_pos. eapply Rlt_trans. apply Rnot_le_lt. exact H.
    unfold least. apply bpow_lt. lia.
Qed.
(* a whole multiple of a number: no rounding below the least normal number *)
Lemma rnd_times (n : nat) q : number f q -> Rabs (rnd f (INR n * q) - INR n * q) <= u f * Rabs (INR n * q).
Proof.
  intros Nq. assert (U := u_pos f). destruct (Rle_dec (least f) (Rabs (INR n * q))) as [H|H].
  - apply relative_error_N_FLT; auto. generalize (prec_ge_2 f); lia.
  - assert (Nm : number f (INR n * q)); [|rewrite (rnd_id f _ Nm), Rminus_diag_eq, Rabs_R0 by auto; apply
    Rmult_le_pos; [lra|apply
      Rabs_pos]].
    destruct (number_form f q Nq) as (m & e & -> & Hm & He).
    apply (multiple_number f (emin f)). exists (Z.of_nat n * m * 2 ^ (e - emin f))%Z.
    rewrite INR_IZR_INZ, !mult_IZR, pow_IZR, !Rmult_assoc by lia. do 2 f_equal. rewrite <- bpow_plus. f_equal. lia.
      lia.
    apply Rnot_le_lt in H. left. eapply Rlt_trans; [apply H|]. unfold least. apply bpow_lt. lia.
Qed.
End One.

(* two parts with relative errors *)
Definition parts l A B e := exists a b, Rabs a <= e /\ Rabs b <= e /\ l = A * (1 + a) + B * (1 + b).
Lemma grow a c e d : Rabs a <= e -> Rabs c <= d -> Rabs ((1 + a) * (1 + c) - 1) <= (1 + e) * (1 + d) - 1.
Proof.
  intros Ha Hc. replace ((1 + a) * (1 + c) - 1) with (a + c + a * c) by ring. assert (A := Rabs_pos a).
    assert (C := Rabs_pos c).
  assert (X : Rabs (a * c) <= e * d) by (rewrite Rabs_mult; apply Rmult_le_compat; auto).
  assert (Y := Rabs_triang (a + c) (a * c)). assert (Z := Rabs_triang a c). lra.
Qed.
(* x is off by at most d |y|: a factor *)
Lemma factor x y d : Rabs (x - y) <= d * Rabs y -> 0 <= d -> exists c, Rabs c <= d /\ x = y * (1 + c).
Proof.
  intros H D. destruct (Req_dec y 0) as [->|N]. exists 0. rewrite Rabs_R0 in *. split; auto.
    rewrite Rmult_0_r, Rminus_0_r in H.
  assert (x = 0); [|lra]. assert (P := Rabs_pos x). assert (Z : Rabs x = 0) by lra. revert Z. unfold Rabs.
    destruct Rcase_abs; lra.
  exists ((x - y) / y). split. unfold Rdiv. rewrite Rabs_mult, Rabs_inv. apply Rmult_le_reg_r with (Rabs y).
    now apply Rabs_pos_lt.
  rewrite Rmult_assoc, Rinv_l, Rmult_1_r by (now apply Rabs_no_R0). auto. field. auto.
Qed.
Lemma parts_factor l A B e c d : parts l A B e -> Rabs c <= d -> parts (l * (1 + c)) A B ((1 + e) * (1 + d) - 1).
Proof.
  intros (a & b & Ha & Hb & ->) Hc. exists ((1 + a) * (1 + c) - 1), ((1 + b) * (1 + c) - 1).
  split. now apply grow. split. now apply grow. ring.
Qed.
Lemma parts_weaken l A B e e' : parts l A B e -> e <= e' -> parts l A B e'.
Proof. intros (a & b & Ha & Hb & ->) H. exists a, b. split. lra. split. lra. auto. Qed.

Section Logit.
Variables fs fa : format.
Hypothesis incl : forall x, number fs x -> number fa x.
Hypothesis normals : least fa <= least fs.
Variable ord : order.
Variables (n m M : nat).
Hypothesis n_M : (n <= M)%nat.
Hypothesis m_n : (1 <= m < n)%nat.
Definition eps1 := (1 + u fa) ^ 5 * (1 + u fs) ^ 2 * (1 + v64) ^ 4 - 1.
Hypothesis mean_normal : least fs <= / (2 * INR M).
Hypothesis log_normal : least fs <= ln 2 / (16 * INR M).

Lemma stored x e : 0 <= e -> least fs <= e -> Rabs (rnd fs x - x) <= u fs * Rmax (Rabs x) e.
Proof.
  intros E0 H. eapply Rle_trans; [apply rnd_rel|]. apply Rmult_le_compat_l. left; apply u_pos.
    apply Rle_max_compat_l. auto.
Qed.
(* the mean of an exact sum S, a whole number and a half *)
Lemma mean_factor S : / 2 <= Rabs S -> exists c, Rabs c <= (1 + u fa) * (1 + u fs) - 1 /\ quotient fs fa S (INR
  (Datatypes.S m)) = S / INR (Datatypes.S
  m) * (1 + c).
Proof.
  intros HS. assert (U1 := u_pos fa). assert (U2 := u_pos fs). set (y := S / INR (Datatypes.S m)).
  assert (P : 0 < INR (Datatypes.S m)) by (apply lt_0_INR; lia).
    assert (Q : INR (Datatypes.S m) <= INR M) by (apply le_INR; lia).
  assert (Y : / (2 * INR M) <= Rabs y).
  { unfold y, Rdiv. rewrite Rabs_mult, Rabs_inv, (Rabs_pos_eq (INR (Datatypes.S m))) by lra. rewrite Rinv_mult.
    apply Rmult_le_compat; try lra.
    left. apply Rinv_0_lt_compat. lra. apply Rinv_le_contravar; lra. }
  assert (Nl : number fa (least fs)). { apply incl. apply generic_format_bpow. unfold FLT_exp.
    generalize (prec_ge_2 fs). lia. }
  assert (Ra : least fs <= Rabs (rnd fa y)).
  { assert (H : least fs <= Rabs y) by lra. unfold Rabs in H |- *. destruct (Rcase_abs y) as [C|C].
    - assert (rnd fa y <= - least fs) by (apply rnd_le_number; [now apply number_opp|lra]).
      assert (Lp := least_pos fs). destruct (Rcase_abs (rnd fa y)); lra.
    - assert (least fs <= rnd fa y) by (apply rnd_ge; auto; lra). destruct (Rcase_abs (rnd fa y)); lra. }
  destruct (mean_error fs fa S (Datatypes.S m)) as [H _]; auto. lia. fold (least fa). fold y. lra. fold y in H.
  apply factor; auto. nra.
Qed.
(* the normaliser's feature *)
Lemma log_factor g : expression fs (ln (INR (Nat.max m 1)) / (16 * INR n)) g -> exists c, Rabs c <= (1 + v64) ^ 4 *
  (1 + u fs) - 1 /\
  g = ln (INR m) / (16 * INR n) * (1 + c) /\ number fs g.
Proof.
  rewrite Nat.max_l by lia. intros [(y' & H1 & _ & ->) Ex]. set (y := ln (INR m) / (16 * INR n)) in *.
    assert (U := u_pos fs).
  assert (n0 : 0 < INR n) by (apply lt_0_INR; lia). assert (F := f64_error_pos). unfold f64_error in F.
  assert (m1 : 1 <= INR m) by (change 1 with (INR 1); apply le_INR; lia).
  assert (y0 : 0 <= y). { apply Rmult_le_pos. rewrite <- ln_1.
    destruct m1 as [m1|<-]; [left; apply ln_increasing; lra|right; auto].
    left. apply Rinv_0_lt_compat. lra. }
  destruct (Nat.eq_dec m 1) as [Em|Nm].
  { assert (Y0 : y = 0) by (unfold y; rewrite Em; simpl; rewrite ln_1; unfold Rdiv; ring). exists 0. rewrite Rabs_R0.
    split. assert (0 <= (1 + v64) ^ 4 - 1) by exact F. nra. split. 2: apply rnd_number. rewrite Y0.
      rewrite Rmult_0_l. rewrite (Ex ltac:(rewrite Y0; apply number_0)). auto. }
  assert (Y : least fs <= y).
  { eapply Rle_trans; [apply log_normal|]. unfold y, Rdiv. apply Rmult_le_compat. rewrite <- ln_1. left.
    apply ln_increasing; lra.
    left. apply Rinv_0_lt_compat. assert (INR n <= INR M) by (apply le_INR; lia). lra.
    assert (m2 : 2 <= INR m) by (change 2 with (INR 2); apply le_INR; lia).
      destruct m2 as [m2|<-]; [left; apply ln_increasing; lra|right; auto].
    apply Rinv_le_contravar. lra. assert (INR n <= INR M) by (apply le_INR; lia). lra. }
  rewrite (Rabs_pos_eq y) in H1 by auto. unfold f64_error in H1. set (d := (1 + v64) ^ 4 - 1) in *.
  assert (Lp := least_pos fs).
  assert (R := stored y' y y0 Y). assert (B : Rmax (Rabs y') y <= (1 + d) * y).
  { apply Rmax_lub; [|nra]. replace y' with ((y' - y) + y) by ring. eapply Rle_trans; [apply Rabs_triang|].
    rewrite (Rabs_pos_eq y) by auto. lra. }
  assert (T : Rabs (rnd fs y' - y) <= ((1 + d) * (1 + u fs) - 1) * Rabs y).
  { replace (rnd fs y' - y) with ((rnd fs y' - y') + (y' - y)) by ring. eapply Rle_trans; [apply Rabs_triang|].
    rewrite (Rabs_pos_eq y) by auto. assert (u fs * Rmax (Rabs y') y <= u fs * ((1 + d) * y)) by (apply
      Rmult_le_compat_l; lra). lra. }
  destruct (factor _ _ _ T ltac:(nra)) as (c & C1 & C2). exists c.
    replace ((1 + v64) ^ 4) with (1 + d) by (unfold d; ring). split; auto. split; auto. apply rnd_number.
Qed.

Theorem compare_logit S y g l : / 2 <= Rabs S -> y = quotient fs fa S (INR (Datatypes.S m)) -> expression fs (ln
  (INR (Nat.max m 1)) / (16 * INR n)) g ->
  moved fa ord (rnd fa (16 * INR n * rnd fs (rnd fa (y + g)))) l ->
  exists a b c, Rabs a <= eps1 /\ Rabs b <= eps1 /\ Rabs c <= 1 /\
    l = 16 * INR n * (S / INR (Datatypes.S m)) * (1 + a) + ln (INR m) * (1 + b) + c * tiny fa.
Proof.
  intros HS Ey Hg [Nl Ml]. destruct (mean_factor S HS) as (c1 & C1 & Ey'). rewrite <- Ey in Ey'.
  destruct (log_factor g Hg) as (c2 & C2 & Eg & Ng). set (Y := S / INR (Datatypes.S m)) in *.
    set (G := ln (INR m) / (16 * INR n)) in *.
  assert (Ua := u_pos fa). assert (Us := u_pos fs). assert (V : 0 <= v64) by apply bpow_ge_0.
    assert (Tp := tiny_pos fa).
  assert (Ny : number fa y) by (rewrite Ey; apply incl, rnd_number). assert (Ng' : number fa g) by now apply incl.
  set (e0 := (1 + u fa) * (1 + u fs) * (1 + v64) ^ 4 - 1).
  assert (v4 : 1 <= (1 + v64) ^ 4) by (apply pow_R1_Rle; lra).
  assert (P0 : parts (y + g) Y G e0).
  { exists c1, c2. unfold e0. split. eapply Rle_trans; [apply C1|].
    assert (0 <= (1 + u fa) * (1 + u fs)) by (apply Rmult_le_pos; lra). nra.
    split. eapply Rle_trans; [apply C2|]. assert (0 <= (1 + v64) ^ 4 * (1 + u fs)) by (apply Rmult_le_pos; lra).
      nra. now rewrite Ey', Eg. }
  destruct (factor (rnd fa (y + g)) (y + g) (u fa) (add_relative fa y g Ny Ng') ltac:(lra)) as (c3 & C3 & Es).
  assert (P1 := parts_factor _ _ _ _ _ _ P0 C3). rewrite <- Es in P1. set (s := rnd fa (y + g)) in *.
    set (e1 := (1 + e0) * (1 + u fa) - 1) in *.
  assert (m0 : 0 < INR (Datatypes.S m)) by (apply lt_0_INR; lia). assert (n0 : 0 < INR n) by (apply lt_0_INR; lia).
  assert (e00 : 0 <= e0). { unfold e0. assert (1 <= (1 + u fa) * (1 + u fs)) by nra. nra. }
  assert (YM : / (2 * INR M) <= Rabs Y).
  { assert (Q : INR (Datatypes.S m) <= INR M) by (apply le_INR; lia). unfold Y, Rdiv.
    rewrite Rabs_mult, Rabs_inv, (Rabs_pos_eq (INR (Datatypes.S m))) by lra.
    rewrite Rinv_mult. apply Rmult_le_compat; try lra. left. apply Rinv_0_lt_compat. lra.
      apply Rinv_le_contravar; lra. }
  (* storing: relative, or at most us |Y| *)
  assert (P2 : parts (rnd fs s) Y G ((1 + e1) * (1 + u fs) - 1)).
  { assert (e10 : 0 <= e1) by (unfold e1; nra). destruct (Rle_dec (least fs) (Rabs s)) as [H|H].
    - assert (X := rnd_rel fs s). rewrite Rmax_left in X by auto.
      destruct (factor _ _ _ X ltac:(lra)) as (c4 & C4 & ->). now apply parts_factor.
    - assert (X := rnd_rel fs s). rewrite Rmax_right in X by lra. destruct P1 as (a & b & Ha & Hb & E1).
      assert (X' : Rabs (rnd fs s - s) <= u fs * Rabs Y) by (eapply Rle_trans; [apply X|]; apply Rmult_le_compat_l;
        lra).
      assert (X2 : Rabs ((rnd fs s - s + Y) - Y) <= u fs * Rabs Y) by (replace (rnd fs s - s + Y - Y) with (rnd fs s
        - s) by ring; auto).
      destruct (factor _ _ _ X2 ltac:(lra)) as (c4 & C4 & E4).
      exists (a + c4), b. split. eapply Rle_trans; [apply Rabs_triang|]. nra. split. nra.
      replace (rnd fs s) with ((rnd fs s - s + Y) - Y + s) by ring. rewrite E4, E1. ring. }
  set (q := rnd fs s) in *. assert (Nq : number fa q) by (apply incl, rnd_number).
  assert (R := rnd_times fa (16 * n) q Nq). rewrite mult_INR in R.
    change (INR 16) with 16 in R || (replace (INR 16) with 16 in R by (simpl; lra)).
  destruct (factor _ _ _ R ltac:(lra)) as (c5 & C5 & E5). set (l0 := rnd fa (16 * INR n * q)) in *.
  assert (P3 := parts_factor _ _ _ _ _ _ P2 C5). set (e3 := (1 + ((1 + e1) * (1 + u fs) - 1)) * (1 + u fa) - 1) in *.
  assert (Mv : Rabs (l - l0) <= 2 * u fa * Rabs l0 + tiny fa).
  { destruct ord. rewrite Ml, Rminus_diag_eq, Rabs_R0 by auto. assert (A := Rabs_pos l0). nra.
    eapply Rle_trans; [apply Ml|apply ulp_rel]. }
  (* split the move *)
  assert (Sp : exists c6 c, Rabs c6 <= 2 * u fa /\ Rabs c <= 1 /\ l = l0 * (1 + c6) + c * tiny fa).
  { set (d := l - l0) in *. destruct (Rle_dec (Rabs d) (2 * u fa * Rabs l0)) as [H|H].
    - destruct (factor l l0 (2 * u fa) H ltac:(lra)) as (c6 & C6 & E6). exists c6, 0. rewrite Rabs_R0. split; auto.
      split. lra. rewrite E6. ring.
    - apply Rnot_le_lt in H. set (b := 2 * u fa * Rabs l0) in *.
      assert (b0 : 0 <= b) by (unfold b; assert (A := Rabs_pos l0); nra).
      assert (Big : exists d1 d2, d = d1 + d2 /\ Rabs d1 <= b /\ Rabs d2 <= tiny fa).
      { unfold Rabs in Mv, H. destruct (Rcase_abs d). exists (- b), (d + b). split. ring. split.
        rewrite Rabs_Ropp, Rabs_pos_eq; lra. apply Rabs_le. lra.
        exists b, (d - b). split. ring. split. rewrite Rabs_pos_eq; lra. apply Rabs_le. lra. }
      destruct Big as (d1 & d2 & Ed & B1 & B2). assert (X : Rabs ((l0 + d1) - l0) <= 2 * u fa * Rabs l0) by (replace
        (l0 + d1 - l0) with d1 by ring; auto).
      destruct (factor _ _ _ X ltac:(lra)) as (c6 & C6 & E6). exists c6, (d2 / tiny fa). split; auto. split.
      unfold Rdiv. rewrite Rabs_mult, Rabs_inv, (Rabs_pos_eq (tiny fa)) by lra. apply Rmult_le_reg_r with (tiny fa).
        lra. rewrite Rmult_assoc, Rinv_l; lra.
      rewrite <- E6. replace (d2 / tiny fa * tiny fa) with d2 by (field; lra). unfold d in Ed. lra. }
  destruct Sp as (c6 & c & C6 & Cc & El). assert (P4 := parts_factor _ _ _ _ _ _ P3 C6).
  assert (Le : (1 + e3) * (1 + 2 * u fa) - 1 <= eps1).
  { unfold eps1. set (w := (1 + v64) ^ 4) in *. set (ua := u fa) in *. set (us := u fs) in *.
    assert (E3 : 1 + e3 = (1 + ua) ^ 3 * (1 + us) ^ 2 * w) by (unfold e3, e1, e0; ring). rewrite E3.
    replace ((1 + ua) ^ 5 * (1 + us) ^ 2 * w) with ((1 + ua) ^ 3 * (1 + us) ^ 2 * w * (1 + ua) ^ 2) by ring.
    assert (0 <= (1 + ua) ^ 3 * (1 + us) ^ 2 * w) by (apply Rmult_le_pos; [apply Rmult_le_pos; apply pow_le;
      lra|lra]).
    assert (1 + 2 * ua <= (1 + ua) ^ 2) by (simpl; nra). nra. }
  destruct (parts_weaken _ _ _ _ _ P4 Le) as (a & b & Ha & Hb & E7).
  exists a, b, c. split; auto. split; auto. split; auto. rewrite El, E5.
  replace (16 * INR n * q * (1 + c5) * (1 + c6)) with (16 * INR n * (q * (1 + c5) * (1 + c6))) by ring. rewrite E7.
    unfold G. field. lra.
Qed.
End Logit.
