(* The sheet of inequalities (src/number/heads.sheet, printed as Sheet.v by scripts/sheet-to-coq.py) with the numbers
   of a type and of M positions put in. What else a head has is any number: theorems about `typed` are about every
   head. *)
From Coq Require Import ZArith Reals Lia Lra.
From Flocq Require Import Core.
From Temper Require Import Rows Format Sums Nearest NearestAny Rounding FloatRun OnceTree Sheet.
Local Open Scope R_scope.

Definition is_ascending (ord : order) : bool := match ord with Ascending => true | AnyOrder => false end.
Definition typed (fs fa : format) (ord : order) (M : nat) (x : Sheet.head) : Sheet.head := {|
  Sheet.known := is_ascending ord; Sheet.ascending := is_ascending ord; Sheet.equal := same_format fs fa;
  Sheet.close := Sheet.close x; Sheet.scaled := Sheet.scaled x; Sheet.anywhere := Sheet.anywhere x;
  Sheet.lone := Sheet.lone x;
  Sheet.M := M; Sheet.p_a := Z.to_nat (prec fa); Sheet.p_s := Z.to_nat (prec fs); Sheet.parts := Sheet.parts x;
  Sheet.r_0 := Sheet.r_0 x; Sheet.r_1 := Sheet.r_1 x; Sheet.r_2 := Sheet.r_2 x; Sheet.terms := Sheet.terms x;
  Sheet.grid := Sheet.grid x;
  Sheet.u_a := u fa; Sheet.u_s := u fs; Sheet.u_r := u_stored fs fa; Sheet.u_f := Sheet.u_f x;
  Sheet.u_l := Sheet.u_l x; Sheet.v := v64; Sheet.t_a := tiny fa; Sheet.t_s := tiny fs; Sheet.m_a := least fa;
  Sheet.m_s := least fs; Sheet.F_a := top fa; Sheet.F_s := top fs;
  Sheet.kappa := Sheet.kappa x; Sheet.X := Sheet.X x; Sheet.W := Sheet.W x; Sheet.W_l := Sheet.W_l x;
  Sheet.W_e := Sheet.W_e x; Sheet.W_t := Sheet.W_t x; Sheet.W_o := Sheet.W_o x; Sheet.e_u := Sheet.e_u x;
  Sheet.raw := Sheet.raw x |}.

(* the fields of a typed head, and nothing else *)
Ltac fields := cbn [typed is_ascending Sheet.known Sheet.ascending Sheet.equal Sheet.close Sheet.scaled Sheet.anywhere
  Sheet.lone Sheet.M Sheet.p_a Sheet.p_s Sheet.parts Sheet.r_0 Sheet.r_1 Sheet.r_2 Sheet.terms Sheet.grid Sheet.u_a
  Sheet.u_s Sheet.u_r Sheet.u_f Sheet.u_l Sheet.v Sheet.t_a Sheet.t_s Sheet.m_a Sheet.m_s Sheet.F_a Sheet.F_s
  Sheet.kappa Sheet.X Sheet.W Sheet.W_l Sheet.W_e Sheet.W_t Sheet.W_o Sheet.e_u Sheet.raw].

Lemma ln_le_M n M : (1 <= n <= M)%nat -> 0 <= ln (INR n) <= ln (INR M).
Proof.
  intros [H1 H2]. assert (n1 : 1 <= INR n) by (change 1 with (INR 1); now apply le_INR). apply le_INR in H2. split.
  rewrite <- ln_1. destruct n1 as [n1|<-]; [left; apply ln_increasing; lra|right; auto].
  destruct H2 as [H2| ->]; [left; apply ln_increasing; lra|right; auto].
Qed.
