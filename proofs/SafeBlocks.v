(* doc/certificate.md, "Quantities": how large numbers get in a block of the compiler, so that no operation overflows.

   near_range, once_range, compare_range   what is asked of the largest number of the format of sums, for each kind of
                head. Nothing is asked of the largest stored number: what is stored is small
   net_safe, feature_safe, head_safe       one channel: every result of an operation is at most top
   once_safe, since_safe, step_safe and others   the blocks; comparisons are in SafeCompare.v *)
From Coq Require Import ZArith Reals Lia Lra Psatz List Bool Arith Permutation.
From Flocq Require Import Core.
From Temper Require Import Rows Heads Format Sums Nearest NearestAny Rounding Exact Range Strings Programs Compile
  Temporal Counting MainTheorem FloatRun NearestHead OnceHead OnceTree OnceAny CountHead CompareHead CompareAny
    CompareLogit Results
  Soundness SoundFormulas SoundCompare.
Import ListNotations.
Local Open Scope R_scope.

(* ---- what is asked of the largest number ---- *)
Section Conditions.
Variables fs fa : format.
Variable M : nat.
Notation rnd := (rnd fa). Notation ulp := (ulp_of fa).
(* a logit is at most Y, a unit in the last place more if it is moved, and a difference of two is twice that *)
Definition near_range := let Y := rnd (16 * INR M) in 2 * (Y + ulp Y) <= top fa.
Definition once_range := let Y := rnd ((1 + f64_error) * (ln (INR M) + 8)) in 2 * (Y + ulp Y) <= top fa.
(* W: the sum of |weights|. All other logits of the row are 0, or moved *)
Definition compare_range (W : R) := let Y := rnd (16 * INR M * Format.rnd fs (rnd (W + 1))) in
  Y + ulp Y + tiny fa <= top fa.
End Conditions.

(* the channels of a block, one after the other *)
Ltac each j Hd := repeat (destruct j as [|j]; [cbn in Hd; injection Hd as <-|]); try (exfalso; cbn in Hd; destruct j;
  discriminate).
Ltac in_list := repeat match goal with H : In _ (_ :: _) |- _ => destruct H as [<-|H] | H : In _ [] |- _ => destruct
  H end.

Section Safe.
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
Notation float_computes := (float_computes tail fs fa E ord M).

Lemma top_16 : 16 <= top fa. Proof. change 16 with (bpow radix2 4). apply top_pow. lia. Qed.
Lemma top_8 : 8 <= top fs. Proof. change 8 with (bpow radix2 3). apply top_pow. lia. Qed.
Lemma eight_a : 8 <= bpow radix2 (prec fa - 1). Proof. change 8 with (bpow radix2 3). apply bpow_le. lia. Qed.
Lemma four_s : 4 <= bpow radix2 (prec fs - 1). Proof. change 4 with (bpow radix2 2). apply bpow_le. lia. Qed.

(* ---- one channel ---- *)
Definition safe_def w (e : env) (d : def A) i : Prop := (forall z, summed_result tail fs fa E ord w e d i z -> Rabs z
  <= top fa) /\
  (forall z, stored_result tail fs fa w e d i z -> Rabs z <= top fs).
Lemma feature_safe w e g i c : Rabs (g i (N w)) <= 1 -> expression fs (g i (N w)) c ->
  safe_def w e (Feature g) i /\ Rabs c <= 1.
Proof.
  intros H X. assert (T := top_8). split; [split|]. intros z []. intros z Hz. cbn in Hz.
  assert (Y := expression_1 fs _ _ Hz H). lra. exact (expression_1 fs _ _ X H).
Qed.
Lemma net_safe w cap e us i : (forall t, In t us -> bounded cap e (snd (fst t)) i /\ row_size cap (snd (fst t)) <= 8
  /\
  -4 <= snd t <= 0 /\ Rabs (fst (fst t)) = 1) -> (length us <= 2)%nat -> safe_def w e (Net us) i.
