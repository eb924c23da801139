// What the partition's picture shows and what it asks for when it is pulled about.
#include "support/picture_checks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "scenes/expressivity/activation_regions_picture.h"

using namespace kappaflow;

namespace {

using List = std::vector<double>;

Shown shown(std::vector<std::pair<std::string, Value>> values = {}) {
    Shown s("activation-regions", values);
    s.area = {{0, 0}, {1000, 620}};
    return s;
}

/// The window's square on the screen.
Rect squareOf(const Shown& s) {
    const auto frames = s.recorder.find("window/frame");
    REQUIRE(frames.size() == 1);
    return {frames[0]->points[0], frames[0]->points[1]};
}

double areaOf(const std::vector<Vec2>& points, std::size_t begin, std::size_t end) {
    double area = 0;
    for (std::size_t i = begin; i < end; ++i) {
        const Vec2 a = points[i], b = points[i + 1 < end ? i + 1 : begin];
        area += 0.5 * (a.x * b.y - a.y * b.x);
    }
    return std::abs(area);
}

}  // namespace

TEST_CASE("activation regions: the cells fill the square, none twice") {
    Shown s = shown();
    s.draw();
    const Rect square = squareOf(s);
    const auto cells = s.recorder.find("regions/cells");
    REQUIRE(cells.size() == 1);
    double sum = 0;
    std::size_t begin = 0;
    for (const double count : cells[0]->numbers) {
        sum += areaOf(cells[0]->points, begin, begin + static_cast<std::size_t>(count));
        begin += static_cast<std::size_t>(count);
    }
    CHECK(sum == doctest::Approx(square.width() * square.height()).epsilon(1e-6));
    CHECK(cells[0]->numbers.size() == s.report.array("area")->values.size());
}

namespace {

/// A result with its courses; the window from −1 to 1, so that the mesh's coordinates are the plane's.
struct Courses {
    activation_regions::Result result;
    region_mesh::Mesh mesh;
    activation_regions::Courses of;
    explicit Courses(const Report& report) {
        readReport(activation_regions::kScene, report, &result);
        mesh = region_mesh::meshOf({result.vertices, result.polygons, result.polygonEnds, result.edges, result.edgeLayer, *result.decisions,
                                    result.window, layers()});
        of = coursesOf(result, mesh);
    }
    std::size_t layers() const { return result.depths.size() - 1; }
    std::map<std::size_t, double> cells(std::size_t layer, double share) const {
        const auto cells = cellsAt(result, of, layer, share);
        std::map<std::size_t, double> areas;
        for (std::size_t r = 0; r < cells.size(); ++r) areas[cells[r]] += result.area[r];
        return areas;
    }
};

double distance(Vec2 a, Vec2 b) { return std::hypot(a.x - b.x, a.y - b.y); }

}  // namespace

TEST_CASE("activation regions: the cells that stand before, between and after a layer's lines fill the window") {
    for (const char* activation : {"relu", "hard-tanh", "abs"}) {
        CAPTURE(activation);
        const Courses courses(shown({{"widths", List{5, 6, 4}}, {"activation", std::string(activation)}, {"biasVariance", 0.3}}).report);
        for (std::size_t layer = 1; layer <= courses.layers(); ++layer) {
            std::size_t before = 0;
            for (const double share : {-1.0, 0.0, 0.2, 0.4, 0.6, 0.8, 1.0}) {
                const auto cells = courses.cells(layer, share);
                double sum = 0;
                for (const auto& cell : cells) sum += cell.second;
                CHECK(sum == doctest::Approx(4).epsilon(1e-9));
                CHECK(cells.size() >= before);
                before = cells.size();
            }
            CHECK(static_cast<double>(courses.cells(layer, -1).size()) == courses.result.regionsByDepth[layer - 1]);
            CHECK(static_cast<double>(before) == courses.result.regionsByDepth[layer]);
        }
    }
}

