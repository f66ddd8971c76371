/* A formula as an English sentence, for people who do not read formulas: H(b -> O a) is "so far, at every b there has
   been an a". "So far" and "from here on" include the place where one stands. Parentheses keep the sentence
   unambiguous. What is nested deeper than DEEPEST stays a formula, so that the sentence stays short and the recursion
   shallow. */
#include "base/entry.h"
#include "logic/formula_print.h"

#include <string.h>

enum {
    DEEPEST = 6,
    LONGEST = 1500, /* bytes, about; then "..." */
    MOST_LISTED = 4 /* letters of a set that are listed */
};

typedef struct sentence {
    text *out;
    const formula *f;
    const alphabet *letters;
} sentence;

static void clause(sentence *s, node_id id, int depth);
static void part(sentence *s, node_id id, int depth);

static const formula_node *at(const sentence *s, node_id id) { return formula_at(s->f, id); }
static node_id kid(const sentence *s, node_id id, size_t k) { return formula_kid(s->f, id, k); }
static bool is_op(const sentence *s, node_id id, formula_op op) { return at(s, id)->op == op; }
static void put(sentence *s, const char *words) { text_puts(s->out, words); }

/* ---- letters --------------------------------------------------------------------------------------------------- */

/* A set of letters, or not one of them. */
static bool is_letters(const sentence *s, node_id id, bool *negated, node_id *set) {
    *negated = is_op(s, id, OP_NOT);
    *set = *negated ? kid(s, id, 0) : id;
    return is_op(s, *set, OP_LETTERS);
}

static bool has(const sentence *s, node_id set, bool negated, uint32_t letter) {
    return formula_has_letter(s->f, set, letter) != negated;
}

static size_t count_members(const sentence *s, node_id set, bool negated) {
    size_t count = 0;
    for (uint32_t k = 0; k < s->letters->count; k++) count += has(s, set, negated, k);
    return count;
}

/* By how the name of a character, or a word, is said. */
static const char *article(const char *letter) {
    bool alone = !letter[1];
    return strchr(alone ? "aefhilmnorsxAEFHILMNORSX8" : "aeiouAEIOU", *letter) ? "an " : "a ";
}

static void put_letter(sentence *s, uint32_t letter, bool with_article) {
    const char *name = s->letters->letters[letter];
    if (with_article) put(s, article(name));
    letter_print(s->out, name, s->letters->tokens);
}

/* "a, b or c", and `last` is the word before the last. */
static void list_letters(sentence *s, node_id set, bool negated, const char *last, bool articles) {
    size_t left = count_members(s, set, negated);
    bool begun = false;
    for (uint32_t k = 0; k < s->letters->count; k++) {
        if (!has(s, set, negated, k)) continue;
        if (begun) put(s, left == 1 ? last : ", ");
        put_letter(s, k, articles);
        begun = true;
        left--;
    }
}

/* How to speak of a set: by its letters, by those it lacks, or as a class. */
typedef enum set_form { SET_NONE, SET_ALL, SET_SOME, SET_OTHERS, SET_CLASS } set_form;

static set_form form_of(const sentence *s, node_id set, bool negated) {
    size_t count = count_members(s, set, negated), others = s->letters->count - count;
    bool lists_others = s->f->sets[at(s, set)->set].rest != negated;
    if (!others) return SET_ALL;
    if (!count) return SET_NONE;
    if (lists_others && others <= MOST_LISTED) return SET_OTHERS;
    return count <= MOST_LISTED ? SET_SOME : others <= MOST_LISTED ? SET_OTHERS : SET_CLASS;
}

static void put_class(sentence *s, node_id set, bool negated) {
    if (negated) put(s, "not ");
    put(s, "in ");
    formula_label(s->out, s->f, s->letters, set, 60);
}

