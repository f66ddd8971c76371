/* The HTML page: well-formed whatever the letters are; its cells are the captured run's numbers, its truth rows those
   of the evaluator that follows the definitions; it says where formula and model disagree; limits and lack of memory
   are reported. */
#include "corpus.h"
#include "draw/label.h"
#include "logic/formula.h"
#include "logic/formula_print.h"
#include "page_read.h"
#include "random_formula.h"
#include "random_model.h"
#include "reference.h"
#include "test.h"
#include "xml_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct subject {
    const char *name; /* for messages */
    temper_spec *spec;
    temper_model *model;
    temper_run *run, *hard;
    uint32_t *letters;
    size_t n, size;
    temper_model_info about;
} subject;

static void subject_free(subject *x) {
    temper_run_free(x->run);
    temper_run_free(x->hard);
    temper_model_free(x->model);
    temper_spec_free(x->spec);
    free(x->letters);
}

/* Takes the model and the specification; letters are copied. */
static bool subject_run(subject *x, const char *name, temper_spec *spec, temper_model *model, const uint32_t *letters,
                        size_t n, int hard) {
    temper_error e;
    *x = (subject){.name = name, .spec = spec, .model = model, .n = n};
    x->letters = malloc((n + 1) * sizeof *x->letters);
    if (n) memcpy(x->letters, letters, n * sizeof *letters);
    temper_run_options o = {.capture = 1, .hard = hard, .unchecked = 1},
                       also = {.capture = 1, .hard = 1, .unchecked = 1};
    x->about = temper_model_about(model);
    bool ok = !temper_model_run(&x->run, model, x->letters, n, &o, &e);
    if (ok && !hard) ok = !temper_model_run(&x->hard, model, x->letters, n, &also, &e);
    CHECK(ok, "%s: %s", name, e.text);
    if (!ok) subject_free(x);
    if (ok) x->size = temper_run_about(x->run).size;
    return ok;
}

/* The soft or hard model of a specification; takes it. */
static bool subject_compile(subject *x, const char *name, temper_spec *spec, temper_method method,
                            const uint32_t *letters, size_t n) {
    temper_model *hard = NULL, *model = NULL;
    temper_error e;
    if (!spec) return false;
    temper_status status = temper_build(&hard, spec, NULL, &e);
    bool ok = !status;
    if (status == TEMPER_LIMIT ||
        status == TEMPER_UNSUPPORTED) { /* some entries of the corpus are there to be refused */
        temper_spec_free(spec);
        return false;
    }
    if (ok && method == TEMPER_METHOD_HARD) {
        model = hard;
        hard = NULL;
    } else if (ok) {
        ok = !temper_soften(&model, NULL, hard, &(temper_soften_options){.method = method}, &e);
    }
    temper_model_free(hard);
    CHECK(ok, "%s: %s", name, e.text);
    if (!ok) {
        temper_spec_free(spec);
        return false;
    }
    return subject_run(x, name, spec, model, letters, n, 0);
}

static char *page_of(const subject *x, size_t layer, size_t head) {
    temper_draw_options o = {.layer = layer, .head = head, .hard = x->hard};
    temper_error e;
    char *page;
    size_t texts;
    if (!CHECK(!temper_draw_html(&page, x->model, x->run, x->letters, &o, &e), "%s: %s", x->name, e.text))
        return NULL;
    const char *fault = xml_fault(page, &texts);
    CHECK(!fault, "%s: %s", x->name, fault);
    return page;
}

/* ---- heads ---- */

static bool same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static bool is_masked(temper_mask mask, size_t i, size_t j) {
    return mask == TEMPER_MASK_BEFORE  ? j >= i
           : mask == TEMPER_MASK_UP_TO ? j > i
           : mask == TEMPER_MASK_AFTER ? j <= i
           : mask == TEMPER_MASK_FROM  ? j < i
                                       : false;
}

