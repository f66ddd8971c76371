/* What the auditor must refuse, one condition at a time: a model of the compiler with one thing changed, and words
   of the condition that the change breaks. The model itself is accepted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "bytes.h"
#include "test.h"

typedef struct refusal {
    const char *formula, *from, *to; /* in the model's text, the first time */
    const char *words;               /* of the message; NULL: it is accepted */
    temper_method method;
    temper_type type;
} refusal;

static const char BOTH[] = "O a & Y b", LAST[] = "b S (a & Y b)", SUM[] = "2*#[a] - #[b] >= 1",
                  REST[] = "#[a] % 3 = 1", BALANCE[] = "#[a] > #>[b]";

#define T TEMPER_METHOD_TEMPERATURE
#define P TEMPER_METHOD_POSITIONS
#define D TEMPER_METHOD_DIGITS

static const refusal REFUSALS[] = {
    {BOTH, NULL, NULL, NULL, T, 0},
    {BOTH, NULL, NULL, NULL, P, 0},
    {BOTH, NULL, NULL, NULL, D, 0},
    {BOTH, "unit -0x1.2p+2 3:2 4:2", "unit -0x1.2p+2 3:2 4:4", "make no ramp", T, 0},
    {BOTH, "unit -0x1.2p+2 ", "unit -0x1.4p+2 ", "make no ramp", T, 0},
    {BOTH, "unit -0x1.6p+2 ", "unit -0x1.5p+2 ", "make no ramp", T, 0},
    {BOTH, "-> 6:1", "-> 5:1 6:1", "writes to more than one channel", T, 0},
    {BOTH, "-> 6:-1", "-> 6:-2", "make no ramp", T, 0},
    {BOTH, "unit -0x1.2p+2 3:2 4:2 5:2 -> 6:1\nunit -0x1.6p+2 3:2 4:2 5:2 -> 6:-1",
     "unit -0x1p+2 3:2 4:2 5:2 -> 6:1\nunit -0x1.4p+2 3:2 4:2 5:2 -> 6:-1", "may open on a sentinel", T, 0},
    {BOTH, "unit -0x1.2p+2 3:2 4:2 5:2 -> 6:1\nunit -0x1.6p+2 3:2 4:2 5:2 -> 6:-1",
     "unit -0x1.4p+2 3:2 4:2 5:2 -> 6:1\nunit -0x1.8p+2 3:2 4:2 5:2 -> 6:-1", "comes too near to the threshold", T,
     0},
    {BOTH, "unit -0x1.2p+2 3:2 4:2 5:2 -> 6:1\nunit -0x1.6p+2 3:2 4:2 5:2 -> 6:-1",
     "unit -0x1.2p+2 3:3 4:3 5:2 -> 6:1\nunit -0x1.6p+2 3:3 4:3 5:2 -> 6:-1", "may open on a sentinel", T, 0},
    {BOTH, "unit -0x1.2p+2 3:2 4:2 5:2 -> 6:1\nunit -0x1.6p+2 3:2 4:2 5:2 -> 6:-1",
     "unit -0x1.2p+1 4:2 5:2 -> 6:1\nunit -0x1.ap+1 4:2 5:2 -> 6:-1", "a bias that no ramp has", T, 0},
    {BOTH, "unit -0x1.2p+2 3:2 4:2 5:2 -> 6:1\nunit -0x1.6p+2 3:2 4:2 5:2 -> 6:-1",
     "unit -0x1.2p+2 3:2 4:0x1.8p+0 5:2 -> 6:1\nunit -0x1.6p+2 3:2 4:0x1.8p+0 5:2 -> 6:-1",
     "comes too near to the threshold", T, 0},
    {BOTH, "unit -0x1.2p+2", "unit -0x1.2p+2 2:0x1p52", "too large together", T, 0},
    {BOTH, "  key 0:1\n", "  key 0:2\n", "its key is not 0 or 1", T, 0},
    {BOTH, "  key 0:1\n", "  key 2:1\n", "is not what its key says", T, 0},
    {BOTH, "  query 1:1\n", "  query 1:2\n", "its query is not 1 everywhere", T, 0},
    {BOTH, "scale \"8*N\"", "scale \"8*N*N\"", "its scale is not C*N", T, 0},
    {BOTH, "scale \"8*N\"", "scale \"ln(N) + 8\"", "its key is not 0 or 1", T, 0},
    {BOTH, "  key 7:1\n", "  key 7:-1\n", "takes the farthest position", T, 0},
    {BOTH, "  key 7:1\n", "  key 2:1 7:1\n", "does not hold", T, 0},
    {BOTH, "  key 7:1\n", "  key 2:2 7:1\n", "more than two kinds of letters", T, 0},
    {BOTH, "  value 2:1\n", "  value 2:2\n", "is not 0 or 1 on letters", T, 0},
    {BOTH, "output 5:1", "output 5:2", "has a weight that is not 1", T, 0},
    {BOTH, "output 5:1", "output 4:1", "which is not 0 before", T, 0},
    {BOTH, "embed start\n", "embed start 0:1\n", "its key is not 0 or 1", T, 0},
    {BOTH, "embed start\n", "embed start 3:1\n", "may open on a sentinel", T, 0},
    {BOTH, "embed \"a\" 0:1", "embed \"a\" 0:2", "a weight that is not 1", T, 0},
    {BOTH, "embed \"b\" 2:1", "embed \"b\" 2:2", "a weight that is not 1", T, 0},
    {BOTH, "read 6:1", "read 6:2", "the read-out does not mean", T, 0},
    {BOTH, "read 6:1", "read 5:1", "the read-out reads a channel that is not exactly Boolean", T, 0},
    {BOTH, "part \"a\" layer 0 channel 0", "part \"b\" layer 0 channel 0", "channel 0 after layer 0 does not hold b",
     T, 0},
    {BOTH, "part \"a\" layer 0 channel 0", "part \"F a\" layer 0 channel 0", "the source has no subformula F a", T,
     0},
    {BOTH, "part \"O a & Y b\" layer 1", "part \"O a & Y b\" layer 0", "after layer 0 does not hold", T, 0},
    /* settings of the model stand above lines of its source */
    {BOTH, "source \"O a", "source \"next\\nO a", "it is of another kind than the model", T, 0},
    {BOTH, "source \"O a", "source \"at first\\nO a", NULL, T, 0},
    {BOTH, "source \"O a", "source \"empty accept\\nO a", NULL, T, 0},
    {BOTH, "source \"O a", "source \"alphabet b a\\nO a", NULL, T, 0},
    {BOTH, "source \"O a", "source \"tokens yes\\nO a", "it has another alphabet than the model", T, 0},
    {BOTH, "source \"O a", "source \"O (", "the model's source: ", T, 0},
    {BOTH, "method temperature", "method hard", "in a hard model", T, 0},
    {BOTH, "source \"O a & Y b\"", "source \"\"", "the model has no source", T, 0},
    {LAST, NULL, NULL, NULL, T, 0},
    {LAST, NULL, NULL, NULL, P, 0},
    {SUM, NULL, NULL, NULL, T, 0},
    {SUM, NULL, NULL, NULL, P, 0},
    {SUM, "scale \"16*N\"", "scale \"15*N\"", "its normaliser does not fit", T, 0},
    {SUM, "  value 0:1\n", "  value 0:2\n", "is not the sentinel's indicator", T, 0},
    {SUM, "value 0:-0x1p-1", "value 0:-1", "no whole number and a half on the sentinel", T, 0},
    {SUM, "value 0:-0x1p-1", "value 0:-0x1.8p-1", "no whole number and a half on the sentinel", T, 0},
    {SUM, "mask j<=i choice softmax for average scale", "mask j>=i choice softmax for average scale",
     "a mask without its sentinel", T, 0},
    {SUM, "mask j<=i choice softmax for average\n", "mask j>=i choice softmax for average\n",
     "taken over another mask", T, 0},
    {SUM, "  query 4:1 5:1", "  query 4:2 5:1", "its query is not a mean and", T, 0},
    {SUM, "  query 4:1 5:1", "  query 4:1 5:2", "its query is not a mean and", T, 0},
    {SUM, "  key 0:1", "  key 0:2", "its key is not the sentinel's indicator", T, 0},
    {REST, NULL, NULL, NULL, T, 0},
    {REST, NULL, NULL, NULL, P, 0},
    {REST, "  query 1:-1", "  query 1:-2", "its second query row is not", T, 0},
    {REST, "  query 6:2", "  query 6:1", "its first query row is not twice a mean", T, 0},
    {REST, "  key 2:1", "  key 2:2", "no positions and squares", T, 0},
    {REST, "  key 3:1", "  key 3:2", "no positions and squares", T, 0},
    {REST, "  value 4:1", "  value 4:2", "is not 0 or 1 on letters and 0 on sentinels", T, 0},
    {REST, "scale \"16*N*N*N\"", "scale \"16*N*N\"", "do not multiply to C*N", T, 0},
    {BALANCE, NULL, NULL, NULL, T, 0},
    {BALANCE, NULL, NULL, NULL, P, 0},
};
enum { REFUSAL_COUNT = sizeof REFUSALS / sizeof *REFUSALS };

