(* doc/certificate.md, "Quantities": how large numbers get in a block of the compiler, so that no operation overflows.

   def_safe     if what a channel reads is at most cap, and coarse bounds of its results fit, every result is at most
                top
   block_safe   the same of a block of channels that is put after a program
   once_safe, since_safe, step_safe, compare_safe and others   the blocks, if 10^10 M^2 W <= top: W is 1, or what the
                weights of a comparison add up to *)
From Coq Require Import ZArith Reals Lia Lra Psatz List Bool Arith Permutation.
From Flocq Require Import Core.
From Temper Require Import Rows Heads Format Sums Nearest NearestAny Rounding Range Strings Programs Compile Temporal
  MainTheorem
  FloatRun NearestHead OnceTree Results Soundness SoundCompare.
Import ListNotations.
Local Open Scope R_scope.

Section Safe.
Context {A : Type}.
Variable tail : bool.
Variables fs fa : format.
Variable E : R -> R.
Hypothesis HE : exp_model fa E.
Variable ord : order.
Variable M : nat.
Hypothesis size_M : (Z.of_nat M <= 2 ^ prec fa)%Z.
Notation N := (N tail). Notation keys := (keys tail). Notation float_run := (float_run tail fs fa E ord).
Definition room x := x <= top fs /\ x <= top fa.
Definition rows_of (d : def A) : list row := match d with Head _ _ qk v => v :: map fst qk ++ map snd qk | Net us =>
  map (fun t => snd (fst t)) us | _ => [] end.

Section Cap.
Variable cap : nat -> R.
Notation size := (row_size cap).
Definition unit_size (t : R * row * R) := 4 * (4 * size (snd (fst t)) + Rabs (snd t)).
Definition score_size (qk : list (row * row)) := sum (fun t => 8 * size (fst t) * (8 * size (snd t))) qk.
Definition net_size us := 8 * sum (fun t => Rabs (fst (fst t)) * unit_size t) us.
Definition head_size v := 72 * INR M * (1 + 8 * size v).
Definition def_fits (d : def A) : Prop := match d with
  | Letter _ => True
  | Feature g => forall i n, (i < n <= M)%nat -> room (3 * Rabs (g i n))
  | Head _ scale qk v => room (head_size v) /\ room (4 * score_size qk) /\ (forall r, In r (rows_of d) -> room (8 *
    size r)) /\
      forall n, (1 <= n <= M)%nat -> room (3 * Rabs (scale n)) /\ room (4 * (48 * Rabs (scale n) * score_size qk +
        1)) /\
        forall r, In r (map fst qk) -> room (6 * Rabs (scale n) * (8 * size r))
  | Net us => room (net_size us) /\ forall t, In t us -> room (unit_size t) /\ room (2 * (Rabs (fst (fst t)) *
    unit_size t)) end.
Definition def_capped (d : def A) B : Prop := match d with
  | Letter _ => 1 <= B
  | Feature g => forall i n, (i < n <= M)%nat -> 3 * Rabs (g i n) <= B
  | Head _ _ _ v => head_size v <= B
  | Net us => net_size us <= B end.

Lemma expression_size f y x : expression f y x -> Rabs x <= 3 * Rabs y.
Proof.
  intros [(y' & H & _ & ->) _]. assert (F : f64_error <= / 4) by (unfold f64_error, v64; change (bpow radix2 (-53))
    with (/ IZR (2 ^ 53)); simpl; lra).
  assert (T := rnd_twice f y'). assert (P := Rabs_pos y). assert (f64_error * Rabs y <= / 4 * Rabs y) by (apply
    Rmult_le_compat_r; lra).
  assert (Q : Rabs y' <= Rabs (y' - y) + Rabs y) by (replace y' with ((y' - y) + y) at 1 by ring; apply Rabs_triang).
    lra.
Qed.
Definition safe_def w (e : env) (d : def A) i : Prop := (forall z, summed_result tail fs fa E ord w e d i z -> Rabs z
  <= top fa) /\
  (forall z, stored_result tail fs fa w e d i z -> Rabs z <= top fs).

Theorem def_safe w e (d : def A) c : (N w <= M)%nat -> (forall r i, In r (rows_of d) -> (i < N w)%nat -> bounded cap
  e r i) ->
  float_def tail fs fa E ord w e d c -> def_fits d -> forall i, (i < N w)%nat -> safe_def w e d i /\ forall B,
    def_capped d B -> Rabs (c i) <= B.
