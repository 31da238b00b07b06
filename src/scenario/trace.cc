#include "scenario/trace.h"

#include <bit>

#include <fmt/format.h>

#include "model/names.h"
#include "scenario/check.h"

namespace weir::scenario {

namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

TimeMs shown(TimeMs world_ms) { return world_ms >= kNever ? kNever : world_ms - kOriginMs; }

struct Names {
  const Record& r;

  [[nodiscard]] std::string of(NodeId id) const {
    return id.value < r.scenario.nodes.size() ? r.scenario.nodes[id.value].name : "?";
  }
  [[nodiscard]] std::string of(JobId id) const {
    return id.value < r.scenario.jobs.size() ? r.scenario.jobs[id.value].spec.name : "?";
  }
  [[nodiscard]] std::string of(ServiceId id) const {
    return id.value < r.scenario.services.size() ? r.scenario.services[id.value].spec.name : "?";
  }
  [[nodiscard]] std::string of(RunId id) const {
    const auto found = r.run_of.find(id);
    return found == r.run_of.end() ? "?" : fmt::format("{}#{}", of(found->second.first), found->second.second + 1);
  }
  [[nodiscard]] std::string of(ReplicaId id) const {
    const auto found = r.replica_of.find(id);
    return found == r.replica_of.end() ? "?" : fmt::format("{}/{}", of(r.replicas[found->second].service), id.value);
  }
  [[nodiscard]] std::string of(ClaimId id) const { return id.valid() ? fmt::format("claim {}", id.value) : "no claim"; }
  [[nodiscard]] std::string of(const Placement& place) const {
    std::string cards;
    for (std::uint64_t rest = place.cards; rest != 0; rest &= rest - 1)
      cards += (cards.empty() ? "" : ",") + std::to_string(std::countr_zero(rest));
    std::string out = fmt::format("{}[{}]", of(place.node), cards);
    if (place.share) out += fmt::format(" {} milli", place.milli);
    if (place.share && place.card_mem_mib < kUnlimited / kMilliPerCard)
      out += fmt::format(" {} MiB", place.card_mem_mib);
    return out;
  }
  [[nodiscard]] std::string of(const std::vector<Placement>& places) const {
    std::string out;
    for (const Placement& place : places) out += (out.empty() ? "" : " ") + of(place);
    return out;
  }
};

std::string on_off(bool on) { return on ? "on" : "off"; }

}  // namespace

std::string describe(const Record& record, const Event& e) {
  const Names n{record};
  const auto progress = [](DurationMs d) { return seconds_text(d) + " of work saved"; };
  return "event " +
         std::visit(
             Overloaded{
                 [&](const event::NodeDeclared& b) {
                   return fmt::format("node {} declared, {} cards", b.node.name, b.node.cards);
                 },
                 [&](const event::NodeDown& b) { return "node down " + n.of(b.node); },
                 [&](const event::NodeUp& b) { return "node up " + n.of(b.node); },
                 [&](const event::NodeSilent& b) { return "node silent " + n.of(b.node); },
                 [&](const event::NodeHeard& b) { return "node heard " + n.of(b.node); },
                 [&](const event::NodeCards& b) {
                   return fmt::format("node {} reports {} cards", n.of(b.node), b.cards);
                 },
                 [&](const event::CardFault& b) {
                   return fmt::format("card {} of {} reports code {}", b.card, n.of(b.node), b.code);
                 },
                 [&](const event::CardOk& b) { return fmt::format("card {} of {} is well", b.card, n.of(b.node)); },
                 [&](const event::DrainSet& b) { return fmt::format("drain of {} {}", n.of(b.node), on_off(b.on)); },
                 [&](const event::RunExited& b) {
                   return fmt::format("{} exited: {}, {}", n.of(b.run), name_of(b.how), progress(b.progress_ms));
                 },
                 [&](const event::WorkerDone& b) {
                   return fmt::format("worker {} of {} is done", b.worker, n.of(b.run));
                 },
                 [&](const event::ReplicaExited& b) {
                   return fmt::format("replica {} exited{}", n.of(b.replica), b.failed ? ", failed" : "");
                 },
                 [&](const event::RunStarted& b) { return n.of(b.run) + " runs"; },
                 [&](const event::CheckpointCommitted& b) {
                   return fmt::format("{} saved: {}", n.of(b.run), progress(b.progress_ms));
                 },
                 [&](const event::ProgressReported& b) {
                   return fmt::format("{} reports {} of work", n.of(b.run), seconds_text(b.progress_ms));
                 },
                 [&](const event::ReadyToYield& b) { return n.of(b.run) + " is ready to yield"; },
                 [&](const event::ReplicaReady& b) { return fmt::format("replica {} is ready", n.of(b.replica)); },
                 [&](const event::NeedMeasured& b) {
                   return fmt::format("{} needs {} replicas (ramp {})", n.of(b.service), b.replicas, b.ramp);
                 },
                 [&](const event::GuardPublished& b) {
                   return fmt::format("guard of {} is {}", n.of(b.service), b.guard);
                 },
                 [&](const event::NeedPlanned& b) {
                   return fmt::format("{} will need {} replicas from {}", n.of(b.service), b.replicas,
                                      at_text(shown(b.from_ms)));
                 },
                 [&](const event::RequestArrived& b) { return "request for " + n.of(b.service); },
                 [&](const event::ConfigSet&) { return std::string("settings"); },
                 [&](const event::ServiceDeclared& b) {
                   return fmt::format("service {} declared: guard {}, max {}, version {}", b.service.name,
                                      b.service.guard, b.service.max, b.service.version);
                 },
                 [&](const event::ServiceStopped& b) { return "service stopped " + n.of(b.service); },
                 [&](const event::JobSubmitted& b) { return "submitted " + b.job.name; },
                 [&](const event::JobCancelled& b) { return "cancelled " + n.of(b.job); },
                 [&](const event::JobEdited& b) { return "edited " + n.of(b.job); },
                 [&](const event::JobHeld& b) { return fmt::format("hold of {} {}", n.of(b.job), on_off(b.on)); },
                 [&](const event::JobRequeued& b) { return "requeue " + n.of(b.job); },
                 [&](const event::QuotaSet& b) { return "quota of " + b.team.name; },
                 [&](const event::FreezeSet& b) { return "freeze " + on_off(b.on); },
             },
             e.body);
}

