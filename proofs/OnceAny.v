(* doc/certificate.md, "Once", in any order: any tree of rounded operations with any reference points.
   The page counts roundings more finely, because the runner's references are logits of the row; here they may be any
     numbers, and the
   bound is about four times as large: with beta = (1-u)^2 (1-2u),

     quotient >= (1-u) beta^M exp(-(1+u) spread) / ((1+u)^(4M) (1 + losers + 2 M^2 t)).

   numerator_ge   the candidates' share of the numerator
   val_le         the denominator, candidates included
   once_any_out   the output is 0 without a candidate, and within a quarter of 1 with one *)
From Coq Require Import ZArith Reals Lia Lra Psatz List Bool Arith Permutation.
From Flocq Require Import Core Relative.
From Temper Require Import Rows Heads Format Sums Nearest NearestAny Rounding Strings Programs FloatRun NearestHead.
Import ListNotations.
Local Open Scope R_scope.

Lemma exp_le_1 x : x <= 0 -> exp x <= 1.
Proof. intros H. rewrite <- exp_0. now apply exp_mono. Qed.

Section OnceAny.
Variable f : format.
Notation rnd := (rnd f). Notation number := (number f). Notation u := (u f). Notation tiny := (tiny f).
Variable E : R -> R.
Hypothesis HE : exp_model f E.
Variables (logit v : nat -> R) (win lo : R) (M : nat).
Hypothesis win_number : number win.
Hypothesis logit_number : forall j, number (logit j).
Hypothesis v_01 : forall j, v j = 0 \/ v j = 1.
Hypothesis high : forall j, v j = 1 -> lo <= logit j.
Hypothesis lo_win : lo <= win.
Definition beta := (1 - u) ^ 2 * (1 - 2 * u).
Definition least := bpow radix2 (emin f + prec f - 1).
Hypothesis normal : least <= beta ^ M * exp ((1 + u) * (lo - win)).
Definition share L (o : option nat) : R := sum v L + match o with Some j => v j | None => 0 end.

Lemma beta_range : 0 < beta <= 1 - 2 * u /\ 0 < 1 - 2 * u.
Proof. assert (U := u_pos f). assert (H := u_le_half f). assert (0 < (1 - u) ^ 2 <= 1) by (simpl; nra). unfold beta.
  split; [split|]; nra. Qed.
Lemma beta_pow n m : (n <= m)%nat -> 0 < beta ^ m <= beta ^ n.
Proof.
  intros H. assert (B := beta_range). assert (U := u_pos f). split. apply pow_lt; lra.
  induction H. lra. simpl. assert (0 < beta ^ m) by (apply pow_lt; lra). nra.
Qed.
Lemma normal_rnd x : least <= x -> (1 - u) * x <= rnd x.
Proof.
  intros H. assert (L0 : 0 < least) by apply bpow_gt_0.
  assert (X : Rabs (rnd x - x) <= u * Rabs x). { apply relative_error_N_FLT. generalize (prec_ge_2 f); lia.
    rewrite Rabs_pos_eq by lra. exact H. }
  rewrite (Rabs_pos_eq x) in X by lra. apply Rabs_le_inv in X. lra.
Qed.
Lemma factor_ge x y : number x -> number y -> lo <= x -> x <= y -> y <= win -> (1 - 2 * u) * exp ((1 + u) * (x - y))
  <= E (rnd (x - y)).
Proof.
  intros Nx Ny Lx H Hw. destruct (diff f x y Nx Ny H) as (D1 & _ & D3). assert (U := u_pos f).
    assert (Bt := beta_range).
  assert (D4 : (1 + u) * (x - y) <= rnd (x - y)).
  { assert (Ny' : number (- y)) by now apply number_opp. generalize (add_relative f x (- y) Nx Ny').
    replace (x + - y) with (x - y) by ring.
    rewrite (Rabs_left1 (x - y)) by lra. intros Z. apply Rabs_le_inv in Z. lra. }
  apply Rle_trans with ((1 - 2 * u) * exp (rnd (x - y))). apply Rmult_le_compat_l. lra. now apply exp_mono.
  apply (E_ge _ _ HE); auto. fold least. eapply Rle_trans; [apply normal|].
    apply Rle_trans with (1 * exp ((1 + u) * (lo - win))).
  apply Rmult_le_compat_r. left; apply exp_pos. destruct (beta_pow 0 M); simpl in *; lia || lra.
  rewrite Rmult_1_l. apply exp_mono. eapply Rle_trans; [|apply D4]. apply Rmult_le_compat_l; lra.
Qed.
Lemma share_whole L o : share L o = 0 \/ 1 <= share L o.
Proof.
  unfold share. assert (S : sum v L = 0 \/ 1 <= sum v L). { induction L as [|a L IH]; simpl; auto.
    destruct (v_01 a) as [-> | ->], IH; lra. }
  destruct o as [j|]; [|lra]. destruct (v_01 j) as [-> | ->], S; lra.
Qed.
(* a side that is rescaled to m *)
Lemma side_ge s n x r m : number r -> number m -> r <= m -> m <= win -> (n <= M)%nat -> (1 <= n)%nat -> (s = 0 \/ 1
  <= s) -> (0 < s -> lo <= r) -> 0 <= x -> number x ->
  s * beta ^ n * exp ((1 + u) * (lo - r)) <= x -> (Datatypes.S n <= M)%nat ->
  s * beta ^ n * (1 - 2 * u) * exp ((1 + u) * (lo - m)) <= x * E (rnd (r - m)) /\
  (1 - u) * (s * beta ^ n * (1 - 2 * u) * exp ((1 + u) * (lo - m))) <= rnd (x * E (rnd (r - m))).
