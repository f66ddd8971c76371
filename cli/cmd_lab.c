/* temper lab: experiments that check claims and write tables, figures and a report. The work is one job of all that
   is asked for. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "job_runner.h"
#include "bias_table.h"
#include "length_table.h"
#include "scale_table.h"
#include "json.h"
#include "message.h"
#include "temper_lab.h"

enum { NAMES_MOST = 64 };

/* What is asked for. */
typedef struct request {
    const char *names[NAMES_MOST];
    size_t count;
    bool all, sweep;
    uint64_t seed, seeds;
    const char *folder; /* NULL: none */
    temper_job *job;
    temper_journal *journal; /* with all results */
} request;

static void list(const session *s) {
    size_t count = temper_lab_count(), widest = 0;
    temper_lab_info about;
    for (size_t k = 0; k < count; k++)
        if (is_done(temper_lab_about(&about, k, NULL)) && strlen(about.name) > widest) widest = strlen(about.name);
    for (size_t k = 0; k < count && !s->quiet; k++) {
        if (!is_done(temper_lab_about(&about, k, NULL))) continue;
        if (s->json) {
            json j;
            json_open(&j, stdout);
            json_text(&j, "name", about.name);
            json_text(&j, "title", about.title);
            json_text(&j, "claim", about.claim);
            json_close(&j);
        } else {
            printf("%-*s  %s\n", (int)widest, about.name, about.title);
        }
    }
}

static void print_claims(const session *s, const char *name, const temper_lab *lab) {
    for (size_t k = 0; k < temper_lab_claims(lab); k++) {
        temper_lab_claim c;
        if (!is_done(temper_lab_claim_at(&c, lab, k, NULL))) continue;
        if (s->json) {
            json j;
            json_open(&j, stdout);
            json_text(&j, "experiment", name);
            json_text(&j, "claim", c.text);
            json_text(&j, "measured", c.measured);
            json_flag(&j, "holds", c.holds);
            json_close(&j);
        } else {
            printf("%-5s %s\n      %s\n", c.holds ? "holds" : "FAILS", c.text, c.measured);
        }
    }
}

static size_t count_failed(const temper_lab *lab) {
    size_t failed = 0;
    for (size_t k = 0; k < temper_lab_claims(lab); k++) {
        temper_lab_claim c;
        failed += is_done(temper_lab_claim_at(&c, lab, k, NULL)) && !c.holds;
    }
    return failed;
}

static void print_summary(const session *s, const char *name, const temper_lab *lab, const request *r) {
    size_t claims = temper_lab_claims(lab), failed = count_failed(lab);
    if (s->json) {
        json j;
        json_open(&j, stdout);
        json_text(&j, "experiment", name);
        json_count(&j, "seed", r->seed);
        if (r->sweep) json_count(&j, "seeds", r->seeds);
        json_flag(&j, "quick", is_given(s, OPT_QUICK));
        json_count(&j, "claims", claims);
        json_count(&j, "failed", failed);
        if (r->folder) json_text(&j, "folder", r->folder);
        json_close(&j);
        return;
    }
    printf("%s: %zu claim%s, %zu failed, seed%s %llu", name, claims, claims == 1 ? "" : "s", failed,
           r->sweep ? "s" : "", (unsigned long long)r->seed);
    if (r->sweep) printf("-%llu", (unsigned long long)(r->seed + r->seeds - 1));
    if (r->folder) printf("; report in %s/%s.md", r->folder, name);
    putchar('\n');
}

/* Files, if they are asked for, then the claims. */
static temper_status answer(session *s, const char *name, const temper_lab *lab, const request *r,
                            temper_error *err) {
    temper_status status = r->folder ? temper_lab_write(lab, r->folder, err) : TEMPER_OK;
    if (status != TEMPER_OK) return status;
    if (!s->quiet) {
        print_claims(s, name, lab);
        print_summary(s, name, lab, r);
    }
    if (!temper_lab_holds(lab)) session_fail(s, EXIT_NO);
    return TEMPER_OK;
}

static temper_status answer_some(session *s, const request *r, temper_error *err) {
    temper_status status = TEMPER_OK;
    for (size_t k = 0; k < r->count && status == TEMPER_OK; k++) {
        temper_lab_kept kept;
        status = temper_lab_take(&kept, r->job, r->journal, k, err);
        if (status == TEMPER_OK) status = answer(s, r->names[k], kept.lab, r, err);
        temper_lab_free(kept.lab);
    }
    return status;
}

