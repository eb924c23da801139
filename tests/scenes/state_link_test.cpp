#include <doctest/doctest.h>

#include <numeric>

#include "support/complete_set.h"
#include "support/random_states.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

using Warnings = std::vector<std::string>;

State parsed(std::string_view link) {
    Warnings warnings;
    const State state = parseLink(link, warnings);
    CHECK_MESSAGE(warnings.empty(), link);
    return state;
}

TEST_CASE("a link says only what differs from the defaults") {
    State state = initialState("shattering");
    CHECK(formatLink(state) == "v=1&scene=shattering");
    state.params.set("layers", 80.0);
    state.params.set("play", false);
    state.zooms["a b"] = {0, 1, 0.5, 2};
    CHECK(formatLink(state) == "v=1&scene=shattering&layers=80&play=false&zoom.a%20b=0,1,0.5,2");
}

TEST_CASE("any state comes back from its link, bit for bit") {
    Rng rng(11, Purpose::Data);
    const int states = completeSet() ? 300 : 12;
    for (const auto& declaration : declarations()) {
        int whole = 0;
        for (int i = 0; i < states; ++i) {
            const State state = randomState(declaration, rng);
            const std::string link = formatLink(state);
            REQUIRE(link.size() <= kMaxLinkLength);
            // Only many numbers may make a link give something up.
            CAPTURE(link);
            std::size_t numbers = 0;
            for (const auto& param : declaration.params)
                if (param.kind == Kind::Profile || param.kind == Kind::List) numbers += state.params.list(param.key).size();
            if (numbers > 60) continue;
            ++whole;
            REQUIRE(parsed(link) == state);
            if (i % 10 != 0) continue;  // reading is the same behind an address
            REQUIRE(parsed("https://example.org/a/?ui=figure#" + link) == state);
            REQUIRE(parsed("?" + link) == state);
            REQUIRE(parsed("#" + link) == state);
        }
        CHECK(whole > states / 6);
    }
}

TEST_CASE("a link holds printable ASCII without what ends a link in mail") {
    Rng rng(12, Purpose::Data);
    for (int i = 0; i < 100; ++i)
        for (char c : formatLink(randomState(declarations().front(), rng)))
            REQUIRE((std::isalnum(static_cast<unsigned char>(c)) || std::string_view("-._~,/:%&=").find(c) != std::string_view::npos));
}

TEST_CASE("percent signs, plus signs and UTF-8 are read as browsers read them") {
    const auto pairs = linkPairs("http://x/?a=1+2&b=%41%e2%88%9A&c=100%&d=%4&e=%zz&&=x&f&g==#h=%2B");
    const std::vector<std::pair<std::string, std::string>> expected{{"a", "1 2"}, {"b", "A√"}, {"c", "100%"}, {"d", "%4"}, {"e", "%zz"},
                                                                    {"", "x"},    {"f", ""},   {"g", "="},    {"h", "+"}};
    CHECK(pairs == expected);
    CHECK(linkPairs("http://localhost:8000/").empty());
    CHECK(linkPairs("").empty());
}

TEST_CASE("the fragment goes on top of the query") {
    CHECK(parsed("?scene=shattering&layers=80&taps=5#layers=90").params.integer("taps") == 5);
    CHECK(parsed("?scene=shattering&layers=80&taps=5#layers=90").params.integer("layers") == 90);
    CHECK(parsed("?layers=80&scene=shattering").params.integer("layers") == 80);
}

TEST_CASE("a fragment with a version is a whole state: what it leaves out is at its default") {
    const State state = parsed("?scene=shattering&layers=80&ui=lesson#v=1&scene=shattering&taps=5");
    CHECK(state.params.at("layers") == initialState("shattering").params.at("layers"));
    CHECK(state.params.integer("taps") == 5);
    CHECK(parsed("?scene=shattering#v=1&taps=5").scene == "shattering");
}

TEST_CASE("a query about another scene than the fragment's is left aside") {
    const State state = parsed("?scene=shattering&layers=80#scene=capacity-diffusion&taps=5");
    CHECK(state.scene == "capacity-diffusion");
    CHECK(state.params.at("layers") == initialState("capacity-diffusion").params.at("layers"));
}

TEST_CASE("of a key that a link repeats the last value counts, and a sentence says so") {
    Warnings warnings;
    CHECK(parseLink("scene=shattering&layers=80&layers=70&layers=60&taps=5", warnings).params.integer("layers") == 60);
    CHECK(warnings == Warnings{"The link says \"layers\" more than once; the last value counts."});
    warnings.clear();
    parseLink("?scene=shattering&layers=80#layers=70", warnings);
    CHECK(warnings.empty());
}

TEST_CASE("the caller's scene counts when the link names none") {
    Warnings warnings;
    CHECK(parseLink("layers=80", warnings, "shattering").params.integer("layers") == 80);
    CHECK(parseLink("layers=80", warnings, "shattering").scene == "shattering");
    CHECK(parseLink("scene=capacity-diffusion", warnings, "shattering").scene == "capacity-diffusion");
    CHECK(warnings.empty());
}

