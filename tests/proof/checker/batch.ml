(* The extracted checker for tests, many files in one process. Each request is a line and then bytes:
     read SIZE                   what the checker reads: lines up to "."; "refused" if it does not
     check SIZE TYPE LENGTH      yes, no, or unread
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
  | E_start -> "[i = 0]" | E_end -> "[i = N - 1]" | E_first -> "[i = 1]*[1 <= n]" | E_last -> "[i = n]*[1 <= n]"
let weight d = Printf.sprintf "%d:%d" (of_z d.man) (of_z d.ex)
let row r = String.concat " " (List.map (fun (c, d) -> Printf.sprintf "%d:%s" (of_nat c) (weight d)) r)
let mask = function All -> "all" | Before -> "j<i" | UpTo -> "j<=i" | After -> "j>i" | From -> "j>=i"

let dump t =
  let m = t.t_model in
  let line name r = Printf.printf "%s %s\n" name (row r) in
  Printf.printf "alphabet %s\n" (String.concat " " (List.map hex m.m_letters));
  Printf.printf "settings %b %s %b %b %b %b\n" m.m_end (hex t.t_source) t.t_spec t.t_tokens t.t_first t.t_empty;
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
       | _ -> failwith "what?");
      flush stdout
    done
  with End_of_file -> ()
