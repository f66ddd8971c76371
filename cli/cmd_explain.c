/* temper explain: where each subformula lives in the transformer, and what each head costs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "json.h"
#include "model_output.h"
#include "outputs_show.h"
#include "proof_show.h"
#include "subject.h"

enum { SHOWN = 100 }; /* characters of a subformula */

static const char *at_name(temper_at at) { return at == TEMPER_AT_FIRST ? "first" : "last"; }

/* The cost is told for strings of this length. */
enum { COST_LENGTH = 1000000 };

/* Plans and costs of all heads in one piece of memory, or NULL if there is none. */
static const char **plans_of(double **costs, const temper_model *model, const temper_model_info *info) {
    const char **plans = calloc(info->heads + 1, sizeof *plans);
    *costs = calloc(info->heads + 1, sizeof **costs);
    int hard = info->method == TEMPER_METHOD_HARD;
    temper_status status = TEMPER_NO_MEMORY;
    if (plans && *costs) status = temper_model_plans(plans, *costs, model, COST_LENGTH, hard, NULL);
    if (is_done(status)) return plans;
    free(plans);
    free(*costs);
    *costs = NULL;
    return NULL;
}

/* A bound on the output is there only where temper soften made one. */
static bool is_softened(const temper_model_info *info) { return info->output_margin > 0; }

static temper_growth largest_growth(const temper_model *model, const temper_model_info *info) {
    temper_growth most = TEMPER_GROWTH_NONE;
    for (size_t layer = 1; layer <= info->layers; layer++)
        for (size_t head = 1; head <= temper_model_layer(model, layer).heads; head++) {
            temper_head_info about;
            if (is_done(temper_model_head(&about, model, layer, head, NULL)) && about.growth > most)
                most = about.growth;
        }
    return most;
}

/* The types that explain tells the proved length of. */
static const temper_type explained[] = {TEMPER_TYPE_F64, TEMPER_TYPE_F32, TEMPER_TYPE_BF16_F32};
enum { EXPLAINED = sizeof explained / sizeof *explained };

static void kind_json(json *j, const temper_model *model) {
    temper_spec *spec = NULL;
    temper_one_output one;
    if (is_done(temper_model_spec(&spec, model, NULL)) && is_done(temper_spec_one_output(&one, spec, NULL))) {
        one_output_json(j, &one);
        temper_one_output_clear(&one);
    }
    temper_spec_free(spec);
}

typedef temper_status spec_telling(char **out, const temper_spec *spec, temper_error *err);

/* What a function of the library says of the model's specification; NULL: nothing. Freed with temper_free. */
static char *told_of(const temper_model *model, spec_telling *tell) {
    temper_spec *spec = NULL;
    char *told = NULL;
    if (temper_model_spec(&spec, model, NULL) == TEMPER_OK) tell(&told, spec, NULL);
    temper_spec_free(spec);
    if (told && *told) return told;
    temper_free(told);
    return NULL;
}

