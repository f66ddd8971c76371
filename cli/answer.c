#include "answer.h"

#include <stdio.h>
#include <string.h>

#include "escape.h"
#include "json.h"

enum { CUT_SHOWN = 40 }; /* characters shown of a line that was too long to keep */

static void print_json(const session *s, const line *l, const answer *a) {
    json j;
    json_open(&j, stdout);
    json_bytes(&j, "string", l->bytes, l->cut && l->length > CUT_SHOWN ? CUT_SHOWN : l->length);
    if (l->cut) json_flag(&j, "cut", true);
    if (a->error) {
        json_text(&j, "error", a->error);
    } else {
        if (a->written)
            json_bytes(&j, "output", a->written, a->written_length);
        else
            json_flag(&j, "accept", a->accept);
        if (s->opt.command_bit == FOR_RUN) {
            json_flag(&j, "proved", a->claim != TEMPER_CLAIM_NONE);
            json_text(&j, "claim", temper_claim_name(a->claim));
        }
        if (a->truth) {
            json_begin(&j, "positions", '[');
            for (size_t k = 0; k < a->n; k++) json_count(&j, NULL, a->truth[k]);
            json_end(&j, ']');
        }
        if (a->texts) {
            json_begin(&j, "positions", '[');
            for (size_t k = 0; k < a->n; k++) json_text(&j, NULL, a->texts[k]);
            json_end(&j, ']');
        }
    }
    json_close(&j);
}

/* With blanks between them; '' is nothing. */
static void print_texts(const answer *a) {
    putchar('\t');
    for (size_t k = 0; k < a->n; k++) {
        if (k) putchar(' ');
        if (*a->texts[k])
            escape_write(stdout, a->texts[k], strlen(a->texts[k]), 0);
        else
            fputs("''", stdout);
    }
}

bool answer_print(session *s, const line *l, const answer *a) {
    if (s->quiet) {
        if (!a->error && !a->written && !a->accept) session_fail(s, EXIT_NO);
        return true;
    }
    if (s->json) {
        print_json(s, l, a);
        return output_is_fine(s);
    }
    if (a->written && !a->error)
        escape_write(stdout, a->written, a->written_length, 0);
    else
        fputs(a->error ? "error" : a->accept ? "accept" : "reject", stdout);
    bool unproved = s->opt.command_bit == FOR_RUN && !a->error && a->claim == TEMPER_CLAIM_NONE;
    if (unproved) fputs(" (unproved)", stdout);
    putchar('\t');
    escape_write(stdout, l->bytes, l->length, l->cut ? CUT_SHOWN : 0);
    if (l->cut) fputs(" (cut)", stdout);
    if (a->truth && !a->error) {
        putchar('\t');
        for (size_t k = 0; k < a->n; k++) putchar('0' + a->truth[k]);
    }
    if (a->texts && !a->error) print_texts(a);
    putchar('\n');
    return output_is_fine(s);
}
