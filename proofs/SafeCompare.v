(* doc/certificate.md, "Count" and "Compare": no operation of the block of a comparison overflows.

   compare_values   the values of the counting head are multiples of 1/2, and at most the weights together
   compare_safe     every result of an operation is at most the largest number of its format *)
From Coq Require Import ZArith Reals Lia Lra Psatz List Bool Arith Permutation.
From Flocq Require Import Core.
From Temper Require Import Rows Heads Format Sums Nearest NearestAny Rounding Exact Range Strings Programs Compile
  Temporal Counting MainTheorem FloatRun NearestHead OnceTree CountHead CompareHead CompareAny Results Soundness
    SoundCompare
  SafeBlocks.
Import ListNotations.
Local Open Scope R_scope.

Section SafeCompare.
Context {A : Type}.
Variable tail : bool.
Variables fs fa : format.
Hypothesis incl : forall x, number fs x -> number fa x.
Hypothesis bits : (3 <= prec fs)%Z.
Hypothesis bits_a : (4 <= prec fa)%Z.
Variable E : (R -> R) -> Prop.                             (* each row has one of these *)
Hypothesis HE : forall E0, E E0 -> exp_model fa E0.
Variable ord : order.
Variable M : nat.
Notation N := (N tail). Notation keys := (keys tail). Notation float_run := (float_run tail fs fa E ord).
Notation float_row := (float_row fs fa). Notation row_summed := (row_summed fa).
Notation float_computes := (float_computes tail fs fa E ord M). Notation safe := (safe (A := A) tail fs fa E ord M).
Notation top_16 := (top_16 fa bits_a). Notation top_8 := (top_8 fs bits). Notation eight_a := (eight_a fa bits_a).
Notation four_s := (four_s fs bits).
Notation small_1 := (small_1 fs bits). Notation small_2 := (small_2 fs bits).
Variable p : prog A.
Hypothesis G : good p.
Hypothesis Sp : safe p.
Let L := length p.
Notation raw_out := (raw_out tail fs fa incl E HE ord M p). Notation feature_safe := (feature_safe tail fs fa bits E
  ord).
Notation head_safe := (head_safe tail fs fa incl bits bits_a E HE ord M).
Notation round_safe := (round_safe tail fs fa bits bits_a E ord M p G). Notation bool_row := (bool_row fs fa incl).

Lemma sum_at_z z K : NoDup K -> sum (at_z z) K <= 1.
Proof.
  assert (Z : forall K, ~ In z K -> sum (at_z z) K = 0).
  { induction K0 as [|j l IH]; intros H; cbn [sum]; auto. rewrite IH by (intros X; apply H; now right). unfold at_z.
    destruct (Nat.eqb_spec j z). exfalso. apply H. now left. ring. }
  induction 1 as [|j l Hj _ IH]; cbn [sum]. lra. unfold at_z at 1. destruct (Nat.eqb_spec j z) as [->|_]. rewrite Z by
    auto. lra. lra.
Qed.
Lemma asc_multiple c ws : forall x, multiple c x -> (forall y, In y ws -> multiple c y) -> multiple c (asc fa x ws).
Proof.
  induction ws as [|y l IH]; intros x Hx H; cbn [asc]; auto. apply IH; [|intros; apply H; now right].
  destruct (multiple_add c x y Hx (H y (or_introl eq_refl))) as [m ->]. apply rnd_multiple.
Qed.
Lemma log_small d i n : (i < n)%nat -> Rabs (ln (INR (Nat.max (num d n i) 1)) / (2 * kappa * INR n)) <= 1.
Proof.
  intros Hi. set (k := num d n i). assert (Hk : (k <= n)%nat) by (unfold k, num; destruct d; lia).
  assert (n1 : 1 <= INR n) by (change 1 with (INR 1); apply le_INR; lia).
  assert (k1 : 1 <= INR (Nat.max k 1)) by (change 1 with (INR 1); apply le_INR; lia).
  assert (kn : INR (Nat.max k 1) <= INR n) by (apply le_INR; lia).
  assert (l0 : 0 <= ln (INR (Nat.max k 1))) by (rewrite <- ln_1; destruct k1 as [k1|<-]; [left; apply ln_increasing;
    lra|right; auto]).
  assert (X := exp_ineq1_le (ln (INR (Nat.max k 1)))). rewrite exp_ln in X by lra. unfold kappa. rewrite Rabs_pos_eq.
  apply Rmult_le_reg_r with (2 * 8 * INR n). lra. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  apply Rmult_le_pos. lra. left. apply Rinv_0_lt_compat. lra.
