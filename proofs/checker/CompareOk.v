(* Counting heads and comparisons: from the weights of a file to the mean that a channel holds, and to a raw value near
   the truth of a comparison.

   count_holds     what tap_count says of a head without scores is true
   compare_holds   what tap_compare says of a head that compares is true *)
From Coq Require Import ZArith QArith Qreals Reals Lia Lra Psatz List Bool Arith Permutation.
From Flocq Require Import Core.
From Temper Require Import Rows Format Sums Nearest NearestAny Exact Rounding Strings Programs Compile Temporal Counting
  FloatRun NearestHead CountHead CompareAny Results Soundness SoundCompare.
From Temper.checker Require Import Model Checker Points Exactness CountsOk Invariant HeadsOk.
Import ListNotations.
Local Open Scope R_scope.

Section Compare.
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
Notation incl_ := (incl fs fa ord bits pair sound_kind).
Lemma H_compare q : D_compare D = Some q -> compare_bound fs fa ord M q. Proof. apply bounds. Qed.
Lemma H_most : most_fits fs fa ord M (most D). Proof. apply bounds. Qed.
Lemma emins : (emin fa <= -1)%Z. Proof. generalize (emin_neg fa) (prec_ge_2 fa); lia. Qed.

Lemma size_pos : (0 < size)%nat. Proof. unfold N. destruct tail; lia. Qed.
Lemma plain_dir_ok k d : plain_dir k = Some d -> k = mask_of d.
Proof. destruct k; cbn; try discriminate; now intros [= <-]. Qed.

(* ---- what a row of exact Booleans is at each position ---- *)
Definition bit (k : content) (j : nat) : option bool := match k with
  | Ex g s e => Some (if letter w j then sat w (den g) j else if Nat.eqb j 0 then s else e) | _ => None end.
Lemma bit_ok st x c j b : fits st x -> (j < size)%nat -> bit (get st c) j = Some b -> x c j = b2R b.
Proof. intros F Hj H. specialize (F c j Hj). destruct (get st c); try discriminate. injection H as <-. exact F. Qed.
Lemma zrow_ext en en' r : (forall c, en c = en' c) -> zrow en r = zrow en' r.
Proof. intros H. induction r as [|[c d] r IH]; cbn [zrow]; auto. now rewrite H, IH. Qed.
Lemma bit_begin st : forall c, exact_at st Begin c = bit (get st c) 0.
Proof. intros c. unfold exact_at. destruct (get st c); auto. Qed.
Lemma bit_finish st j : letter w j = false -> j <> O -> forall c, exact_at st Finish c = bit (get st c) j.
Proof.
  intros L Z c. unfold exact_at. destruct (get st c); auto. cbn [bit]. rewrite L. apply Nat.eqb_neq in Z. now rewrite Z.
Qed.
Lemma sum_row_known st d b r : forall g, sum_row st d b r = Some g -> forall j, exists z, zrow (fun c => bit (get st c) j) r = Some z.
Proof.
  induction r as [|[c x] r IH]; cbn [sum_row zrow]; intros g H j. now exists 0%Z.
  destruct (get st c) as [f0 s e| | | | |] eqn:G; try discriminate. destruct (halves x) as [h|]; [|discriminate].
  destruct (sum_row st d b r) as [q|]; [|discriminate]. destruct (IH q eq_refl j) as [z ->]. cbn [bit]. eauto.
Qed.
Lemma sum_row_is st d b r : forall g, sum_row st d b r = Some g -> is_sum g = true /\ base g = b /\ looks d g = true /\
  forall j z, letter w j = true -> zrow (fun c => bit (get st c) j) r = Some z -> z = (2 * added w d g j)%Z.
