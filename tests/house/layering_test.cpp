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

// The room a file (relative to src/) belongs to: a folder of core/, of src/, or by the file's name a third of scenes/.
std::string roomOf(const std::string& file) {
    const std::string name = fs::path(file).filename().string(), top = file.substr(0, file.find('/'));
    if (top == "core") return file.substr(0, file.find('/', 5));
    if (top != "scenes") return top;
    if (name.rfind("picture", 0) == 0) return "pictures";
    if (name.rfind("model", 0) == 0 || name == "start.cpp" || name == "chosen_network.h") return "models";
    return "declarations";
}

std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}
using Rooms = std::vector<std::string>;
const Rooms kMath{"core/base", "core/linalg"}, kNetworks = kMath + Rooms{"core/net"};
const Rooms kCore = kNetworks + Rooms{"core/io", "core/capacity", "core/linear", "core/moments", "core/regions", "core/expressivity"};
const Rooms kScene{"core/base", "scene"};

const std::map<std::string, Rooms> kMayInclude = {
    {"core/base", {"core/base"}},
    {"core/linalg", kMath},
    {"core/net", kNetworks},
    {"core/io", kNetworks + Rooms{"core/io"}},
    {"core/capacity", kNetworks + Rooms{"core/capacity"}},
    {"core/linear", kMath + Rooms{"core/linear"}},
    {"core/moments", kNetworks + Rooms{"core/moments"}},
    {"core/regions", {"core/base", "core/net", "core/regions"}},
    {"core/expressivity", kNetworks + Rooms{"core/expressivity"}},
    {"scene", kScene},
    {"declarations", kScene + Rooms{"declarations"}},
    {"models", kCore + Rooms{"scene", "declarations", "models"}},
    {"draw", {"core/base", "draw"}},
    {"pictures", kScene + Rooms{"declarations", "draw", "pictures"}},
    {"jobs", kScene + Rooms{"jobs"}},
    {"cli", kScene + Rooms{"draw", "pictures", "jobs", "cli"}},
    {"bindings", kScene + Rooms{"core/io", "jobs", "bindings"}},
    {"app", kScene + Rooms{"core/io", "draw", "pictures", "jobs", "app"}},
    {"main", kScene + Rooms{"draw", "pictures", "jobs", "app", "cli", "main"}},
};

// The folders of scenes/ that a file stands in: "", "moments", or "moments/signal_and_noise".
std::string folderOfScenes(const std::string& file) {
    const std::string folder = fs::path(file).parent_path().string();
    return folder == "scenes" ? "" : folder.substr(std::string("scenes/").size());
}

// A scene includes its own folder and its family's, a family's shared code no scene. All theories on one network: what any family shares.
bool mayIncludeOfScenes(const std::string& from, const std::string& to) {
    const std::string family = from.substr(0, from.find('/'));
    if (to.empty() || to == from || to == family) return true;
    return family == "one_network" && to.find('/') == std::string::npos;
}

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
        if (room.rfind("core/", 0) != 0 && room != "scene" && room != "declarations" && room != "models") continue;
        CAPTURE(include.file);
        CHECK_FALSE(std::regex_search(include.target, forbidden));
    }
}

TEST_CASE("Eigen stays in the core, protobuf in its readers") {
    const fs::path src = fs::path(KAPPAFLOW_SOURCE_DIR) / "src";
    for (const auto& include : includesUnder(src)) {
        CAPTURE(include.file);
        if (include.target.rfind("Eigen/", 0) == 0) CHECK(include.file.rfind("core/", 0) == 0);
        if (include.target.rfind("protozero/", 0) == 0) CHECK(include.file.rfind("core/io/", 0) == 0);
    }
}

TEST_CASE("a family of scenes includes no other family's folders, a scene no other scene's") {
    const fs::path src = fs::path(KAPPAFLOW_SOURCE_DIR) / "src";
    std::size_t between = 0;
    for (const auto& include : includesUnder(src)) {
        if (include.file.rfind("scenes/", 0) != 0 || include.target.rfind("scenes/", 0) != 0) continue;
        CAPTURE(include.file);
        CAPTURE(include.target);
        CHECK(mayIncludeOfScenes(folderOfScenes(include.file), folderOfScenes(include.target)));
        ++between;
    }
    CHECK(between > 50);
}
