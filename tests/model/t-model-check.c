/* The invariants that every pass and every reader promises (model_check): a model of the compiler is well-formed;
   with any one of them broken it is refused, and the message says which. */
#include <math.h>
#include <string.h>

#include "model/model.h"
#include "test.h"

typedef struct subject {
    temper_model *model;
    model_head *head; /* the first one */
    model_layer *layer;
} subject;

/* Names of outputs with another one at a place; acceptors share theirs. */
static const char **names_with(const temper_model *m, size_t at, const char *name) {
    static const char *names[4];
    for (size_t k = 0; k < m->read.count; k++) names[k] = m->output_names[k];
    names[at] = name;
    return names;
}

/* Breaks one thing; the words of the message, NULL behind the last one. */
static const char *damage_any(subject s, int number) {
    temper_model *m = s.model;
    model_head *h = s.head;
    switch (number) {
    case 0: m->letters.count = 0; return "no letters";
    case 1: m->at = TEMPER_AT_DEFAULT; return "no place to read the answer";
    case 2: m->source = NULL; return "no source";
    case 3: m->record.reason = NULL; return "no source";
    case 4: m->digits = (const digit_format *)m; return "digits without a format";
    case 5: m->method = TEMPER_METHOD_DIGITS; return "a format alone";
    case 6: m->record.margin = 1, m->record.error = -1; return "not below the margin";
    case 7: m->record.margin = m->record.error = 1; return "not below the margin";
    case 8: m->channels[1].label = NULL; return "a channel without a label";
    case 9: m->channels[0].soft_only = true, m->channels[0].position = NULL; return "without a position expression";
    case 10: m->embedding.start = NULL; return "embedding: missing";
    case 11: m->embedding.start[0] = 1; return "embedding: missing";
    case 12: m->embedding.terms = NULL; return "rows without a place for their terms";
    case 13: m->embedding.start[m->embedding.count] = 0; return "rows out of order";
    case 14: m->embedding.terms[0].channel = m->channel_count; return "a channel that does not exist";
    case 15: m->embedding.terms[0].weight = NAN; return "a weight that is not finite";
    case 16: m->embedding.terms[0].weight = INFINITY; return "a weight that is not finite";
    case 17: m->embedding.terms[0].weight = 0; return "a weight that is zero";
    case 18: m->embedding.count--; return "not one row per letter and sentinel";
    case 19: h->label = NULL; return "layer 1, head 1: no label";
    case 20: h->role = (head_role)(ROLE_LAST_ + 1); return "an unknown role";
    case 21: h->mask = (temper_mask)(TEMPER_MASK_FROM + 1); return "an unknown mask";
    case 22: h->choice = (temper_choice)(TEMPER_CHOICE_SOFTMAX + 1); return "an unknown choice";
    case 23: h->hard_choice = (temper_choice)(TEMPER_CHOICE_SOFTMAX + 1); return "an unknown hard choice";
    case 24: h->query.start = NULL; return "no query";
    case 25: h->key.start = NULL; return "no key";
    case 26: h->value.start = NULL; return "no value";
    case 27: h->output.start = NULL; return "no output";
    case 28: h->query.count = 0; return "query and key of different size";
    case 29: h->value.count = 0; return "value and output of different size";
    case 30: s.layer->in.start = NULL; return "feed-forward net: no input weights";
    case 31: s.layer->out.start = NULL; return "feed-forward net: no output weights";
    case 32: s.layer->in.count--; return "input and output of different size";
    case 33: s.layer->bias[0] = INFINITY; return "a bias that is not finite";
    case 34: m->kind = (temper_kind)(TEMPER_KIND_LAST_ + 1); return "read-out: an unknown kind";
    case 35: m->read.start = NULL; return "read-out: missing";
    case 36: m->output_names = names_with(m, 0, NULL); return "an output without a name";
    case 37: m->parts[0].layer = m->layer_count + 1; return "parts: a layer that does not exist";
    case 38: m->parts[0].layer = 0, m->parts[0].head = 0; return "parts: a head that does not exist";
    case 39:
        m->parts[0].layer = 1, m->parts[0].head = s.layer->head_count;
        return "parts: a head that does not exist";
    case 40: m->parts[0].channel = m->channel_count; return "parts: a channel that does not exist";
    case 41: m->channels[0].label = NULL; return "a channel without a label";
    default: return NULL;
    }
}

