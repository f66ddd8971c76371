#include "logic/spec_parse.h"

#include <string.h>
#include "logic/tokenize.h"

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static bool at_comment(const tokenizer *z) {
    return (tokenizer_look(z, 0) == '-' && tokenizer_look(z, 1) == '-') ||
           (tokenizer_look(z, 0) == '/' && tokenizer_look(z, 1) == '/');
}

/* To the next item of the line; false: the line is over. */
static bool skip_in_line(tokenizer *z) {
    while (is_blank(tokenizer_look(z, 0))) tokenizer_advance(z, 1);
    if (at_comment(z))
        while (tokenizer_look(z, 0) && tokenizer_look(z, 0) != '\n') tokenizer_advance(z, 1);
    return tokenizer_look(z, 0) && tokenizer_look(z, 0) != '\n';
}

/* The bytes up to a blank. */
static size_t item_size(const tokenizer *z) {
    size_t size = 0;
    while (tokenizer_look(z, size) && !is_blank(tokenizer_look(z, size)) && tokenizer_look(z, size) != '\n') size++;
    return size;
}

typedef enum header_word {
    WORD_ALPHABET,
    WORD_AT,
    WORD_EMPTY,
    WORD_TOKENS,
    WORD_NONE, /* the words below are no settings: other texts may use them as they like */
    WORD_REGEX,
    WORD_DFA,
    WORD_NEXT,
    WORD_TRANSDUCE,
    WORD_PROBABILITIES,
    WORD_OTHER
} header_word;

static header_word find_word(const char *word, size_t length) {
    static const char *const words[] = {"alphabet", "at", "empty", "tokens"};
    for (size_t k = 0; k < WORD_NONE; k++)
        if (strlen(words[k]) == length && memcmp(words[k], word, length) == 0) return (header_word)k;
    return WORD_NONE;
}

bool spec_is_header_word(const char *word, size_t length) { return find_word(word, length) != WORD_NONE; }

/* Refuses what no letter can be. */
static void check_letter(temper_spec *s, const char *letter, size_t length, size_t line, size_t column) {
    arena *a = &s->memory;
    if (s->letters.tokens) {
        for (size_t k = 0; k < length; k++)
            if (letter[k] == '\n' || letter[k] == '\v' || letter[k] == '\f' || is_blank(letter[k]))
                trap_raise_hint(a->trap, TEMPER_SYNTAX, line, column,
                                "strings are split into tokens at blanks, so it could never occur",
                                "the token '%s' holds a blank", text_escaped(a, letter, length, 40));
        return;
    }
    uint32_t code;
    if (utf8_decode(&code, letter, length) != length)
        trap_raise_remedy(a->trap, TEMPER_SYNTAX, line, column, TEMPER_REMEDY_TOKENS,
                          "'%s' has several characters, but a letter is one", text_escaped(a, letter, length, 40));
}

uint32_t spec_letter_number(temper_spec *s, const spec_header *h, const char *letter, size_t length, size_t line,
                            size_t column) {
    check_letter(s, letter, length, line, column);
    uint32_t known = alphabet_find(&s->letters, letter, length);
    if (known != UINT32_MAX) return known;
    const char *shown = text_escaped(&s->memory, letter, length, 40);
    if (h->alphabet_given)
        trap_raise_hint(s->memory.trap, TEMPER_RANGE, line, column,
                        h->alphabet_fixed ? "add it to the alphabet option" : "add it to the line 'alphabet'",
                        "the letter '%s' is not in the alphabet", shown);
    if (s->letters.count == ALPHABET_LIMIT)
        trap_raise(s->memory.trap, TEMPER_LIMIT, line, column, "'%s' would be letter %d, but the limit is %d letters",
                   shown, ALPHABET_LIMIT + 1, ALPHABET_LIMIT);
    return alphabet_add(&s->letters, letter, length);
}

node_id spec_letter(temper_spec *s, const spec_header *h, const char *letter, size_t length, size_t line,
                    size_t column) {
    uint32_t number = spec_letter_number(s, h, letter, length, line, column);
    node_id id = formula_letters(&s->graph, &number, 1, false);
    formula_note_place(&s->graph, id, line, column);
    return id;
}

/* Does nothing follow the quotes that open here on their line? Else they belong to a formula. */
static bool stands_alone(const tokenizer *z, size_t at) {
    tokenizer ahead = *z;
    tokenizer_advance(&ahead, at);
    tokenizer_quote(&ahead);
    return !skip_in_line(&ahead);
}

