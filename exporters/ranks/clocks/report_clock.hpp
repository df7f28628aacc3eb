// What a report says about its clock: readings of the clocks of its machine, and when collective
// operations ended that other ranks took part in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/clocks/machine_clock.hpp"
#include "exporters/ranks/collectives/collective_calls.hpp"
#include "exporters/ranks/collectives/matching.hpp"
#include "exporters/ranks/messages/message_calls.hpp"
#include "exporters/ranks/report_ranks.hpp"

namespace prof::ranks {

// By how much the ends of a kind of operations differ on two ranks, as far as is known before
// looking, in ns: that of a ring of two GPUs.
inline constexpr double kUsualBias = 5'000;

// The operations of a process in one communicator, in their order.
struct CollectiveSequence {
  std::string communicator;  // with the job; equal for all ranks of the communicator
  std::vector<CollectiveEnd> ends;
  double usual_bias = kUsualBias;  // ns
  bool is_mpi = false;
};

// A reading of the wall clock.
struct WallReading {
  std::int64_t time;       // ns, of the report
  std::int64_t realtime;   // ns since the epoch
  std::int64_t max_error;  // ns, by the kernel's word
  bool is_synchronized;
};

struct ReportClock {
  std::string path;
  std::string node;                             // name of the host; empty: unknown
  std::optional<events::MachineClock> machine;  // nothing: the report has a clock of its own
  std::optional<std::int64_t> utc_start;        // wall clock at time 0, ns since the epoch
  std::int64_t duration = 0;                    // ns, of the session; 0: unknown
  std::vector<WallReading> readings;            // in the order of time
  std::vector<CollectiveSequence> sequences;
  std::vector<MessageSequence> messages;
};

// Without `with_collectives`, `sequences` and `messages` are empty, and no event is read.
base::Result<ReportClock> read_report_clock(const report::ReportReader& reader,
                                            const std::vector<ReportRank>& ranks,
                                            bool with_collectives);

// Adds the operations that end on all ranks at nearly the same time.
void add_sequences(const ReportCalls& calls, ReportClock& clock);

}  // namespace prof::ranks
