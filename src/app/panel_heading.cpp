#include "app/imgui_support.h"
#include "app/panels.h"
#include "app/rich_text.h"
#include "app/widgets.h"

namespace kappaflow {
namespace {

/// What the numbers say of a trained network, or of one in training; null where one is drawn: that is what the scene's own sentences
/// speak of.
const std::string* wordsOfTrained(const Session& session) {
    const Report* report = session.report();
    for (const auto& param : session.scene().params)
        if (report && takesFile(param.kind) && session.isVisible(param) && session.state().params.at(param.key) != param.standard)
            return &report->summary;
    return nullptr;
}

}  // namespace

void drawHeading(Desk& desk) {
    const Rect rect = desk.layout.heading;
    if (rect.height() < 20) return;
    const bool compact = desk.layout.compact;
    const Declaration& scene = desk.session.scene();
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2{0, 0});
    if (beginPanel(desk, "heading", rect, desk.theme.ground)) {
        const double inset = compact ? 12 : 20, width = rect.width() - 2 * inset;
        Vec2 at = rect.lo + Vec2{inset, compact ? 4.0 : 10.0};
        // On a narrow screen the scene's name stands in the row above.
        if (!compact || desk.options.ui == UiMode::Lesson) {
            TextStyle title = bodyStyle(desk, compact ? desk.theme.textSize : desk.theme.titleSize);
            title.bold = true;
            writeWrapped(desk, at, plainText(scene.title), title, width, 1);
            at.y += title.size * 1.35 + (compact ? 0 : 3);
        }
        const TextStyle words = mutedStyle(desk, compact ? desk.theme.tinySize : desk.theme.smallSize);
        const double line = words.size * 1.35;
        const auto lines = static_cast<std::size_t>((rect.hi.y - at.y) / line);
        const std::string* trained = wordsOfTrained(desk.session);
        if (lines > 0) at.y += writeWrapped(desk, at, proseText(trained ? *trained : scene.lookAt), words, width, lines);
        if (!trained && at.y + line <= rect.hi.y + 1 && !compact)
            writeWrapped(desk, at, proseText("Try: " + scene.tryThis), words, width, 1);
    }
    endPanel(desk, rect);
    ImGui::PopStyleVar();
}

}  // namespace kappaflow
