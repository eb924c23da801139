#include <new>

#include "core/base/errors.h"
#include "jobs/runner.h"

namespace kappaflow {

JobProgress::JobProgress(JobId job, Leftovers& leftovers, std::function<void(JobEvent)> send, const std::atomic<bool>* cancelled)
    : Progress(&leftovers), job_(job), leftovers_(leftovers), send_(std::move(send)), cancelled_(cancelled) {}

void JobProgress::run(const Request& request, const Compute& compute) {
    try {
        Report report = compute(request, *this);
        send_({JobEvent::What::Done, job_, 1, std::move(report), ""});
    } catch (const OverBudget& error) {
        fail(error.what(), error.nearest);
    } catch (const InputError& error) {
        fail(error.what());
    } catch (const Cancelled&) {
        send_({JobEvent::What::Failed, job_, told(), {}, "The computation was stopped."});
    } catch (const std::bad_alloc&) {
        fail("There is not enough memory for this; lower the sizes.");
    } catch (const std::exception& error) {
        fail(std::string("The computation failed: ") + error.what() + ".");
    } catch (...) {
        fail("The computation failed for an unknown reason.");
    }
}

void JobProgress::publish(Report report) {
    const auto began = Clock::now();
    send_(partialEvent(job_, told(), std::move(report)));
    nextPartial_ = Clock::now() + kPartialEvery + (Clock::now() - began) * 2;
}

// A failed computation may leave half-made things behind.
void JobProgress::fail(std::string sentence, Values nearest) {
    leftovers_.clear();
    JobEvent event{JobEvent::What::Failed, job_, told(), {}, std::move(sentence)};
    event.report.params = std::move(nearest);
    send_(std::move(event));
}

}  // namespace kappaflow