Qed.
Section Compare.
Variables (s : lin A) (ts : list term) (d : dir).
Let half := IZR (const s) + / 2.
Let wl := lin_weight s.
Let we := Rabs half.
Hypothesis Rd : float_reads tail fs fa E ord M p s ts.
Hypothesis Ok : compare_ok fs fa ord M wl we.
Hypothesis Rg : compare_range fs fa M (wl + we).
Let vr := map (fun t => (coef t, ch t)) ts ++ [(half, L)].
Lemma weights_0 : 0 <= wl /\ 0 <= we /\ wl = sum (fun t => Rabs (coef t)) ts /\ multiple (-1) wl /\ multiple (-1) we.
Proof.
  assert (We : wl = sum (fun t => Rabs (coef t)) ts) by now apply (float_reads_weight tail fs fa E ord M p).
  split. rewrite We. apply sum_nonneg; intros; apply Rabs_pos. split. apply Rabs_pos. split; auto. split.
  - unfold wl. clear. induction s as [|k d0 a s' IH]; cbn [lin_weight]. apply (whole_half 0). auto.
    apply multiple_add; auto. rewrite <- abs_IZR. now apply (whole_half (Z.abs k)).
  - unfold we, half. exists (Z.abs (2 * const s + 1)). rewrite abs_IZR, plus_IZR, mult_IZR.
    change (bpow radix2 (-1)) with (/ 2). rewrite <- (Rabs_pos_eq (/ 2)) at 2 by lra. rewrite <- Rabs_mult. f_equal.
      field.
Qed.
Section At.
Variables (w : list A) (e : env).
Hypothesis NM : (N w <= M)%nat.
Hypothesis Run : float_run w (p ++ compare_block Temperature d ts (const s) L) e.
Let z := sentinel d (N w).
Lemma compare_marks j : (j < N w)%nat -> chan e L j = at_z z j /\ chan e (L + 3) j = at_z z j.
Proof.
  intros Hj. split.
  - rewrite <- (Nat.add_0_r L). unfold L. destruct (fb_feature tail fs fa E ord p _ w e Run 0 _ j eq_refl Hj) as [_
    X].
    unfold L in X. rewrite X. reflexivity. unfold ind. destruct (Nat.eqb j _); [apply number_1|apply number_0].
  - unfold L. destruct (fb_feature tail fs fa E ord p _ w e Run 3 _ j eq_refl Hj) as [_ X].
    unfold L in X. cbn [by_method] in X. rewrite X. unfold ind, at_z. fold z. destruct (Nat.eqb j z); ring.
    unfold ind. destruct (Nat.eqb j _); rewrite ?Rmult_1_r, ?Rmult_0_r; [apply number_1|apply number_0].
Qed.
Lemma at_z_01 j : at_z z j = 0 \/ at_z z j = 1. Proof. unfold at_z. destruct (Nat.eqb j z); auto. Qed.
Lemma compare_values j n : (j < N w)%nat -> (L < n)%nat -> (forall x, In x (row_summed (firstn n e) vr j) -> Rabs x
  <= top
  fa) /\ Rabs (float_row (firstn n e) vr j) <= wl + we * at_z z j /\ multiple (-1) (float_row (firstn n e) vr j).
Proof.
  intros Hj Hn. destruct weights_0 as (W0 & W1 & We & Ml & Me). destruct Ok as (_ & HM & _ & _ & _ & Wf & Ws & _ & _).
  set (c := at_z z j). assert (C : 0 <= c <= 1) by (unfold c; destruct (at_z_01 j) as [-> | ->]; lra).
  assert (Mc : multiple (-1) (we * c)). { unfold c. destruct (at_z_01 j) as [-> | ->].
    rewrite Rmult_0_r. now apply (whole_half 0). now rewrite Rmult_1_r. }
  assert (wc : we * c <= we) by (rewrite <- (Rmult_1_r we) at 2; apply Rmult_le_compat_l; lra).
  assert (M1 : 1 <= INR M) by (change 1 with (INR 1); apply le_INR; lia).
  assert (MW : wl <= INR M * wl) by (rewrite <- (Rmult_1_l wl) at 1; apply Rmult_le_compat_r; auto).
  set (cap := fun k => if Nat.ltb k L then 1 else c).
  assert (cap_L : cap L = c) by (unfold cap; now rewrite Nat.ltb_irrefl).
  assert (cap_old : forall t, In t ts -> cap (ch t) = 1 /\ (ch t < L)%nat).
  { intros t Ht. assert (X := float_reads_lt tail fs fa E ord M p s ts t Rd Ht). fold L in X. split; auto.
    unfold cap. apply Nat.ltb_lt in X. now rewrite X. }
  assert (Sz : row_size cap vr = wl + we * c).
  { unfold row_size, vr. rewrite sum_app', sum_map. cbn [sum fst snd]. rewrite cap_L. fold we. rewrite We, Rplus_0_r.
    f_equal. apply sum_ext. intros t Ht. destruct (cap_old t Ht) as [-> _]. ring. }
  assert (Bd : bounded cap (firstn n e) vr j).
  { intros t Ht. unfold vr in Ht. apply in_app_or in Ht. destruct Ht as [Ht|[<-|[]]].
    - apply in_map_iff in Ht. destruct Ht as (t0 & <- & Ht0). cbn [fst snd]. destruct (cap_old t0 Ht0) as [-> Lt].
      rewrite chan_firstn by lia. split. destruct (float_bool tail fs fa E ord M p _ w e NM Run s ts t0 j Rd Ht0 Hj)
        as
        [-> | ->]; rewrite ?Rabs_R0, ?Rabs_R1; lra.
      rewrite Rmult_1_r. unfold coef. rewrite <- abs_IZR. now apply (whole_half (Z.abs (fst (fst t0)))).
    - cbn [fst snd]. rewrite cap_L, chan_firstn by lia. destruct (compare_marks j Hj) as [-> _]. fold c. split.
      rewrite Rabs_pos_eq; lra. exact Mc. }
  destruct (row_size_ok fa cap (firstn n e) vr j Bd) as [R1 R2]. rewrite Sz. lra. rewrite Sz in R1, R2.
  assert (Tp : bpow radix2 (prec fa - 1) <= top fa) by (apply top_pow; lia).
  split; [|split].
  - intros x Hx. specialize (R1 x Hx). lra.
  - unfold FloatRun.float_row. apply abs_rnd_le; auto. apply (multiple_number fs (-1)). now apply multiple_add.
    generalize (emin_neg fs) (prec_ge_2 fs); lia. replace (-1 + prec fs)%Z with (prec fs - 1)%Z by lia.
    rewrite Rabs_pos_eq. lra. apply Rplus_le_le_0_compat; auto. apply Rmult_le_pos; lra.
  - unfold FloatRun.float_row. assert (X : multiple (-1) (asc fa 0 (terms fa (firstn n e) vr j))).
    { apply asc_multiple. now apply (whole_half 0). intros y Hy. unfold terms in Hy. apply in_map_iff in Hy.
      destruct Hy as (t & <- & Ht). assert (Y : multiple (-1) (fst t * chan (firstn n e) (snd t) j)).
      { unfold vr in Ht. apply in_app_or in Ht. destruct Ht as [Ht|[<-|[]]].
        - apply in_map_iff in Ht. destruct Ht as (t0 & <- & Ht0). cbn [fst snd]. destruct (cap_old t0 Ht0) as [_ Lt].
          rewrite chan_firstn by lia. destruct (float_bool tail fs fa E ord M p _ w e NM Run s ts t0 j Rd Ht0 Hj) as
            [-> | ->]. rewrite Rmult_0_r. now apply (whole_half 0). rewrite Rmult_1_r.
          now apply (whole_half (fst (fst t0))).
        - cbn [fst snd]. rewrite chan_firstn by lia. destruct (compare_marks j Hj) as [-> _]. destruct (at_z_01 j) as
            [-> | ->]. rewrite Rmult_0_r. now apply (whole_half 0). rewrite Rmult_1_r. exists (2 * const s + 1)%Z.
          unfold half. rewrite plus_IZR, mult_IZR. change (bpow radix2 (-1)) with (/ 2). field. }
      destruct Y as [m ->]. apply rnd_multiple. }
    destruct X as [m ->]. apply rnd_multiple.
Qed.
End At.
Theorem compare_safe : float_computes (p ++ compare_block Temperature d ts (const s) L) (L + 5) (AtLeast s) ->
  safe (p ++ compare_block Temperature d ts (const s) L).
Proof.
  intros Out. assert (L0 := good_pos p G). fold L in L0. destruct weights_0 as (W0 & W1 & We & Ml & Me).
  assert (Ok' := Ok). destruct Ok' as (_ & HM & _ & _ & _ & Wf & Ws & O & _).
  assert (Nar : ord = AnyOrder -> 8 * tiny fa <= u fa) by (intros Eo; rewrite Eo in O; tauto). clear O.
  apply block_safe; auto. intros w e NM Run j d0 i Hd Hi. fold L. assert (T := top_16). assert (Ts := top_8).
  assert (M1 : 1 <= INR M) by (change 1 with (INR 1); apply le_INR; lia).
  assert (MW : wl <= INR M * wl) by (rewrite <- (Rmult_1_l wl) at 1; apply Rmult_le_compat_r; auto).
  set (z := sentinel d (N w)). set (W := wl + we) in *.
  assert (Gs : (emin fs <= -1)%Z) by (generalize (emin_neg fs) (prec_ge_2 fs); lia).
  assert (Ga : (emin fa <= -1)%Z) by (generalize (emin_neg fa) (prec_ge_2 fa); lia).
  assert (MWm : multiple (-1) W) by now apply multiple_add.
  assert (NWs : number fs W). { apply (multiple_number fs (-1)); auto. replace (-1 + prec fs)%Z with (prec fs - 1)%Z
    by
    lia. rewrite Rabs_pos_eq; unfold W in *; lra. }
  assert (NWa : number fa W) by now apply incl.
  assert (Lt : forall t, In t ts -> (ch t < L)%nat) by (intros t Ht; now apply (float_reads_lt tail fs fa E ord M p s
    ts)).
  assert (IK : forall k, In k (keys w (mask_of d) i) -> (k < N w)%nat) by (intros k Hk; apply in_keys in Hk; tauto).
  assert (Mk := compare_marks w e Run). fold z in Mk. assert (Vl := compare_values w e NM Run). fold z in Vl.
  assert (Vb : forall k n, (k < N w)%nat -> (L < n)%nat -> Rabs (float_row (firstn n e) vr k) <= W).
  { intros k n Hk Hn. destruct (Vl k n Hk Hn) as (_ & X & _). assert (we * at_z z k <= we).
    { unfold at_z. destruct (Nat.eqb k z); lra. } unfold W. lra. }
  assert (Sum : sum (fun k => Rabs (float_row (firstn (L + 1) e) vr k)) (keys w (mask_of d) i) <= bpow radix2 (prec
    fa -
    1)).
  { eapply Rle_trans; [|apply Ws]. apply Rle_trans with (sum (fun k => wl + we * at_z z k) (keys w (mask_of d) i)).
    apply sum_le. intros k Hk. apply Vl; auto. lia. rewrite sum_plus, sum_const, sum_scal. apply Rplus_le_compat.
    apply Rmult_le_compat_r; auto. apply le_INR. assert (X := keys_length tail w (mask_of d) i). lia.
    rewrite <- (Rmult_1_r we) at 2. apply Rmult_le_compat_l; auto. apply sum_at_z, keys_NoDup. }
  assert (Len : (Z.of_nat (length (keys w (mask_of d) i)) <= 2 ^ prec fa)%Z) by (assert (X := keys_length tail w
    (mask_of d)
    i); lia).
  assert (Yb : Rabs (chan e (L + 1) i) <= W).
  { assert (X := fb_at tail fs fa E ord p _ w e Run 1 _ i eq_refl Hi I i Hi). fold L in X. cbn in X.
    destruct X as (lam & logit & _ & Nl & Lg & E0 & I0 & SR). fold half in SR. fold vr in SR.
    apply (count_mean fs fa E0 ord (HE E0 I0) logit (fun k => float_row (firstn (L + 1) e) vr k) (keys w (mask_of d)
      i) Nl Nar
      Len);
      auto.
    - intros k Hk. apply (logit_empty fa ord lam). now apply Lg.
    - intros k Hk. apply Vl; auto. lia.
    - intros k Hk. apply Vb; auto. lia.
    - unfold W; lra. }
  assert (Fg := fb_feature tail fs fa E ord p _ w e Run 2 _ i eq_refl Hi). fold L in Fg.
  assert (Gb : Rabs (chan e (L + 2) i) <= 1) by (apply (expression_1 fs _ _ Fg); now apply log_small).
  assert (Raw : 0 <= chan e (L + 4) i <= 2).
  { apply (raw_out _ w e i 4 _ _ _ L (at_z z) NM Run Hi eq_refl); auto.
    rows. lia. intros k Hk. now apply Mk. intros k. apply at_z_01. }
  each j Hd.
  - destruct (feature_safe w (firstn (L + 0) e) (fun i n => ind (Nat.eqb i (sentinel d n))) i (chan e (L + 0) i)) as
    [X Y].
    unfold ind. destruct Nat.eqb; rewrite ?Rabs_R1, ?Rabs_R0; lra.
    apply (fb_feature tail fs fa E ord p _ w e Run 0 _ i eq_refl Hi). split; [exact X|now apply small_1].
  - fold half. fold vr. assert (Tf : bpow radix2 (prec fs - 1) <= top fs) by (apply top_pow; lia).
    split; [split|unfold W in *; lra].
    + intros x (lam & Hl & Hx). destruct Hl as [_ Hl]. rewrite (Hl (number_1 fa)) in *.
      destruct Hx as [->|[(r & [] & _)|[(k & r & Hk & Hr & Hx)|[(k & Hk & Hx)|(logit & Nl & Ll & E0 & I0 & Hx)]]]].
      * rewrite Rabs_R1. lra.
      * cbn in Hr. destruct Hr as [<-|[]]. apply (Vl k (L + 1)%nat); auto. lia.
      * cbn in Hx. inversion Hx as [x0 D|s0 D|t []|x0 D|l D]; subst; try (now inversion D).
        inversion D; subst. rewrite Rmult_0_r, (rnd_id fa 0), Rabs_R0 by apply number_0. lra.
        apply (logit_empty fa ord) in D. apply (moved_0 fa ord) in D. destruct D as [_ D]. unfold low in D.
        assert (tiny fa <= bpow radix2 (-1)) by (apply bpow_le, Ga). change (bpow radix2 (-1)) with (/ 2) in *. lra.
      * apply (count_row fs fa E0 ord (HE E0 I0) logit (fun k => float_row (firstn (L + 1) e) vr k) (keys w (mask_of
        d) i));
        auto.
        intros k Hk. apply (logit_empty fa ord 1). now apply Ll. intros k Hk. apply Vl; auto. lia.
    + intros x [(r & [] & _)|[(k & r & Hk & Hr & ->)|(x0 & Hx & ->)]].
      * cbn in Hr. destruct Hr as [<-|[]]. assert (X := Vb k (L + 1)%nat (IK k Hk) ltac:(lia)). unfold W in *. lra.
      * apply Rle_trans with 1; [|lra]. apply abs_rnd_le. apply number_1. rewrite Rabs_pos_eq; lra.
  - destruct (feature_safe w (firstn (L + 2) e) (fun i n => ln (INR (Nat.max (num d n i) 1)) / (2 * kappa * INR n)) i
      (chan e (L + 2) i)) as [X Y]. now apply log_small. exact Fg. split; [exact X|now apply small_1].
  - destruct (feature_safe w (firstn (L + 3) e) (fun i n => 1 * ind (Nat.eqb i (sentinel d n))) i (chan e (L + 3) i))
    as
      [X Y]. unfold ind. destruct Nat.eqb; rewrite Rmult_1_l, ?Rabs_R1, ?Rabs_R0; lra.
    apply (fb_feature tail fs fa E ord p _ w e Run 3 _ i eq_refl Hi). split; [exact X|now apply small_1].
  - split; [|now apply small_2]. cbn [by_method].
    assert (Fy := fb_at tail fs fa E ord p _ w e Run 1 _ i eq_refl Hi I i Hi). fold L in Fy. cbn in Fy.
    assert (Ny : number fs (chan e (L + 1) i)).
    { destruct Fy as (lam & logit & _ & _ & _ & E0 & I0 & SR). eapply softmax_number; exact SR. }
    assert (Ng : number fs (chan e (L + 2) i)) by (destruct Fg as [(y' & _ & _ & ->) _]; apply rnd_number).
    set (y := chan e (L + 1) i) in *. set (g := chan e (L + 2) i) in *. set (e' := firstn (L + 4) e).
    assert (Ey : chan e' (L + 1) i = y) by (apply chan_firstn; lia).
    assert (Eg : chan e' (L + 2) i = g) by (apply chan_firstn; lia).
    set (S := rnd fs (rnd fa (W + 1))). assert (Syg : Rabs (y + g) <= W + 1) by (eapply Rle_trans; [apply
      Rabs_triang|]; lra).
    assert (NS : number fa S) by (apply incl, rnd_number).
    assert (P2s : bpow radix2 (prec fs) = 2 * bpow radix2 (prec fs - 1)).
    { replace (prec fs) with (1 + (prec fs - 1))%Z at 1 by lia. rewrite bpow_plus. reflexivity. }
    assert (P2a : bpow radix2 (prec fa) = 2 * bpow radix2 (prec fa - 1)).
    { replace (prec fa) with (1 + (prec fa - 1))%Z at 1 by lia. rewrite bpow_plus. reflexivity. }
    assert (F4 := four_s). assert (F8 := eight_a).
    assert (Nps : number fs (bpow radix2 (prec fs))) by (apply number_pow; lia).
    assert (Npa : number fa (bpow radix2 (prec fa))) by (apply number_pow; lia).
    assert (S_s : S <= top fs). { eapply Rle_trans; [|apply top_ge]. apply rnd_le_number; auto.
      apply rnd_le_number; auto. unfold W in *; lra. }
    assert (S1 : 1 <= S). { apply rnd_ge; [apply number_1|]. apply rnd_ge; [apply number_1|]. unfold W in *; lra. }
    assert (Q : float_row e' [(1, (L + 1)%nat); (1, (L + 2)%nat)] i = rnd fs (rnd fa (y + g)) /\
      forall x, In x (row_summed e' [(1, (L + 1)%nat); (1, (L + 2)%nat)] i) -> Rabs x <= bpow radix2 (prec fa)).
    { unfold FloatRun.float_row, Results.row_summed, terms. cbn [map asc fst snd app asc_parts]. rewrite Ey, Eg,
      !Rmult_1_l,
        Rplus_0_l. rewrite !(rnd_id fa y), !(rnd_id fa g) by auto. split; auto.
      assert (Syg' : Rabs (rnd fa (y + g)) <= bpow radix2 (prec fa)) by (apply abs_rnd_le; auto; unfold W in *; lra).
      intros x Hx. in_list; unfold W in *; lra. }
    destruct Q as [Q1 Q2].
    assert (QS : Rabs (float_row e' [(1, (L + 1)%nat); (1, (L + 2)%nat)] i) <= S).
    { rewrite Q1. apply abs_rnd_mono, abs_rnd_mono. exact Syg. }
    assert (Kz : forall k, In k (keys w (mask_of d) i) -> float_row e' [(1, (L + 3)%nat)] k = at_z z k /\
      float_row e' [(1, L)] k = at_z z k /\ (forall x, In x (row_summed e' [(1, (L + 3)%nat)] k) \/ In x (row_summed
        e'
        [(1, L)] k) -> Rabs x <= 1)).
    { intros k Hk. destruct (Mk k (IK k Hk)) as [K1 K3]. assert (Z01 := at_z_01 w k). fold z in Z01.
      destruct (bool_row (L + 4) e (L + 3) k) as [X1 X2]. lia. now rewrite K3.
      destruct (bool_row (L + 4) e L k) as [Y1 Y2]. lia. now rewrite K1.
      fold e' in X1, X2, Y1, Y2. rewrite X2, Y2. split; auto. split; auto. intros x [Hx|Hx]; auto. }
    unfold compare_range in Rg. cbv zeta in Rg. fold S in Rg. set (Y := rnd fa (16 * INR M * S)) in *.
    assert (U0 : 0 <= ulp_of fa Y) by apply ulp_ge_0. assert (T0 := tiny_pos fa).
    assert (Num16 : forall n, (n <= M)%nat -> number fa (16 * INR n)).
    { intros n Hn. apply (number_mult fa _ (Z.of_nat n) 4). rewrite <- INR_IZR_INZ. simpl. lra. lia.
      generalize (emin_neg fa) (prec_ge_2 fa); lia. }
    assert (LY : 16 * INR M <= Y). { apply rnd_ge. now apply Num16. rewrite <- (Rmult_1_r (16 * INR M)) at 1.
      apply Rmult_le_compat_l; lra. }
    assert (SY : S <= Y). { apply rnd_ge; auto. rewrite <- (Rmult_1_l S) at 1. apply Rmult_le_compat_r; lra. }
    assert (Lam : forall lam, expression fa (2 * kappa * INR (N w)) lam -> number fa lam /\ Rabs lam <= 16 * INR M).
    { intros lam [_ X]. replace (2 * kappa * INR (N w)) with (16 * INR (N w)) in X by (unfold kappa; ring).
      rewrite (X (Num16 _ NM)). split; auto. assert (INR (N w) <= INR M) by now apply le_INR. assert (P := pos_INR (N
        w)).
      rewrite Rabs_pos_eq; lra. }
    assert (Sc : forall k, In k (keys w (mask_of d) i) -> Rabs (float_row e' [(1, (L + 1)%nat); (1, (L + 2)%nat)] i *
      float_row e' [(1, (L + 3)%nat)] k) <= S /\ 0 <= float_row e' [(1, (L + 3)%nat)] k <= 1).
    { intros k Hk. destruct (Kz k Hk) as (-> & _). assert (Z01 : 0 <= at_z z k <= 1) by (unfold at_z; destruct
      (Nat.eqb k
      z); lra). split; auto. eapply Rle_trans; [now apply times_unit|exact QS]. }
    assert (TP := top_ge fa).
    apply (head_safe w e' _ (fun n => 2 * kappa * INR n) _ _ _ i (16 * INR M) S); auto; try lra.
    + intros x Hx. specialize (Q2 x Hx). lra.
    + intros k Hk. destruct (Kz k Hk) as (K1 & K2 & K3). destruct (Sc k Hk) as [S2 S3].
      split; [|split; [|split; [|split]]]; auto.
      * intros x Hx. specialize (K3 x Hx). lra.
      * rewrite Rabs_pos_eq by lra. lra.
      * rewrite K2. apply at_z_01.
    + cbv zeta. fold Y. lra.
    + intros lam logit Hl Lg k k' Hk Hk'. destruct (Lam lam Hl) as [Nl Ll].
      assert (Bz : forall k, In k (keys w (mask_of d) i) -> Rabs (logit k) <= Y + ulp_of fa Y).
      { intros k0 Hk0. destruct (Sc k0 Hk0) as [S2 S3].
        apply (proj1 (logit_sizes fa ord lam _ _ (16 * INR M) S Nl Ll NS QS S2 (or_intror S3))). exact (Lg k0 Hk0). }
      assert (B0 : forall k, In k (keys w (mask_of d) i) -> k <> z -> Rabs (logit k) <= tiny fa).
      { intros k0 Hk0 Hne. assert (X := Lg k0 Hk0). cbn [pairs map fst snd] in X. destruct (Kz k0 Hk0) as (K1 & _).
        rewrite K1 in X. unfold at_z in X. destruct (Nat.eqb_spec k0 z); [contradiction|]. apply (logit_zero fa ord)
        in X.
        now destruct (moved_0 fa ord _ X). }
      assert (Tr : Rabs (logit k - logit k') <= Rabs (logit k) + Rabs (logit k')).
      { eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. lra. }
      destruct (Nat.eq_dec k z) as [->|K1], (Nat.eq_dec k' z) as [->|K2].
      * rewrite Rminus_diag_eq, Rabs_R0 by auto. lra.
      * specialize (Bz z Hk). specialize (B0 k' Hk' K2). lra.
      * specialize (Bz z Hk'). specialize (B0 k Hk K1). lra.
      * assert (X := Bz k Hk). specialize (B0 k' Hk' K2). lra.
  - split. apply (round_safe _ w e i (L + 4) (L + 5) NM Run Hi); auto; lia.
    apply small_1. rewrite (Out w e NM Run i Hi). apply truth_abs.
Qed.
End Compare.
End SafeCompare.
