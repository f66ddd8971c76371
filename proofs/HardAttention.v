(* doc/theory.md, "Any hard-attention transformer": a softmax transformer beside the hard one, over the reals.
   Both are the same list of channels; in the hard one every head averages over the keys of largest score.

   head_error      one head whose scores and values are off
   layers_error    the recursion through all channels: errors that satisfy it bound the difference, on every string
     of the length *)
From Coq Require Import Reals List Lia Lra Psatz Bool Arith.
From Temper Require Import Rows Heads Strings Programs.
Import ListNotations.
Local Open Scope R_scope.

(* p is at least beta times q: what is left has the mass 1 - beta *)
Lemma mixture (p q v : nat -> R) K beta lo hi : sum p K = 1 -> sum q K = 1 -> 0 <= beta <= 1 ->
  (forall j, In j K -> 0 <= beta * q j <= p j) -> (forall j, In j K -> lo <= v j <= hi) -> (forall j, In j K -> 0 <=
    q j) ->
  Rabs (sum (fun j => p j * v j) K - sum (fun j => q j * v j) K) <= (1 - beta) * (hi - lo).
Proof.
  intros P1 Q1 B Pq V Q0.
  assert (H1 : (1 - beta) * lo <= sum (fun j => (p j - beta * q j) * v j) K <= (1 - beta) * hi).
  { assert (M : sum (fun j => p j - beta * q j) K = 1 - beta).
    { rewrite (sum_ext _ (fun j => p j + (- beta) * q j)) by (intros; ring). rewrite sum_plus, sum_scal, P1, Q1.
      ring. }
    rewrite <- M, !(Rmult_comm (sum _ K)), <- !sum_scal. split; apply sum_le; intros j Hj; specialize (Pq j Hj);
      specialize (V j Hj); nra. }
  assert (H2 : lo <= sum (fun j => q j * v j) K <= hi).
  { rewrite <- (Rmult_1_r lo), <- (Rmult_1_r hi), <- Q1, <- !sum_scal. split; apply sum_le; intros j Hj; specialize
    (Q0 j Hj); specialize (V j Hj); nra. }
  assert (E : sum (fun j => p j * v j) K = sum (fun j => (p j - beta * q j) * v j) K + beta * sum (fun j => q j * v
    j) K).
  { rewrite <- sum_scal, <- sum_plus. apply sum_ext. intros; ring. }
  rewrite E. apply Rabs_le. nra.
Qed.

Lemma filter_split_length (T : nat -> bool) K : (length (filter T K) + length (filter (fun j => negb (T j)) K) =
  length K)%nat.
Proof. induction K; simpl; auto. destruct (T a); simpl; lia. Qed.

