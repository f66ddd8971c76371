#include "audit/audit_operator.h"

/* clang-format off */
audit_operator audit_operator_of(formula_op op) {
    switch (op) {
    case OP_TRUE: return (audit_operator){READS_TRUE, false};
    case OP_FALSE: return (audit_operator){READS_FALSE, false};
    case OP_FIRST: return (audit_operator){READS_EDGE, false};
    case OP_LAST: return (audit_operator){READS_EDGE, true};
    case OP_LETTERS: return (audit_operator){READS_LETTERS, false};
    case OP_NOT: return (audit_operator){READS_NOT, false};
    case OP_AND: return (audit_operator){READS_AND, false};
    case OP_OR: return (audit_operator){READS_OR, false};
    case OP_XOR: return (audit_operator){READS_XOR, false};
    case OP_IMPLIES: return (audit_operator){READS_IMPLIES, false};
    case OP_IFF: return (audit_operator){READS_IFF, false};
    case OP_NEXT: return (audit_operator){READS_STEP, true};
    case OP_WEAK_NEXT: return (audit_operator){READS_WEAK_STEP, true};
    case OP_EVENTUALLY: return (audit_operator){READS_SOMEWHERE, true};
    case OP_ALWAYS: return (audit_operator){READS_EVERYWHERE, true};
    case OP_UNTIL: return (audit_operator){READS_SINCE, true};
    case OP_RELEASE: return (audit_operator){READS_TRIGGERED, true};
    case OP_WEAK_UNTIL: return (audit_operator){READS_WEAK_SINCE, true};
    case OP_STRONG_RELEASE: return (audit_operator){READS_STRONG_TRIGGERED, true};
    case OP_YESTERDAY: return (audit_operator){READS_STEP, false};
    case OP_WEAK_YESTERDAY: return (audit_operator){READS_WEAK_STEP, false};
    case OP_ONCE: return (audit_operator){READS_SOMEWHERE, false};
    case OP_HISTORICALLY: return (audit_operator){READS_EVERYWHERE, false};
    case OP_SINCE: return (audit_operator){READS_SINCE, false};
    case OP_TRIGGERED: return (audit_operator){READS_TRIGGERED, false};
    case OP_COUNT_PAST: return (audit_operator){READS_COUNT, false};
    case OP_COUNT_FUTURE: return (audit_operator){READS_COUNT, true};
    case OP_COMPARE: return (audit_operator){READS_COMPARE, false};
    case OP_MODULO: return (audit_operator){READS_MODULO, false};
    case OP_AT: return (audit_operator){READS_AT, false};
    case OP_ATTEND: return (audit_operator){READS_ATTEND, false};
    case OP_MATCH: return (audit_operator){READS_MATCH, false};
    case OP_MATCHES: return (audit_operator){READS_LANGUAGE, false};
    case OP_MATCHES_REST: return (audit_operator){READS_LANGUAGE, true};
    case OP_COUNT_OF_OPERATORS: break;
    }
    return (audit_operator){READS_FALSE, false};
}
/* clang-format on */
