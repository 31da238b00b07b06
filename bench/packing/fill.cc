#include "packing/fill.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <mutex>
#include <thread>
#include <utility>

#include "packing/cluster.h"
#include "packing/policy.h"
#include "trace/csv.h"

namespace weir::packing {

namespace {

constexpr std::uint64_t kFirstSeed = 42;

// Means over the arrivals after which the demand, in whole percent, is 100.
class AtFullDemand {
 public:
  explicit AtFullDemand(std::int64_t capacity_milli) : capacity_(static_cast<double>(capacity_milli)) {}

  void arrived(const Cluster& cluster, std::int64_t milli) {
    asked_ += static_cast<double>(milli);
    if (std::lround(100 * asked_ / capacity_) != 100) return;
    const double allocated = static_cast<double>(cluster.allocated_milli());
    const double idle = capacity_ - allocated;
    ++count_;
    sum_.unallocated_pct += 100 * idle / capacity_;
    sum_.fragmentation_pct += 100 * cluster.fragmented_milli() / capacity_;
    sum_.fragmentation_rate_pct += idle > 0 ? 100 * cluster.fragmented_milli() / idle : 0;
  }
  [[nodiscard]] bool over() const { return std::lround(100 * asked_ / capacity_) > 100; }
  void read(Fill& out) const {
    const double n = std::max(1, count_);
    out.unallocated_pct = sum_.unallocated_pct / n;
    out.fragmentation_pct = sum_.fragmentation_pct / n;
    out.fragmentation_rate_pct = sum_.fragmentation_rate_pct / n;
  }

 private:
  double capacity_;
  double asked_ = 0;
  int count_ = 0;
  Fill sum_;
};

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace

Fill fill(const Workload& workload, const std::string& policy_name, std::uint64_t seed) {
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<std::uint32_t> order = host_order(workload, seed);
  const std::vector<std::uint32_t> tasks = arrivals(workload, seed);
  Cluster cluster(workload, order);
  const auto policy = make_policy(policy_name, workload, order, seed);
  AtFullDemand at_full(workload.capacity_milli);
  Fill out;
  for (const std::uint32_t index : tasks) {
    const Kind& kind = workload.kinds[index];
    const auto choice = policy->choose(cluster, index);
    if (choice) cluster.place(choice->host, kind, choice->cards);
    at_full.arrived(cluster, kind.total_milli());
    if (at_full.over()) continue;  // the run goes on to its end: its time is that of the whole fill
    Fill::Slice& slice = out.slices[kind.slice()];
    ++slice.arrived;
    slice.accepted += choice ? 1 : 0;
  }
  at_full.read(out);
  out.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return out;
}

Fill median(const std::vector<Fill>& fills) {
  const auto of = [&](double Fill::* field) {
    std::vector<double> values;
    for (const Fill& f : fills) values.push_back(f.*field);
    return median_of(std::move(values));
  };
  Fill out{.unallocated_pct = of(&Fill::unallocated_pct),
           .fragmentation_pct = of(&Fill::fragmentation_pct),
           .fragmentation_rate_pct = of(&Fill::fragmentation_rate_pct),
           .slices = {},
           .wall_s = of(&Fill::wall_s)};
  std::map<std::string, std::pair<std::vector<double>, std::vector<double>>> slices;  // arrived, accepted share
  for (const Fill& f : fills) {
    for (const auto& [name, slice] : f.slices) {
      slices[name].first.push_back(slice.arrived);
      slices[name].second.push_back(slice.accepted / slice.arrived);
    }
  }
  for (auto& [name, values] : slices) {
    Fill::Slice& slice = out.slices[name];
    slice.arrived = median_of(std::move(values.first));
    slice.accepted = slice.arrived * median_of(std::move(values.second));
  }
  return out;
}

std::vector<Fill> compare(const Workload& workload, const Plan& plan) {
  const std::size_t seeds = static_cast<std::size_t>(plan.seeds);
  const std::size_t all = plan.policies.size() * seeds;
  std::vector<Fill> fills(all);
  std::atomic<std::size_t> next = 0;
  std::mutex telling;
  int done = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < all; i = next++) {
      fills[i] = fill(workload, plan.policies[i / seeds], kFirstSeed + i % seeds);
      const std::scoped_lock lock(telling);
      if (plan.progress) plan.progress(++done, static_cast<int>(all));
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < plan.threads; ++i) threads.emplace_back(work);
  }
  std::vector<Fill> medians;
  for (std::size_t p = 0; p < plan.policies.size(); ++p) {
    const auto from = fills.begin() + static_cast<std::ptrdiff_t>(p * seeds);
    medians.push_back(median({from, from + static_cast<std::ptrdiff_t>(seeds)}));
  }
  return medians;
}

ResultAll<std::map<std::pair<std::string, std::string>, Published>> read_published(const std::string& folder) {
  auto table = trace::Table::open(folder + "/published_medians.csv");
  if (!table) return std::unexpected(table.error());
  std::map<std::pair<std::string, std::string>, Published> out;
  const std::vector<std::string> expected = {"workload", "policy", "unallocated_pct", "fragmentation_pct",
                                             "fragmentation_rate_pct"};
  if (table->header() != expected) table->header_problem(-1, "expects the columns workload, policy and three figures");
  constexpr std::int64_t kHundredths = 100;
  while (table->good() && table->next()) {
    std::array<double, 3> figures{};
    for (int i = 0; i < 3; ++i) {
      const auto value = trace::parse_decimal(table->field(2 + i), kHundredths, 100 * kHundredths);
      if (!value) table->problem(2 + i, "expects a share in percent");
      figures[static_cast<std::size_t>(i)] = static_cast<double>(value.value_or(0)) / kHundredths;
    }
    out[{table->field(0), table->field(1)}] = {figures[0], figures[1], figures[2]};
  }
  if (!table->good()) return std::unexpected(table->take_problems());
  return out;
}

}  // namespace weir::packing
