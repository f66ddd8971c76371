/* A dense run in the compiler's own number types, as plain as can be: what the dense pass emulates. Included once
   for each pair of formats, with RUN (the name), STORE(x) (to the storage format), REAL (a type that sums are made
   in), SUM(x) (to the accumulation format, if REAL is not that already) and EXP(x). No adaptive heads. `tile` is
   the number of keys of a tile, or 0. */
static REAL RUN(_row)(const model_rows *rows, size_t row, const REAL *x) {
    REAL sum = 0;
    for (uint32_t k = rows->start[row]; k < rows->start[row + 1]; k++) {
        REAL product = SUM(STORE(rows->terms[k].weight) * x[rows->terms[k].channel]);
        sum = SUM(sum + product);
    }
    return sum;
}

static void RUN(_scatter)(REAL *delta, const model_rows *rows, size_t row, REAL value) {
    for (uint32_t k = rows->start[row]; k < rows->start[row + 1]; k++) {
        REAL product = SUM(STORE(rows->terms[k].weight) * value), *to = &delta[rows->terms[k].channel];
        *to = SUM(*to + product);
    }
}

static void RUN(_add)(REAL *x, const REAL *delta, size_t count) {
    for (size_t k = 0; k < count; k++) {
        REAL kept = STORE(delta[k]), sum = SUM(x[k] + kept);
        x[k] = STORE(sum);
    }
}

/* One row as the papers on fused attention have it: m, l and o, block by block; w are the logits, o the values' sums,
   not divided yet. The sum of the weights is returned. */
static REAL RUN(_blocks)(REAL *o, const REAL *w, const REAL *v, size_t vs, key_range keys, size_t tile) {
    REAL l = 0, m = -INFINITY, p[1024];
    for (size_t d = 0; d < vs; d++) o[d] = 0;
    for (size_t block = 0; block * tile < keys.end; block++) {
        REAL now = m, shift;
        for (size_t c = 0; c < tile; c++) { /* masked keys are -infinity */
            size_t j = block * tile + c;
            if (j >= keys.first && j < keys.end && w[j] > now) now = w[j];
        }
        shift = now == -INFINITY ? 0 : now;
        for (size_t c = 0; c < tile; c++) {
            size_t j = block * tile + c;
            REAL low = j >= keys.first && j < keys.end ? SUM(w[j] - shift) : -INFINITY;
            p[c] = EXP(low);
        }
        if (m != -INFINITY) {
            REAL low = SUM(m - now), factor = EXP(low);
            l = SUM(l * factor);
            for (size_t d = 0; d < vs; d++) o[d] = SUM(o[d] * factor);
        }
        for (size_t c = 0; c < tile; c++) l = SUM(l + p[c]);
        for (size_t d = 0; d < vs; d++)
            for (size_t c = 0; c < tile && block * tile + c < keys.end; c++) {
                REAL narrow = STORE(p[c]), product = SUM(narrow * v[(block * tile + c) * vs + d]);
                if (block * tile + c >= keys.first) o[d] = SUM(o[d] + product);
            }
        m = now;
    }
    return l;
}

