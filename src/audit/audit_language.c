#include "audit/audit_language.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Noreturn void refuse(const language_table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static _Noreturn void refuse(const language_table *t, const char *format, ...) {
    char why[200];
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    trap_raise(t->arena->trap, TEMPER_RANGE, 0, 0, "the formula of a language: %s", why);
}

static const formula_node *node_at(const language_table *t, node_id id) { return formula_at(&t->spec->graph, id); }

/* ---- coordinates ---- */

static uint64_t size_of(int64_t x) { return x < 0 ? (uint64_t)0 - (uint64_t)x : (uint64_t)x; }

/* Counts of a sum must look the table's way. */
static void check_counts(const language_table *t, node_id id) {
    formula_op wanted = t->forward ? OP_COUNT_FUTURE : OP_COUNT_PAST;
    for (size_t k = 0; k < node_at(t, id)->kid_count; k++)
        if (node_at(t, formula_kid(&t->spec->graph, id, k))->op != wanted) refuse(t, "a count looks the other way");
}

/* A sum whose weights have one sign only grows; beyond its constant it decides nothing any more. */
static uint32_t amount_of(const language_table *t, node_id id) {
    const formula_node *n = node_at(t, id);
    for (size_t k = 0; k < n->kid_count; k++) {
        int64_t w = formula_weight(&t->spec->graph, id, k), first = formula_weight(&t->spec->graph, id, 0);
        if (w == 0 || (w < 0) != (first < 0)) refuse(t, "a comparison of counts has infinitely many sums");
    }
    if (size_of(n->constant) >= LANGUAGE_AMOUNT) refuse(t, "a comparison with more than 65535");
    return (uint32_t)size_of(n->constant) + 1;
}

static void remember(language_table *t, node_id id, memory_kind kind, uint32_t start, uint32_t most) {
    array_push(t->arena, t->coordinates, t->width, t->capacity, (coordinate){id, kind, start, most});
}

static void look(const language_table *t, bool forward) {
    if (forward != t->forward) refuse(t, "it looks %s", forward ? "forward" : "back");
}

static void list_node(language_table *t, node_id id) {
    const formula_node *n = node_at(t, id);
    switch (n->op) {
    case OP_TRUE:
    case OP_FALSE:
    case OP_LETTERS:
    case OP_NOT:
    case OP_AND:
    case OP_OR:
    case OP_XOR:
    case OP_IMPLIES:
    case OP_IFF:
    case OP_COUNT_PAST:
    case OP_COUNT_FUTURE: break;
    case OP_FIRST: look(t, false), remember(t, id, REMEMBERS_EDGE, 1, 1); break;
    case OP_LAST: look(t, true), remember(t, id, REMEMBERS_EDGE, 1, 1); break;
    case OP_YESTERDAY: look(t, false), remember(t, id, REMEMBERS_KID, 0, 1); break;
    case OP_WEAK_YESTERDAY: look(t, false), remember(t, id, REMEMBERS_KID, 1, 1); break;
    case OP_NEXT: look(t, true), remember(t, id, REMEMBERS_KID, 0, 1); break;
    case OP_WEAK_NEXT: look(t, true), remember(t, id, REMEMBERS_KID, 1, 1); break;
    case OP_ONCE:
    case OP_SINCE: look(t, false), remember(t, id, REMEMBERS_SELF, 0, 1); break;
    case OP_HISTORICALLY:
    case OP_TRIGGERED: look(t, false), remember(t, id, REMEMBERS_SELF, 1, 1); break;
    case OP_EVENTUALLY:
    case OP_UNTIL:
    case OP_STRONG_RELEASE: look(t, true), remember(t, id, REMEMBERS_SELF, 0, 1); break;
    case OP_ALWAYS:
    case OP_RELEASE:
    case OP_WEAK_UNTIL: look(t, true), remember(t, id, REMEMBERS_SELF, 1, 1); break;
    case OP_MODULO:
        check_counts(t, id);
        if (n->modulus > LANGUAGE_MODULUS) refuse(t, "a remainder modulo more than 65536");
        remember(t, id, REMEMBERS_REST, 0, (uint32_t)n->modulus - 1);
        break;
    case OP_COMPARE:
        check_counts(t, id);
        remember(t, id, REMEMBERS_AMOUNT, 0, amount_of(t, id));
        break;
    default: refuse(t, "an operator that no table can hold");
    }
    array_push(t->arena, t->nodes, t->node_count, t->node_capacity, id);
}

