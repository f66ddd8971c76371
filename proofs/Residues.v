(* doc/theory.md, "Look-up: residues": remainders of sums of counts, by both methods.
  One look-up head for each count and residue;
   the one-hot groups are added modulo m. *)
From Coq Require Import ZArith Reals Lia Lra Psatz List Bool Arith.
From Temper Require Import Rows Heads Strings Programs Compile Temporal Counting.
Import ListNotations.
Local Open Scope R_scope.

Lemma nth_map_seq {X} (f : nat -> X) M r : (r < M)%nat -> nth_error (map f (seq 0 M)) r = Some (f r).
Proof.
  intros H. rewrite nth_error_map, (nth_error_nth' _ 0%nat) by (rewrite seq_length; lia). now rewrite seq_nth.
Qed.
Lemma square_ge a b : Rabs (INR a - INR b) <= (INR a - INR b) * (INR a - INR b).
Proof.
  rewrite !INR_IZR_INZ, <- minus_IZR, <- abs_IZR, <- mult_IZR. apply IZR_le.
  set (z := (Z.of_nat a - Z.of_nat b)%Z). destruct (Z.abs_spec z) as [[H ->]|[H ->]]; nia.
Qed.
Lemma mod_cases (v m : Z) : (0 < m)%Z -> (0 <= v < 2 * m)%Z -> (v mod m = if v <? m then v else v - m)%Z.
Proof.
  intros Hm Hv. destruct (Z.ltb_spec v m). apply Z.mod_small; lia.
  replace v with (v - m + 1 * m)%Z at 1 by lia. rewrite Z_mod_plus_full. apply Z.mod_small; lia.
Qed.

Section Residues.
Context {A : Type}.
Variable tail : bool.
Notation N := (N tail). Notation run := (run tail). Notation keys := (keys tail).
Notation computes := (computes tail). Notation dir_ok := (dir_ok tail). Notation reads := (reads tail).
Variable me : method.

Lemma count_le w (a : form A) d i : dir_ok d -> letter w i = true ->
  (length (filter (fun j => sat w a j) (seen w d i)) <= num d (N w) i)%nat.
Proof.
  intros Dk Li. assert (Hi := letter_N tail w i Li). apply INR_le. rewrite <- (count_keys tail w a d i).
  set (z := sentinel d (N w)). set (K := keys w (mask_of d) i).
  assert (Lz : letter w z = false).
  { destruct (letter w z) eqn:X; auto. apply letter_iff in X. unfold z, sentinel, Programs.N in X. destruct d. lia.
    destruct Dk as [D|T]; [discriminate|]. rewrite T in X. lia. }
  apply Rle_trans with (sum (fun j => 1 + (-1) * is_ z j) K).
  - apply sum_le. intros j _. unfold is_. destruct (Nat.eqb_spec j z) as [->|Hne]. rewrite truth_sentinel by auto.
    lra.
    assert (U := truth_unit w a j). lra.
  - rewrite sum_plus, sum_const, sum_scal. unfold K. rewrite keys_mask, S_INR by auto. fold K.
    replace (sum (is_ z) K) with 1. lra.
    unfold is_. rewrite <- (sum_filter (fun j => Nat.eqb j z)), filter_one. simpl; lra. apply keys_NoDup.
      now apply keys_sentinel.
Qed.

Theorem lookup_computes (p : prog A) k d c (a : form A) m r : good p -> (c < length p)%nat -> computes p c a ->
  dir_ok d -> (r < Pos.to_nat m)%nat ->
  computes (p ++ lookup_block me (k, d, c) m (length p)) (length p + (4 + 2 * Pos.to_nat m + r)) (Modulo (Plus k d a
    (Const 0)) m r).
Proof.
  intros G Hc Ha Dk Hr w i Hi. set (L := length p) in *. set (M := Pos.to_nat m) in *.
    set (bl := lookup_block me (k, d, c) m L).
  assert (nF : nth_error bl (4 + r) = Some (Feature (fun i n => ind (Z.eqb (Z.modulo (k * Z.of_nat (num d n i))
    (Z.pos m)) (Z.of_nat r))))).
  { unfold bl, lookup_block. fold M. cbn [look ch fst snd]. rewrite nth_error_app2 by (simpl; lia). simpl length.
    replace (4 + r - 4)%nat with r by lia.
    rewrite nth_error_app1 by (rewrite map_length, seq_length; lia). now rewrite nth_map_seq. }
  assert (nH : nth_error bl (4 + M + r) = Some (Head (mask_of d) (fun n => by_method me (kappa_lookup * INR n * INR n
    * INR n) 1)
            [([(2, L)], [(1, (L + 2)%nat)]); ([(-1, (L + 1)%nat)], [(1, (L + 3)%nat)])] [(1, (L + (4 + r))%nat)])).
  { unfold bl, lookup_block. fold M. cbn [look ch fst snd]. rewrite nth_error_app2 by (simpl; lia). simpl length.
    replace (4 + M + r - 4)%nat with (M + r)%nat by lia.
    rewrite nth_error_app2 by (rewrite map_length, seq_length; lia). rewrite map_length, seq_length.
      replace (M + r - M)%nat with r by lia.
    rewrite nth_error_app1 by (rewrite map_length, seq_length; lia). now rewrite nth_map_seq. }
  assert (nR : nth_error bl (4 + 2 * M + r) = Some (round_raw (L + (4 + M + r)))).
  { unfold bl, lookup_block. fold M. cbn [look ch fst snd]. rewrite nth_error_app2 by (simpl; lia). simpl length.
    replace (4 + 2 * M + r - 4)%nat with (M + (M + r))%nat by lia.
    rewrite nth_error_app2 by (rewrite map_length, seq_length; lia). rewrite map_length, seq_length.
      replace (M + (M + r) - M)%nat with (M + r)%nat by lia.
    rewrite nth_error_app2 by (rewrite map_length, seq_length; lia). rewrite map_length, seq_length.
      replace (M + r - M)%nat with r by lia.
    now rewrite nth_map_seq. }
  unfold L. rewrite (block_round tail p bl w G _ (L + (4 + M + r)) i nR) by (fold L; lia). fold L.
    set (e := run w (p ++ bl)).
  assert (N0 := N_pos tail w). set (K := keys w (mask_of d) i).
  set (cnt := length (filter (fun j => sat w a j) (seen w d i))).
  set (vf j := ind (Z.eqb (Z.modulo (k * Z.of_nat (num d (N w) j)) (Z.pos m)) (Z.of_nat r))).
  set (n1 := INR (num d (N w) i + 1)).
  assert (n1p : 0 < n1) by (unfold n1; apply lt_0_INR; lia).
  assert (mu : chan e L i = INR cnt / n1).
  { rewrite <- (Nat.add_0_r L). unfold L, e. rewrite (block_head tail p bl w 0 _ _ _ _ i eq_refl).
    2:{ intros x []. } 2:{ fold L. cbn [ch snd]. rows. }
    fold e. cbn [look ch fst snd]. rewrite (output_ext _ (fun _ => 0) _ (truth w a)).
    2:{ intros. simpl. ring. } 2:{ intros j Hj. apply in_keys in Hj. unfold row_at. cbn [sum fst snd]. unfold e.
      rewrite (block_old tail p bl w c a j); try tauto. ring. }
    rewrite uniform_row, count_keys, keys_mask by auto. unfold n1. now rewrite Nat.add_1_r. }
  assert (E : chan e (L + (4 + M + r)) i = output (fun j => kappa_lookup * INR (N w) / n1 * (2 * INR cnt * INR (num d
    (N w) j) - INR (num d (N w) j) * INR (num d (N w) j))) vf K).
  { unfold L, e. rewrite (block_head tail p bl w _ _ _ _ _ i nH).
    2:{ fold L. rows. } 2:{ fold L. rows. }
    fold e. fold L. fold K. apply output_ext; intros j Hj; unfold row_at; cbn [sum fst snd].
    - assert (F1 : chan e (L + 1) i = / n1) by (unfold L, e; now rewrite (block_feature tail p bl w 1 _ i eq_refl)).
      assert (F2 : chan e (L + 2) j = by_method me (/ (INR (N w) * INR (N w))) (kappa_lookup * INR (N w)) * INR (num
        d (N w) j)) by (unfold L, e; now rewrite (block_feature tail p bl w 2 _ j eq_refl)).
      assert (F3 : chan e (L + 3) j = by_method me (/ (INR (N w) * INR (N w))) (kappa_lookup * INR (N w)) * (INR (num
        d (N w) j) * INR (num d (N w) j))) by (unfold L, e; now rewrite (block_feature tail p bl w 3 _ j eq_refl)).
      rewrite mu, F1, F2, F3. destruct me; cbn [by_method]; field; try split; lra.
    - unfold L at 1, e at 1. rewrite (block_feature tail p bl w _ _ j nF). unfold vf. ring. }
  rewrite E. apply ramp_rounds.
  - apply output_unit. intros j _. unfold vf, ind. destruct Z.eqb; lra.
  - intros Li. assert (Cle := count_le w a d i Dk Li). fold cnt in Cle. assert (nl := num_lt d (N w) i Hi).
    set (js := match d with Past => cnt | Future => (N w - 1 - cnt)%nat end).
    assert (nj : num d (N w) js = cnt) by (unfold js; destruct d; simpl in *; lia).
    assert (jK : In js K). { apply in_mask. unfold js. destruct d; simpl in *; rewrite ?Nat.leb_le; lia. }
    assert (T : truth w (Modulo (Plus k d a (Const 0)) m r) i = vf js).
    { unfold truth, vf. rewrite nj, sat_modulo, Li, value_plus. fold cnt. cbn [value]. rewrite Z.add_0_r.
      reflexivity. }
    rewrite T. eapply Rle_trans; [|apply (quarter_lookup kappa_lookup); unfold kappa_lookup; lra].
    apply (lookup_row kappa_lookup K (num d (N w))).
    + unfold kappa_lookup; lra.
    + apply keys_NoDup.
    + intros x y Hx Hy. apply in_keys in Hx, Hy. now apply num_inj.
    + intros j _. unfold vf, ind. destruct Z.eqb; lra.
    + exact jK.
    + intros j Hj. rewrite nj. set (x := INR (num d (N w) j)). set (y := INR cnt).
      replace (kappa_lookup * INR (N w) / n1 * (2 * y * y - y * y) - kappa_lookup * INR (N w) / n1 * (2 * y * x - x *
        x))
        with (INR (N w) / n1 * (kappa_lookup * ((x - y) * (x - y)))) by (field; lra).
      assert (Q : Rabs (x - y) <= (x - y) * (x - y)) by apply square_ge.
      assert (B : 1 <= INR (N w) / n1).
      { apply Rmult_le_reg_r with n1; auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
        rewrite Rmult_1_l, Rmult_1_r. apply le_INR. lia. }
      assert (P : 0 <= Rabs (x - y)) by apply Rabs_pos. unfold kappa_lookup.
      apply Rle_trans with (1 * (16 * ((x - y) * (x - y)))). lra. apply Rmult_le_compat_r; lra.
Qed.

(* ---- one-hot groups ---- *)
Lemma constant_computes (p : prog A) m b r : good p -> (r < Pos.to_nat m)%nat ->
  computes (p ++ map (constant m b) (seq 0 (Pos.to_nat m))) (length p + r) (@Modulo A (Const b) m r).
Proof.
  intros G Hr w i Hi. assert (P := good_pos p G).
  rewrite (block_net tail p _ w r _ i (nth_map_seq (constant m b) _ r Hr)) by rows.
  unfold row_at. cbn [sum fst snd]. rewrite (block_real tail p _ w G). unfold truth. rewrite sat_modulo. cbn [value].
    unfold real, ind.
  destruct (letter w i); simpl; destruct Z.eqb; first [rewrite relu_pos by lra | rewrite relu_neg by lra]; lra.
Qed.

Lemma residue_sum (X Y : Z) m (r : nat) : (r < Pos.to_nat m)%nat ->
  Z.eqb (Y mod Z.pos m) (Z.of_nat ((r + Pos.to_nat m - Z.to_nat (X mod Z.pos m)) mod Pos.to_nat m)) = Z.eqb ((X + Y)
    mod Z.pos m) (Z.of_nat r).
Proof.
  intros Hr. assert (EM : Z.of_nat (Pos.to_nat m) = Z.pos m) by apply positive_nat_Z.
  assert (x := Z.mod_pos_bound X (Z.pos m) eq_refl). assert (y := Z.mod_pos_bound Y (Z.pos m) eq_refl).
  rewrite Zplus_mod, Nat2Z.inj_mod, Nat2Z.inj_sub, Nat2Z.inj_add, Z2Nat.id, EM by lia.
  set (a := (X mod Z.pos m)%Z) in *. set (b := (Y mod Z.pos m)%Z) in *.
  rewrite (mod_cases (a + b)) by lia. rewrite mod_cases by lia.
  apply eq_true_iff_eq. rewrite !Z.eqb_eq. destruct (Z.ltb_spec (a + b) (Z.pos m)), (Z.ltb_spec (Z.of_nat r + Z.pos m
    - a) (Z.pos m)); lia.
Qed.

Theorem adder_computes (p : prog A) k d a s m x y r : good p -> (x + Pos.to_nat m <= length p)%nat -> (y + Pos.to_nat
  m <= length p)%nat -> (r < Pos.to_nat m)%nat ->
  (forall q, (q < Pos.to_nat m)%nat -> computes p (x + q) (Modulo (Plus k d a (Const 0)) m q)) ->
  (forall q, (q < Pos.to_nat m)%nat -> computes p (y + q) (Modulo s m q)) ->
  computes (p ++ map (adder m x y) (seq 0 (Pos.to_nat m))) (length p + r) (@Modulo A (Plus k d a s) m r).
Proof.
  intros G Hx Hy Hr Cx Cy w i Hi. assert (P := good_pos p G). set (M := Pos.to_nat m) in *.
    set (bl := map (adder m x y) (seq 0 M)).
  assert (Mp : (0 < M)%nat) by lia.
  rewrite (block_net tail p bl w r _ i (nth_map_seq (adder m x y) M r Hr)).
  2:{ intros t z Ht Hz. apply in_map_iff in Ht. destruct Ht as (q & <- & Hq). apply in_seq in Hq. fold M in Hq, Hz.
      assert (B := Nat.mod_upper_bound (r + M - q) M ltac:(lia)). cbn [fst snd] in Hz. revert Hz. rows. }
  fold M. rewrite sum_map. cbn [fst snd]. set (X := (k * Z.of_nat (length (filter (fun j => sat w a j) (seen w d
    i))))%Z). set (Y := value w s i).
  assert (a0 := Z.mod_pos_bound X (Z.pos m) eq_refl). set (q0 := Z.to_nat (X mod Z.pos m)).
  assert (q0l : (q0 < M)%nat). { unfold q0, M. rewrite <- Z2Nat.inj_pos. apply Z2Nat.inj_lt; lia. }
  rewrite (sum_ext _ (fun q => if Nat.eqb q q0 then truth w (Modulo s m ((r + M - q) mod M)) i else 0)).
  - rewrite (sum_is (fun q => truth w (Modulo s m ((r + M - q) mod M)) i) M q0 q0l).
    unfold truth. rewrite !sat_modulo, value_plus. fold X. fold Y. unfold q0, M. now rewrite residue_sum.
  - intros q Hq. apply in_seq in Hq. assert (B := Nat.mod_upper_bound (r + M - q) M ltac:(lia)).
    unfold row_at. cbn [sum fst snd]. rewrite (block_real tail p bl w G).
    rewrite (block_old tail p bl w (x + q) _ i) by (try apply Cx; auto; lia).
    rewrite (block_old tail p bl w (y + (r + M - q) mod M) _ i) by (try apply Cy; auto; lia).
    assert (Ex : truth w (Modulo (Plus k d a (Const 0)) m q) i = if letter w i then ind (Nat.eqb q q0) else 0).
    { unfold truth. rewrite sat_modulo, value_plus. fold X. cbn [value]. rewrite Z.add_0_r.
      destruct (letter w i); auto. unfold ind. simpl.
      replace (Z.eqb (X mod Z.pos m) (Z.of_nat q)) with (Nat.eqb q q0); auto. apply eq_true_iff_eq.
        rewrite Z.eqb_eq, Nat.eqb_eq. unfold q0. lia. }
    rewrite Ex. unfold real. assert (U := truth_unit w (Modulo s m ((r + M - q) mod M)) i).
      destruct (letter w i) eqn:Li.
    + unfold ind. destruct (Nat.eqb q q0). rewrite relu_pos by lra. lra. rewrite relu_neg by lra. lra.
    + rewrite (truth_sentinel w (Modulo s m ((r + M - q) mod M))) by auto. rewrite relu_neg by lra.
      destruct (Nat.eqb q q0); lra.
Qed.

Theorem group_computes (s : lin A) ts m : forall p, good p -> reads p s ts ->
  extends p (fst (group me m ts (const s) p)) /\
  (snd (group me m ts (const s) p) + Pos.to_nat m <= length (fst (group me m ts (const s) p)))%nat /\
  forall r, (r < Pos.to_nat m)%nat -> computes (fst (group me m ts (const s) p)) (snd (group me m ts (const s) p) +
    r) (Modulo s m r).
Proof.
  intros p G Rd. induction Rd as [b|k d a s c ts Hc Ha Dk Rd IH]; cbn [group const].
  - cbn [fst snd]. split; [apply extends_app|]. split. rewrite app_length, map_length, seq_length. lia. intros r Hr.
    now apply constant_computes.
  - destruct IH as (E1 & B1 & C1). set (q := group me m ts (const s) p) in *. set (L := length (fst q)).
    set (M := Pos.to_nat m) in *.
    set (bl := lookup_block me (k, d, c) m L). cbn [fst snd].
    assert (Lb : length bl = (4 + 3 * M)%nat). { unfold bl, lookup_block.
      rewrite !app_length, !map_length, !seq_length. simpl. fold M. lia. }
    assert (G1 := extends_good _ _ E1 G). assert (L1 := extends_length _ _ E1).
    split. { eapply extends_trans. apply E1. eapply extends_trans; apply extends_app. }
    split. { rewrite !app_length, map_length, seq_length. lia. }
    intros r Hr. apply adder_computes; auto.
    + now apply good_app.
    + rewrite app_length, Lb. fold L M. lia.
    + rewrite app_length. fold M. lia.
    + intros t Ht. rewrite <- Nat.add_assoc. unfold L, bl, M.
      apply lookup_computes; auto. lia. now apply (extends_computes tail p).
    + intros t Ht. apply computes_app. fold M in Ht. lia. now apply C1.
Qed.
End Residues.
