(* doc/theory.md, "Digits: positions in short formats": a position d = j - floor(N/2) as K digits in base B = 2^p,
  all of
   the sign of d, the highest one not reduced.

   digits_sum       d is the sum of its digits times powers of B
   digits_stored    claim 1: every digit, times a power of two, is a number of a format of p bits
   digits_logit     claim 2: the logit of a candidate is exactly 8 d, in any order of summation, if |d| <= 2^P
   digits_penalty   claim 3: with the bonus beta as one more term it is exactly 8 d - beta, if beta + 8 |d| <= 8 2^P
     *)
From Coq Require Import ZArith Reals Lia Lra List Permutation.
From Flocq Require Import Core.
From Temper Require Import Rows Format Sums Rounding Exact.
Import ListNotations.
Local Open Scope R_scope.

Lemma sum_perm_R (g : R -> R) a b : Permutation a b -> sum g a = sum g b.
Proof. induction 1; simpl; lra. Qed.

Section Digits.
Variable B : Z.
Hypothesis B_2 : (2 <= B)%Z.
(* digits of a number that is not negative, the lowest first *)
Fixpoint digits (K : nat) (n : Z) : list Z := match K with
  | O => [] | S O => [n] | S K' => (n mod B)%Z :: digits K' (n / B) end.
Fixpoint joined (l : list Z) : Z := match l with [] => 0 | e :: r => e + B * joined r end%Z.
Definition signed (K : nat) (d : Z) : list Z := map (Z.mul (Z.sgn d)) (digits K (Z.abs d)).
Lemma digits_step K n : digits (S (S K)) n = (n mod B)%Z :: digits (S K) (n / B).
Proof. reflexivity. Qed.
Lemma digits_join K : forall n, joined (digits (S K) n) = n.
Proof.
  induction K as [|K IH]; intros n. simpl. lia. rewrite digits_step. cbn [joined]. rewrite IH.
  assert (X := Z.div_mod n B ltac:(lia)). lia.
Qed.
Lemma joined_scale s l : joined (map (Z.mul s) l) = (s * joined l)%Z.
Proof. induction l as [|e r IH]; cbn [map joined]. lia. rewrite IH. lia. Qed.
Theorem digits_sum K d : joined (signed (S K) d) = d.
Proof. unfold signed. rewrite joined_scale, digits_join. rewrite Z.mul_comm. apply Z.abs_sgn. Qed.

(* digits below the highest are below B, the highest is at most what is left *)
Lemma digits_size K : forall n, (0 <= n <= B * B ^ Z.of_nat K)%Z -> forall e, In e (digits (S K) n) -> (0 <= e <=
  B)%Z.
Proof.
  induction K as [|K IH]; intros n Hn e He. simpl in He. destruct He as [<-|[]]. change (Z.of_nat 0) with 0%Z in Hn.
  rewrite Z.pow_0_r in Hn. lia.
  rewrite digits_step in He. destruct He as [<-|He]. assert (X := Z.mod_pos_bound n B ltac:(lia)). lia.
  apply (IH (n / B)%Z); auto. split. apply Z.div_pos; lia. apply Z.div_le_upper_bound. lia.
  rewrite Nat2Z.inj_succ, Z.pow_succ_r in Hn by lia. lia.
Qed.
Theorem digits_stored f K d k e : (B = 2 ^ prec f)%Z -> (Z.abs d <= B * B ^ Z.of_nat K)%Z -> In e (signed (S K) d) ->
  (emin f <= k)%Z -> number f (IZR e * bpow radix2 k) /\ Rabs (IZR e * bpow radix2 k) <= bpow radix2 (prec f + k).
Proof.
  intros HB Hd He Hk. unfold signed in He. apply in_map_iff in He. destruct He as (n & <- & Hn).
  assert (Sz := digits_size K (Z.abs d) ltac:(lia) n Hn). assert (Ab : (Z.abs (Z.sgn d * n) <= 2 ^ prec f)%Z).
  { rewrite Z.abs_mul. assert (Z.abs (Z.sgn d) <= 1)%Z by (destruct d; simpl; lia). nia. }
  split. now apply (number_mult f _ (Z.sgn d * n) k).
  rewrite Rabs_mult, (Rabs_pos_eq (bpow radix2 k)), bpow_plus by apply bpow_ge_0. apply Rmult_le_compat_r. apply
    bpow_ge_0.
  rewrite <- abs_IZR, <- pow_IZR by (generalize (prec_ge_2 f); lia). now apply IZR_le.
Qed.

(* the products of a logit: 8 e_b B^b *)
Fixpoint products (b : R) (l : list Z) : list R := match l with [] => [] | e :: r => IZR e * b :: products (b * IZR
  B) r end.
Lemma products_total l : forall b, total (products b l) = IZR (joined l) * b.
Proof.
  unfold total. induction l as [|e r IH]; intros b; cbn [products joined sum]. ring. rewrite IH, plus_IZR, mult_IZR.
    ring.
