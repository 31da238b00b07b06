#include "audit/records.h"

#include <algorithm>
#include <bit>

#include "audit/text.h"

namespace weir::audit {

namespace {

// Times are rounded to milliseconds where speeds are not 1.
constexpr DurationMs kRoundingMs = 2;

std::vector<Shape> shapes_of_workers(const JobSpec& job) {
  std::vector<Shape> shapes;
  for (const WorkerGroup& group : job.roles) {
    for (std::int32_t i = 0; i < group.count; ++i) shapes.push_back(group.shape);
  }
  return shapes;
}

std::int64_t cards_of(const std::vector<Placement>& places) {
  std::int64_t cards = 0;
  for (const Placement& place : places) cards += std::popcount(place.cards);
  return cards;
}

// An elastic job runs at one of its sizes: cards of each worker, or of all together.
bool elastic_size_matches(const JobSpec& job, const std::vector<Placement>& places) {
  const std::int64_t total = cards_of(places);
  const auto workers = static_cast<std::int64_t>(places.size());
  return std::any_of(job.elastic.begin(), job.elastic.end(),
                     [&](const ElasticShape& size) { return total == size.gpus || total == size.gpus * workers; });
}

std::optional<std::string> fault_of_spread(const JobSpec& job, GangScope within, const std::vector<Placement>& places,
                                           const Ledger& ledger) {
  for (std::size_t i = 1; i < places.size(); ++i) {
    const NodeBook* first = ledger.find(places[0].node);
    const NodeBook* other = ledger.find(places[i].node);
    if (first == nullptr || other == nullptr) continue;  // reported as an unknown node
    if (within == GangScope::group && first->spec.group != other->spec.group) {
      return say("workers in groups ", first->spec.group, " and ", other->spec.group);
    }
    if (within == GangScope::rack && first->spec.rack != other->spec.rack) {
      return say("workers in racks ", first->spec.rack, " and ", other->spec.rack);
    }
    if (within == GangScope::island && places[0].node != places[i].node) {
      return std::string("workers on two nodes, to be within one island");
    }
    if (!job.one_per_node) continue;
    for (std::size_t k = 0; k < i; ++k) {
      if (places[k].node == places[i].node) return say("two workers on node ", places[i].node);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> fault_of_place(const Shape& shape, const std::vector<std::string>& models,
                                          const Placement& place, const Ledger& ledger) {
  const NodeBook* node = ledger.find(place.node);
  if (node == nullptr) return say("node ", place.node, " is not known");
  if (!models.empty() && std::find(models.begin(), models.end(), node->spec.model) == models.end()) {
    return say("model ", node->spec.model, " is not allowed");
  }
  const std::int32_t cards = std::popcount(place.cards);
  if (place.share != shape.share()) return std::string("a share for whole cards, or the reverse");
  if (place.cpu_milli != shape.cpu_milli || place.ram_mib != shape.ram_mib) {
    return say("CPU ", place.cpu_milli, " and memory ", place.ram_mib, ", asked for ", shape.cpu_milli, " and ",
               shape.ram_mib);
  }
  if (!shape.share()) {
    if (cards != shape.cards) return say(cards, " cards, asked for ", shape.cards);
    if (shape.whole() && node->spec.card_mem_mib < shape.card_mem_mib) {
      return say("cards of ", node->spec.card_mem_mib, " MiB, asked for ", shape.card_mem_mib);
    }
    return std::nullopt;
  }
  const std::int64_t memory = shape.card_mem_mib > 0
                                  ? shape.card_mem_mib
                                  : std::max<std::int64_t>(1, node->spec.card_mem_mib * shape.milli / kMilliPerCard);
  if (cards != 1 || place.milli != shape.milli || place.card_mem_mib != memory) {
    return say("a share of ", place.milli, " milli and ", place.card_mem_mib, " MiB, asked for ", shape.milli, " and ",
               memory);
  }
  return std::nullopt;
}

std::optional<std::string> fault_of_places(const JobSpec& job, const Settings& settings,
                                           const std::vector<Placement>& places, const Ledger& ledger) {
  const std::vector<Shape> shapes = shapes_of_workers(job);
  const std::size_t least =
      job.min_workers > 0 ? std::min(shapes.size(), static_cast<std::size_t>(job.min_workers)) : shapes.size();
  if (job.elastic.empty() && (places.size() < least || places.size() > shapes.size())) {
    return say(places.size(), " workers placed, ", shapes.size(), " in the gang");
  }
  if (places.empty()) return std::string("no worker placed");
  if (!job.elastic.empty() && !elastic_size_matches(job, places)) {
    return say(cards_of(places), " cards is none of its sizes");
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    Shape shape = i < shapes.size() ? shapes[i] : shapes.back();
    if (!job.elastic.empty()) shape.cards = std::popcount(places[i].cards);
    if (auto fault = fault_of_place(shape, job.models, places[i], ledger)) {
      return say("worker ", i, ": ", *fault);
    }
  }
  const GangScope within = job.within == GangScope::any ? settings.gang_within : job.within;
  return fault_of_spread(job, within, places, ledger);
}

std::optional<std::string> fault_of_yield(const JobSpec& job, const RunRecord& run, TimeMs exit_ms,
                                          DurationMs progress_ms, DurationMs exit_ms_max) {
  const DurationMs work_ms = progress_ms - run.resume_ms;
  if (work_ms < 0) return say("progress went back from ", run.resume_ms, " to ", progress_ms, " ms");
  const bool by_interval = job.ckpt.mode == CheckpointMode::interval;
  const DurationMs interval_ms = std::max<DurationMs>(1, job.ckpt.interval_ms);
  if (by_interval) {
    // A run at another speed may count its boundaries in time or in work.
    const DurationMs of_time_ms = interval_ms * run.speed_milli / kMilliPerCard;
    const bool exact = work_ms % interval_ms == 0 ||
                       (run.speed_milli != kMilliPerCard && of_time_ms > 0 &&
                        std::min(work_ms % of_time_ms, of_time_ms - work_ms % of_time_ms) <= kRoundingMs);
    if (!exact || work_ms == 0) {
      return say("yielded after ", work_ms, " ms of work, with a boundary every ", interval_ms, " ms");
    }
  }
  const DurationMs needed_ms = (run.resumed ? job.ckpt.restart_ms : 0) + job.ckpt.write_ms +
                               work_ms * kMilliPerCard / std::max(1, run.speed_milli);
  const DurationMs late_ms = exit_ms - run.started_ms - needed_ms;
  const bool begun = by_interval || work_ms > 0;  // on demand it may leave before it has begun
  if (begun && late_ms < -kRoundingMs) return say("did ", work_ms, " ms of work ", -late_ms, " ms too soon");
  DurationMs late_ms_max = exit_ms_max;
  if (late_ms_max == kNever && by_interval) {
    late_ms_max = interval_ms * kMilliPerCard / std::max(1, run.speed_milli);
  }
  if (late_ms > late_ms_max + kRoundingMs) {
    return say("left ", late_ms, " ms after its boundary was saved: that work is lost");
  }
  return std::nullopt;
}

}  // namespace weir::audit
