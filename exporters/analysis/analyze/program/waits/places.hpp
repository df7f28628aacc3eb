// Finds where in the code samples are.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "exporters/analysis/analyze/program/cpu_facts.hpp"
#include "exporters/analysis/insight/intervals.hpp"

namespace prof::analyze {

// Returns "memcpy < update (app.c:33)": the innermost frame of a sample outside of the kernel,
// followed by its callers up to the first function of the user's own code (own_code.hpp), if there
// is one. Empty if the report does not know a function.
std::string place_text(const CodeProfile& profile, events::CallTree::Node node);

// Returns the function of the C library that the sample is in, including the kernel code that it
// called, by the name that programs call: "write". Empty if the innermost frame is elsewhere, or if
// the C library itself called the function. For a Go program it is the system call, if the sample
// is in one.
std::string_view called_function(const CodeProfile& profile, events::CallTree::Node node);

// Returns the Python sample of the thread next to this time, at most two milliseconds away, or
// null.
const CodeProfile::Sample* python_sample_near(const CpuFacts& facts, std::uint32_t thread,
                                              std::int64_t time);

// Returns the sample that shows where a Python thread waited in this call, or null.
const CodeProfile::Sample* python_wait_in(const CpuFacts& facts, const OsCall& call);

// Returns the samples of a thread in [start, end), as a range of profile.samples.
std::span<const CodeProfile::Sample> samples_during(const CodeProfile& profile,
                                                    std::uint32_t thread,
                                                    const insight::Interval& time);

// Divides the time that the thread ran in the interval among the places of its samples. Python
// samples are used if the thread has any there.
void add_places(const CpuFacts& facts, std::uint32_t thread, const insight::Interval& time,
                double running, std::map<std::string, double>& places);

}  // namespace prof::analyze
