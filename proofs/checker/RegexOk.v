(* Deterministic automata of regular expressions. Somebody proposes the automata (a hint: main.ml makes it); what is
   checked here is that they are those of the expression, letter by letter.

   pd_ok        partial derivatives: what must follow a letter (Antimirov 1996)
   turned_ok    an expression of the words read backwards
   lang_rep     letters that an expression does not tell apart have one representative
   automaton_ok an automaton that was checked accepts the words of the expression *)
From Coq Require Import PArith List Bool Arith Lia.
From Temper.checker Require Import Checker Regex.
Import ListNotations.

(* ---- tables by numbers ---- *)
Inductive tree (A : Type) := Leaf | Node (l : tree A) (x : option A) (r : tree A).
Arguments Leaf {A}. Arguments Node {A}.
Fixpoint find {A} (k : positive) (t : tree A) : option A := match t with
  | Leaf => None | Node l x r => match k with xH => x | xO k => find k l | xI k => find k r end end.
Fixpoint every {A} (g : positive -> A -> bool) (t : tree A) : bool := match t with
  | Leaf => true
  | Node l x r => match x with Some y => g xH y | None => true end
      && every (fun k => g (xO k)) l && every (fun k => g (xI k)) r end.
Lemma every_ok {A} (t : tree A) : forall g k x, every g t = true -> find k t = Some x -> g k x = true.
Proof.
  induction t as [|l IHl o r IHr]; cbn [every]; intros g k x E F. destruct k; discriminate.
  apply andb_prop in E as [E Er]. apply andb_prop in E as [Eo El]. destruct k.
  - exact (IHr _ _ _ Er F).
  - exact (IHl _ _ _ El F).
  - cbn in F. now subst o.
Qed.

(* ---- partial derivatives ---- *)
Definition mem (a : nat) (ls : list nat) := existsb (Nat.eqb a) ls.
Lemma mem_ok a ls : mem a ls = true <-> In a ls.
Proof.
  unfold mem. rewrite existsb_exists. split. intros (x & H & E). apply Nat.eqb_eq in E. now subst.
  intros H. exists a. now rewrite Nat.eqb_refl.
Qed.
Fixpoint nullable (r : re) : bool := match r with
  | Eps => true | Cls _ => false | Alt a b => nullable a || nullable b | Cat a b => nullable a && nullable b
  | Star _ => true end.
Definition cat (a b : re) := match a, b with Eps, _ => b | _, Eps => a | _, _ => Cat a b end.
Fixpoint pd (a : nat) (r : re) : list re := match r with
  | Eps => [] | Cls ls => if mem a ls then [Eps] else []
  | Alt x y => pd a x ++ pd a y
  | Cat x y => map (fun d => cat d y) (pd a x) ++ (if nullable x then pd a y else [])
  | Star x => map (fun d => cat d r) (pd a x) end.
Lemma nullable_ok r : nullable r = true <-> lang r [].
Proof.
  induction r as [|ls|a IHa b IHb|a IHa b IHb|a IHa]; cbn [nullable lang].
  - tauto.
  - split; [discriminate|]. intros (a & _ & E). discriminate.
  - rewrite orb_true_iff. tauto.
  - rewrite andb_true_iff, IHa, IHb. split. intros [H K]. exists [], []. auto.
    intros (u & v & E & H & K). symmetry in E. apply app_eq_nil in E. destruct E. now subst.
  - split; [|reflexivity]. intros _. now exists [].
Qed.
Lemma cat_ok a b w : lang (cat a b) w <-> lang (Cat a b) w.
Proof.
  assert (L : forall b, lang b w <-> lang (Cat Eps b) w).
  { intros c. split. intros H. exists [], w. cbn. auto. intros (u & v & -> & E & H). cbn in E. now subst. }
  assert (R : forall a, lang a w <-> lang (Cat a Eps) w).
  { intros c. split. intros H. exists w, []. rewrite app_nil_r. cbn. auto.
    intros (u & v & -> & H & E). cbn in E. subst. now rewrite app_nil_r. }
  destruct a, b; cbn [cat]; try apply L; try apply R; reflexivity.
