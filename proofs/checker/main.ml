(* temper-checker MODEL [CERTIFICATE] [--length N] [--type T]: the command line around the extracted checker.

   This file is not proved. It reads the files and a certificate's claim, hands the bytes of the model to ask.ml, and
   prints one line. What was asked is printed in full: length, type, SHA-256 and source. *)

open Ask

let most_bytes = 4 lsl 20         (* of a model or a certificate *)
let most_seconds = 60.            (* of the processor *)
let most_words = 256 lsl 20       (* of memory: 2 GiB *)
let deepest = 64                  (* brackets of a certificate *)

exception Unread of string        (* exit 3: a file cannot be read *)

let usage = "usage: temper-checker MODEL [CERTIFICATE] [--length N] [--type T]"
let help = {|temper-checker model.temper                          the largest length that is accepted in f64
temper-checker model.temper certificate.json         what the certificate says of this file
temper-checker model.temper --length 1000 --type f32

Says whether the weights of a model file compute its specification, at every
position of every string up to a length, in every floating-point run. It trusts
no hint: what it accepts is a theorem (check_sound of proofs/checker/Check.v)
about the bytes of the file, and the program is extracted from that proof.
What it does not know it does not accept, which says nothing against the model.
A model of a regular expression needs its certificate, which states a formula.

  --length N    the length to check, without a certificate
  --type T      f32, f64, bf16/f32, f16/f32 or e4m3/f32 (default: f64)
  --version     the version
  --help        this text

Exit status: 0 proved, 4 not accepted, 2 wrong input, 3 reading failed.
|}

(* ---- files ---- *)

let read_file path =
  try
    let c = open_in_bin path in
    Fun.protect ~finally:(fun () -> close_in_noerr c) (fun () ->
        let b = Buffer.create 65536 in
        let rec go () =
          let n = min 65536 (most_bytes + 1 - Buffer.length b) in
          if n > 0 then
            match Buffer.add_channel b c n with
            | () -> go ()
            | exception End_of_file -> () in
        go ();
        if Buffer.length b > most_bytes then
          raise (Refused (Printf.sprintf "the file has more than %d bytes" most_bytes));
        Buffer.contents b)
  with Sys_error why -> raise (Unread why)

(* ---- SHA-256 (FIPS 180-4) ---- *)

let primes count =
  let rec go found n = if List.length found = count then List.rev found
    else go (if List.exists (fun p -> n mod p = 0) found then found else n :: found) (n + 1) in
  Array.of_list (go [] 2)

(* the first 32 bits of the fraction of a root of n: the largest r with r^k <= n * 2^(32k), by bisection in halves *)
let root_bits k n =
  let compare_power r = (* r^k against n * 2^(32 k), in digits of 16 bits *)
    let mul a b =
      let c = Array.make (Array.length a + Array.length b) 0 in
      Array.iteri (fun i x -> let carry = ref 0 in
        Array.iteri (fun j y -> let t = c.(i + j) + x * y + !carry in c.(i + j) <- t land 0xffff; carry := t lsr 16) b;
        c.(i + Array.length b) <- c.(i + Array.length b) + !carry) a; c in
    let digits = [| r land 0xffff; (r lsr 16) land 0xffff; r lsr 32 |] in
    let p = ref [| 1 |] in
    for _ = 1 to k do p := mul !p digits done;
    let q = Array.make (max (Array.length !p) (2 * k + 2)) 0 in
    q.(2 * k) <- n;
    let p' = Array.make (Array.length q) 0 in
    Array.blit !p 0 p' 0 (Array.length !p);
    let rec cmp i = if i < 0 then 0 else if p'.(i) <> q.(i) then compare p'.(i) q.(i) else cmp (i - 1) in
    cmp (Array.length q - 1) in
  let rec go low high = if high - low <= 1 then low land 0xffffffff
    else let mid = (low + high) / 2 in if compare_power mid <= 0 then go mid high else go low mid in
  go 0 (1 lsl 40)