/* `regex R` and `dfa FILE`, in texts that could mean nothing else: a definition `regex = ...` stays one, and with
   tokens so does a formula that begins with the letter `regex` and goes on with an operator. */
static header_word find_language_word(const tokenizer *z, size_t size) {
    static const char *const words[] = {"regex", "dfa"};
    header_word found = WORD_NONE;
    for (size_t k = 0; k < 2; k++)
        if (strlen(words[k]) == size && memcmp(words[k], z->bytes + z->at, size) == 0) found = WORD_REGEX + (int)k;
    if (found == WORD_NONE || z->syntax != TEMPER_SYNTAX_SPEC) return WORD_NONE;
    size_t at = size;
    while (tokenizer_look(z, at) == ' ' || tokenizer_look(z, at) == '\t') at++;
    char c = tokenizer_look(z, at), d = tokenizer_look(z, at + 1);
    if (c == '=' || (found == WORD_DFA && c == '{')) return WORD_NONE;
    bool quoted = found == WORD_DFA && (c == '\'' || c == '"');
    if (quoted) return stands_alone(z, at) ? found : WORD_NONE;
    if (!z->tokens) return found;
    if (found == WORD_DFA) return WORD_NONE;
    bool opens = c == '(' || c == '.' || (c == '[' && d != ']');
    bool word = c == '<' && d != '>' && d != '-' && d != '=' && d != ' ';
    return opens || word ? found : WORD_NONE;
}

/* The rest of the line: an expression as it stands, or a path, perhaps in quotes. */
static void read_language(spec_header *h, tokenizer *z, const token *word, bool is_file) {
    spec_language_line *l = &h->language;
    if (l->is_said)
        trap_raise_hint(z->arena->trap, TEMPER_SYNTAX, word->line, word->column,
                        "in formulas a regular expression is /a|b/, and a table is dfa \"FILE\" or dfa { ... }",
                        "a second line '%s' or '%s'", "regex", "dfa");
    while (tokenizer_look(z, 0) == ' ' || tokenizer_look(z, 0) == '\t') tokenizer_advance(z, 1);
    size_t size = 0;
    l->line = z->line;
    l->column = z->column;
    while (tokenizer_look(z, size) && tokenizer_look(z, size) != '\n') size++;
    if (size && z->bytes[z->at + size - 1] == '\r') size--;
    l->is_said = true;
    l->is_file = is_file;
    l->text = arena_copy(z->arena, z->bytes + z->at, size);
    l->length = size;
    if (is_file && (*l->text == '\'' || *l->text == '"')) {
        token path = tokenizer_quote(z);
        l->text = path.text;
        l->length = path.length;
        if (skip_in_line(z))
            trap_raise(z->arena->trap, TEMPER_SYNTAX, z->line, z->column,
                       "expected end of line after the file's name");
    } else {
        tokenizer_advance(z, size);
        while (is_file && l->length && is_blank(l->text[l->length - 1])) l->length--;
        if (is_file) l->text = arena_copy(z->arena, l->text, l->length);
    }
    if (!l->length)
        trap_raise_hint(z->arena->trap, TEMPER_SYNTAX, word->line, word->column,
                        is_file ? "write the file's name after it: dfa door.dfa" : "the empty string alone is ()",
                        is_file ? "the line names no file" : "the line has no expression");
}

/* `next` and `transduce` alone on a line, with another line below: no other text could have that, for only a last
   line is an answer. So texts with a letter or a definition of that name mean what they meant. Below a line `regex`
   or `dfa` it may be the last one, unless letters are words. */
static header_word find_kind_word(const spec_header *h, const tokenizer *z, size_t size) {
    static const char *const words[] = {"next", "transduce"};
    header_word found = WORD_NONE;
    for (size_t k = 0; k < 2; k++)
        if (strlen(words[k]) == size && memcmp(words[k], z->bytes + z->at, size) == 0) found = WORD_NEXT + (int)k;
    if (found == WORD_NONE) return found;
    tokenizer ahead = *z;
    tokenizer_advance(&ahead, size);
    if (skip_in_line(&ahead)) return WORD_NONE;
    while (tokenizer_look(&ahead, 0) == '\n') {
        ahead.at++;
        if (skip_in_line(&ahead)) return found;
    }
    return h->language.is_said && !h->tokens ? found : WORD_NONE;
}