static void check_pair(const subject *x, const temper_head_info *info, const page_cell *c, size_t layer, size_t head,
                       size_t i, size_t j) {
    size_t at = i * x->size + j;
    double weight = temper_run_head(x->run, layer, head).weights[at],
           score = temper_run_head(x->run, layer, head).scores[at];
    char place[64];
    snprintf(place, sizeof place, "%s head %zu.%zu cell %zu,%zu", x->name, layer, head, i, j);
    if (is_masked(info->mask, i, j)) {
        CHECK(!strcmp(c->kind, "m") && !*c->title && !*c->content, "%s is masked: %s", place, c->title);
        return;
    }
    CHECK(same(page_fact(c, "weight"), weight), "%s: weight %.17g shown as %s", place, weight, c->title);
    CHECK(same(page_fact(c, "score"), score), "%s: score %.17g shown as %s", place, score, c->title);
    char begin[80];
    snprintf(begin, sizeof begin, "query %zu ", i);
    CHECK(!strncmp(c->title, begin, strlen(begin)), "%s: %s", place, c->title);
    snprintf(begin, sizeof begin, ", key %zu ", j);
    CHECK(strstr(c->title, begin) != NULL, "%s: %s", place, c->title);
    if (info->value_size)
        CHECK(page_fact(c, "value") == temper_run_row(x->run, layer, head, j).value[0], "%s: value in %s", place,
              c->title);
    bool soft = info->choice == TEMPER_CHOICE_SOFTMAX && x->hard;
    CHECK((strstr(c->title, "\nlogit ") != NULL) == soft, "%s: logit in %s", place, c->title);
    if (soft) {
        double logit = page_fact(c, "logit");
        if (!info->adaptive)
            CHECK(logit == temper_run_row(x->run, layer, head, i).scale * score, "%s: logit in %s", place, c->title);
        if (info->choice != info->hard_choice || x->about.method != TEMPER_METHOD_HARD)
            CHECK(page_fact(c, "hard weight") == temper_run_head(x->hard, layer, head).weights[at],
                  "%s: hard weight in %s", place, c->title);
    }
    int shade = atoi(c->kind + 1), expected = (int)lround(16 * sqrt(weight < 0 ? 0 : weight > 1 ? 1 : weight));
    CHECK(*c->kind == 's' && shade == expected, "%s: weight %g has class %s", place, weight, c->kind);
}

/* Softmax of the logits shown in a row must be the weights shown, whatever the head: adaptive ones too. */
static void check_softmax(const subject *x, const page_cell *row, size_t layer, size_t head, size_t i) {
    double best = -INFINITY, total = 0;
    for (size_t j = 0; j < x->size; j++)
        if (!isnan(page_fact(&row[j], "logit"))) best = fmax(best, page_fact(&row[j], "logit"));
    if (isinf(best)) return;
    for (size_t j = 0; j < x->size; j++)
        if (!isnan(page_fact(&row[j], "logit"))) total += exp(page_fact(&row[j], "logit") - best);
    for (size_t j = 0; j < x->size; j++) {
        double logit = page_fact(&row[j], "logit"), weight = page_fact(&row[j], "weight");
        if (isnan(logit)) continue;
        CHECK(fabs(exp(logit - best) / total - weight) <= 1e-9,
              "%s head %zu.%zu row %zu key %zu: logit %.17g, weight %.17g", x->name, layer, head, i, j, logit,
              weight);
    }
}

