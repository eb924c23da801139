#pragma once
#include <doctest/doctest.h>

#include <chrono>
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

/// Polls until a job ends (or ten minutes are over, which is a failed test).
inline std::vector<JobEvent> pollToEnd(Runner& runner) {
    std::vector<JobEvent> all;
    const auto giveUp = std::chrono::steady_clock::now() + std::chrono::minutes(10);
    while (runner.busy() && std::chrono::steady_clock::now() < giveUp)
        for (auto& event : runner.poll()) all.push_back(std::move(event));
    REQUIRE(!runner.busy());
    return all;
}

}  // namespace kappaflow
