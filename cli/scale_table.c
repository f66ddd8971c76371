#include "scale_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "message.h"
#include "picture_file.h"
#include "progress.h"
#include "temper_lab.h"

/* "25"; "> 600" where nothing longer was run; in f64 "every" where the law in real arithmetic says so as well. */
static void cell_text(char out[32], const temper_schedule_cell *c, bool real) {
    if (!c->ends && isinf(c->law) && real)
        snprintf(out, 32, "every");
    else
        snprintf(out, 32, "%s%zu", c->ends ? "" : "> ", c->reach);
}

static void print_table(const temper_schedules *all, bool real) {
    size_t widest = 8, count = temper_schedules_count(all);
    for (size_t k = 0; k < count; k++) {
        size_t length = strlen(temper_schedules_at(all, k).name);
        if (length > widest) widest = length;
    }
    printf("%-*s", (int)widest, "scale");
    for (size_t op = 0; op < TEMPER_SCHEDULED; op++) printf(" %16s", temper_schedule_operator(op));
    putchar('\n');
    for (size_t k = 0; k < count; k++) {
        temper_schedule_row row = temper_schedules_at(all, k);
        printf("%-*s", (int)widest, row.name);
        for (size_t op = 0; op < TEMPER_SCHEDULED; op++) {
            char shown[32];
            cell_text(shown, &row.cells[op], real);
            printf(" %16s", shown);
        }
        putchar('\n');
    }
    puts("\nn: no string of up to n letters that was run is wrong, and one of n + 1 letters is, or overflows;"
         "\n> n: nothing that was run is wrong, and no longer string was run");
    if (real) puts("every: none was wrong, and in real arithmetic none of up to 10^15 letters is");
}

static void print_json(const temper_schedules *all) {
    for (size_t k = 0; k < temper_schedules_count(all); k++) {
        temper_schedule_row row = temper_schedules_at(all, k);
        for (size_t op = 0; op < TEMPER_SCHEDULED; op++) {
            json j;
            json_open(&j, stdout);
            json_text(&j, "scale", row.name);
            json_text(&j, "factor", row.factor);
            json_text(&j, "operator", temper_schedule_operator(op));
            json_count(&j, "right", row.cells[op].reach);
            json_flag(&j, "wrong_beyond", row.cells[op].ends);
            if (isfinite(row.cells[op].law)) json_count(&j, "law", (size_t)row.cells[op].law);
            json_close(&j);
        }
    }
}

bool table_settings(double *base, size_t *head_size, temper_type *type, session *s) {
    static const option_id never[] = {OPT_SEED, OPT_SEEDS, OPT_QUICK, OPT_JOURNAL};
    for (size_t k = 0; k < sizeof never / sizeof *never; k++)
        if (is_given(s, never[k])) {
            message_usage(s, NULL, "--%s does not go with --%s", option_table[never[k]].name,
                          is_given(s, OPT_BIAS)      ? "bias"
                          : is_given(s, OPT_LENGTHS) ? "at"
                                                     : "scale");
            return false;
        }
    const char *text = s->opt.value[OPT_BASE].text;
    if (is_given(s, OPT_HEAD_SIZE)) *head_size = (size_t)s->opt.value[OPT_HEAD_SIZE].number;
    if (is_given(s, OPT_TYPE)) *type = (temper_type)(s->opt.value[OPT_TYPE].number - 1);
    *base = 0;
    if (!is_given(s, OPT_BASE) || (temper_real_read(base, text) && *base > 0 && *base < 1e300)) return true;
    message_usage(s, NULL, "--base must be a number above 0: the largest q·k/sqrt(d)");
    return false;
}

bool table_is_well(session *s, temper_status status, const temper_error *err, char *svg) {
    if (status == TEMPER_OK && svg) picture_write(s, s->opt.value[OPT_OUTPUT].text, svg);
    temper_free(svg);
    if (status != TEMPER_OK) message_error(s, err, NULL, NULL, 0);
    return status == TEMPER_OK;
}

void scale_table(session *s) {
    temper_schedules *all = NULL;
    temper_error err;
    progress bar;
    temper_schedule_options o = {.scales = s->opt.list, .count = s->opt.list_count, .published = 1};
    char *svg = NULL;
    if (!table_settings(&o.base, &o.head_size, &o.type, s)) return;
    progress_start(&bar, "schedules", !s->quiet && !s->json && isatty(STDERR_FILENO));
    o.progress = progress_step;
    o.context = &bar;
    temper_status status = temper_schedules_find(&all, &o, &err);
    progress_clear(&bar);
    if (status == TEMPER_OK && is_given(s, OPT_OUTPUT)) status = temper_schedules_draw(&svg, all, &err);
    if (table_is_well(s, status, &err, svg)) {
        if (s->json)
            print_json(all);
        else if (!s->quiet)
            print_table(all, o.type == TEMPER_TYPE_F64);
    }
    temper_schedules_free(all);
}
