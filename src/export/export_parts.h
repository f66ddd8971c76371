/* The files of an exported folder: what each is made from. export_folder.c writes them. */
#ifndef EXPORT_EXPORT_PARTS_H
#define EXPORT_EXPORT_PARTS_H

#include "base/text.h"
#include "model/tokenizer_files.h"
#include "model/model.h"

/* The file format of the folder; the loaders refuse others. */
enum { EXPORT_FORMAT = 1 };

/* Makes the folder if it is missing; its parent must be there. Whether it was made. */
bool export_folder_make(const char *folder, arena *scratch, trap *t);

/* What is proved of the model in the two types that graphs and loaders have. */
typedef struct export_proofs {
    temper_proof f64, f32;
} export_proofs;

/* Names of the sentinels in vocab.json and the tokenizer, and of what is no letter; no string spells them. */
typedef struct export_sentinels {
    const char *start, *end, *unknown;
} export_sentinels;
export_sentinels export_sentinels_make(const temper_model *m, arena *a);

void export_vocabulary_print(text *out, const temper_model *m, const export_sentinels *s);

/* What tokenizer.json and tokenizer_config.json say. */
tokenizer_facts export_tokenizer(const temper_model *m, const export_sentinels *s, arena *a);

/* `digest`: of model.safetensors, so that the loader can tell whether both belong together. */
void export_config_print(text *out, const temper_model *m, const export_sentinels *s, const export_proofs *proofs,
                         const char *digest);

/* A certificate that goes into the folder. */
typedef struct export_certificate {
    const char *bytes;
    size_t size;
    const char *sha256, *type; /* what it says: of the model's file, and up to which length in which number format */
    uint64_t length;
    temper_claim claim;
    const char *file; /* the file of the folder that it is about */
} export_certificate;

/* Raises what is wrong with the file: it cannot be read, is not JSON, or not a certificate. */
void export_certificate_read(export_certificate *c, const char *path, arena *a, trap *t);
/* Finds out which of the two files it is about, `printed` or the one at the path `weights` (NULL: it is none that can
   be read again), and audits it; raises if it is about neither. */
void export_certificate_check(export_certificate *c, const text *printed, const char *weights, arena *a, trap *t);

/* Short strings with known answers, for people: an accepted and a rejected one, or two that a model writes or goes on
   from. Both are Python; NULL: none was met. */
typedef struct export_examples {
    const char *strings[2], *answers[2];
} export_examples;

/* Strings with temper's own answers and margins, one JSON object a line; the first of each answer are examples,
   too. */
void export_vectors_print(text *out, export_examples *examples, const temper_model *m, const export_proofs *proofs,
                          uint64_t seed, trap *t);

/* What README.md tells beside the model. */
typedef struct export_readme_facts {
    const char *folder; /* its path */
    const export_sentinels *sentinels;
    const temper_export_options *options;
    const export_proofs *proofs;
    const export_examples *examples;
    const export_certificate *certificate; /* NULL: none */
} export_readme_facts;
void export_readme_print(text *out, const temper_model *m, const export_readme_facts *facts);

/* Python files that are the same in every folder; the build embeds them from src/export/python. */
typedef struct export_python_file {
    const char *name;
    const unsigned char *bytes;
    size_t length;
} export_python_file;
extern const export_python_file export_python_files[];
extern const size_t export_python_file_count;

#endif
