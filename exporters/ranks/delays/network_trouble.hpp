// What network interfaces counted while transfers were slow.
#pragma once

#include <string>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/insight/intervals.hpp"

namespace prof::ranks {

struct NetworkTrouble {
  double lost = 0;         // packets that were dropped, sent again or damaged
  double lost_in_all = 0;  // the same, of the whole report
  double waits = 0;        // ticks in which a port could not send
  std::string text;        // "Network eth0 counts 120 rx_dropped"; empty without any
};

// Sums up the counters of --enable=network_interface and efa_metrics whose samples are of these
// times. `times` is sorted.
base::Result<NetworkTrouble> network_trouble(const report::ReportReader& reader,
                                             const insight::Intervals& times);

}  // namespace prof::ranks