void language_begin(language_table *t, const temper_spec *spec, const automaton *language, bool forward, arena *a) {
    *t = (language_table){.spec = spec, .language = language, .forward = forward, .arena = a};
    const unsigned char *marks = formula_reachable(&spec->graph, spec->root, a);
    for (node_id id = 1; id <= spec->root; id++)
        if (marks[id]) list_node(t, id);
}

/* ---- rows as texts ---- */

static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
enum { DIGITS = 36 };

/* Decimal digits up to `end`, at most `most`, without zeros before them. */
static uint32_t read_number(const language_table *t, const char **at, char end, uint32_t most) {
    uint64_t x = 0;
    const char *p = *at;
    for (; *p >= '0' && *p <= '9' && x <= most; p++) x = 10 * x + (uint64_t)(*p - '0');
    if (p == *at || *p != end || x > most || (**at == '0' && p - *at > 1))
        refuse(t, "a row of its table is not written as rows are");
    *at = p + 1;
    return (uint32_t)x;
}

static void read_row(const language_table *t, uint32_t *row, const char *p) {
    row[0] = read_number(t, &p, ':', t->language->states - 1);
    for (size_t k = 0; k < t->width; k++) {
        const char *digit = *p ? strchr(digits, *p) : NULL;
        uint32_t *x = &row[k + 1], most = t->coordinates[k].most;
        if (*p == '-')
            *x = ANYTHING, p++;
        else if (*p == '(')
            p++, *x = read_number(t, &p, ')', most);
        else if (digit)
            *x = (uint32_t)(digit - digits), p++;
        else
            refuse(t, "a row of its table has too few coordinates");
        if (*x != ANYTHING && *x > most) refuse(t, "a coordinate of its table is too large");
    }
    if (*p) refuse(t, "a row of its table has too many coordinates");
}

void language_read_rows(language_table *t, const char *const *rows, size_t count) {
    size_t stride = t->width + 1;
    t->rows = arena_alloc(t->arena, count * stride + 1, sizeof *t->rows);
    t->row_count = count;
    for (size_t k = 0; k < count; k++) {
        uint32_t *row = t->rows + k * stride;
        read_row(t, row, rows[k]);
        size_t same = 0;
        while (k && same < stride && row[same] == row[same - stride]) same++;
        if (k && (same == stride || row[same] < row[same - stride]))
            refuse(t, "rows %zu and %zu of its table are not in order", k, k + 1);
    }
}

void language_write_row(text *out, const language_table *t, size_t row) {
    const uint32_t *x = t->rows + row * (t->width + 1);
    text_printf(out, "%u:", x[0]);
    for (size_t k = 1; k <= t->width; k++)
        if (x[k] == ANYTHING)
            text_putc(out, '-');
        else if (x[k] < DIGITS)
            text_putc(out, digits[x[k]]);
        else
            text_printf(out, "(%u)", x[k]);
}

/* ---- one letter ---- */

enum { NO, YES, EITHER }; /* truth; EITHER: a coordinate is open on which it depends */

typedef struct stepping {
    const language_table *t;
    unsigned char *truth;    /* [nodes of the graph] */
    uint32_t *coordinate_of; /* [nodes of the graph] */
    uint32_t *after;         /* [width] */
} stepping;

