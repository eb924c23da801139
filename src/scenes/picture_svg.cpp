#include "scenes/picture_svg.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "draw/svg_painter.h"
#include "scenes/picture.h"

namespace kappaflow {
namespace {

constexpr double kMargin = 16;

double within(double size) { return std::isfinite(size) ? std::clamp(size, 200.0, 4000.0) : 200; }

/// Title above and caption below; what is left is the picture's.
Rect writeWords(Painter& painter, const Theme& theme, Rect area, const std::string& title, const std::string& caption) {
    const TextStyle head{.color = theme.text, .size = theme.titleSize, .bold = true};
    const TextStyle body{.color = theme.muted, .size = theme.smallSize};
    painter.text("title", area.lo + Vec2{kMargin, kMargin}, escapeMarkup(title), head);
    const auto lines = wrapText(painter, escapeMarkup(caption), body, area.width() - 2 * kMargin);
    const double lineHeight = 1.35 * body.size, high = lineHeight * static_cast<double>(lines.size()) + kMargin;
    for (std::size_t i = 0; i < lines.size(); ++i)
        painter.text("caption", {area.lo.x + kMargin, area.hi.y - high + lineHeight * static_cast<double>(i)}, lines[i], body);
    return area.inset(0, 2 * kMargin + head.size, 0, high + kMargin / 2);
}

void draw(Painter& painter, const Theme& theme, const FigureRequest& wanted, const Rect& area) {
    Handles untouched;
    untouched.beginFrame({});
    PictureFrame frame{.painter = painter,
                       .theme = theme,
                       .handles = untouched,
                       .report = wanted.report,
                       .reportVersion = 1,
                       .state = wanted.state,
                       .area = area,
                       .compact = wanted.compact,
                       .still = true,
                       .changes = {},
                       .kept = true,
                       .panels = wanted.panels};
    painter.pushClip(area);
    makePicture(wanted.state.scene)->draw(frame);
    painter.popClip();
}

bool usesFile(const Declaration& scene, const State& state) {
    return std::any_of(scene.params.begin(), scene.params.end(), [&](const Param& param) {
        return takesFile(param.kind) && state.params.contains(param.key) && state.params.text(param.key) == "file";
    });
}

}  // namespace

std::string captionOf(const Report& report, const Declaration& scene) {
    std::string caption = report.summary;
    if (!caption.empty()) caption += ' ';
    caption += scene.title;
    return caption + (scene.source.empty() ? "." : " (" + scene.source + ").");
}

void drawPicture(Painter& painter, const FigureRequest& wanted) {
    const Declaration* scene = findDeclaration(wanted.state.scene);
    if (!scene) return;
    const Theme& theme = wanted.dark ? Theme::night() : Theme::light();
    Rect area{{0, 0}, {within(wanted.width), within(wanted.height)}};
    if (wanted.words)
        area = writeWords(painter, theme, area, scene->title, wanted.caption.empty() ? captionOf(wanted.report, *scene) : wanted.caption);
    // As beside the screen's panels.
    const double side = wanted.compact ? 2 : 10;
    draw(painter, theme, wanted, area.inset(side, 0, side, 0));
}

std::string pictureSvg(const FigureRequest& wanted, const MeasureText& measure) {
    const Declaration* scene = findDeclaration(wanted.state.scene);
    if (!scene) return {};
    const Theme& theme = wanted.dark ? Theme::night() : Theme::light();
    const double width = within(wanted.width), height = within(wanted.height);
    const std::string caption = wanted.caption.empty() ? captionOf(wanted.report, *scene) : wanted.caption;
    const FigureWords words{.title = scene->title,
                            .caption = caption,
                            .scene = scene->id,
                            .generator = "Kappaflow " KAPPAFLOW_VERSION,
                            .link = wanted.link.empty() ? formatLink(wanted.state) : wanted.link,
                            .source = scene->source,
                            .file = usesFile(*scene, wanted.state) ? wanted.file : std::string()};
    SvgPainter painter(theme, measure, scene->id);
    drawPicture(painter, wanted);
    return svgDocument(width, height, theme, words, painter.finish());
}

std::string pictureMarks(const FigureRequest& wanted) {
    Recorder recorder;
    drawPicture(recorder, wanted);
    std::set<std::string> known;
    std::string lines;
    for (const DrawnMark& mark : recorder.marks)
        if (!mark.id.empty() && known.insert(mark.id).second) lines += mark.id + '\n';
    return lines;
}

}  // namespace kappaflow
