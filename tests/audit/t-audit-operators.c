/* Tables of the auditor for formulas that look one way, with every operator. The automaton of a random formula has
   the formula's value on all short strings, and is the library's in every field. The prover's table of it passes;
   damaged tables are judged by a plain second checker, which must agree. A row that leaves coordinates open says
   what all its completions say. No table passes for another formula than its own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit_language.h"
#include "base/entry.h"
#include "decide/formula_dfa.h"
#include "decide/language_table.h"
#include "random_formula.h"
#include "reference.h"

enum { LETTERS = 3, LONGEST = 4, MOST_ROWS = 400, MOST_WIDTH = 16 };

typedef struct subject {
    arena *arena;
    temper_spec spec; /* in the arena */
    bool forward;
    const automaton *language; /* from the left if the formula looks back, else from the right */
    const char **rows;
    size_t row_count;
    language_table table;
    temper_error error;
} subject;

static bool attempt(subject *x, void (*body)(void *)) {
    trap inside, *outside = x->arena->trap;
    x->arena->trap = &inside;
    bool done = trap_attempt(&inside, &x->error, body, x);
    x->arena->trap = outside;
    return done;
}

static void begin(subject *x, arena *a, bool forward) {
    *x = (subject){.arena = a, .forward = forward};
    alphabet_init(&x->spec.letters, a, false);
    for (int k = 0; k < LETTERS; k++) alphabet_add(&x->spec.letters, &"abc"[k], 1);
    formula_init(&x->spec.graph, a);
    x->spec.at = forward ? TEMPER_AT_FIRST : TEMPER_AT_LAST;
    x->spec.kind = TEMPER_KIND_ACCEPTOR;
}

static node_id letter(subject *x, uint32_t l) { return formula_letters(&x->spec.graph, &l, 1, false); }

static node_id count_of(subject *x, node_id what) {
    return formula_unary(&x->spec.graph, x->forward ? OP_COUNT_FUTURE : OP_COUNT_PAST, what);
}

/* ---- formulas ---- */

static const formula_op UNARY[2][5] = {
    {OP_YESTERDAY, OP_WEAK_YESTERDAY, OP_ONCE, OP_HISTORICALLY, OP_NOT},
    {OP_NEXT, OP_WEAK_NEXT, OP_EVENTUALLY, OP_ALWAYS, OP_NOT},
};
static const formula_op BINARY[2][7] = {
    {OP_SINCE, OP_TRIGGERED, OP_SINCE, OP_TRIGGERED, OP_XOR, OP_IFF, OP_IMPLIES},
    {OP_UNTIL, OP_RELEASE, OP_WEAK_UNTIL, OP_STRONG_RELEASE, OP_XOR, OP_IFF, OP_IMPLIES},
};

static node_id random_sum(subject *x, test_random *r, const node_id *kids, size_t count) {
    linear_sum sum;
    bool rest = random_below(r, 2), negative = random_below(r, 2);
    sum_init(&sum, x->arena, (int64_t)random_below(r, 9) - 4);
    for (size_t k = 0; k < count; k++) {
        int64_t w = (int64_t)random_below(r, 4) + 1;
        if (rest ? random_below(r, 2) : negative) w = -w;
        sum_add_count(&sum, count_of(x, kids[k]), w);
    }
    compare_op op = (compare_op)random_below(r, 6);
    if (rest)
        return formula_modulo(&x->spec.graph, &sum, 1 + (int64_t)random_below(r, 5), op,
                              (int64_t)random_below(r, 6) - 1);
    return formula_compare(&x->spec.graph, &sum, op);
}

