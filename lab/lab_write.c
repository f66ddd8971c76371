/* Results as files: CSV for every table, one JSON object, a one-page report in Markdown, the figures. */
#define _POSIX_C_SOURCE 200809L
#include "lab/lab.h"

#include "base/file_io.h"
#include "base/json_write.h"
#include "base/sha256.h"
#include "draw/label.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

/* A number that reads back to the same double; infinities and NaN as words. */
static void put_number(text *t, double x) {
    if (isnan(x))
        text_puts(t, "nan");
    else
        label_number(t, x, 0);
}

/* ---- CSV: RFC 4180, lines end in \n ---- */

static void csv_text(text *t, const char *string) {
    if (!strpbrk(string, ",\"\n\r")) {
        text_puts(t, string);
        return;
    }
    text_putc(t, '"');
    for (; *string; string++) {
        if (*string == '"') text_putc(t, '"');
        text_putc(t, *string);
    }
    text_putc(t, '"');
}

const char *lab_csv(arena *a, const lab_table *table) {
    text t;
    text_init(&t, a);
    for (size_t c = 0; c < table->column_count; c++) {
        if (c) text_putc(&t, ',');
        csv_text(&t, table->columns[c].name);
    }
    text_putc(&t, '\n');
    for (size_t r = 0; r < lab_rows(table); r++) {
        for (size_t c = 0; c < table->column_count; c++) {
            const lab_cell *cell = lab_cell_at(table, r, c);
            if (c) text_putc(&t, ',');
            switch (table->columns[c].type) {
            case LAB_TEXT: csv_text(&t, cell->text); break;
            case LAB_NUMBER: put_number(&t, cell->number); break;
            case LAB_COUNT: text_printf(&t, "%llu", (unsigned long long)cell->count); break;
            case LAB_FLAG: text_puts(&t, cell->flag ? "1" : "0"); break;
            }
        }
        text_putc(&t, '\n');
    }
    return text_string(&t);
}

/* ---- JSON ---- */

static void json_string(text *t, const char *key, const char *value) {
    if (key) {
        jwrite_string(t, key, strlen(key));
        text_putc(t, ':');
    }
    jwrite_string(t, value, strlen(value));
}

static void json_cell(text *t, lab_type type, const lab_cell *cell) {
    switch (type) {
    case LAB_TEXT: json_string(t, NULL, cell->text); break;
    case LAB_NUMBER:
        if (isnan(cell->number))
            text_puts(t, "null");
        else if (isinf(cell->number))
            text_puts(t, cell->number > 0 ? "\"Infinity\"" : "\"-Infinity\"");
        else
            label_number(t, cell->number, 0);
        break;
    case LAB_COUNT: text_printf(t, "%llu", (unsigned long long)cell->count); break;
    case LAB_FLAG: text_puts(t, cell->flag ? "true" : "false"); break;
    }
}

static void json_table(text *t, const lab_table *table) {
    static const char *const types[] = {"text", "number", "count", "flag"};
    text_putc(t, '{');
    json_string(t, "name", table->name);
    text_putc(t, ',');
    json_string(t, "title", table->title);
    text_puts(t, ",\"columns\":[");
    for (size_t c = 0; c < table->column_count; c++) {
        text_puts(t, c ? ",{" : "{");
        json_string(t, "name", table->columns[c].name);
        text_putc(t, ',');
        json_string(t, "type", types[table->columns[c].type]);
        text_putc(t, ',');
        json_string(t, "about", table->columns[c].about);
        text_putc(t, '}');
    }
    text_puts(t, "],\"rows\":[");
    for (size_t r = 0; r < lab_rows(table); r++) {
        text_puts(t, r ? ",\n[" : "\n[");
        for (size_t c = 0; c < table->column_count; c++) {
            if (c) text_putc(t, ',');
            json_cell(t, table->columns[c].type, lab_cell_at(table, r, c));
        }
        text_putc(t, ']');
    }
    text_puts(t, "]}");
}

