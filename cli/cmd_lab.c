/* temper lab: experiments that check claims and write tables, figures and a report. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "message.h"
#include "progress.h"

static void list(const session *s) {
    size_t count = temper_lab_count(), widest = 0;
    temper_lab_info about;
    for (size_t k = 0; k < count; k++)
        if (temper_lab_about(&about, k, NULL) == TEMPER_OK && strlen(about.name) > widest)
            widest = strlen(about.name);
    for (size_t k = 0; k < count && !s->quiet; k++) {
        if (temper_lab_about(&about, k, NULL) != TEMPER_OK) continue;
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
        if (temper_lab_claim_at(&c, lab, k, NULL) != TEMPER_OK) continue;
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

static void print_summary(const session *s, const char *name, const temper_lab *lab, uint64_t seed,
                          const char *folder) {
    size_t claims = temper_lab_claims(lab), failed = 0;
    for (size_t k = 0; k < claims; k++) {
        temper_lab_claim c;
        failed += temper_lab_claim_at(&c, lab, k, NULL) == TEMPER_OK && !c.holds;
    }
    if (s->json) {
        json j;
        json_open(&j, stdout);
        json_text(&j, "experiment", name);
        json_count(&j, "seed", seed);
        json_flag(&j, "quick", is_given(s, OPT_QUICK));
        json_count(&j, "claims", claims);
        json_count(&j, "failed", failed);
        if (folder) json_text(&j, "folder", folder);
        json_close(&j);
        return;
    }
    printf("%s: %zu claim%s, %zu failed, seed %llu", name, claims, claims == 1 ? "" : "s", failed,
           (unsigned long long)seed);
    if (folder) printf("; report in %s/%s.md", folder, name);
    putchar('\n');
}

static void run(session *s, const char *name) {
    temper_error err;
    temper_lab *lab = NULL;
    const char *folder = s->opt.value[OPT_OUTPUT].text;
    uint64_t seed = is_given(s, OPT_SEED) ? s->opt.value[OPT_SEED].number : 1;
    progress p;
    progress_start(&p, name, !s->quiet && !s->json && isatty(STDERR_FILENO));
    p.unit = "steps";
    temper_lab_options o = {.seed = seed, .quick = is_given(s, OPT_QUICK), .progress = progress_step, .context = &p};
    temper_status status = temper_lab_run(&lab, name, &o, &err);
    progress_clear(&p);
    if (status == TEMPER_OK && folder) status = temper_lab_write(lab, folder, &err);
    if (status != TEMPER_OK) {
        message_error(s, &err, NULL, NULL, 0);
    } else {
        if (!s->quiet) {
            print_claims(s, name, lab);
            print_summary(s, name, lab, seed, folder);
        }
        if (!temper_lab_holds(lab)) session_fail(s, EXIT_NO);
    }
    temper_lab_free(lab);
}

/* ---- all of them ---- */

static const char all_folder[] = "temper-lab"; /* without -o: all is about its report */

typedef struct all_bar {
    progress bar;
    char what[80];
} all_bar;

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
        if (temper_lab_claim_at(&c, kept->lab, k, NULL) == TEMPER_OK && !c.holds)
            printf("  FAILS %s\n        %s\n", c.text, c.measured);
    }
    fflush(stdout);
}

/* Every experiment of the list, whole ones in the folder are not run again; then the page. */
static void run_all(session *s) {
    const char *folder = is_given(s, OPT_OUTPUT) ? s->opt.value[OPT_OUTPUT].text : all_folder;
    uint64_t seed = is_given(s, OPT_SEED) ? s->opt.value[OPT_SEED].number : 1;
    size_t count = temper_lab_count(), claims = 0, failed = 0;
    temper_error err;
    temper_status status = TEMPER_OK;
    all_bar b;
    temper_lab_options o = {
        .seed = seed, .quick = is_given(s, OPT_QUICK), .progress = progress_step, .context = &b.bar};
    if (!s->quiet && !s->json)
        printf("%zu experiments, seed %llu%s, into %s\n", count, (unsigned long long)seed, o.quick ? ", quick" : "",
               folder);
    for (size_t k = 0; k < count && status == TEMPER_OK; k++) {
        temper_lab_info about;
        temper_lab_kept kept;
        if ((status = temper_lab_about(&about, k, &err)) != TEMPER_OK) break;
        snprintf(b.what, sizeof b.what, "%zu/%zu %s", k + 1, count, about.name);
        progress_start(&b.bar, b.what, !s->quiet && !s->json && isatty(STDERR_FILENO));
        b.bar.unit = "steps";
        status = temper_lab_keep(&kept, about.name, folder, &o, &err);
        progress_clear(&b.bar);
        if (status != TEMPER_OK) break;
        claims += kept.claims, failed += kept.failed;
        if (!s->quiet) tell_kept(s, about.name, &kept);
        temper_lab_free(kept.lab);
    }
    if (status == TEMPER_OK) status = temper_lab_page(folder, &o, &err);
    if (status != TEMPER_OK) {
        message_error(s, &err, NULL, NULL, 0);
        return;
    }
    if (s->json && !s->quiet) {
        json j;
        json_open(&j, stdout);
        json_text(&j, "experiment", "all");
        json_count(&j, "seed", seed);
        json_flag(&j, "quick", o.quick);
        json_count(&j, "claims", claims);
        json_count(&j, "failed", failed);
        json_text(&j, "folder", folder);
        json_close(&j);
    } else if (!s->quiet) {
        printf("all: %zu claims, %zu failed, seed %llu; the page is %s/report.html\n", claims, failed,
               (unsigned long long)seed, folder);
    }
    if (failed) session_fail(s, EXIT_NO);
}

/* All names are looked at before anything is run: an experiment takes a while. */
static bool names_exist(session *s) {
    const char *names[64];
    size_t count = temper_lab_count();
    temper_lab_info about;
    for (size_t k = 0; k < count && k < 64; k++)
        names[k] = temper_lab_about(&about, k, NULL) == TEMPER_OK ? about.name : "";
    if (count < 64) names[count++] = "all";
    for (size_t a = 0; a < s->opt.count; a++) {
        const char *name = s->opt.arguments[a].text, *near;
        char hint[120] = "temper lab lists the experiments";
        size_t k = 0;
        while (k < count && strcmp(names[k], name)) k++;
        if (k < count) continue;
        near = nearest_name(name, names, count);
        if (near) snprintf(hint, sizeof hint, "did you mean %s?", near);
        message_usage(s, hint, "there is no experiment '%.60s'", name);
        return false;
    }
    return true;
}

void cmd_lab(session *s) {
    if (s->opt.count == 0) {
        list(s);
        return;
    }
    if (!names_exist(s)) return;
    for (size_t k = 0; k < s->opt.count; k++) {
        const char *name = s->opt.arguments[k].text;
        if (!strcmp(name, "all"))
            run_all(s);
        else
            run(s, name);
    }
}
