#include "collector/spool/definitions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collector/spool/decoder.hpp"
#include "tests/unit/record_bytes.hpp"

namespace prof::spool {
namespace {

using test::RecordBytes;

PieceHeader sent_by(std::uint32_t serial, std::uint32_t tid) { return {serial, tid, 5, 100, 0}; }

struct SeenDefinitions {
  std::vector<std::string> texts;
  std::vector<std::uint64_t> domains;  // by the hashes of their names
  int others = 0;

  void operator()(const wire::StringRecord&, std::string_view text) { texts.emplace_back(text); }
  void operator()(const wire::NvtxDomainRecord& record) { domains.push_back(record.name); }
  void operator()(const wire::NvtxPushRecord&) { ++others; }
};

SeenDefinitions all_in(const Definitions& definitions) {
  SeenDefinitions found;
  definitions.for_each([&](const PieceHeader& header, std::span<const std::byte> bytes) {
    EXPECT_EQ(header.claimed, 0U);  // before the chunks of the thread
    EXPECT_EQ(decode(bytes, found).corrupt_bytes, 0U);
  });
  return found;
}

wire::NvtxDomainRecord named_domain(std::uint32_t id, std::uint64_t name) {
  return {test::header<wire::NvtxDomainRecord>(wire::RecordType::kNvtxDomain, id), 1, name};
}

TEST(Definitions, KeepsEachOnceAndNoEvents) {
  Definitions definitions;
  for (int i = 0; i < 3; ++i) {
    RecordBytes records;
    const std::uint64_t text = records.text("request");
    records.push(10, text).add(named_domain(1, text));
    definitions.take(sent_by(16, 7), records.bytes());
  }
  const SeenDefinitions found = all_in(definitions);
  EXPECT_EQ(found.texts, std::vector<std::string>{"request"});
  EXPECT_EQ(found.domains.size(), 1U);
  EXPECT_EQ(found.others, 0);
}

TEST(Definitions, KeepsEachPieceOfACubinOnce) {
  struct {
    std::vector<std::uint64_t> pieces;
    void operator()(const wire::CudaCubinRecord& record, std::span<const std::byte> bytes) {
      pieces.push_back(record.at + bytes.size());
    }
  } found;
  Definitions definitions;
  for (const std::uint32_t serial : {16, 17}) {
    RecordBytes records;
    for (const std::uint64_t at : {0, 8}) {
      wire::CudaCubinRecord record{};
      record.header = {sizeof record + 8, wire::RecordType::kCudaCubin, 0, 8};
      record.crc = 5;
      record.size = 16;
      record.at = at;
      records.add(record).add(std::uint64_t{1});
    }
    definitions.take(sent_by(serial, 7), records.bytes());
  }
  definitions.for_each([&](const PieceHeader&, std::span<const std::byte> bytes) {
    EXPECT_EQ(decode(bytes, found).corrupt_bytes, 0U);
  });
  std::ranges::sort(found.pieces);
  EXPECT_EQ(found.pieces, (std::vector<std::uint64_t>{8, 16}));
}

TEST(Definitions, DomainsBelongToAProcessAndTextsToAll) {
  Definitions definitions;
  RecordBytes records;
  const std::uint64_t text = records.text("server");
  records.add(named_domain(1, text));
  definitions.take(sent_by(16, 7), records.bytes());
  RecordBytes other;
  other.add(named_domain(1, 99));
  definitions.take(sent_by(17, 8), other.bytes());
  EXPECT_EQ(all_in(definitions).domains.size(), 2U);
  definitions.forget(16);
  EXPECT_EQ(all_in(definitions).domains, std::vector<std::uint64_t>{99});
  EXPECT_EQ(all_in(definitions).texts, std::vector<std::string>{"server"});
}

TEST(Definitions, ALaterDefinitionReplacesTheEarlierOne) {
  Definitions definitions;
  for (const std::uint64_t name : {1, 2}) {
    RecordBytes records;
    records.add(named_domain(1, name));
    definitions.take(sent_by(16, 7), records.bytes());
  }
  EXPECT_EQ(all_in(definitions).domains, std::vector<std::uint64_t>{2});
}

TEST(Definitions, DamagedBytesAreIgnored) {
  Definitions definitions;
  RecordBytes records;
  records.text("whole");
  auto bytes = std::vector<std::byte>(records.bytes().begin(), records.bytes().end());
  bytes.resize(bytes.size() + 8, std::byte{0xff});
  definitions.take(sent_by(16, 7), bytes);
  EXPECT_EQ(all_in(definitions).texts, std::vector<std::string>{"whole"});
}

}  // namespace
}  // namespace prof::spool
