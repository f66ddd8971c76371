/* temper sample: strings out of a language model. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "heartbeat.h"
#include "json.h"
#include "remedy_words.h"
#include "run_settings.h"
#include "subject.h"

enum { BY_STRINGS = 2, BY_WEIGHTS = 3 }; /* choices as numbered in the table */

static bool print_string(session *s, const temper_model *model, const uint32_t *letters, size_t n, bool proved) {
    if (s->quiet) return true;
    char *text = letters_text(model, letters, n);
    if (!text) {
        message_print(s, EXIT_LIMIT, NULL, "out of memory", NULL);
        return false;
    }
    if (s->json) {
        json j;
        json_open(&j, stdout);
        json_text(&j, "string", text);
        json_count(&j, "length", n);
        json_flag(&j, "proved", proved);
        json_close(&j);
    } else {
        escape_write(stdout, text, strlen(text), 0);
        putchar('\n');
    }
    free(text);
    return output_is_fine(s);
}

static void warn(session *s, const temper_model *model, size_t n) {
    temper_proof proof;
    temper_run_options o = run_settings(s);
    if (!is_done(temper_model_proof(&proof, model, o.type, o.hard, NULL)))
        proof = (temper_proof){.obstacle = "nothing is known"};
    warn_unproved(s, model, &proof, n);
}

static bool is_length_right(session *s) {
    bool counts = s->opt.value[OPT_BY].number == BY_STRINGS, given = is_given(s, OPT_LENGTH);
    if (counts && !given)
        message_usage(s, "--length N: strings of exactly N letters are counted", "--by strings needs --length");
    else if (!counts && given && s->opt.value[OPT_LENGTH].number == 0)
        message_usage(s, "--by strings --length 0 draws the empty string, if it is in the language",
                      "strings of at most 0 letters are not drawn letter by letter");
    else
        return true;
    return false;
}

static void sample(session *s, const temper_model *model) {
    temper_error err;
    temper_sampler *sampler;
    temper_sample_options o = {.length = is_given(s, OPT_LENGTH) ? s->opt.value[OPT_LENGTH].number : 0,
                               .tries = is_given(s, OPT_TRIES) ? s->opt.value[OPT_TRIES].number : 0,
                               .seed = is_given(s, OPT_SEED) ? s->opt.value[OPT_SEED].number : 1,
                               .run = run_settings(s)};
    if (s->opt.value[OPT_BY].number == BY_STRINGS) o.by = TEMPER_SAMPLING_STRINGS;
    if (s->opt.value[OPT_BY].number == BY_WEIGHTS) o.by = TEMPER_SAMPLING_WEIGHTS;
    if (temper_sampler_open(&sampler, model, &o, &err) != TEMPER_OK) {
        message_error(s, &err, NULL, NULL, 0);
        return;
    }
    uint64_t count = is_given(s, OPT_COUNT) ? s->opt.value[OPT_COUNT].number : 1;
    bool on = true, warned = false;
    heartbeat_count("drawing");
    for (uint64_t k = 0; k < count && on; k++) {
        heartbeat_at("strings", k, count);
        uint32_t *letters;
        size_t n;
        int proved;
        if (temper_sampler_draw(&letters, &n, &proved, sampler, &err) != TEMPER_OK) {
            message_error(s, &err, NULL, NULL, 0);
            break;
        }
        if (!proved && !warned) warn(s, model, n);
        warned = warned || !proved;
        on = print_string(s, model, letters, n, proved);
        temper_free(letters);
    }
    heartbeat_count(NULL);
    temper_sampler_free(sampler);
}

void cmd_sample(session *s) {
    subject x = {0};
    if (is_length_right(s) && subject_language_model(&x, s)) {
        if (s->opt.count > x.first)
            message_usage(s, "strings come out of it", "sample takes no strings");
        else
            sample(s, x.model);
    }
    subject_free(&x);
}