TEST_CASE("activation regions: a pen runs from border to border along a unit's whole line, at steady speed") {
    const Courses courses(shown({{"widths", List{5, 6, 4}}, {"biasVariance", 0.1}}).report);
    const auto isOnBorder = [](Vec2 p) { return std::abs(std::max(std::abs(p.x), std::abs(p.y)) - 1) < 1e-9; };
    double all = 0;
    for (std::size_t layer = 1; layer <= courses.layers(); ++layer) {
        double length = 0;
        for (const auto& pen : courses.of.pens[layer]) {
            double own = 0;
            Vec2 last{9, 9};
            double unit = -1;
            for (const auto& piece : pen) {
                const Vec2 a = courses.mesh.points[static_cast<std::size_t>(courses.result.edges[2 * piece.edge])];
                const Vec2 b = courses.mesh.points[static_cast<std::size_t>(courses.result.edges[2 * piece.edge + 1])];
                const Vec2 from = piece.turned ? b : a;
                const bool goesOn = unit == courses.result.edgeUnit[piece.edge] && from == last;
                // A first layer's lines are straight: each begins on the border, and so does what is drawn after it.
                if (layer == 1 && !goesOn) CHECK(isOnBorder(from));
                if (layer == 1 && !goesOn && unit >= 0) CHECK(isOnBorder(last));
                own += distance(a, b);
                last = piece.turned ? a : b, unit = courses.result.edgeUnit[piece.edge];
                ++all;
            }
            for (const auto& piece : pen) {
                const Vec2 a = courses.mesh.points[static_cast<std::size_t>(courses.result.edges[2 * piece.edge])];
                const Vec2 b = courses.mesh.points[static_cast<std::size_t>(courses.result.edges[2 * piece.edge + 1])];
                CHECK(piece.end - piece.begin == doctest::Approx(distance(a, b) / own).epsilon(1e-9));
            }
            length += own;
        }
        const auto drawn = [&](double share) {
            double sum = 0;
            const auto lines = linesAt(courses.result, courses.mesh, courses.of, layer, share);
            for (std::size_t i = 0; i + 1 < lines.ends.size(); i += 2) sum += distance(lines.ends[i], lines.ends[i + 1]);
            return sum;
        };
        for (const double share : {0.0, 0.3, 0.5, 1.0}) CHECK(drawn(share) == doctest::Approx(share * length).epsilon(1e-9));
    }
    CHECK(all == std::count_if(courses.result.edgeLayer.begin(), courses.result.edgeLayer.end(), [](double l) { return l > 0; }));
}

TEST_CASE("activation regions: a layer's lines are drawn on the timeline, one unit's after the other's") {
    const auto lengths = [](double depth) {
        Shown s = shown({{"depth", depth}});
        s.draw();
        std::vector<double> drawn;
        for (int l = 1; l <= 3; ++l) {
            double sum = 0;
            for (const auto* mark : s.recorder.find("regions/edges/" + std::to_string(l)))
                for (std::size_t i = 0; i + 1 < mark->points.size(); i += 2) sum += distance(mark->points[i], mark->points[i + 1]);
            drawn.push_back(sum);
        }
        return drawn;
    };
    const auto whole = lengths(24);
    CHECK(lengths(0) == List{0, 0, 0});
    CHECK(lengths(1) == List{whole[0], 0, 0});
    const auto half = lengths(1.5);
    CHECK(half[0] == whole[0]);
    CHECK(half[1] == doctest::Approx(whole[1] * 12 / 23).epsilon(1e-6));
    CHECK(half[2] == 0);
    CHECK(lengths(1.99)[1] == doctest::Approx(whole[1]));
    // Four units: one pen.
    Shown s = shown({{"depth", 1.5}});
    s.draw();
    CHECK(s.recorder.find("regions/pens").size() == 1);
}

TEST_CASE("activation regions: cells take their colours after a line has passed, not before") {
    struct Fills final : NullPainter {
        std::set<std::array<float, 3>> colors;
        void cells(std::string_view id, const CellMesh& mesh) override {
            if (id != "regions/cells") return;
            for (const Color& c : mesh.colors) colors.insert({c.r, c.g, c.b});
        }
    };
    const auto colorsAt = [](double depth, const char* colour) {
        Shown s = shown({{"depth", depth}, {"colour", std::string(colour)}});
        Fills fills;
        PictureFrame f = s.frame({});
        PictureFrame seen{fills, f.theme, f.handles, f.report, f.reportVersion, f.state, f.area};
        s.picture->draw(seen);
        return fills.colors.size();
    };
    const List regions = shown().report.array("regionsByDepth")->values;
    for (const char* colour : {"pattern", "output"}) {
        CAPTURE(colour);
        CHECK(colorsAt(0, colour) == 1);
        CHECK(colorsAt(0.05, colour) == 1);
        CHECK(colorsAt(0.5, colour) > 1);
        CHECK(colorsAt(0.5, colour) < static_cast<std::size_t>(regions[1]));
        CHECK(colorsAt(1, colour) <= static_cast<std::size_t>(regions[1]));
        CHECK(colorsAt(1.05, colour) <= static_cast<std::size_t>(regions[1]));
        CHECK(colorsAt(1.9, colour) > colorsAt(1, colour));
    }
}

