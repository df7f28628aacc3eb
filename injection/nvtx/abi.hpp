// The binary interface between an NVTX v3 client and an injection library. The ids, layouts and
// signatures of the published API are declared here, so the build needs no NVTX headers. A unit
// test compares them with the original header (tests/unit/injection/nvtx/abi_test.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cwchar>

namespace prof::nvtx {

// nvtxEventAttributes_t of versions 2 and 3.
struct EventAttributes {
  std::uint16_t version;
  std::uint16_t size;
  std::uint32_t category;
  std::int32_t color_type;
  std::uint32_t color;
  std::int32_t payload_type;
  std::int32_t reserved;  // number of payloads, see extension_abi.hpp
  std::uint64_t payload;  // a union of 8-byte and 4-byte numbers
  std::int32_t message_type;
  union {
    const char* ascii;
    const wchar_t* unicode;
    void* registered;
  } message;
};
static_assert(sizeof(EventAttributes) == 48 && offsetof(EventAttributes, message) == 40);

enum ColorType : std::int32_t { kColorArgb = 1 };
enum MessageType : std::int32_t { kMessageAscii = 1, kMessageUnicode = 2, kMessageRegistered = 3 };

using DomainHandle = void*;
using StringHandle = void*;
using RangeId = std::uint64_t;

// nvtxRangePush and nvtxRangePop return this if the depth is not tracked.
inline constexpr int kNoPushPopTracking = -2;

enum class Module : std::uint32_t { kCore = 1, kCuda = 2, kCudart = 4, kCore2 = 5, kSync = 6 };

// Callback ids: the index in the module's function table.
enum CoreCallback : unsigned {
  kMarkEx = 1,
  kMarkA = 2,
  kMarkW = 3,
  kRangeStartEx = 4,
  kRangeStartA = 5,
  kRangeStartW = 6,
  kRangeEnd = 7,
  kRangePushEx = 8,
  kRangePushA = 9,
  kRangePushW = 10,
  kRangePop = 11,
  kNameCategoryA = 12,
  kNameCategoryW = 13,
  kNameOsThreadA = 14,
  kNameOsThreadW = 15,
};

enum CudaCallback : unsigned {
  kNameCuDeviceA = 1,
  kNameCuDeviceW = 2,
  kNameCuContextA = 3,
  kNameCuContextW = 4,
  kNameCuStreamA = 5,
  kNameCuStreamW = 6,
};

enum CudartCallback : unsigned {
  kNameCudaDeviceA = 1,
  kNameCudaDeviceW = 2,
  kNameCudaStreamA = 3,
  kNameCudaStreamW = 4,
};

enum Core2Callback : unsigned {
  kDomainMarkEx = 1,
  kDomainRangeStartEx = 2,
  kDomainRangeEnd = 3,
  kDomainRangePushEx = 4,
  kDomainRangePop = 5,
  kDomainNameCategoryA = 8,
  kDomainNameCategoryW = 9,
  kDomainRegisterStringA = 10,
  kDomainRegisterStringW = 11,
  kDomainCreateA = 12,
  kDomainCreateW = 13,
  kDomainDestroy = 14,
};

enum SyncCallback : unsigned {
  kSyncUserCreate = 1,
  kSyncUserDestroy = 2,
  kSyncUserAcquireStart = 3,
  kSyncUserAcquireFailed = 4,
  kSyncUserAcquireSuccess = 5,
  kSyncUserReleasing = 6,
};

// nvtxSyncUserAttributes_t
struct SyncAttributes {
  std::uint16_t version;
  std::uint16_t size;
  std::int32_t message_type;
  union {
    const char* ascii;
    const wchar_t* unicode;
    void* registered;
  } message;
};
using SyncHandle = void*;

inline constexpr std::uint32_t kExportCallbacks = 1;  // NVTX_ETID_CALLBACKS

using FunctionPointer = void (*)();
using FunctionTable = FunctionPointer**;  // each entry: the address of the client's pointer

struct ExportCallbacks {
  std::size_t struct_size;
  int (*get_module_function_table)(Module module, FunctionTable* table, unsigned* size);
};
using GetExportTable = const void* (*)(std::uint32_t id);

}  // namespace prof::nvtx
