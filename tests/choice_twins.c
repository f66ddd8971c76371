#include "choice_twins.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"

bool choice_twins(const char *source, size_t n, temper_type type, bool strings, size_t *channels, double *reach) {
    choice_proved proof;
    temper_model *m = model_from(source);
    if (!m) return false;
    choice_prove(&proof, m, source, n, type, strings);
    temper_model_free(m);
    audit_request request = {.length = n, .type = type, .choices = true, .strings = strings};
    char *own = NULL;
    size_t length = 0;
    temper_error e = {0};
    bool found = audit_requested(&own, &length, source, strlen(source), &request, &e) == TEMPER_OK;
    bool proved = proof.text != NULL;
    const char *how = strings ? "strings" : "sets", *name = temper_type_name(type);
    if (CHECK(found == proved, "to %zu in %s by %s: the prover has %s proof (%s), the audit says %s\n%s", n, name,
              how, proved ? "a" : "no", proof.why, found ? "yes" : e.text, source) &&
        found)
        CHECK(length == proof.length && memcmp(own, proof.text, length) == 0,
              "to %zu in %s by %s: the prover writes\n%s\nthe auditor\n%s\nof\n%s", n, name, how, proof.text, own,
              source);
    temper_free(own);
    free(proof.text);
    if (channels) *channels = proof.channels;
    if (reach) memcpy(reach, proof.reach, sizeof proof.reach);
    return proved;
}

void choice_opened(char out[RANDOM_MODEL_TEXT], const char *source, double weight, size_t channel) {
    const char *end = source + strlen(source);
    for (const char *at = source; (at = strstr(at, "\nread")) != NULL; at++) end = at + 1;
    int used = snprintf(out, RANDOM_MODEL_TEXT, "%.*sread 0:%a", (int)(end - source), source, weight);
    if (channel) used += snprintf(out + used, RANDOM_MODEL_TEXT - (size_t)used, " %zu:1", channel);
    snprintf(out + used, RANDOM_MODEL_TEXT - (size_t)used, "\n");
}

size_t choice_twins_opened(const char *source, size_t n, temper_type type, bool strings, test_random *r) {
    static char opened[RANDOM_MODEL_TEXT];
    double reach[PROVED_CHANNELS];
    size_t channels;
    choice_opened(opened, source, 1, 0);
    bool first = choice_twins(opened, n, type, strings, &channels, reach);
    if (channels < 2 || channels > PROVED_CHANNELS) return first;
    size_t channel = 1 + random_below(r, channels - 1);
    double weight = fmin(fmax(ldexp(1, ilogb(reach[channel] + 0x1p-1000) + 4), 1), 0x1p1000);
    choice_opened(opened, source, weight, channel);
    return (size_t)first + choice_twins(opened, n, type, strings, NULL, NULL);
}
