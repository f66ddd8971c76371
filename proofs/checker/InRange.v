(* No operation of a run overflows. Rounding in Format.v has no largest number; a machine's run is that of Model.v if
   every result of an operation is at most `top` in size. Here is what an operation may give, and that it is at most
   2^100 if the checker accepts: weights are at most 2^8, rows are short, and every channel is at most 2^8 after each
   sublayer.

   operation      every number that an operation of a run may give: rows, products and partial sums;
     scales, scores and
                  logits; what softmax rows compute (softmax_result of Results.v); units;
                    what is added to the residual
                  stream
   small          all channels are numbers of the format, at most 2^8
   layers_small   through all layers *)
From Coq Require Import ZArith QArith Qreals Reals Lia Lra Psatz List Bool Arith.
From Flocq Require Import Core.
From Temper Require Import Rows Format Sums Nearest Exact Rounding Range Strings Programs Compile Temporal FloatRun Results
  CompareAny SafeCompare SoundCompare Replay.
From Temper.checker Require Import Model Checker Points Exactness CountsOk Invariant Meaning HeadsOk PatternOk CompareOk TapsOk
  NetsOk RampsOk.
Import ListNotations.
Local Open Scope R_scope.

(* ---- what an operation may give ---- *)
Section Operations.
Variables (fs fa : format) (ord : order) (m : model) (w : list nat).
Notation size := (N (m_end m) w). Notation keys := (keys (m_end m) w).
Notation row_terms := (row_terms fs fa). Notation parts := (asc_parts fa 0). Notation wt := (wt fs).
Definition row_results (x : state) r i := map wt (map snd r) ++ row_terms x r i ++ parts (row_terms x r i).
(* terms that are added up and then to a channel *)
Definition residual_results (x : state) rows (vals : nat -> list R) c i :=
  spread fs fa rows (vals i) c ++ parts (spread fs fa rows (vals i) c) ++
  [rnd fa (x c i + rnd fs (asc fa 0 (spread fs fa rows (vals i) c)))].
Inductive tap_result (x : state) (t : tap) (i : nat) : R -> Prop :=
  | tr_query r z : In r (h_query (fst (fst t))) -> In z (row_results x r i) -> tap_result x t i z
  | tr_key r j z : In j (keys (h_mask (fst (fst t))) i) -> In r (h_key (fst (fst t))) -> In z (row_results x r j) ->
      tap_result x t i z
  | tr_value j z : In j (keys (h_mask (fst (fst t))) i) -> In z (row_results x (snd (fst t)) j) -> tap_result x t i z
  | tr_scale lam : expression fa (ereal (h_scale (fst (fst t))) 0 (length w) size) lam -> tap_result x t i lam
  | tr_logit lam j z : expression fa (ereal (h_scale (fst (fst t))) 0 (length w) size) lam ->
      In j (keys (h_mask (fst (fst t))) i) -> logit_result fa ord lam (pairs_ fs fa x (fst (fst t)) i j) z ->
      tap_result x t i z
  | tr_softmax E lam logit z : exp_model fa E -> expression fa (ereal (h_scale (fst (fst t))) 0 (length w) size)
    lam ->
      (forall j, number fa (logit j)) ->
      (forall j, In j (keys (h_mask (fst (fst t))) i) ->
        logit_of fa ord lam (pairs_ fs fa x (fst (fst t)) i j) (logit j)) ->
      softmax_result fs fa E ord logit (fun j => row_val fs fa x (snd (fst t)) j) (keys (h_mask (fst (fst t))) i) z ->
      tap_result x t i z.
Inductive layer_result (x : state) (l : layer) : R -> Prop :=
  | lr_tap t i z : In t (taps l) -> (i < size)%nat -> tap_result x t i z -> layer_result x l z
  | lr_heads outs c i z : Forall2 (fun t o => forall i, (i < size)%nat ->
        head_row fs fa ord m w x (fst (fst t)) (snd (fst t)) i (o i)) (taps l) outs -> (i < size)%nat ->
      In z (residual_results x (map snd (taps l)) (fun i => map (fun o : nat -> R => o i) outs) c i) ->
      (c < length (m_channels m))%nat -> layer_result x l z
  | lr_unit y u i z : attention fs fa ord m w x l y -> In u (l_units l) -> (i < size)%nat ->
      (In z (row_results y (u_in u) i) \/ z = wt (u_bias u) \/ z = rnd fa (row_sum fs fa y (u_in u) i + wt (u_bias u))
       \/ In z (map wt (map snd (u_out u)))) -> layer_result x l z
  | lr_units y c i z : attention fs fa ord m w x l y -> (i < size)%nat -> (c < length (m_channels m))%nat ->
      In z (residual_results y (map u_out (l_units l)) (fun i => map (fun u => hidden fs fa y u i) (l_units l)) c i)
        ->
      layer_result x l z.
Inductive layers_result : list layer -> state -> R -> Prop :=
  | ls_here l r x z : layer_result x l z -> layers_result (l :: r) x z
  | ls_later l r x y x' z : attention fs fa ord m w x l y -> net fs fa m w y l x' -> layers_result r x' z ->
      layers_result (l :: r) x z.
Fixpoint add_parts (r : wrow) c s : list R := match r with
  | [] => []
  | t :: r' => if Nat.eqb (fst t) c then rnd fa (s + wt (snd t)) :: add_parts r' c (rnd fs (rnd fa (s + wt (snd t))))
               else add_parts r' c s end.
Inductive operation : R -> Prop :=
  | op_feature c e i v : nth c (m_channels m) None = Some e -> (c < length (m_channels m))%nat -> (i < size)%nat ->
      expression fs (ereal e i (length w) size) v -> operation v
  | op_embedding c i v z : (c < length (m_channels m))%nat -> (i < size)%nat ->
      match nth c (m_channels m) None with None => v = 0 | Some e => expression fs (ereal e i (length w) size)
        v end ->
      In z (add_parts (token_row m w i) c v) -> operation z
  | op_layer x z : embedding fs fa m w x -> layers_result (m_layers m) x z -> operation z
  | op_answer x i z : model_run fs fa ord m w x -> (i < size)%nat -> In z (row_results x (m_read m) i) -> operation z.
End Operations.

(* ---- sizes ---- *)
Section Sizes.
Variable f : format.
Variable bits : kind.
Hypothesis pair : pair_of f f AnyOrder bits.
Hypothesis sound_kind : sane bits = true.
Hypothesis b24 : (24 <= prec f <= 53)%Z.
Hypothesis low : (emin f <= -149)%Z.
Hypothesis high : bpow radix2 100 <= top f.
Notation "2^ k" := (bpow radix2 k) (at level 0, k at level 0).

Lemma pow_number k : (emin f <= k)%Z -> number f (2^ k).
Proof. intros H. apply generic_format_bpow. unfold FLT_exp. lia. Qed.
Lemma rnd_pow x k : (0 <= k)%Z -> Rabs x <= 2^ k -> Rabs (rnd f x) <= 2^ k.
Proof. intros K. apply abs_rnd_le, pow_number. lia. Qed.
Lemma pow_mono x a b : Rabs x <= 2^ a -> (a <= b)%Z -> Rabs x <= 2^ b.
Proof. intros H L. eapply Rle_trans; [apply H|now apply bpow_le]. Qed.
Lemma mult_pow x y a b : Rabs x <= 2^ a -> Rabs y <= 2^ b -> Rabs (x * y) <= 2^ (a + b).
Proof. intros X Y. rewrite Rabs_mult, bpow_plus. apply Rmult_le_compat; auto using Rabs_pos. Qed.
Lemma plus_pow x y a : Rabs x <= 2^ a -> Rabs y <= 2^ a -> Rabs (x + y) <= 2^ (a + 1).
Proof.
  intros X Y. rewrite bpow_plus. change (2^ 1) with 2. eapply Rle_trans; [apply Rabs_triang|]. lra.
