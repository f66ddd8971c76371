/* Conditions of proofs that hold for everything the compiler makes, and so are never met by its models: each is made
   to fail by itself, and two at a time, of which the first one is told. Single heads by their shapes, and small
   models by hand with numbers at the end of a format. What is proved of these all the same is audited. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bound/role_bounds.h"
#include "bound_page.h"
#include "random_model.h"

static arena memory;
static trap no_memory;

/* ---- single heads ---- */

static bounds bounds_of(temper_type type, uint64_t m) {
    bounds b;
    bounds_init(&b, number_type_of(type), number_type_is_emulated(type), m, &memory);
    return b;
}

static void check_head(const bounds *b, const head_shape *s, bool hard, const char *says) {
    head_certificate h = hard ? head_certify_hard(b, s) : head_certify(b, s);
    const char *failure = h.failure ? h.failure : "";
    CHECK(*says ? strstr(failure, says) != NULL : !*failure, "role %d%s in %s, %llu positions: '%s', not '%s'",
          (int)s->role, hard ? ", hard" : "", b->a->name, (unsigned long long)b->size, failure, says);
    if (hard || s->role == ROLE_NONE)
        CHECK(ball_upper(h.error) == (*failure ? 1 : 0), "role %d: an error of %g", (int)s->role,
              ball_upper(h.error));
}

static void test_no_role(void) {
    bounds b = bounds_of(TEMPER_TYPE_F64, 5);
    head_shape s = {.role = ROLE_NONE, .soft_ties = true};
    check_head(&b, &s, false, "it has no role");
    check_head(&b, &s, true, "it has no role");
    arena_reset(&memory);
}

/* The logits of losers must lie below those of candidates by ln M and more. */
static void test_once(void) {
    head_shape s = {.role = ROLE_ONCE, .soft_ties = true, .kappa = 8, .scale = {.size = FORM_LOG, .c = 8, .d = 1}};
    static const temper_type types[] = {TEMPER_TYPE_F64, TEMPER_TYPE_F16_F32, TEMPER_TYPE_BF16_F32};
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        bounds b = bounds_of(types[k], 9);
        s.kappa = 8;
        check_head(&b, &s, false, "");
        s.kappa = -8;
        check_head(&b, &s, false, b.ascending ? "its losers weigh as much" : "");
        CHECK(!(ball_upper(head_certify(&b, &s).error) <= 0.25), "blunt in %s", temper_type_name(types[k]));
        arena_reset(&memory);
    }
    /* in tiles the sum of all losers is rescaled */
    bounds b = bounds_of((temper_type)F32_TILE64, 200);
    for (int blunt = 0; blunt < 2; blunt++) {
        s.kappa = blunt ? -8 : 8;
        check_head(&b, &s, false, blunt ? "its losers weigh as much" : "");
    }
    arena_reset(&memory);
}

/* Nearest: rows and their scale overflow, both or one of them. */
static void test_nearest(void) {
    bounds b = bounds_of(TEMPER_TYPE_F16, 9);
    for (int which = 0; which < 4; which++) {
        term_shape query = {{.size = FORM_CONSTANT, .c = which & 1 ? 0x1p20 : 1}, 1},
                   key = {{.size = FORM_BOOLEAN, .c = 1}, 1};
        row_shape queries = {1, &query}, keys = {1, &key};
        head_shape s = {
            .role = ROLE_NEAREST, .soft_ties = true, .kappa = 64, .scaled = true, .tests = true, .rows = 1};
        s.scale = (feature_form){.size = FORM_POWER, .power = 1, .c = which & 2 ? 0x1p15 : 8, .d = 1};
        s.query = &queries;
        s.key = &keys;
        check_head(&b, &s, false, which & 1 ? "a query overflows" : which & 2 ? "its scale overflows" : "");
    }
    arena_reset(&memory);
}