static void explain_json(const temper_model *model, const temper_model_info *info, const temper_proof *proofs) {
    json j;
    json_open(&j, stdout);
    json_text(&j, "kind", "model");
    json_text(&j, "specification", info->source);
    char *words = told_of(model, temper_spec_words), *simplified = told_of(model, temper_spec_simplified);
    if (words) json_text(&j, "words", words);
    temper_free(words);
    if (simplified) {
        json_begin(&j, "simplified", '[');
        for (char *p = strtok(simplified, "\n"); p; p = strtok(NULL, "\n")) json_text(&j, NULL, p);
        json_end(&j, ']');
    }
    temper_free(simplified);
    json_text(&j, "method", temper_method_name(info->method));
    if (info->method == TEMPER_METHOD_DIGITS) json_text(&j, "digits", temper_type_name(info->digits));
    json_begin(&j, "alphabet", '[');
    for (size_t k = 0; k < info->letters; k++) json_text(&j, NULL, temper_model_letter(model, k));
    json_end(&j, ']');
    json_flag(&j, "tokens", info->tokens);
    if (info->other < info->letters) json_text(&j, "other", temper_model_letter(model, info->other));
    if (info->kind == TEMPER_KIND_ACCEPTOR) {
        json_text(&j, "at", at_name(info->at));
        json_text(&j, "empty", info->accepts_empty ? "accept" : "reject");
    } else {
        json_text(&j, "outputs_are", temper_kind_name(info->kind));
        kind_json(&j, model);
    }
    json_count(&j, "layers", info->layers);
    json_count(&j, "heads", info->heads);
    json_count(&j, "channels", info->channels);
    json_count(&j, "hidden", info->hidden);
    json_count(&j, "parameters", info->parameters);
    json_text(&j, "growth", temper_growth_name(largest_growth(model, info)));
    json_begin(&j, "proved_length", '[');
    for (size_t k = 0; k < EXPLAINED; k++) {
        json_begin(&j, NULL, '{');
        proof_json_members(&j, &proofs[k], explained[k]);
        json_text(&j, "obstacle", proofs[k].obstacle);
        json_end(&j, '}');
    }
    json_end(&j, ']');
    if (is_softened(info)) {
        json_real(&j, "output_error", info->output_error);
        json_real(&j, "output_margin", info->output_margin);
        json_flag(&j, "verdict_only", info->verdict_only);
    }
    json_close(&j);
    for (size_t k = 0, parts = temper_model_about(model).parts; k < parts; k++) {
        temper_part_info part;
        if (!is_done(temper_model_part(&part, model, k, NULL))) continue;
        json_open(&j, stdout);
        json_text(&j, "kind", "subformula");
        json_text(&j, "formula", part.formula);
        json_count(&j, "layer", part.layer);
        if (part.head > 0) json_count(&j, "head", (uint64_t)part.head);
        if (part.channel >= 0) json_count(&j, "channel", (uint64_t)part.channel);
        json_close(&j);
    }
    double *costs;
    const char **plans = plans_of(&costs, model, info);
    size_t index = 0;
    for (size_t layer = 1; layer <= info->layers; layer++)
        for (size_t head = 1; head <= temper_model_layer(model, layer).heads; head++, index++) {
            temper_head_info about;
            if (!is_done(temper_model_head(&about, model, layer, head, NULL))) continue;
            json_open(&j, stdout);
            json_text(&j, "kind", "head");
            json_count(&j, "layer", layer);
            json_count(&j, "head", head);
            json_text(&j, "label", about.label);
            json_text(&j, "role", about.role);
            json_text(&j, "mask", temper_mask_name(about.mask));
            json_text(&j, "choice", temper_choice_name(about.choice));
            json_text(&j, "hard_choice", temper_choice_name(about.hard_choice));
            json_text(&j, "scale", about.scale);
            if (about.adaptive) json_flag(&j, "adaptive", true);
            json_text(&j, "growth", temper_growth_name(about.growth));
            json_real(&j, "bound", about.bound);
            if (plans) {
                json_text(&j, "plan", plans[index]);
                json_real(&j, "cost", costs[index]);
            }
            json_close(&j);
        }
    free(plans);
    free(costs);
    for (size_t k = 0; k < info->channels; k++) {
        temper_channel_info about;
        if (!is_done(temper_model_channel(&about, model, k, NULL))) continue;
        json_open(&j, stdout);
        json_text(&j, "kind", "channel");
        json_count(&j, "channel", k);
        json_text(&j, "label", about.label);
        if (*about.position) json_text(&j, "position", about.position);
        json_close(&j);
    }
}

/* A specification of several lines keeps them, indented below its title. */
static void print_source(const char *source) {
    fputs("specification  ", stdout);
    for (const char *p = source; *p;) {
        size_t length = strcspn(p, "\n");
        show_write(stdout, p, length, 400);
        p += length + (p[length] == '\n');
        if (*p) fputs("\n               ", stdout);
    }
    putchar('\n');
}

static void print_proof(const char *title, const temper_proof *p, temper_type type) {
    char length[24];
    printf("%-14s %-8s %13s  %-12s  ", title, temper_type_name(type),
           p->claim == TEMPER_CLAIM_NONE ? "none" : proof_length(length, p->length),
           p->claim == TEMPER_CLAIM_NONE ? "" : temper_claim_name(p->claim));
    if (p->claim != TEMPER_CLAIM_NONE && !p->every_position) fputs("the verdict only; ", stdout);
    show_write(stdout, p->obstacle, strlen(p->obstacle), 0);
    putchar('\n');
}

static void print_kind(const temper_model *model, const temper_model_info *info) {
    temper_spec *spec = NULL;
    temper_one_output one;
    char words[600];
    printf("kind           %s, %zu outputs\n", temper_kind_name(info->kind), info->outputs);
    if (is_done(temper_model_spec(&spec, model, NULL)) && info->kind == TEMPER_KIND_TRANSDUCER &&
        is_done(temper_spec_one_output(&one, spec, NULL))) {
        one_output_words(words, sizeof words, &one);
        fputs("one output     exactly one holds at each position: ", stdout);
        show_write(stdout, words, strlen(words), 0);
        putchar('\n');
        temper_one_output_clear(&one);
    }
    temper_spec_free(spec);
}

