(* doc/certificate.md, "Compare", in any order: the sentinel z has the logit lz, the others' logits are 0, or moved
  by a unit in the last place.
   Reference points are logits of the row: so a partial sum is against one of the others' logits, which all weigh
     the same, or against lz.

   others_ge       what the others weigh together in the denominator
   sentinel_le     what the sentinel weighs in the numerator
   compare_any     a comparison that does not hold: the output is small
   compare_any_true   one that holds: the output is near 1 *)
From Coq Require Import ZArith Reals Lia Lra Psatz List Bool Arith Permutation.
From Flocq Require Import Core Relative.
From Temper Require Import Rows Heads Format Sums Nearest NearestAny Rounding Exact Strings Programs FloatRun
  OnceTree CountHead.
Import ListNotations.
Local Open Scope R_scope.

Section Compare.
Variable f : format.
Notation rnd := (rnd f). Notation number := (number f). Notation u := (u f). Notation tiny := (tiny f).
Notation low := (low f).
Variable E : R -> R.
Hypothesis HE : exp_model f E.
Hypothesis narrow : 8 * tiny <= u.
Variables (logit : nat -> R) (win lz : R) (z : nat).
Hypothesis win_number : number win.
Hypothesis lz_number : number lz.
Hypothesis logit_number : forall j, number (logit j).
Hypothesis lz_is : logit z = lz.
Definition other j := if Nat.eqb j z then 0 else 1.
Definition at_z j := if Nat.eqb j z then 1 else 0.
Definition near_row L (o : option nat) := forall j, In j L \/ o = Some j -> j <> z -> low (logit j).
Definition reference m := low m \/ m = lz.

(* ---- the others, from below ---- *)
Definition w0 := (1 - 2 * u) * exp (- ((1 + u) * (lz + tiny))).
Hypothesis normal : tiny < lz -> least f <= w0.

(* s keys of n in a partial sum y against the reference r *)
Definition weighs (s : R) (n : nat) r y := s = 0 \/ (1 <= s /\ low r /\ 1 <= y /\ s * (1 - u) ^ n <= y) \/
  (1 <= s /\ r = lz /\ tiny < lz /\ s * w0 * (1 - u) ^ (2 * n) <= y).

Lemma pow_ge n m : (n <= m)%nat -> 0 < (1 - u) ^ m <= (1 - u) ^ n.
Proof.
  intros H. assert (U := u_pos f). assert (Uh := u_le_half f). split. apply pow_lt; lra.
  induction H. lra. simpl. assert (0 < (1 - u) ^ m) by (apply pow_lt; lra). nra.
Qed.
Lemma E_self x : E (rnd (x - x)) = 1.
Proof. rewrite Rminus_diag_eq by auto. rewrite (rnd_id f 0) by apply number_0. apply (E_0 _ _ HE). Qed.
Lemma w0_range : 0 < w0 /\ (tiny < lz -> w0 <= 1).
Proof.
  assert (U := u_pos f). assert (Uh := u_le_half f). assert (T := tiny_pos f).
    assert (e := exp_pos (- ((1 + u) * (lz + tiny)))).
  unfold w0. split. nra. intros H. assert (exp (- ((1 + u) * (lz + tiny))) <= 1) by (apply exp_le_1; nra). nra.
Qed.
(* from a reference near 0 to a sentinel that is above *)
Lemma E_up r : number r -> low r -> tiny < lz -> w0 <= E (rnd (r - lz)) /\ 0 <= E (rnd (r - lz)).
Proof.
  intros Nr Lr Hz. assert (U := u_pos f). assert (Uh := u_le_half f). assert (T := tiny_pos f).
  unfold CountHead.low in Lr. apply Rabs_le_inv in Lr. assert (H : r <= lz) by lra.
  destruct (diff f r lz Nr lz_number H) as (D1 & _ & D3).
  assert (D4 : (1 + u) * (r - lz) <= rnd (r - lz)).
  { assert (Ny' : number (- lz)) by now apply number_opp. generalize (add_relative f r (- lz) Nr Ny').
    replace (r + - lz) with (r - lz) by ring. rewrite (Rabs_left1 (r - lz)) by lra. intros Z.
      apply Rabs_le_inv in Z. lra. }
  assert (X : exp (- ((1 + u) * (lz + tiny))) <= exp (rnd (r - lz))) by (apply exp_mono; nra).
  assert (Nm := normal Hz). assert (P := exp_pos (- ((1 + u) * (lz + tiny)))). assert (Wr := w0_range).
  split; [|apply (E_range _ _ HE); auto].
  apply Rle_trans with ((1 - 2 * u) * exp (rnd (r - lz))). unfold w0. apply Rmult_le_compat_l; lra.
  apply (E_ge _ _ HE); auto. fold (least f). unfold w0 in Nm. nra.
Qed.
Lemma weighs_resc s n r y m : (1 <= n)%nat -> number r -> number m -> number y -> 0 <= y -> r <= m -> reference m ->
  weighs s n r y ->
  weighs s n m (y * E (rnd (r - m))) /\ weighs s n m (rnd (y * E (rnd (r - m)))).
