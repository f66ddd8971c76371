(* The feed-forward sublayer: exact units, ramps that round raw values while they combine them, and units that clear.
   *)
From Coq Require Import ZArith QArith Qreals Reals Lia Lra Psatz List Bool Arith.
From Flocq Require Import Core.
From Temper Require Import Rows Format Sums Exact Rounding Ramp FusedGates Strings Programs Compile Temporal FloatRun.
From Temper.checker Require Import Model Checker Points Exactness Invariant TapsOk.
Import ListNotations.
Local Open Scope R_scope.

Definition quarter (z : Z) : R := IZR z * bpow radix2 (-2).
Lemma quarter_add a b : quarter a + quarter b = quarter (a + b).
Proof. unfold quarter. rewrite plus_IZR. ring. Qed.
Lemma half_half a b : half a * half b = quarter (a * b).
Proof.
  unfold half, quarter. rewrite mult_IZR. replace (bpow radix2 (-2)) with (bpow radix2 (-1) * bpow radix2 (-1));
    [ring|].
  now rewrite <- bpow_plus.
Qed.

Section Nets.
Variables (fs fa : format) (ord : order) (bits : kind).
Hypothesis pair : pair_of fs fa ord bits.
Hypothesis sound_kind : sane bits = true.
Variables (m : model) (w : list nat) (letters : nat).
Notation tail := (m_end m). Notation size := (N tail w).
Hypothesis in_alphabet : forall i a, at_ w i = Some a -> (a < letters)%nat.
Variable cands : list fml.
Notation holds := (holds fs fa tail w). Notation fits := (fits fs fa tail w). Notation big := (big bits).
  Notation wide := (wide bits).

Notation big_le := (big_le bits). Notation two_bits := (two_bits bits sound_kind).
Notation number_half := (number_half fs fa ord bits pair sound_kind).
Lemma incl_ x : number fs x -> number fa x. Proof. apply (incl fs fa ord bits pair sound_kind). Qed.
Lemma number_quarter z : (Z.abs z <= 2 ^ sum_digits bits)%Z -> number fa (quarter z).
Proof. intros H. apply (number_mult fa _ z (-2)); auto. now rewrite (sum_digits_is fs fa ord bits pair).
  generalize (emin_low fs fa ord bits pair sound_kind); lia. Qed.
Lemma number_quarter_stored z : (Z.abs z <= 2 ^ digits bits)%Z -> number fs (quarter z).
Proof. intros H. apply (number_mult fs _ z (-2)); auto. now rewrite (digits_is fs fa ord bits pair).
  generalize (emin_low fs fa ord bits pair sound_kind); lia. Qed.
Lemma spread_writers x us i c : spread fs fa (map u_out us) (map (fun u => hidden fs fa x u i) us) c =
  map (fun t => rnd fa (wt fs (snd t) * hidden fs fa x (fst t) i)) (writers c us).
Proof.
  induction us as [|u us IH]; auto. cbn [map spread]. rewrite IH. unfold writers. cbn [flat_map]. rewrite map_app.
    f_equal.
  now rewrite map_map.
Qed.
(* ---- exact units ---- *)
Lemma exact_units st x p i l : fits st x -> (i < size)%nat -> point_of w p i -> forall z s,
  units_at st p l = Some z -> units_abs bits l = Some s ->
  (s <= wide)%Z -> exists qs, map (fun t => rnd fa (wt fs (snd t) * hidden fs fa x (fst t) i)) l = map quarter qs /\
  fold_right Z.add 0%Z qs = z /\ (fold_right (fun h a => Z.abs h + a) 0 qs <= s)%Z.
