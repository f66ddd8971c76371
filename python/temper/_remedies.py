"""What may help against an error, in words of this package, by the names of the library's codes."""
from __future__ import annotations

from typing import Dict

REMEDIES: Dict[str, str] = {
    "TEMPER_REMEDY_UNCHECKED": "unchecked=True runs it without proof",
    "TEMPER_REMEDY_EXPORT_UNCHECKED": "unchecked=True exports it without proof",
    "TEMPER_REMEDY_EXACT": 'type="exact" decides it',
    "TEMPER_REMEDY_HARD": "hard=True takes each head's hard choice",
    "TEMPER_REMEDY_WHOLE_STRINGS": "it runs on whole strings: Model.run",
    "TEMPER_REMEDY_PREFIXES": "temper.compile without whole=True makes one that answers for every prefix",
    "TEMPER_REMEDY_SOFTEN": "Model.soften makes a soft one",
    "TEMPER_REMEDY_IMPORT": "temper.import_model makes a model of plain safetensors",
    "TEMPER_REMEDY_IMPORT_TYPES": "temper.import_model takes F32, F16 and BF16",
    "TEMPER_REMEDY_NO_IMPORT": "temper.load takes it as it is",
    "TEMPER_REMEDY_CERTIFY": "Model.certify makes one",
    "TEMPER_REMEDY_CERTIFY_EXPORTED": "export without certificate, certify the model.safetensors of the folder, and export again",
    "TEMPER_REMEDY_GIVE_CERTIFICATE": "give certificate, or remove it",
    "TEMPER_REMEDY_GAP_PROVED": 'gap="proved" needs no strings',
    "TEMPER_REMEDY_GAP_EXHAUSTIVE": 'gap="exhaustive" looks at the answers themselves',
    "TEMPER_REMEDY_SHORTER": "a smaller length may do",
    "TEMPER_REMEDY_GAP_OR_SHORTER": 'gap="exhaustive" may find larger gaps and margins; a smaller length may do',
    "TEMPER_REMEDY_NOT_ADAPTIVE": "without adaptive ties may survive",
    "TEMPER_REMEDY_AT": "say where to read it: at=\"first\" or at=\"last\", or a first line 'at first' or 'at last'",
    "TEMPER_REMEDY_ALPHABET": "give an alphabet: alphabet=\"abc\", or a first line 'alphabet a b c'",
    "TEMPER_REMEDY_TOKENS": "letters of several characters need tokens: tokens=True or a first line 'tokens yes'",
    "TEMPER_REMEDY_DEFINE": "define it on a line before; or make words letters, with tokens=True or a first line 'tokens yes'",
    "TEMPER_REMEDY_GALLERY": "temper.gallery.entries() lists the names",
    "TEMPER_REMEDY_EFFORT": "temper.limit_work(10) raises the limit tenfold",
}
