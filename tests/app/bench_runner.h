#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/app.h"
#include "app/screen.h"
#include "jobs/runner.h"
#include "support/report_cache.h"

namespace kappaflow {

/// A runner that does nothing until the test says so, and a clock the test turns.
class HandRunner final : public Runner {
public:
    void start(JobId job, const Request& request) override {
        started.push_back(request);
        running = job;
    }
    void cancel() override {
        cancelled += running != 0;
        running = 0;
        events.clear();
    }
    bool busy() const override { return running != 0; }
    std::vector<JobEvent> poll() override { return std::exchange(events, {}); }

    /// The running job ends with its real report.
    void finish() {
        JobEvent event;
        event.what = JobEvent::What::Done;
        event.report = reportOf(started.back());
        end(std::move(event));
    }
    void refuse(const std::string& why) {
        JobEvent event;
        event.what = JobEvent::What::Failed;
        event.message = why;
        end(std::move(event));
    }

    std::vector<Request> started;
    std::vector<JobEvent> events;
    JobId running = 0;
    int cancelled = 0;

private:
    void end(JobEvent event) {
        event.job = running;
        event.progress = 1;
        events.push_back(std::move(event));
        running = 0;
    }
};

/// An App with a hand-turned clock, drawn into lists that nobody renders.
struct Workbench {
    double now = 100;
    HandRunner* runner = new HandRunner;
    App app{std::unique_ptr<Runner>(runner), [this] { return now; }};
    FrameInput size{0, 1280, 800, 1};

    Workbench() { app.screen().useHeadless(); }
    double frame(double later = 0.016) {
        size.now = now += later;
        return app.frame(size);
    }
    /// Until nothing is owed any more; the running job is finished first. Returns what the last frame() said.
    double settle() {
        if (runner->busy()) runner->finish();
        double next = 0;
        for (int i = 0; i < 20; ++i) {
            next = frame();
            if (runner->busy()) runner->finish();
        }
        return next;
    }
    void pause() {
        settle();
        app.play(false);
        settle();
    }
    Session& session() { return app.session(); }
    void set(const std::string& key, Value value) { app.session().change(Change::param(key, std::move(value))); }
};

}  // namespace kappaflow
