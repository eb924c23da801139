#!/usr/bin/python3
"""Cuts the fonts down to the characters in use: subset_fonts.py OUTDIR [CHARACTERS]

Writes ui.ttf, ui-italic.ttf, ui-bold.ttf (Inter) and math.ttf (STIX: what Inter lacks), drawn by Dear ImGui (stb_truetype) and by the
page. Outlines stay cubic (CFF): both read them and they are a third smaller than quadratic ones.
With CHARACTERS instead formulas.woff2, for the page's equations alone: those characters of STIX Math, with its MATH table, from which
the browser takes the places of indices.
The same input fonts give the same bytes."""
import sys
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

FONTS = Path('/usr/share/fonts/opentype')
INTER = FONTS / 'inter'
STIX = FONTS / 'stix/STIXGeneral-Regular.otf'
STIX_MATH = FONTS / 'stix-word/STIXMath-Regular.otf'


def characters(*spans):
    """Code points from spans: a string of characters, or (first, last)."""
    found = set()
    for span in spans:
        found |= {ord(c) for c in span} if isinstance(span, str) else set(range(span[0], span[1] + 1))
    return found


LETTERS = [(0x20, 0x7E), (0xA0, 0xFF), 'ŁłŒœŠšŽžČčĆćıŐőŰű']
GREEK = ['ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ', 'αβγδεζηθικλμνξοπρςστυφχψωϑϕϵ']
PUNCTUATION = ['–—‘’‚“”„…•†‡‹›′″€™ℓ']
SIGNS = ['−±×÷·≤≥≈≠∞∂√∫∆∏∑◊', '←↑→↓↔', '⁰⁴⁵⁶⁷⁸⁹⁺⁻₀₁₂₃₄₅₆₇₈₉', '▲▼▶◀●○■□◆✓✗⌘⇧']
MATHEMATICS = ['∇∼≃≅∈∉⊂⊆∪∩∅∀∃⟨⟩ℝℕℤℂℙ∘∗⊙⊕⊗∑∏‖∥∝≪≫⊥⊤≡⇒⇔↦∧∨∖⌊⌋⌈⌉⋯⟲', '𝒟𝒩𝒞𝒪𝒦𝒮𝒳ℒℋ𝔼']

EVERYTHING = characters(*LETTERS, *GREEK, *PUNCTUATION, *SIGNS, *MATHEMATICS)
# Bold and italic are titles and symbols of our own; names of files, in any language of Europe, are regular.
STRESSED = characters((0x20, 0x7E), *GREEK, *PUNCTUATION, '\u00a0°²³µ±×·÷½©«»ÄÖÜßäöüéèêëçíóñàâîïôùûœÀÂÇÈÉÊÎÔ−≤≥≈∞∂√→')

# Inter's height from ascender to descender, in ems. stb_truetype sizes a font by that height, so STIX is given the same.
INTER_ASCENT, INTER_DESCENT = 2728 / 2816, -680 / 2816
# STIX's capitals are 0.66 em high, Inter's 0.73: drawn a tenth larger its signs stand beside Inter's letters as their equals.
STIX_SCALE = 1.1


def single_substitutions(font, tag):
    """The one-to-one glyph replacements of a layout feature."""
    table, mapping = font['GSUB'].table, {}
    for record in table.FeatureList.FeatureRecord:
        if record.FeatureTag == tag:
            for index in record.Feature.LookupListIndex:
                for sub in table.LookupList.Lookup[index].SubTable:
                    mapping.update(getattr(getattr(sub, 'ExtSubTable', sub), 'mapping', {}))
    return mapping


def make_digits_tabular(font):
    """Numbers that change must not jump: the digits themselves become the tabular ones, no layout engine needed."""
    tabular, proportional = single_substitutions(font, 'tnum'), font.getBestCmap()
    digits = {digit: tabular[proportional[digit]] for digit in range(ord('0'), ord('9') + 1)}
    for table in font['cmap'].tables:
        table.cmap.update(digits)


def set_height(font, ascent, descent):
    """Writes one ascent and descent (ems) into every table that holds them."""
    em = font['head'].unitsPerEm
    up, down = round(ascent * em), round(descent * em)
    font['hhea'].ascent, font['hhea'].descent, font['hhea'].lineGap = up, down, 0
    os2 = font['OS/2']
    os2.sTypoAscender, os2.sTypoDescender, os2.sTypoLineGap, os2.usWinAscent, os2.usWinDescent = up, down, 0, up, -down


def enlarge(font, factor):
    """Larger glyphs at the same font size: the same outlines in a smaller em."""
    em = round(font['head'].unitsPerEm / factor)
    font['head'].unitsPerEm = em
    font['CFF '].cff.topDictIndex[0].FontMatrix = [1 / em, 0, 0, 1 / em, 0, 0]


def subset(font, wanted):
    options = Options()
    options.layout_features = []
    options.hinting = False
    options.desubroutinize = True  # compressed it is smaller, and the page sends them so
    options.glyph_names = False
    options.notdef_outline = True
    options.name_IDs = [1, 2, 4, 6, 13]
    options.name_languages = [0x409]
    options.drop_tables += ['GSUB', 'GPOS', 'GDEF', 'DSIG', 'BASE', 'STAT', 'MATH', 'VORG', 'FFTM']
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=wanted)
    subsetter.subset(font)


def open_font(path):
    if not path.is_file():
        sys.exit(f'{path} is missing: run tools/scripts/setup.sh')
    return TTFont(path, recalcTimestamp=False)


def write_inter(face, wanted, target):
    font = open_font(INTER / f'Inter-{face}.otf')
    make_digits_tabular(font)
    subset(font, wanted)
    set_height(font, INTER_ASCENT, INTER_DESCENT)
    font.save(target)


def write_mathematics(target):
    present = set(open_font(INTER / 'Inter-Regular.otf').getBestCmap())
    font = open_font(STIX)
    subset(font, EVERYTHING - present)
    enlarge(font, STIX_SCALE)
    set_height(font, INTER_ASCENT, INTER_DESCENT)
    font.save(target)


def write_formulas(wanted, target):
    font = open_font(STIX_MATH)
    options = Options()
    options.layout_features = []
    options.hinting = False
    options.desubroutinize = True
    options.name_IDs = [1, 2, 4, 6, 13]
    options.drop_tables += ['GSUB', 'GPOS', 'GDEF', 'FFTM']
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=wanted)
    subsetter.subset(font)
    font.flavor = 'woff2'
    font.save(target)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__.splitlines()[0])
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    if len(sys.argv) == 3:
        return write_formulas(characters(sys.argv[2]), out / 'formulas.woff2')
    write_inter('Regular', EVERYTHING, out / 'ui.ttf')
    write_inter('Italic', STRESSED, out / 'ui-italic.ttf')
    write_inter('SemiBold', STRESSED, out / 'ui-bold.ttf')
    write_mathematics(out / 'math.ttf')


main()
