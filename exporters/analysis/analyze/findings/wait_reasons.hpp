// Explains why launching threads leave GPUs idle, and why devices are late.
#pragma once

#include <string>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/analyze/findings/facts.hpp"

namespace prof::analyze {

// Fills in cpu_work, loading_work and late from samples, OS-runtime calls and scheduler events.
base::Status explain_waits(const report::ReportReader& reader, Facts& facts);

// Returns "GPU 1 of process 12 waits 64 % of its time for GPU 0 of process 11, which …".
std::string late_device_text(const Facts& facts, const LateDevice& late);

}  // namespace prof::analyze
