/* temper lab precision: the length at which each operator breaks, by method and number format, against what theory
   predicts. */
#include "limits/adversary.h"
#include "lab/lab.h"
#include "lab/precision.h"
#include "number/elementary.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name, *formula;
} operators[BREAKS] = {{"once", "O a"},
                       {"since", "a S b"},
                       {"yesterday", "Y a"},
                       {"compare", "#[a] >= #[b]"},
                       {"balance", "#[a] = #>[b]"},
                       {"look-up", "#[a] % 2 = 1"}};

static const temper_method methods[] = {TEMPER_METHOD_TEMPERATURE, TEMPER_METHOD_POSITIONS, TEMPER_METHOD_DIGITS};
enum { METHODS = sizeof methods / sizeof *methods, CELLS = BREAKS * METHODS };

/* The shortest first; the quick experiment takes those that the budget of a moment reaches. */
static const struct {
    temper_type type, storage;
    bool quick;
} types[] = {{TEMPER_TYPE_E5M2, TEMPER_TYPE_E5M2, true},     {TEMPER_TYPE_E4M3, TEMPER_TYPE_E4M3, true},
             {TEMPER_TYPE_BF16, TEMPER_TYPE_BF16, true},     {TEMPER_TYPE_F16, TEMPER_TYPE_F16, true},
             {TEMPER_TYPE_F32, TEMPER_TYPE_F32, false},      {TEMPER_TYPE_E5M2_F32, TEMPER_TYPE_E5M2, true},
             {TEMPER_TYPE_E4M3_F32, TEMPER_TYPE_E4M3, true}, {TEMPER_TYPE_BF16_F32, TEMPER_TYPE_BF16, true},
             {TEMPER_TYPE_F16_F32, TEMPER_TYPE_F16, false}};
enum { TYPES = sizeof types / sizeof *types };

/* ---- measuring ---- */

typedef struct outcome {
    breaking_operator op;
    temper_method method;
    temper_type type;
    double p, q;
    size_t certified, wrong, swept, tried; /* wrong: 0 if none was found */
    temper_why why;
    forecast expected;
} outcome;

static const size_t EMULATED_MOST = 20000;

/* Nanoseconds, about. Short lengths need little; a wrong length that is far away needs strings of that length, and
   heads that look at all pairs the square of it. */
static uint64_t budget_of(breaking_operator op, temper_method method, temper_type type, bool quick) {
    forecast f = precision_forecast(op, method, type);
    if (quick) return 20000000;
    if (type == TEMPER_TYPE_F32) /* 2^24/3 can be reached; 2^24 and more would take minutes */
        return op == BREAKS_SINCE && method == TEMPER_METHOD_TEMPERATURE ? 5000000000 : 300000000;
    if (op == BREAKS_COMPARE && f.size > 1000 && f.size < (double)EMULATED_MOST) return 5000000000;
    if (f.size <= 64) return 60000000;
    return f.size <= 1024 ? 250000000 : 400000000;
}

static void free_model(void *model) { temper_model_free(model); }
static void free_spec(void *spec) { temper_spec_free(spec); }

static temper_model *make_model(const temper_spec *spec, temper_method method, temper_type type, arena *scratch) {
    temper_model *made;
    temper_error e;
    temper_build_options o = {.method = method};
    if (method == TEMPER_METHOD_DIGITS) o.digits = type;
    if (temper_build(&made, spec, &o, &e)) trap_reraise(scratch->trap, &e);
    arena_on_release(scratch, free_model, made);
    return made;
}

/* False: given up because the watch said so. */
static bool measure_row(outcome *x, const temper_model *m, uint64_t seed, bool quick, const job_watch *watch,
                        arena *scratch) {
    wrong_answer found;
    bool stopped;
    temper_error e;
    bool f32 = x->type == TEMPER_TYPE_F32;
    adversary_options o = {.longest = quick ? 2500
                                      : f32 ? (size_t)1 << 23
                                            : EMULATED_MOST,
                           .budget = budget_of(x->op, x->method, x->type, quick),
                           .seed = seed,
                           .watch = watch};
    if (x->expected.size < (double)o.longest) o.near = (size_t)x->expected.size;
    if (adversary_search(&found, &stopped, m, x->type, &o, scratch)) {
        x->wrong = found.n;
        x->why = found.why;
    }
    x->swept = found.swept;
    x->tried = found.tried;
    if (stopped) return false;
    temper_proof proof;
    if (temper_model_proof(&proof, m, x->type, 0, &e)) trap_reraise(scratch->trap, &e);
    x->certified = proof.length;
    return true;
}

