#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/app.h"
#include "app/screen.h"
#include "support/hand_runner.h"

namespace kappaflow {

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
