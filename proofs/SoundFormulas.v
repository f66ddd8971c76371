(* doc/certificate.md: soundness of the blocks of yesterday, next and once.

   step_sound       yesterday and next
   once_sound       once *)
From Coq Require Import ZArith Reals Lia Lra Psatz List Bool Arith.
From Flocq Require Import Core.
From Temper Require Import Rows Heads Format Sums Nearest NearestAny Rounding Strings Programs Compile Temporal
  FloatRun NearestHead OnceHead OnceTree OnceAny Soundness.
Import ListNotations.
Local Open Scope R_scope.

Section Formulas.
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
Variable M : nat.
Hypothesis size_M : (Z.of_nat M <= 2 ^ prec fa)%Z.
(* logits of steps are off by no more than far *)
Variable far : R.
Hypothesis near : near_of fs fa ord M far.
Hypothesis logit_far : forall n key l z, (0 < n <= M)%nat -> Rabs key <= 1 -> Rabs (key - z) <= step_error fs ->
  moved fa ord (rnd fa (8 * INR n * key)) l -> Rabs (l - 8 * INR n * z) <= far.
Definition once_fine : Prop := match ord with Ascending => once_ok fs fa M | AnyOrder => fs = fa /\ once_any_ok fa M
  8 end.
Notation N := (N tail). Notation keys := (keys tail). Notation float_run := (float_run tail fs fa E ord).
  Notation float_row := (float_row fs fa).
Notation float_computes := (float_computes tail fs fa E ord M).

Theorem step_sound (p : prog A) c a d : good p -> dir_ok tail d -> (c < length p)%nat -> float_computes p c a ->
  float_computes (p ++ step_block Temperature d (length p) c) (length p + 3) (Step d a).