/* Tells the lab what was spent; true: stop. */
typedef struct watcher {
    lab *l;
    uint64_t done, total;
} watcher;

static bool tick(void *context, uint64_t more) {
    watcher *w = context;
    w->done += more;
    if (w->done > w->total) w->done = w->total;
    return w->l->progress && w->l->progress(w->l->context, w->done, w->total);
}

static size_t count_cells(bool quick) {
    (void)quick;
    return CELLS;
}

static outcome blank_row(size_t cell, size_t type) {
    breaking_operator op = (breaking_operator)(cell / METHODS);
    temper_method method = methods[cell % METHODS];
    const number_type *t = number_type_of(types[type].type);
    return (outcome){.op = op,
                     .method = method,
                     .type = types[type].type,
                     .p = t->storage->precision,
                     .q = t->accumulation->precision,
                     .expected = precision_forecast(op, method, types[type].type)};
}

/* An operator by a method, in every format. */
static void measure(text *result, lab *l, size_t cell, arena *scratch) {
    temper_spec *spec;
    temper_error e;
    temper_spec_options so = {.alphabet = "abc", .at = TEMPER_AT_LAST};
    const char *formula = operators[cell / METHODS].formula;
    watcher w = {l, 0, 0};
    job_watch watch = {tick, &w};
    uint64_t seed = lab_random(l), spent = 0;
    if (temper_spec_parse(&spec, formula, strlen(formula), &so, &e)) trap_reraise(scratch->trap, &e);
    arena_on_release(scratch, free_spec, spec);
    for (size_t k = 0; k < TYPES; k++)
        if (!l->quick || types[k].quick)
            w.total +=
                budget_of((breaking_operator)(cell / METHODS), methods[cell % METHODS], types[k].type, l->quick);
    for (size_t k = 0; k < TYPES; k++) {
        outcome x = blank_row(cell, k);
        if (l->quick && !types[k].quick) continue;
        lab_progress(l, w.done, w.total);
        if (!measure_row(&x, make_model(spec, x.method, types[k].storage, scratch), seed, l->quick, &watch, scratch))
            trap_raise(l->trap, TEMPER_LIMIT, 0, 0, "lab %s: stopped", l->experiment->name);
        lab_bytes_count(result, x.certified);
        lab_bytes_count(result, x.wrong);
        lab_bytes_count(result, x.swept);
        lab_bytes_count(result, x.tried);
        lab_bytes_count(result, (uint64_t)x.why);
        spent += budget_of(x.op, x.method, x.type, l->quick); /* a search that ends early leaves some of it */
        w.done = spent;
    }
}

typedef struct findings {
    outcome all[CELLS * TYPES];
    size_t count;
} findings;

static void collect(lab *l, findings *f) {
    for (size_t k = 0; k < CELLS; k++) {
        lab_reader r = lab_cell_read(l, k);
        for (size_t j = 0; j < TYPES; j++) {
            if (l->quick && !types[j].quick) continue;
            outcome *x = &f->all[f->count++];
            *x = blank_row(k, j);
            x->certified = lab_read_count(&r);
            x->wrong = lab_read_count(&r);
            x->swept = lab_read_count(&r);
            x->tried = lab_read_count(&r);
            x->why = (temper_why)lab_read_below(&r, TEMPER_WHY_GATE + 1);
        }
        lab_read_end(&r);
    }
}

/* ---- the report ---- */