Theorem head_error (s v v' : nat -> R) K T n a A lo hi ev : (0 < length (filter T K))%nat -> (length K <= n)%nat -> 0
  <= a ->
  (forall j k, In j K -> In k K -> T j = true -> T k = true -> s k - s j <= a) ->
  (forall j l, In j K -> In l K -> T j = true -> T l = false -> s l - s j <= - A) ->
  (forall j, In j K -> lo <= v' j <= hi) -> (forall j, In j K -> Rabs (v j - v' j) <= ev) ->
  Rabs (output s v K - hard_output T v' K) <= ev + (hi - lo) * (1 - / (exp a + (INR n - 1) * exp (- A))).
Proof.
  intros St Ln a0 Tops Los V Ev. rewrite output_sum. unfold hard_output.
  assert (Kn : K <> []) by (destruct K; [simpl in St; lia|discriminate]).
  set (p := weight s K). set (q := hard_weight T K).
  assert (P1 : sum p K = 1) by now apply weights_one. assert (Q1 : sum q K = 1) by now apply hard_weights_one.
  assert (P0 : forall j, 0 <= p j) by (intros; now apply weight_nonneg).
  assert (n1 : 1 <= INR n) by (change 1 with (INR 1); apply le_INR; generalize (filter_split_length T K); lia).
  assert (Ea : 1 <= exp a) by (rewrite <- exp_0; now apply exp_mono). assert (EA := exp_pos (- A)).
  set (D := exp a + (INR n - 1) * exp (- A)). assert (D1 : 1 <= D) by (unfold D; nra).
  assert (M : Rabs (sum (fun j => p j * v' j) K - sum (fun j => q j * v' j) K) <= (1 - / D) * (hi - lo)).
  { apply mixture; auto.
    - split. left; apply Rinv_0_lt_compat; lra. rewrite <- Rinv_1. apply Rinv_le_contravar; lra.
    - intros j Hj. assert (Q0 : 0 <= q j). { unfold q, hard_weight. destruct (T j); [|lra]. left.
      apply Rinv_0_lt_compat. now apply lt_0_INR. }
      assert (I : 0 < / D) by (apply Rinv_0_lt_compat; lra). split. apply Rmult_le_pos; lra.
      unfold q, hard_weight. destruct (T j) eqn:Tj; [|rewrite Rmult_0_r; apply P0].
      set (t := INR (length (filter T K))). assert (t1 : 1 <= t) by (unfold t; change 1 with (INR 1); apply le_INR;
        lia).
      assert (S : sum (fun k => exp (s k)) K <= exp (s j) * (t * D)).
      { rewrite (sum_split T). assert (Ej := exp_pos (s j)).
        assert (S1 : sum (fun k => exp (s k)) (filter T K) <= t * (exp (s j) * exp a)).
        { unfold t. rewrite <- sum_const. apply sum_le. intros k Hk. apply filter_In in Hk. destruct Hk as [Hk Tk].
          rewrite <- exp_plus. apply exp_mono. specialize (Tops j k Hj Hk Tj Tk). lra. }
        assert (S2 : sum (fun k => exp (s k)) (filter (fun x => negb (T x)) K) <= (t * (INR n - 1)) * (exp (s j) *
          exp (- A))).
        { apply Rle_trans with (INR (length (filter (fun x => negb (T x)) K)) * (exp (s j) * exp (- A))).
          - rewrite <- sum_const. apply sum_le. intros k Hk. apply filter_In in Hk. destruct Hk as [Hk Tk].
            apply negb_true_iff in Tk.
            rewrite <- exp_plus. apply exp_mono. specialize (Los j k Hj Hk Tj Tk). lra.
          - apply Rmult_le_compat_r. apply Rmult_le_pos; lra.
            assert (L : INR (length (filter (fun x => negb (T x)) K)) <= INR n - t).
            { unfold t. rewrite <- minus_INR by (generalize (filter_split_length T K); lia). apply le_INR.
              generalize (filter_split_length T K). lia. } nra. }
        unfold D. nra. }
      unfold p, weight. assert (W := mass_pos s K Kn). assert (Ej := exp_pos (s j)).
      apply Rmult_le_reg_r with (sum (fun k => exp (s k)) K); auto. unfold Rdiv.
        rewrite (Rmult_assoc (exp (s j))), Rinv_l, Rmult_1_r by lra.
      apply Rmult_le_reg_l with (t * D). nra. replace (t * D * (/ D * / t * sum (fun k => exp (s k)) K)) with (sum
        (fun k => exp (s k)) K) by (field; lra). lra.
    - intros j Hj. unfold q, hard_weight. destruct (T j); [|lra]. left. apply Rinv_0_lt_compat. now apply lt_0_INR. }
  assert (Vd : Rabs (sum (fun j => p j * v j) K - sum (fun j => p j * v' j) K) <= ev).
  { rewrite <- (Rmult_1_l ev), <- P1. clear - Ev P0. clearbody p. induction K as [|x l IH]; cbn [sum].
    rewrite Rminus_0_r, Rabs_R0; lra.
    replace (p x * v x + sum (fun j => p j * v j) l - (p x * v' x + sum (fun j => p j * v' j) l)) with
      (p x * (v x - v' x) + (sum (fun j => p j * v j) l - sum (fun j => p j * v' j) l)) by ring.
    eapply Rle_trans. apply Rabs_triang. rewrite Rmult_plus_distr_r. apply Rplus_le_compat.
    rewrite Rabs_mult, (Rabs_pos_eq (p x)) by apply P0. apply Rmult_le_compat_l. apply P0. apply Ev. now left.
      apply IH. intros j Hj. apply Ev. now right. }
  replace (sum (fun j => p j * v j) K - sum (fun j => q j * v' j) K) with
    ((sum (fun j => p j * v j) K - sum (fun j => p j * v' j) K) + (sum (fun j => p j * v' j) K - sum (fun j => q j *
      v' j) K)) by ring.
  eapply Rle_trans. apply Rabs_triang. rewrite (Rmult_comm (hi - lo)). now apply Rplus_le_compat.
Qed.

(* ---- all channels ---- *)
Definition is_max (s : nat -> R) (K : list nat) (j : nat) : bool := forallb (fun k => if Rle_dec (s k) (s j) then
  true else false) K.
Lemma is_max_iff s K j : is_max s K j = true <-> forall k, In k K -> s k <= s j.
Proof.
  unfold is_max. rewrite forallb_forall. split; intros H k Hk; specialize (H k Hk); destruct (Rle_dec (s k) (s j));
    auto; discriminate || contradiction.
Qed.
Lemma max_exists s K : K <> [] -> (0 < length (filter (is_max s K) K))%nat.
Proof.
  intros Kn. assert (E : exists j, In j K /\ forall k, In k K -> s k <= s j).
  { induction K as [|x l IH]; [easy|]. destruct l as [|y r]. exists x. split; [now left|]. intros k [<-|[]]; lra.
    destruct IH as (j & Hj & M); [discriminate|]. destruct (Rle_dec (s x) (s j)).
    exists j. split; [now right|]. intros k [<-|Hk]; auto. exists x. split; [now left|]. intros k [<-|Hk]. lra.
      specialize (M k Hk). lra. }
  destruct E as (j & Hj & M). assert (I : In j (filter (is_max s K) K)) by (apply filter_In; split; auto; now apply
    is_max_iff).
  destruct (filter (is_max s K) K); [easy|simpl; lia].
Qed.

Section Layers.
Context {A : Type}.
Variable tail : bool.
Variable w : list A.
Notation N := (N tail). Notation run := (run tail). Notation keys := (keys tail).

Definition score (e : env) qk i j := sum (fun t => row_at e (fst t) i * row_at e (snd t) j) qk.
Definition hard_def (e : env) (d : def A) (i : nat) : R := match d with
  | Head m _ qk v => hard_output (is_max (score e qk i) (keys w m i)) (row_at e v) (keys w m i)
  | _ => eval_def tail w e d i end.
Fixpoint hard_from (e : env) (p : prog A) : env := match p with [] => e | d :: r => hard_from (e ++ [hard_def e d]) r
  end.
Definition hard_run (p : prog A) : env := hard_from [] p.

Variable err : nat -> R.
Definition row_error (r : row) : R := sum (fun t => Rabs (fst t) * err (snd t)) r.
(* what is known of a head: for each pair of rows a bound of queries and the width of keys; the gap; the range of
  values *)
Definition delta (facts : list ((row * row) * (R * R))) : R :=
  sum (fun t => row_error (fst (fst t)) * snd (snd t) + (fst (snd t) + row_error (fst (fst t))) * (2 * row_error (snd
    (fst t)))) facts.
Inductive allowed_error (h : env) : def A -> R -> Prop :=
  | error_letter p e : 0 <= e -> allowed_error h (Letter p) e
  | error_feature g e : 0 <= e -> allowed_error h (Feature g) e
  | error_net us e : sum (fun t => Rabs (fst (fst t)) * row_error (snd (fst t))) us <= e -> allowed_error h (Net us) e
  | error_head m scale qk v e facts gamma lo hi :
      map fst facts = qk -> 0 <= scale (N w) ->
      (forall t i, In t facts -> (i < N w)%nat -> Rabs (row_at h (fst (fst t)) i) <= fst (snd t)) ->
      (forall t j k, In t facts -> (j < N w)%nat -> (k < N w)%nat -> Rabs (row_at h (snd (fst t)) j - row_at h (snd
        (fst t)) k) <= snd (snd t)) ->
      (forall i j l, (i < N w)%nat -> In j (keys w m i) -> In l (keys w m i) -> is_max (score h qk i) (keys w m i) j
        = true ->
         is_max (score h qk i) (keys w m i) l = false -> score h qk i l <= score h qk i j - gamma) ->
      (forall j, (j < N w)%nat -> lo <= row_at h v j <= hi) -> 0 <= e ->
      row_error v + (hi - lo) * (1 - / (exp (scale (N w) * delta facts) + (INR (N w) - 1) * exp (- (scale (N w) *
        (gamma - delta facts))))) <= e ->
      allowed_error h (Head m scale qk v) e.
Inductive allowed_errors : prog A -> Prop :=
  | errors_nil : allowed_errors []
  | errors_snoc p d : allowed_errors p -> allowed_error (hard_run p) d (err (length p)) -> allowed_errors (p ++ [d]).

Lemma hard_from_length p : forall e, length (hard_from e p) = (length e + length p)%nat.
Proof. induction p; simpl; intros; [lia|]. rewrite IHp, app_length. simpl. lia. Qed.
Lemma hard_from_snoc p d : forall e, hard_from e (p ++ [d]) = hard_from e p ++ [hard_def (hard_from e p) d].
Proof. induction p; simpl; intros; [reflexivity|apply IHp]. Qed.
Lemma hard_snoc p d : hard_run (p ++ [d]) = hard_run p ++ [hard_def (hard_run p) d].
Proof. apply hard_from_snoc. Qed.
Lemma run_from_snoc p d : forall e, run_from tail w e (p ++ [d]) = run_from tail w e p ++ [eval_def tail w (run_from
  tail w e p) d].
Proof. induction p; simpl; intros; [reflexivity|apply IHp]. Qed.
Lemma run_snoc p d : run w (p ++ [d]) = run w p ++ [eval_def tail w (run w p) d].
Proof. apply run_from_snoc. Qed.

Hypothesis err_pos : forall c, 0 <= err c.
Section Near.
Variables e h : env.
Hypothesis near : forall c i, (i < N w)%nat -> Rabs (chan e c i - chan h c i) <= err c.
Lemma row_near r i : (i < N w)%nat -> Rabs (row_at e r i - row_at h r i) <= row_error r.
Proof.
  intros Hi. unfold row_at, row_error. induction r as [|t r IH]; cbn [sum]. rewrite Rminus_0_r, Rabs_R0; lra.
  replace (fst t * chan e (snd t) i + sum (fun t => fst t * chan e (snd t) i) r - (fst t * chan h (snd t) i + sum
    (fun t => fst t * chan h (snd t) i) r))
    with (fst t * (chan e (snd t) i - chan h (snd t) i) + (sum (fun t => fst t * chan e (snd t) i) r - sum (fun t =>
      fst t * chan h (snd t) i) r)) by ring.
  eapply Rle_trans. apply Rabs_triang. apply Rplus_le_compat; auto. rewrite Rabs_mult. apply Rmult_le_compat_l.
    apply Rabs_pos. now apply near.
Qed.
Lemma row_error_pos r : 0 <= row_error r.
Proof. apply sum_nonneg. intros. apply Rmult_le_pos. apply Rabs_pos. apply err_pos. Qed.
Lemma abs_le_inv x y : Rabs x <= y -> - y <= x <= y.
Proof. intros H. generalize (Rle_abs x) (Rle_abs (- x)). rewrite Rabs_Ropp. lra. Qed.
(* a difference of two scores of a row is off by at most delta *)
Lemma score_near facts i j k : (i < N w)%nat -> (j < N w)%nat -> (k < N w)%nat ->
  (forall t, In t facts -> Rabs (row_at h (fst (fst t)) i) <= fst (snd t)) ->
  (forall t, In t facts -> Rabs (row_at h (snd (fst t)) j - row_at h (snd (fst t)) k) <= snd (snd t)) ->
  Rabs ((score e (map fst facts) i j - score e (map fst facts) i k) - (score h (map fst facts) i j - score h (map fst
    facts) i k)) <= delta facts.
Proof.
  intros Hi Hj Hk HQ HW. unfold score, delta. rewrite !sum_map. induction facts as [|t l IH]; cbn [sum].
    rewrite !Rminus_0_r, Rabs_R0; lra.
  assert (IH' := IH (fun t Ht => HQ t (or_intror Ht)) (fun t Ht => HW t (or_intror Ht))). clear IH.
  specialize (HQ t (or_introl eq_refl)). specialize (HW t (or_introl eq_refl)).
  assert (nq := row_near (fst (fst t)) i Hi). assert (nj := row_near (snd (fst t)) j Hj).
    assert (nk := row_near (snd (fst t)) k Hk).
  assert (eq0 := row_error_pos (fst (fst t))). assert (ek0 := row_error_pos (snd (fst t))).
  set (q := row_at e (fst (fst t)) i) in *. set (q' := row_at h (fst (fst t)) i) in *.
  set (kj := row_at e (snd (fst t)) j) in *. set (kj' := row_at h (snd (fst t)) j) in *.
  set (kk := row_at e (snd (fst t)) k) in *. set (kk' := row_at h (snd (fst t)) k) in *.
  set (eq := row_error (fst (fst t))) in *. set (ek := row_error (snd (fst t))) in *.
  revert IH'. match goal with |- Rabs (?s1 - ?s2 - (?s3 - ?s4)) <= _ -> _ => generalize s1 s2 s3 s4 end.
    intros S1 S2 S3 S4 IH'.
  match goal with |- Rabs ?x <= _ => replace x with ((q - q') * (kj' - kk') + q * ((kj - kj') - (kk - kk')) + (S1 -
    S2 - (S3 - S4))) by ring end.
  eapply Rle_trans. apply Rabs_triang. apply Rplus_le_compat; auto.
  eapply Rle_trans. apply Rabs_triang. apply Rplus_le_compat.
  - rewrite Rabs_mult. apply Rmult_le_compat; auto; apply Rabs_pos.
  - rewrite Rabs_mult. apply Rmult_le_compat; try apply Rabs_pos.
    replace q with (q' + (q - q')) by ring. eapply Rle_trans. apply Rabs_triang. now apply Rplus_le_compat.
    eapply Rle_trans. apply (Rabs_triang (kj - kj') (- (kk - kk'))). rewrite Rabs_Ropp. lra.
Qed.
Lemma relu_lip x y : Rabs (relu x - relu y) <= Rabs (x - y).
Proof. unfold relu, Rmax. destruct (Rle_dec 0 x), (Rle_dec 0 y); unfold Rabs; repeat destruct Rcase_abs; lra. Qed.

Lemma def_near d eb i : allowed_error h d eb -> (i < N w)%nat -> Rabs (eval_def tail w e d i - hard_def h d i) <= eb.
Proof.
  intros H Hi. destruct H as [p eb He|g eb He|us eb He|m scale qk v eb facts gamma lo hi Hq Hs HQ HW HG HV He0 He];
    cbn [hard_def eval_def].
  - rewrite Rminus_diag_eq, Rabs_R0; auto.
  - rewrite Rminus_diag_eq, Rabs_R0; auto.
  - eapply Rle_trans; [|apply He]. clear He. induction us as [|t us IH]; cbn [sum]. rewrite Rminus_0_r, Rabs_R0; lra.
    set (a := relu (row_at e (snd (fst t)) i + snd t)). set (b := relu (row_at h (snd (fst t)) i + snd t)).
    match goal with |- Rabs (_ * a + ?x - (_ * b + ?y)) <= _ => replace (fst (fst t) * a + x - (fst (fst t) * b + y))
      with (fst (fst t) * (a - b) + (x - y)) by ring end.
    eapply Rle_trans. apply Rabs_triang. apply Rplus_le_compat; auto. rewrite Rabs_mult. apply Rmult_le_compat_l.
      apply Rabs_pos.
    eapply Rle_trans. apply relu_lip. replace (row_at e (snd (fst t)) i + snd t - (row_at h (snd (fst t)) i + snd t))
      with (row_at e (snd (fst t)) i - row_at h (snd (fst t)) i) by ring.
    now apply row_near.
  - destruct (keys w m i) as [|k0 K0] eqn:EK. { simpl. rewrite Rminus_0_r, Rabs_R0; auto. }
    rewrite <- EK in *. assert (Kn : keys w m i <> []) by (rewrite EK; discriminate).
    assert (IK : forall j, In j (keys w m i) -> (j < N w)%nat) by (intros j Hj; apply in_keys in Hj; tauto).
    assert (Sn : forall j k, In j (keys w m i) -> In k (keys w m i) -> (score e qk i j - score e qk i k) - (score h
      qk i j - score h qk i k) <= delta facts).
    { intros j k Hj Hk. subst qk. assert (X := score_near facts i j k Hi (IK j Hj) (IK k Hk)).
      apply abs_le_inv in X; try lra; intros t Ht; auto. }
    assert (d0 : 0 <= delta facts).
    { assert (X := Sn k0 k0). rewrite EK in X. specialize (X (or_introl eq_refl) (or_introl eq_refl)). lra. }
    eapply Rle_trans; [|apply He]. fold (score e qk i).
    apply (head_error _ _ _ _ _ _ (scale (N w) * delta facts) (scale (N w) * (gamma - delta facts)) lo hi).
    + now apply max_exists.
    + apply keys_length.
    + now apply Rmult_le_pos.
    + intros j k Hj Hk Tj Tk. assert (Mj := proj1 (is_max_iff _ _ _) Tj k Hk).
      assert (Mk := proj1 (is_max_iff _ _ _) Tk j Hj).
      assert (X := Sn k j Hk Hj). unfold score in X, Mj, Mk. rewrite <- Rmult_minus_distr_l.
        apply Rmult_le_compat_l; auto. lra.
    + intros j l Hj Hl Tj Tl. assert (Gp := HG i j l Hi Hj Hl Tj Tl). assert (X := Sn l j Hl Hj).
      unfold score in X, Gp.
      rewrite <- Rmult_minus_distr_l, <- Ropp_mult_distr_r_reverse. apply Rmult_le_compat_l; auto. lra.
    + intros j Hj. apply HV. now apply IK.
    + intros j Hj. apply row_near. now apply IK.
Qed.
End Near.

Theorem layers_error p : allowed_errors p -> forall c i, (i < N w)%nat -> Rabs (chan (run w p) c i - chan (hard_run
  p) c i) <= err c.
Proof.
  induction 1 as [|p d Hp IH Hd]; intros c i Hi.
  - unfold chan. destruct c; simpl; rewrite Rminus_0_r, Rabs_R0; apply err_pos.
  - rewrite run_snoc, hard_snoc. assert (L1 : length (run w p) = length p) by apply run_length.
    assert (L2 : length (hard_run p) = length p) by (unfold hard_run; rewrite hard_from_length; reflexivity).
    unfold chan. destruct (lt_eq_lt_dec c (length p)) as [[Lt| ->]|Gt].
    + rewrite !app_nth1 by lia. now apply IH.
    + rewrite !app_nth2 by lia. rewrite L1, L2, Nat.sub_diag. cbn [nth]. apply def_near; auto.
    + rewrite !nth_overflow by (rewrite app_length; simpl; lia). rewrite Rminus_0_r, Rabs_R0. apply err_pos.
Qed.
End Layers.
