// Readers for recorded workloads: lists of training jobs and curves of inference
// load, as CSV, plain or gzip. docs/reference/job-csv.md describes the columns.
//
// Bad rows are errors with file, line and column; all of a file at once, up to
// kProblemsMax. Lines, rows and files are bounded. Nothing here throws.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace weir {

// One recorded job. Times count from the trace's zero.
struct TraceJob {
  std::string name;  // job_id; the row's number when the file has none
  TimeMs submit_ms = 0;
  DurationMs duration_ms = 0;  // useful work, at the speed it was recorded at
  std::int32_t gpus = 0;
  std::string team;       // team, or vc
  std::int32_t tier = 2;  // 1 has a deadline, 2 normal, 3 best effort
  TimeMs deadline_ms = kNever;
  DurationMs ckpt_ms = -1;  // checkpoint interval; 0 = none, -1 = the file does not say
};

struct TraceJobs {
  std::vector<TraceJob> jobs;  // by submission, ties as in the file
  TimeMs origin_ms = 0;        // what was taken off every time of the file: whole days before its first job
};

// Work that arrives at each service, as a step function: value[i] holds from
// start[i] to start[i + 1], the last one to the end of the day after it.
struct LoadCurve {
  std::vector<std::string> services;             // names of the columns
  std::vector<TimeMs> start_ms;                  // rising, the first one 0
  std::vector<std::vector<std::int64_t>> micro;  // [service][i], in millionths of the file's unit
};

inline constexpr std::size_t kProblemsMax = 50;
inline constexpr std::int64_t kTraceRowsMax = 5'000'000;

[[nodiscard]] ResultAll<TraceJobs> read_jobs(const std::string& path);
[[nodiscard]] ResultAll<LoadCurve> read_load(const std::string& path);

}  // namespace weir