TEST_CASE("activation regions: blue cells are those with an output below 0, and lines have other colours") {
    struct Fills final : NullPainter {
        std::vector<Color> colors;
        void cells(std::string_view id, const CellMesh& mesh) override {
            if (id == "regions/cells") colors.assign(mesh.colors.begin(), mesh.colors.end());
        }
    };
    Shown s = shown({{"widths", List{8, 8}}, {"seed", 3.0}});
    Fills fills;
    PictureFrame f = s.frame({});
    PictureFrame seen{fills, f.theme, f.handles, f.report, f.reportVersion, f.state, f.area};
    s.picture->draw(seen);
    const auto& output = s.report.array("output")->values;
    REQUIRE(fills.colors.size() == output.size());
    int below = 0, above = 0;
    for (std::size_t r = 0; r < output.size(); ++r) {
        if (output[r] == 0) continue;
        ++(output[r] < 0 ? below : above);
        CHECK((output[r] < 0) == (fills.colors[r].b > fills.colors[r].r));
    }
    CHECK(below > 3);
    CHECK(above > 3);
    for (const Theme* theme : {&Theme::light(), &Theme::night()})
        for (std::size_t layer = 1; layer <= 24; ++layer)
            for (const int sign : {0, 1})
                CHECK_FALSE(region_mesh::layerColor(*theme, layer) == theme->series[static_cast<std::size_t>(sign)]);
    CHECK(s.state.params.text("colour") == "output");
    CHECK(requireDeclaration("activation-regions").param("colour")->affects == Affects::View);
}

TEST_CASE("activation regions: the output cuts regions in which it changes its sign into halves with a mean of either sign") {
    const Courses courses(shown({{"widths", List{8, 8}}, {"seed", 3.0}}).report);
    const auto halves = halvesOf(courses.result, courses.mesh);
    REQUIRE(halves.means.size() > 6);
    std::map<std::size_t, double> areas, integrals;
    for (std::size_t i = 0, begin = 0; i < halves.means.size(); begin = halves.ends[i++]) {
        const double area = areaOf(halves.points, begin, halves.ends[i]);
        areas[halves.regions[i]] += area, integrals[halves.regions[i]] += area * halves.means[i];
        if (i % 2 == 1) CHECK(halves.means[i - 1] < 0);
        if (i % 2 == 1) CHECK(halves.means[i] > 0);
    }
    for (const auto& own : areas) {
        CHECK(own.second == doctest::Approx(courses.result.area[own.first]).epsilon(1e-9));
        CHECK(integrals[own.first] / own.second == doctest::Approx(courses.result.output[own.first]).epsilon(1e-7));
    }
}

TEST_CASE("activation regions: the decision boundary comes with the last layer, the strongest of all lines") {
    for (const double depth : {0.0, 1.0, 2.0, 3.0}) {
        Shown s = shown({{"widths", List{16, 16, 16}}, {"depth", depth}});
        s.draw();
        CHECK(s.says(depth == 0 ? "window" : "layer"));
        const auto marks = s.recorder.find("regions/decision");
        CHECK(marks.empty() == (depth < 3));
        if (marks.empty()) continue;
        for (const auto* edges : s.recorder.find("regions/edges/")) CHECK(edges->numbers[0] < marks.back()->numbers[0]);
    }
}

