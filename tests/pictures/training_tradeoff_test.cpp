#include <cmath>

#include "support/picture_checks.h"

using namespace kappaflow;

namespace {

Shown shown(std::vector<std::pair<std::string, Value>> more = {}) {
    std::vector<std::pair<std::string, Value>> all{{"width", 12.0}, {"layers", 3.0}, {"samples", 60.0}, {"steps", 40.0}, {"arcs", 3.0}};
    all.insert(all.end(), more.begin(), more.end());
    return Shown("training-tradeoff", all);
}

const DrawnMark& only(const Shown& s, const std::string& id) {
    const DrawnMark* found = nullptr;
    for (const auto* mark : s.recorder.find(id))
        if (mark->id == id) found = mark;
    REQUIRE(found);
    return *found;
}

}  // namespace

TEST_CASE("training tradeoff: the curve at a step lies beside the one before training, on one scale at all steps") {
    Shown s = shown({{"layer", 2.0}});
    const auto& image = *s.report.array("image");
    const std::size_t points = image.axes[2].size(), layers = image.axes[1].size();
    REQUIRE(points == 181);
    std::vector<std::vector<Vec2>> starts;
    std::vector<double> scales;
    for (const double at : {0.0, 20.0, 40.0}) {
        s.set("at", at);
        s.draw();
        const auto &now = only(s, "image/now").points, &start = only(s, "image/start").points;
        REQUIRE(now.size() == points);
        starts.push_back(start);
        CHECK(start == starts[0]);
        CHECK((at == 0) == (now == start));
        const std::size_t look = at == 0 ? 0 : at == 20 ? 4 : image.axes[0].size() - 1;
        REQUIRE(image.axes[0].values[look] == at);
        const double* row = &image.values[(look * layers + 2) * 2 * points];
        const Vec2 seen = now.back() - now.front();
        scales.push_back(std::hypot(seen.x, seen.y) / std::hypot(row[2 * points - 2] - row[0], row[2 * points - 1] - row[1]));
        CHECK(scales.back() == doctest::Approx(scales[0]));
    }
}

TEST_CASE("training tradeoff: images stand in order along the arc, the first and the last the samples themselves") {
    Shown s = shown();
    s.draw();
    const auto images = s.recorder.find("arc/image");
    std::vector<const DrawnMark*> fields;
    for (const auto* mark : images)
        if (mark->kind == "field") fields.push_back(mark);
    REQUIRE(fields.size() >= 7);
    for (std::size_t i = 1; i < fields.size(); ++i) CHECK(fields[i]->points[0].x > fields[i - 1]->points[1].x);
    const auto& ends = *s.report.array("endImages");
    CHECK(ends.axes[0].keys[0] != ends.axes[0].keys[1]);
    CHECK(ends.rowLength() == 784);
    CHECK(s.says("the arc from a " + ends.axes[0].keys[0] + " to a " + ends.axes[0].keys[1]));
}

TEST_CASE("training tradeoff: handles choose the layer and the place on the arc; texts keep apart") {
    for (const auto& move : {std::pair<std::string, double>{"layer", 1}, {"angle", 20}}) {
        CAPTURE(move.first);
        Shown s = shown();
        const auto changes = s.afterMove(move.first, move.second);
        REQUIRE(changes.size() == 1);
        CHECK(changes[0].key == move.first);
        CHECK(std::get<double>(changes[0].value) == move.second);
    }
    Shown s = shown({{"layer", 1.0}});
    s.draw();
    const auto& length = *s.report.array("length");
    const double times = length.row(length.axes[0].size() - 1)[1] / length.row(0)[1];
    CHECK(s.says("layer 1: arcs " + inWords(times, 2) + " times as long as before"));
    checkLabels(s);
    Shown counted = shown({{"show", std::string("transitions")}, {"layer", 0.0}});
    counted.draw();
    CHECK(counted.says("layer 1: "));
    checkLabels(counted);
}
