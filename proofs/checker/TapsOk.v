(* The attention sublayer: what the checker says of a head's values is true. *)
From Coq Require Import ZArith QArith Qreals Reals Lia Lra Psatz List Bool Arith.
From Flocq Require Import Core.
From Temper Require Import Rows Format Sums Nearest NearestAny Rounding Strings Programs Compile Temporal FloatRun OnceAny.
From Temper.checker Require Import Model Checker Points Exactness Invariant Meaning HeadsOk PatternOk CompareOk.
Import ListNotations.
Local Open Scope R_scope.

Section Taps.
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
Notation alike := (alike letters). Notation meaning := (tap_boolean bits letters tail cands D).

Lemma find_once_ok d mk chi l g : find_once letters d mk chi l = Some g -> exists a,
  den g = den (shifted mk d (FOnce d a)) /\ alike chi
  a = true.
Proof.
  induction l as [|c l IH]; cbn [find_once]; [discriminate|]. unfold shifted in *. destruct (strict mk).
  - destruct c; auto. destruct (same d d0) eqn:Sd; auto. apply same_ok in Sd. subst d0. destruct c; auto.
    destruct (same d d0 && alike chi c) eqn:X; auto. apply andb_prop in X. destruct X as [X1 X2]. apply same_ok in X1.
      subst d0.
    intros [= <-]. exists c. auto.
  - destruct c; auto. destruct (same d d0 && alike chi c) eqn:X; auto. apply andb_prop in X. destruct X as [X1 X2].
    apply same_ok in X1.
    subst d0. intros [= <-]. exists c. auto.
Qed.
Lemma find_since_ok d mk chi psi l g : find_since letters d mk chi psi l = Some g -> exists a b,
  den g = den (shifted mk d (FSince d a b))
  /\ alike psi b = true /\ alike chi (FOr b (FNot a)) = true.
Proof.
  induction l as [|c l IH]; cbn [find_since]; [discriminate|]. unfold shifted in *. destruct (strict mk).
  - destruct c; auto. destruct (same d d0) eqn:Sd; auto. apply same_ok in Sd. subst d0. destruct c; auto.
    match goal with |- (if ?b then _ else _) = _ -> _ => destruct b eqn:X; auto end.
    apply andb_prop in X. destruct X as [X X3]. apply andb_prop in X. destruct X as [X1 X2]. apply same_ok in X1.
      subst d0.
    intros [= <-]. exists c1, c2. auto.
  - destruct c; auto. match goal with |- (if ?b then _ else _) = _ -> _ => destruct b eqn:X; auto end.
    apply andb_prop in X. destruct X as [X X3]. apply andb_prop in X. destruct X as [X1 X2]. apply same_ok in X1.
      subst d0.
    intros [= <-]. exists c1, c2. auto.
Qed.
Lemma find_step_ok d psi l g : find_step letters d psi l = Some g -> exists a, den g = den (FStep d a) /\
  alike psi a = true.
Proof.
  induction l as [|c l IH]; cbn [find_step]; [discriminate|]. destruct c; auto.
  destruct (same d d0 && alike psi c) eqn:X; auto. apply andb_prop in X. destruct X as [X1 X2]. apply same_ok in X1.
    subst d0.
  intros [= <-]. exists c. auto.
Qed.
Lemma everywhere g h : alike g h = true -> forall j, sat w (den g) j = sat w (den h) j.
Proof. apply (alike_everywhere w letters in_alphabet). Qed.
(* candidates of since, and what they are made of *)
Lemma cand_or a b j : sat w (den (FOr b (FNot a))) j = cand w (den a) (den b) j.
Proof.
  cbn. unfold cand. destruct (letter w j) eqn:Lj; auto. cbn. now destruct (sat w (den b) j), (sat w (den a) j).
Qed.
Lemma cand_self chi psi j : (forall i, sat w (den psi) i = true -> sat w (den chi) i = true) ->
  sat w (den chi) j = cand w (den (FOr (FNot chi) psi)) (den psi) j.
Proof.
  intros H. specialize (H j). unfold cand. cbn. destruct (letter w j) eqn:Lj.
  - cbn. destruct (sat w (den psi) j), (sat w (den chi) j); auto; try (specialize (H eq_refl); discriminate).
  - cbn. destruct (sat w (den chi) j) eqn:X; auto. apply sat_letter in X. congruence.
Qed.

Lemma stepped_ok d f j : sat w (den (stepped letters cands d f)) j = sat w (den (FStep d f)) j.
Proof.
  unfold stepped. destruct (find_step letters d f cands) as [g|] eqn:Fo.
  - destruct (find_step_ok _ _ _ _ Fo) as (a & Eg & A1). rewrite Eg. cbn [den sat]. now rewrite (everywhere _ _ A1).
  - destruct (find_step letters d (FNot f) cands) as [g|] eqn:Fn; [|reflexivity].
    destruct (find_step_ok _ _ _ _ Fn) as (a & Eg & A1). assert (A2 := everywhere _ _ A1).
    cbn [den sat] in A2 |- *. rewrite Eg. cbn [den sat]. rewrite <- A2. unfold letter.
    destruct (at_ w j); auto. cbn [andb]. destruct (at_ w (step d j)) eqn:At'; cbn.
    now rewrite negb_involutive. destruct (sat w (den f) (step d j)) eqn:S; auto.
    apply sat_letter in S. unfold letter in S. now rewrite At' in S.
Qed.
Theorem plain_ok st x t o g e : tap_plain bits letters tail cands D st t = Some (g, e) -> fits st x ->
  (forall i, (i < size)%nat -> head_row x (fst (fst t)) (snd (fst t)) i (o i)) -> holds (Raw g e) o.
Proof.
  destruct bounds as (B_once & B_near & B_step & _). destruct t as [[h v] or_]. cbn [fst snd]. unfold tap_plain.
    intros H F Out.
  destruct (query_one st h) eqn:Q; [|discriminate]. destruct (dir_of (h_mask h)) as [d|] eqn:Dr; [|discriminate].
  destruct (h_key h) as [|k [|]] eqn:K; try discriminate. destruct (bool_row bits letters cands st v) as [psi|] eqn:V;
    [|discriminate].
  destruct (strict (h_mask h) && same d Future && negb tail) eqn:Tl; [discriminate|].
  destruct (h_scale h) eqn:Sc; try discriminate.
  - (* once *)
    destruct (bool_row bits letters cands st k) as [chi|] eqn:Kc; [|discriminate]. destruct (alike chi psi) eqn:Al;
      [|discriminate].
    unfold with_error in H. destruct (D_once D) as [q|] eqn:Dq; [|discriminate]. injection H as <- <-.
    apply (once_holds fs fa ord bits pair sound_kind M m w letters in_alphabet NM cands q st x h v o k chi psi d);
      auto.
    intros i Li. destruct (find_once letters d (h_mask h) chi cands) as [g'|] eqn:Fo.
    + destruct (find_once_ok _ _ _ _ _ Fo) as (a & Eg & Aa). rewrite Eg, (once_means tail w (h_mask h) d a i Dr Li).
      apply existsb_same. intros j. symmetry. now apply everywhere.
    + now apply once_means.
  - (* nearest *)
    destruct (key_parts st k) as [[rest sx]|] eqn:Kp; [|discriminate]. destruct (sign_ok d sx) eqn:Sg;
      [|discriminate].
    assert (St : (exists t0 r0, rest = t0 :: r0) \/ rest = []) by (destruct rest; eauto).
      destruct St as [St|St].
    + assert (H' : match bool_row bits letters cands st rest with Some chi =>
      if implies letters psi chi then with_error (D_near D)
        (match find_since letters d (h_mask h) chi psi cands with Some g => g | None => shifted (h_mask h)
          d (FSince d (FOr (FNot chi) psi)
        psi) end) else None | None => None end = Some (g, e)) by (destruct St as (t0 & r0 & ->); exact H). clear H.
      destruct (bool_row bits letters cands st rest) as [chi|] eqn:Kc; [|discriminate].
        destruct (implies letters psi chi) eqn:Im; [|discriminate].
      unfold with_error in H'. destruct (D_near D) as [q|] eqn:Dq; [|discriminate]. injection H' as <- <-.
      assert (Imp : forall i, sat w (den psi) i = true -> sat w (den chi) i = true).
      { intros i Hi. unfold implies in Im. rewrite (everywhere _ _ Im i) in Hi. cbn in Hi. apply andb_prop in Hi.
        tauto. }
      destruct (find_since letters d (h_mask h) chi psi cands) as [g'|] eqn:Fo.
      * destruct (find_since_ok _ _ _ _ _ _ Fo) as (a & b & Eg & A1 & A2).
        apply (near_holds fs fa ord bits pair sound_kind M m w letters in_alphabet NM cands q st
          x h v o k rest sx
          chi psi d g' a b); auto. intros j. rewrite (everywhere _ _ A2 j). apply cand_or. now apply everywhere.
      * apply (near_holds fs fa ord bits pair sound_kind M m w letters in_alphabet NM cands q st
        x h v o k rest sx
          chi psi d _ (FOr (FNot chi) psi) psi); auto. intros j. now apply cand_self.
    + subst rest. destruct (strict (h_mask h)) eqn:Sm; [|discriminate]. cbn [andb] in Tl.
      unfold with_error in H. destruct (D_step D) as [q|] eqn:Dq; [|discriminate]. injection H as <- <-.
      assert (Td : tail = true \/ d = Past) by (destruct d, tail; auto; discriminate).
      apply (step_holds fs fa ord bits pair sound_kind M m w letters in_alphabet NM cands q st x h v o k sx psi d
        _ psi); auto. intros j. apply stepped_ok.
Qed.
Theorem boolean_ok st x t o g e : meaning st t = Some (g, e) -> fits st x ->
  (forall i, (i < size)%nat -> head_row x (fst (fst t)) (snd (fst t)) i (o i)) -> holds (Raw g e) o.
Proof.
  unfold tap_boolean. destruct (tap_plain bits letters tail cands D st t) as [p|] eqn:P.
  - intros [= ->]. now apply plain_ok.
  - intros H F Out. apply (pattern_holds fs fa ord bits pair sound_kind M m w letters in_alphabet NM cands D bounds st x t o g e H F Out).
    exact stepped_ok.
Qed.

(* also those that count or compare *)
Theorem meaning_ok st x t o k : tap_meaning bits letters tail cands D st t = Some k ->
  fits st x -> (forall i, (i < size)%nat -> head_row x (fst (fst t)) (snd (fst t)) i (o i)) -> holds k o /\
  match k with Raw _ _ | Mean _ _ _ => True | _ => False end.
Proof.
  unfold tap_meaning. intros H F Out. destruct (tap_count tail D st t) as [k0|] eqn:C.
  - injection H as <-. split. now apply (count_holds fs fa ord bits pair sound_kind M m w NM D bounds st x t o k0).
    destruct (count_shape m D st t k0 C) as (d & g & z & ->). exact I.
  - destruct (tap_compare letters tail cands D st t) as [[g e]|] eqn:P; cbn [option_map fst snd] in H.
    + injection H as <-. split; auto.
      now apply (compare_holds fs fa ord bits pair sound_kind M m w letters in_alphabet NM cands D bounds st x t o g e).
    + destruct (meaning st t) as [[g e]|] eqn:B; [|discriminate]. injection H as <-. split; auto. now apply (boolean_ok st x t o g e).
Qed.
(* what heads write is a number of the format *)
Lemma written_number k o i : (match k with Raw _ _ | Mean _ _ _ => True | _ => False end) -> holds k o -> (i < size)%nat ->
  number fs (o i).
Proof.
  intros T H Hi. specialize (H i Hi). destruct k; try destruct T. now destruct H. destruct H as [-> _]. unfold quotient.
  apply rnd_number.
Qed.

(* ---- all heads of a layer ---- *)
Lemma get_set st c k : (c < length st)%nat -> get (set st c k) c = k.
Proof. revert c. induction st as [|a st IH]; intros [|c] H; cbn in *; try lia; auto. apply IH. lia. Qed.
Lemma get_set_other st c k e : e <> c -> get (set st c k) e = get st e.
Proof.
  revert c e. induction st as [|a st IH]; intros [|c] [|e] H; cbn in *; auto; try congruence. apply IH. auto.
Qed.
Lemma set_length st c k : length (set st c k) = length st.
Proof. revert c. induction st as [|a st IH]; intros [|c]; cbn; auto. Qed.
Lemma zero_short st c : is_zero (get st c) = true -> (c < length st)%nat.
Proof.
  intros H. destruct (lt_dec c (length st)); auto. unfold get in H. rewrite nth_overflow in H by lia. discriminate.
Qed.
Lemma taps_ok st0 x : fits st0 x -> forall l st st' outs, do_taps bits letters tail cands D st0
  st l = Some st' ->
  Forall2 (fun t o => forall i, (i < size)%nat -> head_row x (fst (fst t)) (snd (fst t)) i (o i)) l outs -> forall c,
  (get st' c = get st c /\ forall i, spread fs fa (map snd l) (map (fun o : nat -> R => o i) outs) c = []) \/
  (is_zero (get st c) = true /\ exists k o, get st' c = k /\ holds k o /\ (forall i, (i < size)%nat -> number fs (o i)) /\
    forall i, spread fs fa (map snd l) (map (fun o : nat -> R => o i) outs) c = [rnd fa (1 * o i)]).
Proof.
  intros F. induction l as [|t l IH]; cbn [do_taps]; intros st st' outs H Fo c.
  - injection H as <-. left. auto.
  - inversion_clear Fo as [|? o ? outs' Ho Fo'].
    destruct (snd t) as [|[c0 d0] [|]] eqn:Et; try discriminate. destruct (tap_meaning _ _ _ _ _ st0 t) as [k|] eqn:Mt; [|discriminate].
    destruct (half_is d0 2) eqn:Hd; [|discriminate]. destruct (is_zero (get st c0)) eqn:Z; [|discriminate].
      cbn [andb] in H. destruct (known bits k); [|discriminate].
    assert (Lc := zero_short st c0 Z). destruct (meaning_ok st0 x t o k Mt F Ho) as [Hg Sk].
    specialize (IH _ _ _ H Fo' c). cbn [map spread]. rewrite Et. cbn [filter map fst snd].
    destruct (Nat.eqb_spec c0 c) as [<-|Ne].
    + right. split; auto. exists k, o. rewrite get_set in IH by auto.
      destruct IH as [[G S]|[G _]]; [|destruct k; try destruct Sk; discriminate].
      split; auto. split; auto. split. intros i. now apply written_number with k. intros i. cbn [map app fst snd]. rewrite (wt_1 fs fa ord bits pair sound_kind d0 Hd),
        S.
        reflexivity.
    + rewrite get_set_other in IH by auto. exact IH.
Qed.
Lemma unchanged st x c i : fits st x -> (i < size)%nat -> (match get st c with Junk => False | _ => True end) ->
  rnd fs (rnd fa (x c i + rnd fs 0)) = x c i.
Proof.
  intros F Hi G. specialize (F c i Hi). rewrite (rnd_id fs 0), Rplus_0_r by apply number_0.
  assert (Nx : number fs (x c i)). { destruct (get st c) as [g s e| |g e| |d g z|d].
    - rewrite F. apply number_bit. - destruct F as [(y & _ & _ & ->) _]. apply rnd_number. - tauto. - destruct G.
    - destruct F as [-> _]. unfold quotient. apply rnd_number. - destruct F as [(y & _ & _ & ->) _]. apply rnd_number. }
  rewrite (rnd_id fa (x c i)) by (now apply (incl fs fa ord bits pair sound_kind)). now apply rnd_id.
Qed.
Theorem attention_ok st x l x' st' : fits st x -> attention fs fa ord m w x l x' ->
  do_taps bits letters tail cands D st st (taps l) = Some st' -> fits st' x'.
Proof.
  intros F (outs & Fo & Ex') H c. destruct (taps_ok st x F _ _ _ _ H Fo c) as [[G S]|(Z & k & o & G & Ho & No_ & S)].
  - intros i Hi. rewrite G, (Ex' c i Hi). unfold residual. rewrite S. cbn [asc]. destruct (get st c) eqn:Gc; auto;
    rewrite (unchanged st x c i F Hi) by (now rewrite Gc); specialize (F c i Hi); now rewrite Gc in F.
  - intros i Hi. rewrite G, (Ex' c i Hi). unfold residual. rewrite S. specialize (Ho i Hi). cbn [asc].
    assert (X0 : x c i = 0). { specialize (F c i Hi). unfold is_zero in Z.
      destruct (get st c) as [[| |[]| | | | | | |] [] []| | | | |]; try discriminate.
      rewrite F. cbn. unfold letter. destruct (at_ w i); auto. now destruct (Nat.eqb i 0). }
    assert (No : number fs (o i)) by auto.
    assert (Na := incl fs fa ord bits pair sound_kind (o i) No).
    rewrite X0, Rmult_1_l, !Rplus_0_l, !(rnd_id fa (o i)), (rnd_id fs (o i)), (rnd_id fa (o i)),
      (rnd_id fs (o i)) by auto.
      exact Ho.
Qed.
End Taps.
