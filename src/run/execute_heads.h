/* Part of execute_impl.h: how each plan takes a tile of keys and gives a tile of outputs. It is no header of its own. */
/* ---- heads on tiles: r->q, k, v hold the tile in the head's order; r->out receives [value][count] ---- */

static void uniform_tile(runner *r, head_state *s, size_t width, size_t count) {
    for (size_t d = 0; d < width; d++) {
        REAL sum = s->sums[d];
        const REAL *v = r->v + d * r->tile;
        REAL *out = r->out + d * r->tile;
        for (size_t i = 0; i < count; i++) {
            size_t keys = s->seen + i + !s->exclusive;
            if (s->exclusive) out[i] = keys ? sum / (REAL)keys : 0;
            sum += v[i];
            if (!s->exclusive) out[i] = sum / (REAL)keys;
        }
        s->sums[d] = sum;
    }
    s->seen += count;
}

/* Leftmost or rightmost of equal scores: the first or the last key in the head's order, which is mirrored when it looks
   forward. */
static bool takes_last(const head_state *s) { return (s->choice == TEMPER_CHOICE_RIGHTMOST) != s->forward; }

static void hard_scan_tile(runner *r, head_state *s, size_t width, size_t count) {
    bool average = s->choice == TEMPER_CHOICE_AVERAGE, last = takes_last(s);
    for (size_t i = 0; i < count; i++) {
        for (int step = 0; step < 2; step++) {
            if ((step == 0) == s->exclusive) { /* read before or after taking key i in */
                for (size_t d = 0; d < width; d++) r->out[d * r->tile + i] = s->seen ? s->sums[d] / s->best_count : 0;
                continue;
            }
            REAL score = r->logits[i];
            if (s->seen == 0 || score > s->best || (score == s->best && !average && last)) {
                s->best = score;
                s->best_count = 1;
                for (size_t d = 0; d < width; d++) s->sums[d] = r->v[d * r->tile + i];
            } else if (score == s->best && average) {
                s->best_count += 1;
                for (size_t d = 0; d < width; d++) s->sums[d] += r->v[d * r->tile + i];
            }
            s->seen++;
        }
    }
}

/* scores = constant query times key */
WIDE static void constant_scores(runner *r, const model_head *h, size_t count) {
    for (size_t i = 0; i < count; i++) r->logits[i] = 0;
    for (uint32_t d = 0; d < h->query.count; d++) {
        REAL q = r->q[d * r->tile];
        for (size_t i = 0; i < count; i++) r->logits[i] += q * r->k[d * r->tile + i];
    }
}

static void scan_tile(runner *r, head_state *s, const model_head *h, size_t count) {
    constant_scores(r, h, count);
    if (s->choice != TEMPER_CHOICE_SOFTMAX) {
        hard_scan_tile(r, s, h->value.count, count);
        return;
    }
    for (size_t i = 0; i < count; i++) r->logits[i] *= s->scale;
    r->e->kernels->KERNEL_SCAN(&s->scan, r->out, r->logits, r->v, r->tile, count, h->value.count, s->exclusive);
}

/* Takes key i in: one of the few, or one more zero. False if there are more than two that are not zero. */
static bool take_key(runner *r, head_state *s, const model_head *h, size_t i) {
    size_t qs = h->query.count, vs = h->value.count;
    bool zero = true;
    for (size_t d = 0; d < qs; d++) zero = zero && r->k[d * r->tile + i] == 0;
    s->seen++;
    if (zero) {
        for (size_t d = 0; d < vs; d++) s->sums[d] += r->v[d * r->tile + i];
        return true;
    }
    if (s->live == 2) return false;
    for (size_t d = 0; d < qs; d++) s->live_keys[s->live * qs + d] = r->k[d * r->tile + i];
    for (size_t d = 0; d < vs; d++) s->live_values[s->live * vs + d] = r->v[d * r->tile + i];
    s->live++;
    return true;
}

static REAL live_score(const runner *r, const head_state *s, size_t qs, size_t which, size_t i) {
    REAL dot = 0;
    for (size_t d = 0; d < qs; d++) dot += r->q[d * r->tile + i] * s->live_keys[which * qs + d];
    return dot;
}

/* Row i over the keys of the state, the live ones by their scores, all others with score 0: what must be exponentiated, and
   the sums of the others as they are now. */
static void few_keys_row(runner *r, head_state *s, const model_head *h, size_t i) {
    size_t zeros = s->seen - s->live;
    REAL best = zeros ? 0 : -INFINITY, score[2] = {-INFINITY, -INFINITY};
    for (size_t l = 0; l < s->live; l++) {
        score[l] = live_score(r, s, h->query.count, l, i) * s->scale;
        if (score[l] > best) best = score[l];
    }
    for (size_t l = 0; l < 2; l++) r->few[l * r->tile + i] = l < s->live ? score[l] - best : -INFINITY;
    r->few[2 * r->tile + i] = zeros ? 0 - best : -INFINITY;
    r->zeros[i] = (REAL)zeros;
    for (size_t d = 0; d < h->value.count; d++) r->out[d * r->tile + i] = s->sums[d];
}

