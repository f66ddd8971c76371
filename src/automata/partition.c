#include "automata/partition.h"

#include <string.h>

/* Blocks are ranges of `members`: [first, end), the marked ones in front. A splitter is a block and a move. */
typedef struct partition {
    uint32_t states, moves, blocks;
    uint32_t *members, *place, *block; /* members[place[s]] = s, and the block of s */
    uint32_t *first, *end, *marked;    /* per block */
    uint32_t *sources, *source_start;  /* sources of move m into s: sources[source_start[m * (states + 1) + s] ..] */
    uint32_t *waiting;                 /* splitters: block * moves + move */
    size_t waiting_count;
    uint32_t *touched;
} partition;

static void push_splitter(partition *p, uint32_t block, uint32_t move) {
    p->waiting[2 * p->waiting_count] = block;
    p->waiting[2 * p->waiting_count + 1] = move;
    p->waiting_count++;
}

/* For each move the states sorted by where the move leads. */
static void find_sources(partition *p, const uint32_t *next, arena *scratch) {
    size_t row = (size_t)p->states + 1;
    p->sources = arena_alloc(scratch, (size_t)p->moves * p->states, sizeof *p->sources);
    p->source_start = arena_zalloc(scratch, p->moves * row, sizeof *p->source_start);
    for (uint32_t m = 0; m < p->moves; m++) {
        uint32_t *start = p->source_start + m * row, *list = p->sources + (size_t)m * p->states;
        for (uint32_t s = 0; s < p->states; s++) start[next[(size_t)s * p->moves + m] + 1]++;
        for (uint32_t s = 0; s < p->states; s++) start[s + 1] += start[s];
        for (uint32_t s = p->states; s-- > 0;) list[--start[next[(size_t)s * p->moves + m] + 1]] = s;
        /* now start[t + 1] is where the sources of t begin */
        memmove(start, start + 1, p->states * sizeof *start);
        start[p->states] = p->states;
    }
}

static void begin_blocks(partition *p, const uint32_t *colour, arena *scratch) {
    uint32_t n = p->states;
    uint32_t *count = arena_zalloc(scratch, (size_t)n + 1, sizeof *count);
    uint32_t *name = arena_alloc(scratch, n, sizeof *name); /* colours that are used, numbered */
    for (uint32_t s = 0; s < n; s++) count[colour[s]]++;
    uint32_t at = 0;
    for (uint32_t c = 0; c < n; c++) {
        if (!count[c]) continue;
        name[c] = p->blocks;
        p->first[p->blocks] = p->end[p->blocks] = at;
        at += count[c];
        p->blocks++;
    }
    for (uint32_t s = 0; s < n; s++) {
        uint32_t b = name[colour[s]];
        p->block[s] = b;
        p->place[s] = p->end[b];
        p->members[p->end[b]++] = s;
    }
}

static void mark(partition *p, uint32_t s, uint32_t *touched_count) {
    uint32_t b = p->block[s], at = p->place[s], front = p->first[b] + p->marked[b];
    if (at < front) return;
    uint32_t other = p->members[front];
    p->members[at] = other;
    p->place[other] = at;
    p->members[front] = s;
    p->place[s] = front;
    if (!p->marked[b]++) p->touched[(*touched_count)++] = b;
}

/* The smaller half becomes the new block. A splitter that waits must go on waiting for both halves; otherwise the
   smaller half is enough. */
static void split(partition *p, uint32_t b) {
    uint32_t size = p->end[b] - p->first[b], marked = p->marked[b], made = p->blocks;
    p->marked[b] = 0;
    if (marked == size) return;
    if (marked <= size - marked) {
        p->first[made] = p->first[b];
        p->end[made] = p->first[b] += marked;
    } else {
        p->first[made] = p->first[b] + marked;
        p->end[made] = p->end[b];
        p->end[b] = p->first[made];
    }
    p->marked[made] = 0;
    for (uint32_t k = p->first[made]; k < p->end[made]; k++) p->block[p->members[k]] = made;
    p->blocks++;
    for (uint32_t m = 0; m < p->moves; m++) push_splitter(p, made, m);
}

uint32_t partition_refine(uint32_t *colour, const uint32_t *next, uint32_t states, uint32_t moves, arena *scratch) {
    partition p = {.states = states, .moves = moves};
    uint32_t **per_state[] = {&p.members, &p.place, &p.block, &p.first, &p.end, &p.touched};
    for (size_t k = 0; k < sizeof per_state / sizeof *per_state; k++)
        *per_state[k] = arena_alloc(scratch, states, sizeof **per_state[k]);
    p.marked = arena_zalloc(scratch, states, sizeof *p.marked);
    p.waiting = arena_alloc(scratch, (size_t)states * moves, 2 * sizeof *p.waiting);
    uint32_t *inside = arena_alloc(scratch, states, sizeof *inside);
    find_sources(&p, next, scratch);
    begin_blocks(&p, colour, scratch);
    for (uint32_t b = 0; b < p.blocks; b++)
        for (uint32_t m = 0; m < moves; m++) push_splitter(&p, b, m);
    while (p.waiting_count) {
        p.waiting_count--;
        uint32_t b = p.waiting[2 * p.waiting_count], m = p.waiting[2 * p.waiting_count + 1];
        uint32_t size = p.end[b] - p.first[b], touched = 0;
        const uint32_t *start = p.source_start + (size_t)m * ((size_t)states + 1);
        memcpy(inside, p.members + p.first[b], size * sizeof *inside); /* marking moves members of b itself */
        for (uint32_t k = 0; k < size; k++)
            for (uint32_t at = start[inside[k]]; at < start[inside[k] + 1]; at++)
                mark(&p, p.sources[(size_t)m * states + at], &touched);
        for (uint32_t k = 0; k < touched; k++) split(&p, p.touched[k]);
    }
    uint32_t named = 0;
    for (uint32_t b = 0; b < p.blocks; b++) p.place[b] = UINT32_MAX;
    for (uint32_t s = 0; s < states; s++) {
        uint32_t *name = &p.place[p.block[s]];
        if (*name == UINT32_MAX) *name = named++;
        colour[s] = *name;
    }
    return named;
}
