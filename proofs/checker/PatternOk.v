(* Heads that look for a pattern: the nearest position with the same remainder modulo m is m positions away, and a
   sentinel is chosen where there is none. Queries and keys are the remainders' bits, and one key row has the feature.

   letters_to, residue_at   a remainder says where a letter stands
   dot_bits, pattern_logit  scores and logits of such rows
   pattern_holds            such a head computes Y^m or X^m of its value *)
From Coq Require Import ZArith QArith Qreals Reals Lia Lra Psatz List Bool Arith.
From Flocq Require Import Core.
From Temper Require Import Rows Heads Format Sums Nearest NearestAny Exact Rounding Strings Programs Compile Temporal
  FloatRun
  NearestHead OnceHead OnceTree OnceAny Soundness Counting Results.
From Temper.checker Require Import Model Checker Points Exactness Invariant Meaning HeadsOk.
Import ListNotations.
Local Open Scope R_scope.

(* ---- remainders ---- *)
Section Residues.
Variable w : list nat.
Definition letters_to (d : dir) (i : nat) : nat := match d with Past => i | Future => (length w + 1 - i)%nat end.
Lemma seen_past l : forall a i, (a <= i + 1)%nat -> (i < a + l)%nat -> length (filter (fun j => Nat.leb j i) (seq a l)) = (i + 1 - a)%nat.
Proof.
  induction l as [|l IH]; intros a i H K; cbn [seq filter]. cbn. lia.
  destruct (Nat.leb_spec a i); cbn [length].
  - rewrite IH; lia.
  - assert (Z : filter (fun j => Nat.leb j i) (seq (S a) l) = []).
    { apply filter_none. intros j Hj. apply in_seq in Hj. apply Nat.leb_gt. lia. }
    rewrite Z. cbn. lia.
Qed.
Lemma seen_future l : forall a i, (a <= i)%nat -> (i <= a + l)%nat -> length (filter (fun j => Nat.leb i j) (seq a l)) = (a + l - i)%nat.
Proof.
  induction l as [|l IH]; intros a i H K; cbn [seq filter]. cbn. lia.
  destruct (Nat.leb_spec i a); cbn [length].
  - assert (i = a) by lia. subst i. assert (Z : filter (fun j => Nat.leb a j) (seq (S a) l) = seq (S a) l).
    { apply filter_all. intros j Hj. apply in_seq in Hj. apply Nat.leb_le. lia. }
    rewrite Z, seq_length. lia.
  - rewrite IH; lia.
Qed.
Lemma seen_count d i : letter w i = true -> length (seen w d i) = letters_to d i.
Proof.
  rewrite letter_iff. intros H. unfold seen, pos, sees, letters_to. destruct d.
  - rewrite seen_past by lia. lia.
  - rewrite seen_future by lia. lia.
Qed.
Lemma residue_at d s m k i : (0 < m)%nat ->
  sat w (den (FMod d s m k)) i = letter w i && Nat.eqb ((letters_to d i + s) mod m) k.
Proof.
  intros M0. cbn [den]. rewrite sat_modulo. destruct (letter w i) eqn:L; auto. cbn [andb].
  rewrite value_plus. cbn [Strings.value].
  assert (F : filter (fun j => sat w (Sym (fun _ => true)) j) (seen w d i) = seen w d i).
  { apply filter_all. intros j Hj. apply in_seen in Hj. cbn. destruct Hj as [Hj _]. unfold letter in Hj.
    now destruct (at_ w j). }
  rewrite F, (seen_count d i L), Z.mul_1_l, <- Nat2Z.inj_add.
  replace (Z.pos (Pos.of_nat m)) with (Z.of_nat m) by lia. rewrite <- Nat2Z.inj_mod.
  destruct (Nat.eqb_spec ((letters_to d i + s) mod m) k) as [->|Ne]. apply Z.eqb_refl. apply Z.eqb_neq. lia.
Qed.
Lemma same_residue a b m : (0 < m)%nat -> (b < a)%nat -> (a < b + m)%nat -> a mod m <> b mod m.
Proof.
  intros M0 H K E. assert (A := Nat.div_mod a m ltac:(lia)). assert (B := Nat.div_mod b m ltac:(lia)).
  rewrite E in A. assert (a / m = b / m \/ a / m >= b / m + 1 \/ a / m + 1 <= b / m)%nat as [X|[X|X]] by lia; nia.
Qed.
Lemma steps_past d f : forall m i, sat w (den (Nat.iter m (FStep d) f)) i = true -> letter w i = true \/ m = O.
Proof. intros [|m] i H; auto. left. cbn in H. now apply andb_prop in H as [H _]. Qed.
Lemma steps_at d f m : forall i, letter w i = true -> match d with Past => (m < i)%nat | Future => (i + m <= length w)%nat end ->
  sat w (den (Nat.iter m (FStep d) f)) i = sat w (den f) (match d with Past => (i - m)%nat | Future => (i + m)%nat end).
Proof.
  induction m as [|m IH]; intros i L H; cbn [Nat.iter den].
  - destruct d; f_equal; lia.
  - change (sat w (Step d (den (Nat.iter m (FStep d) f))) i = sat w (den f) (match d with Past => (i - S m)%nat | Future => (i + S m)%nat end)).
    cbn [sat]. rewrite L. cbn [andb]. apply letter_iff in L. rewrite IH.
    + destruct d; cbn [step]; f_equal; lia.
    + apply letter_iff. destruct d; cbn [step]; lia.
    + destruct d; cbn [step]; lia.
