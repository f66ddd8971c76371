(* Regular expressions as specifications (doc/regex.md): what they are, what they mean, and how their text is read.
   Nothing is proved of these functions: they are what "the specification of this file" means. Read here are letters,
   `.`, classes, \d \w \s and their complements, escaped punctuation, groups, `|`, and repetitions; all else is
   refused.

   lang       the words of an expression
   regex_of   from a file to its expression *)
From Coq Require Import ZArith Bool Arith Ascii String List.
From Temper.checker Require Import Model Parse.
Import ListNotations.
Local Open Scope char_scope.
Local Open Scope list_scope.

(* ---- expressions over letters by their numbers, and their words ---- *)
Inductive re := Eps | Cls (ls : list nat) | Alt (a b : re) | Cat (a b : re) | Star (a : re).
Fixpoint lang (r : re) (w : list nat) : Prop := match r with
  | Eps => w = []
  | Cls ls => exists a, In a ls /\ w = [a]
  | Alt a b => lang a w \/ lang b w
  | Cat a b => exists u v, w = u ++ v /\ lang a u /\ lang b v
  | Star a => exists l, w = concat l /\ Forall (lang a) l end.
Definition times (k : nat) (r : re) := Nat.iter k (Cat r) Eps.
Definition at_most (k : nat) (r : re) := Nat.iter k (fun x => Alt Eps (Cat r x)) Eps.
Definition repeated (lo : nat) (hi : option nat) (r : re) := Cat (times lo r)
  (match hi with Some h => at_most (h - lo) r | None => Star r end).

(* ---- the text, character by character ---- *)
(* UTF-8 as a number, which ascends as characters do *)
Definition rank (c : bytes) : Z := fold_left (fun x d => 256 * x + code d)%Z c 0%Z.
Definition range (a b : Z) (c : bytes) := (a <=? rank c)%Z && (rank c <=? b)%Z.
Definition digit_ := range 48 57.
Definition word_ c := digit_ c || range 65 90 c || range 97 122 c || is c "_".
Definition blank_ c := range 9 13 c || is c " ".
Definition not_ (p : bytes -> bool) c := negb (p c).
(* behind a backslash *)
Definition escaped (c : bytes) : option (bytes -> bool) := match c with
  | ["d"] => Some digit_ | ["D"] => Some (not_ digit_) | ["w"] => Some word_ | ["W"] => Some (not_ word_)
  | ["s"] => Some blank_ | ["S"] => Some (not_ blank_)
  | ["n"] => Some (eqb_bytes ["010"]) | ["t"] => Some (eqb_bytes ["009"]) | ["r"] => Some (eqb_bytes ["013"])
  | _ => if range 33 126 c && negb (word_ c || is c "<" || is c ">") then Some (eqb_bytes c) else None end.
