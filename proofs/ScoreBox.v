(* doc/certificate.md, "Shares of a softmax row" and "Match": two lemmas over the reals.

   score_boxes   over all scores in boxes the largest mean is attained where scores of values above some threshold
     are at their
                 upper ends and all others at their lower ends
   match_gaps    a head that compares patterns has the gaps of a nearest head: an injection of losers into 1, 2, ...
     *)
From Coq Require Import Reals Lia Lra Psatz List Arith.
From Temper Require Import Rows Heads.
Import ListNotations.
Local Open Scope R_scope.

Section Boxes.
Variables (lo hi v : nat -> R) (K : list nat).
Hypothesis nonempty : K <> [].
Definition cut (tau : R) j := if Rlt_dec tau (v j) then hi j else lo j.
Lemma output_centred s t : sum (fun j => exp (s j) * (v j - t)) K = (output s v K - t) * sum (fun j => exp (s j)) K.
Proof.
  assert (P := mass_pos s K nonempty). rewrite output_sum. unfold weight.
  rewrite (sum_ext (fun j => exp (s j) * (v j - t)) (fun j => exp (s j) * v j + (- t) * exp (s j))) by (intros; ring).
  rewrite sum_plus, sum_scal.
  rewrite (sum_ext (fun j => exp (s j) / sum (fun k => exp (s k)) K * v j) (fun j => / sum (fun k => exp (s k)) K *
    (exp (s j) *
    v j))) by (intros; unfold Rdiv; ring).
  rewrite sum_scal. field. lra.
Qed.
Theorem score_boxes s : (forall j, In j K -> lo j <= s j <= hi j) -> exists tau, output s v K <= output (cut tau) v K.
Proof.
  intros Box. set (t := output s v K). exists t. assert (Z := output_centred s t). fold t in Z.
  rewrite Rminus_diag_eq, Rmult_0_l in Z by auto. assert (C := output_centred (cut t) t).
  assert (P := mass_pos (cut t) K nonempty).
  assert (Le : sum (fun j => exp (s j) * (v j - t)) K <= sum (fun j => exp (cut t j) * (v j - t)) K).
  { apply sum_le. intros j Hj. destruct (Box j Hj) as [B1 B2]. unfold cut. destruct (Rlt_dec t (v j)) as [G|G].
    - apply Rmult_le_compat_r. lra. now apply exp_mono.
    - assert (X := exp_mono _ _ B1). apply Rnot_lt_le in G. nra. }
  rewrite Z, C in Le. set (S := sum (fun j => exp (cut t j)) K) in *.
  destruct (Rle_dec t (output (cut t) v K)) as [Q|Q]; auto. exfalso. apply Rnot_le_lt in Q.
  assert ((output (cut t) v K - t) * S < 0); [|lra]. nra.
Qed.
End Boxes.

(* keys whose score s is the largest possible one, top, are candidates; all others have at most top - 1. The logit is
   kappa n s + kappa num, and the candidate with the largest num is chosen *)
Theorem match_gaps kappa n K (num : nat -> nat) (s : nat -> R) top js : 0 < kappa -> NoDup K -> (forall j, In j K ->
  (num j <
  n)%nat) -> (forall x y, In x K -> In y K -> num x = num y -> x = y) -> (forall j, In j K -> s j = top \/ s j <= top
    - 1) ->
  In js K -> s js = top -> (forall j, In j K -> s j = top -> (num j <= num js)%nat) ->
  let ideal j := kappa * INR n * s j + kappa * INR (num j) in
  exists d, NoDup (map d (losers js K)) /\ forall j, In j (losers js K) -> (1 <= d j)%nat /\ kappa * INR (d j) <=
    ideal js -
    ideal j.
Proof.
  intros Hk Hn Kn inj cB Hi jsc best ideal.
  set (d j := if Req_EM_T (s j) top then (num js - num j)%nat else (n + num js - num j)%nat). exists d. split.
  - apply NoDup_map_inj. now apply NoDup_filter. intros x y Hx Hy E. apply in_losers in Hx, Hy.
    destruct Hx as [Hx _], Hy as [Hy _]. apply inj; auto. assert (X := Kn x Hx). assert (Y := Kn y Hy). assert (Z :=
      Kn js Hi).
    revert E. unfold d. destruct (Req_EM_T (s x) top), (Req_EM_T (s y) top);
    try (assert (num x <= num js)%nat by auto); try (assert (num y <= num js)%nat by auto); lia.
  - intros j Hj. apply in_losers in Hj. destruct Hj as [Hj Hne]. assert (J := Kn j Hj). unfold d, ideal. rewrite jsc.
    destruct (Req_EM_T (s j) top) as [e|e].
    + assert (num j <= num js)%nat by auto. assert (num j <> num js) by (intro; apply Hne; auto). split. lia.
      rewrite e, minus_INR by auto. lra.
    + destruct (cB j Hj) as [e0|Lt]; [contradiction|]. split. lia. rewrite minus_INR, plus_INR by lia.
      assert (kappa * INR n * s j <= kappa * INR n * (top - 1)). { apply Rmult_le_compat_l; auto. apply Rmult_le_pos.
        lra. apply
        pos_INR. } lra.
Qed.