/* Hard runs of rows: products overflow, or are too small in two rows. */
static void test_hard_rows(void) {
    static const struct {
        double query[2], key[2];
        const char *says;
    } cases[] = {
        {{1, 1}, {1, 1}, ""},
        {{0x1p9, 1}, {0x1p9, 1}, "a score overflows"},
        {{0x1p20, 1}, {0x1p9, 1}, "a query overflows"},
        {{1, 0x1p-30}, {1, 1}, "a score of candidates is too small"},
        {{0x1p-30, 0x1p-30}, {1, 1}, "a score of candidates is too small"},
        {{0x1p9, 0x1p-30}, {0x1p9, 1}, "a score overflows"},
    };
    bounds b = bounds_of(TEMPER_TYPE_F16, 9);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        term_shape terms[4];
        row_shape rows[4];
        for (int r = 0; r < 2; r++) {
            terms[r] = (term_shape){{.size = FORM_CONSTANT, .c = cases[k].query[r], .d = 1}, 1};
            terms[2 + r] = (term_shape){{.size = FORM_BOOLEAN, .c = 1}, cases[k].key[r]};
        }
        for (int r = 0; r < 4; r++) rows[r] = (row_shape){1, &terms[r]};
        head_shape s = {.role = ROLE_ONCE, .soft_ties = true, .rows = 2, .query = rows, .key = rows + 2};
        check_head(&b, &s, true, cases[k].says);
        s.soft_ties = false;
        check_head(&b, &s, true, *cases[k].says ? cases[k].says : "what breaks its ties is not in soft channels");
    }
    arena_reset(&memory);
}

/* Match: a half is a number of every format there is, and of this one it is not. */
static void test_match(void) {
    number_format coarse[2];
    for (int which = 0; which < 4; which++) {
        bounds b = bounds_of(TEMPER_TYPE_F64, 9);
        for (int k = 0; k < 2; k++) {
            coarse[k] = format_f64;
            if (which >> k & 1) coarse[k].least = 1;
        }
        b.a = &coarse[0];
        b.s = &coarse[1];
        head_shape s = {.role = ROLE_MATCH, .soft_ties = true, .total = 3, .weight = 2};
        check_head(&b, &s, true, which ? "a half is too small" : "");
        s.total = 0x1p60; /* the first condition that fails is told */
        check_head(&b, &s, true, "are not exact");
        arena_reset(&memory);
    }
}

/* Balance without any numbers in its sum: only its scores are too small. */
static void test_balance(void) {
    head_shape s = {.role = ROLE_BALANCE, .soft_ties = true, .kappa = 1, .own_units = 1, .scaled = true};
    for (int hard = 0; hard < 2; hard++) {
        bounds few = bounds_of(TEMPER_TYPE_F16_F32, 60), many = bounds_of(TEMPER_TYPE_F16, 120);
        check_head(&few, &s, hard, "");
        check_head(&many, &s, hard, "its scores are too small");
        arena_reset(&memory);
    }
}

/* ---- whole models ---- */

typedef struct trial {
    const char *rest, *says; /* says: of a proof nothing */
    temper_type type;
    size_t length;
} trial;

static int stop(void *context, uint64_t done, uint64_t total) {
    (void)total;
    return done >= *(const uint64_t *)context;
}

static temper_certificate *certify(const temper_model *m, const char *source, const temper_certify_options *o,
                                   temper_status wanted, const char *says) {
    temper_certificate *c = NULL;
    temper_error e = {0};
    temper_status status = temper_certify(&c, m, source, strlen(source), o, &e);
    CHECK(status == wanted, "status %d: %s\n%s", (int)status, e.text, source);
    if (status != TEMPER_OK) CHECK(strstr(e.text, says), "'%s', not '%s'", e.text, says);
    return status == TEMPER_OK ? c : NULL;
}

static void check_trial(const trial *t, const char *source) {
    temper_error e = {0};
    temper_model *m = model_from(source);
    temper_certify_options o = {.length = t->length ? t->length : 3, .type = t->type, .threads = 1};
    temper_certificate *c = m ? certify(m, source, &o, TEMPER_OK, "") : NULL;
    if (c) {
        temper_certificate_info info = temper_certificate_about(c);
        bool proved = info.verdict == TEMPER_PROVED;
        CHECK(proved ? !*t->says : strstr(info.reason, t->says) && *t->says, "verdict %d: '%s', not '%s'\n%s",
              (int)info.verdict, info.reason ? info.reason : "", t->says, source);
        char *json;
        size_t size;
        if (proved && temper_certificate_print(&json, &size, c, NULL) == TEMPER_OK) {
            CHECK(temper_audit(json, size, source, strlen(source), NULL, &e) == TEMPER_OK, "audit: %s\n%s", e.text,
                  source);
            temper_free(json);
        }
    }
    temper_certificate_free(c);
    temper_model_free(m);
}

