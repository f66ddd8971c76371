/* The text form of a model, line by line, beside tests/bad/model-lines.cases: texts that differ from a whole model
   in one place, with the line, the column and the words of the refusal that doc/model.md asks for, or with the model
   that is read. Sizes and numbers stand at their ends: the last one that is read, and the first one that is not. */
#define _GNU_SOURCE /* memmem */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "test.h"

/* Hard, of version 1. */
static const char HARD[] = "temper-model 1\n"
                           "alphabet \"a\"\n"
                           "channel 0 \"x\"\n"
                           "embed \"a\" 0:1\n"
                           "embed start\n"
                           "embed end\n"
                           "layer 1\n"
                           "head \"h\" mask all choice rightmost\n"
                           "  query 0:1\n"
                           "  key 0:1\n"
                           "  value 0:1\n"
                           "  output 0:1\n"
                           "unit 1 0:1 -> 0:1\n"
                           "read 0:1\n"
                           "part \"p\" layer 1 head 1 channel 0\n";

/* Soft, of version 2, with two letters and two channels. */
static const char SOFT[] = "temper-model 2\n"
                           "method temperature\n"
                           "alphabet \"a\" \"b\"\n"
                           "other \"b\"\n"
                           "channel 0 \"x\"\n"
                           "channel 1 \"y\" soft \"i/N\"\n"
                           "embed \"a\" 0:1\n"
                           "embed \"b\"\n"
                           "embed start\n"
                           "embed end\n"
                           "layer 1\n"
                           "head \"h\" mask j<=i choice softmax for rightmost scale \"8*i\"\n"
                           "  query 0:1\n"
                           "  key 0:1 1:1\n"
                           "read 0:1\n";

/* A language model with logits. */
static const char NEXT[] = "temper-model 2\n"
                           "kind next\n"
                           "alphabet \"a\"\n"
                           "channel 0 \"x\"\n"
                           "embed \"a\" 0:1\n"
                           "embed start\n"
                           "embed end\n"
                           "read \"a\" 0:1\n"
                           "read \"\"\n"
                           "logit \"a\" 0:1\n"
                           "logit \"\" 0:-1\n";

typedef struct change {
    const char *model, *from, *to;
    size_t line, column;
    const char *words; /* NULL: it is read */
} change;

#define FIRST_WORDS                                                                                                  \
    "expected the first word of a line (channel, embed, layer, head, query, key, value, output, unit, read, ...), "  \
    "found "

static const change CHANGES[] = {
    /* comments, and lines that are none */
    {HARD, "alphabet", "--\n-- x\n--x\n\n \t\r\nalphabet", 0, 0, NULL},
    /* settings of version 2 */
    {HARD, "channel 0", "other \"a\"\nchannel 0", 3, 1, "in version 1 a model has no other letter"},
    {HARD, "temper-model 1\n", "temper-model 1\nmethod temperature\n", 0, 0, NULL},
    {SOFT, "for rightmost scale \"8*i\"", "scale \"8*i\"", 0, 0, NULL},
    {SOFT, "for rightmost scale", "for rightmost adaptive", 0, 0, NULL},
    /* the record */
    {HARD, "channel 0", "safe 0 \"r\"\nchannel 0", 0, 0, NULL},
    {HARD, "channel 0", "safe 18446744073709551615 \"r\"\nchannel 0", 0, 0, NULL},
    {HARD, "channel 0", "safe 18446744073709551616 \"r\"\nchannel 0", 3, 6,
     "expected a length, found '18446744073709551616'"},
    {HARD, "channel 0", "safe\nchannel 0", 3, 5, "expected a length, found the end of the line"},
    {HARD, "channel 0", "bound 0 1 verdict\nchannel 0", 0, 0, NULL},
    {HARD, "channel 0", "bound 0.25 0.5 positions\nchannel 0", 0, 0, NULL},
    {HARD, "channel 0", "bound 0 0 verdict\nchannel 0", 3, 1,
     "a bound of the error that is not below the margin proves nothing"},
    {HARD, "channel 0", "bound 1 1 verdict\nchannel 0", 3, 1,
     "a bound of the error that is not below the margin proves nothing"},
    {HARD, "channel 0", "bound -0.5 1 verdict\nchannel 0", 3, 7, "a bound that is negative"},
    {HARD, "channel 0", "bound 0 -1 verdict\nchannel 0", 3, 9, "a bound that is negative"},
    {HARD, "channel 0", "bound 0\nchannel 0", 3, 8, "expected a number, found the end of the line"},
    {HARD, "channel 0", "bound 0 1\nchannel 0", 3, 10, "expected verdict or positions, found the end of the line"},
    {HARD, "channel 0", "bound 0 1 2 verdict\nchannel 0", 3, 11, "expected verdict or positions, found '2'"},
    /* channels and embeddings */
    {HARD, "channel 0", "channel 1", 3, 9, "channels are numbered from 0 in order; this one must be 0"},
    {HARD, "channel 0", "channel 4294967294", 3, 9, "channels are numbered from 0 in order; this one must be 0"},
    {HARD, "channel 0", "channel 4294967295", 3, 9, "expected a channel number, found '4294967295'"},
    /* rows */
    {SOFT, "key 0:1 1:1", "key 0000000000:1 0000000001:1", 0, 0, NULL},
    {HARD, "unit 1 0:1 -> 0:1", "unit 0 ->", 0, 0, NULL},
    /* outputs */
    {NEXT, "logit \"a\" 0:1\nlogit \"\" 0:-1\n", "", 0, 0, NULL},
    /* parts */
    {HARD, "layer 1 head 1 channel 0", "layer 0", 0, 0, NULL},
};

