(* No operation of a run overflows. Rounding in Format.v has no largest number; a machine's run is that of Model.v if
   every result of an operation (Operations.v) is at most `top` of its format. It is so if the checker accepts: weights
   are at most 2^8, rows are short, and every channel is at most 2^cap after each sublayer, that is 2^8 where the storage
   format has much room, else 2. In the format of sums nothing is beyond 2^100, in that of storage nothing beyond 2^room.

   small          all channels are numbers of the format, at most 2^cap
   layers_in_range, operations_in_range   through all layers *)
From Coq Require Import ZArith QArith Qreals Reals Lia Lra Psatz List Bool Arith.
From Flocq Require Import Core.
From Temper Require Import Rows Format Sums Nearest Exact Rounding Range Strings Programs Compile Temporal FloatRun Results
  CompareAny SafeCompare SoundCompare Replay.
From Temper.checker Require Import Model Checker Points Exactness CountsOk Invariant Meaning HeadsOk PatternOk CompareOk TapsOk
  NetsOk RampsOk Operations EmbedOk.
Import ListNotations.
Local Open Scope R_scope.

(* ---- sizes ---- *)
Notation "2^ k" := (bpow radix2 k) (at level 0, k at level 0).
Lemma pow_number f k : (emin f <= k)%Z -> number f (2^ k).
Proof. intros H. assert (P := prec_ge_2 f). apply generic_format_bpow. unfold FLT_exp. lia. Qed.
Lemma rnd_pow f x k : (0 <= k)%Z -> Rabs x <= 2^ k -> Rabs (rnd f x) <= 2^ k.
Proof. intros K. apply abs_rnd_le, pow_number. generalize (emin_neg f) (prec_ge_2 f). lia. Qed.
Lemma pow_mono x a b : Rabs x <= 2^ a -> (a <= b)%Z -> Rabs x <= 2^ b.
Proof. intros H L. eapply Rle_trans; [apply H|now apply bpow_le]. Qed.
Lemma mult_pow x y a b : Rabs x <= 2^ a -> Rabs y <= 2^ b -> Rabs (x * y) <= 2^ (a + b).
Proof. intros X Y. rewrite Rabs_mult, bpow_plus. apply Rmult_le_compat; auto using Rabs_pos. Qed.
Lemma plus_pow x y a : Rabs x <= 2^ a -> Rabs y <= 2^ a -> Rabs (x + y) <= 2^ (a + 1).
Proof.
  intros X Y. rewrite bpow_plus. change (2^ 1) with 2. eapply Rle_trans; [apply Rabs_triang|]. lra.
Qed.
Lemma two_le : 1 <= 2^ 28. Proof. apply (bpow_le radix2 0); lia. Qed.
Lemma ulp_pow f k : (0 <= k)%Z -> ulp_of f (2^ k) <= 2^ k.
Proof.
  intros K. unfold ulp_of. rewrite ulp_bpow. apply bpow_le. unfold FLT_exp. generalize (emin_neg f) (prec_ge_2 f).
    lia.
Qed.

Section Sizes.
Variables (fs fa : format) (ord : order) (bits : kind).
Hypothesis pair : pair_of fs fa ord bits.
Hypothesis sound_kind : sane bits = true.
Notation room := (room bits). Notation cap := (cap bits).
Definition fitting (z : format * R) := Rabs (snd z) <= top (fst z).
Lemma wide_prec : (24 <= prec fa <= 53)%Z.
Proof. rewrite (sum_digits_is fs fa ord bits pair). generalize (kind_sizes bits sound_kind). lia. Qed.
Lemma fa_fits x k : Rabs x <= 2^ k -> (k <= 100)%Z -> fitting (fa, x).
Proof. intros H K. unfold fitting. cbn [fst snd]. eapply Rle_trans; [apply (pow_mono _ _ _ H K)|]. apply pair. Qed.
Lemma fs_fits x k : Rabs x <= 2^ k -> (k <= room)%Z -> fitting (fs, x).
Proof. intros H K. unfold fitting. cbn [fst snd]. eapply Rle_trans; [apply (pow_mono _ _ _ H K)|]. apply pair. Qed.
Lemma room_8 : (8 <= room <= 100)%Z. Proof. generalize (kind_sizes bits sound_kind). lia. Qed.
Lemma caps : (much_room bits = true /\ cap = 8 /\ 29 <= room)%Z \/ (much_room bits = false /\ cap = 1)%Z.
Proof.
  unfold Checker.cap. destruct (much_room bits) eqn:R; auto. left. repeat split. unfold much_room in R.
  now apply Z.leb_le in R.
Qed.
Lemma cap_room : (1 <= cap <= 8 /\ cap + 2 <= room)%Z. Proof. generalize caps room_8. lia. Qed.
(* sums of terms of at most 2^e: no partial sum is rounded up *)
Lemma parts_count e ys : (0 <= e)%Z -> (forall y, In y ys -> Rabs y <= 2^ e) -> forall s k,
  Rabs s <= INR k * 2^ e -> (Z.of_nat (k + length ys) <= 2 ^ prec fa)%Z ->
  (forall z, In z (asc_parts fa s ys) -> Rabs z <= INR (k + length ys) * 2^ e) /\
  Rabs (asc fa s ys) <= INR (k + length ys) * 2^ e.
Proof.
  intros E. assert (B0 := bpow_ge_0 radix2 e). assert (En := emin_neg fa). assert (P2 := prec_ge_2 fa).
  induction ys as [|y ys IH]; intros Hy s k Hs L;
    cbn [asc_parts asc length] in *.
  - rewrite Nat.add_0_r. split; [intros z []|exact Hs].
  - assert (S : Rabs (rnd fa (s + y)) <= INR (S k) * 2^ e).
    { apply abs_rnd_le.
      - apply (number_mult fa _ (Z.of_nat (S k)) e). now rewrite <- INR_IZR_INZ. lia. lia.
      - rewrite S_INR. eapply Rle_trans; [apply Rabs_triang|]. specialize (Hy y (or_introl eq_refl)). lra. }
    destruct (IH (fun q Hq => Hy q (or_intror Hq)) _ (Datatypes.S k) S ltac:(lia)) as [I1 I2].
    replace (k + Datatypes.S (length ys))%nat with (Datatypes.S k + length ys)%nat by lia. split; auto.
    intros z [<-|Hz]; auto. eapply Rle_trans; [apply S|]. apply Rmult_le_compat_r; auto. apply le_INR. lia.
Qed.
Lemma parts_small e t ys : (0 <= e)%Z -> (0 <= t <= 24)%Z -> (Z.of_nat (length ys) <= 2 ^ t)%Z ->
  (forall y, In y ys -> Rabs y <= 2^ e) ->
  (forall z, In z (asc_parts fa 0 ys) -> Rabs z <= 2^ (e + t)) /\ Rabs (asc fa 0 ys) <= 2^ (e + t).
Proof.
  assert (WP := wide_prec). intros E T L Y. assert (TB : (2 ^ t <= 2 ^ prec fa)%Z) by (apply Z.pow_le_mono_r; lia).
  destruct (parts_count e ys E Y 0 0%nat) as [A B]. { rewrite Rabs_R0. cbn. lra. } { cbn [Nat.add]. lia. }
  assert (C : INR (0 + length ys) * 2^ e <= 2^ (e + t)).
  { rewrite bpow_plus, (Rmult_comm (2^ e)). apply Rmult_le_compat_r. apply bpow_ge_0. cbn [Nat.add].
    rewrite INR_IZR_INZ, <- pow_IZR by lia. now apply IZR_le. }
  split; [intros z Hz; specialize (A z Hz)|]; lra.
Qed.
(* what is summed fits *)
Lemma summed_fits e t ys : (0 <= e)%Z -> (0 <= t <= 24)%Z -> (e + t <= 100)%Z -> (Z.of_nat (length ys) <= 2 ^ t)%Z ->
  (forall y, In y ys -> Rabs y <= 2^ e) -> (forall z, In z (summed fa ys) -> fitting z) /\
    Rabs (asc fa 0 ys) <= 2^ (e + t).
Proof.
  intros E T ET L Y. destruct (parts_small e t ys E T L Y) as [A B]. split; auto. intros z Hz. unfold summed in Hz.
  apply in_map_iff in Hz. destruct Hz as (q & <- & Hq). apply in_app_or in Hq. destruct Hq as [Hq|Hq].
  apply (fa_fits _ e); [now apply Y|lia]. apply (fa_fits _ (e + t)); [now apply A|lia].
