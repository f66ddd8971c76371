(* doc/numerics.md: the scan of a softmax row with a running maximum, as a function, is among the runs of FloatRun.v
  in any
   order. (The dense kernel, which knows the maximum first, is the function of float_run_exists.)

   scan           one pass over the keys: largest logit so far, sum of weights, sum of values. A new maximum rescales
     both sums
                  and adds its own key in one fused operation
   scan_covered   its quotient is one that softmax_row allows *)
From Coq Require Import ZArith Reals Lia Lra List Bool Arith Permutation.
From Flocq Require Import Core.
From Temper Require Import Rows Format Sums Nearest NearestAny Strings Programs FloatRun.
Import ListNotations.
Local Open Scope R_scope.

Section Scan.
Variables fs fa : format.
Variable E : R -> R.
Hypothesis HE : exp_model fa E.
Variables (logit v : nat -> R).
Hypothesis logit_number : forall j, number fa (logit j).
Hypothesis v_number : forall j, number fa (v j).
Notation rnd := (rnd fa).

(* the key with the largest logit so far, the first one of equal ones; both sums *)
Definition step (st : nat * R * R) (j : nat) : nat * R * R := let '(c, s, x) := st in
  if Rlt_dec (logit c) (logit j)
  then (j, rnd (s * E (rnd (logit c - logit j)) + 1), rnd (x * E (rnd (logit c - logit j)) + v j))
  else (c, rnd (s + E (rnd (logit j - logit c))), rnd (x + rnd (E (rnd (logit j - logit c)) * v j))).
Definition scan (k : nat) (rest : list nat) : nat * R * R := fold_left step rest (k, 1, v k).

Lemma E_self y : E (rnd (y - y)) = 1.
Proof. rewrite Rminus_diag_eq, rnd_id by (auto; apply number_0). apply (E_0 _ _ HE). Qed.
(* a reference is at least every logit that went into its sum *)
Lemma ref_top win L o t x : ok fa win t -> summed fa E logit v win L o t x -> o = None -> forall i, In i L -> logit i
  <= ref win
  t.
Proof.
  intros Ok S. induction S; intros Eo i Hi; cbn [ok ref] in *; try discriminate.
  - destruct Hi as [<-|[]]. lra.
  - destruct Ok as (Oa & Ob & _ & Ra & Rb & _). apply in_app_or in Hi. destruct Hi as [Hi|Hi].
    specialize (IHS1 Oa Eo i Hi). lra. specialize (IHS2 Ob eq_refl i Hi). lra.
  - destruct Ok as (Oa & Ob & _ & Ra & Rb & _). apply in_app_or in Hi. destruct Hi as [Hi|Hi].
    specialize (IHS1 Oa eq_refl i Hi). lra. specialize (IHS2 Ob Eo i Hi). lra.
  - destruct Ok as (Oa & _ & Rl). destruct Hi as [<-|Hi]. lra. specialize (IHS Oa Eo i Hi). lra.
Qed.
Section Row.
Variables (K : list nat) (js : nat).
Notation win := (logit js).
Hypothesis top : forall j, In j K -> logit j <= win.
Hypothesis js_in : In js K.
(* what is known after some keys: P, the keys; c, the key of the largest logit *)
Definition state P c s x : Prop := In c P /\ (forall j, In j P -> In j K) /\ number fa s /\ number fa x /\
  exists L t, ok fa win t /\ refs (fun m => exists j, In j K /\ m = logit j) t /\ ref win t = logit c /\ val fa E win
    t = s /\
    if Nat.eqb c js then Permutation (js :: L) P /\ summed fa E logit v win L (Some js) t x
    else logit c < win /\ Permutation L P /\ summed fa E logit v win L None t x.
Lemma start k : In k K -> k = js \/ logit k < win -> state [k] k 1 (v k).
Proof.
  intros Hk Hw. split. now left. split. intros j [<-|[]]; auto. split. apply number_1. split; auto.
  destruct (Nat.eqb_spec k js) as [->|Ne].
  - exists [], Win. cbn. repeat split; auto. constructor. reflexivity.
  - destruct Hw as [->|Lt]; [contradiction|]. exists [k], (Key (logit k) (logit k)). cbn [ok refs ref val].
    repeat split; auto; try lra; try (apply logit_number). exists k; auto. apply E_self.
    assert (X : rnd (E (rnd (logit k - logit k)) * v k) = v k) by (rewrite E_self, Rmult_1_l; now apply rnd_id).
    rewrite <- X. constructor.
