#include "app/session.h"

#include <doctest/doctest.h>

#include "bench_runner.h"

using namespace kappaflow;

namespace {

struct Bare {
    double now = 10;
    HandRunner* runner = new HandRunner;
    Session session{std::unique_ptr<Runner>(runner), [this] { return now; }};

    Bare() { session.poll(); }

    void answer() {
        while (runner->busy()) {
            runner->finish();
            session.poll();
        }
    }
    void set(const std::string& key, Value value) { session.change(Change::param(key, std::move(value))); }
    double number(const std::string& key) { return session.state().params.number(key); }
};

}  // namespace

TEST_CASE("a link opened before the first frame is the first thing that is computed") {
    auto* runner = new HandRunner;
    Session session{std::unique_ptr<Runner>(runner), [] { return 1.0; }};
    session.openLink("v=1&scene=shattering");
    session.poll();
    REQUIRE(runner->started.size() == 1);
    CHECK(session.state().scene == "shattering");
}

TEST_CASE("a new param is a new request; a view param is none") {
    Bare bare;
    bare.answer();
    REQUIRE(bare.runner->started.size() == 1);
    bare.set("layers", 12.0);
    REQUIRE(bare.runner->started.size() == 2);
    CHECK(bare.runner->started.back().params.number("layers") == 12);
    bare.answer();
    bare.set("at", 3.5);
    bare.set("play", false);
    bare.set("show", std::string("field"));
    bare.session.change(Change::zoomTo("profile", {0, 1, 0, 1}));
    CHECK(bare.runner->started.size() == 2);
    CHECK(bare.number("at") == 3.5);
}

TEST_CASE("the question does not depend on the view") {
    Bare bare;
    bare.set("at", 3.5);
    bare.answer();
    bare.set("layers", 12.0);
    CHECK(Value(bare.runner->started.back().params.number("at")) == bare.session.scene().param("at")->standard);
}

TEST_CASE("a refused request says why and leaves the report") {
    Bare bare;
    bare.answer();
    const std::string summary = bare.session.report()->summary;
    bare.set("layers", 400.0);
    bare.runner->refuse("Lower the layers.");
    CHECK(bare.session.poll());
    CHECK(bare.session.message() == "Lower the layers.");
    REQUIRE(bare.session.report());
    CHECK(bare.session.report()->summary == summary);
    CHECK(bare.number("layers") == 400);
    bare.set("layers", 20.0);
    CHECK(bare.session.message().empty());
}

TEST_CASE("the newest of many changes is what is computed next, the running one is let finish") {
    Bare bare;
    for (const double layers : {30.0, 31.0, 32.0, 33.0}) bare.set("layers", layers);
    REQUIRE(bare.runner->started.size() == 1);
    bare.runner->finish();
    bare.session.poll();
    REQUIRE(bare.runner->started.size() == 2);
    CHECK(bare.runner->started.back().params.number("layers") == 33);
    CHECK(bare.runner->cancelled == 0);
    CHECK(bare.session.report()->params.number("layers") == 24);  // the superseded answer still moves the picture
    bare.answer();
    CHECK(bare.session.report()->params.number("layers") == 33);
    CHECK_FALSE(bare.session.busy());
}

TEST_CASE("a superseded job older than a tenth of a second is given up") {
    Bare bare;
    bare.set("layers", 30.0);
    bare.now += 0.2;
    bare.session.poll();
    CHECK(bare.runner->cancelled == 1);
    CHECK(bare.runner->started.back().params.number("layers") == 30);
}

TEST_CASE("the failure of a superseded job is nobody's business") {
    Bare bare;
    bare.set("layers", 30.0);
    bare.runner->refuse("old");
    bare.session.poll();
    CHECK(bare.session.message().empty());
    bare.answer();
    CHECK(bare.session.report()->params.number("layers") == 30);
}

TEST_CASE("undo and redo walk the list of states; moving the timeline is no step") {
    Bare bare;
    bare.answer();
    CHECK_FALSE(bare.session.canUndo());
    bare.set("layers", 30.0);
    bare.now += 5;
    bare.set("kernel", std::string("random"));
    bare.set("at", 7.0);
    bare.session.undo();
    CHECK(bare.session.state().params.is("kernel", "uniform"));
    CHECK(bare.number("layers") == 30);
    CHECK(bare.number("at") == 7);
    bare.session.undo();
    CHECK(bare.number("layers") == 24);
    CHECK_FALSE(bare.session.canUndo());
    bare.session.undo();
    CHECK(bare.number("layers") == 24);
    bare.session.redo();
    bare.session.redo();
    CHECK(bare.session.state().params.is("kernel", "random"));
    CHECK_FALSE(bare.session.canRedo());
}

