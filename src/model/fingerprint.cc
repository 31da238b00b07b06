#include "model/fingerprint.h"

#include <variant>

namespace weir {

namespace {

template <class Enum>
void add_word(Hasher& hash, Enum word) {
  hash.add(static_cast<std::uint64_t>(word));
}

struct AddBody {
  Hasher& hash;

  void operator()(const decision::StartRun& start) const {
    hash.add(start.run.value);
    hash.add(start.job.value);
    hash.add(start.incarnation);
    hash.add(static_cast<std::uint64_t>(start.places.size()));
    for (const Placement& place : start.places) add_to(hash, place);
    hash.add(start.resume_progress_ms);
    hash.add(start.speed_milli);
    hash.add(start.loan);
    hash.add(start.loan_due_ms);
    hash.add(start.claim.value);
  }
  void operator()(const decision::AskYield& ask) const {
    hash.add(ask.run.value);
    hash.add(ask.claim.value);
    add_word(hash, ask.cause);
    hash.add(ask.not_before_ms);
    hash.add(ask.on_demand);
  }
  void operator()(const decision::WithdrawYield& withdraw) const { hash.add(withdraw.run.value); }
  void operator()(const decision::StopRun& stop) const {
    hash.add(stop.run.value);
    add_word(hash, stop.cause);
  }
  void operator()(const decision::StartReplica& start) const {
    hash.add(start.replica.value);
    hash.add(start.service.value);
    add_to(hash, start.place);
    hash.add(start.version);
    hash.add(start.claim.value);
  }
  void operator()(const decision::StopReplica& stop) const {
    hash.add(stop.replica.value);
    add_word(hash, stop.cause);
    hash.add(stop.claim.value);
  }
};

}  // namespace

void add_to(Hasher& hash, const Decision& decision) {
  hash.add(decision.id);
  hash.add(static_cast<std::uint64_t>(decision.body.index()));
  std::visit(AddBody{hash}, decision.body);
}

void add_to(Hasher& hash, const Placement& place) {
  hash.add(place.node.value);
  hash.add(place.cards);
  hash.add(place.share);
  hash.add(place.milli);
  hash.add(place.card_mem_mib);
  hash.add(place.cpu_milli);
  hash.add(place.ram_mib);
}

}  // namespace weir
