#include "trace/csv.h"

#include <algorithm>
#include <utility>

#include "trace/trace.h"

namespace weir::trace {

namespace {

__extension__ typedef __int128 Wide;

[[nodiscard]] bool blank(char c) { return c == ' ' || c == '\t'; }

[[nodiscard]] std::string trimmed(std::string_view text) {
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return std::string(text);
}

// Reads a quoted field that begins at `at`; leaves `at` behind the closing quote.
[[nodiscard]] std::optional<std::string> quoted_field(std::string_view line, std::size_t& at) {
  std::string field;
  for (++at; at < line.size(); ++at) {
    if (line[at] != '"') {
      field += line[at];
    } else if (at + 1 < line.size() && line[at + 1] == '"') {
      field += line[at++];
    } else {
      ++at;
      return field;
    }
  }
  return std::nullopt;
}

// Number of single changes between two words, as far as it is below `limit`.
[[nodiscard]] std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({change, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row.back();
}

}  // namespace

Result<Fields> split_fields(std::string_view line) {
  Fields fields;
  std::size_t at = 0;
  while (true) {
    while (at < line.size() && blank(line[at])) ++at;
    fields.column.push_back(static_cast<int>(at) + 1);
    if (at < line.size() && line[at] == '"') {
      std::optional<std::string> field = quoted_field(line, at);
      if (!field) {
        Error error{.message = "a quote is not closed", .file = {}, .column = fields.column.back(), .key = {}};
        return std::unexpected(std::move(error));
      }
      fields.text.push_back(std::move(*field));
      at = std::min(line.find(',', at), line.size());
    } else {
      const std::size_t end = std::min(line.find(',', at), line.size());
      fields.text.push_back(trimmed(line.substr(at, end - at)));
      at = end;
    }
    if (at >= line.size()) return fields;
    ++at;  // the comma
  }
}

std::optional<std::int64_t> parse_decimal(std::string_view text, std::int64_t unit, std::int64_t max) {
  Wide whole = 0;
  Wide scale = 1;
  bool point = false;
  bool digit = false;
  for (const char c : text) {
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (c < '0' || c > '9') return std::nullopt;
    digit = true;
    constexpr Wide kDigitsMax = 1'000'000'000'000'000'000;  // further digits cannot matter
    if (point && scale >= kDigitsMax / 1000) continue;
    if (whole > kDigitsMax) return std::nullopt;
    whole = whole * 10 + (c - '0');
    if (point) scale *= 10;
  }
  if (!digit) return std::nullopt;
  const Wide value = (whole * unit + scale / 2) / scale;
  if (value > max) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& known) {
  constexpr std::size_t kWordMax = 64;
  std::string_view best;
  std::size_t best_distance = kWordMax;
  for (const std::string_view candidate : known) {
    const std::size_t d = distance(word.substr(0, kWordMax), candidate);
    if (d < best_distance) {
      best = candidate;
      best_distance = d;
    }
  }
  return best_distance <= std::max<std::size_t>(2, word.size() / 3) ? best : std::string_view{};
}

std::string shown(std::string_view text) {
  constexpr std::size_t kShownMax = 40;
  std::string out = "\"";
  for (const char c : text.substr(0, kShownMax)) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  return out + (text.size() > kShownMax ? "...\"" : "\"");
}

ResultAll<Table> Table::open(const std::string& path) {
  Result<LineReader> reader = LineReader::open(path);
  if (!reader) return std::unexpected(std::vector<Error>{reader.error()});
  Table table(path, std::move(*reader));
  const auto line = table.reader_.next();
  if (!line) return std::unexpected(std::vector<Error>{line.error()});
  if (!*line) {
    table.add(ErrorCode::bad_input, 0, {}, "the file is empty; a header with the names of the columns is expected");
    return std::unexpected(table.take_problems());
  }
  Result<Fields> header = split_fields(**line);
  if (!header) {
    table.add(ErrorCode::bad_input, header.error().column, {}, header.error().message);
    return std::unexpected(table.take_problems());
  }
  table.header_ = std::move(*header);
  return table;
}

bool Table::next() {
  while (problems_.size() < kProblemsMax) {
    const auto line = reader_.next();
    if (!line) {
      problems_.push_back(line.error());
      return false;
    }
    if (!*line) return false;
    if ((*line)->empty()) continue;
    if (++rows_ > kTraceRowsMax) {
      add(ErrorCode::too_large, 0, {}, "more than 5,000,000 rows");
      return false;
    }
    Result<Fields> fields = split_fields(**line);
    if (!fields) {
      add(ErrorCode::bad_input, fields.error().column, {}, fields.error().message);
      continue;
    }
    if (fields->text.size() != header_.text.size()) {
      add(ErrorCode::bad_input, 0, {},
          "has " + std::to_string(fields->text.size()) + " fields, the header has " +
              std::to_string(header_.text.size()));
      continue;
    }
    fields_ = std::move(*fields);
    return true;
  }
  return false;
}

void Table::add(ErrorCode code, int column, std::string key, std::string message) {
  problems_.push_back(Error{.code = code,
                            .message = std::move(message),
                            .file = path_,
                            .line = std::max(1, reader_.line()),
                            .column = column,
                            .key = std::move(key)});
}

void Table::header_problem(int index, std::string message) {
  const auto i = static_cast<std::size_t>(index);
  add(ErrorCode::bad_input, index < 0 ? 0 : header_.column[i], index < 0 ? std::string{} : header_.text[i],
      std::move(message));
}

void Table::problem(int index, std::string message) {
  const auto i = static_cast<std::size_t>(index);
  add(ErrorCode::bad_input, fields_.column[i], header_.text[i], std::move(message));
}

}  // namespace weir::trace
