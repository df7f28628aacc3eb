// The copies, memsets and pool allocations of known_answer.
#pragma once
#include "kernels.cuh"
#include "operations.cuh"

namespace known {

// All on one blocking stream and the legacy default stream, which wait for each other.
inline void copies(Data& data, int round) {
  Work& work = tally::g_direct;
  std::iota(data.pageable.begin(), data.pageable.end(), round);
  copy(data.device, data.pageable.data(), kBytes, cudaMemcpyHostToDevice, "Pageable>Device");
  copy(data.other, data.device, kBytes, cudaMemcpyDeviceToDevice, "Device>Device");
  std::fill(data.pageable.begin(), data.pageable.end(), -1);
  copy(data.pageable.data(), data.other, kBytes, cudaMemcpyDeviceToHost, "Device>Pageable");
  for (int i = 0; i < kCount; ++i) REQUIRE(data.pageable[i] == i + round);

  std::iota(data.pageable.begin(), data.pageable.end(), 1 - round);
  copy_async(work, data.device, data.pageable.data(), kBytes / 2, cudaMemcpyHostToDevice,
             "Pageable>Device", data.ordinary);
  copy_async(work, data.other, data.device, kBytes / 2, cudaMemcpyDeviceToDevice, "Device>Device",
             data.ordinary);
  copy_async(work, data.pageable.data() + kCount / 2, data.other, kBytes / 2,
             cudaMemcpyDeviceToHost, "Device>Pageable", data.ordinary);
  synchronize(data.ordinary);
  for (int i = 0; i < kCount / 2; ++i) REQUIRE(data.pageable[kCount / 2 + i] == i + 1 - round);

  std::iota(data.pinned, data.pinned + kCount, 7 + round);
  copy(data.pinned_other, data.pinned, kBytes, cudaMemcpyHostToHost, "Pinned>Pinned");
  copy(data.device, data.pinned_other, kBytes, cudaMemcpyHostToDevice, "Pinned>Device");
  verify(data, data.device, kCount, [round](int i) { return i + 7 + round; });
  copy_async(work, data.device, data.pinned, kBytes, cudaMemcpyHostToDevice, "Pinned>Device",
             data.ordinary);
  copy_async(work, data.pinned_other, data.device, kBytes, cudaMemcpyDeviceToHost, "Device>Pinned",
             data.ordinary);
  synchronize(data.ordinary);
  REQUIRE(std::memcmp(data.pinned, data.pinned_other, kBytes) == 0);
}

// 64 rows of 400 bytes: 512 bytes apart in host memory, 1024 apart on the device.
inline void copies_2d(Data& data) {
  constexpr size_t kWidth = 400, kRows = 64, kHostPitch = 512, kDevicePitch = 1024;
  std::iota(data.pinned, data.pinned + kCount, 3);
  CALL(cudaMemcpy2D, data.device, kDevicePitch, data.pinned, kHostPitch, kWidth, kRows,
       cudaMemcpyHostToDevice);
  note_copy(tally::g_direct, cudaMemcpyHostToDevice, "Pinned>Device", kWidth * kRows);
  CALL(cudaMemcpy2DAsync, data.other, kDevicePitch, data.device, kDevicePitch, kWidth, kRows,
       cudaMemcpyDeviceToDevice, data.ordinary);
  note_copy(tally::g_direct, cudaMemcpyDeviceToDevice, "Device>Device", kWidth * kRows);
  CALL(cudaMemcpy2DAsync, data.pinned_other, kHostPitch, data.other, kDevicePitch, kWidth, kRows,
       cudaMemcpyDeviceToHost, data.ordinary);
  note_copy(tally::g_direct, cudaMemcpyDeviceToHost, "Device>Pinned", kWidth * kRows);
  synchronize(data.ordinary);
  for (size_t row = 0; row < kRows; ++row)
    for (size_t i = 0; i < kWidth / sizeof(int); ++i) {
      const size_t at = row * kHostPitch / sizeof(int) + i;
      REQUIRE(data.pinned_other[at] == static_cast<int>(at) + 3);
    }
}

inline void copies_of_symbol() {
  const int written = 4711;
  int read_back = 0;
  CALL(cudaMemcpyToSymbol, g_symbol, &written, sizeof written);
  note_copy(tally::g_direct, cudaMemcpyHostToDevice, "Pageable>Device Static", sizeof written);
  CALL(cudaMemcpyFromSymbol, &read_back, g_symbol, sizeof read_back);
  note_copy(tally::g_direct, cudaMemcpyDeviceToHost, "Device Static>Pageable", sizeof read_back);
  REQUIRE(read_back == written);
}

inline void memsets(Data& data) {
  Work& work = tally::g_direct;
  constexpr size_t kPitch = 1024, kWidth = 400, kRows = 64;
  CALL(cudaMemset, data.device, 0x11, kBytes);
  note_memset(work, 0x11, kBytes);
  CALL(cudaMemsetAsync, data.other, 0x22, kBytes / 2, data.ordinary);
  note_memset(work, 0x22, kBytes / 2);
  CALL(cudaMemset2D, data.device, kPitch, 0x33, kWidth, kRows);
  note_memset(work, 0x33, kWidth * kRows);
  verify(data, data.other, kCount / 2, [](int) { return 0x22222222; });
  verify(data, data.device, kCount, [](int i) {
    const size_t byte = static_cast<size_t>(i) * sizeof(int);
    return byte < kPitch * kRows && byte % kPitch < kWidth ? 0x33333333 : 0x11111111;
  });
}

inline void memory_pool(Data& data) {
  int* memory = nullptr;
  CALL(cudaMallocAsync, &memory, kBytes, data.non_blocking);
  note_allocation("Pool", kBytes);
  launch(tally::g_direct, "fill", fill, shape_for(kCount), data.non_blocking, memory, 9, kCount);
  copy_async(tally::g_direct, data.pinned, memory, kBytes, cudaMemcpyDeviceToHost, "Device>Pinned",
             data.non_blocking);
  CALL(cudaFreeAsync, memory, data.non_blocking);
  synchronize(data.non_blocking);
  for (int i = 0; i < kCount; ++i) REQUIRE(data.pinned[i] == 9);
}

}  // namespace known
