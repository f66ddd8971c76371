(* Computed sums: ascending, and any tree of rounded additions with rescalings. *)
From Coq Require Import ZArith Reals Lia Lra Psatz List.
From Flocq Require Import Core Relative.
From Temper Require Import Rows Format.
Import ListNotations.
Local Open Scope R_scope.

Section S.
Variable f : format.
Notation rnd := (rnd f). Notation number := (number f). Notation u := (u f). Notation tiny := (tiny f).

(* ---- plain trees ---- *)
Inductive tree := Leaf (w : R) | Node (l r : tree).
Fixpoint computed t := match t with Leaf w => w | Node l r => rnd (computed l + computed r) end.
Fixpoint leaves t := match t with Leaf w => [w] | Node l r => leaves l ++ leaves r end.

Lemma computed_number t : (forall w, In w (leaves t) -> number w) -> number (computed t).
Proof. destruct t; simpl; intros H. apply H; auto. apply rnd_number. Qed.
Lemma computed_nonneg t : (forall w, In w (leaves t) -> 0 <= w) -> 0 <= computed t.
Proof.
  induction t; simpl; intros H; [apply H; auto|]. apply rnd_ge. apply number_0.
  apply Rplus_le_le_0_compat; [apply IHt1|apply IHt2]; intros; apply H, in_or_app; auto.
Qed.
(* any tree of nonnegative numbers is at least each of its terms *)
Theorem tree_ge_term t w : (forall x, In x (leaves t) -> number x /\ 0 <= x) -> In w (leaves t) -> w <= computed t.
Proof.
  induction t; simpl; intros H Hin.
  - destruct Hin as [->|[]]. lra.
  - assert (H1 : forall x, In x (leaves t1) -> number x /\ 0 <= x) by (intros; apply H, in_or_app; auto).
    assert (H2 : forall x, In x (leaves t2) -> number x /\ 0 <= x) by (intros; apply H, in_or_app; auto).
    assert (N1 : number (computed t1)) by (apply computed_number; intros; now apply H1).
    assert (N2 : number (computed t2)) by (apply computed_number; intros; now apply H2).
    assert (P1 : 0 <= computed t1) by (apply computed_nonneg; intros; now apply H1).
    assert (P2 : 0 <= computed t2) by (apply computed_nonneg; intros; now apply H2).
    apply in_app_or in Hin. destruct Hin as [Hi|Hi].
    + eapply Rle_trans. apply IHt1; auto. now apply add_ge_r.
    + eapply Rle_trans. apply IHt2; auto. now apply add_ge_l.
Qed.
Corollary tree_ge_1 t : (forall x, In x (leaves t) -> number x /\ 0 <= x) -> In 1 (leaves t) -> 1 <= computed t.
Proof. apply tree_ge_term. Qed.

(* ---- ascending ---- *)
Fixpoint asc (s : R) (ws : list R) := match ws with [] => s | w :: r => asc (rnd (s + w)) r end.
Definition total (ws : list R) := sum (fun w => w) ws.
Definition weights ws := forall w, In w ws -> number w /\ 0 <= w.

Lemma asc_app s a b : asc s (a ++ b) = asc (asc s a) b.
Proof. revert s; induction a; simpl; auto. Qed.
Lemma asc_number s ws : number s -> number (asc s ws).
Proof. revert s; induction ws; simpl; auto. intros. apply IHws, rnd_number. Qed.
Lemma asc_ge s ws : number s -> weights ws -> s <= asc s ws.
Proof.
  revert s; induction ws as [|w ws IH]; simpl; intros s Hs Hw. lra.
  eapply Rle_trans. 2:{ apply IH. apply rnd_number. intros x Hx. apply Hw. now right. }
  apply add_ge_r; auto. apply Hw. now left.
Qed.
Lemma asc_le s ws : number s -> weights ws -> asc s ws <= s + 2 * total ws.
Proof.
  revert s; induction ws as [|w ws IH]; simpl; intros s Hs Hw. unfold total; simpl; lra.
  eapply Rle_trans. apply IH. apply rnd_number. intros x Hx. apply Hw. now right.
  unfold total; simpl. generalize (add_le_r f s w Hs (proj2 (Hw w (or_introl eq_refl)))). lra.
Qed.
Lemma asc_mono s s' ws : s <= s' -> asc s ws <= asc s' ws.
Proof. revert s s'; induction ws; simpl; intros; auto. apply IHws, rnd_le; lra. Qed.

(* certificate.md, Lemma 1, ascending: sharper, 1 + 4 R1 + 2 R2 *)
Theorem lemma1_ascending (before after : list R) :
  weights before -> weights after ->
  1 <= asc 0 (before ++ 1 :: after) <= 1 + 4 * total before + 2 * total after.