TEST_CASE("activation regions: dragging moves the window with the pointer, the wheel zooms about it") {
    Shown s = shown();
    s.draw();
    const Rect square = squareOf(s);
    const Vec2 clear = square.hi - Vec2{30, 80};  // of lines
    Pointer press = pointerAt(clear);
    press.down = press.pressed = true;
    s.draw(press);
    Pointer drag = pointerAt(clear + Vec2{square.width() / 4, -square.width() / 8});
    drag.down = true;
    const auto centre = wanted<List>(s.draw(drag), "centre");
    CHECK(centre[0] == doctest::Approx(-0.5));
    CHECK(centre[1] == doctest::Approx(-0.25));

    Pointer wheel = pointerAt(square.lo + Vec2{square.width() * 0.75, square.height() * 0.25});
    wheel.wheel = 2;
    const auto changes = s.draw(wheel);
    const Change* half = changeOf(changes, "half");
    REQUIRE(half);
    const double h = std::get<double>(half->value);
    CHECK(h == doctest::Approx(1 / 1.44).epsilon(1e-4));
    const auto zoomed = wanted<List>(changes, "centre");
    // What was under the pointer, (1/2, 1/2), stays there.
    CHECK(zoomed[0] + 0.5 * h == doctest::Approx(0.5).epsilon(1e-4));
    CHECK(zoomed[1] + 0.5 * h == doctest::Approx(0.5).epsilon(1e-4));

    Pointer twice = pointerAt(clear);
    twice.doubleClicked = true;
    CHECK(wanted<List>(s.draw(twice), "centre") == List{0, 0});
}

TEST_CASE("activation regions: the wheel is the window's, on the point that a click has pinned too") {
    Shown s = shown({{"pin", List{0.3, 0.25}}});
    s.draw();
    s.handles.endFrame();
    const Rect square = squareOf(s);
    CHECK(s.handles.takesWheelAt(square.centre()));
    CHECK_FALSE(s.handles.takesWheelAt(square.hi + Vec2{30, -30}));
    Pointer wheel = pointerAt(s.recorder.find("regions/pin")[0]->points[0]);
    s.draw(wheel);
    wheel.wheel = 1;
    CHECK(changeOf(s.draw(wheel), "half"));
}

TEST_CASE("activation regions: until a new window is cut the old mesh stands where it belongs") {
    Shown s = shown();
    s.draw();
    const Rect square = squareOf(s);
    s.state.params.set("half", 2.0);
    s.state.params.set("centre", List{1, 0});
    s.draw();
    Vec2 lo{1e9, 1e9}, hi{-1e9, -1e9};
    for (const Vec2& p : s.recorder.find("regions/cells")[0]->points) {
        lo = {std::min(lo.x, p.x), std::min(lo.y, p.y)};
        hi = {std::max(hi.x, p.x), std::max(hi.y, p.y)};
    }
    CHECK(lo.x == doctest::Approx(square.lo.x));
    CHECK(hi.x == doctest::Approx(square.centre().x));
    CHECK(lo.y == doctest::Approx(square.lo.y + square.height() / 4));
    CHECK(hi.y == doctest::Approx(square.hi.y - square.height() / 4));
}

TEST_CASE("activation regions: the pointer tells a region's facts, a click pins it and another lets it go") {
    Shown s = shown();
    s.draw();
    const Vec2 middle = squareOf(s).hi - Vec2{30, 80};
    s.draw(pointerAt(middle));
    CHECK(s.says("area "));
    CHECK(s.says("layer 3: "));
    CHECK(s.says("output "));
    REQUIRE(s.recorder.find("regions/marked").size() == 1);
    const Color wash = s.recorder.find("regions/marked")[0]->color;
    CHECK(std::abs(wash.r - wash.b) < 0.1f);  // neither blue nor orange
    Pointer press = pointerAt(middle);
    press.down = press.pressed = true;
    s.draw(press);
    Pointer release = pointerAt(middle);
    release.released = true;
    const auto pin = wanted<List>(s.draw(release), "pin");
    REQUIRE(pin.size() == 2);
    s.state.params.set("pin", pin);
    s.draw();
    CHECK(s.says("area "));
    CHECK_FALSE(s.recorder.find("regions/pin").empty());
    s.draw(press);
    CHECK(wanted<List>(s.draw(release), "pin").empty());
}

