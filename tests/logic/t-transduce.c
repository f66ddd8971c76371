/* Transducers: random ones, every output at every position, in every way there is to run them. The oracle is the
   definition of each operator, quantifier by quantifier; models are compared with it hard and soft, by plan, densely,
   side by side, letter by letter, exactly, in short formats, and after writing and reading both kinds of files. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "logic/formula_print.h"
#include "model/model.h"
#include "run/batch.h"
#include "run/positions.h"

#include "random_formula.h"
#include "reference.h"
#include "temper.h"

enum { OUTPUTS = 6, LONGEST = 40 };

static trap unused;

/* Random outputs, made without the parser; nothing sees to it that one of them holds. */
static temper_spec *random_transducer(test_random *r, const random_shape *shape) {
    static const char *const names[] = {"x", "y", "", "a long text", "\"\\\n", "é"};
    temper_spec *s = make_spec(&unused, shape->letters, TEMPER_AT_LAST);
    s->kind = TEMPER_KIND_TRANSDUCER;
    s->output_count = 1 + random_below(r, OUTPUTS);
    s->outputs = arena_zalloc(&s->memory, s->output_count, sizeof *s->outputs);
    for (size_t k = 0; k < s->output_count; k++) {
        node_id root = random_formula(&s->graph, r, shape);
        size_t other = k ? random_below(r, k) : 0;
        if (k && !random_below(r, 4)) root = formula_binary(&s->graph, OP_AND, root, s->outputs[other].root);
        if (k && !random_below(r, 4)) root = formula_unary(&s->graph, OP_NOT, s->outputs[other].root);
        if (k && !random_below(r, 8)) root = s->outputs[other].root;
        s->outputs[k] = (spec_output){.name = names[k], .root = root, .accepts_empty = !random_below(r, 4)};
    }
    finish_spec(s, 0);
    return s;
}

typedef struct test_case {
    const temper_spec *spec;
    uint32_t word[LONGEST];
    size_t n;
    unsigned char truth[OUTPUTS][LONGEST + 1]; /* [0]: before the first letter */
    const char *name;
    bool counts; /* which short formats cannot */
} test_case;

static const char *show(const test_case *c) {
    static char shown[4000];
    text t;
    arena a;
    arena_init(&a, &unused);
    text_init(&t, &a);
    for (size_t k = 0; k < c->spec->output_count; k++) {
        text_printf(&t, "emit '%s' = ", c->spec->outputs[k].name);
        formula_label(&t, &c->spec->graph, &c->spec->letters, c->spec->outputs[k].root, 0);
        text_putc(&t, '\n');
    }
    for (size_t k = 0; k < c->n; k++) text_putc(&t, (char)('a' + c->word[k]));
    snprintf(shown, sizeof shown, "%s\n%s", c->name, text_string(&t));
    arena_free(&a);
    return shown;
}

static void ask_oracle(test_case *c) {
    for (size_t k = 0; k < c->spec->output_count; k++) {
        c->truth[k][0] = c->spec->outputs[k].accepts_empty;
        reference_eval(c->truth[k] + 1, &c->spec->graph, c->spec->outputs[k].root, c->word, c->n);
    }
}

/* Letters' rows and the start sentinel's. */
static void compare(const test_case *c, const char *how, const unsigned char *const *got) {
    for (size_t k = 0; k < c->spec->output_count; k++)
        for (size_t i = 0; i <= c->n; i++)
            if (!CHECK(got[k] && got[k][i] == c->truth[k][i], "%s: output %zu at %zu is %d\n%s", how, k, i,
                       got[k] ? got[k][i] : -1, show(c)))
                return;
}

static long only_one(const test_case *c, size_t i) {
    long found = TEMPER_WRITES_NONE;
    for (size_t k = 0; k < c->spec->output_count; k++)
        if (c->truth[k][i]) found = found == TEMPER_WRITES_NONE ? (long)k : TEMPER_WRITES_SEVERAL;
    return found;
}

