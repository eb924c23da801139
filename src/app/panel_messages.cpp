#include <algorithm>
#include <functional>

#include "app/imgui_support.h"
#include "app/panels.h"
#include "app/rich_text.h"
#include "app/widgets.h"

namespace kappaflow {
namespace {

// A slip of paper at the top of the picture; returns its lower edge.
double drawSlip(Desk& desk, const char* id, double top, const std::vector<std::string>& sentences, Color edge,
                const std::function<void()>& dismiss) {
    const Rect picture = desk.layout.picture;
    const double width = std::min(560.0, picture.width() - 24), textWidth = width - 62;
    if (textWidth < 60 || sentences.empty()) return top;
    const TextStyle style = bodyStyle(desk, desk.theme.smallSize);
    ImGui::SetNextWindowPos(toIm(Vec2{picture.centre().x - width / 2, top}));
    ImGui::SetNextWindowSize({static_cast<float>(width), 0});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2{16, 10});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 9);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
    ImGui::Begin(id, nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav |
                     ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoFocusOnAppearing);
    const Vec2 lo = fromIm(ImGui::GetCursorScreenPos());
    double y = lo.y;
    for (const auto& sentence : sentences) y += writeWrapped(desk, {lo.x, y}, proseText(sentence), style, textWidth, 6) + 3;
    const Rect row = takeRow(std::max(24.0, y - lo.y));
    const Vec2 size = fromIm(ImGui::GetWindowSize());
    ImGui::GetWindowDrawList()->AddRectFilled(toIm(lo - Vec2{13, 4}), toIm(Vec2{lo.x - 10, row.hi.y + 4}), toIm(edge), 2);
    if (iconButton(desk, "close", {{row.hi.x - 24, lo.y - 2}, {row.hi.x + 4, lo.y + 26}}, Icon::Close, "dismiss")) dismiss();
    ImGui::End();
    ImGui::PopStyleVar(3);
    desk.screen.interactive({{picture.centre().x - width / 2, top}, {picture.centre().x + width / 2, top + size.y}});
    return top + size.y + 8;
}

}  // namespace

void drawMessages(Desk& desk) {
    double top = desk.layout.picture.lo.y + 10;
    if (const std::string& message = desk.session.message(); !message.empty())
        top = drawSlip(desk, "message", top, {message}, desk.theme.warning, [&] { desk.session.dismissMessage(); });
    auto warnings = desk.session.warnings();
    if (warnings.size() > 4) {
        const std::string rest = "… and " + std::to_string(warnings.size() - 3) + " more.";
        warnings.resize(3);
        warnings.push_back(rest);
    }
    drawSlip(desk, "warnings", top, warnings, desk.theme.accent, [&] { desk.session.dismissWarnings(); });
}

void drawProgress(Desk& desk) {
    if (!desk.app.lagging()) return;
    const Rect picture = desk.layout.picture;
    ImDrawList& list = *ImGui::GetForegroundDrawList();
    const double share = std::clamp(desk.session.progress(), 0.02, 1.0);
    list.AddRectFilled(toIm(picture.lo), toIm(Vec2{picture.hi.x, picture.lo.y + 2}), toIm(desk.theme.line));
    list.AddRectFilled(toIm(picture.lo), toIm(picture.lo + Vec2{share * picture.width(), 2}), toIm(desk.theme.accent));
}

}  // namespace kappaflow
