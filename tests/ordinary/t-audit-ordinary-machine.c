/* The audit of ordinary transformers follows a model without counts, or with bounded ones, as a machine. Models are
   made by hand (ordinary_made.h); what each says in ideal numbers (ordinary_ideal.h) of every string that it has
   positions for is written down as a regular expression. With that as its source it is accepted, and with one word
   more or less it is refused. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "audit/ordinary/audit_ordinary.h"
#include "meaning_values.h"
#include "ordinary_ideal.h"
#include "ordinary_made.h"

static struct { size_t models, words, accepted, forged; } total;

enum { WORDS_MOST = 400, LONGEST = 40 };

typedef struct word {
    char text[LONGEST + 1];
    uint32_t tokens[LONGEST + 1];
    size_t length;
    bool is; /* accepted */
} word;

typedef struct trial {
    const ordinary_made *made;
    const char *source;
    size_t length;
    const word *words; /* NULL: they are not looked at */
    size_t word_count;
} trial;

/* The largest key of heads that look for the largest one, in units, over all words; infinite of heads that nobody
   uses. */
static void check_largest(const trial *t, const ordinary_audit *s, arena *a) {
    const lift *u = &t->made->u;
    for (size_t h = 0; h < u->head_count; h++) {
        const lift_head *x = &u->heads[h];
        bool used = false;
        for (size_t v = 0; v < x->value_count; v++)
            used = used || !ordinary_is_place(&u->columns[x->values[v].column]);
        if (!used) CHECK(isinf(s->largest[h]), "a head that nobody uses has met %g", s->largest[h]);
        if (x->role != LIFT_ONCE || !used) continue;
        double unit = lift_grain(u, &x->products[0].key), most = 0;
        for (size_t k = 0; k < t->word_count && unit > 0; k++) {
            size_t n = t->words[k].length;
            const double *ideal = ordinary_ideal_columns(u, t->words[k].tokens, n, a);
            double key = x->products[0].key.one;
            for (size_t j = 0; j < x->products[0].key.count; j++)
                key += x->products[0].key.terms[j].weight * ideal[x->products[0].key.terms[j].channel * (n + 1) + n];
            most = fmax(most, fabs(key) / unit);
        }
        CHECK(s->largest[h] == most, "head %zu: the largest key is %g, not %g", h, most, s->largest[h]);
    }
}

static void follow(entry *e, void *context) {
    const trial *t = context;
    static const char *letters[] = {"a", "b", "c"};
    ordinary_claim claim = {.source = t->source,
                            .syntax = TEMPER_SYNTAX_REGEX,
                            .at = TEMPER_AT_LAST,
                            .kind = TEMPER_KIND_ACCEPTOR,
                            .letters = letters,
                            .letter_count = t->made->u.letters,
                            .length = t->length,
                            .mirrored = t->made->m.mirrored};
    ordinary_audit s = {
        .trap = e->trap, .arena = &e->memory, .scratch = &e->scratch, .u = &t->made->u, .claim = &claim};
    claim.accepts_empty = strstr(t->source, "()") != NULL;
    ordinary_read_source(&s);
    ordinary_machine_check(&s);
    if (t->words) check_largest(t, &s, &e->memory);
}

/* ---- all words ---- */

static size_t all_words(word *out, uint32_t letters, size_t longest, bool mirrored) {
    size_t count = 0, strings = 1;
    for (size_t n = 0; n <= longest; n++, strings *= letters)
        for (size_t s = 0; s < strings; s++) {
            word *w = &out[count++];
            *w = (word){.length = n};
            size_t rest = s;
            for (size_t k = 0; k < n; k++, rest /= letters) {
                size_t at = mirrored ? n - 1 - k : k;
                w->text[at] = (char)('a' + rest % letters);
                w->tokens[k + 1] = ORDINARY_LETTERS + (uint32_t)(rest % letters);
            }
        }
    return count;
}

/* These words, and one that is longer than the model's positions, so that there is one. */
static const char *write_language(const word *words, size_t count, size_t longest, arena *a) {
    text out;
    text_init(&out, a);
    for (size_t k = 0; k < count; k++)
        if (words[k].is) text_printf(&out, "%s|", words[k].length ? words[k].text : "()");
    for (size_t k = 0; k <= longest; k++) text_putc(&out, 'a');
    return text_string(&out);
}

