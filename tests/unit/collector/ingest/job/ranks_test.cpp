#include "collector/ingest/job/ranks.hpp"

#include "common/wire/mpi_records.hpp"
#include "tests/unit/collector/ingest/report_fixture.hpp"

namespace prof::ingest {
namespace {

class RanksTest : public ReportFixture {
 protected:
  void add_variables(std::uint32_t serial, std::initializer_list<std::string_view> texts) {
    test::RecordBytes records;
    for (const std::string_view text : texts) {
      const std::uint64_t hash = records.text(text);
      records.add(wire::RankVariableRecord{
          test::header<wire::RankVariableRecord>(wire::RecordType::kRankVariable), 60, hash});
    }
    add_thread(serial, 1, records);
  }
  std::vector<std::string> ranks() {
    build();
    return rows(
        "SELECT globalPid >> 24 & 0xffffff, rank, size, localRank, source, precedence FROM "
        "PROF_RANKS ORDER BY 1, precedence");
  }
};

TEST_F(RanksTest, TheBestSourceComesFirstAndThoseThatDisagreeFollow) {
  add_variables(16, {"SLURM_PROCID=1", "SLURM_LOCALID=0", "RANK=5", "WORLD_SIZE=8", "PMIX_RANK=5"});
  EXPECT_EQ(ranks(), (std::vector<std::string>{"100|5|8|-|torchrun|0", "100|1|-|0|Slurm|1"}));
}

TEST_F(RanksTest, TheRankThatMpiGaveIsBetterThanThoseOfLaunchers) {
  test::RecordBytes records;
  for (const char* text :
       {"SLURM_PROCID=0", "OMPI_COMM_WORLD_RANK=2", "OMPI_COMM_WORLD_LOCAL_RANK=1"}) {
    const std::uint64_t hash = records.text(text);
    records.add(wire::RankVariableRecord{
        test::header<wire::RankVariableRecord>(wire::RecordType::kRankVariable), 60, hash});
  }
  records.add(wire::MpiCommunicatorRecord{
      test::header<wire::MpiCommunicatorRecord>(wire::RecordType::kMpiCommunicator), 70, 7, 0, 2, 2,
      4, -1});
  add_thread(16, 1, records);
  EXPECT_EQ(ranks(), (std::vector<std::string>{"100|2|4|1|mpi|0", "100|0|-|-|Slurm|1"}));
}

TEST_F(RanksTest, AForkedChildHasTheVariablesOfItsParent) {
  add_process(17, 16, 101);
  add_process(18, 17, 102);
  add_variables(16, {"WORLD_SIZE=2", "RANK=0"});
  add_variables(18, {"RANK=1"});
  EXPECT_EQ(ranks(), (std::vector<std::string>{"100|0|2|-|torchrun|0", "102|1|2|-|torchrun|0"}));
}

TEST_F(RanksTest, TheLastValueOfAVariableCounts) {
  add_variables(16, {"RANK=0", "RANK=3"});
  EXPECT_EQ(ranks(), (std::vector<std::string>{"100|3|-|-|torchrun|0"}));
}

TEST_F(RanksTest, ACircleOfParentsEnds) {
  add_process(17, 18, 101);
  add_process(18, 17, 102);
  add_variables(17, {"RANK=2"});
  EXPECT_EQ(ranks(), (std::vector<std::string>{"101|2|-|-|torchrun|0"}));
}

TEST_F(RanksTest, WhatIsNoRankHasNoRow) {
  add_variables(16, {"RANK=-1", "LOCAL_RANK=1", "SLURM_JOB_ID=12", "PMI_RANK=7x"});
  build();
  EXPECT_TRUE(rows("SELECT name FROM sqlite_master WHERE name = 'PROF_RANKS'").empty());
}

std::size_t variable_of(std::string_view text) {
  return wire::rank_variable_of(text.data(), text.size());
}

TEST(RankVariables, OnlyNumbersAndIdsOfListedNamesCount) {
  EXPECT_LT(variable_of("RANK=3"), wire::kNumRankVariables);
  EXPECT_LT(variable_of("PMIX_NAMESPACE=prte.host-1:2"), wire::kNumRankVariables);
  for (const char* text : {"RANK", "RANK=", "=3", "RANKS=3", "RAN=3", "MASTER_ADDR=host",
                           "POD_NAME=a b", "POD_NAME=a/b", "RANK=3\n"})
    EXPECT_EQ(variable_of(text), wire::kNumRankVariables) << text;
  EXPECT_EQ(variable_of("POD_NAME=" + std::string(65, 'a')), wire::kNumRankVariables);
}

TEST_F(RanksTest, ClocksAreOnTheTimeline) {
  note(spool::ClockNote{.raw = 500,
                        .realtime = 1'700'000'000'000'000'500,
                        .ntp_status = 64,
                        .is_synchronized = true,
                        .boot_id = "b"});
  build();
  EXPECT_EQ(rows("SELECT time, monotonicRaw, ntpStatus, isSynchronized, bootId FROM PROF_CLOCKS"),
            (std::vector<std::string>{"500|500|64|1|b"}));
}

}  // namespace
}  // namespace prof::ingest