Proof.
  intros F Hi P. assert (BB := big_le). assert (BW := big_wide bits). assert (WW := wide_le bits sound_kind).
  induction l as [|t l IH]; cbn [units_at units_abs]; intros z s Hz Hs B.
  - injection Hz as <-. injection Hs as <-. exists []. cbn. auto with zarith.
  - destruct (unit_at st p t) as [q|] eqn:Q; [|discriminate]. destruct (units_at st p l) as [z'|]; [|discriminate].
    injection Hz as <-.
    destruct (unit_abs bits t) as [a|] eqn:A; [|discriminate]. destruct (units_abs bits l) as [s'|] eqn:S';
      [|discriminate]. injection Hs as <-.
    unfold unit_at in Q. unfold unit_abs in A. destruct t as [un d]. cbn [fst snd] in *.
    destruct (zrow (exact_at st p) (u_in un)) as [zr|] eqn:Zr; [|discriminate].
      destruct (halves (u_bias un)) as [b|] eqn:Hb; [|discriminate].
    destruct (halves d) as [o|] eqn:Ho; [|discriminate]. injection Q as <-. destruct (zabs (u_in un)) as [za|] eqn:Za;
      [|discriminate].
    destruct (Z.leb_spec (za + Z.abs b) big) as [Bb|]; [|discriminate].
    destruct (Z.leb_spec (Z.abs o) big) as [Bo|]; [|discriminate]. cbn [andb] in A. injection A as <-.
    assert (Z0 := zabs_pos (u_in un) za Za).
    assert (S0 : (0 <= s')%Z).
    { clear - S'. revert s' S'. induction l as [|t l IHl]; cbn [units_abs]; intros s' H. injection H as <-; lia.
      destruct (unit_abs bits t) as [q|] eqn:Q; [|discriminate]. destruct (units_abs bits l) as [r|]; [|discriminate].
        injection H as <-.
      specialize (IHl r eq_refl). unfold unit_abs in Q. destruct (zabs (u_in (fst t))) as [y|] eqn:Y; [|discriminate].
      apply zabs_pos in Y. destruct (halves (u_bias (fst t))) as [b|]; [|discriminate].
        destruct (halves (snd t)) as [o|]; [|discriminate].
      destruct (Z.leb (y + Z.abs b) (Checker.big bits) && Z.leb (Z.abs o) (Checker.big bits)); [|discriminate].
      injection Q as <-. nia. }
    assert (Pa : (0 <= Z.abs o * (za + Z.abs b))%Z) by nia.
    destruct (IH z' s' eq_refl eq_refl ltac:(lia)) as (qs & E1 & E2 & E3).
    destruct (row_exact fs fa ord bits pair sound_kind x i (exact_at st p) (u_in un) zr za Zr Za ltac:(lia)) as (R1 &
      _ & R3).
    { intros t y _ Hy. now apply (exact_at_ok fs fa tail w st x p). }
    assert (Hid : hidden fs fa x un i = half (Z.max 0 (zr + b))).
    { unfold hidden. rewrite R1. rewrite (wt_half fs fa ord bits pair sound_kind _ b Hb) by lia. rewrite half_add.
      rewrite (rnd_id fa (half (zr + b))) by (apply incl_, number_half; lia).
      assert (X : Rmax 0 (half (zr + b)) = half (Z.max 0 (zr + b))).
      { destruct (Z.max_spec 0 (zr + b)) as [[M1 ->]|[M1 ->]].
        - apply Rmax_right. replace 0 with (half 0) by (unfold half; ring). apply half_le. lia.
        - replace (half 0) with 0 by (unfold half; ring). apply Rmax_left. replace 0 with (half 0) by (unfold half;
          ring). now apply half_le. }
      rewrite X. apply rnd_id, number_half. lia. }
    exists ((o * Z.max 0 (zr + b))%Z :: qs). cbn [map fold_right fst snd]. repeat split.
    + f_equal; auto. rewrite Hid.
      assert (Wd : wt fs d * half (Z.max 0 (zr + b)) = quarter (o * Z.max 0 (zr + b))).
      { destruct (Z.eq_dec (Z.max 0 (zr + b)) 0) as [Y|Y].
        - rewrite Y. unfold half, quarter. rewrite Z.mul_0_r. ring.
        - rewrite (wt_half fs fa ord bits pair sound_kind d o Ho) by lia. apply half_half. }
      rewrite Wd. apply rnd_id, number_quarter. rewrite Z.abs_mul. nia.
    + now rewrite E2.
    + rewrite Z.abs_mul. assert (Z.abs (Z.max 0 (zr + b)) <= za + Z.abs b)%Z by lia. nia.
Qed.
Lemma sum_quarter qs : sum Rabs (map quarter qs) = quarter (fold_right (fun h a => Z.abs h + a)%Z 0%Z qs).
Proof.
  induction qs as [|h qs IH]. unfold quarter. cbn [map sum fold_right]. ring. cbn [map sum fold_right].
    rewrite IH, <- quarter_add. f_equal.
  unfold quarter. rewrite Rabs_mult, abs_IZR, (Rabs_pos_eq (bpow radix2 (-2))) by apply bpow_ge_0. reflexivity.
Qed.
Lemma total_quarter qs : total (map quarter qs) = quarter (fold_right Z.add 0%Z qs).
Proof. unfold total. induction qs as [|h qs IH]. unfold quarter. cbn [map sum fold_right]. ring.
  cbn [map sum fold_right]. now rewrite IH, quarter_add. Qed.
Lemma asc_quarters qs s : (fold_right (fun h a => Z.abs h + a) 0 qs <= s)%Z -> (s <= 2 ^ sum_digits bits)%Z ->
  asc fa 0 (map quarter qs) = quarter (fold_right Z.add 0%Z qs).
Proof.
  intros H B. rewrite (asc_exact fa (-2)).
  - now rewrite total_quarter, Rplus_0_l.
  - generalize (emin_low fs fa ord bits pair sound_kind); lia.
  - exists 0%Z. ring.
  - intros y Hy. apply in_map_iff in Hy. destruct Hy as (h & <- & _). now exists h.
  - rewrite Rabs_R0, Rplus_0_l, sum_quarter, (sum_digits_is fs fa ord bits pair), bpow_plus,
    <- (pow_IZR (sum_digits bits))
      by (generalize (kind_sizes bits sound_kind); lia). unfold quarter.
    rewrite (Rmult_comm (bpow radix2 (-2))). apply Rmult_le_compat_r. apply bpow_ge_0. apply IZR_le. lia.
Qed.
Lemma after_exact_ok st x p i c l b : fits st x -> (i < size)%nat -> point_of w p i ->
  after_exact st c l p = Some b ->
  (match units_abs bits l with Some z => (z + 4 <=? wide)%Z | None => false end = true) ->
  rnd fs (rnd fa (x c i + rnd fs (asc fa 0 (map (fun t => rnd fa (wt fs (snd t) * hidden fs fa x (fst t) i)) l)))) =
    b2R b.
Proof.
  intros F Hi P H B. unfold after_exact in H. destruct (exact_at st p c) as [b0|] eqn:E0; [|discriminate].
  destruct (units_at st p l) as [z|] eqn:Z; [|discriminate]. destruct (units_abs bits l) as [s|] eqn:S;
    [|discriminate].
  apply Z.leb_le in B. destruct (exact_units st x p i l F Hi P z s Z S ltac:(lia)) as (qs & E1 & E2 & E3).
  assert (WW := wide_le bits sound_kind). assert (T8 := two_bits). rewrite E1, (asc_quarters qs s E3) by lia.
    rewrite E2.
  assert (A : (Z.abs z <= s)%Z). { rewrite <- E2. eapply Z.le_trans; [|apply E3]. clear. induction qs as [|h qs IH];
    cbn; lia. }
  assert (X0 : x c i = quarter (if b0 then 4 else 0)).
  { rewrite (exact_at_ok fs fa tail w st x p i c b0 F Hi P E0). unfold quarter, b2R. destruct b0; simpl; lra. }
  cbv zeta in H. set (t := ((if b0 then 4 else 0) + z)%Z) in *.
  assert (T : quarter t = b2R b /\ (t = 0 \/ t = 4)%Z).
  { destruct (Z.eqb_spec t 0) as [Et|]. injection H as <-. rewrite Et. unfold quarter, b2R; simpl; split; [lra|auto].
    destruct (Z.eqb_spec t 4) as [Et|]; [|discriminate]. injection H as <-. rewrite Et. unfold quarter, b2R; simpl;
      split; [lra|auto]. }
  destruct T as [T T4]. rewrite (rnd_id fs (quarter z)) by (apply number_quarter_stored; unfold t in T4; destruct b0;
    lia).
  rewrite X0, quarter_add. fold t. rewrite T. rewrite (rnd_id fa (b2R b)) by apply number_bit. apply rnd_id,
    number_bit.
Qed.
Theorem exact_net_ok st x c l : fits st x -> match exact_net bits letters cands st c l with Junk => True | k =>
  holds k (fun i => rnd fs (rnd fa (x c i + rnd fs (asc fa 0 (map (fun t => rnd fa (wt fs (snd t) * hidden fs fa x
    (fst t) i))
    l))))) end.
Proof.
  intros F. unfold exact_net. destruct (few _ && _) eqn:G; auto. apply andb_prop in G. destruct G as [_ G].
  destruct (after_exact st c l Begin) as [s|] eqn:B; auto. destruct (after_exact st c l Finish) as [e|] eqn:En; auto.
  destruct (table _ _) as [t|] eqn:T; auto. destruct (learn cands t) as [g|] eqn:L; auto. intros i Hi.
  destruct (letter w i) eqn:Li.
  - destruct (letter_at w letters in_alphabet i Li) as (a & A & La).
    destruct (learned w letters _ cands _ t g i a T L A La) as (v & P & H).
    now apply (after_exact_ok st x (At a v)).
  - assert (P := sentinel_point tail w i Hi Li). destruct (Nat.eqb i 0).
    now apply (after_exact_ok st x Begin). now apply (after_exact_ok st x Finish).
Qed.
End Nets.
