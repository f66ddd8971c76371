#include "base/work.h"

#include <stdatomic.h>

#include "temper.h"

static _Atomic double effort = 1;
static _Atomic(const char *) current;
static _Atomic uint64_t steps, most_steps;
static _Atomic bool counted;

void temper_limit_work(double times) {
    atomic_store(&effort, times >= 1 ? times < MOST_EFFORT ? times : MOST_EFFORT : 1);
}

uint64_t work_limit(uint64_t usual) {
    double times = atomic_load_explicit(&effort, memory_order_relaxed);
    return times > 1 ? (uint64_t)((double)usual * times) : usual;
}

bool work_is_raised(void) { return atomic_load_explicit(&effort, memory_order_relaxed) > 1; }

static void begin(const char *what, uint64_t most, bool is_counted) {
    atomic_store_explicit(&steps, 0, memory_order_relaxed);
    atomic_store_explicit(&most_steps, most, memory_order_relaxed);
    atomic_store_explicit(&counted, is_counted, memory_order_relaxed);
    atomic_store_explicit(&current, what, memory_order_relaxed);
}

void work_begin(const char *what, uint64_t most) { begin(what, most, false); }

void work_count(const char *what, uint64_t total) { begin(what, total, true); }

void work_at(uint64_t done) { atomic_store_explicit(&steps, done, memory_order_relaxed); }

void work_add(uint64_t more) { atomic_fetch_add_explicit(&steps, more, memory_order_relaxed); }

temper_work temper_work_now(void) {
    const char *what = atomic_load_explicit(&current, memory_order_relaxed);
    return (temper_work){.what = what ? what : "",
                         .done = atomic_load_explicit(&steps, memory_order_relaxed),
                         .most = atomic_load_explicit(&most_steps, memory_order_relaxed),
                         .counted = atomic_load_explicit(&counted, memory_order_relaxed)};
}
