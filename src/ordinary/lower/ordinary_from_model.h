/* A hard model as an ordinary GPT-2 or Llama that answers for every prefix of at most so many letters
   (doc/ordinary.md). A pass: what the compiler found out stays, and every head and gate of the hard model becomes one
   of the other architecture. Nothing is proved of the result here. */
#ifndef ORDINARY_LOWER_FROM_MODEL_H
#define ORDINARY_LOWER_FROM_MODEL_H

#include "base/entry.h"
#include "model/model.h"
#include "ordinary/files/ordinary_model.h"

enum ordinary_number { ORDINARY_F32, ORDINARY_F16 };

/* How a Llama knows positions: by frequencies that fit any rope base, or by bits of the position, whose frequencies
   need rope_factors. AUTO takes the ramp where it goes. A GPT-2 has an embedding for them. */
enum ordinary_positions { ORDINARY_POSITIONS_AUTO, ORDINARY_POSITIONS_RAMP, ORDINARY_POSITIONS_DIGITS };

struct ordinary_options {
    enum ordinary_architecture architecture;
    size_t length;                     /* the longest string, in letters */
    enum ordinary_number weights, kv;  /* how weights and the cache of keys and values will be stored */
    enum ordinary_positions positions; /* of a Llama */
    bool unchecked;                    /* lower also what is known to go wrong: for searches */
};

/* What a caller of the library asked for. Raises TEMPER_RANGE. */
struct ordinary_options ordinary_options_of(const temper_ordinary_options *o, trap *t);

/* "nearest" and so on, as certificates have them. */
const char *ordinary_role_name(ordinary_role role);

enum { ORDINARY_LENGTH_LIMIT = 16384 };

/* The hard model that is lowered. An acceptor becomes a language model if an automaton or a line `viable` says
   what may come next. Else it stays an acceptor, and every letter is legal. */
typedef struct ordinary_hard {
    temper_model *model;
    temper_spec *next; /* the specification whose outputs the model has; NULL: the one that was asked for */
} ordinary_hard;

void ordinary_hard_free(void *hard);

/* Fills *out, which ordinary_hard_free frees, also after an error. A setting may want heads that step back one
   position at a time: where they spare it remainders of positions and take few layers more. Raises
   what temper_build does. */
void ordinary_hard_make(ordinary_hard *out, entry *e, const temper_spec *spec, const struct ordinary_options *o);

/* The same for no setting, and for one, freed when the entry is left; *read is the specification of its outputs. */
const temper_model *ordinary_hard_model(entry *e, const temper_spec *spec, const temper_spec **read);
const temper_model *ordinary_hard_model_for(entry *e, const temper_spec *spec, const struct ordinary_options *o,
                                            const temper_spec **read);

/* Whether an acceptor's answer is the truth at the position where a causal transformer stands after the string: the
   last one, or where it is fed from right to left the first one. */
bool ordinary_reads_where_it_stands(const temper_model *hard, bool mirrored);

/* The result is in arena a, as everything that it points to. Raises TEMPER_UNSUPPORTED for a model that looks both
   ways, and TEMPER_LIMIT, with the head, the setting and the largest length, where a setting does not go so far. */
struct ordinary_model *ordinary_from_model(arena *a, const temper_model *hard,
                                           const struct ordinary_options *options);

#endif
