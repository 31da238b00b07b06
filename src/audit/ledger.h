// The auditor's ledger: who holds which part of which card, by node.
//
// Leases come from start decisions and go by facts alone (an exit, a worker that
// is done, a node that is down or proven empty). Nothing here decides; it counts.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/model.h"

namespace weir::audit {

// Who holds a lease. A run or a replica, never both.
struct Holder {
  RunId run;
  ReplicaId replica;
  bool operator==(const Holder&) const = default;
};

struct Lease {
  Holder holder;
  std::int32_t worker = 0;   // of a run, over all roles in order
  bool blocks_guard = true;  // training and guard replicas; not replicas above the guard
  std::int32_t team = 0;     // index into Ledger's table of teams
  ServiceId service;
  Placement place;
};

// Parts of one card.
struct CardUse {
  std::int32_t shares = 0;
  std::int32_t milli = 0;
  std::int64_t mem_mib = 0;
};

// A part of a node that an open claim has reserved.
struct ClaimPart {
  ClaimId claim;
  Placement place;
};

struct NodeBook {
  NodeSpec spec;
  std::int32_t cards_ever = 0;      // largest count ever declared
  std::int32_t cards_reported = 0;  // usable now
  bool down = false;
  bool silent = false;
  TimeMs silent_since_ms = 0;
  bool draining = false;
  std::uint64_t faulty = 0;  // cards out of use until reported well

  std::uint64_t whole = 0;   // cards held whole
  std::uint64_t shared = 0;  // cards with at least one share
  std::vector<CardUse> use;  // by card, shares only
  std::int64_t cpu_milli = 0;
  std::int64_t ram_mib = 0;

  // The same, counting only what the guard may not have (audit/guard.h).
  std::uint64_t blocked_whole = 0;
  std::uint64_t blocked_shared = 0;
  std::vector<CardUse> blocked_use;
  std::int64_t blocked_cpu_milli = 0;
  std::int64_t blocked_ram_mib = 0;

  std::vector<Lease> leases;
  std::vector<ClaimPart> claims;
  std::int64_t milli = 0;  // held by leases

  [[nodiscard]] std::uint64_t declared_mask() const;
  // Up, heard of, not draining: may take new work.
  [[nodiscard]] bool takes_work() const { return !down && !silent && !draining; }
  [[nodiscard]] bool anomalous() const { return down || silent || faulty != 0 || cards_reported < cards_ever; }
  [[nodiscard]] CardCount count() const;
};

[[nodiscard]] std::uint64_t low_bits(std::int32_t count);
// Milli-GPU that a placement holds: 1000 for each whole card.
[[nodiscard]] std::int64_t milli_of(const Placement& place);

class Ledger {
 public:
  [[nodiscard]] NodeBook* find(NodeId id);
  [[nodiscard]] const NodeBook* find(NodeId id) const;
  [[nodiscard]] std::vector<NodeBook>& nodes() { return nodes_; }
  [[nodiscard]] const std::vector<NodeBook>& nodes() const { return nodes_; }

  NodeBook& declare(const NodeSpec& spec);
  std::int32_t team_index(std::string_view team);

  // What is wrong with putting `place` here now; nothing when it fits.
  [[nodiscard]] std::optional<std::string> fault_of(const Placement& place) const;
  void add(const Lease& lease);
  // Removes the leases of `holder` on the node (of one worker when worker >= 0); the milli freed.
  void remove(NodeBook& node, const Holder& holder, std::int32_t worker = -1);
  void set_blocks_guard(NodeBook& node, const Holder& holder, bool blocks);

  // Call after a change of a node's own facts or claims.
  void touch(NodeId id);
  // Nodes changed since the last call, for whoever keeps an index over nodes.
  [[nodiscard]] std::vector<NodeId> take_touched();

  [[nodiscard]] CardCount cards() const;  // the whole pool
  [[nodiscard]] std::int64_t anomalous_nodes() const;
  [[nodiscard]] std::int64_t milli_of_team(std::string_view team) const;
  [[nodiscard]] std::int64_t milli_of_model(std::string_view model) const;
  [[nodiscard]] std::int64_t milli_of_service(ServiceId service) const;

 private:
  struct Counted {
    CardCount cards;
    bool anomalous = false;
    bool dirty = false;
    bool listed = false;  // in touched_
  };
  void apply(NodeBook& node, const Lease& lease, std::int32_t sign);
  static void apply_blocking(NodeBook& node, const Lease& lease, std::int32_t sign);
  void recount() const;

  std::unordered_map<std::uint32_t, std::size_t> index_;
  std::vector<NodeBook> nodes_;
  std::vector<NodeId> touched_;
  std::map<std::string, std::int32_t, std::less<>> teams_;
  std::vector<std::int64_t> team_milli_;
  std::map<std::string, std::int64_t, std::less<>> model_milli_;
  std::unordered_map<std::uint32_t, std::int64_t> service_milli_;

  mutable std::vector<Counted> counted_;
  mutable std::vector<std::size_t> dirty_;
  mutable CardCount total_;
  mutable std::int64_t anomalous_ = 0;
};

}  // namespace weir::audit
