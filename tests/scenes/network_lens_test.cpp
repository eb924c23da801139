#include <doctest/doctest.h>

#include "support/scene_runs.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

Report look(const Settings& settings) { return runChecked("network-lens", settings); }

std::string noteOf(const Report& report, const char* part) {
    const std::string* note = report.note(part);
    return note ? *note : "";
}

/// Every lens says something, and those that it names say nothing but a sentence.
void checkLenses(const Report& report, const std::vector<const char*>& silent) {
    const std::vector<std::pair<const char*, const char*>> lenses{
        {"capacity", "capacity"}, {"regions", "vertices"}, {"trajectory", "length"}, {"sensitivity", "chi"}};
    for (const auto& lens : lenses) {
        const std::string part = lens.first;
        CAPTURE(part);
        const bool expected = std::none_of(silent.begin(), silent.end(), [&](const char* s) { return s == part; });
        CHECK((report.array(lens.second) != nullptr) == expected);
        if (!expected) CHECK(isOneSentence(noteOf(report, part.c_str())));
    }
}

}  // namespace

TEST_CASE("the opening network is trained, and every lens looks at its last step over the same layers") {
    const Report report = look({});
    checkLenses(report, {});
    CHECK(report.notes.empty());
    CHECK(scalarOf(report, "trainingAccuracy") > 0.95);
    for (const char* step : {"capacityStep", "regionsStep", "lengthStep", "sensitivityStep", "trainedSteps"})
        CHECK(scalarOf(report, step) == 300);
    for (const char* name : {"units", "parameters", "capacity", "total", "holders", "length", "growth", "image", "chi", "rankSignal"})
        CHECK_MESSAGE(arrayOf(report, name).axes[0].size() == 5, name);
    CHECK(arrayOf(report, "units").values == std::vector<double>{2, 16, 16, 16, 1});
    CHECK(arrayOf(report, "stateOfDepth").values == std::vector<double>{0, 1, 2, 3});
    for (const double total : arrayOf(report, "total").values) CHECK(total == doctest::Approx(1).epsilon(1e-12));
    CHECK(scalarOf(report, "certificate") == 1);
    CHECK(scalarOf(report, "parameterCapacity") == 48 + 272 + 272 + 17 - 48);
}

TEST_CASE("capacity along the drawn edges is what leaves one state and arrives in the next") {
    const Report report = look({{"steps", "0"}});
    const auto &from = arrayOf(report, "flowFrom").values, &to = arrayOf(report, "flowTo").values,
               &amount = arrayOf(report, "flowAmount").values;
    const auto& offsets = arrayOf(report, "flowOffsets").values;
    const Array& capacity = arrayOf(report, "capacity");
    REQUIRE(scalarOf(report, "flowBin") == 1);
    for (std::size_t l = 1; l < 5; ++l) {
        std::vector<double> leaves(16), arrives(16);
        for (auto e = static_cast<std::size_t>(offsets[l - 1]); e < static_cast<std::size_t>(offsets[l]); ++e) {
            leaves[static_cast<std::size_t>(from[e])] += amount[e];
            arrives[static_cast<std::size_t>(to[e])] += amount[e];
        }
        for (std::size_t i = 0; i < 16; ++i) {
            if (!std::isnan(capacity.row(l)[i])) CHECK(leaves[i] == doctest::Approx(capacity.row(l)[i]).epsilon(1e-12));
            if (!std::isnan(capacity.row(l - 1)[i])) CHECK(arrives[i] == doctest::Approx(capacity.row(l - 1)[i]).epsilon(1e-12));
        }
    }
}

TEST_CASE("where a lens does not apply a sentence says why, and the others go on") {
    checkLenses(look({{"activation", "tanh"}}), {"regions"});
    checkLenses(look({{"activation", "sigmoid"}, {"steps", "0"}}), {"regions"});
    checkLenses(look({{"activation", "pseudo-random"}, {"steps", "0"}}), {"regions", "trajectory", "sensitivity"});
    checkLenses(look({{"layers", "residual"}}), {"trajectory"});
    checkLenses(look({{"data", "signals"}, {"layers", "conv"}, {"widths", "4,4"}, {"steps", "0"}}), {"trajectory"});
    checkLenses(look({{"data", "gaussian"}, {"inputs", "1"}}), {"regions"});
    checkLenses(look({{"pointA", "3"}, {"pointB", "3"}, {"steps", "0"}}), {"trajectory"});
    checkLenses(look({{"data", "gaussian"}, {"pointA", "3"}, {"pointC", "3"}}), {"regions"});
    checkLenses(look({{"network", "strokes-resnet"}, {"data", "gaussian"}, {"budget", "50"}}), {"regions", "trajectory"});
    CHECK(isOneSentence(noteOf(look({{"data", "gaussian"}}), "training")));
    CHECK(noteOf(look({{"data", "gaussian"}, {"steps", "0"}}), "training").empty());
}

