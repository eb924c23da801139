#include "app/panels.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>

#include "app/describe.h"
#include "draw/imgui_support.h"
#include "draw/markup.h"

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

void flipContrast(Desk& desk) {
    Options options = desk.options;
    options.highContrast = !options.highContrast;
    desk.app.setOptions(options);
    desk.app.wish({Wish::What::Contrast, options.highContrast ? "more" : "usual"});
}

// What every reader needs at hand.
std::vector<Tool> handyTools(Desk& desk) {
    return {{"undo", Icon::Undo, "undo", desk.session.canUndo(), [&] { desk.app.undo(); }},
            {"redo", Icon::Redo, "redo", desk.session.canRedo(), [&] { desk.app.redo(); }},
            {"reset", Icon::Reset, "back to the first settings", true, [&] { desk.session.change(Change::reset()); }},
            {"link", Icon::Link, "copy a link to what you see", true, [&] {
                 desk.app.wish({Wish::What::CopyLink, ""});
             }}};
}

std::vector<Tool> otherTools(Desk& desk) {
    const bool dark = desk.options.dark, result = desk.session.report() != nullptr;
    std::vector<Tool> tools = {
        {"theme", dark ? Icon::Sun : Icon::Moon, dark ? "light theme" : "dark theme", true, [&] { flipTheme(desk); }}};
    tools.push_back({"contrast", Icon::Contrast, desk.options.highContrast ? "usual contrast" : "more contrast, for a projector", true,
                     [&] { flipContrast(desk); }});
    if (desk.options.native)
        tools.push_back({"words", Icon::Words, desk.folds.words ? "show the controls" : "words about this picture", true,
                         [&] { desk.folds.words = !desk.folds.words; }});
    tools.push_back({"figure", Icon::Download, "save the figure (SVG)", result, [&] { desk.app.wish({Wish::What::SaveFigure, "svg"}); }});
    tools.push_back({"pixels", Icon::Download, "save the figure (PNG)", result, [&] { desk.app.wish({Wish::What::SaveFigure, "png"}); }});
    if (!desk.options.native && desk.app.hasTimeline())
        tools.push_back({"film", Icon::Download, "save the film", result, [&] { desk.app.wish({Wish::What::SaveFigure, "film"}); }});
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
    if (desk.options.fullScreen)
        tools.push_back({"screen", Icon::Menu, "fill the screen", true, [&] { desk.app.wish({Wish::What::FullScreen, ""}); }});
    tools.push_back({"open", Icon::Open, "open a file of your own (ONNX, safetensors, npz, CSV, JSON, images)", true, [&] {
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

void drawHeading(Desk& desk) {
    const Rect rect = desk.layout.heading;
    if (rect.height() < 20) return;
    const bool compact = desk.layout.compact;
    const Declaration& scene = desk.session.scene();
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2{0, 0});
    if (beginPanel(desk, "heading", rect, desk.theme.ground)) {
        const double inset = compact ? 12 : 20, width = rect.width() - 2 * inset;
        Vec2 at = rect.lo + Vec2{inset, compact ? 4.0 : 8.0};
        const Heading heading = headingOf(desk.session);
        const TextStyle lookAt = bodyStyle(desk, desk.layout.lookAtSize);
        const std::string words = proseText(heading.lookAt);
        TextStyle title = bodyStyle(desk, compact ? desk.theme.textSize : desk.theme.titleSize);
        title.bold = true;
        // On a narrow screen the scene's name stands in the row above; a lesson there has it where the sentence leaves room.
        const double titled = at.y + title.size * 1.35 + (compact ? 0 : 2);
        if (!compact || (desk.options.ui == UiMode::Lesson && titled + wrappedHeight(desk, words, lookAt, width) <= rect.hi.y)) {
            writeWrapped(desk, at, escapeMarkup(scene.title), title, width, 1);
            at.y = titled;
        }
        const auto lines = static_cast<std::size_t>((rect.hi.y - at.y) / (lookAt.size * 1.35));
        if (lines > 0) at.y += writeWrapped(desk, at, words, lookAt, width, lines);
        // What to try is smaller, and left out where it does not fit.
        const std::string wish = heading.tryThis.empty() || compact ? "" : proseText("Try: " + heading.tryThis);
        for (const double size : {lookAt.size - 2, double(desk.theme.smallSize)}) {
            const TextStyle muted = mutedStyle(desk, size);
            if (at.y + wrappedHeight(desk, wish, muted, width) > rect.hi.y) continue;
            writeWrapped(desk, at, wish, muted, width);
            break;
        }
    }
    endPanel(desk, rect);
    ImGui::PopStyleVar();
}

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

/// Seconds after which what is computed can be stopped by a button.
constexpr double kStoppable = 1;
constexpr double kProgressRoom = 150;  // pixels for "43 %, about 120 s left"

void drawProgress(Desk& desk) {
    if (!desk.app.lagging()) return;
    const Rect picture = desk.layout.picture;
    ImDrawList& list = *ImGui::GetForegroundDrawList();
    const double share = std::clamp(desk.session.progress(), 0.02, 1.0);
    list.AddRectFilled(toIm(picture.lo), toIm(Vec2{picture.hi.x, picture.lo.y + 2}), toIm(desk.theme.line));
    list.AddRectFilled(toIm(picture.lo), toIm(picture.lo + Vec2{share * picture.width(), 2}), toIm(desk.theme.accent));
    // What is soon over needs no button.
    if (const double left = kStoppable - desk.session.busyFor(); left > 0) return desk.screen.drawAgainIn(left);
    const double side = desk.touch() ? 40 : 28;
    const Rect corner{{picture.hi.x - side - 6, picture.lo.y + 6}, {picture.hi.x - 6, picture.lo.y + 6 + side}};
    TextStyle style = mutedStyle(desk);
    style.h = AlignH::Right, style.v = AlignV::Middle;
    const bool roomy = picture.width() > 4 * kProgressRoom;
    const Rect panel{corner.lo - Vec2{roomy ? kProgressRoom : 0, 0}, corner.hi};
    desk.screen.drawAgainIn(0.5);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2{0, 0});
    if (beginPanel(desk, "stop", panel, desk.theme.ground.withAlpha(0.8F))) {
        if (roomy) write(desk, {corner.lo.x - 6, corner.centre().y}, progressWords(desk.session), style);
        if (iconButton(desk, "stop", corner, Icon::Close, "stop computing (Esc)")) desk.session.stop();
    }
    endPanel(desk, panel);
    ImGui::PopStyleVar();
}

namespace {

constexpr double kRoomForSpeed = 520;  // pixels of the timeline

// Where the bar stands in time: 0 is where playing starts, whatever the direction of the axis.
double shareOf(const App& app) {
    const Playhead& playhead = app.playhead();
    return playhead.timeOf(app.at()) / std::max<double>(1, static_cast<double>(playhead.lastStep()));
}

double drawButtons(Desk& desk, Rect rect) {
    const double side = desk.touch() ? 40 : 34, big = desk.touch() ? 44 : 40, y = rect.centre().y;
    double x = rect.lo.x + (desk.layout.compact ? 8 : 18);
    const auto place = [&](double size) {
        const Rect box{{x, y - size / 2}, {x + size, y + size / 2}};
        x += size + 2;
        return box;
    };
    if (iconButton(desk, "back", place(side), Icon::StepBack, "one step back")) desk.app.step(-1);
    const bool playing = desk.app.playing();
    if (iconButton(desk, "play", place(big), playing ? Icon::Pause : Icon::Play, playing ? "pause" : "play", true, true))
        desk.app.togglePlay();
    if (iconButton(desk, "forward", place(side), Icon::StepForward, "one step on")) desk.app.step(1);
    if (rect.width() < kRoomForSpeed) return x;
    const double speed = desk.app.speed();
    // From the fastest it starts over with the slowest.
    if (pill(desk, "speed", {{x + 4, y - 14}, {x + 48, y + 14}}, formatNumber(speed) + "×", false))
        speed < 4 ? desk.app.changeSpeed(1) : desk.app.setSpeed(0.25);
    desk.screen.tooltip("speed of playing (keys < and >)");
    return x + 50;
}

void drawTicks(Desk& desk, Rect bar) {
    const auto last = static_cast<double>(desk.app.playhead().lastStep());
    const double from = bar.lo.x + 8, length = bar.width() - 16, y = bar.centre().y + 10;
    double every = 1;
    for (int i = 0; length * every / last < 7; ++i) every *= i % 3 == 1 ? 2.5 : 2;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    for (double tick = 0; tick <= last; tick += every) {
        const double x = from + length * tick / last;
        list.AddLine(toIm(Vec2{x, y}), toIm(Vec2{x, y + 4}), toIm(desk.theme.muted.withAlpha(0.6f)));
    }
}

// "layer 12 of 24"; steps that are no whole numbers stand alone, "ν 0.187". As wide as the widest, so that nothing moves meanwhile.
double drawLabel(Desk& desk, Rect rect) {
    const Playhead& playhead = desk.app.playhead();
    const auto& steps = playhead.track().steps;
    const bool counted = std::all_of(steps.begin(), steps.end(), [](double step) { return step == std::round(step); });
    const auto words = [&](double step) {
        const std::string label = std::string(desk.session.timeline().label) + " ";
        return escapeMarkup(counted ? label + formatNumber(step) + " of " + formatNumber(steps.back()) : label + inWords(step, 3));
    };
    TextStyle style = bodyStyle(desk, desk.layout.compact ? desk.theme.smallSize : desk.theme.textSize);
    const double width = measure(desk, counted ? words(steps.back()) : words(0.00888), style).x;
    const double right = rect.hi.x - (desk.layout.compact ? 10 : 22);
    style.v = AlignV::Middle;
    const double shown = playhead.track().whole ? desk.app.at() : steps[playhead.stepAt(desk.app.at())];
    write(desk, {right - width, rect.centre().y}, words(shown), style);
    return right - width;
}

}  // namespace

void drawTimeline(Desk& desk) {
    const Rect rect = desk.layout.timeline;
    if (rect.height() < 20 || !desk.app.hasTimeline()) return;
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2{0, 0});
    if (beginPanel(desk, "timeline", rect, desk.theme.ground)) {
        const double left = drawButtons(desk, rect), right = drawLabel(desk, rect);
        const Rect bar{{left + 8, rect.centre().y - 16}, {right - 12, rect.centre().y + 16}};
        double share = shareOf(desk.app);
        if (bar.width() > 60) {
            drawTicks(desk, bar);
            if (track(desk, "scrub", bar, share))
                desk.app.scrub(desk.app.playhead().valueAt(share * static_cast<double>(desk.app.playhead().lastStep())));
        }
    }
    endPanel(desk, rect);
    ImGui::PopStyleVar();
}

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
        for (const auto& array : report->arrays) {
            std::size_t cells = 1;
            for (const auto& axis : array.axes) cells *= axis.size();
            numbers += cells;
        }
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
            takeRow(writeWrapped(desk, at, escapeMarkup(line), style, ImGui::GetContentRegionAvail().x) + 5);
        }
    }
    endPanel(desk, rect);
}

}  // namespace kappaflow
