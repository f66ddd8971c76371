(* The text form of models (doc/model.md), from its bytes. Nothing is proved of this function: it is what
  "the model of
   this file" means. It reads a part of what src/model/model_read.c reads, and that part in the same way: lines in the
   same order, the same words, numbers that a double holds exactly. It refuses what it does not know: hard choices,
   adaptive heads, other expressions, several outputs, version 2. tests/proof/checker.py compares the two on damaged files.

   parse   from bytes to a model, with what the file says about its specification *)
From Coq Require Import ZArith NArith Bool Arith Ascii String List.
From Temper Require Import Strings Programs.
From Temper.checker Require Import Model.
Import ListNotations.
Local Open Scope char_scope.
Local Open Scope list_scope.

Definition bytes := list ascii.
Record text_model := Text { t_model : model; t_source : bytes; t_syntax : bytes;
  t_tokens : bool; t_first : bool (* where the answer is read *); t_empty : bool }.

(* ---- limits: what is larger is not read ---- *)
Definition most_channels := 4096%Z.
Definition most_letters := 1024%Z.

(* ---- characters ---- *)
Definition code (c : ascii) : Z := Z.of_N (N_of_ascii c).
Definition between (a b : Z) (c : ascii) := let n := code c in (a <=? n)%Z && (n <=? b)%Z.
Definition is_digit := between 48 57.
Definition digit (c : ascii) : Z := (code c - 48)%Z.
Definition hex (c : ascii) : option Z := if is_digit c then Some (digit c)
  else if between 97 102 c then Some (code c - 87)%Z else None.
Definition any_hex (c : ascii) : option Z := if between 65 70 c then Some (code c - 55)%Z else hex c.
Definition is_blank (c : ascii) := Ascii.eqb c " " || Ascii.eqb c "009" || Ascii.eqb c "013".
Fixpoint eqb_bytes (a b : bytes) : bool := match a, b with
  | [], [] => true | x :: r, y :: s => Ascii.eqb x y && eqb_bytes r s | _, _ => false end.
Definition is (a : bytes) (s : string) := eqb_bytes a (list_ascii_of_string s).
Definition one_of (a : bytes) (l : list string) := existsb (is a) l.
(* UTF-8 as RFC 3629 has it; one character of it, and what follows *)
Definition follows (c : ascii) := between 128 191 c.
Definition character (s : bytes) : option (bytes * bytes) := match s with
  | [] => None
  | a :: r => if between 0 127 a then Some ([a], r) else match r with
    | [] => None
    | b :: r => if between 194 223 a then if follows b then Some ([a; b], r) else None else match r with
      | [] => None
      | c :: r =>
        if between 224 239 a then
          if follows c && (if Ascii.eqb a "224" then between 160 191 b
                           else if Ascii.eqb a "237" then between 128 159 b else follows b) then Some ([a; b; c], r) else None
        else match r with
        | [] => None
        | d :: r => if between 240 244 a && follows c && follows d &&
            (if Ascii.eqb a "240" then between 144 191 b else if Ascii.eqb a "244" then between 128 143 b
             else follows b) then Some ([a; b; c; d], r) else None end end end end.
Fixpoint characters_ (fuel : nat) (s : bytes) : option (list bytes) := match s, fuel with
  | [], _ => Some []
  | _, O => None
  | _, S n => match character s with
      | Some (c, r) => option_map (cons c) (characters_ n r) | None => None end end.
Definition characters (s : bytes) := characters_ (length s) s.
Definition is_utf8 (s : bytes) := match characters s with Some _ => true | None => false end.

