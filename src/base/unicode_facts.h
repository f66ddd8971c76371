/* What Unicode 15.0 says about characters, in two texts that scripts/unicode-facts.py writes. Facts, and no code:
   whoever reads expressions looks here, the compiler and the auditor. */
#ifndef BASE_UNICODE_FACTS_H
#define BASE_UNICODE_FACTS_H

/* General categories: runs of characters from 0 on, a letter and how many characters, if it is more than one. A to Z
   and a to d are Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co Cn; e is Lu
   and Ll in turn. */
extern const char unicode_categories[];

/* Other properties, a line each, with blanks between its fields:

       KIND NAME,NAME... CATEGORIES BASE PLACES [EXTENSIONS]

   A character has it if an odd number of these hold: its category is one of CATEGORIES; it has the property whose
   line begins at byte BASE - 1; an odd number of PLACES are not behind it. PLACES are distances less one, the first
   from -1; digits of numbers are printable characters without " ? and \: the first 62 end a number, the others
   continue it. KIND: b binary, s script, c Bidi_Class, g Grapheme_Cluster_Break, p a named class of PCRE2 with
   PCRE2_UCP. A script has EXTENSIONS: places that tell Script_Extensions from Script. */
extern const char unicode_properties[];

#endif
