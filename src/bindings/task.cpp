#include "bindings/task.h"

#include "bindings/convert.h"
#include "core/base/errors.h"
#include "jobs/codec.h"
#include "jobs/export.h"

namespace kappaflow {

using emscripten::val;

namespace {

/// What the last task of this module left.
std::unique_ptr<Computation>& leftBehind() {
    static std::unique_ptr<Computation> computation;
    return computation;
}

}  // namespace

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
        JobEvent event{JobEvent::What::Progress, static_cast<JobId>(job), progress(), {}, ""};
        if (kind == "partial") event.what = JobEvent::What::Partial;
        if (kind == "done") event = {JobEvent::What::Done, event.job, 1, {}, ""};
        if (event.what == JobEvent::What::Progress && kind != "progress") throw InputError("There is no event " + quote(kind) + ".");
        if (event.what != JobEvent::What::Progress) event.report = computation_->report();
        // What is on screen stays until there is something to be seen.
        if (event.what == JobEvent::What::Partial && event.report.arrays.empty() && event.report.scalars.empty())
            event.what = JobEvent::What::Progress;
        return toBytes(encodeEvent(event));
    });
}

val startTask(const val& requestBytes) {
    return guarded([&] {
        val result = val::object();
        result.set("task", std::make_shared<Task>(decodeRequest(fromBytes(requestBytes))));
        return result;
    });
}

val failureBytes(double job, const std::string& sentence) {
    return toBytes(encodeEvent({JobEvent::What::Failed, static_cast<JobId>(job), 0, {}, sentence}));
}

val exportBytes(const val& reportBytes, const std::string& format, const std::string& array) {
    return guarded([&] { return val(exportReport(decodeReport(fromBytes(reportBytes)), format, array)); });
}

}  // namespace kappaflow
