/* testvectors.jsonl: strings with the answers that temper's own run gives, so that a port can be tested without
   temper. The empty string, every letter alone, then random strings of growing length. */
#include <string.h>

#include "base/random.h"
#include "base/json_write.h"
#include "export/export_parts.h"

enum { VECTORS = 64, LONGEST = 64, ALONE = 16 };

static size_t make_string(uint32_t *letters, const temper_model *m, size_t k, size_t alone, size_t longest,
                          uint64_t *state) {
    if (k == 0 || !m->letters.count) return 0;
    if (k <= alone) {
        letters[0] = (uint32_t)(k - 1);
        return 1;
    }
    size_t n = 1 + (size_t)(random_next(state) % (1 + (k - alone) * longest / (VECTORS - alone)));
    if (n > longest) n = longest;
    /* Few different letters in a string: with many, hardly anything but their first use would ever happen. */
    uint32_t few[4];
    size_t kinds = 1 + (size_t)(random_next(state) % 4);
    for (size_t j = 0; j < kinds; j++) few[j] = (uint32_t)(random_next(state) % m->letters.count);
    for (size_t j = 0; j < n; j++) letters[j] = few[random_next(state) % kinds];
    return n;
}

static const char *string_of(arena *a, const temper_model *m, const uint32_t *letters, size_t n) {
    text string;
    text_init(&string, a);
    for (size_t j = 0; j < n; j++) {
        if (j && m->letters.tokens) text_putc(&string, ' ');
        text_puts(&string, m->letters.letters[letters[j]]);
    }
    return text_string(&string);
}

static void put_string(text *out, const temper_model *m, const char *string, const uint32_t *letters, size_t n) {
    text_puts(out, "{\"string\": ");
    jwrite_string(out, string, strlen(string));
    text_printf(out, ", \"tokens\": [%u", model_start_token(m));
    for (size_t j = 0; j < n; j++) text_printf(out, ", %u", letters[j]);
    if (m->has_end) text_printf(out, ", %u", model_end_token(m));
    text_puts(out, "]");
}

static void put_truth(text *out, const unsigned char *truth, size_t size) {
    text_putc(out, '[');
    for (size_t i = 0; i < size; i++) text_printf(out, "%s%d", i ? ", " : "", truth[i]);
    text_putc(out, ']');
}

static void put_numbers(text *out, const double *x, size_t size, size_t before) {
    text_puts(out, before ? ", [" : "[");
    for (size_t i = 0; i < size; i++) {
        if (i) text_puts(out, ", ");
        jwrite_number(out, x[i]);
    }
    text_putc(out, ']');
}

/* A margin is how far a head's output was from 0 or 1 before it was rounded; null for heads that mean no truth
   value. */
static void put_answers(text *out, const temper_model *m, const temper_run *r) {
    size_t size = temper_run_about(r).size;
    if (m->kind == TEMPER_KIND_ACCEPTOR) {
        text_printf(out, ", \"accept\": %s, \"truth\": ", temper_run_about(r).accept ? "true" : "false");
        put_truth(out, temper_run_about(r).truth, size);
    } else {
        text_puts(out, ", \"outputs\": ["); /* of each output its truth at every position */
        for (uint32_t k = 0; k < model_output_count(m); k++) {
            text_puts(out, k ? ", " : "");
            put_truth(out, temper_run_output(r, k), size);
        }
        text_putc(out, ']');
    }
    if (model_has_logits(m) && temper_run_logits(r, 0)) {
        text_puts(out, ", \"log_probabilities\": [");
        for (uint32_t k = 0; k < model_output_count(m); k++) put_numbers(out, temper_run_logits(r, k), size, k);
        text_putc(out, ']');
    }
    text_puts(out, ", \"margins\": [");
    for (uint32_t l = 0; l < m->layer_count; l++) {
        text_puts(out, l ? ", [" : "[");
        for (uint32_t h = 0; h < m->layers[l].head_count; h++) {
            double margin = temper_run_head(r, l + 1, h + 1).error;
            text_puts(out, h ? ", " : "");
            if (margin < 0)
                text_puts(out, "null");
            else
                jwrite_number(out, margin);
        }
        text_putc(out, ']');
    }
    text_printf(out, "], \"proved\": %s}\n", temper_run_about(r).proved ? "true" : "false");
}

