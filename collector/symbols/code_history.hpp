// Which code was at an address at a time, where code comes and goes: of JIT compilers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>

namespace prof::symbols {

class CodeHistory {
 public:
  // From `time` on there is that code, and what it overlaps is gone; `value` is the caller's. Comes
  // in the order of times, more or less.
  void add(std::uint64_t address, std::uint64_t size, std::uint64_t time, std::uint32_t value);
  void end(std::uint64_t address, std::uint64_t size, std::uint64_t time);
  void end_all(std::uint64_t time);

  // Of an address where nothing was before the first code came, that counts for earlier times too:
  // a compiler may tell of code after it has run for the first time.
  std::optional<std::uint32_t> find(std::uint64_t address, std::uint64_t time) const;

  // Lets go of what ended before.
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
