#include "jobs/runner.h"

namespace kappaflow {
namespace {

/// A superseded job that is older has no claim to finish: its result would come too late to be felt as an answer.
constexpr double kGraceSeconds = 0.1;

}  // namespace

JobQueue::JobQueue(std::unique_ptr<Runner> runner, Clock clock) : runner_(std::move(runner)), clock_(std::move(clock)) {}

void JobQueue::submit(Request request) {
    if (runner_->busy() && runningFor() > kGraceSeconds) runner_->cancel();
    if (runner_->busy())
        pending_ = std::move(request);
    else
        startNow(std::move(request));
}

void JobQueue::cancel() {
    pending_.reset();
    runner_->cancel();
}

std::vector<JobEvent> JobQueue::poll() {
    auto events = runner_->poll();
    if (pending_ && runner_->busy() && runningFor() > kGraceSeconds) runner_->cancel();
    if (pending_ && !runner_->busy()) startNow(std::move(*pending_));
    return events;
}

bool JobQueue::busy() const { return runner_->busy() || pending_; }

double JobQueue::runningFor() const { return runner_->busy() ? clock_() - startedAt_ : 0; }

void JobQueue::startNow(Request request) {
    pending_.reset();
    startedAt_ = clock_();
    runner_->start(++newest_, request);
}

}  // namespace kappaflow
