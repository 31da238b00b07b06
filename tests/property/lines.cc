// One line for each thing that can happen, and for each part of a plan.
#include <string>

#include "play.h"

namespace weir::property {

namespace {

std::string number(std::int64_t value) { return value >= kNever ? std::string("never") : std::to_string(value); }

template <class Tag>
std::string number(Id<Tag> id) {
  return id.valid() ? std::to_string(id.value) : std::string("-");
}

std::string seconds(TimeMs ms) {
  if (ms >= kNever) return "never";
  return ms % 1000 == 0 ? std::to_string(ms / 1000) + "s" : std::to_string(ms) + "ms";
}

std::string text(const Placement& place) {
  std::string out = "n" + number(place.node) + "[";
  for (std::uint32_t card = 0; card < 64; ++card) {
    if ((place.cards >> card & 1) != 0) out += (out.back() == '[' ? "" : ",") + std::to_string(card);
  }
  out += "]";
  if (place.share) out += " " + number(place.milli) + "m/" + number(place.card_mem_mib) + "MiB";
  return out;
}

std::string text(const std::vector<Placement>& places) {
  std::string out;
  for (const Placement& place : places) out += (out.empty() ? "" : " ") + text(place);
  return out;
}

std::string text(const Shape& shape) {
  std::string out =
      shape.share() ? number(shape.milli) + "m/" + number(shape.card_mem_mib) + "MiB" : number(shape.cards) + " cards";
  if (shape.cpu_milli > 0) out += " cpu=" + number(shape.cpu_milli) + " ram=" + number(shape.ram_mib);
  return out;
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : "|") + word;
  return out;
}

// --- events ---
std::string line(const event::NodeDeclared& e) {
  return "node n" + number(e.node.id) + " cards=" + number(e.node.cards) + " model=" + e.node.model;
}
std::string line(const event::NodeDown& e) { return "node down n" + number(e.node); }
std::string line(const event::NodeUp& e) { return "node up n" + number(e.node); }
std::string line(const event::NodeSilent& e) { return "node silent n" + number(e.node); }
std::string line(const event::NodeHeard& e) { return "node heard n" + number(e.node); }
std::string line(const event::NodeCards& e) {
  return "node n" + number(e.node) + " reports " + number(e.cards) + " cards";
}
std::string line(const event::CardFault& e) {
  return "card fault n" + number(e.node) + " card " + number(e.card) + " code " + number(e.code);
}
std::string line(const event::CardOk& e) { return "card ok n" + number(e.node) + " card " + number(e.card); }
std::string line(const event::DrainSet& e) {
  return std::string("drain ") + (e.on ? "on n" : "off n") + number(e.node);
}
std::string line(const event::RunExited& e) {
  return "run " + number(e.run) + " exited " + std::string(name_of(e.how)) + " progress=" + seconds(e.progress_ms);
}
std::string line(const event::WorkerDone& e) {
  return "run " + number(e.run) + " worker " + number(e.worker) + " done";
}
std::string line(const event::ReplicaExited& e) {
  return "replica " + number(e.replica) + (e.failed ? " failed" : " exited");
}
std::string line(const event::RunStarted& e) { return "run " + number(e.run) + " started"; }
std::string line(const event::CheckpointCommitted& e) {
  return "run " + number(e.run) + " checkpoint " + seconds(e.progress_ms);
}
std::string line(const event::ProgressReported& e) {
  return "run " + number(e.run) + " progress " + seconds(e.progress_ms);
}
std::string line(const event::ReadyToYield& e) { return "run " + number(e.run) + " ready to yield"; }
std::string line(const event::ReplicaReady& e) { return "replica " + number(e.replica) + " ready"; }
std::string line(const event::NeedMeasured& e) {
  return "need s" + number(e.service) + " = " + number(e.replicas) + " + " + number(e.ramp) + " until " +
         seconds(e.valid_until_ms);
}
std::string line(const event::GuardPublished& e) { return "guard s" + number(e.service) + " = " + number(e.guard); }
std::string line(const event::NeedPlanned& e) {
  return "planned need s" + number(e.service) + " = " + number(e.replicas) + " from " + seconds(e.from_ms) + " until " +
         seconds(e.until_ms);
}
std::string line(const event::RequestArrived& e) { return "request for s" + number(e.service); }
std::string line(const event::ConfigSet&) { return "settings"; }
std::string line(const event::ServiceDeclared& e) {
  return "service s" + number(e.service.id) + " guard=" + number(e.service.guard) + " max=" + number(e.service.max) +
         " " + text(e.service.shape);
}
std::string line(const event::ServiceStopped& e) { return "service stopped s" + number(e.service); }
std::string line(const event::JobSubmitted& e) { return "job j" + number(e.job.id) + " submitted"; }
std::string line(const event::JobCancelled& e) { return "job j" + number(e.job) + " cancelled"; }
std::string line(const event::JobEdited& e) { return "job j" + number(e.job) + " edited"; }
std::string line(const event::JobHeld& e) { return "job j" + number(e.job) + (e.on ? " held" : " released"); }
std::string line(const event::JobRequeued& e) { return "job j" + number(e.job) + " requeued"; }
std::string line(const event::QuotaSet& e) { return "quota " + e.team.name + " = " + number(e.team.quota_cards); }
std::string line(const event::FreezeSet& e) { return std::string("freeze ") + (e.on ? "on" : "off"); }

// --- decisions ---
std::string line(const decision::StartRun& d) {
  std::string out =
      "start run " + number(d.run) + " of j" + number(d.job) + " #" + number(d.incarnation) + " on " + text(d.places);
  if (d.resume_progress_ms > 0) out += " from " + seconds(d.resume_progress_ms);
  if (d.speed_milli != kMilliPerCard) out += " speed " + number(d.speed_milli);
  if (d.loan) out += " on loan until " + seconds(d.loan_due_ms);
  if (d.claim.valid()) out += " claim " + number(d.claim);
  return out;
}
std::string line(const decision::AskYield& d) {
  return "ask run " + number(d.run) + " to yield, cause " + std::string(name_of(d.cause)) + ", claim " +
         number(d.claim) + ", not before " + seconds(d.not_before_ms) + (d.on_demand ? ", on demand" : "");
}
std::string line(const decision::WithdrawYield& d) { return "withdraw the request to run " + number(d.run); }
std::string line(const decision::StopRun& d) {
  return "stop run " + number(d.run) + ", cause " + std::string(name_of(d.cause));
}
std::string line(const decision::StartReplica& d) {
  return "start replica " + number(d.replica) + " of s" + number(d.service) + " v" + number(d.version) + " on " +
         text(d.place) + (d.claim.valid() ? " claim " + number(d.claim) : "");
}
std::string line(const decision::StopReplica& d) {
  return "stop replica " + number(d.replica) + ", cause " + std::string(name_of(d.cause));
}

// --- changes ---
std::string line(const change::JobStateSet& c) {
  return "job j" + number(c.job) + " is " + std::string(name_of(c.state));
}
std::string line(const change::JobRejected& c) {
  return "job j" + number(c.job) + " rejected: " + c.field + ": " + c.message;
}
std::string line(const change::TierSet& c) {
  return "job j" + number(c.job) + " tier " + c.tier + (c.promoted ? " promoted" : "") + (c.aged ? " aged" : "");
}
std::string line(const change::ClaimMade& c) {
  std::string out = "claim " + number(c.claim) + " (" + std::string(name_of(c.cause)) + ") for ";
  if (c.beneficiary == ClaimFor::job) out += "j" + number(c.job);
  if (c.beneficiary == ClaimFor::service) out += "s" + number(c.service);
  if (c.beneficiary == ClaimFor::guard_floor) out += "the guard";
  out += " on " + text(c.cards) + " victims";
  for (const change::ClaimVictim& victim : c.victims)
    out += " " + number(victim.run) + "@" + seconds(victim.boundary_ms) + "/" + seconds(victim.free_ms);
  for (const ReplicaId id : c.replicas) out += " r" + number(id);
  return out + " due " + seconds(c.due_ms) + " expires " + seconds(c.expires_ms);
}
std::string line(const change::ClaimEnded& c) { return "claim " + number(c.claim) + " " + std::string(name_of(c.how)); }
std::string line(const change::VictimDropped& c) { return "claim " + number(c.claim) + " drops run " + number(c.run); }
std::string line(const change::RunEnded& c) { return "run " + number(c.run) + " of j" + number(c.job) + " ended"; }
std::string line(const change::ReplicaStateSet& c) {
  return "replica " + number(c.replica) + " is " + std::string(name_of(c.state));
}
std::string line(const change::TargetSet& c) {
  return "target s" + number(c.service) + " = " + number(c.target) + " guard " + number(c.guard);
}
std::string line(const change::Alarm& c) { return "alarm " + std::string(name_of(c.kind)); }

std::string line(const PlannedJob& job) {
  const JobSpec& spec = job.spec;
  std::string out = "j" + number(spec.id) + " at " + seconds(spec.submitted_ms);
  for (const WorkerGroup& group : spec.roles) out += " " + number(group.count) + "x(" + text(group.shape) + ")";
  out += " run=" + seconds(job.truth.run_ms) + " ckpt=";
  if (spec.ckpt.mode == CheckpointMode::none) out += "none";
  if (spec.ckpt.mode == CheckpointMode::on_demand) out += "on_demand";
  if (spec.ckpt.mode == CheckpointMode::interval) out += seconds(spec.ckpt.interval_ms);
  if (spec.ckpt.write_ms > 0) out += " write=" + seconds(spec.ckpt.write_ms);
  if (spec.ckpt.restart_ms > 0) out += " restart=" + seconds(spec.ckpt.restart_ms);
  if (spec.ckpt.scope == CheckpointScope::node) out += " scope=node";
  if (spec.limit_ms > 0) out += " limit=" + seconds(spec.limit_ms);
  if (spec.declared_run_ms > 0) out += " declared=" + seconds(spec.declared_run_ms);
  if (spec.deadline_ms < kNever) out += " deadline=" + seconds(spec.deadline_ms);
  if (!spec.tier.empty()) out += " tier=" + spec.tier;
  if (!spec.team.empty()) out += " team=" + spec.team;
  if (!spec.type.empty()) out += " type=" + spec.type;
  if (!spec.models.empty()) out += " models=" + joined(spec.models) + (spec.models_in_order ? " in order" : "");
  if (spec.one_per_node) out += " one_per_node";
  if (spec.within != GangScope::any) out += " within=" + number(static_cast<std::int64_t>(spec.within));
  if (!spec.elastic.empty()) out += " elastic";
  if (!spec.done_when.empty()) out += " done_when=" + spec.done_when;
  for (const JobId before : spec.after) out += " after=j" + number(before);
  if (job.truth.fails_at_launch != 0)
    out += " fails=" + number(job.truth.fails_at_launch) + " retries=" + number(spec.max_retries);
  return out;
}

std::string line(const ServiceSpec& service) {
  std::string out = "s" + number(service.id) + " " + text(service.shape) + " guard=" + number(service.guard) +
                    " max=" + number(service.max) +
                    (service.service_class == ServiceClass::core ? " core" : " standard");
  if (service.tier_weight >= 0) out += " weight=" + number(service.tier_weight);
  if (!service.team.empty()) out += " team=" + service.team;
  if (!service.models.empty()) out += " models=" + joined(service.models);
  return out + " start=" + seconds(service.start_ms) + " drain=" + seconds(service.drain_ms) +
         " max_missing=" + number(service.max_missing);
}

std::string line(const Settings& s) {
  std::string out = "guard=" + number(s.guard_min_cards) + (s.guard_shapes.empty() ? "" : " as 2-card shapes") +
                    " buffer=" + number(s.buffer_cards) + (s.buffer_mode == BufferMode::hold ? " hold" : " lend") +
                    " lead=" + seconds(s.lead_time_ms) + " floor=" + number(s.training_floor_cards);
  if (s.nonpreemptible_max_cards < kUnlimited) out += " nonpreemptible_max=" + number(s.nonpreemptible_max_cards);
  for (const TeamSpec& team : s.teams) {
    out += " " + team.name + "=" + (team.has_quota ? number(team.quota_cards) : "none") + (team.borrow ? "+" : "");
  }
  out += std::string(" order=") + std::string(name_of(s.order)) + (s.rotation.on ? " rotation" : "") +
         " aging=" + seconds(s.aging_max_wait_ms) + (s.preempt_enabled ? "" : " no_preempt") +
         (s.only_at_checkpoint ? "" : " kill_allowed") + " min_run=" + seconds(s.min_run_ms) +
         " emergency=" + number(static_cast<std::int64_t>(s.on_emergency)) +
         (s.backfill ? " backfill=" + number(s.backfill_depth) : " no_backfill") +
         " defrag=" + number(static_cast<std::int64_t>(s.defrag)) + " moves=" + number(s.moves_per_hour) +
         " hold_down=" + seconds(s.hold_down_ms) + " stale=" + seconds(s.stale_need_ms) +
         " heartbeat=" + seconds(s.heartbeat_ms);
  if (s.promote_slack_ms >= 0) out += " slack=" + seconds(s.promote_slack_ms);
  if (s.deadline_budget_ms >= 0) out += " budget=" + seconds(s.deadline_budget_ms);
  return out;
}

const char* const kFaultNames[] = {"down", "silent", "drain", "card fault", "fewer cards"};
const char* const kActNames[] = {"cancel",       "hold",         "requeue",       "edit tier",      "edit deadline",
                                 "edit limit",   "freeze",       "process fails", "replica fails",  "guard",
                                 "need planned", "stop service", "quota",         "restart engine", "request"};

}  // namespace

