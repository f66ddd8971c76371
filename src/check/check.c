/* The formula, the model with hard choices and the model as it is, compared string by string: as a job of numbered
   units, and at once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/proved.h"
#include "job/journal.h"
#include "model/model_spec.h"
#include "base/table.h"
#include "check/side_by_side.h"
#include "check/compare.h"
#include "check/tree.h"
#include "decide/letter_classes.h"

/* ---- the plan ---- */

static _Noreturn void letter_missing(arena *a, const char *letter, const char *here, const char *there) {
    trap_raise_hint(a->trap, TEMPER_RANGE, 0, 0, "formula and model must have the same letters",
                    "letter '%s' of the %s is not in the alphabet of the %s",
                    text_escaped(a, letter, strlen(letter), 40), here, there);
}

/* Letters are matched by name: the two may number them differently. */
static const uint32_t *match_alphabets(const check_plan *p, arena *a) {
    table known;
    bool fresh;
    table_init(&known, a);
    for (size_t k = 0; k < temper_spec_about(p->spec).letters; k++) {
        const char *letter = temper_spec_letter(p->spec, k);
        table_put(&known, letter, strlen(letter), (uint32_t)k, &fresh);
    }
    uint32_t *spec_letter = arena_alloc(a, p->about.letters, sizeof *spec_letter);
    bool *met = arena_zalloc(a, temper_spec_about(p->spec).letters, sizeof *met);
    for (size_t k = 0; k < p->about.letters; k++) {
        const char *letter = temper_model_letter(p->model, k);
        const uint32_t *number = table_find(&known, letter, strlen(letter));
        if (number)
            met[spec_letter[k] = *number] = true;
        else
            letter_missing(a, letter, "model", "formula");
    }
    for (size_t k = 0; k < temper_spec_about(p->spec).letters; k++)
        if (!met[k]) letter_missing(a, temper_spec_letter(p->spec, k), "formula", "model");
    return spec_letter;
}

static _Noreturn void output_missing(arena *a, const char *name, const char *here, const char *there) {
    trap_raise_hint(a->trap, TEMPER_RANGE, 0, 0, "formula and model must have the same outputs",
                    "output '%s' of the %s is none of the %s", text_escaped(a, name, strlen(name), 40), here, there);
}

/* Outputs are matched by name, as letters are. */
static const uint32_t *match_outputs(const check_plan *p, arena *a) {
    temper_spec_info about = temper_spec_about(p->spec);
    table known;
    bool fresh;
    if (about.kind != p->about.kind)
        trap_raise(a->trap, TEMPER_RANGE, 0, 0, "the kind of the model is %s, but that of the specification is %s",
                   temper_kind_name(p->about.kind), temper_kind_name(about.kind));
    table_init(&known, a);
    for (size_t k = 0; k < about.outputs; k++) {
        const char *name = temper_spec_output_name(p->spec, k);
        table_put(&known, name, strlen(name), (uint32_t)k, &fresh);
    }
    uint32_t *found = arena_alloc(a, p->about.outputs, sizeof *found);
    bool *met = arena_zalloc(a, about.outputs, sizeof *met);
    for (size_t k = 0; k < p->about.outputs; k++) {
        const char *name = temper_model_output_name(p->model, k);
        const uint32_t *number = table_find(&known, name, strlen(name));
        if (!number) output_missing(a, name, "model", "formula");
        met[found[k] = *number] = true;
    }
    for (size_t k = 0; k < about.outputs; k++)
        if (!met[k]) output_missing(a, temper_spec_output_name(p->spec, k), "formula", "model");
    return found;
}

/* How many strings there are to compare; refuses what would never end. */
static uint64_t count_strings(const check_plan *p, const temper_check_options *o, trap *t) {
    const uint64_t most = (uint64_t)1 << 62;
    uint64_t letters = p->sides.classes, layer = 1, total = 1;
    bool endless = false;
    if (letters == 1) {
        endless = o->exhaustive >= most;
        total += o->exhaustive;
    } else if (letters > 1) {
        for (size_t k = 1; k <= o->exhaustive && !endless; k++)
            endless = __builtin_mul_overflow(layer, letters, &layer) ||
                      __builtin_add_overflow(total, layer, &total) || total > most;
    }
    if (endless || __builtin_add_overflow(total, o->random, &total) || total > most)
        trap_raise_hint(t, TEMPER_LIMIT, 0, 0, "choose a smaller length for the exhaustive part",
                        "more than 2^62 strings: %zu letters, all strings up to length %zu, %llu random ones",
                        p->about.letters, o->exhaustive, (unsigned long long)o->random);
    return total;
}

