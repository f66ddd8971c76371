/* The parts of the zoo experiment; each adds its tables, claims, figures and notes. */
#ifndef LAB_ZOO_H
#define LAB_ZOO_H

#include "lab/lab.h"
#include "model/model.h"

void zoo_properties(lab *l, arena *scratch); /* the table of mechanisms; what is claimed of their weights */
void zoo_leak(lab *l, arena *scratch);       /* leak and gain error by gap and length; softmax's law */
void zoo_scale(lab *l, arena *scratch);      /* the scale an error needs, by length */
void zoo_heads(lab *l, arena *scratch);      /* compiled heads with another normaliser, from cells: mechanisms */
void zoo_models(lab *l, arena *scratch);     /* compiled models, run with another normaliser */
size_t zoo_heads_cells(bool quick);
void zoo_heads_cell(text *result, lab *l, size_t cell, arena *scratch);
void zoo_boxes(lab *l, arena *scratch);         /* bounds over score boxes against all corners */
void zoo_regression(lab *l, arena *scratch);    /* single-location regression: softmax against linear */
void zoo_prompts(lab *l, arena *scratch);       /* the limit of long prompts */
void zoo_freedom(lab *l, arena *scratch);       /* degrees of freedom of heads */
void zoo_disagreements(lab *l, arena *scratch); /* where sources differ, and what behaves as claimed */

/* A soft model (by temperature) of a formula over abcd read at the last letter; its specification, if spec is not
   NULL. Both live as long as the lab. */
const temper_model *zoo_model(lab *l, const char *formula, const temper_spec **spec);
arena *zoo_arena(lab *l); /* another one, freed with the lab */

#endif
