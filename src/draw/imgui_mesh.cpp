#include "draw/imgui_mesh.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "draw/imgui_shapes.h"
#include "draw/imgui_vec.h"

namespace kappaflow {
namespace {

/// Across the line, half its width and its soft edge from the middle out.
struct Profile {
    double inner, outer;
    ImU32 full, none;
};

Profile profileOf(const SegmentMesh& mesh, double pixel) {
    // Thinner than a device pixel: a pixel wide and paler.
    const double width = std::max(mesh.width, pixel), paler = std::min(1.0, mesh.width / pixel);
    const Color color = mesh.color.withAlpha(static_cast<float>(mesh.color.a * paler));
    return {0.5 * (width - pixel), 0.5 * (width + pixel), packed(color), packed(color.withAlpha(0))};
}

void addSegment(ImDrawList& list, Vec2 a, Vec2 b, const Profile& profile, ImVec2 white) {
    const Vec2 along = b - a;
    const double length = std::hypot(along.x, along.y);
    if (!(length > 1e-6)) return;
    const Vec2 across{-along.y / length, along.x / length};
    list.PrimReserve(18, 8);
    const unsigned first = list._VtxCurrentIdx;
    for (const Vec2 end : {a, b}) {
        list.PrimWriteVtx(toIm(end - across * profile.outer), white, profile.none);
        list.PrimWriteVtx(toIm(end - across * profile.inner), white, profile.full);
        list.PrimWriteVtx(toIm(end + across * profile.inner), white, profile.full);
        list.PrimWriteVtx(toIm(end + across * profile.outer), white, profile.none);
    }
    for (unsigned strip = 0; strip < 3; ++strip)
        for (const unsigned corner : {0u, 1u, 5u, 0u, 5u, 4u}) list.PrimWriteIdx(first + strip + corner);
}

}  // namespace

void addCells(ImDrawList& list, const CellMesh& mesh) {
    const ImVec2 white = ImGui::GetFontTexUvWhitePixel();
    for (std::size_t cell = 0; cell < mesh.ends.size(); ++cell) {
        const std::size_t begin = mesh.begin(cell), count = mesh.ends[cell] - begin;
        if (count < 3) continue;
        list.PrimReserve(static_cast<int>(3 * (count - 2)), static_cast<int>(count));
        const unsigned first = list._VtxCurrentIdx;
        for (unsigned i = 2; i < count; ++i) {
            list.PrimWriteIdx(first);
            list.PrimWriteIdx(first + i - 1);
            list.PrimWriteIdx(first + i);
        }
        for (std::size_t i = begin; i < begin + count; ++i)
            list.PrimWriteVtx(toIm(mesh.place.at(mesh.points[mesh.corners[i]])), white,
                              packed(mesh.colors[mesh.shaded ? mesh.corners[i] : cell]));
    }
}

void addSegments(ImDrawList& list, const SegmentMesh& mesh, double pixel) {
    const Profile profile = profileOf(mesh, pixel);
    const ImVec2 white = ImGui::GetFontTexUvWhitePixel();
    for (std::size_t i = 0; i + 1 < mesh.ends.size(); i += 2) addSegment(list, mesh.end(i), mesh.end(i + 1), profile, white);
}

}  // namespace kappaflow
