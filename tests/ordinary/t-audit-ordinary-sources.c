/* The audit of ordinary transformers tells specifications apart. Every model of a group is audited with the source of
   every other one: what is accepted is what the emulator of the model says on all strings, letter by letter; a model
   with its own source is accepted. Then numbers of the model become others: what is still accepted must say on all
   strings what the source says, in ideal numbers (ordinary_ideal.h). */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/ordinary/audit_ordinary.h"
#include "ordinary/files/gguf_write.h"
#include "ordinary/run/ordinary_run.h"
#include "ordinary/run/ordinary_answer.h"
#include "ordinary_certificate_page.h"
#include "ordinary_ideal.h"
#include "ordinary_shakes.h"
#include "ordinary_trials.h"

static struct { size_t models, pairs, accepted, refused, same, shaken, harmless, flipped; } total;

enum { MOST = 28, LENGTH = 6, LONGEST = 90 };

typedef struct group {
    const char *letters;
    temper_at at;
    const char *sources[MOST];
} group;

/* A model of one source, and what it says. */
typedef struct subject {
    const char *source;
    temper_spec *spec;
    const temper_spec *read;
    temper_kind kind; /* of the hard model */
    struct ordinary_model *m;
    lift *u;
    text bytes;
    float *logits; /* [strings][LENGTH + 1][vocabulary] */
} subject;

typedef struct trial {
    const group *g;
    struct ordinary_options options;
    size_t length;
    test_random *random;
} trial;

static char folder[TEST_FOLDER], path[TEST_FOLDER + 40];

/* ---- all strings ---- */

static size_t string_count(size_t letters, size_t n) {
    size_t count = 1;
    for (size_t k = 0; k < n; k++) count *= letters;
    return count;
}

static void string_at(uint32_t *out, size_t n, size_t letters, size_t which) {
    for (size_t k = 0; k < n; k++, which /= letters) out[k] = (uint32_t)(which % letters);
}

static void run_strings(subject *x, size_t n, entry *e) {
    size_t letters = x->read->letters.count, strings = string_count(letters, n), row = (n + 1) * x->m->vocabulary;
    const ordinary_runner *runner = ordinary_runner_new(&e->memory, x->m, &(struct ordinary_kernel){0});
    uint32_t word[LONGEST], tokens[LONGEST + 1] = {ORDINARY_BOS};
    x->logits = arena_alloc(&e->memory, strings * row, sizeof *x->logits);
    for (size_t k = 0; k < strings; k++) {
        string_at(word, n, letters, k);
        for (size_t j = 0; j < n; j++) tokens[j + 1] = ORDINARY_LETTERS + word[x->m->mirrored ? n - 1 - j : j];
        ordinary_run(x->logits + k * row, runner, tokens, n + 1, &e->scratch);
    }
}

/* Whether what x says is what the other one's specification says, after every prefix of every string. */
static bool is_right(const subject *x, const subject *other, size_t n, arena *a) {
    size_t letters = x->read->letters.count, strings = string_count(letters, n), row = (n + 1) * x->m->vocabulary;
    uint32_t word[LONGEST];
    temper_error e;
    ordinary_answers answers = {x->m, other->read, other->kind,
                                arena_alloc(a, (spec_output_count(other->read) + 1) * (n + 1), 1)};
    for (size_t k = 0; k < strings; k++) {
        string_at(word, n, letters, k);
        temper_spec_eval_outputs(answers.truth, other->read, word, n, &e);
        for (size_t j = 0; j <= n; j++)
            if (!ordinary_answer_is_right(&answers, x->logits + k * row + j * x->m->vocabulary, j, n)) return false;
    }
    return true;
}

/* ---- one model, one claim ---- */

static bool make(subject *x, const trial *t, entry *e) {
    temper_error why = {0};
    temper_spec_options o = {.alphabet = t->g->letters, .at = t->g->at, .tokens = strchr(t->g->letters, ' ') != NULL};
    gguf_file f;
    struct ordinary_file file;
    temper_status s = temper_spec_parse(&x->spec, x->source, strlen(x->source), &o, &why);
    if (!CHECK(s == TEMPER_OK, "%s: %s", x->source, why.text)) return false;
    const temper_model *hard = ordinary_hard_model(e, x->spec, &x->read);
    x->kind = hard->kind;
    x->m = ordinary_from_model(&e->memory, hard, &t->options);
    text_init(&x->bytes, &e->memory);
    gguf_print(&x->bytes, x->m, ordinary_tokens_make(x->m, &e->memory), "a name", t->options.weights == ORDINARY_F16);
    gguf_open(&f, x->bytes.data, x->bytes.length, &e->memory);
    ordinary_read(&file, &f, &e->memory);
    x->u = lift_file(&file, ORDINARY_GGUF, &e->memory);
    run_strings(x, t->length, e);
    total.models++;
    return true;
}