Proof.
  induction r as [|[c x] r IH]; cbn [sum_row zrow]; intros g H.
  - injection H as <-. repeat split; auto. intros j z _ [= <-]. reflexivity.
  - destruct (get st c) as [f0 s e| | | | |] eqn:G; try discriminate. destruct (halves x) as [h|]; [|discriminate].
    destruct (sum_row st d b r) as [q|]; [|discriminate]. destruct (IH q eq_refl) as (A & B & C & Ev_). cbn [bit].
    assert (Plus : Z.even h = true -> g = FPlus (h / 2) d f0 q -> is_sum g = true /\ base g = b /\ looks d g = true /\
      (forall j z, letter w j = true -> match zrow (fun c0 => bit (get st c0) j) r with
         | Some z0 => Some ((if if letter w j then sat w (den f0) j else if Nat.eqb j 0 then s else e then h else 0) + z0)%Z
         | None => None end = Some z -> z = (2 * added w d g j)%Z)).
    { intros Ev ->. cbn [is_sum base looks]. repeat split; auto. { destruct d; cbn [same andb]; auto. }
      intros j z Lj Hz. rewrite Lj in Hz. destruct (zrow _ r) as [z0|] eqn:Z0; [|discriminate]. injection Hz as <-.
      rewrite (Ev_ j z0 Lj Z0). cbn [added]. assert (Sd : same d d = true) by (now destruct d). rewrite Sd. cbn [andb].
      apply Z.even_spec in Ev. destruct Ev as [k ->]. replace (2 * k / 2)%Z with k by (rewrite Z.mul_comm, Z.div_mul; lia).
      destruct (sat w (den f0) j); lia. }
    destruct f0 as [| |[]| | | | | | |]; try (destruct (Z.even h) eqn:Ev; [|discriminate]; injection H as <-;
      now apply Plus). injection H as <-. repeat split; auto. intros j z Lj Hz. rewrite Lj in Hz.
    destruct (zrow _ r) as [z0|] eqn:Z0; [|discriminate]. injection Hz as <-.
    rewrite (Ev_ j z0 Lj Z0). rewrite Lj. unfold letter in Lj. now destruct (at_ w j).
Qed.
Lemma sum_halves z K : sum (fun j => half (z j)) K = half (zsum z K).
Proof. unfold zsum. induction K as [|j K IH]; cbn [sum fold_right]. unfold half; ring. now rewrite IH, half_add. Qed.
Lemma sum_bounded (z : nat -> R) b K : (forall j, In j K -> z j <= b) -> sum z K <= INR (length K) * b.
Proof.
  induction K as [|j K IH]; intros H. cbn. lra. cbn [sum length]. rewrite S_INR.
  assert (z j <= b) by (apply H; now left). assert (sum z K <= INR (length K) * b) by (apply IH; intros; apply H; now right). lra.
Qed.
(* the values of a counting head *)
Lemma count_values st x h v or_ d g z : tap_count tail D st (h, v, or_) = Some (Mean d g z) -> fits st x ->
  h_query h = [] /\ h_key h = [] /\ h_scale h = E_whole 1 /\ h_mask h = mask_of d /\ is_sum g = true /\ (0 < most D)%Z /\ (0 <= z <= most D)%Z /\
  exists zz, (forall j, (j < size)%nat -> row_val fs fa x v j = half (zz j) /\ (Z.abs (zz j) <= z)%Z) /\
    forall i, (i < size)%nat -> zsum zz (keys (mask_of d) i) = (2 * amount w g i + 1)%Z.
