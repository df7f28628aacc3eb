// What matters about a recording when its report is compared with another one: the GPUs, the
// versions, the command, and what was recorded and lost.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::recording {

struct Respect {
  std::string_view id;     // a word for programs
  std::string_view title;  // for people
  // True if a recording can have several values at once. Only those that differ are shown then, and
  // no value means that there is none of the kind.
  bool is_list;
};

inline constexpr std::string_view kGpu = "gpu";
inline constexpr std::array kRespects = {Respect{kGpu, "GPU", false},
                                         Respect{"driver", "NVIDIA driver", false},
                                         Respect{"cuda", "CUDA version", false},
                                         Respect{"cpu", "CPU", false},
                                         Respect{"cpus", "number of CPUs", false},
                                         Respect{"profiler", "profiler", false},
                                         Respect{"command", "command", false},
                                         Respect{"iterations", "number of iterations", false},
                                         Respect{"lost", "lost events", true},
                                         Respect{"throttled", "throttled GPUs", true},
                                         Respect{"options", "recording options", true}};

// The values by id of the respect. A respect that the report says nothing about is absent. The
// values are texts of the report, so they are data.
using Recording = std::map<std::string, std::set<std::string>, std::less<>>;

// Opens the report again, because the views of `reader` may select some of the events only.
base::Result<Recording> read_recording(const report::ReportReader& reader);

}  // namespace prof::recording