let sha256 s =
  let p = primes 64 in
  let k = Array.map (root_bits 3) p in
  let h = Array.map (root_bits 2) (Array.sub p 0 8) in
  let n = String.length s in
  let total = (n + 9 + 63) / 64 * 64 in
  let byte i = if i < n then Char.code s.[i] else if i = n then 0x80
    else if i >= total - 8 then ((8 * n) lsr (8 * (total - 1 - i))) land 0xff else 0 in
  let rot x r = ((x lsr r) lor (x lsl (32 - r))) land 0xffffffff in
  let w = Array.make 64 0 in
  for block = 0 to total / 64 - 1 do
    for t = 0 to 15 do
      let at = 64 * block + 4 * t in
      w.(t) <- (byte at lsl 24) lor (byte (at + 1) lsl 16) lor (byte (at + 2) lsl 8) lor byte (at + 3)
    done;
    for t = 16 to 63 do
      let a = w.(t - 15) and b = w.(t - 2) in
      let s0 = rot a 7 lxor rot a 18 lxor (a lsr 3) and s1 = rot b 17 lxor rot b 19 lxor (b lsr 10) in
      w.(t) <- (w.(t - 16) + s0 + w.(t - 7) + s1) land 0xffffffff
    done;
    let v = Array.copy h in
    for t = 0 to 63 do
      let a = v.(0) and e = v.(4) in
      let t1 = v.(7) + (rot e 6 lxor rot e 11 lxor rot e 25)
               + ((e land v.(5)) lxor (lnot e land 0xffffffff land v.(6))) + k.(t) + w.(t) in
      let t2 = (rot a 2 lxor rot a 13 lxor rot a 22)
               + ((a land v.(1)) lxor (a land v.(2)) lxor (v.(1) land v.(2))) in
      Array.blit v 0 v 1 7;
      v.(4) <- (v.(4) + t1) land 0xffffffff;
      v.(0) <- (t1 + t2) land 0xffffffff
    done;
    Array.iteri (fun i x -> h.(i) <- (h.(i) + x) land 0xffffffff) v
  done;
  String.concat "" (Array.to_list (Array.map (Printf.sprintf "%08x") h))

