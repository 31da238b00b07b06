#include <algorithm>
#include <utility>

#include "trace/csv.h"
#include "trace/trace.h"

namespace weir {

namespace {

using trace::Table;

constexpr std::int64_t kMicro = 1'000'000;
constexpr std::int64_t kLoadMax = 1'000'000 * kMicro;
constexpr TimeMs kCurveEndMax = std::int64_t{10} * 366 * kDay;
constexpr std::size_t kServicesMax = 256;

[[nodiscard]] DurationMs time_unit(std::string_view name) {
  if (name == "t_s") return kSecond;
  if (name == "t_ms") return 1;
  return name == "t_min" ? kMinute : 0;
}

// Which column holds the time; all others are services.
[[nodiscard]] int match_header(Table& table, LoadCurve& curve) {
  int time = -1;
  const std::vector<std::string>& header = table.header();
  for (int i = 0; i < static_cast<int>(header.size()); ++i) {
    const std::string& name = header[static_cast<std::size_t>(i)];
    const bool twice = std::find(curve.services.begin(), curve.services.end(), name) != curve.services.end();
    if (name.empty()) {
      table.header_problem(i, "a column without a name");
    } else if (time_unit(name) > 0 && time < 0) {
      time = i;
    } else if (twice || time_unit(name) > 0) {
      table.header_problem(i, "the column stands twice");
    } else {
      curve.services.push_back(name);
    }
  }
  if (time < 0) table.header_problem(-1, "no column t_s (or t_ms, t_min)");
  if (curve.services.empty()) table.header_problem(-1, "no column with the load of a service");
  if (curve.services.size() > kServicesMax) table.header_problem(-1, "more than 256 services");
  return time;
}

void read_row(Table& table, int time_column, LoadCurve& curve) {
  const std::string& text = table.field(time_column);
  const DurationMs unit = time_unit(table.header()[static_cast<std::size_t>(time_column)]);
  const auto start = trace::parse_decimal(text, unit, kCurveEndMax);
  if (!start) {
    table.problem(time_column, "expects a time of at most ten years, has " + trace::shown(text));
  } else if (curve.start_ms.empty() && *start != 0) {
    table.problem(time_column, "the first row stands for time 0, has " + trace::shown(text));
  } else if (!curve.start_ms.empty() && *start <= curve.start_ms.back()) {
    table.problem(time_column, "times have to rise, has " + trace::shown(text));
  }
  curve.start_ms.push_back(start.value_or(0));
  std::size_t service = 0;
  for (int i = 0; i < static_cast<int>(table.header().size()); ++i) {
    if (i == time_column) continue;
    const auto value = trace::parse_decimal(table.field(i), kMicro, kLoadMax);
    if (!value) table.problem(i, "expects a load from 0 to 1000000, has " + trace::shown(table.field(i)));
    curve.micro[service++].push_back(value.value_or(0));
  }
}

}  // namespace

ResultAll<LoadCurve> read_load(const std::string& path) {
  ResultAll<Table> table = Table::open(path);
  if (!table) return std::unexpected(std::move(table.error()));
  LoadCurve curve;
  const int time_column = match_header(*table, curve);
  if (!table->good()) return std::unexpected(table->take_problems());
  curve.micro.resize(curve.services.size());
  while (table->next()) read_row(*table, time_column, curve);
  if (table->good() && curve.start_ms.empty()) table->header_problem(-1, "no rows");
  if (!table->good()) return std::unexpected(table->take_problems());
  return curve;
}

}  // namespace weir
