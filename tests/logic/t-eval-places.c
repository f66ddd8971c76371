/* Places and patterns: where a computed position can lie, by the page and by all short strings; attention to equal
   patterns against its definition; and the limits of patterns and outputs, just met and just exceeded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corpus.h"
#include "logic/formula_eval.h"
#include "logic/place.h"
#include "logic/match.h"
#include "reference.h"
#include "in_arena.h"
#include "test.h"

/* ---- places ---- */

/* The sum of an AT node at each position, from its definition. */
static void sums_of(__int128 *out, const formula *f, node_id id, const uint32_t *word, size_t n) {
    const formula_node *at = formula_at(f, id);
    for (size_t i = 0; i < n; i++) out[i] = at->constant;
    for (size_t k = 1; k < at->kid_count; k++) {
        unsigned char truth[8];
        node_id count = formula_kid(f, id, k);
        bool future = formula_at(f, count)->op == OP_COUNT_FUTURE;
        reference_eval(truth, f, formula_kid(f, count, 0), word, n);
        for (size_t i = 0; i < n; i++)
            for (size_t j = future ? i : 0; j < (future ? n : i + 1); j++)
                out[i] += truth[j] ? formula_weight(f, id, k) : 0;
    }
}

#define MAX "9223372036854775807"

/* e = (counts of one direction) + each * (positions in that direction) + ends * (n + 1) + constant */
static const struct {
    const char *text;
    bool fits, both, future, counts;
    int64_t each, ends, constant;
    bool before, after;
} places[] = {
    {"a @ #[true]", true, false, false, false, 1, 0, 0, true, true},
    {"a @ #[true] - 1", true, false, false, false, 1, 0, -1, true, false},
    {"a @ #[true] + 1", true, false, false, false, 1, 0, 1, false, true},
    {"a @ #[false] + #[true]", true, false, false, false, 1, 0, 0, true, true},
    {"a @ #>[true]", true, false, false, false, -1, 1, 0, false, false},
    {"a @ 2", true, false, false, false, 0, 0, 2, false, false},
    {"a @ #[true] + #>[true]", true, false, false, false, 0, 1, 0, false, true},
    {"a @ #[true] + #>[true] - 1", true, false, false, false, 0, 1, -1, false, false},
    {"a @ #[true] + 2*#>[true]", true, false, false, false, -1, 2, 0, false, true},
    {"a @ #[true] - #>[true]", true, false, false, false, 2, -1, 0, false, false},
    {"a @ 2*#[true] - #>[true]", true, false, false, false, 3, -1, 0, false, false},
    {"a @ 2*#[true]", true, false, false, false, 2, 0, 0, false, false},
    {"b @ #[a]", true, false, false, true, 0, 0, 0, true, false},
    {"a @ #[b]", true, false, false, true, 0, 0, 0, true, false},
    {"a @ #[b] + 1", true, false, false, true, 0, 0, 1, false, false},
    {"a @ #[b] - 1", true, false, false, true, 0, 0, -1, true, false},
    {"a @ 2*#[a]", true, false, false, true, 0, 0, 0, false, false},
    {"a @ 2*#[b]", true, false, false, true, 0, 0, 0, false, false},
    {"a @ #[a] + #[b]", true, false, false, true, 0, 0, 0, true, false},
    {"a @ #[a] + 2*#[b]", true, false, false, true, 0, 0, 0, false, false},
    {"a @ 2*#[a] + #[b]", true, false, false, true, 0, 0, 0, false, false},
    {"a @ #[[^a]] + #[a]", true, false, false, true, 0, 0, 0, true, false},
    {"a @ #[[^a]] + #[b]", true, false, false, true, 0, 0, 0, false, false},
    {"a @ #[Y a]", true, false, false, true, 0, 0, 0, true, false},
    {"a @ 2*#[Y a]", true, false, false, true, 0, 0, 0, false, false},
    {"a @ #[Y a] + #[Y b]", true, false, false, true, 0, 0, 0, false, false},
    {"a @ #[Y a] - #[Y b]", true, false, false, true, 0, 0, 0, true, false},
    {"a @ #[Y a] + #[b]", true, false, false, true, 0, 0, 0, false, false},
    {"a @ #[true] - #[b]", true, false, false, true, 1, 0, 0, true, false},
    {"a @ #[true] - #[a] - #[b]", true, false, false, true, 1, 0, 0, true, false},
    {"a @ #[true] + #[b]", true, false, false, true, 1, 0, 0, false, false},
    {"a @ #[true] + #[b] - #[Y a]", true, false, false, true, 1, 0, 0, false, false},
    {"a @ #[b] + #[true] + #>[true] - 5", true, false, false, true, 0, 1, -5, false, false},
    {"a @ #>[b]", true, false, true, true, 0, 0, 0, false, false},
    {"a @ #[true] + #>[true] - #>[b]", true, false, true, true, 0, 1, 0, false, true},
    {"a @ #[true] + #>[true] - #>[a]", true, false, true, true, 0, 1, 0, false, true},
    {"a @ #[true] + #>[true] - 2*#>[b]", true, false, true, true, 0, 1, 0, false, false},
    {"a @ #[true] + #>[true] - #>[a] - #>[b]", true, false, true, true, 0, 1, 0, false, true},
    {"a @ #[true] + #>[true] - #>[b] - 1", true, false, true, true, 0, 1, -1, false, false},
    {"a @ #[true] + #>[true] - #>[b] + 1", true, false, true, true, 0, 1, 1, false, true},
    {"a @ #[true] + #>[true] - #>[X a]", true, false, true, true, 0, 1, 0, false, true},
    {"a @ #[true] + #>[true] - #>[X a] - #>[X b]", true, false, true, true, 0, 1, 0, false, false},
    {"a @ #[true] + #>[true] - #>[X a] + #>[X b]", true, false, true, true, 0, 1, 0, false, true},
    {"a @ #[true] + #>[b]", true, false, true, true, -1, 1, 0, false, true},
    {"a @ #[true] + #>[[ab]]", true, false, true, true, -1, 1, 0, false, true},
    {"a @ #[true] - #>[b]", true, false, true, true, -1, 1, 0, false, false},
    {"a @ #>[true] - #>[b]", true, false, true, true, 1, 0, 0, false, false},
    {"a @ 2*#[true] + 2*#>[true] - #>[b]", true, false, true, true, 0, 2, 0, false, false},
    {"a @ #[a] + #>[b]", true, true, false, true, 0, 0, 0, false, false},
    {"a @ " MAX "*#[true]", true, false, false, false, INT64_MAX, 0, 0, false, false},
    {"a @ -" MAX "*#[true]", true, false, false, false, -INT64_MAX, 0, 0, true, false},
    {"a @ " MAX "*#[true] - #>[true]", false, false, false, false, 0, 0, 0, false, false},
    {"a @ -" MAX "*#[true] + #>[true]", false, false, false, false, 0, 0, 0, false, false},
    {"a @ " MAX "*#[true] - " MAX "*#>[true]", false, false, false, false, 0, 0, 0, false, false},
    {"a @ #[true] + " MAX "*#>[true]", true, false, false, false, 1 - INT64_MAX, INT64_MAX, 0, false, true},
    {"a @ #[true] - " MAX "*#>[true]", false, false, false, false, 0, 0, 0, false, false},
    {"a @ " MAX "*#[b]", true, false, false, true, 0, 0, 0, false, false},
};

