#include "draw/imgui_fields.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "draw/imgui_shapes.h"

namespace kappaflow {
namespace {

/// A field with no more rows and columns than there are pixels for them.
struct FieldCells {
    const Field2D& field;
    std::size_t rows, cols;
    double opacity;
    bool dark;
    FieldCells(const Field2D& f, double width, double height, double alpha, bool night)
        : field(f), rows(atMost(f.rows, height)), cols(atMost(f.cols, width)), opacity(alpha), dark(night) {}
    static std::size_t atMost(std::size_t count, double pixels) {
        return static_cast<std::size_t>(std::clamp(pixels, 1.0, static_cast<double>(count)));
    }
    /// 0: nothing to draw.
    ImU32 colorAt(std::size_t row, std::size_t col) const {
        const double value = field.values[(row * field.rows / rows) * field.cols + col * field.cols / cols];
        const double place = mapPosition(field.map, value, field.lo, field.hi, field.logarithmic);
        if (std::isnan(place)) return 0;
        Color color = sample(field.map, place, dark);
        color.a *= static_cast<float>(opacity * (field.fadesOut ? fadedAlpha(place) : 1));
        return color.a > 0 ? packed(color) : 0;
    }
    /// draw(row, first column, column behind the last, colour) for every run.
    template <class Draw>
    void forEachRun(Draw draw) const {
        for (std::size_t row = 0; row < rows; ++row)
            for (std::size_t begin = 0, end = 0; begin < cols; begin = end) {
                const ImU32 color = colorAt(row, begin);
                for (end = begin + 1; end < cols && colorAt(row, end) == color;) ++end;
                if (color) draw(row, begin, end, color);
            }
    }
};

double distance(const ProjectedPoint& a, const ProjectedPoint& b) { return std::hypot(a.at.x - b.at.x, a.at.y - b.at.y); }

// Hard edges: soft ones of neighbours would overlap into a seam where the colours are see-through.
void addQuad(ImDrawList& list, const Vec2 (&corners)[4], ImU32 color) {
    const ImVec2 white = ImGui::GetFontTexUvWhitePixel();
    list.PrimReserve(6, 4);
    const unsigned first = list._VtxCurrentIdx;
    for (const unsigned corner : {0u, 1u, 2u, 0u, 2u, 3u}) list.PrimWriteIdx(first + corner);
    for (const Vec2& p : corners) list.PrimWriteVtx({static_cast<float>(p.x), static_cast<float>(p.y)}, white, color);
}

}  // namespace

void addField(ImDrawList& list, const Rect& dest, const Field2D& field, bool dark) {
    const FieldCells cells(field, dest.width(), dest.height(), 1, dark);
    const auto x = [&](std::size_t col) {
        return static_cast<float>(dest.lo.x + dest.width() * static_cast<double>(col) / static_cast<double>(cells.cols));
    };
    const auto y = [&](std::size_t row) {
        return static_cast<float>(dest.lo.y + dest.height() * static_cast<double>(row) / static_cast<double>(cells.rows));
    };
    cells.forEachRun([&](std::size_t row, std::size_t begin, std::size_t end, ImU32 color) {
        list.AddRectFilled({x(begin), y(row)}, {x(end), y(row + 1)}, color);
    });
}

void addPlane(ImDrawList& list, const PlaneCorners& corners, const Field2D& field, double opacity, bool dark) {
    const FieldCells cells(field, std::max(distance(corners[0], corners[1]), distance(corners[3], corners[2])),
                           std::max(distance(corners[0], corners[3]), distance(corners[1], corners[2])), opacity, dark);
    const auto at = [&](std::size_t row, std::size_t col) {
        return pointOn(corners, static_cast<double>(col) / static_cast<double>(cells.cols),
                       static_cast<double>(row) / static_cast<double>(cells.rows))
            .at;
    };
    cells.forEachRun([&](std::size_t row, std::size_t begin, std::size_t end, ImU32 color) {
        addQuad(list, {at(row, begin), at(row, end), at(row + 1, end), at(row + 1, begin)}, color);
    });
}

}  // namespace kappaflow
