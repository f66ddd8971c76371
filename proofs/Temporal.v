(* doc/theory.md, "Once" and "Nearest": the blocks of once, since, until, yesterday and next compute their formulas,
   by both methods, at every position of every string. *)
From Coq Require Import ZArith Reals Lia Lra Psatz List Bool Arith.
From Temper Require Import Rows Heads Strings Programs Compile.
Import ListNotations.
Local Open Scope R_scope.

Ltac rows := intros; repeat match goal with H : In _ (_ :: _) |- _ => destruct H as [<-|H] | H : In _ [] |- _ =>
  destruct H end;
  cbn [fst snd] in *; repeat match goal with |- _ /\ _ => split | |- forall _, _ => intros end;
  repeat match goal with H : In _ (_ :: _) |- _ => destruct H as [<-|H] | H : In _ [] |- _ => destruct H end; cbn
    [fst snd] in *; try lia.

Section Temporal.
Context {A : Type}.
Variable tail : bool.
Notation N := (N tail). Notation run := (run tail). Notation keys := (keys tail).
Variable me : method.

(* the statement: channel c of program p is the truth of f, at every position of every string, sentinels included *)
Definition computes (p : prog A) (c : nat) (f : form A) : Prop :=
  forall w i, (i < N w)%nat -> chan (run w p) c i = truth w f i.
