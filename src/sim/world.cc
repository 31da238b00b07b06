#include "sim/world.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <optional>
#include <queue>
#include <unordered_map>
#include <utility>

#include "audit/audit.h"
#include "base/hash.h"
#include "model/fingerprint.h"

namespace weir {

namespace {

constexpr int kStepsAtOneInstantMax = 10'000;       // more is a loop between engine and executor
constexpr std::size_t kReasonsCheckedPerStep = 16;  // waiting jobs looked at in turn, so that long queues stay cheap
constexpr std::size_t kViolationsKept = 1'000;

void sort_events(std::vector<Event>& events) {
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return a.at_ms != b.at_ms ? a.at_ms < b.at_ms : a.body.index() < b.body.index();
  });
}

}  // namespace

struct World::Impl {
  // What will be given to the world: an event, or something done to it.
  struct Item {
    std::optional<Event> event;
    std::function<void(World&)> action;
  };
  struct Key {
    TimeMs at_ms = 0;
    std::uint64_t seq = 0;
    bool operator>(const Key& o) const { return at_ms != o.at_ms ? at_ms > o.at_ms : seq > o.seq; }
  };
  struct RecordedStep {
    TimeMs now_ms = 0;
    std::vector<Event> events;
  };

  World* world = nullptr;
  WorldOptions options;
  State state;
  SimulatedExecutor executor;
  Auditor auditor;
  std::vector<StepObserver*> observers;

  std::priority_queue<Key, std::vector<Key>, std::greater<>> outside;
  std::unordered_map<std::uint64_t, Item> items;
  std::uint64_t next_seq = 0;

  TimeMs now_ms = 0;
  TimeMs engine_due_ms = 0;  // the engine's own first step is at the start of time
  TimeMs last_step_ms = -1;
  TimeMs longest_gap_ms = 0;
  int steps_at_now = 0;
  std::int64_t steps = 0;
  bool stopped = false;
  bool stuck = false;
  std::vector<Event> waiting_facts;  // while the engine is stopped

  Hasher hash;
  std::vector<std::uint32_t> step_ns;
  std::vector<RecordedStep> recorded;
  std::vector<std::string> violations;
  std::size_t violations_seen = 0;  // of the auditor's
  std::vector<JobId> waiting;       // waiting jobs, in no order, for the check of reasons
  std::unordered_map<std::uint32_t, std::size_t> waiting_at;
  std::size_t next_checked = 0;

  explicit Impl(WorldOptions o) : options(o), executor(o.executor) {}

  std::uint64_t add(TimeMs when_ms, Item item);
  [[nodiscard]] TimeMs next_instant() const;
  void run_actions();
  [[nodiscard]] std::vector<Event> take_events();
  void one_instant();
  void step_once(std::vector<Event> events);
  void audit_step(std::span<const Event> events, const StepResult& result);
  void note_waiting(std::span<const Change> changes);
  [[nodiscard]] std::int64_t waiting_without_reason();
  void violation(std::string text);
};

std::uint64_t World::Impl::add(TimeMs when_ms, Item item) {
  const std::uint64_t seq = next_seq++;
  outside.push({std::max(when_ms, now_ms), seq});
  items.emplace(seq, std::move(item));
  return seq;
}

TimeMs World::Impl::next_instant() const {
  TimeMs next = executor.next_event_ms();
  if (!outside.empty()) next = std::min(next, outside.top().at_ms);
  if (!stopped) {
    next = std::min(next, engine_due_ms);
    if (!waiting_facts.empty()) next = now_ms;
  }
  return std::max(next, now_ms);
}

// Actions of this instant, before its events: they may add more of both.
void World::Impl::run_actions() {
  std::vector<std::uint64_t> facts;
  while (!outside.empty() && outside.top().at_ms <= now_ms) {
    const std::uint64_t seq = outside.top().seq;
    outside.pop();
    const auto it = items.find(seq);
    if (it->second.event) {
      facts.push_back(seq);
      continue;
    }
    const auto action = std::move(it->second.action);
    items.erase(it);
    action(*world);
  }
  for (const std::uint64_t seq : facts) {
    const auto it = items.find(seq);
    if (const auto* declared = std::get_if<event::ServiceDeclared>(&it->second.event->body)) {
      executor.know(declared->service);
    }
    waiting_facts.push_back(std::move(*it->second.event));
    items.erase(it);
  }
}