Qed.
(* sums of terms of at most 2^e: no partial sum is rounded up *)
Lemma parts_count e ys : (0 <= e)%Z -> (forall y, In y ys -> Rabs y <= 2^ e) -> forall s k,
  Rabs s <= INR k * 2^ e -> (Z.of_nat (k + length ys) <= 2 ^ prec f)%Z ->
  (forall z, In z (asc_parts f s ys) -> Rabs z <= INR (k + length ys) * 2^ e) /\
  Rabs (asc f s ys) <= INR (k + length ys) * 2^ e.
Proof.
  intros E. assert (B0 := bpow_ge_0 radix2 e). induction ys as [|y ys IH]; intros Hy s k Hs L;
    cbn [asc_parts asc length] in *.
  - rewrite Nat.add_0_r. split; [intros z []|exact Hs].
  - assert (S : Rabs (rnd f (s + y)) <= INR (S k) * 2^ e).
    { apply abs_rnd_le.
      - apply (number_mult f _ (Z.of_nat (S k)) e). now rewrite <- INR_IZR_INZ. lia. lia.
      - rewrite S_INR. eapply Rle_trans; [apply Rabs_triang|]. specialize (Hy y (or_introl eq_refl)). lra. }
    destruct (IH (fun q Hq => Hy q (or_intror Hq)) _ (Datatypes.S k) S ltac:(lia)) as [I1 I2].
    replace (k + Datatypes.S (length ys))%nat with (Datatypes.S k + length ys)%nat by lia. split; auto.
    intros z [<-|Hz]; auto. eapply Rle_trans; [apply S|]. apply Rmult_le_compat_r; auto. apply le_INR. lia.
Qed.
Lemma parts_small e t ys : (0 <= e)%Z -> (0 <= t <= 24)%Z -> (Z.of_nat (length ys) <= 2 ^ t)%Z ->
  (forall y, In y ys -> Rabs y <= 2^ e) ->
  (forall z, In z (asc_parts f 0 ys) -> Rabs z <= 2^ (e + t)) /\ Rabs (asc f 0 ys) <= 2^ (e + t).
Proof.
  intros E T L Y. assert (TB : (2 ^ t <= 2 ^ prec f)%Z) by (apply Z.pow_le_mono_r; lia).
  destruct (parts_count e ys E Y 0 0%nat) as [A B]. { rewrite Rabs_R0. cbn. lra. } { cbn [Nat.add]. lia. }
  assert (C : INR (0 + length ys) * 2^ e <= 2^ (e + t)).
  { rewrite bpow_plus, (Rmult_comm (2^ e)). apply Rmult_le_compat_r. apply bpow_ge_0. cbn [Nat.add].
    rewrite INR_IZR_INZ, <- pow_IZR by lia. now apply IZR_le. }
  split; [intros z Hz; specialize (A z Hz)|]; lra.
Qed.
Lemma weight_small d : modest_weight d = true -> Rabs (wt f d) <= 2^ 8.
Proof.
  unfold modest_weight. intros H. apply andb_prop in H. destruct H as [H H3]. apply andb_prop in H.
    destruct H as [H1 H2].
  apply Z.leb_le in H1, H2, H3. apply rnd_pow. lia. unfold dR. rewrite Rabs_mult, (Rabs_pos_eq (bpow _ _))
    by apply bpow_ge_0.
  apply Rle_trans with (2^ (8 - ex d) * 2^ (ex d)).
  - apply Rmult_le_compat_r. apply bpow_ge_0. rewrite <- abs_IZR, <- pow_IZR by lia. now apply IZR_le.
  - rewrite <- bpow_plus. apply bpow_le. lia.
Qed.

Variables (m : model) (w : list nat).
Notation tail := (m_end m). Notation size := (N tail w). Notation letters := (length (m_embed m)).
Notation channels := (length (m_channels m)).
Definition small (x : state) := forall c i, (c < channels)%nat -> (i < size)%nat -> number f (x c i) /\ Rabs (x c i)
  <= 2^ 8.
Lemma row_small x r i : modest_row channels r = true -> small x -> (i < size)%nat ->
  (forall z, In z (row_results f f x r i) -> Rabs z <= 2^ 28) /\ Rabs (row_sum f f x r i) <= 2^ 28.
Proof.
  unfold modest_row. intros H Sm Hi. apply andb_prop in H. destruct H as [H L]. apply Nat.leb_le in L.
  rewrite forallb_forall in H.
  assert (T : forall y, In y (row_terms f f x r i) -> Rabs y <= 2^ 16).
  { intros y Hy. unfold row_terms in Hy. apply in_map_iff in Hy. destruct Hy as (t & <- & Ht). specialize (H t Ht).
    apply andb_prop in H. destruct H as [H1 H2]. apply Nat.ltb_lt in H2. apply rnd_pow. lia.
    apply (mult_pow _ _ 8 8). now apply weight_small. now apply Sm. }
  destruct (parts_small 16 12 (row_terms f f x r i) ltac:(lia) ltac:(lia)) as [A B]; auto.
  { unfold row_terms. rewrite map_length. change (2 ^ 12)%Z with 4096%Z. lia. }
  split; auto. intros z Hz. unfold row_results in Hz. apply in_app_or in Hz. destruct Hz as [Hz|Hz];
    [|apply in_app_or in Hz; destruct Hz as [Hz|Hz]].
  - rewrite map_map in Hz. apply in_map_iff in Hz. destruct Hz as (t & <- & Ht). specialize (H t Ht).
    apply andb_prop in H.
    destruct H as [H _]. apply (pow_mono _ 8); [|lia]. now apply weight_small.
  - apply (pow_mono _ 16); [|lia]. now apply T.
  - now apply A.
Qed.
Lemma value_small x r i : modest_row channels r = true -> small x -> (i < size)%nat -> Rabs (row_val f f x r i)
  <= 2^ 28.
Proof. intros H Sm Hi. apply rnd_pow. lia. now apply row_small. Qed.

(* ---- what channels hold ---- *)
Variable cands : list fml.
Hypothesis in_alphabet : forall i a, at_ w i = Some a -> (a < letters)%nat.
Lemma known_small k x : known k = true -> holds f f tail w k x -> forall i, (i < size)%nat -> number f (x i) /\
  Rabs (x i) <= 2^ 8.
Proof.
  intros K H i Hi. specialize (H i Hi). assert (B8 : 2 <= 2^ 8) by (apply (bpow_le radix2 1); lia).
  destruct k as [g s e| |g D| |d g z|d]; [| | |discriminate| |].
  - rewrite H. split. apply number_bit. unfold b2R. destruct (if letter w i then _ else _); rewrite Rabs_pos_eq; lra.
  - split. destruct H as [(y & _ & _ & ->) _]. apply rnd_number.
    assert (X := expression_1 f _ _ H). assert (P := pos_INR i). assert (i1 : INR i <= INR size) by (apply le_INR;
      lia).
    assert (S0 : 0 < INR size) by (apply lt_0_INR; lia). assert (Y : Rabs (INR i / INR size) <= 1).
    { rewrite Rabs_pos_eq. apply Rmult_le_reg_r with (INR size); auto. unfold Rdiv.
      rewrite Rmult_assoc, Rinv_l by lra. lra.
      apply Rmult_le_pos; auto. left. now apply Rinv_0_lt_compat. }
    specialize (X Y). lra.
  - destruct H as (Nx & P & b & Hb & _). split; auto. cbn in K. apply Qle_bool_iff in K. apply Qle_Rle in K.
    replace (Q2R 1) with 1 in K by (unfold Q2R; simpl; lra). apply Rabs_le_inv in Hb. apply Rabs_le. unfold b2R in Hb.
    destruct b; lra.
  - destruct H as [-> B]. split. unfold quotient. apply rnd_number. eapply Rle_trans; [apply B|]. cbn in K.
    apply Z.leb_le in K. apply Rle_trans with (half 512). now apply half_le.
    unfold half. change 512 with (IZR (2 ^ 9)). rewrite pow_IZR by lia. rewrite <- bpow_plus. apply Rle_refl.
  - split. destruct H as [(y & _ & _ & ->) _]. apply rnd_number.
    assert (X := expression_1 f _ _ H). assert (L := log_small (@nil (def nat)) d i size Hi). unfold kappa in L.
    replace (2 * 8) with 16 in L by ring. specialize (X L). lra.
