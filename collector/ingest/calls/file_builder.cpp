#include "collector/ingest/calls/file_builder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "collector/ingest/calls/file_names.hpp"

namespace prof::ingest {

namespace {

// The maximum number of steps from a copied descriptor to its original: a copy can itself be
// copied. More are damage, possibly a cycle.
constexpr int kMaxCopies = 64;

struct EventType {
  wire::FileOperation operation;
  const char* name;
  const char* label;
};
constexpr EventType kEventTypes[] = {{wire::FileOperation::kOpen, "PROF_FILE_OPEN", "Open"},
                                     {wire::FileOperation::kRead, "PROF_FILE_READ", "Read"},
                                     {wire::FileOperation::kWrite, "PROF_FILE_WRITE", "Write"},
                                     {wire::FileOperation::kClose, "PROF_FILE_CLOSE", "Close"},
                                     {wire::FileOperation::kOther, "PROF_FILE_OTHER", "Other"}};

constexpr std::uint64_t key(std::uint32_t serial, std::uint32_t access) {
  return std::uint64_t{serial} << 32 | access;
}

// Returns the number of bytes, or 0 if it is more than a call can transfer, which is damage.
std::int64_t possible(std::uint64_t bytes) {
  return bytes > INT64_MAX ? 0 : static_cast<std::int64_t>(bytes);
}

}  // namespace

std::size_t FileBuilder::number_of(std::uint32_t serial, std::uint32_t access) {
  const auto [found, is_new] = numbers_.try_emplace(key(serial, access), accesses_.size());
  if (is_new) {
    accesses_.emplace_back().serial = serial;
    accesses_.back().record.fd = -1;
  }
  return found->second;
}

void FileBuilder::file(std::uint32_t serial, const wire::FileRecord& record) {
  Access& access = accesses_[number_of(serial, record.header.aux)];
  const bool is_first = access.record.time == 0;
  // A later record of a socket has its new address. That record can be read first.
  if (is_first || record.time < access.record.time ||
      (record.header.flags & wire::kFileOpened) != 0)
    access.record = record;
  if (record.address != 0 && record.time >= access.address_time) {
    access.address = record.address;
    access.address_time = record.time;
    access.is_local = (record.header.flags & wire::kFileLocalAddress) != 0;
  }
}

void FileBuilder::call(std::uint32_t serial, std::int64_t global_tid, std::int32_t name_id,
                       const wire::FileCallRecord& record) {
  const std::size_t number = number_of(serial, record.access);
  if (record.operation == wire::FileOperation::kClose)
    accesses_[number].closed = std::max(accesses_[number].closed, record.start);
  ++events_;
  writer_.add(report::FileEventRow{.access = static_cast<std::int64_t>(number) + 1,
                                   .thread = global_tid & 0xffffff,
                                   .start = clock_.to_ns(record.start),
                                   .end = clock_.to_ns(record.end),
                                   .bytes = possible(record.bytes),
                                   .type = static_cast<std::int32_t>(record.operation),
                                   .name_id = name_id});
}

std::string FileBuilder::name_of(const Access& access, int copies) const {
  const wire::FileRecord& record = access.record;
  switch (record.kind) {
    case wire::FileKind::kPath:
      return file_path(strings_.text(record.name));
    case wire::FileKind::kPipe:
      return pipe_name(record.name);
    case wire::FileKind::kSocket:
      return socket_name({record.socket_domain, record.socket_type,
                          access.address == 0 ? std::string_view() : strings_.text(access.address),
                          access.is_local, record.name});
    case wire::FileKind::kDuplicate: {
      const auto original =
          numbers_.find(key(access.serial, static_cast<std::uint32_t>(record.name)));
      if (original == numbers_.end() || copies == kMaxCopies) break;
      return name_of(accesses_[original->second], copies + 1);
    }
    case wire::FileKind::kUnknown:
      break;
  }
  return record.fd < 0 ? std::string("[Unknown]") : fmt::format("[fd {}]", record.fd);
}

void FileBuilder::finish(std::int64_t end) {
  if (accesses_.empty()) return;
  for (const EventType& type : kEventTypes)
    writer_.add("ENUM_PROF_FILE_EVENT_TYPE",
                {static_cast<std::int64_t>(type.operation), type.name, type.label});
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    const Access& access = accesses_[i];
    const ProcessImage* process = processes_.find(access.serial);
    const std::string name = name_of(access, 0);
    writer_.add("OSRT_FILE_ACCESS_DESCRIPTORS",
                {static_cast<std::int64_t>(i) + 1,
                 static_cast<std::int64_t>(process == nullptr ? 0 : process->pid),
                 access.record.time == 0 ? std::int64_t{0} : clock_.to_ns(access.record.time),
                 access.closed == 0 ? end : clock_.to_ns(access.closed), std::string_view(name),
                 static_cast<std::int64_t>(access.record.fd)});
  }
}

}  // namespace prof::ingest
