#include "config/reader.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Every problem of a text as "line:column key: message".
std::vector<std::string> problems_of(std::string_view text, const YamlLimits& limits = {}) {
  Problems problems{""};
  (void)read_yaml(text, problems, limits);
  std::vector<std::string> out;
  for (const Error& error : problems.take()) {
    out.push_back(std::to_string(error.line) + ":" + std::to_string(error.column) + " " + error.key + ": " +
                  error.message);
  }
  return out;
}

std::string only_problem_of(std::string_view text, const YamlLimits& limits = {}) {
  const auto problems = problems_of(text, limits);
  return problems.size() == 1 ? problems[0] : std::to_string(problems.size()) + " problems";
}

// Applies `read` to the value of the key v and gives the problem it adds.
template <class Read>
std::string problem_with(const std::string& written, Read read) {
  Problems problems{""};
  const auto root = read_yaml("v: " + written, problems);
  if (!root) return "unreadable: " + problems.take().at(0).message;
  auto section = Value(*root, "", problems).section();
  if (!section) return "no section";
  const auto value = section->get("v");
  if (!value) return "no value";
  if (read(*value)) return "accepted";
  const auto errors = problems.take();
  return errors.size() == 1 ? errors[0].text() : std::to_string(errors.size()) + " problems";
}

TEST(ReadYaml, KeepsOrderPlacesAndText) {
  Problems problems{"f.yaml"};
  const auto root = read_yaml("b: 010\na:\n  - x\n  - {k: 1e400}\n", problems);
  ASSERT_TRUE(root);
  ASSERT_TRUE(problems.empty());
  ASSERT_EQ(root->entries.size(), 2U);
  EXPECT_EQ(root->entries[0].key, "b");
  EXPECT_EQ(root->entries[0].value.text, "010");
  EXPECT_EQ(root->entries[1].at, (Place{2, 1}));
  const YamlNode& map = root->entries[1].value.items[1];
  EXPECT_EQ(map.entries[0].value.text, "1e400");
  EXPECT_EQ(map.entries[0].at, (Place{4, 6}));
}

TEST(ReadYaml, CountsColumnsInCharacters) {
  Problems problems{""};
  const auto root = read_yaml("a: {名字: 推理, weight: 3}\n", problems);
  ASSERT_TRUE(root);
  EXPECT_EQ(root->entries[0].value.entries[1].at, (Place{1, 13}));
}

TEST(ReadYaml, ANullValueStandsAtItsKey) {
  Problems problems{""};
  const auto root = read_yaml("a:\n\n\nb: 1\n", problems);
  ASSERT_TRUE(root);
  EXPECT_EQ(root->entries[0].value.kind, YamlNode::Kind::null);
  EXPECT_EQ(root->entries[0].value.at, (Place{1, 1}));
}

TEST(ReadYaml, AnEmptyTextIsANullNode) {
  for (const std::string_view text : {"", "\n\n", "# only a comment\n", "\xEF\xBB\xBF"}) {
    Problems problems{""};
    const auto root = read_yaml(text, problems);
    ASSERT_TRUE(root);
    EXPECT_EQ(root->kind, YamlNode::Kind::null);
    EXPECT_TRUE(problems.empty());
  }
}

TEST(ReadYaml, RefusesWhatIsNoPlainTree) {
  EXPECT_EQ(only_problem_of("a: 1\nb: 2\na: 3\n"), "3:1 a: this key is given twice; the first is on line 1");
  EXPECT_EQ(only_problem_of("t:\n  x: 1\n  x: 1\n"), "3:3 t.x: this key is given twice; the first is on line 2");
  EXPECT_EQ(only_problem_of("a: &x 1\n"),
            "1:4 a: anchors (&) are not used here; write the value out where it is wanted");
  EXPECT_THAT(only_problem_of("a: !!int 5\n"), StartsWith("1:4 a: tags (!) are not used here"));
  EXPECT_THAT(only_problem_of("[a]: 1\n"), HasSubstr("a key must be plain text"));
  EXPECT_THAT(only_problem_of("~: 1\n"), HasSubstr("a key must be plain text"));
  EXPECT_THAT(only_problem_of("a: 1\n---\nb: 1\n"), HasSubstr("a second document begins"));
  EXPECT_THAT(only_problem_of("a: {b: 1\n"), HasSubstr("not valid YAML: "));
  EXPECT_THAT(only_problem_of("a: *nowhere\n"), HasSubstr("not valid YAML: "));
  EXPECT_THAT(problems_of("x: &x {k: 1}\ny: {<<: *x}\n"),
              ::testing::ElementsAre(HasSubstr("anchors"), HasSubstr("merge keys")));
  EXPECT_THAT(problems_of("x: &x 1\ny: *x\n"), ::testing::ElementsAre(HasSubstr("anchors"), HasSubstr("aliases")));
}

