#include "draw/raster.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "draw/imgui_painter.h"
#include "draw/svg_text.h"

namespace kappaflow {
namespace {

constexpr int kFiner = 2;       // places of a pixel along a side
constexpr int kBand = 256;      // rows of places that are filled at a time
constexpr double kEdge = 1e-9;  // of a triangle's area: both neighbours of an edge take what lies on it, the later one on top

struct Pixel {
    float r, g, b;
};

/// The font atlas, by which every colour is multiplied; between its texels as GL does it.
struct Atlas {
    unsigned char* alpha = nullptr;
    int width = 0, height = 0;
    float at(double u, double v) const {
        const double x = u * width - 0.5, y = v * height - 0.5, left = std::floor(x), top = std::floor(y);
        const auto texel = [&](double column, double row) {
            const int c = std::clamp(static_cast<int>(column), 0, width - 1), r = std::clamp(static_cast<int>(row), 0, height - 1);
            return static_cast<double>(alpha[r * width + c]);
        };
        const double fx = x - left, fy = y - top;
        const double upper = texel(left, top) * (1 - fx) + texel(left + 1, top) * fx;
        const double lower = texel(left, top + 1) * (1 - fx) + texel(left + 1, top + 1) * fx;
        return static_cast<float>((upper * (1 - fy) + lower * fy) / 255);
    }
};

/// Rows `top` … `top + rows` of the places.
struct Band {
    int width, top, rows;
    std::vector<Pixel> places;

    void fill(const ImDrawVert* const (&corners)[3], double perUnit, const ImVec4& clip, const Atlas& atlas) {
        Vec2 p[3];
        for (int i = 0; i < 3; ++i) p[i] = {corners[i]->pos.x * perUnit, corners[i]->pos.y * perUnit};
        const double area = cross(p[1] - p[0], p[2] - p[0]);
        if (!(std::abs(area) > 1e-9)) return;
        const auto reach = [&](double lo, double hi, double from, double to) {
            // Clamped on both sides: corners may lie anywhere.
            return std::pair(static_cast<int>(std::clamp(std::ceil(lo - 0.5), from, to)),
                             static_cast<int>(std::clamp(std::floor(hi - 0.5), from - 1, to - 1)));
        };
        const auto [minX, maxX] = std::minmax({p[0].x, p[1].x, p[2].x});
        const auto [minY, maxY] = std::minmax({p[0].y, p[1].y, p[2].y});
        const auto [left, right] =
            reach(std::max(minX, std::round(clip.x * perUnit)), std::min(maxX, std::round(clip.z * perUnit)), 0, width);
        const auto [first, last] =
            reach(std::max(minY, std::round(clip.y * perUnit)), std::min(maxY, std::round(clip.w * perUnit)), top, top + rows);
        for (int y = first; y <= last; ++y)
            for (int x = left; x <= right; ++x) {
                const Vec2 at{x + 0.5, y + 0.5};
                double share[3];
                for (int i = 0; i < 3; ++i) share[i] = cross(p[(i + 2) % 3] - p[(i + 1) % 3], at - p[(i + 1) % 3]) / area;
                if (std::min({share[0], share[1], share[2]}) >= -kEdge) blend(at, corners, share, atlas);
            }
    }

