#include "exporters/viewer/timeline/loading/folds.hpp"

#include <gtest/gtest.h>

#include "tests/unit/exporters/viewer/timeline/timeline_fixture.hpp"

namespace prof::timeline {

namespace {

class FoldsTest : public test::TimelineFixture {
 protected:
  static std::int64_t thread(std::int64_t pid, std::int64_t tid) {
    return (std::int64_t{1} << 48) | (pid << 24) | tid;
  }
  void SetUp() override {
    make_report("a.db");
    sql("CREATE TABLE ThreadNames (nameId, priority, globalTid);"
        "CREATE TABLE PROCESSES (globalPid, pid, name);");
  }
  void add_thread(std::int64_t pid, std::int64_t tid, int name, std::int64_t start,
                  std::int64_t end) const {
    sql(fmt::format("INSERT INTO ThreadNames VALUES ({},20,{})", name, thread(pid, tid)));
    add_range(start, std::to_string(end), "work", 0, 59, thread(pid, tid));
  }
  void add_process(std::int64_t pid, const std::string& name) const {
    sql(fmt::format("INSERT INTO PROCESSES VALUES ({},{},'/bin/{}')", thread(pid, 0), pid, name));
  }
  static std::vector<std::string> lines(const Snapshot& snapshot) {
    std::vector<std::string> lines;
    for (const Row& row : snapshot.rows())
      if (row.kind != RowKind::kNvtx) lines.push_back(row.name + " " + row.note);
    return lines;
  }
};

TEST_F(FoldsTest, ThreadsOfOneNameAreBelowOneRow) {
  add_process(7, "server");
  add_thread(7, 7, 1, 0, 1000);
  for (int i = 0; i < 4; ++i) add_thread(7, 20 + i, 2, 10 * i, 1000);
  for (int i = 0; i < 3; ++i) add_thread(7, 30 + i, 3, 10 * i, 500);
  const auto snapshot = loaded();
  EXPECT_EQ(lines(*snapshot),
            (std::vector<std::string>{"server pid 7", "one tid 7", "two 4 threads", "two tid 20",
                                      "two tid 21", "two tid 22", "two tid 23", "three tid 30",
                                      "three tid 31", "three tid 32"}));
  const Row* fold = find_row(*snapshot, RowKind::kThreads);
  EXPECT_EQ(fold->events, 4U);
  EXPECT_EQ(fold->parent, find_row(*snapshot, RowKind::kProcess)->id);
  // These threads run side by side: the row has the share of the time in which one is busy.
  EXPECT_EQ(fold->style, RowStyle::kDensity);
  EXPECT_FALSE(snapshot->tile(fold->id, 0, 0).empty());
  EXPECT_EQ(snapshot->with_rows_below(fold->id).size(), 1 + 2 * 4U);
}

TEST_F(FoldsTest, ThreadsAfterEachOtherShareALane) {
  add_process(7, "server");
  add_thread(7, 7, 1, 0, 1000);
  for (int i = 0; i < 10; ++i) add_thread(7, 20 + i, 2, 100 * i, 100 * i + 50);
  const auto snapshot = loaded();
  const Row* fold = find_row(*snapshot, RowKind::kThreads);
  EXPECT_EQ(fold->style, RowStyle::kEvents);
  EXPECT_EQ(fold->lanes, 1U);
  std::vector<Event> lives;
  snapshot->visit(fold->id, {}, [&](const Event& event) {
    lives.push_back(event);
    return true;
  });
  ASSERT_EQ(lives.size(), 10U);
  EXPECT_EQ(lives[3].start, 300);
  EXPECT_EQ(lives[3].end, 350);
  EXPECT_EQ(snapshot->names().text(lives[3].name), "two");
  EXPECT_EQ(fold->tables, std::vector<std::string>{"ThreadNames"});
  EXPECT_EQ(lives[3].rowid, 5);  // after the main thread and three others
  // Each thread counts once.
  EXPECT_EQ(fold->events, 10U);
  EXPECT_EQ(find_row(*snapshot, RowKind::kProcess)->events, 11U);
}

TEST_F(FoldsTest, ShortProcessesShareLanes) {
  add_process(7, "bash");
  add_thread(7, 7, 1, 0, 1000);
  for (int i = 0; i < 8; ++i) {
    add_process(20 + i, i % 2 == 0 ? "sed" : "tr");
    add_thread(20 + i, 20 + i, 2, 100 * i, 100 * i + 120);
  }
  add_process(40, "server");
  add_thread(40, 40, 3, 0, 900);
  const auto snapshot = loaded();
  std::vector<std::string> top;
  for (const Row& row : snapshot->rows())
    if (row.parent == kNoRow) top.push_back(row.name + " " + row.note);
  EXPECT_EQ(top, (std::vector<std::string>{"bash pid 7", "server pid 40",
                                           "Short processes 8 processes"}));
  const Row* fold = find_row(*snapshot, RowKind::kProcesses);
  EXPECT_EQ(fold->lanes, 2U);
  std::vector<std::string> names;
  snapshot->visit(fold->id, {0, 150}, [&](const Event& event) {
    names.emplace_back(snapshot->names().text(event.name));
    return true;
  });
  EXPECT_EQ(names, (std::vector<std::string>{"sed", "tr"}));
}

TEST_F(FoldsTest, AFewProcessesHaveARowEach) {
  for (int i = 0; i < 8; ++i) {
    add_process(20 + i, "sed");
    add_thread(20 + i, 20 + i, 2, 100 * i, 100 * i + 50);
  }
  const auto snapshot = loaded();
  for (const Row& row : snapshot->rows()) EXPECT_NE(row.kind, RowKind::kProcesses);
}

}  // namespace

}  // namespace prof::timeline