/* The end is legal where a column is 1; whether it is 0 or 1 everywhere. */
static bool read_out(ordinary_made *x, uint32_t c, word *words, size_t count, arena *a) {
    lift_form *end = &x->u.outputs[ORDINARY_EOS];
    end->terms = arena_alloc(a, 1, sizeof *end->terms);
    end->terms[0] = (model_term){c, 256};
    end->count = 1;
    end->one = -256;
    for (size_t k = 0; k < count; k++) {
        size_t n = words[k].length;
        double is = ordinary_ideal_columns(&x->u, words[k].tokens, n, a)[(size_t)c * (n + 1) + n];
        if (is != 0 && is != 1) return false;
        words[k].is = is == 1;
    }
    return true;
}

/* ---- many kinds of keys ---- */

typedef struct crowd {
    size_t longest;
    bool last;
    bool several, after; /* another head that remembers something, before it or after it, and is asked for */
} crowd;

/* One letter, and a head whose keys are the position: as many kinds as there are positions. It reads where it stands;
   `is` holds at odd positions. */
static void make_crowd(entry *e, void *context) {
    const crowd *c = context;
    arena *a = &e->memory;
    uint32_t n = (uint32_t)c->longest + 1;
    ordinary_made *x = arena_zalloc(a, 1, sizeof *x);
    enum { REAL, START, PLACE, ODD, OTHER, IS, COLUMNS };
    x->m = (struct ordinary_model){.positions = n, .layer_count = 1, .vocabulary = 4};
    x->u = (lift){.arena = a, .m = &x->m, .letters = 1, .column_count = COLUMNS, .real = REAL, .start = START};
    x->u.columns = arena_zalloc(a, COLUMNS, sizeof *x->u.columns);
    x->u.outputs = arena_zalloc(a, 4, sizeof *x->u.outputs);
    x->u.heads = arena_zalloc(a, 2, sizeof *x->u.heads);
    for (int k = 0; k < COLUMNS; k++) {
        lift_column *column = &x->u.columns[k];
        *column = (lift_column){.writer = k <= START ? LIFT_TOKEN : k <= ODD ? LIFT_TABLE : LIFT_HEAD, .grain = 1};
        if (k <= START) column->tokens = arena_zalloc(a, 4, sizeof *column->tokens);
        if (k == PLACE || k == ODD) column->place = arena_zalloc(a, n, sizeof *column->place);
        for (uint32_t i = 0; column->place && i < n; i++) column->place[i] = k == PLACE ? i : i % 2;
        column->high = k == PLACE ? n : 1;
    }
    x->u.columns[REAL].tokens[ORDINARY_LETTERS] = x->u.columns[START].tokens[0] = 1;
    model_term real = {REAL, 1}, place = {PLACE, 1}, odd = {ODD, 1};
    lift_product products[] = {{.query = {.terms = &real, .count = 1}, .key = {.terms = &place, .count = 1}},
                               {.query = {.one = 0}, .key = {.terms = &odd, .count = 1}}};
    lift_value values[] = {{.value = {.terms = &odd, .count = 1}, .column = IS, .scale = 1},
                           {.value = {.terms = &odd, .count = 1}, .column = OTHER, .scale = 1}};
    x->u.head_count = c->several ? 2 : 1;
    for (size_t h = 0; h < x->u.head_count; h++) {
        bool crowded = !c->several || h == (c->after ? 0 : 1);
        x->u.heads[h] = (lift_head){.role = crowded ? LIFT_NEAREST : LIFT_YESTERDAY,
                                    .layer = 1,
                                    .slot = (uint32_t)h,
                                    .content = crowded ? 2 : 0,
                                    .products = products,
                                    .value_count = 1,
                                    .values = &values[!crowded],
                                    .last = c->last};
    }
    word *words = arena_zalloc(a, WORDS_MOST, sizeof *words);
    size_t count = all_words(words, 1, c->longest, false);
    CHECK(read_out(x, c->several ? OTHER : IS, words, count, a), "what holds at odd positions is neither 0 nor 1");
    trial t = {x, write_language(words, count, c->longest, a), c->longest, NULL, 0};
    temper_error why = {0};
    enum { MOST_KINDS = 24 };
    temper_status status = entry_run(&why, follow, &t), right = n <= MOST_KINDS ? TEMPER_OK : TEMPER_LIMIT;
    CHECK(status == right && (status == TEMPER_OK || strstr(why.text, "kinds of keys")), "%u kinds of keys: %s", n,
          why.text);
}