TEST_CASE("bends inside a residual block and behind its sum are told apart, as many as the partition has") {
    const auto places = [](const Settings& settings, const char* name) {
        Settings all = settings;
        all.emplace_back("steps", "0");
        return arrayOf(look(all), name).values;
    };
    // 2 → 8, three blocks x + W φ(x), φ, 1: two bends end in state 4.
    const Settings blocks{{"layers", "residual"}, {"widths", "8,8,8,8"}};
    CHECK(places(blocks, "stateOfDepth") == std::vector<double>{0, 2, 3, 4, 4});
    CHECK(places(blocks, "insideOfDepth") == std::vector<double>{0, 1, 1, 1, -1});
    CHECK(places({}, "insideOfDepth") == std::vector<double>{0, 0, 0, 0});
    const Settings skip{{"widths", "8,8"}, {"edit", "skip"}, {"editLayer", "2"}, {"editAll", "true"}};
    CHECK(places(skip, "stateOfDepth") == std::vector<double>{0, 1, 2});
    CHECK(places(skip, "insideOfDepth").size() == 3);
}

TEST_CASE("a budget of regions leaves out layers and says so") {
    const Report report = look({{"budget", "20"}});
    CHECK(scalarOf(report, "exactThrough") < 3);
    CHECK(isOneSentence(noteOf(report, "regions")));
}

TEST_CASE("with two inputs samples lie where they are; else the three chosen ones lie in the plane at their own distances") {
    const Report flat = look({{"steps", "0"}, {"trajectory", "arc"}});
    const auto &chosen = arrayOf(flat, "chosenPoints").values, &inputs = arrayOf(flat, "chosenInputs").values;
    CHECK(chosen == inputs);
    const auto& curve = arrayOf(flat, "curve").values;
    for (std::size_t i = 0; i < 2; ++i) {
        CHECK(curve[i] == doctest::Approx(chosen[i]).epsilon(1e-14));
        CHECK(curve[curve.size() - 2 + i] == doctest::Approx(chosen[2 + i]).epsilon(1e-12));
    }
    const Report deep = look({{"data", "gaussian"}, {"inputs", "7"}});
    const auto &at = arrayOf(deep, "chosenPoints").values, &x = arrayOf(deep, "chosenInputs").values;
    const auto apart = [](const std::vector<double>& v, std::size_t size, std::size_t a, std::size_t b) {
        double sum = 0;
        for (std::size_t i = 0; i < size; ++i) sum += (v[a * size + i] - v[b * size + i]) * (v[a * size + i] - v[b * size + i]);
        return std::sqrt(sum);
    };
    const double scale = apart(x, 7, 0, 1) / apart(at, 2, 0, 1);
    CHECK(apart(x, 7, 0, 2) == doctest::Approx(scale * apart(at, 2, 0, 2)).epsilon(1e-12));
    CHECK(apart(x, 7, 1, 2) == doctest::Approx(scale * apart(at, 2, 1, 2)).epsilon(1e-12));
    for (const double place : at) CHECK(std::abs(place) <= 0.5 + 1e-12);
}

