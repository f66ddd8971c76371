/* The hunt for a wrong answer that is called proved. Models of random formulas, by every method, and softened ones of
   the gallery are changed as a forger would (model_forger.h). Whatever temper_model_proof then says is proved, in a
   random type, with softmax or with hard choices, is run as a user would: one string at a time, many at once, and
   letter by letter. A run must not be refused up to the proved length. Its answers must be those of the source that
   the model carries, or those of its hard choices in exact arithmetic, whichever is claimed. Certify and audit must
   say the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corpus.h"
#include "model/model.h"
#include "model_forger.h"
#include "random_formula.h"
#include "random_language.h"

enum { LONGEST = 400, SHORT_STRINGS = 40, LONG_STRINGS = 6, HARD_LONGEST = 12, PER_MODEL = 10, TRIALS = 250 };

typedef struct hunt {
    test_random r;
    uint64_t tried, readable, proved, by_formula, by_hard, strings, streams, certified;
} hunt;

typedef struct target {
    const char *honest, *text;
    const temper_model *model;
    const temper_spec *spec; /* NULL: its hard choices are the claim */
    temper_type type;
    bool hard, certify; /* certify: always ask certify and audit, too */
    temper_proof proof;
} target;

static bool blame(const target *t, const char *what, const uint32_t *word, size_t n) {
    char shown[LONGEST + 1];
    for (size_t k = 0; k < n; k++) shown[k] = (char)('a' + word[k] % 26);
    shown[n] = 0;
    return CHECK(false, "made of '%s', %s %s to %zu, claim %s: %s on '%s'\n%s", t->honest, t->hard ? "hard" : "soft",
                 temper_type_name(t->type), t->proof.length, temper_claim_name(t->proof.claim), what, shown, t->text);
}

/* The answers that are claimed: at the letters, and the verdict. */
static bool consult(const target *t, const uint32_t *word, size_t n, unsigned char *truth, int *accept) {
    if (t->spec) return temper_spec_eval(accept, truth, t->spec, word, n, NULL) == TEMPER_OK;
    temper_run *exact;
    temper_run_options o = {.type = TEMPER_TYPE_EXACT, .hard = 1};
    if (temper_model_run(&exact, t->model, word, n, &o, NULL) != TEMPER_OK) return false;
    for (size_t k = 0; k < n; k++) truth[k] = temper_run_about(exact).truth[k + 1];
    *accept = temper_run_about(exact).accept;
    temper_run_free(exact);
    return true;
}

static bool try_string(hunt *h, const target *t, const uint32_t *word, size_t n) {
    unsigned char truth[LONGEST];
    int accept = 0;
    temper_run *run;
    temper_run_options o = {.type = t->type, .hard = t->hard, .threads = 1 + (unsigned)random_below(&h->r, 2)};
    temper_error e;
    if (!consult(t, word, n, truth, &accept)) return true; /* exact arithmetic has its limits */
    h->strings++;
    if (temper_model_run(&run, t->model, word, n, &o, &e)) return blame(t, e.text, word, n);
    temper_run_info is = temper_run_about(run);
    bool same = is.proved && is.claim == t->proof.claim && is.accept == accept;
    for (size_t k = 0; k < n && same && is.every_position; k++) same = is.truth[k + 1] == truth[k];
    temper_run_free(run);
    return same || blame(t, "another answer", word, n);
}

static bool try_stream(hunt *h, const target *t, const uint32_t *word, size_t n) {
    unsigned char truth[LONGEST];
    temper_stream *s;
    temper_run_options o = {.type = t->type, .hard = t->hard};
    int accept;
    bool same = true;
    if (temper_stream_open(&s, t->model, &o, NULL)) return true;
    h->streams++;
    for (size_t k = 0; k <= n && same; k++) {
        if (k && temper_stream_push(s, word[k - 1], NULL, NULL)) break;
        temper_stream_info is = temper_stream_about(s);
        if (!is.proved || !consult(t, word, k, truth, &accept)) continue;
        same = is.accept == accept && is.claim == t->proof.claim;
        if (!same) blame(t, "another answer letter by letter", word, k);
    }
    temper_stream_free(s);
    return same;
}

