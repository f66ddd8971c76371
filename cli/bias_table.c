#include "bias_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "progress.h"
#include "scale_table.h"
#include "temper_lab.h"

/* "7"; "> 2000" where nothing longer was run. In f64, where runs are as the law says: "~7" if less is proved, and
   "every" where every length is. */
static void cell_text(char out[32], const temper_bias_cell *c, bool real) {
    if (real && !c->ends && isinf(c->law))
        snprintf(out, 32, "every");
    else
        snprintf(out, 32, "%s%s%zu", c->ends ? "" : "> ", real && c->law < (double)c->reach ? "~" : "", c->reach);
}

static void print_table(const temper_biases *all, bool real) {
    size_t widest = 8, count = temper_biases_count(all);
    for (size_t k = 0; k < count; k++) {
        size_t length = strlen(temper_biases_at(all, k).name);
        if (length > widest) widest = length;
    }
    printf("%-*s", (int)widest, "bias");
    for (size_t op = 0; op < TEMPER_BIASED; op++) printf(" %10s", temper_bias_operator(op));
    putchar('\n');
    for (size_t k = 0; k < count; k++) {
        temper_bias_row row = temper_biases_at(all, k);
        printf("%-*s", (int)widest, row.name);
        for (size_t op = 0; op < TEMPER_BIASED; op++) {
            char shown[32];
            cell_text(shown, &row.cells[op], real);
            printf(" %10s", shown);
        }
        putchar('\n');
    }
    if (real)
        puts("\nn: proved for every string of up to n letters, in real arithmetic; one of n + 1 was run and is wrong;"
             "\n~n: the same, but less is proved; > n: no longer one was run; every: proved at every length");
    else
        puts("\nn: worst strings of n letters are right, one of n + 1 is wrong; > n: no longer one was run");
}

static void print_json(const temper_biases *all) {
    for (size_t k = 0; k < temper_biases_count(all); k++) {
        temper_bias_row row = temper_biases_at(all, k);
        for (size_t op = 0; op < TEMPER_BIASED; op++) {
            json j;
            json_open(&j, stdout);
            json_text(&j, "name", row.name);
            json_text(&j, "bias", row.bias);
            json_text(&j, "factor", row.factor);
            json_text(&j, "operator", temper_bias_operator(op));
            json_count(&j, "right", row.cells[op].reach);
            json_flag(&j, "wrong_beyond", row.cells[op].ends);
            if (isfinite(row.cells[op].law)) json_count(&j, "proved_real", (size_t)row.cells[op].law);
            json_close(&j);
        }
    }
}

void bias_table(session *s) {
    temper_biases *all = NULL;
    temper_error err;
    progress bar;
    temper_bias_options o = {.biases = s->opt.biases,
                             .count = s->opt.bias_count,
                             .scales = s->opt.list,
                             .scale_count = s->opt.list_count,
                             .published = 1};
    char *svg = NULL;
    if (!table_settings(&o.base, &o.head_size, &o.type, s)) return;
    progress_start(&bar, "biases", !s->quiet && !s->json && isatty(STDERR_FILENO));
    o.progress = progress_step;
    o.context = &bar;
    temper_status status = temper_biases_find(&all, &o, &err);
    progress_clear(&bar);
    if (status == TEMPER_OK && is_given(s, OPT_OUTPUT)) status = temper_biases_draw(&svg, all, &err);
    if (table_is_well(s, status, &err, svg)) {
        if (s->json)
            print_json(all);
        else if (!s->quiet)
            print_table(all, o.type == TEMPER_TYPE_F64);
    }
    temper_biases_free(all);
}