static void check_run(const test_case *c, const temper_model *m, const temper_run_options *o, const char *how) {
    temper_run *run;
    temper_error e;
    const unsigned char *got[OUTPUTS];
    char full[100];
    snprintf(full, sizeof full, "%s in %s%s%s", how, temper_type_name(o->type), o->hard ? ", hard" : "",
             o->dense ? ", dense" : "");
    temper_status status = temper_model_run(&run, m, c->word, c->n, o, &e);
    bool proves_itself = !o->unchecked && o->type == TEMPER_TYPE_F64; /* it may find that rounding hides a tie */
    if (status == TEMPER_UNSUPPORTED && proves_itself) return;
    if (!CHECK(status == TEMPER_OK, "%s: %s\n%s", full, e.text, show(c))) return;
    for (size_t k = 0; k < c->spec->output_count; k++) got[k] = temper_run_output(run, k);
    compare(c, full, got);
    CHECK(!temper_run_output(run, c->spec->output_count), "%s: one output more\n%s", full, show(c));
    CHECK(!temper_run_about(run).accept, "%s: a verdict\n%s", full, show(c));
    for (size_t i = 0; i <= c->n; i++)
        CHECK(temper_run_written(run, i) == only_one(c, i), "%s: it writes %ld at %zu\n%s", full,
              temper_run_written(run, i), i, show(c));
    temper_run_free(run);
}

static void check_types(const test_case *c, const temper_model *m, const char *how) {
    temper_type digits = temper_model_about(m).digits;
    bool hard = temper_model_about(m).method == TEMPER_METHOD_HARD;
    for (int dense = 0; dense < 2; dense++)
        for (int choice = 0; choice < 2; choice++)
            for (int type = 0; type < 2; type++)
                check_run(c, m,
                          &(temper_run_options){.unchecked = 1,
                                                .hard = choice,
                                                .dense = dense,
                                                .type = type ? TEMPER_TYPE_F32 : TEMPER_TYPE_F64,
                                                .threads = 1},
                          how);
    check_run(c, m, &(temper_run_options){.unchecked = 1, .capture = 1, .threads = 1}, how);
    if (digits && !c->counts)
        check_run(c, m, &(temper_run_options){.unchecked = 1, .type = digits, .threads = 1}, how);
    if (!hard) return;
    check_run(c, m, &(temper_run_options){.threads = 1}, "guarded");
    check_run(c, m, &(temper_run_options){.hard = 1, .type = TEMPER_TYPE_EXACT}, "exact");
}

static void check_side_by_side(const test_case *c, const temper_model *m, bool hard, temper_type type) {
    arena a;
    model_plan plan;
    batch b;
    arena_init(&a, &unused);
    plan_make(&plan, m, hard, &a);
    if (batch_lanes(&plan, c->n + 1 + m->has_end)) {
        const uint32_t *words[3] = {c->word, c->word, c->word};
        batch_init(&b, m, &plan, c->n, 3, hard, type, &a);
        if (batch_run(&b, words, 3)) {
            unsigned char truth[OUTPUTS][LONGEST + 1];
            const unsigned char *got[OUTPUTS];
            for (size_t k = 0; k < c->spec->output_count; k++) {
                got[k] = truth[k];
                for (size_t i = 0; i <= c->n; i++) truth[k][i] = b.truth[(k * b.size + i) * b.lanes + 2];
            }
            compare(c, "side by side", got);
        }
    }
    arena_free(&a);
}

/* Prefixes: only formulas that look back mean the same in them. Returns whether there is a stream. */
static bool check_stream(const test_case *c, const temper_model *m, bool hard, temper_type type) {
    temper_stream *s;
    temper_error e;
    unsigned char truth[OUTPUTS][LONGEST + 1];
    const unsigned char *got[OUTPUTS];
    if (temper_stream_open(&s, m, &(temper_run_options){.unchecked = 1, .hard = hard, .type = type}, &e) != TEMPER_OK)
        return false;
    for (size_t i = 0; i <= c->n; i++) {
        if (i && !CHECK(temper_stream_push(s, c->word[i - 1], NULL, &e) == TEMPER_OK, "%s\n%s", e.text, show(c)))
            break;
        for (size_t k = 0; k < c->spec->output_count; k++) truth[k][i] = (unsigned char)temper_stream_output(s, k);
    }
    for (size_t k = 0; k < c->spec->output_count; k++) got[k] = truth[k];
    compare(c, hard ? "stream, hard" : "stream", got);
    CHECK(!temper_stream_output(s, c->spec->output_count) && !temper_stream_about(s).accept, "a verdict\n%s",
          show(c));
    temper_stream_free(s);
    return true;
}

