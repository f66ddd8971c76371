(* What is proved, and what it rests on. make proofs shows this list and fails on any other assumption. *)
From Temper Require Import Rows Heads Gates Strings Programs Compile Temporal Counting Residues MainTheorem HardAttention.
From Temper Require Import Format Rounding Sums Crumbs Ramp Nearest NearestAny FloatRun NearestHead Soundness SoundFormulas Replay.
Print Assumptions softmax_total_variation.
Print Assumptions hard_attention.
Print Assumptions once_row.
Print Assumptions nearest_row.
Print Assumptions compare_row.
Print Assumptions lookup_row.
Print Assumptions and_gate.
Print Assumptions or_gate.
Print Assumptions xor_gate.
Print Assumptions gates_sentinel.
Print Assumptions exclusive_sum.
Print Assumptions compile_computes.
Print Assumptions soft_transformer.
Print Assumptions head_error.
Print Assumptions layers_error.
Print Assumptions rnd_half.
Print Assumptions round_raw_ok.
Print Assumptions lemma1_ascending.
Print Assumptions lemma1_any.
Print Assumptions output_in_unit.
Print Assumptions lemma2.
Print Assumptions ramp_exact.
Print Assumptions nearest_ascending.
Print Assumptions nearest_any.
Print Assumptions float_run_exists.
Print Assumptions sound.
Print Assumptions claim_any.
