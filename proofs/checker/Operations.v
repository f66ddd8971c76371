(* What an operation of a run may give, with the format that it is rounded to: rows, products and partial sums;
  scales,
   scores and logits; what softmax rows compute (softmax_result of Results.v); units; what is added to the residual
   stream; and all that is stored. *)
From Coq Require Import ZArith Reals List Bool Arith.
From Temper Require Import Format Sums Range Strings Programs FloatRun Results.
From Temper.checker Require Import Model.
Import ListNotations.
Local Open Scope R_scope.

Section Operations.
Variables (fs fa : format) (ord : order) (m : model) (w : list nat).
Notation size := (N (m_end m) w). Notation keys := (keys (m_end m) w). Notation channels := (length (m_channels m)).
Notation scale h lam := (expression fa (ereal (h_scale h) 0 (length w) size) lam).
Notation outputs := (list (nat -> R)). Notation result := (format * R)%type.
Definition summed (l : list R) := map (pair fa) (l ++ asc_parts fa 0 l).           (* products and partial sums *)
Definition stored (r : wrow) := map (fun t => (fs, wt fs (snd t))) r.
Definition row_results x r i := stored r ++ summed (row_terms fs fa x r i) ++ [(fs, row_val fs fa x r i)].
(* terms that are added up, stored, and then added to a channel *)
Definition residual_results (x : state) rows (vals : nat -> list R) c i := let l := spread fs fa rows (vals i) c in
  let s := rnd fs (asc fa 0 l) in summed l ++ [(fs, s); (fa, rnd fa (x c i + s)); (fs,
    residual fs fa x rows vals c i)].
Inductive tap_result (x : state) (h : head) (v : wrow) (i : nat) : result -> Prop :=
  | tr_query r z : In r (h_query h) -> In z (row_results x r i) -> tap_result x h v i z
  | tr_key r j z : In j (keys (h_mask h) i) -> In r (v :: h_key h) -> In z (row_results x r j) -> tap_result x h v i z
  | tr_scale lam : scale h lam -> tap_result x h v i (fa, lam)
  | tr_logit lam j z : scale h lam -> In j (keys (h_mask h) i) -> logit_result fa ord lam (pairs_ fs fa x h i j) z ->
      tap_result x h v i (fa, z)
  | tr_softmax E lam logit z : exp_model fa E -> scale h lam -> (forall j, number fa (logit j)) ->
      (forall j, In j (keys (h_mask h) i) -> logit_of fa ord lam (pairs_ fs fa x h i j) (logit j)) ->
      softmax_result fs fa E ord logit (row_val fs fa x v) (keys (h_mask h) i) z -> tap_result x h v i (fa, z)
  | tr_weight z : 0 <= z <= 1 -> tap_result x h v i (fs, rnd fs z).
Inductive layer_result (x : state) (l : layer) : result -> Prop :=
  | lr_tap h v o i z : In (h, v, o) (taps l) -> (i < size)%nat -> tap_result x h v i z -> layer_result x l z
  | lr_heads (outs : outputs) c i z : Forall2 (fun t o => forall i, (i < size)%nat ->
        head_row fs fa ord m w x (fst (fst t)) (snd (fst t)) i (o i)) (taps l) outs -> (i < size)%nat ->
      (c < channels)%nat -> In z (residual_results x (map snd (taps l)) (fun i => map (fun o => o i) outs) c i ++
        map (fun o => (fs, o i)) outs ++ stored (concat (map snd (taps l)))) -> layer_result x l z
  | lr_unit y u i z : attention fs fa ord m w x l y -> In u (l_units l) -> (i < size)%nat ->
      let s := row_sum fs fa y (u_in u) i + wt fs (u_bias u) in In z (row_results y (u_in u) i ++ stored (u_out u) ++
        [(fs, wt fs (u_bias u)); (fa, rnd fa s); (fs, hidden fs fa y u i)]) -> layer_result x l z
  | lr_units y c i z : attention fs fa ord m w x l y -> (i < size)%nat -> (c < channels)%nat ->
      In z (residual_results y (map u_out (l_units l)) (fun i => map (fun u => hidden fs fa y u i) (l_units l)) c i)
        ->
      layer_result x l z.
Inductive layers_result : list layer -> state -> result -> Prop :=
  | ls_here l r x z : layer_result x l z -> layers_result (l :: r) x z
  | ls_later l r x y x' z : attention fs fa ord m w x l y -> net fs fa m w y l x' -> layers_result r x' z ->
      layers_result (l :: r) x z.
Fixpoint add_parts (r : wrow) c s := match r with [] => [] | t :: r' => let z := rnd fa (s + wt fs (snd t)) in
  if Nat.eqb (fst t) c then (fs, wt fs (snd t)) :: (fa, z) :: (fs, rnd fs z) :: add_parts r' c (rnd fs z)
  else add_parts r' c s end.
Inductive operation : result -> Prop :=
  | op_embedding c i v z : (c < channels)%nat -> (i < size)%nat ->
     match nth c (m_channels m) None with None => v = 0 | Some e => expression fs (ereal e i (length w) size) v end ->
      In z ((fs, v) :: add_parts (token_row m w i) c v) -> operation z
  | op_layer x z : embedding fs fa m w x -> layers_result (m_layers m) x z -> operation z
  | op_answer x i z : model_run fs fa ord m w x -> (i < size)%nat -> In z (row_results x (m_read m) i) -> operation z.
End Operations.