TEST_CASE("activation regions: a unit under the pointer lights its line in all cells, on the window and nowhere else") {
    Shown s = shown({{"chosen", List{1, 0}}});
    s.draw();
    const auto units = s.recorder.find("network/unit");
    const auto& layers = s.report.array("edgeLayer")->values;
    const auto& owners = s.report.array("edgeUnit")->values;
    // Two inputs, four units of layer 1: unit 2 of layer 2.
    const Vec2 there = units[2 + 4 + 2]->points[0];
    PictureFrame first = s.frame(pointerAt(there));
    s.picture->draw(first);
    CHECK(first.animating);
    PictureFrame second = s.frame(pointerAt(there));
    s.recorder.marks.clear();
    s.picture->draw(second);
    CHECK_FALSE(second.animating);
    const auto lines = s.recorder.find("regions/chosen");
    REQUIRE(lines.size() == 2);
    std::size_t edges = 0;
    for (std::size_t e = 0; e < layers.size(); ++e) edges += layers[e] == 2 && owners[e] == 2 ? 1 : 0;
    REQUIRE(edges > 2);
    CHECK(lines[1]->points.size() == 2 * edges);
}

TEST_CASE("activation regions: a cell under the pointer shows the active paths in the network, and its facts above all else") {
    Shown s = shown();
    s.draw();
    CHECK(s.recorder.find("network/weight/active").empty());
    const Rect square = squareOf(s);
    // Inputs reach the units of layer 1 that are on, these those of layer 2, and so on to the output.
    s.draw(pointerAt(square.hi - Vec2{20, 60}));
    std::vector<std::size_t> on;
    for (const auto* mark : s.recorder.find("tooltip"))
        if (mark->text.rfind("layer ", 0) == 0)
            on.push_back(static_cast<std::size_t>(std::count(mark->text.begin() + 8, mark->text.end(), '1')));
    REQUIRE(on.size() == 3);
    CHECK(s.recorder.find("network/weight/active").size() == 2 * on[0] + on[0] * on[1] + on[1] * on[2] + on[2]);
    const auto last = [&](const std::string& prefix) {
        std::size_t found = 0;
        for (std::size_t i = 0; i < s.recorder.marks.size(); ++i)
            if (s.recorder.marks[i].id.rfind(prefix, 0) == 0) found = i;
        return found;
    };
    CHECK(last("tooltip") == s.recorder.marks.size() - 1);
    CHECK(last("network/") < last("tooltip"));
}

TEST_CASE("activation regions: a weight is pulled by its bar, again in its own place, and the choice of a unit by a press") {
    Shown s = shown({{"chosen", List{2, 1}}});
    auto edits = wanted<List>(s.afterMove("weight 2.1.0", 0.5), "edits");
    CHECK(edits == List{2, 1, 0, 0.5});
    s.state.params.set("edits", edits);
    edits = wanted<List>(s.afterMove("weight 2.1.-1", -0.25), "edits");
    CHECK(edits == List{2, 1, 0, 0.5, 2, 1, -1, -0.25});
    s.state.params.set("edits", edits);
    CHECK(wanted<List>(s.afterMove("weight 2.1.0", 0.75), "edits") == List{2, 1, 0, 0.75, 2, 1, -1, -0.25});
    const auto units = s.recorder.find("network/unit");
    REQUIRE(units.size() == 2 + 4 + 4 + 4 + 1);
    Pointer press = pointerAt(units[2]->points[0]);
    press.down = press.pressed = true;
    CHECK(wanted<List>(s.draw(press), "chosen") == List{1, 0});
}

namespace {

/// Distance of a point of the plane from the lines of a unit.
double distanceFrom(const Report& report, double layer, double unit, Vec2 point) {
    const auto& edges = report.array("edges")->values;
    const auto& vertices = report.array("vertices")->values;
    double best = 1e9;
    for (std::size_t e = 0; 2 * e < edges.size(); ++e) {
        if (report.array("edgeLayer")->values[e] != layer || report.array("edgeUnit")->values[e] != unit) continue;
        const auto at = [&](std::size_t end) {
            const auto v = static_cast<std::size_t>(edges[2 * e + end]);
            return Vec2{vertices[2 * v], vertices[2 * v + 1]};
        };
        const Vec2 along = at(1) - at(0);
        const double share = std::clamp(dot(point - at(0), along) / dot(along, along), 0.0, 1.0);
        best = std::min(best, length(point - at(0) - along * share));
    }
    return best;
}

Vec2 inPlane(const Rect& square, Vec2 at, double half = 1) {
    return Vec2{at.x - square.centre().x, square.centre().y - at.y} * (2 * half / square.width());
}

}  // namespace

