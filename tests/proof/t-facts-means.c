/* Bounded denominators (rule 9 of doc/certificate.md, "Facts about the hard model"): heads whose query is the mean of
   another head's values. No string has a smaller gap than what is proved, for all strings up to a length, of models
   that the rule is for and of models that differ from those in one thing: another writer of the channel, a feature,
   a net, letters, another mask or choice, keys that are no numbers. The longer way (plain_facts.h) finds the same
   numbers, and the auditor confirms what is proved with them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts/facts_exhaustive.h"
#include "facts_equal.h"
#include "plain_facts.h"
#include "random_model.h"

static size_t compared, met; /* gaps, and those that strings have */

static const char *pick(test_random *r, const char *const *from) {
    size_t count = 0;
    while (from[count]) count++;
    return from[random_below(r, count)];
}

static void write_model(char *out, test_random *r) {
    static const char *const weights[] = {"1", "1", "1", "-1", "2", "3", "0x1p-1", "-0x1.8p+0", NULL};
    static const char *const keys[] = {"6:1", "6:-1", "4:1", "1:1 4:1", "5:1", "1:1", "9:1", NULL};
    static const char *const masks[] = {"j<=i", "j<=i", "j<=i", "j<i", "all", "j>=i", NULL};
    static const char *const choices[] = {"average", "average", "average", "leftmost", NULL};
    static const char *const finals[] = {"leftmost", "rightmost", "average", NULL};
    static const char *const others[] = {"1:1",      "3:-1", "2:1", "2:3", "1:1 3:-1",
                                         "3:0x1p-1", "9:1",  "4:1", "0:1", NULL};
    size_t edit = random_below(r, 12);
    char *at = out;
    at += sprintf(at, "temper-model 1\nmethod hard\nalphabet \"a\" \"b\" \"c\"\nempty accept\n"
                      "channel 0 \"\" position \"1\"\nchannel 1 \"\"\nchannel 2 \"\" position \"[i = 1]\"\n"
                      "channel 3 \"\" position \"[2 <= i]\"\nchannel 4 \"\"\nchannel 5 \"\"\nchannel 6 \"\"\n");
    at += sprintf(at, "channel 7 \"\"%s\nchannel 8 \"\"\nchannel 9 \"\" position \"%s\"\n",
                  edit == 0 ? " position \"1/(i + 3)\"" : "", random_below(r, 2) ? "i" : "[i = 3]");
    at += sprintf(at, "embed \"a\" 4:1%s\nembed \"b\" 5:%s\nembed \"c\"\nembed start 1:1%s\nembed end\n",
                  edit == 1 ? " 7:0x1p-1" : "", pick(r, weights), edit == 2 ? " 7:1" : "");
    at += sprintf(at, "layer 1\nhead \"\" mask j<=i choice average\n  value 4:1 5:1\n  output 6:1%s\n",
                  edit == 3 ? " 7:1" : "");
    if (edit == 4) at += sprintf(at, "unit 0 6:1 -> 7:0x1p-1\n");
    at += sprintf(at, "layer 2\nhead \"\" mask %s choice %s\n  query 0:1\n  key %s\n  value 1:%s 4:%s 5:%s\n",
                  pick(r, masks), pick(r, choices), pick(r, keys), pick(r, weights), pick(r, weights),
                  pick(r, weights));
    at += sprintf(at, "  output 7:%s\n", pick(r, weights));
    if (edit == 5) at += sprintf(at, "head \"\" mask j<=i choice average\n  value 4:1\n  output 7:1\n");
    at += sprintf(at, "layer 3\nhead \"\" mask %s choice %s\n  query 7:%s%s\n  query 0:%s\n", pick(r, masks),
                  pick(r, finals), pick(r, weights), edit == 6 ? " 9:1" : "", pick(r, weights));
    at += sprintf(at, "  key %s\n  key %s\n  value 2:1\n  output 8:1\n", pick(r, others), pick(r, others));
    sprintf(at, "read 8:1\n");
}

static bool below_strings(const char *source, const temper_model *m, const facts *proved, const facts *seen) {
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t h = 0; h < m->layers[l].head_count; h++) {
            double bound = proved->layers[l].heads[h].gap, gap = seen->layers[l].heads[h].gap;
            compared++;
            met += l == 2 && bound == gap;
            if (!CHECK(bound <= gap, "head %u.%u at length %zu: %.17g is proved, a string has %.17g\n%s", l + 1,
                       h + 1, proved->n, bound, gap, source))
                return false;
        }
    return true;
}

