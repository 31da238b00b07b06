// The auditor is audited: steps of sound worlds with one thing made wrong must be
// caught. A watchman who never cries would pass every other test here.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "audit/audit.h"
#include "base/prng.h"
#include "play.h"
#include "sim/world.h"

namespace weir::property {
namespace {

struct Step {
  TimeMs now_ms = 0;
  std::vector<Event> events;
  StepResult result;
};

class Recorder final : public StepObserver {
 public:
  void on_step(TimeMs now_ms, std::span<const Event> events, const StepResult& result) override {
    steps.push_back({now_ms, {events.begin(), events.end()}, result});
  }
  std::vector<Step> steps;
};

std::size_t violations_of(const std::vector<Step>& steps) {
  Auditor auditor;
  for (const Step& step : steps) auditor.on_step(step.now_ms, step.events, step.result);
  return auditor.violations().size();
}

// Makes one thing wrong in one step, if the step has such a thing.
using Mutation = std::function<bool(Step&)>;

template <class Body>
Mutation on_decision(std::function<bool(Body&)> change) {
  return [change](Step& step) {
    for (Decision& decision : step.result.decisions) {
      auto* body = std::get_if<Body>(&decision.body);
      if (body != nullptr && change(*body)) return true;
    }
    return false;
  };
}

template <class Body>
Mutation without_decision(std::function<bool(const Body&)> which) {
  return [which](Step& step) {
    auto& list = step.result.decisions;
    const auto it = std::find_if(list.begin(), list.end(), [&](const Decision& decision) {
      const auto* body = std::get_if<Body>(&decision.body);
      return body != nullptr && which(*body);
    });
    if (it == list.end()) return false;
    list.erase(it);
    return true;
  };
}

struct Named {
  const char* name;
  Mutation mutation;
};

std::vector<Named> wrong_starts() {
  using decision::StartRun;
  return {
      {"a start that is decided twice",
       [](Step& step) {
         for (const Decision& decision : step.result.decisions) {
           if (!std::holds_alternative<StartRun>(decision.body)) continue;
           Decision twice = decision;
           twice.id = step.result.decisions.back().id + 1;
           step.result.decisions.push_back(twice);
           return true;
         }
         return false;
       }},
      {"a gang without its last worker", on_decision<StartRun>([](StartRun& start) {
         if (start.places.size() < 2) return false;
         start.places.pop_back();
         return true;
       })},
      {"a start with a card more", on_decision<StartRun>([](StartRun& start) {
         Placement& place = start.places[0];
         if (place.share || place.cards == 0) return false;
         place.cards |= ~place.cards & (place.cards << 1 | 1);
         return true;
       })},
      {"a start on a node nobody declared", on_decision<StartRun>([](StartRun& start) {
         start.places[0].node = NodeId{999};
         return true;
       })},
      {"a resume from too far on", on_decision<StartRun>([](StartRun& start) {
         start.resume_progress_ms += 1;
         return true;
       })},
      {"a resume from too far back", on_decision<StartRun>([](StartRun& start) {
         if (start.resume_progress_ms == 0) return false;
         start.resume_progress_ms -= 1;
         return true;
       })},
      {"an incarnation that was used", on_decision<StartRun>([](StartRun& start) {
         if (start.incarnation < 2) return false;
         start.incarnation -= 1;
         return true;
       })},
      {"a start of a job that is not there", on_decision<StartRun>([](StartRun& start) {
         start.job = JobId{99'999};
         return true;
       })},
  };
}

std::vector<Named> wrong_asks_and_stops() {
  using decision::AskYield;
  return {
      {"an ask of another run", on_decision<AskYield>([](AskYield& ask) {
         ask.run = RunId{ask.run.value + 50'000};
         return true;
       })},
      {"an ask for another claim", on_decision<AskYield>([](AskYield& ask) {
         if (ask.cause != YieldCause::claim) return false;
         ask.claim = ClaimId{ask.claim.value + 50'000};
         return true;
       })},
      {"a gang that lost a member and goes on", without_decision<decision::StopRun>([](const decision::StopRun& stop) {
         return stop.cause == decision::StopCause::member_lost;
       })},
  };
}

std::vector<Named> wrong_claims() {
  return {
      {"a claim that is made on a number used before",
       [](Step& step) {
         for (Change& change : step.result.changes) {
           auto* made = std::get_if<change::ClaimMade>(&change);
           if (made == nullptr) continue;
           step.result.changes.push_back(Change{*made});
           return true;
         }
         return false;
       }},
      {"a claim whose end is not told",
       [](Step& step) {
         return std::erase_if(step.result.changes, [](const Change& change) {
                  const auto* over = std::get_if<change::ClaimEnded>(&change);
                  return over != nullptr && over->how == ClaimEnd::started;
                }) > 0;
       }},
      {"a claim that names none of its victims",
       [](Step& step) {
         for (Change& change : step.result.changes) {
           auto* made = std::get_if<change::ClaimMade>(&change);
           if (made == nullptr || made->victims.empty()) continue;
           // Asked at once: a victim that is to be asked later may end before anybody could tell.
           const bool asked =
               std::any_of(step.result.decisions.begin(), step.result.decisions.end(), [&](const Decision& decision) {
                 const auto* ask = std::get_if<decision::AskYield>(&decision.body);
                 return ask != nullptr && ask->claim == made->claim;
               });
           if (!asked) continue;
           made->victims.clear();
           return true;
         }
         return false;
       }},
  };
}

std::vector<Named> wrong_ends() {
  using decision::StartRun;
  return {
      {"a run that yields off its boundary",
       [](Step& step) {
         for (Event& event : step.events) {
           auto* exited = std::get_if<event::RunExited>(&event.body);
           if (exited == nullptr || exited->how != event::Exit::yielded) continue;
           exited->progress_ms += 2 * kMinute + 7'777;  // on demand: more work than there was time for
           return true;
         }
         return false;
       }},
      {"a run that ends by itself in the engine's book",
       [](Step& step) {
         for (const Decision& decision : step.result.decisions) {
           const auto* start = std::get_if<StartRun>(&decision.body);
           if (start == nullptr) continue;
           step.result.changes.push_back(change::RunEnded{start->run, start->job});
           return true;
         }
         return false;
       }},
      {"a replica beside its card's size", on_decision<decision::StartReplica>([](decision::StartReplica& start) {
         start.place.cards <<= 40;
         return true;
       })},
  };
}

std::vector<Named> mutations() {
  std::vector<Named> all;
  for (const auto& part : {wrong_starts(), wrong_asks_and_stops(), wrong_claims(), wrong_ends()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

// Steps of a world without a fault of its own, from its plan's start to its quiet.
std::vector<Step> steps_of(std::uint64_t seed) {
  const WorldPlan plan = plan_world(seed, {.jobs_max = 20});
  Recorder recorder;
  const Verdict verdict = play(plan, {.liveness = false, .observer = &recorder});
  return verdict.problems.empty() ? std::move(recorder.steps) : std::vector<Step>{};
}

TEST(Mutations, EachKindIsCaughtWhereverItIsMade) {
  std::vector<Named> kinds = mutations();
  std::vector<int> made(kinds.size(), 0);
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const std::vector<Step> sound = steps_of(seed);
    if (sound.empty()) continue;
    ASSERT_EQ(violations_of(sound), 0U) << "seed " << seed;
    Prng prng(seed);
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      // The first step from a random one on that has what the mutation needs.
      const std::size_t from = prng.below(sound.size());
      for (std::size_t i = 0; i < sound.size(); ++i) {
        const std::size_t at = (from + i) % sound.size();
        Step step = sound[at];
        if (!kinds[k].mutation(step)) continue;
        std::vector<Step> wrong = sound;
        wrong[at] = std::move(step);
        ++made[k];
        EXPECT_GT(violations_of(wrong), 0U) << kinds[k].name << ", seed " << seed << ", step " << at;
        break;
      }
    }
  }
  for (std::size_t k = 0; k < kinds.size(); ++k) EXPECT_GT(made[k], 0) << kinds[k].name << " was never made";
}

}  // namespace
}  // namespace weir::property
