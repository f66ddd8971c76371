/* temper audit: checks a certificate against a model, with other code than the one that wrote it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cost_show.h"
#include "escape.h"
#include "json.h"
#include "message.h"
#include "progress.h"
#include "proved_checker.h"
#include "remedy_words.h"

static const char *checker_words(checker_answer answer) {
    if (answer == CHECKER_ACCEPTS) return "; checked by a proved checker";
    return answer == CHECKER_DECLINES ? "; not checked by the proved checker, which refutes nothing" : "";
}

static void print_result(session *s, const char *path, const char *model, const temper_audit_claim *c,
                         const temper_error *err, checker_answer answer) {
    bool proved = err->code == TEMPER_OK, several = *c->kind, formula = c->claim != TEMPER_CLAIM_CHOICES,
         viable = c->claim == TEMPER_CLAIM_VIABLE, chances = *c->log_probabilities;
    if (s->json) {
        json j;
        json_open(&j, stdout);
        json_text(&j, "certificate", path);
        json_text(&j, "model", model);
        json_flag(&j, "proved", proved);
        if (proved) {
            json_text(&j, "claim", temper_claim_name(c->claim));
            if (several) json_text(&j, "kind", c->kind);
            json_count(&j, "length", c->length);
            json_text(&j, "type", c->type);
            json_flag(&j, "every_position", c->every_position);
            json_text(&j, "error", c->error);
            if (chances) json_text(&j, "log_probabilities", c->log_probabilities);
            json_text(&j, "checked_by", answer == CHECKER_ACCEPTS ? "audit and proved checker" : "audit");
        } else {
            json_text(&j, "reason", err->text);
        }
        json_close(&j);
    } else if (proved && !s->quiet) {
        show_write(stdout, path, strlen(path), 0);
        fputs(": proved for ", stdout);
        show_write(stdout, model, strlen(model), 0);
        printf(": %s%s, for every string up to length %zu in %s (largest error %s%s)%s\n",
               formula && !strcmp(c->kind, "next")
                   ? "at every prefix the outputs are what comes next in the source's language"
               : formula && several ? "every output at every position is the source's"
               : formula            ? "the answer at every position is the source's"
               : several            ? "every output at every position is that of its hard choices"
               : c->every_position  ? "the answer at every position is that of its hard choices"
                                    : "the verdict is that of its hard choices",
               viable ? ", if viable is right, which no audit looks at" : "", c->length, c->type, c->error,
               formula ? " of 2.500e-01 allowed" : "", checker_words(answer));
        if (!strcmp(c->log_probabilities, "not proved"))
            puts("logits are not part of the claim");
        else if (chances)
            printf(
                "logits are within %s of the logarithms of the source's probabilities, and those of what never comes "
                "give 0\n",
                c->log_probabilities);
    }
}

/* What the audit of hard choices by sets will take. */
static void show_cost(session *s, const temper_audit_claim *c, const char *bytes, size_t size) {
    temper_model *model;
    if (strcmp(c->facts, "sets") != 0 || !is_done(temper_model_read(&model, bytes, size, NULL))) return;
    cost_show(s, "audit", model, c->length, 2);
    temper_model_free(model);
}

/* ---- ordinary transformers ---- */

/* Also where the rest of it cannot be read: the audit says what is wrong. */
static bool is_ordinary(temper_audit_claim *c, const char *certificate, size_t length) {
    (void)temper_audit_read(c, certificate, length, NULL);
    return c->ordinary;
}

static void audit_ordinary(session *s, const char *path, const char *certificate, size_t length, const char *other) {
    temper_error err;
    temper_audit_claim c;
    temper_audit_options o = {.path = other};
    temper_status status = temper_audit(certificate, length, NULL, 0, &o, &err);
    bool proved = status == TEMPER_OK && temper_audit_read(&c, certificate, length, &err) == TEMPER_OK;
    if (s->json) {
        json j;
        json_open(&j, stdout);
        json_text(&j, "certificate", path);
        json_text(&j, "model", other);
        json_flag(&j, "proved", proved);
        if (proved) {
            json_text(&j, "claim", temper_claim_name(c.claim));
            json_text(&j, "architecture", c.architecture);
            json_count(&j, "length", c.length);
            json_text(&j, "weights", c.weights);
            json_text(&j, "cache", c.cache);
            json_count(&j, "within", 32);
        } else {
            json_text(&j, "reason", err.text);
        }
        json_close(&j);
        if (!proved) session_fail(s, status == TEMPER_RANGE ? EXIT_NO : exit_code_of(err.code));
    } else if (status == TEMPER_RANGE) {
        place at = {.name = path};
        message_print(s, EXIT_NO, &at, err.text, error_hint(&err));
    } else if (!proved) {
        message_error(s, &err, NULL, NULL, 0);
    } else if (!s->quiet) {
        show_write(stdout, path, strlen(path), 0);
        fputs(": proved for ", stdout);
        show_write(stdout, other, strlen(other), 0);
        printf(": after every prefix of every string up to length %zu each logit is within 32 of what the source "
               "says%s, as a %s with %s weights and an %s cache\n",
               c.length, c.claim == TEMPER_CLAIM_VIABLE ? ", if viable is right, which no audit looks at" : "",
               c.architecture, c.weights, c.cache);
    }
}

static temper_status watched(session *s, const char *certificate, size_t length, const char *model, size_t size,
                             temper_error *err) {
    progress bar;
    progress_start(&bar, "audit", !s->quiet && !s->json && isatty(STDERR_FILENO));
    bar.unit = "steps";
    temper_audit_options o = {
        .progress = progress_step, .context = &bar, .threads = (unsigned)s->opt.value[OPT_THREADS].number};
    temper_status status = temper_audit(certificate, length, model, size, &o, err);
    progress_clear(&bar);
    return status;
}

void cmd_audit(session *s) {
    char *certificate = NULL, *model = NULL;
    size_t length, size;
    temper_error err;
    temper_audit_claim claim;
    if (s->opt.count != 2) {
        message_usage(s, "temper audit CERTIFICATE MODEL", "audit takes a certificate and a model");
        return;
    }
    const char *path = s->opt.arguments[0].text, *other = s->opt.arguments[1].text;
    if (temper_file_read(&certificate, &length, path, &err) != TEMPER_OK) {
        message_error(s, &err, NULL, NULL, 0);
    } else if (is_ordinary(&claim, certificate, length)) {
        audit_ordinary(s, path, certificate, length, other);
    } else if (temper_file_read(&model, &size, other, &err) != TEMPER_OK) {
        message_error(s, &err, NULL, NULL, 0);
    } else {
        show_cost(s, &claim, model, size);
        temper_status status = watched(s, certificate, length, model, size, &err);
        if (status != TEMPER_OK && err.line == 1 && err.column == 1 && !*err.hint)
            snprintf(err.hint, sizeof err.hint, "the certificate comes first: temper audit CERTIFICATE MODEL");
        checker_answer answer = status == TEMPER_OK ? proved_checker_ask(s, other, certificate) : CHECKER_NONE;
        if (status == TEMPER_OK || s->json) print_result(s, path, other, &claim, &err, answer);
        if (status == TEMPER_RANGE && !s->json) {
            place at = {.name = path, .line = err.line};
            message_print(s, EXIT_NO, &at, err.text, error_hint(&err));
        } else if (status == TEMPER_RANGE) {
            session_fail(s, EXIT_NO);
        } else if (status != TEMPER_OK) {
            message_error(s, &err, path, NULL, 0);
        }
    }
    temper_free(certificate);
    temper_free(model);
}
