// How to get from a frame to its caller, as call frame information says it for one instruction.
#pragma once

#include <cstdint>
#include <vector>

#include "collector/unwind/expression.hpp"
#include "collector/unwind/registers.hpp"

namespace prof::unwind {

// Where the caller's value of a register is. CFA: the canonical frame address, which on x86-64 is
// the caller's stack pointer.
enum class Place : std::uint8_t {
  kUnknown,         // lost
  kSame,            // still in the register
  kAtCfa,           // in memory at CFA + value
  kCfaPlus,         // it is CFA + value
  kRegister,        // in register `value`
  kAtExpression,    // in memory at what an expression yields
  kExpressionValue  // what an expression yields
};

struct RegisterRule {
  std::uint8_t index = 0;
  Place place = Place::kUnknown;
  std::uint8_t length = 0;  // of an expression
  std::int32_t value = 0;   // of an expression: where it begins among all operations
};

// Registers without a rule follow the ABI: callee-saved ones are unchanged, others lost.
struct FrameRules {
  std::int32_t cfa_value = 0;  // CFA = register + value, or an expression's beginning
  std::uint8_t cfa_register = 0;
  std::uint8_t cfa_length = 0;  // of the expression; 0: register + value
  std::uint8_t rule_count = 0;
  bool is_usable = false;        // false: there is no call frame information here
  bool is_signal_frame = false;  // the caller was interrupted: its address is not a return address
  bool is_outermost = false;     // there is no caller
  bool is_debug_frame = false;   // from .debug_frame, not .eh_frame
  std::uint32_t first_rule = 0;
};

// What holds for the instructions from the one that was asked for up to `end`.
struct FrameRow {
  std::uint64_t end = 0;
  FrameRules rules;
  std::vector<RegisterRule> registers;
  std::vector<Operation> operations;  // that `rules` and `registers` refer to
};

}  // namespace prof::unwind
