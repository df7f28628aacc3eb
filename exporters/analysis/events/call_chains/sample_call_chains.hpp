// Visits the call chains of samples.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/call_chains/code_frames.hpp"
#include "exporters/analysis/events/call_chains/samples.hpp"

namespace prof::events {

// Receives the samples of one chain and its frames, innermost first. Samples without a chain have a
// placeholder frame.
using VisitCallChain =
    std::function<void(std::span<const Sample> samples, std::span<const std::uint32_t> frames)>;

// Visits every sample once. If the rows of the chains are not in order, `restart` is called and all
// visits are repeated. `restart` has to undo the previous visits.
base::Status for_each_call_chain(const report::ReportReader& reader, SampleKind kind,
                                 const Samples& samples, CodeFrames& code,
                                 const VisitCallChain& visit, const std::function<void()>& restart);

}  // namespace prof::events
