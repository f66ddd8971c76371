(* doc/theory.md, "Heads": the compiler. A formula becomes a list of channels that is put after a program.
   Both methods are here: by temperature features are at most 1 and the scale grows with N; by positions the scale is
     1 and
   features grow. A channel c of the program that computes a part stays where it is; new channels are numbered from L
     on.
   Channel 0 is "real": 1 on letters, 0 on sentinels. *)
From Coq Require Import ZArith Reals List Bool Arith.
From Temper Require Import Rows Strings Programs.
Import ListNotations.
Local Open Scope R_scope.

Inductive method := Temperature | Positions.
Definition kappa : R := 8.
Definition kappa_lookup : R := 16.
Definition mask_of d := match d with Past => UpTo | Future => From end.
Definition strict_of d := match d with Past => Before | Future => After end.
Definition sign d : R := match d with Past => 1 | Future => -1 end.
Definition sentinel d (n : nat) := match d with Past => O | Future => (n - 1)%nat end.
Definition num d (n j : nat) := match d with Past => j | Future => (n - 1 - j)%nat end.
  (* positions counted from that sentinel *)
Definition ind (b : bool) : R := if b then 1 else 0.
Definition by_method {X} (m : method) (x y : X) := match m with Temperature => x | Positions => y end.

Section Compile.
Context {A : Type}.
Variable me : method.

(* ---- nets ---- *)
Definition real_def : def A := Letter (fun _ => true).
Definition round_raw (c : nat) : def A := Net [(1, [(2, c); (2, O)], - (5 / 2)); (-1, [(2, c); (2, O)], - (7 / 2))].
Definition negation (c : nat) : def A := Net [(1, [(1, O); (-1, c)], 0)].
Definition conjunction (c1 c2 : nat) : def A := Net [(1, [(1, c1); (1, c2); (-1, O)], 0)].
Definition candidate (c1 c2 : nat) : def A :=               (* b or not a *)
  Net [(1, [(1, c2); (-1, c1); (1, O)], 0); (-1, [(1, c2); (-1, c1)], 0)].

(* ---- once ---- *)
Definition once_block d (L c : nat) : prog A :=
  [ Feature (fun _ n => by_method me 1 (ln (INR n) + kappa));
    Head (mask_of d) (fun n => by_method me (ln (INR n) + kappa) 1) [([(1, L)], [(1, c)])] [(1, c)];
    round_raw (L + 1) ].

(* ---- nearest: since and until, yesterday and next ---- *)
Definition since_block d (L a b : nat) : prog A :=
  [ candidate a b;
    Feature (fun _ n => by_method me 1 (kappa * INR n));
    Feature (fun _ n => by_method me 1 kappa);
    Feature (fun i n => by_method me (INR i / INR n) (INR i));
    Head (mask_of d) (fun n => by_method me (kappa * INR n) 1)
      (by_method me [([(1, (L + 1)%nat)], [(1, L); (sign d, (L + 3)%nat)])]
                    [([(1, (L + 1)%nat)], [(1, L)]); ([(1, (L + 2)%nat)], [(sign d, (L + 3)%nat)])]) [(1, b)];
    round_raw (L + 4) ].
Definition step_block d (L c : nat) : prog A :=
  [ Feature (fun _ n => by_method me 1 kappa);
    Feature (fun i n => by_method me (INR i / INR n) (INR i));
    Head (strict_of d) (fun n => by_method me (kappa * INR n) 1) [([(1, L)], [(sign d, (L + 1)%nat)])] [(1, c)];
    round_raw (L + 2) ].

(* ---- count and compare. A term of a sum is a coefficient, a direction and a channel ---- *)
Definition term := (Z * dir * nat)%type.
Definition coef (t : term) := IZR (fst (fst t)).
Definition look (t : term) := snd (fst t).
Definition ch (t : term) := snd t.
Definition log_feature d : def A := Feature (fun i n => ln (INR (Nat.max (num d n i) 1)) / (2 * kappa * INR n)).
Definition compare_block d (ts : list term) (b : Z) (L : nat) : prog A :=
  [ Feature (fun i n => ind (Nat.eqb i (sentinel d n)));
    Head (mask_of d) (fun _ => 1) [] (map (fun t => (coef t, ch t)) ts ++ [(IZR b + / 2, L)]);      (* the mean y *)
    log_feature d;
    Feature (fun i n => by_method me 1 (2 * kappa * INR n) * ind (Nat.eqb i (sentinel d n)));
    Head (mask_of d) (fun n => by_method me (2 * kappa * INR n) 1) [([(1, (L + 1)%nat); (1, (L + 2)%nat)], [(1, (L +
      3)%nat)])] [(1, L)];
    round_raw (L + 4) ].

(* ---- balance: sums that look both ways ---- *)
Definition own (t : term) : R := match look t with Past => coef t | Future => - coef t end.
  (* in the mean over j <= i *)
