/* Results as bytes, so that they can be kept in a journal and sent between processes: counts in groups of seven bits,
   the lowest first, where the eighth says that there are more; numbers as eight bytes, the lowest first; texts with
   their length before them. What is read may come from anywhere and is checked. */
#include "lab/lab.h"

#include <string.h>

enum { WORD = 8, FLAG = 1 };

void lab_bytes_count(text *t, uint64_t k) {
    for (; k > 127; k >>= 7) text_putc(t, (char)((k & 127) | 128));
    text_putc(t, (char)k);
}

void lab_bytes_number(text *t, double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    for (int i = 0; i < WORD; i++) text_putc(t, (char)(bits >> 8 * i & 255));
}

void lab_bytes_text(text *t, const char *string) {
    size_t length = strlen(string);
    lab_bytes_count(t, length);
    text_add(t, string, length);
}

static _Noreturn void refuse(const lab_reader *r) {
    trap_raise(r->arena->trap, TEMPER_FORMAT, 0, 0, "lab: bytes that are no result of this unit");
}

static const unsigned char *take(lab_reader *r, size_t size) {
    if (r->left < size) refuse(r);
    const unsigned char *at = r->at;
    r->at += size;
    r->left -= size;
    return at;
}

uint64_t lab_read_count(lab_reader *r) {
    uint64_t k = 0;
    for (int shift = 0;; shift += 7) {
        uint64_t part = *take(r, 1);
        if (shift == 63 && part > 1) refuse(r); /* beyond 64 bits */
        k |= (part & 127) << shift;
        if (part < 128) return k;
    }
}

double lab_read_number(lab_reader *r) {
    const unsigned char *at = take(r, WORD);
    uint64_t bits = 0;
    double x;
    for (int i = 0; i < WORD; i++) bits |= (uint64_t)at[i] << 8 * i;
    memcpy(&x, &bits, sizeof x);
    return x;
}

const char *lab_read_text(lab_reader *r) {
    size_t length = lab_read_below(r, r->left);
    return arena_copy(r->arena, (const char *)take(r, length), length);
}

size_t lab_read_below(lab_reader *r, size_t end) {
    uint64_t k = lab_read_count(r);
    if (k >= end) refuse(r);
    return (size_t)k;
}

void lab_read_end(const lab_reader *r) {
    if (r->left) refuse(r);
}

lab_reader lab_cell_read(lab *l, size_t cell) {
    if (cell >= l->cell_count)
        trap_raise(l->trap, TEMPER_RANGE, 0, 0, "lab %s: there is no cell %zu", l->experiment->name, cell);
    return (lab_reader){l->cells[cell].bytes, l->cells[cell].size, &l->memory};
}

/* ---- what a part has added ---- */

static void put_flag(text *t, bool flag) { text_putc(t, flag); }

static bool read_flag(lab_reader *r) {
    unsigned char flag = *take(r, FLAG);
    if (flag > 1) refuse(r);
    return flag;
}

static void put_table(text *t, const lab_table *table) {
    lab_bytes_text(t, table->name);
    lab_bytes_text(t, table->title);
    lab_bytes_count(t, table->shown);
    lab_bytes_count(t, table->column_count);
    for (size_t c = 0; c < table->column_count; c++) {
        lab_bytes_text(t, table->columns[c].name);
        lab_bytes_count(t, (uint64_t)table->columns[c].type);
        lab_bytes_text(t, table->columns[c].about);
    }
    lab_bytes_count(t, table->cell_count);
    for (size_t k = 0; k < table->cell_count; k++) {
        const lab_cell *cell = &table->cells[k];
        switch (table->columns[k % table->column_count].type) {
        case LAB_TEXT: lab_bytes_text(t, cell->text); break;
        case LAB_NUMBER: lab_bytes_number(t, cell->number); break;
        case LAB_COUNT: lab_bytes_count(t, cell->count); break;
        case LAB_FLAG: put_flag(t, cell->flag); break;
        }
    }
}