Proof.
  intros NM Bd Def Fit i Hi. specialize (Def i Hi). destruct d as [q|g|m scale qk v|us]; cbn [def_fits def_capped] in
    *.
  - split. split; intros z []. intros B HB. cbn in Def. rewrite Def.
    destruct (at_ w i); [destruct (q a)|]; rewrite ?Rabs_R1, ?Rabs_R0; lra.
  - cbn in Def. assert (X := expression_size fs _ _ Def). split. split. intros z [].
    intros z Hz. cbn in Hz. assert (Y := expression_size fs _ _ Hz). destruct (Fit i (N w) ltac:(lia)). lra.
    intros B HB. specialize (HB i (N w) ltac:(lia)). lra.
  - destruct Fit as (F1 & F2 & F3 & F4). destruct (F4 (N w) ltac:(lia)) as (F5 & F6 & F7).
    assert (Rv := fun j Hj => row_ok fs fa cap e v j (Bd v j (or_introl eq_refl) Hj)).
    assert (Rq : forall r j, In r (map fst qk) -> (j < N w)%nat -> bounded cap e r j) by (intros r j Hr Hj; apply Bd;
      auto; right; apply in_or_app; auto).
    assert (Rk : forall r j, In r (map snd qk) -> (j < N w)%nat -> bounded cap e r j) by (intros r j Hr Hj; apply Bd;
      auto; right; apply in_or_app; auto).
    assert (v0 : 0 <= size v) by apply (Rv i Hi).
    assert (IK : forall j, In j (keys w m i) -> (j < N w)%nat) by (intros j Hj; apply in_keys in Hj; tauto).
    assert (Pr : forall j, In j (keys w m i) -> products (pairs fs fa e qk i j) <= score_size qk).
    { intros j Hj. unfold products, pairs, score_size. rewrite sum_map. apply sum_le. intros t Ht. cbn [fst snd].
      destruct (row_ok fs fa cap e (fst t) i) as (_ & _ & Q1 & _); [apply Rq; auto; now apply in_map|].
      destruct (row_ok fs fa cap e (snd t) j) as (_ & _ & Q2 & _); [apply Rk; auto; now apply in_map|].
        apply Rmult_le_compat; auto; apply Rabs_pos. }
    assert (LM : (length (keys w m i) <= M)%nat) by (assert (X := keys_length tail w m i); lia).
    set (Lam := 48 * Rabs (scale (N w)) * score_size qk + 1) in *.
    assert (Lg : forall lam j l, expression fa (scale (N w)) lam -> In j (keys w m i) -> logit_of fa ord lam (pairs
      fs fa e qk i j) l -> Rabs l <= Lam).
    { intros lam j l Hl Hj H. assert (X := logit_size fa ord lam _ l H). assert (Y := expression_size fa _ _ Hl).
      assert (Z := Pr j Hj). assert (P1 := products_pos (pairs fs fa e qk i j)).
      assert (P2 := Rabs_pos lam). unfold Lam. assert (Rabs lam * products (pairs fs fa e qk i j) <= 3 * Rabs (scale
        (N w)) * score_size qk) by (apply Rmult_le_compat; lra). lra. }
    assert (Vl : forall j, In j (keys w m i) -> Rabs (float_row fs fa e v j) <= 1 + 8 * size v) by (intros j Hj;
      destruct (Rv j (IK j Hj)) as (_ & _ & Q & _); lra).
    split; [split|].
    + intros z (lam & Hl & Hz). assert (Yl := expression_size fa _ _ Hl). assert (Pl := Rabs_pos lam).
      destruct Hz as [->|[(r & Hr & Hz)|[(j & r & Hj & Hr & Hz)|[(j & Hj & Hz)|(logit & Nl & Ll & Hz)]]]].
      * destruct F5. lra.
      * destruct (row_ok fs fa cap e r i) as (Q & _ & _ & Q0); [now apply Rq|]. specialize (Q z Hz).
        destruct (F3 r) as [_ F]; [right; apply in_or_app; auto|]. lra.
      * destruct (row_ok fs fa cap e r j) as (Q & _ & _ & Q0). { apply Bd; auto.
        destruct Hr as [<-|Hr]; [now left|right; apply in_or_app; auto]. }
        specialize (Q z Hz). destruct (F3 r) as [_ F]. { destruct Hr as [<-|Hr]; [now left|right; apply in_or_app;
          auto]. } lra.
      * assert (P1 := products_pos (pairs fs fa e qk i j)). assert (Z := Pr j Hj).
        destruct (logit_result_size fa ord lam _ z Hz) as [X|[X|(t & Ht & X)]].
        -- assert (Rabs lam * products (pairs fs fa e qk i j) <= 3 * Rabs (scale (N w)) * score_size qk) by (apply
          Rmult_le_compat; lra). unfold Lam in F6. destruct F6.
           assert (0 <= Rabs (scale (N w)) * score_size qk) by (apply Rmult_le_pos; [apply Rabs_pos|lra]). lra.
        -- destruct F2. lra.
        -- unfold pairs in Ht. apply in_map_iff in Ht. destruct Ht as (t0 & <- & Ht0). cbn [fst] in X.
          destruct (row_ok fs fa cap e (fst t0) i) as (_ & _ & Q & Q0); [apply Rq; auto; now apply in_map|].
           destruct (F7 (fst t0)) as [_ F]; [now apply in_map|].
             assert (Rabs lam * Rabs (float_row fs fa e (fst t0) i) <= 3 * Rabs (scale (N w)) * (8 * size (fst t0)))
             by (apply Rmult_le_compat; auto; apply Rabs_pos). lra.
      * assert (M1 : (1 <= M)%nat) by lia.
        destruct (softmax_size fs fa E ord HE M size_M logit (fun j => float_row fs fa e v j) (keys w m i) (1 + 8 *
          size v) Lam Nl) with (z := z) as [X|X]; auto; try lra.
        intros j Hj. apply (Lg lam j); auto. destruct F6; lra. unfold head_size in F1. destruct F1.
          assert (0 <= INR M) by apply pos_INR.
        assert (0 <= INR M * (1 + 8 * size v)) by (apply Rmult_le_pos; lra). lra.
    + intros z [(r & Hr & ->)|[(j & r & Hj & Hr & ->)|(x & Hx & ->)]].
      * destruct (row_ok fs fa cap e r i) as (_ & _ & Q & _); [now apply Rq|].
        destruct (F3 r) as [F _]; [right; apply in_or_app; auto|]. lra.
      * destruct (row_ok fs fa cap e r j) as (_ & _ & Q & _). { apply Bd; auto.
        destruct Hr as [<-|Hr]; [now left|right; apply in_or_app; auto]. }
        destruct (F3 r) as [F _]. { destruct Hr as [<-|Hr]; [now left|right; apply in_or_app; auto]. } lra.
      * rewrite Rabs_pos_eq by (apply rnd_ge; [apply number_0|lra]). apply Rle_trans with 1.
        apply rnd_le_number; [apply number_1|lra].
        assert (T := top_ge fs). assert (bpow radix2 0 <= bpow radix2 (prec fs)) by (apply bpow_le; generalize
          (prec_ge_2 fs); lia). simpl in *. lra.
    + intros B HB. cbn in Def. destruct Def as (lam & logit & Hl & Nl & Ll & SR). eapply Rle_trans; [|apply HB].
      apply (softmax_out fs fa E ord HE M size_M logit (fun j => float_row fs fa e v j) (keys w m i) (1 + 8 * size v)
        Lam); auto; try lra. intros j Hj. apply (Lg lam j); auto.
  - destruct Fit as [F1 F2]. assert (Bt : forall t, In t us -> bounded cap e (snd (fst t)) i) by (intros t Ht; apply
    Bd; auto; cbn [rows_of]; apply in_map_iff; eauto).
    assert (Un : forall t, In t us -> Rabs (rnd fa (asc fa 0 (terms fa e (snd (fst t)) i) + snd t)) <= unit_size t /
      2 /\ Rabs (hidden fs fa e t i) <= unit_size t /\ 0 <= unit_size t /\
       Rabs (rnd fa (fst (fst t) * hidden fs fa e t i)) <= 2 * (Rabs (fst (fst t)) * unit_size t)).
    { intros t Ht. destruct (row_ok fs fa cap e (snd (fst t)) i (Bt t Ht)) as (_ & Q & _ & Q0).
      assert (Pb := Rabs_pos (snd t)).
      set (S := asc fa 0 (terms fa e (snd (fst t)) i)) in *. assert (X := rnd_twice fa (S + snd t)).
        assert (Y := Rabs_triang S (snd t)).
      assert (H1 : Rabs (rnd fa (S + snd t)) <= unit_size t / 2) by (unfold unit_size; lra).
      assert (H2 : Rabs (hidden fs fa e t i) <= unit_size t).
      { unfold hidden. fold S. assert (Z := rnd_twice fs (relu (rnd fa (S + snd t)))).
        assert (W : Rabs (relu (rnd fa (S + snd t))) <= Rabs (rnd fa (S + snd t))).
        { unfold relu. destruct (Rle_dec 0 (rnd fa (S + snd t))). rewrite Rmax_right by auto. lra.
          rewrite Rmax_left, Rabs_R0 by lra. apply Rabs_pos. } lra. }
      assert (H3 := Rabs_pos (hidden fs fa e t i)). split; auto. split; auto. split. lra.
        eapply Rle_trans; [apply rnd_twice|]. rewrite Rabs_mult. apply Rmult_le_compat_l. lra.
      apply Rmult_le_compat_l; auto. apply Rabs_pos. }
    set (ps := map (fun t => rnd fa (fst (fst t) * hidden fs fa e t i)) us).
      destruct (asc_size fa ps 0 (number_0 fa)) as [A1 A2]. rewrite Rabs_R0 in A1, A2.
    assert (Sp : sum Rabs ps <= 2 * sum (fun t => Rabs (fst (fst t)) * unit_size t) us).
    { unfold ps. rewrite sum_map, <- sum_scal. apply sum_le. intros t Ht. apply (Un t Ht). }
    assert (S0 : 0 <= sum (fun t => Rabs (fst (fst t)) * unit_size t) us) by (apply sum_nonneg; intros t Ht; apply
      Rmult_le_pos; [apply Rabs_pos|apply (Un t Ht)]).
    unfold net_size in *. split; [split|].
    + intros z [(t & Ht & Hz)|Hz].
      * destruct (Un t Ht) as (U1 & U2 & U3 & U4). destruct (F2 t Ht) as [[_ G1] [_ G2]].
        destruct (row_ok fs fa cap e (snd (fst t)) i (Bt t Ht)) as (Q & _ & _ & Q0).
        destruct Hz as [Hz|[->| ->]]; [|lra|lra]. specialize (Q z Hz). assert (Pb := Rabs_pos (snd t)).
          unfold unit_size in G1. lra.
      * specialize (A2 z Hz). destruct F1. lra.
    + intros z (t & Ht & ->). destruct (Un t Ht) as (_ & U2 & _). destruct (F2 t Ht) as [[G1 _] _]. lra.
    + intros B HB. cbn in Def. rewrite Def. unfold float_net. eapply Rle_trans; [apply rnd_twice|]. fold ps. lra.
