#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "trace/csv.h"
#include "trace/trace.h"

namespace weir {

namespace {

using trace::shown;
using trace::Table;

constexpr std::int64_t kTimeMax = std::int64_t{10'000} * 366 * kDay;  // the year 10,000
constexpr DurationMs kDurationMax = std::int64_t{10} * 366 * kDay;
constexpr std::int64_t kGpusMax = 100'000;

struct Unit {
  std::string_view suffix;
  DurationMs ms;  // 0 = a date and time in UTC
};
constexpr std::array<Unit, 6> kUnits{
    {{"_ms", 1}, {"_s", kSecond}, {"_min", kMinute}, {"_h", kHour}, {"_d", kDay}, {"_utc", 0}}};

// A column of the file and the unit that its name declares.
struct Column {
  int index = -1;
  DurationMs unit_ms = 0;
  [[nodiscard]] bool given() const { return index >= 0; }
};

struct Columns {
  Column name, submit, duration, gpus, team, tier, deadline, ckpt;
};

struct Known {
  std::string_view stem;
  Column Columns::* column;
  bool time = false;  // the name carries a unit
  bool date = false;  // the unit may be _utc
};
constexpr std::array<Known, 9> kKnown{{{"job_id", &Columns::name},
                                       {"submit", &Columns::submit, true, true},
                                       {"duration", &Columns::duration, true},
                                       {"gpus", &Columns::gpus},
                                       {"team", &Columns::team},
                                       {"vc", &Columns::team},
                                       {"tier", &Columns::tier},
                                       {"deadline", &Columns::deadline, true, true},
                                       {"ckpt", &Columns::ckpt, true}}};

// Columns that say something a whole-card simulation does not use.
[[nodiscard]] bool is_ignored(std::string_view name) { return name == "frac_milli" || name.starts_with("x_"); }

[[nodiscard]] std::vector<std::string_view> names_to_suggest() {
  return {"job_id",       "submit_s",    "submit_ms",    "submit_min",  "submit_h",     "submit_utc",
          "duration_s",   "duration_ms", "duration_min", "duration_h",  "gpus",         "team",
          "vc",           "tier",        "deadline_s",   "deadline_ms", "deadline_min", "deadline_h",
          "deadline_utc", "ckpt_s",      "ckpt_ms",      "ckpt_min",    "ckpt_h",       "frac_milli"};
}

[[nodiscard]] std::optional<std::pair<const Known*, DurationMs>> recognise(std::string_view name) {
  for (const Known& known : kKnown) {
    if (!known.time && name == known.stem) return std::pair{&known, DurationMs{0}};
    if (!known.time || !name.starts_with(known.stem)) continue;
    for (const Unit& unit : kUnits) {
      if (name.substr(known.stem.size()) == unit.suffix && (unit.ms > 0 || known.date))
        return std::pair{&known, unit.ms};
    }
  }
  return std::nullopt;
}

void match_column(Table& table, int index, Columns& columns) {
  const std::string& name = table.header()[static_cast<std::size_t>(index)];
  if (is_ignored(name)) return;
  const auto found = recognise(name);
  if (!found) {
    const std::string_view near = trace::nearest(name, names_to_suggest());
    const std::string hint =
        near.empty() ? "; a name that begins with x_ is left alone" : "; nearest is " + std::string(near);
    table.header_problem(index, "unknown column" + hint);
    return;
  }
  Column& column = columns.*(found->first->column);
  if (column.given()) {
    table.header_problem(index, "the column stands twice");
    return;
  }
  column = {index, found->second};
}

[[nodiscard]] Columns match_columns(Table& table) {
  Columns columns;
  for (int i = 0; i < static_cast<int>(table.header().size()); ++i) match_column(table, i, columns);
  if (!columns.submit.given()) table.header_problem(-1, "no column submit_s (or submit_ms, _min, _h, _utc)");
  if (!columns.duration.given()) table.header_problem(-1, "no column duration_s (or duration_ms, _min, _h)");
  if (!columns.gpus.given()) table.header_problem(-1, "no column gpus");
  return columns;
}

// "2017-10-30T04:29:40Z", with a space instead of T, or without Z.
[[nodiscard]] std::optional<TimeMs> parse_utc(std::string_view text) {
  if (text.ends_with('Z')) text.remove_suffix(1);
  static constexpr std::string_view kPattern = "dddd-dd-dd dd:dd:dd";
  if (text.size() != kPattern.size()) return std::nullopt;
  std::array<int, 6> part{};
  std::size_t current = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char want = kPattern[i];
    if (want == 'd') {
      if (text[i] < '0' || text[i] > '9') return std::nullopt;
      part[current] = part[current] * 10 + (text[i] - '0');
    } else {
      if (text[i] != want && !(want == ' ' && text[i] == 'T')) return std::nullopt;
      ++current;
    }
  }
  const std::chrono::year_month_day date{std::chrono::year(part[0]), std::chrono::month(static_cast<unsigned>(part[1])),
                                         std::chrono::day(static_cast<unsigned>(part[2]))};
  if (!date.ok() || part[3] > 23 || part[4] > 59 || part[5] > 59) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  const TimeMs at = days * kDay + part[3] * kHour + part[4] * kMinute + part[5] * kSecond;
  return at >= 0 ? std::optional(at) : std::nullopt;
}

[[nodiscard]] std::int64_t read_time(Table& table, const Column& column, std::int64_t max) {
  const std::string& text = table.field(column.index);
  const auto value = column.unit_ms > 0 ? trace::parse_decimal(text, column.unit_ms, max) : parse_utc(text);
  if (value) return *value;
  table.problem(column.index, column.unit_ms > 0
                                  ? "expects a number of at most ten years or the year 10000, has " + shown(text)
                                  : "expects YYYY-MM-DDTHH:MM:SSZ, has " + shown(text));
  return 0;
}

[[nodiscard]] std::int64_t read_whole(Table& table, const Column& column, std::int64_t min, std::int64_t max) {
  const std::string& text = table.field(column.index);
  const auto value = text.find('.') == std::string::npos ? trace::parse_decimal(text, 1, max) : std::nullopt;
  if (value && *value >= min) return *value;
  table.problem(column.index, "expects a whole number from " + std::to_string(min) + " to " + std::to_string(max) +
                                  ", has " + shown(text));
  return min;
}

[[nodiscard]] TraceJob read_row(Table& table, const Columns& columns, std::size_t number) {
  TraceJob job;
  job.name = columns.name.given() ? table.field(columns.name.index) : std::to_string(number);
  job.submit_ms = read_time(table, columns.submit, kTimeMax);
  job.duration_ms = read_time(table, columns.duration, kDurationMax);
  job.gpus = static_cast<std::int32_t>(read_whole(table, columns.gpus, 1, kGpusMax));
  if (columns.team.given()) job.team = table.field(columns.team.index);
  if (columns.tier.given() && !table.field(columns.tier.index).empty()) {
    job.tier = static_cast<std::int32_t>(read_whole(table, columns.tier, 1, 3));
  }
  if (columns.deadline.given() && !table.field(columns.deadline.index).empty()) {
    job.deadline_ms = read_time(table, columns.deadline, kTimeMax);
  }
  if (columns.ckpt.given() && !table.field(columns.ckpt.index).empty()) {
    job.ckpt_ms = table.field(columns.ckpt.index) == "none" ? 0 : read_time(table, columns.ckpt, kDurationMax);
  }
  return job;
}

// Whole days before the first job are of no interest; the time of day is.
void take_off_origin(TraceJobs& trace) {
  if (trace.jobs.empty()) return;
  trace.origin_ms = trace.jobs.front().submit_ms / kDay * kDay;
  for (TraceJob& job : trace.jobs) {
    job.submit_ms -= trace.origin_ms;
    if (job.deadline_ms != kNever) job.deadline_ms = std::max<TimeMs>(0, job.deadline_ms - trace.origin_ms);
  }
}

}  // namespace

ResultAll<TraceJobs> read_jobs(const std::string& path) {
  ResultAll<Table> table = Table::open(path);
  if (!table) return std::unexpected(std::move(table.error()));
  const Columns columns = match_columns(*table);
  if (!table->good()) return std::unexpected(table->take_problems());

  TraceJobs trace;
  while (table->next()) {
    const std::size_t before = table->problems();
    TraceJob job = read_row(*table, columns, trace.jobs.size());
    if (table->problems() == before) trace.jobs.push_back(std::move(job));
  }
  if (!table->good()) return std::unexpected(table->take_problems());
  std::stable_sort(trace.jobs.begin(), trace.jobs.end(),
                   [](const TraceJob& a, const TraceJob& b) { return a.submit_ms < b.submit_ms; });
  take_off_origin(trace);
  if (!trace.jobs.empty() && trace.jobs.back().submit_ms > kDurationMax) {
    const TraceJob& last = trace.jobs.back();
    const DurationMs days = last.submit_ms / kDay;
    return std::unexpected(std::vector<Error>{
        {.code = ErrorCode::too_large,
         .message = "the submissions span " + std::to_string(days) + " days, up to job " + shown(last.name) +
                    "; at most ten years can be played. A wrong unit in submit_s?",
         .file = path,
         .key = "submit"}});
  }
  return trace;
}

}  // namespace weir
