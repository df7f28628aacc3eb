// Groups OS-runtime calls by function and caller.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "exporters/analysis/analyze/findings/finding.hpp"
#include "exporters/analysis/analyze/program/cpu_facts.hpp"

namespace prof::analyze {

// The calls of one function from one place.
struct CallSite {
  std::int64_t name = 0;  // StringIds.id of the function
  std::string caller;     // "function (file:line)"; empty: unknown
  std::int64_t count = 0;
  double share = 0;                   // ns of the program's time
  double running = 0;                 // ns, the part of `share` on a CPU
  std::vector<std::int64_t> lengths;  // ns
  std::int64_t sized = 0;             // number of calls with a known number of bytes
  std::int64_t bytes = 0;
  std::map<std::uint32_t, double> threads;  // shares by thread
  std::map<std::uint32_t, double> files;    // shares by file, in CpuFacts::files
  // The number of calls by Python place, if the call chains do not show it: where the thread waited
  // in the calls, or where samples next to the calls are.
  std::map<std::string, double> python_places;
  bool has_python_waits = false;         // python_places are places of waits
  bool caller_is_of_long_calls = false;  // short calls have no call chains
  const OsCall* longest = nullptr;       // points into CpuFacts::calls
  bool caller_is_of_most_calls = false;  // the caller of the other calls is unknown

  std::int64_t median() const;
  void add(const CallSite& more);  // `more` must be of the same function
};

// Returns the function and the code that called it: "fsync called from save (db.py:31)", with the
// innermost Python function if there is one. Returns "fsync" if the caller is unknown.
std::string call_text(CpuFacts& facts, const OsCall& call);

// Groups the calls that `fits` accepts, without nested ones. The site with the largest share comes
// first.
std::vector<CallSite> call_sites(CpuFacts& facts, const std::function<bool(const OsCall&)>& fits);

// Groups the calls in which threads were blocked. Only the periods that `fits` accepts count.
std::vector<CallSite> wait_sites(CpuFacts& facts,
                                 const std::function<bool(const Period&, const OsCall&)>& fits);

// Tells a finding which calls it is about.
void add_calls(const std::vector<CallSite>& sites, Finding& finding);

double share_of(const std::vector<CallSite>& sites);
std::int64_t count_of(const std::vector<CallSite>& sites);

// Returns "1,200 calls of fsync, median 1.2 ms, called from save (db.c:31), by thread writer, of
// /tmp/x".
std::string site_text(const CpuFacts& facts, const CallSite& site);
// Returns the texts of the first sites. Sites with less than a tenth of the time are left out; then
// the text says how many calls these made.
std::string sites_text(const CpuFacts& facts, const std::vector<CallSite>& sites);

// Returns the key with the largest value, or null.
template <class Key>
const Key* key_of_most(const std::map<Key, double>& values) {
  const Key* most = nullptr;
  double value = 0;
  for (const auto& [key, each] : values)
    if (most == nullptr || each > value) {
      most = &key;
      value = each;
    }
  return most;
}

}  // namespace prof::analyze
