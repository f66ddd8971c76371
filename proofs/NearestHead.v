(* doc/certificate.md, "Nearest": a nearest head in floating point, in both orders, from the relation of FloatRun.v.

   nearest_logit   the computed logit is within eta of the ideal one
   nearest_far, nearest_out   the head's output is within a quarter of the value at the nearest candidate, if the
     inequalities hold *)
From Coq Require Import ZArith Reals Lia Lra Psatz List Bool Arith Permutation.
From Flocq Require Import Core.
From Temper Require Import Rows Heads Format Sums Nearest NearestAny Rounding Strings Programs FloatRun.
Import ListNotations.
Local Open Scope R_scope.

Section Head.
Variables fs fa : format.
Hypothesis incl : forall x, number fs x -> number fa x.
Hypothesis fine : fs = fa \/ 2 * tiny fa <= tiny fs.
Variable E : R -> R.
Hypothesis HE : exp_model fa E.
Variable ord : order.
Variable M : nat.                                          (* the largest number of positions *)
Variable k : Z.                                            (* 16 M is below 2^k *)
Definition kappa8 : R := 8.

(* what storing a number of the format of sums of size at most 2 may lose: nothing if the formats are equal *)
Variable stored_error : R.
Hypothesis stored_ok : forall x, number fa x -> Rabs x <= 2 -> Rabs (rnd fs x - x) <= stored_error.
Definition key_error := f64_error + (u fs * / 2 + / 2 * tiny fs) + (u fa + / 2 * tiny fa) + stored_error.
Definition eta := 8 * INR M * key_error + (u fa * bpow radix2 (k - 1) + / 2 * tiny fa) + (2 * u fa * bpow radix2 (k -
  1) + tiny fa).
(* a step has no Boolean in its keys: they are a feature, of size 1; here 8 M is below 2^k *)
Definition step_error := f64_error + (u fs * / 2 + / 2 * tiny fs).
Definition eta_step := 8 * INR M * step_error + (u fa * bpow radix2 (k - 1) + / 2 * tiny fa) + (2 * u fa * bpow radix2
  (k - 1) + tiny fa).
(* logits that are off by no more than far *)
Definition leak_of far := let q := exp (- (kappa8 * (1 - u fa))) in (1 + 2 * u fa) * exp (2 * far) * (q / (1 - q)) +
  INR M * tiny fa.

(* the inequalities of the certificate *)
Definition near_of far : Prop := 2 * far < kappa8 /\ match ord with
  | Ascending => 4 * leak_of far <= 1 /\ error fs fa (4 * leak_of far) (4 * stored_leak fs fa (leak_of far) (INR M))
    <=
    / 4
  | AnyOrder => fs = fa /\ 2 * (1 + u fa) ^ (4 * M) * leak_any fa M far kappa8 <= 1 /\ error_any fa M far kappa8 <= /
    4 end.
Definition near_ok : Prop := near_of eta.

Hypothesis size_M : (Z.of_nat M <= 2 ^ prec fa)%Z.

Lemma f64_error_pos : 0 <= f64_error.
Proof. unfold f64_error, v64. assert (B := bpow_gt_0 radix2 (-53)). nra. Qed.
Lemma stored_error_pos : 0 <= stored_error.
Proof. eapply Rle_trans. apply Rabs_pos. apply (stored_ok 0). apply number_0. rewrite Rabs_R0. lra. Qed.
Lemma key_error_pos : 0 <= key_error.
Proof. unfold key_error. generalize f64_error_pos stored_error_pos (u_pos fs) (u_pos fa) (tiny_pos fs) (tiny_pos fa).
  lra. Qed.
Lemma feature_off y x : expression fs y x -> Rabs y <= 1 -> Rabs x <= 1 /\ Rabs (x - y) <= f64_error + (u fs * / 2 +
  / 2 * tiny fs).