/* Behind "the letter is": "a", "a or b", "neither a nor b", "in [a-z]". */
static void put_which(sentence *s, node_id set, bool negated) {
    switch (form_of(s, set, negated)) {
    case SET_NONE: put(s, "none of the alphabet"); break;
    case SET_ALL: put(s, "any"); break;
    case SET_SOME: list_letters(s, set, negated, " or ", false); break;
    case SET_OTHERS:
        put(s, s->letters->count - count_members(s, set, negated) > 1 ? "none of " : "not ");
        list_letters(s, set, !negated, " and ", false);
        break;
    case SET_CLASS: put_class(s, set, negated); break;
    }
}

/* ---- places ---------------------------------------------------------------------------------------------------- */

/* "an a", "every b", "no place where ...": a place where the formula holds, behind a determiner. */
typedef enum determiner { DETERMINER_A, DETERMINER_EVERY, DETERMINER_NO } determiner;

/* `when` is "" or begins with a blank. True if the phrase is short, so that what follows needs no comma. */
static bool put_place(sentence *s, determiner d, const char *when, node_id id, int depth) {
    static const char *const words[] = {"a ", "every ", "no "};
    bool negated;
    node_id set;
    bool are_letters = is_letters(s, id, &negated, &set);
    if (is_op(s, id, OP_TRUE) || (are_letters && form_of(s, set, negated) == SET_ALL)) {
        text_printf(s->out, "%sletter%s", words[d], when);
        return true;
    }
    if (are_letters) {
        set_form form = form_of(s, set, negated);
        bool one = count_members(s, set, negated) == 1;
        if (form == SET_SOME && (one || d == DETERMINER_A)) {
            if (d != DETERMINER_A) put(s, words[d]);
            list_letters(s, set, negated, " or ", d == DETERMINER_A);
        } else {
            put(s, words[d]);
            put(s, "letter ");
            put(s, form == SET_OTHERS ? "other than " : "that is ");
            if (form == SET_OTHERS)
                list_letters(s, set, !negated, " and ", false);
            else
                put_which(s, set, negated);
        }
        put(s, when);
        return true;
    }
    text_printf(s->out, "%splace%s where ", words[d], when);
    part(s, id, depth);
    return false;
}

/* "every letter <when> is an a", or "<lead>at every place <when>, ...". */
static void put_throughout(sentence *s, const char *when, node_id id, int depth) {
    bool negated;
    node_id set;
    if (is_letters(s, id, &negated, &set)) {
        bool others = form_of(s, set, negated) == SET_OTHERS;
        text_printf(s->out, "%s letter %s is ", others ? "no" : "every", when);
        if (others)
            list_letters(s, set, !negated, " or ", false);
        else
            put_which(s, set, negated);
    } else if (is_op(s, id, OP_IMPLIES)) {
        text_printf(s->out, "%s, at ", when);
        put(s, put_place(s, DETERMINER_EVERY, "", kid(s, id, 0), depth) ? " " : ", ");
        clause(s, kid(s, id, 1), depth + 1);
    } else {
        text_printf(s->out, "%s, at every place, ", when);
        clause(s, id, depth + 1);
    }
}

static void put_once(sentence *s, node_id inner, bool past, determiner d, int depth) {
    put(s, past ? "there has been " : "there is ");
    put_place(s, d, past ? "" : " here or later", inner, depth);
}

/* H and G. */
static void put_always(sentence *s, node_id id, bool past, int depth) {
    node_id inner = kid(s, id, 0), set;
    bool negated;
    if (is_op(s, inner, OP_NOT) && !is_letters(s, inner, &negated, &set)) {
        put_once(s, kid(s, inner, 0), past, DETERMINER_NO, depth);
    } else {
        put_throughout(s, past ? "so far" : "from here on", inner, depth);
    }
}

