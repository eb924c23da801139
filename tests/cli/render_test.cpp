// kappaflow render: pictures as SVG from the command line.
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "cli/capture.h"
#include "scene/state.h"
#include "support/report_cache.h"
#include "support/temporary_folder.h"
#include "support/xml.h"

using namespace kappaflow;

namespace {

std::string rendered(const std::string& line) {
    CommandLineHost host;
    host.compute = cachedReport;
    const auto result = runCommand(wordsOf(line), host);
    REQUIRE_MESSAGE(result.status == 0, line, ": ", result.err);
    CHECK(result.err.empty());
    return result.out;
}

std::string linkIn(const std::string& svg) { return XmlReader::read(svg).named("dc:source").at(0)->text; }

TEST_CASE("the link inside a picture renders it again, at every preset") {
    for (const char* id : {"shattering", "nu-continuum"})
        for (const auto& preset : requireDeclaration(id).presets) {
            std::vector<std::string> warnings;
            const State state = apply(initialState(id), Change::preset(preset.name), warnings);
            CAPTURE(preset.name);
            const std::string svg = rendered("render --state " + formatLink(state));
            CHECK(linkIn(svg) == formatLink(state));
            CHECK(rendered("render " + std::string(id) + " --state " + linkIn(svg)) == svg);
        }
}

TEST_CASE("--contrast more: the lines of curves have at least 3 pixels, on pure white") {
    const auto widths = [](const std::string& svg) {
        const XmlElement document = XmlReader::read(svg);
        std::vector<double> all;
        for (const XmlElement* path : document.named("path"))
            if (path->attribute("data-mark") == "by-width/mean-field" || path->attribute("data-mark") == "by-width/theorem")
                all.push_back(std::stod(path->attribute("stroke-width")));
        return all;
    };
    const std::string usual = rendered("render trajectory-length"), more = rendered("render trajectory-length --contrast more");
    CHECK(usual == rendered("render trajectory-length --contrast usual"));
    REQUIRE(widths(usual).size() == 2);
    REQUIRE(widths(more).size() == 2);
    for (const double width : widths(usual)) CHECK(width < 3);
    for (const double width : widths(more)) CHECK(width >= 3);
    CHECK(more.find("fill=\"#ffffff\"") != more.npos);
}

TEST_CASE("size, theme and captions are as asked, 1200x800, light and none otherwise") {
    const XmlElement standard = XmlReader::read(rendered("render shattering"));
    CHECK(standard.attribute("viewBox") == "0 0 1200 800");
    const XmlElement small = XmlReader::read(rendered("render shattering --size 640x480 --theme dark"));
    CHECK(small.attribute("viewBox") == "0 0 640 480");
    CHECK(small.named("rect").at(0)->attribute("fill") != standard.named("rect").at(0)->attribute("fill"));
    CHECK(rendered("render shattering --theme light --ui figure --size 1200x800") == rendered("render shattering"));
    const auto captions = [](const XmlElement& svg) {
        return svg.all([](const XmlElement& e) { return e.attribute("data-mark") == "caption"; }).size();
    };
    CHECK(captions(XmlReader::read(rendered("render shattering --ui full"))) > 0);
    CHECK(captions(standard) == 0);
}

TEST_CASE("a file named .png holds pixels, as many as size and scale say") {
    const TemporaryFolder folder;
    const auto sizeOf = [&](const std::string& more) {
        const std::string path = folder.path("figure.png");
        CHECK(rendered("render shattering --set layers=12 --size 300x200 --out " + path + more).empty());
        std::ifstream in(path, std::ios::binary);
        const std::string bytes((std::istreambuf_iterator<char>(in)), {});
        REQUIRE(bytes.size() > 1000);
        CHECK(bytes.substr(0, 4) == "\x89PNG");
        const auto side = [&](std::size_t at) {
            return 256 * static_cast<unsigned char>(bytes[at + 2]) + static_cast<unsigned char>(bytes[at + 3]);
        };
        return std::pair(side(16), side(20));
    };
    CHECK(sizeOf("") == std::pair(300, 200));
    CHECK(sizeOf(" --scale 3 --theme dark --ui full") == std::pair(900, 600));
    for (const auto& [line, sentence] : {std::pair("render shattering --scale 2", "--scale is for PNG"),
                                         {"render shattering --out x.png --scale 9", "from 1 to 4"},
                                         {"render shattering --out x.png --size 4000x300 --scale 3", "at most 8000 pixels"},
                                         {"render shattering --out x.png --marks", "names, not pixels"},
                                         {"render shattering --out x.jpg", ".svg or .png"}}) {
        const auto refused = runCommand(std::string(line));
        CHECK(refused.status == 2);
        CHECK(refused.err.find(sentence) != std::string::npos);
    }
}

TEST_CASE("pictures along the timeline: numbered files, the first and last as they are drawn alone; one SVG that plays them") {
    const TemporaryFolder folder;
    const auto bytesOf = [](const std::string& path) {
        std::ifstream in(path, std::ios::binary);
        return std::string((std::istreambuf_iterator<char>(in)), {});
    };
    // From the output, at layer 12, down to the inputs.
    const std::string scene = "render shattering --set layers=12 --set play=false --size 300x200 --out ";
    CHECK(rendered(scene + folder.path("film.png") + " --frames 5").empty());
    std::set<std::string> different;
    for (int i = 1; i <= 5; ++i) different.insert(bytesOf(folder.path("film-000" + std::to_string(i) + ".png")));
    CHECK(different.size() == 5);
    CHECK_FALSE(std::filesystem::exists(folder.path("film-0006.png")));
    for (const auto& [at, file] : {std::pair("12", "film-0001.png"), {"0", "film-0005.png"}}) {
        CHECK(rendered(scene + folder.path("alone.png") + " --set at=" + at).empty());
        CHECK(bytesOf(folder.path("alone.png")) == bytesOf(folder.path(file)));
    }
    CHECK(rendered(scene + folder.path("film.svg") + " --frames 5").empty());
    const XmlElement svg = XmlReader::read(bytesOf(folder.path("film.svg")));
    const auto frames = svg.all([](const XmlElement& e) { return e.attribute("class") == "frame"; });
    REQUIRE(frames.size() == 5);
    std::set<std::string> ids;  // of clips and the like: none stands for two
    for (const auto& element : svg.all([](const XmlElement& e) { return !e.attribute("id").empty(); }))
        CHECK(ids.insert(element->attribute("id")).second);

    // ν is what the scene computes with: every place of its timeline is a computation of its own.
    CHECK(rendered("render nu-continuum --size 300x200 --frames 3 --out " + folder.path("computed.png")).empty());
    CHECK(rendered("render nu-continuum --size 300x200 --set nu=0 --out " + folder.path("alone.png")).empty());
    CHECK(bytesOf(folder.path("computed-0001.png")) != bytesOf(folder.path("computed-0002.png")));
    CHECK(bytesOf(folder.path("computed-0003.png")) == bytesOf(folder.path("alone.png")));
    for (const auto& [line, sentence] : {std::pair("render shattering --frames 5", "--frames needs --out"),
                                         {"render shattering --frames 1 --out x.png", "from 2 to 10000"},
                                         {"render shattering --frames 20001 --out x.svg", "from 2 to 10000"},
                                         {"render shattering --frames 5 --out x.svg --marks", "one picture"}}) {
        const auto refused = runCommand(std::string(line));
        CHECK(refused.status == 2);
        CHECK_MESSAGE(refused.err.find(sentence) != std::string::npos, refused.err);
    }
}

TEST_CASE("the names of a picture's marks are those that its document carries, each once") {
    std::set<std::string> named;
    std::istringstream lines(rendered("render shattering --marks"));
    for (std::string line; std::getline(lines, line);) CHECK(named.insert(line).second);
    for (const char* name : {"strands/residual/path", "weight/uniform", "entropy/theory/residual"}) CHECK(named.contains(name));
    named.insert("ground");  // the document's own
    const XmlElement svg = XmlReader::read(rendered("render shattering"));
    for (const auto& mark : svg.all([](const XmlElement& e) { return !e.attribute("data-mark").empty(); }))
        CHECK_MESSAGE(named.contains(mark->attribute("data-mark")), mark->attribute("data-mark"));
}

TEST_CASE("what is set is what is drawn, and what its link says") {
    const std::string svg = rendered("render shattering --set layers=17 --set taps=5");
    CHECK(linkIn(svg) == "v=1&scene=shattering&layers=17&taps=5");
    CHECK(svg != rendered("render shattering"));
}

TEST_CASE("--out writes the same document to a file, and a refused one leaves no file") {
    const TemporaryFolder folder;
    const auto result = runCommand("render shattering --out " + folder.path("figure.svg"));
    CHECK(result.status == 0);
    CHECK(result.out.empty());
    CHECK(readText(folder.path("figure.svg")) == rendered("render shattering"));
    CHECK(runCommand("render capacity-diffusion --set network=file --out " + folder.path("none.svg")).status == 2);
    CHECK(!std::filesystem::exists(folder.path("none.svg")));
    CHECK(runCommand("render shattering --out /dev/full").status == 1);
}

TEST_CASE("a file that cannot be written whole keeps what was there, and a link to a file stays a link") {
    const TemporaryFolder folder;
    const std::string file = folder.path("figure.svg"), link = folder.path("link.svg");
    const std::string before = rendered("render shattering --set layers=5");
    REQUIRE(runCommand("render shattering --set layers=5 --out " + file).status == 0);
    std::filesystem::create_symlink(file, link);
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit small = limit;
    small.rlim_cur = 1000;
    setrlimit(RLIMIT_FSIZE, &small);
    const auto result = runCommand("render shattering --out " + link);
    setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, handler);
    CHECK(result.status == 1);
    CHECK(isComplaint(result));
    CHECK(readText(file) == before);
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path("")), std::filesystem::directory_iterator()) == 2);
    CHECK(runCommand("render shattering --out " + link).status == 0);
    CHECK(std::filesystem::is_symlink(link));
    CHECK(readText(file) == rendered("render shattering"));
    std::filesystem::permissions(file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    REQUIRE(runCommand("render shattering --out " + file).status == 0);
    CHECK(std::filesystem::status(file).permissions() == (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
    std::filesystem::create_symlink(folder.path("later.svg"), folder.path("dangling.svg"));
    CHECK(runCommand("render shattering --out " + folder.path("dangling.svg")).status == 0);
    CHECK(std::filesystem::is_symlink(folder.path("dangling.svg")));
    CHECK(readText(folder.path("later.svg")) == readText(file));
}

TEST_CASE("a pipe that nobody writes to is refused, not waited for") {
    const TemporaryFolder folder;
    const std::string pipe = folder.path("pipe.onnx");
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    const auto result = runCommand("render capacity-diffusion --network " + pipe);
    CHECK(result.status == 2);
    CHECK(isComplaint(result));
}

TEST_CASE("warnings go to the error output, the figure stays whole") {
    const auto result = runCommand("render shattering --set layers=-7 --state nonsense=1");
    CHECK(result.status == 0);
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 2);
    CHECK_NOTHROW(XmlReader::read(result.out));
}

TEST_CASE("a wrong figure is refused in one sentence with status 2") {
    std::vector<std::string> lines{"render", "render nowhere", "rendr shattering"};
    for (const char* size :
         {"1200", "1200x", "x800", "1200x800x2", "199x800", "1200x4001", "-5x800", "1e3x800", "99999999999999999999x800"})
        lines.push_back(std::string("render shattering --size ") + size);
    for (const char* option : {"--theme blue", "--contrast high", "--theme Dark", "--ui lesson", "--format json", "--set layers=many",
                               "--out /nonexistent/figure.svg", "--out figure.gif", "--network /nonexistent.onnx"})
        lines.push_back(std::string("render shattering ") + option);
    for (const auto& line : lines) {
        const auto result = runCommand(line);
        CHECK_MESSAGE(result.status == 2, line);
        CHECK_MESSAGE(isComplaint(result), line, ": ", result.err);
    }
}

}  // namespace
