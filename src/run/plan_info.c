/* How a run would evaluate each head, for explain. */
#include "base/entry.h"
#include "run/plan.h"

typedef struct plans_call {
    const char **plans;
    double *costs;
    const temper_model *model;
    size_t n;
    bool hard;
} plans_call;

static void tell_plans(entry *e, void *context) {
    const plans_call *c = context;
    const temper_model *m = c->model;
    model_plan plan;
    plan_make(&plan, m, c->hard, &e->memory);
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t h = 0; h < m->layers[l].head_count; h++) {
            uint32_t k = plan.head_start[l] + h;
            if (c->plans) c->plans[k] = plan_name(plan.heads[k]);
            if (c->costs)
                c->costs[k] = plan_cost(plan.heads[k], &m->layers[l].heads[h], (double)(c->n + 1 + m->has_end));
        }
}

temper_status temper_model_plans(const char **plans, double *costs, const temper_model *m, size_t n, int hard,
                                 temper_error *err) {
    plans_call call = {plans, costs, m, n, hard != 0};
    return entry_run(err, tell_plans, &call);
}