/* All short strings at once. */
static bool try_many(const target *t, size_t all) {
    enum { MOST = 2 * SHORT_STRINGS };
    static uint32_t words[MOST][64];
    const uint32_t *letters[MOST];
    size_t n[MOST], count = 0;
    unsigned char accept[MOST], truth[64];
    temper_run_options o = {.type = t->type, .hard = t->hard, .threads = 2};
    uint32_t word[64] = {0};
    temper_error e;
    bool same = true;
    for (size_t length = 0; length <= all && length < 64; length++) {
        memset(word, 0, sizeof word);
        do {
            if (count == MOST) break;
            memcpy(words[count], word, sizeof word);
            letters[count] = words[count];
            n[count++] = length;
        } while (corpus_next_word(word, length, t->model->letters.count));
    }
    if (temper_model_run_many(accept, t->model, letters, n, count, &o, &e))
        return e.code == TEMPER_UNSUPPORTED || blame(t, e.text, word, 0);
    for (size_t k = 0; k < count && same; k++) {
        int right = 0;
        if (!consult(t, words[k], n[k], truth, &right) || accept[k] == right) continue;
        same = blame(t, "another answer among many", words[k], n[k]);
    }
    return same;
}

static bool attack(hunt *h, const target *t) {
    size_t letters = t->model->letters.count, longest = t->spec ? LONGEST : HARD_LONGEST;
    bool fast = t->type == TEMPER_TYPE_F64 || t->type == TEMPER_TYPE_F32;
    if (!fast && longest > 100) longest = 100;
    size_t most = t->proof.length < longest ? t->proof.length : longest;
    size_t all = corpus_length(letters, SHORT_STRINGS, most < 60 ? most : 60);
    uint32_t word[LONGEST] = {0};
    for (size_t n = 0; n <= all; n++) {
        memset(word, 0, sizeof word);
        do
            if (!try_string(h, t, word, n)) return false;
        while (corpus_next_word(word, n, letters));
    }
    for (int k = 0; k < LONG_STRINGS; k++) {
        size_t n = k == 0 ? most : random_below(&h->r, most + 1);
        random_word(word, n, letters < 26 ? (unsigned)letters : 26, &h->r);
        if (!try_string(h, t, word, n) || (fast && !try_stream(h, t, word, n))) return false;
    }
    return !fast || try_many(t, all);
}

/* Certify proves the same length and the same claim, and the audit accepts it. */
static void ask_certify(hunt *h, const target *t) {
    temper_certificate *c;
    temper_certify_options o = {.length = t->proof.length, .type = t->type};
    char *written = NULL;
    size_t size = 0;
    temper_error e;
    if (temper_certify(&c, t->model, t->text, strlen(t->text), &o, &e)) return;
    h->certified++;
    temper_certificate_info is = temper_certificate_about(c);
    if (is.verdict != TEMPER_PROVED || is.claim != t->proof.claim)
        blame(t, is.reason, NULL, 0);
    else if (!temper_certificate_print(&written, &size, c, &e) &&
             temper_audit(written, size, t->text, strlen(t->text), NULL, &e))
        blame(t, e.text, NULL, 0);
    temper_free(written);
    temper_certificate_free(c);
}

static void pick_type(hunt *h, target *t) {
    t->type = (temper_type)random_below(&h->r, TEMPER_TYPE_BF16_F64 + 1);
    if (random_below(&h->r, 3) == 0) t->type = random_below(&h->r, 2) ? TEMPER_TYPE_F64 : TEMPER_TYPE_F32;
    t->hard = t->type == TEMPER_TYPE_EXACT || random_below(&h->r, 3) == 0;
    if (!t->hard && random_below(&h->r, 4) == 0) t->type = temper_type_tiled(t->type, 64); /* strings of two tiles */
}

