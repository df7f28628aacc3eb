#include "exporters/viewer/timeline/timeline.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/unit/exporters/viewer/timeline/tile_reader.hpp"
#include "tests/unit/exporters/viewer/timeline/timeline_fixture.hpp"

namespace prof::timeline {

namespace {

class TimelineTest : public test::TimelineFixture {
 protected:
  // Calls of several threads, more than are read at once.
  void add_many_calls(int count, int threads) const {
    sql(
        fmt::format("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < "
                    "{0}) INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT i * 10, i * 10 + 5, 0, "
                    "{1} + i % {2}, i, i % 10, 0, NULL FROM n",
                    count, kThread, threads));
  }
};

TEST_F(TimelineTest, RowsAreATreeWithParentsFirst) {
  make_report("a.db");
  add_call(0, 10, 1);
  add_kernel(20, 30, 1);
  add_range(0, "50", "step");
  const auto snapshot = loaded();
  std::vector<std::string> kinds;
  std::set<RowId> seen{kNoRow};
  for (const Row& row : snapshot->rows()) {
    kinds.emplace_back(name_of(row.kind));
    EXPECT_TRUE(seen.contains(row.parent));
    seen.insert(row.id);
  }
  EXPECT_EQ(kinds,
            (std::vector<std::string>{"gpus", "gpu", "context", "stream", "nvtx_gpu", "kernels",
                                      "queue", "process", "thread", "nvtx", "cuda_api"}));
  EXPECT_TRUE(snapshot->exact());
  EXPECT_EQ(snapshot->progress(), 1);
  EXPECT_EQ(snapshot->span().start, 0);
  EXPECT_EQ(snapshot->span().end, 50);
  EXPECT_EQ(find_row(*snapshot, RowKind::kThread)->thread, kThread);
  EXPECT_EQ(find_row(*snapshot, RowKind::kProcess)->events, 2U);
  EXPECT_EQ(find_row(*snapshot, RowKind::kProcess)->note, "pid 7");
  EXPECT_TRUE(snapshot->messages().empty());
}

TEST_F(TimelineTest, ProcessesThreadsAndStreamsInDisplayOrder) {
  make_report("a.db");
  const auto thread = [](std::int64_t pid, std::int64_t tid) {
    return (std::int64_t{1} << 48) | (pid << 24) | tid;
  };
  sql("CREATE TABLE OSRT_API (start, end, eventClass, globalTid, nameId, returnValue);");
  const auto add_os_calls = [&](std::int64_t id, int calls) {
    for (int i = 0; i < calls; ++i)
      sql(fmt::format("INSERT INTO OSRT_API VALUES ({},{},27,{},3,0)", i * 10, i * 10 + 5, id));
  };
  add_os_calls(thread(5, 5), 1);  // the process that was launched
  add_os_calls(thread(6, 6), 9);
  add_os_calls(thread(9, 9), 2);
  add_os_calls(thread(9, 30), 1);
  add_os_calls(thread(9, 31), 3);
  add_call(0, 5, 1, 1, thread(9, 9));
  const auto snapshot = loaded();
  std::vector<std::string> notes;
  for (const Row& row : snapshot->rows())
    if (row.kind == RowKind::kProcess || row.kind == RowKind::kThread) notes.push_back(row.note);
  EXPECT_EQ(notes, (std::vector<std::string>{"pid 5", "tid 5", "pid 9", "tid 9", "tid 31", "tid 30",
                                             "pid 6", "tid 6"}));
}

TEST_F(TimelineTest, ASketchComesFirstThenTheExactRows) {
  make_report("a.db");
  add_many_calls(200'000, 4);
  const auto timeline = open({{path_}});
  const auto sketch = timeline->snapshot();
  const Row before = *find_row(*sketch, RowKind::kCudaApi);
  EXPECT_FALSE(sketch->exact());
  EXPECT_FALSE(before.exact);
  EXPECT_GT(events_of(*sketch, before.id).size(), 1000U);
  EXPECT_LT(events_of(*sketch, before.id).size(), 50'000U);
  EXPECT_NEAR(static_cast<double>(before.events), 50'000, 5000);
  EXPECT_EQ(test::TileReader(sketch->tile(before.id, 10, 0)).flags(), 1U);

  const auto exact = loaded(*timeline);
  const Row after = *exact->row(before.id);
  EXPECT_TRUE(exact->exact());
  EXPECT_TRUE(after.exact);
  EXPECT_EQ(after.events, 50'000U);
  EXPECT_EQ(after.duration, 50'000 * 5);
  EXPECT_GT(after.version, before.version);
  EXPECT_GT(exact->version(), sketch->version());
  EXPECT_EQ(test::TileReader(exact->tile(before.id, 10, 0)).flags(), 0U);
  EXPECT_EQ(exact->row(before.parent)->events, 50'000U);
  // The old snapshot is as it was.
  EXPECT_EQ(find_row(*sketch, RowKind::kCudaApi)->version, before.version);
}

TEST_F(TimelineTest, NumberOfThreadsDoesNotMatter) {
  make_report("a.db");
  add_many_calls(250'000, 3);
  std::vector<std::vector<std::int64_t>> starts;
  for (const unsigned threads : {1U, 2U, 5U}) {
    const auto snapshot = loaded(*open({{path_}}), threads);
    starts.emplace_back();
    for (const Event& event : events_of(*snapshot, find_row(*snapshot, RowKind::kProcess)->id))
      starts.back().push_back(event.start);
    EXPECT_EQ(starts.back().size(), 250'000U);
  }
  EXPECT_EQ(starts[0], starts[1]);
  EXPECT_EQ(starts[0], starts[2]);
}

TEST_F(TimelineTest, ThousandsOfThreads) {
  make_report("a.db");
  add_many_calls(100'000, 5000);
  const auto snapshot = loaded();
  EXPECT_EQ(snapshot->rows().size(), 2U + 2 * 5000);
  EXPECT_EQ(find_row(*snapshot, RowKind::kProcess)->events, 100'000U);
  EXPECT_EQ(find_row(*snapshot, RowKind::kCudaApi, 4999)->events, 20U);
  const test::DensityTile tile{
      test::TileReader(snapshot->tile(find_row(*snapshot, RowKind::kProcess)->id, 10, 0))};
  ASSERT_FALSE(tile.busy.empty());
  EXPECT_NEAR(tile.busy[0], 0.5, 0.05);
}

TEST_F(TimelineTest, EachEventOnAnotherThread) {
  make_report("a.db");
  add_many_calls(60'000, 60'000);
  const auto snapshot = loaded();
  EXPECT_LT(snapshot->rows().size(), 40'000U);
  EXPECT_EQ(find_row(*snapshot, RowKind::kProcess)->events, 60'000U);
  std::uint64_t others = 0;
  for (const Row& row : snapshot->rows())
    if (row.name == "other threads") others += row.events;
  EXPECT_GT(others, 40'000U);
}

TEST_F(TimelineTest, RangesWithoutAnEndLastToTheEndOfTheSession) {
  make_report("a.db");
  set_clock(1'700'000'000'000'000'000, 1000);
  add_range(100, "NULL", "open");
  add_range(200, "300", "closed");
  add_range(400, "NULL", "mark", 0, 34);
  const auto snapshot = loaded();
  const auto events = events_of(*snapshot, find_row(*snapshot, RowKind::kNvtx)->id);
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0].end, 1000);
  EXPECT_TRUE(events[0].open_end);
  EXPECT_EQ(events[1].lane, 1U);
  EXPECT_FALSE(events[1].open_end);
  EXPECT_TRUE(events[2].instant);
  EXPECT_EQ(events[2].duration(), 0);
  EXPECT_EQ(snapshot->utc_start(), 1'700'000'000'000'000'000);
}

TEST_F(TimelineTest, DomainsAreRowsWithTheirNames) {
  make_report("a.db");
  add_range(5, "NULL", "library", 1, 75);
  add_range(5, "NULL", "Python GIL", 2, 75);
  add_range(10, "20", "a", 1);
  add_range(10, "20", "b", 0);
  add_range(10, "20", "c", 2);
  add_range(10, "20", "d", 3);
  const auto snapshot = loaded();
  std::vector<std::string> names;
  for (const Row& row : snapshot->rows())
    if (row.parent == find_row(*snapshot, RowKind::kThread)->id)
      names.push_back(std::string(name_of(row.kind)) + " " + row.name);
  EXPECT_EQ(names, (std::vector<std::string>{"nvtx NVTX", "nvtx library", "nvtx NVTX domain 3",
                                             "gil Python GIL"}));
}

TEST_F(TimelineTest, ColorsArePartOfANamesNumber) {
  make_report("a.db");
  sql(
      fmt::format("INSERT INTO NVTX_EVENTS VALUES (0,9,59,{},'x',{},NULL,0), (10,19,59,NULL,'x',"
                  "{},NULL,0), (20,29,59,{},NULL,{},4,0)",
                  0xff00ff10U, kThread, kThread, 0xff000001U, kThread));
  const auto snapshot = loaded();
  const auto events = events_of(*snapshot, find_row(*snapshot, RowKind::kNvtx)->id);
  ASSERT_EQ(events.size(), 3U);
  const Names& names = snapshot->names();
  EXPECT_EQ(names.text(events[0].name), "x");
  EXPECT_EQ(names.color(events[0].name), 0x00ff10U);
  EXPECT_EQ(names.text(events[1].name), "x");
  EXPECT_EQ(names.color(events[1].name), Names::kNoColor);
  EXPECT_EQ(names.text(events[2].name), "four");
  EXPECT_EQ(names.color(events[2].name), 1U);
}

TEST_F(TimelineTest, CountersAndStates) {
  make_report("a.db");
  sql(fmt::format(
      "CREATE TABLE SCHED_EVENTS (start, cpu, isSchedIn, globalTid, threadState, threadBlock);"
      "INSERT INTO SCHED_EVENTS VALUES (0,0,1,{0},0,NULL),(40,0,0,{0},7,NULL),(60,0,1,{0},0,NULL),"
      "(100,0,0,{0},5,NULL);"
      "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start, globalPid, deviceId, bytes, memKind, "
      "memoryOperationType);"
      "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (10,{1},0,100,2,0),(20,{1},0,50,2,0),"
      "(30,{1},0,100,2,1),(30,{1},0,7,1,0);"
      "CREATE TABLE GPU_METRICS (rawTimestamp, timestamp, typeId, metricId, value);"
      "CREATE TABLE TARGET_INFO_GPU_METRICS (typeId, sourceId, typeName, metricId, metricName);"
      "INSERT INTO TARGET_INFO_GPU_METRICS VALUES (256,0,'',3,'SMs Active [Throughput %]');"
      "INSERT INTO GPU_METRICS VALUES (0,10,256,3,5),(0,20,256,3,80);",
      kThread, kProcess));
  const auto snapshot = loaded();
  const auto states = events_of(*snapshot, find_row(*snapshot, RowKind::kState)->id);
  ASSERT_EQ(states.size(), 3U);
  EXPECT_EQ(snapshot->names().text(states[1].name), "Blocked");
  EXPECT_EQ(states[1].start, 40);
  EXPECT_EQ(states[1].rowid, 2);
  // A thread is busy while it runs.
  const test::DensityTile busy{
      test::TileReader(snapshot->tile(find_row(*snapshot, RowKind::kThread)->id, 0, 0))};
  EXPECT_EQ(busy.start, (std::vector<std::uint32_t>{0, 60}));
  EXPECT_EQ(busy.width, (std::vector<std::uint32_t>{40, 40}));

  const Row* memory = find_row(*snapshot, RowKind::kMemory);
  EXPECT_EQ(memory->series, (std::vector<std::string>{"Pinned", "Device"}));
  EXPECT_EQ(memory->unit, "B");
  EXPECT_EQ(memory->events, 4U);
  const test::ValueTile used{test::TileReader(snapshot->tile(memory->id, 0, 0))};
  EXPECT_EQ(used.last, (std::vector<double>{7, 100, 150, 50}));
  EXPECT_EQ(used.lane, (std::vector<std::uint16_t>{0, 1, 1, 1}));

  const Row* metric = find_row(*snapshot, RowKind::kMetric);
  EXPECT_EQ(metric->name, "SMs Active [Throughput %]");
  EXPECT_EQ(metric->unit, "%");
  const test::ValueTile active{test::TileReader(snapshot->tile(metric->id, 0, 0))};
  EXPECT_EQ(active.last, (std::vector<double>{5, 80}));
}

TEST_F(TimelineTest, GenericEventsAreCurves) {
  make_report("new.db");
  sql("CREATE TABLE GENERIC_EVENTS (genericEventId INTEGER PRIMARY KEY, timestamp, typeId);"
      "CREATE TABLE GENERIC_EVENT_DATA (genericEventId, fieldIdx, intVal, uintVal, floatVal, "
      "doubleVal);"
      "CREATE TABLE GENERIC_EVENT_TYPE_FIELDS (typeId, fieldIdx, fieldNameId);"
      "INSERT INTO GENERIC_EVENT_TYPE_FIELDS VALUES (900,0,5),(900,1,6);"
      "INSERT INTO GENERIC_EVENTS VALUES (1,10,900),(2,20,900);"
      "INSERT INTO GENERIC_EVENT_DATA VALUES (1,0,7,NULL,NULL,NULL),(1,1,NULL,NULL,NULL,1.5),"
      "(2,0,8,NULL,NULL,NULL);");
  const auto values = [](const Snapshot& snapshot, const std::string& name) {
    for (const Row& row : snapshot.rows())
      if (row.name == name)
        return test::ValueTile(test::TileReader(snapshot.tile(row.id, 0, 0))).last;
    return std::vector<double>();
  };
  const auto recent = loaded();
  EXPECT_EQ(values(*recent, "five"), (std::vector<double>{7, 8}));
  EXPECT_EQ(values(*recent, "six"), (std::vector<double>{1.5}));

  // Older exports have the fields as JSON.
  make_report("old.db");
  sql("CREATE TABLE GENERIC_EVENTS (genericEventId INTEGER PRIMARY KEY, timestamp, typeId, data);"
      "INSERT INTO GENERIC_EVENTS VALUES (1,10,900,'{\"a\":\"7\",\"b\":1.5}'),"
      "(2,20,900,'{\"a\":8}'),(3,30,900,'no JSON');");
  const auto old = loaded();
  EXPECT_EQ(values(*old, "a"), (std::vector<double>{7, 8}));
  EXPECT_EQ(values(*old, "b"), (std::vector<double>{1.5}));
  EXPECT_FALSE(old->failed());
}

TEST_F(TimelineTest, CountersAreBelowTheirDevice) {
  make_report("named.db");
  sql("CREATE TABLE GENERIC_EVENTS (genericEventId INTEGER PRIMARY KEY, timestamp, typeId);"
      "CREATE TABLE GENERIC_EVENT_DATA (genericEventId, fieldIdx, intVal, uintVal, floatVal, "
      "doubleVal);"
      "CREATE TABLE GENERIC_EVENT_TYPES (typeId, nameId);"
      "CREATE TABLE GENERIC_EVENT_TYPE_FIELDS (typeId, fieldIdx, fieldNameId, unit);"
      "INSERT INTO StringIds VALUES (901,'NVML GPU 1 meters'),(902,'Network eth0');"
      "INSERT INTO GENERIC_EVENT_TYPES VALUES (1,901),(2,902);"
      "INSERT INTO GENERIC_EVENT_TYPE_FIELDS VALUES (1,0,5,'mJ'),(2,0,6,'bytes/s');"
      "INSERT INTO GENERIC_EVENTS VALUES (1,10,1),(2,20,2);"
      "INSERT INTO GENERIC_EVENT_DATA VALUES (1,0,7,NULL,NULL,NULL),(2,0,8,NULL,NULL,NULL);");
  const auto snapshot = loaded();
  const auto row_of = [&](const std::string& name) {
    for (const Row& row : snapshot->rows())
      if (row.name == name) return row;
    return Row();
  };
  const auto parent_of = [&](const Row& row) {
    for (const Row& each : snapshot->rows())
      if (each.id == row.parent) return each;
    return Row();
  };
  EXPECT_EQ(row_of("five").unit, "mJ");
  EXPECT_EQ(parent_of(row_of("five")).name, "NVML meters");
  EXPECT_EQ(parent_of(row_of("NVML meters")).kind, RowKind::kGpu);
  EXPECT_EQ(row_of("six").unit, "bytes/s");
  EXPECT_EQ(parent_of(row_of("six")).name, "Network eth0");
}

TEST_F(TimelineTest, BytesOfFilesAreRates) {
  make_report("a.db");
  sql("CREATE TABLE PROCESSES (globalPid, pid, name);"
      "CREATE TABLE OSRT_FILE_ACCESS_DESCRIPTORS (fileAccessId, processId, openedAt, closedAt, "
      "filePath);"
      "INSERT INTO OSRT_FILE_ACCESS_DESCRIPTORS VALUES (1,7,0,9,'/data'),(2,7,0,9,'tcp:host:80');"
      "CREATE TABLE OSRT_FILE_ACCESS_EVENTS (fileAccessId, threadId, startedAt, endedAt, "
      "eventType, apiCallId, bytesProcessed, context);"
      // Two reads of 100 bytes in 100 ns that overlap by half, and a write to the socket.
      "INSERT INTO OSRT_FILE_ACCESS_EVENTS VALUES (1,7,100,200,1,5,100,''),(1,8,150,250,1,5,100,"
      "''),(2,7,300,350,2,6,100,''),(1,7,400,410,0,5,0,'');");
  sql(fmt::format("INSERT INTO PROCESSES VALUES ({},7,'/bin/reader')", kProcess));
  const auto snapshot = loaded();
  const Row* bytes = find_row(*snapshot, RowKind::kBytes);
  EXPECT_EQ(bytes->series,
            (std::vector<std::string>{"read from files", "written to sockets and pipes"}));
  const test::ValueTile tile{test::TileReader(snapshot->tile(bytes->id, 0, 0))};
  EXPECT_EQ(tile.start, (std::vector<std::uint32_t>{100, 150, 200, 250, 300, 350}));
  EXPECT_EQ(tile.last, (std::vector<double>{1e9, 2e9, 1e9, 0, 2e9, 0}));
  EXPECT_EQ(find_row(*snapshot, RowKind::kProcess)->name, "reader");
  EXPECT_EQ(find_row(*snapshot, RowKind::kFiles, 0)->events, 3U);
  EXPECT_EQ(find_row(*snapshot, RowKind::kFiles, 1)->events, 1U);
}

TEST_F(TimelineTest, SamplesHaveTheNameOfTheirInnermostFunction) {
  make_report("a.db");
  sql(fmt::format(
      "CREATE TABLE COMPOSITE_EVENTS (id INTEGER PRIMARY KEY, start, globalTid);"
      "INSERT INTO COMPOSITE_EVENTS VALUES (1,5,{0}),(2,6,{0});"
      "CREATE TABLE SAMPLING_CALLCHAINS (id, symbol, stackDepth, PRIMARY KEY (id, stackDepth));"
      "INSERT INTO SAMPLING_CALLCHAINS VALUES (1,8,0),(1,9,1)",
      kThread));
  const auto snapshot = loaded();
  const Row* row = find_row(*snapshot, RowKind::kSamples);
  EXPECT_EQ(row->style, RowStyle::kInstants);
  const auto samples = events_of(*snapshot, row->id);
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_TRUE(samples[0].instant);
  EXPECT_EQ(snapshot->names().text(samples[0].name), "eight");
  EXPECT_EQ(samples[1].name, Names::kUnknown);
}

TEST_F(TimelineTest, TablesThatProfDoesNotKnowHaveRows) {
  make_report("a.db");
  sql(
      fmt::format("CREATE TABLE DX12_API (start, end, globalTid, nameId);"
                  "INSERT INTO DX12_API VALUES (1,2,{},3),(3,NULL,{},4);"
                  "CREATE TABLE GPU_CONTEXT_SWITCH_EVENTS (tag, timestamp, globalPid);"
                  "INSERT INTO GPU_CONTEXT_SWITCH_EVENTS VALUES (1,5,{});"
                  "CREATE TABLE DIAGNOSTIC_EVENT (timestamp, text, globalPid);"
                  "INSERT INTO DIAGNOSTIC_EVENT VALUES (1,'hello',0);",
                  kThread, kThread, kProcess));
  const auto snapshot = loaded();
  std::map<std::string, std::uint64_t> events;
  for (const Row& row : snapshot->rows())
    if (row.kind == RowKind::kOther) events[row.name] = row.events;
  EXPECT_EQ(events, (std::map<std::string, std::uint64_t>{{"DX12 API", 2},
                                                          {"GPU context switch events", 1},
                                                          {"Messages of the profiler", 1}}));
}

TEST_F(TimelineTest, RowsWithImpossibleTimesAreCounted) {
  make_report("a.db");
  add_kernel(0, 10, 1);
  add_kernel(20, 10, 2);
  add_kernel(INT64_MIN, INT64_MAX, 3);
  sql("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start) VALUES (5), (NULL)");
  const auto snapshot = loaded();
  EXPECT_EQ(find_row(*snapshot, RowKind::kKernels)->events, 1U);
  ASSERT_EQ(snapshot->messages().size(), 1U);
  EXPECT_EQ(snapshot->messages()[0],
            path_ +
                ": 4 rows of CUPTI_ACTIVITY_KIND_KERNEL are not shown, because they end before "
                "they start or lack a time.");
  EXPECT_FALSE(snapshot->failed());
}

TEST_F(TimelineTest, NumbersOfMoreThan32Bits) {
  make_report("a.db");
  constexpr std::int64_t kLarge = std::int64_t{1} << 40;
  sql(
      fmt::format("CREATE TABLE COMPOSITE_EVENTS (id INTEGER PRIMARY KEY, start, globalTid);"
                  "INSERT INTO COMPOSITE_EVENTS VALUES ({},1,{}),({},2,{}),({},3,{});"
                  "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (rowid, start, end, eventClass, "
                  "globalTid, correlationId, nameId) VALUES ({},0,1,0,{},{},{}), (-5,2,3,0,{},1,1)",
                  kLarge, kThread, kLarge + 1, kThread, kLarge + 5, INT64_MAX, kLarge, kThread,
                  kLarge, kLarge, INT64_MIN));
  const auto snapshot = loaded();
  const auto samples = events_of(*snapshot, find_row(*snapshot, RowKind::kSamples)->id);
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_EQ(samples[0].rowid, kLarge);
  EXPECT_EQ(samples[1].rowid, kLarge + 1);
  const auto event = snapshot->event_of(0, "CUPTI_ACTIVITY_KIND_RUNTIME", -5);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->start, 2);
  EXPECT_EQ(snapshot->event(event->row, event->source, event->id)->rowid, -5);
}

TEST_F(TimelineTest, WhatIsNotAReportIsAnError) {
  EXPECT_FALSE(Timeline::open({{directory_.file("missing.db")}}));
  EXPECT_FALSE(Timeline::open({{directory_.write("text.db", "hello")}}));
}

TEST_F(TimelineTest, AReportThatIsDeletedBeforeLoadingStaysASketch) {
  make_report("a.db");
  add_many_calls(100'000, 2);
  const auto timeline = open({{path_}});
  std::filesystem::remove(path_);
  const auto snapshot = loaded(*timeline);
  EXPECT_TRUE(snapshot->failed());
  EXPECT_FALSE(snapshot->exact());
  ASSERT_EQ(snapshot->messages().size(), 1U);
  EXPECT_NE(snapshot->messages()[0].find(path_), std::string::npos);
  EXPECT_FALSE(events_of(*snapshot, find_row(*snapshot, RowKind::kCudaApi)->id).empty());
}

TEST_F(TimelineTest, ADamagedReportIsReadAsFarAsPossible) {
  make_report("a.db");
  add_range(0, "10", "fine");
  add_many_calls(100'000, 2);
  const auto size = std::filesystem::file_size(path_);
  std::string content = test::read_file(path_);
  // The header, the schema and the first tables stay as they are.
  for (std::size_t i = size / 2; i < size; ++i) content[i] = static_cast<char>(i * 31);
  directory_.write("a.db", content);
  auto timeline = Timeline::open({{path_}});
  if (!timeline) return;  // also fine: one line that says what is wrong
  const auto snapshot = loaded(**timeline);
  EXPECT_TRUE(snapshot->failed());
  ASSERT_FALSE(snapshot->messages().empty());
  EXPECT_EQ(find_row(*snapshot, RowKind::kNvtx)->events, 1U);
}

TEST_F(TimelineTest, TextInPlaceOfANumberIsDamage) {
  make_report("a.db");
  add_call(0, 10, 1);
  sql("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ('text',1,0,1,1,1,0,NULL)");
  const auto snapshot = loaded();
  EXPECT_TRUE(snapshot->failed());
  EXPECT_EQ(snapshot->messages().size(), 1U);
}

TEST_F(TimelineTest, WaitingForAChangeEndsWithTheChange) {
  make_report("a.db");
  add_many_calls(100'000, 2);
  const auto timeline = open({{path_}});
  const std::uint64_t first = timeline->snapshot()->version();
  EXPECT_EQ(timeline->wait_for_change(first, 0), first);
  timeline->load(2);
  EXPECT_GT(timeline->wait_for_change(first, 60'000), first);
  timeline->wait();
}

TEST_F(TimelineTest, MayBeDestroyedWhileItLoads) {
  make_report("a.db");
  add_many_calls(300'000, 8);
  const auto timeline = open({{path_}});
  timeline->load(2);
}

}  // namespace

}  // namespace prof::timeline
