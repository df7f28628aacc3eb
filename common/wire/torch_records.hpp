// Records of the memory of PyTorch (injection/python).
#pragma once

#include "common/wire/records.hpp"

namespace prof::wire {

// What a TorchMemoryRecord stands for. The numbers are those of PROF_TORCH_MEMORY.operation.
enum class TorchMemoryKind : std::uint8_t {
  kAllocation = 0,
  kRelease = 1,
  kFailure = 2,  // there was no memory of that size
};

// PyTorch's allocator of a device hands out memory, takes it back, or has none.
struct TorchMemoryRecord {
  RecordHeader header;  // flags: TorchMemoryKind; aux: c10::DeviceType in bits 0 to 7, and the
                        // number of the device in bits 8 to 15; -1: not known
  std::uint64_t time;
  std::uint64_t address;    // 0: kFailure
  std::uint64_t bytes;      // as the allocator rounds them
  std::uint64_t allocated;  // bytes that the program has then
  std::uint64_t reserved;   // bytes that the allocator has then
};

static_assert(kIsRecord<TorchMemoryRecord> && sizeof(TorchMemoryRecord) == 48);

}  // namespace prof::wire
