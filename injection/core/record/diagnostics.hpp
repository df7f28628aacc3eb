// Reports to the collector what does not work in this process, and what prof itself costs.
#pragma once

#include <cstdint>

#include "common/wire/records.hpp"

namespace prof::core {

// Once per code and process image.
void report(wire::DiagnosticCode code, std::uint64_t arg);
// At every call.
void report_each(wire::DiagnosticCode code, std::uint64_t arg);

// The next session gets every report again.
void forget_reports();

// Time that prof spent in the program.
void report_overhead(wire::OverheadKind kind, std::uint64_t start, std::uint64_t end,
                     std::uint8_t flags = 0);

}  // namespace prof::core