static void print_told(const char *title, const temper_model *model, spec_telling *tell) {
    char *told = told_of(model, tell);
    for (char *p = told; p && *p;) {
        size_t length = strcspn(p, "\n");
        printf("%-15s", p == told ? title : "");
        show_write(stdout, p, length, 0);
        putchar('\n');
        p += length + (p[length] == '\n');
    }
    temper_free(told);
}

static void print_overview(const temper_model *model, const temper_model_info *info, const temper_proof *proofs) {
    char error[32], margin[32];
    if (*info->source) print_source(info->source);
    print_told("in words", model, temper_spec_words);
    fputs("alphabet      ", stdout);
    for (size_t k = 0; k < info->letters && k < 40; k++) {
        const char *letter = temper_model_letter(model, k);
        putchar(' ');
        show_write(stdout, letter, strlen(letter), 20);
    }
    if (info->letters > 40) printf(" ... (%zu letters)", info->letters);
    if (info->tokens) fputs(" (tokens)", stdout);
    if (info->other < info->letters) {
        const char *other = temper_model_letter(model, info->other);
        fputs("; others are read as ", stdout);
        show_write(stdout, other, strlen(other), 20);
    }
    putchar('\n');
    if (info->kind == TEMPER_KIND_ACCEPTOR)
        printf("read at        the %s position%s; the empty string is %s\n", at_name(info->at),
               info->whole ? ", for whole strings: from the right" : "",
               info->accepts_empty ? "accepted" : "rejected");
    else
        print_kind(model, info);
    print_told("simplified", model, temper_spec_simplified);
    printf("method         %s%s%s\n", temper_method_name(info->method),
           info->method == TEMPER_METHOD_DIGITS ? ", numbers stored in " : "",
           info->method == TEMPER_METHOD_DIGITS ? temper_type_name(info->digits) : "");
    printf("size           %zu layer%s, %zu head%s, width %zu, %zu hidden unit%s, %zu parameters\n", info->layers,
           info->layers == 1 ? "" : "s", info->heads, info->heads == 1 ? "" : "s", info->channels, info->hidden,
           info->hidden == 1 ? "" : "s", info->parameters);
    printf("growth         %s (the largest of the heads)\n", temper_growth_name(largest_growth(model, info)));
    for (size_t k = 0; k < EXPLAINED; k++) print_proof(k ? "" : "proved length", &proofs[k], explained[k]);
    if (is_softened(info))
        printf("output         recorded by soften: within %s of the hard one's, which is %s or more from 1/2%s\n",
               bound_show(error, info->output_error, true), bound_show(margin, info->output_margin, false),
               info->verdict_only ? ",\n               where the verdict is read, not at every position" : "");
}

/* The routes of the regular languages in the model's specification; NULL: there are none. */
static temper_routes *routes_of(const temper_model *model) {
    temper_spec *spec = NULL;
    temper_routes *routes = NULL;
    if (is_done(temper_model_spec(&spec, model, NULL))) is_done(temper_routes_find(&routes, spec, NULL));
    temper_spec_free(spec);
    if (routes && temper_routes_count(routes)) return routes;
    temper_routes_free(routes);
    return NULL;
}

static void print_routes(const temper_model *model) {
    temper_routes *routes = routes_of(model);
    if (!routes) return;
    printf("\nregular languages (levels: of the cascade, or states of the partial order; groups: whose counters it "
           "needs)\n");
    printf("states  route                  levels  layers  heads  groups      language\n");
    for (size_t k = 0; k < temper_routes_count(routes); k++) {
        temper_route_info r = temper_routes_at(routes, k);
        char route[40];
        snprintf(route, sizeof route, "%s%s", r.reverse ? "reverse " : "", r.route);
        printf("%6zu  %-21s  %6zu  %6zu  %5zu  %-10s  ", r.states, route, r.levels, r.layers, r.heads,
               *r.groups ? r.groups : "-");
        show_write(stdout, r.language, strlen(r.language), SHOWN);
        putchar('\n');
        if (*r.why) printf("        it counts: the word %s, and so on without end\n", r.why);
    }
    temper_routes_free(routes);
}