/* Nothing but a language model has this line, and its text has the line `next` above. */
static header_word find_model_word(const spec_header *h, const tokenizer *z, size_t size) {
    static const char word[] = "probabilities";
    if (h->kind != TEMPER_KIND_NEXT || size != strlen(word) || memcmp(word, z->bytes + z->at, size) != 0)
        return WORD_NONE;
    size_t at = size;
    while (tokenizer_look(z, at) == ' ' || tokenizer_look(z, at) == '\t') at++;
    return tokenizer_look(z, at) == '=' ? WORD_NONE : WORD_PROBABILITIES;
}

/* A lower-case word or a number. */
static bool is_plain_item(const char *item, size_t size) {
    for (size_t k = 0; k < size; k++)
        if (!(item[k] >= 'a' && item[k] <= 'z') && !(item[k] >= '0' && item[k] <= '9') && item[k] != '_')
            return false;
    return size != 0;
}

/* `other LETTER` and nothing more on the line: a formula that begins with a letter of that name goes on with an
   operator, and a definition with an equals sign. */
static header_word find_other_word(const tokenizer *z, size_t size) {
    static const char word[] = "other";
    tokenizer ahead = *z;
    if (size != strlen(word) || memcmp(word, z->bytes + z->at, size) != 0) return WORD_NONE;
    tokenizer_advance(&ahead, size);
    if (!skip_in_line(&ahead)) return WORD_NONE;
    char c = tokenizer_look(&ahead, 0);
    if (c == '\'' || c == '"') return stands_alone(&ahead, 0) ? WORD_OTHER : WORD_NONE;
    size_t item = item_size(&ahead);
    if (!is_plain_item(ahead.bytes + ahead.at, item)) return WORD_NONE;
    tokenizer_advance(&ahead, item);
    return skip_in_line(&ahead) ? WORD_NONE : WORD_OTHER;
}

static void read_other(spec_header *h, tokenizer *z) {
    skip_in_line(z);
    spec_other_line o = {.line = z->line, .column = z->column};
    char c = tokenizer_look(z, 0);
    if (c == '\'' || c == '"') {
        token t = tokenizer_quote(z);
        o.letter = t.text;
        o.length = t.length;
    } else {
        o.length = item_size(z);
        o.letter = arena_copy(z->arena, z->bytes + z->at, o.length);
        tokenizer_advance(z, o.length);
    }
    skip_in_line(z);
    if (!h->other_fixed) h->other = o;
}

void spec_set_other(temper_spec *s, const spec_header *h) {
    const spec_other_line *o = &h->other;
    if (!o->letter) return;
    if (!o->length) trap_raise(s->memory.trap, TEMPER_RANGE, o->line, o->column, "the other letter is empty");
    if (h->alphabet_given && alphabet_find(&s->letters, o->letter, o->length) == UINT32_MAX)
        trap_raise_hint(s->memory.trap, TEMPER_RANGE, o->line, o->column,
                        h->alphabet_fixed ? "add it to the alphabet option" : "add it to the line 'alphabet'",
                        "the other letter, '%s', is not in the alphabet",
                        text_escaped(&s->memory, o->letter, o->length, 40));
    s->letters.other = spec_letter_number(s, h, o->letter, o->length, o->line, o->column);
}

static void read_kind(spec_header *h, tokenizer *z, const token *word, temper_kind kind) {
    if (h->kind_said)
        trap_raise(z->arena->trap, TEMPER_SYNTAX, word->line, word->column, "a second line '%s' or '%s'", "next",
                   "transduce");
    if (kind == TEMPER_KIND_TRANSDUCER && z->syntax != TEMPER_SYNTAX_SPEC)
        trap_raise_hint(z->arena->trap, TEMPER_UNSUPPORTED, word->line, word->column,
                        "write it with lines such as emit 'x' = a & Y b, in the syntax of specifications",
                        "programs cannot be transducers");
    if (h->kind != TEMPER_KIND_ACCEPTOR && h->kind != kind)
        trap_raise(z->arena->trap, TEMPER_RANGE, word->line, word->column,
                   "the options ask for a language model, but the text is a transducer");
    h->kind_said = true;
    h->kind = kind;
    skip_in_line(z);
}

/* Adds a letter of a given alphabet, which must be new. The option has no place: line 0. */
static void declare(temper_spec *s, alphabet *to, const char *letter, size_t length, size_t line, size_t column) {
    const char *shown = text_escaped(&s->memory, letter, length, 40);
    temper_status code = line ? TEMPER_SYNTAX : TEMPER_RANGE;
    if (alphabet_find(to, letter, length) != UINT32_MAX)
        trap_raise_hint(s->memory.trap, code, line, column, "each letter stands once: leave one of the two out",
                        "the letter '%s' is in the alphabet twice", shown);
    if (to->count == ALPHABET_LIMIT)
        trap_raise(s->memory.trap, TEMPER_LIMIT, line, column, "the alphabet has more than %d letters",
                   ALPHABET_LIMIT);
    alphabet_add(to, letter, length);
}