Proof.
  intros Hn Nr Nm Ny Y0 Hr Rm [->|[(S1 & Lr & Y1 & B)|(S1 & -> & Hz & B)]].
  - split; left; auto.
  - destruct (Rle_dec m tiny) as [Hm|Hm].
    + assert (Lm : low m) by (apply (low_between f r m tiny); auto; unfold CountHead.low; rewrite Rabs_pos_eq; try
      lra; left; apply tiny_pos).
      rewrite E_low by auto. rewrite Rmult_1_r, rnd_id by auto. split; right; left; auto.
    + destruct Rm as [Lm| ->]. { unfold CountHead.low in Lm. apply Rabs_le_inv in Lm. lra. }
      assert (Hz : tiny < lz) by lra. destruct (E_up r Nr Lr Hz) as [Eu E0]. destruct w0_range as [W0 W1].
        specialize (W1 Hz).
      assert (U := u_pos f). assert (Uh := u_le_half f). destruct (pow_ge n n (le_n n)) as [Pn _].
      assert (A : s * w0 * (1 - u) ^ n <= y * E (rnd (r - lz))).
      { replace (s * w0 * (1 - u) ^ n) with ((s * (1 - u) ^ n) * w0) by ring. apply Rmult_le_compat; auto; try lra.
        apply Rmult_le_pos; lra. }
      assert (Nrm : least f <= y * E (rnd (r - lz))).
      { apply Rle_trans with w0; auto. apply Rle_trans with (1 * E (rnd (r - lz))). lra.
        apply Rmult_le_compat_r; lra. }
      destruct (pow_ge n (2 * n) ltac:(lia)) as [_ P2]. destruct (pow_ge (Datatypes.S n) (2 * n) ltac:(lia)) as [_
        P3]. cbn [pow] in P3.
      assert (sw : 0 <= s * w0) by (apply Rmult_le_pos; lra).
      split; right; right; repeat split; auto.
      * eapply Rle_trans; [|apply A]. apply Rmult_le_compat_l; auto.
      * eapply Rle_trans; [|apply normal_rnd; auto]. apply Rle_trans with ((1 - u) * (s * w0 * (1 - u) ^ n)).
        replace ((1 - u) * (s * w0 * (1 - u) ^ n)) with (s * w0 * ((1 - u) * (1 - u) ^ n)) by ring.
          apply Rmult_le_compat_l; auto.
        apply Rmult_le_compat_l; lra.
  - assert (m = lz). { destruct Rm as [Lm|]; auto. unfold CountHead.low in Lm. apply Rabs_le_inv in Lm. lra.
    } subst m.
    rewrite E_self, Rmult_1_r, rnd_id by auto. split; right; right; auto.
Qed.
Lemma weighs_add sa sb na nb m ya yb : (1 <= na)%nat -> (1 <= nb)%nat -> number ya -> number yb -> 0 <= ya -> 0 <=
  yb ->
  weighs sa na m ya -> weighs sb nb m yb -> weighs (sa + sb) (na + nb) m (rnd (ya + yb)).