Qed.
Lemma expression_double g y x k : (0 <= k)%Z -> expression g y x -> number g (2^ (k + 1)) -> Rabs y <= 2^ k ->
  Rabs x <= 2^ (k + 1).
Proof.
  intros K [(y' & H & _ & ->) _] Ng Y. apply abs_rnd_le; auto. assert (F := f64_error_small).
    assert (P := Rabs_pos y).
  rewrite bpow_plus. change (2^ 1) with 2. replace y' with ((y' - y) + y) by ring. eapply Rle_trans;
    [apply Rabs_triang|].
  assert (f64_error * Rabs y <= 1 * Rabs y) by (apply Rmult_le_compat_r; [auto|simpl in F; lra]). lra.
Qed.
Hypothesis size_bits : (Z.of_nat size <= 2 ^ prec f)%Z.
Lemma size_pow : 1 <= INR size <= 2^ 53.
Proof.
  split. { apply (le_INR 1). unfold N. destruct tail; lia. }
  apply Rle_trans with (2^ (prec f)). rewrite INR_IZR_INZ, <- pow_IZR by lia. now apply IZR_le. apply bpow_le. lia.
Qed.
Lemma expr_size e i n : (i < size)%nat -> modest_expr (Some e) = true -> Rabs (ereal e i n size) <= 2^ 57.
Proof.
  intros Hi H. destruct size_pow as [S1 S2]. assert (One : 1 <= 2^ 57) by (apply (bpow_le radix2 0); lia).
  assert (Bit : forall b : bool, Rabs (if b then 1 else 0) <= 2^ 57) by (intros []; rewrite Rabs_pos_eq; lra).
  assert (S4 : 16 * 2^ 53 = 2^ 57) by (change 16 with (2^ 4); now rewrite <- bpow_plus).
  destruct e; cbn [ereal]; auto.
  - cbn in H. apply Z.leb_le in H. rewrite <- abs_IZR. apply Rle_trans with (2^ 20); [|apply bpow_le; lia].
    rewrite <- pow_IZR by lia. now apply IZR_le.
  - assert (P := pos_INR i). assert (i1 : INR i <= INR size) by (apply le_INR; lia). apply Rle_trans with 1; auto.
    rewrite Rabs_pos_eq. apply Rmult_le_reg_r with (INR size). lra. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
      lra.
    apply Rmult_le_pos; auto. left. apply Rinv_0_lt_compat. lra.
  - assert (L0 : 0 <= ln (INR size)). { rewrite <- ln_1. destruct S1 as [S1|<-]; [left; apply ln_increasing; lra|lra].
    }
    assert (L1 : ln (INR size) <= INR size). { assert (X := exp_ineq1_le (ln (INR size))). rewrite exp_ln in X by lra.
      lra. }
    rewrite Rabs_pos_eq by lra. lra.
  - rewrite Rabs_pos_eq by lra. lra.
  - rewrite Rabs_pos_eq by lra. lra.
  - apply Rle_trans with 1; auto. assert (L := log_small (@nil (def nat)) d i size Hi). unfold kappa in L.
    replace (2 * 8) with 16 in L by ring. exact L.
Qed.
Lemma scale_small e lam : (match e with E_log | E_steep | E_twice => True | E_whole 1 => True | _ => False end) ->
  expression f (ereal e 0 (length w) size) lam -> number f lam /\ Rabs lam <= 2^ 58.
Proof.
  intros Sh H. split. destruct H as [(y & _ & _ & ->) _]. apply rnd_number.
  apply (expression_double f _ lam 57 ltac:(lia) H). apply pow_number. lia. apply expr_size. unfold N. destruct tail;
    lia.
  destruct e as [[|[]|]| | | | | | | | | |]; try destruct Sh; reflexivity.
Qed.

(* ---- heads ---- *)
Variable D : errors.
Notation meaning := (tap_meaning bits letters tail cands D).
Notation do_taps := (do_taps bits letters tail cands D).
Lemma all_meanings st0 : forall l st st', do_taps st0 st l = Some st' -> forall t, In t l -> exists y,
  meaning st0 t = Some y.
Proof.
  induction l as [|a l IH]; cbn [Checker.do_taps]; intros st st' H t Ht; [destruct Ht|].
  destruct (snd a) as [|[c d] [|]] eqn:Ea; try discriminate. destruct (meaning st0 a) as [k|] eqn:Ma;
    [|discriminate].
  destruct (_ && _); [|discriminate]. destruct Ht as [<-|Ht]; eauto.
Qed.
Lemma plain_shape st h v o y : tap_plain bits letters tail cands D st (h, v, o) = Some y -> query_one st h = true /\
  (exists k, h_key h = [k]) /\ (match h_scale h with E_log | E_steep | E_twice => True | E_whole 1 => True | _ => False end) /\
  exists psi, bool_row bits letters cands st v = Some psi.
Proof.
  unfold tap_plain. destruct (query_one st h); [|discriminate]. destruct (dir_of (h_mask h)); [|discriminate].
  destruct (h_key h) as [|k [|]]; try discriminate. destruct (bool_row bits letters cands st v) as [psi|];
    [|discriminate].
  destruct (_ && _); [discriminate|]. destruct (h_scale h); try discriminate; intros _; repeat split; eauto.
Qed.
Lemma two_le : 1 <= 2^ 28. Proof. apply (bpow_le radix2 0); lia. Qed.
Lemma pow_top x k : Rabs x <= 2^ k -> (k <= 100)%Z -> Rabs x <= top f.
Proof. intros H K. eapply Rle_trans; [apply (pow_mono _ _ _ H K)|exact high]. Qed.
Lemma in_keys_size mk i j : In j (keys tail w mk i) -> (j < size)%nat.
Proof. intros H. apply in_keys in H. tauto. Qed.
Lemma ulp_pow k : (0 <= k)%Z -> ulp_of f (2^ k) <= 2^ k.
Proof. intros K. unfold ulp_of. rewrite ulp_bpow. apply bpow_le. unfold FLT_exp. lia. Qed.
(* a tap whose logits are bounded *)
Definition logits_small x h i := forall lam j, expression f (ereal (h_scale h) 0 (length w) size) lam ->
  In j (keys tail w (h_mask h) i) -> (forall l, logit_of f AnyOrder lam (pairs_ f f x h i j) l -> Rabs l <= 2^ 90) /\
  (forall z, logit_result f AnyOrder lam (pairs_ f f x h i j) z -> Rabs z <= 2^ 90).
Lemma rows_small_tap st x h v o psi : fits f f tail w st x -> small x -> bool_row bits letters cands st v = Some psi ->
  (match h_scale h with E_log | E_steep | E_twice => True | E_whole 1 => True | _ => False end) ->
  forallb (modest_row channels) (v :: h_query h ++ h_key h) = true -> forall i z, (i < size)%nat -> logits_small x h i ->
  tap_result f f AnyOrder m w x (h, v, o) i z -> Rabs z <= top f.