/* Only what the model means, without bounds. */
typedef struct asked {
    const subject *x;
    const char *certificate;
    size_t length;
} asked;

static void ask_meaning(entry *e, void *context) {
    const asked *q = context;
    ordinary_audit s = {.trap = e->trap, .arena = &e->memory, .scratch = &e->scratch, .u = q->x->u};
    s.claim = ordinary_claim_read(q->certificate, q->length, &e->memory);
    ordinary_read_source(&s);
    ordinary_check_meaning(&s);
}

static void try_pair(const trial *t, const subject *x, const subject *other, arena *a) {
    text certificate, none = {0};
    temper_error why = {0};
    if (x->kind != other->kind || (x != other && test_effort() <= 0.1 && random_below(t->random, 3))) return;
    bool right = is_right(x, other, t->length, a);
    text_init(&certificate, a);
    ordinary_certificate_page(&certificate, &t->options, other->read, x->m, x->u, x == other ? &x->bytes : &none);
    asked q = {x, certificate.data, certificate.length};
    temper_status s = x == other ? temper_audit(certificate.data, certificate.length, NULL, 0,
                                                &(temper_audit_options){.path = path}, &why)
                                 : entry_run(&why, ask_meaning, &q);
    total.pairs++;
    total.same += right && x != other;
    total.accepted += s == TEMPER_OK;
    total.refused += s != TEMPER_OK;
    CHECK(s == TEMPER_OK || s == TEMPER_RANGE || s == TEMPER_FORMAT, "'%s' as '%s': %s", x->source, other->source,
          why.text);
    CHECK(right || s != TEMPER_OK, "%s: the model of '%s' is accepted as '%s'",
          ordinary_setting_text(x->source, &t->options), x->source, other->source);
    /* the proof of a look-up in a Llama asks for more pairs that do not turn than some have */
    bool turns =
        s == TEMPER_RANGE && t->options.architecture == ORDINARY_LLAMA && strstr(why.text, "turn into each other");
    if (x == other)
        CHECK(right && (s == TEMPER_OK || turns), "%s: %s", ordinary_setting_text(x->source, &t->options), why.text);
}

/* ---- other numbers ---- */

static const char *change_weight(shakes *c, const lift_form *f, test_random *r) {
    static const double factors[] = {-1, 0, 2, 0.5};
    shake_scale(c, &f->terms[random_below(r, f->count)].weight, factors[random_below(r, 4)]);
    return "a weight";
}

static const char *change_form(shakes *c, const lift_form *f, test_random *r) {
    if (f->count && random_below(r, 3))
        change_weight(c, f, r);
    else
        shake_put_number(c, &f->one, random_below(r, 2) ? f->one + (double)random_below(r, 3) - 1 : -f->one);
    return "a form";
}

static const char *change_head(shakes *c, const lift_head *h, test_random *r) {
    size_t kind = random_below(r, 3);
    if (h->role == LIFT_NEAREST && random_below(r, 4) == 0) {
        shake_put_truth(c, &h->last, !h->last);
        return "the last or the first";
    }
    if (h->role != LIFT_ONCE && h->role != LIFT_COMPARE && (kind == 0 || !h->content) && h->value_count)
        return change_form(c, &h->values[random_below(r, h->value_count)].value, r);
    if (h->content && h->role != LIFT_COMPARE) {
        const lift_product *p = &h->products[random_below(r, h->content)];
        return change_form(c, kind == 1 ? &p->query : &p->key, r);
    }
    return NULL; /* once writes its key, and who compares reads a mean: that is looked at before */
}