#define LETTERS                                                                                                      \
    "method temperature\nalphabet \"a\" \"b\"\nchannel 0 \"one\" position \"1\"\nchannel 1 \"a\"\nchannel 2 \"b\"\n" \
    "channel 3 \"x\"\nchannel 4 \"i\" soft \"i\"\nchannel 5 \"big\" position \"60000\"\nchannel 6 \"y\"\n"           \
    "embed \"a\" 1:1\nembed \"b\" 2:1\nembed start\nembed end\n"
#define HEAD(scale, rows) "layer 1\nhead \"h\" mask j<=i choice softmax for average scale \"" scale "\"\n" rows
#define A_IS              " query 0:1\n key 1:1\n value 1:1\n output 3:1\n"

static void test_models(void) {
    static const trial trials[] = {
        /* sums of weights that the format holds, and that it does not */
        {HEAD("64", A_IS) "read 3:1\n", "", TEMPER_TYPE_F32, 0},
        {HEAD("64", A_IS) "unit -0x1p40 1:1 -> 6:1\nread 3:1\n", "too large or too small for f16", TEMPER_TYPE_F16,
         0},
        {HEAD("64", A_IS) "read 1:60000 2:60000 3:1\n", "", TEMPER_TYPE_F32, 0},
        {HEAD("64", A_IS) "read 1:60000 2:60000 3:1\n", "too large", TEMPER_TYPE_F16, 0},
        {HEAD("64", A_IS) "unit -40000 1:40000 2:40000 -> 6:1\nread 3:1\n", "too large", TEMPER_TYPE_F16, 0},
        {HEAD("64", A_IS) "unit -40000 1:40000 2:40000 -> 6:1\nread 3:1\n", "", TEMPER_TYPE_F32, 0},
        {HEAD("64", " query 0:1\n key 1:1024\n value 1:1\n output 3:1\n") "read 3:1\n", "too large", TEMPER_TYPE_F16,
         0},
        /* a head whose choice nobody knows is to blame, though it reads zeros only */
        {"layer 1\nhead \"h\" mask j<=i choice softmax for leftmost scale \"64\"\n query 0:1\n key 0:1\n value 3:1\n "
         "output 6:1\nread 1:0.5\n",
         "cannot be told apart", TEMPER_TYPE_F32, 0},
        /* tie-breaks whose steps doubles do not hold */
        {"layer 1\nhead \"h\" mask j<=i choice softmax for rightmost scale \"64\"\n query 0:1\n query 0:1\n key "
         "1:8\n "
         "key 4:1\n value 1:1\n output 3:1\nread 3:1\n",
         "", TEMPER_TYPE_F64, 0},
        {"layer 1\nhead \"h\" mask j<=i choice softmax for rightmost scale \"64\"\n query 0:1\n query 0:1\n key "
         "1:8\n "
         "key 4:0x1.fffffffffffffp-1\n value 1:1\n output 3:1\nread 3:1\n",
         "cannot be told apart", TEMPER_TYPE_F64, 0},
        /* more letters than are ever looked at */
        {HEAD("64", A_IS) "read 3:1\n", "at most 16384 letters", TEMPER_TYPE_F32, 16385},
    };
    for (size_t k = 0; k < sizeof trials / sizeof *trials; k++) {
        char source[2000];
        snprintf(source, sizeof source, "temper-model 1\n%s%s", LETTERS, trials[k].rest);
        check_trial(&trials[k], source);
    }
    static const trial stored = {"", "too large", TEMPER_TYPE_F16, 0}, wide = {"", "", TEMPER_TYPE_F32, 0};
    static const char *const source = "temper-model 1\nmethod temperature\nalphabet \"a\" \"b\"\nchannel 0 \"one\" "
                                      "position \"1\"\nchannel 1 \"a\"\nchannel 2 \"x\"\nchannel 3 \"y\" position "
                                      "\"60000\"\nembed \"a\" 1:1 3:60000\nembed \"b\"\nembed start\nembed end\n"
                                      "layer 1\nhead \"h\" mask j<=i choice softmax for average scale \"64\"\n "
                                      "query 0:1\n key 1:1\n value 1:1\n output 2:1\nread 2:1\n";
    check_trial(&wide, source);
    check_trial(&stored, source); /* a feature and a weight that fit, and their sum */
}

