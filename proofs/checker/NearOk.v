(* Sums of raw values in a ramp are near a half: by the errors of all terms, or, of one raw value, since rounding does not
   carry a sum across a half. And where the units of the ramp are stored exactly. *)
From Coq Require Import ZArith QArith Qreals Reals Lia Lra Psatz List Bool Arith.
From Flocq Require Import Core.
From Temper Require Import Rows Format Sums Nearest Exact Rounding Ramp FusedGates Strings Programs Compile Temporal FloatRun
  Replay.
From Temper.checker Require Import Model Checker Points Exactness Invariant TapsOk NetsOk.
Import ListNotations.
Local Open Scope R_scope.

Lemma dyadic_eqb_ok a b : dyadic_eqb a b = true -> a = b.
Proof. destruct a, b. unfold dyadic_eqb. cbn. intros H. apply andb_prop in H. destruct H as [H1 H2].
  apply Z.eqb_eq in H1, H2. congruence. Qed.
Lemma wrow_eqb_ok a : forall b, wrow_eqb a b = true -> a = b.
Proof.
  induction a as [|[c x] a IH]; intros [|[d y] b]; cbn; intros H; try discriminate; auto.
  apply andb_prop in H. destruct H as [H H2]. apply andb_prop in H. destruct H as [H H1]. apply Nat.eqb_eq in H.
    apply dyadic_eqb_ok in H1.
  apply IH in H2. congruence.
Qed.
Lemma raw_vals_ok (P : nat -> bool -> Prop) l : (forall c, In c l -> exists b, P c b) -> exists rv, In rv (raw_vals l)
  /\ forall c b,
  look_raw rv c = Some b -> P c b.
Proof.
  induction l as [|c l IH]; intros H. exists []. split. now left. intros c b; discriminate.
  destruct IH as (rv & I1 & I2). { intros d Hd. apply H. now right. } destruct (H c (or_introl eq_refl)) as [b Hb].
  exists ((c, b) :: rv). split. cbn. apply in_flat_map. exists rv. split; auto. destruct b; simpl; auto.
  intros d e. cbn. destruct (Nat.eqb_spec c d) as [<-|]. intros [= <-]; auto. apply I2.
Qed.
(* sums in order, as a tree *)
Fixpoint comb (t : tree) (ys : list R) : tree := match ys with [] => t | y :: r => comb (Node t (Leaf y)) r end.
Lemma comb_leaves ys : forall t, leaves (comb t ys) = leaves t ++ ys.
Proof. induction ys as [|y ys IH]; intros t; cbn [comb]. now rewrite app_nil_r. rewrite IH. cbn.
  now rewrite <- app_assoc. Qed.
Lemma comb_computed f ys : forall t, computed f (comb t ys) = asc f (computed f t) ys.
Proof. induction ys as [|y ys IH]; intros t; cbn [comb asc]; auto. now rewrite IH. Qed.
Lemma exp_double x : 0 <= x <= / 2 -> exp x <= 1 + 2 * x.
Proof.
  intros H. replace (exp x) with (/ exp (- x)) by (rewrite exp_Ropp; apply Rinv_inv).
    assert (E := exp_ineq1_le (- x)).
  apply Rle_trans with (/ (1 - x)). apply Rinv_le_contravar; lra. apply Rmult_le_reg_r with (1 - x). lra.
    rewrite Rinv_l by lra. nra.
Qed.

Section Near.
Variables (fs fa : format) (ord : order) (bits : kind).
Hypothesis pair : pair_of fs fa ord bits.
Hypothesis sound_kind : sane bits = true.
Variables (m : model) (w : list nat) (letters : nat).
Notation tail := (m_end m). Notation size := (N tail w).
Hypothesis in_alphabet : forall i a, at_ w i = Some a -> (a < letters)%nat.
Notation fits := (fits fs fa tail w). Notation big := (big bits).

(* what a row with raw inputs is near *)
Definition raw_near st (x : state) i c b := match get st c with Raw _ D => Rabs (x c i - b2R b) <= Q2R D | _ =>
  True end.