/* All pairs of a row, which of them are outlined, and the output. */
static void check_row(const subject *x, const temper_head_info *info, const page_cell *row, size_t layer, size_t head,
                      size_t i) {
    size_t outlined = 0, chosen = 0, visible = 0;
    const double *hard = temper_run_head(x->hard ? x->hard : x->run, layer, head).weights + i * x->size;
    for (size_t j = 0; j < x->size; j++) {
        check_pair(x, info, &row[j], layer, head, i, j);
        if (is_masked(info->mask, i, j)) continue;
        bool wins = strstr(row[j].kind, " w") != NULL;
        visible++;
        chosen += hard[j] > 0;
        outlined += wins;
        CHECK(!wins || hard[j] > 0, "%s head %zu.%zu: outlined %zu,%zu", x->name, layer, head, i, j);
    }
    size_t expected = visible == 1 || chosen < visible ? chosen : 0;
    CHECK(outlined == expected, "%s head %zu.%zu row %zu: %zu outlined, not %zu", x->name, layer, head, i, outlined,
          expected);
    const char *told = strchr(row[x->size].title, '\n');
    if (info->value_size)
        CHECK(told && strtod(told + 1, NULL) == temper_run_row(x->run, layer, head, i).output[0],
              "%s head %zu.%zu output %zu: %s", x->name, layer, head, i, row[x->size].title);
    check_softmax(x, row, layer, head, i);
}

static void check_head(const subject *x, const char *page, size_t layer, size_t head) {
    char id[64];
    temper_head_info info;
    snprintf(id, sizeof id, "<figure id=\"head-%zu-%zu\"", layer, head);
    const char *at = strstr(page, id);
    if (!CHECK(at && !temper_model_head(&info, x->model, layer, head, NULL), "%s: no head %s", x->name, id)) return;
    const char *end = strstr(at, "</figure>");
    page_cell *row = calloc(x->size + 1, sizeof *row);
    at = strstr(at, "<tbody>");
    for (size_t i = 0; at && i < x->size; i++) {
        for (size_t j = 0; at && j <= x->size; j++) at = page_cell_next(&row[j], at, end);
        if (CHECK(at, "%s: row %zu of %s ends early", x->name, i, id)) check_row(x, &info, row, layer, head, i);
    }
    CHECK(at && !page_cell_next(&row[0], at, end), "%s %s: too many cells", x->name, id);
    free(row);
}

static void check_heads(const subject *x, const char *page) {
    for (size_t layer = 1; layer <= x->about.layers; layer++)
        for (size_t head = 1; head <= temper_model_layer(x->model, layer).heads; head++)
            check_head(x, page, layer, head);
}

/* ---- truth ---- */

static bool is_row(const temper_spec *spec, node_id id) {
    formula_op op = spec->graph.nodes[id].op;
    return op != OP_COUNT_PAST && op != OP_COUNT_FUTURE && (op != OP_NOT || id == spec->root);
}

static void check_truth_row(const subject *x, const char *row, const char *label, const unsigned char *truth,
                            node_id id) {
    char shown[1024];
    const char *code = strstr(row, "<code title=\""), *end = strstr(row, "</tr>"), *at = row;
    page_plain(shown, sizeof shown, code + 13, strchr(code + 13, '"'));
    CHECK(!strcmp(shown, label), "%s node %u: labelled %s, not %s", x->name, id, shown, label);
    page_cell c;
    for (size_t i = 0; i < x->size; i++) {
        at = page_cell_next(&c, at, end);
        if (!CHECK(at, "%s %s: the row ends at %zu", x->name, label, i)) return;
        bool letter = i >= 1 && i <= x->n;
        const char *kind = !letter ? "u" : truth[i - 1] ? "t" : "f";
        const char *glyph = !letter ? "" : truth[i - 1] ? "\u25CF" : "\u25CB";
        CHECK(!strcmp(c.kind, kind) && !strcmp(c.content, glyph), "%s %s at %zu: class %s, text %s, expected %s",
              x->name, label, i, c.kind, c.content, kind);
    }
}