const char *lab_json(arena *a, const lab *l) {
    text t;
    text_init(&t, a);
    text_putc(&t, '{');
    json_string(&t, "experiment", l->experiment->name);
    text_putc(&t, ',');
    json_string(&t, "title", l->experiment->prose->title);
    text_putc(&t, ',');
    json_string(&t, "claim", l->experiment->prose->text);
    text_putc(&t, ',');
    json_string(&t, "version", temper_version());
    text_printf(&t, ",\"seed\":%llu,", (unsigned long long)l->seed);
    if (l->seeds) text_printf(&t, "\"seeds\":%llu,", (unsigned long long)l->seeds);
    text_printf(&t, "\"quick\":%s,\"holds\":%s,\n\"claims\":[", l->quick ? "true" : "false",
                lab_holds(l) ? "true" : "false");
    for (size_t k = 0; k < l->claim_count; k++) {
        text_puts(&t, k ? ",\n{" : "\n{");
        json_string(&t, "claim", l->claims[k].text);
        text_putc(&t, ',');
        json_string(&t, "measured", l->claims[k].measured);
        text_putc(&t, ',');
        json_string(&t, "figure", l->claims[k].figure);
        text_printf(&t, ",\"holds\":%s}", l->claims[k].holds ? "true" : "false");
    }
    text_puts(&t, "],\n\"notes\":[");
    for (size_t k = 0; k < l->note_count; k++) {
        text_puts(&t, k ? ",\n{" : "\n{");
        json_string(&t, "title", l->notes[k].title);
        text_putc(&t, ',');
        json_string(&t, "text", l->notes[k].text);
        text_putc(&t, '}');
    }
    text_puts(&t, "],\n\"figures\":[");
    for (size_t k = 0; k < l->figure_count; k++) {
        text_puts(&t, k ? ",\n{" : "\n{");
        json_string(&t, "name", l->figures[k].name);
        text_putc(&t, ',');
        json_string(&t, "title", l->figures[k].title);
        text_putc(&t, ',');
        json_string(&t, "caption", l->figures[k].caption);
        text_printf(&t, ",\"file\":\"%s-%s.svg\"}", l->experiment->name, l->figures[k].name);
    }
    text_puts(&t, "],\n\"tables\":[");
    for (size_t k = 0; k < l->table_count; k++) {
        text_puts(&t, k ? ",\n" : "\n");
        json_table(&t, l->tables[k]);
    }
    text_puts(&t, "]}\n");
    return text_string(&t);
}

/* ---- Markdown ---- */

void lab_command(text *t, const lab *l) {
    if (l->command)
        text_puts(t, l->command);
    else
        text_printf(t, "temper lab %s --seed %llu%s -o DIR", l->experiment->name, (unsigned long long)l->seed,
                    l->quick ? " --quick" : "");
}

static void md_text(text *t, const char *string) {
    for (; *string; string++) {
        if (strchr("|*_<>\\`", *string)) text_putc(t, '\\');
        text_putc(t, *string == '\n' ? ' ' : *string);
    }
}

void lab_number_text(text *t, double x) {
    if (isnan(x))
        text_puts(t, "–");
    else if (isinf(x))
        text_puts(t, x > 0 ? "∞" : "−∞");
    else
        label_number(t, x, 3);
}

static void md_table(text *t, const lab *l, const lab_table *table) {
    size_t rows = lab_rows(table), shown = rows < table->shown ? rows : table->shown;
    text_puts(t, "### ");
    md_text(t, table->title);
    text_puts(t, "\n\n|");
    for (size_t c = 0; c < table->column_count; c++) {
        text_putc(t, ' ');
        md_text(t, table->columns[c].name);
        text_puts(t, " |");
    }
    text_puts(t, "\n|");
    for (size_t c = 0; c < table->column_count; c++)
        text_puts(t,
                  table->columns[c].type == LAB_NUMBER || table->columns[c].type == LAB_COUNT ? " ---: |" : " --- |");
    text_putc(t, '\n');
    for (size_t r = 0; r < shown; r++) {
        text_putc(t, '|');
        for (size_t c = 0; c < table->column_count; c++) {
            const lab_cell *cell = lab_cell_at(table, r, c);
            text_putc(t, ' ');
            switch (table->columns[c].type) {
            case LAB_TEXT: md_text(t, cell->text); break;
            case LAB_NUMBER: lab_number_text(t, cell->number); break;
            case LAB_COUNT: text_printf(t, "%llu", (unsigned long long)cell->count); break;
            case LAB_FLAG: text_puts(t, cell->flag ? "yes" : "no"); break;
            }
            text_puts(t, " |");
        }
        text_putc(t, '\n');
    }
    text_printf(t, "\n%s%zu rows: [%s-%s.csv](%s-%s.csv)\n\n", shown < rows ? "The first of " : "", rows,
                l->experiment->name, table->name, l->experiment->name, table->name);
}

