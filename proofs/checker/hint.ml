(* Hints for the checker of regular expressions (Language.v). Nothing here is trusted: what is wrong in a hint is not accepted.

   A certificate states a formula that the weights compute and a table of its coordinates (doc/certificate.md, "Regular
   languages"). Here the formula becomes a list of operators, and the expression its parts, the sets of parts that words lead
   to, and the least automaton, with states numbered as the table has them. *)

open Kernel

exception None_ of string         (* no hint can be made, and why *)

let most_parts = 4096             (* of an expression *)
let most_sets = 16384
let most_nodes = 1 lsl 22         (* of a formula, written out *)

let rec nat n = if n = 0 then O else S (nat (n - 1))
let int_of n = let rec go k = function O -> k | S m -> go (k + 1) m in go 0 n
let rec positive n = if n = 1 then XH else if n land 1 = 1 then XI (positive (n / 2)) else XO (positive (n / 2))

module Table (Key : sig type t end) = Hashtbl.Make (struct
    type t = Key.t
    let equal = ( = )
    let hash = Hashtbl.hash_param 256 1024
  end)

(* keys from 1 on *)
let tree_of values =
  let n = List.length values and all = Array.of_list values in
  let rec go k step = if k > n then Leaf else Node (go (k + step) (2 * step), Some all.(k - 1), go (k + 2 * step) (2 * step)) in
  go 1 1

(* ---- the formula as a list of operators ---- *)

module Ops = Table (struct type t = op end)

(* The last formula; the others are its definitions, whose operators come first. *)
let program_of first formulas =
  let direction = if first then Future else Past and known = Ops.create 64 and ops = ref [] and nodes = ref 0 in
  let rec part f =
    incr nodes;
    if !nodes > most_nodes then raise (None_ "the certificate's formula is too large");
    match f with
    | FT -> PT
    | FLet l -> PLet l
    | FNot a -> PNot (part a)
    | FAnd (a, b) -> let a = part a in PAnd (a, part b)
    | FStep (d, a) -> operator d (fun () -> OStep (part a))
    | FOnce (d, a) -> operator d (fun () -> OOnce (part a))
    | FSince (d, a, b) -> operator d (fun () -> let a = part a in OSince (a, part b))
    | FSum _ | FPlus _ -> raise (None_ "the certificate's formula counts")
    | FMod _ -> raise (None_ "the certificate's formula has a remainder")
  and operator d make =
    if d <> direction then raise (None_ "the certificate's formula looks the other way");
    let o = make () in
    PAt (nat (match Ops.find_opt known o with
        | Some k -> k
        | None -> let k = Ops.length known in Ops.add known o k; ops := o :: !ops; k)) in
  let out = List.fold_left (fun _ f -> part f) PT formulas in
  { p_ops = List.rev !ops; p_out = out }

let rec part_sets = function
  | PT | PAt _ -> [] | PLet l -> [ l ] | PNot a -> part_sets a | PAnd (a, b) -> part_sets a @ part_sets b
let op_sets = function OStep a | OOnce a -> part_sets a | OSince (a, b) -> part_sets a @ part_sets b

(* ---- rows ---- *)

(* STATE:VALUES, where - is open. The table has operators as they are written, of which some are the opposite of ours: those that
   are true before the first letter. *)
let rows_of program table states =
  let width = List.length program.p_ops in
  let row text =
    match String.index_opt text ':' with
    | None -> raise (None_ "a row of the certificate's table has no colon")
    | Some k ->
      let values = String.sub text (k + 1) (String.length text - k - 1) in
      if String.length values <> width then raise (None_ "the certificate's table has other operators than its formula");
      match int_of_string_opt (String.sub text 0 k) with
      | Some q when q >= 0 && q < states -> (q, List.init width (fun i -> match values.[i] with
          | '0' -> Some false | '1' -> Some true | '-' -> None | _ -> raise (None_ "the certificate's table has numbers")))
      | _ -> raise (None_ "the certificate's table has a state that the expression has not") in
  let rows = List.map row table in
  let opposite = match List.find_opt (fun (q, _) -> q = 0) rows with
    | None -> raise (None_ "the certificate's table has no first row")
    | Some (_, first) -> List.map2 (fun v o -> v = Some true || v = None && o = OStep PT) first program.p_ops in
  let turn row = List.map2 (fun v no -> if no then Option.map not v else v) row opposite in
  let by_state = Array.make states [] in
  List.iter (fun (q, r) -> by_state.(q) <- turn r :: by_state.(q)) rows;
  tree_of (Array.to_list by_state)

(* ---- automata ---- *)

module Parts = Table (struct type t = re end)
module Sets = Table (struct type t = int list end)

(* The representative of each letter: the least one that is in the same sets. *)
let representatives letters sets =
  let sets = List.sort_uniq compare sets in
  let signs = Array.init letters (fun _ -> Buffer.create 64) in
  List.iter (fun set ->
      let has = Array.make letters '0' in
      List.iter (fun a -> let a = int_of a in if a < letters then has.(a) <- '1') set;
      Array.iteri (fun a c -> Buffer.add_char signs.(a) c) has) sets;
  let first = Hashtbl.create 64 in
  Array.init letters (fun a ->
      let sign = Buffer.contents signs.(a) in
      match Hashtbl.find_opt first sign with Some b -> b | None -> Hashtbl.add first sign a; a)

let numbered add_next find_or_add most why =
  let k = ref 0 in
  while !k < find_or_add () do
    if !k >= most then raise (None_ why);
    add_next !k;
    incr k
  done

let automata_of letters r program =
  let reps = representatives letters (sets r @ part_sets program.p_out @ List.concat_map op_sets program.p_ops) in
  let basis = List.sort_uniq compare (Array.to_list reps) in
  let basis_nat = List.map nat basis in
  (* parts *)
  let number = Parts.create 64 and parts = ref [||] and next = ref [||] in
  let grow a k v = (if k >= Array.length !a then
                      let b = Array.make (2 * k + 16) v in Array.blit !a 0 b 0 (Array.length !a); a := b); !a.(k) <- v in
  let part d = match Parts.find_opt number d with
    | Some k -> k | None -> let k = Parts.length number in Parts.add number d k; grow parts k d; k in
  ignore (part r);
  numbered (fun k ->
      let d = !parts.(k) in
      grow next k (List.map (fun a -> List.sort_uniq compare (List.map part (pd a d))) basis_nat))
    (fun () -> Parts.length number) most_parts "the expression has too many parts";
  let count = Parts.length number in
  let null = Array.init count (fun k -> nullable !parts.(k)) in
  let next_parts = Array.init count (fun k -> Array.of_list !next.(k)) in
  (* sets of parts *)
  let number = Sets.create 64 and sets = ref [||] and after = ref [||] in
  let set s = match Sets.find_opt number s with
    | Some k -> k | None -> let k = Sets.length number in Sets.add number s k; grow sets k s; k in
  ignore (set [ 0 ]);
  numbered (fun k ->
      let s = !sets.(k) in
      grow after k (Array.of_list (List.mapi (fun j _ ->
          set (List.sort_uniq compare (List.concat_map (fun p -> next_parts.(p).(j)) s))) basis)))
    (fun () -> Sets.length number) most_sets "the expression leads to too many sets of its parts";
  let set_count = Sets.length number in
  (* the least automaton: what no word tells apart *)
  let accepts = Array.init set_count (fun k -> List.exists (fun p -> null.(p)) !sets.(k)) in
  let rec refine kind kinds =
    let found = Sets.create 64 in
    let refined = Array.init set_count (fun k ->
        let sign = kind.(k) :: List.map (fun q -> kind.(q)) (Array.to_list !after.(k)) in
        match Sets.find_opt found sign with
        | Some n -> n | None -> let n = Sets.length found in Sets.add found sign n; n) in
    if Sets.length found = kinds then kind else refine refined (Sets.length found) in
  let kind = refine (Array.map Bool.to_int accepts) 0 in
  (* its states in the order of the least words that lead to them *)
  let state_of = Hashtbl.create 64 and order = Queue.create () and states = ref [] in
  let state k = match Hashtbl.find_opt state_of kind.(k) with
    | Some q -> q | None -> let q = Hashtbl.length state_of in Hashtbl.add state_of kind.(k) q; Queue.add k order; q in
  ignore (state 0);
  while not (Queue.is_empty order) do
    let k = Queue.pop order in
    let to_ = List.map (fun s -> positive (state s + 1)) (Array.to_list !after.(k)) in
    states := { d_accepts = accepts.(k); d_next = to_ } :: !states
  done;
  let numbers l = List.map (fun k -> positive (k + 1)) l in
  let items = List.init count (fun k -> { i_re = !parts.(k); i_next = List.map numbers (Array.to_list next_parts.(k)) }) in
  let subsets = List.init set_count (fun k ->
      { s_items = numbers !sets.(k); s_state = positive (state k + 1); s_next = numbers (Array.to_list !after.(k)) }) in
  { a_reps = List.map nat (Array.to_list reps); a_basis = basis_nat; a_items = tree_of items; a_subsets = tree_of subsets;
    a_states = tree_of (List.rev !states) }, Hashtbl.length state_of

let make t r formulas table =
  let program = program_of t.t_first formulas in
  let automata, states = automata_of (List.length t.t_model.m_letters) (if t.t_first then turned r else r) program in
  { h_automata = automata; h_rows = rows_of program table states; h_program = program }
