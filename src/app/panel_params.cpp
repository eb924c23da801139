#include <algorithm>

#include "app/describe.h"
#include "app/imgui_support.h"
#include "app/panels.h"
#include "app/rich_text.h"
#include "app/widgets.h"

namespace kappaflow {
namespace {

bool shown(const Desk& desk, const Param& param, Group group) {
    return param.group == group && !desk.options.isHidden(param.key) && desk.session.isVisible(param);
}

bool anyShown(const Desk& desk, Group group) {
    const auto& params = desk.session.scene().params;
    return std::any_of(params.begin(), params.end(), [&](const Param& param) { return shown(desk, param, group); });
}

void drawPresets(Desk& desk) {
    const auto& presets = desk.session.scene().presets;
    if (presets.size() < 2) return;
    std::vector<std::string> names;
    for (const auto& preset : presets) names.push_back(preset.name);
    TextStyle style = mutedStyle(desk);
    style.v = AlignV::Middle;
    const Rect label = takeRow(24);
    write(desk, {label.lo.x, label.centre().y}, "Examples", style);
    const int chosen = presetOf(desk.session);
    const std::string now = chosen < 0 ? "your own settings" : names[static_cast<std::size_t>(chosen)];
    const int pressed = dropDown(desk, "##presets", takeRow(desk.touch() ? 38 : 32), now, names, chosen);
    if (pressed >= 0) desk.session.change(Change::preset(names[static_cast<std::size_t>(pressed)]));
    takeRow(14);
}

void drawGroup(Desk& desk, Group group) {
    // A copy: a press may change the scene under the loop.
    const std::string scene = desk.session.scene().id;
    for (const auto& param : findDeclaration(scene)->params) {
        if (desk.session.scene().id != scene) return;
        if (!shown(desk, param, group)) continue;
        ImGui::PushID(param.key.c_str());
        drawParam(desk, adapted(param, desk.session.state().params));
        ImGui::PopID();
    }
}

void drawMore(Desk& desk) {
    if (desk.options.ui != UiMode::Full || !anyShown(desk, Group::More)) return;
    const Rect row = takeRow(desk.touch() ? 40 : 34);
    const bool pressed = pressable(desk, "more", row);
    if (pressed) desk.folds.more = !desk.folds.more;
    const Color color = ImGui::IsItemHovered() ? desk.theme.text : desk.theme.muted;
    ImGui::GetWindowDrawList()->AddLine(toIm(row.lo), toIm(Vec2{row.hi.x, row.lo.y}), toIm(desk.theme.line));
    TextStyle style = bodyStyle(desk, desk.theme.smallSize);
    style.color = color;
    style.v = AlignV::Middle;
    write(desk, {row.lo.x, row.centre().y}, desk.folds.more ? "Less" : "More", style);
    drawIcon(*ImGui::GetWindowDrawList(), desk.folds.more ? Icon::ChevronDown : Icon::ChevronRight, {row.hi.x - 8, row.centre().y}, 10,
             color);
    takeRow(6);
    if (desk.folds.more) drawGroup(desk, Group::More);
}

}  // namespace

void drawParams(Desk& desk) {
    const Rect rect = desk.layout.params;
    if (rect.width() < 120 || rect.height() < 40) return;
    if (beginPanel(desk, "params", rect, desk.theme.panel)) {
        if (!desk.options.isHidden("presets")) drawPresets(desk);
        drawGroup(desk, Group::Main);
        drawMore(desk);
    }
    endPanel(desk, rect);
}

}  // namespace kappaflow
