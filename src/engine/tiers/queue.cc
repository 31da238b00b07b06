#include "engine/tiers/queue.h"

#include "engine/estimate/history.h"
#include "engine/tiers/tiers.h"

namespace weir::engine {

namespace {

constexpr std::int64_t kRatioUnit = 1 << 16;
constexpr DurationMs kRatioLeast = 60 * kSecond;

// Minus (waited + remaining) / remaining, so that the largest comes first.
std::int64_t response_ratio(const Pool& pool, const JobRec& job) {
  const DurationMs remaining = std::max(remaining_of(pool, job), kRatioLeast);
  const DurationMs waited = std::max<DurationMs>(0, pool.now_ms - job.spec.submitted_ms);
  return -(std::min(waited, kDay * 1000) * kRatioUnit / remaining);
}

QueueKey key_of(const Pool& pool, const JobRec& job) {
  QueueKey key;
  key.below = -rank_of(pool, job);
  key.submitted_ms = job.spec.submitted_ms;
  key.id = job.spec.id.value;
  if (job.aged) {
    key.not_aged = 0;
    key.first = job.stay_since_ms;
  } else if (job.promoted) {
    const DurationMs remaining = remaining_of(pool, job);
    key.first = job.spec.deadline_ms - std::max<DurationMs>(0, remaining);
  } else if (pool.settings->order == OrderRule::attained) {
    key.second = job.level;
  } else if (pool.settings->order == OrderRule::response_ratio) {
    key.second = response_ratio(pool, job);
  }
  return key;
}

ClassKey class_of(const Pool& pool, const JobRec& job) {
  const JobSpec& spec = job.spec;
  const bool placed_first = job.incarnation == 0 && (!spec.first_node.empty() || !spec.first_places.empty());
  ClassKey key{.demand = job.demand, .team = job.team, .rank = rank_of(pool, job), .level = job.level};
  key.aged = job.aged ? 1 : 0;
  key.contract = job.contract;
  if (placed_first || !job.ckpt_nodes.empty()) key.pinned = static_cast<std::int32_t>(spec.id.value + 1);
  key.flags = (job.past_deadline ? 1 : 0) + (job.over_budget ? 2 : 0) + (job.no_estimate ? 4 : 0) +
              (job.promoted ? 8 : 0) + (job.starved ? 16 : 0);
  return key;
}

Index class_index(Pool& pool, const ClassKey& key) {
  Queue& queue = pool.queue;
  const auto it = queue.index.find(key);
  if (it != queue.index.end()) return it->second;
  Index index = 0;
  if (queue.unused.empty()) {
    index = static_cast<Index>(queue.classes.size());
    queue.classes.emplace_back();
  } else {
    index = queue.unused.back();
    queue.unused.pop_back();
    queue.classes[index] = {};
  }
  queue.classes[index].key = key;
  queue.index.emplace(key, index);
  return index;
}

void drop_head(Pool& pool, Index cls) {
  const JobClass& c = pool.queue.classes[cls];
  if (!c.jobs.empty()) pool.queue.heads.erase({full_key(pool, c, *c.jobs.begin()), cls});
}

void add_head(Pool& pool, Index cls) {
  const JobClass& c = pool.queue.classes[cls];
  if (!c.jobs.empty()) pool.queue.heads.insert({full_key(pool, c, *c.jobs.begin()), cls});
}

}  // namespace

QueueKey full_key(const Pool& pool, const JobClass& cls, const QueueKey& key) {
  QueueKey full = key;
  const bool shared_order = pool.settings->order != OrderRule::fifo;
  if (shared_order && key.not_aged == 1 && (cls.key.flags & 8) == 0) full.first = pool.teams[cls.key.team].share;
  return full;
}

void enqueue(Pool& pool, JobRec& job) {
  if (job.queued) dequeue(pool, job);
  pool.apart.erase(job.spec.id.value);
  const Index cls = class_index(pool, class_of(pool, job));
  job.key = key_of(pool, job);
  drop_head(pool, cls);
  pool.queue.classes[cls].jobs.insert(job.key);
  add_head(pool, cls);
  job.cls = cls;
  job.queued = true;
  ++pool.queue.waiting;
}

void dequeue(Pool& pool, JobRec& job) {
  pool.apart.erase(job.spec.id.value);
  if (!job.queued) return;
  Queue& queue = pool.queue;
  JobClass& cls = queue.classes[job.cls];
  drop_head(pool, job.cls);
  cls.jobs.erase(job.key);
  if (cls.jobs.empty()) {
    queue.index.erase(cls.key);
    queue.unused.push_back(job.cls);
  } else {
    add_head(pool, job.cls);
  }
  job.queued = false;
  job.cls = kNoIndex;
  --queue.waiting;
}

void set_apart(Pool& pool, JobRec& job) {
  dequeue(pool, job);
  pool.apart.insert(job.spec.id.value);
}

void reorder_heads(Pool& pool) {
  Queue& queue = pool.queue;
  if (pool.settings->order == OrderRule::response_ratio) {
    std::vector<std::uint32_t> ids;
    for (const JobClass& cls : queue.classes) {
      for (const QueueKey& key : cls.jobs) ids.push_back(key.id);
    }
    for (const std::uint32_t id : ids) enqueue(pool, pool.jobs.at(id));
  }
  queue.heads.clear();
  for (Index i = 0; i < queue.classes.size(); ++i) add_head(pool, i);
}

}  // namespace weir::engine
