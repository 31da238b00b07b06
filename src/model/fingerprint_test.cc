#include "model/fingerprint.h"

#include <set>

#include <gtest/gtest.h>

namespace weir {
namespace {

std::uint64_t hash_of(const Decision& decision) {
  Hasher hash;
  add_to(hash, decision);
  return hash.value();
}

// A decision of each kind, and each with one field changed.
std::vector<Decision> variants() {
  const Placement place{.node = NodeId{1}, .cards = 3};
  const decision::StartRun start{.run = RunId{1}, .job = JobId{2}, .places = {place}};
  const decision::AskYield ask{.run = RunId{1}};
  const decision::StartReplica replica{.replica = ReplicaId{1}, .service = ServiceId{2}, .place = place};
  std::vector<Decision> out;
  const auto add = [&](auto body) { out.push_back({.id = 1, .body = body}); };
  const auto changed = [&](auto body, auto change) {
    change(body);
    out.push_back({.id = 1, .body = body});
  };
  add(start);
  changed(start, [](auto& b) { b.run = RunId{9}; });
  changed(start, [](auto& b) { b.job = JobId{9}; });
  changed(start, [](auto& b) { b.incarnation = 9; });
  changed(start, [](auto& b) { b.places.clear(); });
  changed(start, [](auto& b) { b.places.push_back(b.places[0]); });
  changed(start, [](auto& b) { b.places[0].node = NodeId{9}; });
  changed(start, [](auto& b) { b.places[0].cards = 9; });
  changed(start, [](auto& b) { b.places[0].share = true; });
  changed(start, [](auto& b) { b.places[0].milli = 9; });
  changed(start, [](auto& b) { b.places[0].card_mem_mib = 9; });
  changed(start, [](auto& b) { b.places[0].cpu_milli = 9; });
  changed(start, [](auto& b) { b.places[0].ram_mib = 9; });
  changed(start, [](auto& b) { b.resume_progress_ms = 9; });
  changed(start, [](auto& b) { b.speed_milli = 9; });
  changed(start, [](auto& b) { b.loan = true; });
  changed(start, [](auto& b) { b.loan_due_ms = 9; });
  changed(start, [](auto& b) { b.claim = ClaimId{9}; });
  add(ask);
  changed(ask, [](auto& b) { b.run = RunId{9}; });
  changed(ask, [](auto& b) { b.claim = ClaimId{9}; });
  changed(ask, [](auto& b) { b.cause = YieldCause::drain; });
  changed(ask, [](auto& b) { b.not_before_ms = 9; });
  changed(ask, [](auto& b) { b.on_demand = true; });
  add(decision::WithdrawYield{RunId{1}});
  add(decision::WithdrawYield{RunId{2}});
  add(decision::StopRun{RunId{1}, decision::StopCause::cancel});
  add(decision::StopRun{RunId{1}, decision::StopCause::limit});
  add(replica);
  changed(replica, [](auto& b) { b.replica = ReplicaId{9}; });
  changed(replica, [](auto& b) { b.service = ServiceId{9}; });
  changed(replica, [](auto& b) { b.place.cards = 9; });
  changed(replica, [](auto& b) { b.version = 9; });
  changed(replica, [](auto& b) { b.claim = ClaimId{9}; });
  add(decision::StopReplica{ReplicaId{1}, decision::DrainCause::load_fell, {}});
  add(decision::StopReplica{ReplicaId{1}, decision::DrainCause::taken, {}});
  add(decision::StopReplica{ReplicaId{2}, decision::DrainCause::load_fell, {}});
  add(decision::StopReplica{ReplicaId{1}, decision::DrainCause::load_fell, ClaimId{9}});
  return out;
}

TEST(Fingerprint, EveryFieldOfEveryDecisionCounts) {
  std::set<std::uint64_t> hashes;
  for (const Decision& decision : variants()) hashes.insert(hash_of(decision));
  EXPECT_EQ(hashes.size(), variants().size());
}

TEST(Fingerprint, TheIdCountsAndTheSameIsTheSame) {
  Decision decision = variants()[0];
  const std::uint64_t before = hash_of(decision);
  EXPECT_EQ(hash_of(decision), before);
  decision.id = 2;
  EXPECT_NE(hash_of(decision), before);
}

}  // namespace
}  // namespace weir
