// Nodes as the moves planned so far would leave them, and where a run that
// moves can go. Nothing of the pool is changed by asking.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "engine/state.h"

namespace weir::engine {

// A run of one worker that may restart elsewhere, at a boundary.
struct Movable {
  RunId run;
  Placement place;
  Index variant = 0;            // of its job's demand
  GpuMs cost = 0;               // cards x (restart + write), dearer for who yielded lately
  TimeMs boundary_ms = kNever;  // the first it may be had at
  TimeMs free_ms = kNever;
  TimeMs ends_ms = kNever;  // by itself, as promised
};

// Nothing when it must not be moved for somebody of this rank: above it, inside
// min_run, without checkpoints, bound to its node, asked or on loan already, or
// so near its end or deadline that a restart is too dear.
[[nodiscard]] std::optional<Movable> movable(const Pool&, const RunRec&, Rank highest);
// The run as it is, whether it may be moved or not.
[[nodiscard]] Movable mover_of(const Pool&, const RunRec&);
// Those of a node, or of these cards of it, cheapest first; at most so many.
[[nodiscard]] std::vector<Movable> movable_on(const Pool&, const Node&, Mask cards, Rank highest);

// Where a target may be.
struct Ground {
  Index not_node = kNoIndex;
  bool in_use = false;       // only nodes that hold work already
  bool shared_only = false;  // shares: only cards in shares already
  Index of_card = kNoIndex;  // not this card of this node
  Mask card = 0;
};

class Sketch {
 public:
  explicit Sketch(Pool& pool) : pool_(pool) {}

  [[nodiscard]] const Node& see(Index node) const;
  void put(const Placement& place) { change(place, 1); }
  void lift(const Placement& place) { change(place, -1); }
  // Undoing goes back to a mark.
  [[nodiscard]] std::size_t mark() const { return done_.size(); }
  void undo(std::size_t mark);

  // One worker on that node, on cards out of `allowed`.
  [[nodiscard]] std::optional<Placement> fit(Index node, const Shape&, Mask allowed) const;
  // The fullest place for the run elsewhere, as fast as where it is.
  [[nodiscard]] std::optional<Placement> target(const Movable&, const Ground&);
  // The same on this very node.
  [[nodiscard]] std::optional<Placement> on_node(const Movable& m, Index node) { return on(m, {}, node); }
  // Nodes with some free cards, but not that many, most first.
  [[nodiscard]] std::vector<Index> short_of(std::int32_t cards);

  // Looks that are left: a search is bounded, whatever the pool looks like.
  [[nodiscard]] bool tired() const { return looks_ <= 0; }
  void look(std::int32_t times) { looks_ -= times; }

 private:
  void change(const Placement&, std::int32_t sign);
  void collect();
  [[nodiscard]] std::optional<Placement> on(const Movable&, const Ground&, Index node);

  Pool& pool_;
  std::map<Index, Node> touched_;
  std::vector<std::pair<Placement, std::int32_t>> done_;
  bool collected_ = false;
  std::vector<std::pair<std::int32_t, Index>> roomy_;  // free whole cards, node; fewest first
  std::vector<Index> cut_;                             // with cards in shares
  std::int32_t looks_ = 4000;
};

}  // namespace weir::engine