/* What is proved of the model as it is; sets `proved` and `roles`. */
static void refuse_lengths(check_plan *p, arena *a) {
    temper_claim claim = proved_at(p->model, TEMPER_TYPE_F64, false, 0, a->trap).claim;
    if (claim == TEMPER_CLAIM_NONE) return;
    length_proof proved = proved_at(p->model, TEMPER_TYPE_F64, false, p->longest, a->trap);
    p->proved = proved.claim != TEMPER_CLAIM_NONE;
    p->roles = proved.claim == TEMPER_CLAIM_FORMULA || proved.claim == TEMPER_CLAIM_VIABLE;
    /* a model that was not made for a length is compared as it is: this is how to find out about it */
    bool promised = claim != TEMPER_CLAIM_CHOICES || model_has_record(&p->model->record);
    if (p->proved || !promised) return;
    temper_proof whole = proved_longest(p->model, TEMPER_TYPE_F64, false, a->trap);
    trap_raise_hint(a->trap, TEMPER_LIMIT, 0, 0, text_escaped(a, whole.obstacle, strlen(whole.obstacle), 200),
                    "strings of length %zu are beyond the model's proved length, %zu", p->longest, whole.length);
}

/* How strings will be compared, and so how many make a unit that takes about a tenth of a second. */
static unit_sizes choose_way(check_plan *p, arena *scratch) {
    if (!p->roles) return (unit_sizes){1 << 7, 1 << 12};
    const tree *t = tree_new(scratch, &p->sides, p->exhaustive);
    p->has_tree = t != NULL;
    p->mirrored = t && tree_is_mirrored(t);
    return t ? (unit_sizes){1 << 13, 1 << 18} : (unit_sizes){1 << 11, 1 << 15};
}

/* A model that reads its language from the right says nothing about prefixes: at every position its truth is compared
   with that of the rest of the string. */
static const temper_spec *spec_as_model(const temper_spec *spec, arena *a, arena *scratch) {
    if (spec->root && formula_at(&spec->graph, spec->root)->op == OP_MATCHES_REST) return spec;
    if (!spec_is_language(spec))
        trap_raise_remedy(a->trap, TEMPER_UNSUPPORTED, 0, 0, TEMPER_REMEDY_PREFIXES,
                          "the model reads its language from the right: it is compared with a regular expression or "
                          "an automaton only");
    return spec_from_right(spec, a, scratch);
}

/* Two letters are of one class if their rows of the embedding are the same, term by term, and every set of letters
   and automaton of the formula has both or neither: then no side gives different answers to two strings that differ
   only in such letters. So one string stands for all of them. */
static bool same_row(const model_rows *rows, uint32_t x, uint32_t y) {
    size_t size = rows->start[x + 1] - rows->start[x];
    if (rows->start[y + 1] - rows->start[y] != size) return false;
    for (size_t k = 0; k < size; k++) {
        const model_term *a = &rows->terms[rows->start[x] + k], *b = &rows->terms[rows->start[y] + k];
        if (a->channel != b->channel || memcmp(&a->weight, &b->weight, sizeof a->weight) != 0) return false;
    }
    return true;
}

static uint32_t *formula_classes(const check_plan *p, arena *a) {
    uint32_t count, letters = (uint32_t)p->about.letters, *of = arena_zalloc(a, letters, sizeof *of);
    uint32_t total = (uint32_t)temper_spec_about(p->spec).letters;
    const uint32_t *all = NULL;
    for (size_t k = 0; k < spec_output_count(p->spec); k++) {
        const uint32_t *own = formula_letter_classes(&count, &p->spec->graph, spec_output_root(p->spec, k), total, a);
        all = all ? classes_join(&count, all, own, total, a) : own;
    }
    for (uint32_t k = 0; k < letters; k++) of[k] = all ? all[p->sides.spec_letter[k]] : k;
    return of;
}

