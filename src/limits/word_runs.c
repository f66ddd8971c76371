#include "limits/word_runs.h"

#include <string.h>

/* The longest repetition that begins here and is worth an exponent; else one letter. */
static word_run first_run(const uint32_t *letters, size_t n) {
    word_run best = {.word = {letters[0]}, .length = 1, .count = 1};
    size_t covered = 1;
    for (size_t period = 1; period <= RUN_WORD && period < n; period++) {
        size_t end = period;
        while (end < n && letters[end] == letters[end - period]) end++;
        size_t count = end / period;
        if (count < 2 || count * period < 4 || count * period <= covered) continue;
        covered = count * period;
        best.length = (uint32_t)period;
        best.count = count;
        memcpy(best.word, letters, period * sizeof *letters);
    }
    return best;
}

size_t word_runs_of(word_run **out, const uint32_t *letters, size_t n, arena *a) {
    size_t count = 0, capacity = 0;
    *out = NULL;
    for (size_t at = 0; at < n;) {
        word_run r = first_run(letters + at, n - at);
        at += r.length * r.count;
        array_push(a, *out, count, capacity, r);
    }
    return count;
}

uint32_t *word_runs_expand(const word_run *runs, size_t count, size_t n, arena *a) {
    uint32_t *letters = arena_alloc(a, n + 1, sizeof *letters);
    size_t at = 0;
    for (size_t r = 0; r < count; r++)
        for (size_t k = 0; k < runs[r].count * runs[r].length && at < n; k++)
            letters[at++] = runs[r].word[k % runs[r].length];
    return letters;
}

static void put_letter(text *t, const alphabet *letters, uint32_t letter, bool spaced) {
    if (spaced) text_putc(t, ' ');
    text_puts(t, letters->letters[letter]);
}

/* Brackets that are no letters, if there are such. */
static const char *choose_brackets(const alphabet *letters) {
    static const char *const pairs[] = {"()", "[]", "{}", "<>"};
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs && !letters->tokens; k++)
        if (alphabet_find(letters, pairs[k], 1) == UINT32_MAX &&
            alphabet_find(letters, pairs[k] + 1, 1) == UINT32_MAX)
            return pairs[k];
    return pairs[0];
}

const char *word_runs_text(const word_run *runs, size_t count, const alphabet *letters, size_t most, arena *a) {
    const char *brackets = choose_brackets(letters);
    text t;
    text_init(&t, a);
    for (size_t r = 0; r < count; r++) {
        const word_run *w = &runs[r];
        bool single = w->count == 1, before = r > 0 && runs[r - 1].count == 1;
        if (t.length > most) {
            text_puts(&t, " ...");
            break;
        }
        if (r > 0 && !(single && before && !letters->tokens)) text_putc(&t, ' ');
        if (w->length > 1) text_putc(&t, brackets[0]);
        for (uint32_t k = 0; k < w->length; k++) put_letter(&t, letters, w->word[k], letters->tokens && k > 0);
        if (w->length > 1) text_putc(&t, brackets[1]);
        if (!single) text_printf(&t, "^%zu", w->count);
    }
    return text_string(&t);
}
