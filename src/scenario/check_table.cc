#include <initializer_list>

#include "scenario/check.h"

namespace weir::scenario {

namespace {

using Fields = std::vector<FieldDef>;

Fields operator+(Fields a, const Fields& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const Fields kJob = {{"job", Want::job, true}, {"unless_rejected", Want::flag}};
const Fields kMaybeJob = {{"job", Want::job}, {"jobs", Want::jobs}, {"unless_rejected", Want::flag}};
const Fields kService = {{"service", Want::service, true}};
const Fields kInstant = {{"by", Want::seconds}, {"not_before", Want::seconds}};
// Occurrences in a stretch of time.
const Fields kTimes = {{"times", Want::count},  {"equals", Want::count}, {"min", Want::count},
                       {"max", Want::count},    {"by", Want::seconds},   {"not_before", Want::seconds},
                       {"during", Want::window}};
const Fields kWhen = {{"t", Want::seconds},
                      {"at", Want::seconds},
                      {"during", Want::window},
                      {"from", Want::seconds},
                      {"until", Want::seconds}};
const Fields kAmount = {{"equals", Want::count}, {"min", Want::count}, {"max", Want::count}};
const Fields kGpus = {{"equals", Want::gpus}, {"min", Want::gpus}, {"max", Want::gpus}};

Fields tally_fields() {
  Fields fields;
  for (const std::string_view name : reason_words()) fields.push_back({name, Want::count});
  return fields;
}

std::vector<CheckDef> checks_on_times() {
  return {
      {"starts",
       kMaybeJob + kInstant +
           Fields{{"within", Want::seconds}, {"node", Want::node}, {"nodes", Want::nodes}, {"on", Want::nodes}},
       judge_starts},
      {"starts_each", Fields{{"jobs", Want::jobs, true}} + kInstant, judge_starts_each},
      {"ends_each", Fields{{"jobs", Want::jobs, true}} + kInstant + Fields{{"state", Want::state}}, judge_ends},
      {"first_start_of_any", Fields{{"jobs", Want::jobs, true}} + kInstant, judge_first_start_of_any},
      {"starts_after",
       kJob + Fields{{"after_start_of", Want::job}, {"after_end_of", Want::job}, {"within", Want::seconds}},
       judge_starts_after},
      {"not_started", kMaybeJob + Fields{{"until", Want::seconds}}, judge_not_started},
      {"ends", kMaybeJob + kInstant + Fields{{"state", Want::state}}, judge_ends},
      {"resumes", kJob + kInstant + Fields{{"progress_at_least", Want::seconds}, {"progress_at_most", Want::seconds}},
       judge_resumes},
      {"resume_points", kJob + Fields{{"at_least", Want::seconds_list}, {"equals", Want::seconds_list}},
       judge_resume_points},
      {"overlap", Fields{{"job", Want::job}, {"jobs", Want::jobs}, {"allowed", Want::flag}}, judge_overlap},
  };
}

std::vector<CheckDef> checks_on_states() {
  return {
      {"placed_on",
       Fields{{"job", Want::job},
              {"service", Want::service},
              {"node", Want::node},
              {"nodes", Want::nodes},
              {"model", Want::model},
              {"models", Want::models},
              {"cards", Want::counts},
              {"node_count", Want::count},
              {"group", Want::text},
              {"attempt", Want::count},
              {"unless_rejected", Want::flag}},
       judge_placed_on},
      {"state",
       Fields{{"job", Want::job},
              {"node", Want::node},
              {"t", Want::seconds},
              {"at", Want::seconds},
              {"by", Want::seconds},
              {"equals", Want::state},
              {"is", Want::state},
              {"state", Want::state},
              {"one_of", Want::states},
              {"in", Want::states},
              {"never", Want::states}},
       judge_state},
      {"tier_at", kJob + Fields{{"at", Want::seconds, true}, {"equals", Want::tier, true}}, judge_tier_at},
      {"rejected", Fields{{"job", Want::job, true}, {"field", Want::text}}, judge_rejected},
      {"version", kService + Fields{{"all", Want::count, true}, {"by", Want::seconds, true}}, judge_version},
      {"answered", kService + Fields{{"within", Want::seconds, true}}, judge_answered},
      {"eta_contains_start", kJob, judge_eta_contains_start},
  };
}

std::vector<CheckDef> checks_that_count() {
  return {
      {"preempted", kMaybeJob + kTimes, judge_preempted},
      {"total_preemptions", kTimes, judge_total_preemptions},
      {"each_job_preempted", kAmount + Fields{{"jobs", Want::jobs}}, judge_each_job_preempted},
      {"preempted_at_boundary", kMaybeJob, judge_preempted_at_boundary},
      {"yields", kMaybeJob + kTimes + Fields{{"cause", Want::cause}}, judge_yields},
      {"yield_asked", kMaybeJob + kTimes + Fields{{"cause", Want::cause}}, judge_yield_asked},
      {"withdrawn", kMaybeJob + kTimes, judge_withdrawn},
      {"moves", kMaybeJob + kTimes, judge_moves},
      {"lost_work",
       Fields{{"job", Want::job_or_all},
              {"jobs", Want::jobs},
              {"max_s", Want::seconds},
              {"equals_s", Want::seconds},
              {"min_s", Want::seconds}},
       judge_lost_work},
      {"starts_count", kMaybeJob + kTimes, judge_starts_count},
      {"attempts", kMaybeJob + kTimes, judge_starts_count},
      {"reclaimed_replicas", kService + kTimes, judge_reclaimed_replicas},
  };
}

std::vector<CheckDef> checks_on_the_engine() {
  return {
      {"scale_events",
       kService + Fields{{"up_max", Want::count},
                         {"down_max", Want::count},
                         {"up_min", Want::count},
                         {"down_min", Want::count},
                         {"max", Want::count},
                         {"during", Want::window}},
       judge_scale_events},
      {"cycles", kTimes + Fields{{"max_gap_s", Want::seconds}, {"max_gap", Want::seconds}}, judge_cycles},
      {"alive", Fields{{"during", Want::window}}, judge_alive},
      {"counter", Fields{{"name", Want::text, true}, {"t", Want::seconds}, {"at", Want::seconds}} + kAmount,
       judge_counter},
      {"log_lines_about",
       Fields{{"job", Want::job},
              {"node", Want::node},
              {"service", Want::service},
              {"text", Want::text},
              {"during", Want::window}} +
           kAmount,
       judge_log_lines_about},
      {"claims", Fields{{"job", Want::job}, {"service", Want::service}, {"how", Want::claim_end}} + kTimes,
       judge_claims},
      {"loans", kMaybeJob + kTimes, judge_loans},
      {"alarms", Fields{{"kind", Want::alarm, true}} + kTimes, judge_alarms},
  };
}

std::vector<CheckDef> checks_over_time() {
  return {
      {"uses",
       Fields{{"team", Want::team},
              {"node", Want::node},
              {"model", Want::model},
              {"service", Want::service},
              {"job", Want::job},
              {"reported_free", Want::count}} +
           kWhen + kGpus,
       judge_uses},
      {"replicas", kService + kWhen + kAmount + Fields{{"ready", Want::flag}}, judge_replicas},
      {"idle", Fields{{"node", Want::node}, {"model", Want::model}} + kWhen + kAmount, judge_idle},
      {"running_count", Fields{{"jobs", Want::jobs}, {"team", Want::team}} + kWhen + kAmount, judge_running_count},
      {"pending_count", Fields{{"jobs", Want::jobs}, {"team", Want::team}, {"code", Want::codes}} + kWhen + kAmount,
       judge_pending_count},
      {"workers_running", kJob + kWhen + kAmount, judge_workers_running},
      {"per_gpu",
       Fields{{"node", Want::node},
              {"gpu", Want::count},
              {"gpu_index", Want::count},
              {"equals", Want::gpus_list},
              {"min", Want::gpus},
              {"max", Want::gpus},
              {"mem_mib", Want::counts},
              {"max_mem_mib", Want::count},
              {"min_mem_mib", Want::count},
              {"jobs", Want::count},
              {"min_jobs", Want::count},
              {"max_jobs", Want::count}} +
           kWhen,
       judge_per_gpu},
      {"capacity", Fields{{"node", Want::node}, {"model", Want::model}} + kWhen + kAmount, judge_capacity},
      {"ledger_zero", kWhen, judge_ledger_zero},
      {"views_agree", kWhen, judge_views_agree},
      {"reported_equals_actual", Fields{{"team", Want::team}, {"node", Want::node}, {"service", Want::service}} + kWhen,
       judge_reported_equals_actual},
  };
}

std::vector<CheckDef> checks_on_reasons() {
  return {
      {"reason",
       Fields{{"job", Want::job},
              {"replica_of", Want::service},
              {"at", Want::seconds},
              {"t", Want::seconds},
              {"during", Want::window},
              {"code", Want::codes, true},
              {"unless_rejected", Want::flag}},
       judge_reason},
      {"reason_never",
       Fields{{"job", Want::job},
              {"replica_of", Want::service},
              {"during", Want::window},
              {"code", Want::codes, true},
              {"unless_rejected", Want::flag}},
       judge_reason_never},
      {"reason_names", kJob + Fields{{"at", Want::seconds, true}, {"holder", Want::job, true}}, judge_reason_names},
      {"reason_breakdown",
       kJob +
           Fields{{"at", Want::seconds},
                  {"t", Want::seconds},
                  {"nodes", Want::tally},
                  {"equals", Want::tally},
                  {"counts", Want::tally},
                  {"causes", Want::tally},
                  {"total", Want::count}} +
           tally_fields(),
       judge_reason_breakdown},
  };
}

std::vector<CheckDef> make_table() {
  std::vector<CheckDef> table;
  for (const auto part : {checks_on_times, checks_on_states, checks_that_count, checks_on_the_engine, checks_over_time,
                          checks_on_reasons}) {
    const std::vector<CheckDef> checks = part();
    table.insert(table.end(), checks.begin(), checks.end());
  }
  return table;
}

}  // namespace

std::span<const CheckDef> check_table() {
  static const std::vector<CheckDef> table = make_table();
  return table;
}

const CheckDef* find_check(std::string_view name) {
  for (const CheckDef& check : check_table())
    if (check.name == name) return &check;
  return nullptr;
}

}  // namespace weir::scenario
