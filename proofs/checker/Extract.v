(* The checker as a program: OCaml, with numbers as Coq has them, so no machine integers are trusted.
  main.ml reads the
   command line and the files. It stands behind the theorem: Check.v has check_sound, and this is its `check_text`. *)
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlString.
From Temper.checker Require Import Parse Source Checker Check.
Extraction Language OCaml.
Extraction "kernel.ml" parse_bytes specification_of check_text
  f32_kind f64_kind bf16_f32_kind f16_f32_kind e4m3_f32_kind.
