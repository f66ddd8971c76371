(* What a model file says, and what a run of it may compute. The theorem of Check.v is about these definitions, so
   they are what a reader has to believe, with sat of Strings.v and softmax_row, logit_of and expression of
   FloatRun.v. Written after src/run/dense_pass.inc and src/model/model.h: weights are those of the file, channels
   share places, heads have several values, units write to several channels, and every sublayer adds to the residual
   stream. *)
From Coq Require Import ZArith Reals List Bool Arith Ascii.
From Flocq Require Import Core.
From Temper Require Import Rows Format Sums NearestAny Strings Programs FloatRun.
Import ListNotations.
Local Open Scope R_scope.

(* ---- the file ---- *)
Record dyadic := Dy { man : Z; ex : Z }.                              (* man * 2^ex *)
Definition wrow := list (nat * dyadic).                               (* channel, weight: the terms of one line *)
(* the position expressions that are known here; FloatRun.v, expression, says how they are rounded *)
Inductive expr := E_whole (z : Z) | E_place (* i/N *) | E_log (* ln(N) + 8 *) | E_steep (* 8*N *) | E_twice (* 16*N *)
  | E_share (d : dir) (* ln(max(k, 1))/(16*N), k: i, or N - 1 - i *)
  | E_start (* [i = 0] *) | E_end (* [i = N - 1] *) | E_first (* [i = 1]*[1 <= n] *) | E_last (* [i = n]*[1 <= n] *)
  | E_residue (d : dir) (s m k : nat) (* [(i + s) % m = k]*[1 <= i]*[i <= n]; with N - 1 - i for i: Future *).
Record head := Head_ { h_mask : mask; h_scale : expr; h_query : list wrow; h_key : list wrow; h_value : list wrow;
  h_output : list wrow }.
Record unit_ := Unit_ { u_bias : dyadic; u_in : wrow; u_out : wrow }.
Record layer := Layer_ { l_heads : list head; l_units : list unit_ }.
Record model := Model_ { m_letters : list (list Ascii.ascii); m_end : bool; m_channels : list (option expr);
  m_embed : list wrow; m_start : wrow; m_end_row : wrow; m_layers : list layer; m_read : wrow }.

(* ---- a run ---- *)
Section Run.
Variables (fs fa : format) (ord : order) (m : model) (w : list nat).   (* letters by their numbers *)
Notation size := (N (m_end m) w).
Definition state := nat -> nat -> R.                                  (* channel, position *)
Definition dR (d : dyadic) : R := IZR (man d) * bpow radix2 (ex d).
Definition wt (d : dyadic) : R := rnd fs (dR d).                      (* weights are stored *)
Definition row_terms (x : state) (r : wrow) i := map (fun t => rnd fa (wt (snd t) * x (fst t) i)) r.
Definition row_sum x r i := asc fa 0 (row_terms x r i).
Definition row_val x r i := rnd fs (row_sum x r i).
Definition ereal (e : expr) (i n size : nat) : R := match e with       (* position, letters, positions *)
  | E_whole z => IZR z | E_place => INR i / INR size | E_log => ln (INR size) + 8 | E_steep => 8 * INR size
  | E_twice => 16 * INR size
  | E_share d => ln (INR (Nat.max (match d with Past => i | Future => size - 1 - i end) 1)) / (16 * INR size)
  | E_start => if Nat.eqb i 0 then 1 else 0 | E_end => if Nat.eqb i (size - 1) then 1 else 0
  | E_first => if Nat.eqb i 1 && Nat.leb 1 n then 1 else 0 | E_last => if Nat.eqb i n && Nat.leb 1 n then 1 else 0
  | E_residue d s m k => if Nat.eqb ((match d with Past => i | Future => size - 1 - i end + s) mod m) k && Nat.leb 1 i
    && Nat.leb i n then 1 else 0 end.
(* position feature, then what the letter or sentinel says, stored after every addition *)
Definition token_row i : wrow := match at_ w i with Some a => nth a (m_embed m) [] | None =>
  if Nat.eqb i 0 then m_start m else m_end_row m end.
Definition add_terms (r : wrow) c s := fold_left (fun s t =>
  if Nat.eqb (fst t) c then rnd fs (rnd fa (s + wt (snd t))) else s) r s.
Definition embedding (x : state) : Prop := forall c i, (i < size)%nat -> exists v,
  match nth c (m_channels m) None with None => v = 0 | Some e => expression fs (ereal e i (length w) size) v end /\
  x c i = add_terms (token_row i) c v.
(* what a sublayer adds to channel c: products in the order of the rows, summed, stored, added, stored *)
Fixpoint spread (rows : list wrow) (vals : list R) (c : nat) : list R := match rows, vals with
  | r :: q, v :: u => map (fun t => rnd fa (wt (snd t) * v)) (filter (fun t => Nat.eqb (fst t) c) r) ++ spread q u c
  | _, _ => [] end.
Definition residual (x : state) rows vals c i := rnd fs (rnd fa (x c i + rnd fs (asc fa 0 (spread rows (vals i) c)))).
(* a head's value: the logits of a row, in either way, then a softmax row of FloatRun.v *)
Definition tap := (head * wrow * wrow)%type.                          (* head, value row, output row *)
Definition taps (l : layer) : list tap :=
  flat_map (fun h => map (fun t => (h, fst t, snd t)) (combine (h_value h) (h_output h))) (l_heads l).
Definition pairs_ x h i j := combine (map (fun r => row_val x r i) (h_query h)) (map (fun r => row_val x r j)
  (h_key h)).
(* every row may have an exp of its own: the runner's plans use different ones *)
Definition head_row x (h : head) (v : wrow) i y : Prop := exists E lam logit, exp_model fa E /\
  expression fa (ereal (h_scale h) 0 (length w) size) lam /\ (forall j, number fa (logit j)) /\
  (forall j, In j (keys (m_end m) w (h_mask h) i) -> logit_of fa ord lam (pairs_ x h i j) (logit j)) /\
  softmax_row fs fa E ord logit (fun j => row_val x v j) (keys (m_end m) w (h_mask h) i) y.
Definition attention x (l : layer) (x' : state) : Prop := exists outs : list (nat -> R),
  Forall2 (fun t o => forall i, (i < size)%nat -> head_row x (fst (fst t)) (snd (fst t)) i (o i)) (taps l) outs /\
  forall c i, (i < size)%nat -> x' c i = residual x (map snd (taps l)) (fun i => map (fun o => o i) outs) c i.
(* units: the bias last, hidden numbers stored *)
Definition hidden x u i := rnd fs (Rmax 0 (rnd fa (row_sum x (u_in u) i + wt (u_bias u)))).
Definition net x (l : layer) (x' : state) : Prop := forall c i, (i < size)%nat ->
  x' c i = residual x (map u_out (l_units l)) (fun i => map (fun u => hidden x u i) (l_units l)) c i.
Inductive layers : list layer -> state -> state -> Prop :=
  | no_layer x : layers [] x x
  | one_layer l r x y z x' : attention x l y -> net y l z -> layers r z x' -> layers (l :: r) x x'.
Definition model_run (x' : state) : Prop := exists x, embedding x /\ layers (m_layers m) x x'.
Definition answer x i := row_sum x (m_read m) i.                      (* the model says yes where it is above 1/2 *)
End Run.
