#pragma once
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "jobs/runner.h"
#include "support/report_cache.h"

namespace kappaflow {

/// A runner that does nothing until the test says so.
class HandRunner final : public Runner {
public:
    void start(JobId job, const Request& request) override {
        CHECK_MESSAGE(!busy(), "started while busy");
        started.push_back(request);
        running = job;
    }
    void cancel() override {
        cancelled += busy();
        running = 0;
        events.clear();
    }
    bool busy() const override { return running != 0; }
    std::vector<JobEvent> poll() override { return std::exchange(events, {}); }

    /// The running job ends: with its real report, or with what is given.
    void finish() { finish(reportOf(started.back())); }
    void finish(Report report) { end({JobEvent::What::Done, 0, 1, std::move(report), ""}); }
    void refuse(const std::string& why) { end({JobEvent::What::Failed, 0, 1, {}, why}); }

    std::vector<Request> started;
    std::vector<JobEvent> events;
    JobId running = 0;
    int cancelled = 0;

private:
    void end(JobEvent event) {
        event.job = std::exchange(running, 0);
        events.push_back(std::move(event));
    }
};

}  // namespace kappaflow
