#include "exporters/ranks/collectives/mpi_communicators.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/unit/exporters/report_fixture.hpp"

namespace prof::ranks {
namespace {

class MpiCommunicatorsTest : public test::ReportFixture {
 protected:
  MpiCommunicatorsTest() {
    sql("CREATE TABLE MPI_RANKS (globalTid, rank);"
        "CREATE TABLE MPI_COMMUNICATORS (rank, timestamp, commHandle, parentHandle, localRank, "
        "size, groupRoot, groupRootUid, members);");
    for (const int rank : {0, 1})
      sql(fmt::format("INSERT INTO MPI_RANKS VALUES ({},{})", test::global_id(10 + rank, 5), rank));
  }
  void add(int rank, int time, int handle, int parent, const std::string& rest) const {
    sql(fmt::format("INSERT INTO MPI_COMMUNICATORS VALUES ({},{},{},{},{},NULL)", rank, time,
                    handle, parent, rest));
  }
  MpiCommunicators::Name of(int rank, int handle, int time) const {
    const auto all = MpiCommunicators::read(reader());
    if (!all) ADD_FAILURE() << all.error().message;
    return all->of(test::global_id(10 + rank, 0), handle, time);
  }
};

TEST_F(MpiCommunicatorsTest, ThoseOfAllRanksHaveOneNameOnAllRanks) {
  for (const int rank : {0, 1}) {
    const int off = 100 * rank;  // the handles of Open MPI are addresses
    add(rank, 10, 1 + off, 0, fmt::format("{},2,NULL,NULL", rank));         // MPI_COMM_WORLD
    add(rank, 20, 2 + off, 1 + off, fmt::format("0,1,{},0", rank));         // of this rank
    add(rank, 30, 3 + off, 1 + off, "NULL,NULL,NULL,NULL");                 // a copy
    add(rank, 40, 4 + off, 2 + off, "NULL,NULL,NULL,NULL");                 // of another one
    add(rank, 50, 2 + off, 3 + off, fmt::format("{},2,0,{}", rank, rank));  // the handle again
  }
  for (const int rank : {0, 1}) {
    const int off = 100 * rank;
    EXPECT_EQ(of(rank, 1 + off, 15).text, "MPI all.0");
    EXPECT_EQ(of(rank, 3 + off, 99).text, "MPI all.1");
    EXPECT_EQ(of(rank, 2 + off, 99).text, "MPI all.2");
    EXPECT_EQ(of(rank, 2 + off, 99).ranks, 2);
    EXPECT_TRUE(of(rank, 2 + off, 99).has_all_ranks);
    EXPECT_EQ(of(rank, 2 + off, 45).text, fmt::format("MPI {}.0", rank));
    EXPECT_FALSE(of(rank, 2 + off, 45).has_all_ranks);
    EXPECT_FALSE(of(rank, 4 + off, 99).has_all_ranks);
    EXPECT_EQ(of(rank, 7, 99).text, "MPI 0x7");
  }
}

TEST_F(MpiCommunicatorsTest, AnIntercommunicatorIsNotWhatItsHandleStoodForBefore) {
  add(0, 10, 1, 0, "0,2,NULL,NULL");  // MPI_COMM_WORLD
  add(0, 20, 2, 1, "0,2,0,0");
  add(0, 30, 2, 1, "0,2,NULL,NULL");  // an intercommunicator: two ranks are here
  EXPECT_EQ(of(0, 2, 25).text, "MPI all.1");
  EXPECT_EQ(of(0, 2, 35).text, fmt::format("MPI 0x2 of {:#x}", test::global_id(10, 0)));
  EXPECT_EQ(of(0, 2, 35).ranks, 2);
  EXPECT_FALSE(of(0, 2, 35).has_all_ranks);
}

}  // namespace
}  // namespace prof::ranks
