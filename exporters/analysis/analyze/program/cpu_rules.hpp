// Findings about what a program does on CPUs. A rule reads the facts and returns its finding, if
// there is one. Its time at stake is a sum of shares (see cpu_facts.hpp), in ns.
#pragma once

#include <optional>
#include <span>

#include "exporters/analysis/analyze/findings/finding.hpp"
#include "exporters/analysis/analyze/program/cpu_facts.hpp"

namespace prof::analyze {

// The facts are not const, because texts are read on demand.
using CpuRule = std::optional<Finding>(CpuFacts& facts);

struct NamedCpuRule {
  const char* name;
  CpuRule* run;
  // Minimum time at stake in ns. A shorter time is not worth a change, and samples say little about
  // it.
  std::int64_t min_at_stake = 20'000'000;
  // An earlier rule that finds the cause of what this rule finds. If at least half of the time is
  // at stake there, that finding stands for both.
  CpuRule* cause = nullptr;
};
std::span<const NamedCpuRule> cpu_rules();  // cpu_diagnosis.cpp

CpuRule hot_function, hot_python_function;  // rules/hot_code.cpp
CpuRule python_imports;                     // rules/python_imports.cpp
CpuRule interpreter_lock;                   // rules/interpreter_lock.cpp
CpuRule memory_mapping;                     // rules/memory_mapping.cpp
CpuRule too_few_cpus, uneven_threads;       // rules/threads.cpp
CpuRule short_processes;                    // rules/short_processes.cpp
CpuRule thread_creation;                    // rules/thread_creation.cpp
CpuRule heap_allocation;                    // rules/heap_allocation.cpp
CpuRule big_messages;                       // rules/big_messages.cpp
CpuRule exceptions;                         // rules/exceptions.cpp
CpuRule openmp_imbalance, openmp_oversubscribed, openmp_serial, openmp_tiny_regions,
    openmp_locks;  // rules/openmp.cpp
CpuRule gfx_pipeline_hitch, gfx_stutter, gfx_present_stall,
    gfx_submit_bound;  // rules/frames.cpp
// The following rules are in waits/.
CpuRule lock_waits;                                          // locks.cpp
CpuRule small_transfers, many_system_calls;                  // short_calls.cpp
CpuRule disk_flush, file_waits, network_waits, input_waits;  // file_waits.cpp
CpuRule sleeping, polling;                                   // sleeping.cpp
CpuRule spinning, failing_accept;                            // busy_waits.cpp
CpuRule child_processes;                                     // children.cpp
CpuRule event_loop_blocked;                                  // event_loop_blocked.cpp

// Returns the longest period of this activity, of one thread or of all threads. Nothing if there is
// none.
std::optional<Where> longest_period(const CpuFacts& facts, Activity activity,
                                    std::uint32_t thread = CpuFacts::kNone);
std::optional<Where> where_of(const CpuFacts& facts,
                              const OsCall* call);  // nothing if `call` is null

// True if mostly other programs, or a limit of CPU time, keep threads from running that could run.
bool is_cpu_taken_by_others(const CpuFacts& facts);  // rules/threads.cpp

// Returns what the report lacks, with the options that record it.
std::vector<std::string> not_recorded(const CpuFacts& facts);
Verdict cpu_verdict(const CpuFacts& facts);
Diagnosis diagnose_cpus(CpuFacts& facts);

}  // namespace prof::analyze
