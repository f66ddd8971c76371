(* Strings, formulas, semantics; channel programs (soft transformers with one channel per value);
   the theorem over the reals, proved here for the fragment Sym, Neg, Conj, Since. *)
From Coq Require Import ZArith Reals Lia Lra Psatz List Bool Arith.
From Temper Require Import Rows.
Import ListNotations.
Local Open Scope R_scope.

Section L.
Variable A : Type.

(* ---- strings: positions 0 .. N-1; 0 and n+1 are sentinels ---- *)
Definition N (w : list A) := (length w + 2)%nat.
Definition at_ (w : list A) (i : nat) : option A := match i with O => None | S k => nth_error w k end.
Definition letter w i := match at_ w i with Some _ => true | None => false end.

(* ---- formulas ---- *)
Inductive dir := Past | Future.                          (* j <= i, j >= i *)
Inductive form :=
  | Sym (p : A -> bool) | Neg (a : form) | Conj (a b : form)
  | Since (a b : form) | Until (a b : form) | Prev (a : form) | Next (a : form)
  | AtLeast (s : lin)                                    (* s >= 0 *)
  | Modulo (s : lin) (m : nat) (res : nat)                 (* s mod m = r, 0 < m *)
with lin := Const (b : Z) | Plus (k : Z) (d : dir) (a : form) (s : lin).

Definition pos (w : list A) := seq 1 (length w).                    (* letters only *)
Definition past w i := filter (fun j => Nat.leb j i) (pos w).
Definition future w i := filter (fun j => Nat.leb i j) (pos w).
Definition range w d i := match d with Past => past w i | Future => future w i end.

Fixpoint sat w (f : form) (i : nat) {struct f} : bool := match f with
  | Sym p => match at_ w i with Some a => p a | None => false end
  | Neg a => letter w i && negb (sat w a i)
  | Conj a b => sat w a i && sat w b i
  | Since a b => letter w i && existsb (fun j => sat w b j && forallb (fun k => sat w a k) (filter (fun k => Nat.ltb j k) (past w i))) (past w i)
  | Until a b => letter w i && existsb (fun j => sat w b j && forallb (fun k => sat w a k) (filter (fun k => Nat.ltb k j) (future w i))) (future w i)
  | Prev a => letter w i && sat w a (i - 1)
  | Next a => letter w i && sat w a (i + 1)
  | AtLeast s => letter w i && Z.leb 0 (eval_lin w s i)
  | Modulo s m r => letter w i && Z.eqb (Z.modulo (eval_lin w s i) (Z.of_nat m)) (Z.of_nat r)
  end
with eval_lin w (s : lin) (i : nat) {struct s} : Z := match s with
  | Const b => b
  | Plus k d a s' => (k * Z.of_nat (length (filter (fun j => sat w a j) (range w d i))) + eval_lin w s' i)%Z
  end.
Definition truth w f i : R := if sat w f i then 1 else 0.

(* ---- channel programs ---- *)
Definition row := list (R * nat).                        (* weight, channel *)
Inductive mask := All | Before | UpTo | After | From.
Definition allowed m i j := match m with All => true | Before => Nat.ltb j i | UpTo => Nat.leb j i
                            | After => Nat.ltb i j | From => Nat.leb i j end.
Inductive def :=
  | Letter (p : A -> bool)                               (* embedding of letters, 0 on sentinels *)
  | Feature (g : nat -> nat -> R)                        (* position i, N: no letter *)
  | Head (m : mask) (scale : nat -> R) (qk : list (row * row)) (v : row)
  | Net (units : list (R * row * R)).                    (* out, row, bias *)
Definition relu x := Rmax 0 x.
Definition env := list (nat -> R).
Definition chan (e : env) (c i : nat) : R := nth c e (fun _ => 0) i.
Definition row_at (e : env) (r : row) i := sum (fun t => fst t * chan e (snd t) i) r.
Definition keys w m i := filter (allowed m i) (seq 0 (N w)).
Definition eval_def w (e : env) (d : def) (i : nat) : R := match d with
  | Letter p => match at_ w i with Some a => if p a then 1 else 0 | None => 0 end
  | Feature g => g i (N w)
  | Head m sc qk v => output (fun j => sc (N w) * sum (fun t => row_at e (fst t) i * row_at e (snd t) j) qk)
                             (fun j => row_at e v j) (keys w m i)
  | Net us => sum (fun t => fst (fst t) * relu (row_at e (snd (fst t)) i + snd t)) us end.
