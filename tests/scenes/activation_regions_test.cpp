// Counts of the scene against closed forms, its arrays against one another, and what it makes of rubbish.
#include "support/followed.h"
#include "support/regions_scene.h"

#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <set>

#include "core/expressivity/trajectory_sweep.h"
#include "scenes/expressivity/activation_regions_model.h"
#include "support/onnx_writer.h"
#include "support/sentence.h"
#include "support/summary_reader.h"

using namespace kappaflow;

namespace {

using List = std::vector<double>;

/// One ReLU layer of lines a·x + b·y + c = 0.
RegionValues linesOf(const std::vector<List>& lines, RegionValues more = {}) {
    List edits;
    setLayer(edits, 1, lines);
    RegionValues values{{"widths", List{static_cast<double>(lines.size())}}, {"edits", edits}};
    values.insert(values.end(), more.begin(), more.end());
    return values;
}

double polygonArea(const Report& report, std::size_t region) {
    const auto &corners = arrayOf(report, "polygons").values, &ends = arrayOf(report, "polygonEnds").values;
    const Array& vertices = arrayOf(report, "vertices");
    const auto begin = static_cast<std::size_t>(region == 0 ? 0 : ends[region - 1]), end = static_cast<std::size_t>(ends[region]);
    double area = 0;
    for (std::size_t i = begin; i < end; ++i) {
        const double* a = vertices.row(static_cast<std::size_t>(corners[i]));
        const double* b = vertices.row(static_cast<std::size_t>(corners[i + 1 < end ? i + 1 : begin]));
        area += 0.5 * (a[0] * b[1] - a[1] * b[0]);
    }
    return area;
}

/// Area of every pattern of the last layer.
std::map<double, double> areaByPattern(const Report& report) {
    const Array& pattern = arrayOf(report, "pattern");
    const auto& area = arrayOf(report, "area").values;
    std::map<double, double> sums;
    for (std::size_t r = 0; r < area.size(); ++r) sums[pattern.row(pattern.axes[0].size() - 1)[r]] += area[r];
    return sums;
}

activation_regions::Params paramsOf(const Request& request) {
    activation_regions::Params params;
    bindParams(activation_regions::kScene, request.params, &params);
    return params;
}

/// Drawn by seed, without a change.
Network drawnNetwork(const Request& request) { return activation_regions::startingNetwork({paramsOf(request)}); }

std::string refusalOf(const char* activation) {
    using namespace onnx_writer;
    const onnx_writer::Model file{{node("Gemm", "fc1", {"x", "w"}, {"h"}, {integer("transB", 1)}), node(activation, "bend", {"h"}, {"z"}),
                                   node("Gemm", "fc2", {"z", "v"}, {"y"}, {integer("transB", 1)})},
                                  {tensor("w", {3, 2}, {1, 0, 0, 1, 1, 1}), tensor("v", {1, 3}, {1, -1, 0.5})},
                                  {valueInfo("x", {-1, 2})},
                                  {valueInfo("y", {-1, 1})}};
    Request request = regionsRequest({{"network", std::string("file")}});
    request.network = std::make_shared<Attachment>(Attachment{"bends.onnx", file.file()});
    return refusal([&] { runRequest(request); });
}

}  // namespace

const SummaryOf kSummary{
    "activation-regions",
    {{{"widths", "6,6"}},
     {{{"path", "circle"}, {"pathRadius", "0.001"}},
      {{"budget", "20"}},
      {{"data", "moons"}, {"steps", "20"}, {"samples", "40"}, {"step", "20"}}},
     {{"accuracy", Of::Last}},
     {{"by the first", [](const Report& r) { return valueIn(r, "exactThrough") < static_cast<double>(r.params.list("widths").size()); }},
      {"last hidden layer",
       [](const Report& r) { return valueIn(r, "exactThrough") == static_cast<double>(r.params.list("widths").size()); }},
      {"The trajectory falls into", [](const Report& r) { return valueIn(r, "pathPieces") > 1; }},
      {"lies outside the window", [](const Report& r) { return valueIn(r, "pathPieces") == 0; }}}}};

