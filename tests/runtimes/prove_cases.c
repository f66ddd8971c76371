/* Which specifications of make test-ordinary are proved, and which proofs the audit confirms, in every setting.

       prove_cases FOLDER LENGTH [SHARE [NAME]]

   A line is SPEC, SETTING, and "proved and audited" or "unable: ...", parted by tabs; the last ones count them.
   FOLDER holds one model at a time. Fails if the audit of a folder refuses a certificate that was exported. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/sequences.h"
#include "specs.h"
#include "test.h"
#include "ordinary_calls.h"

enum { SETTINGS = 12 };

static struct { size_t settings, proved, audited, unable, refused; } total;

static temper_ordinary_options setting_of(int k, size_t length) {
    return (temper_ordinary_options){.architecture = k / 4 ? TEMPER_ORDINARY_LLAMA : TEMPER_ORDINARY_GPT2,
                                     .positions = k / 4 == 2 ? TEMPER_ORDINARY_POSITIONS_DIGITS
                                                             : TEMPER_ORDINARY_POSITIONS_RAMP,
                                     .length = length,
                                     .weights_f16 = k / 2 % 2,
                                     .cache_f32 = !(k % 2),
                                     .seed = 1};
}

static void audit_folder(const char *folder, const char *about) {
    char path[4200], *certificate;
    size_t length;
    temper_error err;
    snprintf(path, sizeof path, "%s/certificate.json", folder);
    if (!CHECK(temper_file_read(&certificate, &length, path, &err) == TEMPER_OK, "%s: %s", about, err.text)) return;
    temper_status s = temper_audit(certificate, length, NULL, 0, &(temper_audit_options){.path = folder}, &err);
    if (CHECK(s == TEMPER_OK, "%s: %s", about, err.text)) printf("%s\tproved and audited\n", about);
    total.audited += s == TEMPER_OK;
    temper_free(certificate);
}

static void prove_spec(const char *folder, const ordinary_spec *about, size_t length) {
    static const char *const positions[] = {"gpt2", "ramp", "digits"};
    temper_spec *spec;
    temper_error err;
    temper_spec_options o = {.syntax = about->syntax, .alphabet = about->alphabet, .tokens = about->tokens};
    if (!CHECK(temper_spec_parse(&spec, about->text, strlen(about->text), &o, &err) == TEMPER_OK, "%s: %s",
               about->name, err.text))
        return;
    for (int k = 0; k < SETTINGS; k++) {
        char name[200];
        temper_ordinary_info info;
        temper_ordinary_options setting = setting_of(k, length);
        snprintf(name, sizeof name, "%s\t%s %s/%s", about->name, positions[k / 4],
                 setting.weights_f16 ? "f16" : "f32", setting.cache_f32 ? "f32" : "f16");
        total.settings++;
        if (ordinary_folder_once(&info, folder, spec, &setting, &err) != TEMPER_OK) {
            total.refused++;
            printf("%s\trefused: %s\n", name, err.text);
        } else if (!info.proof.proved) {
            total.unable++;
            printf("%s\tunable: %s\n", name, info.proof.reason);
        } else {
            total.proved++;
            audit_folder(folder, name);
        }
        fflush(stdout);
    }
    temper_spec_free(spec);
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    size_t length = strtoul(argv[2], NULL, 10), share = argc > 3 ? strtoul(argv[3], NULL, 10) : 1;
    for (size_t k = 0; k < ORDINARY_SPECS + sequence_count(); k++) {
        const sequence_task *task = k < ORDINARY_SPECS ? NULL : &sequence_suite[k - ORDINARY_SPECS];
        char name[100];
        snprintf(name, sizeof name, "task-%s", task ? task->name : "");
        ordinary_spec about =
            task ? (ordinary_spec){name, task->text, task->alphabet, TEMPER_SYNTAX_SPEC, 0, ORDINARY_ANY}
                 : ordinary_specs[k];
        if (k % share == 0 && (argc < 5 || strcmp(argv[4], about.name) == 0)) prove_spec(argv[1], &about, length);
    }
    printf("prove_cases: %zu settings at %zu letters: %zu proved, %zu of them audited; %zu unable, %zu refused\n",
           total.settings, length, total.proved, total.audited, total.unable, total.refused);
    return test_finish("prove_cases");
}