enum { MANY_LETTERS = 4096 }; /* beyond it every letter is a class of its own */

static void find_classes(check_plan *p, arena *a) {
    uint32_t letters = (uint32_t)p->about.letters;
    uint32_t *class_of = arena_alloc(a, letters, sizeof *class_of);
    uint32_t *digits = arena_alloc(a, 2 * (size_t)letters, sizeof *digits);
    const uint32_t *of = p->spec ? formula_classes(p, a) : arena_zalloc(a, letters, sizeof *of);
    check_members *members = arena_zalloc(a, letters, sizeof *members);
    size_t count = 0;
    for (uint32_t k = 0; k < letters; k++) {
        uint32_t c = 0;
        if (letters > MANY_LETTERS) c = k;
        while (c < count && (of[digits[c]] != of[k] || !same_row(&p->model->embedding, digits[c], k))) c++;
        if (c == count) digits[count++] = k;
        class_of[k] = c;
        members[c].count++;
    }
    uint32_t *all = arena_alloc(a, letters, sizeof *all);
    for (size_t c = 0; c < count; all += members[c].count, members[c++].count = 0) members[c].letters = all;
    for (uint32_t k = 0; k < letters; k++) members[class_of[k]].letters[members[class_of[k]].count++] = k;
    for (uint32_t k = 0; k < letters; k++) digits[count + k] = k;
    p->sides.classes = count;
    p->sides.class_of = class_of;
    p->sides.letter = digits;
    p->members = members;
}

/* From `spec` and `model`: about, sides and members. */
static void match_sides(check_plan *p, arena *a, arena *scratch) {
    if (!p->model) trap_raise(a->trap, TEMPER_RANGE, 0, 0, "there is no model to check");
    p->about = temper_model_about(p->model);
    if (!p->spec && p->about.method == TEMPER_METHOD_HARD)
        trap_raise_hint(a->trap, TEMPER_RANGE, 0, 0, "give a formula, or a soft model",
                        "a hard model alone has nothing to be compared with");
    if (p->spec && model_is_from_right(p->model)) p->spec = spec_as_model(p->spec, a, scratch);
    p->sides = (check_sides){.spec = p->spec, .model = p->model};
    if (p->spec) p->sides.spec_letter = match_alphabets(p, a);
    if (p->spec) p->sides.spec_output = match_outputs(p, a);
    find_classes(p, a);
}

/* Fills all of *p. */
static void make_plan(check_plan *p, const temper_check_options *o, arena *a, arena *scratch) {
    match_sides(p, a, scratch);
    p->total = count_strings(p, o, a->trap);
    p->random = o->random;
    p->seed = o->seed;
    p->exhaustive = p->about.letters ? o->exhaustive : 0;
    p->most = p->about.letters && o->random ? o->length : 0;
    p->longest = p->exhaustive > p->most ? p->exhaustive : p->most;
    refuse_lengths(p, a);
    arena_alloc(scratch, p->longest, sizeof(uint32_t)); /* a worker's words: no memory, no plan */
    unit_sizes sizes = choose_way(p, scratch);
    units_make(&p->units, p->sides.classes, p->exhaustive, p->random, sizes, a);
    if (p->units.exhaustive + p->units.random > JOB_MOST_UNITS)
        trap_raise(a->trap, TEMPER_LIMIT, 0, 0, "too many units of work: %llu",
                   (unsigned long long)(p->units.exhaustive + p->units.random));
}

/* ---- its digest ---- */

static void add_bytes(sha256 *h, const char *bytes, size_t length) {
    unsigned char size[8];
    for (int k = 0; k < 8; k++) size[k] = (unsigned char)((uint64_t)length >> 8 * k);
    sha256_add(h, size, sizeof size);
    sha256_add(h, bytes, length);
}

static void add_text(sha256 *h, const char *string) { add_bytes(h, string, strlen(string)); }