static const char *change_step(shakes *c, const lift_step *s, test_random *r) {
    switch (random_below(r, 4)) {
    case 0: shake_put_number(c, &s->at, s->at + 1); return "a threshold";
    case 1: shake_put_number(c, &s->at, s->at - 1); return "a threshold";
    case 2: return s->sum.count ? change_weight(c, &s->sum, r) : NULL;
    default: shake_scale(c, &s->terms[random_below(r, s->count)].weight, -1); return "what a step writes";
    }
}

static const char *change_place(shakes *c, const lift *u, test_random *r) {
    const lift_column *x = &u->columns[random_below(r, u->column_count)];
    uint32_t n = u->m->positions, at = random_below(r, 2)   ? (uint32_t)random_below(r, n)
                                       : random_below(r, 2) ? 0
                                                            : n - 1;
    if (x->writer == LIFT_TOKEN) {
        double *token = &x->tokens[random_below(r, 2 + u->letters)];
        shake_put_number(c, token, 1 - *token);
        return "a token";
    }
    if (!x->place || !x->is_read) return NULL;
    shake_put_number(c, &x->place[at], random_below(r, 2) ? 1 - x->place[at] : x->place[at] + 1);
    return "a number of a position";
}

/* A column that nobody writes is 1 at one position, late or early, and one more form reads it. */
static const char *add_place(shakes *c, const lift *u, test_random *r, arena *a) {
    uint32_t n = u->m->positions, at = random_below(r, 2) ? n - 1 - (uint32_t)random_below(r, n < 3 ? n : 3)
                                                          : (uint32_t)random_below(r, n);
    uint32_t column = (uint32_t)random_below(r, u->column_count);
    const lift_form *f = NULL;
    double weight = 1;
    size_t kind = random_below(r, 3);
    if (u->columns[column].writer != LIFT_NOBODY) return NULL;
    if (kind == 0 && u->head_count) {
        const lift_head *h = &u->heads[random_below(r, u->head_count)];
        if (h->role == LIFT_ONCE || h->role == LIFT_COMPARE || h->role == LIFT_MEAN || h->role == LIFT_WAVE ||
            h->role == LIFT_WEIGHED)
            return NULL;
        f = h->content && random_below(r, 2) ? &h->products[random_below(r, h->content)].key
                                             : &h->values[random_below(r, h->value_count)].value;
    } else if (kind == 1 && u->step_count) {
        f = &u->steps[random_below(r, u->step_count)].sum;
        weight = 2 * LIFT_GATE;
    } else if (kind == 2) {
        f = &u->outputs[1 + random_below(r, u->m->vocabulary - 2)];
        weight = 256;
    }
    if (!f) return NULL;
    lift_column made = u->columns[column];
    made.writer = LIFT_TABLE;
    made.place = arena_zalloc(a, n, sizeof *made.place);
    made.place[at] = 1;
    made.high = made.grain = 1;
    model_term *terms = arena_alloc(a, f->count + 1, sizeof *terms);
    size_t count = f->count + 1;
    memcpy(terms, f->terms, f->count * sizeof *terms);
    terms[f->count] = (model_term){column, random_below(r, 2) ? weight : -weight};
    shake_put(c, &u->columns[column].writer, &made.writer, sizeof made.writer);
    shake_put(c, &u->columns[column].place, &made.place, sizeof made.place);
    shake_put_number(c, &u->columns[column].high, 1);
    shake_put_number(c, &u->columns[column].grain, 1);
    shake_put(c, &f->terms, &terms, sizeof terms);
    shake_put(c, &f->count, &count, sizeof count);
    return "a position more";
}

static bool has_means(const lift *u) {
    for (size_t k = 0; k < u->head_count; k++)
        if (u->heads[k].role == LIFT_MEAN || u->heads[k].role == LIFT_WEIGHED) return true;
    return false;
}

/* NULL: nothing was changed. What steps write is known to be within bounds, by which sums of means are judged. */
static const char *change_any(shakes *c, const lift *u, test_random *r, arena *a) {
    size_t kind = random_below(r, 10);
    if (kind < 3 && u->head_count) return change_head(c, &u->heads[random_below(r, u->head_count)], r);
    if (kind < 5 && u->step_count && !has_means(u))
        return change_step(c, &u->steps[random_below(r, u->step_count)], r);
    if (kind == 5) /* the logits of the first token and of the last are looked at elsewhere */
        return change_form(c, &u->outputs[1 + random_below(r, u->m->vocabulary - 2)], r);
    return kind < 8 ? change_place(c, u, r) : add_place(c, u, r, a);
}

