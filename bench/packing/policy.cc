#include "packing/policy.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/prng.h"

namespace weir::packing {

namespace {

constexpr double kHostCpu = 128'000;  // by which the protocol scales
constexpr double kHostMilli = 8'000;
constexpr int kNoFit = -1;

struct Scored {
  int score = kNoFit;
  std::uint32_t cards = 0;
};

// A score of a host that fits, and the cards taken there.
using Score = Scored (*)(const Host&, double fragmented_now, const Kind&, const std::vector<FragmentClass>&);

std::uint32_t usual_cards(const Host& host, const Kind& kind) {
  if (kind.cards == 0) return 0;
  return kind.shares() ? 1U << host.tightest(kind.milli) : host.first_whole(kind.cards);
}

Scored dot_product(const Host& host, double, const Kind& kind, const std::vector<FragmentClass>&) {
  const double cpu = static_cast<double>(host.cpu_left) * static_cast<double>(kind.cpu_milli) / (kHostCpu * kHostCpu);
  const double gpu =
      static_cast<double>(host.milli_left) * static_cast<double>(kind.total_milli()) / (kHostMilli * kHostMilli);
  return {static_cast<int>(100 * (1 - (cpu + gpu) / 2)), usual_cards(host, kind)};
}

Scored clustering(const Host& host, double, const Kind& kind, const std::vector<FragmentClass>&) {
  if (kind.cards == 0) return {0, 0};
  const std::size_t own = kind.shares() ? 0 : static_cast<std::size_t>(kind.cards);
  bool others = false;
  for (std::size_t i = 0; i < host.hosted.size(); ++i) others = others || (i != own && host.hosted[i] > 0);
  double score = 25 * (kHostMilli - static_cast<double>(host.milli_left)) / kHostMilli;
  if (host.hosted[own] > 0) {
    score += others ? 50 : 75;
  } else {
    score += others ? 0 : 25;
  }
  return {static_cast<int>(score), usual_cards(host, kind)};
}

Scored gpu_packing(const Host& host, double, const Kind& kind, const std::vector<FragmentClass>&) {
  if (kind.cards == 0) return {0, 0};
  const std::uint32_t cards = usual_cards(host, kind);
  int whole = 0;
  double free_percent = 0;
  for (std::uint32_t left = cards; left != 0; left &= left - 1) {
    const std::int32_t room = host.free[static_cast<std::size_t>(std::countr_zero(left))];
    whole += room == kCardMilli ? 1 : 0;
    free_percent += room / 10.0;
  }
  if (whole == 0) return {std::max(50, static_cast<int>(100 - free_percent / 10)), cards};
  if (host.milli_left < std::int64_t{host.cards} * kCardMilli) return {std::max(33, 50 - whole), cards};
  return {std::max(host.cards, 33 - host.cards), cards};
}

Scored best_fit(const Host& host, double, const Kind& kind, const std::vector<FragmentClass>&) {
  const double cpu = static_cast<double>(host.cpu_left - kind.cpu_milli) / kHostCpu;
  const double gpu = static_cast<double>(host.milli_left - kind.total_milli()) / kHostMilli;
  // Stretching all scores to 0-100 afterwards changes no order: it is left out.
  return {static_cast<int>(100 * (1 - (cpu + gpu) / 2)), usual_cards(host, kind)};
}

int descent_score(double before, double after) {
  return static_cast<int>(100 / (1 + std::exp(-(before - after) / kCardMilli)));
}

Scored fragmentation_descent(const Host& host, double before, const Kind& kind,
                             const std::vector<FragmentClass>& typical) {
  if (!kind.shares()) {
    Host after = host;
    const std::uint32_t cards = usual_cards(host, kind);
    after.take(kind, cards);
    return {descent_score(before, fragmented(after, typical)), cards};
  }
  Scored best;
  for (std::int32_t c = 0; c < host.cards; ++c) {
    const std::int32_t room = host.free[static_cast<std::size_t>(c)];
    if (room < kind.milli) continue;
    bool seen = false;  // cards with the same room score the same
    for (std::int32_t d = 0; d < c; ++d) seen = seen || host.free[static_cast<std::size_t>(d)] == room;
    if (seen) continue;
    Host after = host;
    after.take(kind, 1U << c);
    const int score = descent_score(before, fragmented(after, typical));
    if (score > best.score) best = {score, 1U << c};
  }
  return best;
}

// Scores are kept per kind of task and brought up to date host by host, since one
// placement changes one host; the highest, leftmost on ties, is on top of a tree.
class Scoring final : public Policy {
 public:
  Scoring(const Workload& workload, Score how) : workload_(workload), score_(how), boards_(workload.kinds.size()) {}