Definition ahead (t : term) : R := match look t with Past => 0 | Future => coef t end.          (* in the total *)
Definition balance_block (ts : list term) (b : Z) (L : nat) : prog A :=
  let C := 2 * sum (fun t => Rabs (ahead t)) ts in
  [ Feature (fun i n => ind (Nat.eqb i 0));
    Feature (fun i n => ind (Nat.eqb i (n - 1)));
    Feature (fun i n => / INR (i + 1));
    Head UpTo (fun _ => 1) [] (map (fun t => (own t, ch t)) ts ++ [(IZR b + / 2, L)]);
    Net (map (fun t => (ahead t, [(1, (L + 2)%nat); (-1, O); (1, ch t)], 0)) ts);
    log_feature Past;
    Head All (fun _ => 1) [] (map (fun t => (ahead t, ch t)) ts);
    Net [(1, [(1, (L + 6)%nat); (- C, O); (- C, (L + 1)%nat)], 0); (-1, [(-1, (L + 6)%nat); (- C, O); (- C, (L +
      1)%nat)], 0)];
    Feature (fun i n => by_method me (/ INR n) (2 * kappa * INR n) * ind (Nat.eqb i 0));
    Feature (fun i n => by_method me 1 (2 * kappa * INR n * INR n) / INR (i + 1));
    Head UpTo (fun n => by_method me (2 * kappa * INR n * INR n) 1)
      [([(1, (L + 3)%nat); (1, (L + 4)%nat); (1, (L + 5)%nat)], [(1, (L + 8)%nat)]); ([(1, (L + 9)%nat)], [(1, (L +
        7)%nat)])] [(1, L)];
    round_raw (L + 10) ].

Definition same d d' := match d, d' with Past, Past => true | Future, Future => true | _, _ => false end.
Definition at_least_block (ts : list term) (b : Z) (L : nat) : prog A :=
  if forallb (fun t => same Past (look t)) ts then compare_block Past ts b L
  else if forallb (fun t => same Future (look t)) ts then compare_block Future ts b L
  else balance_block ts b L.

(* ---- look-up: residues of one count, one channel for each, from (L + 4)%nat + 2m on ---- *)
Definition lookup_block (t : term) (m : positive) (L : nat) : prog A :=
  let d := look t in let M := Pos.to_nat m in
  [ Head (mask_of d) (fun _ => 1) [] [(1, ch t)];
    Feature (fun i n => / INR (num d n i + 1));
    Feature (fun i n => by_method me (/ (INR n * INR n)) (kappa_lookup * INR n) * INR (num d n i));
    Feature (fun i n => by_method me (/ (INR n * INR n)) (kappa_lookup * INR n) * (INR (num d n i) * INR (num d n
      i))) ]
  ++ map (fun r => Feature (fun i n => ind (Z.eqb (Z.modulo (fst (fst t) * Z.of_nat (num d n i)) (Z.pos m)) (Z.of_nat
    r)))) (seq 0 M)
  ++ map (fun r => Head (mask_of d) (fun n => by_method me (kappa_lookup * INR n * INR n * INR n) 1)
            [([(2, L)], [(1, (L + 2)%nat)]); ([(-1, (L + 1)%nat)], [(1, (L + 3)%nat)])] [(1, (L + (4 + r))%nat)])
              (seq 0 M)
  ++ map (fun r => round_raw (L + (4 + M + r))) (seq 0 M).
(* one-hot groups are added modulo m by conjunctions of all pairs *)
Definition adder (m : positive) (x y r : nat) : def A :=
  let M := Pos.to_nat m in
  Net (map (fun a => (1, [(1, (x + a)%nat); (1, (y + (r + M - a) mod M)%nat); (-1, O)], 0)) (seq 0 M)).
Definition constant (m : positive) (b : Z) (r : nat) : def A := Net [(ind (Z.eqb (Z.modulo b (Z.pos m)) (Z.of_nat
  r)), [(1, O)], 0)].
Fixpoint group (m : positive) (ts : list term) (b : Z) (p : prog A) : prog A * nat := match ts with
  | [] => (p ++ map (constant m b) (seq 0 (Pos.to_nat m)), length p)
  | t :: r => let q := group m r b p in let L := length (fst q) in
      let p2 := fst q ++ lookup_block t m L in
      (p2 ++ map (adder m (L + (4 + 2 * Pos.to_nat m)) (snd q)) (seq 0 (Pos.to_nat m)), length p2)
  end.

(* ---- the compiler: a program to put it after, the longer program, the channel of the formula ---- *)
Fixpoint compile (f : form A) (p : prog A) {struct f} : prog A * nat := match f with
  | Sym q => (p ++ [Letter q], length p)
  | Neg a => let q := compile a p in (fst q ++ [negation (snd q)], length (fst q))
  | Conj a b => let q := compile a p in let r := compile b (fst q) in (fst r ++ [conjunction (snd q) (snd r)], length
    (fst r))
  | Once d a => let q := compile a p in (fst q ++ once_block d (length (fst q)) (snd q), length (fst q) + 2)%nat
  | Since d a b => let q := compile a p in let r := compile b (fst q) in
      (fst r ++ since_block d (length (fst r)) (snd q) (snd r), length (fst r) + 5)%nat
  | Step d a => let q := compile a p in (fst q ++ step_block d (length (fst q)) (snd q), length (fst q) + 3)%nat
  | AtLeast s => let q := compile_lin s p in let bl := at_least_block (snd q) (const s) (length (fst q)) in
      (fst q ++ bl, length (fst q) + (length bl - 1))%nat
  | Modulo s m r => let q := compile_lin s p in let g := group m (snd q) (const s) (fst q) in
      (fst g ++ [Net (if Nat.ltb r (Pos.to_nat m) then [(1, [(1, (snd g + r)%nat)], 0)] else [])], length (fst g))
  end
with compile_lin (s : lin A) (p : prog A) {struct s} : prog A * list term := match s with
  | Const _ => (p, [])
  | Plus k d a s' => let q := compile a p in let r := compile_lin s' (fst q) in (fst r, (k, d, snd q) :: snd r)
  end.
Definition transformer (f : form A) : prog A * nat := compile f [real_def].
End Compile.
