/* Formulas: a graph of shared nodes. Making a node that exists already gives the existing one, so a subformula
   that occurs twice is one node. Kids are made before their parents, so kid < parent: every pass is a loop over
   nodes in order, and no depth of nesting can overflow the stack.

   One structure serves what the user wrote (all operators) and the normal form (compile/normal_form.h). */
#ifndef LOGIC_FORMULA_H
#define LOGIC_FORMULA_H

#include <stdatomic.h>

#include "automata/dfa.h"
#include "base/alphabet.h"
#include "base/table.h"
#include "base/text.h"

typedef enum formula_op {
#define OPERATOR(name, spelling, kids, direction, binding, kind, all, beyond) OP_##name,
#include "logic/operators.h"
#undef OPERATOR
    OP_COUNT_OF_OPERATORS
} formula_op;

typedef enum compare_op { CMP_EQ, CMP_NE, CMP_LT, CMP_LE, CMP_GT, CMP_GE } compare_op;

typedef uint32_t node_id; /* index into formula.nodes; 0 is no node */

typedef struct formula_node {
    formula_op op;
    uint32_t kid_count;
    size_t kid_start;   /* into formula.kids, and formula.weights for COMPARE, MODULO and AT */
    uint32_t set;       /* LETTERS: index into formula.sets; MATCHES*: into formula.languages */
    compare_op compare; /* COMPARE: sum `compare` 0; MODULO: sum mod modulus `compare` residue */
    int64_t constant;   /* COMPARE, MODULO, AT: added to the sum */
    int64_t modulus;    /* MODULO: > 0 */
    int64_t residue;    /* MODULO: the constant it is compared with; any value. AT of normal forms: times n + 1 */
    temper_choice
        choice;       /* ATTEND, MATCH: leftmost, rightmost; ATTEND also average (kid 1 = kid 0: "there is one") */
    temper_mask mask; /* ATTEND, MATCH; AT of normal forms: where the position lies */
} formula_node;

/* What is known about a node besides its meaning; the first place that made it wins. */
typedef struct formula_note {
    uint32_t line, column; /* 0: none */
    const char *name;      /* the definition that gave it a name, or NULL */
} formula_note;

/* A set of letters: bits over letter numbers; letters beyond the bits are members iff `rest`. So `[^ab]` needs no
   knowledge of letters that are named later. */
typedef struct letter_set {
    uint64_t *bits; /* words * 64 bits, already xor-ed with rest: bit = member */
    uint32_t words;
    bool rest;
} letter_set;

/* STATES: in no text, but made of another language: the letters up to here lead an automaton into one of some
   states. */
typedef enum language_kind { LANGUAGE_REGEX, LANGUAGE_TABLE, LANGUAGE_STATES } language_kind;

/* A regular language. It is read before the alphabet is complete, so its automaton comes last. */
typedef struct formula_language {
    language_kind kind;
    const char *source; /* as written: the expression without slashes, the table without braces; STATES: a name */
    size_t source_length;
    const struct regex *regex;     /* of its kind, as read */
    const struct dfa_table *table; /* of its kind, as read */
    const dfa *automaton;          /* minimal, over the alphabet; NULL: not made yet */
    const dfa *machine;            /* STATES: several languages may share it */
    const unsigned char *states;   /* STATES: [machine->state_count] 1 for its states */
    const dfa *reversed;           /* of the reversed words, where MATCHES_REST is a node; else NULL */
    const char *file;              /* the file of a table, as named in the text; NULL: it stands in the text */
    uint32_t line, column;
} formula_language;

typedef struct formula {
    arena *arena;
    formula_node *nodes; /* nodes[0] is not used */
    formula_note *notes; /* one per node */
    size_t count, node_capacity, note_count, note_capacity;
    node_id *kids;
    int64_t *weights;
    size_t kid_count, kid_capacity, weight_count, weight_capacity;
    letter_set *sets;
    size_t set_count, set_capacity;
    formula_language *languages;
    size_t language_count, language_capacity;
    table shared; /* node content -> node_id */
    table set_index;
} formula;

/* A sum of weighted counts: 2*#[a] - #[b] + 1. Terms are in the order of first mention, one per count, weights not
   0. */
typedef struct linear_sum {
    arena *arena;
    node_id *counts; /* COUNT_PAST or COUNT_FUTURE nodes */
    int64_t *weights;
    size_t count, capacity, weight_capacity;
    int64_t constant;
    uint32_t *slots; /* long sums: hash of a count -> its term + 1; NULL: not made */
    size_t slot_count;
} linear_sum;

