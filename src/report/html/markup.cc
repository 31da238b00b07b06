#include "report/html/markup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace weir::report::html {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Length of the valid UTF-8 sequence at the start of `text`; 0 if there is none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto lead = byte(0);
  std::size_t length = 0;
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) length = 2;
  if (lead >= 0xE0 && lead <= 0xEF) length = 3;
  if (lead >= 0xF0 && lead <= 0xF4) length = 4;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  const auto second = byte(1);
  if (lead == 0xE0 && second < 0xA0) return 0;  // overlong
  if (lead == 0xED && second > 0x9F) return 0;  // surrogate
  if (lead == 0xF0 && second < 0x90) return 0;  // overlong
  if (lead == 0xF4 && second > 0x8F) return 0;  // past the last code point
  return length;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto length = sequence_length(text);
    const char c = text.front();
    const bool control = length == 1 && (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) && c != '\n' && c != '\t';
    if (length == 0 || control)
      out += kReplacement;
    else if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#39;";
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string element(std::string_view name, std::string_view css, std::string_view text) {
  if (css.empty()) return fmt::format("<{0}>{1}</{0}>", name, escaped(text));
  return fmt::format("<{0} class=\"{1}\">{2}</{0}>", name, escaped(css), escaped(text));
}

std::string unbroken(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == ' ')
      out += "\xC2\xA0";
    else
      out += c;
  }
  return out;
}

std::string percent(double share) {
  const double finite = std::isfinite(share) ? share : 0;
  return fmt::format("{:.2f}%", std::clamp(finite * 100, 0.0, 100.0));
}

}  // namespace weir::report::html
