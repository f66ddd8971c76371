#include "logic/formula.h"

#include <string.h>

#include "logic/place.h"

static const struct {
    const char *spelling;
    int kids;
    char direction;
    int binding;
} operators[] = {
#define OPERATOR(name, spelling, kids, direction, binding, kind, all, beyond) {spelling, kids, direction, binding},
#include "logic/operators.h"
#undef OPERATOR
};

const char *const syntax_names[] = {"spec", "crasp", "brasp", "regex", "dfa", NULL};
const char syntax_choices[] = "spec, crasp, brasp, regex or dfa";
const char syntax_choices_quoted[] = "\"spec\", \"crasp\", \"brasp\", \"regex\" or \"dfa\"";

const char *operator_spelling(formula_op op) { return operators[op].spelling; }
char operator_direction(formula_op op) { return operators[op].direction; }
int operator_binding(formula_op op) { return operators[op].binding; }
int operator_kids(formula_op op) { return operators[op].kids; }

void formula_init(formula *f, arena *a) {
    memset(f, 0, sizeof *f);
    f->arena = a;
    table_init(&f->shared, a);
    table_init(&f->set_index, a);
    array_push(a, f->nodes, f->count, f->node_capacity, (formula_node){0});
    array_push(a, f->notes, f->note_count, f->note_capacity, (formula_note){0});
}

/* The content of a node as bytes: two nodes are one iff these agree. How many there are says the number of kids. */
enum { KEY_WORDS = 7 };

/* require kids made; returns the node with this content, making it if it is new */
static node_id share(formula *f, formula_node n, const node_id *kids, const int64_t *weights) {
    size_t k, bytes = KEY_WORDS * sizeof(int64_t) + n.kid_count * (sizeof(int64_t) + sizeof(node_id));
    int64_t small[64];
    bool on_stack = bytes <= sizeof small;
    int64_t *key = on_stack ? small : arena_alloc(f->arena, bytes, 1);
    key[0] = n.op;
    key[1] = n.set;
    key[2] = n.compare;
    key[3] = n.constant;
    key[4] = n.modulus;
    key[5] = n.residue;
    key[6] = (int64_t)n.choice << 8 | (int64_t)n.mask;
    for (k = 0; k < n.kid_count; k++) key[KEY_WORDS + k] = weights ? weights[k] : 0;
    if (n.kid_count) memcpy(key + KEY_WORDS + n.kid_count, kids, n.kid_count * sizeof *kids);
    const uint32_t *known = table_find(&f->shared, key, bytes);
    if (known) return *known;
    if (f->count >= UINT32_MAX) trap_raise(f->arena->trap, TEMPER_LIMIT, 0, 0, "more than 2^32 subformulas");
    if (on_stack) {
        int64_t *kept = arena_alloc(f->arena, bytes, 1);
        memcpy(kept, key, bytes);
        key = kept;
    }
    n.kid_start = f->kid_count;
    for (k = 0; k < n.kid_count; k++) {
        array_push(f->arena, f->kids, f->kid_count, f->kid_capacity, kids[k]);
        array_push(f->arena, f->weights, f->weight_count, f->weight_capacity, weights ? weights[k] : 0);
    }
    node_id id = (node_id)f->count;
    bool fresh;
    array_push(f->arena, f->nodes, f->count, f->node_capacity, n);
    array_push(f->arena, f->notes, f->note_count, f->note_capacity, (formula_note){0});
    table_put(&f->shared, key, bytes, id, &fresh);
    return id;
}

node_id formula_atom(formula *f, formula_op op) { return share(f, (formula_node){.op = op}, NULL, NULL); }