/* Y, Z, X and wX, several of one kind in a row as one. */
static void put_step(sentence *s, node_id id, int depth) {
    formula_op op = at(s, id)->op;
    bool past = op == OP_YESTERDAY || op == OP_WEAK_YESTERDAY, weak = op == OP_WEAK_YESTERDAY || op == OP_WEAK_NEXT;
    size_t steps = 1;
    node_id inner = kid(s, id, 0), set;
    bool negated;
    for (; is_op(s, inner, op); steps++) inner = kid(s, inner, 0);
    const char *condition = weak ? ", if there is one, " : " ";
    bool about_letter = is_letters(s, inner, &negated, &set), exists = is_op(s, inner, OP_TRUE) && !weak;
    put(s, about_letter || weak ? "the" : "there is a");
    if (steps == 1)
        put(s, past ? (about_letter ? " letter before" : " letter before this one") : " next letter");
    else
        text_printf(s->out, " letter %zu places %s", steps, past ? "back" : "ahead");
    if (exists) return;
    put(s, about_letter || weak ? condition : ", where ");
    if (about_letter || weak) put(s, about_letter ? "is " : "is a place where ");
    if (about_letter)
        put_which(s, set, negated);
    else
        clause(s, inner, depth + 1);
}

/* S, U, W, T, R, M. */
static void put_binary(sentence *s, node_id id, int depth) {
    node_id left = kid(s, id, 0), right = kid(s, id, 1);
    switch (at(s, id)->op) {
    case OP_SINCE:
    case OP_UNTIL:
    case OP_WEAK_UNTIL: {
        bool past = is_op(s, id, OP_SINCE);
        put_once(s, right, past, DETERMINER_A, depth);
        put(s, ", and ");
        put_throughout(s, past ? "since then" : "until then", left, depth);
        if (!is_op(s, id, OP_WEAK_UNTIL)) return;
        put(s, "; or, if there is none, ");
        put_throughout(s, "from here on", left, depth);
        break;
    }
    case OP_TRIGGERED:
        put(s, "from and including the last place where ");
        clause(s, left, depth + 1);
        put(s, " (or from the beginning, if there is none) to here, at every place, ");
        clause(s, right, depth + 1);
        break;
    default: /* R, M */
        put(s, "from here up to and including the first place where ");
        clause(s, left, depth + 1);
        put(s, is_op(s, id, OP_RELEASE) ? " (or to the end, if there is none), at every place, "
                                        : " (there must be one), at every place, ");
        clause(s, right, depth + 1);
    }
}

/* ---- counting -------------------------------------------------------------------------------------------------- */

static void put_count(sentence *s, node_id count, int depth) {
    node_id inner = kid(s, count, 0), set;
    bool negated;
    put(s, "the number of ");
    if (is_op(s, inner, OP_TRUE)) {
        put(s, "letters");
    } else if (is_letters(s, inner, &negated, &set) && count_members(s, set, negated) == 1) {
        list_letters(s, set, negated, "", false);
        if (!s->letters->tokens) put(s, "'s");
    } else if (is_letters(s, inner, &negated, &set)) {
        put(s, "letters that are ");
        put_which(s, set, negated);
    } else {
        put(s, "places where ");
        clause(s, inner, depth + 1);
        put(s, ",");
    }
    put(s, is_op(s, count, OP_COUNT_PAST) ? " up to here" : " from here on");
}

/* The terms of one sign, and the constant if it has that sign; "0" if there is nothing. From kid `first` on. */
static void put_sum(sentence *s, node_id id, uint32_t first, bool negative, int depth) {
    const formula_node *n = at(s, id);
    bool begun = false;
    for (uint32_t k = first; k < n->kid_count && s->out->length <= LONGEST; k++) {
        int64_t weight = formula_weight(s->f, id, k);
        if ((weight < 0) != negative) continue;
        if (begun) put(s, " plus ");
        begun = true;
        if (weight != 1 && weight != -1) text_printf(s->out, "%lld times ", (long long)(negative ? -weight : weight));
        put_count(s, kid(s, id, k), depth);
    }
    bool same_sign = n->constant && (n->constant < 0) == negative;
    if (same_sign || !begun)
        text_printf(s->out, "%s%lld", begun ? " plus " : "",
                    (long long)(!same_sign ? 0
                                : negative ? -n->constant
                                           : n->constant));
}

