/* The pass: sizes are tried from the smallest on until the plan fits. */
#include "ordinary/lower/ordinary_from_model.h"

#include "build/build.h"
#include "compile/next_outputs.h"
#include "ordinary/lower/ordinary_plan.h"

/* ---- the hard model ---- */

void ordinary_hard_free(void *hard) {
    ordinary_hard *h = hard;
    temper_model_free(h->model);
    temper_spec_free(h->next);
    *h = (ordinary_hard){0};
}

static bool looks_both_ways(const temper_model *m) {
    bool back = false, forward = m->has_end;
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t k = 0; k < m->layers[l].head_count; k++) {
            temper_mask mask = m->layers[l].heads[k].mask;
            back = back || (mask != TEMPER_MASK_AFTER && mask != TEMPER_MASK_FROM);
            forward = forward || (mask != TEMPER_MASK_BEFORE && mask != TEMPER_MASK_UP_TO);
        }
    return back && forward;
}

/* Whether a step succeeded that there is another way for; a lack of memory is no reason to take it. */
static bool succeeds(trap *t, temper_status status, const temper_error *why) {
    if (status == TEMPER_NO_MEMORY) trap_reraise(t, why);
    return status == TEMPER_OK;
}

typedef temper_status (*builder)(temper_model **, const temper_spec *, temper_error *);

static temper_status build_by_default(temper_model **out, const temper_spec *spec, temper_error *err) {
    return temper_build(out, spec, NULL, err);
}

static void build_causal(ordinary_hard *out, entry *e, const temper_spec *spec, builder make) {
    temper_error why;
    bool model = spec->kind == TEMPER_KIND_NEXT && !spec_output_count(spec);
    if ((model || spec->kind == TEMPER_KIND_ACCEPTOR) &&
        succeeds(e->trap, temper_spec_next(&out->next, NULL, spec, &why), &why)) {
        if (succeeds(e->trap, make(&out->model, out->next, &why), &why)) return;
        ordinary_hard_free(out);
    }
    if (model || make(&out->model, spec, &why) != TEMPER_OK) trap_reraise(e->trap, &why);
    const temper_model *hard = out->model;
    if (looks_both_ways(hard))
        trap_raise(e->trap, TEMPER_UNSUPPORTED, 0, 0,
                   "the specification looks both ways, and a causal transformer sees only what came before");
    if (!ordinary_reads_where_it_stands(hard, hard->has_end))
        trap_raise_hint(e->trap, TEMPER_UNSUPPORTED, 0, 0, "read it where it looks from",
                        "the specification looks %s, but is read at the %s position; a causal transformer answers "
                        "where it stands",
                        hard->has_end ? "ahead" : "back", hard->has_end ? "last" : "first");
}

/* Of positions. */
static bool has_remainders(const temper_model *m) {
    for (uint32_t c = 0; c < m->channel_count; c++)
        if (m->channels[c].position && expression_uses(m->channels[c].position, EXPR_MOD)) return true;
    return false;
}

/* How many layers more single steps may take: they are proved further, and in a Llama remainders of positions need
   frequencies of their own, which only GGUF can say. */
enum { LAYERS_FOR_LENGTH = 2, LAYERS_FOR_FILES = 12 };

void ordinary_hard_make(ordinary_hard *out, entry *e, const temper_spec *spec, const struct ordinary_options *o) {
    uint32_t more = o->architecture == ORDINARY_LLAMA ? LAYERS_FOR_FILES : LAYERS_FOR_LENGTH;
    build_causal(out, e, spec, build_by_default);
    if (!has_remainders(out->model)) return;
    ordinary_hard *plain = arena_zalloc(&e->memory, 1, sizeof *plain), other;
    entry_on_leaving(e, ordinary_hard_free, plain);
    build_causal(plain, e, spec, build_with_single_steps);
    if (has_remainders(plain->model) || plain->model->layer_count > out->model->layer_count + more) return;
    other = *out;
    *out = *plain;
    *plain = other;
}

static ordinary_hard *new_hard(entry *e) {
    ordinary_hard *h = arena_zalloc(&e->memory, 1, sizeof *h);
    entry_on_leaving(e, ordinary_hard_free, h);
    return h;
}

const temper_model *ordinary_hard_model(entry *e, const temper_spec *spec, const temper_spec **read) {
    ordinary_hard *h = new_hard(e);
    build_causal(h, e, spec, build_by_default);
    *read = h->next ? h->next : spec;
    return h->model;
}

const temper_model *ordinary_hard_model_for(entry *e, const temper_spec *spec, const struct ordinary_options *o,
                                            const temper_spec **read) {
    ordinary_hard *h = new_hard(e);
    ordinary_hard_make(h, e, spec, o);
    *read = h->next ? h->next : spec;
    return h->model;
}

bool ordinary_reads_where_it_stands(const temper_model *hard, bool mirrored) {
    return hard->kind != TEMPER_KIND_ACCEPTOR || hard->at == (mirrored ? TEMPER_AT_FIRST : TEMPER_AT_LAST);
}

/* ---- options ---- */

struct ordinary_options ordinary_options_of(const temper_ordinary_options *o, trap *t) {
    if (o->architecture > TEMPER_ORDINARY_LLAMA) trap_raise(t, TEMPER_RANGE, 0, 0, "there is no such architecture");
    if (o->positions > TEMPER_ORDINARY_POSITIONS_DIGITS)
        trap_raise(t, TEMPER_RANGE, 0, 0, "there are no such positions");
    return (struct ordinary_options){
        .architecture = o->architecture == TEMPER_ORDINARY_GPT2 ? ORDINARY_GPT2 : ORDINARY_LLAMA,
        .length = o->length,
        .weights = o->weights_f16 ? ORDINARY_F16 : ORDINARY_F32,
        .kv = o->cache_f32 ? ORDINARY_F32 : ORDINARY_F16,
        .positions = (enum ordinary_positions)o->positions,
    };
}

