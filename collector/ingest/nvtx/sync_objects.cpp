#include "collector/ingest/nvtx/sync_objects.hpp"

#include "common/wire/nvtx_payloads/payload_types.hpp"

namespace prof::ingest {

void SyncObjects::define(std::uint32_t serial, const wire::NvtxSyncRecord& record) {
  if (static_cast<wire::NvtxSync>(record.header.flags) == wire::NvtxSync::kCreated)
    names_[{serial, record.object}] = record.name;
}

std::optional<DeferredEvent> SyncObjects::add(std::uint32_t serial, std::uint32_t tid,
                                              const wire::NvtxSyncRecord& record) {
  const std::int64_t time = clock_.to_ns(record.time);
  const char* what = nullptr;
  switch (static_cast<wire::NvtxSync>(record.header.flags)) {
    case wire::NvtxSync::kAcquired:
      what = "acquire ";
      break;
    case wire::NvtxSync::kAcquireFailed:
      what = "try to acquire ";
      break;
    case wire::NvtxSync::kReleasing:
      what = "hold ";
      break;
    case wire::NvtxSync::kAcquireStart:
      since_[record.object] = time;
      return std::nullopt;
    default:
      return std::nullopt;
  }
  const auto since = since_.find(record.object);
  if (since == since_.end()) return std::nullopt;
  const auto name = names_.find({serial, record.object});
  PayloadValue message = PayloadValue::of_text(
      what + std::string(name == names_.end() || name->second == 0 ? "an object without a name"
                                                                   : strings_.text(name->second)));
  message.flags = nvtx_payloads::kEventMessage;
  DeferredEvent event{DeferredEvent::Kind::kStartEnd, since->second, time, tid, 0, {message}};
  // From now on the thread holds the object.
  if (static_cast<wire::NvtxSync>(record.header.flags) == wire::NvtxSync::kAcquired)
    since->second = time;
  else
    since_.erase(since);
  return event;
}

}  // namespace prof::ingest
