/* temper limits: the proved length of each number format and method, and where a wrong answer was found. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "escape.h"
#include "job_runner.h"
#include "picture_file.h"
#include "proof_show.h"
#include "scale.h"
#include "ordinary_settings.h"
#include "subject.h"

enum { MOST_CASES = 128, MOST_MODELS = 32, STRING_COLUMNS = 24 };

/* Models are made once and serve several types: those by digits all that store in the same format. */
typedef struct table {
    temper_model *made[MOST_MODELS]; /* freed at the end */
    char made_for[MOST_MODELS][16];  /* by digits: the storage format; else "" */
    temper_method made_by[MOST_MODELS];
    size_t made_count;
    temper_limits_case cases[MOST_CASES];
    size_t count;
} table;

/* ---- what to look at ---- */

/* "bf16" of "bf16/f32" and "bf16@tile64". */
static void name_storage(char out[16], temper_type type) {
    const char *name = temper_type_name(type);
    snprintf(out, 16, "%.*s", (int)strcspn(name, "/@"), name);
}

static temper_status make_digits(temper_model **out, const subject *x, temper_type type, temper_error *err) {
    temper_build_options o = {.method = TEMPER_METHOD_DIGITS, .digits = type, .whole = 1};
    return temper_build(out, x->spec, &o, err);
}

/* The model of a method for a type, made now or before; *out is NULL if there is none, false after a message. */
static bool get_model(const temper_model **out, table *t, session *s, subject *x, temper_method method,
                      temper_type type) {
    char name[16] = "";
    temper_error err;
    temper_model *model;
    if (method == TEMPER_METHOD_DIGITS) name_storage(name, type);
    *out = NULL;
    if (method == TEMPER_METHOD_DIGITS && !strcmp(name, "f64")) return true; /* f64 holds positions as they are */
    for (size_t k = 0; k < t->made_count && !*out; k++)
        if (t->made_by[k] == method && !strcmp(t->made_for[k], name)) *out = t->made[k];
    if (*out || t->made_count == MOST_MODELS) return true;
    if (method != TEMPER_METHOD_DIGITS && !x->hard && !subject_compile(x, s)) return false;
    temper_status status =
        method == TEMPER_METHOD_DIGITS
            ? make_digits(&model, x, type, &err)
            : temper_soften(&model, NULL, x->hard, &(temper_soften_options){.method = method}, &err);
    if (method == TEMPER_METHOD_DIGITS && (status == TEMPER_UNSUPPORTED || status == TEMPER_RANGE)) return true;
    if (status) {
        message_error(s, &err, NULL, NULL, 0);
        return false;
    }
    if (!scale_model(&model, s)) {
        temper_model_free(model);
        return false;
    }
    memcpy(t->made_for[t->made_count], name, sizeof name);
    t->made[t->made_count] = model;
    t->made_by[t->made_count++] = method;
    *out = model;
    return true;
}

/* A MODEL stands for its own method; the others are made from its specification. */
static bool make_cases(table *t, session *s, subject *x) {
    temper_model_info info = {.method = TEMPER_METHOD_HARD};
    if (x->model) info = temper_model_about(x->model);
    for (temper_type type = TEMPER_TYPE_F64; *temper_type_name(type); type++) {
        if (type == TEMPER_TYPE_EXACT || (!is_given(s, OPT_TYPE) && strchr(temper_type_name(type), '@'))) continue;
        if (is_given(s, OPT_TYPE) && s->opt.value[OPT_TYPE].number != (uint64_t)type + 1) continue;
        for (temper_method method = TEMPER_METHOD_TEMPERATURE; method <= TEMPER_METHOD_DIGITS; method++) {
            const temper_model *model = NULL;
            if (is_given(s, OPT_METHOD) && s->opt.value[OPT_METHOD].number != (uint64_t)method) continue;
            if (info.method == method)
                model = x->model;
            else if (x->spec && !get_model(&model, t, s, x, method, type))
                return false;
            if (model && t->count < MOST_CASES) t->cases[t->count++] = (temper_limits_case){model, type};
        }
    }
    return true;
}

static void free_table(table *t) {
    for (size_t k = 0; k < t->made_count; k++) temper_model_free(t->made[k]);
}

/* ---- the table for people ---- */

