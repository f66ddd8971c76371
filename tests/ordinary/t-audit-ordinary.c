/* The audit of ordinary transformers: certificates that are true are accepted, and none is that was edited, or whose
   weights, settings, length, source or digests are others. t-ordinary-hunt edits files so that they keep the form. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ordinary/files/gguf_write.h"
#include "ordinary/run/ordinary_run.h"
#include "ordinary_certificate_page.h"
#include "ordinary_trials.h"

static struct { size_t models, accepted, unable, forged, harmless, matches; } total;

typedef struct trial {
    const char *name;
    const temper_spec *spec;
    struct ordinary_options options;
    test_random *random;
    bool must; /* the audit must accept it */
    size_t changes;
} trial;

static char folder[TEST_FOLDER], path[TEST_FOLDER + 40];
static pid_t owner; /* of the file */

static const char *setting(const trial *t) { return ordinary_setting_text(t->name, &t->options); }

/* ---- one audit ---- */

static temper_status audit_file(const char *certificate, size_t length, const text *bytes, temper_error *e) {
    owner = getpid(); /* a mutant is a process of its own */
    snprintf(path, sizeof path, "%s/%d.gguf", folder, (int)owner);
    if (temper_file_write(path, bytes->data, bytes->length, e) != TEMPER_OK) return TEMPER_IO;
    temper_status s = temper_audit(certificate, length, NULL, 0, &(temper_audit_options){.path = path}, e);
    temper_error again = {0};
    CHECK(temper_audit(certificate, length, bytes->data, bytes->length, NULL, &again) == s &&
              strcmp(again.text, e->text) == 0,
          "a file: %s; its bytes: %s", e->text, again.text);
    return s;
}

/* The certificate with other bytes at a place. */
static temper_status audit_forged(const text *certificate, const text *bytes, size_t at, size_t length,
                                  const char *to, temper_error *e) {
    size_t rest = certificate->length - at - length, size = at + strlen(to) + rest;
    char *made = malloc(size + 1);
    memcpy(made, certificate->data, at);
    memcpy(made + at, to, strlen(to));
    memcpy(made + at + strlen(to), certificate->data + at + length, rest + 1);
    temper_status s = audit_file(made, size, bytes, e);
    total.forged++;
    free(made);
    return s;
}

/* The certificate with a text replaced must be refused. */
static void forge(const trial *t, const text *certificate, const text *bytes, const char *from, const char *to) {
    temper_error e = {0};
    const char *at = strstr(certificate->data, from);
    if (!at) return;
    temper_status s = audit_forged(certificate, bytes, (size_t)(at - certificate->data), strlen(from), to, &e);
    CHECK(s == TEMPER_RANGE || s == TEMPER_FORMAT, "%s: '%s' for '%s' is accepted", setting(t), to, from);
}

/* Without one of its members it is no certificate. */
static void forge_members(const trial *t, const text *certificate, const text *bytes) {
    static const char *const inner[] = {"\"layer\": 1, ", "\"head\": 1, ",
                                        "\"role\": ", "\"name\": \"model.gguf\", "};
    temper_error e = {0};
    for (const char *line = certificate->data, *end; (end = strchr(line, '\n')); line = end + 1) {
        if (strncmp(line, "  \"", 3) != 0 || end[-1] != ',') continue; /* what goes over several lines */
        temper_status s =
            audit_forged(certificate, bytes, (size_t)(line - certificate->data), (size_t)(end + 1 - line), "", &e);
        CHECK(s == TEMPER_FORMAT, "%s: without %.30s: %s", setting(t), line, e.text);
    }
    for (size_t k = 0; k < sizeof inner / sizeof *inner; k++) {
        const char *at = strstr(certificate->data, inner[k]), *end = at ? at + strlen(inner[k]) : NULL;
        if (!at) continue;
        if (k == 2) { /* with its value and the comma before it */
            end = strchr(end + 1, '"') + 1;
            at -= 2;
        }
        temper_status s =
            audit_forged(certificate, bytes, (size_t)(at - certificate->data), (size_t)(end - at), "", &e);
        CHECK(s == TEMPER_FORMAT, "%s: without %s: %s", setting(t), inner[k], e.text);
    }
    /* files that are not there are not looked at, but each is named, by a name that a folder has, and once */
    const char *files = strstr(certificate->data, "\"files\": [") + 10;
    static const char *const more[] = {"{\"name\": \"x\"}, ",
                                       "{\"sha256\": \"x\"}, ",
                                       "{}, ",
                                       "{\"name\": \"onnx/model.onnx\", \"sha256\": \"x\"}, ",
                                       "{\"name\": \"x\", \"sha256\": \"x\"}, ",
                                       "{\"name\": \"model.gguf\", \"sha256\": \"x\"}, "};
    static const temper_status verdicts[] = {TEMPER_FORMAT, TEMPER_FORMAT, TEMPER_FORMAT,
                                             TEMPER_OK,     TEMPER_RANGE,  TEMPER_RANGE};
    for (size_t k = 0; k < sizeof more / sizeof *more; k++) {
        temper_status s = audit_forged(certificate, bytes, (size_t)(files - certificate->data), 0, more[k], &e);
        CHECK(s == verdicts[k], "%s: with a file %s: %s", setting(t), more[k], e.text);
    }
}

