// Which nodes a shape fits on, and on which one it sits best: one entry per shape
// and rule of models, brought up to date node by node when it is asked, so that
// the cost of a search is what changed since the last one.
//
// Order of nodes (engine.md 5): the profile's or job's order of models, else least
// memory; then the increase of fragmentation in 100 steps (method: fragmentation
// gradient, "Beware of Fragmentation", USENIX ATC 2023, in integers); islands;
// packing; then the order in which nodes were declared.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/records.h"

namespace weir::engine {

struct Pool;

// Shapes lately asked for, with how often: what free capacity should be good for.
struct MixShape {
  Index fit = kNoIndex;  // whose shape and models
  Shape shape;
  std::vector<bool> barred;  // by model; what is beyond the end is allowed
  std::int64_t count = 0;
  bool operator==(const MixShape&) const = default;
};

struct Mix {
  std::vector<std::pair<TimeMs, Index>> starts;  // ring of the window: fits
  std::size_t next = 0;
  std::int64_t starts_since = 0;  // since the table was made
  std::vector<MixShape> table;    // most frequent first, bounded
  std::int64_t total = 0;
  std::uint32_t version = 1;
};

struct FitEntry {
  Shape shape;
  std::vector<std::string> models;
  bool models_in_order = false;
  std::string type;

  std::vector<std::uint64_t> tree;        // tournament of keys over nodes, smallest wins
  std::vector<std::int32_t> count;        // workers that fit on the node now
  std::vector<std::uint32_t> version;     // of the node that count and key belong to
  std::vector<std::int32_t> model_order;  // by model; -1 = not allowed
  std::size_t leaves = 0;
  std::int64_t total = 0;  // sum of count
  std::uint64_t log_at = 0;
  std::uint32_t mix_version = 0;
  std::uint32_t pool_version = 0;
};

struct FitTable {
  std::vector<FitEntry> entries;
  std::map<std::string, Index> index;
  std::vector<Index> log;          // nodes changed, oldest first
  std::uint64_t log_from = 0;      // number of the first of them
  std::uint32_t pool_version = 1;  // grows when nodes, models or profiles are declared
  Mix mix;
};

inline constexpr std::uint64_t kNoFit = ~std::uint64_t{0};

[[nodiscard]] Index fit_of(Pool&, const Shape&, const std::vector<std::string>& models, bool in_order,
                           const std::string& type);
// Brings an entry up to date and returns it.
const FitEntry& refreshed(Pool&, Index fit);
// An empty list allows every model.
[[nodiscard]] bool model_allowed(const std::vector<std::string>& models, const std::string& model);
// Nodes that the shape may ever sit on: model and memory allow it.
[[nodiscard]] bool allowed_on(const Pool&, const FitEntry&, const Node&);
// The best node now, kNoIndex when it fits nowhere.
[[nodiscard]] Index best_node(Pool&, Index fit);
// Workers of the shape that fit on a node as it is.
[[nodiscard]] std::int32_t count_on(const Node&, const Shape&);
// The key of a node by which best_node orders; kNoFit when it does not fit.
[[nodiscard]] std::uint64_t key_on(const Pool&, const FitEntry&, const Node&);
// Where one worker goes on a node, on cards out of `allowed`; false: it does not fit.
[[nodiscard]] bool place_on(const Pool&, const Node&, const Shape&, Mask allowed, Placement& out);

// A node has changed; all entries will see it.
void log_change(Pool&, Index node);
// Work of this shape, on those models, was asked for.
void note_asked(Pool&, Index fit);

// Free milli of a node that the mix cannot use, in thousandths of a milli-GPU weighted by the mix's counts.
[[nodiscard]] std::int64_t unusable_on(const Pool&, const Node&);
[[nodiscard]] std::int64_t free_milli_on(const Node&);

}  // namespace weir::engine