static void add_number(sha256 *h, uint64_t number) {
    unsigned char bytes[8];
    for (int k = 0; k < 8; k++) bytes[k] = (unsigned char)(number >> 8 * k);
    sha256_add(h, bytes, sizeof bytes);
}

static void add_spec(sha256 *h, const temper_spec *spec, trap *t) {
    temper_error inner;
    char *printed;
    add_number(h, temper_spec_about(spec).letters);
    for (size_t k = 0; k < temper_spec_about(spec).letters; k++) add_text(h, temper_spec_letter(spec, k));
    add_number(h, (uint64_t)temper_spec_about(spec).at);
    add_number(h, (uint64_t)temper_spec_about(spec).accepts_empty);
    if (temper_spec_print(&printed, spec, &inner)) trap_reraise(t, &inner);
    add_text(h, printed);
    temper_free(printed);
}

static void make_digest(char out[SHA256_HEX + 1], const check_plan *p, trap *t) {
    sha256 h;
    unsigned char digest[SHA256_SIZE];
    temper_error inner;
    char *printed;
    size_t length;
    sha256_start(&h);
    add_text(&h, "temper check");
    add_text(&h, temper_version());
    add_number(&h, p->spec != NULL);
    if (p->spec) add_spec(&h, p->spec, t);
    if (temper_model_print(&printed, &length, p->model, &inner)) trap_reraise(t, &inner);
    add_bytes(&h, printed, length);
    temper_free(printed);
    add_number(&h, p->exhaustive);
    add_number(&h, p->random);
    add_number(&h, p->most);
    add_number(&h, p->seed);
    add_number(&h, p->units.exhaustive); /* another cut is another job */
    add_number(&h, p->units.random);
    sha256_finish(digest, &h);
    sha256_hex(out, digest);
}

/* ---- results as bytes: whether found, strings, margin; and if found what the counterexample is, and of models that
   are no acceptors the output ---- */

enum { AGREED = 0, FOUND = 1, AGREED_SIZE = 1 + 8 + 8, FOUND_SIZE = AGREED_SIZE + 8 + 4 + 8, OUTPUT_SIZE = 4 };

static void put(text *t, uint64_t x, int bytes) {
    for (; bytes > 0; bytes--, x >>= 8) text_putc(t, (char)(x & 255));
}

static uint64_t get(const unsigned char **p, int bytes) {
    uint64_t x = 0;
    for (int k = 0; k < bytes; k++) x |= (uint64_t) * (*p)++ << 8 * k;
    return x;
}

static void encode(text *t, const unit_result *r, const check_plan *p) {
    double margin = isnan(r->margin) ? NAN : r->margin;
    uint64_t bits;
    memcpy(&bits, &margin, sizeof bits);
    if (isnan(margin)) bits = 0x7FF8000000000000u;
    put(t, r->found ? FOUND : AGREED, 1);
    put(t, r->strings, 8);
    put(t, bits, 8);
    if (!r->found) return;
    put(t, r->position, 8);
    put(t, r->left, 1);
    put(t, r->right, 1);
    put(t, r->left_value, 1);
    put(t, r->right_value, 1);
    put(t, r->n, 8);
    if (p->about.kind != TEMPER_KIND_ACCEPTOR) put(t, r->output, OUTPUT_SIZE);
    for (size_t k = 0; k < r->n; k++) put(t, r->word[k], 4);
}

/* The word stays in the bytes. False: not what encode makes for this plan. */
static bool decode(unit_result *r, const unsigned char **word, const check_plan *p, const journal_result *from) {
    const unsigned char *bytes = from->bytes;
    *r = (unit_result){0};
    if (from->size < AGREED_SIZE || *bytes > FOUND) return false;
    r->found = *bytes++ == FOUND;
    r->strings = get(&bytes, 8);
    uint64_t bits = get(&bytes, 8);
    memcpy(&r->margin, &bits, sizeof bits);
    if (!r->found) return from->size == AGREED_SIZE;
    if (from->size < FOUND_SIZE) return false;
    r->position = get(&bytes, 8);
    r->left = *bytes++;
    r->right = *bytes++;
    r->left_value = *bytes++;
    r->right_value = *bytes++;
    r->n = get(&bytes, 8);
    size_t head = FOUND_SIZE + (p->about.kind != TEMPER_KIND_ACCEPTOR ? OUTPUT_SIZE : 0);
    if (r->n > p->longest || from->size != head + 4 * r->n) return false;
    if (head > FOUND_SIZE) r->output = (uint32_t)get(&bytes, OUTPUT_SIZE);
    if (r->output >= p->about.outputs) return false;
    *word = bytes;
    bool known = true;
    for (size_t k = 0; k < r->n; k++) known &= get(&bytes, 4) < p->about.letters;
    return known && r->position <= r->n && r->left < r->right && r->right < SIDES;
}

