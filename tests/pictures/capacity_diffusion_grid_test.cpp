// The picture of a diffusion in two dimensions: planes one above the other, the current one marked, contours that grow.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "draw/contour.h"
#include "grid_scene.h"
#include "scenes/capacity_flow/capacity_diffusion_picture.h"
#include "support/picture_checks.h"

using namespace kappaflow;

namespace {

capacity_diffusion::Result resultOf(const Report& report) {
    capacity_diffusion::Result result;
    readReport(capacity_diffusion::kScene, report, &result);
    return result;
}

Rect boundsOf(const std::vector<Vec2>& points) {
    Rect box{points.front(), points.front()};
    for (const Vec2& p : points) {
        box.lo = {std::min(box.lo.x, p.x), std::min(box.lo.y, p.y)};
        box.hi = {std::max(box.hi.x, p.x), std::max(box.hi.y, p.y)};
    }
    return box;
}

struct Look {
    Rect area;
    bool compact;
};
// The window's picture area, a projected one, phones, and figures in a text.
const std::vector<Look> kLooks = {{{{210, 60}, {1010, 640}}, false}, {{{0, 0}, {1500, 900}}, false}, {{{0, 0}, {390, 430}}, true},
                                  {{{0, 0}, {360, 330}}, true},      {{{0, 0}, {720, 300}}, true},   {{{0, 0}, {390, 844}}, true},
                                  {{{0, 0}, {720, 480}}, true}};

void checkInside(const GridScene& scene, const Rect& box, double slack) {
    CHECK(box.lo.x >= scene.area.lo.x - slack);
    CHECK(box.lo.y >= scene.area.lo.y - slack);
    CHECK(box.hi.x <= scene.area.hi.x + slack);
    CHECK(box.hi.y <= scene.area.hi.y + slack);
}

void checkStack(GridScene& scene) {
    std::vector<std::pair<std::string, Rect>> boxes;
    for (const DrawnMark& mark : scene.recorder.marks) {
        CAPTURE(mark.id);
        CAPTURE(mark.text);
        const bool ofStack = mark.id.rfind("stack/", 0) == 0;
        if (mark.kind == "plane" && ofStack) checkInside(scene, boundsOf(mark.points), 0);
        if (mark.kind != "text" || mark.text.empty()) continue;
        // Lines of text are spaced more closely than their boxes are high.
        const Rect whole = boxOf(scene.recorder, mark), box = whole.inset(0.25, 1.25, 0.25, 1.25);
        CHECK(mark.numbers[0] >= 12);
        checkInside(scene, whole, 1);
        if (!ofStack) continue;
        for (const auto& placed : boxes) {
            CAPTURE(placed.first);
            CHECK_FALSE(overlap(box, placed.second));
        }
        boxes.emplace_back(mark.id, box);
    }
}

}  // namespace

TEST_CASE("planes and labels of the stack stay inside the picture, and labels off each other, from every side") {
    for (const Look& look : kLooks)
        for (const std::size_t layers : {1u, 12u, 51u})
            for (const double at : {0.0, 0.3, 0.5, 1.0})
                for (const double orbit : {-35.0, 0.0, 120.0}) {
                    INFO(look.area.width() << " by " << look.area.height() << ", " << layers << " layers, at " << at << ", orbit "
                                           << orbit);
                    GridScene scene({.layers = layers, .side = 15});
                    scene.area = look.area, scene.compact = look.compact;
                    scene.set("at", at * static_cast<double>(layers));
                    scene.set("orbit", orbit);
                    scene.draw();
                    checkStack(scene);
                }
}

TEST_CASE("the marked plane follows the timeline, up and down between layers") {
    GridScene scene;
    double before = 1e9;
    for (const double at : {0.0, 0.4, 1.0, 5.5, 11.0, 12.0}) {
        scene.set("at", at);
        scene.draw();
        const auto rim = scene.recorder.find("stack/current/rim");
        REQUIRE(rim.size() == 1);
        CHECK(rim[0]->color == Theme::light().accent);
        const double y = boundsOf(rim[0]->points).centre().y;
        CHECK(y < before);
        before = y;
        const auto tag = scene.recorder.find("stack/layer/now");
        REQUIRE(tag.size() == 1);
        CHECK(tag[0]->text == std::to_string(std::lround(at)));
    }
}

