// What prof uses of libtorch's binary interface to observe operators. prof is built without
// PyTorch: functions are found by name, and what is at which place in memory by a test
// (layout_finder.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::python {

// c10::IValue: an argument.
struct Value {
  std::uint64_t payload;  // a number, or the address of an object
  std::uint32_t tag;      // its type
  std::uint32_t padding;
};

// at::ObserverContext. PyTorch deletes what a callback returns through the table of its virtual
// functions, which are two destructors. The only object of prof is static: nothing has to be done.
struct Context {
  void (*const* destructors)(Context*);
};

// std::unique_ptr<at::ObserverContext>. Its destructor is not trivial, so that a function returns
// it in memory, as PyTorch expects.
struct ContextPointer {
  explicit ContextPointer(Context* context) : context(context) {}
  ContextPointer(const ContextPointer&) = delete;
  ContextPointer& operator=(const ContextPointer&) = delete;
  ~ContextPointer() {}  // NOLINT(modernize-use-equals-default)
  Context* context;
};

// at::RecordFunctionCallback. operators.py compares PyTorch's header with this layout before it is
// used.
inline constexpr std::size_t kScopes = 10;
enum Scope : std::size_t {
  kFunction = 0,
  kBackwardFunction = 1,
  kScriptFunction = 2,
  kCustomClass = 4,
  kUserScope = 7,
  kStaticRuntimeOperator = 8,
  kStaticRuntimeModel = 9,
};
struct Callback {
  ContextPointer (*start)(const void* function);
  void (*end)(const void* function, Context* context);
  double probability = 1;
  bool scopes[kScopes] = {};
  bool needs_inputs = true;
  bool needs_outputs = false;
  bool needs_ids = false;
};
static_assert(sizeof(Callback) == 40);

// The functions of at:: and at::RecordFunction.
struct TorchFunctions {
  std::uint64_t (*add_global_callback)(Callback callback);
  std::uint64_t (*add_thread_callback)(Callback callback);
  void (*remove_callback)(std::uint64_t handle);
  const char* (*name)(const void* function);
  bool (*is_async)(const void* function);
  std::uint64_t (*thread)();  // PyTorch's number of the calling thread
};

// Where things are. The offsets are in bytes.
struct TorchLayout {
  // in at::RecordFunction
  std::size_t inputs;          // address of the first argument, then their number
  std::size_t sequence;        // -1: none
  std::size_t forward_thread;  // of a node of the backward pass; 0: unknown
  // in c10::detail::ListImpl
  std::size_t list;  // address of the first element, then that after the last one
  // in c10::TensorImpl
  std::size_t sizes;    // number of dimensions, then five sizes and five strides, or their address
  std::size_t type;     // 16 bits
  std::uint64_t dense;  // the first word of an ordinary tensor: its virtual functions
  // of Value
  std::uint32_t tensor_tag;
  std::uint32_t integer_tag;
  std::uint32_t number_tag;
  std::uint32_t flag_tag;
  std::uint32_t list_tag;
  std::uint32_t none_tag;
};
inline constexpr std::size_t kInlineDimensions = 5;

inline std::uint64_t word_at(const void* object, std::size_t offset) {
  return *reinterpret_cast<const std::uint64_t*>(static_cast<const char*>(object) + offset);
}

}  // namespace prof::python
