#include "text/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "text/table.h"

namespace weir {
namespace {

// All values of a closed list: rows are empty past its end.
template <class Enum>
std::vector<Enum> all_of() {
  std::vector<Enum> values;
  for (int i = 0; i < 256; ++i) {
    const auto value = static_cast<Enum>(i);
    if (text::row_of(value).english.empty()) break;
    values.push_back(value);
  }
  return values;
}

bool has_latin_letter(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
}

bool has_multibyte(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0x80U) != 0; });
}

bool has_mark(std::string_view text) { return text.find_first_of("{}[]") != std::string_view::npos; }

// The fields that a pattern uses, without their nouns.
std::set<std::string> fields_of(std::string_view pattern) {
  std::set<std::string> fields;
  for (auto open = pattern.find('{'); open != std::string_view::npos; open = pattern.find('{', open + 1)) {
    const auto close = pattern.find('}', open);
    const auto inside = pattern.substr(open + 1, close - open - 1);
    fields.emplace(inside.substr(0, inside.find('.')));
  }
  return fields;
}

// Names without letters, so that any letter left in Chinese is the table's.
NameLookup chinese_names() {
  NameLookup names;
  names.job = [](JobId) { return "甲"; };
  names.run = [](RunId) { return "乙"; };
  names.node = [](NodeId) { return "丙"; };
  names.service = [](ServiceId) { return "丁"; };
  names.instant = [](TimeMs) { return "14:05"; };
  return names;
}

Reason full_reason(ReasonCode code) {
  return {.code = code, .amount = 8, .of = 3, .at = kDay, .job = JobId{7}, .run = RunId{9}};
}

template <class Enum>
void expect_labels(std::size_t count) {
  const auto values = all_of<Enum>();
  EXPECT_EQ(values.size(), count);
  std::set<std::string> english;
  std::set<std::string> chinese;
  for (const auto value : values) {
    EXPECT_FALSE(has_latin_letter(label(value, Language::chinese))) << label(value, Language::chinese);
    EXPECT_FALSE(has_multibyte(label(value, Language::english))) << label(value, Language::english);
    english.insert(label(value, Language::english));
    chinese.insert(label(value, Language::chinese));
  }
  EXPECT_EQ(english.size(), count) << "two values with the same English label";
  EXPECT_EQ(chinese.size(), count) << "two values with the same Chinese label";
}

TEST(Text, EveryReasonHasASentenceInBothLanguages) {
  const auto codes = all_of<ReasonCode>();
  EXPECT_EQ(codes.size(), 22U);
  for (const auto code : codes) {
    for (const auto& reason : {full_reason(code), Reason{.code = code}}) {
      const auto english = sentence(reason, Language::english, {});
      EXPECT_FALSE(has_mark(english)) << english;
      EXPECT_FALSE(has_multibyte(english)) << english;
      EXPECT_TRUE(english.ends_with('.')) << english;
      const auto chinese = sentence(reason, Language::chinese, chinese_names());
      EXPECT_FALSE(has_mark(chinese)) << chinese;
      EXPECT_FALSE(has_latin_letter(chinese)) << chinese;
      EXPECT_TRUE(chinese.ends_with("。")) << chinese;
    }
  }
}

TEST(Text, BothLanguagesSayTheSameThings) {
  for (const auto code : all_of<ReasonCode>()) {
    const auto row = text::row_of(code);
    EXPECT_EQ(fields_of(row.english), fields_of(row.chinese)) << row.english;
  }
  for (const auto kind : all_of<change::AlarmKind>()) {
    const auto row = text::row_of(kind);
    EXPECT_EQ(fields_of(row.english), fields_of(row.chinese)) << row.english;
  }
}

TEST(Text, EveryAlarmHasASentenceInBothLanguages) {
  const auto kinds = all_of<change::AlarmKind>();
  EXPECT_EQ(kinds.size(), 10U);
  for (const auto kind : kinds) {
    const change::Alarm bare{.kind = kind};
    const change::Alarm full{
        .kind = kind, .node = NodeId{1}, .job = JobId{2}, .service = ServiceId{3}, .run = RunId{4}};
    for (const auto& alarm : {bare, full}) {
      const auto english = sentence(alarm, Language::english, {});
      EXPECT_FALSE(has_mark(english) || has_multibyte(english)) << english;
      EXPECT_TRUE(english.ends_with('.')) << english;
      const auto chinese = sentence(alarm, Language::chinese, chinese_names());
      EXPECT_FALSE(has_mark(chinese) || has_latin_letter(chinese)) << chinese;
      EXPECT_TRUE(chinese.ends_with("。")) << chinese;
    }
  }
}

