(* What is proved, and what it rests on. make proofs shows this list and fails on any other assumption. *)
From Temper Require Import Rows Heads Gates Strings NormalForm Programs Compile Temporal Counting Residues
  MainTheorem HardAttention.
From Temper Require Import Format Rounding Quantities Exact Sums Crumbs Ramp Nearest NearestAny OnceHead OnceTree
  OnceAny
  CompareHead
  FloatRun
  FusedGates NearestHead Range CountHead CompareAny CompareLogit Soundness SoundFormulas SoundCompare Sound
  Results SafeBlocks SafeCompare NoOverflow Replay Saturation Digits Norm ScoreBox LookupHead Kernels
  SheetTheorems SheetOnce SheetSums SheetSentinel.
Print Assumptions softmax_total_variation.
Print Assumptions hard_attention.
Print Assumptions once_row.
Print Assumptions nearest_row.
Print Assumptions nearest_bonus.
Print Assumptions compare_row.
Print Assumptions lookup_row.
Print Assumptions and_gate.
Print Assumptions or_gate.
Print Assumptions xor_gate.
Print Assumptions gates_sentinel.
Print Assumptions exclusive_sum.
Print Assumptions always_means.
Print Assumptions release_means.
Print Assumptions weak_until_means.
Print Assumptions compile_computes.
Print Assumptions soft_transformer.
Print Assumptions head_error.
Print Assumptions layers_error.
Print Assumptions rnd_half.
Print Assumptions product_off.
Print Assumptions sum_off.
Print Assumptions rounded_off.
Print Assumptions round_raw_ok.
Print Assumptions exact_tree.
Print Assumptions mean_error.
Print Assumptions lemma1_ascending.
Print Assumptions lemma1_any.
Print Assumptions output_in_unit.
Print Assumptions lemma2.
Print Assumptions ramp_exact.
Print Assumptions tree_error.
Print Assumptions fused_ramp.
Print Assumptions nearest_ascending.
Print Assumptions nearest_any.
Print Assumptions nearest_out.
Print Assumptions once_out.
Print Assumptions near_values.
Print Assumptions effective.
Print Assumptions once_any_out.
Print Assumptions compare_true.
Print Assumptions compare_false.
Print Assumptions tree_in_range.
Print Assumptions scan_in_range.
Print Assumptions double_scan.
Print Assumptions unit_row.
Print Assumptions count_row.
Print Assumptions count_out.
Print Assumptions compare_any.
Print Assumptions compare_any_true.
Print Assumptions compare_logit.
Print Assumptions compare_sound.
Print Assumptions float_run_exists.
Print Assumptions sound.
Print Assumptions near_page.
Print Assumptions once_room.
Print Assumptions compare_page.
Print Assumptions replay_near.
Print Assumptions replay_near_asc.
Print Assumptions replay_step.
Print Assumptions replay_step_asc.
Print Assumptions replay_compare.
Print Assumptions replay_compare_asc.
Print Assumptions replay_once.
Print Assumptions claim.
Print Assumptions exclusive_tree.
Print Assumptions digits_stored.
Print Assumptions digits_logit.
Print Assumptions digits_penalty.
Print Assumptions silent.
Print Assumptions one_hot.
Print Assumptions pinned_sum.
Print Assumptions rms_identity.
Print Assumptions score_boxes.
Print Assumptions match_gaps.
Print Assumptions winner_ascending.
Print Assumptions lookup_ascending.
Print Assumptions lookup_any.
Print Assumptions scan_covered.
Print Assumptions sheet_counts.
Print Assumptions sheet_sum.
Print Assumptions sheet_row_ascending.
Print Assumptions sheet_row_any.
Print Assumptions sheet_pick_range.
Print Assumptions sheet_nearest.
Print Assumptions sheet_nearest_any.
Print Assumptions sheet_lookup.
Print Assumptions sheet_lookup_any.
Print Assumptions sheet_once_any.
Print Assumptions once_within_sheet.
Print Assumptions once_within_sheet_ascending.
Print Assumptions sheet_once_light.
Print Assumptions sheet_once_range.
Print Assumptions sheet_match.
Print Assumptions sheet_count.
Print Assumptions sheet_count_values.
Print Assumptions sheet_count_mean.
Print Assumptions sheet_ramp.
Print Assumptions sheet_lone.
Print Assumptions sheet_sentinel.
Print Assumptions sheet_sentinel_any.
Print Assumptions sheet_compare.
Print Assumptions sheet_compare_range.
Print Assumptions sheet_scales.
(* the checker of files *)
From Temper.checker Require Check Exists Language.
Print Assumptions Check.check_sound.
Print Assumptions Check.verdict_sound.
Print Assumptions Language.check_language_sound.
Print Assumptions Exists.model_run_exists.
