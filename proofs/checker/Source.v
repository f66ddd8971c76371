(* The text of a specification (doc/language.md, sections 1 to 8), as it stands in a model file, read as a formula.
   Nothing is proved of this function either: it is what "the specification of this file" means. It knows letters and
   tokens in quotes or bare, classes, true, false, first, last, all Boolean and temporal operators, powers such
   as Y^3, brackets, comments, definitions over several lines, sums of counts and their comparisons, C-RASP programs of
   such, and header lines that say what the file says. It refuses remainders, regular expressions, tables, positions,
   attention and what it does not know. Precedence is that of src/logic/parse.c, and what asks for parentheses there is
   refused here.

   specification_of   from a file to its formula *)
From Coq Require Import ZArith Bool Arith Ascii String List.
From Temper Require Import Strings.
From Temper.checker Require Import Model Checker Parse.
Import ListNotations.
Local Open Scope char_scope.
Local Open Scope list_scope.

(* ---- operators, written by the four of fml ---- *)
Inductive prefix := Not | Next | Weak_next | Eventually | Always | Yesterday | Weak_yesterday | Once_ | Historically.
Inductive infix := Until | Release | Weak_until | Strong_release | Since_ | Triggered.
Definition is_past o := match o with Since_ | Triggered => true | _ => false end.
Definition apply1 (o : prefix) (a : fml) : fml := match o with
  | Not => FNot a
  | Next => FStep Future a | Weak_next => FNot (FStep Future (FNot a))
  | Yesterday => FStep Past a | Weak_yesterday => FNot (FStep Past (FNot a))
  | Eventually => FOnce Future a | Always => FNot (FOnce Future (FNot a))
  | Once_ => FOnce Past a | Historically => FNot (FOnce Past (FNot a)) end.
Definition release d a b := FNot (FSince d (FNot a) (FNot b)).
Definition apply2 (o : infix) (a b : fml) : fml := match o with
  | Until => FSince Future a b | Since_ => FSince Past a b
  | Release => release Future a b | Triggered => release Past a b
  | Weak_until => release Future b (FOr a b) | Strong_release => FSince Future b (FAnd a b) end.
Definition FImplies a b := FOr (FNot a) b.
Definition FXor a b := FOr (FAnd a (FNot b)) (FAnd (FNot a) b).
Definition FIff a b := FOr (FAnd a b) (FAnd (FNot a) (FNot b)).
Definition first_here := FNot (FStep Past FT).
Definition last_here := FNot (FStep Future FT).
Definition times (k : nat) (o : prefix) (a : fml) := Nat.iter k (apply1 o) a.

(* sums of counts *)
Fixpoint shift (z : Z) (s : fml) := match s with
  | FPlus k d a r => FPlus k d a (shift z r) | FSum b => FSum (b + z) | _ => s end.
Fixpoint plus (s t : fml) := match s with FPlus k d a r => FPlus k d a (plus r t) | FSum b => shift b t | _ => s end.
Fixpoint multiple (z : Z) (s : fml) := match s with
  | FPlus k d a r => FPlus (z * k) d a (multiple z r) | FSum b => FSum (z * b) | _ => s end.
Definition at_least (s t : fml) := plus s (multiple (-1) t).
Inductive comparison := Eq_ | Ne_ | Lt_ | Le_ | Gt_ | Ge_.
Definition compare (o : comparison) (s t : fml) : fml := match o with
  | Ge_ => at_least s t | Le_ => at_least t s | Lt_ => FNot (at_least s t) | Gt_ => FNot (at_least t s)
  | Eq_ => FAnd (at_least s t) (at_least t s) | Ne_ => FNot (FAnd (at_least s t) (at_least t s)) end.

(* ---- tokens ---- *)
Inductive symbol := S_open | S_close | S_equals | S_line | S_letter (s : bytes) | S_word (s : bytes)
  | S_class (s : bytes)
  | S_atom (f : fml) | S_prefix (o : prefix) (k : nat) (* as often *) | S_infix (o : infix)
  | S_weak (* W with X or Y behind it: weak until, or half of a weak next *)
  | S_and | S_or | S_xor | S_implies | S_iff
  | S_count (d : dir) (* and its bracket *) | S_square | S_number (z : Z) | S_plus | S_minus | S_times
  | S_compare (o : comparison) | S_hash | S_open_square (* of C-RASP *).
