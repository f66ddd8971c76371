(* What is proved, and what it rests on. make proofs shows this list and fails on any other assumption. *)
From Temper Require Import Rows Heads Strings Programs Compile Temporal Counting Residues MainTheorem Format Sums Crumbs Ramp Nearest.
Print Assumptions softmax_total_variation.
Print Assumptions hard_attention.
Print Assumptions once_row.
Print Assumptions nearest_row.
Print Assumptions compare_row.
Print Assumptions lookup_row.
Print Assumptions compile_computes.
Print Assumptions soft_transformer.
Print Assumptions lemma1_ascending.
Print Assumptions lemma1_any.
Print Assumptions output_in_unit.
Print Assumptions lemma2.
Print Assumptions ramp_exact.
Print Assumptions nearest_ascending.
