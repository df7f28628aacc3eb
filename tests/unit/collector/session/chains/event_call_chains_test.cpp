#include "collector/session/chains/event_call_chains.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "collector/spool/decoder.hpp"
#include "injection/core/machine/machine.hpp"

namespace prof::session {
namespace {

constexpr std::uint32_t kSerial = 16;

const std::byte* end_of_stack() {
  pthread_attr_t attributes;
  void* begin = nullptr;
  std::size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return nullptr;
  pthread_attr_getstack(&attributes, &begin, &size);
  pthread_attr_destroy(&attributes);
  return static_cast<const std::byte*>(begin) + size;
}

// A record with the present registers and the memory above the stack pointer. Where the stack ends
// before, the rest is 0.
[[gnu::noinline, gnu::no_sanitize_address]] std::vector<std::byte> take_stack(std::uint32_t bytes) {
  wire::StackRecord record{};
  core::machine::take_registers(record.registers);
  record.header = {static_cast<std::uint16_t>(sizeof record + bytes), wire::RecordType::kStack, 0,
                   bytes};
  record.start = 77;
  std::vector<std::byte> out(sizeof record + bytes);
  std::memcpy(out.data(), &record, sizeof record);
  const auto* stack = reinterpret_cast<const std::byte*>(record.registers.stack());
  const std::byte* end = std::min(stack + bytes, end_of_stack());
  for (std::byte* to = out.data() + sizeof record; stack < end; ++stack, ++to) *to = *stack;
  return out;
}

std::uintptr_t g_caller;

[[gnu::noinline]] std::vector<std::byte> call_chain(std::uint32_t bytes) {
  auto records = take_stack(bytes);
  g_caller = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  return records;
}

std::span<const std::byte> bytes_of(const auto& record) {
  return std::as_bytes(std::span(&record, 1));
}

class EventCallChainsTest : public testing::Test {
 protected:
  ~EventCallChainsTest() override { std::filesystem::remove(path_); }

  void write(std::span<const std::byte> bytes) { write(chains_, bytes); }
  void write(EventCallChains& chains, std::span<const std::byte> bytes) {
    const spool::PieceHeader piece{kSerial, 5, 1, 0, 0};
    recorder_.records(piece, chains.replace_stacks(piece, bytes));
  }
  spool::Spool written() {
    auto spool = spool::Spool::open(path_);
    EXPECT_TRUE(spool);
    return std::move(*spool);
  }
  static std::vector<wire::StackNodeRecord> nodes(const spool::Spool& spool) {
    struct Visitor {
      std::vector<wire::StackNodeRecord>& found;
      void operator()(const wire::StackNodeRecord& record) { found.push_back(record); }
      void operator()(const wire::StackRecord&, std::span<const std::byte>) { ADD_FAILURE(); }
    };
    std::vector<wire::StackNodeRecord> found;
    for (const auto& piece : spool.pieces) spool::decode(piece.bytes, Visitor{found});
    return found;
  }
  // Addresses of a call chain, innermost first.
  static std::vector<std::uint64_t> chain(const spool::Spool& spool, std::uint32_t number) {
    std::vector<std::uint64_t> addresses;
    for (const auto& piece : spool.stack_pieces)
      while (number >= piece.header.first &&
             number - piece.header.first < piece.nodes.size() / sizeof(spool::StackNode)) {
        spool::StackNode node;
        std::memcpy(&node, piece.nodes.data() + (number - piece.header.first) * sizeof node,
                    sizeof node);
        addresses.push_back(node.address);
        number = node.caller;
      }
    return addresses;
  }

  static std::string free_path() {
    const std::string path =
        "/dev/shm/event_call_chains_test-" + std::to_string(getpid()) + ".spool";
    std::filesystem::remove(path);
    return path;
  }