static void tabulate(lab *l, const findings *f) {
    static const lab_column columns[] = {
        {"operator", LAB_TEXT, "name"},
        {"method", LAB_TEXT, "temperature, positions or digits"},
        {"type", LAB_TEXT, "storage, or storage/sums"},
        {"bits", LAB_COUNT, "significand bits p of stored numbers"},
        {"sum_bits", LAB_COUNT, "significand bits q of sums"},
        {"certified", LAB_COUNT, "largest length that is proved; 0: none"},
        {"first_wrong", LAB_COUNT, "shortest string with a wrong answer; 0: none found"},
        {"swept", LAB_COUNT, "every length was tried to here"},
        {"tried", LAB_COUNT, "longest string tried"},
        {"why", LAB_TEXT, "what made it wrong"},
        {"predicted", LAB_NUMBER, "positions; inf: never, nan: no law"},
        {"law", LAB_TEXT, "what ends it: precision, overflow, underflow"},
        {"formula", LAB_TEXT, "of the prediction, or what overflows"}};
    lab_table *t = LAB_TABLE(l, "limits", "Breaking lengths, measured and predicted", columns, SIZE_MAX);
    for (size_t k = 0; k < f->count; k++) {
        const outcome *x = &f->all[k];
        lab_put_text(t, operators[x->op].name);
        lab_put_text(t, temper_method_name(x->method));
        lab_put_text(t, temper_type_name(x->type));
        lab_put_count(t, (uint64_t)x->p);
        lab_put_count(t, (uint64_t)x->q);
        lab_put_count(t, x->certified);
        lab_put_count(t, x->wrong);
        lab_put_count(t, x->swept);
        lab_put_count(t, x->tried);
        lab_put_text(t, x->wrong ? temper_why_name(x->why) : "");
        lab_put_number(t, isfinite(x->expected.size) ? floor(10 * x->expected.size + 0.5) / 10 : x->expected.size);
        lab_put_text(t, law_names[x->expected.law]);
        lab_put_text(t, x->expected.why);
    }
}

/* With the same format for sums, or with f32: one panel an operator, measured lengths and lines of what is
   predicted. */
static void draw(lab *l, const findings *f, bool sums) {
    static const breaking_operator shown[] = {BREAKS_SINCE, BREAKS_YESTERDAY, BREAKS_COMPARE, BREAKS_BALANCE,
                                              BREAKS_LOOKUP};
    static const char *const predicted[METHODS] = {"temperature: predicted", "positions: predicted",
                                                   "digits: predicted"},
                             *const found[METHODS] = {"temperature: found", "positions: found", "digits: found"};
    double most = l->quick || sums ? 1e5 : 1e8;
    enum { PANELS = sizeof shown / sizeof *shown };
    chart_panel panels[PANELS];
    chart_series series[PANELS][2 * METHODS];
    for (size_t j = 0; j < PANELS; j++) {
        for (size_t m = 0; m < METHODS; m++) {
            double *x = arena_alloc(&l->memory, f->count, sizeof *x),
                   *y = arena_alloc(&l->memory, f->count, sizeof *y),
                   *z = arena_alloc(&l->memory, f->count, sizeof *z);
            size_t points = 0;
            for (size_t k = 0; k < f->count; k++) {
                const outcome *o = &f->all[k];
                if (o->op != shown[j] || o->method != methods[m] || (o->q > o->p) != sums) continue;
                x[points] = o->p;
                y[points] = o->wrong ? (double)o->wrong : NAN;
                z[points++] = o->expected.size >= 1 && o->expected.size <= most ? o->expected.size : NAN;
            }
            series[j][m] = (chart_series){predicted[m], x, z, points, DRAW_LINE | DRAW_DASHED, (int)m + 1};
            series[j][METHODS + m] = (chart_series){found[m], x, y, points, DRAW_MARKERS, (int)m + 1};
        }
        panels[j] = (chart_panel){operators[shown[j]].name,
                                  {"significand bits p", SCALE_LINEAR, 2, l->quick || sums ? 12 : 26, NULL, 0},
                                  {"first wrong length", SCALE_LOG, 1, most, NULL, 0},
                                  series[j],
                                  2 * METHODS,
                                  NULL,
                                  0};
    }
    chart c = {
        .title = sums ? "Where short formats break, with sums in f32" : "Where number formats break",
        .caption =
            sums ? "Shortest string found with a wrong answer (markers), stored in e5m2, e4m3, bf16 and f16 (3, 4, 8 "
                   "and 11 "
                   "bits) and summed in f32, and the predicted number of positions (dashed, where it is below 10⁵). "
                   "Digits "
                   "take since and yesterday beyond all lengths tried but in e4m3, whose range ends them, and whose "
                   "smallest number ends comparisons."
                 : lab_text(
                       l,
                       "Shortest string found with a wrong answer (markers), in %s, sums in the same format, and "
                       "the predicted number of positions (dashed): 2ᵖ up to a factor, its square root for "
                       "look-ups, less where a format overflows (f16, e4m3). Sums that look both ways (balance) "
                       "have no law but overflow. A line without a marker: longer than what was tried. Once never "
                       "broke.",
                       l->quick ? "e5m2, e4m3, bf16 and f16 (3, 4, 8 and 11 bits)"
                                : "e5m2, e4m3, bf16, f16 and f32 (3, 4, 8, 11 and 24 bits)"),
        .panels = panels,
        .panel_count = PANELS,
        .columns = 3,
        .panel_width = 220,
        .panel_height = 170,
        .shared_y = true,
        .legend = true};
    lab_figure_add(l, sums ? "sums-f32" : "formats", &c);
}