static void rename_form(const lift_form *f, uint32_t x, uint32_t y) {
    for (size_t k = 0; k < f->count; k++) {
        uint32_t *c = &f->terms[k].channel;
        *c = *c == x ? y : *c == y ? x : *c;
    }
}

/* Two columns change their places: a file that is not temper's may have them in any order. */
static void swap_columns(lift *u, uint32_t x, uint32_t y) {
    lift_column kept = u->columns[x];
    u->columns[x] = u->columns[y];
    u->columns[y] = kept;
    for (size_t k = 0; k < u->head_count; k++) {
        lift_head *h = &u->heads[k];
        h->number = h->number == x ? y : h->number == y ? x : h->number;
        h->inverse = h->inverse == x ? y : h->inverse == y ? x : h->inverse;
        for (size_t j = 0; j < h->product_count; j++) {
            rename_form(&h->products[j].query, x, y);
            rename_form(&h->products[j].key, x, y);
        }
        for (size_t j = 0; j < h->turn_count; j++) rename_form(&h->turns[j].key, x, y);
        for (size_t v = 0; v < h->value_count; v++) {
            uint32_t *c = &h->values[v].column;
            rename_form(&h->values[v].value, x, y);
            *c = *c == x ? y : *c == y ? x : *c;
        }
    }
    for (size_t k = 0; k < u->step_count; k++) {
        rename_form(&u->steps[k].sum, x, y);
        rename_form(&(lift_form){.terms = u->steps[k].terms, .count = u->steps[k].count}, x, y);
    }
    for (uint32_t t = 0; t < u->m->vocabulary; t++) rename_form(&u->outputs[t], x, y);
    u->real = u->real == x ? y : u->real == y ? x : u->real;
    u->start = u->start == x ? y : u->start == y ? x : u->start;
}

static bool is_exact(const subject *x, const float *logits) {
    for (uint32_t v = 1; v + 1 < x->m->vocabulary; v++)
        if (logits[v] != 0 && logits[v] != -256) return false;
    return true;
}

static bool says_source(const trial *t, const subject *x, const subject *other, arena *a) {
    size_t letters = other->read->letters.count, n = t->length, strings = string_count(letters, n);
    uint32_t word[LONGEST], tokens[LONGEST + 1] = {ORDINARY_BOS};
    float *logits = arena_alloc(a, (n + 1) * x->m->vocabulary, sizeof *logits);
    temper_error e;
    ordinary_answers answers = {x->m, other->read, other->kind,
                                arena_alloc(a, (spec_output_count(other->read) + 1) * (n + 1), 1)};
    for (size_t k = 0; k < strings; k++) {
        string_at(word, n, letters, k);
        for (size_t j = 0; j < n; j++) tokens[j + 1] = ORDINARY_LETTERS + word[x->m->mirrored ? n - 1 - j : j];
        temper_spec_eval_outputs(answers.truth, other->read, word, n, &e);
        if (!ordinary_ideal_run(logits, x->u, tokens, n, a)) return false;
        for (size_t j = 0; j <= n; j++)
            if (!is_exact(x, logits + j * x->m->vocabulary) ||
                !ordinary_answer_is_right(&answers, logits + j * x->m->vocabulary, j, n))
                return false;
    }
    return true;
}

/* A model without counts is followed letter by letter: what is right is accepted. */
static bool is_finite(const subject *x) {
    return x->kind == TEMPER_KIND_NEXT && !x->read->viable && !has_means(x->u);
}

/* Keys in other units, and queries of which only the sign counts: the model stays what it is. */
static void change_units(shakes *c, const lift *u) {
    for (size_t k = 0; k < u->head_count; k++) {
        const lift_head *h = &u->heads[k];
        double unit = h->content ? lift_grain(u, &h->products[0].key) : 0;
        if (unit > 0 && (h->role == LIFT_ONCE || (h->role == LIFT_NEAREST && h->content == 1)))
            shake_scale_form(c, &h->products[0].key, 0.5 / unit);
        if (h->role == LIFT_COMPARE) shake_scale_form(c, &h->products[0].query, 0x1p-30);
    }
}

