#define _POSIX_C_SOURCE 200809L
#include "limit_show.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "escape.h"
#include "json.h"
#include "message.h"
#include "progress.h"
#include "real.h"
#include "subject.h"

enum { SHOWN = 60 };

/* ---- text ---- */

static void print_string(const temper_model *model, const uint32_t *letters, size_t n) {
    char *text = n ? letters_text(model, letters, n) : NULL;
    if (text) {
        putchar('"');
        escape_write(stdout, text, strlen(text), SHOWN);
        putchar('"');
    } else {
        fputs("the empty string", stdout);
    }
    free(text);
}

static void print_obstacle(const temper_soften_limit *l, const temper_model *model) {
    temper_head_info head;
    printf("  at length %zu", l->fails);
    if (l->head) printf(": head %zu.%zu", l->layer, l->head);
    if (l->head && is_done(temper_model_head(&head, model, l->layer, l->head, NULL)) && *head.label) {
        fputs(" (", stdout);
        show_write(stdout, head.label, strlen(head.label), SHOWN);
        putchar(')');
    }
    switch (l->obstacle) {
    case TEMPER_OBSTACLE_GAP:
        printf(" must tell scores apart that may differ by 2^%s,\n", real_of("%.1f", l->log2_gap).text);
        if (isfinite(l->log2_step))
            printf("  and break ties by steps of 2^%s;\n", real_of("%.1f", l->log2_step).text);
        printf("  computed scores may be off by 2^%s%s\n", real_of("%.1f", l->log2_off).text,
               l->can_saturate ? "" : ", which takes ties apart");
        break;
    case TEMPER_OBSTACLE_OUTPUT: puts(" gives numbers that are off by more than what comes after it allows"); break;
    case TEMPER_OBSTACLE_LOGITS:
        if (l->head)
            printf(" may have scores that differ by 2^%s: logits would not fit into f64\n",
                   real_of("%.0f", l->log2_gap).text);
        else
            puts(": numbers would not fit into f64");
        break;
    case TEMPER_OBSTACLE_MARGIN:
        puts(
            ": an answer of the hard model may be exactly at the threshold 1/2, which\n  no softmax can decide; move "
            "answers away from it");
        break;
    case TEMPER_OBSTACLE_NONE: break;
    }
}

static void print_witness(const temper_soften_limit *l, const temper_model *model) {
    if (l->witness_length == SIZE_MAX) {
        puts("  strings      no two different scores were found on any");
        return;
    }
    fputs("  strings      on ", stdout);
    print_string(model, l->witness, l->witness_length);
    printf(" position %zu has its largest score at position %zu", l->position, l->key);
    if (*l->score) printf(", %s", l->score);
    printf(",\n               and the next at position %zu", l->other_key);
    if (*l->other_score) printf(", %s", l->other_score);
    printf(": 2^%s apart\n", real_of("%.1f", l->log2_seen).text);
    if (l->exponential)
        printf("               (of all strings up to length %zu: a bit or more for every letter, as in the proof)\n",
               l->all_up_to);
    else if (l->log2_seen > l->log2_gap + 4)
        puts("               (no string that was run comes closer: a gap that you know, --gap VALUE, may do)");
}

static void print_growth(const temper_soften_limit *l) {
    if (l->exponential || isnan(l->bits_per_doubling)) return;
    printf("  growth       the proved gap falls by %s bits where the length doubles, by %s for a letter more\n",
           real_of("%.1f", l->bits_per_doubling).text, real_of("%.2f", l->bits_per_letter).text);
}

static void print_remedies(const temper_soften_limit *l) {
    if (l->exponential)
        puts(
            "  precision    does not help: every letter takes another bit or more. Softmax is not the tool for this");
    else if (l->bits > 0)
        printf("  precision    about %s significant bits instead of 53 would do at this length\n",
               real_of("%.0f", l->bits).text);
    if (!l->head) return;
    if (l->saturated && l->obstacle == TEMPER_OBSTACLE_GAP)
        puts("  saturation   does not help: the scores are off before exp makes weights of them");
    else if (l->saturated)
        puts("  saturation   was tried: with it, too, the answers are not near enough");
    else
        puts("  saturation   is not for this head: several keys can have the largest score, and their mean is "
             "rounded");
    puts(l->gates ? "  gates        that round channels to 0 or 1 after each layer would do at this length"
                  : "  gates        that round channels to 0 or 1 would not help");
}

static void print_text(const temper_soften_limit *l, const temper_model *model) {
    if (l->obstacle == TEMPER_OBSTACLE_NONE) {
        printf("softening: nothing stands in the way up to length %zu\n", l->works);
        return;
    }
    if (l->fails > 0)
        printf("softening: strings of up to %zu letters, no more\n", l->works);
    else
        puts("softening: not even the empty string");
    print_obstacle(l, model);
    if (!l->head) return;
    print_witness(l, model);
    print_growth(l);
    print_remedies(l);
}

/* ---- JSON ---- */

static void json_bits(json *j, const char *key, double x) {
    if (isfinite(x))
        json_real(j, key, x);
    else
        json_null(j, key);
}

static void print_json(const temper_soften_limit *l, const temper_model *model) {
    json j;
    json_open(&j, stdout);
    json_text(&j, "kind", "limit");
    json_text(&j, "obstacle", temper_obstacle_name(l->obstacle));
    json_count(&j, "works", l->works);
    if (l->obstacle != TEMPER_OBSTACLE_NONE) json_count(&j, "fails", l->fails);
    if (l->head) {
        json_count(&j, "layer", l->layer);
        json_count(&j, "head", l->head);
        json_bits(&j, "log2_gap", l->log2_gap);
        json_bits(&j, "log2_off", l->log2_off);
        json_bits(&j, "bits_per_letter", l->bits_per_letter);
        json_bits(&j, "bits_per_doubling", l->bits_per_doubling);
        json_flag(&j, "saturation_tried", l->saturated);
        json_flag(&j, "gates_would_do", l->gates);
        json_flag(&j, "exponential", l->exponential);
    }
    if (l->bits > 0 && !l->exponential) json_real(&j, "bits", l->bits);
    if (l->head && l->witness_length != SIZE_MAX) {
        char *text = letters_text(model, l->witness, l->witness_length);
        json_text(&j, "witness", text ? text : "");
        json_count(&j, "position", l->position);
        json_count(&j, "key", l->key);
        json_count(&j, "other_key", l->other_key);
        json_text(&j, "score", l->score);
        json_text(&j, "other_score", l->other_score);
        json_real(&j, "log2_seen", l->log2_seen);
        free(text);
    }
    json_close(&j);
}

bool limit_show(session *s, const temper_model *hard, const temper_soften_options *asked) {
    temper_soften_options full = *asked;
    temper_soften_limit limit = {.obstacle = TEMPER_OBSTACLE_NONE};
    temper_error err;
    progress bar;
    progress_start(&bar, "why", !s->quiet && isatty(STDERR_FILENO));
    bar.unit = "lengths";
    full.progress = progress_step;
    full.context = &bar;
    temper_status status = temper_soften_explain(&limit, hard, &full, &err);
    progress_clear(&bar);
    if (status != TEMPER_OK)
        message_error(s, &err, NULL, NULL, 0);
    else if (s->json)
        print_json(&limit, hard);
    else if (!s->quiet)
        print_text(&limit, hard);
    return status == TEMPER_OK;
}
