/* The page of all experiments: self-contained, no script, no network; figures first, each with its claims; tables
   folded. */
#include "lab/lab.h"

#include "draw/html.h"

#include <stdio.h>
#include <string.h>

enum { PAGE_ROWS = 200 }; /* of a table; the CSV has all */

static const char style[] =
    ":root{color-scheme:light dark;--page:#fff;--ink:#1d1f24;--soft:#5c6270;--line:#d5d8df;--head:#f4f5f8;"
    "--yes:#00664a;--no:#b3261e;--link:#0b57a4}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,sans-serif}\n"
    "main{max-width:66rem;margin:0 auto;padding:1.5rem 1.25rem 5rem}\n"
    "h1{font-size:1.9rem;line-height:1.2;margin:.5rem 0}\n"
    "h2{font-size:1.45rem;line-height:1.25;margin:3.5rem 0 .3rem;padding-top:.8rem;border-top:3px solid var(--ink)}\n"
    "h3{font-size:1.05rem;margin:1.6rem 0 .2rem}\n"
    "p{margin:.4rem 0 .8rem;max-width:46rem}\n"
    "a{color:var(--link)}\n"
    "code,pre{font-family:ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;font-size:.88em}\n"
    "pre{margin:.3rem 0;padding:.4rem .7rem;background:var(--head);border-radius:4px;overflow:auto}\n"
    "figure{margin:1.4rem 0 2.4rem}\n"
    "figure svg{display:block;max-width:100%;height:auto;margin:0 auto}\n"
    "figcaption{max-width:46rem}\n"
    "ul.claims{list-style:none;margin:.6rem 0;padding:0;max-width:52rem}\n"
    "ul.claims li{padding:.1rem 0 .1rem 1.6rem;margin:.45rem 0;position:relative;border-left:0}\n"
    "ul.claims li::before{content:'\\2713';position:absolute;left:.2rem;color:var(--yes);font-weight:700}\n"
    "ul.claims li.no::before{content:'\\2717';color:var(--no)}\n"
    "ul.claims li.no b{color:var(--no)}\n"
    "ul.claims b{font-weight:600}\n"
    ".measured{color:var(--soft);display:block;font-size:.92rem;overflow-wrap:anywhere}\n"
    ".lead{color:var(--soft)}\n"
    "details{margin:.5rem 0;border:1px solid var(--line);border-radius:4px;max-width:100%}\n"
    "summary{cursor:pointer;padding:.35rem .7rem;font-weight:600}\n"
    "details[open]>summary{border-bottom:1px solid var(--line)}\n"
    ".scroll{overflow:auto;max-height:34rem}\n"
    "table{border-collapse:collapse;font-size:.88rem}\n"
    "th,td{padding:.2rem .6rem;text-align:left;border-bottom:1px solid var(--line);vertical-align:top}\n"
    "thead th{position:sticky;top:0;background:var(--head)}\n"
    "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}\n"
    "table.sum{margin:1rem 0;font-size:1rem}\n"
    ".yes{color:var(--yes)}\n"
    ".no{color:var(--no);font-weight:700}\n"
    ".small{font-size:.88rem;color:var(--soft);padding:0 .7rem}\n"
    "@media (prefers-color-scheme:dark){:root{--page:#16181c;--ink:#e4e6ea;--soft:#a2a8b4;--line:#363a43;"
    "--head:#21242a;--yes:#5ad1a4;--no:#ff8a80;--link:#8ab8ff}"
    "figure svg{filter:invert(.915) hue-rotate(180deg)}}\n"
    "@media print{:root{color-scheme:light}body{font-size:10.5pt}main{max-width:none;padding:0}"
    "figure svg{break-inside:avoid;max-height:21cm}ul.claims "
    "li{break-inside:avoid}h3{break-after:avoid}h2{break-before:page}"
    "details:not([open]),.tables{display:none}a{color:inherit}"
    ".scroll{max-height:none;overflow:visible}}\n";

static void put_claims(html *h, const lab *l, const char *figure) {
    size_t count = 0;
    for (size_t k = 0; k < l->claim_count; k++) {
        const lab_claim *c = &l->claims[k];
        if (strcmp(c->figure, figure) != 0) continue;
        if (!count++) {
            markup_open(h, "ul");
            markup_string(h, "class", "claims");
        }
        markup_open(h, "li");
        markup_string(h, "class", c->holds ? "holds" : "no");
        html_element(h, "b", NULL, c->text);
        if (!c->holds) markup_put(h, " – does not hold");
        html_element(h, "span", "measured", c->measured);
        html_close(h);
    }
    if (count) html_close(h);
}

