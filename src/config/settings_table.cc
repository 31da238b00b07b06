#include "config/settings_table.h"

#include <array>

namespace weir {

namespace {

using Row = Field<PoolConfig>;
using Rows = std::vector<Row>;

constexpr Range kCards{0, kCardsMax};
constexpr Range kAnyDuration{0, 365 * kDay};
constexpr Range kRealDuration{kSecond, 365 * kDay};  // that nought would break
constexpr std::int64_t kGpuHoursMax = 1'000'000'000;
constexpr std::int64_t kMilliGpuHour = std::int64_t{kMilliPerCard} * kHour;

// In the order of the enumerators.
constexpr std::array<std::string_view, 4> kScopeWords = {"any", "group", "rack", "island"};
constexpr std::array<std::string_view, 3> kEmergencyWords = {"wait", "on_demand", "kill"};
constexpr std::array<std::string_view, 3> kOrderWords = {"attained", "response_ratio", "fifo"};
constexpr std::array<std::string_view, 2> kBufferWords = {"lend", "hold"};
constexpr std::array<std::string_view, 3> kDefragWords = {"off", "waiter", "background"};
constexpr std::array<std::string_view, 2> kFaultWords = {"restart_job", "remove_gpu_until_ok"};

// Errors of the application, not of the card (engine.md 9); all others remove the card.
constexpr std::array<std::int32_t, 5> kRestartCodes = {13, 31, 43, 45, 94};

void read_fault_policy(const Value& value, PoolConfig& out) {
  constexpr std::int64_t kCodeMax = 100'000;
  const auto section = value.section();
  if (!section) return;
  for (const YamlEntry& entry : value.node().entries) {
    const Value policy(entry.value, section->path_of(entry.key), value.problems());
    const auto code = parse_whole(entry.key);
    if (!code || *code < 0 || *code > kCodeMax) {
      value.problems().add(entry.at, policy.path(), "expects the number of an error, from 0 to 100000, as key");
    } else if (const auto index = policy.word(kFaultWords)) {
      out.settings.fault_policy[static_cast<std::int32_t>(*code)] = static_cast<FaultPolicy>(*index);
    }
  }
}

std::string show_fault_policy(const PoolConfig& in) {
  std::string out;
  for (const auto& [code, policy] : in.settings.fault_policy) {
    out += (out.empty() ? "{" : ", ") + std::to_string(code) + ": " +
           std::string(kFaultWords[static_cast<std::size_t>(policy)]);
  }
  return out.empty() ? out : out + "}";
}

Rows pool_sizes() {
  return {
      field::whole<PoolConfig>("total_gpus", WEIR_AT(settings.total_gpus), {1, kCardsMax},
                               "Cards of the pool; without a nodes section they stand in nodes of 8.",
                               "the sum over nodes"),
      field::whole<PoolConfig>("inference_guard_min", WEIR_AT(settings.guard_min_cards), kCards,
                               "Cards that inference is owed at all times; what no service's guard uses is kept free."),
      Row{{"guard_shapes", "list of shapes", "shapes of one card", "",
           "How the guard that no service uses is kept free: numbers of GPUs per shape, or shapes "
           "{gpus, gpu_mem_mib, milli, cpu, mem, count}."},
          read_guard_shapes,
          show_guard_shapes},
      field::whole<PoolConfig>("elastic_buffer", WEIR_AT(settings.buffer_cards), kCards,
                               "Cards that must be to hand for a rise of inference load within lead_time."),
      field::whole<PoolConfig>("training_floor", WEIR_AT(settings.training_floor_cards), kCards,
                               "Cards that inference above its guard never takes from training.",
                               "min(25 % of the pool, pool - guard - elastic_buffer)"),
      field::whole<PoolConfig>("training_nonpreemptible_max", WEIR_AT(settings.nonpreemptible_max_cards), kCards,
                               "Cards that training which cannot be preempted may hold together.",
                               "pool - guard - 2 x elastic_buffer"),
      field::name<PoolConfig>("default_tier", WEIR_AT(settings.default_tier),
                              "The training tier of work that names none.",
                              "train_normal, else the training tier of most weight"),
      field::word<PoolConfig>("gang_within", WEIR_AT(settings.gang_within), kScopeWords,
                              "How near to each other the workers of a gang must be when the job does not say."),
  };
}

Rows pool_rules() {
  const auto duration = [](const char* key, auto get, field::DurationRule rule, const char* help) {
    return field::duration<PoolConfig>(key, get, rule, help);
  };
  return {
      duration("hold_down", WEIR_AT(settings.hold_down_ms), {.range = kAnyDuration},
               "How long at least replicas are kept after load fell; twice a service's start time if that is more."),
      duration("stale_need", WEIR_AT(settings.stale_need_ms), {.range = kRealDuration, .never = "never"},
               "Age at which a measured need counts as unknown; replicas are then held."),
      duration("node_timeout", WEIR_AT(settings.node_timeout_ms), {.range = kRealDuration},
               "Silence after which the runs of a node count as lost."),
      duration("heartbeat", WEIR_AT(settings.heartbeat_ms), {.range = {kSecond, kHour}},
               "The engine looks at the pool at least this often."),
      duration("backoff_first", WEIR_AT(settings.backoff_first_ms), {.range = kAnyDuration},
               "Wait after a job's first failure of its own; four times as long after each further one."),
      duration("backoff_max", WEIR_AT(settings.backoff_max_ms), {.range = kAnyDuration}, "The longest such wait."),
      Row{{"fault_policy", "map from error number to `restart_job` or `remove_gpu_until_ok`",
           "restart_job for 13, 31, 43, 45 and 94; remove_gpu_until_ok for all others", "",
           "What an error reported by a card does; what is given here is added to the default."},
          read_fault_policy,
          show_fault_policy},
      field::flag<PoolConfig>("shadow", WEIR_AT(settings.shadow), "Decide and record, but carry nothing out."),
  };
}

Rows preempt_rows() {
  return {
      field::flag<PoolConfig>("enabled", WEIR_AT(settings.preempt_enabled),
                              "Whether work may be asked to yield at all; off, the guard is kept by admission only."),
      field::flag<PoolConfig>("only_at_checkpoint", WEIR_AT(settings.only_at_checkpoint),
                              "Whether training yields only at checkpoints; off, it may be stopped at any time."),
      field::duration<PoolConfig>("checkpoint_interval_min", WEIR_AT(settings.assumed_interval_ms),
                                  {.range = {kSecond, 7 * kDay}, .plain_unit = kMinute},
                                  "Checkpoint interval of a job that checkpoints without saying how often."),
      field::duration<PoolConfig>("min_run", WEIR_AT(settings.min_run_ms), {.range = kAnyDuration},
                                  "Useful work that a resumed run is left to do before it yields again."),
      field::word<PoolConfig>("on_emergency", WEIR_AT(settings.on_emergency), kEmergencyWords,
                              "What may be done to training when inference lacks cards now."),
      field::duration<PoolConfig>("claim_grace", WEIR_AT(settings.claim_grace_ms), {.range = kAnyDuration},
                                  "How long at least a claim outlives the time it was due."),
      field::milli<PoolConfig>("claim_grace_share", WEIR_AT(settings.claim_grace_permille), {0, 10'000},
                               "The same as a share of the time from claim to due; the longer of both counts."),
      field::duration<PoolConfig>("lateness_step", WEIR_AT(settings.lateness_step_ms), {.range = kRealDuration},
                                  "Steps in which the lateness of two plans is compared."),
  };
}

Rows order_rows() {
  return {
      field::word<PoolConfig>("rule", WEIR_AT(settings.order), kOrderWords, "Who comes first inside a training tier."),
      field::duration<PoolConfig>("share_half_life", WEIR_AT(settings.share_half_life_ms), {.range = kRealDuration},
                                  "Time in which past use of a team counts half."),
  };
}

Rows rotation_rows() {
  const auto duration = [](const char* key, auto get, const char* help) {
    return field::duration<PoolConfig>(key, get, {.range = kAnyDuration}, help);
  };
  return {
      field::flag<PoolConfig>("enabled", WEIR_AT(settings.rotation.on),
                              "Whether waiting work may take the cards of its equals, at checkpoints."),
      field::hours<PoolConfig>("first_service", WEIR_AT(settings.rotation.first_service), kMilliGpuHour, 1'000'000,
                               "Work below this goes first, and may take from work above it."),
      duration("victim_after", WEIR_AT(settings.rotation.victim_after_ms),
               "Useful work since its start after which a run may be taken by a job's first service."),
      duration("gang_after", WEIR_AT(settings.rotation.gang_after_ms),
               "Wait since submission after which a gang may take from runs no larger than itself."),
      duration("gang_victim_after", WEIR_AT(settings.rotation.gang_victim_after_ms),
               "Useful work since its start after which a run may be taken by such a gang."),
      duration("short_limit", WEIR_AT(settings.rotation.short_limit_ms),
               "Work that cannot be preempted takes from equals only if its limit is no longer than this."),
  };
}

Rows deadline_rows() {
  Rows rows = {
      field::duration<PoolConfig>("slack", WEIR_AT(settings.promote_slack_ms), {.range = kAnyDuration},
                                  "A fixed slack at which a job with a deadline is promoted, in place of the next two.",
                                  "by the rule"),
      field::milli<PoolConfig>("slack_share", WEIR_AT(settings.slack_permille_of_remaining), {0, 10'000},
                               "Promoted when the slack is at most this share of the remaining time,"),
      field::duration<PoolConfig>("slack_floor", WEIR_AT(settings.slack_floor_ms), {.range = kAnyDuration},
                                  "or at most this long, two checkpoint intervals or the restart."),
      field::duration<PoolConfig>("unknown_horizon", WEIR_AT(settings.unknown_horizon_ms), {.range = kAnyDuration},
                                  "With the remaining time unknown: promoted when the deadline is nearer than this."),
  };
  Row budget =
      field::hours<PoolConfig>("budget", WEIR_AT(settings.deadline_budget_ms), kHour, kGpuHoursMax,
                               "GPU-hours in 168 h that may be promoted in a pool without teams; `none` = no bound.",
                               "(pool - guard) x 168 h x 20 %");
  budget.type += " or `none`";
  budget.read = [hours = budget.read](const Value& value, PoolConfig& out) {
    if (value.is_word("none")) {
      out.settings.deadline_budget_ms = -1;
    } else {
      hours(value, out);
    }
  };
  budget.show = [hours = budget.show](const PoolConfig& in) {
    return in.settings.deadline_budget_ms < 0 ? "none" : hours(in);
  };
  rows.push_back(std::move(budget));
  return rows;
}

Rows aging_rows() {
  return {field::duration<PoolConfig>("max_wait", WEIR_AT(settings.aging_max_wait_ms),
                                      {.range = kRealDuration, .never = "off"},
                                      "Time in the queue after which work goes first in its tier.")};
}

Rows backfill_rows() {
  return {field::flag<PoolConfig>("enabled", WEIR_AT(settings.backfill),
                                  "Whether later work may use cards that earlier work waits for."),
          field::whole<PoolConfig>("depth", WEIR_AT(settings.backfill_depth), {1, 1000},
                                   "Waiting pieces of work that hold a reservation, per GPU model.")};
}

Rows buffer_rows() {
  return {field::word<PoolConfig>("mode", WEIR_AT(settings.buffer_mode), kBufferWords,
                                  "Whether training may use the buffer as long as it can yield within lead_time."),
          field::duration<PoolConfig>("lead_time", WEIR_AT(settings.lead_time_ms), {.range = kAnyDuration},
                                      "Time within which the buffer must be to hand.",
                                      "preempt.checkpoint_interval_min + 90s")};
}

Rows defrag_rows() {
  return {field::word<PoolConfig>(
              "mode", WEIR_AT(settings.defrag), kDefragWords,
              "Whether runs are moved to join free cards: never, for a waiting job, or also when quiet."),
          field::whole<PoolConfig>("moves_per_hour", WEIR_AT(settings.moves_per_hour), {0, 100'000},
                                   "Moves in the background that one hour may have."),
          field::whole<PoolConfig>("mix_starts", WEIR_AT(settings.mix_starts), {1, 1'000'000},
                                   "Submissions over which the mix of shapes lately asked for is taken,"),
          field::duration<PoolConfig>("mix_window", WEIR_AT(settings.mix_window_ms), {.range = kRealDuration},
                                      "and no further back than this.")};
}

// --- settings of the rooms around the engine, kept as text ---

struct OuterKey {
  std::string_view section;
  std::string_view key;
  std::string_view fallback;  // "" = not set
  std::string_view help;
};

constexpr std::array kOuterKeys = {
    OuterKey{"executor", "kind", "local", "What carries decisions out: `local`, `slurm`, `kubernetes` or `simulated`."},
    OuterKey{"executor", "work_dir", "/var/lib/weir/runs", "Folder in which runs keep their files."},
    OuterKey{"store", "path", "/var/lib/weir/weir.db", "File of the journal and the history."},
    OuterKey{"store", "keep", "90d", "How long finished jobs can be looked up."},
    OuterKey{"server", "listen", "127.0.0.1:8080", "Address and port of the API and the panel."},
    OuterKey{"server", "tls_cert", "", "Certificate file; with it the server speaks TLS."},
    OuterKey{"server", "tls_key", "", "Key file of the certificate."},
    OuterKey{"auth", "mode", "token", "Who may call: `token`, or `none` on a machine of one's own."},
    OuterKey{"auth", "tokens_file", "/etc/weir/tokens", "File of the tokens."},
};

constexpr std::array<std::string_view, 4> kExecutorWords = {"local", "slurm", "kubernetes", "simulated"};
constexpr std::array<std::string_view, 2> kAuthWords = {"token", "none"};

bool outer_value_fits(const OuterKey& outer, const Value& value) {
  if (outer.key == "kind") return value.word(kExecutorWords).has_value();
  if (outer.key == "mode") return value.word(kAuthWords).has_value();
  if (outer.key == "keep") return value.duration(kSecond, kRealDuration).has_value();
  return read_name(value).has_value();
}

Rows outer_rows(std::string_view section) {
  Rows rows;
  for (const OuterKey& outer : kOuterKeys) {
    if (outer.section != section) continue;
    Row row{{std::string(outer.key), "text", std::string(outer.fallback), {}, std::string(outer.help)}, {}, {}};
    row.read = [&outer](const Value& value, PoolConfig& out) {
      if (!outer_value_fits(outer, value)) return;
      out.outer[std::string(outer.section)][std::string(outer.key)] = value.node().text;
    };
    row.show = [&outer](const PoolConfig& in) {
      const auto found = in.outer.find(std::string(outer.section));
      if (found == in.outer.end()) return std::string();
      const auto text = found->second.find(std::string(outer.key));
      return text == found->second.end() ? std::string() : yaml_text(text->second);
    };
    rows.push_back(std::move(row));
  }
  return rows;
}

Rows joined(Rows rows, Rows more) {
  for (Row& row : more) rows.push_back(std::move(row));
  return rows;
}

// The section that an unknown key would be right in.
std::string home_of(std::string_view key) {
  for (const SectionRow& section : settings_table()) {
    if (section.form != "map") continue;
    for (const FieldDoc& field : section.fields) {
      if (field.key == key) return section.name;
    }
  }
  return {};
}

std::string print_map(const std::string& name, const Rows& rows, const PoolConfig& config) {
  std::string out = name + ":\n";
  for (const Row& row : rows) {
    const std::string value = row.show(config);
    if (!value.empty()) out += "  " + row.key + ": " + value + "  # " + row.help + "\n";
  }
  return out;
}

// A section of fixed keys. With `short_key` it may be written as that key's value alone.
SectionRow map_section(const std::string& name, std::string help, Rows rows, const std::string& short_key = {}) {
  SectionRow section{.name = name, .form = "map", .help = std::move(help), .fields = {}, .read = {}, .print = {}};
  for (const Row& row : rows) section.fields.push_back(row);
  if (!short_key.empty()) section.help += " Written as one value it is `" + short_key + "`.";
  section.print = [name, rows](const PoolConfig& config) { return print_map(name, rows, config); };
  section.read = [rows = std::move(rows), short_key](const Value& value, Draft& draft) {
    if (value.is_scalar() && !short_key.empty()) {
      for (const Row& row : rows) {
        if (row.key != short_key) continue;
        draft.given.emplace(value.path() + "." + short_key, value.at());
        row.read(value, draft.config);
      }
      return;
    }
    read_fields<PoolConfig>(value, rows, draft.config, draft.given, home_of);
  };
  return section;
}

std::vector<SectionRow> make_table() {
  return {
      map_section("pool", "What the pool is and what inference is owed.", joined(pool_sizes(), pool_rules())),
      map_section("preempt", "When work yields.", preempt_rows()),
      tiers_section(),
      nodes_section(),
      teams_section(),
      services_section(),
      profiles_section(),
      map_section("order", "Who comes first among equals.", order_rows(), "rule"),
      map_section("rotation", "Taking among equals.", rotation_rows(), "enabled"),
      map_section("deadline", "Promotion of jobs with a deadline.", deadline_rows()),
      map_section("aging", "The longest wait.", aging_rows(), "max_wait"),
      map_section("backfill", "Work that passes earlier work.", backfill_rows(), "enabled"),
      map_section("buffer", "Cards to hand for inference.", buffer_rows(), "mode"),
      map_section("defrag", "How fragments become whole again.", defrag_rows(), "mode"),
      map_section("executor", "What carries decisions out; read by the daemon.", outer_rows("executor")),
      map_section("store", "What is kept on disk; read by the daemon.", outer_rows("store")),
      map_section("server", "The API and the panel; read by the daemon.", outer_rows("server")),
      map_section("auth", "Who may call; read by the daemon.", outer_rows("auth")),
  };
}

}  // namespace

const std::vector<SectionRow>& settings_table() {
  static const std::vector<SectionRow> table = make_table();
  return table;
}

Place Draft::place_of(std::string_view path) const {
  for (;;) {
    if (const auto found = given.find(path); found != given.end()) return found->second;
    const std::size_t cut = path.find_last_of(".[");
    if (cut == std::string_view::npos) return {1, 1};
    path = path.substr(0, cut);
  }
}

void Draft::problem(const Value& element, std::string message, ErrorCode code) const {
  element.problems().add(place_of(element.path()), element.path(), std::move(message), code);
}

PoolConfig fresh_config() {
  PoolConfig config;
  for (const std::int32_t code : kRestartCodes) config.settings.fault_policy[code] = FaultPolicy::restart_job;
  for (const OuterKey& outer : kOuterKeys) {
    if (!outer.fallback.empty()) config.outer[std::string(outer.section)].emplace(outer.key, outer.fallback);
  }
  return config;
}

}  // namespace weir
