// Reports and networks as text, which the page asks the bundle of files for, and the whole core where it is all there is.
#include <emscripten/bind.h>

#include "bindings/convert.h"
#include "core/base/errors.h"
#include "core/io/network_file.h"
#include "core/io/onnx.h"
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

/// An ONNX model with the weights inside that it keeps in the file called `name`; {error} where it keeps some elsewhere, or none.
emscripten::val joinModel(const emscripten::val& model, const std::string& name, const emscripten::val& weights) {
    return guarded([&] {
        const auto data = fromBytes(weights, kMaxHandedBytes);
        double total = 0;  // tensors may share what they read
        const auto whole = withExternalData(
            fromBytes(model, kMaxHandedBytes), [&](const std::string& location, std::uint64_t offset, std::optional<std::uint64_t> length) {
                if (location.substr(location.rfind('/') + 1) != name)
                    throw InputError("The model's weights are in " + quote(location) + ", too, which is not here.");
                const std::uint64_t end = length ? offset + *length : data.size();
                if (offset > data.size() || end > data.size() || end < offset)
                    throw InputError("The file " + quote(name) + " has " + std::to_string(data.size()) +
                                     " bytes, too few for what the model keeps in it.");
                total += static_cast<double>(end - offset);
                if (total > kMaxHandedBytes) throw InputError("The model and its weights are larger than what can be read.");
                return std::string(data.begin() + static_cast<std::ptrdiff_t>(offset), data.begin() + static_cast<std::ptrdiff_t>(end));
            });
        if (!whole) throw InputError("The model keeps no weights in " + quote(name) + ".");
        return toBytes(*whole);
    });
}

EMSCRIPTEN_BINDINGS(kappaflow_export) {
    emscripten::function("exportReport", &exportReport);
    emscripten::function("describeNetwork", &describeNetwork);
    emscripten::function("joinModel", &joinModel);
}

}  // namespace
}  // namespace kappaflow
