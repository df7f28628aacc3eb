#include "collector/ingest/calls/file_builder.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include "tests/unit/collector/ingest/report_fixture.hpp"

namespace prof::ingest {
namespace {

using wire::FileKind;
using wire::FileOperation;

class FileBuilderTest : public ReportFixture {
 protected:
  static wire::FileRecord file(std::uint32_t access, std::uint64_t time, FileKind kind,
                               std::uint64_t name, int fd = 3) {
    wire::FileRecord record{};
    record.header = test::header<wire::FileRecord>(wire::RecordType::kFile, access);
    record.time = time;
    record.name = name;
    record.fd = fd;
    record.kind = kind;
    return record;
  }
  static wire::FileCallRecord call(std::uint32_t access, std::uint64_t start, std::uint64_t end,
                                   FileOperation operation, std::uint64_t bytes = 0,
                                   std::uint8_t flags = 0) {
    wire::FileCallRecord record{};
    record.header = test::header<wire::FileCallRecord>(wire::RecordType::kFileCall, 1);
    record.start = start;
    record.end = end;
    record.result = 7;
    record.bytes = bytes;
    record.access = access;
    record.operation = operation;
    record.flags = flags;
    return record;
  }
  Rows files() {
    return rows(
        "SELECT fileAccessId, processId, openedAt, closedAt, filePath, descriptor "
        "FROM OSRT_FILE_ACCESS_DESCRIPTORS ORDER BY openedAt");
  }
};

TEST_F(FileBuilderTest, EventsAndCalls) {
  test::RecordBytes records;
  records.function(1, records.text("read"));
  records.add(file(1, 110, FileKind::kPath, records.text("/data/x")));
  records.add(call(1, 100, 110, FileOperation::kOpen));
  records.add(call(1, 120, 130, FileOperation::kRead, 16, wire::kFileOnly));
  records.add(call(1, 140, 150, FileOperation::kClose));
  add_thread(16, 101, records);
  EXPECT_EQ(build().events, 5U);
  EXPECT_EQ(files(), (Rows{"1|100|110|140|/data/x|3"}));
  EXPECT_EQ(rows("SELECT e.fileAccessId, threadId, startedAt, endedAt, t.label, s.value, "
                 "bytesProcessed, context FROM OSRT_FILE_ACCESS_EVENTS e "
                 "JOIN ENUM_PROF_FILE_EVENT_TYPE t ON t.id = e.eventType "
                 "JOIN StringIds s ON s.id = e.apiCallId ORDER BY startedAt"),
            (Rows{"1|101|100|110|Open|read|0|", "1|101|120|130|Read|read|16|",
                  "1|101|140|150|Close|read|0|"}));
  EXPECT_EQ(rows("SELECT start, returnValue FROM OSRT_API ORDER BY start"),
            (Rows{"100|7", "140|7"}));
}

// Threads are read one after the other, not in the order of time.
TEST_F(FileBuilderTest, AnotherThreadSaysWhatItIs) {
  test::RecordBytes user;
  user.add(call(5, 120, 130, FileOperation::kRead, 16));
  add_thread(16, 100, user);
  test::RecordBytes opener;
  opener.add(file(5, 100, FileKind::kPath, opener.text("/x"), 9));
  add_thread(16, 200, opener);
  build();
  EXPECT_EQ(files(), (Rows{"1|100|100|1000000|/x|9"}));
}

TEST_F(FileBuilderTest, NumbersAreAProcesssOwn) {
  add_process(17, 16, 101);
  test::RecordBytes parent;
  parent.add(file(1, 100, FileKind::kPath, parent.text("/x")));
  add_thread(16, 100, parent);
  test::RecordBytes child;
  child.add(file(1, 200, FileKind::kPath, child.text("/y")));
  add_thread(17, 101, child);
  build();
  EXPECT_EQ(files(), (Rows{"1|100|100|1000000|/x|3", "2|101|200|1000000|/y|3"}));
}

TEST_F(FileBuilderTest, CopiesHaveTheNameOfTheOriginal) {
  test::RecordBytes records;
  records.add(file(3, 120, FileKind::kDuplicate, 2, 5));
  records.add(file(2, 110, FileKind::kDuplicate, 1, 4));
  records.add(file(1, 100, FileKind::kPipe, 44));
  records.add(file(6, 130, FileKind::kDuplicate, 7, 8));  // a copy of an unknown descriptor
  records.add(file(8, 140, FileKind::kDuplicate, 9, 9));  // a copy of itself: damage
  records.add(file(9, 150, FileKind::kDuplicate, 8, 10));
  add_thread(16, 100, records);
  build();
  EXPECT_EQ(rows("SELECT filePath FROM OSRT_FILE_ACCESS_DESCRIPTORS ORDER BY openedAt"),
            (Rows{"pipe:[44]", "pipe:[44]", "pipe:[44]", "[fd 8]", "[fd 9]", "[fd 10]"}));
}

// The latest address counts, and the opening is kept, whichever record is read first.
TEST_F(FileBuilderTest, SocketsGetTheirPeerLater) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(80);
  for (const bool opened_first : {true, false}) {
    test::RecordBytes records;
    const std::uint32_t access = opened_first ? 1 : 2;
    auto opened = file(access, 100, FileKind::kSocket, 0);
    opened.header.flags = wire::kFileOpened;
    opened.socket_domain = AF_INET;
    opened.socket_type = SOCK_STREAM;
    auto connected = file(access, 200, FileKind::kSocket, 0);
    connected.address = records.text({reinterpret_cast<const char*>(&address), sizeof address});
    records.add(opened_first ? opened : connected).add(opened_first ? connected : opened);
    add_thread(16, 100 + access, records);
  }
  build();
  EXPECT_EQ(rows("SELECT openedAt, filePath FROM OSRT_FILE_ACCESS_DESCRIPTORS"),
            (Rows{"100|tcp:127.0.0.1:80", "100|tcp:127.0.0.1:80"}));
}

TEST_F(FileBuilderTest, NothingKnown) {
  test::RecordBytes records;
  records.add(call(1, 120, 130, FileOperation::kRead, UINT64_MAX));
  records.add(file(2, 140, FileKind::kUnknown, 0, 12));
  add_thread(16, 100, records);
  build();
  EXPECT_EQ(files(), (Rows{"1|100|0|1000000|[Unknown]|-1", "2|100|140|1000000|[fd 12]|12"}));
  EXPECT_EQ(rows("SELECT bytesProcessed FROM OSRT_FILE_ACCESS_EVENTS"), (Rows{"0"}));
}

TEST_F(FileBuilderTest, NoTablesWithoutAccesses) {
  build();
  EXPECT_EQ(rows("SELECT name FROM sqlite_master WHERE name GLOB '*FILE_*'"), (Rows{}));
}

}  // namespace
}  // namespace prof::ingest
