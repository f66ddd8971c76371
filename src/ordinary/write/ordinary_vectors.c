/* testvectors.jsonl of an ordinary folder: {"string": ..., "ids": [0, ...], "end": [...], "legal": [[...], ...]}:
   after each prefix, from the empty one on, whether the end is legal, and the ids of the letters that are. The empty
   string, then random ones of growing length; the answers are the hard model's. A transducer has "written", the id
   after each letter, instead. */
#include <string.h>

#include "base/json_write.h"
#include "base/random.h"
#include "ordinary/write/ordinary_files.h"

enum { VECTORS = 64, LONGEST = 64 };

static void free_run(void *slot) {
    temper_run **r = slot;
    temper_run_free(*r);
    *r = NULL;
}

static size_t make_string(uint32_t *letters, const temper_model *hard, size_t k, size_t longest, uint64_t *state) {
    if (!k || !hard->letters.count) return 0;
    size_t n = 1 + (size_t)(random_next(state) % (1 + k * longest / VECTORS));
    /* Few different letters in a string: with many, hardly anything but their first use would ever happen. */
    uint32_t few[4];
    size_t kinds = 1 + (size_t)(random_next(state) % 4);
    for (size_t j = 0; j < kinds; j++) few[j] = (uint32_t)(random_next(state) % hard->letters.count);
    if (n > longest) n = longest;
    for (size_t j = 0; j < n; j++) letters[j] = few[random_next(state) % kinds];
    return n;
}

static const char *string_of(arena *a, const ordinary_tokens *t, const uint32_t *letters, size_t n) {
    text string, quoted;
    text_init(&string, a);
    text_init(&quoted, a);
    for (size_t j = 0; j < n; j++) {
        if (j && t->has_words) text_putc(&string, ' ');
        text_puts(&string, t->names[ORDINARY_LETTERS + letters[j]]);
    }
    jwrite_string(&quoted, text_string(&string), string.length);
    return text_string(&quoted);
}

/* A letter, or the output letter of a transducer; </s> stands for writing nothing. */
static uint32_t id_of(const ordinary_tokens *t, const char *name) {
    if (!*name) return ORDINARY_EOS;
    for (uint32_t k = ORDINARY_LETTERS; k < ordinary_dead(t); k++)
        if (strcmp(t->names[k], name) == 0) return k;
    return ordinary_dead(t);
}

static void put_written(text *out, const ordinary_tokens *t, const temper_model *hard, const temper_run *r,
                        size_t n) {
    text_puts(out, ", \"written\": [");
    for (size_t i = 1; i <= n; i++) {
        long k = temper_run_written(r, i);
        text_printf(out, "%s%u", i > 1 ? ", " : "", k < 0 ? ordinary_dead(t) : id_of(t, hard->output_names[k]));
    }
    text_puts(out, "]}\n");
}

/* A run of n letters. */
typedef struct answers {
    const temper_model *hard;
    const temper_run *run;
    size_t n;
    bool is_mirrored;
} answers;

/* The end is the last output of a language model, and the only one of an acceptor. */
static bool may_end(const answers *x, size_t i) {
    if (x->hard->kind == TEMPER_KIND_NEXT) return temper_run_output(x->run, x->hard->letters.count)[i];
    /* After i letters from the right a mirrored model stands where these begin. */
    return i ? temper_run_about(x->run).truth[x->is_mirrored ? x->n + 1 - i : i] : x->hard->accepts_empty;
}

static void put_answers(text *out, const answers *x) {
    const temper_model *hard = x->hard;
    text_puts(out, ", \"end\": [");
    for (size_t i = 0; i <= x->n; i++) text_printf(out, "%s%d", i ? ", " : "", may_end(x, i));
    text_puts(out, "], \"legal\": [");
    for (size_t i = 0; i <= x->n; i++) {
        size_t count = 0;
        text_puts(out, i ? ", [" : "[");
        for (uint32_t k = 0; k < hard->letters.count; k++)
            if (hard->kind != TEMPER_KIND_NEXT || temper_run_output(x->run, k)[i])
                text_printf(out, "%s%u", count++ ? ", " : "", ORDINARY_LETTERS + k);
        text_putc(out, ']');
    }
    text_puts(out, "]}\n");
}

void ordinary_vectors_print(text *out, ordinary_example *example, const struct ordinary_model *m,
                            const ordinary_tokens *t, const temper_model *hard, uint64_t seed) {
    uint32_t letters[LONGEST];
    uint64_t state = seed;
    size_t longest = m->positions - 1 < LONGEST ? m->positions - 1 : LONGEST;
    temper_run **slot = arena_zalloc(out->arena, 1, sizeof *slot); /* freed also when an error is raised */
    arena_on_release(out->arena, free_run, slot);
    for (size_t k = 0; k < VECTORS; k++) {
        size_t n = make_string(letters, hard, k, longest, &state);
        temper_error err;
        temper_run_options o = {.threads = 1, .unchecked = 1};
        if (temper_model_run(slot, hard, letters, n, &o, &err) != TEMPER_OK) trap_reraise(out->arena->trap, &err);
        const answers x = {hard, *slot, n, m->mirrored};
        const char *string = string_of(out->arena, t, letters, n);
        text_printf(out, "{\"string\": %s, \"ids\": [%d", string, ORDINARY_BOS);
        /* A mirrored model reads from right to left, and its answers are about what it has read. */
        for (size_t j = 0; j < n; j++)
            text_printf(out, ", %u", ORDINARY_LETTERS + letters[m->mirrored ? n - 1 - j : j]);
        text_putc(out, ']');
        if (hard->kind == TEMPER_KIND_TRANSDUCER)
            put_written(out, t, hard, *slot, n);
        else
            put_answers(out, &x);
        if (!example->string && n > 1 && (hard->kind == TEMPER_KIND_TRANSDUCER || may_end(&x, n)))
            example->string = string;
        free_run(slot);
    }
}
