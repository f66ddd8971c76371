#include "number/number_type.h"

#include <stddef.h>

static const number_type types[] = {
    [TEMPER_TYPE_F64] = {"f64", &format_f64, &format_f64},
    [TEMPER_TYPE_F32] = {"f32", &format_f32, &format_f32},
    [TEMPER_TYPE_EXACT] = {"exact", NULL, NULL},
    [TEMPER_TYPE_BF16_F32] = {"bf16/f32", &format_bf16, &format_f32},
    [TEMPER_TYPE_BF16] = {"bf16", &format_bf16, &format_bf16},
    [TEMPER_TYPE_F16_F32] = {"f16/f32", &format_f16, &format_f32},
    [TEMPER_TYPE_F16] = {"f16", &format_f16, &format_f16},
    [TEMPER_TYPE_E4M3_F32] = {"e4m3/f32", &format_e4m3, &format_f32},
    [TEMPER_TYPE_E4M3] = {"e4m3", &format_e4m3, &format_e4m3},
    [TEMPER_TYPE_E5M2_F32] = {"e5m2/f32", &format_e5m2, &format_f32},
    [TEMPER_TYPE_E5M2] = {"e5m2", &format_e5m2, &format_e5m2},
    [TEMPER_TYPE_F32_F64] = {"f32/f64", &format_f32, &format_f64},
    [TEMPER_TYPE_BF16_F64] = {"bf16/f64", &format_bf16, &format_f64},
};

const number_type *number_type_of(temper_type type) {
    return (size_t)type < sizeof types / sizeof *types ? &types[type] : NULL;
}

bool number_type_is_emulated(temper_type type) { return number_type_of(type) && type >= TEMPER_TYPE_BF16_F32; }

const char *temper_type_name(temper_type type) {
    const number_type *t = number_type_of(type);
    return t ? t->name : "";
}
