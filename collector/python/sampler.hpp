// Samples the Python threads of all traced processes at a fixed frequency, in a thread of the
// collector. Each process writes the address of its interpreter into its slot of the arena.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "collector/python/interpreter.hpp"
#include "collector/spool/session_clock.hpp"
#include "collector/spool/spool.hpp"
#include "common/wire/chunk.hpp"

namespace prof::python {

struct SamplerOptions {
  std::uint32_t frequency = 1000;  // Hz
  // True: look for interpreters at each drain, run no thread before there is one, and use at most a
  // fiftieth of a CPU. With many threads looks become rare, and each counts for several periods.
  // False: look for interpreters at each sample, from the start on.
  bool is_sparing = false;
  bool in_ranges = false;  // sample only inside capture ranges
};

class Sampler {
 public:
  // `arena` outlives the sampler.
  Sampler(const wire::ArenaHeader& arena, const spool::SessionClock& clock,
          const SamplerOptions& options);
  ~Sampler();
  Sampler(const Sampler&) = delete;

  // Adds a process image that has joined. `parent`: the image that it was forked from, whose
  // interpreter it has, or 0.
  void add(std::uint32_t serial, std::uint32_t slot, pid_t pid, std::uint32_t parent);
  // Removes an image that has ended.
  void remove(std::uint32_t serial);

  // Passes the records since the last call to the sink.
  using Sink = std::function<void(const spool::PieceHeader&, std::span<const std::byte>)>;
  void drain(const Sink& sink);

  // Totals of the session, for the report.
  struct Outcome {
    SampleCounts counts;
    std::uint64_t missed = 0;  // samples not taken, because the sample before took too long
    int refused = 0;           // errno for a process that prof may not read; 0: none
  };
  Outcome stop();

  // True if an interpreter to sample was found, or if the sampler looks for one at each sample.
  bool has_started() const { return has_started_; }

 private:
  struct Target {
    pid_t pid = 0;
    std::int64_t added = 0;      // when it was added: CLOCK_MONOTONIC, ns
    std::int64_t next_look = 0;  // next time to look for a libpython that the program loads later
    std::uint32_t slot = 0;
    std::uint32_t parent = 0;
    InterpreterAddress address{};
    std::unique_ptr<Interpreter> interpreter;
    spool::RecordBuffer records;
    std::uint64_t begin = 0;   // begin of the records: time of the first sample
    std::uint32_t offset = 0;  // bytes passed to the sink so far
    bool refused = false;
  };

  void run(const std::stop_token& stop);
  void start();
  void sample_all(std::uint32_t periods);
  bool find_interpreters();
  bool find_interpreter(Target& target);
  static bool find_loaded_interpreter(Target& target);
  void hand_over(std::uint32_t serial, Target& target);

  const wire::ArenaHeader& arena_;
  const spool::SessionClock clock_;
  const SamplerOptions options_;
  bool has_started_ = false;
  std::mutex mutex_;                         // protects all members below
  std::map<std::uint32_t, Target> waiting_;  // targets without an interpreter so far
  std::map<std::uint32_t, Target> targets_;
  struct Piece {
    spool::PieceHeader header;
    std::vector<std::byte> bytes;
  };
  std::vector<Piece> finished_;
  // Interpreters by serial, for children that are forked later.
  std::map<std::uint32_t, InterpreterAddress> addresses_;
  Outcome outcome_;
  std::jthread thread_;
};

}  // namespace prof::python
