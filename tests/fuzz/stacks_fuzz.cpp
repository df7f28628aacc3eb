// Writes pieces of a hostile process, with arbitrary records, and stacks whose registers point into
// real code and into the copied bytes.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "collector/session/chains/event_call_chains.hpp"
#include "common/base/log.hpp"
#include "tests/fuzz/input.hpp"

using namespace prof;
using fuzz::Input;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::uint32_t kSerial = 16;
constexpr std::uint64_t kStack = 0x7ffe00000000;

struct Session {
  Session() {
    base::set_up_log("off");
    chains.enable_samples({});
    chains.add(kSerial, getpid(), 0, 0, slot);
  }
  static spool::SpoolWriter make_spool(const std::string& path) {
    unlink(path.c_str());
    auto spool = *spool::SpoolWriter::create(path);
    unlink(path.c_str());
    return spool;
  }

  session::SpoolRecorder recorder{
      make_spool("/dev/shm/prof-fuzz-stacks-" + std::to_string(getpid()) + ".spool")};
  session::CallChainContext context;
  wire::ProcessSlot slot{};
  session::EventCallChains chains{context, recorder,
                                  session::TickClock(spool::SessionClock::monotonic_raw()), 24};
};

std::uint64_t value(Input& input) {
  const auto what = input.take<std::uint8_t>();
  const auto offset = input.take<std::int16_t>();
  switch (what & 3) {
    case 0:
      return reinterpret_cast<std::uint64_t>(&LLVMFuzzerTestOneInput) +
             static_cast<std::uint64_t>(offset);
    case 1:
      return reinterpret_cast<std::uint64_t>(&std::memcpy) + static_cast<std::uint64_t>(offset);
    case 2:
      return kStack + static_cast<std::uint64_t>(offset & 0x1ff8);
    default:
      return input.take<std::uint64_t>();
  }
}

template <class T>
void put(std::vector<std::byte>& piece, const T& value) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  piece.insert(piece.end(), bytes, bytes + sizeof value);
}

void add_stack(std::vector<std::byte>& piece, Input& input) {
  const std::uint32_t words = input.take<std::uint8_t>();
  wire::StackRecord record{};
  record.header = {static_cast<std::uint16_t>(sizeof record + 8 * words), wire::RecordType::kStack,
                   input.take<std::uint8_t>(), 8 * words};
  if (input.take<std::uint8_t>() == 0) record.header.aux = input.take<std::uint32_t>();
  for (const unsigned each : {0, 2, 3, 4}) record.registers.values[each] = value(input);
  record.registers.values[1] = kStack;
  put(piece, record);
  for (std::uint32_t i = 0; i < words; ++i) put(piece, value(input));
}

void add_sample(std::vector<std::byte>& piece, Input& input) {
  const std::uint32_t words = input.take<std::uint8_t>();
  wire::CpuSampleRecord record{};
  record.header = {static_cast<std::uint16_t>(sizeof record + 8 * words),
                   wire::RecordType::kCpuSample, 0, 8 * words};
  if (input.take<std::uint8_t>() == 0) record.header.aux = input.take<std::uint32_t>();
  for (const unsigned each : {unwind::kRip, unwind::kRbp, unwind::kRbx, unwind::kRax})
    record.registers[each] = value(input);
  record.registers[unwind::kRsp] = kStack;
  put(piece, record);
  for (std::uint32_t i = 0; i < words; ++i) put(piece, value(input));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Session session;
  std::vector<std::byte> piece;
  for (Input input(data, size); !input.empty() && piece.size() < 60'000;) {
    const auto what = input.take<std::uint8_t>();
    if (what % 4 == 0)
      put(piece, input.take<std::uint64_t>());
    else if (what % 4 == 1)
      put(piece, wire::StackNodeRecord{{16, wire::RecordType::kStackNode, 0, what}, 1});
    else if (what % 4 == 2)
      add_sample(piece, input);
    else
      add_stack(piece, input);
  }
  const spool::PieceHeader header{kSerial, 5, 1, 0, 0};
  session.recorder.records(header, session.chains.replace_stacks(header, piece));
  return 0;
}