/* The same model again, from each kind of file. */
static temper_model *read_back(const temper_model *m, const char *ending) {
    char path[100], *before, *after;
    size_t length, again;
    temper_model *back;
    temper_error e;
    snprintf(path, sizeof path, "/tmp/t-transduce-%ld.%s", (long)getpid(), ending);
    CHECK(temper_model_save(path, m, &e) == TEMPER_OK, "%s", e.text);
    CHECK(temper_model_load(&back, path, &e) == TEMPER_OK, "%s", e.text);
    unlink(path);
    if (!back) return NULL;
    temper_model_print(&before, &length, m, NULL);
    temper_model_print(&after, &again, back, NULL);
    CHECK(length == again && !memcmp(before, after, length), "another model after writing and reading %s:\n%s\n%s",
          ending, before, after);
    CHECK(!strncmp(before, "temper-model 2\nkind transducer\n", 31), "the file begins otherwise:\n%.60s", before);
    temper_free(before);
    temper_free(after);
    return back;
}

static void check_words(test_case *c, const temper_model *m, test_random *r, size_t *streams) {
    static const size_t lengths[] = {0, 1, 2, 3, 5, 9, 17, LONGEST};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        c->n = lengths[k];
        random_word(c->word, c->n, (unsigned)c->spec->letters.count, r);
        ask_oracle(c);
        check_types(c, m, temper_method_name(m->method));
        for (int choice = 0; choice < 2; choice++)
            for (int type = 0; type < 2; type++) {
                temper_type t = type ? TEMPER_TYPE_F32 : TEMPER_TYPE_F64;
                check_side_by_side(c, m, choice, t);
                *streams += check_stream(c, m, choice, t);
            }
    }
}

static void check_transducer(const temper_spec *s, const char *name, bool counts, test_random *r, size_t *streams) {
    static const temper_build_options builds[] = {{.method = TEMPER_METHOD_HARD},
                                                  {.method = TEMPER_METHOD_TEMPERATURE},
                                                  {.method = TEMPER_METHOD_POSITIONS},
                                                  {.method = TEMPER_METHOD_DIGITS, .digits = TEMPER_TYPE_BF16}};
    test_case c = {.spec = s, .name = name, .counts = counts};
    for (size_t k = 0; k < sizeof builds / sizeof *builds; k++) {
        temper_model *m;
        temper_error e;
        if (!CHECK(temper_build(&m, s, &builds[k], &e) == TEMPER_OK, "%s\n%s", e.text, show(&c))) continue;
        temper_model_info about = temper_model_about(m);
        CHECK(about.kind == TEMPER_KIND_TRANSDUCER && about.outputs == s->output_count && !about.has_logits,
              "not what was built\n%s", show(&c));
        for (size_t o = 0; o < s->output_count; o++)
            CHECK(!strcmp(temper_model_output_name(m, o), s->outputs[o].name), "another name\n%s", show(&c));
        temper_model *back = read_back(m, random_below(r, 2) ? "safetensors" : "temper");
        check_words(&c, back ? back : m, r, streams);
        temper_model_free(back);
        temper_model_free(m);
    }
}

static void check_random(void) {
    test_random r = test_seed(151);
    size_t streams = 0, rounds = (size_t)(12 * test_effort()) + 2;
    for (size_t round = 0; round < rounds; round++) {
        random_shape shape = {.letters = 1 + (unsigned)random_below(&r, 4),
                              .size = 1 + random_below(&r, 8),
                              .depth = 4,
                              .past = random_below(&r, 4) != 0,
                              .counting = random_below(&r, 2),
                              .modulo = !random_below(&r, 3)};
        shape.future = !shape.past || !random_below(&r, 3);
        temper_spec *s = random_transducer(&r, &shape);
        check_transducer(s, "random", shape.counting || shape.modulo, &r, &streams);
        temper_spec_free(s);
    }
    CHECK(rounds < 10 || streams > rounds, "only %zu streams", streams);
}

/* ---- exactly one output ---- */

enum { TRIED = 5 };

static bool next_word(uint32_t *word, size_t n, size_t letters) {
    while (n > 0) {
        if (++word[n - 1] < letters) return true;
        word[--n] = 0;
    }
    return false;
}