/* Whole files that end where a word goes on; behind the end stands what would make another file of them. */
static const struct {
    const char *text, *behind;
    size_t line, column;
    const char *words;
} ENDS[] = {
    {"", "temper-model 1\n", 1, 1, "not a temper model: it does not begin with 'temper-model 1'"},
    {"\xEF\xBB\xBF", "", 1, 1, "a byte-order mark; a model begins with 'temper-model 1'"},
    {"\xEF\xBB", "\xBF", 1, 1, "not a temper model: it does not begin with 'temper-model 1'"},
    {"temper-model 1", "0", 2, 1, "the file ends without a line 'read'"},
    {"temper-model 1\n-", "-\n", 2, 1, FIRST_WORDS "'-'"},
    {"temper-model 1\nsource", " \"\"", 2, 7, "expected the specification in quotes, found the end of the line"},
    {"temper-model 1\nsource \"", "\"", 2, 8, "a text without its closing quote"},
    {"temper-model 1\nsource \"a", "\"", 2, 8, "a text without its closing quote"},
    {"temper-model 1\nsource \"a\\", "\"\"", 2, 8, "a text without its closing quote"},
    {"temper-model 1\nsource \"a\\\"", "\"", 2, 8, "a text without its closing quote"},
    {"temper-model 1\nsource \"a\"", "x", 3, 1, "the file ends without a line 'read'"},
    {"temper-model 1\nalphabet \"a\"\nchannel 0 \"x\"\nembed \"a\" 0", "0:1\n", 4, 11,
     "expected CHANNEL:WEIGHT, found '0'"},
    {"temper-model 1\nalphabet \"a\"\nchannel 0 \"x\"\nembed \"a\" 0:-", "5", 4, 13, "expected a number, found '-'"},
    {"temper-model 1\nalphabet \"a\"\nchannel 0 \"x\"\nembed \"a\" 0:", "5", 4, 13,
     "expected a number, found the end of the line"},
};

/* Reads bytes that end where their memory does, or with others behind them. */
static temper_model *read_before(const char *lines, size_t length, const char *behind, temper_error *e) {
    size_t more = strlen(behind);
    char *copy = malloc(length + more + !(length + more));
    temper_model *m = NULL;
    memcpy(copy, lines, length);
    memcpy(copy + length, behind, more);
    *e = (temper_error){0};
    temper_model_read(&m, copy, length, e);
    free(copy);
    return m;
}

