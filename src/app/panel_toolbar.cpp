#include <algorithm>
#include <functional>

#include "app/imgui_support.h"
#include "app/panels.h"
#include "app/widgets.h"

namespace kappaflow {
namespace {

struct Tool {
    const char* id;
    Icon icon;
    std::string name;
    bool enabled;
    std::function<void()> use;
};

void flipTheme(Desk& desk) {
    Options options = desk.options;
    options.dark = !options.dark;
    desk.app.setOptions(options);
    desk.app.wish({Wish::What::Theme, options.dark ? "dark" : "light"});
}

// What every reader needs at hand.
std::vector<Tool> handyTools(Desk& desk) {
    return {{"undo", Icon::Undo, "undo", desk.session.canUndo(), [&] { desk.session.undo(); }},
            {"redo", Icon::Redo, "redo", desk.session.canRedo(), [&] { desk.session.redo(); }},
            {"reset", Icon::Reset, "back to the first settings", true, [&] { desk.session.change(Change::reset()); }},
            {"link", Icon::Link, "copy a link to what you see", true, [&] {
                 desk.app.wish({Wish::What::CopyLink, ""});
             }}};
}

std::vector<Tool> otherTools(Desk& desk) {
    const bool dark = desk.options.dark, result = desk.session.report() != nullptr;
    std::vector<Tool> tools = {
        {"theme", dark ? Icon::Sun : Icon::Moon, dark ? "light theme" : "dark theme", true, [&] { flipTheme(desk); }}};
    if (desk.options.native)
        tools.push_back({"words", Icon::Words, desk.folds.words ? "show the controls" : "words about this picture", true,
                         [&] { desk.folds.words = !desk.folds.words; }});
    tools.push_back({"figure", Icon::Download, "save the figure (SVG)", result, [&] { desk.app.wish({Wish::What::SaveFigure, ""}); }});
    if (!desk.options.native)
        tools.push_back({"embed", Icon::Link, "copy code to embed this figure", true, [&] {
                             desk.app.wish({Wish::What::CopyEmbedCode, ""});
                         }});
    tools.push_back({"csv", Icon::Download, "download the numbers as CSV", result, [&] { desk.app.wish({Wish::What::Download, "csv"}); }});
    tools.push_back({"json", Icon::Download, "download the report as JSON", result, [&] {
                         desk.app.wish({Wish::What::Download, "json"});
                     }});
    if (desk.session.scene().savesNetwork)
        tools.push_back({"network", Icon::Download, "save the network (ONNX)", result, [&] { desk.session.askForNetworkFile(); }});
    tools.push_back({"open", Icon::Open, "open a file of your own (ONNX, safetensors, npz, CSV, images)", true, [&] {
                         desk.app.wish({Wish::What::OpenFile, ""});
                     }});
    return tools;
}

void menuButton(Desk& desk, Rect rect, const std::vector<Tool>& tools) {
    if (iconButton(desk, "menu", rect, Icon::Menu, "more")) ImGui::OpenPopup("tools");
    ImGui::SetNextWindowPos(toIm(Vec2{rect.hi.x, rect.hi.y + 4}), ImGuiCond_Always, {1, 0});
    if (!ImGui::BeginPopup("tools", ImGuiWindowFlags_NoMove)) return;
    std::vector<std::string> names;
    std::vector<const Tool*> usable;
    for (const auto& tool : tools)
        if (tool.enabled) {
            names.push_back(tool.name);
            usable.push_back(&tool);
        }
    const int pressed = menuRows(desk, names, -1, 160);
    ImGui::EndPopup();
    if (pressed >= 0) usable[static_cast<std::size_t>(pressed)]->use();
}

}  // namespace

void drawToolbar(Desk& desk) {
    const Rect rect = desk.layout.toolbar;
    if (rect.width() < 30 || rect.height() < 20) return;
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2{6, 4});
    if (beginPanel(desk, "toolbar", rect, desk.theme.panel)) {
        auto handy = handyTools(desk), others = otherTools(desk);
        if (desk.layout.compact) others.insert(others.begin(), handy.begin(), handy.end()), handy.clear();
        const double side = std::min(desk.layout.compact ? 38.0 : 33.0, rect.height() - 8);
        // What fits stands side by side; the rest is behind the dots at the right.
        const auto places = static_cast<std::size_t>(std::max(0.0, (rect.width() - 12) / side - 1));
        while (handy.size() < places && !others.empty() && !desk.layout.compact) {
            if (others.front().id == std::string("figure")) break;
            handy.push_back(others.front());
            others.erase(others.begin());
        }
        double x = rect.lo.x + 6;
        const double y = rect.centre().y - side / 2;
        for (const auto& tool : handy) {
            if (iconButton(desk, tool.id, {{x, y}, {x + side, y + side}}, tool.icon, tool.name, tool.enabled)) tool.use();
            x += side;
        }
        menuButton(desk, {{rect.hi.x - 6 - side, y}, {rect.hi.x - 6, y + side}}, others);
    }
    endPanel(desk, rect);
    ImGui::PopStyleVar();
}

}  // namespace kappaflow
