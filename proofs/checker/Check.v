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
From Temper.checker Require Import Model Checker Points Exactness Invariant Meaning Canon HeadsOk TapsOk NetsOk
  RampsOk Bounds CountBounds Operations EmbedOk InRange.
From Temper.checker Require Parse Source.
Import ListNotations.
Local Open Scope R_scope.

Definition check_model (bits : kind) (m : model) (source : fml) (len : Z) (empty : bool) : bool :=
  let letters := length (m_embed m) in let tail := m_end m in
  let src := fst (canon letters source [FStep Past FT; FStep Future FT]) in let cands := FF :: subs src in
  let M := (len + (if tail then 2 else 1))%Z in
  sane bits && (0 <=? len)%Z && (M <=? if one_format bits then 2 ^ sum_digits bits else 2 ^ 53)%Z && modest_model
    bits tail m &&
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
Lemma parts : sane bits = true /\ (1 <= M <= 2 ^ 53)%Z /\ (ord = AnyOrder -> M <= 2 ^ prec fa)%Z /\
  modest_model bits (m_end m) m = true /\
  exists st, do_layers bits letters (m_end m) cands (errors_of bits M) (length (m_channels m)) (first_state (m_end m)
    m)
    (m_layers m) = Some st /\ read_ok bits letters st (m_read m) src empty = true.
Proof.
  unfold check_model in yes. destruct (do_layers _ _ _ _ _ _ _ _) as [st|] eqn:Do.
  - repeat match goal with H : _ && _ = true |- _ => apply andb_prop in H; destruct H end.
    repeat match goal with H : (_ <=? _)%Z = true |- _ => apply Z.leb_le in H end.
    match goal with H : sane bits = true |- _ => rename H into Sk end. assert (K := kind_sizes bits Sk).
    assert (Lim : (M <= 2 ^ 53)%Z /\ (ord = AnyOrder -> M <= 2 ^ prec fa)%Z).
    { assert (Same := pair). destruct Same as (_ & (P & _) & O). rewrite P.
      assert (2 ^ sum_digits bits <= 2 ^ 53)%Z by (apply Z.pow_le_mono_r; lia).
      destruct (one_format bits); [|split; [lia|intros X; congruence]]. split; lia. }
    split; auto. split. destruct (m_end m); lia. split. tauto. split; auto. exists st. auto.
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
  destruct parts as (Sk & HM & _). apply errors_ok_; auto; lia.
Qed.
Theorem check_model_sound x : model_run fs fa ord m w x ->
  (forall i, (1 <= i <= length w)%nat -> answer fs fa m x i = if sat w (den source) i then 1 else 0) /\
  answer fs fa m x 0 = if empty then 1 else 0.
Proof.
  intros (x0 & Em & La). destruct parts as (Sk & HM & _ & Mm & st & Do & Ok).
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
      cbv zeta in D. destruct (safe_layer _ _ _ _ _ _) eqn:Sf; [|discriminate].
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
Theorem check_model_in_range f z : operation fs fa ord m w (f, z) -> Rabs z <= top f.
Proof.
  destruct parts as (Sk & HM & Any & Mm & st & Do & Ok). assert (X := size_M).
  apply (operations_in_range fs fa ord bits pair Sk m w cands in_alphabet ltac:(lia) ltac:(intros O;
    specialize (Any O); lia)
    (errors_of bits M) (Z.to_nat M) size_M bounds Mm st Do (f, z)).
Qed.
End OneModel.
(* about the bytes of a file *)
Theorem check_sound file len : check bits file len = true ->
  exists t source, Parse.parse file = Some t /\ Source.specification_of t = Some source /\ let m := Parse.t_model t in
  forall w, Forall (fun a => (a < length (m_embed m))%nat) w -> (Z.of_nat (length w) <= len)%Z ->
  (forall f z, operation fs fa ord m w (f, z) -> Rabs z <= top f) /\
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
Lemma bf16_f32_is : pair_of bf16 f32 Ascending bf16_f32_kind.
Proof.
  assert (T := pow_top 100 (10 ^ 38) _ ltac:(lia) ltac:(vm_compute; discriminate) large_f32).
  assert (S := pow_top 100 (10 ^ 38) _ ltac:(lia) ltac:(vm_compute; discriminate) large_bf16). repeat split;
    assumption.
Qed.
Lemma f16_f32_is : pair_of f16 f32 Ascending f16_f32_kind.
Proof.
  assert (T := pow_top 100 (10 ^ 38) _ ltac:(lia) ltac:(vm_compute; discriminate) large_f32).
  assert (S := pow_top 15 65504 _ ltac:(lia) ltac:(vm_compute; discriminate) large_f16). repeat split; assumption.
Qed.
Lemma e4m3_f32_is : pair_of e4m3 f32 Ascending e4m3_f32_kind.
Proof.
  assert (T := pow_top 100 (10 ^ 38) _ ltac:(lia) ltac:(vm_compute; discriminate) large_f32).
  assert (S := pow_top 8 448 _ ltac:(lia) ltac:(vm_compute; discriminate) large_e4m3). repeat split; assumption.
Qed.
