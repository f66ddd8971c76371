(* Ramps with raw inputs, clearing, and the whole feed-forward sublayer. *)
From Coq Require Import ZArith QArith Qreals Reals Lia Lra Psatz List Bool Arith.
From Flocq Require Import Core.
From Temper Require Import Rows Format Sums Exact Rounding Ramp FusedGates Strings Programs Compile Temporal FloatRun
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
Variable f : format.
Variable bits : Z.
Hypothesis bits_is : prec f = bits.
Hypothesis bits_8 : (8 <= bits)%Z.
Variables (m : model) (w : list nat) (letters : nat).
Notation tail := (m_end m). Notation size := (N tail w).
Hypothesis in_alphabet : forall i a, at_ w i = Some a -> (a < letters)%nat.
Variable cands : list fml.
Notation holds := (holds f tail w). Notation fits := (fits f tail w). Notation big := (big bits).

(* what a row with raw inputs is near *)
Definition raw_near st (x : state) i c b := match get st c with Raw _ D => Rabs (x c i - b2R b) <= Q2R D | _ =>
  True end.
Lemma near_row_ok st x p i rv : fits st x -> (i < size)%nat -> point_of w p i -> (forall c b,
  look_raw rv c = Some b -> raw_near st x i c b) ->
  forall r z s q, zrow (near_at st p rv) r = Some z -> zabs r = Some s -> (s <= 2 ^ bits)%Z ->
    raw_slack st r = Some q -> Q2R q <= / 2 ->
  Rabs (total (row_terms f f x r i) - half z) <= Q2R q /\ sum Rabs (row_terms f f x r i) <= IZR s /\
  (forall y, In y (row_terms f f x r i) -> number f y) /\ 0 <= Q2R q.
