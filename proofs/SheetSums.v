(* Lines of src/number/heads.sheet about sums without rounding and about gates (SheetTheorems.v has the others).

   sheet_match           scores of patterns are exact, in any order
   sheet_count           a mean is one quotient of exact numbers, in both orders
   sheet_count_values    what is counted is stored as it is
   sheet_count_mean      how far such a mean is off
   sheet_ramp, sheet_lone     a ramp is exactly 0 or 1

   Lines: match_score, match_scores, count_sum, count_weights, count_sums, count_grid, count_values, count_range,
   count_normal, ramp_error. *)
From Coq Require Import ZArith Reals Lia Lra Psatz List Bool.
From Flocq Require Import Core.
From Temper Require Import Rows Format Sums Nearest NearestAny Rounding Exact Ramp FusedGates FloatRun OnceTree
  CountHead Sheet SheetTyped.
Import ListNotations.
Local Open Scope R_scope.

Section Sums.
Variables fs fa : format.
Hypothesis incl : forall y, number fs y -> number fa y.
Hypothesis fine : fs = fa \/ 2 * tiny fa <= tiny fs.
Variable ord : order.
Variable M : nat.
Variable x : Sheet.head.
Notation head := (typed fs fa ord M x).
Notation grid := (Sheet.grid x).

Lemma sum_le_sum (f g : nat -> R) l : (forall j, In j l -> f j <= g j) -> sum f l <= sum g l.
Proof. apply sum_le. Qed.
Lemma multiple_times a b y z : multiple a y -> multiple b z -> multiple (a + b) (y * z).
Proof. intros [m ->] [n ->]. exists (m * n)%Z. rewrite mult_IZR, bpow_plus. ring. Qed.

(* ---- Match: whole numbers times multiples of a half, and perhaps the scale kappa n ---- *)
Theorem sheet_match n t scores : Sheet.match_scores head -> (n <= M)%nat -> (emin fa <= grid - 1)%Z ->
  (if Sheet.scaled x then 0 <= Sheet.kappa x /\ multiple grid (Sheet.kappa x) else grid = 0%Z) ->
  leaves t = map (fun s => (if Sheet.scaled x then Sheet.kappa x * INR n else 1) * s) scores ->
  (forall s, In s scores -> multiple (-1) s) -> sum Rabs scores <= Sheet.W_t x \/ sum Rabs scores <= Sheet.W x ->
  computed fa t = total (leaves t).
Proof.
  unfold Sheet.match_scores, Sheet.match_score. fields. assert (Pa := prec_ge_2 fa). rewrite Z2Nat.id by lia.
  intros H Hn He Hk El Hs Hw. apply (exact_tree fa (grid - 1)); auto.
  - intros w Hi. rewrite El in Hi. apply in_map_iff in Hi. destruct Hi as (s & <- & Hi). destruct (Sheet.scaled x).
    + destruct Hk as [_ Hk]. replace (grid - 1)%Z with (grid + 0 + -1)%Z by lia. apply multiple_times; auto.
      apply multiple_times; auto. exists (Z.of_nat n). rewrite <- INR_IZR_INZ. simpl. ring.
    + rewrite Rmult_1_l. replace (grid - 1)%Z with (-1)%Z by lia. auto.
  - assert (Ew : sum Rabs scores <= Rmax (Sheet.W_t x) (Sheet.W x)).
    { destruct Hw; eapply Rle_trans; [eassumption|apply Rmax_l|eassumption|apply Rmax_r]. }
    eapply Rle_trans; [|apply H]. rewrite El, sum_map. apply le_INR in Hn. assert (n0 := pos_INR n).
    set (c := if Sheet.scaled x then Sheet.kappa x * INR n else 1).
    set (d := if Sheet.scaled x then Sheet.kappa x * INR M else 1).
    assert (Hc : 0 <= c <= d).
    { unfold c, d. destruct (Sheet.scaled x); [|lra]. split. apply Rmult_le_pos; lra. apply Rmult_le_compat_l; lra. }
    apply Rle_trans with (c * sum Rabs scores).
    + rewrite <- sum_scal. apply sum_le. intros s _. rewrite Rabs_mult, (Rabs_pos_eq c) by lra. lra.
    + apply Rmult_le_compat; try lra. apply sum_nonneg. intros; apply Rabs_pos.
