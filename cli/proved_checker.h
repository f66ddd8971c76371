/* temper-checker, the checker whose soundness is a theorem (doc/checker.md), as a second opinion of `temper
   audit`. */
#ifndef CLI_PROVED_CHECKER_H
#define CLI_PROVED_CHECKER_H

#include "session.h"

typedef enum checker_answer {
    CHECKER_NONE,     /* there is no checker */
    CHECKER_ACCEPTS,  /* what the certificate says of the model is a theorem about its bytes */
    CHECKER_DECLINES, /* it does not know all that is in the model, or goes less far; this refutes nothing */
    CHECKER_FAILED    /* --checker names a program that cannot be asked: an error has been printed */
} checker_answer;

/* Asks the program that --checker names, or else the one that lies beside temper itself; never one of the working
   folder or of PATH. It gets the text of the certificate as it was audited, and the path of the model. */
checker_answer proved_checker_ask(session *s, const char *model, const char *certificate);

#endif
