#include "collector/ingest/process_table.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace prof::ingest {
namespace {

nlohmann::json process(std::uint32_t serial, int pid, int own_pid) {
  return {{"type", "process"},
          {"serial", serial},
          {"pid", pid},
          {"own_pid", own_pid},
          {"name", "/bin/app"}};
}

TEST(ProcessTable, SerializedIdsAreNsyss) {
  // From a genuine report: pid 9946, tid 9946.
  EXPECT_EQ(global_tid(9946, 9946), 281641842910938);
  EXPECT_EQ(global_pid(9946) & 0xffffff, 0);
}

TEST(ProcessTable, FindsImagesAndTheirLosses) {
  const ProcessTable table(
      {process(16, 100, 100),
       process(17, 100, 100),
       {{"type", "process_end"}, {"serial", 16}, {"dropped", {{"no_chunk", 5}}}}});
  ASSERT_EQ(table.images().size(), 2U);
  EXPECT_EQ(table.find(16)->dropped, (Drops{{"no_chunk", 5}}));
  EXPECT_EQ(table.find(99), nullptr);
}

TEST(ProcessTable, TranslatesTheMainThreadOfAnotherNamespace) {
  const ProcessTable table(std::vector<nlohmann::json>{process(16, 5000, 1)});
  EXPECT_EQ(table.global_tid_of(16, 1), global_tid(5000, 5000));
  EXPECT_EQ(table.global_tid_of(16, 8), global_tid(5000, 8));
}

TEST(ProcessTable, AnUnknownSerialHasPidZero) {
  const std::vector<nlohmann::json> none;
  EXPECT_EQ(ProcessTable(none).global_tid_of(5, 77), global_tid(0, 77));
}

}  // namespace
}  // namespace prof::ingest
