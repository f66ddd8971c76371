/* temper gap: how far apart the scores of each head are, which heads tie, and whether the transformer is
   uniform-tieless. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cost_show.h"
#include "escape.h"
#include "json.h"
#include "limit_show.h"
#include "progress.h"
#include "subject.h"

enum { DEFAULT_RANDOM = 200, DEFAULT_LENGTH = 32, SHOWN = 60 };

/* ---- the strings given ---- */

typedef struct samples {
    uint32_t **letters;
    size_t *lengths;
    size_t count, capacity, longest;
} samples;

static void samples_free(samples *x) {
    for (size_t k = 0; k < x->count; k++) temper_free(x->letters[k]);
    free(x->letters);
    free(x->lengths);
}

static bool samples_grow(samples *x) {
    if (x->count < x->capacity) return true;
    size_t capacity = x->capacity ? 2 * x->capacity : 64;
    uint32_t **letters = realloc(x->letters, capacity * sizeof *letters);
    if (letters) x->letters = letters;
    size_t *lengths = realloc(x->lengths, capacity * sizeof *lengths);
    if (lengths) x->lengths = lengths;
    if (letters && lengths) x->capacity = capacity;
    return letters && lengths;
}

/* All strings are read before any is run; the first wrong one ends it. */
static bool samples_read(samples *out, session *s, const temper_model *model, size_t first) {
    lines *in = malloc(sizeof *in);
    line l;
    bool ok = in && lines_start(in, s, first);
    if (!in) message_print(s, EXIT_LIMIT, NULL, "out of memory", NULL);
    while (ok && lines_next(&l, in)) {
        uint32_t *letters;
        size_t n;
        temper_error err;
        if (!samples_grow(out)) {
            message_print(s, EXIT_LIMIT, NULL, "out of memory", NULL);
            ok = false;
        } else if ((ok = subject_encode(&letters, &n, &err, s, NULL, model, &l))) {
            out->letters[out->count] = letters;
            out->lengths[out->count++] = n;
            if (n > out->longest) out->longest = n;
        }
    }
    if (in) lines_stop(in);
    free(in);
    return ok && s->exit_code != EXIT_IO;
}

/* ---- classes ---- */

typedef struct report {
    session *session;
    const temper_model *model;
    const temper_gap *gap;
    const temper_gap_options *options;
    temper_model_info info;
} report;

static const char *tie_name(temper_tie tie) {
    switch (tie) {
    case TEMPER_TIE_UNIFORM: return "uniform";
    case TEMPER_TIE_TIELESS: return "tieless";
    case TEMPER_TIE_TIED: return "tied";
    case TEMPER_TIE_UNKNOWN: break;
    }
    return "not known";
}

/* Whether every average head is uniform or tieless: ties[...] decides, tied before unknown. */
typedef struct verdict {
    temper_tie tie;          /* TIELESS: yes; TIED: no; UNKNOWN */
    size_t averages, proved; /* how many average heads; up to which length it is proved */
    size_t layer, head;      /* the head that decides, unless it is yes */
    temper_gap_head about;
} verdict;

static verdict find_verdict(const report *r) {
    verdict v = {.tie = TEMPER_TIE_TIELESS, .proved = SIZE_MAX};
    for (size_t layer = 1; layer <= r->info.layers; layer++)
        for (size_t head = 1; head <= temper_model_layer(r->model, layer).heads; head++) {
            temper_head_info kind;
            temper_gap_head about;
            if (!is_done(temper_model_head(&kind, r->model, layer, head, NULL)) ||
                kind.hard_choice != TEMPER_CHOICE_AVERAGE ||
                !is_done(temper_gap_about(&about, r->gap, layer, head, NULL)))
                continue;
            v.averages++;
            bool fine = about.tie == TEMPER_TIE_UNIFORM || about.tie == TEMPER_TIE_TIELESS;
            if (fine && about.proved < v.proved) v.proved = about.proved;
            if (fine || v.tie == TEMPER_TIE_TIED || about.tie == v.tie) continue;
            v.tie = about.tie;
            v.layer = layer;
            v.head = head;
            v.about = about;
        }
    return v;
}

static void print_up_to(size_t proved) {
    if (proved == SIZE_MAX)
        fputs("at every length", stdout);
    else
        printf("proved up to length %zu", proved);
}