Proof.
  intros Ha Hb Na Nb Ya Yb A B. assert (U := u_pos f). assert (Uh := u_le_half f).
  generalize (add_relative f ya yb Na Nb). rewrite (Rabs_pos_eq (ya + yb)) by lra. intros Z. apply Rabs_le_inv in Z.
  assert (Za := add_ge_r f ya yb Na Yb). assert (Zb := add_ge_l f ya yb Nb Ya).
  destruct (pow_ge (Datatypes.S na) (na + nb) ltac:(lia)) as [P0 P1].
    destruct (pow_ge (Datatypes.S nb) (na + nb) ltac:(lia)) as [_ P2]. cbn [pow] in P1, P2.
  destruct (pow_ge (Datatypes.S (2 * na)) (2 * (na + nb)) ltac:(lia)) as [Q0 Q1].
    destruct (pow_ge (Datatypes.S (2 * nb)) (2 * (na + nb)) ltac:(lia)) as [_ Q2].
  cbn [pow] in Q1, Q2. destruct w0_range as [W0 _].
  unfold weighs in *. set (Pab := (1 - u) ^ (na + nb)) in *. set (Pa := (1 - u) ^ na) in *.
    set (Pb := (1 - u) ^ nb) in *.
  set (Qab := (1 - u) ^ (2 * (na + nb))) in *. set (Qa := (1 - u) ^ (2 * na)) in *.
    set (Qb := (1 - u) ^ (2 * nb)) in *.
  assert (Part : forall s p y, 0 <= s -> s * p <= y -> forall q, q <= (1 - u) * p -> s * q <= (1 - u) * y).
  { intros s p y S0 H q Hq. apply Rle_trans with (s * ((1 - u) * p)). now apply Rmult_le_compat_l.
    replace (s * ((1 - u) * p)) with ((1 - u) * (s * p)) by ring. apply Rmult_le_compat_l; lra. }
  assert (Z2 : (1 - u) * ya + (1 - u) * yb <= rnd (ya + yb)) by lra.
  assert (Z3 : 0 <= (1 - u) * ya) by (apply Rmult_le_pos; lra).
    assert (Z4 : 0 <= (1 - u) * yb) by (apply Rmult_le_pos; lra).
  destruct A as [->|[(S1 & Lr & Y1 & A)|(S1 & Er & Hz & A)]], B as [->|[(S1' & Lr' & Y1' & B)|(S1' & Er' & Hz' & B)]];
    try (exfalso; subst m; unfold CountHead.low in *; match goal with H : Rabs lz <= tiny |- _ => apply Rabs_le_inv
      in H; lra end).
  - left. lra.
  - right; left. rewrite Rplus_0_l. repeat split; auto. lra. assert (X := Part sb Pb yb ltac:(lra) B Pab P2). lra.
  - right; right. rewrite Rplus_0_l. repeat split; auto.
    assert (X := Part (sb * w0) Qb yb ltac:(apply Rmult_le_pos; lra) B Qab Q2). lra.
  - right; left. rewrite Rplus_0_r. repeat split; auto. lra. assert (X := Part sa Pa ya ltac:(lra) A Pab P1). lra.
  - right; left. repeat split; auto; try lra. assert (X := Part sa Pa ya ltac:(lra) A Pab P1).
    assert (X' := Part sb Pb yb ltac:(lra) B Pab P2).
    rewrite Rmult_plus_distr_r. lra.
  - right; right. rewrite Rplus_0_r. repeat split; auto.
    assert (X := Part (sa * w0) Qa ya ltac:(apply Rmult_le_pos; lra) A Qab Q1). lra.
  - right; right. repeat split; auto; try lra.
    assert (X := Part (sa * w0) Qa ya ltac:(apply Rmult_le_pos; lra) A Qab Q1).
    assert (X' := Part (sb * w0) Qb yb ltac:(apply Rmult_le_pos; lra) B Qab Q2).
    rewrite !Rmult_plus_distr_r. lra.
Qed.
(* one more key of weight 1, in one fused operation *)
Lemma weighs_top s n m y j : (1 <= n)%nat -> 0 <= y -> reference m -> (j <> z -> low m) -> weighs s n m y ->
  weighs (s + other j) (Datatypes.S n) m (rnd (y + 1)).
Proof.
  intros Hn Y0 Rm Lj A. assert (U := u_pos f). assert (Uh := u_le_half f).
  assert (Lst : least f <= 1) by (unfold least; change 1 with (bpow radix2 0); apply bpow_le; generalize (emin_neg
    f); lia).
  assert (Z := normal_rnd f (y + 1) ltac:(lra)).
  assert (Z1 : 1 <= rnd (y + 1)) by (apply rnd_ge; [apply number_1|lra]).
  destruct (pow_ge n n (le_n n)) as [Pn _]. destruct (pow_ge (2 * n) (2 * n) (le_n _)) as [Qn _].
  assert (Pn1 : (1 - u) ^ n <= 1) by (destruct (pow_ge 0 n ltac:(lia)); simpl in *; lra).
  destruct (pow_ge (Datatypes.S (2 * n)) (2 * Datatypes.S n) ltac:(lia)) as [Q0 Q1]. cbn [pow] in Q1.
  destruct w0_range as [W0 _]. unfold other. destruct (Nat.eqb_spec j z) as [e|e].
  - rewrite Rplus_0_r. destruct A as [->|[(S1 & Lr & Y1 & A)|(S1 & Er & Hz & A)]].
    + left; auto.
    + right; left. repeat split; auto. cbn [pow]. nra.
    + right; right. repeat split; auto. assert (0 <= s * w0) by (apply Rmult_le_pos; lra).
      apply Rle_trans with (s * w0 * ((1 - u) * (1 - u) ^ (2 * n))). apply Rmult_le_compat_l; lra. nra.
  - specialize (Lj e). right; left. destruct A as [->|[(S1 & Lr & Y1 & A)|(S1 & Er & Hz & A)]].
    + rewrite Rplus_0_l. repeat split; auto; try lra. cbn [pow]. nra.
    + repeat split; auto; try lra. cbn [pow]. replace ((s + 1) * ((1 - u) * (1 - u) ^ n)) with ((1 - u) * (s * (1 -
      u) ^ n + (1 - u) ^ n)) by ring.
      apply Rle_trans with ((1 - u) * (y + 1)); auto. apply Rmult_le_compat_l; lra.
    + exfalso. subst m. unfold CountHead.low in Lj. apply Rabs_le_inv in Lj. lra.
Qed.
Theorem others_ge v L o t x : ok f win t -> summed f E logit v win L o t x -> refs reference t -> near_row L o ->
  reference win ->
  weighs (share other L o) (size t) (ref win t) (val f E win t).
Proof.
  intros H S. assert (Sapp : forall (w : nat -> R) a b, sum w (a ++ b) = sum w a + sum w b) by (intros w a b;
    induction a;
    simpl; lra).
  assert (Sz : forall t, (1 <= size t)%nat) by (intros t0; apply INR_le; simpl; apply size_pos).
  assert (One : forall j m, number m -> logit j <= m -> reference m -> (j <> z -> low (logit j)) ->
    weighs (other j) 1 m (E (rnd (logit j - m)))).
  { intros j m Nm Hm Rm Lj. unfold other. destruct (Nat.eqb_spec j z) as [e|e]. left; auto. specialize (Lj e).
    destruct (weighs_resc 1 1 (logit j) 1 m) as [X _]; auto. apply number_1. lra.
    right; left. repeat split; auto; try lra. simpl. generalize (u_pos f); lra. rewrite Rmult_1_l in X. exact X. }
  induction S; intros Rf Nr Rw; cbn [ok] in H; cbn [ref val size refs] in *.
  - destruct H as (Nl & Nm & Hm). replace (share other [j] None) with (other j) by (unfold share; cbn [sum]; ring).
    apply One; auto; try tauto. apply Nr. left; now left.
  - replace (share other [] (Some j)) with (other j) by (unfold share; cbn [sum]; ring). unfold other.
    destruct (Nat.eqb_spec j z) as [e|e]. left; auto. right; left. assert (U := u_pos f).
    repeat split; try lra. rewrite <- H0. apply Nr; auto.
  - destruct H as (Ha & Hb & Hm & Ra & Rb & Rw'). destruct Rf as (Fa & Fb & Fm).
    replace (share other (La ++ Lb) o) with (share other La o + share other Lb None) by (unfold share; rewrite Sapp;
      lra).
    destruct (val_basic f E HE win win_number a Ha) as [N1 V1].
      destruct (val_basic f E HE win win_number b Hb) as [N2 V2].
    assert (A : weighs (share other La o) (size a) (ref win a) (val f E win a)).
    { apply IHS1; auto. intros k [Hk|Hk]; apply Nr; auto. left. apply in_or_app; auto. }
    assert (B : weighs (share other Lb None) (size b) (ref win b) (val f E win b)).
    { apply IHS2; auto. intros k [Hk|Hk]; [|discriminate]. apply Nr. left. apply in_or_app; auto. }
    destruct (weighs_resc _ _ _ _ m (Sz a) (ref_number f win win_number a Ha) Hm N1 V1 Ra Fm A) as [_ A'].
    destruct (weighs_resc _ _ _ _ m (Sz b) (ref_number f win win_number b Hb) Hm N2 V2 Rb Fm B) as [_ B'].
    destruct (resc_basic f E HE win win_number a m Ha Hm Ra) as (N3 & V3 & _).
      destruct (resc_basic f E HE win win_number b m Hb Hm Rb) as (N4 & V4 & _).
    apply weighs_add; auto.
  - destruct H as (Ha & Hb & Hm & Ra & Rb & Rw'). destruct Rf as (Fa & Fb & Fm).
    replace (share other (La ++ Lb) o) with (share other La None + share other Lb o) by (unfold share; rewrite Sapp;
      lra).
    destruct (val_basic f E HE win win_number a Ha) as [N1 V1].
      destruct (val_basic f E HE win win_number b Hb) as [N2 V2].
    assert (A : weighs (share other La None) (size a) (ref win a) (val f E win a)).
    { apply IHS1; auto. intros k [Hk|Hk]; [|discriminate]. apply Nr. left. apply in_or_app; auto. }
    assert (B : weighs (share other Lb o) (size b) (ref win b) (val f E win b)).
    { apply IHS2; auto. intros k [Hk|Hk]; apply Nr; auto. left. apply in_or_app; auto. }
    destruct (weighs_resc _ _ _ _ m (Sz a) (ref_number f win win_number a Ha) Hm N1 V1 Ra Fm A) as [_ A'].
    destruct (weighs_resc _ _ _ _ m (Sz b) (ref_number f win win_number b Hb) Hm N2 V2 Rb Fm B) as [_ B'].
    destruct (resc_basic f E HE win win_number a m Ha Hm Ra) as (N3 & V3 & _).
      destruct (resc_basic f E HE win win_number b m Hb Hm Rb) as (N4 & V4 & _).
    apply weighs_add; auto.
  - destruct H as (Ha & Hm & Ra). destruct Rf as (Fa & Fm).
    replace (share other (j :: L) o) with (share other L o + other j) by (unfold share; cbn [sum]; lra).
    destruct (val_basic f E HE win win_number a Ha) as [N1 V1].
    assert (A : weighs (share other L o) (size a) (ref win a) (val f E win a)).
    { apply IHS; auto. intros k [Hk|Hk]; apply Nr; auto. left; now right. }
    destruct (weighs_resc _ _ _ _ (logit j) (Sz a) (ref_number f win win_number a Ha) Hm N1 V1 ltac:(lra) Fm A) as
      [A' _].
    apply weighs_top; auto. apply Rmult_le_pos; auto. apply (E_bound f E HE); auto. now apply ref_number. lra.
    intros. apply Nr; auto. left; now left.
  - replace (share other L (Some j)) with (share other L None + other j) by (unfold share; lra).
    destruct (val_basic f E HE win win_number a H) as [N1 V1].
    assert (A : weighs (share other L None) (size a) (ref win a) (val f E win a)).
    { apply IHS; auto. intros k [Hk|Hk]; [|discriminate]. apply Nr; auto. }
    assert (Rl := ref_le f win a H).
    destruct (weighs_resc _ _ _ _ win (Sz a) (ref_number f win win_number a H) win_number N1 V1 Rl Rw A) as [A' _].
    apply weighs_top; auto. apply Rmult_le_pos; auto. apply (E_bound f E HE); auto. now apply ref_number.
    intros. rewrite <- H0. apply Nr; auto.
Qed.

(* ---- the sentinel, from above ---- *)
Definition z_max := (1 + 2 * u) * exp ((1 - u) * (lz + tiny)) + tiny.
(* x is 0 if the sentinel is not there, else its weight against the reference r *)
Definition sentinel_is (s r x : R) := (s = 0 /\ x = 0) \/ (s = 1 /\ 0 <= x <= 1 /\ (lz < - tiny -> (r = lz /\ x = 1)
  \/ (low r /\ x <= z_max))).
Lemma z_below r : number r -> low r -> lz < - tiny -> E (rnd (lz - r)) <= z_max.
Proof.
  intros Nr Lr Hz. unfold CountHead.low in Lr. apply Rabs_le_inv in Lr.
  destruct (E_bound f E HE lz r lz_number Nr ltac:(lra)) as (_ & _ & B).
  assert (U := u_pos f). assert (Uh := u_le_half f).
  destruct (diff f lz r lz_number Nr ltac:(lra)) as (D1 & D2 & D3). eapply Rle_trans; [apply (E_le _ _ HE); auto|].
  unfold z_max. apply Rplus_le_compat_r. apply Rmult_le_compat_l. lra. apply exp_mono. eapply Rle_trans; [apply D2|].
  apply Rmult_le_compat_l; lra.
Qed.
Lemma sentinel_resc s r x m : number r -> number m -> number x -> r <= m -> reference m -> sentinel_is s r x ->
  sentinel_is s m (x * E (rnd (r - m))) /\ sentinel_is s m (rnd (x * E (rnd (r - m)))).
Proof.
  intros Nr Nm Nx Hr Rm [[-> ->]|(-> & X & Hx)].
  - rewrite Rmult_0_l, rnd_id by apply number_0. split; left; auto.
  - destruct (E_bound f E HE r m Nr Nm Hr) as ([E0 E1] & NE & _).
    assert (P : 0 <= x * E (rnd (r - m)) <= 1) by nra.
    assert (P' : 0 <= rnd (x * E (rnd (r - m))) <= 1) by (split; [apply rnd_ge; [apply number_0|lra]|apply
      rnd_le_number; [apply
      number_1|lra]]).
    assert (Q : lz < - tiny -> (m = lz /\ x * E (rnd (r - m)) = 1) \/ (low m /\ x * E (rnd (r - m)) <= z_max /\
      number (x * E (rnd (r - m))))).
    { intros Hz. destruct (Hx Hz) as [[-> ->]|[Lr Xz]].
      - rewrite Rmult_1_l. destruct Rm as [Lm| ->]. right. split; auto. split; auto. now apply z_below. left.
        split; auto. apply E_self.
      - assert (Lm : low m). { destruct Rm as [|Em]; auto. exfalso. unfold CountHead.low in Lr.
        apply Rabs_le_inv in Lr. lra. }
        rewrite E_low by auto. rewrite Rmult_1_r. auto. }
    split; right; split; auto; split; auto; intros Hz; destruct (Q Hz) as [[A B]|(A & B & C)]; auto.
    left. split; auto. rewrite B. apply rnd_id, number_1. right. rewrite rnd_id by auto. auto.
Qed.
Lemma share_z v' L o : (forall j, v' j = 0 \/ v' j = 1) -> 0 <= share v' L o.
Proof. intros H. destruct (share_whole v' H L o); lra. Qed.
Theorem sentinel_le L o t x : ok f win t -> summed f E logit at_z win L o t x -> refs reference t -> reference win
  -> share at_z L o <= 1 ->
  sentinel_is (share at_z L o) (ref win t) x.
Proof.
  assert (B01 : forall j, at_z j = 0 \/ at_z j = 1) by (intros j; unfold at_z; destruct (Nat.eqb j z); auto).
  intros H S. assert (Sapp : forall (w : nat -> R) a b, sum w (a ++ b) = sum w a + sum w b) by (intros w a b;
    induction a;
    simpl; lra).
  assert (R0 : rnd 0 = 0) by apply rnd_id, number_0. assert (R1 : rnd 1 = 1) by apply rnd_id, number_1.
  assert (ADD : forall sa sb m ya yb, sa + sb <= 1 -> number ya -> number yb -> sentinel_is sa m ya -> sentinel_is
    sb m yb -> sentinel_is (sa + sb) m (rnd (ya +
    yb))).
  { intros sa sb m ya yb Le Na Nb [[-> ->]|(-> & A & HA)] [[-> ->]|(-> & B & HB)].
    - rewrite !Rplus_0_l, R0. left; auto.
    - rewrite !Rplus_0_l, rnd_id by auto. right; auto.
    - rewrite !Rplus_0_r, rnd_id by auto. right; auto.
    - lra. }
  assert (LEAF : forall j m, number m -> logit j <= m -> reference m -> sentinel_is (at_z j) m (rnd (E (rnd (logit j
    - m)) * at_z j))).
  { intros j m Nm Hm Rm. destruct (E_bound f E HE (logit j) m (logit_number j) Nm Hm) as (B0 & NE & _).
    unfold at_z. destruct (Nat.eqb_spec j z) as [e|e].
    - subst j. rewrite lz_is in *. rewrite Rmult_1_r, rnd_id by auto. right. split; auto. split; auto. intros Hz.
      destruct Rm as [Lm| ->]. right. split; auto. now apply z_below. left. split; auto. apply E_self.
    - rewrite Rmult_0_r, R0. left; auto. }
  induction S; intros Rf Rw Le; cbn [ok] in H; cbn [ref refs] in *.
  - destruct H as (Nl & Nm & Hm). replace (share at_z [j] None) with (at_z j) by (unfold share; cbn [sum]; ring).
    apply LEAF; auto; tauto.
  - replace (share at_z [] (Some j)) with (at_z j) by (unfold share; cbn [sum]; ring). unfold at_z.
    destruct (Nat.eqb_spec j z) as [e|e]; [|left; auto]. right. split; auto. split. lra. intros _. left.
      split; auto. now rewrite <- H0, e.
  - destruct H as (Ha & Hb & Hm & Ra & Rb & Rw'). destruct Rf as (Fa & Fb & Fm).
    assert (Es : share at_z (La ++ Lb) o = share at_z La o + share at_z Lb None) by (unfold share; rewrite Sapp;
      lra). rewrite Es in *.
    assert (P1 := share_z at_z La o B01). assert (P2 := share_z at_z Lb None B01).
    assert (Sa := summed_nums f E HE logit at_z win B01 _ _ _ _ Ha S1).
      assert (Sb := summed_nums f E HE logit at_z win B01 _ _ _ _ Hb S2).
    assert (Na := nums_number f E HE win a x Ha Sa). assert (Nb := nums_number f E HE win b y Hb Sb).
    destruct (sentinel_resc _ _ _ m (ref_number f win win_number a Ha) Hm Na Ra Fm (IHS1 Ha Fa Rw ltac:(lra))) as [_
      A].
    destruct (sentinel_resc _ _ _ m (ref_number f win win_number b Hb) Hm Nb Rb Fm (IHS2 Hb Fb Rw ltac:(lra))) as [_
      B].
    apply ADD; auto; apply rnd_number.
  - destruct H as (Ha & Hb & Hm & Ra & Rb & Rw'). destruct Rf as (Fa & Fb & Fm).
    assert (Es : share at_z (La ++ Lb) o = share at_z La None + share at_z Lb o) by (unfold share; rewrite Sapp;
      lra). rewrite Es in *.
    assert (P1 := share_z at_z La None B01). assert (P2 := share_z at_z Lb o B01).
    assert (Sa := summed_nums f E HE logit at_z win B01 _ _ _ _ Ha S1).
      assert (Sb := summed_nums f E HE logit at_z win B01 _ _ _ _ Hb S2).
    assert (Na := nums_number f E HE win a x Ha Sa). assert (Nb := nums_number f E HE win b y Hb Sb).
    destruct (sentinel_resc _ _ _ m (ref_number f win win_number a Ha) Hm Na Ra Fm (IHS1 Ha Fa Rw ltac:(lra))) as [_
      A].
    destruct (sentinel_resc _ _ _ m (ref_number f win win_number b Hb) Hm Nb Rb Fm (IHS2 Hb Fb Rw ltac:(lra))) as [_
      B].
    apply ADD; auto; apply rnd_number.
  - destruct H as (Ha & Hm & Ra). destruct Rf as (Fa & Fm).
    assert (Es : share at_z (j :: L) o = share at_z L o + at_z j) by (unfold share; cbn [sum]; lra). rewrite Es in *.
    assert (P1 := share_z at_z L o B01). assert (Pj : 0 <= at_z j) by (destruct (B01 j); lra).
    assert (Sa := summed_nums f E HE logit at_z win B01 _ _ _ _ Ha S).
      assert (Na := nums_number f E HE win a x Ha Sa).
    destruct (sentinel_resc _ _ _ (logit j) (ref_number f win win_number a Ha) Hm Na ltac:(lra) Fm (IHS Ha Fa Rw
      ltac:(lra))) as [A A'].
    unfold at_z in *. destruct (Nat.eqb_spec j z) as [e|e].
    + assert (Z0 : share (fun j0 => if Nat.eqb j0 z then 1 else 0) L o = 0) by lra.
      destruct A as [[_ A]|[A _]]; [|lra].
      change (share (fun j0 => if Nat.eqb j0 z then 1 else 0) L o = 0) in Z0. rewrite Z0, A, !Rplus_0_l, R1. right.
        split; auto. split. lra.
      intros _. left. split; auto. now rewrite e.
    + rewrite !Rplus_0_r. exact A'.
  - assert (Es : share at_z L (Some j) = share at_z L None + at_z j) by (unfold share; lra). rewrite Es in *.
    assert (P1 := share_z at_z L None B01). assert (Pj : 0 <= at_z j) by (destruct (B01 j); lra).
      assert (Rl := ref_le f win a H).
    assert (Sa := summed_nums f E HE logit at_z win B01 _ _ _ _ H S). assert (Na := nums_number f E HE win a x H Sa).
    destruct (sentinel_resc _ _ _ win (ref_number f win win_number a H) win_number Na Rl Rw (IHS H Rf Rw
      ltac:(lra))) as [A A'].
    unfold at_z in *. destruct (Nat.eqb_spec j z) as [e|e].
    + assert (Z0 : share (fun j0 => if Nat.eqb j0 z then 1 else 0) L None = 0) by lra.
      destruct A as [[_ A]|[A _]]; [|lra].
      rewrite Z0, A, !Rplus_0_l, R1. right. split; auto. split. lra. intros _. left. split; auto.
        now rewrite <- H0, e.
    + rewrite !Rplus_0_r. exact A'.
Qed.
End Compare.

(* ---- the whole row: m other keys ---- *)
Lemma refs_impl (P Q : R -> Prop) t : (forall m, P m -> Q m) -> refs P t -> refs Q t.
Proof. intros H. induction t; cbn [refs]; intuition. Qed.
Lemma sum_once (g : nat -> R) K z : NoDup K -> In z K -> sum (fun j => if Nat.eqb j z then g j else 0) K = g z.
Proof.
  induction K as [|a K IH]; intros N H. destruct H. inversion N as [|? ? Na Nk]; subst. cbn [sum].
  destruct H as [->|H].
  - rewrite Nat.eqb_refl. assert (sum (fun j => if Nat.eqb j z then g j else 0) K = 0); [|lra].
    transitivity (sum (fun _ : nat => 0) K). apply sum_ext. intros j Hj. destruct (Nat.eqb_spec j z); auto.
      subst; contradiction.
    rewrite sum_const. ring.
  - destruct (Nat.eqb_spec a z). subst; contradiction. rewrite IH by auto. ring.
Qed.
Section Row.
Variable f : format.
Notation rnd := (rnd f). Notation number := (number f). Notation u := (u f). Notation tiny := (tiny f).
Variable E : R -> R.
Hypothesis HE : exp_model f E.
Hypothesis narrow : 8 * tiny <= u.
Variables (K : list nat) (z m M : nat) (logit : nat -> R) (x : R).
Hypothesis distinct : NoDup K.
Hypothesis has_z : In z K.
Hypothesis count : length K = S m.
Hypothesis some : (1 <= m)%nat.
Hypothesis len : (S m <= M)%nat.
Hypothesis logit_number : forall j, number (logit j).
Hypothesis lows : forall j, In j K -> j <> z -> low f (logit j).
Hypothesis row : softmax_row f f E AnyOrder logit (at_z z) K x.

Lemma sum_other : sum (other z) K = INR m.
Proof.
  assert (A : sum (other z) K + sum (at_z z) K = INR (length K)).
  { rewrite <- sum_plus, <- (Rmult_1_r (INR _)), <- sum_const. apply sum_ext. intros j _. unfold other, at_z.
    destruct (Nat.eqb j z); lra. }
  unfold at_z in A. rewrite (sum_once (fun _ => 1)) in A by auto. rewrite count, S_INR in A. lra.
Qed.
Lemma sum_z : sum (at_z z) K = 1.
Proof. unfold at_z. now apply (sum_once (fun _ => 1)). Qed.
Lemma at_z_01 j : at_z z j = 0 \/ at_z z j = 1.
Proof. unfold at_z. destruct (Nat.eqb j z); auto. Qed.

Definition false_bound D := ((1 + 2 * u) * exp D + tiny) / (INR m * ((1 - 2 * u) * (1 - u) ^ (2 * M))).
Theorem compare_any D : (1 + u) * (logit z + tiny) <= D -> (1 - u) * (logit z + tiny) <= D ->
  (tiny < logit z -> least f <= w0 f (logit z)) -> 0 <= x <= false_bound D * (1 + u) + tiny.
Proof.
  intros D1 D2 Nrm. assert (U := u_pos f). assert (Uh := u_le_half f). assert (T := tiny_pos f).
  unfold softmax_row in row. destruct K as [|k0 K0] eqn:EK; [destruct has_z|]. rewrite <- EK in *. clear EK.
  destruct row as (js & L & t & num & P & Top & [Ok Rf] & S & ->).
  assert (Ij : In js K) by (apply (Permutation_in _ P); now left).
  assert (Sh : forall w : nat -> R, share w L (Some js) = sum w K) by (intros w; rewrite <- (sum_perm w _ _ P);
    unfold share; cbn
      [sum]; lra).
  assert (Sz := summed_size f E logit (at_z z) _ _ _ _ _ S). cbn in Sz. assert (Lk := Permutation_length P).
    cbn in Lk.
  assert (Rw : reference f (logit z) (logit js)). { destruct (Nat.eq_dec js z) as [->|Hne]. right; auto. left.
    now apply lows. }
  assert (Rf' : refs (reference f (logit z)) t).
  { revert Rf. apply refs_impl. intros r (j & Hj & ->). destruct (Nat.eq_dec j z) as [->|Hne]. right; auto. left.
    now apply lows. }
  assert (Nr : near_row f logit z L (Some js)).
  { intros j Hj Hne. apply lows; auto. destruct Hj as [Hj|Hj]. apply (Permutation_in _ P). now right.
    now injection Hj as <-. }
  assert (Og := others_ge f E HE narrow logit (logit js) (logit z) z (logit_number js) (logit_number z) logit_number
    Nrm (at_z z) L (Some js) t num Ok S Rf' Nr Rw).
  assert (Sl := sentinel_le f E HE narrow logit (logit js) (logit z) z (logit_number js) (logit_number z)
    logit_number eq_refl L (Some js) t num Ok S Rf' Rw).
  rewrite Sh, sum_z in Sl. specialize (Sl (Rle_refl 1)). rewrite Sh, sum_other in Og.
  destruct (lemma1_any f E HE (logit js) (logit_number js) (u_half f) t Ok (summed_wins f E logit (at_z z) _ _ _ _ _
    S)) as [Er [V1 _]].
  rewrite Er in Og, Sl. set (den := val f E (logit js) t) in *. set (lz := logit z) in *.
  assert (m1 : 1 <= INR m) by (change 1 with (INR 1); apply le_INR; auto).
  destruct Sl as [[X _]|(_ & Num & Z3)]; [lra|].
  assert (eD := exp_pos D).
  destruct (pow_ge f (2 * M) (2 * M) (le_n _)) as [P0 _]. set (PM := (1 - u) ^ (2 * M)) in *.
  assert (Key : num * (INR m * ((1 - 2 * u) * PM)) <= ((1 + 2 * u) * exp D + tiny) * den).
  { destruct Og as [X|[(_ & Lr & Y1 & B)|(_ & Ez & Hz & B)]]; [lra| |].
    - destruct (pow_ge f (size t) (2 * M) ltac:(lia)) as [_ P1]. fold PM in P1.
      assert (B' : INR m * PM <= den) by (eapply Rle_trans; [|apply B]; apply Rmult_le_compat_l; lra).
      assert (Nm : num * (1 - 2 * u) <= (1 + 2 * u) * exp D + tiny).
      { apply Rle_trans with num. nra. destruct (Rlt_le_dec lz (- tiny)) as [Hz|Hz].
        - destruct (Z3 Hz) as [[Ew _]|[_ Zm]]. { exfalso. rewrite Ew in Lr. unfold low in Lr.
          apply Rabs_le_inv in Lr. lra. }
          eapply Rle_trans; [apply Zm|]. unfold z_max. apply Rplus_le_compat_r. apply Rmult_le_compat_l. lra.
            now apply exp_mono.
        - assert (1 <= exp D). { rewrite <- exp_0. apply exp_mono.
          assert (0 <= (1 + u) * (lz + tiny)) by (apply Rmult_le_pos; lra). lra. }
          nra. }
      replace (num * (INR m * ((1 - 2 * u) * PM))) with ((num * (1 - 2 * u)) * (INR m * PM)) by ring.
      apply Rmult_le_compat; auto. nra. nra.
    - destruct (pow_ge f (2 * size t) (2 * M) ltac:(lia)) as [_ P1]. fold PM in P1.
      assert (W : (1 - 2 * u) <= exp D * w0 f lz).
      { unfold w0. replace (exp D * ((1 - 2 * u) * exp (- ((1 + u) * (lz + tiny))))) with ((1 - 2 * u) * exp (D - (1
        + u) * (lz + tiny))).
        2:{ unfold Rminus at 2. rewrite exp_plus. ring. }
        assert (X : exp 0 <= exp (D - (1 + u) * (lz + tiny))) by (apply exp_mono; lra). rewrite exp_0 in X. nra. }
      assert (W0 : 0 < w0 f lz) by (unfold w0; apply Rmult_lt_0_compat; [lra|apply exp_pos]).
      apply Rle_trans with (exp D * den). 2:{ apply Rmult_le_compat_r; nra. }
      apply Rle_trans with (exp D * (INR m * w0 f lz * PM)).
      2:{ apply Rmult_le_compat_l. lra. eapply Rle_trans; [|apply B]. apply Rmult_le_compat_l; auto.
        apply Rmult_le_pos; lra. }
      replace (exp D * (INR m * w0 f lz * PM)) with ((exp D * w0 f lz) * (INR m * PM)) by ring.
      replace (num * (INR m * ((1 - 2 * u) * PM))) with ((num * (1 - 2 * u)) * (INR m * PM)) by ring.
      apply Rmult_le_compat_r. apply Rmult_le_pos; lra. nra. }
  assert (dm : 0 < INR m * ((1 - 2 * u) * PM)) by (apply Rmult_lt_0_compat; [lra|apply Rmult_lt_0_compat; lra]).
  assert (Q : 0 <= num / den <= false_bound D).
  { split. apply Rmult_le_pos. lra. left. apply Rinv_0_lt_compat. lra.
    unfold false_bound. fold PM. apply Rmult_le_reg_r with (den * (INR m * ((1 - 2 * u) * PM))).
      apply Rmult_lt_0_compat; lra.
    replace (num / den * (den * (INR m * ((1 - 2 * u) * PM)))) with (num * (INR m * ((1 - 2 * u) * PM))) by (field;
      lra).
    replace (((1 + 2 * u) * exp D + tiny) / (INR m * ((1 - 2 * u) * PM)) * (den * (INR m * ((1 - 2 * u) * PM))))
      with (((1 + 2 * u) * exp D + tiny) * den);
      auto. field. repeat split; lra. }
  unfold quotient. rewrite (rnd_id f (rnd _)) by apply rnd_number. split. apply rnd_ge. apply number_0. lra.
  generalize (rnd_error f (num / den)). rewrite (Rabs_pos_eq (num / den)) by lra. intros X. apply Rabs_le_inv in X.
    nra.
Qed.
Theorem compare_any_true rest : tiny < logit z -> INR m * exp ((1 - u) * (tiny - logit z)) + 2 * INR M ^ 2 * tiny <=
  rest ->
  2 * (1 + u) ^ (4 * M) * rest <= 1 -> Rabs (x - 1) <= error_row f M rest /\ 0 <= x.
Proof.
  intros Hz Hr H1. assert (U := u_pos f). assert (Uh := u_le_half f). assert (T := tiny_pos f).
  unfold softmax_row in row. destruct K as [|k0 K0] eqn:EK; [destruct has_z|]. rewrite <- EK in *. clear EK.
  destruct row as (js & L & t & num & P & Top & [Ok _] & S & ->).
  assert (Ij : In js K) by (apply (Permutation_in _ P); now left).
  assert (js = z). { destruct (Nat.eq_dec js z) as [|Hne]; auto. assert (A := Top z has_z).
    assert (B := lows js Ij Hne).
    unfold low in B. apply Rabs_le_inv in B. lra. } subst js.
  assert (Sz := summed_size f E logit (at_z z) _ _ _ _ _ S). cbn in Sz. assert (Lk := Permutation_length P).
    cbn in Lk.
  assert (nd : NoDup (z :: L)) by (apply (Permutation_NoDup (Permutation_sym P)); auto).
    inversion nd as [|? ? nz nl]; subst.
  destruct (winner_any f E HE L z M logit (at_z z) t num rest at_z_01 (logit_number z)) as [A B]; auto. lia.
  - rewrite (summed_mass _ _ _ _ _ _ _ _ _ (logit z) S). eapply Rle_trans; [|apply Hr]. apply Rplus_le_compat.
    + replace (INR m) with (INR (length L)) by (f_equal; lia). rewrite <- sum_const. apply sum_le. intros j Hj.
      apply exp_mono.
      apply Rmult_le_compat_l. lra. assert (X : low f (logit j)). { apply lows. apply (Permutation_in _ P).
        now right. intros ->. contradiction. }
      unfold low in X. apply Rabs_le_inv in X. lra.
    + apply Rmult_le_compat_r. lra. apply Rmult_le_compat_l. lra. apply pow_incr. split. apply pos_INR.
      apply le_INR. lia.
  - unfold quotient. rewrite (rnd_id f (rnd _)) by apply rnd_number. unfold at_z in A. rewrite Nat.eqb_refl in A.
    split; auto. tauto.
Qed.
End Row.