static bool make(bytes *out, const refusal *x) {
    temper_spec *spec = NULL;
    temper_model *model = NULL;
    temper_error e;
    bytes printed = {0};
    temper_spec_options o = {.alphabet = "ab", .at = TEMPER_AT_LAST, .empty = TEMPER_EMPTY_REJECT};
    temper_build_options build = {.method = x->method};
    bool ok = CHECK(temper_spec_parse(&spec, x->formula, strlen(x->formula), &o, &e) == TEMPER_OK &&
                        temper_build(&model, spec, &build, &e) == TEMPER_OK &&
                        temper_model_print(&printed.data, &printed.length, model, &e) == TEMPER_OK,
                    "%s: %s", x->formula, e.text);
    temper_model_free(model);
    temper_spec_free(spec);
    if (!ok) return false;
    *out = copy_of(&printed, x->to ? strlen(x->to) : 0);
    temper_free(printed.data);
    char *digest = strstr(out->data, "\ndigest "), *at;
    out->length = (size_t)(digest - out->data) + 1;
    out->data[out->length] = 0;
    if (!x->from) return true;
    at = strstr(out->data, x->from);
    if (!CHECK(at, "%s has no %s", x->formula, x->from)) return false;
    splice(out, (size_t)(at - out->data), strlen(x->from), x->to);
    return true;
}

