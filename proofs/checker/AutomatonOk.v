(* When a formula says at every position whether an automaton accepts the letters up to there (from there on, read from
   the end). Somebody proposes a table (doc/certificate.md, "Regular languages"): rows are a state and what the formula's
   operators remember of the letters so far, or nothing of some of them. What is checked is that the table has the
   beginning, that each letter leads from each row to a row, and that the formula is then settled and right.

   once_next, since_next   temporal operators, letter by letter
   table_sound             a formula whose table was checked is the automaton's language
   language_sound          and that of the regular expression, if the automaton is its own *)
From Coq Require Import PArith List Bool Arith Lia.
From Temper Require Import Strings Programs Compile.
From Temper.checker Require Import Checker Points Regex RegexOk.
Import ListNotations.

(* ---- temporal operators, letter by letter ---- *)
Section Steps.
Variable w : list nat.
Lemma seen_step d i j : letter w i = true -> In j (seen w d i) <-> j = i \/ In j (seen w d (step d i)) /\ letter w (step d i) = true.
Proof.
  rewrite !in_seen, !letter_iff. destruct d; cbn; rewrite ?Nat.leb_le; intros L; split; intros H.
  - destruct (Nat.eq_dec j i); [auto|]. right. lia.
  - destruct H as [->|H]; lia.
  - destruct (Nat.eq_dec j i); [auto|]. right. lia.
  - destruct H as [->|H]; lia.
Qed.
Lemma once_next d a i : letter w i = true -> sat w (Once d a) i = sat w a i || sat w (Once d a) (step d i).
Proof.
  intros L. cbn [sat]. rewrite L. cbn [andb]. apply eq_true_iff_eq.
  rewrite orb_true_iff, andb_true_iff, !existsb_exists. split.
  - intros (j & Hj & S). apply (seen_step d i j L) in Hj. destruct Hj as [->|[Hj Ls]]; [auto|]. right. split; auto. now exists j.
  - intros [S|[Ls (j & Hj & S)]]. exists i. split; auto. apply seen_step; auto. exists j. split; auto. apply seen_step; auto.
Qed.
Lemma since_next d a b i : letter w i = true ->
  sat w (Since d a b) i = sat w b i || sat w a i && sat w (Since d a b) (step d i).
Proof.
  intros L. destruct (sat w b i) eqn:B. { now apply since_here. } cbn [orb].
  destruct (letter w (step d i)) eqn:Ls.
  2:{ rewrite (since_not_here w d a b i L B (or_introl Ls)). cbn [sat]. now rewrite Ls, andb_false_r. }
  destruct (sat w a i) eqn:A. 2:{ now rewrite (since_not_here w d a b i L B (or_intror A)). }
  cbn [andb sat]. rewrite L, Ls. cbn [andb]. apply eq_true_iff_eq. rewrite !existsb_exists.
  assert (Same : forall j, j <> i -> In j (seen w d (step d i)) ->
    (forallb (fun k => sat w a k) (filter (fun k => passed d k j) (seen w d i)) = true <->
     forallb (fun k => sat w a k) (filter (fun k => passed d k j) (seen w d (step d i))) = true)).
  { intros j Ne Hj. rewrite !forallb_forall. split; intros H k Hk; apply filter_In in Hk as [Hk Pk].
    - apply H, filter_In. split; auto. apply seen_step; auto.
    - apply (seen_step d i k L) in Hk. destruct Hk as [->|[Hk _]]; [auto|]. apply H, filter_In. auto. }
  split; intros (j & Hj & S); apply andb_prop in S as [Sb Sa].
  - destruct (Nat.eq_dec j i) as [->|Ne]; [congruence|]. apply (seen_step d i j L) in Hj. destruct Hj as [->|[Hj _]]; [congruence|].
    exists j. split; auto. rewrite Sb. apply (Same j Ne Hj) in Sa. now rewrite Sa.
  - destruct (Nat.eq_dec j i) as [->|Ne]; [congruence|]. exists j. split. apply seen_step; auto.
    rewrite Sb. apply (Same j Ne Hj) in Sa. now rewrite Sa.
