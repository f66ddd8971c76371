/* One self-contained page about a run: what the model is, the string with its subformulas, then layer by layer what
   the heads attend to. It asks the network for nothing, and its security policy says so. */
#include "answer/proved.h"
#include "base/sha256.h"
#include "draw/html.h"

#include <string.h>

enum {
    LONGEST = 2048, /* positions */
    MOST_HEADS = 1000,
    STRING_SHOWN = 200,  /* letters in headings */
    SOURCE_SHOWN = 120,  /* characters of a specification in the heading */
    LETTERS_SHOWN = 100, /* of the alphabet */
    LETTER_SHOWN = 120,  /* characters of a token: it stands in every cell */
    SOURCE_LINES = 1000
};

static const char what[] = "a page";

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

/* ---- head ---- */

static void put_base64(text *t, const unsigned char *bytes, size_t length) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t k = 0; k < length; k += 3) {
        size_t left = length - k;
        unsigned long group = (unsigned long)bytes[k] << 16 | (left > 1 ? (unsigned long)bytes[k + 1] << 8 : 0) |
                              (left > 2 ? bytes[k + 2] : 0);
        text_putc(t, digits[group >> 18]);
        text_putc(t, digits[group >> 12 & 63]);
        text_putc(t, left > 1 ? digits[group >> 6 & 63] : '=');
        text_putc(t, left > 2 ? digits[group & 63] : '=');
    }
}

static void put_digest(text *t, const char *bytes) {
    sha256 hash;
    unsigned char digest[SHA256_SIZE];
    sha256_start(&hash);
    sha256_add(&hash, bytes, strlen(bytes));
    sha256_finish(digest, &hash);
    text_puts(t, "'sha256-");
    put_base64(t, digest, sizeof digest);
    text_putc(t, '\'');
}

static const char *string_text(const html_page *p) {
    text t;
    text_init(&t, p->arena);
    for (size_t k = 1; k <= p->map.n && k <= STRING_SHOWN; k++) {
        if (p->map.about.tokens && k > 1) text_putc(&t, ' ');
        text_puts(&t, p->letters[k]);
    }
    if (p->map.n > STRING_SHOWN) text_puts(&t, "\u2026");
    return text_string(&t);
}

/* The specification if it is one short line, else NULL. */
static const char *short_source(const html_page *p) {
    const char *source = p->map.about.source;
    size_t length = strlen(source);
    while (length && (source[length - 1] == '\n' || source[length - 1] == ' ')) length--;
    const char *line = arena_copy(p->arena, source, length);
    return length && !strchr(line, '\n') && length <= SOURCE_SHOWN ? label_shown(p->arena, line) : NULL;
}

static void put_head(html_page *p) {
    html *h = &p->out;
    const char *css = html_style(p->arena, false), *source = short_source(p);
    text policy, title;
    text_init(&policy, p->arena);
    text_init(&title, p->arena);
    text_puts(&policy, "default-src 'none'; img-src data:; style-src ");
    put_digest(&policy, css);
    text_puts(&policy, "; script-src ");
    put_digest(&policy, html_script());
    text_printf(&title, "%s on %s - temper", source ? source : "transformer",
                p->map.n ? string_text(p) : "the empty string");
    markup_open(h, "head");
    markup_empty(h, "meta");
    markup_string(h, "charset", "utf-8");
    markup_empty(h, "meta");
    markup_string(h, "http-equiv", "Content-Security-Policy");
    markup_string(h, "content", text_string(&policy));
    markup_empty(h, "meta");
    markup_string(h, "name", "viewport");
    markup_string(h, "content", "width=device-width, initial-scale=1");
    markup_empty(h, "link");
    markup_string(h, "rel", "icon");
    markup_string(h, "href", "data:,");
    html_element(h, "title", NULL, text_string(&title));
    markup_open(h, "style");
    markup_raw(h, css);
    html_close(h);
    html_close(h);
}

/* ---- summary ---- */

static void put_term(html *h, const char *term) {
    html_element(h, "dt", NULL, term);
    markup_open(h, "dd");
}

/* The formula as a sentence, where the model carries one. */
static void put_words(html_page *p) {
    temper_spec *spec = NULL;
    char *words = NULL;
    if (temper_model_spec(&spec, p->model, NULL) == TEMPER_OK && temper_spec_words(&words, spec, NULL) == TEMPER_OK &&
        *words)
        html_element(&p->out, "p", "words", label_shown(p->arena, words));
    temper_free(words);
    temper_spec_free(spec);
}