static void put_cell(html *h, lab_type type, const lab_cell *cell, arena *a) {
    text t;
    markup_open(h, "td");
    if (type == LAB_NUMBER || type == LAB_COUNT) markup_string(h, "class", "n");
    switch (type) {
    case LAB_TEXT: markup_put(h, cell->text); break;
    case LAB_NUMBER:
        text_init(&t, a);
        lab_number_text(&t, cell->number);
        markup_put(h, text_string(&t));
        break;
    case LAB_COUNT: html_print(h, "%llu", (unsigned long long)cell->count); break;
    case LAB_FLAG: markup_put(h, cell->flag ? "yes" : "no"); break;
    }
    html_close(h);
}

static void put_table(html *h, const lab *l, const lab_table *t, arena *a) {
    size_t rows = lab_rows(t), shown = rows < t->shown ? rows : t->shown;
    if (shown > PAGE_ROWS) shown = PAGE_ROWS;
    markup_open(h, "details");
    markup_open(h, "summary");
    markup_put(h, t->title);
    html_print(h, " (%zu row%s)", rows, rows == 1 ? "" : "s");
    html_close(h);
    if (shown) {
        markup_open(h, "div");
        markup_string(h, "class", "scroll");
        markup_open(h, "table");
        markup_open(h, "thead");
        markup_open(h, "tr");
        for (size_t c = 0; c < t->column_count; c++) {
            markup_open(h, "th");
            if (t->columns[c].type == LAB_NUMBER || t->columns[c].type == LAB_COUNT) markup_string(h, "class", "n");
            markup_string(h, "title", t->columns[c].about);
            markup_put(h, t->columns[c].name);
            html_close(h);
        }
        html_close(h);
        html_close(h);
        markup_open(h, "tbody");
        for (size_t r = 0; r < shown; r++) {
            markup_open(h, "tr");
            for (size_t c = 0; c < t->column_count; c++) put_cell(h, t->columns[c].type, lab_cell_at(t, r, c), a);
            html_close(h);
        }
        html_close(h);
        html_close(h);
        html_close(h);
    }
    markup_open(h, "p");
    markup_string(h, "class", "small");
    markup_put(h, shown == rows ? "Data: " : shown ? "The first rows; all data: " : "Data: ");
    markup_open(h, "a");
    html_format(h, "href", "%s-%s.csv", l->experiment->name, t->name);
    html_print(h, "%s-%s.csv", l->experiment->name, t->name);
    html_close(h);
    markup_put(h, ". Columns: ");
    for (size_t c = 0; c < t->column_count; c++) {
        markup_put(h, c ? "; " : "");
        markup_put(h, t->columns[c].name);
        markup_put(h, ": ");
        markup_put(h, t->columns[c].about);
    }
    markup_put(h, ".");
    html_close(h);
    html_close(h);
}

/* The picture without the line that only files of their own have, and with names of parts that no other picture of
   the page has: where it clips is said by id="..." and ="url(#...)", and nowhere else: in text quotes are escaped. */
static const char *svg_element(const char *svg, const char *prefix, arena *a) {
    const char *at = strstr(svg, "<svg");
    text t;
    text_init(&t, a);
    for (at = at ? at : svg; *at;) {
        size_t mark = !strncmp(at, " id=\"", 5) ? 5 : !strncmp(at, "=\"url(#", 7) ? 7 : 0;
        text_add(&t, at, mark ? mark : 1);
        if (mark) text_printf(&t, "%s-", prefix);
        at += mark ? mark : 1;
    }
    return text_string(&t);
}

static void put_figure(html *h, const lab *l, const lab_figure *f, arena *a) {
    text prefix;
    text_init(&prefix, a);
    text_printf(&prefix, "%s-%s", l->experiment->name, f->name);
    markup_open(h, "figure");
    markup_string(h, "id", text_string(&prefix));
    markup_open(h, "div");
    markup_raw(h, svg_element(f->svg, text_string(&prefix), a));
    html_close(h);
    markup_open(h, "figcaption");
    put_claims(h, l, f->name);
    html_close(h);
    html_close(h);
}

static bool has_figure(const lab *l, const char *name) {
    for (size_t k = 0; k < l->figure_count; k++)
        if (!strcmp(l->figures[k].name, name)) return true;
    return false;
}

