// The collective operations of a job: which calls of its ranks are the same operation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/ranks/clocks/alignment.hpp"
#include "exporters/ranks/clocks/clocks.hpp"
#include "exporters/ranks/collectives/collective_calls.hpp"
#include "exporters/ranks/delays/own_times.hpp"
#include "exporters/ranks/messages/message_calls.hpp"
#include "exporters/ranks/messages/message_matching.hpp"
#include "exporters/ranks/report_ranks.hpp"

namespace prof::ranks {

// What one report adds: its ranks, their calls, and its clock.
struct ReportPart {
  std::string path;
  std::vector<ReportRank> ranks;
  ReportCalls calls;
  ReportMessages messages;
  ReportClock clock;
  OwnTimes times;  // empty if only the calls were read
};

enum class PartDetails : bool { kCalls, kOwnTimes };
base::Result<ReportPart> read_part(const report::ReportReader& reader,
                                   const std::vector<ReportRank>& ranks,
                                   PartDetails details = PartDetails::kCalls);

// A rank that takes part in collective operations or exchanges messages.
struct JobRank {
  std::size_t report;  // index of its part
  Unit unit;           // each has a rank: without one in the reports, they are counted from 0
  std::int64_t attempt;
  std::int64_t global_pid;
  ProcessTimes times;  // with PartDetails::kOwnTimes
};

// A sequence of calls, with the rank that made them.
struct JobSequence {
  std::size_t report;             // index of its part
  std::size_t rank;               // index into JobCollectives::ranks
  CallSequence of;                // times of its report
  std::vector<CauseTimes> times;  // of each call, with PartDetails::kOwnTimes
};

// A rank's call: JobCollectives::sequences[sequence].of.calls[call].
struct MatchedCall {
  std::uint32_t sequence;
  std::uint32_t call;
};

// An operation, with the calls of at least two ranks, at most one of each sequence.
struct MatchedCollective {
  std::vector<MatchedCall> calls;
};

struct MatchedCommunicator {
  std::vector<std::uint32_t> sequences;        // of the ranks that take part
  std::vector<MatchedCollective> collectives;  // in their order
  std::size_t unmatched = 0;                   // calls that no other rank has
};

// The messages between two ranks, as one of them saw them.
struct JobMessages {
  std::size_t report;  // index of its part
  std::size_t rank;    // index into JobCollectives::ranks
  MessageSequence of;  // times of its report
};

struct JobCollectives {
  std::vector<JobRank> ranks;  // by rank and attempt
  std::vector<JobSequence> sequences;
  std::vector<MatchedCommunicator> communicators;
  std::vector<JobMessages> messages;
  std::vector<MatchedDirection> directions;  // of messages
  std::size_t unknown_messages = 0;          // whose sender or receiver is unknown
  std::vector<std::string> paths;            // of the reports
  std::vector<MachineEstimate> machines;
  Alignment alignment;
  std::size_t without_kernel = 0;  // calls of NCCL whose kernels were not recorded

  const RankCall& call(const MatchedCall& of) const {
    return sequences[of.sequence].of.calls[of.call];
  }
};

// Matches the calls of any number of ranks. A rank may have begun to record later, and may have
// lost events. Without a `clock` that is known, the parts say how their clocks compare.
JobCollectives match_job(std::vector<ReportPart> parts, const CommonClock& clock = {});

// When the ranks came to an operation, in ns. Nothing is known of an operation that does not end
// together on ranks whose clocks cannot be compared.
struct Arrivals {
  std::vector<std::int64_t> waits;  // of each call of the operation: until the last rank came
  std::size_t last = 0;             // index of the call that came last
  std::int64_t skew = 0;            // from the first arrival to the last one
  std::int64_t transfer = 0;        // from the last arrival to the end
};
std::optional<Arrivals> arrivals_of(const JobCollectives& job, const MatchedCollective& collective);

}  // namespace prof::ranks