Proof.
  intros Nr Nm Rm Mw nM n1 Sw Lr X0 Nx HX SnM. assert (U := u_pos f). assert (Uh := u_le_half f).
    assert (Bt := beta_range).
  destruct (E_bound f E HE r m Nr Nm Rm) as ([E0 _] & _ & _).
  destruct Sw as [->|S1].
  { rewrite !Rmult_0_l, Rmult_0_r. split. now apply Rmult_le_pos. apply rnd_ge. apply number_0.
    now apply Rmult_le_pos. }
  assert (Fg := factor_ge r m Nr Nm (Lr ltac:(lra)) Rm Mw).
  destruct (beta_pow n n (le_n n)) as [Bn _].
  assert (P : s * beta ^ n * (1 - 2 * u) * exp ((1 + u) * (lo - m)) <= x * E (rnd (r - m))).
  { replace (s * beta ^ n * (1 - 2 * u) * exp ((1 + u) * (lo - m))) with ((s * beta ^ n * exp ((1 + u) * (lo - r))) *
    ((1 - 2 * u) * exp ((1 + u) * (r - m)))).
    2:{ replace ((1 + u) * (lo - m)) with ((1 + u) * (lo - r) + (1 + u) * (r - m)) by ring. rewrite exp_plus. ring. }
    assert (e1 := exp_pos ((1 + u) * (lo - r))). assert (e2 := exp_pos ((1 + u) * (r - m))).
    apply Rmult_le_compat; auto. apply Rmult_le_pos; [|lra]. apply Rmult_le_pos; lra. apply Rmult_le_pos; lra. }
  split; auto. eapply Rle_trans; [apply Rmult_le_compat_l; [lra|apply P]|]. apply normal_rnd.
  eapply Rle_trans; [|apply P]. eapply Rle_trans; [apply normal|].
  assert (e1 := exp_pos ((1 + u) * (lo - win))).
  assert (e2 : exp ((1 + u) * (lo - win)) <= exp ((1 + u) * (lo - m))) by (apply exp_mono; apply Rmult_le_compat_l;
    lra).
  assert (Bm : beta ^ M <= beta ^ n * (1 - 2 * u)).
  { apply Rle_trans with (beta ^ Datatypes.S n). now apply beta_pow. cbn [pow]. rewrite Rmult_comm.
    apply Rmult_le_compat_l; lra. }
  destruct (beta_pow 0 M) as [BM _]; [lia|].
  apply Rmult_le_compat; try lra. eapply Rle_trans; [apply Bm|]. rewrite Rmult_assoc.
  assert (0 <= beta ^ n * (1 - 2 * u)) by (apply Rmult_le_pos; lra). nra.
Qed.

Theorem numerator_ge L o t x : ok f win t -> summed f E logit v win L o t x -> (size t <= M)%nat ->
  (0 < share L o -> lo <= ref win t) /\ share L o * beta ^ size t * exp ((1 + u) * (lo - ref win t)) <= x.
