(* doc/theory.md, "Count", "Compare" and "Balance": the blocks of comparisons compute their formulas, by both
  methods. *)
From Coq Require Import ZArith Reals Lia Lra Psatz List Bool Arith.
From Temper Require Import Rows Heads Strings Programs Compile Temporal.
Import ListNotations.
Local Open Scope R_scope.

Lemma sum_app' {X} (f : X -> R) a b : sum f (a ++ b) = sum f a + sum f b.
Proof. induction a; simpl; lra. Qed.
Lemma sum_filter {X} (q : X -> bool) f l : sum f (filter q l) = sum (fun x => if q x then f x else 0) l.
Proof. induction l; simpl; auto. destruct (q a); simpl; lra. Qed.
Lemma sum_swap {X Y} (f : X -> Y -> R) a b : sum (fun x => sum (f x) b) a = sum (fun y => sum (fun x => f x y) a) b.
Proof. induction a; simpl. rewrite sum_const; ring. rewrite IHa, <- sum_plus. auto. Qed.
Lemma sum_is f n i : (i < n)%nat -> sum (fun j => if Nat.eqb j i then f j else 0) (seq 0 n) = f i.
Proof.
  intros H. rewrite <- (sum_filter (fun j => Nat.eqb j i)). rewrite filter_one. simpl; lra. apply seq_NoDup.
    apply in_seq. lia.
Qed.
Lemma filter_all {X} (q : X -> bool) l : (forall x, In x l -> q x = true) -> filter q l = l.
Proof. induction l; simpl; intros H; auto. rewrite (H a), IHl; auto. Qed.
Lemma filter_none {X} (q : X -> bool) l : (forall x, In x l -> q x = false) -> filter q l = [].
Proof. induction l; simpl; intros H; auto. rewrite (H a), IHl; auto. Qed.

Section Counting.
Context {A : Type}.
Variable tail : bool.
Notation N := (N tail). Notation run := (run tail). Notation keys := (keys tail).
Notation computes := (computes tail). Notation dir_ok := (dir_ok tail).
Variable me : method.

Lemma count_keys w (a : form A) d i :
  sum (truth w a) (keys w (mask_of d) i) = INR (length (filter (fun j => sat w a j) (seen w d i))).
Proof.
  rewrite <- (Rmult_1_r (INR _)), <- sum_const. unfold seen, Programs.keys. rewrite !sum_filter.
  assert (E : seq 0 (N w) = [O] ++ seq 1 (length w) ++ (if tail then [S (length w)] else [])).
  { unfold Programs.N. destruct tail.
    - replace (length w + 2)%nat with (1 + (length w + 1))%nat by lia. now rewrite !seq_app.
    - replace (length w + 1)%nat with (1 + length w)%nat by lia. now rewrite seq_app, app_nil_r. }
  rewrite E, !sum_app'.
  assert (Z : forall j, letter w j = false -> (if allowed (mask_of d) i j then truth w a j else 0) = 0).
  { intros j Hj. rewrite truth_sentinel by auto. now destruct (allowed (mask_of d) i j). }
  assert (Z0 : sum (fun j => if allowed (mask_of d) i j then truth w a j else 0) [O] = 0) by (cbn [sum]; rewrite Z;
    auto; lra).
  assert (Z1 : sum (fun j => if allowed (mask_of d) i j then truth w a j else 0) (if tail then [S (length w)] else
    []) = 0).
  { destruct tail; cbn [sum]; [rewrite Z|]; try lra. destruct (letter w (S (length w))) eqn:X; auto.
    apply letter_iff in X. lia. }
  rewrite Z0, Z1. unfold pos. rewrite Rplus_0_l, Rplus_0_r. apply sum_ext. intros j _. rewrite mask_sees.
    unfold truth. now destruct (sees d i j), (sat w a j).
