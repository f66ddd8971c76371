#include "real.h"
#include "ordinary_settings.h"

#include <stdio.h>
#include <string.h>

#include "escape.h"
#include "heartbeat.h"
#include "proof_show.h"

/* What goes only with --as, and what does not go with it. */
bool ordinary_settings_check(session *s) {
    static const option_id only[] = {OPT_WEIGHTS, OPT_KV, OPT_POSITIONS};
    static const option_id never[] = {OPT_TYPE,    OPT_METHOD,      OPT_DIGITS,   OPT_HARD,
                                      OPT_OUTPUTS, OPT_CERTIFICATE, OPT_UNCHECKED};
    bool is_ordinary = is_given(s, OPT_AS);
    for (size_t k = 0; !is_ordinary && k < sizeof only / sizeof *only; k++)
        if (is_given(s, only[k])) {
            message_usage(s, "such as temper export -F f.spec --as gpt2 --length 256 -o out/", "--%s goes with --as",
                          option_table[only[k]].name);
            return false;
        }
    for (size_t k = 0; is_ordinary && k < sizeof never / sizeof *never; k++)
        if (is_given(s, never[k])) {
            message_usage(
                s, "--weights and --kv say how numbers are stored",
                "--%s does not go with --as: an ordinary transformer has its own softmax and number formats",
                option_table[never[k]].name);
            return false;
        }
    if (is_given(s, OPT_POSITIONS) && s->opt.value[OPT_AS].number != 2) {
        message_usage(s, "a GPT-2 has an embedding for positions", "--positions goes with --as llama");
        return false;
    }
    return true;
}

temper_ordinary_options ordinary_settings(const session *s) {
    return (temper_ordinary_options){
        .architecture = s->opt.value[OPT_AS].number == 1 ? TEMPER_ORDINARY_GPT2 : TEMPER_ORDINARY_LLAMA,
        .length = is_given(s, OPT_LENGTH) ? (size_t)s->opt.value[OPT_LENGTH].number : 0,
        .weights_f16 = s->opt.value[OPT_WEIGHTS].number == 2,
        .cache_f32 = s->opt.value[OPT_KV].number == 1,
        .positions = (temper_ordinary_positions)s->opt.value[OPT_POSITIONS].number,
        .seed = is_given(s, OPT_SEED) ? s->opt.value[OPT_SEED].number : 1,
    };
}

/* ---- verdicts ---- */

void ordinary_verdict_json(json *j, const temper_ordinary_verdict *v) {
    json_flag(j, "proved", v->proved);
    if (v->proved) {
        json_count(j, "proved_length", v->length);
        json_text(j, "claim", v->viable ? "formula if viable is right" : "formula");
        json_real(j, "logits", v->logits);
    }
    if (v->shorter) json_count(j, "shorter", v->shorter);
    if (!*v->reason) return;
    json_text(j, "reason", v->reason);
    if (v->layer) json_count(j, "layer", v->layer);
    if (v->head) json_count(j, "head", v->head);
}

static void print_reason(const temper_ordinary_verdict *v) {
    if (v->head)
        printf("head %zu.%zu: ", v->layer, v->head);
    else if (v->layer)
        printf("layer %zu: ", v->layer);
    escape_write(stdout, v->reason, strlen(v->reason), 400);
    putchar('\n');
}

void ordinary_reason_print(const temper_ordinary_verdict *v) {
    fputs("not proved: ", stdout);
    print_reason(v);
    if (v->shorter) printf("proved up to %zu letters: --length %zu\n", v->shorter, v->shorter);
}

static const char *setting_name(char out[64], const temper_ordinary_options *o) {
    static const char *const positions[] = {"", ", ramp", ", digits"};
    snprintf(out, 64, "%s%s, weights %s, cache %s", o->architecture == TEMPER_ORDINARY_GPT2 ? "gpt2" : "llama",
             positions[o->positions], o->weights_f16 ? "f16" : "f32", o->cache_f32 ? "f32" : "f16");
    return out;
}

static void setting_json(json *j, const temper_ordinary_options *o) {
    static const char *const positions[] = {"auto", "ramp", "digits"};
    bool gpt2 = o->architecture == TEMPER_ORDINARY_GPT2;
    json_text(j, "as", gpt2 ? "gpt2" : "llama");
    json_text(j, "weights", o->weights_f16 ? "f16" : "f32");
    json_text(j, "kv", o->cache_f32 ? "f32" : "f16");
    if (!gpt2) json_text(j, "positions", positions[o->positions]);
}

/* ---- certify ---- */

static void print_verdict(const temper_ordinary_options *o, const temper_ordinary_verdict *v) {
    char name[64];
    if (v->proved)
        printf("proved\t%s: every string up to length %zu as %s\tlogits within %s of 0 and -256\n",
               v->viable ? "formula if viable is right" : "formula", v->length, setting_name(name, o),
               real_of("%.3g", 1.01 * v->logits).text);
    else
        printf("unable\tlength %zu as %s: ", v->length, setting_name(name, o));
    if (!v->proved) print_reason(v);
    if (v->shorter) printf("shorter\tproved up to length %zu\n", v->shorter);
    if (v->proved && *v->reason) {
        fputs("no further\t", stdout);
        print_reason(v);
    }
}

static temper_status certify(temper_ordinary_verdict *out, const temper_spec *spec, const temper_ordinary_options *o,
                             temper_error *err) {
    temper_ordinary *x = NULL;
    temper_status status = temper_ordinary_build(&x, spec, o, err);
    if (is_done(status)) status = temper_ordinary_certify(out, x, err);
    temper_ordinary_free(x);
    return status;
}

