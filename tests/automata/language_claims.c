#include "language_claims.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "random_language.h"

static language_claim read_claim(json_reader *r, arena *a) {
    language_claim l = {0};
    jread_object(r);
    for (json_text key; jread_key(r, &key);) {
        if (jread_is(key, "formula")) {
            l.formula = jread_c_string(r, a, "a formula");
        } else if (jread_is(key, "table")) {
            jread_array(r);
            while (jread_element(r)) {
                const char *row = jread_c_string(r, a, "a row");
                array_push(a, l.rows, l.row_count, l.row_capacity, row);
            }
        } else {
            jread_skip(r, NULL);
        }
    }
    return l;
}

static void read_claims(language_claims *c, const char *certificate, size_t size) {
    json_reader r;
    arena *a = &c->memory;
    if (trap_set(&c->guard, NULL)) abort();
    jread_begin(&r, certificate, size, a, &c->guard);
    jread_object(&r);
    for (json_text key; jread_key(&r, &key);) {
        if (!jread_is(key, "languages")) {
            jread_skip(&r, NULL);
            continue;
        }
        jread_array(&r);
        while (jread_element(&r)) {
            language_claim l = read_claim(&r, a);
            array_push(a, c->all, c->count, c->capacity, l);
        }
    }
    trap_clear(&c->guard);
}

void claims_begin(language_claims *c, const char *model, size_t size) {
    temper_model *m = NULL;
    temper_certificate *made = NULL;
    temper_certify_options o = {.length = 5};
    char *written = NULL;
    *c = (language_claims){0};
    arena_init(&c->memory, &c->guard);
    if (temper_model_read(&m, model, size, NULL) == TEMPER_OK &&
        temper_certify(&made, m, model, size, &o, NULL) == TEMPER_OK &&
        temper_certificate_about(made).verdict == TEMPER_PROVED &&
        temper_certificate_print(&written, &size, made, NULL) == TEMPER_OK)
        read_claims(c, written, size);
    temper_free(written);
    temper_certificate_free(made);
    temper_model_free(m);
}

void claims_end(language_claims *c) { arena_free(&c->memory); }

static void damage_rows(language_claim *l, arena *a, test_random *r) {
    const char **rows = arena_alloc(a, l->row_count + 2, sizeof *rows);
    size_t at = random_below(r, l->row_count + 1);
    static const char signs[] = "01-23z";
    if (l->row_count) memcpy(rows, l->rows, l->row_count * sizeof *rows);
    l->rows = rows;
    if (at == l->row_count) { /* it becomes shorter */
        l->row_count = at ? at - 1 - random_below(r, at) / 2 : 0;
        return;
    }
    if (random_below(r, 3) == 0) { /* one less */
        memmove(rows + at, rows + at + 1, (--l->row_count - at) * sizeof *rows);
        return;
    }
    char *row = arena_copy(a, rows[at], strlen(rows[at]));
    row[random_below(r, strlen(row))] = signs[random_below(r, sizeof signs - 1)];
    rows[at] = row;
}

const language_claim *claims_damaged(language_claims *c, test_random *r) {
    arena *a = &c->memory;
    if (!c->count || trap_set(&c->guard, NULL)) return c->all;
    language_claim *copy = arena_alloc(a, c->count, sizeof *copy), *l = &copy[random_below(r, c->count)];
    memcpy(copy, c->all, c->count * sizeof *copy);
    size_t size = strlen(l->formula);
    switch (random_below(r, 2)) {
    case 0: damage_rows(l, a, r); break;
    default: {
        char *changed = arena_alloc(a, size + 20, 1);
        change_language(changed, size + 20, l->formula, size, r);
        l->formula = changed;
    }
    }
    trap_clear(&c->guard);
    return copy;
}
