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

static size_t opened_at(const char *source, size_t n, temper_type type, bool strings, size_t channel, double reach) {
    static char opened[RANDOM_MODEL_TEXT];
    double weight = ldexp(1, ilogb(fmin(fmax(reach, 0x1p-1000), 0x1p990)) + 4); /* of its kind, and not near 1/2 */
    if (weight >= 0.125 && weight < 1) weight = 1;
    choice_opened(opened, source, weight, channel);
    return choice_twins(opened, n, type, strings, NULL, NULL);
}

static bool opened(const char *source, size_t n, temper_type type, bool strings, size_t *channels, double *reach) {
    static char plain[RANDOM_MODEL_TEXT];
    choice_opened(plain, source, 1, 0);
    bool proved = choice_twins(plain, n, type, strings, channels, reach);
    if (*channels > PROVED_CHANNELS) *channels = PROVED_CHANNELS;
    return proved;
}

size_t choice_twins_opened(const char *source, size_t n, temper_type type, bool strings, test_random *r) {
    double reach[PROVED_CHANNELS];
    size_t channels;
    bool first = opened(source, n, type, strings, &channels, reach);
    if (channels < 2) return first;
    size_t channel = 1 + random_below(r, channels - 1);
    return (size_t)first + opened_at(source, n, type, strings, channel, reach[channel]);
}

bool choice_twins_everywhere(const char *source, size_t n, temper_type type, bool strings) {
    double reach[PROVED_CHANNELS];
    size_t channels;
    bool first = opened(source, n, type, strings, &channels, reach);
    for (size_t k = 1; k < channels; k++) opened_at(source, n, type, strings, k, reach[k]);
    return first;
}