Qed.
End Cap.

(* ---- programs ---- *)
Definition safe (p : prog A) : Prop := forall w e, (N w <= M)%nat -> float_run w p e -> forall k d i, nth_error p k =
  Some d -> (i < N w)%nat ->
  safe_def w (firstn k e) d i /\ Rabs (chan e k i) <= top fs.
Lemma top_1 f : 1 <= top f.
Proof. assert (T := top_ge f). assert (bpow radix2 0 <= bpow radix2 (prec f)) by (apply bpow_le; generalize
  (prec_ge_2 f); lia). simpl in *. lra. Qed.
Lemma fits_capped cap d : def_fits cap d -> def_capped cap d (top fs).
Proof.
  destruct d; cbn [def_fits def_capped]. intros _. apply top_1. intros H i n Hi. apply (H i n Hi). intros H.
    apply H. intros H. apply H.
Qed.
Theorem block_safe p bl cap : safe p ->
  (forall j d, nth_error bl j = Some d -> def_fits cap d /\ def_capped cap d (cap (length p + j)%nat)) ->
  (forall w e, (N w <= M)%nat -> float_run w (p ++ bl) e -> forall j d r t, nth_error bl j = Some d -> In r (rows_of
    d) -> In t r ->
     (length p <= snd t < length p + j)%nat \/ ((snd t < length p)%nat /\ forall i, (i < N w)%nat -> Rabs (chan e
       (snd t) i) <= cap (snd t))) ->
  safe (p ++ bl).
