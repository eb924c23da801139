// Reports and networks as text, which the page asks the bundle of files for, and the whole core where it is all there is.
#include <emscripten/bind.h>

#include "bindings/convert.h"
#include "core/io/network_file.h"
#include "jobs/codec.h"
#include "jobs/export.h"

namespace kappaflow {
namespace {

/// An encoded report as json or csv, or {error}. The page has given its params their names.
emscripten::val exportReport(const emscripten::val& reportBytes, const std::string& format) {
    return guarded([&] {
        const Report report = decodeReport(fromBytes(reportBytes));
        return emscripten::val(format == "json" ? reportJson(report, report.params) : reportCsv(report));
    });
}

/// The layers of a network's file as JSON, see networkJson; {error} where it cannot be read.
emscripten::val describeNetwork(const emscripten::val& file, const std::string& name) {
    return guarded([&] {
        DescribedNetwork described{.file = name, .network = {}, .warnings = {}};
        described.network = readNetwork(fromBytes(file, kMaxHandedBytes), name, &described.warnings);
        return emscripten::val(networkJson(described));
    });
}

EMSCRIPTEN_BINDINGS(kappaflow_export) {
    emscripten::function("exportReport", &exportReport);
    emscripten::function("describeNetwork", &describeNetwork);
}

}  // namespace
}  // namespace kappaflow
