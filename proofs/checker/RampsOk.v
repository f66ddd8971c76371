(* Ramps with raw inputs, clearing, and the whole feed-forward sublayer. *)
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

Section Ramps.
Variables (fs fa : format) (ord : order) (bits : kind).
Hypothesis pair : pair_of fs fa ord bits.
Hypothesis sound_kind : sane bits = true.
Variables (m : model) (w : list nat) (letters : nat).
Notation tail := (m_end m). Notation size := (N tail w).
Hypothesis in_alphabet : forall i a, at_ w i = Some a -> (a < letters)%nat.
Variable cands : list fml.
Notation holds := (holds fs fa tail w). Notation fits := (fits fs fa tail w). Notation big := (big bits).

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
(* one unit of a ramp *)
Lemma big_room : (big <= 2 ^ digits bits)%Z. Proof. apply big_le. Qed.
Definition h (S : R) (k : Z) := rnd fs (Rmax 0 (rnd fa (S - IZR k / 2))).
Lemma h_number S k : number fs (h S k). Proof. apply rnd_number. Qed.
Lemma unit_value x r b wz t i : is_unit r b wz t = true -> (- big <= b <= 0)%Z -> (wz = 2 \/ wz = -2)%Z ->
  rnd fa (wt fs (snd t) * hidden fs fa x (fst t) i) = IZR wz / 2 * h (row_sum fs fa x r i) (- b).
Proof.
  unfold is_unit. intros H B W. apply andb_prop in H. destruct H as [H H3]. apply andb_prop in H.
    destruct H as [H1 H2]. apply wrow_eqb_ok in H1.
  assert (BB := big_room). assert (T8 := two_bits bits sound_kind).
    rewrite (wt_of fs fa ord bits pair sound_kind (snd t) wz H3) by lia.
  unfold hidden. rewrite <- H1, (wt_of fs fa ord bits pair sound_kind (u_bias (fst t)) b H2) by lia.
    set (S := row_sum fs fa x r i).
  replace (S + half b) with (S - IZR (- b) / 2) by (rewrite half_eq, opp_IZR; field). fold (h S (- b)).
    assert (Nh := incl_ _ (h_number S (- b))).
  rewrite half_eq. destruct W as [-> | ->].
  - replace (2 / 2 * h S (- b)) with (h S (- b)) by lra. replace (IZR 2 / 2 * h S (- b)) with (h S (- b)) by lra.
    now apply rnd_id.
  - replace (IZR (-2) / 2 * h S (- b)) with (- h S (- b)) by lra. now apply rnd_id, number_opp.
Qed.
Lemma h_low S k : S <= IZR k / 2 -> h S k = 0.
Proof.
  intros H. unfold h. rewrite Rmax_left. apply rnd_id, number_0. apply rnd_le_number. apply number_0. lra.
Qed.
Lemma h_high S k : number fs (S - IZR k / 2) -> IZR k / 2 <= S -> h S k = S - IZR k / 2.
Proof.
  intros N H. unfold h. rewrite (rnd_id fa (S - IZR k / 2)) by (now apply incl_). rewrite Rmax_right by lra.
    now apply rnd_id.
Qed.
Lemma decided x i l r k xor z v : ramp_shape bits l = Some (r, k, xor) ->
  Rabs (row_sum fs fa x r i - half z) <= / 2 -> ((k + 3 <= z)%Z -> forall q, (k <= q)%Z ->
    IZR q / 2 <= row_sum fs fa x r i -> number fs (row_sum fs fa x r i - IZR q / 2)) -> decide k xor z = Some v ->
  asc fa 0 (map (fun t => rnd fa (wt fs (snd t) * hidden fs fa x (fst t) i)) l) = b2R v.