TEST_CASE("activation regions: where no line crosses the window the nearest one is told, as far as a wider window has it") {
    // x = 3 and y = −5.
    const Report lines = runRegions(linesOf({{1, 0, -3}, {0, 1, 5}}));
    CHECK(scalarOf(lines, "nextLine") == doctest::Approx(3).epsilon(1e-12));
    CHECK(arrayOf(lines, "nextPoint").values[0] == doctest::Approx(3).epsilon(1e-12));
    CHECK(arrayOf(lines, "nextPoint").values[1] == doctest::Approx(0));
    // Nothing bends within 10⁴, and where a line crosses nothing is told.
    CHECK(runRegions(linesOf({{0.1, 0, -9e3}})).scalar("nextLine") == nullptr);
    CHECK(runRegions(linesOf({{1, 0, 0.5}})).scalar("nextLine") == nullptr);
    // Lines of three layers, some of which bend on the way to the window.
    for (const double seed : {1.0, 2.0, 3.0}) {
        CAPTURE(seed);
        const Vec2 centre{0.31, -0.17};
        const RegionValues network{{"widths", List{8, 8, 8}}, {"seed", seed}, {"centre", List{centre.x, centre.y}}};
        RegionValues small = network;
        small.push_back({"half", 1e-9});
        const Report found = runRegions(small), wide = runRegions(network);
        REQUIRE(scalarOf(found, "regions") == 1);
        double best = 1;
        const Array &edges = arrayOf(wide, "edges"), &vertices = arrayOf(wide, "vertices");
        for (std::size_t e = 0; e < edges.axes[0].size(); ++e) {
            if (arrayOf(wide, "edgeLayer").values[e] == 0) continue;
            const double *a = vertices.row(static_cast<std::size_t>(edges.row(e)[0])),
                         *b = vertices.row(static_cast<std::size_t>(edges.row(e)[1]));
            for (int i = 0; i <= 4000; ++i)
                best = std::min(best, std::hypot(a[0] + (b[0] - a[0]) * i / 4000 - centre.x, a[1] + (b[1] - a[1]) * i / 4000 - centre.y));
        }
        REQUIRE(best < 1);
        CHECK(scalarOf(found, "nextLine") <= best);
        CHECK(scalarOf(found, "nextLine") > best - 1e-3);
    }
}

TEST_CASE("activation regions: what the arrays say of one another") {
    for (const RegionValues& values :
         {RegionValues{},
          {{"widths", List{16, 16, 16}}},
          {{"widths", List{6, 6}}, {"activation", std::string("hard-tanh")}, {"weightVariance", 6.0}, {"half", 2.0}},
          {{"widths", List{8, 8}}, {"activation", std::string("relu6")}, {"half", 20.0}},
          {{"widths", List{8, 8}}, {"activation", std::string("leaky-relu")}, {"inputs", 5.0}, {"tilt", 40.0}, {"shift", 0.2}}}) {
        const Report report = runRegions(values);
        const auto &faces = arrayOf(report, "regionsByDepth").values, &edges = arrayOf(report, "edgesByDepth").values,
                   &vertices = arrayOf(report, "verticesByDepth").values, &bound = arrayOf(report, "boundByDepth").values;
        for (std::size_t d = 0; d < faces.size(); ++d) {
            CHECK(vertices[d] - edges[d] + faces[d] == 1);
            CHECK(faces[d] <= bound[d]);
            if (d > 0) CHECK(faces[d] >= faces[d - 1]);
            const double* patterns = arrayOf(report, "pattern").row(d);
            CHECK(static_cast<double>(std::set<double>(patterns, patterns + static_cast<std::size_t>(faces.back())).size()) == faces[d]);
        }
        CHECK(scalarOf(report, "regions") == faces.back());
        CHECK(scalarOf(report, "regions") > 5);
        CHECK(scalarOf(report, "eulerCharacteristic") == 1);
        CHECK(scalarOf(report, "affinePieces") <= faces.back());
        const double side = 2 * report.params.number("half");
        CHECK(scalarOf(report, "areaSum") == doctest::Approx(side * side).epsilon(1e-9));
        const auto& area = arrayOf(report, "area").values;
        for (std::size_t r = 0; r < area.size(); ++r) {
            CHECK(area[r] > 0);
            CHECK(polygonArea(report, r) == doctest::Approx(area[r]).epsilon(1e-6));
        }
        CHECK(static_cast<double>(arrayOf(report, "edgeLayer").values.size()) == edges.back());
    }
}