TEST_CASE("each thing a link gets wrong costs one sentence and nothing else") {
    Warnings warnings;
    const State state = parseLink(
        "v=2&scene=shattering&layer=3&layers=many&taps=4&epsilon=7&zoom.p=1,2&zoom.q=1,2,3,x&zoom.r=1,2,3,4,5&theme=dark", warnings);
    CHECK(warnings.size() == 8);
    for (const auto& warning : warnings) CHECK_MESSAGE(isOneSentence(warning), warning);
    State expected = initialState("shattering");
    expected.params.set("epsilon", 1.0);
    CHECK(state == expected);
    warnings.clear();
    CHECK(parseLink("scene=nowhere", warnings) == initialState(declarations().front().id));
    CHECK(warnings.size() == 1);
}

TEST_CASE(
    "a link without a word opens the first scene as the list does; one that names a scene, its params or a version, at its defaults") {
    Warnings warnings;
    const std::string first = declarations().front().id;
    REQUIRE(openingState(first) != initialState(first));
    for (const char* link : {"", "?", "#", "theme=dark&ui=lesson"}) CHECK(parseLink(link, warnings) == openingState(first));
    for (const std::string& link : {std::string("v=1"), "scene=" + first, std::string("play=true"), std::string("#v=1")})
        CHECK(parseLink(link, warnings) == initialState(first));
    CHECK(parseLink("", warnings, "shattering") == initialState("shattering"));
    State state = initialState("shattering");
    state = apply(state, Change::scene(first), warnings);
    CHECK(state == openingState(first));
    state = apply(apply(state, Change::param("layers", 7.0), warnings), Change::reset(), warnings);
    CHECK(state == openingState(first));
    for (const auto& declaration : declarations()) {
        CHECK(openingState(declaration.id) == apply(initialState(declaration.id), Change::preset(declaration.opening), warnings));
        CHECK(parseLink(formatLink(openingState(declaration.id)), warnings) == openingState(declaration.id));
    }
}

TEST_CASE("settings of the page are no params, and a link of nothing else that is unknown says so") {
    CHECK(formatLink(parsed("?scene=shattering&ui=lesson&theme=dark&hide=layers,examples&lock=seed")) == "v=1&scene=shattering");
    Warnings warnings;
    CHECK(parseLink("?colour=red", warnings) == openingState(declarations().front().id));
    CHECK(warnings.size() == 1);
}

TEST_CASE("junk of any kind gives a state and never throws") {
    Rng rng(13, Purpose::Data);
    const std::string alphabet = "&&==%%##??,,+zoom.scene=v=1layers0123456789-ek\xCE\xBA\xFF";
    const int links = completeSet() ? 3000 : 400;
    for (int i = 0; i < links; ++i) {
        std::string link;
        for (auto left = rng.below(60); left > 0; --left)
            link += rng.below(4) == 0 ? static_cast<char>(rng.below(256)) : alphabet[rng.below(alphabet.size())];
        Warnings warnings;
        const State state = parseLink(link, warnings);
        REQUIRE(findDeclaration(state.scene) != nullptr);
        REQUIRE(formatLink(state).size() <= kMaxLinkLength);
    }
    Warnings warnings;
    const State state = parseLink(std::string(10u << 20, '&') + "layers=3", warnings);
    CHECK(state == openingState(declarations().front().id));
    CHECK(warnings.size() == 1);
}

TEST_CASE("a painted profile that is too long keeps its shape and its mass in a shorter link") {
    const auto& declaration = *findDeclaration("capacity-diffusion");
    const Param* param = declaration.param("profile");
    REQUIRE(param);
    State state = initialState(declaration.id);
    std::vector<double> painted(static_cast<std::size_t>(param->maxLength));
    for (std::size_t i = 0; i < painted.size(); ++i)
        painted[i] = 1 + std::sin(0.03 * static_cast<double>(i)) + 1e-13 * static_cast<double>(i);
    state.params.set("profile", painted);
    state.params.set("top", std::string("painted"));
    const std::string link = formatLink(state);
    CHECK(link.size() <= kMaxLinkLength);
    const State back = parsed(link);
    CHECK(back.params.is("top", "painted"));
    const auto& shorter = back.params.list("profile");
    REQUIRE(shorter.size() > 200);
    double worst = 0;
    for (std::size_t i = 0; i < shorter.size(); ++i) {
        const double at = (static_cast<double>(i) + 0.5) * static_cast<double>(painted.size()) / static_cast<double>(shorter.size());
        worst = std::max(worst, std::abs(shorter[i] - painted[static_cast<std::size_t>(at)]));
    }
    CHECK(worst < 0.04);
    const auto mean = [](const std::vector<double>& v) { return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size()); };
    CHECK(mean(shorter) == doctest::Approx(mean(painted)).epsilon(2e-3));
    CHECK(formatLink(back) == link);
}

TEST_CASE("zooms give way before params do") {
    State state = initialState("shattering");
    state.params.set("layers", 80.0);
    for (std::size_t i = 0; i < kMaxZooms; ++i)
        state.zooms[std::string(kMaxPlotId - 2, 'p') + std::to_string(10 + i)] = {1.0 / 3, 2.0 / 3, 1.0 / 7, 2.0 / 7};
    CHECK(formatLink(state) == "v=1&scene=shattering&layers=80");
}

}  // namespace
