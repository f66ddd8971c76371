(* doc/certificate.md, "Softmax rows, with rounding" and "Nearest", in any order: keys and values through one tree of
  rounded operations.
   A tree t of Sums.v sums the weights; the numerator x passes through the same operations with the keys' values.

   numerator_any   the numerator is its winner's value up to 2 R (1+u)^(4M)
   winner_any      one winner: the output is within error(R) of its value
   nearest_any     the output of a nearest head is within error(R) of the winner's value *)
From Coq Require Import ZArith Reals Lia Lra Psatz List.
From Flocq Require Import Core.
From Temper Require Import Rows Heads Format Sums Nearest.
Import ListNotations.
Local Open Scope R_scope.

Section Any.
Variable f : format.
Notation rnd := (rnd f). Notation number := (number f). Notation u := (u f). Notation tiny := (tiny f).
Variable E : R -> R.
Hypothesis HE : exp_model f E.
Variables (logit v : nat -> R) (win : R).
Hypothesis win_number : number win.

(* which keys a tree sums: the losers, and the winner if it is there *)
Inductive summed : list nat -> option nat -> run -> R -> Prop :=
  | s_key j m : summed [j] None (Key (logit j) m) (rnd (E (rnd (logit j - m)) * v j))
  | s_win j : logit j = win -> summed [] (Some j) Win (v j)
  | s_join_l La Lb o a b m x y : summed La o a x -> summed Lb None b y ->
      summed (La ++ Lb) o (Join a b m) (rnd (rnd (x * E (rnd (ref win a - m))) + rnd (y * E (rnd (ref win b - m)))))
  | s_join_r La Lb o a b m x y : summed La None a x -> summed Lb o b y ->
      summed (La ++ Lb) o (Join a b m) (rnd (rnd (x * E (rnd (ref win a - m))) + rnd (y * E (rnd (ref win b - m)))))
  | s_top L o a j x : summed L o a x -> summed (j :: L) o (Top a (logit j)) (rnd (x * E (rnd (ref win a - logit j)) +
    v j))
  | s_topwin L a j x : logit j = win -> summed L None a x ->
      summed L (Some j) (TopWin a) (rnd (x * E (rnd (ref win a - win)) + v j)).

Hypothesis v_01 : forall j, v j = 0 \/ v j = 1.
Lemma u_half : u <= / 2. Proof. generalize (u_le_half f). lra. Qed.
Lemma summed_wins L o t x : summed L o t x -> wins t = match o with None => O | Some _ => 1%nat end.
Proof. induction 1; cbn [wins]; auto; try (rewrite IHsummed1, IHsummed2; destruct o; reflexivity); try (now rewrite
  IHsummed). Qed.
Lemma summed_size L o t x : summed L o t x -> size t = (length L + match o with None => 0 | Some _ => 1 end)%nat.
Proof. induction 1; cbn [size length]; auto; rewrite ?app_length, ?IHsummed1, ?IHsummed2, ?IHsummed; try destruct o;
  lia. Qed.
Lemma summed_mass L o t x m : summed L o t x -> mass f t m = sum (fun j => exp ((1 - u) * (logit j - m))) L.
Proof.
  induction 1; cbn [mass sum]; auto; try (rewrite IHsummed1, IHsummed2; symmetry; clear; induction La; simpl; lra);
    try lra.
Qed.
Lemma summed_nums L o t x : ok f win t -> summed L o t x -> nums f E win t x.
Proof.
  intros H S. induction S; cbn [ok] in H.
  - assert (B := E_bound f E HE (logit j) m). destruct B as (_ & B & _); try tauto.
    destruct (v_01 j) as [-> | ->].
    + rewrite Rmult_0_r, rnd_id by apply number_0. apply (n_key f E win (logit j) m false).
    + rewrite Rmult_1_r, rnd_id by auto. apply (n_key f E win (logit j) m true).
  - destruct (v_01 j) as [-> | ->]. apply (n_win f E win false). apply (n_win f E win true).
  - constructor; tauto.
  - constructor; tauto.
  - destruct (v_01 j) as [-> | ->]. apply (n_top f E win a (logit j) false). tauto.
    apply (n_top f E win a (logit j) true). tauto.
  - destruct (v_01 j) as [-> | ->]. apply (n_topwin f E win a false). tauto. apply (n_topwin f E win a true). tauto.
Qed.
Lemma nums_number t x : ok f win t -> nums f E win t x -> number x.
Proof.
  intros H S. destruct S; cbn [ok] in H; try apply rnd_number. 
  - destruct b; [|apply number_0]. destruct (E_bound f E HE l m) as (_ & B & _); tauto.
  - destruct b; [apply number_1|apply number_0].
Qed.
Lemma resc_id t x : ok f win t -> ref win t = win -> number x -> rnd (x * E (rnd (ref win t - win))) = x.
Proof.
  intros H R N. rewrite R, Rminus_diag_eq by auto. rewrite (rnd_id f 0) by apply number_0.
    rewrite (E_0 _ _ HE), Rmult_1_r. now apply rnd_id.
Qed.
(* a loser's side, rescaled *)
Lemma side t y m : ok f win t -> number m -> ref win t <= m -> wins t = O -> nums f E win t y ->
  0 <= rnd (y * E (rnd (ref win t - m))) <= bound1 f t m.
Proof.
  intros H Hm R W S. destruct (numerator_le f E HE win win_number t y H S) as [Y1 Y2].
  destruct (E_bound f E HE (ref win t) m (ref_number f win win_number t H) Hm R) as ([A _] & _ & _).
  split. apply rnd_ge. apply number_0. now apply Rmult_le_pos.
  eapply Rle_trans. apply rnd_le. apply Rmult_le_compat_r; [exact A|exact Y2].
  apply (resc_bound f E HE win win_number u_half t m H Hm R). now apply (run_losers f E HE win win_number u_half).
Qed.
Lemma join_algebra n0 n1 (t0 t' : run) x y b : INR (size t0) = n0 -> INR (size t') = n1 -> number x ->
  b <= x <= b + 2 * g f (4 * size t0) * (mass f t0 win + 2 * n0 ^ 2 * tiny) -> 0 <= y <= bound1 f t' win ->
  b <= rnd (x + y) <= b + 2 * g f (4 * (size t0 + size t')) * (mass f t0 win + mass f t' win + 2 * (n0 + n1) ^ 2 *
    tiny).
Proof.
  intros <- <- N [X1 X2] [Y1 Y2]. split. eapply Rle_trans; [apply X1|]. now apply add_ge_r.
  eapply Rle_trans. apply add_le_r; auto. unfold bound1 in Y2.
  assert (M0 := mass_nonneg f t0 win). assert (M' := mass_nonneg f t' win). assert (T := tiny_pos f).
  assert (S0 := size_pos t0). assert (S' := size_pos t').
  assert (s0 : (1 <= size t0)%nat) by (apply INR_le; simpl; auto). assert (s' : (1 <= size t')%nat) by (apply INR_le;
    simpl; auto).
  set (n0 := INR (size t0)) in *. set (n' := INR (size t')) in *. set (P := g f (4 * (size t0 + size t'))).
  assert (P1 : 1 <= P) by apply g_ge_1.
  assert (G0 : g f (4 * size t0) <= P) by (apply g_mono; lia). assert (G' : g f (4 * size t' + 1) <= P) by (apply
    g_mono; lia).
  assert (Q0 : 0 <= mass f t0 win + 2 * n0 ^ 2 * tiny) by (apply Rplus_le_le_0_compat; auto; apply Rmult_le_pos; nra).
  assert (Q' : 0 <= mass f t' win + (2 * n' ^ 2 + n' + 1) * tiny) by (apply Rplus_le_le_0_compat; auto; apply
    Rmult_le_pos; nra).
  assert (D0 : g f (4 * size t0) * (mass f t0 win + 2 * n0 ^ 2 * tiny) <= P * (mass f t0 win + 2 * n0 ^ 2 * tiny)) by
    now apply Rmult_le_compat_r.
  assert (D' : g f (4 * size t' + 1) * (mass f t' win + (2 * n' ^ 2 + n' + 1) * tiny) <= P * (mass f t' win + (2 * n'
    ^ 2 + n' + 1) * tiny)) by now apply Rmult_le_compat_r.
  assert (2 * n0 ^ 2 + (2 * n' ^ 2 + n' + 1) <= 2 * (n0 + n') ^ 2) by nra.
  assert (P * ((mass f t0 win + 2 * n0 ^ 2 * tiny) + (mass f t' win + (2 * n' ^ 2 + n' + 1) * tiny)) <= P * (mass f
    t0 win + mass f t' win + 2 * (n0 + n') ^ 2 * tiny)).
  { apply Rmult_le_compat_l. lra. nra. } lra.
Qed.

Theorem numerator_any L js t x : ok f win t -> summed L (Some js) t x ->
  ref win t = win /\ v js <= x <= v js + 2 * g f (4 * size t) * (mass f t win + 2 * INR (size t) ^ 2 * tiny).
Proof.
  intros H S. remember (Some js) as o eqn:Eo. induction S; cbn [ok] in H; try discriminate.
  - injection Eo as ->. cbn [ref size mass]. split; auto. simpl INR. assert (T := tiny_pos f).
    assert (G := g_ge_1 f (4 * 1)). nra.
  - destruct H as (Ha & Hb & Hm & Ra & Rb & Rw). destruct (IHS1 Ha Eo) as [R1 X]. assert (m = win) by lra. subst m.
    assert (Nx := nums_number a x Ha (summed_nums _ _ _ _ Ha S1)).
    rewrite (resc_id a x Ha R1 Nx). assert (Sd := side b y win Hb Hm Rb (summed_wins _ _ _ _ S2) (summed_nums _ _ _ _
      Hb S2)).
    cbn [ref size mass]. split; auto. rewrite plus_INR. now apply join_algebra.
  - destruct H as (Ha & Hb & Hm & Ra & Rb & Rw). destruct (IHS2 Hb Eo) as [R1 X]. assert (m = win) by lra. subst m.
    assert (Nx := nums_number b y Hb (summed_nums _ _ _ _ Hb S2)).
    rewrite (resc_id b y Hb R1 Nx). assert (Sd := side a x win Ha Hm Ra (summed_wins _ _ _ _ S1) (summed_nums _ _ _ _
      Ha S1)).
    cbn [ref size mass]. split; auto. rewrite plus_INR, (Rplus_comm (rnd _)), (Nat.add_comm (size a)), (Rplus_comm
      (mass f a win)), (Rplus_comm (INR (size a))). now apply join_algebra.
  - exfalso. destruct H as (Ha & Hm & Ra & Rl). destruct (IHS Ha Eo) as [R1 _]. lra.
  - injection Eo as ->. assert (W0 := summed_wins _ _ _ _ S). cbn in W0. assert (Sn := summed_nums _ _ _ _ H S).
    destruct (numerator_le f E HE win win_number a x H Sn) as [Y1 Y2].
    assert (B := prod_bound f E HE win win_number u_half a win H win_number (ref_le _ _ _ H) (run_losers f E HE win
      win_number u_half a H W0)).
    destruct (E_bound f E HE (ref win a) win (ref_number f win win_number a H) win_number (ref_le _ _ _ H)) as ([A _]
      & _ & _).
    assert (Z : 0 <= x * E (rnd (ref win a - win))) by now apply Rmult_le_pos.
    assert (Z2 : x * E (rnd (ref win a - win)) <= val f E win a * E (rnd (ref win a - win))) by now apply
      Rmult_le_compat_r.
    assert (Nb : number (v js)) by (destruct (v_01 js) as [-> | ->]; [apply number_0|apply number_1]).
    cbn [ref size mass]. split; auto. split. apply add_ge_l; auto.
    eapply Rle_trans. apply add_le_l; auto. rewrite S_INR.
    assert (T := tiny_pos f). assert (S1 := size_pos a). assert (M := mass_nonneg f a win).
      set (n := INR (size a)) in *.
    assert (G : g f (4 * size a) <= g f (4 * Datatypes.S (size a))) by (apply g_mono; lia).
      assert (G0 := g_ge_1 f (4 * size a)).
    set (Y := mass f a win + (2 * n ^ 2 + n) * tiny) in *.
    assert (Y0 : 0 <= Y) by (unfold Y; apply Rplus_le_le_0_compat; auto; apply Rmult_le_pos; nra).
    assert (g f (4 * size a) * Y <= g f (4 * Datatypes.S (size a)) * (mass f a win + 2 * (n + 1) ^ 2 * tiny)).
    { assert ((2 * n ^ 2 + n) * tiny <= 2 * (n + 1) ^ 2 * tiny) by (apply Rmult_le_compat_r; nra).
      apply Rmult_le_compat; try lra. unfold Y; lra. } lra.
Qed.
End Any.
(* only the values of the keys matter *)
Lemma summed_ext f E logit v v' win L o t x : summed f E logit v win L o t x -> (forall j, In j L \/ o = Some j -> v
  j =
  v' j) -> summed f E logit v' win L o t x.
Proof.
  intros S. induction S; intros Z.
  - rewrite (Z j) by (left; now left). constructor.
  - rewrite (Z j) by auto. now constructor.
  - apply s_join_l; [apply IHS1|apply IHS2]; intros k [Hk|Hk]; try discriminate; apply Z; auto; left; apply in_or_app;
    auto.
  - apply s_join_r; [apply IHS1|apply IHS2]; intros k [Hk|Hk]; try discriminate; apply Z; auto; left; apply in_or_app;
    auto.
  - rewrite (Z j) by (left; now left). constructor. apply IHS. intros k [Hk|Hk]; apply Z; auto. left; now right.
  - rewrite (Z j) by auto. constructor; auto. apply IHS. intros k [Hk|Hk]; [|discriminate]. apply Z; auto.
Qed.

(* ---- the bound of a nearest head, as a number of M ---- *)
Definition leak_any f (M : nat) eta kappa := let q := exp (- (kappa * (1 - u f))) in
  (1 + 2 * u f) * exp (2 * eta) * (q / (1 - q)) + 2 * INR M ^ 2 * tiny f.
Definition error_row f (M : nat) (rest : R) := let L := 2 * (1 + u f) ^ (4 * M) * rest in
  Rmax (1 - (1 - u f) / (1 + L)) (L * (1 + u f) + tiny f).
Definition error_any f M eta kappa := error_row f M (leak_any f M eta kappa).

(* one winner, any order: `rest` bounds what the others weigh together *)
Section OneWinner.
Variable f : format.
Notation rnd := (rnd f). Notation number := (number f). Notation u := (u f). Notation tiny := (tiny f).
Variable E : R -> R.
Hypothesis HE : exp_model f E.
Variables (L : list nat) (js M : nat) (logit v : nat -> R) (t : run) (x rest : R).
Hypothesis v_01 : forall j, v j = 0 \/ v j = 1.
Hypothesis js_number : number (logit js).
Hypothesis len : (length L < M)%nat.
Hypothesis tree : summed f E logit v (logit js) L (Some js) t x.
Hypothesis tree_ok : ok f (logit js) t.
Hypothesis rest_ok : mass f t (logit js) + 2 * INR (size t) ^ 2 * tiny <= rest.
Theorem winner_any : 2 * (1 + u) ^ (4 * M) * rest <= 1 ->
  Rabs (rnd (x / val f E (logit js) t) - v js) <= error_row f M rest /\ 0 <= rnd (x / val f E (logit js) t) <= 1.
Proof.
  intros Small. assert (U1 := u_pos f). assert (U2 := u_le_half f). assert (T := tiny_pos f).
  set (Lk := 2 * (1 + u) ^ (4 * M) * rest) in *.
  assert (W : wins t = 1%nat) by exact (summed_wins _ _ _ _ _ _ _ _ _ tree).
  destruct (lemma1_any f E HE (logit js) js_number (u_half f) t tree_ok W) as [_ [D1 D2]].
  destruct (numerator_any f E HE logit v (logit js) js_number v_01 L js t x tree_ok tree) as [_ [X1 X2]].
  assert (Sn := summed_nums f E HE logit v (logit js) v_01 L (Some js) t x tree_ok tree).
  destruct (numerator_le f E HE (logit js) js_number t x tree_ok Sn) as [Y1 Y2].
  assert (Unit := output_in_unit f E HE (logit js) js_number (u_half f) t x tree_ok W Sn).
  assert (B : 2 * g f (4 * size t) * (mass f t (logit js) + 2 * INR (size t) ^ 2 * tiny) <= Lk).
  { unfold Lk. assert (G : g f (4 * size t) <= (1 + u) ^ (4 * M)).
    { apply Rle_pow. lra. rewrite (summed_size _ _ _ _ _ _ _ _ _ tree). lia. }
    assert (G1 := g_ge_1 f (4 * size t)). assert (Ml := rest_ok).
    assert (M0 : 0 <= mass f t (logit js) + 2 * INR (size t) ^ 2 * tiny).
    { apply Rplus_le_le_0_compat. apply mass_nonneg. apply Rmult_le_pos; [|lra]. apply Rmult_le_pos. lra.
      apply pow_le, pos_INR. }
    apply Rmult_le_compat; lra. }
  set (den := val f E (logit js) t) in *. assert (Lk0 : 0 <= Lk) by lra.
  split; auto. unfold error_row. cbv zeta. fold Lk.
  assert (I : 0 < / den) by (apply Rinv_0_lt_compat; lra). destruct (v_01 js) as [V|V]; rewrite V in *. 
  2: { assert (Q1 : / (1 + Lk) <= x / den).
    { apply Rle_trans with (1 * / den). rewrite Rmult_1_l. apply Rinv_le_contravar; lra.
      apply Rmult_le_compat_r; lra. }
    assert (Qh : / 2 <= x / den). { eapply Rle_trans; [|apply Q1]. apply Rinv_le_contravar; lra. }
    destruct (rnd_normal f _ Qh) as [A1 _]. eapply Rle_trans; [|apply Rmax_l]. apply Rabs_le. unfold Rdiv at 1.
    assert ((1 - u) * / (1 + Lk) <= (1 - u) * (x / den)) by (apply Rmult_le_compat_l; lra). unfold Rdiv in *. lra. }
  - eapply Rle_trans; [|apply Rmax_r]. rewrite Rminus_0_r, Rabs_pos_eq by lra.
    assert (Q0 : 0 <= x / den) by (apply Rmult_le_pos; lra).
    assert (Q2 : x / den <= Lk). { apply Rle_trans with (x * 1). apply Rmult_le_compat_l; auto. rewrite <- Rinv_1.
      apply Rinv_le_contravar; lra. lra. }
    generalize (rnd_error f (x / den)). rewrite (Rabs_pos_eq (x / den)) by auto. intros Z. apply Rabs_le_inv in Z.
      nra.
Qed.
End OneWinner.

Section NearestAny.
Variable f : format.
Notation rnd := (rnd f). Notation number := (number f). Notation u := (u f). Notation tiny := (tiny f).
Variable E : R -> R.
Hypothesis HE : exp_model f E.
Variables (L : list nat) (js M : nat) (logit ideal : nat -> R) (eta kappa : R) (d : nat -> nat) (v : nat -> R) (t :
  run) (x : R).
Hypothesis v_01 : forall j, v j = 0 \/ v j = 1.
Hypothesis logit_number : forall j, number (logit j).
Hypothesis off : forall j, In j (js :: L) -> Rabs (logit j - ideal j) <= eta.
Hypothesis kappa_pos : 0 < kappa.
Hypothesis gaps : forall j, In j L -> (1 <= d j)%nat /\ kappa * INR (d j) <= ideal js - ideal j.
Hypothesis distinct : NoDup (map d L).
Hypothesis len : (length L < M)%nat.
Hypothesis tree : summed f E logit v (logit js) L (Some js) t x.
Hypothesis tree_ok : ok f (logit js) t.

Lemma mass_le : mass f t (logit js) + 2 * INR (size t) ^ 2 * tiny <= leak_any f M eta kappa.
Proof.
  assert (U1 := u_pos f). assert (U2 := u_le_half f). assert (T := tiny_pos f). unfold leak_any. cbv zeta.
    apply Rplus_le_compat.
  - rewrite (summed_mass _ _ _ _ _ _ _ _ _ (logit js) tree).
    apply Rle_trans with (sum (fun j => exp (2 * eta) * exp (- (kappa * (1 - u) * INR (d j)))) L).
    + apply sum_le. intros j Hj. rewrite <- exp_plus. apply exp_le.
      assert (O1 := off j (or_intror Hj)). assert (O2 := off js (or_introl eq_refl)). apply Rabs_le_inv in O1, O2.
        destruct (gaps j Hj) as [_ G].
      assert (logit j - logit js <= 2 * eta - kappa * INR (d j)) by lra. assert (0 <= eta) by lra. nra.
    + rewrite sum_scal, Rmult_assoc, (Rmult_comm (1 + 2 * u)). rewrite (Rmult_assoc (exp (2 * eta))).
      apply Rmult_le_compat_l. left; apply exp_pos.
      set (q := exp (- (kappa * (1 - u)))). assert (K : 0 < kappa * (1 - u)) by (apply Rmult_lt_0_compat; lra).
      assert (Q : 0 < q < 1) by exact (exp_neg_lt_1 _ K).
      assert (Q' : 0 <= q / (1 - q)) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]).
      apply Rle_trans with (q / (1 - q)). 2: nra.
      apply (distinct_gaps (kappa * (1 - u)) (fun j => kappa * (1 - u) * INR (d j)) d L); auto.
        intros j Hj; now apply gaps. intros; lra.
  - apply Rmult_le_compat_r. lra. apply Rmult_le_compat_l. lra. apply pow_incr. split. apply pos_INR. apply le_INR.
    rewrite (summed_size _ _ _ _ _ _ _ _ _ tree). lia.
Qed.
Theorem nearest_any : 2 * (1 + u) ^ (4 * M) * leak_any f M eta kappa <= 1 ->
  Rabs (rnd (x / val f E (logit js) t) - v js) <= error_any f M eta kappa /\ 0 <= rnd (x / val f E (logit js) t) <= 1.
Proof.
  intros Small. now apply (winner_any f E HE L js M logit v t x (leak_any f M eta kappa) v_01 (logit_number js) len
    tree tree_ok mass_le).
Qed.
End NearestAny.
