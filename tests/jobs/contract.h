#pragma once
#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>

#include "core/base/errors.h"
#include "jobs/runner.h"

namespace kappaflow {

/// A computation told what to do by its request's scene name and `steps`; stands in for a model where timing is tested.
inline Report runScripted(const Request& request, Progress& progress) {
    const std::string& kind = request.scene;
    const int steps = request.params.integer("steps");
    const double pause = request.params.number("milliseconds");
    if (kind == "refused at the start") throw InputError("steps takes fewer.");
    progress.begin(kind, nullptr);
    // A "resuming" one counts on from where the last stood.
    int fresh = 0;
    int& done = kind == "resuming" ? progress.reuse<int>("done") : fresh;
    const int began = done;
    const auto report = [&] {
        Report report;
        report.scene = kind;
        report.status = done >= steps ? Status::Ok : Status::Partial;
        if (kind == "silent") return report;
        report.scalars.push_back({"done", static_cast<double>(done), "", "", {}, 0});
        report.scalars.push_back({"began", static_cast<double>(began), "", "", {}, 0});
        return report;
    };
    for (;;) {
        ++done;
        const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double, std::milli>(pause);
        while (std::chrono::steady_clock::now() < end) {
        }
        if (done >= steps) break;
        const double share = static_cast<double>(done) / steps;
        // Jumps back and beyond on purpose: a runner has to mend that.
        progress.tick(kind != "restless" ? share : done % 2 ? share : share * 0.5 + (done > steps / 2 ? 2 : 0));
        progress.partialReport(report);
    }
    if (kind == "refused") throw InputError("layer 3 has no weights.");
    if (kind == "out of memory") throw std::bad_alloc();
    if (kind == "broken") throw std::logic_error("bug");
    if (kind == "unknown throw") throw 5;
    return report();
}

inline Request scripted(const std::string& kind, int steps, double milliseconds = 0) {
    Request request;
    request.scene = kind;
    request.params.set("steps", static_cast<double>(steps));
    request.params.set("milliseconds", milliseconds);
    return request;
}

inline bool ends(const JobEvent& event) { return event.what == JobEvent::What::Done || event.what == JobEvent::What::Failed; }

/// Polls until a job ends (or 20 s are over, which is a failed test).
inline std::vector<JobEvent> pollToEnd(Runner& runner) {
    std::vector<JobEvent> all;
    const auto giveUp = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (runner.busy() && std::chrono::steady_clock::now() < giveUp)
        for (auto& event : runner.poll()) all.push_back(std::move(event));
    REQUIRE(!runner.busy());
    return all;
}

inline void pollFor(Runner& runner, double milliseconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double, std::milli>(milliseconds);
    while (std::chrono::steady_clock::now() < end) runner.poll();
}

using MakeRunner = std::function<std::unique_ptr<Runner>()>;

/// What every runner promises (runner.h), as one suite: called by a test case of each.
inline void checkRunnerContract(const MakeRunner& make) {
    SUBCASE("a job ends with exactly one result, and the runner is free again") {
        const auto runner = make();
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
    SUBCASE("progress never falls and stays within 0 and 1, whatever the computation says") {
        const auto runner = make();
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
    SUBCASE("partial results come while a long job runs, at most every 100 ms") {
        const auto runner = make();
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
        CHECK(partials <= seconds / 0.1);
    }
    SUBCASE("a computation that has nothing to show yet sends no partial result") {
        const auto runner = make();
        runner->start(1, scripted("silent", 50, 5));
        for (const auto& event : pollToEnd(*runner)) CHECK(event.what != JobEvent::What::Partial);
    }
    SUBCASE("every kind of failure is one sentence, and the runner is usable again") {
        const auto runner = make();
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
    SUBCASE("after cancel no event of the job arrives, and the next one is not disturbed") {
        const auto runner = make();
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
    SUBCASE("a job that can be resumed is handed to the next, finished or cancelled; others and failed ones are not") {
        const auto runner = make();
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
    SUBCASE("cancelling when nothing runs does nothing") {
        const auto runner = make();
        runner->cancel();
        CHECK(!runner->busy());
        runner->start(1, scripted("plain", 3));
        pollToEnd(*runner);
        runner->cancel();
        CHECK(runner->poll().empty());
    }
    SUBCASE("a runner goes away at once in the middle of a long job") {
        auto runner = make();
        runner->start(1, scripted("plain", 100000, 1));
        pollFor(*runner, 20);
        const auto start = std::chrono::steady_clock::now();
        runner.reset();
        CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(1));
    }
}

}  // namespace kappaflow
