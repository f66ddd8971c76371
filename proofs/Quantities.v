(* doc/certificate.md, "Quantities": how errors go through products and sums.

   product_off   a product of two numbers that are off
   sum_off       a weighted sum of numbers that are off
   rounded_off   one rounding more: half_f(P) for an argument of size at most P *)
From Coq Require Import ZArith Reals Lia Lra Psatz List.
From Flocq Require Import Core.
From Temper Require Import Rows Format Sums Rounding.
Import ListNotations.
Local Open Scope R_scope.

Theorem product_off x y X Y SX SY ex ey : Rabs X <= SX -> Rabs Y <= SY -> Rabs (x - X) <= ex -> Rabs (y - Y) <= ey ->
  Rabs (x * y - X * Y) <= SX * ey + SY * ex + ex * ey.
Proof.
  intros HX HY Hx Hy. replace (x * y - X * Y) with (X * (y - Y) + Y * (x - X) + (x - X) * (y - Y)) by ring.
  assert (P := Rabs_pos X). assert (Q := Rabs_pos Y). assert (A := Rabs_pos (x - X)). assert (B := Rabs_pos (y - Y)).
  eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat; [eapply Rle_trans; [apply Rabs_triang|]; apply
    Rplus_le_compat|]; rewrite Rabs_mult; apply Rmult_le_compat; lra.
Qed.
(* terms: weight, computed, ideal, bound of the distance *)
Theorem sum_off (ts : list (R * R * R * R)) : (forall w x y e, In (w, x, y, e) ts -> Rabs (x - y) <= e) ->
  Rabs (sum (fun t => fst (fst (fst t)) * snd (fst (fst t))) ts - sum (fun t => fst (fst (fst t)) * snd (fst t)) ts)
    <= sum (fun t => Rabs (fst (fst (fst t))) * snd t) ts.
Proof.
  induction ts as [|[[[w x] y] e] ts IH]; intros H; cbn [sum fst snd]. rewrite Rminus_diag_eq, Rabs_R0 by auto. lra.
  assert (Z := IH (fun w' x' y' e' Hi => H w' x' y' e' (or_intror Hi))). assert (D := H w x y e (or_introl eq_refl)).
  match goal with |- Rabs (w * x + ?a - (w * y + ?b)) <= _ => replace (w * x + a - (w * y + b)) with (w * (x - y) +
    (a - b)) by ring end.
  eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat; [|exact Z]. rewrite Rabs_mult.
    apply Rmult_le_compat_l; auto. apply Rabs_pos.
Qed.
Theorem rounded_off f x y e k : (emin f <= k)%Z -> Rabs x <= bpow radix2 k -> Rabs (x - y) <= e -> Rabs (rnd f x - y)
  <= e + (u f * bpow radix2 (k - 1) + tiny f).
Proof.
  intros Hk Hx He. assert (H := rnd_half f x k Hk Hx). assert (T := tiny_pos f).
    replace (rnd f x - y) with ((rnd f x - x) + (x - y)) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. lra.
Qed.