Qed.
(* terms with whole caps *)
Lemma asc_caps ys : forall cs s (S : Z), Forall2 (fun y c => Rabs y <= IZR c /\ (0 <= c)%Z) ys cs ->
  Rabs s <= IZR S -> (0 <= S)%Z ->
  (S + fold_right Z.add 0 cs <= 2 ^ prec fa)%Z -> Rabs (asc fa s ys) <= IZR (S + fold_right Z.add 0%Z cs).
Proof.
  induction ys as [|y ys IH]; intros cs s S F Hs S0 B; inversion F as [|? c ? cs' [Hy c0] F' E1 E2]; subst;
    cbn [asc fold_right] in *. now rewrite Z.add_0_r.
  assert (P : (0 <= fold_right Z.add 0 cs')%Z). { clear - F'. induction F' as [|? ? ? ? [_ H] _ IH]; cbn; lia. }
  replace (S + (c + fold_right Z.add 0 cs'))%Z with (S + c + fold_right Z.add 0 cs')%Z by lia. apply IH; auto;
    try lia.
  apply abs_rnd_le. apply number_int. lia. rewrite plus_IZR. eapply Rle_trans; [apply Rabs_triang|]. lra.
Qed.
Lemma weight_small d : modest_weight d = true -> Rabs (wt fs d) <= 2^ 8.
Proof.
  unfold modest_weight. intros H. apply andb_prop in H. destruct H as [H H3]. apply andb_prop in H.
    destruct H as [H1 H2].
  apply Z.leb_le in H1, H2, H3. apply rnd_pow. lia. unfold dR. rewrite Rabs_mult, (Rabs_pos_eq (bpow _ _))
    by apply bpow_ge_0.
  apply Rle_trans with (2^ (8 - ex d) * 2^ (ex d)).
  - apply Rmult_le_compat_r. apply bpow_ge_0. rewrite <- abs_IZR, <- pow_IZR by lia. now apply IZR_le.
  - rewrite <- bpow_plus. apply bpow_le. lia.
Qed.
Lemma weight_fits d : modest_weight d = true -> fitting (fs, wt fs d).
Proof. intros H. apply (fs_fits _ 8). now apply weight_small. apply room_8. Qed.
Lemma stored_fits r : forallb (fun t => modest_weight (snd t)) r = true -> forall z, In z (stored fs r) -> fitting z.
Proof.
  intros H z Hz. unfold stored in Hz. apply in_map_iff in Hz. destruct Hz as (t & <- & Ht).
    rewrite forallb_forall in H.
  apply weight_fits. now apply H.
Qed.

Variables (m : model) (w : list nat).
Notation tail := (m_end m). Notation size := (N tail w). Notation letters := (length (m_embed m)).
Notation channels := (length (m_channels m)).
Notation row_results := (row_results fs fa).
Definition small (x : state) := forall c i, (c < channels)%nat -> (i < size)%nat -> number fs (x c i) /\ Rabs (x c i)
  <= 2^ cap.
Lemma little_le s : (s <= little bits)%Z -> (s <= 128)%Z /\ (s <= 2 ^ digits bits)%Z.
Proof. unfold little. generalize (big_le bits). lia. Qed.
Lemma row_small x r i : modest_row bits channels r = true -> small x -> (i < size)%nat ->
  (forall z, In z (row_results x r i) -> fitting z) /\ Rabs (row_sum fs fa x r i) <= 2^ 28 /\
  Rabs (row_sum fs fa x r i) <= 2^ (room - 1).
Proof.
  unfold modest_row. intros H Sm Hi. apply andb_prop in H. destruct H as [H R]. apply andb_prop in H.
    destruct H as [H L].
    apply Nat.leb_le in L. assert (H0 := H).
  rewrite forallb_forall in H. assert (Rm := room_8). assert (Cp := cap_room).
  assert (T : forall y, In y (row_terms fs fa x r i) -> Rabs y <= 2^ 16).
  { intros y Hy. unfold row_terms in Hy. apply in_map_iff in Hy. destruct Hy as (t & <- & Ht). specialize (H t Ht).
    apply andb_prop in H. destruct H as [H1 H2]. apply Nat.ltb_lt in H2. apply rnd_pow. lia.
    apply (pow_mono _ (8 + cap)); [|lia]. apply mult_pow. now apply weight_small. now apply Sm. }
  destruct (summed_fits 16 12 (row_terms fs fa x r i) ltac:(lia) ltac:(lia) ltac:(lia)) as [A B]; auto.
  { unfold row_terms. rewrite map_length. change (2 ^ 12)%Z with 4096%Z. lia. }
  change (16 + 12)%Z with 28%Z in B. fold (row_sum fs fa x r i) in B.
  assert (C : Rabs (row_sum fs fa x r i) <= 2^ (room - 1)).
  { destruct caps as [(_ & _ & Big)|(Mr & C1)]. apply (pow_mono _ 28); [auto|lia].
    rewrite Mr in R. cbn [orb] in R. unfold at_most in R. destruct (zabs r) as [s|] eqn:S; [|discriminate]. apply Z.leb_le in R.
    destruct (little_le s R) as [R1 R2]. apply (pow_mono _ 7); [|lia]. change (2^ 7) with 128.
    assert (Fc : exists cs, Forall2 (fun y c => Rabs y <= IZR c /\ (0 <= c)%Z) (row_terms fs fa x r i) cs /\
      fold_right Z.add 0%Z cs = s).
    { assert (X : forall t, In t r -> Rabs (x (fst t) i) <= 2). { intros t Ht. specialize (H t Ht).
      apply andb_prop in H.
        destruct H as [_ H2]. apply Nat.ltb_lt in H2. assert (Y := proj2 (Sm (fst t) i H2 Hi)). rewrite C1 in Y. exact Y. }
      clear - S R1 R2 X pair sound_kind. assert (WP := wide_prec). revert s S R1 R2.
      induction r as [|[c d] r IH]; cbn [zabs]; intros s S R1 R2.
      - injection S as <-. exists []. split; constructor.
      - destruct (halves d) as [h|] eqn:Hh; [|discriminate]. destruct (zabs r) as [s'|] eqn:S'; [|discriminate].
        injection S as <-. assert (P := zabs_pos r s' S').
        destruct (IH ltac:(intros; apply X; now right) s' eq_refl ltac:(lia) ltac:(lia)) as (cs & F & E).
        exists (Z.abs h :: cs). cbn [fold_right]. rewrite E. split; auto. constructor; auto. split; [|lia].
        cbn [fst snd]. rewrite (wt_half fs fa ord bits pair sound_kind d h Hh) by lia. apply abs_rnd_le.
        apply number_int. rewrite Z.abs_involutive. assert (2 ^ 24 <= 2 ^ prec fa)%Z by (apply Z.pow_le_mono_r; lia).
          lia.
        rewrite Rabs_mult. specialize (X (c, d) (or_introl eq_refl)). cbn [fst] in X.
        assert (Hb : Rabs (half h) = IZR (Z.abs h) / 2). { rewrite half_eq. unfold Rdiv.
          rewrite Rabs_mult, <- abs_IZR, (Rabs_pos_eq (/ 2)) by lra. reflexivity. }
        rewrite Hb. assert (0 <= IZR (Z.abs h)) by (apply IZR_le; lia).
        apply Rle_trans with (IZR (Z.abs h) / 2 * 2). apply Rmult_le_compat_l; lra. lra. }
    destruct Fc as (cs & F & E). assert (WP := wide_prec).
      assert (2 ^ 24 <= 2 ^ prec fa)%Z by (apply Z.pow_le_mono_r; lia).
    assert (Ac := asc_caps _ cs 0 0 F ltac:(rewrite Rabs_R0; lra) ltac:(lia) ltac:(lia)). rewrite E in Ac.
      cbn [Z.add] in Ac.
    unfold row_sum. assert (IZR s <= 128) by (apply IZR_le; lia). lra. }
  split; auto. intros z Hz. unfold Operations.row_results in Hz. apply in_app_or in Hz. destruct Hz as [Hz|Hz];
    [|apply in_app_or in Hz; destruct Hz as [Hz|[<-|[]]]].
  - refine (stored_fits r _ z Hz). apply forallb_forall. intros t Ht. specialize (H t Ht). now apply andb_prop in H.
  - now apply A.
  - apply (fs_fits _ (room - 1)); [|lia]. unfold row_val. apply rnd_pow; [lia|auto].
Qed.
Lemma value_small x r i : modest_row bits channels r = true -> small x -> (i < size)%nat -> Rabs (row_val fs fa x r i)
  <= 2^ 28.
Proof. intros H Sm Hi. apply rnd_pow. lia. now apply row_small. Qed.

(* ---- what channels hold ---- *)
Variable cands : list fml.
Hypothesis in_alphabet : forall i a, at_ w i = Some a -> (a < letters)%nat.
Lemma known_small k x : known bits k = true -> holds fs fa tail w k x -> forall i, (i < size)%nat -> number fs (x i) /\
  Rabs (x i) <= 2^ cap.
Proof.
  intros K H i Hi. specialize (H i Hi). assert (B8 : 2 <= 2^ cap) by (apply (bpow_le radix2 1); generalize cap_room; lia).
  destruct k as [g s e| |g e| |d g z|d]; [| | |discriminate| |].
  - rewrite H. split. apply number_bit. unfold b2R. destruct (if letter w i then _ else _); rewrite Rabs_pos_eq; lra.
  - split. destruct H as [(y & _ & _ & ->) _]. apply rnd_number.
    assert (X := expression_1 fs _ _ H). assert (P := pos_INR i). assert (i1 : INR i <= INR size) by (apply le_INR;
      lia).
    assert (S0 : 0 < INR size) by (apply lt_0_INR; lia). assert (Y : Rabs (INR i / INR size) <= 1).
    { rewrite Rabs_pos_eq. apply Rmult_le_reg_r with (INR size); auto. unfold Rdiv.
      rewrite Rmult_assoc, Rinv_l by lra. lra.
      apply Rmult_le_pos; auto. left. now apply Rinv_0_lt_compat. }
    specialize (X Y). lra.
  - destruct H as (Nx & P & b & Hb & _). split; auto. cbn in K. apply Qle_bool_iff in K. apply Qle_Rle in K.
    replace (Q2R 1) with 1 in K by (unfold Q2R; simpl; lra). apply Rabs_le_inv in Hb. apply Rabs_le. unfold b2R in Hb.
    destruct b; lra.
  - destruct H as [-> B]. split. unfold quotient. apply rnd_number. eapply Rle_trans; [apply B|]. cbn [known] in K.
    apply andb_prop in K. destruct K as [K1 K]. apply Z.leb_le in K. apply Rle_trans with (half 512). now apply half_le.
    unfold Checker.cap. rewrite K1. unfold half. change 512 with (IZR (2 ^ 9)). rewrite pow_IZR by lia. rewrite <- bpow_plus.
    apply Rle_refl.
  - split. destruct H as [(y & _ & _ & ->) _]. apply rnd_number.
    assert (X := expression_1 fs _ _ H). assert (L := log_small (@nil (def nat)) d i size Hi). unfold kappa in L.
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
Hypothesis size_bits : (Z.of_nat size <= 2 ^ 53)%Z.
Hypothesis size_any : ord = AnyOrder -> (Z.of_nat size <= 2 ^ prec fa)%Z.
Lemma size_pow : 1 <= INR size <= 2^ 53.
Proof.
  split. { apply (le_INR 1). unfold N. destruct tail; lia. }
  rewrite INR_IZR_INZ, <- pow_IZR by lia. now apply IZR_le.
Qed.
Lemma expr_size e i n : (match e with E_log | E_steep | E_twice => True | E_whole 1 => True | _ => False end) -> Rabs (ereal e i n size) <= 2^ 57.
Proof.
  intros Hs. destruct size_pow as [S1 S2]. assert (S4 : 16 * 2^ 53 = 2^ 57) by (change 16 with (2^ 4);
    now rewrite <- bpow_plus).
  destruct e as [[|[]|]| | | | | | | | | |]; try contradiction; cbn [ereal].
  - rewrite Rabs_pos_eq by lra. lra.
  - assert (L0 : 0 <= ln (INR size)). { rewrite <- ln_1. destruct S1 as [S1|<-]; [left; apply ln_increasing;
    lra|lra]. }
    assert (L1 : ln (INR size) <= INR size). { assert (X := exp_ineq1_le (ln (INR size))). rewrite exp_ln in X by lra.
      lra. }
    rewrite Rabs_pos_eq by lra. lra.
  - rewrite Rabs_pos_eq by lra. lra.
  - rewrite Rabs_pos_eq by lra. lra.
Qed.
Lemma scale_small e lam : (match e with E_log | E_steep | E_twice => True | E_whole 1 => True | _ => False end) ->
  expression fa (ereal e 0 (length w) size) lam -> number fa lam /\ Rabs lam <= 2^ 58.
Proof.
  intros Sh H. split. destruct H as [(y & _ & _ & ->) _]. apply rnd_number.
  apply (expression_double fa _ lam 57 ltac:(lia) H). apply pow_number. generalize (emin_neg fa) (prec_ge_2 fa); lia.
    now apply expr_size.
Qed.

(* ---- heads ---- *)
Variables (D : errors) (M : nat).
Hypothesis NM : (size <= M)%nat.
Hypothesis bounds : errors_ok fs fa ord (one_format bits) M D.
Notation meaning := (tap_meaning bits letters tail cands D).
Notation do_taps := (do_taps bits letters tail cands D). Notation do_net := (do_net bits letters cands).
Notation modest_row := (modest_row bits channels).
Lemma all_meanings st0 : forall l st st', do_taps st0 st l = Some st' -> forall t, In t l -> (exists k,
  meaning st0 t = Some k /\ known bits k = true) /\ exists c d, snd t = [(c, d)] /\ half_is d 2 = true.
Proof.
  induction l as [|a l IH]; cbn [Checker.do_taps]; intros st st' H t Ht; [destruct Ht|].
  destruct (snd a) as [|[c d] [|]] eqn:Ea; try discriminate. destruct (meaning st0 a) as [k|] eqn:Ma; [|discriminate].
  destruct (half_is d 2 && is_zero (get st c) && known bits k) eqn:Hd; [|discriminate]. apply andb_prop in Hd.
  destruct Hd as [Hd Kn]. apply andb_prop in Hd. destruct Hd as [Hd _].
  destruct Ht as [<-|Ht]. split; eauto. eauto.
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
Lemma in_keys_size mk i j : In j (keys tail w mk i) -> (j < size)%nat.
Proof. intros H. apply in_keys in H. tauto. Qed.
Lemma fa_neg k : (0 <= k)%Z -> (emin fa <= k)%Z. Proof. generalize (emin_neg fa) (prec_ge_2 fa); lia. Qed.
(* a tap whose logits are bounded *)
Definition logits_small x h i := forall lam j, expression fa (ereal (h_scale h) 0 (length w) size) lam ->
  In j (keys tail w (h_mask h) i) -> (forall l, logit_of fa ord lam (pairs_ fs fa x h i j) l -> Rabs l <= 2^ 90) /\
  (forall z, logit_result fa ord lam (pairs_ fs fa x h i j) z -> Rabs z <= 2^ 90).
Lemma rows_small_tap st x h v psi : fits fs fa tail w st x -> small x -> bool_row bits letters cands st v = Some psi ->
  (match h_scale h with E_log | E_steep | E_twice => True | E_whole 1 => True | _ => False end) ->
  forallb (modest_row) (v :: h_query h ++ h_key h) = true -> forall i z, (i < size)%nat -> logits_small x h i ->
  tap_result fs fa ord m w x h v i z -> fitting z.
Proof.
  intros F Sm V Sc Mr i z Hi Logits H. rewrite forallb_forall in Mr.
  assert (Rows : forall r j z, In r (v :: h_query h ++ h_key h) -> (j < size)%nat -> In z (row_results x r j) ->
    fitting z).
  { intros r j z0 Hr Hj Hz. exact (proj1 (row_small x r j (Mr r Hr) Sm Hj) z0 Hz). }
  destruct H as [r z Hr Hz|r j z Hj Hr Hz|lam El|lam j z El Hj Hz|E lam logit z HE El Nl Lg Sr|z Hz];
    cbn [fst snd] in *.
  - apply (Rows r i); auto. right. apply in_or_app. now left.
  - apply (Rows r j); auto. destruct Hr as [<-|Hr]; [now left|right; apply in_or_app; now right]. now apply in_keys_size in Hj.
  - destruct (scale_small _ lam Sc El) as [_ B]. apply (fa_fits _ 58); [exact B|lia].
  - apply (fa_fits _ 90); [|lia]. now apply (proj2 (Logits lam j El Hj)).
  - apply (unit_row fs fa E ord HE logit (fun j => row_val fs fa x v j) (keys tail w (h_mask h) i)); auto.
    + intros j Hj. rewrite (proj2 (bool_row_ok fs fa ord bits pair sound_kind 
tail w letters in_alphabet cands st x v psi V F j
      (in_keys_size _ _ _ Hj))).
      apply truth_01.
    + intros O. assert (X := keys_length tail w (h_mask h) i). specialize (size_any O). lia.
    + apply (incl fs fa ord bits pair sound_kind).
    + intros j k0 Hj Hk0. apply (fa_fits _ (90 + 1)); [|lia]. apply plus_pow.
      apply (proj1 (Logits lam j El Hj)). now apply Lg. rewrite Rabs_Ropp. apply (proj1 (Logits lam k0 El Hk0)).
        now apply Lg.
  - apply (fs_fits _ 0). apply rnd_pow. lia. change (2^ 0) with 1. rewrite Rabs_pos_eq; lra. generalize room_8. lia.
Qed.

Lemma plain_small st x h v o y i : fits fs fa tail w st x -> small x -> tap_plain bits letters tail cands D st (h, v, o) = Some y ->
  forallb (modest_row) (v :: h_query h ++ h_key h) = true -> (i < size)%nat -> logits_small x h i.
Proof.
  intros F Sm Mt Mr Hi. destruct (plain_shape st h v o y Mt) as (Q1 & [k Hk] & Sc & _). rewrite forallb_forall in Mr.
  assert (Pairs : forall j, In j (keys tail w (h_mask h) i) -> pairs_ fs fa x h i j = [(1, row_val fs fa x k j)]).
  { intros j Hj. unfold pairs_. rewrite Hk, (query_one_ok fs fa ord bits pair sound_kind tail w st x h i Q1 F Hi).
    reflexivity. }
  assert (Kv : forall j, In j (keys tail w (h_mask h) i) -> Rabs (row_val fs fa x k j) <= 2^ 28).
  { intros j Hj. apply value_small; auto. apply Mr. right. rewrite Hk. apply in_or_app. right. now left.
    now apply in_keys_size in Hj. }
  intros lam j El Hj. rewrite (Pairs j Hj). destruct (scale_small _ lam Sc El) as [Nl Bl].
  destruct (logit_sizes fa ord lam 1 (row_val fs fa x k j) (2^ 58) (2^ 28) Nl Bl) as [A B].
  - apply pow_number, fa_neg. lia.
  - rewrite Rabs_pos_eq by lra. apply two_le.
  - rewrite Rmult_1_l. now apply Kv.
  - now left.
  - rewrite <- bpow_plus, (rnd_id fa (2^ (58 + 28))) in A, B by (apply pow_number, fa_neg; lia).
    assert (U : 2^ (58 + 28) + ulp_of fa (2^ (58 + 28)) <= 2^ 87).
    { assert (X := ulp_pow fa (58 + 28) ltac:(lia)). change 87%Z with (86 + 1)%Z. rewrite (bpow_plus radix2 86).
      change (58 + 28)%Z with 86%Z in *.
      change (2^ 1) with 2. lra. }
    assert (U2 : 2^ 87 <= 2^ 90) by (apply bpow_le; lia).
    split. intros l Hl. specialize (A l Hl). lra.
    intros z0 Hz. destruct (B z0 Hz) as [C|C]; [|lra]. apply (pow_mono _ 28); [exact C|lia].
Qed.
Lemma pattern_small st x h v o y i : fits fs fa tail w st x -> small x -> tap_pattern bits letters tail cands D st (h, v, o) = Some y ->
  forallb (modest_row) (v :: h_query h ++ h_key h) = true -> (i < size)%nat -> logits_small x h i.
Proof.
  intros F Sm Mt Mr Hi lam j El Hj.
  destruct (pattern_shape fs fa ord bits pair sound_kind size m w letters (le_n _) cands D st h v o y Mt) as (Sc & _ & k & Ik & Sh).
  assert (Hj' := in_keys_size _ _ _ Hj). destruct (Sh x i j F Hi Hj') as (l & Hl & Pe). rewrite Pe. clear Sh Pe.
  rewrite forallb_forall in Mr. assert (Kv : Rabs (row_val fs fa x k j) <= 2^ 28).
  { apply value_small; auto. apply Mr. right. apply in_or_app. now right. }
  set (kv := row_val fs fa x k j) in *. destruct (scale_small (h_scale h) lam) as [Nl Bl]; auto. { now rewrite Sc. }
  assert (C1 : INR (hits l) = 0 \/ INR (hits l) = 1) by (destruct (hits l) as [|[|]]; [auto|auto|lia]).
  (* a last term of a sum *)
  assert (Last : forall L a z, Rabs L <= 2^ 58 -> Rabs a <= 2^ 58 -> (z = rnd fa (INR (hits l) * L + rnd fa (a * kv)) \/
    z = rnd fa (INR (hits l) * L + a * kv)) -> Rabs z <= 2^ 87).
  { intros L a z HL Ha Hz. assert (P : Rabs (a * kv) <= 2^ (58 + 28)) by (now apply mult_pow).
    assert (Q : Rabs (rnd fa (a * kv)) <= 2^ (58 + 28)) by (apply rnd_pow; [lia|exact P]).
    assert (S : Rabs (INR (hits l) * L) <= 2^ (58 + 28)).
    { apply (pow_mono _ 58); [|lia]. destruct C1 as [-> | ->]; rewrite ?Rmult_0_l, ?Rmult_1_l; auto.
      rewrite Rabs_R0. apply bpow_ge_0. }
    destruct Hz as [-> | ->]; apply rnd_pow; try lia; change 87%Z with (58 + 28 + 1)%Z; now apply plus_pow. }
  assert (One58 : Rabs 1 <= 2^ 58) by (rewrite Rabs_pos_eq by lra; apply (bpow_le radix2 0); lia).
  assert (Dots : forall L a z, number fa L -> Rabs L <= 2^ 58 -> Rabs a <= 2^ 58 -> dot fa 0 (bit_pairs L l ++ [(a, kv)]) z -> Rabs z <= 2^ 87).
  { intros L a z NL HL Ha Dt. apply (Last L a z HL Ha). now apply (dot_all fa L l a kv z NL Hl). }
  assert (Partial : forall L a z, number fa L -> Rabs L <= 2^ 58 -> Rabs a <= 2^ 58 -> dot_result fa 0 (bit_pairs L l ++ [(a, kv)]) z -> Rabs z <= 2^ 87).
  { intros L a z NL HL Ha Dt. replace 0 with (INR 0 * L) in Dt by (cbn; ring).
    destruct (dot_result_bits fa L l NL 0 [(a, kv)] z Hl Dt) as [->|[->|R]].
    - rewrite Rabs_R0. apply bpow_ge_0.
    - apply (pow_mono _ 58); [exact HL|lia].
    - cbn [plus] in R. inversion R; subst; try match goal with X : dot_result _ _ [] _ |- _ => inversion X end.
      + apply rnd_pow; [lia|]. apply (pow_mono _ (58 + 28)); [now apply mult_pow|lia].
      + apply (Last L a); auto.
      + apply (Last L a); auto. }
  assert (Moved : forall l0 l1, moved fa ord l0 l1 -> Rabs l0 <= 2^ 88 -> Rabs l1 <= 2^ 90).
  { intros l0 l1 Mv B. assert (X := moved_size fa ord l0 l1 _ Mv B). assert (U := ulp_pow fa 88 ltac:(lia)).
    change 90%Z with (88 + 2)%Z. rewrite (bpow_plus radix2 88). change (2^ 2) with 4. assert (0 <= 2^ 88) by apply bpow_ge_0. lra. }
  assert (Prod : forall s, dot fa 0 (bit_pairs 1 l ++ [(1, kv)]) s -> Rabs (rnd fa (lam * s)) <= 2^ 88).
  { intros s Dt. assert (S : Rabs s <= 2^ 29).
    { apply (dot_all fa 1 l 1 kv s (number_1 fa) Hl) in Dt. rewrite Rmult_1_l, Rmult_1_r in Dt.
      assert (S0 : Rabs (INR (hits l)) <= 2^ 28).
      { destruct C1 as [-> | ->]; rewrite Rabs_pos_eq by lra. apply bpow_ge_0. apply two_le. }
      assert (Rk : Rabs (rnd fa kv) <= 2^ 28) by (apply rnd_pow; [lia|exact Kv]).
      destruct Dt as [-> | ->]; apply rnd_pow; try lia; change 29%Z with (28 + 1)%Z; now apply plus_pow. }
    apply rnd_pow; [lia|]. apply (pow_mono _ (58 + 29)); [now apply mult_pow|lia]. }
  assert (Lg : forall l1, logit_of fa ord lam (bit_pairs 1 l ++ [(1, kv)]) l1 -> Rabs l1 <= 2^ 90).
  { intros l1 [s Dt Mv|s Dt Mv].
    - apply (Moved _ _ Mv). now apply Prod.
    - rewrite (scaled_bits fa lam l kv Nl) in Dt. apply (Moved _ _ Mv). apply (pow_mono _ 87); [|lia]. now apply (Dots lam lam). }
  split; [exact Lg|]. intros z Hz. assert (Up : forall y, Rabs y <= 2^ 87 -> Rabs y <= 2^ 90) by (intros y0 Hy; apply (pow_mono _ 87); [exact Hy|lia]).
  destruct Hz as [z Hz|s Hz|t0 Ht|z Hz|l1 Hz].
  - apply Up. apply (Partial 1 1); auto. apply number_1.
  - apply (pow_mono _ 88); [now apply Prod|lia].
  - apply Up. apply rnd_pow; [lia|]. apply (pow_mono _ (58 + 0)); [|lia]. apply mult_pow; auto. change (2^ 0) with 1.
    apply in_app_iff in Ht. destruct Ht as [Ht|[<-|[]]]; [|cbn; rewrite Rabs_pos_eq; lra].
    unfold bit_pairs in Ht. apply in_map_iff in Ht. destruct Ht as ([p q] & <- & _). cbn [fst snd]. destruct p; cbn;
      rewrite ?Rmult_1_l, ?Rmult_0_r, Rabs_pos_eq; lra.
  - apply Up. unfold scaled in Hz. rewrite (scaled_bits fa lam l kv Nl) in Hz. now apply (Partial lam lam).
  - now apply Lg.
Qed.
Theorem boolean_small st x t y : fits fs fa tail w st x -> small x -> tap_boolean bits letters tail cands D st t = Some y ->
  forallb (modest_row) (snd (fst t) :: h_query (fst (fst t)) ++ h_key (fst (fst t))) = true ->
  forall i z, (i < size)%nat -> tap_result fs fa ord m w x (fst (fst t)) (snd (fst t)) i z -> fitting z.
Proof.
  destruct t as [[h v] o]. cbn [fst snd]. intros F Sm Mt Mr i z Hi H. unfold tap_boolean in Mt.
  destruct (tap_plain bits letters tail cands D st (h, v, o)) as [p|] eqn:P.
  - destruct (plain_shape st h v o p P) as (_ & _ & Sc & psi & V).
    apply (rows_small_tap st x h v psi F Sm V Sc Mr i z Hi); auto. now apply (plain_small st x h v o p i).
  - destruct (pattern_shape fs fa ord bits pair sound_kind size m w letters (le_n _) cands D st h v o y Mt) as (Sc & [psi V] & _).
    apply (rows_small_tap st x h v psi F Sm V) with (i := i); auto. now rewrite Sc. now apply (pattern_small st x h v o y i).
Qed.
Theorem tap_small st x t k : fits fs fa tail w st x -> small x -> meaning st t = Some k ->
  forallb (modest_row) (snd (fst t) :: h_query (fst (fst t)) ++ h_key (fst (fst t))) = true ->
  forall i z, (i < size)%nat -> tap_result fs fa ord m w x (fst (fst t)) (snd (fst t)) i z -> fitting z.
Proof.
  unfold tap_meaning. intros F Sm Mt Mr i z Hi H.
  assert (Rows : forall r j z, In r (snd (fst t) :: h_query (fst (fst t)) ++ h_key (fst (fst t))) -> (j < size)%nat ->
    In z (row_results x r j) -> fitting z).
  { intros r j z0 Hr Hj Hz. rewrite forallb_forall in Mr. exact (proj1 (row_small x r j (Mr r Hr) Sm Hj) z0 Hz). }
  assert (One : 1 <= 2^ 0) by (simpl; lra).
  destruct (tap_count tail D st t) as [k0|] eqn:C.
  { destruct (count_shape m D st t k0 C) as (d & g & y & ->). destruct t as [[h v] o]. cbn [fst snd] in *.
    destruct (count_values fs fa ord bits pair sound_kind M m w NM D bounds st x h v o d g y C F)
      as (Q & K & Sc & _). assert (Sh : match h_scale h with E_log | E_steep | E_twice => True | E_whole 1 => True | _ => False end)
      by (now rewrite Sc).
    destruct H as [r z Hr Hz|r j z Hj Hr Hz|lam El|lam j z El Hj Hz|E lam logit z HE El Nl Lg Sr|z Hz]; cbn [fst snd] in *.
    - rewrite Q in Hr. destruct Hr.
    - destruct Hr as [<-|Hr]. apply (Rows v j); auto. now left. now apply in_keys_size in Hj. rewrite K in Hr. destruct Hr.
    - destruct (scale_small _ lam Sh El) as [_ B]. apply (fa_fits _ 58); [exact B|lia].
    - unfold pairs_ in Hz. rewrite Q in Hz. apply (fa_fits _ 0); [|lia]. apply (no_scores fa ord M m w NM) in Hz. simpl (bpow _ _). lra.
    - unfold fitting. cbn [fst snd].
      now apply (count_results fs fa ord bits pair sound_kind M m w NM D bounds st x h v o d g y C F i E lam logit z).
    - apply (fs_fits _ 0). apply rnd_pow. lia. change (2^ 0) with 1. rewrite Rabs_pos_eq; lra. generalize room_8. lia. }
  clear C. destruct (tap_compare letters tail cands D st t) as [[g e]|] eqn:P.
  2:{ destruct (tap_boolean _ _ _ _ _ st t) as [q|] eqn:B; [|discriminate]. now apply (boolean_small st x t q F Sm B Mr i z Hi). }
  clear Mt. destruct t as [[h v] o]. cbn [fst snd] in *.
  destruct (compare_shape m letters cands D st h v o g e P) as (cm & a & cl & b & ck & k' & cv & y & d & g' & zz & Q & K
    & Sc & Ev & Gm & Gl & Mk & Sg & Sk & Sv & Ha & Hb & Hk & Hy & Dq & _ & T).
  assert (Sh : match h_scale h with E_log | E_steep | E_twice => True | E_whole 1 => True | _ => False end) by (now rewrite Sc).
  assert (Key : forall j, (j < size)%nat -> row_val fs fa x [(ck, k')] j = at_z (sentinel d size) j).
  { intros j Hj. assert (X := sentinel_ok fs fa M m w NM st x ck d j F Sk T Hj). rewrite (one_term fs fa ord bits pair sound_kind); auto.
    rewrite X. apply at_z_number. }
  assert (Val : forall j, (j < size)%nat -> row_val fs fa x v j = at_z (sentinel d size) j).
  { intros j Hj. rewrite Ev. assert (X := sentinel_ok fs fa M m w NM st x cv d j F Sv T Hj). rewrite (one_term fs fa ord bits pair sound_kind); auto.
    rewrite X. apply at_z_number. }
  assert (Z01 : forall j, at_z (sentinel d size) j = 0 \/ at_z (sentinel d size) j = 1) by (intros j; unfold at_z; destruct (Nat.eqb j _); auto).
  set (q := row_val fs fa x [(cm, a); (cl, b)] i).
  assert (Bq : Rabs q <= 2^ 28). { apply value_small; auto. rewrite forallb_forall in Mr. apply Mr. right. rewrite Q. now left. }
  assert (Pairs : forall j, In j (keys tail w (h_mask h) i) -> pairs_ fs fa x h i j = [(q, at_z (sentinel d size) j)]).
  { intros j Hj. unfold pairs_. rewrite Q, K. cbn [map combine]. rewrite Key; auto. now apply in_keys_size in Hj. }
  assert (Logits : forall lam j, expression fa (ereal (h_scale h) 0 (length w) size) lam -> In j (keys tail w (h_mask h) i) ->
    (forall l, logit_of fa ord lam (pairs_ fs fa x h i j) l -> Rabs l <= 2^ 87) /\
    (forall z, logit_result fa ord lam (pairs_ fs fa x h i j) z -> Rabs z <= 2^ 87)).
  { intros lam j El Hj. rewrite (Pairs j Hj). destruct (scale_small _ lam Sh El) as [Nl Bl].
    destruct (logit_sizes fa ord lam q (at_z (sentinel d size) j) (2^ 58) (2^ 28) Nl Bl) as [A B].
    - apply pow_number, fa_neg. lia.
    - exact Bq.
    - destruct (Z01 j) as [-> | ->]. rewrite Rmult_0_r, Rabs_R0. apply bpow_ge_0. now rewrite Rmult_1_r.
    - right. destruct (Z01 j) as [-> | ->]; lra.
    - rewrite <- bpow_plus, (rnd_id fa (2^ (58 + 28))) in A, B by (apply pow_number, fa_neg; lia).
      assert (U : 2^ (58 + 28) + ulp_of fa (2^ (58 + 28)) <= 2^ 87).
      { assert (X := ulp_pow fa (58 + 28) ltac:(lia)). change 87%Z with (86 + 1)%Z. rewrite (bpow_plus radix2 86).
        change (58 + 28)%Z with 86%Z in *. change (2^ 1) with 2. lra. }
      split. intros l Hl. specialize (A l Hl). lra.
      intros z0 Hz. destruct (B z0 Hz) as [C|C]; [|lra]. apply (pow_mono _ 28); [exact C|lia]. }
  destruct H as [r z Hr Hz|r j z Hj Hr Hz|lam El|lam j z El Hj Hz|E lam logit z HE El Nl Lg Sr|z Hz]; cbn [fst snd] in *.
  - apply (Rows r i); auto. right. apply in_or_app. now left.
  - apply (Rows r j); auto. destruct Hr as [<-|Hr]; [now left|right; apply in_or_app; now right]. now apply in_keys_size in Hj.
  - destruct (scale_small _ lam Sh El) as [_ B]. apply (fa_fits _ 58); [exact B|lia].
  - apply (fa_fits _ 87); [|lia]. now apply (proj2 (Logits lam j El Hj)).
  - apply (unit_row fs fa E ord HE logit (fun j => row_val fs fa x v j) (keys tail w (h_mask h) i)); auto.
    + intros j Hj. rewrite Val by (now apply in_keys_size in Hj). apply Z01.
    + intros O. assert (X := keys_length tail w (h_mask h) i). specialize (size_any O). lia.
    + apply (incl fs fa ord bits pair sound_kind).
    + intros j k0 Hj Hk0. apply (fa_fits _ (87 + 1)); [|lia]. apply plus_pow.
      apply (proj1 (Logits lam j El Hj)). now apply Lg. rewrite Rabs_Ropp. apply (proj1 (Logits lam k0 El Hk0)).
        now apply Lg.
  - apply (fs_fits _ 0). apply rnd_pow. lia. change (2^ 0) with 1. rewrite Rabs_pos_eq; lra. generalize room_8. lia.
Qed.
(* ---- a layer ---- *)
Lemma in_seq_channels c : (c < channels)%nat -> In c (seq 0 channels). Proof. intros H. apply in_seq. lia. Qed.
(* what is added to a number of at most 2^cap, so that the sum is at most 2^cap *)
Lemma added_small x b : number fs b -> Rabs x <= 2^ cap -> Rabs (rnd fs (rnd fa (x + b))) <= 2^ cap ->
  Rabs b <= 2^ (cap + 2).
Proof.
  assert (Cp := cap_room). rewrite bpow_plus. change (2^ 2) with 4. set (p := 2^ cap). assert (P0 : 0 < p) by apply bpow_gt_0.
  intros Nb Hx H. apply Rabs_le_inv in Hx, H.
  assert (N3 : forall f, number f (3 * p)).
  { intros f. apply (number_mult f _ 3 cap). reflexivity. assert (2 ^ 2 <= 2 ^ prec f)%Z by (apply Z.pow_le_mono_r;
    generalize (prec_ge_2 f); lia). lia. generalize (emin_neg f) (prec_ge_2 f); lia. }
  assert (S3 := N3 fs). assert (A3 := N3 fa). apply Rabs_le. split.
  - destruct (Rle_dec (- (p * 4)) b) as [L|L]; auto. exfalso.
    assert (X : rnd fs (rnd fa (x + b)) <= - (3 * p)); [|lra].
    apply rnd_le_number. now apply number_opp. apply rnd_le_number. now apply number_opp. lra.
  - destruct (Rle_dec b (p * 4)) as [L|L]; auto. exfalso.
    assert (X : 3 * p <= rnd fs (rnd fa (x + b))); [|lra]. apply rnd_ge; auto. apply rnd_ge; auto. lra.
Qed.
Lemma residual_fits (x : state) rows vals c i e t : (0 <= e)%Z -> (0 <= t <= 24)%Z -> (cap <= e + t <= 90)%Z ->
  (Z.of_nat (length (spread fs fa rows (vals i) c)) <= 2 ^ t)%Z ->
  (forall y, In y (spread fs fa rows (vals i) c) -> Rabs y <= 2^ e) -> Rabs (x c i) <= 2^ cap ->
  Rabs (residual fs fa x rows vals c i) <= 2^ cap ->
  forall z, In z (residual_results fs fa x rows vals c i) -> fitting z.
Proof.
  intros E T ET L Y Hx Hr z Hz. unfold residual_results in Hz. cbv zeta in Hz. assert (R8 := room_8).
  assert (Cp := cap_room).
  set (l := spread fs fa rows (vals i) c) in *. destruct (summed_fits e t l E T ltac:(lia) L Y) as [A B].
  apply in_app_or in Hz. destruct Hz as [Hz|[<-|[<-|[<-|[]]]]]; auto.
  - apply (fs_fits _ (cap + 2)); [|lia]. unfold residual in Hr. fold l in Hr. apply (added_small (x c i)); auto.
    apply rnd_number.
  - apply (fa_fits _ (e + t + 1)); [|lia]. apply rnd_pow. lia. apply plus_pow.
    apply (pow_mono _ cap); [exact Hx|lia]. apply rnd_pow; [lia|exact B].
  - apply (fs_fits _ cap); [exact Hr|lia].
Qed.
Lemma heads_small st x l y st1 : fits fs fa tail w st x -> small x -> do_taps st st (taps l) = Some st1 ->
  heads_known bits channels st st1 = true -> attention fs fa ord m w x l y -> small y.
Proof.
  intros F Sm Dt Hk At c i Hc Hi.
  assert (F1 : fits fs fa tail w st1 y) by (apply (attention_ok fs fa ord bits pair sound_kind
    M m w letters in_alphabet NM cands D bounds st x l y st1 F At Dt)).
  destruct At as (outs & Fo & Ex). destruct (Sm c i Hc Hi) as [Nx Bx].
  destruct (taps_ok fs fa ord bits pair sound_kind M m w letters in_alphabet NM cands D bounds
    st x F _ _ _ _ Dt Fo c) as [[G S]|(Z & k & o & G & _)].
  - rewrite (Ex c i Hi). unfold residual. rewrite S. cbn [asc]. rewrite (rnd_id fs 0), Rplus_0_r by apply number_0.
    rewrite (rnd_id fa (x c i)) by (now apply (incl fs fa ord bits pair sound_kind)). rewrite (rnd_id fs (x c i) Nx).
      auto.
  - apply (known_small k); auto. 2: rewrite <- G; apply F1.
    unfold heads_known in Hk. rewrite forallb_forall in Hk. specialize (Hk c (in_seq_channels c Hc)). rewrite G in Hk.
    destruct (get st c); solve [auto|discriminate].
Qed.
Lemma units_small st1 y l x' : fits fs fa tail w st1 y -> small y -> units_known bits channels (do_net st1 (l_units l))
  (l_units l) = true ->
  net fs fa m w y l x' -> small x'.
Proof.
  intros F Sm Uk Nt c i Hc Hi.
  assert (F2 : fits fs fa tail w (do_net st1 (l_units l)) x') by (now apply (net_ok fs fa ord bits pair sound_kind
    m w letters in_alphabet cands st1 y l x')).
  unfold units_known in Uk. rewrite forallb_forall in Uk. specialize (Uk c (in_seq_channels c Hc)).
  destruct (writers c (l_units l)) as [|t0 ws] eqn:W.
  - destruct (Sm c i Hc Hi) as [Ny By]. rewrite (Nt c i Hi). unfold residual. rewrite spread_writers, W.
    cbn [map asc]. rewrite (rnd_id fs 0), Rplus_0_r by apply number_0.
    rewrite (rnd_id fa (y c i)) by (now apply (incl fs fa ord bits pair sound_kind)). rewrite (rnd_id fs (y c i) Ny).
      auto.
  - exact (known_small _ _ Uk (F2 c) i Hi).
Qed.
Lemma in_spread rows vals c z : In z (spread fs fa rows vals c) -> exists r v t, In (r, v) (combine rows vals) /\
  In t r /\ z = rnd fa (wt fs (snd t) * v).
Proof.
  revert vals. induction rows as [|r rows IH]; intros [|v vals] H; cbn [spread] in H; try (now destruct H).
  apply in_app_or in H. destruct H as [H|H].
  - apply in_map_iff in H. destruct H as (t & <- & Ht). apply filter_In in Ht. exists r, v, t. cbn. tauto.
  - destruct (IH vals H) as (r0 & v0 & t0 & A & B & C). exists r0, v0, t0. cbn. tauto.
Qed.
Lemma spread_length rows : forall vals c, (length (spread fs fa rows vals c) <= length (concat rows))%nat.
Proof.
  induction rows as [|r rows IH]; intros [|v vals] c; cbn [spread concat]; rewrite ?app_length; cbn; try lia.
  rewrite map_length. specialize (IH vals c). assert (L : (length (filter (fun t => Nat.eqb (fst t) c) r)
    <= length r)%nat).
  { clear. induction r as [|t r IHr]; cbn; [lia|]. destruct (Nat.eqb (fst t) c); cbn; lia. }
  lia.
Qed.
Lemma hidden_small y u i : modest_unit bits channels u = true -> small y -> (i < size)%nat ->
  Rabs (rnd fa (row_sum fs fa y (u_in u) i + wt fs (u_bias u))) <= 2^ 29 /\ Rabs (hidden fs fa y u i) <= 2^ 29 /\
  Rabs (hidden fs fa y u i) <= 2^ room.
Proof.
  unfold modest_unit. intros H Sm Hi. apply andb_prop in H. destruct H as [H H4]. apply andb_prop in H.
    destruct H as [H H3]. apply andb_prop in H.
    destruct H as [H1 _]. assert (R8 := room_8). destruct (row_small y (u_in u) i H1 Sm Hi) as (_ & A & B).
  assert (Relu : forall z k, (0 <= k)%Z -> Rabs z <= 2^ k -> Rabs (rnd fs (Rmax 0 z)) <= 2^ k).
  { intros z k K Hz. apply rnd_pow; auto. assert (P := bpow_ge_0 radix2 k). unfold Rmax.
    destruct (Rle_dec 0 z); auto. now rewrite Rabs_R0. }
  assert (C : Rabs (rnd fa (row_sum fs fa y (u_in u) i + wt fs (u_bias u))) <= 2^ 29).
  { apply rnd_pow. lia. apply (plus_pow _ _ 28); auto. apply (pow_mono _ 8); [|lia]. now apply weight_small. }
  split; auto. split. apply Relu; [lia|exact C]. apply Relu; [lia|]. replace room with (room - 1 + 1)%Z by lia.
  apply rnd_pow. lia. apply plus_pow; auto.
  destruct caps as [(_ & _ & Big)|(Mr & _)].
  - apply (pow_mono _ 8); [now apply weight_small|lia].
  - rewrite Mr in H4. cbn [orb] in H4. unfold at_most, option_map in H4. destruct (halves (u_bias u)) as [b|] eqn:Hb; [|discriminate].
    apply Z.leb_le in H4.
    destruct (little_le _ H4) as [L1 L2]. rewrite (wt_half fs fa ord bits pair sound_kind _ b Hb L2).
      apply (pow_mono _ 7); [|lia].
    change (2^ 7) with 128. rewrite half_eq. unfold Rdiv. rewrite Rabs_mult, <- abs_IZR, (Rabs_pos_eq (/ 2)) by lra.
    assert (IZR (Z.abs b) <= 128) by (apply IZR_le; lia). lra.
Qed.
Theorem layer_in_range st x l st1 : fits fs fa tail w st x -> small x -> do_taps st st (taps l) = Some st1 ->
  safe_layer bits channels st st1 (do_net st1 (l_units l)) l = true ->
  forall z, layer_result fs fa ord m w x l z -> fitting z.
Proof.
  intros F Sm Dt Sf z H. unfold safe_layer in Sf. apply andb_prop in Sf. destruct Sf as [Sf Uk].
    apply andb_prop in Sf. destruct Sf as [Ml Hk].
  unfold modest_layer in Ml. apply andb_prop in Ml. destruct Ml as [Ml Ln]. apply andb_prop in Ml.
    destruct Ml as [Ml Mu].
  apply andb_prop in Ml. destruct Ml as [_ Mt]. rewrite forallb_forall in Mt, Mu. apply Z.leb_le in Ln.
  assert (R8 := room_8). assert (Cp := cap_room).
  destruct H as [h v o i z Ht Hi Hz|outs c i z Fo Hi Hc Hz|y u i z At Hu Hi s Hz|y c i z At Hi Hc Hz].
  - destruct (all_meanings st _ _ _ Dt _ Ht) as [[q [Mq _]] _].
    exact (tap_small st x (h, v, o) q F Sm Mq (Mt _ Ht) i z Hi Hz).
  - assert (Outs : forall o, In o outs -> number fs (o i) /\ Rabs (o i) <= 2^ cap).
    { intros o Ho. assert (Ex : exists t, In t (taps l) /\ forall i, (i < size)%nat ->
        head_row fs fa ord m w x (fst (fst t)) (snd (fst t)) i (o i)).
      { clear - Fo Ho. induction Fo as [|t o' ts os Hto Fo IH]; [destruct Ho|]. destruct Ho as [<-|Ho].
        exists t. split; [now left|exact Hto]. destruct (IH Ho) as (t' & A & B). exists t'. split;
          [now right|exact B]. }
      destruct Ex as (t & Ht & Hr). destruct (all_meanings st _ _ _ Dt t Ht) as [[k [Mq Kn]] _].
      destruct (meaning_ok fs fa ord bits pair sound_kind M m w letters in_alphabet NM cands D bounds st x t o k Mq F Hr)
        as [Hg _]. now apply (known_small k o Kn Hg). }
    apply in_app_or in Hz. destruct Hz as [Hz|Hz].
    2:{ apply in_app_or in Hz. destruct Hz as [Hz|Hz].
      apply in_map_iff in Hz. destruct Hz as (o & <- & Ho). apply (fs_fits _ cap); [now apply Outs|lia].
      unfold stored in Hz. apply in_map_iff in Hz. destruct Hz as (q & <- & Hq). apply in_concat in Hq.
      destruct Hq as (r & Hr & Hq). apply in_map_iff in Hr. destruct Hr as (t & <- & Ht).
      destruct (all_meanings st _ _ _ Dt t Ht) as [_ (c0 & d & Et & Hd)]. rewrite Et in Hq. destruct Hq as [<-|[]].
      cbn [snd]. rewrite (wt_1 fs fa ord bits pair sound_kind d Hd). apply (fs_fits _ 0); [|lia].
      rewrite Rabs_pos_eq by lra. change (2^ 0) with 1. lra. }
    destruct (Sm c i Hc Hi) as [Nx Bx].
    set (y := fun c i => residual fs fa x (map snd (taps l)) (fun i => map (fun o : nat -> R => o i) outs) c i).
    assert (Sy : small y). { apply (heads_small st x l y st1 F Sm Dt Hk). exists outs. split; [exact Fo|].
      reflexivity. }
    apply (residual_fits x (map snd (taps l)) (fun i => map (fun o : nat -> R => o i) outs) c i cap 0); auto; try lia.
    + destruct (taps_ok fs fa ord bits pair sound_kind M m w letters in_alphabet NM cands D bounds
        st x F _ _ _ _ Dt Fo c) as [[_ S]|(_ & k & o & _ & _ & _ & S)]; rewrite S; cbn; lia.
    + intros q Hq. destruct (in_spread _ _ _ _ Hq) as (r & v & t & Hr & Ht & ->).
      assert (I1 := in_combine_l _ _ _ _ Hr). assert (I2 := in_combine_r _ _ _ _ Hr). apply in_map_iff in I1, I2.
      destruct I1 as (tp & <- & Htp). destruct I2 as (o & <- & Ho).
      destruct (all_meanings st _ _ _ Dt tp Htp) as [_ (c0 & d0 & Et & Hd)]. rewrite Et in Ht. destruct Ht as [<-|[]].
      cbn [snd]. rewrite (wt_1 fs fa ord bits pair sound_kind d0 Hd), Rmult_1_l. apply rnd_pow. lia. now apply Outs.
    + now apply (Sy c i).
  - assert (Sy := heads_small st x l y st1 F Sm Dt Hk At). assert (Mq := Mu u Hu). assert (Mq' := Mq).
    unfold modest_unit in Mq. apply andb_prop in Mq. destruct Mq as [Mq _].
    apply andb_prop in Mq. destruct Mq as [Mq M3]. apply andb_prop in Mq. destruct Mq as [M1 M2].
    apply in_app_or in Hz. destruct Hz as [Hz|Hz]; [now apply (proj1 (row_small y (u_in u) i M1 Sy Hi))|].
    apply in_app_or in Hz. destruct Hz as [Hz|[<-|[<-|[<-|[]]]]].
    + now apply (stored_fits (u_out u) M2).
    + now apply weight_fits.
    + apply (fa_fits _ 29); [|lia]. now apply (hidden_small y u i Mq' Sy Hi).
    + apply (fs_fits _ room); [|lia]. now apply (hidden_small y u i Mq' Sy Hi).
  - assert (Sy := heads_small st x l y st1 F Sm Dt Hk At). destruct (Sy c i Hc Hi) as [Ny By].
    assert (F1 : fits fs fa tail w st1 y) by (apply (attention_ok fs fa ord bits pair sound_kind
      M m w letters in_alphabet NM cands D bounds st x l y st1 F At Dt)).
    set (x' := fun c i => residual fs fa y (map u_out (l_units l)) (fun i => map (fun u => hidden fs fa y u i)
      (l_units l)) c i).
    assert (Sx : small x') by (apply (units_small st1 y l x' F1 Sy Uk); intros c0 i0 _; reflexivity).
    apply (residual_fits y (map u_out (l_units l)) (fun i => map (fun u => hidden fs fa y u i) (l_units l)) c i 37
      20);
      auto; try lia.
    + eapply Z.le_trans; [|exact Ln]. apply inj_le. rewrite flat_map_concat_map. apply spread_length.
    + intros q Hq. destruct (in_spread _ _ _ _ Hq) as (r & v & t & Hr & Ht & ->).
      assert (U : exists u, In u (l_units l) /\ r = u_out u /\ v = hidden fs fa y u i).
      { clear - Hr. induction (l_units l) as [|u us IH]; cbn in Hr; [destruct Hr|]. destruct Hr as [E|Hr].
        injection E as <- <-. exists u. cbn. auto. destruct (IH Hr) as (u' & A & B). exists u'. cbn. tauto. }
      destruct U as (u & Hu & -> & ->). assert (Mq := Mu u Hu).
        destruct (hidden_small y u i Mq Sy Hi) as (_ & Hb & _).
      unfold modest_unit in Mq. apply andb_prop in Mq. destruct Mq as [Mq _]. apply andb_prop in Mq.
        destruct Mq as [Mq _].
        apply andb_prop in Mq.
        destruct Mq as [_ M2].
      rewrite forallb_forall in M2. apply rnd_pow. lia. apply (mult_pow _ _ 8 29); auto. now apply weight_small, M2.
    + now apply (Sx c i).
Qed.
Theorem layers_in_range : forall l st x st', fits fs fa tail w st x -> small x ->
  do_layers bits letters tail cands D channels st l = Some st' ->
  (forall z, layers_result fs fa ord m w l x z -> fitting z) /\
  (forall x', layers fs fa ord m w l x x' -> small x').
Proof.
  induction l as [|a l IH]; intros st x st' F Sm H; cbn [do_layers] in H.
  - split. intros z Hz. inversion Hz. intros x' Hx. assert (E : x = x') by (now inversion Hx). now rewrite <- E.
  - destruct (do_taps st st (taps a)) as [st1|] eqn:Dt; [|discriminate]. cbv zeta in H.
    destruct (safe_layer bits channels st st1 (do_net st1 (l_units a)) a) eqn:Sf; [|discriminate]. assert (Sf' := Sf).
    unfold safe_layer in Sf'. apply andb_prop in Sf'. destruct Sf' as [Sf' Uk]. apply andb_prop in Sf'.
      destruct Sf' as [_ Hk].
    assert (Step : forall y x', attention fs fa ord m w x a y -> net fs fa m w y a x' ->
      fits fs fa tail w (do_net st1 (l_units a)) x' /\ small x').
    { intros y x' At Nt.
      assert (F1 : fits fs fa tail w st1 y) by (apply (attention_ok fs fa ord bits pair sound_kind
        M m w letters in_alphabet NM cands D bounds st x a y st1 F At Dt)).
      assert (S1 := heads_small st x a y st1 F Sm Dt Hk At). split.
      - now apply (net_ok fs fa ord bits pair sound_kind m w letters in_alphabet cands st1 y a x').
      - now apply (units_small st1 y a x'). }
    split.
    + intros z Hz. inversion_clear Hz as [l0 r0 x0 z0 Hl|l0 r0 x0 y x' z0 At Nt Hr].
      * apply (layer_in_range st x a st1 F Sm Dt Sf z Hl).
      * destruct (Step y x' At Nt) as [F2 S2]. now apply (proj1 (IH _ _ _ F2 S2 H)).
    + intros x' Hx. inversion_clear Hx as [|l0 r0 x0 y z0 x1 At Nt Hr]. destruct (Step y z0 At Nt) as [F2 S2].
      now apply (proj2 (IH _ _ _ F2 S2 H)).
Qed.

(* ---- all operations ---- *)
Lemma modest_parts : modest_model bits tail m = true -> modest_row (m_read m) = true /\
  (forall c, (c < channels)%nat -> known bits (first_content tail m c) = true).
Proof.
  unfold modest_model. cbv zeta. intros H. apply andb_prop in H. destruct H as [A C]. rewrite forallb_forall in C.
  split; auto. intros c Hc. apply C, in_seq. lia.
Qed.
Theorem operations_in_range : modest_model bits tail m = true ->
  forall st', do_layers bits letters tail cands D channels (first_state tail m) (m_layers m) = Some st' ->
  forall z, operation fs fa ord m w z -> fitting z.
Proof.
  intros Mm st' Do z H. destruct (modest_parts Mm) as [Mr Mf]. assert (R8 := room_8).
  assert (First := fun x Em => first_ok fs fa ord bits pair sound_kind m w in_alphabet x Em).
  assert (Sm : forall x, embedding fs fa m w x -> small x).
  { intros x Em c i Hc Hi. assert (F := First x Em c). unfold get, first_state in F.
    rewrite (nth_indep _ Junk (first_content tail m 0)) in F by (rewrite map_length, seq_length; lia).
    rewrite map_nth, seq_nth in F by lia. cbn [plus] in F. now apply (known_small _ _ (Mf c Hc) F). }
  destruct H as [c i v z Hc Hi Hv [<-|Hz]|x z Em Hz|x i z Run Hi Hz].
  - apply (fs_fits _ 0); [|lia]. change (2^ 0) with 1. destruct (nth c (m_channels m) None) as [e|] eqn:Ne.
    apply (expression_1 fs _ v Hv). now apply (feature_1 bits m w c e i (Mf c Hc) Ne). rewrite Hv, Rabs_R0. lra.
  - destruct (embedding_parts fs fa ord bits pair sound_kind m w in_alphabet c i v z (Mf c Hc) Hv Hz) as [Z1 Z2].
    destruct z as [g z]. cbn [fst snd] in Z1, Z2. subst z. destruct Z1 as [-> | ->].
    apply (fs_fits _ 0); [|lia]. rewrite Rabs_pos_eq by lra. change (2^ 0) with 1. lra.
    apply (fa_fits _ 0); [|lia]. rewrite Rabs_pos_eq by lra. change (2^ 0) with 1. lra.
  - now apply (proj1 (layers_in_range _ _ x st' (First x Em) (Sm x Em) Do)).
  - destruct Run as (x0 & Em & La). assert (S' := proj2 (layers_in_range _ _ x0 st' (First x0 Em) (Sm x0 Em) Do) x
    La).
    exact (proj1 (row_small x (m_read m) i Mr S' Hi) z Hz).
Qed.
End Sizes.