TEST_CASE("activation regions: a turned plane has orthonormal axes, and outputs at vertices are the network's there") {
    const RegionValues values{{"widths", List{8, 8}}, {"inputs", 4.0}, {"tilt", 20.0}, {"azimuth", 70.0}, {"shift", 0.1}};
    const Request request = regionsRequest(values);
    std::vector<std::string> warnings;
    const Slice slice = activation_regions::sliceOf(paramsOf(request), 4, warnings);
    const auto product = [](const List& a, const List& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); };
    CHECK(product(slice.u, slice.u) == doctest::Approx(1).epsilon(1e-14));
    CHECK(product(slice.v, slice.v) == doctest::Approx(1).epsilon(1e-14));
    CHECK(std::abs(product(slice.u, slice.v)) < 1e-14);
    const Report report = runRegions(values);
    const Array& vertices = arrayOf(report, "vertices");
    for (std::size_t v = 0; v < vertices.axes[0].size(); ++v) {
        const auto at = slice.at({vertices.row(v)[0], vertices.row(v)[1]});
        CHECK(arrayOf(report, "vertexOutput").values[v] == doctest::Approx(forward(drawnNetwork(request), at).back()[0]).epsilon(1e-9));
    }
}

TEST_CASE("activation regions: the four quarters of a window have its patterns, and the areas of each add up") {
    const RegionValues net{{"widths", List{12, 12}}};
    auto with = [&](double x, double y, double half) {
        RegionValues values = net;
        values.insert(values.end(), {{"centre", List{x, y}}, {"half", half}});
        return areaByPattern(runRegions(values));
    };
    const auto whole = with(0.1, -0.05, 0.4);
    std::map<double, double> sum;
    for (const double x : {-0.1, 0.3})
        for (const double y : {-0.25, 0.15})
            for (const auto& [pattern, area] : with(x, y, 0.2)) sum[pattern] += area;
    CHECK(sum.size() == whole.size());
    CHECK(whole.size() > 20);
    for (const auto& [pattern, area] : whole) CHECK(sum[pattern] == doctest::Approx(area).epsilon(1e-9));
}

TEST_CASE("activation regions: a computation taken over from the one before reports what a fresh one does") {
    const RegionValues net{{"widths", List{8, 8, 8}}};
    const auto with = [&](RegionValues more) {
        more.insert(more.begin(), net.begin(), net.end());
        return more;
    };
    std::vector<RegionValues> next{with({{"edits", List{3, 1, 2, 0.7}}}),
                                   with({{"edits", List{1, 0, -1, 0.2}}}),
                                   with({{"edits", List{4, 0, 3, -2}}}),
                                   with({{"path", std::string("circle")}}),
                                   with({{"half", 0.5}}),
                                   with({{"budget", 100.0}}),
                                   with({{"seed", 2.0}}),
                                   {{"widths", List{8, 8}}}};
    for (const auto& values : next) {
        const Report fresh = runRequest(regionsRequest(values));
        Leftovers finished, interrupted;
        runAfter(regionsRequest(net), finished);
        checkSameReports(runAfter(regionsRequest(values), finished), fresh);
        breakOff(regionsRequest(net), interrupted, 1);
        checkSameReports(runAfter(regionsRequest(values), interrupted), fresh);
    }
}

TEST_CASE(
    "activation regions: time and memory are budgets too; work beyond their limits is refused in a sentence that names what to lower" *
    doctest::test_suite("long")) {
    CHECK(refusal([] { runRegions({{"widths", List(24, 1024)}}); }).find("lower widths") != std::string::npos);
    const Report wide = runRegions({{"widths", List{700}}, {"budget", 1e9}, {"biasVariance", 0.1}, {"half", 3.0}});
    CHECK(scalarOf(wide, "exactThrough") == 0);
    CHECK(warnsOf(wide, "exact through layer 0 of 1"));
}

