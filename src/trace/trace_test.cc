#include "trace/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

#include "base/prng.h"
#include "trace/csv.h"

namespace weir {
namespace {

using ::testing::HasSubstr;

// A file in the test's own folder that goes when the test does.
class TraceFile : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) / ("weir_trace_" + std::string(info->name()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& text, const std::string& name = "list.csv") {
    const std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  std::string write_gzip(const std::string& text, const std::string& name = "list.csv.gz") {
    const std::string path = (folder_ / name).string();
    gzFile file = gzopen(path.c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
    return path;
  }
  // The problems of a job list, without the folder's name.
  std::vector<std::string> problems(const std::string& text) {
    const auto jobs = read_jobs(write(text));
    std::vector<std::string> lines;
    if (jobs) return lines;
    for (const Error& error : jobs.error()) lines.push_back(error.text().substr((folder_ / "").string().size()));
    return lines;
  }
  std::filesystem::path folder_;
};

TEST_F(TraceFile, ReadsAScenarioListPlainAndZipped) {
  const std::string text =
      "job_id,submit_s,duration_s,gpus,vc,tier,deadline_s,ckpt_s,frac_milli\n"
      "7,16180,1958,1,6214e9,1,20095,600,650\n"
      "8,16208,1494,12,6214e9,3,,1800,320\n";
  for (const std::string& path : {write(text), write_gzip(text)}) {
    const auto trace = read_jobs(path);
    ASSERT_TRUE(trace) << trace.error().front().text();
    ASSERT_EQ(trace->jobs.size(), 2U);
    const TraceJob& first = trace->jobs[0];
    EXPECT_EQ(first.name, "7");
    EXPECT_EQ(first.submit_ms, 16'180'000);
    EXPECT_EQ(first.duration_ms, 1'958'000);
    EXPECT_EQ(first.tier, 1);
    EXPECT_EQ(first.deadline_ms, 20'095'000);
    EXPECT_EQ(first.ckpt_ms, 600'000);
    EXPECT_EQ(first.team, "6214e9");
    EXPECT_EQ(trace->jobs[1].gpus, 12);
    EXPECT_EQ(trace->jobs[1].deadline_ms, kNever);
  }
}

TEST_F(TraceFile, ColumnsInAnyOrderWithTheirOwnUnits) {
  const auto trace =
      read_jobs(write("gpus,duration_h,submit_min,ckpt_min,x_note\r\n8,1.5,2.5,none,\"a, b\"\r\n1,0.25,1,,c"));
  ASSERT_TRUE(trace) << trace.error().front().text();
  EXPECT_EQ(trace->jobs[0].submit_ms, kMinute);  // sorted by submission
  EXPECT_EQ(trace->jobs[0].ckpt_ms, -1);
  EXPECT_EQ(trace->jobs[0].name, "1");
  EXPECT_EQ(trace->jobs[1].submit_ms, 150'000);
  EXPECT_EQ(trace->jobs[1].duration_ms, 90 * kMinute);
  EXPECT_EQ(trace->jobs[1].ckpt_ms, 0);
}

TEST_F(TraceFile, DatesCountFromTheStartOfTheFirstDay) {
  const auto trace =
      read_jobs(write("submit_utc,duration_s,gpus,deadline_utc\n"
                      "2017-10-31T00:00:10Z,5,1,2017-11-01T00:00:00Z\n2017-10-30 04:29:40,5,1,\n"));
  ASSERT_TRUE(trace) << trace.error().front().text();
  EXPECT_EQ(trace->jobs[0].submit_ms, 4 * kHour + 29 * kMinute + 40 * kSecond);
  EXPECT_EQ(trace->jobs[1].submit_ms, kDay + 10 * kSecond);
  EXPECT_EQ(trace->jobs[1].deadline_ms, 2 * kDay);
}

TEST_F(TraceFile, EveryProblemHasItsPlace) {
  EXPECT_THAT(problems("job_id,submit_s,duration_s,gpus\n"
                       "a,1,2,0\n"
                       "b,x,2,1\n"
                       "c,1,2\n"
                       "d,1,\"2,1\n"
                       "e,1,-2,1.5\n"),
              ::testing::ElementsAre("list.csv:2:7: gpus: expects a whole number from 1 to 100000, has \"0\"",
                                     HasSubstr("list.csv:3:3: submit_s: expects a number"),
                                     "list.csv:4: has 3 fields, the header has 4",
                                     "list.csv:5:5: a quote is not closed", HasSubstr("list.csv:6:5: duration_s"),
                                     HasSubstr("list.csv:6:8: gpus: expects a whole number")));
}

TEST_F(TraceFile, AMisspeltColumnNamesTheNearest) {
  EXPECT_THAT(problems("submit_s,duratoin_s,gpus\n"),
              ::testing::ElementsAre("list.csv:1:10: duratoin_s: unknown column; nearest is duration_s",
                                     "list.csv:1: no column duration_s (or duration_ms, _min, _h)"));
  EXPECT_THAT(problems("submit_s,duration_s,gpus,gpus\n"),
              ::testing::ElementsAre("list.csv:1:26: gpus: the column stands twice"));
  EXPECT_THAT(problems("submit_s,duration_s,gpus,completely_else\n"),
              ::testing::ElementsAre(HasSubstr("a name that begins with x_ is left alone")));
}

TEST_F(TraceFile, BadFilesAreErrorsAndNoCrash) {
  EXPECT_EQ(read_jobs((folder_ / "none.csv").string()).error().front().code, ErrorCode::not_found);
  EXPECT_EQ(read_jobs(folder_.string()).error().front().code, ErrorCode::io);
  EXPECT_THAT(problems(""), ::testing::ElementsAre(HasSubstr("the file is empty")));
  EXPECT_THAT(problems(std::string("submit_s,duration_s,gpus\n1,2,\0\n", 31)),
              ::testing::ElementsAre(HasSubstr("list.csv:2: the line holds a NUL byte")));
  EXPECT_THAT(problems("submit_s,duration_s,gpus\n1,2," + std::string(200'000, '1') + "\n"),
              ::testing::ElementsAre(HasSubstr("longer than 64 KiB")));
  EXPECT_THAT(problems("submit_s,duration_s,gpus\n1,2,99999999999999999999999999\n"),
              ::testing::ElementsAre(HasSubstr("expects a whole number")));
}

TEST_F(TraceFile, ACutArchiveIsNoShorterList) {
  std::string rows = "submit_s,duration_s,gpus\n";
  for (int i = 0; i < 20'000; ++i) rows += std::to_string(i * 37 % 10'007) + ",60,1\n";
  const std::string path = write_gzip(rows);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  const auto trace = read_jobs(path);
  ASSERT_FALSE(trace);
  EXPECT_THAT(trace.error().back().message, HasSubstr("end early"));
}

TEST_F(TraceFile, NoMoreProblemsThanAPersonReads) {
  std::string rows = "submit_s,duration_s,gpus\n";
  for (int i = 0; i < 1000; ++i) rows += "x,60,1\n";
  EXPECT_EQ(problems(rows).size(), kProblemsMax);
}

// Bytes changed, doubled and cut at random: a list or problems with a place, never a crash.
TEST_F(TraceFile, DamagedFilesGiveAListOrProblems) {
  const std::string sound =
      "job_id,submit_s,duration_h,gpus,vc,tier,deadline_utc,ckpt_min\n"
      "7,16180,1.5,1,\"a \"\"b\"\"\",1,2017-10-31T00:00:10Z,10\n8,16208,0.25,12,,3,,none\n";
  int lists = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Prng random(seed);
    std::string text = sound;
    for (std::uint64_t i = random.below(4); i > 0 && !text.empty(); --i) {
      const std::size_t at = random.below(text.size());
      switch (random.below(4)) {
        case 0:
          text[at] = static_cast<char>(random.below(256));
          break;
        case 1:
          text.erase(at, random.below(20));
          break;
        case 2:
          text.insert(at, text.substr(random.below(text.size()), random.below(20)));
          break;
        default:
          text[at] = ",\".\n9-"[random.below(6)];
          break;
      }
    }
    const std::string path = write(text);
    const auto jobs = read_jobs(path);
    lists += jobs ? 1 : 0;
    if (!jobs) {
      ASSERT_FALSE(jobs.error().empty()) << "seed " << seed;
      for (const Error& error : jobs.error()) {
        ASSERT_EQ(error.file, path);
        ASSERT_FALSE(error.message.empty());
      }
    }
    const auto load = read_load(path);
    ASSERT_TRUE(load || !load.error().empty());
  }
  EXPECT_GT(lists, 80);
}

TEST_F(TraceFile, ReadsALoadCurveExactly) {
  const auto curve = read_load(write("t_s,m-large,m-small\n0,0.465212,0.2\n600,0.407256,1\n"));
  ASSERT_TRUE(curve) << curve.error().front().text();
  EXPECT_THAT(curve->services, ::testing::ElementsAre("m-large", "m-small"));
  EXPECT_THAT(curve->start_ms, ::testing::ElementsAre(0, 600'000));
  EXPECT_THAT(curve->micro[0], ::testing::ElementsAre(465'212, 407'256));
  EXPECT_THAT(curve->micro[1], ::testing::ElementsAre(200'000, 1'000'000));
}

TEST_F(TraceFile, ACurveStartsAtZeroAndRises) {
  EXPECT_THAT(read_load(write("t_s,a\n5,1\n")).error().front().text(), HasSubstr("list.csv:2:1: t_s: the first row"));
  EXPECT_THAT(read_load(write("t_s,a\n0,1\n0,1\n")).error().front().text(),
              HasSubstr("list.csv:3:1: t_s: times have to rise"));
  EXPECT_THAT(read_load(write("t_s,a\n0,-1\n")).error().front().text(), HasSubstr("list.csv:2:3: a: expects a load"));
  EXPECT_THAT(read_load(write("a,b\n0,1\n")).error().front().text(), HasSubstr("no column t_s"));
  EXPECT_THAT(read_load(write("t_s,a\n")).error().front().text(), HasSubstr("no rows"));
}

TEST(Csv, DecimalsAreRoundedOnce) {
  EXPECT_EQ(trace::parse_decimal("0.0005", 1000, 100), 1);
  EXPECT_EQ(trace::parse_decimal("0.00049", 1000, 100), 0);
  EXPECT_EQ(trace::parse_decimal("1.", 1000, 2000), 1000);
  EXPECT_EQ(trace::parse_decimal("100.001", 1000, 100'000), std::nullopt);
  EXPECT_EQ(trace::parse_decimal("", 1, 10), std::nullopt);
  EXPECT_EQ(trace::parse_decimal(".", 1, 10), std::nullopt);
  EXPECT_EQ(trace::parse_decimal("1.2.3", 1, 10), std::nullopt);
  EXPECT_EQ(trace::parse_decimal("1e3", 1, 10'000), std::nullopt);
}

TEST(Csv, QuotedFields) {
  const auto fields = trace::split_fields("a, \"b \"\"c\"\" , d\" ,,e");
  ASSERT_TRUE(fields);
  EXPECT_THAT(fields->text, ::testing::ElementsAre("a", "b \"c\" , d", "", "e"));
}

}  // namespace
}  // namespace weir
