#include "jobs/contract.h"

using namespace kappaflow;

namespace {

/// A runner that does as it is told, and keeps a diary.
class DirectedRunner final : public Runner {
public:
    struct Diary {
        std::vector<std::string> started;
        int cancelled = 0;
        bool finishNext = false, failNext = false;
    };
    explicit DirectedRunner(Diary& diary) : diary_(diary) {}
    void start(JobId id, const Request& request) override {
        CHECK_MESSAGE(!busy_, "started while busy");
        busy_ = true;
        id_ = id;
        diary_.started.push_back(request.scene);
    }
    void cancel() override {
        diary_.cancelled += busy_ ? 1 : 0;
        busy_ = false;
    }
    bool busy() const override { return busy_; }
    std::vector<JobEvent> poll() override {
        if (!busy_ || !(diary_.finishNext || diary_.failNext)) return {};
        busy_ = false;
        const auto what = diary_.failNext ? JobEvent::What::Failed : JobEvent::What::Done;
        diary_.finishNext = diary_.failNext = false;
        return {{what, id_, 1, {}, ""}};
    }

private:
    Diary& diary_;
    bool busy_ = false;
    JobId id_ = 0;
};

struct Stage {
    DirectedRunner::Diary diary;
    double now = 0;
    JobQueue queue{std::make_unique<DirectedRunner>(diary), [this] { return now; }};
    void submit(const std::string& name) { queue.submit(scripted(name, 1)); }
};

using Names = std::vector<std::string>;

TEST_CASE("a request starts at once when nothing runs") {
    Stage stage;
    CHECK(!stage.queue.busy());
    CHECK(stage.queue.newest() == 0);
    stage.submit("a");
    CHECK(stage.diary.started == Names{"a"});
    CHECK(stage.queue.newest() == 1);
    stage.now = 0.05;
    CHECK(stage.queue.runningFor() == doctest::Approx(0.05));
    stage.diary.finishNext = true;
    CHECK(stage.queue.poll().size() == 1);
    CHECK(!stage.queue.busy());
    CHECK(stage.queue.runningFor() == 0);
}

TEST_CASE("of the requests that come during a short job only the newest is run, after it finished") {
    Stage stage;
    stage.submit("a");
    for (const char* name : {"b", "c", "d"}) {
        stage.now += 0.01;
        stage.submit(name);
        CHECK(stage.queue.poll().empty());
    }
    CHECK(stage.diary.started == Names{"a"});
    stage.diary.finishNext = true;
    const auto events = stage.queue.poll();
    REQUIRE(events.size() == 1);
    CHECK(events[0].job == 1);
    CHECK(stage.diary.started == Names{"a", "d"});
    CHECK(stage.diary.cancelled == 0);
    CHECK(stage.queue.newest() == 2);
}

TEST_CASE("a superseded job older than 100 ms is cancelled, at the submission or when it gets that old") {
    Stage stage;
    stage.submit("a");
    stage.now = 0.2;
    CHECK(stage.queue.poll().empty());
    CHECK_MESSAGE(stage.diary.cancelled == 0, "nobody waits for it to make room");
    stage.submit("b");
    CHECK(stage.diary.cancelled == 1);
    CHECK(stage.diary.started == Names{"a", "b"});
    stage.now = 0.25;
    stage.submit("c");
    CHECK(stage.diary.cancelled == 1);
    stage.now = 0.31;
    stage.queue.poll();
    CHECK(stage.diary.cancelled == 2);
    CHECK(stage.diary.started == Names{"a", "b", "c"});
}

TEST_CASE("a failed job makes room for the pending one too") {
    Stage stage;
    stage.submit("a");
    stage.submit("b");
    stage.diary.failNext = true;
    CHECK(stage.queue.poll().at(0).what == JobEvent::What::Failed);
    CHECK(stage.diary.started == Names{"a", "b"});
}

TEST_CASE("cancel drops what runs and what waits") {
    Stage stage;
    stage.submit("a");
    stage.submit("b");
    stage.queue.cancel();
    CHECK(!stage.queue.busy());
    CHECK(stage.diary.cancelled == 1);
    stage.now = 5;
    CHECK(stage.queue.poll().empty());
    CHECK(stage.diary.started == Names{"a"});
    stage.submit("c");
    CHECK(stage.diary.started == Names{"a", "c"});
}

TEST_CASE("a drag over a 20 ms job shows a result for nearly every one that fits, the last one always") {
    double now = 0;
    const auto clock = [&] { return now; };
    DirectedRunner::Diary diary;
    JobQueue queue(std::make_unique<DirectedRunner>(diary), clock);
    int results = 0;
    std::string last;
    for (int frame = 0; frame < 240; ++frame) {
        now = frame / 60.0;
        if (frame < 120) queue.submit(scripted("change " + std::to_string(frame), 1));
        diary.finishNext = queue.runningFor() >= 0.02;
        for (const auto& event : queue.poll()) results += event.what == JobEvent::What::Done;
    }
    CHECK(results >= 59);  // one each second frame: 16.7 ms are too short for one, 33 enough
    CHECK(diary.started.back() == "change 119");
    CHECK(!queue.busy());
}

}  // namespace