/* The slope of log2(first wrong) over the bits, formats that break by precision with sums in themselves; NaN: less
   than two. */
static double slope_of(const findings *f, breaking_operator op, temper_method method) {
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (size_t k = 0; k < f->count; k++) {
        const outcome *o = &f->all[k];
        if (o->op != op || o->method != method || o->q > o->p || !o->wrong || o->why == TEMPER_WHY_OVERFLOW) continue;
        double x = o->p, y = log_f64((double)o->wrong) / log_f64(2);
        n++, sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    return n < 2 ? NAN : (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

static void claim_slopes(lab *l, const findings *f) {
    static const lab_column columns[] = {{"operator", LAB_TEXT, "name"},
                                         {"method", LAB_TEXT, "temperature, positions or digits"},
                                         {"slope", LAB_NUMBER, "of log2 of the first wrong length over bits"},
                                         {"predicted", LAB_NUMBER, "1: 2ᵖ, 1/2: its square root"}};
    static const breaking_operator ruled[] = {BREAKS_SINCE, BREAKS_YESTERDAY, BREAKS_COMPARE, BREAKS_LOOKUP};
    lab_table *t = LAB_TABLE(l, "slopes", "Growth of the first wrong length with the bits", columns, SIZE_MAX);
    double worst = 0;
    size_t fitted = 0;
    for (size_t j = 0; j < sizeof ruled / sizeof *ruled; j++)
        for (size_t m = 0; m < METHODS; m++) {
            double slope = slope_of(f, ruled[j], methods[m]), law = ruled[j] == BREAKS_LOOKUP ? 0.5 : 1;
            lab_put_text(t, operators[ruled[j]].name);
            lab_put_text(t, temper_method_name(methods[m]));
            lab_put_number(t, slope);
            lab_put_number(t, law);
            if (isnan(slope)) continue;
            fitted++;
            if (fabs(slope - law) > worst) worst = fabs(slope - law);
        }
    lab_claim_add(
        l, fitted >= 8 && worst < 0.2,
        "The breaking length grows as 2ᵖ for since, yesterday and compare, and as its square root for look-ups",
        "largest difference of a fitted slope %.3g, %zu fits", worst, fitted);
}

/* Lengths against their law: how many rows could be compared, and how far the worst is off. */
typedef struct agreement {
    size_t compared, missing; /* missing: a wrong answer was due, and there was none */
    double worst; /* difference beyond ALLOWED letters, over the prediction; look-ups by precision: factor less 1 */
    const outcome *at, *lost;
} agreement;

static const double SMALL = 6, ALLOWED = 4; /* sentinels, parities and whole numbers */

static agreement agree(const findings *f, law_kind law, bool lookup) {
    agreement a = {.worst = 0};
    for (size_t k = 0; k < f->count; k++) {
        const outcome *o = &f->all[k];
        double size = (double)o->wrong + 1, due = o->expected.size; /* N = n + 1 */
        if (o->expected.law != law || !(due >= SMALL) || (o->op == BREAKS_LOOKUP) != lookup) continue;
        if (!o->wrong && (double)o->tried < 1.2 * due) continue; /* too long to be tried */
        if (!o->wrong) {
            a.missing++, a.lost = o;
            continue;
        }
        /* what else ends sums that look both ways has no law: overflow does at the latest */
        if (o->op == BREAKS_BALANCE && o->why != TEMPER_WHY_OVERFLOW && size <= due) continue;
        double off = fabs(size - due) > ALLOWED ? (fabs(size - due) - ALLOWED) / due : 0;
        if (lookup && law == LAW_PRECISION) off = fmax(size / due, due / size) - 1;
        a.compared++;
        if (off >= a.worst) a.worst = off, a.at = o;
    }
    return a;
}

static const char *name_row(lab *l, const outcome *o) {
    text t;
    text_init(&t, &l->memory);
    if (o)
        text_printf(&t, "%s, %s, %s", operators[o->op].name, temper_method_name(o->method),
                    temper_type_name(o->type));
    return text_string(&t);
}

static void claim_law(lab *l, const findings *f, law_kind law, bool lookup, double within, const char *claim) {
    agreement a = agree(f, law, lookup);
    size_t wrong = a.at ? a.at->wrong : 0;
    double due = a.at ? a.at->expected.size : 0;
    lab_claim_add(l, a.compared > 0 && a.missing == 0 && a.worst <= within, claim,
                  "%zu rows, the farthest (%s) wrong at n = %zu for N = %.6g%s%s", a.compared, name_row(l, a.at),
                  wrong, due, a.missing ? "; nothing found for " : "", name_row(l, a.lost));
}

static void claim(lab *l, const findings *f) {
    size_t proved = 0, contradicted = 0, once = 0, digits = 0, digits_broken = 0, tried = SIZE_MAX;
    for (size_t k = 0; k < f->count; k++) {
        const outcome *o = &f->all[k];
        proved += o->certified > 0;
        contradicted += o->wrong && o->certified >= o->wrong;
        once += o->op == BREAKS_ONCE && o->wrong;
        if (o->method == TEMPER_METHOD_DIGITS && o->type == TEMPER_TYPE_BF16_F32 &&
            (o->op == BREAKS_SINCE || o->op == BREAKS_YESTERDAY)) {
            digits++, digits_broken += o->wrong > 0;
            if (o->tried < tried) tried = o->tried;
        }
    }
    lab_claim_add(l, contradicted == 0 && proved > 0, "No certificate is contradicted: certified < first wrong",
                  "%zu of %zu rows are certified to some length, %zu contradicted", proved, f->count, contradicted);
    lab_claim_add(l, once == 0, "Once never breaks, in any format", "%zu rows with a wrong answer", once);
    claim_law(l, f, LAW_PRECISION, false, 0.1,
              "Since breaks at 2ᵖ/3 positions by temperature, at 2ᵖ⁻¹ with growing positions (2ᵖ if sums are longer) "
              "and at 2ᵖ⁺¹ in digits; yesterday at 2ᵖ and at 2ᵖ⁺¹ in digits; comparisons at 2 to the bits of the "
              "sums: up to 10 % and "
              "four letters");
    claim_law(l, f, LAW_PRECISION, true, 1.5, "Look-ups break where 2 N² is 2ᵖ, within a factor 2.5");
    claim_law(l, f, LAW_OVERFLOW, false, 0.1,
              "Where a scale, bonus or logit leaves the format, heads break there: up to 10 % and four letters");
    claim_law(l, f, LAW_OVERFLOW, true, 0.1, "The same for look-ups, whose scale is 16 N³");
    claim_law(l, f, LAW_UNDERFLOW, false, 0.1,
              "Comparisons stored in e4m3 and summed in f32 break where 1/(2N) is stored as 0: up to 10 % and four "
              "letters");
    lab_claim_add(l, digits > 0 && digits_broken == 0,
                  "Positions in digits make since and yesterday right in bf16 with sums in f32, as far as tried",
                  "%zu of %zu rows with a wrong answer, tried to %zu letters", digits_broken, digits, tried);
}

static void run(lab *l, arena *scratch) {
    findings *f = arena_zalloc(scratch, 1, sizeof *f);
    collect(l, f);
    tabulate(l, f);
    draw(l, f, false);
    draw(l, f, true);
    lab_about(l, "formats");
    claim_slopes(l, f);
    claim(l, f);
    lab_note_add(l, &prose_precision_reading_the_predictions, NULL);
}

static const lab_part parts[] = {{run, 80000, NULL, count_cells, measure}};

const lab_experiment lab_precision = {"precision", &prose_precision, NULL, parts, sizeof parts / sizeof *parts};