/* The set's index; equal sets are one. A set is trimmed: no trailing words that equal `rest`. */
static uint32_t share_set(formula *f, const letter_set *set) {
    uint32_t words = set->words;
    uint64_t blank = set->rest ? ~(uint64_t)0 : 0;
    while (words && set->bits[words - 1] == blank) words--;
    size_t bytes = (words + 1) * sizeof(uint64_t);
    uint64_t *key = arena_alloc(f->arena, words + 1, sizeof *key);
    key[0] = set->rest;
    if (words) memcpy(key + 1, set->bits, words * sizeof *key);
    bool fresh;
    uint32_t index = *table_put(&f->set_index, key, bytes, (uint32_t)f->set_count, &fresh);
    if (fresh)
        array_push(f->arena, f->sets, f->set_count, f->set_capacity,
                   (letter_set){.bits = key + 1, .words = words, .rest = set->rest});
    return index;
}

node_id formula_letter_set(formula *f, const letter_set *set) {
    return share(f, (formula_node){.op = OP_LETTERS, .set = share_set(f, set)}, NULL, NULL);
}

node_id formula_letters(formula *f, const uint32_t *letters, size_t count, bool negated) {
    uint32_t top = 0;
    for (size_t k = 0; k < count; k++)
        if (letters[k] > top) top = letters[k];
    letter_set set = {.words = top / 64 + 1, .rest = negated};
    set.bits = arena_alloc(f->arena, set.words, sizeof *set.bits);
    memset(set.bits, negated ? 0xFF : 0, set.words * sizeof *set.bits);
    for (size_t k = 0; k < count; k++) {
        uint64_t bit = (uint64_t)1 << (letters[k] % 64);
        if (negated)
            set.bits[letters[k] / 64] &= ~bit;
        else
            set.bits[letters[k] / 64] |= bit;
    }
    return formula_letter_set(f, &set);
}

bool formula_has_letter(const formula *f, node_id letters_node, uint32_t letter) {
    const letter_set *set = &f->sets[f->nodes[letters_node].set];
    if (letter / 64 >= set->words) return set->rest;
    return set->bits[letter / 64] >> (letter % 64) & 1;
}

node_id formula_matches(formula *f, formula_op op, uint32_t language) {
    return share(f, (formula_node){.op = op, .set = language}, NULL, NULL);
}

node_id formula_states(formula *f, const dfa *machine, const unsigned char *states, const char *name) {
    uint32_t in = 0;
    for (uint32_t q = 0; q < machine->state_count; q++) in += states[q];
    if (in == 0 || in == machine->state_count) return formula_atom(f, in ? OP_TRUE : OP_FALSE);
    for (uint32_t k = 0; k < f->language_count; k++)
        if (f->languages[k].machine == machine && !memcmp(f->languages[k].states, states, machine->state_count))
            return formula_matches(f, OP_MATCHES, k);
    dfa all = *machine;
    all.accepts = arena_alloc(f->arena, machine->state_count, 1);
    memcpy(all.accepts, states, machine->state_count);
    formula_language l = {.kind = LANGUAGE_STATES,
                          .source = name,
                          .source_length = strlen(name),
                          .machine = machine,
                          .states = states,
                          .automaton = dfa_minimise(f->arena, &all)};
    array_push(f->arena, f->languages, f->language_count, f->language_capacity, l);
    return formula_matches(f, OP_MATCHES, (uint32_t)(f->language_count - 1));
}

node_id formula_unary(formula *f, formula_op op, node_id kid) {
    return share(f, (formula_node){.op = op, .kid_count = 1}, &kid, NULL);
}

node_id formula_binary(formula *f, formula_op op, node_id left, node_id right) {
    node_id kids[2] = {left, right};
    return share(f, (formula_node){.op = op, .kid_count = 2}, kids, NULL);
}

node_id formula_nary(formula *f, formula_op op, const node_id *kids, size_t count) {
    if (count == 0) return formula_atom(f, op == OP_AND ? OP_TRUE : OP_FALSE);
    if (count == 1) return kids[0];
    return share(f, (formula_node){.op = op, .kid_count = (uint32_t)count}, kids, NULL);
}

bool compare_holds(compare_op op, int cmp) {
    switch (op) {
    case CMP_EQ: return cmp == 0;
    case CMP_NE: return cmp != 0;
    case CMP_LT: return cmp < 0;
    case CMP_LE: return cmp <= 0;
    case CMP_GT: return cmp > 0;
    case CMP_GE: return cmp >= 0;
    }
    return false;
}

