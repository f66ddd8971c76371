#include "number/number_type.h"

/* The pairs of formats, in the order of temper_type; rationals are never in tiles. */
#define PLAIN(X)                                                                                                     \
    X(F64, "f64", f64, f64)                                                                                          \
    X(F32, "f32", f32, f32)
#define SHORT(X)                                                                                                     \
    X(BF16_F32, "bf16/f32", bf16, f32)                                                                               \
    X(BF16, "bf16", bf16, bf16)                                                                                      \
    X(F16_F32, "f16/f32", f16, f32)                                                                                  \
    X(F16, "f16", f16, f16)                                                                                          \
    X(E4M3_F32, "e4m3/f32", e4m3, f32)                                                                               \
    X(E4M3, "e4m3", e4m3, e4m3)                                                                                      \
    X(E5M2_F32, "e5m2/f32", e5m2, f32)                                                                               \
    X(E5M2, "e5m2", e5m2, e5m2)                                                                                      \
    X(F32_F64, "f32/f64", f32, f64)                                                                                  \
    X(BF16_F64, "bf16/f64", bf16, f64)

#define ALONE(id, name, s, a)   [TEMPER_TYPE_##id] = {name, &format_##s, &format_##a, 0},
#define TILE64(id, name, s, a)  {name "@tile64", &format_##s, &format_##a, 64},
#define TILE128(id, name, s, a) {name "@tile128", &format_##s, &format_##a, 128},
#define TILE512(id, name, s, a) {name "@tile512", &format_##s, &format_##a, 512},

static const number_type types[] = {PLAIN(ALONE)[TEMPER_TYPE_EXACT] = {"exact", NULL, NULL, 0},
                                    SHORT(ALONE) PLAIN(TILE64) SHORT(TILE64) PLAIN(TILE128) SHORT(TILE128)
                                        PLAIN(TILE512) SHORT(TILE512)};

_Static_assert(sizeof types / sizeof *types == NUMBER_TYPES, "all types have names");

const number_type *number_type_of(temper_type type) { return (size_t)type < NUMBER_TYPES ? &types[type] : NULL; }

bool number_type_is_emulated(temper_type type) { return number_type_of(type) && type >= TEMPER_TYPE_BF16_F32; }

temper_type temper_type_tiled(temper_type type, size_t keys) {
    const number_type *t = number_type_of(type);
    for (size_t k = 0; t && k < NUMBER_TYPES; k++)
        if (types[k].storage == t->storage && types[k].accumulation == t->accumulation && types[k].tile == keys)
            return (temper_type)k;
    return (temper_type)NUMBER_TYPES;
}

temper_type number_type_plain(temper_type type) { return temper_type_tiled(type, 0); }

const char *temper_type_name(temper_type type) {
    const number_type *t = number_type_of(type);
    return t ? t->name : "";
}