/* A head that looks for patterns may be called a match, and no other one. */
static void rename_matches(const trial *t, const text *certificate, const text *bytes, const lift *u) {
    const char *at = certificate->data;
    for (size_t k = 0; k < u->head_count; k++) {
        const lift_head *h = &u->heads[k];
        bool pattern = h->content > 1;
        temper_error e = {0};
        for (size_t j = 0; j < h->content; j++) pattern = pattern || h->products[j].query.count;
        at = strstr(at, "\"role\": \"") + 9;
        size_t length = strlen(lift_role_name(h->role));
        temper_status s = audit_forged(certificate, bytes, (size_t)(at - certificate->data), length, "match", &e);
        CHECK((s == TEMPER_OK) == (h->role == LIFT_NEAREST && pattern), "%s: a %s, %s, is called a match: %s",
              setting(t), lift_role_name(h->role), pattern ? "of patterns" : "of one thing", e.text);
        total.matches += s == TEMPER_OK;
    }
}

static void forge_all(const trial *t, const text *certificate, const text *bytes, const struct ordinary_model *m) {
    char from[80], to[80];
    snprintf(from, sizeof from, "\"length\": %zu", t->options.length);
    snprintf(to, sizeof to, "\"length\": %zu", t->options.length + 1);
    forge(t, certificate, bytes, from, to);
    bool f16 = t->options.weights == ORDINARY_F16, llama = m->architecture == ORDINARY_LLAMA;
    forge(t, certificate, bytes, f16 ? "\"weights\": \"f16\"" : "\"weights\": \"f32\"",
          f16 ? "\"weights\": \"f32\"" : "\"weights\": \"f16\"");
    forge(t, certificate, bytes, llama ? "\"llama\"" : "\"gpt2\"", llama ? "\"gpt2\"" : "\"llama\"");
    forge(t, certificate, bytes, "\"sha256\": \"", "\"sha256\": \"0");
    forge(t, certificate, bytes, "\"name\": \"model.gguf\"", "\"name\": \"model.safetensors\"");
    forge(t, certificate, bytes, "\"allowed\": 32", "\"allowed\": 64");
    forge(t, certificate, bytes, "\"allowed\": 32", "\"logits\": \"1\", \"allowed\": 32");
    forge(t, certificate, bytes, "\"role\": \"nearest\"", "\"gap\": \"1\", \"role\": \"nearest\"");
    forge(t, certificate, bytes, "\"which\": \"last\"", "\"which\": \"first\"");
    forge(t, certificate, bytes, "\"which\": \"first\"", "\"which\": \"last\"");
    forge(t, certificate, bytes, "\"role\": \"mean\"", "\"role\": \"mean\", \"which\": \"last\"");
    forge(t, certificate, bytes, "\"balances\": 16", "\"balances\": 8");
    forge(t, certificate, bytes, "#[a] = 3", "#[a] = 4");
    forge(t, certificate, bytes, "#[b] < 4", "#[b] < 5");
    forge(t, certificate, bytes, "#[a] >= 2", "#[a] >= 1");
    forge(t, certificate, bytes, "\"empty\": \"reject\"", "\"empty\": \"accept\"");
    forge(t, certificate, bytes, "\"alphabet\": [\"a\"", "\"alphabet\": [\"x\"");
    forge(t, certificate, bytes, "\"alphabet\": [\"a\", \"b\", \"c\"", "\"alphabet\": [\"a\", \"b\", \"x\"");
    forge(t, certificate, bytes, "\"alphabet\": [\"a\", \"b\", \"c\"", "\"alphabet\": [\"a\", \"b\"");
    forge(t, certificate, bytes, "\"layer\": 1, \"head\": 1", "\"layer\": 1, \"head\": 99");
    forge(t, certificate, bytes, "\"layer\": 1, \"head\": 1", "\"layer\": 99, \"head\": 1");
    forge(t, certificate, bytes, "\"role\": \"nearest\"", "\"role\": \"once\"");
    forge(t, certificate, bytes, "\"role\": \"once\"", "\"role\": \"mean\"");
    forge(t, certificate, bytes, "\"source\": \"", "\"source\": \"probabilities uniform\\n");
    forge(t, certificate, bytes, "\"temper-stock-certificate\": 1", "\"temper-stock-certificate\": 2");
    forge(t, certificate, bytes, "\"claim\": \"formula\"", "\"claim\": \"formula if viable is right\"");
}

