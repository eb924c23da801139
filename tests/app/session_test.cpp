#include "app/session.h"

#include <doctest/doctest.h>

#include <array>

#include "app/describe.h"
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
    bare.set("at", 4.5);
    bare.answer();
    REQUIRE(bare.runner->started.size() == 1);
    bare.set("layers", 12.0);
    REQUIRE(bare.runner->started.size() == 2);
    CHECK(bare.runner->started.back().params.number("layers") == 12);
    bare.answer();
    CHECK(Value(bare.runner->started.back().params.number("at")) == bare.session.scene().param("at")->standard);
    bare.set("at", 3.5);
    bare.set("play", false);
    bare.set("show", std::string("field"));
    bare.session.change(Change::zoomTo("profile", {0, 1, 0, 1}));
    CHECK(bare.runner->started.size() == 2);
    CHECK(bare.number("at") == 3.5);
}

TEST_CASE("busy until the answer has been taken, and a stop before does not lose it") {
    Bare bare;
    bare.answer();
    bare.set("layers", 12.0);
    bare.runner->finish();
    CHECK(bare.session.busy());
    CHECK(bare.session.report()->params.number("layers") != 12);
    bare.session.stop();
    CHECK(bare.session.poll());
    CHECK_FALSE(bare.session.busy());
    CHECK(bare.session.report()->params.number("layers") == 12);
    CHECK(bare.session.warnings().empty());
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

TEST_CASE("the failure of a superseded job is nobody's business") {
    Bare bare;
    bare.set("layers", 30.0);
    bare.runner->refuse("old");
    bare.session.poll();
    CHECK(bare.session.message().empty());
    bare.answer();
    CHECK(bare.session.report()->params.number("layers") == 30);
}

TEST_CASE("what takes longer than a second says how far it is, and from a twentieth on how long it will take") {
    Bare bare;
    const auto saysAt = [&](double seconds, double share) {
        bare.now = 10 + seconds;
        bare.runner->events.push_back({JobEvent::What::Progress, bare.runner->running, share, {}, ""});
        bare.session.poll();
        return progressWords(bare.session);
    };
    CHECK(saysAt(0.5, 0.01) == "");
    CHECK(saysAt(1.2, 0.04) == "4 %");
    CHECK(saysAt(2, 0.4) == "40 %, about 3 s left");
    CHECK(saysAt(30, 0.999) == "99 %, about 1 s left");
    bare.answer();
    CHECK(progressWords(bare.session) == "");
}

TEST_CASE("what is stopped leaves the picture before, and the next change computes again") {
    Bare bare;
    bare.answer();
    const Report* before = bare.session.report();
    REQUIRE(before);
    bare.session.stop();  // nothing to stop
    CHECK(bare.session.warnings() == before->warnings);
    const std::uint64_t seen = bare.session.resultsSeen();
    bare.set("layers", 12.0);
    bare.session.stop();
    CHECK_FALSE(bare.session.busy());
    CHECK(bare.runner->cancelled == 1);
    CHECK(bare.session.warnings().front() == "Stopped before the end; the next change computes again.");
    for (int i = 0; i < 5; ++i) bare.session.poll();
    bare.set("at", 2.0);
    CHECK_FALSE(bare.session.busy());
    CHECK(bare.session.resultsSeen() == seen);
    bare.set("layers", 13.0);
    CHECK(bare.session.busy());
    bare.answer();
    CHECK(bare.session.resultsSeen() == seen + 1);
    CHECK(bare.session.report()->params.number("layers") == 13);
}

TEST_CASE("undo and redo walk the list of states; a timeline that moves by itself is no step") {
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

TEST_CASE("a drag is one step back, two drags are two, and one that turns several axes is one") {
    Bare bare;
    for (const double layers : {25.0, 26.0, 27.0}) {
        bare.set("layers", layers);
        bare.now += 0.1;
    }
    bare.now += 2;
    bare.set("layers", 40.0);
    bare.now += 2;
    const double orbit = bare.number("orbit"), tilt = bare.number("tilt");
    for (const double moved : {1.0, 2.0, 3.0}) {
        bare.set("orbit", orbit + moved);
        bare.set("tilt", tilt + moved);
        bare.now += 0.1;
    }
    bare.session.undo();
    CHECK(bare.number("orbit") == orbit);
    CHECK(bare.number("tilt") == tilt);
    CHECK(bare.number("layers") == 40);
    bare.session.undo();
    CHECK(bare.number("layers") == 27);
    bare.session.undo();
    CHECK(bare.number("layers") == 24);
}

TEST_CASE("undo returns to another scene, and a new change after it forgets what could be redone") {
    Bare bare;
    bare.set("layers", 30.0);
    bare.session.change(Change::scene("shattering"));
    CHECK(bare.session.report() == nullptr);
    bare.session.undo();
    CHECK(bare.session.scene().id == "capacity-diffusion");
    CHECK(bare.number("layers") == 30);
    bare.set("layers", 31.0);
    CHECK_FALSE(bare.session.canRedo());
}

TEST_CASE("a file that cannot be used leaves everything as it was, with a sentence") {
    for (const char* name : {"broken.onnx", "broken.csv"}) {
        CAPTURE(name);
        Bare bare;
        bare.set("layers", 30.0);
        bare.answer();
        const State before = bare.session.state();
        const auto asked = bare.runner->started.size();
        bare.session.attach(name, {1, 2, 3});
        REQUIRE(bare.runner->started.size() == asked + 1);
        bare.runner->refuse("This is no such file.");
        bare.session.poll();
        CHECK(bare.session.state() == before);
        CHECK(bare.session.network() == nullptr);
        CHECK(bare.session.data() == nullptr);
        CHECK(bare.session.message() == "This is no such file.");
        CHECK(bare.runner->started.size() == asked + 1);  // what is on screen is not computed again
        bare.session.undo();
        CHECK(bare.number("layers") == 24);
    }
}

TEST_CASE("an attached file leads to a scene that shows it, goes into the request, and comes back with undo and redo") {
    for (const Kind kind : {Kind::Network, Kind::Data}) {
        const std::string name = kind == Kind::Data ? "points.csv" : "good.onnx";
        CAPTURE(name);
        Bare bare;
        const auto attached = [&] { return kind == Kind::Data ? bare.session.data() : bare.session.network(); };
        bare.session.change(Change::scene("shattering"));
        bare.session.attach(name, {'0', ',', '1'});
        REQUIRE(bare.session.scene().paramOf(kind) != nullptr);
        const std::string key = bare.session.scene().paramOf(kind)->key;
        CHECK(bare.session.state().params.is(key, "file"));
        bare.now += 1;
        bare.session.poll();
        const Request& asked = bare.runner->started.back();
        REQUIRE((kind == Kind::Data ? asked.data : asked.network));
        CHECK((kind == Kind::Data ? asked.network : asked.data) == nullptr);
        CHECK((kind == Kind::Data ? asked.data : asked.network)->bytes.size() == 3);
        CHECK(bare.session.shownFile() == name);
        bare.session.undo();
        CHECK(attached() == nullptr);
        CHECK(bare.session.shownFile().empty());
        bare.session.redo();
        REQUIRE(attached());
        CHECK(attached()->name == name);
        bare.set(key, bare.session.scene().paramOf(kind)->standard);
        CHECK(bare.session.shownFile().empty());
    }
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
    for (const auto& [link, key, kind] : {std::array{"scene=capacity-diffusion&network=file", "network", "network file"},
                                          std::array{"scene=activation-regions&data=file", "data", "data file"}}) {
        bare.session.openLink(link);
        CHECK(bare.session.state().params.at(key) == bare.session.scene().param(key)->standard);
        REQUIRE(bare.session.warnings().size() == 1);
        CHECK(bare.session.warnings()[0].find(kind) != std::string::npos);
    }
}

TEST_CASE("a reset comes back to what the author of the link fixed, in the author's scene, and to the first settings elsewhere") {
    Bare bare;
    bare.session.openLink("https://host.example/?scene=capacity-diffusion&layers=40&seed=7#v=1&scene=capacity-diffusion&layers=9");
    CHECK(bare.number("layers") == 9);
    bare.session.change(Change::reset());
    CHECK(bare.number("layers") == 40);
    CHECK(bare.number("seed") == 7);
    bare.session.undo();
    CHECK(bare.number("layers") == 9);
    bare.session.change(Change::scene("shattering"));
    bare.set("layers", 11.0);
    bare.session.change(Change::reset());
    CHECK(bare.session.state() == openingState("shattering"));

    // A link of pairs alone, as a page without a frame gives it, is the author's as a whole; a mere fragment is a reader's.
    bare.session.openLink("scene=capacity-diffusion&layers=33");
    bare.set("layers", 12.0);
    bare.session.change(Change::reset());
    CHECK(bare.number("layers") == 33);
    bare.session.openLink("#v=1&scene=shattering&layers=9");
    bare.session.change(Change::reset());
    CHECK(bare.session.state() == openingState("shattering"));
}

TEST_CASE("what a page locks neither a reader nor an example, a fragment or a file changes, and elsewhere it is free") {
    Bare bare;
    bare.session.setLocked({"layers", "network", "nonsense"});
    const std::string author = "?scene=capacity-diffusion&layers=40";
    bare.session.openLink(author + "#v=1&scene=capacity-diffusion&layers=9&seed=3");
    CHECK(bare.number("layers") == 40);
    CHECK(bare.number("seed") == 3);
    REQUIRE(bare.session.warnings().size() == 1);
    CHECK(bare.session.warnings()[0] == "layers is fixed on this page.");
    for (const auto& preset : bare.session.scene().presets) {
        CAPTURE(preset.name);
        bare.session.change(Change::preset(preset.name));
        CHECK(bare.number("layers") == 40);
    }
    bare.set("layers", 12.0);
    CHECK(bare.number("layers") == 40);
    bare.session.change(Change::reset());
    CHECK(bare.number("layers") == 40);
    const State before = bare.session.state();
    bare.session.attachAs(Kind::Network, "mine.onnx", {1, 2, 3});
    CHECK(bare.session.state() == before);
    CHECK(bare.session.message() == "network is fixed on this page.");
    bare.session.change(Change::scene("shattering"));
    CHECK_FALSE(bare.session.isLocked("layers"));
    bare.set("layers", 12.0);
    CHECK(bare.number("layers") == 12);

    // A dropped file leads back to the author's scene, and undo to a state from before the page locked anything.
    bare.session.setLocked({"layers"});
    bare.session.attachAs(Kind::Network, "mine.onnx", {1, 2, 3});
    CHECK(bare.session.state().scene == "capacity-diffusion");
    CHECK(bare.number("layers") == 40);
    CHECK(bare.session.isLocked("layers"));
    bare.set("seed", 8.0);
    bare.session.openLink("?scene=capacity-diffusion&layers=41");
    bare.session.undo();
    CHECK(bare.number("layers") == 41);
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
