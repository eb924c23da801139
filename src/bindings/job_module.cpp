#include <emscripten/bind.h>

#include "bindings/provided_files.h"
#include "bindings/task.h"

// What the page's worker asks of a module: every module that computes has it. {error: sentence} stands for a throw, {missing: name}
// for a file to be handed in before asking again.
namespace kappaflow {
namespace {

EMSCRIPTEN_BINDINGS(kappaflow_jobs) {
    using namespace emscripten;

    function("startRequest", &startTask);
    function("failureBytes", &failureBytes);
    function("exportReport", &exportBytes);
    function("provideFile", &provideFile);
    class_<Task>("Task")
        .smart_ptr<std::shared_ptr<Task>>("Task")
        .function("step", &Task::step)
        .function("progress", &Task::progress)
        .function("failed", &Task::failed)
        .function("eventBytes", &Task::eventBytes);
}

}  // namespace
}  // namespace kappaflow