static void check_model(const char *source, const temper_model *m, size_t longest) {
    trap t;
    arena keep, one, scratch;
    temper_error e;
    arena_init(&keep, &t);
    arena_init(&one, &t);
    arena_init(&scratch, &t);
    if (trap_set(&t, &e)) {
        CHECK(e.code == TEMPER_LIMIT, "%s\n%s", e.text, source);
    } else {
        subject_model s;
        string_watch silent = {0};
        subject_model_init(&s, m, &keep);
        facts_run *run = facts_run_begin(&s, 0, &keep);
        for (size_t n = 0; n <= longest; n++) {
            rational_pool pool;
            arena_reset(&one);
            arena_reset(&scratch);
            rational_pool_init(&pool, &scratch);
            const facts *found = facts_run_next(run, &one);
            if (!facts_are_equal(source, &s, found, plain_facts(&s, n, &pool, &one))) break;
            arena_reset(&scratch);
            if (n <= 5 && !below_strings(source, m, found, facts_exhaustive(&s, n, &silent, &one, &scratch))) break;
        }
        trap_clear(&t);
    }
    arena_free(&one);
    arena_free(&scratch);
    arena_free(&keep);
}

/* Softened, proved and audited; whether it could be. */
static bool check_proof(const char *source, const temper_model *hard, size_t length) {
    temper_soften_options o = {.method = TEMPER_METHOD_TEMPERATURE, .length = length, .threads = 1};
    temper_certify_options how = {.length = length, .threads = 1};
    temper_model *soft = NULL;
    temper_certificate *c = NULL;
    temper_error e;
    char *model = NULL, *proof = NULL;
    size_t model_size, size;
    if (temper_soften(&soft, NULL, hard, &o, &e) != TEMPER_OK) return false;
    bool proved = temper_certify(&c, soft, NULL, 0, &how, &e) == TEMPER_OK &&
                  temper_certificate_about(c).verdict == TEMPER_PROVED;
    if (CHECK(proved, "what soften proves is not certified\n%s", source) &&
        CHECK(temper_model_print(&model, &model_size, soft, &e) == TEMPER_OK &&
                  temper_certificate_print(&proof, &size, c, &e) == TEMPER_OK,
              "%s", e.text))
        CHECK(temper_audit(proof, size, model, model_size, NULL, &e) == TEMPER_OK, "the audit: %s\n%s", e.text,
              source);
    temper_free(model);
    temper_free(proof);
    temper_certificate_free(c);
    temper_model_free(soft);
    return true;
}

static void check_gallery(const char *name, double gap, size_t length) {
    temper_model *hard;
    temper_gap *found = NULL;
    temper_error e;
    if (!CHECK(temper_gallery_model(&hard, name, &e) == TEMPER_OK, "%s", e.text)) return;
    CHECK(check_proof(name, hard, length), "%s is not softened at %zu letters", name, length);
    temper_gap_options o = {.proved = length};
    if (CHECK(temper_gap_find(&found, hard, &o, &e) == TEMPER_OK, "%s", e.text)) {
        double proved = temper_gap_at(found, 3, 1, length).proved;
        CHECK(fabs(proved - gap) < 1e-6, "%s: 2^%.9g is proved, not 2^%.9g", name, proved, gap);
    }
    temper_gap_free(found);
    temper_model_free(hard);
}

int main(void) {
    static char source[1 << 14];
    test_random r = test_seed(909);
    size_t proofs = 0;
    for (size_t k = 0; k < (size_t)(60 * test_effort()); k++) {
        write_model(source, &r);
        temper_model *m = model_from(source);
        if (m) check_model(source, m, 9);
        if (m && k % 4 == 0) proofs += check_proof(source, m, 24);
        temper_model_free(m);
    }
    check_gallery("best-prefix", -log2(61), 60);
    check_gallery("tied", -log2(2 * 61), 60);
    CHECK(met > compared / 20 || test_effort() < 0.5, "only %zu of %zu gaps are met", met, compared);
    printf("%zu gaps, %zu of them met by strings; %zu models proved\n", compared, met, proofs);
    return test_finish("t-facts-means");
}
