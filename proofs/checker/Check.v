(* The checker of a file, and that it is sound.

   check bits file length   the bytes of a file say a model and a specification (Parse.v, Source.v), and the model's
                            weights compute that specification at every position of every string of up to `length`
                            letters, in the format of `bits` (24: f32, 53: f64); for the empty string the answer is
                            what the file says. A Boolean: it can be run by vm_compute, or extracted
   check_sound              if it is true, then that is so of every run of the model in the file: whatever exp is used
                            in each row (within exp_model), in whatever order rows are summed,
                              with each logit moved by
                            up to one unit in the last place. And no operation of a run gives a number beyond the
                            largest one of the format (InRange.v)
   verdict_sound            the same of the answer that a user sees: at the first or last position,
     as the file says *)
From Coq Require Import ZArith QArith Qreals Reals Lia Lra Psatz Bool Arith String List.
From Flocq Require Import Core.
From Temper Require Import Rows Format Sums Exact Rounding Strings Programs Compile Temporal FloatRun Replay
  Instances.
From Temper.checker Require Import Model Checker Points Exactness Invariant Meaning Canon HeadsOk PatternOk TapsOk NetsOk
  RampsOk Bounds CountBounds InRange.
From Temper.checker Require Parse Source.
Import ListNotations.
Local Open Scope R_scope.

Definition check_model (bits : kind) (m : model) (source : fml) (len : Z) (empty : bool) : bool :=
  let letters := length (m_embed m) in let tail := m_end m in
  let src := fst (canon letters source [FStep Past FT; FStep Future FT]) in let cands := FF :: subs src in
  let M := (len + (if tail then 2 else 1))%Z in
  sane bits && one_format bits && (0 <=? len)%Z && (M <=? 2 ^ sum_digits bits)%Z && modest_model tail m &&
  match do_layers bits letters tail cands (errors_of bits M) (length (m_channels m)) (first_state tail m) (m_layers
    m) with
  | Some st => read_ok bits letters st (m_read m) src empty | None => false end.
Definition check_text (bits : kind) (t : Parse.text_model) (len : Z) : bool := match Source.specification_of t with
  | Some source => check_model bits (Parse.t_model t) source len (Parse.t_empty t) | None => false end.
Definition check (bits : kind) (file : string) (len : Z) : bool :=
  match Parse.parse file with Some t => check_text bits t len | None => false end.

(* what a file says of a string: its answer is read at one position, and it accepts what the formula says there *)
Definition read_at (t : Parse.text_model) (w : list nat) : nat := match w with
  | [] => 0%nat | _ => if Parse.t_first t then 1%nat else length w end.
Definition accepts (t : Parse.text_model) (source : fml) (w : list nat) : bool := match w with
  | [] => Parse.t_empty t | _ => sat w (den source) (read_at t w) end.

(* ---- the embedding ---- *)
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
End Embedding.

(* ---- all together ---- *)
Section Sound.
Variables (fs fa : format) (ord : order) (bits : kind).
Hypothesis pair : pair_of fs fa ord bits.
Section OneModel.
Variables (m : model) (source : fml) (len : Z) (empty : bool).
Hypothesis yes : check_model bits m source len empty = true.
Variable w : list nat.
Hypothesis alphabet : Forall (fun a => (a < length (m_embed m))%nat) w.
Hypothesis short : (Z.of_nat (length w) <= len)%Z.
Notation letters := (length (m_embed m)). Notation M := (len + (if m_end m then 2 else 1))%Z.
Notation src := (fst (canon letters source [FStep Past FT; FStep Future FT])). Notation cands := (FF :: subs src).
Lemma parts : (sane bits = true /\ one_format bits = true) /\ (1 <= M <= 2 ^ sum_digits bits)%Z /\
  modest_model (m_end m) m = true /\
  exists st, do_layers bits letters (m_end m) cands (errors_of bits M) (length (m_channels m)) (first_state (m_end m)
    m)
    (m_layers m) = Some st /\ read_ok bits letters st (m_read m) src empty = true.