Proof.
  intros H Len. assert (T := top_16). assert (Ts := top_8). assert (E8 := eight_a).
  assert (N8 : number fa 8) by (change 8 with (bpow radix2 3); apply number_pow; lia).
  assert (N16 : number fa 16) by (change 16 with (bpow radix2 4); apply number_pow; lia).
  assert (S8 : number fs 8) by (change 8 with (bpow radix2 3); apply number_pow; lia).
  assert (Un : forall t, In t us -> (forall z, In z (row_summed e (snd (fst t)) i) -> Rabs z <= 8) /\
    Rabs (rnd fa (asc fa 0 (terms fa e (snd (fst t)) i) + snd t)) <= 16 /\ 0 <= hidden fs fa e t i <= 8 /\
    Rabs (rnd fa (fst (fst t) * hidden fs fa e t i)) <= 8).
  { intros t Ht. destruct (H t Ht) as (Bd & Sz & Bi & Ou). destruct (row_size_ok fa cap e _ i Bd ltac:(lra)) as [R1
    R2].
    set (S := asc fa 0 (terms fa e (snd (fst t)) i)) in *. apply Rabs_le_inv in R2.
    assert (Hd : 0 <= hidden fs fa e t i <= 8).
    { unfold hidden. fold S. assert (X : rnd fa (S + snd t) <= 8) by (apply rnd_le_number; auto; lra).
      unfold Programs.relu. split. apply rnd_ge; [apply number_0|apply Rmax_l]. apply rnd_le_number; auto.
      apply Rmax_lub; lra. }
    split; [|split; [|split]]; auto.
    - intros z Hz. specialize (R1 z Hz). lra.
    - apply abs_rnd_le; auto. apply Rabs_le. lra.
    - apply abs_rnd_le; auto. rewrite Rabs_mult, Ou, Rmult_1_l, Rabs_pos_eq; lra. }
  split.
  - intros z [(t & Ht & [Hz|[->| ->]])|Hz].
    + destruct (Un t Ht) as (U & _). specialize (U z Hz). lra.
    + destruct (Un t Ht) as (_ & U & _). lra.
    + destruct (Un t Ht) as (_ & _ & _ & U). lra.
    + assert (X : Rabs z <= 16); [|lra]. destruct us as [|t1 [|t2 [|]]]; cbn [map asc_parts] in Hz; [destruct Hz| |
      |simpl
      in Len; lia].
      * destruct Hz as [<-|[]]. destruct (Un t1 (or_introl eq_refl)) as (_ & _ & _ & U). rewrite Rplus_0_l.
        apply abs_rnd_le; auto. lra.
      * destruct (Un t1 (or_introl eq_refl)) as (_ & _ & _ & U1).
        destruct (Un t2 (or_intror (or_introl eq_refl))) as (_ & _ & _ & U2). rewrite !Rplus_0_l in Hz.
        assert (U3 := abs_rnd_le fa _ 8 N8 U1). destruct Hz as [<-|[<-|[]]]. lra.
        apply abs_rnd_le; auto. eapply Rle_trans; [apply Rabs_triang|]. lra.
  - intros z (t & Ht & ->). destruct (Un t Ht) as (_ & _ & U & _). rewrite Rabs_pos_eq; lra.
