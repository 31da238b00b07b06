// The comparison as rows: what the terminal table and the page both show, in
// one order, with one wording.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/format.h"
#include "report/report.h"

namespace weir::report {

enum class Better { higher, lower, neither };

struct ComparisonRow {
  std::string label;
  Quantity kind = Quantity::share;
  Better better = Better::neither;
  std::vector<std::optional<double>> values;  // one per policy
  std::optional<double> bound;                // nothing can be better than this
  std::string help;                           // what exactly is counted
};

struct ComparisonGroup {
  std::string title;
  std::vector<ComparisonRow> rows;  // at least one value in every row
};

// `whole` adds a row for every class of jobs.
enum class Detail { overall, whole };
[[nodiscard]] std::vector<ComparisonGroup> comparison_groups(const ReportData& data, Detail detail);

// "Useful cannot pass 70.0 % with these jobs, nor 90.0 % with an endless queue."; empty without bounds.
[[nodiscard]] std::string bounds_text(const ReportData& data);

// Which columns hold the best value of the row; none when all are equal, when
// fewer than two were measured or when neither direction is better.
[[nodiscard]] std::vector<bool> best_of(const ComparisonRow& row);

// The policy that the report is about ("weir", else the last), and the one it is
// measured against ("split-backfill", else the first other one). -1: none.
[[nodiscard]] int subject_of(const ReportData& data);
[[nodiscard]] int baseline_of(const ReportData& data);

// Classes of jobs: by size, by duration or by tier.
using Classes = std::vector<ReportClass> ReportPolicy::*;
// Every label that some policy lists, in the order met.
[[nodiscard]] std::vector<std::string> labels_of(const ReportData& data, Classes classes);
// Null when the policy does not list it.
[[nodiscard]] const ReportClass* class_of(const ReportPolicy& policy, Classes classes, const std::string& label);
// "1 card", "2-4 cards", "more than 8 cards"
[[nodiscard]] std::string size_text(const std::string& label);

// Yields of every cause.
[[nodiscard]] std::int64_t total_yields(const ReportPreemption& preemption);
// Every run that was made to leave: yields and forced stops.
[[nodiscard]] std::int64_t total_leaves(const ReportPreemption& preemption);

}  // namespace weir::report
