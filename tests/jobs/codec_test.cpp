#include "jobs/codec.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/rng.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

using Bytes = std::vector<unsigned char>;

Request richRequest() {
    Request request;
    request.scene = "capacity-diffusion";
    request.params.set("flag", true);
    request.params.set("number", -0.0);
    request.params.set("text", std::string("κ\0x", 4));
    request.params.set("list", std::vector<double>{1, 1e308, 5e-324});
    request.params.set("empty", std::vector<double>{});
    request.network = std::make_shared<Attachment>(Attachment{"my net.onnx", {0, 255, 8, 7}});
    request.withNetwork = request.networkOnly = true;
    return request;
}

Report richReport() {
    Report report;
    report.scene = "shattering";
    report.params = richRequest().params;
    report.status = Status::Partial;
    report.message = "half way";
    report.warnings = {"", "taps was lowered."};
    report.summary = "Σ = 1";
    report.notes = {{"regions", "tanh has no straight pieces."}, {"", ""}};
    report.scalars = {{"drift", 0.25, "v", "about", 0.5, 30}, {"plain", std::nan(""), "", "", {}, 0}};
    Array array;
    array.name = "capacity";
    array.axes = {{"kind", {}, {"residual", "uniform"}}, {"layer", {0, 1, 2}, {}}};
    array.values = {1, 2, 3, 4, 5, std::numeric_limits<double>::infinity()};
    array.standardError = {0, 0, 0, 0, 0, 0.1};
    array.role = Role::Bound;
    array.mayBeUndefined = true;
    array.symbol = "κ";
    report.arrays = {array, Array{"empty", {{"layer", {}, {}}}, {}, "", "", Role::Theory, {}, false}};
    report.network = {{"dense", {2, 3}, {1, 2, 3, 4, 5, 6}, {0.5, -0.5}}};
    report.networkFile = {8, 0, 255};
    return report;
}

JobEvent richEvent() { return {JobEvent::What::Done, JobId{1} << 60, 0.75, richReport(), "words"}; }

TEST_CASE("a request comes back whole") {
    const Request request = richRequest(), back = decodeRequest(encodeRequest(request));
    CHECK(back.scene == request.scene);
    CHECK(back.params == request.params);
    CHECK(std::signbit(back.params.number("number")));
    CHECK(back.network->name == request.network->name);
    CHECK(back.network->bytes == request.network->bytes);
    CHECK(back.data == nullptr);
    CHECK(back.withNetwork);
    CHECK(back.networkOnly);
}

TEST_CASE("a report comes back whole, undefined numbers included") {
    const Report report = richReport(), back = decodeReport(encodeReport(report));
    CHECK(encodeReport(back) == encodeReport(report));
    CHECK(back.params == report.params);
    CHECK(back.scalar("drift")->standardError == 0.5);
    CHECK(!back.scalar("plain")->standardError);
    CHECK(std::isnan(back.scalar("plain")->value));
    const Array& array = *back.array("capacity");
    CHECK(array.axes[0].keys == report.arrays[0].axes[0].keys);
    CHECK(array.values == report.arrays[0].values);
    CHECK(array.role == Role::Bound);
    CHECK(array.mayBeUndefined);
    CHECK(back.network[0].shape == report.network[0].shape);
    CHECK(back.networkFile == report.networkFile);
}

TEST_CASE("numbers come back to the bit in whatever form they went, axes that only count and those that nearly do") {
    Report report;
    const double least = -2147483648.0, most = 2147483647.0;
    for (const std::vector<double>& values : {std::vector<double>{0, 1, 2, 3},
                                              {-0.0, 1, 2, 3},
                                              {0, 1, 2, 3.5},
                                              {1, 2, 3, 4},
                                              {0, 1, 2, 2},
                                              {least, most, 0, -1},
                                              {least - 1, 0, 0, 0},
                                              {0, most + 1, 0, 0},
                                              {std::nan(""), 0, 0, 0},
                                              {0, std::numeric_limits<double>::infinity(), 0, 0},
                                              {1e300, 5e-324, 0, 0}}) {
        Array array{"a", {{"i", values, {}}}, values, "", "", Role::Measurement, {}, false};
        report.arrays.push_back(array);
        array.axes.push_back({"j", {0, 1}, {}});
        array.values.insert(array.values.end(), values.begin(), values.end());
        report.arrays.push_back(std::move(array));
    }
    report.arrays.push_back({"none", {{"i", {0, 1, 2}, {}}, {"j", {}, {}}}, {}, "", "", Role::Measurement, {}, false});
    const Report back = decodeReport(encodeReport(report));
    const auto sameBits = [](const std::vector<double>& a, const std::vector<double>& b) {
        return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
    };
    REQUIRE(back.arrays.size() == report.arrays.size());
    for (std::size_t i = 0; i < back.arrays.size(); ++i) {
        CHECK(sameBits(back.arrays[i].values, report.arrays[i].values));
        for (std::size_t a = 0; a < back.arrays[i].axes.size(); ++a)
            CHECK(sameBits(back.arrays[i].axes[a].values, report.arrays[i].axes[a].values));
    }
}

TEST_CASE("indices and the axes along them take a quarter of what doubles would") {
    std::vector<double> indices(10000, 7);
    Report report;
    report.arrays.push_back({"corners", {{"corner", std::vector<double>(10000), {}}}, indices, "", "", Role::Measurement, {}, false});
    for (std::size_t i = 0; i < indices.size(); ++i) report.arrays[0].axes[0].values[i] = static_cast<double>(i);
    CHECK(encodeReport(report).size() < 4 * indices.size() + 200);
}