static void routes_json(const temper_model *model) {
    temper_routes *routes = routes_of(model);
    for (size_t k = 0; routes && k < temper_routes_count(routes); k++) {
        temper_route_info r = temper_routes_at(routes, k);
        json j;
        json_open(&j, stdout);
        json_text(&j, "kind", "language");
        json_text(&j, "language", r.language);
        json_count(&j, "states", r.states);
        json_text(&j, "route", r.route);
        json_flag(&j, "reverse", r.reverse);
        json_count(&j, "levels", r.levels);
        json_count(&j, "layers", r.layers);
        json_count(&j, "heads", r.heads);
        json_text(&j, "groups", r.groups);
        json_text(&j, "why", r.why);
        json_close(&j);
    }
    temper_routes_free(routes);
}

static void print_parts(const temper_model *model) {
    if (!temper_model_about(model).parts) return;
    printf("\nwhere each subformula is (layer 0 is the embedding; - : no head or channel of its own)\n");
    printf("layer   head  channel  subformula\n");
    for (size_t k = 0, parts = temper_model_about(model).parts; k < parts; k++) {
        temper_part_info part;
        char head[24] = "-", channel[24] = "-";
        if (!is_done(temper_model_part(&part, model, k, NULL))) continue;
        if (part.head > 0) snprintf(head, sizeof head, "%ld", part.head);
        if (part.channel >= 0) snprintf(channel, sizeof channel, "%ld", part.channel);
        printf("%5zu  %5s  %7s  ", part.layer, head, channel);
        show_write(stdout, part.formula, strlen(part.formula), SHOWN);
        putchar('\n');
    }
}

static void print_heads(const temper_model *model, const temper_model_info *info) {
    if (!info->heads) return;
    double *costs;
    const char **plans = plans_of(&costs, model, info);
    size_t index = 0;
    printf("\nheads (choice: what a soft head stands for; bound: error before rounding, in exact "
           "arithmetic; cost: multiply-adds at n = 10^6)\n");
    printf("%-7s %-8s %-7s %-10s %-7s %-9s %-9s %-7s %-16s computes\n", "head", "role", "mask", "choice", "growth",
           "bound", "plan", "cost", "scale");
    for (size_t layer = 1; layer <= info->layers; layer++)
        for (size_t head = 1; head <= temper_model_layer(model, layer).heads; head++) {
            temper_head_info about;
            char name[48], bound[32] = "-", cost[32] = "-";
            const char *plan = plans ? plans[index] : "-";
            if (costs) temper_real_format(cost, sizeof cost, "%.2g", costs[index]);
            index++;
            if (!is_done(temper_model_head(&about, model, layer, head, NULL))) continue;
            snprintf(name, sizeof name, "%zu.%zu", layer, head);
            if (about.bound > 0) temper_real_format(bound, sizeof bound, "%.2g", about.bound);
            printf("%-7s %-8s %-7s %-10s %-7s %-9s %-9s %-7s ", name, *about.role ? about.role : "-",
                   temper_mask_name(about.mask), temper_choice_name(about.hard_choice),
                   temper_growth_name(about.growth), bound, plan, cost);
            size_t used = show_write(stdout, about.scale, strlen(about.scale), 0);
            if (about.adaptive) used += (size_t)printf(" (adaptive)");
            printf("%*s ", used < 16 ? (int)(16 - used) : 0, "");
            show_write(stdout, about.label, strlen(about.label), SHOWN);
            putchar('\n');
        }
    free(plans);
    free(costs);
}

void cmd_explain(session *s) {
    subject x;
    temper_model_info info;
    if (subject_model(&x, s)) {
        if (s->opt.count > x.first) {
            message_usage(s, "temper show draws the attention on a string", "explain takes no strings");
        } else if (!s->quiet) {
            temper_proof proofs[EXPLAINED];
            info = temper_model_about(x.model);
            bool known = true;
            for (size_t k = 0; k < EXPLAINED && known; k++) known = proof_find(&proofs[k], s, x.model, explained[k]);
            if (!known) {
                subject_free(&x);
                return;
            }
            if (s->json) {
                explain_json(x.model, &info, proofs);
                routes_json(x.model);
                outputs_json(x.model);
            } else {
                print_overview(x.model, &info, proofs);
                print_routes(x.model);
                outputs_print(x.model);
                print_parts(x.model);
                print_heads(x.model, &info);
            }
        }
    }
    subject_free(&x);
}
