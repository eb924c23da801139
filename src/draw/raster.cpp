#include "draw/raster.h"

#include <imgui.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

#include "draw/imgui_painter.h"
#include "draw/svg_text.h"

namespace kappaflow {
namespace {

constexpr int kFiner = 2;       // places of a pixel along a side
constexpr int kBand = 64;       // rows of places that are filled at a time
constexpr double kEdge = 1e-9;  // of a triangle's area: both neighbours of an edge take what lies on it, the later one on top

constexpr unsigned kMostThreads = 16;

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
        for (int y = first; y <= last; ++y) {
            // Where all three shares, which are linear along a row, are at least −kEdge; its ends are tried, for they are rounded.
            double from = left, to = right;
            for (int i = 0; i < 3; ++i) {
                const Vec2 a = p[(i + 1) % 3], side = p[(i + 2) % 3] - a;
                const double slope = -side.y / area, start = (side.x * (y + 0.5 - a.y) + side.y * (a.x - 0.5)) / area + kEdge;
                if (slope > 0) from = std::max(from, std::floor(-start / slope));
                if (slope < 0) to = std::min(to, std::ceil(-start / slope));
                if (slope == 0 && start < 0) to = from - 1;
            }
            if (!(from <= to)) continue;
            for (int x = static_cast<int>(from); x <= static_cast<int>(to); ++x) {
                const Vec2 at{x + 0.5, y + 0.5};
                double share[3];
                for (int i = 0; i < 3; ++i) share[i] = cross(p[(i + 2) % 3] - p[(i + 1) % 3], at - p[(i + 1) % 3]) / area;
                if (std::min({share[0], share[1], share[2]}) >= -kEdge) blend(at, corners, share, atlas);
            }
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

/// The pixels of one band, from its places.
void reduceBand(const Band& band, Raster& raster) {
    const auto place = [&](int x, int y) {
        return band.places[static_cast<std::size_t>(y) * static_cast<std::size_t>(band.width) + static_cast<std::size_t>(x)];
    };
    auto* pixel =
        &raster.rgb[static_cast<std::size_t>(3) * static_cast<std::size_t>(raster.width) * static_cast<std::size_t>(band.top / kFiner)];
    for (int y = 0; y < band.rows; y += kFiner)
        for (int x = 0; x < band.width; x += kFiner)
            for (float Pixel::*part : {&Pixel::r, &Pixel::g, &Pixel::b}) {
                const float sum = place(x, y).*part + place(x + 1, y).*part + place(x, y + 1).*part + place(x + 1, y + 1).*part;
                *pixel++ = static_cast<std::uint8_t>(std::lround(255 * std::clamp(sum / 4, 0.0F, 1.0F)));
            }
}

/// Bands are independent of each other: as many at a time as there are cores.
Raster filled(const ImDrawData& data, Color ground, int width, int height, double perUnit) {
    Atlas atlas;
    ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&atlas.alpha, &atlas.width, &atlas.height);
    Raster raster{width, height, {}};
    raster.rgb.resize(static_cast<std::size_t>(3) * static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    std::atomic<int> next = 0;
    const auto work = [&] {
        for (int top; (top = kBand * next++) < kFiner * height;) {
            Band band{kFiner * width, top, std::min(kBand, kFiner * height - top), {}};
            band.places.assign(static_cast<std::size_t>(band.width) * static_cast<std::size_t>(band.rows), {ground.r, ground.g, ground.b});
            fillBand(band, data, perUnit, atlas);
            reduceBand(band, raster);
        }
    };
    std::vector<std::thread> others;
    for (unsigned i = 1; i < std::min(kMostThreads, std::thread::hardware_concurrency()); ++i) others.emplace_back(work);
    work();
    for (auto& other : others) other.join();
    return raster;
}

/// The first context becomes the current one by itself.
ImGuiContext* newContext() {
    ImGuiContext* before = ImGui::GetCurrentContext();
    ImGuiContext* made = ImGui::CreateContext();
    ImGui::SetCurrentContext(before);
    return made;
}

/// Makes a context the current one for a while.
class Within {
public:
    explicit Within(ImGuiContext* context) : before_(ImGui::GetCurrentContext()) { ImGui::SetCurrentContext(context); }
    ~Within() { ImGui::SetCurrentContext(before_); }
    Within(const Within&) = delete;
    Within& operator=(const Within&) = delete;

private:
    ImGuiContext* before_;
};

}  // namespace

struct RasterCanvas::Held {
    ImGuiContext* context;
    FontSet fonts;
};

RasterCanvas::RasterCanvas(const FontFiles& files, double width, double height, double pixelRatio)
    : width_(width), height_(height), pixelRatio_(pixelRatio), held_(std::make_unique<Held>()) {
    held_->context = newContext();
    const Within own(held_->context);
    ImGui::GetIO().IniFilename = nullptr;
    ImGui::GetIO().DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
    held_->fonts.setFiles(files);
    held_->fonts.bake(kFiner * pixelRatio);
    unsigned char* alpha;
    int columns, rows;
    ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&alpha, &columns, &rows);
}

RasterCanvas::~RasterCanvas() {
    const Within own(held_->context);
    ImGui::DestroyContext(held_->context);
}

Raster RasterCanvas::draw(const Theme& theme, const std::function<void(Painter&)>& draw) {
    const Within own(held_->context);
    const double perUnit = kFiner * pixelRatio_;
    ImGui::NewFrame();
    {
        ImGuiPainter painter(*ImGui::GetBackgroundDrawList(), held_->fonts, theme, perUnit, nullptr);
        draw(painter);
    }
    ImGui::Render();
    return filled(*ImGui::GetDrawData(), theme.ground, std::max(1, static_cast<int>(std::lround(width_ * pixelRatio_))),
                  std::max(1, static_cast<int>(std::lround(height_ * pixelRatio_))), perUnit);
}

namespace {

void putBigEndian(std::vector<std::uint8_t>& bytes, std::uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<std::uint8_t>(number >> shift));
}

/// A chunk of Latin-1 text: RFC 2083, 4.2.3, with its checksum of 3.4.
std::vector<std::uint8_t> textChunk(std::string_view keyword, std::string_view text) {
    std::vector<std::uint8_t> chunk;
    putBigEndian(chunk, static_cast<std::uint32_t>(keyword.size() + 1 + text.size()));
    for (const std::string_view part : {std::string_view("tEXt"), keyword, std::string_view("\0", 1), text})
        chunk.insert(chunk.end(), part.begin(), part.end());
    std::uint32_t sum = ~0U;
    for (std::size_t i = 4; i < chunk.size(); ++i) {
        sum ^= chunk[i];
        for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (sum & 1 ? 0xEDB88320U : 0);
    }
    putBigEndian(chunk, ~sum);
    return chunk;
}

}  // namespace

std::vector<std::uint8_t> pngOf(const Raster& raster, const std::vector<std::pair<std::string, std::string>>& texts) {
    constexpr std::ptrdiff_t kAfterHeader = 33;
    auto file = pngFile(raster.rgb, raster.width, raster.height, 3);
    for (const auto& [keyword, text] : texts) {
        const auto chunk = textChunk(keyword, text);
        file.insert(file.begin() + kAfterHeader, chunk.begin(), chunk.end());
    }
    return file;
}

}  // namespace kappaflow
