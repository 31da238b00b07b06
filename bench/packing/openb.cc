#include "packing/openb.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "base/prng.h"
#include "trace/csv.h"

namespace weir::packing {

namespace {

using trace::parse_decimal;
using trace::Table;

constexpr std::int64_t kAmountMax = std::int64_t{1} << 40;
constexpr double kTypicalShare = 0.95;
constexpr std::size_t kModelsMax = 32;

class Models {
 public:
  // 0 when there are more models than bits.
  std::uint32_t bit(const std::string& name) {
    const auto at = std::find(names_.begin(), names_.end(), name);
    if (at != names_.end()) return 1U << (at - names_.begin());
    if (names_.size() == kModelsMax) return 0;
    names_.push_back(name);
    return 1U << (names_.size() - 1);
  }

 private:
  std::vector<std::string> names_;
};

int column(Table& table, const std::string& name) {
  const auto& header = table.header();
  const auto at = std::find(header.begin(), header.end(), name);
  if (at != header.end()) return static_cast<int>(at - header.begin());
  table.header_problem(-1, "the column " + name + " is missing");
  return -1;
}

std::int64_t number(Table& table, int index) {
  const auto value = parse_decimal(table.field(index), 1, kAmountMax);
  if (!value) table.problem(index, "expects a number; " + trace::shown(table.field(index)) + " is none");
  return value.value_or(0);
}

ResultAll<std::vector<HostSpec>> read_hosts(const std::string& path, Models& models) {
  auto table = Table::open(path);
  if (!table) return std::unexpected(table.error());
  const int name = column(*table, "sn"), cpu = column(*table, "cpu_milli"), ram = column(*table, "memory_mib"),
            cards = column(*table, "gpu"), model = column(*table, "model");
  if (!table->good()) return std::unexpected(table->take_problems());
  std::vector<HostSpec> hosts;
  while (table->next()) {
    HostSpec host{.name = table->field(name), .model = table->field(model)};
    host.cpu_milli = number(*table, cpu);
    host.ram_mib = number(*table, ram);
    const std::int64_t count = number(*table, cards);
    if (count > static_cast<std::int64_t>(kCardsMax)) table->problem(cards, "a host has at most 8 cards");
    host.cards = static_cast<std::int32_t>(std::min<std::int64_t>(count, kCardsMax));
    host.model_bit = models.bit(host.model);
    hosts.push_back(std::move(host));
  }
  if (!table->good()) return std::unexpected(table->take_problems());
  return hosts;
}

void set_models(Kind& kind, const std::string& text, Models& models) {
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find('|', from), text.size());
    if (to > from) {
      kind.models.push_back(text.substr(from, to - from));
      kind.model_bits |= models.bit(kind.models.back());
    }
    from = to + 1;
  }
}

using NamedTask = std::pair<std::string, Kind>;

ResultAll<std::vector<NamedTask>> read_tasks(const std::string& path, Models& models) {
  auto table = Table::open(path);
  if (!table) return std::unexpected(table.error());
  const auto& header = table->header();
  const auto spec_at = std::find(header.begin(), header.end(), "gpu_spec");  // some lists have none
  const int spec = spec_at == header.end() ? -1 : static_cast<int>(spec_at - header.begin());
  const int name = column(*table, "name"), cpu = column(*table, "cpu_milli"), ram = column(*table, "memory_mib"),
            cards = column(*table, "num_gpu"), milli = column(*table, "gpu_milli");
  if (!table->good()) return std::unexpected(table->take_problems());
  std::vector<NamedTask> tasks;
  while (table->next()) {
    Kind kind{.cpu_milli = number(*table, cpu), .ram_mib = number(*table, ram)};
    const std::int64_t count = number(*table, cards);
    const std::int64_t each = count == 0 ? 0 : number(*table, milli);
    if (count > static_cast<std::int64_t>(kCardsMax)) table->problem(cards, "a task has at most 8 cards");
    if (each > kCardMilli || (count > 0 && each == 0)) table->problem(milli, "expects 1 to 1000");
    if (count > 1 && each < kCardMilli) table->problem(milli, "a task of several cards has whole ones");
    kind.cards = static_cast<std::int32_t>(std::min<std::int64_t>(count, kCardsMax));
    kind.milli = static_cast<std::int32_t>(std::min<std::int64_t>(each, kCardMilli));
    if (spec >= 0) set_models(kind, table->field(spec), models);
    tasks.emplace_back(table->field(name), std::move(kind));
  }
  if (!table->good()) return std::unexpected(table->take_problems());
  return tasks;
}