Qed.

(* ---- Count ---- *)
Lemma on_grid : Sheet.count_grid head -> (emin fs <= grid)%Z /\ (emin fa <= grid)%Z.
Proof.
  unfold Sheet.count_grid. fields. intros H. assert (A : (emin fs <= grid)%Z) by (now apply (le_bpow radix2)). split;
    auto.
  assert (T := tiny_pos fa). destruct fine as [<-|F]; auto. apply (le_bpow radix2). fold (tiny fa). lra.
Qed.
(* a value is what its letters add, and what only a sentinel has *)
Theorem sheet_count E K logit v edge y : exp_model fa E -> (ord = AnyOrder -> 8 * tiny fa <= u fa) ->
  Sheet.ones_counted head -> Sheet.count_grid head -> Sheet.count_sums head -> Sheet.count_range head ->
  K <> [] -> (length K <= M)%nat -> (forall j, number fa (logit j)) -> (forall j, In j K -> moved fa ord 0 (logit j))
    ->
  0 <= Sheet.W_l x -> (forall j, In j K -> multiple grid (v j) /\ Rabs (v j) <= Sheet.W_l x + edge j) ->
  sum edge K <= Sheet.W_e x -> softmax_row fs fa E ord logit v K y ->
  y = quotient fs fa (sum v K) (INR (length K)) /\ Rabs (sum v K) <= top fa.
Proof.
  intros HE Nar Ones Grid Sums Range Ne Len Nl Lg Wl Hv He SR. destruct (on_grid Grid) as [_ Ga].
  unfold Sheet.count_sums, Sheet.count_range, Sheet.count_sum, Sheet.ones_counted in *. revert Ones Sums Range.
    fields.
  assert (Pa := prec_ge_2 fa). rewrite Z2Nat.id by lia. intros Ones Sums Range.
  assert (S : sum (fun j => Rabs (v j)) K <= INR M * Sheet.W_l x + Sheet.W_e x).
  { apply Rle_trans with (sum (fun j => Sheet.W_l x + edge j) K). apply sum_le. intros j Hj. now destruct (Hv j Hj).
    rewrite sum_plus, sum_const. apply le_INR in Len.
    assert (INR (length K) * Sheet.W_l x <= INR M * Sheet.W_l x) by (apply Rmult_le_compat_r; lra). lra. }
  split.
  - apply (count_out fs fa E HE ord Nar grid K logit v y); auto.
    + assert (Z.of_nat M <= 2 ^ prec fa)%Z; [|lia]. apply le_IZR. rewrite <- INR_IZR_INZ, pow_IZR by lia. exact Ones.
    + intros j Hj. now destruct (Hv j Hj).
    + lra.
  - apply Rle_trans with (sum (fun j => Rabs (v j)) K); [|lra]. clear. induction K as [|a K IH]; cbn [sum].
    rewrite Rabs_R0; lra. eapply Rle_trans; [apply Rabs_triang|]. lra.
Qed.
Theorem sheet_count_values v : Sheet.count_weights head -> Sheet.count_grid head -> Sheet.count_values head ->
  multiple grid v -> Rabs v <= Sheet.W x -> number fs v /\ Rabs v <= top fs.
Proof.
  intros Hw Hg Hv Mv Av. destruct (on_grid Hg) as [Gs _]. revert Hw Hv. unfold Sheet.count_weights,
    Sheet.count_values. fields.
  assert (Ps := prec_ge_2 fs). rewrite Z2Nat.id by lia. intros Hw Hv. split; [|lra].
  apply (multiple_number fs grid); auto. lra.
Qed.
(* a sum that is whole, or whole and a half *)
Theorem sheet_count_mean S n : Sheet.count_normal head -> least fa <= least fs -> (1 <= n <= M)%nat -> / 2 <= Rabs S
  ->
  Rabs (quotient fs fa S (INR n) - S / INR n) <= ((1 + u fa) * (1 + u fs) - 1) * Rabs (S / INR n) /\
  0 < quotient fs fa S (INR n) * S.