/* ---- positions that are alike but for one ---- */

typedef struct late {
    uint32_t columns, bad, good; /* how many there are, which holds the positions, and which else is read */
    uint32_t period, at;         /* 0: nothing is wrong */
    int reader;
} late;

enum { BY_OUTPUT, BY_STEP, BY_VALUE, BY_KEY, BY_QUERY, READERS };

/* One letter; the end is legal at every period-th position, by a column of which one late number is wrong. Another
   column repeats, and is read by somebody else. */
static void make_late(entry *e, void *context) {
    const late *l = context;
    arena *a = &e->memory;
    enum { POSITIONS = 30 };
    uint32_t is = l->columns, spare = is + 1, wanted = is + 2;
    ordinary_made *x = arena_zalloc(a, 1, sizeof *x);
    x->m = (struct ordinary_model){.positions = POSITIONS, .layer_count = 1, .vocabulary = 4};
    x->u = (lift){.arena = a, .m = &x->m, .letters = 1, .column_count = l->columns + 3};
    x->u.columns = arena_zalloc(a, x->u.column_count, sizeof *x->u.columns);
    x->u.outputs = arena_zalloc(a, 4, sizeof *x->u.outputs);
    x->u.heads = arena_zalloc(a, 2, sizeof *x->u.heads);
    x->u.steps = arena_zalloc(a, 2, sizeof *x->u.steps);
    for (uint32_t c = 0; c < x->u.column_count; c++) {
        x->u.columns[c] = (lift_column){.writer = c < is ? LIFT_TABLE : LIFT_NET, .grain = 1, .high = 1};
        if (c < is) x->u.columns[c].place = arena_zalloc(a, POSITIONS, sizeof(double));
        for (uint32_t i = 0; i < POSITIONS && c < is; i++) x->u.columns[c].place[i] = i % l->period == 0;
    }
    if (l->at) x->u.columns[l->bad].place[l->at] = 1 - x->u.columns[l->bad].place[l->at];
    model_term bad = {l->bad, 1}, good = {l->good, 2 * LIFT_GATE}, gate = {l->bad, 2 * LIFT_GATE},
               to[2] = {{is, 1}, {spare, 1}};
    lift_form plain = {.terms = &bad, .count = 1}, one = {.one = 1};
    lift_value value = {.value = plain, .column = wanted, .scale = 1};
    lift_product product = {.query = one, .key = plain};
    lift_head *h = &x->u.heads[0];
    *h = (lift_head){.role = LIFT_NEAREST, .layer = 1, .products = &product, .value_count = 1, .last = true};
    h->values = &value;
    x->u.steps[x->u.step_count++] =
        (lift_step){.layer = 1, .sum = {.terms = &good, .count = 1}, .at = 1, .terms = &to[1], .count = 1};
    uint32_t shown = l->bad;
    if (l->reader == BY_STEP) {
        x->u.steps[x->u.step_count++] =
            (lift_step){.layer = 1, .sum = {.terms = &gate, .count = 1}, .at = 1, .terms = &to[0], .count = 1};
        shown = is;
    } else if (l->reader == BY_VALUE) { /* where it stands */
        x->u.columns[wanted].writer = LIFT_HEAD;
        x->u.head_count = 1;
        shown = wanted;
    } else if (l->reader ==
               BY_KEY) { /* whether there has been one: from the first position on, the start being one */
        x->u.columns[wanted].writer = LIFT_HEAD;
        x->u.head_count = h->content = 1;
        shown = wanted;
    } else if (l->reader == BY_QUERY) { /* the position itself, or any: all keys are 1 */
        x->u.columns[wanted].writer = LIFT_HEAD;
        x->u.head_count = h->content = 1;
        product = (lift_product){.query = plain, .key = one};
        shown = wanted;
    }
    word *words = arena_zalloc(a, WORDS_MOST, sizeof *words);
    size_t count = all_words(words, 1, POSITIONS - 1, false), wrong = 0;
    CHECK(read_out(x, shown, words, count, a), "a column of positions is neither 0 nor 1");
    for (size_t k = 0; k < count; k++)
        wrong += words[k].is != (l->reader == BY_KEY || words[k].length % l->period == 0);
    text source;
    text_init(&source, a);
    if (l->reader == BY_KEY)
        text_puts(&source, "()|a*");
    else
        text_printf(&source, "()|(%.*s)*", (int)l->period, "aaaaaa");
    trial t = {x, text_string(&source), POSITIONS - 1, NULL, 0};
    temper_error why = {0};
    temper_status status = entry_run(&why, follow, &t);
    CHECK((status == TEMPER_OK) == !wrong, "column %u of %u, period %u, wrong at %u, read by %d: %s", l->bad,
          l->columns, l->period, l->at, l->reader, status == TEMPER_OK ? "accepted" : why.text);
}

