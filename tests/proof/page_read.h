/* Reading a page of temper_draw_html again: its cells as a reader sees them. */
#ifndef TESTS_PAGE_READ_H
#define TESTS_PAGE_READ_H

#include <stddef.h>

typedef struct page_cell {
    char kind[16];     /* class */
    char title[512];   /* with line breaks */
    char content[160]; /* text */
} page_cell;

/* Text from `from` up to `end`, references resolved, tags dropped. */
const char *page_plain(char *out, size_t room, const char *from, const char *end);

/* The next td before `end`, and where it ends; NULL: there is none. */
const char *page_cell_next(page_cell *c, const char *at, const char *end);

/* The number after "\nNAME " in the title; NaN if there is none. */
double page_fact(const page_cell *c, const char *name);

#endif
