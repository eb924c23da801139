#include <cstdio>

#include "app/imgui_support.h"
#include "app/panels.h"
#include "app/rich_text.h"
#include "app/widgets.h"

namespace kappaflow {
namespace {

std::string withDigits(double value, const char* unit) {
    char text[64];
    std::snprintf(text, sizeof text, "%.2f %s", value, unit);
    return text;
}

std::vector<std::string> lines(Desk& desk) {
    const Counters counters = desk.app.counters();
    const Layout& layout = desk.layout;
    std::vector<std::string> all = {
        "frames drawn " + std::to_string(counters.frames) + ", ticks " + std::to_string(counters.ticks),
        "last frame " + withDigits(counters.drawMilliseconds, "ms"),
        "results " + std::to_string(counters.results) + ", last job " + withDigits(counters.jobMilliseconds, "ms"),
        "frame " + formatNumber(layout.frame.width()) + " × " + formatNumber(layout.frame.height()) + " at " +
            formatNumber(desk.pixelRatio),
        "GL: " + desk.screen.glInfo(),
        "asked: " + desk.app.link()};
    if (const Contexts& contexts = counters.contexts; contexts.taken > 0)
        all.push_back("contexts taken " + std::to_string(contexts.taken) + ", given back " + std::to_string(contexts.givenBack) +
                      ", lost " + std::to_string(contexts.lost) + ", restored " + std::to_string(contexts.restored));
    if (const Report* report = desk.session.report()) {
        std::size_t numbers = 0;
        for (const auto& array : report->arrays) numbers += array.values.size();
        all.push_back("report: " + std::to_string(report->scalars.size()) + " scalars, " + std::to_string(report->arrays.size()) +
                      " arrays, " + std::to_string(numbers) + " numbers");
    }
    return all;
}

}  // namespace

void drawDiagnostics(Desk& desk) {
    if (!desk.folds.diagnostics) return;
    const Rect picture = desk.layout.picture;
    const double width = std::min(340.0, picture.width());
    const Rect rect{{picture.hi.x - width, picture.lo.y}, picture.hi};
    if (beginPanel(desk, "diagnostics", rect, desk.theme.panel.withAlpha(0.94f))) {
        const Rect top = takeRow(30);
        TextStyle title = bodyStyle(desk);
        title.bold = true;
        write(desk, top.lo, "Diagnostics", title);
        if (iconButton(desk, "close", {{top.hi.x - 28, top.lo.y - 4}, {top.hi.x, top.lo.y + 24}}, Icon::Close, "close (M)"))
            desk.folds.diagnostics = false;
        const TextStyle style = mutedStyle(desk, desk.theme.tinySize);
        for (const auto& line : lines(desk)) {
            const Vec2 at = fromIm(ImGui::GetCursorScreenPos());
            takeRow(writeWrapped(desk, at, plainText(line), style, ImGui::GetContentRegionAvail().x) + 5);
        }
    }
    endPanel(desk, rect);
}

}  // namespace kappaflow