Fixpoint run_from w (e : env) (p : list def) : env := match p with [] => e | d :: r => run_from w (e ++ [eval_def w e d]) r end.
Definition run w p := run_from w [] p.

Lemma run_app w p q : run w (p ++ q) = run_from w (run w p) q.
Proof. unfold run. generalize (@nil (nat -> R)). induction p; simpl; auto. Qed.
Lemma run_from_length w p : forall e, length (run_from w e p) = (length e + length p)%nat.
Proof. induction p; simpl; intros; [lia|]. rewrite IHp, app_length. simpl. lia. Qed.
Lemma run_length w p : length (run w p) = length p.
Proof. apply run_from_length. Qed.
Lemma run_from_keep w q : forall e c i, (c < length e)%nat -> chan (run_from w e q) c i = chan e c i.
Proof.
  induction q; simpl; intros; auto. rewrite IHq by (rewrite app_length; lia).
  unfold chan. now rewrite app_nth1.
Qed.
Lemma run_keep w p q c i : (c < length p)%nat -> chan (run w (p ++ q)) c i = chan (run w p) c i.
Proof. intros. rewrite run_app. apply run_from_keep. now rewrite run_length. Qed.
Lemma run_new w p d i : chan (run w (p ++ [d])) (length p) i = eval_def w (run w p) d i.
Proof. rewrite run_app. simpl. unfold chan. rewrite app_nth2 by (rewrite run_length; lia). now rewrite run_length, Nat.sub_diag. Qed.

Definition kappa := 8.
Definition base : list def := [Letter (fun _ => true); Feature (fun i n => INR i / INR n); Feature (fun _ _ => 1)].
Definition real w i : R := if letter w i then 1 else 0.

(* ---- one nearest head, over the reals ---- *)
Section Nearest.
Variables (n : nat) (K : list nat) (c v : nat -> R) (js : nat).
Hypothesis Knd : NoDup K.
Hypothesis Kn : forall j, In j K -> (j < n)%nat.
Hypothesis cB : forall j, In j K -> c j = 0 \/ c j = 1.
Hypothesis vB : forall j, In j K -> 0 <= v j <= 1.
Let s j := kappa * INR n * c j + kappa * INR j.
Hypothesis jsK : In js K.
Hypothesis jsc : c js = 1.
Hypothesis rightmost : forall j, In j K -> c j = 1 -> (j <= js)%nat.
Let T j := Nat.eqb j js.
Let losers := filter (fun j => negb (T j)) K.
Let d j := if Req_EM_T (c j) 1 then (js - j)%nat else (n + js - j)%nat.

Lemma filter_one : filter T K = [js].
Proof.
  assert (H : forall K', NoDup K' -> (In js K' -> filter T K' = [js]) /\ (~ In js K' -> filter T K' = [])).
  { clear. induction K'; intros H. split; [intros []|auto]. inversion H; subst. destruct (IHK' H3) as [I1 I2].
    unfold T in *. simpl. destruct (Nat.eqb_spec a js).
    - subst. split; intros; [rewrite I2; auto| exfalso; apply H0; now left].
    - split; intros. apply I1. destruct H0; [congruence|auto]. apply I2. tauto. }
  now apply H.