typedef struct making {
    made_shape shape;
    size_t longest;
    test_random *random;
} making;

static void run_trial(entry *e, void *context) {
    const making *t = context;
    ordinary_made *x = ordinary_made_random(t->random, &t->shape, &e->memory);
    word *words = arena_zalloc(&e->memory, WORDS_MOST, sizeof *words);
    size_t count = all_words(words, t->shape.letters, t->longest, t->shape.mirrored);
    total.models++;
    for (int k = 0; k < 6; k++) {
        uint32_t c = x->u.column_count - 1 - (uint32_t)random_below(t->random, x->u.column_count);
        temper_error why = {0};
        if (x->u.columns[c].mean || !read_out(x, c, words, count, &e->memory)) continue;
        trial good = {x, write_language(words, count, t->longest, &e->memory), t->longest, words, count};
        CHECK(entry_run(&why, follow, &good) == TEMPER_OK, "column %u of %u, %zu letters, /%s/: %s", c,
              x->u.column_count, t->longest, good.source, why.text);
        total.accepted++;
        total.words += count;
        word *one = &words[random_below(t->random, count)];
        one->is = !one->is;
        trial bad = {x, write_language(words, count, t->longest, &e->memory), t->longest, NULL, 0};
        CHECK(entry_run(&why, follow, &bad) == TEMPER_RANGE,
              "column %u of %u, %zu letters: accepted as /%s/, which is /%s/", c, x->u.column_count, t->longest,
              bad.source, good.source);
        total.forged++;
    }
}

/* ---- look-ups that a machine can follow ---- */

typedef struct looking {
    double weight, first; /* of a letter, and of the first one besides */
    double table[9];
    bool at_letters; /* what is looked up is no table */
    bool finite;
} looking;

/* A table of remainders, asked for by a count of letters: a machine keeps the remainder. */
static void make_looking(entry *e, void *context) {
    const looking *l = context;
    enum { REAL, START, FIRST, TABLE, NUMBER, INVERSE, IS, COLUMNS, POSITIONS = 9 };
    arena *a = &e->memory;
    struct ordinary_model m = {.positions = POSITIONS, .layer_count = 2, .vocabulary = 4};
    lift u = {
        .arena = a, .m = &m, .letters = 1, .column_count = COLUMNS, .real = REAL, .start = START, .head_count = 2};
    u.columns = arena_zalloc(a, COLUMNS, sizeof *u.columns);
    u.heads = arena_zalloc(a, 2, sizeof *u.heads);
    for (uint32_t c = 0; c < COLUMNS; c++) {
        lift_column *x = &u.columns[c];
        *x = (lift_column){.writer = c <= START   ? LIFT_TOKEN
                                     : c <= TABLE ? LIFT_TABLE
                                                  : LIFT_HEAD,
                           .grain = 1,
                           .high = 1};
        if (c <= START) x->tokens = arena_zalloc(a, 4, sizeof *x->tokens);
        if (c == FIRST || c == TABLE) x->place = arena_zalloc(a, POSITIONS, sizeof *x->place);
        x->mean = c == NUMBER || c == INVERSE;
    }
    u.columns[REAL].tokens[ORDINARY_LETTERS] = u.columns[START].tokens[0] = u.columns[FIRST].place[1] = 1;
    memcpy(u.columns[TABLE].place, l->table, sizeof l->table);
    model_term number[] = {{REAL, l->weight}, {FIRST, l->first}}, first = {FIRST, 1},
               is = {l->at_letters ? REAL : TABLE, 1};
    lift_value means[] = {{.value = {.terms = number, .count = l->first != 0 ? 2 : 1}, .column = NUMBER, .scale = 1},
                          {.value = {.terms = &first, .count = 1}, .column = INVERSE, .scale = 1}},
               found = {.value = {.terms = &is, .count = 1}, .column = IS, .scale = 1};
    u.heads[0] = (lift_head){.role = LIFT_WEIGHED, .layer = 1, .value_count = 2, .values = means, .weight = 16};
    u.heads[1] = (lift_head){.role = LIFT_LOOKUP, .layer = 2, .value_count = 1, .values = &found, .number = NUMBER};
    u.heads[1].inverse = INVERSE;
    CHECK(ordinary_is_finite(&u, true) == l->finite, "letters weigh %g, the first %g more, table %g %g %g ... %g: %d",
          l->weight, l->first, l->table[0], l->table[1], l->table[2], l->table[8], !l->finite);
    CHECK(!ordinary_is_finite(&u, false), "a machine without counts looks something up");
}