bool sum_holds(const formula_node *n, __int128 sum) {
    if (n->op == OP_COMPARE) return compare_holds(n->compare, (sum > 0) - (sum < 0));
    bool small = sum >= INT64_MIN && sum <= INT64_MAX; /* a division of 64 bits is much faster */
    int64_t rest = small ? (int64_t)sum % n->modulus : (int64_t)(sum % n->modulus);
    if (rest < 0) rest += n->modulus;
    return compare_holds(n->compare, (rest > n->residue) - (rest < n->residue));
}

/* Without counts it is a constant. */
static node_id share_sum(formula *f, formula_node n, const linear_sum *sum) {
    if (sum->count == 0) return formula_atom(f, sum_holds(&n, sum->constant) ? OP_TRUE : OP_FALSE);
    return share(f, n, sum->counts, sum->weights);
}

node_id formula_compare(formula *f, const linear_sum *sum, compare_op op) {
    formula_node n = {.op = OP_COMPARE, .kid_count = (uint32_t)sum->count, .compare = op, .constant = sum->constant};
    return share_sum(f, n, sum);
}

node_id formula_modulo(formula *f, const linear_sum *sum, int64_t modulus, compare_op op, int64_t residue) {
    formula_node n = {.op = OP_MODULO,
                      .kid_count = (uint32_t)sum->count,
                      .compare = op,
                      .constant = sum->constant,
                      .modulus = modulus,
                      .residue = residue};
    return share_sum(f, n, sum);
}

node_id formula_read_place(formula *f, node_id value, const linear_sum *sum, int64_t ends, temper_mask mask) {
    size_t count = sum->count + 1;
    node_id *kids = arena_alloc(f->arena, count, sizeof *kids);
    int64_t *weights = arena_alloc(f->arena, count, sizeof *weights);
    kids[0] = value;
    weights[0] = 0;
    for (size_t k = 0; k < sum->count; k++) {
        kids[k + 1] = sum->counts[k];
        weights[k + 1] = sum->weights[k];
    }
    formula_node n = {
        .op = OP_AT, .kid_count = (uint32_t)count, .constant = sum->constant, .residue = ends, .mask = mask};
    return share(f, n, kids, weights);
}

node_id formula_read_at(formula *f, node_id value, const linear_sum *sum) {
    return formula_read_place(f, value, sum, 0, TEMPER_MASK_ALL);
}

node_id formula_attend(formula *f, temper_choice choice, temper_mask mask, node_id where, node_id value) {
    node_id kids[2] = {where, value};
    return share(f, (formula_node){.op = OP_ATTEND, .kid_count = 2, .choice = choice, .mask = mask}, kids, NULL);
}

node_id formula_match(formula *f, temper_choice choice, temper_mask mask, const node_id *kids, size_t count) {
    formula_node n = {.op = OP_MATCH, .kid_count = (uint32_t)count, .choice = choice, .mask = mask};
    return share(f, n, kids, NULL);
}

static linear_sum copied_sum(formula *f, const formula *from, node_id id, const node_id *of) {
    linear_sum sum;
    sum_init(&sum, f->arena, formula_at(from, id)->constant);
    for (size_t k = 0; k < formula_at(from, id)->kid_count; k++) /* what AT reads has weight 0 */
        if (!sum_add_count(&sum, of[formula_kid(from, id, k)], formula_weight(from, id, k)))
            trap_raise(f->arena->trap, TEMPER_LIMIT, from->notes[id].line, from->notes[id].column,
                       "a coefficient that does not fit in 64 bits, after equal counts were added up");
    return sum;
}

