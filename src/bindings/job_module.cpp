// What the page's worker asks of a module: every module that computes has it. {error: sentence} stands for a throw, {missing: name}
// for a file to be handed in before asking again.
#include <emscripten/bind.h>
#include <emscripten/val.h>

#include <chrono>
#include <new>
#include <optional>
#include <string>

#include "bindings/convert.h"
#include "core/base/cost.h"
#include "core/base/errors.h"
#include "jobs/codec.h"
#include "jobs/runner.h"
#include "scene/scene.h"

namespace kappaflow {
namespace {

using emscripten::val;

/// runJob(job, bytes, share, send): computes an encoded request on the spot and calls send(encoded JobEvent, whether it is the last) on
/// the way, with progress at most every 50 ms. `share`: of the operations that a request may otherwise take. {missing} when a file has
/// to be handed in before asking again, {error} when the request cannot be read; else undefined.
val runJob(double job, const val& requestBytes, double share, const val& send) {
    return guarded([&] {
        using Clock = std::chrono::steady_clock;
        static Leftovers leftovers;
        const Request request = decodeRequest(fromBytes(requestBytes));
        const auto id = static_cast<JobId>(job);
        setMemoryRoom(request.network ? kFileRoom : kCostLimit.bytes);
        auto last = Clock::now();
        std::optional<MissingFile> missing;
        const auto tell = [&](const JobEvent& event) {
            if (missing) return;
            const bool ends = event.what == JobEvent::What::Done || event.what == JobEvent::What::Failed;
            if (event.what == JobEvent::What::Progress && Clock::now() - last < std::chrono::milliseconds(50)) return;
            last = Clock::now();
            try {
                send(toBytes(encodeEvent(event)), ends);
            } catch (const std::bad_alloc&) {
                // No memory for an event on the way is no failure yet; the last one says so.
                const JobEvent failed{JobEvent::What::Failed, id, 0, {}, "There is not enough memory for this; lower the sizes."};
                if (ends) send(toBytes(encodeEvent(failed)), true);
            }
        };
        JobProgress progress(id, leftovers, tell);
        progress.run(request, [&](const Request& asked, Progress& heard) {
            try {
                return openRequest(asked, {share * kCostLimit.operations, memoryRoom()})->run(heard).report;
            } catch (const MissingFile& file) {
                missing = file;
                throw;
            }
        });
        return missing ? toMissing(*missing) : val::undefined();
    });
}

/// An encoded Failed event, for what went wrong outside the module.
val failureBytes(double job, const std::string& sentence) {
    return toBytes(encodeEvent({JobEvent::What::Failed, static_cast<JobId>(job), 0, {}, sentence}));
}

EMSCRIPTEN_BINDINGS(kappaflow_jobs) {
    using namespace emscripten;

    function("runJob", &runJob);
    function("failureBytes", &failureBytes);
    function("provideFile", &provideFile);
}

}  // namespace
}  // namespace kappaflow