/* 12,345; ten million and more cut to three digits, as 1.23e9. */
static const char *show_length(char out[32], size_t n) {
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%zu", n), used = 0;
    if (length > 7) {
        int kept = 3;
        while (kept > 1 && digits[kept - 1] == '0') kept--;
        snprintf(out, 32, "%c%s%.*se%d", digits[0], kept > 1 ? "." : "", kept - 1, digits + 1, length - 1);
        return out;
    }
    for (int k = 0; k < length; k++) {
        if (k && (length - k) % 3 == 0) out[used++] = ',';
        out[used++] = digits[k];
    }
    out[used] = 0;
    return out;
}

static void print_row(const temper_limits_row *r, int width) {
    char proved[32], wrong[48], length[32], ratio[16] = "", head[24] = "", at[32] = "";
    snprintf(proved, sizeof proved, "%s", r->claim == TEMPER_CLAIM_NONE ? "-" : show_length(length, r->proved));
    snprintf(wrong, sizeof wrong, "%s%s", r->found ? "" : "none to ",
             show_length(length, r->found ? r->wrong : r->tried));
    if (r->found && r->proved) temper_real_format(ratio, sizeof ratio, "%.3g", (double)r->wrong / (double)r->proved);
    if (r->found && r->layer) snprintf(head, sizeof head, "%zu.%zu", r->layer, r->head);
    printf("%-*s %-11s %13s %17s", width, temper_type_name(r->type), temper_method_name(r->method), proved, wrong);
    if (r->found) {
        printf(" %9s %6s  %-4s %-16s ", show_length(at, r->position), ratio, head, temper_why_name(r->why));
        show_write(stdout, r->string, strlen(r->string), STRING_COLUMNS);
    }
    putchar('\n');
}

/* Every head that was at fault, once. */
static void print_heads(const temper_limits *limits) {
    size_t count = temper_limits_count(limits);
    bool first = true;
    for (size_t k = 0; k < count; k++) {
        temper_limits_row r = temper_limits_at(limits, k);
        bool known = !r.found || !r.layer || !*r.label;
        for (size_t l = 0; l < k && !known; l++) {
            temper_limits_row other = temper_limits_at(limits, l);
            known = other.found && other.layer == r.layer && other.head == r.head && !strcmp(other.label, r.label);
        }
        if (known) continue;
        if (first) putchar('\n');
        first = false;
        printf("head %zu.%zu: ", r.layer, r.head);
        show_write(stdout, r.label, strlen(r.label), 80);
        putchar('\n');
    }
}

static void print_table(const temper_limits *limits) {
    int width = 9;
    for (size_t k = 0; k < temper_limits_count(limits); k++) {
        int length = (int)strlen(temper_type_name(temper_limits_at(limits, k).type));
        if (length > width) width = length;
    }
    printf("%-*s %-11s %13s %17s %9s %6s  %-4s %-16s %s\n", width, "type", "method", "proved length", "first wrong",
           "at letter", "ratio", "head", "why", "string");
    for (size_t k = 0; k < temper_limits_count(limits); k++) {
        temper_limits_row r = temper_limits_at(limits, k);
        print_row(&r, width);
    }
    print_heads(limits);
}

/* ---- files ---- */

static bool is_known_suffix(const char *path) {
    return path_ends(path, ".csv") || path_ends(path, ".json") || is_picture_path(path);
}

static void make_title(char *out, size_t size, const subject *x, const table *t) {
    temper_model_info info = temper_model_about(x->model ? x->model : t->cases[0].model);
    snprintf(out, size, "%s%s", *info.source ? "Limits of " : "Limits", info.source);
}

static bool write_file(session *s, const temper_limits *limits, const char *path, const char *title) {
    temper_error err;
    char *text = NULL;
    size_t length = 0;
    if (is_picture_path(path)) {
        bool ok = temper_draw_limits(&text, limits, title, &err) == TEMPER_OK;
        if (!ok) message_error(s, &err, NULL, NULL, 0);
        ok = ok && picture_write(s, path, text);
        temper_free(text);
        return ok;
    }
    temper_status status = temper_limits_print(
        &text, &length, limits, path_ends(path, ".csv") ? TEMPER_LIMITS_CSV : TEMPER_LIMITS_JSON, &err);
    if (status) message_error(s, &err, NULL, NULL, 0);
    bool written = !status && file_write(s, path, text, length);
    temper_free(text);
    return written;
}

