// What may help against an error, in words of the page: by the codes of temper.h (temper_remedy), in their order. '' where the library's
// own hint fits, or the page never meets the error.

export const REMEDIES = [
  ['NONE', ''],
  ['UNCHECKED', 'the page runs it all the same, and says that it is not proved'],
  ['EXPORT_UNCHECKED', 'the command line exports it with --unchecked'],
  ['EXACT', 'the command line decides it with --type exact'],
  ['HARD', 'the outlines in the map show each head\u2019s hard choice'],
  ['WHOLE_STRINGS', 'it answers for whole strings'],
  ['PREFIXES', 'the method "temperature" or "positions" makes one that answers for every prefix'],
  ['SOFTEN', ''],
  ['IMPORT', ''],
  ['IMPORT_TYPES', ''],
  ['NO_IMPORT', ''],
  ['CERTIFY', '"Download…" offers a certificate'],
  ['CERTIFY_EXPORTED', ''],
  ['GIVE_CERTIFICATE', ''],
  ['GAP_PROVED', ''],
  ['GAP_EXHAUSTIVE', ''],
  ['SHORTER', 'a shorter string may do'],
  ['GAP_OR_SHORTER', 'a shorter string may do'],
  ['NOT_ADAPTIVE', ''],
  ['AT', 'say where to read it: put a line "at first" or "at last" above the formula'],
  ['ALPHABET', 'write the letters into the field "letters", such as abc'],
  ['TOKENS', 'letters of several characters need tokens: put a line "tokens yes" above the formula'],
  ['DEFINE', 'define it on a line before; or make words letters, with a line "tokens yes" above the formula'],
  ['GALLERY', 'choose one of the list'],
  ['EFFORT', 'the command line tries harder with --effort 10'],
];

/** The hint of an error; '' if there is none. */
export const remedyOf = error => REMEDIES[error.remedy]?.[1] || error.hint || '';
