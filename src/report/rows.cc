#include "report/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string_view>
#include <utility>

#include "text/text.h"

namespace weir::report {
namespace {

using Value = std::optional<double>;
using Getter = std::function<Value(const ReportPolicy&)>;

// Collects the rows of one group, leaving out what nobody measured.
class GroupBuilder {
 public:
  GroupBuilder(const ReportData& data, std::string title) : data_(data), group_{std::move(title), {}} {}

  GroupBuilder& add(std::string label, Quantity kind, Better better, std::string help, const Getter& get,
                    Value bound = {}) {
    ComparisonRow row{std::move(label), kind, better, {}, measured(bound), std::move(help)};
    for (const auto& policy : data_.policies) row.values.push_back(measured(get(policy)));
    if (std::any_of(row.values.begin(), row.values.end(), [](const Value& v) { return v.has_value(); }))
      group_.rows.push_back(std::move(row));
    return *this;
  }

  void end(std::vector<ComparisonGroup>& groups) {
    if (!group_.rows.empty()) groups.push_back(std::move(group_));
  }

 private:
  const ReportData& data_;
  ComparisonGroup group_;
};

std::string class_text(Classes classes, const std::string& label) {
  if (classes == &ReportPolicy::by_size) return size_text(label);
  return (classes == &ReportPolicy::by_tier ? "tier " : "jobs of ") + label;
}

}  // namespace

const ReportClass* class_of(const ReportPolicy& policy, Classes classes, const std::string& label) {
  for (const auto& row : policy.*classes)
    if (row.label == label) return &row;
  return nullptr;
}

std::vector<std::string> labels_of(const ReportData& data, Classes classes) {
  std::vector<std::string> labels;
  for (const auto& policy : data.policies)
    for (const auto& row : policy.*classes)
      if (std::find(labels.begin(), labels.end(), row.label) == labels.end()) labels.push_back(row.label);
  return labels;
}

namespace {

void add_classes(GroupBuilder& group, const ReportData& data, Classes classes, std::string_view what,
                 Value ReportClass::* field, const std::string& help) {
  for (const auto& label : labels_of(data, classes)) {
    group.add(fmt::format("{}, {}", what, class_text(classes, label)), Quantity::seconds, Better::lower, help,
              [&](const ReportPolicy& policy) -> Value {
                const auto* row = class_of(policy, classes, label);
                return row != nullptr && row->jobs > 0 ? row->*field : Value{};
              });
  }
}

void add_waits(const ReportData& data, Detail detail, std::vector<ComparisonGroup>& groups) {
  GroupBuilder all(data, "Wait to the first start");
  const std::string help = "submission to first start; jobs that did not start count up to the end";
  all.add("mean", Quantity::seconds, Better::lower, help, [](const auto& p) { return p.all.wait_mean_s; })
      .add("median", Quantity::seconds, Better::lower, help, [](const auto& p) { return p.all.wait_median_s; })
      .add("p95", Quantity::seconds, Better::lower, help, [](const auto& p) { return p.all.wait_p95_s; })
      .add("p99", Quantity::seconds, Better::lower, help, [](const auto& p) { return p.all.wait_p99_s; });
  if (detail == Detail::whole) {
    add_classes(all, data, &ReportPolicy::by_size, "mean", &ReportClass::wait_mean_s, help);
    add_classes(all, data, &ReportPolicy::by_duration, "mean", &ReportClass::wait_mean_s, help);
    add_classes(all, data, &ReportPolicy::by_tier, "mean", &ReportClass::wait_mean_s, help);
  }
  all.end(groups);

  GroupBuilder later(data, "Later waits and the end");
  const std::string queue_help = "every second in the queue, after preemptions too";
  const std::string jct_help = "submission to end";
  later.add("queueing, mean", Quantity::seconds, Better::lower, queue_help,
            [](const auto& p) { return p.all.queueing_mean_s; });
  if (detail == Detail::whole)
    add_classes(later, data, &ReportPolicy::by_duration, "queueing", &ReportClass::queueing_mean_s, queue_help);
  later.add("completion, mean", Quantity::seconds, Better::lower, jct_help,
            [](const auto& p) { return p.all.jct_mean_s; });
  if (detail == Detail::whole)
    add_classes(later, data, &ReportPolicy::by_duration, "completion", &ReportClass::jct_mean_s, jct_help);
  later.end(groups);
}

// A split pool never takes a card back: its zeros would say nothing.
bool takes_back(const ReportPolicy& policy) {
  return policy.preemption.requests != 0 || total_leaves(policy.preemption) != 0;
}

void add_preemption(const ReportData& data, std::vector<ComparisonGroup>& groups) {
  GroupBuilder group(data, "Preemption");
  const auto success_help = "of the requests made for inference: all cards free within that time";
  group
      .add("requests for inference", Quantity::count, Better::neither, "one per claim, withdrawn ones left out",
           [](const auto& p) { return takes_back(p) ? Value{static_cast<double>(p.preemption.requests)} : Value{}; })
      .add("free within 120 s", Quantity::share, Better::higher, success_help,
           [](const auto& p) { return p.preemption.success_120s; })
      .add("free within 300 s", Quantity::share, Better::higher, success_help,
           [](const auto& p) { return p.preemption.success_300s; });
  for (int i = 0; i <= static_cast<int>(YieldCause::drain); ++i) {
    const auto cause = static_cast<YieldCause>(i);
    const auto count = [cause](const ReportPolicy& p) -> Value {
      const auto found = p.preemption.yields.find(cause);
      return found == p.preemption.yields.end() ? Value{} : Value{static_cast<double>(found->second)};
    };
    group.add("yields, " + label(cause, Language::english), Quantity::count, Better::neither,
              "runs that stopped early and came back", count);
  }
  group
      .add("left at a boundary", Quantity::share, Better::higher, "of all runs that yielded or were stopped",
           [](const auto& p) -> Value {
             const auto leaves = total_leaves(p.preemption);
             if (leaves == 0) return {};
             return static_cast<double>(p.preemption.at_boundary) / static_cast<double>(leaves);
           })
      .add("lost steps", Quantity::count, Better::lower, "yields that resumed before their boundary",
           [](const auto& p) { return takes_back(p) ? Value{static_cast<double>(p.preemption.lost_steps)} : Value{}; })
      .add("lost GPU time", Quantity::share, Better::lower, "saving, restoring and redone work, of training GPU time",
           [](const auto& p) { return p.lost_share_all; })
      .add("lost GPU time, by inference", Quantity::share, Better::lower, "the part caused by claims for inference",
           [](const auto& p) { return p.lost_share_inference; });
  group.end(groups);
}

int index_of(const ReportData& data, const char* name) {
  for (std::size_t i = 0; i < data.policies.size(); ++i)
    if (data.policies[i].name == name) return static_cast<int>(i);
  return -1;
}

}  // namespace

std::string size_text(const std::string& label) {
  if (label == "1") return "1 card";
  if (label == ">8" || label == "over8") return "more than 8 cards";
  return label + " cards";
}

std::int64_t total_yields(const ReportPreemption& preemption) {
  return std::accumulate(preemption.yields.begin(), preemption.yields.end(), std::int64_t{0},
                         [](std::int64_t sum, const auto& cause) { return sum + cause.second; });
}

std::int64_t total_leaves(const ReportPreemption& preemption) {
  return total_yields(preemption) + preemption.forced_stops;
}

std::vector<ComparisonGroup> comparison_groups(const ReportData& data, Detail detail) {
  std::vector<ComparisonGroup> groups;
  GroupBuilder use(data, "Use of the pool");
  use.add(
         "useful", Quantity::share, Better::higher,
         "training progress that was kept and inference work served, of all GPU time; the bound: the inference load, "
         "each job as if it ran from its submission, and what was submitted before the window and left over",
         [](const auto& p) { return p.useful_share; }, data.bound_demand)
      .add("allocated", Quantity::share, Better::neither, "held by jobs and replicas, loading and saving included",
           [](const auto& p) { return p.allocated_share; })
      .add("duty", Quantity::share, Better::higher, "useful, with training counted at its mean duty cycle",
           [](const auto& p) { return p.duty_share; });
  use.end(groups);
  add_waits(data, detail, groups);
  GroupBuilder promises(data, "What was promised");
  promises
      .add("inference load not served", Quantity::share, Better::lower, "load above the ready replicas, of all load",
           [](const auto& p) { return p.unmet_share; })
      .add("deadlines met", Quantity::share, Better::higher, "of the jobs whose deadline falls inside the trace",
           [](const auto& p) { return p.deadlines_met_share; })
      .add("worse off", Quantity::share, Better::lower, "jobs that end more than 10 % later than under split-backfill",
           [](const auto& p) { return p.worse_off_share_all; })
      .add("worse off, jobs of 8 h and more", Quantity::share, Better::lower,
           "the same, of the jobs that run 8 h or more", [](const auto& p) { return p.worse_off_share_over8h; });
  promises.end(groups);
  add_preemption(data, groups);
  return groups;
}

std::string bounds_text(const ReportData& data) {
  const auto demand = measured(data.bound_demand);
  const auto saturation = measured(data.bound_saturation);
  if (!demand && !saturation) return {};
  std::string out = "Useful cannot pass";
  if (demand) out += fmt::format(" {} with these jobs", share_text(demand));
  if (demand && saturation) out += ", nor";
  if (saturation) out += fmt::format(" {} with an endless queue", share_text(saturation));
  return out + ".";
}

std::vector<bool> best_of(const ComparisonRow& row) {
  std::vector<bool> best(row.values.size(), false);
  if (row.better == Better::neither) return best;
  Value lowest;
  Value highest;
  for (const auto& value : row.values) {
    if (!value) continue;
    if (!lowest || *value < *lowest) lowest = value;
    if (!highest || *value > *highest) highest = value;
  }
  if (!lowest || *lowest == *highest) return best;
  const double target = row.better == Better::higher ? *highest : *lowest;
  for (std::size_t i = 0; i < best.size(); ++i) best[i] = row.values[i] && *row.values[i] == target;
  return best;
}

int subject_of(const ReportData& data) {
  const int named = index_of(data, "weir");
  return named >= 0 ? named : static_cast<int>(data.policies.size()) - 1;
}

int baseline_of(const ReportData& data) {
  const int named = index_of(data, "split-backfill");
  const int subject = subject_of(data);
  if (named >= 0 && named != subject) return named;
  for (int i = 0; i < static_cast<int>(data.policies.size()); ++i)
    if (i != subject) return i;
  return -1;
}

}  // namespace weir::report