/* ---- the job ---- */

typedef struct check_worker {
    const check_plan *plan;
    comparison *comparison;
} check_worker;

static void *open_worker(const temper_job *job, unsigned threads, arena *a) {
    check_worker *w = arena_alloc(a, 1, sizeof *w);
    *w = (check_worker){job->plan, comparison_new(job->plan, threads, a)};
    return w;
}

static void close_worker(void *state) { comparison_free(((check_worker *)state)->comparison); }

static bool run_unit(text *result, void *state, uint64_t unit, const job_watch *watch) {
    const check_worker *worker = state;
    unit_result r;
    if (!comparison_run(&r, worker->comparison, unit, watch)) return false;
    encode(result, &r, worker->plan);
    return true;
}

/* In a tree of suffixes any unit of a layer may have the first string. */
static uint64_t needed(const temper_job *job, uint64_t unit, const unsigned char *result, size_t size) {
    const check_plan *p = job->plan;
    const unit_layer *l = units_layer(&p->units, unit);
    if (size == 0 || result[0] != FOUND) return job->units;
    return l && p->mirrored ? l->first + l->units : unit + 1;
}

static uint64_t weight(const temper_job *job, uint64_t unit) {
    const check_plan *p = job->plan;
    return units_strings(&p->units, unit);
}

static const job_kind check_kind = {"check", open_worker, close_worker, run_unit, needed, weight, NULL, NULL};

typedef struct job_call {
    temper_job **out;
    const temper_spec *spec;
    const temper_model *model;
    const temper_check_options *options;
    bool named; /* with a digest */
} job_call;

static void make_job(entry *e, void *context) {
    const job_call *c = context;
    temper_job *job = entry_job(e);
    check_plan *p = arena_zalloc(&job->arena, 1, sizeof *p);
    p->spec = c->spec;
    p->model = c->model;
    make_plan(p, c->options, &job->arena, &e->scratch);
    job->kind = &check_kind;
    job->plan = p;
    job->narrow = p->units.exhaustive;
    job->units = p->units.exhaustive + p->units.random;
    job->total = p->total;
    if (c->named) make_digest(job->digest, p, e->trap);
    job->arena.trap = NULL;
    *c->out = job;
}

static const temper_check_options check_defaults;

temper_status temper_check_job(temper_job **out, const temper_spec *spec, const temper_model *model,
                               const temper_check_options *options, temper_error *err) {
    job_call call = {out, spec, model, options ? options : &check_defaults, true};
    *out = NULL;
    return entry_run(err, make_job, &call);
}

typedef struct classes_call {
    size_t *out;
    const temper_spec *spec;
    const temper_model *model;
} classes_call;

static void count_classes(entry *e, void *context) {
    const classes_call *c = context;
    check_plan p = {.spec = c->spec, .model = c->model};
    match_sides(&p, &e->memory, &e->scratch);
    *c->out = p.sides.classes;
}

temper_status temper_check_classes(size_t *out, const temper_spec *spec, const temper_model *model,
                                   temper_error *err) {
    classes_call call = {out, spec, model};
    return entry_run(err, count_classes, &call);
}

/* ---- all results put together ---- */

static void keep_counterexample(temper_check_result *out, const unit_result *r, const unsigned char *word, trap *t) {
    out->agreed = 0;
    out->counterexample = caller_alloc(t, r->n, sizeof *out->counterexample);
    for (size_t k = 0; k < r->n; k++) out->counterexample[k] = (uint32_t)get(&word, 4);
    out->counterexample_length = r->n;
    out->position = r->position;
    out->output = r->output;
    out->left = side_names[r->left];
    out->right = side_names[r->right];
    out->left_value = r->left_value;
    out->right_value = r->right_value;
}