Proof.
  unfold check_model in yes. destruct (do_layers _ _ _ _ _ _ _ _) as [st|] eqn:Do.
  - repeat match goal with H : _ && _ = true |- _ => apply andb_prop in H; destruct H end.
    repeat match goal with H : (_ <=? _)%Z = true |- _ => apply Z.leb_le in H end. split; auto.
    split. destruct (m_end m); lia. split; auto. exists st. auto.
  - rewrite andb_false_r in yes. discriminate.
Qed.
Lemma in_alphabet i a : at_ w i = Some a -> (a < letters)%nat.
Proof.
  intros A. rewrite Forall_forall in alphabet. apply alphabet. unfold at_ in A. destruct i; [discriminate|].
  now apply nth_error_In in A.
Qed.
Lemma size_M : (N (m_end m) w <= Z.to_nat M)%nat. Proof. unfold N. destruct (m_end m); lia. Qed.
Lemma bounds : errors_ok fs fa ord (one_format bits) (Z.to_nat M) (errors_of bits M).
Proof.
  destruct parts as ((Sk & _) & HM & _). apply errors_ok_; auto. lia. assert (K := kind_sizes bits Sk).
  eapply Z.le_trans; [apply HM|]. apply Z.pow_le_mono_r; lia.
Qed.
Theorem check_model_sound x : model_run fs fa ord m w x ->
  (forall i, (1 <= i <= length w)%nat -> answer fs fa m x i = if sat w (den source) i then 1 else 0) /\
  answer fs fa m x 0 = if empty then 1 else 0.
