/* Verdicts in sentences. */
#include <string.h>

#include "decide/automaton.h"

enum { SHOWN_LETTERS = 24 }; /* of a word; the rest is dots */

static void put_word(text *out, const temper_automaton *m, const uint32_t *first_letter, word_part p) {
    for (size_t k = 0; k < p.length && k < SHOWN_LETTERS; k++) {
        const char *letter = m->letters.letters[first_letter[p.word[k]]];
        if (k && m->letters.tokens) text_putc(out, ' ');
        text_puts(out, text_escaped(out->arena, letter, strlen(letter), 0));
    }
    if (p.length > SHOWN_LETTERS) text_puts(out, "...");
}

/* "ab (ba)^n c"; a family without parts is the empty string. */
static void put_family(text *out, const temper_automaton *m, const uint32_t *first_letter, const word_family *f) {
    if (!f->count) text_puts(out, "the empty string");
    for (size_t k = 0; k < f->count; k++) {
        const word_part *p = &f->parts[k];
        if (k) text_putc(out, ' ');
        if (p->power && p->length > 1) text_putc(out, '(');
        put_word(out, m, first_letter, *p);
        if (p->power) text_puts(out, p->length > 1 ? ")^n" : "^n");
    }
}

static void put_no(text *out, const temper_automaton *m, language_class c, const class_verdict *v,
                   const uint32_t *first_letter) {
    if (c == CLASS_SOLVABLE) {
        text_printf(out, "words permute %u states as a group of order %u, whose perfect subgroup has order %u:",
                    v->group_states, v->group_order, v->core_order);
        for (size_t k = 0; k < v->generator_count; k++) {
            text_puts(out, k ? ", " : " ");
            put_word(out, m, first_letter, v->generators[k]);
        }
        return;
    }
    if (!v->accepted.count && !v->rejected.count) return; /* the words are too long to show */
    put_family(out, m, first_letter, &v->accepted);
    text_puts(out, " is accepted");
    if (c != CLASS_FINITE) {
        text_puts(out, ", ");
        put_family(out, m, first_letter, &v->rejected);
        text_puts(out, " is not");
    }
    text_puts(out, ", for every n");
}

static void put_yes(text *out, language_class c, const class_verdict *v) {
    const char *s = v->degree == 1 ? "" : "s";
    if (c == CLASS_FINITE) text_printf(out, "no string has more than %zu letter%s", v->degree, s);
    if (c == CLASS_DEFINITE) text_printf(out, "the last %zu letter%s decide", v->degree, s);
    if (c == CLASS_REVERSE_DEFINITE) text_printf(out, "the first %zu letter%s decide", v->degree, s);
}

const char *verdict_words(temper_automaton *m, language_class c) {
    const class_verdict *v = &m->verdicts[c];
    const uint32_t *first_letter = dfa_class_letters(m->d, &m->memory);
    text out;
    text_init(&out, &m->memory);
    if (v->answer == CLASS_NO) put_no(&out, m, c, v, first_letter);
    if (v->answer == CLASS_YES) put_yes(&out, c, v);
    if (v->answer == CLASS_UNKNOWN)
        text_printf(&out, "%s more than %llu %s", v->beyond, (unsigned long long)v->most, v->of);
    return text_string(&out);
}