static temper_status answer_sweep(session *s, const request *r, temper_error *err) {
    temper_lab *lab;
    temper_status status = temper_lab_sweep(&lab, r->job, r->journal, err);
    if (status == TEMPER_OK) status = answer(s, "sweep", lab, r, err);
    temper_lab_free(lab);
    return status;
}

/* ---- all of them ---- */

static const char all_folder[] = "temper-lab"; /* without -o: all is about its report */

static void tell_kept(const session *s, const char *name, const temper_lab_kept *kept) {
    if (s->json) {
        json j;
        json_open(&j, stdout);
        json_text(&j, "experiment", name);
        json_count(&j, "claims", kept->claims);
        json_count(&j, "failed", kept->failed);
        json_flag(&j, "kept", !kept->lab);
        json_close(&j);
        return;
    }
    printf("%-10s %zu claim%s, %zu failed%s\n", name, kept->claims, kept->claims == 1 ? "" : "s", kept->failed,
           kept->lab ? "" : " (kept from before)");
    for (size_t k = 0; kept->lab && k < temper_lab_claims(kept->lab); k++) {
        temper_lab_claim c;
        if (is_done(temper_lab_claim_at(&c, kept->lab, k, NULL)) && !c.holds)
            printf("  FAILS %s\n        %s\n", c.text, c.measured);
    }
}

static void tell_all(const session *s, const request *r, size_t claims, size_t failed) {
    if (s->json) {
        json j;
        json_open(&j, stdout);
        json_text(&j, "experiment", "all");
        json_count(&j, "seed", r->seed);
        json_flag(&j, "quick", is_given(s, OPT_QUICK));
        json_count(&j, "claims", claims);
        json_count(&j, "failed", failed);
        json_text(&j, "folder", r->folder);
        json_close(&j);
        return;
    }
    printf("all: %zu claims, %zu failed, seed %llu; the page is %s/report.html\n", claims, failed,
           (unsigned long long)r->seed, r->folder);
}

/* The job has written what was not in the folder; then the page. */
static temper_status answer_all(session *s, const request *r, temper_error *err) {
    temper_lab_options o = {.seed = r->seed, .quick = is_given(s, OPT_QUICK)};
    size_t claims = 0, failed = 0;
    temper_status status = TEMPER_OK;
    for (size_t k = 0; k < r->count && status == TEMPER_OK; k++) {
        temper_lab_kept kept;
        status = temper_lab_take(&kept, r->job, r->journal, k, err);
        if (status != TEMPER_OK) break;
        claims += kept.claims, failed += kept.failed;
        if (!s->quiet) tell_kept(s, r->names[k], &kept);
        temper_lab_free(kept.lab);
    }
    if (status == TEMPER_OK) status = temper_lab_page(r->folder, &o, err);
    if (status != TEMPER_OK) return status;
    if (!s->quiet) tell_all(s, r, claims, failed);
    if (failed) session_fail(s, EXIT_NO);
    return TEMPER_OK;
}

/* ---- the command ---- */

static temper_status run(session *s, request *r, temper_error *err) {
    temper_lab_job_options o = {.seed = r->seed,
                                .seeds = r->sweep ? r->seeds : 0,
                                .quick = is_given(s, OPT_QUICK),
                                .folder = r->all && !r->sweep ? r->folder : NULL};
    progress bar;
    temper_status status = temper_lab_job(&r->job, r->names, r->count, &o, err);
    if (status != TEMPER_OK) return status;
    if (r->all && !s->quiet && !s->json) {
        printf("%zu experiments, seed%s %llu", r->count, r->sweep ? "s" : "", (unsigned long long)r->seed);
        if (r->sweep) printf("-%llu", (unsigned long long)(r->seed + r->seeds - 1));
        printf("%s", o.quick ? ", quick" : "");
        if (r->folder) printf(", into %s", r->folder);
        putchar('\n');
        fflush(stdout);
    }
    progress_start(&bar, r->count == 1 ? r->names[0] : "lab", !s->quiet && !s->json && isatty(STDERR_FILENO));
    bar.unit = "steps";
    status = run_job(&r->journal, s, r->job, &bar, err);
    progress_clear(&bar);
    if (status != TEMPER_OK || !r->journal) return status; /* no journal: another process has it */
    status = r->sweep ? answer_sweep(s, r, err) : r->all ? answer_all(s, r, err) : answer_some(s, r, err);
    temper_status closed = temper_journal_close(r->journal, status == TEMPER_OK ? err : NULL);
    return status != TEMPER_OK ? status : closed;
}

