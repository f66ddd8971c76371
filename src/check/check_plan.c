#include "check/check_plan.h"

#include <string.h>

#include "answer/proved.h"
#include "base/table.h"
#include "check/tree.h"
#include "decide/letter_classes.h"
#include "job/journal.h"
#include "model/model_spec.h"

static _Noreturn void letter_missing(arena *a, const char *letter, const char *here, const char *there) {
    trap_raise_hint(a->trap, TEMPER_RANGE, 0, 0, "formula and model must have the same letters",
                    "letter '%s' of the %s is not in the alphabet of the %s",
                    text_escaped(a, letter, strlen(letter), 40), here, there);
}

/* Letters are matched by name: the two may number them differently. */
static const uint32_t *match_alphabets(const check_plan *p, arena *a) {
    table known;
    bool fresh;
    table_init(&known, a);
    for (size_t k = 0; k < temper_spec_about(p->spec).letters; k++) {
        const char *letter = temper_spec_letter(p->spec, k);
        table_put(&known, letter, strlen(letter), (uint32_t)k, &fresh);
    }
    uint32_t *spec_letter = arena_alloc(a, p->about.letters, sizeof *spec_letter);
    bool *met = arena_zalloc(a, temper_spec_about(p->spec).letters, sizeof *met);
    for (size_t k = 0; k < p->about.letters; k++) {
        const char *letter = temper_model_letter(p->model, k);
        const uint32_t *number = table_find(&known, letter, strlen(letter));
        if (number)
            met[spec_letter[k] = *number] = true;
        else
            letter_missing(a, letter, "model", "formula");
    }
    for (size_t k = 0; k < temper_spec_about(p->spec).letters; k++)
        if (!met[k]) letter_missing(a, temper_spec_letter(p->spec, k), "formula", "model");
    return spec_letter;
}

static _Noreturn void output_missing(arena *a, const char *name, const char *here, const char *there) {
    trap_raise_hint(a->trap, TEMPER_RANGE, 0, 0, "formula and model must have the same outputs",
                    "output '%s' of the %s is none of the %s", text_escaped(a, name, strlen(name), 40), here, there);
}

/* Outputs are matched by name, as letters are. */
static const uint32_t *match_outputs(const check_plan *p, arena *a) {
    temper_spec_info about = temper_spec_about(p->spec);
    table known;
    bool fresh;
    if (about.kind != p->about.kind)
        trap_raise(a->trap, TEMPER_RANGE, 0, 0, "the kind of the model is %s, but that of the specification is %s",
                   temper_kind_name(p->about.kind), temper_kind_name(about.kind));
    table_init(&known, a);
    for (size_t k = 0; k < about.outputs; k++) {
        const char *name = temper_spec_output_name(p->spec, k);
        table_put(&known, name, strlen(name), (uint32_t)k, &fresh);
    }
    uint32_t *found = arena_alloc(a, p->about.outputs, sizeof *found);
    bool *met = arena_zalloc(a, about.outputs, sizeof *met);
    for (size_t k = 0; k < p->about.outputs; k++) {
        const char *name = temper_model_output_name(p->model, k);
        const uint32_t *number = table_find(&known, name, strlen(name));
        if (!number) output_missing(a, name, "model", "formula");
        met[found[k] = *number] = true;
    }
    for (size_t k = 0; k < about.outputs; k++)
        if (!met[k]) output_missing(a, temper_spec_output_name(p->spec, k), "formula", "model");
    return found;
}

