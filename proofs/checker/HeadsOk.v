(* Heads: from the weights of a file to what a head's value is near. Sums of rows in any order (f32, f64). *)
From Coq Require Import ZArith QArith Qreals Reals Lia Lra Psatz List Bool Arith Permutation.
From Flocq Require Import Core.
From Temper Require Import Rows Heads Format Sums Nearest NearestAny Exact Rounding Strings Programs Compile Temporal
  FloatRun
  NearestHead OnceHead OnceTree OnceAny Soundness.
From Temper.checker Require Import Model Checker Points Exactness Invariant Meaning.
Import ListNotations.
Local Open Scope R_scope.

(* ---- sums of bounded terms: every addition loses little ---- *)
Section Sums.
Variable f : format.
Hypothesis bits_8 : (8 <= prec f)%Z.
Lemma rnd_8 x : Rabs x <= 8 -> Rabs (rnd f x - x) <= 4 * u f + / 2 * tiny f.
Proof.
  intros H. assert (X := rnd_half f x 3). change (bpow radix2 3) with 8 in X.
    change (bpow radix2 (3 - 1)) with 4 in X.
  specialize (X ltac:(generalize (emin_neg f); lia) H). lra.
Qed.
(* terms with caps in halves *)
Lemma asc_near ys : forall cs s (S : Z), length cs = length ys -> (forall k, Rabs (nth k ys 0) <= half (nth k cs 0%Z))
  ->
  (forall c, In c cs -> (0 <= c)%Z) -> Rabs s <= half S -> (0 <= S)%Z -> (S + fold_right Z.add 0 cs <= 16)%Z ->
    number f s ->
  Rabs (asc f s ys - (s + total ys)) <= INR (length ys) * (4 * u f + / 2 * tiny f) /\
  Rabs (asc f s ys) <= half (S + fold_right Z.add 0%Z cs).
Proof.
  induction ys as [|y ys IH]; intros [|c cs] s S Ln Hk Hc Hs S0 B Ns; try discriminate.
  - unfold total. cbn [asc sum length INR fold_right]. rewrite Z.add_0_r, Rplus_0_r, Rminus_diag_eq, Rabs_R0 by auto.
    split; auto. lra.
  - cbn [fold_right] in *. assert (c0 : (0 <= c)%Z) by (apply Hc; now left).
    assert (P : forall l, (forall c, In c l -> (0 <= c)%Z) -> (0 <= fold_right Z.add 0 l)%Z).
    { clear. induction l as [|a l IHl]; cbn; intros H. lia. specialize (H a (or_introl eq_refl)) as H1.
      assert (0 <= fold_right Z.add 0 l)%Z by (apply IHl; intros; apply H; now right). lia. }
    assert (P1 : (0 <= fold_right Z.add 0 cs)%Z) by (apply P; intros; apply Hc; now right).
    assert (Y : Rabs y <= half c) by exact (Hk O).
    assert (A : Rabs (s + y) <= half (S + c)). { rewrite <- half_add. eapply Rle_trans; [apply Rabs_triang|]. lra. }
    assert (A8 : half (S + c) <= 8). { replace 8 with (half 16) by (unfold half; simpl; lra). apply half_le. lia. }
    assert (Nm : number f (half (S + c))).
    { apply (number_mult f _ (S + c) (-1)); auto. 2: generalize (emin_neg f); lia.
      assert (2 ^ 8 <= 2 ^ prec f)%Z by (apply Z.pow_le_mono_r; lia). lia. }
    assert (Rd := rnd_8 (s + y) ltac:(lra)). assert (Rc := abs_rnd_le f (s + y) _ Nm A).
    destruct (IH cs (rnd f (s + y)) (S + c)%Z) as [I1 I2]; auto; try lia.
    { intros k. exact (Hk (Datatypes.S k)). } { intros a Ha. apply Hc. now right. } { apply rnd_number. }
    cbn [asc length]. rewrite S_INR. unfold total in *. cbn [sum]. split.
    + replace (asc f (rnd f (s + y)) ys - (s + (y + sum (fun w => w) ys))) with
        ((asc f (rnd f (s + y)) ys - (rnd f (s + y) + sum (fun w => w) ys)) + (rnd f (s + y) - (s + y))) by ring.
      eapply Rle_trans; [apply Rabs_triang|]. lra.
    + replace (S + (c + fold_right Z.add 0 cs))%Z with (S + c + fold_right Z.add 0 cs)%Z by lia. exact I2.
Qed.
End Sums.

Section Heads.
Variable f : format.
Variable bits : Z.
Hypothesis bits_is : prec f = bits.
Hypothesis bits_8 : (8 <= bits)%Z.
Variable M : nat.
Hypothesis size_M : (Z.of_nat M <= 2 ^ prec f)%Z.
Variables (m : model) (w : list nat) (letters : nat).
Notation tail := (m_end m). Notation size := (N tail w). Notation keys := (keys tail w).
Hypothesis in_alphabet : forall i a, at_ w i = Some a -> (a < letters)%nat.
Hypothesis NM : (size <= M)%nat.
Variable cands : list fml.
Notation holds := (holds f tail w). Notation fits := (fits f tail w).
  Notation head_row := (head_row f f AnyOrder m w).
Notation bool_row := (bool_row bits letters cands).

Lemma bool_ok st x r g : bool_row st r = Some g -> fits st x -> forall i, (i < size)%nat ->
  row_val f f x r i = truth w (den
  g) i.
Proof. apply (bool_row_ok f bits bits_is bits_8 tail w letters in_alphabet). Qed.
Lemma IK mk i j : In j (keys mk i) -> (j < size)%nat. Proof. intros H. apply in_keys in H. tauto. Qed.
(* the row of a head with one query 1 and one key row *)
Lemma one_row st x h v i y k psi : query_one st h = true -> h_key h = [k] -> bool_row st v = Some psi -> fits st x ->
  (i <
  size)%nat -> head_row x h v i y -> exists E lam logit, exp_model f E /\ expression f (ereal (h_scale h) 0 (length w)
    size) lam /\ (forall j, number f
  (logit j)) /\
  (forall j, In j (keys (h_mask h) i) -> logit_of f AnyOrder lam [(1, row_val f f x k j)] (logit j)) /\
  softmax_row f f E AnyOrder logit (truth w (den psi)) (keys (h_mask h) i) y.
Proof.
  intros Q K V F Hi (E & lam & logit & HE & H1 & H2 & H3 & H4). exists E, lam, logit. split; auto. split; auto. split;
    auto. split.
  - intros j Hj. specialize (H3 j Hj). unfold pairs_ in H3. rewrite K, (query_one_ok f bits bits_is bits_8 tail w st x
    h i Q F Hi) in H3.
    exact H3.
  - revert H4. apply softmax_ext. intros j Hj. apply (bool_ok st x v psi V F). now apply IK in Hj.
Qed.
Lemma row_number x r j : number f (row_val f f x r j). Proof. apply rnd_number. Qed.

(* ---- once ---- *)
Variable D_once : Q.
Hypothesis once_ok : once_any_ok f M 8.
Hypothesis once_D : once_any_error f M 8 <= Q2R D_once.
Hypothesis once_pos : 0 <= Q2R D_once.
Theorem once_holds st x h v o k chi psi d g : query_one st h = true -> h_key h = [k] -> h_scale h = E_log ->
  bool_row st k = Some chi -> bool_row st v = Some psi -> alike letters chi psi = true -> dir_of (h_mask h)
    = Some d ->
  (forall i, letter w i = true -> sat w (den g) i = existsb (fun j => sat w (den chi) j) (keys (h_mask h) i)) ->
  fits st x -> (forall i, (i < size)%nat -> head_row x h v i (o i)) -> holds (Raw g D_once) o.
Proof.
  intros Q K Sc Kc Vc Al Dr Me F Out i Hi. specialize (Out i Hi).
  destruct (one_row st x h v i (o i) k psi Q K Vc F Hi Out) as (E & lam & logit & HE & H1 & H2 & H3 & H4).
  rewrite Sc in H1. cbn [ereal] in H1. set (L := keys (h_mask h) i) in *.
  assert (Eq := alike_everywhere w letters in_alphabet chi psi Al).
  assert (Nlam := proj2 (scale_once f size lam ltac:(lia) H1)).
  assert (Lg : forall j, In j L -> moved f AnyOrder (if sat w (den chi) j then lam else 0) (logit j)).
  { intros j Hj. specialize (H3 j Hj). apply (logit_one f AnyOrder) in H3; auto; [|apply row_number].
    rewrite (bool_ok st x k chi Kc F j (IK _ _ _ Hj)) in H3. unfold truth in H3. destruct (sat w (den chi) j).
    rewrite Rmult_1_r, (rnd_id f lam) in H3 by auto. exact H3. rewrite Rmult_0_r, (rnd_id f 0)
      in H3 by apply number_0.
    exact H3. }
  assert (SR : softmax_row f f E AnyOrder logit (fun j => if sat w (den chi) j then 1 else 0) L (o i)).
  { revert H4. apply softmax_ext. intros j _. unfold truth. now rewrite Eq. }
  destruct (once_any_out f E HE M 8 ltac:(lra) size L (fun j => sat w (den chi) j) logit lam (o i)) as [O1 O2]; auto.
  { lia. } { apply keys_length. } { apply keys_NoDup. } { intros j Hj. now destruct (Lg j Hj). }
  assert (Nm : number f (o i)) by (eapply softmax_number; eauto). split; auto.
  destruct (existsb (fun j => sat w (den chi) j) L) eqn:X.
  - assert (X' := X). apply existsb_exists in X'. destruct X' as (j & Hj & Sj). destruct (O2 j Hj Sj) as [A1 A2].
    split; auto.
    exists true. split. cbn. lra. intros Li. rewrite (Me i Li). fold L. now rewrite X.
  - assert (Z : o i = 0). { apply O1. intros j Hj. destruct (sat w (den chi) j) eqn:Y; auto.
      assert (existsb (fun j => sat w (den chi) j) L = true) by (apply existsb_exists; eauto). congruence. }
    rewrite Z. split. lra. exists false. split. cbn. rewrite Rminus_0_r, Rabs_R0.
    lra. intros Li. rewrite (Me i Li). fold L. now rewrite X.
Qed.

(* ---- nearest ---- *)
Variable near_terms : nat.
Definition near_key_error := f64_error + (u f * / 2 + / 2 * tiny f) + INR near_terms * (4 * u f + / 2 * tiny f).
Definition near_eta := 8 * INR M * near_key_error + 192 * u f * INR M + 2 * tiny f.
Variable D_near : Q.
Hypothesis near_8 : 2 * near_eta < 8.
Hypothesis near_leak : 2 * (1 + u f) ^ (4 * M) * leak_any f M near_eta 8 <= 1.
Hypothesis near_D : error_any f M near_eta 8 <= Q2R D_near.
Hypothesis near_pos : 0 <= Q2R D_near.

Lemma place_ok st x c j : fits st x -> get st c = Place -> (j < size)%nat ->
  number f (x c j) /\ Rabs (x c j) <= 1 /\ Rabs (x c j - INR j / INR size) <= f64_error + (u f * / 2 + / 2 * tiny f).
Proof. intros F G Hj. specialize (F c j Hj). rewrite G in F. now apply (position_feature tail f f M w). Qed.
(* what the terms of a key row are: exact Booleans, and the feature *)
Lemma key_terms st x j d : fits st x -> (j < size)%nat -> forall k s rest y, zabs k = Some s -> (s <= 16)%Z ->
  filter (is_place st) k = [y] -> sign_ok d (snd y) = true -> filter (fun t => negb (is_place st t)) k = rest ->
  (forall t, In t rest -> exists b, x (fst t) j = b2R b) ->
  exists cs, length cs = length (row_terms f f x k j) /\
    (forall i, Rabs (nth i (row_terms f f x k j) 0) <= half (nth i cs 0%Z)) /\ (forall c, In c cs -> (0 <= c)%Z) /\
    fold_right Z.add 0%Z cs = s /\ total (row_terms f f x k j) = total (row_terms f f x rest j) + sign d * x (fst y)
      j.
Proof.
  intros F Hj. assert (T8 := two_bits bits bits_8). assert (T16 : (16 <= 2 ^ bits)%Z).
  { change 16%Z with (2 ^ 4)%Z. apply Z.pow_le_mono_r; lia. }
  (* one term *)
  assert (Term : forall t h, halves (snd t) = Some h -> (Z.abs h <= 16)%Z -> (exists b, x (fst t) j = b2R b) ->
    rnd f (wt f (snd t) * x (fst t) j) = wt f (snd t) * x (fst t) j /\ Rabs (wt f (snd t) * x (fst t) j)
      <= half (Z.abs h)).
  { intros t h Hh B [b Hb]. rewrite (wt_half f bits bits_is bits_8 (snd t) h Hh) by lia. rewrite Hb. unfold b2R.
    destruct b.
    - rewrite Rmult_1_r. split. apply rnd_id, (number_half f bits bits_is bits_8). lia.
      unfold half. rewrite Rabs_mult, <- abs_IZR, (Rabs_pos_eq (bpow radix2 (-1))) by apply bpow_ge_0. lra.
    - rewrite Rmult_0_r, Rabs_R0. split. apply rnd_id, number_0. replace 0 with (half 0) by (unfold half; ring).
      apply half_le. lia. }
  assert (Feat : forall t, is_place st t = true -> sign_ok d (snd t) = true -> halves (snd t)
    = Some (match d with Past => 2 | Future => -2 end)%Z ->
    rnd f (wt f (snd t) * x (fst t) j) = sign d * x (fst t) j /\ Rabs (sign d * x (fst t) j) <= half 2).
  { intros t P Sg Hh. unfold is_place in P. destruct (get st (fst t)) eqn:G; try discriminate.
    destruct (place_ok st x (fst t) j F G Hj) as (P1 & P2 & _).
    assert (W : wt f (snd t) = sign d). { unfold sign_ok in Sg. destruct d.
      apply (wt_1 f bits bits_is bits_8 _ Sg). apply (wt_m1 f bits bits_is bits_8 _ Sg). }
    rewrite W. assert (X : forall y, number f y -> number f (sign d * y)).
    { intros y Ny. destruct d; cbn [sign]. now rewrite Rmult_1_l. replace (-1 * y) with (- y) by ring.
      now apply number_opp. }
    split. now apply rnd_id, X. rewrite Rabs_mult. replace (half 2) with 1 by (unfold half; simpl; lra).
    replace (Rabs (sign d)) with 1. lra. destruct d; cbn [sign]; unfold Rabs; destruct Rcase_abs; lra. }
  induction k as [|t k IH]; intros s rest y Hs B Fl Sg Rs Bt; [discriminate|].
  destruct t as [c dd]. cbn [zabs] in Hs. destruct (halves dd) as [h|] eqn:Hh; [|discriminate].
  destruct (zabs k) as [s'|] eqn:Hs'; [|discriminate]. injection Hs as <-. assert (S0 := zabs_pos k s' Hs').
  cbn [filter] in Fl, Rs. destruct (is_place st (c, dd)) eqn:P; cbn [negb] in Rs.
  - (* the feature: the rest has none *)
    injection Fl as <- Fl. cbn [snd fst] in *. clear IH.
    assert (Hd : h = (match d with Past => 2 | Future => -2 end)%Z).
    { unfold sign_ok in Sg. destruct d; apply half_is_ok in Sg; congruence. }
    assert (Bt' : forall t, In t k -> exists b, x (fst t) j = b2R b).
    { intros t Ht. apply Bt. rewrite <- Rs. apply filter_In. split; auto. destruct (is_place st t) eqn:Q; auto.
      assert (In t (filter (is_place st) k)) by (apply filter_In; auto). rewrite Fl in H. destruct H. }
    assert (Er : rest = k). { rewrite <- Rs. clear - Fl. induction k as [|a k IH]; auto. cbn [filter] in *.
      destruct (is_place st a); [discriminate|]. cbn [negb]. now rewrite IH. }
    destruct (Feat (c, dd) P Sg) as [F1 F2]. { cbn. now rewrite Hh, Hd. } cbn [fst snd] in F1, F2.
    (* the others *)
    assert (G : forall l z, zabs l = Some z -> (z <= 16)%Z -> (forall t, In t l -> exists b, x (fst t) j = b2R b) ->
      exists cs, length cs = length (row_terms f f x l j) /\ (forall i, Rabs (nth i (row_terms f f x l j) 0)
        <= half (nth i cs
        0%Z)) /\ (forall c, In c cs -> (0 <= c)%Z) /\ fold_right Z.add 0%Z cs = z).
    { clear - Term. induction l as [|[a b] l IH]; cbn [zabs]; intros z Hz Bz Hb.
      - injection Hz as <-. exists []. cbn. repeat split; auto. intros [|i]; cbn; rewrite Rabs_R0; unfold half; lra.
        intros ? [].
      - destruct (halves b) as [hb|] eqn:Eb; [|discriminate]. destruct (zabs l) as [z'|] eqn:Ez; [|discriminate].
        injection Hz as <-. assert (Z0 := zabs_pos l z' Ez). destruct (IH z' eq_refl ltac:(lia))
          as (cs & C1 & C2 & C3 & C4).
        { intros t Ht. apply Hb. now right. }
        destruct (Term (a, b) hb Eb ltac:(lia) (Hb _ (or_introl eq_refl))) as [T1 T2].
        exists (Z.abs hb :: cs). unfold row_terms in *. cbn [map length fold_right fst snd] in *. repeat split.
        + now rewrite C1.
        + intros [|i]; cbn [nth]. now rewrite T1. apply C2.
        + intros e [<-|He]; auto. lia.
        + now rewrite C4. }
    destruct (G k s' Hs' ltac:(lia) Bt') as (cs & C1 & C2 & C3 & C4). exists (Z.abs h :: cs).
    unfold row_terms in *. cbn [map length fold_right fst snd]. rewrite Hd in *. repeat split.
    + now rewrite C1.
    + intros [|i]; cbn [nth]. rewrite F1. replace (Z.abs (match d with Past => 2 | Future => -2 end))
      with 2%Z by (destruct d; reflexivity).
      exact F2. apply C2.
    + intros e [<-|He]; auto. lia.
    + now rewrite C4.
    + rewrite Er, F1. unfold total. cbn [sum]. ring.
  - (* a Boolean *)
    rewrite <- Rs in Bt. destruct (IH s' (filter (fun t => negb (is_place st t)) k) y eq_refl ltac:(lia)
      Fl Sg eq_refl) as (cs & C1 & C2 & C3 & C4 & C5).
    { intros t Ht. apply Bt. now right. }
    destruct (Term (c, dd) h Hh ltac:(lia) (Bt _ (or_introl eq_refl))) as [T1 T2].
    exists (Z.abs h :: cs). unfold row_terms in *. cbn [map length fold_right fst snd] in *. repeat split.
    + now rewrite C1.
    + intros [|i]; cbn [nth]. now rewrite T1. apply C2.
    + intros e [<-|He]; auto. lia.
    + now rewrite C4.
    + rewrite <- Rs. unfold total in *. cbn [map sum fst snd]. rewrite C5. ring.
Qed.

(* a computed key is near its ideal: a Boolean and a position *)
Lemma sum_over_rest x j rest z en : zrow en rest = Some z -> (forall t b, In t rest -> en (fst t) = Some b ->
  x (fst t) j =
  b2R b) -> forall s, zabs rest = Some s -> (s <= 16)%Z -> total (row_terms f f x rest j) = half z.
Proof.
  intros Hz Hx s Hs B. assert (T16 : (16 <= 2 ^ bits)%Z). { change 16%Z with (2 ^ 4)%Z. apply Z.pow_le_mono_r; lia. }
  destruct (terms_ok f bits bits_is bits_8 x j en rest z s Hz Hs ltac:(lia) Hx) as (hs & E1 & E2 & _).
  now rewrite E1, total_half, E2.
Qed.
Lemma zabs_filter p k : forall s, zabs k = Some s -> exists s', zabs (filter p k) = Some s' /\ (s' <= s)%Z.
Proof.
  induction k as [|[c d] k IH]; cbn [zabs filter]; intros s H. injection H as <-. exists 0%Z. split; auto. lia.
  destruct (halves d) as [h|] eqn:Hh; [|discriminate]. destruct (zabs k) as [s'|] eqn:Hs; [|discriminate].
    injection H as <-.
  destruct (IH s' eq_refl) as (q & Q1 & Q2). destruct (p (c, d)). exists (Z.abs h + q)%Z. cbn [zabs]. rewrite Hh, Q1.
    split; auto. lia.
  exists q. split; auto. lia.
Qed.
Lemma key_near st x k rest sx d j (c : R) : fits st x -> (j < size)%nat -> key_parts st k = Some (rest, sx) ->
  sign_ok d sx = true ->
  (length k <= near_terms)%nat -> at_most (zabs k) 16 = true -> (c = 0 \/ c = 1) ->
  (forall t, In t rest -> exists b, x (fst t) j = b2R b) -> total (row_terms f f x rest j) = c ->
  let key := row_val f f x k j in Rabs key <= 8 /\ Rabs (key - (c + sign d * (INR j / INR size))) <= near_key_error.
Proof.
  intros F Hj Kp Sg Ln A Hc Bt Tot key. unfold at_most in A. destruct (zabs k) as [s|] eqn:S; [|discriminate].
    apply Z.leb_le in A.
  unfold key_parts in Kp. destruct (filter (is_place st) k) as [|y [|]] eqn:Fl; try discriminate.
    injection Kp as Rs <-.
  destruct (key_terms st x j d F Hj k s rest y S A Fl Sg Rs Bt) as (cs & C1 & C2 & C3 & C4 & C5).
  assert (P8 : (8 <= prec f)%Z) by lia.
  destruct (asc_near f P8 (row_terms f f x k j) cs 0 0 C1 C2 C3) as [I1 I2].
  { rewrite Rabs_R0. unfold half. lra. } { lia. } { rewrite C4. lia. } { apply number_0. }
  assert (Ek : key = asc f 0 (row_terms f f x k j)).
  { unfold key, row_val, row_sum. apply rnd_id. apply asc_number, number_0. }
  assert (Py : In y k) by (apply (filter_In (is_place st)); rewrite Fl; now left).
  assert (Iy : is_place st y = true) by (assert (X : In y (filter (is_place st) k)) by (rewrite Fl; now left);
    apply filter_In in X; tauto).
  unfold is_place in Iy. destruct (get st (fst y)) eqn:G; try discriminate.
  destruct (place_ok st x (fst y) j F G Hj) as (P1 & P2 & P3).
  rewrite Ek. split.
  - eapply Rle_trans; [apply I2|]. rewrite C4. replace 8 with (half 16) by (unfold half; simpl; lra). apply half_le.
    lia.
  - rewrite C5, Tot, Rplus_0_l in I1.
    replace (asc f 0 (row_terms f f x k j) - (c + sign d * (INR j / INR size))) with
      ((asc f 0 (row_terms f f x k j) - (c + sign d * x (fst y) j)) + (sign d * x (fst y)
        j - sign d * (INR j / INR size))) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. assert (X := sign_abs d _ _ _ P3).
    assert (Ll : length (row_terms f f x k j) = length k) by (unfold row_terms; now rewrite map_length).
    rewrite Ll in I1. assert (N1 : INR (length k) <= INR near_terms) by now apply le_INR.
    assert (U := u_pos f). assert (T := tiny_pos f).
    assert (INR (length k) * (4 * u f + / 2 * tiny f) <= INR near_terms * (4 * u f + / 2 * tiny f))
      by (apply Rmult_le_compat_r; lra).
    unfold near_key_error. lra.
Qed.
(* the logit: times 8 n, and one unit in the last place *)
Lemma near_logit key l z : Rabs key <= 8 -> Rabs (key - z) <= near_key_error ->
  moved f AnyOrder (rnd f (8 * INR size * key)) l -> Rabs (l - 8 * INR size * z) <= near_eta.
Proof.
  intros K1 K2 [Nl Ml]. assert (n0 : 0 < INR size) by apply N_pos. assert (nM : INR size <= INR M) by (apply le_INR;
    lia).
  assert (M1 : 1 <= INR M). { change 1 with (INR 1). apply le_INR. unfold N in NM. destruct (m_end m); lia. }
  (* 2^k is above 64 M and at most 128 M *)
  destruct (mag radix2 (64 * INR M)) as [k Hk]. specialize (Hk ltac:(lra)). rewrite Rabs_pos_eq in Hk by lra.
    destruct Hk as [Lo Hi].
  assert (B : Rabs (8 * INR size * key) <= 64 * INR M). { rewrite Rabs_mult, (Rabs_pos_eq (8 * INR size)) by lra.
    assert (0 <= Rabs key) by apply Rabs_pos. nra. }
  assert (Nm : number f (64 * INR M)).
  { apply (number_mult f _ (Z.of_nat M) 6). rewrite <- INR_IZR_INZ. simpl. lra. lia.
    generalize (emin_neg f) (prec_ge_2 f); lia. }
  assert (k0 : (emin f <= k)%Z).
  { assert (X : bpow radix2 0 < bpow radix2 k) by (simpl (bpow radix2 0); lra). apply lt_bpow in X.
    generalize (emin_neg f) (prec_ge_2 f); lia. }
  assert (H1 := rnd_half f (8 * INR size * key) k k0 ltac:(lra)).
  assert (H2 : Rabs (rnd f (8 * INR size * key)) < bpow radix2 k) by (eapply Rle_lt_trans;
    [apply (abs_rnd_le f _ _ Nm B)|auto]).
  assert (H3 := ulp_bound f _ k H2).
  assert (U := u_pos f). assert (T := tiny_pos f).
  assert (Uk : u f * bpow radix2 (k - 1) <= u f * (64 * INR M)) by (apply Rmult_le_compat_l; lra).
  assert (Kp : 0 <= near_key_error) by (eapply Rle_trans; [apply Rabs_pos|apply K2]).
  assert (H4 : Rabs (8 * INR size * key - 8 * INR size * z) <= 8 * INR M * near_key_error).
  { rewrite <- Rmult_minus_distr_l, Rabs_mult, (Rabs_pos_eq (8 * INR size)) by lra. apply Rmult_le_compat; try lra.
    apply Rabs_pos. }
  replace (l - 8 * INR size * z) with ((l - rnd f (8 * INR size * key)) + ((rnd f (8 * INR size * key)
    - 8 * INR size * key) +
    (8 * INR size * key - 8 * INR size * z))) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. eapply Rle_trans. apply Rplus_le_compat_l, Rabs_triang. unfold near_eta.
    lra.
Qed.
(* one winner among the keys of a row; the proof of nearest_out, with the error as it is *)
Lemma near_out E (HE : exp_model f E) K (nm : nat -> nat) (c v logit : nat -> R) shift js y : NoDup K ->
  (length K <= size)%nat -> (forall j, In j K ->
  (nm j < size)%nat) -> (forall x y, In x K -> In y K -> nm x = nm y -> x = y) ->
  (forall j, In j K -> c j = 0 \/ c j = 1) -> (forall j, v j = 0 \/ v j = 1) -> (forall j, number f (logit j)) ->
  (forall j, In j K -> Rabs (logit j - (8 * INR size * c j + 8 * INR (nm j) + shift)) <= near_eta) -> In js K ->
    c js = 1 ->
  (forall j, In j K -> c j = 1 -> (nm j <= nm js)%nat) -> softmax_row f f E AnyOrder logit v K y ->
  Rabs (y - v js) <= Q2R D_near /\ 0 <= y.
Proof.
  intros Hn Ln Kn inj cB vB Nl Off Hi jsc best SR. set (ideal j := 8 * INR size * c j + 8 * INR (nm j) + shift).
  assert (Off' : forall j, In j K -> Rabs (logit j - ideal j) <= near_eta) by exact Off. clear Off.
  set (d j := if Req_EM_T (c j) 1 then (nm js - nm j)%nat else (size + nm js - nm j)%nat).
  assert (dpos : forall j, In j K -> j <> js -> (1 <= d j)%nat).
  { intros j Hj Hne. assert (J := Kn j Hj). unfold d. destruct (Req_EM_T (c j) 1).
    assert (nm j <= nm js)%nat by auto. assert (nm j <> nm js) by (intro; apply Hne; auto). lia. lia. }
  assert (dgap : forall j, In j K -> 8 * INR (d j) <= ideal js - ideal j).
  { intros j Hj. assert (J := Kn j Hj). unfold d, ideal. rewrite jsc. destruct (Req_EM_T (c j) 1) as [e|e].
    + rewrite e. assert (nm j <= nm js)%nat by auto. rewrite minus_INR by auto. lra.
    + destruct (cB j Hj) as [e0|]; [|contradiction]. rewrite e0, minus_INR, plus_INR by lia. lra. }
  assert (dinj : forall x y, In x K -> In y K -> x <> js -> y <> js -> d x = d y -> x = y).
  { intros a b Ha Hb _ _ Eq. apply inj; auto. assert (X := Kn a Ha). assert (Y := Kn b Hb). assert (Z := Kn js Hi).
    revert Eq. unfold d.
    destruct (Req_EM_T (c a) 1) as [c1|c1], (Req_EM_T (c b) 1) as [c2|c2];
    try (assert (nm a <= nm js)%nat by auto); try (assert (nm b <= nm js)%nat by auto); lia. }
  assert (less : forall j, In j K -> j <> js -> logit j < logit js).
  { intros j Hj Hne. assert (O1 := Off' j Hj). assert (O2 := Off' js Hi). apply Rabs_le_inv in O1, O2.
    assert (G := dgap j Hj).
    assert (D := dpos j Hj Hne). apply le_INR in D. simpl (INR 1) in D. lra. }
  unfold softmax_row in SR. destruct K as [|k1 K1] eqn:EK; [destruct Hi|]. rewrite <- EK in *. clear EK.
  destruct SR as (j0 & L & t & nu & P & T2 & [Tk _] & S & ->).
  assert (I0 : In j0 K) by (apply (Permutation_in _ P); now left).
  assert (j0 = js). { destruct (Nat.eq_dec j0 js); auto. assert (X := less j0 I0 n). assert (Y := T2 js Hi). lra.
    } subst j0.
  assert (nd : NoDup (js :: L)) by (apply (Permutation_NoDup (Permutation_sym P)); auto).
    inversion nd as [|? ? nj nd']; subst.
  assert (inK : forall j, In j L -> In j K /\ j <> js). { intros j Hj. split. apply (Permutation_in _ P). now right.
    intros ->. contradiction. }
  assert (len : (length L < M)%nat). { apply Permutation_length in P. simpl in P. lia. }
  assert (NA := nearest_any f E HE L js M logit ideal near_eta 8 d v t nu).
  match type of NA with ?H0 -> ?H1 -> ?H2 -> ?H3 -> ?H4 -> ?H5 -> ?H6 -> ?H7 -> ?H8 -> ?H9 -> ?C => assert (NC : C)
    end.
  { apply NA; auto.
    - intros j [<-|Hj]. now apply Off'. apply Off'. now apply inK.
    - lra.
    - intros j Hj. destruct (inK j Hj). split. now apply dpos. now apply dgap.
    - apply NoDup_map_inj; auto. intros a b Ha Hb. destruct (inK a Ha), (inK b Hb). now apply dinj. }
  destruct NC as [N1 N2]. unfold quotient. rewrite (rnd_id f (rnd f _)) by apply rnd_number. split; lra.
Qed.
(* the logits of a nearest head *)
Lemma near_row st x h k rest sx d i j l (c : nat -> R) lam : fits st x -> key_parts st k = Some (rest, sx) ->
  sign_ok d sx = true ->
  (length k <= near_terms)%nat -> at_most (zabs k) 16 = true -> In j (keys (h_mask h) i) ->
  expression f (8 * INR size) lam -> logit_of f AnyOrder lam [(1, row_val f f x k j)] l -> (c j = 0 \/ c j = 1) ->
  (forall t, In t rest -> exists b, x (fst t) j = b2R b) -> total (row_terms f f x rest j) = c j ->
  Rabs (l - (8 * INR size * c j + 8 * INR (num d size j) + 8 * match d with Past => 0 | Future => - INR (size - 1)
    end)) <= near_eta.
Proof.
  intros F Kp Sg Ln A Hj He Lg Hc Bt Tot. assert (Hj' := IK _ _ _ Hj). assert (P4 : (4 <= prec f)%Z) by lia.
  destruct (scale_exact f P4 M size_M size lam NM He) as [El Nlam].
  apply (logit_one f AnyOrder) in Lg; auto; [|apply row_number]. rewrite El in Lg.
  destruct (key_near st x k rest sx d j (c j) F Hj' Kp Sg Ln A Hc Bt Tot) as [K1 K2].
  assert (Z := near_logit _ _ _ K1 K2 Lg). assert (N0 := N_pos tail w).
  replace (8 * INR size * c j + 8 * INR (num d size j) + 8 * match d with Past => 0 | Future => - INR (size - 1) end)
    with
    (8 * INR size * (c j + sign d * (INR j / INR size))); auto.
  assert (S := num_sign d size j Hj'). transitivity (8 * INR size * c j + 8 * (sign d * INR j)). field; lra.
    rewrite S. ring.
Qed.
Definition bit (b : bool) : R := b2R b.
(* since and until: chi is the candidates, psi the value *)
Theorem near_holds st x h v o k rest sx chi psi d g a b : query_one st h = true -> h_key h = [k] ->
  h_scale h = E_steep ->
  key_parts st k = Some (rest, sx) -> sign_ok d sx = true -> (length k <= near_terms)%nat -> at_most (zabs k)
    16 = true ->
  bool_row st rest = Some chi -> bool_row st v = Some psi -> dir_of (h_mask h) = Some d ->
  (forall j, sat w (den chi) j = cand w (den a) (den b) j) -> (forall j, sat w (den psi) j = sat w (den b) j) ->
  den g = den (shifted (h_mask h) d (FSince d a b)) ->
  fits st x -> (forall i, (i < size)%nat -> head_row x h v i (o i)) -> holds (Raw g D_near) o.
Proof.
  intros Q K Sc Kp Sg Ln A Kc Vc Dr Ca Cb Me F Out i Hi. specialize (Out i Hi).
  destruct (one_row st x h v i (o i) k psi Q K Vc F Hi Out) as (E & lam & logit & HE & H1 & H2 & H3 & H4).
  rewrite Sc in H1. cbn [ereal] in H1. set (L := keys (h_mask h) i) in *.
  set (c j := b2R (sat w (den chi) j)).
  assert (cB : forall j, c j = 0 \/ c j = 1) by (intros j; unfold c, b2R; destruct (sat w (den chi) j); auto).
  (* the Boolean part of the key *)
  assert (Rest : forall j, (j < size)%nat -> (forall t, In t rest -> exists b, x (fst t) j = b2R b) /\
    total (row_terms f f x rest j) = c j).
  { intros j Hj. assert (Kc' := Kc). unfold Checker.bool_row in Kc'. destruct (at_most (zabs rest) (big bits));
    [|discriminate].
    destruct (off_sentinels st rest) eqn:Of; [|discriminate]. destruct (few (row_forms st rest)); [|discriminate].
      cbn [andb] in Kc'.
    destruct (table (row_bool st rest) (points letters (row_forms st rest))) as [tb|] eqn:Tb; [|discriminate].
    assert (Ex : exists p, point_of w p j /\ row_bool st rest p = Some (sat w (den chi) j)).
    { destruct (letter w j) eqn:Lj.
      - destruct (letter_at w letters in_alphabet j Lj) as (q & Aq & Lq).
        destruct (learned w letters _ cands _ tb chi j q Tb Kc' Aq Lq) as (vv & P1 & P2). eauto.
      - assert (Z : sat w (den chi) j = false) by (destruct (sat w (den chi) j) eqn:X; auto; apply sat_letter in X;
        congruence).
        rewrite Z. exists (if Nat.eqb j 0 then Begin else Finish). split. apply (sentinel_point tail w); auto.
        unfold off_sentinels in Of. destruct (row_bool st rest Begin) as [[]|] eqn:B1; try discriminate.
        destruct (row_bool st rest Finish) as [[]|] eqn:B2; try discriminate. destruct (Nat.eqb j 0); auto. }
    destruct Ex as (p & Pp & Rp). unfold row_bool in Rp. destruct (zrow (exact_at st p) rest) as [z|] eqn:Z;
      [|discriminate].
    assert (Hx : forall t b, In t rest -> exact_at st p (fst t) = Some b -> x (fst t) j = b2R b)
      by (intros t bb _ Hb; now apply (exact_at_ok f tail w st x p)).
    split. { intros t Ht. destruct (zrow_known _ rest z Z t Ht) as [bb Hb]. exists bb. now apply Hx. }
    assert (Sz : exists s, zabs rest = Some s /\ (s <= 16)%Z).
    { unfold at_most in A. destruct (zabs k) as [s|] eqn:Sk; [|discriminate]. apply Z.leb_le in A.
      unfold key_parts in Kp.
      destruct (filter (is_place st) k) as [|yy [|]]; try discriminate. injection Kp as <- _.
      destruct (zabs_filter (fun t => negb (is_place st t)) k s Sk) as (s' & S1 & S2). exists s'. split; auto. lia. }
    destruct Sz as (s & S1 & S2). rewrite (sum_over_rest x j rest z _ Z Hx s S1 S2). unfold c, b2R.
    assert (z = 0 \/ z = 2)%Z by (destruct z as [|[[]|[]|]|]; try discriminate; auto).
    destruct H as [-> | ->]; injection Rp as <-; unfold half; simpl; lra. }
  set (shift := 8 * match d with Past => 0 | Future => - INR (size - 1) end).
  assert (Off : forall j, In j L -> Rabs (logit j - (8 * INR size * c j + 8 * INR (num d size j) + shift))
    <= near_eta).
  { intros j Hj. destruct (Rest j (IK _ _ _ Hj)) as [R1 R2]. apply (near_row st x h k rest sx d i j (logit j) c lam);
    auto. }
  assert (Nm : number f (o i)) by (eapply softmax_number; eauto). split; auto.
  destruct (greatest (cand w (den a) (den b)) (num d size) L) as [None_|(js & J1 & J2 & J3)].
  - assert (Z : o i = 0). { apply (softmax_zero f f E AnyOrder logit (truth w (den psi)) L); auto. intros j Hj.
    unfold truth.
      destruct (sat w (den psi) j) eqn:X; auto. specialize (None_ j Hj). rewrite Cb in X. unfold cand in None_.
      rewrite X, (sat_letter _ _ _ X) in None_. discriminate. }
    rewrite Z. split. lra. exists false. cbn. rewrite Rminus_0_r, Rabs_R0. split; auto. intros Li. symmetry.
      rewrite Me.
    now apply (since_no tail w).
  - destruct (near_out E HE L (num d size) c (truth w (den psi)) logit shift js (o i)) as [N1 N2]; auto.
    + apply keys_NoDup.
    + apply keys_length.
    + intros j Hj. apply num_lt. now apply IK in Hj.
    + intros p q Hp Hq. apply num_inj; eapply IK; eauto.
    + intros; apply truth_01.
    + unfold c. rewrite Ca, J2. reflexivity.
    + intros j Hj Cj. apply J3; auto. rewrite <- Ca. unfold c, b2R in Cj. destruct (sat w (den chi) j); auto. lra.
    + split; auto. exists (sat w (den psi) js). split. exact N1. intros Li. rewrite Me, Cb. symmetry.
      now apply (since_yes tail w).
Qed.
(* yesterday and next *)
Theorem step_holds st x h v o k sx psi d g a : query_one st h = true -> h_key h = [k] -> h_scale h = E_steep ->
  key_parts st k = Some ([], sx) -> sign_ok d sx = true -> (length k <= near_terms)%nat -> at_most (zabs k)
    16 = true ->
  bool_row st v = Some psi -> dir_of (h_mask h) = Some d -> strict (h_mask h) = true -> (tail = true \/ d = Past) ->
  (forall j, sat w (den psi) j = sat w (den a) j) -> (forall j, sat w (den g) j = sat w (den (FStep d a)) j) ->
  fits st x -> (forall i, (i < size)%nat -> head_row x h v i (o i)) -> holds (Raw g D_near) o.
Proof.
  intros Q K Sc Kp Sg Ln A Vc Dr St Tl Cb Me F Out i Hi. specialize (Out i Hi).
  destruct (one_row st x h v i (o i) k psi Q K Vc F Hi Out) as (E & lam & logit & HE & H1 & H2 & H3 & H4).
  rewrite Sc in H1. cbn [ereal] in H1. set (L := keys (h_mask h) i) in *.
  set (shift := 8 * match d with Past => 0 | Future => - INR (size - 1) end - 8 * INR size).
  assert (Off : forall j, In j L -> Rabs (logit j - (8 * INR size * 1 + 8 * INR (num d size j) + shift)) <= near_eta).
  { intros j Hj. assert (X := near_row st x h k [] sx d i j (logit j) (fun _ => 0) lam F Kp Sg Ln A Hj H1 (H3 j Hj)
    (or_introl eq_refl)).
    replace (8 * INR size * 1 + 8 * INR (num d size j) + shift) with
      (8 * INR size * 0 + 8 * INR (num d size j) + 8 * match d with Past => 0 | Future => - INR (size - 1) end)
        by (unfold shift; ring).
    apply X. intros t []. reflexivity. }
  assert (Nm : number f (o i)) by (eapply softmax_number; eauto). split; auto.
  destruct (greatest (fun _ => true) (num d size) L) as [None_|(js & J1 & _ & J3)].
  - assert (Z : o i = 0). { apply (softmax_zero f f E AnyOrder logit (truth w (den psi)) L); auto. intros j Hj.
    specialize (None_ j Hj). discriminate. }
    rewrite Z. split. lra. exists false. cbn. rewrite Rminus_0_r, Rabs_R0. split; auto. intros Li. exfalso.
    apply (step_key tail w (h_mask h) d i Dr St Tl Li). fold L. destruct L as [|q L']; auto.
      discriminate (None_ q (or_introl eq_refl)).
  - destruct (near_out E HE L (num d size) (fun _ => 1) (truth w (den psi)) logit shift js (o i)) as [N1 N2]; auto.
    + apply keys_NoDup.
    + apply keys_length.
    + intros j Hj. apply num_lt. now apply IK in Hj.
    + intros p q Hp Hq. apply num_inj; eapply IK; eauto.
    + intros; apply truth_01.
    + split; auto. exists (sat w (den psi) js). split. exact N1. intros Li. rewrite Me, Cb. symmetry.
      apply (step_yes tail w (h_mask h)); auto.
Qed.
End Heads.