TEST_CASE("a drag is one step back, two drags are two") {
    Bare bare;
    for (const double layers : {25.0, 26.0, 27.0}) {
        bare.set("layers", layers);
        bare.now += 0.1;
    }
    bare.now += 2;
    bare.set("layers", 40.0);
    bare.session.undo();
    CHECK(bare.number("layers") == 27);
    bare.session.undo();
    CHECK(bare.number("layers") == 24);
}

TEST_CASE("turning what is looked at, about several axes in one drag, is one step back") {
    Bare bare;
    const double orbit = bare.number("orbit"), tilt = bare.number("tilt");
    for (const double moved : {1.0, 2.0, 3.0}) {
        bare.set("orbit", orbit + moved);
        bare.set("tilt", tilt + moved);
        bare.now += 0.1;
    }
    bare.session.undo();
    CHECK(bare.number("orbit") == orbit);
    CHECK(bare.number("tilt") == tilt);
    CHECK_FALSE(bare.session.canUndo());
}

TEST_CASE("a new change after undo forgets what could be redone") {
    Bare bare;
    bare.set("layers", 30.0);
    bare.session.undo();
    bare.set("layers", 31.0);
    CHECK_FALSE(bare.session.canRedo());
}

TEST_CASE("undo returns to another scene") {
    Bare bare;
    bare.set("layers", 30.0);
    bare.session.change(Change::scene("shattering"));
    CHECK(bare.session.scene().id == "shattering");
    CHECK(bare.session.report() == nullptr);
    bare.session.undo();
    CHECK(bare.session.scene().id == "capacity-diffusion");
    CHECK(bare.number("layers") == 30);
}

TEST_CASE("a network that cannot be used leaves everything as it was, with a sentence") {
    Bare bare;
    bare.set("layers", 30.0);
    bare.answer();
    const State before = bare.session.state();
    const auto asked = bare.runner->started.size();
    bare.session.attach("broken.onnx", {1, 2, 3});
    REQUIRE(bare.runner->started.size() == asked + 1);
    REQUIRE(bare.runner->started.back().network);
    CHECK(bare.runner->started.back().network->bytes.size() == 3);
    bare.runner->refuse("broken.onnx is no ONNX file.");
    bare.session.poll();
    CHECK(bare.session.state() == before);
    CHECK(bare.session.network() == nullptr);
    CHECK(bare.session.message() == "broken.onnx is no ONNX file.");
    CHECK(bare.runner->started.size() == asked + 1);  // what is on screen is not computed again
    bare.session.undo();
    CHECK(bare.number("layers") == 24);
}

TEST_CASE("an attached network goes into the request and comes back with undo and redo") {
    Bare bare;
    bare.answer();
    bare.session.attach("good.onnx", {1});
    CHECK(bare.session.state().params.is("network", "file"));
    bare.session.undo();
    CHECK(bare.session.network() == nullptr);
    bare.session.redo();
    REQUIRE(bare.session.network());
    CHECK(bare.session.network()->name == "good.onnx");
}

TEST_CASE("the network on screen comes as a file when it is asked for, once, and the picture stays") {
    Bare bare;
    bare.session.change(Change::scene("activation-regions"));
    bare.answer();
    const std::vector<double> weights = bare.session.report()->array("weights")->values;
    CHECK_FALSE(bare.session.hasNetworkFile());
    bare.session.askForNetworkFile();
    CHECK(bare.runner->started.back().withNetwork);
    bare.answer();
    REQUIRE(bare.session.hasNetworkFile());
    CHECK(bare.session.report()->array("weights")->values == weights);
    CHECK(bare.session.report()->networkFile.empty());
    const std::vector<unsigned char> file = bare.session.takeNetworkFile();
    CHECK_FALSE(bare.session.hasNetworkFile());
    bare.session.attach("saved.onnx", file);
    bare.answer();
    CHECK(bare.session.message().empty());
    CHECK(bare.session.report()->array("weights")->values == weights);
}

TEST_CASE("a scene without a network, and a network that has no form in the file, say so in a sentence") {
    Bare bare;
    bare.session.change(Change::scene("shattering"));
    bare.answer();
    bare.session.askForNetworkFile();
    CHECK(bare.session.message().find("has no network to save.") != std::string::npos);
    bare.session.change(Change::scene("capacity-diffusion"));
    bare.session.change(Change::param("shared", false));
    bare.session.change(Change::param("kernel", std::string("random")));
    bare.answer();
    bare.session.askForNetworkFile();
    bare.answer();
    CHECK_FALSE(bare.session.hasNetworkFile());
    CHECK(bare.session.message().find("its kernels differ from position to position") != std::string::npos);
}

