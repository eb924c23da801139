#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kappaflow {

/// JSON text, written from front to back: names and values in the order of the calls, commas and line breaks by itself. What is
/// opened must be closed, and in an object every value has its name before it.
class JsonText {
public:
    /// Indented by two blanks a level, or on one line.
    explicit JsonText(bool indented) : indented_(indented) {}

    JsonText& open(char bracket);
    JsonText& close(char bracket);
    JsonText& name(std::string_view);

    JsonText& text(std::string_view);  ///< invalid UTF-8 becomes U+FFFD
    /// Reads back as the same double; whole numbers without ".0"; null when it is not finite.
    JsonText& number(double);
    JsonText& flag(bool);
    JsonText& numbers(const std::vector<double>&);
    JsonText& texts(const std::vector<std::string>&);

    /// A named value.
    JsonText& text(std::string_view key, std::string_view value) { return name(key).text(value); }
    JsonText& number(std::string_view key, double value) { return name(key).number(value); }

    /// Ends with a line break.
    std::string take() &&;

private:
    void separate();
    void breakLine();

    std::string text_;
    std::size_t depth_ = 0;
    bool indented_, first_ = true, named_ = false;
};

}  // namespace kappaflow