static node_id random_node(subject *x, test_random *r, unsigned size) {
    formula *f = &x->spec.graph;
    if (size == 0) {
        uint32_t two[2] = {0, 1 + (uint32_t)random_below(r, 2)};
        switch (random_below(r, 8)) {
        case 0: return formula_atom(f, OP_TRUE);
        case 1: return formula_atom(f, OP_FALSE);
        case 2: return formula_atom(f, x->forward ? OP_LAST : OP_FIRST);
        case 3: return formula_letters(f, two, 2, false);
        default: return letter(x, (uint32_t)random_below(r, LETTERS));
        }
    }
    unsigned left = (unsigned)random_below(r, size);
    node_id kids[3] = {random_node(x, r, left), random_node(x, r, size - 1 - left), letter(x, 2)};
    switch (random_below(r, 5)) {
    case 0:
    case 1: return formula_unary(f, UNARY[x->forward][random_below(r, 5)], kids[random_below(r, 2)]);
    case 2: return formula_nary(f, random_below(r, 2) ? OP_AND : OP_OR, kids, 2 + random_below(r, 2));
    case 3: return random_sum(x, r, kids, 1 + random_below(r, 2));
    default: return formula_binary(f, BINARY[x->forward][random_below(r, 7)], kids[0], kids[1]);
    }
}

/* ---- automata ---- */

static bool accepts(const automaton *x, const uint32_t *word, size_t n) {
    uint32_t at = 0;
    for (size_t k = 0; k < n; k++) at = x->next[(size_t)at * x->classes + x->class_of[word[k]]];
    return x->accepts[at];
}

static const dfa *as_dfa(const automaton *x, arena *a) {
    dfa *out = dfa_new(a, x->states, x->classes, LETTERS);
    memcpy(out->next, x->next, (size_t)x->states * x->classes * sizeof *out->next);
    memcpy(out->accepts, x->accepts, x->states);
    memcpy(out->class_of, x->class_of, LETTERS * sizeof *out->class_of);
    return out;
}

static bool same(const automaton *x, const dfa *y) {
    return x->states == y->state_count && x->classes == y->class_count && !y->start &&
           memcmp(x->accepts, y->accepts, x->states) == 0 &&
           memcmp(x->class_of, y->class_of, y->letter_count * sizeof *x->class_of) == 0 &&
           memcmp(x->next, y->next, (size_t)x->states * x->classes * sizeof *x->next) == 0;
}

static void make_language(void *context) {
    subject *x = context;
    const automaton *whole = language_automaton(&x->spec, x->forward, x->spec.accepts_empty, NULL, x->arena);
    CHECK(same(whole, spec_dfa(x->arena, &x->spec, NULL)), "another automaton than the library's");
    CHECK(whole->accepts[0] == x->spec.accepts_empty, "the empty word");
    for (size_t n = 1, strings = LETTERS; n <= LONGEST; n++, strings *= LETTERS)
        for (size_t s = 0; s < strings; s++) {
            uint32_t word[LONGEST];
            unsigned char truth[LONGEST];
            for (size_t k = 0, rest = s; k < n; k++, rest /= LETTERS) word[k] = (uint32_t)(rest % LETTERS);
            reference_eval(truth, &x->spec.graph, x->spec.root, word, n);
            CHECK(accepts(whole, word, n) == truth[x->forward ? 0 : n - 1], "string %zu of %zu letters", s, n);
        }
    x->language = x->forward ? automaton_reversed(x->arena, whole, LETTERS) : whole;
    language_rows rows = language_table_of(&x->spec.graph, x->spec.root, as_dfa(x->language, x->arena), x->forward,
                                           &LANGUAGE_TABLE_LIMITS, x->arena);
    if (!CHECK(!rows.why_not, "%s", rows.why_not)) rows.count = 0;
    x->rows = rows.rows;
    x->row_count = rows.count;
}

/* ---- tables ---- */

static void read_table(void *context) {
    subject *x = context;
    language_begin(&x->table, &x->spec, x->language, x->forward, x->arena);
    language_read_rows(&x->table, x->rows, x->row_count);
}

static void judge(void *context) {
    subject *x = context;
    language_check(&x->table);
}

static const char *row_text(arena *a, const uint32_t *row, size_t width) {
    text t;
    text_init(&t, a);
    text_printf(&t, "%u:", row[0]);
    for (size_t k = 1; k <= width; k++)
        if (row[k] == ANYTHING)
            text_puts(&t, "-");
        else if (row[k] <= 9)
            text_printf(&t, "%u", row[k]);
        else if (row[k] <= 35)
            text_printf(&t, "%c", 'a' + (int)row[k] - 10);
        else
            text_printf(&t, "(%u)", row[k]);
    return text_string(&t);
}