/* One row per subformula, and the answers below. */
static void check_truth(const subject *x, const char *page) {
    trap t;
    arena a;
    arena_init(&a, &t);
    if (trap_set(&t, NULL)) {
        CHECK(false, "%s: %s", x->name, t.error.text);
        arena_free(&a);
        return;
    }
    const temper_spec *s = x->spec;
    const unsigned char *marks = formula_reachable(&s->graph, s->root, &a);
    const char *row = strstr(strstr(page, "<table id=\"string\""), "<tbody>");
    unsigned char *truth = arena_zalloc(&a, x->n + 1, 1);
    for (node_id id = 1; id <= s->root; id++) {
        if (!marks[id] || !is_row(s, id)) continue;
        if (x->n) reference_eval(truth, &s->graph, id, x->letters, x->n);
        text label;
        text_init(&label, &a);
        formula_label(&label, &s->graph, &s->letters, id, 72);
        row = strstr(row + 1, "<tr>");
        if (!CHECK(row, "%s: rows are missing", x->name)) break;
        check_truth_row(x, row, label_shown(&a, text_string(&label)), truth, id);
    }
    const char *answer = strstr(page, "<tr class=\"answer\">");
    CHECK(row && answer && strstr(row + 1, "<tr") == answer, "%s: the answers follow", x->name);
    CHECK(!strstr(page, "disagree") && !strstr(page, " x\""), "%s: no difference is marked", x->name);
    size_t parts = temper_model_about(x->model).parts, placed = 0;
    for (const char *at = page; (at = strstr(at, "href=\"#")) && at < answer; at++) placed++;
    for (size_t k = 0; k < temper_model_about(x->model).parts; k++) {
        temper_part_info info;
        if (!temper_model_part(&info, x->model, k, NULL) && info.layer == 0) parts--;
    }
    CHECK(placed == parts, "%s: %zu places of %zu", x->name, placed, parts);
    page_cell c;
    for (size_t i = 0; answer && i < x->size; i++) {
        answer = page_cell_next(&c, answer, page + strlen(page));
        if (answer && i >= 1 && i <= x->n)
            CHECK(*c.kind == (temper_run_about(x->run).truth[i] ? 't' : 'f'), "%s: answer %zu is %s", x->name, i,
                  c.kind);
    }
    arena_free(&a);
    trap_clear(&t);
}

/* ---- what is tried ---- */

static void check_page(subject *x) {
    char *page = page_of(x, 0, 0);
    if (page) {
        check_heads(x, page);
        if (x->spec) check_truth(x, page);
        const char *script = strstr(page, "<script");
        CHECK(script && !strstr(script + 1, "<script"), "%s: one script", x->name);
        CHECK(!strstr(page, "http:") && !strstr(page, "https:") && !strstr(page, " src=") && !strstr(page, "@import"),
              "%s: nothing from elsewhere", x->name);
    }
    temper_free(page);
    subject_free(x);
}

static void test_corpus(void) {
    test_random r = test_seed(71);
    size_t step = test_effort() > 2 ? 2 : test_effort() >= 1 ? 11 : 23; /* no multiple of 3: each method */
    for (size_t k = random_below(&r, step); k < corpus_size(); k += step) {
        const corpus_entry *entry = corpus_at(k);
        temper_spec *spec = corpus_parse(entry);
        uint32_t word[9];
        size_t n = random_below(&r, 9);
        if (!CHECK(spec, "%s", entry->name)) continue;
        random_word(word, n, (unsigned)temper_spec_about(spec).letters, &r);
        subject x;
        if (subject_compile(&x, entry->name, spec, (temper_method)(k % 3), word, n)) check_page(&x);
    }
}

