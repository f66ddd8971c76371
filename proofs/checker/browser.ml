(* The extracted checker for the playground: js_of_ocaml makes build/checker/checker.js of it (scripts/checker.sh).

   temperProvedChecker(bytes, type, milliseconds) takes the bytes of a model as a text of characters up to 255, and answers
   {length, why}: the largest length that is accepted, or -1 and why there is none. It asks no new question after so many
   milliseconds of work; then the largest length with the answer yes so far counts. *)

open Js_of_ocaml
open Ask

exception Late of float

let now () = Sys.time () *. 1000.

let answer length why =
  Js.Unsafe.obj [| ("length", Js.Unsafe.inject (Js.number_of_float length)); ("why", Js.Unsafe.inject (Js.string why)) |]

let ask bytes type_name milliseconds =
  let until = now () +. milliseconds in
  let best = ref (-1.) in
  try
    match Js.to_string type_name with
    | form when not (List.mem_assoc form kinds) -> answer (-1.) ("the checker does not know " ^ form)
    | form ->
      let q = question (parse (Js.to_bytestring bytes)) None in
      let accepts length =
        if now () > until then raise (Late !best);
        let yes = accepted ~form q length in
        if yes then best := Float.max !best length;
        yes in
      (match largest accepts with
       | Some length -> answer length ""
       | None -> answer (-1.) ("at no length in " ^ form))
  with
  | Late length -> answer length "it takes too long"
  | Wrong why | Refused why -> answer (-1.) why
  | Stack_overflow | Out_of_memory -> answer (-1.) "the checker ran out of memory"

let () = Js.Unsafe.set Js.Unsafe.global (Js.string "temperProvedChecker") (Js.wrap_callback ask)