Qed.
Lemma step_next d a i : letter w i = true -> sat w (Step d a) i = sat w a (step d i).
Proof. intros L. cbn [sat]. now rewrite L. Qed.
End Steps.

(* ---- formulas as lists of operators, each of which may use the earlier ones ---- *)
Inductive part_ := PT | PLet (ls : list nat) | PNot (a : part_) | PAnd (a b : part_) | PAt (k : nat).
Inductive op := OStep (a : part_) | OOnce (a : part_) | OSince (a b : part_).
Record program := Program { p_ops : list op; p_out : part_ }.
Fixpoint part_fml (env : list fml) (p : part_) : fml := match p with
  | PT => FT | PLet ls => FLet ls | PNot a => FNot (part_fml env a) | PAnd a b => FAnd (part_fml env a) (part_fml env b)
  | PAt k => nth k env FF end.
Definition op_fml (d : dir) (env : list fml) (o : op) : fml := match o with
  | OStep a => FStep d (part_fml env a) | OOnce a => FOnce d (part_fml env a)
  | OSince a b => FSince d (part_fml env a) (part_fml env b) end.
Definition ops_fml d (l : list op) (env : list fml) : list fml := fold_left (fun env o => env ++ [op_fml d env o]) l env.
Definition program_fml d (p : program) : fml := part_fml (ops_fml d (p_ops p) []) (p_out p).

(* three truth values *)
Definition tri := option bool.
Definition tri_and (a b : tri) : tri := match a, b with
  | Some false, _ | _, Some false => Some false | Some true, Some true => Some true | _, _ => None end.
Definition tri_not (a : tri) : tri := option_map negb a.
Definition tri_or a b := tri_not (tri_and (tri_not a) (tri_not b)).
Definition says (a : tri) (b : bool) : bool := match a with Some x => Bool.eqb x b | None => true end.
Fixpoint part_now (env : list tri) (a : nat) (p : part_) : tri := match p with
  | PT => Some true | PLet ls => Some (mem a ls) | PNot x => tri_not (part_now env a x)
  | PAnd x y => tri_and (part_now env a x) (part_now env a y) | PAt k => nth k env (Some false) end.
(* its value at a letter, and what it remembers of it *)
Definition op_now (env : list tri) (a : nat) (o : op) (before : tri) : tri * tri := match o with
  | OStep x => (before, part_now env a x)
  | OOnce x => let v := tri_or (part_now env a x) before in (v, v)
  | OSince x y => let v := tri_or (part_now env a y) (tri_and (part_now env a x) before) in (v, v) end.
Fixpoint ops_now (l : list op) (before : list tri) (env : list tri) (a : nat) : list tri * list tri := match l, before with
  | o :: l, b :: bs => let (v, k) := op_now env a o b in let (e, ks) := ops_now l bs (env ++ [v]) a in (e, k :: ks)
  | _, _ => (env, []) end.
Fixpoint covers (row now : list tri) : bool := match row, now with
  | [], [] => true
  | None :: r, _ :: s => covers r s | Some b :: r, Some c :: s => Bool.eqb b c && covers r s | _, _ => false end.
Fixpoint part_even (reps : list nat) (p : part_) : bool := match p with
  | PT | PAt _ => true | PLet ls => even reps ls | PNot a => part_even reps a
  | PAnd a b => part_even reps a && part_even reps b end.
Definition op_even reps (o : op) : bool := match o with
  | OStep a | OOnce a => part_even reps a | OSince a b => part_even reps a && part_even reps b end.