/* Hand-written models have no formula and no parts; softened ones may be adaptive. */
static void test_models(void) {
    test_random r = test_seed(72);
    unsigned rounds = test_effort() < 1 ? 12 : test_effort() > 1 ? 120 : 24; /* twelve have each kind once */
    for (unsigned round = 0; round < rounds; round++) {
        char written[RANDOM_MODEL_TEXT], name[32];
        random_model_options o = {.average = round % 2, .fractions = round % 3 == 0, .varied = round % 4 == 3};
        temper_model *model = random_model(written, &r, &o), *soft = NULL;
        if (!model) continue;
        temper_error e;
        temper_soften_options so = {.method = TEMPER_METHOD_TEMPERATURE,
                                    .length = 6,
                                    .gap = TEMPER_GAP_EXHAUSTIVE,
                                    .adaptive = round % 4 == 1};
        uint32_t word[6];
        size_t n = random_below(&r, 7);
        random_word(word, n, 2, &r);
        snprintf(name, sizeof name, "model %u", round);
        subject x;
        if (round % 4 < 2 && !temper_soften(&soft, NULL, model, &so, &e)) {
            temper_model_free(model);
            model = soft;
        }
        if (subject_run(&x, name, NULL, model, word, n, soft == NULL)) check_page(&x);
    }
}

static temper_spec *parse(const char *source, const char *letters, int tokens) {
    temper_spec *spec = NULL;
    temper_error e;
    temper_spec_options o = {.alphabet = letters, .tokens = tokens};
    CHECK(!temper_spec_parse(&spec, source, strlen(source), &o, &e), "%.60s: %s", source, e.text);
    return spec;
}

static void test_hostile(void) {
    static const char source[] =
        "O ('<&\">' & Y ('</script>' | '&amp;' | '<!--')) | #['漢字'] > #['\u0301'] | O '<img/src=x>' | O '\u202E'";
    static const char letters[] =
        "<&\"> ]]> <!-- &amp; ' </script> \u0301 漢字 <img/src=x> \u202E 😀 a_very_long_token_indeed \x01";
    uint32_t word[13];
    for (uint32_t k = 0; k < 13; k++) word[k] = k;
    temper_spec *spec = parse(source, letters, 1);
    subject x;
    if (!spec || !subject_compile(&x, "hostile", spec, TEMPER_METHOD_TEMPERATURE, word, 13)) return;
    char *page = page_of(&x, 0, 0);
    if (page) {
        CHECK(!strstr(page, "<img") && !strstr(page, "<!--") && !strstr(page, "\u202E") && !strchr(page, 1),
              "nothing of the letters is markup");
        const char *script = strstr(page, "<script>"), *end = strstr(page, "</script>");
        CHECK(script && end > script && !strstr(end + 1, "</script>"), "the script ends once");
        CHECK(strstr(page, "&lt;/script&gt;") && strstr(page, "a_very_long_token_indeed") && strstr(page, "\\x01") &&
                  strstr(page, "&amp;amp;"),
              "letters are there, escaped");
    }
    temper_free(page);
    check_page(&x);

    /* a token of a megabyte does not stand in every page_cell */
    trap t;
    arena a;
    arena_init(&a, &t);
    if (trap_set(&t, NULL)) {
        arena_free(&a);
        return;
    }
    char *token = arena_zalloc(&a, (1 << 20) + 3, 1);
    memset(token, 'x', 1 << 20);
    strcpy(token + (1 << 20), " a");
    uint32_t both[4] = {0, 1, 0, 1};
    if (subject_compile(&x, "long token", parse("O a", token, 1), TEMPER_METHOD_HARD, both, 4)) {
        page = page_of(&x, 0, 0);
        CHECK(page && strlen(page) < 4 << 20, "%zu bytes for a long token", page ? strlen(page) : 0);
        temper_free(page);
        subject_free(&x);
    }
    arena_free(&a);
    trap_clear(&t);
}