/* "3-17" or "3": a number, and one that is not less. */
static bool read_seeds(request *r, session *s) {
    enum { SEEDS_MOST = 1000000 };
    const char *text = s->opt.value[OPT_SEEDS].text;
    char *end = NULL;
    errno = 0;
    unsigned long long first = strtoull(text, &end, 10), last = first;
    bool fine = *text >= '0' && *text <= '9';
    if (fine && *end == '-') {
        fine = end[1] >= '0' && end[1] <= '9';
        last = strtoull(end + 1, &end, 10);
    }
    if (!fine || *end || errno || last < first || last - first >= SEEDS_MOST) {
        message_usage(s, NULL, "--seeds must be as 1-20: a first seed and a last one, at most a million");
        return false;
    }
    r->seed = first;
    r->seeds = last - first + 1;
    return true;
}

/* All names are looked at before anything is run: an experiment takes a while. */
static bool read_names(request *r, session *s) {
    const char *names[NAMES_MOST];
    size_t count = temper_lab_count();
    temper_lab_info about;
    if (count > NAMES_MOST - 1) count = NAMES_MOST - 1;
    for (size_t k = 0; k < count; k++) names[k] = is_done(temper_lab_about(&about, k, NULL)) ? about.name : "";
    names[count] = "all";
    for (size_t a = 0; a < s->opt.count; a++) {
        const char *name = s->opt.arguments[a].text, *near;
        char hint[120] = "temper lab lists the experiments";
        size_t k = 0;
        while (k <= count && strcmp(names[k], name)) k++;
        if (k <= count) {
            r->all |= k == count;
            if (a < NAMES_MOST) r->names[a] = names[k];
            continue;
        }
        near = nearest_name(name, names, count + 1);
        if (near) snprintf(hint, sizeof hint, "did you mean %s?", near);
        message_usage(s, hint, "there is no experiment '%.60s'", name);
        return false;
    }
    if (s->opt.count > 1 && (r->all || s->opt.count > NAMES_MOST)) {
        message_usage(s, NULL,
                      r->all ? "all has every experiment: no other name goes with it" : "too many experiments");
        return false;
    }
    r->count = r->all ? count : s->opt.count;
    if (r->all) memcpy(r->names, names, count * sizeof *names);
    return true;
}

void cmd_lab(session *s) {
    request r = {.seed = is_given(s, OPT_SEED) ? s->opt.value[OPT_SEED].number : 1, .sweep = is_given(s, OPT_SEEDS)};
    temper_error err;
    if (s->opt.count == 0) {
        if (r.sweep || is_given(s, OPT_JOURNAL))
            message_usage(s, "temper lab lists the experiments", "--%s needs the NAME of an experiment, or all",
                          r.sweep ? "seeds" : "journal");
        else
            list(s);
        return;
    }
    if (!read_names(&r, s)) return;
    static const option_id own[] = {OPT_SCALE, OPT_BIAS, OPT_BASE, OPT_HEAD_SIZE, OPT_TYPE, OPT_LENGTHS, OPT_CODE};
    bool table = is_given(s, OPT_SCALE) || is_given(s, OPT_BIAS) || is_given(s, OPT_LENGTHS);
    for (size_t k = 0; k < sizeof own / sizeof *own; k++)
        if (is_given(s, own[k]) && (strcmp(r.names[0], "schedules") != 0 || r.count != 1 || !table)) {
            message_usage(s, "temper lab schedules --scale 'ln(N)/2' --head-size 64 --type bf16/f32",
                          "--%s goes with lab schedules and a --scale, --bias or --at", option_table[own[k]].name);
            return;
        }
    if (is_given(s, OPT_BIAS) && (is_given(s, OPT_LENGTHS) || is_given(s, OPT_CODE))) {
        message_usage(s, NULL, "--%s does not go with --bias", is_given(s, OPT_LENGTHS) ? "at" : "as");
        return;
    }
    if (table) {
        (is_given(s, OPT_BIAS)      ? bias_table
         : is_given(s, OPT_CODE)    ? scale_code
         : is_given(s, OPT_LENGTHS) ? length_table
                                    : scale_table)(s);
        return;
    }
    if (r.sweep && is_given(s, OPT_SEED)) {
        message_usage(s, NULL, "--seed and --seeds exclude each other");
        return;
    }
    if (r.sweep && !read_seeds(&r, s)) return;
    r.folder = is_given(s, OPT_OUTPUT) ? s->opt.value[OPT_OUTPUT].text : r.all && !r.sweep ? all_folder : NULL;
    if (run(s, &r, &err) != TEMPER_OK) message_error(s, &err, NULL, NULL, 0);
    temper_job_free(r.job);
}
