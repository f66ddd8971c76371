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

/* Behind the string that begins at `at`. */
static const char *string_end(const char *at) {
    for (at++; *at && *at != '"'; at++)
        if (*at == '\\' && at[1]) at++;
    return *at ? at + 1 : at;
}

/* What was claimed, read from a certificate that the audit has read: the value of a member of the whole, wherever
   lines end. */
static bool claim_of(char *out, size_t size, const char *certificate, const char *key) {
    size_t depth = 0, length = strlen(key);
    for (const char *at = certificate; *at; at++) {
        depth += *at == '{' || *at == '[';
        depth -= *at == '}' || *at == ']';
        if (*at != '"') continue;
        const char *name = at + 1, *end = string_end(at);
        at = end - 1;
        end += strspn(end, " \t\r\n");
        if (depth != 1 || *end != ':' || (size_t)(at - name) != length || memcmp(name, key, length) != 0) continue;
        const char *value = end + 1 + strspn(end + 1, " \t\r\n");
        bool quoted = *value == '"';
        size_t n = quoted ? (size_t)(string_end(value) - value) - 2 : strcspn(value, ",} \t\r\n");
        if (n >= size) return false;
        memcpy(out, value + quoted, n);
        out[n] = 0;
        return true;
    }
    return false;
}

static const char *checker_words(checker_answer answer) {
    if (answer == CHECKER_ACCEPTS) return "; checked by a proved checker";
    return answer == CHECKER_DECLINES ? "; not checked by the proved checker, which refutes nothing" : "";
}

static void print_result(session *s, const char *path, const char *model, const char *certificate,
                         const temper_error *err, checker_answer answer) {
    char length[24] = "", type[16] = "", claim[32] = "", error[24] = "", positions[16] = "", kind[16] = "",
         logits[24] = "";
    bool proved = err->code == TEMPER_OK, formula = false, viable = false, every = false, several = false;
    if (proved) {
        claim_of(length, sizeof length, certificate, "length");
        claim_of(type, sizeof type, certificate, "type");
        claim_of(claim, sizeof claim, certificate, "claim");
        claim_of(error, sizeof error, certificate, "error");
        claim_of(positions, sizeof positions, certificate, "positions");
        viable = strcmp(claim, temper_claim_name(TEMPER_CLAIM_VIABLE)) == 0;
        formula = viable || strcmp(claim, "formula") == 0;
        several = claim_of(kind, sizeof kind, certificate, "kind");
        claim_of(logits, sizeof logits, certificate, "log-probabilities");
        /* proofs by roles are about every position; the others say which */
        every = formula || several || strstr(certificate, "\n  \"read-off\": ") || strcmp(positions, "every") == 0;
    }
    if (s->json) {
        json j;
        json_open(&j, stdout);
        json_text(&j, "certificate", path);
        json_text(&j, "model", model);
        json_flag(&j, "proved", proved);
        if (proved) {
            json_text(&j, "claim", claim);
            if (several) json_text(&j, "kind", kind);
            json_count(&j, "length", strtoull(length, NULL, 10));
            json_text(&j, "type", type);
            json_flag(&j, "every_position", every);
            json_text(&j, "error", error);
            if (*logits) json_text(&j, "log_probabilities", logits);
            json_text(&j, "checked_by", answer == CHECKER_ACCEPTS ? "audit and proved checker" : "audit");
        } else {
            json_text(&j, "reason", err->text);
        }
        json_close(&j);
    } else if (proved && !s->quiet) {
        show_write(stdout, path, strlen(path), 0);
        fputs(": proved for ", stdout);
        show_write(stdout, model, strlen(model), 0);
        printf(": %s%s, for every string up to length %s in %s (largest error %s%s)%s\n",
               formula && !strcmp(kind, "next")
                   ? "at every prefix the outputs are what comes next in the source's language"
               : formula && several ? "every output at every position is the source's"
               : formula            ? "the answer at every position is the source's"
               : several            ? "every output at every position is that of its hard choices"
               : every              ? "the answer at every position is that of its hard choices"
                                    : "the verdict is that of its hard choices",
               viable ? ", if viable is right, which no audit looks at" : "", length, type, error,
               formula ? " of 2.500e-01 allowed" : "", checker_words(answer));
        if (!strcmp(logits, "not proved"))
            puts("logits are not part of the claim");
        else if (*logits)
            printf(
                "logits are within %s of the logarithms of the source's probabilities, and those of what never comes "
                "give 0\n",
                logits);
    }
}