Proof.
  intros Sp Fit Rd w e NM Run k d i Hk Hi. set (L := length p) in *. destruct (lt_dec k L) as [Lt|Ge].
  - rewrite nth_error_app1 in Hk by auto. destruct (Sp w (firstn L e) NM (float_run_prefix tail fs fa E ord w p bl e
    Run) k d i Hk Hi) as [S1 S2].
    rewrite firstn_firstn, Nat.min_l in S1 by lia. rewrite chan_firstn in S2 by auto. auto.
  - assert (All : forall j d, nth_error bl j = Some d -> forall i, (i < N w)%nat -> safe_def w (firstn (L + j) e) d i
    /\ Rabs (chan e (L + j) i) <= cap (L + j)%nat /\ Rabs (chan e (L + j) i) <= top fs).
    { intros j. induction j as [j IH] using lt_wf_ind. intros d0 Hd i0 Hi0. destruct (Fit j d0 Hd) as [F C].
      assert (Def : float_def tail fs fa E ord w (firstn (L + j) e) d0 (fun i => chan e (L + j) i)).
      { apply (float_run_at tail fs fa E ord w (p ++ bl)); auto. rewrite nth_error_app2 by (unfold L; lia).
        unfold L. now rewrite Nat.add_comm, Nat.add_sub. }
      destruct (def_safe cap w (firstn (L + j) e) d0 (fun i => chan e (L + j) i) NM) with (i := i0) as [S1 S2]; auto.
      intros r i1 Hr Hi1 t Ht. destruct (Rd w e NM Run j d0 r t Hd Hr Ht) as [Q|[Q1 Q2]].
      - rewrite chan_firstn by lia. replace (snd t) with (L + (snd t - L))%nat by lia.
        assert (Lj : (j < length bl)%nat) by (apply nth_error_Some; congruence).
        destruct (nth_error bl (snd t - L)) as [d'|] eqn:Ed; [|apply nth_error_None in Ed; lia].
          apply (IH (snd t - L)%nat ltac:(lia) d' Ed i1 Hi1).
      - rewrite chan_firstn by (unfold L in *; lia). now apply Q2.
      - split; auto. split. now apply S2. apply S2. now apply (fits_capped cap). }
    assert (Ek : k = (L + (k - L))%nat) by lia. rewrite Ek in *. rewrite nth_error_app2 in Hk by lia.
      replace (L + (k - L) - length p)%nat with (k - L)%nat in Hk by (unfold L; lia).
    destruct (All (k - L)%nat d Hk i Hi) as (S1 & _ & S3). auto.
Qed.
(* operands of a block are at most 1, its own channels have the bounds of a list *)
Definition caps L (l : list R) c := if Nat.ltb c L then 1 else nth (c - L) l 0.
Lemma caps_old L l c : (c < L)%nat -> caps L l c = 1.
Proof. intros H. unfold caps. apply Nat.ltb_lt in H. now rewrite H. Qed.
Lemma caps_new L l k : caps L l (L + k) = nth k l 0.
Proof. unfold caps. assert (H : (L + k <? L) = false) by (apply Nat.ltb_ge; lia). rewrite H. f_equal. lia. Qed.
Lemma caps_L L l : caps L l L = nth 0 l 0.
Proof. rewrite <- (Nat.add_0_r L) at 2. apply caps_new. Qed.

Definition fits W := 10000000000 * (INR M * INR M) * W <= top fs /\ 10000000000 * (INR M * INR M) * W <= top fa.
Hypothesis fits_1 : fits 1.
Hypothesis M_1 : (1 <= M)%nat.
Lemma M_facts : 1 <= INR M /\ INR M <= INR M * INR M.
Proof.
  assert (H : 1 <= INR M) by (change 1 with (INR 1); now apply le_INR). split; auto.
    rewrite <- (Rmult_1_l (INR M)) at 1. apply Rmult_le_compat_r; lra.
Qed.
Lemma abs_1 : Rabs 1 = 1. Proof. apply Rabs_pos_eq; lra. Qed.
Lemma abs_m1 : Rabs (-1) = 1. Proof. rewrite Rabs_left; lra. Qed.
Lemma abs_2 : Rabs 2 = 2. Proof. apply Rabs_pos_eq; lra. Qed.
Lemma abs_52 : Rabs (- (5 / 2)) = 5 / 2. Proof. rewrite Rabs_left; lra. Qed.
Lemma abs_72 : Rabs (- (7 / 2)) = 7 / 2. Proof. rewrite Rabs_left; lra. Qed.
Lemma abs_sign d : Rabs (sign d) = 1. Proof. destruct d; [apply abs_1|apply abs_m1]. Qed.
(* the sizes of a block's rows *)
Ltac sizes := unfold room, rows_of, head_size, net_size, unit_size, score_size, row_size in *; cbn [sum map fst snd
  app] in *;
  rewrite ?abs_1, ?abs_m1, ?abs_2, ?abs_52, ?abs_72, ?abs_sign, ?Rabs_R0 in *.
Ltac in_list := repeat match goal with H : In _ (_ :: _) |- _ => destruct H as [<-|H] | H : In _ [] |- _ => destruct
  H end.

Lemma round_fits L l k B : (0 < L)%nat -> nth k l 0 <= B -> 0 <= nth k l 0 -> room (8 * (2 * (4 * (4 * (2 * B + 2) +
  4)))) -> def_fits (caps L l) (round_raw (L + k)) /\
  def_capped (caps L l) (round_raw (L + k)) (8 * (2 * (4 * (4 * (2 * B + 2) + 4)))).
Proof.
  intros L0 HB H0 [R1 R2]. unfold round_raw. cbn [def_fits def_capped]. sizes.
    rewrite caps_new, (caps_old L l 0 L0). repeat split; try lra; in_list; sizes; rewrite caps_new, (caps_old L l 0
    L0) in *; try lra; split; lra.
Qed.

Notation float_computes := (float_computes tail fs fa E ord M).
Lemma good_pos (p : prog A) : good p -> (0 < length p)%nat.
Proof. unfold good. destruct p; [discriminate|simpl; lia]. Qed.
Lemma old_1 (p bl : prog A) l w e c f : (N w <= M)%nat -> float_run w (p ++ bl) e -> (c < length p)%nat ->
  float_computes p c f ->
  (c < length p)%nat /\ forall i, (i < N w)%nat -> Rabs (chan e c i) <= caps (length p) l c.
Proof.
  intros NM Run Hc H. split; auto. intros i Hi. rewrite caps_old, (fb_old tail fs fa E ord M p bl w e NM Run c f i Hc
    H Hi) by auto.
  destruct (truth_01 w f i) as [-> | ->]; rewrite ?Rabs_R0, ?Rabs_R1; lra.
Qed.
Lemma real_1 (p bl : prog A) l w e : (N w <= M)%nat -> float_run w (p ++ bl) e -> good p ->
  (0 < length p)%nat /\ forall i, (i < N w)%nat -> Rabs (chan e 0 i) <= caps (length p) l 0.
Proof.
  intros NM Run G. assert (L0 := good_pos p G). split; auto. intros i Hi.
    rewrite caps_old, (fb_real tail fs fa E ord p bl w e G Run i Hi) by auto.
  unfold real. destruct (letter w i); rewrite ?Rabs_R0, ?Rabs_R1; lra.
Qed.
(* the channels of a block, one after the other *)
Ltac each j Hd := repeat (destruct j as [|j]; [cbn in Hd; injection Hd as <-|]); try (exfalso; cbn in Hd; destruct j;
  discriminate).
Ltac reads_of := match goal with Hr : In _ (rows_of _) |- _ => cbn [rows_of map fst snd app round_raw candidate
  negation conjunction] in Hr end;
  in_list; cbn [fst snd]; first [left; lia | right; first [now eapply old_1; eauto | now eapply real_1; eauto]].
Ltac small_fits := destruct fits_1 as [Ft1 Ft2]; destruct M_facts as [Mf1 Mf2].

Lemma feature_fits cap (g : nat -> nat -> R) : (forall i n, (i < n <= M)%nat -> Rabs (g i n) <= 1) -> def_fits cap
  (Feature g) /\ def_capped cap (Feature g) 3.
Proof.
  intros H. small_fits. split; intros i n Hi; specialize (H i n Hi). split; lra. lra.
Qed.
Lemma share_1 (i n : nat) : (i < n <= M)%nat -> Rabs (INR i / INR n) <= 1.
Proof.
  intros H. assert (n0 : 0 < INR n) by (apply lt_0_INR; lia). assert (i0 := pos_INR i).
    assert (INR i <= INR n) by (apply le_INR; lia).
  rewrite Rabs_pos_eq. apply Rmult_le_reg_r with (INR n); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
    lra. apply Rmult_le_pos. lra. left; now apply Rinv_0_lt_compat.
Qed.
(* a head with one query and one key row *)
Lemma head_fits cap m scale q k v a b c : (forall n, (1 <= n <= M)%nat -> Rabs (scale n) <= a * INR M) -> 0 <= a -> 0
  <= row_size cap q <= b -> 0 <= row_size cap k <= c -> 0 <= row_size cap v ->
  room (head_size cap v) -> room (8 * row_size cap v) -> room (4 * (48 * (a * INR M) * (8 * b * (8 * c)) + 1)) ->
    room (8 * b) -> room (8 * c) -> room (3 * (a * INR M)) -> room (6 * (a * INR M) * (8 * b)) -> room (4 * (8 * b *
    (8 * c))) ->
  def_fits cap (Head m scale [(q, k)] v).
Proof.
  intros Hs a0 Hq Hk Hv R1 R2 R3 R4 R5 R6 R7 R8. destruct M_facts as [M1 _]. cbn [def_fits].
    assert (Sc : 0 <= score_size cap [(q, k)] <= 8 * b * (8 * c)).
  { unfold score_size. cbn [sum fst snd]. rewrite Rplus_0_r. split. apply Rmult_le_pos; lra.
    apply Rmult_le_compat; lra. }
  unfold room in *. split; auto. split; [lra|]. split.
  - intros r Hr. cbn [rows_of map fst snd app] in Hr. in_list; lra.
  - intros n Hn. specialize (Hs n Hn). assert (P := Rabs_pos (scale n)). split; [lra|]. split.
    + assert (Rabs (scale n) * score_size cap [(q, k)] <= a * INR M * (8 * b * (8 * c))) by (apply Rmult_le_compat;
      lra). lra.
    + intros r Hr. cbn [map fst] in Hr. in_list. assert (Rabs (scale n) * (8 * row_size cap q) <= a * INR M * (8 *
      b)) by (apply Rmult_le_compat; lra). lra.
Qed.
Lemma ln_le_M n : (1 <= n <= M)%nat -> Rabs (ln (INR n) + kappa) <= 9 * INR M.
Proof.
  intros H. destruct M_facts as [M1 _]. assert (n1 : 1 <= INR n) by (change 1 with (INR 1); apply le_INR; lia).
    assert (nM : INR n <= INR M) by (apply le_INR; lia).
  assert (L0 : 0 <= ln (INR n)) by (rewrite <- ln_1; destruct n1 as [n1|<-]; [left; apply ln_increasing; lra|right;
    auto]).
  assert (X := exp_ineq1_le (ln (INR n))). rewrite exp_ln in X by lra. unfold kappa. rewrite Rabs_pos_eq by lra. lra.
Qed.
Lemma scale_le_M k n : 0 <= k -> (1 <= n <= M)%nat -> Rabs (k * INR n) <= k * INR M.
Proof. intros K H. assert (nM : INR n <= INR M) by (apply le_INR; lia). rewrite Rabs_pos_eq.
  apply Rmult_le_compat_l; lra. apply Rmult_le_pos. lra. apply pos_INR. Qed.

Definition raw_size := 648 * INR M.
Definition out_size B := 8 * (2 * (4 * (4 * (2 * B + 2) + 4))).
Theorem once_safe (p : prog A) c a d : good p -> (c < length p)%nat -> float_computes p c a -> safe p -> safe (p ++
  once_block Temperature d (length p) c).
Proof.
  intros G Hc Ha Sp. set (L := length p). assert (L0 := good_pos p G). fold L in L0. small_fits.
  apply (block_safe p _ (caps L [3; raw_size; out_size raw_size])); auto.
  - fold L. intros j d0 Hd. each j Hd.
    + rewrite Nat.add_0_r, caps_L. cbn [nth]. apply feature_fits. intros i n _. cbn [by_method]. rewrite abs_1. lra.
    + rewrite caps_new. cbn [nth by_method]. split.
      * apply (head_fits _ _ _ _ _ _ 9 3 1); try lra; try (apply ln_le_M); sizes; rewrite ?caps_L, ?(caps_old L _ c
        Hc); cbn [nth]; try (split; lra); lra.
      * cbn [def_capped]. unfold raw_size. sizes. rewrite (caps_old L _ c Hc). lra.
    + rewrite caps_new. cbn [nth]. apply (round_fits L _ 1 raw_size); auto; cbn [nth]; unfold raw_size; try lra.
      unfold room. split; lra.
  - fold L. intros w e NM Run j d0 r t Hd Hr Ht. each j Hd; reads_of.
Qed.
Theorem since_safe (p : prog A) ca cb a b d : good p -> (ca < length p)%nat -> (cb < length p)%nat -> float_computes
  p ca a -> float_computes p cb b -> safe p ->
  safe (p ++ since_block Temperature d (length p) ca cb).
Proof.
  intros G Hca Hcb Ha Hb Sp. set (L := length p). assert (L0 := good_pos p G). fold L in L0. small_fits.
  apply (block_safe p _ (caps L [640; 3; 3; 3; raw_size; out_size raw_size])); auto.
  - fold L. intros j d0 Hd. each j Hd.
    + rewrite Nat.add_0_r, caps_L. cbn [nth]. unfold candidate. cbn [def_fits def_capped]. sizes.
      rewrite (caps_old L _ ca Hca), (caps_old L _ cb Hcb), (caps_old L _ 0 L0).
      split; [split; [split; lra|]|lra]. intros t Ht. in_list; sizes; rewrite ?(caps_old L _ ca Hca), ?(caps_old L _
        cb Hcb), ?(caps_old L _ 0 L0); split; split; lra.
    + rewrite caps_new. cbn [nth]. apply feature_fits. intros i n _. cbn [by_method]. rewrite abs_1. lra.
    + rewrite caps_new. cbn [nth]. apply feature_fits. intros i n _. cbn [by_method]. rewrite abs_1. lra.
    + rewrite caps_new. cbn [nth]. apply feature_fits. intros i n Hi. cbn [by_method]. now apply share_1.
    + rewrite caps_new. cbn [nth by_method]. split.
      * apply (head_fits _ _ _ _ _ _ 8 3 643); try lra; try (intros n Hn; apply (scale_le_M 8); [lra|auto]); sizes;
        rewrite ?caps_L, ?caps_new, ?(caps_old L _ cb Hcb); cbn [nth]; try (split; lra); lra.
      * cbn [def_capped]. unfold raw_size. sizes. rewrite (caps_old L _ cb Hcb). lra.
    + rewrite caps_new. cbn [nth]. apply (round_fits L _ 4 raw_size); auto; cbn [nth]; unfold raw_size; try lra.
      unfold room. split; lra.
  - fold L. intros w e NM Run j d0 r t Hd Hr Ht. each j Hd; reads_of.
Qed.
Theorem step_safe (p : prog A) c a d : good p -> (c < length p)%nat -> float_computes p c a -> safe p -> safe (p ++
  step_block Temperature d (length p) c).
Proof.
  intros G Hc Ha Sp. set (L := length p). assert (L0 := good_pos p G). fold L in L0. small_fits.
  apply (block_safe p _ (caps L [3; 3; raw_size; out_size raw_size])); auto.
  - fold L. intros j d0 Hd. each j Hd.
    + rewrite Nat.add_0_r, caps_L. cbn [nth]. apply feature_fits. intros i n _. cbn [by_method]. rewrite abs_1. lra.
    + rewrite caps_new. cbn [nth]. apply feature_fits. intros i n Hi. cbn [by_method]. now apply share_1.
    + rewrite caps_new. cbn [nth by_method]. split.
      * apply (head_fits _ _ _ _ _ _ 8 3 3); try lra; try (intros n Hn; apply (scale_le_M 8); [lra|auto]); sizes;
        rewrite ?caps_L, ?caps_new, ?(caps_old L _ c Hc); cbn [nth]; try (split; lra); lra.
      * cbn [def_capped]. unfold raw_size. sizes. rewrite (caps_old L _ c Hc). lra.
    + rewrite caps_new. cbn [nth]. apply (round_fits L _ 2 raw_size); auto; cbn [nth]; unfold raw_size; try lra.
      unfold room. split; lra.
  - fold L. intros w e NM Run j d0 r t Hd Hr Ht. each j Hd; reads_of.
Qed.
Theorem letter_safe (p : prog A) q : safe p -> safe (p ++ [Letter q]).
Proof.
  intros Sp. apply (block_safe p _ (caps (length p) [1])); auto.
  - intros j d0 Hd. each j Hd. rewrite Nat.add_0_r, caps_L. cbn. split; [auto|lra].
  - intros w e NM Run j d0 r t Hd Hr Ht. each j Hd. destruct Hr.
Qed.
Theorem negation_safe (p : prog A) c a : good p -> (c < length p)%nat -> float_computes p c a -> safe p -> safe (p ++
  [negation c]).
Proof.
  intros G Hc Ha Sp. set (L := length p). assert (L0 := good_pos p G). fold L in L0. small_fits.
  apply (block_safe p _ (caps L [256])); auto.
  - fold L. intros j d0 Hd. each j Hd. rewrite Nat.add_0_r, caps_L. cbn [nth]. unfold negation.
    cbn [def_fits def_capped]. sizes. rewrite (caps_old L _ c Hc), (caps_old L _ 0 L0).
    split; [split; [split; lra|]|lra]. intros t Ht. in_list; sizes; rewrite (caps_old L _ c Hc), (caps_old L _ 0 L0);
      split; split; lra.
  - fold L. intros w e NM Run j d0 r t Hd Hr Ht. each j Hd; reads_of.
Qed.
Theorem conjunction_safe (p : prog A) ca cb a b : good p -> (ca < length p)%nat -> (cb < length p)%nat ->
  float_computes p ca a -> float_computes p cb b -> safe p ->
  safe (p ++ [conjunction ca cb]).
Proof.
  intros G Hca Hcb Ha Hb Sp. set (L := length p). assert (L0 := good_pos p G). fold L in L0. small_fits.
  apply (block_safe p _ (caps L [384])); auto.
  - fold L. intros j d0 Hd. each j Hd. rewrite Nat.add_0_r, caps_L. cbn [nth]. unfold conjunction.
    cbn [def_fits def_capped]. sizes. rewrite (caps_old L _ ca Hca), (caps_old L _ cb Hcb), (caps_old L _ 0 L0).
    split; [split; [split; lra|]|lra]. intros t Ht. in_list; sizes; rewrite ?(caps_old L _ ca Hca), ?(caps_old L _ cb
      Hcb), ?(caps_old L _ 0 L0); split; split; lra.
  - fold L. intros w e NM Run j d0 r t Hd Hr Ht. each j Hd; reads_of.
Qed.
(* comparisons: weights of the counted formulas, and the constant and a half *)
Theorem compare_safe (p : prog A) s ts d : fits (lin_weight s + 3 * Rabs (IZR (const s) + / 2) + 1) -> good p ->
  float_reads tail fs fa E ord M p s ts -> safe p ->
  safe (p ++ compare_block Temperature d ts (const s) (length p)).
Proof.
  intros [Fw1 Fw2] G Rd Sp. set (L := length p). assert (L0 := good_pos p G). fold L in L0. small_fits.
  set (wl := lin_weight s) in *. set (we := Rabs (IZR (const s) + / 2)) in *. set (m := INR M) in *.
  assert (we0 : 0 <= we) by apply Rabs_pos.
  assert (Wl : wl = sum (fun t => Rabs (coef t)) ts) by (apply (float_reads_weight tail fs fa E ord M p s ts Rd)).
  assert (wl0 : 0 <= wl) by (rewrite Wl; apply sum_nonneg; intros; apply Rabs_pos).
  set (Y := 72 * m * (1 + 8 * (wl + we * 3))). set (l := [3; Y; 3; 3; 1800 * m; out_size (1800 * m)]).
  assert (Sv : row_size (caps L l) (map (fun t => (coef t, ch t)) ts ++ [(IZR (const s) + / 2, L)]) = wl + we * 3).
  { unfold row_size. assert (Sapp : forall (g : R * nat -> R) x y, sum g (x ++ y) = sum g x + sum g y) by (intros g x
    y; induction x; simpl; lra).
    rewrite Sapp, sum_map. cbn [sum fst snd]. rewrite caps_L. cbn [nth l]. fold we. rewrite Wl. rewrite Rplus_0_r.
      f_equal. apply sum_ext. intros t Ht.
    rewrite caps_old. ring. apply (float_reads_lt tail fs fa E ord M p s ts t Rd Ht). }
  set (W := wl + 3 * we + 1) in *. assert (W1 : 1 <= W) by (unfold W; lra). assert (mm : m <= m * m) by exact Mf2.
  assert (MW : m * 1 <= m * W) by (apply Rmult_le_compat_l; lra).
    assert (MMW : m * m * 1 <= m * m * W) by (apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|lra]).
  assert (MMW2 : m * W <= m * m * W) by (apply Rmult_le_compat_r; lra).
  assert (Y0 : 0 <= Y) by (unfold Y; apply Rmult_le_pos; lra). assert (YW : Y <= 576 * (m * W)).
  { unfold Y. replace (576 * (m * W)) with (72 * m * (8 * W)) by ring. apply Rmult_le_compat_l. lra. unfold W. lra. }
  assert (mY : m * Y <= 576 * (m * m * W)) by (apply Rle_trans with (m * (576 * (m * W))); [apply Rmult_le_compat_l;
    lra|lra]).
  assert (Bnd : forall x, x <= 10000000000 * (m * m) * W -> room x) by (intros x Hx; split; lra).
  apply (block_safe p _ (caps L l)); auto.
  - fold L. intros j d0 Hd. each j Hd.
    + rewrite Nat.add_0_r, caps_L. cbn [nth l]. apply feature_fits. intros i n _. unfold ind.
      destruct Nat.eqb; rewrite ?Rabs_R1, ?Rabs_R0; lra.
    + rewrite caps_new. cbn [nth l]. split; [|cbn [def_capped]; unfold head_size; rewrite Sv; fold m; apply Rle_refl].
      cbn [def_fits rows_of map app]. unfold head_size, score_size. cbn [sum]. rewrite Sv. fold m. fold Y.
        split; [apply Bnd; lra|]. split; [apply Bnd; lra|]. split.
      * intros r Hr. in_list. rewrite Sv. apply Bnd. unfold W in *. nra.
      * intros n Hn. rewrite abs_1. split; [apply Bnd; lra|]. split; [apply Bnd; lra|]. intros r [].
    + rewrite caps_new. cbn [nth l]. unfold log_feature. apply feature_fits. intros i n Hi. set (k := num d n i).
      assert (Hk : (k <= n)%nat) by (unfold k, num; destruct d; lia).
      assert (n1 : 1 <= INR n) by (change 1 with (INR 1); apply le_INR; lia).
        assert (k1 : 1 <= INR (Nat.max k 1)) by (change 1 with (INR 1); apply le_INR; lia).
      assert (kn : INR (Nat.max k 1) <= INR n) by (apply le_INR; lia).
        assert (l0 : 0 <= ln (INR (Nat.max k 1))) by (rewrite <- ln_1; destruct k1 as [k1|<-]; [left; apply
        ln_increasing; lra|right; auto]).
      assert (X := exp_ineq1_le (ln (INR (Nat.max k 1)))). rewrite exp_ln in X by lra. unfold kappa.
        rewrite Rabs_pos_eq.
      apply Rmult_le_reg_r with (2 * 8 * INR n). lra. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
        apply Rmult_le_pos. lra. left. apply Rinv_0_lt_compat. lra.
    + rewrite caps_new. cbn [nth l]. apply feature_fits. intros i n _. cbn [by_method]. unfold ind.
      destruct Nat.eqb; rewrite ?Rmult_1_l, ?Rmult_0_r, ?Rabs_R1, ?Rabs_R0; lra.
    + rewrite caps_new. cbn [nth l by_method]. assert (Sq : row_size (caps L l) [(1, (L + 1)%nat); (1, (L + 2)%nat)]
      = Y + 3) by (sizes; rewrite !caps_new; cbn [nth l]; lra).
      assert (Sk : row_size (caps L l) [(1, (L + 3)%nat)] = 3) by (sizes; rewrite !caps_new; cbn [nth l]; lra).
        assert (S1 : row_size (caps L l) [(1, L)] = 3) by (sizes; rewrite caps_L; cbn [nth l]; lra).
      split.
      * apply (head_fits _ _ _ _ _ _ 16 (Y + 3) 3); try lra; try (intros n Hn; replace (2 * kappa * INR n) with (16 *
        INR n) by (unfold kappa; ring); apply (scale_le_M 16); [lra|auto]); fold m;
          rewrite ?Sq, ?Sk, ?S1; try lra; unfold head_size; rewrite ?S1; fold m; apply Bnd; lra.
      * cbn [def_capped]. unfold head_size. rewrite S1. fold m. lra.
    + rewrite caps_new. cbn [nth l]. apply (round_fits L l 4 (1800 * m)); auto; cbn [nth l]; try lra. apply Bnd. lra.
  - fold L. intros w e NM Run j d0 r t Hd Hr Ht. each j Hd; cbn [rows_of map fst snd app round_raw log_feature] in
    Hr; in_list; cbn [fst snd]; try (left; lia); try (right; now eapply real_1; eauto).
    apply in_app_or in Ht. destruct Ht as [Ht|Ht]; [|in_list; left; cbn [snd]; lia]. apply in_map_iff in Ht.
      destruct Ht as (t0 & <- & Ht0). cbn [snd]. right.
    clear - Rd Ht0 NM Run. assert (X : exists f, (ch t0 < length p)%nat /\ float_computes p (ch t0) f).
    { clear - Rd Ht0. induction Rd; [destruct Ht0|]. destruct Ht0 as [<-|Ht0]; [|now apply IHRd]. exists a. auto. }
    destruct X as (f & X1 & X2). now apply (old_1 p _ l w e (ch t0) f NM Run X1 X2).
Qed.
End Safe.
