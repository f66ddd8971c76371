/* Letters that a client cannot carry are refused by name: by the table itself, by exports before anything is written,
   and by audits. A certificate says how strings are read, and the folder's tokenizer must say the same. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/entry.h"
#include "model/letter_clients.h"
#include "temper.h"
#include "test.h"
#include "ordinary_calls.h"

static char folder[TEST_FOLDER], path[TEST_FOLDER + 100];

static const char *path_of(const char *name) {
    snprintf(path, sizeof path, "%s/out%s%s", folder, *name ? "/" : "", name);
    return path;
}

/* ---- the table ---- */

typedef struct question {
    letter_list letters;
    unsigned clients;
    temper_status code;
} question;

static void ask(entry *e, void *context) {
    const question *q = context;
    letter_clients_check(&q->letters, q->clients, q->code, &e->memory);
}

static void check_table(void) {
    static const char *const names[] = {"Hugging Face's tokenizers", "transformers.js", "llama.cpp", "vocab.json",
                                        "modeling_temper.py"};
    static const char *const fine[] = {"a", "\u00a0", "x\u3000y", "##x", "\u0120", "<dead>", "\\ud800"};
    static const char *const broken[] = {"a", "b\xff"}, *const written[] = {"x y", "x"};
    const size_t count = sizeof fine / sizeof *fine;
    for (int c = 0; c < CLIENT_COUNT; c++)
        for (int words = 0; words < 2; words++) {
            temper_error e = {0};
            question good = {{.letters = fine, .count = count, .words = true}, CLIENT_BIT(c), TEMPER_UNSUPPORTED};
            question bad = {{.letters = broken, .count = 2, .words = words},
                            CLIENT_BIT(c),
                            words ? TEMPER_UNSUPPORTED : TEMPER_RANGE};
            CHECK(entry_run(&e, ask, &good) == TEMPER_OK, "%s: %s", names[c], e.text);
            CHECK(entry_run(&e, ask, &bad) == bad.code && strstr(e.text, names[c]) && strstr(e.text, "'b\\xFF'") &&
                      strstr(e.text, words ? "the word" : "the letter") && *e.hint,
                  "%s: %s", names[c], e.text);
            question other = {{.letters = fine,
                               .count = count,
                               .words = words,
                               .other = "a",
                               .written = written,
                               .written_count = 2},
                              CLIENT_BIT(c),
                              TEMPER_UNSUPPORTED};
            bool reads = c == CLIENT_TOKENIZERS || c == CLIENT_TRANSFORMERS_JS;
            temper_status s = entry_run(&e, ask, &other);
            CHECK(s == (reads ? TEMPER_UNSUPPORTED : TEMPER_OK) && (!reads || strstr(e.text, "'x' as 'a'")), "%s: %s",
                  names[c], e.text);
            other.letters.other = NULL;
            CHECK(entry_run(&e, ask, &other) == TEMPER_OK, "%s: %s", names[c], e.text);
        }
}

/* ---- exports ---- */

static temper_status export(const char *source, const temper_spec_options *o, temper_error *e) {
    temper_spec *spec;
    const temper_ordinary_options options = {.architecture = TEMPER_ORDINARY_GPT2, .length = 8};
    temper_status s = temper_spec_parse(&spec, source, strlen(source), o, e);
    if (!CHECK(s == TEMPER_OK, "%s: %s", source, e->text)) return s;
    s = ordinary_folder_once(NULL, path_of(""), spec, &options, e);
    temper_spec_free(spec);
    return s;
}

static void check_refusal(const char *source, const char *words) {
    temper_error e = {0};
    struct stat about;
    temper_status s = export(source, NULL, &e);
    CHECK(s == TEMPER_UNSUPPORTED && strstr(e.text, words) && *e.hint, "%s: %s", source, e.text);
    CHECK(stat(path_of(""), &about) != 0, "%s: refused, and something was written", source);
}

/* ---- certificates ---- */

typedef struct file {
    char *bytes;
    size_t length;
} file;

static file read_file(const char *name) {
    file f = {0};
    temper_error e;
    CHECK(temper_file_read(&f.bytes, &f.length, path_of(name), &e) == TEMPER_OK, "%s: %s", name, e.text);
    return f;
}

/* What the audit says of the certificate with one text in the place of another; NULL: it is confirmed. */
static const char *audit_changed(const file *f, const char *from, const char *to) {
    static temper_error e;
    char changed[4000];
    const char *at = strstr(f->bytes, from);
    if (!CHECK(at && f->length < sizeof changed - 100, "no %s in %s", from, f->bytes)) return "";
    int length = snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - f->bytes), f->bytes, to, at + strlen(from));
    temper_status s =
        temper_audit(changed, (size_t)length, NULL, 0, &(temper_audit_options){.path = path_of("")}, &e);
    return s == TEMPER_OK ? NULL : e.text;
}

