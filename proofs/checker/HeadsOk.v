(* Heads: from the weights of a file to what a head's value is near. *)
From Coq Require Import ZArith QArith Qreals Reals Lia Lra Psatz List Bool Arith Permutation.
From Flocq Require Import Core.
From Temper Require Import Rows Heads Format Sums Nearest NearestAny Exact Rounding Strings Programs Compile Temporal
  FloatRun
  NearestHead OnceHead OnceTree OnceAny Soundness SoundCompare.
From Temper.checker Require Import Model Checker Points Exactness Invariant Meaning.
Import ListNotations.
Local Open Scope R_scope.

(* ---- what the errors of heads have to be ---- *)
Section Errors.
Variables (fs fa : format) (ord : order) (same : bool) (M : nat).
(* one winner: the logits of a row are within eta of ideal ones, whose gaps are at least 8 *)
Definition picks (eta : R) (q : Q) : Prop := (0 <= Q2R q /\ 2 * eta < 8) /\ match ord with
  | AnyOrder => 2 * (1 + u fa) ^ (4 * M) * leak_any fa M eta 8 <= 1 /\ error_any fa M eta 8 <= Q2R q
  | Ascending => let leak := (1 + 2 * u fa) * exp (2 * eta) *
        (exp (- (8 * (1 - u fa))) / (1 - exp (- (8 * (1 - u fa))))) + INR M * tiny fa in
      4 * leak <= 1 /\ error fs fa (4 * leak) (4 * stored_leak fs fa leak (INR M)) <= / 4 /\ / 4 <= Q2R q end.
(* the feature i/N; a key that adds it to a Boolean; logits of keys of size up to 2^(s - 3),
  when M * 2^s is below 2^k *)
Definition place_error := f64_error + (u fs * / 2 + / 2 * tiny fs).
Definition key_error := place_error + (u fa + / 2 * tiny fa) + (if same then 0 else u fs + / 2 * tiny fs).
Definition logit_error (e : R) (k : Z) := 8 * INR M * e + (u fa * bpow radix2 (k - 1) + / 2 * tiny fa)
  + (2 * u fa * bpow radix2 (k - 1) + tiny fa).
Definition near_bound (q : Q) := (Z.of_nat M <= 2 ^ prec fa)%Z /\ exists k, INR M * bpow radix2 4 < bpow radix2 k /\
  picks (logit_error key_error k) q.
Definition step_bound (q : Q) := (Z.of_nat M <= 2 ^ prec fa)%Z /\ exists k, INR M * bpow radix2 3 < bpow radix2 k /\
  picks (logit_error place_error k) q.
Definition once_bound (q : Q) := 0 <= Q2R q /\ match ord with
  | AnyOrder => once_any_ok fa M 8 /\ once_any_error fa M 8 <= Q2R q
  | Ascending => OnceHead.once_ok fs fa M /\ / 4 <= Q2R q end.
(* comparisons; what is counted adds up exactly *)
Definition compare_bound (q : Q) := compare_ok fs fa ord M 0 0 /\ compare_error fs fa ord M <= Q2R q /\ 0 <= Q2R q.
Definition most_fits (z : Z) := (0 < z)%Z -> (z * Z.of_nat M <= 2 ^ prec fa)%Z /\ (z <= 2 ^ prec fs)%Z /\
  (ord = AnyOrder -> 8 * tiny fa <= u fa).
Definition errors_ok (D : errors) := (forall q, D_once D = Some q -> once_bound q) /\
  (forall q, D_near D = Some q -> near_bound q) /\ (forall q, D_step D = Some q -> step_bound q) /\
  (forall q, D_compare D = Some q -> compare_bound q) /\ most_fits (most D).
End Errors.

Section Heads.
Variables (fs fa : format) (ord : order) (bits : kind).
Hypothesis pair : pair_of fs fa ord bits.
Hypothesis sound_kind : sane bits = true.
Variable M : nat.
Variables (m : model) (w : list nat) (letters : nat).
Notation tail := (m_end m). Notation size := (N tail w). Notation keys := (keys tail w).
Hypothesis in_alphabet : forall i a, at_ w i = Some a -> (a < letters)%nat.
Hypothesis NM : (size <= M)%nat.
Variable cands : list fml.
Notation holds := (holds fs fa tail w). Notation fits := (fits fs fa tail w).
  Notation head_row := (head_row fs fa ord m w).
Notation bool_row := (bool_row bits letters cands). Notation same := (one_format bits).
Notation picks := (picks fs fa ord M). Notation place_error := (place_error fs).
  Notation key_error := (key_error fs fa same).

Lemma order_cases : ord = Ascending \/ ord = AnyOrder. Proof. destruct ord; auto. Qed.
Lemma size_pos : (0 < size)%nat. Proof. unfold N. destruct tail; lia. Qed.
Lemma prec_4 : (4 <= prec fa)%Z.
Proof. rewrite (sum_digits_is fs fa ord bits pair). generalize (kind_sizes bits sound_kind). lia. Qed.
Lemma bool_ok st x r g : bool_row st r = Some g -> fits st x -> forall i, (i < size)%nat ->
  row_sum fs fa x r i = truth w (den g) i /\ row_val fs fa x r i = truth w (den g) i.
Proof. apply (bool_row_ok fs fa ord bits pair sound_kind tail w letters in_alphabet). Qed.
Lemma IK mk i j : In j (keys mk i) -> (j < size)%nat. Proof. intros H. apply in_keys in H. tauto. Qed.
(* the row of a head with one query 1 and one key row *)
Lemma one_row st x h v i y k psi : query_one st h = true -> h_key h = [k] -> bool_row st v = Some psi -> fits st x ->
  (i < size)%nat -> head_row x h v i y -> exists E lam logit, exp_model fa E /\
  expression fa (ereal (h_scale h) 0 (length w) size) lam /\ (forall j, number fa (logit j)) /\
  (forall j, In j (keys (h_mask h) i) -> logit_of fa ord lam [(1, row_val fs fa x k j)] (logit j)) /\
  softmax_row fs fa E ord logit (truth w (den psi)) (keys (h_mask h) i) y.
Proof.
  intros Q K V F Hi (E & lam & logit & HE & H1 & H2 & H3 & H4). exists E, lam, logit. split; auto. split; auto. split;
    auto. split.
  - intros j Hj. specialize (H3 j Hj). unfold pairs_ in H3.
    rewrite K, (query_one_ok fs fa ord bits pair sound_kind tail w st x h i Q F Hi) in H3. exact H3.
  - revert H4. apply softmax_ext. intros j Hj. apply (bool_ok st x v psi V F). now apply IK in Hj.
Qed.
Lemma row_number x r j : number fa (row_val fs fa x r j).
Proof. apply (incl fs fa ord bits pair sound_kind), rnd_number. Qed.

(* ---- once ---- *)
Theorem once_holds D_once st x h v o k chi psi d g : once_bound fs fa ord M D_once -> query_one st h = true ->
  h_key h = [k] -> h_scale h = E_log ->
  bool_row st k = Some chi -> bool_row st v = Some psi -> alike letters chi psi = true -> dir_of (h_mask h)
    = Some d ->
  (forall i, letter w i = true -> sat w (den g) i = existsb (fun j => sat w (den chi) j) (keys (h_mask h) i)) ->
  fits st x -> (forall i, (i < size)%nat -> head_row x h v i (o i)) -> holds (Raw g D_once) o.
Proof.
  intros [Pos Bound] Q K Sc Kc Vc Al Dr Me F Out i Hi. specialize (Out i Hi).
  destruct (one_row st x h v i (o i) k psi Q K Vc F Hi Out) as (E & lam & logit & HE & H1 & H2 & H3 & H4).
  rewrite Sc in H1. cbn [ereal] in H1. set (L := keys (h_mask h) i) in *.
  assert (Eq := alike_everywhere w letters in_alphabet chi psi Al).
  assert (Nlam := proj2 (scale_once fa size lam size_pos H1)).
  assert (Lg : forall j, In j L -> moved fa ord (if sat w (den chi) j then lam else 0) (logit j)).
  { intros j Hj. specialize (H3 j Hj). apply (logit_one fa ord) in H3; auto; [|apply row_number].
    rewrite (proj2 (bool_ok st x k chi Kc F j (IK _ _ _ Hj))) in H3. unfold truth in H3. destruct (sat w (den chi) j).
    rewrite Rmult_1_r, (rnd_id fa lam) in H3 by auto. exact H3. rewrite Rmult_0_r, (rnd_id fa 0)
      in H3 by apply number_0.
    exact H3. }
  assert (SR : softmax_row fs fa E ord logit (fun j => if sat w (den chi) j then 1 else 0) L (o i)).
  { revert H4. apply softmax_ext. intros j _. unfold truth. now rewrite Eq. }
  assert (Z0 := size_pos). assert (Ln := keys_length tail w (h_mask h) i). fold L in Ln.
  assert (Both : ((forall j, In j L -> sat w (den chi) j = false) -> o i = 0) /\
    (forall j, In j L -> sat w (den chi) j = true -> Rabs (o i - 1) <= Q2R D_once /\ 0 <= o i)).
  { destruct order_cases as [O|O]; rewrite O in Bound, SR, Lg.
    - destruct Bound as [B1 B2]. destruct (once_out fs fa E HE M size L (fun j => sat w (den chi) j) logit lam (o i))
        as [O1 O2]; auto.
      { intros j Hj. exact (proj2 (Lg j Hj)). }
      split; auto. intros j Hj Sj. destruct (O2 j Hj Sj). lra.
    - destruct Bound as [B1 B2]. rewrite (any_is fs fa ord bits pair O) in SR.
      destruct (once_any_out fa E HE M 8 ltac:(lra) size L (fun j => sat w (den chi) j) logit lam (o i)) as [O1 O2];
        auto.
      { apply keys_NoDup. } { intros j Hj. now destruct (Lg j Hj). }
      split; auto. intros j Hj Sj. destruct (O2 j Hj Sj). lra. }
  destruct Both as [O1 O2].
  assert (Nm : number fs (o i)) by (eapply softmax_number; eauto). split; auto.
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
Lemma place_ok st x c j : fits st x -> get st c = Place -> (j < size)%nat ->
  number fs (x c j) /\ Rabs (x c j) <= 1 /\ Rabs (x c j - INR j / INR size) <= place_error.
Proof. intros F G Hj. specialize (F c j Hj). rewrite G in F. now apply (position_feature tail fs fa M w). Qed.
Lemma key_parts_ok st k rest sx : key_parts st k = Some (rest, sx) -> exists c, k = rest ++ [(c, sx)] /\
  get st c = Place.
Proof.
  unfold key_parts. destruct (rev k) as [|[c d] l] eqn:Rk; [discriminate|].
  destruct (is_place st (c, d)) eqn:P; [|discriminate]. intros [= <- <-]. exists c. split.
  - rewrite <- (rev_involutive k), Rk. reflexivity.
  - unfold is_place in P. cbn [fst] in P. destruct (get st c); try discriminate. reflexivity.
Qed.
(* a key row: a Boolean, and then the feature *)
Lemma key_sum st x k rest sx d j : fits st x -> (j < size)%nat -> key_parts st k = Some (rest, sx) ->
  sign_ok d sx = true -> exists y, number fs y /\ Rabs y <= 1 /\
    Rabs (y - sign d * (INR j / INR size)) <= place_error /\
  row_val fs fa x k j = rnd fs (rnd fa (row_sum fs fa x rest j + y)).
Proof.
  intros F Hj Kp Sg. destruct (key_parts_ok st k rest sx Kp) as (c & -> & G).
  destruct (place_ok st x c j F G Hj) as (P1 & P2 & P3).
  destruct (sign_number fs fa (incl fs fa ord bits pair sound_kind) d (x c j) P1) as [S1 S2]. exists (sign d * x c j).
  split; auto. split. now apply sign_le. split. now apply sign_abs.
  assert (W : wt fs sx = sign d). { unfold sign_ok in Sg. destruct d.
    apply (wt_1 fs fa ord bits pair sound_kind _ Sg). apply (wt_m1 fs fa ord bits pair sound_kind _ Sg). }
  unfold row_val. f_equal. unfold row_sum, row_terms. rewrite map_app, asc_app. cbn [map asc fst snd]. now rewrite W,
    S2.
Qed.
Lemma key_near st x k rest sx d j c : fits st x -> (j < size)%nat -> key_parts st k = Some (rest, sx) ->
  sign_ok d sx = true -> (c = 0 \/ c = 1) -> row_sum fs fa x rest j = c ->
  Rabs (row_val fs fa x k j) <= bpow radix2 (4 - 3) /\
  Rabs (row_val fs fa x k j - (c + sign d * (INR j / INR size))) <= key_error.
Proof.
  intros F Hj Kp Sg Hc Hr. destruct (key_sum st x k rest sx d j F Hj Kp Sg) as (y & Ny & Y1 & Y2 & ->). rewrite Hr.
  assert (St : forall z, number fa z -> Rabs z <= 2 ->
    Rabs (rnd fs z - z) <= if same then 0 else u fs + / 2 * tiny fs).
  { intros z Nz Z2. destruct (one_format bits) eqn:O.
    - rewrite (one_is fs fa ord bits pair O), rnd_id, Rminus_diag_eq, Rabs_R0 by auto. lra.
    - assert (X := rnd_half fs z 1 ltac:(generalize (emin_neg fs) (prec_ge_2 fs); lia) Z2).
      change (bpow radix2 (1 - 1)) with 1 in X. lra. }
  exact (key_off fs fa M _ St c y _ Hc Ny Y1 Y2).
Qed.
Lemma key_alone st x k sx d j : fits st x -> (j < size)%nat -> key_parts st k = Some ([], sx) ->
  sign_ok d sx = true ->
  Rabs (row_val fs fa x k j) <= bpow radix2 (3 - 3) /\
  Rabs (row_val fs fa x k j - sign d * (INR j / INR size)) <= place_error.
Proof.
  intros F Hj Kp Sg. destruct (key_sum st x k [] sx d j F Hj Kp Sg) as (y & Ny & Y1 & Y2 & ->).
  unfold row_sum. cbn [row_terms map asc]. assert (Na := incl fs fa ord bits pair sound_kind y Ny).
  rewrite Rplus_0_l, (rnd_id fa y), (rnd_id fs y) by auto. split; auto.
Qed.
(* the logit: times 8 n, and one unit in the last place *)
Lemma near_logit s e k key l z : (3 <= s <= 4)%Z -> (Z.of_nat M <= 2 ^ prec fa)%Z ->
  INR M * bpow radix2 s < bpow radix2 k -> Rabs key <= bpow radix2 (s - 3) -> Rabs (key - z) <= e ->
  moved fa ord (rnd fa (8 * INR size * key)) l -> Rabs (l - 8 * INR size * z) <= logit_error fa M e k.
Proof.
  intros Hs HM Hk K1 K2 [Nl Ml']. assert (Ml : Rabs (l - rnd fa (8 * INR size * key)) <=
    ulp radix2 (FLT_exp (emin fa) (prec fa)) (rnd fa (8 * INR size * key))).
  { destruct ord; auto. rewrite Ml', Rminus_diag_eq, Rabs_R0 by auto. apply ulp_ge_0. } clear Ml'.
  assert (n0 : 0 < INR size) by apply N_pos. assert (nM : INR size <= INR M) by (now apply le_INR).
  assert (M1 : 1 <= INR M). { change 1 with (INR 1). apply le_INR. generalize size_pos. lia. }
  assert (Eb : bpow radix2 s = 8 * bpow radix2 (s - 3)).
  { replace s with (3 + (s - 3))%Z at 1 by lia. rewrite bpow_plus. reflexivity. }
  assert (b0 := bpow_gt_0 radix2 (s - 3)).
  assert (Np : number fa (INR M * bpow radix2 s)).
  { apply (number_mult fa _ (Z.of_nat M) s). now rewrite <- INR_IZR_INZ. lia.
    generalize (emin_neg fa) (prec_ge_2 fa); lia. }
  assert (B : Rabs (8 * INR size * key) <= INR M * bpow radix2 s).
  { rewrite Rabs_mult, (Rabs_pos_eq (8 * INR size)), Eb by lra.
    apply Rle_trans with (8 * INR size * bpow radix2 (s - 3)). apply Rmult_le_compat_l; lra.
    assert (INR size * bpow radix2 (s - 3) <= INR M * bpow radix2 (s - 3)) by (apply Rmult_le_compat_r; lra). lra. }
  assert (k0 : (emin fa <= k)%Z).
  { assert (X : bpow radix2 0 < bpow radix2 k).
    { eapply Rle_lt_trans; [|exact Hk]. change (bpow radix2 0) with 1.
      assert (1 <= bpow radix2 s) by (apply (bpow_le radix2 0); lia). nra. }
    apply lt_bpow in X. generalize (emin_neg fa) (prec_ge_2 fa). lia. }
  assert (H1 := rnd_half fa (8 * INR size * key) k k0 ltac:(lra)).
  assert (H2 : Rabs (rnd fa (8 * INR size * key)) < bpow radix2 k) by (eapply Rle_lt_trans;
    [apply (abs_rnd_le fa _ _ Np B)|auto]).
  assert (H3 := ulp_bound fa _ k H2).
  assert (e0 : 0 <= e) by (eapply Rle_trans; [apply Rabs_pos|apply K2]).
  assert (H4 : Rabs (8 * INR size * key - 8 * INR size * z) <= 8 * INR M * e).
  { rewrite <- Rmult_minus_distr_l, Rabs_mult, (Rabs_pos_eq (8 * INR size)) by lra. apply Rmult_le_compat; try lra.
    apply Rabs_pos. }
  replace (l - 8 * INR size * z) with ((l - rnd fa (8 * INR size * key)) + ((rnd fa (8 * INR size * key)
    - 8 * INR size * key) +
    (8 * INR size * key - 8 * INR size * z))) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. eapply Rle_trans. apply Rplus_le_compat_l, Rabs_triang. unfold logit_error.
    lra.
Qed.
(* one winner among the keys of a row: ascending by nearest_out; in any order its proof, with the error as it is *)
Lemma near_out E (HE : exp_model fa E) eta q K (nm : nat -> nat) (c v logit : nat -> R) shift js y : picks eta q ->
  NoDup K -> (length K <= size)%nat -> (forall j, In j K ->
  (nm j < size)%nat) -> (forall x y, In x K -> In y K -> nm x = nm y -> x = y) ->
  (forall j, In j K -> c j = 0 \/ c j = 1) -> (forall j, v j = 0 \/ v j = 1) -> (forall j, number fa (logit j)) ->
  (forall j, In j K -> Rabs (logit j - (8 * INR size * c j + 8 * INR (nm j) + shift)) <= eta) -> In js K ->
    c js = 1 ->
  (forall j, In j K -> c j = 1 -> (nm j <= nm js)%nat) -> softmax_row fs fa E ord logit v K y ->
  Rabs (y - v js) <= Q2R q /\ 0 <= y.
Proof.
  intros [[_ near_8] Pk] Hn Ln Kn inj cB vB Nl Off Hi jsc best SR. destruct order_cases as [O|O]; rewrite O in Pk, SR.
  { destruct Pk as (P1 & P2 & P3). assert (M0 : 0 < INR M) by (apply lt_0_INR; generalize size_pos; lia).
    set (a := (u fa * bpow radix2 (0 - 1) + / 2 * tiny fa) + (2 * u fa * bpow radix2 (0 - 1) + tiny fa)).
    set (se := (eta - a) / (8 * INR M) - (f64_error + (u fs * / 2 + / 2 * tiny fs) + (u fa + / 2 * tiny fa))).
    assert (Ee : NearestHead.eta fs fa M 0 se = eta).
    { unfold NearestHead.eta, NearestHead.key_error, se, a. field. lra. }
    rewrite <- Ee in near_8, P1, P2, Off.
    destruct (nearest_out fs fa (incl fs fa ord bits pair sound_kind) (fine fs fa ord bits pair sound_kind) E HE
      Ascending
      M 0 se size K nm c v logit shift js y) as [A B]; auto.
    { split; [exact near_8|]. split; [exact P1|exact P2]. }
    split; lra. }
  destruct Pk as [near_leak near_D]. rewrite (any_is fs fa ord bits pair O) in SR. clear O.
  set (ideal j := 8 * INR size * c j + 8 * INR (nm j) + shift).
  assert (Off' : forall j, In j K -> Rabs (logit j - ideal j) <= eta) by exact Off. clear Off.
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
  assert (NA := nearest_any fa E HE L js M logit ideal eta 8 d v t nu).
  match type of NA with ?H0 -> ?H1 -> ?H2 -> ?H3 -> ?H4 -> ?H5 -> ?H6 -> ?H7 -> ?H8 -> ?H9 -> ?C => assert (NC : C)
    end.
  { apply NA; auto.
    - intros j [<-|Hj]. now apply Off'. apply Off'. now apply inK.
    - lra.
    - intros j Hj. destruct (inK j Hj). split. now apply dpos. now apply dgap.
    - apply NoDup_map_inj; auto. intros a b Ha Hb. destruct (inK a Ha), (inK b Hb). now apply dinj. }
  destruct NC as [N1 N2]. unfold quotient. rewrite (rnd_id fa (rnd fa _)) by apply rnd_number. split; lra.
Qed.
(* the logits of a nearest head *)
Lemma ideal_logit d j c : (j < size)%nat -> 8 * INR size * (c + sign d * (INR j / INR size)) =
  8 * INR size * c + 8 * INR (num d size j) + 8 * match d with Past => 0 | Future => - INR (size - 1) end.
Proof.
  intros Hj. assert (N0 := N_pos tail w). assert (S := num_sign d size j Hj).
  transitivity (8 * INR size * c + 8 * (sign d * INR j)). field; lra. rewrite S. ring.
Qed.
Lemma near_row st x h k rest sx d i j l c lam kk : (Z.of_nat M <= 2 ^ prec fa)%Z ->
  INR M * bpow radix2 4 < bpow radix2 kk -> fits st x -> key_parts st k = Some (rest, sx) ->
  sign_ok d sx = true -> In j (keys (h_mask h) i) ->
  expression fa (8 * INR size) lam -> logit_of fa ord lam [(1, row_val fs fa x k j)] l -> (c = 0 \/ c = 1) ->
  row_sum fs fa x rest j = c ->
  Rabs (l - (8 * INR size * c + 8 * INR (num d size j) + 8 * match d with Past => 0 | Future => - INR (size - 1)
    end)) <= logit_error fa M key_error kk.
Proof.
  intros HM Hk F Kp Sg Hj He Lg Hc Hr. assert (Hj' := IK _ _ _ Hj).
  destruct (scale_exact fa prec_4 M HM size lam NM He) as [El Nlam].
  apply (logit_one fa ord) in Lg; auto; [|apply row_number]. rewrite El in Lg.
  destruct (key_near st x k rest sx d j c F Hj' Kp Sg Hc Hr) as [K1 K2]. rewrite <- ideal_logit by auto.
  apply (near_logit 4 _ kk (row_val fs fa x k j)); auto. lia.
Qed.
Lemma step_row st x h k sx d i j l lam kk : (Z.of_nat M <= 2 ^ prec fa)%Z ->
  INR M * bpow radix2 3 < bpow radix2 kk -> fits st x -> key_parts st k = Some ([], sx) ->
  sign_ok d sx = true -> In j (keys (h_mask h) i) ->
  expression fa (8 * INR size) lam -> logit_of fa ord lam [(1, row_val fs fa x k j)] l ->
  Rabs (l - (8 * INR size * 0 + 8 * INR (num d size j) + 8 * match d with Past => 0 | Future => - INR (size - 1)
    end)) <= logit_error fa M place_error kk.
Proof.
  intros HM Hk F Kp Sg Hj He Lg. assert (Hj' := IK _ _ _ Hj).
  destruct (scale_exact fa prec_4 M HM size lam NM He) as [El Nlam].
  apply (logit_one fa ord) in Lg; auto; [|apply row_number]. rewrite El in Lg.
  destruct (key_alone st x k sx d j F Hj' Kp Sg) as [K1 K2]. rewrite <- ideal_logit, Rplus_0_l by auto.
  apply (near_logit 3 _ kk (row_val fs fa x k j)); auto. lia.
Qed.
(* since and until: chi is the candidates, psi the value *)
Theorem near_holds D_near st x h v o k rest sx chi psi d g a b : near_bound fs fa ord same M D_near ->
  query_one st h = true -> h_key h = [k] ->
  h_scale h = E_steep ->
  key_parts st k = Some (rest, sx) -> sign_ok d sx = true ->
  bool_row st rest = Some chi -> bool_row st v = Some psi -> dir_of (h_mask h) = Some d ->
  (forall j, sat w (den chi) j = cand w (den a) (den b) j) -> (forall j, sat w (den psi) j = sat w (den b) j) ->
  den g = den (shifted (h_mask h) d (FSince d a b)) ->
  fits st x -> (forall i, (i < size)%nat -> head_row x h v i (o i)) -> holds (Raw g D_near) o.
Proof.
  intros (HM & kk & Hk & Pk) Q K Sc Kp Sg Kc Vc Dr Ca Cb Me F Out i Hi. specialize (Out i Hi).
  destruct (one_row st x h v i (o i) k psi Q K Vc F Hi Out) as (E & lam & logit & HE & H1 & H2 & H3 & H4).
  rewrite Sc in H1. cbn [ereal] in H1. set (L := keys (h_mask h) i) in *.
  set (shift := 8 * match d with Past => 0 | Future => - INR (size - 1) end).
  assert (Off : forall j, In j L -> Rabs (logit j - (8 * INR size * truth w (den chi) j + 8 * INR (num d size j)
    + shift)) <= logit_error fa M key_error kk).
  { intros j Hj. apply (near_row st x h k rest sx d i j (logit j) _ lam); auto. apply truth_01.
    apply (bool_ok st x rest chi Kc F j (IK _ _ _ Hj)). }
  assert (Nm : number fs (o i)) by (eapply softmax_number; eauto). split; auto.
  destruct (greatest (cand w (den a) (den b)) (num d size) L) as [None_|(js & J1 & J2 & J3)].
  - assert (Z : o i = 0). { apply (softmax_zero fs fa E ord logit (truth w (den psi)) L); auto. intros j Hj.
    unfold truth.
      destruct (sat w (den psi) j) eqn:X; auto. specialize (None_ j Hj). rewrite Cb in X. unfold cand in None_.
      rewrite X, (sat_letter _ _ _ X) in None_. discriminate. }
    assert (D0 := proj1 (proj1 Pk)).
    rewrite Z. split. lra. exists false. cbn. rewrite Rminus_0_r, Rabs_R0. split; auto. intros Li. symmetry.
      rewrite Me.
    now apply (since_no tail w).
  - destruct (near_out E HE _ _ L (num d size) (truth w (den chi)) (truth w (den psi)) logit shift js (o i) Pk)
      as [N1 N2]; auto.
    + apply keys_NoDup.
    + apply keys_length.
    + intros j Hj. apply num_lt. now apply IK in Hj.
    + intros p q Hp Hq. apply num_inj; eapply IK; eauto.
    + intros; apply truth_01.
    + intros; apply truth_01.
    + unfold truth. rewrite Ca, J2. reflexivity.
    + intros j Hj Cj. apply J3; auto. rewrite <- Ca. unfold truth in Cj. destruct (sat w (den chi) j); auto. lra.
    + split; auto. exists (sat w (den psi) js). split. exact N1. intros Li. rewrite Me, Cb. symmetry.
      now apply (since_yes tail w).
Qed.
(* yesterday and next *)
Theorem step_holds D_step st x h v o k sx psi d g a : step_bound fs fa ord M D_step ->
  query_one st h = true -> h_key h = [k] -> h_scale h = E_steep ->
  key_parts st k = Some ([], sx) -> sign_ok d sx = true ->
  bool_row st v = Some psi -> dir_of (h_mask h) = Some d -> strict (h_mask h) = true -> (tail = true \/ d = Past) ->
  (forall j, sat w (den psi) j = sat w (den a) j) -> (forall j, sat w (den g) j = sat w (den (FStep d a)) j) ->
  fits st x -> (forall i, (i < size)%nat -> head_row x h v i (o i)) -> holds (Raw g D_step) o.
Proof.
  intros (HM & kk & Hk & Pk) Q K Sc Kp Sg Vc Dr St Tl Cb Me F Out i Hi. specialize (Out i Hi).
  destruct (one_row st x h v i (o i) k psi Q K Vc F Hi Out) as (E & lam & logit & HE & H1 & H2 & H3 & H4).
  rewrite Sc in H1. cbn [ereal] in H1. set (L := keys (h_mask h) i) in *.
  set (shift := 8 * match d with Past => 0 | Future => - INR (size - 1) end - 8 * INR size).
  assert (Off : forall j, In j L -> Rabs (logit j - (8 * INR size * 1 + 8 * INR (num d size j) + shift))
    <= logit_error fa M place_error kk).
  { intros j Hj. assert (X := step_row st x h k sx d i j (logit j) lam kk HM Hk F Kp Sg Hj H1 (H3 j Hj)).
    replace (8 * INR size * 1 + 8 * INR (num d size j) + shift) with
      (8 * INR size * 0 + 8 * INR (num d size j) + 8 * match d with Past => 0 | Future => - INR (size - 1) end)
        by (unfold shift; ring).
    exact X. }
  assert (D0 := proj1 (proj1 Pk)). assert (Nm : number fs (o i)) by (eapply softmax_number; eauto). split; auto.
  destruct (greatest (fun _ => true) (num d size) L) as [None_|(js & J1 & _ & J3)].
  - assert (Z : o i = 0). { apply (softmax_zero fs fa E ord logit (truth w (den psi)) L); auto. intros j Hj.
    specialize (None_ j Hj). discriminate. }
    rewrite Z. split. lra. exists false. cbn. rewrite Rminus_0_r, Rabs_R0. split; auto. intros Li. exfalso.
    apply (step_key tail w (h_mask h) d i Dr St Tl Li). fold L. destruct L as [|q L']; auto.
      discriminate (None_ q (or_introl eq_refl)).
  - destruct (near_out E HE _ _ L (num d size) (fun _ => 1) (truth w (den psi)) logit shift js (o i) Pk)
      as [N1 N2]; auto.
    + apply keys_NoDup.
    + apply keys_length.
    + intros j Hj. apply num_lt. now apply IK in Hj.
    + intros p q Hp Hq. apply num_inj; eapply IK; eauto.
    + intros; apply truth_01.
    + split; auto. exists (sat w (den psi) js). split. exact N1. intros Li. rewrite Me, Cb. symmetry.
      apply (step_yes tail w (h_mask h)); auto.
Qed.
End Heads.