/* The rows of a table that can be read, by their definition: ascending, and no number too large. */
static bool is_written_well(const subject *x, uint32_t rows[][1 + MOST_WIDTH], size_t count) {
    const language_table *t = &x->table;
    for (size_t k = 0; k < count; k++) {
        size_t j = 0;
        if (rows[k][0] >= x->language->states) return false;
        for (size_t c = 0; c < t->width; c++)
            if (rows[k][c + 1] != ANYTHING && rows[k][c + 1] > t->coordinates[c].most) return false;
        while (k && j <= t->width && rows[k][j] == rows[k - 1][j]) j++;
        if (k && (j > t->width || rows[k][j] < rows[k - 1][j])) return false;
    }
    return true;
}

static bool is_covered(const language_table *t, uint32_t rows[][1 + MOST_WIDTH], size_t count, const uint32_t *x) {
    for (size_t k = 0; k < count; k++) {
        bool covers = rows[k][0] == x[0];
        for (size_t c = 1; c <= t->width; c++) covers = covers && (rows[k][c] == ANYTHING || rows[k][c] == x[c]);
        if (covers) return true;
    }
    return false;
}

/* What language_check must say, all letters and all rows one by one. */
static bool is_right(const subject *x, uint32_t rows[][1 + MOST_WIDTH], size_t count) {
    const language_table *t = &x->table;
    language_stepping s;
    uint32_t after[1 + MOST_WIDTH] = {0};
    language_stepping_begin(&s, t);
    s.after = after + 1;
    for (size_t c = 0; c < t->width; c++) after[c + 1] = t->coordinates[c].start;
    if (!is_covered(t, rows, count, after)) return false;
    for (size_t k = 0; k < count; k++)
        for (uint32_t l = 0; l < LETTERS; l++) {
            unsigned truth = language_step(&s, rows[k] + 1, l);
            after[0] = x->language->next[(size_t)rows[k][0] * x->language->classes + x->language->class_of[l]];
            if (truth != x->language->accepts[after[0]] || !is_covered(t, rows, count, after)) return false;
        }
    return true;
}

static int by_numbers(const void *left, const void *right) {
    const uint32_t *x = left, *y = right;
    for (size_t k = 0; k <= MOST_WIDTH; k++)
        if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
    return 0;
}

static struct { unsigned right, wrong, unread, open; } met;

/* A table of the language `x->language` for the formula, right or not. */
static bool check_verdict(subject *x, uint32_t rows[][1 + MOST_WIDTH], size_t count, const char *what) {
    subject y = *x;
    bool well = is_written_well(x, rows, count), right = well && is_right(x, rows, count);
    y.rows = arena_alloc(x->arena, count, sizeof *y.rows);
    y.row_count = count;
    for (size_t k = 0; k < count; k++) y.rows[k] = row_text(x->arena, rows[k], x->table.width);
    bool read = attempt(&y, read_table), passes = read && attempt(&y, judge);
    CHECK(read == well && passes == right, "%s: %zu rows: %s, but they are %s: %s", what, count,
          passes ? "accepted"
          : read ? "refused"
                 : "not read",
          right ? "right" : "not", y.error.text);
    met.right += right;
    met.wrong += well && !right;
    met.unread += !well;
    return passes;
}

