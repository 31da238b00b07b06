#include "model/names.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace weir {
namespace {

// Every value of a list from 0 to its last has a word of its own; beyond it there is none.
template <class Enum>
void expect_words(Enum last) {
  std::set<std::string> words;
  const int count = static_cast<int>(last) + 1;
  for (int i = 0; i < count; ++i) words.insert(std::string(name_of(static_cast<Enum>(i))));
  EXPECT_EQ(static_cast<int>(words.size()), count);
  EXPECT_FALSE(words.contains("unknown"));
  EXPECT_EQ(name_of(static_cast<Enum>(count)), "unknown");
}

TEST(Names, EveryListIsComplete) {
  expect_words(ReasonCode::node_scope);
  expect_words(JobState::rejected);
  expect_words(YieldCause::drain);
  expect_words(ClaimEnd::expired);
  expect_words(ReplicaState::gone);
  expect_words(TierRole::training);
  expect_words(OrderRule::fifo);
  expect_words(event::Exit::lost);
  expect_words(decision::StopCause::operator_request);
  expect_words(decision::DrainCause::card_lost);
  expect_words(change::AlarmKind::yield_overdue);
}

TEST(Names, AreTheWordsOfTheVocabulary) {
  EXPECT_EQ(name_of(ReasonCode::waiting_checkpoint), "waiting_checkpoint");
  EXPECT_EQ(name_of(ReasonCode::team_quota), "team_quota");
  EXPECT_EQ(name_of(OrderRule::response_ratio), "response_ratio");
}

}  // namespace
}  // namespace weir