Proof.
  intros Sh Near Ex0 D. unfold ramp_shape in Sh. destruct l as [|t1 [|t2 rest]]; try discriminate.
    destruct (halves (u_bias (fst t1))) as [b|] eqn:Hb; [|discriminate].
  cbv zeta in Sh. destruct (is_unit (u_in (fst t1)) b 2 t1) eqn:U1; [|discriminate].
    destruct (is_unit (u_in (fst t1)) (b - 2) (-2) t2) eqn:U2; [|discriminate].
  destruct (Z.ltb_spec 0 (- b)) as [K0|]; [|discriminate]. destruct (Z.leb_spec (- b + 6) big) as [K1|];
    [|discriminate].
    cbn [andb] in Sh.
  assert (Shape : u_in (fst t1) = r /\ (- b)%Z = k /\ (rest = [] /\ xor = false \/ exists t3 t4, rest = [t3;
    t4] /\ xor = true /\
    is_unit (u_in (fst t1)) (b - 4) (-2) t3 = true /\ is_unit (u_in (fst t1)) (b - 6) 2 t4 = true)).
  { destruct rest as [|t3 [|t4 [|]]]; try discriminate. injection Sh as <- <- <-. auto.
    destruct (is_unit (u_in (fst t1)) (b - 4) (-2) t3) eqn:U3; [|discriminate].
      destruct (is_unit (u_in (fst t1)) (b - 6) 2 t4) eqn:U4; [|discriminate].
    injection Sh as <- <- <-. split; auto. split; auto. right. exists t3, t4. auto. }
  clear Sh. destruct Shape as (Er & Ek & Rest). rewrite Er in *. set (S := row_sum fs fa x r i) in *.
    apply Rabs_le_inv in Near. rewrite half_eq in Near.
  assert (V1 := unit_value x r b 2 t1 i U1 ltac:(lia) ltac:(auto)).
    assert (V2 := unit_value x r (b - 2) (-2) t2 i U2 ltac:(lia) ltac:(auto)). fold S in V1, V2.
  replace (- b)%Z with k in V1. replace (- (b - 2))%Z with (k + 2)%Z in V2 by lia.
  assert (N0 := number_0 fa). assert (N1 := number_1 fa).
  assert (Nh : forall q, number fa (h S q)) by (intros; apply incl_, h_number).
  assert (Nn : forall q, number fa (- h S q)) by (intros; apply number_opp; auto).
  assert (P2 : IZR (k + 2) / 2 = IZR k / 2 + 1) by (rewrite plus_IZR; lra).
    assert (P4 : IZR (k + 4) / 2 = IZR k / 2 + 2) by (rewrite plus_IZR; lra).
  assert (P6 : IZR (k + 6) / 2 = IZR k / 2 + 3) by (rewrite plus_IZR; lra).
  assert (Hi : (k + 3 <= z)%Z -> forall q, (k <= q)%Z -> IZR q / 2 <= S -> h S q = S - IZR q / 2).
  { intros Hz q Hq Hs. apply h_high; auto. }
  (* the first ramp *)
  assert (A0 : S <= IZR k / 2 -> asc fa 0 [h S k; - h S (k + 2)] = 0).
  { intros H. cbn [asc]. rewrite (h_low S k), (h_low S (k + 2)) by lra. rewrite Ropp_0, Rplus_0_l,
    !(rnd_id fa 0) by auto.
    rewrite Rplus_0_l. now apply rnd_id. }
  assert (A1 : (k + 3 <= z)%Z -> IZR k / 2 + 1 <= S -> asc fa 0 [h S k; - h S (k + 2)] = 1).
  { intros Hz H. cbn [asc]. rewrite Rplus_0_l, (rnd_id fa (h S k)) by auto.
    rewrite (Hi Hz k), (Hi Hz (k + 2)%Z) by (try lia; lra).
    replace (S - IZR k / 2 + - (S - IZR (k + 2) / 2)) with 1 by lra. now apply rnd_id. }
  unfold decide in D. destruct Rest as [[-> ->]|(t3 & t4 & -> & -> & U3 & U4)]; cbn [map];
    rewrite V1, V2;
    replace (IZR 2 / 2 * h S k) with (h S k) by lra; replace (IZR (-2) / 2 * h S (k + 2)) with (- h S (k + 2)) by lra.
  - cbn [negb orb] in D. rewrite andb_true_r in D. destruct (Z.leb_spec (z + 1) k) as [C|C].
    + injection D as <-. apply A0. apply IZR_le in C. rewrite plus_IZR in C. lra.
    + destruct (Z.leb_spec (k + 3) z) as [C'|]; [|discriminate]. injection D as <-. apply A1; auto.
      apply IZR_le in C'.
      rewrite plus_IZR in C'. lra.
  - assert (V3 := unit_value x r (b - 4) (-2) t3 i U3 ltac:(lia) ltac:(auto)).
    assert (V4 := unit_value x r (b - 6) 2 t4 i U4 ltac:(lia) ltac:(auto)). fold S in V3, V4.
    replace (- (b - 4))%Z with (k + 4)%Z in V3 by lia. replace (- (b - 6))%Z with (k + 6)%Z in V4 by lia.
      rewrite V3, V4.
    replace (IZR (-2) / 2 * h S (k + 4)) with (- h S (k + 4)) by lra.
      replace (IZR 2 / 2 * h S (k + 6)) with (h S (k + 6)) by lra.
    change [h S k; - h S (k + 2); - h S (k + 4); h S (k + 6)] with ([h S k; - h S (k + 2)] ++ [- h S (k + 4);
      h S (k + 6)]). rewrite asc_app.
    cbn [negb orb andb] in D. destruct (Z.leb_spec (z + 1) k) as [C|C].
    + injection D as <-. apply IZR_le in C. rewrite plus_IZR in C. rewrite A0 by lra. cbn [asc].
      rewrite (h_low S (k + 4)), (h_low S (k + 6)) by lra.
      now rewrite Ropp_0, !Rplus_0_r, !(rnd_id fa 0) by auto.
    + destruct (Z.leb_spec (k + 3) z) as [C'|C'].
      * assert (C3' := C'). apply IZR_le in C'. rewrite plus_IZR in C'.
        destruct (Z.leb_spec (z + 1) (k + 4)) as [C2|C2].
        -- cbn [andb] in D. injection D as <-. apply IZR_le in C2. rewrite !plus_IZR in C2. rewrite A1 by (auto; lra).
          cbn [asc].
           rewrite (h_low S (k + 4)), (h_low S (k + 6)) by lra.
             now rewrite Ropp_0, !Rplus_0_r, !(rnd_id fa 1) by auto.
        -- cbn [andb] in D. destruct (Z.leb_spec (k + 7) z) as [C3|]; [|discriminate]. injection D as <-.
          apply IZR_le in C3. rewrite plus_IZR in C3.
           rewrite A1 by (auto; lra). cbn [asc]. assert (E4 := Hi C3' (k + 4)%Z ltac:(lia) ltac:(lra)).
             assert (E6 := Hi C3' (k + 6)%Z ltac:(lia) ltac:(lra)).
           replace (1 + - h S (k + 4)) with (- h S (k + 6)) by (rewrite E4, E6; lra).
             rewrite (rnd_id fa (- h S (k + 6))) by auto.
           replace (- h S (k + 6) + h S (k + 6)) with 0 by ring. now apply rnd_id.
      * cbn [andb] in D. destruct (Z.leb_spec (k + 7) z); [lia|discriminate].
Qed.
Lemma zero_is st x c i : fits st x -> (i < size)%nat -> is_zero (get st c) = true -> x c i = 0.
Proof.
  intros F Hi Z. specialize (F c i Hi). unfold is_zero in Z. destruct (get st c) as [[| |[]| | | | | | |] [] []| | | | |];
    try discriminate.
  rewrite F. cbn. unfold letter. destruct (at_ w i); auto. now destruct (Nat.eqb i 0).
Qed.
Lemma shape_pos l r k xor : ramp_shape bits l = Some (r, k, xor) -> (0 <= k)%Z.
Proof.
  unfold ramp_shape. destruct l as [|t1 [|t2 rest]]; try discriminate.
  destruct (halves (u_bias (fst t1))) as [b|]; [|discriminate]. cbv zeta.
  destruct (_ && _) eqn:C; [|discriminate]. apply andb_prop in C. destruct C as [C _]. apply andb_prop in C.
  destruct C as [_ C]. apply Z.ltb_lt in C. intros H. assert (k = (- b)%Z); [|lia].
  destruct rest as [|t3 [|t4 [|]]]; try discriminate. now injection H.
  destruct (_ && _) in H; [|discriminate]. now injection H.
Qed.
Theorem ramp_net_ok st x c l : fits st x -> match ramp_net bits letters cands st c l with Junk => True | k =>
  holds k (fun i => rnd fs (rnd fa (x c i + rnd fs (asc fa 0 (map (fun t => rnd fa (wt fs (snd t) * hidden fs fa x
    (fst t) i))
    l))))) end.
Proof.
  intros F. unfold ramp_net. destruct (ramp_shape bits l) as [[[r k] xor]|] eqn:Sh; try exact I. cbv zeta.
  destruct (is_zero (get st c)) eqn:Zc; try exact I. destruct (near_ok bits st r) eqn:Sl; try exact I.
    destruct (few (row_forms st r)); try exact I.
  destruct (Nat.leb (length (raws st r)) too_many); try exact I. destruct (always bits st k xor r false Begin) eqn:A1;
    try exact I. destruct (always bits st k xor r false Finish) eqn:A2; try exact I.
  cbn [andb]. destruct (table (ramp_at bits st k xor r []) (points letters (row_forms st r))) as [t|] eqn:T;
    try exact I.
  destruct (learn cands t) as [g|] eqn:L; try exact I.
  (* what the ramp gives where the row is near z *)
  assert (Main : forall p i rv v, (i < size)%nat -> point_of w p i -> (forall c b, look_raw rv c = Some b ->
    raw_near st x i c b) ->
    ramp_at bits st k xor r rv p = Some v -> rnd fs (rnd fa (x c i + rnd fs (asc fa 0 (map (fun t => rnd fa (wt fs
      (snd t)
      * hidden fs fa x (fst t) i)) l)))) = b2R v).
  { intros p i rv v Hi P Rv H. unfold ramp_at in H. destruct (zrow (near_at st p rv) r) as [z|] eqn:Z;
    [|discriminate].
    destruct (_ || _) eqn:Gd in H; [|discriminate].
    destruct (near_bound_ok st x p i rv r z k xor F Hi P Rv Sl Z (shape_pos l r k xor Sh) Gd) as (Near & Ex0).
    rewrite (decided x i l r k xor z v Sh Near Ex0 H), (zero_is st x c i F Hi Zc), Rplus_0_l.
    rewrite (rnd_id fs (b2R v)), (rnd_id fa (b2R v)) by apply number_bit. apply rnd_id, number_bit. }
  intros i Hi. destruct (letter w i) eqn:Li.
  - destruct (letter_at w letters in_alphabet i Li) as (a & A & La).
    destruct (learned w letters _ cands _ t g i a T L A La) as (v & P & H).
    apply (Main (At a v) i []); auto. intros d e; discriminate.
  - assert (P := sentinel_point tail w i Hi Li).
    destruct (raw_vals_ok (raw_near st x i) (raws st r)) as (rv & I1 & I2).
    { intros d Hd. unfold raw_near. assert (Fd := F d i Hi). destruct (get st d) as [| |g' D| | |]; try (exists true;
      exact I).
      destruct Fd as (_ & _ & e & E1 & _). now exists e. }
    assert (Al : forall p, always bits st k xor r false p = true -> ramp_at bits st k xor r rv p = Some false).
    { intros p Hp. unfold always in Hp. rewrite forallb_forall in Hp. specialize (Hp rv I1).
      destruct (ramp_at bits st k xor r rv p) as [e|]; [|discriminate].
      apply eqb_prop in Hp. now subst. }
    replace (if Nat.eqb i 0 then false else false) with false by (now destruct (Nat.eqb i 0)).
    destruct (Nat.eqb i 0). apply (Main Begin i rv); auto. apply (Main Finish i rv); auto.
Qed.
(* a raw value is cleared, also one that may be negative *)
Lemma number_part f y : number f y -> number f (Rmax 0 y).
Proof. intros N. unfold Rmax. destruct (Rle_dec 0 y); auto. apply number_0. Qed.
Lemma clears_term x c t i s y : clears c s t = true -> (s = 2 \/ s = -2)%Z -> y = (if Z.eqb s 2 then x c i else - x c i) ->
  number fs (x c i) -> rnd fa (wt fs (snd t) * hidden fs fa x (fst t) i) = (if Z.eqb s 2 then - Rmax 0 y else Rmax 0 y).
Proof.
  unfold clears. intros H S Ey Nx. destruct (u_in (fst t)) as [|[c' dx] [|]] eqn:Ui; try discriminate.
  apply andb_prop in H. destruct H as [H H4]. apply andb_prop in H. destruct H as [H H3]. apply andb_prop in H.
    destruct H as [H1 H2]. apply Nat.eqb_eq in H1. subst c'. unfold hidden, row_sum, row_terms. rewrite Ui.
    cbn [map asc fst snd].
  rewrite (wt_of fs fa ord bits pair sound_kind (u_bias (fst t)) 0 H3) by (generalize (two_bits bits sound_kind); lia).
    replace (half 0) with 0 by (unfold half; ring).
  assert (Ny : number fs y) by (rewrite Ey; destruct (Z.eqb s 2); auto; now apply number_opp).
  assert (Ry : wt fs dx * x c i = y /\ wt fs (snd t) * Rmax 0 y = if Z.eqb s 2 then - Rmax 0 y else Rmax 0 y).
  { destruct S as [-> | ->]; cbn [Z.eqb Pos.eqb] in *; subst y.
    - rewrite (wt_1 fs fa ord bits pair sound_kind dx H2), (wt_m1 fs fa ord bits pair sound_kind (snd t) H4). split; ring.
    - rewrite (wt_m1 fs fa ord bits pair sound_kind dx H2), (wt_1 fs fa ord bits pair sound_kind (snd t) H4). split; ring. }
  destruct Ry as [Ry Ro]. assert (Na := incl_ y Ny). assert (Np := number_part fs y Ny).
  rewrite Ry, (rnd_id fa y Na), (Rplus_0_l y), (rnd_id fa y Na), (Rplus_0_r y), (rnd_id fa y Na), (rnd_id fs (Rmax 0 y) Np), Ro.
  apply rnd_id, incl_. destruct (Z.eqb s 2); auto. now apply number_opp.
Qed.
Lemma zero_holds y : (forall i, (i < size)%nat -> y i = 0) -> holds zero y.
Proof. intros H i Hi. rewrite (H i Hi). cbn. unfold letter. destruct (at_ w i); auto. now destruct (Nat.eqb i 0). Qed.
Lemma gone (x : state) c i : number fs (x c i) -> rnd fs (rnd fa (x c i + rnd fs (rnd fa (- x c i)))) = 0.
Proof.
  intros N. assert (No : number fs (- x c i)) by now apply number_opp.
  rewrite (rnd_id fa (- x c i) (incl_ _ No)), (rnd_id fs (- x c i) No), Rplus_opp_r.
  rewrite (rnd_id fa 0) by apply number_0. apply rnd_id, number_0.
Qed.
Lemma cleared_ok st x c l g D : fits st x -> get st c = Raw g D -> cleared c l = true ->
  holds zero (fun i => rnd fs (rnd fa (x c i + rnd fs (asc fa 0 (map (fun t => rnd fa (wt fs (snd t) * hidden fs fa x (fst t)
    i)) l))))).
Proof.
  intros F G H. apply zero_holds. intros i Hi. assert (Fc := F c i Hi). rewrite G in Fc. destruct Fc as (Nx & X0 & _).
  unfold cleared in H. destruct l as [|t [|]]; try discriminate. cbn [map asc].
  rewrite (clears_term x c t i 2 (x c i) H (or_introl eq_refl) eq_refl Nx). cbn [Z.eqb Pos.eqb].
  rewrite (Rmax_right 0 (x c i) X0), Rplus_0_l. now apply gone.
Qed.
Lemma cleared_twice_ok st x c l d g z : fits st x -> get st c = Mean d g z -> cleared_twice c l = true ->
  holds zero (fun i => rnd fs (rnd fa (x c i + rnd fs (asc fa 0 (map (fun t => rnd fa (wt fs (snd t) * hidden fs fa x (fst t)
    i)) l))))).
Proof.
  intros F G H. apply zero_holds. intros i Hi. assert (Fc := F c i Hi). rewrite G in Fc. destruct Fc as (Ex' & _).
  assert (Nx : number fs (x c i)) by (rewrite Ex'; unfold quotient; apply rnd_number).
  unfold cleared_twice in H. destruct l as [|t [|q [|]]]; try discriminate. apply andb_prop in H. destruct H as [H1 H2].
  cbn [map asc]. rewrite (clears_term x c t i 2 (x c i) H1 (or_introl eq_refl) eq_refl Nx).
  rewrite (clears_term x c q i (-2) (- x c i) H2 (or_intror eq_refl) eq_refl Nx). cbn [Z.eqb Pos.eqb]. rewrite Rplus_0_l.
  rewrite (rnd_id fa (- Rmax 0 (x c i))) by now apply number_opp, number_part, incl_.
  assert (S : - Rmax 0 (x c i) + Rmax 0 (- x c i) = - x c i).
  { unfold Rmax. destruct (Rle_dec 0 (x c i)), (Rle_dec 0 (- x c i)); lra. }
  rewrite S. now apply gone.
Qed.
Theorem net_ok st x l x' : fits st x -> net fs fa m w x l x' -> fits (do_net bits letters cands st (l_units l)) x'.
Proof.
  intros F Nt c. unfold get, do_net. destruct (lt_dec c (length st)) as [Lc|Lc].
  2:{ rewrite nth_overflow by (rewrite map_length, seq_length; lia). intros i Hi. exact I. }
  rewrite (nth_indep _ Junk (net_channel bits letters cands st (l_units l) 0)) by (rewrite map_length, seq_length;
    lia).
  rewrite map_nth, seq_nth by lia. cbn [plus].
    set (y := fun i => rnd fs (rnd fa (x c i + rnd fs (asc fa 0 (map (fun t =>
    rnd fa (wt fs (snd t) * hidden fs
    fa x (fst t) i)) (writers c (l_units l))))))).
  assert (Ex' : forall i, (i < size)%nat -> x' c i = y i). { intros i Hi. rewrite (Nt c i Hi). unfold residual, y.
    now rewrite spread_writers. }
  assert (Hy : holds (net_channel bits letters cands st (l_units l) c) y).
  { unfold net_channel. unfold y. destruct (writers c (l_units l)) as [|t ws] eqn:W.
    - intros i Hi. assert (U := unchanged fs fa ord bits pair sound_kind m w st x c i F Hi). cbn [map asc].
      specialize (F c i Hi).
      destruct (get st c) eqn:G; auto; rewrite U by exact I; exact F.
    - rewrite <- W. set (ws' := writers c (l_units l)) in *. destruct (get st c) as [g s e| |g D| |d g z|d] eqn:G;
      try (intros i Hi; exact I).
      + assert (X := exact_net_ok fs fa ord bits pair sound_kind m w letters in_alphabet cands st x c ws' F).
        assert (X2 := ramp_net_ok st x c ws' F).
        destruct (exact_net bits letters cands st c ws'); auto. destruct (ramp_net bits letters cands st c ws'); auto.
          intros i Hi; exact I.
      + destruct (cleared c ws') eqn:Cl. now apply (cleared_ok st x c ws' g D). intros i Hi; exact I.
      + destruct (cleared_twice c ws') eqn:Cl. now apply (cleared_twice_ok st x c ws' d g z). intros i Hi; exact I. }
  intros i Hi. rewrite (Ex' i Hi). exact (Hy i Hi).
Qed.
End Ramps.