Qed.
Lemma advance P c s x j : state P c s x -> In j K -> ~ In j P -> j = js \/ logit j < win \/ In js P ->
  let '(c', s', x') := step (c, s, x) j in state (P ++ [j]) c' s' x'.
Proof.
  intros (Ic & IP & Ns & Nx & L & t & Ok & Rf & Rt & Vt & T) Hj Nj Hw. unfold step.
  assert (IP' : forall i, In i (P ++ [j]) -> In i K) by (intros i Hi; apply in_app_or in Hi; destruct Hi as
    [Hi|[<-|[]]]; auto).
  assert (Pm : forall l, Permutation l P -> Permutation (j :: l) (P ++ [j])).
  { intros l Hl. eapply perm_trans; [apply perm_skip, Hl|]. apply Permutation_cons_append. }
  assert (Pa : forall l, Permutation l P -> Permutation (l ++ [j]) (P ++ [j])) by (intros; now apply
    Permutation_app_tail).
  destruct (Rlt_dec (logit c) (logit j)) as [Lt|Ge].
  - (* a new maximum *)
    split. apply in_or_app. right; now left. split; auto. split. apply rnd_number. split. apply rnd_number.
    destruct (Nat.eqb_spec c js) as [->|Nc]. { exfalso. specialize (top j Hj). lra. }
    destruct T as (Lc & Pl & S). destruct (Nat.eqb_spec j js) as [->|Ne].
    + exists L, (TopWin t). cbn [ok refs ref val]. rewrite Vt, Rt. repeat split; auto.
      rewrite <- Rt. now constructor.
    + assert (Lj : logit j < win).
      { destruct Hw as [->|[Hw|Hw]]; auto. contradiction. exfalso.
        (* the winner is among the keys already, so the largest logit so far would be its *)
        assert (Z : In js L) by (apply (Permutation_in _ (Permutation_sym Pl)); auto).
        assert (W := ref_top win L None t x Ok S eq_refl js Z). lra. }
      exists (j :: L), (Top t (logit j)). cbn [ok refs ref val]. rewrite Vt, Rt. repeat split; auto; try lra.
      exists j; auto. rewrite <- Rt. now constructor.
  - (* against the maximum so far *)
    assert (Le : logit j <= logit c) by lra.
    split. apply in_or_app. now left. split; auto. split. apply rnd_number. split. apply rnd_number.
    destruct (E_bound fa E HE (logit j) (logit c) (logit_number j) (logit_number c) Le) as (_ & NE & _).
    assert (Kc : In c K) by auto. assert (Wc := top c Kc).
    exists (L ++ [j]), (Join t (Key (logit j) (logit c)) (logit c)). cbn [ok refs ref val].
    assert (EV : rnd (rnd (val fa E win t * E (rnd (ref win t - logit c))) + rnd (E (rnd (logit j - logit c)) * E
      (rnd (logit c
      - logit c)))) = rnd (s + E (rnd (logit j - logit c)))).
    { rewrite Vt, Rt, !E_self, !Rmult_1_r, (rnd_id fa s), (rnd_id fa (E _)) by auto. reflexivity. }
    assert (EX : rnd (x + rnd (E (rnd (logit j - logit c)) * v j)) = rnd (rnd (x * E (rnd (ref win t - logit c))) +
      rnd (rnd (E
      (rnd (logit j - logit c)) * v j) * E (rnd (ref win (Key (logit j) (logit c)) - logit c))))).
    { cbn [ref]. rewrite Rt, !E_self, !Rmult_1_r, (rnd_id fa x) by auto. now rewrite (rnd_id fa (rnd _)) by apply
      rnd_number. }
    rewrite EX. repeat split; auto; try lra; try apply logit_number; try (exists c; now auto); try (rewrite Rt; lra);
      try
      exact EV.
    destruct (Nat.eqb_spec c js) as [->|Nc].
    + destruct T as (Pl & S). split. change (js :: L ++ [j]) with ((js :: L) ++ [j]). now apply Pa.
      apply s_join_l; auto. constructor.
    + destruct T as (Lc & Pl & S). split; auto. split; auto. apply s_join_l; auto. constructor.
Qed.
End Row.

Lemma scan_state K js : NoDup K -> In js K -> (forall j, In j K -> logit j <= logit js) -> forall k rest, K = k ::
  rest ->
  (forall K1 K2, K = K1 ++ js :: K2 -> forall j, In j K1 -> logit j < logit js) ->
  let '(c, s, x) := scan k rest in state K js K c s x.
