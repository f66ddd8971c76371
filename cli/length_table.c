#include "length_table.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "message.h"
#include "option_values.h"
#include "progress.h"
#include "scale_table.h"
#include "temper_lab.h"

enum { LENGTHS_MOST = 64 };

static const char *const words[] = {"open", "yes", "no"};

/* "8Ki,128Ki,1M" */
static bool read_lengths(size_t lengths[LENGTHS_MOST], size_t *count, session *s) {
    const char *p = s->opt.value[OPT_LENGTHS].text;
    for (*count = 0; *count < LENGTHS_MOST; p++) {
        char part[40];
        size_t length = strcspn(p, ",");
        uint64_t number;
        snprintf(part, sizeof part, "%.*s", (int)(length < sizeof part ? length : sizeof part - 1), p);
        if (!number_read(&number, part) || number < 1 || number > 1 << 24) break;
        lengths[(*count)++] = (size_t)number;
        p += length;
        if (!*p) return true;
    }
    message_usage(s, "write them as 8Ki,128Ki,1M: Ki is 1,024, k is 1,000",
                  "--at must be up to %d lengths from 1 to 16Mi with commas between them", LENGTHS_MOST);
    return false;
}

/* The lengths as they were written. */
static void length_text(char out[40], const session *s, size_t k) {
    const char *p = s->opt.value[OPT_LENGTHS].text;
    for (; k > 0; k--) p += strcspn(p, ",") + 1;
    snprintf(out, 40, "%.*s", (int)strcspn(p, ","), p);
}

static size_t widest_name(const temper_lengths *all) {
    size_t widest = 8;
    for (size_t k = 0; k < temper_lengths_count(all); k++) {
        size_t length = strlen(temper_lengths_at(all, k).name);
        if (length > widest) widest = length;
    }
    return widest;
}

/* One string a line, for each operator and length; several scales may have the same. */
static void print_strings(const temper_lengths *all) {
    for (size_t op = 0; op < TEMPER_SCHEDULED; op++)
        for (size_t k = 0; k < temper_lengths_count(all); k++) {
            temper_length_row row = temper_lengths_at(all, k);
            const temper_length_cell *c = &row.cells[op];
            bool known = c->answer != TEMPER_LENGTH_NO;
            for (size_t b = 0; b < k && !known; b++) {
                temper_length_row other = temper_lengths_at(all, b);
                const temper_length_cell *o = &other.cells[op];
                known = o->answer == TEMPER_LENGTH_NO && o->letter == c->letter && !strcmp(o->string, c->string);
            }
            if (!known)
                printf("%-16s  %s: %s, at letter %zu\n", temper_schedule_operator(op), c->formula, c->string,
                       c->letter);
        }
}

static void print_open(const temper_lengths *all, size_t lengths, const session *s) {
    char length[40];
    for (size_t k = 0; k < temper_lengths_count(all); k++)
        for (size_t op = 0; op < TEMPER_SCHEDULED; op++) {
            temper_length_row row = temper_lengths_at(all, k);
            if (row.cells[op].answer != TEMPER_LENGTH_OPEN) continue;
            length_text(length, s, k % lengths);
            printf("open: %s, %s at %s: %s\n", row.name, temper_schedule_operator(op), length, row.cells[op].why);
        }
}

static void print_table(const temper_lengths *all, size_t lengths, const session *s) {
    int widest = (int)widest_name(all);
    bool answers[3] = {false, false, false};
    printf("%-*s %8s", widest, "scale", "at");
    for (size_t op = 0; op < TEMPER_SCHEDULED; op++) printf(" %16s", temper_schedule_operator(op));
    putchar('\n');
    for (size_t k = 0; k < temper_lengths_count(all); k++) {
        temper_length_row row = temper_lengths_at(all, k);
        char length[40];
        length_text(length, s, k % lengths);
        printf("%-*s %8s", widest, k % lengths ? "" : row.name, length);
        for (size_t op = 0; op < TEMPER_SCHEDULED; op++) {
            printf(" %16s", words[row.cells[op].answer]);
            answers[row.cells[op].answer] = true;
        }
        putchar('\n');
    }
    puts("\nyes: proved, at every letter of every string of this length, in this number format");
    if (answers[TEMPER_LENGTH_NO]) {
        puts("no: a model of the formula was run, and is wrong on this string:");
        print_strings(all);
    }
    print_open(all, lengths, s);
}

static void print_json(const temper_lengths *all) {
    for (size_t k = 0; k < temper_lengths_count(all); k++) {
        temper_length_row row = temper_lengths_at(all, k);
        for (size_t op = 0; op < TEMPER_SCHEDULED; op++) {
            const temper_length_cell *c = &row.cells[op];
            json j;
            json_open(&j, stdout);
            json_text(&j, "scale", row.name);
            json_text(&j, "factor", row.factor);
            json_text(&j, "operator", temper_schedule_operator(op));
            json_count(&j, "length", row.length);
            json_text(&j, "answer", words[c->answer]);
            if (c->answer == TEMPER_LENGTH_YES) json_real(&j, "error", c->error);
            if (c->answer == TEMPER_LENGTH_OPEN) json_text(&j, "why", c->why);
            if (c->answer == TEMPER_LENGTH_NO) {
                json_text(&j, "formula", c->formula);
                json_text(&j, "string", c->string);
                json_count(&j, "letter", c->letter);
            }
            json_close(&j);
        }
    }
}

void length_table(session *s) {
    temper_lengths *all = NULL;
    temper_error err;
    progress bar;
    temper_schedule_options o = {.scales = s->opt.list, .count = s->opt.list_count};
    size_t lengths[LENGTHS_MOST], count;
    if (!table_settings(&o.base, &o.head_size, &o.type, s) || !read_lengths(lengths, &count, s)) return;
    if (is_given(s, OPT_OUTPUT)) {
        message_usage(s, NULL, "--output does not go with --at");
        return;
    }
    progress_start(&bar, "schedules", !s->quiet && !s->json && isatty(STDERR_FILENO));
    o.progress = progress_step;
    o.context = &bar;
    temper_status status = temper_lengths_find(&all, &o, lengths, count, &err);
    progress_clear(&bar);
    if (table_is_well(s, status, &err, NULL)) {
        if (s->json)
            print_json(all);
        else if (!s->quiet)
            print_table(all, count, s);
    }
    temper_lengths_free(all);
}

void scale_code(session *s) {
    static const option_id never[] = {OPT_LENGTHS, OPT_TYPE, OPT_BASE, OPT_HEAD_SIZE, OPT_OUTPUT};
    temper_error err;
    for (size_t k = 0; k < sizeof never / sizeof *never; k++)
        if (is_given(s, never[k])) {
            message_usage(s, "the code multiplies what 1/sqrt(d) leaves; > file keeps it",
                          "--as takes only --scale, not --%s", option_table[never[k]].name);
            return;
        }
    for (size_t k = 0; k < s->opt.list_count; k++) {
        char *code = NULL;
        temper_status status = temper_schedule_code(&code, s->opt.list[k], &err);
        if (!table_is_well(s, status, &err, NULL)) return;
        if (!s->quiet) printf("%s%s", k ? "\n\n" : "", code);
        temper_free(code);
    }
}