/* The emulator's answers on some strings, which are the same for the same seed. */
enum { STRINGS = 12, MOST = 24 };

static void run_strings(unsigned char *answers, const trial *t, const struct ordinary_model *m, uint64_t seed,
                        arena *a) {
    struct ordinary_kernel kernel = {.f16_weights = t->options.weights == ORDINARY_F16};
    const ordinary_runner *x = ordinary_runner_new(a, m, &kernel);
    test_random r = test_seed(seed);
    arena scratch;
    arena_init(&scratch, a->trap);
    for (int k = 0; k < STRINGS; k++) {
        uint32_t tokens[MOST + 1];
        size_t most = t->options.length < MOST ? t->options.length : MOST, n = 1 + random_below(&r, most);
        float *logits = arena_alloc(a, (n + 1) * m->vocabulary, sizeof *logits);
        tokens[0] = ORDINARY_BOS;
        for (size_t j = 1; j <= n; j++) tokens[j] = ORDINARY_LETTERS + (uint32_t)random_below(&r, m->vocabulary - 3);
        ordinary_run(logits, x, tokens, n + 1, &scratch);
        for (size_t j = 0; j < (n + 1) * m->vocabulary; j++) *answers++ = logits[j] > -64;
    }
    arena_free(&scratch);
}

/* A changed weight, with a certificate that has the new digest: refused, or nothing is wrong with the answers. */
static void change_weights(const trial *t, const temper_spec *read, struct ordinary_model *m, const lift *u,
                           arena *memory) {
    ordinary_tensors all = ordinary_tensors_make(m, ORDINARY_GGUF, memory);
    for (size_t k = 0; k < t->changes; k++) {
        ordinary_change c;
        if (!ordinary_change_weight(&c, &all, t->random)) continue;
        text bytes, certificate;
        temper_error e = {0};
        text_init(&bytes, memory);
        text_init(&certificate, memory);
        gguf_print(&bytes, m, ordinary_tokens_make(m, memory), "a name", t->options.weights == ORDINARY_F16);
        ordinary_certificate_page(&certificate, &t->options, read, m, u, &bytes);
        temper_status s = audit_file(certificate.data, certificate.length, &bytes, &e);
        total.forged++;
        CHECK(s == TEMPER_OK || s == TEMPER_RANGE || s == TEMPER_FORMAT, "%s: %s: %s", setting(t), c.what, e.text);
        if (s == TEMPER_OK) { /* then nothing is wrong with it */
            size_t size = (size_t)STRINGS * (MOST + 1) * m->vocabulary;
            unsigned char *now = arena_zalloc(memory, size, 1), *before = arena_zalloc(memory, size, 1);
            run_strings(now, t, m, k, memory);
            *c.at = c.old;
            run_strings(before, t, m, k, memory);
            total.harmless++;
            CHECK(memcmp(now, before, size) == 0, "%s: %s is accepted", setting(t), c.what);
        }
        *c.at = c.old;
    }
}

static void run_trial(entry *e, void *context) {
    const trial *t = context;
    const temper_spec *read;
    const temper_model *hard = ordinary_hard_model(e, t->spec, &read);
    struct ordinary_model *m = ordinary_from_model(&e->memory, hard, &t->options);
    text bytes, certificate;
    gguf_file f;
    struct ordinary_file file;
    temper_error why = {0};
    text_init(&bytes, &e->memory);
    text_init(&certificate, &e->memory);
    gguf_print(&bytes, m, ordinary_tokens_make(m, &e->memory), "a name", t->options.weights == ORDINARY_F16);
    gguf_open(&f, bytes.data, bytes.length, &e->memory);
    ordinary_read(&file, &f, &e->memory);
    lift *u = lift_file(&file, ORDINARY_GGUF, &e->memory);
    ordinary_certificate_page(&certificate, &t->options, read, m, u, &bytes);
    temper_status s = audit_file(certificate.data, certificate.length, &bytes, &why);
    total.models++;
    total.accepted += s == TEMPER_OK;
    total.unable += s != TEMPER_OK;
    CHECK(s == TEMPER_OK || s == TEMPER_RANGE || s == TEMPER_LIMIT, "%s: %s", setting(t), why.text);
    if (t->must) CHECK(s == TEMPER_OK, "%s: %s", setting(t), why.text);
    if (s != TEMPER_OK && getenv("ORDINARY_SHOW")) printf("unable: %s: %s\n", setting(t), why.text);
    if (s != TEMPER_OK || !t->changes) return;
    forge_all(t, &certificate, &bytes, m);
    if (random_below(t->random, 4) == 0) forge_members(t, &certificate, &bytes);
    rename_matches(t, &certificate, &bytes, u);
    change_weights(t, read, m, u, &e->memory);
}