static unsigned not_of(unsigned x) { return x == EITHER ? EITHER : !x; }
static unsigned and_of(unsigned x, unsigned y) {
    return x == NO || y == NO ? NO : x == YES && y == YES ? YES : EITHER;
}
static unsigned or_of(unsigned x, unsigned y) {
    return x == YES || y == YES ? YES : x == NO && y == NO ? NO : EITHER;
}
static unsigned xor_of(unsigned x, unsigned y) { return x == EITHER || y == EITHER ? EITHER : x != y; }
static unsigned truth_of(uint32_t x) { return x == ANYTHING ? EITHER : x; }

static unsigned nary_of(const stepping *s, node_id id) {
    const formula *f = &s->t->spec->graph;
    bool is_or = formula_at(f, id)->op == OP_OR;
    unsigned x = is_or ? NO : YES;
    for (size_t k = 0; k < formula_at(f, id)->kid_count; k++) {
        unsigned y = s->truth[formula_kid(f, id, k)];
        x = is_or ? or_of(x, y) : and_of(x, y);
    }
    return x;
}

/* What the letter here adds to a sum of counts; false: that is open. Sums of 2^16 terms below 2^63 fit. */
static bool amount_here(const stepping *s, node_id id, int64_t modulus, __int128 *sum) {
    const formula *f = &s->t->spec->graph;
    *sum = 0;
    for (size_t k = 0; k < formula_at(f, id)->kid_count; k++) {
        unsigned x = s->truth[formula_kid(f, formula_kid(f, id, k), 0)];
        if (x == EITHER) return false;
        if (x == NO) continue;
        __int128 w = formula_weight(f, id, k);
        *sum += modulus ? w % modulus : w < 0 ? -w : w;
    }
    return true;
}

static unsigned compared(compare_op op, __int128 x, __int128 y) {
    return compare_holds(op, (x > y) - (x < y)) ? YES : NO;
}

static unsigned rest_of(const stepping *s, node_id id, uint32_t before, uint32_t *after) {
    const formula_node *n = node_at(s->t, id);
    __int128 here, m = n->modulus;
    *after = ANYTHING;
    if (before == ANYTHING || !amount_here(s, id, n->modulus, &here)) return EITHER;
    __int128 sum = ((before + here) % m + m) % m;
    *after = (uint32_t)sum;
    return compared(n->compare, ((sum + n->constant) % m + m) % m, n->residue);
}

static unsigned amount_test(const stepping *s, node_id id, uint32_t before, uint32_t most, uint32_t *after) {
    const formula_node *n = node_at(s->t, id);
    __int128 here;
    *after = ANYTHING;
    if (before == ANYTHING || !amount_here(s, id, 0, &here)) return EITHER;
    __int128 sum = before + here;
    if (sum > most) sum = most;
    *after = (uint32_t)sum;
    bool negative = n->kid_count && formula_weight(&s->t->spec->graph, id, 0) < 0;
    return compared(n->compare, (negative ? -sum : sum) + n->constant, 0);
}

