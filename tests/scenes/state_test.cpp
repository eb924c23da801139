#include <doctest/doctest.h>

#include <cmath>

#include "scene/state.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

using Warnings = std::vector<std::string>;

State shattering() { return initialState("shattering"); }

TEST_CASE("a scene opens with every param at its default and an unknown one opens the first") {
    for (const auto& declaration : declarations()) CHECK(initialState(declaration.id).params == declaration.defaults());
    CHECK(initialState("nowhere").scene == declarations().front().id);
}

TEST_CASE("a change touches what it names and nothing else") {
    Warnings warnings;
    const State changed = apply(shattering(), Change::param("layers", 80.0), warnings);
    CHECK(changed.params.integer("layers") == 80);
    State undone = changed;
    undone.params.set("layers", shattering().params.at("layers"));
    CHECK(undone == shattering());
    CHECK(apply(changed, Change::reset(), warnings) == shattering());
    CHECK(warnings.empty());
}

TEST_CASE("an inadmissible change is clamped or ignored, with one sentence") {
    const auto refused = [](const Change& change) {
        Warnings warnings;
        CHECK(apply(shattering(), change, warnings) == shattering());
        REQUIRE(warnings.size() == 1);
        CHECK(isOneSentence(warnings[0]));
    };
    refused(Change::param("layer", 5.0));
    refused(Change::param("layers", std::string("many")));
    refused(Change::param("taps", 4.0));
    refused(Change::param("layers", std::nan("")));
    refused(Change::scene("nowhere"));
    refused(Change::preset("no such"));
    refused(Change::zoomTo("plot", {1, 1, 0, 1}));
    refused(Change::zoomTo("plot", {0, 1, 0, std::nan("")}));
    refused(Change::zoomTo("", {0, 1, 0, 1}));
    Warnings warnings;
    CHECK(apply(shattering(), Change::param("layers", 1e9), warnings).params.integer("layers") == 1000);
    CHECK(warnings.size() == 1);
}

TEST_CASE("a preset is the defaults with its own values, each admissible as it stands") {
    for (const auto& declaration : declarations())
        for (const auto& preset : declaration.presets) {
            Warnings warnings;
            State state = initialState(declaration.id);
            if (declaration.param("seed")) state = apply(state, Change::param("seed", 99.0), warnings);
            state = apply(state, Change::preset(preset.name), warnings);
            CHECK_MESSAGE(warnings.empty(), preset.name);
            for (const auto& param : declaration.params) {
                const auto named =
                    std::find_if(preset.values.begin(), preset.values.end(), [&](const auto& v) { return v.first == param.key; });
                const Value expected =
                    named == preset.values.end() ? standardBeside(param, state.params) : parseValue(param, named->second).value;
                CHECK_MESSAGE(state.params.at(param.key) == expected, preset.name, " ", param.key);
            }
        }
}

TEST_CASE("zooms come and go, and never more than a link could hold") {
    Warnings warnings;
    State state = apply(shattering(), Change::zoomTo("weight", {0, 1, 2, 3}), warnings);
    CHECK(state.zooms.at("weight") == std::array<double, 4>{0, 1, 2, 3});
    state = apply(state, Change::unzoom("weight"), warnings);
    CHECK(state == shattering());
    for (int i = 0; i < 1000; ++i) state = apply(state, Change::zoomTo("plot" + std::to_string(i), {0, 1, 2, 3}), warnings);
    CHECK(state.zooms.size() == kMaxZooms);
}

TEST_CASE("a default that depends on another value follows it until somebody chooses") {
    Warnings warnings;
    State state = initialState("capacity-diffusion");
    const auto set = [&](const char* key, const Value& value) { state = apply(state, Change::param(key, value), warnings); };
    set("space", std::string("grid"));
    CHECK(state.params.number("extent") == 33);
    CHECK(formatLink(state) == "v=1&scene=capacity-diffusion&space=grid");
    set("space", std::string("line"));
    CHECK(state.params.number("extent") == 65);
    set("extent", 40.0);
    set("space", std::string("grid"));
    CHECK(state.params.number("extent") == 40);
    set("extent", 65.0);
    CHECK(parseLink(formatLink(state), warnings).params == state.params);
    CHECK(parseLink("v=1&scene=capacity-diffusion&extent=65&space=grid", warnings).params == state.params);
    CHECK(warnings.empty());
}

TEST_CASE("a value whose range depends on another is kept within it, whichever changes") {
    Warnings warnings;
    State state = initialState("augmented-space");
    const auto set = [&](const char* key, double value) { state = apply(state, Change::param(key, value), warnings); };
    set("features", 6);
    set("free", 5);
    CHECK(state.params.number("free") == 5);
    CHECK(warnings.empty());
    CHECK(parseLink(formatLink(state), warnings).params == state.params);
    set("features", 3);
    CHECK(state.params.number("free") == 3);
    CHECK(parseLink(formatLink(state), warnings).params == state.params);
    CHECK(warnings.empty());
    set("free", 8);
    CHECK(state.params.number("free") == 3);
    REQUIRE(warnings.size() == 1);
    CHECK(isOneSentence(warnings[0]));
}

}  // namespace