TEST_CASE("the marked plane shows its layer's capacity, and between two layers their mixture") {
    GridScene scene;
    const Array& capacity = *scene.report.array("capacity");
    const auto shown = [&](double at) {
        scene.set("at", at);
        scene.draw();
        const auto& numbers = scene.recorder.find("stack/current")[1]->numbers;  // after the ground
        return std::vector<double>(numbers.begin() + 9, numbers.end());
    };
    const auto third = shown(3), between = shown(3.25), fourth = shown(4);
    REQUIRE(third.size() == capacity.rowLength());
    for (std::size_t i = 0; i < third.size(); ++i) {
        CHECK(third[i] == capacity.row(3)[i]);
        CHECK(between[i] == doctest::Approx(0.75 * third[i] + 0.25 * fourth[i]));
    }
}

TEST_CASE("layers that the flow has not reached wait in pale, without a contour") {
    GridScene scene;
    scene.set("at", 6.0);
    scene.draw();
    for (const DrawnMark* mark : scene.recorder.find("stack/plane/")) {
        if (mark->kind != "plane") continue;
        const double layer = std::stod(mark->id.substr(12));
        CHECK((mark->numbers[4] == 1) == (layer > 6));
        CHECK(mark->numbers[4] > 0);
    }
    const auto contours = scene.recorder.find("stack/contour/measured");
    CHECK(contours.size() == 7);  // layers 6 to 12
}

TEST_CASE("the region of 68 % grows from layer to layer, in its own cells and as it is seen") {
    const auto result = resultOf(handMade({}));
    const capacity_diffusion::Planes grid(result);
    double before = 0;
    for (std::size_t i = 0; i <= grid.layers(); ++i) {
        const auto* outline = grid.layer(grid.layers() - i)->outline();
        REQUIRE(outline);
        const double area = loopArea(*outline);
        CHECK(area > before);
        before = area;
    }
    // σ² = 2/3 a layer: after 12 layers the region of a normal density has the area π · 1.51² · 8.
    CHECK(before == doctest::Approx(M_PI * -2 * std::log(1 - 0.68) * 8).epsilon(0.05));
    GridScene scene;
    scene.draw();
    std::vector<double> widths;
    for (const DrawnMark* mark : scene.recorder.find("stack/contour/measured")) widths.push_back(boundsOf(mark->points).width());
    CHECK(widths.size() == 13);
    CHECK(std::is_sorted(widths.rbegin(), widths.rend()));  // drawn from the input up
}

TEST_CASE("linear colours begin at 0 and hold the input, with what is more beyond their end; logarithmic ones hold all") {
    const auto result = resultOf(handMade({}));
    capacity_diffusion::Planes planes(result);
    for (const double at : {0.0, 6.5, 12.0}) {
        planes.show(at, capacity_diffusion::Colors::Linear, true);
        CHECK(planes.low() == 0);
        CHECK(planes.high() > std::ranges::max(planes.capacity(*planes.layer(0))));
        CHECK(planes.high() < 1);
        CHECK(planes.leavesColors());
        planes.show(at, capacity_diffusion::Colors::Logarithmic, true);
        CHECK(planes.low() > 0);
        CHECK(planes.high() == 1);
        CHECK_FALSE(planes.leavesColors());
    }
    GridScene scene;
    scene.draw();
    CHECK(scene.recorder.find("plane/colors/more").size() == 1);
    scene.set("colors", std::string("logarithmic"));
    scene.draw();
    CHECK(scene.recorder.find("plane/colors/more").empty());
}

TEST_CASE("measured contours are solid, the theory's is dashed and lies on the measured one where theory is right") {
    GridScene scene;
    scene.draw();
    const auto theory = scene.recorder.find("stack/contour/theory"), measured = scene.recorder.find("stack/contour/measured");
    REQUIRE(theory.size() == 1);
    CHECK(theory[0]->dash == Dash::Dashed);
    CHECK(measured[0]->dash == Dash::Solid);
    const Rect a = boundsOf(theory[0]->points), b = boundsOf(measured[0]->points);  // both of the input
    CHECK(a.width() == doctest::Approx(b.width()).epsilon(0.03));
    CHECK(a.centre().y == doctest::Approx(b.centre().y).epsilon(0.01));
}

TEST_CASE("the cone joins the planes that are reached, and only where the region is one piece") {
    GridScene scene;
    scene.set("at", 6.0);
    scene.draw();
    CHECK(scene.recorder.find("stack/cone").size() >= 6);
    // Two heaps: the region falls into two pieces in every layer.
    Array* capacity = nullptr;
    for (Array& array : scene.report.arrays)
        if (array.name == "capacity") capacity = &array;
    for (std::size_t l = 0; l < 13; ++l) {
        double* row = capacity->values.data() + l * capacity->rowLength();
        std::fill(row, row + capacity->rowLength(), 0.0);
        row[3 * 21 + 3] = row[15 * 21 + 15] = 0.5;
    }
    ++scene.reportVersion;
    scene.draw();
    CHECK(scene.recorder.find("stack/cone").empty());
    CHECK(scene.recorder.find("stack/contour/measured").size() == 14);
}

