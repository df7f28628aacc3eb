// Texts for the codes that the injection library records.
#pragma once

#include <exception>
#include <string>

#include "collector/ingest/diagnostics/diagnostic.hpp"
#include "collector/ingest/string_table.hpp"
#include "common/wire/records.hpp"

namespace prof::ingest {

// Returns nsys's name in PROFILER_OVERHEAD if nsys has one, else prof's.
const char* overhead_name(wire::OverheadKind kind);

std::string diagnostic_text(const wire::DiagnosticRecord& record, const StringTable& strings);
// True if the message says that a program could not be traced. The message then applies to each
// start of the program.
bool is_about_untraced_program(const wire::DiagnosticRecord& record);
Severity diagnostic_severity(const wire::DiagnosticRecord& record);

}  // namespace prof::ingest