static void ask_again(const trial *t, asked *q, const char *what) {
    temper_error why = {0};
    CHECK(entry_run(&why, ask_meaning, q) == TEMPER_OK, "%s: with %s: %s",
          ordinary_setting_text(q->x->source, &t->options), what, why.text);
}

static void shake_model(const trial *t, const subject *x, size_t count, arena *a) {
    text certificate;
    text_init(&certificate, a);
    ordinary_certificate_page(&certificate, &t->options, x->read, x->m, x->u, &x->bytes);
    asked q = {x, certificate.data, certificate.length};
    CHECK(says_source(t, x, x, a), "%s: in ideal numbers it is wrong", ordinary_setting_text(x->source, &t->options));
    for (size_t k = 0; k < count; k++) {
        shakes c = {.count = 0};
        temper_error why;
        if (k == count / 2) {
            swap_columns(x->u, 0, (uint32_t)random_below(t->random, x->u->column_count));
            ask_again(t, &q, "two columns in another order");
            change_units(&c, x->u);
            ask_again(t, &q, "keys in other units");
            shake_undo(&c, 0);
        }
        const char *what = NULL;
        for (int tries = 0; !what && tries < 20; tries++) what = change_any(&c, x->u, t->random, a);
        bool accepted = entry_run(&why, ask_meaning, &q) == TEMPER_OK;
        total.shaken++;
        total.harmless += accepted;
        if (accepted && getenv("ORDINARY_SHOW")) printf("accepted: %s\n", what);
        bool finite = is_finite(x), right = (accepted || finite) && says_source(t, x, x, a);
        CHECK(accepted ? right : !(finite && right), "%s: %s with another number: %s",
              ordinary_setting_text(x->source, &t->options), accepted ? "accepted" : "refused", what);
        shake_undo(&c, 0);
    }
}

/* Logits of single tokens the other way: what a source never says must not be written. */
static void turn_outputs(const trial *t, const subject *x, arena *a) {
    text certificate;
    text_init(&certificate, a);
    ordinary_certificate_page(&certificate, &t->options, x->read, x->m, x->u, &x->bytes);
    asked q = {x, certificate.data, certificate.length};
    for (uint32_t token = 1; token + 1 < x->m->vocabulary; token++) {
        shakes c = {.count = 0};
        temper_error why;
        const lift_form *f = &x->u->outputs[token];
        if (f->count) continue;
        shake_put_number(&c, &f->one, f->one == 0 ? -256 : 0);
        CHECK(entry_run(&why, ask_meaning, &q) != TEMPER_OK, "%s: accepted with the logit of token %u the other way",
              ordinary_setting_text(x->source, &t->options), token);
        shake_undo(&c, 0);
    }
}

/* The same source read at the other end of the string is another one, where it counts letters up to there. */
static void turn_source(const trial *t, const subject *x, arena *a) {
    text certificate;
    temper_error why;
    if (x->kind == TEMPER_KIND_TRANSDUCER || !strstr(x->source, "#[a] >= #[b]") || x->m->mirrored) return;
    text_init(&certificate, a);
    ordinary_certificate_page(&certificate, &t->options, x->read, x->m, x->u, &x->bytes);
    char *at = strstr(certificate.data, "\"at\": \"last\""), *made = arena_alloc(a, certificate.length + 2, 1);
    if (!CHECK(at != NULL, "a certificate does not say where its source is read")) return;
    snprintf(made, certificate.length + 2, "%.*s\"at\": \"first\"%s", (int)(at - certificate.data), certificate.data,
             at + strlen("\"at\": \"last\""));
    asked q = {x, made, strlen(made)};
    CHECK(entry_run(&why, ask_meaning, &q) != TEMPER_OK, "%s: accepted as what holds at the first letter",
          ordinary_setting_text(x->source, &t->options));
}

