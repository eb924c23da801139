#pragma once
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "jobs/codec.h"
#include "scene/state.h"

namespace kappaflow {

/// Reports by request, each computed once. With a folder they are kept there as well, for programs that run later or beside this one.
class ReportCache {
public:
    explicit ReportCache(std::string folder) : folder_(std::move(folder)) {}

    /// Throws where runRequest does. View params stand at their defaults: no report depends on them.
    const Report& of(const Request& given) {
        const Request request = question(given);
        const std::string name = hashOf(encodeRequest(request));
        const auto found = known_.find(name);
        if (found != known_.end()) return found->second;
        std::vector<unsigned char> bytes = read(name);
        if (!bytes.empty()) return known_.emplace(name, decodeReport(bytes)).first->second;
        Report report = runRequest(request);
        ++computed_;
        write(name, report);
        return known_.emplace(name, std::move(report)).first->second;
    }
    int computed() const { return computed_; }

private:
    /// One form of all requests that ask the same.
    static Request question(const Request& given) {
        const Declaration& declaration = requireDeclaration(given.scene);
        Request request = given;
        request.params = {};
        for (const auto& [key, value] : given.params) {
            const Param* param = declaration.param(key);
            if (!param || param->affects == Affects::Request) request.params.set(key, value);
        }
        std::vector<std::string> warnings;
        Values complete = completeValues(declaration, request.params, warnings);
        if (warnings.empty()) request.params = std::move(complete);
        return request;
    }
    /// FNV-1a.
    static std::string hashOf(const std::vector<unsigned char>& bytes) {
        std::uint64_t hash = 14695981039346656037u;
        for (const unsigned char byte : bytes) hash = (hash ^ byte) * 1099511628211u;
        return std::to_string(hash);
    }
    std::vector<unsigned char> read(const std::string& name) const {
        if (folder_.empty()) return {};
        std::ifstream in(folder_ + "/" + name, std::ios::binary | std::ios::ate);
        if (!in) return {};
        std::vector<unsigned char> bytes(static_cast<std::size_t>(in.tellg()));
        in.seekg(0).read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        return bytes;
    }
    /// Programs run side by side: whoever reads finds a whole file or none.
    void write(const std::string& name, const Report& report) const {
        if (folder_.empty()) return;
        const std::string whole = folder_ + "/" + name, part = whole + "." + std::to_string(getpid());
        const auto bytes = encodeReport(report);
        std::ofstream(part, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        std::filesystem::rename(part, whole);
    }

    std::string folder_;
    std::map<std::string, Report> known_;
    int computed_ = 0;
};

/// KAPPAFLOW_REPORTS names the folder that programs share.
inline std::string sharedReports() {
    const char* folder = std::getenv("KAPPAFLOW_REPORTS");
    return folder ? folder : "";
}

/// Of the program as it is built: what it says is held against the goldens, and the rest of the tests may ask for the same again.
inline const Report& reportOf(const Request& request) {
    static ReportCache cache(sharedReports());
    return cache.of(request);
}
inline const Report& reportOf(const State& state) {
    Request request;
    request.scene = state.scene;
    request.params = state.params;
    return reportOf(request);
}

/// The same for a command line: with the view params that were given.
inline Report cachedReport(const Request& request, Progress&) {
    Report report = reportOf(request);
    for (const auto& [key, value] : request.params) {
        const Param* param = requireDeclaration(request.scene).param(key);
        if (param && param->affects == Affects::View) report.params.set(key, value);
    }
    return report;
}

}  // namespace kappaflow