  const std::string path_ = free_path();
  SpoolRecorder recorder_{*spool::SpoolWriter::create(path_)};
  CallChainContext context_;
  wire::ProcessSlot slot_{};
  const spool::SessionClock clock_ = spool::SessionClock::monotonic_raw();
  EventCallChains chains_{context_, recorder_, TickClock(clock_), 24};
};

TEST_F(EventCallChainsTest, StackBecomesNodeOfItsChain) {
  chains_.add(kSerial, getpid(), 0, clock_.now(), slot_);
  write(call_chain(4096));
  const spool::Spool spool = written();
  const auto found = nodes(spool);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].start, 77U);
  const auto addresses = chain(spool, found[0].header.aux);
  ASSERT_GE(addresses.size(), 3U);
  EXPECT_EQ(addresses[2], g_caller);
}

TEST_F(EventCallChainsTest, WhereTheKernelReportsMappingsTheyAreBroughtUpToDateWhenNeeded) {
  int times = 0;
  context_.spaces.fork(0, getpid(), 0);  // without a mapping, so nothing is read from /proc
  context_.follow_mappings = [&] {
    ++times;
    const auto maps = unwind::read_process_maps("self");
    for (const unwind::MapEvent& event : *maps)
      if (event.executable) context_.spaces.map(getpid(), event);
  };
  chains_.add(kSerial, getpid(), 0, clock_.now(), slot_);
  write(call_chain(4096));
  const spool::Spool spool = written();
  const auto found = nodes(spool);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(times, 1);
  const auto addresses = chain(spool, found[0].header.aux);
  ASSERT_GE(addresses.size(), 3U);
  EXPECT_EQ(addresses[2], g_caller);
}

TEST_F(EventCallChainsTest, OtherRecordsStayInTheirOrder) {
  chains_.add(kSerial, getpid(), 0, clock_.now(), slot_);
  const wire::NvtxPopRecord pop{{sizeof pop, wire::RecordType::kNvtxPop, 0, 3}, 1};
  const auto stack = call_chain(64);
  std::vector<std::byte> piece;
  for (const auto part : {bytes_of(pop), std::span<const std::byte>(stack), bytes_of(pop)})
    piece.insert(piece.end(), part.begin(), part.end());
  write(piece);
  const spool::Spool spool = written();
  ASSERT_EQ(spool.pieces.size(), 1U);
  const auto bytes = spool.pieces[0].bytes;
  ASSERT_EQ(bytes.size(), 2 * sizeof pop + sizeof(wire::StackNodeRecord));
  EXPECT_EQ(std::memcmp(bytes.data(), &pop, sizeof pop), 0);
  EXPECT_EQ(std::memcmp(bytes.data() + bytes.size() - sizeof pop, &pop, sizeof pop), 0);
}

TEST_F(EventCallChainsTest, ImageThatDidNotJoinHasNoChain) {
  write(call_chain(512));
  const auto found = nodes(written());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].header.aux, 0U);
}

TEST_F(EventCallChainsTest, TargetCannotReferToNodes) {
  const wire::StackNodeRecord forged{{sizeof forged, wire::RecordType::kStackNode, 0, 12345}, 9};
  write(bytes_of(forged));
  const auto found = nodes(written());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].header.aux, 0U);
  EXPECT_EQ(found[0].start, 9U);
}

TEST_F(EventCallChainsTest, DamagedRecordsAreKept) {
  chains_.add(kSerial, getpid(), 0, clock_.now(), slot_);
  auto stack = call_chain(64);
  const std::uint32_t too_many = 1 << 20;
  std::memcpy(stack.data() + 4, &too_many, sizeof too_many);
  stack.insert(stack.end(), 24, std::byte{0xff});
  write(stack);
  const spool::Spool spool = written();
  ASSERT_EQ(spool.pieces.size(), 1U);
  ASSERT_EQ(spool.pieces[0].bytes.size(), stack.size());
  EXPECT_EQ(std::memcmp(spool.pieces[0].bytes.data(), stack.data(), stack.size()), 0);
}