Proof.
  intros Hb Ha. rewrite asc_app. simpl.
  set (s := asc 0 before).
  assert (Ns : number s) by (apply asc_number, number_0).
  assert (S0 : 0 <= s) by (apply asc_ge; auto; apply number_0).
  assert (S1 : s <= 2 * total before) by (generalize (asc_le 0 before (number_0 f) Hb); fold s; lra).
  assert (N1 := number_1 f).
  split.
  - eapply Rle_trans. 2:{ apply asc_ge; auto. apply rnd_number. } now apply add_ge_l.
  - eapply Rle_trans. apply asc_le; auto. apply rnd_number.
    generalize (add_le_l f s 1 N1 S0). lra.
Qed.

(* ---- running maximum: any tree, any reference points that never exceed the winner's logit ---- *)
Record exp_model (E : R -> R) : Prop := {
  E_0 : E 0 = 1;
  E_near : forall x, number x -> - (u / 4) <= x <= 0 -> E x = 1;
  E_number : forall x, number x -> x <= 0 -> number (E x);
  E_range : forall x, number x -> x <= 0 -> 0 <= E x <= 1;
  E_le : forall x, number x -> x <= 0 -> E x <= (1 + 2 * u) * exp x + tiny;
  E_ge : forall x, number x -> x <= 0 -> bpow radix2 (emin f + prec f - 1) <= exp x -> (1 - 2 * u) * exp x <= E x }.
(* below the least normal number kernels flush to 0: no lower bound there *)

Variable E : R -> R.
Hypothesis HE : exp_model E.
Variable win : R.                               (* the largest computed logit *)

Inductive run := Key (l m : R)                  (* weight of logit l against reference m *)
               | Win                            (* the winner against itself *)
               | Join (a b : run) (m : R)       (* both rescaled to m, then added *)
               | Top (a : run) (l : R)          (* scan: a new maximum l, s = fma(s, e, 1) *)
               | TopWin (a : run).              (* the same, the new maximum is the winner *)
Definition ref t := match t with Key _ m => m | Win => win | Join _ _ m => m | Top _ l => l | TopWin _ => win end.
Fixpoint val t := match t with
  | Key l m => E (rnd (l - m)) | Win => 1
  | Join a b m => rnd (rnd (val a * E (rnd (ref a - m))) + rnd (val b * E (rnd (ref b - m))))
  | Top a l => rnd (val a * E (rnd (ref a - l)) + 1)
  | TopWin a => rnd (val a * E (rnd (ref a - win)) + 1) end.
Fixpoint ok t := match t with
  | Key l m => number l /\ number m /\ l <= m <= win
  | Win => True
  | Join a b m => ok a /\ ok b /\ number m /\ ref a <= m /\ ref b <= m /\ m <= win
  | Top a l => ok a /\ number l /\ ref a < l <= win
  | TopWin a => ok a end.
(* every reference point is one of these numbers *)
Fixpoint refs (P : R -> Prop) t := match t with
  | Key _ m => P m | Win => True | Join a b m => refs P a /\ refs P b /\ P m
  | Top a l => refs P a /\ P l | TopWin a => refs P a end.
Fixpoint wins t := match t with Key _ _ => O | Win => 1%nat | Join a b _ => (wins a + wins b)%nat
  | Top a _ => wins a | TopWin a => S (wins a) end.
Fixpoint size t := match t with Join a b _ => (size a + size b)%nat | Top a _ => S (size a) | TopWin a => S (size a)
  | _ => 1%nat end.
(* ideal mass of the losers, against reference m *)
Fixpoint mass t m := match t with
  | Key l _ => exp ((1 - u) * (l - m)) | Win => 0 | Join a b _ => mass a m + mass b m
  | Top a l => mass a m + exp ((1 - u) * (l - m)) | TopWin a => mass a m end.

Hypothesis win_number : number win.
Hypothesis u_small : u <= / 2.

Lemma ref_number t : ok t -> number (ref t).
Proof. destruct t; simpl; try tauto. Qed.
Lemma ref_le t : ok t -> ref t <= win.
Proof. destruct t; simpl; intros; try tauto; lra. Qed.

Lemma diff x y : number x -> number y -> x <= y ->
  rnd (x - y) <= 0 /\ rnd (x - y) <= (1 - u) * (x - y) /\ number (rnd (x - y)).
Proof.
  intros Hx Hy H. split; [|split].
  - apply rnd_le_number. apply number_0. lra.
  - assert (Hy' : number (- y)) by now apply generic_format_opp.
    generalize (add_relative f x (- y) Hx Hy'). replace (x + - y) with (x - y) by ring.
    rewrite (Rabs_left1 (x - y)) by lra. intros A. apply Rabs_le_inv in A. lra.
  - apply rnd_number.
Qed.
Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof. intros [H| ->]. left; now apply exp_increasing. right; auto. Qed.
Lemma E_bound x y : number x -> number y -> x <= y ->
  0 <= E (rnd (x - y)) <= 1 /\ number (E (rnd (x - y))) /\
  E (rnd (x - y)) <= (1 + u) ^ 2 * exp ((1 - u) * (x - y)) + tiny.
Proof.
  intros Hx Hy H. destruct (diff x y Hx Hy H) as (A & B & C).
  split; [|split]. apply (E_range _ HE); auto. apply (E_number _ HE); auto.
  eapply Rle_trans. apply (E_le _ HE); auto. apply Rplus_le_compat_r.
  apply Rmult_le_compat. generalize (u_pos f); lra. left; apply exp_pos. generalize (u_pos f); nra. now apply exp_le.
Qed.
Lemma mass_nonneg t m : 0 <= mass t m.
Proof. induction t; simpl; [left; apply exp_pos | lra | lra | generalize (exp_pos ((1 - u) * (l - m))); lra | lra].
  Qed.
Lemma mass_shift t m m' : mass t m * exp ((1 - u) * (m - m')) = mass t m'.
Proof.
  induction t; simpl; [| ring | | |]. rewrite <- exp_plus. f_equal; lra. rewrite <- IHt1, <- IHt2. ring.
  rewrite <- IHt, Rmult_plus_distr_r, <- exp_plus. f_equal. f_equal; lra. auto.
Qed.
Lemma size_pos t : 1 <= INR (size t).
Proof. induction t; cbn [size]; try (simpl; lra). rewrite plus_INR. lra. rewrite S_INR; lra. rewrite S_INR; lra. Qed.
Definition g n := (1 + u) ^ n.
Lemma g_ge_1 n : 1 <= g n. Proof. apply pow_R1_Rle. generalize (u_pos f); lra. Qed.
Lemma g_mono n m : (n <= m)%nat -> g n <= g m.
Proof. intros. apply Rle_pow; auto. generalize (u_pos f); lra. Qed.
Lemma g_add n m : g (n + m) = g n * g m. Proof. apply pow_add. Qed.

Lemma val_basic t : ok t -> number (val t) /\ 0 <= val t.
Proof.
  induction t; simpl; intros H.
  - destruct (E_bound l m) as (A & B & _); try tauto.
  - split. apply number_1. lra.
  - destruct H as (Ha & Hb & Hm & Ra & Rb & _). split. apply rnd_number.
    destruct (IHt1 Ha) as [_ Pa]. destruct (IHt2 Hb) as [_ Pb].
    destruct (E_bound (ref t1) m (ref_number _ Ha) Hm Ra) as ([A _] & _ & _).
    destruct (E_bound (ref t2) m (ref_number _ Hb) Hm Rb) as ([B _] & _ & _).
    apply rnd_ge. apply number_0.
    apply Rplus_le_le_0_compat; apply rnd_ge; try apply number_0; now apply Rmult_le_pos.
  - destruct H as (Ha & Hm & Ra). destruct (IHt Ha) as [_ Pa].
    destruct (E_bound (ref t) l (ref_number _ Ha) Hm) as ([A _] & _ & _); [lra|].
    split. apply rnd_number. apply rnd_ge. apply number_0. assert (0 <= val t * E (rnd (ref t - l))) by now apply
      Rmult_le_pos. lra.
  - destruct (IHt H) as [_ Pa].
    destruct (E_bound (ref t) win (ref_number _ H) win_number (ref_le _ H)) as ([A _] & _ & _).
    split. apply rnd_number. apply rnd_ge. apply number_0. assert (0 <= val t * E (rnd (ref t - win))) by now apply
      Rmult_le_pos. lra.
Qed.

(* rescaled partial sum without rounding amplification: at most the sum itself *)
Definition resc t m := rnd (val t * E (rnd (ref t - m))).
Lemma resc_basic t m : ok t -> number m -> ref t <= m -> number (resc t m) /\ 0 <= resc t m <= val t.
Proof.
  intros H Hm R. destruct (val_basic t H) as [N P].
  destruct (E_bound (ref t) m (ref_number _ H) Hm R) as ([A A'] & _ & _).
  split; [apply rnd_number|]. split. apply rnd_ge. apply number_0. now apply Rmult_le_pos.
  apply rnd_le_number; auto. rewrite <- (Rmult_1_r (val t)) at 2. now apply Rmult_le_compat_l.
Qed.

Lemma normal_rel x : 1 <= x -> rnd x <= (1 + u) * x.
Proof.
  intros H. assert (X : Rabs (rnd x - x) <= u * Rabs x).
  { apply relative_error_N_FLT. generalize (prec_ge_2 f); lia. rewrite Rabs_pos_eq by lra.
    apply Rle_trans with (bpow radix2 0). apply bpow_le. generalize (emin_neg f); lia. simpl. lra. }
  rewrite (Rabs_pos_eq x) in X by lra. apply Rabs_le_inv in X. lra.
Qed.
Lemma top_count t l : ok t -> number l -> ref t <= l -> val t <= g (size t) * INR (size t) ->
  rnd (val t * E (rnd (ref t - l)) + 1) <= g (S (size t)) * INR (S (size t)).
Proof.
  intros Ha Hm Ra C. destruct (val_basic t Ha) as [_ P].
  destruct (E_bound (ref t) l (ref_number _ Ha) Hm Ra) as ([A A'] & _ & _).
  assert (0 <= val t * E (rnd (ref t - l)) <= val t) by (split; [now apply Rmult_le_pos|]; rewrite <- (Rmult_1_r (val
    t)) at 2; now apply Rmult_le_compat_l).
  assert (N := normal_rel (val t * E (rnd (ref t - l)) + 1)).
  rewrite S_INR. change (g (S (size t))) with ((1 + u) * g (size t)). assert (G := g_ge_1 (size t)).
    assert (U := u_pos f).
  eapply Rle_trans. apply N. lra. rewrite Rmult_assoc. apply Rmult_le_compat_l. lra. lra.
Qed.
Lemma val_count t : ok t -> val t <= g (size t) * INR (size t).
Proof.
  induction t; cbn [val size ok]; intros H.
  - destruct (E_bound l m) as ([_ A] & _); try tauto. simpl INR. generalize (g_ge_1 1). lra.
  - simpl INR. generalize (g_ge_1 1). lra.
  - destruct H as (Ha & Hb & Hm & Ra & Rb & _).
    destruct (resc_basic t1 m Ha Hm Ra) as [N1 [A1 B1]]. destruct (resc_basic t2 m Hb Hm Rb) as [N2 [A2 B2]].
    fold (resc t1 m). fold (resc t2 m).
    generalize (add_relative f _ _ N1 N2). rewrite (Rabs_pos_eq (resc t1 m + resc t2 m)) by lra.
    intros X. apply Rabs_le_inv in X.
    specialize (IHt1 Ha). specialize (IHt2 Hb). rewrite plus_INR.
    assert (S1 := size_pos t1). assert (S2 := size_pos t2).
    assert (1 <= size t1)%nat by (apply INR_le; simpl; auto). assert (1 <= size t2)%nat by (apply INR_le; simpl;
      auto).
    assert (G1 : (1 + u) * g (size t1) <= g (size t1 + size t2)).
    { change (g (S (size t1)) <= g (size t1 + size t2)). apply g_mono; lia. }
    assert (G2 : (1 + u) * g (size t2) <= g (size t1 + size t2)).
    { change (g (S (size t2)) <= g (size t1 + size t2)). apply g_mono; lia. }
    generalize (u_pos f). intros. nra.
  - destruct H as (Ha & Hm & Ra). apply top_count; auto. lra.
  - apply top_count; auto. now apply ref_le.
Qed.

(* every rescaled partial sum of losers *)
Definition bound0 t m := g (4 * size t - 2) * (mass t m + 2 * INR (size t) ^ 2 * tiny).
Definition bound1 t m := g (4 * size t + 1) * (mass t m + (2 * INR (size t) ^ 2 + INR (size t) + 1) * tiny).

Lemma prod_bound t m : ok t -> number m -> ref t <= m -> val t <= bound0 t (ref t) ->
  val t * E (rnd (ref t - m)) <= g (4 * size t) * (mass t m + (2 * INR (size t) ^ 2 + INR (size t)) * tiny).
Proof.
  intros H Hm R V. destruct (val_basic t H) as [N P].
  destruct (E_bound (ref t) m (ref_number _ H) Hm R) as ([A A'] & _ & B).
  set (e := E (rnd (ref t - m))) in *. set (x := exp ((1 - u) * (ref t - m))) in *.
  assert (X : 0 < x <= 1).
  { split. apply exp_pos. rewrite <- exp_0. apply exp_le. 
    assert (0 <= (1 - u) * (m - ref t)) by (apply Rmult_le_pos; lra). lra. }
  assert (T := tiny_pos f). assert (U := u_pos f).
  assert (C := val_count t H). assert (Sz := size_pos t).
  assert (sz : (1 <= size t)%nat) by (apply INR_le; simpl; auto).
  assert (Vx : val t * x <= g (4 * size t - 2) * (mass t m + 2 * INR (size t) ^ 2 * tiny)).
  { apply Rle_trans with (bound0 t (ref t) * x). apply Rmult_le_compat_r; lra.
    unfold bound0. rewrite Rmult_assoc. apply Rmult_le_compat_l. generalize (g_ge_1 (4 * size t - 2)); lra.
    rewrite Rmult_plus_distr_r. unfold x at 1. rewrite mass_shift. apply Rplus_le_compat_l.
    assert (0 <= 2 * INR (size t) ^ 2 * tiny) by (apply Rmult_le_pos; [|lra]; apply Rmult_le_pos; [lra|]; apply
      pow_le; lra). nra. }
  assert (Ve : val t * e <= g (4 * size t) * (mass t m + (2 * INR (size t) ^ 2 + INR (size t)) * tiny)).
  { apply Rle_trans with (val t * ((1 + u) ^ 2 * x + tiny)). now apply Rmult_le_compat_l.
    assert (G : g (4 * size t) = (1 + u) ^ 2 * g (4 * size t - 2)).
    { change ((1 + u) ^ 2) with (g 2). rewrite <- g_add. f_equal. lia. }
    assert (V2 : val t * tiny <= g (4 * size t) * (INR (size t) * tiny)).
    { rewrite <- Rmult_assoc. apply Rmult_le_compat_r. lra. eapply Rle_trans. apply C.
      apply Rmult_le_compat_r. lra. apply g_mono; lia. }
    assert (V1 : (1 + u) ^ 2 * (val t * x) <= (1 + u) ^ 2 * (g (4 * size t - 2) * (mass t m + 2 * INR (size t) ^ 2 *
      tiny))).
    { apply Rmult_le_compat_l. apply pow_le; lra. auto. }
    rewrite G. rewrite G in V2. revert V1 V2. generalize ((1 + u) ^ 2) (g (4 * size t - 2)). intros. nra. }
  exact Ve.
Qed.
Lemma resc_bound t m : ok t -> number m -> ref t <= m -> val t <= bound0 t (ref t) -> resc t m <= bound1 t m.
Proof.
  intros H Hm R V. assert (Ve := prod_bound t m H Hm R V). destruct (val_basic t H) as [N P].
  destruct (E_bound (ref t) m (ref_number _ H) Hm R) as ([A A'] & _ & B).
  unfold resc. set (e := E (rnd (ref t - m))) in *.
  assert (T := tiny_pos f). assert (U := u_pos f). assert (Sz := size_pos t).
  assert (Z : 0 <= val t * e) by now apply Rmult_le_pos.
  generalize (rnd_error f (val t * e)). rewrite (Rabs_pos_eq (val t * e)) by auto. intros Q. apply Rabs_le_inv in Q.
  unfold bound1. replace (4 * size t + 1)%nat with (1 + 4 * size t)%nat by lia. rewrite g_add.
  assert (g 1 = 1 + u) by (unfold g; ring). rewrite H0.
  assert (G1 := g_ge_1 (4 * size t)).
  assert ((1 + u) * (val t * e) <= (1 + u) * (g (4 * size t) * (mass t m + (2 * INR (size t) ^ 2 + INR (size t)) *
    tiny))).
  { apply Rmult_le_compat_l; lra. }
  assert (tiny <= (1 + u) * g (4 * size t) * tiny).
  { rewrite <- (Rmult_1_l tiny) at 1. apply Rmult_le_compat_r. lra. nra. }
  replace ((1 + u) * g (4 * size t) * (mass t m + (2 * INR (size t) ^ 2 + INR (size t) + 1) * tiny))
    with ((1 + u) * (g (4 * size t) * (mass t m + (2 * INR (size t) ^ 2 + INR (size t)) * tiny)) + (1 + u) * g (4 *
      size t) * tiny) by ring.
  lra.
Qed.

Lemma run_losers t : ok t -> wins t = O -> val t <= bound0 t (ref t).
Proof.
  induction t; intros H W; cbn [wins] in W; [|discriminate| | |discriminate].
  - cbn [ok] in H. destruct (E_bound l m) as (_ & _ & B); try tauto.
    cbn [val ref]. unfold bound0. cbn [size mass]. simpl INR. change (4 * 1 - 2)%nat with 2%nat.
    assert (T := tiny_pos f). assert (G := g_ge_1 2). unfold g in *. nra.
  - assert (W1 : wins t1 = O) by lia. assert (W2 : wins t2 = O) by lia.
    cbn [ok] in H. destruct H as (Ha & Hb & Hm & Ra & Rb & _).
    assert (B1 := resc_bound t1 m Ha Hm Ra (IHt1 Ha W1)). assert (B2 := resc_bound t2 m Hb Hm Rb (IHt2 Hb W2)).
    destruct (resc_basic t1 m Ha Hm Ra) as [N1 [A1 _]]. destruct (resc_basic t2 m Hb Hm Rb) as [N2 [A2 _]].
    cbn [val ref]. fold (resc t1 m). fold (resc t2 m).
    generalize (add_relative f _ _ N1 N2). rewrite (Rabs_pos_eq (resc t1 m + resc t2 m)) by lra.
    intros X. apply Rabs_le_inv in X.
    assert (S1 := size_pos t1). assert (S2 := size_pos t2).
    assert (s1 : (1 <= size t1)%nat) by (apply INR_le; simpl; auto). assert (s2 : (1 <= size t2)%nat) by (apply
      INR_le; simpl; auto).
    unfold bound0, bound1 in *. cbn [size mass]. rewrite plus_INR.
    set (n1 := INR (size t1)) in *. set (n2 := INR (size t2)) in *.
    assert (T := tiny_pos f). assert (U := u_pos f).
    assert (M1 := mass_nonneg t1 m). assert (M2 := mass_nonneg t2 m).
    set (P := g (4 * (size t1 + size t2) - 2)).
    assert (G1 : (1 + u) * g (4 * size t1 + 1) <= P) by (change (g (S (4 * size t1 + 1)) <= P); apply g_mono; lia).
    assert (G2 : (1 + u) * g (4 * size t2 + 1) <= P) by (change (g (S (4 * size t2 + 1)) <= P); apply g_mono; lia).
    assert (Q1 : 0 <= mass t1 m + (2 * n1 ^ 2 + n1 + 1) * tiny) by (apply Rplus_le_le_0_compat; auto; apply
      Rmult_le_pos; nra).
    assert (Q2 : 0 <= mass t2 m + (2 * n2 ^ 2 + n2 + 1) * tiny) by (apply Rplus_le_le_0_compat; auto; apply
      Rmult_le_pos; nra).
    assert (D1 : (1 + u) * resc t1 m <= P * (mass t1 m + (2 * n1 ^ 2 + n1 + 1) * tiny)).
    { apply Rle_trans with ((1 + u) * (g (4 * size t1 + 1) * (mass t1 m + (2 * n1 ^ 2 + n1 + 1) * tiny))).
      apply Rmult_le_compat_l; lra. rewrite <- Rmult_assoc. now apply Rmult_le_compat_r. }
    assert (D2 : (1 + u) * resc t2 m <= P * (mass t2 m + (2 * n2 ^ 2 + n2 + 1) * tiny)).
    { apply Rle_trans with ((1 + u) * (g (4 * size t2 + 1) * (mass t2 m + (2 * n2 ^ 2 + n2 + 1) * tiny))).
      apply Rmult_le_compat_l; lra. rewrite <- Rmult_assoc. now apply Rmult_le_compat_r. }
    assert (P1 : 1 <= P) by apply g_ge_1.
    apply Rle_trans with (P * (mass t1 m + (2 * n1 ^ 2 + n1 + 1) * tiny) + P * (mass t2 m + (2 * n2 ^ 2 + n2 + 1) *
      tiny)). lra.
    rewrite <- Rmult_plus_distr_l. apply Rmult_le_compat_l. lra.
    assert ((2 * n1 ^ 2 + n1 + 1) + (2 * n2 ^ 2 + n2 + 1) <= 2 * (n1 + n2) ^ 2) by nra. nra.
  - cbn [ok] in H. destruct H as (Ha & Hm & Ra' & _). assert (Ra : ref t <= l) by lra.
    assert (B := prod_bound t l Ha Hm Ra (IHt Ha W)).
    destruct (val_basic t Ha) as [_ P]. destruct (E_bound (ref t) l (ref_number _ Ha) Hm Ra) as ([A _] & _ & _).
    assert (Z : 0 <= val t * E (rnd (ref t - l))) by now apply Rmult_le_pos.
    cbn [val ref]. eapply Rle_trans. apply normal_rel. lra.
    unfold bound0. cbn [size mass]. rewrite S_INR. replace ((1 - u) * (l - l)) with 0 by ring. rewrite exp_0.
    assert (U := u_pos f). assert (T := tiny_pos f). assert (S1 := size_pos t). assert (M := mass_nonneg t l).
    set (n := INR (size t)) in *. set (P' := g (4 * S (size t) - 2)).
    assert (G : (1 + u) * g (4 * size t) <= P') by (change (g (S (4 * size t)) <= P'); apply g_mono; lia).
    assert (G0 := g_ge_1 (4 * size t)).
    set (Y := mass t l + (2 * n ^ 2 + n) * tiny) in *.
    assert (Y0 : 0 <= Y) by (unfold Y; apply Rplus_le_le_0_compat; auto; apply Rmult_le_pos; nra).
    apply Rle_trans with (P' * (Y + 1)).
    apply Rle_trans with ((1 + u) * g (4 * size t) * (Y + 1)). rewrite Rmult_assoc. apply Rmult_le_compat_l. lra. nra.
    apply Rmult_le_compat_r; lra.
    apply Rmult_le_compat_l. assert (X := g_ge_1 (4 * S (size t) - 2)). fold P' in X. lra. unfold Y.
    assert ((2 * n ^ 2 + n) * tiny <= 2 * (n + 1) ^ 2 * tiny) by (apply Rmult_le_compat_r; nra). lra.
Qed.

(* certificate.md, Lemma 1, any order with a running maximum - with the absolute term it needs *)
Theorem lemma1_any t : ok t -> wins t = 1%nat -> 
  ref t = win /\ 1 <= val t <= 1 + 2 * g (4 * size t) * (mass t win + 2 * INR (size t) ^ 2 * tiny).
Proof.
  induction t; intros H W; cbn [wins] in W; [discriminate| | | |].
  - cbn [ref val size mass]. split; auto. simpl INR. assert (T := tiny_pos f). assert (G := g_ge_1 (4 * 1)). nra.
  - cbn [ok] in H. destruct H as (Ha & Hb & Hm & Ra & Rb & Rw).
    assert (S1 := size_pos t1). assert (S2 := size_pos t2).
    assert (s1 : (1 <= size t1)%nat) by (apply INR_le; simpl; auto). assert (s2 : (1 <= size t2)%nat) by (apply
      INR_le; simpl; auto).
    assert (T := tiny_pos f).
    assert (Hid : forall t0, ok t0 -> ref t0 = m -> resc t0 m = val t0).
    { intros t0 H0 R0. unfold resc. rewrite R0, Rminus_diag_eq by auto.
      rewrite (rnd_id f 0) by apply number_0. rewrite (E_0 _ HE), Rmult_1_r. apply rnd_id. now apply val_basic. }
    assert (K : forall t0 t', ok t0 -> ok t' -> ref t' <= m -> 1 <= INR (size t') -> (1 <= size t0)%nat -> 1 <= INR
      (size t0) -> wins t' = O -> ref t0 = win -> ref t0 <= m ->
       1 <= val t0 <= 1 + 2 * g (4 * size t0) * (mass t0 win + 2 * INR (size t0) ^ 2 * tiny) ->
       m = win /\ number (resc t0 m) /\ number (resc t' m) /\ 1 <= rnd (resc t0 m + resc t' m) <= 1 + 2 * g (4 *
         (size t0 + size t')) * ((mass t0 win + mass t' win) + 2 * (INR (size t0) + INR (size t')) ^ 2 * tiny)).
    { intros t0 t' H0 H' R' Sz' Sz0 Sz0' W' Rt R0 [V1 V2].
      assert (m = win) by lra. subst m. rewrite (Hid t0 H0 Rt).
      destruct (val_basic t0 H0) as [N0 P0]. destruct (resc_basic t' win H' win_number R') as [N' [A' _]].
      assert (B' := resc_bound t' win H' win_number R' (run_losers t' H' W')).
      repeat split; auto.
      - eapply Rle_trans. apply V1. now apply add_ge_r.
      - eapply Rle_trans. apply add_le_r; auto. unfold bound1 in B'.
        assert (M0 := mass_nonneg t0 win). assert (M' := mass_nonneg t' win).
        set (n0 := INR (size t0)) in *. set (n' := INR (size t')) in *.
        set (P := g (4 * (size t0 + size t'))).
        assert (P1 : 1 <= P) by apply g_ge_1.
        assert (G0 : g (4 * size t0) <= P) by (apply g_mono; lia).
        assert (G' : g (4 * size t' + 1) <= P) by (apply g_mono; lia).
        assert (Q0 : 0 <= mass t0 win + 2 * n0 ^ 2 * tiny) by (apply Rplus_le_le_0_compat; auto; apply Rmult_le_pos;
          nra).
        assert (Q' : 0 <= mass t' win + (2 * n' ^ 2 + n' + 1) * tiny) by (apply Rplus_le_le_0_compat; auto; apply
          Rmult_le_pos; nra).
        assert (D0 : g (4 * size t0) * (mass t0 win + 2 * n0 ^ 2 * tiny) <= P * (mass t0 win + 2 * n0 ^ 2 * tiny)) by
          now apply Rmult_le_compat_r.
        assert (D' : g (4 * size t' + 1) * (mass t' win + (2 * n' ^ 2 + n' + 1) * tiny) <= P * (mass t' win + (2 * n'
          ^ 2 + n' + 1) * tiny)) by now apply Rmult_le_compat_r.
        assert (2 * n0 ^ 2 + (2 * n' ^ 2 + n' + 1) <= 2 * (n0 + n') ^ 2) by nra.
        assert (P * ((mass t0 win + 2 * n0 ^ 2 * tiny) + (mass t' win + (2 * n' ^ 2 + n' + 1) * tiny)) <= P * (mass
          t0 win + mass t' win + 2 * (n0 + n') ^ 2 * tiny)).
        { apply Rmult_le_compat_l. lra. nra. } lra. }
    cbn [val ref size mass]. rewrite plus_INR. fold (resc t1 m). fold (resc t2 m).
    destruct (Nat.eq_dec (wins t1) 0) as [Z|Z].
    + destruct (IHt2 Hb) as [R2 V2]; [lia|].
      destruct (K t2 t1) as (A & _ & _ & B); auto. split; auto.
      rewrite (Rplus_comm (resc t1 m)), (Nat.add_comm (size t1)), (Rplus_comm (mass t1 win)), (Rplus_comm (INR (size
        t1))). auto.
    + destruct (IHt1 Ha) as [R1 V1]; [lia|].
      destruct (K t1 t2) as (A & _ & _ & B); auto. lia.
  - exfalso. cbn [ok] in H. destruct H as (Ha & Hm & Ra & Rl). destruct (IHt Ha W) as [R1 _].
    lra.
  - assert (W0 : wins t = O) by lia. cbn [ok] in H.
    assert (B := prod_bound t win H win_number (ref_le _ H) (run_losers t H W0)).
    destruct (val_basic t H) as [_ P]. destruct (E_bound (ref t) win (ref_number _ H) win_number (ref_le _ H)) as ([A
      _] & _ & _).
    assert (Z : 0 <= val t * E (rnd (ref t - win))) by now apply Rmult_le_pos.
    cbn [val ref size mass]. split; auto. split. apply add_ge_l; auto. apply number_1.
    eapply Rle_trans. apply add_le_l; auto. apply number_1. rewrite S_INR.
    assert (T := tiny_pos f). assert (S1 := size_pos t). assert (M := mass_nonneg t win).
    set (n := INR (size t)) in *.
    assert (G : g (4 * size t) <= g (4 * S (size t))) by (apply g_mono; lia). assert (G0 := g_ge_1 (4 * size t)).
    set (Y := mass t win + (2 * n ^ 2 + n) * tiny) in *.
    assert (Y0 : 0 <= Y) by (unfold Y; apply Rplus_le_le_0_compat; auto; apply Rmult_le_pos; nra).
    assert (g (4 * size t) * Y <= g (4 * S (size t)) * (mass t win + 2 * (n + 1) ^ 2 * tiny)).
    { assert ((2 * n ^ 2 + n) * tiny <= 2 * (n + 1) ^ 2 * tiny) by (apply Rmult_le_compat_r; nra).
      apply Rmult_le_compat; try lra. unfold Y; lra. } lra.
Qed.

(* ---- numerators: the same tree with Boolean values; pointwise below the denominator ---- *)
Inductive nums : run -> R -> Prop :=
  | n_key l m (b : bool) : nums (Key l m) (if b then E (rnd (l - m)) else 0)
  | n_win (b : bool) : nums Win (if b then 1 else 0)
  | n_join a b m x y : nums a x -> nums b y ->
      nums (Join a b m) (rnd (rnd (x * E (rnd (ref a - m))) + rnd (y * E (rnd (ref b - m)))))
  | n_top a l (b : bool) x : nums a x -> nums (Top a l) (rnd (x * E (rnd (ref a - l)) + (if b then 1 else 0)))
  | n_topwin a (b : bool) x : nums a x -> nums (TopWin a) (rnd (x * E (rnd (ref a - win)) + (if b then 1 else 0))).

Lemma scaled_le t m x : ok t -> number m -> ref t <= m -> 0 <= x <= val t ->
  0 <= x * E (rnd (ref t - m)) <= val t * E (rnd (ref t - m)).
Proof.
  intros H Hm R [X1 X2]. destruct (E_bound (ref t) m (ref_number _ H) Hm R) as ([A _] & _ & _).
  split. now apply Rmult_le_pos. now apply Rmult_le_compat_r.
Qed.
Theorem numerator_le t x : ok t -> nums t x -> 0 <= x <= val t.
Proof.
  intros H Hn. induction Hn; cbn [ok] in H; cbn [val].
  - destruct (E_bound l m) as ([A _] & _); try tauto. destruct b; lra.
  - destruct b; lra.
  - destruct H as (Ha & Hb & Hm & Ra & Rb & _).
    destruct (scaled_le a m x Ha Hm Ra (IHHn1 Ha)) as [A1 A2]. destruct (scaled_le b m y Hb Hm Rb (IHHn2 Hb)) as [B1
      B2].
    split.
    + apply rnd_ge. apply number_0. apply Rplus_le_le_0_compat; apply rnd_ge; auto; apply number_0.
    + apply rnd_le. apply Rplus_le_compat; now apply rnd_le.
  - destruct H as (Ha & Hm & Ra). assert (R1 : ref a <= l) by lra. destruct (scaled_le a l x Ha Hm R1 (IHHn Ha)) as
    [A1 A2].
    split. apply rnd_ge. apply number_0. destruct b; lra. apply rnd_le. destruct b; lra.
  - destruct (scaled_le a win x H win_number (ref_le _ H) (IHHn H)) as [A1 A2].
    split. apply rnd_ge. apply number_0. destruct b; lra. apply rnd_le. destruct b; lra.
Qed.
(* so with Boolean values and one format a head's output is in [0,1], not only in [0, 1 + D] *)
Corollary output_in_unit t x : ok t -> wins t = 1%nat -> nums t x -> 0 <= rnd (x / val t) <= 1.
Proof.
  intros H W Hn. destruct (lemma1_any t H W) as [_ [V _]]. destruct (numerator_le t x H Hn) as [X1 X2].
  assert (I : 0 < / val t) by (apply Rinv_0_lt_compat; lra). assert (N1 := number_1 f).
  split. apply rnd_ge. apply number_0. apply Rmult_le_pos; lra.
  apply rnd_le_number; auto. apply Rmult_le_reg_r with (val t). lra. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
    lra.
Qed.
End S.