/* How many strings there are to compare; refuses what would never end. */
static uint64_t count_strings(const check_plan *p, const temper_check_options *o, trap *t) {
    const uint64_t most = (uint64_t)1 << 62;
    uint64_t letters = p->sides.classes, layer = 1, total = 1;
    bool endless = false;
    if (letters == 1) {
        endless = o->exhaustive >= most;
        total += o->exhaustive;
    } else if (letters > 1) {
        for (size_t k = 1; k <= o->exhaustive && !endless; k++)
            endless = __builtin_mul_overflow(layer, letters, &layer) ||
                      __builtin_add_overflow(total, layer, &total) || total > most;
    }
    if (endless || __builtin_add_overflow(total, o->random, &total) || total > most)
        trap_raise_hint(t, TEMPER_LIMIT, 0, 0, "choose a smaller length for the exhaustive part",
                        "more than 2^62 strings: %zu letters, all strings up to length %zu, %llu random ones",
                        p->about.letters, o->exhaustive, (unsigned long long)o->random);
    return total;
}

/* What is proved of the model as it is; sets `proved` and `roles`. */
static void refuse_lengths(check_plan *p, arena *a) {
    temper_claim claim = proved_at(p->model, TEMPER_TYPE_F64, false, 0, a->trap).claim;
    if (claim == TEMPER_CLAIM_NONE) return;
    length_proof proved = proved_at(p->model, TEMPER_TYPE_F64, false, p->longest, a->trap);
    p->proved = proved.claim != TEMPER_CLAIM_NONE;
    p->roles = proved.claim == TEMPER_CLAIM_FORMULA || proved.claim == TEMPER_CLAIM_VIABLE;
    /* a model that was not made for a length is compared as it is: this is how to find out about it */
    bool promised = claim != TEMPER_CLAIM_CHOICES || model_has_record(&p->model->record);
    if (p->proved || !promised) return;
    temper_proof whole = proved_longest(p->model, TEMPER_TYPE_F64, false, a->trap);
    trap_raise_hint(a->trap, TEMPER_LIMIT, 0, 0, text_escaped(a, whole.obstacle, strlen(whole.obstacle), 200),
                    "strings of length %zu are beyond the model's proved length, %zu", p->longest, whole.length);
}

/* How strings will be compared, and so how many make a unit that takes about a tenth of a second. */
static unit_sizes choose_way(check_plan *p, arena *scratch) {
    if (!p->roles) return (unit_sizes){1 << 7, 1 << 12};
    const tree *t = tree_new(scratch, &p->sides, p->exhaustive);
    p->has_tree = t != NULL;
    p->mirrored = t && tree_is_mirrored(t);
    return t ? (unit_sizes){1 << 13, 1 << 18} : (unit_sizes){1 << 11, 1 << 15};
}

/* A model that reads its language from the right says nothing about prefixes: at every position its truth is compared
   with that of the rest of the string. */
static const temper_spec *spec_as_model(const temper_spec *spec, arena *a, arena *scratch) {
    if (spec->root && formula_at(&spec->graph, spec->root)->op == OP_MATCHES_REST) return spec;
    if (!spec_is_language(spec))
        trap_raise_remedy(a->trap, TEMPER_UNSUPPORTED, 0, 0, TEMPER_REMEDY_PREFIXES,
                          "the model reads its language from the right: it is compared with a regular expression or "
                          "an automaton only");
    return spec_from_right(spec, a, scratch);
}

/* Two letters are of one class if their rows of the embedding are the same, term by term, and every set of letters
   and automaton of the formula has both or neither: then no side gives different answers to two strings that differ
   only in such letters. So one string stands for all of them. */
static bool same_row(const model_rows *rows, uint32_t x, uint32_t y) {
    size_t size = rows->start[x + 1] - rows->start[x];
    if (rows->start[y + 1] - rows->start[y] != size) return false;
    for (size_t k = 0; k < size; k++) {
        const model_term *a = &rows->terms[rows->start[x] + k], *b = &rows->terms[rows->start[y] + k];
        if (a->channel != b->channel || memcmp(&a->weight, &b->weight, sizeof a->weight) != 0) return false;
    }
    return true;
}