TEST_CASE("activation regions: a line that is dragged follows the pointer by its unit's bias, and no older line moves") {
    for (const char* bend : {"relu", "abs", "hard-tanh"}) {
        CAPTURE(bend);
        Shown s = shown({{"activation", std::string(bend)}, {"weightVariance", 6.0}, {"widths", List{6, 6}}});
        s.draw();
        const Rect square = squareOf(s);
        const auto& layers = s.report.array("edgeLayer")->values;
        const auto& edges = s.report.array("edges")->values;
        const auto& vertices = s.report.array("vertices")->values;
        // The longest piece of the second layer's lines, by its middle.
        std::size_t longest = 0;
        double most = 0;
        Vec2 middle;
        for (std::size_t e = 0; e < layers.size(); ++e) {
            const auto a = static_cast<std::size_t>(edges[2 * e]), b = static_cast<std::size_t>(edges[2 * e + 1]);
            const Vec2 from{vertices[2 * a], vertices[2 * a + 1]}, to{vertices[2 * b], vertices[2 * b + 1]}, at = (from + to) * 0.5;
            if (layers[e] != 2 || length(to - from) <= most || std::max(std::abs(at.x), std::abs(at.y)) > 0.7) continue;
            most = length(to - from), longest = e, middle = at;
        }
        REQUIRE(most > 0);
        const double unit = s.report.array("edgeUnit")->values[longest];
        const Vec2 start = square.centre() + Vec2{middle.x, -middle.y} * (square.width() / 2), end = start + Vec2{13, -9};
        const auto changes = s.afterDrag(start, end);
        const List edits = wanted<List>(changes, "edits");
        REQUIRE(edits.size() == 4);
        CHECK(List(edits.begin(), edits.begin() + 3) == List{2, unit, -1});
        CHECK(wanted<List>(changes, "chosen") == List{2, unit});
        CHECK(changeOf(changes, "centre") == nullptr);
        const auto before = *s.report.array("regionsByDepth");
        CHECK(distanceFrom(s.report, 2, unit, inPlane(square, end)) > 0.005);
        s.set("edits", edits);
        s.show(reportOf(s.state));
        CHECK(distanceFrom(s.report, 2, unit, inPlane(square, end)) < 1e-4);
        CHECK(s.report.array("regionsByDepth")->values[1] == before.values[1]);
    }
}

TEST_CASE("activation regions: a line is turned by a knob about its other one, by a few weights, by pointer and keyboard") {
    for (const double layer : {1.0, 2.0}) {
        CAPTURE(layer);
        Shown s = shown({{"widths", List{12, 12}}, {"chosen", List{layer, 3}}});
        s.draw();
        const Rect square = squareOf(s);
        const Vec2 knob = s.handleOf("turn0").rect.centre(), pivot = s.handleOf("turn1").rect.centre(), to = knob + Vec2{12, 18};
        const List edits = wanted<List>(s.afterDrag(knob, to), "edits");
        CHECK(edits.size() <= 4 * 9);
        s.handles.beginFrame({});
        Shown after = shown({{"widths", List{12, 12}}, {"chosen", List{layer, 3}}, {"edits", edits}});
        CHECK(distanceFrom(s.report, layer, 3, inPlane(square, to)) > 0.005);
        CHECK(distanceFrom(after.report, layer, 3, inPlane(square, to)) < 1e-3);
        CHECK(distanceFrom(after.report, layer, 3, inPlane(square, pivot)) < 1e-3);
        // By the keyboard it turns by so many degrees.
        Shown keyed = shown({{"widths", List{12, 12}}, {"chosen", List{layer, 3}}});
        keyed.draw();
        const double angle = keyed.handleOf("turn0").value;
        const List turned = wanted<List>(keyed.afterMove("turn0", angle > 90 ? angle - 4 : angle + 4), "edits");
        CHECK(turned != edits);
    }
}