const char *lab_section(arena *a, const lab *l) {
    html h = {.depth = 0};
    text_init(&h.out, a);
    const lab_experiment *e = l->experiment;
    for (size_t k = 0; k < l->claim_count; k++)
        if (*l->claims[k].figure && !has_figure(l, l->claims[k].figure))
            trap_raise(a->trap, TEMPER_RANGE, 0, 0, "lab %s: a claim is about a figure '%s', which there is not",
                       e->name, l->claims[k].figure);
    markup_open(&h, "section");
    markup_string(&h, "id", e->name);
    html_element(&h, "h2", NULL, e->prose->title);
    html_element(&h, "p", "lead", e->prose->text);
    markup_open(&h, "pre");
    text command;
    text_init(&command, a);
    lab_command(&command, l);
    markup_put(&h, text_string(&command));
    html_close(&h);
    for (size_t k = 0; k < l->figure_count; k++) put_figure(&h, l, &l->figures[k], a);
    bool more = false;
    for (size_t k = 0; k < l->claim_count; k++) more |= !*l->claims[k].figure;
    if (more) {
        html_element(&h, "h3", NULL, l->figure_count ? "Checked as well" : "What was checked");
        put_claims(&h, l, "");
    }
    for (size_t k = 0; k < l->note_count; k++) {
        html_element(&h, "h3", NULL, l->notes[k].title);
        html_element(&h, "p", NULL, l->notes[k].text);
    }
    if (l->table_count) html_element(&h, "h3", "tables", "Tables");
    for (size_t k = 0; k < l->table_count; k++) put_table(&h, l, l->tables[k], a);
    html_close(&h);
    return text_string(&h.out);
}

static void put_summary(html *h, const lab_outcome *outcomes) {
    markup_open(h, "table");
    markup_string(h, "class", "sum");
    markup_raw(h, "<thead><tr><th>question</th><th class=\"n\">claims</th><th>outcome</th></tr></thead>");
    markup_open(h, "tbody");
    for (size_t k = 0; lab_experiments[k]; k++) {
        markup_open(h, "tr");
        markup_open(h, "td");
        markup_open(h, "a");
        html_format(h, "href", "#%s", lab_experiments[k]->name);
        markup_put(h, lab_experiments[k]->prose->title);
        html_close(h);
        html_close(h);
        markup_open(h, "td");
        markup_string(h, "class", "n");
        html_print(h, "%zu", outcomes[k].claims);
        html_close(h);
        markup_open(h, "td");
        markup_string(h, "class", outcomes[k].failed ? "no" : "yes");
        if (outcomes[k].failed)
            html_print(h, "%zu %s not hold", outcomes[k].failed, outcomes[k].failed == 1 ? "does" : "do");
        else
            markup_put(h, "all hold");
        html_close(h);
        html_close(h);
    }
    html_close(h);
    html_close(h);
}

const char *lab_page(arena *a, const char *const *parts, const lab_outcome *outcomes, uint64_t seed, bool quick) {
    html h = {.depth = 0};
    text_init(&h.out, a);
    markup_raw(&h, "<!DOCTYPE html>\n");
    markup_open(&h, "html");
    markup_string(&h, "lang", "en");
    markup_string(&h, "xmlns", "http://www.w3.org/1999/xhtml");
    markup_open(&h, "head");
    markup_raw(&h,
               "<meta charset=\"utf-8\"/><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>"
               "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
               "'unsafe-inline'\"/><title>temper lab</title>");
    markup_open(&h, "style");
    markup_raw(&h, style);
    html_close(&h);
    html_close(&h);
    markup_open(&h, "body");
    markup_open(&h, "main");
    html_element(&h, "h1", NULL, "Hard attention from softmax: the experiments");
    html_element(&h, "p", "lead",
                 "When does a softmax transformer do exactly what a hard-attention transformer does, and what breaks "
                 "it? Each figure below stands above the claims it shows; a claim has been checked by the run that "
                 "drew the figure, and what was measured stands under it.");
    put_summary(&h, outcomes);
    html_element(&h, "p", NULL, "All of it is made again, byte for byte, by");
    markup_open(&h, "pre");
    html_print(&h, "temper lab all --seed %llu%s -o DIR", (unsigned long long)seed, quick ? " --quick" : "");
    html_close(&h);
    markup_open(&h, "p");
    markup_string(&h, "class", "lead");
    html_print(&h, "temper %s, seed %llu%s. Tables are folded; files beside this page hold all numbers.",
               temper_version(), (unsigned long long)seed,
               quick ? ", the quick version: shorter strings and fewer repeats, the same claims" : "");
    html_close(&h);
    for (size_t k = 0; lab_experiments[k]; k++) markup_raw(&h, parts[k]);
    html_close(&h);
    html_close(&h);
    html_close(&h);
    return text_string(&h.out);
}