Proof.
  intros F Sm V Sc Mr i z Hi Logits H. rewrite forallb_forall in Mr.
  assert (Rows : forall r j z, In r (v :: h_query h ++ h_key h) -> (j < size)%nat -> In z (row_results f f x r j) ->
    Rabs z <= top f).
  { intros r j z0 Hr Hj Hz. apply (pow_top _ 28); [|lia]. apply (proj1 (row_small x r j (Mr r Hr) Sm Hj)). exact Hz. }
  destruct H as [r z Hr Hz|r j z Hj Hr Hz|j z Hj Hz|lam El|lam j z El Hj Hz|E lam logit z HE El Nl Lg Sr];
    cbn [fst snd] in *.
  - apply (Rows r i); auto. right. apply in_or_app. now left.
  - apply (Rows r j); auto. right. apply in_or_app. now right. now apply in_keys_size in Hj.
  - apply (Rows v j); auto. now left. now apply in_keys_size in Hj.
  - destruct (scale_small _ lam Sc El) as [_ B]. apply (pow_top _ 58); [exact B|lia].
  - apply (pow_top _ 90); [|lia]. now apply (proj2 (Logits lam j El Hj)).
  - apply (unit_row f f E AnyOrder HE logit (fun j => row_val f f x v j) (keys tail w (h_mask h) i)); auto.
    + intros j Hj. rewrite (proj2 (bool_row_ok f f AnyOrder bits pair sound_kind 
tail w letters in_alphabet cands st x v psi V F j
      (in_keys_size _ _ _ Hj))).
      apply truth_01.
    + intros _. assert (X := keys_length tail w (h_mask h) i). lia.
    + intros j k0 Hj Hk0. apply (pow_top _ (90 + 1)); [|lia]. apply plus_pow.
      apply (proj1 (Logits lam j El Hj)). now apply Lg. rewrite Rabs_Ropp. apply (proj1 (Logits lam k0 El Hk0)).
        now apply Lg.
Qed.

Lemma plain_small st x h v o y i : fits f f tail w st x -> small x -> tap_plain bits letters tail cands D st (h, v, o) = Some y ->
  forallb (modest_row channels) (v :: h_query h ++ h_key h) = true -> (i < size)%nat -> logits_small x h i.
Proof.
  intros F Sm Mt Mr Hi. destruct (plain_shape st h v o y Mt) as (Q1 & [k Hk] & Sc & _). rewrite forallb_forall in Mr.
  assert (Pairs : forall j, In j (keys tail w (h_mask h) i) -> pairs_ f f x h i j = [(1, row_val f f x k j)]).
  { intros j Hj. unfold pairs_. rewrite Hk, (query_one_ok f f AnyOrder bits pair sound_kind tail w st x h i Q1 F Hi).
    reflexivity. }
  assert (Kv : forall j, In j (keys tail w (h_mask h) i) -> Rabs (row_val f f x k j) <= 2^ 28).
  { intros j Hj. apply value_small; auto. apply Mr. right. rewrite Hk. apply in_or_app. right. now left.
    now apply in_keys_size in Hj. }
  intros lam j El Hj. rewrite (Pairs j Hj). destruct (scale_small _ lam Sc El) as [Nl Bl].
  destruct (logit_sizes f AnyOrder lam 1 (row_val f f x k j) (2^ 58) (2^ 28) Nl Bl) as [A B].
  - apply pow_number. lia.
  - rewrite Rabs_pos_eq by lra. apply two_le.
  - rewrite Rmult_1_l. now apply Kv.
  - now left.
  - rewrite <- bpow_plus, (rnd_id f (2^ (58 + 28))) in A, B by (apply pow_number; lia).
    assert (U : 2^ (58 + 28) + ulp_of f (2^ (58 + 28)) <= 2^ 87).
    { assert (X := ulp_pow (58 + 28) ltac:(lia)). change 87%Z with (86 + 1)%Z. rewrite (bpow_plus radix2 86).
      change (58 + 28)%Z with 86%Z in *.
      change (2^ 1) with 2. lra. }
    assert (U2 : 2^ 87 <= 2^ 90) by (apply bpow_le; lia).
    split. intros l Hl. specialize (A l Hl). lra.
    intros z0 Hz. destruct (B z0 Hz) as [C|C]; [|lra]. apply (pow_mono _ 28); [exact C|lia].
Qed.
Lemma pattern_small st x h v o y i : fits f f tail w st x -> small x -> tap_pattern bits letters tail cands D st (h, v, o) = Some y ->
  forallb (modest_row channels) (v :: h_query h ++ h_key h) = true -> (i < size)%nat -> logits_small x h i.
Proof.
  intros F Sm Mt Mr Hi lam j El Hj.
  destruct (pattern_shape f f AnyOrder bits pair sound_kind size m w letters (le_n _) cands D st h v o y Mt) as (Sc & _ & k & Ik & Sh).
  assert (Hj' := in_keys_size _ _ _ Hj). destruct (Sh x i j F Hi Hj') as (l & Hl & Pe). rewrite Pe. clear Sh Pe.
  rewrite forallb_forall in Mr. assert (Kv : Rabs (row_val f f x k j) <= 2^ 28).
  { apply value_small; auto. apply Mr. right. apply in_or_app. now right. }
  set (kv := row_val f f x k j) in *. destruct (scale_small (h_scale h) lam) as [Nl Bl]; auto. { now rewrite Sc. }
  assert (C1 : INR (hits l) = 0 \/ INR (hits l) = 1) by (destruct (hits l) as [|[|]]; [auto|auto|lia]).
  (* a last term of a sum *)
  assert (Last : forall L a z, Rabs L <= 2^ 58 -> Rabs a <= 2^ 58 -> (z = rnd f (INR (hits l) * L + rnd f (a * kv)) \/
    z = rnd f (INR (hits l) * L + a * kv)) -> Rabs z <= 2^ 87).
  { intros L a z HL Ha Hz. assert (P : Rabs (a * kv) <= 2^ (58 + 28)) by (now apply mult_pow).
    assert (Q : Rabs (rnd f (a * kv)) <= 2^ (58 + 28)) by (apply rnd_pow; [lia|exact P]).
    assert (S : Rabs (INR (hits l) * L) <= 2^ (58 + 28)).
    { apply (pow_mono _ 58); [|lia]. destruct C1 as [-> | ->]; rewrite ?Rmult_0_l, ?Rmult_1_l; auto.
      rewrite Rabs_R0. apply bpow_ge_0. }
    destruct Hz as [-> | ->]; apply rnd_pow; try lia; change 87%Z with (58 + 28 + 1)%Z; now apply plus_pow. }
  assert (One58 : Rabs 1 <= 2^ 58) by (rewrite Rabs_pos_eq by lra; apply (bpow_le radix2 0); lia).
  assert (Dots : forall L a z, number f L -> Rabs L <= 2^ 58 -> Rabs a <= 2^ 58 -> dot f 0 (bit_pairs L l ++ [(a, kv)]) z -> Rabs z <= 2^ 87).
  { intros L a z NL HL Ha Dt. apply (Last L a z HL Ha). now apply (dot_all f L l a kv z NL Hl). }
  assert (Partial : forall L a z, number f L -> Rabs L <= 2^ 58 -> Rabs a <= 2^ 58 -> dot_result f 0 (bit_pairs L l ++ [(a, kv)]) z -> Rabs z <= 2^ 87).
  { intros L a z NL HL Ha Dt. replace 0 with (INR 0 * L) in Dt by (cbn; ring).
    destruct (dot_result_bits f L l NL 0 [(a, kv)] z Hl Dt) as [->|[->|R]].
    - rewrite Rabs_R0. apply bpow_ge_0.
    - apply (pow_mono _ 58); [exact HL|lia].
    - cbn [plus] in R. inversion R; subst; try match goal with X : dot_result _ _ [] _ |- _ => inversion X end.
      + apply rnd_pow; [lia|]. apply (pow_mono _ (58 + 28)); [now apply mult_pow|lia].
      + apply (Last L a); auto.
      + apply (Last L a); auto. }
  assert (Moved : forall l0 l1, moved f AnyOrder l0 l1 -> Rabs l0 <= 2^ 88 -> Rabs l1 <= 2^ 90).
  { intros l0 l1 Mv B. assert (X := moved_size f AnyOrder l0 l1 _ Mv B). assert (U := ulp_pow 88 ltac:(lia)).
    change 90%Z with (88 + 2)%Z. rewrite (bpow_plus radix2 88). change (2^ 2) with 4. assert (0 <= 2^ 88) by apply bpow_ge_0. lra. }
  assert (Prod : forall s, dot f 0 (bit_pairs 1 l ++ [(1, kv)]) s -> Rabs (rnd f (lam * s)) <= 2^ 88).
  { intros s Dt. assert (S : Rabs s <= 2^ 29).
    { apply (dot_all f 1 l 1 kv s (number_1 f) Hl) in Dt. rewrite Rmult_1_l, Rmult_1_r in Dt.
      assert (S0 : Rabs (INR (hits l)) <= 2^ 28).
      { destruct C1 as [-> | ->]; rewrite Rabs_pos_eq by lra. apply bpow_ge_0. apply two_le. }
      assert (Rk : Rabs (rnd f kv) <= 2^ 28) by (apply rnd_pow; [lia|exact Kv]).
      destruct Dt as [-> | ->]; apply rnd_pow; try lia; change 29%Z with (28 + 1)%Z; now apply plus_pow. }
    apply rnd_pow; [lia|]. apply (pow_mono _ (58 + 29)); [now apply mult_pow|lia]. }
  assert (Lg : forall l1, logit_of f AnyOrder lam (bit_pairs 1 l ++ [(1, kv)]) l1 -> Rabs l1 <= 2^ 90).
  { intros l1 [s Dt Mv|s Dt Mv].
    - apply (Moved _ _ Mv). now apply Prod.
    - rewrite (scaled_bits f lam l kv Nl) in Dt. apply (Moved _ _ Mv). apply (pow_mono _ 87); [|lia]. now apply (Dots lam lam). }
  split; [exact Lg|]. intros z Hz. assert (Up : forall y, Rabs y <= 2^ 87 -> Rabs y <= 2^ 90) by (intros y0 Hy; apply (pow_mono _ 87); [exact Hy|lia]).
  destruct Hz as [z Hz|s Hz|t0 Ht|z Hz|l1 Hz].
  - apply Up. apply (Partial 1 1); auto. apply number_1.
  - apply (pow_mono _ 88); [now apply Prod|lia].
  - apply Up. apply rnd_pow; [lia|]. apply (pow_mono _ (58 + 0)); [|lia]. apply mult_pow; auto. change (2^ 0) with 1.
    apply in_app_iff in Ht. destruct Ht as [Ht|[<-|[]]]; [|cbn; rewrite Rabs_pos_eq; lra].
    unfold bit_pairs in Ht. apply in_map_iff in Ht. destruct Ht as ([p q] & <- & _). cbn [fst snd]. destruct p; cbn;
      rewrite ?Rmult_1_l, ?Rmult_0_r, Rabs_pos_eq; lra.
  - apply Up. unfold scaled in Hz. rewrite (scaled_bits f lam l kv Nl) in Hz. now apply (Partial lam lam).
  - now apply Lg.