static void test_places(void) {
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        temper_spec *s = NULL;
        temper_error e;
        temper_spec_options o = {.alphabet = "abc", .at = TEMPER_AT_LAST};
        const char *written = places[k].text;
        if (!CHECK(temper_spec_parse(&s, written, strlen(written), &o, &e) == TEMPER_OK, "%s: %s", written, e.text))
            continue;
        place_sum p = place_of_sum(&s->graph, s->root);
        CHECK(p.fits == places[k].fits && p.both == places[k].both && p.future == places[k].future &&
                  p.counts == places[k].counts,
              "%s: fits %d, both %d, future %d, counts %d", written, p.fits, p.both, p.future, p.counts);
        CHECK(p.each == places[k].each && p.ends == places[k].ends && p.constant == places[k].constant,
              "%s: %lld %lld %lld", written, (long long)p.each, (long long)p.ends, (long long)p.constant);
        CHECK(p.before == places[k].before && p.after == places[k].after, "%s: before %d, after %d", written,
              p.before, p.after);
        CHECK(place_direction(&s->graph, s->root) == (p.before ? 'b' : p.after ? 'f' : '2'), "%s: where", written);
        for (size_t n = 1; n <= 5; n++) {
            uint32_t word[5] = {0};
            do {
                __int128 e_at[5];
                sums_of(e_at, &s->graph, s->root, word, n);
                for (size_t i = 0; i < n; i++) {
                    __int128 here = (__int128)i + 1;
                    CHECK(!(p.before && e_at[i] > here) && !(p.after && e_at[i] < here), "%s at %zu", written, i + 1);
                }
            } while (corpus_next_word(word, n, 3));
        }
        temper_spec_free(s);
    }
}

