// --runs: records a program several times, into a report each.
#pragma once

#include <string>
#include <vector>

namespace prof::cli {

inline constexpr int kMaxRuns = 1'000;

// Runs prof profile `runs` times with these words of its command line, without --runs, and waits
// for each. Report number 2 of "bench.db" is bench_2.db. Returns the first exit status that is not
// 0. Stops if a signal ends prof.
int profile_repeatedly(int runs, const std::vector<std::string>& words, const std::string& output,
                       const std::vector<std::string>& command);

// Returns "bench_2.db" for "bench.db".
std::string output_of_run(const std::string& output, int run);

}  // namespace prof::cli