static void check_change(const file *f, const char *from, const char *to, const char *words) {
    const char *found = audit_changed(f, from, to);
    CHECK(words ? found && strcmp(found, words) == 0 : !found, "%s for %s: %s", to, from,
          found ? found : "confirmed");
}

static void remove_folder(void) {
    static const char *const names[] = {"testvectors.jsonl", "model.gguf",       "Modelfile",
                                        "tokenizer.json",    "README.md",        "tokenizer_config.json",
                                        "model.safetensors", "onnx/model.onnx",  "generation_config.json",
                                        "config.json",       "certificate.json", "onnx"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) remove(path_of(names[k]));
    rmdir(path_of(""));
}

/* A tokenizer that reads strings in another way is refused, whatever it says about tokens. */
static void check_tokenizers(void) {
    static const char *const changes[][2] = {
        {"\"unk_token\": \"o\"", "\"unk_token\": \"a\""},
        {"[\\\\t\\\\n\\\\x0b\\\\x0c\\\\r ]+", "\\\\s+"},
        {"\"Removed\"", "\"Isolated\""},
        {"\"continuing_subword_prefix\": \" \"", "\"continuing_subword_prefix\": \"\""},
        {"\"added_tokens\": []", "\"added_tokens\": [ ]"}};
    file f = read_file("tokenizer.json"), certificate = read_file("certificate.json");
    for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
        char changed[4000];
        temper_error e;
        const char *at = strstr(f.bytes, changes[k][0]);
        if (!CHECK(at && f.length < sizeof changed - 100, "no %s in %s", changes[k][0], f.bytes)) continue;
        int length = snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - f.bytes), f.bytes, changes[k][1],
                              at + strlen(changes[k][0]));
        temper_file_write(path_of("tokenizer.json"), changed, (size_t)length, &e);
        check_change(&certificate, "\"allowed\"", "\"allowed\"",
                     "tokenizer.json has another field, or another value");
    }
    temper_error e;
    temper_file_write(path_of("tokenizer.json"), f.bytes, f.length, &e);
    check_change(&certificate, "\"allowed\"", "\"allowed\"", NULL);
    temper_free(f.bytes);
    temper_free(certificate.bytes);
}

/* What was exported is read again with its other letter and its blanks. */
static void check_import(const char *name) {
    temper_model *m;
    temper_error e;
    if (!CHECK(temper_model_import(&m, path_of(name), NULL, &e) == TEMPER_OK, "%s: %s", name, e.text)) return;
    temper_model_info about = temper_model_about(m);
    CHECK(about.tokens && about.other == 2, "'%s': tokens %d, other %zu", name, about.tokens, about.other);
    temper_model_free(m);
}

/* Words of one character, so that nothing but the certificate says that they are words. */
static void check_certificates(void) {
    static const char other[] = "other is not the letter that the file has",
                      tokens[] = "tokens is not what the file says";
    temper_error e = {0};
    const temper_spec_options by_option = {.other = "o"};
    CHECK(export("tokens yes\nalphabet a b o\nother o\nH(b -> O a)", NULL, &e) == TEMPER_OK, "%s", e.text);
    file f = read_file("certificate.json");
    check_change(&f, "\"allowed\"", "\"allowed\"", NULL);
    check_change(&f, "\"other\": \"o\"", "\"other\": \"zz\"", other);
    check_change(&f, "\"other\": \"o\"", "\"other\": \"a\"", other);
    check_change(&f, ",\n  \"other\": \"o\"", "", other);
    check_change(&f, ",\n  \"tokens\": true", "", tokens);
    check_tokenizers();
    check_import("");
    check_import("model.gguf");
    temper_free(f.bytes);
    remove_folder();
    /* Said by an option, the source does not have it, and the certificate does. */
    CHECK(export("alphabet a b o\nH(b -> O a)", &by_option, &e) == TEMPER_OK, "%s", e.text);
    f = read_file("certificate.json");
    check_change(&f, "\"allowed\"", "\"allowed\"", NULL);
    check_change(&f, "\"source\": \"alphabet a b o", "\"source\": \"alphabet a b o\\nother b",
                 "other is not what the source says");
    check_change(&f, "\"alphabet\": ", "\"tokens\": true, \"alphabet\": ", tokens);
    temper_free(f.bytes);
    remove_folder();
    CHECK(export("alphabet a b o\nH(b -> O a)", NULL, &e) == TEMPER_OK, "%s", e.text);
    f = read_file("certificate.json");
    check_change(&f, "\"architecture\"", "\"other\": \"zz\", \"architecture\"", "other is no letter of the alphabet");
    temper_free(f.bytes);
    remove_folder();
}

int main(void) {
    if (!test_folder(folder)) return 1;
    check_table();
    check_refusal("tokens yes\nalphabet '\u2581a' b\nb", "'\u2581a'");
    check_refusal("transduce\nalphabet 0 1 o\nother o\nemit x = '1'\nemit o otherwise", "'x' as 'o'");
    check_certificates();
    rmdir(folder);
    return test_finish("t-letter-clients");
}
