// Reports to the collector what does not work in this process, and how much time prof itself takes.
#pragma once

#include <cstdint>

#include "common/wire/records.hpp"

namespace prof::core {

// Reports once per code and process image.
void report(wire::DiagnosticCode code, std::uint64_t arg);
// Reports at every call.
void report_each(wire::DiagnosticCode code, std::uint64_t arg);

// Forgets what was reported, so that the next session gets every report again.
void forget_reports();

// Reports time that prof spent in the program.
void report_overhead(wire::OverheadKind kind, std::uint64_t start, std::uint64_t end,
                     std::uint8_t flags = 0);

}  // namespace prof::core
