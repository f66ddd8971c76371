#include "logic/core.h"

const core operator_cores[] = {
#define OPERATOR(name, spelling, kids, direction, binding, kind, all, beyond)                                        \
    {CORE_##kind, (direction) == 'f', all, beyond},
#include "logic/operators.h"
#undef OPERATOR
};