TEST_CASE("activation regions: a line stays with a hand that holds it while reports come, and a mere click moves nothing") {
    Shown s = shown();
    s.draw();
    const Vec2 knob = s.handleOf("turn0").rect.centre(), pivot = s.handleOf("turn1").rect.centre();
    const Rect square = squareOf(s);
    Pointer p = pointerAt(knob);
    p.down = p.pressed = true;
    CHECK(changeOf(s.draw(p), "edits") == nullptr);
    p.pressed = false;
    for (int step = 0; step < 6; ++step) {
        p.at = p.at + Vec2{3, step < 3 ? 5.0 : -2.0};
        const auto changes = s.draw(p);
        s.set("edits", wanted<List>(changes, "edits"));
        if (step % 2 == 1) s.show(reportOf(s.state));
    }
    s.show(reportOf(s.state));
    CHECK(distanceFrom(s.report, 1, 0, inPlane(square, p.at)) < 2e-3);
    CHECK(distanceFrom(s.report, 1, 0, inPlane(square, pivot)) < 2e-3);
    // A network without that unit takes the line out of the hand.
    s.set("widths", List{1});
    s.set("chosen", List{1, 0});
    s.show(reportOf(s.state));
    p.at = p.at + Vec2{2, 2};
    s.draw(p);
}

TEST_CASE("activation regions: unfolded, every layer is a sheet with its cells, and a cell's pieces are joined") {
    Shown s = shown({{"unfold", true}});
    s.draw();
    CHECK(s.recorder.find("sheets/cells").size() == 3);
    CHECK(s.says("layer 3"));
    CHECK(s.says(inWords(s.report.array("regionsByDepth")->values[2], 9) + " cells"));
    CHECK(s.recorder.find("sheets/join").empty());
    CHECK(s.recorder.find("window/frame").empty());
    // The pinned cell has a line for each corner between the sheets.
    s.set("pin", List{0.1, 0.2});
    s.draw();
    const auto joins = s.recorder.find("sheets/join");
    REQUIRE_FALSE(joins.empty());
    CHECK(joins.size() % 2 == 0);
    // Sheets on the way are those that have been cut.
    s.set("depth", 1.0);
    s.draw();
    CHECK(s.recorder.find("sheets/cells").size() == 1);
    // A drag turns them.
    const auto changes = s.afterDrag(s.area.lo + Vec2{200, 300}, s.area.lo + Vec2{220, 290});
    REQUIRE(changeOf(changes, "orbit"));
    CHECK(std::get<double>(changeOf(changes, "orbit")->value) == doctest::Approx(22));
    REQUIRE(changeOf(changes, "lean"));
    CHECK(changeOf(changes, "centre") == nullptr);
}

TEST_CASE("activation regions: unfolding takes its time, and none with reduced motion") {
    Shown s = shown();
    s.draw();
    s.set("unfold", true);
    PictureFrame first = s.frame({});
    s.picture->draw(first);
    CHECK(first.animating);
    s.recorder.marks.clear();
    PictureFrame later = s.frame({});
    later.seconds = 0.05;
    s.picture->draw(later);
    CHECK(later.animating);
    CHECK(s.recorder.find("sheets/cells").size() == 3);
    PictureFrame still = s.frame({});
    still.still = true;
    s.picture->draw(still);
    CHECK_FALSE(still.animating);
}

TEST_CASE("activation regions: sheets go at once where the layers are too large to be cut") {
    Shown s = shown({{"unfold", true}});
    s.draw();
    CHECK_FALSE(s.recorder.find("sheets/cells").empty());
    s.set("widths", List{512.0});
    s.show(reportOf(s.state));
    s.draw();
    CHECK(s.recorder.find("sheets/cells").empty());
    CHECK(s.recorder.find("sheets/name").empty());
    CHECK(s.recorder.find("window/frame").size() == 1);
}

TEST_CASE("activation regions: where one cell fills the window a button goes to the nearest line") {
    Shown s = shown({{"half", 0.001}, {"centre", List{0.9, 0.35}}});
    s.draw();
    REQUIRE(s.report.scalar("regions")->value == 1);
    CHECK(s.says("One cell fills the window. The nearest line is " + inWords(s.report.scalar("nextLine")->value)));
    const List centre = wanted<List>(s.afterMove("goThere", 1), "centre");
    s.set("centre", centre);
    s.show(reportOf(s.state));
    CHECK(s.report.scalar("regions")->value > 1);
    s.draw();
    CHECK_FALSE(s.says("One cell"));
}

