#include "draw/automaton_layout.h"

#include <math.h>
#include <string.h>

#include "automata/dfa_table.h"
#include "draw/label.h"

static const double column_gap = 96, row_gap = 112, edge = 30, loop_height = 54;

static const double label_ems_most = 12;

/* ---- columns and rows ---- */

typedef struct grid {
    const dfa *d;
    const automaton_layout *l;
    uint32_t *column; /* of a state: letters that it takes to reach it */
    uint32_t column_count;
    uint32_t *members; /* states by columns */
    uint32_t *first;   /* [column_count + 1] into members */
    double *height;    /* of a state: rows, 0 is the middle */
} grid;

/* Members of each column, in the order of being reached; columns without members are left out. */
static void list_columns(grid *g, const uint32_t *order, uint32_t count, arena *a) {
    uint32_t n = g->d->state_count, listed = 0;
    g->members = arena_alloc(a, n, sizeof *g->members);
    g->first = arena_alloc(a, (size_t)n + 2, sizeof *g->first);
    g->height = arena_zalloc(a, n, sizeof *g->height);
    for (uint32_t column = 0; listed < count; column++) {
        uint32_t before = listed;
        for (uint32_t k = 0; k < count; k++)
            if (g->column[order[k]] == column) g->members[listed++] = order[k];
        if (listed == before) continue;
        for (uint32_t k = before; k < listed; k++) g->column[g->members[k]] = g->column_count;
        g->first[g->column_count++] = before;
    }
    g->first[g->column_count] = listed;
}

/* Columns by the number of letters that it takes to reach a state; then states from which there is no way back
   move to the right of those that lead to them. */
static void find_columns(grid *g, arena *a) {
    const dfa *d = g->d;
    uint32_t n = d->state_count, count = 0, *order = arena_alloc(a, n, sizeof *order);
    g->column = arena_alloc(a, n, sizeof *g->column);
    for (uint32_t s = 0; s < n; s++) g->column[s] = UINT32_MAX;
    g->column[order[count++] = d->start] = 0;
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t c = 0; c < d->class_count; c++) {
            uint32_t to = dfa_next(d, order[k], c);
            if (g->column[to] != UINT32_MAX || !g->l->is_drawn[to]) continue;
            g->column[to] = g->column[order[k]] + 1;
            order[count++] = to;
        }
    bool *back = arena_alloc(a, (size_t)n * n, sizeof *back); /* back[s * n + t]: from t to s there is a way */
    for (size_t k = 0; k < (size_t)n * n; k++) back[k] = false;
    for (uint32_t s = 0; s < n; s++)
        for (uint32_t c = 0; c < d->class_count; c++) back[(size_t)dfa_next(d, s, c) * n + s] = true;
    for (uint32_t by = 0; by < n; by++)
        for (uint32_t s = 0; s < n; s++)
            for (uint32_t t = 0; back[(size_t)s * n + by] && t < n; t++)
                back[(size_t)s * n + t] |= back[(size_t)by * n + t];
    for (bool more = true; more;) {
        more = false;
        for (uint32_t k = 0; k < count; k++)
            for (uint32_t c = 0; c < d->class_count; c++) {
                uint32_t from = order[k], to = dfa_next(d, from, c);
                if (!g->l->is_drawn[to] || to == from || back[(size_t)from * n + to]) continue;
                if (g->column[to] > g->column[from]) continue;
                g->column[to] = g->column[from] + 1;
                more = true;
            }
    }
    list_columns(g, order, count, a);
}

/* The mean height of the neighbours in columns to the left, or to the right. */
static double wanted_height(const grid *g, uint32_t state, bool left) {
    const dfa *d = g->d;
    double sum = 0;
    unsigned count = 0;
    for (uint32_t other = 0; other < d->state_count; other++) {
        if (!g->l->is_drawn[other] ||
            (left ? g->column[other] >= g->column[state] : g->column[other] <= g->column[state]))
            continue;
        for (uint32_t c = 0; c < d->class_count; c++)
            if (dfa_next(d, other, c) == state || dfa_next(d, state, c) == other) {
                sum += g->height[other];
                count++;
                break;
            }
    }
    return count ? sum / count : g->height[state];
}

