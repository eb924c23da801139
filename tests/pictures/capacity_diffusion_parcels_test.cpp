// Parcels of capacity on their way through the picture: none comes or goes, each hops as its network joins units, and all pile up.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "scenes/capacity_flow/capacity_diffusion_picture.h"
#include "support/picture_checks.h"

using namespace kappaflow;
using namespace kappaflow::capacity_diffusion;

namespace {

const std::vector<std::pair<std::string, Value>> kSmall{{"layers", 6.0}, {"extent", 21.0}};

Result resultOf(const Report& report) {
    Result result;
    readReport(kScene, report, &result);
    return result;
}

std::size_t marksOf(const Shown& picture, const char* id) {
    std::size_t count = 0;
    for (const DrawnMark* mark : picture.recorder.find(id)) count += mark->kind == "points" ? mark->points.size() : 1;
    return count;
}

}  // namespace

TEST_CASE("every parcel falls from layer to layer, along the network's connections, until all lie on the pile") {
    for (const char* space : {"ring", "line"}) {
        auto values = kSmall;
        values.emplace_back("space", std::string(space));
        const auto result = resultOf(Shown("capacity-diffusion", values).report);
        const auto start = parcelsAt(result, 6);
        REQUIRE(start.size() == 400);
        for (const Parcel& parcel : start) CHECK((parcel.layer == 6 && parcel.from == 10 && parcel.fallen == 0));
        auto before = start;
        for (double at = 5.9; at > -0.05; at -= 0.1) {
            const auto parcels = parcelsAt(result, std::max(at, 0.0));
            REQUIRE(parcels.size() == 400);
            for (std::size_t i = 0; i < parcels.size(); ++i) {
                const Parcel& p = parcels[i];
                CHECK(p.layer <= before[i].layer);
                CHECK(p.fallen >= before[i].fallen);
                const auto step = (p.to + 21 - p.from) % 21;
                CHECK((step <= 1 || step == 20));
                CHECK((p.above == p.below || p.above == p.below + 1));
                if (p.above == before[i].below) CHECK(p.from == before[i].to);
            }
            before = parcels;
        }
        for (const Parcel& parcel : before) CHECK((parcel.fallen == 1 && parcel.layer == 0));
    }
}

TEST_CASE("no parcel comes or goes while the timeline moves, and the pile is as high as their shares") {
    for (const char* space : {"ring", "grid", "dense"}) {
        CAPTURE(space);
        auto values = kSmall;
        values.emplace_back("space", std::string(space));
        Shown picture("capacity-diffusion", values);
        const bool grid = picture.state.params.text("space") == "grid";
        for (const double at : {6.0, 4.2, 2.0, 0.7, 0.0}) {
            picture.set("at", at);
            picture.draw();
            const std::size_t flying = marksOf(picture, "parcels"), piled = marksOf(picture, "parcels/pile");
            CHECK((grid ? flying - piled : flying) == 400);
            if (at == 6) CHECK(piled == 0);
            if (at == 0) CHECK(piled == 400);
        }
        std::map<double, std::size_t> columns;
        for (const DrawnMark* mark : picture.recorder.find("parcels/pile")) ++columns[std::round(mark->points[0].x)];
        const auto result = resultOf(picture.report);
        std::map<std::size_t, std::size_t> expected;
        for (const Parcel& parcel : parcelsAt(result, 0)) ++expected[grid ? parcel.to % 21 : parcel.to];
        CHECK(columns.size() == expected.size());
        auto column = columns.begin();
        for (const auto& [position, count] : expected) CHECK((column++)->second == count);
    }
}

TEST_CASE("while it plays, the Gaussian waits for the parcels") {
    Shown picture("capacity-diffusion", {{"at", 12.0}});
    picture.draw();
    CHECK(picture.recorder.find("profile/theory").empty());
    picture.set("play", false);
    picture.draw();
    CHECK_FALSE(picture.recorder.find("profile/theory").empty());
    picture.set("play", true);
    picture.set("at", 0.0);
    picture.draw();
    CHECK_FALSE(picture.recorder.find("profile/theory").empty());
}