TEST_F(EventCallChainsTest, ChainIsLimitedToTheRequestedDepth) {
  char above[64 * 1024];  // so that enough stack can be copied
  asm volatile("" : : "r"(above) : "memory");
  EventCallChains shallow(context_, recorder_, TickClock(spool::SessionClock::monotonic_raw()), 2);
  shallow.add(kSerial, getpid(), 0, clock_.now(), slot_);
  write(shallow, call_chain(8192));
  const spool::Spool spool = written();
  const auto addresses = chain(spool, nodes(spool).at(0).header.aux);
  ASSERT_EQ(addresses.size(), 3U);  // and a mark
  EXPECT_EQ(addresses[2], 0U);
}

// The same as a sample.
std::vector<std::byte> sample_of(std::span<const std::byte> stack) {
  wire::StackRecord taken;
  std::memcpy(&taken, stack.data(), sizeof taken);
  wire::CpuSampleRecord sample{};
  sample.header = {static_cast<std::uint16_t>(sizeof sample + taken.header.aux),
                   wire::RecordType::kCpuSample, 0, taken.header.aux};
  sample.time = 55;
  sample.cpu = 3;
  sample.periods = 2;
  for (std::size_t i = 0; i < std::size(wire::kStackRegisterNumbers); ++i)
    sample.registers[wire::kStackRegisterNumbers[i]] = taken.registers.values[i];
  std::vector<std::byte> record(sizeof sample);
  std::memcpy(record.data(), &sample, sizeof sample);
  record.insert(record.end(), stack.begin() + sizeof taken, stack.end());
  return record;
}

std::vector<wire::CpuSampleNodeRecord> samples_in(const spool::Spool& spool) {
  std::vector<wire::CpuSampleNodeRecord> found;
  const auto visit = [&](const wire::CpuSampleNodeRecord& record) { found.push_back(record); };
  for (const auto& piece : spool.pieces) spool::decode(piece.bytes, visit);
  return found;
}

TEST_F(EventCallChainsTest, SampleBecomesNodeOfItsChain) {
  chains_.enable_samples({});
  chains_.add(kSerial, getpid(), 0, clock_.now(), slot_);
  write(sample_of(call_chain(4096)));
  const spool::Spool spool = written();
  const auto found = samples_in(spool);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].time, 55U);
  EXPECT_EQ(found[0].cpu, 3U);
  EXPECT_EQ(found[0].periods, 2U);
  const auto addresses = chain(spool, found[0].header.aux);
  ASSERT_GE(addresses.size(), 3U);
  EXPECT_EQ(addresses[2], g_caller);
}

TEST_F(EventCallChainsTest, SamplesHaveChainsAsRequested) {
  sampler::CpuOptions every_other;
  every_other.samples_per_backtrace = 2;
  chains_.enable_samples(every_other);
  chains_.add(kSerial, getpid(), 0, clock_.now(), slot_);
  const auto sample = sample_of(call_chain(4096));
  write(sample);
  write(sample);
  const spool::Spool spool = written();
  const auto found = samples_in(spool);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(chain(spool, found[0].header.aux).size(), 1U);
  EXPECT_GE(chain(spool, found[1].header.aux).size(), 3U);
}

TEST_F(EventCallChainsTest, SamplesThatWereNotRequestedAreDropped) {
  chains_.add(kSerial, getpid(), 0, clock_.now(), slot_);
  write(sample_of(call_chain(64)));
  EXPECT_TRUE(samples_in(written()).empty());
}

TEST_F(EventCallChainsTest, InvalidSamplesAreDropped) {
  chains_.enable_samples({});
  chains_.add(kSerial, getpid(), 0, clock_.now(), slot_);
  const wire::CpuSampleNodeRecord forged{
      {sizeof forged, wire::RecordType::kCpuSampleNode, 0, 12345}, 9, 0, 1};
  write(bytes_of(forged));
  auto too_long = sample_of(call_chain(64));
  const std::uint32_t too_many = 1 << 20;
  std::memcpy(too_long.data() + 4, &too_many, sizeof too_many);
  write(too_long);
  EXPECT_TRUE(samples_in(written()).empty());
}

}  // namespace
}  // namespace prof::session