  std::optional<Choice> choose(const Cluster& cluster, std::uint32_t kind) override {
    Board& board = boards_[kind];
    refresh(cluster, workload_.kinds[kind], board);
    if (board.tree[1] == kNoFit) return std::nullopt;
    std::size_t at = 1;
    while (at < board.leaves) at = board.tree[2 * at] == board.tree[at] ? 2 * at : 2 * at + 1;
    const std::size_t host = at - board.leaves;
    return Choice{host, board.cards[host]};
  }

 private:
  struct Board {
    std::size_t leaves = 0;
    std::size_t seen = 0;  // of cluster.changed()
    std::vector<int> tree;
    std::vector<std::uint32_t> cards;
  };

  Scored score(const Cluster& cluster, const Kind& kind, std::size_t i) const {
    const Host& host = cluster.hosts()[i];
    if (!host.fits(kind)) return {};
    return score_(host, cluster.fragmented_of(i), kind, cluster.typical());
  }

  void refresh(const Cluster& cluster, const Kind& kind, Board& board) const {
    if (board.leaves == 0) {
      build(cluster, kind, board);
    } else {
      for (std::size_t i = board.seen; i < cluster.changed().size(); ++i) {
        update(cluster, kind, board, cluster.changed()[i]);
      }
    }
    board.seen = cluster.changed().size();
  }

  void build(const Cluster& cluster, const Kind& kind, Board& board) const {
    const std::size_t hosts = cluster.hosts().size();
    board.leaves = std::bit_ceil(std::max<std::size_t>(1, hosts));
    board.tree.assign(2 * board.leaves, kNoFit);
    board.cards.assign(hosts, 0);
    for (std::size_t i = 0; i < hosts; ++i) {
      const Scored scored = score(cluster, kind, i);
      board.tree[board.leaves + i] = scored.score;
      board.cards[i] = scored.cards;
    }
    for (std::size_t at = board.leaves - 1; at > 0; --at) {
      board.tree[at] = std::max(board.tree[2 * at], board.tree[2 * at + 1]);
    }
  }

  void update(const Cluster& cluster, const Kind& kind, Board& board, std::size_t host) const {
    const Scored scored = score(cluster, kind, host);
    board.cards[host] = scored.cards;
    std::size_t at = board.leaves + host;
    board.tree[at] = scored.score;
    for (at /= 2; at > 0; at /= 2) board.tree[at] = std::max(board.tree[2 * at], board.tree[2 * at + 1]);
  }

  const Workload& workload_;
  Score score_;
  std::vector<Board> boards_;
};

class Random final : public Policy {
 public:
  Random(const Workload& workload, std::uint64_t seed) : workload_(workload), prng_(seed) {}

  std::optional<Choice> choose(const Cluster& cluster, std::uint32_t index) override {
    const Kind& kind = workload_.kinds[index];
    able_.clear();
    for (std::size_t i = 0; i < cluster.hosts().size(); ++i) {
      if (cluster.hosts()[i].fits(kind)) able_.push_back(i);
    }
    if (able_.empty()) return std::nullopt;
    const std::size_t host = able_[prng_.below(able_.size())];
    return Choice{host, cards(cluster.hosts()[host], kind)};
  }

 private:
  std::uint32_t cards(const Host& host, const Kind& kind) {
    if (!kind.shares()) return usual_cards(host, kind);
    std::vector<std::uint32_t> on;
    for (std::int32_t c = 0; c < host.cards; ++c) {
      if (host.free[static_cast<std::size_t>(c)] >= kind.milli) on.push_back(1U << c);
    }
    return on[prng_.below(on.size())];
  }

  const Workload& workload_;
  Prng prng_;
  std::vector<std::size_t> able_;
};

}  // namespace

const std::vector<std::string>& policy_names() {
  static const std::vector<std::string> names = {"Random",  "DotProd", "GpuClustering", "GpuPacking",
                                                 "BestFit", "FGD",     "Weir"};
  return names;
}

std::unique_ptr<Policy> make_policy(const std::string& name, const Workload& workload,
                                    const std::vector<std::uint32_t>& order, std::uint64_t seed) {
  if (name == "Random") return std::make_unique<Random>(workload, seed);
  if (name == "DotProd") return std::make_unique<Scoring>(workload, dot_product);
  if (name == "GpuClustering") return std::make_unique<Scoring>(workload, clustering);
  if (name == "GpuPacking") return std::make_unique<Scoring>(workload, gpu_packing);
  if (name == "BestFit") return std::make_unique<Scoring>(workload, best_fit);
  if (name == "FGD") return std::make_unique<Scoring>(workload, fragmentation_descent);
  if (name == "Weir") return make_weir(workload, order);
  return nullptr;
}

}  // namespace weir::packing