static void put_heading(html_page *p) {
    html *h = &p->out;
    const char *source = short_source(p), *all = p->map.about.source;
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
static void put_verdict(html_page *p) {
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
        html_element(h, "code", NULL, string_text(p));
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

static void put_summary(html_page *p) {
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

/* ---- what is left out, and what is odd ---- */

static void put_note(html_page *p, const char *note) {
    markup_open(&p->out, "p");
    markup_string(&p->out, "class", "warning");
    markup_put(&p->out, note);
    html_close(&p->out);
}

static void put_limits(html_page *p) {
    const char *blocks = heat_map_blocks(&p->map);
    text t;
    text_init(&t, p->arena);
    if (blocks) {
        text_puts(&t, blocks);
        if (p->map.panel_count > 1) text_puts(&t, "; choose one layer or head to see more");
        text_putc(&t, '.');
        put_note(p, text_string(&t));
    }
    if (!html_has_channels(p)) put_note(p, "The channels are left out: they are too many for a page.");
}

static void put_string_section(html_page *p) {
    html *h = &p->out;
    markup_open(h, "section");
    html_element(h, "h2", NULL, "The string and its subformulas");
    markup_open(h, "p");
    if (!p->row_count)
        markup_put(h, "The model does not say which subformulas it computes. ");
    else if (p->compiled)
        markup_put(
            h, "Each subformula is true (\u25CF) or false (\u25CB) at each position, by the meaning of the formula; "
               "beside it, where the transformer computes it. ");
    else if (p->rows[0].truth || !p->map.n)
        html_print(h, "The model carries a specification: its subformulas are true (\u25CF) or false (\u25CB). %s ",
                   p->map.about.parts ? "The heads below compute other formulas with the same answer."
                                      : "Where the transformer computes them is not recorded.");
    else
        markup_put(
            h,
            "True (\u25CF) or false (\u25CB) is what the channel holds; subformulas without a channel are blank. ");
    markup_put(h, p->map.about.kind == TEMPER_KIND_ACCEPTOR
                      ? "The answer row is the transformer's; the verdict is outlined."
                      : "The rows of outputs are the transformer's.");
    if (p->map.about.whole)
        markup_put(h,
                   " The model reads its language from the right: a row of the language, and the answer, says at a "
                   "position whether the letters from there to the end are a word.");
    html_close(h);
    if (p->rows_left_out) {
        text t;
        text_init(&t, p->arena);
        text_printf(&t, "%zu inner subformulas are left out: they are too many for a page.", p->rows_left_out);
        put_note(p, text_string(&t));
    }
    html_put_string(p);
    if (p->differences) {
        text t;
        text_init(&t, p->arena);
        text_printf(&t, "The transformer and the formula disagree at %zu place%s, marked \u2260.", p->differences,
                    p->differences == 1 ? "" : "s");
        put_note(p, text_string(&t));
    }
    html_close(h);
}

static void check_size(const heat_map *m, trap *t) {
    heat_map_check_size(t, what, m->size, LONGEST);
    if (m->panel_count > MOST_HEADS)
        trap_raise_hint(t, TEMPER_LIMIT, 0, 0, "choose a layer", "%zu heads are too many for a page: the limit is %d",
                        m->panel_count, MOST_HEADS);
}

static void put_attention(html_page *p) {
    markup_open(&p->out, "section");
    html_element(&p->out, "h2", NULL, "Attention");
    html_put_legend(p);
    put_limits(p);
    if (p->whole && !p->is_part) html_put_channels(p, 0);
    html_close(&p->out);
    html_put_layers(p);
    if (p->broken) put_note(p, "A weight is not a number.");
}

static const char *draw(html_page *p) {
    html *h = &p->out;
    text_init(&h->out, p->arena);
    text_puts(&h->out, "<!DOCTYPE html>\n");
    markup_open(h, "html");
    markup_string(h, "lang", "en");
    put_head(p);
    markup_open(h, "body");
    markup_string(h, "class", "temper");
    markup_open(h, "main");
    put_heading(p);
    put_words(p);
    put_verdict(p);
    put_summary(p);
    put_string_section(p);
    put_attention(p);
    markup_open(h, "footer");
    html_print(h, "Made by temper %s. Hover over a cell, or move with the arrow keys, for exact values.",
               temper_version());
    html_close(h);
    html_close(h);
    markup_open(h, "script");
    markup_raw(h, html_script());
    html_close(h);
    while (h->depth) html_close(h);
    return text_string(&h->out);
}

/* One element for a page of others. Its style is inside it, and about nothing outside. */
static const char *draw_part(html_page *p) {
    html *h = &p->out;
    text_init(&h->out, p->arena);
    markup_open(h, "div");
    markup_string(h, "class", "temper card");
    markup_open(h, "style");
    markup_raw(h, html_style(p->arena, true));
    html_close(h);
    put_verdict(p);
    html_put_string(p);
    put_attention(p);
    while (h->depth) html_close(h);
    return text_string(&h->out);
}

static void draw_page(entry *e, void *context) {
    const heat_map_call *c = context;
    const temper_draw_options *o = c->options;
    html_page p = {.arena = &e->memory,
                   .model = c->model,
                   .run = c->run,
                   .hard = o->hard,
                   .whole = !o->layer && !o->head,
                   .is_part = o->part};
    heat_map_make(&p.map, &e->memory, c->model, c->run, c->letters, o);
    if (p.hard && temper_run_about(p.hard).size != p.map.size)
        trap_raise(e->trap, TEMPER_RANGE, 0, 0, "the hard run is one of another string");
    p.is_hard = p.hard == c->run || p.map.about.method == TEMPER_METHOD_HARD;
    if (p.is_hard) p.hard = c->run;
    check_size(&p.map, e->trap);
    p.letters = arena_alloc(&e->memory, p.map.size, sizeof *p.letters);
    for (size_t k = 0; k < p.map.size; k++) {
        const char *letter = heat_map_letter(&p.map, k);
        p.letters[k] = text_escaped(&e->memory, letter, strlen(letter), LETTER_SHOWN);
    }
    html_fit(&p);
    html_find_rows(&p);
    const char *page = p.is_part ? draw_part(&p) : draw(&p);
    *c->out = entry_hand_out(e, page, strlen(page));
}

temper_status temper_draw_html_fits(const temper_model *model, size_t length, temper_error *err) {
    return heat_map_fits(model, length, what, LONGEST, err);
}

temper_status temper_draw_html(char **out, const temper_model *model, const temper_run *run, const uint32_t *letters,
                               const temper_draw_options *options, temper_error *err) {
    heat_map_call call = {out, model, run, letters, options ? options : &heat_map_defaults};
    *out = NULL;
    return entry_run(err, draw_page, &call);
}