/* What is proved of it in its type must come out. Whether it could be read. */
static bool try_model(hunt *h, target t) {
    temper_model *model;
    temper_spec *spec = NULL;
    if (temper_model_read(&model, t.text, strlen(t.text), NULL)) return false;
    t.model = model;
    t.hard = t.hard || model->method == TEMPER_METHOD_HARD;
    if (!temper_model_proof(&t.proof, model, t.type, t.hard, NULL) && t.proof.claim != TEMPER_CLAIM_NONE) {
        h->proved++;
        h->by_formula += t.proof.claim == TEMPER_CLAIM_FORMULA;
        h->by_hard += t.hard;
        if (t.proof.claim == TEMPER_CLAIM_FORMULA && temper_model_spec(&spec, model, NULL))
            blame(&t, "a formula is claimed, and there is none", NULL, 0);
        t.spec = spec;
        if (attack(h, &t) && !t.hard && (t.certify || random_below(&h->r, 4) == 0)) ask_certify(h, &t);
    }
    temper_spec_free(spec);
    temper_model_free(model);
    return true;
}

static void try_forgery(hunt *h, target t) {
    pick_type(h, &t);
    h->tried++;
    h->readable += try_model(h, t);
}

/* ---- what once was proved and wrong ---- */

typedef struct old_fault {
    const char *formula, *from, *to;
    temper_method method;
    temper_type type;
    bool hard;
} old_fault;

static const old_fault old_faults[] = {
    /* a letter embeds into a soft channel: its feature is 0 in a hard run, but the letter's weight is not */
    {"a S b", "embed \"c\" 2:1 3:1", "embed \"c\" 2:1 3:1 6:-3", TEMPER_METHOD_TEMPERATURE, TEMPER_TYPE_F64, true},
    {"a S b", "embed \"c\" 2:1 3:1", "embed \"c\" 2:1 3:1 6:-3", TEMPER_METHOD_TEMPERATURE, TEMPER_TYPE_EXACT, true},
    {"a S b", "embed \"c\" 2:1 3:1", "embed \"c\" 2:1 3:1 6:-3", TEMPER_METHOD_TEMPERATURE, TEMPER_TYPE_BF16, true},
    /* a logarithm is no rational number, so there is no exact run */
    {"O a", "", "", TEMPER_METHOD_POSITIONS, TEMPER_TYPE_EXACT, true},
};

/* Heads that choose the first or last of all candidates: certify read formulas off that the audit did not find in the
   weights. And they write to two channels, which the audit refused. */
static const char *const far_heads[] = {"j<=i choice softmax for leftmost",  "j<i choice softmax for leftmost",
                                        "j>=i choice softmax for rightmost", "j>i choice softmax for rightmost",
                                        "all choice softmax for leftmost",   "all choice softmax for rightmost"};

static void try_far_head(hunt *h, const char *head) {
    static const char form[] = "temper-model 1\nmethod temperature\nalphabet \"a\" \"b\" \"c\"\n"
                               "channel 0 \"a\"\nchannel 1 \"one\" position \"1\"\nchannel 2 \"[ac]\"\n"
                               "channel 3 \"real\"\nchannel 4 \"raw\"\nchannel 5 \"answer\"\n"
                               "channel 6 \"i/N\" soft \"i/N\"\nchannel 7 \"twin\"\n"
                               "embed \"a\" 0:1 2:1 3:1\nembed \"b\" 3:1\nembed \"c\" 2:1 3:1\n"
                               "embed start\nembed end\nlayer 1\nhead \"\" mask %s scale \"8*N\"\n"
                               "  query 1:1\n  key 2:1 6:%s\n  value 0:1\n  output 4:1 7:1\n"
                               "unit -2.5 3:2 4:2 -> 5:1\nunit -3.5 3:2 4:2 -> 5:-1\nread 5:1\n";
    char made[sizeof form + 60];
    sprintf(made, form, head, strstr(head, "leftmost") ? "-1" : "1");
    uint64_t before = h->certified;
    target t = {.honest = head, .text = made, .type = TEMPER_TYPE_F32, .certify = true};
    CHECK(try_model(h, t) && h->certified > before, "nothing is proved of %s", head);
}

