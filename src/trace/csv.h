// Rows of a CSV table with a header, columns found by name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "trace/line_reader.h"

namespace weir::trace {

// Fields of one line. A field may stand in double quotes, "" inside is one
// quote; fields do not hold line ends. Error: a quote that is not closed.
struct Fields {
  std::vector<std::string> text;
  std::vector<int> column;  // where each begins, from 1
};
[[nodiscard]] Result<Fields> split_fields(std::string_view line);

// A decimal number (no sign, no exponent) times `unit`, rounded to the nearest
// whole; nothing when it is none or above `max`.
[[nodiscard]] std::optional<std::int64_t> parse_decimal(std::string_view text, std::int64_t unit, std::int64_t max);

// The nearest of `known` when it is near enough to be meant, else empty.
[[nodiscard]] std::string_view nearest(std::string_view word, const std::vector<std::string_view>& known);

// Text of a file made fit for a message: quoted, cut, control characters replaced.
[[nodiscard]] std::string shown(std::string_view text);

// A table being read. Problems are collected; `row` skips rows that have one.
class Table {
 public:
  [[nodiscard]] static ResultAll<Table> open(const std::string& path);

  [[nodiscard]] const std::vector<std::string>& header() const { return header_.text; }
  // The next row with as many fields as the header; false at the end or when
  // there are too many problems.
  [[nodiscard]] bool next();
  [[nodiscard]] const std::string& field(int index) const { return fields_.text[static_cast<std::size_t>(index)]; }

  void header_problem(int index, std::string message);  // about a column; -1 = about the header
  void problem(int index, std::string message);         // about a field of this row
  [[nodiscard]] std::vector<Error> take_problems() { return std::move(problems_); }
  [[nodiscard]] bool good() const { return problems_.empty(); }
  [[nodiscard]] std::size_t problems() const { return problems_.size(); }

 private:
  Table(std::string path, LineReader reader) : path_(std::move(path)), reader_(std::move(reader)) {}
  void add(ErrorCode code, int column, std::string key, std::string message);

  std::string path_;
  LineReader reader_;
  Fields header_;
  Fields fields_;
  std::int64_t rows_ = 0;
  std::vector<Error> problems_;
};

}  // namespace weir::trace