static bool has_negative(const sentence *s, node_id id, uint32_t first) {
    for (uint32_t k = first; k < at(s, id)->kid_count; k++)
        if (formula_weight(s->f, id, k) < 0) return true;
    return at(s, id)->constant < 0;
}

static void put_whole_sum(sentence *s, node_id id, uint32_t first, int depth) {
    put_sum(s, id, first, false, depth);
    if (!has_negative(s, id, first)) return;
    put(s, " minus (");
    put_sum(s, id, first, true, depth);
    put(s, ")");
}

static void put_comparison(sentence *s, node_id id, int depth) {
    static const char *const words[] = {" is ",         " is not ",       " is less than ",
                                        " is at most ", " is more than ", " is at least "};
    static const char *const leaves[] = {"leaves ",         "does not leave ",   "leaves less than ",
                                         "leaves at most ", "leaves more than ", "leaves at least "};
    const formula_node *n = at(s, id);
    if (n->op == OP_COMPARE) {
        put_sum(s, id, 0, false, depth);
        put(s, words[n->compare]);
        put_sum(s, id, 0, true, depth);
        return;
    }
    put_whole_sum(s, id, 0, depth);
    text_printf(s->out, ", divided by %lld, %s%lld", (long long)n->modulus, leaves[n->compare],
                (long long)n->residue);
}

/* ---- attention ------------------------------------------------------------------------------------------------- */

static void put_attention(sentence *s, node_id id, int depth) {
    static const char *const where[] = {[TEMPER_MASK_ALL] = "",
                                        [TEMPER_MASK_BEFORE] = " before this one",
                                        [TEMPER_MASK_UP_TO] = " so far",
                                        [TEMPER_MASK_AFTER] = " after this one",
                                        [TEMPER_MASK_FROM] = " from here on"};
    const formula_node *n = at(s, id);
    text_printf(s->out, "there is a place%s where ", where[n->mask]);
    clause(s, kid(s, id, 0), depth + 1);
    if (n->choice == TEMPER_CHOICE_AVERAGE) return;
    text_printf(s->out, ", and at the %s of them ", n->choice == TEMPER_CHOICE_LEFTMOST ? "first" : "last");
    clause(s, kid(s, id, 1), depth + 1);
}

/* ---- clauses --------------------------------------------------------------------------------------------------- */

/* Needs no parentheses beside "and", "or", "if". */
static bool is_simple(const sentence *s, node_id id) {
    bool negated;
    node_id set;
    switch (at(s, id)->op) {
    case OP_TRUE:
    case OP_FALSE:
    case OP_FIRST:
    case OP_LAST:
    case OP_LETTERS:
    case OP_MATCHES:
    case OP_MATCHES_REST:
    case OP_COMPARE: return true;
    case OP_NOT: return is_op(s, kid(s, id, 0), OP_LETTERS);
    case OP_ONCE:
    case OP_EVENTUALLY:
    case OP_HISTORICALLY:
    case OP_ALWAYS:
    case OP_YESTERDAY:
    case OP_NEXT: return is_letters(s, kid(s, id, 0), &negated, &set);
    default: return false;
    }
}

static void part(sentence *s, node_id id, int depth) {
    bool simple = is_simple(s, id);
    if (!simple) put(s, "(");
    clause(s, id, depth + 1);
    if (!simple) put(s, ")");
}

static void put_joined(sentence *s, node_id id, const char *between, int depth) {
    for (uint32_t k = 0; k < at(s, id)->kid_count && s->out->length <= LONGEST; k++) {
        if (k) put(s, between);
        part(s, kid(s, id, k), depth);
    }
}

static void put_not(sentence *s, node_id id, int depth) {
    node_id inner = kid(s, id, 0);
    if (is_op(s, inner, OP_LETTERS)) {
        put(s, "the letter is ");
        put_which(s, inner, true);
    } else if (is_op(s, inner, OP_ONCE) || is_op(s, inner, OP_EVENTUALLY)) {
        put_once(s, kid(s, inner, 0), is_op(s, inner, OP_ONCE), DETERMINER_NO, depth);
    } else if (is_op(s, inner, OP_FIRST) || is_op(s, inner, OP_LAST)) {
        put(s, is_op(s, inner, OP_FIRST) ? "this is not the first letter" : "this is not the last letter");
    } else {
        put(s, "it is not the case that ");
        part(s, inner, depth);
    }
}