Definition is_lower := between 97 122.
Definition is_upper := between 65 90.
Definition in_word c := is_lower c || is_digit c || Ascii.eqb c "_".
Definition in_name c := in_word c || is_upper c.
Fixpoint span (p : ascii -> bool) (s : bytes) : bytes * bytes := match s with
  | c :: r => if p c then let (a, b) := span p r in (c :: a, b) else ([], s) | [] => ([], []) end.
Definition starts (s : bytes) (p : ascii -> bool) := match s with c :: _ => p c | [] => false end.
Definition capital (c : ascii) (joined : bool) : option symbol := match c with
  | "X" => Some (S_prefix Next 1) | "F" => Some (S_prefix Eventually 1) | "G" => Some (S_prefix Always 1)
  | "Y" => Some (S_prefix Yesterday 1) | "Z" => Some (S_prefix Weak_yesterday 1) | "O" => Some (S_prefix Once_ 1)
  | "H" => Some (S_prefix Historically 1)
  | "U" => Some (S_infix Until) | "R" | "V" => Some (S_infix Release) | "M" => Some (S_infix Strong_release)
  | "S" => Some (S_infix Since_) | "T" => Some (S_infix Triggered)
  | "W" => Some (if joined then S_weak else S_infix Weak_until) | _ => None end.
Fixpoint capitals (run : bytes) : option (list symbol) := match run with
  | [] => Some []
  | c :: r => match capital c (starts r (fun d => Ascii.eqb d "X" || Ascii.eqb d "Y")), capitals r with
      | Some x, Some l => Some (x :: l) | _, _ => None end end.
