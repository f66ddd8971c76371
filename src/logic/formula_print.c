/* Nodes as text, with an explicit stack: a frame per open operator. */
#include "logic/formula_print.h"

#include <string.h>

typedef struct frame {
    node_id id;
    uint32_t next;  /* the kid to print next */
    uint32_t split; /* COMPARE: the first term that stands right of the sign; Y and X: how many follow each other */
    bool paren;
} frame;

/* ---- letters ----------------------------------------------------------------------------------------------- */

bool word_is_reserved(const char *word) {
    static const char *const reserved[] = {"true", "false",    "first", "last",  "start",
                                           "xor",  "alphabet", "at",    "empty", "tokens"};
    for (size_t k = 0; k < sizeof reserved / sizeof *reserved; k++)
        if (!strcmp(word, reserved[k])) return true;
    return false;
}

static bool is_bare(const char *letter, bool tokens) {
    if (*letter < 'a' || *letter > 'z') return false;
    if (!letter[1]) return true;
    if (!tokens || word_is_reserved(letter)) return false;
    for (const char *c = letter; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') || *c == '_')) return false;
    return true;
}

/* Characters of `special` with a backslash, what cannot be shown by the escapes of text_escaped, which are those of
   quoted letters. */
static void escape(text *out, const char *letter, const char *special) {
    size_t size, length = strlen(letter);
    for (size_t k = 0; k < length; k += size) {
        uint32_t code;
        size = utf8_decode(&code, letter + k, length - k);
        if (size == 0) size = 1;
        bool plain = size == 1 && letter[k] >= ' ' && letter[k] <= '~';
        if (plain && strchr(special, letter[k])) text_putc(out, '\\');
        if (plain)
            text_putc(out, letter[k]);
        else
            text_puts(out, text_escaped(out->arena, letter + k, size, 0));
    }
}

/* One character in single quotes, more in double quotes. */
void letter_print_quoted(text *out, const char *letter) {
    uint32_t code;
    size_t length = strlen(letter);
    char quote = utf8_decode(&code, letter, length) == length ? '\'' : '"';
    text_putc(out, quote);
    escape(out, letter, quote == '"' ? "\\\"" : "\\'");
    text_putc(out, quote);
}

void letter_print(text *out, const char *letter, bool tokens) {
    if (is_bare(letter, tokens))
        text_puts(out, letter);
    else
        letter_print_quoted(out, letter);
}

/* What a LETTERS node says about the alphabet: `members` letters, and which side of the set to list. A set that names
   no letter on its own side (empty, or everything) is listed from the other side. */
typedef struct class_shape {
    size_t members, listed;
    bool negated;
} class_shape;

static class_shape shape_of(const formula *f, const alphabet *letters, node_id id) {
    class_shape s = {0};
    const letter_set *set = &f->sets[formula_at(f, id)->set];
    size_t words = letters->count / 64 < set->words ? letters->count / 64 : set->words;
    for (size_t k = 0; k < words; k++) s.members += (size_t)__builtin_popcountll(set->bits[k]);
    for (size_t k = 64 * words; k < letters->count; k++) {
        if (k / 64 >= set->words) { /* the others are all on one side */
            s.members += set->rest ? letters->count - k : 0;
            break;
        }
        s.members += formula_has_letter(f, id, (uint32_t)k);
    }
    s.negated = set->rest;
    s.listed = s.negated ? letters->count - s.members : s.members;
    if (s.listed == 0) {
        s.negated = !s.negated;
        s.listed = letters->count;
    }
    return s;
}

size_t letters_print_cost(const formula *f, const alphabet *letters, node_id id) {
    class_shape s = shape_of(f, letters, id);
    return letters->tokens ? 8 * s.listed : s.listed + 2;
}

enum {
    RANGE_SHORTEST = 5, /* [abcd], but [a-e] */
    RANGES_MOST = 1024  /* letters among which they are looked for: every label looks at all of them */
};

/* How many letters from k on, all on the same side of the set, follow each other as characters. */
static uint32_t range_length(const formula_printer *p, node_id id, uint32_t k) {
    const alphabet *a = p->letters;
    uint32_t first, code, length = 1;
    if (a->tokens || !utf8_decode(&first, a->letters[k], strlen(a->letters[k]))) return 1;
    bool member = formula_has_letter(p->f, id, k);
    while (k + length < a->count && formula_has_letter(p->f, id, k + length) == member &&
           utf8_decode(&code, a->letters[k + length], strlen(a->letters[k + length])) && code == first + length)
        length++;
    return length;
}

/* How many characters one side of a set takes, with ranges. */
static size_t side_length(const formula_printer *p, node_id id, bool negated) {
    size_t total = negated;
    for (uint32_t k = 0, length; k < p->letters->count; k += length) {
        length = range_length(p, id, k);
        if (formula_has_letter(p->f, id, k) != negated) total += length < RANGE_SHORTEST ? length : 3;
    }
    return total;
}

/* Whether a label lists the other side of a set: where that is shorter, among many letters, or much shorter. */
static bool is_shorter_negated(const formula_printer *p, node_id id, bool negated) {
    size_t own = side_length(p, id, negated), other = side_length(p, id, !negated);
    return p->letters->count > 16 ? other < own : 2 * other < own;
}

static void print_class(formula_printer *p, node_id id) {
    const alphabet *a = p->letters;
    class_shape s = shape_of(p->f, a, id);
    bool ranges = p->is_label && s.listed >= RANGE_SHORTEST && a->count <= RANGES_MOST;
    if (ranges && s.members && s.members < a->count && is_shorter_negated(p, id, s.negated)) {
        s.negated = !s.negated;
        s.listed = s.negated ? a->count - s.members : s.members;
    }
    if (s.listed == 0) { /* no letters at all: the set is as good as its rest */
        text_puts(p->out, s.negated ? "false" : "true");
        return;
    }
    bool single = s.listed == 1 && !s.negated;
    if (!single) text_puts(p->out, s.negated ? "[^" : "[");
    bool started = false;
    for (uint32_t k = 0; k < a->count && p->out->length < p->limit; k++) {
        if (formula_has_letter(p->f, id, k) == s.negated) continue;
        if (single) {
            letter_print(p->out, a->letters[k], a->tokens);
            return;
        }
        if (started && a->tokens) text_putc(p->out, ' ');
        started = true;
        escape(p->out, a->letters[k], "\\]^[-'\" ");
        uint32_t length = ranges ? range_length(p, id, k) : 1;
        if (length < RANGE_SHORTEST) continue;
        text_putc(p->out, '-');
        escape(p->out, a->letters[k += length - 1], "\\]^[-'\" ");
    }
    if (!single) text_putc(p->out, ']');
}

/* B-RASP has single letters only. */
static void print_brasp_letters(formula_printer *p, node_id id) {
    const alphabet *a = p->letters;
    class_shape s = shape_of(p->f, a, id);
    if (s.members == 0 || s.members == a->count) {
        text_putc(p->out, s.members ? '1' : '0');
        return;
    }
    if (s.negated) text_putc(p->out, '!');
    if (s.listed > 1) text_putc(p->out, '(');
    bool started = false;
    for (uint32_t k = 0; k < a->count; k++) {
        if (formula_has_letter(p->f, id, k) == s.negated) continue;
        if (started) text_puts(p->out, " | ");
        started = true;
        text_puts(p->out, "Q_");
        if (is_bare(a->letters[k], a->tokens))
            text_puts(p->out, a->letters[k]);
        else
            letter_print_quoted(p->out, a->letters[k]);
        text_printf(p->out, "(%c)", p->variable);
    }
    if (s.listed > 1) text_putc(p->out, ')');
}

/* ---- operators ---------------------------------------------------------------------------------------------- */

const char *mask_print_name(temper_mask mask) {
    switch (mask) {
    case TEMPER_MASK_BEFORE: return "j<i";
    case TEMPER_MASK_UP_TO: return "j<=i";
    case TEMPER_MASK_AFTER: return "i<j";
    case TEMPER_MASK_FROM: return "i<=j";
    case TEMPER_MASK_ALL: break;
    }
    return "1";
}

static const char *choice_spelling(temper_choice choice) {
    static const char *const spelling[] = {"leftmost", "rightmost", "average", "softmax"};
    return spelling[choice];
}

static const char *compare_spelling(compare_op op) {
    static const char *const spelling[] = {"=", "!=", "<", "<=", ">", ">="};
    return spelling[op];
}

static bool is_attention(formula_op op) { return op == OP_ATTEND || op == OP_MATCH; }

static int binding_of(formula_op op) { return is_attention(op) ? operator_binding(OP_NOT) : operator_binding(op); }

/* Does kid k of a parent need parentheses? By binding, and where readers or tools disagree: comparisons below unary
   and binary temporal operators, operands of xor, anything but a right chain of one operator among U R W M S T.
   `is_value` is about the kid of a MATCH that stands behind its bracket. */
static bool needs_paren(formula_op parent, size_t k, bool is_value, formula_op kid) {
    int outer = binding_of(parent), inner = binding_of(kid);
    bool unary = outer == operator_binding(OP_NOT), temporal = outer == operator_binding(OP_UNTIL);
    if (parent == OP_COUNT_PAST || parent == OP_COUNT_FUTURE) return false;
    if (parent == OP_ATTEND && k == 0) return false;
    if (parent == OP_MATCH && !is_value) return false;
    if (parent == OP_AT) return k == 0 && inner < operator_binding(OP_TRUE) && kid != OP_AT;
    if (kid == OP_COMPARE || kid == OP_MODULO || kid == OP_AT) return unary || temporal;
    if (inner > operator_binding(OP_UNTIL)) return false;
    if (unary || inner < outer) return true;
    if (temporal || parent == OP_IMPLIES) return inner == outer && !(kid == parent && k == 1);
    if (parent == OP_XOR && kid == OP_XOR) return k > 0; /* left-associative */
    if (parent == OP_XOR || kid == OP_XOR) return true;
    if (parent == OP_IFF && kid == OP_IMPLIES) return true;
    return inner == outer;
}

static uint64_t magnitude(int64_t x) { return x < 0 ? -(uint64_t)x : (uint64_t)x; }

/* A term's sign and weight, up to its count; or, alone, a constant. `first` on its side of the comparison. */
static void print_sign(text *out, bool negative, bool first) {
    if (!first)
        text_puts(out, negative ? " - " : " + ");
    else if (negative)
        text_putc(out, '-');
}

static void print_weight(text *out, uint64_t size, bool negative, bool first) {
    print_sign(out, negative, first);
    if (size != 1) text_printf(out, "%llu*", (unsigned long long)size);
}

/* A zero is printed only where nothing else stands. */
static void print_constant(text *out, uint64_t size, bool negative, bool first) {
    if (size == 0 && !first) return;
    print_sign(out, negative, first);
    text_printf(out, "%llu", (unsigned long long)size);
}

/* Terms keep their order, so only a tail of negative ones may change sides. */
static uint32_t split_of(const formula *f, node_id id) {
    uint32_t split = formula_at(f, id)->kid_count;
    while (split > 0 && formula_weight(f, id, split - 1) < 0) split--;
    return split;
}

/* The text before kid `top->next` of a comparison, or after the last one. A constant stands on the side where it is
   positive. */
static void print_compare_piece(text *out, const formula *f, const frame *top) {
    const formula_node *n = formula_at(f, top->id);
    uint32_t k = top->next, split = top->split;
    if (k == split) {
        print_constant(out, n->constant > 0 ? magnitude(n->constant) : 0, false, split == 0);
        text_printf(out, " %s ", compare_spelling(n->compare));
    }
    if (k < n->kid_count) {
        int64_t weight = formula_weight(f, top->id, k);
        print_weight(out, magnitude(weight), weight < 0 && k < split, k == 0 || k == split);
    } else {
        print_constant(out, n->constant < 0 ? magnitude(n->constant) : 0, false, split == n->kid_count);
    }
}

static void print_modulo_piece(text *out, const formula *f, const frame *top) {
    const formula_node *n = formula_at(f, top->id);
    uint32_t k = top->next;
    bool bare = n->kid_count == 1 && formula_weight(f, top->id, 0) == 1 && n->constant == 0;
    if (k == 0 && !bare) text_putc(out, '(');
    if (k < n->kid_count) {
        int64_t weight = formula_weight(f, top->id, k);
        print_weight(out, magnitude(weight), weight < 0, k == 0);
        return;
    }
    print_constant(out, magnitude(n->constant), n->constant < 0, false);
    if (!bare) text_putc(out, ')');
    text_printf(out, " %% %lld %s ", (long long)n->modulus, compare_spelling(n->compare));
    print_constant(out, magnitude(n->residue), n->residue < 0, true);
}

/* All but what a MATCH is in other operators. */
static uint32_t shown_kids(const formula_node *n) { return n->kid_count - (n->op == OP_MATCH); }

/* "There is one": all candidates have the value 1, so any choice among them will do. */
static const char *written_choice(temper_choice choice) {
    return choice_spelling(choice == TEMPER_CHOICE_AVERAGE ? TEMPER_CHOICE_RIGHTMOST : choice);
}

enum { CHAIN_SHORTEST = 3 }; /* Y Y a, but Y^3 a */

/* The last one of a chain of the same step, which is printed as one; else the node itself. */
static node_id chain_end(const formula_printer *p, node_id id, uint32_t *length) {
    formula_op op = formula_at(p->f, id)->op;
    bool steps = op == OP_YESTERDAY || op == OP_NEXT || op == OP_WEAK_YESTERDAY || op == OP_WEAK_NEXT;
    node_id end = id;
    *length = 1;
    for (node_id kid = id; steps; end = kid, ++*length) {
        kid = formula_kid(p->f, end, 0);
        if (formula_at(p->f, kid)->op != op || (p->names && p->names[kid])) break;
    }
    if (*length >= CHAIN_SHORTEST) return end;
    *length = 1;
    return id;
}

static void print_at_piece(text *out, const formula *f, const frame *top) {
    const formula_node *n = formula_at(f, top->id);
    uint32_t k = top->next;
    if (k == 0) return;
    if (k == 1) text_puts(out, " @ ");
    if (k < n->kid_count) {
        int64_t weight = formula_weight(f, top->id, k);
        print_weight(out, magnitude(weight), weight < 0, k == 1);
    } else {
        print_constant(out, magnitude(n->constant), n->constant < 0, k == 1);
    }
}

/* The text before kid `top->next`, or after the last one. */
static void print_piece(formula_printer *p, const frame *top) {
    const formula_node *n = formula_at(p->f, top->id);
    const char *spelling = operator_spelling(n->op);
    bool done = top->next == shown_kids(n);
    switch (n->op) {
    case OP_COMPARE: print_compare_piece(p->out, p->f, top); break;
    case OP_MODULO: print_modulo_piece(p->out, p->f, top); break;
    case OP_AT: print_at_piece(p->out, p->f, top); break;
    case OP_COUNT_PAST:
    case OP_COUNT_FUTURE:
        if (!done) text_puts(p->out, spelling);
        text_putc(p->out, done ? ']' : '[');
        break;
    case OP_ATTEND:
        if (top->next == 0)
            text_printf(p->out, "%s[%s, ", p->is_label ? choice_spelling(n->choice) : written_choice(n->choice),
                        mask_print_name(n->mask));
        else if (!done)
            text_puts(p->out, "] ");
        break;
    case OP_MATCH:
        if (top->next == 0)
            text_printf(p->out, "%s[%s, ", choice_spelling(n->choice), mask_print_name(n->mask));
        else if (!done)
            text_puts(p->out, top->next == shown_kids(n) - 1 ? "] " : top->next % 2 ? " is " : ", ");
        break;
    default:
        if (done) break;
        if (n->kid_count == 1) {
            text_puts(p->out, spelling);
            if (top->split > 1) text_printf(p->out, "^%u", top->split);
            if (n->op != OP_NOT) text_putc(p->out, ' ');
        } else if (top->next > 0) {
            text_printf(p->out, " %s ", spelling);
        }
    }
}

size_t matches_print_cost(const formula *f, node_id id) {
    return f->languages[formula_at(f, id)->set].source_length + 2;
}

/* /R/ with each slash escaped, or dfa { ... }; what is in no text has a name, for labels */
static void print_language(formula_printer *p, const formula_language *l) {
    if (l->kind == LANGUAGE_STATES) {
        text_add(p->out, l->source, l->source_length);
        return;
    }
    if (l->kind == LANGUAGE_TABLE) {
        text_puts(p->out, "dfa {");
        if (!p->is_label)
            text_add(p->out, l->source, l->source_length);
        else if (l->automaton)
            text_printf(p->out, " %zu states ", (size_t)l->automaton->state_count);
        else
            text_puts(p->out, " ... "); /* a message about a text that is still being read */
        text_puts(p->out, p->is_label ? "}" : "\n}");
        return;
    }
    text_putc(p->out, '/');
    for (size_t k = 0; k < l->source_length; k++) {
        char c = l->source[k];
        if (c == '/') text_putc(p->out, '\\');
        text_putc(p->out, c);
        if (c == '\\' && k + 1 < l->source_length) text_putc(p->out, l->source[++k]);
    }
    text_putc(p->out, '/');
}

static void print_atom(formula_printer *p, node_id id) {
    const formula_node *n = formula_at(p->f, id);
    if (n->op == OP_MATCHES || n->op == OP_MATCHES_REST) { /* the second only in labels */
        print_language(p, &p->f->languages[n->set]);
        return;
    }
    if (n->op == OP_LETTERS && p->variable)
        print_brasp_letters(p, id);
    else if (n->op == OP_LETTERS)
        print_class(p, id);
    else if (p->variable && (n->op == OP_TRUE || n->op == OP_FALSE))
        text_putc(p->out, n->op == OP_TRUE ? '1' : '0');
    else
        text_puts(p->out, operator_spelling(n->op));
}

/* B-RASP knows Boolean connectives only; attention has a line, so a name, of its own. */
static void refuse_in_brasp(formula_printer *p, node_id id) {
    formula_op op = formula_at(p->f, id)->op;
    if (operator_direction(op) == 'n' && op != OP_COMPARE && op != OP_MODULO && op != OP_AT && !is_attention(op))
        return;
    trap_raise(p->out->arena->trap, TEMPER_UNSUPPORTED, p->f->notes[id].line, p->f->notes[id].column,
               "a formula with attention beside counts or temporal operators has no text form");
}

static void print(formula_printer *p, node_id root, bool paren) {
    frame *stack = NULL;
    size_t depth = 0, capacity = 0;
    node_id id = root;
    for (;;) {
        const formula_node *n = formula_at(p->f, id);
        const char *name = p->names && id != root ? p->names[id] : NULL;
        if (!name && p->variable) refuse_in_brasp(p, id);
        if (name) {
            text_puts(p->out, name);
            if (p->variable) text_printf(p->out, "(%c)", p->variable);
        } else if (n->kid_count == 0) {
            print_atom(p, id);
        } else {
            if (paren) text_putc(p->out, '(');
            uint32_t split;
            id = chain_end(p, id, &split);
            if (n->op == OP_COMPARE) split = split_of(p->f, id);
            frame open = {.id = id, .split = split, .paren = paren};
            array_push(p->scratch, stack, depth, capacity, open);
        }
        for (;; depth--) { /* closes what is complete, up to the next kid to print */
            if (depth == 0 || p->out->length >= p->limit) return;
            frame *top = &stack[depth - 1];
            const formula_node *above = formula_at(p->f, top->id);
            print_piece(p, top);
            if (top->next < shown_kids(above)) {
                uint32_t k = top->next++;
                id = formula_kid(p->f, top->id, k);
                paren = needs_paren(above->op, k, k + 1 == shown_kids(above), formula_at(p->f, id)->op);
                break;
            }
            if (top->paren) text_putc(p->out, ')');
        }
    }
}

void formula_print_node(formula_printer *p, node_id id) { print(p, id, false); }

void formula_print_operand(formula_printer *p, node_id id) {
    if (p->names && p->names[id]) {
        text_printf(p->out, "%s(%c)", p->names[id], p->variable);
        return;
    }
    print(p, id, needs_paren(OP_NOT, 0, false, formula_at(p->f, id)->op));
}

void formula_label(text *out, const formula *f, const alphabet *letters, node_id id, size_t most) {
    size_t start = out->length;
    formula_printer p = {.out = out, .scratch = out->arena, .f = f, .letters = letters, .limit = SIZE_MAX};
    p.is_label = true;
    if (most && most < SIZE_MAX / 8) p.limit = start + 4 * most + 1; /* a character has at most four bytes */
    formula_print_node(&p, id);
    if (p.limit == SIZE_MAX) return;
    size_t end = start, shown = 0;
    for (uint32_t code; end < out->length && shown < most; shown++)
        end += utf8_decode(&code, out->data + end, out->length - end); /* whatever is printed is UTF-8 */
    if (end >= out->length) return;
    out->length = end;
    text_puts(out, "...");
}