Definition good (p : prog A) : Prop := nth_error p 0 = Some real_def.
Definition extends (p p' : prog A) : Prop := exists q, p' = p ++ q.

Lemma good_pos p : good p -> (0 < length p)%nat.
Proof. unfold good. destruct p; simpl; [discriminate|lia]. Qed.
Lemma good_app p q : good p -> good (p ++ q).
Proof. unfold good. destruct p; simpl; [discriminate|auto]. Qed.
Lemma good_real w p i : good p -> chan (run w p) 0 i = real w i.
Proof.
  intros G. assert (X := at_block tail w [] p 0 real_def i G). simpl app in X. simpl length in X. simpl plus in X.
    rewrite X.
  unfold real, letter. simpl. destruct (at_ w i); auto.
Qed.
Lemma computes_app p q c f : (c < length p)%nat -> computes p c f -> computes (p ++ q) c f.
Proof. intros Hc H w i Hi. rewrite run_keep; auto. Qed.
Lemma extends_app p q : extends p (p ++ q).
Proof. now exists q. Qed.
Lemma extends_trans p q r : extends p q -> extends q r -> extends p r.
Proof. intros [a ->] [b ->]. exists (a ++ b). now rewrite app_assoc. Qed.
Lemma extends_good p q : extends p q -> good p -> good q.
Proof. intros [a ->]. apply good_app. Qed.
Lemma extends_length p q : extends p q -> (length p <= length q)%nat.
Proof. intros [a ->]. rewrite app_length. lia. Qed.
Lemma extends_computes p q c f : extends p q -> (c < length p)%nat -> computes p c f -> computes q c f.
Proof. intros [a ->]. apply computes_app. Qed.

Lemma relu_pos x : 0 <= x -> relu x = x. Proof. apply Rmax_right. Qed.
Lemma relu_neg x : x <= 0 -> relu x = 0. Proof. apply Rmax_left. Qed.

(* the last channel of every block: a raw value within a quarter of the truth on letters, in [0, 1] everywhere *)
Definition ramp a r := relu (2 * a + 2 * r - 5 / 2) - relu (2 * a + 2 * r - 7 / 2).
Lemma ramp_rounds (w : list A) f i a : 0 <= a <= 1 -> (letter w i = true -> Rabs (a - truth w f i) <= / 4) -> ramp a
  (real w i) = truth w f i.
Proof.
  intros U E. unfold ramp, real. destruct (letter w i) eqn:L.
  - specialize (E eq_refl). unfold truth in *. destruct (sat w f i); revert E; unfold Rabs; destruct Rcase_abs; intro
    E.
    all: first [rewrite !relu_pos by lra; lra | rewrite !relu_neg by lra; lra].
  - rewrite truth_sentinel by auto. rewrite !relu_neg by lra. lra.
Qed.

Section Block.
Variables (p bl : prog A) (w : list A).
Hypothesis Gp : good p.
Let e := run w (p ++ bl).
Let L := length p.
Lemma block_real i : chan e 0 i = real w i.
Proof. apply good_real. now apply good_app. Qed.
Lemma block_old c f i : (c < L)%nat -> computes p c f -> (i < N w)%nat -> chan e c i = truth w f i.
Proof. intros Hc H Hi. unfold e. rewrite run_keep; auto. Qed.
Lemma block_feature j g i : nth_error bl j = Some (Feature g) -> chan e (L + j) i = g i (N w).
Proof. intros H. unfold e, L. now rewrite (at_block tail w p bl j _ i H). Qed.
Lemma block_round j c i : nth_error bl j = Some (round_raw c) -> (c < L + j)%nat -> chan e (L + j) i = ramp (chan e c
  i) (real w i).
Proof.
  intros H Hc. unfold e, L. rewrite (at_block tail w p bl j _ i H). fold e. assert (P := good_pos p Gp).
  unfold round_raw. cbn [eval_def]. unfold row_at. cbn [sum fst snd]. rewrite !chan_firstn by (unfold L in Hc; lia).
    rewrite block_real.
  unfold ramp. replace (2 * chan e c i + (2 * real w i + 0) + - (5 / 2)) with (2 * chan e c i + 2 * real w i - 5 / 2)
    by lra.
  replace (2 * chan e c i + (2 * real w i + 0) + - (7 / 2)) with (2 * chan e c i + 2 * real w i - 7 / 2) by lra. lra.
Qed.
Lemma block_head j m sc qk v i : nth_error bl j = Some (Head m sc qk v) ->
  (forall t, In t qk -> (forall x, In x (fst t) -> (snd x < L + j)%nat) /\ (forall x, In x (snd t) -> (snd x < L +
    j)%nat)) ->
  (forall x, In x v -> (snd x < L + j)%nat) ->
  chan e (L + j) i = output (fun k => sc (N w) * sum (fun t => row_at e (fst t) i * row_at e (snd t) k) qk) (fun k =>
    row_at e v k) (keys w m i).
Proof.
  intros H Hq Hv. unfold e, L. rewrite (at_block tail w p bl j _ i H). fold e. cbn [eval_def].
  apply output_ext; intros k _.
  - f_equal. apply sum_ext. intros t Ht. destruct (Hq t Ht). rewrite !row_firstn; auto.
  - now apply row_firstn.
Qed.
Lemma block_net j us i : nth_error bl j = Some (Net us) -> (forall t x, In t us -> In x (snd (fst t)) -> (snd x < L +
  j)%nat) ->
  chan e (L + j) i = sum (fun t => fst (fst t) * relu (row_at e (snd (fst t)) i + snd t)) us.
Proof.
  intros H Hu. unfold e, L. rewrite (at_block tail w p bl j _ i H). fold e. cbn [eval_def].
  apply sum_ext. intros t Ht. rewrite row_firstn; auto. intros x Hx. eapply Hu; eauto.
Qed.
End Block.

Lemma N_pos (w : list A) : 0 < INR (N w).
Proof. apply lt_0_INR. unfold Programs.N. destruct tail; lia. Qed.
Lemma letter_N (w : list A) i : letter w i = true -> (i < N w)%nat.
Proof. rewrite letter_iff. unfold Programs.N. destruct tail; lia. Qed.
Lemma mask_sees d i j : allowed (mask_of d) i j = sees d i j. Proof. destruct d; reflexivity. Qed.
Lemma strict_passed d i j : allowed (strict_of d) i j = passed d i j. Proof. destruct d; reflexivity. Qed.
Lemma in_mask (w : list A) d i j : In j (keys w (mask_of d) i) <-> ((j < N w)%nat /\ sees d i j = true).
Proof. rewrite in_keys, mask_sees. tauto. Qed.

(* ---- negation, conjunction ---- *)
Lemma negation_computes p c a : good p -> (c < length p)%nat -> computes p c a ->
  computes (p ++ [negation c]) (length p) (Neg a).
Proof.
  intros G Hc Ha w i Hi. assert (P := good_pos p G). rewrite <- (Nat.add_0_r (length p)).
  rewrite (block_net p [negation c] w 0 [(1, [(1, O); (-1, c)], 0)] i eq_refl) by rows.
  unfold row_at. cbn [sum fst snd]. rewrite block_real, (block_old p [negation c] w c a i) by auto.
  unfold real, truth. cbn [sat]. destruct (letter w i) eqn:Li; simpl.
  - destruct (sat w a i); simpl; first [rewrite relu_neg by lra; lra | rewrite relu_pos by lra; lra].
  - destruct (sat w a i) eqn:E. apply sat_letter in E; congruence. rewrite relu_neg by lra; lra.
Qed.
Lemma conjunction_computes p c1 c2 a b : good p -> (c1 < length p)%nat -> (c2 < length p)%nat -> computes p c1 a ->
  computes p c2 b ->
  computes (p ++ [conjunction c1 c2]) (length p) (Conj a b).
Proof.
  intros G H1 H2 Ha Hb w i Hi. assert (P := good_pos p G). rewrite <- (Nat.add_0_r (length p)).
  rewrite (block_net p [conjunction c1 c2] w 0 [(1, [(1, c1); (1, c2); (-1, O)], 0)] i eq_refl) by rows.
  unfold row_at. cbn [sum fst snd]. rewrite block_real, (block_old p [conjunction c1 c2] w c1 a i), (block_old p
    [conjunction c1 c2] w c2 b i) by auto.
  unfold real, truth. cbn [sat]. destruct (letter w i) eqn:Li; simpl.
  - destruct (sat w a i), (sat w b i); simpl; first [rewrite relu_neg by lra; lra | rewrite relu_pos by lra; lra].
  - destruct (sat w a i) eqn:E. apply sat_letter in E; congruence. destruct (sat w b i) eqn:E'.
    apply sat_letter in E'; congruence.
    simpl. rewrite relu_neg by lra; lra.
Qed.

(* ---- once ---- *)
Theorem once_computes p c a d : good p -> (c < length p)%nat -> computes p c a ->
  computes (p ++ once_block me d (length p) c) (length p + 2) (Once d a).
Proof.
  intros G Hc Ha w i Hi. set (L := length p). set (bl := once_block me d L c).
  unfold L. rewrite (block_round p bl w G 2 (L + 1) i eq_refl) by (fold L; lia). fold L.
  assert (E : chan (run w (p ++ bl)) (L + 1) i = output (fun j => (ln (INR (N w)) + kappa) * truth w a j) (truth w a)
    (keys w (mask_of d) i)).
  { unfold L. rewrite (block_head p bl w 1 _ _ _ _ i eq_refl) by (fold L; rows).
    apply output_ext; intros j Hj; apply in_keys in Hj; destruct Hj as [Hj _]; unfold row_at; cbn [sum fst snd].
    - rewrite (block_old p bl w c a j) by auto. fold L. rewrite <- (Nat.add_0_r L). unfold L.
      rewrite (block_feature p bl w 0 _ i eq_refl).
      destruct me; cbn [by_method]; ring.
    - rewrite (block_old p bl w c a j) by auto. ring. }
  rewrite E. apply ramp_rounds.
  - apply output_unit. intros; apply truth_unit.
  - intros Li. destruct (existsb (fun j => sat w a j) (seen w d i)) eqn:X.
    + assert (T1 : truth w (Once d a) i = 1) by (unfold truth; cbn [sat]; now rewrite Li, X). rewrite T1.
      apply existsb_exists in X. destruct X as (j & Hj & Sj). apply in_seen in Hj. destruct Hj as [Lj Hj].
      eapply Rle_trans; [|apply (quarter kappa); unfold kappa; lra].
      apply (once_row kappa (N w) _ _ j). apply keys_length. intros; apply truth_01.
      apply in_mask. split; auto. now apply letter_N. unfold truth. now rewrite Sj.
      assert (0 <= ln (INR (N w))). { rewrite <- ln_1. assert (H1 : 1 <= INR (N w)) by (change 1 with (INR 1); apply
        le_INR; lia). destruct H1 as [H1|<-]; [left; apply ln_increasing; lra|right; auto]. }
      unfold kappa; lra.
    + assert (T0 : truth w (Once d a) i = 0) by (unfold truth; cbn [sat]; now rewrite Li, X). rewrite T0.
      rewrite output_zero. rewrite Rminus_0_r, Rabs_R0. lra.
      intros j Hj. apply in_mask in Hj. destruct Hj as [Hj Sj]. unfold truth. destruct (sat w a j) eqn:Y; auto.
      assert (existsb (fun j => sat w a j) (seen w d i) = true); [|congruence].
      apply existsb_exists. exists j. split; auto. apply in_seen. split; auto. now apply sat_letter in Y.
Qed.

(* ---- nearest ---- *)
Lemma greatest (q : nat -> bool) (f : nat -> nat) K : (forall j, In j K -> q j = false) \/
  exists js, In js K /\ q js = true /\ forall j, In j K -> q j = true -> (f j <= f js)%nat.
Proof.
  induction K as [|a K IH]. left; intros j [].
  destruct IH as [IH|(js & H1 & H2 & H3)].
  - destruct (q a) eqn:E. right. exists a. split; [now left|]. split; auto. intros j [->|Hj] Hp; auto.
    rewrite IH in Hp; auto; discriminate.
    left. intros j [<-|Hj]; auto.
  - right. destruct (q a) eqn:E; [destruct (le_lt_dec (f a) (f js))|].
    + exists js. split; [now right|]. split; auto. intros j [<-|Hj]; auto.
    + exists a. split; [now left|]. split; auto. intros j [<-|Hj] Hp; auto. specialize (H3 j Hj Hp). lia.
    + exists js. split; [now right|]. split; auto. intros j [<-|Hj] Hp; auto. congruence.
Qed.
Lemma num_lt d n j : (j < n)%nat -> (num d n j < n)%nat.
Proof. destruct d; simpl; lia. Qed.
Lemma num_inj d n x y : (x < n)%nat -> (y < n)%nat -> num d n x = num d n y -> x = y.
Proof. destruct d; simpl; lia. Qed.
Lemma num_sign d n j : (j < n)%nat -> sign d * INR j = INR (num d n j) + match d with Past => 0 | Future => - INR (n
  - 1) end.
Proof. intros H. destruct d; simpl. lra. rewrite (minus_INR (n - 1) j) by lia. lra. Qed.

(* doc/theory.md, "Normal form": since is the value at the nearest candidate *)
Definition cand w (a b : form A) j := letter w j && (sat w b j || negb (sat w a j)).
Lemma since_nearest w d a b i js : letter w i = true -> sees d i js = true -> cand w a b js = true ->
  (forall j, (j < N w)%nat -> sees d i j = true -> cand w a b j = true -> (num d (N w) j <= num d (N w) js)%nat) ->
  sat w (Since d a b) i = sat w b js.
Proof.
  intros Li Hle Hc Hm. cbn [sat]. rewrite Li. simpl andb.
  assert (Lj : letter w js = true) by (unfold cand in Hc; apply andb_prop in Hc; tauto).
  assert (Nj := letter_N w js Lj).
  apply eq_true_iff_eq. rewrite existsb_exists. split.
  - intros (j & Hj & H). apply andb_prop in H. destruct H as [Hb Ha]. apply in_seen in Hj. destruct Hj as [Lj' Hj].
    assert (Nj' := letter_N w j Lj').
    assert (O : (num d (N w) j <= num d (N w) js)%nat). { apply Hm; auto. unfold cand. now rewrite Lj', Hb. }
    destruct (Nat.eq_dec j js); [now subst|]. rewrite forallb_forall in Ha.
    assert (X : sat w a js = true). { apply Ha. apply filter_In. split. apply in_seen; auto.
      destruct d; simpl in *; apply Nat.ltb_lt; lia. }
    unfold cand in Hc. rewrite Lj, X in Hc. simpl in Hc. now rewrite orb_false_r in Hc.
  - intros Hb. exists js. split. apply in_seen; auto. rewrite Hb. simpl. rewrite forallb_forall. intros k Hk.
    apply filter_In in Hk. destruct Hk as [Hk Hlt]. apply in_seen in Hk. destruct Hk as [Lk Hk].
      assert (Nk := letter_N w k Lk).
    destruct (sat w a k) eqn:E; auto. exfalso.
    assert (num d (N w) k <= num d (N w) js)%nat. { apply Hm; auto. unfold cand. now rewrite Lk, E, orb_true_r. }
    destruct d; simpl in *; apply Nat.ltb_lt in Hlt; lia.
Qed.
Lemma since_none w d a b i : (forall j, (j < N w)%nat -> sees d i j = true -> cand w a b j = false) -> sat w (Since d
  a b) i = false.
Proof.
  intros H. cbn [sat]. destruct (letter w i) eqn:Li; auto. simpl. apply not_true_is_false. rewrite existsb_exists.
  intros (j & Hj & X). apply andb_prop in X. destruct X as [Hb _]. apply in_seen in Hj. destruct Hj as [Lj Hj].
  specialize (H j (letter_N w j Lj) Hj). unfold cand in H. rewrite Lj, Hb in H. discriminate.
Qed.

Theorem since_computes p ca cb a b d : good p -> (ca < length p)%nat -> (cb < length p)%nat -> computes p ca a ->
  computes p cb b ->
  computes (p ++ since_block me d (length p) ca cb) (length p + 5) (Since d a b).
Proof.
  intros G H1 H2 Ha Hb w i Hi. set (L := length p) in *. set (bl := since_block me d L ca cb).
    assert (P := good_pos p G). fold L in P.
  unfold L. rewrite (block_round p bl w G 5 (L + 4) i eq_refl) by (fold L; lia). fold L.
  set (cj := fun j => ind (cand w a b j)).
  assert (C : forall j, (j < N w)%nat -> chan (run w (p ++ bl)) L j = cj j).
  { intros j Hj. rewrite <- (Nat.add_0_r L). unfold L. rewrite (block_net p bl w 0 _ j eq_refl) by (fold L; rows).
    unfold row_at. cbn [sum fst snd]. rewrite block_real, (block_old p bl w ca a j), (block_old p bl w cb b j) by
      auto.
    unfold cj, ind, cand, truth, real. destruct (letter w j) eqn:Lj; simpl.
    - destruct (sat w a j), (sat w b j); simpl; repeat first [rewrite relu_neg by lra | rewrite relu_pos by lra]; lra.
    - destruct (sat w a j) eqn:X1. apply sat_letter in X1; congruence. destruct (sat w b j) eqn:X2.
      apply sat_letter in X2; congruence.
      repeat rewrite relu_neg by lra; lra. }
  set (K := keys w (mask_of d) i).
  assert (E : chan (run w (p ++ bl)) (L + 4) i = output (fun j => kappa * INR (N w) * cj j + kappa * INR (num d (N w)
    j)) (truth w b) K).
  { rewrite <- (output_shift _ (kappa * match d with Past => 0 | Future => - INR (N w - 1) end)).
    assert (N0 := N_pos w). unfold L. rewrite (block_head p bl w 4 _ _ _ _ i eq_refl).
    - apply output_ext; intros j Hj; apply in_keys in Hj; destruct Hj as [Hj _].
      + assert (S := num_sign d (N w) j Hj).
        assert (F1 : chan (run w (p ++ bl)) (L + 1) i = by_method me 1 (kappa * INR (N w))) by (unfold L; now rewrite
          (block_feature p bl w 1 _ i eq_refl)).
        assert (F2 : chan (run w (p ++ bl)) (L + 2) i = by_method me 1 kappa) by (unfold L; now rewrite
          (block_feature p bl w 2 _ i eq_refl)).
        assert (F3 : chan (run w (p ++ bl)) (L + 3) j = by_method me (INR j / INR (N w)) (INR j)) by (unfold L; now
          rewrite (block_feature p bl w 3 _ j eq_refl)).
        destruct me; cbn [by_method] in *; cbn [sum fst snd]; unfold row_at; cbn [sum fst snd]; fold L; rewrite F1,
          ?F2, F3, (C j Hj).
        * transitivity (kappa * INR (N w) * cj j + kappa * (sign d * INR j)). field; lra. rewrite S. ring.
        * transitivity (kappa * INR (N w) * cj j + kappa * (sign d * INR j)). ring. rewrite S. ring.
      + unfold row_at. cbn [sum fst snd]. rewrite (block_old p bl w cb b j) by auto. ring.
    - fold L. destruct me; cbn [by_method]; rows.
    - fold L. rows. }
  rewrite E. apply ramp_rounds.
  - apply output_unit. intros; apply truth_unit.
  - intros Li. destruct (greatest (cand w a b) (num d (N w)) K) as [None_|(js & J1 & J2 & J3)].
    + rewrite output_zero.
      2:{ intros j Hj. specialize (None_ j Hj). unfold truth. destruct (sat w b j) eqn:X; auto.
          unfold cand in None_. rewrite X, (sat_letter _ _ _ X) in None_. discriminate. }
      assert (Z : truth w (Since d a b) i = 0).
      { unfold truth. rewrite since_none; auto. intros j Hj Sj. apply None_. apply in_mask. auto. }
      rewrite Z, Rminus_0_r, Rabs_R0. lra.
    + apply in_mask in J1. destruct J1 as [Nj Sj].
      assert (Z : truth w (Since d a b) i = truth w b js).
      { unfold truth. rewrite (since_nearest w d a b i js); auto. intros j Hj Sj' Cj. apply J3; auto.
        apply in_mask; auto. }
      rewrite Z. eapply Rle_trans; [|apply (quarter kappa); unfold kappa; lra].
      apply nearest_row.
      * unfold kappa; lra.
      * apply keys_NoDup.
      * intros j Hj. apply in_keys in Hj. now apply num_lt.
      * intros x y Hx Hy. apply in_keys in Hx, Hy. now apply num_inj.
      * intros j _. unfold cj, ind. destruct (cand w a b j); auto.
      * intros; apply truth_unit.
      * apply in_mask; auto.
      * unfold cj, ind. now rewrite J2.
      * intros j Hj. unfold cj, ind. destruct (cand w a b j) eqn:X; auto. intros; lra.
Qed.

Definition dir_ok d := d = Past \/ tail = true.
Theorem step_computes p c a d : good p -> dir_ok d -> (c < length p)%nat -> computes p c a ->
  computes (p ++ step_block me d (length p) c) (length p + 3) (Step d a).
Proof.
  intros G Dk Hc Ha w i Hi. set (L := length p) in *. set (bl := step_block me d L c).
  unfold L. rewrite (block_round p bl w G 3 (L + 2) i eq_refl) by (fold L; lia). fold L.
  set (K := keys w (strict_of d) i).
  assert (E : chan (run w (p ++ bl)) (L + 2) i = output (fun j => kappa * INR (N w) * 1 + kappa * INR (num d (N w)
    j)) (truth w a) K).
  { rewrite <- (output_shift _ (kappa * match d with Past => 0 | Future => - INR (N w - 1) end - kappa * INR (N w))).
    assert (N0 := N_pos w). unfold L. rewrite (block_head p bl w 2 _ _ _ _ i eq_refl) by (fold L; rows).
    apply output_ext; intros j Hj; apply in_keys in Hj; destruct Hj as [Hj _]; unfold row_at; cbn [sum fst snd].
    - assert (S := num_sign d (N w) j Hj).
      assert (F0 : chan (run w (p ++ bl)) L i = by_method me 1 kappa) by (rewrite <- (Nat.add_0_r L); unfold L; now
        rewrite (block_feature p bl w 0 _ i eq_refl)).
      assert (F1 : chan (run w (p ++ bl)) (L + 1) j = by_method me (INR j / INR (N w)) (INR j)) by (unfold L; now
        rewrite (block_feature p bl w 1 _ j eq_refl)).
      fold L. rewrite F0, F1. destruct me; cbn [by_method] in *.
      + transitivity (kappa * (sign d * INR j)). field; lra. rewrite S. ring.
      + transitivity (kappa * (sign d * INR j)). ring. rewrite S. ring.
    - rewrite (block_old p bl w c a j) by auto. ring. }
  rewrite E. apply ramp_rounds.
  - apply output_unit. intros; apply truth_unit.
  - intros Li. assert (Z : truth w (Step d a) i = truth w a (step d i)) by (unfold truth; cbn [sat]; now rewrite Li).
    assert (B : (step d i < N w)%nat /\ passed d i (step d i) = true).
    { apply letter_iff in Li. unfold Programs.N. destruct d; unfold step, passed.
      - split. destruct tail; lia. apply Nat.ltb_lt; lia.
      - destruct Dk as [D|T]; [discriminate|]. rewrite T. split. lia. apply Nat.ltb_lt; lia. }
    rewrite Z. eapply Rle_trans; [|apply (quarter kappa); unfold kappa; lra].
    apply (nearest_row kappa (N w) K (num d (N w)) (fun _ => 1) (truth w a) (step d i)).
    + unfold kappa; lra.
    + apply keys_NoDup.
    + intros j Hj. apply in_keys in Hj. now apply num_lt.
    + intros x y Hx Hy. apply in_keys in Hx, Hy. now apply num_inj.
    + auto.
    + intros; apply truth_unit.
    + apply in_keys. rewrite strict_passed. auto.
    + auto.
    + intros j Hj _. apply in_keys in Hj. destruct Hj as [Hj Pj]. rewrite strict_passed in Pj.
      destruct d; simpl in *; apply Nat.ltb_lt in Pj; lia.
Qed.
End Temporal.
