// What the codes of the injected library say to a reader of the report.
#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "collector/ingest/session_tables.hpp"
#include "collector/ingest/string_table.hpp"
#include "injection/wire/records.hpp"

namespace prof::ingest {

// nsys's names in PROFILER_OVERHEAD, where it has one.
const char* overhead_name(wire::OverheadKind kind);

std::string diagnostic_text(const wire::DiagnosticRecord& record, const StringTable& strings);
// That a program could not be traced: as true of every later start of it.
bool is_about_untraced_program(const wire::DiagnosticRecord& record);
Severity diagnostic_severity(const wire::DiagnosticRecord& record);

// A note of the right name with contents of the wrong type: not written by us.
std::string damaged_recording(const std::exception& error);

// "...were lost: X." `cause` as TargetServer notes it.
const char* drop_cause(std::string_view cause);

}  // namespace prof::ingest