Proof.
  unfold tap_count. intros H F.
  destruct (h_query h) eqn:Q; [|discriminate]. destruct (h_key h) eqn:K; [|discriminate].
  destruct (h_scale h) as [[|[]|]| | | | | | | | | |]; try discriminate.
  destruct (plain_dir (h_mask h)) as [d0|] eqn:Dr; [|discriminate]. apply plain_dir_ok in Dr.
  destruct (zrow (exact_at st Begin) v) as [s|] eqn:Zs; [|discriminate].
  destruct (zrow (exact_at st Finish) v) as [e|] eqn:Ze; [|discriminate].
  destruct (zabs v) as [za|] eqn:Za; [|discriminate].
  destruct (_ && _) eqn:C; [|discriminate]. apply andb_prop in C. destruct C as [C C4]. apply andb_prop in C.
  destruct C as [C C3]. apply andb_prop in C. destruct C as [C1 C2]. apply Z.eqb_eq in C2. apply Z.leb_le in C3.
  destruct (sum_row st d0 _ v) as [g0|] eqn:Sr; [|discriminate]. injection H as <- <- <-.
  assert (Z0 := zabs_pos v za Za). set (here := match d0 with Past => s | Future => e end) in *.
  destruct (sum_row_is st d0 _ v g0 Sr) as (A & B & C & Lt_). repeat split; auto.
  { destruct (Z.eq_dec za 0) as [E|]; [|lia]. exfalso.
    assert (here = 0)%Z; [|subst here; rewrite H in C1; discriminate].
    assert (X : forall en r y, zrow en r = Some y -> zabs r = Some 0%Z -> y = 0%Z).
    { clear. intros en. induction r as [|[c x] r IH]; cbn [zrow zabs]; intros y H1 H2. now injection H1.
      destruct (halves x) as [h|]; [|discriminate]. destruct (en c) as [b|]; [|discriminate].
      destruct (zrow en r) as [y'|]; [|discriminate]. destruct (zabs r) as [a|] eqn:Ha; [|discriminate].
      assert (P := zabs_pos r a Ha). injection H1 as <-. injection H2 as H2.
      assert (a = 0%Z) by lia. subst a. rewrite (IH y' eq_refl eq_refl). destruct b; lia. }
    rewrite E in Za. unfold here. destruct d0. now apply (X _ _ _ Zs). now apply (X _ _ _ Ze). }
  assert (Mp : (0 < most D)%Z).
  { destruct (Z.eq_dec za 0) as [E|]; [|lia]. exfalso. clear - C1 Za Zs Ze E.
    assert (X : forall en r y, zrow en r = Some y -> zabs r = Some 0%Z -> y = 0%Z).
    { intros en. induction r as [|[c x] r IH]; cbn [zrow zabs]; intros y H1 H2. now injection H1.
      destruct (halves x) as [h|]; [|discriminate]. destruct (en c) as [b|]; [|discriminate].
      destruct (zrow en r) as [y'|]; [|discriminate]. destruct (zabs r) as [a|] eqn:Ha; [|discriminate].
      assert (P := zabs_pos r a Ha). injection H1 as <-. injection H2 as H2.
      assert (a = 0%Z) by lia. subst a. rewrite (IH y' eq_refl eq_refl). destruct b; lia. }
    rewrite E in Za. subst here. destruct d0; [rewrite (X _ _ _ Zs Za) in C1|rewrite (X _ _ _ Ze Za) in C1]; discriminate. }
  destruct (H_most Mp) as (Fit & Fs & _). assert (M1 : (1 <= Z.of_nat M)%Z) by (generalize size_pos; lia).
  assert (zB : (za <= 2 ^ digits bits)%Z) by (rewrite <- (digits_is fs fa ord bits pair); lia).
  exists (fun j => match zrow (fun c => bit (get st c) j) v with Some z => z | None => 0%Z end). split.
  - intros j Hj. destruct (sum_row_known st d0 _ v g0 Sr j) as [z Hz]. rewrite Hz.
    destruct (row_exact fs fa ord bits pair sound_kind x j _ v z za Hz Za zB) as (_ & R & R3). intros t b _ Hb. now apply (bit_ok st).
    auto.
  - intros i Hi.
    assert (Odd : here = (2 * (here / 2) + 1)%Z).
    { apply Z.odd_spec in C1. destruct C1 as [k ->]. replace ((2 * k + 1) / 2)%Z with k; auto.
      replace (2 * k + 1)%Z with (1 + k * 2)%Z by ring. rewrite Z.div_add by lia. reflexivity. }
    assert (Zb : zrow (fun c => bit (get st c) 0) v = Some s).
    { rewrite <- Zs. symmetry. apply zrow_ext, bit_begin. }
    assert (Zf : forall j, letter w j = false -> j <> O -> zrow (fun c => bit (get st c) j) v = Some e).
    { intros j L N0. rewrite <- Ze. symmetry. apply zrow_ext. now apply bit_finish. }
    assert (Sz := size_pos).
    assert (Ls : letter w (sentinel d0 size) = false).
    { destruct (letter w (sentinel d0 size)) eqn:X; auto. apply letter_iff in X. destruct d0; cbn [sentinel] in X. lia.
      cbn [same] in C4. rewrite orb_false_r in C4. unfold N in X. rewrite C4 in X. lia. }
    apply sum_of_keys; auto. intros j Hj. rewrite B. destruct (Nat.eqb_spec j (sentinel d0 size)) as [->|Ne].
    + rewrite <- Odd. destruct d0; cbn [sentinel] in *. now rewrite Zb. rewrite Zf; auto.
      cbn [same] in C4. rewrite orb_false_r in C4. unfold N. rewrite C4. lia.
    + destruct (letter w j) eqn:Lj.
      * destruct (sum_row_known st d0 _ v g0 Sr j) as [z Hz]. rewrite Hz. now apply Lt_.
      * rewrite (added_letter w d0 g0 j Lj). destruct (Nat.eq_dec j 0) as [->|N0].
        -- rewrite Zb. destruct d0. now cbn [sentinel] in Ne. exact C2.
        -- rewrite (Zf j Lj N0). destruct d0. exact C2. exfalso. cbn [sentinel] in Ne.
           assert (~ (1 <= j <= length w)%nat) by (rewrite <- letter_iff; congruence).
           unfold N in *. cbn [same] in C4. rewrite orb_false_r in C4. rewrite C4 in *. lia.
Qed.
Lemma count_facts (K : list nat) z (zz : nat -> Z) : (length K <= M)%nat -> (0 <= z <= most D)%Z -> (0 < most D)%Z ->
  (forall j, In j K -> (Z.abs (zz j) <= z)%Z) ->
  (Z.of_nat (length K) <= 2 ^ prec fa)%Z /\ (forall j, In j K -> multiple (-1) (half (zz j))) /\
  sum (fun j => Rabs (half (zz j))) K <= bpow radix2 (prec fa - 1).
Proof.
  intros LK Hz Mp Hj. destruct (H_most Mp) as [Fit _]. split. nia. split. intros j _. now exists (zz j).
  eapply Rle_trans; [apply (sum_bounded _ (half z))|].
  - intros j Ij. unfold half. rewrite Rabs_mult, <- abs_IZR, (Rabs_pos_eq (bpow _ _)) by apply bpow_ge_0.
    apply Rmult_le_compat_r. apply bpow_ge_0. apply IZR_le. auto.
  - rewrite INR_IZR_INZ. unfold half. rewrite <- Rmult_assoc, <- mult_IZR, Rmult_comm.
    replace (prec fa - 1)%Z with (-1 + prec fa)%Z by lia. rewrite bpow_plus. apply Rmult_le_compat_l. apply bpow_ge_0.
    rewrite <- pow_IZR by (generalize (prec_ge_2 fa); lia). apply IZR_le. nia.
Qed.
Lemma keys_nonempty mk i : (i < size)%nat -> In i (keys mk i) -> keys mk i <> [].
Proof. intros _ H E. rewrite E in H. destruct H. Qed.
Lemma count_shape st t k : tap_count tail D st t = Some k -> exists d g z, k = Mean d g z.
Proof.
  destruct t as [[h v] or_]. unfold tap_count. intros H. destruct (h_query h); [|discriminate].
  destruct (h_key h); [|discriminate].
  destruct (h_scale h) as [[|[]|]| | | | | | | | | |]; try discriminate. destruct (plain_dir _) as [d|]; [|discriminate].
  destruct (zrow _ _); [|discriminate]. destruct (zrow _ _); [|discriminate]. destruct (zabs _); [|discriminate].
  destruct (_ && _); [|discriminate]. destruct (sum_row _ _ _ _); [|discriminate]. injection H as <-. eauto.
Qed.
Theorem count_holds st x t o k : tap_count tail D st t = Some k -> fits st x ->
  (forall i, (i < size)%nat -> head_row x (fst (fst t)) (snd (fst t)) i (o i)) -> holds k o.
Proof.
  intros H F Out. destruct (count_shape st t k H) as (d & g & z & ->). destruct t as [[h v] or_]. cbn [fst snd] in *.
  destruct (count_values st x h v or_ d g z H F) as (Q & K & _ & Mk & Sg & Mp & Hz & zz & Hv & Sm).
  intros i Hi. destruct (Out i Hi) as (E & lam & logit & HE & H1 & H2 & H3 & H4). rewrite Mk in *.
  set (L := keys (mask_of d) i) in *.
  assert (IK : forall j, In j L -> (j < size)%nat) by (intros j Hj; apply in_keys in Hj; tauto).
  assert (LL : (length L <= M)%nat) by (assert (X := keys_length tail w (mask_of d) i); fold L in X; lia).
  destruct (count_facts L z zz LL Hz Mp) as (C1 & C2 & C3). { intros j Hj. now apply Hv, IK. }
  assert (Ne : L <> []).
  { intros E0. assert (X := keys_sentinel tail w d i Hi). fold L in X. rewrite E0 in X. destruct X. }
  assert (Nar : ord = AnyOrder -> 8 * tiny fa <= u fa) by (now destruct (H_most Mp) as (_ & _ & X)).
  assert (Lg : forall j, In j L -> moved fa ord 0 (logit j)).
  { intros j Hj. specialize (H3 j Hj). unfold pairs_ in H3. rewrite Q in H3. now apply logit_empty in H3. }
  assert (SR : softmax_row fs fa E ord logit (fun j => half (zz j)) L (o i)).
  { revert H4. apply softmax_ext. intros j Hj. now apply Hv, IK. }
  assert (Abs : forall j, In j L -> Rabs (half (zz j)) <= half z).
  { intros j Hj. unfold half. rewrite Rabs_mult, <- abs_IZR, (Rabs_pos_eq (bpow _ _)) by apply bpow_ge_0.
    apply Rmult_le_compat_r. apply bpow_ge_0. apply IZR_le. now apply Hv, IK. }
  assert (Nz : number fs (half z)). { apply (number_half fs fa ord bits pair sound_kind). destruct (H_most Mp) as (_ & Fit & _).
    rewrite <- (digits_is fs fa ord bits pair).
    lia. }
  split.
  - rewrite (count_out fs fa E HE ord Nar (-1) L logit (fun j => half (zz j)) (o i)); auto.
    + rewrite sum_halves. unfold L at 1. rewrite (Sm i Hi). f_equal. rewrite half_eq, plus_IZR, mult_IZR. lra.
    + apply emins.
    + replace (-1 + prec fa)%Z with (prec fa - 1)%Z by lia. exact C3.
  - apply (count_mean fs fa E ord HE logit (fun j => half (zz j)) L H2 Nar C1 Lg C2 C3 (half z) (o i)); auto.
    now apply incl_.
    rewrite half_eq. destruct Hz as [Hz _]. apply IZR_le in Hz. lra.
Qed.

(* ---- comparisons ---- *)
Lemma sentinel_ok st x c d j : fits st x -> is_sentinel d (get st c) = true -> (tail = true \/ d = Past) -> (j < size)%nat ->
  x c j = at_z (sentinel d size) j.
Proof.
  intros F H T Hj. specialize (F c j Hj). unfold is_sentinel in H.
  destruct (get st c) as [[| |[]| | | | | | |] s e| | | | |]; try discriminate. cbn [Invariant.holds] in F.
  change (den (FNot FT)) with (den FF) in F. rewrite (sat_FF w j) in F. rewrite F. unfold at_z. clear F.
  destruct (letter w j) eqn:L.
  - apply letter_iff in L. destruct d; cbn [sentinel].
    destruct (Nat.eqb_spec j 0); [lia|reflexivity]. destruct T as [T|]; [|discriminate]. unfold N. rewrite T.
    destruct (Nat.eqb_spec j (length w + 2 - 1)); [lia|reflexivity].
  - assert (N0 : ~ (1 <= j <= length w)%nat) by (rewrite <- letter_iff; congruence).
    destruct d; apply andb_prop in H; destruct H as [H1 H2]; cbn [sentinel].
    + subst s. apply negb_true_iff in H2. subst e. destruct (Nat.eqb j 0); reflexivity.
    + subst e. apply negb_true_iff in H1. subst s. destruct T as [T|]; [|discriminate]. unfold N in *. rewrite T in *.
      destruct (Nat.eqb_spec j 0) as [->|]. destruct (Nat.eqb_spec 0 (length w + 2 - 1)); [lia|reflexivity].
      destruct (Nat.eqb_spec j (length w + 2 - 1)); [reflexivity|lia].
Qed.
Lemma one_term x c d j : half_is d 2 = true -> number fs (x c j) -> row_val fs fa x [(c, d)] j = x c j.
Proof.
  intros H Nx. unfold row_val, row_sum, row_terms. cbn [map asc fst snd].
  assert (Na := incl_ _ Nx). now rewrite (wt_1 fs fa ord bits pair sound_kind d H), Rmult_1_l, (rnd_id fa (x c j)), Rplus_0_l,
    (rnd_id fa (x c j)), (rnd_id fs (x c j)) by auto.
Qed.
Lemma at_z_number f z j : number f (at_z z j).
Proof. unfold at_z. destruct (Nat.eqb j z). apply number_1. apply number_0. Qed.
Theorem compare_shape st h v or_ g0 e : tap_compare letters tail cands D st (h, v, or_) = Some (g0, e) ->
  exists cm a cl b ck k cv y d g z, h_query h = [[(cm, a); (cl, b)]] /\ h_key h = [[(ck, k)]] /\ h_scale h = E_twice /\
    v = [(cv, y)] /\ get st cm = Mean d g z /\ get st cl = Share d /\ h_mask h = mask_of d /\ is_sum g = true /\
    is_sentinel d (get st ck) = true /\ is_sentinel d (get st cv) = true /\ half_is a 2 = true /\ half_is b 2 = true /\
    half_is k 2 = true /\ half_is y 2 = true /\ D_compare D = Some e /\ g0 = sum_name letters cands g /\ (tail = true \/ d = Past).
Proof.
  unfold tap_compare. intros H. destruct (h_query h) as [|[|[cm a] [|[cl b] [|]]] [|]]; try discriminate.
  destruct (h_key h) as [|[|[ck k] [|]] [|]]; try discriminate. destruct (h_scale h); try discriminate.
  destruct v as [|[cv y] [|]]; try discriminate. destruct (get st cm) as [| | | |d g z|] eqn:Gm; try discriminate.
  destruct (get st cl) as [| | | | |d2] eqn:Gl; try discriminate. destruct (plain_dir (h_mask h)) as [d'|] eqn:Dr; [|discriminate].
  apply plain_dir_ok in Dr. destruct (_ && _) eqn:C; [|discriminate].
  apply andb_prop in C. destruct C as [C C6]. apply andb_prop in C. destruct C as [C C5]. apply andb_prop in C.
  destruct C as [C C4]. apply andb_prop in C. destruct C as [C C3]. apply andb_prop in C. destruct C as [C C2].
  apply andb_prop in C. destruct C as [C1 C0]. apply same_ok in C2, C3. subst d2 d'. cbn [forallb] in C6. apply andb_prop in C6. destruct C6 as [Ha C6].
  apply andb_prop in C6. destruct C6 as [Hb C6]. apply andb_prop in C6. destruct C6 as [Hk C6]. apply andb_prop in C6.
  destruct C6 as [Hy _]. unfold with_error in H. destruct (D_compare D) as [q|]; [|discriminate]. injection H as <- <-.
  exists cm, a, cl, b, ck, k, cv, y, d, g, z. repeat split; auto.
  apply orb_prop in C0. destruct C0 as [C0|C0]; auto. apply same_ok in C0. auto.
Qed.
Lemma mean_row x st cm cl a b d g z i : fits st x -> get st cm = Mean d g z -> get st cl = Share d -> half_is a 2 = true ->
  half_is b 2 = true -> (i < size)%nat -> row_val fs fa x [(cm, a); (cl, b)] i = rnd fs (rnd fa (x cm i + x cl i)).
Proof.
  intros F Gm Gl Ha Hb Hi. assert (Fm := F cm i Hi). assert (Fl := F cl i Hi). rewrite Gm in Fm. rewrite Gl in Fl.
  assert (Nm : number fs (x cm i)) by (destruct Fm as [-> _]; unfold quotient; apply rnd_number).
  assert (Nl : number fs (x cl i)) by (destruct Fl as [(y & _ & _ & ->) _]; apply rnd_number).
  unfold row_val, row_sum, row_terms. cbn [map asc fst snd].
  rewrite (wt_1 fs fa ord bits pair sound_kind a Ha), (wt_1 fs fa ord bits pair sound_kind b Hb), !Rmult_1_l.
  apply incl_ in Nm, Nl. now rewrite (rnd_id fa (x cm i)), (rnd_id fa (x cl i)), Rplus_0_l, (rnd_id fa (x cm i)) by auto.
Qed.
Theorem compare_holds st x t o g0 e : tap_compare letters tail cands D st t = Some (g0, e) -> fits st x ->
  (forall i, (i < size)%nat -> head_row x (fst (fst t)) (snd (fst t)) i (o i)) -> holds (Raw g0 e) o.
Proof.
  destruct t as [[h v] or_]. cbn [fst snd]. intros H F Out.
  destruct (compare_shape st h v or_ g0 e H) as (cm & a & cl & b & ck & k & cv & y & d & g & z & Q & K & Sc & -> & Gm & Gl & Mk
    & Sg & Sk & Sv & Ha & Hb & Hk & Hy & Dq & -> & T').
  destruct (H_compare e Dq) as (Ok & Er & D0).
  intros i Hi. destruct (Out i Hi) as (E & lam & logit & HE & H1 & H2 & H3 & H4). rewrite Mk, Sc in *. cbn [ereal] in H1.
  set (L := keys (mask_of d) i) in *. set (s := sentinel d size).
  assert (IK : forall j, In j L -> (j < size)%nat) by (intros j Hj; apply in_keys in Hj; tauto).
  assert (LL : length L = S (num d size i)) by (apply (keys_mask tail); auto).
  assert (HZ : In s L) by (apply (keys_sentinel tail); auto).
  assert (ND : NoDup L) by apply keys_NoDup.
  assert (Kj : forall j, In j L -> row_val fs fa x [(ck, k)] j = at_z s j).
  { intros j Hj. assert (X := sentinel_ok st x ck d j F Sk T' (IK j Hj)). rewrite one_term; auto. rewrite X. apply at_z_number. }
  assert (SR : softmax_row fs fa E ord logit (at_z s) L (o i)).
  { revert H4. apply softmax_ext. intros j Hj. assert (X := sentinel_ok st x cv d j F Sv T' (IK j Hj)).
    rewrite one_term; auto. rewrite X. apply at_z_number. }
  assert (Nm : number fs (o i)) by (eapply softmax_number; eauto).
  assert (Lam : lam = 16 * INR size).
  { destruct H1 as [_ H1]. apply H1. apply (number_mult fa _ (Z.of_nat size) 4).
    rewrite <- INR_IZR_INZ. change (bpow radix2 4) with 16. ring. destruct Ok as (_ & HM & _). lia. generalize emins; lia. }
  set (q := row_val fs fa x [(cm, a); (cl, b)] i) in *.
  assert (Eq : q = rnd fs (rnd fa (x cm i + x cl i))) by (now apply (mean_row x st cm cl a b d g z)).
  assert (Lg : forall j, In j L -> logit_of fa ord lam [(q, at_z s j)] (logit j)).
  { intros j Hj. specialize (H3 j Hj). unfold pairs_ in H3. rewrite Q, K in H3. cbn [map combine] in H3.
    now rewrite (Kj j Hj) in H3. }
  assert (Fm := F cm i Hi). assert (Fl := F cl i Hi). rewrite Gm in Fm. rewrite Gl in Fl. destruct Fm as [Ym _].
  assert (Pos := size_pos).
  destruct (Nat.eq_dec (num d size i) 0) as [M0|M0].
  - (* only the sentinel *)
    assert (Li : letter w i = false).
    { destruct (letter w i) eqn:X; auto. apply letter_iff in X. destruct d; cbn [num] in M0. lia.
      destruct T' as [T'|]; [|discriminate]. unfold N in *. rewrite T' in *. lia. }
    rewrite M0 in LL. assert (EL : L = [s]).
    { destruct L as [|j [|]]; try discriminate. destruct HZ as [->|[]]. reflexivity. }
    rewrite EL in SR. apply (single fs fa ord E _ _ _ _ HE) in SR. 2: unfold at_z; now rewrite Nat.eqb_refl.
    rewrite SR. split. apply number_1. split. lra. exists true. split. cbn. rewrite Rminus_diag_eq, Rabs_R0 by auto. exact D0.
    rewrite Li. discriminate.
  - assert (Lt : (num d size i < size)%nat) by (apply num_lt; auto).
    destruct (compare_row_is fs fa incl_ (fine fs fa ord bits pair sound_kind) E HE ord M 0 0 Ok size (num d size i) s L logit
      (amount w g i) (o i) (x cm i) (x cl i)) as [P0 P1]; auto.
    + lia.
    + intros j Hj Ne. specialize (Lg j Hj). unfold at_z in Lg. apply Nat.eqb_neq in Ne. rewrite Ne in Lg.
      now apply logit_zero in Lg.
    + rewrite Ym. fold L. now rewrite LL.
    + specialize (Lg s HZ). unfold at_z in Lg. rewrite Nat.eqb_refl in Lg. apply logit_unit in Lg.
      rewrite Eq, Lam in Lg. exact Lg. rewrite Eq. apply incl_, rnd_number.
    + split; auto. split; auto. exists (0 <=? amount w g i)%Z. split.
      * eapply Rle_trans; [|apply Er]. exact P1.
      * intros Li. rewrite (sum_name_ok w letters in_alphabet cands g Sg i), (sat_sum w g i Sg), Li. reflexivity.
Qed.
(* what the operations of these rows give *)
Lemma no_scores lam z : logit_result fa ord lam [] z -> Rabs z <= 1.
Proof.
  assert (T : tiny fa <= 1) by (apply (bpow_le radix2 _ 0); generalize emins; lia).
  intros [z0 H|s H|t []|z0 H|l H].
  - inversion H.
  - inversion H; subst. rewrite Rmult_0_r, (rnd_id fa 0), Rabs_R0 by apply number_0. lra.
  - inversion H.
  - apply logit_empty in H. destruct (moved_0 fa ord l H) as [_ L]. unfold low in L. lra.
Qed.
Theorem count_results st x h v or_ d g z : tap_count tail D st (h, v, or_) = Some (Mean d g z) -> fits st x ->
  forall i E lam logit y, (i < size)%nat -> exp_model fa E -> (forall j, number fa (logit j)) ->
  (forall j, In j (keys (h_mask h) i) -> logit_of fa ord lam (pairs_ fs fa x h i j) (logit j)) ->
  softmax_result fs fa E ord logit (fun j => row_val fs fa x v j) (keys (h_mask h) i) y -> Rabs y <= top fa.
Proof.
  intros H F i E lam logit y Hi HE Nl Lg Sr.
  destruct (count_values st x h v or_ d g z H F) as (Q & K & _ & Mk & Sg & Mp & Hz & zz & Hv & Sm). rewrite Mk in *.
  set (L := keys (mask_of d) i) in *.
  assert (IK : forall j, In j L -> (j < size)%nat) by (intros j Hj; apply in_keys in Hj; tauto).
  assert (LL : (length L <= M)%nat) by (assert (X := keys_length tail w (mask_of d) i); fold L in X; lia).
  destruct (count_facts L z zz LL Hz Mp) as (C1 & C2 & C3). { intros j Hj. now apply Hv, IK. }
  assert (Nar : ord = AnyOrder -> 8 * tiny fa <= u fa) by (now destruct (H_most Mp) as (_ & _ & X)).
  assert (Lg0 : forall j, In j L -> moved fa ord 0 (logit j)).
  { intros j Hj. specialize (Lg j Hj). unfold pairs_ in Lg. rewrite Q in Lg. now apply logit_empty in Lg. }
  apply (count_row fs fa E ord HE logit (fun j => row_val fs fa x v j) L Nl Nar C1 Lg0); auto.
  - intros j Hj. destruct (Hv j (IK j Hj)) as [-> _]. now apply C2.
  - rewrite (sum_ext _ (fun j => Rabs (half (zz j)))); auto. intros j Hj. now destruct (Hv j (IK j Hj)) as [-> _].
Qed.
End Compare.
