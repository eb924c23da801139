#include <doctest/doctest.h>

#include "core/base/errors.h"
#include "core/io/onnx.h"
#include "scene/scene.h"
#include "support/followed.h"
#include "support/networks.h"
#include "support/scene_runs.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

/// Two inputs, so many units, two outputs.
Request wideRequest(std::size_t units, const Settings& settings) {
    const Network network{{1, 1, 2},
                          {withNumbers(denseLayer(2, units), 1), activationLayer({1, 1, static_cast<int>(units)}, Activation::Relu),
                           withNumbers(denseLayer(units, 2), 2)}};
    Request request = requestOf("network-lens", settings);
    request.params.set("network", parseValue(*findDeclaration("network-lens")->param("network"), "file").value);
    request.network = std::make_shared<Attachment>(Attachment{"wide.onnx", writeOnnx(network)});
    return request;
}

}  // namespace

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
#if !defined(__has_feature)
#define __has_feature(x) 0
#endif
#if !__has_feature(address_sanitizer)
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <new>

namespace {

/// Bytes of address space that this program has.
double addressSpace() {
    unsigned long pages = 0;
    if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(file, "%lu", &pages) != 1) pages = 0;
        std::fclose(file);
    }
    return static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// 0 where something is done, in a process of its own, with no more memory than so many bytes beyond what there is; 1 where that fails.
template <class Work>
int doneWithin(double bytes, Work&& work) {
    const pid_t child = fork();
    if (child == 0) {
        const rlimit limit{static_cast<rlim_t>(addressSpace() + bytes), static_cast<rlim_t>(addressSpace() + bytes)};
        int failed = setrlimit(RLIMIT_AS, &limit) == 0 ? 0 : 2;
        try {
            failed += work() ? 0 : 1;
        } catch (const std::exception&) {
            failed = 1;
        }
        _exit(failed);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}
int runWithin(const Request& request, double bytes) {
    return doneWithin(bytes, [&] { return runRequest(request).status == Status::Ok; });
}

}  // namespace

TEST_CASE("wide networks from files take no more memory than their estimate says: it does not grow as the square of the width" *
          doctest::test_suite("long")) {
    // The limit bites: a matrix of all pairs of 20000 units would take 3.2 GB.
    const auto matrixOfPairs = [] { return std::vector<double>(std::size_t{20000} * 20000, 1.0).back() == 1; };
    CHECK(doneWithin(2e8, matrixOfPairs) == 1);
    for (const std::size_t units : {10000, 20000})
        for (const char* edit : {"none", "rescale", "skip"}) {
            CAPTURE(units);
            CAPTURE(std::string(edit));
            const Request request = wideRequest(units, {{"edit", edit}, {"editLayer", "1"}});
            const double bytes = costOf(request).bytes;
            CHECK(bytes < 2e8);
            CHECK(runWithin(request, bytes) == 0);
        }
}
#endif
#endif

TEST_CASE("inserting a layer into a wide network takes the square of its width, which is refused in a sentence that says what to lower") {
    const Request request = wideRequest(20000, {{"edit", "insert"}, {"editLayer", "1"}});
    CHECK(costOf(request).bytes > 8.0 * 20000 * 20000);
    const std::string sentence = refusal([&] { runRequest(request); });
    CHECK(isOneSentence(sentence));
    CHECK(sentence.find("choose a smaller network") != std::string::npos);
}
