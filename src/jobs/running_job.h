#pragma once
#include <chrono>
#include <memory>
#include <vector>

#include "jobs/runner.h"

namespace kappaflow {

/// One job being computed step by step, as every runner does it: what becomes an event, and when. Nothing thrown by a
/// computation leaves it; each kind of failure ends as one Failed event.
class RunningJob {
public:
    RunningJob(JobId id, Request request, StartComputation start, std::unique_ptr<Computation> previous = nullptr);
    /// Starts at the first call, then does one step a call; appends what happened. False after Done or Failed.
    bool advance(std::vector<JobEvent>& events);
    /// What the next job may begin with, finished or stopped half way; null after a failure and when nothing can be reused.
    std::unique_ptr<Computation> release();

private:
    bool work(std::vector<JobEvent>& events);
    void appendProgress(std::vector<JobEvent>& events);
    void appendPartial(std::vector<JobEvent>& events);
    void fail(std::vector<JobEvent>& events, std::string sentence);

    JobId id_;
    Request request_;
    StartComputation start_;
    std::unique_ptr<Computation> previous_, computation_;
    double progress_ = 0;
    std::chrono::steady_clock::time_point lastPartial_{};
};

/// Adds an event to those not yet fetched: progress and partial results replace their elder ones, so that a reader who looks
/// rarely finds no queue.
void appendCoalesced(std::vector<JobEvent>& waiting, std::vector<JobEvent>&& fresh);

}  // namespace kappaflow
