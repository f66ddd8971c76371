/* Models of one head whose logits have a term of i - j. Verdicts are those of the last position, whose row is the
   only one that counts; there the distance of key j is N - 1 - j, so that the term is a feature of the key, and the
   models are ordinary ones, run by the ordinary runner in any number format. The read-out turns where the head's
   output passes 3/4, what a gate makes exactly 1, or 0, where a sum of counts changes its sign. */
#include "lab/biases.h"

#include <math.h>
#include <string.h>

#include "base/ascii.h"

const char *const biased_names[BIASED] = {"once", "since", "yesterday", "compare"};
const char *const biased_formulas[BIASED] = {"O a", "b S a", "Y a", "#[a] >= #[b]"};

struct biased_model {
    biased_kind op;
    temper_spec *spec;
    temper_model *model;
    temper_type type;
};

/* ---- reading ---- */

static bool is_name(const char *all, size_t at) {
    char before = at ? all[at - 1] : 0, after = all[at + 1];
    return !ascii_is_name(before) && before != '.' && !ascii_is_name(after);
}

/* "(i - j)" here: its length, or 0. */
static size_t difference(const char *here) {
    static const char parts[] = "(i-j)";
    size_t at = 0, part = 0;
    while (parts[part]) {
        if (here[at] == ' ' && part) {
            at++;
            continue;
        }
        if (here[at++] != parts[part++]) return 0;
    }
    return at;
}

/* The text with `name` for the distance. */
static const char *with_distance(const char *written, const char *name, arena *a) {
    text t;
    text_init(&t, a);
    for (size_t k = 0; written[k];) {
        size_t skip = difference(written + k);
        bool distance = skip || (written[k] == 'd' && is_name(written, k));
        if (!distance && (written[k] == 'i' || written[k] == 'j') && is_name(written, k))
            trap_raise_hint(a->trap, TEMPER_FORMAT, 1, k + 1, "as in -(i - j)/16 or 8*cos(d/100)",
                            "a bias is an expression of the distance, written (i - j) or d, of n and of N");
        if (distance)
            text_printf(&t, "%s", name);
        else
            text_putc(&t, written[k]);
        k += skip ? skip : 1;
    }
    return text_string(&t);
}

/* Both are numbers wherever they may be asked for, and a content is not negative. */
static void require_numbers(const biased_head *h, trap *t) {
    for (double n = 1; n < 2000; n = floor(n * 1.5) + 1) {
        double content = expression_eval(h->contents, n, n, n + 1);
        if (!(content >= 0) || !isfinite(content))
            trap_raise_hint(t, TEMPER_RANGE, 0, 0, "a factor is at least 0 at every length and position",
                            "the scale '%.60s' is no such number at n = %.0f", h->content, n);
        for (double d = 0; d <= n; d++)
            if (!isfinite(expression_eval(h->of_d, d, n, n + 1)))
                trap_raise_hint(t, TEMPER_RANGE, 0, 0, "a bias is a finite number at every distance, 0 included",
                                "the bias '%.60s' is no such number at a distance of %.0f", h->bias, d);
    }
}

biased_head biased_read(const char *bias, const char *content, arena *a) {
    biased_head h = {.bias = arena_copy(a, bias, strlen(bias)), .content = arena_copy(a, content, strlen(content))};
    const char *of_d = with_distance(bias, "i", a);
    h.of_d = expression_parse(a, of_d, strlen(of_d), 1, 1);
    h.contents = expression_parse(a, content, strlen(content), 1, 1);
    require_numbers(&h, a->trap);
    return h;
}

const char *biased_feature(const biased_head *h, arena *a) { return with_distance(h->bias, "(N - 1 - i)", a); }

/* ---- making ---- */

static void free_biased(void *what) {
    biased_model *m = what;
    temper_model_free(m->model);
    temper_spec_free(m->spec);
}

/* Channels: 0 one, 1 content, 2 bias, 3 what is looked for, 4 value, 5 output, 6 answer. */
static const char *const embeddings[BIASED] = {"embed \"a\" 3:1 4:1\nembed \"b\"\nembed \"c\"\nembed start\n",
                                               "embed \"a\" 3:1 4:1\nembed \"b\"\nembed \"c\" 3:1\nembed start\n",
                                               "embed \"a\" 4:1\nembed \"b\"\nembed \"c\"\nembed start\n",
                                               "embed \"a\" 4:1\nembed \"b\" 4:-1\nembed \"c\"\nembed start 4:0.5\n"};

biased_model *biased_make(const biased_head *h, biased_kind op, temper_type type, arena *a) {
    biased_model *m = arena_zalloc(a, 1, sizeof *m);
    temper_spec_options o = {.alphabet = "abc", .at = TEMPER_AT_LAST};
    temper_error err;
    text t;
    bool looks = op == BIASED_ONCE || op == BIASED_SINCE;
    m->op = op;
    m->type = type;
    arena_on_release(a, free_biased, m);
    if (temper_spec_parse(&m->spec, biased_formulas[op], strlen(biased_formulas[op]), &o, &err) != TEMPER_OK)
        trap_reraise(a->trap, &err);
    text_init(&t, a);
    text_printf(
        &t,
        "temper-model 1\nmethod temperature\nsyntax spec\nsource \"\"\nalphabet \"a\" \"b\" \"c\"\ntokens no\n"
        "at last\nempty %s\nend no\n",
        op == BIASED_COMPARE ? "accept" : "reject");
    text_printf(&t, "channel 0 \"one\" position \"1\"\nchannel 1 \"content\" position \"%s\"\n",
                looks ? h->content : "0");
    text_printf(&t, "channel 2 \"bias\" position \"%s\"\nchannel 3 \"wanted\"\nchannel 4 \"value\"\n",
                biased_feature(h, a));
    text_printf(&t, "channel 5 \"output\"\nchannel 6 \"answer\"\n%sembed end\nlayer 1\n", embeddings[op]);
    text_printf(&t, "head \"%s\" mask %s choice softmax scale \"1\"\n", biased_names[op],
                op == BIASED_YESTERDAY ? "j<i" : "j<=i");
    text_printf(&t, "  query 1:1\n  key 3:1\n  query 0:1\n  key 2:1\n  value 4:1\n  output 5:1\n");
    /* A ramp that passes 1/2 where the output passes 3/4, or 0; its numbers are exact in every format. */
    text_printf(&t, "%s",
                op == BIASED_COMPARE ? "unit 0.5 5:16 -> 6:1\nunit -0.5 5:16 -> 6:-1\nread 6:1\n"
                                     : "unit -2.5 5:4 -> 6:1\nunit -3.5 5:4 -> 6:-1\nread 6:1\n");
    if (temper_model_read(&m->model, text_string(&t), t.length, &err) != TEMPER_OK) trap_reraise(a->trap, &err);
    return m;
}

bool biased_right(const biased_model *m, const uint32_t *letters, size_t n, trap *t) {
    temper_run *run = NULL;
    temper_error err;
    temper_run_options o = {.unchecked = 1, .threads = 1, .type = m->type};
    int truth = 0;
    if (temper_spec_eval(&truth, NULL, m->spec, letters, n, &err) != TEMPER_OK) trap_reraise(t, &err);
    temper_status status = temper_model_run(&run, m->model, letters, n, &o, &err);
    if (status == TEMPER_RANGE) return false;
    if (status != TEMPER_OK) trap_reraise(t, &err);
    bool accept = temper_run_about(run).accept;
    temper_run_free(run);
    return accept == truth;
}
