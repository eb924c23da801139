#include <algorithm>

#include "app/panels.h"
#include "draw/imgui_support.h"
#include "draw/markup.h"

namespace kappaflow {
namespace {

void choose(Desk& desk, const Declaration& scene) {
    if (scene.id != desk.session.scene().id) desk.session.change(Change::scene(scene.id));
}

void drawName(Desk& desk, Rect row) {
    TextStyle style = bodyStyle(desk, desk.theme.titleSize);
    style.bold = true;
    style.v = AlignV::Middle;
    style.color = desk.theme.accent;
    write(desk, {row.lo.x, row.centre().y}, "*κ*", style);
    style.color = desk.theme.text;
    write(desk, {row.lo.x + 20, row.centre().y}, "Kappaflow", style);
}

void foldButton(Desk& desk, Rect rect) {
    const bool folded = desk.layout.listFolded;
    if (iconButton(desk, "fold", rect, folded ? Icon::ChevronRight : Icon::ChevronLeft, folded ? "show the scenes" : "fold the scenes away",
                   desk.layout.canUnfold))
        desk.folds.listFolded = !folded;
}

// A scene that was just chosen elsewhere, by a link or the keyboard, comes into view: asked for twice, because its claim makes the
// list longer from the next frame on.
void scrollToChosen(const Declaration& scene) {
    ImGuiStorage& storage = *ImGui::GetStateStorage();
    int* shown = storage.GetIntRef(ImGui::GetID("chosen"));
    const int id = static_cast<int>(ImGui::GetID(scene.id.c_str())), changed = *shown != id;
    *shown = id;
    int* owed = storage.GetIntRef(ImGui::GetID("owed"));
    if (changed) *owed = 2;
    if (*owed > 0) ImGui::SetScrollHereY();
    *owed = std::max(0, *owed - 1);
}

// The name, and of the chosen scene its claim; the row is as high as its words.
void drawEntry(Desk& desk, const Declaration& scene) {
    const bool chosen = scene.id == desk.session.scene().id;
    constexpr double kInset = 12, kPad = 9;
    const Vec2 lo = fromIm(ImGui::GetCursorScreenPos());
    const double width = ImGui::GetContentRegionAvail().x;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.ChannelsSplit(2);
    list.ChannelsSetCurrent(1);
    TextStyle name = bodyStyle(desk);
    name.bold = chosen;
    double y = lo.y + kPad;
    y += writeWrapped(desk, {lo.x + kInset, y}, escapeMarkup(scene.title), name, width - 2 * kInset) + kPad;
    if (chosen)
        y += writeWrapped(desk, {lo.x + kInset, y - kPad + 3}, proseText(scene.claim), mutedStyle(desk, desk.theme.tinySize),
                          width - 2 * kInset, 4) +
             3;
    const Rect row = takeRow(y - lo.y);
    list.ChannelsSetCurrent(0);
    if (pressable(desk, scene.id.c_str(), row)) choose(desk, scene);
    const bool hovered = ImGui::IsItemHovered();
    if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (chosen)
        scrollToChosen(scene);
    else
        desk.screen.tooltip(escapeMarkup(scene.claim));
    if (chosen || hovered)
        list.AddRectFilled(toIm(row.lo), toIm(row.hi), toIm(chosen ? mix(desk.theme.panel, desk.theme.accent, 0.12) : desk.theme.raised),
                           9);
    if (chosen) list.AddRectFilled(toIm(row.lo + Vec2{0, 9}), toIm(Vec2{row.lo.x + 3, row.hi.y - 9}), toIm(desk.theme.accent), 2);
    list.ChannelsMerge();
    takeRow(4);
}

void drawGroups(Desk& desk) {
    std::string group;
    for (const auto& scene : declarations()) {
        if (scene.group != group) {
            group = scene.group;
            const Rect row = takeRow(32);
            TextStyle style = mutedStyle(desk);
            style.v = AlignV::Middle;
            write(desk, {row.lo.x + 12, row.centre().y}, escapeMarkup(group), style);
        }
        drawEntry(desk, scene);
    }
}

// Strokes through points of a square, two digits each; one point alone is a dot.
void drawSign(const char* strokes, Vec2 centre, double side, Color color) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const auto flush = [&] {
        if (list._Path.Size == 1) list.AddCircleFilled(list._Path[0], 1.7f, toIm(color), 10);
        if (list._Path.Size > 1) list.PathStroke(toIm(color), 0, 1.5f);
        list.PathClear();
    };
    for (; *strokes; strokes += *strokes == ' ' ? 1 : 2) {
        if (*strokes == ' ')
            flush();
        else
            list.PathLineTo(toIm(centre + Vec2{strokes[0] - '4' * 1.0, strokes[1] - '4' * 1.0} * (side / 8)));
    }
    flush();
}

void drawStrip(Desk& desk) {
    std::string group = declarations().front().group;
    for (const auto& scene : declarations()) {
        if (scene.group != group) {
            const Rect gap = takeRow(9);
            ImGui::GetWindowDrawList()->AddLine(toIm(Vec2{gap.lo.x + 6, gap.centre().y}), toIm(Vec2{gap.hi.x - 6, gap.centre().y}),
                                                toIm(desk.theme.line));
        }
        group = scene.group;
        const Rect row = takeRow(40);
        const double side = 34;
        const Rect box{{row.centre().x - side / 2, row.lo.y + 3}, {row.centre().x + side / 2, row.lo.y + 3 + side}};
        const bool chosen = scene.id == desk.session.scene().id;
        if (pill(desk, scene.id.c_str(), box, "", chosen)) choose(desk, scene);
        desk.screen.tooltip(escapeMarkup(scene.title));
        drawSign(scene.icon, box.centre(), 18, chosen ? desk.theme.onAccent : desk.theme.text);
    }
}

void drawTop(Desk& desk, Rect rect) {
    const bool folded = desk.layout.listFolded;
    if (beginPanel(desk, "name", rect, desk.theme.panel)) {
        const Rect top = takeRow(40);
        if (!folded) drawName(desk, {top.lo + Vec2{12, 0}, top.hi});
        if (!folded || desk.layout.canUnfold)
            foldButton(desk, folded ? Rect{top.centre() - Vec2{17, 17}, top.centre() + Vec2{17, 17}}
                                    : Rect{{top.hi.x - 36, top.lo.y + 3}, {top.hi.x - 2, top.lo.y + 37}});
    }
    endPanel(desk, rect);
}

// The name stays where it is while the scenes below it scroll.
void drawColumn(Desk& desk) {
    constexpr double kTop = 58;
    const Rect rect = desk.layout.sceneList, list{{rect.lo.x, rect.lo.y + kTop}, rect.hi};
    const bool folded = desk.layout.listFolded;
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, folded ? ImVec2{4, 8} : ImVec2{8, 8});
    drawTop(desk, {rect.lo, {rect.hi.x, list.lo.y}});
    ImGui::PopStyleVar();
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, folded ? ImVec2{4, 2} : ImVec2{8, 2});
    if (beginPanel(desk, "scenes", list, desk.theme.panel)) folded ? drawStrip(desk) : drawGroups(desk);
    endPanel(desk, list);
    ImGui::PopStyleVar();
}

void drawPicker(Desk& desk) {
    const Rect rect = desk.layout.sceneList;
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2{8, 5});
    if (beginPanel(desk, "scenes", rect, desk.theme.panel)) {
        std::vector<std::string> titles;
        int chosen = 0;
        for (const auto& scene : declarations()) {
            if (scene.id == desk.session.scene().id) chosen = static_cast<int>(titles.size());
            titles.push_back(scene.title);
        }
        const int pressed = dropDown(desk, "##scene", takeRow(std::max(20.0, rect.height() - 10)), titles[static_cast<std::size_t>(chosen)],
                                     titles, chosen);
        if (pressed >= 0) choose(desk, declarations()[static_cast<std::size_t>(pressed)]);
    }
    endPanel(desk, rect);
    ImGui::PopStyleVar();
}

}  // namespace

void drawSceneList(Desk& desk) {
    if (desk.layout.sceneList.width() < 40 || desk.layout.sceneList.height() < 20) return;
    desk.layout.compact ? drawPicker(desk) : drawColumn(desk);
}

}  // namespace kappaflow
