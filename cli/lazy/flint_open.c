/* The program `temper` loads FLINT when it makes the first exact number, since loading it takes longer than most
   commands: 2 ms, half of them for libraries that FLINT itself needs.

   scripts/flint-link.sh lists, while building, which functions src/number needs of FLINT and of the libraries below
   it, and defines each as a jump through flint_link[]. So the objects of src/number are the same as in the library,
   where the linker binds them to FLINT itself, and a call takes as long as through the linker's own table. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "flint_link.h"
#include "number/exact_open.h"

void *flint_link[FLINT_FUNCTIONS];

static const char *const libraries[] = {FLINT_LIBRARIES};
static const char *const functions[FLINT_FUNCTIONS] = {FLINT_NAMES};
enum { LIBRARIES = sizeof libraries / sizeof *libraries };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool is_open;

static void *find(void *const opened[LIBRARIES], const char *name) {
    void *found = NULL;
    for (size_t k = 0; !found && k < LIBRARIES; k++) found = dlsym(opened[k], name);
    return found;
}

/* What failed may succeed later, when there is more memory, so nothing is kept of it; to load a library twice is to
   load it once. */
static bool load(const char **why) {
    void *opened[LIBRARIES];
    for (size_t k = 0; k < LIBRARIES; k++) {
        opened[k] = dlopen(libraries[k], RTLD_LAZY | RTLD_LOCAL);
        if (!opened[k]) {
            *why = dlerror();
            return false;
        }
    }
    for (size_t k = 0; k < FLINT_FUNCTIONS; k++) {
        flint_link[k] = find(opened, functions[k]);
        if (!flint_link[k]) {
            *why = dlerror();
            return false;
        }
    }
    return true;
}

bool exact_open(const char **why) {
    *why = NULL;
    if (atomic_load_explicit(&is_open, memory_order_acquire)) return true;
    pthread_mutex_lock(&lock);
    if (!atomic_load(&is_open) && load(why)) atomic_store_explicit(&is_open, true, memory_order_release);
    pthread_mutex_unlock(&lock);
    if (!atomic_load(&is_open) && !*why) *why = "no reason is given";
    return atomic_load(&is_open);
}

bool exact_is_open(void) { return atomic_load_explicit(&is_open, memory_order_acquire); }
