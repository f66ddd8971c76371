/* Files of ordinary transformers, edited so that they keep the form, with certificates that name the new file: the
   audit refuses them, or every answer is still right in every kernel that the page knows. TEMPER_HUNT=full: 10^5
   files. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ordinary/files/gguf_write.h"
#include "ordinary/run/ordinary_run.h"
#include "ordinary_after_dead.h"
#include "ordinary_certificate_page.h"
#include "ordinary_edits.h"
#include "ordinary_trials.h"

static struct { size_t models, edited, unwritable, shapeless, refused, accepted, verdicts; } total;

static char folder[TEST_FOLDER], path[TEST_FOLDER + 40];
static pid_t owner; /* of the file */

typedef struct hunt {
    const char *name;
    const temper_spec *spec;
    struct ordinary_options options;
    test_random *random;
    size_t changes;
} hunt;

/* One edited file. */
typedef struct game {
    const hunt *hunt;
    const temper_spec *read;
    const struct ordinary_model *original, *oracle; /* the oracle is a GPT-2 in f32 for longer strings */
    const text *bytes;                              /* of the original */
    struct ordinary_options claim;
    struct ordinary_model *m;
    text what; /* in the outer arena */
    text made, certificate;
    bool is_written, has_form;
} game;

static const char *setting(const game *g) {
    static char out[1000];
    snprintf(out, sizeof out, "%s%.600s", ordinary_setting_text(g->hunt->name, &g->hunt->options),
             g->what.length ? g->what.data : "");
    return out;
}

/* ---- strings ---- */

enum { STRINGS = 8 };

static void draw_string(uint32_t *tokens, size_t n, uint32_t letters, test_random *r) {
    uint32_t a = (uint32_t)random_below(r, letters), b = (uint32_t)random_below(r, letters);
    size_t kind = random_below(r, 6), at = 1 + random_below(r, n), block = 1 + random_below(r, n);
    tokens[0] = ORDINARY_BOS;
    for (size_t j = 1; j <= n; j++) {
        uint32_t x = a;
        switch (kind) {
        case 0: x = (uint32_t)random_below(r, letters); break;
        case 1: break;                            /* one letter */
        case 2: x = j == at ? b : a; break;       /* one among others */
        case 3: x = j % 2 ? a : b; break;         /* in turn */
        case 4: x = j / block % 2 ? a : b; break; /* blocks */
        default: x = j <= at ? a : (uint32_t)random_below(r, letters); break;
        }
        tokens[j] = ORDINARY_LETTERS + x;
    }
}

/* After <dead> it has all of the probability. */
static bool compare_dead(const game *g, uint32_t *tokens, size_t n, arena *a) {
    const struct ordinary_model *m = g->m;
    size_t first = after_dead_draw(tokens, n, m, g->hunt->random), count = n + 1;
    float *is = arena_alloc(a, count * m->vocabulary, sizeof *is);
    arena scratch;
    bool right = true;
    arena_init(&scratch, a->trap);
    for (int k = 0; k < 3 && right; k++) {
        struct ordinary_kernel kernel = {.fused = k == 1, .f32_norm = k == 2};
        kernel.f16_cache = k < 2 && g->claim.kv == ORDINARY_F16;
        kernel.f16_weights = k < 2 && g->claim.weights == ORDINARY_F16;
        ordinary_run(is, ordinary_runner_new(a, m, &kernel), tokens, count, &scratch);
        for (size_t j = first; j < count && right; j++) {
            uint32_t token;
            total.verdicts++;
            right = after_dead_holds(&token, is + j * m->vocabulary, m);
            if (!right)
                CHECK(false, "%s: kernel %d, %zu tokens after <dead>, at %zu, token %u has %g", setting(g), k,
                      j - first, first, token, (double)is[j * m->vocabulary + token]);
        }
    }
    arena_free(&scratch);
    return right;
}

static double nearest_answer(double x) { return x > -64 ? 0 : x > -192 ? -128 : -256; }

