#include "next_answer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "escape.h"
#include "real.h"

static size_t letters_of(const next_answer *a) { return temper_model_about(a->model).letters; }

static bool may_end(const next_answer *a) { return a->holds(a->from, letters_of(a)); }

bool next_is_alive(const next_answer *a) {
    bool alive = may_end(a);
    for (size_t k = 0; k < letters_of(a) && !alive; k++) alive = a->holds(a->from, k);
    return alive;
}

static void print_letter(const char *letter) {
    bool quoted = !strcmp(letter, "$") || !strcmp(letter, "-") || strpbrk(letter, " \t'\"") != NULL;
    if (quoted) putchar('\'');
    escape_write(stdout, letter, strlen(letter), 0);
    if (quoted) putchar('\'');
}

static bool has_probabilities(const next_answer *a) { return !isnan(a->logit(a->from, 0)); }

static double probability(const next_answer *a, size_t output) {
    return temper_probability(a->logit(a->from, output));
}

static void print_probability(const next_answer *a, size_t output) {
    if (has_probabilities(a)) printf(":%s", real_of("%.6g", probability(a, output)).text);
}

void next_print(const next_answer *a) {
    size_t shown = 0;
    for (size_t k = 0; k < letters_of(a); k++) {
        if (!a->holds(a->from, k)) continue;
        if (shown++) putchar(' ');
        print_letter(temper_model_letter(a->model, k));
        print_probability(a, k);
    }
    if (may_end(a)) {
        fputs(shown++ ? " $" : "$", stdout);
        print_probability(a, letters_of(a));
    }
    if (!shown) putchar('-');
    if (a->claim == TEMPER_CLAIM_NONE)
        fputs(" (unproved)", stdout);
    else if (shown && has_probabilities(a) && !(a->logit_error <= 1))
        fputs(" (probabilities unproved)", stdout);
}

void next_json(json *j, const next_answer *a) {
    json_begin(j, "legal", '[');
    for (size_t k = 0; k < letters_of(a); k++)
        if (a->holds(a->from, k)) json_text(j, NULL, temper_model_letter(a->model, k));
    json_end(j, ']');
    json_flag(j, "end", may_end(a));
    json_flag(j, "proved", a->claim != TEMPER_CLAIM_NONE);
    json_text(j, "claim", temper_claim_name(a->claim));
    if (!has_probabilities(a)) return;
    json_begin(j, "probabilities", '{');
    for (size_t k = 0; k < letters_of(a); k++)
        if (a->holds(a->from, k)) json_real(j, temper_model_letter(a->model, k), probability(a, k));
    json_end(j, '}');
    json_real(j, "end_probability", may_end(a) ? probability(a, letters_of(a)) : 0);
    json_real(j, "logit_error", a->logit_error);
}
