// Payloads of hostile programs: whatever schema and bytes say, decoding ends and stays in its
// bytes.
#include "collector/ingest/nvtx/payload_decoder.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <random>

#include "collector/ingest/nvtx/time_domains.hpp"

namespace prof::ingest {
namespace {

namespace payloads = nvtx_payloads;

constexpr std::uint32_t kSerial = 16;
constexpr std::uint32_t kDomain = 1;

class PayloadDecoderTest : public ::testing::Test {
 protected:
  void define(std::uint64_t id, std::uint64_t type,
              const std::vector<wire::NvtxSchemaEntry>& entries, std::uint64_t size = 0) {
    wire::NvtxSchemaRecord record{};
    record.header.aux = static_cast<std::uint32_t>(entries.size());
    record.id = id;
    record.type = type;
    record.static_size = size;
    record.domain = kDomain;
    schemas_.define(kSerial, record, std::as_bytes(std::span(entries)));
  }
  std::string json(const PayloadBlocks& blocks) {
    PayloadDecoder decoder(schemas_, strings_, kSerial, kDomain);
    return to_json(decoder.decode(blocks));
  }

  StringTable strings_{std::pmr::get_default_resource()};
  spool::Notes notes_;
  ProcessTable processes_{notes_};
  PayloadSchemas schemas_{strings_, processes_};
};

constexpr std::uint64_t kFirst = 1 << 24;

TEST_F(PayloadDecoderTest, ASchemaThatContainsItself) {
  define(kFirst, payloads::kDynamicSchema,
         {{0, payloads::kUint8, 0, 0, 0, 0}, {0, kFirst, 0, 0, 0, 0}});
  const std::string text = json({{kFirst, 0x1000, 0, std::string(64, '\x01')}});
  EXPECT_TRUE(nlohmann::json::accept(text)) << text;
}

TEST_F(PayloadDecoderTest, ABlockThatPointsToItself) {
  define(kFirst, payloads::kStaticSchema,
         {{payloads::kPointer | payloads::kDeepCopy, kFirst, 0, 0, 0, 0}}, 8);
  std::string bytes(8, '\0');
  const std::uint64_t address = 0x1000;
  std::memcpy(bytes.data(), &address, sizeof address);
  EXPECT_TRUE(nlohmann::json::accept(json({{kFirst, address, 0, bytes}})));
}

TEST_F(PayloadDecoderTest, AHugeArrayIsCut) {
  define(kFirst, payloads::kDynamicSchema,
         {{payloads::kZeroTerminated, payloads::kUint16, 0, 0, 0, 0}});
  const auto values = nlohmann::json::parse(json({{kFirst, 0, 0, std::string(65536, '\x02')}}));
  EXPECT_EQ(values["value"].size(), 1025);
  EXPECT_EQ(values["value"].back(), "...");
}

TEST_F(PayloadDecoderTest, RandomSchemasAndBytes) {
  std::mt19937_64 random(1);
  const auto below = [&](std::uint64_t end) { return random() % end; };
  constexpr std::uint64_t kTypes[] = {1,  5,  8,  16, 18, 20, 21, 23, 24,
                                      32, 33, 45, 70, 75, 77, 78, 80, 100};
  for (std::uint64_t id = kFirst; id < kFirst + 600; ++id) {
    std::vector<wire::NvtxSchemaEntry> entries(1 + below(5));
    for (auto& entry : entries) {
      entry.flags = below(8) == 0 ? random() : (below(6) << 4 | below(8) << 1 | below(2) << 8);
      entry.type = below(4) == 0 ? kFirst + below(600) : kTypes[below(std::size(kTypes))];
      entry.detail = below(5) == 0 ? random() : below(6);
      entry.offset = below(8) == 0 ? random() : below(24);
    }
    define(id, 1 + below(4), entries, below(3) == 0 ? below(64) : 0);
  }
  for (int i = 0; i < 4000; ++i) {
    PayloadBlocks blocks;
    for (std::uint64_t count = 1 + below(3); count > 0; --count) {
      std::string bytes(below(96), '\0');
      for (char& byte : bytes) byte = below(3) == 0 ? static_cast<char>(random()) : '\x01';
      // Addresses that lead into blocks.
      if (bytes.size() >= 8 && below(2) == 0) {
        const std::uint64_t address = 0x1000 + below(64);
        std::memcpy(bytes.data(), &address, sizeof address);
      }
      blocks.push_back({kFirst + below(620), 0x1000 + 32 * below(3),
                        static_cast<std::uint8_t>(count > 1 ? 0 : 2 * below(2)), bytes});
    }
    const std::string text = json(blocks);
    ASSERT_TRUE(nlohmann::json::accept(text)) << text;
    PayloadDecoder decoder(schemas_, strings_, kSerial, kDomain);
    std::uint64_t end = 0;
    decoder.decode_element(blocks, blocks[0].schema, below(100), end);
  }
}

TEST(TimeDomainsTest, ConvertsAlongPointsAndSlopes) {
  const spool::ClockTriple clocks[] = {{0, 0, 0}, {1'000'000, 1'000'000, 0}};
  const spool::ClockModel clock(clocks, 1e9);
  TimeDomains times(clock, false);
  constexpr std::uint64_t kOwn = kFirst;
  constexpr std::uint64_t kOther = kFirst + 1;
  const auto sync = [&](std::uint64_t source, std::uint64_t target, std::int64_t from,
                        std::int64_t to, double slope = 0) {
    wire::NvtxTimeSyncRecord record{};
    record.header.aux = kDomain;
    record.header.flags = slope != 0 ? wire::kNvtxHasSlope : 0;
    record.source = source;
    record.target = target;
    record.source_time = from;
    record.target_time = to;
    record.slope = slope;
    times.define(kSerial, record);
  };
  EXPECT_EQ(times.to_ns(kSerial, kDomain, 1, 500), 500);  // the session's clock
  EXPECT_EQ(times.to_ns(kSerial, kDomain, 15, 700), 700);
  EXPECT_FALSE(times.to_ns(kSerial, kDomain, kOwn, 5));
  sync(kOwn, 1, 10, 1000);
  sync(kOwn, 1, 20, 3000);
  EXPECT_EQ(times.to_ns(kSerial, kDomain, kOwn, 15), 2000);
  EXPECT_EQ(times.to_ns(kSerial, kDomain, kOwn, 5), 0);
  EXPECT_EQ(times.to_ns(kSerial, kDomain, kOwn, 30), 5000);
  sync(kOther, kOwn, 0, 10, 0.5);  // by way of the other clock
  EXPECT_EQ(times.to_ns(kSerial, kDomain, kOther, 10), 2000);
  EXPECT_FALSE(times.to_ns(kSerial, kDomain + 1, kOwn, 15));
}

}  // namespace
}  // namespace prof::ingest