static void damage(subject *x, test_random *r, uint32_t rows[][1 + MOST_WIDTH], size_t *count) {
    size_t width = x->table.width, k = random_below(r, *count), c = width ? random_below(r, width) : 0;
    bool sorts = true;
    switch (random_below(r, width ? 9 : 4)) {
    case 0: memmove(rows[k], rows[k + 1], (--*count - k) * sizeof *rows); break;
    case 1: memcpy(rows[(*count)++], rows[k], sizeof *rows); break;
    case 2:
        memcpy(rows[*count], rows[k], sizeof *rows);
        rows[(*count)++][0] = (uint32_t)random_below(r, (uint64_t)x->language->states + 1);
        break;
    case 3: rows[k][0] = (uint32_t)random_below(r, (uint64_t)x->language->states + 1), sorts = false; break;
    case 4: rows[k][c + 1] = ANYTHING; break;
    case 5: rows[k][c + 1] = x->table.coordinates[c].most + (uint32_t)random_below(r, 2); break;
    case 6: rows[k][c + 1] = x->table.coordinates[c].start; break;
    case 7: /* one more, of which one thing is open */
        memcpy(rows[*count], rows[k], sizeof *rows);
        rows[(*count)++][c + 1] = ANYTHING;
        break;
    default: rows[k][c + 1] = (uint32_t)random_below(r, 3), sorts = random_below(r, 2); break;
    }
    if (sorts) qsort(rows, *count, sizeof *rows, by_numbers);
}

/* What a step says of an open row is so for all its completions; `exactly`: and no completions agree where it says
   nothing. */
static void check_open(const subject *x, test_random *r, bool exactly) {
    const language_table *t = &x->table;
    language_stepping s;
    uint32_t row[MOST_WIDTH] = {0}, open[MOST_WIDTH + 1], filled[MOST_WIDTH], after[MOST_WIDTH + 1];
    size_t left[MOST_WIDTH], count = 0;
    language_stepping_begin(&s, t);
    for (size_t c = 0; c < t->width; c++) {
        row[c] = (uint32_t)random_below(r, (uint64_t)t->coordinates[c].most + 1);
        if (count < 6 && t->coordinates[c].most <= 1 && random_below(r, 2)) row[c] = ANYTHING, left[count++] = c;
    }
    for (uint32_t l = 0; l < LETTERS; l++) {
        bool seen[MOST_WIDTH + 1][2] = {{false}};
        s.after = open;
        unsigned truth = language_step(&s, row, l);
        memcpy(filled, row, sizeof filled);
        s.after = after;
        for (size_t way = 0; way < (size_t)1 << count; way++) {
            for (size_t k = 0; k < count; k++) filled[left[k]] = way >> k & 1;
            unsigned now = language_step(&s, filled, l);
            if (!CHECK(now < 2 && (truth == LANGUAGE_OPEN || truth == now), "%u where a completion is %u", truth,
                       now))
                return;
            seen[MOST_WIDTH][now] = true;
            for (size_t c = 0; c < t->width; c++) {
                if (!CHECK(open[c] == ANYTHING || open[c] == after[c], "coordinate %zu", c)) return;
                if (t->coordinates[c].most <= 1) seen[c][after[c]] = true;
            }
        }
        met.open += truth == LANGUAGE_OPEN;
        if (!exactly) continue;
        bool both = seen[MOST_WIDTH][0] && seen[MOST_WIDTH][1];
        CHECK((truth == LANGUAGE_OPEN) == both, "%u, letter %u", truth, l);
        for (size_t c = 0; c < t->width; c++)
            CHECK(t->coordinates[c].most > 1 || (open[c] == ANYTHING) == (seen[c][0] && seen[c][1]),
                  "coordinate %zu after letter %u", c, l);
    }
}

static bool load(subject *x, uint32_t rows[][1 + MOST_WIDTH]) {
    memset(rows, 0, MOST_ROWS * sizeof *rows);
    if (!CHECK(attempt(x, read_table), "the prover's rows: %s", x->error.text)) return false;
    size_t stride = x->table.width + 1;
    if (x->table.width > MOST_WIDTH || x->row_count > MOST_ROWS / 2) return false;
    for (size_t k = 0; k < x->row_count; k++) {
        text t;
        text_init(&t, x->arena);
        language_write_row(&t, &x->table, k);
        memcpy(rows[k], x->table.rows + k * stride, stride * sizeof *rows[k]);
        CHECK(strcmp(text_string(&t), x->rows[k]) == 0 &&
                  strcmp(x->rows[k], row_text(x->arena, rows[k], x->table.width)) == 0,
              "row %s is written %s", x->rows[k], text_string(&t));
    }
    return true;
}

