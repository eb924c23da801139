#include "jobs/running_job.h"

namespace kappaflow {
namespace {

class InlineRunner final : public Runner {
public:
    InlineRunner(std::chrono::microseconds slice, StartComputation start) : slice_(slice), start_(std::move(start)) {}

    void start(JobId id, const Request& request) override { job_.emplace(id, request, start_, std::move(last_)); }
    void cancel() override {
        if (job_) finish();
    }
    bool busy() const override { return job_.has_value(); }

    std::vector<JobEvent> poll() override {
        std::vector<JobEvent> events, fresh;
        const auto end = std::chrono::steady_clock::now() + slice_;
        while (job_) {
            const bool more = job_->advance(fresh);
            appendCoalesced(events, std::move(fresh));
            if (!more)
                finish();
            else if (std::chrono::steady_clock::now() >= end)
                break;
        }
        return events;
    }

private:
    void finish() {
        last_ = job_->release();
        job_.reset();
    }

    std::chrono::microseconds slice_;
    StartComputation start_;
    std::unique_ptr<Computation> last_;
    std::optional<RunningJob> job_;
};

}  // namespace

std::unique_ptr<Runner> makeInlineRunner(std::chrono::microseconds slice, StartComputation start) {
    return std::make_unique<InlineRunner>(slice, std::move(start));
}

}  // namespace kappaflow