static unsigned truth_here(stepping *s, node_id id, uint32_t letter, const uint32_t *before) {
    const formula *f = &s->t->spec->graph;
    const formula_node *n = formula_at(f, id);
    unsigned x = n->kid_count > 0 ? s->truth[formula_kid(f, id, 0)] : 0;
    unsigned y = n->kid_count > 1 ? s->truth[formula_kid(f, id, 1)] : 0;
    uint32_t k = s->coordinate_of[id], *after = &s->after[k];
    unsigned was = k < s->t->width ? truth_of(before[k]) : EITHER;
    switch (n->op) {
    case OP_TRUE: return YES;
    case OP_LETTERS: return formula_has_letter(f, id, letter) ? YES : NO;
    case OP_NOT: return not_of(x);
    case OP_AND:
    case OP_OR: return nary_of(s, id);
    case OP_XOR: return xor_of(x, y);
    case OP_IFF: return not_of(xor_of(x, y));
    case OP_IMPLIES: return or_of(not_of(x), y);
    case OP_FIRST:
    case OP_LAST: return was;
    case OP_YESTERDAY:
    case OP_WEAK_YESTERDAY:
    case OP_NEXT:
    case OP_WEAK_NEXT: return was;
    case OP_ONCE:
    case OP_EVENTUALLY: return or_of(x, was);
    case OP_HISTORICALLY:
    case OP_ALWAYS: return and_of(x, was);
    /* y here, or x here and the same one position before */
    case OP_SINCE:
    case OP_UNTIL:
    case OP_WEAK_UNTIL: return or_of(y, and_of(x, was));
    /* y here, and x here or the same one position before */
    case OP_TRIGGERED:
    case OP_RELEASE:
    case OP_STRONG_RELEASE: return and_of(y, or_of(x, was));
    case OP_MODULO: return rest_of(s, id, before[k], after);
    case OP_COMPARE: return amount_test(s, id, before[k], s->t->coordinates[k].most, after);
    default: return NO; /* FALSE; counts are read by their sums */
    }
}

/* The formula's truth at a position whose letter is this, and the coordinates after it. */
static unsigned step(stepping *s, const uint32_t *before, uint32_t letter) {
    const language_table *t = s->t;
    for (size_t k = 0; k < t->node_count; k++)
        s->truth[t->nodes[k]] = (unsigned char)truth_here(s, t->nodes[k], letter, before);
    for (size_t k = 0; k < t->width; k++) {
        const coordinate *c = &t->coordinates[k];
        unsigned x = c->kind == REMEMBERS_KID    ? s->truth[formula_kid(&t->spec->graph, c->node, 0)]
                     : c->kind == REMEMBERS_SELF ? s->truth[c->node]
                                                 : NO;
        if (c->kind == REMEMBERS_KID || c->kind == REMEMBERS_SELF || c->kind == REMEMBERS_EDGE)
            s->after[k] = x == EITHER ? ANYTHING : x;
    }
    return s->truth[t->spec->root];
}

/* ---- the table ---- */

typedef struct cover {
    const language_table *t;
    table index;      /* row -> its number */
    uint32_t *open;   /* rows with open coordinates, by state */
    size_t *of_state; /* [states + 1] where a state's begin */
} cover;

static void cover_begin(cover *c, const language_table *t) {
    size_t stride = t->width + 1, count = 0;
    *c = (cover){.t = t};
    table_init(&c->index, t->arena);
    c->open = arena_alloc(t->arena, t->row_count + 1, sizeof *c->open);
    c->of_state = arena_zalloc(t->arena, (size_t)t->language->states + 1, sizeof *c->of_state);
    for (size_t k = 0; k < t->row_count; k++) { /* states ascend */
        const uint32_t *row = t->rows + k * stride;
        bool fresh, open = false;
        table_put(&c->index, row, stride * sizeof *row, (uint32_t)k, &fresh);
        for (size_t i = 1; i < stride; i++) open = open || row[i] == ANYTHING;
        if (open) c->open[count++] = (uint32_t)k, c->of_state[row[0] + 1]++;
    }
    for (uint32_t q = 0; q < t->language->states; q++) c->of_state[q + 1] += c->of_state[q];
}

/* Whether a row says all of this: a state and coordinates. */
static bool is_covered(const cover *c, const uint32_t *x, uint64_t *work) {
    size_t stride = c->t->width + 1;
    if (table_find(&c->index, x, stride * sizeof *x)) return true;
    for (size_t k = c->of_state[x[0]]; k < c->of_state[x[0] + 1]; k++) {
        const uint32_t *row = c->t->rows + c->open[k] * stride;
        size_t same = 1;
        while (same < stride && (row[same] == ANYTHING || row[same] == x[same])) same++;
        *work += same;
        if (same == stride) return true;
    }
    return false;
}