/* The report is a page: longer tables are files beside it, and stand folded in the page of all. */
enum { REPORT_ROWS = 16 };

static bool is_in_report(const lab_table *t) { return t->shown && lab_rows(t) <= REPORT_ROWS; }

const char *lab_markdown(arena *a, const lab *l) {
    text t;
    const char *name = l->experiment->name;
    size_t failed = 0;
    text_init(&t, a);
    text_printf(&t, "# %s\n\n%s\n\n    ", l->experiment->prose->title, l->experiment->prose->text);
    lab_command(&t, l);
    text_puts(&t, "\n\n");
    for (size_t k = 0; k < l->figure_count; k++) {
        const lab_figure *f = &l->figures[k];
        text_printf(&t, "![%s](%s-%s.svg)\n\n", f->title, name, f->name);
    }
    for (size_t k = 0; k < l->claim_count; k++) failed += !l->claims[k].holds;
    text_printf(&t,
                "## What was checked\n\n%zu claims, %zu of which %s not hold.\n\n| claim | measured | holds |\n| --- "
                "| --- | --- |\n",
                l->claim_count, failed, failed == 1 ? "does" : "do");
    for (size_t k = 0; k < l->claim_count; k++) {
        text_puts(&t, "| ");
        md_text(&t, l->claims[k].text);
        text_puts(&t, " | ");
        md_text(&t, l->claims[k].measured);
        text_printf(&t, " | %s |\n", l->claims[k].holds ? "yes" : "**no**");
    }
    text_putc(&t, '\n');
    for (size_t k = 0; k < l->note_count; k++) {
        text_printf(&t, "### %s\n\n", l->notes[k].title);
        md_text(&t, l->notes[k].text);
        text_puts(&t, "\n\n");
    }
    if (l->table_count) text_puts(&t, "## Tables\n\n");
    for (size_t k = 0; k < l->table_count; k++)
        if (is_in_report(l->tables[k])) md_table(&t, l, l->tables[k]);
    for (size_t k = 0; k < l->table_count; k++)
        if (!is_in_report(l->tables[k]))
            text_printf(&t, "- [%s-%s.csv](%s-%s.csv): %s, %zu rows\n", name, l->tables[k]->name, name,
                        l->tables[k]->name, l->tables[k]->title, lab_rows(l->tables[k]));
    return text_string(&t);
}

/* ---- files ---- */

void lab_digest(char hex[SHA256_HEX + 1], const char *bytes, size_t length) {
    sha256 h;
    unsigned char digest[SHA256_SIZE];
    sha256_start(&h);
    sha256_add(&h, bytes, length);
    sha256_finish(digest, &h);
    sha256_hex(hex, digest);
}

void lab_write_file(const lab *l, const char *folder, const char *part, const char *ending, const char *content,
                    text *list, arena *scratch) {
    text name, path;
    temper_error err;
    size_t length = strlen(content);
    text_init(&name, scratch);
    text_init(&path, scratch);
    text_printf(&name, "%s%s%s.%s", l->experiment->name, *part ? "-" : "", part, ending);
    text_printf(&path, "%s/%s", folder, text_string(&name));
    if (temper_file_write(text_string(&path), content, length, &err) != TEMPER_OK) trap_reraise(scratch->trap, &err);
    if (!list) return;
    char hex[SHA256_HEX + 1];
    lab_digest(hex, content, length);
    text_printf(list, "file %s %s\n", text_string(&name), hex);
}

void lab_write_all(const lab *l, const char *folder, text *list, arena *scratch) {
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        trap_raise(scratch->trap, TEMPER_IO, 0, 0, "cannot make the folder '%s': %s",
                   text_escaped(scratch, folder, strlen(folder), 120), system_words(errno));
    for (size_t k = 0; k < l->table_count; k++)
        lab_write_file(l, folder, l->tables[k]->name, "csv", lab_csv(scratch, l->tables[k]), list, scratch);
    for (size_t k = 0; k < l->figure_count; k++)
        lab_write_file(l, folder, l->figures[k].name, "svg", l->figures[k].svg, list, scratch);
    lab_write_file(l, folder, "", "json", lab_json(scratch, l), list, scratch);
    lab_write_file(l, folder, "", "md", lab_markdown(scratch, l), list, scratch);
}

void lab_write(const lab *l, const char *folder, arena *scratch) { lab_write_all(l, folder, NULL, scratch); }
