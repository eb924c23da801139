#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#define STBI_NO_STDIO
#include <doctest/doctest.h>
#include <stb/stb_image.h>

#include <memory>
#include <string>

#include "draw/random.h"
#include "draw/svg_text.h"
#include "support/svg.h"

using namespace kappaflow;

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes bytesOf(std::string_view text) { return {text.begin(), text.end()}; }

}  // namespace

TEST_CASE("a PNG gives back its pixels' colours, whatever its size") {
    Random random(8);
    for (const auto& [rows, cols] : {std::pair{1, 1}, {3, 5}, {1, 65534}, {7, 4099}, {300, 513}}) {
        PaletteImage image{static_cast<std::size_t>(rows), static_cast<std::size_t>(cols), {}, {}};
        for (int i = 0; i < 200; ++i) image.palette.push_back({i / 255.0f, 1 - i / 255.0f, 0.5f, i / 255.0f});
        for (int i = 0; i < rows * cols; ++i) image.pixels.push_back(static_cast<std::uint8_t>(200 * random.uniform()));
        const Bytes file = pngOf(image);
        CHECK(Bytes(file.begin(), file.begin() + 8) == bytesOf("\x89PNG\r\n\x1a\n"));
        int width = 0, height = 0, channels = 0;
        const std::unique_ptr<unsigned char, void (*)(void*)> pixels(
            stbi_load_from_memory(file.data(), static_cast<int>(file.size()), &width, &height, &channels, 4), stbi_image_free);
        REQUIRE(pixels);
        REQUIRE(width == cols);
        REQUIRE(height == rows);
        CHECK(channels == 4);
        bool same = true;
        for (std::size_t i = 0; i < image.pixels.size(); ++i) {
            const int k = image.pixels[i];
            const unsigned char* p = pixels.get() + 4 * i;
            same = same && p[0] == k && p[1] == 255 - k && p[2] == 128 && p[3] == k;
        }
        CHECK(same);
    }
}

TEST_CASE("base64 is that of RFC 4648") {
    const std::pair<const char*, const char*> known[] = {
        {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}};
    for (const auto& [plain, coded] : known) CHECK(base64(bytesOf(plain)) == coded);
    Bytes all;
    for (int i = 0; i < 256; ++i) all.push_back(static_cast<std::uint8_t>(i));
    CHECK(fromBase64(base64(all)) == all);
}