Qed.
Theorem boolean_small st x t y : fits f f tail w st x -> small x -> tap_boolean bits letters tail cands D st t = Some y ->
  forallb (modest_row channels) (snd (fst t) :: h_query (fst (fst t)) ++ h_key (fst (fst t))) = true ->
  forall i z, (i < size)%nat -> tap_result f f AnyOrder m w x t i z -> Rabs z <= top f.
Proof.
  destruct t as [[h v] o]. cbn [fst snd]. intros F Sm Mt Mr i z Hi H. unfold tap_boolean in Mt.
  destruct (tap_plain bits letters tail cands D st (h, v, o)) as [p|] eqn:P.
  - destruct (plain_shape st h v o p P) as (_ & _ & Sc & psi & V).
    apply (rows_small_tap st x h v o psi F Sm V Sc Mr i z Hi); auto. now apply (plain_small st x h v o p i).
  - destruct (pattern_shape f f AnyOrder bits pair sound_kind size m w letters (le_n _) cands D st h v o y Mt) as (Sc & [psi V] & _).
    apply (rows_small_tap st x h v o psi F Sm V) with (i := i); auto. now rewrite Sc. now apply (pattern_small st x h v o y i).
Qed.

(* ---- a layer ---- *)
Variable M : nat.
Hypothesis NM : (size <= M)%nat.
Hypothesis bounds : errors_ok f f AnyOrder (one_format bits) M D.
Theorem tap_small st x t k : fits f f tail w st x -> small x -> meaning st t = Some k ->
  forallb (modest_row channels) (snd (fst t) :: h_query (fst (fst t)) ++ h_key (fst (fst t))) = true ->
  forall i z, (i < size)%nat -> tap_result f f AnyOrder m w x t i z -> Rabs z <= top f.