Qed.
Lemma steps_beyond d f m : forall i, letter w i = true -> (0 < m)%nat ->
  match d with Past => (i <= m)%nat | Future => (length w < i + m)%nat end -> sat w (den (Nat.iter m (FStep d) f)) i = false.
Proof.
  induction m as [|m IH]; intros i L M0 H; [lia|].
  change (sat w (Step d (den (Nat.iter m (FStep d) f))) i = false). cbn [sat]. rewrite L. cbn [andb].
  destruct (letter w (step d i)) eqn:Ls.
  - apply letter_iff in L. assert (Ls' := Ls). apply letter_iff in Ls'. destruct m as [|m].
    + exfalso. destruct d; cbn [step] in *; lia.
    + apply IH; auto. lia. destruct d; cbn [step] in *; lia.
  - destruct (sat w (den (Nat.iter m (FStep d) f)) (step d i)) eqn:S; auto. apply sat_letter in S. congruence.
Qed.
End Residues.

(* ---- scores of bits ---- *)
Section Dots.
Variable fa : format.
Definition bit_pairs (L : R) (l : list (bool * bool)) : list (R * R) := map (fun t => (L * b2R (fst t), b2R (snd t))) l.
Definition hits (l : list (bool * bool)) : nat := length (filter (fun t => fst t && snd t) l).
Lemma bit_term L c (p q : bool) : number fa L -> (c + (if p && q then 1 else 0) <= 1)%nat ->
  rnd fa (INR c * L + L * b2R p * b2R q) = INR (c + (if p && q then 1 else 0)) * L /\
  rnd fa (INR c * L + rnd fa (L * b2R p * b2R q)) = INR (c + (if p && q then 1 else 0)) * L.
Proof.
  intros NL H. assert (N0 := number_0 fa).
  assert (E : L * b2R p * b2R q = if p && q then L else 0) by (destruct p, q; cbn; ring). rewrite E.
  destruct (p && q) eqn:B.
  - assert (c = 0%nat) by lia. subst c. cbn [INR plus]. rewrite (rnd_id fa L), !Rmult_0_l, !Rplus_0_l, !Rmult_1_l, !(rnd_id fa L); auto.
  - cbv iota in *. rewrite Nat.add_0_r in *. rewrite (rnd_id fa 0) by auto. rewrite Rplus_0_r.
    destruct c as [|[|c]]; [| |lia]; cbn [INR]; rewrite ?Rmult_0_l, ?Rmult_1_l, ?(rnd_id fa 0), ?(rnd_id fa L); auto.
Qed.
Lemma dot_bits L l : number fa L -> forall c rest z, (c + hits l <= 1)%nat ->
  dot fa (INR c * L) (bit_pairs L l ++ rest) z -> dot fa (INR (c + hits l) * L) rest z.
Proof.
  intros NL. induction l as [|[p q] l IH]; intros c rest z H D.
  - unfold hits in *. cbn in *. now rewrite Nat.add_0_r.
  - assert (Hh : hits ((p, q) :: l) = ((if p && q then 1 else 0) + hits l)%nat) by (unfold hits; cbn; destruct (p && q); reflexivity).
    rewrite Hh in *. rewrite Nat.add_assoc in *. destruct (bit_term L c p q NL ltac:(lia)) as [A B].
    inversion D; subst; cbn [fst snd] in *; [rewrite B in *|rewrite A in *]; apply IH; auto.
Qed.
Lemma dot_result_bits L l : number fa L -> forall c rest z, (c + hits l <= 1)%nat ->
  dot_result fa (INR c * L) (bit_pairs L l ++ rest) z -> z = 0 \/ z = L \/ dot_result fa (INR (c + hits l) * L) rest z.
Proof.
  intros NL. induction l as [|[p q] l IH]; intros c rest z H D.
  - unfold hits in *. cbn in *. rewrite Nat.add_0_r. auto.
  - assert (Hh : hits ((p, q) :: l) = ((if p && q then 1 else 0) + hits l)%nat) by (unfold hits; cbn; destruct (p && q); reflexivity).
    rewrite Hh in *. rewrite Nat.add_assoc in *. destruct (bit_term L c p q NL ltac:(lia)) as [A B].
    assert (Cases : forall x, x = INR (c + (if p && q then 1 else 0)) * L -> x = 0 \/ x = L).
    { intros x ->. destruct (c + (if p && q then 1 else 0))%nat as [|[|]] eqn:Ec; [| |lia]; cbn; [left|right]; ring. }
    assert (Prod : rnd fa (L * b2R p * b2R q) = 0 \/ rnd fa (L * b2R p * b2R q) = L).
    { destruct p, q; cbn; rewrite ?Rmult_1_r, ?Rmult_0_r; [right|left|left|left]; now rewrite rnd_id by auto using number_0. }
    inversion D; subst; cbn [fst snd] in *.
    + destruct Prod; auto.
    + destruct (Cases _ B); auto.
    + destruct (Cases _ A); auto.
    + rewrite B in *. apply IH; auto.
    + rewrite A in *. apply IH; auto.
Qed.
End Dots.

(* ---- heads ---- *)
Section Patterns.
Variables (fs fa : format) (ord : order) (bits : kind).
Hypothesis pair : pair_of fs fa ord bits.
Hypothesis sound_kind : sane bits = true.
Variable M : nat.
Variables (m : model) (w : list nat) (letters : nat).
Notation tail := (m_end m). Notation size := (N tail w). Notation keys := (keys tail w).
Hypothesis in_alphabet : forall i a, at_ w i = Some a -> (a < letters)%nat.
Hypothesis NM : (size <= M)%nat.
Variable cands : list fml.
Variable D : errors.
Hypothesis bounds : errors_ok fs fa ord (one_format bits) M D.
Notation holds := (holds fs fa tail w). Notation fits := (fits fs fa tail w).
Notation head_row := (head_row fs fa ord m w).
Notation bool_row := (bool_row bits letters cands). Notation same := (one_format bits).
Notation place_error := (place_error fs). Notation key_error := (key_error fs fa same).

(* one term of weight 1 *)
Lemma one_term st x c d f s e i : fits st x -> get st c = Ex f s e -> half_is d 2 = true -> (i < size)%nat ->
  let v := b2R (if letter w i then sat w (den f) i else if Nat.eqb i 0 then s else e) in
  row_sum fs fa x [(c, d)] i = v /\ row_val fs fa x [(c, d)] i = v.
Proof.
  intros F G H Hi v. specialize (F c i Hi). rewrite G in F.
  assert (Nv : number fa v) by apply number_bit. assert (Nf : number fs v) by apply number_bit.
  unfold row_val, row_sum, row_terms. cbn [map asc fst snd].
  rewrite (wt_1 fs fa ord bits pair sound_kind d H), F. fold v.
  rewrite Rmult_1_l, !(rnd_id fa v), Rplus_0_l, !(rnd_id fa v), !(rnd_id fs v) by auto. auto.
Qed.
Lemma residue_is_ok st x d s k mm r i : fits st x -> residue_is st d s mm k r = true -> (i < size)%nat ->
  row_val fs fa x r i = b2R (sat w (den (FMod d s mm k)) i).
Proof.
  unfold residue_is. intros F H Hi. destruct r as [|[c y] [|]]; try discriminate. apply andb_prop in H as [H1 H2].
  destruct (get st c) as [f [] []| | | | |] eqn:G; try discriminate. apply fml_eqb_ok in H2. subst f.
  destruct (one_term st x c y _ _ _ i F G H1 Hi) as [_ ->]. destruct (letter w i) eqn:L; auto.
  destruct (sat w (den (FMod d s mm k)) i) eqn:S. apply sat_letter in S. congruence. now destruct (Nat.eqb i 0).
Qed.
Definition bits_at d s mm k0 n i j : list (bool * bool) :=
  map (fun k => (sat w (den (FMod d s mm k)) i, sat w (den (FMod d s mm k)) j)) (seq k0 n).
Lemma residue_pairs st x d s mm i j : fits st x -> (i < size)%nat -> (j < size)%nat -> forall qs ks k0 q k,
  residue_rows st d s mm k0 qs ks = Some (q, k) -> (k0 <= mm)%nat /\
  combine (map (fun r => row_val fs fa x r i) qs) (map (fun r => row_val fs fa x r j) ks) =
  bit_pairs 1 (bits_at d s mm k0 (mm - k0) i j) ++ [(row_val fs fa x q i, row_val fs fa x k j)].
Proof.
  intros F Hi Hj qs. induction qs as [|q0 qs IH]; intros ks k0 q k H; [discriminate|].
  destruct ks as [|r0 ks]; [destruct qs; discriminate|].
  assert (Step : residue_is st d s mm k0 q0 && residue_is st d s mm k0 r0 = true ->
    residue_rows st d s mm (S k0) qs ks = Some (q, k) -> (k0 <= mm)%nat /\
    combine (map (fun r => row_val fs fa x r i) (q0 :: qs)) (map (fun r => row_val fs fa x r j) (r0 :: ks)) =
    bit_pairs 1 (bits_at d s mm k0 (mm - k0) i j) ++ [(row_val fs fa x q i, row_val fs fa x k j)]).
  { intros B R. apply andb_prop in B as [B1 B2]. destruct (IH ks (S k0) q k R) as [L E]. split. lia.
    cbn [map combine]. rewrite E. replace (mm - k0)%nat with (S (mm - S k0)) by lia. cbn [bits_at seq map bit_pairs app].
    unfold bits_at. cbn [seq map]. unfold bit_pairs. cbn [map app fst snd]. rewrite Rmult_1_l.
    now rewrite (residue_is_ok st x d s k0 mm q0 i F B1 Hi), (residue_is_ok st x d s k0 mm r0 j F B2 Hj). }
  destruct qs as [|q1 qs].
  - destruct ks as [|r1 ks].
    + cbn in H. destruct (Nat.eqb_spec k0 mm); [|discriminate]. injection H as <- <-. subst k0. split. lia.
      rewrite Nat.sub_diag. reflexivity.
    + cbn [residue_rows] in H. destruct (_ && _); discriminate.
  - cbn [residue_rows] in H. destruct (residue_is st d s mm k0 q0 && residue_is st d s mm k0 r0) eqn:B; [|discriminate].
    now apply Step.
Qed.
Lemma count_one r a n : length (filter (Nat.eqb r) (seq a n)) = if Nat.leb a r && Nat.ltb r (a + n) then 1%nat else 0%nat.
Proof.
  revert a. induction n as [|n IH]; intros a; cbn [seq filter].
  - destruct (Nat.leb_spec a r), (Nat.ltb_spec r (a + 0)); cbn [andb length]; auto; lia.
  - destruct (Nat.eqb_spec r a) as [->|Ne]; cbn [length]; rewrite IH.
    + destruct (Nat.leb_spec (S a) a), (Nat.leb_spec a a), (Nat.ltb_spec a (S a + n)), (Nat.ltb_spec a (a + S n));
        cbn [andb]; auto; lia.
    + destruct (Nat.leb_spec (S a) r), (Nat.leb_spec a r), (Nat.ltb_spec r (S a + n)), (Nat.ltb_spec r (a + S n));
        cbn [andb]; auto; lia.
Qed.
Lemma hits_at d s mm i j : (0 < mm)%nat -> hits (bits_at d s mm 0 mm i j) =
  if letter w i && letter w j && Nat.eqb ((letters_to w d i + s) mod mm) ((letters_to w d j + s) mod mm) then 1%nat else 0%nat.
Proof.
  intros M0. set (a := ((letters_to w d i + s) mod mm)%nat). set (b := ((letters_to w d j + s) mod mm)%nat).
  unfold hits, bits_at.
  assert (E : forall l, length (filter (fun t => fst t && snd t) (map (fun k => (sat w (den (FMod d s mm k)) i,
    sat w (den (FMod d s mm k)) j)) l)) = length (filter (fun k => letter w i && Nat.eqb a k && (letter w j && Nat.eqb b k)) l)).
  { induction l as [|k l IH]; cbn [map filter fst snd]; auto. rewrite !residue_at by auto. fold a b.
    destruct (_ && _); cbn [length]; now rewrite IH. }
  rewrite E. clear E. assert (La : (a < mm)%nat) by (apply Nat.mod_upper_bound; lia).
  destruct (letter w i), (letter w j); cbn [andb]; try (rewrite filter_none; [reflexivity|]; intros k _;
    rewrite ?andb_false_r; reflexivity).
  destruct (Nat.eqb_spec a b) as [Eab|Ne].
  - rewrite <- Eab. rewrite (filter_ext _ (Nat.eqb a)) by (intros k; apply andb_diag). rewrite count_one.
    destruct (Nat.leb_spec 0 a), (Nat.ltb_spec a (0 + mm)); cbn [andb]; auto; lia.
  - rewrite filter_none; auto. intros k _. destruct (Nat.eqb_spec a k), (Nat.eqb_spec b k); cbn; auto; lia.
Qed.
Lemma scaled_bits lam l kv : number fa lam ->
  map (fun t => (rnd fa (lam * fst t), snd t)) (bit_pairs 1 l ++ [(1, kv)]) = bit_pairs lam l ++ [(lam, kv)].
Proof.
  intros Nl. rewrite map_app. cbn [map fst snd]. rewrite Rmult_1_r, (rnd_id fa lam) by auto. f_equal.
  induction l as [|[p q] l IH]; auto. cbn [bit_pairs map fst snd] in *. unfold bit_pairs in *. cbn [map fst snd].
  rewrite IH. f_equal. f_equal. destruct p; cbn; rewrite ?Rmult_1_l, ?Rmult_1_r, ?Rmult_0_r; apply rnd_id; auto using number_0.
Qed.
Lemma last_dot L c a kv s : (c <= 1)%nat -> dot fa (INR c * L) [(a, kv)] s ->
  s = rnd fa (INR c * L + rnd fa (a * kv)) \/ s = rnd fa (INR c * L + a * kv).
Proof. intros _ H. inversion H; subst; match goal with X : dot _ _ [] _ |- _ => inversion X; subst end; auto. Qed.
Lemma dot_all L l a kv s : number fa L -> (hits l <= 1)%nat -> dot fa 0 (bit_pairs L l ++ [(a, kv)]) s ->
  s = rnd fa (INR (hits l) * L + rnd fa (a * kv)) \/ s = rnd fa (INR (hits l) * L + a * kv).
Proof.
  intros NL Hh H. apply (last_dot L (hits l) a kv s Hh). apply (dot_bits fa L l NL 0 [(a, kv)] s); [exact Hh|].
  cbn [INR]. now rewrite Rmult_0_l.
Qed.
(* no bit, or one bit and a key without more than the feature *)
Lemma pattern_logit l lam kv z kk lg : (Z.of_nat M <= 2 ^ prec fa)%Z -> INR M * bpow radix2 4 < bpow radix2 kk ->
  lam = 8 * INR size -> number fa lam -> number fa kv ->
  (hits l = 0%nat /\ Rabs kv <= 2 /\ Rabs (kv - z) <= key_error \/
   hits l = 1%nat /\ Rabs kv <= 1 /\ Rabs (kv - (z - 1)) <= place_error) ->
  logit_of fa ord lam (bit_pairs 1 l ++ [(1, kv)]) lg -> Rabs (lg - 8 * INR size * z) <= logit_error fa M key_error kk.
Proof.
  intros HM Hk El Nl Nk Cases Lg.
  assert (S1 : 1 <= INR size). { apply (le_INR 1). unfold N. destruct tail; lia. }
  assert (u0 := u_pos fa). assert (t0 : 0 < tiny fa) by apply bpow_gt_0.
  assert (Ke : place_error + (u fa + / 2 * tiny fa) <= key_error).
  { unfold HeadsOk.key_error. assert (0 < u fs) by apply u_pos. assert (0 < tiny fs) by apply bpow_gt_0.
    destruct same; lra. }
  assert (Near : forall key, Rabs key <= 2 -> Rabs (key - z) <= key_error -> moved fa ord (rnd fa (8 * INR size * key)) lg ->
    Rabs (lg - 8 * INR size * z) <= logit_error fa M key_error kk).
  { intros key B1 B2 Mv. apply (near_logit fs fa ord bits pair M m w NM 4 key_error kk key lg z); auto. lia. }
  assert (Two : number fa 2) by exact (NearestHead.number_2 fa 0%nat fa).
  destruct Lg as [s Dt Mv|s Dt Mv].
  - apply (dot_all 1 l 1 kv s (number_1 fa)) in Dt; [|lia]. rewrite Rmult_1_l, (rnd_id fa kv Nk) in Dt.
    assert (Ds : s = rnd fa (INR (hits l) * 1 + kv)) by (destruct Dt; auto). clear Dt. rewrite El in Mv.
    destruct Cases as [(Z0 & K1 & K2)|(Z1 & K1 & K2)].
    + rewrite Z0 in Ds. cbn [INR] in Ds. rewrite Rmult_0_l, Rplus_0_l, (rnd_id fa kv Nk) in Ds. subst s. now apply (Near kv).
    + rewrite Z1 in Ds. cbn [INR] in Ds. rewrite Rmult_1_l in Ds. subst s.
      assert (B2 : Rabs (1 + kv) <= 2) by (apply Rabs_le; apply Rabs_le_inv in K1; lra).
      apply (Near (rnd fa (1 + kv))); auto. apply (abs_rnd_le fa _ _ Two B2).
      assert (X := rnd_half fa (1 + kv) 1 ltac:(generalize (emin_neg fa) (prec_ge_2 fa); lia) B2).
      change (bpow radix2 (1 - 1)) with 1 in X.
      replace (rnd fa (1 + kv) - z) with ((rnd fa (1 + kv) - (1 + kv)) + (kv - (z - 1))) by ring.
      eapply Rle_trans; [apply Rabs_triang|]. lra.
  - rewrite (scaled_bits lam l kv Nl) in Dt. apply (dot_all lam l lam kv s Nl) in Dt; [|lia].
    destruct Cases as [(Z0 & K1 & K2)|(Z1 & K1 & K2)].
    + rewrite Z0 in Dt. cbn [INR] in Dt. rewrite Rmult_0_l, !Rplus_0_l, (rnd_id fa (rnd fa _)) in Dt by apply rnd_number.
      apply (Near kv); auto. rewrite <- El. destruct Dt; now subst s.
    + rewrite Z1 in Dt. cbn [INR] in Dt. rewrite Rmult_1_l in Dt.
      assert (B : Rabs (lam * kv) <= lam).
      { rewrite Rabs_mult, (Rabs_pos_eq lam) by lra. rewrite <- (Rmult_1_r lam) at 2. apply Rmult_le_compat_l; lra. }
      destruct Dt as [->| ->].
      * set (t := rnd fa (lam * kv)) in *. assert (Bt : Rabs t <= lam) by (apply abs_rnd_le; auto).
        apply (Near (1 + t / lam)).
        -- assert (Rabs (t / lam) <= 1).
           { unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ lam)) by (left; apply Rinv_0_lt_compat; lra).
             apply Rmult_le_reg_r with lam. lra. rewrite Rmult_assoc, Rinv_l by lra. lra. }
           apply Rabs_le. apply Rabs_le_inv in H. lra.
        -- assert (X := rnd_error fa (lam * kv)). fold t in X.
           assert (Y : Rabs (t / lam - kv) <= u fa + / 2 * tiny fa).
           { replace (t / lam - kv) with ((t - lam * kv) / lam) by (field; lra). unfold Rdiv.
             rewrite Rabs_mult, (Rabs_pos_eq (/ lam)) by (left; apply Rinv_0_lt_compat; lra).
             apply Rmult_le_reg_r with lam. lra. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. nra. }
           replace (1 + t / lam - z) with ((t / lam - kv) + (kv - (z - 1))) by ring.
           eapply Rle_trans; [apply Rabs_triang|]. lra.
        -- rewrite <- El. replace (lam * (1 + t / lam)) with (lam + t) by (field; lra). exact Mv.
      * apply (Near (1 + kv)).
        -- apply Rabs_le. apply Rabs_le_inv in K1. lra.
        -- replace (1 + kv - z) with (kv - (z - 1)) by ring. lra.
        -- rewrite <- El. replace (lam * (1 + kv)) with (lam + lam * kv) by ring. exact Mv.