Qed.
Lemma products_multiple l : forall k : Z, forall x, In x (products (IZR k * bpow radix2 3) l) -> multiple 3 x.
Proof.
  induction l as [|e r IH]; intros k x Hx; [destruct Hx|]. destruct Hx as [<-|Hx].
  exists (e * k)%Z. rewrite mult_IZR. ring.
  apply (IH (k * B)%Z). rewrite mult_IZR. replace (IZR k * IZR B * bpow radix2 3) with (IZR k * bpow radix2 3 * IZR
    B) by ring.
  exact Hx.
Qed.
(* all of one sign: sizes add up to the size of the sum *)
Lemma products_abs s l : forall b, 0 <= b -> (Z.abs s <= 1)%Z -> (forall e, In e l -> (0 <= e)%Z) ->
  sum Rabs (products b (map (Z.mul s) l)) <= IZR (joined l) * b.
Proof.
  induction l as [|e r IH]; intros b Hb Hs Hl; cbn [map products joined sum]. lra.
  assert (He := Hl e (or_introl eq_refl)). apply IZR_le in He. assert (B2 := IZR_le 2 B B_2).
  assert (X := IH (b * IZR B) ltac:(apply Rmult_le_pos; lra) Hs (fun x Hx => Hl x (or_intror Hx))).
  rewrite plus_IZR, (mult_IZR B). assert (Rabs (IZR (s * e) * b) <= IZR e * b).
  { rewrite mult_IZR, !Rabs_mult, (Rabs_pos_eq b), (Rabs_pos_eq (IZR e)), <- abs_IZR by lra. apply IZR_le in Hs.
    apply Rmult_le_compat_r; auto. rewrite <- (Rmult_1_l (IZR e)) at 2. apply Rmult_le_compat_r; lra. }
  replace ((IZR e + IZR B * IZR (joined r)) * b) with (IZR e * b + IZR (joined r) * (b * IZR B)) by ring. lra.
Qed.
Section Logit.
Variable f : format.                                       (* the format of sums *)
Variables (K : nat) (d : Z).
Lemma joined_abs : joined (digits (S K) (Z.abs d)) = Z.abs d. Proof. apply digits_join. Qed.
Lemma digits_pos e : In e (digits (S K) (Z.abs d)) -> (0 <= e)%Z.
Proof.
  assert (H : forall K n, (0 <= n)%Z -> In e (digits (S K) n) -> (0 <= e)%Z).
  { induction K0 as [|K0 IH]; intros n Hn He. simpl in He. destruct He as [<-|[]]; auto.
    rewrite digits_step in He. destruct He as [<-|He]. now apply Z.mod_pos_bound; lia. apply (IH (n / B)%Z); auto.
    apply Z.div_pos; lia. }
  apply H. apply Z.abs_nonneg.
Qed.
Theorem digits_logit t : Permutation (leaves t) (products 8 (signed (S K) d)) -> IZR (Z.abs d) <= bpow radix2 (prec
  f) ->
  computed f t = 8 * IZR d.
Proof.
  intros P H. assert (Ex : computed f t = total (leaves t)).
  { apply digits_exact.
    - intros w Hw. apply (products_multiple (signed (S K) d) 1). replace (1 * bpow radix2 3) with 8 by (simpl; lra).
      now apply (Permutation_in _ P).
    - rewrite (sum_perm_R Rabs _ _ P). eapply Rle_trans. apply products_abs; [lra| |apply digits_pos].
      destruct d; simpl; lia. rewrite joined_abs. lra. }
  rewrite Ex. unfold total. rewrite (sum_perm_R (fun x => x) _ _ P).
  change (sum (fun x => x)) with total. rewrite products_total, digits_sum. ring.
Qed.
Theorem digits_penalty t beta : Permutation (leaves t) (- beta :: products 8 (signed (S K) d)) -> multiple 3 beta ->
  0 <=
  beta -> beta + 8 * IZR (Z.abs d) <= 8 * bpow radix2 (prec f) -> computed f t = 8 * IZR d - beta.
Proof.
  intros P Mb B0 H. assert (Ex : computed f t = total (leaves t)).
  { apply digits_exact.
    - intros w Hw. apply (Permutation_in _ P) in Hw. destruct Hw as [<-|Hw].
      + destruct Mb as [m ->]. exists (- m)%Z. rewrite opp_IZR. ring.
      + apply (products_multiple (signed (S K) d) 1). now replace (1 * bpow radix2 3) with 8 by (simpl; lra).
    - rewrite (sum_perm_R Rabs _ _ P). cbn [sum]. rewrite Rabs_Ropp, Rabs_pos_eq by auto.
      assert (X := products_abs (Z.sgn d) (digits (S K) (Z.abs d)) 8 ltac:(lra) ltac:(destruct d; simpl; lia)
        digits_pos).
      rewrite joined_abs in X. unfold signed. lra. }
  rewrite Ex. unfold total. rewrite (sum_perm_R (fun x => x) _ _ P). cbn [sum].
  change (sum (fun x => x)) with total. rewrite products_total, digits_sum. ring.
Qed.
End Logit.
End Digits.