/* Heads that take the first key in place of the last: some other source may say that. */
static void flip_heads(const trial *t, const subject *x, const subject *all, size_t count, arena *a) {
    for (size_t k = 0; k < x->u->head_count && is_finite(x); k++) {
        shakes c = {.count = 0};
        const lift_head *h = &x->u->heads[k];
        if (h->role != LIFT_NEAREST) continue;
        shake_put_truth(&c, &h->last, !h->last);
        for (size_t j = 0; j < count; j++) {
            text certificate, none = {0};
            temper_error why;
            if (all[j].kind != x->kind || all[j].read->viable) continue;
            text_init(&certificate, a);
            ordinary_certificate_page(&certificate, &t->options, all[j].read, x->m, x->u, &none);
            asked q = {x, certificate.data, certificate.length};
            bool accepted = entry_run(&why, ask_meaning, &q) == TEMPER_OK;
            CHECK(accepted == says_source(t, x, &all[j], a), "'%s' with a head the other way is %s as '%s'",
                  x->source, accepted ? "accepted" : "refused", all[j].source);
            total.flipped += accepted;
        }
        shake_undo(&c, 0);
    }
}

typedef struct family {
    const trial *t;
    subject all[MOST];
    size_t count;
} family;

static void compare_all(const family *f, arena *a) {
    for (size_t k = 0; k < f->count; k++) {
        temper_error why;
        const subject *x = &f->all[k];
        pid_t owner = getpid();
        snprintf(path, sizeof path, "%s/%d-%zu.gguf", folder, (int)owner, k); /* a mutant is a process of its own */
        if (!CHECK(temper_file_write(path, x->bytes.data, x->bytes.length, &why) == TEMPER_OK, "%s", why.text))
            return;
        for (size_t j = 0; j < f->count; j++) try_pair(f->t, x, &f->all[j], a);
        flip_heads(f->t, x, f->all, f->count, a);
        turn_outputs(f->t, x, a);
        turn_source(f->t, x, a);
        shake_model(f->t, x, test_effort() <= 0.1 ? 10 : 14, a);
        if (owner == getpid()) unlink(path);
    }
}

/* A call holds a few models only: each is made in one of its own, inside the one before. */
static void run_group(entry *e, void *context) {
    family *f = context;
    subject *x = &f->all[f->count];
    temper_error why = {0};
    x->source = f->t->g->sources[f->count];
    if (!x->source || f->count + 1 == MOST) {
        compare_all(f, &e->memory);
        return;
    }
    if (!make(x, f->t, e)) return;
    f->count++;
    CHECK(entry_run(&why, run_group, f) == TEMPER_OK, "%s: %s", x->source, why.text);
    temper_spec_free(x->spec);
}

static void try_group(const group *g, uint64_t number, enum ordinary_positions positions, size_t length,
                      test_random *r) {
    temper_error e = {0};
    trial t = {.g = g, .options = ordinary_setting(number, length), .length = length, .random = r};
    t.options.positions = positions;
    family f = {.t = &t};
    CHECK(entry_run(&e, run_group, &f) == TEMPER_OK, "%s: %s", g->sources[0], e.text);
}

