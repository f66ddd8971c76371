#include "audit/audit_language.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit_operator.h"
#include "base/work.h"

static _Noreturn void refuse(const language_table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static _Noreturn void refuse(const language_table *t, const char *format, ...) {
    char why[200];
    va_list args;
    va_start(args, format);
    print_list(why, sizeof why, format, args);
    va_end(args);
    trap_raise(t->arena->trap, TEMPER_RANGE, 0, 0, "the formula of a language: %s", why);
}

static const formula_node *node_at(const language_table *t, node_id id) { return formula_at(&t->spec->graph, id); }

/* ---- coordinates ---- */

/* Counts of a sum must look the table's way. */
static void check_counts(const language_table *t, node_id id) {
    for (size_t k = 0; k < node_at(t, id)->kid_count; k++)
        if (audit_operator_of(node_at(t, formula_kid(&t->spec->graph, id, k))->op).forward != t->forward)
            refuse(t, "a count looks the other way");
}

/* A sum whose weights have one sign only grows; beyond its constant it decides nothing any more. */
static uint32_t amount_of(const language_table *t, node_id id) {
    const formula_node *n = node_at(t, id);
    for (size_t k = 1; k < n->kid_count; k++)
        if (language_weighs_down(t, id, k) != language_weighs_down(t, id, 0))
            refuse(t, "a comparison of counts has infinitely many sums");
    if (n->constant >= LANGUAGE_AMOUNT || n->constant <= -LANGUAGE_AMOUNT)
        refuse(t, "a comparison with more than 65535");
    return (uint32_t)llabs(n->constant) + 1;
}

static void remember(language_table *t, node_id id, memory_kind kind, uint32_t start, uint32_t most) {
    array_push(t->arena, t->coordinates, t->width, t->capacity, (coordinate){id, kind, start, most});
}

static void look(const language_table *t, bool forward) {
    if (forward != t->forward) refuse(t, "it looks %s", forward ? "forward" : "back");
}

static void remember_truth(language_table *t, node_id id, bool forward, memory_kind kind, uint32_t start) {
    look(t, forward);
    remember(t, id, kind, start, 1);
}

static void list_node(language_table *t, node_id id) {
    const formula_node *n = node_at(t, id);
    audit_operator o = audit_operator_of(n->op);
    switch (o.reading) {
    case READS_TRUE:
    case READS_FALSE:
    case READS_LETTERS:
    case READS_NOT:
    case READS_AND:
    case READS_OR:
    case READS_XOR:
    case READS_IMPLIES:
    case READS_IFF:
    case READS_COUNT: break;
    case READS_EDGE: remember_truth(t, id, o.forward, REMEMBERS_EDGE, 1); break;
    case READS_STEP: remember_truth(t, id, o.forward, REMEMBERS_KID, 0); break;
    case READS_WEAK_STEP: remember_truth(t, id, o.forward, REMEMBERS_KID, 1); break;
    case READS_SOMEWHERE:
    case READS_SINCE:
    case READS_STRONG_TRIGGERED: remember_truth(t, id, o.forward, REMEMBERS_SELF, 0); break;
    case READS_EVERYWHERE:
    case READS_TRIGGERED:
    case READS_WEAK_SINCE: remember_truth(t, id, o.forward, REMEMBERS_SELF, 1); break;
    case READS_MODULO:
        check_counts(t, id);
        if (n->modulus > LANGUAGE_MODULUS) refuse(t, "a remainder modulo more than 65536");
        remember(t, id, REMEMBERS_REST, 0, (uint32_t)n->modulus - 1);
        break;
    case READS_COMPARE:
        check_counts(t, id);
        remember(t, id, REMEMBERS_AMOUNT, 0, amount_of(t, id));
        break;
    case READS_LANGUAGE:
        if (o.forward) refuse(t, "an operator that no table can hold");
        if (!t->languages) refuse(t, "it names a regular language");
        look(t, false);
        remember(t, id, REMEMBERS_STATE, 0, t->languages[n->set]->states - 1);
        break;
    case READS_ATTEND:
        if (!t->is_source) refuse(t, "attention, which no table can hold");
        if (n->mask == TEMPER_MASK_ALL) refuse(t, "it looks both ways");
        look(t, n->mask == TEMPER_MASK_AFTER || n->mask == TEMPER_MASK_FROM);
        remember(t, id, REMEMBERS_CHOICE, 0, 2);
        break;
    case READS_MATCH: /* its last kid means the same in other operators */
        if (!t->is_source) refuse(t, "attention, which no table can hold");
        break;
    case READS_AT: refuse(t, "an operator that no table can hold");
    }
    array_push(t->arena, t->nodes, t->node_count, t->node_capacity, id);
}

void language_coordinates(language_table *t) {
    const temper_spec *spec = t->spec;
    const unsigned char *marks = formula_reachable(&spec->graph, spec->root, t->arena);
    for (node_id id = 1; id <= spec->root; id++)
        if (marks[id]) list_node(t, id);
}

void language_begin(language_table *t, const temper_spec *spec, const automaton *language, bool forward, arena *a) {
    *t = (language_table){.spec = spec, .language = language, .forward = forward, .arena = a};
    language_coordinates(t);
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

static bool is_behind(const uint32_t *row, const uint32_t *before, size_t stride) {
    bool behind = false;
    for (size_t k = stride; k-- > 0;) behind = row[k] > before[k] || (row[k] == before[k] && behind);
    return behind;
}

void language_read_rows(language_table *t, const char *const *rows, size_t count) {
    size_t stride = t->width + 1;
    t->rows = arena_alloc(t->arena, count * stride, sizeof *t->rows);
    t->row_count = count;
    for (size_t k = 0; k < count; k++) {
        uint32_t *row = t->rows + k * stride;
        read_row(t, row, rows[k]);
        if (k && !is_behind(row, row - stride, stride))
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

/* ---- the table ---- */

typedef struct cover {
    const language_table *t;
    table index;       /* row -> its number */
    uint32_t *last;    /* [states] its last row with open coordinates, + 1; 0: it has none */
    uint32_t *earlier; /* [rows] with open coordinates: the one before it of the same state, as in `last` */
} cover;

static bool is_open(const uint32_t *coordinates, size_t width) {
    for (size_t k = 0; k < width; k++)
        if (coordinates[k] == ANYTHING) return true;
    return false;
}

static void cover_begin(cover *c, const language_table *t) {
    size_t stride = t->width + 1;
    *c = (cover){.t = t};
    table_init(&c->index, t->arena);
    c->last = arena_zalloc(t->arena, t->language->states, sizeof *c->last);
    c->earlier = arena_alloc(t->arena, t->row_count, sizeof *c->earlier);
    for (size_t k = 0; k < t->row_count; k++) {
        const uint32_t *row = t->rows + k * stride;
        bool fresh;
        table_put(&c->index, row, stride * sizeof *row, (uint32_t)k, &fresh);
        if (is_open(row + 1, t->width)) c->earlier[k] = c->last[row[0]], c->last[row[0]] = (uint32_t)k + 1;
    }
}

/* Whether a row says all of this: a state and coordinates. */
static bool is_covered(const cover *c, const uint32_t *x, uint64_t *work) {
    size_t stride = c->t->width + 1;
    if (table_find(&c->index, x, stride * sizeof *x)) return true;
    for (uint32_t open = c->last[x[0]]; open; open = c->earlier[open - 1]) {
        const uint32_t *row = c->t->rows + (open - 1) * stride;
        size_t same = 0;
        while (same < stride && (row[same] == ANYTHING || row[same] == x[same])) same++;
        *work += same;
        if (same == stride) return true;
    }
    return false;
}

/* Letters that neither the language nor the formula tells apart: one of each. */
static uint32_t *letters_to_try(size_t *count, const language_table *t) {
    size_t letters = t->spec->letters.count, set_count = 0, capacity = 0;
    node_id *sets = NULL;
    for (size_t k = 0; k < t->node_count; k++)
        if (node_at(t, t->nodes[k])->op == OP_LETTERS) array_push(t->arena, sets, set_count, capacity, t->nodes[k]);
    if (set_count * letters > LANGUAGE_LETTERS) refuse(t, "too many sets of letters");
    uint32_t *found = arena_alloc(t->arena, letters, sizeof *found);
    table index;
    table_init(&index, t->arena);
    *count = 0;
    for (uint32_t l = 0; l < letters; l++) {
        size_t size = set_count + sizeof *t->language->class_of;
        unsigned char *key = arena_alloc(t->arena, size, sizeof *key);
        bool fresh;
        memcpy(key + set_count, &t->language->class_of[l], sizeof *t->language->class_of);
        for (size_t k = 0; k < set_count; k++) key[k] = formula_has_letter(&t->spec->graph, sets[k], l);
        table_put(&index, key, size, l, &fresh);
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
    uint64_t most = work_limit(LANGUAGE_WORK);
    cover c;
    if (t->row_count && letter_count && each > most / t->row_count / letter_count)
        trap_raise_remedy(t->arena->trap, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_EFFORT,
                          "the table of a language takes more steps than are audited");
    language_stepping s;
    language_stepping_begin(&s, t);
    uint32_t *after = arena_zalloc(t->arena, stride, sizeof *after);
    s.after = after + 1;
    cover_begin(&c, t);
    for (size_t k = 0; k < t->width; k++) after[k + 1] = t->coordinates[k].start;
    if (!is_covered(&c, after, &work)) refuse(t, "its table does not have the beginning of all strings");
    work_count("following the table of the language", t->row_count);
    for (size_t k = 0; k < t->row_count; work_at(++k)) {
        const uint32_t *row = t->rows + k * stride;
        for (size_t l = 0; l < letter_count; l++) {
            unsigned truth = language_step(&s, row + 1, letters[l]);
            after[0] = x->next[(size_t)row[0] * x->classes + x->class_of[letters[l]]];
            if (truth != x->accepts[after[0]])
                refuse(t, "after row %zu of its table and the letter %s it is %s, but the language is not", k + 1,
                       shown_letter(t, letters[l]),
                       truth == LANGUAGE_OPEN ? "open"
                       : truth                ? "true"
                                              : "false");
            if (!is_covered(&c, after, &work))
                refuse(t, "the letter %s leads from row %zu of its table to no row", shown_letter(t, letters[l]),
                       k + 1);
            if (work > most)
                trap_raise_remedy(t->arena->trap, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_EFFORT,
                                  "the table of a language takes more steps than are audited");
        }
    }
}
