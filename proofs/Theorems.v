(* What is proved, and what it rests on. make proofs shows this list and fails on any other assumption. *)
From Temper Require Import Rows Format Sums Crumbs Ramp Nearest Logic.
Print Assumptions softmax_total_variation.
Print Assumptions soft_transformer_all.
Print Assumptions lemma1_ascending.
Print Assumptions lemma1_any.
Print Assumptions output_in_unit.
Print Assumptions lemma2.
Print Assumptions ramp_exact.
Print Assumptions nearest_ascending.