Qed.
Lemma pd_ok a r : forall w, lang r (a :: w) <-> exists d, In d (pd a r) /\ lang d w.
Proof.
  induction r as [|ls|x IHx y IHy|x IHx y IHy|x IHx]; intros w; cbn [pd lang].
  - split; [discriminate|]. intros (d & [] & _).
  - destruct (mem a ls) eqn:M.
    + apply mem_ok in M. split.
      * intros (b & _ & E). injection E as -> ->. exists Eps. cbn. auto.
      * intros (d & [<-|[]] & E). cbn in E. subst w. exists a. auto.
    + split. intros (b & H & E). injection E as <- ->. apply mem_ok in H. congruence. intros (d & [] & _).
  - rewrite IHx, IHy. split.
    + intros [(d & H & L)|(d & H & L)]; exists d; rewrite in_app_iff; auto.
    + intros (d & H & L). apply in_app_iff in H. destruct H; [left|right]; exists d; auto.
  - split.
    + intros (u & v & E & Hu & Hv). destruct u as [|b u].
      * cbn in E. subst v. apply nullable_ok in Hu. rewrite Hu. apply IHy in Hv. destruct Hv as (d & H & L).
        exists d. rewrite in_app_iff. auto.
      * injection E as <- ->. apply IHx in Hu. destruct Hu as (d & H & L). exists (cat d y). split.
        apply in_app_iff. left. apply in_map_iff. now exists d. apply cat_ok. exists u, v. auto.
    + intros (d & H & L). apply in_app_iff in H. destruct H as [H|H].
      * apply in_map_iff in H. destruct H as (d' & <- & H). apply cat_ok in L. destruct L as (u & v & -> & Lu & Lv).
        exists (a :: u), v. split; [reflexivity|]. split; [|auto]. apply IHx. now exists d'.
      * destruct (nullable x) eqn:N; [|destruct H]. exists [], (a :: w). split; [reflexivity|].
        split. now apply nullable_ok. apply IHy. now exists d.
  - split.
    + intros (l & E & F). induction l as [|u l IH]; [discriminate|]. inversion F as [|? ? Fu Fl]; subst.
      destruct u as [|b u]. { apply IH; auto. }
      injection E as <- ->. apply IHx in Fu. destruct Fu as (d & H & L). exists (cat d (Star x)). split.
      apply in_map_iff. now exists d. apply cat_ok. exists u, (concat l). split; auto. split; auto. now exists l.
    + intros (d & H & L). apply in_map_iff in H. destruct H as (d' & <- & H). apply cat_ok in L.
      destruct L as (u & v & -> & Lu & (l & -> & F)). exists ((a :: u) :: l). split; [reflexivity|].
      constructor; auto. apply IHx. now exists d'.
Qed.

(* ---- backwards ---- *)
Fixpoint turned (r : re) : re := match r with
  | Eps => Eps | Cls ls => Cls ls | Alt a b => Alt (turned a) (turned b) | Cat a b => Cat (turned b) (turned a)
  | Star a => Star (turned a) end.
Lemma turned_ok r : forall w, lang (turned r) w <-> lang r (rev w).
Proof.
  induction r as [|ls|a IHa b IHb|a IHa b IHb|a IHa]; intros w; cbn [turned lang].
  - split. now intros ->. intros E. apply (f_equal (@rev nat)) in E. now rewrite rev_involutive in E.
  - split; intros (a & H & E); exists a; split; auto. now subst.
    apply (f_equal (@rev nat)) in E. now rewrite rev_involutive in E.
  - now rewrite IHa, IHb.
  - split; intros (u & v & E & H & K).
    + subst w. exists (rev v), (rev u). rewrite rev_app_distr. split; auto. split; [now apply IHa|now apply IHb].
    + apply (f_equal (@rev nat)) in E. rewrite rev_involutive, rev_app_distr in E. subst w. exists (rev v), (rev u).
      split; auto. rewrite IHa, IHb, !rev_involutive. auto.
  - assert (C : forall l : list (list nat), rev (concat l) = concat (map (@rev nat) (rev l))).
    { induction l as [|u l IHl]; cbn; auto. rewrite rev_app_distr, IHl, map_app, concat_app. cbn.
      now rewrite app_nil_r. }
    split; intros (l & E & F).
    + subst w. exists (map (@rev nat) (rev l)). split; [apply C|]. apply Forall_map, Forall_rev.
      revert F. apply Forall_impl. intros u Hu. now apply IHa.
    + apply (f_equal (@rev nat)) in E. rewrite rev_involutive, C in E. exists (map (@rev nat) (rev l)). split; auto.
      apply Forall_map, Forall_rev. revert F. apply Forall_impl. intros u Hu. apply IHa. now rewrite rev_involutive.
Qed.

(* ---- letters that nothing tells apart ---- *)
Fixpoint sets (r : re) : list (list nat) := match r with
  | Eps => [] | Cls ls => [ls] | Alt a b | Cat a b => sets a ++ sets b | Star a => sets a end.
Definition even (reps ls : list nat) : bool := forallb (fun t => Bool.eqb (mem (fst t) ls) (mem (snd t) ls))
  (combine (seq 0 (length reps)) reps).
Definition rep (reps : list nat) a := nth a reps a.
Lemma even_ok reps ls a : even reps ls = true -> (a < length reps)%nat -> mem (rep reps a) ls = mem a ls.
Proof.
  unfold even. rewrite forallb_forall. intros H L.
  assert (I : In (a, rep reps a) (combine (seq 0 (length reps)) reps)).
  { assert (N := combine_nth (seq 0 (length reps)) reps a a a (seq_length _ _)). rewrite seq_nth in N by auto.
    cbn in N. unfold rep. rewrite <- N. apply nth_In. rewrite combine_length, seq_length. lia. }
  specialize (H _ I). cbn in H. apply eqb_prop in H. now symmetry.
Qed.
Lemma map_concat (g : nat -> nat) l : map g (concat l) = concat (map (map g) l).
Proof. induction l as [|u l IH]; cbn; auto. now rewrite map_app, IH. Qed.
Lemma lang_rep reps r : forallb (even reps) (sets r) = true -> forall w, Forall (fun a => (a < length reps)%nat) w ->
  (lang r (map (rep reps) w) <-> lang r w).
Proof.
  induction r as [|ls|a IHa b IHb|a IHa b IHb|a IHa]; cbn [sets]; intros S w F; cbn [lang].
  - split; intros H. now apply map_eq_nil in H. now subst.
  - cbn in S. rewrite andb_true_r in S. split; intros (x & H & E).
    + destruct w as [|y [|]]; try discriminate. injection E as <-. exists y. split; auto.
      inversion F as [|? ? Fy _]; subst. apply mem_ok. rewrite <- (even_ok reps ls y S Fy). now apply mem_ok.
    + subst w. inversion F as [|? ? Fx _]; subst. exists (rep reps x). split; auto.
      apply mem_ok. rewrite (even_ok reps ls x S Fx). now apply mem_ok.
  - rewrite forallb_app in S. apply andb_prop in S. destruct S as [Sa Sb]. now rewrite IHa, IHb.
  - rewrite forallb_app in S. apply andb_prop in S. destruct S as [Sa Sb]. split; intros (u & v & E & H & K).
    + apply map_eq_app in E. destruct E as (u' & v' & -> & <- & <-). apply Forall_app in F. destruct F.
      exists u', v'. split; auto. now rewrite <- IHa, <- IHb.
    + subst w. apply Forall_app in F. destruct F. exists (map (rep reps) u), (map (rep reps) v).
      rewrite map_app, IHa, IHb; auto.
  - split; intros (l & E & G).
    + revert w F E. induction l as [|u l IHl]; intros w F E.
      * cbn in E. apply map_eq_nil in E. subst. now exists [].
      * cbn in E. apply map_eq_app in E. destruct E as (u' & v' & -> & E1 & E2). apply Forall_app in F.
        destruct F as [F1 F2]. inversion G as [|? ? Gu Gl]; subst. destruct (IHl Gl v' F2 E2) as (k & -> & Fk).
        exists (u' :: k). split; auto. constructor; auto. apply IHa; auto.
    + subst w. exists (map (map (rep reps)) l). split. apply map_concat. apply Forall_map. rewrite Forall_forall in *.
      intros u Hu. apply IHa; auto. apply Forall_forall. intros x Hx. apply F. apply in_concat. now exists u.
Qed.

(* ---- automata ---- *)
Fixpoint re_eqb (a b : re) : bool := match a, b with
  | Eps, Eps => true | Cls x, Cls y => nats_eqb x y | Alt a b, Alt c d | Cat a b, Cat c d => re_eqb a c && re_eqb b d
  | Star a, Star b => re_eqb a b | _, _ => false end.
Lemma nats_eqb_eq a : forall b, nats_eqb a b = true -> a = b.
Proof.
  induction a as [|x a IH]; intros [|y b]; cbn; try discriminate; auto. intros H. apply andb_prop in H.
  destruct H as [H K]. apply Nat.eqb_eq in H. subst. f_equal. auto.
Qed.
Lemma re_eqb_ok a : forall b, re_eqb a b = true -> a = b.
Proof.
  induction a as [|x|a1 IH1 a2 IH2|a1 IH1 a2 IH2|a IH]; intros []; cbn; try discriminate; auto; intros H;
    try (apply andb_prop in H; destruct H; f_equal; auto).
  - f_equal. now apply nats_eqb_eq.
  - f_equal. auto.
Qed.
Fixpoint pos_eqb (a b : list positive) : bool := match a, b with
  | [], [] => true | x :: r, y :: s => Pos.eqb x y && pos_eqb r s | _, _ => false end.
Lemma pos_eqb_ok a : forall b, pos_eqb a b = true -> a = b.
Proof.
  induction a as [|x a IH]; intros [|y b]; cbn; try discriminate; auto. intros H. apply andb_prop in H.
  destruct H as [H K]. apply Pos.eqb_eq in H. subst. f_equal. auto.
Qed.
Fixpoint insert (x : positive) (l : list positive) : list positive := match l with
  | [] => [x] | y :: r => match Pos.compare x y with Lt => x :: l | Eq => l | Gt => y :: insert x r end end.
Lemma in_insert z x l : In z (insert x l) <-> z = x \/ In z l.
Proof.
  induction l as [|y r IH]; cbn. intuition. destruct (Pos.compare_spec x y) as [E|E|E]; cbn; [subst|..|rewrite IH];
    intuition.
Qed.
(* a part of an expression, and which parts must follow each letter *)
Record item := Item { i_re : re; i_next : list (list positive) }.
(* a set of items, the state it belongs to, and the set after each letter *)
Record subset := Subset { s_items : list positive; s_state : positive; s_next : list positive }.
Record dstate := State_ { d_accepts : bool; d_next : list positive }.
Record automata := Automata { a_reps : list nat (* of each letter *); a_basis : list nat (* the representatives *);
  a_items : tree item; a_subsets : tree subset; a_states : tree dstate }.

Section Automata.
Variable h : automata.
Notation basis := (a_basis h).
Definition same_items (ds : list re) (ps : list positive) : bool :=
  let re_of p := option_map i_re (find p (a_items h)) in
  forallb (fun d => existsb (fun p => match re_of p with Some r => re_eqb r d | None => false end) ps) ds
  && forallb (fun p => match re_of p with Some r => existsb (re_eqb r) ds | None => false end) ps.
Definition item_ok (x : item) : bool := Nat.eqb (length (i_next x)) (length basis)
  && forallb (fun t => same_items (pd (fst t) (i_re x)) (snd t)) (combine basis (i_next x)).
(* what follows the items of a set by the k-th letter *)
Definition after (k : nat) (ps : list positive) : list positive := fold_right insert [] (flat_map (fun p =>
  match find p (a_items h) with Some x => nth k (i_next x) [] | None => [] end) ps).
Definition null_item p := match find p (a_items h) with Some x => nullable (i_re x) | None => false end.
Definition subset_ok (s : subset) : bool := Nat.eqb (length (s_next s)) (length basis)
  && match find (s_state s) (a_states h) with
     | Some d => Bool.eqb (d_accepts d) (existsb null_item (s_items s)) && Nat.eqb (length (d_next d)) (length basis)
       && forallb (fun t => match find (fst (snd t)) (a_subsets h) with
            | Some q => pos_eqb (after (fst t) (s_items s)) (s_items q) && Pos.eqb (s_state q) (snd (snd t))
            | None => false end) (combine (seq 0 (length basis)) (combine (s_next s) (d_next d)))
     | None => false end.
(* the first item, set and state belong to the empty word *)
Definition automata_ok (r : re) : bool :=
  forallb (even (a_reps h)) (sets r) && forallb (fun a => mem a basis) (a_reps h)
  && every (fun _ => item_ok) (a_items h)
  && every (fun _ => subset_ok) (a_subsets h)
  && match find 1%positive (a_items h) with Some x => re_eqb (i_re x) r | None => false end
  && match find 1%positive (a_subsets h) with
     | Some s => pos_eqb (s_items s) [1%positive] && Pos.eqb (s_state s) 1 | None => false end.

(* the state after a word *)
Fixpoint place (a : nat) (l : list nat) : option nat := match l with
  | [] => None | b :: r => if Nat.eqb a b then Some 0%nat else option_map S (place a r) end.
Definition move (q : positive) (a : nat) : positive := match find q (a_states h), place a basis with
  | Some d, Some k => nth k (d_next d) q | _, _ => q end.
Definition ends (q : positive) : bool := match find q (a_states h) with Some d => d_accepts d | None => false end.
Definition walk (q : positive) (w : list nat) : positive := fold_left move w q.
Lemma place_ok a l : In a l -> exists k, place a l = Some k /\ (k < length l)%nat /\ nth k l 0%nat = a.
Proof.
  induction l as [|b l IH]; intros []; cbn.
  - subst. rewrite Nat.eqb_refl. exists 0%nat. split; auto. split; auto. lia.
  - destruct (Nat.eqb_spec a b). subst. exists 0%nat. split; auto. split; auto; lia.
    destruct (IH H) as (k & -> & L & N). exists (S k). split; auto. split; auto. lia.
Qed.
Variable r : re.
Hypothesis ok : automata_ok r = true.
Lemma parts : forallb (even (a_reps h)) (sets r) = true /\ (forall a, (a < length (a_reps h))%nat ->
  In (rep (a_reps h) a) basis) /\
  (forall p x, find p (a_items h) = Some x -> item_ok x = true) /\
  (forall p s, find p (a_subsets h) = Some s -> subset_ok s = true) /\
  (exists x, find 1%positive (a_items h) = Some x /\ i_re x = r) /\
  (exists s, find 1%positive (a_subsets h) = Some s /\ s_items s = [1%positive] /\ s_state s = 1%positive).
Proof.
  unfold automata_ok in ok. apply andb_prop in ok as [ok1 S]. apply andb_prop in ok1 as [ok1 I].
  apply andb_prop in ok1 as [ok1 Ss]. apply andb_prop in ok1 as [ok1 Is]. apply andb_prop in ok1 as [Ev Rs].
  rewrite forallb_forall in Rs. split; [exact Ev|]. split; [|split; [|split; [|split]]].
  - intros a L. apply mem_ok, Rs. now apply nth_In.
  - intros p x F. exact (every_ok _ _ p x Is F).
  - intros p s F. exact (every_ok _ _ p s Ss F).
  - destruct (find 1%positive (a_items h)) as [x|]; [|discriminate]. exists x. split; auto. now apply re_eqb_ok.
  - destruct (find 1%positive (a_subsets h)) as [s|]; [|discriminate]. apply andb_prop in S as [S1 S2].
    exists s. split; auto. split. now apply pos_eqb_ok. now apply Pos.eqb_eq.
Qed.
Definition among (ps : list positive) (w : list nat) : Prop :=
  exists p x, In p ps /\ find p (a_items h) = Some x /\ lang (i_re x) w.
Lemma in_combine_nth {A B} (l : list A) (m : list B) k a b : (k < length l)%nat -> length l = length m ->
  In (nth k l a, nth k m b) (combine l m).
Proof. intros L E. rewrite <- combine_nth by auto. apply nth_In. rewrite combine_length. lia. Qed.
Lemma same_items_ok ds ps w : same_items ds ps = true -> (among ps w <-> exists d, In d ds /\ lang d w).
Proof.
  unfold same_items. intros H. apply andb_prop in H as [H K]. rewrite forallb_forall in H, K. split.
  - intros (p & x & I & F & L). specialize (K p I). rewrite F in K. cbn in K. apply existsb_exists in K.
    destruct K as (d & Hd & E). apply re_eqb_ok in E. subst d. now exists (i_re x).
  - intros (d & I & L). specialize (H d I). apply existsb_exists in H. destruct H as (p & Hp & E).
    destruct (find p (a_items h)) as [x|] eqn:F; [|discriminate]. apply re_eqb_ok in E. subst d. now exists p, x.
Qed.
Lemma after_ok k a ps w : (k < length basis)%nat -> nth k basis 0%nat = a -> (among (after k ps) w <-> among ps (a :: w)).
Proof.
  destruct parts as (_ & _ & Is & _). intros L N. unfold after.
  assert (I : forall z l, In z (fold_right insert [] l) <-> In z l).
  { intros z l. induction l as [|y l IH]; cbn. tauto. rewrite in_insert, IH. intuition. }
  assert (One : forall p x, find p (a_items h) = Some x ->
    (among (nth k (i_next x) []) w <-> lang (i_re x) (a :: w))).
  { intros p x F. specialize (Is p x F). unfold item_ok in Is. apply andb_prop in Is as [E H]. apply Nat.eqb_eq in E.
    rewrite forallb_forall in H. specialize (H _ (in_combine_nth basis (i_next x) k 0%nat [] L ltac:(lia))).
    cbn [fst snd] in H. rewrite N in H. rewrite pd_ok. now apply same_items_ok. }
  split.
  - intros (q & y & Hq & Fy & Ly). rewrite I in Hq. apply in_flat_map in Hq. destruct Hq as (p & Hp & Hq).
    destruct (find p (a_items h)) as [x|] eqn:F; [|destruct Hq]. exists p, x. split; auto. split; auto.
    apply (One p x F). now exists q, y.
  - intros (p & x & Hp & F & Lx). apply (One p x F) in Lx. destruct Lx as (q & y & Hq & Fy & Ly).
    exists q, y. split; auto. rewrite I. apply in_flat_map. exists p. split; auto. now rewrite F.
Qed.
Lemma walk_ok w : Forall (fun a => In a basis) w -> forall p s, find p (a_subsets h) = Some s ->
  (ends (walk (s_state s) w) = true <-> among (s_items s) w).
Proof.
  destruct parts as (_ & _ & _ & Ss & _). intros F. induction F as [|a w Fa F IH]; intros p s Fs; assert (O := Ss p s Fs);
    unfold subset_ok in O; apply andb_prop in O as [O1 O2]; apply Nat.eqb_eq in O1;
    destruct (find (s_state s) (a_states h)) as [d|] eqn:Fd; try discriminate;
    apply andb_prop in O2 as [O2 O3]; apply andb_prop in O2 as [O2 O4]; apply Nat.eqb_eq in O4.
  - unfold walk, ends. cbn [fold_left]. rewrite Fd. apply eqb_prop in O2. rewrite O2, existsb_exists. split.
    + intros (q & Hq & N). unfold null_item in N. destruct (find q (a_items h)) as [x|] eqn:Fx; [|discriminate].
      exists q, x. split; auto. split; auto. now apply nullable_ok.
    + intros (q & x & Hq & Fx & L). exists q. split; auto. unfold null_item. rewrite Fx. now apply nullable_ok.
  - destruct (place_ok a basis Fa) as (k & P & L & N). unfold walk. cbn [fold_left].
    rewrite forallb_forall in O3.
    assert (M : In (k, (nth k (s_next s) 1%positive, nth k (d_next d) (s_state s)))
      (combine (seq 0 (length basis)) (combine (s_next s) (d_next d)))).
    { assert (X := in_combine_nth (seq 0 (length basis)) (combine (s_next s) (d_next d)) k 0%nat
        (1%positive, s_state s)). rewrite seq_nth in X by auto. cbn [plus] in X. rewrite combine_nth in X by lia.
      apply X; rewrite seq_length; auto. rewrite combine_length. lia. }
    specialize (O3 _ M). cbn [fst snd] in O3.
    destruct (find (nth k (s_next s) 1%positive) (a_subsets h)) as [q|] eqn:Fq; [|discriminate].
    apply andb_prop in O3 as [E1 E2]. apply pos_eqb_ok in E1. apply Pos.eqb_eq in E2.
    assert (Mv : move (s_state s) a = s_state q). { unfold move. now rewrite Fd, P, E2. }
    rewrite Mv. specialize (IH _ _ Fq). unfold walk in IH. rewrite IH, <- E1. now apply after_ok.
Qed.
Theorem automaton_ok w : Forall (fun a => (a < length (a_reps h))%nat) w ->
  (ends (walk 1%positive (map (rep (a_reps h)) w)) = true <-> lang r w).
Proof.
  destruct parts as (Ev & Rs & _ & _ & (x & Fx & Rx) & (s & Fs & Is & Qs)). intros F.
  assert (B : Forall (fun a => In a basis) (map (rep (a_reps h)) w)).
  { apply Forall_map. revert F. apply Forall_impl. exact Rs. }
  rewrite <- (lang_rep (a_reps h) r Ev w F), <- Qs, (walk_ok _ B _ _ Fs), Is. split.
  - intros (p & y & [<-|[]] & Fy & L). rewrite Fx in Fy. injection Fy as <-. now rewrite Rx in L.
  - intros L. exists 1%positive, x. rewrite Rx. cbn. auto.
Qed.
End Automata.