// Kinds, in order of their first task, and the classes among them.
void sort_into_kinds(Workload& workload, std::vector<NamedTask> tasks) {
  std::stable_sort(tasks.begin(), tasks.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::map<std::tuple<std::int64_t, std::int64_t, std::int32_t, std::int32_t, std::vector<std::string>>, std::uint32_t>
      known;
  std::map<std::tuple<std::int64_t, std::int32_t, std::int32_t, std::vector<std::string>>, std::size_t> classes;
  std::vector<std::pair<std::int64_t, Kind>> counted;  // by class
  for (auto& [name, kind] : tasks) {
    const auto [at, fresh] = known.try_emplace({kind.cpu_milli, kind.ram_mib, kind.cards, kind.milli, kind.models},
                                               static_cast<std::uint32_t>(workload.kinds.size()));
    const auto [cls, first] =
        classes.try_emplace({kind.cpu_milli, kind.cards, kind.milli, kind.models}, counted.size());
    if (first) counted.emplace_back(0, kind);
    ++counted[cls->second].first;
    if (fresh) {
      kind.fragment_class = cls->second;
      workload.kinds.push_back(std::move(kind));
    }
    workload.tasks.push_back(at->second);
  }
  std::stable_sort(counted.begin(), counted.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  const auto all = static_cast<double>(tasks.size());
  double covered = 0;
  for (const auto& [count, kind] : counted) {
    if (covered >= kTypicalShare * all) break;
    covered += static_cast<double>(count);
    workload.typical.push_back({kind, static_cast<double>(count)});
  }
  for (FragmentClass& cls : workload.typical) cls.share /= covered;
}

template <class T>
void shuffle(std::vector<T>& items, Prng& prng) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[prng.below(i)]);
}

}  // namespace

std::string Kind::slice() const {
  if (cards == 0) return "cpu";
  if (milli < kCardMilli) return std::to_string(milli) + "m";
  return std::to_string(cards) + (cards == 1 ? " card" : " cards");
}

const std::vector<std::string>& workload_names() {
  static const std::vector<std::string> names = {"default",    "gpushare40", "gpushare60", "gpushare80", "gpushare100",
                                                 "multigpu20", "multigpu30", "multigpu40", "multigpu50", "gpuspec10",
                                                 "gpuspec20",  "gpuspec25",  "gpuspec33",  "cpu050",     "cpu100",
                                                 "cpu200",     "cpu250"};
  return names;
}

ResultAll<Workload> read_workload(const std::string& folder, const std::string& name) {
  Models models;
  Workload workload{.name = name};
  auto hosts = read_hosts(folder + "/openb_node_list_gpu_node.csv.gz", models);
  if (!hosts) return std::unexpected(hosts.error());
  workload.hosts = std::move(*hosts);
  for (const HostSpec& host : workload.hosts) workload.capacity_milli += std::int64_t{host.cards} * kCardMilli;
  auto tasks = read_tasks(folder + "/openb_pod_list_" + name + ".csv.gz", models);
  if (!tasks) return std::unexpected(tasks.error());
  sort_into_kinds(workload, std::move(*tasks));
  return workload;
}

std::vector<std::uint32_t> arrivals(const Workload& workload, std::uint64_t seed) {
  Prng prng(seed);
  std::vector<std::uint32_t> tasks = workload.tasks;
  shuffle(tasks, prng);
  const std::int64_t wanted = workload.capacity_milli * 13 / 10;
  std::int64_t asked = 0;
  for (const std::uint32_t kind : tasks) asked += workload.kinds[kind].total_milli();
  while (asked > wanted) {
    const std::size_t i = prng.below(tasks.size());
    asked -= workload.kinds[tasks[i]].total_milli();
    tasks.erase(tasks.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (workload.tasks.empty()) return tasks;
  for (;;) {
    const std::uint32_t kind = workload.tasks[prng.below(workload.tasks.size())];
    if (asked + workload.kinds[kind].total_milli() > wanted) return tasks;
    asked += workload.kinds[kind].total_milli();
    tasks.push_back(kind);
  }
}

std::vector<std::uint32_t> host_order(const Workload& workload, std::uint64_t seed) {
  Prng prng(seed ^ 0x5eedU);
  std::vector<std::uint32_t> order(workload.hosts.size());
  std::iota(order.begin(), order.end(), 0U);
  shuffle(order, prng);
  return order;
}

}  // namespace weir::packing