/* Sets that no text over a few letters has: only letters beyond the first 64 are in one of them. */
static void places_of_many_letters(arena *a) {
    for (int negated = 0; negated < 2; negated++)
        for (uint32_t which = 62; which <= 66; which++)
            for (int64_t weight = 1; weight <= 2; weight++) {
                formula f;
                linear_sum s;
                formula_init(&f, a);
                uint32_t all[64];
                for (uint32_t k = 0; k < 64; k++) all[k] = k;
                node_id set = negated ? formula_letters(&f, all, 64, true) : formula_letters(&f, &which, 1, false);
                sum_init(&s, a, 0);
                sum_add_count(&s, formula_unary(&f, OP_COUNT_PAST, set), weight);
                node_id at = formula_read_at(&f, set, &s);
                CHECK(place_of_sum(&f, at).before == (weight == 1), "letter %u, weight %d", which, (int)weight);
            }
}

/* ---- patterns ---- */

/* Attention to the positions that have the pattern of i, three ways: by its definition, by what it says in other
   operators, and as it is evaluated. No conjunction of it has a part twice, or one that says nothing. */
static void check_recall(const char *name, formula *f, node_id made, arena *scratch) {
    const formula_node *n = formula_at(f, made);
    if (!CHECK(n->op == OP_MATCH, "%s is no MATCH", name)) return;
    node_id meaning = formula_kid(f, made, n->kid_count - 1);
    for (size_t length = 1; length <= 5; length++) {
        uint32_t word[5] = {0};
        do {
            unsigned char one[5], two[5], three[5];
            reference_eval(one, f, made, word, length);
            reference_eval(two, f, meaning, word, length);
            formula_eval(three, f, made, word, length, scratch);
            CHECK(!memcmp(one, two, length) && !memcmp(one, three, length), "%s, %zu letters", name, length);
            arena_reset(scratch);
        } while (corpus_next_word(word, length, 3));
    }
    for (node_id id = 1; id < f->count; id++)
        for (size_t k = 0; formula_at(f, id)->op == OP_AND && k < formula_at(f, id)->kid_count; k++) {
            CHECK(formula_at(f, formula_kid(f, id, k))->op != OP_TRUE, "%s: node %u says true", name, id);
            for (size_t q = 0; q < k; q++)
                CHECK(formula_kid(f, id, k) != formula_kid(f, id, q), "%s: node %u has a part twice", name, id);
        }
}

static void patterns(arena *a) {
    arena scratch;
    arena_init(&scratch, a->trap);
    for (int mask = 0; mask < 5; mask++)
        for (int choice = 0; choice < 2; choice++) {
            formula f;
            formula_init(&f, a);
            uint32_t pair[] = {0, 2};
            node_id x = formula_letters(&f, pair, 1, false), y = formula_letters(&f, pair, 2, true);
            node_id not_x = formula_unary(&f, OP_NOT, x), two = formula_letters(&f, pair, 2, false);
            node_id once = formula_unary(&f, OP_ONCE, x), never = formula_unary(&f, OP_NOT, once);
            node_id last = formula_unary(&f, OP_YESTERDAY, y), value = formula_binary(&f, OP_XOR, last, two);
            node_id yes = formula_atom(&f, OP_TRUE), no = formula_atom(&f, OP_FALSE);
            const struct {
                const char *name;
                size_t count;
                node_id conditions[9];
            } known[] = {
                {"letters", 2, {x, x, y, y}},
                {"other letters", 2, {x, y, two, not_x}},
                {"not a letter", 1, {not_x, x}},
                {"not a letter here", 2, {y, not_x, not_x, once}},
                {"past", 1, {once, last}},
                {"never", 1, {never, last}},
                {"never here", 2, {last, never, x, two}},
                {"never and once", 2, {never, once, once, never}},
                {"twice", 2, {once, last, once, last}},
                {"twice with another between", 3, {last, once, never, two, last, once}},
                {"one here", 2, {x, yes, last, once}},
                {"only here", 1, {yes, once}},
                {"here last", 2, {x, yes, yes, once, yes}},
                {"no", 2, {no, last, x, x}},
                {"neither", 2, {no, no, once, last}},
                {"nothing to ask", 1, {no, no}},
                {"impossible", 1, {no, yes}},
                {"impossible letters", 3, {x, yes, y, yes, last, once}},
                {"four", 4, {x, y, once, last, not_x, two, yes, never}},
            };
            for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
                bool here = false;
                for (size_t c = 0; c < known[k].count; c++) here = here || known[k].conditions[2 * c + 1] != yes;
                node_id made = match_make(&f, (temper_choice)choice, (temper_mask)mask, known[k].conditions,
                                          known[k].count, value, 4, 2);
                if (here) check_recall(known[k].name, &f, made, &scratch);
                if (here && match_conditions(formula_at(&f, made)) != known[k].count) CHECK(false, "count");
            }
            /* without conditions here it is plain attention */
            node_id there[] = {x, yes, last, yes, once, yes}, where[] = {x, last, once};
            node_id plain = formula_attend(&f, (temper_choice)choice, (temper_mask)mask,
                                           formula_nary(&f, OP_AND, where, 3), value);
            CHECK(match_make(&f, (temper_choice)choice, (temper_mask)mask, there, 3, value, 4, 2) == plain &&
                      f.notes[plain].line == 4 && f.notes[plain].column == 2,
                  "plain attention");
            plain = formula_attend(&f, (temper_choice)choice, (temper_mask)mask, yes, value);
            CHECK(match_make(&f, (temper_choice)choice, (temper_mask)mask, there, 0, value, 4, 2) == plain, "to all");
        }
    arena_free(&scratch);
}