/* A name becomes a part of a file's name. */
static const char *read_name(lab_reader *r) {
    const char *name = lab_read_text(r);
    if (!*name || name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_")]) refuse(r);
    return name;
}

static void read_table(lab *l, lab_reader *r) {
    const char *name = read_name(r), *title = lab_read_text(r);
    size_t shown = (size_t)lab_read_count(r), columns = lab_read_below(r, r->left);
    if (columns == 0) refuse(r);
    lab_column *column = arena_alloc(&l->memory, columns, sizeof *column);
    for (size_t c = 0; c < columns; c++) {
        column[c].name = lab_read_text(r);
        column[c].type = (lab_type)lab_read_below(r, LAB_FLAG + 1);
        column[c].about = lab_read_text(r);
    }
    lab_table *t = lab_table_add(l, name, title, column, columns, shown);
    size_t cells = lab_read_below(r, r->left + 1); /* each takes a byte at least */
    if (cells % columns) refuse(r);
    for (size_t k = 0; k < cells; k++) switch (column[k % columns].type) {
        case LAB_TEXT: lab_put_text(t, lab_read_text(r)); break;
        case LAB_NUMBER: lab_put_number(t, lab_read_number(r)); break;
        case LAB_COUNT: lab_put_count(t, lab_read_count(r)); break;
        case LAB_FLAG: lab_put_flag(t, read_flag(r)); break;
        }
}

static void put_claims(text *t, const lab *l) {
    lab_bytes_count(t, l->claim_count);
    for (size_t k = 0; k < l->claim_count; k++) {
        lab_bytes_text(t, l->claims[k].text);
        lab_bytes_text(t, l->claims[k].measured);
        lab_bytes_text(t, l->claims[k].figure);
        put_flag(t, l->claims[k].holds);
    }
}

static void read_claims(lab *l, lab_reader *r) {
    for (size_t left = lab_read_below(r, r->left + 1); left > 0; left--) {
        lab_claim c = {.text = lab_read_text(r)};
        c.measured = lab_read_text(r);
        c.figure = lab_read_text(r);
        c.holds = read_flag(r);
        array_push(&l->memory, l->claims, l->claim_count, l->claim_capacity, c);
    }
}

void lab_contents_put(text *t, const lab *l) {
    put_claims(t, l);
    if (l->claims_only) return;
    lab_bytes_count(t, l->table_count);
    for (size_t k = 0; k < l->table_count; k++) put_table(t, l->tables[k]);
    lab_bytes_count(t, l->figure_count);
    for (size_t k = 0; k < l->figure_count; k++) {
        lab_bytes_text(t, l->figures[k].name);
        lab_bytes_text(t, l->figures[k].title);
        lab_bytes_text(t, l->figures[k].caption);
        lab_bytes_text(t, l->figures[k].svg);
    }
    lab_bytes_count(t, l->note_count);
    for (size_t k = 0; k < l->note_count; k++) {
        lab_bytes_text(t, l->notes[k].title);
        lab_bytes_text(t, l->notes[k].text);
    }
}

void lab_contents_add(lab *l, const unsigned char *bytes, size_t size) {
    lab_reader r = {bytes, size, &l->memory};
    read_claims(l, &r);
    if (!l->claims_only) {
        for (size_t left = lab_read_below(&r, r.left + 1); left > 0; left--) read_table(l, &r);
        for (size_t left = lab_read_below(&r, r.left + 1); left > 0; left--) {
            lab_figure f = {.name = read_name(&r)};
            f.title = lab_read_text(&r);
            f.caption = lab_read_text(&r);
            f.svg = lab_read_text(&r);
            array_push(&l->memory, l->figures, l->figure_count, l->figure_capacity, f);
        }
        for (size_t left = lab_read_below(&r, r.left + 1); left > 0; left--) {
            lab_note n = {.title = lab_read_text(&r)};
            n.text = lab_read_text(&r);
            array_push(&l->memory, l->notes, l->note_count, l->note_capacity, n);
        }
    }
    lab_read_end(&r);
}
