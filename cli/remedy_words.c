#include "remedy_words.h"

#include <stdio.h>
#include <string.h>

const char *error_hint(const temper_error *err) {
    switch (err->remedy) {
    case TEMPER_REMEDY_NONE: break;
    case TEMPER_REMEDY_UNCHECKED: return "--unchecked runs it without proof";
    case TEMPER_REMEDY_EXPORT_UNCHECKED: return "--unchecked exports it without proof";
    case TEMPER_REMEDY_EXACT: return "--type exact decides it";
    case TEMPER_REMEDY_HARD: return "--hard takes each head's hard choice";
    case TEMPER_REMEDY_WHOLE_STRINGS: return "it runs on whole strings: temper run without --stream";
    case TEMPER_REMEDY_PREFIXES: return "temper compile --per-position makes one that answers for every prefix";
    case TEMPER_REMEDY_SOFTEN: return "temper soften makes a soft one";
    case TEMPER_REMEDY_IMPORT: return "temper import makes a model of plain safetensors";
    case TEMPER_REMEDY_IMPORT_TYPES: return "temper import takes F32, F16 and BF16";
    case TEMPER_REMEDY_NO_IMPORT: return "every command takes it as it is: temper run MODEL STRING";
    case TEMPER_REMEDY_CERTIFY: return "temper certify MODEL -o FILE writes one";
    case TEMPER_REMEDY_CERTIFY_EXPORTED:
        return "export without --certificate, certify the model.safetensors of the folder, and export again";
    case TEMPER_REMEDY_GIVE_CERTIFICATE: return "give --certificate FILE, or remove it";
    case TEMPER_REMEDY_GAP_PROVED: return "--gap proved needs no strings";
    case TEMPER_REMEDY_GAP_EXHAUSTIVE: return "--gap exhaustive looks at the answers themselves";
    case TEMPER_REMEDY_SHORTER: return "a smaller --length may do";
    case TEMPER_REMEDY_GAP_OR_SHORTER:
        return "--gap exhaustive may find larger gaps and margins; a smaller --length may do";
    case TEMPER_REMEDY_NOT_ADAPTIVE: return "without --adaptive ties may survive";
    case TEMPER_REMEDY_AT:
        return "say where to read it: --at first or --at last, or a first line 'at first' or 'at last'";
    case TEMPER_REMEDY_ALPHABET: return "give an alphabet: --alphabet abc, or a first line 'alphabet a b c'";
    case TEMPER_REMEDY_TOKENS:
        return "letters of several characters need tokens: the option --tokens or a first line 'tokens yes'";
    case TEMPER_REMEDY_DEFINE:
        return "define it on a line before; or make words letters, with the option --tokens or a first line 'tokens "
               "yes'";
    case TEMPER_REMEDY_GALLERY: return "temper gallery lists the names";
    case TEMPER_REMEDY_EFFORT: return "--effort 10 raises the limit tenfold";
    }
    return err->hint;
}

const char *words_at_prompt(char *out, size_t size, const char *text) {
    static const struct {
        const char *option, *typed;
    } words[] = {{"--alphabet abc, or a first line 'alphabet a b c'", ":alphabet abc"},
                 {"the option --tokens or a first line 'tokens yes'", ":tokens"},
                 {"--alphabet", ":alphabet"},
                 {"temper help lists", ":help lists"}};
    size_t used = 0;
    while (*text && used + 1 < size) {
        size_t k = 0, count = sizeof words / sizeof *words;
        while (k < count && strncmp(text, words[k].option, strlen(words[k].option)) != 0) k++;
        used += (size_t)snprintf(out + used, size - used, "%.*s", k < count ? (int)strlen(words[k].typed) : 1,
                                 k < count ? words[k].typed : text);
        text += k < count ? strlen(words[k].option) : 1;
    }
    if (used >= size) used = size - 1;
    out[used] = 0;
    return out;
}
