// Records which code was at which address at which time. JIT compilers load and replace code all
// the time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>

namespace prof::symbols {

class CodeHistory {
 public:
  // Adds code from `time` on and ends the code that it overlaps. Only the caller interprets
  // `value`. Calls come roughly in the order of time.
  void add(std::uint64_t address, std::uint64_t size, std::uint64_t time, std::uint32_t value);
  void end(std::uint64_t address, std::uint64_t size, std::uint64_t time);
  void end_all(std::uint64_t time);

  // Returns the value of the code at an address. The first code at an address counts for earlier
  // times too, because a compiler may report code after it first ran.
  std::optional<std::uint32_t> find(std::uint64_t address, std::uint64_t time) const;

  // Releases code that ended before `time`.
  void forget_before(std::uint64_t time);

  bool is_empty() const { return live_.empty() && ended_.empty(); }
  std::size_t size() const { return live_.size() + ended_.size(); }

 private:
  struct Code {
    std::uint64_t size = 0;
    std::uint64_t from = 0, until = std::numeric_limits<std::uint64_t>::max();
    std::uint32_t value = 0;
  };
  using Live = std::map<std::uint64_t, Code>;
  Live::iterator first_overlap(std::uint64_t address);
  std::optional<std::uint32_t> find_ended(std::uint64_t address, std::uint64_t time,
                                          const Code* later) const;

  Live live_;                                 // by address, without overlaps
  std::multimap<std::uint64_t, Code> ended_;  // by address
  std::uint64_t longest_ended_ = 0;
};

}  // namespace prof::symbols
