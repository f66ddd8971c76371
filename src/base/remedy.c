/* Remedies in neutral words. The command line and the Python package have words of their own for each. */
#include "base/remedy.h"

const char *remedy_words(temper_remedy remedy) {
    switch (remedy) {
    case TEMPER_REMEDY_NONE: return "";
    case TEMPER_REMEDY_UNCHECKED: return "an unchecked run gives an answer without proof";
    case TEMPER_REMEDY_EXPORT_UNCHECKED: return "an unchecked export goes without proof";
    case TEMPER_REMEDY_EXACT: return "the exact type decides it";
    case TEMPER_REMEDY_HARD: return "a hard run takes each head's hard choice";
    case TEMPER_REMEDY_WHOLE_STRINGS: return "it runs on whole strings, not as a stream";
    case TEMPER_REMEDY_PREFIXES: return "build it for prefixes, not for whole strings only";
    case TEMPER_REMEDY_SOFTEN: return "softening makes a soft one";
    case TEMPER_REMEDY_IMPORT: return "an import makes a model of plain safetensors";
    case TEMPER_REMEDY_IMPORT_TYPES: return "an import takes F32, F16 and BF16";
    case TEMPER_REMEDY_NO_IMPORT: return "a model that temper wrote is read as it is";
    case TEMPER_REMEDY_CERTIFY: return "certifying the model makes one";
    case TEMPER_REMEDY_CERTIFY_EXPORTED:
        return "export without a certificate, certify the model.safetensors of the folder, and export again";
    case TEMPER_REMEDY_GIVE_CERTIFICATE: return "give a certificate, or remove it";
    case TEMPER_REMEDY_GAP_PROVED: return "proved gaps need no strings";
    case TEMPER_REMEDY_GAP_EXHAUSTIVE: return "exhaustive gaps look at the answers themselves";
    case TEMPER_REMEDY_SHORTER: return "a smaller length may do";
    case TEMPER_REMEDY_GAP_OR_SHORTER: return "exhaustive gaps and margins may be larger; a smaller length may do";
    case TEMPER_REMEDY_NOT_ADAPTIVE: return "without adaptive scales ties may survive";
    case TEMPER_REMEDY_AT: return "say where to read it, or begin with a line 'at first' or 'at last'";
    case TEMPER_REMEDY_ALPHABET: return "give an alphabet, or begin with a line 'alphabet a b c'";
    case TEMPER_REMEDY_TOKENS: return "letters of several characters need tokens: begin with a line 'tokens yes'";
    case TEMPER_REMEDY_DEFINE:
        return "define it on a line before; or make words letters, with a first line 'tokens yes'";
    case TEMPER_REMEDY_GALLERY: return "the gallery can be listed";
    case TEMPER_REMEDY_EFFORT: return "more effort raises the limit";
    }
    return "";
}
