// Tells the collector that something had to be switched off.
#pragma once

#include <cstdint>

#include "injection/wire/records.hpp"

namespace prof::core {

// Once per code and process image.
void report(wire::DiagnosticCode code, std::uint64_t arg);
// Every time.
void report_each(wire::DiagnosticCode code, std::uint64_t arg);

void report_overhead(wire::OverheadKind kind, std::uint64_t start, std::uint64_t end,
                     std::uint8_t flags = 0);

}  // namespace prof::core
