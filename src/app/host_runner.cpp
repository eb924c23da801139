#include "app/host_runner.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "core/base/errors.h"

namespace kappaflow {
namespace {

JobEvent failure(JobId job, std::string message) {
    JobEvent event;
    event.what = JobEvent::What::Failed;
    event.job = job;
    event.message = std::move(message);
    return event;
}

}  // namespace

void HostRunner::start(JobId job, const Request& request) {
    assert(!busy() && job != 0);
    running_ = job;
    progress_ = 0;
    orders_.push_back({true, job, request, requireDeclaration(request.scene).bundle});
}

void HostRunner::cancel() {
    if (!busy()) return;
    orders_.push_back({false, running_, {}, {}});
    events_.clear();
    running_ = 0;
}

std::vector<JobEvent> HostRunner::poll() { return std::exchange(events_, {}); }

std::vector<HostRunner::Order> HostRunner::takeOrders() { return std::exchange(orders_, {}); }

void HostRunner::deliver(Stream bytes) {
    if (!busy()) return;
    JobEvent event;
    try {
        event = decodeEvent(std::move(bytes));
    } catch (const InputError& error) {
        event = failure(running_, std::string("The worker's answer could not be read: ") + error.what());
    }
    if (event.job != running_) return;
    progress_ = event.progress = std::max(progress_, event.progress);
    if (event.what == JobEvent::What::Done || event.what == JobEvent::What::Failed) running_ = 0;
    events_.push_back(std::move(event));
}

}  // namespace kappaflow
