#include "draw/svg_document.h"

#include "draw/svg_text.h"

namespace kappaflow {
namespace {

// The screen's face first, then what has Greek and the signs of mathematics on common systems.
constexpr const char* kFonts =
    "Inter, 'Inter Variable', 'Segoe UI', 'Helvetica Neue', Arial, 'STIX Two Math', STIXGeneral, 'Cambria Math', 'DejaVu Sans', sans-serif";
// Widths are those of single glyphs with figures of one width, as on the screen.
constexpr const char* kFontStyle = "font-variant-numeric:tabular-nums;font-variant-ligatures:none;font-kerning:none";

void writeElement(SvgWriter& out, std::string_view tag, std::string_view text) {
    if (text.empty()) return;
    out.begin(tag).content();
    out.text(text);
    out.close(tag);
}

void writeMetadata(SvgWriter& out, const FigureWords& words) {
    out.begin("metadata").content();
    out.begin("rdf:RDF").attribute("xmlns:rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#");
    out.attribute("xmlns:dc", "http://purl.org/dc/elements/1.1/").attribute("xmlns:dcterms", "http://purl.org/dc/terms/").content();
    out.begin("rdf:Description").attribute("rdf:about", "").content();
    writeElement(out, "dc:format", "image/svg+xml");
    writeElement(out, "dc:title", words.title);
    writeElement(out, "dc:description", words.caption);
    writeElement(out, "dc:identifier", words.scene);
    writeElement(out, "dc:creator", words.generator);
    writeElement(out, "dc:source", words.link);
    writeElement(out, "dc:relation", words.source);
    writeElement(out, "dcterms:requires", words.file);
    out.close("rdf:Description");
    out.close("rdf:RDF");
    out.close("metadata");
}

}  // namespace

std::string svgDocument(double width, double height, const Theme& theme, const FigureWords& words, const std::string& marks) {
    SvgWriter out;
    out.raw("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out.begin("svg").attribute("xmlns", "http://www.w3.org/2000/svg").attribute("xmlns:xlink", "http://www.w3.org/1999/xlink");
    out.attribute("version", "1.1").attribute("width", width).attribute("height", height);
    out.attribute("viewBox", "0 0 " + svgNumber(width) + ' ' + svgNumber(height));
    out.attribute("role", "img").attribute("font-family", kFonts).attribute("style", kFontStyle).attribute("xml:space", "preserve");
    out.content();
    out.raw("\n");
    writeElement(out, "title", words.title);
    writeElement(out, "desc", words.caption);
    writeMetadata(out, words);
    out.begin("rect").mark("ground").attribute("width", width).attribute("height", height).color("fill", theme.ground).end();
    out.raw(marks);
    out.close("svg");
    return out.written();
}

}  // namespace kappaflow