/* What the oracle says in plain f32 is what the specification says; the edited model must say that. */
static bool compare(const game *g, const uint32_t *tokens, size_t n, arena *a) {
    static const struct ordinary_kernel kernels[] = {{0}, {.fused = true}, {.f32_norm = true}};
    const struct ordinary_model *m = g->m, *o = g->oracle;
    float *is = arena_alloc(a, (n + 1) * m->vocabulary, sizeof *is),
          *truth = arena_alloc(a, (n + 1) * m->vocabulary, sizeof *is);
    arena scratch;
    bool right = true;
    arena_init(&scratch, a->trap);
    ordinary_run(truth, ordinary_runner_new(a, o, &(struct ordinary_kernel){0}), tokens, n + 1, &scratch);
    for (size_t k = n > 500; k < (n > 500 ? 2 : 3) && right; k++) {
        /* llama.cpp with what is claimed, in one pass and in two; PyTorch */
        struct ordinary_kernel kernel = kernels[k];
        if (k < 2 && g->claim.kv == ORDINARY_F16) kernel.f16_cache = true;
        if (k == 1 && g->claim.kv != ORDINARY_F16) kernel.fused = false;
        if (k < 2 && g->claim.weights == ORDINARY_F16) kernel.f16_weights = true;
        ordinary_run(is, ordinary_runner_new(a, m, &kernel), tokens, n + 1, &scratch);
        for (size_t j = 0; j < (n + 1) * m->vocabulary && right; j++) {
            double answer = nearest_answer((double)truth[j]);
            total.verdicts++;
            right = fabs((double)is[j] - answer) <= 32;
            if (!right)
                CHECK(false, "%s: kernel %zu, after %zu of %zu letters token %zu has %g, not %g", setting(g), k,
                      j / m->vocabulary, n, j % m->vocabulary, (double)is[j], answer);
        }
    }
    if (!right) {
        fputs("   string:", stderr);
        for (size_t j = 1; j <= n && j < 60; j++) fprintf(stderr, " %s", m->tokens[tokens[j]]);
        fputc('\n', stderr);
    }
    arena_free(&scratch);
    return right;
}

/* ---- one edited file ---- */

static void make_edited(entry *e, void *context) {
    game *g = context;
    gguf_file f;
    struct ordinary_file file;
    text again;
    gguf_open(&f, g->bytes->data, g->bytes->length, &e->memory);
    ordinary_read(&file, &f, &e->memory);
    lift *u = lift_file(&file, ORDINARY_GGUF, &e->memory);
    g->claim = g->hunt->options;
    for (size_t k = 1 + random_below(g->hunt->random, 3); k > 0; k--)
        ordinary_edit(file.model, &g->claim, u, g->hunt->random, &g->what);
    text_init(&again, &e->memory);
    gguf_print(&again, file.model, ordinary_tokens_make(file.model, &e->memory), "a name",
               g->claim.weights == ORDINARY_F16);
    text_add(&g->made, again.data, again.length);
    g->is_written = true;
}

static void read_edited(entry *e, void *context) {
    game *g = context;
    gguf_file f;
    struct ordinary_file file;
    gguf_open(&f, g->made.data, g->made.length, &e->memory);
    ordinary_read(&file, &f, &e->memory);
    lift *u = lift_file(&file, ORDINARY_GGUF, &e->memory);
    file.model->mirrored = g->original->mirrored;
    ordinary_certificate_page(&g->certificate, &g->claim, g->read, file.model, u, &g->made);
    g->has_form = true;
}

static void run_edited(entry *e, void *context) {
    game *g = context;
    gguf_file f;
    struct ordinary_file file;
    gguf_open(&f, g->made.data, g->made.length, &e->memory);
    ordinary_read(&file, &f, &e->memory);
    g->m = file.model;
    uint32_t most = g->m->positions < g->oracle->positions ? g->m->positions : g->oracle->positions;
    uint32_t *tokens = arena_alloc(&e->memory, most, sizeof *tokens);
    for (int k = 0; k < (most > 500 ? 2 : STRINGS) && most > 1; k++) {
        size_t n = k % 2 ? most - 1 : 1 + random_below(g->hunt->random, most - 1);
        draw_string(tokens, n, (uint32_t)g->read->letters.count, g->hunt->random);
        if (!compare(g, tokens, n, &e->memory) || !compare_dead(g, tokens, n, &e->memory)) return;
    }
}

