#include "app/imgui_support.h"
#include "app/panels.h"
#include "app/widgets.h"

namespace kappaflow {
namespace {

TextStyle styleOf(const Desk& desk, NoteLine::What what) {
    TextStyle style = bodyStyle(desk);
    if (what == NoteLine::What::Heading) style.bold = true;
    if (what == NoteLine::What::Formula) style.color = desk.theme.muted;
    return style;
}

void drawLine(Desk& desk, const NoteLine& line) {
    const TextStyle style = styleOf(desk, line.what);
    const bool item = line.what == NoteLine::What::Item;
    if (line.what == NoteLine::What::Heading) takeRow(6);
    const Vec2 at = fromIm(ImGui::GetCursorScreenPos());
    const double inset = item ? 14 : line.what == NoteLine::What::Formula ? 10 : 0;
    if (item) write(desk, at, "·", style);
    takeRow(writeWrapped(desk, at + Vec2{inset, 0}, line.text, style, ImGui::GetContentRegionAvail().x - inset) + 9);
}

}  // namespace

void drawWords(Desk& desk) {
    const Rect rect = desk.layout.params;
    if (rect.width() < 120 || rect.height() < 40) return;
    if (beginPanel(desk, "words", rect, desk.theme.panel))
        for (const auto& line : desk.app.notes()) drawLine(desk, line);
    endPanel(desk, rect);
}

}  // namespace kappaflow
