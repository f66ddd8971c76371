(* Ramps with raw inputs, clearing, and the whole feed-forward sublayer. *)
From Coq Require Import ZArith QArith Qreals Reals Lia Lra Psatz List Bool Arith.
From Flocq Require Import Core.
From Temper Require Import Rows Format Sums Nearest Exact Rounding Ramp FusedGates Strings Programs Compile Temporal FloatRun
  Replay.
From Temper.checker Require Import Model Checker Points Exactness Invariant TapsOk NetsOk NearOk.
Import ListNotations.
Local Open Scope R_scope.

Section Ramps.
Variables (fs fa : format) (ord : order) (bits : kind).
Hypothesis pair : pair_of fs fa ord bits.
Hypothesis sound_kind : sane bits = true.
Variables (m : model) (w : list nat) (letters : nat).
Notation tail := (m_end m). Notation size := (N tail w).
Hypothesis in_alphabet : forall i a, at_ w i = Some a -> (a < letters)%nat.
Variable cands : list fml.
Notation incl_ := (incl_ fs fa ord bits pair sound_kind).
Notation holds := (holds fs fa tail w). Notation fits := (fits fs fa tail w). Notation big := (big bits).

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
    destruct (near_bound_ok fs fa ord bits pair sound_kind m w st x p i rv r z k xor F Hi P Rv Sl Z (shape_pos l r k xor Sh) Gd) as (Near & Ex0).
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
