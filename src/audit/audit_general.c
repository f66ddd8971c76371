/* The claim "hard choices" (doc/certificate.md, section 8), for models without Boolean channels. */
#include "audit/audit.h"

void audit_general(audit *a) {
    trap_raise(a->trap, TEMPER_UNSUPPORTED, 0, 0, "certificates with the claim \"hard choices\" are not audited");
}