TEST_CASE("activation regions: pieces of a trajectory are those of the line followed through the layers") {
    for (const char* activation : {"relu", "hard-tanh", "abs"})
        for (double seed = 1; seed <= 2; ++seed) {
            const RegionValues values{
                {"widths", List{8, 8, 8}},      {"activation", std::string(activation)},           {"seed", seed}, {"half", 3.0},
                {"path", std::string("drawn")}, {"drawn", List{-0.9, -0.4, 0.3, 0.8, 0.75, -0.61}}};
            const auto layers = curveLayers(drawnNetwork(regionsRequest(values)));
            const List line{-0.9, -0.4, 0.3, 0.8, 0.75, -0.61};
            const auto passages = sweepTrajectory(layers, polylineCurve(line, 2));
            const Report report = runRegions(values);
            CHECK(scalarOf(report, "pathPieces") == static_cast<double>(passages.back().pieces));
            CHECK(scalarOf(report, "pathPieces") > 5);
        }
}

TEST_CASE("activation regions: a circle's pieces are those that a sweep of the closed curve counts, whether it starts on a line or not") {
    for (double seed = 1; seed <= 3; ++seed) {
        const RegionValues values{
            {"widths", List{8, 8, 8}}, {"seed", seed}, {"half", 3.0}, {"path", std::string("circle")}, {"pathRadius", 0.8}};
        const auto layers = curveLayers(drawnNetwork(regionsRequest(values)));
        const auto passages = sweepTrajectory(layers, arcCurve(List{0.8, 0}, List{0, 0.8}, 0, 2 * std::numbers::pi));
        CHECK(passages.back().pieces > 5);
        // The sweep begins within a piece, which it counts at both its ends.
        CHECK(scalarOf(runRegions(values), "pathPieces") == static_cast<double>(passages.back().pieces) - 1);
    }
    CHECK(scalarOf(runRegions({{"path", std::string("circle")}, {"pathCentre", List{9, 9}}}), "pathPieces") == 0);
    // One line through the start of the circle: two pieces, and none is left out.
    const Report touched = runRegions(linesOf({{0, 1, 0}}, {{"path", std::string("circle")}, {"pathRadius", 0.5}}));
    CHECK(scalarOf(touched, "pathPieces") == 2);
}

TEST_CASE("activation regions: where the budget stops early the words speak of the last layer that cut") {
    const Report early = runRegions({{"widths", List{8, 8, 8}}, {"seed", 3.0}, {"budget", 200.0}});
    const double cut = scalarOf(early, "exactThrough");
    REQUIRE(cut >= 1);
    REQUIRE(cut < 3);
    CHECK(early.summary.find("the last layer that cut has " + inWords(scalarOf(early, "affinePieces"), 9) + " affine piece") !=
          std::string::npos);
    CHECK(early.summary.find("last hidden layer") == std::string::npos);
    CHECK(runRegions({}).summary.find("the last hidden layer has ") != std::string::npos);
    const Report none = runRegions({{"widths", List{8}}, {"budget", 0.0}});
    CHECK(none.summary.find("the budget allows no layer") != std::string::npos);
    CHECK(none.summary.find("affine") == std::string::npos);
}

TEST_CASE("activation regions: a plane given for two inputs is told to be left out, and a window too small for its centre is raised") {
    for (const char* plane : {"given", "points"})
        CHECK(warnsOf(runRegions({{"plane", std::string(plane)}}), "was left out: the plane of a network with two inputs"));
    CHECK(runRegions({}).warnings.empty());
    const Report far = runRegions({{"half", 1e-12}, {"centre", List{5000, 0}}});
    CHECK(warnsOf(far, "half was raised to 5e-9"));
    CHECK(scalarOf(far, "certificate") == 1);
}