/* ---- logits ---- */

/* The model with one text in the place of another is certified; `note` is said of its logits, or `reason` of all. */
static void check_logits(const char *model, const char *from, const char *to, temper_type type, const char *note,
                         const char *reason) {
    static char changed[20000];
    const char *at = strstr(model, from), *end = strstr(model, "\ndigest ");
    if (!CHECK(at && end, "the model has no %s", from)) return;
    snprintf(changed, sizeof changed, "%.*s%s%.*s\n", (int)(at - model), model, to,
             (int)(end - at) - (int)strlen(from), at + strlen(from));
    temper_model *m = model_from(changed);
    temper_certify_options o = {.length = 3, .type = type};
    temper_certificate *c = m ? certify(m, changed, &o, TEMPER_OK, "") : NULL;
    if (c) {
        temper_certificate_info info = temper_certificate_about(c);
        CHECK(note ? info.verdict == TEMPER_PROVED && !*info.log_probabilities && strstr(info.logits_note, note)
                   : info.verdict == TEMPER_UNABLE && strstr(info.reason, reason),
              "'%s': verdict %d, '%s', '%s'", to, (int)info.verdict, info.reason, info.logits_note);
    }
    temper_certificate_free(c);
    temper_model_free(m);
}

static void test_logits(void) {
    static const char *const source = "next\nprobabilities uniform\n/(ab)*/\n";
    temper_spec_options letters = {.alphabet = "ab"};
    temper_build_options o = {.method = TEMPER_METHOD_TEMPERATURE};
    temper_spec *spec = NULL;
    temper_model *m = NULL;
    temper_error e;
    char *model = NULL;
    size_t size;
    if (CHECK(!temper_spec_parse(&spec, source, strlen(source), &letters, &e) && !temper_build(&m, spec, &o, &e) &&
                  !temper_model_print(&model, &size, m, &e),
              "%s", e.text)) {
        check_logits(model, "probabilities uniform\\n", "", TEMPER_TYPE_F32, "says no probabilities", NULL);
        check_logits(model, "", "", TEMPER_TYPE_F16, "what never comes", NULL);
        check_logits(model, ":-1024", ":-1000", TEMPER_TYPE_F32, "", NULL);
        check_logits(model, ":-0x1.62e42fefa39efp-1", ":-0x1p60", TEMPER_TYPE_F16, NULL, "a logit may overflow");
        check_logits(model, ":-1024", ":-60000", TEMPER_TYPE_F32, "", NULL);
        char both[200];
        const char *at = strstr(model, ":-1024");
        size_t until = at ? strcspn(at + 6, "-") + 7 : 0;
        if (at && until < sizeof both - 20) { /* each fits f16, and their sum does not */
            snprintf(both, sizeof both, ":-60000%.*s60000", (int)(until - 6), at + 6);
            char from[200];
            snprintf(from, sizeof from, "%.*s1024", (int)until, at);
            if (strstr(model, from)) check_logits(model, from, both, TEMPER_TYPE_F16, NULL, "a logit may overflow");
        }
    }
    temper_free(model);
    temper_model_free(m);
    temper_spec_free(spec);
}

/* A certificate that is stopped says so, wherever that is, in one thread and in two. */
static void test_stops(void) {
    char source[2000];
    snprintf(source, sizeof source, "temper-model 1\n%s%s", LETTERS, HEAD("64", A_IS) "read 3:1\n");
    temper_model *m = model_from(source);
    if (!m) return;
    for (unsigned threads = 1; threads <= 2; threads++)
        for (uint64_t last = 1; last < 200; last += 60) {
            temper_certify_options o = {.length = 90, .progress = stop, .context = &last, .threads = threads};
            temper_certificate_free(certify(m, source, &o, TEMPER_LIMIT, "stopped"));
        }
    temper_model_free(m);
}

int main(void) {
    if (trap_set(&no_memory, NULL)) return 1;
    arena_init(&memory, &no_memory);
    test_no_role();
    test_once();
    test_nearest();
    test_hard_rows();
    test_match();
    test_balance();
    test_models();
    test_logits();
    test_stops();
    arena_free(&memory);
    return test_finish("t-bound-alone");
}
