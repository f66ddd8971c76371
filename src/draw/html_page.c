/* One self-contained page about a run: what the model is, the string with its subformulas, then layer by layer what
   the heads attend to. It asks the network for nothing, and its security policy says so. */
#include "answer/proved.h"
#include "base/sha256.h"
#include "draw/html.h"

#include <string.h>

enum {
    LONGEST = 2048, /* positions */
    MOST_HEADS = 1000,
    LETTER_SHOWN = 120 /* characters of a token: it stands in every cell */
};

static const char what[] = "a page";

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

static void put_head(html_page *p) {
    html *h = &p->out;
    const char *css = html_style(p->arena, false), *source = html_short_source(p);
    text policy, title;
    text_init(&policy, p->arena);
    text_init(&title, p->arena);
    text_puts(&policy, "default-src 'none'; img-src data:; style-src ");
    put_digest(&policy, css);
    text_puts(&policy, "; script-src ");
    put_digest(&policy, html_script());
    text_printf(&title, "%s on %s - temper", source ? source : "transformer",
                p->map.n ? html_string_text(p) : "the empty string");
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
    html_put_heading(p);
    html_put_words(p);
    html_put_verdict(p);
    html_put_summary(p);
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
    html_put_verdict(p);
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