TEST_CASE("activation regions: at half a side of 1e-12 corners of three networks have as many regions as at 1e-9, and the check holds") {
    for (double seed = 1; seed <= 3; ++seed) {
        const Report report = runRegions({{"widths", List{8, 8, 8}}, {"seed", seed}});
        const List& vertices = arrayOf(report, "vertices").values;
        int inner = 0;
        for (std::size_t i = 0; i + 1 < vertices.size() && inner < 8; i += 2) {
            if (std::max(std::abs(vertices[i]), std::abs(vertices[i + 1])) > 0.95) continue;
            ++inner;
            double near = 0;
            for (const double half : {1e-9, 1e-11, 1e-12}) {
                const Report close =
                    runRegions({{"widths", List{8, 8, 8}}, {"seed", seed}, {"half", half}, {"centre", List{vertices[i], vertices[i + 1]}}});
                CHECK(scalarOf(close, "certificate") == 1);
                if (half == 1e-9) near = scalarOf(close, "regions");
                CHECK(scalarOf(close, "regions") == near);
                CHECK(near >= 3);
            }
        }
        CHECK(inner == 8);
    }
}

TEST_CASE("activation regions: lines 1e-14 apart are two, lines 1e-16 apart one") {
    const auto regionsOf = [](double apart) {
        return scalarOf(runRegions(linesOf({{1, 0, 0.25}, {1, 0, 0.25 + apart}}, {{"half", 1e-12}, {"centre", List{-0.25, 0}}})),
                        "regions");
    };
    CHECK(regionsOf(1e-14) == 3);
    CHECK(regionsOf(1e-16) == 2);
}

TEST_CASE("activation regions: what makes no plane is replaced, with a sentence that says why") {
    const auto plane = [](RegionValues values) {
        values.insert(values.end(), {{"inputs", 3.0}, {"plane", std::string("given")}});
        return runRegions(values);
    };
    CHECK(warnsOf(plane({{"direction1", List{1, 2, 3}}, {"direction2", List{2, 4, 6}}}), "parallel"));
    CHECK(warnsOf(plane({{"direction1", List{0, 0, 0}}}), "parallel"));
    CHECK(warnsOf(plane({{"origin", List{1, 2}}}), "origin takes 3 numbers here, not 2"));
    CHECK(plane({{"direction1", List{1, 2, 3}}, {"direction2", List{2, 4, 6.001}}}).warnings.empty());
    CHECK(
        warnsOf(runRegions({{"inputs", 3.0}, {"plane", std::string("points")}, {"corners", List{0, 0, 0, 1, 1, 1, 2, 2, 2}}}), "one line"));
}

TEST_CASE("activation regions: changes of weights that are not there, and half ones, count for nothing") {
    const Report plain = runRegions({});
    for (const List& edits : {List{9, 0, 0, 1}, List{1, 7, 0, 1}, List{1, 0, 2, 1}, List{-1, -1, -1, -1}, List{0, 0, 0, 5}}) {
        const Report report = runRegions({{"edits", edits}});
        CHECK(warnsOf(report, "1 changed weight was left out"));
        CHECK(scalarOf(report, "regions") == scalarOf(plain, "regions"));
    }
    CHECK(warnsOf(runRegions({{"edits", List{1, 0, 0}}}), "four numbers"));
}

TEST_CASE("activation regions: numbers that are none are refused in a sentence") {
    for (const char* key : {"edits", "centre", "drawn", "origin", "corners", "pin"})
        for (const double bad : {std::nan(""), HUGE_VAL}) {
            const std::string sentence = refusal([&] { runRegions({{key, List{bad, 1}}}); });
            CHECK_MESSAGE(isOneSentence(sentence), key, ": ", sentence);
        }
}

TEST_CASE("activation regions: a file with smooth activations is refused in a sentence that names them and a scene that shows the like") {
    for (const auto& [operation, name] : {std::pair<const char*, const char*>{"Tanh", "tanh"}, {"Sigmoid", "sigmoid"}}) {
        const std::string sentence = refusalOf(operation);
        CAPTURE(sentence);
        CHECK(isOneSentence(sentence));
        CHECK(sentence.find(name) != std::string::npos);
        CHECK(sentence.find("trajectory-length") != std::string::npos);
    }
    CHECK(refusalOf("Relu").empty());
}
