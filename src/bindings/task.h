#pragma once
#include <emscripten/val.h>

#include <memory>
#include <string>

#include "scene/scene.h"

namespace kappaflow {

/// One request being computed in a worker: JavaScript drives it step by step and asks for the messages it posts to the page.
class Task {
public:
    explicit Task(const Request& request);
    /// Leaves what can be reused to the next task.
    ~Task();

    /// Does a slice; true while there is more. False after the last one and after a failure.
    bool step();
    double progress() const { return computation_->progress(); }
    /// The sentence of a failed step, "" while all is well.
    std::string failed() const { return failure_; }
    /// An encoded JobEvent; kind: "progress", "partial" or "done". {error} on any other, and when memory runs out.
    emscripten::val eventBytes(double job, const std::string& kind) const;

private:
    std::unique_ptr<Computation> computation_;
    std::string failure_;
};

/// {task}, {missing} or {error}.
emscripten::val startTask(const emscripten::val& requestBytes);
/// An encoded Failed event, for what went wrong outside the module.
emscripten::val failureBytes(double job, const std::string& sentence);
/// A report's text from its encoded bytes, or {error}.
emscripten::val exportBytes(const emscripten::val& reportBytes, const std::string& format, const std::string& array);

}  // namespace kappaflow