node_id formula_copy_node(formula *f, const formula *from, node_id id, const node_id *of) {
    formula_node n = *formula_at(from, id);
    if (n.op == OP_LETTERS) return formula_letter_set(f, &from->sets[n.set]);
    if (n.op == OP_COMPARE || n.op == OP_MODULO || n.op == OP_AT) {
        linear_sum sum = copied_sum(f, from, id, of);
        if (n.op == OP_COMPARE) return formula_compare(f, &sum, n.compare);
        if (n.op == OP_MODULO) return formula_modulo(f, &sum, n.modulus, n.compare, n.residue);
        return formula_read_at(f, of[formula_kid(from, id, 0)], &sum);
    }
    node_id *kids = arena_alloc(f->arena, (size_t)n.kid_count + 1, sizeof *kids);
    for (size_t k = 0; k < n.kid_count; k++) kids[k] = of[formula_kid(from, id, k)];
    return share(f, n, kids, NULL);
}

void formula_note_place(formula *f, node_id id, size_t line, size_t column) {
    if (f->notes[id].line) return;
    f->notes[id].line = line > UINT32_MAX ? UINT32_MAX : (uint32_t)line;
    f->notes[id].column = column > UINT32_MAX ? UINT32_MAX : (uint32_t)column;
}

void formula_note_name(formula *f, node_id id, const char *name) {
    if (!f->notes[id].name) f->notes[id].name = arena_copy(f->arena, name, strlen(name));
}

void sum_init(linear_sum *s, arena *a, int64_t constant) {
    memset(s, 0, sizeof *s);
    s->arena = a;
    s->constant = constant;
}

/* z = x + y, x * y; false if it does not fit. -2^63 counts as not fitting. */
static bool add(int64_t *z, int64_t x, int64_t y) { return !__builtin_add_overflow(x, y, z) && *z != INT64_MIN; }
static bool multiply(int64_t *z, int64_t x, int64_t y) { return !__builtin_mul_overflow(x, y, z) && *z != INT64_MIN; }

enum { LONG_SUM = 16 }; /* terms from which a sum is searched through its slots */

static size_t first_slot(const linear_sum *s, node_id count) {
    return (uint32_t)(count * 0x9E3779B1u) >> 7 & (s->slot_count - 1);
}

static void enter_slot(linear_sum *s, size_t term) {
    size_t k = first_slot(s, s->counts[term]);
    while (s->slots[k]) k = (k + 1) & (s->slot_count - 1);
    s->slots[k] = (uint32_t)term + 1;
}

static void make_slots(linear_sum *s) {
    if (s->slot_count < 4 * s->count) {
        while (s->slot_count < 4 * s->count) s->slot_count = s->slot_count ? 2 * s->slot_count : 4 * LONG_SUM;
        s->slots = arena_alloc(s->arena, s->slot_count, sizeof *s->slots);
    }
    memset(s->slots, 0, s->slot_count * sizeof *s->slots);
    for (size_t k = 0; k < s->count; k++) enter_slot(s, k);
}

/* The term of a count, or s->count. */
static size_t find_term(const linear_sum *s, node_id count) {
    if (!s->slots) {
        size_t k = 0;
        while (k < s->count && s->counts[k] != count) k++;
        return k;
    }
    for (size_t k = first_slot(s, count); s->slots[k]; k = (k + 1) & (s->slot_count - 1))
        if (s->counts[s->slots[k] - 1] == count) return s->slots[k] - 1;
    return s->count;
}

bool sum_add_count(linear_sum *s, node_id count, int64_t weight) {
    if (weight == INT64_MIN) return false;
    if (weight == 0) return true;
    size_t k = find_term(s, count);
    if (k < s->count) {
        if (!add(&s->weights[k], s->weights[k], weight)) return false;
        if (s->weights[k]) return true;
        size_t after = s->count - k - 1;
        memmove(s->counts + k, s->counts + k + 1, after * sizeof *s->counts);
        memmove(s->weights + k, s->weights + k + 1, after * sizeof *s->weights);
        s->count--;
        if (s->slots) make_slots(s);
        return true;
    }
    size_t same = s->count;
    array_push(s->arena, s->weights, same, s->weight_capacity, weight);
    array_push(s->arena, s->counts, s->count, s->capacity, count);
    if (2 * s->count > s->slot_count && s->count > LONG_SUM)
        make_slots(s);
    else if (s->slots)
        enter_slot(s, s->count - 1);
    return true;
}