static void check_lookings(void) {
    static const looking all[] = {{1, 0, {0, 1, 0, 1, 0, 1, 0, 1, 0}, false, true},
                                  {1, 0, {0, 1, 1, 0, 1, 1, 0, 1, 1}, false, true},
                                  {1, 0, {1, 1, 1, 1, 1, 1, 1, 1, 1}, false, true},
                                  {1, 0, {0, 1, 0, 1, 0, 1, 0, 1, 0}, true, false},   /* no table */
                                  {2, 0, {0, 1, 0, 1, 0, 1, 0, 1, 0}, false, false},  /* beyond the own position */
                                  {-1, 0, {0, 1, 0, 1, 0, 1, 0, 1, 0}, false, false}, /* before the first one */
                                  {1, -1, {0, 1, 0, 1, 0, 1, 0, 1, 0}, false, false},
                                  {1, 1, {0, 1, 0, 1, 0, 1, 0, 1, 0}, false, false},
                                  {1, 0, {1, 0, 0, 0, 0, 0, 0, 0, 0}, false, false}, /* it does not repeat */
                                  {1, 0, {1, 1, 0, 1, 0, 1, 0, 1, 0}, false, false},
                                  {1, 0, {0, 1, 0, 1, 0, 1, 0, 1, 2}, false, false}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        looking l = all[k];
        temper_error e = {0};
        CHECK(entry_run(&e, make_looking, &l) == TEMPER_OK, "%s", e.text);
    }
}

typedef struct tables {
    uint32_t periods[2];
    bool second; /* which of the two the end reads */
} tables;

/* Two look-ups of one count of letters: what a machine keeps is the remainder by a common multiple, or the count
   where that is more than there are positions. */