/* A channel that lies is found: the first head's query is broken by hand. */
static void test_difference(void) {
    temper_spec *spec = parse("O a & Y b", "ab", 0);
    temper_model *hard = NULL, *soft = NULL, *broken = NULL;
    temper_error e;
    char *written = NULL;
    size_t length = 0;
    if (!spec) return;
    CHECK(!temper_build(&hard, spec, NULL, &e) &&
              !temper_soften(&soft, NULL, hard, &(temper_soften_options){.method = TEMPER_METHOD_TEMPERATURE}, &e) &&
              !temper_model_print(&written, &length, soft, &e),
          "%s", e.text);
    char *embed = written ? strstr(written, "embed \"b\"") : NULL, *line = embed ? strchr(embed, '\n') : NULL;
    if (CHECK(line, "no embedding in\n%s", written)) {
        memset(embed + 9, ' ', (size_t)(line - embed) - 9); /* b is embedded as nothing */
        char *digest = strstr(written, "digest ");
        if (digest) *digest = 0;
        CHECK(!temper_model_read(&broken, written, strlen(written), &e), "%s in\n%s", e.text, written);
    }
    uint32_t word[4] = {0, 1, 1, 0};
    subject x;
    if (broken && subject_run(&x, "broken", NULL, broken, word, 4, 0)) {
        char *page = page_of(&x, 0, 0);
        CHECK(page && strstr(page, "disagree at ") && strstr(page, " x\"") && strstr(page, "holds 0, not 1"),
              "the difference is marked");
        CHECK(page && strstr(page, "proved (hard choices)") && !strstr(page, "proved (formula)"),
              "only its own hard choices are proved");
        temper_free(page);
        subject_free(&x);
    }
    temper_free(written);
    temper_model_free(hard);
    temper_model_free(soft);
    temper_spec_free(spec);
}

/* A source that cannot be read, or that has other letters, leaves what the channels hold. */
static void test_strange_source(void) {
    static const char *const sources[] = {"O O (", "O c", ""};
    temper_spec *spec = parse("O a & Y b", "ab", 0);
    temper_model *hard = NULL;
    temper_error e;
    char *written = NULL;
    size_t length;
    if (!spec) return;
    CHECK(!temper_build(&hard, spec, NULL, &e) && !temper_model_print(&written, &length, hard, &e), "%s", e.text);
    for (size_t k = 0; k < 3 && written; k++) {
        char changed[8192];
        char *line = strstr(written, "source "), *end = strchr(line, '\n'), *digest = strstr(written, "digest ");
        snprintf(changed, sizeof changed, "%.*ssource \"%s\"%.*s", (int)(line - written), written, sources[k],
                 (int)(digest - end), end);
        temper_model *model = model_from(changed);
        uint32_t word[3] = {0, 1, 1};
        subject x;
        if (!model || !subject_run(&x, sources[k], NULL, model, word, 3, 0)) continue;
        char *page = page_of(&x, 0, 0);
        CHECK(page && strstr(page, "is what the channel holds") && !strstr(page, "disagree"), "%s", sources[k]);
        temper_free(page);
        check_page(&x);
    }
    temper_free(written);
    temper_model_free(hard);
    temper_spec_free(spec);
}

static void test_limits(void) {
    static uint32_t word[2100];
    subject x;
    temper_error e;
    char *page;
    if (subject_compile(&x, "long", parse("O a & Y a", "ab", 0), TEMPER_METHOD_TEMPERATURE, word, 400)) {
        page = page_of(&x, 0, 0);
        CHECK(page && strstr(page, "401 positions: each cell shows the largest weight of 2 x 2; choose one"),
              "blocks");
        CHECK(page && strlen(page) < 32 << 20, "%zu bytes", page ? strlen(page) : 0);
        temper_free(page);
        page = page_of(&x, 1, 1);
        CHECK(page && strstr(page, "id=\"head-1-1\"") && !strstr(page, "id=\"head-1-2\""), "one head");
        temper_free(page);
        temper_draw_options o = {.layer = 9};
        CHECK(temper_draw_html(&page, x.model, x.run, x.letters, &o, &e) == TEMPER_RANGE && !page, "layer 9");
        subject_free(&x);
    }
    if (subject_compile(&x, "too long", parse("O a", "ab", 0), TEMPER_METHOD_HARD, word, 2048)) {
        CHECK(temper_draw_html(&page, x.model, x.run, x.letters, NULL, &e) == TEMPER_LIMIT && !page &&
                  strstr(e.text, "2049 positions are too many for a page: the limit is 2048"),
              "%s", e.text);
        subject_free(&x);
    }
    /* a formula of many subformulas: the outer ones are shown */
    text many;
    trap t;
    arena a;
    arena_init(&a, &t);
    if (trap_set(&t, NULL)) {
        arena_free(&a);
        return;
    }
    text_init(&many, &a);
    for (size_t k = 0; k < 2000; k++) text_putc(&many, '(');
    text_putc(&many, 'a');
    for (size_t k = 0; k < 2000; k++) text_puts(&many, k % 2 ? " -> b)" : " -> O a)");
    if (subject_compile(&x, "many", parse(text_string(&many), "ab", 0), TEMPER_METHOD_HARD, word, 60)) {
        page = page_of(&x, 1, 1);
        CHECK(page && strstr(page, "inner subformulas are left out"), "rows are left out");
        temper_free(page);
        subject_free(&x);
    }
    arena_free(&a);
    trap_clear(&t);
}

