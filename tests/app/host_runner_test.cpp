#include "app/host_runner.h"

#include <doctest/doctest.h>

#include "jobs/codec.h"

using namespace kappaflow;

namespace {

Request question() {
    Request request;
    request.scene = declarations().front().id;
    request.params = declarations().front().defaults();
    return request;
}

std::vector<unsigned char> event(JobId job, JobEvent::What what, double progress) {
    JobEvent event;
    event.job = job;
    event.what = what;
    event.progress = progress;
    return encodeEvent(event);
}

}  // namespace

TEST_CASE("a request leaves once, with its job and bundle") {
    HostRunner runner;
    runner.start(7, question());
    const auto orders = runner.takeOrders();
    REQUIRE(orders.size() == 1);
    CHECK(orders[0].start);
    CHECK(orders[0].job == 7);
    CHECK(orders[0].bundle == declarations().front().bundle);
    CHECK_FALSE(orders[0].bundle.empty());
    CHECK(orders[0].request.params == question().params);
    CHECK(runner.takeOrders().empty());
}

TEST_CASE("events come in order, progress never falls, one end frees the runner") {
    HostRunner runner;
    runner.start(1, question());
    runner.deliver(event(1, JobEvent::What::Progress, 0.5));
    runner.deliver(event(1, JobEvent::What::Progress, 0.2));
    runner.deliver(event(1, JobEvent::What::Failed, 0));
    runner.deliver(event(1, JobEvent::What::Progress, 0.9));
    const auto events = runner.poll();
    REQUIRE(events.size() == 3);
    CHECK(events[1].progress == 0.5);
    CHECK(events[2].what == JobEvent::What::Failed);
    CHECK_FALSE(runner.busy());
}

TEST_CASE("after cancel no event of that job arrives") {
    HostRunner runner;
    runner.start(1, question());
    runner.deliver(event(1, JobEvent::What::Progress, 0.5));
    runner.cancel();
    runner.deliver(event(1, JobEvent::What::Progress, 0.6));
    CHECK(runner.poll().empty());
    runner.start(2, question());
    runner.deliver(event(1, JobEvent::What::Failed, 0));
    CHECK(runner.poll().empty());
    CHECK(runner.busy());
    const auto orders = runner.takeOrders();
    REQUIRE(orders.size() == 3);
    CHECK_FALSE(orders[1].start);
    CHECK(orders[1].job == 1);
}

TEST_CASE("bytes that make no sense end the job in a sentence") {
    HostRunner runner;
    runner.start(1, question());
    runner.deliver(std::vector<unsigned char>{1, 2, 3});
    const auto events = runner.poll();
    REQUIRE(events.size() == 1);
    CHECK(events[0].what == JobEvent::What::Failed);
    CHECK_FALSE(events[0].message.empty());
    CHECK_FALSE(runner.busy());
}
