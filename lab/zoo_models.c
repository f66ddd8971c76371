/* Compiled models, run with every mechanism in the place of softmax: up to which length are their answers right? */
#include "lab/mechanism_model.h"
#include "lab/zoo.h"

#include <math.h>
#include <string.h>

enum { SINGLE = 4, MODELS = SINGLE + 1, STRINGS = 16 };

/* One model per kind of head, two heads of a kind before one gate, and all kinds, one above the other, at the maps of
   the others. */
static const char *const formulas[MODELS] = {"O a", "O a & O b", "b S a", "#[a] >= #[b]",
                                             "O (a & (b S c)) & #[a] >= #[b]"};
static const head_kind kinds[SINGLE] = {HEAD_ONCE, HEAD_ONCE, HEAD_SINCE, HEAD_COMPARE};

typedef struct subject {
    temper_spec *spec;
    temper_model *model;
} subject;

static void free_subject(void *what) {
    subject *s = what;
    temper_model_free(s->model);
    temper_spec_free(s->spec);
}

static void check(lab *l, temper_status status, const temper_error *err) {
    if (status != TEMPER_OK) trap_reraise(l->trap, err);
}

const temper_model *zoo_model(lab *l, const char *formula, const temper_spec **spec) {
    subject *s = arena_zalloc(&l->memory, 1, sizeof *s);
    temper_error err;
    temper_spec_options o = {.alphabet = "abcd", .at = TEMPER_AT_LAST};
    temper_build_options build = {.method = TEMPER_METHOD_TEMPERATURE};
    arena_on_release(&l->memory, free_subject, s);
    check(l, temper_spec_parse(&s->spec, formula, strlen(formula), &o, &err), &err);
    check(l, temper_build(&s->model, s->spec, &build, &err), &err);
    if (spec) *spec = s->spec;
    return s->model;
}

/* Strings near the edge between yes and no: one letter among many others, at either end or in the middle; equal
   counts; and random ones. */
static void draw(uint32_t *w, lab *l, size_t n, size_t which) {
    static const uint32_t common[] = {2, 2, 2, 0, 0, 1, 1, 2};
    for (size_t j = 0; j < n; j++) w[j] = common[which % 8];
    switch (which) {
    case 0: w[n - 1] = 0; break;               /* the last is right, all others are not */
    case 1: w[0] = 0; break;                   /* the first */
    case 2: w[n / 2] = 0, w[n - 1] = 1; break; /* one in the middle */
    case 3: w[n - 1] = 2; break;               /* the last is wrong, all others are right */
    case 4: w[n / 2] = 2; break;               /* once more in the middle, then right */
    case 5: w[0] = 0; break;                   /* a, then b to the end */
    case 6: w[0] = 2; break;                   /* no a at all */
    case 7: w[n / 2] = 0, w[n / 2 + (n > 2)] = 1; break;
    case 8:
    case 9: /* as many a as b, or one b more */
        for (size_t j = 0; j < n; j++) w[j] = j % 2;
        if (which == 9) w[0] = 1;
        break;
    default:
        for (size_t j = 0; j < n; j++)
            if (lab_random(l) % (which % 2 ? 2 : 6) == 0) w[j] = (uint32_t)(lab_random(l) % 4);
    }
}

static model_case make_case(lab *l, const temper_model *model, const temper_spec *spec, size_t n, arena *memory) {
    uint32_t *letters = arena_alloc(&l->memory, STRINGS * n, sizeof *letters);
    bool *truth = arena_alloc(&l->memory, STRINGS, sizeof *truth);
    for (size_t k = 0; k < STRINGS; k++) {
        temper_error err;
        int accept = 0;
        draw(letters + k * n, l, n, k);
        check(l, temper_spec_eval(&accept, NULL, spec, letters + k * n, n, &err), &err);
        truth[k] = accept;
    }
    return (model_case){model, n, STRINGS, letters, truth, memory};
}

/* With softmax the plain pass says what the project's own runner says. */
static size_t compare_runners(lab *l, const model_case *c, model_maps *maps, const search_room *room) {
    size_t differ = 0;
    temper_run_options o = {.threads = 1};
    for (size_t k = 0; k < c->count; k++) {
        temper_run *run = NULL;
        temper_error err;
        check(l, temper_model_run(&run, c->model, c->letters + k * c->n, c->n, &o, &err), &err);
        differ += (bool)temper_run_about(run).accept !=
                      mechanism_model_answer(c, k, mechanism_find("softmax"), maps, room) ||
                  (bool)temper_run_about(run).accept != c->truth[k];
        temper_run_free(run);
    }
    return differ;
}

static void show(lab *l, size_t (*reach)[MODELS], const size_t *tried) {
    static const lab_column columns[] = {{"mechanism", LAB_TEXT, "name"},
                                         {"once", LAB_COUNT, "letters: O a"},
                                         {"gate", LAB_COUNT, "letters: O a & O b"},
                                         {"since", LAB_COUNT, "letters: b S a"},
                                         {"majority", LAB_COUNT, "letters: #[a] >= #[b]"},
                                         {"together", LAB_COUNT, "letters: O (a & (b S c)) & #[a] >= #[b]"},
                                         {"tried", LAB_COUNT, "longest"}};
    lab_table *t =
        LAB_TABLE(l, "models", "Compiled models run with another normaliser: the largest length that is right",
                  columns, SIZE_MAX);
    for (size_t k = 0; k < mechanism_count(); k++) {
        lab_put_text(t, mechanism_at(k)->name);
        for (size_t f = 0; f < MODELS; f++) lab_put_count(t, reach[k][f]);
        lab_put_count(t, tried[k]);
    }
}