Qed.
(* a head with one query row and one key row, and Boolean values *)
Lemma head_safe w e m scale q k v i Lam S : (N w <= M)%nat -> (ord = AnyOrder -> (Z.of_nat M <= 2 ^ prec fa)%Z) ->
  (forall lam, expression fa (scale (N w)) lam -> number fa lam /\ Rabs lam <= Lam) -> Lam <= top fa ->
  (forall z, In z (row_summed e q i) -> Rabs z <= top fa) -> Rabs (float_row e q i) <= top fs ->
  (forall j, In j (keys w m i) -> (forall z, In z (row_summed e k j) \/ In z (row_summed e v j) -> Rabs z <= top fa)
    /\
    Rabs (float_row e k j) <= top fs /\ (float_row e v j = 0 \/ float_row e v j = 1) /\
    Rabs (float_row e q i * float_row e k j) <= S /\ (float_row e q i = 1 \/ 0 <= float_row e k j <= 1)) ->
  number fa S -> S <= top fa -> Rabs (float_row e q i) <= S ->
  (let Y := rnd fa (Lam * S) in Y + ulp_of fa Y <= top fa) ->
  (forall lam logit, expression fa (scale (N w)) lam -> (forall j, In j (keys w m i) -> logit_of fa ord lam (pairs fs
    fa e
    [(q, k)] i j) (logit j)) -> forall j j', In j (keys w m i) -> In j' (keys w m i) -> Rabs (logit j - logit j') <=
      top
    fa) ->
  safe_def w e (Head m scale [(q, k)] v) i.
Proof.
  intros NM Len Hlam Ltop Hq Hqs Hk NS Stop HqS HY Diff. assert (T1 := top_8). cbv zeta in HY. split.
  - intros z (lam & Hl & Hz). destruct (Hlam lam Hl) as [Nlam Lle].
    destruct Hz as [->|[(r & [<-|[]] & Hz)|[(j & r & Hj & Hr & Hz)|[(j & Hj & Hz)|(logit & Nl & Ll & E0 & I0 &
      Hz)]]]].
    + lra.
    + now apply Hq.
    + destruct (Hk j Hj) as (X & _). apply X. cbn in Hr. destruct Hr as [<-|[<-|[]]]; auto.
    + destruct (Hk j Hj) as (_ & _ & _ & X1 & X2). cbn [pairs map fst snd] in Hz.
      destruct (logit_sizes fa ord lam _ _ Lam S Nlam Lle NS HqS X1 X2) as [_ X]. destruct (X z Hz); lra.
    + apply (unit_row fs fa E0 ord (HE E0 I0) logit (fun j => float_row e v j) (keys w m i)); auto.
      * intros j Hj. now apply Hk.
      * intros Eo. specialize (Len Eo). assert (X := keys_length tail w m i). lia.
      * intros j j' Hj Hj'. now apply (Diff lam logit).
  - intros z [(r & [<-|[]] & ->)|[(j & r & Hj & Hr & ->)|(x & Hx & ->)]]; auto.
    + destruct (Hk j Hj) as (_ & X1 & X2 & _). cbn in Hr. destruct Hr as [<-|[<-|[]]]; auto.
      destruct X2 as [-> | ->]; rewrite ?Rabs_R0, ?Rabs_R1; lra.
    + apply Rle_trans with 1; [|lra]. apply abs_rnd_le. apply number_1. rewrite Rabs_pos_eq; lra.
Qed.
(* all logits of a row are at most Y and a unit in the last place: so are their differences, twice *)
Lemma far_logits (w : list A) e m scale q k i Lam S : (forall lam, expression fa (scale (N w)) lam -> number fa lam
  /\ Rabs lam <=
  Lam) -> number fa S -> Rabs (float_row e q i) <= S ->
  (forall j, In j (keys w m i) -> Rabs (float_row e q i * float_row e k j) <= S /\ (float_row e q i = 1 \/ 0 <=
    float_row
    e k j <= 1)) ->
  (let Y := rnd fa (Lam * S) in 2 * (Y + ulp_of fa Y) <= top fa) ->
  forall lam logit, expression fa (scale (N w)) lam -> (forall j, In j (keys w m i) -> logit_of fa ord lam (pairs fs
    fa e
    [(q, k)] i j) (logit j)) -> forall j j', In j (keys w m i) -> In j' (keys w m i) -> Rabs (logit j - logit j') <=
      top
    fa.
Proof.
  intros Hlam NS HqS Hk HY lam logit Hl Lg. cbv zeta in HY. destruct (Hlam lam Hl) as [Nl Ll].
  assert (B : forall j, In j (keys w m i) -> Rabs (logit j) <= rnd fa (Lam * S) + ulp_of fa (rnd fa (Lam * S))).
  { intros j Hj. destruct (Hk j Hj) as [X1 X2].
    apply (proj1 (logit_sizes fa ord lam _ _ Lam S Nl Ll NS HqS X1 X2)). exact (Lg j Hj). }
  intros j j' Hj Hj'. assert (X := B j Hj). assert (Y := B j' Hj').
  eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. lra.
Qed.

(* ---- programs ---- *)
Definition safe (p : prog A) : Prop := forall w e, (N w <= M)%nat -> float_run w p e -> forall k d i, nth_error p k =
  Some d -> (i < N w)%nat -> safe_def w (firstn k e) d i /\ Rabs (chan e k i) <= top fs.
Theorem block_safe p bl : safe p ->
  (forall w e, (N w <= M)%nat -> float_run w (p ++ bl) e -> forall j d i, nth_error bl j = Some d -> (i < N w)%nat ->
    safe_def w (firstn (length p + j) e) d i /\ Rabs (chan e (length p + j) i) <= top fs) -> safe (p ++ bl).
Proof.
  intros Sp H w e NM Run k d i Hk Hi. destruct (lt_dec k (length p)) as [Lt|Ge].
  - rewrite nth_error_app1 in Hk by auto.
    destruct (Sp w (firstn (length p) e) NM (float_run_prefix tail fs fa E ord w p bl e Run) k d i Hk Hi) as [S1 S2].
    rewrite firstn_firstn, Nat.min_l in S1 by lia. rewrite chan_firstn in S2 by auto. auto.
  - rewrite nth_error_app2 in Hk by lia. replace k with (length p + (k - length p))%nat by lia. now apply H.
Qed.
(* operands of a block are at most 1, its own channels have the bounds of a list *)
Definition caps L (l : list R) c := if Nat.ltb c L then 1 else nth (c - L) l 0.
Lemma caps_old L l c : (c < L)%nat -> caps L l c = 1.
Proof. intros H. unfold caps. apply Nat.ltb_lt in H. now rewrite H. Qed.
Lemma caps_new L l k : caps L l (L + k) = nth k l 0.
Proof. unfold caps. assert (H : (L + k <? L) = false) by (apply Nat.ltb_ge; lia). rewrite H. f_equal. lia. Qed.
Lemma caps_L L l : caps L l L = nth 0 l 0.
Proof. rewrite <- (Nat.add_0_r L) at 2. apply caps_new. Qed.
Lemma abs_1 : Rabs 1 = 1. Proof. apply Rabs_pos_eq; lra. Qed.
Lemma abs_m1 : Rabs (-1) = 1. Proof. rewrite Rabs_left; lra. Qed.
Lemma abs_2 : Rabs 2 = 2. Proof. apply Rabs_pos_eq; lra. Qed.
Lemma abs_sign d : Rabs (sign d) = 1. Proof. destruct d; [apply abs_1|apply abs_m1]. Qed.
Lemma whole_half (k : Z) x : x = IZR k -> multiple (-1) x.
Proof. intros ->. exists (2 * k)%Z. rewrite mult_IZR. change (bpow radix2 (-1)) with (/ 2). field. Qed.
(* rows with one weight 1 *)
Lemma row_single e c i : number fa (chan e c i) -> forall z, In z (row_summed e [(1, c)] i) -> z = chan e c i.
Proof.
  intros H z Hz. unfold Results.row_summed, terms in Hz. cbn in Hz.
  rewrite Rmult_1_l, (rnd_id fa (chan e c i)), Rplus_0_l, (rnd_id fa (chan e c i)) in Hz by auto.
  destruct Hz as [<-|[<-|[]]]; auto.
Qed.
Lemma truth_abs w (f : form A) i : Rabs (truth w f i) <= 1.
Proof. destruct (truth_01 w f i) as [-> | ->]; rewrite ?Rabs_R0, ?Rabs_R1; lra. Qed.
Lemma real_abs (w : list A) i : Rabs (real w i) <= 1.
Proof. unfold real. destruct (letter w i); rewrite ?Rabs_R0, ?Rabs_R1; lra. Qed.

Ltac abs_ := rewrite ?abs_1, ?abs_m1, ?abs_2, ?abs_sign.
Ltac half_ := abs_; first [apply (whole_half 1); lra | apply (whole_half 2); lra | apply (whole_half 4); lra].
Ltac row_ := let x := fresh "x" in let Hx := fresh "Hx" in intros x Hx; in_list; cbn [fst snd];
  (split; [rewrite chan_firstn by lia; auto|half_]).
Lemma four (P Q R S : Prop) : P -> Q -> R -> S -> P /\ Q /\ R /\ S. Proof. tauto. Qed.
Ltac net_ := let t := fresh "t" in let Ht := fresh "Ht" in intros t Ht; in_list; cbn [fst snd];
  (apply four; [row_|unfold row_size; cbn [sum fst snd]; abs_; lra|split; lra|abs_; auto]).
Lemma small_1 x : Rabs x <= 1 -> Rabs x <= top fs. Proof. assert (T := top_8). lra. Qed.
Lemma small_2 x : 0 <= x <= 2 -> Rabs x <= top fs. Proof. intros. assert (T := top_8). rewrite Rabs_pos_eq; lra. Qed.

Section Block.
Variable p : prog A.
Hypothesis G : good p.
Hypothesis Sp : safe p.
Let L := length p.
Lemma L_pos : (0 < L)%nat. Proof. now apply good_pos. Qed.

Theorem letter_safe q : safe (p ++ [Letter q]).
Proof.
  apply block_safe; auto. intros w e NM Run j d i Hd Hi. each j Hd. split. split; intros z [].
  assert (X := fb_at tail fs fa E ord p [Letter q] w e Run 0 (Letter q) i eq_refl Hi I i Hi). cbn in X.
  apply small_1. rewrite X. destruct (at_ w i); [destruct (q a)|]; rewrite ?Rabs_R1, ?Rabs_R0; lra.
Qed.
Lemma old_facts bl w e i c f : (N w <= M)%nat -> float_run w (p ++ bl) e -> (i < N w)%nat -> (c < L)%nat ->
  float_computes p c f -> Rabs (chan e 0 i) <= 1 /\ Rabs (chan e c i) <= 1.
Proof.
  intros NM Run Hi Hc C. rewrite (fb_real tail fs fa E ord p bl w e G Run i Hi).
  rewrite (fb_old tail fs fa E ord M p bl w e NM Run c f i Hc C Hi). split; [apply real_abs|apply truth_abs].
Qed.
(* the ramp that rounds a raw value of at most 2 *)
Lemma round_safe bl w e i c n : (N w <= M)%nat -> float_run w (p ++ bl) e -> (i < N w)%nat -> (c < n)%nat -> (0 <
  n)%nat ->
  0 <= chan e c i <= 2 -> safe_def w (firstn n e) (round_raw c) i.
Proof.
  intros NM Run Hi Hc Hn H. assert (B0 : Rabs (chan e 0 i) <= 1) by (rewrite (fb_real tail fs fa E ord p bl w e G Run
    i Hi);
    apply real_abs).
  assert (Bc : Rabs (chan e c i) <= 2) by (rewrite Rabs_pos_eq; lra). assert (B0' : Rabs (chan e 0 i) <= 2) by lra.
  apply (net_safe w (fun _ => 2)); [net_|simpl; lia].
Qed.
(* what a head with Boolean values puts out *)
Lemma raw_out bl w e i j m scale qk c f : (N w <= M)%nat -> float_run w (p ++ bl) e -> (i < N w)%nat ->
  nth_error bl j = Some (Head m scale qk [(1, c)]) -> (forall t, In t qk -> (forall x, In x (fst t) -> (snd x < L +
    j)%nat)
    /\ (forall x, In x (snd t) -> (snd x < L + j)%nat)) -> (c < L + j)%nat ->
  (forall k, (k < N w)%nat -> chan e c k = f k) -> (forall k, f k = 0 \/ f k = 1) -> 0 <= chan e (L + j) i <= 2.
Proof.
  intros NM Run Hi Hd Hq Hc Hf F01.
  destruct (fb_head tail fs fa E ord p bl w e Run j m scale qk [(1, c)] i Hd Hi Hq) as (lam & logit & _ & Nl & _ &
    E0 & I0 & SR).
  { intros x [<-|[]]. exact Hc. }
  apply (unit_out fs fa E0 ord (HE E0 I0) logit (fun k => float_row e [(1, c)] k) (keys w m i) Nl); auto.
  intros k Hk. apply in_keys in Hk. rewrite (row_one fs fa incl); rewrite (Hf k) by tauto; auto.
  destruct (F01 k) as [-> | ->]; [apply number_0|apply number_1].
Qed.
Lemma share_1 (i n : nat) : (i < n)%nat -> Rabs (INR i / INR n) <= 1.
Proof.
  intros H. assert (n0 : 0 < INR n) by (apply lt_0_INR; lia). assert (i0 := pos_INR i).
    assert (INR i <= INR n) by (apply le_INR; lia).
  rewrite Rabs_pos_eq. apply Rmult_le_reg_r with (INR n); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
    lra. apply Rmult_le_pos. lra. left; now apply Rinv_0_lt_compat.
Qed.
(* the row of one Boolean channel *)
Lemma bool_row n e c i : (c < n)%nat -> chan e c i = 0 \/ chan e c i = 1 ->
  (forall z, In z (row_summed (firstn n e) [(1, c)] i) -> Rabs z <= 1) /\ float_row (firstn n e) [(1, c)] i = chan e
    c i.
Proof.
  intros Hc H. assert (X : number fs (chan e c i)) by (destruct H as [-> | ->]; [apply number_0|apply number_1]).
    split.
  - intros z Hz. apply row_single in Hz; rewrite chan_firstn in * by auto; [|now apply incl]. subst.
    destruct H as [-> | ->]; rewrite ?Rabs_R0, ?Rabs_R1; lra.
  - rewrite (row_one fs fa incl); rewrite chan_firstn; auto.
Qed.

Lemma once_scale (w : list A) lam : (N w <= M)%nat -> expression fa (ln (INR (N w)) + kappa) lam ->
  number fa lam /\ Rabs lam <= rnd fa ((1 + f64_error) * (ln (INR M) + 8)).
Proof.
  intros NM [(y' & H & _ & ->) _]. split. apply rnd_number. apply abs_rnd_mono.
  assert (n1 : 1 <= INR (N w)). { change 1 with (INR 1). apply le_INR. unfold Programs.N. destruct tail; lia. }
  assert (nM : INR (N w) <= INR M) by (now apply le_INR).
  assert (l0 : 0 <= ln (INR (N w))) by (rewrite <- ln_1; destruct n1 as [n1|<-]; [left; apply ln_increasing;
    lra|right;
    auto]).
  assert (lM : ln (INR (N w)) <= ln (INR M)) by (destruct nM as [nM| ->]; [left; apply ln_increasing; lra|right;
    auto]).
  unfold kappa in H. rewrite (Rabs_pos_eq (ln (INR (N w)) + 8)) in H by lra.
  assert (F : 0 <= f64_error) by (unfold f64_error, v64; assert (B := bpow_gt_0 radix2 (-53)); assert (X :=
    pow_R1_Rle (1 +
    bpow radix2 (-53)) 4 ltac:(lra)); lra).
  replace y' with ((y' - (ln (INR (N w)) + 8)) + (ln (INR (N w)) + 8)) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. rewrite (Rabs_pos_eq (ln (INR (N w)) + 8)) by lra.
  apply Rle_trans with ((1 + f64_error) * (ln (INR (N w)) + 8)). lra. apply Rmult_le_compat_l; lra.
Qed.
Section Near.
Hypothesis size_M : (Z.of_nat M <= 2 ^ prec fa)%Z.
Lemma near_scale (w : list A) lam : (N w <= M)%nat -> expression fa (kappa * INR (N w)) lam -> number fa lam /\ Rabs
  lam <=
  8 * INR M.
Proof.
  intros NM H. destruct (scale_exact fa bits_a M size_M (N w) lam NM H) as [-> Nl]. split; auto.
  assert (INR (N w) <= INR M) by now apply le_INR. assert (P := pos_INR (N w)). rewrite Rabs_pos_eq; lra.
Qed.
(* the head, if its query is 1, its keys are rows of size 2 at most, and its values Boolean *)
Lemma near_head w e m i q k v : near_range fa M -> (N w <= M)%nat -> float_row e q i = 1 -> (forall z, In z
  (row_summed e q
  i) -> Rabs z <= 1) -> (forall j, In j (keys w m i) -> bounded (fun _ => 1) e k j /\ row_size (fun _ => 1) k <= 2 /\
    (forall z, In z (row_summed e v j) -> Rabs z <= 1) /\ (float_row e v j = 0 \/ float_row e v j = 1)) ->
  safe_def w e (Head m (fun n => kappa * INR n) [(q, k)] v) i.
Proof.
  intros Rg NM Q1 Q2 K. assert (T := top_16). assert (Ts := top_8). assert (E8 := eight_a).
  unfold near_range in Rg. cbv zeta in Rg.
  assert (EY : rnd fa (8 * INR M * 2) = rnd fa (16 * INR M)) by (f_equal; ring).
  set (Y := rnd fa (16 * INR M)) in *. assert (U0 : 0 <= ulp_of fa Y) by apply ulp_ge_0.
  assert (m0 := pos_INR M).
  assert (N8 : number fa (8 * INR M)). { apply (number_mult fa _ (Z.of_nat M) 3). rewrite <- INR_IZR_INZ. simpl. lra.
    lia.
    generalize (emin_neg fa) (prec_ge_2 fa); lia. }
  assert (L8 : 8 * INR M <= Y) by (apply rnd_ge; auto; lra).
  assert (N2 := number_two fa).
  assert (Kf : forall j, In j (keys w m i) -> Rabs (float_row e k j) <= 2 /\ forall z, In z (row_summed e k j) ->
    Rabs z <=
    2).
  { intros j Hj. destruct (K j Hj) as (K1 & K2 & _). destruct (row_size_ok fa _ e k j K1 ltac:(lra)) as [R1 R2].
    split.
    unfold FloatRun.float_row. apply abs_rnd_le. apply number_two. lra. intros z Hz. specialize (R1 z Hz). lra. }
  apply (head_safe w e m _ q k v i (8 * INR M) 2); auto; cbv zeta; rewrite ?EY, ?Q1, ?Rabs_R1; try lra.
  - intros lam Hl; now apply (near_scale w).
  - intros z Hz. specialize (Q2 z Hz). lra.
  - intros j Hj. destruct (Kf j Hj) as [K1 K2]. destruct (K j Hj) as (_ & _ & K3 & K4). rewrite Rmult_1_l.
    split; [|split; [|split; [|split]]]; auto. intros z [Hz|Hz]. specialize (K2 z Hz). lra. specialize (K3 z Hz). lra.
    lra.
  - apply (far_logits w e m (fun n => kappa * INR n) q k i (8 * INR M) 2); auto; cbv zeta; rewrite ?EY, ?Q1,
    ?Rabs_R1; try lra.
    intros lam Hl; now apply (near_scale w). intros j Hj. rewrite Rmult_1_l. split; auto. now apply Kf.
Qed.
End Near.
Section Old.
Variables (ca cb : nat) (a b : form A).
Hypothesis Hca : (ca < L)%nat.
Hypothesis Hcb : (cb < L)%nat.
Hypothesis Ca : float_computes p ca a.
Hypothesis Cb : float_computes p cb b.
Theorem negation_safe : float_computes (p ++ [negation ca]) L (Neg a) -> safe (p ++ [negation ca]).
Proof.
  clear cb b Hcb Cb. intros Out. assert (L0 := L_pos). apply block_safe; auto. intros w e NM Run j d i Hd Hi.
  destruct (old_facts _ w e i ca a NM Run Hi Hca Ca) as (B0 & B1). fold L. each j Hd. split.
  - apply (net_safe w (fun _ => 1)); [net_|simpl; lia].
  - rewrite Nat.add_0_r. apply small_1. rewrite (Out w e NM Run i Hi). apply truth_abs.
Qed.
Theorem conjunction_safe : float_computes (p ++ [conjunction ca cb]) L (Conj a b) -> safe (p ++ [conjunction ca cb]).
Proof.
  intros Out. assert (L0 := L_pos). apply block_safe; auto. intros w e NM Run j d i Hd Hi.
  destruct (old_facts _ w e i ca a NM Run Hi Hca Ca) as (B0 & B1).
  destruct (old_facts _ w e i cb b NM Run Hi Hcb Cb) as (_ & B2). fold L. each j Hd. split.
  - apply (net_safe w (fun _ => 1)); [net_|simpl; lia].
  - rewrite Nat.add_0_r. apply small_1. rewrite (Out w e NM Run i Hi). apply truth_abs.
Qed.
(* ---- once ---- *)
Theorem once_safe d : once_range fa M -> (ord = AnyOrder -> (Z.of_nat M <= 2 ^ prec fa)%Z) ->
  float_computes (p ++ once_block Temperature d L ca) (L + 2) (Once d a) ->
  safe (p ++ once_block Temperature d L ca).
Proof.
  clear cb b Hcb Cb. intros Rg Len Out. assert (L0 := L_pos). apply block_safe; auto. intros w e NM Run j d0 i Hd Hi.
    fold L.
  assert (T := top_16). assert (Ts := top_8).
  assert (Old : forall k, (k < N w)%nat -> chan e ca k = truth w a k) by (intros; now apply (fb_old tail fs fa E ord
    M p _
    w e NM Run ca a)).
  assert (F0 : chan e L i = 1). { rewrite <- (Nat.add_0_r L). unfold L.
    destruct (fb_feature tail fs fa E ord p _ w e Run 0 _ i eq_refl Hi) as [_ X]. apply X. apply number_1. }
  assert (Raw : 0 <= chan e (L + 1) i <= 2).
  { apply (raw_out _ w e i 1 _ _ _ ca (truth w a) NM Run Hi eq_refl); auto; [rows|lia|intros; apply truth_01]. }
  each j Hd.
  - destruct (feature_safe w (firstn (L + 0) e) (fun _ _ => 1) i (chan e (L + 0) i)) as [X Y].
    rewrite abs_1; lra. apply (fb_feature tail fs fa E ord p _ w e Run 0 _ i eq_refl Hi). split; [exact X|now apply
      small_1].
  - split; [|now apply small_2].
    assert (Q : float_row (firstn (L + 1) e) [(1, L)] i = 1 /\ forall z, In z (row_summed (firstn (L + 1) e) [(1, L)]
      i) ->
      Rabs z <= 1).
    { destruct (bool_row (L + 1) e L i) as [X Y]; auto. lia. rewrite Y. auto. }
    destruct Q as [Q1 Q2]. set (Lam := rnd fa ((1 + f64_error) * (ln (INR M) + 8))).
    assert (K : forall k, In k (keys w (mask_of d) i) -> (forall z, In z (row_summed (firstn (L + 1) e) [(1, ca)] k)
      -> Rabs
      z <= 1) /\ float_row (firstn (L + 1) e) [(1, ca)] k = truth w a k).
    { intros k Hk. apply in_keys in Hk. destruct Hk as [Hk _]. destruct (bool_row (L + 1) e ca k) as [X Y]. lia.
      rewrite (Old k Hk). apply truth_01. rewrite Y. auto. }
    assert (U0 : 0 <= ulp_of fa Lam) by apply ulp_ge_0. unfold once_range in Rg. cbv zeta in Rg. fold Lam in Rg.
    assert (Ls : forall lam, expression fa (ln (INR (N w)) + kappa) lam -> number fa lam /\ Rabs lam <= Lam) by
      (intros
      lam Hl; now apply (once_scale w)).
    assert (Lam0 : 0 <= Lam). { eapply Rle_trans; [apply Rabs_pos|apply (Ls _ (expression_exists fa _))]. }
    assert (EL : rnd fa (Lam * 1) = Lam) by (rewrite Rmult_1_r; apply rnd_id, rnd_number).
    cbn [by_method]. apply (head_safe w _ _ _ _ _ _ i Lam 1); auto; cbv zeta; rewrite ?EL, ?Q1, ?Rabs_R1; try lra.
    + intros z Hz. specialize (Q2 z Hz). lra.
    + intros k Hk. destruct (K k Hk) as [X Y]. rewrite Y. assert (Z := truth_abs w a k). assert (Z1 := truth_unit w a
      k).
      split; [|split; [|split; [|split]]]; auto using truth_01.
      * intros z [Hz|Hz]; specialize (X z Hz); lra.
      * now apply small_1.
      * now rewrite Rmult_1_l.
    + apply number_1.
    + apply (far_logits w _ (mask_of d) (fun n => ln (INR n) + kappa) [(1, L)] [(1, ca)] i Lam 1); auto; cbv zeta;
      rewrite ?EL, ?Q1, ?Rabs_R1; try lra. apply number_1.
      intros k Hk. destruct (K k Hk) as [_ Y]. rewrite Y, Rmult_1_l. split; auto. apply truth_abs.
  - split. apply (round_safe _ w e i (L + 1) (L + 2) NM Run Hi); auto; lia.
    apply small_1. rewrite (Out w e NM Run i Hi). apply truth_abs.
Qed.

(* ---- nearest ---- *)
Hypothesis size_M : (Z.of_nat M <= 2 ^ prec fa)%Z.
Theorem since_safe d : near_range fa M -> float_computes (p ++ since_block Temperature d L ca cb) (L + 5) (Since d a
  b) ->
  safe (p ++ since_block Temperature d L ca cb).
Proof.
  intros Rg Out. assert (L0 := L_pos). apply block_safe; auto. intros w e NM Run j d0 i Hd Hi. fold L.
  assert (Old : forall k, (k < N w)%nat -> chan e cb k = truth w b k) by (intros; now apply (fb_old tail fs fa E ord
    M p _
    w e NM Run cb b)).
  assert (C : forall k, (k < N w)%nat -> chan e L k = ind (cand w a b k)) by (intros; now apply (candidate_sound tail
    fs
    fa E ord M p ca cb a b d w e)).
  assert (Cb1 : forall k, (k < N w)%nat -> Rabs (chan e L k) <= 1).
  { intros k Hk. rewrite (C k Hk). unfold ind. destruct (cand w a b k); rewrite ?Rabs_R0, ?Rabs_R1; lra. }
  assert (F1 : chan e (L + 1) i = 1). { unfold L.
    destruct (fb_feature tail fs fa E ord p _ w e Run 1 _ i eq_refl Hi) as [_ X]. apply X. apply number_1. }
  assert (F3 : forall k, (k < N w)%nat -> Rabs (chan e (L + 3) k) <= 1).
  { intros k Hk. apply (position_feature tail fs fa M w _ k Hk (fb_feature tail fs fa E ord p _ w e Run 3 _ k eq_refl
    Hk)). }
  assert (Raw : 0 <= chan e (L + 4) i <= 2).
  { apply (raw_out _ w e i 4 _ _ _ cb (truth w b) NM Run Hi eq_refl); auto; [cbn [by_method]; rows|lia|intros; apply
    truth_01]. }
  each j Hd.
  - destruct (old_facts _ w e i ca a NM Run Hi Hca Ca) as (B0 & B1).
    destruct (old_facts _ w e i cb b NM Run Hi Hcb Cb) as (_ & B2). rewrite Nat.add_0_r. split; [|apply small_1; now
      apply Cb1].
    apply (net_safe w (fun _ => 1)); [net_|simpl; lia].
  - destruct (feature_safe w (firstn (L + 1) e) (fun _ _ => 1) i (chan e (L + 1) i)) as [X Y]. rewrite abs_1; lra.
    apply (fb_feature tail fs fa E ord p _ w e Run 1 _ i eq_refl Hi). split; [exact X|now apply small_1].
  - destruct (feature_safe w (firstn (L + 2) e) (fun _ _ => 1) i (chan e (L + 2) i)) as [X Y]. rewrite abs_1; lra.
    apply (fb_feature tail fs fa E ord p _ w e Run 2 _ i eq_refl Hi). split; [exact X|now apply small_1].
  - destruct (feature_safe w (firstn (L + 3) e) (fun i n => INR i / INR n) i (chan e (L + 3) i)) as [X Y].
    now apply share_1. apply (fb_feature tail fs fa E ord p _ w e Run 3 _ i eq_refl Hi).
    split; [exact X|now apply small_1].
  - split; [|now apply small_2]. cbn [by_method]. destruct (bool_row (L + 4) e (L + 1) i) as [X Y]; auto. lia.
    apply near_head; auto. now rewrite Y.
    intros k Hk. apply in_keys in Hk. destruct Hk as [Hk _].
    destruct (bool_row (L + 4) e cb k) as [X' Y']. lia. rewrite (Old k Hk). apply truth_01. rewrite Y', (Old k Hk).
    apply four; auto using truth_01. assert (B1 := Cb1 k Hk). assert (B3 := F3 k Hk). row_.
    unfold row_size. cbn [sum fst snd]. abs_. lra.
  - split. apply (round_safe _ w e i (L + 4) (L + 5) NM Run Hi); auto; lia.
    apply small_1. rewrite (Out w e NM Run i Hi). apply truth_abs.
Qed.
Theorem step_safe d : near_range fa M -> float_computes (p ++ step_block Temperature d L ca) (L + 3) (Step d a) ->
  safe (p ++ step_block Temperature d L ca).
Proof.
  clear cb b Hcb Cb. intros Rg Out. assert (L0 := L_pos). apply block_safe; auto. intros w e NM Run j d0 i Hd Hi.
    fold L.
  assert (Old : forall k, (k < N w)%nat -> chan e ca k = truth w a k) by (intros; now apply (fb_old tail fs fa E ord
    M p _
    w e NM Run ca a)).
  assert (F0 : chan e L i = 1). { rewrite <- (Nat.add_0_r L). unfold L.
    destruct (fb_feature tail fs fa E ord p _ w e Run 0 _ i eq_refl Hi) as [_ X]. apply X. apply number_1. }
  assert (F1 : forall k, (k < N w)%nat -> Rabs (chan e (L + 1) k) <= 1).
  { intros k Hk. apply (position_feature tail fs fa M w _ k Hk (fb_feature tail fs fa E ord p _ w e Run 1 _ k eq_refl
    Hk)). }
  assert (Raw : 0 <= chan e (L + 2) i <= 2).
  { apply (raw_out _ w e i 2 _ _ _ ca (truth w a) NM Run Hi eq_refl); auto; [rows|lia|intros; apply truth_01]. }
  each j Hd.
  - destruct (feature_safe w (firstn (L + 0) e) (fun _ _ => 1) i (chan e (L + 0) i)) as [X Y]. rewrite abs_1; lra.
    apply (fb_feature tail fs fa E ord p _ w e Run 0 _ i eq_refl Hi). split; [exact X|now apply small_1].
  - destruct (feature_safe w (firstn (L + 1) e) (fun i n => INR i / INR n) i (chan e (L + 1) i)) as [X Y].
    now apply share_1. apply (fb_feature tail fs fa E ord p _ w e Run 1 _ i eq_refl Hi).
    split; [exact X|now apply small_1].
  - split; [|now apply small_2]. cbn [by_method]. destruct (bool_row (L + 2) e L i) as [X Y]; auto. lia.
    apply near_head; auto. now rewrite Y.
    intros k Hk. apply in_keys in Hk. destruct Hk as [Hk _].
    destruct (bool_row (L + 2) e ca k) as [X' Y']. lia. rewrite (Old k Hk). apply truth_01. rewrite Y', (Old k Hk).
    apply four; auto using truth_01. assert (B1 := F1 k Hk). row_.
    unfold row_size. cbn [sum fst snd]. abs_. lra.
  - split. apply (round_safe _ w e i (L + 2) (L + 3) NM Run Hi); auto; lia.
    apply small_1. rewrite (Out w e NM Run i Hi). apply truth_abs.
Qed.
End Old.
End Block.
End Safe.