/* The caller's alphabet: every character is a letter, the blank too; with tokens, words between blanks. */
static void read_option(temper_spec *s, spec_header *h) {
    static const char blanks[] = " \t\n\r\v\f";
    const char *option = h->alphabet_option;
    size_t length = strlen(option), at = 0;
    while (at < length) {
        if (h->tokens && strchr(blanks, option[at])) {
            at++;
            continue;
        }
        uint32_t code;
        size_t size = 0, left = length - at;
        do {
            size_t step = utf8_decode(&code, option + at + size, left - size);
            if (!step)
                trap_raise(s->memory.trap, TEMPER_RANGE, 0, 0,
                           "byte 0x%02X of the alphabet option is not valid UTF-8", (unsigned char)option[at + size]);
            size += step;
        } while (h->tokens && size < left && !strchr(blanks, option[at + size]));
        if (size == 1 && option[at] == ' ' && alphabet_find(&s->letters, " ", 1) != UINT32_MAX)
            trap_raise_hint(s->memory.trap, TEMPER_RANGE, 0, 0,
                            "letters stand side by side, as in abc; only words, with tokens, stand between blanks",
                            "the blank, which is a letter as others, is in the alphabet twice");
        declare(s, &s->letters, option + at, size, 0, 0);
        at += size;
    }
    if (s->letters.count == 0) trap_raise(s->memory.trap, TEMPER_RANGE, 0, 0, "the alphabet option names no letters");
}

void spec_read_options(temper_spec *s, spec_header *h) {
    bool ascii = h->ascii_option, list = h->letter_option_count;
    if (ascii + list + (h->alphabet_option != NULL) > 1)
        trap_raise(s->memory.trap, TEMPER_RANGE, 0, 0, "the alphabet is given twice");
    if (ascii && h->tokens)
        trap_raise(s->memory.trap, TEMPER_RANGE, 0, 0, "with tokens the letters cannot be the characters of ASCII");
    if (h->alphabet_option) read_option(s, h);
    for (char c = ' '; ascii && c <= '~'; c++) declare(s, &s->letters, &c, 1, 0, 0);
    for (size_t k = 0; k < h->letter_option_count; k++) {
        const char *letter = h->letter_option[k];
        if (!*letter) trap_raise(s->memory.trap, TEMPER_RANGE, 0, 0, "a letter of the alphabet is empty");
        check_letter(s, letter, strlen(letter), 0, 0);
        declare(s, &s->letters, letter, strlen(letter), 0, 0);
    }
}

/* alphabet ITEM ...: words, quoted letters, bare punctuation */
static void read_alphabet(temper_spec *s, spec_header *h, tokenizer *z, const token *word) {
    alphabet spare, *to = &s->letters;
    if (h->alphabet_fixed) {
        alphabet_init(&spare, &s->memory, h->tokens); /* checked, then dropped */
        to = &spare;
    }
    while (skip_in_line(z)) {
        size_t line = z->line, column = z->column, size = item_size(z);
        const char *item = z->bytes + z->at;
        if (*item == '\'' || *item == '"') {
            token t = tokenizer_quote(z);
            if (tokenizer_look(z, 0) && !is_blank(tokenizer_look(z, 0)) && tokenizer_look(z, 0) != '\n')
                trap_raise(z->arena->trap, TEMPER_SYNTAX, z->line, z->column,
                           "expected a blank between letters of the alphabet");
            item = t.text;
            size = t.length;
        } else {
            uint32_t code;
            size_t one = utf8_decode(&code, item, size);
            if (!h->tokens && one != size)
                trap_raise_hint(
                    z->arena->trap, TEMPER_SYNTAX, line, column,
                    "put blanks between letters, as in 'alphabet a b c', or write a line 'tokens yes' before",
                    "'%s' has several characters, but a letter is one", text_escaped(z->arena, item, size, 40));
            tokenizer_advance(z, size);
        }
        check_letter(s, item, size, line, column);
        declare(s, to, item, size, line, column);
    }
    if (to->count == 0)
        trap_raise_hint(z->arena->trap, TEMPER_SYNTAX, word->line, word->column,
                        "write them after it: 'alphabet a b c'", "the alphabet has no letters");
    h->alphabet_given = true;
}