std::string describe(const Record& record, const Decision& d) {
  const Names n{record};
  return "decide " +
         std::visit(Overloaded{
                        [&](const decision::StartRun& b) {
                          std::string out = fmt::format("start {} on {}", n.of(b.run), n.of(b.places));
                          if (b.incarnation > 1) out += ", from " + seconds_text(b.resume_progress_ms) + " of work";
                          if (b.speed_milli != kMilliPerCard) out += ", at speed " + milli_text(b.speed_milli);
                          if (b.loan) out += ", on loan until " + at_text(shown(b.loan_due_ms));
                          if (b.claim.valid()) out += ", for " + n.of(b.claim);
                          return out;
                        },
                        [&](const decision::AskYield& b) {
                          return fmt::format("ask {} to yield, cause {}, {}, not before {}{}", n.of(b.run),
                                             name_of(b.cause), n.of(b.claim), at_text(shown(b.not_before_ms)),
                                             b.on_demand ? ", now" : "");
                        },
                        [&](const decision::WithdrawYield& b) { return "withdraw the request to " + n.of(b.run); },
                        [&](const decision::StopRun& b) {
                          return fmt::format("stop {}, cause {}", n.of(b.run), name_of(b.cause));
                        },
                        [&](const decision::StartReplica& b) {
                          return fmt::format("start replica {} version {} on {}, {}", n.of(b.replica), b.version,
                                             n.of(b.place), n.of(b.claim));
                        },
                        [&](const decision::StopReplica& b) {
                          return fmt::format("stop replica {}, cause {}, {}", n.of(b.replica), name_of(b.cause),
                                             n.of(b.claim));
                        },
                    },
                    d.body);
}

std::string describe(const Record& record, const Change& c) {
  const Names n{record};
  return "change " +
         std::visit(
             Overloaded{
                 [&](const change::JobStateSet& b) { return fmt::format("{} is {}", n.of(b.job), name_of(b.state)); },
                 [&](const change::JobRejected& b) {
                   return fmt::format("{} is rejected, naming {}: {}", n.of(b.job), b.field, b.message);
                 },
                 [&](const change::TierSet& b) {
                   return fmt::format("{} stands in tier {}{}{}", n.of(b.job), b.tier, b.promoted ? ", promoted" : "",
                                      b.aged ? ", aged" : "");
                 },
                 [&](const change::ClaimMade& b) {
                   std::string out = fmt::format("{} for {} on {}, due {}, expires {}, cause {}; yield:", n.of(b.claim),
                                                 b.job.valid()       ? n.of(b.job)
                                                 : b.service.valid() ? n.of(b.service)
                                                                     : "the guard",
                                                 n.of(b.cards), at_text(shown(b.due_ms)), at_text(shown(b.expires_ms)),
                                                 name_of(b.cause));
                   for (const change::ClaimVictim& v : b.victims)
                     out += fmt::format(" {} at {} (free {})", n.of(v.run), at_text(shown(v.boundary_ms)),
                                        at_text(shown(v.free_ms)));
                   for (const ReplicaId id : b.replicas) out += " " + n.of(id);
                   return out;
                 },
                 [&](const change::ClaimEnded& b) {
                   return fmt::format("{} ended: {}", n.of(b.claim), name_of(b.how));
                 },
                 [&](const change::VictimDropped& b) {
                   if (!b.run.valid()) return fmt::format("{} gives up a part", n.of(b.claim));
                   return fmt::format("{} does not need {} any more", n.of(b.claim), n.of(b.run));
                 },
                 [&](const change::RunEnded& b) { return n.of(b.run) + " ended, its cards are free"; },
                 [&](const change::ReplicaStateSet& b) {
                   return fmt::format("replica {} is {}", n.of(b.replica), name_of(b.state));
                 },
                 [&](const change::TargetSet& b) {
                   return fmt::format("target of {} is {} (guard {})", n.of(b.service), b.target, b.guard);
                 },
                 [&](const change::Alarm& b) {
                   std::string out = fmt::format("alarm {}", name_of(b.kind));
                   if (b.node.valid()) out += " node " + n.of(b.node);
                   if (b.job.valid()) out += " job " + n.of(b.job);
                   if (b.service.valid()) out += " service " + n.of(b.service);
                   if (b.run.valid()) out += " run " + n.of(b.run);
                   return out;
                 },
             },
             c);
}

}  // namespace weir::scenario
