/* The hunt for a wrong answer of an ordinary transformer that is called proved: odd specifications, every setting, at
   the largest length that is proved, on strings of that length that heads find hard, in every kernel that the page
   knows. The audit must not refuse in another way than by saying what it cannot show. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "ordinary/files/gguf_write.h"
#include "ordinary/run/ordinary_run.h"
#include "ordinary/run/ordinary_answer.h"
#include "ordinary/proof/ordinary_longest.h"
#include "ordinary_certificate_page.h"
#include "ordinary_trials.h"

static struct { size_t specs, refused, unproved, models, strings, rows, audited, unable; } total;

static char folder[TEST_FOLDER], path[TEST_FOLDER + 40];

typedef struct hunt {
    const char *name;
    const temper_spec *spec;
    struct ordinary_options options;
    test_random *random;
} hunt;

/* ---- strings ---- */

enum { KINDS = 9 };

/* One letter; one that is different, at a place; two in turn; blocks of two; few changes; half of each; anything. */
static void draw_string(uint32_t *w, size_t n, size_t kind, uint32_t letters, test_random *r) {
    uint32_t a = (uint32_t)random_below(r, letters), b = (uint32_t)random_below(r, letters);
    size_t at = random_below(r, n), block = 1 + random_below(r, n);
    for (size_t k = 0; k < n; k++) switch (kind) {
        case 0: w[k] = a; break;
        case 1: w[k] = k == 0 ? b : a; break;
        case 2: w[k] = k == at ? b : a; break;
        case 3: w[k] = k + 1 == n ? b : a; break;
        case 4: w[k] = k % 2 ? a : b; break;
        case 5: w[k] = k / block % 2 ? a : b; break;
        case 6: w[k] = 2 * k < n ? a : b; break;
        case 7: w[k] = k && random_below(r, 40) ? w[k - 1] : (uint32_t)random_below(r, letters); break;
        default: w[k] = (uint32_t)random_below(r, letters); break;
        }
}

/* ---- one model ---- */

typedef struct subject {
    const hunt *h;
    ordinary_answers answers;
    uint32_t *letters, *tokens;
    float *logits;
} subject;

static bool run_string(subject *x, const ordinary_runner *runner, size_t n, size_t kind, size_t kernel,
                       arena *scratch) {
    const struct ordinary_model *m = x->answers.m;
    x->tokens[0] = ORDINARY_BOS;
    for (size_t k = 0; k < n; k++) x->tokens[k + 1] = ORDINARY_LETTERS + x->letters[m->mirrored ? n - 1 - k : k];
    ordinary_run(x->logits, runner, x->tokens, n + 1, scratch);
    total.strings++;
    for (size_t row = 0; row <= n; row++) {
        total.rows++;
        if (!CHECK(ordinary_answer_is_right(&x->answers, x->logits + row * m->vocabulary, row, n),
                   "%s: wrong after %zu of %zu letters of a string of kind %zu, kernel %zu",
                   ordinary_setting_text(x->h->name, &x->h->options), row, n, kind, kernel))
            return false;
    }
    return true;
}

static void audit_model(entry *e, const hunt *h, const temper_spec *read, const struct ordinary_model *m) {
    text bytes, certificate;
    gguf_file f;
    struct ordinary_file file;
    temper_error why = {0};
    text_init(&bytes, &e->memory);
    text_init(&certificate, &e->memory);
    gguf_print(&bytes, m, ordinary_tokens_make(m, &e->memory), "a name", h->options.weights == ORDINARY_F16);
    gguf_open(&f, bytes.data, bytes.length, &e->memory);
    ordinary_read(&file, &f, &e->memory);
    ordinary_certificate_page(&certificate, &h->options, read, m, lift_file(&file, ORDINARY_GGUF, &e->memory),
                              &bytes);
    snprintf(path, sizeof path, "%s/model.gguf", folder);
    if (!CHECK(temper_file_write(path, bytes.data, bytes.length, &why) == TEMPER_OK, "%s", why.text)) return;
    temper_status s =
        temper_audit(certificate.data, certificate.length, NULL, 0, &(temper_audit_options){.path = path}, &why);
    total.audited += s == TEMPER_OK;
    total.unable += s != TEMPER_OK;
    CHECK(s == TEMPER_OK || s == TEMPER_RANGE || s == TEMPER_LIMIT, "%s: %s",
          ordinary_setting_text(h->name, &h->options), why.text);
    if (s != TEMPER_OK && getenv("ORDINARY_SHOW"))
        printf("unable: %s: %s\n", ordinary_setting_text(h->name, &h->options), why.text);
}

