/* Automata as tables that read back, as JSON and for Graphviz. */
#include <string.h>

#include "automata/dfa_table.h"
#include "base/json_write.h"
#include "decide/automaton.h"

static const char *const answers[] = {[CLASS_NO] = "no", [CLASS_YES] = "yes", [CLASS_UNKNOWN] = "unknown"};

static void print_table(text *out, const temper_automaton *m) {
    const dfa *d = m->d;
    text_printf(out, "-- the minimal automaton: %u state%s, %u letter%s in %u class%s\n", d->state_count,
                d->state_count == 1 ? "" : "s", d->letter_count, d->letter_count == 1 ? "" : "s", d->class_count,
                d->class_count == 1 ? "" : "es");
    if (m->dead != UINT32_MAX && m->dead != d->start)
        text_printf(
            out, "-- q%u is not shown: nothing is accepted from there, and moves that are not written lead to it\n",
            m->dead);
    for (int c = 0; c < LANGUAGE_CLASSES; c++)
        text_printf(out, "-- %-18s %s%s%s\n", language_class_name((language_class)c), answers[m->verdicts[c].answer],
                    *m->because[c] ? ": " : "", m->because[c]);
    if (m->letters.tokens) text_puts(out, "tokens yes\n");
    text_puts(out, "alphabet ");
    dfa_print_label(out, d, &m->letters, DFA_ANYWHERE, 0);
    text_putc(out, '\n');
    dfa_print_table(out, d, &m->letters);
}

static void print_json(text *out, const temper_automaton *m) {
    const dfa *d = m->d;
    text_printf(out, "{\"states\":%u,\"classes\":%u,\"start\":%u,\"dead\":", d->state_count, d->class_count,
                d->start);
    if (m->dead == UINT32_MAX)
        text_puts(out, "null");
    else
        text_printf(out, "%u", m->dead);
    text_puts(out, ",\"letters\":[");
    for (uint32_t k = 0; k < d->letter_count; k++) {
        if (k) text_putc(out, ',');
        jwrite_string(out, m->letters.letters[k], strlen(m->letters.letters[k]));
    }
    text_puts(out, "],\"class_of\":[");
    for (uint32_t k = 0; k < d->letter_count; k++) text_printf(out, "%s%u", k ? "," : "", d->class_of[k]);
    text_puts(out, "],\"accepts\":[");
    for (uint32_t s = 0; s < d->state_count; s++)
        text_printf(out, "%s%s", s ? "," : "", d->accepts[s] ? "true" : "false");
    text_puts(out, "],\"next\":[");
    for (uint32_t s = 0; s < d->state_count; s++) {
        text_puts(out, s ? ",[" : "[");
        for (uint32_t c = 0; c < d->class_count; c++) text_printf(out, "%s%u", c ? "," : "", dfa_next(d, s, c));
        text_putc(out, ']');
    }
    text_puts(out, "],\"language\":{");
    for (int c = 0; c < LANGUAGE_CLASSES; c++) {
        static const char *const holds[] = {[CLASS_NO] = "false", [CLASS_YES] = "true", [CLASS_UNKNOWN] = "null"};
        text_printf(out, "%s\"%s\":{\"holds\":%s,\"because\":", c ? "," : "", language_class_name((language_class)c),
                    holds[m->verdicts[c].answer]);
        jwrite_string(out, m->because[c], strlen(m->because[c]));
        text_putc(out, '}');
    }
    text_puts(out, "}}");
}

/* A string of Graphviz: quotes and backslashes escaped. */
static void put_quoted(text *out, const char *string) {
    text_putc(out, '"');
    for (const char *c = string; *c; c++) {
        if (*c == '"' || *c == '\\') text_putc(out, '\\');
        text_putc(out, *c);
    }
    text_putc(out, '"');
}

static void print_dot(text *out, const temper_automaton *m) {
    const dfa *d = m->d;
    bool *done = arena_alloc(out->arena, d->class_count, sizeof *done);
    text_puts(out, "digraph automaton {\n    rankdir=LR;\n    node [shape=circle];\n    start [shape=point];\n");
    for (uint32_t s = 0; s < d->state_count; s++) {
        text_printf(out, "    q%u", s);
        if (d->accepts[s]) text_puts(out, " [shape=doublecircle]");
        if (s == m->dead) text_puts(out, " [color=gray, fontcolor=gray]");
        text_puts(out, ";\n");
    }
    text_printf(out, "    start -> q%u;\n", d->start);
    for (uint32_t s = 0; s < d->state_count; s++) {
        memset(done, 0, d->class_count * sizeof *done);
        for (uint32_t c = 0; c < d->class_count; c++) {
            uint32_t to = dfa_next(d, s, c);
            if (done[c]) continue;
            for (uint32_t e = c; e < d->class_count; e++) done[e] |= dfa_next(d, s, e) == to;
            text label;
            text_init(&label, out->arena);
            dfa_print_label(&label, d, &m->letters, s, to);
            text_printf(out, "    q%u -> q%u [label=", s, to);
            put_quoted(out, text_string(&label));
            text_puts(out, to == m->dead ? ", color=gray, fontcolor=gray];\n" : "];\n");
        }
    }
    text_puts(out, "}\n");
}

/* Labels are looked up letter by letter: states times classes times letters. */
#define LABEL_WORK ((uint64_t)1 << 30)

void automaton_print(text *out, const temper_automaton *m, temper_automaton_format format) {
    const dfa *d = m->d;
    if (format != TEMPER_AUTOMATON_JSON && (uint64_t)d->state_count * d->class_count > LABEL_WORK / d->letter_count)
        trap_raise(out->arena->trap, TEMPER_LIMIT, 0, 0,
                   "%u states and %u letters are too many for a table with labels", d->state_count, d->letter_count);
    switch (format) {
    case TEMPER_AUTOMATON_TABLE: print_table(out, m); break;
    case TEMPER_AUTOMATON_JSON: print_json(out, m); break;
    case TEMPER_AUTOMATON_DOT: print_dot(out, m); break;
    }
}
