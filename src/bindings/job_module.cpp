// What the page's worker asks of a module: every module that computes has it. {error: sentence} stands for a throw, {missing: name}
// for a file to be handed in before asking again.
#include <emscripten/bind.h>
#include <emscripten/val.h>

#include <memory>
#include <string>

#include "bindings/convert.h"
#include "core/base/errors.h"
#include "jobs/codec.h"
#include "jobs/export.h"
#include "scene/scene.h"

namespace kappaflow {
namespace {

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

using emscripten::val;

/// What the last task of this module left.
std::unique_ptr<Computation>& leftBehind() {
    static std::unique_ptr<Computation> computation;
    return computation;
}

Task::Task(const Request& request) : computation_(startRequest(request, std::move(leftBehind()))) {}

Task::~Task() {
    if (failure_.empty() && computation_->reusable()) leftBehind() = std::move(computation_);
}

bool Task::step() {
    if (!failure_.empty()) return false;
    try {
        return computation_->step();
    } catch (const std::bad_alloc&) {
        failure_ = "There is not enough memory for this; lower the sizes.";
    } catch (const InputError& error) {
        failure_ = error.what();
    } catch (const std::exception& error) {
        failure_ = std::string("The computation failed: ") + error.what() + ".";
    } catch (...) {
        failure_ = "The computation failed for an unknown reason.";
    }
    return false;
}

val Task::eventBytes(double job, const std::string& kind) const {
    return guarded([&] {
        const auto id = static_cast<JobId>(job);
        if (kind == "partial") return toBytes(encodeEvent(partialEvent(id, progress(), computation_->report())));
        if (kind == "done") return toBytes(encodeEvent({JobEvent::What::Done, id, 1, computation_->report(), ""}));
        if (kind != "progress") throw InputError("There is no event " + quote(kind) + ".");
        return toBytes(encodeEvent({JobEvent::What::Progress, id, progress(), {}, ""}));
    });
}

/// {task}, {missing} or {error}.
val startTask(const val& requestBytes) {
    return guarded([&] {
        val result = val::object();
        result.set("task", std::make_shared<Task>(decodeRequest(fromBytes(requestBytes))));
        return result;
    });
}

/// An encoded Failed event, for what went wrong outside the module.
val failureBytes(double job, const std::string& sentence) {
    return toBytes(encodeEvent({JobEvent::What::Failed, static_cast<JobId>(job), 0, {}, sentence}));
}

/// A report's text from its encoded bytes, or {error}.
val exportBytes(const val& reportBytes, const std::string& format, const std::string& array) {
    return guarded([&] { return val(exportReport(decodeReport(fromBytes(reportBytes)), format, array)); });
}

EMSCRIPTEN_BINDINGS(kappaflow_jobs) {
    using namespace emscripten;

    function("startRequest", &startTask);
    function("failureBytes", &failureBytes);
    function("exportReport", &exportBytes);
    function("provideFile", &provideFile);
    class_<Task>("Task")
        .smart_ptr<std::shared_ptr<Task>>("Task")
        .function("step", &Task::step)
        .function("progress", &Task::progress)
        .function("failed", &Task::failed)
        .function("eventBytes", &Task::eventBytes);
}

}  // namespace
}  // namespace kappaflow
