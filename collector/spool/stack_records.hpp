// Call chains in the spool: a tree in which each frame is a node that refers to its caller. The
// chains of a thread share most of their nodes. docs/wire-format.md describes the layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace prof::spool {

// Numbers of modules that have no note.
inline constexpr std::uint32_t kNoModule = 0;      // prof does not know what was mapped there
inline constexpr std::uint32_t kKernelModule = 1;  // the kernel
inline constexpr std::uint32_t kFirstModule = 2;

// The address is that of the interrupted instruction. Without the flag it is a return address.
inline constexpr std::uint8_t kExactAddress = 1;
// These marks are not frames, but remarks about the outer end of the chain. They have no caller.
inline constexpr std::uint8_t kMaxDepthMark = 2;  // the chain has more frames
inline constexpr std::uint8_t kBrokenMark = 4;    // unwinding failed here
// Code of a JIT compiler. The function's name is found by the address.
inline constexpr std::uint8_t kJitCode = 8;

// Nodes are numbered from 1 in the order of their definition.
struct StackNode {
  std::uint32_t caller;  // node with a lower number; 0: none
  std::uint32_t module;
  std::uint64_t address;  // address in the process
  std::uint64_t offset;   // offset in the module's file
  std::uint8_t method;    // number of ENUM_STACK_UNWIND_METHOD
  std::uint8_t flags;
  std::uint16_t reserved1;
  std::uint32_t reserved2;

  bool operator==(const StackNode&) const = default;
};
static_assert(sizeof(StackNode) == 32 && std::is_trivially_copyable_v<StackNode>);

// The nodes of this piece and of later ones do not refer to earlier nodes.
inline constexpr std::uint32_t kNewGeneration = 1;

// Header before a run of nodes.
struct StackPieceHeader {
  std::uint32_t first;  // number of the first node
  std::uint32_t flags;
};
static_assert(sizeof(StackPieceHeader) == 8);

struct StackPiece {
  StackPieceHeader header;
  std::span<const std::byte> nodes;
};

}  // namespace prof::spool
