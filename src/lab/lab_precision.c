/* temper lab precision: the length at which each operator breaks, by method and number format, against what theory predicts. */
#include "certify/adversary.h"
#include "lab/lab.h"
#include "number/elementary.h"
#include "number/number_type.h"

#include <math.h>
#include <string.h>

typedef enum operator_kind {
    OP_ONCE,
    OP_SINCE,
    OP_YESTERDAY,
    OP_COMPARE,
    OP_BALANCE,
    OP_LOOKUP,
    OPERATORS
} operator_kind;

static const struct {
    const char *name, *formula;
} operators[OPERATORS] = {{"once", "O a"},
                          {"since", "a S b"},
                          {"yesterday", "Y a"},
                          {"compare", "#[a] >= #[b]"},
                          {"balance", "#[a] = #>[b]"},
                          {"look-up", "#[a] % 2 = 1"}};

static const temper_method methods[] = {TEMPER_METHOD_TEMPERATURE, TEMPER_METHOD_POSITIONS, TEMPER_METHOD_DIGITS};
enum { METHODS = sizeof methods / sizeof *methods };

/* The shortest first; the quick experiment takes those that the budget of a moment reaches. */
static const struct {
    temper_type type;
    bool quick;
} types[] = {{TEMPER_TYPE_E5M2, true},     {TEMPER_TYPE_E4M3, true},     {TEMPER_TYPE_BF16, true},
             {TEMPER_TYPE_F16, true},      {TEMPER_TYPE_F32, false},     {TEMPER_TYPE_E5M2_F32, true},
             {TEMPER_TYPE_E4M3_F32, true}, {TEMPER_TYPE_BF16_F32, true}, {TEMPER_TYPE_F16_F32, false}};
enum { TYPES = sizeof types / sizeof *types, ROWS = METHODS * TYPES };

/* ---- predictions ---- */

typedef struct forecast {
    double length; /* infinite: never; NaN: theory says nothing */
    const char *by;
} forecast;

/* 2^bits to a power that may be 1/2. */
static double power_of_two(double bits) { return exp_f64(bits * log_f64(2)); }

/* Significand bits of storage (p) and of sums (q), and the largest number that is stored. kappa is 8, for look-ups 16. */
static forecast foretell(operator_kind op, temper_method method, double p, double q, double largest) {
    double precise = NAN, scaled = INFINITY;
    bool sums = q > p, digits = method == TEMPER_METHOD_DIGITS;
    switch (op) {
    case OP_ONCE: return (forecast){INFINITY, "never"};
    case OP_SINCE: /* keys 1 + j/N are stored; or logits up to 2 kappa N summed; or centred, in digits; or integers j stored */
        if (digits && sums) return (forecast){power_of_two(q) / 16, "sums: 2^q/(2k)"};
        precise = digits                                ? power_of_two(p + 1)
                  : method == TEMPER_METHOD_TEMPERATURE ? power_of_two(p) / 3
                                                        : power_of_two(sums ? p : p - 1);
        scaled = digits ? largest / 16 : INFINITY;
        break;
    case OP_YESTERDAY:
        if (digits && sums) return (forecast){power_of_two(q) / 8, "sums: 2^q/k"};
        precise = power_of_two(digits ? p + 1 : p);
        scaled = digits ? largest / 8 : INFINITY;
        break;
    case OP_COMPARE: /* the running count loses its half */
        precise = power_of_two(q);
        scaled = largest / 16;
        break;
    case OP_BALANCE: scaled = sqrt(largest / 16); break; /* its mean goes through a look-up: no law */
    case OP_LOOKUP:
        precise = power_of_two((p - 4) / 2);
        scaled = exp_f64(log_f64(largest / 16) / 3);
        break;
    default: break;
    }
    if (op == OP_BALANCE) return scaled < 100 ? (forecast){scaled, "overflow"} : (forecast){NAN, "none"};
    return scaled < precise ? (forecast){scaled, "overflow"} : (forecast){precise, "precision"};
}

/* ---- measuring ---- */

static void free_model(void *model) { temper_model_free(model); }
static void free_spec(void *spec) { temper_spec_free(spec); }

/* The budget ends a search; nothing else does. */
static bool go_on(void *context, uint64_t more) {
    (void)context;
    (void)more;
    return false;
}

