// Call frame information for one instruction: how to get from a frame to its caller.
#pragma once

#include <cstdint>
#include <vector>

#include "common/code/unwind/expression.hpp"
#include "common/code/unwind/registers.hpp"

namespace prof::unwind {

// Where the caller's value of a register is. CFA is the canonical frame address, which is the
// caller's stack pointer.
enum class RuleKind : std::uint8_t {
  kUnknown,         // nowhere
  kSame,            // still in the register
  kAtCfa,           // in memory at CFA + value
  kCfaPlus,         // the value is CFA + value
  kRegister,        // in register `value`
  kAtExpression,    // in memory at the result of an expression
  kExpressionValue  // the result of an expression
};

struct RegisterRule {
  std::uint8_t index = 0;
  RuleKind place = RuleKind::kUnknown;
  std::uint8_t length = 0;  // operations of the expression
  std::int32_t value = 0;   // for an expression: the index of its first operation
};

// The rules of one instruction. Registers without a rule follow the ABI: callee-saved ones are
// unchanged, others unknown.
struct FrameRules {
  std::int32_t cfa_value = 0;  // CFA = register + value, or an expression's first operation
  std::uint8_t cfa_register = 0;
  std::uint8_t cfa_length = 0;  // operations of the expression; 0: register + value
  std::uint8_t rule_count = 0;
  bool is_usable = false;        // false: no call frame information
  bool is_signal_frame = false;  // the caller was interrupted, so its address is exact
  bool is_outermost = false;     // there is no caller
  bool is_debug_frame = false;   // from .debug_frame, not .eh_frame
  std::uint32_t first_rule = 0;
};

// The rules that hold from the address of the look-up up to `end`.
struct FrameRow {
  std::uint64_t end = 0;
  FrameRules rules;
  std::vector<RegisterRule> registers;
  std::vector<Operation> operations;  // referred to by `rules` and `registers`
};

}  // namespace prof::unwind