/* A softened model whose record was edited, with the digest put right: what is proved is what certify proves. */
static void try_forged_record(hunt *h) {
    enum { SOFTENED = 8, FORGED = 50 };
    temper_model *hard = NULL, *soft = NULL;
    temper_soften_options o = {.method = TEMPER_METHOD_TEMPERATURE, .length = SOFTENED};
    char *printed = NULL, *at, changed[20000], wanted[40];
    size_t size;
    temper_error e;
    sprintf(wanted, "\nsafe %d ", SOFTENED);
    bool made = !temper_gallery_model(&hard, "dyck-1", &e) && !temper_soften(&soft, NULL, hard, &o, &e) &&
                !temper_model_print(&printed, &size, soft, &e) && size < sizeof changed - 100;
    if (CHECK(made && (at = strstr(printed, wanted)), "no softened model: %s", e.text)) {
        size_t used =
            (size_t)sprintf(changed, "%.*s\nsafe %d %s", (int)(at - printed), printed, FORGED, at + strlen(wanted));
        char *end = strstr(changed, "\ndigest ") + 1;
        sprintf(end, "digest %016llx\n", (unsigned long long)model_digest(changed, (size_t)(end - changed)));
        target t = {.honest = "dyck-1", .text = changed, .type = TEMPER_TYPE_F64, .certify = true};
        temper_model *m = NULL;
        temper_proof p = {0};
        CHECK(used > 0 && !temper_model_read(&m, changed, strlen(changed), &e) && model_has_record(&m->record) &&
                  m->record.length == FORGED && !temper_model_proof(&p, m, t.type, 0, &e),
              "the forged record is not read: %s", e.text);
        CHECK(p.length < FORGED && p.length >= SOFTENED, "%zu letters are proved by a forged record", p.length);
        CHECK(try_model(h, t), "the forged model is not read");
        temper_model_free(m);
    }
    temper_free(printed);
    temper_model_free(soft);
    temper_model_free(hard);
}

/* What is called a head's largest error is that of its weights, whatever role the file names. */
static void try_blunt_head(void) {
    temper_spec *spec = NULL;
    temper_model *m = NULL, *blunt = NULL;
    temper_run *run = NULL;
    temper_head_info head = {0};
    char *printed = NULL, *at;
    size_t size;
    temper_spec_options letters = {.alphabet = "abc"};
    temper_build_options build = {.method = TEMPER_METHOD_TEMPERATURE};
    uint32_t word[4] = {1, 2, 1, 2};
    bool made = !temper_spec_parse(&spec, "a S b", 5, &letters, NULL) && !temper_build(&m, spec, &build, NULL) &&
                !temper_model_print(&printed, &size, m, NULL) && (at = strstr(printed, "\"8*N\""));
    if (made) at[1] = '3';
    made = made && !temper_model_read(&blunt, printed, size, NULL) &&
           !temper_model_run(&run, blunt, word, 4, NULL, NULL) && !temper_model_head(&head, blunt, 1, 1, NULL);
    if (CHECK(made, "the blunt head does not run"))
        CHECK(temper_run_head(run, 1, 1).error > 0.04 && temper_run_head(run, 1, 1).error <= head.bound,
              "an error of %g, and at most %g", temper_run_head(run, 1, 1).error, head.bound);
    temper_run_free(run);
    temper_free(printed);
    temper_model_free(blunt);
    temper_model_free(m);
    temper_spec_free(spec);
}