TEST_CASE("many layers are shown by some, evenly, with the first, the last and the current one among them") {
    GridScene scene({.layers = 51, .side = 9});
    scene.set("at", 17.0);
    scene.draw();
    std::set<double> layers{17};
    for (const DrawnMark* mark : scene.recorder.find("stack/plane/"))
        if (mark->kind == "plane") layers.insert(std::stod(mark->id.substr(12)));
    CHECK(layers.count(0) == 1);
    CHECK(layers.count(51) == 1);
    CHECK(layers.size() > 8);
    CHECK(layers.size() <= 27);
}

TEST_CASE("the titles claim √depth and one width for both axes only where the numbers say so") {
    const auto titled = [](Report report, const std::string& plot) {
        GridScene scene;
        scene.show(std::move(report));
        scene.draw();
        return scene.recorder.find(plot + "/title")[0]->text;
    };
    CHECK(titled(handMade({}), "spread").find("√") != std::string::npos);
    Report bent = handMade({});
    for (Array& array : bent.arrays)
        if (array.name == "standardDeviation")
            for (std::size_t i = 0; i < array.values.size(); ++i) array.values[i] += i < 24 ? 3 : 0;
    CHECK(titled(bent, "spread").find("√") == std::string::npos);
    CHECK(titled(handMade({}), "stack").find("both axes") != std::string::npos);
    const std::string two = titled(handMade({.shareX = 0.4, .shareY = 0.1}), "stack");
    CHECK(two.find("σ_{x}") != std::string::npos);
    CHECK(two.find("σ_{y}") != std::string::npos);
}

TEST_CASE("x and y have lines of their own where they differ, one line where they agree") {
    GridScene scene;
    scene.draw();
    CHECK(scene.recorder.find("spread/measured").size() == 1);
    scene.show(handMade({.shareX = 0.4, .shareY = 0.1}));
    scene.draw();
    const auto measured = scene.recorder.find("spread/measured");
    REQUIRE(measured.size() == 2);
    CHECK(measured[0]->color != measured[1]->color);
    CHECK(scene.recorder.find("spread/theory").size() > 1);
}

TEST_CASE("many large layers come over several frames, at once in one that is kept") {
    const auto result = resultOf(handMade({.side = 131}));
    const auto unpacked = [&](capacity_diffusion::Planes& planes, bool whole) {
        planes.show(0, capacity_diffusion::Colors::Linear, whole);
        int count = 0;
        for (std::size_t l = 0; l <= planes.layers(); ++l) count += planes.layer(l) ? 1 : 0;
        CHECK(planes.unfinished() == (count <= 12));
        return count;
    };
    capacity_diffusion::Planes planes(result), kept(result);
    for (const int found : {3, 6, 9, 12, 13}) CHECK(unpacked(planes, false) == found);  // of 131² cells each
    CHECK(unpacked(kept, true) == 13);
    CHECK(planes.layer(5)->held == kept.layer(5)->held);
    planes = capacity_diffusion::Planes(result);
    CHECK(unpacked(planes, false) == 3);
    CHECK(planes.layer(12, true));
    const auto firstFrame = [](bool still) {
        GridScene scene({.side = 131});
        PictureFrame f = scene.frame({});
        f.still = still;
        scene.picture->draw(f);
        int sheets = 0;
        for (const DrawnMark* mark : scene.recorder.find("stack/plane/")) sheets += mark->kind == "plane";
        CHECK(f.animating == !still);
        return sheets;
    };
    CHECK(firstFrame(false) == 4);  // three, and the output
    CHECK(firstFrame(true) > 6);
}

TEST_CASE("a region that is the whole layer has no line, specks beside a large region have none") {
    const auto grid = [](const std::vector<double>& cells) {
        Report report = handMade({.layers = 1, .side = 21});
        std::copy(cells.begin(), cells.end(), report.arrays.front().values.begin());
        const auto result = resultOf(report);
        return capacity_diffusion::Planes(result).layer(0)->held.size();
    };
    std::vector<double> even(441, 1.0 / 441);
    CHECK(grid(even) == 0);
    std::vector<double> heap(441, 0.0);
    for (std::size_t r = 4; r < 16; ++r)
        for (std::size_t c = 4; c < 16; ++c) heap[r * 21 + c] = 0.005;
    heap[20 * 21 + 20] = 0.005;
    CHECK(grid(heap) == 1);
}
