// Who may include whom: reads the include lines of src/ and holds them against DESIGN's rooms.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

// The room a file (relative to src/) belongs to. A scene's folder is three rooms.
std::string roomOf(const std::string& file) {
    const auto starts = [&](const char* prefix) { return file.rfind(prefix, 0) == 0; };
    if (starts("core/")) return "core";
    if (starts("scenes/")) {
        const std::string name = fs::path(file).filename().string();
        if (name.rfind("picture", 0) == 0) return "pictures";
        if (name.rfind("model", 0) == 0 || name == "start.cpp") return "models";
        return "scenes";
    }
    return file.substr(0, file.find('/'));
}

const std::map<std::string, std::vector<std::string>> kMayInclude = {
    {"core", {"core"}},
    {"scenes", {"core", "scenes"}},
    {"models", {"core", "scenes", "models"}},
    {"draw", {"core", "draw"}},
    {"pictures", {"core", "scenes", "draw", "pictures"}},
    {"jobs", {"core", "scenes", "jobs"}},
    {"cli", {"core", "scenes", "draw", "pictures", "jobs", "cli"}},
    {"bindings", {"core", "scenes", "jobs", "bindings"}},
    {"app", {"core", "scenes", "draw", "pictures", "jobs", "app"}},
    {"main", {"core", "scenes", "draw", "pictures", "jobs", "app", "cli", "main"}},
};

struct Include {
    std::string file, target;
    bool quoted;
};

std::vector<Include> includesUnder(const fs::path& src) {
    std::vector<Include> found;
    const std::regex pattern(R"re(^\s*#\s*include\s*([<"])([^>"]+)[>"])re");
    for (const auto& entry : fs::recursive_directory_iterator(src)) {
        if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
        std::ifstream in(entry.path());
        std::smatch match;
        for (std::string line; std::getline(in, line);)
            if (std::regex_search(line, match, pattern))
                found.push_back({fs::relative(entry.path(), src).string(), match[2], match[1] == "\""});
    }
    return found;
}

bool listed(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

TEST_CASE("every room includes only the rooms below it") {
    const fs::path src = fs::path(KAPPAFLOW_SOURCE_DIR) / "src";
    const auto includes = includesUnder(src);
    REQUIRE(includes.size() > 100);
    for (const auto& include : includes) {
        if (!include.quoted || !fs::exists(src / include.target)) continue;
        const std::string from = roomOf(include.file), to = roomOf(include.target);
        CAPTURE(include.file);
        CAPTURE(include.target);
        REQUIRE(kMayInclude.count(from) == 1);
        CHECK(listed(kMayInclude.at(from), to));
    }
}

TEST_CASE("the core and the scenes know no interface, browser, or thread") {
    const fs::path src = fs::path(KAPPAFLOW_SOURCE_DIR) / "src";
    const std::regex forbidden("imgui|GLFW|GLES|GL/|emscripten|nlohmann|CLI/|^thread$|^mutex$|^future$|^iostream$|^fstream$|^random$");
    for (const auto& include : includesUnder(src)) {
        const std::string room = roomOf(include.file);
        if (room != "core" && room != "scenes" && room != "models") continue;
        CAPTURE(include.file);
        CHECK_FALSE(std::regex_search(include.target, forbidden));
    }
}

TEST_CASE("Eigen stays in the core, protobuf in its readers") {
    const fs::path src = fs::path(KAPPAFLOW_SOURCE_DIR) / "src";
    for (const auto& include : includesUnder(src)) {
        CAPTURE(include.file);
        if (include.target.rfind("Eigen/", 0) == 0) CHECK(roomOf(include.file) == "core");
        if (include.target.rfind("protozero/", 0) == 0) CHECK(include.file.rfind("core/io/", 0) == 0);
    }
}