Qed.
Lemma nearest_leak : leak s (s js) T K <= exp (- kappa) / (1 - exp (- kappa)).
Proof.
  unfold leak. fold losers.
  rewrite (sum_ext _ (fun j => exp (- (s js - s j)))) by (intros; f_equal; lra).
  apply (distinct_gaps kappa (fun j => s js - s j) d losers).
  - unfold kappa; lra.
  - assert (inj : forall x y, In x losers -> In y losers -> d x = d y -> x = y).
    { intros x y Hx Hy. apply filter_In in Hx, Hy. destruct Hx as [Hx _], Hy as [Hy _]. 
      assert (X := Kn x Hx). assert (Y := Kn y Hy). assert (Z := Kn js jsK). unfold d.
      destruct (Req_EM_T (c x) 1) as [c1|c1], (Req_EM_T (c y) 1) as [c2|c2];
      try (assert (x <= js)%nat by auto); try (assert (y <= js)%nat by auto); lia. }
    assert (nd : NoDup losers) by now apply NoDup_filter.
    clear - inj nd. induction losers as [|a l IH]; simpl; constructor; inversion nd; subst.
    + intro H. apply in_map_iff in H. destruct H as (x & E & Hx). apply H1.
      rewrite (inj a x); simpl; auto.
    + apply IH; auto. intros; apply inj; simpl; auto.
  - intros j Hj. apply filter_In in Hj. destruct Hj as [Hj Hne]. unfold T in Hne.
    assert (j <> js) by (intro; subst; rewrite Nat.eqb_refl in Hne; discriminate).
    assert (J := Kn j Hj). unfold d. destruct (Req_EM_T (c j) 1). assert (j <= js)%nat by auto. lia. lia.
  - intros j Hj. apply filter_In in Hj. destruct Hj as [Hj _]. assert (J := Kn j Hj).
    unfold s, d. rewrite jsc. destruct (Req_EM_T (c j) 1) as [e|e].
    + rewrite e. assert (j <= js)%nat by auto. rewrite minus_INR by auto. lra.
    + destruct (cB j Hj) as [e0|]; [|contradiction]. rewrite e0, minus_INR, plus_INR by lia. lra.
Qed.
Theorem nearest_error : Rabs (output s v K - v js) <= exp (- kappa).
Proof.
  assert (Top : forall j, In j K -> T j = true -> s j = s js).
  { intros j _ H. apply Nat.eqb_eq in H. now subst. }
  assert (St : (0 < length (filter T K))%nat) by (rewrite filter_one; simpl; lia).
  assert (TV := softmax_total_variation s (s js) T K Top St).
  rewrite filter_one in TV. simpl (INR (length [js])) in TV.
  assert (Q : 0 <= exp (- kappa) < 1).
  { split. left; apply exp_pos. rewrite <- exp_0. apply exp_increasing. unfold kappa; lra. }
  assert (L0 : 0 <= leak s (s js) T K) by (apply sum_nonneg; intros; left; apply exp_pos).
  assert (B := leak_share _ _ L0 Q nearest_leak). rewrite <- TV in B.
  assert (O : output s v K = sum (fun j => weight s K j * v j) K) by (destruct K; auto; destruct jsK).
  assert (Z : 0 < sum (fun k => exp (s k)) K).
  { clear - jsK. clear - jsK. revert jsK. generalize K. induction K0; simpl; intros [].
    assert (0 <= sum (fun k => exp (s k)) K0) by (apply sum_nonneg; intros; left; apply exp_pos). generalize (exp_pos (s a)); lra.
    generalize (exp_pos (s a)) (IHK0 H); lra. }
  assert (m1 : sum (weight s K) K = 1).
  { unfold weight. rewrite (sum_ext _ (fun j => / sum (fun k => exp (s k)) K * exp (s j))) by (intros; unfold Rdiv; ring).
    rewrite sum_scal. field. lra. }
  assert (hs : forall h, sum (fun j => hard_weight T K j * h j) K = h js).
  { intros h. rewrite (sum_split T). rewrite filter_one. cbn [sum].
    rewrite (sum_ext _ (fun _ => 0) (filter (fun x => negb (T x)) K)).
    rewrite sum_const. unfold hard_weight. rewrite filter_one. unfold T. rewrite Nat.eqb_refl. simpl. field.
    intros x Hx. apply filter_In in Hx. destruct Hx as [_ Hx]. unfold hard_weight. destruct (T x); [discriminate|]. ring. }
  assert (m2 : sum (hard_weight T K) K = 1).
  { rewrite <- (hs (fun _ => 1)). apply sum_ext. intros; ring. }
  rewrite O. rewrite <- (hs v). eapply Rle_trans; [|apply B]. apply tv_bounds; auto. congruence.
Qed.
End Nearest.