static void try_old_fault(hunt *h, const old_fault *o) {
    temper_spec *spec = NULL;
    temper_model *m = NULL;
    char *printed = NULL, *at;
    size_t size;
    temper_spec_options letters = {.alphabet = "abc"};
    temper_build_options build = {.method = o->method};
    if (CHECK(!temper_spec_parse(&spec, o->formula, strlen(o->formula), &letters, NULL) &&
                  !temper_build(&m, spec, &build, NULL) && !temper_model_print(&printed, &size, m, NULL) &&
                  (at = strstr(printed, o->from)),
              "'%s' has no '%s'", o->formula, o->from)) {
        char *changed = malloc(size + strlen(o->to) + 1);
        if (!changed) abort();
        sprintf(changed, "%.*s%s%s", (int)(at - printed), printed, o->to, at + strlen(o->from));
        CHECK(try_model(h, (target){.honest = o->formula, .text = changed, .type = o->type, .hard = o->hard}),
              "it cannot be read:\n%s", changed);
        free(changed);
    }
    temper_free(printed);
    temper_model_free(m);
    temper_spec_free(spec);
}

/* ---- honest models ---- */

static temper_spec *random_source(hunt *h) {
    random_shape shape = {
        .letters = 1 + (unsigned)random_below(&h->r, 3), .size = 1 + random_below(&h->r, 7), .depth = 5};
    uint64_t kind = random_below(&h->r, 9);
    shape.past = random_below(&h->r, 3) != 0;
    shape.future = !shape.past || random_below(&h->r, 3) == 0;
    shape.counting = kind == 1 || kind == 2;
    shape.modulo = kind == 3;
    shape.places = kind == 3;
    shape.attend = kind == 4;
    shape.large = random_below(&h->r, 8) == 0;
    if (kind >= 7) return random_language(&h->r);
    if (kind >= 5) return corpus_parse(corpus_at(random_below(&h->r, corpus_size())));
    return random_spec(&h->r, &shape, random_below(&h->r, 2) ? TEMPER_AT_LAST : TEMPER_AT_FIRST);
}

static temper_model *random_model(hunt *h, const temper_spec *spec) {
    static const temper_type storages[] = {TEMPER_TYPE_BF16, TEMPER_TYPE_F16, TEMPER_TYPE_E4M3, TEMPER_TYPE_E5M2,
                                           TEMPER_TYPE_F32};
    temper_build_options o = {.method = (temper_method)random_below(&h->r, TEMPER_METHOD_DIGITS + 1)};
    temper_model *model = NULL;
    if (o.method == TEMPER_METHOD_DIGITS) o.digits = storages[random_below(&h->r, 5)];
    temper_build(&model, spec, &o, NULL);
    return model;
}

static void hunt_model(hunt *h, const temper_spec *spec) {
    temper_model *m = random_model(h, spec);
    char *printed = NULL, *source = NULL;
    size_t size;
    if (m && !temper_model_print(&printed, &size, m, NULL) && size < 12000 && !temper_spec_print(&source, spec, NULL))
        for (int k = 0; k < PER_MODEL; k++) {
            char *forged = forge_model(printed, &h->r);
            try_forgery(h, (target){.honest = source, .text = forged});
            free(forged);
        }
    temper_free(printed);
    temper_free(source);
    temper_model_free(m);
}

int main(void) {
    static hunt h;
    h.r = test_seed(1415);
    for (size_t k = 0; k < sizeof old_faults / sizeof *old_faults; k++) try_old_fault(&h, &old_faults[k]);
    for (size_t k = 0; k < sizeof far_heads / sizeof *far_heads; k++) try_far_head(&h, far_heads[k]);
    try_forged_record(&h);
    try_blunt_head();
    while ((double)h.tried < TRIALS * test_effort()) {
        temper_spec *spec = random_source(&h);
        if (spec) hunt_model(&h, spec);
        temper_spec_free(spec);
    }
    printf("%llu changed models, %llu readable; something is proved of %llu, of %llu that they are their formula, of "
           "%llu in hard runs; %llu strings, %llu streams, %llu certificates\n",
           (unsigned long long)h.tried, (unsigned long long)h.readable, (unsigned long long)h.proved,
           (unsigned long long)h.by_formula, (unsigned long long)h.by_hard, (unsigned long long)h.strings,
           (unsigned long long)h.streams, (unsigned long long)h.certified);
    CHECK(test_effort() < 1 || h.proved > 100, "only %llu proved", (unsigned long long)h.proved);
    return test_finish("t-run-hunt");
}
