#include "cli/commands.h"

#include <stdexcept>

#include "cli/command_files.h"
#include "cli/command_report.h"
#include "cli/command_request.h"
#include "core/base/errors.h"
#include "jobs/export.h"

namespace kappaflow {
namespace {

/// The format that was asked for; naming an array asks for csv.
std::string exportFormat(const CommandOptions& options) {
    std::string format = !options.format.empty() ? options.format : options.array.empty() ? "json" : "csv";
    exportReport(Report{}, format, "");  // refuses an unknown one before anything is computed
    if (format != "csv" && !options.array.empty()) exportReport(Report{}, format, options.array);
    return format;
}

/// Refuses before anything is computed.
void requireNetwork(const std::string& scene) {
    if (requireDeclaration(scene).savesNetwork) return;
    std::string others;
    for (const auto& declaration : declarations())
        if (declaration.savesNetwork) others += (others.empty() ? "" : ", ") + declaration.id;
    throw InputError(scene + " has no network to save; these have one: " + others + ".");
}

}  // namespace

int listScenes(const CommandOptions& options, const CommandLineHost& host) {
    print(host, options.json ? listJson() : listText());
    return 0;
}

int describeScene(const CommandOptions& options, const CommandLineHost& host) {
    const Declaration& declaration = requireDeclaration(options.scene);
    print(host, options.json ? declarationJson(declaration) : declarationText(declaration));
    return 0;
}

int runScene(const CommandOptions& options, const CommandLineHost& host) {
    const std::string format = exportFormat(options);
    Meant meant = readRequest(options, "run");
    if (format == "onnx") {
        requireNetwork(meant.request.scene);
        if (options.out.empty()) throw InputError("A network is saved to a file: --format onnx needs --out FILE.");
        meant.request.withNetwork = true;
    }
    if (!options.out.empty()) checkWritable(options.out);
    Report report = compute(meant.request, host);
    if (format == "onnx" && report.networkFile.empty())
        throw InputError(report.warnings.empty() ? "There is no network to save." : report.warnings.back());
    report.warnings.insert(report.warnings.begin(), meant.warnings.begin(), meant.warnings.end());
    const std::string text = exportReport(report, format, options.array);
    deliver(host, options.out, text);
    if (format == "onnx") warn(host, report.warnings);
    return report.status == Status::Ok ? 0 : 1;
}

int showScene(const CommandOptions& options, const CommandLineHost& host) {
    if (!host.openWindow) throw std::runtime_error("This program was built without a window.");
    for (const auto& path : {options.network, options.data})
        if (!path.empty()) readAttachment(path);
    const std::string scene = meantScene(options);
    if (scene.empty() && options.settings.empty() && options.state.empty() && options.network.empty() && options.data.empty())
        return host.openWindow("", {});
    const Meant meant = readState(scene.empty() ? declarations().front().id : scene, options);
    warn(host, meant.warnings);
    return host.openWindow(formatLink(meant.state), {options.network, options.data});
}

}  // namespace kappaflow
