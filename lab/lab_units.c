/* An experiment as units of work: in order, each part, or each cell of a part that has them. */
#include "lab/lab.h"

/* Where a unit is. */
typedef struct place {
    size_t part, cell;
} place;

static size_t units_of_part(const lab_part *p, bool quick) { return p->cells ? p->cells(quick) : 1; }

size_t lab_unit_count(const lab_experiment *e, bool quick) {
    size_t count = e->run ? 1 : 0;
    for (size_t k = 0; k < e->part_count; k++) count += units_of_part(&e->parts[k], quick);
    return count;
}

static place find_unit(const lab_experiment *e, bool quick, size_t unit) {
    place at = {0, unit};
    while (at.cell >= units_of_part(&e->parts[at.part], quick)) at.cell -= units_of_part(&e->parts[at.part++], quick);
    return at;
}

uint64_t lab_unit_weight(const lab_experiment *e, bool quick, size_t unit) {
    enum { WHOLE = 5000 }; /* of an experiment without parts */
    if (e->run) return WHOLE;
    const lab_part *p = &e->parts[find_unit(e, quick, unit).part];
    return p->weight / units_of_part(p, quick) + 1;
}

/* A part's random numbers are those of stream `part` + 1, and a cell's those of another in the upper half. */
static void begin_part(lab *l, const lab_experiment *e, size_t part) {
    lab_reseed(l, part + 1);
    l->about = NULL;
    if (e->parts[part].figure) lab_about(l, e->parts[part].figure);
}

static void run_cell(text *result, lab *l, const lab_experiment *e, place at, arena *scratch) {
    lab_reseed(l, (uint64_t)(at.cell + 1) << 32 | (at.part + 1));
    e->parts[at.part].cell(result, l, at.cell, scratch);
}

static void check_tables(const lab *l) {
    for (size_t k = 0; k < l->table_count; k++) {
        const lab_table *t = l->tables[k];
        if (t->cell_count % t->column_count)
            trap_raise(l->trap, TEMPER_RANGE, 0, 0, "lab %s: the last row of table %s is not full",
                       l->experiment->name, t->name);
    }
}

static void begin(lab *l, const lab_experiment *e) {
    l->experiment = e;
    l->trap = l->memory.trap;
    lab_reseed(l, 0);
}

void lab_unit_run(text *result, lab *l, const lab_experiment *e, size_t unit, arena *scratch) {
    begin(l, e);
    if (e->run) {
        e->run(l);
    } else {
        place at = find_unit(e, l->quick, unit);
        if (e->parts[at.part].cells) {
            run_cell(result, l, e, at, scratch);
            return;
        }
        begin_part(l, e, at.part);
        e->parts[at.part].run(l, scratch);
    }
    check_tables(l);
    lab_contents_put(result, l);
}

static void put_together(lab *l, const lab_experiment *e, size_t part, const lab_result *cells, size_t count,
                         arena *scratch) {
    l->cells = cells;
    l->cell_count = count;
    begin_part(l, e, part);
    e->parts[part].run(l, scratch);
    l->cells = NULL;
    l->cell_count = 0;
}

void lab_assemble(lab *l, const lab_experiment *e, const lab_result *results, arena *scratch) {
    begin(l, e);
    if (e->run) lab_contents_add(l, results[0].bytes, results[0].size);
    for (size_t part = 0; part < e->part_count; part++) {
        size_t count = units_of_part(&e->parts[part], l->quick);
        if (e->parts[part].cells)
            put_together(l, e, part, results, count, scratch);
        else
            lab_contents_add(l, results[0].bytes, results[0].size);
        results += count;
    }
    check_tables(l);
}

/* ---- at once ---- */

static void run_part(lab *l, const lab_experiment *e, size_t part, arena *scratch) {
    if (!e->parts[part].cells) {
        begin_part(l, e, part);
        e->parts[part].run(l, scratch);
        arena_reset(scratch);
        return;
    }
    size_t count = e->parts[part].cells(l->quick);
    lab_result *cells = arena_alloc(&l->memory, count, sizeof *cells);
    for (size_t k = 0; k < count; k++) {
        text bytes;
        text_init(&bytes, &l->memory);
        run_cell(&bytes, l, e, (place){part, k}, scratch);
        cells[k] = (lab_result){(const unsigned char *)text_string(&bytes), bytes.length};
        arena_reset(scratch);
    }
    put_together(l, e, part, cells, count, scratch);
    arena_reset(scratch);
}

void lab_run(lab *l, const lab_experiment *e) {
    arena *scratch = arena_alloc(&l->memory, 1, sizeof *scratch);
    begin(l, e);
    arena_init(scratch, l->trap);
    arena_on_release(&l->memory, (void (*)(void *))arena_free, scratch);
    if (e->run) e->run(l);
    for (size_t part = 0; part < e->part_count; part++) run_part(l, e, part, scratch);
    check_tables(l);
}