TEST_CASE("a change made while the network's file is on its way puts an end to the wish") {
    Bare bare;
    bare.session.change(Change::scene("activation-regions"));
    bare.answer();
    bare.session.askForNetworkFile();
    bare.session.change(Change::param("seed", 5.0));
    bare.answer();
    bare.answer();
    CHECK_FALSE(bare.session.hasNetworkFile());
}

TEST_CASE("from a scene without networks a dropped one leads to the scene that shows it") {
    Bare bare;
    bare.session.change(Change::scene("shattering"));
    bare.session.attach("good.onnx", {1});
    CHECK(bare.session.scene().id == "capacity-diffusion");
}

TEST_CASE("a data file leads to the scene that trains on it, goes into the request, and comes back with undo and redo") {
    Bare bare;
    bare.answer();
    const std::string points = "0,0,a\n1,2,b\n2,1,a\n";
    bare.session.attach("points.csv", {points.begin(), points.end()});
    CHECK(bare.session.scene().paramOf(Kind::Data) != nullptr);
    CHECK(bare.session.state().params.is("data", "file"));
    bare.answer();
    REQUIRE(bare.runner->started.back().data);
    CHECK(bare.runner->started.back().data->bytes.size() == points.size());
    CHECK(bare.runner->started.back().network == nullptr);
    CHECK(bare.session.shownFile() == "points.csv");
    bare.session.undo();
    CHECK(bare.session.data() == nullptr);
    CHECK(bare.session.shownFile() == "");
    bare.session.redo();
    REQUIRE(bare.session.data());
    CHECK(bare.session.data()->name == "points.csv");
    bare.set("data", std::string("none"));
    bare.answer();
    CHECK(bare.runner->started.back().data == nullptr);
}

TEST_CASE("a data file that cannot be used leaves everything as it was, with a sentence") {
    Bare bare;
    bare.set("layers", 30.0);
    bare.answer();
    const State before = bare.session.state();
    const auto asked = bare.runner->started.size();
    bare.session.attach("broken.csv", {1, 2, 3});
    REQUIRE(bare.runner->started.size() == asked + 1);
    bare.runner->refuse("broken.csv is no table.");
    bare.session.poll();
    CHECK(bare.session.state() == before);
    CHECK(bare.session.data() == nullptr);
    CHECK(bare.session.message() == "broken.csv is no table.");
}

TEST_CASE("a link cannot carry a data file either") {
    Bare bare;
    bare.session.openLink("v=1&scene=activation-regions&data=file");
    CHECK(bare.session.state().params.is("data", "none"));
    REQUIRE(bare.session.warnings().size() == 1);
    CHECK(bare.session.warnings()[0].find("data file") != std::string::npos);
}

TEST_CASE("a link restores the state and says what it cannot use") {
    Bare bare;
    bare.session.openLink("v=1&scene=shattering&layers=77&nonsense=3");
    CHECK(bare.session.scene().id == "shattering");
    CHECK(bare.number("layers") == 77);
    REQUIRE(bare.session.warnings().size() == 1);
    CHECK(bare.session.warnings()[0].find("nonsense") != std::string::npos);
    CHECK_FALSE(bare.session.canUndo());
    bare.session.dismissWarnings();
    CHECK(bare.session.warnings().empty());
}

TEST_CASE("a link cannot carry a file: it says so and shows the scene without") {
    Bare bare;
    bare.session.openLink("v=1&scene=capacity-diffusion&network=file");
    CHECK(bare.session.state().params.is("network", ""));
    CHECK(bare.session.warnings().size() == 1);
}

TEST_CASE("a text that is no value is refused in a sentence, one out of range is clamped with a warning") {
    Bare bare;
    CHECK(bare.session.setText("layers", "many").find("layers") != std::string::npos);
    CHECK(bare.session.setText("colour", "blue").find("colour") != std::string::npos);
    CHECK(bare.number("layers") == 24);
    CHECK(bare.session.setText("layers", "9999").empty());
    CHECK(bare.number("layers") == 400);
    CHECK(bare.session.warnings().size() == 1);
}

TEST_CASE("every change that can be seen changes the version") {
    Bare bare;
    auto last = bare.session.version();
    const auto changed = [&] {
        const bool grown = bare.session.version() > last;
        last = bare.session.version();
        return grown;
    };
    bare.set("layers", 30.0);
    CHECK(changed());
    bare.answer();
    CHECK(changed());
    bare.session.say("hello");
    CHECK(changed());
    bare.session.poll();
    CHECK_FALSE(changed());
}
