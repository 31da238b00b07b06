// Facts become state: one event at a time, in the order of event.h.
#pragma once

#include <span>

#include "engine/state.h"

namespace weir::engine {

void apply_events(Pool&, std::span<const Event>);
// Timers that are due.
void apply_timers(Pool&);

// apply/nodes.cc
void apply(Pool&, const event::NodeDeclared&);
void apply(Pool&, const event::NodeDown&);
void apply(Pool&, const event::NodeUp&);
void apply(Pool&, const event::NodeSilent&, TimeMs at_ms);
void apply(Pool&, const event::NodeHeard&);
void apply(Pool&, const event::NodeCards&);
void apply(Pool&, const event::CardFault&);
void apply(Pool&, const event::CardOk&);
void apply(Pool&, const event::DrainSet&);
void node_timed_out(Pool&, Node&);

}  // namespace weir::engine