/* What the audit of hard choices by sets will take. */
static void show_cost(session *s, const char *certificate, const char *bytes, size_t size) {
    temper_model *model;
    char facts[16] = "", letters[24] = "";
    if (!claim_of(facts, sizeof facts, certificate, "facts") || strcmp(facts, "sets") != 0 ||
        !claim_of(letters, sizeof letters, certificate, "length") ||
        !is_done(temper_model_read(&model, bytes, size, NULL)))
        return;
    cost_show(s, "audit", model, (size_t)strtoull(letters, NULL, 10), 2);
    temper_model_free(model);
}

/* ---- ordinary transformers ---- */

static bool is_of_stock(const char *certificate) {
    return strstr(certificate, "\"temper-stock-certificate\"") != NULL;
}

static void audit_stock(session *s, const char *path, const char *certificate, size_t length, const char *other) {
    char letters[24] = "", architecture[16] = "", weights[8] = "", cache[8] = "", claim[40] = "";
    temper_error err;
    temper_status status = temper_audit_stock(certificate, length, other, &err);
    bool proved = status == TEMPER_OK;
    if (proved) {
        claim_of(letters, sizeof letters, certificate, "length");
        claim_of(architecture, sizeof architecture, certificate, "architecture");
        claim_of(weights, sizeof weights, certificate, "weights");
        claim_of(cache, sizeof cache, certificate, "cache");
        claim_of(claim, sizeof claim, certificate, "claim");
    }
    if (s->json) {
        json j;
        json_open(&j, stdout);
        json_text(&j, "certificate", path);
        json_text(&j, "model", other);
        json_flag(&j, "proved", proved);
        if (proved) {
            json_text(&j, "claim", claim);
            json_text(&j, "architecture", architecture);
            json_count(&j, "length", strtoull(letters, NULL, 10));
            json_text(&j, "weights", weights);
            json_text(&j, "cache", cache);
            json_count(&j, "within", 32);
        } else {
            json_text(&j, "reason", err.text);
        }
        json_close(&j);
        if (!proved) session_fail(s, status == TEMPER_RANGE ? EXIT_NO : EXIT_INPUT);
    } else if (status == TEMPER_RANGE) {
        place at = {.name = path};
        message_print(s, EXIT_NO, &at, err.text, error_hint(&err));
    } else if (!proved) {
        message_error(s, &err, NULL, NULL, 0);
    } else if (!s->quiet) {
        show_write(stdout, path, strlen(path), 0);
        fputs(": proved for ", stdout);
        show_write(stdout, other, strlen(other), 0);
        printf(": after every prefix of every string up to length %s each logit is within 32 of what the source "
               "says%s, as a %s with %s weights and an %s cache\n",
               letters, strcmp(claim, "formula") ? ", if viable is right, which no audit looks at" : "", architecture,
               weights, cache);
    }
}

static temper_status watched(session *s, const char *certificate, size_t length, const char *model, size_t size,
                             temper_error *err) {
    progress bar;
    progress_start(&bar, "audit", !s->quiet && !s->json && isatty(STDERR_FILENO));
    bar.unit = "steps";
    temper_audit_options o = {
        .progress = progress_step, .context = &bar, .threads = (unsigned)s->opt.value[OPT_THREADS].number};
    temper_status status = temper_audit_watched(certificate, length, model, size, &o, err);
    progress_clear(&bar);
    return status;
}

void cmd_audit(session *s) {
    char *certificate = NULL, *model = NULL;
    size_t length, size;
    temper_error err;
    if (s->opt.count != 2) {
        message_usage(s, "temper audit CERTIFICATE MODEL", "audit takes a certificate and a model");
        return;
    }
    const char *path = s->opt.arguments[0].text, *other = s->opt.arguments[1].text;
    if (temper_file_read(&certificate, &length, path, &err) != TEMPER_OK) {
        message_error(s, &err, NULL, NULL, 0);
    } else if (is_of_stock(certificate)) {
        audit_stock(s, path, certificate, length, other);
    } else if (temper_file_read(&model, &size, other, &err) != TEMPER_OK) {
        message_error(s, &err, NULL, NULL, 0);
    } else {
        show_cost(s, certificate, model, size);
        temper_status status = watched(s, certificate, length, model, size, &err);
        if (status != TEMPER_OK && err.line == 1 && err.column == 1 && !*err.hint)
            snprintf(err.hint, sizeof err.hint, "the certificate comes first: temper audit CERTIFICATE MODEL");
        checker_answer answer = status == TEMPER_OK ? proved_checker_ask(s, other, path) : CHECKER_NONE;
        if (status == TEMPER_OK || s->json) print_result(s, path, other, certificate, &err, answer);
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
