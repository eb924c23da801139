#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/capture.h"
#include "core/io/network_file.h"

using namespace kappaflow;

namespace {

using Json = nlohmann::json;

std::string sample() {
    const auto bytes = sampleNetworkBytes(sampleNetworks().front().id);
    return {bytes.begin(), bytes.end()};
}

CommandResult runFile(const TemporaryFolder& folder, const std::string& bytes) {
    return runCommand({"run", "capacity-diffusion", "--network", folder.write("net.onnx", bytes)});
}

TEST_CASE("a network file gives the same numbers as the sample it is a copy of") {
    const TemporaryFolder folder;
    const auto file = runFile(folder, sample());
    REQUIRE_MESSAGE(file.status == 0, file.err);
    const Json json = Json::parse(file.out);
    CHECK(json["params"]["network"] == "file");
    const auto named = runCommand({"run", "capacity-diffusion", "--set", "network=" + sampleNetworks().front().id});
    CHECK(Json::parse(named.out)["arrays"] == json["arrays"]);
}

TEST_CASE("setting what the file decides is reported, not obeyed") {
    const TemporaryFolder folder;
    const auto result = runCommand(
        {"run", "capacity-diffusion", "--network", folder.write("net.onnx", sample()), "--set", "layers=3", "--set", "extent=9"});
    REQUIRE(result.status == 0);
    const Json json = Json::parse(result.out);
    CHECK(json["warnings"].size() >= 2);
    CHECK(json["arrays"] == Json::parse(runFile(folder, sample()).out)["arrays"]);
}

TEST_CASE("the weights come out when they are asked for") {
    const TemporaryFolder folder;
    const auto result = runCommand({"run", "capacity-diffusion", "--network", folder.write("net.onnx", sample()), "--with-network"});
    REQUIRE(result.status == 0);
    const Json layers = Json::parse(result.out)["network"]["layers"];
    REQUIRE(layers.size() > 0);
    for (const auto& layer : layers) {
        std::size_t size = 1;
        for (const auto& length : layer["weights"]["shape"]) size *= length.get<std::size_t>();
        CHECK(layer["weights"]["values"].size() == size);
    }
    CHECK(!Json::parse(runFile(folder, sample()).out).contains("network"));
}

TEST_CASE("a network that was trained on screen is saved, and the file shows the same regions") {
    const TemporaryFolder folder;
    const std::string saved = folder.path("trained.onnx"),
                      trained = "run activation-regions --set data=spirals --set steps=40 --set widths=6,5";
    const auto written = runCommand(trained + " --format onnx --out " + saved);
    REQUIRE_MESSAGE(written.status == 0, written.err);
    CHECK(written.out.empty());
    const Json before = Json::parse(runCommand(trained).out),
               after = Json::parse(runCommand("run activation-regions --network " + saved).out);
    for (const char* name : {"vertices", "polygons", "edges", "weights"})
        CHECK_MESSAGE(before["arrays"][name]["values"] == after["arrays"][name]["values"], name);
}

TEST_CASE("a network is saved only to a file, by scenes that have one") {
    const TemporaryFolder folder;
    const auto refused = [](const std::vector<std::string>& words) {
        const auto result = runCommand(words);
        CHECK(result.status == 2);
        CHECK(result.out.empty());
        return result.err;
    };
    CHECK(refused({"run", "activation-regions", "--format", "onnx"}) ==
          "kappaflow: A network is saved to a file: --format onnx needs --out FILE.\n");
    CHECK(refused({"run", "shattering", "--format", "onnx", "--out", folder.path("a.onnx")})
              .find("kappaflow: shattering has no network to save; these have one: ") == 0);
    CHECK(refused({"run", "capacity-diffusion", "--set", "shared=false", "--set", "kernel=random", "--format", "onnx", "--out",
                   folder.path("a.onnx")})
              .find("its kernels differ from position to position") != std::string::npos);
}

TEST_CASE("an empty, cut, random or oversized file is refused in one sentence") {
    const TemporaryFolder folder;
    const std::string whole = sample();
    for (const std::string& bytes : {std::string(), std::string("not a network"), std::string(1000, '\0'), std::string(1000, '\xff'),
                                     whole.substr(0, 20), whole.substr(0, whole.size() / 2), whole.substr(0, whole.size() - 1)}) {
        const auto result = runFile(folder, bytes);
        CHECK_MESSAGE(result.status == 2, bytes.size());
        CHECK_MESSAGE(isComplaint(result), result.err);
    }
    const std::string path = folder.write("huge.onnx", "");
    std::filesystem::resize_file(path, (64u << 20) + 1);
    const auto huge = runCommand("run capacity-diffusion --memory 100M --network " + path);
    CHECK(huge.status == 2);
    CHECK(huge.err == "kappaflow: The file \"" + path + "\" is larger than 64 MB.\n");
}

TEST_CASE("--time is what a request may take") {
    const std::string request = "run moments --set samples=1024 --set width=512 --set layers=10 --set draws=1 --set net=vanilla";
    const auto given = [&](const std::string& time) { return runCommand(request + " --time " + time); };
    const auto little = given("1");
    CHECK(little.status == 2);
    CHECK(little.err.find("times the most allowed") != std::string::npos);
    for (const char* wrong : {"soon", "0", "-5", "1e30", "nan"}) {
        CAPTURE(wrong);
        const auto result = given(wrong);
        CHECK(result.status == 2);
        CHECK(isComplaint(result));
    }
    CHECK(runCommand("run shattering --set layers=3 --time 1").status == 0);
}

TEST_CASE("--memory is what a request may take") {
    const std::string request = "run moments --set samples=4096 --set width=512 --set layers=2 --set draws=1 --set net=vanilla";
    const auto refused = [&](const std::string& memory) { return runCommand(request + " --memory " + memory); };
    const auto small = refused("20M");
    CHECK(small.status == 2);
    CHECK(isComplaint(small));
    CHECK(small.err.find("of memory, and 21 MB is the most allowed") != std::string::npos);
    for (const char* wrong : {"lots", "-1G", "1.5G", "1e30"}) {
        CAPTURE(wrong);
        const auto result = refused(wrong);
        CHECK(result.status == 2);
        CHECK(isComplaint(result));
    }
}

}  // namespace
