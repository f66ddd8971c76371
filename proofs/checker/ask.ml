(* What the programs around the extracted checker share: main.ml, which is temper-checker, and browser.ml, which is the playground's.

   This file is not proved. It hands the bytes of a model to Kernel.parse_bytes, asks Kernel.check_text about them, and looks
   for the largest length with the answer yes. Lengths are whole numbers in doubles, since JavaScript has no other large ones. *)

exception Wrong of string         (* exit 2: not what the command line promises *)
exception Refused of string       (* exit 4: not accepted, which refutes nothing *)

let most_length = 9007199254740992.   (* 2^53 *)

(* the types by name; Check.v proves what each kind stands for (f32_is and so on), and in which order rows are summed *)
let kinds = [ ("f32", Kernel.f32_kind); ("f64", Kernel.f64_kind); ("bf16/f32", Kernel.bf16_f32_kind);
  ("f16/f32", Kernel.f16_f32_kind); ("e4m3/f32", Kernel.e4m3_f32_kind) ]
let order_of form = if (List.assoc form kinds).Kernel.one_format then "any" else "ascending"
let type_names = String.concat ", " (List.map fst kinds)

let length_of s =
  if s <> "" && String.length s <= 16 && String.for_all (fun c -> c >= '0' && c <= '9') s
  then let n = float_of_string s in if n <= most_length then Some n else None
  else None

(* ---- texts and numbers as the checker has them ---- *)

let list_of s =
  let rec go k l = if k < 0 then l else go (k - 1) (s.[k] :: l) in
  go (String.length s - 1) []
let string_of l =
  let b = Buffer.create 64 in
  List.iter (Buffer.add_char b) l;
  Buffer.contents b

let rec positive n =
  if n = 1. then Kernel.XH
  else if Float.rem n 2. = 1. then Kernel.XI (positive (Float.floor (n /. 2.)))
  else Kernel.XO (positive (n /. 2.))
let z n = if n = 0. then Kernel.Z0 else Kernel.Zpos (positive n)

(* What stands in quotes: without control characters. *)
let shown s =
  let b = Buffer.create (String.length s) in
  String.iter (fun c -> match c with
      | '\n' -> Buffer.add_string b "\\n"
      | c when Char.code c < 32 || Char.code c = 127 -> Buffer.add_string b (Printf.sprintf "\\x%02X" (Char.code c))
      | c -> Buffer.add_char b c) s;
  Buffer.contents b

(* A source in quotes, which no other text reads like: quotes and backslashes have a backslash, and what hides or turns text
   around on a screen (U+0080 to U+009F, U+200B to U+200F, U+2028 to U+202E, U+2060 to U+206F, U+FEFF) is written by its bytes. *)
let quoted s =
  let b = Buffer.create (String.length s) and byte k = if k < String.length s then Char.code s.[k] else 0 in
  let between low high k = low <= byte k && byte k <= high in
  let hidden k = match byte k, byte (k + 1) with
    | 0xc2, c when c < 0xa0 -> 2
    | 0xe2, 0x80 when between 0x8b 0x8f (k + 2) || between 0xa8 0xae (k + 2) -> 3
    | 0xe2, 0x81 when between 0xa0 0xaf (k + 2) -> 3
    | 0xef, 0xbb when byte (k + 2) = 0xbf -> 3
    | _ -> 0 in
  let rec go k =
    if k < String.length s then match hidden k with
      | 0 ->
        Buffer.add_string b (match s.[k] with '"' -> "\\\"" | '\\' -> "\\\\" | c -> shown (String.make 1 c));
        go (k + 1)
      | n ->
        for j = k to k + n - 1 do Buffer.add_string b (Printf.sprintf "\\x%02X" (byte j)) done;
        go (k + n) in
  go 0;
  Buffer.contents b

(* ---- questions ---- *)

let starts s prefix = String.length s >= String.length prefix && String.sub s 0 (String.length prefix) = prefix

(* What the certificate says of a regular expression: a formula that is the same, and the table that shows it. *)
type stated = { formula : string; table : string list }

(* A model with what it computes. *)
type question = Formula of Kernel.text_model | Language of Kernel.text_model * Kernel.hint

let spec = list_of "spec"

(* The model in these bytes, with a specification that the checker reads. *)
let parse bytes =
  if not (starts bytes "temper-model") then raise (Wrong "not a model in text form: it does not begin with 'temper-model 1'");
  match Kernel.parse_bytes (list_of bytes) with
  | None -> raise (Refused "the file has something that the checker does not read")
  | Some t -> t

(* A formula's definitions, in the order of its text, and what it says. *)
let formulas_of (t : Kernel.text_model) text =
  let read text = Kernel.specification_of { t with Kernel.t_source = list_of text; t_syntax = spec } in
  let rec go before found = function
    | [] -> found
    | line :: rest ->
      (* a definition is read with its name for an answer *)
      let name = if rest = [] then "" else "\n" ^ (match String.index_opt line ' ' with Some k -> String.sub line 0 k | None -> "") in
      go (before ^ line ^ "\n") (read (before ^ line ^ name) :: found) rest in
  let found = go "" [] (String.split_on_char '\n' text) in
  if List.mem None found then None else Some (List.rev_map Option.get found)

let question (t : Kernel.text_model) stated =
  match Kernel.specification_of t, Kernel.regex_of t, stated with
  | Some _, _, _ -> Formula t
  | None, Some _, None ->
    raise (Refused "the specification is a regular expression: the checker needs its certificate, which states a formula")
  | None, Some r, Some { formula; table } ->
    (match formulas_of t formula with
     | None -> raise (Refused "the certificate's formula has something that the checker does not read")
     | Some l -> (match Hint.make t r l table with h -> Language (t, h) | exception Hint.None_ why -> raise (Refused why)))
  | None, None, _ -> raise (Refused "the specification has something that the checker does not read")

(* What the theorem says of the answer at a position, before the source. *)
let said_at_positions = function
  | Formula _ -> "that of"
  | Language (t, _) when t.Kernel.t_first -> "whether the letters from there on are a word of"
  | Language _ -> "whether the letters up to there are a word of"

let theorem = function Formula _ -> "check_sound" | Language _ -> "check_language_sound"

let source_of (t : Kernel.text_model) = string_of t.Kernel.t_source

(* The largest length that is accepted, if any is. *)
let largest accepts =
  if not (accepts 1.) then None
  else begin
    let rec grow low = let next = Float.min (2. *. low) most_length in
      if low < next && accepts next then grow next else (low, next) in
    let rec halve low high = if high -. low <= 1. then low
      else let mid = Float.floor ((low +. high) /. 2.) in if accepts mid then halve mid high else halve low mid in
    let low, high = grow 1. in
    Some (if low = high then low else halve low high)
  end

let accepted ~form q length =
  let kind = List.assoc form kinds and length = z length in
  match q with
  | Formula t -> Kernel.check_text kind t length
  | Language (t, h) -> Kernel.check_language_text kind t length h

(* The length for which the model is accepted: the one that is asked for, or the largest. *)
let length_of_model ~form q = function
  | Some l when accepted ~form q l -> l
  | Some l -> raise (Refused (Printf.sprintf "not at length %.0f in %s" l form))
  | None -> (match largest (accepted ~form q) with
      | Some l -> l | None -> raise (Refused ("at no length in " ^ form)))
