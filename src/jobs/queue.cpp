#include "jobs/runner.h"

namespace kappaflow {
namespace {

constexpr double kGraceSeconds = std::chrono::duration<double>(kGrace).count();

}  // namespace

JobQueue::JobQueue(std::unique_ptr<Runner> runner, Clock clock) : runner_(std::move(runner)), clock_(std::move(clock)) {}

void JobQueue::submit(Request request) {
    if (runner_->busy() && runningFor() > kGraceSeconds) runner_->cancel();
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
    if (pending_ && runner_->busy() && runningFor() > kGraceSeconds) runner_->cancel();
    if (pending_ && !runner_->busy()) {
        startNow(*pending_);
        pending_.reset();
    }
    return events;
}

bool JobQueue::busy() const { return runner_->busy() || pending_; }

double JobQueue::runningFor() const { return runner_->busy() ? clock_() - startedAt_ : 0; }

void JobQueue::startNow(const Request& request) {
    startedAt_ = clock_();
    runner_->start(++newest_, request);
}

}  // namespace kappaflow