Proof.
  intros H S. assert (U := u_pos f). assert (Uh := u_le_half f). assert (Bt := beta_range).
  assert (Two : forall a b : nat, (1 <= a)%nat -> (1 <= b)%nat -> (1 - u) * ((1 - u) * (1 - 2 * u)) * beta ^ a >=
    beta ^ (a + b)).
  { intros a b Ha Hb. replace (a + b)%nat with (a + 1 + (b - 1))%nat by lia.
    destruct (beta_pow (a + 1) (a + 1 + (b - 1))) as [_ X]; [lia|].
    rewrite (pow_add beta a 1), pow_1 in X. unfold beta at 3 in X. apply Rle_ge.
      replace ((1 - u) * ((1 - u) * (1 - 2 * u)) * beta ^ a) with (beta ^ a * ((1 - u) ^ 2 * (1 - 2 * u))) by ring.
      exact X. }
  assert (Sz : forall t, (1 <= size t)%nat) by (intros t0; apply INR_le; simpl; apply size_pos).
  assert (JOIN : forall sa sb na nb m ya yb, (1 <= na)%nat -> (1 <= nb)%nat -> 0 <= sa -> 0 <= sb -> number ya ->
    number yb -> 0 <= ya -> 0 <= yb ->
     (1 - u) * (sa * beta ^ na * (1 - 2 * u) * exp ((1 + u) * (lo - m))) <= ya -> (1 - u) * (sb * beta ^ nb * (1 - 2
       * u) * exp ((1 + u) * (lo - m))) <= yb ->
     (sa + sb) * beta ^ (na + nb) * exp ((1 + u) * (lo - m)) <= rnd (ya + yb)).
  { intros sa sb na nb m ya yb Ha Hb Sa Sb Nya Nyb Y1 Y2 A1 A2. generalize (add_relative f ya yb Nya Nyb).
    rewrite (Rabs_pos_eq (ya + yb)) by lra. intros Z. apply Rabs_le_inv in Z.
    assert (e0 := exp_pos ((1 + u) * (lo - m))). set (ex := exp ((1 + u) * (lo - m))) in *.
    assert (T1 := Two na nb Ha Hb). assert (T2 := Two nb na Hb Ha). rewrite (Nat.add_comm nb na) in T2.
    apply Rle_trans with ((1 - u) * (ya + yb)); [|lra].
    apply Rle_trans with ((1 - u) * ((1 - u) * (sa * beta ^ na * (1 - 2 * u) * ex) + (1 - u) * (sb * beta ^ nb * (1 -
      2 * u) * ex))); [|apply Rmult_le_compat_l; lra].
    replace ((1 - u) * ((1 - u) * (sa * beta ^ na * (1 - 2 * u) * ex) + (1 - u) * (sb * beta ^ nb * (1 - 2 * u) *
      ex))) with
      (sa * ex * ((1 - u) * ((1 - u) * (1 - 2 * u)) * beta ^ na) + sb * ex * ((1 - u) * ((1 - u) * (1 - 2 * u)) *
        beta ^ nb)) by ring.
    replace ((sa + sb) * beta ^ (na + nb) * ex) with (sa * ex * beta ^ (na + nb) + sb * ex * beta ^ (na + nb)) by
      ring.
    apply Rplus_le_compat; apply Rmult_le_compat_l; try lra; apply Rmult_le_pos; lra. }
  assert (Sum_app : forall a b, sum v (a ++ b) = sum v a + sum v b) by (intros a b; induction a; simpl; lra).
  assert (Pos : forall L o, 0 <= share L o) by (intros L0 o0; destruct (share_whole L0 o0); lra).
  assert (TOP : forall L o a j x, ok f win a -> summed f E logit v win L o a x -> (Datatypes.S (size a) <= M)%nat ->
    number (logit j) -> ref win a <= logit j -> logit j <= win ->
     (0 < share L o -> lo <= ref win a) -> share L o * beta ^ size a * exp ((1 + u) * (lo - ref win a)) <= x ->
     (share L o + v j) * beta ^ Datatypes.S (size a) * exp ((1 + u) * (lo - logit j)) <= rnd (x * E (rnd (ref win a -
       logit j)) + v j)).
  { intros L0 o0 a j x0 Ha S0 SM Nj Ra Rw I1 I2.
    assert (Sn := summed_nums f E HE logit v win v_01 L0 o0 a x0 Ha S0).
      destruct (numerator_le f E HE win win_number a x0 Ha Sn) as [X0 _].
    destruct (side_ge (share L0 o0) (size a) x0 (ref win a) (logit j) (ref_number f win win_number a Ha) Nj Ra Rw
      ltac:(lia) (Sz a) (share_whole L0 o0) I1 X0 (nums_number f E HE win a x0 Ha Sn) I2 SM) as [P1 P2].
    assert (e0 := exp_pos ((1 + u) * (lo - logit j))). set (ex := exp ((1 + u) * (lo - logit j))) in *.
    destruct (beta_pow (size a) (size a) (le_n _)) as [Ba _].
    assert (Bs : beta ^ Datatypes.S (size a) <= (1 - u) * (beta ^ size a * (1 - 2 * u))).
    { cbn [pow]. unfold beta at 1. assert (0 <= beta ^ size a * (1 - 2 * u)) by (apply Rmult_le_pos; lra).
      replace ((1 - u) ^ 2 * (1 - 2 * u) * beta ^ size a) with ((1 - u) * ((1 - u) * (beta ^ size a * (1 - 2 * u))))
        by ring. apply Rmult_le_compat_l; nra. }
    assert (Sp := Pos L0 o0). destruct (v_01 j) as [Vj|Vj].
    - rewrite Vj, !Rplus_0_r. eapply Rle_trans; [|apply P2].
      replace ((1 - u) * (share L0 o0 * beta ^ size a * (1 - 2 * u) * ex)) with (share L0 o0 * ((1 - u) * (beta ^
        size a * (1 - 2 * u))) * ex) by ring.
      apply Rmult_le_compat_r. lra. apply Rmult_le_compat_l; lra.
    - rewrite Vj. assert (Xe : 0 <= x0 * E (rnd (ref win a - logit j))).
      { eapply Rle_trans; [|apply P1]. apply Rmult_le_pos; [|lra]. apply Rmult_le_pos; [|lra].
        apply Rmult_le_pos; lra. }
      assert (Lst : least <= 1). { unfold least. change 1 with (bpow radix2 0). apply bpow_le.
        generalize (emin_neg f). lia. }
      eapply Rle_trans; [|apply normal_rnd; lra].
      assert (ex1 : ex <= 1). { unfold ex. apply exp_le_1. assert (lo <= logit j) by now apply high. nra. }
      apply Rle_trans with ((1 - u) * (share L0 o0 * beta ^ size a * (1 - 2 * u) * ex + 1)); [|apply
        Rmult_le_compat_l; lra].
      assert (B1 : beta ^ size a <= 1) by (destruct (beta_pow 0 (size a)); [lia|simpl in *; lra]).
      assert (Q1 : share L0 o0 * beta ^ Datatypes.S (size a) * ex <= (1 - u) * (share L0 o0 * beta ^ size a * (1 - 2
        * u) * ex)).
      { replace ((1 - u) * (share L0 o0 * beta ^ size a * (1 - 2 * u) * ex)) with (share L0 o0 * ((1 - u) * (beta ^
        size a * (1 - 2 * u))) * ex) by ring.
        apply Rmult_le_compat_r. lra. apply Rmult_le_compat_l; lra. }
      assert (Q2 : beta ^ Datatypes.S (size a) * ex <= 1 - u).
      { apply Rle_trans with ((1 - u) * (beta ^ size a * (1 - 2 * u)) * ex). apply Rmult_le_compat_r; lra.
        assert (beta ^ size a * (1 - 2 * u) <= 1) by nra. assert (0 <= beta ^ size a * (1 - 2 * u)) by (apply
          Rmult_le_pos; lra).
        rewrite Rmult_assoc. rewrite <- (Rmult_1_r (1 - u)) at 2. apply Rmult_le_compat_l. lra. nra. }
      lra. }
  induction S; intros SM; cbn [ok] in H; cbn [ref size] in *.
  - destruct H as (Nl & Nm & Hm). unfold share. cbn [sum]. rewrite !Rplus_0_r.
    destruct (v_01 j) as [Vj|Vj]; rewrite Vj.
    + split. lra. rewrite Rmult_0_r, !Rmult_0_l. apply rnd_ge. apply number_0. lra.
    + assert (lo <= logit j) by now apply high. split. lra. rewrite Rmult_1_r, Rmult_1_l, pow_1.
      destruct (E_bound f E HE (logit j) m) as (_ & B & _); try tauto. rewrite (rnd_id f (E _)) by auto.
      assert (Fg := factor_ge (logit j) m Nl Nm H (proj1 Hm) (proj2 Hm)). eapply Rle_trans; [|apply Fg].
      assert (e1 := exp_pos ((1 + u) * (lo - m))). apply Rmult_le_compat; try lra. apply exp_mono.
        apply Rmult_le_compat_l; lra.
  - unfold share. cbn [sum]. rewrite Rplus_0_l. destruct (v_01 j) as [Vj|Vj]; rewrite Vj. split. lra.
    rewrite !Rmult_0_l. lra.
    split. lra. rewrite pow_1, Rmult_1_l. assert (e1 : exp ((1 + u) * (lo - win)) <= 1) by (apply exp_le_1; nra).
      assert (e2 := exp_pos ((1 + u) * (lo - win))). nra.
  - destruct H as (Ha & Hb & Hm & Ra & Rb & Rw). assert (S1a := Sz a). assert (S1b := Sz b).
    destruct (IHS1 Ha ltac:(lia)) as [I1 I2]. destruct (IHS2 Hb ltac:(lia)) as [J1 J2].
    assert (Sna := summed_nums f E HE logit v win v_01 _ _ _ _ Ha S1). assert (Snb := summed_nums f E HE logit v win
      v_01 _ _ _ _ Hb S2).
    destruct (numerator_le f E HE win win_number a x Ha Sna) as [X0 _]. destruct (numerator_le f E HE win win_number
      b y Hb Snb) as [Y0 _].
    destruct (side_ge (share La o) (size a) x (ref win a) m (ref_number f win win_number a Ha) Hm Ra Rw ltac:(lia)
      S1a (share_whole _ _) I1 X0 (nums_number f E HE win a x Ha Sna) I2 ltac:(lia)) as [_ P2].
    destruct (side_ge (share Lb None) (size b) y (ref win b) m (ref_number f win win_number b Hb) Hm Rb Rw ltac:(lia)
      S1b (share_whole _ _) J1 Y0 (nums_number f E HE win b y Hb Snb) J2 ltac:(lia)) as [_ Q2].
    assert (Es : share (La ++ Lb) o = share La o + share Lb None) by (unfold share; rewrite Sum_app; lra). rewrite Es.
    split. intros Hs. destruct (share_whole La o); [destruct (share_whole Lb None); [lra|]|].
      eapply Rle_trans; [apply J1; lra|auto]. eapply Rle_trans; [apply I1; lra|auto].
    apply JOIN; auto; try apply rnd_number; apply rnd_ge; try apply number_0; apply Rmult_le_pos; auto; apply
      (E_bound f E HE); auto; now apply ref_number.
  - destruct H as (Ha & Hb & Hm & Ra & Rb & Rw). assert (S1a := Sz a). assert (S1b := Sz b).
    destruct (IHS1 Ha ltac:(lia)) as [I1 I2]. destruct (IHS2 Hb ltac:(lia)) as [J1 J2].
    assert (Sna := summed_nums f E HE logit v win v_01 _ _ _ _ Ha S1). assert (Snb := summed_nums f E HE logit v win
      v_01 _ _ _ _ Hb S2).
    destruct (numerator_le f E HE win win_number a x Ha Sna) as [X0 _]. destruct (numerator_le f E HE win win_number
      b y Hb Snb) as [Y0 _].
    destruct (side_ge (share La None) (size a) x (ref win a) m (ref_number f win win_number a Ha) Hm Ra Rw ltac:(lia)
      S1a (share_whole _ _) I1 X0 (nums_number f E HE win a x Ha Sna) I2 ltac:(lia)) as [_ P2].
    destruct (side_ge (share Lb o) (size b) y (ref win b) m (ref_number f win win_number b Hb) Hm Rb Rw ltac:(lia)
      S1b (share_whole _ _) J1 Y0 (nums_number f E HE win b y Hb Snb) J2 ltac:(lia)) as [_ Q2].
    assert (Es : share (La ++ Lb) o = share La None + share Lb o) by (unfold share; rewrite Sum_app; lra). rewrite Es.
    split. intros Hs. destruct (share_whole La None); [destruct (share_whole Lb o); [lra|]|].
      eapply Rle_trans; [apply J1; lra|auto]. eapply Rle_trans; [apply I1; lra|auto].
    apply JOIN; auto; try apply rnd_number; apply rnd_ge; try apply number_0; apply Rmult_le_pos; auto; apply
      (E_bound f E HE); auto; now apply ref_number.
  - destruct H as (Ha & Hm & Ra & Rl). destruct (IHS Ha ltac:(lia)) as [I1 I2].
    assert (Es : share (j :: L) o = share L o + v j) by (unfold share; cbn [sum]; lra). rewrite Es. split.
    + intros Hs. destruct (v_01 j) as [Vj|Vj]. rewrite Vj in Hs. assert (lo <= ref win a) by (apply I1; lra). lra.
      now apply high.
    + apply TOP with (L := L) (o := o); auto. lra.
  - destruct (IHS H ltac:(lia)) as [I1 I2].
    assert (Es : share L (Some j) = share L None + v j) by (unfold share; lra). rewrite Es. split. lra.
    assert (X := TOP L None a j x H S SM (logit_number j)). rewrite H0 in X. apply X; auto; try lra.
      now apply (ref_le f).