static uint32_t *formula_classes(const check_plan *p, arena *a) {
    uint32_t count, letters = (uint32_t)p->about.letters, *of = arena_zalloc(a, letters, sizeof *of);
    uint32_t total = (uint32_t)temper_spec_about(p->spec).letters;
    const uint32_t *all = NULL;
    for (size_t k = 0; k < spec_output_count(p->spec); k++) {
        const uint32_t *own = formula_letter_classes(&count, &p->spec->graph, spec_output_root(p->spec, k), total, a);
        all = all ? classes_join(&count, all, own, total, a) : own;
    }
    for (uint32_t k = 0; k < letters; k++) of[k] = all ? all[p->sides.spec_letter[k]] : k;
    return of;
}

enum { MANY_LETTERS = 4096 }; /* beyond it every letter is a class of its own */

static void find_classes(check_plan *p, arena *a) {
    uint32_t letters = (uint32_t)p->about.letters;
    uint32_t *class_of = arena_alloc(a, letters, sizeof *class_of);
    uint32_t *digits = arena_alloc(a, 2 * (size_t)letters, sizeof *digits);
    const uint32_t *of = p->spec ? formula_classes(p, a) : arena_zalloc(a, letters, sizeof *of);
    check_members *members = arena_zalloc(a, letters, sizeof *members);
    size_t count = 0;
    for (uint32_t k = 0; k < letters; k++) {
        uint32_t c = 0;
        if (letters > MANY_LETTERS) c = k;
        while (c < count && (of[digits[c]] != of[k] || !same_row(&p->model->embedding, digits[c], k))) c++;
        if (c == count) digits[count++] = k;
        class_of[k] = c;
        members[c].count++;
    }
    uint32_t *all = arena_alloc(a, letters, sizeof *all);
    for (size_t c = 0; c < count; all += members[c].count, members[c++].count = 0) members[c].letters = all;
    for (uint32_t k = 0; k < letters; k++) members[class_of[k]].letters[members[class_of[k]].count++] = k;
    for (uint32_t k = 0; k < letters; k++) digits[count + k] = k;
    p->sides.classes = count;
    p->sides.class_of = class_of;
    p->sides.letter = digits;
    p->members = members;
}

void check_plan_sides(check_plan *p, arena *a, arena *scratch) {
    if (!p->model) trap_raise(a->trap, TEMPER_RANGE, 0, 0, "there is no model to check");
    p->about = temper_model_about(p->model);
    if (!p->spec && p->about.method == TEMPER_METHOD_HARD)
        trap_raise_hint(a->trap, TEMPER_RANGE, 0, 0, "give a formula, or a soft model",
                        "a hard model alone has nothing to be compared with");
    if (p->spec && model_is_from_right(p->model)) p->spec = spec_as_model(p->spec, a, scratch);
    p->sides = (check_sides){.spec = p->spec, .model = p->model};
    if (p->spec) p->sides.spec_letter = match_alphabets(p, a);
    if (p->spec) p->sides.spec_output = match_outputs(p, a);
    find_classes(p, a);
}

void check_plan_make(check_plan *p, const temper_check_options *o, arena *a, arena *scratch) {
    check_plan_sides(p, a, scratch);
    p->total = count_strings(p, o, a->trap);
    p->random = o->random;
    p->seed = o->seed;
    p->exhaustive = p->about.letters ? o->exhaustive : 0;
    p->most = p->about.letters && o->random ? o->length : 0;
    p->longest = p->exhaustive > p->most ? p->exhaustive : p->most;
    refuse_lengths(p, a);
    arena_alloc(scratch, p->longest, sizeof(uint32_t)); /* a worker's words: no memory, no plan */
    unit_sizes sizes = choose_way(p, scratch);
    units_make(&p->units, p->sides.classes, p->exhaustive, p->random, sizes, a);
    if (p->units.exhaustive + p->units.random > JOB_MOST_UNITS)
        trap_raise(a->trap, TEMPER_LIMIT, 0, 0, "too many units of work: %llu",
                   (unsigned long long)(p->units.exhaustive + p->units.random));
}