TEST_CASE("edits that keep the function move none of it; rescaling a chain moves no capacity at all") {
    const Settings drawn{{"steps", "0"}};
    const auto edit = [&](const char* kind, const char* amount) {
        Settings settings = drawn;
        settings.insert(settings.end(), {{"edit", kind}, {"editLayer", "2"}, {"editAmount", amount}});
        return look(settings);
    };
    const Report same = edit("insert", "0"), fresh = edit("insert", "1"), louder = edit("rescale", "8"), bypassed = edit("skip", "1"),
                 wider = edit("widen", "12"), shorter = edit("remove", "0"), frozen = edit("freeze", "0");
    CHECK(scalarOf(same, "moved") < 1e-12);
    CHECK(scalarOf(same, "functionChange") == 0);
    CHECK(scalarOf(louder, "moved") < 1e-12);
    CHECK(scalarOf(louder, "functionChange") > 1);
    CHECK(look({{"steps", "0"}, {"activation", "pseudo-random"}, {"edit", "rescale"}}).scalar("functionChange") == nullptr);
    for (const Report* moved : {&fresh, &bypassed, &wider, &shorter}) {
        CHECK(scalarOf(*moved, "moved") > 1e-4);
        CHECK(scalarOf(*moved, "functionChange") > 0.01);
        CHECK(arrayOf(*moved, "capacity").values.size() == arrayOf(same, "capacity").values.size());
    }
    CHECK(arrayOf(same, "editedUnits").values == std::vector<double>{2, 16, 16, 16, 16, 1});
    CHECK(std::isnan(arrayOf(same, "stateBefore").values[3]));
    CHECK(arrayOf(shorter, "stateBefore").values == std::vector<double>{0, 1, 3, 4});
    CHECK(arrayOf(wider, "editedUnits").values == std::vector<double>{2, 16, 28, 16, 1});
    CHECK(arrayOf(frozen, "editedParameters").values[2] == 0);
    CHECK(scalarOf(frozen, "moved") == 0);
    CHECK(scalarOf(frozen, "editedParameterCapacity") == scalarOf(frozen, "parameterCapacity") - 272 + 32);
    for (const Report* report : {&same, &fresh, &louder, &bypassed, &wider, &shorter, &frozen})
        for (const double total : arrayOf(*report, "editedTotal").values) CHECK(total == doctest::Approx(1).epsilon(1e-12));
}

TEST_CASE("an edit under every lens is what they look at; one that cannot be made is a sentence") {
    const Report plain = look({{"steps", "0"}});
    const Report all = look({{"steps", "0"}, {"edit", "remove"}, {"editLayer", "2"}, {"editAll", "true"}});
    CHECK(arrayOf(all, "length").values.size() == arrayOf(plain, "length").values.size() - 1);
    CHECK(arrayOf(all, "chi").values.size() == arrayOf(plain, "chi").values.size() - 1);
    CHECK(arrayOf(all, "regionsByDepth").values.size() == 3);
    for (const Settings& settings :
         {Settings{{"edit", "remove"}, {"editLayer", "4"}}, Settings{{"edit", "widen"}, {"editLayer", "60"}},
          Settings{{"network", "strokes-resnet"}, {"data", "gaussian"}, {"budget", "1"}, {"edit", "widen"}, {"editLayer", "2"}}}) {
        const Report report = look(settings);
        CHECK(isOneSentence(noteOf(report, "edit")));
        CHECK(report.array("editedUnits") == nullptr);
    }
}

TEST_CASE("a reader's own points, images and networks are looked at, and bad ones refused in a sentence") {
    Request request = requestOf("network-lens", {{"data", "file"}, {"steps", "20"}});
    const std::string table = "0,0,a\n1,0,b\n0,1,c\n1,1,a\n2,1,b\n0,2,c\n";
    request.data = std::make_shared<Attachment>(Attachment{"points.csv", {table.begin(), table.end()}});
    const Report points = runRequest(request);
    checkReport(*findDeclaration("network-lens"), points);
    CHECK(arrayOf(points, "units").values.back() == 3);
    request.data = std::make_shared<Attachment>(Attachment{"points.csv", {'1', ',', '2'}});
    CHECK(isOneSentence(refusal([&] { runRequest(request); })));
    request.data = std::make_shared<Attachment>(Attachment{"images", std::vector<unsigned char>(40, 0)});
    CHECK(isOneSentence(refusal([&] { runRequest(request); })));
    CHECK(isOneSentence(refusal([] { runRequest(requestOf("network-lens", {{"data", "file"}})); })));
    CHECK(isOneSentence(refusal([] { runRequest(requestOf("network-lens", {{"network", "file"}})); })));
}

TEST_CASE("data that do not fit a network file are replaced by Gaussian ones, with a warning") {
    CHECK(warnsOf(look({{"network", "shapes-classifier"}}), "Gaussian samples"));
    CHECK_FALSE(warnsOf(look({{"network", "shapes-classifier"}, {"data", "gaussian"}}), "Gaussian samples"));
    CHECK(warnsOf(look({{"unit", "5"}, {"steps", "0"}}), "unit"));
    CHECK(warnsOf(look({{"pointB", "500"}, {"steps", "0"}}), "pointB"));
}