static void print_witness(const report *r, const temper_gap_head *about) {
    char *text = about->witness_length ? letters_text(r->model, about->witness, about->witness_length) : NULL;
    if (!about->witness_length) {
        fputs("the empty string", stdout);
    } else {
        putchar('"');
        if (text) escape_write(stdout, text, strlen(text), SHOWN);
        putchar('"');
    }
    free(text);
}

static void print_verdict(const report *r, const verdict *v) {
    fputs("uniform-tieless: ", stdout);
    if (v->tie == TEMPER_TIE_TIED) {
        printf("no: head %zu.%zu ties on ", v->layer, v->head);
        print_witness(r, &v->about);
        printf(" at position %zu (positions %zu and %zu)", v->about.position, v->about.key, v->about.other_key);
    } else if (v->tie == TEMPER_TIE_UNKNOWN) {
        printf("not known: no tie was found in head %zu.%zu, but none is excluded", v->layer, v->head);
    } else if (!v->averages) {
        fputs("yes, there is no average head", stdout);
    } else {
        fputs("yes, ", stdout);
        print_up_to(v->proved);
    }
    putchar('\n');
}

/* ---- the table ---- */

/* 2^-5.25; two decimals, rounded down since it is a lower bound (but for what the logarithm itself loses). */
static void show_power(char out[32], double log2) {
    if (isnan(log2))
        strcpy(out, "-");
    else if (isinf(log2))
        strcpy(out, log2 > 0 ? "none" : "not known");
    else
        temper_real_format(strcpy(out, "2^") + 2, 30, "%.2f", floor(log2 * 100 + 1e-6) / 100 + 0.0);
}

/* The smaller one; what was not looked at does not count. */
static double smaller(double a, double b) { return isnan(a) || b < a ? b : a; }