(* X^3 behind a run, without a blank *)
Definition is_step o := match o with Next | Weak_next | Yesterday | Weak_yesterday => true | _ => false end.
Definition power (l : list symbol) (rest : bytes) : option (list symbol * bytes) := match rest with
  | "^" :: c :: _ => if is_digit c then
      let (d, q) := span is_digit (tl rest) in
      match rev' l, whole d with
      | S_prefix o _ :: before, Some k => if is_step o && (k <=? 4096)%Z && negb (starts q in_name)
          then Some (rev' before ++ [S_prefix o (Z.to_nat k)], q) else None
      | _, _ => None end else Some (l, rest)
  | "[" :: "!" :: "]" :: _ => None
  | _ => Some (l, rest) end.
Definition reserved (s : bytes) : symbol :=
  if is s "true" then S_atom FT else if is s "false" then S_atom FF
  else if is s "first" || is s "start" then S_atom first_here else if is s "last" then S_atom last_here
  else if is s "xor" then S_xor else S_word s.
(* an escape, behind its backslash: what it means, and what follows; `also` may be escaped, too *)
Definition escape (also : ascii -> bool) (s : bytes) : option (ascii * bytes) := match s with
  | "n" :: r => Some ("010", r) | "t" :: r => Some ("009", r) | "r" :: r => Some ("013", r)
  | "x" :: a :: b :: r => match hex2 a b with Some c => if between 1 127 c then Some (c, r) else None | None =>
    None end
  | c :: r => if Ascii.eqb c "\" || Ascii.eqb c "'" || Ascii.eqb c """" || also c then Some (c, r) else None
  | [] => None end.
Definition nothing (_ : ascii) := false.
(* up to the closing quote *)
Fixpoint quoted (fuel : nat) (q : ascii) (s cur : bytes) : option (bytes * bytes) := match fuel, s with
  | S n, c :: r => if Ascii.eqb c q then match cur with [] => None | _ => Some (rev' cur, r) end
      else if Ascii.eqb c "010" then None
      else if Ascii.eqb c "\" then match escape nothing r with Some (x, r) => quoted n q r (x :: cur) | None =>
        None end
      else quoted n q r (c :: cur)
  | _, _ => None end.
(* a class up to its bracket, as it stands: a backslash takes the next byte with it *)
Fixpoint class_text (s cur : bytes) : option (bytes * bytes) := match s with
  | "]" :: r => Some (rev' cur, r) | "010" :: _ => None
  | "\" :: c :: r => if Ascii.eqb c "010" then None else class_text r (c :: "\" :: cur)
  | c :: r => class_text r (c :: cur) | [] => None end.
Definition to_line_end := span (fun c => negb (Ascii.eqb c "010")).
(* symbols of three bytes that begin with E2, by the two others *)
Definition wide : list (Z * Z * symbol) := [(136, 167, S_and); (136, 168, S_or); (138, 149, S_xor);
  (134, 146, S_implies);
  (134, 148, S_iff); (138, 164, S_atom FT); (138, 165, S_atom FF); (151, 139, S_prefix Next 1);
  (151, 135, S_prefix Eventually 1); (150, 161, S_prefix Always 1); (151, 143, S_prefix Yesterday 1);
  (151, 134, S_prefix Once_ 1); (150, 160, S_prefix Historically 1); (137, 160, S_compare Ne_);
  (137, 164, S_compare Le_); (137, 165, S_compare Ge_)]%Z.
(* symbols that are no words *)
Definition sign (s : bytes) : option (symbol * bytes) := match s with
  | "!" :: "=" :: "=" :: _ | "=" :: "=" :: "=" :: _ | "=" :: "=" :: ">" :: _
  | "<" :: "=" :: "=" :: _ | "/" :: "\" :: _ | "\" :: "/" :: _ => None
  | "!" :: "=" :: r => Some (S_compare Ne_, r)
  | "!" :: r | "~" :: r => Some (S_prefix Not 1, r)
  | "&" :: "&" :: "&" :: _ | "|" :: "|" :: "|" :: _ => None
  | "&" :: "&" :: r | "&" :: r => Some (S_and, r)
  | "|" :: "|" :: r | "|" :: r => Some (S_or, r)
  | "^" :: r => Some (S_xor, r)
  | "-" :: ">" :: r => Some (S_implies, r)
  | "<" :: "-" :: ">" :: r | "<" :: "=" :: ">" :: r => Some (S_iff, r)
  | "<" :: ">" :: r => Some (S_prefix Eventually 1, r)
  | "[" :: "]" :: r => Some (S_prefix Always 1, r)
  | "=" :: ">" :: r => Some (S_implies, r)
  | "=" :: "=" :: r => Some (S_compare Eq_, r)
  | "<" :: "=" :: r => Some (S_compare Le_, r) | "<" :: r => Some (S_compare Lt_, r)
  | ">" :: "=" :: r => Some (S_compare Ge_, r) | ">" :: r => Some (S_compare Gt_, r)
  | "+" :: r => Some (S_plus, r) | "-" :: r => Some (S_minus, r) | "*" :: r => Some (S_times, r)
  | "194" :: "172" :: r => Some (S_prefix Not 1, r)
  | "226" :: b :: c :: r => option_map (fun t => (snd t, r))
      (find (fun t => (fst (fst t) =? code b)%Z && (snd (fst t) =? code c)%Z) wide)
  | "=" :: c :: r => if Ascii.eqb c "=" || Ascii.eqb c "<" || Ascii.eqb c "!" || Ascii.eqb c "/" then None
                     else Some (S_equals, c :: r)
  | _ => None end.
(* words of C-RASP; the papers' i and j, minima and what is reserved are refused *)
Definition crasp_word (s : bytes) : option symbol := if is s "true" then Some (S_atom FT)
  else if is s "false" then Some (S_atom FF)
  else if one_of s ["first"; "last"; "start"; "xor"; "min"; "max"; "i"; "j"]%string then None else Some (S_word s).
Definition is_temporal (x : symbol) := match x with S_prefix Not _ => false | S_prefix _ _ => true | _ => false end.
(* depth: brackets that are open, inside which lines go on; busy: the line has tokens already *)
Fixpoint symbols (crasp : bool) (fuel depth : nat) (busy : bool) (s : bytes) : option (list symbol) := match fuel with
  | O => None
  | S n =>
    let symbols := symbols crasp in
    let put l r := option_map (app l) (symbols n depth true r) in
    let count d r := if crasp then match d with Past => put [S_hash] r | _ => None end else
      match snd (span (fun c => Ascii.eqb c " " || Ascii.eqb c "009") r) with
      | "[" :: q => option_map (cons (S_count d)) (symbols n (S depth) true q) | _ => None end in
    match s with
    | [] => Some []
    | " " :: r | "009" :: r => symbols n depth busy r
    | "010" :: r => if busy && Nat.eqb depth 0 then option_map (cons S_line) (symbols n 0 false r)
                    else symbols n depth busy r
    | "-" :: "-" :: ">" :: _ => None
    | "-" :: "-" :: r | "/" :: "/" :: r => symbols n depth busy (snd (to_line_end r))
    | "(" :: r => option_map (cons S_open) (symbols n (S depth) true r)
    | ")" :: r => option_map (cons S_close) (symbols n (depth - 1) true r)
    | "]" :: r => option_map (cons S_square) (symbols n (depth - 1) true r)
    | "#" :: ">" :: r => count Future r | "#" :: r | "226" :: "134" :: "144" :: "#" :: r => count Past r
    | c :: r =>
      if Ascii.eqb c "'" || Ascii.eqb c """" then match quoted n c r [] with
        | Some (t, q) => put [S_letter t] q | None => None end
      else if crasp && (is_lower c || is_upper c) then let (t, q) := span in_name s in
        match crasp_word t with Some x => put [x] q | None => None end
      else if crasp && Ascii.eqb c "[" then option_map (cons S_open_square) (symbols n (S depth) true r)
      else if is_upper c then let (run, q) := span is_upper s in
        if starts q in_name then None else match capitals run with
        | Some l => match power l q with Some (l, q) => put l q | None => None end | None => None end
      else if Ascii.eqb c "w" && starts r (fun d => Ascii.eqb d "X" || Ascii.eqb d "Y") then
        let (run, q) := span is_upper r in
        if starts q in_name then None else match run, capitals run with
        | d :: _, Some (_ :: l) =>
            match power (S_prefix (if Ascii.eqb d "X" then Weak_next else Weak_yesterday) 1 :: l) q with
            | Some (l, q) => put l q | None => None end
        | _, _ => None end
      else if is_digit c then let (t, q) := span is_digit s in
        if starts q in_name then None else match whole t with
        | Some z => if (z <? 2 ^ 63)%Z then put [S_number z] q else None | None => None end
      else if is_lower c then let (t, q) := span in_word s in
        if starts q is_upper then None else put [reserved t] q
      else if Ascii.eqb c "[" && negb (starts r (Ascii.eqb "]")) then match class_text r [] with
        | Some (t, q) => put [S_class t] q | None => None end
      else match sign s with Some (x, q) => if crasp && is_temporal x then None else put [x] q | None => None end
    end end.

(* ---- formulas ---- *)
Section Formulas.
Variable letters : list bytes.
Variable tokens : bool.
Fixpoint index (s : bytes) (l : list bytes) (k : nat) : option nat := match l with
  | [] => None | a :: r => if eqb_bytes a s then Some k else index s r (S k) end.
Definition letter_of (s : bytes) : option nat := index s letters 0.
(* classes: characters side by side, perhaps escaped, and ranges of ASCII *)
Definition may_escape c := Ascii.eqb c "[" || Ascii.eqb c "]" || Ascii.eqb c "^" || Ascii.eqb c "-" || Ascii.eqb c
  " ".
Definition class_character (s : bytes) : option (bytes * bytes) := match s with
  | " " :: _ | "009" :: _ => None
  | "\" :: r => match escape may_escape r with Some (c, q) => Some ([c], q) | None => None end
  | _ => character s end.
Fixpoint codes_from (k : nat) (c : Z) : list bytes := match k with
  | O => [] | S k => [ascii_of_N (Z.to_N c)] :: codes_from k (c + 1) end.
Fixpoint class_letters (fuel : nat) (s : bytes) : option (list bytes) := match fuel, s with
  | _, [] => Some []
  | O, _ => None
  | S n, _ => match class_character s with
      | None => None
      | Some (a, "-" :: c :: r) => match a, class_character (c :: r) with
          | [x], Some ([y], q) => if between 0 127 x && between 0 127 y && (code x <=? code y)%Z then
              option_map (app (codes_from (Z.to_nat (code y - code x + 1)) (code x))) (class_letters n q) else None
          | _, _ => None end
      | Some (a, r) => option_map (cons a) (class_letters n r) end end.
Definition class_of (s : bytes) : option fml := if tokens then None else
  let (negated, s) := match s with "^" :: r => (true, r) | _ => (false, s) end in
  match class_letters (length s) s with
  | Some (x :: r) => match all letter_of (x :: r) with
      | Some ks => Some (if negated then FNot (FLet ks) else FLet ks) | None => None end
  | _ => None end.

Variables names sums : list (bytes * fml).                           (* definitions *)
Definition find_name (s : bytes) : option fml := option_map snd (find (fun d => eqb_bytes (fst d) s) names).
Definition bare (s : bytes) : option fml := match find_name s with
  | Some f => Some f
  | None => option_map (fun k => FLet [k]) (match s with
      | "Q" :: "_" :: r => letter_of r | [c] => if is_lower c then letter_of s else None
      | _ => if tokens then letter_of s else None end) end.
(* one level for each line of the table of doc/language.md, section 6 *)
Inductive level := L_formula | L_implies | L_or | L_xor | L_and | L_temporal | L_past | L_future | L_unary
  | L_atom | L_counted (* behind a C-RASP # *) | L_sum | L_product | L_factor
  | L_added (s : fml) | L_multiplied (s : fml) (* behind s *).
(* does a sum stand here, so that a comparison follows? In brackets: if something for sums stands behind them *)
Fixpoint sum_in_brackets (depth : nat) (l : list symbol) : bool := match l with
  | S_open :: r | S_count _ :: r | S_open_square :: r => sum_in_brackets (S depth) r
  | S_close :: r | S_square :: r => match depth with
      | S (S d) => sum_in_brackets (S d) r
      | _ => match r with
          | S_plus :: _ | S_minus :: _ | S_times :: _ | S_compare _ :: _ | S_equals :: _ => true | _ => false end end
  | _ :: r => sum_in_brackets depth r | [] => false end.
Definition find_sum (s : bytes) : option fml := option_map snd (find (fun d => eqb_bytes (fst d) s) sums).
Definition sum_here (l : list symbol) : bool := match l with
  | S_number _ :: _ | S_minus :: _ | S_count _ :: _ | S_hash :: _ => true | S_open :: _ => sum_in_brackets 0 l
  | S_word s :: _ => match find_sum s with Some _ => true | None => false end | _ => false end.
Definition chain l o := match l with L_past => is_past o | L_future => negb (is_past o) | _ => true end.
Fixpoint read (fuel : nat) (v : level) (l : list symbol) : option (fml * list symbol) := match fuel with
  | O => None
  | S n =>
    let map g x := option_map (fun t : fml * list symbol => (g (fst t), snd t)) x in
    let unary o k r := map (times k o) (read n L_unary r) in
    let both g next x := match x with Some (a, r) => map (g a) (read n next r) | None => None end in
    let temporal o a r := if chain v o then map (apply2 o a) (read n (if is_past o then L_past else L_future) r)
      else None in
    match v with
    | L_formula => match read n L_or l with
        | Some (a, S_iff :: r) => match read n L_or r with
            | Some (_, S_iff :: _) | Some (_, S_implies :: _) | None => None
            | Some (b, q) => Some (FIff a b, q) end
        | Some (a, S_implies :: r) => both FImplies L_implies (Some (a, r))
        | x => x end
    | L_implies => match read n L_or l with
        | Some (_, S_iff :: _) => None
        | Some (a, S_implies :: r) => both FImplies L_implies (Some (a, r))
        | x => x end
    | L_or => match read n L_xor l with Some (a, S_or :: r) => both FOr L_or (Some (a, r)) | x => x end
    | L_xor => match read n L_and l with Some (a, S_xor :: r) => both FXor L_xor (Some (a, r)) | x => x end
    | L_and => match read n L_temporal l with Some (a, S_and :: r) => both FAnd L_and (Some (a, r)) | x => x end
    | L_temporal | L_past | L_future => match read n L_unary l with
        | Some (a, S_infix o :: r) => temporal o a r
        | Some (a, S_weak :: r) => temporal Weak_until a r
        | x => x end
    | L_unary => if sum_here l then match read n L_sum l with
        | Some (s, (S_compare _ | S_equals) as c :: r) => match read n L_sum r with
            | Some (_, S_compare _ :: _) | Some (_, S_equals :: _) | None => None
            | Some (t, q) => Some (compare (match c with S_compare o => o | _ => Eq_ end) s t, q) end
        | _ => None end else match l with
        | S_prefix o k :: r => unary o k r
        | S_weak :: S_prefix Next k :: r => unary Weak_next k r
        | S_weak :: S_prefix Yesterday k :: r => unary Weak_yesterday k r
        | _ => read n L_atom l end
    | L_counted => match l with
        | S_prefix Not k :: r => map (times k Not) (read n L_counted r)
        | _ => read n L_atom l end
    | L_atom => match l with
        | S_open :: r => match read n L_formula r with Some (a, S_close :: q) => Some (a, q) | _ => None end
        | S_atom f :: r => Some (f, r)
        | S_letter s :: r => option_map (fun k => (FLet [k], r)) (letter_of s)
        | S_word s :: r => option_map (fun f => (f, r)) (bare s)
        | S_class s :: r => option_map (fun f => (f, r)) (class_of s)
        | _ => None end
    | L_sum => match read n L_product l with Some (s, r) => read n (L_added s) r | None => None end
    | L_added s => match l with
        | (S_plus | S_minus) as c :: r => match read n L_product r with
            | Some (t, q) => read n (L_added (match c with S_plus => plus s t | _ => at_least s t end)) q
            | None => None end
        | _ => Some (s, l) end
    | L_product => match read n L_factor l with Some (s, r) => read n (L_multiplied s) r | None => None end
    | L_multiplied s => match l with
        | S_times :: r => match read n L_factor r, s with
            | Some (FSum z, q), _ => read n (L_multiplied (multiple z s)) q
            | Some (t, q), FSum z => read n (L_multiplied (multiple z t)) q
            | _, _ => None end
        | _ => Some (s, l) end
    | L_factor => match l with
        | S_number z :: r => Some (FSum z, r)
        | S_minus :: r => map (multiple (-1)) (read n L_factor r)
        | S_count d :: r => match read n L_formula r with
            | Some (a, S_square :: q) => Some (FPlus 1 d a (FSum 0), q) | _ => None end
        | S_hash :: S_open_square :: r => match read n L_formula r with
            | Some (a, S_square :: q) => Some (FPlus 1 Past a (FSum 0), q) | _ => None end
        | S_hash :: r => map (fun a => FPlus 1 Past a (FSum 0)) (read n L_counted r)
        | S_open :: r => match read n L_sum r with Some (s, S_close :: q) => Some (s, q) | _ => None end
        | S_word s :: r => option_map (fun f => (f, r)) (find_sum s)
        | _ => None end
    end end.
End Formulas.

(* ---- the lines of a specification: definitions, then the answer ---- *)
Definition most_nodes := 20000%Z.
Fixpoint nodes (f : fml) : Z := (1 + match f with
  | FT | FLet _ | FMod _ _ _ _ => 0 | FNot a => nodes a | FAnd a b => nodes a + nodes b
  | FOnce _ a => nodes a | FSince _ a b => nodes a + nodes b | FStep _ a => nodes a
  | FSum _ => 0 | FPlus _ _ a r => nodes a + nodes r end)%Z.
Definition header_words := ["alphabet"; "at"; "empty"; "tokens"]%string.
Section Lines.
Variable letters : list bytes.
Variables crasp tokens at_first accepts_empty : bool.               (* as the file says *)
Fixpoint answer_of (fuel : nat) (names sums : list (bytes * fml)) (l : list symbol) : option fml := match fuel with
  | O => None
  | S n =>
    let part v l := match read letters tokens names sums (10 * length l + 10) v l with
      | Some (f, r) => if (nodes f <=? most_nodes)%Z then Some (f, r) else None | None => None end in
    let answer _ := match part L_formula l with Some (f, []) | Some (f, [S_line]) => Some f | _ => None end in
    match l with
    | S_word name :: S_equals :: r =>
        if one_of name header_words || match name with "Q" :: "_" :: _ => true | _ => false end then None else
        match find_name names name, find_sum sums name, letter_of letters name with
        | None, None, None => match part L_sum r, part L_formula r with
            | Some (f, S_line :: x :: q), _ => answer_of n names ((name, f) :: sums) (x :: q)
            | _, Some (f, S_line :: x :: q) => answer_of n ((name, f) :: names) sums (x :: q)
            | _, Some (f, ([] | [S_line])) => if crasp then Some f else None
            | _, _ => None end
        | None, Some _, _ => if crasp then None else answer tt
        | _, _, _ => None end
    | _ => answer tt
    end end.
(* header lines: each at most once, `tokens` before `alphabet`, and each says what the file says *)
Definition to_blank := span (fun c => negb (is_blank c)).
Fixpoint items (fuel : nat) (s : bytes) : option (list bytes) := match fuel, drop_blanks s with
  | O, _ => None
  | S _, [] | S _, "-" :: "-" :: _ | S _, "/" :: "/" :: _ => Some []
  | S n, c :: r =>
    match (if Ascii.eqb c "'" || Ascii.eqb c """" then quoted n c r [] else Some (to_blank (c :: r))) with
    | Some (t, q) => if starts q (fun d => negb (is_blank d)) then None else option_map (cons t) (items n q)
    | None => None end end.
Definition equal (a b : list bytes) : bool := if list_eq_dec (list_eq_dec ascii_dec) a b then true else false.
Definition header_is_right (word value : bytes) : bool := match items (S (length value)) value with
  | Some l => if is word "alphabet" then equal l letters else let v := fst (to_blank (drop_blanks value)) in
      equal l [v] && is v (if is word "at" then if at_first then "first" else "last"
        else if is word "empty" then if accepts_empty then "accept" else "reject"
        else if tokens then "yes" else "no")%string
  | None => false end.
Fixpoint without_header (fuel : nat) (seen : list bytes) (s : bytes) : option bytes := match fuel with
  | O => None
  | S n =>
    let (line, r) := to_line_end s in
    let '(word, value) := to_blank (drop_blanks line) in
    if one_of word header_words then match r with
      | [] => None
      | _ :: r => if negb (existsb (eqb_bytes word) seen) && header_is_right word value then without_header n
          (word :: (if is word "alphabet" then [list_ascii_of_string "tokens"] else []) ++ seen) r else None end
    else match word, r with
      | "-" :: "-" :: _, _ :: r | "/" :: "/" :: _, _ :: r | [], _ :: r => without_header n seen r
      | _, _ => Some s end end.
Definition plain_bytes (s : bytes) := forallb (fun c => between 32 126 c || between 128 255 c || Ascii.eqb c "010"
  || Ascii.eqb c "009") s.
Definition formula_of_text (s : bytes) : option fml := if plain_bytes s then
  match without_header (S (length s)) [] s with
  | Some s => match symbols crasp (S (length s)) 0 false s with
      | Some l => answer_of (S (length l)) [] [] l | None => None end
  | None => None end else None.
End Lines.
Definition specification_of (t : text_model) : option fml :=
  let crasp := is (t_syntax t) "crasp" in if is (t_syntax t) "spec" || crasp && negb (t_tokens t)
  then formula_of_text (m_letters (t_model t)) crasp (t_tokens t) (t_first t) (t_empty t) (t_source t) else None.