(* a class up to its bracket; start: nothing of it was read *)
Fixpoint class (fuel : nat) (start : bool) (s : list bytes) (p : bytes -> bool) :
  option ((bytes -> bool) * list bytes) := match fuel with
  | O => None
  | S n =>
    let also q r := class n false r (fun c => p c || q c) in
    match s with
    | ["\"] :: c :: r => match escaped c with Some q => also q r | None => None end
    | ["["] :: c :: _ => if one_of c [":"; "."; "="]%string then None else also (eqb_bytes ["["]) (tl s)
    | ["]"] :: r => if start then also (eqb_bytes ["]"]) r else Some (p, r)
    | ["-"] :: r => if start || match r with ["]"] :: _ => true | _ => false end then also (eqb_bytes ["-"]) r
                    else None
    | c :: ["-"] :: d :: r =>
        if is d "]" then also (eqb_bytes c) (["-"] :: d :: r)
        else if one_of d ["\"; "["]%string || (rank d <? rank c)%Z then None else also (range (rank c) (rank d)) r
    | c :: r => also (eqb_bytes c) r
    | [] => None end end.
Definition most_repetitions := 1001%Z.
Fixpoint braces (s cur : list bytes) : option (bytes * list bytes) := match s with
  | ["}"] :: r => Some (concat (rev' cur), r) | c :: r => braces r (c :: cur) | [] => None end.
Definition bounds (s : bytes) : option (nat * option nat) := let number := whole_below most_repetitions in
  match split_at "," s [] with
  | None => option_map (fun k => (k, Some k)) (number s)
  | Some ([], b) => option_map (fun k => (0%nat, Some k)) (number b)
  | Some (a, []) => option_map (fun k => (k, None)) (number a)
  | Some (a, b) => match number a, number b with
      | Some x, Some y => if Nat.leb x y then Some (x, Some y) else None | _, _ => None end end.
Definition repetition (s : list bytes) : option ((nat * option nat) * list bytes) := match s with
  | ["*"] :: r => Some ((0%nat, None), r) | ["+"] :: r => Some ((1%nat, None), r)
  | ["?"] :: r => Some ((0%nat, Some 1%nat), r)
  | ["{"] :: r => match braces r [] with
      | Some (t, q) => option_map (fun b => (b, q)) (bounds t) | None => None end
  | _ => None end.
Definition repeats (s : list bytes) := match s with c :: _ => one_of c ["*"; "+"; "?"; "{"]%string | [] => false end.
(* what is repeated, at most once; a `?` behind that changes no language *)
Definition repeat (r : re) (s : list bytes) : option (re * list bytes) := if repeats s then
  match repetition s with
  | Some ((lo, hi), q) => let q := match q with ["?"] :: q => q | _ => q end in
      if repeats q then None else Some (repeated lo hi r, q)
  | None => None end else Some (r, s).

Section Letters.
Variable alphabet : list bytes.
Definition letters (p : bytes -> bool) : re :=
  Cls (filter (fun a => p (nth a alphabet [])) (seq 0 (length alphabet))).
Fixpoint alternatives (fuel : nat) (s : list bytes) : option (re * list bytes) := match fuel with
  | O => None
  | S n => match sequence n s with
      | Some (a, ["|"] :: r) => match alternatives n r with Some (b, q) => Some (Alt a b, q) | None => None end
      | x => x end end
with sequence (fuel : nat) (s : list bytes) : option (re * list bytes) := match fuel with
  | O => None
  | S n => match s with
      | [] | ["|"] :: _ | [")"] :: _ => Some (Eps, s)
      | _ => match atom n s with
          | Some (a, r) => match repeat a r with
              | Some (b, q) => match sequence n q with Some (c, t) => Some (Cat b c, t) | None => None end
              | None => None end
          | None => None end end end
with atom (fuel : nat) (s : list bytes) : option (re * list bytes) := match fuel with
  | O => None
  | S n =>
    let group r := match alternatives n r with Some (a, [")"] :: q) => Some (a, q) | _ => None end in
    let among f r := match class n true r (fun _ => false) with Some (p, q) => Some (letters (f p), q) | None => None
      end in
    match s with
    | ["("] :: ["?"] :: [":"] :: r => group r
    | ["("] :: ["?"] :: _ | ["("] :: ["*"] :: _ => None
    | ["("] :: r => group r
    | ["["] :: ["^"] :: r => among not_ r
    | ["["] :: r => among (fun p => p) r
    | ["."] :: r => Some (letters (not_ (eqb_bytes ["010"])), r)
    | ["\"] :: c :: r => option_map (fun p => (letters p, r)) (escaped c)
    | c :: r => if repeats s || one_of c [")"; "^"; "$"; "\"]%string || range 0 31 c then None
                else Some (letters (eqb_bytes c), r)
    | [] => None end end.
Definition regex_of_text (source : bytes) : option re := match characters source with
  | Some s => match alternatives (3 * length s + 3) s with Some (r, []) => Some r | _ => None end
  | None => None end.
End Letters.
Definition regex_of (t : text_model) : option re := if is (t_syntax t) "regex" && negb (t_tokens t)
  then regex_of_text (m_letters (t_model t)) (t_source t) else None.

(* The letters up to a position, or from a position on, where a file is read at the first one. *)
Definition part (first : bool) (w : list nat) (i : nat) := if first then skipn (i - 1) w else firstn i w.