typedef struct outcome {
    operator_kind op;
    temper_method method;
    temper_type type;
    double p, q;
    size_t certified, wrong, tried; /* wrong: 0 if none was found */
    temper_why why;
    forecast expected;
} outcome;

typedef struct findings {
    outcome all[OPERATORS * ROWS];
    size_t count;
} findings;

static temper_model *make_model(const temper_spec *spec, temper_method method, temper_type type, arena *scratch) {
    temper_model *hard, *soft;
    temper_error e;
    if (temper_compile_for(&hard, spec, type, &e)) trap_reraise(scratch->trap, &e);
    arena_on_release(scratch, free_model, hard);
    temper_status status = method == TEMPER_METHOD_DIGITS ? temper_soften_digits(&soft, hard, type, &e)
                                                          : temper_soften(&soft, hard, method, &e);
    if (status) trap_reraise(scratch->trap, &e);
    arena_on_release(scratch, free_model, soft);
    return soft;
}

static temper_type storage_type(temper_type type) {
    switch (type) {
    case TEMPER_TYPE_E5M2_F32: return TEMPER_TYPE_E5M2;
    case TEMPER_TYPE_E4M3_F32: return TEMPER_TYPE_E4M3;
    case TEMPER_TYPE_BF16_F32: return TEMPER_TYPE_BF16;
    case TEMPER_TYPE_F16_F32: return TEMPER_TYPE_F16;
    default: return type;
    }
}

static void measure(lab *l, findings *f, operator_kind op, arena *scratch) {
    temper_spec *spec;
    temper_error e;
    temper_spec_options so = {.alphabet = "abc", .at = TEMPER_AT_LAST};
    temper_limits_case cases[ROWS];
    size_t count = 0;
    if (temper_spec_parse(&spec, operators[op].formula, strlen(operators[op].formula), &so, &e))
        trap_reraise(l->trap, &e);
    arena_on_release(scratch, free_spec, spec);
    for (size_t m = 0; m < METHODS; m++)
        for (size_t k = 0; k < TYPES; k++) {
            if (l->quick && !types[k].quick) continue;
            cases[count++] = (temper_limits_case){make_model(spec, methods[m], storage_type(types[k].type), scratch),
                                                  types[k].type};
        }
    for (size_t r = 0; r < count; r++) {
        const number_type *type = number_type_of(cases[r].type);
        outcome *x = &f->all[f->count++];
        wrong_answer found;
        bool stopped;
        job_watch watch = {go_on, l};
        adversary_options o = {.longest = l->quick ? 2500 : 1 << 20,
                               .budget = (uint64_t)(l->quick ? 2e7 : 6e8),
                               .seed = l->seed,
                               .watch = &watch};
        *x = (outcome){.op = op,
                       .method = cases[r].model->method,
                       .type = cases[r].type,
                       .p = type->storage->precision,
                       .q = type->accumulation->precision};
        if (adversary_search(&found, &stopped, cases[r].model, cases[r].type, &o, scratch)) {
            x->wrong = found.n;
            x->why = found.why;
        }
        x->tried = found.tried;
        /* a proof is asked for a little beyond the wrong answer, where it must not be had */
        size_t most = l->quick ? 64 : 4096;
        if (x->wrong && x->wrong + 8 < most) most = x->wrong + 8;
        if (temper_certify_longest(&x->certified, NULL, NULL, cases[r].model, cases[r].type, most, &e))
            trap_reraise(l->trap, &e);
        x->expected = foretell(op, x->method, x->p, x->q, type->storage->largest);
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
        {"certified", LAB_COUNT,
         "largest length that is proved, asked to 4096 (quick: 64) or just beyond the first wrong; 0: none"},
        {"first_wrong", LAB_COUNT, "shortest string with a wrong answer; 0: none found"},
        {"tried", LAB_COUNT, "longest string tried"},
        {"why", LAB_TEXT, "what made it wrong"},
        {"predicted", LAB_NUMBER, "length; inf: never, nan: no law"},
        {"by", LAB_TEXT, "what the prediction goes by"}};
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
        lab_put_count(t, x->tried);
        lab_put_text(t, x->wrong ? temper_why_name(x->why) : "");
        lab_put_number(t,
                       isfinite(x->expected.length) ? floor(10 * x->expected.length + 0.5) / 10 : x->expected.length);
        lab_put_text(t, x->expected.by);
    }
}

