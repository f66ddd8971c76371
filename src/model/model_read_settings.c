/* The first lines of a model: how it was made, its letters, what is proved of it. */
#include <string.h>

#include "logic/formula.h"
#include "model/model_read.h"

static bool read_yes_no(model_reader *r, const char *yes, const char *no, const char *what) {
    const char *const words[] = {yes, no, NULL};
    return scan_choice(&r->scan, words, what) == 0;
}

void model_read_method(model_reader *r) {
    static const char *const methods[] = {"hard", "temperature", "positions", "digits", NULL};
    r->model->method = scan_choice(&r->scan, methods, "hard, temperature, positions or digits");
    if (r->model->method != TEMPER_METHOD_DIGITS) return;
    static const char *const formats[] = {"bf16", "f16", "e4m3", "e5m2", "f32", NULL}; /* as digit_format_at */
    r->model->digits = digit_format_at(scan_choice(&r->scan, formats, "bf16, f16, e4m3, e5m2 or f32"));
}

void model_read_kind(model_reader *r) {
    static const char *const kinds[] = {"next", "transducer", NULL};
    if (r->version < 2) scan_fail(&r->scan, r->scan.line_start, "in version 1 a model has one output and no kind");
    r->model->kind = TEMPER_KIND_NEXT + scan_choice(&r->scan, kinds, "next or transducer");
}

void model_read_syntax(model_reader *r) { r->model->syntax = scan_choice(&r->scan, syntax_names, syntax_choices); }

void model_read_source(model_reader *r) {
    r->model->source = scan_quoted(&r->scan, &r->model->memory, "the specification in quotes");
}

void model_read_tokens(model_reader *r) { r->model->letters.tokens = read_yes_no(r, "yes", "no", "yes or no"); }

void model_read_at(model_reader *r) {
    r->model->at = read_yes_no(r, "first", "last", "first or last") ? TEMPER_AT_FIRST : TEMPER_AT_LAST;
}

void model_read_empty(model_reader *r) {
    r->model->accepts_empty = read_yes_no(r, "accept", "reject", "accept or reject");
}

void model_read_end(model_reader *r) { r->model->has_end = read_yes_no(r, "yes", "no", "yes or no"); }

void model_read_safe(model_reader *r) {
    r->model->record.length = scan_integer(&r->scan, 0, SIZE_MAX, "a length");
    r->model->record.reason = scan_quoted(&r->scan, &r->model->memory, "a reason in quotes");
}

void model_read_bound(model_reader *r) {
    temper_model *m = r->model;
    double *const numbers[] = {&m->record.error, &m->record.margin};
    for (size_t k = 0; k < 2; k++) {
        const char *word;
        size_t length = scan_word(&r->scan, &word);
        *numbers[k] = scan_double(&r->scan, word, length, r->scan.word_at);
        if (!(*numbers[k] >= 0)) scan_fail(&r->scan, r->scan.word_at, "a bound that is negative");
    }
    m->record.verdict_only = read_yes_no(r, "verdict", "positions", "verdict or positions");
    if (!(m->record.error < m->record.margin))
        scan_fail(&r->scan, r->scan.line_start, "a bound of the error that is not below the margin proves nothing");
}

void model_read_alphabet(model_reader *r) {
    alphabet *letters = &r->model->letters;
    do {
        const char *letter = scan_quoted(&r->scan, r->scratch, "a letter in quotes");
        size_t before = letters->count, at = r->scan.word_at;
        if (!*letter) scan_fail(&r->scan, at, "an empty letter");
        if (before == ALPHABET_LIMIT) scan_fail(&r->scan, at, "more than %d letters", ALPHABET_LIMIT);
        alphabet_add(letters, letter, strlen(letter));
        if (letters->count == before) scan_fail(&r->scan, at, "a letter that is in the alphabet already");
        const char *word;
        if (!scan_word(&r->scan, &word)) break;
        r->scan.at = r->scan.word_at;
    } while (true);
}

void model_read_other(model_reader *r) {
    alphabet *letters = &r->model->letters;
    if (r->version < 2) scan_fail(&r->scan, r->scan.line_start, "in version 1 a model has no other letter");
    const char *letter = scan_quoted(&r->scan, r->scratch, "a letter in quotes");
    letters->other = alphabet_find(letters, letter, strlen(letter));
    if (letters->other == UINT32_MAX)
        scan_fail(&r->scan, r->scan.word_at, "a letter that is not in an alphabet above this line");
}