Qed.
Lemma keys_mask (w : list A) d i : (i < N w)%nat -> length (keys w (mask_of d) i) = S (num d (N w) i).
Proof.
  intros H. unfold Programs.keys. destruct d; cbn [mask_of num].
  - replace (N w) with (S i + (N w - S i))%nat by lia. rewrite seq_app, filter_app, (filter_all _ (seq 0 (S i))),
    filter_none.
    now rewrite app_nil_r, seq_length. intros x Hx. apply in_seq in Hx. apply Nat.leb_gt. lia. intros x Hx.
      apply in_seq in Hx. apply Nat.leb_le. lia.
  - replace (N w) with (i + (N w - i))%nat at 1 by lia. rewrite seq_app, filter_app, (filter_none _ (seq 0 i)),
    filter_all.
    simpl. rewrite seq_length. lia. intros x Hx. apply in_seq in Hx. apply Nat.leb_le. lia. intros x Hx.
      apply in_seq in Hx. apply Nat.leb_gt. lia.
Qed.
Lemma keys_sentinel (w : list A) d i : (i < N w)%nat -> In (sentinel d (N w)) (keys w (mask_of d) i).
Proof. intros H. apply in_mask. destruct d; simpl; rewrite ?Nat.leb_le; lia. Qed.

(* the terms of a sum: each channel computes what is counted *)
Inductive reads (p : prog A) : lin A -> list term -> Prop :=
  | reads_const b : reads p (Const b) []
  | reads_plus k d a s c ts : (c < length p)%nat -> computes p c a -> dir_ok d -> reads p s ts -> reads p (Plus k d a
    s) ((k, d, c) :: ts).
Lemma reads_app p q s ts : reads p s ts -> reads (p ++ q) s ts.
Proof. induction 1; constructor; auto. rewrite app_length; lia. now apply computes_app. Qed.
Lemma reads_lt p s ts t : reads p s ts -> In t ts -> (ch t < length p)%nat.
Proof. induction 1; intros Hin; [destruct Hin|destruct Hin as [<-|Hin]; auto]. Qed.

Section Terms.
Variables (p bl : prog A) (w : list A) (i : nat).
Let e := run w (p ++ bl).
Hypothesis Hi : (i < N w)%nat.
Definition total d t := sum (chan e (ch t)) (keys w (mask_of d) i).
Lemma value_terms s ts : reads p s ts ->
  IZR (value w s i) = IZR (const s) + sum (fun t => coef t * total (look t) t) ts.
Proof.
  induction 1. cbn; lra. rewrite value_plus. cbn [const sum]. rewrite plus_IZR, mult_IZR, <- INR_IZR_INZ, IHreads.
    unfold coef, look, ch, total. cbn [fst snd].
  rewrite <- count_keys. rewrite (sum_ext (chan e c) (truth w a)). lra.
  intros j Hj. apply in_keys in Hj. apply (block_old tail p bl w c a j); tauto.
Qed.
Lemma term_truth s ts t : reads p s ts -> In t ts -> exists a, forall j, (j < N w)%nat -> chan e (ch t) j = truth w a
  j.
Proof.
  induction 1; intros Hin; [destruct Hin|]. destruct Hin as [<-|Hin]; auto. exists a. intros j Hj.
    now apply (block_old tail p bl w c a j).
Qed.
End Terms.

(* a decision: the sum plus a half is never 0 *)
Lemma decision w (s : lin A) i (x : R) n m : letter w i = true -> (m < n)%nat ->
  x = 2 * kappa * INR n * ((IZR (value w s i) + / 2) / INR (S m)) ->
  Rabs (/ (1 + exp (- x)) - truth w (AtLeast s) i) <= / 4.
