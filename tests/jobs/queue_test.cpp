#include "support/hand_runner.h"

#include <doctest/doctest.h>

using namespace kappaflow;

namespace {

struct Stage {
    HandRunner& runner = *new HandRunner;
    double now = 0;
    JobQueue queue{std::unique_ptr<Runner>(&runner), [this] { return now; }};

    void submit(const std::string& name) {
        Request request;
        request.scene = name;
        queue.submit(std::move(request));
    }
    std::string started() const {
        std::string names;
        for (const auto& request : runner.started) names += request.scene;
        return names;
    }
};

TEST_CASE("a request starts at once when nothing runs") {
    Stage stage;
    CHECK(!stage.queue.busy());
    CHECK(stage.queue.newest() == 0);
    stage.submit("a");
    CHECK(stage.started() == "a");
    CHECK(stage.queue.newest() == 1);
    stage.now = 0.05;
    CHECK(stage.queue.runningFor() == doctest::Approx(0.05));
    stage.runner.finish({});
    CHECK(stage.queue.poll().size() == 1);
    CHECK(!stage.queue.busy());
    CHECK(stage.queue.runningFor() == 0);
}

TEST_CASE("of the requests that come during a short job only the newest is run, after it finished or failed") {
    for (const bool fails : {false, true}) {
        Stage stage;
        stage.submit("a");
        for (const char* name : {"b", "c", "d"}) {
            stage.now += 0.01;
            stage.submit(name);
            CHECK(stage.queue.poll().empty());
        }
        CHECK(stage.started() == "a");
        fails ? stage.runner.refuse("No.") : stage.runner.finish({});
        const auto events = stage.queue.poll();
        REQUIRE(events.size() == 1);
        CHECK(events[0].job == 1);
        CHECK(stage.started() == "ad");
        CHECK(stage.runner.cancelled == 0);
        CHECK(stage.queue.newest() == 2);
    }
}

TEST_CASE("a superseded job older than 100 ms is cancelled, at the submission or when it gets that old") {
    Stage stage;
    stage.submit("a");
    stage.now = 0.2;
    CHECK(stage.queue.poll().empty());
    CHECK_MESSAGE(stage.runner.cancelled == 0, "nobody waits for it to make room");
    stage.submit("b");
    CHECK(stage.runner.cancelled == 1);
    CHECK(stage.started() == "ab");
    stage.now = 0.25;
    stage.submit("c");
    CHECK(stage.runner.cancelled == 1);
    stage.runner.events.push_back({JobEvent::What::Partial, stage.runner.running, 0.5, {}, ""});
    stage.queue.poll();
    stage.now = 0.31;
    stage.queue.poll();
    CHECK(stage.runner.cancelled == 2);
    CHECK(stage.started() == "abc");
}

TEST_CASE("a drag over jobs that show nothing within 100 ms gives them 200, then 400 ms, until something was seen") {
    Stage stage;
    std::string lengths;
    for (const bool first : {true, false}) {
        stage.submit("a");
        for (int job = 0; job < 4; ++job) {
            stage.submit("b");
            const int cancelled = stage.runner.cancelled;
            int ms = 0;
            for (; stage.runner.cancelled == cancelled && ms < 1000; ms += 10, stage.now += 0.01) stage.queue.poll();
            lengths += std::to_string((ms + 10) / 100) + " ";
        }
        stage.runner.finish({});
        stage.queue.poll();
        CHECK(lengths == (first ? "1 2 4 4 " : "1 2 4 4 1 2 4 4 "));
    }
}

TEST_CASE("a drag over jobs of 300 ms without partial results shows one of them now and then") {
    Stage stage;
    int results = 0;
    for (int frame = 0; frame < 300; ++frame) {
        stage.now = frame / 60.0;
        stage.submit("change");
        if (stage.queue.runningFor() >= 0.3) stage.runner.finish({});
        for (const auto& event : stage.queue.poll()) results += event.what == JobEvent::What::Done;
    }
    CHECK(results >= 7);  // 0.1, 0.2, then 0.3 s
}

TEST_CASE("cancel drops what runs and what waits") {
    Stage stage;
    stage.submit("a");
    stage.submit("b");
    stage.queue.cancel();
    CHECK(!stage.queue.busy());
    CHECK(stage.runner.cancelled == 1);
    stage.now = 5;
    CHECK(stage.queue.poll().empty());
    CHECK(stage.started() == "a");
    stage.submit("c");
    CHECK(stage.started() == "ac");
}

TEST_CASE("a drag over a 20 ms job shows a result for nearly every one that fits, the last one always") {
    Stage stage;
    int results = 0;
    for (int frame = 0; frame < 240; ++frame) {
        stage.now = frame / 60.0;
        if (frame < 120) stage.submit("change " + std::to_string(frame));
        if (stage.queue.runningFor() >= 0.02) stage.runner.finish({});
        for (const auto& event : stage.queue.poll()) results += event.what == JobEvent::What::Done;
    }
    CHECK(results >= 59);  // one each second frame: 16.7 ms are too short for one, 33 enough
    CHECK(stage.runner.started.back().scene == "change 119");
    CHECK(!stage.queue.busy());
}

}  // namespace