#define END "\nemit '.' otherwise"
static const group groups[] = {
    /* finite machines */
    {.letters = "abc",
     .sources = {"a", "O a", "Y a", "Y Y a", "Y (a & Y b)", "a S b", "O (b & Z H a)", "O (a & Z H b)", "b S a",
                 "a T b", "Z a", "Y (a S b)", "(Y a) S (b & Y c)", "(Y a) S (b & Y a)", "/(ab|ba|cc)*/",
                 "/(ab|ba)*c?/", "H(b -> Y(!b S a)) & H(a -> Z(!a S b | H !a))"}},
    /* positions */
    {.letters = "ab",
     .sources = {"#[true] % 2 = 0", "#[true] % 3 = 1", "#[true] % 3 = 2 & a", "#[true] % 3 = 0", "O a & #[true] = 6",
                 "O a & #[true] >= 5", "Y first", "Y Y first", "first & a", "H (b -> #[true] % 2 = 0)",
                 "#[true] % 4 = 2"}},
    /* one letter, and many positions */
    {.letters = "a",
     .sources = {"#[true] % 2 = 0", "#[true] % 7 = 3", "#[true] % 5 = 1", "Y (#[true] % 3 = 1)",
                 "O (#[true] % 4 = 3)"}},
    /* counts that only go up, or only go down */
    {.letters = "ab",
     .sources = {"#[a] >= 2", "#[a] >= 3", "#[a] = 3", "#[a] < 3", "#[a] < 4 & #[b] >= 1", "#[a] <= 1 | H b",
                 "#[a] >= 6", "#[a & Y b] >= 2", "#[b & Y a] >= 2", "#[a] + 2*#[b] >= 5", "#[a] + 2*#[b] <= 5"}},
    /* remainders of counts: by machines */
    {.letters = "ab",
     .sources = {"#[a] % 2 = 0", "#[a] % 2 = 1", "#[b] % 2 = 0", "#[a] % 3 = 1", "#[a] % 3 = 2", "#[a & Y b] % 2 = 1",
                 "#[a] % 2 = 0 & #[b] % 2 = 1", "#[a] % 3 = 0 | #[b] >= 2"}},
    /* and by meaning, beside letters at places that are counts */
    {.letters = "ab",
     .sources = {"#[a] >= #[b] & #[a] % 2 = 0", "#[a] >= #[b] & #[b] % 2 = 0", "#[a] >= #[b] & #[a] % 3 = 2",
                 "#[a] >= #[b] & #[a] % 3 = 1", "a @ #[b]", "b @ #[b]", "a @ #[a]", "b @ #[a]", "Y a @ #[b]",
                 "a & (a @ #[b])"}},
    /* counts on both sides: by meaning */
    {.letters = "abc",
     .sources = {"#[a] >= #[b]",
                 "#[a] > #[b]",
                 "#[b] >= #[a]",
                 "#[a] = #[b]",
                 "2*#[a] >= #[b]",
                 "#[a] >= 2*#[b]",
                 "#[a] >= #[b] & O a",
                 "#[a] >= #[b] & O c",
                 "#[a] >= #[b] | Y a",
                 "H(#[a] >= #[b])",
                 "#[a] >= #[b] & (a S b)",
                 "#[a] >= #[b] & (b S a)",
                 "#[a] >= #[b] & (a T b)",
                 "#[a] >= #[b] & Y (a S b)",
                 "#[a] >= #[b] & ((Y a) S (Y b))",
                 "#[a] >= #[b] & (Y O c)",
                 "#[a] >= #[b] & (leftmost[j<=i, [ab]] a)",
                 "#[a] >= #[b] & (rightmost[j<=i, [ab]] a)",
                 "#[a] >= #[b] & (rightmost[j<i, [ab]] a)",
                 "#[a & Y a] >= #[b]",
                 "#[Y a] >= #[b]",
                 "#[O b] >= #[a]",
                 "O (#[a] > #[b])",
                 "Y (#[a] > #[b])",
                 "#[a] >= #[b] + #[c]",
                 "#[a] + 1 >= #[b]"}},
    /* the same, with positions, and with the empty string and without */
    {.letters = "ab",
     .sources = {"#[a] >= #[b] & #[true] % 2 = 0", "#[a] >= #[b] & #[true] % 3 = 1", "#[a] >= #[b] & #[true] % 3 = 2",
                 "#[a] >= #[b] & #[true] = 3", "#[a] >= #[b] & #[true] = 2", "#[a] >= #[b] & first",
                 "#[a] >= #[b] | #[true] = 5", "#[a] >= #[b] & #[true] % 3 = 0", "empty accept\n#[a] > #[b]",
                 "#[a] > #[b]", "#[a] >= #[b] | #[true] % 2 = 1"}},
    /* what is legal is said */
    {.letters = "ab",
     .sources = {"next\nempty accept\nok = H (#[a] >= #[b])\nviable ok\nok & #[a] <= #[b]",
                 "next\nempty accept\nok = H (#[a] >= #[b])\nviable ok\nok",
                 "next\nempty accept\nok = H (#[b] >= #[a])\nviable ok\nok & #[b] <= #[a]",
                 "next\nempty reject\nok = H (#[a] >= #[b])\nviable ok\nok & #[a] <= #[b]"}},
    /* transducers */
    {.letters = "abc",
     .sources = {"transduce\nemit a = a" END, "transduce\nemit a = b" END, "transduce\nemit a = Y a" END,
                 "transduce\nemit a = Y a\nemit b otherwise", "transduce\nemit b = Y a" END,
                 "transduce\nemit a = Y a\nemit b = Y b" END, "transduce\nemit a = #[a] >= #[b]" END,
                 "transduce\nemit a = #[a] > #[b]" END, "transduce\nemit a = O a & O b" END,
                 "transduce\nemit 'x' = a S b" END, "transduce\nemit a = a S b" END,
                 "transduce\nemit a = leftmost[j<=i, [ab]] a" END,
                 "transduce\nemit a = #[true] % 2 = 1\nemit 'y' = #[true] % 2 = 0" END}},
    /* the same that no meaning is found of: places are named in two ways. They are followed as machines */
    {.letters = "ab",
     .sources = {"transduce\nemit a = Y Y true" END, "transduce\nemit a = Y Y Y true" END,
                 "transduce\nemit a = Y true" END, "transduce\nemit a = Y Y Y Y Y a" END,
                 "transduce\nemit a = O Y Y Z a" END, "transduce\nemit a = Y Y O Z a" END,
                 "transduce\nemit a = Y Y true\nemit b = Y first" END,
                 "transduce\nemit a = Y Y true\nemit nothing = Y first" END,
                 "transduce\nemit 'x' = Y (Y Z a T Y O a)\nemit b = Y Y Z b & !Y (Y Z a T Y O a)" END}},
    {.letters = "ab",
     .sources = {"transduce\nemit a = X X true" END, "transduce\nemit a = X X X true" END,
                 "transduce\nemit a = F X X wX a" END, "transduce\nemit a = X X F wX a" END,
                 "transduce\nemit a = X X true\nemit b = X last" END}},
    /* patterns */
    {.letters = "abc",
     .sources = {"transduce\nemit a = rightmost[j<=i, Y letter is letter] a" END,
                 "transduce\nemit a = rightmost[j<i, Y letter is letter] a" END,
                 "transduce\nemit b = rightmost[j<i, Y letter is letter] b" END,
                 "transduce\nemit a = rightmost[j<i, letter is letter] Y a" END,
                 "transduce\nemit a = rightmost[j<i, letter is letter] Y b" END,
                 "transduce\nemit a = rightmost[j<i, [ab], Y letter is letter] a" END,
                 "transduce\nemit a = rightmost[j<i, [ab], Y letter is letter] b" END,
                 "transduce\nemit a = [bc] & rightmost[j<i, [ab], Y letter is letter] a" END,
                 "transduce\nemit a = rightmost[j<=i, Y letter is letter] Y a" END,
                 "transduce\nemit a = rightmost[j<i, letter is Y letter] a" END,
                 "#[a] >= #[b] & rightmost[j<=i, Y letter is letter] a",
                 "#[a] >= #[b] & rightmost[j<=i, Y letter is letter] b"}},
    /* fed from right to left */
    {.letters = "abc",
     .at = TEMPER_AT_FIRST,
     .sources = {"G(a -> F b)", "F a", "X a", "X X a", "a U b", "b U a", "#>[a] >= #>[b]", "#>[a] > #>[b]",
                 "G(#>[a] >= #>[b])", "#>[a] >= #>[b] & (a U b)", "#>[a] >= #>[b] & last",
                 "#>[a] >= #>[b] & #>[true] = 2", "#>[true] % 3 = 1", "#>[a] >= #>[b] & #>[true] % 3 = 1",
                 "#>[a] >= 2", "#>[a] >= #>[b] & X (a U b)", "#>[a] % 2 = 0", "#>[a] >= #>[b] & #>[a] % 2 = 0"}},
    /* words */
    {.letters = "req b", .sources = {"O req", "O b", "H(req -> Y b)", "#[req] >= #[b]"}},
};

int main(void) {
    test_random r = test_seed(64);
    if (!test_folder(folder)) return 1;
    for (size_t k = 0; k < sizeof groups / sizeof *groups; k++) {
        size_t letters = strlen(groups[k].letters), n = letters == 3 ? 4 : letters == 1 ? LONGEST : LENGTH;
        try_group(&groups[k], 0, ORDINARY_POSITIONS_AUTO, n, &r);
        uint64_t number = 1 + 2 * random_below(&r, 2); /* with an f16 cache values may not be exact enough */
        if (test_effort() > 0.1 && random_below(&r, 2))
            try_group(&groups[k], number, ORDINARY_POSITIONS_DIGITS, n, &r);
    }
    rmdir(folder);
    printf("%zu models, %zu pairs: %zu accepted, %zu refused; %zu say the same by other words; %zu changed models, "
           "%zu of them "
           "right all the same; %zu with a head the other way\n",
           total.models, total.pairs, total.accepted, total.refused, total.same, total.shaken, total.harmless,
           total.flipped);
    return test_finish("t-audit-ordinary-sources");
}
