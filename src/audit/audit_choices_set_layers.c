/* Rule 3 of doc/certificate.md, "Facts about the hard model", where one component t of the query varies: the score of
   a key is a line A + tB. The best one lies on the upper convex layer of the points (B, A), with all points on its
   edges; the next different one beside it on that layer, or on the layer below, which tops everything else. */
#include "audit/audit_choices_set_run.h"

typedef __int128 wide;

/* Keys of one slope B: those with the largest A, and the next A. */
typedef struct layer_point {
    int64_t slope, top, second;
    bool has_second, outer; /* outer: on the first layer */
    size_t count;           /* keys at the top */
    uint8_t wins;
} layer_point;

typedef struct layer {
    size_t *at; /* points, by ascending slope */
    size_t count, here;
    bool lower; /* the second layer: points of the first one count with their second A */
} layer;

static int64_t height_of(const set_head *h, const query_values *q, uint32_t varies, size_t j) {
    int64_t a = 0;
    for (uint32_t d = 0; d < h->d; d++)
        if (d != varies) a += q[d].first * h->whole_keys[j * h->d + d];
    return a;
}

/* Whether slopes never fall (1) or never rise (-1) along the row; 0: neither. */
static int direction(const set_head *h, uint32_t varies, key_range keys) {
    bool up = true, down = true;
    for (size_t j = keys.first + 1; j < keys.end && (up || down); j++) {
        int64_t before = h->whole_keys[(j - 1) * h->d + varies], now = h->whole_keys[j * h->d + varies];
        up = up && now >= before;
        down = down && now <= before;
    }
    return up ? 1 : down ? -1 : 0;
}

/* The points by ascending slope; of each key its point. */
static size_t make_points(set_run *s, const set_row *row, const query_values *q, uint32_t varies, int way) {
    const set_head *h = s->head;
    size_t count = 0;
    for (size_t k = 0; k < row->keys.end - row->keys.first; k++) {
        size_t j = way > 0 ? row->keys.first + k : row->keys.end - 1 - k;
        int64_t slope = h->whole_keys[j * h->d + varies], a = height_of(h, q, varies, j);
        layer_point *p = count ? &s->points[count - 1] : NULL;
        if (!p || p->slope != slope) {
            s->points[count] = (layer_point){.slope = slope, .top = a, .count = 1};
            count++;
        } else if (a == p->top) {
            p->count++;
        } else if (a > p->top) {
            p->second = p->top;
            p->has_second = true;
            p->top = a;
            p->count = 1;
        } else if (!p->has_second || a > p->second) {
            p->second = a;
            p->has_second = true;
        }
        s->point_of[j] = count - 1;
    }
    return count;
}

static int64_t level(const set_run *s, const layer *l, size_t k) {
    const layer_point *p = &s->points[l->at[k]];
    return l->lower && p->outer ? p->second : p->top;
}

/* Adds a point to the layer and drops those that it puts strictly below an edge. */
static void add_point(const set_run *s, layer *l, size_t point) {
    l->at[l->count++] = point;
    while (l->count > 2) {
        size_t last = l->count - 1;
        int64_t x0 = s->points[l->at[last - 2]].slope, x1 = s->points[l->at[last - 1]].slope,
                x2 = s->points[point].slope;
        int64_t y0 = level(s, l, last - 2), y1 = level(s, l, last - 1), y2 = level(s, l, last);
        if ((wide)(y1 - y0) * (x2 - x0) >= (wide)(y2 - y0) * (x1 - x0)) break;
        l->at[last - 1] = point;
        l->count--;
    }
}

static int64_t score_at(const set_run *s, const layer *l, size_t k, int64_t t) {
    return level(s, l, k) + t * s->points[l->at[k]].slope;
}

/* The best score of the layer at t, and the last of its points that has it. Winners move upward with t. */
static int64_t climb(const set_run *s, layer *l, int64_t t) {
    int64_t best = score_at(s, l, l->here, t), next;
    while (l->here + 1 < l->count && (next = score_at(s, l, l->here + 1, t)) >= best) best = next, l->here++;
    return best;
}

static void see_case(set_run *s, layer *upper, layer *lower, int64_t t, case_result *out) {
    int64_t best = climb(s, upper, t), next = 0;
    size_t last = upper->here, first = last, winners = 0;
    bool differs = false;
    while (first > 0 && score_at(s, upper, first - 1, t) == best) first--;
    for (size_t k = first; k <= last; k++) winners += s->points[upper->at[k]].count;
    for (size_t k = first; k <= last; k++) s->points[upper->at[k]].wins |= winners > 1 ? CASE_TIED : CASE_ALONE;
    if (winners > 1) out->single = false;
    if (first > 0) next = score_at(s, upper, first - 1, t), differs = true;
    if (last + 1 < upper->count) {
        int64_t beside = score_at(s, upper, last + 1, t);
        if (!differs || beside > next) next = beside;
        differs = true;
    }
    if (lower->count) {
        int64_t below = climb(s, lower, t);
        if (!differs || below > next) next = below;
        differs = true;
    }
    if (differs && (out->gap == 0 || best - next < out->gap)) out->gap = best - next;
}

bool set_layers(set_run *s, const set_row *row, const query_values *q, uint32_t varies, case_result *out) {
    int way = direction(s->head, varies, row->keys);
    if (way == 0) return false;
    size_t count = make_points(s, row, q, varies, way);
    layer upper = {.at = s->layers[0]}, lower = {.at = s->layers[1], .lower = true};
    for (size_t k = 0; k < count; k++) add_point(s, &upper, k);
    for (size_t k = 0; k < upper.count; k++) s->points[upper.at[k]].outer = true;
    for (size_t k = 0; k < count; k++)
        if (!s->points[k].outer || s->points[k].has_second) add_point(s, &lower, k);
    *out = (case_result){.single = true};
    for (int64_t k = 0; k < q[varies].count; k++)
        see_case(s, &upper, &lower, q[varies].first + k * q[varies].step, out);
    for (size_t j = row->keys.first; j < row->keys.end; j++) {
        const layer_point *p = &s->points[s->point_of[j]];
        s->mark[j] = p->wins && height_of(s->head, q, varies, j) == p->top ? p->wins : 0;
    }
    return true;
}

void set_layers_allocate(set_run *s, arena *a) {
    s->points = arena_zalloc(a, s->most, sizeof *s->points);
    s->layers[0] = arena_zalloc(a, s->most, sizeof(size_t));
    s->layers[1] = arena_zalloc(a, s->most, sizeof(size_t));
    s->point_of = arena_zalloc(a, s->most, sizeof(size_t));
}
