/* An automaton as a picture: circles and curves, accepting states with a double line, the start with an arrow. Curves
   are drawn first, then states, then labels with a white edge, so that nothing hides a label. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/entry.h"
#include "draw/automaton_layout.h"
#include "draw/svg.h"

static const svg_colour dark = {0x22, 0x2b, 0x38}, line = {0x4a, 0x63, 0x7d}, fill = {0xf3, 0xf7, 0xfb},
                        accepting = {0xe3, 0xf1, 0xe6}, green = {0x1d, 0x6b, 0x3a}, grey = {0x77, 0x77, 0x77};
static const double arrow = 8.5, note_height = 26, note_size = 12;

static void put_point(text *t, char letter, point p) {
    text_putc(t, letter);
    svg_coordinate(t, p.x);
    text_putc(t, ' ');
    svg_coordinate(t, p.y);
}

/* A triangle whose tip is at `tip`, seen from `from`. */
static void draw_arrow(svg *s, arena *a, point from, point tip, svg_colour k) {
    double x = tip.x - from.x, y = tip.y - from.y, length = sqrt(x * x + y * y);
    point back = {tip.x - x / length * arrow, tip.y - y / length * arrow};
    double wide = 0.42 * arrow;
    point left = {back.x - y / length * wide, back.y + x / length * wide};
    point right = {back.x + y / length * wide, back.y - x / length * wide};
    text path;
    text_init(&path, a);
    put_point(&path, 'M', tip);
    put_point(&path, 'L', left);
    put_point(&path, 'L', right);
    text_putc(&path, 'Z');
    markup_open(s, "path");
    markup_string(s, "d", text_string(&path));
    svg_fill(s, k);
    svg_close(s);
}

static void draw_curve(svg *s, arena *a, const drawn_move *m) {
    bool loops = m->from == m->to;
    text path;
    text_init(&path, a);
    put_point(&path, 'M', m->start);
    put_point(&path, loops ? 'C' : 'Q', m->control);
    if (loops) put_point(&path, ' ', m->second);
    put_point(&path, ' ', m->end);
    markup_open(s, "path");
    markup_string(s, "d", text_string(&path));
    markup_string(s, "fill", "none");
    svg_stroke(s, line, 1.4);
    svg_close(s);
    draw_arrow(s, a, loops ? m->second : m->control, m->end, line);
}

static void draw_circle(svg *s, point at, double radius, svg_colour inside, svg_colour rim) {
    markup_open(s, "circle");
    svg_number(s, "cx", at.x);
    svg_number(s, "cy", at.y);
    svg_number(s, "r", radius);
    svg_fill(s, inside);
    svg_stroke(s, rim, 1.6);
    svg_close(s);
}

static void draw_state(svg *s, const temper_automaton *m, point at, uint32_t state) {
    bool accepts = m->d->accepts[state], dead = state == m->dead;
    char name[16];
    svg_colour rim = dead ? grey : accepts ? green : dark;
    draw_circle(s, at, state_radius, accepts ? accepting : fill, rim);
    if (accepts) draw_circle(s, at, state_radius - 4, accepting, rim);
    snprintf(name, sizeof name, "q%u", state);
    svg_label_open(s, at.x, at.y + 0.36 * label_size, label_size, "middle");
    svg_fill(s, dead ? grey : dark);
    markup_put(s, name);
    markup_close(s);
}

static void draw_label(svg *s, const drawn_move *m) {
    svg_label_open(s, m->label_at.x, m->label_at.y, label_size, "middle");
    svg_fill(s, dark);
    markup_string(s, "stroke", "#ffffff");
    svg_number(s, "stroke-width", 4);
    markup_string(s, "paint-order", "stroke");
    markup_string(s, "stroke-linejoin", "round");
    if (strcmp(m->shown, m->label) != 0) svg_title(s, m->label);
    markup_put(s, m->shown);
    markup_close(s);
}

static void draw_note(svg *s, const temper_automaton *m, const automaton_layout *l) {
    char note[120];
    if (m->dead == UINT32_MAX || m->dead == m->d->start) return;
    snprintf(note, sizeof note, "Moves that are not drawn lead to q%u, from which nothing is accepted.", m->dead);
    svg_label_open(s, 12, l->height + 6, note_size, "start");
    svg_fill(s, grey);
    markup_put(s, note);
    markup_close(s);
}

typedef struct draw_call {
    char **out;
    const temper_automaton *automaton;
} draw_call;

static void draw(entry *e, void *context) {
    const draw_call *c = context;
    const temper_automaton *m = c->automaton;
    automaton_layout l;
    svg s;
    if (m->d->state_count > DRAWN_STATES)
        trap_raise_hint(e->trap, TEMPER_LIMIT, 0, 0, "as a table or for Graphviz it has no limit",
                        "a picture has at most %d states, and this automaton has %u", DRAWN_STATES,
                        m->d->state_count);
    automaton_layout_make(&l, m, &e->memory);
    bool has_note = m->dead != UINT32_MAX && m->dead != m->d->start;
    double width = has_note && l.width < 420 ? 420 : l.width;
    svg_begin(&s, &e->scratch, width, l.height + (has_note ? note_height : 0), "The minimal automaton");
    for (size_t k = 0; k < l.move_count; k++) draw_curve(&s, &e->memory, &l.moves[k]);
    point start = l.states[m->d->start], from = {start.x - 2 * state_radius - 8, start.y},
          tip = {start.x - state_radius - 2, start.y};
    drawn_move begin = {.from = 0, .to = 1, .start = from, .control = {(from.x + tip.x) / 2, tip.y}, .end = tip};
    draw_curve(&s, &e->memory, &begin);
    for (uint32_t k = 0; k < l.state_count; k++)
        if (l.is_drawn[k]) draw_state(&s, m, l.states[k], k);
    for (size_t k = 0; k < l.move_count; k++) draw_label(&s, &l.moves[k]);
    draw_note(&s, m, &l);
    const char *done = svg_finish(&s);
    *c->out = entry_hand_out(e, done, strlen(done));
}

temper_status temper_draw_automaton(char **out, const temper_automaton *automaton, temper_error *err) {
    draw_call call = {out, automaton};
    *out = NULL;
    return entry_run(err, draw, &call);
}
