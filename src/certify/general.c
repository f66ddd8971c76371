#include "certify/general.h"

void certify_general(certification *c) {
    certification_unable(c, 0, 0,
                         *c->model->source ? "the model is not what temper makes of its specification"
                                           : "the model carries no specification");
}