Proof.
  intros F Hi P Rv. assert (T8 := two_bits bits bits_8). induction r as [|[c d] r IH]; cbn [zrow zabs raw_slack];
    intros z s q Hz Hs B Hq Q2.
  - injection Hz as <-. injection Hs as <-. injection Hq as <-. unfold total. cbn [row_terms map sum].
    unfold half, Q2R. cbn.
    rewrite !Rmult_0_l, Rminus_0_r, Rabs_R0. repeat split; try lra. intros y [].
  - destruct (halves d) as [h|] eqn:Hh; [|discriminate]. destruct (near_at st p rv c) as [b|] eqn:Nb; [|discriminate].
    destruct (zrow (near_at st p rv) r) as [z'|]; [|discriminate]. injection Hz as <-.
      destruct (zabs r) as [s'|] eqn:Hs'; [|discriminate].
    injection Hs as <-. destruct (raw_slack st r) as [q'|]; [|discriminate]. assert (S0 := zabs_pos r s' Hs').
    assert (Wd : wt f d = half h) by (apply (wt_half f bits bits_is bits_8 d h Hh); lia).
    assert (Hhalf : Rabs (half h) = half (Z.abs h)). { unfold half.
      rewrite Rabs_mult, abs_IZR, (Rabs_pos_eq (bpow radix2 (-1))) by apply bpow_ge_0. reflexivity. }
    assert (Hpos : 0 <= half (Z.abs h)) by (rewrite <- Hhalf; apply Rabs_pos).
    assert (H2 : 2 * half (Z.abs h) = IZR (Z.abs h)) by (unfold half; simpl; lra).
    destruct (get st c) as [g s0 e0| |g D|] eqn:G; try discriminate.
    + (* exact *)
      injection Hq as <-. destruct (IH z' s' q' eq_refl eq_refl ltac:(lia) eq_refl Q2) as (I1 & I2 & I3 & I4).
      assert (Xc : x c i = b2R b). { apply (exact_at_ok f tail w st x p i c b F Hi P). unfold near_at in Nb.
        now rewrite G in Nb. }
      assert (Tm : rnd f (wt f d * x c i) = half (if b then h else 0)).
      { rewrite Wd, Xc. unfold b2R. destruct b. rewrite Rmult_1_r. apply rnd_id, (number_half f bits bits_is bits_8).
        lia.
        rewrite Rmult_0_r. unfold half. rewrite Rmult_0_l. apply rnd_id, number_0. }
      unfold total in *. change (row_terms f f x ((c, d) :: r) i) with (rnd f (wt f d * x c i)
        :: row_terms f f x r i). cbn [sum]. rewrite Tm. rewrite <- half_add. repeat split; auto.
      * replace (half (if b then h else 0) + sum (fun w0 => w0) (row_terms f f x r i) - (half (if b then h else 0)
        + half z')) with
          (sum (fun w0 => w0) (row_terms f f x r i) - half z') by ring. exact I1.
      * rewrite plus_IZR, <- H2. apply Rplus_le_compat; auto. destruct b. rewrite Hhalf. lra. unfold half.
        rewrite Rmult_0_l, Rabs_R0. unfold half in Hpos. lra.
      * intros y [<-|Hy]; auto. apply (number_half f bits bits_is bits_8). destruct b; lia.
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
      assert (Np : number f (half h * x c i)).
      { assert (C : (h = 2 \/ h = -2 \/ h = 4 \/ h = -4)%Z) by lia. destruct C as [-> | [-> | [-> | ->]]].
        - replace (half 2 * x c i) with (x c i) by (unfold half; simpl; lra). auto.
        - replace (half (-2) * x c i) with (- x c i) by (unfold half; simpl; lra). now apply number_opp.
        - replace (half 4 * x c i) with (2 * x c i) by (unfold half; simpl; lra). now apply number_double.
        - replace (half (-4) * x c i) with (- (2 * x c i)) by (unfold half; simpl; lra).
          now apply number_opp, number_double. }
      assert (Tm : rnd f (wt f d * x c i) = half h * x c i) by (rewrite Wd; now apply rnd_id).
      assert (Eb : half (if b then h else 0) = half h * b2R b). { unfold b2R. destruct b. ring. unfold half. ring. }
      assert (N1 : Rabs (half h * x c i - half h * b2R b) <= half (Z.abs h) * Q2R D).
      { rewrite <- Rmult_minus_distr_l, Rabs_mult, Hhalf. now apply Rmult_le_compat_l. }
      unfold total in *. change (row_terms f f x ((c, d) :: r) i) with (rnd f (wt f d * x c i)
        :: row_terms f f x r i). cbn [sum]. rewrite Tm, <- half_add, Eb, Q2R_plus, Q2R_mult, Qh. repeat split.
      * replace (half h * x c i + sum (fun w0 => w0) (row_terms f f x r i) - (half h * b2R b + half z')) with
          ((half h * x c i - half h * b2R b) + (sum (fun w0 => w0) (row_terms f f x r i) - half z')) by ring.
        eapply Rle_trans; [apply Rabs_triang|]. lra.
      * rewrite plus_IZR, <- H2. apply Rplus_le_compat; auto. rewrite Rabs_mult, Hhalf. rewrite (Rmult_comm 2).
        now apply Rmult_le_compat_l.
      * intros y [<-|Hy]; auto.
      * lra.
Qed.
Lemma u_is : Q2R (4 # 2 ^ Z.to_pos bits) = 4 * u f.
Proof.
  unfold Q2R. cbn [Qnum Qden]. rewrite Pos2Z.inj_pow, Z2Pos.id by lia. rewrite u_bpow, bits_is.
    rewrite bpow_opp, <- pow_IZR by lia. reflexivity.
Qed.
Lemma slack_bound st x p i rv r z : fits st x -> (i < size)%nat -> point_of w p i -> (forall c b,
  look_raw rv c = Some b -> raw_near st x i c b) ->
  slack_ok bits st r = true -> zrow (near_at st p rv) r = Some z ->
  number f (row_sum f f x r i) /\ Rabs (row_sum f f x r i - half z) <= / 2 /\
    row_sum f f x r i < bpow radix2 (prec f - 1).
Proof.
  intros F Hi P Rv Sl Z. unfold slack_ok in Sl. destruct (raw_slack st r) as [q|] eqn:Q; [|discriminate].
  destruct (zabs r) as [s|] eqn:S; [|discriminate]. apply andb_prop in Sl. destruct Sl as [Sl _].
    apply andb_prop in Sl. destruct Sl as [Sl S4].
  apply Z.leb_le in S4. apply Qle_bool_iff in Sl. apply Qle_Rle in Sl. rewrite Q2R_plus, !Q2R_mult, u_is in Sl.
  assert (S0 := zabs_pos r s S). set (T := length r) in *.
  assert (Es : Q2R (s # 1) = IZR s) by (unfold Q2R; simpl; lra). assert (Et : Q2R (Z.of_nat T # 1) = INR T)
    by (unfold Q2R; simpl; rewrite <- INR_IZR_INZ; lra).
  rewrite Es, Et in Sl. replace (Q2R (1 # 2)) with (/ 2) in Sl by (unfold Q2R; simpl; lra).
  assert (Sp : 0 <= IZR s) by (now apply IZR_le). assert (Tp := pos_INR T). assert (U := u_pos f).
  assert (Big : (s <= 2 ^ bits)%Z). { eapply Z.le_trans; [apply S4|]. apply Z.pow_le_mono_r; lia. }
  assert (Pq : 0 <= IZR s * INR T * (4 * u f)) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra).
  destruct (near_row_ok st x p i rv F Hi P Rv r z s q Z S Big Q ltac:(lra)) as (N1 & N2 & N3 & N4).
  set (ys := row_terms f f x r i) in *. assert (Ly : length ys = T) by (unfold ys, row_terms; now rewrite map_length).
  assert (Er := tree_error f (comb (Leaf 0) ys)). rewrite comb_leaves, comb_computed in Er.
    cbn [leaves app computed length] in Er.
  rewrite Ly in Er. replace (Datatypes.S T - 1)%nat with T in Er by lia.
  assert (Hn : forall y, In y (0 :: ys) -> number f y) by (intros y [<-|Hy]; [apply number_0|auto]).
    specialize (Er Hn).
  unfold total in Er, N1. cbn [sum] in Er. rewrite Rabs_R0, !Rplus_0_l in Er.
  assert (Ab : 0 <= sum Rabs ys) by (apply sum_nonneg; intros; apply Rabs_pos).
  assert (Pw : 0 <= (1 + u f) ^ T - 1) by (assert (X := pow_R1_Rle (1 + u f) T ltac:(lra)); lra).
  assert (Round : ((1 + u f) ^ T - 1) * sum Rabs ys <= IZR s * INR T * (4 * u f)).
  { destruct (Z.eq_dec s 0) as [Zs|Zs].
    - assert (sum Rabs ys = 0) by (rewrite Zs in N2; lra). rewrite H, Rmult_0_r. exact Pq.
    - assert (s1 : 1 <= IZR s) by (apply IZR_le; lia). assert (Tu : INR T * u f <= / 2).
      { assert (0 <= INR T * u f) by (apply Rmult_le_pos; lra). nra. }
      assert (X : (1 + u f) ^ T <= 1 + 2 * (INR T * u f)).
      { eapply Rle_trans; [apply pow_exp|]. apply exp_double. split; auto. apply Rmult_le_pos; lra. }
      apply Rle_trans with (2 * (INR T * u f) * IZR s). apply Rmult_le_compat; lra. nra. }
  unfold row_sum. fold ys. assert (Nm : number f (asc f 0 ys)) by (apply asc_number, number_0).
  assert (Near : Rabs (asc f 0 ys - half z) <= / 2).
  { replace (asc f 0 ys - half z) with ((asc f 0 ys - sum (fun w0 => w0) ys) + (sum (fun w0 => w0) ys - half z))
    by ring.
    eapply Rle_trans; [apply Rabs_triang|]. lra. }
  split; auto. split; auto.
  assert (Tot : Rabs (sum (fun w0 => w0) ys) <= IZR s) by (eapply Rle_trans; [apply (total_abs ys)|auto]).
  assert (Asc : asc f 0 ys <= IZR s + / 2). { assert (X := Rle_abs (sum (fun w0 => w0) ys)). apply Rabs_le_inv in Er.
    lra. }
  eapply Rle_lt_trans; [apply Asc|]. rewrite bits_is. apply Rle_lt_trans with (IZR (2 ^ (bits - 4)) + / 2).
  apply Rplus_le_compat_r. now apply IZR_le. rewrite pow_IZR by lia.
    replace (bits - 1)%Z with (bits - 4 + 3)%Z by lia. rewrite bpow_plus.
  change (bpow radix2 3) with 8. assert (1 <= bpow radix2 (bits - 4)) by (change 1 with (bpow radix2 0);
    apply bpow_le; lia). lra.
Qed.
(* one unit of a ramp *)
Lemma big_room : (big + 6 <= 2 ^ bits)%Z.
Proof.
  unfold Checker.big. replace bits with (bits - 2 + 2)%Z at 2 by lia. rewrite Z.pow_add_r by lia.
  assert (2 ^ 6 <= 2 ^ (bits - 2))%Z by (apply Z.pow_le_mono_r; lia). lia.
Qed.
Definition h (S : R) (k : Z) := Rmax 0 (rnd f (S - IZR k / 2)).
Lemma h_number S k : number f (h S k).
Proof. unfold h. destruct (Rle_dec 0 (rnd f (S - IZR k / 2))); [rewrite Rmax_right by lra;
  apply rnd_number|rewrite Rmax_left by lra; apply number_0]. Qed.
Lemma unit_value x r b wz t i : is_unit r b wz t = true -> (- big - 6 <= b <= 0)%Z -> (wz = 2 \/ wz = -2)%Z ->
  rnd f (wt f (snd t) * hidden f f x (fst t) i) = IZR wz / 2 * h (row_sum f f x r i) (- b).
Proof.
  unfold is_unit. intros H B W. apply andb_prop in H. destruct H as [H H3]. apply andb_prop in H.
    destruct H as [H1 H2]. apply wrow_eqb_ok in H1.
  assert (BB := big_room). assert (T8 := two_bits bits bits_8). rewrite (wt_of f bits bits_is bits_8 (snd t) wz H3)
    by lia.
  unfold hidden. rewrite <- H1, (wt_of f bits bits_is bits_8 (u_bias (fst t)) b H2) by lia.
    set (S := row_sum f f x r i).
  replace (S + half b) with (S - IZR (- b) / 2) by (rewrite half_eq, opp_IZR; field). fold (h S (- b)).
    assert (Nh := h_number S (- b)). rewrite (rnd_id f (h S (- b)) Nh).
  rewrite half_eq. destruct W as [-> | ->].
  - replace (2 / 2 * h S (- b)) with (h S (- b)) by lra. replace (IZR 2 / 2 * h S (- b)) with (h S (- b)) by lra.
    now apply rnd_id.
  - replace (IZR (-2) / 2 * h S (- b)) with (- h S (- b)) by lra. now apply rnd_id, number_opp.
Qed.
Lemma h_low S k : number f S -> S <= IZR k / 2 -> h S k = 0.
Proof. intros N H. unfold h. apply Rmax_left. apply rnd_le_number. apply number_0. lra. Qed.
Lemma h_high S k : number f S -> S < bpow radix2 (prec f - 1) -> (0 <= k)%Z -> IZR k / 2 <= S ->
  h S k = S - IZR k / 2.
Proof.
  intros N L K H. unfold h. assert (0 <= IZR k / 2) by (apply IZR_le in K; lra).
    rewrite (rnd_id f (S - IZR k / 2)) by (apply sub_exact; auto). apply Rmax_right. lra.
Qed.
Lemma decided x i l r k xor z v : ramp_shape bits l = Some (r, k, xor) -> number f (row_sum f f x r i) ->
  row_sum f f x r i < bpow radix2 (prec f - 1) ->
  Rabs (row_sum f f x r i - half z) <= / 2 -> decide k xor z = Some v ->
  asc f 0 (map (fun t => rnd f (wt f (snd t) * hidden f f x (fst t) i)) l) = b2R v.
Proof.
  intros Sh N Lt Near D. unfold ramp_shape in Sh. destruct l as [|t1 [|t2 rest]]; try discriminate.
    destruct (halves (u_bias (fst t1))) as [b|] eqn:Hb; [|discriminate].
  cbv zeta in Sh. destruct (is_unit (u_in (fst t1)) b 2 t1) eqn:U1; [|discriminate].
    destruct (is_unit (u_in (fst t1)) (b - 2) (-2) t2) eqn:U2; [|discriminate].
  destruct (Z.ltb_spec 0 (- b)) as [K0|]; [|discriminate]. destruct (Z.leb_spec (- b) big) as [K1|]; [|discriminate].
    cbn [andb] in Sh.
  assert (Shape : u_in (fst t1) = r /\ (- b)%Z = k /\ (rest = [] /\ xor = false \/ exists t3 t4, rest = [t3;
    t4] /\ xor = true /\
    is_unit (u_in (fst t1)) (b - 4) (-2) t3 = true /\ is_unit (u_in (fst t1)) (b - 6) 2 t4 = true)).
  { destruct rest as [|t3 [|t4 [|]]]; try discriminate. injection Sh as <- <- <-. auto.
    destruct (is_unit (u_in (fst t1)) (b - 4) (-2) t3) eqn:U3; [|discriminate].
      destruct (is_unit (u_in (fst t1)) (b - 6) 2 t4) eqn:U4; [|discriminate].
    injection Sh as <- <- <-. split; auto. split; auto. right. exists t3, t4. auto. }
  clear Sh. destruct Shape as (Er & Ek & Rest). rewrite Er in *. set (S := row_sum f f x r i) in *.
    apply Rabs_le_inv in Near. rewrite half_eq in Near.
  assert (V1 := unit_value x r b 2 t1 i U1 ltac:(lia) ltac:(auto)).
    assert (V2 := unit_value x r (b - 2) (-2) t2 i U2 ltac:(lia) ltac:(auto)). fold S in V1, V2.
  replace (- b)%Z with k in V1. replace (- (b - 2))%Z with (k + 2)%Z in V2 by lia.
  assert (N0 := number_0 f). assert (N1 := number_1 f). assert (Nn : forall q, number f (- h S q)) by (intros;
    apply number_opp, h_number).
  assert (P2 : IZR (k + 2) / 2 = IZR k / 2 + 1) by (rewrite plus_IZR; lra).
    assert (P4 : IZR (k + 4) / 2 = IZR k / 2 + 2) by (rewrite plus_IZR; lra).
  assert (P6 : IZR (k + 6) / 2 = IZR k / 2 + 3) by (rewrite plus_IZR; lra).
  (* the first ramp *)
  assert (A1 : (S <= IZR k / 2 -> asc f 0 [h S k; - h S (k + 2)] = 0) /\ (IZR k / 2 + 1 <= S -> asc f 0 [h S k;
    - h S (k + 2)] = 1)).
  { cbn [asc]. rewrite Rplus_0_l, (rnd_id f (h S k)) by apply h_number. split; intros H.
    - rewrite (h_low S k), (h_low S (k + 2)) by (auto; lra). rewrite Ropp_0, Rplus_0_l. now apply rnd_id.
    - rewrite (h_high S k), (h_high S (k + 2)) by (auto; try lia; lra).
      replace (S - IZR k / 2 + - (S - IZR (k + 2) / 2)) with 1 by lra. now apply rnd_id. }
  destruct A1 as [A0 A1]. unfold decide in D. destruct Rest as [[-> ->]|(t3 & t4 & -> & -> & U3 & U4)]; cbn [map];
    rewrite V1, V2;
    replace (IZR 2 / 2 * h S k) with (h S k) by lra; replace (IZR (-2) / 2 * h S (k + 2)) with (- h S (k + 2)) by lra.
  - cbn [negb orb] in D. rewrite andb_true_r in D. destruct (Z.leb_spec (z + 1) k) as [C|C].
    + injection D as <-. apply A0. apply IZR_le in C. rewrite plus_IZR in C. lra.
    + destruct (Z.leb_spec (k + 3) z) as [C'|]; [|discriminate]. injection D as <-. apply A1. apply IZR_le in C'.
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
      rewrite (h_low S (k + 4)), (h_low S (k + 6)) by (auto; lra).
      now rewrite Ropp_0, !Rplus_0_r, !(rnd_id f 0) by auto.
    + destruct (Z.leb_spec (k + 3) z) as [C'|C'].
      * apply IZR_le in C'. rewrite plus_IZR in C'. destruct (Z.leb_spec (z + 1) (k + 4)) as [C2|C2].
        -- cbn [andb] in D. injection D as <-. apply IZR_le in C2. rewrite !plus_IZR in C2. rewrite A1 by lra.
          cbn [asc].
           rewrite (h_low S (k + 4)), (h_low S (k + 6)) by (auto; lra).
             now rewrite Ropp_0, !Rplus_0_r, !(rnd_id f 1) by auto.
        -- cbn [andb] in D. destruct (Z.leb_spec (k + 7) z) as [C3|]; [|discriminate]. injection D as <-.
          apply IZR_le in C3. rewrite plus_IZR in C3.
           rewrite A1 by lra. cbn [asc]. assert (E4 := h_high S (k + 4) N Lt ltac:(lia) ltac:(lra)).
             assert (E6 := h_high S (k + 6) N Lt ltac:(lia) ltac:(lra)).
           replace (1 + - h S (k + 4)) with (- h S (k + 6)) by (rewrite E4, E6; lra).
             rewrite (rnd_id f (- h S (k + 6))) by auto.
           replace (- h S (k + 6) + h S (k + 6)) with 0 by ring. now apply rnd_id.
      * cbn [andb] in D. destruct (Z.leb_spec (k + 7) z); [lia|discriminate].
Qed.
Lemma zero_is st x c i : fits st x -> (i < size)%nat -> is_zero (get st c) = true -> x c i = 0.
Proof.
  intros F Hi Z. specialize (F c i Hi). unfold is_zero in Z. destruct (get st c) as [[| |[]| | | |] [] []| | |];
    try discriminate.
  rewrite F. cbn. unfold letter. destruct (at_ w i); auto. now destruct (Nat.eqb i 0).
Qed.
Theorem ramp_net_ok st x c l : fits st x -> match ramp_net bits letters cands st c l with Junk => True | k =>
  holds k (fun i => rnd f (rnd f (x c i + rnd f (asc f 0 (map (fun t => rnd f (wt f (snd t) * hidden f f x (fst t) i))
    l))))) end.
Proof.
  intros F. unfold ramp_net. destruct (ramp_shape bits l) as [[[r k] xor]|] eqn:Sh; try exact I. cbv zeta.
  destruct (is_zero (get st c)) eqn:Zc; try exact I. destruct (slack_ok bits st r) eqn:Sl; try exact I.
    destruct (few (row_forms st r)); try exact I.
  destruct (Nat.leb (length (raws st r)) too_many); try exact I. destruct (always st k xor r false Begin) eqn:A1;
    try exact I. destruct (always st k xor r false Finish) eqn:A2; try exact I.
  cbn [andb]. destruct (table (ramp_at st k xor r []) (points letters (row_forms st r))) as [t|] eqn:T; try exact I.
  destruct (learn cands t) as [g|] eqn:L; try exact I.
  (* what the ramp gives where the row is near z *)
  assert (Main : forall p i rv v, (i < size)%nat -> point_of w p i -> (forall c b, look_raw rv c = Some b ->
    raw_near st x i c b) ->
    ramp_at st k xor r rv p = Some v -> rnd f (rnd f (x c i + rnd f (asc f 0 (map (fun t => rnd f (wt f (snd t)
      * hidden f f x (fst t) i)) l)))) = b2R v).
  { intros p i rv v Hi P Rv H. unfold ramp_at in H. destruct (zrow (near_at st p rv) r) as [z|] eqn:Z;
    [|discriminate].
    destruct (slack_bound st x p i rv r z F Hi P Rv Sl Z) as (Ns & Near & Lt).
    rewrite (decided x i l r k xor z v Sh Ns Lt Near H), (zero_is st x c i F Hi Zc), Rplus_0_l.
      now rewrite !(rnd_id f (b2R v)) by apply number_bit. }
  intros i Hi. destruct (letter w i) eqn:Li.
  - destruct (letter_at w letters in_alphabet i Li) as (a & A & La).
    destruct (learned w letters _ cands _ t g i a T L A La) as (v & P & H).
    apply (Main (At a v) i []); auto. intros d e; discriminate.
  - assert (P := sentinel_point tail w i Hi Li).
    destruct (raw_vals_ok (raw_near st x i) (raws st r)) as (rv & I1 & I2).
    { intros d Hd. unfold raw_near. assert (Fd := F d i Hi). destruct (get st d) as [| |g' D|]; try (exists true;
      exact I).
      destruct Fd as (_ & _ & e & E1 & _). now exists e. }
    assert (Al : forall p, always st k xor r false p = true -> ramp_at st k xor r rv p = Some false).
    { intros p Hp. unfold always in Hp. rewrite forallb_forall in Hp. specialize (Hp rv I1).
      destruct (ramp_at st k xor r rv p) as [e|]; [|discriminate].
      apply eqb_prop in Hp. now subst. }
    replace (if Nat.eqb i 0 then false else false) with false by (now destruct (Nat.eqb i 0)).
    destruct (Nat.eqb i 0). apply (Main Begin i rv); auto. apply (Main Finish i rv); auto.
Qed.
(* a raw value is cleared *)
Lemma cleared_ok st x c l g D : fits st x -> get st c = Raw g D -> cleared c l = true ->
  holds zero (fun i => rnd f (rnd f (x c i + rnd f (asc f 0 (map (fun t => rnd f (wt f (snd t) * hidden f f x (fst t)
    i)) l))))).
Proof.
  intros F G H i Hi. assert (Fc := F c i Hi). rewrite G in Fc. destruct Fc as (Nx & X0 & _).
  unfold cleared in H. destruct l as [|[un dy] [|]]; try discriminate. destruct (u_in un) as [|[c' dx] [|]] eqn:Ui;
    try discriminate.
  apply andb_prop in H. destruct H as [H H4]. apply andb_prop in H. destruct H as [H H3]. apply andb_prop in H.
    destruct H as [H1 H2].
  apply Nat.eqb_eq in H1. subst c'. cbn [map fst snd asc]. unfold hidden, row_sum, row_terms. rewrite Ui.
    cbn [map asc fst snd].
  rewrite (wt_1 f bits bits_is bits_8 dx H2), (wt_m1 f bits bits_is bits_8 dy H4).
  rewrite (wt_of f bits bits_is bits_8 (u_bias un) 0 H3) by (generalize (two_bits bits bits_8); lia).
    replace (half 0) with 0 by (unfold half; ring).
  assert (No : number f (- x c i)) by now apply number_opp.
  rewrite Rmult_1_l, (rnd_id f (x c i) Nx), (Rplus_0_l (x c i)), (rnd_id f (x c i) Nx), (Rplus_0_r (x c i)),
    (rnd_id f (x c i) Nx), (Rmax_right 0 (x c i) X0).
  rewrite (rnd_id f (x c i) Nx). replace (-1 * x c i) with (- x c i) by ring.
    rewrite (rnd_id f (- x c i) No), Rplus_0_l, !(rnd_id f (- x c i) No).
  replace (x c i + - x c i) with 0 by ring. rewrite !(rnd_id f 0) by apply number_0.
  cbn. unfold letter. destruct (at_ w i); auto. now destruct (Nat.eqb i 0).
Qed.
Theorem net_ok st x l x' : fits st x -> net f f m w x l x' -> fits (do_net bits letters cands st (l_units l)) x'.
Proof.
  intros F Nt c. unfold get, do_net. destruct (lt_dec c (length st)) as [Lc|Lc].
  2:{ rewrite nth_overflow by (rewrite map_length, seq_length; lia). intros i Hi. exact I. }
  rewrite (nth_indep _ Junk (net_channel bits letters cands st (l_units l) 0)) by (rewrite map_length, seq_length;
    lia).
  rewrite map_nth, seq_nth by lia. cbn [plus]. set (y := fun i => rnd f (rnd f (x c i + rnd f (asc f 0 (map (fun t =>
    rnd f (wt f (snd t) * hidden f
    f x (fst t) i)) (writers c (l_units l))))))).
  assert (Ex' : forall i, (i < size)%nat -> x' c i = y i). { intros i Hi. rewrite (Nt c i Hi). unfold residual, y.
    now rewrite spread_writers. }
  assert (Hy : holds (net_channel bits letters cands st (l_units l) c) y).
  { unfold net_channel. unfold y. destruct (writers c (l_units l)) as [|t ws] eqn:W.
    - intros i Hi. assert (U := unchanged f m w st x c i F Hi). cbn [map asc]. specialize (F c i Hi).
      destruct (get st c) eqn:G; auto; rewrite U by exact I; exact F.
    - rewrite <- W. set (ws' := writers c (l_units l)) in *. destruct (get st c) as [g s e| |g D|] eqn:G;
      try (intros i Hi; exact I).
      + assert (X := exact_net_ok f bits bits_is bits_8 m w letters in_alphabet cands st x c ws' F).
        assert (X2 := ramp_net_ok st x c ws' F).
        destruct (exact_net bits letters cands st c ws'); auto. destruct (ramp_net bits letters cands st c ws'); auto.
          intros i Hi; exact I.
      + destruct (cleared c ws') eqn:Cl. now apply (cleared_ok st x c ws' g D). intros i Hi; exact I. }
  intros i Hi. rewrite (Ex' i Hi). exact (Hy i Hi).
Qed.
End Ramps.