static bool is_about_numbers(temper_status s) {
    return s == TEMPER_LIMIT || s == TEMPER_RANGE || s == TEMPER_UNSUPPORTED;
}

/* First with proof; a string whose answer no proof covers is given as floating point has it. NULL: that has none,
   because numbers are not finite or rounding hides a tie of a hard head. */
static temper_run *answer_string(const temper_model *m, const uint32_t *letters, size_t n, trap *t) {
    temper_run *r;
    temper_error err;
    temper_run_options o = {.threads = 1};
    if (temper_model_run(&r, m, letters, n, &o, &err) == TEMPER_OK) return r;
    if (!is_about_numbers(err.code)) trap_reraise(t, &err);
    o.unchecked = 1;
    temper_status status = temper_model_run(&r, m, letters, n, &o, &err);
    if (status != TEMPER_OK && !is_about_numbers(status)) trap_reraise(t, &err);
    return r;
}

static void free_run(void *slot) {
    temper_run **r = slot;
    temper_run_free(*r);
    *r = NULL;
}

static void put_quoted(text *out, const char *name, size_t *count) {
    text_puts(out, (*count)++ ? ", " : "");
    jwrite_string(out, name, strlen(name));
}

/* What the loader's method answers, as Python writes it: of a transducer what is written, of a language model what
   may come after the last position. NULL: there is no such answer. */
static const char *python_answer(arena *a, const temper_model *m, const temper_run *r, size_t n) {
    text t;
    size_t count = 0;
    text_init(&t, a);
    if (m->kind == TEMPER_KIND_ACCEPTOR) return temper_run_about(r).accept ? "True" : "False";
    if (m->kind == TEMPER_KIND_TRANSDUCER) {
        text_putc(&t, '[');
        for (size_t i = 1; i <= n; i++) {
            long k = temper_run_written(r, i);
            if (k < 0) return NULL;
            if (*m->output_names[k]) put_quoted(&t, m->output_names[k], &count);
        }
        text_putc(&t, ']');
        return text_string(&t);
    }
    text_puts(&t, "{'legal': [");
    for (uint32_t k = 0; k < m->letters.count; k++)
        if (temper_run_output(r, k)[n]) put_quoted(&t, m->output_names[k], &count);
    text_printf(&t, "], 'end': %s}", temper_run_output(r, m->letters.count)[n] ? "True" : "False");
    return text_string(&t);
}

/* The first strings that show something: of an acceptor one of each answer. */
static void keep_example(export_examples *x, const temper_model *m, const temper_run *r, const char *string, size_t n,
                         arena *a) {
    size_t slot = m->kind == TEMPER_KIND_ACCEPTOR ? !temper_run_about(r).accept : x->strings[0] != NULL;
    const char *answer = python_answer(a, m, r, n);
    if (!answer || x->strings[slot] || n < (m->kind == TEMPER_KIND_ACCEPTOR ? 1u : 3u)) return;
    text quoted;
    text_init(&quoted, a);
    jwrite_string(&quoted, string, strlen(string));
    x->strings[slot] = text_string(&quoted);
    x->answers[slot] = answer;
}

void export_vectors_print(text *out, export_examples *examples, const temper_model *m, const export_proofs *proofs,
                          uint64_t seed, trap *t) {
    uint32_t letters[LONGEST];
    uint64_t state = seed;
    size_t alone = m->letters.count < ALONE ? m->letters.count : ALONE, longest = LONGEST;
    if (proofs->f64.claim != TEMPER_CLAIM_NONE && proofs->f64.length < longest) longest = proofs->f64.length;
    temper_run **slot = arena_zalloc(out->arena, 1, sizeof *slot); /* freed also when an error is raised */
    arena_on_release(out->arena, free_run, slot);
    for (size_t k = 0; k < VECTORS; k++) {
        size_t n = make_string(letters, m, k, alone, longest, &state);
        *slot = answer_string(m, letters, n, t);
        if (!*slot) continue;
        const char *string = string_of(out->arena, m, letters, n);
        keep_example(examples, m, *slot, string, n, out->arena);
        put_string(out, m, string, letters, n);
        put_answers(out, m, *slot);
        free_run(slot);
    }
}
