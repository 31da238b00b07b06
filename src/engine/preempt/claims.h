// Claims: made, kept, and ended in one of four ways (engine.md 6.4, 6.5).
#pragma once

#include "engine/preempt/search.h"

namespace weir::engine {

struct Beneficiary {
  ClaimFor what = ClaimFor::job;
  JobId job;
  ServiceId service;
  Index variant = 0;
  bool first_boundary = false;  // each part is used as it comes: no victim waits for another
};

ClaimRec& make_claim(Pool&, const Taker&, const Beneficiary&, const Plan&);
void end_claim(Pool&, ClaimId, ClaimEnd how);
// Gives up the parts that are needed no more, newest first; ends the claim when none is left.
void shrink_claim(Pool&, ClaimId, std::int64_t parts);

// A run or replica has left its cards.
void victim_left(Pool&, RunId);
// Is every part free of holders?
[[nodiscard]] bool all_free(const Pool&, const ClaimRec&);
[[nodiscard]] bool part_free(const Pool&, const ClaimPart&);
// Ends claims whose cards cannot be had any more (node gone), and those past their expiry.
void review_claims(Pool&);
// The pool is frozen: claims that would still have to ask somebody end; the others stand.
void withdraw_unasked(Pool&);
// Ends what is past its expiry and still has not started, though its cards are free.
void expire_claims(Pool&);

}  // namespace weir::engine