/* The first string, by length and letters, with a position where not exactly one output holds, by the definition of
   the operators; false: there is none up to TRIED letters. */
static bool find_unclear(test_case *c, size_t *position) {
    for (c->n = 1; c->n <= TRIED; c->n++) {
        memset(c->word, 0, sizeof c->word);
        do {
            ask_oracle(c);
            for (*position = 1; *position <= c->n; ++*position)
                if (only_one(c, *position) < 0) return true;
        } while (next_word(c->word, c->n, c->spec->letters.count));
    }
    return false;
}

static void check_answer(const temper_spec *s, const temper_one_output *one, size_t counts[3]) {
    test_case c = {.spec = s, .name = "one output"};
    char wanted[TRIED + 1] = "";
    size_t position;
    bool found = find_unclear(&c, &position);
    for (size_t k = 0; found && k < c.n; k++) wanted[k] = (char)('a' + c.word[k]);
    counts[one->answer]++;
    if (one->answer != TEMPER_ONE_REFUTED)
        CHECK(!found, "%s, but '%s' is not clear\n%s", one->answer == TEMPER_ONE_PROVED ? "proved" : "tested", wanted,
              show(&c));
    if (one->answer != TEMPER_ONE_REFUTED || !found) return;
    CHECK(!strcmp(one->string, wanted), "'%s' is not the first: '%s' is\n%s", one->string, wanted, show(&c));
    CHECK(one->position == position, "'%s' at %zu, not %zu\n%s", one->string, one->position, position, show(&c));
}

/* Outputs that often partition the positions: x, y without x, z without both, and the rest. */
static temper_spec *random_partition(test_random *r, const random_shape *shape) {
    static const char *const names[] = {"x", "y", "z", ""};
    temper_spec *s = make_spec(&unused, shape->letters, TEMPER_AT_LAST);
    formula *g = &s->graph;
    s->kind = TEMPER_KIND_TRANSDUCER;
    s->output_count = 2 + random_below(r, 3);
    s->outputs = arena_zalloc(&s->memory, s->output_count, sizeof *s->outputs);
    node_id rest = formula_atom(g, OP_TRUE);
    for (size_t k = 0; k < s->output_count; k++) {
        node_id root = random_formula(g, r, shape);
        bool last = k + 1 == s->output_count, loose = !random_below(r, 8);
        if (!loose) root = last ? rest : formula_binary(g, OP_AND, rest, root);
        s->outputs[k] = (spec_output){.name = names[k], .root = root};
        rest = formula_binary(g, OP_AND, rest, formula_unary(g, OP_NOT, root));
    }
    finish_spec(s, 0);
    return s;
}

static void check_one_output(void) {
    test_random r = test_seed(152);
    size_t counts[3] = {0}, rounds = (size_t)(100 * test_effort()) + 20;
    for (size_t round = 0; round < rounds; round++) {
        random_shape shape = {.letters = 1 + (unsigned)random_below(&r, 3),
                              .size = 1 + random_below(&r, 4),
                              .depth = 3,
                              .past = random_below(&r, 4) != 0,
                              .counting = !random_below(&r, 3),
                              .modulo = !random_below(&r, 3)};
        shape.future = !shape.past || !random_below(&r, 3);
        temper_spec *made = random_partition(&r, &shape), *s = NULL;
        temper_one_output one;
        temper_error e;
        char *printed = NULL;
        CHECK(temper_spec_print(&printed, made, &e) == TEMPER_OK, "%s", e.text);
        temper_spec_options o = {.alphabet = shape.letters == 1 ? "a" : shape.letters == 2 ? "ab" : "abc"};
        if (CHECK(printed && temper_spec_parse(&s, printed, strlen(printed), &o, &e) == TEMPER_OK, "%s\n%s", e.text,
                  printed) &&
            CHECK(temper_spec_one_output(&one, s, &e) == TEMPER_OK, "%s\n%s", e.text, printed)) {
            check_answer(s, &one, counts);
            temper_one_output_clear(&one);
        }
        temper_free(printed);
        temper_spec_free(s);
        temper_spec_free(made);
    }
    CHECK(counts[0] > rounds / 8 && counts[2] > rounds / 16, "proved %zu, tested %zu, refuted %zu", counts[0],
          counts[1], counts[2]);
}