Proof.
  intros Li Hm ->. set (v := value w s i). assert (S0 : 0 < INR (S m)) by (apply lt_0_INR; lia).
  assert (Sn : INR (S m) <= INR n) by (apply le_INR; lia).
  assert (B : forall y, / 2 <= y -> 8 <= 2 * kappa * INR n * (y / INR (S m))).
  { intros y Hy. unfold kappa. apply Rmult_le_reg_r with (INR (S m)); auto.
    replace (2 * 8 * INR n * (y / INR (S m)) * INR (S m)) with (16 * INR n * y) by (field; lra). nra. }
  unfold truth. rewrite sat_at_least, Li. fold v. rewrite andb_true_l. destruct (Z.leb_spec 0 v) as [H|H].
  - apply quarter_sigmoid. apply B. apply IZR_le in H. lra.
  - assert (H' : (v <= -1)%Z) by lia. apply IZR_le in H'. rewrite Rminus_0_r.
    replace (- (2 * kappa * INR n * ((IZR v + / 2) / INR (S m)))) with (2 * kappa * INR n * ((- IZR v - / 2) / INR (S
      m))) by (field; lra).
    apply quarter_sigmoid. apply B. lra.
Qed.

Lemma row_terms (e : env) (f : term -> R) ts b L j : row_at e (map (fun t => (f t, ch t)) ts ++ [(b, L)]) j = sum
  (fun t => f t * chan e (ch t) j) ts + b * chan e L j.
Proof. unfold row_at. rewrite sum_app', sum_map. cbn [sum fst snd]. lra. Qed.
Lemma in_terms (f : term -> R) (ts : list term) b L x n : In x (map (fun t => (f t, ch t)) ts ++ [(b, L)]) -> (forall
  t, In t ts -> (ch t < n)%nat) -> (L < n)%nat -> (snd x < n)%nat.
Proof.
  intros H Ht HL. apply in_app_or in H. destruct H as [H|[<-|[]]]; auto. apply in_map_iff in H.
    destruct H as (t & <- & Hin). now apply Ht.
Qed.

Lemma ln_feature (w : list A) d i m : num d (N w) i = m -> (0 < m)%nat ->
  2 * kappa * INR (N w) * (ln (INR (Nat.max (num d (N w) i) 1)) / (2 * kappa * INR (N w))) = ln (INR m).
Proof.
  intros -> Hm. rewrite Nat.max_l by lia. assert (N0 := N_pos tail w). field. unfold kappa. split; lra.
Qed.

Theorem compare_computes p s ts d : good p -> reads p s ts -> (forall t, In t ts -> look t = d) -> dir_ok d ->
  computes (p ++ compare_block me d ts (const s) (length p)) (length p + 5) (AtLeast s).
Proof.
  intros G Rd Hd Dk w i Hi. set (L := length p). set (bl := compare_block me d ts (const s) L).
  assert (Lt : forall t, In t ts -> (ch t < L)%nat) by (intros; eapply reads_lt; eauto).
  unfold L. rewrite (block_round tail p bl w G 5 (L + 4) i eq_refl) by (fold L; lia). fold L.
    set (e := run w (p ++ bl)).
  set (z := sentinel d (N w)). set (K := keys w (mask_of d) i). assert (N0 := N_pos tail w).
  assert (F0 : forall j, chan e L j = is_ z j) by (intros j; unfold e; rewrite <- (Nat.add_0_r L); unfold L; now
    rewrite (block_feature tail p bl w 0 _ j eq_refl)).
  assert (E : chan e (L + 4) i = output (fun j => 2 * kappa * INR (N w) * (chan e (L + 1) i + chan e (L + 2) i) * is_
    z j) (is_ z) K).
  { unfold L at 1, e at 1. rewrite (block_head tail p bl w 4 _ _ _ _ i eq_refl) by (fold L; rows).
    fold e. fold K. apply output_ext; intros j Hj; unfold row_at; cbn [sum fst snd]; fold L.
    - assert (F3 : chan e (L + 3) j = by_method me 1 (2 * kappa * INR (N w)) * is_ z j) by (unfold L, e; now rewrite
      (block_feature tail p bl w 3 _ j eq_refl)).
      rewrite F3. destruct me; cbn [by_method]; ring.
    - rewrite F0. ring. }
  rewrite E. apply ramp_rounds.
  - apply output_unit. intros j _. unfold is_. destruct (Nat.eqb j z); lra.
  - intros Li. set (m := num d (N w) i).
    assert (m0 : (0 < m)%nat). { apply letter_iff in Li. unfold m, Programs.N. destruct d; simpl. lia.
      destruct Dk as [D|T]; [discriminate|]. rewrite T. lia. }
    assert (y : chan e (L + 1) i = (IZR (value w s i) + / 2) / INR (S m)).
    { unfold L, e. rewrite (block_head tail p bl w 1 _ _ _ _ i eq_refl).
      2:{ intros t []. } 2:{ fold L. intros x Hx. apply (in_terms _ _ _ _ x _ Hx). intros t Ht. specialize (Lt t Ht).
        lia. lia. }
      fold e. fold L. rewrite (output_ext _ (fun _ => 0) _ (fun j => sum (fun t => coef t * chan e (ch t) j) ts +
        (IZR (const s) + / 2) * is_ z j)).
      2:{ intros. simpl. ring. } 2:{ intros j _. rewrite row_terms, F0. reflexivity. }
      rewrite uniform_row. unfold K. rewrite keys_mask by auto. fold m. f_equal. fold K.
      rewrite sum_plus, sum_scal, (sum_swap (fun j t => coef t * chan e (ch t) j)).
      rewrite (value_terms p bl w i s ts Rd). fold e.
      rewrite (sum_ext (fun t => sum (fun j => coef t * chan e (ch t) j) K) (fun t => coef t * total p bl w i (look
        t) t)).
      2:{ intros t Ht. rewrite sum_scal. unfold total. now rewrite (Hd t Ht). }
      replace (sum (is_ z) K) with 1. lra.
      unfold is_. rewrite <- (sum_filter (fun j => Nat.eqb j z)), filter_one. simpl; lra. apply keys_NoDup.
        now apply keys_sentinel. }
    assert (l : 2 * kappa * INR (N w) * chan e (L + 2) i = ln (INR m)).
    { unfold L, e. rewrite (block_feature tail p bl w 2 _ i eq_refl). now apply ln_feature. }
    rewrite Rmult_plus_distr_l, l.
    rewrite (compare_row K z _ m); auto. 2: apply keys_NoDup. 2: now apply keys_sentinel.
      2: unfold K; now rewrite keys_mask.
    apply (decision w s i _ (N w) m); auto. unfold m. now apply num_lt. now rewrite y.
Qed.

(* ---- balance ---- *)
Lemma three_ways (w : list A) (f : nat -> R) i : (i < N w)%nat ->
  sum f (keys w From i) = sum f (keys w All i) - sum f (keys w UpTo i) + f i.
Proof.
  intros H. unfold Programs.keys. rewrite !sum_filter. rewrite <- (sum_is f (N w) i H).
  enough (X : sum (fun x => if allowed From i x then f x else 0) (seq 0 (N w)) + sum (fun x => if allowed UpTo i x
    then f x else 0) (seq 0 (N w))
    = sum (fun x => if allowed All i x then f x else 0) (seq 0 (N w)) + sum (fun j => if Nat.eqb j i then f j else 0)
      (seq 0 (N w))) by lra.
  rewrite <- !sum_plus. apply sum_ext. intros j _. cbn [allowed].
  destruct (Nat.leb_spec i j), (Nat.leb_spec j i), (Nat.eqb_spec j i); try lia; lra.
Qed.

Theorem balance_computes p s ts : good p -> reads p s ts ->
  computes (p ++ balance_block me ts (const s) (length p)) (length p + 11) (AtLeast s).
Proof.
  intros G Rd w i Hi. set (L := length p). set (bl := balance_block me ts (const s) L). assert (P := good_pos p G).
    fold L in P.
  assert (Lt : forall t, In t ts -> (ch t < L)%nat) by (intros; eapply reads_lt; eauto).
  unfold L. rewrite (block_round tail p bl w G 11 (L + 10) i eq_refl) by (fold L; lia). fold L.
    set (e := run w (p ++ bl)).
  set (K := keys w UpTo i). assert (N0 := N_pos tail w).
  assert (F0 : forall j, chan e L j = is_ 0 j) by (intros j; unfold e; rewrite <- (Nat.add_0_r L); unfold L; now
    rewrite (block_feature tail p bl w 0 _ j eq_refl)).
  assert (FR : forall j, chan e 0 j = real w j) by (intros; now apply block_real).
  assert (Unit : 0 <= chan e (L + 10) i <= 1).
  { unfold L, e. rewrite (block_head tail p bl w 10 _ _ _ _ i eq_refl) by (fold L; rows). apply output_unit.
    intros j _. fold e L. unfold row_at. cbn [sum fst snd]. rewrite F0. unfold is_. destruct (Nat.eqb j 0); lra. }
  apply ramp_rounds; auto. intros Li.
  assert (Lw := proj1 (letter_iff w i) Li).
  assert (i1 : 0 < INR (i + 1)) by (apply lt_0_INR; lia).
  assert (i1' : 1 <= INR (i + 1)) by (change 1 with (INR 1); apply le_INR; lia).
  (* the total, and its copy on the start sentinel *)
  set (T := sum (fun t => ahead t * sum (chan e (ch t)) (keys w All i)) ts).
  assert (AllK : forall j, keys w All j = seq 0 (N w)) by (intros j; unfold Programs.keys; apply filter_all; auto).
  assert (t : forall j, chan e (L + 6) j = T / INR (N w)).
  { intros j. unfold L, e. rewrite (block_head tail p bl w 6 _ _ _ _ j eq_refl).
    2:{ intros x []. } 2:{ fold L. intros x Hx. apply in_map_iff in Hx. destruct Hx as (t & <- & Ht).
      specialize (Lt t Ht). simpl. lia. }
    fold e. rewrite (output_ext _ (fun _ => 0) _ (fun k => sum (fun t => ahead t * chan e (ch t) k) ts)).
    2:{ intros. simpl. ring. } 2:{ intros k _. unfold row_at. now rewrite sum_map. }
    rewrite uniform_row, AllK, seq_length. f_equal. rewrite (sum_swap (fun k t => ahead t * chan e (ch t) k)).
      unfold T. rewrite AllK.
    apply sum_ext. intros; now rewrite sum_scal. }
  set (C := 2 * sum (fun t => Rabs (ahead t)) ts).
  assert (Tb : Rabs (T / INR (N w)) <= C).
  { assert (S0 : 0 <= sum (fun t => Rabs (ahead t)) ts) by (apply sum_nonneg; intros; apply Rabs_pos).
    assert (Rabs T <= INR (N w) * sum (fun t => Rabs (ahead t)) ts).
    { unfold T. rewrite <- sum_scal. clear -Rd AllK. assert (Tt := fun t => term_truth p bl w s ts t Rd).
      fold e in Tt. clear Rd. clearbody e. clear bl. induction ts as [|x l IH]; cbn [sum]. rewrite Rabs_R0; lra.
      eapply Rle_trans. apply Rabs_triang. apply Rplus_le_compat. 2:{ apply IH. intros t Ht. apply Tt. now right. }
      rewrite Rabs_mult, Rmult_comm. apply Rmult_le_compat_r. apply Rabs_pos.
      destruct (Tt x (or_introl eq_refl)) as [a Ha]. rewrite AllK.
      rewrite (sum_ext _ (truth w a)) by (intros j Hj; apply in_seq in Hj; apply Ha; lia).
      rewrite Rabs_pos_eq by (apply sum_nonneg; intros; apply truth_unit).
      eapply Rle_trans. apply (sum_le _ (fun _ => 1)). intros; apply truth_unit. rewrite sum_const, seq_length. lra. }
    unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ INR (N w))) by (left; now apply Rinv_0_lt_compat).
    apply Rmult_le_reg_r with (INR (N w)); auto. rewrite Rmult_assoc, Rinv_l by lra. unfold C. nra. }
  assert (copy : forall j, In j K -> chan e (L + 7) j = T / INR (N w) * is_ 0 j).
  { intros j Hj. apply in_keys in Hj. destruct Hj as [Hj _].
    unfold L, e. rewrite (block_net tail p bl w 7 _ j eq_refl) by (fold L; rows). fold e. fold L C.
    unfold row_at. cbn [sum fst snd]. rewrite t, !FR.
    assert (F1 : chan e (L + 1) j = ind (Nat.eqb j (N w - 1))) by (unfold L, e; now rewrite (block_feature tail p bl
      w 1 _ j eq_refl)).
    rewrite F1. set (y := T / INR (N w)) in *. revert Tb. unfold Rabs. destruct Rcase_abs; intros Tb; unfold is_,
      ind, real.
    all: destruct (Nat.eqb_spec j 0) as [->|J0].
    1,3: (destruct (letter w 0) eqn:X; [apply letter_iff in X; lia|]; destruct (Nat.eqb_spec 0 (N w - 1)) as [Y|Y];
      [lia|];
          repeat first [rewrite relu_neg by lra | rewrite relu_pos by lra]; lra).
    all: (destruct (letter w j) eqn:X; destruct (Nat.eqb_spec j (N w - 1)) as [Y|Y];
          [rewrite !relu_neg by lra; lra | rewrite !relu_neg by lra; lra | rewrite !relu_neg by lra; lra |
           exfalso; assert (~ (1 <= j <= length w)%nat) by (rewrite <- letter_iff; congruence); unfold Programs.N in
             *; destruct tail; lia]). }
  (* what is known at i *)
  assert (y : chan e (L + 3) i = (sum (fun t => own t * sum (chan e (ch t)) K) ts + IZR (const s) + / 2) / INR (i +
    1)).
  { unfold L, e. rewrite (block_head tail p bl w 3 _ _ _ _ i eq_refl).
    2:{ intros x []. } 2:{ fold L. intros x Hx. apply (in_terms _ _ _ _ x _ Hx). intros t' Ht. specialize (Lt t' Ht).
      lia. lia. }
    fold e. fold L. rewrite (output_ext _ (fun _ => 0) _ (fun j => sum (fun t => own t * chan e (ch t) j) ts + (IZR
      (const s) + / 2) * is_ 0 j)).
    2:{ intros. simpl. ring. } 2:{ intros j _. rewrite row_terms, F0. reflexivity. }
    rewrite uniform_row. change UpTo with (mask_of Past). rewrite keys_mask by auto. cbn [num mask_of]. fold K.
      rewrite (Nat.add_comm i 1). f_equal.
    rewrite sum_plus, sum_scal, (sum_swap (fun j t => own t * chan e (ch t) j)).
    rewrite (sum_ext (fun t => sum (fun j => own t * chan e (ch t) j) K) (fun t => own t * sum (chan e (ch t)) K)) by
      (intros; now rewrite sum_scal).
    replace (sum (is_ 0) K) with 1. lra.
    unfold is_. rewrite <- (sum_filter (fun j => Nat.eqb j 0)), filter_one. simpl; lra. apply keys_NoDup.
      now apply (keys_sentinel w Past). }
  assert (o : chan e (L + 4) i = sum (fun t => ahead t * chan e (ch t) i) ts / INR (i + 1)).
  { unfold L, e. rewrite (block_net tail p bl w 4 _ i eq_refl).
    2:{ intros u x Hu Hx. apply in_map_iff in Hu. destruct Hu as (t' & <- & Ht). specialize (Lt t' Ht). revert Hx.
      fold L. rows. }
    fold e. fold L. rewrite sum_map. cbn [fst snd]. unfold Rdiv. rewrite Rmult_comm, <- sum_scal. apply sum_ext.
      intros t' Ht.
    destruct (term_truth p bl w s ts t' Rd Ht) as [a Ha]. fold e in Ha. unfold row_at. cbn [sum fst snd].
      rewrite (Ha i Hi).
    rewrite FR. unfold real. rewrite Li.
    assert (F2 : chan e (L + 2) i = / INR (i + 1)) by (unfold L, e; now rewrite (block_feature tail p bl w 2 _ i
      eq_refl)). rewrite F2.
    assert (I : 0 < / INR (i + 1) <= 1) by (split; [now apply Rinv_0_lt_compat|rewrite <- Rinv_1; apply
      Rinv_le_contravar; lra]).
    unfold truth. destruct (sat w a i). rewrite relu_pos by lra. lra. rewrite relu_neg by lra. lra. }
  assert (l : 2 * kappa * INR (N w) * chan e (L + 5) i = ln (INR i)).
  { unfold L, e. rewrite (block_feature tail p bl w 5 _ i eq_refl). apply (ln_feature w Past i i); auto. lia. }
  (* together *)
  assert (V : chan e (L + 3) i + chan e (L + 4) i + T / INR (i + 1) = (IZR (value w s i) + / 2) / INR (i + 1)).
  { rewrite y, o, (value_terms p bl w i s ts Rd). fold e. unfold T.
    enough (X : sum (fun t => coef t * total p bl w i (look t) t) ts = sum (fun t => own t * sum (chan e (ch t)) K) ts
       + sum (fun t => ahead t * chan e (ch t) i) ts + sum (fun t => ahead t * sum (chan e (ch t)) (keys w All i))
         ts).
    { rewrite X. field. lra. }
    rewrite <- !sum_plus. apply sum_ext. intros t' _. unfold total, own, ahead. fold e.
      destruct (look t'); cbn [mask_of].
    - fold K. lra.
    - rewrite (three_ways w (chan e (ch t')) i Hi). fold K. lra. }
  assert (E : chan e (L + 10) i = output (fun j => (2 * kappa * INR (N w) * ((IZR (value w s i) + / 2) / INR (i + 1))
    + ln (INR i)) * is_ 0 j) (is_ 0) K).
  { unfold L at 1, e at 1. rewrite (block_head tail p bl w 10 _ _ _ _ i eq_refl) by (fold L; rows). fold e. fold K.
    apply output_ext; intros j Hj; unfold row_at; cbn [sum fst snd]; fold L.
    2:{ rewrite F0. ring. }
    assert (F8 : chan e (L + 8) j = by_method me (/ INR (N w)) (2 * kappa * INR (N w)) * is_ 0 j) by (unfold L, e;
      now rewrite (block_feature tail p bl w 8 _ j eq_refl)).
    assert (F9 : chan e (L + 9) i = by_method me 1 (2 * kappa * INR (N w) * INR (N w)) / INR (i + 1)) by (unfold L,
      e; now rewrite (block_feature tail p bl w 9 _ i eq_refl)).
    rewrite (copy j Hj), F8, F9, <- V, <- l. destruct me; cbn [by_method]; field; split; lra. }
  rewrite E, (compare_row K 0 _ i).
  - apply (decision w s i _ (N w) i); auto. now rewrite Nat.add_1_r.
  - apply keys_NoDup.
  - now apply (keys_sentinel w Past).
  - now apply (keys_mask w Past).
  - lia.
Qed.

Theorem at_least_computes p s ts : good p -> reads p s ts ->
  let bl := at_least_block me ts (const s) (length p) in computes (p ++ bl) (length p + (length bl - 1)) (AtLeast s).
Proof.
  intros G Rd. cbv zeta. unfold at_least_block.
  destruct (forallb (fun t => same Past (look t)) ts) eqn:E1; [|destruct (forallb (fun t => same Future (look t)) ts)
    eqn:E2].
  - rewrite forallb_forall in E1. apply compare_computes; auto. intros t Ht. specialize (E1 t Ht).
    destruct (look t); [auto|discriminate]. now left.
  - rewrite forallb_forall in E2. assert (D : forall t, In t ts -> look t = Future) by (intros t Ht; specialize (E2 t
    Ht); destruct (look t); [discriminate|auto]).
    apply compare_computes; auto. destruct ts as [|t0 l]; [discriminate|]. specialize (D t0 (or_introl eq_refl)).
    inversion Rd; subst. unfold look in D. simpl in D. congruence.
  - now apply balance_computes.
Qed.
End Counting.