Qed.

(* ---- the denominator: the winner is a key like any other ---- *)
Fixpoint plain t : Sums.run := match t with Win => Key win win | Join a b m => Join (plain a) (plain b) m | Top a l
  => Top (plain a) l
  | TopWin a => if Req_EM_T (ref win a) win then Join (plain a) (Key win win) win else Top (plain a) win | Key l m =>
    Key l m end.
Lemma plain_ref t : ref win (plain t) = ref win t.
Proof. destruct t; simpl; auto. destruct Req_EM_T; auto. Qed.
Lemma plain_ok t : ok f win t -> ok f win (plain t).
Proof.
  induction t; cbn [plain ok]; intros H; auto.
  - repeat split; auto; lra.
  - rewrite !plain_ref. destruct H as (Ha & Hb & H). auto.
  - rewrite plain_ref. destruct H as (Ha & H). auto.
  - assert (Rl := ref_le f win t H). destruct Req_EM_T as [e|e]; cbn [ok ref]; rewrite plain_ref.
    repeat split; auto; lra. repeat split; auto; lra.
Qed.
Lemma plain_wins t : wins (plain t) = O.
Proof. induction t; cbn [plain wins]; auto. rewrite IHt1, IHt2; auto. destruct Req_EM_T; cbn [wins]; rewrite IHt;
  auto. Qed.