void formula_init(formula *f, arena *a);

static inline const formula_node *formula_at(const formula *f, node_id id) { return &f->nodes[id]; }
static inline node_id formula_kid(const formula *f, node_id id, size_t k) {
    return f->kids[f->nodes[id].kid_start + k];
}

/* Makers. Operands must be nodes of the same formula. None of them simplifies, except that formula_nary with one kid
   is that kid and with none is TRUE (AND) or FALSE (OR); so printing shows what was written. */
node_id formula_atom(formula *f, formula_op op); /* TRUE FALSE FIRST LAST */
node_id formula_letters(formula *f, const uint32_t *letters, size_t count, bool negated);
node_id formula_letter_set(formula *f, const letter_set *set);         /* copies the set */
node_id formula_matches(formula *f, formula_op op, uint32_t language); /* MATCHES MATCHES_REST */
/* The letters up to here lead the machine into one of some states; constants where that is all or none. Machine,
   states and name must live as long as the formula. */
node_id formula_states(formula *f, const dfa *machine, const unsigned char *states, const char *name);
node_id formula_unary(formula *f, formula_op op, node_id kid); /* also COUNT_PAST, COUNT_FUTURE */
node_id formula_binary(formula *f, formula_op op, node_id left, node_id right);
node_id formula_nary(formula *f, formula_op op, const node_id *kids, size_t count); /* AND OR */
node_id formula_compare(formula *f, const linear_sum *sum, compare_op op); /* folds a constant sum to TRUE/FALSE */
node_id formula_modulo(formula *f, const linear_sum *sum, int64_t modulus, compare_op op, int64_t residue);
/* require kids as operators.h says, the meaning last; match_make makes them */
node_id formula_match(formula *f, temper_choice choice, temper_mask mask, const node_id *kids, size_t count);
node_id formula_read_at(formula *f, node_id value, const linear_sum *sum); /* AT, as it is written */
node_id formula_read_place(formula *f, node_id value, const linear_sum *sum, int64_t ends, temper_mask mask);
node_id formula_attend(formula *f, temper_choice choice, temper_mask mask, node_id where, node_id value);

/* A node of another formula over the copies of its kids, of[kid]. Not a regular language: those are the formula's
   own. Equal counts of a sum are added up. */
node_id formula_copy_node(formula *f, const formula *from, node_id id, const node_id *of);

/* Records where a node was written / what it is called, if nothing is recorded yet. */
void formula_note_place(formula *f, node_id id, size_t line, size_t column);
void formula_note_name(formula *f, node_id id, const char *name);

bool formula_has_letter(const formula *f, node_id letters_node, uint32_t letter);

/* The sum as stored in a COMPARE, MODULO or AT node; the weight of AT's kid 0, which is no count, is 0. */
static inline int64_t formula_weight(const formula *f, node_id id, size_t k) {
    return f->weights[f->nodes[id].kid_start + k];
}

/* Linear sums; false: a coefficient would not fit in 64 bits. None is ever -2^63, so negation is safe. */
void sum_init(linear_sum *s, arena *a, int64_t constant);
bool sum_add(linear_sum *s, const linear_sum *other, int64_t factor); /* s += factor * other */
bool sum_add_count(linear_sum *s, node_id count, int64_t weight);
bool sum_scale(linear_sum *s, int64_t factor);

/* The greatest common divisor, not negative; 1 where it is 2^63, which does not fit. */
int64_t common_divisor(int64_t a, int64_t b);

bool compare_holds(compare_op op, int cmp); /* cmp: sign of left - right */

/* Whether a COMPARE or MODULO node holds where its sum, with its constant, is this. */
bool sum_holds(const formula_node *n, __int128 sum);

/* Names and properties out of operators.h. */
const char *operator_spelling(formula_op op);
char operator_direction(formula_op op);
int operator_binding(formula_op op);
int operator_kids(formula_op op);

/* Which ways the operators below root look: bit 1 back, bit 2 forward; and one node that looks each way (0: none). */
unsigned formula_directions(const formula *f, node_id root, node_id *back, node_id *forward);

/* marks[id] = 1 for the nodes reachable from root; marks has f->count entries, in arena a. */
unsigned char *formula_reachable(const formula *f, node_id root, arena *a);
/* The same below any of several roots. */
unsigned char *formula_reachable_from(const formula *f, const node_id *roots, size_t count, arena *a);

/* "spec", "crasp", ..., as temper_syntax, then NULL; and the same for messages: "spec, crasp or brasp". */
extern const char *const syntax_names[];
extern const char syntax_choices[], syntax_choices_quoted[];