static void make_tables(entry *e, void *context) {
    const tables *l = context;
    enum { REAL, START, FIRST, TABLE, NUMBER = TABLE + 2, INVERSE, IS, COLUMNS = IS + 2, POSITIONS = 8, TOKENS = 5 };
    arena *a = &e->memory;
    ordinary_made *x = arena_zalloc(a, 1, sizeof *x);
    x->m = (struct ordinary_model){.positions = POSITIONS, .layer_count = 2, .vocabulary = TOKENS};
    x->u = (lift){.arena = a, .m = &x->m, .letters = 2, .column_count = COLUMNS, .real = REAL, .start = START};
    x->u.columns = arena_zalloc(a, COLUMNS, sizeof *x->u.columns);
    x->u.outputs = arena_zalloc(a, TOKENS, sizeof *x->u.outputs);
    x->u.heads = arena_zalloc(a, 3, sizeof *x->u.heads);
    x->u.head_count = 3;
    for (uint32_t c = 0; c < COLUMNS; c++) {
        lift_column *column = &x->u.columns[c];
        *column = (lift_column){.writer = c <= START   ? LIFT_TOKEN
                                          : c < NUMBER ? LIFT_TABLE
                                                       : LIFT_HEAD,
                                .grain = 1,
                                .high = 1,
                                .scale = 1,
                                .head = c == IS       ? 1
                                        : c == IS + 1 ? 2
                                                      : 0};
        if (c <= START) column->tokens = arena_zalloc(a, TOKENS, sizeof *column->tokens);
        if (c >= FIRST && c < NUMBER) column->place = arena_zalloc(a, POSITIONS, sizeof *column->place);
        for (uint32_t i = 0; c >= TABLE && c < NUMBER && i < POSITIONS; i++)
            column->place[i] = i % l->periods[c - TABLE] == 0;
        column->mean = c == NUMBER || c == INVERSE;
    }
    x->u.columns[REAL].tokens[ORDINARY_LETTERS] = x->u.columns[START].tokens[0] = x->u.columns[FIRST].place[1] = 1;
    model_term real = {REAL, 1}, first = {FIRST, 1}, is[2] = {{TABLE, 1}, {TABLE + 1, 1}};
    lift_value means[] = {{.value = {.terms = &real, .count = 1}, .column = NUMBER, .scale = 1},
                          {.value = {.terms = &first, .count = 1}, .column = INVERSE, .scale = 1}},
               found[] = {{.value = {.terms = &is[0], .count = 1}, .column = IS, .scale = 1},
                          {.value = {.terms = &is[1], .count = 1}, .column = IS + 1, .scale = 1}};
    x->u.heads[0] = (lift_head){.role = LIFT_WEIGHED, .layer = 1, .value_count = 2, .values = means, .weight = 16};
    for (uint32_t h = 0; h < 2; h++)
        x->u.heads[1 + h] = (lift_head){.role = LIFT_LOOKUP,
                                        .layer = 2,
                                        .slot = h,
                                        .value_count = 1,
                                        .values = &found[h],
                                        .number = NUMBER,
                                        .inverse = INVERSE};
    word *words = arena_zalloc(a, WORDS_MOST, sizeof *words);
    size_t count = all_words(words, 2, POSITIONS - 1, false);
    CHECK(read_out(x, IS + l->second, words, count, a), "a table of remainders is neither 0 nor 1");
    trial t = {x, write_language(words, count, POSITIONS - 1, a), POSITIONS - 1, words, count};
    temper_error why = {0};
    CHECK(entry_run(&why, follow, &t) == TEMPER_OK, "periods %u and %u: %s", l->periods[0], l->periods[1], why.text);
    words[count - 1].is = !words[count - 1].is;
    t.source = write_language(words, count, POSITIONS - 1, a);
    CHECK(entry_run(&why, follow, &t) == TEMPER_RANGE, "periods %u and %u: accepted", l->periods[0], l->periods[1]);
}

static void check_tables(void) {
    static const tables all[] = {{{2, 3}, false}, {{2, 4}, true}, {{4, 3}, false}, {{4, 3}, true}, {{1, 7}, true}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        tables l = all[k];
        temper_error e = {0};
        CHECK(entry_run(&e, make_tables, &l) == TEMPER_OK, "%s", e.text);
    }
}

int main(void) {
    test_random r = test_seed(67);
    check_lookings();
    check_tables();
    size_t rounds = 30 + (size_t)(120 * test_effort());
    for (size_t k = 0; k < rounds; k++) {
        uint32_t letters = 1 + (uint32_t)random_below(&r, 3), layers = 1 + (uint32_t)random_below(&r, 3);
        size_t longest = letters == 3   ? 1 + random_below(&r, 3)
                         : letters == 2 ? random_below(&r, 6)
                                        : random_below(&r, 30);
        bool counts = random_below(&r, 2), mirrored = random_below(&r, 3) == 0;
        making t = {{letters, (uint32_t)longest + 1, layers, counts, true, true, mirrored}, longest, &r};
        temper_error e = {0};
        CHECK(entry_run(&e, run_trial, &t) == TEMPER_OK, "%s", e.text);
    }
    for (size_t k = 0; k < 48; k++) {
        crowd c = {20 + k / 8, k & 1, k & 2, k & 4};
        temper_error e = {0};
        CHECK(entry_run(&e, make_crowd, &c) == TEMPER_OK, "%s", e.text);
    }
    for (size_t k = 0; k < 400; k++) {
        uint32_t columns = 2 + (uint32_t)random_below(&r, 3), bad = (uint32_t)random_below(&r, columns);
        late l = {
            columns, bad, (bad + 1) % columns, 2 + (uint32_t)random_below(&r, 4), 0, (int)random_below(&r, READERS)};
        if (k % 4) l.at = 10 + (uint32_t)random_below(&r, 20);
        temper_error e = {0};
        CHECK(entry_run(&e, make_late, &l) == TEMPER_OK, "%s", e.text);
    }
    printf("%zu models, %zu languages of %zu words, %zu of others\n", total.models, total.accepted, total.words,
           total.forged);
    return test_finish("t-audit-ordinary-machine");
}
