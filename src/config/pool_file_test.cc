#include "config/config.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/settings_table.h"

namespace weir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder, const std::string& prefix) {
  std::vector<std::filesystem::path> out;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with(prefix)) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

// The rest of every comment line that begins with "# <word>: ".
std::vector<std::string> said(const std::string& text, const std::string& word) {
  std::vector<std::string> out;
  std::istringstream in(text);
  const std::string start = "# " + word + ": ";
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.starts_with(start)) out.push_back(line.substr(start.size()));
  }
  return out;
}

std::vector<std::string> texts_of(std::vector<Error> errors) {
  std::vector<std::string> out;
  for (Error& error : errors) {
    error.file.clear();
    std::string text = error.text();
    out.push_back(text);
  }
  return out;
}

bool same_config(const PoolConfig& a, const PoolConfig& b) {
  return a.settings == b.settings && a.nodes == b.nodes && a.services == b.services && a.outer == b.outer;
}

class ConfigFixture : public ::testing::TestWithParam<std::filesystem::path> {};

std::string name_of_file(const ::testing::TestParamInfo<std::filesystem::path>& info) {
  std::string name = info.param.stem().string();
  std::replace_if(name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
}

class BadConfig : public ConfigFixture {};

TEST_P(BadConfig, SaysExactlyWhatIsWrong) {
  const std::string text = bytes_of(GetParam());
  const auto expected = said(text, "expect");
  ASSERT_FALSE(expected.empty()) << "a bad file says what is expected of it";
  const auto loaded = load_pool_file(GetParam().string());
  ASSERT_FALSE(loaded);
  EXPECT_EQ(texts_of(loaded.error()), expected);
  for (const Error& error : loaded.error()) EXPECT_EQ(error.file, GetParam().string());
}

INSTANTIATE_TEST_SUITE_P(Fixtures, BadConfig, ::testing::ValuesIn(files_in("scenarios/config", "bad-")), name_of_file);

class OkConfig : public ConfigFixture {};

TEST_P(OkConfig, LoadsAndPrintsWhatLoadsTheSame) {
  const std::string text = bytes_of(GetParam());
  std::vector<Error> warnings;
  const auto loaded = load_pool_text(text, "", &warnings);
  ASSERT_TRUE(loaded) << texts_of(loaded.error())[0];
  EXPECT_EQ(texts_of(warnings), said(text, "warn"));

  const std::string printed = print_pool(*loaded);
  for (const std::string& line : said(text, "prints")) EXPECT_THAT(printed, HasSubstr(line));
  const auto again = load_pool_text(printed, "");
  ASSERT_TRUE(again) << texts_of(again.error())[0] << "\n" << printed;
  EXPECT_TRUE(same_config(*again, *loaded)) << printed;
  EXPECT_EQ(print_pool(*again), printed);
}

INSTANTIATE_TEST_SUITE_P(Fixtures, OkConfig, ::testing::ValuesIn(files_in("scenarios/config", "ok-")), name_of_file);

TEST(ConfigFixtures, AreEnough) {
  EXPECT_GE(files_in("scenarios/config", "bad-").size() + files_in("scenarios/config", "ok-").size(), 40U);
}

// A key without a fixture is a rule that nobody has seen at work.
TEST(ConfigFixtures, EveryKeyStandsInOne) {
  std::string all;
  for (const auto& path : files_in("scenarios/config", "")) all += bytes_of(path);
  for (const SectionRow& section : settings_table()) {
    EXPECT_THAT(all, HasSubstr(section.name + ":"));
    for (const FieldDoc& field : section.fields) {
      const bool shown =
          all.find(" " + field.key + ":") != std::string::npos || all.find("{" + field.key + ":") != std::string::npos;
      EXPECT_TRUE(shown) << section.name << "." << field.key;
    }
  }
}

TEST(ShippedPools, Load) {
  const auto files = files_in("scenarios/pools", "");
  ASSERT_GE(files.size(), 2U);
  for (const auto& path : files) {
    std::vector<Error> warnings;
    const auto loaded = load_pool_file(path.string(), &warnings);
    ASSERT_TRUE(loaded) << texts_of(loaded.error())[0];
    EXPECT_THAT(texts_of(warnings), ElementsAre()) << path;
  }
}

TEST(ExamplePool, HasTheDefaultsOfTheProduct) {
  const auto loaded = load_pool_text(example_pool_text(), "example");
  ASSERT_TRUE(loaded);
  const Settings& s = loaded->settings;
  EXPECT_EQ(s.total_gpus, 64);
  EXPECT_EQ(s.guard_min_cards, 16);
  EXPECT_EQ(s.buffer_cards, 4);
  EXPECT_EQ(s.training_floor_cards, 16);      // min(25 % of 64, 64 - 16 - 4)
  EXPECT_EQ(s.nonpreemptible_max_cards, 40);  // 64 - 16 - 2 x 4
  EXPECT_EQ(s.assumed_interval_ms, 10 * kMinute);
  EXPECT_EQ(s.lead_time_ms, 10 * kMinute + 90 * kSecond);
  EXPECT_EQ(s.deadline_budget_ms, kHour * 48 * 168 / 5);
  EXPECT_EQ(s.order, OrderRule::attained);
  EXPECT_TRUE(s.rotation.on);
  EXPECT_EQ(s.rotation.first_service, std::int64_t{1000} * kHour);
  EXPECT_EQ(s.rotation.gang_after_ms, kHour);
  EXPECT_EQ(s.rotation.gang_victim_after_ms, 4 * kHour);
  EXPECT_EQ(s.aging_max_wait_ms, 12 * kHour);
  EXPECT_EQ(s.share_half_life_ms, 7 * kDay);
  EXPECT_EQ(s.buffer_mode, BufferMode::lend);
  EXPECT_EQ(s.hold_down_ms, 5 * kMinute);
  EXPECT_EQ(s.min_run_ms, 10 * kMinute);
  EXPECT_EQ(s.backfill_depth, 8);
  EXPECT_EQ(s.defrag, DefragMode::waiter);
  EXPECT_EQ(s.moves_per_hour, 0);
  EXPECT_EQ(s.stale_need_ms, 60 * kSecond);
  EXPECT_EQ(s.heartbeat_ms, 30 * kSecond);
  EXPECT_EQ(s.on_emergency, EmergencyRule::on_demand);
  EXPECT_EQ(s.default_tier, "train_normal");
  EXPECT_EQ(s.fault_policy.at(13), FaultPolicy::restart_job);
  EXPECT_FALSE(s.fault_policy.contains(79));
  ASSERT_EQ(s.tiers.size(), 3U);
  EXPECT_EQ(s.tiers[0], (TierSpec{"infer_core", 100, TierRole::inference}));
  EXPECT_EQ(s.tiers[1], (TierSpec{"train_deadline_near", 80, TierRole::deadline}));
  EXPECT_EQ(s.tiers[2], (TierSpec{"train_normal", 40, TierRole::training}));
  ASSERT_EQ(loaded->nodes.size(), 8U);
  for (std::uint32_t i = 0; i < 8; ++i) {
    EXPECT_EQ(loaded->nodes[i].id, NodeId{i});
    EXPECT_EQ(loaded->nodes[i].name, "n" + std::to_string(i + 1));
    EXPECT_EQ(loaded->nodes[i].cards, 8);
  }
}

TEST(PoolFile, TheOrderOfSectionsDoesNotMatter) {
  const auto one = load_pool_text(
      "pool: {total_gpus: 16, default_tier: a}\n"
      "priority_tiers:\n- {name: infer_core, weight: 9}\n- {name: a, weight: 3}\n- {name: b, weight: 4}\n"
      "teams: {T: {quota: 4, tiers: [b]}}\nservices: {S: {team: T, max: 2, islands: 1}}\n",
      "");
  ASSERT_FALSE(one);
  EXPECT_THAT(texts_of(one.error()), ElementsAre(HasSubstr("services.S.islands: unknown key")));
  const auto two = load_pool_text(
      "services: {S: {team: T, max: 2}}\nteams: {T: {quota: 4, tiers: [b]}}\n"
      "priority_tiers:\n- {name: infer_core, weight: 9}\n- {name: a, weight: 3}\n- {name: b, weight: 4}\n"
      "pool: {total_gpus: 16, default_tier: a}\n",
      "");
  ASSERT_TRUE(two);
  EXPECT_EQ(two->settings.default_tier, "a");
  EXPECT_EQ(two->services[0].hold_down_ms, 5 * kMinute);
}

TEST(PoolFile, IslandsMayStandBeforeGpus) {
  const auto loaded = load_pool_text("nodes:\n  - {islands: 2, name: n1, gpus: 4}\n", "");
  ASSERT_TRUE(loaded);
  EXPECT_THAT(loaded->nodes[0].islands, ElementsAre(0, 0, 1, 1));
}

TEST(PoolFile, ServicesGetIdsInOrderAndTheirHoldDown) {
  const auto loaded =
      load_pool_text("pool: {total_gpus: 8}\nservices: {b: {start: 4min}, a: {start: 1min, guard: 2}}\n", "");
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->services[0].name, "b");
  EXPECT_EQ(loaded->services[0].id, ServiceId{0});
  EXPECT_EQ(loaded->services[0].hold_down_ms, 8 * kMinute);
  EXPECT_EQ(loaded->services[0].max, 1);
  EXPECT_EQ(loaded->services[1].hold_down_ms, 5 * kMinute);
  EXPECT_EQ(loaded->services[1].max, 2);
  EXPECT_EQ(guard_cards(*loaded), 2);
}

