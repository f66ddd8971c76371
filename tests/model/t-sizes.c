/* How small formulas become, pinned: absorption in since, sums of what excludes each other, read by heads and by
   gates, remainders one position before. Each model is compared with the oracle on all short strings and on random
   ones, certified in f64 and f32, and audited. Where what is added up does not exclude each other, neither prover nor
   auditor says that the model computes its formula. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agree.h"
#include "audit/audit.h"
#include "corpus.h"
#include "test.h"

typedef struct pinned {
    const char *text, *alphabet;
    size_t layers, heads;
} pinned;

static const pinned sizes[] = {
    /* absorption: psi implies not phi, or the other way round */
    {"a S (!a & b)", "abc", 1, 1},
    {"[ab] S c", "abc", 1, 1},
    {"!(Y a) S (Y a & b)", "abc", 2, 2},
    {"!(Y a | O b) S (O b & c)", "abc", 2, 3},
    {"!(Y a | O b) S (Y a | O b)", "abc", 2, 3},
    {"(!(Y a) S (Y a & b)) & (!(Y a) S (Y a & c)) ^ b", "abc", 3, 2},
    /* sums in keys and values: letters, x and not x, excluding conjuncts, values of one head */
    {"O ((a & Y b) | (c & Y d))", "abcd", 2, 2},
    {"O ((Y b & O a) | (!Y b & O c))", "abc", 2, 4},
    {"Y (!((a & Y b) | (c & Y d)) S (a & Y b))", "abcd", 2, 2},
    {"O (((a & Y b) | (c & Y d)) & !(b & Y b))", "abcd", 3, 2},
    {"x = (a & O b) | (b & O c)\nO (x | (c & O a))", "abc", 2, 4},
    {"x = Y ([cd] S a)\ny = Y ([cd] S b)\nO ((x & O c) | (y & O d))", "abcd", 2, 4},
    /* gates read sums, unrounded ones too, and sums of sums */
    {"(Y a | Y b) & O c", "abc", 1, 2},
    {"((a & Y b) | (c & Y d)) & O b", "abcd", 2, 2},
    {"(Y a | Y b) ^ O c", "abc", 1, 2},
    {"((a & Y a) | (b & Y b)) ^ (O c)", "abc", 2, 2},
    {"O (!(Y a | Y b) & O c)", "abc", 2, 3},
    /* an AND of which no two operands fail together: x and not y where y implies x */
    {"O (!(a & Y b) & !(b & Y c) & !(c & Y a))", "abc", 2, 2},
    {"O ((Y a | O b) & !(Y a & c))", "abc", 2, 3},
    /* counts of sums, in both directions */
    {"#[(a & Y b) | (c & Y d)] % 3 = 1", "abcd", 3, 3},
    {"#[(a & Y b) | (c & Y d)] > #[b]", "abcd", 3, 3},
    {"#[a] > #>[(a & X b) | (c & X d)]", "abcd", 3, 4},
    {"#[(a & Y b) | (c & Y d)] > #[b | (c & Y b)]", "abcd", 4, 3},
    /* remainders one position before: no head steps back */
    {"Y (#[a] % 3 = 1)", "ab", 2, 2},
    {"Y !(#[a] % 3 = 1)", "ab", 2, 2},
    {"O Y (#[a & Y b] % 4 <= 2)", "ab", 4, 4},
    {"X (#>[a] % 2 = 0)", "ab", 2, 2},
    {"Y (2*#[a] % 6 = 4) & Y ((3*#[a] + 1) % 5 >= 2)", "ab", 3, 2},
    {"Y (#[true] % 3 = 0)", "ab", 1, 0},
    {"Y (#[a] % 100003 = 1) & !Y (#[b] % 70001 <= 60000)", "ab", 3, 3},
    {"O (b & Y (#[a] % 3 = 1))", "ab", 3, 3},
    {"O (b & Y (#[a] % 3 = 1) & Y (#[b] % 2 = 1))", "ab", 3, 4},
    {"Y (#>[a] % 2 = 0)", "ab", 3, 3},
    {"O (b & Y Y (#[a] % 2 = 1))", "ab", 4, 4},
    /* the constant stands on one position, so it does not shorten the proof */
    {"#[true] >= 8 & #[true] <= 64", "ab", 2, 3},
    /* patterns: one head for all of them, and several steps are one */
    {"rightmost[j<i, Y letter is letter] a", "abcdefgh", 2, 2},
    {"rightmost[j<i, a is Y b, Y a is b] Y a", "abc", 2, 2},
    {"Y^3 a | Y^3 Y^9 b", "ab", 1, 2},
    {"#[true] % 5 = 2", "ab", 0, 0},
    /* what does not exclude each other takes a gate */
    {"O ((a & Y b) | (O c & O d))", "abcd", 3, 4},
};