/* One of two words; 0 or 1 says which. */
static int read_choice(tokenizer *z, const token *word, const char *zero, const char *one) {
    bool more = skip_in_line(z);
    size_t line = z->line, column = z->column, size = item_size(z);
    const char *item = z->bytes + z->at;
    bool is_zero = size == strlen(zero) && memcmp(item, zero, size) == 0;
    bool is_one = size == strlen(one) && memcmp(item, one, size) == 0;
    if (!more || (!is_zero && !is_one)) {
        text hint;
        text_init(&hint, z->arena);
        text_printf(&hint, "a first line that begins with '%s' is a setting; as a letter it is quoted", word->text);
        const char *found = more ? text_escaped(z->arena, item, size, 40) : "";
        trap_raise_hint(z->arena->trap, TEMPER_SYNTAX, line, column, text_string(&hint),
                        "expected '%s' or '%s' after '%s', found %s%s%s", zero, one, word->text, more ? "'" : "",
                        more ? found : "end of line", more ? "'" : "");
    }
    tokenizer_advance(z, size);
    if (skip_in_line(z))
        trap_raise(z->arena->trap, TEMPER_SYNTAX, z->line, z->column, "expected end of line after '%s', found '%s'",
                   is_one ? one : zero, text_escaped(z->arena, z->bytes + z->at, item_size(z), 40));
    return is_one;
}

static void say_once(const tokenizer *z, bool *said, const token *word) {
    if (*said) trap_raise(z->arena->trap, TEMPER_SYNTAX, word->line, word->column, "a second line '%s'", word->text);
    *said = true;
}

bool spec_header_line(temper_spec *s, spec_header *h, struct tokenizer *z) {
    z->tokens = h->tokens;
    for (;;) { /* blank and comment lines */
        if (skip_in_line(z)) break;
        if (!tokenizer_look(z, 0)) break;
        z->at++;
        z->line++;
        z->column = 1;
    }
    size_t size = item_size(z);
    header_word which = find_word(z->bytes + z->at, size);
    if (which == WORD_NONE) which = find_language_word(z, size);
    if (which == WORD_NONE) which = find_kind_word(h, z, size);
    if (which == WORD_NONE) which = find_model_word(h, z, size);
    if (which == WORD_NONE) which = find_other_word(z, size);
    if (which == WORD_NONE) {
        spec_read_options(s, h);
        return false;
    }
    size_t begin = z->at;
    token word = {.kind = TOK_WORD, .line = z->line, .column = z->column, .length = size};
    word.text = arena_copy(z->arena, z->bytes + z->at, size);
    tokenizer_advance(z, size);
    switch (which) {
    case WORD_ALPHABET:
        say_once(z, &h->alphabet_said, &word);
        read_alphabet(s, h, z, &word);
        break;
    case WORD_AT: {
        say_once(z, &h->at_said, &word);
        temper_at at = read_choice(z, &word, "first", "last") ? TEMPER_AT_LAST : TEMPER_AT_FIRST;
        if (!h->at_fixed) h->at = at;
        break;
    }
    case WORD_EMPTY: {
        say_once(z, &h->empty_said, &word);
        temper_empty empty = read_choice(z, &word, "accept", "reject") ? TEMPER_EMPTY_REJECT : TEMPER_EMPTY_ACCEPT;
        if (!h->empty_fixed) h->empty = empty;
        break;
    }
    case WORD_TOKENS: {
        say_once(z, &h->tokens_said, &word);
        if (h->alphabet_said)
            trap_raise(z->arena->trap, TEMPER_SYNTAX, word.line, word.column,
                       "the line 'tokens' must come before the line 'alphabet'");
        bool tokens = !read_choice(z, &word, "yes", "no");
        if (!h->tokens_fixed) h->tokens = s->letters.tokens = z->tokens = tokens;
        break;
    }
    case WORD_REGEX:
    case WORD_DFA:
        read_language(h, z, &word, which == WORD_DFA);
        h->language.begin = begin;
        h->language.end = z->at;
        break;
    case WORD_NEXT: read_kind(h, z, &word, TEMPER_KIND_NEXT); break;
    case WORD_TRANSDUCE: read_kind(h, z, &word, TEMPER_KIND_TRANSDUCER); break;
    case WORD_PROBABILITIES: spec_probabilities_line(s, h, z, word.line, word.column); break;
    case WORD_OTHER:
        say_once(z, &h->other_said, &word);
        read_other(h, z);
        break;
    case WORD_NONE: break;
    }
    return true;
}
