(* The checker as a program: OCaml, with numbers as Coq has them, so no machine integers are trusted. main.ml reads the
   command line and the files. It stands behind the theorems: Check.v has check_sound, and this is its `check_text`;
   Language.v has check_language_sound, and this is its `check_language_text`. What hint.ml needs to make a hint is
   extracted, too; hints are not trusted. *)
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlString.
From Temper.checker Require Import Parse Source Regex RegexOk AutomatonOk Checker Check Language.
Extraction Language OCaml.
Extraction "kernel.ml" parse_bytes specification_of check_text regex_of check_language_text turned sets pd nullable
  f32_kind f64_kind bf16_f32_kind f16_f32_kind e4m3_f32_kind.