(* ---- lines and words: a word, or a text in quotes ---- *)
Inductive token := Word (s : bytes) | Text_ (s : bytes).
Fixpoint cut_lines (s : bytes) (cur : bytes) : list bytes := match s with
  | [] => [rev' cur] | "010" :: r => rev' cur :: cut_lines r [] | c :: r => cut_lines r (c :: cur) end.
Definition hex2 (a b : ascii) : option ascii := match any_hex a, any_hex b with
  | Some x, Some y => if (x + y =? 0)%Z then None else Some (ascii_of_N (Z.to_N (16 * x + y))) | _, _ => None end.
(* state: outside (None), in a word (Some (false, ..)), in a text (Some (true, ..)) *)
Fixpoint words (s : bytes) (cur : option (bool * bytes)) : option (list token) := match s with
  | [] => match cur with None => Some [] | Some (false, t) => Some [Word (rev' t)] | Some (true, _) => None end
  | c :: r => match cur with
      | None => if is_blank c then words r None
                else if Ascii.eqb c """" then words r (Some (true, [])) else words r (Some (false, [c]))
      | Some (false, t) => if is_blank c then option_map (cons (Word (rev' t))) (words r None)
                else if Ascii.eqb c """" then None else words r (Some (false, c :: t))
      | Some (true, t) =>
                if Ascii.eqb c """" then
                  if is_utf8 (rev' t) then option_map (cons (Text_ (rev' t))) (words r None) else None
                else if Ascii.eqb c "\" then match r with
                  | "n" :: q => words q (Some (true, "010" :: t)) | "t" :: q => words q (Some (true, "009" :: t))
                  | "x" :: a :: b :: q =>
                      match hex2 a b with Some x => words q (Some (true, x :: t)) | None => None end
                  | x :: q => if Ascii.eqb x """" || Ascii.eqb x "\" then words q (Some (true, x :: t)) else None
                  | [] => None end
                else words r (Some (true, c :: t)) end end.

(* ---- numbers ---- *)
Fixpoint decimal (s : bytes) (acc : Z) : option Z := match s with
  | [] => Some acc | c :: r => if is_digit c then decimal r (10 * acc + digit c)%Z else None end.
Definition whole (s : bytes) : option Z := match s with
  | [] => None | _ => if Nat.leb (length s) 19 then decimal s 0 else None end.
Definition whole_below (limit : Z) (s : bytes) : option nat := match whole s with
  | Some z => if (z <? limit)%Z then Some (Z.to_nat z) else None | None => None end.
Fixpoint split_at (x : ascii) (s cur : bytes) : option (bytes * bytes) := match s with
  | [] => None | c :: r => if Ascii.eqb c x then Some (rev' cur, r) else split_at x r (c :: cur) end.
Fixpoint hexes (s : bytes) (acc : Z) : option Z := match s with
  | [] => Some acc | c :: r => match hex c with Some d => hexes r (16 * acc + d)%Z | None => None end end.
Definition some (s : bytes) : option bytes := match s with [] => None | _ => Some s end.
Definition signed (s : bytes) : option Z := match s with
  | "-" :: r => match some r with Some r => option_map Z.opp (decimal r 0) | None => None end
  | "+" :: r => match some r with Some r => decimal r 0 | None => None end
  | _ :: _ => decimal s 0 | [] => None end.
(* digits, perhaps with a point, which has digits on both sides: the digits, and how many stand behind the point *)
Definition pointed (s : bytes) : option (bytes * Z) := match split_at "." s [] with
  | Some (x :: a, y :: b) => Some (x :: a ++ y :: b, Z.of_nat (length (y :: b)))
  | Some _ => None
  | None => option_map (fun s => (s, 0%Z)) (some s) end.
Definition positive_number (s : bytes) : option dyadic := match s with
  | "0" :: "x" :: r => match split_at "p" r [] with
      | Some (m, e) => match signed e, pointed m with
          | Some x, Some (d, k) => option_map (fun z => Dy z (x - 4 * k)) (hexes d 0) | _, _ => None end
      | None => None end
  | _ => match pointed s with
      | Some (d, k) => match decimal d 0 with
          | Some z => let p := (5 ^ k)%Z in if (z mod p =? 0)%Z then Some (Dy (z / p) (- k)) else None
          | None => None end
      | None => None end end.
(* a double holds it exactly, so that no reader rounds *)
Definition in_double (d : dyadic) := (Z.abs (man d) <? 2 ^ 53)%Z && (-1022 <=? ex d)%Z && (ex d <=? 900)%Z.
Definition number (s : bytes) : option dyadic := if Nat.leb (length s) 62 then
  match (match s with "-" :: r => option_map (fun d => Dy (- man d) (ex d)) (positive_number r)
         | _ => positive_number s end) with
  | Some d => if in_double d then Some d else None | None => None end else None.
Definition term (s : bytes) : option (nat * dyadic) := match split_at ":" s [] with
  | Some (c, d) => match whole_below most_channels c, number d with
      | Some x, Some y => if (man y =? 0)%Z || Nat.ltb 10 (length c) then None else Some (x, y) | _, _ => None end
  | None => None end.
Fixpoint row (l : list token) : option wrow := match l with
  | [] => Some []
  | Word s :: r => match term s, row r with Some t, Some q => Some (t :: q) | _, _ => None end
  | Text_ _ :: _ => None end.
Definition plain_whole (s : bytes) : option Z := match s with
  | ["0"] => Some 0%Z | "0" :: _ | [] => None | _ => if Nat.leb (length s) 15 then decimal s 0 else None end.
(* remainders: [(i + 1) % 2 = 0]*[1 <= i]*[i <= n], without the sum, and with N - 1 - i for i *)
Fixpoint behind (p s : bytes) : option bytes := match p, s with
  | [], _ => Some s | x :: p, y :: s => if Ascii.eqb x y then behind p s else None | _, [] => None end.
Fixpoint digits (s : bytes) : bytes * bytes := match s with
  | c :: r => if is_digit c then let (a, b) := digits r in (c :: a, b) else ([], s) | [] => ([], []) end.
Definition number_and (p : string) (s : bytes) : option (nat * bytes) := let (a, r) := digits s in
  match plain_whole a, behind (list_ascii_of_string p) r with
  | Some z, Some q => if (z <? 4096)%Z then Some (Z.to_nat z, q) else None | _, _ => None end.
Definition residue (d : dir) (start : string) (sum : bool) (s : bytes) : option expr :=
  match behind (list_ascii_of_string start) s with None => None | Some s =>
  match (if sum then number_and ") % " s else Some (0%nat, s)) with None => None | Some (b, s) =>
  match number_and " = " s with None => None | Some (m, s) =>
  match number_and "]*[1 <= i]*[i <= n]" s with
  | Some (k, []) => if Nat.ltb k m then Some (E_residue d b m k) else None | _ => None end end end end.
Definition residue_of (s : bytes) : option expr := fold_left (fun e t => match e with Some _ => e | None =>
  residue (fst (fst t)) (snd (fst t)) (snd t) s end) [(Past, "[i % ", false); (Past, "[(i + ", true);
  (Future, "[(N - 1 - i) % ", false); (Future, "[(N - 1 - i + ", true)]%string None.
Definition expression_of (s : bytes) : option expr :=
  if is s "i/N" then Some E_place else if is s "ln(N) + 8" then Some E_log else if is s "8*N" then Some E_steep
  else if is s "16*N" then Some E_twice
  else if is s "ln(max(i, 1))/(16*N)" then Some (E_share Past)
  else if is s "ln(max(N - 1 - i, 1))/(16*N)" then Some (E_share Future)
  else if is s "[i = 1]*[1 <= n]" then Some E_first else if is s "[i = n]*[1 <= n]" then Some E_last
  else if is s "[i = 0]" then Some E_start else if is s "[i = N - 1]" then Some E_end
  else match residue_of s with Some e => Some e | None => option_map E_whole (plain_whole s) end.

(* not of the position: scales of version 1 are so *)
Definition scale_of s := match expression_of s with Some (E_whole _ | E_log | E_steep | E_twice) as e => e | _ => None end.

(* ---- the file, line by line: settings, channels, embeddings, layers, the read-out, parts, the digest ---- *)
Inductive stage := Settings | Channels | Embedding | Layers | Read_out | Parts | End.
Definition rank s := match s with Settings => 0 | Channels => 1 | Embedding => 2 | Layers => 3 | Read_out => 4
  | Parts => 5 | End => 6 end%nat.
Record draft := Draft { d_stage : stage; d_settings : list (bytes * list token); d_count : Z (* of channels *);
  d_channels : list (option expr); d_left : list bytes (* letters without embedding *); d_embed : list wrow;
  d_start : option wrow; d_end_row : option wrow; d_layers : list layer; d_read : option wrow }.
(* lists are reversed *)
Definition empty_draft := Draft Settings [] 0 [] [] [] None None [] None.
(* changed in one place *)
Definition at_stage s d := let 'Draft _ se n ch le em st er la re := d in Draft s se n ch le em st er la re.
Definition with_setting d x le := let 'Draft s y n ch _ em st er la re := d in Draft s (x :: y) n ch le em st er la re.
Definition with_channel d x := let 'Draft s y n c le em st er la re := d in Draft s y (n + 1) (x :: c) le em st er la re.
Definition with_rows d le em st er := let 'Draft s se n ch _ _ _ _ la re := d in Draft s se n ch le em st er la re.
Definition with_layers d la re := let 'Draft s se n ch le em st er _ _ := d in Draft s se n ch le em st er la re.

(* settings *)
Definition given (d : draft) (k : string) : option (list token) :=
  option_map snd (find (fun t => is (fst t) k) (d_settings d)).
Definition is_given d k v := match given d k with Some [Word x] => is x v | _ => false end.
Fixpoint texts (l : list token) : option (list bytes) := match l with
  | [] => Some [] | Text_ s :: r => option_map (cons s) (texts r) | Word _ :: _ => None end.
Fixpoint distinct (l : list bytes) : bool := match l with
  | [] => true | s :: r => negb (existsb (eqb_bytes s) r) && distinct r end.
(* one character, or with tokens a word without blanks *)
Definition can_read (tokens : bool) (s : bytes) : bool := match s with [] => false | _ =>
  if tokens then negb (existsb (fun c => is_blank c || between 10 12 c) s)
  else match character s with Some (_, []) => true | _ => false end end.
Definition words_of_settings := [("method", ["temperature"; "positions"]); ("tokens", ["yes"; "no"]);
  ("at", ["first"; "last"]); ("empty", ["accept"; "reject"]); ("end", ["yes"; "no"]);
  ("syntax", ["spec"; "crasp"; "brasp"; "regex"; "dfa"])]%string.
Definition good_setting (k : bytes) (r : list token) : bool := match r with
  | [Word v] => existsb (fun t => is k (fst t) && one_of v (snd t)) words_of_settings
  | [Word m; Word t] => is k "method" && is m "digits" && one_of t ["bf16"; "f16"; "e4m3"; "e5m2"; "f32"]%string
  | [Text_ _] => is k "source"
  | [Word n; Text_ _] => is k "safe" && match whole n with Some _ => true | None => false end
  | _ => false end.
Definition setting (k : bytes) (r : list token) (d : draft) : option draft :=
  if existsb (fun t => eqb_bytes k (fst t)) (d_settings d) then None
  else if is k "alphabet" then match texts r with
    | Some (x :: l) => if (Z.of_nat (length r) <=? most_letters)%Z && distinct (x :: l)
        then Some (with_setting d (k, r) (x :: l)) else None
    | _ => None end
  else if good_setting k r then Some (with_setting d (k, r) (d_left d)) else None.

(* channels and embeddings *)
Definition channel_line (l : list token) (d : draft) : option draft := match l with
  | Word n :: Text_ _ :: q => match whole n with
      | Some x => match given d "method" with
          | Some _ => if (x =? d_count d)%Z && (x <? most_channels)%Z then option_map (with_channel d) (match q with
              | [] => Some None
              | [Word p; Text_ e] =>
                  if one_of p ["position"; "soft"]%string then option_map Some (expression_of e) else None
              | _ => None end) else None
          | None => None end
      | None => None end
  | _ => None end.
Definition embed_line (l : list token) (d : draft) : option draft := match l, d_left d with
  | Text_ s :: q, a :: todo => if eqb_bytes s a && can_read (is_given d "tokens" "yes") s then
      option_map (fun w => with_rows d todo (w :: d_embed d) (d_start d) (d_end_row d)) (row q) else None
  | Word s :: q, [] => match d_start d, d_end_row d with
      | None, None =>
          if is s "start" then option_map (fun w => with_rows d [] (d_embed d) (Some w) None) (row q) else None
      | st, None => if is s "end" then option_map (fun w => with_rows d [] (d_embed d) st (Some w)) (row q) else None
      | _, _ => None end
  | _, _ => None end.

(* layers: heads and units of a layer are reversed, and so are the rows of a head *)
Definition mask_of_word (s : bytes) : option mask := if is s "all" then Some All else if is s "j<i" then Some Before
  else if is s "j<=i" then Some UpTo else if is s "j>i" then Some After else if is s "j>=i" then Some From else None.
Definition after_word (name : string) (known : list string) (l : list token) : option (list token) := match l with
  | Word a :: r => if is a name then
      match r with Word v :: q => if one_of v known then Some q else None | _ => None end else Some l
  | _ => Some l end.
Definition roles := ["none"; "once"; "nearest"; "count"; "compare"; "balance"; "lookup"; "match"]%string.
Definition choices := ["leftmost"; "rightmost"; "average"; "softmax"]%string.
Definition head_line (l : list token) : option head := match l with
  | Text_ _ :: r => match after_word "role" roles r with
      | Some (Word a :: Word b :: Word c :: Word d :: q) => if is a "mask" && is c "choice" && is d "softmax" then
          match mask_of_word b, after_word "for" choices q with
          | Some m, Some [] => Some (Head_ m (E_whole 1) [] [] [] [])
          | Some m, Some [Word x; Text_ y] => if is x "scale" then
              option_map (fun e => Head_ m e [] [] [] []) (scale_of y) else None
          | _, _ => None end else None
      | _ => None end
  | _ => None end.
Fixpoint split_arrow (l : list token) (cur : list token) : option (list token * list token) := match l with
  | [] => None | Word s :: r => if is s "->" then Some (rev' cur, r) else split_arrow r (Word s :: cur)
  | Text_ _ :: _ => None end.
Definition on_layer (d : draft) (g : layer -> option layer) : option draft := match d_layers d with
  | l :: r => option_map (fun l' => with_layers d (l' :: r) None) (g l) | [] => None end.
Definition on_head (d : draft) (g : head -> head) : option draft := on_layer d (fun l =>
  match l_units l, l_heads l with [], h :: r => Some (Layer_ (g h :: r) []) | _, _ => None end).
Definition layer_line (k : bytes) (r : list token) (d : draft) : option draft :=
  if is k "layer" then match r with
    | [Word n] => match whole n with
        | Some x => if (x =? Z.of_nat (length (d_layers d)) + 1)%Z
                    then Some (with_layers d (Layer_ [] [] :: d_layers d) None) else None
        | None => None end
    | _ => None end
  else if is k "head" then match head_line r with
    | Some x => on_layer d (fun l => match l_units l with [] => Some (Layer_ (x :: l_heads l) []) | _ => None end)
    | None => None end
  else if is k "unit" then match r with
    | Word b :: q => match number b, split_arrow q [] with
        | Some bias, Some (i, o) => match row i, row o with
            | Some x, Some y => on_layer d (fun l => Some (Layer_ (l_heads l) (Unit_ bias x y :: l_units l)))
            | _, _ => None end
        | _, _ => None end
    | _ => None end
  else match row r with
  | Some w => on_head d (fun x => let 'Head_ m s q k' v o := x in
      if is k "query" then Head_ m s (w :: q) k' v o else if is k "key" then Head_ m s q (w :: k') v o
      else if is k "value" then Head_ m s q k' (w :: v) o else Head_ m s q k' v (w :: o))
  | None => None end.

(* the end *)
Definition part_line (l : list token) (d : draft) : bool := match l with
  | Text_ _ :: Word a :: Word n :: q => is a "layer" && match whole n with
      | Some x => (x <=? Z.of_nat (length (d_layers d)))%Z &&
          let heads := match x with 0%Z => 0%Z | _ =>
            Z.of_nat (length (l_heads (nth (length (d_layers d) - Z.to_nat x) (d_layers d) (Layer_ [] [])))) end in
          let is_channel q := match q with
            | [] => true
            | [Word c; Word n] =>
                is c "channel" && match whole n with Some y => (y <? d_count d)%Z | None => false end
            | _ => false end in
          match q with
          | Word h :: Word n :: q' => if is h "head" then match whole n with
              | Some y => (1 <=? y)%Z && (y <=? heads)%Z && is_channel q' | None => false end else is_channel q
          | _ => is_channel q end
      | None => false end
  | _ => false end.
Definition digest_line (l : list token) : bool := match l with
  | [Word h] => Nat.eqb (length h) 16 && forallb (fun c => match any_hex c with Some _ => true | None => false end) h
  | _ => false end.

Definition stage_of (k : bytes) : option stage :=
  if one_of k ["query"; "key"; "value"; "output"; "unit"; "head"; "layer"]%string then Some Layers
  else if is k "channel" then Some Channels else if is k "embed" then Some Embedding
  else if is k "read" then Some Read_out else if is k "part" then Some Parts else if is k "digest" then Some End
  else Some Settings.
(* what earlier stages had to give *)
Definition may_enter (s : stage) (d : draft) : bool :=
  Nat.leb (rank (d_stage d)) (rank s)
  && (Nat.leb (rank s) 0 || match given d "alphabet" with None => false | _ => true end)
  && (Nat.leb (rank s) 2 || match d_end_row d with None => false | _ => true end)
  && (Nat.leb (rank s) 4 || match d_read d with None => false | _ => true end).
Definition line (d : draft) (l : list token) : option draft := match l with
  | [] => Some d
  | Text_ _ :: _ => None
  | Word k :: r =>
    match stage_of k with
    | Some s => if negb (may_enter s d) then None else let d := at_stage s d in match s with
        | Settings => setting k r d
        | Channels => channel_line r d
        | Embedding => embed_line r d
        | Layers => layer_line k r d
        | Read_out => match d_read d with None => option_map (fun w => with_layers d (d_layers d) (Some w)) (row r)
                      | Some _ => None end
        | Parts => if part_line r d then Some d else None
        | End => if digest_line r then Some d else None end
    | None => None end end.
Fixpoint drop_blanks (s : bytes) : bytes := match s with [] => [] | c :: r =>
  if is_blank c then drop_blanks r else s end.
Definition is_comment (s : bytes) := match drop_blanks s with "-" :: "-" :: _ => true | _ => false end.
Definition is_empty (s : bytes) := match drop_blanks s with [] => true | _ => false end.
Fixpoint lines (d : draft) (l : list bytes) : option draft := match l with
  | [] => Some d
  | s :: r => if is_empty s then lines d r else
      match d_stage d with
      | End => None
      | _ => if is_comment s then lines d r else
          match words s None with
          | Some t => match line d t with Some d' => lines d' r | None => None end | None => None end
      end end.
Fixpoint ascending (r : wrow) : bool := match r with
  | [] => true | (a, _) :: s => match s with [] => true | (b, _) :: _ => Nat.ltb a b end && ascending s end.
Definition in_range (n : Z) (r : wrow) := ascending r && forallb (fun t => (Z.of_nat (fst t) <? n)%Z) r.
Definition straight_head (n : Z) (h : head) : option head :=
  if Nat.eqb (length (h_query h)) (length (h_key h)) && Nat.eqb (length (h_value h)) (length (h_output h))
     && forallb (in_range n) (h_query h ++ h_key h ++ h_value h ++ h_output h)
  then Some (Head_ (h_mask h) (h_scale h) (rev' (h_query h)) (rev' (h_key h)) (rev' (h_value h)) (rev' (h_output h)))
  else None.
Fixpoint all {X Y} (g : X -> option Y) (l : list X) : option (list Y) := match l with
  | [] => Some [] | x :: r => match g x, all g r with Some y, Some q => Some (y :: q) | _, _ => None end end.
Definition straight_layer (n : Z) (l : layer) : option layer :=
  match all (straight_head n) (rev' (l_heads l)) with
  | Some hs => if forallb (fun u => in_range n (u_in u) && in_range n (u_out u)) (l_units l)
               then Some (Layer_ hs (rev' (l_units l))) else None
  | None => None end.
Definition first_line (s : bytes) : bool := match words s None with
  | Some [Word a; Word v] => is a "temper-model" && is v "1" | _ => false end.
Definition parse_bytes (s : bytes) : option text_model :=
  if existsb (Ascii.eqb "000") s then None else
  match cut_lines s [] with
  | [] => None
  | first :: rest => if first_line first then match lines empty_draft rest with
      | Some (Draft _ _ _ ch [] emb (Some st) (Some er) la (Some re) as d) =>
          match all (straight_layer (d_count d)) (rev' la), given d "method", option_map texts (given d "alphabet")
          with Some ls, Some _, Some (Some al) => if forallb (in_range (d_count d)) (re :: st :: er :: emb)
              then Some (Text (Model_ al (is_given d "end" "yes") (rev' ch) (rev' emb) st er ls re)
                match given d "source" with Some [Text_ s] => s | _ => [] end
                match given d "syntax" with Some [Word s] => s | _ => list_ascii_of_string "spec" end
                (is_given d "tokens" "yes") (is_given d "at" "first") (is_given d "empty" "accept"))
              else None
          | _, _, _ => None end
      | _ => None end else None end.
Definition parse (s : string) : option text_model := parse_bytes (list_ascii_of_string s).