Qed.

(* the sentinel that is chosen where no position has the remainder *)
Definition ends (d : dir) (j : nat) : bool := negb (letter w j) && match d with Past => Nat.eqb j 0 | Future => negb (Nat.eqb j 0) end.
Lemma ends_ok st x d r j : fits st x -> ends_row_is st d r = true -> (j < size)%nat -> row_sum fs fa x r j = b2R (ends d j).
Proof.
  unfold ends_row_is. intros F H Hj. destruct r as [|[c y] [|]]; try discriminate. apply andb_prop in H as [H1 H2].
  destruct (get st c) as [f s e| |f e| | |] eqn:G; try discriminate. destruct f as [| |[]| | | | | | |]; try discriminate.
  destruct (one_term st x c y _ _ _ j F G H1 Hj) as [-> _]. unfold ends. change (FNot FT) with FF. rewrite sat_FF.
  destruct (letter w j); auto. cbn [negb andb]. destruct d, s, e; try discriminate; now destruct (Nat.eqb j 0).
Qed.
Definition chosen (d : dir) (s mm i j : nat) : bool := Nat.eqb (hits (bits_at d s mm 0 mm i j)) 1 || ends d j.
Lemma hits_cases d s mm i j : (0 < mm)%nat -> hits (bits_at d s mm 0 mm i j) = 0%nat \/
  hits (bits_at d s mm 0 mm i j) = 1%nat /\ letter w i = true /\ letter w j = true /\
  ((letters_to w d i + s) mod mm = (letters_to w d j + s) mod mm)%nat.
