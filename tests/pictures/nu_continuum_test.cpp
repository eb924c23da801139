// ν under the reader's hand: what is shown at rest is a computed row, a drag goes from one to the next, words follow the numbers.
#include <algorithm>
#include <cmath>

#include "support/picture_checks.h"

using namespace kappaflow;
using Size = std::size_t;

namespace {

struct ShownContinuum : Shown {
    explicit ShownContinuum(const std::string& preset = "") : Shown("nu-continuum", valuesOf(preset)) { area = {{0, 0}, {1000, 640}}; }
    static std::vector<std::pair<std::string, Value>> valuesOf(const std::string& preset) {
        for (const auto& known : findDeclaration("nu-continuum")->presets)
            if (known.name == preset) return {known.values.begin(), known.values.end()};
        REQUIRE(preset.empty());
        return {};
    }
    void drawAt(double nu) {
        state.params.set("nu", nu);
        draw();
    }
    std::string headline() const {
        const auto found = recorder.find("headline");
        return found.empty() ? "" : found[0]->text;
    }
    /// Heights of the bars on the screen.
    std::vector<double> bars() const {
        std::vector<double> heights;
        for (const auto* mark : recorder.find("bars/capacity"))
            if (mark->kind == "rect") heights.push_back(std::abs(mark->points[0].y - mark->points[1].y));
        return heights;
    }
    const std::vector<double>& nu() const { return report.array("capacity")->axes[0].values; }
};

}  // namespace

TEST_CASE("bars at a computed ν are its row, between two they are on their way, and their heights are to scale") {
    ShownContinuum shown;
    const auto& capacity = *shown.report.array("capacity");
    const double low = shown.nu()[9], high = shown.nu()[10];
    const auto barsAt = [&](double nu) {
        shown.drawAt(nu);
        return shown.bars();
    };
    const auto atLow = barsAt(low), atHigh = barsAt(high), between = barsAt(0.5 * (low + high));
    REQUIRE(atLow.size() == 5);
    REQUIRE(between.size() == 5);
    for (Size i = 0; i < 5; ++i) {
        CHECK(atLow[i] / atLow[0] == doctest::Approx(capacity.row(9)[i] / capacity.row(9)[0]).epsilon(1e-6));
        CHECK(between[i] >= std::min(atLow[i], atHigh[i]) - 1e-6);
        CHECK(between[i] <= std::max(atLow[i], atHigh[i]) + 1e-6);
    }
}

TEST_CASE("nothing is drawn between the two sides of the jump") {
    ShownContinuum shown("Total that jumps at ν = 1");
    shown.drawAt(0.999);
    const auto below = shown.bars();
    shown.drawAt(0.9997);
    CHECK(shown.bars() == below);
    CHECK(shown.headline().find("falls") == std::string::npos);
    shown.drawAt(1);
    CHECK(shown.bars() != below);
    CHECK_MESSAGE(shown.headline().find("from 6 to 3") != std::string::npos, shown.headline());
    CHECK_FALSE(shown.recorder.find("total/jump/open").empty());
}

TEST_CASE("the keyboard moves ν from one computed value to the next, a drag to the one nearest to the pointer") {
    ShownContinuum shown;
    shown.state.params.set("nu", shown.nu()[8]);
    auto changes = shown.afterMove("nu", 9);
    REQUIRE(changes.size() == 2);
    CHECK(changes[0].key == "play");
    CHECK(changes[1].key == "nu");
    CHECK(std::get<double>(changes[1].value) == shown.nu()[9]);
    const Vec2 at = shown.handleOf("nu").rect.centre();
    changes = shown.afterDrag(at, at + Vec2{100, 0});
    REQUIRE(changes.size() == 2);
    const double wanted = std::get<double>(changes[1].value);
    CHECK(wanted > shown.nu()[8]);
    CHECK(std::find(shown.nu().begin(), shown.nu().end(), wanted) != shown.nu().end());
}

TEST_CASE("the sentence over the picture follows ν and the numbers") {
    ShownContinuum shown;
    shown.drawAt(0);
    CHECK(shown.headline().find("every path stands alone") != std::string::npos);
    shown.drawAt(1);
    CHECK(shown.headline().find("amplitudes of paths add") != std::string::npos);
    shown.drawAt(shown.nu()[10]);
    const double share = std::round(100 * shown.report.array("share")->values[10]);
    CHECK(shown.headline().find(inWords(share, 3) + " %") != std::string::npos);
    ShownContinuum ring("Ring: diffusion turns into interference");
    ring.drawAt(0);
    CHECK(ring.headline().find("variance 5.333") != std::string::npos);
}

TEST_CASE("while the first values of ν are all there is, the picture shows these") {
    ShownContinuum shown;
    auto& arrays = shown.report.arrays;
    std::erase_if(arrays, [](const Array& a) { return a.name == "share" || a.name == "layerCapacity"; });
    for (const std::ptrdiff_t known : {20, 21}) {
        for (Array& array : arrays) {
            if (array.name != "capacity" && array.name != "total") continue;
            const auto row = static_cast<std::ptrdiff_t>(array.rowLength());
            std::fill(array.values.begin() + row, array.values.begin() + known * row, NAN);
        }
        ++shown.reportVersion;
        shown.drawAt(0.2);
        CHECK(shown.bars().size() == 5);
        for (const auto& mark : shown.recorder.marks)
            for (const Vec2& p : mark.points) CHECK((std::isfinite(p.x) && std::isfinite(p.y)));
    }
}