Lemma plain_size t : size (plain t) = size t.
Proof. induction t; cbn [plain size]; auto. destruct Req_EM_T; cbn [size]; rewrite IHt; lia. Qed.
Lemma plain_val t : ok f win t -> val f E win (plain t) = val f E win t.
Proof.
  assert (E0 : E (rnd (win - win)) = 1) by (rewrite Rminus_diag_eq by auto; rewrite (rnd_id f 0) by apply number_0;
    apply (E_0 _ _ HE)).
  induction t; cbn [plain val ok]; intros H; auto.
  - rewrite !plain_ref, IHt1, IHt2; tauto.
  - rewrite plain_ref, IHt; tauto.
  - destruct (val_basic f E HE win win_number t H) as [Nv _]. destruct Req_EM_T as [e|e]; cbn [val ref]; rewrite
    plain_ref, IHt by auto; auto.
    rewrite e, E0, !Rmult_1_r, !(rnd_id f (val f E win t)), (rnd_id f 1) by (auto; apply number_1). reflexivity.
Qed.
Lemma plain_mass L o t x : summed f E logit v win L o t x -> mass f (plain t) win <= sum (fun j => exp ((1 - u) *
  (logit j - win))) L + match o with Some _ => 1 | None => 0 end.
Proof.
  assert (W : exp ((1 - u) * (win - win)) = 1) by (replace (win - win) with 0 by ring; rewrite Rmult_0_r; apply
    exp_0).
  assert (Sa : forall g a b, sum g (a ++ b) = sum g a + sum g (b : list nat)) by (intros g a b; induction a; simpl;
    lra).
  induction 1; cbn [plain mass sum]; try lra; try (rewrite Sa; lra).
  destruct Req_EM_T; cbn [mass]; lra.
Qed.
Theorem val_le L js t x : ok f win t -> summed f E logit v win L (Some js) t x ->
  val f E win t <= (1 + u) ^ (4 * size t) * (sum (fun j => exp ((1 - u) * (logit j - win))) L + 1 + 2 * INR (size t)
    ^ 2 * tiny).