static void check_refusal(const refusal *x) {
    bytes file, c = {0};
    temper_error e = {0};
    if (!make(&file, x)) return;
    bool accepted = audit_certificate(&c.data, &c.length, file.data, file.length, 20, x->type, &e) == TEMPER_OK;
    if (x->words)
        CHECK(!accepted && strstr(e.text, x->words), "%s: %s -> %s: %s, not %s", x->formula, x->from, x->to,
              accepted ? "accepted" : e.text, x->words);
    else
        CHECK(accepted, "%s: %s -> %s: %s", x->formula, x->from ? x->from : "", x->to ? x->to : "", e.text);
    temper_free(c.data);
    free(file.data);
}

/* Each output of a transducer has the name that the source gives it. */
static void check_names(void) {
    static const char source[] = "transduce\nemit 'x' = O a\nemit 'y' = Y b & a\n";
    static const char *const changes[][2] = {
        {NULL, NULL}, {"read \"x\"", "read \"z\""}, {"read \"y\"", "read \"z\""}};
    temper_spec *spec = NULL;
    temper_model *model = NULL;
    temper_error e = {0};
    bytes printed = {0};
    temper_spec_options o = {.alphabet = "ab"};
    temper_build_options build = {.method = T};
    if (CHECK(temper_spec_parse(&spec, source, strlen(source), &o, &e) == TEMPER_OK &&
                  temper_build(&model, spec, &build, &e) == TEMPER_OK &&
                  temper_model_print(&printed.data, &printed.length, model, &e) == TEMPER_OK,
              "%s", e.text))
        for (size_t k = 0; k < 3; k++) {
            bytes file = copy_of(&printed, 0), c = {0};
            static const language_claim nothing[2];
            audit_request request = {.length = 20, .outputs = nothing, .output_count = 2};
            file.length = (size_t)(strstr(file.data, "\ndigest ") - file.data) + 1;
            file.data[file.length] = 0;
            if (k) splice(&file, (size_t)(strstr(file.data, changes[k][0]) - file.data), 8, changes[k][1]);
            bool accepted = audit_requested(&c.data, &c.length, file.data, file.length, &request, &e) == TEMPER_OK;
            CHECK(k ? !accepted && strstr(e.text, "has another name in the model's source") : accepted, "%s: %s",
                  k ? changes[k][1] : "as it was", accepted ? "accepted" : e.text);
            temper_free(c.data);
            free(file.data);
        }
    temper_free(printed.data);
    temper_model_free(model);
    temper_spec_free(spec);
}

int main(void) {
    check_names();
    for (size_t k = 0; k < REFUSAL_COUNT; k++) check_refusal(&REFUSALS[k]);
    return test_finish("t-audit-refusals");
}
