#pragma once
#include <functional>
#include <vector>

#include "core/base/geometry.h"

namespace kappaflow {

/// How a picture's panels share its area: panels, and rows and columns of them. Columns that do not fit side by side stand one below the
/// other, rows that do not fit one below the other stand side by side; where there is no room then, the panels of the highest rank go.
class Layout {
public:
    /// A panel that needs at least `least` and is drawn by `draw`; rank 0 is the one that always stays.
    Layout(int rank, Vec2 least, std::function<void(Rect)> draw);
    static Layout rows(std::vector<Layout> parts);
    static Layout columns(std::vector<Layout> parts);
    /// The share of the room that this part has beside its neighbours, 1 unless said.
    Layout share(double weight) &&;

    /// Draws what has room, of the panels whose ranks are bits of `ranks`; of all where none has such a rank.
    void draw(Rect, unsigned ranks = ~0u) const;

private:
    enum class Kind { Panel, Rows, Columns };
    explicit Layout(Kind kind, std::vector<Layout> parts);
    Vec2 least() const;
    int highestRank() const;
    Layout only(unsigned ranks) const;
    void drop(int rank);
    Layout stacked(double width) const;
    Layout abreast(double height) const;
    bool fits(Vec2 size) const;
    void place(Rect) const;

    Kind kind_;
    double weight_ = 1;
    int rank_ = 0;
    Vec2 least_;
    std::function<void(Rect)> draw_;
    std::vector<Layout> parts_;
};

}  // namespace kappaflow