/* States of a column in the order of their wishes, a row apart. */
static void settle_column(grid *g, uint32_t column, bool left, double *wish) {
    uint32_t *list = g->members + g->first[column], size = g->first[column + 1] - g->first[column];
    for (uint32_t k = 0; k < size; k++) wish[list[k]] = wanted_height(g, list[k], left);
    for (uint32_t k = 1; k < size; k++) /* insertion keeps the order of equal wishes */
        for (uint32_t i = k; i > 0 && wish[list[i]] < wish[list[i - 1]]; i--) {
            uint32_t held = list[i];
            list[i] = list[i - 1];
            list[i - 1] = held;
        }
    for (uint32_t k = 0; k < size; k++) g->height[list[k]] = k - (size - 1) / 2.0;
}

static void find_rows(grid *g, arena *a) {
    double *wish = arena_alloc(a, g->d->state_count, sizeof *wish);
    for (int sweep = 0; sweep < 4; sweep++)
        for (uint32_t k = 0; k < g->column_count; k++)
            settle_column(g, sweep % 2 ? g->column_count - 1 - k : k, sweep % 2 == 0, wish);
}

/* ---- moves ---- */

static void make_label(drawn_move *m, const temper_automaton *of, arena *a) {
    text t;
    text_init(&t, a);
    dfa_print_label(&t, of->d, &of->letters, m->from, m->to);
    m->label = text_string(&t);
    m->shown = label_cut(a, m->label, label_ems_most, label_ems, "...");
}

static void find_moves(automaton_layout *l, const temper_automaton *m, arena *a) {
    const dfa *d = m->d;
    bool *met = arena_alloc(a, d->state_count, sizeof *met);
    for (uint32_t s = 0; s < d->state_count; s++) {
        if (!l->is_drawn[s]) continue;
        memset(met, 0, d->state_count * sizeof *met);
        for (uint32_t c = 0; c < d->class_count; c++) {
            uint32_t to = dfa_next(d, s, c);
            if (met[to] || !l->is_drawn[to]) continue;
            met[to] = true;
            drawn_move made = {.from = s, .to = to};
            make_label(&made, m, a);
            array_push(a, l->moves, l->move_count, l->move_capacity, made);
        }
    }
}

static double width_of(const char *label) { return label_size * label_width(label, label_ems); }

static bool has_move(const dfa *d, uint32_t from, uint32_t to) {
    for (uint32_t c = 0; c < d->class_count; c++)
        if (dfa_next(d, from, c) == to) return true;
    return false;
}

/* The point at `distance` from p towards q. */
static point towards(point p, point q, double distance) {
    double x = q.x - p.x, y = q.y - p.y, length = sqrt(x * x + y * y);
    return (point){p.x + x / length * distance, p.y + y / length * distance};
}

static void place_loop(drawn_move *m, const automaton_layout *l) {
    point p = l->states[m->from];
    m->start = (point){p.x - 9, p.y - state_radius + 2};
    m->end = (point){p.x + 9, p.y - state_radius - 1};
    m->control = (point){p.x - 26, p.y - state_radius - loop_height};
    m->second = (point){p.x + 26, p.y - state_radius - loop_height};
    m->label_at = (point){p.x, p.y - state_radius - 0.75 * loop_height - 6};
}

/* How far a curve swings out: not at all between neighbours with one move, more the longer it is. Moves to the
   right go over the states between, moves to the left under them. */
static double swing(const drawn_move *m, const grid *g) {
    uint32_t from = g->column[m->from], to = g->column[m->to];
    point p = g->l->states[m->from], q = g->l->states[m->to];
    double length = sqrt((q.x - p.x) * (q.x - p.x) + (q.y - p.y) * (q.y - p.y));
    if (to == from + 1) return has_move(g->d, m->to, m->from) ? 34 : 0;
    if (to == from) return 40 + 0.1 * length;
    return to > from ? 150 + 0.08 * length : 30 + 0.24 * length; /* over loops; there are none below */
}