static void RUN(_head)(const model_head *h, const REAL *x, REAL *delta, size_t n, size_t size, size_t channels,
                       bool hard, size_t tile) {
    size_t qs = h->query.count, vs = h->value.count;
    temper_choice choice = hard ? h->hard_choice : h->choice;
    REAL *q = calloc(size * qs + 1, sizeof *q), *k = calloc(size * qs + 1, sizeof *k);
    REAL *v = calloc(size * vs + 1, sizeof *v), *w = calloc(size, sizeof *w), scale = 1;
    REAL *o = calloc(vs + 1, sizeof *o);
    if (h->scale && choice == TEMPER_CHOICE_SOFTMAX)
        scale = SUM(expression_eval(h->scale, 0, (double)n, (double)size));
    for (size_t i = 0; i < size; i++) {
        for (size_t d = 0; d < qs; d++) q[i * qs + d] = STORE(RUN(_row)(&h->query, d, x + i * channels));
        for (size_t d = 0; d < qs; d++) k[i * qs + d] = STORE(RUN(_row)(&h->key, d, x + i * channels));
        for (size_t d = 0; d < vs; d++) v[i * vs + d] = STORE(RUN(_row)(&h->value, d, x + i * channels));
    }
    for (size_t i = 0; i < size; i++) {
        key_range keys = mask_keys(h->mask, i, size);
        if (keys.first >= keys.end) continue;
        REAL best = -INFINITY, total = 0;
        size_t first = SIZE_MAX, last = 0;
        for (size_t j = keys.first; j < keys.end; j++) {
            REAL sum = 0;
            for (size_t d = 0; d < qs; d++) {
                REAL product = SUM(q[i * qs + d] * k[j * qs + d]);
                sum = SUM(sum + product);
            }
            w[j] = SUM(sum * scale);
            if (w[j] > best) best = w[j];
        }
        if (tile && choice == TEMPER_CHOICE_SOFTMAX) {
            total = RUN(_blocks)(o, w, v, vs, keys, tile);
            for (size_t d = 0; d < vs; d++) {
                REAL quotient = SUM(o[d] / total);
                RUN(_scatter)(delta + i * channels, &h->output, d, STORE(quotient));
            }
            continue;
        }
        for (size_t j = keys.first; j < keys.end; j++)
            if (w[j] == best) {
                last = j;
                if (first == SIZE_MAX) first = j;
            }
        for (size_t j = keys.first; j < keys.end; j++) {
            REAL low = SUM(w[j] - best);
            w[j] = choice == TEMPER_CHOICE_SOFTMAX     ? EXP(low)
                   : choice == TEMPER_CHOICE_AVERAGE   ? low == 0
                   : choice == TEMPER_CHOICE_RIGHTMOST ? j == last
                                                       : j == first;
            total = SUM(total + w[j]);
        }
        for (size_t d = 0; d < vs; d++) {
            REAL sum = 0;
            for (size_t j = keys.first; j < keys.end; j++) {
                REAL narrow = STORE(w[j]), product = SUM(narrow * v[j * vs + d]);
                sum = SUM(sum + product);
            }
            REAL quotient = SUM(sum / total);
            RUN(_scatter)(delta + i * channels, &h->output, d, STORE(quotient));
        }
    }
    free(q);
    free(k);
    free(v);
    free(w);
    free(o);
}

/* out [N][channels] after the last layer, truth [N] */
static void RUN()(double *out, unsigned char *truth, const temper_model *m, const uint32_t *letters, size_t n,
                  bool hard, size_t tile) {
    size_t size = n + 1 + m->has_end, channels = m->channel_count;
    REAL *x = calloc(size * channels, sizeof *x), *delta = calloc(size * channels, sizeof *delta);
    for (size_t i = 0; i < size; i++) {
        for (size_t c = 0; c < channels; c++) {
            const expression *e = m->channels[c].position;
            if (e && !(hard && m->channels[c].soft_only))
                x[i * channels + c] = STORE(expression_eval(e, (double)i, (double)n, (double)size));
        }
        uint32_t token = position_token(m, letters, n, i);
        for (uint32_t k = m->embedding.start[token]; k < m->embedding.start[token + 1]; k++) {
            REAL *to = &x[i * channels + m->embedding.terms[k].channel], weight = STORE(m->embedding.terms[k].weight);
            REAL sum = SUM(*to + weight);
            *to = STORE(sum);
        }
    }
    for (uint32_t l = 0; l < m->layer_count; l++) {
        const model_layer *layer = &m->layers[l];
        memset(delta, 0, size * channels * sizeof *delta);
        for (uint32_t h = 0; h < layer->head_count; h++)
            RUN(_head)(&layer->heads[h], x, delta, n, size, channels, hard, tile);
        RUN(_add)(x, delta, size * channels);
        memset(delta, 0, size * channels * sizeof *delta);
        for (size_t i = 0; i < size; i++)
            for (uint32_t u = 0; u < layer->in.count; u++) {
                REAL sum = RUN(_row)(&layer->in, u, x + i * channels), bias = STORE(layer->bias[u]);
                sum = SUM(sum + bias);
                if (!(sum <= 0)) RUN(_scatter)(delta + i * channels, &layer->out, u, STORE(sum));
            }
        RUN(_add)(x, delta, size * channels);
    }
    for (size_t k = 0; k < size * channels; k++) out[k] = (double)x[k];
    for (size_t i = 0; i < size; i++) truth[i] = RUN(_row)(&m->read, 0, x + i * channels) > (REAL)0.5;
    free(x);
    free(delta);
}

#undef RUN
#undef STORE
#undef REAL
#undef SUM
#undef EXP