static bool print_text(session *s, const temper_limits *limits, temper_limits_format format) {
    temper_error err;
    char *text;
    size_t length;
    if (temper_limits_print(&text, &length, limits, format, &err)) {
        message_error(s, &err, NULL, NULL, 0);
        return false;
    }
    fwrite(text, 1, length, stdout);
    temper_free(text);
    return true;
}

static void need_lengths(session *s, const temper_limits *limits) {
    for (size_t k = 0; k < temper_limits_count(limits); k++) {
        temper_limits_row r = temper_limits_at(limits, k);
        char row[80];
        snprintf(row, sizeof row, "%s by %s", temper_type_name(r.type), temper_method_name(r.method));
        proof_need(s, r.claim == TEMPER_CLAIM_NONE ? 0 : r.proved, row);
    }
}

static void answer(session *s, const temper_limits *limits, const char *title) {
    const char *path = s->opt.value[OPT_OUTPUT].text;
    need_lengths(s, limits);
    if (path && !write_file(s, limits, path, title)) return;
    if (s->quiet) return;
    if (s->json)
        print_text(s, limits, TEMPER_LIMITS_JSON);
    else if (is_given(s, OPT_CSV))
        print_text(s, limits, TEMPER_LIMITS_CSV);
    else
        print_table(limits);
}

/* ---- the command ---- */

static void find(session *s, const subject *x, const table *t) {
    temper_limits_options o = {.length = (size_t)s->opt.value[OPT_LENGTH].number,
                               .effort = s->effort,
                               .seed = is_given(s, OPT_SEED) ? s->opt.value[OPT_SEED].number : 1};
    temper_job *job;
    temper_journal *journal = NULL;
    temper_limits *limits = NULL;
    temper_error err;
    progress bar;
    char title[400];
    progress_start(&bar, "limits", !s->quiet && isatty(STDERR_FILENO));
    bar.unit = "steps";
    temper_status status = temper_limits_job(&job, t->cases, t->count, &o, &err);
    if (!status) status = run_job(&journal, s, job, &bar, &err);
    progress_clear(&bar);
    if (!status && journal) status = temper_limits_merge(&limits, job, journal, &err);
    if (journal) {
        temper_status closed = temper_journal_close(journal, status ? NULL : &err);
        if (!status) status = closed;
    }
    temper_job_free(job);
    make_title(title, sizeof title, x, t);
    if (status)
        message_error(s, &err, NULL, NULL, 0);
    else if (limits)
        answer(s, limits, title);
    temper_limits_free(limits);
}

static bool check_usage(session *s) {
    const char *path = s->opt.value[OPT_OUTPUT].text;
    if (s->opt.count > 1) {
        message_usage(s, "--length and --effort say how far it looks",
                      "limits takes one MODEL and makes its own strings");
        return false;
    }
    if (s->opt.count && has_formula(s)) {
        message_usage(s, NULL, "a MODEL and a formula are both given; one at a time");
        return false;
    }
    if (is_given(s, OPT_CSV) && s->json) {
        message_usage(s, NULL, "--csv and --json exclude each other");
        return false;
    }
    if (is_given(s, OPT_TYPE) && s->opt.value[OPT_TYPE].number == TEMPER_TYPE_EXACT + 1) {
        message_usage(s, NULL, "--type exact has no limits: there is no rounding");
        return false;
    }
    if (path && !is_known_suffix(path)) {
        message_usage(s, "the suffix says what is written", "-o FILE must end in .csv, .json, .svg, .png or .pdf");
        return false;
    }
    return true;
}

/* Only digits in f64 have no model: every other table leaves that row out. */
static bool has_rows(session *s, const table *t) {
    if (t->count) return true;
    message_usage(s, "digits are for formats shorter than f64", "there is no model by this method in this type");
    return false;
}

void cmd_limits(session *s) {
    subject x = {0};
    table t = {0};
    if (is_given(s, OPT_AS)) {
        ordinary_limits(s);
        return;
    }
    if (!ordinary_settings_check(s) || !check_usage(s)) return;
    if (subject_pair(&x, s) && make_cases(&t, s, &x) && has_rows(s, &t)) find(s, &x, &t);
    free_table(&t);
    subject_free(&x);
}
