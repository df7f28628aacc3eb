// Claims about a report, as somebody writes them: "kernel('gemm*').total > 3 ms".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/base/result.hpp"

namespace prof::claims {

enum class Unit { kNone, kTime, kBytes };  // times are in ns, shares are numbers from 0 to 1

// Events with a name that fits a pattern of SQLite's GLOB.
struct Events {
  std::string kind;  // "kernel", "range", "call", "copy"
  std::string pattern = "*";
};

// What a claim is about.
struct Quantity {
  enum class Kind {
    kRule,      // a number of a finding
    kEvents,    // a number of events
    kTime,      // the analyzed time
    kDuration,  // of the session
    kIteration,
    kGpuMemory,
    kNewFinding,  // of gates: findings that no report of the base has
  };
  Kind kind = Kind::kTime;
  std::string rule = {};  // of kNewFinding also "any"
  Events events = {};
  std::string number = {};  // "share", "total", "count", …
};

enum class Relation { kLess, kAtMost, kGreater, kAtLeast, kEqual, kDifferent, kBetween };

struct Claim {
  enum class Kind { kComparison, kCause, kOrder };
  std::string text;  // as it was written
  Kind kind = Kind::kComparison;
  Quantity quantity = {};  // of a comparison
  Relation relation = Relation::kEqual;
  double number = 0;
  double second = 0;             // of kBetween: the larger one
  Unit unit = Unit::kNone;       // of the numbers, as they were written
  std::string cause = {};        // of kCause: a rule
  Events first = {}, then = {};  // of kOrder
};

// Errors say which word was expected where.
base::Result<Claim> parse_claim(std::string_view text);

// The words for kinds of events: "kernel".
std::span<const std::string_view> event_kinds();

// Returns the unit of a quantity.
Unit unit_of(const Quantity& quantity);

}  // namespace prof::claims