Proof.
  intros H S. assert (U := u_pos f). assert (T := tiny_pos f).
  assert (B := run_losers f E HE win win_number (u_half f) (plain t) (plain_ok t H) (plain_wins t)).
    rewrite plain_val in B by auto.
  destruct (lemma1_any f E HE win win_number (u_half f) t H (summed_wins f E logit v win _ _ _ _ S)) as [Rf _].
  eapply Rle_trans; [apply B|]. unfold bound0. rewrite plain_size, plain_ref, Rf.
  assert (P := plain_mass _ _ _ _ S). cbn in P. assert (Q0 := mass_nonneg f (plain t) win).
  assert (Q1 : 0 <= 2 * INR (size t) ^ 2 * tiny) by (apply Rmult_le_pos; [|lra]; apply Rmult_le_pos; [lra|apply
    pow_le, pos_INR]).
  apply Rmult_le_compat; try lra. assert (X := g_ge_1 f (4 * size t - 2)); lra. apply Rle_pow; [lra|lia].
Qed.
End OnceAny.

(* ---- the head ---- *)
Section Head.
Variable f : format.
Variable E : R -> R.
Hypothesis HE : exp_model f E.
Variables (M : nat) (k : Z).                              (* positions; every logit is below 2^k *)
Definition lam_eps := 1 - (1 - u f) * (1 - f64_error).
Definition all_eps := 1 - (1 - u f) * (1 - lam_eps).
Definition moves := 2 * u f * bpow radix2 (k - 1) + tiny f.    (* a unit in the last place *)
Definition kept := beta f ^ M * exp (- ((1 + u f) * (2 * moves))).
Definition losers_any := exp (all_eps * ln (INR M) - (1 - all_eps) * 8 + moves + tiny f) + 2 * INR M ^ 2 * tiny f.
Definition once_any_error := 1 - (1 - u f) * kept / ((1 + u f) ^ (4 * M) * (1 + losers_any)).
Definition once_any_ok : Prop := (1 + u f) * (1 + f64_error) * (ln (INR M) + 8) < bpow radix2 k /\ moves + tiny f <
  (1 - lam_eps) * 8 /\
  least f <= kept /\ once_any_error <= / 4.

Lemma f64_error_16 : 0 <= f64_error <= / 16.
Proof. unfold f64_error, v64. change (bpow radix2 (-53)) with (/ IZR (2 ^ 53)). simpl. lra. Qed.
Lemma lam_range n lam : (0 < n <= M)%nat -> expression f (ln (INR n) + 8) lam ->
  (1 - lam_eps) * (ln (INR n) + 8) <= lam <= (1 + u f) * (1 + f64_error) * (ln (INR M) + 8) /\ 0 <= ln (INR n) <= ln
    (INR M).