/* ---- a parsed specification -------------------------------------------------------------------------------- */

/* One thing that a specification says at every position. */
typedef struct spec_output {
    const char *name; /* what it stands for: a text to write, a letter that may come; "": nothing, or the end */
    node_id root;
    bool accepts_empty;    /* whether it holds before the first letter */
    bool is_otherwise;     /* a transducer's: where no other output holds */
    uint32_t line, column; /* 0: it is not in the text */
} spec_output;

/* Numbers beside the outputs of a language model: where root holds, output k has the number logits[k]. At each
   position exactly one score holds. */
typedef struct spec_score {
    node_id root;
    bool accepts_empty;
    const double *logits; /* [outputs] */
} spec_score;

/* The line `probabilities`: of a language model. */
typedef struct spec_probabilities {
    bool is_said, is_uniform;
    const char *text; /* a table, as written; NULL: uniform */
    size_t length;
    const char *file; /* where it was read from, as named in the text; NULL: it stands in the text */
    uint32_t line, column;
} spec_probabilities;

enum { SPEC_OUTPUTS = 4096 }; /* at most */

/* An acceptor has one root and no array of outputs. A transducer has several outputs and root 0. The root of a
   language model is the language; its outputs are made of that. */
struct temper_spec {
    arena memory;
    formula graph;
    node_id root;
    temper_kind kind;
    spec_output *outputs;
    size_t output_count;      /* 0 for an acceptor */
    temper_spec *views;       /* [output_count] each output as an acceptor: spec_make_views */
    const temper_spec *whole; /* of a view: what it is a view of; else NULL */
    node_id unclear;          /* transducers: where no output holds, or several do; no output is above it */
    node_id unclear_so_far;   /* O unclear */
    node_id viable;           /* language models: what every prefix of a member keeps; 0: not said */
    spec_probabilities probabilities;
    spec_score *scores;
    size_t score_count; /* 0: no numbers */
    alphabet letters;
    bool alphabet_given; /* it was stated; else it is the letters that the formula names */
    temper_syntax syntax;
    temper_at at; /* FIRST or LAST */
    bool accepts_empty;
    const char *source; /* the text as given */
    size_t source_length;
    size_t node_count;  /* nodes below the root, itself included */
    atomic_uint *users; /* besides the caller: spec_share; NULL: it cannot be shared */
};

/* For one more user, who calls temper_spec_free, too; the last one frees it. NULL: it cannot be shared. */
temper_spec *spec_share(const temper_spec *s);

/* The outputs that a transformer computes: of an acceptor its root alone. A language model has none before they are
   made. */
static inline size_t spec_output_count(const temper_spec *s) {
    return s->kind == TEMPER_KIND_ACCEPTOR ? 1 : s->output_count;
}
static inline node_id spec_output_root(const temper_spec *s, size_t output) {
    return s->kind == TEMPER_KIND_ACCEPTOR ? s->root : s->outputs[output].root;
}
static inline bool spec_output_empty(const temper_spec *s, size_t output) {
    return s->kind == TEMPER_KIND_ACCEPTOR ? s->accepts_empty : s->outputs[output].accepts_empty;
}

/* All that a transformer makes: the outputs, then the scores. */
static inline size_t spec_root_count(const temper_spec *s) { return spec_output_count(s) + s->score_count; }
static inline node_id spec_root_at(const temper_spec *s, size_t k) {
    size_t outputs = spec_output_count(s);
    return k < outputs ? spec_output_root(s, k) : s->scores[k - outputs].root;
}

/* marks[id] = 1 for the nodes below the outputs and scores; [graph.count] entries, in arena a. */
unsigned char *spec_outputs_reachable(const temper_spec *s, arena *a);

/* The text is one regular language and nothing else. */
bool spec_is_language(const temper_spec *s);

/* The same strings, read at the first position: of a specification that is one language, one whose truth at i is
   whether the letters from i to the end are a word. For models whose language is read from the right; no text says
   it. In arena a, letters and source are borrowed. TEMPER_LIMIT: reversed words take too many states. */
temper_spec *spec_from_right(const temper_spec *s, arena *a, arena *scratch);

/* Raises TEMPER_UNSUPPORTED for a specification that says more than whether a string belongs. */
void spec_need_acceptor(const temper_spec *s, trap *t);

/* marks[id] = 1 for the nodes below the root, the outputs and what is viable; [graph.count] entries, in arena a. */
unsigned char *spec_reachable(const temper_spec *s, arena *a);

#endif