Proof.
  unfold Sheet.count_normal. fields. intros Hm Hl [n1 nM] HS.
  assert (n0 : 1 <= INR n) by (change 1 with (INR 1); now apply le_INR). apply le_INR in nM.
  assert (B : 1 / (2 * INR M) <= Rabs (S / INR n)).
  { unfold Rdiv. rewrite Rabs_mult, Rabs_inv, (Rabs_pos_eq (INR n)), Rinv_mult by lra.
    assert (/ INR M <= / INR n) by (apply Rinv_le_contravar; lra). assert (0 < / INR M) by (apply Rinv_0_lt_compat;
      lra).
    rewrite Rmult_1_l. apply Rmult_le_compat; lra. }
  assert (Ls : least fs <= Rabs (S / INR n)) by lra.
  assert (Nl : number fa (least fs)).
  { apply incl. unfold least. apply generic_format_bpow. unfold FLT_exp. generalize (prec_ge_2 fs). lia. }
  apply mean_error; auto. fold (least fa). lra. fold (least fs).
  unfold Rabs in Ls. destruct (Rcase_abs (S / INR n)) as [Neg|Pos].
  - assert (rnd fa (S / INR n) <= - least fs) by (apply rnd_le_number; [now apply number_opp|lra]).
    apply Rle_trans with (- rnd fa (S / INR n)). lra. rewrite <- Rabs_Ropp. apply Rle_abs.
  - apply Rle_trans with (rnd fa (S / INR n)). now apply rnd_ge. apply Rle_abs.
Qed.
End Sums.

(* ---- Gates ---- *)
Section Gates.
Variable f : format.
Variable ord : order.
Variable M : nat.
Variable x : Sheet.head.
Notation head := (typed f f ord M x).

(* terms in any order; `raw` is how far the raw inputs move their sum *)
Theorem sheet_ramp t (k : Z) ideal : let c := IZR k / 2 in Sheet.ramp_error head <= / 4 -> Sheet.lone x = false ->
  (forall w, In w (leaves t) -> number f w) -> (length (leaves t) <= Sheet.terms x + 2)%nat -> (0 < k)%Z ->
  computed f t < bpow radix2 (prec f - 1) -> Rabs (total (leaves t) - ideal) <= Sheet.raw x ->
  sum Rabs (leaves t) <= Sheet.X x ->
  (ideal <= c - / 2 -> Ramp.ramp f (computed f t) c = 0) /\ (c + 3 / 2 <= ideal -> Ramp.ramp f (computed f t) c = 1).
Proof.
  intros c H L Nw Len Hk Hs Hr Hx. revert H. unfold Sheet.ramp_error. fields. rewrite L. intros H.
  apply fused_ramp; auto. assert (U := u_pos f).
  assert (P : 1 <= (1 + u f) ^ (length (leaves t) - 1)) by (apply pow_R1_Rle; lra).
  assert (Q : (1 + u f) ^ (length (leaves t) - 1) <= (1 + u f) ^ (Sheet.terms x + 1)) by (apply Rle_pow; [lra|lia]).
  assert (S0 : 0 <= sum Rabs (leaves t)) by (apply sum_nonneg; intros; apply Rabs_pos).
  assert (((1 + u f) ^ (length (leaves t) - 1) - 1) * sum Rabs (leaves t) <= ((1 + u f) ^ (Sheet.terms x + 1) - 1) *
    Sheet.X x)
    by (apply Rmult_le_compat; lra).
  lra.
Qed.
End Gates.
(* one raw input and one Boolean, in any two formats *)
Theorem sheet_lone fs fa ord M x a r b : (forall y, number fs y -> number fa y) -> (3 <= prec fs)%Z -> (4 <= prec
  fa)%Z ->
  Sheet.ramp_error (typed fs fa ord M x) <= / 4 -> Sheet.lone x = true -> number fs a -> 0 <= a -> b = 0 \/ b = 1 ->
  r = 1 \/ r = 0 -> Rabs (2 * a - 2 * b) <= Sheet.raw x -> raw_ramp fs fa a r = r * b.
Proof.
  intros incl Ps Pa H L Na A0 Hb Hr Hd. apply round_raw_ok; auto. revert H. unfold Sheet.ramp_error. fields. rewrite
    L.
  replace (2 * a - 2 * b) with (2 * (a - b)) in Hd by ring. rewrite Rabs_mult, (Rabs_pos_eq 2) in Hd by lra. lra.
Qed.
