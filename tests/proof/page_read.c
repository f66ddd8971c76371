#include "page_read.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *page_plain(char *out, size_t room, const char *from, const char *end) {
    static const char *const names[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#10;"};
    static const char values[] = "&<>\"\n";
    size_t used = 0;
    bool tag = false;
    while (from < end && used + 1 < room) {
        size_t k = 0;
        while (k < 5 && strncmp(from, names[k], strlen(names[k])) != 0) k++;
        if (k < 5 && !tag) {
            out[used++] = values[k];
            from += strlen(names[k]);
            continue;
        }
        if (*from == '<') tag = true;
        if (!tag) out[used++] = *from;
        if (*from == '>') tag = false;
        from++;
    }
    out[used] = 0;
    return out;
}

const char *page_cell_next(page_cell *c, const char *at, const char *end) {
    at = strstr(at, "<td");
    if (!at || at >= end) return NULL;
    const char *tag_end = strchr(at, '>'), *close = strstr(at, "</td>");
    const char *kind = strstr(at, " class=\""), *title = strstr(at, " title=\"");
    *c->kind = *c->title = 0;
    if (kind && kind < tag_end) page_plain(c->kind, sizeof c->kind, kind + 8, strchr(kind + 8, '"'));
    if (title && title < close) page_plain(c->title, sizeof c->title, title + 8, strchr(title + 8, '"'));
    page_plain(c->content, sizeof c->content, tag_end + 1, close);
    return close;
}

double page_fact(const page_cell *c, const char *name) {
    char key[40];
    snprintf(key, sizeof key, "\n%s ", name);
    const char *at = strstr(c->title, key);
    return at ? strtod(at + strlen(key), NULL) : NAN;
}