static void play(entry *e, const hunt *h, const temper_spec *read, const struct ordinary_model *m,
                 const struct ordinary_model *oracle, const text *bytes) {
    game g = {.hunt = h, .read = read, .original = m, .oracle = oracle, .bytes = bytes};
    temper_error why = {0};
    text_init(&g.what, &e->scratch);
    text_init(&g.made, &e->scratch);
    text_init(&g.certificate, &e->scratch);
    total.edited++;
    entry_run(&why, make_edited, &g);
    if (!g.is_written) {
        total.unwritable++;
        return;
    }
    entry_run(&why, read_edited, &g);
    if (!g.has_form) {
        total.shapeless++;
        return;
    }
    owner = getpid(); /* a mutant is a process of its own */
    snprintf(path, sizeof path, "%s/%d.gguf", folder, (int)owner);
    if (!CHECK(temper_file_write(path, g.made.data, g.made.length, &why) == TEMPER_OK, "%s", why.text)) return;
    temper_status s =
        temper_audit(g.certificate.data, g.certificate.length, NULL, 0, &(temper_audit_options){.path = path}, &why);
    CHECK(s == TEMPER_OK || s == TEMPER_RANGE || s == TEMPER_FORMAT || s == TEMPER_LIMIT, "%s: %s", setting(&g),
          why.text);
    if (s != TEMPER_OK) {
        total.refused++;
        if (getenv("ORDINARY_SHOW")) printf("refused: %s: %s\n", setting(&g), why.text);
        return;
    }
    total.accepted++;
    if (getenv("ORDINARY_SHOW")) printf("accepted: %s\n", setting(&g));
    s = entry_run(&why, run_edited, &g);
    CHECK(s == TEMPER_OK, "%s: %s", setting(&g), why.text);
}

static void run_hunt(entry *e, void *context) {
    const hunt *h = context;
    const temper_spec *read;
    const temper_model *hard = ordinary_hard_model(e, h->spec, &read);
    struct ordinary_model *m = ordinary_from_model(&e->memory, hard, &h->options);
    struct ordinary_options plain = {.length = 4 * h->options.length + 16};
    struct ordinary_model *oracle = ordinary_from_model(&e->memory, hard, &plain);
    text bytes;
    text_init(&bytes, &e->memory);
    gguf_print(&bytes, m, ordinary_tokens_make(m, &e->memory), "a name", h->options.weights == ORDINARY_F16);
    total.models++;
    for (size_t k = 0; k < h->changes; k++) {
        play(e, h, read, m, oracle, &bytes);
        arena_reset(&e->scratch);
    }
}

static void try_text(const char *source, const struct ordinary_options *o, test_random *r, size_t changes) {
    temper_error e = {0};
    temper_spec *s = ordinary_parse(source, "abc");
    if (!s) return;
    hunt h = {.name = source, .spec = s, .options = *o, .random = r, .changes = changes};
    temper_status status = entry_run(&e, run_hunt, &h);
    CHECK(status == TEMPER_OK || status == TEMPER_UNSUPPORTED || status == TEMPER_LIMIT, "%s: %s", source, e.text);
    temper_spec_free(s);
}

int main(void) {
    static const char *const sources[] = {"O a",
                                          "H(b -> O a)",
                                          "a S b",
                                          "(Y a) S (b & Y c)",
                                          "Z (a T b)",
                                          "#[a] >= #[b]",
                                          "/(ab|ba)*c?/",
                                          "O (a & Y O b)",
                                          "Y a",
                                          "3*#[a] >= #[b] + 2",
                                          "#[true] % 3 = 1 & a",
                                          "H(#[a] >= #[b]) & #[a] = #[b]",
                                          "first | Y Y a",
                                          "#[a] % 2 = 0",
                                          "a @ #[b]"};
    static const size_t lengths[] = {3, 12, 40, 40, 100, 200, 1000};
    const char *full = getenv("TEMPER_HUNT");
    size_t files = full && strcmp(full, "full") == 0 ? 100000 : (size_t)(60 * test_effort());
    test_random r = test_seed(63);
    if (!test_folder(folder)) return 1;
    while (total.edited < files) {
        struct ordinary_options o =
            ordinary_setting(random_below(&r, 16), lengths[random_below(&r, sizeof lengths / sizeof *lengths)]);
        if (o.positions != ORDINARY_POSITIONS_DIGITS && random_below(&r, 2)) o.positions = ORDINARY_POSITIONS_RAMP;
        size_t k = random_below(&r, sizeof sources / sizeof *sources);
        if (o.length > 500 && random_below(&r, 4)) continue;
        try_text(sources[k], &o, &r, o.length > 500 ? 5 : 20);
    }
    printf(
        "%zu models, %zu edited files: %zu cannot be written, %zu have no form, %zu are refused, %zu accepted; %zu "
        "logits\n",
        total.models, total.edited, total.unwritable, total.shapeless, total.refused, total.accepted, total.verdicts);
    if (owner == getpid()) unlink(path);
    rmdir(folder);
    return test_finish("t-ordinary-hunt");
}