/* With the same format for sums, or with f32: one panel an operator, measured lengths and lines of what is predicted. */
static void draw(lab *l, const findings *f, bool sums) {
    static const operator_kind shown[] = {OP_SINCE, OP_YESTERDAY, OP_COMPARE, OP_BALANCE, OP_LOOKUP};
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
                z[points++] =
                    o->expected.length >= 1 && o->expected.length < (double)o->tried * 4 ? o->expected.length : NAN;
            }
            series[j][m] = (chart_series){temper_method_name(methods[m]), x, y, points, DRAW_MARKERS, (int)m + 1};
            series[j][METHODS + m] =
                (chart_series){j || m ? "" : "predicted", x, z, points, DRAW_LINE | DRAW_DASHED, (int)m + 1};
        }
        panels[j] = (chart_panel){operators[shown[j]].name,
                                  {"significand bits", SCALE_LINEAR, 0, l->quick || sums ? 12 : 26, NULL, 0},
                                  {"first wrong length", SCALE_LOG, 1, l->quick || sums ? 1e4 : 1e7, NULL, 0},
                                  series[j],
                                  2 * METHODS,
                                  NULL,
                                  0};
    }
    chart c = {.title = sums ? "Where short formats break, with sums in f32" : "Where number formats break",
               .caption =
                   sums ? "Shortest string found with a wrong answer, by the bits of stored numbers, and what is "
                          "predicted (dashed). Nothing is drawn where nothing was found. Digits take since and "
                          "yesterday beyond all lengths tried."
                        : "Shortest string found with a wrong answer (e5m2, e4m3, bf16, f16, f32; sums in the "
                          "same format), and what is predicted (dashed): a line of slope 1 is 2^p, of slope 1/2 "
                          "is 2^(p/2); f16 and e4m3 overflow before that where scales grow fast. Once never "
                          "broke.",
               .panels = panels,
               .panel_count = PANELS,
               .columns = 3,
               .panel_width = 220,
               .panel_height = 170,
               .shared_y = true,
               .legend = true};
    lab_figure_add(l, sums ? "sums-f32" : "formats", &c);
}

/* The slope of log2(first wrong) over the bits, formats that break by precision with sums in themselves; NaN: less than two. */
static double slope_of(const findings *f, operator_kind op, temper_method method) {
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
                                         {"predicted", LAB_NUMBER, "1: 2^p, 1/2: 2^(p/2)"}};
    static const operator_kind ruled[] = {OP_SINCE, OP_YESTERDAY, OP_COMPARE, OP_LOOKUP};
    lab_table *t = LAB_TABLE(l, "slopes", "Growth of the first wrong length with the bits", columns, SIZE_MAX);
    double worst = 0;
    size_t fitted = 0;
    for (size_t j = 0; j < sizeof ruled / sizeof *ruled; j++)
        for (size_t m = 0; m < METHODS; m++) {
            double slope = slope_of(f, ruled[j], methods[m]), law = ruled[j] == OP_LOOKUP ? 0.5 : 1;
            lab_put_text(t, operators[ruled[j]].name);
            lab_put_text(t, temper_method_name(methods[m]));
            lab_put_number(t, slope);
            lab_put_number(t, law);
            if (isnan(slope)) continue;
            fitted++;
            if (fabs(slope - law) > worst) worst = fabs(slope - law);
        }
    lab_claim_add(l, fitted >= 8 && worst < 0.2,
                  "The breaking length grows as 2^p for since, yesterday and compare, and as 2^(p/2) for look-ups",
                  "largest difference of a fitted slope %.3g, %zu fits", worst, fitted);
}

