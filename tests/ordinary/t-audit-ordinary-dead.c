/* Files in which something happens at <dead> that no string of letters shows: the audit refuses those in which a
   number is beyond f16 or f32 there, and those in which something may be legal after it. Of short ones the
   emulator of kernels shows what it refuses: an edit that is taken is right on every string that is run, and one
   that is refused is wrong on some. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ordinary/files/gguf_write.h"
#include "ordinary/run/ordinary_run.h"
#include "ordinary_after_dead.h"
#include "ordinary_certificate_page.h"
#include "ordinary_trials.h"

typedef enum where { IN_STEP, IN_VALUE, IN_KEY, IN_QUERY, IN_OUTPUT } where;

typedef struct edit {
    const char *source;
    unsigned setting; /* ordinary_setting */
    size_t length;
    where where;
    lift_role role; /* of the head */
    double by;
    const char *reason; /* NULL: the audit takes it */
    bool is_wrong;      /* the emulator finds a string */
} edit;

enum { GPT2, LLAMA, F16_WEIGHTS = 2, F16_CACHE = 4, DIGITS = 8 };

static const edit edits[] = {
    /* units of f16 weights */
    {"a S b", LLAMA | F16_WEIGHTS, 24, IN_STEP, 0, 2 * 64 * 400.0, "a unit may be beyond f16", false},
    {"a S b", GPT2 | F16_WEIGHTS, 24, IN_STEP, 0, 2 * 64 * 200.0, NULL, false},
    {"a S b", LLAMA, 24, IN_STEP, 0, 2 * 64 * 400.0, NULL, false},
    {"a S b", LLAMA | F16_WEIGHTS, 24, IN_STEP, 0, 2 * 64 * 200.0, NULL, false},
    /* what a cache in f16 adds up */
    {"#[a] >= #[b]", LLAMA | F16_CACHE, 200, IN_VALUE, LIFT_MEAN, 512, "sums of values may be beyond f16", true},
    {"#[a] >= #[b]", GPT2 | F16_CACHE, 200, IN_VALUE, LIFT_MEAN, 512, "sums of values may be beyond f16", true},
    {"#[a] >= #[b]", LLAMA | F16_CACHE, 200, IN_VALUE, LIFT_MEAN, 128, NULL, false},
    {"#[a] >= #[b]", LLAMA, 200, IN_VALUE, LIFT_MEAN, 512, NULL, false},
    {"a S b", LLAMA | F16_CACHE, 24, IN_KEY, LIFT_NEAREST, 0x1p16, "a key may be beyond f16", true},
    {"a S b", LLAMA | F16_CACHE, 24, IN_QUERY, LIFT_NEAREST, 0x1p16, "a query may be beyond f16", true},
    {"a S b", LLAMA, 24, IN_KEY, LIFT_NEAREST, 0x1p16, NULL, false},
    {"#[a] % 2 = 0", GPT2 | F16_CACHE, 100, IN_VALUE, LIFT_WEIGHED, 256, "a query may be beyond f16", true},
    /* so many that <dead> takes less: 4,096 up to 2,048 of them, 1,024 of 8,192 */
    {"a S b", LLAMA | F16_CACHE, 1000, IN_OUTPUT, 0, 1500, NULL, false},
    {"a S b", LLAMA | F16_CACHE | DIGITS, 8191, IN_OUTPUT, 0, 1500, "legal after 8191 tokens with <dead>", false},
    {"a S b", GPT2 | F16_CACHE, 8191, IN_OUTPUT, 0, 1500, "legal after 8191 tokens with <dead>", false},
    {"a S b", LLAMA | DIGITS, 8191, IN_OUTPUT, 0, 1500, NULL, false},
    {"a S b", LLAMA, 24, IN_OUTPUT, 0, 2050, NULL, false},
    {"a S b", LLAMA, 24, IN_OUTPUT, 0, 2060, "may be legal after 24 tokens with <dead>", false},
    {"a S b", LLAMA, 24, IN_OUTPUT, 0, 2200, "may be legal after 24 tokens with <dead>", false},
    {"a S b", LLAMA, 24, IN_OUTPUT, 0, 4096, "may be legal after <dead>", false}};

typedef struct attempt {
    const edit *edit;
    const temper_spec *read;
    struct ordinary_options options;
    struct ordinary_model *m;
    text file, certificate;
} attempt;

static char path[TEST_FOLDER + 40];

static const char *words(const edit *t) {
    static char out[400];
    struct ordinary_options o = ordinary_setting(t->setting, t->length);
    snprintf(out, sizeof out, "%s, %g more at <dead>, place %d, %s", ordinary_setting_text(t->source, &o), t->by,
             (int)t->where, lift_role_name(t->role));
    return out;
}

static float *row_of(const lift_form *f) {
    union {
        const float *from;
        float *to;
    } same = {f->row};
    return same.to;
}

