/* The object of the public header: an ordinary transformer, made and proved once. */
#ifndef ORDINARY_ORDINARY_H
#define ORDINARY_ORDINARY_H

#include "ordinary/lower/ordinary_from_model.h"
#include "ordinary/write/ordinary_files.h"

struct temper_ordinary {
    arena memory;
    ordinary_hard hard;
    const temper_spec *read; /* whose outputs the hard model has */
    struct ordinary_options options;
    ordinary_made made;   /* no `model`: the setting is refused, or there is no length */
    temper_error refusal; /* why */
};

/* Raises why there is no transformer; then a letter that the clients (model/letter_clients.h) cannot read. */
void ordinary_need(entry *e, const temper_ordinary *x, unsigned clients);

#endif