static void claim(lab *l, const findings *f) {
    size_t proved = 0, contradicted = 0, compared = 0, once = 0, digits = 0, digits_broken = 0, overflows = 0,
           overflows_met = 0;
    double worst = 1, worst_lookup = 1;
    const outcome *worst_at = NULL;
    for (size_t k = 0; k < f->count; k++) {
        const outcome *o = &f->all[k];
        proved += o->certified > 0;
        contradicted += o->wrong && o->certified >= o->wrong;
        once += o->op == OP_ONCE && o->wrong;
        if (o->method == TEMPER_METHOD_DIGITS && o->type == TEMPER_TYPE_BF16_F32 &&
            (o->op == OP_SINCE || o->op == OP_YESTERDAY))
            digits++, digits_broken += o->wrong > 0;
        if (o->op == OP_ONCE || !o->wrong || !(o->expected.length >= 4)) continue;
        bool overflow = !strcmp(o->expected.by, "overflow");
        if (overflow != (o->why == TEMPER_WHY_OVERFLOW)) continue; /* another law than the one that is compared */
        if (overflow && o->op != OP_BALANCE && o->op != OP_LOOKUP) continue;
        double ratio = (double)o->wrong / o->expected.length;
        if (ratio < 1) ratio = 1 / ratio;
        if (overflow) {
            overflows++;
            overflows_met += ratio < 1.5;
            continue;
        }
        if (o->op == OP_BALANCE) continue;
        compared++;
        if (o->op == OP_LOOKUP) {
            if (ratio > worst_lookup) worst_lookup = ratio;
        } else if (ratio > worst) {
            worst = ratio;
            worst_at = o;
        }
    }
    lab_claim_add(l, contradicted == 0 && proved > 0, "No certificate is contradicted: certified < first wrong",
                  "%zu of %zu rows are certified to some length, %zu contradicted", proved, f->count, contradicted);
    lab_claim_add(l, once == 0, "Once never breaks, in any format", "%zu rows with a wrong answer", once);
    lab_claim_add(
        l, compared >= 12 && worst < 2 && worst_lookup < 5,
        "Breaking lengths are within a factor 2 of 2^p/3 (since, temperature), 2^(p-1) (positions), 2^(p+1) "
        "(digits), 2^p (yesterday, compare), and within 5 of sqrt(2^p/16) (look-up)",
        "%zu rows: factor %.3g%s%s %s, look-up %.3g", compared, worst, worst_at ? " at " : "",
        worst_at ? operators[worst_at->op].name : "", worst_at ? temper_type_name(worst_at->type) : "", worst_lookup);
    lab_claim_add(
        l, overflows_met == overflows && overflows > 0,
        "Where scales of n^2 and n^3 leave the format, heads break by overflow within a factor 1.5 of that length",
        "%zu of %zu rows", overflows_met, overflows);
    lab_claim_add(l, digits > 0 && digits_broken == 0,
                  "Positions in digits make since and yesterday right in bf16 with sums in f32, as far as tried",
                  "%zu of %zu rows with a wrong answer", digits_broken, digits);
}

static void run(lab *l) {
    findings *f = arena_zalloc(&l->memory, 1, sizeof *f);
    arena *scratch = arena_alloc(&l->memory, 1, sizeof *scratch);
    arena_init(scratch, l->trap);
    arena_on_release(&l->memory, (void (*)(void *))arena_free, scratch);
    for (size_t op = 0; op < OPERATORS; op++) {
        lab_progress(l, op, OPERATORS);
        measure(l, f, (operator_kind)op, scratch);
        arena_reset(scratch);
    }
    tabulate(l, f);
    draw(l, f, false);
    draw(l, f, true);
    claim_slopes(l, f);
    claim(l, f);
    lab_note_add(
        l, "Reading the predictions",
        "Logits alone would let comparisons break near 2^p/(4 sum|a|), which is a lower estimate here: near the "
        "boundary the mean is a small number and stored exactly enough, and what ends them is the running count "
        "at 2^p. Sums that look both ways go through a look-up and have no simple law; only their overflow is "
        "compared. A row whose format overflows is no part of the fitted slopes.");
    lab_progress(l, OPERATORS, OPERATORS);
}

const lab_experiment lab_precision = {
    "precision",
    "Where bounded precision breaks positions",
    "Position features of p significand bits cannot tell all positions apart. For every operator, method and number "
    "format the "
    "first wrong answer is searched for with adversarial strings, beside the length that is proved, and compared "
    "with what the "
    "bits predict: once never breaks; since breaks at 2^p/3 by temperature, at 2^(p-1) with growing positions and at "
    "2^(p+1) in "
    "digits; yesterday and comparisons at 2^p; look-ups where 16 n^2 is 2^p; or the scale overflows before that.",
    run,
    NULL,
    0};
