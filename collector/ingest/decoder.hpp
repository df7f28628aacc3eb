// Walks a run of records and hands each, checked and typed, to a visitor.
//
// A record is trusted only as far as it was checked: the size lies inside the run, is aligned and
// is at least that of its type. Unknown types are skipped. The first senseless header ends the run,
// as nothing behind it can be located.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "injection/wire/records.hpp"

namespace prof::ingest {

struct DecodeStats {
  std::uint64_t records = 0;
  std::uint64_t unknown = 0;
  std::uint64_t corrupt_bytes = 0;
};

namespace detail {
template <class Record>
Record record_at(const std::byte* at) {
  Record record;
  std::memcpy(&record, at, sizeof record);
  return record;
}
}  // namespace detail

// Visitor: a callable for each record struct it cares about, `visitor(const XRecord&)`, and
// `visitor(const StringRecord&, std::string_view)`; the text points into `bytes`. Records without
// an overload are passed over.
template <class Visitor>
DecodeStats decode(std::span<const std::byte> bytes, Visitor&& visitor) {
  using wire::RecordType;
  DecodeStats stats;
  const std::byte* at = bytes.data();
  const std::byte* const end = at + bytes.size();
  const auto visit = [&]<class Record>(std::uint16_t size, Record*) {
    if (size < sizeof(Record)) return false;
    if constexpr (requires(const Record& r) { visitor(r); }) visitor(detail::record_at<Record>(at));
    return true;
  };
  while (static_cast<std::size_t>(end - at) >= sizeof(wire::RecordHeader)) {
    const auto header = detail::record_at<wire::RecordHeader>(at);
    const auto left = static_cast<std::size_t>(end - at);
    bool ok = header.size >= sizeof header && header.size % wire::kRecordAlignment == 0 &&
              header.size <= left;
    if (ok) {
      switch (header.type) {
        case RecordType::kThread:
          ok = visit(header.size, static_cast<wire::ThreadRecord*>(nullptr));
          break;
        case RecordType::kString:
          ok = header.size >= sizeof(wire::StringRecord) &&
               header.aux <= header.size - sizeof(wire::StringRecord);
          if constexpr (requires(const wire::StringRecord& r, std::string_view t) {
                          visitor(r, t);
                        }) {
            if (ok)
              visitor(
                  detail::record_at<wire::StringRecord>(at),
                  std::string_view(reinterpret_cast<const char*>(at) + sizeof(wire::StringRecord),
                                   header.aux));
          }
          break;
        case RecordType::kFunction:
          ok = visit(header.size, static_cast<wire::FunctionRecord*>(nullptr));
          break;
        case RecordType::kCall:
          ok = visit(header.size, static_cast<wire::CallRecord*>(nullptr));
          break;
        case RecordType::kNvtxPush:
          ok = visit(header.size, static_cast<wire::NvtxPushRecord*>(nullptr));
          break;
        case RecordType::kNvtxPop:
          ok = visit(header.size, static_cast<wire::NvtxPopRecord*>(nullptr));
          break;
        case RecordType::kNvtxPushEx:
        case RecordType::kNvtxMark:
        case RecordType::kNvtxStart:
          ok = visit(header.size, static_cast<wire::NvtxEventRecord*>(nullptr));
          break;
        case RecordType::kNvtxEnd:
          ok = visit(header.size, static_cast<wire::NvtxEndRecord*>(nullptr));
          break;
        case RecordType::kNvtxDomain:
          ok = visit(header.size, static_cast<wire::NvtxDomainRecord*>(nullptr));
          break;
        case RecordType::kNvtxDomainEnd:
          ok = visit(header.size, static_cast<wire::NvtxDomainEndRecord*>(nullptr));
          break;
        case RecordType::kNvtxCategory:
          ok = visit(header.size, static_cast<wire::NvtxCategoryRecord*>(nullptr));
          break;
        case RecordType::kThreadName:
          ok = visit(header.size, static_cast<wire::ThreadNameRecord*>(nullptr));
          break;
        case RecordType::kOverhead:
          ok = visit(header.size, static_cast<wire::OverheadRecord*>(nullptr));
          break;
        case RecordType::kDiagnostic:
          ok = visit(header.size, static_cast<wire::DiagnosticRecord*>(nullptr));
          break;
        default:
          ++stats.unknown;
          break;
      }
    }
    if (!ok) {
      stats.corrupt_bytes += left;
      return stats;
    }
    ++stats.records;
    at += header.size;
  }
  stats.corrupt_bytes += static_cast<std::size_t>(end - at);
  return stats;
}

}  // namespace prof::ingest