static void check_read(const char *lines, size_t length, const char *behind, size_t line, size_t column,
                       const char *words) {
    temper_error e;
    temper_model *m = read_before(lines, length, behind, &e);
    if (words)
        CHECK(!m && e.code == TEMPER_FORMAT && e.line == line && e.column == column && strcmp(e.text, words) == 0,
              "%zu:%zu: %s\nnot %zu:%zu: %s\n%.*s", e.line, e.column, m ? "accepted" : e.text, line, column, words,
              (int)length, lines);
    else
        CHECK(m, "%zu:%zu: %s\n%.*s", e.line, e.column, e.text, (int)length, lines);
    temper_model_free(m);
}

/* The model with one text in the place of another; freed with free. */
static char *changed(const char *model, const char *from, const char *to) {
    const char *at = strstr(model, from);
    size_t before = at ? (size_t)(at - model) : 0;
    char *out = malloc(strlen(model) + strlen(to) + 1);
    CHECK(at, "no %s in\n%s", from, model);
    sprintf(out, "%.*s%s%s", (int)before, model, to, at ? at + strlen(from) : "");
    return out;
}

static void check_changes(void) {
    static const char *const whole[] = {HARD, SOFT, NEXT};
    for (size_t k = 0; k < 3; k++) check_read(whole[k], strlen(whole[k]), "", 0, 0, NULL);
    for (size_t k = 0; k < 3; k++) check_read(whole[k], strlen(whole[k]) - 1, "5\n", 0, 0, NULL);
    for (size_t k = 0; k < sizeof CHANGES / sizeof *CHANGES; k++) {
        const change *c = &CHANGES[k];
        char *lines = changed(c->model, c->from, c->to);
        check_read(lines, strlen(lines), "", c->line, c->column, c->words);
        free(lines);
    }
    for (size_t k = 0; k < sizeof ENDS / sizeof *ENDS; k++)
        for (int alone = 0; alone < 2; alone++)
            check_read(ENDS[k].text, strlen(ENDS[k].text), alone ? "" : ENDS[k].behind, ENDS[k].line, ENDS[k].column,
                       ENDS[k].words);
}

/* A number of 79 characters is read, one of 80 is not. */
static void check_long_numbers(void) {
    for (int length = 78; length < 82; length++) {
        char to[120], number[100] = "0.";
        memset(number + 2, '0', 96);
        strcpy(number + length - 1, "1");
        snprintf(to, sizeof to, "unit %s", number);
        char *lines = changed(HARD, "unit 1", to);
        check_read(lines, strlen(lines), "", 13, 6, length < 80 ? NULL : "a number of more than 79 characters");
        free(lines);
    }
}

/* Every byte of ASCII as an escape, in digits of both cases; and the number of a bias, a weight, a bound. */
static void check_values(void) {
    for (int upper = 0; upper < 2; upper++)
        for (unsigned byte = 1; byte < 128; byte++) {
            char to[10];
            temper_error e;
            sprintf(to, upper ? "\"\\x%02X\"" : "\"\\x%02x\"", byte);
            char *lines = changed(HARD, "\"x\"", to);
            temper_model *m = read_before(lines, strlen(lines), "", &e);
            CHECK(m && m->channels[0].label[0] == (char)byte && !m->channels[0].label[1], "%s: %s", to, e.text);
            temper_model_free(m);
            free(lines);
        }
    temper_error e;
    char *lines = changed(HARD, "unit 1 0:1 -> 0:1", "unit -0x1.8p-1 0:2.5 -> 0:1e2");
    temper_model *m = read_before(lines, strlen(lines), "", &e);
    if (CHECK(m, "%s", e.text)) {
        const model_layer *l = &m->layers[0];
        CHECK(l->in.count == 1 && l->out.count == 1 && l->bias[0] == -0.75 && l->in.terms[0].weight == 2.5 &&
                  l->out.terms[0].weight == 100,
              "%g %g %g", l->bias[0], l->in.terms[0].weight, l->out.terms[0].weight);
        CHECK(m->part_count == 1 && m->parts[0].layer == 1 && m->parts[0].head == 0 && m->parts[0].channel == 0,
              "a part in layer %u", m->parts[0].layer);
    }
    temper_model_free(m);
    free(lines);
}

