/* The prose of experiments, written in lab/prose/NAME.md and made into C while building (scripts/embed-prose.sh). The
   heading and the paragraph of a file are prose_NAME: the title of the experiment, and what is claimed. A section is
   a note, prose_NAME_HEADING. */
#ifndef LAB_PROSE_H
#define LAB_PROSE_H

typedef struct lab_prose {
    const char *title, *text;
} lab_prose;

extern const lab_prose prose_gap;
extern const lab_prose prose_languages;
extern const lab_prose prose_precision, prose_precision_reading_the_predictions;
extern const lab_prose prose_schedules, prose_schedules_in_plain_words, prose_schedules_how_the_base_is_chosen;
extern const lab_prose prose_sequences;
extern const lab_prose prose_ordinary;
extern const lab_prose prose_sweep;
extern const lab_prose prose_zoo, prose_zoo_two_asymptotes_for_linear_attention;

#endif