Section Table.
Variables (h : automata) (rows : tree (list (list tri))) (p : program) (d : dir).
Definition rows_of q : list (list tri) := match find q rows with Some l => l | None => [] end.
Definition row_ok (q : positive) (u : list tri) : bool := Nat.eqb (length u) (length (p_ops p)) &&
  forallb (fun a => let q' := move h q a in let (env, next) := ops_now (p_ops p) u [] a in
    match part_now env a (p_out p) with Some b => Bool.eqb b (ends h q') | None => false end
    && existsb (fun v => covers v next) (rows_of q')) (a_basis h).
Definition table_ok : bool := forallb (op_even (a_reps h)) (p_ops p) && part_even (a_reps h) (p_out p)
  && existsb (fun v => covers v (map (fun _ => Some false) (p_ops p))) (rows_of 1%positive)
  && every (fun q => forallb (row_ok q)) rows.

(* ---- it is right ---- *)
Variable w : list nat.
Hypothesis in_alphabet : Forall (fun a => (a < length (a_reps h))%nat) w.
Notation n := (length w).
(* letters are read from one end *)
Definition reading := match d with Past => w | Future => rev w end.
Definition spot (k : nat) := match d with Past => k | Future => (n + 1 - k)%nat end.
Lemma reading_length : length reading = n. Proof. unfold reading. destruct d; auto. apply rev_length. Qed.
Lemma spot_letter k : (1 <= k <= n)%nat -> letter w (spot k) = true.
Proof. intros H. apply letter_iff. unfold spot. destruct d; lia. Qed.
Lemma spot_step k : (k < n)%nat -> step d (spot (S k)) = spot k.
Proof. intros H. unfold spot, step. destruct d; lia. Qed.
Lemma spot_at k : (k < n)%nat -> at_ w (spot (S k)) = nth_error reading k.
Proof.
  intros H. unfold spot, reading. destruct d. reflexivity. replace (n + 1 - S k)%nat with (S (n - S k)) by lia.
  cbn [at_]. rewrite !(nth_error_nth' _ 0%nat) by (rewrite ?rev_length; lia). f_equal. now rewrite rev_nth.
Qed.
Notation fmls := (ops_fml d (p_ops p) []).
(* env says what formulas are at i *)
Definition holds (env : list tri) (fs : list fml) i := length env = length fs /\
  forall k, (k < length fs)%nat -> says (nth k env (Some false)) (sat w (den (nth k fs FF)) i) = true.
Lemma says_not a b : says a b = true -> says (tri_not a) (negb b) = true.
Proof. destruct a as [[]|], b; cbn; auto. Qed.
Lemma says_and a b x y : says a x = true -> says b y = true -> says (tri_and a b) (x && y) = true.
Proof. destruct a as [[]|], b as [[]|], x, y; cbn; auto. Qed.
Lemma says_or a b x y : says a x = true -> says b y = true -> says (tri_or a b) (x || y) = true.
Proof. destruct a as [[]|], b as [[]|], x, y; cbn; auto. Qed.
Lemma part_now_ok fs env i a x : holds env fs i -> at_ w i = Some a -> (a < length (a_reps h))%nat -> part_even (a_reps h) x = true ->
  says (part_now env (rep (a_reps h) a) x) (sat w (den (part_fml fs x)) i) = true.
Proof.
  intros [E H] A L. assert (Li : letter w i = true) by (unfold letter; now rewrite A).
  induction x as [|ls|x IH|x IHx y IHy|k]; cbn [part_now part_fml part_even den sat]; intros Ev.
  - cbn. now rewrite A.
  - rewrite A. cbn. rewrite (even_ok _ _ _ Ev L). apply eqb_reflx.
  - rewrite Li. cbn [andb]. now apply says_not, IH.
  - apply andb_prop in Ev as [E1 E2]. apply says_and; auto.
  - destruct (lt_dec k (length fs)) as [K|K]. now apply H. rewrite !nth_overflow by lia. cbn.
    unfold letter. now rewrite A.
Qed.
(* what an operator remembers at the k-th letter: its operand, or itself *)
Definition kept (fs : list fml) (o : op) : fml := match o with OStep x => part_fml fs x | _ => op_fml d fs o end.
Fixpoint kepts (l : list op) (fs : list fml) : list fml := match l with
  | [] => [] | o :: r => kept fs o :: kepts r (fs ++ [op_fml d fs o]) end.
Definition remember (u : list tri) (fs : list fml) i := length u = length fs /\
  forall k, (k < length fs)%nat -> says (nth k u (Some false)) (sat w (den (nth k fs FF)) i) = true.
Lemma holds_snoc env fs i v f : holds env fs i -> says v (sat w (den f) i) = true -> holds (env ++ [v]) (fs ++ [f]) i.
Proof.
  intros [E H] S. split. rewrite !app_length. cbn. lia. intros k Hk. rewrite app_length in Hk. cbn in Hk.
  destruct (lt_dec k (length fs)). rewrite !app_nth1 by lia. now apply H.
  rewrite !app_nth2 by lia. replace (k - length env)%nat with 0%nat by lia. now replace (k - length fs)%nat with 0%nat by lia.
Qed.
Lemma op_now_ok fs env i a o b v k : holds env fs i -> at_ w i = Some a -> (a < length (a_reps h))%nat ->
  op_even (a_reps h) o = true -> says b (sat w (den (kept fs o)) (step d i)) = true ->
  op_now env (rep (a_reps h) a) o b = (v, k) ->
  says v (sat w (den (op_fml d fs o)) i) = true /\ says k (sat w (den (kept fs o)) i) = true.
Proof.
  intros H A L Ev B E. assert (Li : letter w i = true) by (unfold letter; now rewrite A).
  destruct o as [x|x|x y]; cbn [op_now op_even op_fml kept] in *; injection E as <- <-.
  - split. cbn [den]. now rewrite (step_next w d _ i Li). now apply (part_now_ok fs).
  - match goal with |- ?P /\ _ => cut P; [auto|] end. cbn [den] in *. rewrite (once_next w d _ i Li). apply says_or; auto. now apply (part_now_ok fs).
  - apply andb_prop in Ev as [E1 E2]. match goal with |- ?P /\ _ => cut P; [auto|] end. cbn [den] in *. rewrite (since_next w d _ _ i Li). apply says_or. now apply (part_now_ok fs).
    apply says_and; auto. now apply (part_now_ok fs).
Qed.
Lemma ops_now_ok a i : at_ w i = Some a -> (a < length (a_reps h))%nat -> forall l fs env u env' next,
  holds env fs i -> forallb (op_even (a_reps h)) l = true -> remember u (kepts l fs) (step d i) ->
  ops_now l u env (rep (a_reps h) a) = (env', next) -> holds env' (ops_fml d l fs) i /\ remember next (kepts l fs) i.
Proof.
  intros A L l. induction l as [|o l IH]; intros fs env u env' next H Ev [Lu R] E; cbn [kepts] in *.
  - destruct u; [|discriminate]. injection E as <- <-. split; auto. split; auto. intros k K. cbn in K. lia.
  - destruct u as [|b u]; [discriminate|]. cbn [forallb] in Ev. apply andb_prop in Ev as [Eo El].
    cbn [ops_now] in E. destruct (op_now env (rep (a_reps h) a) o b) as [v k] eqn:On.
    destruct (ops_now l u (env ++ [v]) (rep (a_reps h) a)) as [e ks] eqn:Os. injection E as <- <-.
    destruct (op_now_ok fs env i a o b v k H A L Eo (R 0%nat ltac:(cbn; lia)) On) as [V K].
    destruct (IH (fs ++ [op_fml d fs o]) (env ++ [v]) u e ks (holds_snoc _ _ _ _ _ H V) El) as [H' [Ln R']]; auto.
    { split. cbn in Lu. lia. intros q Hq. apply (R (S q)). cbn. lia. }
    split. exact H'. split. cbn. lia. intros [|q] Hq. exact K. apply R'. cbn in Hq. lia.
Qed.
Lemma covers_ok row : forall now fs i, covers row now = true -> remember now fs i -> remember row fs i.
Proof.
  induction row as [|r row IH]; intros now fs i C [Ln R].
  - destruct now; [|discriminate]. split; auto.
  - destruct now as [|x now]; [destruct r; discriminate|]. destruct fs as [|f fs]; [discriminate|]. cbn in *.
    assert (C' : covers row now = true).
    { destruct r as [b|]; auto. destruct x as [c|]; [|discriminate]. now apply andb_prop in C as [_ C]. }
    assert (Rn : remember now fs i) by (split; [lia|]; intros k K; apply (R (S k)); lia).
    destruct (IH now fs i C' Rn) as [L1 R1]. split. cbn. lia. intros [|k] K. 2: apply R1; cbn in K; lia.
    specialize (R 0%nat ltac:(lia)). cbn in *. destruct r as [b|]; auto. destruct x as [c|]; [|discriminate].
    apply andb_prop in C as [C _]. apply eqb_prop in C. now subst.
Qed.
Hypothesis ok : table_ok = true.
Notation state k := (walk h 1%positive (map (rep (a_reps h)) (firstn k reading))).
Hypothesis all_there : forall a, (a < length (a_reps h))%nat -> In (rep (a_reps h) a) (a_basis h).
Lemma firstn_next k a : nth_error reading k = Some a -> firstn (S k) reading = firstn k reading ++ [a].
Proof.
  generalize reading. induction k; intros [|b l] H; cbn in *; try discriminate. now injection H as ->.
  f_equal. now apply IHk.
Qed.
Lemma one_letter k : (k < n)%nat -> (exists u, In u (rows_of (state k)) /\ remember u (kepts (p_ops p) []) (spot k)) ->
  (exists u, In u (rows_of (state (S k))) /\ remember u (kepts (p_ops p) []) (spot (S k))) /\
  sat w (den (program_fml d p)) (spot (S k)) = ends h (state (S k)).
Proof.
  intros K (u & Iu & R). unfold table_ok in ok. apply andb_prop in ok as [ok1 Rows]. apply andb_prop in ok1 as [ok1 _].
  apply andb_prop in ok1 as [Ev Eo].
  destruct (nth_error reading k) as [a|] eqn:A. 2:{ apply nth_error_None in A. rewrite reading_length in A. lia. }
  assert (La : (a < length (a_reps h))%nat).
  { rewrite Forall_forall in in_alphabet. apply in_alphabet. apply nth_error_In in A. unfold reading in A.
    destruct d; auto. now apply in_rev. }
  assert (At := spot_at k K). rewrite A in At.
  assert (St : state (S k) = move h (state k) (rep (a_reps h) a)).
  { rewrite (firstn_next k a A), map_app. unfold walk. rewrite fold_left_app. reflexivity. }
  unfold rows_of in Iu.
  destruct (find (state k) rows) as [l|] eqn:F; [|destruct Iu].
  apply (every_ok _ _ _ _ Rows) in F. clear Rows. rename F into Rows. rewrite forallb_forall in Rows.
  specialize (Rows u Iu). unfold row_ok in Rows. apply andb_prop in Rows as [_ Rows]. rewrite forallb_forall in Rows.
  specialize (Rows _ (all_there a La)). cbv zeta in Rows. rewrite <- St in Rows.
  destruct (ops_now (p_ops p) u [] (rep (a_reps h) a)) as [env next] eqn:On.
  apply andb_prop in Rows as [V C].
  rewrite <- (spot_step k K) in R.
  destruct (ops_now_ok a (spot (S k)) At La (p_ops p) [] [] u env next) as [H N]; auto.
  { split; auto. intros q Q. cbn in Q. lia. }
  split.
  - apply existsb_exists in C. destruct C as (v & Iv & C). exists v. split; auto. now apply (covers_ok v next).
  - assert (S := part_now_ok _ env (spot (S k)) a (p_out p) H At La Eo).
    destruct (part_now env (rep (a_reps h) a) (p_out p)) as [b|]; [|discriminate]. apply eqb_prop in V. subst b.
    cbn in S. apply eqb_prop in S. now symmetry.
Qed.
Lemma some_row k : (k <= n)%nat -> exists u, In u (rows_of (state k)) /\ remember u (kepts (p_ops p) []) (spot k).
Proof.
  induction k as [|k IH]; intros K.
  - cbn [firstn map]. unfold table_ok in ok. apply andb_prop in ok as [ok1 _]. apply andb_prop in ok1 as [_ B].
    apply existsb_exists in B. destruct B as (v & Iv & C). exists v. split; auto. apply (covers_ok v _ _ _ C).
    assert (Len : forall l fs, length (kepts l fs) = length l) by (induction l; intros; cbn; auto).
    split. now rewrite Len, map_length. intros q Q.
    match goal with |- says ?x _ = true => assert (Z : x = Some false) end.
    { match goal with |- nth q ?l ?y = _ => assert (Q' := nth_in_or_default q l y) end. destruct Q' as [I|E]; auto.
      apply in_map_iff in I. destruct I as (x & E & _). symmetry. exact E. }
    rewrite Z. cbn. destruct (sat w (den (nth q (kepts (p_ops p) []) FF)) (spot 0)) eqn:S; auto.
    apply sat_letter, letter_iff in S. unfold spot in S. destruct d; lia.
  - apply one_letter; [lia|]. apply IH. lia.
Qed.
Theorem table_sound k : (1 <= k <= n)%nat -> sat w (den (program_fml d p)) (spot k) = ends h (state k).
Proof. intros K. destruct k as [|k]; [lia|]. apply one_letter; [lia|]. apply some_row. lia. Qed.
End Table.

(* ---- a formula that is a regular expression ---- *)
Record hint := Hint { h_automata : automata; h_rows : tree (list (list tri)); h_program : program }.
Definition dir_read (first : bool) := if first then Future else Past.
Definition oriented (first : bool) (r : re) := if first then turned r else r.
Definition hint_ok (letters : nat) (first : bool) (r : re) (h : hint) : bool :=
  Nat.eqb (length (a_reps (h_automata h))) letters && automata_ok (h_automata h) (oriented first r)
  && table_ok (h_automata h) (h_rows h) (h_program h).
Definition hint_fml (first : bool) (h : hint) : fml := program_fml (dir_read first) (h_program h).
Theorem language_sound letters first r h : hint_ok letters first r h = true ->
  forall w, Forall (fun a => (a < letters)%nat) w -> forall i, (1 <= i <= length w)%nat ->
  (sat w (den (hint_fml first h)) i = true <-> lang r (part first w i)).
Proof.
  unfold hint_ok. intros H w F i Hi. apply andb_prop in H as [H T]. apply andb_prop in H as [L A]. apply Nat.eqb_eq in L.
  rewrite <- L in F. destruct (parts _ _ A) as (_ & There & _).
  set (k := if first then (length w + 1 - i)%nat else i).
  assert (K : (1 <= k <= length w)%nat) by (unfold k; destruct first; lia).
  assert (Sp : spot (dir_read first) w k = i) by (unfold spot, k, dir_read; destruct first; lia).
  assert (X := table_sound (h_automata h) (h_rows h) (h_program h) (dir_read first) w F T There k K).
  rewrite Sp in X. unfold hint_fml. rewrite X, (automaton_ok _ _ A).
  - unfold oriented, part, reading, dir_read, k. destruct first; [|reflexivity]. rewrite turned_ok.
    replace (length w + 1 - i)%nat with (length w - (i - 1))%nat by lia.
    assert (R : forall m (l : list nat), (m <= length l)%nat -> rev (firstn (length l - m) (rev l)) = skipn m l).
    { intros m l Ml. rewrite <- (rev_involutive (skipn m l)). f_equal. rewrite firstn_rev.
      now replace (length l - (length l - m))%nat with m by lia. }
    rewrite R by lia. reflexivity.
  - apply Forall_forall. intros a Ia. rewrite Forall_forall in F. apply F. apply (In_nth _ _ 0%nat) in Ia.
    destruct Ia as (q & Hq & <-). rewrite firstn_length in Hq.
    assert (G : nth q (firstn k (reading (dir_read first) w)) 0%nat = nth q (reading (dir_read first) w) 0%nat).
    { rewrite <- (firstn_skipn k (reading (dir_read first) w)) at 2. rewrite app_nth1; auto. rewrite firstn_length. lia. }
    rewrite G. assert (I : In (nth q (reading (dir_read first) w) 0%nat) (reading (dir_read first) w)) by (apply nth_In; lia).
    unfold reading in I at 2. destruct (dir_read first); auto. now apply in_rev.
Qed.
