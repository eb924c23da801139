#include "draw/svg_cells.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kappaflow {
namespace {

constexpr std::size_t kMostRects = 1200;
constexpr int kMostLevels = 255;

// The cells of one colour in one path. Edges are not softened: softened ones would let the ground shine through between neighbours.
void writeRuns(SvgWriter& out, const PaletteImage& image, const std::vector<CellRun>& runs, const PlaneCorners& corners, int decimals) {
    const auto at = [&](std::size_t row, std::size_t col) {
        return pointOn(corners, static_cast<double>(col) / static_cast<double>(image.cols),
                       static_cast<double>(row) / static_cast<double>(image.rows))
            .at;
    };
    std::vector<SvgPath> paths(image.palette.size(), SvgPath(decimals));
    for (const CellRun& run : runs) {
        SvgPath& path = paths[run.color];
        path.move(at(run.row, run.begin));
        path.line(at(run.row, run.end));
        path.line(at(run.row + 1, run.end));
        path.line(at(run.row + 1, run.begin));
        path.close();
    }
    for (std::size_t color = 0; color < paths.size(); ++color)
        if (!paths[color].empty()) out.begin("path").color("fill", image.palette[color]).attribute("d", paths[color].data()).end();
}

void writeImage(SvgWriter& out, std::string_view id, const Rect& dest, const PaletteImage& image) {
    out.begin("image").mark(id).attribute("x", dest.lo.x).attribute("y", dest.lo.y).attribute("width", dest.width());
    out.attribute("height", dest.height()).attribute("preserveAspectRatio", "none");
    // Viewers of SVG 1.1 know the first, browsers the second.
    out.attribute("style", "image-rendering:optimizeSpeed;image-rendering:pixelated");
    out.attribute("xlink:href", "data:image/png;base64," + base64(pngOf(image))).end();
}

std::size_t atMost(std::size_t count, double pixels) {
    return static_cast<std::size_t>(std::clamp(std::ceil(pixels), 1.0, static_cast<double>(count)));
}

}  // namespace

PaletteImage paletteImage(const Field2D& field, bool dark, std::size_t rows, std::size_t cols, int levels) {
    PaletteImage image{rows, cols, std::vector<std::uint8_t>(rows * cols), {{0, 0, 0, 0}}};
    for (int level = 0; level < levels; ++level) {
        const double place = static_cast<double>(level) / (levels - 1);
        const Color color = sample(field.map, place, dark);
        image.palette.push_back(field.fadesOut ? color.withAlpha(static_cast<float>(color.a * fadedAlpha(place))) : color);
    }
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t col = 0; col < cols; ++col) {
            const double value = field.values[(row * field.rows / rows) * field.cols + col * field.cols / cols];
            const double place = mapPosition(field.map, value, field.lo, field.hi, field.logarithmic);
            if (std::isnan(place) || (field.fadesOut && fadedAlpha(place) == 0)) continue;
            auto index = static_cast<std::size_t>(1 + std::lround(place * (levels - 1)));
            // What is just in sight must not be rounded out of it.
            while (image.palette[index].a == 0 && index + 1 < image.palette.size()) ++index;
            image.pixels[row * cols + col] = static_cast<std::uint8_t>(index);
        }
    return image;
}

Field2D averaged(const Field2D& field, std::size_t rows, std::size_t cols, std::vector<double>& values) {
    values.assign(rows * cols, 0);
    std::vector<std::size_t> counts(rows * cols, 0);
    for (std::size_t row = 0; row < field.rows; ++row)
        for (std::size_t col = 0; col < field.cols; ++col) {
            const double value = field.values[row * field.cols + col];
            const std::size_t to = (row * rows / field.rows) * cols + col * cols / field.cols;
            if (std::isnan(value)) continue;
            values[to] += value;
            ++counts[to];
        }
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = counts[i] ? values[i] / static_cast<double>(counts[i]) : std::numeric_limits<double>::quiet_NaN();
    Field2D coarse = field;
    coarse.rows = rows;
    coarse.cols = cols;
    coarse.values = values;
    return coarse;
}

std::vector<CellRun> runsOf(const PaletteImage& image) {
    std::vector<CellRun> runs;
    for (std::size_t row = 0; row < image.rows; ++row) {
        const std::uint8_t* cells = image.pixels.data() + row * image.cols;
        for (std::size_t begin = 0, end = 0; begin < image.cols; begin = end) {
            for (end = begin + 1; end < image.cols && cells[end] == cells[begin];) ++end;
            if (cells[begin]) runs.push_back({row, begin, end, cells[begin]});
        }
    }
    return runs;
}

std::size_t writeField(SvgWriter& out, std::string_view id, const Rect& dest, const Field2D& field, bool dark, std::size_t mostCells) {
    std::size_t rows = atMost(field.rows, dest.height()), cols = atMost(field.cols, dest.width());
    while (rows > 1 && rows > mostCells / cols) rows = (rows + 1) / 2, cols = (cols + 1) / 2;
    const PaletteImage image = paletteImage(field, dark, rows, cols, kMostLevels);
    const auto runs = runsOf(image);
    if (runs.size() > kMostRects) {
        writeImage(out, id, dest, image);
    } else if (!runs.empty()) {
        const PlaneCorners corners{{{dest.lo}, {{dest.hi.x, dest.lo.y}}, {dest.hi}, {{dest.lo.x, dest.hi.y}}}};
        out.begin("g").mark(id).attribute("shape-rendering", "crispEdges").content();
        writeRuns(out, image, runs, corners, 2);
        out.close("g");
    }
    return rows * cols;
}

std::size_t writePlane(SvgWriter& out, std::string_view id, const PlaneCorners& corners, const Field2D& field, double opacity, bool dark,
                       std::size_t mostRuns) {
    const auto edge = [&](std::size_t a, std::size_t b) { return length(corners[a].at - corners[b].at); };
    std::size_t rows = atMost(field.rows, std::max(edge(0, 3), edge(1, 2)));
    std::size_t cols = atMost(field.cols, std::max(edge(0, 1), edge(3, 2)));
    std::vector<double> values;
    PaletteImage image;
    std::vector<CellRun> runs;
    const auto fits = [&](int levels) {
        image = paletteImage(averaged(field, rows, cols, values), dark, rows, cols, levels);
        runs = runsOf(image);
        return runs.size() <= mostRuns;
    };
    while (!fits(64) && !fits(32) && !fits(16) && rows * cols > 1) rows = (rows + 1) / 2, cols = (cols + 1) / 2;
    if (runs.empty()) return 0;
    out.begin("g").mark(id).attribute("shape-rendering", "crispEdges");
    if (opacity < 1) out.attribute("opacity", svgNumber(opacity, 3));
    out.content();
    writeRuns(out, image, runs, corners, 1);
    out.close("g");
    return runs.size();
}

}  // namespace kappaflow
