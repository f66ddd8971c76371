/* The gallery of known hard-attention transformers: finding an entry, building its model, asking its oracle. */
#include "base/near_word.h"
#include "gallery/gallery.h"

#include <string.h>

static const gallery_family *const FAMILIES[] = {&gallery_unique, &gallery_brackets, &gallery_counting};
enum { FAMILY_COUNT = sizeof FAMILIES / sizeof *FAMILIES };

size_t temper_gallery_count(void) {
    size_t total = 0;
    for (size_t f = 0; f < FAMILY_COUNT; f++) total += FAMILIES[f]->count;
    return total;
}

static const gallery_entry *entry_at(size_t k) {
    for (size_t f = 0; f < FAMILY_COUNT; f++) {
        if (k < FAMILIES[f]->count) return &FAMILIES[f]->entries[k];
        k -= FAMILIES[f]->count;
    }
    return NULL;
}

/* ---- names ---- */

/* How far a name is from what was typed: a part of a name is near it. */
static size_t farness(const char *typed, const char *name) {
    size_t length = strlen(typed);
    if (length > WORD_LONGEST) return SIZE_MAX;
    if (length >= 2 && strstr(name, typed)) return 1;
    return word_distance(typed, length, name, strlen(name));
}

/* The nearest names, three at most; NULL if none is near. */
static const char *names_near(const char *typed, arena *a) {
    size_t count = temper_gallery_count(), least = strlen(typed) / 3 + 2, shown = 0;
    text t;
    text_init(&t, a);
    for (size_t k = 0; k < count; k++) {
        size_t far = farness(typed, entry_at(k)->about.name);
        if (far < least) least = far;
    }
    for (size_t k = 0; k < count && shown < 3; k++) {
        const char *name = entry_at(k)->about.name;
        if (farness(typed, name) == least) text_printf(&t, "%s%s", shown++ ? " or " : "did you mean ", name);
    }
    text_putc(&t, '?');
    return shown ? text_string(&t) : NULL;
}

static const gallery_entry *entry_find(const char *name, arena *a) {
    size_t count = temper_gallery_count();
    for (size_t k = 0; k < count; k++)
        if (strcmp(entry_at(k)->about.name, name) == 0) return entry_at(k);
    static const char message[] = "the gallery has no model '%s'";
    const char *near = names_near(name, a), *shown = text_escaped(a, name, strlen(name), 40);
    if (near) trap_raise_hint(a->trap, TEMPER_RANGE, 0, 0, near, message, shown);
    trap_raise_remedy(a->trap, TEMPER_RANGE, 0, 0, TEMPER_REMEDY_GALLERY, message, shown);
}

/* ---- models ---- */

static temper_model *build(const gallery_entry *g, entry *e) {
    text sketch, out;
    text_init(&sketch, &e->memory);
    text_init(&out, &e->memory);
    if (!g->sketch) g->write(&sketch);
    gallery_expand(&out, g->sketch ? g->sketch : text_string(&sketch), &e->memory);
    temper_model *m = entry_model(e);
    model_read(m, out.data, out.length, &e->scratch);
    return m;
}

temper_status temper_gallery_about(temper_gallery_info *out, size_t k, temper_error *err) {
    if (!entry_at(k))
        return error_write(err, TEMPER_RANGE, 0, 0, "", "the gallery has %zu models", temper_gallery_count());
    *out = entry_at(k)->about;
    return TEMPER_OK;
}

typedef struct model_call {
    temper_model **out;
    const char *name;
} model_call;

static void make_model(entry *e, void *context) {
    const model_call *c = context;
    const gallery_entry *g = entry_find(c->name, &e->memory);
    temper_model *m = build(g, e);
    if (g->prefixes) m->source = g->about.formula; /* static texts: they outlive the model */
    *c->out = m;
}

temper_status temper_gallery_model(temper_model **out, const char *name, temper_error *err) {
    model_call call = {out, name};
    *out = NULL;
    return entry_run(err, make_model, &call);
}

typedef struct oracle_call {
    int *accept;
    const char *name;
    const uint32_t *letters;
    size_t n;
} oracle_call;

static void ask_oracle(entry *e, void *context) {
    const oracle_call *c = context;
    const gallery_entry *g = entry_find(c->name, &e->memory);
    size_t count = strlen(g->about.alphabet);
    if (c->n > UINT32_MAX / 2)
        trap_raise(e->trap, TEMPER_LIMIT, 0, 0, "the oracle takes at most %u letters", UINT32_MAX / 2);
    for (size_t i = 0; i < c->n; i++)
        if (c->letters[i] >= count)
            trap_raise(e->trap, TEMPER_RANGE, 0, 0, "position %zu holds letter number %u; there are %zu", i + 1,
                       (unsigned)c->letters[i], count);
    *c->accept = g->oracle(c->letters, c->n, &e->scratch);
}

temper_status temper_gallery_oracle(int *accept, const char *name, const uint32_t *letters, size_t n,
                                    temper_error *err) {
    oracle_call call = {accept, name, letters, n};
    return entry_run(err, ask_oracle, &call);
}