Proof.
  intros (x0 & Em & La). destruct parts as ((Sk & _) & HM & Mm & st & Do & Ok).
  assert (InA := in_alphabet). assert (NM := size_M). assert (Bd := bounds).
  assert (F : fits fs fa (m_end m) w st x).
  { assert (F0 := first_ok fs fa ord bits pair Sk m w InA x0 Em).
    assert (G : forall l y y', layers fs fa ord m w l y y' -> forall s s', fits fs fa (m_end m) w s y ->
      do_layers bits letters (m_end m) cands (errors_of bits M) (length (m_channels m)) s l = Some s' ->
        fits fs fa (m_end m) w s' y').
    { intros l y y' Ly. induction Ly as [y|a r y z z' y' At_ Nt Ly IH]; intros s s' Fs D. cbn in D.
      now injection D as <-.
      cbn [do_layers] in D. destruct (do_taps bits letters (m_end m) cands (errors_of bits M) s s (taps a))
        as [s1|] eqn:Dt; [|discriminate].
      cbv zeta in D. destruct (safe_layer _ _ _ _ _) eqn:Sf; [|discriminate].
      refine (IH _ _ _ D).
      apply (net_ok fs fa ord bits pair Sk m w letters InA cands s1 z a z'); auto.
      apply (attention_ok fs fa ord bits pair Sk (Z.to_nat M) m w letters InA NM cands (errors_of bits M) Bd
        s y a z s1); auto. }
    now apply (G _ _ _ La _ _ F0 Do). }
  unfold read_ok in Ok. apply andb_prop in Ok. destruct Ok as [Ok R4]. apply andb_prop in Ok. destruct Ok as [Ok R3].
    apply andb_prop in Ok. destruct Ok as [R1 R2].
  rewrite forallb_forall in R4. split.
  - intros i Hi. assert (Li : letter w i = true) by (now apply letter_iff).
    assert (Hs : (i < N (m_end m) w)%nat) by (now apply letter_N).
    destruct (letter_at w letters InA i Li) as (a & A & La'). destruct (points_ok w letters (src :: row_forms st
      (m_read m)) i a A La') as (v & I1 & P).
    specialize (R4 _ I1). cbn in R4. destruct (row_bool st (m_read m) (At a v)) as [b|] eqn:B; [|discriminate].
    destruct (bev a v src) as [c|] eqn:C; [|discriminate]. apply eqb_prop in R4. subst c.
    destruct (row_bool_ok fs fa ord bits pair Sk (m_end m) w st x (m_read m) (At a v) i b F Hs P R1 B) as [R _].
      unfold answer. rewrite R.
    rewrite <- (canon_ok w letters InA source [FStep Past FT; FStep Future FT] i).
      now rewrite (bev_ok w i a v src A (proj2 P) b C).
  - destruct (row_bool st (m_read m) Begin) as [b|] eqn:B; [|discriminate]. apply eqb_prop in R3. subst b.
    destruct (row_bool_ok fs fa ord bits pair Sk (m_end m) w st x (m_read m) Begin 0 empty F)
      with (2 := eq_refl : point_of w Begin 0) as [R _]; auto.
    unfold N. destruct (m_end m); lia.
Qed.
(* no operation overflows *)
Theorem check_model_in_range z : operation fs fa ord m w z -> Rabs z <= top fs.
Proof.
  destruct parts as ((Sk & One) & HM & Mm & st & Do & Ok). assert (K := kind_sizes bits Sk). assert (Bd := bounds).
  assert (Same := pair). destruct Same as ((P & Q & _) & (Pa & Qa & H) & O). rewrite One in O. destruct O as [Ef Eo].
  assert (Pr : pair_of fa fa AnyOrder bits) by (now rewrite <- Ef at 1; rewrite <- Eo).
  rewrite Ef, Eo in *.
  apply (operations_in_range fa bits Pr Sk ltac:(lia) ltac:(lia) H m w cands in_alphabet
    ltac:(rewrite Pa; assert (X := size_M); lia) (errors_of bits M) (Z.to_nat M) size_M Bd
    Mm (fun x Em => first_ok fa fa AnyOrder bits Pr Sk m w in_alphabet x Em) st Do).
Qed.
End OneModel.
(* about the bytes of a file *)
Theorem check_sound file len : check bits file len = true ->
  exists t source, Parse.parse file = Some t /\ Source.specification_of t = Some source /\ let m := Parse.t_model t in
  forall w, Forall (fun a => (a < length (m_embed m))%nat) w -> (Z.of_nat (length w) <= len)%Z ->
  (forall z, operation fs fa ord m w z -> Rabs z <= top fs) /\
  forall x, model_run fs fa ord m w x ->
  (forall i, (1 <= i <= length w)%nat -> answer fs fa m x i = if sat w (den source) i then 1 else 0) /\
  answer fs fa m x 0 = if Parse.t_empty t then 1 else 0.
Proof.
  unfold check. destruct (Parse.parse file) as [t|]; [|discriminate]. unfold check_text.
  destruct (Source.specification_of t) as [source|] eqn:S; [|discriminate]. intros H. exists t, source.
  split; [reflexivity|]. split; [exact S|]. cbv zeta. intros w Al Lw. split.
  - exact (check_model_in_range _ _ _ _ H w Al Lw).
  - exact (check_model_sound _ _ _ _ H w Al Lw).
Qed.
Theorem verdict_sound file len : check bits file len = true ->
  exists t source, Parse.parse file = Some t /\ Source.specification_of t = Some source /\ let m := Parse.t_model t in
  forall w, Forall (fun a => (a < length (m_embed m))%nat) w -> (Z.of_nat (length w) <= len)%Z ->
  forall x, model_run fs fa ord m w x -> answer fs fa m x (read_at t w) = if accepts t source w then 1 else 0.
Proof.
  intros H. destruct (check_sound file len H) as (t & source & P & S & Ok). exists t, source.
  split; [exact P|]. split; [exact S|]. cbv zeta. intros w Al Lw x Run. destruct (Ok w Al Lw) as [_ Ok'].
    destruct (Ok' x Run) as [A B].
  destruct w as [|a w]; [exact B|]. cbn [accepts]. apply A. unfold read_at. destruct (Parse.t_first t); cbn [length];
    lia.
Qed.
End Sound.
(* the kinds stand for these formats *)
Lemma pow_top k z (t : R) : (0 <= k)%Z -> (2 ^ k <= z)%Z -> IZR z <= t -> bpow radix2 k <= t.
Proof. intros K H T. rewrite <- pow_IZR by lia. eapply Rle_trans; [apply IZR_le, H|exact T]. Qed.
Lemma f32_is : pair_of f32 f32 AnyOrder f32_kind.
Proof.
  assert (T := pow_top 100 (10 ^ 38) _ ltac:(lia) ltac:(vm_compute; discriminate) large_f32). repeat split; exact T.
Qed.
Lemma f64_is : pair_of f64 f64 AnyOrder f64_kind.
Proof.
  assert (T := pow_top 100 (10 ^ 38) _ ltac:(lia) ltac:(vm_compute; discriminate) large_f64). repeat split; exact T.
Qed.
