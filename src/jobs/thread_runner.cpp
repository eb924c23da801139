#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "jobs/running_job.h"

namespace kappaflow {
namespace {

/// What the polling thread and the computing thread share of one job. A cancelled job is forgotten by the polling side, so
/// an event that loses the race ends up in a box that nobody opens.
struct Mailbox {
    JobId id = 0;
    Request request;
    std::atomic<bool> cancelled{false};
    std::mutex mutex;
    std::vector<JobEvent> events;  ///< guarded by mutex
};

/// One thread for all jobs, one after the other: a job that follows a cancelled one waits for the step under way, and the two
/// never compute at the same time.
class ThreadRunner final : public Runner {
public:
    explicit ThreadRunner(StartComputation start) : start_(std::move(start)), thread_([this] { serve(); }) {}

    ~ThreadRunner() override {
        ThreadRunner::cancel();
        {
            const std::lock_guard lock(mutex_);
            quit_ = true;
        }
        wake_.notify_one();
        thread_.join();
    }

    void start(JobId id, const Request& request) override {
        current_ = std::make_shared<Mailbox>();
        current_->id = id;
        current_->request = request;
        {
            const std::lock_guard lock(mutex_);
            next_ = current_;
        }
        wake_.notify_one();
    }

    void cancel() override {
        if (!current_) return;
        current_->cancelled = true;
        current_.reset();
    }

    bool busy() const override { return current_ != nullptr; }

    std::vector<JobEvent> poll() override {
        std::vector<JobEvent> events;
        if (!current_) return events;
        {
            const std::lock_guard lock(current_->mutex);
            events.swap(current_->events);
        }
        const bool over = !events.empty() && (events.back().what == JobEvent::What::Done || events.back().what == JobEvent::What::Failed);
        if (over) current_.reset();
        return events;
    }

private:
    void serve() {
        for (;;) {
            std::shared_ptr<Mailbox> box;
            {
                std::unique_lock lock(mutex_);
                wake_.wait(lock, [this] { return quit_ || next_; });
                if (quit_) return;
                box = std::move(next_);
                next_.reset();
            }
            compute(*box);
        }
    }

    void compute(Mailbox& box) {
        RunningJob job(box.id, box.request, start_, std::move(last_));
        std::vector<JobEvent> fresh;
        bool more = true;
        while (more && !box.cancelled) {
            more = job.advance(fresh);
            const std::lock_guard lock(box.mutex);
            appendCoalesced(box.events, std::move(fresh));
        }
        last_ = job.release();
    }

    StartComputation start_;
    std::unique_ptr<Computation> last_;  ///< computing thread only
    std::shared_ptr<Mailbox> current_;   ///< polling thread only
    std::mutex mutex_;
    std::condition_variable wake_;
    std::shared_ptr<Mailbox> next_;  ///< guarded by mutex_
    bool quit_ = false;              ///< guarded by mutex_
    std::thread thread_;             ///< last: starts when all else is there
};

}  // namespace

std::unique_ptr<Runner> makeThreadRunner(StartComputation start) { return std::make_unique<ThreadRunner>(std::move(start)); }

}  // namespace kappaflow