/* Letters that neither the language nor the formula tells apart: one of each. */
static uint32_t *letters_to_try(size_t *count, const language_table *t) {
    const formula *f = &t->spec->graph;
    size_t letters = t->spec->letters.count, sets = 0;
    for (size_t k = 0; k < t->node_count; k++) sets += node_at(t, t->nodes[k])->op == OP_LETTERS;
    if ((sets + 5) * letters > LANGUAGE_WORK / 64) refuse(t, "too many sets of letters");
    uint32_t *found = arena_alloc(t->arena, letters + 1, sizeof *found);
    table index;
    table_init(&index, t->arena);
    *count = 0;
    for (uint32_t l = 0; l < letters; l++) {
        unsigned char *key = arena_zalloc(t->arena, sets + sizeof(uint32_t), 1);
        size_t at = 0;
        bool fresh;
        memcpy(key + sets, &t->language->class_of[l], sizeof(uint32_t));
        for (size_t k = 0; k < t->node_count; k++)
            if (node_at(t, t->nodes[k])->op == OP_LETTERS) key[at++] = formula_has_letter(f, t->nodes[k], l);
        table_put(&index, key, sets + sizeof(uint32_t), l, &fresh);
        if (fresh) found[(*count)++] = l;
    }
    return found;
}

static const char *shown_letter(const language_table *t, uint32_t letter) {
    const char *x = t->spec->letters.letters[letter];
    return text_escaped(t->arena, x, strlen(x), 20);
}

void language_check(const language_table *t) {
    size_t letter_count, stride = t->width + 1;
    const uint32_t *letters = letters_to_try(&letter_count, t);
    const automaton *x = t->language;
    uint64_t work = 0, kids = t->spec->graph.kid_count, each = t->node_count + kids + stride;
    cover c;
    if (t->row_count && letter_count && each > LANGUAGE_WORK / t->row_count / letter_count)
        trap_raise(t->arena->trap, TEMPER_LIMIT, 0, 0, "the table of a language takes more steps than are audited");
    stepping s = {.t = t};
    s.truth = arena_zalloc(t->arena, t->spec->graph.count, 1);
    s.coordinate_of = arena_alloc(t->arena, t->spec->graph.count, sizeof *s.coordinate_of);
    for (size_t k = 0; k < t->spec->graph.count; k++) s.coordinate_of[k] = (uint32_t)t->width;
    for (size_t k = 0; k < t->width; k++) s.coordinate_of[t->coordinates[k].node] = (uint32_t)k;
    uint32_t *after = arena_zalloc(t->arena, stride + 1, sizeof *after);
    s.after = after + 1;
    cover_begin(&c, t);
    for (size_t k = 0; k < t->width; k++) after[k + 1] = t->coordinates[k].start;
    if (!is_covered(&c, after, &work)) refuse(t, "its table does not have the beginning of all strings");
    for (size_t k = 0; k < t->row_count; k++) {
        const uint32_t *row = t->rows + k * stride;
        for (size_t l = 0; l < letter_count; l++) {
            unsigned truth = step(&s, row + 1, letters[l]);
            after[0] = x->next[(size_t)row[0] * x->classes + x->class_of[letters[l]]];
            if (truth != x->accepts[after[0]])
                refuse(t, "after row %zu of its table and the letter %s it is %s, but the language is not", k + 1,
                       shown_letter(t, letters[l]),
                       truth == EITHER ? "open"
                       : truth         ? "true"
                                       : "false");
            if (!is_covered(&c, after, &work))
                refuse(t, "the letter %s leads from row %zu of its table to no row", shown_letter(t, letters[l]),
                       k + 1);
            if (work > LANGUAGE_WORK)
                trap_raise(t->arena->trap, TEMPER_LIMIT, 0, 0,
                           "the table of a language takes more steps than are audited");
        }
    }
}
