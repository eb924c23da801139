#include "draw/layout.h"

#include <algorithm>
#include <numeric>

namespace kappaflow {
namespace {

constexpr double kBetweenColumns = 18, kBetweenRows = 8, kLeastColumn = 90;

}  // namespace

Layout::Layout(int rank, Vec2 least, std::function<void(Rect)> draw)
    : kind_(Kind::Panel), rank_(rank), least_(least), draw_(std::move(draw)) {}
Layout::Layout(Kind kind, std::vector<Layout> parts) : kind_(kind), parts_(std::move(parts)) {}
Layout Layout::rows(std::vector<Layout> parts) { return Layout(Kind::Rows, std::move(parts)); }
Layout Layout::columns(std::vector<Layout> parts) { return Layout(Kind::Columns, std::move(parts)); }

Layout Layout::share(double weight) && {
    weight_ = weight;
    return std::move(*this);
}

Vec2 Layout::least() const {
    if (kind_ == Kind::Panel) return least_;
    Vec2 sum, most;
    for (const auto& part : parts_) {
        const Vec2 size = part.least();
        sum = sum + size;
        most = {std::max(most.x, size.x), std::max(most.y, size.y)};
    }
    const double gaps = static_cast<double>(parts_.size()) - 1;
    return kind_ == Kind::Columns ? Vec2{sum.x + gaps * kBetweenColumns, most.y} : Vec2{most.x, sum.y + gaps * kBetweenRows};
}

int Layout::highestRank() const {
    int highest = rank_;
    for (const auto& part : parts_) highest = std::max(highest, part.highestRank());
    return highest;
}

void Layout::drop(int rank) {
    for (auto& part : parts_) part.drop(rank);
    std::erase_if(parts_, [&](const Layout& part) { return part.kind_ == Kind::Panel ? part.rank_ == rank : part.parts_.empty(); });
}

Layout Layout::stacked(double width) const {
    Layout copy = *this;
    if (kind_ == Kind::Columns && least().x > width) copy.kind_ = Kind::Rows;
    if (copy.kind_ == Kind::Rows)
        for (auto& part : copy.parts_) part = part.stacked(width);
    return copy;
}

Layout Layout::abreast(double height) const {
    Layout copy = *this;
    // A headline or a strip is no column.
    const bool panels =
        std::all_of(parts_.begin(), parts_.end(), [](const Layout& part) { return part.least().x > 0 && part.least().y >= kLeastColumn; });
    if (kind_ == Kind::Rows && panels && least().y > height) copy.kind_ = Kind::Columns;
    if (copy.kind_ == Kind::Columns)
        for (auto& part : copy.parts_) part = part.abreast(height);
    return copy;
}

bool Layout::fits(Vec2 size) const {
    const Vec2 needed = least();
    return needed.x <= size.x && needed.y <= size.y;
}

Layout Layout::only(unsigned ranks) const {
    Layout layout = *this;
    for (int rank = 0; rank <= highestRank(); ++rank)
        if (!(ranks >> std::min(rank, 31) & 1)) layout.drop(rank);
    return kind_ == Kind::Panel || layout.parts_.empty() ? *this : layout;
}

void Layout::draw(Rect area, unsigned ranks) const {
    const Vec2 size{area.width(), area.height()};
    Layout layout = only(ranks);
    while (layout.highestRank() > 0 && !layout.fits(size)) {
        if (const Layout stacked = layout.stacked(size.x); stacked.fits(size)) return stacked.place(area);
        if (const Layout abreast = layout.abreast(size.y); abreast.fits(size)) return abreast.place(area);
        layout.drop(layout.highestRank());
    }
    layout.stacked(size.x).place(area);
}

void Layout::place(Rect area) const {
    if (kind_ == Kind::Panel) return draw_(area);
    const bool across = kind_ == Kind::Columns;
    const double gap = across ? kBetweenColumns : kBetweenRows, gaps = gap * (static_cast<double>(parts_.size()) - 1);
    // Each part has its least size; what is left over goes to those that are smaller than their share of the whole.
    const double room = (across ? area.width() : area.height()) - gaps;
    std::vector<double> sizes(parts_.size());
    std::vector<bool> held(parts_.size());
    for (std::size_t round = 0; round <= parts_.size(); ++round) {
        double free = room, weights = 0;
        for (std::size_t i = 0; i < parts_.size(); ++i) (held[i] ? free -= sizes[i] : weights += parts_[i].weight_);
        bool changed = false;
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            if (held[i]) continue;
            const Vec2 least = parts_[i].least();
            sizes[i] = free * parts_[i].weight_ / weights;
            const double needed = across ? least.x : least.y;
            if (sizes[i] < needed && parts_.size() > 1) sizes[i] = needed, held[i] = changed = true;
        }
        if (!changed) break;
    }
    // Where not even the least sizes fit, all shrink alike.
    if (const double sum = std::accumulate(sizes.begin(), sizes.end(), 0.0); sum > room)
        for (double& size : sizes) size *= std::max(room, 0.0) / sum;
    double at = across ? area.lo.x : area.lo.y;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const double end = at + sizes[i];
        parts_[i].place(across ? Rect{{at, area.lo.y}, {end, area.hi.y}} : Rect{{area.lo.x, at}, {area.hi.x, end}});
        at = end + gap;
    }
}

}  // namespace kappaflow