static void change(const attempt *x, const lift *u) {
    const edit *t = x->edit;
    if (t->where == IN_OUTPUT) after_dead_add(x->m, u, row_of(&u->logits[2]), t->by);
    if (t->where == IN_STEP) {
        float *row = row_of(&u->steps[0].sum);
        after_dead_add(x->m, u, row, t->by);
        after_dead_add(x->m, u, row + x->m->width, t->by);
    }
    for (size_t k = 0; k < u->head_count; k++) {
        const lift_head *h = &u->heads[k];
        if (h->role != t->role || t->where == IN_STEP || t->where == IN_OUTPUT || h->values[0].column == u->died)
            continue;
        const lift_form *f = t->where == IN_VALUE ? &h->values[0].value
                             : t->where == IN_KEY ? &h->products[0].key
                                                  : &h->products[0].query;
        after_dead_add(x->m, u, row_of(f), t->by);
        return;
    }
}

/* The file of the model as it is now, and its certificate. */
static void print_file(attempt *x, arena *a) {
    gguf_file f;
    struct ordinary_file file;
    text_init(&x->file, a);
    text_init(&x->certificate, a);
    gguf_print(&x->file, x->m, ordinary_tokens_make(x->m, a), "a name", x->options.weights == ORDINARY_F16);
    gguf_open(&f, x->file.data, x->file.length, a);
    ordinary_read(&file, &f, a);
    const lift *u = lift_file(&file, ORDINARY_GGUF, a);
    ordinary_certificate_page(&x->certificate, &x->options, x->read, file.model, u, &x->file);
}

static temper_status audit_file(const attempt *x, temper_error *why) {
    if (!CHECK(temper_file_write(path, x->file.data, x->file.length, why) == TEMPER_OK, "%s", why->text))
        return TEMPER_IO;
    return temper_audit(x->certificate.data, x->certificate.length, NULL, 0, &(temper_audit_options){.path = path},
                        why);
}

typedef struct printing {
    attempt *x;
    arena *a;
} printing;

static void print_again(void *context) {
    printing *p = context;
    print_file(p->x, p->a);
}

/* What is refused may have no form. */
static bool is_taken(attempt *x, arena *a, temper_error *why) {
    trap inside, *outside = a->trap;
    printing p = {x, a};
    a->trap = &inside;
    bool done = trap_attempt(&inside, why, print_again, &p);
    a->trap = outside;
    return done && audit_file(x, why) == TEMPER_OK;
}

static bool is_right(const attempt *x, arena *a, test_random *r) {
    size_t n = x->edit->length;
    uint32_t *tokens = arena_alloc(a, n + 1, sizeof *tokens), token;
    float *logits = arena_alloc(a, (n + 1) * x->m->vocabulary, sizeof *logits);
    bool right = true;
    arena scratch;
    arena_init(&scratch, a->trap);
    for (int k = 0; k < 12 && right; k++) {
        struct ordinary_kernel kernel = {.fused = k % 2, .f16_cache = x->options.kv == ORDINARY_F16};
        kernel.f16_weights = x->options.weights == ORDINARY_F16;
        for (size_t j = 1; j <= n; j++) tokens[j] = ORDINARY_LETTERS + (uint32_t)random_below(r, 3);
        tokens[0] = ORDINARY_BOS;
        size_t first = k < 2 ? 1 : after_dead_draw(tokens, n, x->m, r);
        for (size_t j = 1; j <= n && k < 2; j++) tokens[j] = x->m->vocabulary - 1;
        ordinary_run(logits, ordinary_runner_new(a, x->m, &kernel), tokens, n + 1, &scratch);
        for (size_t j = first; j <= n && right; j++)
            right = after_dead_holds(&token, logits + j * x->m->vocabulary, x->m);
    }
    arena_free(&scratch);
    return right;
}

static void try_edit(entry *e, void *context) {
    attempt *x = context;
    const edit *t = x->edit;
    temper_error why = {0};
    test_random r = test_seed(91);
    temper_spec *spec = ordinary_parse(t->source, "abc");
    if (!spec) return;
    x->options = ordinary_setting(t->setting, t->length);
    const temper_model *hard = ordinary_hard_model(e, spec, &x->read);
    x->m = ordinary_from_model(&e->memory, hard, &x->options);
    const lift *u = lift_file(&(struct ordinary_file){.model = x->m, .name = ""}, ORDINARY_GGUF, &e->memory);
    CHECK(is_taken(x, &e->memory, &why), "%s: before the edit: %s", words(t), why.text);
    change(x, u);
    bool taken = is_taken(x, &e->memory, &why);
    CHECK(t->reason ? !taken && strstr(why.text, t->reason) : taken, "%s: %s, not '%s'", words(t),
          taken ? "taken" : why.text, t->reason ? t->reason : "taken");
    if (t->length <= 200) {
        bool right = is_right(x, &e->memory, &r);
        CHECK(right == !t->is_wrong, "%s: the emulator is %s", words(t), right ? "right" : "wrong");
    }
    temper_spec_free(spec);
}

int main(void) {
    char folder[TEST_FOLDER];
    if (!test_folder(folder)) return 1;
    snprintf(path, sizeof path, "%s/model.gguf", folder);
    for (size_t k = 0; k < sizeof edits / sizeof *edits; k++) {
        temper_error e = {0};
        attempt x = {.edit = &edits[k]};
        CHECK(entry_run(&e, try_edit, &x) == TEMPER_OK, "%s: %s", words(&edits[k]), e.text);
    }
    unlink(path);
    rmdir(folder);
    return test_finish("t-audit-ordinary-dead");
}