std::string line_of(const Event& event) {
  return std::visit([](const auto& body) { return line(body); }, event.body);
}
std::string line_of(const Decision& decision) {
  return std::visit([](const auto& body) { return line(body); }, decision.body);
}
std::string line_of(const Change& change) {
  return std::visit([](const auto& body) { return line(body); }, change);
}
std::string line_of(const Reasons& reasons) {
  std::string out;
  for (const Reason& reason : reasons) {
    out += (out.empty() ? "" : ", ") + std::string(name_of(reason.code)) + "(" + number(reason.amount) + " of " +
           number(reason.of);
    if (reason.job.valid()) out += " j" + number(reason.job);
    out += ")";
  }
  return out.empty() ? "no reason" : out;
}

std::string text_of(const WorldPlan& plan) {
  std::string out = "seed " + std::to_string(plan.seed) + ", exit takes " + seconds(plan.executor.exit_ms) + "\n";
  out += "settings " + line(plan.settings) + "\n";
  for (const NodeSpec& node : plan.nodes) {
    out += "node n" + number(node.id) + " " + number(node.cards) + " cards model=" + node.model;
    if (node.card_mem_mib < kUnlimited) out += " mem=" + number(node.card_mem_mib);
    if (node.cpu_milli < kUnlimited) out += " cpu=" + number(node.cpu_milli) + " ram=" + number(node.ram_mib);
    if (!node.group.empty()) out += " group=" + node.group + " rack=" + node.rack;
    out += "\n";
  }
  for (const ServiceSpec& service : plan.services) out += "service " + line(service) + "\n";
  for (const PlannedJob& job : plan.jobs) out += "job " + line(job) + "\n";
  for (const PlannedNeed& need : plan.needs) out += "at " + seconds(need.at_ms) + " " + line(need.need) + "\n";
  for (const PlannedFault& fault : plan.faults) {
    out += std::string("fault ") + kFaultNames[static_cast<std::size_t>(fault.kind)] + " n" + number(fault.node) +
           " from " + seconds(fault.at_ms) + " until " + seconds(fault.until_ms) + " card=" + number(fault.card) +
           " code=" + number(fault.code) + " cards=" + number(fault.cards) + "\n";
  }
  for (const PlannedAct& act : plan.acts) {
    out += std::string("act ") + kActNames[static_cast<std::size_t>(act.kind)] + " at " + seconds(act.at_ms) +
           " until " + seconds(act.until_ms) + " j" + number(act.job) + " s" + number(act.service) +
           " amount=" + number(act.amount) + " " + act.name + "\n";
  }
  return out;
}

}  // namespace weir::property