/* Of an acceptor whose first head is hard, for the nearest one. */
static const char *damage_hard(subject s, int number) {
    temper_model *m = s.model;
    model_head *h = s.head;
    switch (number) {
    case 0: h->hard_choice = TEMPER_CHOICE_AVERAGE; return "stands for another choice";
    case 1: h->scale = (const expression *)m; return "a hard head with a scale";
    case 2: h->adaptive = true; return "no softmax head with a scale";
    case 3: h->choice = h->hard_choice = TEMPER_CHOICE_SOFTMAX; return "a softmax head in a hard model";
    case 4:
        m->channels[0].soft_only = true;
        m->channels[0].position = (const expression *)m;
        return "a soft channel in a hard model";
    case 5: h->role = ROLE_BALANCE; return "another number of query rows";
    case 6: h->role = ROLE_ONCE; return "needs another choice";
    case 7: h->choice = h->hard_choice = TEMPER_CHOICE_AVERAGE; return "needs another choice";
    case 8: h->query.start[1] = 0; return "role nearest with an empty query";
    case 9: h->role = ROLE_MATCH; return "another number of query rows";
    case 10: m->read.count = 0; return "not one row";
    case 11: m->output_names = names_with(m, 0, "x"); return "an acceptor's output has no name";
    case 12: m->kind = TEMPER_KIND_TRANSDUCER, m->read.count = 0; return "no row";
    case 13: m->logits = m->read; return "logits of what does not come next";
    default: return NULL;
    }
}

/* Of one that looks for a pattern. */
static const char *damage_match(subject s, int number) {
    switch (number) {
    case 0: s.head->query.start[s.head->query.count] = 0; return "rows out of order";
    case 1:
        for (uint32_t k = 0; k <= s.head->query.count; k++) s.head->query.start[k] = 0;
        return "role match with an empty query";
    default: return NULL;
    }
}

static const char *damage_soft(subject s, int number) {
    switch (number) {
    case 0: s.head->scale = NULL, s.head->adaptive = true; return "no softmax head with a scale";
    case 1:
        s.head->adaptive = true;
        s.head->hard_choice = TEMPER_CHOICE_SOFTMAX;
        return "an adaptive head that stands for no hard choice";
    case 2: s.head->key.terms[1].channel = s.head->key.terms[0].channel; return "not in ascending order";
    default: return NULL;
    }
}

/* Of a language model with logits. */
static const char *damage_next(subject s, int number) {
    temper_model *m = s.model;
    switch (number) {
    case 0: m->read.count--; return "a letter of the alphabet or the end";
    case 1: m->output_names = names_with(m, 0, "b"); return "not in the order of the alphabet";
    case 2: m->output_names = names_with(m, m->letters.count, "x"); return "not that of the end";
    case 3: m->logits.count--; return "not one row of logits for each output";
    case 4: m->logits.start[0] = 1; return "no logits";
    default: return NULL;
    }
}

static bool is_fine(const temper_model *m, temper_error *e) {
    trap t;
    if (trap_set(&t, e)) return false;
    model_check(m, &t);
    return true;
}

static void check_damage(const char *formula, temper_method method, const char *(*damage)(subject, int)) {
    static const temper_spec_options o = {.alphabet = "abc"};
    temper_spec *spec = NULL;
    temper_error e;
    const char *words = "";
    if (!CHECK(temper_spec_parse(&spec, formula, strlen(formula), &o, &e) == TEMPER_OK, "%s: %s", formula, e.text))
        return;
    for (int k = 0; words; k++) {
        temper_model *m = NULL;
        temper_build_options build = {.method = method};
        if (!CHECK(temper_build(&m, spec, &build, &e) == TEMPER_OK && is_fine(m, &e), "%s: %s", formula, e.text))
            break;
        temper_model whole = *m;
        words = damage((subject){m, &m->layers[0].heads[0], &m->layers[0]}, k);
        if (words)
            CHECK(!is_fine(m, &e) && e.code == TEMPER_FORMAT && strstr(e.text, words), "%s, change %d: %s, not %s",
                  formula, k, e.text, words);
        else
            CHECK(k > 1, "nothing was changed");
        whole.memory = m->memory;
        *m = whole;
        temper_model_free(m);
    }
    temper_spec_free(spec);
}

int main(void) {
    check_damage("Y a & b", TEMPER_METHOD_HARD, damage_any);
    check_damage("Y a & b", TEMPER_METHOD_TEMPERATURE, damage_any);
    check_damage("a S b", TEMPER_METHOD_HARD, damage_hard);
    check_damage("rightmost[j<i, letter is letter] a", TEMPER_METHOD_HARD, damage_match);
    check_damage("a S b", TEMPER_METHOD_TEMPERATURE, damage_soft);
    check_damage("next\nprobabilities uniform\nH !(a & Y a)", TEMPER_METHOD_TEMPERATURE, damage_next);
    return test_finish("t-model-check");
}
