/* The graph as protobuf-c structures in an arena. Node outputs are named after the scope, the operator and a running
   number. */
#include "export/graph.h"

#include <string.h>

#include "onnx.pb-c.h"

static const uint64_t LARGEST_FILE = (uint64_t)2 << 30; /* protobuf's own limit */

typedef struct node_list {
    Onnx__NodeProto **all;
    size_t count, capacity;
} node_list;

typedef struct tensor_list {
    Onnx__TensorProto **all;
    size_t count, capacity;
} tensor_list;

typedef struct info_list {
    Onnx__ValueInfoProto **all;
    size_t count, capacity;
} info_list;

typedef struct property_list {
    Onnx__StringStringEntryProto **all;
    size_t count, capacity;
} property_list;

struct graph {
    arena *arena;
    const char *scope;
    node_list nodes;
    tensor_list tensors;
    info_list inputs, outputs;
    property_list properties;
    table shared; /* what a node or constant is made of -> index in names */
    value *names;
    size_t name_count, name_capacity;
    size_t numbered;
};

graph *graph_new(arena *a) {
    graph *g = arena_zalloc(a, 1, sizeof *g);
    g->arena = a;
    g->scope = "";
    table_init(&g->shared, a);
    return g;
}

void graph_scope(graph *g, const char *scope) { g->scope = arena_copy(g->arena, scope, strlen(scope)); }

/* protobuf-c wants char * and reads only. */
static char *copy(graph *g, const char *s) { return arena_copy(g->arena, s, strlen(s)); }

/* ---- sharing ---- */

/* The name of what has this key, or NULL; then the next name that is added is its. */
static value find_shared(graph *g, const text *key) {
    bool fresh;
    uint32_t *index = table_put(&g->shared, key->data, key->length, (uint32_t)g->name_count, &fresh);
    return fresh ? NULL : g->names[*index];
}

static value add_name(graph *g, value name) {
    array_push(g->arena, g->names, g->name_count, g->name_capacity, name);
    return name;
}

static value new_name(graph *g, const char *op) {
    text name;
    text_init(&name, g->arena);
    text_printf(&name, "%s%s%s_%zu", g->scope, *g->scope ? "/" : "", op, g->numbered++);
    return text_string(&name);
}

/* ---- nodes ---- */

typedef struct attribute {
    const char *name; /* NULL: none */
    int64_t number;
    const int64_t *list; /* NULL: the number */
    size_t count;
} attribute;

static Onnx__AttributeProto *attribute_make(graph *g, const attribute *a) {
    Onnx__AttributeProto *p = arena_alloc(g->arena, 1, sizeof *p);
    onnx__attribute_proto__init(p);
    p->name = copy(g, a->name);
    p->has_type = 1;
    if (a->list) {
        p->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS;
        p->n_ints = a->count;
        p->ints = arena_alloc(g->arena, a->count, sizeof *p->ints);
        memcpy(p->ints, a->list, a->count * sizeof *p->ints);
    } else {
        p->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT;
        p->has_i = 1;
        p->i = a->number;
    }
    return p;
}

static void key_attribute(text *key, const attribute *a) {
    if (!a->name) return;
    text_printf(key, "|%s=", a->name);
    if (!a->list) text_printf(key, "%lld", (long long)a->number);
    for (size_t k = 0; a->list && k < a->count; k++) text_printf(key, "%lld,", (long long)a->list[k]);
}

static value node_make(graph *g, const char *op, const value *inputs, size_t count, const attribute *attributes,
                       size_t attribute_count) {
    text key;
    text_init(&key, g->arena);
    text_puts(&key, op);
    for (size_t k = 0; k < count; k++) text_printf(&key, "\n%s", inputs[k]);
    for (size_t k = 0; k < attribute_count; k++) key_attribute(&key, &attributes[k]);
    value known = find_shared(g, &key);
    if (known) return known;
    value name = add_name(g, new_name(g, op));
    Onnx__NodeProto *n = arena_alloc(g->arena, 1, sizeof *n);
    onnx__node_proto__init(n);
    n->op_type = copy(g, op);
    n->name = copy(g, name);
    n->n_input = count;
    n->input = arena_alloc(g->arena, count, sizeof *n->input);
    for (size_t k = 0; k < count; k++) n->input[k] = copy(g, inputs[k]);
    n->n_output = 1;
    n->output = arena_alloc(g->arena, 1, sizeof *n->output);
    n->output[0] = n->name;
    n->n_attribute = attribute_count;
    n->attribute = arena_alloc(g->arena, attribute_count, sizeof *n->attribute);
    for (size_t k = 0; k < attribute_count; k++) n->attribute[k] = attribute_make(g, &attributes[k]);
    array_push(g->arena, g->nodes.all, g->nodes.count, g->nodes.capacity, n);
    return name;
}