TEST(ReadYaml, RefusesWhatIsNoText) {
  EXPECT_THAT(only_problem_of(std::string_view("a: 1\nb: \0x\n", 11)), StartsWith("2:4 : a NUL byte"));
  EXPECT_THAT(only_problem_of("a: \x01\n"), StartsWith("1:4 : a control character"));
  for (const std::string_view bytes :
       {"a: \xFF", "a: \xC0\x80", "a: \xED\xA0\x80", "a: \xF4\x90\x80\x80", "a: \xE4\xBD"}) {
    EXPECT_EQ(only_problem_of(bytes), "1:4 : not valid UTF-8");
  }
}

TEST(ReadYaml, HoldsItsLimits) {
  EXPECT_THAT(only_problem_of("[1, 2, 3, 4]", {.nodes_max = 4}), HasSubstr("more than 4 keys and values"));
  EXPECT_EQ(only_problem_of("[1, 2, 3]", {.nodes_max = 4}), "0 problems");
  EXPECT_THAT(only_problem_of("[[[[1]]]]", {.depth_max = 3}), HasSubstr("nested deeper than 3 levels"));
  EXPECT_THAT(only_problem_of(std::string(100'000, '[')), HasSubstr("nested deeper than 32 levels"));
  EXPECT_THAT(only_problem_of(std::string(100'000, '{')), HasSubstr(": "));
  EXPECT_THAT(only_problem_of("a: 1\n", {.bytes_max = 4}), HasSubstr("larger than 4 bytes"));
}

TEST(ReadYaml, AnAliasBombIsRefusedAtOnce) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 30; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 9; ++j) bomb += (j == 0 ? "*a" : ", *a") + std::to_string(i - 1);
    bomb += "]\n";
  }
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(problems_of(bomb).size(), Problems::kProblemsMax + 1);
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(2));
}

TEST(ReadYaml, AMillionBytesOfAnythingStaysQuick) {
  std::string same_keys;
  std::string one_line = "a: [";
  while (same_keys.size() < 900'000) same_keys += "k: 1\n";
  while (one_line.size() < 390'000) one_line += "1,";
  const auto before = std::chrono::steady_clock::now();
  const auto problems = problems_of(same_keys);
  ASSERT_FALSE(problems.empty());
  EXPECT_THAT(problems.back(), HasSubstr("more"));
  EXPECT_EQ(problems_of(one_line + "1]").size(), 0U);
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(20));
}

TEST(ReadFile, RefusesALargeFileWithoutReadingIt) {
  const auto path = std::filesystem::temp_directory_path() / "weir_reader_test_large.yaml";
  {
    std::ofstream(path) << "a: 1\n";
  }
  std::filesystem::resize_file(path, 100'000'000);
  const auto before = std::chrono::steady_clock::now();
  const auto text = read_bounded_file(path.string());
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(1));
  std::filesystem::remove(path);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, ErrorCode::too_large);
  EXPECT_EQ(text.error().message, "larger than 1048576 bytes");
}

TEST(ReadFile, NamesWhatIsNoFile) {
  EXPECT_EQ(read_bounded_file("/nonexistent/pool.yaml").error().code, ErrorCode::not_found);
  EXPECT_EQ(read_bounded_file("/tmp").error().message, "a folder, not a file");
  EXPECT_EQ(read_bounded_file("/dev/zero").error().code, ErrorCode::too_large);
}

TEST(ReadValue, WholeNumbers) {
  const auto read = [](const Value& value) { return value.whole({-5, 100}).has_value(); };
  for (const char* good : {"0", "-5", "+7", "100"}) EXPECT_EQ(problem_with(good, read), "accepted") << good;
  EXPECT_EQ(problem_with("101", read), "1:4: v: must be between -5 and 100, is 101");
  EXPECT_EQ(problem_with("4294967297", read), "1:4: v: must be between -5 and 100, is 4294967297");
  for (const char* bad : {"1e400", ".nan", ".inf", "1.5", "0x10", "010", "1_000", "ten", "99999999999999999999"}) {
    EXPECT_EQ(problem_with(bad, read),
              std::string("1:4: v: expects a whole number from -5 to 100, has \"") + bad + "\"");
  }
  EXPECT_EQ(problem_with("'4 GPUs'", read), "1:4: v: expects a whole number, has the text \"4 GPUs\"");
  EXPECT_EQ(problem_with("[4]", read), "1:4: v: expects a whole number, has a list");
  EXPECT_EQ(problem_with("{a: 4}", read), "1:4: v: expects a whole number, has a map");
  EXPECT_EQ(problem_with("", read), "1:1: v: expects a whole number, has no value");
}

TEST(ReadValue, WordsAndSwitches) {
  constexpr std::array<std::string_view, 3> kWords = {"off", "waiter", "background"};
  const auto word = [&](const Value& value) { return value.word(kWords).has_value(); };
  EXPECT_EQ(problem_with("waiter", word), "accepted");
  EXPECT_EQ(problem_with("waitr", word),
            "1:4: v: expects one of off, waiter, background, has \"waitr\"; nearest is waiter");
  const auto flag = [](const Value& value) { return value.yes_no().has_value(); };
  for (const char* good : {"true", "false", "on", "off", "yes", "no"}) EXPECT_EQ(problem_with(good, flag), "accepted");
  EXPECT_EQ(problem_with("1", flag), "1:4: v: expects true or false, has \"1\"");
  EXPECT_EQ(problem_with("'true'", flag), "1:4: v: expects true or false, has the text \"true\"");
}

TEST(ReadValue, AReportedValueIsNotReportedAgain) {
  Problems problems{""};
  const auto root = read_yaml("a: &x 1\nb: *x\n", problems);
  ASSERT_TRUE(root);
  auto top = Value(*root, "", problems).section();
  ASSERT_TRUE(top);
  EXPECT_EQ(top->whole("a", 0, {0, 9}), 1);
  EXPECT_EQ(top->whole("b", 7, {0, 9}), 7);
  EXPECT_EQ(problems.take().size(), 2U);
}

TEST(ReadSection, UnknownKeysNameTheNearest) {
  Problems problems{"pool.yaml"};
  const auto root = read_yaml("teams:\n  A: {qouta: 4, elephant: 1}\n", problems);
  ASSERT_TRUE(root);
  auto top = Value(*root, "", problems).section();
  auto teams = top->get("teams")->section();
  for (auto& [name, value] : teams->all()) {
    auto team = value.section();
    EXPECT_EQ(team->whole("quota", 3, {0, 10}), 3);
    EXPECT_TRUE(team->yes_no("borrow", true));
    team->finish();
  }
  teams->finish();
  top->finish();
  const auto errors = problems.take();
  ASSERT_EQ(errors.size(), 2U);
  EXPECT_EQ(errors[0].text(), "pool.yaml:2:7: teams.A.qouta: unknown key; nearest is quota");
  EXPECT_EQ(errors[1].text(), "pool.yaml:2:17: teams.A.elephant: unknown key; known here: borrow, quota");
}

TEST(ReadSection, ProblemsComeInFileOrderAndAreCounted) {
  Problems problems{"f"};
  for (int line = 300; line > 0; --line) problems.add({line, 1}, "k", "m");
  const auto errors = problems.take();
  ASSERT_EQ(errors.size(), Problems::kProblemsMax + 1);
  EXPECT_LT(errors[0].line, errors[1].line);
  EXPECT_EQ(errors.back().message, "and 100 more problems");
  EXPECT_TRUE(problems.empty());
}

TEST(ReadSection, KeysThatATerminalWouldActOnAreEscaped) {
  Problems problems{""};
  const auto root = read_yaml("\"a\\e[31m\": 1\n", problems);
  ASSERT_TRUE(root);
  Value(*root, "", problems).section()->finish();
  EXPECT_EQ(problems.take().at(0).key, "\"a\\x1b[31m\"");
}

}  // namespace
}  // namespace weir