Proof.
  intros M0. rewrite hits_at by auto. destruct (letter w i), (letter w j); cbn [andb]; auto.
  destruct (Nat.eqb_spec ((letters_to w d i + s) mod mm) ((letters_to w d j + s) mod mm)); auto.
Qed.
Lemma chosen_past s mm i js : (0 < mm)%nat -> letter w i = true -> (js < i)%nat -> chosen Past s mm i js = true ->
  (forall j, (j < i)%nat -> chosen Past s mm i j = true -> (j <= js)%nat) ->
  (mm < i)%nat /\ js = (i - mm)%nat \/ (i <= mm)%nat /\ letter w js = false.
Proof.
  intros M0 L Hj C Best. assert (Li := proj1 (letter_iff w i) L).
  assert (Case : ends Past js = true /\ js = 0%nat \/ letter w js = true /\ (i >= js + mm)%nat).
  { unfold chosen in C. destruct (ends Past js) eqn:E.
    - left. split; auto. unfold ends in E. apply andb_prop in E as [_ E]. now apply Nat.eqb_eq in E.
    - right. rewrite orb_false_r in C. destruct (hits_cases Past s mm i js M0) as [Z|(_ & _ & Lj & Er)].
      rewrite Z in C. discriminate. split; auto. destruct (le_lt_dec (js + mm) i); [lia|]. exfalso.
      cbn [letters_to] in Er. apply (same_residue (i + s) (js + s) mm M0); auto; lia. }
  destruct (le_lt_dec i mm) as [Le|Lt].
  - right. split; auto. destruct Case as [[E _]|[Lj G]]. unfold ends in E. now destruct (letter w js).
    apply letter_iff in Lj. lia.
  - left. split; auto. assert (B : (i - mm <= js)%nat).
    { apply Best. lia. unfold chosen. rewrite hits_at by auto. rewrite L.
      replace (letter w (i - mm)) with true by (symmetry; apply letter_iff; lia). cbn [andb letters_to].
      replace (i + s)%nat with (i - mm + s + 1 * mm)%nat by lia. rewrite Nat.mod_add by lia. now rewrite Nat.eqb_refl. }
    destruct Case as [[_ E]|[_ G]]; lia.
