/* model.safetensors of an ordinary model: the numbers of the GGUF file, to the bit. */
#include "ordinary/write/ordinary_files.h"

#include "ordinary/files/ordinary_tensors.h"
#include "model/tensor_file.h"

static const uint64_t LARGEST_FILE = (uint64_t)2 << 30;

void ordinary_safetensors_print(text *out, const struct ordinary_model *m, bool as_f16) {
    static const char *const metadata[] = {"format", "pt"}; /* transformers refuses a file without it */
    ordinary_tensors all = ordinary_tensors_make(m, ORDINARY_HUGGING_FACE, out->arena);
    tensor_plan *plans = arena_zalloc(out->arena, all.count, sizeof *plans);
    uint64_t size = 0;
    for (size_t k = 0; k < all.count; k++) {
        const ordinary_tensor *t = &all.all[k];
        uint64_t shape[2];
        ordinary_tensor_shape(shape, t);
        plans[k] = (tensor_plan){.name = t->name,
                                 .type = as_f16 && !t->is_wide ? TENSOR_F16 : TENSOR_F32,
                                 .rank = t->is_matrix ? 2 : 1,
                                 .shape = {t->is_matrix ? shape[0] : shape[1], shape[1]}};
        size += tensor_plan_size(&plans[k], out->arena->trap);
        if (size > LARGEST_FILE)
            trap_raise(out->arena->trap, TEMPER_LIMIT, 0, 0, "the weights would make a file of more than 2 GiB");
    }
    tensor_header_print(out, plans, all.count, metadata, 1);
    for (size_t k = 0; k < all.count; k++) ordinary_tensor_put(out, &all.all[k], as_f16 && !all.all[k].is_wide);
}