static void run_hunt(entry *e, void *context) {
    static const struct ordinary_kernel kernels[] = {{.f16_weights = true, .f16_cache = true},
                                                     {.f16_weights = true, .f16_cache = true, .fused = true},
                                                     {.f16_cache = true},
                                                     {.f32_norm = true},
                                                     {.f32_norm = true, .fused = true},
                                                     {0}};
    hunt *h = context;
    const temper_spec *read;
    total.specs++;
    const temper_model *hard = ordinary_hard_model(e, h->spec, &read);
    ordinary_reach reach = ordinary_prove_longest(&e->memory, hard, read, &h->options);
    if (!reach.length) {
        total.unproved++;
        return;
    }
    h->options.length = reach.length;
    struct ordinary_model *m = ordinary_from_model(&e->memory, hard, &h->options);
    size_t n = reach.length;
    subject x = {.h = h, .answers = {m, read, hard->kind, arena_alloc(&e->memory, hard->read.count * (n + 1), 1)}};
    x.letters = arena_alloc(&e->memory, n + 1, sizeof *x.letters);
    x.tokens = arena_alloc(&e->memory, n + 1, sizeof *x.tokens);
    x.logits = arena_alloc(&e->memory, (n + 1) * m->vocabulary, sizeof *x.logits);
    total.models++;
    bool right = true;
    for (size_t kind = 0; kind < KINDS && right; kind++) {
        temper_error why;
        size_t k = random_below(h->random, sizeof kernels / sizeof *kernels);
        struct ordinary_kernel kernel = kernels[k];
        kernel.f16_weights = kernel.f16_weights && h->options.weights == ORDINARY_F16;
        kernel.f16_cache = kernel.f16_cache && h->options.kv == ORDINARY_F16;
        draw_string(x.letters, n, kind, (uint32_t)read->letters.count, h->random);
        if (temper_spec_eval_outputs(x.answers.truth, read, x.letters, n, &why) != TEMPER_OK) return;
        right = run_string(&x, ordinary_runner_new(&e->memory, m, &kernel), n, kind, k, &e->scratch);
    }
    audit_model(e, h, read, m);
}

/* ---- specifications ---- */

static const char *const odd[] = {
    "alphabet a\nO a",
    "alphabet a\n#[a] % 3 = 1",
    "alphabet a\nY Y Y a",
    "alphabet a b\nfirst",
    "alphabet a b\nH (a <-> Y b)",
    "alphabet a b c\nb S (a & Y (c S b))",
    "alphabet a b c\n(a T b) S (Y c)",
    "alphabet a b c\nZ Z (a | first)",
    "alphabet a b c\nat first\nF (a & X b)",
    "alphabet a b c\nat first\na U (b R c)",
    "alphabet a b c\nat first\n#>[a] >= #>[b]",
    "alphabet a b c\n17*#[a] >= 13*#[b] + 5",
    "alphabet a b c\n#[a] = #[b] & #[b] = #[c]",
    "alphabet a b c\nO (#[a] >= 2*#[b] + 3)",
    "alphabet a b c\n#[true] % 7 = 3 | #[true] % 5 = 2",
    "alphabet a b c\n#[a & Y b] >= #[c]",
    "alphabet a b c\n/(a(b|c)*a)*b?/",
    "alphabet a b c\n/(..)*a../",
    "alphabet a b c\nY a | Y Y Y Y Y Y b",
    "next\nalphabet ( )\nempty accept\nok = H (#['('] >= #[')'])\nviable ok\nok & #['('] <= #[')']",
    "tokens yes\nalphabet one two three\none S two",
    "tokens yes\nalphabet é ü\nO ('é' & Y 'ü')",
};

