/* The whole compiler, for those inside the library who want more of it than temper_build. */
#ifndef BUILD_BUILD_H
#define BUILD_BUILD_H

#include "compile/normal_form.h"
#include "model/model.h"

/* As temper_build, of a hard model in which every head that steps goes one position back or ahead. One that goes
   several tells positions apart by their remainders, which not every architecture knows. */
temper_status build_with_single_steps(temper_model **out, const temper_spec *spec, temper_error *err);

/* A specification as a hard model, *made, checked and sealed. whole: for whole strings only; use: of heads that look
   for patterns, where they can be proved; digits: as in temper_build_options. After an error *made may be a model
   that is not whole. */
void build_hard(temper_model **made, const temper_spec *spec, bool whole, match_use use, temper_type digits,
                entry *e);

/* The type that gates are made for: what is given, or what the method of digits takes by itself. */
temper_type build_digits(temper_method method, temper_type given);

/* The last pass: every invariant, then the texts of expressions. */
void build_finish(temper_model *m, trap *t);

/* A duty of an entry: frees *model, a temper_model *, if there is one. */
void build_drop(void *model);

#endif