Qed.
Lemma chosen_future s mm i js : (0 < mm)%nat -> letter w i = true -> (i < js)%nat -> (js <= length w + 1)%nat -> chosen Future s mm i js = true ->
  (forall j, (i < j <= length w + 1)%nat -> chosen Future s mm i j = true -> (js <= j)%nat) ->
  (i + mm <= length w)%nat /\ js = (i + mm)%nat \/ (length w < i + mm)%nat /\ letter w js = false.
Proof.
  intros M0 L Hj Hn C Best. assert (Li := proj1 (letter_iff w i) L).
  assert (Case : letter w js = false /\ (js = length w + 1)%nat \/ letter w js = true /\ (js >= i + mm)%nat).
  { unfold chosen in C. destruct (letter w js) eqn:Lj.
    - right. split; auto. unfold ends in C. rewrite Lj in C. cbn [negb andb] in C. rewrite orb_false_r in C.
      destruct (hits_cases Future s mm i js M0) as [Z|(_ & _ & _ & E)]. rewrite Z in C. discriminate.
      assert (Lj' := proj1 (letter_iff w js) Lj). destruct (le_lt_dec (i + mm) js); [lia|]. exfalso.
      cbn [letters_to] in E. apply (same_residue (length w + 1 - i + s) (length w + 1 - js + s) mm M0); auto; lia.
    - left. split; auto. assert (~ (1 <= js <= length w)%nat). { intros X. apply letter_iff in X. congruence. } lia. }
  destruct (le_lt_dec (i + mm) (length w)) as [Le|Lt].
  - left. split; auto. assert (B : (js <= i + mm)%nat).
    { apply Best. lia. unfold chosen. rewrite hits_at by auto. rewrite L.
      replace (letter w (i + mm)) with true by (symmetry; apply letter_iff; lia). cbn [andb letters_to].
      replace (length w + 1 - i + s)%nat with (length w + 1 - (i + mm) + s + 1 * mm)%nat by lia.
      rewrite Nat.mod_add by lia. now rewrite Nat.eqb_refl. }
    destruct Case as [[_ E]|[_ G]]; lia.
  - right. split; auto. destruct Case as [[E _]|[Lj G]]; auto. apply letter_iff in Lj. lia.
Qed.
Lemma residue_rows_key st d s mm : forall qs ks k0 q k, residue_rows st d s mm k0 qs ks = Some (q, k) -> In k ks.
Proof.
  induction qs as [|q0 qs IH]; intros [|r0 ks] k0 q k H; try discriminate; [destruct qs; discriminate|].
  destruct qs as [|q1 qs].
  - destruct ks as [|r1 ks]; cbn in H.
    + destruct (Nat.eqb k0 mm); [|discriminate]. injection H as <- <-. now left.
    + destruct (_ && _); discriminate.
  - cbn [residue_rows] in H. destruct (_ && _); [|discriminate]. right. now apply (IH _ (S k0) q).
Qed.
Lemma one_row_ok st x q i : one_row_is st q = true -> fits st x -> (i < size)%nat -> row_val fs fa x q i = 1.
Proof.
  unfold one_row_is. intros Oq F Hi. destruct q as [|[c y] [|]]; try discriminate. apply andb_prop in Oq as [O1 O2].
  destruct (get st c) as [f s0 e0| |f e0| | |] eqn:G; try discriminate. destruct f, s0, e0; try discriminate.
  destruct (one_term st x c y _ _ _ i F G O1 Hi) as [_ ->]. cbn [den sat]. unfold letter.
  destruct (at_ w i); auto. now destruct (Nat.eqb i 0).
Qed.
Theorem pattern_holds st x t o g e : tap_pattern bits letters tail cands D st t = Some (g, e) -> fits st x ->
  (forall i, (i < size)%nat -> head_row x (fst (fst t)) (snd (fst t)) i (o i)) ->
  (forall d f j, sat w (den (stepped letters cands d f)) j = sat w (den (FStep d f)) j) -> holds (Raw g e) o.
Proof.
  destruct bounds as (_ & B_near & _). destruct t as [[h v] out]. cbn [fst snd]. unfold tap_pattern. intros H F Out St.
  destruct (pattern_of st h) as [[[d s] mm]|]; [|discriminate].
  destruct (residue_rows st d s mm 0 (h_query h) (h_key h)) as [[q k]|] eqn:Rr; [|discriminate].
  destruct (key_parts st k) as [[rest sx]|] eqn:Kp; [|discriminate].
  destruct (bool_row st v) as [psi|] eqn:V; [|discriminate]. destruct (h_scale h) eqn:Sc; try discriminate.
  destruct (_ && _) eqn:B in H; [|discriminate]. apply andb_prop in B as [B Mk]. apply andb_prop in B as [B Tl].
  apply andb_prop in B as [B M0]. apply andb_prop in B as [B Sg]. apply andb_prop in B as [Oq Er]. apply Nat.ltb_lt in M0.
  unfold with_error in H. destruct (D_near D) as [qe|] eqn:Dq; [|discriminate]. injection H as <- <-.
  destruct (B_near qe eq_refl) as (HM & kk & Hk & Pk).
  assert (Iter : forall n j, sat w (den (Nat.iter n (stepped letters cands d) psi)) j = sat w (den (Nat.iter n (FStep d) psi)) j).
  { induction n as [|n IH]; intros j; [reflexivity|].
    change (sat w (den (stepped letters cands d (Nat.iter n (stepped letters cands d) psi))) j =
      sat w (Step d (den (Nat.iter n (FStep d) psi))) j). rewrite St. cbn [den sat]. now rewrite IH. }
  assert (Kd : forall i j, In j (keys (h_mask h) i) <-> (j < size)%nat /\ match d with Past => (j < i)%nat | Future => (i < j)%nat end).
  { intros i j. rewrite in_keys. destruct d, (h_mask h); try discriminate; cbn [allowed]; rewrite Nat.ltb_lt; tauto. }
  intros i Hi. specialize (Out i Hi). destruct Out as (E & lam & logit & HE & H1 & H2 & H3 & H4).
  rewrite Sc in H1. cbn [ereal] in H1.
  destruct (scale_exact fa (prec_4 fs fa ord bits pair sound_kind M m w NM) M HM size lam NM H1) as [El Nl].
  set (L := keys (h_mask h) i) in *.
  assert (Lsize : forall j, In j L -> (j < size)%nat) by (intros j Hj; now apply Kd in Hj).
  apply (softmax_ext fs fa E ord logit _ (truth w (den psi))) in H4.
  2:{ intros j Hj. apply (bool_ok fs fa ord bits pair sound_kind m w letters in_alphabet cands st x v psi V F). auto. }
  set (shift := 8 * match d with Past => 0 | Future => - INR (size - 1) end).
  assert (Off : forall j, In j L -> Rabs (logit j - (8 * INR size * b2R (chosen d s mm i j) + 8 * INR (num d size j) + shift))
    <= logit_error fa M key_error kk).
  { intros j Hj. assert (Hj' := Lsize j Hj). specialize (H3 j Hj). unfold pairs_ in H3.
    destruct (residue_pairs st x d s mm i j F Hi Hj' _ _ _ _ _ Rr) as [_ Pe]. rewrite Pe in H3. clear Pe.
    rewrite Nat.sub_0_r in H3.
    assert (Q1 : row_val fs fa x q i = 1).
    { now apply (one_row_ok st). }
    rewrite Q1 in H3. unfold shift. rewrite <- (ideal_logit m w d j (b2R (chosen d s mm i j)) Hj').
    assert (Rs := ends_ok st x d rest j F Er Hj').
    apply (pattern_logit (bits_at d s mm 0 mm i j) lam (row_val fs fa x k j) _ kk); auto.
    { apply (incl fs fa ord bits pair sound_kind), rnd_number. }
    unfold chosen. destruct (hits_cases d s mm i j M0) as [Z|(Z & _ & Lj & _)]; rewrite Z.
    - left. split; auto. cbn [Nat.eqb orb].
      destruct (key_near fs fa ord bits pair sound_kind M m w NM st x k rest sx d j (b2R (ends d j)) F Hj' Kp Sg) as [K1 K2]; auto.
      destruct (ends d j); cbn; auto.
    - right. split; auto. cbn [Nat.eqb orb].
      destruct (key_sum fs fa ord bits pair sound_kind M m w st x k rest sx d j F Hj' Kp Sg) as (y & Ny & Y1 & Y2 & ->).
      rewrite Rs. unfold ends. rewrite Lj. cbn [negb andb b2R]. rewrite Rplus_0_l.
      rewrite (rnd_id fa y) by (now apply (incl fs fa ord bits pair sound_kind)). rewrite (rnd_id fs y) by auto.
      split; auto. replace (1 + sign d * (INR j / INR size) - 1) with (sign d * (INR j / INR size)) by ring. exact Y2. }
  assert (Nm : number fs (o i)) by (eapply softmax_number; eauto). split; auto.
  assert (D0 := proj1 (proj1 Pk)).
  destruct (greatest (fun j => chosen d s mm i j) (num d size) L) as [None_|(js & J1 & J2 & J3)].
  - (* no key at all *)
    assert (Z : L = []).
    { destruct L as [|j L'] eqn:EL; auto. exfalso. assert (Hj : In j L) by (rewrite EL; now left).
      unfold L in Hj. apply Kd in Hj as [Hj1 Hj2].
      assert (Hs : exists js0, In js0 (keys (h_mask h) i) /\ ends d js0 = true).
      { destruct d.
        - exists 0%nat. split. apply Kd. split. lia. lia. reflexivity.
        - exists (length w + 1)%nat. unfold N in Hj1. destruct (m_end m) eqn:Te; [|discriminate]. split.
          + apply Kd. unfold N. lia.
          + unfold ends. replace (letter w (length w + 1)) with false. cbn. now destruct (length w).
            symmetry. apply not_true_is_false. rewrite letter_iff. lia. }
      destruct Hs as (js0 & I0 & E0). fold L in I0. rewrite EL in I0. specialize (None_ js0 I0).
      unfold chosen in None_. rewrite E0, orb_true_r in None_. discriminate. }
    rewrite Z in H4. cbn in H4. rewrite H4. split. lra. exists false. cbn. rewrite Rminus_0_r, Rabs_R0. split; auto.
    intros Li. exfalso. assert (I : exists j, In j L).
    { apply letter_iff in Li. destruct d.
      - exists 0%nat. apply Kd. lia.
      - exists (i + 1)%nat. apply Kd. unfold N. destruct (m_end m); [lia|discriminate]. }
    destruct I as (j & I). rewrite Z in I. destruct I.
  - destruct (near_out fs fa ord bits pair sound_kind M m w NM E HE _ _ L (num d size) (fun j => b2R (chosen d s mm i j))
      (truth w (den psi)) logit shift js (o i) Pk) as [N1 N2]; auto.
    + apply keys_NoDup.
    + apply keys_length.
    + intros j Hj. apply num_lt. auto.
    + intros a b Ha Hb. apply num_inj; auto.
    + intros j _. destruct (chosen d s mm i j); cbn; auto.
    + intros j. apply truth_01.
    + cbn. now rewrite J2.
    + intros j Hj Cj. apply J3; auto. destruct (chosen d s mm i j); auto. cbn in Cj. lra.
    + split; auto. exists (sat w (den psi) js). split. exact N1. intros Li. rewrite Iter.
      assert (No : letter w js = false -> sat w (den psi) js = false).
      { intros Lj. destruct (sat w (den psi) js) eqn:S; auto. apply sat_letter in S. congruence. }
      assert (Lw := proj1 (letter_iff w i) Li). unfold L in J1. apply Kd in J1 as [J1 J1']. destruct d.
      * destruct (chosen_past s mm i js M0 Li J1' J2) as [[A B]|[A B]].
        { intros j Hj Cj. apply (J3 j); auto. apply Kd. unfold N. split; lia. }
        -- rewrite steps_at by auto. now subst js.
        -- rewrite steps_beyond by auto. now apply No.
      * assert (Te : m_end m = true) by (destruct (m_end m); [auto|discriminate]).
        assert (Sz : size = (length w + 2)%nat) by (unfold N; now rewrite Te).
        destruct (chosen_future s mm i js M0 Li J1' ltac:(lia) J2) as [[A B]|[A B]].
        { intros j Hj Cj. assert (X : (num Future size j <= num Future size js)%nat) by (apply (J3 j); auto; apply Kd; lia).
          unfold num in X. lia. }
        -- rewrite steps_at by auto. now subst js.
        -- rewrite steps_beyond by auto. now apply No.
Qed.
(* what such a head computes with, for InRange.v *)
Lemma pattern_shape st h v out y : tap_pattern bits letters tail cands D st (h, v, out) = Some y -> h_scale h = E_steep /\
  (exists psi, bool_row st v = Some psi) /\ exists k, In k (h_key h) /\ forall x i j, fits st x -> (i < size)%nat ->
  (j < size)%nat -> exists l, (hits l <= 1)%nat /\ pairs_ fs fa x h i j = bit_pairs 1 l ++ [(1, row_val fs fa x k j)].
Proof.
  unfold tap_pattern. destruct (pattern_of st h) as [[[d s] mm]|]; [|discriminate].
  destruct (residue_rows st d s mm 0 (h_query h) (h_key h)) as [[q k]|] eqn:Rr; [|discriminate].
  destruct (key_parts st k) as [[rest sx]|]; [|discriminate].
  destruct (bool_row st v) as [psi|] eqn:V; [|discriminate]. destruct (h_scale h) eqn:Sc; try discriminate.
  destruct (_ && _) eqn:B; [|discriminate]. intros _. apply andb_prop in B as [B _]. apply andb_prop in B as [B _].
  apply andb_prop in B as [B M0]. apply andb_prop in B as [B _]. apply andb_prop in B as [Oq _]. apply Nat.ltb_lt in M0.
  split; auto. split; [now exists psi|]. exists k. split. now apply (residue_rows_key st d s mm _ _ _ _ _ Rr).
  intros x i j F Hi Hj. exists (bits_at d s mm 0 mm i j). split.
  - destruct (hits_cases d s mm i j M0) as [->|[-> _]]; lia.
  - unfold pairs_. destruct (residue_pairs st x d s mm i j F Hi Hj _ _ _ _ _ Rr) as [_ ->].
    now rewrite Nat.sub_0_r, (one_row_ok st x q i Oq F Hi).
Qed.
End Patterns.