std::vector<Event> World::Impl::take_events() {
  std::vector<Event> events = std::exchange(waiting_facts, {});
  std::vector<Event> own = executor.take_events(now_ms);
  events.insert(events.end(), std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
  sort_events(events);
  return events;
}

void World::Impl::one_instant() {
  run_actions();
  std::vector<Event> events = take_events();
  if (stopped) {
    waiting_facts = std::move(events);
    return;
  }
  if (events.empty() && engine_due_ms > now_ms) return;
  step_once(std::move(events));
}

void World::Impl::step_once(std::vector<Event> events) {
  const auto begin = options.time_steps ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point{};
  const StepResult result = step(state, events, now_ms);
  if (options.time_steps) {
    const auto spent = std::chrono::steady_clock::now() - begin;
    const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(spent).count();
    step_ns.push_back(static_cast<std::uint32_t>(std::min<std::int64_t>(ns, UINT32_MAX)));
  }
  ++steps;
  if (last_step_ms >= 0) longest_gap_ms = std::max(longest_gap_ms, now_ms - last_step_ms);
  last_step_ms = now_ms;
  engine_due_ms = result.next_due_ms;
  for (const Decision& decision : result.decisions) {
    hash.add(now_ms);
    add_to(hash, decision);
  }
  if (options.audit) audit_step(events, result);
  for (StepObserver* observer : observers) observer->on_step(now_ms, events, result);
  executor.carry_out(result.decisions, now_ms);
  if (options.keep_events) recorded.push_back({now_ms, std::move(events)});
}

void World::Impl::audit_step(std::span<const Event> events, const StepResult& result) {
  auditor.on_step(now_ms, events, result);
  note_waiting(result.changes);
  auditor.compare(now_ms, {cards_of_pool(state), waiting_without_reason()});
  const std::vector<Violation>& found = auditor.violations();
  for (; violations_seen < found.size(); ++violations_seen) {
    const Violation& v = found[violations_seen];
    violation("invariant " + std::to_string(v.invariant) + ": " + v.text);
  }
}

void World::Impl::note_waiting(std::span<const Change> changes) {
  for (const Change& change : changes) {
    const auto* set = std::get_if<change::JobStateSet>(&change);
    if (set == nullptr) continue;
    const auto it = waiting_at.find(set->job.value);
    if (set->state == JobState::waiting && it == waiting_at.end()) {
      waiting_at[set->job.value] = waiting.size();
      waiting.push_back(set->job);
    } else if (set->state != JobState::waiting && it != waiting_at.end()) {
      waiting_at[waiting.back().value] = it->second;
      waiting[it->second] = waiting.back();
      waiting.pop_back();
      waiting_at.erase(set->job.value);
    }
  }
}

std::int64_t World::Impl::waiting_without_reason() {
  std::int64_t without = 0;
  const std::size_t looked = std::min(waiting.size(), kReasonsCheckedPerStep);
  for (std::size_t i = 0; i < looked; ++i) {
    next_checked = (next_checked + 1) % waiting.size();
    if (reasons_of(state, waiting[next_checked]).empty()) ++without;
  }
  return without;
}

void World::Impl::violation(std::string text) {
  if (violations.size() < kViolationsKept)
    violations.push_back("t=" + std::to_string(now_ms) + "ms " + std::move(text));
}

World::World(WorldOptions options) : impl_(std::make_unique<Impl>(options)) { impl_->world = this; }
World::~World() = default;

void World::at(Event event) {
  const TimeMs when_ms = event.at_ms;
  impl_->add(when_ms, {.event = std::move(event), .action = {}});
}

void World::at(TimeMs when_ms, std::function<void(World&)> action) {
  impl_->add(when_ms, {.event = std::nullopt, .action = std::move(action)});
}

void World::submit(const JobSpec& job, JobTruth truth) {
  impl_->executor.know(job, std::move(truth));
  at(Event{job.submitted_ms, event::JobSubmitted{job}});
}

void World::observe(StepObserver* observer) { impl_->observers.push_back(observer); }

void World::run_until(TimeMs until_ms) {
  while (!impl_->stuck) {
    const TimeMs next = impl_->next_instant();
    if (next > until_ms) break;
    impl_->steps_at_now = next == impl_->now_ms ? impl_->steps_at_now + 1 : 0;
    impl_->now_ms = next;
    if (impl_->steps_at_now > kStepsAtOneInstantMax) {
      impl_->violation("more than " + std::to_string(kStepsAtOneInstantMax) + " steps at one instant; the world stops");
      impl_->stuck = true;
      return;
    }
    impl_->one_instant();
  }
  impl_->now_ms = std::max(impl_->now_ms, until_ms);
}

TimeMs World::now_ms() const { return impl_->now_ms; }
const State& World::state() const { return impl_->state; }
SimulatedExecutor& World::executor() { return impl_->executor; }

bool World::restart_engine() {
  State rebuilt;
  Hasher hash;
  for (const Impl::RecordedStep& past : impl_->recorded) {
    const StepResult result = step(rebuilt, past.events, past.now_ms);
    for (const Decision& decision : result.decisions) {
      hash.add(past.now_ms);
      add_to(hash, decision);
    }
  }
  const bool same = hash.value() == impl_->hash.value() && hash_of(rebuilt) == hash_of(impl_->state);
  if (!same) impl_->violation("a replay of the recorded steps gives another state");
  impl_->state = std::move(rebuilt);
  return same;
}

void World::stop_engine() { impl_->stopped = true; }

void World::start_engine() {
  impl_->stopped = false;
  impl_->last_step_ms = impl_->now_ms;  // the stop itself is no gap
  impl_->engine_due_ms = impl_->now_ms;
}

const std::vector<std::string>& World::violations() const { return impl_->violations; }
std::uint64_t World::decisions_hash() const { return impl_->hash.value(); }
std::int64_t World::steps() const { return impl_->steps; }
TimeMs World::longest_gap_ms() const { return impl_->longest_gap_ms; }
const std::vector<std::uint32_t>& World::step_ns() const { return impl_->step_ns; }

}  // namespace weir