static void check_proofs(const pinned *p, const temper_model *m, size_t least_f32) {
    static const temper_type types[] = {TEMPER_TYPE_F64, TEMPER_TYPE_F32};
    char *model = NULL, *page = NULL;
    size_t size, length;
    temper_error err;
    if (!CHECK(temper_model_print(&model, &size, m, &err) == TEMPER_OK, "%s: %s", p->text, err.text)) return;
    for (size_t t = 0; t < 2; t++) {
        temper_proof proof = {0};
        temper_certificate *certificate = NULL;
        CHECK(temper_model_proof(&proof, m, types[t], 0, &err) == TEMPER_OK, "%s", err.text);
        size_t least = t ? least_f32 : least_f32 > 1000 ? 1000000000 : 7000000;
        CHECK(proof.claim == TEMPER_CLAIM_FORMULA && proof.length >= least, "%s: %s, proved up to %zu in %s", p->text,
              temper_claim_name(proof.claim), proof.length, temper_type_name(types[t]));
        temper_certify_options o = {.length = proof.length, .type = types[t]};
        if (temper_certify(&certificate, m, NULL, 0, &o, &err) == TEMPER_OK &&
            temper_certificate_print(&page, &length, certificate, &err) == TEMPER_OK)
            CHECK(temper_audit(page, length, model, size, NULL, &err) == TEMPER_OK, "%s: audit: %s", p->text,
                  err.text);
        else
            CHECK(false, "%s: %s", p->text, err.text);
        temper_free(page);
        page = NULL;
        temper_certificate_free(certificate);
    }
    temper_free(model);
}

static void check_strings(const pinned *p, const temper_spec *spec, test_random *r) {
    agree_set set;
    uint32_t word[64] = {0};
    size_t letters = strlen(p->alphabet);
    if (!agree_compile(&set, p->text, spec)) return;
    for (size_t n = 0; n <= corpus_length(letters, (size_t)(300 * test_effort()), 8); n++) {
        memset(word, 0, sizeof word);
        do agree_on(&set, word, n, false);
        while (corpus_next_word(word, n, letters));
    }
    for (size_t k = 0; k < 30 * test_effort(); k++) {
        size_t n = 8 + random_below(r, 56);
        for (size_t i = 0; i < n; i++) word[i] = (uint32_t)random_below(r, letters);
        agree_on(&set, word, n, true);
    }
    agree_free(&set);
}

static void check_pinned(const pinned *p, test_random *r) {
    temper_spec *spec = spec_of(p->text, p->alphabet, TEMPER_AT_LAST);
    temper_model *m = spec ? model_of(spec, TEMPER_METHOD_TEMPERATURE) : NULL;
    if (m) {
        temper_model_info about = temper_model_about(m);
        CHECK(about.layers == p->layers && about.heads == p->heads, "%s: %zu layers, %zu heads; %zu and %zu expected",
              p->text, about.layers, about.heads, p->layers, p->heads);
        bool remainder = strchr(p->text, '%') != NULL, balance = strstr(p->text, "#>") != NULL;
        check_proofs(p, m, remainder ? 500 : balance ? 50000 : 130000);
        check_strings(p, spec, r);
    }
    temper_model_free(m);
    temper_spec_free(spec);
}

/* ---- sums of what does not exclude each other ---- */

typedef struct forged {
    const char *text, *alphabet;
    const char *from, *to, *also_from, *also_to; /* in the model's text */
} forged;

