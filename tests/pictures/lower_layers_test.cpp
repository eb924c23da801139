// The scales of hidden units are pulled in the picture, and the network is built there.
#include "support/picture_checks.h"

using namespace kappaflow;

namespace {

using Named = std::vector<std::pair<std::string, Value>>;

Shown shownWith(const Named& values) {
    Shown shown("lower-layers", values);
    shown.area = {{0, 0}, {810, 590}};
    shown.draw();
    return shown;
}

std::vector<double> widthsOfWeights(const Shown& drawn) {
    std::vector<double> widths;
    for (const auto* mark : drawn.recorder.find("network/weight")) widths.push_back(mark->numbers[0]);
    return widths;
}

std::string titleOf(const Shown& drawn) {
    for (const auto* mark : drawn.recorder.find("output/title")) return mark->text;
    return "";
}

}  // namespace

TEST_CASE("at scale 4 the chosen unit's incoming weights are drawn thicker and its outgoing one thinner, and the others as before") {
    const auto before = widthsOfWeights(shownWith({{"at", 0.0}})), after = widthsOfWeights(shownWith({{"at", 1.0}}));
    REQUIRE(before.size() == 16);
    int thicker = 0, thinner = 0;
    for (std::size_t w = 0; w < 16; ++w) thicker += after[w] > before[w] + 1e-9, thinner += after[w] < before[w] - 1e-9;
    CHECK(thicker == 3);
    CHECK(thinner == 1);
}

TEST_CASE("the title says that the output stays, or by how much it moves") {
    CHECK(titleOf(shownWith({{"at", 1.0}})).find("unchanged") != std::string::npos);
    const Shown tanh = shownWith({{"at", 1.0}, {"shown", std::string("tanh")}});
    CHECK(titleOf(tanh).find("changed by") != std::string::npos);
    CHECK(titleOf(tanh).find("unchanged") == std::string::npos);
}

TEST_CASE("a pulled unit stands beside its column by the logarithm of its scale") {
    Shown rest = shownWith({}), pulled = shownWith({{"unit", 2.0}, {"at", 1.25}});
    CHECK(pulled.handleOf("unit 2").value == doctest::Approx(1.5));
    CHECK(pulled.handleOf("unit 2").rect.centre().x > rest.handleOf("unit 2").rect.centre().x + 5);
    CHECK(pulled.handleOf("unit 1").value == 0);
}

TEST_CASE("a pointer that presses a unit chooses it and a drag follows the pointer") {
    Shown drawn = shownWith({});
    const Vec2 at = drawn.handleOf("unit 3").rect.centre();
    const auto drawAndApply = [&](const Pointer& pointer) {
        const auto changes = drawn.draw(pointer);
        for (const auto& change : changes) {
            std::vector<std::string> warnings;
            drawn.state = apply(drawn.state, change, warnings);
        }
        return changes;
    };
    Pointer pointer;
    pointer.at = at;
    pointer.inside = pointer.down = pointer.pressed = true;
    const auto changes = drawAndApply(pointer);
    REQUIRE_FALSE(changes.empty());
    CHECK(changes[0].key == "unit");
    CHECK(std::get<double>(changes[0].value) == 3);
    pointer.pressed = false;
    pointer.at = at + Vec2{20, 0};
    drawAndApply(pointer);
    CHECK(drawn.state.params.number("at") < 2);
    CHECK(drawn.state.params.number("at") >= 1);
    drawn.draw(pointer);
    CHECK(drawn.handleOf("unit 3").rect.centre().x == doctest::Approx(at.x + 20).epsilon(0.01));
}

TEST_CASE("the handles of units stop where ranks cannot be counted any more, and a tree's ends have none") {
    CHECK(shownWith({{"architecture", std::vector<double>{3, 4, 1}}}).handleOf("width 1").max == 6);
    const Named large{{"architecture", std::vector<double>{8, 8, 8, 8, 1}}, {"activation", std::string("identity")}, {"inputsTried", 1.0}};
    CHECK(shownWith(large).handleOf("width 4").max == 4);
    Shown tree = shownWith({{"architecture", std::vector<double>{1, 2, 2, 1}}, {"layer", std::string("convolution")}});
    CHECK(tree.handleOf("width 1").max == 6);
    for (const auto& handle : tree.handles.shown()) CHECK((handle.id != "width 0" && handle.id != "width 3"));
}
