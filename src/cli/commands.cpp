#include "cli/commands.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command_line.h"
#include "cli/files.h"
#include "core/base/errors.h"
#include "core/io/printable.h"
#include "jobs/attachment.h"
#include "jobs/export.h"
#include "scene/report.h"
#include "scene/scene.h"
#include "scene/state.h"

namespace kappaflow {
namespace {

std::string sceneOfLink(const std::string& link) {
    std::string scene;
    for (const auto& [key, value] : linkPairs(link))
        if (key == "scene") scene = value;
    return scene;
}

Values readSettings(const Declaration& declaration, const CommandOptions& options, std::vector<std::string>& warnings) {
    Values given;
    for (const auto& setting : options.settings) {
        const auto equals = setting.find('=');
        if (equals == setting.npos) throw InputError("--set takes KEY=VALUE, not " + quote(setting) + ".");
        const std::string key = setting.substr(0, equals);
        if (given.contains(key)) warnings.push_back(quote(key) + " is set more than once; the last value counts.");
        given.set(key, setting.substr(equals + 1));
    }
    const Param *network = declaration.paramOf(Kind::Network), *data = declaration.paramOf(Kind::Data);
    if (network && !options.network.empty()) given.set(network->key, std::string("file"));
    if (data && !options.data.empty()) given.set(data->key, std::string("file"));
    return given;
}

/// The scene's id, "" when neither SCENE nor --state names one. Throws InputError when they disagree or name none there is.
std::string meantScene(const CommandOptions& options) {
    const std::string linked = sceneOfLink(options.state);
    if (!linked.empty()) requireDeclaration(linked);
    if (!linked.empty() && !options.scene.empty() && options.scene != linked)
        throw InputError("The state given with --state is of scene " + linked + ", not of " + options.scene + ".");
    return options.scene.empty() ? linked : options.scene;
}

/// Throws InputError for what --set gets wrong; what the link gets wrong becomes warnings.
Meant readState(const std::string& scene, const CommandOptions& options) {
    const Declaration& declaration = requireDeclaration(scene);
    Meant meant;
    meant.state = parseLink(options.state, meant.warnings, scene);
    const Values given = readSettings(declaration, options, meant.warnings);
    // Read for their own sake first: a wrong key or value ends the program, while a link's is only warned of.
    const Values admitted = completeValues(declaration, given, meant.warnings);
    std::vector<std::string> told;  // what the values above have already been warned of
    for (const auto& [key, value] : given) meant.state = apply(meant.state, Change::param(key, admitted.at(key)), told);
    // Defaults have followed the change of others; what was set by name stands, were it the default from before.
    for (const auto& [key, value] : given) meant.state.params.set(key, admitted.at(key));
    for (auto& sentence : idleValues(declaration, given, meant.state.params)) meant.warnings.push_back(std::move(sentence));
    return meant;
}

}  // namespace

Meant readRequest(const CommandOptions& options, const std::string& command) {
    const std::string scene = meantScene(options);
    if (scene.empty()) throw InputError(command + " needs a scene; kappaflow list shows them.");
    Meant meant = readState(scene, options);
    Request& request = meant.request;
    request.scene = meant.state.scene;
    request.params = meant.state.params;
    if (!options.network.empty()) request.network = readNetworkFile(options.network);
    if (!options.data.empty()) request.data = readAttachment(options.data);
    request.withNetwork = options.withNetwork;
    return meant;
}

Report compute(const Request& request, const CommandLineHost& host) {
    ProgressBar bar(host);
    return host.compute ? host.compute(request, bar) : runRequest(request, bar);
}

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

namespace {

constexpr double kMostRequests = 1e6;

/// The values of "1..1000" or "0.01,0.02,relu".
std::vector<std::string> valuesOver(const std::string& text, double already) {
    std::vector<std::string> values;
    std::istringstream pieces(text + ",");
    for (std::string piece; std::getline(pieces, piece, ',');) {
        const auto dots = piece.find("..");
        if (dots == piece.npos) {
            if (piece.empty()) throw InputError("--over takes KEY=VALUES, values by commas or FROM..TO, not " + quote(text) + ".");
            values.push_back(piece);
            continue;
        }
        const double from = parseNumber(piece.substr(0, dots)), to = parseNumber(piece.substr(dots + 2));
        if (from != std::floor(from) || to != std::floor(to) || !(from <= to))
            throw InputError("--over takes whole numbers FROM..TO, the first not above the second, not " + quote(piece) + ".");
        if (already * (to - from + 1) > kMostRequests) throw InputError("That is more than a million requests.");
        for (double value = from; value <= to; ++value) values.push_back(formatNumber(value));
    }
    if (already * static_cast<double>(values.size()) > kMostRequests) throw InputError("That is more than a million requests.");
    return values;
}

/// "2/8" → {2, 8}.
std::pair<std::size_t, std::size_t> shardOf(const std::string& text) {
    if (text.empty()) return {1, 1};
    const auto slash = text.find('/');
    const auto whole = [&](std::string_view digits) {
        std::size_t number = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
        return error == std::errc() && end == digits.data() + digits.size() ? number : 0;
    };
    const std::string_view given = text;
    const std::size_t index = whole(given.substr(0, slash)), count = slash == text.npos ? 0 : whole(given.substr(slash + 1));
    if (index < 1 || index > count) throw InputError("--shard takes I/N, I from 1 to N, not " + quote(text) + ".");
    return {index, count};
}

constexpr std::string_view kRequest = "{\"request\":\"";

/// Requests that a file of results has an answer to; what a killed run left of a line is cut off.
std::set<std::string, std::less<>> answered(const std::string& path) {
    std::set<std::string, std::less<>> done;
    std::ifstream in(path, std::ios::binary);
    std::uintmax_t whole = 0;
    for (std::string line; std::getline(in, line) && !in.eof();) {
        whole += line.size() + 1;
        if (line.compare(0, kRequest.size(), kRequest) != 0) throw InputError("The file " + quote(path) + " holds no results of a batch.");
        done.insert(line.substr(kRequest.size(), line.find('"', kRequest.size()) - kRequest.size()));
    }
    in.close();
    std::error_code none;
    if (std::filesystem::exists(path, none) && std::filesystem::file_size(path) > whole) std::filesystem::resize_file(path, whole);
    return done;
}

/// A line of json for each request: its link, and the report or why there is none. Each is written at once, so that a run that was killed
/// goes on where it was.
int runBatch(const CommandOptions& options, const CommandLineHost& host) {
    if (!options.scene.empty() || !options.state.empty() || !options.settings.empty() || !options.format.empty() || !options.array.empty())
        throw InputError("A batch has its scenes and params line by line: --batch goes with --out, --shard, --network and --data alone.");
    if (options.out.empty()) throw InputError("The results of a batch are added to a file: --batch needs --out FILE.");
    const auto [index, count] = shardOf(options.shard);
    const auto file = readAttachment(options.batch);
    std::istringstream lines(std::string(file->bytes.begin(), file->bytes.end()));
    const auto done = answered(options.out);
    std::ofstream out(options.out, std::ios::binary | std::ios::app);
    if (!out) throw InputError("Cannot write " + quote(options.out) + ".");
    std::size_t number = 0, computed = 0, before = 0, refused = 0;
    for (std::string line; std::getline(lines, line);) {
        if (!line.empty() && line.back() == '\r') line.pop_back();
        if (line.empty() || number++ % count != index - 1) continue;
        if (line.find_first_of("\"\\") != line.npos || validText(line) != line)
            throw InputError("Line " + std::to_string(number) + " of the batch is no link.");
        if (done.count(line)) {
            ++before;
            continue;
        }
        CommandOptions one = options;
        one.state = line;
        std::string answer;
        try {
            const Meant meant = readRequest(one, "run");
            Report report = compute(meant.request, host);
            report.warnings.insert(report.warnings.begin(), meant.warnings.begin(), meant.warnings.end());
            answer = "\"report\":" + exportReport(report, "json", "");
            ++computed;
        } catch (const InputError& error) {
            answer = "\"refused\":" + std::move(JsonText(false).text(error.what())).take();
            ++refused;
        }
        while (!answer.empty() && answer.back() == '\n') answer.pop_back();
        out << (std::string(kRequest) + line + "\"," + answer + "}\n") << std::flush;
        if (!out) throw std::runtime_error("Cannot write " + quote(options.out) + ".");
    }
    *host.err << computed << " computed, " << before << " done before, " << refused << " refused\n" << std::flush;
    return refused > 0 ? 1 : 0;
}

}  // namespace

int sweepScene(const CommandOptions& options, const CommandLineHost& host) {
    const std::string scene = meantScene(options);
    if (scene.empty()) throw InputError("sweep needs a scene; kappaflow list shows them.");
    std::vector<std::pair<std::string, std::vector<std::string>>> axes;
    double requests = 1;
    for (const auto& over : options.over) {
        const auto equals = over.find('=');
        if (equals == over.npos) throw InputError("--over takes KEY=VALUES, not " + quote(over) + ".");
        axes.push_back({over.substr(0, equals), valuesOver(over.substr(equals + 1), requests)});
        requests *= static_cast<double>(axes.back().second.size());
    }
    std::string text;
    std::set<std::string> warnings;
    for (std::size_t i = 0; i < static_cast<std::size_t>(requests); ++i) {
        CommandOptions one = options;
        std::size_t rest = i;
        for (std::size_t a = axes.size(); a-- > 0; rest /= axes[a].second.size())
            one.settings.push_back(axes[a].first + "=" + axes[a].second[rest % axes[a].second.size()]);
        const Meant meant = readState(scene, one);
        warnings.insert(meant.warnings.begin(), meant.warnings.end());
        text += formatLink(meant.state) + "\n";
    }
    warn(host, {warnings.begin(), warnings.end()});
    deliver(host, options.out, text);
    return 0;
}

int runScene(const CommandOptions& options, const CommandLineHost& host) {
    if (!options.batch.empty()) return runBatch(options, host);
    if (!options.shard.empty()) throw InputError("--shard goes with --batch.");
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
        return host.openWindow("", "", "");
    const Meant meant = readState(scene.empty() ? declarations().front().id : scene, options);
    warn(host, meant.warnings);
    return host.openWindow(formatLink(meant.state), options.network, options.data);
}

}  // namespace kappaflow
