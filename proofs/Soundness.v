(* doc/certificate.md: if the inequalities hold, every possible run in floating point gives the formula's truth, at
  every position of every
   string of up to M positions. Here for letters, negation, conjunction, since, until, yesterday and next, by
     temperature, stored in fs and
   summed in fa, in both orders.

   since_sound   since and until; the other blocks are in SoundFormulas.v and SoundCompare.v, all together in
     Sound.v *)
From Coq Require Import ZArith Reals Lia Lra Psatz List Bool Arith.
From Flocq Require Import Core.
From Temper Require Import Rows Heads Format Sums Nearest NearestAny Rounding Strings Programs Compile Temporal
  FloatRun NearestHead.
Import ListNotations.
Local Open Scope R_scope.

Ltac small f := match goal with |- context [rnd f ?x] =>
  first [rewrite (rnd_small f x 0) by first [lra | lia] | rewrite (rnd_small f x 1) by first [lra | lia] | rewrite
    (rnd_small f x (-1)) by first [lra | lia]
        | rewrite (rnd_small f x 2) by first [lra | lia] | rewrite (rnd_small f x (-2)) by first [lra | lia]] end.

Section Soundness.
Context {A : Type}.
Variable tail : bool.
Variables fs fa : format.
Hypothesis incl : forall x, number fs x -> number fa x.
Hypothesis fine : fs = fa \/ 2 * tiny fa <= tiny fs.
Hypothesis bits : (3 <= prec fs)%Z.
Hypothesis bits_a : (4 <= prec fa)%Z.
Variable E : (R -> R) -> Prop.                             (* each row has one of these *)
Hypothesis HE : forall E0, E E0 -> exp_model fa E0.
Variable ord : order.
Variables (M : nat) (k : Z) (stored_error : R).
Hypothesis stored_ok : forall x, number fa x -> Rabs x <= 2 -> Rabs (rnd fs x - x) <= stored_error.
Hypothesis size_M : (Z.of_nat M <= 2 ^ prec fa)%Z.
Hypothesis size_k : 16 * INR M < bpow radix2 k.
Hypothesis near : near_ok fs fa ord M k stored_error.
Notation N := (N tail). Notation keys := (keys tail). Notation float_run := (float_run tail fs fa E ord).
  Notation float_row := (float_row fs fa).
Notation eta := (eta fs fa M k stored_error).

Definition float_computes (p : prog A) (c : nat) (f : form A) : Prop :=
  forall w e, (N w <= M)%nat -> float_run w p e -> forall i, (i < N w)%nat -> chan e c i = truth w f i.

Section Block.
Variables (p bl : prog A) (w : list A) (e : env).
Hypothesis Gp : good p.
Hypothesis NM : (N w <= M)%nat.
Hypothesis Run : float_run w (p ++ bl) e.
Let L := length p.
Lemma fb_real i : (i < N w)%nat -> chan e 0 i = real w i.
Proof using Gp Run.
  intros Hi. assert (H := float_run_at tail fs fa E ord w (p ++ bl) e 0 real_def Run (good_app p bl Gp) i Hi).
    cbn in H. rewrite H.
  unfold real, letter. now destruct (at_ w i).
Qed.
Lemma fb_old c f i : (c < L)%nat -> float_computes p c f -> (i < N w)%nat -> chan e c i = truth w f i.
Proof using NM Run.
  intros Hc H Hi. rewrite <- (H w (firstn L e) NM (float_run_prefix tail fs fa E ord w p bl e Run) i Hi).
    now rewrite chan_firstn.
Qed.
Lemma fb_at j d i : nth_error bl j = Some d -> (i < N w)%nat -> True -> float_def tail fs fa E ord w (firstn (L + j)
  e) d (fun i => chan e (L + j) i).