/* ---- check ---- */

/* Whether the outputs of two specifications differ on a string up to the length, by the definition of operators. */
static bool brute_force(test_case *c, const temper_spec *other, size_t longest) {
    test_case d = {.spec = other};
    for (c->n = 0; c->n <= longest; c->n++) {
        memset(c->word, 0, sizeof c->word);
        do {
            memcpy(d.word, c->word, sizeof d.word);
            d.n = c->n;
            ask_oracle(c);
            ask_oracle(&d);
            for (size_t k = 0; k < c->spec->output_count; k++)
                if (memcmp(c->truth[k], d.truth[k], c->n + 1) != 0) return true;
        } while (next_word(c->word, c->n, c->spec->letters.count));
    }
    return false;
}

/* The model of one specification against another with the same names: by trees, side by side or one by one. */
static void check_checks(const temper_spec *s, const temper_spec *other, test_random *r, size_t found[2]) {
    enum { LENGTH = 4 };
    static const temper_method methods[] = {TEMPER_METHOD_HARD, TEMPER_METHOD_TEMPERATURE, TEMPER_METHOD_POSITIONS};
    test_case c = {.spec = s, .name = "check"};
    temper_build_options b = {.method = methods[random_below(r, 3)]};
    temper_check_options o = {.exhaustive = LENGTH, .threads = 1};
    temper_check_result result;
    temper_model *m;
    temper_error e;
    if (!CHECK(temper_build(&m, s, &b, &e) == TEMPER_OK, "%s\n%s", e.text, show(&c))) return;
    if (CHECK(temper_check(&result, s, m, &o, &e) == TEMPER_OK, "%s\n%s", e.text, show(&c))) {
        CHECK(result.agreed, "a difference at %zu\n%s", result.position, show(&c));
        temper_check_clear(&result);
    }
    if (CHECK(temper_check(&result, other, m, &o, &e) == TEMPER_OK, "%s\n%s", e.text, show(&c))) {
        bool differs = brute_force(&c, other, LENGTH);
        CHECK(result.agreed == !differs, "%s, but it %s\n%s", result.agreed ? "agreed" : "differs",
              differs ? "differs" : "agrees", show(&c));
        if (!result.agreed && differs) {
            bool same = result.counterexample_length == c.n;
            for (size_t k = 0; same && k < c.n; k++) same = result.counterexample[k] == c.word[k];
            CHECK(same, "not the first string\n%s", show(&c));
            CHECK(result.left_value != result.right_value && result.output < s->output_count &&
                      c.truth[result.output][result.position] == result.right_value,
                  "output %zu at %zu is not %d\n%s", result.output, result.position, result.right_value, show(&c));
        }
        found[!result.agreed]++;
        temper_check_clear(&result);
    }
    temper_model_free(m);
}

static void check_random_checks(void) {
    test_random r = test_seed(153);
    size_t found[2] = {0}, rounds = (size_t)(40 * test_effort()) + 10;
    for (size_t round = 0; round < rounds; round++) {
        random_shape shape = {.letters = 1 + (unsigned)random_below(&r, 2),
                              .size = 1 + random_below(&r, 4),
                              .depth = 3,
                              .past = random_below(&r, 3) != 0,
                              .counting = !random_below(&r, 3)};
        shape.future = !shape.past || !random_below(&r, 3);
        temper_spec *s = random_transducer(&r, &shape), *other = malloc(sizeof *other);
        spec_output *outputs = malloc(s->output_count * sizeof *outputs);
        size_t one = random_below(&r, s->output_count), two = random_below(&r, s->output_count);
        for (size_t k = 0; k < s->output_count; k++) outputs[k] = s->outputs[k];
        outputs[one].root = s->outputs[two].root;
        if (!random_below(&r, 4)) outputs[one].accepts_empty = !outputs[one].accepts_empty;
        *other = *s;
        other->outputs = outputs;
        check_checks(s, other, &r, found);
        free(outputs);
        free(other);
        temper_spec_free(s);
    }
    CHECK(found[0] && found[1], "%zu agreed, %zu differed", found[0], found[1]);
}

int main(void) {
    check_random();
    check_one_output();
    check_random_checks();
    return test_finish("t-transduce");
}