void ordinary_certify(session *s) {
    subject x = {0};
    temper_error err;
    temper_ordinary_verdict v;
    if (!ordinary_settings_check(s)) return;
    temper_ordinary_options o = ordinary_settings(s);
    if (is_given(s, OPT_OUTPUT)) {
        message_usage(s, "such as temper export -F f.spec --as gpt2 --length 256 -o out/",
                      "certify --as writes no file: the certificate names files, and export --as writes both");
        return;
    }
    if (subject_formula(&x, s)) {
        if (s->opt.count > x.first)
            message_usage(s, NULL, "certify --as takes one specification and no strings");
        else if (!is_done(certify(&v, x.spec, &o, &err)))
            message_error(s, &err, NULL, NULL, 0);
        else {
            if (!v.proved) session_fail(s, EXIT_LIMIT);
            if (!s->quiet && s->json) {
                json j;
                json_open(&j, stdout);
                json_text(&j, "verdict", v.proved ? "proved" : "unable");
                json_count(&j, "length", v.length);
                setting_json(&j, &o);
                ordinary_verdict_json(&j, &v);
                json_close(&j);
            } else if (!s->quiet) {
                print_verdict(&o, &v);
            }
        }
    }
    subject_free(&x);
}

/* ---- limits ---- */

static void limit_json(const temper_ordinary_options *o, const temper_ordinary_limit *l) {
    json j;
    json_open(&j, stdout);
    setting_json(&j, o);
    ordinary_verdict_json(&j, &l->proved);
    json_flag(&j, "found", l->found);
    if (l->found) {
        json_count(&j, "wrong", l->wrong);
        json_count(&j, "position", l->position);
    }
    json_count(&j, "tried", l->tried);
    if (*l->note) json_text(&j, "note", l->note);
    json_close(&j);
}

static void limit_row(const temper_ordinary_options *o, const temper_ordinary_limit *l) {
    static const char *const positions[] = {"table", "ramp", "digits"};
    char wrong[40] = "-", proved[24] = "-";
    if (l->proved.proved) snprintf(proved, sizeof proved, "%zu", l->proved.length);
    if (l->found || l->tried)
        snprintf(wrong, sizeof wrong, "%s%zu", l->found ? "" : "none to ", l->found ? l->wrong : l->tried);
    printf("%-6s %-9s %-8s %-6s %13s %13s  ", o->architecture == TEMPER_ORDINARY_GPT2 ? "gpt2" : "llama",
           positions[o->positions], o->weights_f16 ? "f16" : "f32", o->cache_f32 ? "f32" : "f16", proved, wrong);
    if (l->found) printf("after %zu letters", l->position);
    if (*l->note) escape_write(stdout, l->note, strlen(l->note), 100);
    putchar('\n');
}

static void need_length(session *s, const temper_ordinary_options *o, const temper_ordinary_limit *l) {
    char row[80];
    snprintf(row, sizeof row, "--weights %s --kv %s", o->weights_f16 ? "f16" : "f32", o->cache_f32 ? "f32" : "f16");
    proof_need(s, l->proved.proved ? l->proved.length : 0, row);
}

/* Of a setting, whatever its length: that says how far to look. */
static temper_status find_limit(temper_ordinary_limit *out, const temper_spec *spec, const temper_ordinary_options *o,
                                temper_error *err) {
    temper_ordinary *x = NULL;
    temper_ordinary_options setting = *o;
    setting.length = 0;
    temper_status status = temper_ordinary_build(&x, spec, &setting, err);
    if (is_done(status)) status = temper_ordinary_limits(out, x, o->length, err);
    temper_ordinary_free(x);
    return status;
}

void ordinary_limits(session *s) {
    subject x = {0};
    temper_error err;
    if (!ordinary_settings_check(s)) return;
    temper_ordinary_options asked = ordinary_settings(s);
    if (is_given(s, OPT_OUTPUT) || is_given(s, OPT_CSV)) {
        message_usage(s, "--json prints a line for each setting", "limits --as prints its table and writes no file");
        return;
    }
    if (subject_formula(&x, s)) {
        bool llama = asked.architecture == TEMPER_ORDINARY_LLAMA, ok = s->opt.count <= x.first;
        if (!ok) message_usage(s, NULL, "limits --as takes one specification and makes its own strings");
        if (ok && !s->quiet && !s->json)
            printf("%-6s %-9s %-8s %-6s %13s %13s\n", "as", "positions", "weights", "kv", "proved length",
                   "first wrong");
        heartbeat_count("the table");
        for (unsigned k = 0; ok && k < (llama ? 8 : 4); k++) {
            heartbeat_at("settings", k, llama ? 8 : 4);
            temper_ordinary_options o = asked;
            temper_ordinary_limit l;
            o.positions = !llama  ? TEMPER_ORDINARY_POSITIONS_AUTO
                          : k / 4 ? TEMPER_ORDINARY_POSITIONS_DIGITS
                                  : TEMPER_ORDINARY_POSITIONS_RAMP;
            o.weights_f16 = k / 2 % 2;
            o.cache_f32 = k % 2 == 0;
            bool wanted = (!is_given(s, OPT_WEIGHTS) || o.weights_f16 == asked.weights_f16) &&
                          (!is_given(s, OPT_KV) || o.cache_f32 == asked.cache_f32) &&
                          (!is_given(s, OPT_POSITIONS) || o.positions == asked.positions);
            if (!wanted) continue;
            if (!is_done(find_limit(&l, x.spec, &o, &err))) {
                message_error(s, &err, NULL, NULL, 0);
                ok = false;
            } else if (!s->quiet && s->json) {
                limit_json(&o, &l);
            } else if (!s->quiet) {
                limit_row(&o, &l);
            }
            fflush(stdout);
            if (ok) need_length(s, &o, &l);
        }
        heartbeat_count(NULL);
    }
    subject_free(&x);
}
