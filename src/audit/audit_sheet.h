/* The auditor's own reading of the sheet of inequalities (number/heads.sheet): the text itself, with numbers put in
   for what a head is. Where the text cannot be read a value is not finite and no condition holds, so that nothing is
   accepted. */
#ifndef AUDIT_AUDIT_SHEET_H
#define AUDIT_AUDIT_SHEET_H

#include "audit/audit_calculus.h"

enum { SHEET_LINES = 192 };

typedef struct stated_line {
    const char *name, *body; /* behind the name and its parameters, from '=' or ':' on; NULL: it is given */
    size_t length;           /* of the name */
    bool is_flag;
    const char *parameter[2];
} stated_line;

typedef struct audit_sheet {
    calculus *c;
    stated_line line[SHEET_LINES];
    const ball *value[SHEET_LINES]; /* NULL: not known yet */
    int64_t whole[SHEET_LINES];
    size_t count;
} audit_sheet;

void audit_sheet_read(audit_sheet *s, calculus *c); /* once */
void audit_sheet_begin(audit_sheet *s);             /* for each head: nothing is given */

void audit_sheet_give(audit_sheet *s, const char *name, const ball *value);
void audit_sheet_whole(audit_sheet *s, const char *name, int64_t value); /* also a flag */

/* `first` and `second` are what its parameters stand for, NULL where there are none. */
const ball *audit_sheet_value(audit_sheet *s, const char *name, const ball *first, const ball *second);
bool audit_sheet_holds(audit_sheet *s, const char *name, const ball *first, const ball *second);

#endif
