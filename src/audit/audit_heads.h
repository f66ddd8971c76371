/* What audit_heads.c and audit_head_sums.c share: a head that is being read. */
#ifndef AUDIT_AUDIT_HEADS_H
#define AUDIT_AUDIT_HEADS_H

#include "audit/audit.h"

typedef struct head_reader {
    audit *a;
    audit_head *f;
    const model_head *head;
    uint32_t layer, number; /* from 1 */
    feature scale;          /* UNKNOWN: none */
    row_value query[HEAD_ROWS], key[HEAD_ROWS];
    content *made; /* [values] what goes to the output channels */
} head_reader;

#define REFUSE(r, ...) audit_refuse((r)->a, (r)->layer, (r)->number, __VA_ARGS__)
#define NEED(r, c, ...)                                                                                              \
    do {                                                                                                             \
        if (!(c)) REFUSE(r, __VA_ARGS__);                                                                            \
    } while (0)

/* What the channel of a term holds. */
static inline const content *head_content(const head_reader *r, const model_term *t) {
    return &r->a->channels[t->channel];
}

/* The feature of a row that has no other term, with this weight; NULL: it is another row. Booleans that cancel out
   are terms, too: a feature that is added to one of them loses its last bits. */
const feature *head_feature(const head_reader *r, const row_value *row, double weight);

/* Boolean on letters, and 0 on sentinels. */
bool head_is_boolean(const head_reader *r, const row_value *row);

row_value head_value(const head_reader *r, size_t k);
void head_output(const head_reader *r, size_t k, dd letters); /* output k is this on letters, but for errors */

/* The kinds that add up letters: a mean, its sign, the sign of a sum both ways, and what stands where a count
   says. */
void audit_count(head_reader *r);
void audit_compare(head_reader *r);
void audit_balance(head_reader *r);
void audit_lookup(head_reader *r);

#endif