bool sum_add(linear_sum *s, const linear_sum *other, int64_t factor) {
    for (size_t k = 0; k < other->count; k++) {
        int64_t w;
        if (!multiply(&w, other->weights[k], factor)) return false;
        if (!sum_add_count(s, other->counts[k], w)) return false;
    }
    int64_t c;
    return multiply(&c, other->constant, factor) && add(&s->constant, s->constant, c);
}

bool sum_scale(linear_sum *s, int64_t factor) {
    if (factor == 0) {
        sum_init(s, s->arena, 0);
        return true;
    }
    for (size_t k = 0; k < s->count; k++)
        if (!multiply(&s->weights[k], s->weights[k], factor)) return false;
    return multiply(&s->constant, s->constant, factor);
}

static void mark_below(const formula *f, unsigned char *marks, node_id highest) {
    for (size_t id = highest; id > 0; id--) {
        if (!marks[id]) continue;
        const formula_node *n = &f->nodes[id];
        for (size_t k = 0; k < n->kid_count; k++) marks[f->kids[n->kid_start + k]] = 1;
    }
}

unsigned char *formula_reachable_from(const formula *f, const node_id *roots, size_t count, arena *a) {
    unsigned char *marks = arena_zalloc(a, f->count, 1);
    node_id highest = 0;
    for (size_t k = 0; k < count; k++) {
        marks[roots[k]] = 1;
        if (roots[k] > highest) highest = roots[k];
    }
    mark_below(f, marks, highest);
    return marks;
}

unsigned char *formula_reachable(const formula *f, node_id root, arena *a) {
    return formula_reachable_from(f, &root, 1, a);
}

unsigned char *spec_outputs_reachable(const temper_spec *s, arena *a) {
    size_t count = spec_root_count(s);
    node_id *roots = arena_alloc(a, count, sizeof *roots);
    for (size_t k = 0; k < count; k++) roots[k] = spec_root_at(s, k);
    return formula_reachable_from(&s->graph, roots, count, a);
}

unsigned char *spec_reachable(const temper_spec *s, arena *a) {
    unsigned char *marks = arena_zalloc(a, s->graph.count, 1);
    marks[s->root] = marks[s->viable] = 1;
    for (size_t k = 0; k < s->output_count; k++) marks[s->outputs[k].root] = 1;
    marks[0] = 0;
    mark_below(&s->graph, marks, (node_id)(s->graph.count - 1));
    return marks;
}

static char direction_of(const formula *f, node_id id) {
    const formula_node *n = &f->nodes[id];
    if (n->op == OP_AT) return place_direction(f, id);
    if (n->op != OP_ATTEND) return operator_direction(n->op);
    switch (n->mask) {
    case TEMPER_MASK_BEFORE:
    case TEMPER_MASK_UP_TO: return 'b';
    case TEMPER_MASK_AFTER:
    case TEMPER_MASK_FROM: return 'f';
    case TEMPER_MASK_ALL: break;
    }
    return '2';
}

unsigned formula_directions(const formula *f, node_id root, node_id *back, node_id *forward) {
    unsigned char *marks = formula_reachable(f, root, f->arena);
    *back = *forward = 0;
    for (size_t id = 1; id <= root; id++) {
        if (!marks[id]) continue;
        char d = direction_of(f, (node_id)id);
        if ((d == 'b' || d == '2') && !*back) *back = (node_id)id;
        if ((d == 'f' || d == '2') && !*forward) *forward = (node_id)id;
    }
    return (*back ? 1u : 0u) | (*forward ? 2u : 0u);
}

int64_t common_divisor(int64_t a, int64_t b) {
    uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    while (y) {
        uint64_t r = x % y;
        x = y;
        y = r;
    }
    return x > INT64_MAX ? 1 : (int64_t)x;
}
