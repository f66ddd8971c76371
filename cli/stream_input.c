#include "remedy_words.h"
#include "stream_input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "input.h"
#include "json.h"
#include "next_answer.h"

enum { NO_LETTER = UINT32_MAX };
_Static_assert(INPUT_BUFFER == 64 << 10, "a message names the limit of a token");

typedef struct feed {
    session *session;
    const temper_model *model;
    const temper_run_options *options; /* of the stream */
    temper_stream *stream;
    bool writes;       /* a transducer: after every letter a text, not a verdict */
    bool said_nothing; /* the letter was read, but it does not know what to write */
    bool is_next, tokens, rescaled, sourced, warned, warned_claim;
    double logit_error;  /* temper_model_logit_error */
    size_t line;         /* of standard input, from 1 */
    uint32_t ascii[128]; /* the letter that a character is, or NO_LETTER */
    input from;
} feed;

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'; }

/* The size of what stands between letters here: a blank between tokens; the end of a line between characters, unless
   LF is a letter, and with it every CR what it is. */
static size_t between(feed *f) {
    if (f->tokens) return is_blank(f->from.buffer[f->from.at]);
    return f->ascii['\n'] == NO_LETTER ? input_line_end(&f->from) : 0;
}

/* The size of the character that comes next, its bytes complete if the input has them; bytes that are not UTF-8 are
   one each. */
static size_t character(input *in) {
    unsigned char lead = (unsigned char)in->buffer[in->at];
    size_t need = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    for (size_t k = 1; k < need; k++) {
        if (in->at + k == in->filled && !input_more(in)) break;
        if (((unsigned char)in->buffer[in->at + k] & 0xC0) != 0x80) break;
    }
    uint32_t code;
    bool valid;
    return char_decode(&code, &valid, in->buffer + in->at, in->filled - in->at);
}

static size_t token(input *in) {
    size_t size = 0;
    while ((in->at + size < in->filled || input_more(in)) && !is_blank(in->buffer[in->at + size])) size++;
    return size;
}

/* The next letter's size in bytes; 0 at the end. */
static size_t next_letter(feed *f) {
    input *in = &f->from;
    while (in->at < in->filled || input_more(in)) {
        size_t skipped = between(f);
        if (!skipped) return f->tokens ? token(in) : character(in);
        in->at += skipped;
        f->line += in->buffer[in->at - 1] == '\n';
    }
    return 0;
}

static int holds_in_stream(const void *from, size_t output) { return temper_stream_output(from, output); }

static double logit_in_stream(const void *from, size_t output) { return temper_stream_logit(from, output); }

/* An answer line of the letter just read, or of the one that could not be. */
static bool print_line(feed *f, const char *error) {
    session *s = f->session;
    temper_claim claim = temper_stream_about(f->stream).claim;
    bool accept = temper_stream_about(f->stream).accept, proved = temper_stream_about(f->stream).proved;
    size_t length = temper_stream_about(f->stream).length + (error != NULL && !f->said_nothing);
    long output = f->writes ? temper_stream_written(f->stream) : TEMPER_WRITES_NONE;
    const char *written = output < 0 ? "" : temper_model_output_name(f->model, (size_t)output);
    next_answer next = {.model = f->model,
                        .holds = holds_in_stream,
                        .logit = logit_in_stream,
                        .from = f->stream,
                        .claim = proved ? claim : TEMPER_CLAIM_NONE,
                        .logit_error = f->logit_error};
    if (s->quiet) return true;
    if (s->json) {
        json j;
        json_open(&j, stdout);
        json_count(&j, "length", length);
        if (error) {
            json_text(&j, "error", error);
        } else if (f->is_next) {
            next_json(&j, &next);
        } else {
            if (f->writes)
                json_text(&j, "output", written);
            else
                json_flag(&j, "accept", accept);
            json_flag(&j, "proved", proved);
            json_text(&j, "claim", temper_claim_name(temper_stream_about(f->stream).claim));
        }
        json_close(&j);
    } else if (f->is_next && !error) {
        next_print(&next);
        printf("\t%zu\n", length);
    } else {
        if (f->writes && !error)
            escape_write(stdout, written, strlen(written), 0);
        else
            fputs(error ? "error" : accept ? "accept" : "reject", stdout);
        printf("%s\t%zu\n", error || proved ? "" : " (unproved)", length);
    }
    return output_is_fine(s);
}

static void refuse(feed *f, int exit_code, const char *text, const char *hint) {
    place at = {f->from.name, f->line, 0, NULL, 0};
    print_line(f, text);
    message_print(f->session, exit_code, &at, text, hint);
}