Proof.
  intros Hn [(y' & H1 & _ & ->) _]. assert (F := f64_error_16). assert (U := u_pos f). assert (H := u_le_half f).
  assert (n1 : 1 <= INR n) by (change 1 with (INR 1); apply le_INR; lia).
    assert (nM : INR n <= INR M) by (apply le_INR; lia).
  assert (L0 : 0 <= ln (INR n)) by (rewrite <- ln_1; destruct n1 as [n1|<-]; [left; apply ln_increasing; lra|right;
    auto]).
  assert (L1 : ln (INR n) <= ln (INR M)) by (destruct nM as [nM| ->]; [left; apply ln_increasing; lra|right; auto]).
  set (y := ln (INR n) + 8) in *. assert (Y : 8 <= y) by (unfold y; lra). rewrite (Rabs_pos_eq y) in H1 by lra.
    apply Rabs_le_inv in H1.
  assert (Yh : / 2 <= y') by nra. destruct (rnd_normal f y' Yh) as [A B]. split; [split|]; auto.
  - replace (1 - lam_eps) with ((1 - u f) * (1 - f64_error)) by (unfold lam_eps; ring).
    eapply Rle_trans; [|apply A]. rewrite Rmult_assoc. apply Rmult_le_compat_l; lra.
  - eapply Rle_trans; [apply B|]. rewrite Rmult_assoc. apply Rmult_le_compat_l. lra.
    apply Rle_trans with ((1 + f64_error) * y). lra. apply Rmult_le_compat_l; unfold y; lra.
Qed.

Theorem once_any_out n K (c : nat -> bool) logit lam x : once_any_ok -> (0 < n <= M)%nat -> (length K <= n)%nat ->
  NoDup K ->
  expression f (ln (INR n) + 8) lam -> (forall j, number f (logit j)) ->
  (forall j, In j K -> Rabs (logit j - (if c j then lam else 0)) <= ulp radix2 (FLT_exp (emin f) (prec f)) (if c j
    then lam else 0)) ->
  softmax_row f f E AnyOrder logit (fun j => if c j then 1 else 0) K x ->
  ((forall j, In j K -> c j = false) -> x = 0) /\ (forall jc, In jc K -> c jc = true -> Rabs (x - 1) <= / 4 /\ 0 <=
    x).
Proof.
  intros (Ok0 & Ok1 & Ok2 & Ok3) Hn Ln Nd Hl Nl Lg SR. split.
  { intros Z. apply (softmax_zero f f E AnyOrder logit (fun j => if c j then 1 else 0) K); auto. intros j Hj.
    now rewrite (Z j Hj). }
  intros jc Hi Hc. destruct (lam_range n lam Hn Hl) as ([Lam1 Lam2] & L0 & L1).
  assert (U := u_pos f). assert (Uh := u_le_half f). assert (T := tiny_pos f). assert (F := f64_error_16).
  assert (Le : 0 <= lam_eps <= / 2) by (unfold lam_eps; nra).
  assert (Lam8 : (1 - lam_eps) * 8 <= lam) by nra.
  assert (Mv : 0 < moves) by (unfold moves; assert (0 <= bpow radix2 (k - 1)) by apply bpow_ge_0; nra).
  assert (Cand : forall j, In j K -> c j = true -> lam - moves <= logit j <= lam + moves).
  { intros j Hj Cj. specialize (Lg j Hj). rewrite Cj in Lg. assert (B := ulp_bound f lam k).
    rewrite Rabs_pos_eq in B by lra. specialize (B ltac:(lra)). fold moves in B.
    apply Rabs_le_inv in Lg. lra. }
  assert (Lose : forall j, In j K -> c j = false -> logit j <= tiny f).
  { intros j Hj Cj. specialize (Lg j Hj). rewrite Cj, ulp_FLT_0 in Lg by apply prec_pos. fold (tiny f) in Lg.
    apply Rabs_le_inv in Lg. lra. }
  set (v j := if in_dec Nat.eq_dec j K then (if c j then 1 else 0) else 0).
  assert (SR' : softmax_row f f E AnyOrder logit v K x). { revert SR. apply softmax_ext. intros j Hj. unfold v.
    destruct (in_dec Nat.eq_dec j K); [auto|contradiction]. }
  clear SR. assert (v01 : forall j, v j = 0 \/ v j = 1) by (intros j; unfold v; destruct (in_dec Nat.eq_dec j K);
    auto; destruct (c j); auto).
  assert (vC : forall j, v j = 1 -> In j K /\ c j = true) by (intros j; unfold v; destruct (in_dec Nat.eq_dec j K);
    [|lra]; destruct (c j); [auto|lra]).
  assert (vF : forall j, In j K -> v j = if c j then 1 else 0) by (intros j Hj; unfold v; destruct (in_dec Nat.eq_dec
    j K); [auto|contradiction]).
  unfold softmax_row in SR'. destruct K as [|k0 K0] eqn:EK; [destruct Hi|]. rewrite <- EK in *. clear EK.
  destruct SR' as (js & L & t & num & P & Top & [Ok _] & S & ->).
  assert (Ij : In js K) by (apply (Permutation_in _ P); now left).
  assert (Cjs : c js = true). { destruct (c js) eqn:X; auto. assert (A := Lose js Ij X). assert (B := Top jc Hi).
    destruct (Cand jc Hi Hc). lra. }
  set (win := logit js) in *. destruct (Cand js Ij Cjs) as [W1 W2]. fold win in W1, W2.
  set (lo := Rmin (lam - moves) win).
  assert (lo_le : lo <= win) by apply Rmin_r. assert (lo_ge : lam - moves <= lo) by (unfold lo; apply Rmin_glb; lra).
  assert (high : forall j, v j = 1 -> lo <= logit j). { intros j Vj. destruct (vC j Vj) as [Kj Cj].
    destruct (Cand j Kj Cj). assert (X := Rmin_l (lam - moves) win). fold lo in X. lra. }
  assert (Ll : (Datatypes.S (length L) <= n)%nat). { apply Permutation_length in P. simpl in P. lia. }
  assert (Sz : size t = Datatypes.S (length L)) by (rewrite (summed_size f E logit v win _ _ _ _ S); lia).
  assert (Bt := beta_range f).
  assert (Ek : exp (- ((1 + u f) * (2 * moves))) <= exp ((1 + u f) * (lo - win))).
  { apply exp_mono. replace (- ((1 + u f) * (2 * moves))) with ((1 + u f) * (- (2 * moves))) by ring.
    apply Rmult_le_compat_l; lra. }
  assert (Norm : least f <= beta f ^ M * exp ((1 + u f) * (lo - win))).
  { eapply Rle_trans; [apply Ok2|]. unfold kept. apply Rmult_le_compat_l; auto. apply pow_le; lra. }
  destruct (numerator_ge f E HE logit v win lo M (Nl js) Nl v01 high lo_le Norm L (Some js) t num Ok S ltac:(lia)) as
    [_ Num].
  assert (Den := val_le f E HE logit v win (Nl js) L js t num Ok S).
  destruct (lemma1_any f E HE win (Nl js) (u_half f) t Ok (summed_wins f E logit v win _ _ _ _ S)) as [Rf [D1 _]].
  assert (Sn := summed_nums f E HE logit v win v01 L (Some js) t num Ok S).
  assert (Unit := output_in_unit f E HE win (Nl js) (u_half f) t num Ok (summed_wins f E logit v win _ _ _ _ S) Sn).
  rewrite Rf in Num. set (den := val f E win t) in *. set (s := share v L (Some js)) in *.
  assert (Vjs : v js = 1) by (rewrite (vF js Ij), Cjs; auto).
  assert (V0 : 0 <= sum v L) by (apply sum_nonneg; intros j _; destruct (v01 j); lra).
  assert (s1 : 1 <= s) by (unfold s, share; rewrite Vjs; lra).
  set (ex := exp ((1 - u f) * (tiny f + moves - lam))).
  assert (ex0 := exp_pos ((1 - u f) * (tiny f + moves - lam))). fold ex in ex0.
  assert (SumL : sum (fun j => exp ((1 - u f) * (logit j - win))) L <= sum v L + INR (length L) * ex).
  { rewrite <- sum_const, <- sum_plus. apply sum_le. intros j Hj. assert (Kj : In j K) by (apply (Permutation_in _
    P); now right). rewrite (vF j Kj). assert (Tj := Top j Kj).
    destruct (c j) eqn:Cj.
    - assert (exp ((1 - u f) * (logit j - win)) <= 1) by (apply exp_le_1; assert (0 <= (1 - u f) * (win - logit j))
      by (apply Rmult_le_pos; lra); lra). lra.
    - rewrite Rplus_0_l. apply exp_mono. apply Rmult_le_compat_l. lra. assert (A := Lose j Kj Cj). lra. }
  assert (n1 : 1 <= INR n) by (change 1 with (INR 1); apply le_INR; lia).
  assert (Lx : INR (length L) * ex <= exp (all_eps * ln (INR M) - (1 - all_eps) * 8 + moves + tiny f)).
  { apply Rle_trans with (INR n * ex). apply Rmult_le_compat_r. lra. apply le_INR. lia.
    rewrite <- (exp_ln (INR n)) at 1 by lra. unfold ex. rewrite <- exp_plus. apply exp_mono.
    assert (A1 : (1 - u f) * (tiny f + moves - lam) <= (tiny f + moves) - (1 - u f) * ((1 - lam_eps) * (ln (INR n) +
      8))).
    { assert ((1 - u f) * ((1 - lam_eps) * (ln (INR n) + 8)) <= (1 - u f) * lam) by (apply Rmult_le_compat_l; lra).
      assert ((1 - u f) * (tiny f + moves) <= tiny f + moves) by nra. lra. }
    replace ((1 - u f) * ((1 - lam_eps) * (ln (INR n) + 8))) with ((1 - all_eps) * (ln (INR n) + 8)) in A1 by (unfold
      all_eps; ring).
    assert (Ae : 0 <= all_eps) by (unfold all_eps; nra). assert (all_eps * ln (INR n) <= all_eps * ln (INR M)) by
      (apply Rmult_le_compat_l; lra). lra. }
  assert (Sm : 2 * INR (size t) ^ 2 * tiny f <= 2 * INR M ^ 2 * tiny f).
  { apply Rmult_le_compat_r. lra. apply Rmult_le_compat_l. lra. apply pow_incr. split. apply pos_INR. apply le_INR.
    lia. }
  assert (La0 : 0 <= losers_any) by (unfold losers_any; apply Rplus_le_le_0_compat; [left; apply exp_pos|apply
    Rmult_le_pos; [|lra]; apply Rmult_le_pos; [lra|apply pow_le, pos_INR]]).
  set (G := (1 + u f) ^ (4 * M)). assert (G1 : 1 <= G) by (apply pow_R1_Rle; lra).
  assert (Den' : den <= s * (G * (1 + losers_any))).
  { eapply Rle_trans; [apply Den|]. apply Rle_trans with (G * (s + losers_any)).
    - assert (0 <= sum (fun j => exp ((1 - u f) * (logit j - win))) L) by (apply sum_nonneg; intros; left; apply
      exp_pos).
      assert (0 <= 2 * INR (size t) ^ 2 * tiny f) by (apply Rmult_le_pos; [|lra]; apply Rmult_le_pos; [lra|apply
        pow_le, pos_INR]).
      apply Rmult_le_compat. apply pow_le; lra. lra. apply Rle_pow; [lra|lia]. unfold losers_any, s, share.
        rewrite Vjs. lra.
    - rewrite (Rmult_comm s), Rmult_assoc. apply Rmult_le_compat_l. lra. nra. }
  assert (Num' : s * kept <= num).
  { eapply Rle_trans; [|apply Num]. rewrite Rmult_assoc. apply Rmult_le_compat_l. lra. unfold kept.
    apply Rmult_le_compat. apply pow_le; lra. left; apply exp_pos. apply beta_pow. lia. exact Ek. }
  assert (Kp : 0 < kept). { unfold kept. apply Rmult_lt_0_compat. apply pow_lt; lra. apply exp_pos. }
  set (Z := G * (1 + losers_any)) in *. assert (Z0 : 0 < Z) by (unfold Z; nra).
  assert (q2 : kept / Z <= num / den).
  { apply Rmult_le_reg_r with (den * Z). nra. replace (kept / Z * (den * Z)) with (kept * den) by (field; lra).
    replace (num / den * (den * Z)) with (num * Z) by (field; lra).
    apply Rle_trans with (kept * (s * Z)). apply Rmult_le_compat_l; lra.
      replace (kept * (s * Z)) with ((s * kept) * Z) by ring. apply Rmult_le_compat_r; lra. }
  unfold once_any_error in Ok3. fold G in Ok3. fold Z in Ok3.
  unfold quotient. rewrite (rnd_id f (rnd f (num / den))) by apply rnd_number.
  assert (Q : 3 / 4 <= (1 - u f) * (kept / Z)) by (unfold Rdiv in *; lra).
    assert (kz : 0 < kept / Z) by (apply Rmult_lt_0_compat; [lra|now apply Rinv_0_lt_compat]).
  assert (qh : / 2 <= num / den) by nra. destruct (rnd_normal f _ qh) as [A1 _].
  split; [|lra]. apply Rabs_le. assert ((1 - u f) * (kept / Z) <= (1 - u f) * (num / den)) by (apply
    Rmult_le_compat_l; lra). lra.
Qed.
End Head.