const char *ordinary_role_name(ordinary_role role) {
    static const char *const names[] = {
        [ORDINARY_ONCE] = "once",       [ORDINARY_MEAN] = "mean",       [ORDINARY_WEIGHED] = "weighed mean",
        [ORDINARY_COMPARE] = "compare", [ORDINARY_NEAREST] = "nearest", [ORDINARY_YESTERDAY] = "yesterday",
        [ORDINARY_MATCH] = "match",     [ORDINARY_LOOKUP] = "look-up",  [ORDINARY_WAVE] = "wave"};
    return names[role];
}

/* ---- sizes ---- */

/* Llama: powers of four, for which the norm is exact (doc/ordinary.md, "Norms"), while they are not too large. */
static uint32_t next_width(enum ordinary_architecture architecture, uint32_t width) {
    if (architecture == ORDINARY_GPT2) return width < 128 ? 128 : width < 256 ? 256 : width + 256;
    return width < 64 ? 64 : width < 256 ? 256 : width < 1024 ? 1024 : width + 256;
}

enum { WIDTH_LIMIT = 8192, HEAD_SIZE_LEAST = 16, HEAD_SIZE_LIMIT = 256 };

static void begin(ordinary_plan *p, arena *scratch, const temper_model *hard, const struct ordinary_options *o,
                  uint32_t head_size, uint32_t width, bool digits) {
    *p = (ordinary_plan){.arena = scratch, .hard = hard, .options = *o, .digits = digits, .head_size = head_size};
    p->slots = width / head_size;
    table_init(&p->places, scratch);
    if (digits)
        while ((size_t)1 << p->bits <= o->length) p->bits++;
}

/* Whether the score of every head has room. */
static bool has_rows(const ordinary_plan *p) {
    bool llama = p->options.architecture == ORDINARY_LLAMA;
    uint32_t pairs = llama && p->waves ? plan_wave_pair(p, p->waves - 1) + 1 : 0;
    return p->need_rows <= plan_content_rows(p) && pairs <= p->head_size / 2 && p->bits <= p->head_size / 2;
}

static bool has_columns(ordinary_plan *p, uint32_t width) {
    if (p->options.architecture == ORDINARY_LLAMA) return p->column_count + 1 <= width;
    p->zero_sums = ordinary_zero_sums(p->column_count, width);
    return p->zero_sums > 0;
}

typedef struct lowering_call {
    struct ordinary_model *out;
    arena *memory, *scratch;
    const temper_model *hard;
    const struct ordinary_options *options;
    bool digits;
} lowering_call;

static void lower(void *context) {
    lowering_call *c = context;
    uint32_t head_size = HEAD_SIZE_LEAST, width = next_width(c->options->architecture, 0);
    for (;;) {
        ordinary_plan p;
        arena_reset(c->scratch);
        begin(&p, c->scratch, c->hard, c->options, head_size, width, c->digits);
        plan_from_model(&p);
        if (!c->options->unchecked) plan_check_reach(&p);
        if (!has_rows(&p))
            head_size *= 2;
        else if (!has_columns(&p, width))
            width = next_width(c->options->architecture, width);
        else {
            c->out = ordinary_emit(&p, c->memory, width);
            return;
        }
        while (width < head_size) width = next_width(c->options->architecture, width);
        if (head_size > HEAD_SIZE_LIMIT || width > WIDTH_LIMIT)
            trap_raise(c->scratch->trap, TEMPER_LIMIT, 0, 0,
                       "the model needs more than %d columns, or heads of more than %d dimensions", WIDTH_LIMIT,
                       HEAD_SIZE_LIMIT);
    }
}

/* Runs the pass with errors of its own. */
static bool attempt(lowering_call *c, temper_error *why) {
    trap inner, *outer = c->memory->trap;
    c->memory->trap = c->scratch->trap = &inner;
    bool done = trap_attempt(&inner, why, lower, c);
    c->memory->trap = c->scratch->trap = outer;
    if (!done && inner.error.code == TEMPER_NO_MEMORY) {
        arena_free(c->scratch);
        trap_reraise(outer, &inner.error);
    }
    return done;
}

struct ordinary_model *ordinary_from_model(arena *a, const temper_model *hard, const struct ordinary_options *o) {
    arena *scratch = arena_alloc(a, 1, sizeof *scratch);
    lowering_call c = {.memory = a, .scratch = scratch, .hard = hard, .options = o};
    temper_error ramp, digits;
    if (hard->method != TEMPER_METHOD_HARD)
        trap_raise(a->trap, TEMPER_RANGE, 0, 0, "only a hard model becomes an ordinary transformer");
    if (o->length < 1 || o->length > ORDINARY_LENGTH_LIMIT)
        trap_raise(a->trap, TEMPER_RANGE, 0, 0, "the length of an ordinary transformer is 1 to %d letters",
                   ORDINARY_LENGTH_LIMIT);
    arena_init(scratch, a->trap);
    bool llama = o->architecture == ORDINARY_LLAMA, done = false;
    if (!llama || o->positions != ORDINARY_POSITIONS_DIGITS) done = attempt(&c, &ramp);
    if (!done && llama && o->positions != ORDINARY_POSITIONS_RAMP) {
        c.digits = true;
        done = attempt(&c, &digits);
    }
    arena_free(scratch);
    if (!done) trap_reraise(a->trap, c.digits ? &digits : &ramp);
    return c.out;
}
