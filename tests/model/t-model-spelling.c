/* Texts of models that are spelt in another way are read as the same model: blanks, tabs, line ends, escapes and
   numbers. Texts that are nearly right are refused with words that say why. */
#define _GNU_SOURCE /* memmem */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "temper.h"
#include "test.h"

static const char MODEL[] = "temper-model 2\n"
                            "method temperature\n"
                            "syntax spec\n"
                            "source \"\"\n"
                            "alphabet \"a\" \"b\"\n"
                            "other \"b\"\n"
                            "at last\n"
                            "channel 0 \"a\"\n"
                            "channel 1 \"one\" position \"1\"\n"
                            "channel 2 \"is\"\n"
                            "channel 3 \"i/N\" soft \"i/N\"\n"
                            "embed \"a\" 0:1\n"
                            "embed \"b\"\n"
                            "embed start\n"
                            "embed end\n"
                            "layer 1\n"
                            "head \"h\" mask j<=i choice softmax for rightmost scale \"8*N\"\n"
                            "  query 1:1\n"
                            "  key 0:1 3:1\n"
                            "  value 0:1\n"
                            "  output 2:1\n"
                            "unit -2.5 1:2 2:2 -> 2:1\n"
                            "read 2:1\n";

/* words NULL: it is read as the same model. */
static const struct {
    const char *from, *to, *words;
} CHANGES[] = {
    {"method temperature\n", "method\ttemperature\r\n", NULL},
    {"  key 0:1 3:1\n", "\tkey\t0:1\t3:1 \r\n", NULL},
    {"alphabet \"a\" \"b\"", "alphabet \"\\x61\" \"\\x62\"", NULL},
    {"channel 2 \"is\"", "channel 2 \"i\\x73\"", NULL},
    {"scale \"8*N\"", "scale \"0X1P+3*N\"", NULL},
    {"scale \"8*N\"", "scale \"0x1p3*N\"", NULL},
    {"scale \"8*N\"", "scale \"80E-1*N\"", NULL},
    {"scale \"8*N\"", "scale \"0.8e+1*N\"", NULL},
    {"unit -2.5", "unit -25e-1", NULL},
    {"unit -2.5", "unit -0x1.4P1", NULL},
    {"0:1 3:1", "0:+1 3:.1e1", NULL},
    {"alphabet \"a\" \"b\"", "alphabet \"\\x6\" \"b\"", "needs two hexadecimal digits"},
    {"alphabet \"a\" \"b\"", "alphabet \"\\x", ""},
    {"alphabet \"a\" \"b\"", "alphabet \"\\", ""},
    {"alphabet \"a\" \"b\"", "alphabet \"\\\n", ""},
    {"other \"b\"", "other \"c\"", "not in an alphabet above"},
    {"key 0:1", "key 12345678901:1", "CHANNEL:WEIGHT"},
    {"key 0:1", "key 0", "CHANNEL:WEIGHT"},
    {"key 0:1", "key :1", "CHANNEL:WEIGHT"},
    {"key 0:1", "key 0:", "a number"},
    {"key 0:1", "key 0:-", "a number"},
    {"key 0:1", "key 0:1e999", "too large for a double"},
    {"layer 1", "layer 99999999999999999999", "expected"},
    {"layer 1", "layer 18446744073709551616", "expected"},
    {"layer 1", "layer 1x", "expected"},
    {"scale \"8*N\"", "scale \"8e*N\"", "a finite number"},
    {"scale \"8*N\"", "scale \"1e999*N\"", "a finite number"},
    {"method temperature",
     "method temperaturetemperaturetemperaturetemperaturetemperaturetemperaturetemperaturetemperature"
     "temperaturetemperature",
     "expected"},
};

static char *changed(size_t *length, const char *from, const char *to) {
    const char *at = memmem(MODEL, sizeof MODEL - 1, from, strlen(from));
    size_t before = at ? (size_t)(at - MODEL) : 0, after = at ? strlen(at + strlen(from)) : 0;
    char *out = malloc(before + strlen(to) + after + 1);
    *length = before + strlen(to) + after;
    memcpy(out, MODEL, before);
    memcpy(out + before, to, strlen(to));
    memcpy(out + before + strlen(to), MODEL + before + (at ? strlen(from) : 0), after);
    return CHECK(at != NULL, "the model has no %s", from) ? out : (free(out), NULL);
}

static char *printed(const char *bytes, size_t length, temper_error *e) {
    temper_model *m = NULL;
    char *out = NULL;
    size_t size;
    if (temper_model_read(&m, bytes, length, e) == TEMPER_OK) temper_model_print(&out, &size, m, e);
    temper_model_free(m);
    return out;
}

static void check_change(const char *from, const char *to, const char *words, const char *whole) {
    size_t length;
    temper_error e = {0};
    char *file = changed(&length, from, to);
    if (!file) return;
    char *found = printed(file, length, &e);
    if (words)
        CHECK(!found && e.code == TEMPER_FORMAT && strstr(e.text, words), "%s: %s, not %s", to,
              found ? "accepted" : e.text, words);
    else
        CHECK(found && strcmp(found, whole) == 0, "%s: %s", to, found ? found : e.text);
    temper_free(found);
    free(file);
}

/* As many letters as there may be, and one more. */
static void check_letters(void) {
    enum { MOST = 65536 };
    for (int more = 0; more < 2; more++) {
        char *list = malloc(20 * (MOST + 2)), *file;
        size_t length, at = (size_t)sprintf(list, "alphabet \"a\" \"b\"");
        temper_error e = {0};
        for (int k = 2; k < MOST + more; k++) at += (size_t)sprintf(list + at, " \"x%d\"", k);
        file = changed(&length, "alphabet \"a\" \"b\"", list);
        char *found = file ? printed(file, length, &e) : NULL;
        CHECK(!found && strstr(e.text, "more than 65536 letters") ? more : !more && e.text[0], "%d more: %s", more,
              e.text); /* without rows of the embedding the first one is refused later */
        temper_free(found);
        free(file);
        free(list);
    }
}

int main(void) {
    temper_error e = {0};
    char *whole = printed(MODEL, sizeof MODEL - 1, &e);
    if (CHECK(whole, "%s", e.text))
        for (size_t k = 0; k < sizeof CHANGES / sizeof *CHANGES; k++)
            check_change(CHANGES[k].from, CHANGES[k].to, CHANGES[k].words, whole);
    temper_free(whole);
    check_letters();
    return test_finish("t-model-spelling");
}