static const forged forgeries[] = {
    /* a & Y b and c & Y d, with c and d read as a and b: both hold at once, the key is 2 */
    {"Y (!((a & Y b) | (c & Y d)) S (a & Y b))", "abcd", "  value 4:1\n", "  value 0:1\n", "embed \"a\" 2:1 3:1\n",
     "embed \"a\" 2:1 3:1 5:1\n"},
    /* one of the two is not read at all, or twice */
    {"Y (!((a & Y b) | (c & Y d)) S (a & Y b))", "abcd", "  key 7:1 9:1 10:1\n", "  key 7:1 9:2 10:1\n", NULL, NULL},
    /* yesterday a or b as a sum, with "yesterday any letter" for b: a gate of the two opens without O c */
    {"(Y a | Y b) & O c", "abc", "  value 2:1\n", "  value 5:1\n", NULL, NULL},
};

static char *replaced(const char *model, const char *from, const char *to) {
    const char *at = strstr(model, from);
    if (!CHECK(at, "the model's text has no %s:\n%s", from, model)) return NULL;
    size_t room = strlen(model) + strlen(to) + 1;
    char *out = malloc(room);
    snprintf(out, room, "%.*s%s%s", (int)(at - model), model, to, at + strlen(from));
    return out;
}

static char *without_digest(const char *model) { return replaced(model, strstr(model, "digest "), ""); }

static void check_forged(const forged *f) {
    temper_spec *spec = spec_of(f->text, f->alphabet, TEMPER_AT_LAST);
    temper_model *m = spec ? model_of(spec, TEMPER_METHOD_TEMPERATURE) : NULL, *other = NULL;
    char *model = NULL, *page = NULL;
    size_t size, length;
    temper_error err;
    temper_certificate *honest = NULL;
    temper_certify_options o = {.length = 100, .type = TEMPER_TYPE_F64};
    if (!m || !CHECK(temper_model_print(&model, &size, m, &err) == TEMPER_OK, "%s", err.text)) goto end;
    CHECK(temper_certify(&honest, m, NULL, 0, &o, &err) == TEMPER_OK &&
              temper_certificate_print(&page, &length, honest, &err) == TEMPER_OK,
          "%s", err.text);
    char *bare = without_digest(model), *first = replaced(bare, f->from, f->to);
    char *changed = first && f->also_from ? replaced(first, f->also_from, f->also_to) : first;
    if (changed && CHECK(temper_model_read(&other, changed, strlen(changed), &err) == TEMPER_OK, "%s", err.text)) {
        temper_proof proof = {0};
        CHECK(temper_model_proof(&proof, other, TEMPER_TYPE_F64, 0, &err) == TEMPER_OK, "%s", err.text);
        CHECK(proof.claim != TEMPER_CLAIM_FORMULA, "%s: proved with\n%s", f->text, changed);
        /* the honest certificate with the forged model's digest, as a forger would write it */
        char *found = NULL;
        temper_certificate *claimed = NULL;
        if (temper_certify(&claimed, other, NULL, 0, &o, &err) == TEMPER_OK)
            CHECK(temper_certificate_about(claimed).claim != TEMPER_CLAIM_FORMULA, "%s: certified", f->text);
        temper_certificate_free(claimed);
        CHECK(audit_certificate(&found, &length, changed, strlen(changed), 100, TEMPER_TYPE_F64, &err) != TEMPER_OK,
              "%s: the auditor finds a proof in\n%s", f->text, changed);
        temper_free(found);
    }
    free(bare);
    if (changed != first) free(changed);
    free(first);
end:
    temper_free(model);
    temper_free(page);
    temper_certificate_free(honest);
    temper_model_free(other);
    temper_model_free(m);
    temper_spec_free(spec);
}