static void refuse_letter(feed *f, size_t size) {
    enum { SHOWN = 40 };
    char text[16 * SHOWN + 100], shown[16 * SHOWN + 8] = "", cell[24];
    uint32_t code;
    bool valid;
    size_t used = 0, step;
    char_decode(&code, &valid, f->from.buffer + f->from.at, size);
    for (size_t k = 0, count = 0; k < size; k += step, count++) {
        char_show(cell, &step, f->from.buffer + f->from.at + k, size - k, false);
        used += (size_t)snprintf(shown + used, sizeof shown - used, "%s", count < SHOWN ? cell : "...");
        if (count == SHOWN) break;
    }
    size_t position = temper_stream_about(f->stream).length + 1;
    if (!f->tokens && !valid)
        snprintf(text, sizeof text, "byte %s at position %zu is not valid UTF-8", shown, position);
    else
        snprintf(text, sizeof text, "unknown %s '%s' at position %zu", f->tokens ? "token" : "letter", shown,
                 position);
    refuse(f, EXIT_INPUT, text,
           f->tokens ? "--other NAME reads tokens that are not in the alphabet as NAME; --alphabet adds some"
                     : "--other LETTER reads letters that are not in the alphabet as LETTER; --alphabet adds some");
}

/* The letter's number, or NO_LETTER. */
static uint32_t number_of(const feed *f, size_t size) {
    unsigned char c = (unsigned char)f->from.buffer[f->from.at];
    uint32_t *letters, found = NO_LETTER;
    size_t n;
    if (size == 1 && c < 128 && !f->tokens && f->ascii[c] != NO_LETTER) return f->ascii[c];
    if (!is_done(temper_model_encode(&letters, &n, f->model, f->from.buffer + f->from.at, size, NULL)))
        return NO_LETTER;
    if (n == 1) found = letters[0];
    temper_free(letters);
    return found;
}

/* A model that carries a specification is expected to compute it. */
static void warn_of_claim(feed *f) {
    if (f->warned_claim || !f->sourced || temper_stream_about(f->stream).claim != TEMPER_CLAIM_CHOICES) return;
    f->warned_claim = true;
    message_warning(f->session,
                    "proved are only the model's own hard choices, not the specification that it carries");
}

static void warn_once(feed *f) {
    temper_proof p;
    size_t length = temper_stream_about(f->stream).length;
    if (f->warned || temper_stream_about(f->stream).proved) return;
    f->warned = true;
    const char *type = temper_type_name(f->options->type);
    if (f->rescaled && !f->options->hard)
        message_warning(f->session, "the softmax scales are those of --scale: nothing is proved of the answers");
    else if (!is_done(temper_model_proof(&p, f->model, f->options->type, f->options->hard, NULL)) ||
             p.claim == TEMPER_CLAIM_NONE)
        message_warning(f->session, "no length is proved in %s: answers are unproved", type);
    else if (length <= p.length)
        message_warning(f->session,
                        "what is proved in %s is proved of whole strings, not of runs letter by letter: "
                        "answers are unproved",
                        type);
    else
        message_warning(f->session,
                        "length %zu is beyond the proved length %zu in %s (%s): answers from there on are unproved",
                        length, p.length, type, p.obstacle);
}

static bool take(feed *f, size_t size) {
    temper_error err;
    if (size == INPUT_BUFFER) {
        refuse(f, EXIT_LIMIT, "the token is longer than the limit of 64 KiB", NULL);
        return false;
    }
    uint32_t letter = number_of(f, size);
    if (letter == NO_LETTER) {
        refuse_letter(f, size);
        return false;
    }
    f->from.at += size;
    if (temper_stream_push(f->stream, letter, NULL, &err) != TEMPER_OK) {
        refuse(f, exit_code_of(err.code), err.text, error_hint(&err));
        return false;
    }
    warn_once(f);
    warn_of_claim(f);
    if (f->writes && temper_stream_written(f->stream) < 0) {
        char text[80];
        snprintf(text, sizeof text, "at position %zu %s", temper_stream_about(f->stream).length,
                 temper_stream_written(f->stream) == TEMPER_WRITES_NONE ? "no output holds" : "several outputs hold");
        f->said_nothing = true;
        refuse(f, EXIT_INPUT, text, NULL);
        return false;
    }
    return print_line(f, NULL);
}

void stream_input(session *s, const temper_model *model, const temper_run_options *o, temper_stream *stream) {
    temper_model_info info;
    feed *f = calloc(1, sizeof *f);
    if (!f) {
        message_print(s, EXIT_LIMIT, NULL, "out of memory", NULL);
        return;
    }
    info = temper_model_about(model);
    f->session = s;
    f->model = model;
    f->options = o;
    f->stream = stream;
    f->tokens = info.tokens;
    f->writes = info.kind == TEMPER_KIND_TRANSDUCER;
    f->is_next = info.kind == TEMPER_KIND_NEXT;
    f->rescaled = info.rescaled;
    f->sourced = *info.source != 0;
    f->line = 1;
    input_open(&f->from, s, "-");
    f->logit_error = temper_model_logit_error(model, o->type);
    for (size_t c = 0; c < 128; c++) f->ascii[c] = NO_LETTER;
    for (size_t k = 0; k < info.letters; k++) {
        const char *letter = temper_model_letter(model, k);
        if ((unsigned char)letter[0] < 128 && letter[0] && !letter[1])
            f->ascii[(unsigned char)letter[0]] = (uint32_t)k;
    }
    size_t size;
    bool on = true;
    while (on && (size = next_letter(f)) != 0) on = take(f, size);
    if (s->quiet && on && !f->writes && !temper_stream_about(stream).accept) session_fail(s, EXIT_NO);
    free(f);
}