Proof.
  intros Nd Hjs Top k rest EK First.
  assert (Strict : forall P j Q, K = P ++ j :: Q -> j = js \/ logit j < logit js \/ In js P).
  { intros P j Q E0. destruct (Nat.eq_dec j js); auto. right. destruct (in_dec Nat.eq_dec js P); auto. left.
    assert (Iq : In js Q). { rewrite E0 in Hjs. apply in_app_or in Hjs. destruct Hjs as [H|[H|H]]; auto;
      [contradiction|congruence]. }
    destruct (in_split js Q Iq) as (Q1 & Q2 & ->). apply (First (P ++ j :: Q1) Q2).
    rewrite E0, <- app_assoc. reflexivity. apply in_or_app. right; now left. }
  assert (Gen : forall Q P c s x, K = P ++ Q -> state K js P c s x -> let '(c', s', x') := fold_left step Q (c, s, x)
    in
    state K js K c' s' x').
  { induction Q as [|j Q IH]; intros P c s x E0 St. rewrite app_nil_r in E0. subst P. exact St.
    cbn [fold_left]. assert (Ij : In j K) by (rewrite E0; apply in_or_app; right; now left).
    assert (Nj : ~ In j P). { rewrite E0 in Nd. apply NoDup_remove_2 in Nd. intros H. apply Nd, in_or_app; auto. }
    assert (A := advance K js Top P c s x j St Ij Nj (Strict P j Q E0)).
    destruct (step (c, s, x) j) as [[c' s'] x']. apply (IH (P ++ [j])); auto. now rewrite <- app_assoc. }
  unfold scan. apply (Gen rest [k] k 1 (v k)). rewrite EK; reflexivity. assert (Ik : In k K) by (rewrite EK; now
    left).
  apply start; auto. destruct (Strict [] k rest EK) as [H|[H|[]]]; auto.
Qed.
(* the first key of largest logit *)
Lemma first_max K : K <> [] -> exists js, In js K /\ (forall j, In j K -> logit j <= logit js) /\
  (forall K1 K2, NoDup K -> K = K1 ++ js :: K2 -> forall j, In j K1 -> logit j < logit js).
Proof.
  induction K as [|k l IH]; intros Ne; [contradiction|]. destruct l as [|k' l'].
  - exists k. split. now left. split. intros j [<-|[]]; lra. intros K1 K2 _ E0 j Hj. destruct K1 as [|a K1];
    [destruct Hj|].
    apply (f_equal (@length nat)) in E0. rewrite app_length in E0. cbn in E0. rewrite Nat.add_comm in E0.
      discriminate.
  - destruct IH as (js & J1 & J2 & J3); [discriminate|]. destruct (Rlt_dec (logit k) (logit js)) as [Lt|Ge].
    + exists js. split. now right. split. intros j [<-|Hj]; [lra|auto]. intros K1 K2 Nd E0 j Hj. destruct K1 as [|a
      K1]; [destruct
      Hj|]. cbn in E0. injection E0 as -> E0. destruct Hj as [<-|Hj]; auto. inversion Nd; subst. apply (J3 K1 K2);
        auto.
    + exists k. split. now left. split. intros j [<-|Hj]. lra. specialize (J2 j Hj). lra.
      intros K1 K2 Nd E0 j Hj. destruct K1 as [|a K1]; [destruct Hj|]. cbn in E0. injection E0 as -> E0. inversion Nd
        as [|? ? Na _].
      exfalso. apply Na. rewrite E0. apply in_or_app. right; now left.
Qed.
Theorem scan_covered k rest : NoDup (k :: rest) -> let '(c, s, x) := scan k rest in
  softmax_row fs fa E AnyOrder logit v (k :: rest) (quotient fs fa x s).
Proof.
  intros Nd. destruct (first_max (k :: rest)) as (js & J1 & J2 & J3); [discriminate|].
  assert (St := scan_state (k :: rest) js Nd J1 J2 k rest eq_refl (fun K1 K2 => J3 K1 K2 Nd)).
  destruct (scan k rest) as [[c s] x]. destruct St as (Ic & _ & _ & _ & L & t & Ok & Rf & Rt & Vt & T).
  destruct (Nat.eqb_spec c js) as [->|Ne].
  - destruct T as (P & S). exists js, L, t, x. repeat split; auto. now rewrite Vt.
  - exfalso. destruct T as (Lc & P & S). assert (Il : In js L) by (apply (Permutation_in _ (Permutation_sym P));
    auto).
    assert (W := ref_top (logit js) L None t x Ok S eq_refl js Il). lra.
Qed.
End Scan.
