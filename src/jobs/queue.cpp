#include <algorithm>

#include "jobs/runner.h"

namespace kappaflow {
namespace {

double seconds(std::chrono::milliseconds time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

JobQueue::JobQueue(std::unique_ptr<Runner> runner, Clock clock)
    : runner_(std::move(runner)), clock_(std::move(clock)), grace_(seconds(kGrace)) {}

void JobQueue::submit(Request request) {
    cancelSuperseded();
    if (runner_->busy()) {
        pending_ = std::move(request);
        return;
    }
    pending_.reset();
    startNow(request);
}

void JobQueue::cancel() {
    pending_.reset();
    runner_->cancel();
}

std::vector<JobEvent> JobQueue::poll() {
    auto events = runner_->poll();
    for (const auto& event : events)
        if (event.what != JobEvent::What::Progress) grace_ = seconds(kGrace);
    if (pending_) cancelSuperseded();
    if (pending_ && !runner_->busy()) {
        startNow(*pending_);
        pending_.reset();
    }
    return events;
}

bool JobQueue::busy() const { return runner_->busy() || pending_; }

double JobQueue::runningFor() const { return runner_->busy() ? clock_() - startedAt_ : 0; }

void JobQueue::cancelSuperseded() {
    if (!runner_->busy() || runningFor() <= grace_) return;
    runner_->cancel();
    grace_ = std::min(2 * grace_, seconds(kMostGrace));
}

void JobQueue::startNow(const Request& request) {
    startedAt_ = clock_();
    runner_->start(++newest_, request);
}

}  // namespace kappaflow
