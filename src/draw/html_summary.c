/* What a page says before the string: title, answer, facts and proofs. */
#include "answer/proved.h"
#include "draw/html.h"

#include <string.h>

enum {
    STRING_SHOWN = 200,  /* letters in headings */
    SOURCE_SHOWN = 120,  /* characters of a specification in the heading */
    LETTERS_SHOWN = 100, /* of the alphabet */
    SOURCE_LINES = 1000
};

/* 1099511627775 as 1,099,511,627,775 */
static const char *grouped(arena *a, size_t x) {
    text digits, t;
    text_init(&digits, a);
    text_init(&t, a);
    text_printf(&digits, "%zu", x);
    for (size_t k = 0; k < digits.length; k++) {
        if (k && (digits.length - k) % 3 == 0) text_putc(&t, ',');
        text_putc(&t, digits.data[k]);
    }
    return text_string(&t);
}

const char *html_string_text(const html_page *p) {
    text t;
    text_init(&t, p->arena);
    for (size_t k = 1; k <= p->map.n && k <= STRING_SHOWN; k++) {
        if (p->map.about.tokens && k > 1) text_putc(&t, ' ');
        text_puts(&t, p->letters[k]);
    }
    if (p->map.n > STRING_SHOWN) text_puts(&t, "\u2026");
    return text_string(&t);
}

const char *html_short_source(const html_page *p) {
    const char *source = p->map.about.source;
    size_t length = strlen(source);
    while (length && (source[length - 1] == '\n' || source[length - 1] == ' ')) length--;
    const char *line = arena_copy(p->arena, source, length);
    return length && !strchr(line, '\n') && length <= SOURCE_SHOWN ? label_shown(p->arena, line) : NULL;
}

static void put_term(html *h, const char *term) {
    html_element(h, "dt", NULL, term);
    markup_open(h, "dd");
}

/* The formula as a sentence, where the model carries one. */
void html_put_words(html_page *p) {
    temper_spec *spec = NULL;
    char *words = NULL;
    if (temper_model_spec(&spec, p->model, NULL) == TEMPER_OK && temper_spec_words(&words, spec, NULL) == TEMPER_OK &&
        *words)
        html_element(&p->out, "p", "words", label_shown(p->arena, words));
    temper_free(words);
    temper_spec_free(spec);
}

void html_put_heading(html_page *p) {
    html *h = &p->out;
    const char *source = html_short_source(p), *all = p->map.about.source;
    markup_open(h, "h1");
    if (source)
        html_element(h, "code", NULL, source);
    else
        markup_put(h, *all ? "A transformer for this specification" : "A transformer without a specification");
    html_close(h);
    if (source || !*all) return;
    markup_open(h, "pre");
    size_t lines = 0;
    for (const char *at = all; *at; lines++) {
        size_t length = strcspn(at, "\n");
        if (lines == SOURCE_LINES) {
            markup_put(h, "\u2026");
            break;
        }
        markup_put(h, text_escaped(p->arena, at, length, 0));
        at += length + (at[length] == '\n');
        if (*at) markup_raw(h, "\n");
    }
    html_close(h);
}

/* What a transducer writes, as far as exactly one output holds at each position. */
static void put_written(html_page *p) {
    html *h = &p->out;
    char *written;
    size_t length;
    temper_error e;
    if (temper_run_write(&written, &length, p->run, p->model, &e)) {
        html_element(h, "span", "badge no", e.text);
        return;
    }
    html_element(h, "span", NULL, "\u25CF writes");
    markup_raw(h, " ");
    html_element(h, "code", NULL, text_escaped(p->arena, written, length, 0));
    temper_free(written);
    markup_raw(h, " ");
    html_element(h, "span", NULL, "for");
}

