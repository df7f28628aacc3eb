// Makes a report of records, as if two threads of two processes had written them.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <span>
#include <string>

#include "collector/ingest/report_builder.hpp"

namespace prof::fuzz {

// Process 17 is forked from process 16.
inline spool::Spool recording(std::span<const std::byte> first, std::span<const std::byte> second) {
  spool::Spool spool;
  spool.notes.add(spool::SessionNote{.tick_rate = 2e9, .gpus = {"0000:00:00.0"}});
  spool.notes.add(spool::ProcessNote{.serial = 16, .pid = 5, .own_pid = 5, .time = 7, .name = "a"});
  spool.notes.add(spool::ProcessNote{.serial = 17, .parent_serial = 16, .pid = 6, .own_pid = 6});
  spool.notes.add(spool::EndNote{});
  spool.clocks = {{1000, 1000, 1000}, {3000, 2000, 2000}, {9000, 5000, 5000}};
  spool.pieces = {{{16, 5, 1, 0, 0}, first}, {{17, 6, 2, 0, 0}, second}};
  spool.record_bytes = first.size() + second.size();
  return spool;
}

inline void make_report(const spool::Spool& spool) {
  static const std::string path = "/dev/shm/prof-fuzz-" + std::to_string(getpid()) + ".db";
  auto writer = report::ReportWriter::create(path, true);
  if (!writer) __builtin_trap();
  const auto windows = ingest::report_windows(spool);
  if (!windows || !ingest::build_report(spool, **writer, path, {})) __builtin_trap();
  if (!(*writer)->finish()) __builtin_trap();
  unlink(path.c_str());
}

}  // namespace prof::fuzz
