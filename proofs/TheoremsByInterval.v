(* Numbers that the interval tactic computes: these also rest on Coq's primitive integers and floats. *)
From Temper Require Import Instances OnceInstances.
Print Assumptions exp_m8.
Print Assumptions gates_128.
Print Assumptions since_f32_leak.
Print Assumptions once_f32.
Print Assumptions once_bf16_f32.