(* ---- the theorem, for a fragment ---- *)
Lemma letter_iff w i : letter w i = true <-> (1 <= i <= length w)%nat.
Proof.
  unfold letter, at_. destruct i. split; [discriminate|lia].
  destruct (nth_error w i) eqn:E. split; auto. assert (i < length w)%nat by (apply nth_error_Some; congruence). lia.
  split; [discriminate|]. intros. apply nth_error_None in E. lia.
Qed.
Lemma sat_letter w f i : sat w f i = true -> letter w i = true.
Proof.
  induction f; simpl; intros H; try (apply andb_prop in H; tauto).
  unfold letter. destruct (at_ w i); auto.
Qed.
Lemma truth_sentinel w f i : letter w i = false -> truth w f i = 0.
Proof. unfold truth. destruct (sat w f i) eqn:E; auto. apply sat_letter in E. congruence. Qed.

Fixpoint fragment f := match f with Sym _ => True | Neg a => fragment a | Conj a b => fragment a /\ fragment b
  | Since a b => fragment a /\ fragment b | _ => False end.
Definition computes p c f := forall w i, (i < N w)%nat -> chan (run w p) c i = truth w f i.

Lemma base_real w r i : chan (run w (base ++ r)) 0 i = real w i.
Proof. rewrite run_keep by (simpl; lia). simpl. unfold chan, real, letter. simpl. destruct (at_ w i); auto. Qed.
Lemma base_pos w r i : chan (run w (base ++ r)) 1 i = INR i / INR (N w).
Proof. rewrite run_keep by (simpl; lia). reflexivity. Qed.
Lemma base_one w r i : chan (run w (base ++ r)) 2 i = 1.
Proof. rewrite run_keep by (simpl; lia). reflexivity. Qed.

Lemma relu_pos x : 0 <= x -> relu x = x. Proof. apply Rmax_right. Qed.
Lemma relu_neg x : x <= 0 -> relu x = 0. Proof. apply Rmax_left. Qed.