static size_t input_count(value x, value y, value z) { return !x ? 0 : !y ? 1 : !z ? 2 : 3; }

value graph_node(graph *g, const char *op, value x, value y, value z) {
    return node_make(g, op, (const value[]){x, y, z}, input_count(x, y, z), NULL, 0);
}

value graph_node_int(graph *g, const char *op, value x, value y, const char *name, int64_t setting) {
    attribute a = {.name = name, .number = setting};
    return node_make(g, op, (const value[]){x, y}, input_count(x, y, NULL), &a, 1);
}

value graph_cast(graph *g, value x, graph_type to) { return graph_node_int(g, "Cast", x, NULL, "to", to); }

value graph_transpose(graph *g, value x, const int64_t *order, size_t rank) {
    attribute a = {.name = "perm", .list = order, .count = rank};
    return node_make(g, "Transpose", &x, 1, &a, 1);
}

value graph_reduce(graph *g, const char *op, value x) {
    static const int64_t last[] = {-1};
    attribute a[] = {{.name = "axes", .list = last, .count = 1}, {.name = "keepdims", .number = 1}};
    return node_make(g, op, &x, 1, a, 2);
}

value graph_concat(graph *g, const value *parts, size_t count, int64_t axis) {
    attribute a = {.name = "axis", .number = axis};
    return count == 1 ? parts[0] : node_make(g, "Concat", parts, count, &a, 1);
}

/* ---- constants ---- */

static Onnx__TensorProto *tensor_make(graph *g, const char *name, graph_type type, const int64_t *sizes, size_t rank,
                                      size_t bytes) {
    Onnx__TensorProto *t = arena_alloc(g->arena, 1, sizeof *t);
    onnx__tensor_proto__init(t);
    t->name = copy(g, name);
    t->has_data_type = 1;
    t->data_type = type;
    t->n_dims = rank;
    t->dims = arena_alloc(g->arena, rank, sizeof *t->dims);
    for (size_t k = 0; k < rank; k++) t->dims[k] = sizes[k];
    t->has_raw_data = 1;
    t->raw_data.len = bytes;
    t->raw_data.data = arena_alloc(g->arena, bytes, 1);
    array_push(g->arena, g->tensors.all, g->tensors.count, g->tensors.capacity, t);
    return t;
}

/* raw_data is little-endian whatever the machine is. */
static void put_bits(uint8_t *to, uint64_t bits, size_t bytes) {
    for (size_t b = 0; b < bytes; b++) to[b] = (uint8_t)(bits >> (8 * b));
}

static size_t real_bytes(graph_type type) { return type == GRAPH_DOUBLE ? 8 : 4; }

static void put_real(uint8_t *to, graph_type type, double x) {
    if (type == GRAPH_DOUBLE) {
        uint64_t bits;
        memcpy(&bits, &x, sizeof bits);
        put_bits(to, bits, 8);
    } else {
        float narrow = (float)x;
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof bits);
        put_bits(to, bits, 4);
    }
}

value graph_real(graph *g, graph_type type, double x) {
    text key;
    text_init(&key, g->arena);
    text_printf(&key, "real %d ", (int)type);
    text_double(&key, x);
    value known = find_shared(g, &key);
    if (known) return known;
    value name = add_name(g, new_name(g, "constant"));
    put_real(tensor_make(g, name, type, NULL, 0, real_bytes(type))->raw_data.data, type, x);
    return name;
}

static value integers(graph *g, const int64_t *x, size_t n, size_t rank) {
    text key;
    text_init(&key, g->arena);
    text_printf(&key, "integers %zu ", rank);
    for (size_t k = 0; k < n; k++) text_printf(&key, "%lld,", (long long)x[k]);
    value known = find_shared(g, &key);
    if (known) return known;
    value name = add_name(g, new_name(g, "constant"));
    Onnx__TensorProto *t = tensor_make(g, name, GRAPH_INT64, (const int64_t[]){(int64_t)n}, rank, 8 * n);
    for (size_t k = 0; k < n; k++) put_bits(t->raw_data.data + 8 * k, (uint64_t)x[k], 8);
    return name;
}

value graph_integers(graph *g, const int64_t *x, size_t n) { return integers(g, x, n, 1); }
value graph_integer(graph *g, int64_t x) { return integers(g, &x, 1, 0); }

value graph_weights(graph *g, const char *name, graph_type type, const double *numbers, const int64_t *sizes,
                    size_t rank) {
    size_t count = 1;
    for (size_t k = 0; k < rank; k++) count *= (size_t)sizes[k];
    Onnx__TensorProto *t = tensor_make(g, name, type, sizes, rank, count * real_bytes(type));
    for (size_t k = 0; k < count; k++) put_real(t->raw_data.data + k * real_bytes(type), type, numbers[k]);
    return t->name;
}

/* ---- inputs and outputs ---- */

