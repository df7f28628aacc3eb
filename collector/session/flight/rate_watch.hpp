// Detects that something happens less often than it should.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "collector/session/flight/trigger.hpp"

namespace prof::session {

class RateWatch {
 public:
  explicit RateWatch(const FlightTrigger& trigger) : trigger_(trigger) {}

  // Adds an occurrence; `time`: ns.
  void add(std::uint64_t time);

  // What was wrong at `now`. It is returned once, until the rate is right again.
  struct Fall {
    double rate;     // per second
    double seconds;  // length of the window
    double usual;    // per second, or the limit
  };
  std::optional<Fall> check(std::uint64_t now);

 private:
  // Returns whether another bucket is complete. All events before `now` have been drained.
  bool close_buckets(std::uint64_t now);
  std::uint64_t sum(std::size_t end, std::size_t length) const;
  // Returns the usual number in `length` buckets, or nothing if it is not known yet.
  std::optional<double> usual(std::size_t length) const;
  std::optional<Fall> fall() const;

  FlightTrigger trigger_;
  std::uint64_t first_ = 0;  // time of the first bucket; 0: no occurrence yet
  std::deque<std::uint32_t> buckets_;
  std::size_t closed_ = 0;  // number of complete buckets
  bool has_fired_ = false;
};

}  // namespace prof::session