Lemma output_ext s s' v v' K : (forall j, In j K -> s j = s' j) -> (forall j, In j K -> v j = v' j) -> output s v K = output s' v' K.
Proof.
  intros Hs Hv. unfold output, weight.
  assert (E : sum (fun k => exp (s k)) K = sum (fun k => exp (s' k)) K) by (apply sum_ext; intros; now rewrite Hs).
  destruct K; auto. rewrite E. apply sum_ext. intros x Hx. now rewrite Hs, Hv.
Qed.
Lemma output_zero s v K : (forall j, In j K -> v j = 0) -> output s v K = 0.
Proof.
  intros H. unfold output. destruct K; auto. rewrite (sum_ext _ (fun _ => 0)). rewrite sum_const; ring.
  intros x Hx. rewrite (H x Hx). ring.
Qed.
Lemma greatest (p : nat -> bool) K : (forall j, In j K -> p j = false) \/
  exists js, In js K /\ p js = true /\ forall j, In j K -> p j = true -> (j <= js)%nat.
Proof.
  induction K as [|a K IH]. left; intros j [].
  destruct IH as [IH|(js & H1 & H2 & H3)].
  - destruct (p a) eqn:E. right. exists a. split; [now left|]. split; auto. intros j [->|Hj] Hp; auto. rewrite IH in Hp; auto; discriminate.
    left. intros j [<-|Hj]; auto.
  - right. destruct (p a) eqn:E; [destruct (le_lt_dec a js)|].
    + exists js. split; [now right|]. split; auto. intros j [<-|Hj]; auto.
    + exists a. split; [now left|]. split; auto. intros j [<-|Hj] Hp; auto. specialize (H3 j Hj Hp). lia.
    + exists js. split; [now right|]. split; auto. intros j [<-|Hj] Hp; auto. congruence.
Qed.

(* theory.md section 3: since is the value at the rightmost candidate *)
Definition cand w a b j := letter w j && (sat w b j || negb (sat w a j)).
Lemma in_past w i j : In j (past w i) <-> (letter w j = true /\ (j <= i)%nat).
Proof. unfold past, pos. rewrite filter_In, in_seq, Nat.leb_le, letter_iff. lia. Qed.
Lemma since_rightmost w a b i js : letter w i = true -> (js <= i)%nat -> cand w a b js = true ->
  (forall j, (j <= i)%nat -> cand w a b j = true -> (j <= js)%nat) -> sat w (Since a b) i = sat w b js.
Proof.
  intros Li Hle Hc Hm. simpl. rewrite Li. simpl.
  assert (Lj : letter w js = true) by (unfold cand in Hc; apply andb_prop in Hc; tauto).
  apply eq_true_iff_eq. rewrite existsb_exists. split.
  - intros (j & Hj & H). apply andb_prop in H. destruct H as [Hb Ha]. apply in_past in Hj. destruct Hj as [Lj' Hj].
    assert (j <= js)%nat. { apply Hm; auto. unfold cand. now rewrite Lj', Hb. }
    destruct (Nat.eq_dec j js); [now subst|]. rewrite forallb_forall in Ha.
    assert (sat w a js = true). { apply Ha. apply filter_In. split. apply in_past; auto. apply Nat.ltb_lt. lia. }
    unfold cand in Hc. rewrite Lj, H0 in Hc. simpl in Hc. now rewrite orb_false_r in Hc.
  - intros Hb. exists js. split. apply in_past; auto. rewrite Hb. simpl. rewrite forallb_forall. intros k Hk.
    apply filter_In in Hk. destruct Hk as [Hk Hlt]. apply in_past in Hk. destruct Hk as [Lk Hk]. apply Nat.ltb_lt in Hlt.
    destruct (sat w a k) eqn:E; auto. assert (k <= js)%nat; [|lia]. apply Hm; auto. unfold cand. now rewrite Lk, E, orb_true_r.
Qed.
Lemma since_none w a b i : (forall j, (j <= i)%nat -> cand w a b j = false) -> sat w (Since a b) i = false.
Proof.
  intros H. simpl. destruct (letter w i) eqn:Li; auto. simpl. apply not_true_is_false. rewrite existsb_exists.
  intros (j & Hj & X). apply andb_prop in X. destruct X as [Hb _]. apply in_past in Hj. destruct Hj as [Lj Hj].
  specialize (H j Hj). unfold cand in H. rewrite Lj, Hb in H. discriminate.
Qed.

Lemma quarter : exp (- kappa) <= / 4.
Proof.
  unfold kappa. rewrite exp_Ropp. apply Rinv_le_contravar. lra.
  generalize (exp_ineq1 8). intros. lra.
Qed.

Theorem soft_transformer f : fragment f -> forall r, exists q c, (c < length (base ++ r ++ q))%nat /\ computes (base ++ r ++ q) c f.
Proof.
  induction f; cbn [fragment]; intros F r; try tauto.
  - exists [Letter p], (length (base ++ r)). split. rewrite !app_length. simpl. lia.
    intros w i Hi. rewrite app_assoc, run_new. simpl. unfold truth. simpl. destruct (at_ w i); auto.
  - destruct (IHf F r) as (q & c & Hc & H). exists (q ++ [Net [(1, [(1, 0%nat); (-1, c)], 0)]]), (length (base ++ r ++ q)).
    split. rewrite !app_length. simpl. lia.
    intros w i Hi. rewrite (app_assoc r), (app_assoc base (r ++ q)), run_new. cbn [eval_def row_at sum fst snd].
    unfold row_at. cbn [sum fst snd]. rewrite base_real, (H w i Hi). unfold real, truth. cbn [sat].
    destruct (letter w i) eqn:L; simpl.
    + destruct (sat w f i); simpl. rewrite relu_neg; lra. rewrite relu_pos; lra.
    + destruct (sat w f i) eqn:E. apply sat_letter in E; congruence. rewrite relu_neg; lra.
  - destruct F as [F1 F2]. destruct (IHf1 F1 r) as (q1 & c1 & Hc1 & H1). destruct (IHf2 F2 (r ++ q1)) as (q2 & c2 & Hc2 & H2).
    exists (q1 ++ q2 ++ [Net [(1, [(1, c1); (1, c2); (-1, 0%nat)], 0)]]), (length (base ++ (r ++ q1) ++ q2)).
    split. rewrite !app_length. simpl. lia.
    intros w i Hi. replace (base ++ r ++ q1 ++ q2 ++ [Net [(1, [(1, c1); (1, c2); (-1, 0%nat)], 0)]]) with ((base ++ (r ++ q1) ++ q2) ++ [Net [(1, [(1, c1); (1, c2); (-1, 0%nat)], 0)]]) by (now rewrite <- !app_assoc).
    rewrite run_new. cbn [eval_def]. unfold row_at. cbn [sum fst snd]. rewrite base_real, (H2 w i Hi).
    replace (chan (run w (base ++ (r ++ q1) ++ q2)) c1 i) with (truth w f1 i).
    2:{ rewrite <- (H1 w i Hi). rewrite (app_assoc base (r ++ q1) q2). rewrite (run_keep w (base ++ r ++ q1) q2); auto. }
    unfold truth, real. cbn [sat]. destruct (letter w i) eqn:L.
    + destruct (sat w f1 i), (sat w f2 i); simpl; first [rewrite relu_neg by lra; lra | rewrite relu_pos by lra; lra].
    + destruct (sat w f1 i) eqn:E1. apply sat_letter in E1; congruence. destruct (sat w f2 i) eqn:E2. apply sat_letter in E2; congruence.
      simpl. rewrite relu_neg; lra.
  - destruct F as [F1 F2]. destruct (IHf1 F1 r) as (q1 & c1 & Hc1 & H1). destruct (IHf2 F2 (r ++ q1)) as (q2 & c2 & Hc2 & H2).
    set (P0 := base ++ (r ++ q1) ++ q2).
    set (D := Net [(1, [(1, c1); (-1, c2)], 0)]).
    set (Hd := Head UpTo (fun n => kappa * INR n) [([(1, 2%nat)], [(1, 0%nat); (-1, length P0); (1, 1%nat)])] [(1, c2)]).
    set (G := Net [(1, [(2, S (length P0)); (2, 0%nat)], - (5/2)); (-1, [(2, S (length P0)); (2, 0%nat)], - (7/2))]).
    exists (q1 ++ q2 ++ [D; Hd; G]), (S (S (length P0))).
    assert (EP : base ++ r ++ q1 ++ q2 ++ [D; Hd; G] = ((P0 ++ [D]) ++ [Hd]) ++ [G]) by (unfold P0; now rewrite <- !app_assoc).
    rewrite EP. split. rewrite !app_length. simpl. lia.
    intros w i Hi.
    assert (V1 : forall j, (j < N w)%nat -> chan (run w P0) c1 j = truth w f1 j).
    { intros j Hj. rewrite <- (H1 w j Hj). unfold P0. rewrite (app_assoc base (r ++ q1) q2), (run_keep w (base ++ r ++ q1) q2); auto. }
    assert (V2 : forall j, (j < N w)%nat -> chan (run w P0) c2 j = truth w f2 j) by (intros; now apply H2).
    assert (EB : forall X, exists Y, P0 ++ X = base ++ Y) by (intros X; exists (((r ++ q1) ++ q2) ++ X); unfold P0; now rewrite <- app_assoc).
    assert (lenD : length (P0 ++ [D]) = S (length P0)) by (rewrite app_length; simpl; lia).
    assert (lenH : length ((P0 ++ [D]) ++ [Hd]) = S (S (length P0))) by (rewrite app_length, lenD; simpl; lia).
    rewrite <- lenH, run_new. unfold G at 1. cbn [eval_def]. unfold row_at. cbn [sum fst snd].
    rewrite <- lenD, run_new.
    replace (chan (run w ((P0 ++ [D]) ++ [Hd])) 0 i) with (real w i).
    2:{ rewrite <- app_assoc. destruct (EB ([D] ++ [Hd])) as [Y ->]. now rewrite base_real. }
    (* the head *)
    set (a := eval_def w (run w (P0 ++ [D])) Hd i).
    set (cj := fun j => if cand w f1 f2 j then 1 else 0).
    assert (DJ : forall j, (j < N w)%nat -> chan (run w (P0 ++ [D])) (length P0) j = real w j - cj j).
    { intros j Hj. rewrite run_new. unfold D. cbn [eval_def]. unfold row_at. cbn [sum fst snd]. rewrite V1, V2 by auto.
      unfold cj, cand, truth, real. destruct (letter w j) eqn:L; simpl.
      destruct (sat w f1 j), (sat w f2 j); simpl; first [rewrite relu_neg by lra; lra | rewrite relu_pos by lra; lra].
      destruct (sat w f1 j) eqn:X1. apply sat_letter in X1; congruence. destruct (sat w f2 j) eqn:X2. apply sat_letter in X2; congruence.
      rewrite relu_neg; lra. }
    assert (Kin : forall j, In j (keys w UpTo i) <-> (j <= i /\ j < N w)%nat).
    { intros j. unfold keys. rewrite filter_In, in_seq. simpl. rewrite Nat.leb_le. lia. }
    assert (Ea : a = output (fun j => kappa * INR (N w) * cj j + kappa * INR j) (truth w f2) (keys w UpTo i)).
    { unfold a, Hd. cbn [eval_def]. apply output_ext; intros j Hj; apply Kin in Hj; destruct Hj as [Hji HjN]; unfold row_at; cbn [sum fst snd].
      - rewrite DJ by auto. destruct (EB [D]) as [Y ->]. rewrite base_real, base_pos, base_one.
        assert (INR (N w) <> 0) by (apply not_0_INR; unfold N; lia). field. auto.
      - rewrite run_keep by exact Hc2. rewrite V2 by auto. ring. }
    clearbody a. clear DJ.
    destruct (greatest (cand w f1 f2) (keys w UpTo i)) as [None_|(js & J1 & J2 & J3)].
    + (* no candidate: the row gives 0 *)
      assert (a = 0).
      { rewrite Ea. apply output_zero. intros j Hj. specialize (None_ j Hj). unfold truth. destruct (sat w f2 j) eqn:X; auto.
        unfold cand in None_. rewrite X, (sat_letter _ _ _ X) in None_. discriminate. }
      assert (sat w (Since f1 f2) i = false). { apply since_none. intros j Hj. apply None_, Kin. lia. }
      unfold truth. rewrite H0, H. unfold real. destruct (letter w i); rewrite !relu_neg by lra; lra.
    + assert (Er : Rabs (a - truth w f2 js) <= / 4).
      { eapply Rle_trans; [|apply quarter]. rewrite Ea. apply (nearest_error (N w) (keys w UpTo i) cj (truth w f2) js).
        - apply NoDup_filter, seq_NoDup.
        - intros j Hj. now apply Kin in Hj.
        - intros j _. unfold cj. destruct (cand w f1 f2 j); auto.
        - intros j _. unfold truth. destruct (sat w f2 j); lra.
        - auto.
        - unfold cj. now rewrite J2.
        - intros j Hj. unfold cj. destruct (cand w f1 f2 j) eqn:X; auto. intros; lra. }
      assert (Er' : - / 4 <= a - truth w f2 js <= / 4) by (revert Er; unfold Rabs; destruct Rcase_abs; lra). clear Er. apply Kin in J1. destruct J1 as [J1 _]. unfold real. destruct (letter w i) eqn:L.
      * assert (S_ : sat w (Since f1 f2) i = sat w f2 js). { apply since_rightmost; auto. intros j Hj. apply J3, Kin. lia. }
        unfold truth in *. rewrite S_. destruct (sat w f2 js).
        rewrite !relu_pos by lra. lra. rewrite !relu_neg by lra. lra.
      * rewrite truth_sentinel by auto. assert (truth w f2 js <= 1) by (unfold truth; destruct (sat w f2 js); lra).
        rewrite !relu_neg by lra. lra.
Qed.

(* what a reader wants: one program, all strings, all letters *)
Corollary soft_transformer_all f : fragment f -> exists p c, forall w i, (1 <= i <= length w)%nat ->
  chan (run w p) c i = if sat w f i then 1 else 0.
Proof.
  intros F. destruct (soft_transformer f F []) as (q & c & _ & H). exists (base ++ [] ++ q), c.
  intros w i Hi. apply H. unfold N. lia.
Qed.
End L.