    void blend(Vec2 at, const ImDrawVert* const (&corners)[3], const double (&share)[3], const Atlas& atlas) {
        double part[4] = {}, u = 0, v = 0;
        for (int i = 0; i < 3; ++i) {
            u += share[i] * corners[i]->uv.x, v += share[i] * corners[i]->uv.y;
            for (int k = 0; k < 4; ++k) part[k] += share[i] * (corners[i]->col >> (8 * k) & 255) / 255;
        }
        const auto alpha = static_cast<float>(std::clamp(part[3], 0.0, 1.0)) * atlas.at(u, v);
        Pixel& place = places[(static_cast<std::size_t>(at.y) - static_cast<std::size_t>(top)) * static_cast<std::size_t>(width) +
                              static_cast<std::size_t>(at.x)];
        const auto over = [&](float& below, double above) { below += alpha * (static_cast<float>(above) - below); };
        over(place.r, part[0]), over(place.g, part[1]), over(place.b, part[2]);
    }
};

void fillBand(Band& band, const ImDrawData& data, double perUnit, const Atlas& atlas) {
    for (const ImDrawList* list : data.CmdLists)
        for (const ImDrawCmd& command : list->CmdBuffer) {
            if (command.ClipRect.w * perUnit < band.top || command.ClipRect.y * perUnit > band.top + band.rows) continue;
            for (unsigned i = 0; i + 2 < command.ElemCount; i += 3) {
                const ImDrawVert* corners[3];
                for (unsigned k = 0; k < 3; ++k)
                    corners[k] = &list->VtxBuffer[static_cast<int>(command.VtxOffset +
                                                                   list->IdxBuffer[static_cast<int>(command.IdxOffset + i + k)])];
                band.fill(corners, perUnit, command.ClipRect, atlas);
            }
        }
}

Raster filled(const ImDrawData& data, Color ground, int width, int height, double perUnit) {
    Atlas atlas;
    ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&atlas.alpha, &atlas.width, &atlas.height);
    Raster raster{width, height, {}};
    raster.rgb.reserve(static_cast<std::size_t>(3) * static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    for (int top = 0; top < kFiner * height; top += kBand) {
        Band band{kFiner * width, top, std::min(kBand, kFiner * height - top), {}};
        band.places.assign(static_cast<std::size_t>(band.width) * static_cast<std::size_t>(band.rows), {ground.r, ground.g, ground.b});
        fillBand(band, data, perUnit, atlas);
        const auto place = [&](int x, int y) {
            return band.places[static_cast<std::size_t>(y) * static_cast<std::size_t>(band.width) + static_cast<std::size_t>(x)];
        };
        for (int y = 0; y < band.rows; y += kFiner)
            for (int x = 0; x < band.width; x += kFiner)
                for (float Pixel::*part : {&Pixel::r, &Pixel::g, &Pixel::b}) {
                    const float sum = place(x, y).*part + place(x + 1, y).*part + place(x, y + 1).*part + place(x + 1, y + 1).*part;
                    raster.rgb.push_back(static_cast<std::uint8_t>(std::lround(255 * std::clamp(sum / 4, 0.0F, 1.0F))));
                }
    }
    return raster;
}

}  // namespace

Raster rasterOf(const FontFiles& files, const Theme& theme, double width, double height, double pixelRatio,
                const std::function<void(Painter&)>& draw) {
    const double perUnit = kFiner * pixelRatio;
    ImGuiContext* before = ImGui::GetCurrentContext();
    ImGuiContext* own = ImGui::CreateContext();
    ImGui::SetCurrentContext(own);
    ImGui::GetIO().IniFilename = nullptr;
    ImGui::GetIO().DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
    FontSet fonts;
    fonts.setFiles(files);
    fonts.bake(perUnit);
    unsigned char* alpha;
    int columns, rows;
    ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&alpha, &columns, &rows);
    ImGui::NewFrame();
    {
        ImGuiPainter painter(*ImGui::GetBackgroundDrawList(), fonts, theme, perUnit, nullptr);
        draw(painter);
    }
    ImGui::Render();
    Raster raster = filled(*ImGui::GetDrawData(), theme.ground, std::max(1, static_cast<int>(std::lround(width * pixelRatio))),
                           std::max(1, static_cast<int>(std::lround(height * pixelRatio))), perUnit);
    ImGui::DestroyContext(own);
    ImGui::SetCurrentContext(before);
    return raster;
}

std::vector<std::uint8_t> pngOf(const Raster& raster) { return pngFile(raster.rgb, raster.width, raster.height, 3); }

}  // namespace kappaflow
