// Events of a scenario: a time, and one thing that happens.
#include <algorithm>
#include <array>
#include <functional>

#include "config/quantity.h"
#include "scenario/parse.h"

namespace weir::scenario {

namespace {

constexpr std::string_view kHostOf = "host of ";

// --- targets ---

// A node, several, or the one a job runs on ("host of J").
void put_nodes(const Value& value, const Happening& base, Scenario& s) {
  const auto texts = value.is_scalar() || value.is_list() ? names_of(value) : std::nullopt;
  if (!texts) return;
  for (const std::string& text : *texts) {
    Happening event = base;
    if (text.starts_with(kHostOf)) {
      const auto job = known_id(value, text.substr(kHostOf.size()), "job", s.job_ids);
      if (!job) return;
      event.host_of = *job;
    } else {
      const auto node = known_id(value, text, "node", s.node_ids);
      if (!node) return;
      event.node = *node;
    }
    s.events.push_back(event);
  }
}

std::optional<JobId> job_field(Section& section, const Scenario& s) {
  const auto value = section.require("job");
  const auto name = value ? value->text() : std::nullopt;
  return name ? known_id(*value, *name, "job", s.job_ids) : std::nullopt;
}

std::optional<ServiceId> service_field(Section& section, const Scenario& s) {
  const auto value = section.require("service");
  const auto name = value ? value->text() : std::nullopt;
  return name ? known_id(*value, *name, "service", s.service_ids) : std::nullopt;
}

std::int32_t number_field(Section& section, std::string_view key, std::int32_t fallback) {
  return static_cast<std::int32_t>(section.whole(key, fallback, kCountRange));
}

std::optional<std::int32_t> maybe_number(Section& section, std::string_view key) {
  const auto value = section.get(key);
  const auto number = value ? value->whole(kCountRange) : std::nullopt;
  return number ? std::optional(static_cast<std::int32_t>(*number)) : std::nullopt;
}

void finish(Section& section) {
  section.allow("note");
  section.finish();
}

// --- one reader per kind of event ---

void read_node_act(const Value& value, const Happening& base, Scenario& s) {
  if (!value.is_map()) return put_nodes(value, base, s);
  auto section = value.section();
  if (const auto node = section->require("node")) put_nodes(*node, base, s);
  finish(*section);
}

void read_job_act(const Value& value, const Happening& given, Scenario& s) {
  Happening base = given;
  std::optional<std::vector<std::string>> names;
  if (value.is_map()) {
    auto section = value.section();
    if (const auto job = section->require("job")) names = names_of(*job);
    finish(*section);
  } else {
    names = names_of(value);
  }
  if (!names) return;
  for (const std::string& name : *names) {
    const auto job = known_id(value, name, "job", s.job_ids);
    if (!job) return;
    base.job = *job;
    s.events.push_back(base);
  }
}

void read_service_act(const Value& value, const Happening& given, Scenario& s) {
  Happening base = given;
  std::optional<std::vector<std::string>> names;
  if (value.is_map()) {
    auto section = value.section();
    if (const auto service = section->require("service")) names = names_of(*service);
    finish(*section);
  } else {
    names = names_of(value);
  }
  if (!names) return;
  for (const std::string& name : *names) {
    const auto service = known_id(value, name, "service", s.service_ids);
    if (!service) return;
    base.service = *service;
    s.events.push_back(base);
  }
}

// {n1: 6}: cards that a node reports from now on.
void read_allocatable(const Value& value, const Happening& given, Scenario& s) {
  Happening base = given;
  auto section = value.section();
  if (!section) return;
  for (const auto& [name, count] : section->all()) {
    const auto node = known_id(count, name, "node", s.node_ids);
    const auto cards = count.whole({0, kCardsPerNodeMax});
    if (!node || !cards) continue;
    base.node = *node;
    base.number = static_cast<std::int32_t>(*cards);
    s.events.push_back(base);
  }
}

void read_gpu_event(const Value& value, const Happening& given, Scenario& s) {
  Happening base = given;
  auto section = value.section();
  if (!section) return;
  for (const std::string_view key : {"gpu", "gpu_index", "card"}) base.card = number_field(*section, key, base.card);
  for (const std::string_view key : {"code", "xid"}) {
    const auto code = section->get(key);
    if (!code) continue;
    if (code->is_word("ok"))
      base.act = Act::card_ok;
    else if (const auto text = code->text())
      base.number = fault_code(*text, s);
  }
  if (section->yes_no("ok", false)) base.act = Act::card_ok;
  section->allow("kind");
  section->allow("type");
  if (section->has("job")) {
    base.card_of_job = true;
    if (const auto job = job_field(*section, s)) {
      base.host_of = *job;
      s.events.push_back(base);
    }
  } else if (const auto node = section->require("node")) {
    put_nodes(*node, base, s);
  }
  finish(*section);
}

void read_workers(const Value& value, const Happening& given, Scenario& s) {
  Happening base = given;
  auto section = value.section();
  if (!section) return;
  const auto job = job_field(*section, s);
  for (const std::string_view key : {"worker", "workers"}) {
    const auto workers = section->get(key);
    if (!workers) continue;
    const auto items = values_of(*workers);
    for (const Value& item : items)
      if (const auto index = item.whole({0, 100'000})) base.workers.push_back(static_cast<std::int32_t>(*index));
  }
  if (base.workers.empty()) section->problem("says no worker");
  section->allow("code");
  finish(*section);
  if (!job) return;
  base.job = *job;
  s.events.push_back(base);
}

// A process that ends by itself: a job's, one worker's, or a replica's.
void read_backend_exit(const Value& value, const Happening& given, Scenario& s) {
  Happening base = given;
  base.number = -1;  // no single worker
  if (!value.is_map()) {
    base.success = false;
    return read_job_act(value, base, s);
  }
  auto section = value.section();
  base.success = false;
  if (const auto code = section->get("code")) base.success = code->whole({-1000, 1000}).value_or(1) == 0;
  if (const auto code = section->get("exit_code")) base.success = code->whole({-1000, 1000}).value_or(1) == 0;
  if (section->has("success")) base.success = section->yes_no("success", false);
  if (const auto state = section->get("state")) base.success = state->text() == "succeeded";
  base.number = number_field(*section, "worker", -1);
  if (section->has("service")) {
    if (const auto service = service_field(*section, s)) {
      base.service = *service;
      s.events.push_back(base);
    }
  } else if (const auto job = job_field(*section, s)) {
    base.job = *job;
    s.events.push_back(base);
  }
  finish(*section);
}

void read_update(const Value& value, const Happening& given, Scenario& s) {
  Happening base = given;
  auto section = value.section();
  if (!section) return;
  const auto service = service_field(*section, s);
  base.version = maybe_number(*section, "version");
  base.max_missing = maybe_number(*section, "max_missing");
  base.max_extra = maybe_number(*section, "max_extra");
  base.guard = maybe_number(*section, "guard");
  base.max = maybe_number(*section, "max");
  base.demand = maybe_number(*section, "demand");
  if (const auto start = section->get("start_s")) base.start_ms = seconds_of(*start);
  if (const auto drain = section->get("drain_s")) base.drain_ms = seconds_of(*drain);
  finish(*section);
  if (!service) return;
  base.service = *service;
  s.events.push_back(base);
}

void read_set_guard(const Value& value, const Happening& given, Scenario& s) {
  Happening base = given;
  auto section = value.section();
  if (!section) return;
  const auto service = service_field(*section, s);
  base.number = number_field(*section, "guard", 0);
  finish(*section);
  if (!service) return;
  base.service = *service;
  s.events.push_back(base);
}

void read_need(const Value& value, const Happening& given, Scenario& s) {
  Happening base = given;
  auto section = value.section();
  if (!section) return;
  const auto service = service_field(*section, s);
  base.number = number_field(*section, "replicas", 0);
  base.ramp = number_field(*section, "ramp", 0);
  base.from_ms = section->duration("from", base.at_ms, kSecond, kTimeRange);
  for (const std::string_view key : {"valid_until", "until"})
    if (const auto until = section->get(key)) base.until_ms = seconds_of(*until).value_or(kNever);
  finish(*section);
  if (!service) return;
  base.service = *service;
  s.events.push_back(base);
}

void read_set_quota(const Value& value, const Happening& given, Scenario& s) {
  Happening base = given;
  auto section = value.section();
  if (!section) return;
  const std::string name = section->text("team");
  const auto& teams = s.settings.teams;
  const auto team = std::find_if(teams.begin(), teams.end(), [&](const TeamSpec& t) { return t.name == name; });
  if (team == teams.end()) {
    std::vector<std::string> known;
    for (const TeamSpec& one : teams) known.push_back(one.name);
    section->problem(unknown_message("team " + quoted_for_message(name), name, known));
  } else {
    base.team = *team;
  }
  if (const auto quota = section->get("quota")) read_quota(*quota, base.team);
  base.team.borrow = section->yes_no("borrow", base.team.borrow);
  finish(*section);
  if (team != teams.end()) s.events.push_back(base);
}

void read_edit(const Value& value, const Happening& given, Scenario& s) {
  Happening base = given;
  auto section = value.section();
  if (!section) return;
  const auto job = job_field(*section, s);
  if (const auto tier = section->get("tier")) base.tier = tier_of_text(*tier, s);
  if (const auto deadline = section->get("deadline"))
    base.deadline_ms = deadline->is_word("none") ? std::optional<TimeMs>(kNever) : seconds_of(*deadline);
  if (const auto limit = section->get("limit")) base.limit_ms = seconds_of(*limit);
  finish(*section);
  if (!job) return;
  base.job = *job;
  s.events.push_back(base);
}

// `true`, a number (of seconds, for the wall clock), or a map: the act says all.
void read_bare(const Value& value, const Happening& base, Scenario& s) {
  (void)value;
  s.events.push_back(base);
}

struct EventDef {
  std::string_view name;
  Act act;
  void (*read)(const Value&, const Happening&, Scenario&);
};

constexpr std::array kEvents{
    EventDef{"node_down", Act::node_down, read_node_act},
    EventDef{"node_up", Act::node_up, read_node_act},
    EventDef{"node_silent", Act::node_silent, read_node_act},
    EventDef{"node_heard", Act::node_heard, read_node_act},
    EventDef{"partition", Act::partition, read_node_act},
    EventDef{"heal", Act::heal, read_node_act},
    EventDef{"drain", Act::drain, read_node_act},
    EventDef{"undrain", Act::undrain, read_node_act},
    EventDef{"node_label_change", Act::nothing, read_node_act},
    EventDef{"allocatable", Act::allocatable, read_allocatable},
    EventDef{"gpu_event", Act::gpu_event, read_gpu_event},
    EventDef{"cancel", Act::cancel, read_job_act},
    EventDef{"requeue", Act::requeue, read_job_act},
    EventDef{"hold", Act::hold, read_job_act},
    EventDef{"release", Act::release, read_job_act},
    EventDef{"edit", Act::edit, read_edit},
    EventDef{"worker_done", Act::worker_done, read_workers},
    EventDef{"worker_failed", Act::worker_failed, read_workers},
    EventDef{"backend_exit", Act::backend_exit, read_backend_exit},
    EventDef{"stop_service", Act::stop_service, read_service_act},
    EventDef{"update_service", Act::update_service, read_update},
    EventDef{"set_guard", Act::set_guard, read_set_guard},
    EventDef{"need", Act::need, read_need},
    EventDef{"need_planned", Act::need_planned, read_need},
    EventDef{"set_quota", Act::set_quota, read_set_quota},
    EventDef{"freeze", Act::freeze, read_bare},
    EventDef{"unfreeze", Act::unfreeze, read_bare},
    EventDef{"scheduler_restart", Act::scheduler_restart, read_bare},
    EventDef{"scheduler_stop", Act::scheduler_stop, read_bare},
    EventDef{"scheduler_start", Act::scheduler_start, read_bare},
    EventDef{"kill_scheduler", Act::kill_scheduler, read_bare},
    EventDef{"wall_clock", Act::nothing, read_bare},
};

void read_event(const Value& item, Scenario& s) {
  auto section = item.section();
  if (!section) return;
  Happening base;
  base.line = item.at().line;
  const auto t = section->has("at") ? section->get("at") : section->require("t");
  base.at_ms = t ? seconds_of(*t).value_or(0) : 0;
  section->allow("t");
  section->allow("note");
  int acts = 0;
  for (const EventDef& def : kEvents) {
    section->allow(def.name);
    if (!section->has(def.name)) continue;
    ++acts;
    Happening event = base;
    event.act = def.act;
    def.read(*section->get(def.name), event, s);
  }
  section->finish();
  const bool strange = std::any_of(item.node().entries.begin(), item.node().entries.end(), [](const YamlEntry& entry) {
    return entry.key != "t" && entry.key != "at" && entry.key != "note" &&
           std::none_of(kEvents.begin(), kEvents.end(), [&](const EventDef& def) { return def.name == entry.key; });
  });
  if (acts == 0 && !strange) item.problem("says nothing that happens");
}

}  // namespace

void read_events(Section& top, Scenario& s) {
  const auto events = top.get("events");
  const auto items = events ? events->items() : std::nullopt;
  if (!items) return;
  for (const Value& item : *items) read_event(item, s);
}

}  // namespace weir::scenario
