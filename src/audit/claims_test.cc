// Invariant 5: yields have a cause; claims are feasible, disjoint, and end once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audit/stream_for_test.h"

namespace weir {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

event::NodeDeclared declare(const NodeSpec& node) { return {node}; }
event::JobSubmitted submit(const JobSpec& job) { return {job}; }

// One node of 4 cards; jobs 0 to 3 of one card; jobs 0 and 1 run on cards 0 and 1.
Stream two_running(const JobSpec& second = job_of(1)) {
  Stream stream;
  stream.step(0, declare(node_of(0, 4)), submit(job_of(0)), submit(second), submit(job_of(2)), submit(job_of(3)),
              start_of(0, 0, {cards_on(0, 1)}), start_of(1, 1, {cards_on(0, 2)}));
  return stream;
}

decision::StartRun on_claim(decision::StartRun start, std::uint32_t claim) {
  start.claim = ClaimId{claim};
  return start;
}

TEST(AuditClaims, AcceptsAClaimFromItsMakingToItsStart) {
  Stream stream = two_running();
  stream.step(1, claim_of(0, 2, {cards_on(0, 1)}, {0}), ask_of(0, 0));
  EXPECT_EQ(stream.auditor.open_claims(), 1);
  stream.step(100'000, event::RunExited{.run = RunId{0}, .how = event::Exit::yielded, .progress_ms = 100'000},
              on_claim(start_of(2, 2, {cards_on(0, 1)}), 0), change::ClaimEnded{ClaimId{0}, ClaimEnd::started});
  EXPECT_THAT(stream.broken(), IsEmpty()) << stream.text();
  EXPECT_EQ(stream.auditor.open_claims(), 0);
}

TEST(AuditClaims, CatchesAsksWithoutAnOpenClaimThatNamesTheRun) {
  Stream stream = two_running();
  stream.step(1, ask_of(0, 0));
  EXPECT_THAT(stream.broken(), ElementsAre(5));
  stream.step(2, claim_of(1, 2, {cards_on(0, 1)}, {0}), ask_of(1, 1));
  EXPECT_THAT(stream.broken(), ElementsAre(5, 5)) << stream.text();
}

TEST(AuditClaims, CatchesAsksWhoseCauseIsNotTrue) {
  for (const YieldCause cause : {YieldCause::loan, YieldCause::limit, YieldCause::drain}) {
    Stream stream = two_running();
    stream.step(1, decision::AskYield{.run = RunId{0}, .cause = cause});
    EXPECT_THAT(stream.broken(), ElementsAre(5)) << name_of(cause);
  }
}

TEST(AuditClaims, AcceptsAsksWhoseCauseIsTrue) {
  JobSpec limited = job_of(1);
  limited.limit_ms = kHour;
  Stream stream = two_running(limited);
  decision::StartRun loan = start_of(2, 2, {cards_on(0, 4)});
  loan.loan = true;
  loan.loan_due_ms = kHour;
  stream.step(1, loan);
  stream.step(2, event::DrainSet{NodeId{0}, true}, decision::AskYield{.run = RunId{0}, .cause = YieldCause::drain},
              decision::AskYield{.run = RunId{1}, .cause = YieldCause::limit},
              decision::AskYield{.run = RunId{2}, .cause = YieldCause::loan});
  EXPECT_THAT(stream.broken(), IsEmpty()) << stream.text();
}

TEST(AuditClaims, CatchesClaimsThatCountOnCardsOfOthers) {
  Stream stream = two_running();
  stream.step(1, claim_of(0, 2, {cards_on(0, 2)}, {}));  // card 1 is held by run 1, which nobody asks
  EXPECT_THAT(stream.broken(), ElementsAre(5));
}

TEST(AuditClaims, AcceptsClaimsOnCardsThatComeFreeAnyway) {
  JobSpec limited = job_of(1);
  limited.limit_ms = 50 * kSecond;
  Stream stream = two_running(limited);
  stream.step(1, claim_of(0, 2, {cards_on(0, 2)}, {}));
  EXPECT_THAT(stream.broken(), IsEmpty()) << stream.text();
}

TEST(AuditClaims, CatchesTwoClaimsOnOneCardAndAcceptsASupersededOne) {
  Stream stream = two_running();
  stream.step(1, claim_of(0, 2, {cards_on(0, 1)}, {0}));
  stream.step(2, claim_of(1, 3, {cards_on(0, 1)}, {0}), change::ClaimEnded{ClaimId{0}, ClaimEnd::superseded});
  EXPECT_THAT(stream.broken(), IsEmpty()) << stream.text();
  stream.step(3, claim_of(2, 2, {cards_on(0, 1)}, {0}));
  EXPECT_THAT(stream.broken(), ElementsAre(5));
}

TEST(AuditClaims, CatchesOthersOnClaimedCards) {
  Stream stream = two_running();
  stream.step(1, claim_of(0, 2, {cards_on(0, 4)}, {}), start_of(2, 3, {cards_on(0, 4)}));
  EXPECT_THAT(stream.broken(), ElementsAre(5));
}