TEST_CASE("activation regions: a circle's pieces are marked and told") {
    Shown circle = shown({{"path", std::string("circle")}});
    circle.draw();
    CHECK(circle.says("path: "));
    CHECK(circle.recorder.find("path/breaks").size() == static_cast<std::size_t>(circle.report.scalar("pathPieces")->value));
}

TEST_CASE("activation regions: corners of a drawn line come by a double click on it and go by one on themselves") {
    const List line{-0.5, 0, 0.5, 0.25, 0.5, -0.5};
    Shown s = shown({{"path", std::string("drawn")}, {"drawn", line}, {"centre", List{0, 0.1}}});
    s.draw();
    const Rect square = squareOf(s);
    const auto on = [&](double x, double y) { return square.centre() + Vec2{x * square.width() / 2, (0.1 - y) * square.width() / 2}; };
    const auto doubleClick = [&](Vec2 where) {
        Pointer press = pointerAt(where);
        press.down = press.pressed = press.doubleClicked = true;
        return s.draw(press);
    };
    const auto more = wanted<List>(doubleClick(on(0.5, -0.1) + Vec2{4, 0}), "drawn");
    REQUIRE(more.size() == 8);
    CHECK(more[4] == doctest::Approx(0.5));
    CHECK(more[5] == doctest::Approx(-0.1).epsilon(0.01));
    s.draw();
    const auto fewer = doubleClick(on(0.5, 0.25) + Vec2{3, -2});
    CHECK(wanted<List>(fewer, "drawn") == List{-0.5, 0, 0.5, -0.5});
    CHECK_FALSE(changeOf(fewer, "half"));
    // The finger is still down where the next corner now has the first one's number: nothing moves, and nothing is pinned when it is
    // lifted.
    s.state.params.set("drawn", wanted<List>(fewer, "drawn"));
    Pointer still = pointerAt(on(0.5, 0.25) + Vec2{3, -2});
    still.down = true;
    CHECK(s.draw(still).empty());
    still.down = false, still.released = true;
    CHECK(s.draw(still).empty());
    s.draw();
    // Two corners stay, and beside the line a double click is about the window.
    CHECK_FALSE(changeOf(doubleClick(on(-0.5, 0)), "drawn"));
    s.draw();
    const auto beside = doubleClick(on(-0.8, 0.8));
    CHECK_FALSE(changeOf(beside, "drawn"));
    CHECK(changeOf(beside, "centre"));
}

TEST_CASE("activation regions: on a phone the network and the plane come below the window when they are asked for, and go again") {
    Shown s = shown({{"widths", List{6, 6}}, {"inputs", 5.0}});
    s.area = {{0, 0}, {386, 439}};
    s.compact = true;
    s.draw();
    const double side = squareOf(s).width();
    CHECK(side > 370);
    CHECK(s.recorder.find("network/unit").empty());
    CHECK(s.says("network"));
    const auto changes = s.afterMove("below", 1);
    REQUIRE(changeOf(changes, "below"));
    CHECK(std::get<bool>(changeOf(changes, "below")->value));
    Pointer tap = pointerAt(s.recorder.find("below")[0]->points[0] - Vec2{4, 0});
    tap.touch = tap.down = tap.pressed = true;
    const auto tapped = s.draw(tap);
    REQUIRE(changeOf(tapped, "below"));
    CHECK(std::get<bool>(changeOf(tapped, "below")->value));
    s.state.params.set("below", true);
    s.draw();
    CHECK(squareOf(s).width() > 280);
    CHECK_FALSE(s.recorder.find("network/unit").empty());
    CHECK_FALSE(s.recorder.find("plane/knob").empty());
    CHECK_FALSE(s.recorder.find("network/bar/knob").empty());
    for (const auto& mark : s.recorder.marks)
        for (const Vec2& p : mark.points) {
            if (mark.id.rfind("regions/", 0) == 0) continue;
            CHECK_MESSAGE(p.y <= s.area.hi.y + 1, mark.id);
        }
    CHECK(s.says("hide"));
    checkLabels(s);
}

TEST_CASE("activation regions: a failed check of the partition is said in the colour of errors") {
    Shown s = shown();
    for (auto& scalar : s.report.scalars)
        if (scalar.name == "certificate") scalar.value = 0;
    s.draw();
    CHECK(s.says("fails its own check"));
    CHECK(s.recorder.find("counts/check")[0]->color == Theme::light().warning);
}