static void check_subject(subject *x, test_random *r, bool exactly, unsigned damages) {
    static uint32_t rows[MOST_ROWS][1 + MOST_WIDTH], kept[MOST_ROWS][1 + MOST_WIDTH];
    if (!CHECK(attempt(x, make_language), "%s", x->error.text)) return;
    if (!x->row_count || !load(x, rows)) return;
    CHECK(check_verdict(x, rows, x->row_count, "the prover's"), "the prover's table is refused");
    for (size_t c = 0; c < x->table.width; c++) { /* what a coordinate may be, and no more */
        memcpy(kept, rows, sizeof kept);
        kept[x->row_count - 1][c + 1] = x->table.coordinates[c].most + 1;
        check_verdict(x, kept, x->row_count, "a large number");
        kept[x->row_count - 1][c + 1] = x->table.coordinates[c].most;
        check_verdict(x, kept, x->row_count, "the largest number");
    }
    for (unsigned k = 0; k < damages; k++) {
        size_t count = x->row_count;
        memcpy(kept, rows, sizeof kept);
        for (uint64_t more = random_below(r, 3) + 1; more && count && count < MOST_ROWS - 1; more--)
            damage(x, r, kept, &count);
        check_verdict(x, kept, count, "damaged");
    }
    for (unsigned k = 0; k < 6; k++) check_open(x, r, exactly);
}

/* The formula of one for the language of the other, with the other's table and with damaged ones. */
static void check_other(subject *x, subject *y, test_random *r) {
    static uint32_t rows[MOST_ROWS][1 + MOST_WIDTH], kept[MOST_ROWS][1 + MOST_WIDTH];
    if (!attempt(y, make_language) || !attempt(x, make_language) || !x->row_count) return;
    if (!load(x, rows)) return;
    size_t states = x->language->states;
    bool equal = y->language->states == states && y->language->classes == x->language->classes &&
                 memcmp(y->language->accepts + 1, x->language->accepts + 1, states - 1) == 0 &&
                 memcmp(y->language->class_of, x->language->class_of, LETTERS * sizeof(uint32_t)) == 0 &&
                 memcmp(y->language->next, x->language->next, states * x->language->classes * sizeof(uint32_t)) == 0;
    if (equal) return;
    x->language = y->language; /* not its own */
    for (unsigned k = 0; k < 10; k++) {
        size_t count = x->row_count;
        memcpy(kept, rows, sizeof kept);
        for (uint64_t more = random_below(r, 4); more && count && count < MOST_ROWS - 1; more--)
            damage(x, r, kept, &count);
        CHECK(!check_verdict(x, kept, count, "another language"), "a false table is accepted");
    }
}

static void check_random(test_random *r, arena *a) {
    subject x, y;
    bool forward = random_below(r, 2);
    begin(&x, a, forward);
    x.spec.accepts_empty = random_below(r, 2);
    x.spec.root = random_node(&x, r, 1 + (unsigned)random_below(r, 5));
    check_subject(&x, r, false, 12);
    begin(&y, a, forward);
    y.spec.accepts_empty = x.spec.accepts_empty;
    y.spec.root = random_node(&y, r, 1 + (unsigned)random_below(r, 3));
    check_other(&x, &y, r);
}

/* Every operator on what was one position before, where each question is asked once. */
static void check_each(test_random *r, arena *a) {
    for (int forward = 0; forward < 2; forward++) {
        for (int k = 0; k < 14; k++) {
            subject x;
            begin(&x, a, forward);
            formula *f = &x.spec.graph;
            formula_op before = forward ? OP_NEXT : OP_YESTERDAY;
            node_id kids[2] = {formula_unary(f, before, letter(&x, 0)), formula_unary(f, before, letter(&x, 1))};
            x.spec.root = k < 5    ? formula_unary(f, UNARY[forward][k], kids[0])
                          : k < 12 ? formula_binary(f, BINARY[forward][k - 5], kids[0], kids[1])
                                   : formula_nary(f, k == 12 ? OP_AND : OP_OR, kids, 2);
            for (int again = 0; again < 3; again++) check_subject(&x, r, true, 4);
            arena_reset(a);
        }
        subject x;
        begin(&x, a, forward);
        x.spec.root = formula_atom(&x.spec.graph, forward ? OP_LAST : OP_FIRST);
        check_subject(&x, r, true, 4);
        arena_reset(a);
    }
}

