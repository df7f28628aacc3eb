// Python call chains of events, and the code of the functions in them. A process sends each call
// chain and each function's code once. Later records refer to it by its hash.
#pragma once

#include "common/wire/records.hpp"

namespace prof::wire {

// A Python function. `aux` bytes of its line table follow, padded with zeros. The table has the
// format of its Python version (3.9: co_lnotab, 3.10 and later: co_linetable).
struct PythonCodeRecord {
  RecordHeader header;  // aux: bytes of the line table; flags: kLinesCut
  std::uint64_t key;    // hash of all following fields
  std::uint64_t name;   // string hash of the qualified name, before 3.11 of the plain name
  std::uint64_t file;   // string hash
  std::uint32_t first_line;
  std::uint16_t version;  // python_frames::python_version()
  std::uint16_t reserved;
};
inline constexpr std::uint8_t kLinesCut = 1;  // the table was longer than kMaxLineTable
inline constexpr std::uint32_t kMaxLineTable = 32 * 1024;

enum class FrameKind : std::uint32_t {
  kPython = 1,  // code: PythonCodeRecord::key; position: offset in the bytecode, bytes
  // Like kPython, but native code lies between this frame and the frame that it called.
  kPythonBelowNative = 2,
};

struct ChainFrame {
  std::uint64_t code;
  std::uint32_t position;
  FrameKind kind;
};

// A call chain. `aux` ChainFrames follow, innermost first.
struct ChainRecord {
  RecordHeader header;  // flags: how the chain ends
  std::uint64_t chain;  // hash of the frames
};
inline constexpr std::uint8_t kChainMaxDepth = 1;  // there were more frames
inline constexpr std::uint8_t kChainBroken = 2;    // the next frame could not be read

// The call chain of this thread's next call record, whose call began at `start`.
struct EventChainRecord {
  RecordHeader header;
  std::uint64_t start;
  std::uint64_t chain;
};

// A sample of a thread that was running Python, or the place where a thread began to wait. The
// collector writes this record.
struct PythonSampleRecord {
  RecordHeader header;  // aux: thread id; flags: kPythonWait
  std::uint64_t time;
  std::uint64_t chain;
};

inline constexpr std::uint8_t kPythonWait = 1;  // the thread waited

static_assert(kIsRecord<PythonSampleRecord> && sizeof(PythonSampleRecord) == 24);
static_assert(kIsRecord<PythonCodeRecord> && sizeof(PythonCodeRecord) == 40);
static_assert(kIsRecord<ChainRecord> && sizeof(ChainRecord) == 16 && sizeof(ChainFrame) == 16);
static_assert(kIsRecord<EventChainRecord> && sizeof(EventChainRecord) == 24);

}  // namespace prof::wire
