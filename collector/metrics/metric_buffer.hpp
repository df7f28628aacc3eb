// Output of the sources of metrics, until the collector moves it to the spool. Sources run on other
// threads, but the spool has one writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collector/spool/notes.hpp"

namespace prof::metrics {

// Returns the time for a sample that is taken now: CLOCK_MONOTONIC_RAW, ns.
std::uint64_t now();

class MetricBuffer {
 public:
  struct Remark {
    spool::Severity severity;
    std::string text;  // whole sentences for DIAGNOSTIC_EVENT
  };
  struct Piece {
    spool::MetricPieceHeader header;
    std::vector<std::byte> bytes;
  };
  struct Content {
    std::vector<spool::MetricSourceNote> groups;
    std::vector<Piece> pieces;
    std::vector<Remark> remarks;
    std::vector<spool::SystemFact> facts;
  };

  // Describes counters that are sampled together, at most kMaxCounters of them. Returns the number
  // of the group. Fills in its id, and this thread as the one that samples if none is named.
  std::uint32_t define(spool::MetricSourceNote group);

  // Adds a sample of a group, with a value for each of its counters. Bit i of `missing`: counter i
  // has no value.
  void add(std::uint32_t group, std::uint64_t time, std::span<const spool::MetricValue> values,
           std::uint64_t missing = 0);
  void add(std::uint32_t group, std::uint64_t time,
           std::initializer_list<spool::MetricValue> values) {
    add(group, time, std::span(values.begin(), values.size()));
  }

  // Adds samples that are already in the spool's format, with `values` in each.
  void add_samples(std::uint32_t group, std::uint32_t values, std::span<const std::byte> bytes);

  // Adds a remark for the report. A remark that is not just information also goes to stderr.
  void remark(spool::Severity severity, std::string text);

  // Adds a row for TARGET_INFO_SYSTEM_ENV.
  void fact(spool::SystemFact fact);

  // Removes and returns what was added since the last call.
  Content take();

 private:
  std::vector<std::byte>& bytes_of(std::uint32_t group, std::uint32_t values);

  std::mutex mutex_;
  std::uint32_t groups_ = 0;
  Content content_;
};

}  // namespace prof::metrics