TEST(PoolFile, TheFileThatIsNotThereIsNamed) {
  const auto loaded = load_pool_file("/nonexistent/pool.yaml");
  ASSERT_FALSE(loaded);
  ASSERT_EQ(loaded.error().size(), 1U);
  EXPECT_EQ(loaded.error()[0].text(), "/nonexistent/pool.yaml: no such file");
}

// What costs most per byte: many nodes of long ranges, many services, long lists.
TEST(PoolFile, LargeFilesStayQuick) {
  std::string ranges = "nodes:\n";
  std::string services = "pool: {total_gpus: 64}\nservices:\n";
  std::string models = "pool: {total_gpus: 64}\nprofiles: {a: [";
  std::string tiers = "pool: {total_gpus: 64}\npriority_tiers:\n";
  for (int i = 0; i < 20'000; ++i) {
    ranges += "- {name: \"n{1..50000}\", gpus: 8}\n";
    if (i < 12'000) services += "- {name: s" + std::to_string(i) + ", models: [m" + std::to_string(i) + "]}\n";
    models += "m" + std::to_string(i) + ", ";
    tiers += "- {name: t" + std::to_string(i) + ", weight: 5}\n";
  }
  const auto before = std::chrono::steady_clock::now();
  EXPECT_FALSE(load_pool_text(ranges, ""));
  EXPECT_TRUE(load_pool_text(services, ""));
  EXPECT_TRUE(load_pool_text(models + "z]}", ""));
  EXPECT_FALSE(load_pool_text(tiers, ""));
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(30));
}

TEST(ReferencePage, IsTheOneThatIsCommitted) {
  EXPECT_EQ(bytes_of("docs/reference/pool-yaml.md"), pool_reference_page())
      << "write it anew: weir check --reference > docs/reference/pool-yaml.md";
}

TEST(ReferencePage, SaysSomethingAboutEveryKey) {
  for (const SectionRow& section : settings_table()) {
    EXPECT_FALSE(section.help.empty()) << section.name;
    for (const FieldDoc& field : section.fields) {
      EXPECT_FALSE(field.type.empty()) << field.key;
      EXPECT_TRUE(field.help.ends_with('.') || field.help.ends_with(',')) << field.key << ": " << field.help;
      EXPECT_EQ(field.help.find('|'), std::string::npos) << field.key;
    }
  }
}

}  // namespace
}  // namespace weir
