#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STBI_WRITE_NO_STDIO
#include <stb/stb_image_write.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <vector>

#include "draw/svg_text.h"

namespace kappaflow {
namespace {

std::uint8_t channel(float value) { return static_cast<std::uint8_t>(std::lround(255 * std::clamp(value, 0.0f, 1.0f))); }

}  // namespace

std::vector<std::uint8_t> pngOf(const PaletteImage& image) {
    std::vector<std::uint8_t> rgba;
    rgba.reserve(4 * image.pixels.size());
    for (const std::uint8_t pixel : image.pixels) {
        const Color& color = image.palette[pixel];
        for (const float part : {color.r, color.g, color.b, color.a}) rgba.push_back(channel(part));
    }
    return pngFile(rgba, static_cast<int>(image.cols), static_cast<int>(image.rows), 4);
}

std::vector<std::uint8_t> pngFile(std::span<const std::uint8_t> pixels, int width, int height, int channels) {
    int length = 0;
    const std::unique_ptr<unsigned char, void (*)(void*)> file(
        stbi_write_png_to_mem(pixels.data(), channels * width, width, height, channels, &length), std::free);
    if (!file) return {};
    return {file.get(), file.get() + length};
}

std::string base64(std::span<const std::uint8_t> bytes) {
    constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
        unsigned triple = 0;
        for (std::size_t i = 0; i < 3; ++i) triple = triple << 8 | (i < count ? bytes[at + i] : 0u);
        for (std::size_t i = 0; i < 4; ++i) text += i <= count ? kDigits[triple >> (18 - 6 * i) & 63] : '=';
    }
    return text;
}

namespace {

constexpr std::size_t kMostRects = 1200;
constexpr int kMostLevels = 255;

/// The same field with fewer cells, each the mean of those it stands for that are a number; NaN where none is. `values` holds them.
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

/// Neighbours of one colour in a row.
struct CellRun {
    std::size_t row, begin, end;
    std::uint8_t color;
};
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

namespace {

constexpr std::size_t kBytesOfACell = 36, kBytesOfALine = 20;
// Neighbours overlap by this much, in pixels: with less, both soft edges leave part of a pixel open and the ground shines through.
constexpr double kOverlap = 1;

/// Indices of the `most` largest sizes, in their own order; sizes of 0 left out.
std::vector<std::size_t> largestOf(const std::vector<double>& sizes, std::size_t most) {
    std::vector<std::size_t> kept(sizes.size());
    std::iota(kept.begin(), kept.end(), std::size_t{0});
    kept.erase(std::remove_if(kept.begin(), kept.end(), [&](std::size_t i) { return !(sizes[i] > 0); }), kept.end());
    if (kept.size() <= most) return kept;
    const auto end = kept.begin() + static_cast<std::ptrdiff_t>(most);
    std::nth_element(kept.begin(), end, kept.end(),
                     [&](std::size_t a, std::size_t b) { return sizes[a] != sizes[b] ? sizes[a] > sizes[b] : a < b; });
    kept.erase(end, kept.end());
    std::sort(kept.begin(), kept.end());
    return kept;
}

Color stepped(const Color& c) {
    const auto step = [](float v) { return std::round(v * 32) / 32; };
    return {step(c.r), step(c.g), step(c.b), c.a};
}

Color colorOf(const CellMesh& mesh, std::size_t cell) { return mesh.shaded ? stepped(mesh.colorOf(cell)) : mesh.colorOf(cell); }

Rect boundsOf(const CellMesh& mesh, std::size_t cell) {
    Rect box{{1e300, 1e300}, {-1e300, -1e300}};
    for (std::size_t i = mesh.begin(cell); i < mesh.ends[cell]; ++i) {
        const Vec2 p = mesh.place.at(mesh.points[mesh.corners[i]]);
        box = {{std::min(box.lo.x, p.x), std::min(box.lo.y, p.y)}, {std::max(box.hi.x, p.x), std::max(box.hi.y, p.y)}};
    }
    return box;
}

/// The whole in the mean colour, behind cells of which some are missing.
void writeGround(SvgWriter& out, const CellMesh& mesh) {
    Rect all = boundsOf(mesh, 0);
    Color sum{0, 0, 0, 0};
    const float share = 1 / static_cast<float>(mesh.ends.size());
    for (std::size_t cell = 0; cell < mesh.ends.size(); ++cell) {
        const Rect box = boundsOf(mesh, cell);
        const Color c = colorOf(mesh, cell);
        all = {{std::min(all.lo.x, box.lo.x), std::min(all.lo.y, box.lo.y)}, {std::max(all.hi.x, box.hi.x), std::max(all.hi.y, box.hi.y)}};
        sum = {sum.r + c.r * share, sum.g + c.g * share, sum.b + c.b * share, sum.a + c.a * share};
    }
    out.begin("rect").color("fill", stepped(sum));
    out.attribute("x", all.lo.x).attribute("y", all.lo.y).attribute("width", all.width()).attribute("height", all.height()).end();
}

struct ByChannels {
    bool operator()(const Color& a, const Color& b) const {
        if (a.r != b.r) return a.r < b.r;
        if (a.g != b.g) return a.g < b.g;
        return a.b != b.b ? a.b < b.b : a.a < b.a;
    }
};

}  // namespace

void writeCells(SvgWriter& out, std::string_view id, const CellMesh& mesh, std::size_t mostBytes) {
    std::vector<double> sizes(mesh.ends.size());
    for (std::size_t cell = 0; cell < sizes.size(); ++cell) {
        const Rect box = boundsOf(mesh, cell);
        if (mesh.ends[cell] - mesh.begin(cell) >= 3) sizes[cell] = box.width() * box.height();
    }
    const auto kept = largestOf(sizes, mostBytes / kBytesOfACell);
    std::map<Color, SvgPath, ByChannels> paths;
    for (const std::size_t cell : kept) {
        SvgPath& path = paths.try_emplace(colorOf(mesh, cell), 1).first->second;
        for (std::size_t i = mesh.begin(cell); i < mesh.ends[cell]; ++i) {
            const Vec2 p = mesh.place.at(mesh.points[mesh.corners[i]]);
            i == mesh.begin(cell) ? path.move(p) : path.line(p);
        }
        path.close();
    }
    out.begin("g").mark(id).attribute("stroke-width", kOverlap).attribute("stroke-linejoin", "round").content();
    if (kept.size() < mesh.ends.size() && !mesh.ends.empty()) writeGround(out, mesh);
    for (const auto& [color, path] : paths) {
        if (color.a <= 0) continue;
        out.begin("path").color("fill", color);
        if (color.a >= 1) out.color("stroke", color);
        out.attribute("d", path.data()).end();
    }
    out.close("g");
}

void writeSegments(SvgWriter& out, std::string_view id, const SegmentMesh& mesh, std::size_t mostBytes) {
    std::vector<double> sizes(mesh.ends.size() / 2);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const Vec2 along = mesh.end(2 * i + 1) - mesh.end(2 * i);
        sizes[i] = std::hypot(along.x, along.y);
    }
    SvgPath path;
    for (const std::size_t i : largestOf(sizes, mostBytes / kBytesOfALine)) {
        path.move(mesh.end(2 * i));
        path.line(mesh.end(2 * i + 1));
    }
    if (path.empty()) return;
    out.begin("path").mark(id).attribute("fill", "none").stroke({mesh.color, mesh.width}).attribute("stroke-linejoin", "round");
    out.attribute("d", path.data()).end();
}

}  // namespace kappaflow