Lemma incl_ y : number fs y -> number fa y. Proof. apply (incl fs fa ord bits pair sound_kind). Qed.
Lemma near_row_ok st x p i rv : fits st x -> (i < size)%nat -> point_of w p i -> (forall c b,
  look_raw rv c = Some b -> raw_near st x i c b) ->
  forall r z s q, zrow (near_at st p rv) r = Some z -> zabs r = Some s -> (s <= 2 ^ digits bits)%Z ->
    raw_slack st r = Some q -> Q2R q <= / 2 ->
  Rabs (total (row_terms fs fa x r i) - half z) <= Q2R q /\ sum Rabs (row_terms fs fa x r i) <= IZR s /\
  (forall y, In y (row_terms fs fa x r i) -> number fa y) /\ 0 <= Q2R q.
Proof.
  intros F Hi P Rv. assert (T8 := two_bits bits sound_kind). induction r as [|[c d] r IH]; cbn [zrow zabs raw_slack];
    intros z s q Hz Hs B Hq Q2.
  - injection Hz as <-. injection Hs as <-. injection Hq as <-. unfold total. cbn [row_terms map sum].
    unfold half, Q2R. cbn.
    rewrite !Rmult_0_l, Rminus_0_r, Rabs_R0. repeat split; try lra. intros y [].
  - destruct (halves d) as [h|] eqn:Hh; [|discriminate]. destruct (near_at st p rv c) as [b|] eqn:Nb; [|discriminate].
    destruct (zrow (near_at st p rv) r) as [z'|]; [|discriminate]. injection Hz as <-.
      destruct (zabs r) as [s'|] eqn:Hs'; [|discriminate].
    injection Hs as <-. destruct (raw_slack st r) as [q'|]; [|discriminate]. assert (S0 := zabs_pos r s' Hs').
    assert (Wd : wt fs d = half h) by (apply (wt_half fs fa ord bits pair sound_kind d h Hh); lia).
    assert (Hhalf : Rabs (half h) = half (Z.abs h)). { unfold half.
      rewrite Rabs_mult, abs_IZR, (Rabs_pos_eq (bpow radix2 (-1))) by apply bpow_ge_0. reflexivity. }
    assert (Hpos : 0 <= half (Z.abs h)) by (rewrite <- Hhalf; apply Rabs_pos).
    assert (H2 : 2 * half (Z.abs h) = IZR (Z.abs h)) by (unfold half; simpl; lra).
    destruct (get st c) as [g s0 e0| |g D| | |] eqn:G; try discriminate.
    + (* exact *)
      injection Hq as <-. destruct (IH z' s' q' eq_refl eq_refl ltac:(lia) eq_refl Q2) as (I1 & I2 & I3 & I4).
      assert (Xc : x c i = b2R b). { apply (exact_at_ok fs fa tail w st x p i c b F Hi P). unfold near_at in Nb.
        now rewrite G in Nb. }
      assert (Tm : rnd fa (wt fs d * x c i) = half (if b then h else 0)).
      { rewrite Wd, Xc. unfold b2R. destruct b. rewrite Rmult_1_r. apply rnd_id, incl_,
        (number_half fs fa ord bits pair sound_kind).
        lia.
        rewrite Rmult_0_r. unfold half. rewrite Rmult_0_l. apply rnd_id, number_0. }
      unfold total in *. change (row_terms fs fa x ((c, d) :: r) i) with (rnd fa (wt fs d * x c i)
        :: row_terms fs fa x r i). cbn [sum]. rewrite Tm. rewrite <- half_add. repeat split; auto.
      * replace (half (if b then h else 0) + sum (fun w0 => w0) (row_terms fs fa x r i) - (half (if b then h else 0)
        + half z')) with
          (sum (fun w0 => w0) (row_terms fs fa x r i) - half z') by ring. exact I1.
      * rewrite plus_IZR, <- H2. apply Rplus_le_compat; auto. destruct b. rewrite Hhalf. lra. unfold half.
        rewrite Rmult_0_l, Rabs_R0. unfold half in Hpos. lra.
      * intros y [<-|Hy]; auto. apply incl_, (number_half fs fa ord bits pair sound_kind). destruct b; lia.
    + (* raw *)
      destruct (Z.eqb (Z.abs h) 2 || Z.eqb (Z.abs h) 4) eqn:H24; [|discriminate]. injection Hq as <-.
      assert (H24' : (Z.abs h = 2 \/ Z.abs h = 4)%Z) by (apply orb_prop in H24; destruct H24 as [X|X];
        apply Z.eqb_eq in X; auto).
      rewrite Q2R_plus, Q2R_mult in Q2. assert (Qh : Q2R (Z.abs h # 2) = half (Z.abs h)) by (unfold Q2R, half; simpl;
        lra). rewrite Qh in Q2.
      assert (Fc := F c i Hi). rewrite G in Fc. destruct Fc as (Nx & X0 & b' & B1 & B2).
      assert (D0 : 0 <= Q2R D) by (eapply Rle_trans; [apply Rabs_pos|apply B1]).
      assert (hD : 0 <= half (Z.abs h) * Q2R D) by (apply Rmult_le_pos; auto).
      destruct (IH z' s' q' eq_refl eq_refl ltac:(lia) eq_refl ltac:(lra)) as (I1 & I2 & I3 & I4).
      assert (Nr : Rabs (x c i - b2R b) <= Q2R D).
      { unfold near_at in Nb. rewrite G in Nb. destruct p as [a v| |].
        - destruct P as [A T]. assert (Li : letter w i = true) by (unfold letter; now rewrite A).
          rewrite (B2 Li) in B1.
          now rewrite <- (bev_ok w i a v g A T b Nb).
        - specialize (Rv c b Nb). unfold raw_near in Rv. now rewrite G in Rv.
        - specialize (Rv c b Nb). unfold raw_near in Rv. now rewrite G in Rv. }
      assert (H1 : 1 <= half (Z.abs h)). { replace 1 with (half 2) by (unfold half; simpl; lra). apply half_le. lia. }
      assert (Dh : Q2R D <= 1). { assert (1 * Q2R D <= half (Z.abs h) * Q2R D) by (apply Rmult_le_compat_r; auto).
        lra. }
      assert (X2 : Rabs (x c i) <= 2). { apply Rabs_le_inv in Nr. apply Rabs_le. unfold b2R in Nr. destruct b; lra. }
      (* the product is exact *)
      assert (Np : number fa (half h * x c i)).
      { apply incl_. assert (C : (h = 2 \/ h = -2 \/ h = 4 \/ h = -4)%Z) by lia. destruct C as [-> | [-> | [->
        | ->]]].
        - replace (half 2 * x c i) with (x c i) by (unfold half; simpl; lra). auto.
        - replace (half (-2) * x c i) with (- x c i) by (unfold half; simpl; lra). now apply number_opp.
        - replace (half 4 * x c i) with (2 * x c i) by (unfold half; simpl; lra). now apply number_double.
        - replace (half (-4) * x c i) with (- (2 * x c i)) by (unfold half; simpl; lra).
          now apply number_opp, number_double. }
      assert (Tm : rnd fa (wt fs d * x c i) = half h * x c i) by (rewrite Wd; now apply rnd_id).
      assert (Eb : half (if b then h else 0) = half h * b2R b). { unfold b2R. destruct b. ring. unfold half. ring. }
      assert (N1 : Rabs (half h * x c i - half h * b2R b) <= half (Z.abs h) * Q2R D).
      { rewrite <- Rmult_minus_distr_l, Rabs_mult, Hhalf. now apply Rmult_le_compat_l. }
      unfold total in *. change (row_terms fs fa x ((c, d) :: r) i) with (rnd fa (wt fs d * x c i)
        :: row_terms fs fa x r i). cbn [sum]. rewrite Tm, <- half_add, Eb, Q2R_plus, Q2R_mult, Qh. repeat split.
      * replace (half h * x c i + sum (fun w0 => w0) (row_terms fs fa x r i) - (half h * b2R b + half z')) with
          ((half h * x c i - half h * b2R b) + (sum (fun w0 => w0) (row_terms fs fa x r i) - half z')) by ring.
        eapply Rle_trans; [apply Rabs_triang|]. lra.
      * rewrite plus_IZR, <- H2. apply Rplus_le_compat; auto. rewrite Rabs_mult, Hhalf. rewrite (Rmult_comm 2).
        now apply Rmult_le_compat_l.
      * intros y [<-|Hy]; auto.
      * lra.
Qed.
Lemma u_is : Q2R (4 # 2 ^ Z.to_pos (sum_digits bits)) = 4 * u fa.
Proof.
  assert (S := kind_sizes bits sound_kind). unfold Q2R. cbn [Qnum Qden]. rewrite Pos2Z.inj_pow, Z2Pos.id by lia.
  rewrite u_bpow, (sum_digits_is fs fa ord bits pair). rewrite bpow_opp, <- pow_IZR by lia. reflexivity.
Qed.
Lemma below_top s S : (s <= 2 ^ (sum_digits bits - 4))%Z -> S <= IZR s + / 2 -> S < bpow radix2 (prec fa - 1).
Proof.
  assert (Ks := kind_sizes bits sound_kind). intros H HS. eapply Rle_lt_trans; [apply HS|].
  rewrite (sum_digits_is fs fa ord bits pair). apply Rle_lt_trans with (IZR (2 ^ (sum_digits bits - 4)) + / 2).
  apply Rplus_le_compat_r. now apply IZR_le. rewrite pow_IZR by lia.
    replace (sum_digits bits - 1)%Z with (sum_digits bits - 4 + 3)%Z by lia. rewrite bpow_plus.
  change (bpow radix2 3) with 8. assert (1 <= bpow radix2 (sum_digits bits - 4)) by (change 1 with (bpow radix2 0);
    apply bpow_le; lia). lra.
Qed.
Lemma slack_bound st x p i rv r z : fits st x -> (i < size)%nat -> point_of w p i -> (forall c b,
  look_raw rv c = Some b -> raw_near st x i c b) ->
  slack_ok bits st r = true -> zrow (near_at st p rv) r = Some z ->
  Rabs (row_sum fs fa x r i - half z) <= / 2 /\ row_sum fs fa x r i < bpow radix2 (prec fa - 1).
Proof.
  intros F Hi P Rv Sl Z. unfold slack_ok in Sl. destruct (raw_slack st r) as [q|] eqn:Q; [|discriminate].
  destruct (zabs r) as [s|] eqn:S; [|discriminate]. apply andb_prop in Sl. destruct Sl as [Sl _].
    apply andb_prop in Sl. destruct Sl as [Sl S5]. apply andb_prop in Sl. destruct Sl as [Sl S4].
  assert (Ks := kind_sizes bits sound_kind). apply Z.leb_le in S4, S5. apply Qle_bool_iff in Sl. apply Qle_Rle in Sl.
    rewrite Q2R_plus, !Q2R_mult, u_is in Sl.
  assert (S0 := zabs_pos r s S). set (T := length r) in *.
  assert (Es : Q2R (s # 1) = IZR s) by (unfold Q2R; simpl; lra). assert (Et : Q2R (Z.of_nat T # 1) = INR T)
    by (unfold Q2R; simpl; rewrite <- INR_IZR_INZ; lra).
  rewrite Es, Et in Sl. replace (Q2R (1 # 2)) with (/ 2) in Sl by (unfold Q2R; simpl; lra).
  assert (Sp : 0 <= IZR s) by (now apply IZR_le). assert (Tp := pos_INR T). assert (U := u_pos fa).
  assert (Big : (s <= 2 ^ digits bits)%Z). { generalize (big_le bits). lia. }
  assert (Pq : 0 <= IZR s * INR T * (4 * u fa)) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra).
  destruct (near_row_ok st x p i rv F Hi P Rv r z s q Z S Big Q ltac:(lra)) as (N1 & N2 & N3 & N4).
  set (ys := row_terms fs fa x r i) in *. assert (Ly : length ys = T) by (unfold ys, row_terms;
    now rewrite map_length).
  assert (Er := tree_error fa (comb (Leaf 0) ys)). rewrite comb_leaves, comb_computed in Er.
    cbn [leaves app computed length] in Er.
  rewrite Ly in Er. replace (Datatypes.S T - 1)%nat with T in Er by lia.
  assert (Hn : forall y, In y (0 :: ys) -> number fa y) by (intros y [<-|Hy]; [apply number_0|auto]).
    specialize (Er Hn).
  unfold total in Er, N1. cbn [sum] in Er. rewrite Rabs_R0, !Rplus_0_l in Er.
  assert (Ab : 0 <= sum Rabs ys) by (apply sum_nonneg; intros; apply Rabs_pos).
  assert (Pw : 0 <= (1 + u fa) ^ T - 1) by (assert (X := pow_R1_Rle (1 + u fa) T ltac:(lra)); lra).
  assert (Round : ((1 + u fa) ^ T - 1) * sum Rabs ys <= IZR s * INR T * (4 * u fa)).
  { destruct (Z.eq_dec s 0) as [Zs|Zs].
    - assert (sum Rabs ys = 0) by (rewrite Zs in N2; lra). rewrite H, Rmult_0_r. exact Pq.
    - assert (s1 : 1 <= IZR s) by (apply IZR_le; lia). assert (Tu : INR T * u fa <= / 2).
      { assert (0 <= INR T * u fa) by (apply Rmult_le_pos; lra). nra. }
      assert (X : (1 + u fa) ^ T <= 1 + 2 * (INR T * u fa)).
      { eapply Rle_trans; [apply pow_exp|]. apply exp_double. split; auto. apply Rmult_le_pos; lra. }
      apply Rle_trans with (2 * (INR T * u fa) * IZR s). apply Rmult_le_compat; lra. nra. }
  unfold row_sum. fold ys.
  assert (Near : Rabs (asc fa 0 ys - half z) <= / 2).
  { replace (asc fa 0 ys - half z) with ((asc fa 0 ys - sum (fun w0 => w0) ys) + (sum (fun w0 => w0) ys - half z))
    by ring.
    eapply Rle_trans; [apply Rabs_triang|]. lra. }
  split; auto.
  assert (Tot : Rabs (sum (fun w0 => w0) ys) <= IZR s) by (eapply Rle_trans; [apply (total_abs ys)|auto]).
  assert (Asc : asc fa 0 ys <= IZR s + / 2). { assert (X := Rle_abs (sum (fun w0 => w0) ys)). apply Rabs_le_inv in Er.
    lra. }
  apply (below_top s); auto.
Qed.
(* one raw input among exact ones: a sum of halves on either side is computed without rounding, and sums grow *)
Lemma asc_between ys zs : Forall2 Rle ys zs -> forall s t, s <= t -> asc fa s ys <= asc fa t zs.
Proof. induction 1; cbn [asc]; intros s t Hs; auto. apply IHForall2, rnd_le. lra. Qed.
Lemma lone_bound st x p i rv r z s : fits st x -> (i < size)%nat -> point_of w p i -> (forall c b,
  look_raw rv c = Some b -> raw_near st x i c b) ->
  lone st r = true -> zrow (near_at st p rv) r = Some z -> zabs r = Some s -> (s <= 2 ^ digits bits)%Z ->
  exists hs ks, Forall2 Rle (map half hs) (row_terms fs fa x r i) /\
    Forall2 Rle (row_terms fs fa x r i) (map half ks) /\
    fold_right Z.add 0%Z hs = (z - 1)%Z /\ fold_right Z.add 0%Z ks = (z + 1)%Z /\
    (fold_right (fun h a => Z.abs h + a) 0 hs <= s + 1)%Z /\ (fold_right (fun h a => Z.abs h + a) 0 ks <= s + 1)%Z /\
    (raw_true st p rv r = true -> forall y, In y (row_terms fs fa x r i) -> exists m,
      y = IZR m * bpow radix2 (1 - digits bits)).
Proof.
  intros F Hi P Rv. assert (T8 := two_bits bits sound_kind). assert (Ks := kind_sizes bits sound_kind).
  (* exact terms *)
  assert (One : forall c d b h, (match get st c with Ex _ _ _ => true | _ => false end) = true ->
    near_at st p rv c = Some b -> halves d = Some h -> (Z.abs h <= 2 ^ digits bits)%Z ->
    rnd fa (wt fs d * x c i) = half (if b then h else 0)).
  { intros c d b h Gx Nb Hh Hs. destruct (get st c) as [g s0 e0| | | | |] eqn:G; try discriminate.
    assert (Xc : x c i = b2R b). { apply (exact_at_ok fs fa tail w st x p i c b F Hi P). unfold near_at in Nb.
      now rewrite G in Nb. }
    rewrite (wt_half fs fa ord bits pair sound_kind d h Hh Hs), Xc. unfold b2R. destruct b.
    rewrite Rmult_1_r. apply rnd_id, incl_, (number_half fs fa ord bits pair sound_kind). lia.
    rewrite Rmult_0_r. unfold half. rewrite Rmult_0_l. apply rnd_id, number_0. }
  assert (Grid : forall q, exists m, half q = IZR m * bpow radix2 (1 - digits bits)).
  { intros q. exists (q * 2 ^ (digits bits - 2))%Z. rewrite mult_IZR, pow_IZR, Rmult_assoc, <- bpow_plus by lia.
    replace (digits bits - 2 + (1 - digits bits))%Z with (-1)%Z by lia. reflexivity. }
  assert (Rest : forall r z s, all_exact st r = true -> zrow (near_at st p rv) r = Some z -> zabs r = Some s ->
    (s <= 2 ^ digits bits)%Z -> exists hs, row_terms fs fa x r i = map half hs /\ fold_right Z.add 0%Z hs = z /\
    (fold_right (fun h a => Z.abs h + a) 0 hs <= s)%Z).
  { clear r z s. induction r as [|[c d] r IH]; cbn [all_exact forallb zrow zabs fst]; intros z s A Hz Hs B.
    - injection Hz as <-. injection Hs as <-. exists []. cbn. auto with zarith.
    - apply andb_prop in A. destruct A as [A1 A2]. destruct (halves d) as [h|] eqn:Hh; [|discriminate].
      destruct (near_at st p rv c) as [b|] eqn:Nb; [|discriminate].
      destruct (zrow (near_at st p rv) r) as [z'|]; [|discriminate]. injection Hz as <-.
      destruct (zabs r) as [s'|] eqn:Hs'; [|discriminate]. injection Hs as <-. assert (S0 := zabs_pos r s' Hs').
      destruct (IH z' s' A2 eq_refl eq_refl ltac:(lia)) as (hs & E1 & E2 & E3).
      exists ((if b then h else 0%Z) :: hs). cbn [row_terms map fst snd fold_right].
      rewrite (One c d b h A1 Nb Hh ltac:(lia)). change (map (fun t => rnd fa (wt fs (snd t) * x (fst t) i)) r)
        with (row_terms fs fa x r i). rewrite E1, E2. repeat split. destruct b; lia. }
  assert (Refl : forall l, Forall2 Rle l l) by (induction l; constructor; auto; lra).
  revert z s. induction r as [|[c d] r IH]; cbn [lone zrow zabs]; intros z s A Hz Hs B; [discriminate|].
  destruct (halves d) as [h|] eqn:Hh; [|discriminate]. destruct (near_at st p rv c) as [b|] eqn:Nb; [|discriminate].
  destruct (zrow (near_at st p rv) r) as [z'|] eqn:Hz'; [|discriminate]. injection Hz as <-.
  destruct (zabs r) as [s'|] eqn:Hs'; [|discriminate]. injection Hs as <-. assert (S0 := zabs_pos r s' Hs').
  change (row_terms fs fa x ((c, d) :: r) i) with (rnd fa (wt fs d * x c i) :: row_terms fs fa x r i).
  destruct (get st c) as [g s0 e0| |g D| | |] eqn:G; try discriminate.
  - destruct (IH z' s' A eq_refl eq_refl ltac:(lia)) as (hs & ks & E1 & E2 & E3 & E4 & E5 & E6 & E7).
    rewrite (One c d b h ltac:(now rewrite G) Nb Hh ltac:(lia)).
    exists ((if b then h else 0%Z) :: hs), ((if b then h else 0%Z) :: ks). cbn [map fold_right].
    split. constructor; auto; lra. split. constructor; auto; lra. repeat split; try (destruct b; lia).
    intros Rt y [<-|Hy]; auto. apply E7; auto. unfold raw_true in *. cbn [forallb fst] in Rt. rewrite G in Rt.
      exact Rt.
  - apply andb_prop in A. destruct A as [A A3]. apply andb_prop in A. destruct A as [A1 A2].
    assert (h4 : h = 4%Z). { unfold half_is in A1. rewrite Hh in A1. now apply Z.eqb_eq in A1. } subst h.
    destruct (Rest r z' s' A3 Hz' Hs' ltac:(lia)) as (hs & E1 & E2 & E3).
    assert (Wd : wt fs d = 2). { rewrite (wt_half fs fa ord bits pair sound_kind d 4 Hh) by lia. unfold half; simpl;
      lra. }
    assert (Fc := F c i Hi). rewrite G in Fc. destruct Fc as (Nx & X0 & b' & B1 & B2).
    assert (Dq : Q2R D <= / 4). { apply Qle_bool_iff in A2. apply Qle_Rle in A2. unfold Q2R at 2 in A2. simpl in A2.
      lra. }
    assert (Nr : Rabs (x c i - b2R b) <= Q2R D).
    { unfold near_at in Nb. rewrite G in Nb. destruct p as [a v| |].
      - destruct P as [At_ T]. assert (Li : letter w i = true) by (unfold letter; now rewrite At_).
        rewrite (B2 Li) in B1. now rewrite <- (bev_ok w i a v g At_ T b Nb).
      - specialize (Rv c b Nb). unfold raw_near in Rv. now rewrite G in Rv.
      - specialize (Rv c b Nb). unfold raw_near in Rv. now rewrite G in Rv. }
    apply Rabs_le_inv in Nr. assert (N2 : number fa (2 * x c i)) by (now apply number_double, incl_).
    rewrite Wd, (rnd_id fa (2 * x c i) N2). rewrite E1.
    exists (((if b then 4 else 0) - 1)%Z :: hs), (((if b then 4 else 0) + 1)%Z :: hs). cbn [map fold_right].
    assert (Hb : b2R b = if b then 1 else 0) by reflexivity.
    split. { constructor; auto. unfold half. destruct b; simpl; lra. }
    split. { constructor; auto. unfold half. destruct b; simpl; lra. }
    repeat split; try (destruct b; lia).
    intros Rt y [<-|Hy].
    + unfold raw_true in Rt. cbn [forallb fst] in Rt. rewrite G, Nb in Rt. apply andb_prop in Rt. destruct Rt as [->
      _].
      destruct (number_form fs _ Nx) as (m0 & e & Ex_ & Hm & He). assert (Dg := digits_is fs fa ord bits pair).
      assert (Ge : (- digits bits <= e)%Z).
      { assert (X : bpow radix2 (- digits bits - 1) < bpow radix2 e).
        { apply Rmult_lt_reg_l with (IZR (2 ^ digits bits)). apply IZR_lt. apply Z.pow_pos_nonneg; lia.
          apply Rlt_le_trans with (x c i). replace (IZR (2 ^ digits bits) * bpow radix2 (- digits bits - 1)) with (/
            2).
          cbn [b2R] in Nr. lra.
          rewrite pow_IZR, <- bpow_plus by lia. replace (digits bits + (- digits bits - 1))%Z with (-1)%Z by lia.
            reflexivity.
          rewrite Ex_. apply Rmult_le_compat_r. apply bpow_ge_0. apply IZR_le. rewrite Dg in Hm. lia. }
        apply lt_bpow in X. lia. }
      exists (m0 * 2 ^ (e + digits bits))%Z. rewrite mult_IZR, pow_IZR, Rmult_assoc, <- bpow_plus by lia.
      replace (e + digits bits + (1 - digits bits))%Z with (1 + e)%Z by lia. rewrite bpow_plus.
        change (bpow radix2 1) with 2.
      rewrite Ex_. ring.
    + apply in_map_iff in Hy. destruct Hy as (q & <- & _). apply Grid.
Qed.
Lemma asc_grid e ys : (forall y, In y ys -> exists m, y = IZR m * bpow radix2 e) -> forall s, (exists m,
  s = IZR m * bpow radix2 e) -> exists m, asc fa s ys = IZR m * bpow radix2 e.
Proof.
  induction ys as [|y ys IH]; intros Hy s Hs; cbn [asc]; auto. apply IH. intros; apply Hy; now right.
  destruct Hs as [a ->]. destruct (Hy y (or_introl eq_refl)) as [b ->].
  rewrite <- Rmult_plus_distr_r, <- plus_IZR. apply rnd_multiple.
Qed.
(* both ways: the sum is near a half, and where a ramp gives 1 its units are stored exactly *)
Lemma near_bound_ok st x p i rv r z k (xor : bool) : fits st x -> (i < size)%nat -> point_of w p i -> (forall c b,
  look_raw rv c = Some b -> raw_near st x i c b) -> near_ok bits st r = true ->
  zrow (near_at st p rv) r = Some z -> (0 <= k)%Z ->
  ((z + 1 <=? k)%Z || one_format bits || negb xor && (z <=? k + 3)%Z && raw_true st p rv r) = true ->
  Rabs (row_sum fs fa x r i - half z) <= / 2 /\ ((k + 3 <= z)%Z -> forall q, (k <= q)%Z ->
    IZR q / 2 <= row_sum fs fa x r i -> number fs (row_sum fs fa x r i - IZR q / 2)).
Proof.
  intros F Hi P Rv Nk Z K0 Gd. assert (Ks := kind_sizes bits sound_kind).
  assert (Fin : row_sum fs fa x r i < bpow radix2 (prec fa - 1) -> one_format bits = true -> forall q, (k <= q)%Z ->
    IZR q / 2 <= row_sum fs fa x r i -> number fs (row_sum fs fa x r i - IZR q / 2)).
  { intros Lt O q Hq Hs. rewrite (one_is fs fa ord bits pair O) at 1. apply sub_exact; auto.
    apply asc_number, number_0. split; auto. assert (0 <= IZR q) by (apply IZR_le; lia). lra. }
  unfold near_ok in Nk. apply orb_prop in Nk. destruct Nk as [Nk|Nk]; apply andb_prop in Nk; destruct Nk as [N1 N2].
  - unfold at_most in N2. destruct (zabs r) as [s|] eqn:S; [|discriminate]. apply Z.leb_le in N2.
    assert (Bl := big_le bits). assert (Sp := zabs_pos r s S).
    destruct (lone_bound st x p i rv r z s F Hi P Rv N1 Z S ltac:(lia)) as (hs & ks & E1 & E2 & E3 & E4 & E5 & E6 &
      E7).
    assert (W : (2 ^ digits bits <= 2 ^ sum_digits bits)%Z) by (apply Z.pow_le_mono_r; lia).
    assert (A1 := asc_between _ _ E1 0 0 ltac:(lra)). assert (A2 := asc_between _ _ E2 0 0 ltac:(lra)).
    rewrite (asc_halves fs fa ord bits pair sound_kind hs (s + 1) E5), E3 in A1 by lia.
    rewrite (asc_halves fs fa ord bits pair sound_kind ks (s + 1) E6), E4 in A2 by lia.
    fold (row_sum fs fa x r i) in A1, A2. rewrite half_eq, minus_IZR in A1. rewrite half_eq, plus_IZR in A2.
    rewrite half_eq. split. { apply Rabs_le. lra. }
    intros Hz q Hq Hs. destruct (one_format bits) eqn:O.
    + apply Fin; auto. assert (A : (Z.abs (z + 1) <= s + 1)%Z). { rewrite <- E4. eapply Z.le_trans;
      [apply fold_abs|exact E6]. }
      apply (below_top (s + 1)); [lia|]. assert (IZR (z + 1) <= IZR (s + 1)) by (apply IZR_le; lia).
      assert (0 <= IZR (s + 1)) by (apply IZR_le; lia). rewrite plus_IZR in H. lra.
    + destruct (Z.leb_spec (z + 1) k); [lia|]. cbn [orb] in Gd. apply andb_prop in Gd. destruct Gd as [Gd Rt].
      apply andb_prop in Gd. destruct Gd as [_ Z3]. apply Z.leb_le in Z3.
      destruct (asc_grid (1 - digits bits) (row_terms fs fa x r i) (E7 Rt) 0) as [m0 Em]. { exists 0%Z. ring. }
      fold (row_sum fs fa x r i) in Em. set (S0 := row_sum fs fa x r i) in *.
      assert (Two : 2 = IZR (2 ^ digits bits) * bpow radix2 (1 - digits bits)).
      { rewrite pow_IZR, <- bpow_plus by lia. replace (digits bits + (1 - digits bits))%Z with 1%Z by lia.
        reflexivity. }
      assert (Half : / 2 = IZR (2 ^ (digits bits - 2)) * bpow radix2 (1 - digits bits)).
      { rewrite pow_IZR, <- bpow_plus by lia. replace (digits bits - 2 + (1 - digits bits))%Z with (-1)%Z by lia.
        reflexivity. }
      assert (Ek : S0 - IZR q / 2 = IZR (m0 - q * 2 ^ (digits bits - 2)) * bpow radix2 (1 - digits bits)).
      { rewrite minus_IZR, mult_IZR, Rmult_minus_distr_r, <- Em, Rmult_assoc, <- Half. lra. }
      assert (Up : S0 - IZR q / 2 <= 2).
      { assert (IZR z <= IZR (k + 3)) by (apply IZR_le; lia). assert (IZR k <= IZR q) by (apply IZR_le; lia).
        rewrite plus_IZR in H0. lra. }
      assert (B := bpow_gt_0 radix2 (1 - digits bits)).
      apply (number_mult fs _ _ _ Ek).
      * rewrite (digits_is fs fa ord bits pair), Z.abs_eq.
        apply le_IZR. apply Rmult_le_reg_r with (1 := B). rewrite <- Ek, <- Two. lra.
        apply le_IZR. apply Rmult_le_reg_r with (1 := B). rewrite <- Ek. lra.
      * assert (En := emin_neg fs). rewrite (digits_is fs fa ord bits pair) in En. lia.
  - destruct (slack_bound st x p i rv r z F Hi P Rv N2 Z) as [Near Lt]. split; auto.
Qed.
End Near.