/* The letters that may come after the string, and whether it may end. */
static void put_coming(html_page *p) {
    enum { SHOWN = 40 };
    text t;
    size_t outputs = p->map.about.outputs, count = 0, last = p->map.n;
    text_init(&t, p->arena);
    for (size_t k = 0; k < outputs; k++) {
        const char *name = temper_model_output_name(p->model, k);
        if (!temper_run_output(p->run, k)[last] || ++count > SHOWN) continue;
        text_printf(&t, "%s%s", t.length ? " " : "",
                    *name ? text_escaped(p->arena, name, strlen(name), 0) : "the end");
    }
    if (count > SHOWN) text_printf(&t, " \u2026 (%zu in all)", count);
    html_element(&p->out, "span", NULL, count ? "\u25CF next" : "\u25CB nothing may come");
    if (count) {
        markup_raw(&p->out, " ");
        html_element(&p->out, "code", NULL, text_string(&t));
    }
    markup_raw(&p->out, " ");
    html_element(&p->out, "span", NULL, "after");
}

/* 1: the answer is the formula's; 0: it is not; -1: the formula is not known, or there is no such answer. */
static int is_right(const html_page *p) {
    const truth_row *root = p->row_count ? &p->rows[p->row_count - 1] : NULL;
    size_t at = html_verdict_position(p);
    if (p->map.about.kind != TEMPER_KIND_ACCEPTOR || !root || !root->truth || !at) return -1;
    return root->truth[at - 1] == temper_run_about(p->run).truth[at];
}

/* The largest error of any head before rounding; -1: none has one. */
static double largest_error(const html_page *p) {
    double largest = -1;
    for (size_t k = 0; k < p->map.panel_count && !p->is_hard; k++) {
        double error = temper_run_head(p->run, p->map.panels[k].layer, p->map.panels[k].head).error;
        if (error > largest) largest = error;
    }
    return largest;
}

static void put_fact(html *h, const char *name, const char *fact) {
    html_element(h, "dt", NULL, name);
    html_element(h, "dd", NULL, fact);
}

/* What the transformer says, whether that is right and proved, and by how much. */
void html_put_verdict(html_page *p) {
    html *h = &p->out;
    temper_run_info about = temper_run_about(p->run);
    int right = is_right(p);
    bool proved = about.claim != TEMPER_CLAIM_NONE;
    double error = largest_error(p);
    text number;
    text_init(&number, p->arena);
    markup_open(h, "div");
    markup_string(h, "class", right == 0 ? "verdict wrong" : proved ? "verdict proved" : "verdict");
    markup_open(h, "p");
    markup_string(h, "class", "big");
    if (p->map.about.kind == TEMPER_KIND_TRANSDUCER)
        put_written(p);
    else if (p->map.about.kind == TEMPER_KIND_NEXT)
        put_coming(p);
    else
        html_element(h, "span", NULL, about.accept ? "\u25CF accepts" : "\u25CB rejects");
    if (p->map.n)
        html_element(h, "code", NULL, html_string_text(p));
    else
        html_element(h, "span", NULL, "the empty string");
    if (right >= 0) html_element(h, "span", right ? "badge ok" : "badge no", right ? "\u2713 right" : "\u2717 wrong");
    html_element(h, "span", proved ? "badge ok" : "badge un", proved ? "proved" : "not proved");
    html_close(h);
    markup_open(h, "dl");
    if (error < 0)
        text_puts(&number, p->is_hard ? "none: hard" : "\u2013");
    else
        label_number(&number, error, 3);
    put_fact(h, "largest error before rounding", text_string(&number));
    put_fact(h, "numbers", temper_type_name(about.type));
    put_fact(h, p->map.about.tokens ? "tokens" : "letters", grouped(p->arena, p->map.n));
    html_close(h);
    html_close(h);
}

static void put_alphabet(html_page *p) {
    html *h = &p->out;
    put_term(h, "alphabet");
    for (size_t k = 0; k < p->map.about.letters && k < LETTERS_SHOWN; k++) {
        if (k) markup_put(h, " ");
        html_element(h, "code", NULL, label_shown(p->arena, temper_model_letter(p->model, k)));
    }
    if (p->map.about.letters > LETTERS_SHOWN) html_print(h, " \u2026 (%zu in all)", p->map.about.letters);
    if (p->map.about.other < p->map.about.letters) {
        markup_put(h, "; others are read as ");
        html_element(h, "code", NULL, label_shown(p->arena, temper_model_letter(p->model, p->map.about.other)));
    }
    html_close(h);
}