/* ---- what no table holds, and limits ---- */

static void list_coordinates(void *context) {
    subject *x = context;
    language_begin(&x->table, &x->spec, x->language, x->forward, x->arena);
}

static node_id test_of(subject *x, linear_sum *sum, int64_t modulus) {
    return modulus ? formula_modulo(&x->spec.graph, sum, modulus, CMP_EQ, 1)
                   : formula_compare(&x->spec.graph, sum, CMP_GE);
}

static void expect(subject *x, node_id root, const char *words) {
    x->spec.root = root;
    bool fine = attempt(x, list_coordinates);
    CHECK(fine == !words && (fine || strstr(x->error.text, words)), "%s, not %s", fine ? "accepted" : x->error.text,
          words ? words : "accepted");
}

static void check_refusals(arena *a) {
    subject x;
    linear_sum sum;
    for (int forward = 0; forward < 2; forward++) {
        begin(&x, a, forward);
        formula *f = &x.spec.graph;
        const char *words = forward ? "it looks back" : "it looks forward";
        for (int k = 0; k < 4; k++) expect(&x, formula_unary(f, UNARY[!forward][k], letter(&x, 0)), words);
        for (int k = 0; k < 4; k++)
            expect(&x, formula_binary(f, BINARY[!forward][k], letter(&x, 0), letter(&x, 1)), words);
        expect(&x, formula_atom(f, forward ? OP_FIRST : OP_LAST), words);
        expect(&x, formula_attend(f, TEMPER_CHOICE_RIGHTMOST, TEMPER_MASK_UP_TO, letter(&x, 0), letter(&x, 1)),
               "attention, which no table can hold");
        /* one count of two looks the other way */
        for (int other = 0; other < 2; other++)
            for (int modulus = 0; modulus < 4; modulus += 3) {
                sum_init(&sum, a, -1);
                for (int k = 0; k < 2; k++)
                    sum_add_count(&sum,
                                  formula_unary(f, (k == other) != forward ? OP_COUNT_FUTURE : OP_COUNT_PAST,
                                                letter(&x, (uint32_t)k)),
                                  1);
                expect(&x, test_of(&x, &sum, modulus), "looks the other way");
            }
        /* a weight of the other sign, wherever it stands */
        for (int other = 0; other < 6; other++) {
            sum_init(&sum, a, -1);
            for (int k = 0; k < 3; k++)
                sum_add_count(&sum, count_of(&x, letter(&x, (uint32_t)k)), (k == other % 3) != (other < 3) ? 1 : -1);
            expect(&x, test_of(&x, &sum, 0), "infinitely many sums");
            expect(&x, test_of(&x, &sum, 3), NULL);
        }
        /* the largest numbers */
        for (int64_t more = -2; more <= 2; more++)
            for (int sign = -1; sign <= 1; sign += 2) {
                sum_init(&sum, a, sign * (65536 + more));
                sum_add_count(&sum, count_of(&x, letter(&x, 0)), -sign);
                expect(&x, test_of(&x, &sum, 0), more < 0 ? NULL : "more than 65535");
                if (more < 0)
                    CHECK(x.table.coordinates[x.table.width - 1].most == 65537 + more, "%u",
                          x.table.coordinates[x.table.width - 1].most);
                expect(&x, test_of(&x, &sum, 65536 + more), more <= 0 ? NULL : "more than 65536");
                if (more <= 0)
                    CHECK(x.table.coordinates[x.table.width - 1].most == 65535 + more, "%u",
                          x.table.coordinates[x.table.width - 1].most);
            }
        arena_reset(a);
    }
}

