(* The checker: a function of a model, a formula, a length and a precision. It walks through the layers and keeps, for
   every channel, what it holds: a Boolean function of the letter and of temporal formulas ("atoms"), the feature i/N,
   a raw value that is near such a Boolean, or the mean of a count. Every step is a truth table over letters and atoms; nothing is searched
   for outside of it, and no bound is taken from the certificate. That it is sound is proved in Check.v and what it
   imports. Here are definitions only. *)
From Coq Require Import ZArith QArith List Bool Arith.
From Temper Require Import Strings Programs Compile.
From Temper.checker Require Import Model.
Import ListNotations.
Local Open Scope nat_scope.

(* ---- formulas ---- *)
Inductive fml := FT | FLet (ls : list nat) | FNot (a : fml) | FAnd (a b : fml)
  | FOnce (d : dir) (a : fml) | FSince (d : dir) (a b : fml) | FStep (d : dir) (a : fml)
  | FSum (b : Z) | FPlus (k : Z) (d : dir) (a r : fml)               (* b >= 0; k #[a] and what r adds up, >= 0 *)
  | FMod (d : dir) (s m k : nat).                                     (* (the letters from one end to here, and s) mod m = k *)
Definition FF := FNot FT.
Definition FOr a b := FNot (FAnd (FNot a) (FNot b)).
Definition lin_of (f : form nat) : lin nat := match f with AtLeast s => s | _ => Const 0 end.
Fixpoint den (f : fml) : form nat := match f with
  | FT => Sym (fun _ => true) | FLet ls => Sym (fun a => existsb (Nat.eqb a) ls)
  | FNot a => Neg (den a) | FAnd a b => Conj (den a) (den b)
  | FOnce d a => Once d (den a) | FSince d a b => Since d (den a) (den b) | FStep d a => Step d (den a)
  | FSum b => AtLeast (Const b) | FPlus k d a r => AtLeast (Plus k d (den a) (lin_of (den r)))
  | FMod d s m k => Modulo (Plus 1 d (Sym (fun _ => true)) (Const (Z.of_nat s))) (Pos.of_nat m) k end.
Fixpoint nats_eqb (a b : list nat) : bool := match a, b with
  | [], [] => true | x :: r, y :: s => Nat.eqb x y && nats_eqb r s | _, _ => false end.
Fixpoint fml_eqb (f g : fml) : bool := match f, g with
  | FT, FT => true | FLet a, FLet b => nats_eqb a b | FNot a, FNot b => fml_eqb a b
  | FAnd a b, FAnd c d => fml_eqb a c && fml_eqb b d
  | FOnce d a, FOnce e b => same d e && fml_eqb a b
  | FSince d a b, FSince e a' b' => same d e && fml_eqb a a' && fml_eqb b b'
  | FStep d a, FStep e b => same d e && fml_eqb a b
  | FSum a, FSum b => Z.eqb a b
  | FPlus k d a r, FPlus l e b s => Z.eqb k l && same d e && fml_eqb a b && fml_eqb r s
  | FMod d s m k, FMod e t n l => same d e && nats_eqb [s; m; k] [t; n; l] | _, _ => false end.

(* ---- points: a letter and a truth value for each atom; or a sentinel ---- *)
Definition val := list (fml * bool).
Fixpoint look (v : val) (f : fml) : option bool := match v with
  | [] => None | (g, b) :: r => if fml_eqb g f then Some b else look r f end.
Fixpoint bev (a : nat) (v : val) (f : fml) : option bool := match f with
  | FT => Some true | FLet ls => Some (existsb (Nat.eqb a) ls) | FNot g => option_map negb (bev a v g)
  | FAnd g h => match bev a v g, bev a v h with Some x, Some y => Some (x && y) | _, _ => None end
  | FSum b => Some (0 <=? b)%Z
  | _ => look v f end.
Fixpoint atoms (f : fml) : list fml := match f with
  | FT | FLet _ | FSum _ => [] | FNot g => atoms g | FAnd g h => atoms g ++ atoms h | _ => [f] end.
Fixpoint dedup (l : list fml) : list fml := match l with
  | [] => [] | f :: r => let q := dedup r in if existsb (fml_eqb f) q then q else f :: q end.
Fixpoint vals (l : list fml) : list val := match l with
  | [] => [[]] | f :: r => flat_map (fun v => [(f, true) :: v; (f, false) :: v]) (vals r) end.
Inductive point := At (a : nat) (v : val) | Begin | Finish.
(* what cannot be at one position: once and since here follow from their operands here,
  and where there is no neighbour
   they are their operands; a neighbour has one letter *)
Definition alone (v : val) (d : dir) : bool := match look v (FStep d FT) with Some false => true | _ => false end.
Definition never (f : fml) : bool := match f with
  | FOnce _ (FNot FT) | FSince _ _ (FNot FT) | FStep _ (FNot FT) => true | _ => false end.
Definition may_be (a : nat) (v : val) (t : fml * bool) : bool := if never (fst t) then negb (snd t)
  else match fst t with
  | FOnce d g => match bev a v g with Some true => snd t | Some false => negb (snd t && alone v d) | None => true end
  | FSince d g h => match bev a v h with
      | Some true => snd t
      | Some false => negb (snd t && (alone v d || match bev a v g with Some false => true | _ => false end))
      | None => true end
  | FStep d (FLet x) => negb (snd t && (alone v d || existsb (fun u => match u with
      | (FStep e (FLet y), true) => same d e && negb (existsb (fun c => existsb (Nat.eqb c) y) x) | _ => false end)
        v))
  | FStep d _ => negb (snd t && alone v d)
  | _ => true end.
Definition possible (p : point) : bool := match p with At a v => forallb (may_be a v) v | _ => true end.
Definition all_points (letters : nat) (l : list fml) : list point :=
  flat_map (fun a => map (At a) (vals (dedup (flat_map atoms l)))) (seq 0 letters).
Definition points (letters : nat) (l : list fml) : list point := filter possible (all_points letters l).
Definition too_many : nat := 12.                                   (* atoms of one truth table *)
Definition few (l : list fml) : bool := Nat.leb (length (dedup (flat_map atoms l))) too_many.

(* ---- what a channel holds ---- *)
Inductive content := Ex (f : fml) (s e : bool) | Place | Raw (f : fml) (D : Q) | Junk
  | Mean (d : dir) (g : fml) (z : Z) (* the sum of g and 1/2 over the number of keys; at most z/2 *)
  | Share (d : dir) (* ln(max(k, 1))/(16*N), k: as many other keys *).
Definition zero := Ex FF false false.
Definition get (st : list content) c := nth c st Junk.
Definition is_zero (k : content) := match k with Ex (FNot FT) false false => true | _ => false end.
Definition is_one (k : content) := match k with Ex FT true true => true | _ => false end.
Definition formula_of (k : content) : list fml := match k with Ex f _ _ => [f] | Raw f _ => [f] | _ => [] end.
(* an exact Boolean at a point *)
Definition exact_at (st : list content) (p : point) (c : nat) : option bool := match get st c with
  | Ex f s e => match p with At a v => bev a v f | Begin => Some s | Finish => Some e end | _ => None end.
(* also a raw one: what it is near; on a sentinel that may be anything, which rv says *)
Fixpoint look_raw (rv : list (nat * bool)) c : option bool := match rv with
  | [] => None | (d, b) :: r => if Nat.eqb d c then Some b else look_raw r c end.
Definition near_at st p rv c := match get st c with
  | Raw f _ => match p with At a v => bev a v f | _ => look_raw rv c end | _ => exact_at st p c end.

(* ---- rows, in halves ---- *)
Definition halves (d : dyadic) : option Z :=
  if (Z.abs (ex d) <=? 60)%Z then
    if (-1 <=? ex d)%Z then Some (man d * 2 ^ (ex d + 1))%Z
    else let q := (2 ^ (-1 - ex d))%Z in if (man d mod q =? 0)%Z then Some (man d / q)%Z else None
  else None.
Fixpoint zrow (env : nat -> option bool) (r : wrow) : option Z := match r with
  | [] => Some 0%Z
  | (c, d) :: s => match halves d, env c, zrow env s with
      | Some h, Some b, Some z => Some ((if b then h else 0) + z)%Z | _, _, _ => None end end.
Fixpoint zabs (r : wrow) : option Z := match r with
  | [] => Some 0%Z
  | (c, d) :: s => match halves d, zabs s with Some h, Some z => Some (Z.abs h + z)%Z | _, _ => None end end.
Definition row_forms (st : list content) (r : wrow) : list fml := flat_map (fun t => formula_of (get st (fst t))) r.
Definition at_most (o : option Z) (b : Z) := match o with Some z => (z <=? b)%Z | None => false end.
Definition half_is (d : dyadic) (z : Z) := match halves d with Some h => Z.eqb h z | None => false end.

(* a table of what something is at each point, as a formula: one of the candidates, or a disjunction of points *)
Definition agrees_with (tab : list (point * bool)) (f : fml) : bool :=
  forallb (fun t => match fst t with At a v => match bev a v f with Some b => Bool.eqb b (snd t) | None => false end
                    | _ => true end) tab.
Definition literal (t : fml * bool) := if snd t then fst t else FNot (fst t).
Definition minterm (p : point) : fml := match p with
  | At a v => fold_right (fun t g => FAnd (literal t) g) (FLet [a]) v | _ => FF end.
Definition synth (tab : list (point * bool)) : fml :=
  let on := map fst (filter snd tab) in
  match filter (fun t => negb (snd t)) tab with [] => FT | _ =>
  match on with [] => FF | _ =>
    if forallb (fun p => match p with At _ [] => true | _ => false end) on
    then FLet (flat_map (fun p => match p with At a _ => [a] | _ => [] end) on)
    else fold_right (fun p g => FOr (minterm p) g) FF on end end.
Definition learn (cands : list fml) (tab : list (point * bool)) : option fml :=
  match find (agrees_with tab) cands with Some f => Some f
  | None => let f := synth tab in if agrees_with tab f then Some f else None end.
(* all or nothing *)
Fixpoint table (g : point -> option bool) (ps : list point) : option (list (point * bool)) := match ps with
  | [] => Some [] | p :: r => match g p, table g r with Some b, Some t => Some ((p, b) :: t) | _, _ => None end end.

(* ---- number formats: numbers are stored in one and summed in another, or in the same in any order ---- *)
Record kind := Kind { digits : Z; least : Z (* exponent of the least number *); room : Z (* 2^room is no overflow *);
  sum_digits : Z; sum_least : Z; one_format : bool }.
Definition f32_kind := Kind 24 (-149) 100 24 (-149) true.
Definition f64_kind := Kind 53 (-1074) 100 53 (-1074) true.
Definition bf16_f32_kind := Kind 8 (-133) 100 24 (-149) false.
Definition f16_f32_kind := Kind 11 (-24) 15 24 (-149) false.
Definition e4m3_f32_kind := Kind 4 (-9) 8 24 (-149) false.
(* errors of heads, from the length: Bounds.v *)
Record errors := Errors { D_once : option Q; D_near : option Q (* Booleans and a position *);
  D_step : option Q (* a position alone *); D_compare : option Q;
  most : Z (* what a count may add at a position, in halves *) }.

Definition sane (k : kind) : bool := (4 <=? digits k)%Z && (digits k <=? sum_digits k)%Z && (24 <=? sum_digits k)%Z
  && (sum_digits k <=? 53)%Z && (sum_least k <=? least k)%Z && (sum_least k <=? -149)%Z && (least k <=? -8)%Z
  && (8 <=? room k)%Z && (room k <=? 100)%Z && (one_format k || (sum_least k <? least k)%Z).

(* ---- sums of counts ---- *)
Fixpoint is_sum (f : fml) : bool := match f with FPlus _ _ _ r => is_sum r | FSum _ => true | _ => false end.
Fixpoint base (f : fml) : Z := match f with FPlus _ _ _ r => base r | FSum b => b | _ => 0%Z end.
Fixpoint counted (f : fml) : list fml := match f with FPlus _ _ a r => a :: counted r | _ => [] end.
(* what a letter at a point adds to those that look in a direction *)
Fixpoint adds (d : dir) (a : nat) (v : val) (f : fml) : option Z := match f with
  | FPlus k e g r => match bev a v g, adds d a v r with
      | Some b, Some z => Some ((if same d e && b then k else 0) + z)%Z | _, _ => None end
  | FSum _ => Some 0%Z | _ => None end.
Definition adds_all (letters : nat) (q : Z -> bool) (f : fml) : bool :=
  few (counted f) && forallb (fun p => match p with
    | At a v => match adds Past a v f, adds Future a v f with Some x, Some y => q x && q y | _, _ => false end
    | _ => true end) (points letters (counted f)).
Definition same_adds (f g : fml) (p : point) : bool := match p with
  | At a v => match adds Past a v f, adds Past a v g, adds Future a v f, adds Future a v g with
      | Some x, Some y, Some z, Some t => Z.eqb x y && Z.eqb z t | _, _, _, _ => false end
  | _ => true end.
Definition same_sum (letters : nat) (f g : fml) : bool := is_sum f && is_sum g && Z.eqb (base f) (base g) &&
  let l := counted f ++ counted g in few l && forallb (same_adds f g) (points letters l).
(* it is at least 0 where the other is not *)
Fixpoint opposite (f : fml) : fml := match f with
  | FPlus k d a r => FPlus (- k) d a (opposite r) | FSum b => FSum (- b - 1) | _ => f end.
Fixpoint shared (f : fml) : Z := match f with FPlus k _ _ r => Z.gcd k (shared r) | _ => 0%Z end.
Fixpoint divided (q : Z) (f : fml) : fml := match f with
  | FPlus k d a r => FPlus (k / q) d a (divided q r) | FSum b => FSum (b / q) | _ => f end.
Definition reduced (f : fml) : fml := if (1 <? shared f)%Z then divided (shared f) f else f.

Section Check.
Variables (bits : kind) (letters : nat) (tail : bool) (cands : list fml) (D : errors).
(* sums of halves in rows of exact Booleans: weights are stored *)
Definition wide := (2 ^ (sum_digits bits - 2))%Z.
Definition big := Z.min wide (2 ^ digits bits).

(* ---- Boolean rows of heads ---- *)
Definition row_bool st (r : wrow) (p : point) : option bool := match zrow (exact_at st p) r with
  | Some 0%Z => Some false | Some 2%Z => Some true | _ => None end.
Definition off_sentinels st r := match row_bool st r Begin, row_bool st r Finish with
  | Some false, Some false => true | _, _ => false end.
(* its formula, if it is Boolean at every point and 0 on sentinels *)
Definition bool_row st (r : wrow) : option fml :=
  let fs := row_forms st r in
  if at_most (zabs r) big && off_sentinels st r && few fs then
    match table (row_bool st r) (points letters fs) with Some t => learn cands t | None => None end
  else None.
(* do two formulas mean the same on letters? *)
Definition same_at (f g : fml) (p : point) : bool := match p with
  | At a v => match bev a v f, bev a v g with Some x, Some y => Bool.eqb x y | _, _ => false end | _ => true end.
Definition alike (f g : fml) : bool := few [f; g] && forallb (same_at f g) (points letters [f; g]).
Definition implies (f g : fml) : bool := alike f (FAnd f g).
(* whatever atoms are: the compiler's normal form knows no more *)
Definition same_table (f g : fml) : bool := few [f; g] && forallb (same_at f g) (all_points letters [f; g]).
(* ---- sums of counts: one name for each ---- *)
Fixpoint insert (k : Z) (d : dir) (a s : fml) : fml := match s with
  | FPlus l e b r => if same d e && alike a b then if (k + l =? 0)%Z then r else FPlus (k + l) e b r
                     else FPlus l e b (insert k d a r)
  | _ => FPlus k d a s end.
Fixpoint merged (s : fml) : fml := match s with
  | FPlus k d a r => if (k =? 0)%Z || alike a FF then merged r else insert k d a (merged r) | _ => s end.
(* a constant, one of those that have a name or its opposite, or itself *)
Definition sum_name (names : list fml) (f : fml) : fml := let g := reduced f in
  if (0 <=? base g)%Z && adds_all letters (Z.leb 0) g then FT
  else if (base g <? 0)%Z && adds_all letters (Z.geb 0) g then FF
  else match find (same_sum letters g) names with Some h => h
  | None => match find (same_sum letters (opposite g)) names with Some h => FNot h | None => g end end.
(* what is enough to stand once, if any of it is *)
Fixpoint any (d : dir) (b : Z) (s : fml) : option fml := match s with
  | FPlus k e a r => if same d e && (0 <=? b + k)%Z then option_map (FOr a) (any d b r) else None
  | FSum _ => if (b <? 0)%Z then Some FF else None | _ => None end.
Definition looks_first (s : fml) : dir := match s with FPlus _ d _ _ => d | _ => Past end.
Definition query_one st (h : head) := match h_query h with
  | [[(c, d)]] => half_is d 2 && is_one (get st c) | _ => false end.
Definition strict (m : mask) := match m with Before | After => true | _ => false end.
Definition dir_of (m : mask) : option dir := match m with Before | UpTo => Some Past | After | From => Some Future
  | All => None end.
Definition shifted (m : mask) (d : dir) (f : fml) := if strict m then FStep d f else f.

(* a key row of a nearest head: Boolean terms, and then one term +-1 of the feature i/N *)
Definition is_place st (t : nat * dyadic) := match get st (fst t) with Place => true | _ => false end.
Definition key_parts st (r : wrow) : option (wrow * dyadic) := match rev r with
  | t :: rest => if is_place st t then Some (rev rest, snd t) else None | [] => None end.
Definition sign_ok (d : dir) (x : dyadic) := half_is x (match d with Past => 2 | Future => -2 end).
Fixpoint find_since (d : dir) (m : mask) (chi psi : fml) (l : list fml) : option fml := match l with
  | [] => None
  | g :: r => match (if strict m then match g with FStep e g' => if same d e then Some g' else None | _ => None end
                     else Some g) with
      | Some (FSince e a b) => if same d e && alike psi b && alike chi (FOr b (FNot a)) then Some g
                               else find_since d m chi psi r
      | _ => find_since d m chi psi r end end.
Fixpoint find_once (d : dir) (m : mask) (chi : fml) (l : list fml) : option fml := match l with
  | [] => None
  | g :: r => match (if strict m then match g with FStep e g' => if same d e then Some g' else None | _ => None end
                     else Some g) with
      | Some (FOnce e a) => if same d e && alike chi a then Some g else find_once d m chi r
      | _ => find_once d m chi r end end.
Fixpoint find_step (d : dir) (psi : fml) (l : list fml) : option fml := match l with
  | [] => None
  | FStep e a as g :: r => if same d e && alike psi a then Some g else find_step d psi r
  | _ :: r => find_step d psi r end.

(* ---- what one value of a head means, and its error ---- *)
Definition with_error (e : option Q) (f : fml) : option (fml * Q) := match e with Some q => Some (f, q) | None =>
  None end.
Definition stepped (d : dir) (f : fml) : fml := match find_step d f cands with Some g => g | None =>
  match find_step d (FNot f) cands with Some g => FAnd (FStep d FT) (FNot g) | None => FStep d f end end.
Definition tap_plain st (t : tap) : option (fml * Q) :=
  let '(h, v, _) := t in
  if query_one st h then
    match dir_of (h_mask h), h_key h, bool_row st v with
    | Some d, [k], Some psi =>
      if strict (h_mask h) && same d Future && negb tail then None else
      match h_scale h with
      | E_log => match bool_row st k with
          | Some chi => if alike chi psi then with_error (D_once D)
              (match find_once d (h_mask h) chi cands with Some g => g | None => shifted (h_mask h) d (FOnce d chi)
                end)
              else None
          | None => None end
      | E_steep => match key_parts st k with
          | Some (rest, x) => if sign_ok d x then
              match rest with
              | [] => if strict (h_mask h)
                  then with_error (D_step D) (stepped d psi) else None
              | _ => match bool_row st rest with
                  | Some chi => if implies psi chi then with_error (D_near D)
                      (match find_since d (h_mask h) chi psi cands with Some g => g
                       | None => shifted (h_mask h) d (FSince d (FOr (FNot chi) psi) psi) end) else None
                  | None => None end end
            else None
          | None => None end
      | _ => None end
    | _, _, _ => None end
  else None.
(* the nearest position with the same remainder modulo m, which is m positions away; a sentinel if there is none *)
Definition residue_is st (d : dir) (s m k : nat) (r : wrow) : bool := match r with
  | [(c, x)] => half_is x 2 && match get st c with Ex f false false => fml_eqb f (FMod d s m k) | _ => false end
  | _ => false end.
(* rows of queries and keys from the k-th remainder on; what stands behind them *)
Fixpoint residue_rows st (d : dir) (s m k : nat) (qs ks : list wrow) : option (wrow * wrow) := match qs, ks with
  | [q], [r] => if Nat.eqb k m then Some (q, r) else None
  | q :: qs, r :: ks => if residue_is st d s m k q && residue_is st d s m k r then residue_rows st d s m (S k) qs ks else None
  | _, _ => None end.
Definition pattern_of st (h : head) : option (dir * nat * nat) := match h_query h with
  | [(c, _)] :: _ => match get st c with Ex (FMod d s m _) _ _ => Some (d, s, m) | _ => None end | _ => None end.
Definition one_row_is st (r : wrow) : bool := match r with [(c, x)] => half_is x 2 && is_one (get st c) | _ => false end.
Definition ends_row_is st (d : dir) (r : wrow) : bool := match r with
  | [(c, x)] => half_is x 2 && match get st c with
      | Ex (FNot FT) s e => match d with Past => s && negb e | Future => e && negb s end | _ => false end
  | _ => false end.
Definition tap_pattern st (t : tap) : option (fml * Q) := let '(h, v, _) := t in
  match pattern_of st h with None => None | Some (d, s, m) =>
  match residue_rows st d s m 0 (h_query h) (h_key h) with None => None | Some (q, k) =>
  match key_parts st k, bool_row st v, h_scale h with
  | Some (rest, x), Some psi, E_steep =>
      if one_row_is st q && ends_row_is st d rest && sign_ok d x && Nat.ltb 0 m && (tail || same d Past)
         && match d, h_mask h with Past, Before | Future, After => true | _, _ => false end
      then with_error (D_near D) (Nat.iter m (stepped d) psi) else None
  | _, _, _ => None end end end.
Definition tap_boolean st (t : tap) : option (fml * Q) := match tap_plain st t with
  | Some p => Some p | None => tap_pattern st t end.

(* a count: no scores, so a mean over all keys; the sentinel's value says what is added, and a half *)
Definition plain_dir (m : mask) : option dir := match m with UpTo => Some Past | From => Some Future | _ => None end.
Fixpoint sum_row st (d : dir) (b : Z) (r : wrow) : option fml := match r with
  | [] => Some (FSum b)
  | (c, x) :: s => match get st c, halves x, sum_row st d b s with
      | Ex f _ _, Some h, Some g => match f with FNot FT => Some g | _ =>
          if Z.even h then Some (FPlus (h / 2) d f g) else None end
      | _, _, _ => None end end.
Definition tap_count st (t : tap) : option content := let '(h, v, _) := t in
  match h_query h, h_key h, h_scale h, plain_dir (h_mask h) with
  | [], [], E_whole 1, Some d =>
      match zrow (exact_at st Begin) v, zrow (exact_at st Finish) v, zabs v with
      | Some s, Some e, Some z =>
          let here := match d with Past => s | Future => e end in let other := match d with Past => e | Future => s end in
          if Z.odd here && Z.eqb other 0 && (z <=? most D)%Z && (tail || same d Past)
          then option_map (fun g => Mean d g z) (sum_row st d (here / 2) v) else None
      | _, _, _ => None end
  | _, _, _, _ => None end.
(* a comparison: the sentinel against all others *)
Definition is_sentinel (d : dir) (k : content) : bool := match k with
  | Ex (FNot FT) s e => match d with Past => s && negb e | Future => negb s && e end | _ => false end.
Definition tap_compare st (t : tap) : option (fml * Q) := let '(h, v, _) := t in
  match h_query h, h_key h, h_scale h, v with
  | [[(cm, a); (cl, b)]], [[(ck, k)]], E_twice, [(cv, y)] =>
      match get st cm, get st cl, plain_dir (h_mask h) with
      | Mean d g _, Share e, Some d' =>
          if is_sum g && (tail || same d Past) && same d e && same d d' && is_sentinel d (get st ck)
             && is_sentinel d (get st cv) && forallb (fun q => half_is q 2) [a; b; k; y]
          then with_error (D_compare D) (sum_name cands g) else None
      | _, _, _ => None end
  | _, _, _, _ => None end.
Definition tap_meaning st (t : tap) : option content := match tap_count st t with Some k => Some k | None =>
  option_map (fun p => Raw (fst p) (snd p))
    (match tap_compare st t with Some p => Some p | None => tap_boolean st t end) end.

(* what is known to be at most 2, or 2^8 where a format has the room for it *)
Definition much_room : bool := (29 <=? room bits)%Z.
Definition cap : Z := if much_room then 8 else 1.
Definition known (k : content) : bool := match k with Junk => false | Raw _ D => Qle_bool D 1
  | Mean _ _ z => much_room && (z <=? 2 ^ 9)%Z | _ => true end.
(* heads: each value goes, with weight 1, to a channel of its own that was 0 *)
Fixpoint set (st : list content) (c : nat) (k : content) : list content := match st, c with
  | [], _ => [] | _ :: r, O => k :: r | a :: r, S c' => a :: set r c' k end.
Fixpoint do_taps (st0 st : list content) (l : list tap) : option (list content) := match l with
  | [] => Some st
  | t :: r => match snd t, tap_meaning st0 t with
      | [(c, d)], Some k =>
          if half_is d 2 && is_zero (get st c) && known k then do_taps st0 (set st c k) r else None
      | _, _ => None end end.

(* ---- nets ---- *)
Definition writers (c : nat) (us : list unit_) : list (unit_ * dyadic) :=
  flat_map (fun u => map (fun t => (u, snd t)) (filter (fun t => Nat.eqb (fst t) c) (u_out u))) us.
(* in quarters: what exact units add at a point *)
Definition unit_at st p (t : unit_ * dyadic) : option Z :=
  match zrow (exact_at st p) (u_in (fst t)), halves (u_bias (fst t)), halves (snd t) with
  | Some z, Some b, Some o => Some (o * Z.max 0 (z + b))%Z | _, _, _ => None end.
Fixpoint units_at st p (l : list (unit_ * dyadic)) : option Z := match l with
  | [] => Some 0%Z | t :: r => match unit_at st p t, units_at st p r with Some x, Some y => Some (x + y)%Z | _, _ =>
    None end end.
Definition unit_abs (t : unit_ * dyadic) : option Z := match zabs (u_in (fst t)), halves (u_bias (fst t)),
  halves (snd t) with
  | Some z, Some b, Some o => if (z + Z.abs b <=? big)%Z && (Z.abs o <=? big)%Z then Some (Z.abs o * (z + Z.abs b))%Z
    else None | _, _, _ =>
    None end.
Fixpoint units_abs (l : list (unit_ * dyadic)) : option Z := match l with
  | [] => Some 0%Z | t :: r => match unit_abs t, units_abs r with Some x, Some y => Some (x + y)%Z | _, _ =>
    None end end.
Definition after_exact st c (l : list (unit_ * dyadic)) (p : point) : option bool :=
  match exact_at st p c, units_at st p l with
  | Some b, Some z => let t := ((if b then 4 else 0) + z)%Z in
      if Z.eqb t 0 then Some false else if Z.eqb t 4 then Some true else None
  | _, _ => None end.
Definition unit_forms st (l : list (unit_ * dyadic)) := flat_map (fun t => row_forms st (u_in (fst t))) l.
Definition exact_net st c (l : list (unit_ * dyadic)) : content :=
  let fs := formula_of (get st c) ++ unit_forms st l in
  if few fs && match units_abs l with Some z => (z + 4 <=? wide)%Z | None => false end then
    match after_exact st c l Begin, after_exact st c l Finish, table (after_exact st c l) (points letters fs) with
    | Some s, Some e, Some t => match learn cands t with Some f => Ex f s e | None => Junk end
    | _, _, _ => Junk end
  else Junk.
(* a ramp: two units with one row, biases -k/2 and -k/2 - 1, weights 1 and -1 *)
Definition dyadic_eqb (a b : dyadic) := Z.eqb (man a) (man b) && Z.eqb (ex a) (ex b).
Fixpoint wrow_eqb (a b : wrow) : bool := match a, b with
  | [], [] => true | (c, x) :: r, (d, y) :: s => Nat.eqb c d && dyadic_eqb x y && wrow_eqb r s | _, _ => false end.
(* errors of raw inputs; their weights are +-1 or +-2, so that products are exact *)
Fixpoint raw_slack st (r : wrow) : option Q := match r with
  | [] => Some 0%Q
  | (c, d) :: s => match raw_slack st s with None => None | Some q =>
      match get st c with
      | Raw _ D => match halves d with
          | Some h => if Z.eqb (Z.abs h) 2 || Z.eqb (Z.abs h) 4 then Some (q + (Z.abs h # 2) * D)%Q else None
          | None => None end
      | Ex _ _ _ => Some q | _ => None end end end.
Definition slack_ok st (r : wrow) : bool := match raw_slack st r, zabs r with
  | Some q, Some z => Qle_bool (q + (z # 1) * (Z.of_nat (length r) # 1) * (4 # 2 ^ Z.to_pos (sum_digits bits))) (1 #
    2)
                      && (z <=? 2 ^ (sum_digits bits - 4))%Z && (z <=? big)%Z && Nat.leb (length r) 4096
  | _, _ => false end.
(* one raw input, twice, among exact ones: rounding does not carry the sum across a half *)
Definition all_exact st (r : wrow) := forallb (fun t => match get st (fst t) with Ex _ _ _ => true | _ => false end)
  r.
Fixpoint lone st (r : wrow) : bool := match r with
  | [] => false
  | (c, d) :: s => match get st c with
      | Raw _ e => half_is d 4 && Qle_bool e (1 # 4) && all_exact st s | Ex _ _ _ => lone st s | _ => false end end.
Definition near_ok st (r : wrow) : bool :=
  lone st r && at_most (zabs r) (Z.min big (2 ^ (sum_digits bits - 4)) - 1) || one_format bits && slack_ok st r.
(* what a ramp gives, or two of them as an exclusive or, where the row is z halves *)
Definition decide (k : Z) (xor : bool) (z : Z) : option bool :=
  if (z + 1 <=? k)%Z then Some false else if (k + 3 <=? z)%Z && (negb xor || (z + 1 <=? k + 4)%Z) then Some true
  else if xor && (k + 7 <=? z)%Z then Some false else None.
(* in two formats the units of a ramp that gives 1 must be stored exactly: the raw input is near 1,
  they are at most 2 *)
Definition raw_true st p rv (r : wrow) := forallb (fun t => match get st (fst t) with
  | Raw _ _ => match near_at st p rv (fst t) with Some b => b | None => false end | _ => true end) r.
Definition ramp_at st (k : Z) (xor : bool) (r : wrow) rv (p : point) : option bool := match zrow (near_at st p rv)
  r with
  | Some z => if (z + 1 <=? k)%Z || one_format bits || negb xor && (z <=? k + 3)%Z && raw_true st p rv r
              then decide k xor z else None
  | None => None end.
Fixpoint raws st (r : wrow) : list nat := match r with
  | [] => [] | (c, _) :: s => match get st c with Raw _ _ => c :: raws st s | _ => raws st s end end.
Fixpoint raw_vals (l : list nat) : list (list (nat * bool)) := match l with
  | [] => [[]] | c :: r => flat_map (fun v => [(c, true) :: v; (c, false) :: v]) (raw_vals r) end.
Definition always st k xor r (b : bool) (p : point) : bool :=
  forallb (fun rv => match ramp_at st k xor r rv p with Some x => Bool.eqb x b | None => false end)
    (raw_vals (raws st r)).
(* units with one row: biases -k/2, -k/2 - 1 and weights 1, -1; for an exclusive or also -k/2 - 2, -k/2 - 3 and -1,
  1 *)
Definition is_unit (r : wrow) (b w : Z) (t : unit_ * dyadic) : bool :=
  wrow_eqb r (u_in (fst t)) && half_is (u_bias (fst t)) b && half_is (snd t) w.
Definition ramp_shape (l : list (unit_ * dyadic)) : option (wrow * Z * bool) := match l with
  | t1 :: t2 :: rest => match halves (u_bias (fst t1)) with
      | Some b => let r := u_in (fst t1) in let k := (- b)%Z in
          if is_unit r b 2 t1 && is_unit r (b - 2) (-2) t2 && (0 <? k)%Z && (k + 6 <=? big)%Z then match rest with
            | [] => Some (r, k, false)
            | [t3; t4] => if is_unit r (b - 4) (-2) t3 && is_unit r (b - 6) 2 t4 then Some (r, k, true) else None
            | _ => None end else None
      | None => None end
  | _ => None end.
Definition ramp_net st c (l : list (unit_ * dyadic)) : content := match ramp_shape l with
  | Some (r, k, xor) => let fs := row_forms st r in
      if is_zero (get st c) && near_ok st r && few fs && Nat.leb (length (raws st r)) too_many
         && always st k xor r false Begin && always st k xor r false Finish then
        match table (ramp_at st k xor r []) (points letters fs) with
        | Some t => match learn cands t with Some f => Ex f false false | None => Junk end | None => Junk end
      else Junk
  | None => Junk end.
(* a raw value is taken away again: x - relu(x); one of either sign: x - relu(x) + relu(-x) *)
Definition clears c (s : Z) (t : unit_ * dyadic) : bool := match u_in (fst t) with
  | [(c', x)] => Nat.eqb c c' && half_is x s && half_is (u_bias (fst t)) 0 && half_is (snd t) (- s) | _ => false end.
Definition cleared c (l : list (unit_ * dyadic)) : bool := match l with [t] => clears c 2 t | _ => false end.
Definition cleared_twice c (l : list (unit_ * dyadic)) : bool := match l with
  | [t; q] => clears c 2 t && clears c (-2) q | _ => false end.
Definition net_channel st us c : content := match writers c us with
  | [] => match get st c with Raw _ _ => Junk | k => k end
  | l => match get st c with
      | Raw _ _ => if cleared c l then zero else Junk
      | Mean _ _ _ => if cleared_twice c l then zero else Junk
      | Ex _ _ _ => match exact_net st c l with Junk => ramp_net st c l | k => k end
      | _ => Junk end end.
Definition do_net st us : list content := map (net_channel st us) (seq 0 (length st)).

(* ---- sizes: with these no operation gives a number beyond 2^100 (InRange.v) ---- *)
Definition modest_weight (d : dyadic) : bool :=
  (ex d <=? 8)%Z && (-1100 <=? ex d)%Z && (Z.abs (man d) <=? 2 ^ (8 - ex d))%Z.
(* where the storage format has little room sums of rows are at most 128, and biases 64 *)
Definition little : Z := Z.min 128 big.
Definition modest_row (n : nat) (r : wrow) : bool :=
  forallb (fun t => modest_weight (snd t) && Nat.ltb (fst t) n) r && Nat.leb (length r) 4096
  && (much_room || at_most (zabs r) little).
Definition modest_unit (n : nat) (u : unit_) : bool :=
  modest_row n (u_in u) && forallb (fun t => modest_weight (snd t)) (u_out u) && modest_weight (u_bias u)
  && (much_room || at_most (option_map Z.abs (halves (u_bias u))) little).
(* a head without values would compute logits of which nothing is known *)
Definition modest_layer (n : nat) (l : layer) : bool :=
  forallb (fun h => match h_value h, h_output h with _ :: _, _ :: _ => true | _, _ => false end) (l_heads l)
  && forallb (fun t : tap => forallb (modest_row n) (snd (fst t) :: h_query (fst (fst t)) ++ h_key (fst (fst t))))
    (taps l)
  && forallb (modest_unit n) (l_units l) && (Z.of_nat (length (flat_map u_out (l_units l))) <=? 2 ^ 20)%Z.
(* what heads and units have written is near a Boolean *)
Definition heads_known n (st st1 : list content) : bool := forallb (fun c => match get st c with
  | Junk => true | _ => known (get st1 c) end) (seq 0 n).
Definition units_known n st2 us : bool := forallb (fun c => match writers c us with
  | [] => true | _ => known (get st2 c) end) (seq 0 n).
Definition safe_layer n st st1 st2 (l : layer) : bool :=
  modest_layer n l && heads_known n st st1 && units_known n st2 (l_units l).
(* n: channels *)
Fixpoint do_layers (n : nat) st (l : list layer) : option (list content) := match l with
  | [] => Some st
  | a :: r => match do_taps st st (taps a) with
      | Some st1 => let st2 := do_net st1 (l_units a) in if safe_layer n st st1 st2 a then do_layers n st2 r else None
      | None => None end end.

(* ---- the embedding ---- *)
Definition embed_bit (c : nat) (r : wrow) : option bool := match filter (fun t => Nat.eqb (fst t) c) r with
  | [] => Some false | [t] => if half_is (snd t) 2 then Some true else None | _ => None end.
Fixpoint embed_letters (c : nat) (a : nat) (rows : list wrow) : option (list nat) := match rows with
  | [] => Some [] | r :: s => match embed_bit c r, embed_letters c (S a) s with
      | Some b, Some l => Some (if b then a :: l else l) | _, _ => None end end.
Definition first_content (m : model) (c : nat) : content :=
  match embed_letters c 0 (m_embed m), embed_bit c (m_start m), embed_bit c (m_end_row m) with
  | Some l, Some s, Some e => match nth c (m_channels m) None with
      | None => Ex (if nats_eqb l [] then FF else FLet l) s e
      | Some x => if nats_eqb l [] && negb s && negb e then match x with
          | E_whole z => if Z.eqb z 1 then Ex FT true true else if Z.eqb z 0 then zero else Junk
          | E_place => Place
          | E_share d => Share d
          | E_start => Ex FF true false
          | E_end => if tail then Ex FF false true else Junk
          | E_first => Ex (FNot (FStep Past FT)) false false
          | E_last => Ex (FNot (FStep Future FT)) false false
          | E_residue d s m k => if Nat.ltb 0 m && (tail || same d Past) then Ex (FMod d s m k) false false else Junk
          | _ => Junk end else Junk end
  | _, _, _ => Junk end.
Definition modest_model (m : model) : bool := let n := length (m_channels m) in
  modest_row n (m_read m) && forallb (fun c => known (first_content m c)) (seq 0 n).
Definition first_state (m : model) : list content := map (first_content m) (seq 0 (length (m_channels m))).

(* ---- one name for each atom of the source, and constants folded ---- *)
Definition rep (reps : list fml) (f : fml) (p : fml -> bool) : fml * list fml :=
  match find p reps with Some g => (g, reps) | None => (f, f :: reps) end.
Definition rep_once reps d a := rep reps (FOnce d a) (fun g => match g with FOnce e b => same d e &&
  same_table a b | _ =>
  false end).
Definition rep_step reps d a := rep reps (FStep d a) (fun g => match g with FStep e b => same d e &&
  same_table a b | _ =>
  false end).
Definition rep_since reps d a b := rep reps (FSince d a b) (fun g => match g with
  | FSince e x y => same d e && same_table a x && same_table b y | _ => false end).
(* a step of a negation: there is a neighbour, and it does not hold there *)
Definition step_not (d : dir) (g : fml) := FAnd (FStep d FT) (FNot g).
Fixpoint mk_step (reps : list fml) (d : dir) (a : fml) : fml * list fml := match a with
  | FNot b => if alike b FT then (FF, reps) else let (g, r) := mk_step reps d b in (step_not d g, r)
  | _ => if alike a FF then (FF, reps) else if alike a FT then rep_step reps d FT else rep_step reps d a
    end.
Definition negate (a : fml) := match a with FNot b => b | _ => FNot a end.
Definition mk_once (reps : list fml) (d : dir) (a : fml) : fml * list fml :=
  if alike a FF then (FF, reps) else if alike a FT then (FT, reps) else
  match a with FOnce e _ => if same d e then (a, reps) else rep_once reps d a | _ => rep_once reps d a end.
Definition both (a b : fml) := if alike (FAnd a b) a then a else if alike (FAnd a b) b then b else FAnd a b.
Definition mk_sum (reps : list fml) (g : fml) : fml * list fml :=
  if negb (is_sum g) then (g, reps) else let h := reduced (merged g) in let d := looks_first h in
  match any d (base h) h, any d (base (opposite h)) (opposite h) with
  | Some f, _ => mk_once reps d f
  | None, Some f => let (q, r) := mk_once reps d f in (negate q, r)
  | None, None => match sum_name reps h with
      | FPlus k d a r => let h := FPlus k d a r in (h, h :: reps) | h => (h, reps) end end.
(* inner: what a sum adds up goes on being a sum *)
Fixpoint canon_ (inner : bool) (f : fml) (reps : list fml) : fml * list fml :=
  let canon := canon_ false in match f with
  | FT | FLet _ | FMod _ _ _ _ => (f, reps)
  | FNot a => if inner then (f, reps) else let (a', r) := canon a reps in (negate a', r)
  | FAnd a b => if inner then (f, reps) else
      let (a', r) := canon a reps in let (b', q) := canon b r in (both a' b', q)
  | FOnce d a => if inner then (f, reps) else let (a', r) := canon a reps in mk_once r d a'
  | FStep d a => if inner then (f, reps) else let (a', r) := canon a reps in mk_step r d a'
  | FSum _ => if inner then (f, reps) else mk_sum reps f
  | FPlus k d a s => let (a', r) := canon a reps in let (s', q) := canon_ true s r in
      let g := FPlus k d a' s' in if inner then (g, q) else mk_sum q g
  | FSince d a b => if inner then (f, reps) else let (a', r) := canon a reps in let (b', q) := canon b r in
      if alike b' FF then (FF, q) else if alike b' FT then (FT, q)
      else if same_table a' (FAnd a' b') then (b', q) else if same_table (FNot a') (FAnd (FNot a') b')
        then mk_once q d b'
      else rep_since q d a' b' end.
Definition canon := canon_ false.

(* ---- the read-out ---- *)
Definition read_ok st (r : wrow) (src : fml) (empty : bool) : bool :=
  let fs := src :: row_forms st r in
  at_most (zabs r) big && few fs && match row_bool st r Begin with Some b => Bool.eqb b empty | None => false end
  && forallb (fun p => match p with At a v => match row_bool st r p, bev a v src with
       | Some x, Some y => Bool.eqb x y | _, _ => false end | _ => true end) (points letters fs).
End Check.

Fixpoint subs (f : fml) : list fml := f :: match f with
  | FT | FLet _ | FMod _ _ _ _ => [] | FNot a => subs a | FAnd a b => subs a ++ subs b | FOnce _ a => subs a
  | FSince _ a b => subs a ++ subs b | FStep _ a => subs a
  | FSum _ => [] | FPlus _ _ a r => subs a ++ tl (subs r) end.