static void test_small(void) {
    uint32_t word[2] = {0, 1};
    subject x;
    if (subject_compile(&x, "empty string", parse("O a", "ab", 0), TEMPER_METHOD_POSITIONS, word, 0)) check_page(&x);
    if (subject_compile(&x, "one letter", parse("F a", "ab", 0), TEMPER_METHOD_POSITIONS, word, 1)) check_page(&x);
    if (subject_compile(&x, "no heads", parse("a & !b", "ab", 0), TEMPER_METHOD_TEMPERATURE, word, 2)) check_page(&x);
    if (!subject_compile(&x, "no capture", parse("O a", "ab", 0), TEMPER_METHOD_HARD, word, 2)) return;
    temper_run *bare;
    temper_error e;
    char *page;
    if (CHECK(!temper_model_run(&bare, x.model, x.letters, x.n, NULL, &e), "%s", e.text)) {
        CHECK(temper_draw_html(&page, x.model, bare, x.letters, NULL, &e) == TEMPER_RANGE && !page,
              "nothing captured");
        temper_run_free(bare);
    }
    temper_run *other;
    temper_run_options capture = {.capture = 1, .hard = 1};
    if (CHECK(!temper_model_run(&other, x.model, x.letters, 1, &capture, &e), "%s", e.text)) {
        temper_draw_options o = {.hard = other};
        CHECK(temper_draw_html(&page, x.model, x.run, x.letters, &o, &e) == TEMPER_RANGE && !page, "another string");
        temper_run_free(other);
    }
    subject_free(&x);
}

/* Memory may run out at any allocation: a status and no page. */
static void test_no_memory(void) {
    uint32_t word[3] = {0, 1, 0};
    subject x;
    if (!subject_compile(&x, "no memory", parse("a S b", "ab", 0), TEMPER_METHOD_TEMPERATURE, word, 3)) return;
    bool done = false;
    for (unsigned long k = 1; !done && k < 2000; k++) {
        char *page;
        temper_error e;
        arena_fail_after(k);
        temper_status status = temper_draw_html(&page, x.model, x.run, x.letters, NULL, &e);
        arena_fail_after(0);
        done = status == TEMPER_OK;
        CHECK(done || (status == TEMPER_NO_MEMORY && !page), "allocation %lu: %s", k, e.text);
        temper_free(page);
    }
    CHECK(done, "it ends");
    subject_free(&x);
}

/* ---- several outputs ---- */

static size_t occurrences(const char *page, const char *words) {
    size_t count = 0;
    for (const char *at = page; (at = strstr(at, words)); at += strlen(words)) count++;
    return count;
}