Proof.
  unfold tap_meaning. intros F Sm Mt Mr i z Hi H.
  assert (Rows : forall r j z, In r (snd (fst t) :: h_query (fst (fst t)) ++ h_key (fst (fst t))) -> (j < size)%nat ->
    In z (row_results f f x r j) -> Rabs z <= top f).
  { intros r j z0 Hr Hj Hz. rewrite forallb_forall in Mr. apply (pow_top _ 28); [|lia].
    apply (proj1 (row_small x r j (Mr r Hr) Sm Hj)). exact Hz. }
  assert (One : 1 <= 2^ 0) by (simpl; lra).
  destruct (tap_count tail D st t) as [k0|] eqn:C.
  { destruct (count_shape m D st t k0 C) as (d & g & y & ->). destruct t as [[h v] o]. cbn [fst snd] in *.
    destruct (count_values f f AnyOrder bits pair sound_kind M m w NM D bounds st x h v o d g y C F)
      as (Q & K & Sc & _). assert (Sh : match h_scale h with E_log | E_steep | E_twice => True | E_whole 1 => True | _ => False end)
      by (now rewrite Sc).
    destruct H as [r z Hr Hz|r j z Hj Hr Hz|j z Hj Hz|lam El|lam j z El Hj Hz|E lam logit z HE El Nl Lg Sr]; cbn [fst snd] in *.
    - rewrite Q in Hr. destruct Hr. - rewrite K in Hr. destruct Hr.
    - apply (Rows v j); auto. now left. now apply in_keys_size in Hj.
    - destruct (scale_small _ lam Sh El) as [_ B]. apply (pow_top _ 58); [exact B|lia].
    - unfold pairs_ in Hz. rewrite Q in Hz. apply (pow_top _ 0); [|lia]. apply (no_scores f AnyOrder M m w NM) in Hz. simpl (bpow _ _). lra.
    - now apply (count_results f f AnyOrder bits pair sound_kind M m w NM D bounds st x h v o d g y C F i E lam logit z). }
  clear C. destruct (tap_compare letters tail cands D st t) as [[g e]|] eqn:P.
  2:{ destruct (tap_boolean _ _ _ _ _ st t) as [q|] eqn:B; [|discriminate]. now apply (boolean_small st x t q F Sm B Mr i z Hi). }
  clear Mt. destruct t as [[h v] o]. cbn [fst snd] in *.
  destruct (compare_shape m letters cands D st h v o g e P) as (cm & a & cl & b & ck & k' & cv & y & d & g' & zz & Q & K
    & Sc & Ev & Gm & Gl & Mk & Sg & Sk & Sv & Ha & Hb & Hk & Hy & Dq & _ & T).
  assert (Sh : match h_scale h with E_log | E_steep | E_twice => True | E_whole 1 => True | _ => False end) by (now rewrite Sc).
  assert (Key : forall j, (j < size)%nat -> row_val f f x [(ck, k')] j = at_z (sentinel d size) j).
  { intros j Hj. assert (X := sentinel_ok f f M m w NM st x ck d j F Sk T Hj). rewrite (one_term f f AnyOrder bits pair sound_kind); auto.
    rewrite X. apply at_z_number. }
  assert (Val : forall j, (j < size)%nat -> row_val f f x v j = at_z (sentinel d size) j).
  { intros j Hj. rewrite Ev. assert (X := sentinel_ok f f M m w NM st x cv d j F Sv T Hj). rewrite (one_term f f AnyOrder bits pair sound_kind); auto.
    rewrite X. apply at_z_number. }
  assert (Z01 : forall j, at_z (sentinel d size) j = 0 \/ at_z (sentinel d size) j = 1) by (intros j; unfold at_z; destruct (Nat.eqb j _); auto).
  set (q := row_val f f x [(cm, a); (cl, b)] i).
  assert (Bq : Rabs q <= 2^ 28). { apply value_small; auto. rewrite forallb_forall in Mr. apply Mr. right. rewrite Q. now left. }
  assert (Pairs : forall j, In j (keys tail w (h_mask h) i) -> pairs_ f f x h i j = [(q, at_z (sentinel d size) j)]).
  { intros j Hj. unfold pairs_. rewrite Q, K. cbn [map combine]. rewrite Key; auto. now apply in_keys_size in Hj. }
  assert (Logits : forall lam j, expression f (ereal (h_scale h) 0 (length w) size) lam -> In j (keys tail w (h_mask h) i) ->
    (forall l, logit_of f AnyOrder lam (pairs_ f f x h i j) l -> Rabs l <= 2^ 87) /\
    (forall z, logit_result f AnyOrder lam (pairs_ f f x h i j) z -> Rabs z <= 2^ 87)).
  { intros lam j El Hj. rewrite (Pairs j Hj). destruct (scale_small _ lam Sh El) as [Nl Bl].
    destruct (logit_sizes f AnyOrder lam q (at_z (sentinel d size) j) (2^ 58) (2^ 28) Nl Bl) as [A B].
    - apply pow_number. lia.
    - exact Bq.
    - destruct (Z01 j) as [-> | ->]. rewrite Rmult_0_r, Rabs_R0. apply bpow_ge_0. now rewrite Rmult_1_r.
    - right. destruct (Z01 j) as [-> | ->]; lra.
    - rewrite <- bpow_plus, (rnd_id f (2^ (58 + 28))) in A, B by (apply pow_number; lia).
      assert (U : 2^ (58 + 28) + ulp_of f (2^ (58 + 28)) <= 2^ 87).
      { assert (X := ulp_pow (58 + 28) ltac:(lia)). change 87%Z with (86 + 1)%Z. rewrite (bpow_plus radix2 86).
        change (58 + 28)%Z with 86%Z in *. change (2^ 1) with 2. lra. }
      split. intros l Hl. specialize (A l Hl). lra.
      intros z0 Hz. destruct (B z0 Hz) as [C|C]; [|lra]. apply (pow_mono _ 28); [exact C|lia]. }
  destruct H as [r z Hr Hz|r j z Hj Hr Hz|j z Hj Hz|lam El|lam j z El Hj Hz|E lam logit z HE El Nl Lg Sr]; cbn [fst snd] in *.
  - apply (Rows r i); auto. right. apply in_or_app. now left.
  - apply (Rows r j); auto. right. apply in_or_app. now right. now apply in_keys_size in Hj.
  - apply (Rows v j); auto. now left. now apply in_keys_size in Hj.
  - destruct (scale_small _ lam Sh El) as [_ B]. apply (pow_top _ 58); [exact B|lia].
  - apply (pow_top _ 87); [|lia]. now apply (proj2 (Logits lam j El Hj)).
  - apply (unit_row f f E AnyOrder HE logit (fun j => row_val f f x v j) (keys tail w (h_mask h) i)); auto.
    + intros j Hj. rewrite Val by (now apply in_keys_size in Hj). apply Z01.
    + intros _. assert (X := keys_length tail w (h_mask h) i). lia.
    + intros j k0 Hj Hk0. apply (pow_top _ (87 + 1)); [|lia]. apply plus_pow.
      apply (proj1 (Logits lam j El Hj)). now apply Lg. rewrite Rabs_Ropp. apply (proj1 (Logits lam k0 El Hk0)).
        now apply Lg.
Qed.
Notation do_net := (do_net bits letters cands).
Lemma in_seq_channels c : (c < channels)%nat -> In c (seq 0 channels). Proof. intros H. apply in_seq. lia. Qed.
Lemma residual_none x rows vals c i : spread f f rows (vals i) c = [] -> number f (x c i) -> Rabs (x c i) <= 2^ 8 ->
  forall z, In z (residual_results f f x rows vals c i) -> Rabs z <= top f.
Proof.
  intros S Nx Bx z Hz. unfold residual_results in Hz. rewrite S in Hz. cbn [asc_parts asc app] in Hz.
    destruct Hz as [<-|[]].
  rewrite (rnd_id f 0), Rplus_0_r, (rnd_id f _ Nx) by apply number_0. apply (pow_top _ 8); [exact Bx|lia].
Qed.
Lemma heads_small st x l y st1 : fits f f tail w st x -> small x -> do_taps st st (taps l) = Some st1 ->
  heads_known channels st st1 = true -> attention f f AnyOrder m w x l y -> small y.
Proof.
  intros F Sm Dt Hk At c i Hc Hi.
  assert (F1 : fits f f tail w st1 y) by (apply (attention_ok f f AnyOrder bits pair sound_kind
    M m w letters in_alphabet NM cands
    D bounds st x l y st1 F At Dt)).
  destruct At as (outs & Fo & Ex). destruct (Sm c i Hc Hi) as [Nx Bx].
  destruct (taps_ok f f AnyOrder bits pair sound_kind M m w letters in_alphabet NM cands D bounds
    st x F _ _ _ _ Dt Fo c) as [[G S]|(Z & k & o & G & _)].
  - rewrite (Ex c i Hi). unfold residual. rewrite S. cbn [asc]. rewrite (rnd_id f 0), Rplus_0_r, !(rnd_id f (x c i))
    by (auto using number_0). auto.
  - apply (known_small k); auto. 2: rewrite <- G; apply F1.
    unfold heads_known in Hk. rewrite forallb_forall in Hk. specialize (Hk c (in_seq_channels c Hc)). rewrite G in Hk.
    destruct (get st c); solve [auto|discriminate].
Qed.
Lemma units_small st1 y l x' : fits f f tail w st1 y -> small y -> units_known channels (do_net st1 (l_units l))
  (l_units l) = true ->
  net f f m w y l x' -> small x'.
Proof.
  intros F Sm Uk Nt c i Hc Hi.
  assert (F2 : fits f f tail w (do_net st1 (l_units l)) x') by (now apply (net_ok f f AnyOrder bits pair sound_kind
    m w letters in_alphabet cands st1 y l x')).
  unfold units_known in Uk. rewrite forallb_forall in Uk. specialize (Uk c (in_seq_channels c Hc)).
  destruct (writers c (l_units l)) as [|t0 ws] eqn:W.
  - destruct (Sm c i Hc Hi) as [Ny By]. rewrite (Nt c i Hi). unfold residual. rewrite spread_writers, W.
    cbn [map asc].
    rewrite (rnd_id f 0), Rplus_0_r, !(rnd_id f (y c i)) by (auto using number_0). auto.
  - exact (known_small _ _ Uk (F2 c) i Hi).
Qed.
Lemma in_spread rows vals c z : In z (spread f f rows vals c) -> exists r v t, In (r, v) (combine rows vals) /\
  In t r /\ z = rnd f (wt f (snd t) * v).
Proof.
  revert vals. induction rows as [|r rows IH]; intros [|v vals] H; cbn [spread] in H; try (now destruct H).
  apply in_app_or in H. destruct H as [H|H].
  - apply in_map_iff in H. destruct H as (t & <- & Ht). apply filter_In in Ht. exists r, v, t. cbn. tauto.
  - destruct (IH vals H) as (r0 & v0 & t0 & A & B & C). exists r0, v0, t0. cbn. tauto.
Qed.
Lemma spread_length rows : forall vals c, (length (spread f f rows vals c) <= length (concat rows))%nat.
Proof.
  induction rows as [|r rows IH]; intros [|v vals] c; cbn [spread concat]; rewrite ?app_length; cbn; try lia.
  rewrite map_length. specialize (IH vals c). assert (L : (length (filter (fun t => Nat.eqb (fst t) c) r)
    <= length r)%nat).
  { clear. induction r as [|t r IHr]; cbn; [lia|]. destruct (Nat.eqb (fst t) c); cbn; lia. }
  lia.
Qed.
Lemma hidden_small y u i : modest_unit channels u = true -> small y -> (i < size)%nat ->
  Rabs (rnd f (row_sum f f y (u_in u) i + wt f (u_bias u))) <= 2^ 29 /\ Rabs (hidden f f y u i) <= 2^ 29.
Proof.
  unfold modest_unit. intros H Sm Hi. apply andb_prop in H. destruct H as [H H3]. apply andb_prop in H.
    destruct H as [H1 _].
  assert (A : Rabs (rnd f (row_sum f f y (u_in u) i + wt f (u_bias u))) <= 2^ 29).
  { apply rnd_pow. lia. apply (plus_pow _ _ 28). now apply row_small. apply (pow_mono _ 8); [|lia].
    now apply weight_small. }
  split; auto. apply rnd_pow. lia. set (q := rnd f _) in *. assert (B := bpow_ge_0 radix2 29). unfold Rmax.
    destruct (Rle_dec 0 q); auto.
  rewrite Rabs_R0. exact B.
Qed.
Theorem layer_in_range st x l st1 : fits f f tail w st x -> small x -> do_taps st st (taps l) = Some st1 ->
  safe_layer channels st st1 (do_net st1 (l_units l)) l = true ->
  forall z, layer_result f f AnyOrder m w x l z -> Rabs z <= top f.
Proof.
  intros F Sm Dt Sf z H. unfold safe_layer in Sf. apply andb_prop in Sf. destruct Sf as [Sf Uk].
    apply andb_prop in Sf. destruct Sf as [Ml Hk].
  unfold modest_layer in Ml. apply andb_prop in Ml. destruct Ml as [Ml Ln]. apply andb_prop in Ml.
    destruct Ml as [Ml Mu].
  apply andb_prop in Ml. destruct Ml as [_ Mt]. rewrite forallb_forall in Mt, Mu. apply Z.leb_le in Ln.
  destruct H as [t i z Ht Hi Hz|outs c i z Fo Hi Hz Hc|y u i z At Hu Hi Hz|y c i z At Hi Hc Hz].
  - destruct (all_meanings st _ _ _ Dt t Ht) as [q Mq]. apply (tap_small st x t q F Sm Mq (Mt t Ht) i z Hi Hz).
  - destruct (Sm c i Hc Hi) as [Nx Bx].
    destruct (taps_ok f f AnyOrder bits pair sound_kind M m w letters in_alphabet NM cands D bounds
      st x F _ _ _ _ Dt Fo c) as [[G S]|(Z & k & o & G & Ho & No_ & S)].
    + apply (residual_none _ _ _ c i (S i) Nx Bx z Hz).
    + assert (K : known k = true).
      { unfold heads_known in Hk. rewrite forallb_forall in Hk. specialize (Hk c (in_seq_channels c Hc)).
        rewrite G in Hk.
        destruct (get st c); solve [auto|discriminate]. }
      destruct (known_small _ _ K Ho i Hi) as [No Bo]. unfold residual_results in Hz. rewrite S in Hz.
        cbn [asc_parts asc app] in Hz.
      rewrite Rmult_1_l, Rplus_0_l, !(rnd_id f (o i)) in Hz by auto.
      destruct Hz as [<-|[<-|[<-|[]]]]; [apply (pow_top _ 8); [exact Bo|lia]..|]. apply (pow_top _ (8 + 1)); [|lia].
      apply rnd_pow. lia. now apply plus_pow.
  - assert (Sy := heads_small st x l y st1 F Sm Dt Hk At). assert (Mq := Mu u Hu). assert (Mq' := Mq).
    unfold modest_unit in Mq.
    apply andb_prop in Mq. destruct Mq as [Mq M3]. apply andb_prop in Mq. destruct Mq as [M1 M2].
    destruct Hz as [Hz|[->|[->|Hz]]].
    + apply (pow_top _ 28); [|lia]. now apply (proj1 (row_small y (u_in u) i M1 Sy Hi)).
    + apply (pow_top _ 8); [|lia]. now apply weight_small.
    + apply (pow_top _ 29); [|lia]. now apply (hidden_small y u i Mq' Sy Hi).
    + rewrite map_map in Hz. apply in_map_iff in Hz. destruct Hz as (t & <- & Ht). rewrite forallb_forall in M2.
      apply (pow_top _ 8); [|lia]. now apply weight_small, M2.
  - assert (Sy := heads_small st x l y st1 F Sm Dt Hk At). destruct (Sy c i Hc Hi) as [Ny By].
    set (vals := map (fun u => hidden f f y u i) (l_units l)) in *. unfold residual_results in Hz. cbv beta in Hz.
      fold vals in Hz.
    set (sp := spread f f (map u_out (l_units l)) vals c) in *.
    assert (Sp : forall q, In q sp -> Rabs q <= 2^ 37).
    { intros q Hq. destruct (in_spread _ _ _ _ Hq) as (r & v & t & Hr & Ht & ->). unfold vals in Hr.
      assert (U : exists u, In u (l_units l) /\ r = u_out u /\ v = hidden f f y u i).
      { clear - Hr. induction (l_units l) as [|u us IH]; cbn in Hr; [destruct Hr|]. destruct Hr as [E|Hr].
        injection E as <- <-. exists u. cbn. auto. destruct (IH Hr) as (u' & A & B). exists u'. cbn. tauto. }
      destruct U as (u & Hu & -> & ->). assert (Mq := Mu u Hu). destruct (hidden_small y u i Mq Sy Hi) as [_ Hb].
      unfold modest_unit in Mq. apply andb_prop in Mq. destruct Mq as [Mq _]. apply andb_prop in Mq.
        destruct Mq as [_ M2].
      rewrite forallb_forall in M2. apply rnd_pow. lia. apply (mult_pow _ _ 8 29); auto. now apply weight_small, M2. }
    assert (Len : (Z.of_nat (length sp) <= 2 ^ 20)%Z).
    { eapply Z.le_trans; [|exact Ln]. apply inj_le. rewrite flat_map_concat_map. apply spread_length. }
    destruct (parts_small 37 20 sp ltac:(lia) ltac:(lia) Len Sp) as [A B].
    apply in_app_or in Hz. destruct Hz as [Hz|Hz]; [|apply in_app_or in Hz; destruct Hz as [Hz|[<-|[]]]].
    + apply (pow_top _ 37); [now apply Sp|lia].
    + apply (pow_top _ 57); [now apply A|lia].
    + apply (pow_top _ 58); [|lia]. apply rnd_pow. lia. apply (plus_pow _ _ 57). apply (pow_mono _ 8); [exact By|lia].
      apply rnd_pow. lia. exact B.
Qed.
Theorem layers_in_range : forall l st x st', fits f f tail w st x -> small x ->
  do_layers bits letters tail cands D channels st l = Some st' ->
  (forall z, layers_result f f AnyOrder m w l x z -> Rabs z <= top f) /\
  (forall x', layers f f AnyOrder m w l x x' -> small x').
Proof.
  induction l as [|a l IH]; intros st x st' F Sm H; cbn [do_layers] in H.
  - split. intros z Hz. inversion Hz. intros x' Hx. assert (E : x = x') by (now inversion Hx). now rewrite <- E.
  - destruct (do_taps st st (taps a)) as [st1|] eqn:Dt; [|discriminate]. cbv zeta in H.
    destruct (safe_layer channels st st1 (do_net st1 (l_units a)) a) eqn:Sf; [|discriminate]. assert (Sf' := Sf).
    unfold safe_layer in Sf'. apply andb_prop in Sf'. destruct Sf' as [Sf' Uk]. apply andb_prop in Sf'.
      destruct Sf' as [_ Hk].
    assert (Step : forall y x', attention f f AnyOrder m w x a y -> net f f m w y a x' ->
      fits f f tail w (do_net st1 (l_units a)) x' /\ small x').
    { intros y x' At Nt.
      assert (F1 : fits f f tail w st1 y) by (apply (attention_ok f f AnyOrder bits pair sound_kind
        M m w letters in_alphabet NM cands
        D bounds st x a y st1 F At Dt)).
      assert (S1 := heads_small st x a y st1 F Sm Dt Hk At). split.
      - now apply (net_ok f f AnyOrder bits pair sound_kind m w letters in_alphabet cands st1 y a x').
      - now apply (units_small st1 y a x'). }
    split.
    + intros z Hz. inversion_clear Hz as [l0 r0 x0 z0 Hl|l0 r0 x0 y x' z0 At Nt Hr].
      * apply (layer_in_range st x a st1 F Sm Dt Sf z Hl).
      * destruct (Step y x' At Nt) as [F2 S2]. now apply (proj1 (IH _ _ _ F2 S2 H)).
    + intros x' Hx. inversion_clear Hx as [|l0 r0 x0 y z0 x1 At Nt Hr]. destruct (Step y z0 At Nt) as [F2 S2].
      now apply (proj2 (IH _ _ _ F2 S2 H)).
Qed.

(* ---- the embedding ---- *)
Lemma add_parts_small r c : forall s k, (forall t, In t r -> modest_weight (snd t) = true) ->
  Rabs s <= INR k * 2^ 58 ->
  (Z.of_nat (k + length r) <= 2 ^ prec f)%Z -> forall z, In z (add_parts f f r c s) -> Rabs z <= INR (k + length r)
    * 2^ 58.
Proof.
  assert (B0 := bpow_ge_0 radix2 58).
  induction r as [|t r IH]; intros s k Mw Hs L z Hz; cbn [add_parts length] in *; [destruct Hz|].
  assert (Mw' : forall q, In q r -> modest_weight (snd q) = true) by (intros; apply Mw; now right).
  assert (Up : INR k * 2^ 58 <= INR (S k) * 2^ 58) by (apply Rmult_le_compat_r; [auto|apply le_INR; lia]).
  assert (Nk : number f (INR (S k) * 2^ 58)).
  { apply (number_mult f _ (Z.of_nat (S k)) 58). now rewrite <- INR_IZR_INZ. lia. lia. }
  assert (S1 : Rabs (rnd f (s + wt f (snd t))) <= INR (S k) * 2^ 58).
  { apply abs_rnd_le; auto. rewrite S_INR. eapply Rle_trans; [apply Rabs_triang|].
    assert (W : Rabs (wt f (snd t)) <= 2^ 58) by (apply (pow_mono _ 8); [apply weight_small, Mw; now left|lia]). lra.
      }
  replace (k + S (length r))%nat with (S k + length r)%nat by lia.
  destruct (Nat.eqb (fst t) c).
  - destruct Hz as [<-|Hz].
    + eapply Rle_trans; [apply S1|]. apply Rmult_le_compat_r; auto. apply le_INR. lia.
    + apply (IH (rnd f (rnd f (s + wt f (snd t)))) (S k)); auto; [|lia]. now apply abs_rnd_le.
  - apply (IH s (S k)); auto; [lra|lia].
Qed.
Lemma modest_parts : modest_model tail m = true -> (forall r, In r (m_read m :: m_start m :: m_end_row m :: m_embed m)
  -> modest_row channels r = true) /\
  (forall e, In e (m_channels m) -> modest_expr e = true) /\ (forall c, (c < channels)%nat ->
    known (first_content tail m c) = true).
Proof.
  unfold modest_model. cbv zeta. intros H. apply andb_prop in H. destruct H as [H C]. apply andb_prop in H.
    destruct H as [A B].
  rewrite forallb_forall in A, B, C. repeat split; auto. intros c Hc. apply C, in_seq. lia.
Qed.
Lemma token_row_in i : In (token_row m w i) (m_read m :: m_start m :: m_end_row m :: m_embed m).
Proof.
  unfold token_row. destruct (at_ w i) as [a|] eqn:A. right. right. right. apply nth_In. now apply (in_alphabet i).
  destruct (Nat.eqb i 0). right. now left. right. right. now left.
Qed.
Theorem operations_in_range : modest_model tail m = true -> (forall x, embedding f f m w x ->
  fits f f tail w (first_state tail m) x) ->
  forall st', do_layers bits letters tail cands D channels (first_state tail m) (m_layers m)
    = Some st' ->
  forall z, operation f f AnyOrder m w z -> Rabs z <= top f.
Proof.
  intros Mm First st' Do z H. destruct (modest_parts Mm) as (Mr & Me & Mf).
  assert (Sm : forall x, embedding f f m w x -> small x).
  { intros x Em c i Hc Hi. assert (F := First x Em c). unfold get, first_state in F.
    rewrite (nth_indep _ Junk (first_content tail m 0)) in F by (rewrite map_length, seq_length; lia).
    rewrite map_nth, seq_nth in F by lia. cbn [plus] in F. now apply (known_small _ _ (Mf c Hc) F). }
  assert (Feature : forall c e i v, nth c (m_channels m) None = Some e -> (c < channels)%nat -> (i < size)%nat ->
    expression f (ereal e i (length w) size) v -> Rabs v <= 2^ 58).
  { intros c e i v Ne Hc Hi Ex. apply (expression_double f _ v 57 ltac:(lia) Ex). apply pow_number. lia.
    apply expr_size; auto.
    apply Me. rewrite <- Ne. now apply nth_In. }
  destruct H as [c e i v Ne Hc Hi Ex|c i v z Hc Hi Hv Hz|x z Em Hz|x i z Run Hi Hz].
  - apply (pow_top _ 58); [|lia]. now apply (Feature c e i v).
  - assert (V : Rabs v <= INR 1 * 2^ 58).
    { cbn [INR]. rewrite Rmult_1_l. destruct (nth c (m_channels m) None) as [e|] eqn:Ne. now apply (Feature c e i v).
      subst v.
      rewrite Rabs_R0. apply bpow_ge_0. }
    assert (Mt := Mr _ (token_row_in i)). unfold modest_row in Mt. apply andb_prop in Mt. destruct Mt as [Mt L].
      apply Nat.leb_le in L.
    rewrite forallb_forall in Mt. assert (TB : (2 ^ 24 <= 2 ^ prec f)%Z) by (apply Z.pow_le_mono_r; lia).
    assert (X := add_parts_small (token_row m w i) c v 1%nat (fun t Ht => proj1 (andb_prop _ _ (Mt t Ht))) V).
    change (2 ^ 24)%Z with 16777216%Z in TB. specialize (X ltac:(lia) z Hz).
    apply Rle_trans with (2^ 24 * 2^ 58). 2: rewrite <- bpow_plus; apply Rle_trans with (2^ 100); [apply bpow_le;
      lia|exact high].
    eapply Rle_trans; [apply X|]. apply Rmult_le_compat_r. apply bpow_ge_0. rewrite INR_IZR_INZ, <- pow_IZR by lia.
    apply IZR_le. change (2 ^ 24)%Z with 16777216%Z. lia.
  - now apply (proj1 (layers_in_range _ _ x st' (First x Em) (Sm x Em) Do)).
  - destruct Run as (x0 & Em & La). assert (S' := proj2 (layers_in_range _ _ x0 st' (First x0 Em) (Sm x0 Em) Do)
    x La).
    apply (pow_top _ 28); [|lia]. apply (proj1 (row_small x (m_read m) i (Mr _ (or_introl eq_refl)) S' Hi)). exact Hz.
Qed.
End Sizes.