/* What is proved of the model, then what that means for this run. */
static void put_proof(html_page *p) {
    html *h = &p->out;
    static const temper_type types[] = {TEMPER_TYPE_F64, TEMPER_TYPE_F32, TEMPER_TYPE_BF16_F32};
    temper_claim claim = temper_run_about(p->run).claim;
    put_term(h, "proved length");
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        temper_proof proof = proved_longest(p->model, types[k], p->is_hard, p->arena->trap);
        html_print(h, "%s%s: ", k ? "; " : "", temper_type_name(types[k]));
        if (proof.claim == TEMPER_CLAIM_NONE) {
            markup_put(h, "none");
        } else {
            /* the longest that bounds are stated for, as the next line has it */
            const char *length = proof.length == TEMPER_LONGEST ? "2^40" : grouped(p->arena, proof.length);
            html_print(h, "%s (%s", length, temper_claim_name(proof.claim));
            markup_put(h, proof.every_position ? ")" : ", the verdict only)");
        }
    }
    html_close(h);
    temper_proof first = proved_longest(p->model, types[0], p->is_hard, p->arena->trap);
    put_term(h, "what limits it in f64");
    markup_put(h, label_shown(p->arena, first.obstacle));
    html_close(h);
    put_term(h, "this run");
    markup_put(h, p->is_hard ? "hard attention, " : "softmax attention, ");
    html_print(h, "numbers in %s, length %zu: ", temper_type_name(temper_run_about(p->run).type), p->map.n);
    if (claim == TEMPER_CLAIM_NONE)
        markup_put(h, "not proved");
    else if (first.claim == TEMPER_CLAIM_NONE || p->map.n > first.length)
        markup_put(h, "computed exactly, ties included");
    else
        html_print(h, "proved (%s)", temper_claim_name(claim));
    if (*temper_run_about(p->run).warning) {
        markup_put(h, "; ");
        markup_put(h, label_shown(p->arena, temper_run_about(p->run).warning));
    }
    html_close(h);
}

void html_put_summary(html_page *p) {
    html *h = &p->out;
    const temper_model_info *about = &p->map.about;
    static const char *const syntaxes[] = {"formula", "C-RASP", "B-RASP", "regular expression", "automaton"};
    static const char *const methods[] = {
        [TEMPER_METHOD_HARD] = "hard attention, not softened",
        [TEMPER_METHOD_TEMPERATURE] = "temperature: softmax is made sharp by scales that grow with the length",
        [TEMPER_METHOD_POSITIONS] = "positions: softmax is made sharp by growing position features",
        [TEMPER_METHOD_DIGITS] =
            "digits: softmax is made sharp by the digits of positions, which short number formats hold",
    };
    markup_open(h, "dl");
    markup_string(h, "class", "facts");
    if (*about->source) {
        put_term(h, "written as");
        markup_put(h, syntaxes[about->syntax]);
        html_close(h);
    }
    put_alphabet(p);
    if (about->kind == TEMPER_KIND_ACCEPTOR) {
        put_term(h, "read at");
        markup_put(h, about->at == TEMPER_AT_FIRST ? "the first position" : "the last position");
        markup_put(h, about->accepts_empty ? "; the empty string is accepted" : "; the empty string is rejected");
    } else {
        put_term(h, "outputs");
        html_print(h, "%zu, at every position; %s", about->outputs,
                   about->kind == TEMPER_KIND_NEXT ? "a language model: the letters that may come, and the end"
                                                   : "a transducer: the one that holds is written");
    }
    html_close(h);
    put_term(h, "method");
    markup_put(h, methods[about->method]);
    html_close(h);
    put_term(h, "size");
    html_print(h, "%zu layer%s, %zu head%s, width %zu, ", about->layers, about->layers == 1 ? "" : "s", about->heads,
               about->heads == 1 ? "" : "s", about->channels);
    html_print(h, "%zu hidden unit%s, %zu parameters", about->hidden, about->hidden == 1 ? "" : "s",
               about->parameters);
    html_close(h);
    put_proof(p);
    html_close(h);
}
