// Jobs of a scenario: what is submitted, and what is true of it.
#include <algorithm>
#include <array>
#include <utility>

#include "config/quantity.h"
#include "scenario/parse.h"

namespace weir::scenario {

namespace {

constexpr std::int64_t kWorkersMax = 100'000;
constexpr std::size_t kWorkersOfAllMax = 1'000'000;  // of one entry, ranges written out

std::int64_t workers_of(const JobSpec& spec) {
  std::int64_t count = 0;
  for (const WorkerGroup& role : spec.roles) count += role.count;
  return count;
}

void read_roles(Section& section, JobSpec& spec, const Shape& shape) {
  const auto roles = section.get("roles");
  auto map = roles ? roles->section() : std::nullopt;
  if (!map) {
    spec.roles.push_back({.role = {},
                          .count = static_cast<std::int32_t>(section.whole("workers", 1, {1, kWorkersMax})),
                          .shape = shape});
    return;
  }
  section.allow("workers");
  for (const auto& [name, value] : map->all()) {
    WorkerGroup role{.role = name, .count = 1, .shape = shape};
    if (value.is_map()) {
      auto fields = value.section();
      role.count = static_cast<std::int32_t>(
          fields->whole("workers", fields->whole("count", 1, {1, kWorkersMax}), {1, kWorkersMax}));
      const bool own = fields->has("gpus") || fields->has("milli") || fields->has("gpu_mem_mib");
      const ShapeText text = read_shape_text(*fields);
      if (own) role.shape = shape_of(text, *fields);
      fields->finish();
    } else {
      role.count = static_cast<std::int32_t>(value.whole({1, kWorkersMax}).value_or(1));
    }
    spec.roles.push_back(role);
  }
  if (spec.roles.empty()) section.problem("roles: names no role");
}

void read_elastic(Section& section, JobSpec& spec) {
  const auto value = section.get("elastic");
  const auto items = value ? value->items() : std::nullopt;
  if (!items) return;
  for (const Value& item : *items) {
    auto shape = item.section();
    if (!shape) continue;
    ElasticShape elastic;
    elastic.gpus = static_cast<std::int32_t>(shape->whole("gpus", 1, {1, kCardsMax}));
    elastic.speed_milli = static_cast<std::int32_t>(shape->milli("speed", kMilliPerCard, {1, 1'000'000}));
    shape->finish();
    if (!spec.elastic.empty() && spec.elastic.back().gpus >= elastic.gpus)
      item.problem("shapes go from smallest to largest");
    spec.elastic.push_back(elastic);
  }
  // The size it is written down with is the largest it can use.
  if (!section.has("gpus") && !spec.elastic.empty() && spec.roles.size() == 1)
    spec.roles[0].shape.cards = spec.elastic.back().gpus;
}

void read_checkpoints(Section& section, JobSpec& spec) {
  constexpr std::array<std::string_view, 2> kScopes{"shared", "node"};
  CheckpointContract& ckpt = spec.ckpt;
  if (const auto value = section.get("ckpt"); value && !value->is_word("none")) {
    if (const auto interval = value->duration(kSecond, {1, kTimeRange.max})) {
      ckpt.mode = CheckpointMode::interval;
      ckpt.interval_ms = *interval;
    }
  }
  if (section.yes_no("on_demand", false)) ckpt.mode = CheckpointMode::on_demand;
  ckpt.write_ms = section.duration("write", 0, kSecond, kTimeRange);
  ckpt.restart_ms = section.duration("restart", 0, kSecond, kTimeRange);
  if (const auto scope = section.get("ckpt_scope"))
    if (const auto index = scope->word(kScopes)) ckpt.scope = static_cast<CheckpointScope>(*index);
}

std::optional<DurationMs> worker_time(const Value& value) {
  if (value.is_word("endless")) return kNever;
  return seconds_of(value);
}

// Per worker, as a list; or by role, each a time, a list or `endless`.
void read_worker_runs(Section& section, JobEntry& job) {
  const auto value = section.get("worker_runs");
  if (!value) return;
  const auto put = [&job](const Value& item, std::int32_t count) {
    if (!item.is_list()) {
      const auto time = worker_time(item);
      job.truth.worker_run_ms.insert(job.truth.worker_run_ms.end(), static_cast<std::size_t>(count), time.value_or(0));
      return;
    }
    for (const Value& one : values_of(item)) job.truth.worker_run_ms.push_back(worker_time(one).value_or(0));
  };
  if (!value->is_map()) {
    put(*value, static_cast<std::int32_t>(workers_of(job.spec)));
  } else {
    auto roles = value->section();
    for (const WorkerGroup& role : job.spec.roles) {
      if (const auto times = roles->get(role.role))
        put(*times, role.count);
      else
        value->problem("says nothing of the role " + role.role);
    }
    roles->finish();
  }
  if (job.truth.worker_run_ms.size() != static_cast<std::size_t>(workers_of(job.spec)))
    value->problem("expects a time for each of the " + std::to_string(workers_of(job.spec)) + " workers");
}

// What the job needs in all, when only its workers say it.
DurationMs longest_worker(const JobEntry& job) {
  DurationMs longest = 0;
  std::size_t worker = 0;
  for (const WorkerGroup& role : job.spec.roles) {
    for (std::int32_t i = 0; i < role.count && worker < job.truth.worker_run_ms.size(); ++i, ++worker) {
      const bool counts = job.spec.done_when.empty() || job.spec.done_when == role.role;
      if (counts && job.truth.worker_run_ms[worker] < kNever)
        longest = std::max(longest, job.truth.worker_run_ms[worker]);
    }
  }
  return longest;
}

void read_times(Section& section, JobEntry& job) {
  JobSpec& spec = job.spec;
  const auto run = section.get("run");
  if (run && run->is_word("endless"))
    job.truth.run_ms = kNever;
  else if (run)
    job.truth.run_ms = seconds_of(*run).value_or(0);
  read_worker_runs(section, job);
  if (!run) job.truth.run_ms = longest_worker(job);
  if (!run && job.truth.worker_run_ms.empty()) section.problem("the key run is missing");
  const auto limit = section.get("limit");
  DurationMs declared = job.truth.run_ms >= kNever ? 0 : job.truth.run_ms;
  if (limit && limit->is_word("none"))
    declared = 0;
  else if (limit)
    declared = seconds_of(*limit).value_or(0);
  spec.limit_ms = declared;
  spec.declared_run_ms = declared;
  spec.submitted_ms = section.duration("at", 0, kSecond, kTimeRange);
  if (const auto deadline = section.get("deadline")) spec.deadline_ms = seconds_of(*deadline).value_or(kNever);
}

void check_node(const Value& value, const std::string& name, const Scenario& s) {
  (void)known_id(value, name, "node", s.node_ids);
}

// "n1:0,1": a node and cards of it.
FirstPlace place_of_text(const std::string& text, const Scenario& s) {
  FirstPlace place{.node = text};
  const std::size_t colon = text.find_first_of(":/");
  if (s.node(text).valid() || colon == std::string::npos) return place;
  place.node = text.substr(0, colon);
  std::string digits;
  for (const char c : text.substr(colon + 1) + ",") {
    if (c != ',') {
      digits += c;
      continue;
    }
    const auto card = parse_whole(std::exchange(digits, {}));
    if (card && *card >= 0 && *card < kCardsPerNodeMax) place.cards |= std::uint64_t{1} << *card;
  }
  return place;
}

// `n1`, "n1:0", [n1, 0], or {node: n1, gpu_index: 0}.
std::optional<FirstPlace> first_place(const Value& value, const Scenario& s) {
  FirstPlace place;
  if (value.is_map()) {
    auto section = value.section();
    place.node = section->text("node");
    for (const std::string_view key : {"gpu_index", "gpu", "gpus", "cards"})
      if (const auto cards = section->get(key)) place.cards = card_mask_of(*cards).value_or(0);
    section->finish();
  } else if (const auto items = values_of(value); value.is_list() && items.size() == 2) {
    place.node = items[0].text().value_or("");
    place.cards = card_mask_of(items[1]).value_or(0);
  } else {
    place = place_of_text(value.text().value_or(""), s);
  }
  check_node(value, place.node, s);
  return place;
}

// {n1: 2, n2: [0, 1]}: so many workers on a node, or one card each; a single worker gets all the cards named.
void places_by_node(const Value& value, JobSpec& spec, const Scenario& s) {
  auto section = value.section();
  for (const auto& [node, what] : section->all()) {
    check_node(what, node, s);
    if (!what.is_list()) {
      const std::int64_t count = what.whole({1, kWorkersMax}).value_or(1);
      spec.first_places.insert(spec.first_places.end(), static_cast<std::size_t>(count), FirstPlace{.node = node});
    } else if (workers_of(spec) == 1) {
      spec.first_places.push_back({.node = node, .cards = card_mask_of(what).value_or(0)});
    } else {
      for (const Value& card : values_of(what))
        spec.first_places.push_back({.node = node, .cards = card_mask_of(card).value_or(0)});
    }
  }
}

// `node` and `gpu_index`: one place for the work, or one of the cards for each worker.
void read_node_and_index(Section& section, JobSpec& spec, const Scenario& s) {
  if (const auto node = section.get("node")) {
    spec.first_node = node->text().value_or("");
    check_node(*node, spec.first_node, s);
  }
  const auto index = section.get("gpu_index");
  if (!index) return;
  if (spec.first_node.empty() && s.nodes.size() == 1) spec.first_node = s.nodes[0].name;
  if (spec.first_node.empty() && !section.has("place")) index->problem("says which card but not of which node");
  const auto cards = values_of(*index);
  if (workers_of(spec) > 1 && cards.size() == static_cast<std::size_t>(workers_of(spec))) {
    for (const Value& card : cards)
      spec.first_places.push_back({.node = spec.first_node, .cards = card_mask_of(card).value_or(0)});
    return;
  }
  spec.first_cards = card_mask_of(*index).value_or(0);
}

void read_place(const Value& place, JobSpec& spec, const Scenario& s) {
  const auto& entries = place.node().entries;
  if (place.is_list()) {
    for (const Value& item : values_of(place))
      if (const auto one = first_place(item, s)) spec.first_places.push_back(*one);
  } else if (place.is_map() && !entries.empty() && entries.front().key != "node") {
    places_by_node(place, spec, s);
  } else if (const auto one = first_place(place, s)) {
    spec.first_node = one->node;
    if (one->cards != 0) spec.first_cards = one->cards;
    return;
  }
  const std::int64_t workers = workers_of(spec);
  if (spec.first_places.size() == 1 && workers > 1)
    spec.first_places.resize(static_cast<std::size_t>(workers), spec.first_places[0]);
  if (spec.first_places.size() != static_cast<std::size_t>(workers))
    place.problem("expects a place for each of the " + std::to_string(workers) + " workers");
}

void read_stage(Section& section, JobSpec& spec, const Scenario& s) {
  read_node_and_index(section, spec, s);
  if (const auto place = section.get("place")) read_place(*place, spec, s);
}

void read_models(Section& section, JobSpec& spec) {
  if (const auto models = section.get("models")) spec.models = models->texts().value_or(std::vector<std::string>{});
  if (const auto models = section.get("models_in_order")) {
    spec.models_in_order = true;
    if (!models->is_word("true")) spec.models = models->texts().value_or(std::vector<std::string>{});
  }
}

void read_gang(Section& section, JobSpec& spec, const Scenario& s) {
  constexpr std::array<std::string_view, 4> kScopes{"any", "group", "rack", "island"};
  spec.min_workers = static_cast<std::int32_t>(section.whole("min_workers", 0, {0, kWorkersMax}));
  spec.one_per_node = section.yes_no("one_per_node", false);
  spec.within = s.settings.gang_within;
  for (const std::string_view key : {"within", "gang_within"})
    if (const auto value = section.get(key))
      if (const auto index = value->word(kScopes)) spec.within = static_cast<GangScope>(*index);
  spec.done_when = section.text("done_when");
  const bool known =
      spec.done_when.empty() ||
      std::any_of(spec.roles.begin(), spec.roles.end(), [&](const WorkerGroup& g) { return g.role == spec.done_when; });
  if (!known)
    section.problem("done_when names the role " + quoted_for_message(spec.done_when) + ", which the job does not have");
}

void read_ownership(Section& section, JobEntry& job, Scenario& s) {
  JobSpec& spec = job.spec;
  spec.team = section.text("team");
  const auto& teams = s.settings.teams;
  const bool known = spec.team.empty() || teams.empty() ||
                     std::any_of(teams.begin(), teams.end(), [&](const TeamSpec& t) { return t.name == spec.team; });
  if (!known) {
    std::vector<std::string> names;
    for (const TeamSpec& team : teams) names.push_back(team.name);
    section.get("team")->problem(unknown_message("team " + quoted_for_message(spec.team), spec.team, names));
  }
  spec.user = section.text("by", section.text("user"));
  spec.type = section.text("type");
  if (const auto tier = section.get("tier")) spec.tier = tier_of_text(*tier, s).value_or("");
  spec.max_retries = static_cast<std::int32_t>(section.whole("max_retries", 3, kCountRange));
  spec.max_timeouts = static_cast<std::int32_t>(section.whole("max_timeouts", 0, kCountRange));
  job.may_be_rejected = section.yes_no("may_be_rejected", false);
  if (const auto after = section.get("after"))
    for (const std::string& name : names_of(*after).value_or(std::vector<std::string>{}))
      if (const auto id = known_id(*after, name, "earlier job", s.job_ids)) spec.after.push_back(*id);
}

void read_job(const Value& value, Scenario& s) {
  auto section = value.section();
  if (!section) return;
  JobEntry job;
  job.line = value.at().line;
  const auto id = section->require("id");
  const auto names = id ? names_of(*id) : std::nullopt;
  read_roles(*section, job.spec, shape_of(read_shape_text(*section), *section));
  read_elastic(*section, job.spec);
  read_gang(*section, job.spec, s);
  read_ownership(*section, job, s);
  read_models(*section, job.spec);
  read_checkpoints(*section, job.spec);
  read_times(*section, job);
  read_stage(*section, job.spec, s);
  const DurationMs every = section->duration("every", 0, kSecond, kTimeRange);
  if (const auto launch = section->get("launch")) read_launch(*launch, job.truth, s.beyond_engine);
  if (section->get("command")) s.beyond_engine.push_back("command of a job");
  section->allow("note");
  section->finish();
  if (!names) return;
  if (names->size() * static_cast<std::size_t>(workers_of(job.spec)) > kWorkersOfAllMax)
    return value.problem("more than " + std::to_string(kWorkersOfAllMax) + " workers", ErrorCode::too_large);
  const TimeMs first = job.spec.submitted_ms;
  for (std::size_t i = 0; i < names->size(); ++i) {
    job.spec.submitted_ms = first + static_cast<TimeMs>(i) * every;
    if (!add_job(s, job, (*names)[i]))
      return value.problem("the job " + quoted_for_message((*names)[i]) + " is there twice");
  }
}

}  // namespace

bool add_job(Scenario& s, JobEntry job, const std::string& name) {
  job.spec.name = name;
  job.spec.id = JobId(static_cast<std::uint32_t>(s.jobs.size()));
  if (!s.job_ids.emplace(name, job.spec.id).second) return false;
  s.jobs.push_back(std::move(job));
  return true;
}

void read_jobs(Section& top, Scenario& s) {
  const auto jobs = top.get("jobs");
  const auto items = jobs ? jobs->items() : std::nullopt;
  if (!items) return;
  for (const Value& item : *items) {
    if (s.jobs.size() > kJobsMax)
      return jobs->problem("more than " + std::to_string(kJobsMax) + " jobs", ErrorCode::too_large);
    read_job(item, s);
  }
}

}  // namespace weir::scenario
