/* A scale as PyTorch code: the factor of every query row, and attention that multiplies by it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/print.h"
#include "base/entry.h"
#include "lab/schedules.h"
#include "temper_lab.h"

static void print(text *t, const expression *e, bool inner);

/* As few digits as read back to the same double. */
static void number(text *t, double x) {
    char digits[40];
    double back = NAN;
    for (int most = 1; most <= 17 && back != x; most++) {
        print_to(digits, sizeof digits, "%.*g", most, x);
        if (!text_to_double(&back, digits, strlen(digits))) back = NAN;
    }
    text_puts(t, digits);
}

static void call(text *t, const char *name, const expression *e) {
    text_printf(t, "%s(T(", name);
    print(t, e->a, false);
    if (e->b) text_puts(t, "), T("), print(t, e->b, false);
    text_puts(t, "))");
}

static void infix(text *t, const expression *e, const char *op, bool inner) {
    if (inner) text_putc(t, '(');
    print(t, e->a, true);
    text_printf(t, " %s ", op);
    print(t, e->b, true);
    if (inner) text_putc(t, ')');
}

static void test(text *t, const expression *e, const char *op) {
    text_puts(t, "T(");
    infix(t, e, op, false);
    text_putc(t, ')');
}

/* inner: it is an operand. The parser bounds the depth. */
static void print(text *t, const expression *e, bool inner) {
    switch (e->op) {
    case EXPR_CONSTANT: number(t, e->constant); break;
    case EXPR_I: text_putc(t, 'i'); break;
    case EXPR_LENGTH: text_putc(t, 'n'); break;
    case EXPR_SIZE: text_putc(t, 'N'); break;
    case EXPR_NEG: text_puts(t, "(-"), print(t, e->a, true), text_putc(t, ')'); break;
    case EXPR_LN: call(t, "torch.log", e); break;
    case EXPR_SQRT: call(t, "torch.sqrt", e); break;
    case EXPR_COS: call(t, "torch.cos", e); break;
    case EXPR_SIN: call(t, "torch.sin", e); break;
    case EXPR_FLOOR: call(t, "torch.floor", e); break;
    case EXPR_CEIL2: call(t, "ceil2", e); break;
    case EXPR_ADD: infix(t, e, "+", inner); break;
    case EXPR_SUB: infix(t, e, "-", inner); break;
    case EXPR_MUL: infix(t, e, "*", inner); break;
    case EXPR_DIV: infix(t, e, "/", inner); break;
    case EXPR_MOD: call(t, "torch.remainder", e); break;
    case EXPR_EQ: test(t, e, "=="); break;
    case EXPR_NE: test(t, e, "!="); break;
    case EXPR_LT: test(t, e, "<"); break;
    case EXPR_LE: test(t, e, "<="); break;
    case EXPR_MIN: call(t, "torch.minimum", e); break;
    case EXPR_MAX: call(t, "torch.maximum", e); break;
    }
}

static bool uses_ceil2(const expression *e) {
    return e && (e->op == EXPR_CEIL2 || uses_ceil2(e->a) || uses_ceil2(e->b));
}

static const char HEAD[] = "import torch\n"
                           "from torch.nn.attention.flex_attention import create_block_mask, flex_attention\n"
                           "\n"
                           "\n"
                           "def T(x):\n"
                           "    return torch.as_tensor(x, dtype=torch.float64)\n"
                           "\n"
                           "\n";
static const char CEIL2[] = "def ceil2(x):\n"
                            "    return torch.where(x > 0, torch.exp2(torch.ceil(torch.log2(x))), T(0))\n"
                            "\n"
                            "\n";
static const char FACTOR[] =
    "def factor(positions):\n"
    "    \"\"\"%s: what the logits of each query row are multiplied by, beside 1/sqrt(d).\"\"\"\n"
    "    N = T(positions)  # all positions, that of the start token too\n"
    "    n = N - 1\n"
    "    i = torch.arange(positions, dtype=torch.float64).clamp(min=1)  # row 0 sees only itself\n"
    "    return T(";
static const char ATTENTION[] =
    ") * torch.ones_like(i)\n"
    "\n"
    "\n"
    "def sdpa(q, k, v):\n"
    "    \"\"\"[batch, heads, positions, d]; with queries and keys of length sqrt(d) the largest logit is sqrt(d) "
    "times the factor.\"\"\"\n"
    "    rows = factor(q.shape[-2]).to(q)\n"
    "    return torch.nn.functional.scaled_dot_product_attention(q * rows[:, None], k, v, is_causal=True)\n"
    "\n"
    "\n"
    "def flex(q, k, v):\n"
    "    rows, size = factor(q.shape[-2]).to(q), q.shape[-2]\n"
    "    causal = create_block_mask(lambda b, h, i, j: i >= j, None, None, size, size, device=q.device)\n"
    "    return flex_attention(q, k, v, score_mod=lambda score, b, h, i, j: score * rows[i], block_mask=causal)\n";

typedef struct code_call {
    char **out;
    const char *scale;
} code_call;

static void make(entry *e, void *context) {
    const code_call *c = context;
    const char *factor = schedule_factor(c->scale, &e->memory);
    const expression *x = expression_parse(&e->memory, factor, strlen(factor), 1, 1);
    text t;
    text_init(&t, &e->memory);
    text_puts(&t, HEAD);
    if (uses_ceil2(x)) text_puts(&t, CEIL2);
    text_printf(&t, FACTOR, factor);
    print(&t, x, false);
    text_puts(&t, ATTENTION);
    *c->out = entry_hand_out(e, text_string(&t), t.length);
}

temper_status temper_schedule_code(char **out, const char *scale, temper_error *err) {
    code_call call = {out, scale};
    *out = NULL;
    return entry_run(err, make, &call);
}
