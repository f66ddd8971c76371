#include "meaning_values.h"

#include <math.h>
#include <string.h>

#include "test.h"

typedef __int128 wide;

const meaning_point *meaning_points(size_t *count, uint32_t letters, size_t longest, arena *a) {
    size_t all = 0, made = 0, strings = letters;
    for (size_t n = 1; n <= longest; n++, strings *= letters) all += n * strings;
    meaning_point *points = arena_alloc(a, all, sizeof *points);
    strings = letters;
    for (size_t n = 1; n <= longest; n++, strings *= letters)
        for (size_t s = 0; s < strings; s++) {
            uint32_t *word = arena_alloc(a, n, sizeof *word);
            size_t rest = s;
            for (size_t k = 0; k < n; k++, rest /= letters) word[k] = (uint32_t)(rest % letters);
            for (size_t i = 1; i <= n; i++, made++) points[made] = (meaning_point){word, n, i, made - (i - 1)};
        }
    *count = made;
    return points;
}

/* The atom that has this variable, and which of its variables it is. */
static const table_entry *atom_of(const meaning *m, uint32_t var, uint32_t *offset) {
    const table_entry *best = NULL;
    for (size_t k = 0; k < m->atoms.capacity; k++) {
        const table_entry *e = &m->atoms.entries[k];
        if (e->used && e->value <= var && (!best || e->value > best->value)) best = e;
    }
    *offset = best ? var - best->value : 0;
    return best;
}

static double total(const meaning_point *p, const double *f, bool past) {
    double sum = 0;
    for (size_t j = past ? 1 : p->i; j <= (past ? p->i : p->n); j++) sum += f[p->first + j - 1];
    return sum;
}

static bool digit_bit(const atom_key *key, int64_t count, uint32_t offset) {
    int64_t base = key->number[0];
    for (int64_t level = 0; level < key->number[1]; level++) count /= base;
    return count % base >> (dd_bits((uint64_t)base) - 1 - offset) & 1;
}

static bool residue_holds(const atom_key *key, int64_t count) {
    int64_t modulus = key->number[0];
    if (key->number[2] < 0) return count % modulus == key->number[1];
    return ((wide)key->number[1] * count + key->number[2]) % modulus <= key->number[3];
}

static bool atom_at(meaning_values *v, const atom_key *key, uint32_t offset, const meaning_point *p) {
    const double *f = meaning_values_of(v, key->f);
    size_t step = key->past ? (size_t)-1 : 1; /* 0 and n + 1 are outside */
    switch ((question)key->question) {
    case ASK_EXISTS:
        for (size_t j = p->i + step; j >= 1 && j <= p->n; j += step)
            if (f[p->first + j - 1] != 0) return true;
        return false;
    case ASK_NEAREST:
        for (size_t j = p->i + step; j >= 1 && j <= p->n; j += step)
            if (f[p->first + j - 1] != 0) return meaning_values_of(v, key->g)[p->first + j - 1] != 0;
        return false;
    case ASK_STEP: {
        size_t j = p->i + step;
        return j >= 1 && j <= p->n && f[p->first + j - 1] != 0;
    }
    case ASK_SUM:
        return total(p, f, true) + total(p, meaning_values_of(v, key->g), false) + (double)key->number[0] >= 0;
    case ASK_DIGIT: return digit_bit(key, (int64_t)total(p, f, key->past), offset);
    case ASK_RESIDUE: return residue_holds(key, (int64_t)total(p, f, key->past));
    case ASK_READ: {
        double j = total(p, f, key->past) + (double)key->number[0] * (double)(p->n + 1) + (double)key->number[1];
        return j >= 1 && j <= (double)p->n && meaning_values_of(v, key->g)[p->first + (size_t)j - 1] != 0;
    }
    case ASK_OPAQUE: break;
    }
    CHECK(false, "an atom of kind %u", key->question);
    return false;
}

/* A sum of large numbers: known by three numbers, and function, direction and weight of each term. */
static bool opaque_at(meaning_values *v, const table_entry *e, const meaning_point *p) {
    wide key[64], sum = 0;
    bool up = true;
    if (!CHECK(e->length <= sizeof key && e->length % sizeof *key == 0, "a long atom")) return false;
    memcpy(key, e->key, e->length);
    for (size_t k = 4; k + 2 < e->length / sizeof *key; k += 3) {
        up = up && key[k + 2] > 0;
        sum += key[k + 2] * (wide)total(p, meaning_values_of(v, (dd)key[k]), key[k + 1] != 0);
    }
    if (key[0] == ASK_READ) {
        wide j = sum + key[1];
        return j >= 1 && j <= (wide)p->n && meaning_values_of(v, (dd)key[2])[p->first + (size_t)(j - 1)] != 0;
    }
    /* A modulus is above 0 and its weights are; a comparison with such a sum would be no question. */
    if (key[2] == 0 && key[3] == 0 && !(up && key[1] > 0)) return sum + key[1] >= 0;
    if (key[3] < 0) return (sum + key[2]) % key[1] == 0;
    return (sum + key[2]) % key[1] <= key[3];
}

static bool variable_at(meaning_values *v, uint32_t var, const meaning_point *p) {
    uint32_t offset, bits = v->m->letter_bits;
    if (var < bits) return p->word[p->i - 1] >> (bits - 1 - var) & 1;
    if (var < bits + 2) return var == bits ? p->i == 1 : p->i == p->n;
    const table_entry *e = atom_of(v->m, var, &offset);
    if (!CHECK(e != NULL, "variable %u belongs to no atom", var)) return false;
    if (e->length != sizeof(atom_key) || *(const wide *)e->key == ASK_OPAQUE) return opaque_at(v, e, p);
    atom_key key;
    memcpy(&key, e->key, sizeof key);
    return atom_at(v, &key, offset, p);
}

const double *meaning_values_of(meaning_values *v, dd f) {
    if (f >= v->known_count) {
        size_t count = 2 * (size_t)f + 64;
        double **more = arena_zalloc(v->arena, count, sizeof *more);
        if (v->known_count) memcpy(more, v->known, v->known_count * sizeof *more);
        v->known = more;
        v->known_count = count;
    }
    if (v->known[f]) return v->known[f];
    double *x = arena_alloc(v->arena, v->count, sizeof *x);
    if (dd_is_leaf(&v->m->d, f)) {
        for (size_t k = 0; k < v->count; k++) x[k] = dd_value(&v->m->d, f);
    } else {
        dd_node node = v->m->d.nodes[f];
        const double *lo = meaning_values_of(v, node.lo), *hi = meaning_values_of(v, node.hi);
        for (size_t k = 0; k < v->count; k++) x[k] = variable_at(v, node.var, &v->points[k]) ? hi[k] : lo[k];
    }
    return v->known[f] = x;
}

double meaning_value_at_count(const meaning *m, dd f, int64_t count) {
    while (!dd_is_leaf(&m->d, f)) {
        uint32_t offset;
        const table_entry *e = atom_of(m, m->d.nodes[f].var, &offset);
        atom_key key;
        if (!CHECK(e && e->length == sizeof key, "a variable that is no remainder")) return NAN;
        memcpy(&key, e->key, sizeof key);
        bool yes = key.question == ASK_DIGIT ? digit_bit(&key, count, offset) : residue_holds(&key, count);
        f = yes ? m->d.nodes[f].hi : m->d.nodes[f].lo;
    }
    return dd_value(&m->d, f);
}