static Onnx__ValueInfoProto *info_make(graph *g, const char *name, graph_type type, const graph_size *sizes,
                                       size_t rank) {
    Onnx__ValueInfoProto *v = arena_alloc(g->arena, 1, sizeof *v);
    Onnx__TypeProto *t = arena_alloc(g->arena, 1, sizeof *t);
    Onnx__TypeProto__Tensor *tensor = arena_alloc(g->arena, 1, sizeof *tensor);
    Onnx__TensorShapeProto *shape = arena_alloc(g->arena, 1, sizeof *shape);
    onnx__value_info_proto__init(v);
    onnx__type_proto__init(t);
    onnx__type_proto__tensor__init(tensor);
    onnx__tensor_shape_proto__init(shape);
    v->name = copy(g, name);
    v->type = t;
    t->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    t->tensor_type = tensor;
    tensor->has_elem_type = 1;
    tensor->elem_type = type;
    tensor->shape = shape;
    shape->n_dim = rank;
    shape->dim = arena_alloc(g->arena, rank, sizeof *shape->dim);
    for (size_t k = 0; k < rank; k++) {
        Onnx__TensorShapeProto__Dimension *d = shape->dim[k] = arena_alloc(g->arena, 1, sizeof *d);
        onnx__tensor_shape_proto__dimension__init(d);
        d->value_case = sizes[k].name ? ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM
                                      : ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
        if (sizes[k].name)
            d->dim_param = copy(g, sizes[k].name);
        else
            d->dim_value = sizes[k].number;
    }
    return v;
}

void graph_input(graph *g, const char *name, graph_type type, const graph_size *sizes, size_t rank) {
    array_push(g->arena, g->inputs.all, g->inputs.count, g->inputs.capacity, info_make(g, name, type, sizes, rank));
}

void graph_output(graph *g, const char *name, value x, graph_type type, const graph_size *sizes, size_t rank) {
    Onnx__NodeProto *n = arena_alloc(g->arena, 1, sizeof *n);
    onnx__node_proto__init(n);
    n->op_type = copy(g, "Identity");
    n->name = copy(g, name);
    n->n_input = n->n_output = 1;
    n->input = arena_alloc(g->arena, 1, sizeof *n->input);
    n->output = arena_alloc(g->arena, 1, sizeof *n->output);
    n->input[0] = copy(g, x);
    n->output[0] = n->name;
    array_push(g->arena, g->nodes.all, g->nodes.count, g->nodes.capacity, n);
    array_push(g->arena, g->outputs.all, g->outputs.count, g->outputs.capacity,
               info_make(g, name, type, sizes, rank));
}

void graph_property(graph *g, const char *key, const char *words) {
    Onnx__StringStringEntryProto *p = arena_alloc(g->arena, 1, sizeof *p);
    onnx__string_string_entry_proto__init(p);
    p->key = copy(g, key);
    p->value = copy(g, words);
    array_push(g->arena, g->properties.all, g->properties.count, g->properties.capacity, p);
}

/* ---- the file ---- */

void graph_print(text *out, graph *g, const char *name, const char *description) {
    enum { IR_VERSION = 8, OPSET = 17 };
    Onnx__GraphProto body;
    onnx__graph_proto__init(&body);
    body.name = copy(g, name);
    body.doc_string = copy(g, description);
    body.n_node = g->nodes.count;
    body.node = g->nodes.all;
    body.n_initializer = g->tensors.count;
    body.initializer = g->tensors.all;
    body.n_input = g->inputs.count;
    body.input = g->inputs.all;
    body.n_output = g->outputs.count;
    body.output = g->outputs.all;

    Onnx__OperatorSetIdProto opset, *opsets[] = {&opset};
    onnx__operator_set_id_proto__init(&opset);
    opset.domain = copy(g, "");
    opset.has_version = 1;
    opset.version = OPSET;

    Onnx__ModelProto model;
    onnx__model_proto__init(&model);
    model.has_ir_version = 1;
    model.ir_version = IR_VERSION;
    model.producer_name = copy(g, "temper");
    model.producer_version = copy(g, temper_version());
    model.n_opset_import = 1;
    model.opset_import = opsets;
    model.n_metadata_props = g->properties.count;
    model.metadata_props = g->properties.all;
    model.graph = &body;

    size_t size = onnx__model_proto__get_packed_size(&model);
    if (size >= LARGEST_FILE)
        trap_raise(g->arena->trap, TEMPER_LIMIT, 0, 0, "an ONNX file of %.1f GiB: the format ends at 2 GiB",
                   (double)size * 0x1p-30);
    out->data = arena_alloc(out->arena, size + 1, 1);
    out->length = onnx__model_proto__pack(&model, (uint8_t *)out->data);
    out->capacity = size + 1;
    out->data[out->length] = 0;
}
