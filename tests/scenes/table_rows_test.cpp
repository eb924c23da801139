#include <doctest/doctest.h>

#include <cmath>

#include "scene/table.h"

using namespace kappaflow;

namespace rows_of_two {

struct SharedParams {
    int width = 3;
    bool wide() const { return width > 10; }
};
struct OwnParams : SharedParams {
    double height = 2;
};
struct Part {
    std::vector<double> values;
    std::optional<double> mean;
};
struct OwnResult : Findings {
    std::vector<double> channels, steps;
    Part first, second;
    Estimate estimate;
};

}  // namespace rows_of_two

namespace {

using namespace table;
using namespace rows_of_two;
bool isWide(const SharedParams& p) { return p.wide(); }
constexpr ParamRow kOwn[] = {number<&OwnParams::height>("height", "h", "height", {0, 5}, "", "") | when<isWide>};
constexpr ParamRow kShared[] = {whole<&SharedParams::width>("width", "w", "width", {1, 100}, "", "")};
constexpr auto kParams = joined(kOwn, kShared);
constexpr AxisRow kChannels = axis<&OwnResult::channels>("channels"), kStep = axis<&OwnResult::steps>("step");
constexpr FieldRow kFields[] = {measured<&OwnResult::first, &Part::values>("first", "", {kChannels}, "") | onGrid{{kStep}},
                                measured<&OwnResult::second, &Part::values>("second", "", {kChannels}, "") | onGrid{{kStep}},
                                measured<&OwnResult::second, &Part::mean>("mean", "", {}, ""),
                                measured<&OwnResult::estimate>("estimate", "", {}, "")};
constexpr PresetRow kPresets[] = {preset<[](OwnParams& p) { p.width = 20, p.height = 1; }>("twenty")};
constexpr SceneTable kScene = sceneTable<OwnParams>({.id = "table-rows",
                                                     .title = "",
                                                     .claim = "",
                                                     .group = "",
                                                     .source = "",
                                                     .lookAt = "",
                                                     .tryThis = "",
                                                     .params = kParams,
                                                     .fields = kFields,
                                                     .presets = kPresets});

}  // namespace

TEST_CASE("table rows: those of a base and of the scene itself are declared, bound and shown together") {
    const Declaration d = declare(kScene);
    REQUIRE(d.params.size() == 2);
    CHECK(d.param("height") == &d.params[0]);
    CHECK(d.param("width") == &d.params[1]);
    CHECK(std::get<double>(d.params[1].standard) == 3);
    Values values = d.defaults();
    CHECK_FALSE(d.params[0].visible(values));
    values.set("width", 12.0);
    values.set("height", 4.0);
    CHECK(d.params[0].visible(values));
    OwnParams p;
    bindParams(kScene, values, &p);
    CHECK(p.width == 12);
    CHECK(p.height == 4);
    CHECK(d.presets[0].values.size() == 2);
}

TEST_CASE("table rows: fields are parts of members, along one axis or the other, and come back as they went") {
    OwnResult r;
    r.steps = {0, 1, 5};
    r.first.values = {1, 2, 3};
    r.second.values = {4, 5, 6};
    r.second.mean = 5;
    r.estimate = {7, std::nan(""), 1};
    Report report = takeReport(kScene, &r, r);
    REQUIRE(report.arrays.size() == 2);
    CHECK(report.array("second")->axes[0].name == "step");
    CHECK(report.array("second")->values == std::vector<double>{4, 5, 6});
    CHECK(report.scalar("mean")->value == 5);
    CHECK_FALSE(report.scalar("estimate")->standardError);
    OwnResult back;
    readReport(kScene, report, &back);
    CHECK(back.steps == std::vector<double>{0, 1, 5});
    CHECK(back.channels.empty());
    CHECK(back.first.values == std::vector<double>{1, 2, 3});
    CHECK(back.second.mean == 5.0);
    CHECK(back.estimate.value == 7);
}
