(* The embedding: what channels hold before the first layer, and what is added to them. *)
From Coq Require Import ZArith QArith Qreals Reals Lia Lra Psatz Bool Arith List.
From Flocq Require Import Core.
From Temper Require Import Rows Format Sums Exact Rounding Strings Programs Compile Temporal FloatRun SafeCompare.
From Temper.checker Require Import Model Checker Points Exactness Invariant PatternOk Operations.
Import ListNotations.
Local Open Scope R_scope.

Section Embedding.
Variables (fs fa : format) (ord : order) (bits : kind).
Hypothesis pair : pair_of fs fa ord bits.
Hypothesis sound_kind : sane bits = true.
Variables (m : model) (w : list nat).
Notation tail := (m_end m). Notation size := (N tail w). Notation letters := (length (m_embed m)).
Hypothesis in_alphabet : forall i a, at_ w i = Some a -> (a < letters)%nat.
Lemma add_filter r c : forall s, add_terms fs fa r c s = fold_left (fun s t => rnd fs (rnd fa (s + wt fs (snd t))))
  (filter (fun t => Nat.eqb (fst t) c) r) s.
Proof. induction r as [|t r IH]; intros s; auto. unfold add_terms in *. cbn [fold_left filter].
  destruct (Nat.eqb (fst t) c); cbn [fold_left]; apply IH. Qed.
Lemma embed_bit_ok r c b v : embed_bit c r = Some b -> (b = true -> v = 0) ->
  add_terms fs fa r c v = if b then 1 else v.
Proof.
  unfold embed_bit. rewrite add_filter. destruct (filter (fun t => Nat.eqb (fst t) c) r) as [|t [|]]; cbn [fold_left].
  - now intros [= <-] _.
  - destruct (half_is (snd t) 2) eqn:H; [|discriminate]. intros [= <-] V.
    rewrite (wt_1 fs fa ord bits pair sound_kind _ H), (V eq_refl), Rplus_0_l.
    now rewrite (rnd_id fa 1), (rnd_id fs 1) by apply number_1.
  - discriminate.
Qed.
Lemma embed_letters_ok c rows : forall a0 l, embed_letters c a0 rows = Some l -> forall a, (a < length rows)%nat ->
  exists b, embed_bit c (nth a rows []) = Some b /\ existsb (Nat.eqb (a0 + a)) l = b /\ (forall x, In x l ->
    (a0 <= x)%nat).
