#include "packing/cluster.h"

#include <algorithm>
#include <bit>

namespace weir::packing {

bool Host::fits(const Kind& kind) const {
  if (kind.cpu_milli > cpu_left || kind.ram_mib > ram_left) return false;
  if (kind.cards == 0) return true;
  if (kind.model_bits != 0 && (kind.model_bits & model_bit) == 0) return false;
  std::int32_t able = 0;
  for (std::int32_t c = 0; c < cards; ++c) able += free[static_cast<std::size_t>(c)] >= kind.milli ? 1 : 0;
  return able >= kind.cards;
}

std::uint32_t Host::first_whole(std::int32_t count) const {
  std::uint32_t chosen = 0;
  for (std::int32_t c = 0; c < cards && count > 0; ++c) {
    if (free[static_cast<std::size_t>(c)] < kCardMilli) continue;
    chosen |= 1U << c;
    --count;
  }
  return count == 0 ? chosen : 0;
}

int Host::tightest(std::int32_t milli) const {
  int best = -1;
  for (std::int32_t c = 0; c < cards; ++c) {
    const std::int32_t room = free[static_cast<std::size_t>(c)];
    if (room >= milli && (best < 0 || room < free[static_cast<std::size_t>(best)])) best = c;
  }
  return best;
}

void Host::take(const Kind& kind, std::uint32_t on) {
  cpu_left -= kind.cpu_milli;
  ram_left -= kind.ram_mib;
  for (; on != 0; on &= on - 1) free[static_cast<std::size_t>(std::countr_zero(on))] -= kind.milli;
  milli_left -= kind.total_milli();
  if (kind.cards > 0) ++hosted[kind.shares() ? 0 : static_cast<std::size_t>(kind.cards)];
}

double fragmented(const Host& host, const std::vector<FragmentClass>& typical) {
  if (host.milli_left == 0) return 0;
  double sum = 0;
  for (const FragmentClass& cls : typical) {
    const Kind& kind = cls.kind;
    std::int64_t usable = 0;
    std::int32_t able = 0;
    const bool matches = kind.model_bits == 0 || (kind.model_bits & host.model_bit) != 0;
    if (kind.cards > 0 && matches && kind.cpu_milli <= host.cpu_left) {
      for (std::int32_t c = 0; c < host.cards; ++c) {
        const std::int32_t room = host.free[static_cast<std::size_t>(c)];
        if (room < kind.milli) continue;
        usable += room;
        ++able;
      }
      if (able < kind.cards) usable = 0;
    }
    sum += cls.share * static_cast<double>(host.milli_left - usable);
  }
  return sum;
}

Cluster::Cluster(const Workload& workload, const std::vector<std::uint32_t>& order) : typical_(workload.typical) {
  for (const std::uint32_t i : order) {
    const HostSpec& spec = workload.hosts[i];
    Host host{.cpu_left = spec.cpu_milli, .ram_left = spec.ram_mib, .cards = spec.cards, .model_bit = spec.model_bit};
    for (std::int32_t c = 0; c < spec.cards; ++c) host.free[static_cast<std::size_t>(c)] = kCardMilli;
    host.milli_left = std::int64_t{spec.cards} * kCardMilli;
    hosts_.push_back(host);
    fragmented_.push_back(fragmented(host, typical_));
    fragmented_sum_ += fragmented_.back();
  }
}

void Cluster::place(std::size_t host, const Kind& kind, std::uint32_t cards) {
  hosts_[host].take(kind, cards);
  allocated_ += kind.total_milli();
  const double now = fragmented(hosts_[host], typical_);
  fragmented_sum_ += now - fragmented_[host];
  fragmented_[host] = now;
  changed_.push_back(static_cast<std::uint32_t>(host));
}

}  // namespace weir::packing