static void place_curve(drawn_move *m, const grid *g) {
    point p = g->l->states[m->from], q = g->l->states[m->to];
    double x = q.x - p.x, y = q.y - p.y, length = sqrt(x * x + y * y), out = swing(m, g);
    point normal = {y / length, -x / length}; /* to the left of the way: up, if it goes to the right */
    m->control = (point){(p.x + q.x) / 2 + normal.x * out, (p.y + q.y) / 2 + normal.y * out};
    m->start = towards(p, m->control, state_radius);
    m->end = towards(q, m->control, state_radius + 2);
    point middle = {(m->start.x + 2 * m->control.x + m->end.x) / 4, (m->start.y + 2 * m->control.y + m->end.y) / 4};
    double off = 12 + fabs(normal.x) * width_of(m->shown) / 2;
    m->label_at = (point){middle.x + normal.x * off, middle.y + normal.y * off + 0.35 * label_size};
}

/* ---- the page ---- */

typedef struct box {
    double left, right, top, bottom;
} box;

static void include(box *b, double x, double y, double half_width, double half_height) {
    b->left = fmin(b->left, x - half_width);
    b->right = fmax(b->right, x + half_width);
    b->top = fmin(b->top, y - half_height);
    b->bottom = fmax(b->bottom, y + half_height);
}

static void shift(point *p, const box *b) {
    p->x += edge - b->left;
    p->y += edge - b->top;
}

/* Everything is moved so that the picture begins at the page's edge. */
static void fit_page(automaton_layout *l) {
    box b = {0, 0, 0, 0};
    for (uint32_t s = 0; s < l->state_count; s++)
        if (l->is_drawn[s]) include(&b, l->states[s].x, l->states[s].y, state_radius, state_radius);
    include(&b, l->states[0].x - 2 * state_radius - 8, l->states[0].y, 0, 0); /* the arrow that begins */
    for (size_t k = 0; k < l->move_count; k++) {
        const drawn_move *m = &l->moves[k];
        bool loops = m->from == m->to;
        point middle = {(m->start.x + 2 * m->control.x + m->end.x) / 4,
                        (m->start.y + 2 * m->control.y + m->end.y) / 4};
        if (!loops) include(&b, middle.x, middle.y, 0, 0);
        include(&b, m->label_at.x, m->label_at.y, width_of(m->shown) / 2, label_size);
    }
    for (uint32_t s = 0; s < l->state_count; s++) shift(&l->states[s], &b);
    for (size_t k = 0; k < l->move_count; k++) {
        drawn_move *m = &l->moves[k];
        point *all[] = {&m->start, &m->control, &m->second, &m->end, &m->label_at};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) shift(all[i], &b);
    }
    l->width = b.right - b.left + 2 * edge;
    l->height = b.bottom - b.top + 2 * edge;
}

/* A gap is as wide as the widest label that stands in it. */
static void place_states(automaton_layout *l, const grid *g) {
    double x = 0;
    for (uint32_t k = 0; k < g->column_count; k++) {
        double widest = 0;
        for (uint32_t i = g->first[k]; i < g->first[k + 1]; i++)
            l->states[g->members[i]] = (point){x, g->height[g->members[i]] * row_gap};
        for (size_t i = 0; i < l->move_count; i++) {
            uint32_t from = g->column[l->moves[i].from], to = g->column[l->moves[i].to];
            if ((from == k && to == k + 1) || (from == k + 1 && to == k))
                widest = fmax(widest, width_of(l->moves[i].shown));
        }
        x += fmax(column_gap, widest + 34) + 2 * state_radius - 20;
    }
}

void automaton_layout_make(automaton_layout *out, const temper_automaton *m, arena *a) {
    const dfa *d = m->d;
    grid g = {.d = d, .l = out};
    *out = (automaton_layout){.state_count = d->state_count};
    out->is_drawn = arena_alloc(a, d->state_count, sizeof *out->is_drawn);
    out->states = arena_zalloc(a, d->state_count, sizeof *out->states);
    for (uint32_t s = 0; s < d->state_count; s++) out->is_drawn[s] = s != m->dead || s == d->start;
    find_columns(&g, a);
    find_rows(&g, a);
    find_moves(out, m, a);
    place_states(out, &g);
    for (size_t k = 0; k < out->move_count; k++) {
        if (out->moves[k].from == out->moves[k].to)
            place_loop(&out->moves[k], out);
        else
            place_curve(&out->moves[k], &g);
    }
    fit_page(out);
}