/* A row for each output with a cell for each position, and no verdict: the page says what is written or may come. */
static void test_outputs(void) {
    static const struct {
        const char *text, *row, *says;
    } all[] = {
        {"transduce\nalphabet a b\nemit '<' = a & Y b\nemit nothing = b & Y b\nemit x otherwise\n", ">is written<",
         "writes</span> <code>xx&lt;xx</code> <span>for"},
        {"transduce\nalphabet a b\nemit x = a\nemit y = O a\n", ">is written<", "2 outputs hold"},
        {"next\nalphabet a b\nregex (ab)*\n", ">may come<", "nothing may come"},
        {"next\nalphabet a b\nregex (a|b)*ab\n", ">may come<", "next</span> <code>a b</code> <span>after"},
    };
    static const uint32_t letters[] = {0, 1, 0, 0, 1, 1};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        subject x;
        temper_spec *spec;
        temper_error e;
        if (!CHECK(!temper_spec_parse(&spec, all[k].text, strlen(all[k].text), NULL, &e), "%s: %s", all[k].text,
                   e.text) ||
            !subject_compile(&x, all[k].text, spec, TEMPER_METHOD_TEMPERATURE, letters, 6))
            continue;
        char *page = page_of(&x, 0, 0);
        if (page) {
            CHECK(occurrences(page, all[k].row) == x.about.outputs, "%s: rows of outputs", x.name);
            CHECK(strstr(page, all[k].says) && !strstr(page, "rejects") && !strstr(page, "accepts"), "%s: no %s",
                  x.name, all[k].says);
        }
        temper_free(page);
        subject_free(&x);
    }
}

/* A regular language has a row of its own, with the truth of the specification, and above it those of the formula
   that stands for it. */
static void test_languages(void) {
    static const struct {
        const char *text, *label, *inside;
        bool root;
    } all[] = {
        {"alphabet a b c\nregex (ab)*c\n", "/(ab)*c/", "Y a", true},
        {"alphabet a b\nregex a(a|b)*\n", "/a(a|b)*/", "first", true},
        {"alphabet a b\nO /(ab)*/ & Y a\n", "/(ab)*/", "Y a", false},
        {"alphabet a b\nO /(a|b)*a(a|b){3}/\n", "/(a|b)*a(a|b){3}/", "Y Y a", false},
    };
    static const uint32_t letters[] = {0, 1, 0, 1, 1, 0};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        subject x;
        temper_spec *spec;
        temper_error e;
        if (!CHECK(!temper_spec_parse(&spec, all[k].text, strlen(all[k].text), NULL, &e), "%s: %s", all[k].text,
                   e.text) ||
            !subject_compile(&x, all[k].text, spec, (temper_method)(k % 3), letters, 6))
            continue;
        char *page = page_of(&x, 0, 0), of[80], in[80];
        snprintf(of, sizeof of, "<code title=\"%s\"", all[k].label);
        snprintf(in, sizeof in, "<code title=\"%s\"", all[k].inside);
        const char *row = page ? strstr(page, "<tbody>") : NULL, *found = page ? strstr(page, of) : NULL;
        if (CHECK(row && found, "%s: a row %s", x.name, of)) {
            for (const char *next; (next = strstr(row + 1, "<tr>")) && next < found;) row = next;
            unsigned char truth[6];
            int accept;
            if (all[k].root && CHECK(!temper_spec_eval(&accept, truth, x.spec, letters, 6, &e), "%s", e.text))
                check_truth_row(&x, row, all[k].label, truth, 0);
            CHECK(strstr(page, in) && strstr(page, in) < found, "%s: a row %s before %s", x.name, in, of);
            CHECK(!strstr(page, "disagree") && !strstr(page, " x\""), "%s: no difference is marked", x.name);
        }
        temper_free(page);
        subject_free(&x);
    }
}

int main(void) {
    test_corpus();
    test_outputs();
    test_languages();
    test_models();
    test_hostile();
    test_difference();
    test_strange_source();
    test_limits();
    test_small();
    test_no_memory();
    return test_finish("t-html");
}