Proof using Run.
  intros H _ _. apply (float_run_at tail fs fa E ord w (p ++ bl)); auto.
    rewrite nth_error_app2 by apply Nat.le_add_r. unfold L. now rewrite Nat.add_comm, Nat.add_sub.
Qed.
Lemma row_prefix m r i : (forall t, In t r -> (snd t < m)%nat) -> float_row (firstn m e) r i = float_row e r i.
Proof. intros H. unfold FloatRun.float_row, terms. do 2 f_equal. apply map_ext_in. intros t Ht.
  rewrite chan_firstn; auto. Qed.
Lemma fb_feature j g i : nth_error bl j = Some (Feature g) -> (i < N w)%nat -> expression fs (g i (N w)) (chan e (L +
  j) i).
Proof using Run. intros H Hi. exact (fb_at j _ i H Hi I i Hi). Qed.
Lemma fb_net j us i : nth_error bl j = Some (Net us) -> (i < N w)%nat -> (forall t x, In t us -> In x (snd (fst t))
  -> (snd x < L + j)%nat) ->
  chan e (L + j) i = float_net fs fa e us i.
Proof using Run.
  intros H Hi Hu. assert (X := fb_at j _ i H Hi I i Hi). cbn in X. rewrite X. unfold float_net, hidden, terms.
    do 2 f_equal. apply map_ext_in. intros t Ht.
  replace (map (fun t0 => rnd fa (fst t0 * chan (firstn (L + j) e) (snd t0) i)) (snd (fst t))) with (map (fun t0 =>
    rnd fa (fst t0 * chan e (snd t0) i)) (snd (fst t))); auto.
  apply map_ext_in. intros x Hx. rewrite chan_firstn; auto. eapply Hu; eauto.
Qed.
Lemma fb_head j m scale qk v i : nth_error bl j = Some (Head m scale qk v) -> (i < N w)%nat ->
  (forall t, In t qk -> (forall x, In x (fst t) -> (snd x < L + j)%nat) /\ (forall x, In x (snd t) -> (snd x < L +
    j)%nat)) ->
  (forall x, In x v -> (snd x < L + j)%nat) ->
  exists lam logit, expression fa (scale (N w)) lam /\ (forall j, number fa (logit j)) /\
    (forall j', In j' (keys w m i) -> logit_of fa ord lam (pairs fs fa e qk i j') (logit j')) /\
    exists E0, E E0 /\ softmax_row fs fa E0 ord logit (fun j' => float_row e v j') (keys w m i) (chan e (L + j) i).
