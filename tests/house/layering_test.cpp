// Who may include whom: reads the include lines of src/ and holds them against DESIGN's rooms.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "scene/scene.h"

namespace fs = std::filesystem;

namespace {

// The room a file (relative to src/) belongs to: a folder of core/, of src/, or by the file's name a third of scenes/: a scene's table and
// computing half NAME.cpp, its picture NAME_picture.cpp, and NAME.h, which both see.
std::string roomOf(const std::string& file) {
    const fs::path path(file);
    const std::string name = path.stem().string(), top = file.substr(0, file.find('/'));
    if (top == "core") return file.substr(0, file.find('/', 5));
    if (top != "scenes") return top;
    const auto says = [&](const char* word) { return name.rfind(word, 0) == 0 || name.find(std::string("_") + word) != std::string::npos; };
    if (says("picture") || says("panels")) return "pictures";
    if (says("declaration") || name == "bundles" || file == "scenes/declarations.cpp") return "declarations";
    if (says("model") || says("start") || says("chosen_network") || says("network_files")) return "models";
    return path.extension() == ".cpp" ? "models" : "declarations";
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
    {"jobs", kScene + Rooms{"core/io", "core/net", "jobs"}},  // what is exported is made printable
    {"cli", kScene + Rooms{"core/io", "core/net", "draw", "pictures", "jobs", "cli"}},
    {"bindings", kScene + Rooms{"core/io", "jobs", "models", "bindings"}},
    {"app", kScene + Rooms{"core/io", "draw", "pictures", "jobs", "app"}},
    {"main", kScene + Rooms{"draw", "pictures", "jobs", "app", "cli", "main"}},
};

// The family and the scene whose own a file of scenes/ is, "" where it is shared: its folder's, or the one its name begins with.
struct Owner {
    std::string family, scene;
};
Owner ownerOf(const std::string& file) {
    static const std::vector<std::string> scenes = [] {
        std::vector<std::string> names;
        for (const auto& declaration : kappaflow::declarations()) {
            names.push_back(declaration.id);
            std::replace(names.back().begin(), names.back().end(), '-', '_');
        }
        return names;
    }();
    std::vector<std::string> parts;
    for (const auto& part : fs::path(file)) parts.push_back(part.string());
    if (parts.size() < 3) return {};
    if (parts.size() > 3) return {parts[1], parts[2]};
    Owner owner{parts[1], ""};
    for (const auto& scene : scenes) {
        const bool named = parts[2].rfind(scene + ".", 0) == 0 || parts[2].rfind(scene + "_", 0) == 0;
        if (named && scene.size() > owner.scene.size()) owner.scene = scene;
    }
    return owner;
}

// A scene includes its own files and its family's, a family's shared code no scene. All theories on one network: what any family shares.
bool mayIncludeOfScenes(const std::string& from, const std::string& to) {
    const Owner one = ownerOf(from), other = ownerOf(to);
    if (other.family.empty()) return true;
    return (one.family == other.family || one.family == "one_network") && (other.scene.empty() || one.scene == other.scene);
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
        CHECK(mayIncludeOfScenes(include.file, include.target));
        ++between;
    }
    CHECK(between > 50);
}