static size_t index_of(const char *name) {
    size_t k = 0;
    while (strcmp(mechanism_at(k)->name, name)) k++;
    return k;
}

arena *zoo_arena(lab *l) {
    arena *a = arena_alloc(&l->memory, 1, sizeof *a);
    arena_init(a, l->trap);
    arena_on_release(&l->memory, (void (*)(void *))arena_free, a);
    return a;
}

/* All models at growing lengths; a model that was wrong once is not run again. */
static void climb(size_t reach[MODELS], const mechanism *m, model_case (*cases)[MODELS], size_t count,
                  model_maps *maps, const search_room *room) {
    bool right[MODELS] = {true, true, true, true, true};
    for (size_t a = 0; a < count; a++) {
        for (size_t f = 0; f < SINGLE; f++) {
            right[f] = right[f] && mechanism_model_works(maps, &cases[a][f], m, kinds[f], room);
            if (right[f]) reach[f] = cases[a][f].n;
            right[SINGLE] = right[SINGLE] && right[f];
        }
        const model_case *all = &cases[a][SINGLE]; /* with the maps that were right for each */
        for (size_t k = 0; right[SINGLE] && k < all->count; k++)
            right[SINGLE] = mechanism_model_answer(all, k, m, maps, room) == all->truth[k];
        if (right[SINGLE]) reach[SINGLE] = all->n;
    }
}

void zoo_models(lab *l, arena *scratch) {
    static const size_t lengths[] = {2, 3, 4, 6, 8, 12, 16, 24, 32, 48};
    size_t count = l->quick ? 5 : 10, few = l->quick ? 3 : 6, longest = lengths[count - 1] + 2, differ = 0, able = 0;
    arena *memory = zoo_arena(l);
    search_room room = {arena_alloc(&l->memory, longest, sizeof(double)),
                        arena_alloc(&l->memory, longest, sizeof(double)), longest, scratch};
    model_case cases[10][MODELS];
    for (size_t f = 0; f < MODELS; f++) {
        const temper_spec *spec;
        const temper_model *model = zoo_model(l, formulas[f], &spec);
        for (size_t a = 0; a < count; a++) cases[a][f] = make_case(l, model, spec, lengths[a], memory);
    }
    size_t(*reach)[MODELS] = arena_zalloc(&l->memory, mechanism_count(), sizeof *reach),
    *tried = arena_zalloc(&l->memory, mechanism_count(), sizeof *tried);
    model_maps maps = {.level = arena_zalloc(&l->memory, longest + 1, sizeof(double)),
                       .uniform = arena_zalloc(&l->memory, longest + 1, sizeof(double))};
    for (size_t k = 0; k < mechanism_count(); k++) {
        const mechanism *m = mechanism_at(k);
        size_t limit = mechanism_is_costly(m) ? few : count;
        maps.once = maps.since = (score_map){0, 0, 0};
        climb(reach[k], m, cases, limit, &maps, &room);
        tried[k] = lengths[limit - 1];
        able += reach[k][SINGLE] == tried[k];
        if (!strcmp(m->name, "softmax")) /* with the maps of the longest strings */
            for (size_t f = 0; f < MODELS; f++) differ += compare_runners(l, &cases[limit - 1][f], &maps, &room);
        lab_progress(l, 85 + 5 * (k + 1) / mechanism_count(), 100);
    }
    show(l, reach, tried);
    lab_claim_add(
        l, differ == 0,
        "With softmax in the place of softmax the plain pass answers as the model's own runner and the logic",
        "%d strings of %zu letters for each of %d models, %zu differ", STRINGS, lengths[count - 1], MODELS, differ);
    static const char *const runners[] = {
        "softmax",  "log-n",     "ssmax",  "focal",    "softermax",       "differential",    "affine",
        "integral", "sparsemax", "entmax", "softpick", "hardmax-average", "softmax-plus-one"};
    bool fine = true;
    for (size_t k = 0; k < sizeof runners / sizeof *runners; k++)
        fine = fine && reach[index_of(runners[k])][SINGLE] == lengths[count - 1];
    lab_claim_add(
        l, fine,
        "Compiled models really run with softmax at any temperature schedule, Softermax, differential, affine, "
        "integral attention, softmax+1, softpick, sparsemax, entmax and average-hard attention",
        "five models, right on all strings up to %zu letters; so do %zu of %zu mechanisms", lengths[count - 1], able,
        mechanism_count());
    static const char *const never[] = {"sin-softmax", "relu-n", "polynomial", "sigmoid", "taylor", "ssa"},
                             *const sums[] = {"relu-n", "polynomial", "polynomial-square", "sigmoid", "soft"};
    size_t furthest = 0;
    for (size_t k = 0; k < sizeof never / sizeof *never; k++) {
        size_t got = reach[index_of(never[k])][2];
        if (got > furthest) furthest = got;
    }
    lab_claim_add(l, furthest < lengths[count - 1],
                  "Periodic, polynomial, sigmoid, ReLU, Taylor and SSA attention run no since beyond some letters",
                  "the best of them is right up to %zu letters, of %zu tried", furthest, lengths[count - 1]);
    bool alone = true, gated = false;
    for (size_t k = 0; k < sizeof sums / sizeof *sums; k++) {
        alone = alone && reach[index_of(sums[k])][0] == lengths[count - 1];
        gated = gated || reach[index_of(sums[k])][1] > 0;
    }
    lab_claim_add(l, alone && !gated,
                  "What does not normalise runs a lone once head, whose output is rounded, but no gate over two: k "
                  "matches count k there",
                  "ReLU/n, polynomials, sigmoid and SOFT: O a at all lengths, O a & O b at none");
}
