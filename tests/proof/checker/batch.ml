(* The extracted checker for tests, many files in one process. Each request is a line and then bytes:
     read SIZE                   what the checker reads: lines up to "."; "refused" if it does not
     check SIZE TYPE LENGTH      yes, no, or unread
     language SIZE TYPE LENGTH   the same of a model, a formula and rows of its table, which a byte 30 separates
     regex SIZE                  an expression, and an alphabet (its letters with bytes 31), words as numbers with commas: a line of 0 and 1
   Rows are written as CHANNEL:MANTISSA:EXPONENT. *)
open Kernel

let rec of_positive = function XH -> 1 | XO p -> 2 * of_positive p | XI p -> 2 * of_positive p + 1
let of_z = function Z0 -> 0 | Zpos p -> of_positive p | Zneg p -> - of_positive p
let rec of_nat = function O -> 0 | S n -> 1 + of_nat n
let rec positive n = if n = 1 then XH else if n land 1 = 1 then XI (positive (n / 2)) else XO (positive (n / 2))
let z n = if n = 0 then Z0 else Zpos (positive n)
let kind = function
  | "f32" -> f32_kind | "f64" -> f64_kind | "bf16/f32" -> bf16_f32_kind | "f16/f32" -> f16_f32_kind
  | "e4m3/f32" -> e4m3_f32_kind | form -> failwith form
let list_of s = List.init (String.length s) (String.get s)
let hex l = "x" ^ String.concat "" (List.map (fun c -> Printf.sprintf "%02x" (Char.code c)) l)

let expr = function
  | E_whole v -> string_of_int (of_z v) | E_place -> "i/N" | E_log -> "ln(N) + 8" | E_steep -> "8*N"
  | E_twice -> "16*N" | E_share Past -> "ln(max(i, 1))/(16*N)" | E_share Future -> "ln(max(N - 1 - i, 1))/(16*N)"
  | E_start -> "[i = 0]" | E_end -> "[i = N - 1]" | E_first -> "[i = 1]*[1 <= n]" | E_last -> "[i = n]*[1 <= n]"
  | E_residue (d, s, m, k) ->
    let i = match d with Past -> "i" | Future -> "N - 1 - i" and s = of_nat s in
    let i = if s > 0 then Printf.sprintf "(%s + %d)" i s else if d = Future then "(" ^ i ^ ")" else i in
    Printf.sprintf "[%s %% %d = %d]*[1 <= i]*[i <= n]" i (of_nat m) (of_nat k)
let weight d = Printf.sprintf "%d:%d" (of_z d.man) (of_z d.ex)
let row r = String.concat " " (List.map (fun (c, d) -> Printf.sprintf "%d:%s" (of_nat c) (weight d)) r)
let mask = function All -> "all" | Before -> "j<i" | UpTo -> "j<=i" | After -> "j>i" | From -> "j>=i"

let dump t =
  let m = t.t_model in
  let line name r = Printf.printf "%s %s\n" name (row r) in
  Printf.printf "alphabet %s\n" (String.concat " " (List.map hex m.m_letters));
  Printf.printf "settings %b %s %s %b %b %b\n" m.m_end (hex t.t_source) (Ask.string_of t.t_syntax) t.t_tokens t.t_first t.t_empty;
  List.iter (function None -> print_endline "channel -" | Some e -> Printf.printf "channel %s\n" (expr e)) m.m_channels;
  List.iter (line "embed") m.m_embed;
  line "embed" m.m_start;
  line "embed" m.m_end_row;
  List.iter (fun l ->
      print_endline "layer";
      List.iter (fun h ->
          Printf.printf "head %s %s\n" (mask h.h_mask) (expr h.h_scale);
          List.iter (line "query") h.h_query;
          List.iter (line "key") h.h_key;
          List.iter (line "value") h.h_value;
          List.iter (line "output") h.h_output) l.l_heads;
      List.iter (fun u -> Printf.printf "unit %s | %s | %s\n" (weight u.u_bias) (row u.u_in) (row u.u_out)) l.l_units)
    m.m_layers;
  line "read" m.m_read;
  print_endline "."

(* By derivatives, as they were proved. *)
let matches r word =
  let after rs a = List.sort_uniq compare (List.concat_map (pd a) rs) in
  List.exists nullable (List.fold_left after [ r ] word)

exception Late
let most_seconds = 4.
let in_time work =
  let set s = ignore (Unix.setitimer Unix.ITIMER_VIRTUAL { Unix.it_interval = 0.; it_value = s }) in
  Sys.set_signal Sys.sigvtalrm (Sys.Signal_handle (fun _ -> raise Late));
  set most_seconds;
  match work () with
  | v -> set 0.; v
  | exception Late -> "no: too long"

let language parts form length = match parts with
  | model :: formula :: table ->
    (match Ask.question (Ask.parse model) (Some { Ask.formula; table }) with
     | q -> if Ask.accepted ~form q length then "yes" else "no"
     | exception (Ask.Wrong why | Ask.Refused why) -> "unread: " ^ why)
  | _ -> failwith "what?"

let regex = function
  | text :: alphabet :: words ->
    (match regex_of_text (List.map list_of (String.split_on_char '\031' alphabet)) (list_of text) with
     | None -> "refused"
     | Some r ->
       String.concat "" (List.map (fun w ->
           let word = if w = "" then [] else List.map (fun a -> Hint.nat (int_of_string a)) (String.split_on_char ',' w) in
           if matches r word then "1" else "0") words))
  | _ -> failwith "what?"

let () =
  try
    while true do
      let words = String.split_on_char ' ' (read_line ()) in
      let bytes size = really_input_string stdin (int_of_string size) in
      (match words with
       | [ "read"; size ] ->
         (match parse_bytes (list_of (bytes size)) with Some t -> dump t | None -> print_endline "refused")
       | [ "check"; size; form; length ] ->
         (match parse_bytes (list_of (bytes size)) with
          | None -> print_endline "unread"
          | Some t -> print_endline (if check_text (kind form) t (z (int_of_string length)) then "yes" else
                                       match specification_of t with Some _ -> "no" | None -> "unread"))
       | [ "language"; size; form; length ] ->
         let parts = String.split_on_char '\030' (bytes size) in
         print_endline (in_time (fun () -> language parts form (float_of_string length)))
       | [ "regex"; size ] -> print_endline (regex (String.split_on_char '\030' (bytes size)))
       | _ -> failwith "what?");
      flush stdout
    done
  with End_of_file -> ()