TEST(AuditClaims, AcceptsLoansAndShortWorkOnClaimedCards) {
  JobSpec brief = job_of(3);
  brief.limit_ms = 50 * kSecond;
  Stream stream;
  stream.step(0, declare(node_of(0, 4)), submit(job_of(0)), submit(job_of(1)), submit(job_of(2)), submit(brief));
  decision::StartRun loan = start_of(0, 1, {cards_on(0, 1)});
  loan.loan = true;
  loan.loan_due_ms = 90 * kSecond;
  change::ClaimMade made = claim_of(0, 0, {cards_on(0, 3)}, {});
  JobSpec wide = job_of(0, 2);
  wide.id = JobId{5};
  made.job = JobId{5};
  stream.step(1, submit(wide), made, loan, start_of(1, 3, {cards_on(0, 2)}));
  EXPECT_THAT(stream.broken(), IsEmpty()) << stream.text();
}

TEST(AuditClaims, CatchesClaimsThatEndTwiceOrNeverStarted) {
  Stream stream = two_running();
  stream.step(1, claim_of(0, 2, {cards_on(0, 4)}, {}));
  stream.step(2, change::ClaimEnded{ClaimId{0}, ClaimEnd::started});
  EXPECT_THAT(stream.broken(), ElementsAre(5)) << "nothing started on it";
  stream.step(3, change::ClaimEnded{ClaimId{0}, ClaimEnd::withdrawn});
  EXPECT_THAT(stream.broken(), ElementsAre(5, 5));
}

TEST(AuditClaims, CatchesClaimsPastTheirExpiry) {
  Stream stream = two_running();
  stream.step(1, claim_of(0, 2, {cards_on(0, 4)}, {}));
  stream.step(300'000, event::FreezeSet{false});
  EXPECT_THAT(stream.broken(), IsEmpty()) << stream.text();
  stream.step(300'001, event::FreezeSet{false});
  stream.step(300'002, event::FreezeSet{false});
  EXPECT_THAT(stream.broken(), ElementsAre(5)) << "said once";
}

TEST(AuditClaims, CatchesAsksThatOutliveTheirClaim) {
  for (const bool withdrawn : {true, false}) {
    Stream stream = two_running();
    stream.step(1, claim_of(0, 2, {cards_on(0, 1)}, {0}), ask_of(0, 0));
    if (withdrawn) {
      stream.step(2, change::ClaimEnded{ClaimId{0}, ClaimEnd::withdrawn}, decision::WithdrawYield{RunId{0}});
    } else {
      stream.step(2, change::ClaimEnded{ClaimId{0}, ClaimEnd::withdrawn});
    }
    EXPECT_EQ(stream.broken().empty(), withdrawn) << stream.text();
  }
}

TEST(AuditClaims, CatchesADroppedVictimThatIsStillAsked) {
  Stream stream = two_running();
  stream.step(1, claim_of(0, 2, {cards_on(0, 1)}, {0}), ask_of(0, 0));
  stream.step(2, change::VictimDropped{ClaimId{0}, RunId{0}});
  EXPECT_THAT(stream.broken(), ElementsAre(5));
  stream.step(3, change::VictimDropped{ClaimId{0}, RunId{1}});
  EXPECT_THAT(stream.broken(), ElementsAre(5, 5)) << "it was never named";
}

TEST(AuditClaims, CatchesClaimsOfTheWrongSize) {
  Stream stream = two_running();
  stream.step(1, claim_of(0, 2, {cards_on(0, 12)}, {}));
  EXPECT_THAT(stream.broken(), ElementsAre(5));
}

TEST(AuditClaims, CatchesTakingWhileFrozenOrOff) {
  Settings settings;
  settings.preempt_enabled = false;
  const std::vector<event::Body> facts = {event::FreezeSet{true},
                                          event::ConfigSet{std::make_shared<const Settings>(settings)}};
  for (const event::Body& fact : facts) {
    Stream stream = two_running();
    stream.step(1, fact, claim_of(0, 2, {cards_on(0, 1)}, {0}), ask_of(0, 0));
    EXPECT_THAT(stream.broken(), ElementsAre(5, 5)) << stream.text();
  }
}

TEST(AuditClaims, SharesStandBesideEachOtherInClaims) {
  JobSpec half = job_of(0);
  half.roles[0].shape = Shape{.milli = 500, .card_mem_mib = 1};
  JobSpec other = half;
  other.id = JobId{1};
  JobSpec third = half;
  third.id = JobId{2};
  Stream stream;
  stream.step(0, declare(node_of(0, 1)), submit(half), submit(other), submit(third),
              claim_of(0, 0, {share_on(0, 0, 500, 1)}, {}), start_of(0, 1, {share_on(0, 0, 500, 1)}));
  EXPECT_THAT(stream.broken(), IsEmpty()) << stream.text();
  stream.step(1, start_of(1, 2, {share_on(0, 0, 500, 1)}));
  EXPECT_THAT(stream.broken(), ElementsAre(5)) << "the other half belongs to the claim";
}

}  // namespace
}  // namespace weir