/* ---- limits ---- */

/* How a pattern of these conditions is refused; 0 conditions: the bits of so many letters. */
static temper_status refused(temper_error *e, size_t count, size_t past, size_t letters) {
    trap t;
    arena a;
    formula f;
    node_id conditions[140];
    arena_init(&a, &t);
    *e = (temper_error){0};
    if (trap_set(&t, e)) {
        arena_free(&a);
        return t.error.code;
    }
    formula_init(&f, &a);
    uint32_t zero = 0;
    node_id x = formula_letters(&f, &zero, 1, false), yes = formula_atom(&f, OP_TRUE), value = x;
    for (size_t k = 0; k < count; k++) {
        if (k < past) x = formula_unary(&f, OP_YESTERDAY, x);
        conditions[2 * k] = conditions[2 * k + 1] = x;
    }
    size_t all = letters ? match_letters(&f, letters, yes, yes, conditions) : count;
    match_make(&f, TEMPER_CHOICE_LEFTMOST, TEMPER_MASK_BEFORE, conditions, all, value, 4, 2);
    arena_free(&a);
    trap_clear(&t);
    return TEMPER_OK;
}

static void test_limits(void) {
    static const char many[] = "a pattern of more than 63 conditions";
    static const char apart[] = "the conditions tell more than 4096 patterns apart";
    temper_error e;
    CHECK(refused(&e, 63, 0, 0) == TEMPER_OK, "63 conditions: %s", e.text);
    CHECK(refused(&e, 64, 0, 0) == TEMPER_LIMIT && e.line == 4 && e.column == 2 && !strcmp(e.text, many), "64: %s",
          e.text);
    CHECK(refused(&e, 12, 12, 0) == TEMPER_OK, "4,096 patterns: %s", e.text);
    CHECK(refused(&e, 13, 13, 0) == TEMPER_LIMIT && e.line == 4 && !strcmp(e.text, apart), "8,192: %s", e.text);
    /* one pattern for each letter, and one for what is no letter */
    CHECK(refused(&e, 0, 0, 4095) == TEMPER_OK, "4,095 letters: %s", e.text);
    CHECK(refused(&e, 0, 0, 4096) == TEMPER_LIMIT && e.line == 4 && !strcmp(e.text, apart), "4,096: %s", e.text);
}

/* A specification has 4,096 outputs at most. */
static void test_outputs(void) {
    char *written = malloc(4200 * 20);
    for (size_t count = 4096; count <= 4097; count++) {
        size_t length = (size_t)sprintf(written, "transduce\n");
        for (size_t k = 1; k <= count; k++)
            length += (size_t)sprintf(written + length, k == 1 ? "emit %zu otherwise\n" : "emit %zu = Y a\n", k);
        temper_spec *s = NULL;
        temper_error e = {0};
        temper_spec_options o = {.alphabet = "ab"};
        temper_status status = temper_spec_parse(&s, written, length, &o, &e);
        if (count == 4096)
            CHECK(status == TEMPER_OK && s->output_count == 4096, "%zu outputs: %s", count, e.text);
        else
            CHECK(status == TEMPER_LIMIT && e.line == 4098 &&
                      !strcmp(e.text, "a specification has at most 4096 outputs"),
                  "%zu outputs: %zu: %s", count, e.line, e.text);
        temper_spec_free(s);
    }
    free(written);
}

int main(void) {
    test_places();
    test_in_arena(places_of_many_letters);
    test_in_arena(patterns);
    test_limits();
    test_outputs();
    return test_finish("eval-places");
}