static void try_text(const char *source, const char *letters, const struct ordinary_options *o, test_random *r,
                     bool must, size_t changes) {
    temper_error e = {0};
    temper_spec *s = ordinary_parse(source, letters);
    if (!s) return;
    trial t = {.name = source, .spec = s, .options = *o, .random = r, .must = must, .changes = changes};
    temper_status status = entry_run(&e, run_trial, &t);
    CHECK(status == TEMPER_OK || status == TEMPER_UNSUPPORTED || status == TEMPER_LIMIT, "%s: %s", setting(&t),
          e.text);
    temper_spec_free(s);
}

/* Honest certificates that an audit refused whose bounds were coarser than the proof's: zeros of f16 that were
   counted twice, digits whose errors are shares of them, units that write less than they may read, and candidates of
   which only one is there at a time. */
#define NEST(inner) "(\\(" inner "\\)|\\[" inner "\\])*"

static void try_coarse_ones(test_random *r) {
    static const char flip_flop[] =
        "next\nempty accept\nbit = '0' | '1'\nwrote = bit & Y w\nmemory = !wrote S ('1' & Y w)\n"
        "H (bit -> Y !bit) & H (!bit -> first | Y bit) & O (first & w) & bit & "
        "H (Y r -> ('1' <-> memory))";
    static const char brackets[] = "next\nregex " NEST(NEST(NEST(NEST(""))));
    static const struct {
        const char *source, *letters;
        unsigned number; /* of the setting */
        size_t length;
        enum ordinary_positions positions;
    } cases[] = {{"H(b -> O a)", "abc", 4, 11603, ORDINARY_POSITIONS_AUTO},
                 {"H(b -> O a)", "abc", 5, 16383, ORDINARY_POSITIONS_DIGITS},
                 {flip_flop, "wri01", 2, 256, ORDINARY_POSITIONS_AUTO},
                 {brackets, "()[]", 5, 256, ORDINARY_POSITIONS_RAMP},
                 {brackets, "()[]", 3, 256, ORDINARY_POSITIONS_DIGITS}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct ordinary_options o = ordinary_setting(cases[k].number, cases[k].length);
        o.positions = cases[k].positions;
        try_text(cases[k].source, cases[k].letters, &o, r, true, 0);
    }
}

int main(void) {
    static const char *const sources[] = {"O b",
                                          "H(b -> Y(!b S a)) & H(a -> Z(!a S b | H !a))",
                                          "H(b -> O a)",
                                          "H(c -> Y (a S b))",
                                          "(Y a) S (b & Y c)",
                                          "Z (a T b)",
                                          "#[a] >= #[b]",
                                          "H(#[a] >= #[b]) & #[a] = #[b]",
                                          "/(ab|ba)*c?/",
                                          "O (a & Y O b)",
                                          "first | Y Y a",
                                          "#[true] % 3 = 1 & a",
                                          "#[a] % 2 = 0",
                                          "(#[a] + 2 * #[b]) % 5 = 2 & #[c] >= #[b]",
                                          "a @ #[b]",
                                          "#[a] = 3 | H b",
                                          "#[a] >= 2 & #[b] < 4"};
    test_random r = test_seed(62);
    if (!test_folder(folder)) return 1;
    for (size_t k = 0; k < sizeof sources / sizeof *sources; k++)
        for (unsigned number = 0; number < 8; number++) {
            struct ordinary_options o = ordinary_setting(number, 40);
            o.positions = (enum ordinary_positions)random_below(&r, 3);
            bool both = o.weights == ORDINARY_F16 && o.kv == ORDINARY_F16; /* not always proved */
            if (strchr(sources[k], '@') || (strchr(sources[k], '%') && !strstr(sources[k], "true"))) {
                o.positions = ORDINARY_POSITIONS_DIGITS; /* a Llama looks up by these */
                both = both || o.weights == ORDINARY_F16;
            }
            if (random_below(&r, 8) < 2 * test_effort()) try_text(sources[k], "abc", &o, &r, !both, 2);
        }
    try_coarse_ones(&r);
    CHECK(total.matches > 0, "no head looks for patterns");
    printf("%zu models: %zu accepted, %zu not; %zu forged certificates, %zu of them with a weight that does not "
           "matter\n",
           total.models, total.accepted, total.unable, total.forged, total.harmless);
    if (owner == getpid()) unlink(path);
    rmdir(folder);
    return test_finish("t-audit-ordinary");
}
