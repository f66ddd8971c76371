/* The gallery, softened: every model proved to some length agrees with the exact run, the floating hard run and its
   oracle. */
#include <string.h>

#include "model/model.h"
#include "soft_agree.h"

/* All strings of so many letters are looked at; fewer for large alphabets. */
static size_t all_length(const temper_model *m) { return m->letters.count <= 2 ? 6 : m->letters.count <= 3 ? 5 : 4; }

static void check_hard(soft_totals *sum, const char *name, const temper_model *hard, test_random *r) {
    uint32_t word[40];
    temper_error e;
    for (int k = 0; k < 30; k++) {
        size_t n = random_below(r, 40);
        for (size_t i = 0; i < n; i++) word[i] = (uint32_t)random_below(r, hard->letters.count);
        soft_agree_hard(sum, name, hard, word, n);
        temper_run *run;
        int accept;
        temper_run_options o = {.hard = 1, .type = TEMPER_TYPE_EXACT};
        if (!CHECK(temper_model_run(&run, hard, word, n, &o, &e) == TEMPER_OK, "%s: %s", name, e.text)) return;
        CHECK(temper_gallery_oracle(&accept, name, word, n, &e) == TEMPER_OK &&
                  accept == temper_run_about(run).accept,
              "%s: the exact run and the oracle differ on a string of length %zu", name, n);
        temper_run_free(run);
    }
}

int main(void) {
    test_random r = test_seed(4002);
    soft_totals sum = {0};
    temper_error e;
    for (size_t k = 0; k < temper_gallery_count(); k++) {
        temper_gallery_info about;
        temper_model *hard;
        if (!CHECK(temper_gallery_about(&about, k, &e) == TEMPER_OK, "%s", e.text)) continue;
        if (!CHECK(temper_gallery_model(&hard, about.name, &e) == TEMPER_OK, "%s", e.text)) continue;
        check_hard(&sum, about.name, hard, &r);
        bool tied = strstr(about.class_name, "tied") != NULL;
        for (int kind = 0; kind < 3; kind++) {
            temper_soften_options o = {.method = kind == 1 ? TEMPER_METHOD_POSITIONS : TEMPER_METHOD_TEMPERATURE,
                                       .length = kind == 2 ? 8 : 12,
                                       .adaptive = kind == 2};
            bool proved = soft_agree(&sum, about.name, hard, &o, all_length(hard), 10, &r);
            CHECK(proved || tied || o.adaptive, "%s is not proved for length %zu", about.name, o.length);
        }
        temper_soften_options far = {.method = TEMPER_METHOD_TEMPERATURE, .length = test_effort() < 1 ? 20 : 60};
        soft_agree(&sum, about.name, hard, &far, 1, 6, &r);
        far.length = all_length(hard) - 1;
        far.gap = TEMPER_GAP_EXHAUSTIVE;
        CHECK(soft_agree(&sum, about.name, hard, &far, far.length, 0, &r),
              "%s is not proved exhaustively for length %zu", about.name, far.length);
        temper_model_free(hard);
    }
    soft_totals_print("gallery", &sum);
    return test_finish("t-soften-gallery");
}
