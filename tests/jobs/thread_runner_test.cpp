#include <doctest/doctest.h>

#include <thread>

#include "jobs/codec.h"
#include "support/complete_set.h"
#include "support/report_checks.h"
#include "support/scripted.h"

using namespace kappaflow;

// What every runner promises (runner.h).

namespace {

bool ends(const JobEvent& event) { return event.what == JobEvent::What::Done || event.what == JobEvent::What::Failed; }

void pollFor(Runner& runner, double milliseconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double, std::milli>(milliseconds);
    while (std::chrono::steady_clock::now() < end) runner.poll();
}

TEST_CASE("a job ends with exactly one result, and the runner is free again") {
    const auto runner = makeThreadRunner(runScripted);
    CHECK(!runner->busy());
    runner->start(7, scripted("plain", 20));
    CHECK(runner->busy());
    const auto events = pollToEnd(*runner);
    REQUIRE(!events.empty());
    for (std::size_t i = 0; i < events.size(); ++i) {
        CHECK(events[i].job == 7);
        CHECK(ends(events[i]) == (i + 1 == events.size()));
    }
    CHECK(events.back().what == JobEvent::What::Done);
    CHECK(events.back().report.scalar("done")->value == 20);
    CHECK(events.back().report.status == Status::Ok);
    CHECK(runner->poll().empty());
}

TEST_CASE("progress never falls and stays within 0 and 1, whatever the computation says") {
    const auto runner = makeThreadRunner(runScripted);
    runner->start(1, scripted("restless", 60, 1));
    double last = 0;
    int seen = 0;
    for (const auto& event : pollToEnd(*runner)) {
        CHECK(event.progress >= last);
        CHECK(event.progress <= 1);
        last = event.progress;
        ++seen;
    }
    CHECK(seen >= 2);
    CHECK(last == 1);
}

TEST_CASE("partial results come while a long job runs, at most every 100 ms") {
    const auto runner = makeThreadRunner(runScripted);
    const auto start = std::chrono::steady_clock::now();
    runner->start(1, scripted("plain", 90, 5));
    int partials = 0;
    for (const auto& event : pollToEnd(*runner)) {
        if (event.what != JobEvent::What::Partial) continue;
        ++partials;
        CHECK(event.report.status == Status::Partial);
        CHECK(event.report.scalar("done")->value >= 1);
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    CHECK(partials >= 1);
    CHECK(partials <= 1 + std::max(0.0, seconds - 0.06) / 0.1);
}

TEST_CASE("a computation that has nothing to show yet sends no partial result") {
    const auto runner = makeThreadRunner(runScripted);
    runner->start(1, scripted("silent", 50, 5));
    for (const auto& event : pollToEnd(*runner)) CHECK(event.what != JobEvent::What::Partial);
}

TEST_CASE("every kind of failure is one sentence, and the runner is usable again") {
    const auto runner = makeThreadRunner(runScripted);
    for (const char* kind : {"refused", "refused at the start", "out of memory", "broken", "unknown throw"}) {
        runner->start(2, scripted(kind, 5));
        const auto events = pollToEnd(*runner);
        REQUIRE(!events.empty());
        CHECK_MESSAGE(events.back().what == JobEvent::What::Failed, kind);
        CHECK_MESSAGE(events.back().message.back() == '.', events.back().message);
    }
    runner->start(3, scripted("refused", 5));
    CHECK(pollToEnd(*runner).back().message == "layer 3 has no weights.");
    runner->start(4, scripted("plain", 5));
    CHECK(pollToEnd(*runner).back().what == JobEvent::What::Done);
}

TEST_CASE("after cancel no event of the job arrives, and the next one is not disturbed") {
    const auto runner = makeThreadRunner(runScripted);
    for (JobId id = 1; id <= 40; ++id) {
        runner->start(id, scripted("plain", 1000000, 0.01));
        pollFor(*runner, 0.05 * static_cast<double>(id));
        runner->cancel();
        CHECK(!runner->busy());
        CHECK(runner->poll().empty());
        runner->start(1000 + id, scripted("plain", 3));
        for (const auto& event : pollToEnd(*runner)) CHECK(event.job == 1000 + id);
    }
}

TEST_CASE("a job that can be resumed is handed to the next, finished or cancelled; others and failed ones are not") {
    const auto runner = makeThreadRunner(runScripted);
    const auto began = [&](const std::string& kind, int steps) {
        runner->start(1, scripted(kind, steps));
        return pollToEnd(*runner).back().report.scalar("began")->value;
    };
    CHECK(began("resuming", 5) == 0);
    CHECK(began("resuming", 8) == 5);
    runner->start(2, scripted("resuming", 1000000, 0.1));
    pollFor(*runner, 20);
    runner->cancel();
    CHECK(began("resuming", 1000001) > 8);
    CHECK(began("plain", 3) == 0);
    CHECK(began("resuming", 5) == 0);
    runner->start(3, scripted("refused", 3));
    pollToEnd(*runner);
    CHECK(began("resuming", 5) == 0);
}

TEST_CASE("cancelling when nothing runs does nothing") {
    const auto runner = makeThreadRunner(runScripted);
    runner->cancel();
    CHECK(!runner->busy());
    runner->start(1, scripted("plain", 3));
    pollToEnd(*runner);
    runner->cancel();
    CHECK(runner->poll().empty());
}

TEST_CASE("runners come and go in every state, at once in the middle of a long job") {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 100; ++i) {
        const auto runner = makeThreadRunner(runScripted);
        if (i % 4 > 0) runner->start(1, scripted("plain", 100000, 0.001 * i));
        if (i % 4 > 1) runner->poll();
        if (i % 4 > 2) runner->cancel();
    }
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
}

TEST_CASE("a job computes while nobody polls") {
    const auto runner = makeThreadRunner(runScripted);
    const auto start = std::chrono::steady_clock::now();
    runner->start(1, scripted("plain", 10, 5));
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::milliseconds(40));
    std::this_thread::sleep_for(std::chrono::seconds(1));
    const auto events = runner->poll();
    REQUIRE(!events.empty());
    CHECK(events.back().what == JobEvent::What::Done);
}

TEST_CASE("an owner that polls rarely finds the newest progress, not all of it") {
    const auto runner = makeThreadRunner(runScripted);
    runner->start(1, scripted("plain", 200, 1));
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    CHECK(runner->poll().size() <= 3);
}

TEST_CASE("a thread gives the bits that running at once gives") {
    for (const auto& declaration : declarations()) {
        const Request request = requestWith(declaration, {});
        // Training is watched in tests/scenes.
        if (openRequest(request)->cost().operations > 1e8 && !completeSet()) continue;
        const auto runner = makeThreadRunner();
        runner->start(1, request);
        const JobEvent last = pollToEnd(*runner).back();
        REQUIRE(last.what == JobEvent::What::Done);
        CHECK(encodeReport(last.report) == encodeReport(reportOf(request)));
    }
}

}  // namespace
