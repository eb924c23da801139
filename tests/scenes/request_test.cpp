#include <doctest/doctest.h>

#include <set>

#include "scene/scene.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

Request request(std::string scene, std::vector<std::pair<std::string, Value>> values = {}) {
    Request r;
    r.scene = std::move(scene);
    for (auto& [key, value] : values) r.params.set(key, std::move(value));
    return r;
}

std::string refusedStart(const Request& r) {
    return refusal([&] { openRequest(r); });
}

TEST_CASE("values are completed with defaults, clamped with warnings, and names are resolved") {
    std::vector<std::string> warnings;
    Values given;
    given.set("layers", 1e6);
    given.set("epsilon", std::string("1/L"));
    const auto& declaration = *findDeclaration("shattering");
    const Values values = completeValues(declaration, given, warnings);
    Values expected = declaration.defaults();
    expected.set("layers", declaration.param("layers")->max);
    CHECK(values == expected);
    CHECK(warnings.size() == 1);
}

TEST_CASE("a mistyped word is answered with the nearest known one") {
    const std::vector<std::string> known{"layers", "taps", "epsilon", "seed"};
    CHECK(nearestWord("layer", known) == "layers");
    CHECK(nearestWord("laeyrs", known) == "layers");
    CHECK(nearestWord("epslion", known) == "epsilon");
    CHECK(nearestWord("sead", known) == "seed");
    CHECK(nearestWord("frobnicate", known).empty());
    CHECK(nearestWord("", known).empty());
    CHECK(nearestWord(std::string(100000, 'x'), known).empty());
}

TEST_CASE("an unknown scene or key is refused with what was meant, or with all there are") {
    CHECK(refusedStart(request("shatering")) == "There is no scene \"shatering\"; did you mean shattering?");
    CHECK(refusedStart(request("mandelbrot")).find("there are capacity-diffusion, augmented-space") != std::string::npos);
    CHECK(refusedStart(request("shattering", {{"layer", 3.0}})) == "shattering has no param \"layer\"; did you mean layers?");
    CHECK(refusedStart(request("shattering", {{"frobnicate", 3.0}})).find("it takes kind, layers, taps") != std::string::npos);
}

TEST_CASE("the scene is checked before keys, keys before values, values before attachments") {
    Request r = request("shattering", {{"layers", std::string("many")}, {"nonsense", 1.0}});
    r.network = std::make_shared<Attachment>(Attachment{"a.onnx", {1, 2, 3}});
    CHECK(refusedStart(r).find("nonsense") != std::string::npos);
    r.params = {};
    r.params.set("layers", std::string("many"));
    CHECK(refusedStart(r).find("layers takes a whole number") != std::string::npos);
    r.params = {};
    CHECK(refusedStart(r) == "shattering takes no network file.");
}

TEST_CASE("attached bytes are refused where nobody reads them, and missed where they are needed") {
    CHECK(isOneSentence(refusedStart(request("capacity-diffusion", {{"network", std::string("file")}}))));
    Request r = request("capacity-diffusion");
    r.data = std::make_shared<Attachment>();
    CHECK(refusedStart(r) == "capacity-diffusion takes no data file.");
}

TEST_CASE("only a value that was given, differs and means nothing here is called idle") {
    const auto& declaration = *findDeclaration("capacity-diffusion");
    const auto idle = [&](const std::string& layer, double epsilon) {
        std::vector<std::string> warnings;
        Values given;
        given.set("layer", layer);
        given.set("epsilon", epsilon);
        return idleValues(declaration, given, completeValues(declaration, given, warnings)).size();
    };
    CHECK(idle("plain", 0.5) == 1);
    CHECK(idle("plain", std::get<double>(declaration.param("epsilon")->standard)) == 0);
    CHECK(idle("residual", 0.5) == 0);
    Values all = declaration.defaults();
    all.set("epsilon", 0.5);
    CHECK(idleValues(declaration, Values(), all).empty());
}

TEST_CASE("a largest value that depends on another value is held to") {
    const Report report = runRequest(request("capacity-diffusion", {{"space", std::string("grid")}, {"extent", 500.0}, {"layers", 2.0}}));
    CHECK(report.params.integer("extent") == 128);
    REQUIRE(!report.warnings.empty());
    CHECK(report.warnings[0] == "extent was lowered from 500 to 128, the largest it takes.");
    CHECK(runRequest(request("capacity-diffusion", {{"space", std::string("grid")}, {"layers", 2.0}})).params.integer("extent") == 33);
}

}  // namespace
