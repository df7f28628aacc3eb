#include "injection/core/record/diagnostics.hpp"

#include <atomic>

#include "injection/core/clock.hpp"
#include "injection/core/record/record_writer.hpp"

namespace prof::core {

namespace {
std::atomic<bool> g_reported[static_cast<std::size_t>(wire::DiagnosticCode::kCount)];
}

void forget_reports() {
  for (std::atomic<bool>& each : g_reported) each.store(false, std::memory_order_relaxed);
}

void report(wire::DiagnosticCode code, std::uint64_t arg) {
  if (!g_reported[static_cast<std::size_t>(code)].exchange(true, std::memory_order_relaxed))
    report_each(code, arg);
}

void report_each(wire::DiagnosticCode code, std::uint64_t arg) {
  append(wire::DiagnosticRecord{header_of<wire::DiagnosticRecord>(wire::RecordType::kDiagnostic,
                                                                  static_cast<std::uint32_t>(code)),
                                now(), arg});
}

void report_overhead(wire::OverheadKind kind, std::uint64_t start, std::uint64_t end,
                     std::uint8_t flags) {
  append(
      wire::OverheadRecord{header_of<wire::OverheadRecord>(wire::RecordType::kOverhead,
                                                           static_cast<std::uint32_t>(kind), flags),
                           start, end});
}

}  // namespace prof::core