Proof.
  induction rows as [|r rows IH]; cbn [embed_letters]; intros a0 l H a Ha; [cbn in Ha; lia|].
  destruct (embed_bit c r) as [b|] eqn:B; [|discriminate]. destruct (embed_letters c (S a0) rows) as [l'|] eqn:L;
    [|discriminate]. injection H as <-.
  assert (Low : forall x, In x l' -> (S a0 <= x)%nat).
  { destruct rows as [|r2 rows]. cbn in L. injection L as <-. intros x [].
    destruct (IH (S a0) l' L 0%nat ltac:(cbn; lia)) as (_ & _ & _ & X). exact X. }
  assert (All : forall x, In x (if b then a0 :: l' else l') -> (a0 <= x)%nat).
  { intros x Hx. destruct b; [destruct Hx as [<-|Hx]; [lia|]|]; specialize (Low x Hx); lia. }
  destruct a as [|a]; cbn [nth].
  - exists b. split; auto. split; auto. rewrite Nat.add_0_r. destruct b; cbn [existsb]. now rewrite Nat.eqb_refl.
    apply not_true_is_false. rewrite existsb_exists. intros (x & Hx & E). apply Nat.eqb_eq in E.
      specialize (Low x Hx). lia.
  - destruct (IH (S a0) l' L a ltac:(cbn in Ha; lia)) as (b' & B1 & B2 & _). exists b'. split; auto. split; auto.
    replace (a0 + S a)%nat with (S a0 + a)%nat by lia. destruct b; auto. cbn [existsb].
      destruct (Nat.eqb_spec (S a0 + a) a0); [lia|]. exact B2.
Qed.
Lemma not_step_true d i : letter w i = true -> sat w (den (FNot (FStep d FT))) i = negb (letter w (step d i)).
Proof. intros L. cbn [den sat]. rewrite L. cbn [andb]. unfold letter. now destruct (at_ w (step d i)). Qed.
Lemma first_ok x : embedding fs fa m w x -> fits fs fa tail w (first_state tail m) x.
Proof.
  intros Em c. unfold get, first_state. destruct (lt_dec c (length (m_channels m))) as [Lc|Lc].
  2:{ rewrite nth_overflow by (rewrite map_length, seq_length; lia). intros i Hi. exact I. }
  rewrite (nth_indep _ Junk (first_content tail m 0)) by (rewrite map_length, seq_length; lia).
    rewrite map_nth, seq_nth by lia. cbn [plus].
  unfold first_content. destruct (embed_letters c 0 (m_embed m)) as [l|] eqn:Le; [|intros i Hi; exact I].
  destruct (embed_bit c (m_start m)) as [s|] eqn:Bs; [|intros i Hi; exact I].
    destruct (embed_bit c (m_end_row m)) as [e|] eqn:Be; [|intros i Hi; exact I].
  (* the row of a position has this bit *)
  assert (Bit : forall i, embed_bit c (token_row m w i) = Some (match at_ w i with Some a => existsb (Nat.eqb a)
    l | None => if Nat.eqb i 0 then s else e end)).
  { intros i. unfold token_row. destruct (at_ w i) as [a|] eqn:A.
    - destruct (embed_letters_ok c (m_embed m) 0 l Le a (in_alphabet i a A)) as (b & B1 & B2 & _). cbn [plus] in B2.
      now rewrite B1, B2.
    - now destruct (Nat.eqb i 0). }
  destruct (nth c (m_channels m) None) as [ex|] eqn:Ch.
  - destruct (nats_eqb l [] && negb s && negb e) eqn:Z; [|intros i Hi; exact I]. apply andb_prop in Z.
    destruct Z as [Z Ze]. apply andb_prop in Z. destruct Z as [Zl Zs].
    apply nats_eqb_ok in Zl. apply negb_true_iff in Zs, Ze. subst l s e.
    assert (No : forall i, embed_bit c (token_row m w i) = Some false). { intros i. rewrite Bit. destruct (at_ w i);
      auto. now destruct (Nat.eqb i 0). }
    assert (Val : forall i, (i < size)%nat -> expression fs (ereal ex i (length w) size) (x c i)).
    { intros i Hi. destruct (Em c i Hi) as (v & V & X). rewrite Ch in V.
      rewrite X, (embed_bit_ok _ c false v (No i)) by discriminate. exact V. }
    assert (Num : forall i y, (i < size)%nat -> ereal ex i (length w) size = y -> number fs y -> x c i = y).
    { intros i y Hi Ey Ny. destruct (Val i Hi) as [_ X]. rewrite Ey in X. auto. }
    destruct ex; try (intros i Hi; exact I).
    + destruct (Z.eqb_spec z 1) as [->|]; [|destruct (Z.eqb_spec z 0) as [->|]; [|intros i Hi; exact I]].
      * intros i Hi. rewrite (Num i 1 Hi eq_refl (number_1 fs)). cbn. unfold letter. destruct (at_ w i); auto.
        now destruct (Nat.eqb i 0).
      * intros i Hi. rewrite (Num i 0 Hi eq_refl (number_0 fs)). cbn. unfold letter. destruct (at_ w i); auto.
        now destruct (Nat.eqb i 0).
    + intros i Hi. exact (Val i Hi).
    + intros i Hi. specialize (Val i Hi). cbn [ereal] in Val. destruct d; exact Val.
    + intros i Hi. cbn [den FF sat]. rewrite (Num i (if Nat.eqb i 0 then 1 else 0) Hi eq_refl)
      by (destruct (Nat.eqb i 0); [apply number_1|apply number_0]).
      unfold letter. destruct (at_ w i) eqn:A; cbn. destruct i; [discriminate|]. reflexivity.
        now destruct (Nat.eqb i 0).
    + destruct (m_end m) eqn:Te; [|intros i Hi; exact I]. intros i Hi.
      assert (Nb : forall b : bool, number fs (if b then 1 else 0)) by (intros []; [apply number_1|apply number_0]).
      rewrite (Num i _ Hi eq_refl (Nb _)). unfold N in *. cbn [ereal]. cbn [den FF sat]. destruct (letter w i) eqn:Li.
      * assert (L2 := Li). apply letter_iff in Li. destruct (Nat.eqb_spec i (length w + 2 - 1)); [lia|].
        unfold letter in L2. cbn. destruct (at_ w i); [reflexivity|discriminate].
      * destruct (Nat.eqb_spec i 0) as [->|]. destruct (Nat.eqb_spec 0 (length w + 2 - 1)); [lia|]. reflexivity.
        destruct (Nat.eqb_spec i (length w + 2 - 1)) as [|Ne]. reflexivity. exfalso.
          assert (letter w i = true) by (apply letter_iff; lia). congruence.
    + (* the first letter *)
      intros i Hi. assert (Nb : forall b : bool, number fs (if b then 1 else 0)) by (intros [];
        [apply number_1|apply number_0]).
      rewrite (Num i _ Hi eq_refl (Nb _)). cbn [ereal]. destruct (letter w i) eqn:Li.
      * rewrite (not_step_true Past i Li). assert (L2 := Li). apply letter_iff in L2. cbn [step].
        destruct (Nat.eqb_spec i 1) as [->|Ne]. destruct (Nat.leb_spec 1 (length w)); [reflexivity|lia].
        cbn [andb]. replace (letter w (i - 1)) with true by (symmetry; apply letter_iff; lia). reflexivity.
      * destruct (Nat.eqb_spec i 1) as [->|Ne]. destruct (Nat.leb_spec 1 (length w)). exfalso.
        assert (letter w 1 = true) by (apply letter_iff; lia). congruence.
        cbn [andb]. now destruct (Nat.eqb 1 0). cbn [andb]. now destruct (Nat.eqb i 0).
    + (* the last letter *)
      intros i Hi. assert (Nb : forall b : bool, number fs (if b then 1 else 0)) by (intros [];
        [apply number_1|apply number_0]).
      rewrite (Num i _ Hi eq_refl (Nb _)). cbn [ereal]. destruct (letter w i) eqn:Li.
      * rewrite (not_step_true Future i Li). assert (L2 := Li). apply letter_iff in L2. cbn [step].
        destruct (Nat.eqb_spec i (length w)) as [Ei|Ne].
        destruct (letter w (i + 1)) eqn:L3. apply letter_iff in L3. lia. destruct (Nat.leb_spec 1 (length w));
          [reflexivity|lia].
        cbn [andb]. replace (letter w (i + 1)) with true by (symmetry; apply letter_iff; lia). reflexivity.
      * destruct (Nat.eqb_spec i (length w)) as [Ei|Ne]. destruct (Nat.leb_spec 1 (length w)). exfalso.
        assert (letter w i = true) by (apply letter_iff; lia). congruence.
        cbn [andb]. now destruct (Nat.eqb i 0). cbn [andb]. now destruct (Nat.eqb i 0).
    + (* a remainder *)
      destruct (Nat.ltb 0 m0 && (m_end m || same d Past)) eqn:B; [|intros i Hi; exact I].
      apply andb_prop in B as [M0 Td]. apply Nat.ltb_lt in M0. intros i Hi.
      assert (Nb : forall b : bool, number fs (if b then 1 else 0)) by (intros []; [apply number_1|apply number_0]).
      rewrite (Num i _ Hi eq_refl (Nb _)). cbn [ereal]. rewrite residue_at by auto.
      destruct (letter w i) eqn:Li.
      * apply letter_iff in Li. cbn [andb]. destruct (Nat.leb_spec 1 i), (Nat.leb_spec i (length w)); try lia.
        rewrite !andb_true_r. unfold letters_to. destruct d; [reflexivity|]. unfold N. destruct (m_end m); [|discriminate].
        replace (length w + 2 - 1 - i)%nat with (length w + 1 - i)%nat by lia. reflexivity.
      * assert (Z : Nat.leb 1 i && Nat.leb i (length w) = false).
        { apply not_true_is_false. intros Y. apply andb_prop in Y as [Y1 Y2]. apply Nat.leb_le in Y1, Y2.
          assert (letter w i = true) by (apply letter_iff; lia). congruence. }
        rewrite <- andb_assoc, Z, andb_false_r. now destruct (Nat.eqb i 0).
  - intros i Hi. destruct (Em c i Hi) as (v & V & X). rewrite Ch in V. subst v.
    rewrite X, (embed_bit_ok _ c _ 0 (Bit i)) by auto.
    assert (Fl : forall a, existsb (Nat.eqb a) l = match (if nats_eqb l [] then FF else FLet l) with FLet l' =>
      existsb (Nat.eqb a) l' | _ => false end).
    { intros a. destruct (nats_eqb l []) eqn:Z; auto. apply nats_eqb_ok in Z. now subst. }
    unfold letter. destruct (at_ w i) as [a|] eqn:A.
    + rewrite Fl. destruct (nats_eqb l []); cbn; unfold letter; rewrite A; reflexivity.
    + unfold b2R. reflexivity.
Qed.
(* what is added to a channel of which something is known *)
Lemma token_bit c i : known bits (first_content tail m c) = true -> exists b, embed_bit c (token_row m w i) = Some b /\
  (nth c (m_channels m) None <> None -> b = false).
Proof.
  unfold first_content. destruct (embed_letters c 0 (m_embed m)) as [l|] eqn:Le; [|discriminate].
  destruct (embed_bit c (m_start m)) as [s|] eqn:Bs; [|discriminate].
  destruct (embed_bit c (m_end_row m)) as [e|] eqn:Be; [|discriminate]. intros K.
  assert (Bit : embed_bit c (token_row m w i) = Some (match at_ w i with Some a => existsb (Nat.eqb a) l
    | None => if Nat.eqb i 0 then s else e end)).
  { unfold token_row. destruct (at_ w i) as [a|] eqn:A.
    - destruct (embed_letters_ok c (m_embed m) 0 l Le a (in_alphabet i a A)) as (b & B1 & B2 & _). cbn [plus] in B2.
      now rewrite B1, B2.
    - now destruct (Nat.eqb i 0). }
  eexists. split; [exact Bit|]. intros Ch. destruct (nth c (m_channels m) None) as [ex|]; [|congruence].
  destruct (nats_eqb l [] && negb s && negb e) eqn:Z; [|discriminate]. apply andb_prop in Z. destruct Z as [Z Ze].
  apply andb_prop in Z. destruct Z as [Zl Zs]. apply nats_eqb_ok in Zl. apply negb_true_iff in Zs, Ze. subst l s e.
  destruct (at_ w i); auto. now destruct (Nat.eqb i 0).
Qed.
Lemma parts_filter r c : forall s, add_parts fs fa r c s = add_parts fs fa (filter (fun t => Nat.eqb (fst t) c) r) c
  s.
Proof.
  induction r as [|t r IH]; intros s; auto. cbn [add_parts filter]. cbv zeta. destruct (Nat.eqb (fst t) c) eqn:E; auto.
  cbn [add_parts]. cbv zeta. rewrite E. do 3 f_equal. apply IH.
Qed.
Lemma embedding_parts c i v z : known bits (first_content tail m c) = true -> match nth c (m_channels m) None with
  None => v = 0 | Some e => expression fs (ereal e i (length w) size) v end ->
  In z (add_parts fs fa (token_row m w i) c v) -> (fst z = fs \/ fst z = fa) /\ snd z = 1.
Proof.
  intros K V H. destruct (token_bit c i K) as (b & B & Nb). rewrite parts_filter in H. unfold embed_bit in B.
  destruct (filter _ _) as [|t [|]] eqn:Fi; [destruct H| |discriminate].
  assert (Et : Nat.eqb (fst t) c = true). { assert (I : In t (filter (fun t => Nat.eqb (fst t) c) (token_row m w i)))
    by
    (rewrite Fi; now left). now apply filter_In in I. }
  destruct (half_is (snd t) 2) eqn:Hh; [|discriminate]. injection B as <-.
  assert (V0 : v = 0). { destruct (nth c (m_channels m) None); auto. discriminate Nb. discriminate. }
  cbn [add_parts] in H. cbv zeta in H. rewrite Et in H. rewrite (wt_1 fs fa ord bits pair sound_kind _ Hh), V0,
    Rplus_0_l,
    (rnd_id fa 1), (rnd_id fs 1) in H by apply number_1.
  destruct H as [<-|[<-|[<-|[]]]]; cbn [fst snd]; auto.
Qed.
Lemma feature_1 c e i : known bits (first_content tail m c) = true -> nth c (m_channels m) None = Some e ->
  (i < size)%nat ->
  Rabs (ereal e i (length w) size) <= 1.
Proof.
  intros K Ne Hi. unfold first_content in K. rewrite Ne in K.
  destruct (embed_letters c 0 (m_embed m)); [|discriminate]. destruct (embed_bit c (m_start m)); [|discriminate].
  destruct (embed_bit c (m_end_row m)); [|discriminate]. destruct (_ && _) in K; [|discriminate].
  assert (Bit : forall b : bool, Rabs (if b then 1 else 0) <= 1) by (intros []; rewrite Rabs_pos_eq; lra).
  destruct e; cbn [ereal]; auto; try discriminate.
  - destruct (Z.eqb_spec z 1) as [->|]. rewrite Rabs_pos_eq; lra. destruct (Z.eqb_spec z 0) as [->|]; [|discriminate].
    rewrite Rabs_R0. lra.
  - assert (P := pos_INR i). assert (i1 : INR i <= INR size) by (apply le_INR; lia).
    assert (S0 : 0 < INR size) by (apply lt_0_INR; lia). rewrite Rabs_pos_eq.
    apply Rmult_le_reg_r with (INR size); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
    apply Rmult_le_pos; auto. left. now apply Rinv_0_lt_compat.
  - assert (L := log_small (@nil (def nat)) d i size Hi). unfold kappa in L. replace (2 * 8) with 16 in L by ring.
    exact L.
Qed.
End Embedding.