Proof using Run.
  intros H Hi Hq Hv. destruct (fb_at j _ i H Hi I i Hi) as (lam & logit & H1 & H2 & H3 & E0 & I0 & H4).
    exists lam, logit.
    split; auto. split; auto. split.
  - intros j' Hj. specialize (H3 j' Hj). replace (pairs fs fa e qk i j') with (pairs fs fa (firstn (L + j) e) qk i
    j'); auto.
    unfold pairs. apply map_ext_in. intros t Ht. destruct (Hq t Ht). rewrite !row_prefix; auto.
  - exists E0. split; auto.
    replace (fun j' => float_row e v j') with (fun j' => float_row (firstn (L + j) e) v j'); auto.
    apply FunctionalExtensionality.functional_extensionality. intros j'. now apply row_prefix.
Qed.
Lemma fb_round j c i f : nth_error bl j = Some (round_raw c) -> (i < N w)%nat -> (c < L + j)%nat -> number fs (chan e
  c i) -> 0 <= chan e c i ->
  (exists b, (b = 0 \/ b = 1) /\ Rabs (chan e c i - b) <= / 4 /\ (letter w i = true -> b = truth w f i)) -> chan e (L
    + j) i = truth w f i.
Proof using Gp Run incl bits bits_a.
  intros H Hi Hc Na A0 (b & Hb & Nb & Lb). assert (P := good_pos p Gp).
  rewrite (fb_net j _ i H Hi). 2:{ fold L in P. clear - Hc P. rows. }
  change (float_net fs fa e _ i) with (raw_ramp fs fa (chan e c i) (chan e 0 i)). rewrite fb_real by auto.
  rewrite (round_raw_ok fs fa incl bits bits_a (chan e c i) (real w i) b); auto.
  - unfold real. destruct (letter w i) eqn:Li. rewrite (Lb eq_refl). lra. rewrite truth_sentinel by auto. lra.
  - unfold real. destruct (letter w i); auto.
Qed.
End Block.

Lemma number_truth w (f : form A) i g : number g (truth w f i).
Proof. destruct (truth_01 w f i) as [-> | ->]. apply number_0. apply number_1. Qed.
Lemma row_one (e : env) c i : number fs (chan e c i) -> float_row e [(1, c)] i = chan e c i.
Proof.
  intros H. unfold FloatRun.float_row, terms. cbn [map asc fst snd]. rewrite Rmult_1_l, (rnd_id fa (chan e c i)) by
    auto.
  rewrite Rplus_0_l, (rnd_id fa (chan e c i)) by auto. now apply rnd_id.
Qed.
Lemma softmax_number E0 logit v K x : softmax_row fs fa E0 ord logit v K x -> number fs x.
Proof.
  clear near. unfold softmax_row. destruct K. intros ->. apply number_0. destruct ord. intros (t & _ & _ & ->).
    apply rnd_number.
  intros (j & l & t & m & _ & _ & _ & _ & ->). apply rnd_number.
Qed.
(* one pair of rows whose query is 1: both ways give the same logit *)
Lemma logit_one lam key l : number fa lam -> number fa key -> logit_of fa ord lam [(1, key)] l -> moved fa ord (rnd
  fa (lam * key)) l.
Proof.
  intros Nl Nk [s D M'|s D M'].
  - inversion D as [|? ? ? ? ? D'|? ? ? ? ? D']; subst; inversion D'; subst; revert M'; rewrite Rmult_1_l, ?(rnd_id
    fa key), Rplus_0_l, (rnd_id fa key) by auto; auto.
  - cbn [map fst snd] in D. rewrite Rmult_1_r, (rnd_id fa lam) in D by auto.
    inversion D as [|? ? ? ? ? D'|? ? ? ? ? D']; subst; inversion D'; subst; revert M'; rewrite Rplus_0_l, ?(rnd_id
      fa (rnd fa _)) by apply rnd_number; auto.
Qed.
Lemma scale_exact n lam : (n <= M)%nat -> expression fa (kappa * INR n) lam -> lam = 8 * INR n /\ number fa lam.
Proof.
  intros Hn [_ H]. assert (X : number fa (kappa * INR n)).
  { apply (number_mult fa _ (Z.of_nat n) 3). rewrite <- INR_IZR_INZ. unfold kappa. simpl. lra. lia.
    generalize (emin_neg fa) (prec_ge_2 fa); lia. }
  rewrite (H X). auto.
Qed.

Lemma negation_sound p c a : good p -> (c < length p)%nat -> float_computes p c a -> float_computes (p ++ [negation
  c]) (length p) (Neg a).
Proof.
  intros G Hc Ha w e NM Run i Hi. assert (P := good_pos p G). rewrite <- (Nat.add_0_r (length p)).
  rewrite (fb_net p _ w e Run 0 _ i eq_refl Hi) by rows. unfold float_net, hidden, terms. cbn [map asc fst snd].
  rewrite (fb_real p _ w e G Run i Hi), (fb_old p _ w e NM Run c a i Hc Ha Hi). unfold real, truth. cbn [sat].
  destruct (letter w i) eqn:Li; cbn [andb].
  - destruct (sat w a i); cbn [negb]; repeat first [small fa | small fs | rewrite relu_neg by lra | rewrite relu_pos
    by lra]; reflexivity.
  - destruct (sat w a i) eqn:X. apply sat_letter in X; congruence.
    repeat first [small fa | small fs | rewrite relu_neg by lra | rewrite relu_pos by lra]; reflexivity.
Qed.
Lemma conjunction_sound p c1 c2 a b : good p -> (c1 < length p)%nat -> (c2 < length p)%nat -> float_computes p c1 a
  -> float_computes p c2 b ->
  float_computes (p ++ [conjunction c1 c2]) (length p) (Conj a b).
Proof.
  intros G H1 H2 Ha Hb w e NM Run i Hi. assert (P := good_pos p G). rewrite <- (Nat.add_0_r (length p)).
  rewrite (fb_net p _ w e Run 0 _ i eq_refl Hi) by rows. unfold float_net, hidden, terms. cbn [map asc fst snd].
  rewrite (fb_real p _ w e G Run i Hi), (fb_old p _ w e NM Run c1 a i H1 Ha Hi), (fb_old p _ w e NM Run c2 b i H2 Hb
    Hi). unfold real, truth. cbn [sat].
  destruct (letter w i) eqn:Li.
  - destruct (sat w a i), (sat w b i); cbn [andb]; repeat first [small fa | small fs | rewrite relu_neg by lra |
    rewrite relu_pos by lra]; reflexivity.
  - destruct (sat w a i) eqn:X. apply sat_letter in X; congruence. destruct (sat w b i) eqn:Y.
    apply sat_letter in Y; congruence.
    cbn [andb]. repeat first [small fa | small fs | rewrite relu_neg by lra | rewrite relu_pos by lra]; reflexivity.
Qed.

Lemma candidate_sound p ca cb a b d w e j : good p -> (ca < length p)%nat -> (cb < length p)%nat ->
  float_computes p ca a -> float_computes p cb b -> (N w <= M)%nat ->
  float_run w (p ++ since_block Temperature d (length p) ca cb) e -> (j < N w)%nat ->
  chan e (length p) j = ind (cand w a b j).
Proof.
  intros G H1 H2 Ha Hb NM Run Hj. assert (P := good_pos p G). rewrite <- (Nat.add_0_r (length p)).
  rewrite (fb_net p _ w e Run 0 _ j eq_refl Hj) by rows. unfold float_net, hidden, terms. cbn [map asc fst snd].
  rewrite (fb_real p _ w e G Run j Hj), (fb_old p _ w e NM Run ca a j H1 Ha Hj), (fb_old p _ w e NM Run cb b j H2 Hb
    Hj).
  unfold ind, cand, truth, real. destruct (letter w j) eqn:Lj.
  - destruct (sat w a j), (sat w b j); cbn [andb orb negb]; repeat first [small fa | small fs | rewrite relu_neg by
    lra | rewrite relu_pos by lra]; reflexivity.
  - destruct (sat w a j) eqn:X1. apply sat_letter in X1; congruence. destruct (sat w b j) eqn:X2.
    apply sat_letter in X2; congruence.
    cbn [andb]. repeat first [small fa | small fs | rewrite relu_neg by lra | rewrite relu_pos by lra]; reflexivity.
Qed.

Lemma position_feature (w : list A) (x : R) j : (j < N w)%nat -> expression fs (INR j / INR (N w)) x ->
  number fs x /\ Rabs x <= 1 /\ Rabs (x - INR j / INR (N w)) <= f64_error + (u fs * / 2 + / 2 * tiny fs).
Proof.
  intros Hj H. assert (N0 := N_pos tail w). assert (J0 := pos_INR j). assert (JN : INR j <= INR (N w)) by (apply
    le_INR; lia).
  assert (B : Rabs (INR j / INR (N w)) <= 1).
  { rewrite Rabs_pos_eq. apply Rmult_le_reg_r with (INR (N w)); auto. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l by lra. lra.
    apply Rmult_le_pos; auto. left. now apply Rinv_0_lt_compat. }
  destruct (feature_off fs fa M _ _ H B). split; auto. destruct H as [(y' & _ & _ & ->) _]. apply rnd_number.
Qed.
Lemma sign_number d x : number fs x -> number fs (sign d * x) /\ rnd fa (sign d * x) = sign d * x.
Proof.
  intros H. assert (X : number fs (sign d * x)). { destruct d; cbn [sign]. now rewrite Rmult_1_l.
    replace (-1 * x) with (- x) by ring. now apply number_opp. }
  split; auto. now apply rnd_id, incl.
Qed.
Lemma sign_abs d x y eps : Rabs (x - y) <= eps -> Rabs (sign d * x - sign d * y) <= eps.
Proof.
  intros H. destruct d; cbn [sign]. now rewrite !Rmult_1_l. replace (-1 * x - -1 * y) with (- (x - y)) by ring.
    now rewrite Rabs_Ropp.
Qed.
Lemma sign_le d x y : Rabs x <= y -> Rabs (sign d * x) <= y.
Proof. intros H. assert (X := sign_abs d x 0 y). rewrite Rmult_0_r, !Rminus_0_r in X. auto. Qed.

Theorem since_sound p ca cb a b d : good p -> (ca < length p)%nat -> (cb < length p)%nat -> float_computes p ca a ->
  float_computes p cb b ->
  float_computes (p ++ since_block Temperature d (length p) ca cb) (length p + 5) (Since d a b).
Proof.
  intros G H1 H2 Ha Hb w e NM Run i Hi. set (L := length p) in *. set (bl := since_block Temperature d L ca cb) in *.
    assert (P := good_pos p G). fold L in P.
  set (cj := fun j => ind (cand w a b j)).
  assert (C : forall j, (j < N w)%nat -> chan e L j = cj j) by (intros j Hj; now apply (candidate_sound p ca cb a b
    d)).
  destruct (fb_head p bl w e Run 4 _ _ _ _ i eq_refl Hi) as (lam & logit & Hl & Nl & Lg & E0 & I0 & SR).
  { fold L. cbn [by_method]. rows. } { fold L. rows. }
  fold L in Lg, SR. set (K := keys w (mask_of d) i) in *.
  cbn [by_method] in Hl. destruct (scale_exact (N w) lam NM Hl) as [-> Nlam].
  assert (V : forall j, (j < N w)%nat -> float_row e [(1, cb)] j = truth w b j).
  { intros j Hj. rewrite row_one; rewrite (fb_old p bl w e NM Run cb b j H2 Hb Hj); auto. apply number_truth. }
  assert (IK : forall j, In j K -> (j < N w)%nat) by (intros j Hj; apply in_keys in Hj; tauto).
  assert (SR' : softmax_row fs fa E0 ord logit (truth w b) K (chan e (L + 4) i)).
  { revert SR. apply softmax_ext. intros j Hj. apply V. now apply IK. }
  assert (Na : number fs (chan e (L + 4) i)) by (eapply softmax_number; eauto).
  set (shift := 8 * match d with Past => 0 | Future => - INR (N w - 1) end).
  assert (Off : forall j, In j K -> Rabs (logit j - (8 * INR (N w) * cj j + 8 * INR (num d (N w) j) + shift)) <= eta).
  { intros j Hj. assert (Hj' := IK j Hj). assert (N0 := N_pos tail w). specialize (Lg j Hj).
    cbn [by_method pairs map fst snd] in Lg.
    assert (F1 : chan e (L + 1) i = 1). { unfold L. destruct (fb_feature p bl w e Run 1 _ i eq_refl Hi) as [_ X].
      apply X. apply number_1. }
    rewrite (row_one e (L + 1) i) in Lg by (rewrite F1; apply number_1). rewrite F1 in Lg.
    destruct (position_feature w _ j Hj' (fb_feature p bl w e Run 3 _ j eq_refl Hj')) as (Nx & X1 & X2).
      fold L in Nx, X1, X2.
    set (x := chan e (L + 3) j) in *. destruct (sign_number d x Nx) as [Nsx Rsx].
    assert (Key : float_row e [(1, L); (sign d, (L + 3)%nat)] j = rnd fs (rnd fa (cj j + sign d * x))).
    { unfold FloatRun.float_row, terms. cbn [map asc fst snd]. fold x. rewrite Rsx, (C j Hj'). unfold cj, ind.
      destruct (cand w a b j); repeat small fa; reflexivity. }
    rewrite Key in Lg. apply logit_one in Lg; auto. 2: apply incl, rnd_number.
    assert (cB : cj j = 0 \/ cj j = 1) by (unfold cj, ind; destruct (cand w a b j); auto).
    destruct (key_off fs fa M stored_error stored_ok (cj j) (sign d * x) (sign d * (INR j / INR (N w))) cB Nsx
      (sign_le d x 1 X1) (sign_abs d _ _ _ X2)) as [K1 K2].
    assert (Z := nearest_logit fs fa ord M k stored_error size_M (N w) _ _ _ size_k ltac:(lia) K1 K2 Lg).
    replace (8 * INR (N w) * cj j + 8 * INR (num d (N w) j) + shift) with (8 * INR (N w) * (cj j + sign d * (INR j /
      INR (N w)))); auto.
    unfold shift. assert (S := num_sign d (N w) j Hj'). transitivity (8 * INR (N w) * cj j + 8 * (sign d * INR j)).
      field; lra. rewrite S. ring. }
  assert (Both : 0 <= chan e (L + 4) i /\ exists y, (y = 0 \/ y = 1) /\ Rabs (chan e (L + 4) i - y) <= / 4 /\ (letter
    w i = true -> y = truth w (Since d a b) i)).
  { destruct (greatest (cand w a b) (num d (N w)) K) as [None_|(js & J1 & J2 & J3)].
    - assert (Z : chan e (L + 4) i = 0).
      { apply (softmax_zero fs fa E0 ord logit (truth w b) K); auto. intros j Hj. specialize (None_ j Hj).
        unfold truth. destruct (sat w b j) eqn:X; auto.
        unfold cand in None_. rewrite X, (sat_letter _ _ _ X) in None_. discriminate. }
      rewrite Z. split. lra. exists 0. rewrite Rminus_0_r, Rabs_R0. split; auto. split. lra. intros Li.
      unfold truth. rewrite (since_none tail); auto. intros j Hj Sj. apply None_. apply in_mask. auto.
    - destruct (nearest_far fs fa incl fine E0 (HE E0 I0) ord M eta (N w) K (num d (N w)) cj (truth w b) logit
      shift js (chan e (L + 4) i) near NM) as [N1 N2]; auto.
      + apply keys_NoDup.
      + apply keys_length.
      + intros j Hj. apply num_lt. now apply IK.
      + intros x y Hx Hy. apply num_inj; now apply IK.
      + intros j _. unfold cj, ind. destruct (cand w a b j); auto.
      + intros; apply truth_01.
      + unfold cj, ind. now rewrite J2.
      + intros j Hj. unfold cj, ind. destruct (cand w a b j) eqn:X; auto. intros; lra.
      + split; auto. exists (truth w b js). split. apply truth_01. split; auto. intros Li. apply in_mask in J1.
        destruct J1 as [Nj Sj].
        unfold truth. rewrite (since_nearest tail w d a b i js); auto. intros j Hj Sj' Cj. apply J3; auto.
          apply in_mask; auto. }
  apply (fb_round p bl w e G Run 5 (L + 4) i _ eq_refl Hi); try (fold L; lia); auto.
  - destruct Both as (B0 & _). exact B0.
  - destruct Both as (_ & B1). exact B1.
Qed.
End Soundness.