/* ---- the record and its digest ---- */

static uint64_t fnv(const char *lines) {
    uint64_t x = 0xcbf29ce484222325;
    for (; *lines; lines++) x = (x ^ (unsigned char)*lines) * 0x100000001b3;
    return x;
}

/* Whether the record of a text is believed. */
static bool has_record(const char *lines, size_t length, double error) {
    temper_error e;
    temper_model *m = read_before(lines, strlen(lines), "", &e);
    bool has = CHECK(m, "%s\n%s", e.text, lines) && m->record.margin > 0;
    if (has)
        CHECK(m->record.length == length && m->record.error == error && m->record.margin == 1 &&
                  m->record.verdict_only && !strcmp(m->record.reason, "r"),
              "a record of %zu, %g", m->record.length, m->record.error);
    else if (m)
        CHECK(m->record.length == 0 && m->record.error == 0 && !*m->record.reason, "half a record");
    temper_model_free(m);
    return has;
}

static void check_digests(void) {
    for (size_t length = 0; length < 20; length++) {
        char record[80], file[600];
        double error = length % 4 * 0.25;
        snprintf(record, sizeof record, "safe %zu \"r\"\nbound %g 1 verdict\nchannel 0", length, error);
        char *lines = changed(HARD, "channel 0", record);
        CHECK(!has_record(lines, length, error), "a record without a digest");
        snprintf(file, sizeof file, "%sdigest %016llx\n", lines, (unsigned long long)fnv(lines));
        CHECK(has_record(file, length, error), "the right digest\n%s", file);
        char *digits = file + strlen(file) - 17;
        for (int k = 0; k < 16; k++) {
            char right = digits[k];
            digits[k] = (char)toupper(right);
            CHECK(has_record(file, length, error), "in upper case\n%s", file);
            digits[k] = right == '0'   ? '1'
                        : right == '9' ? 'a'
                                       : (char)(right - 1 - (right == 'a') * ('a' - '9' - 1));
            CHECK(!has_record(file, length, error), "digit %d is another one\n%s", k, file);
            digits[k] = right;
        }
        static const char *const wrong[] = {"123456789abcdef", "0123456789abcdef0", "0123456789abcdeg"};
        for (int k = 0; k < 3; k++) {
            char words[80];
            snprintf(file, sizeof file, "%sdigest %s\n", lines, wrong[k]);
            snprintf(words, sizeof words, "expected 16 hexadecimal digits, found '%s'", wrong[k]);
            check_read(file, strlen(file), "", 18, 8, words);
        }
        free(lines);
    }
}

/* ---- roles ---- */

/* How many rows of a query soften reads of each; match: two or more. */
static void check_roles(void) {
    static const struct {
        const char *role;
        int rows;
    } roles[] = {{"once", 1},    {"nearest", 1}, {"count", 0}, {"compare", 1},
                 {"balance", 2}, {"lookup", 2},  {"match", -1}};
    for (size_t k = 0; k < sizeof roles / sizeof *roles; k++)
        for (int rows = 0; rows < 4; rows++) {
            bool nearest = k == 1 || k == 6, fits = roles[k].rows < 0 ? rows > 1 : rows == roles[k].rows;
            char head[80], body[200] = "";
            snprintf(head, sizeof head, "head \"h\" role %s mask all choice %s\n", roles[k].role,
                     nearest ? "rightmost" : "average");
            strcat(body, head);
            for (int r = 0; r < rows; r++) strcat(body, r ? "query\nkey 0:1\n" : "query 0:1\nkey 0:1\n");
            char *lines = changed(HARD, "head \"h\" mask all choice rightmost\n  query 0:1\n  key 0:1\n", body);
            check_read(lines, strlen(lines), "", 0, 0,
                       fits ? NULL
                            : "not a well-formed model: layer 1, head 1: a role that needs another number of query "
                              "rows");
            free(lines);
        }
}

int main(void) {
    check_changes();
    check_long_numbers();
    check_values();
    check_digests();
    check_roles();
    return test_finish("t-model-lines");
}