/* Many values of one head exclude each other, and each is one of the conjuncts of a sum. */
static void check_many_values(void) {
    char all[4000] = "";
    for (int k = 0; k < 26; k++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s(Y %c & O %c)", k ? " | " : "O (", 'a' + k,
                 'a' + (k + 1) % 26);
    strcat(all, ")");
    temper_spec *spec = spec_of(all, "abcdefghijklmnopqrstuvwxyz", TEMPER_AT_LAST);
    temper_model *m = spec ? model_of(spec, TEMPER_METHOD_TEMPERATURE) : NULL;
    if (m) {
        temper_model_info about = temper_model_about(m);
        CHECK(about.layers == 2, "26 values of one head: %zu layers", about.layers);
        check_proofs(&(pinned){.text = all}, m, 130000);
    }
    temper_model_free(m);
    temper_spec_free(spec);
}

/* ---- random cascades ---- */

typedef struct page {
    char text[16000];
    size_t length;
} page;

static void put(page *p, const char *what) {
    size_t more = strlen(what);
    if (p->length + more >= sizeof p->text) return;
    memcpy(p->text + p->length, what, more + 1);
    p->length += more;
}

/* Where a value of the level above and a letter lead: 0, 1: to that value of this level, 2: to none, 3: nowhere. */
typedef struct moves {
    int to[3][4];
} moves;

/* "name = " and the OR of all (value above & letter) that lead to one of the targets. */
static void put_condition(page *p, const char *name, int level, int value, const moves *m, unsigned targets) {
    static const char *const above[] = {"(x%d & %c)", "(y%d & %c)", "(!x%d & !y%d & %c)"};
    char part[60];
    bool some = false;
    snprintf(part, sizeof part, "%s%d%d = ", name, level, value);
    put(p, part);
    for (int q = 0; q < 3; q++)
        for (int a = 0; a < 4; a++) {
            if (!(targets >> m->to[q][a] & 1)) continue;
            if (some) put(p, " | ");
            if (level == 0)
                snprintf(part, sizeof part, "%c", 'a' + a);
            else if (q == 2)
                snprintf(part, sizeof part, above[2], level - 1, level - 1, 'a' + a);
            else
                snprintf(part, sizeof part, above[q], level - 1, 'a' + a);
            put(p, part);
            some = true;
        }
    put(p, some ? "\n" : "false\n");
}

/* Levels as those of an automaton's cascade: values of one head under one key, whose resets exclude each other. They
   take a layer each, and one for the answer at most. */
static void check_cascade(test_random *r) {
    page p = {.length = 0};
    int levels = 1 + (int)random_below(r, 4);
    char line[200];
    moves m;
    for (int l = 0; l <= levels; l++) {
        for (int q = 0; q < 3; q++)
            for (int a = 0; a < 4; a++) m.to[q][a] = l == 0 && q ? m.to[0][a] : (int)random_below(r, 4);
        if (l == levels) break;
        put_condition(&p, "p", l, 0, &m, 1);
        put_condition(&p, "p", l, 1, &m, 2);
        put_condition(&p, "k", l, 0, &m, 7);
        snprintf(line, sizeof line, "x%d = Y (!k%d0 S p%d0)\ny%d = Y (!k%d0 S p%d1)\n", l, l, l, l, l, l);
        put(&p, line);
    }
    put_condition(&p, "answer", levels, 0, &m, 5);
    snprintf(line, sizeof line, "answer%d0", levels);
    put(&p, line);
    pinned as = {.text = p.text, .alphabet = "abcd"};
    temper_spec *spec = spec_of(p.text, "abcd", TEMPER_AT_LAST);
    temper_model *model = spec ? model_of(spec, TEMPER_METHOD_TEMPERATURE) : NULL;
    if (model) {
        temper_model_info about = temper_model_about(model);
        CHECK(about.layers <= (size_t)levels + 1, "%d levels, %zu layers:\n%s", levels, about.layers, p.text);
        check_proofs(&as, model, 130000);
        check_strings(&as, spec, r);
    }
    temper_model_free(model);
    temper_spec_free(spec);
}

int main(void) {
    test_random r = test_seed(20261116);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) check_pinned(&sizes[k], &r);
    for (size_t k = 0; k < sizeof forgeries / sizeof *forgeries; k++) check_forged(&forgeries[k]);
    check_many_values();
    for (size_t k = 0; k < 12 * test_effort(); k++) check_cascade(&r);
    return test_finish("t-sizes");
}