/* Units in their order. Of a layer with counterexamples the first string counts, which in a tree of suffixes any unit
   may have. With `partly` units may be missing. */
static void merge(temper_check_result *out, const temper_job *job, const temper_journal *j, bool partly, trap *t) {
    const check_plan *p = job->plan;
    const unit_layer *layer = NULL;
    uint64_t before = 0; /* strings of layers before this one, or of random units */
    double margin = 0;
    unit_result r, best = {0};
    const unsigned char *word, *best_word = NULL;
    out->agreed = 1;
    out->classes = p->sides.classes;
    double layer_size = out->stand_for = 1;
    for (size_t k = 0; k < p->exhaustive && layer_size < 0x1p1000; k++)
        out->stand_for += layer_size *= (double)p->about.letters;
    for (uint64_t unit = 0; unit < j->needed; unit++) {
        const journal_result *known = &j->results[unit];
        const unit_layer *l = units_layer(&p->units, unit);
        if (l != layer || !l) {
            before = out->strings;
            margin = out->margin;
        }
        layer = l;
        if (!known->bytes && partly) continue;
        if (!known->bytes) trap_raise(t, TEMPER_RANGE, 0, 0, "unit %llu is not done yet", (unsigned long long)unit);
        if (!decode(&r, &word, p, known))
            trap_raise(t, TEMPER_FORMAT, 0, 0, "unit %llu has a result that is none of this job",
                       (unsigned long long)unit);
        if (!r.found) {
            out->strings += r.strings;
            out->margin = margin_larger(out->margin, r.margin);
        } else if (!best.found || r.strings < best.strings) {
            best = r;
            best_word = word;
        }
    }
    if (!best.found) return;
    out->strings = before + best.strings;
    out->margin = margin_larger(margin, best.margin);
    keep_counterexample(out, &best, best_word, t);
}

typedef struct merge_call {
    temper_check_result *out;
    const temper_job *job;
    const temper_journal *journal;
    bool partly;
} merge_call;

static void clear_result(void *result) { temper_check_clear(result); }

static void merge_all(entry *e, void *context) {
    const merge_call *c = context;
    entry_on_failure(e, clear_result, c->out);
    if (c->job->kind != &check_kind || c->journal->job != c->job)
        trap_raise(e->trap, TEMPER_RANGE, 0, 0, "the journal is not one of this check");
    merge(c->out, c->job, c->journal, c->partly, e->trap);
}

static temper_status merge_units(temper_check_result *out, const temper_job *job, const temper_journal *journal,
                                 bool partly, temper_error *err) {
    merge_call call = {out, job, journal, partly};
    memset(out, 0, sizeof *out);
    return entry_run(err, merge_all, &call);
}

temper_status temper_check_merge(temper_check_result *out, const temper_job *job, const temper_journal *journal,
                                 temper_error *err) {
    return merge_units(out, job, journal, false, err);
}

temper_status temper_check(temper_check_result *out, const temper_spec *spec, const temper_model *model,
                           const temper_check_options *options, temper_error *err) {
    const temper_check_options *o = options ? options : &check_defaults;
    temper_job *job = NULL;
    job_call call = {&job, spec, model, o, false};
    temper_journal *journal = NULL;
    int stopped = 0;
    memset(out, 0, sizeof *out);
    temper_status status = entry_run(err, make_job, &call);
    if (!status) status = temper_journal_open(&journal, NULL, job, err);
    if (!status) status = temper_job_run(&stopped, journal, o->threads, o->progress, o->context, err);
    if (!status) status = merge_units(out, job, journal, stopped, err);
    if (!status) out->stopped = stopped;
    if (journal) temper_journal_close(journal, NULL);
    temper_job_free(job);
    return status;
}

void temper_check_clear(temper_check_result *result) {
    if (!result) return;
    free(result->counterexample);
    memset(result, 0, sizeof *result);
}
