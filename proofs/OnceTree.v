(* doc/certificate.md, "Once", in any order: a tree of rounded operations, with weights that are effective.
   A row has few different logits. A partial sum is rescaled only where its reference grows, so along a path of the
     tree there are at most
   `rank` of its reference many products that are rounded, and one addition for each key.
     Numerator and denominator meet the same factors E(.),
   so what the tree does to them is a sum c of the candidates' effective weights and a sum d of the losers':

   effective   (1-u)^(n-1+rank) c <= numerator, denominator <= (1+u)^(n-1+rank) (c + d + (2n-1) t), n keys;
               c is at least (1-2u)^(ranks from the least candidate) e^((1+u)(lo - reference)) for each candidate,
               d at most (1+2u)^rank times the losers' ideal weights and 2n t for each loser *)
From Coq Require Import ZArith Reals Lia Lra Psatz List Bool Arith.
From Flocq Require Import Core Relative.
From Temper Require Import Rows Heads Format Sums Nearest NearestAny Rounding Strings Programs.
Import ListNotations.
Local Open Scope R_scope.

Lemma exp_le_1 x : x <= 0 -> exp x <= 1.
Proof. intros H. rewrite <- exp_0. now apply exp_mono. Qed.
(* the least normal number *)
Definition least f := bpow radix2 (emin f + prec f - 1).
Lemma normal_rnd f x : least f <= x -> (1 - u f) * x <= rnd f x.
Proof.
  intros H. assert (L0 : 0 < least f) by apply bpow_gt_0.
  assert (X : Rabs (rnd f x - x) <= u f * Rabs x). { apply relative_error_N_FLT. generalize (prec_ge_2 f); lia.
    rewrite Rabs_pos_eq by lra. exact H. }
  rewrite (Rabs_pos_eq x) in X by lra. apply Rabs_le_inv in X. lra.
Qed.
Lemma least_le_1 f : least f <= 1.
Proof. unfold least. change 1 with (bpow radix2 0). apply bpow_le. generalize (emin_neg f). lia. Qed.

(* what n - 1 losers weigh beside ln n + C grows with n *)
Lemma losers_grow e C n m : 0 <= e <= 1 -> 1 <= n -> n <= m -> (n - 1) * exp (- (e * (ln n + C))) <= (m - 1) * exp (-
  (e * (ln m + C))).
Proof.
  intros He n1 nm. assert (L : ln n <= ln m) by (destruct nm as [nm| ->]; [left; apply ln_increasing; lra|lra]).
  assert (Pw : forall k, 1 <= k -> exp (- (e * (ln k + C))) = exp (- (C * e)) * (exp ((1 - e) * ln k) * / k)).
  { intros k K1. rewrite <- (exp_ln k) at 3 by lra. rewrite <- exp_Ropp, <- !exp_plus. f_equal. ring. }
  rewrite !Pw by lra. set (a := exp (- (C * e))). assert (a0 : 0 < a) by apply exp_pos.
  replace ((n - 1) * (a * (exp ((1 - e) * ln n) * / n))) with (a * (exp ((1 - e) * ln n) * (1 - / n))) by (field;
    lra).
  replace ((m - 1) * (a * (exp ((1 - e) * ln m) * / m))) with (a * (exp ((1 - e) * ln m) * (1 - / m))) by (field;
    lra).
  assert (I : / m <= / n) by (apply Rinv_le_contravar; lra). assert (I1 : / n <= 1) by (rewrite <- Rinv_1; apply
    Rinv_le_contravar; lra).
  apply Rmult_le_compat_l. lra. apply Rmult_le_compat. left; apply exp_pos. lra. apply exp_mono.
    apply Rmult_le_compat_l; lra. lra.
Qed.
(* the values of all keys of a tree, the winner included *)
Definition share (v : nat -> R) L (o : option nat) : R := sum v L + match o with Some j => v j | None => 0 end.
Lemma share_whole v : (forall j, v j = 0 \/ v j = 1) -> forall L o, share v L o = 0 \/ 1 <= share v L o.
Proof.
  intros v_01 L o. unfold share. assert (S : sum v L = 0 \/ 1 <= sum v L). { induction L as [|a L IH]; simpl; auto.
    destruct (v_01 a) as [-> | ->], IH; lra. }
  destruct o as [j|]; [|lra]. destruct (v_01 j) as [-> | ->], S; lra.
Qed.
Lemma share_app_l v La Lb o : share v (La ++ Lb) o = share v La o + share v Lb None.
Proof. unfold share. assert (X : sum v (La ++ Lb) = sum v La + sum v Lb) by (induction La; simpl; lra). lra. Qed.
Lemma share_app_r v La Lb o : share v (La ++ Lb) o = share v La None + share v Lb o.
Proof. unfold share. assert (X : sum v (La ++ Lb) = sum v La + sum v Lb) by (induction La; simpl; lra). lra. Qed.

(* powers of a factor of at most 1, and of at least 1 *)
Lemma pow_less x n m : 0 <= x <= 1 -> (n <= m)%nat -> x ^ m <= x ^ n.
Proof.
  intros X H. induction H. lra. simpl. assert (0 <= x ^ m) by (apply pow_le; lra). nra.
Qed.
Lemma pow_0_1 x n : 0 <= x <= 1 -> 0 <= x ^ n <= 1.
Proof. intros X. split. apply pow_le; lra. apply (pow_less x 0 n); auto; lia. Qed.

Section Tree.
Variable f : format.
Notation rnd := (rnd f). Notation number := (number f). Notation u := (u f). Notation tiny := (tiny f).
Variable E : R -> R.
Hypothesis HE : exp_model f E.
Variables (logit v : nat -> R) (win lo : R) (P : R -> Prop) (rank : R -> nat) (low : nat) (M : nat).
Hypothesis u_32 : u <= / 32.
Hypothesis win_number : number win.
Hypothesis v_01 : forall j, v j = 0 \/ v j = 1.
Hypothesis rank_up : forall x y, P x -> P y -> x < y -> (rank x < rank y)%nat.
Hypothesis rank_6 : forall x, (rank x <= 6)%nat.
Hypothesis P_win : P win.
Hypothesis high : forall j, v j = 1 -> P (logit j) -> lo <= logit j /\ (low <= rank (logit j))%nat.
Hypothesis low_3 : (rank win <= low + 3)%nat.
Hypothesis lo_win : lo <= win.
Hypothesis normal : least f <= (1 - u) ^ (M + 6) * ((1 - 2 * u) ^ 3 * exp ((1 + u) * (lo - win))).
Notation other := (fun j => 1 - v j).

Lemma rank_mono x y : P x -> P y -> x <= y -> (rank x <= rank y)%nat.
Proof. intros Px Py [H| ->]; auto. assert (X := rank_up x y Px Py H). lia. Qed.

Lemma E_same x : number x -> E (rnd (x - x)) = 1.
Proof. intros. rewrite Rminus_diag_eq by auto. rewrite (rnd_id f 0) by apply number_0. apply (E_0 _ _ HE). Qed.
Lemma other_01 j : other j = 0 \/ other j = 1.
Proof. destruct (v_01 j); lra. Qed.

(* a factor, from below and above *)
Lemma E_low_factor x y : number x -> number y -> lo <= x -> x <= y -> y <= win -> (1 - 2 * u) * exp ((1 + u) * (x -
  y)) <= E (rnd (x - y)).
Proof.
  intros Nx Ny Lx H Hw. destruct (diff f x y Nx Ny H) as (D1 & _ & D3). assert (U := u_pos f).
  assert (D4 : (1 + u) * (x - y) <= rnd (x - y)).
  { assert (Ny' : number (- y)) by now apply number_opp. generalize (add_relative f x (- y) Nx Ny').
    replace (x + - y) with (x - y) by ring.
    rewrite (Rabs_left1 (x - y)) by lra. intros Z. apply Rabs_le_inv in Z. lra. }
  apply Rle_trans with ((1 - 2 * u) * exp (rnd (x - y))). apply Rmult_le_compat_l. lra. now apply exp_mono.
  apply (E_ge _ _ HE); auto. fold (least f). eapply Rle_trans; [apply normal|].
  assert (A : 0 <= (1 - u) ^ (M + 6) <= 1) by (apply pow_0_1; lra).
    assert (B : 0 <= (1 - 2 * u) ^ 3 <= 1) by (apply pow_0_1; lra).
  assert (C : 0 < exp ((1 + u) * (lo - win)) <= exp (rnd (x - y))).
  { split. apply exp_pos. apply exp_mono. eapply Rle_trans; [|apply D4]. apply Rmult_le_compat_l; lra. }
  set (z := exp ((1 + u) * (lo - win))) in *. assert (0 <= (1 - 2 * u) ^ 3 * z <= z) by (split; [apply Rmult_le_pos;
    lra|rewrite <- (Rmult_1_l z) at 2; apply Rmult_le_compat_r; lra]).
  eapply Rle_trans; [|apply C]. apply Rle_trans with (1 * z); [|lra]. apply Rmult_le_compat; lra.
Qed.
Lemma E_high_factor x y : number x -> number y -> x <= y -> E (rnd (x - y)) <= (1 + 2 * u) * exp ((1 - u) * (x - y))
  + tiny.
Proof.
  intros Nx Ny H. destruct (diff f x y Nx Ny H) as (D1 & D2 & D3). assert (U := u_pos f).
  eapply Rle_trans. apply (E_le _ _ HE); auto. apply Rplus_le_compat_r. apply Rmult_le_compat_l. lra.
    now apply exp_mono.
Qed.

(* ideal weights of losers against a reference *)
Definition ideal L o r := share (fun j => other j * exp ((1 - u) * (logit j - r))) L o.
Lemma ideal_nonneg L o r : 0 <= ideal L o r.
Proof.
  unfold ideal, share. assert (Z : forall j, 0 <= (1 - v j) * exp ((1 - u) * (logit j - r))) by (intros j; apply
    Rmult_le_pos; [destruct (v_01 j); lra|left; apply exp_pos]).
  assert (0 <= sum (fun j => (1 - v j) * exp ((1 - u) * (logit j - r))) L) by (apply sum_nonneg; intros; apply Z).
    destruct o as [j|]; [specialize (Z j)|]; lra.
Qed.
Lemma ideal_shift L o r m : ideal L o r * exp ((1 - u) * (r - m)) = ideal L o m.
Proof.
  unfold ideal, share. rewrite Rmult_plus_distr_r. f_equal.
  - induction L as [|a L IH]; cbn [sum]. ring. rewrite Rmult_plus_distr_r, IH. f_equal.
    rewrite Rmult_assoc, <- exp_plus. do 2 f_equal. ring.
  - destruct o; [|ring]. rewrite Rmult_assoc, <- exp_plus. do 2 f_equal. ring.
Qed.

(* what is known of a tree of n keys with reference r, numerator x and denominator y *)
Definition tells L o n r x y : Prop := exists c d,
  (0 <= c /\ 0 <= d) /\ (share v L o = 0 -> c = 0) /\ (0 < share v L o -> lo <= r /\ (low <= rank r)%nat) /\
  share v L o * (1 - 2 * u) ^ (rank r - low) * exp ((1 + u) * (lo - r)) <= c /\
  (1 - u) ^ (n - 1 + rank r) * c <= x /\ y <= (1 + u) ^ (n - 1 + rank r) * (c + d + (2 * INR n - 1) * tiny) /\
  ideal L o r <= share other L o /\ d <= (1 + 2 * u) ^ rank r * ideal L o r + 2 * INR n * share other L o * tiny.

Lemma G_2 k : (k <= 6)%nat -> 1 <= (1 + 2 * u) ^ k <= 2.
Proof.
  intros H. assert (U := u_pos f). split. apply pow_R1_Rle; lra. apply Rle_trans with ((1 + 2 * u) ^ 6).
    apply Rle_pow; [lra|auto].
  apply Rle_trans with ((1 + / 16) ^ 6). apply pow_incr; lra. lra.
Qed.
Lemma other_share L o : 0 <= share other L o.
Proof. destruct (share_whole _ other_01 L o); lra. Qed.
(* c is normal: a candidate's product is rounded with a relative error *)
Lemma c_normal s n r c : 1 <= s -> r <= win -> P r -> (low <= rank r)%nat -> (n <= M)%nat -> s * (1 - 2 * u) ^ (rank
  r - low) * exp ((1 + u) * (lo - r)) <= c ->
  least f <= (1 - u) ^ (n + rank r) * c.
Proof.
  intros S1 Rw Pr Lr Hn Hc. assert (U := u_pos f). eapply Rle_trans; [apply normal|].
  assert (R6 := rank_6 r). assert (Rm := rank_mono r win Pr P_win Rw).
  assert (A : 0 <= (1 - u) ^ (M + 6) <= (1 - u) ^ (n + rank r)) by (split; [apply pow_le; lra|apply pow_less;
    [lra|lia]]).
  assert (B : 0 <= (1 - 2 * u) ^ 3 <= (1 - 2 * u) ^ (rank r - low)) by (split; [apply pow_le; lra|apply pow_less;
    [lra|lia]]).
  assert (C : 0 < exp ((1 + u) * (lo - win)) <= exp ((1 + u) * (lo - r))) by (split; [apply exp_pos|apply exp_mono;
    apply Rmult_le_compat_l; lra]).
  apply Rmult_le_compat; try lra. apply Rmult_le_pos; lra. eapply Rle_trans; [|apply Hc].
  apply Rmult_le_compat; try lra. apply Rle_trans with (1 * (1 - 2 * u) ^ (rank r - low)). lra.
    apply Rmult_le_compat_r; lra.
Qed.

(* rescaling to a larger reference: the product, and the product rounded *)
Lemma tells_scaled L o n r m x y : number r -> number m -> P r -> P m -> r <= m -> m <= win -> (1 <= n < M)%nat ->
  number x -> number y -> 0 <= x -> 0 <= y ->
  tells L o n r x y -> exists c d, (0 <= c /\ 0 <= d) /\ (share v L o = 0 -> c = 0) /\ (0 < share v L o -> lo <= m /\
    (low <= rank m)%nat) /\
  share v L o * (1 - 2 * u) ^ (rank m - low) * exp ((1 + u) * (lo - m)) <= c /\
  (let e := E (rnd (r - m)) in
   (1 - u) ^ (n - 1 + rank m) * c <= x * e /\ (1 - u) ^ (n - 1 + rank m) * c <= rnd (x * e) /\
   y * e <= (1 + u) ^ (n - 1 + rank m) * (c + d + (2 * INR n - 1) * tiny) /\
   rnd (y * e) <= (1 + u) ^ (n - 1 + rank m) * (c + d + (2 * INR n - 1) * tiny + / 2 * tiny)) /\
  ideal L o m <= share other L o /\ d <= (1 + 2 * u) ^ rank m * ideal L o m + 2 * (INR n + 1) * share other L o *
    tiny.
Proof.
  intros Nr Nm Pr Pm Rm Mw Hn Nx Ny X0 Y0 (c & d & [C0 D0] & Cz & Cs & Cl & Xl & Yu & I1 & Du).
  assert (U := u_pos f). assert (T := tiny_pos f). assert (So := other_share L o).
    assert (In0 : 1 <= INR n) by (change 1 with (INR 1); apply le_INR; lia).
  assert (Q0 := ideal_nonneg L o r).
  destruct Rm as [Lt| <-].
  2:{ rewrite (E_same r Nr). cbv zeta. rewrite !Rmult_1_r, !(rnd_id f x), !(rnd_id f y) by auto. exists c, d.
    repeat split; auto; try apply Cs; auto.
      - eapply Rle_trans; [apply Yu|]. apply Rmult_le_compat_l. apply pow_le; lra. lra.
      - assert (0 <= share other L o * tiny) by (apply Rmult_le_pos; lra). lra. }
  assert (Rk := rank_up r m Pr Pm Lt). assert (Rle : r <= m) by lra.
    destruct (E_bound f E HE r m Nr Nm Rle) as ([E0 E1] & Ne & _).
  set (e := E (rnd (r - m))) in *. cbv zeta.
  assert (Cs' : 0 < share v L o -> lo <= m /\ (low <= rank m)%nat) by (intros H; destruct (Cs H); split; [lra|lia]).
  assert (Cl' : share v L o * (1 - 2 * u) ^ (rank m - low) * exp ((1 + u) * (lo - m)) <= c * e).
  { destruct (share_whole v v_01 L o) as [Z|S1]. rewrite Z, !Rmult_0_l. now apply Rmult_le_pos.
    destruct (Cs ltac:(lra)) as [Lr Kr]. assert (Fg := E_low_factor r m Nr Nm Lr Rle Mw). fold e in Fg.
    assert (e1 := exp_pos ((1 + u) * (lo - r))). assert (e2 := exp_pos ((1 + u) * (r - m))).
    apply Rle_trans with ((share v L o * (1 - 2 * u) ^ (rank r - low) * exp ((1 + u) * (lo - r))) * ((1 - 2 * u) *
      exp ((1 + u) * (r - m)))).
    2:{ assert (W : 0 <= share v L o * (1 - 2 * u) ^ (rank r - low)) by (apply Rmult_le_pos; [lra|apply pow_le; lra]).
        apply Rmult_le_compat; auto. apply Rmult_le_pos; lra. apply Rmult_le_pos; lra. }
    replace ((1 + u) * (lo - m)) with ((1 + u) * (lo - r) + (1 + u) * (r - m)) by ring. rewrite exp_plus.
    assert (Pw : (1 - 2 * u) ^ (rank m - low) <= (1 - 2 * u) * (1 - 2 * u) ^ (rank r - low)).
    { change ((1 - 2 * u) ^ (rank m - low) <= (1 - 2 * u) ^ S (rank r - low)). apply pow_less; [lra|lia]. }
    replace (share v L o * (1 - 2 * u) ^ (rank r - low) * exp ((1 + u) * (lo - r)) * ((1 - 2 * u) * exp ((1 + u) * (r
      - m))))
      with (share v L o * ((1 - 2 * u) * (1 - 2 * u) ^ (rank r - low)) * (exp ((1 + u) * (lo - r)) * exp ((1 + u) *
        (r - m)))) by ring.
    apply Rmult_le_compat_r. apply Rmult_le_pos; lra. apply Rmult_le_compat_l; lra. }
  assert (Xe : (1 - u) ^ (n - 1 + rank r) * (c * e) <= x * e) by (rewrite <- Rmult_assoc; apply Rmult_le_compat_r;
    auto).
  assert (ce : 0 <= c * e) by now apply Rmult_le_pos.
  assert (P1 : (1 - u) ^ (n - 1 + rank m) <= (1 - u) * (1 - u) ^ (n - 1 + rank r)).
  { change ((1 - u) ^ (n - 1 + rank m) <= (1 - u) ^ S (n - 1 + rank r)). apply pow_less; [lra|lia]. }
  assert (P2 : (1 + u) * (1 + u) ^ (n - 1 + rank r) <= (1 + u) ^ (n - 1 + rank m)).
  { change ((1 + u) ^ S (n - 1 + rank r) <= (1 + u) ^ (n - 1 + rank m)). apply Rle_pow; [lra|lia]. }
  assert (P0 : 0 <= (1 - u) ^ (n - 1 + rank r)) by (apply pow_le; lra).
    assert (P3 : 1 <= (1 + u) ^ (n - 1 + rank r)) by (apply pow_R1_Rle; lra).
  set (g := (1 + u) ^ (n - 1 + rank r)) in *. set (h := (1 + u) ^ (n - 1 + rank m)) in *.
  assert (Ye : y * e <= g * (c * e + d * e + (2 * INR n - 1) * tiny)).
  { apply Rle_trans with (g * (c + d + (2 * INR n - 1) * tiny) * e). now apply Rmult_le_compat_r.
    rewrite Rmult_assoc. apply Rmult_le_compat_l. lra.
    assert (0 <= (2 * INR n - 1) * tiny) by (apply Rmult_le_pos; lra).
    assert ((2 * INR n - 1) * tiny * e <= (2 * INR n - 1) * tiny * 1) by (apply Rmult_le_compat_l; lra). lra. }
  assert (de : 0 <= d * e) by now apply Rmult_le_pos. assert (tn : 0 <= (2 * INR n - 1) * tiny) by (apply
    Rmult_le_pos; lra).
  exists (c * e), (d * e). repeat split; auto; try apply Cs'; auto.
  - intros Z. rewrite (Cz Z). ring.
  - eapply Rle_trans; [|apply Xe]. apply Rmult_le_compat_r; auto. apply Rle_trans with (1 := P1).
    assert (0 <= u * (1 - u) ^ (n - 1 + rank r)) by (apply Rmult_le_pos; lra). lra.
  - destruct (share_whole v v_01 L o) as [Z|S1].
    + rewrite (Cz Z), Rmult_0_l, Rmult_0_r. apply rnd_ge. apply number_0. now apply Rmult_le_pos.
    + apply Rle_trans with ((1 - u) * (x * e)).
      * apply Rle_trans with ((1 - u) * (1 - u) ^ (n - 1 + rank r) * (c * e)). now apply Rmult_le_compat_r.
        rewrite Rmult_assoc.
        apply Rmult_le_compat_l; lra.
      * apply normal_rnd. eapply Rle_trans; [|apply Xe]. destruct (Cs' ltac:(lra)) as [_ Km].
        apply Rle_trans with ((1 - u) ^ (n - 1 + rank m) * (c * e)). apply (c_normal (share v L o)); auto. lia.
        apply Rmult_le_compat_r; auto. apply pow_less; [lra|lia].
  - eapply Rle_trans; [apply Ye|]. apply Rmult_le_compat_r. lra. apply Rle_trans with (2 := P2).
    assert (0 <= u * g) by (apply Rmult_le_pos; lra). lra.
  - generalize (rnd_error f (y * e)). rewrite (Rabs_pos_eq (y * e)) by now apply Rmult_le_pos. intros Z.
    apply Rabs_le_inv in Z.
    apply Rle_trans with ((1 + u) * (y * e) + / 2 * tiny). lra.
    apply Rle_trans with (h * (c * e + d * e + (2 * INR n - 1) * tiny) + h * (/ 2 * tiny)); [|lra].
      apply Rplus_le_compat.
    + apply Rle_trans with ((1 + u) * (g * (c * e + d * e + (2 * INR n - 1) * tiny))). apply Rmult_le_compat_l; lra.
      rewrite <- Rmult_assoc. apply Rmult_le_compat_r; lra.
    + assert (1 <= h) by (unfold h; apply pow_R1_Rle; lra). apply Rle_trans with (1 * (/ 2 * tiny)). lra.
      apply Rmult_le_compat_r; lra.
  - rewrite <- (ideal_shift L o r m). assert (exp ((1 - u) * (r - m)) <= 1) by (apply exp_le_1; assert (0 <= (1 - u)
    * (m - r)) by (apply Rmult_le_pos; lra); lra).
    apply Rle_trans with (ideal L o r * 1); [|lra]. apply Rmult_le_compat_l; lra.
  - assert (Hi := E_high_factor r m Nr Nm Rle). fold e in Hi. destruct (G_2 (rank r) (rank_6 r)) as [Ga Gb].
    assert (Gm : (1 + 2 * u) * (1 + 2 * u) ^ rank r <= (1 + 2 * u) ^ rank m) by (change ((1 + 2 * u) ^ S (rank r) <=
      (1 + 2 * u) ^ rank m); apply Rle_pow; [lra|lia]).
    set (Gr := (1 + 2 * u) ^ rank r) in *. set (q := share other L o) in *.
      set (ex := exp ((1 - u) * (r - m))) in *. assert (e1 : 0 < ex) by apply exp_pos.
    assert (Sh := ideal_shift L o r m). fold ex in Sh. rewrite <- Sh. set (S := ideal L o r) in *.
    apply Rle_trans with ((Gr * S + 2 * INR n * q * tiny) * e). now apply Rmult_le_compat_r.
      rewrite Rmult_plus_distr_r.
    apply Rle_trans with (Gr * S * ((1 + 2 * u) * ex + tiny) + 2 * INR n * q * tiny).
    + assert (0 <= Gr * S) by (apply Rmult_le_pos; lra). assert (0 <= 2 * INR n * q * tiny) by (repeat apply
      Rmult_le_pos; lra).
      apply Rplus_le_compat. now apply Rmult_le_compat_l. rewrite <- (Rmult_1_r (2 * INR n * q * tiny)) at 2.
        apply Rmult_le_compat_l; lra.
    + assert (Gr * S * tiny <= 2 * q * tiny) by (apply Rmult_le_compat_r; [lra|]; apply Rmult_le_compat; lra).
      assert (Gr * S * ((1 + 2 * u) * ex) <= (1 + 2 * u) ^ rank m * (S * ex)).
      { replace (Gr * S * ((1 + 2 * u) * ex)) with ((1 + 2 * u) * Gr * (S * ex)) by ring.
        apply Rmult_le_compat_r; auto. apply Rmult_le_pos; lra. }
      rewrite Rmult_plus_distr_l. lra.
Qed.

(* two rescaled sides *)
Lemma tells_join L o n m x y (sa sb oa ob ia ib ca da cb db xa xb ya yb : R) (na nb : nat) :
  (1 <= na)%nat -> (1 <= nb)%nat -> n = (na + nb)%nat -> share v L o = sa + sb -> share other L o = oa + ob -> ideal
    L o m = ia + ib ->
  (sa = 0 \/ 1 <= sa) -> (sb = 0 \/ 1 <= sb) -> 0 <= oa -> 0 <= ob ->
  number xa -> number xb -> number ya -> number yb -> 0 <= xa -> 0 <= xb -> 0 <= ya -> 0 <= yb -> x = rnd (xa + xb)
    -> y = rnd (ya + yb) ->
  (0 <= ca /\ 0 <= da) -> (0 <= cb /\ 0 <= db) -> (sa = 0 -> ca = 0) -> (sb = 0 -> cb = 0) ->
  (0 < sa -> lo <= m /\ (low <= rank m)%nat) -> (0 < sb -> lo <= m /\ (low <= rank m)%nat) ->
  sa * (1 - 2 * u) ^ (rank m - low) * exp ((1 + u) * (lo - m)) <= ca -> sb * (1 - 2 * u) ^ (rank m - low) * exp ((1 +
    u) * (lo - m)) <= cb ->
  (1 - u) ^ (na - 1 + rank m) * ca <= xa -> (1 - u) ^ (nb - 1 + rank m) * cb <= xb ->
  ya <= (1 + u) ^ (na - 1 + rank m) * (ca + da + (2 * INR na - 1) * tiny + / 2 * tiny) ->
  yb <= (1 + u) ^ (nb - 1 + rank m) * (cb + db + (2 * INR nb - 1) * tiny + / 2 * tiny) ->
  ia <= oa -> ib <= ob ->
  da <= (1 + 2 * u) ^ rank m * ia + 2 * (INR na + 1) * oa * tiny -> db <= (1 + 2 * u) ^ rank m * ib + 2 * (INR nb +
    1) * ob * tiny ->
  tells L o n m x y.
Proof.
  intros Ha Hb En Es Eo Ei Wa Wb Oa Ob Nxa Nxb Nya Nyb Xa Xb Ya Yb -> -> [Ca Da] [Cb Db] Za Zb La Lb C1 C2 X1 X2 Y1
    Y2 I1 I2 D1 D2.
  assert (U := u_pos f). assert (T := tiny_pos f).
  assert (a1 : 1 <= INR na) by (change 1 with (INR 1); apply le_INR; lia).
    assert (b1 : 1 <= INR nb) by (change 1 with (INR 1); apply le_INR; lia).
  assert (Epl : INR n = INR na + INR nb) by (rewrite En; apply plus_INR).
  exists (ca + cb), (da + db). rewrite Es, Eo, Ei, Epl. split; [lra|].
    split; [|split; [|split; [lra|split; [|split; [|split; [lra|]]]]]].
  - intros Z. assert (Wa' : sa = 0) by (destruct Wa, Wb; lra). assert (Wb' : sb = 0) by (destruct Wa, Wb; lra).
    rewrite (Za Wa'), (Zb Wb'). ring.
  - intros Z. destruct Wa as [Wa|Wa]; [destruct Wb as [Wb|Wb]; [lra|apply Lb; lra]|apply La; lra].
  - generalize (add_relative f xa xb Nxa Nxb). rewrite (Rabs_pos_eq (xa + xb)) by lra. intros Z.
    apply Rabs_le_inv in Z.
    apply Rle_trans with ((1 - u) * (xa + xb)); [|lra].
    assert (A1 : (1 - u) ^ (n - 1 + rank m) <= (1 - u) * (1 - u) ^ (na - 1 + rank m)) by (change ((1 - u) ^ (n - 1 +
      rank m) <= (1 - u) ^ S (na - 1 + rank m)); apply pow_less; [lra|lia]).
    assert (A2 : (1 - u) ^ (n - 1 + rank m) <= (1 - u) * (1 - u) ^ (nb - 1 + rank m)) by (change ((1 - u) ^ (n - 1 +
      rank m) <= (1 - u) ^ S (nb - 1 + rank m)); apply pow_less; [lra|lia]).
    assert (B1 : (1 - u) ^ (n - 1 + rank m) * ca <= (1 - u) * xa).
    { apply Rle_trans with ((1 - u) * (1 - u) ^ (na - 1 + rank m) * ca). now apply Rmult_le_compat_r.
      rewrite Rmult_assoc. apply Rmult_le_compat_l; lra. }
    assert (B2 : (1 - u) ^ (n - 1 + rank m) * cb <= (1 - u) * xb).
    { apply Rle_trans with ((1 - u) * (1 - u) ^ (nb - 1 + rank m) * cb). now apply Rmult_le_compat_r.
      rewrite Rmult_assoc. apply Rmult_le_compat_l; lra. }
    lra.
  - generalize (add_relative f ya yb Nya Nyb). rewrite (Rabs_pos_eq (ya + yb)) by lra. intros Z.
    apply Rabs_le_inv in Z.
    apply Rle_trans with ((1 + u) * (ya + yb)); [lra|].
    assert (A1 : (1 + u) * (1 + u) ^ (na - 1 + rank m) <= (1 + u) ^ (n - 1 + rank m)) by (change ((1 + u) ^ S (na - 1
      + rank m) <= (1 + u) ^ (n - 1 + rank m)); apply Rle_pow; [lra|lia]).
    assert (A2 : (1 + u) * (1 + u) ^ (nb - 1 + rank m) <= (1 + u) ^ (n - 1 + rank m)) by (change ((1 + u) ^ S (nb - 1
      + rank m) <= (1 + u) ^ (n - 1 + rank m)); apply Rle_pow; [lra|lia]).
    assert (Q1 : 0 <= ca + da + (2 * INR na - 1) * tiny + / 2 * tiny) by (assert (0 <= (2 * INR na - 1) * tiny) by
      (apply Rmult_le_pos; lra); lra).
    assert (Q2 : 0 <= cb + db + (2 * INR nb - 1) * tiny + / 2 * tiny) by (assert (0 <= (2 * INR nb - 1) * tiny) by
      (apply Rmult_le_pos; lra); lra).
    assert (B1 : (1 + u) * ya <= (1 + u) ^ (n - 1 + rank m) * (ca + da + (2 * INR na - 1) * tiny + / 2 * tiny)).
    { eapply Rle_trans; [apply Rmult_le_compat_l; [lra|apply Y1]|]. rewrite <- Rmult_assoc.
      now apply Rmult_le_compat_r. }
    assert (B2 : (1 + u) * yb <= (1 + u) ^ (n - 1 + rank m) * (cb + db + (2 * INR nb - 1) * tiny + / 2 * tiny)).
    { eapply Rle_trans; [apply Rmult_le_compat_l; [lra|apply Y2]|]. rewrite <- Rmult_assoc.
      now apply Rmult_le_compat_r. }
    lra.
  - assert (0 <= oa * tiny) by (apply Rmult_le_pos; lra). assert (0 <= ob * tiny) by (apply Rmult_le_pos; lra).
    assert ((INR na + 1) * (oa * tiny) <= (INR na + INR nb) * (oa * tiny)) by (apply Rmult_le_compat_r; lra).
    assert ((INR nb + 1) * (ob * tiny) <= (INR na + INR nb) * (ob * tiny)) by (apply Rmult_le_compat_r; lra). lra.
Qed.

(* one more key of weight 1 *)
Lemma tells_top L o L' o' n r m x y j : number r -> number m -> P r -> P m -> r <= m -> m <= win -> logit j = m -> (1
  <= n < M)%nat -> number x -> number y -> 0 <= x -> 0 <= y ->
  (forall w : nat -> R, share w L' o' = share w L o + w j) -> tells L o n r x y ->
  tells L' o' (S n) m (rnd (x * E (rnd (r - m)) + v j)) (rnd (y * E (rnd (r - m)) + 1)).
Proof.
  intros Nr Nm Pr Pm Rm Mw Lj Hn Nx Ny X0 Y0 Sh Tl.
  destruct (tells_scaled L o n r m x y Nr Nm Pr Pm Rm Mw Hn Nx Ny X0 Y0 Tl) as (c & d & [C0 D0] & Cz & Cs & Cl & (X1
    & X2 & Y1 & _) & I1 & Du).
  assert (U := u_pos f). assert (T := tiny_pos f). assert (So := other_share L o).
    assert (In0 : 1 <= INR n) by (change 1 with (INR 1); apply le_INR; lia).
  destruct (E_bound f E HE r m Nr Nm Rm) as ([E0 E1] & Ne & _). set (e := E (rnd (r - m))) in *.
  assert (xe : 0 <= x * e) by now apply Rmult_le_pos. assert (ye : 0 <= y * e) by now apply Rmult_le_pos.
  assert (Id : ideal L' o' m = ideal L o m + other j).
  { unfold ideal. rewrite Sh, Lj. replace ((1 - u) * (m - m)) with 0 by ring. rewrite exp_0. ring. }
  assert (Vw := share_whole v v_01 L o). assert (ex1 := exp_pos ((1 + u) * (lo - m))).
  assert (Pl : (1 - u) ^ (S n - 1 + rank m) = (1 - u) * (1 - u) ^ (n - 1 + rank m)) by (replace (S n - 1 + rank
    m)%nat with (S (n - 1 + rank m)) by lia; reflexivity).
  assert (Ph : (1 + u) ^ (S n - 1 + rank m) = (1 + u) * (1 + u) ^ (n - 1 + rank m)) by (replace (S n - 1 + rank
    m)%nat with (S (n - 1 + rank m)) by lia; reflexivity).
  assert (P0 : 0 <= (1 - u) ^ (n - 1 + rank m) <= 1) by (apply pow_0_1; lra).
    assert (P1 : 1 <= (1 + u) ^ (n - 1 + rank m)) by (apply pow_R1_Rle; lra).
  destruct (G_2 (rank m) (rank_6 m)) as [Ga _]. assert (L1 := least_le_1 f).
  exists (c + v j), (d + other j). rewrite Id, !Sh, S_INR, Pl, Ph. set (a := (1 - u) ^ (n - 1 + rank m)) in *.
    set (b := (1 + u) ^ (n - 1 + rank m)) in *.
  split; [destruct (v_01 j); lra|]. split; [|split; [|split; [|split; [|split; [|split; [destruct (v_01 j);
    lra|]]]]]].
  - intros Z. destruct (v_01 j) as [V|V]; [|lra]. rewrite V in Z |- *. rewrite (Cz ltac:(lra)). ring.
  - intros Z. destruct (v_01 j) as [V|V]. apply Cs. lra. rewrite <- Lj in Pm |- *. now apply high.
  - set (A := (1 - 2 * u) ^ (rank m - low)) in *. set (B := exp ((1 + u) * (lo - m))) in *.
    replace ((share v L o + v j) * A * B) with (share v L o * A * B + v j * (A * B)) by ring.
      apply Rplus_le_compat; auto.
    destruct (v_01 j) as [V|V]; rewrite V; [lra|]. rewrite Rmult_1_l.
    assert (H : lo <= m) by (rewrite <- Lj; apply high; auto; now rewrite Lj).
    assert (B1 : B <= 1) by (unfold B; apply exp_le_1; assert (0 <= (1 + u) * (m - lo)) by (apply Rmult_le_pos; lra);
      lra).
    assert (A1 : 0 <= A <= 1) by (apply pow_0_1; lra). apply Rle_trans with (1 * 1); [|lra].
      apply Rmult_le_compat; lra.
  - destruct (v_01 j) as [V|V]; rewrite V.
    + rewrite !Rplus_0_r. destruct Vw as [Z|S1]. rewrite (Cz Z), Rmult_0_r. apply rnd_ge. apply number_0. lra.
      eapply Rle_trans; [|apply X2]. rewrite Rmult_assoc. assert (0 <= a * c) by (apply Rmult_le_pos; lra).
      assert (0 <= u * (a * c)) by (apply Rmult_le_pos; lra). lra.
    + eapply Rle_trans; [|apply normal_rnd; lra]. rewrite Rmult_assoc. apply Rmult_le_compat_l. lra. lra.
  - eapply Rle_trans; [apply normal_rel; lra|]. rewrite Rmult_assoc. apply Rmult_le_compat_l. lra.
    apply Rle_trans with (b * (c + d + (2 * INR n - 1) * tiny) + b * 1). lra. rewrite <- Rmult_plus_distr_l.
      apply Rmult_le_compat_l; lra.
  - destruct (v_01 j) as [V|V]; rewrite V.
    + replace (1 - 0) with 1 by ring. assert (0 <= (INR n + 1) * tiny) by (apply Rmult_le_pos; lra). lra.
    + lra.
Qed.

Theorem effective L o t x : ok f win t -> summed f E logit v win L o t x -> refs P t -> (forall j, In j L -> P (logit
  j)) -> (size t <= M)%nat ->
  tells L o (size t) (ref win t) x (val f E win t).
Proof.
  assert (U := u_pos f). assert (T := tiny_pos f).
  assert (Sz : forall t, (1 <= size t)%nat) by (intros t0; apply INR_le; simpl; apply size_pos).
  assert (Rf : forall t, refs P t -> P (ref win t)) by (intros t0; destruct t0; cbn [refs ref]; tauto).
  intros H S. induction S; intros Rs KL SM; cbn [ok refs] in H, Rs; cbn [ref size val] in *.
  - destruct H as (Nl & Nm & [H1 H2]). assert (Pj := KL j (or_introl eq_refl)).
    destruct (E_bound f E HE (logit j) m Nl Nm H1) as ([E0 E1] & Ne & _).
    assert (Rk := rank_mono (logit j) m Pj Rs H1). destruct (G_2 (rank m) (rank_6 m)) as [Ga _].
    assert (P0 : 0 <= (1 - u) ^ (1 - 1 + rank m) <= 1) by (apply pow_0_1; lra).
      assert (P1 : 1 <= (1 + u) ^ (1 - 1 + rank m)) by (apply pow_R1_Rle; lra).
    unfold tells, ideal, share. cbn [sum INR]. set (e := E (rnd (logit j - m))) in *.
      set (a := (1 - u) ^ (1 - 1 + rank m)) in *. set (b := (1 + u) ^ (1 - 1 + rank m)) in *.
    assert (ex0 := exp_pos ((1 - u) * (logit j - m))). assert (ex1 : exp ((1 - u) * (logit j - m)) <= 1) by (apply
      exp_le_1; assert (0 <= (1 - u) * (m - logit j)) by (apply Rmult_le_pos; lra); lra).
    destruct (v_01 j) as [V|V]; rewrite V.
    + exists 0, e. rewrite (Rmult_0_r e), (rnd_id f 0) by apply number_0. split; [lra|]. split; [lra|].
      split; [lra|]. split; [lra|]. split; [lra|]. split; [|split; [lra|]].
      * apply Rle_trans with (1 * (0 + e + (2 * 1 - 1) * tiny)). lra. apply Rmult_le_compat_r; lra.
      * destruct H1 as [H1|H1].
        -- assert (X := rank_up _ _ Pj Rs H1). assert (B : (1 + 2 * u) ^ 1 <= (1 + 2 * u) ^ rank m) by (apply
          Rle_pow; [lra|lia]). rewrite pow_1 in B.
           assert (Y := E_high_factor (logit j) m Nl Nm ltac:(lra)). fold e in Y.
           apply Rle_trans with ((1 + 2 * u) * exp ((1 - u) * (logit j - m)) + tiny). lra.
           assert ((1 + 2 * u) * exp ((1 - u) * (logit j - m)) <= (1 + 2 * u) ^ rank m * exp ((1 - u) * (logit j -
             m))) by (apply Rmult_le_compat_r; lra). lra.
        -- rewrite H1. replace ((1 - u) * (m - m)) with 0 by ring. rewrite exp_0. lra.
    + destruct (high j V Pj) as [H3 H4]. exists e, 0. rewrite (Rmult_1_r e), (rnd_id f e) by auto. split; [lra|].
      split; [lra|]. split; [intros _; split; [lra|lia]|]. split; [|split; [|split; [|split; lra]]].
      * rewrite Rplus_0_r, Rplus_0_r, Rmult_1_l. destruct H1 as [H1|H1].
        -- assert (X := rank_up _ _ Pj Rs H1). assert (B : (1 - 2 * u) ^ (rank m - low) <= (1 - 2 * u) ^ 1) by (apply
          pow_less; [lra|lia]). rewrite pow_1 in B.
           eapply Rle_trans; [|apply (E_low_factor (logit j) m Nl Nm H3); lra].
           apply Rmult_le_compat. apply pow_le; lra. left; apply exp_pos. exact B. apply exp_mono.
             apply Rmult_le_compat_l; lra.
        -- unfold e. rewrite <- H1, (E_same _ Nl). apply Rle_trans with (1 * 1); [|lra].
           apply Rmult_le_compat. apply pow_le; lra. left; apply exp_pos. apply pow_0_1; lra. apply exp_le_1.
             assert (0 <= (1 + u) * (logit j - lo)) by (apply Rmult_le_pos; lra). lra.
      * rewrite <- (Rmult_1_l e) at 2. apply Rmult_le_compat_r; lra.
      * apply Rle_trans with (1 * (e + 0 + (2 * 1 - 1) * tiny)). lra. apply Rmult_le_compat_r; lra.
  - assert (P0 : 0 <= (1 - u) ^ (1 - 1 + rank win) <= 1) by (apply pow_0_1; lra).
    assert (P1 : 1 <= (1 + u) ^ (1 - 1 + rank win)) by (apply pow_R1_Rle; lra).
    unfold tells, ideal, share. cbn [sum INR]. set (a := (1 - u) ^ (1 - 1 + rank win)) in *.
      set (b := (1 + u) ^ (1 - 1 + rank win)) in *. destruct (G_2 (rank win) (rank_6 win)) as [Ga _].
    assert (Ex : exp ((1 - u) * (logit j - win)) = 1) by (rewrite H0; replace ((1 - u) * (win - win)) with 0 by ring;
      apply exp_0).
    rewrite Ex. exists (v j), (1 - v j).
    assert (B : 0 <= (1 - 2 * u) ^ (rank win - low) <= 1) by (apply pow_0_1; lra).
    assert (e0 := exp_pos ((1 + u) * (lo - win))). assert (e1 : exp ((1 + u) * (lo - win)) <= 1) by (apply exp_le_1;
      assert (0 <= (1 + u) * (win - lo)) by (apply Rmult_le_pos; lra); lra).
    split; [destruct (v_01 j); lra|]. split; [lra|]. split; [|split; [|split; [|split; [|split; [lra|]]]]].
    + intros Z. destruct (v_01 j) as [V|V]; [lra|]. rewrite <- H0. apply high; auto. now rewrite H0.
    + destruct (v_01 j) as [V|V]; rewrite V; [lra|]. rewrite Rplus_0_l, Rmult_1_l.
      apply Rle_trans with (1 * 1); [|lra]. apply Rmult_le_compat; lra.
    + destruct (v_01 j) as [V|V]; rewrite V; lra.
    + apply Rle_trans with (1 * (v j + (1 - v j) + (2 * 1 - 1) * tiny)). lra. apply Rmult_le_compat_r; lra.
    + destruct (v_01 j) as [V|V]; rewrite V; lra.
  - destruct H as (Ha & Hb & Hm & Ra & Rb & Rw). destruct Rs as (Rsa & Rsb & Pm). assert (S1a := Sz a).
    assert (S1b := Sz b).
    assert (Ta := IHS1 Ha Rsa ltac:(intros; apply KL, in_or_app; auto) ltac:(lia)).
      assert (Tb := IHS2 Hb Rsb ltac:(intros; apply KL, in_or_app; auto) ltac:(lia)).
    assert (Sna := summed_nums f E HE logit v win v_01 _ _ _ _ Ha S1).
      assert (Snb := summed_nums f E HE logit v win v_01 _ _ _ _ Hb S2).
    destruct (numerator_le f E HE win win_number a x Ha Sna) as [X0 _].
      destruct (numerator_le f E HE win win_number b y Hb Snb) as [Y0 _].
    assert (Nra := ref_number f win win_number a Ha). assert (Nrb := ref_number f win win_number b Hb).
    destruct (val_basic f E HE win win_number a Ha) as [Nva Va].
      destruct (val_basic f E HE win win_number b Hb) as [Nvb Vb].
    destruct (tells_scaled La o (size a) (ref win a) m x (val f E win a) Nra Hm (Rf a Rsa) Pm Ra Rw ltac:(lia)
      (nums_number f E HE win a x Ha Sna) Nva X0 Va Ta)
      as (ca & da & A1 & A2 & A3 & A4 & (_ & A5 & _ & A6) & A7 & A8).
    destruct (tells_scaled Lb None (size b) (ref win b) m y (val f E win b) Nrb Hm (Rf b Rsb) Pm Rb Rw ltac:(lia)
      (nums_number f E HE win b y Hb Snb) Nvb Y0 Vb Tb)
      as (cb & db & B1 & B2 & B3 & B4 & (_ & B5 & _ & B6) & B7 & B8).
    destruct (E_bound f E HE _ m Nra Hm Ra) as ([Ea0 _] & _).
      destruct (E_bound f E HE _ m Nrb Hm Rb) as ([Eb0 _] & _).
    eapply (tells_join (La ++ Lb) o _ m _ _ (share v La o) (share v Lb None) (share other La o) (share other Lb None)
      (ideal La o m) (ideal Lb None m) ca da cb db _ _ _ _ (size a) (size b));
      try apply rnd_number; try reflexivity; eauto; try apply share_app_l; try (apply share_whole; auto); try apply
        other_share; apply rnd_ge; try apply number_0; apply Rmult_le_pos; auto.
  - destruct H as (Ha & Hb & Hm & Ra & Rb & Rw). destruct Rs as (Rsa & Rsb & Pm). assert (S1a := Sz a).
    assert (S1b := Sz b).
    assert (Ta := IHS1 Ha Rsa ltac:(intros; apply KL, in_or_app; auto) ltac:(lia)).
      assert (Tb := IHS2 Hb Rsb ltac:(intros; apply KL, in_or_app; auto) ltac:(lia)).
    assert (Sna := summed_nums f E HE logit v win v_01 _ _ _ _ Ha S1).
      assert (Snb := summed_nums f E HE logit v win v_01 _ _ _ _ Hb S2).
    destruct (numerator_le f E HE win win_number a x Ha Sna) as [X0 _].
      destruct (numerator_le f E HE win win_number b y Hb Snb) as [Y0 _].
    assert (Nra := ref_number f win win_number a Ha). assert (Nrb := ref_number f win win_number b Hb).
    destruct (val_basic f E HE win win_number a Ha) as [Nva Va].
      destruct (val_basic f E HE win win_number b Hb) as [Nvb Vb].
    destruct (tells_scaled La None (size a) (ref win a) m x (val f E win a) Nra Hm (Rf a Rsa) Pm Ra Rw ltac:(lia)
      (nums_number f E HE win a x Ha Sna) Nva X0 Va Ta)
      as (ca & da & A1 & A2 & A3 & A4 & (_ & A5 & _ & A6) & A7 & A8).
    destruct (tells_scaled Lb o (size b) (ref win b) m y (val f E win b) Nrb Hm (Rf b Rsb) Pm Rb Rw ltac:(lia)
      (nums_number f E HE win b y Hb Snb) Nvb Y0 Vb Tb)
      as (cb & db & B1 & B2 & B3 & B4 & (_ & B5 & _ & B6) & B7 & B8).
    destruct (E_bound f E HE _ m Nra Hm Ra) as ([Ea0 _] & _).
      destruct (E_bound f E HE _ m Nrb Hm Rb) as ([Eb0 _] & _).
    eapply (tells_join (La ++ Lb) o _ m _ _ (share v La None) (share v Lb o) (share other La None) (share other Lb o)
      (ideal La None m) (ideal Lb o m) ca da cb db _ _ _ _ (size a) (size b));
      try apply rnd_number; try reflexivity; eauto; try apply share_app_r; try (apply share_whole; auto); try apply
        other_share; apply rnd_ge; try apply number_0; apply Rmult_le_pos; auto.
  - destruct H as (Ha & Hm & Ra & Rl). destruct Rs as (Rsa & Pm). assert (S1a := Sz a).
    assert (Ta := IHS Ha Rsa ltac:(intros; apply KL; now right) ltac:(lia)).
    assert (Sna := summed_nums f E HE logit v win v_01 _ _ _ _ Ha S).
      destruct (numerator_le f E HE win win_number a x Ha Sna) as [X0 _].
    destruct (val_basic f E HE win win_number a Ha) as [Nva Va].
    apply (tells_top L o (j :: L) o (size a) (ref win a) (logit j) x (val f E win a) j); auto. now apply ref_number.
      lra. now apply (nums_number f E HE win a).
    intros w. unfold share. cbn [sum]. lra.
  - assert (S1a := Sz a). assert (Ta := IHS H Rs KL ltac:(lia)).
    assert (Sna := summed_nums f E HE logit v win v_01 _ _ _ _ H S).
      destruct (numerator_le f E HE win win_number a x H Sna) as [X0 _].
    destruct (val_basic f E HE win win_number a H) as [Nva Va].
    apply (tells_top L None L (Some j) (size a) (ref win a) win x (val f E win a) j); auto; try lra.
      now apply ref_number. now apply (ref_le f). now apply (nums_number f E HE win a).
    intros w. unfold share. lra.
Qed.
End Tree.
