#include "answer.h"

#include <stdio.h>

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
    }
    json_close(&j);
}

bool answer_print(session *s, const line *l, const answer *a) {
    if (s->quiet) {
        if (!a->error && !a->accept) session_fail(s, EXIT_NO);
        return true;
    }
    if (s->json) {
        print_json(s, l, a);
        return output_is_fine(s);
    }
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
    putchar('\n');
    return output_is_fine(s);
}