static void few_keys_weights(runner *r, const head_state *s, size_t count) {
    for (size_t l = 0; l < 3; l++) {
        REAL *w = r->few + l * r->tile;
        if (s->choice == TEMPER_CHOICE_SOFTMAX)
            r->e->kernels->KERNEL_EXP(w, w, count);
        else
            for (size_t i = 0; i < count; i++) w[i] = w[i] == 0;
    }
}

static bool few_keys_tile(runner *r, head_state *s, const model_head *h, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (s->exclusive) few_keys_row(r, s, h, i);
        if (!take_key(r, s, h, i)) return false;
        if (!s->exclusive) few_keys_row(r, s, h, i);
    }
    few_keys_weights(r, s, count);
    const REAL *w0 = r->few, *w1 = r->few + r->tile, *wz = r->few + 2 * r->tile;
    size_t vs = h->value.count;
    for (size_t d = 0; d < vs; d++) {
        REAL v0 = s->live_values[d], v1 = s->live_values[vs + d], *out = r->out + d * r->tile;
        for (size_t i = 0; i < count; i++) {
            REAL total = w0[i] + w1[i] + wz[i] * r->zeros[i];
            out[i] = total > 0 ? (w0[i] * v0 + w1[i] * v1 + wz[i] * out[i]) / total : 0;
        }
    }
    return true;
}

/* ---- peaked heads: keys (k0, k1) with k0 increasing and k1 convex over k0; for a query with q1 < 0 the score is concave ---- */

static REAL peak_score(const runner *r, const head_state *s, size_t i, size_t j) {
    return r->q[i] * s->keys[j] + r->q[r->tile + i] * s->keys[r->size + j];
}

/* Keeps keys in convex position; false if the newest breaks it. */
static bool take_peak_key(runner *r, head_state *s, size_t width, size_t i) {
    size_t j = s->seen++;
    REAL *k0 = s->keys, *k1 = s->keys + r->size;
    k0[j] = r->k[i];
    k1[j] = r->k[r->tile + i];
    for (size_t d = 0; d < width; d++) s->values[d * r->size + j] = r->v[d * r->tile + i];
    if (j < 1) return true;
    if (!(k0[j] > k0[j - 1])) return false;
    return j < 2 || (k1[j] - k1[j - 1]) * (k0[j - 1] - k0[j - 2]) > (k1[j - 1] - k1[j - 2]) * (k0[j] - k0[j - 1]);
}

/* The best key: a walk from the last row's peak, which has rarely moved far; else a bisection of the slopes. */
static size_t find_peak(const runner *r, head_state *s, size_t i) {
    size_t j = s->peak, last = s->seen - 1;
    if (j > last) j = last;
    for (int step = 0; step < 8; step++) {
        if (j < last && peak_score(r, s, i, j + 1) > peak_score(r, s, i, j))
            j++;
        else if (j > 0 && peak_score(r, s, i, j - 1) > peak_score(r, s, i, j))
            j--;
        else
            return j;
    }
    size_t lo = 0, hi = last; /* the peak is in lo..hi */
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (peak_score(r, s, i, mid + 1) > peak_score(r, s, i, mid))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

enum { WINDOW = 4096 };

/* Only keys within TAIL + ln N of the peak's logit can change the result. */
static bool peaked_row(runner *r, head_state *s, const model_head *h, size_t i, double reach) {
    size_t width = h->value.count;
    if (s->seen == 0) {
        for (size_t d = 0; d < width; d++) r->out[d * r->tile + i] = 0;
        return true;
    }
    if (!(r->q[r->tile + i] < 0)) return false;
    size_t peak = s->peak = find_peak(r, s, i), first = peak, end = peak + 1;
    REAL best = peak_score(r, s, i, peak) * s->scale, weights[WINDOW], total = 0;
    while (first > 0 && best - peak_score(r, s, i, first - 1) * s->scale <= reach) first--;
    while (end < s->seen && best - peak_score(r, s, i, end) * s->scale <= reach) end++;
    if (end - first > WINDOW) return false;
    for (size_t j = first; j < end; j++) weights[j - first] = peak_score(r, s, i, j) * s->scale - best;
    if (s->choice == TEMPER_CHOICE_SOFTMAX)
        r->e->kernels->KERNEL_EXP(weights, weights, end - first);
    else
        for (size_t j = 0; j < end - first; j++) weights[j] = weights[j] == 0;
    for (size_t j = 0; j < end - first; j++) total += weights[j];
    for (size_t d = 0; d < width; d++) {
        REAL sum = 0;
        for (size_t j = first; j < end; j++) sum += weights[j - first] * s->values[d * r->size + j];
        r->out[d * r->tile + i] = sum / total;
    }
    return true;
}

static bool peaked_tile(runner *r, head_state *s, const model_head *h, size_t count) {
    double reach = s->choice == TEMPER_CHOICE_SOFTMAX ? TAIL_LOGIT + log((double)r->size) : 0;
    for (size_t i = 0; i < count; i++) {
        if (s->exclusive && !peaked_row(r, s, h, i, reach)) return false;
        if (!take_peak_key(r, s, h->value.count, i)) return false;
        if (!s->exclusive && !peaked_row(r, s, h, i, reach)) return false;
    }
    return true;
}