static void put_language(sentence *s, node_id id) {
    const formula_language *l = &s->f->languages[at(s, id)->set];
    put(s, is_op(s, id, OP_MATCHES) ? "the letters so far " : "the letters from here on ");
    put(s, l->kind == LANGUAGE_REGEX ? "match " : "are a word of ");
    formula_label(s->out, s->f, s->letters, id, 60);
}

static void clause(sentence *s, node_id id, int depth) {
    if (s->out->length > LONGEST) {
        put(s, "...");
        return;
    }
    if (depth > DEEPEST) {
        formula_label(s->out, s->f, s->letters, id, 60);
        return;
    }
    switch (at(s, id)->op) {
    case OP_TRUE: put(s, "anything is fine"); break;
    case OP_FALSE: put(s, "nothing is fine"); break;
    case OP_FIRST: put(s, "this is the first letter"); break;
    case OP_LAST: put(s, "this is the last letter"); break;
    case OP_LETTERS:
        put(s, "the letter is ");
        put_which(s, id, false);
        break;
    case OP_NOT: put_not(s, id, depth); break;
    case OP_AND: put_joined(s, id, ", and ", depth); break;
    case OP_OR: put_joined(s, id, ", or ", depth); break;
    case OP_XOR:
        put(s, "either ");
        put_joined(s, id, " or ", depth);
        put(s, ", but not both");
        break;
    case OP_IMPLIES:
        put(s, "if ");
        put_joined(s, id, ", then ", depth);
        break;
    case OP_IFF: put_joined(s, id, " exactly if ", depth); break;
    case OP_NEXT:
    case OP_WEAK_NEXT:
    case OP_YESTERDAY:
    case OP_WEAK_YESTERDAY: put_step(s, id, depth); break;
    case OP_ONCE:
    case OP_EVENTUALLY: put_once(s, kid(s, id, 0), is_op(s, id, OP_ONCE), DETERMINER_A, depth); break;
    case OP_HISTORICALLY:
    case OP_ALWAYS: put_always(s, id, is_op(s, id, OP_HISTORICALLY), depth); break;
    case OP_SINCE:
    case OP_UNTIL:
    case OP_WEAK_UNTIL:
    case OP_TRIGGERED:
    case OP_RELEASE:
    case OP_STRONG_RELEASE: put_binary(s, id, depth); break;
    case OP_COMPARE:
    case OP_MODULO: put_comparison(s, id, depth); break;
    case OP_AT:
        put(s, "there is a place whose number is ");
        put_whole_sum(s, id, 1, depth);
        put(s, ", where ");
        clause(s, kid(s, id, 0), depth + 1);
        break;
    case OP_ATTEND: put_attention(s, id, depth); break;
    case OP_MATCHES:
    case OP_MATCHES_REST: put_language(s, id); break;
    default: formula_label(s->out, s->f, s->letters, id, 120); /* MATCH; counts stand in comparisons only */
    }
}

typedef struct words_call {
    char **out;
    const temper_spec *spec;
} words_call;

static void say(entry *x, void *context) {
    const words_call *c = context;
    text out;
    text_init(&out, &x->memory);
    sentence s = {&out, &c->spec->graph, &c->spec->letters};
    if (c->spec->root) clause(&s, c->spec->root, 0);
    if (out.length > LONGEST && strcmp(out.data + out.length - 3, "...") != 0) text_puts(&out, " ...");
    *c->out = entry_hand_out(x, text_string(&out), out.length);
}

temper_status temper_spec_words(char **out, const temper_spec *spec, temper_error *err) {
    words_call call = {out, spec};
    *out = NULL;
    return entry_run(err, say, &call);
}