Proof.
  intros [(y' & H1 & H2 & ->) _] Hy. specialize (H2 Hy). split. apply abs_rnd_le; auto. apply number_1.
  assert (F := f64_error_pos). assert (H3 : Rabs (y' - y) <= f64_error) by nra.
  assert (X := rnd_half fs y' 0 ltac:(generalize (emin_neg fs) (prec_ge_2 fs); lia)). simpl bpow in X.
    specialize (X H2).
  replace (rnd fs y' - y) with ((rnd fs y' - y') + (y' - y)) by ring. eapply Rle_trans. apply Rabs_triang.
    change (Z.pow_pos 2 1) with 2%Z in X. lra.
Qed.
Lemma number_2 f : number f 2.
Proof. apply (number_int f 2). assert (2 ^ 2 <= 2 ^ prec f)%Z by (apply Z.pow_le_mono_r; [lia|apply prec_ge_2]).
  simpl in *. lia. Qed.
(* a key c + x or x, summed and stored *)
Lemma key_off c x y : (c = 0 \/ c = 1) -> number fs x -> Rabs x <= 1 -> Rabs (x - y) <= f64_error + (u fs * / 2 + / 2
  * tiny fs) ->
  Rabs (rnd fs (rnd fa (c + x))) <= 2 /\ Rabs (rnd fs (rnd fa (c + x)) - (c + y)) <= key_error.
Proof.
  intros Hc Nx X1 X2. assert (B : Rabs (c + x) <= 2). { apply Rabs_le_inv in X1. apply Rabs_le.
    destruct Hc as [-> | ->]; lra. }
  assert (B2 : Rabs (rnd fa (c + x)) <= 2) by (apply abs_rnd_le; auto; apply number_2).
  split. apply abs_rnd_le; auto; apply number_2.
  assert (H1 := stored_ok _ (rnd_number fa (c + x)) B2).
  assert (H2 := rnd_half fa (c + x) 1 ltac:(generalize (emin_neg fa) (prec_ge_2 fa); lia) B).
    change (bpow radix2 (1 - 1)) with 1 in H2.
  replace (rnd fs (rnd fa (c + x)) - (c + y)) with ((rnd fs (rnd fa (c + x)) - rnd fa (c + x)) + ((rnd fa (c + x) -
    (c + x)) + (x - y))) by ring.
  eapply Rle_trans. apply Rabs_triang. eapply Rle_trans. apply Rplus_le_compat_l. apply Rabs_triang.
    unfold key_error. lra.
Qed.
(* the logit: a product with the scale 8 n, and one unit in the last place. Keys are at most s in size, 1 or 2, and
  off
   by no more than ke *)
Lemma scaled_logit (s : nat) ke n key l z : (s = 1 \/ s = 2)%nat -> 8 * INR s * INR M < bpow radix2 k -> (0 < n <=
  M)%nat -> Rabs key <= INR s -> Rabs (key - z) <= ke -> moved fa ord (rnd fa (8 * INR n * key)) l ->
  Rabs (l - 8 * INR n * z) <= 8 * INR M * ke + (u fa * bpow radix2 (k - 1) + / 2 * tiny fa) + (2 * u fa * bpow radix2
    (k - 1) + tiny fa).
Proof.
  intros Hs Hk Hn K1 K2 [Nl Ml']. assert (Ml : Rabs (l - rnd fa (8 * INR n * key)) <= ulp radix2 (FLT_exp (emin fa)
    (prec fa)) (rnd fa (8 * INR n * key))).
  { destruct ord; auto. rewrite Ml', Rminus_diag_eq, Rabs_R0 by auto. apply ulp_ge_0. }
  assert (n0 : 0 < INR n) by (apply lt_0_INR; lia). assert (nM : INR n <= INR M) by (apply le_INR; lia).
  assert (s1 : 1 <= INR s) by (change 1 with (INR 1); apply le_INR; lia).
  assert (Np : number fa (8 * INR s * INR M)).
  { apply (number_mult fa _ (Z.of_nat M) (if Nat.eqb s 1 then 3 else 4)).
    - rewrite <- INR_IZR_INZ. destruct Hs as [-> | ->]; simpl; lra.
    - lia.
    - generalize (emin_neg fa) (prec_ge_2 fa); destruct (Nat.eqb s 1); lia. }
  assert (B : Rabs (8 * INR n * key) <= 8 * INR s * INR M).
  { rewrite Rabs_mult, (Rabs_pos_eq (8 * INR n)) by lra. apply Rle_trans with (8 * INR n * INR s).
    apply Rmult_le_compat_l; lra. assert (INR s * INR n <= INR s * INR M) by (apply Rmult_le_compat_l; lra). lra. }
  assert (k4 : (emin fa <= k)%Z).
  { assert (X : bpow radix2 0 < bpow radix2 k). { eapply Rle_lt_trans; [|apply Hk]. simpl bpow.
    assert (1 <= INR M) by (change 1 with (INR 1); apply le_INR; lia).
    assert (1 * 1 <= INR s * INR M) by (apply Rmult_le_compat; lra). lra. }
    apply lt_bpow in X. generalize (emin_neg fa) (prec_ge_2 fa). lia. }
  assert (H1 := rnd_half fa (8 * INR n * key) k k4 ltac:(lra)).
  assert (H2 : Rabs (rnd fa (8 * INR n * key)) < bpow radix2 k) by (eapply Rle_lt_trans; [apply (abs_rnd_le fa _ _ Np
    B)|auto]).
  assert (H3 := ulp_bound fa _ k H2).
  assert (H4 : Rabs (8 * INR n * key - 8 * INR n * z) <= 8 * INR M * ke).
  { rewrite <- Rmult_minus_distr_l, Rabs_mult, (Rabs_pos_eq (8 * INR n)) by lra. apply Rmult_le_compat; try lra.
    apply Rabs_pos. }
  replace (l - 8 * INR n * z) with ((l - rnd fa (8 * INR n * key)) + ((rnd fa (8 * INR n * key) - 8 * INR n * key) +
    (8 * INR n * key - 8 * INR n * z))) by ring.
  eapply Rle_trans. apply Rabs_triang. eapply Rle_trans. apply Rplus_le_compat_l. apply Rabs_triang. lra.
Qed.
Lemma nearest_logit n key l z : 16 * INR M < bpow radix2 k -> (0 < n <= M)%nat -> Rabs key <= 2 -> Rabs (key - z) <=
  key_error -> moved fa ord (rnd fa (8 * INR n * key)) l -> Rabs (l - 8 * INR n * z) <= eta.
Proof.
  intros Hk Hn K1 K2 Mv. apply (scaled_logit 2 key_error n key l z); auto; simpl (INR 2); lra.
Qed.
Lemma step_logit n key l z : 8 * INR M < bpow radix2 k -> (0 < n <= M)%nat -> Rabs key <= 1 -> Rabs (key - z) <=
  step_error -> moved fa ord (rnd fa (8 * INR n * key)) l -> Rabs (l - 8 * INR n * z) <= eta_step.
Proof.
  intros Hk Hn K1 K2 Mv. apply (scaled_logit 1 step_error n key l z); auto; simpl (INR 1); lra.
Qed.
Lemma step_le_key : step_error <= key_error.
Proof. unfold step_error, key_error. generalize stored_error_pos (u_pos fa) (tiny_pos fa). lra. Qed.

Lemma asc_zeros l : (forall x, In x l -> x = 0) -> asc fa 0 l = 0.
Proof.
  induction l as [|a l IH]; simpl; intros H; auto. rewrite (H a) by auto.
    rewrite Rplus_0_l, rnd_id by apply number_0. apply IH. intros; apply H; auto.
Qed.
Lemma quotient_0 den : quotient fs fa 0 den = 0.
Proof. unfold quotient, Rdiv. rewrite Rmult_0_l, (rnd_id fa 0) by apply number_0. apply rnd_id, number_0. Qed.
(* values that are all 0 give 0 *)
Lemma softmax_zero logit v K x : (forall j, In j K -> v j = 0) -> softmax_row fs fa E ord logit v K x -> x = 0.
Proof.
  intros Z H. unfold softmax_row in H. destruct K as [|k0 K0]; auto. destruct ord.
  - destruct H as (top & _ & _ & ->). rewrite asc_zeros. apply quotient_0.
    intros y Hy. apply in_map_iff in Hy. destruct Hy as (j & <- & Hj). rewrite (Z j Hj), Rmult_0_r.
      apply rnd_id, number_0.
  - destruct H as (js & L & t & num & P & _ & _ & S & ->).
    assert (Z' : forall j, In j (js :: L) -> v j = 0) by (intros j Hj; apply Z; apply (Permutation_in _ P); auto).
      clear P Z.
    assert (num = 0); [|subst; apply quotient_0].
    assert (G : forall L o t x, summed fa E logit v (logit js) L o t x -> (forall j, In j L -> v j = 0) -> (forall j,
      o = Some j -> v j = 0) -> x = 0).
    { clear. intros L o t x S. assert (R0 : rnd fa 0 = 0) by (apply rnd_id, number_0). induction S; intros Z1 Z2.
      - rewrite (Z1 j) by (now left). now rewrite Rmult_0_r.
      - now apply Z2.
      - rewrite IHS1, IHS2; auto; try (intros; apply Z1; apply in_or_app; auto). rewrite !Rmult_0_l, R0, Rplus_0_l.
        auto. discriminate.
      - rewrite IHS1, IHS2; auto; try (intros; apply Z1; apply in_or_app; auto). rewrite !Rmult_0_l, R0, Rplus_0_l.
        auto. discriminate.
      - rewrite IHS, (Z1 j); auto. rewrite Rmult_0_l, Rplus_0_l. auto. now left. intros; apply Z1; now right.
      - rewrite IHS, (Z2 j); auto. rewrite Rmult_0_l, Rplus_0_l. auto. discriminate. }
    apply (G L (Some js) t num S). intros; apply Z'; now right. intros j Ej. injection Ej as <-. apply Z'. now left.
Qed.
Lemma softmax_ext logit v v' K x : (forall j, In j K -> v j = v' j) -> softmax_row fs fa E ord logit v K x ->
  softmax_row fs fa E ord logit v' K x.
Proof.
  intros Ev H. unfold softmax_row in *. destruct K as [|k0 K0] eqn:EK; auto. rewrite <- EK in *. clear EK.
    destruct ord.
  - destruct H as (top & T1 & T2 & ->). exists top. split; auto. split; auto. cbv zeta. f_equal. f_equal.
    apply map_ext_in. intros j Hj. now rewrite Ev.
  - destruct H as (js & L & t & nm & P & T2 & [Ok Rs] & S & ->). exists js, L, t, nm. repeat split; auto.
    apply (summed_ext fa E logit v v' _ _ _ _ _ S). intros j Hj. apply Ev, (Permutation_in _ P).
    destruct Hj as [Hj|[= <-]]; [now right|now left].
Qed.
Lemma error_mono L L' Ls Ls' : 0 <= L <= L' -> Ls <= Ls' -> error fs fa L Ls <= error fs fa L' Ls'.
Proof.
  intros [L0 L1] L2. assert (U1 := u_pos fa). assert (U2 := u_stored_range fs fa). assert (H1 := u_le_half fa).
  unfold error.
  assert (A1 : error1 fs fa L <= error1 fs fa L').
  { unfold error1. assert (I : / (1 + L') <= / (1 + L)) by (apply Rinv_le_contravar; lra). unfold Rdiv.
    assert ((1 - u fa) * (1 - u_stored fs fa) * / (1 + L') <= (1 - u fa) * (1 - u_stored fs fa) * / (1 + L)) by
      (apply Rmult_le_compat_l;
      nra). lra. }
  assert (P : 0 <= (1 + u fa) * (1 + u_stored fs fa)) by (apply Rmult_le_pos; lra).
  assert (A2 : error2 fs fa Ls <= error2 fs fa Ls').
  { unfold error2. rewrite !(Rmult_assoc _ (1 + u fa)). apply Rplus_le_compat_r. apply Rmult_le_compat_r; lra. }
  assert (A3 : error3 fs fa Ls <= error3 fs fa Ls').
  { unfold error3. rewrite !(Rmult_assoc _ (1 + u fa)). apply Rplus_le_compat_r. apply Rmult_le_compat_r; lra. }
  repeat apply Rmax_lub.
  - eapply Rle_trans; [apply A1|apply Rmax_l].
  - apply Rle_trans with (if same_format fs fa then 0 else error2 fs fa Ls'). destruct same_format; lra.
    eapply Rle_trans; [apply Rmax_l|apply Rmax_r].
  - eapply Rle_trans; [apply A3|]. eapply Rle_trans; [apply Rmax_r|apply Rmax_r].
Qed.

Theorem nearest_far far n K (num : nat -> nat) (c v logit : nat -> R) shift js x : near_of far -> (n <= M)%nat ->
  NoDup K -> (length K <= n)%nat -> (forall j, In j K -> (num j < n)%nat) -> (forall x y, In x K -> In y K -> num x =
    num y -> x = y) ->
  (forall j, In j K -> c j = 0 \/ c j = 1) -> (forall j, v j = 0 \/ v j = 1) ->
  (forall j, number fa (logit j)) -> (forall j, In j K -> Rabs (logit j - (8 * INR n * c j + 8 * INR (num j) +
    shift)) <= far) ->
  In js K -> c js = 1 -> (forall j, In j K -> c j = 1 -> (num j <= num js)%nat) ->
  softmax_row fs fa E ord logit v K x -> Rabs (x - v js) <= / 4 /\ 0 <= x.
Proof.
  clear stored_ok. intros [Hk8 Ok] nM Hn Ln Kn inj cB vB Nl Off Hi jsc best SR.
  set (ideal j := 8 * INR n * c j + 8 * INR (num j) + shift).
  assert (Off' : forall j, In j K -> Rabs (logit j - ideal j) <= far) by exact Off. clear Off.
  set (d j := if Req_EM_T (c j) 1 then (num js - num j)%nat else (n + num js - num j)%nat).
  assert (dpos : forall j, In j K -> j <> js -> (1 <= d j)%nat).
  { intros j Hj Hne. assert (J := Kn j Hj). unfold d. destruct (Req_EM_T (c j) 1).
    assert (num j <= num js)%nat by auto. assert (num j <> num js) by (intro; apply Hne; auto). lia. lia. }
  assert (dgap : forall j, In j K -> kappa8 * INR (d j) <= ideal js - ideal j).
  { intros j Hj. assert (J := Kn j Hj). unfold d, ideal, kappa8. rewrite jsc. destruct (Req_EM_T (c j) 1) as [e|e].
    + rewrite e. assert (num j <= num js)%nat by auto. rewrite minus_INR by auto. lra.
    + destruct (cB j Hj) as [e0|]; [|contradiction]. rewrite e0, minus_INR, plus_INR by lia. lra. }
  assert (dinj : forall x y, In x K -> In y K -> x <> js -> y <> js -> d x = d y -> x = y).
  { intros a b Ha Hb _ _ Eq. apply inj; auto. assert (X := Kn a Ha). assert (Y := Kn b Hb). assert (Z := Kn js Hi).
    revert Eq. unfold d.
    destruct (Req_EM_T (c a) 1) as [c1|c1], (Req_EM_T (c b) 1) as [c2|c2];
    try (assert (num a <= num js)%nat by auto); try (assert (num b <= num js)%nat by auto); lia. }
  assert (less : forall j, In j K -> j <> js -> logit j < logit js).
  { intros j Hj Hne. assert (O1 := Off' j Hj). assert (O2 := Off' js Hi). apply Rabs_le_inv in O1, O2.
    assert (G := dgap j Hj).
    assert (D := dpos j Hj Hne). apply le_INR in D. simpl (INR 1) in D. unfold kappa8 in *. lra. }
  assert (k0 : 0 < kappa8) by (unfold kappa8; lra).
  unfold softmax_row in SR. destruct K as [|k1 K1] eqn:EK; [destruct Hi|]. rewrite <- EK in *. clear EK. destruct ord.
  - destruct Ok as [Ok1 Ok2]. destruct SR as (top & T1 & T2 & ->).
    assert (top = js). { destruct (Nat.eq_dec top js); auto. assert (X := less top T1 n0). assert (Y := T2 js Hi).
      lra. } subst top.
    destruct (in_split js K Hi) as (A1 & A2 & EK).
    assert (nd : NoDup (A1 ++ A2) /\ ~ In js (A1 ++ A2)) by (rewrite EK in Hn; apply NoDup_remove in Hn; tauto).
      destruct nd as [nd nj].
    assert (inK : forall j, In j (A1 ++ A2) -> In j K /\ j <> js).
    { intros j Hj. split. rewrite EK. apply in_app_or in Hj. apply in_or_app. simpl. tauto. intros ->. contradiction.
      }
    set (vb j := if Req_EM_T (v j) 1 then true else false).
    assert (Evb : forall j, v j = if vb j then 1 else 0). { intros j. unfold vb.
      destruct (Req_EM_T (v j) 1) as [->|Hne]; auto. destruct (vB j); [auto|contradiction]. }
    assert (LM : INR (length (A1 ++ A2)) <= INR M). { apply le_INR. rewrite EK, app_length in Ln. simpl in Ln.
      rewrite app_length. lia. }
    assert (Tf := tiny_pos fa). assert (Ts := tiny_pos fs).
    assert (LB : leak_bound fa A1 A2 far kappa8 <= leak_of far).
    { unfold leak_bound, leak_of. cbv zeta. apply Rplus_le_compat_l. apply Rmult_le_compat_r; lra. }
    assert (U := u_pos fs).
    assert (NA := nearest_ascending fs fa incl fine E HE A1 A2 js logit ideal far kappa8 d vb Nl).
    assert (LB0 : 0 <= leak_bound fa A1 A2 far kappa8).
    { unfold leak_bound. assert (Q := exp_neg_lt_1 (kappa8 * (1 - u fa)) ltac:(apply Rmult_lt_0_compat;
      [lra|generalize (u_le_half fa); lra])).
      assert (Uf := u_pos fa). apply Rplus_le_le_0_compat. apply Rmult_le_pos. apply Rmult_le_pos. lra.
        left; apply exp_pos.
      apply Rmult_le_pos. lra. left. apply Rinv_0_lt_compat. lra. apply Rmult_le_pos. apply pos_INR. lra. }
    match type of NA with ?H1 -> ?H2 -> ?H3 -> ?H4 -> ?H5 -> ?C => assert (NC : C) end.
    { apply NA.
      - intros j [<-|Hj]. now apply Off'. apply Off'. now apply inK.
      - auto.
      - intros j Hj. destruct (inK j Hj). split. now apply dpos. now apply dgap.
      - apply NoDup_map_inj; auto. intros a b Ha Hb. destruct (inK a Ha), (inK b Hb). now apply dinj.
      - lra. }
    clear NA. cbv zeta. set (w j := E (rnd fa (logit j - logit js))) in *. cbv beta in NC.
    assert (w1 : w js = 1). { unfold w. rewrite Rminus_diag_eq by auto. rewrite (rnd_id fa 0) by apply number_0.
      apply (E_0 _ _ HE). }
    assert (Ed : map w K = map w A1 ++ 1 :: map w A2) by (rewrite EK, map_app; cbn [map]; now rewrite w1).
    assert (En : map (fun j => rnd fa (rnd fs (w j) * v j)) K =
      map (fun j => if vb j then rnd fs (w j) else 0) A1 ++ (if vb js then 1 else 0) :: map (fun j => if vb j then
        rnd fs (w j) else 0) A2).
    { assert (X : forall j, rnd fa (rnd fs (w j) * v j) = if vb j then rnd fs (w j) else 0).
      { intros j. rewrite Evb. destruct (vb j). rewrite Rmult_1_r. apply rnd_id, incl, rnd_number. rewrite Rmult_0_r.
        apply rnd_id, number_0. }
      rewrite EK, map_app. cbn [map]. rewrite (map_ext _ _ X A1), (map_ext _ _ X A2), X, w1.
        rewrite (rnd_id fs 1) by apply number_1. reflexivity. }
    enough (X : Rabs (quotient fs fa (asc fa 0 (map (fun j => rnd fa (rnd fs (w j) * v j)) K)) (asc fa 0 (map w K)) -
      v js) <= / 4 /\
                0 <= quotient fs fa (asc fa 0 (map (fun j => rnd fa (rnd fs (w j) * v j)) K)) (asc fa 0 (map w K)))
                  by exact X.
    rewrite Ed, En, (Evb js). split.
    + eapply Rle_trans; [apply NC|]. eapply Rle_trans; [|apply Ok2]. apply error_mono. lra.
      assert ((1 + u fs) * leak_bound fa A1 A2 far kappa8 <= (1 + u fs) * leak_of far) by (apply Rmult_le_compat_l;
        lra).
      assert (INR (length (A1 ++ A2)) * tiny fs <= INR M * tiny fs) by (apply Rmult_le_compat_r; lra).
      unfold stored_leak. destruct same_format; lra.
    + unfold quotient. apply rnd_ge. apply number_0. apply rnd_ge. apply number_0.
      assert (Wp : forall j, In j K -> 0 <= w j /\ number fa (w j)).
      { intros j Hj. unfold w. destruct (E_bound fa E HE (logit j) (logit js) (Nl j) (Nl js) (T2 j Hj)) as ([X _] & Y
        & _). auto. }
      rewrite <- Ed, <- En.
      assert (P1 : 0 <= asc fa 0 (map w K)). { apply asc_ge. apply number_0. intros y Hy. apply in_map_iff in Hy.
        destruct Hy as (j & <- & Hj). destruct (Wp j Hj); auto. }
      assert (P2 : 0 <= asc fa 0 (map (fun j => rnd fa (rnd fs (w j) * v j)) K)).
      { apply asc_ge. apply number_0. intros y Hy. apply in_map_iff in Hy. destruct Hy as (j & <- & Hj). split.
        apply rnd_number.
        apply rnd_ge. apply number_0. apply Rmult_le_pos. apply rnd_ge. apply number_0. now apply Wp.
          destruct (vB j) as [-> | ->]; lra. }
      unfold Rdiv. destruct P1 as [P1|P1]. apply Rmult_le_pos; auto. left. now apply Rinv_0_lt_compat.
      assert (1 <= asc fa 0 (map w K)); [|lra]. rewrite Ed. apply (lemma1_ascending fa).
      all: intros y Hy; apply in_map_iff in Hy; destruct Hy as (j & <- & Hj); destruct (Wp j); auto; rewrite EK;
        apply in_or_app; simpl; auto.
  - destruct Ok as (Ef & Ok1 & Ok2). destruct SR as (j0 & L & t & nm & P & T2 & [Tk _] & S & ->).
    assert (I0 : In j0 K) by (apply (Permutation_in _ P); now left).
    assert (j0 = js). { destruct (Nat.eq_dec j0 js); auto. assert (X := less j0 I0 n0). assert (Y := T2 js Hi). lra.
      } subst j0.
    assert (nd : NoDup (js :: L)) by (apply (Permutation_NoDup (Permutation_sym P)); auto).
      inversion nd as [|? ? nj nd']; subst.
    assert (inK : forall j, In j L -> In j K /\ j <> js). { intros j Hj. split. apply (Permutation_in _ P).
      now right. intros ->. contradiction. }
    assert (len : (length L < M)%nat). { apply Permutation_length in P. simpl in P. lia. }
    assert (NA := nearest_any fa E HE L js M logit ideal far kappa8 d v t nm).
    match type of NA with ?H0 -> ?H1 -> ?H2 -> ?H3 -> ?H4 -> ?H5 -> ?H6 -> ?H7 -> ?H8 -> ?H9 -> ?C => assert (NC : C)
      end.
    { apply NA; auto.
      - intros j [<-|Hj]. now apply Off'. apply Off'. now apply inK.
      - intros j Hj. destruct (inK j Hj). split. now apply dpos. now apply dgap.
      - apply NoDup_map_inj; auto. intros a b Ha Hb. destruct (inK a Ha), (inK b Hb). now apply dinj. }
    destruct NC as [N1 N2]. unfold quotient. rewrite rnd_id by apply rnd_number. split; lra.
Qed.
(* the same with the error that since has *)
Definition nearest_out := nearest_far eta.
End Head.
