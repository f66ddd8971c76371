/* Building a soft model beside a hard one: copies, new position features, and dropping what nobody reads. */
#ifndef SOFTEN_SOFTEN_BUILD_H
#define SOFTEN_SOFTEN_BUILD_H

#include "model/model.h"

typedef struct softener {
    const temper_model *from;
    temper_model *to;
    trap *trap;
    arena *scratch;
    temper_method method;
    model_channel *channels; /* the hard model's, then new ones */
    size_t channel_count, channel_capacity;
    table features; /* expression text (with a mark for soft_only) -> channel */
    uint32_t
        *source; /* after soften_end, [channels]: of the hard model, or UINT32_MAX for an added one; in `scratch` */
} softener;

void soften_begin(softener *s, const temper_model *from, temper_model *to, temper_method method, trap *t,
                  arena *scratch);

/* The channel of a position feature, added if it is new. */
uint32_t soften_feature(softener *s, const char *expression_text, bool soft_only);

/* The layer with its heads as they are, to be changed one by one. */
void soften_copy_layer(softener *s, uint32_t layer);

/* Channels that are left without a reader go; the model is complete then but for its proof. */
void soften_end(softener *s);

#endif