/* 200 letters: U+4E00 and on. */
static const char *wide_spec(arena *a, test_random *r) {
    text t;
    text_init(&t, a);
    text_puts(&t, "alphabet ");
    char code[4];
    for (uint32_t k = 0; k < 200; k++) {
        text_add(&t, code, utf8_encode(code, 0x4e00 + k));
        text_putc(&t, ' ');
    }
    text_puts(&t, "\n[");
    for (uint32_t k = 0; k < 1 + random_below(r, 120); k++)
        text_add(&t, code, utf8_encode(code, 0x4e00 + (uint32_t)random_below(r, 200)));
    text_puts(&t, random_below(r, 2) ? "] S [" : "] & O [");
    for (uint32_t k = 0; k < 1 + random_below(r, 120); k++)
        text_add(&t, code, utf8_encode(code, 0x4e00 + (uint32_t)random_below(r, 200)));
    text_puts(&t, "]\n");
    return text_string(&t);
}

static temper_spec *parse(const char *source) {
    temper_spec *s = NULL;
    temper_error e = {0};
    CHECK(temper_spec_parse(&s, source, strlen(source), NULL, &e) == TEMPER_OK, "%s: %s", source, e.text);
    return s;
}

typedef struct wide {
    test_random *random;
    temper_spec *spec;
} wide;

static void make_wide(entry *e, void *context) {
    wide *w = context;
    w->spec = parse(wide_spec(&e->memory, w->random));
}

static void try_one(test_random *r) {
    static const size_t lengths[] = {30, 100, 100, 300, 300, 700, 1500};
    hunt h = {.options = ordinary_setting(random_below(r, 16), lengths[random_below(r, 7)]), .random = r};
    char regex[ORDINARY_REGEX], *written = NULL;
    temper_error e = {0};
    wide w = {.random = r};
    random_shape shape = ordinary_random_shape(r);
    temper_spec *s = NULL;
    switch (random_below(r, 6)) {
    case 0: s = ordinary_random_regex(regex, r), h.name = regex; break;
    case 1:
        if (entry_run(&e, make_wide, &w) != TEMPER_OK) return;
        s = w.spec;
        h.name = "200 letters";
        break;
    case 2:
        shape.past = false;
        shape.future = true;
        shape.counting = false;
        s = ordinary_random_formula(&written, r, &shape);
        h.name = written;
        break;
    case 3:
        s = ordinary_random_formula(&written, r, &shape);
        h.name = written;
        break;
    default: {
        h.name = odd[random_below(r, sizeof odd / sizeof *odd)];
        s = parse(h.name);
    }
    }
    if (!s) return;
    h.spec = s;
    temper_status status = entry_run(&e, run_hunt, &h);
    total.refused += status != TEMPER_OK;
    CHECK(status == TEMPER_OK || status == TEMPER_UNSUPPORTED || status == TEMPER_LIMIT, "%s: %s",
          ordinary_setting_text(h.name, &h.options), e.text);
    temper_spec_free(s);
    temper_free(written);
}

int main(void) {
    size_t trials = (size_t)(300 * test_effort());
    test_random r = test_seed(64);
    if (!test_folder(folder)) return 1;
    for (size_t k = 0; k < trials; k++) try_one(&r);
    printf("%zu specifications and settings: %zu refused by the lowering, %zu without a proof; %zu models, %zu "
           "strings, %zu rows; %zu audited, %zu beyond the audit\n",
           total.specs, total.refused, total.unproved, total.models, total.strings, total.rows, total.audited,
           total.unable);
    unlink(path);
    rmdir(folder);
    return test_finish("long-ordinary");
}