(* ---- certificates: JSON, of which only the whole's members matter ---- *)

type json = Text of string | Number of string | Other | List of json list | Members of (string * json) list

let parse_json s =
  let n = String.length s and at = ref 0 in
  let fail what = raise (Wrong (Printf.sprintf "the certificate is no JSON: %s at byte %d" what !at)) in
  let look () = if !at < n then s.[!at] else '\000' in
  let rec blanks () = match look () with ' ' | '\t' | '\n' | '\r' -> incr at; blanks () | _ -> () in
  let need c = if look () = c && !at < n then incr at else fail (Printf.sprintf "expected '%c'" c) in
  let hex () = let c = look () in incr at; match c with
    | '0' .. '9' -> Char.code c - 48 | 'a' .. 'f' -> Char.code c - 87 | 'A' .. 'F' -> Char.code c - 55
    | _ -> fail "expected a hexadecimal digit" in
  let text () =
    need '"';
    let b = Buffer.create 32 in
    let rec go () =
      if !at >= n then fail "a text that is not closed";
      let c = look () in
      incr at;
      if c = '"' then ()
      else if Char.code c < 32 then fail "a control character in a text"
      else if c <> '\\' then (Buffer.add_char b c; go ())
      else begin
        let e = look () in
        incr at;
        (match e with
         | '"' | '\\' | '/' -> Buffer.add_char b e
         | 'n' -> Buffer.add_char b '\n' | 't' -> Buffer.add_char b '\t' | 'r' -> Buffer.add_char b '\r'
         | 'b' -> Buffer.add_char b '\b' | 'f' -> Buffer.add_char b '\012'
         | 'u' ->
           let unit () = let a = hex () in let b = hex () in let c = hex () in let d = hex () in
             (a lsl 12) lor (b lsl 8) lor (c lsl 4) lor d in
           let u = unit () in
           let u = if u land 0xfc00 = 0xd800 then (need '\\'; need 'u'; let v = unit () in
             if v land 0xfc00 <> 0xdc00 then fail "half a character";
             0x10000 + ((u land 0x3ff) lsl 10) + (v land 0x3ff)) else u in
           if u land 0xf800 = 0xd800 then fail "half a character";
           Buffer.add_utf_8_uchar b (Uchar.of_int u)
         | _ -> fail "an unknown escape");
        go ()
      end in
    go ();
    Buffer.contents b in
  let word w = String.iter need w; Other in
  let number () =
    let start = !at in
    let digits () = match look () with '0' .. '9' -> () | _ -> fail "expected a digit" in
    if look () = '-' then incr at;
    digits ();
    let rec go () = match look () with
      | '0' .. '9' | '.' | 'e' | 'E' | '+' | '-' -> incr at; go () | _ -> () in
    go ();
    Number (String.sub s start (!at - start)) in
  let rec value depth =
    if depth > deepest then fail "too many brackets";
    blanks ();
    match look () with
    | '"' -> Text (text ())
    | '{' -> incr at; Members (members depth)
    | '[' -> incr at; List (items depth)
    | 't' -> word "true" | 'f' -> word "false" | 'n' -> word "null"
    | _ -> number ()
  and members depth =
    blanks ();
    if look () = '}' then (incr at; []) else
      let rec go found =
        blanks ();
        let name = text () in
        if List.mem_assoc name found then fail ("a second member '" ^ shown name ^ "'");
        if List.length found > 1000 then fail "too many members";
        blanks (); need ':';
        let v = value (depth + 1) in
        let found = (name, v) :: found in
        blanks ();
        match look () with ',' -> incr at; go found | _ -> need '}'; found in
      go []
  and items depth =
    blanks ();
    if look () = ']' then (incr at; []) else
      let rec go found =
        let found = value (depth + 1) :: found in
        blanks ();
        match look () with ',' -> incr at; go found | _ -> need ']'; List.rev found in
      go [] in
  let v = value 0 in
  blanks ();
  if !at < n then fail "more text";
  v

(* ---- what a certificate claims ---- *)

type claim = { length : float option; form : string; stated : stated option }

(* Of one language, that of the source. *)
let stated_of all source = match List.assoc_opt "languages" all with
  | Some (List [ Members l ]) when List.assoc_opt "language" l = Some (Text source) ->
    (match List.assoc_opt "formula" l, List.assoc_opt "table" l with
     | Some (Text formula), Some (List rows) ->
       Some { formula; table = List.map (function Text r -> r | _ -> raise (Wrong "a row of a table is no text")) rows }
     | _ -> None)
  | _ -> None

let claim_of certificate ~digest (t : Kernel.text_model) =
  let all = match parse_json certificate with
    | Members l -> l | _ -> raise (Wrong "the certificate is no object") in
  let text name = match List.assoc_opt name all with
    | Some (Text t) -> t | _ -> raise (Wrong (Printf.sprintf "the certificate has no text '%s'" name)) in
  (match List.assoc_opt "temper-certificate" all with
   | Some (Number "2") -> ()
   | Some (Number "1") -> raise (Refused "a certificate of version 1: certify again")
   | _ -> raise (Wrong "not a certificate of a model: it does not begin with \"temper-certificate\""));
  let model = match List.assoc_opt "model" all with
    | Some (Members l) -> (match List.assoc_opt "sha256" l with Some (Text t) -> t | _ -> "") | _ -> "" in
  if model <> digest then raise (Refused "the certificate is about another file: its SHA-256 is another");
  if text "claim" <> "formula" || List.mem_assoc "kind" all then
    raise (Refused "the certificate claims something else than a formula's truth");
  let form = text "type" in
  if not (List.mem_assoc form kinds) then raise (Refused ("the type " ^ shown form ^ " is not covered"));
  if text "order" <> order_of form then raise (Refused "the certificate is about another order of sums");
  if text "source" <> source_of t || text "syntax" <> string_of t.t_syntax then
    raise (Refused "the certificate has another specification than the model");
  if text "at" <> (if t.t_first then "first" else "last") || text "empty" <> (if t.t_empty then "accept" else "reject") then
    raise (Refused "the certificate says something else than the model of where the answer is read, or of the empty string");
  let length = match List.assoc_opt "length" all with
    | Some (Number n) -> (match length_of n with
        | Some l -> l | None -> raise (Refused "the certificate's length is not covered"))
    | _ -> raise (Wrong "the certificate has no length") in
  { length = Some length; form; stated = stated_of all (source_of t) }

let run model certificate asked =
  let bytes = read_file model in
  let t = Ask.parse bytes in
  let digest = sha256 bytes in
  let claim = match certificate with
    | Some path -> claim_of (read_file path) ~digest t | None -> asked in
  let q = question t claim.stated in
  let length = length_of_model ~form:claim.form q claim.length in
  Printf.printf
    "%s: proved: in every %s run the answer at every position of every string up to length %.0f is %s \"%s\", \
     it is read at the %s position, and the empty string is %s (%s, SHA-256 %s)\n%!"
    (shown model) claim.form length (said_at_positions q) (quoted (source_of t)) (if t.t_first then "first" else "last")
    (if t.t_empty then "accepted" else "rejected") (theorem q) digest

(* ---- the command line ---- *)

type options = { files : string list; asked_length : float option; asked_type : string option }

let rec read_options o = function
  | [] -> { o with files = List.rev o.files }
  | "--" :: rest -> { o with files = List.rev_append o.files rest }
  | ("--help" | "-h") :: _ -> print_string help; exit 0
  | "--version" :: _ -> print_endline ("temper-checker " ^ Version.version); exit 0
  | "--length" :: v :: rest when o.asked_length = None ->
    (match length_of v with
     | Some n -> read_options { o with asked_length = Some n } rest
     | None -> raise (Wrong (Printf.sprintf "--length takes a whole number up to %.0f" most_length)))
  | "--type" :: v :: rest when o.asked_type = None ->
    if not (List.mem_assoc v kinds) then raise (Wrong ("--type takes one of " ^ type_names));
    read_options { o with asked_type = Some v } rest
  | a :: _ when starts a "-" && a <> "-" -> raise (Wrong (Printf.sprintf "what is '%s'? %s" (shown a) usage))
  | a :: rest -> read_options { o with files = a :: o.files } rest

let exit_code work =
  let fail code why = prerr_endline ("temper-checker: " ^ why); code in
  try work (); 0 with
  | Wrong why -> fail 2 why
  | Unread why -> fail 3 ("cannot read " ^ shown why)
  | Sys_error why -> fail 3 (shown why)
  | Refused why -> fail 4 ("not accepted: " ^ why)
  | Stack_overflow -> fail 4 "not accepted: the checker ran out of stack"
  | Out_of_memory -> fail 4 "not accepted: the checker ran out of memory"

let bounded work =
  Sys.set_signal Sys.sigvtalrm (Sys.Signal_handle (fun _ ->
      raise (Refused (Printf.sprintf "more than %.0f seconds" most_seconds))));
  ignore (Unix.setitimer Unix.ITIMER_VIRTUAL { Unix.it_interval = 0.; it_value = most_seconds });
  ignore (Gc.create_alarm (fun () ->
      if (Gc.quick_stat ()).Gc.heap_words > most_words then raise Out_of_memory));
  work ()

(* The work is done in a child, so that nothing in a file can end this process otherwise than with a status. *)
let () =
  let o = ref { files = []; asked_length = None; asked_type = None } in
  let code = exit_code (fun () -> o := read_options !o (List.tl (Array.to_list Sys.argv))) in
  if code <> 0 then exit code;
  let work = match !o with
    | { files = [ model ]; asked_length = length; asked_type } ->
      fun () -> run model None { length; form = Option.value asked_type ~default:"f64"; stated = None }
    | { files = [ model; certificate ]; asked_length = None; asked_type = None } ->
      fun () -> run model (Some certificate) { length = None; form = "f64"; stated = None }
    | _ -> fun () -> raise (Wrong usage) in
  match Unix.fork () with
  | 0 -> exit (exit_code (fun () -> bounded work))
  | child ->
    (match Unix.waitpid [] child with
     | _, Unix.WEXITED code -> exit code
     | _ -> prerr_endline "temper-checker: not accepted: the checker was stopped, out of stack or memory"; exit 4)
  | exception Unix.Unix_error (why, _, _) ->
    prerr_endline ("temper-checker: cannot begin: " ^ Unix.error_message why); exit 3