/* Letters that the language does not tell apart, and the formula does: both ways round, wherever the set stands. */
static void check_letters(arena *a) {
    for (uint32_t without = 0; without < LETTERS; without++)
        for (int more = 0; more < 2; more++) {
            subject x;
            begin(&x, a, false);
            formula *f = &x.spec.graph;
            node_id first = more ? formula_unary(f, OP_NOT, letter(&x, without)) : 0;
            node_id others = formula_letters(f, &without, 1, true);
            x.spec.root = formula_atom(f, OP_TRUE);
            if (!CHECK(attempt(&x, make_language) && x.row_count == 2, "%zu rows", x.row_count)) return;
            x.spec.root = more ? formula_nary(f, OP_OR, (node_id[]){first, others}, 2) : others;
            CHECK(attempt(&x, read_table) && !attempt(&x, judge), "all letters but %u are all letters", without);
            arena_reset(a);
        }
}

/* Remainders of two digits, and of more than a digit says. */
static void check_large(test_random *r, arena *a) {
    static const int64_t moduli[] = {9, 10, 11, 35, 36, 37, 40};
    for (size_t k = 0; k < sizeof moduli / sizeof *moduli; k++) {
        subject x;
        linear_sum sum;
        begin(&x, a, false);
        sum_init(&sum, a, 0);
        sum_add_count(&sum, count_of(&x, letter(&x, 0)), 1);
        x.spec.root = formula_modulo(&x.spec.graph, &sum, moduli[k], CMP_EQ, moduli[k] - 1);
        check_subject(&x, r, false, 4);
        CHECK(x.row_count == (size_t)moduli[k], "%zu rows", x.row_count);
        arena_reset(a);
    }
}

/* Regular languages inside a formula. */
static void check_named(arena *a) {
    static const char *const texts[] = {"/(ab)*/ S c", "Y /a(b|c)*/ & O b", "/[ab]+c/",
                                        "H (/a*b?/ -> !c) | #[b] % 2 = 1", "!/(a|bc)*/ & !/.{3}/"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        temper_spec *spec = NULL;
        temper_error e;
        temper_spec_options o = {.alphabet = "abc", .at = TEMPER_AT_LAST};
        if (!CHECK(temper_spec_parse(&spec, texts[k], strlen(texts[k]), &o, &e) == TEMPER_OK, "%s", e.text)) continue;
        const automaton *of[4];
        for (size_t j = 0; j < spec->graph.language_count; j++) {
            const formula_language *l = &spec->graph.languages[j];
            of[j] = automaton_from_regex(a, audit_regex_read(a, l->source, l->source_length, &spec->letters), false);
        }
        const automaton *x = language_automaton(spec, false, spec->accepts_empty, of, a);
        spec->memory.trap = a->trap;
        CHECK(same(x, spec_dfa(a, spec, NULL)), "%s", texts[k]);
        spec->memory.trap = NULL;
        subject y = {.arena = a, .spec = *spec, .language = x};
        CHECK(!attempt(&y, list_coordinates) && strstr(y.error.text, "names a regular language"), "%s", texts[k]);
        temper_spec_free(spec);
        arena_reset(a);
    }
}

int main(void) {
    test_random r = test_seed(823);
    arena a;
    trap t;
    temper_error e;
    arena_init(&a, &t);
    if (trap_set(&t, &e)) {
        fprintf(stderr, "t-audit-operators: %s\n", e.text);
        abort();
    }
    check_refusals(&a);
    check_letters(&a);
    check_each(&r, &a);
    check_large(&r, &a);
    check_named(&a);
    unsigned trials = 60 + (unsigned)(400 * test_effort());
    for (unsigned k = 0; k < trials; k++) {
        check_random(&r, &a);
        arena_reset(&a);
    }
    CHECK(met.right > trials && met.wrong > trials && met.unread > trials && met.open > trials,
          "%u right, %u wrong, %u not read, %u open", met.right, met.wrong, met.unread, met.open);
    arena_free(&a);
    trap_clear(&t);
    return test_finish("t-audit-operators");
}
