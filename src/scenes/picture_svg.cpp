#include "scenes/picture_svg.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "draw/raster.h"
#include "draw/svg_painter.h"
#include "draw/svg_text.h"
#include "scenes/picture.h"

namespace kappaflow {
namespace {

constexpr double kMargin = 16;
constexpr double kFilmRest = 2;  // seconds that the last picture stays
constexpr std::size_t kMostFilm = 30'000'000;

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
    const auto own = wanted.picture ? nullptr : makePicture(wanted.state.scene);
    if (own && wanted.lent) own->take(*wanted.lent, frame.reportVersion);
    (own ? *own : *wanted.picture).draw(frame);
    if (own && wanted.lent) own->giveBack(*wanted.lent, frame.reportVersion);
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
    const Theme& theme = wanted.theme();
    Rect area{{0, 0}, {within(wanted.width), within(wanted.height)}};
    if (wanted.words)
        area = writeWords(painter, theme, area, scene->title, wanted.caption.empty() ? captionOf(wanted.report, *scene) : wanted.caption);
    // As beside the screen's panels.
    const double side = wanted.compact ? 2 : 10;
    draw(painter, theme, wanted, area.inset(side, 0, side, 0));
}

namespace {

std::string documentOf(const FigureRequest& wanted, const Declaration& scene, const std::string& marks) {
    const FigureWords words{.title = scene.title,
                            .caption = wanted.caption.empty() ? captionOf(wanted.report, scene) : wanted.caption,
                            .scene = scene.id,
                            .generator = "Kappaflow " KAPPAFLOW_VERSION,
                            .link = wanted.link.empty() ? formatLink(wanted.state) : wanted.link,
                            .source = scene.source,
                            .file = usesFile(scene, wanted.state) ? wanted.file : std::string()};
    return svgDocument(within(wanted.width), within(wanted.height), wanted.theme(), words, marks);
}

}  // namespace

std::string pictureSvg(const FigureRequest& wanted, const MeasureText& measure) {
    const Declaration* scene = findDeclaration(wanted.state.scene);
    if (!scene) return {};
    SvgPainter painter(wanted.theme(), measure, scene->id);
    drawPicture(painter, wanted);
    return documentOf(wanted, *scene, painter.finish());
}

std::string filmSvg(std::size_t frames, const std::function<FigureRequest(std::size_t)>& frame, double secondsEach,
                    const MeasureText& measure) {
    const double whole = secondsEach * static_cast<double>(frames) + kFilmRest;
    const auto share = [&](double seconds) { return svgNumber(100 * seconds / whole, 4); };
    // Each picture covers the one before, which goes a little later; the first lies under all, so that the ground is never seen.
    std::string marks = "<style>.frame{visibility:hidden;animation:" + svgNumber(whole, 4) + "s step-end infinite frame}" +
                        ".frame:first-child{visibility:visible;animation:none}.frame:last-child{animation-name:last}" +
                        "@keyframes frame{0%{visibility:visible}" + share(2 * secondsEach) + "%{visibility:hidden}}" +
                        "@keyframes last{0%{visibility:visible}" + share(secondsEach + kFilmRest) + "%{visibility:hidden}}" +
                        "@media(prefers-reduced-motion:reduce){.frame{animation:none}.frame:last-child{visibility:visible}}</style>\n<g>";
    for (std::size_t i = 0; i < frames; ++i) {
        const FigureRequest wanted = frame(i);
        const Theme& theme = wanted.theme();
        SvgPainter painter(theme, measure, wanted.state.scene + std::to_string(i));
        painter.rect("ground", {{0, 0}, {within(wanted.width), within(wanted.height)}}, theme.ground, 0);
        drawPicture(painter, wanted);
        // Begun in the past, so that all moments are there from the start.
        marks += "<g class=\"frame\" style=\"animation-delay:" + svgNumber(secondsEach * static_cast<double>(i) - whole, 4) + "s\">" +
                 painter.finish() + "</g>\n";
        if (marks.size() > kMostFilm) return {};
        if (i + 1 == frames) return documentOf(wanted, requireDeclaration(wanted.state.scene), marks + "</g>");
    }
    return {};
}

std::string picturePng(const Raster& raster, const State& state) {
    const auto bytes = pngOf(raster, {{"Source", formatLink(state)}, {"Software", "Kappaflow " KAPPAFLOW_VERSION}});
    return {bytes.begin(), bytes.end()};
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
