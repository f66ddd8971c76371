/* temper examples: short specifications to begin with. */
#include <stdio.h>
#include <string.h>

#include "examples_list.h"
#include "json.h"
#include "message.h"
#include "session.h"
#include "text_files.h"

enum { MOST = 40, LONGEST = 100 };

static struct { char name[40], about[LONGEST]; } rows[MOST];
static size_t row_count;

/* A row of the table: "| [NAME](NAME) | what it says | ...". */
static void read_row(const char *line, const char *end) {
    const char *name = line + 3, *stop = memchr(line, ']', (size_t)(end - line));
    if (end - line < 8 || memcmp(line, "| [", 3) != 0 || !stop || row_count == MOST) return;
    const char *about = memchr(stop, '|', (size_t)(end - stop));
    const char *bar = about ? memchr(about + 1, '|', (size_t)(end - about - 1)) : NULL;
    snprintf(rows[row_count].name, sizeof rows->name, "%.*s", (int)(stop - name), name);
    if (!bar || !text_file_find(rows[row_count].name)) return; /* not carried along: a program in C */
    snprintf(rows[row_count].about, LONGEST, "%.*s", (int)(bar - about - 3), about + 2);
    row_count++;
}

size_t examples_count(void) {
    const text_file *table = text_file_find("README.md");
    if (row_count || !table) return row_count;
    const char *p = (const char *)table->bytes, *end = p + table->size;
    while (p < end) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        if (!stop) stop = end;
        read_row(p, stop);
        p = stop + 1;
    }
    return row_count;
}

const char *examples_name(size_t k) { return rows[k].name; }
const char *examples_about(size_t k) { return rows[k].about; }

const char *examples_text(size_t *length, const char *name) {
    for (size_t k = 0; k < examples_count(); k++)
        if (strcmp(examples_name(k), name) == 0) {
            const text_file *found = text_file_find(name);
            *length = found->size;
            return (const char *)found->bytes;
        }
    return NULL;
}

static void list(const session *s) {
    for (size_t k = 0; k < examples_count(); k++) {
        json j;
        if (s->json) {
            json_open(&j, stdout);
            json_text(&j, "name", examples_name(k));
            json_text(&j, "about", examples_about(k));
            json_close(&j);
        } else {
            printf("%-18s %s\n", examples_name(k), examples_about(k));
        }
    }
}

/* By its name, with or without what follows the dot. */
static const text_file *find(const char *name) {
    size_t length = strlen(name);
    for (size_t k = 0; k < examples_count(); k++) {
        const char *whole = examples_name(k);
        if (strcmp(whole, name) == 0 || (strncmp(whole, name, length) == 0 && whole[length] == '.'))
            return text_file_find(whole);
    }
    return NULL;
}

void cmd_examples(session *s) {
    if (s->opt.count == 0) list(s);
    for (size_t k = 0; k < s->opt.count; k++) {
        char stems[MOST][40];
        const char *names[MOST];
        const text_file *found = find(s->opt.arguments[k].text);
        if (found) {
            fwrite(found->bytes, 1, found->size, stdout);
            continue;
        }
        char hint[80] = "temper examples lists them";
        for (size_t n = 0; n < examples_count(); n++) {
            snprintf(stems[n], sizeof *stems, "%.*s", (int)strcspn(examples_name(n), "."), examples_name(n));
            names[n] = stems[n];
        }
        const char *near = nearest_name(s->opt.arguments[k].text, names, examples_count());
        if (near) snprintf(hint, sizeof hint, "did you mean %s?", near);
        message_usage(s, hint, "there is no example '%.60s'", s->opt.arguments[k].text);
        return;
    }
}