Proof.
  intros G Dk Hc Ha w e NM Run i Hi. set (L := length p) in *. set (bl := step_block Temperature d L c) in *.
  destruct (fb_head tail fs fa E ord p bl w e Run 2 _ _ _ _ i eq_refl Hi) as (lam & logit & Hl & Nl & Lg & E0 & I0 &
    SR).
  { fold L. rows. } { fold L. rows. }
  fold L in Lg, SR. set (K := keys w (strict_of d) i) in *.
  cbn [by_method] in Hl. destruct (scale_exact fa bits_a M size_M (N w) lam NM Hl) as [-> Nlam].
  assert (V : forall j, (j < N w)%nat -> float_row e [(1, c)] j = truth w a j).
  { intros j Hj. rewrite (row_one fs fa incl); rewrite (fb_old tail fs fa E ord M p bl w e NM Run c a j Hc Ha Hj);
    auto. apply number_truth. }
  assert (IK : forall j, In j K -> (j < N w)%nat) by (intros j Hj; apply in_keys in Hj; tauto).
  assert (SR' : softmax_row fs fa E0 ord logit (truth w a) K (chan e (L + 2) i)).
  { revert SR. apply softmax_ext. intros j Hj. apply V. now apply IK. }
  assert (Na : number fs (chan e (L + 2) i)) by (eapply softmax_number; eauto).
  set (shift := 8 * match d with Past => 0 | Future => - INR (N w - 1) end - 8 * INR (N w)).
  assert (Off : forall j, In j K -> Rabs (logit j - (8 * INR (N w) * 1 + 8 * INR (num d (N w) j) + shift)) <= far).
  { intros j Hj. assert (Hj' := IK j Hj). assert (N0 := N_pos tail w). specialize (Lg j Hj).
    cbn [by_method pairs map fst snd] in Lg.
    assert (F0 : chan e L i = 1). { rewrite <- (Nat.add_0_r L). unfold L.
      destruct (fb_feature tail fs fa E ord p bl w e Run 0 _ i eq_refl Hi) as [_ X]. apply X. apply number_1. }
    rewrite (row_one fs fa incl e L i) in Lg by (rewrite F0; apply number_1). rewrite F0 in Lg.
    destruct (position_feature tail fs fa M w _ j Hj' (fb_feature tail fs fa E ord p bl w e Run 1 _ j eq_refl Hj'))
      as (Nx & X1 & X2). fold L in Nx, X1, X2.
    set (x := chan e (L + 1) j) in *. destruct (sign_number fs fa incl d x Nx) as [Nsx Rsx].
    assert (Key : float_row e [(sign d, (L + 1)%nat)] j = sign d * x).
    { unfold FloatRun.float_row, terms. cbn [map asc fst snd]. fold x. rewrite Rsx, Rplus_0_l.
      rewrite (rnd_id fa (sign d * x)) by (apply incl; exact Nsx). now apply rnd_id. }
    rewrite Key in Lg. apply (logit_one fa ord) in Lg; auto.
    assert (Z := logit_far (N w) _ _ (sign d * (INR j / INR (N w))) ltac:(lia) (sign_le d x 1 X1) (sign_abs d _ _ _
      X2) Lg).
    replace (8 * INR (N w) * 1 + 8 * INR (num d (N w) j) + shift) with (8 * INR (N w) * (sign d * (INR j / INR (N
      w)))); auto.
    unfold shift. assert (S := num_sign d (N w) j Hj'). transitivity (8 * (sign d * INR j)). field; lra. rewrite S.
      ring. }
  assert (Both : 0 <= chan e (L + 2) i /\ exists y, (y = 0 \/ y = 1) /\ Rabs (chan e (L + 2) i - y) <= / 4 /\ (letter
    w i = true -> y = truth w (Step d a) i)).
  { destruct (greatest (fun _ => true) (num d (N w)) K) as [None_|(js & J1 & _ & J3)].
    - assert (Z : chan e (L + 2) i = 0).
      { apply (softmax_zero fs fa E0 ord logit (truth w a) K); auto. intros j Hj. specialize (None_ j Hj).
        discriminate. }
      rewrite Z. split. lra. exists 0. rewrite Rminus_0_r, Rabs_R0. split; auto. split. lra. intros Li. exfalso.
      assert (X : In (step d i) K); [|discriminate (None_ _ X)].
      apply in_keys. rewrite strict_passed. apply letter_iff in Li. unfold Programs.N.
        destruct d; unfold step, passed.
      + split. destruct tail; lia. apply Nat.ltb_lt; lia.
      + destruct Dk as [D|T]; [discriminate|]. rewrite T. split. lia. apply Nat.ltb_lt; lia.
    - destruct (nearest_far fs fa incl fine E0 (HE E0 I0) ord M far (N w) K (num d (N w)) (fun _ => 1) (truth w a)
      logit shift js (chan e (L + 2) i) near NM) as [N1 N2]; auto.
      + apply keys_NoDup.
      + apply keys_length.
      + intros j Hj. apply num_lt. now apply IK.
      + intros x y Hx Hy. apply num_inj; now apply IK.
      + intros; apply truth_01.
      + split; auto. exists (truth w a js). split. apply truth_01. split; auto. intros Li.
        assert (js = step d i).
        { apply in_keys in J1. rewrite strict_passed in J1. destruct J1 as [Nj Pj].
          assert (X : In (step d i) K). { apply in_keys. rewrite strict_passed. apply letter_iff in Li.
            unfold Programs.N in *. destruct d; unfold step, passed.
            split. destruct tail; lia. apply Nat.ltb_lt; lia. destruct Dk as [D|T]; [discriminate|]. rewrite T.
              split. lia. apply Nat.ltb_lt; lia. }
          assert (Y := J3 _ X eq_refl). apply in_keys in X. rewrite strict_passed in X. destruct X as [X1 X2].
          destruct d; simpl in *; apply Nat.ltb_lt in Pj, X2; lia. }
        subst js. unfold truth. cbn [sat]. now rewrite Li. }
  apply (fb_round tail fs fa incl bits bits_a E ord p bl w e G Run 3 (L + 2) i _ eq_refl Hi); try (fold L; lia); auto.
  - destruct Both as (B0 & _). exact B0.
  - destruct Both as (_ & B1). exact B1.
Qed.

Theorem once_sound (p : prog A) c a d : once_fine -> good p -> (c < length p)%nat -> float_computes p c a ->
  float_computes (p ++ once_block Temperature d (length p) c) (length p + 2) (Once d a).
Proof.
  intros OF G Hc Ha w e NM Run i Hi. set (L := length p) in *. set (bl := once_block Temperature d L c) in *.
  destruct (fb_head tail fs fa E ord p bl w e Run 1 _ _ _ _ i eq_refl Hi) as (lam & logit & Hl & Nl & Lg & E0 & I0 &
    SR).
  { fold L. rows. } { fold L. rows. }
  fold L in Lg, SR. set (K := keys w (mask_of d) i) in *. cbn [by_method] in Hl. change kappa with 8 in Hl.
  assert (Old : forall j, (j < N w)%nat -> chan e c j = truth w a j) by (intros; now apply (fb_old tail fs fa E ord M
    p bl w e NM Run c a)).
  assert (V : forall j, (j < N w)%nat -> float_row e [(1, c)] j = truth w a j).
  { intros j Hj. rewrite (row_one fs fa incl); rewrite (Old j Hj); auto. apply number_truth. }
  assert (IK : forall j, In j K -> (j < N w)%nat) by (intros j Hj; apply in_keys in Hj; tauto).
  assert (Np : (0 < N w)%nat) by lia. assert (Nlam := proj2 (scale_once fa (N w) lam Np Hl)).
  assert (F0 : chan e L i = 1). { rewrite <- (Nat.add_0_r L). unfold L. destruct (fb_feature tail fs fa E ord p bl w
    e Run 0 _ i eq_refl Hi) as [_ X]. apply X. apply number_1. }
  assert (Lg' : forall j, In j K -> moved fa ord (if sat w a j then lam else 0) (logit j)).
  { intros j Hj. specialize (Lg j Hj). cbn [pairs map fst snd] in Lg. rewrite (row_one fs fa incl e L i) in Lg by
    (rewrite F0; apply number_1).
    rewrite F0, (V j (IK j Hj)) in Lg. apply (logit_one fa ord) in Lg; auto. 2: apply number_truth.
    replace (rnd fa (lam * truth w a j)) with (if sat w a j then lam else 0) in Lg; auto.
    unfold truth. destruct (sat w a j). rewrite Rmult_1_r. symmetry. now apply rnd_id. rewrite Rmult_0_r. symmetry.
      apply rnd_id, number_0. }
  assert (SR' : softmax_row fs fa E0 ord logit (fun j => if sat w a j then 1 else 0) K (chan e (L + 1) i)).
  { revert SR. apply softmax_ext. intros j Hj. apply V. now apply IK. }
  assert (Na : number fs (chan e (L + 1) i)) by (eapply softmax_number; eauto).
  assert (Out : ((forall j, In j K -> sat w a j = false) -> chan e (L + 1) i = 0) /\
    (forall jc, In jc K -> sat w a jc = true -> Rabs (chan e (L + 1) i - 1) <= / 4 /\ 0 <= chan e (L + 1) i)).
  { assert (Hn : (0 < N w <= M)%nat) by lia. assert (Hk := keys_length tail w (mask_of d) i). fold K in Hk.
    clear - HE I0 OF Lg' SR' Nl Hl Hn Hk. unfold once_fine in OF. destruct ord.
    - apply (once_out fs fa E0 (HE E0 I0) M (N w) K (fun j => sat w a j) logit lam); auto. intros j Hj.
      now destruct (Lg' j Hj).
    - destruct OF as [Ef Oa]. rewrite Ef in SR'. assert (Q : once_any_error fa M 8 <= / 4) by apply Oa.
      destruct (once_any_out fa E0 (HE E0 I0) M 8 ltac:(lra) (N w) K (fun j => sat w a j) logit lam (chan e (L + 1)
        i)) as [O1
        O2]; auto.
      apply keys_NoDup. intros j Hj. now destruct (Lg' j Hj).
      split; auto. intros jc Hi' Hc'. destruct (O2 jc Hi' Hc'). split; lra. }
  destruct Out as [O1 O2].
  assert (Both : 0 <= chan e (L + 1) i /\ exists y, (y = 0 \/ y = 1) /\ Rabs (chan e (L + 1) i - y) <= / 4 /\ (letter
    w i = true -> y = truth w (Once d a) i)).
  { destruct (existsb (fun j => sat w a j) (seen w d i)) eqn:X.
    - apply existsb_exists in X. destruct X as (j & Hj & Sj). assert (Hj' := Hj). apply in_seen in Hj'.
      destruct Hj' as [Lj Hs].
      destruct (O2 j) as [N1 N2]; auto. apply in_mask. split; auto. now apply letter_N.
      split; auto. exists 1. split; auto. split; auto. intros Li. unfold truth. cbn [sat]. rewrite Li.
      assert (Y : existsb (fun j => sat w a j) (seen w d i) = true) by (apply existsb_exists; eauto). now rewrite Y.
    - assert (Z : chan e (L + 1) i = 0).
      { apply O1. intros j Hj. apply in_mask in Hj. destruct Hj as [Hj Sj]. destruct (sat w a j) eqn:Y; auto.
        assert (existsb (fun j => sat w a j) (seen w d i) = true); [|congruence]. apply existsb_exists. exists j.
          split; auto. apply in_seen. split; auto. now apply sat_letter in Y. }
      rewrite Z. split. lra. exists 0. rewrite Rminus_0_r, Rabs_R0. split; auto. split. lra. intros Li. unfold truth.
        cbn [sat]. now rewrite Li, X. }
  apply (fb_round tail fs fa incl bits bits_a E ord p bl w e G Run 2 (L + 1) i _ eq_refl Hi); try (fold L; lia); auto.
  - destruct Both as (B0 & _). exact B0.
  - destruct Both as (_ & B1). exact B1.
Qed.

Lemma float_extends (p q : prog A) c f : extends p q -> (c < length p)%nat -> float_computes p c f -> float_computes
  q c f.
Proof.
  intros [r ->] Hc H w e NM Run i Hi. now apply (fb_old tail fs fa E ord M p r w e NM Run c f i).
Qed.

End Formulas.
