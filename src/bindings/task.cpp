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
        const auto id = static_cast<JobId>(job);
        if (kind == "partial") return toBytes(encodeEvent(partialEvent(id, progress(), computation_->report())));
        if (kind == "done") return toBytes(encodeEvent({JobEvent::What::Done, id, 1, computation_->report(), ""}));
        if (kind != "progress") throw InputError("There is no event " + quote(kind) + ".");
        return toBytes(encodeEvent({JobEvent::What::Progress, id, progress(), {}, ""}));
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