TEST(Text, LabelsAreDistinctAndTranslated) {
  expect_labels<JobState>(8);
  expect_labels<YieldCause>(6);
  expect_labels<ClaimEnd>(5);
  expect_labels<ReplicaState>(4);
  expect_labels<event::Exit>(5);
  expect_labels<decision::StopCause>(6);
  expect_labels<decision::DrainCause>(7);
}

TEST(Text, ArgumentsAppearWithTheirUnits) {
  EXPECT_EQ(sentence(full_reason(ReasonCode::capacity), Language::english, {}), "Needs 8 cards; free for it now: 3.");
  EXPECT_EQ(sentence(full_reason(ReasonCode::capacity), Language::chinese, {}),
            "需要 8 张卡，目前可供它使用的空闲卡有 3 张。");
  EXPECT_EQ(sentence({.code = ReasonCode::capacity, .amount = 1}, Language::english, {}),
            "Needs 1 card; free for it now: 0.");
  EXPECT_EQ(sentence({.code = ReasonCode::behind, .amount = 12345, .job = JobId{7}}, Language::english, {}),
            "Waits its turn after job 7: 12,345 jobs before it.");
}

TEST(Text, MissingArgumentsLeaveTheirPartOut) {
  EXPECT_EQ(sentence({.code = ReasonCode::behind}, Language::english, {}), "Waits its turn.");
  EXPECT_EQ(sentence({.code = ReasonCode::reserved, .at = 2 * kDay + kHour}, Language::english, {}),
            "Free cards are reserved until day 2, 01:00:00.");
  EXPECT_EQ(sentence({.code = ReasonCode::reserved, .job = JobId{3}}, Language::chinese, chinese_names()),
            "空闲卡已预留给 甲。");
  EXPECT_EQ(sentence({.code = ReasonCode::waiting_checkpoint, .run = RunId{5}}, Language::english, {}),
            "Cards are claimed for it and come free at a checkpoint of run 5.");
}

TEST(Text, NamesAreNeverReadAsPatterns) {
  NameLookup names;
  names.job = [](JobId) { return "{at} [x] {job}"; };
  EXPECT_EQ(sentence({.code = ReasonCode::waiting_jobs, .job = JobId{1}}, Language::english, names),
            "Starts when the work that it waits for has ended: {at} [x] {job}.");
}

TEST(Text, ValuesOutsideTheListHaveNoText) {
  EXPECT_EQ(sentence({.code = static_cast<ReasonCode>(200)}, Language::english, {}), "");
  EXPECT_EQ(label(static_cast<JobState>(200), Language::chinese), "");
}

TEST(Text, UnknownPlaceholdersStayVisible) {
  const text::Row row{"a {nothing} b {amount.cow}", ""};
  EXPECT_EQ(text::filled(row, {}, Language::english, {}), "a {nothing} b {amount.cow}");
}

TEST(Text, Durations) {
  struct Case {
    DurationMs duration_ms;
    std::string_view english;
    std::string_view chinese;
  };
  for (const auto& [duration_ms, english, chinese] : {
           Case{0, "0 s", "0 秒"},
           Case{350, "350 ms", "350 毫秒"},
           Case{45 * kSecond, "45 s", "45 秒"},
           Case{90 * kSecond, "1 min 30 s", "1 分钟 30 秒"},
           Case{3 * kHour + 20 * kMinute, "3 h 20 min", "3 小时 20 分钟"},
           Case{kHour, "1 h", "1 小时"},
           Case{2 * kDay + 4 * kHour + 10 * kMinute, "2 d 4 h", "2 天 4 小时"},
           Case{59 * kMinute + 59 * kSecond + 900, "1 h", "1 小时"},
           Case{23 * kHour + 59 * kMinute + 40 * kSecond, "1 d", "1 天"},
           Case{1999, "2 s", "2 秒"},
           Case{-90 * kSecond, "-1 min 30 s", "-1 分钟 30 秒"},
           Case{1500 * kDay, "1,500 d", "1,500 天"},
           Case{kNever, "never", "永不"},
       }) {
    EXPECT_EQ(duration_text(duration_ms, Language::english), english);
    EXPECT_EQ(duration_text(duration_ms, Language::chinese), chinese);
  }
}

TEST(Text, InstantsAndCounts) {
  EXPECT_EQ(instant_text(3 * kDay + 4 * kHour + 20 * kMinute + 5 * kSecond, Language::english), "day 3, 04:20:05");
  EXPECT_EQ(instant_text(3 * kDay, Language::chinese), "第 3 天 00:00:00");
  EXPECT_EQ(instant_text(-kHour, Language::english), "day -1, 23:00:00");
  EXPECT_EQ(instant_text(kNever, Language::english), "never");
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1000), "1,000");
  EXPECT_EQ(count_text(-1234567), "-1,234,567");
}

}  // namespace
}  // namespace weir
