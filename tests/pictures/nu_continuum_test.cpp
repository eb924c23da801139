// ν under the reader's hand: what is shown at rest is a computed row, a drag goes from one to the next, words follow the numbers.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "scenes/picture.h"
#include "support/picture_checks.h"

using namespace kappaflow;
using Size = std::size_t;

namespace {

struct DrawnContinuum {
    State state = initialState("nu-continuum");
    Report report;
    Recorder recorder;
    Handles handles;
    std::vector<Change> changes;

    explicit DrawnContinuum(const std::string& preset = "") {
        std::vector<std::string> warnings;
        if (!preset.empty()) state = apply(state, Change::preset(preset), warnings);
        report = reportOf(state);
    }
    void draw(double nu, Rect area = {{0, 0}, {1000, 640}}, bool compact = false, Pointer pointer = {}) {
        state.params.set("nu", nu);
        recorder.marks.clear();
        handles.beginFrame(pointer);
        PictureFrame frame{.painter = recorder,
                           .theme = Theme::light(),
                           .handles = handles,
                           .report = report,
                           .reportVersion = 1,
                           .state = state,
                           .area = area,
                           .compact = compact};
        makePicture(state.scene)->draw(frame);
        changes = frame.changes;
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

bool collide(const Rect& a, const Rect& b) {
    return std::min(a.hi.x, b.hi.x) - std::max(a.lo.x, b.lo.x) > 2 && std::min(a.hi.y, b.hi.y) - std::max(a.lo.y, b.lo.y) > 3;
}

}  // namespace

TEST_CASE("bars at a computed ν are its row, between two they are on their way, and their heights are to scale") {
    DrawnContinuum shown;
    const auto& capacity = *shown.report.array("capacity");
    const double low = shown.nu()[9], high = shown.nu()[10];
    shown.draw(low);
    const auto atLow = shown.bars();
    shown.draw(high);
    const auto atHigh = shown.bars();
    shown.draw(0.5 * (low + high));
    const auto between = shown.bars();
    REQUIRE(atLow.size() == 5);
    REQUIRE(between.size() == 5);
    for (Size i = 0; i < 5; ++i) {
        CHECK(atLow[i] / atLow[0] == doctest::Approx(capacity.row(9)[i] / capacity.row(9)[0]).epsilon(1e-6));
        CHECK(between[i] >= std::min(atLow[i], atHigh[i]) - 1e-6);
        CHECK(between[i] <= std::max(atLow[i], atHigh[i]) + 1e-6);
    }
}

TEST_CASE("nothing is drawn between the two sides of the jump") {
    DrawnContinuum shown("Total that jumps at ν = 1");
    shown.draw(0.999);
    const auto below = shown.bars();
    shown.draw(0.9997);
    CHECK(shown.bars() == below);
    CHECK(shown.headline().find("falls") == std::string::npos);
    shown.draw(1);
    CHECK(shown.bars() != below);
    CHECK_MESSAGE(shown.headline().find("from 6 to 3") != std::string::npos, shown.headline());
    CHECK_FALSE(shown.recorder.find("total/jump/open").empty());
}

TEST_CASE("the keyboard moves ν from one computed value to the next and stops the playback") {
    DrawnContinuum shown;
    shown.draw(shown.nu()[8]);
    shown.handles.moveTo("nu", 9);
    shown.draw(shown.nu()[8]);
    REQUIRE(shown.changes.size() == 2);
    CHECK(shown.changes[0].key == "play");
    CHECK(shown.changes[1].key == "nu");
    CHECK(std::get<double>(shown.changes[1].value) == shown.nu()[9]);
}

TEST_CASE("a drag takes ν to the computed value nearest to the pointer, wherever the release is") {
    DrawnContinuum shown;
    shown.draw(shown.nu()[8]);
    shown.handles.beginFrame({});
    const auto& knobs = shown.handles.shown();
    REQUIRE(knobs.size() == 1);
    const Vec2 at = knobs[0].rect.centre();
    Pointer pointer;
    pointer.at = at;
    pointer.inside = pointer.down = pointer.pressed = true;
    shown.draw(shown.nu()[8], {{0, 0}, {1000, 640}}, false, pointer);
    pointer.pressed = false;
    pointer.at = {at.x + 100, at.y};
    shown.draw(shown.nu()[8], {{0, 0}, {1000, 640}}, false, pointer);
    REQUIRE(shown.changes.size() == 2);
    const double wanted = std::get<double>(shown.changes[1].value);
    CHECK(wanted > shown.nu()[8]);
    CHECK(std::find(shown.nu().begin(), shown.nu().end(), wanted) != shown.nu().end());
}

TEST_CASE("the sentence over the picture follows ν and the numbers") {
    DrawnContinuum shown;
    shown.draw(0);
    CHECK(shown.headline().find("every path stands alone") != std::string::npos);
    shown.draw(1);
    CHECK(shown.headline().find("amplitudes of paths add") != std::string::npos);
    const Size k = 10;
    shown.draw(shown.nu()[k]);
    const double share = std::round(100 * shown.report.array("share")->values[k]);
    CHECK(shown.headline().find(inWords(share, 3) + " %") != std::string::npos);
    DrawnContinuum ring("Ring: diffusion turns into interference");
    ring.draw(0);
    CHECK(ring.headline().find("variance 5.333") != std::string::npos);
}

TEST_CASE("while the first values of ν are all there is, the picture shows these") {
    DrawnContinuum shown;
    auto& capacity =
        *std::find_if(shown.report.arrays.begin(), shown.report.arrays.end(), [](const Array& a) { return a.name == "capacity"; });
    auto& total = *std::find_if(shown.report.arrays.begin(), shown.report.arrays.end(), [](const Array& a) { return a.name == "total"; });
    std::erase_if(shown.report.arrays, [](const Array& a) { return a.name == "share" || a.name == "layerCapacity"; });
    for (Size k = 1; k < 20; ++k) {
        total.values[k] = NAN;
        for (Size i = 0; i < 5; ++i) capacity.values[k * 5 + i] = NAN;
    }
    shown.draw(0.2);
    CHECK(shown.bars().size() == 5);
    for (const auto& mark : shown.recorder.marks)
        for (const Vec2& p : mark.points) CHECK((std::isfinite(p.x) && std::isfinite(p.y)));
    for (Size k = 1; k < 21; ++k) {
        total.values[k] = NAN;
        for (Size i = 0; i < 5; ++i) capacity.values[k * 5 + i] = NAN;
    }
    shown.draw(0.2);
    CHECK(shown.bars().size() == 5);
}

TEST_CASE("no words lie over others, on desktops, phones and small figures, wherever ν stands") {
    const struct {
        Rect area;
        bool compact;
    } looks[] = {
        {{{210, 60}, {1010, 700}}, false}, {{{0, 0}, {390, 430}}, true}, {{{0, 0}, {300, 170}}, true}, {{{0, 0}, {720, 300}}, true}};
    for (const auto& preset : findDeclaration("nu-continuum")->presets) {
        DrawnContinuum shown(preset.name);
        for (const auto& look : looks)
            for (const double nu : {0.0, 0.03, 0.3, 1.0}) {
                shown.draw(nu, look.area, look.compact);
                CHECK_FALSE(shown.headline().empty());
                std::vector<const DrawnMark*> texts;
                for (const auto& mark : shown.recorder.marks)
                    if (mark.kind == "text") texts.push_back(&mark);
                for (Size i = 0; i < texts.size(); ++i)
                    for (Size j = 0; j < i; ++j) {
                        INFO(preset.name << ", " << look.area.width() << " wide, ν = " << nu << ": " << texts[i]->id << " \""
                                         << texts[i]->text << "\" over " << texts[j]->id << " \"" << texts[j]->text << "\"");
                        CHECK_FALSE(collide(boxOf(shown.recorder, *texts[i]), boxOf(shown.recorder, *texts[j])));
                    }
            }
    }
}
