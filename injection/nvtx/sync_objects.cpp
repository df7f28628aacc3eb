#include "injection/nvtx/sync_objects.hpp"

#include <atomic>

#include "injection/core/clock.hpp"
#include "injection/core/record/capture.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/core/record/strings.hpp"

namespace prof::nvtx {

namespace {

std::atomic<std::uint64_t> g_next_sync_object{1};

// Bit 0 is always set, so that no handle is null; bits 1-15: domain id; from bit 16: object.
constexpr unsigned kDomainShift = 1;
constexpr unsigned kObjectShift = 16;
constexpr std::uint32_t kDomainMask = 0x7fff;

std::uint64_t name_of(const SyncAttributes& attributes) {
  switch (attributes.message_type) {
    case kMessageAscii:
      return core::intern(attributes.message.ascii);
    case kMessageUnicode:
      return core::intern(attributes.message.unicode);
    case kMessageRegistered:
      return reinterpret_cast<std::uintptr_t>(attributes.message.registered);
    default:
      return 0;
  }
}

wire::NvtxSyncRecord record_of(SyncHandle handle, wire::NvtxSync what, std::uint64_t name) {
  const auto bits = reinterpret_cast<std::uintptr_t>(handle);
  return {core::header_of<wire::NvtxSyncRecord>(
              wire::RecordType::kNvtxSync,
              static_cast<std::uint32_t>(bits >> kDomainShift) & kDomainMask,
              static_cast<std::uint8_t>(what)),
          core::now(), bits >> kObjectShift, name};
}

}  // namespace

SyncHandle create_sync(Domain domain, const SyncAttributes* attributes) {
  if (!domain.recorded || domain.id > kDomainMask || attributes == nullptr ||
      attributes->size < sizeof *attributes)
    return nullptr;
  const std::uint64_t object = g_next_sync_object.fetch_add(1, std::memory_order_relaxed);
  const auto handle = reinterpret_cast<SyncHandle>(object << kObjectShift |
                                                   std::uint64_t{domain.id} << kDomainShift | 1);
  core::append(record_of(handle, wire::NvtxSync::kCreated, name_of(*attributes)));
  return handle;
}

void record_sync(SyncHandle handle, wire::NvtxSync what) {
  if (handle != nullptr && !core::paused_here()) core::append(record_of(handle, what, 0));
}

}  // namespace prof::nvtx