static int compare_lengths(const void *a, const void *b) {
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Rows of the table end at 0, 1, 2, 4, 8, ... and at the ends of what was looked at. */
enum { MOST_ROWS = 72 };
static size_t row_ends(size_t ends[MOST_ROWS], const report *r, size_t given) {
    size_t longest = temper_gap_longest(r->gap), count = 0, kept = 0;
    const size_t more[] = {0, r->options->exhaustive, r->options->proved, given, longest};
    for (size_t n = 1; n < longest && count < 64; n *= 2) ends[count++] = n;
    for (size_t k = 0; k < sizeof more / sizeof *more; k++)
        if (more[k] <= longest) ends[count++] = more[k];
    qsort(ends, count, sizeof *ends, compare_lengths);
    for (size_t k = 0; k < count; k++)
        if (!kept || ends[kept - 1] != ends[k]) ends[kept++] = ends[k];
    return kept;
}

/* A row of the table: lengths first...last. */
typedef struct table_row {
    size_t first, last;
    char cells[3][32];
} table_row;

static void fill_row(table_row *out, const report *r, size_t layer, size_t head) {
    temper_gap_row least = {NAN, NAN, NAN};
    for (size_t n = out->first; n <= out->last; n++) {
        temper_gap_row row = temper_gap_at(r->gap, layer, head, n);
        least.measured = smaller(least.measured, row.measured);
        least.exhaustive = smaller(least.exhaustive, row.exhaustive);
        least.proved = smaller(least.proved, row.proved);
    }
    show_power(out->cells[0], least.measured);
    show_power(out->cells[1], least.exhaustive);
    show_power(out->cells[2], least.proved);
}

static void print_row(const table_row *row) {
    char length[48];
    int used = snprintf(length, sizeof length, "%zu", row->first);
    if (row->last > row->first) snprintf(length + used, sizeof length - (size_t)used, "-%zu", row->last);
    printf("  %-12s %12s %12s %12s\n", length, row->cells[0], row->cells[1], row->cells[2]);
}

/* Rows that say the same are one. */
static void print_rows(const report *r, size_t layer, size_t head, const size_t *ends, size_t rows) {
    table_row held = {0}, row = {0};
    printf("  %-12s %12s %12s %12s\n", "length", "measured", "exhaustive", "proved");
    for (size_t k = 0; k < rows; k++) {
        row.first = k ? ends[k - 1] + 1 : 0;
        row.last = ends[k];
        fill_row(&row, r, layer, head);
        bool same = k > 0;
        for (int c = 0; c < 3; c++) same &= strcmp(row.cells[c], held.cells[c]) == 0;
        if (same) {
            held.last = row.last;
            continue;
        }
        if (k) print_row(&held);
        held = row;
    }
    if (rows) print_row(&held);
}

static void print_head(const report *r, size_t layer, size_t head, const size_t *ends, size_t rows) {
    temper_head_info kind;
    temper_gap_head about;
    if (!is_done(temper_model_head(&kind, r->model, layer, head, NULL)) ||
        !is_done(temper_gap_about(&about, r->gap, layer, head, NULL)))
        return;
    printf("\nhead %zu.%zu  %s, keys %s", layer, head, temper_choice_name(kind.hard_choice),
           kind.mask == TEMPER_MASK_ALL ? "everywhere" : temper_mask_name(kind.mask));
    if (*kind.label) fputs(": ", stdout);
    show_write(stdout, kind.label, strlen(kind.label), SHOWN);
    putchar('\n');
    print_rows(r, layer, head, ends, rows);
    printf("  %s", tie_name(about.tie));
    if (about.tie == TEMPER_TIE_TIED) {
        fputs(": on ", stdout);
        print_witness(r, &about);
        printf(" position %zu has its largest score at positions %zu and %zu", about.position, about.key,
               about.other_key);
    } else if (about.tie == TEMPER_TIE_UNKNOWN) {
        fputs(": no tie was found, but none is excluded", stdout);
    } else {
        fputs(about.tie == TEMPER_TIE_UNIFORM ? ": all scores of a row are equal, "
                                              : ": one largest score in every row, ",
              stdout);
        print_up_to(about.proved);
    }
    putchar('\n');
}

static void print_table(const report *r, const samples *given) {
    const temper_gap_options *o = r->options;
    size_t ends[MOST_ROWS], rows = row_ends(ends, r, given->longest);
    printf("The gap of a row of scores: the largest minus the next different one. The least,\n"
           "over all rows of strings of these lengths:\n");
    fputs("  measured    ", stdout);
    if (o->string_count) printf("on the string%s given", o->string_count == 1 ? "" : "s");
    if (o->string_count && o->random) fputs(" and ", stdout);
    if (o->random)
        printf("on %llu random string%s up to length %zu", (unsigned long long)o->random, o->random == 1 ? "" : "s",
               o->length);
    if (!o->string_count && !o->random) fputs("on nothing", stdout);
    fputs("\n  exhaustive  on ", stdout);
    if (o->exhaustive)
        printf("all strings up to length %zu", o->exhaustive);
    else
        fputs("nothing", stdout);
    fputs("\n  proved      ", stdout);
    if (o->proved)
        printf("from denominators, a lower bound for every string up to length %zu\n", o->proved);
    else
        fputs("for nothing\n", stdout);
    printf("none: no row has two different scores; - : not looked at\n");
    for (size_t layer = 1; layer <= r->info.layers; layer++)
        for (size_t head = 1; head <= temper_model_layer(r->model, layer).heads; head++)
            print_head(r, layer, head, ends, rows);
    putchar('\n');
}

/* ---- json ---- */

static void json_length(json *j, const char *key, size_t length) {
    if (length == SIZE_MAX)
        json_text(j, key, "Infinity");
    else
        json_count(j, key, length);
}

static void json_head(json *j, const report *r, size_t layer, size_t head) {
    temper_head_info kind;
    temper_gap_head about;
    if (!is_done(temper_model_head(&kind, r->model, layer, head, NULL)) ||
        !is_done(temper_gap_about(&about, r->gap, layer, head, NULL)))
        return;
    json_begin(j, NULL, '{');
    json_count(j, "layer", layer);
    json_count(j, "head", head);
    json_text(j, "label", kind.label);
    json_text(j, "choice", temper_choice_name(kind.hard_choice));
    json_text(j, "class", about.tie == TEMPER_TIE_UNKNOWN ? "unknown" : tie_name(about.tie));
    if (about.tie == TEMPER_TIE_UNIFORM || about.tie == TEMPER_TIE_TIELESS)
        json_length(j, "proved_length", about.proved);
    if (about.tie == TEMPER_TIE_TIED) {
        char *text = letters_text(r->model, about.witness, about.witness_length);
        json_text(j, "witness", text ? text : "");
        json_count(j, "position", about.position);
        json_begin(j, "keys", '[');
        json_count(j, NULL, about.key);
        json_count(j, NULL, about.other_key);
        json_end(j, ']');
        free(text);
    }
    json_end(j, '}');
}

static void print_json(const report *r, const verdict *v) {
    const temper_gap_options *o = r->options;
    json j;
    for (size_t layer = 1; layer <= r->info.layers; layer++)
        for (size_t head = 1; head <= temper_model_layer(r->model, layer).heads; head++)
            for (size_t n = 0; n <= temper_gap_longest(r->gap); n++) {
                temper_gap_row row = temper_gap_at(r->gap, layer, head, n);
                if (isnan(row.measured) && isnan(row.exhaustive) && isnan(row.proved)) continue;
                json_open(&j, stdout);
                json_text(&j, "kind", "gap");
                json_count(&j, "layer", layer);
                json_count(&j, "head", head);
                json_count(&j, "length", n);
                json_real(&j, "log2_measured", row.measured);
                json_real(&j, "log2_exhaustive", row.exhaustive);
                json_real(&j, "log2_proved", row.proved);
                json_close(&j);
            }
    json_open(&j, stdout);
    json_text(&j, "kind", "summary");
    if (v->tie == TEMPER_TIE_UNKNOWN)
        json_null(&j, "uniform_tieless");
    else
        json_flag(&j, "uniform_tieless", v->tie == TEMPER_TIE_TIELESS);
    if (v->tie == TEMPER_TIE_TIELESS) json_length(&j, "proved_length", v->proved);
    json_count(&j, "strings", o->string_count);
    json_count(&j, "random", o->random);
    json_count(&j, "length", o->length);
    json_count(&j, "seed", o->seed);
    json_count(&j, "exhaustive", o->exhaustive);
    json_count(&j, "proved", o->proved);
    json_begin(&j, "heads", '[');
    for (size_t layer = 1; layer <= r->info.layers; layer++)
        for (size_t head = 1; head <= temper_model_layer(r->model, layer).heads; head++)
            json_head(&j, r, layer, head);
    json_end(&j, ']');
    json_close(&j);
}

/* ---- the command ---- */

/* Each option changes its own part; strings stand in for the random ones. */
static temper_gap_options plan(const session *s, const temper_model *model, const samples *given) {
    const option_value *value = s->opt.value;
    size_t length = is_given(s, OPT_LENGTH) ? (size_t)value[OPT_LENGTH].number : DEFAULT_LENGTH;
    return (temper_gap_options){.strings = (const uint32_t *const *)given->letters,
                                .lengths = given->lengths,
                                .string_count = given->count,
                                .random = is_given(s, OPT_RANDOM) ? value[OPT_RANDOM].number
                                          : given->count          ? 0
                                                                  : DEFAULT_RANDOM,
                                .length = length,
                                .seed = is_given(s, OPT_SEED) ? value[OPT_SEED].number : 1,
                                .exhaustive = is_given(s, OPT_EXHAUSTIVE)
                                                  ? (size_t)value[OPT_EXHAUSTIVE].number
                                                  : exhaustive_default(temper_model_about(model).letters),
                                .proved = length};
}

static void find(session *s, const temper_model *model, const samples *given) {
    temper_gap_options o = plan(s, model, given);
    report r = {.session = s, .model = model, .options = &o};
    temper_gap *gap;
    temper_error err;
    progress bar;
    cost_show(s, "gap", model, o.proved, 1);
    progress_start(&bar, "gap", !s->quiet && isatty(STDERR_FILENO));
    o.progress = progress_step;
    o.context = &bar;
    temper_status status = temper_gap_find(&gap, model, &o, &err);
    progress_clear(&bar);
    if (status != TEMPER_OK) {
        message_error(s, &err, NULL, NULL, 0);
        return;
    }
    r.gap = gap;
    r.info = temper_model_about(model);
    verdict v = find_verdict(&r);
    if (s->quiet) {
        if (v.tie != TEMPER_TIE_TIELESS) session_fail(s, EXIT_NO);
    } else if (s->json) {
        print_json(&r, &v);
    } else {
        print_table(&r, given);
        print_verdict(&r, &v);
    }
    temper_gap_free(gap);
    if (is_given(s, OPT_WHY) && !s->quiet && o.proved)
        limit_show(s, model, &(temper_soften_options){.method = TEMPER_METHOD_TEMPERATURE, .length = o.proved});
}

void cmd_gap(session *s) {
    subject x;
    samples given = {0};
    if (subject_hard(&x, s) && (s->opt.count <= x.first || samples_read(&given, s, x.model, x.first)))
        find(s, x.model, &given);
    samples_free(&given);
    subject_free(&x);
}