TEST_CASE("an event comes back whole, with a report only where one belongs") {
    const JobEvent back = decodeEvent(encodeEvent(richEvent()));
    CHECK(back.job == JobId{1} << 60);
    CHECK(back.progress == 0.75);
    CHECK(back.message == "words");
    CHECK(back.report.summary == "Σ = 1");
    REQUIRE(back.report.notes.size() == 2);
    CHECK(back.report.notes[0].part == "regions");
    CHECK(back.report.notes[0].text == "tanh has no straight pieces.");
    JobEvent failed{JobEvent::What::Failed, 3, 0.5, richReport(), "No."};
    CHECK(decodeEvent(encodeEvent(failed)).report.summary.empty());
    CHECK(decodeEvent(encodeEvent(failed)).message == "No.");
}

TEST_CASE("a report written piece by piece has the same bytes, and a long list of its numbers is not copied for them") {
    Report report = richReport();
    report.arrays.push_back({"long", {{"step", {}, {}}}, std::vector<double>(30000, 0.1), "", "", Role::Measurement, {}, false});
    for (std::size_t i = 0; i < 30000; ++i) report.arrays.back().axes[0].values.push_back(static_cast<double>(i) + 0.5);
    Bytes all;
    std::size_t pieces = 0;
    bool where = false;
    writeReport(report, report.params, [&](std::span<const unsigned char> piece) {
        all.insert(all.end(), piece.begin(), piece.end()), ++pieces;
        where |= static_cast<const void*>(piece.data()) == report.arrays.back().values.data();
    });
    CHECK(all == encodeReport(report));
    CHECK(pieces > 2);
    CHECK(where);
    Values others = report.params;
    others.set("layers", 3.0);
    all.clear();
    writeReport(report, others, [&](std::span<const unsigned char> piece) { all.insert(all.end(), piece.begin(), piece.end()); });
    CHECK(decodeReport(all).params == others);
}

TEST_CASE("an event is read once, from its first byte to its last, wherever its bytes lie") {
    const Bytes bytes = encodeEvent(richEvent());
    std::size_t read = 0;
    const auto next = [&](void* to, std::size_t size) {
        REQUIRE(read + size <= bytes.size());
        std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(read), size, static_cast<unsigned char*>(to));
        read += size;
    };
    const JobEvent back = decodeEvent(Stream(bytes.size(), next));
    CHECK(read == bytes.size());
    CHECK(encodeEvent(back) == bytes);
    read = 0;
    CHECK_THROWS_AS(decodeEvent(Stream(bytes.size() - 1, next)), InputError);
    CHECK(read < bytes.size());
}

/// Decoding either works or refuses in a sentence; anything else (a crash, another exception) fails the test.
template <typename Decode>
bool refused(Decode decode, const Bytes& bytes) {
    const std::string sentence = refusal([&] { decode(bytes); });
    return isOneSentence(sentence);
}

template <typename Decode>
void checkDamage(Decode decode, const Bytes& whole) {
    REQUIRE(!refused(decode, whole));
    for (std::size_t length = 0; length < whole.size(); ++length)
        REQUIRE(refused(decode, Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length))));
    Bytes longer = whole;
    longer.push_back(0);
    CHECK(refused(decode, longer));
    Rng rng(5, Purpose::Data);
    int survived = 0;
    for (int i = 0; i < 20000; ++i) {
        Bytes damaged = whole;
        for (auto flips = 1 + rng.below(4); flips > 0; --flips)
            damaged[rng.below(damaged.size())] = static_cast<unsigned char>(rng.below(256));
        survived += !refused(decode, damaged);
    }
    CHECK(survived < 20000);
    // A length of 4 GB anywhere is refused before anything of that size is allocated.
    for (std::size_t i = 0; i + 4 <= whole.size(); ++i) {
        Bytes damaged = whole;
        for (std::size_t k = 0; k < 4; ++k) damaged[i + k] = 0xff;
        refused(decode, damaged);
    }
}

TEST_CASE("a damaged message of any kind is refused or read, never more") {
    checkDamage([](const Bytes& bytes) { decodeRequest(bytes); }, encodeRequest(richRequest()));
    checkDamage([](const Bytes& bytes) { decodeReport(bytes); }, encodeReport(richReport()));
    checkDamage([](const Bytes& bytes) { decodeEvent(bytes); }, encodeEvent(richEvent()));
}

TEST_CASE("messages are not mistaken for each other, nor for those of another version") {
    CHECK(refused([](const Bytes& bytes) { decodeReport(bytes); }, encodeRequest(richRequest())));
    CHECK(refused([](const Bytes& bytes) { decodeEvent(bytes); }, encodeReport(richReport())));
    Bytes other = encodeReport(richReport());
    other[0] ^= 0x40;
    CHECK(refused([](const Bytes& bytes) { decodeReport(bytes); }, other));
}

TEST_CASE("an array whose axes do not span its numbers is refused") {
    Report report = richReport();
    report.arrays[0].axes[1].values.push_back(3);
    CHECK(refused([](const Bytes& bytes) { decodeReport(bytes); }, encodeReport(report)));
    report = richReport();
    report.arrays[0].standardError.pop_back();
    CHECK(refused([](const Bytes& bytes) { decodeReport(bytes); }, encodeReport(report)));
}

}  // namespace
