// Reads samples into a profile.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/analyze/program/cpu_facts.hpp"
#include "exporters/analysis/analyze/program/share_clock.hpp"
#include "exporters/analysis/events/call_chains/samples.hpp"

namespace prof::analyze {

// The samples of a report, and what is needed to read their call chains.
struct RecordedSamples {
  events::SampleKind kind = events::SampleKind::kCpu;
  events::Samples samples;
  std::int64_t interval = 0;  // ns, the time that a weight of 1 stands for; 0: unknown
  std::vector<std::uint32_t>
      threads;  // for each thread of `samples`: its index in CpuFacts::threads
};

base::Result<RecordedSamples> read_recorded_samples(const report::ReportReader& reader,
                                                    events::SampleKind kind);

// Reads the call chains of samples. The shares of the samples are their weights until add_shares().
// Returns null if there are no samples.
base::Result<std::unique_ptr<CodeProfile>> read_profile(const report::ReportReader& reader,
                                                        const RecordedSamples& recorded,
                                                        const CpuFacts& facts,
                                                        const events::CodeLines* lines);

// Sets the share of each sample to the part of its interval that belongs to its thread. If the
// samples stand for more time than their threads ran, the time that the threads ran is divided
// among them: Python samples include threads that wait for a CPU. It is also divided if the
// interval is unknown.
void add_shares(std::int64_t interval, ShareClock& clock, const CpuFacts& facts,
                CodeProfile& profile);

}  // namespace prof::analyze
