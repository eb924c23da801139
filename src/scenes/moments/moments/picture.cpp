// Signal and noise through the layers of random networks (P3 Figs 3–5): clouds of feature vectors, χ, its increments, effective ranks.
#include <algorithm>
#include <cmath>

#include "scenes/moments/moments/picture_view.h"

namespace kappaflow {
namespace moments {
namespace {

/// The k-th of n equal parts of a row.
Rect part(const Rect& row, std::size_t k, std::size_t n) {
    const double gap = 8, width = (row.width() - gap * static_cast<double>(n - 1)) / static_cast<double>(n);
    const double left = row.lo.x + (width + gap) * static_cast<double>(k);
    return {{left, row.lo.y}, {left + width, row.hi.y}};
}

void drawClouds(PictureFrame& f, const View& view, const Rect& rect, std::size_t columns) {
    const std::size_t rows = (view.nets.size() + columns - 1) / columns;
    const double height = rect.height() / static_cast<double>(rows);
    for (std::size_t k = 0; k < view.nets.size(); ++k) {
        const double top = rect.lo.y + height * static_cast<double>(k / columns);
        drawCloud(f, view, part({{rect.lo.x, top}, {rect.hi.x, top + height - 4}}, k % columns, columns), k);
    }
}

void drawCompact(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    if (a.height() < 300) return view.comparing() ? drawSensitivity(f, view, a) : drawCloud(f, view, part(a, 0, 1), 0);
    const double split = a.lo.y + a.height() * 0.56;
    const Rect top{a.lo, {a.hi.x, split - 4}}, bottom{{a.lo.x, split + 4}, a.hi};
    drawClouds(f, view, top, view.comparing() ? 2 : 1);
    drawSensitivity(f, view, bottom);
}

void drawWide(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    const bool tall = a.height() > 420;
    const double split = tall ? a.lo.y + a.height() * (view.comparing() ? 0.44 : 0.56) : a.hi.y;
    const Rect top{{a.lo.x, a.lo.y + 4}, {a.hi.x, tall ? split - 4 : split}}, bottom{{a.lo.x, split + 4}, a.hi};
    if (view.comparing() && tall) {
        drawClouds(f, view, top, view.nets.size());
        drawSensitivity(f, view, part(bottom, 0, 3));
        drawIncrements(f, view, part(bottom, 1, 3));
        drawRanks(f, view, part(bottom, 2, 3));
        return;
    }
    const double middle = a.lo.x + std::min(a.width() * 0.48, top.height() * 1.15);
    drawClouds(f, view, {top.lo, {middle - 4, top.hi.y}}, view.comparing() ? 2 : 1);
    drawSensitivity(f, view, {{middle + 4, top.lo.y}, top.hi});
    if (!tall) return;
    drawIncrements(f, view, part(bottom, 0, 3));
    drawRanks(f, view, part(bottom, 1, 3));
    drawSigns(f, view, part(bottom, 2, 3));
}

class MomentsPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View view;
        if (!readView(f, view)) return emptyPicture(f, "Signal and noise are on their way through the layers.");
        f.area.width() < 600 ? drawCompact(f, view) : drawWide(f, view);
    }
};

}  // namespace
}  // namespace moments

PictureEntry moments_picture() {
    return {"moments", [] { return std::unique_ptr<Picture>(std::make_unique<moments::MomentsPicture>()); }};
}

}  // namespace kappaflow
