// Offsets of the fields in CPython's data structures that are needed to read a call chain, for each
// version. The target uses them on its own memory, the collector on memory of another process.
//
// From 3.13 on the interpreter publishes the offsets (_Py_DebugOffsets, at the beginning of
// _PyRuntime). Those of older versions are listed here. They did not change within a minor version
// after its release.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace prof::python_frames {

// Offsets in bytes. In a field marked optional, 0 means that the version has no such field.
struct PythonLayout {
  std::uint16_t version;        // major << 8 | minor; 0: not a version that prof can read
  std::uint32_t frame_holder;   // thread state -> current frame, or the holder that points to it
  std::uint32_t holder_frame;   // holder -> current frame; kNoHolder: there is no holder
  std::uint32_t frame_back;     // frame -> its caller
  std::uint32_t frame_code;     // -> code object
  std::uint32_t frame_instr;    // -> current position, see instr
  std::uint32_t frame_owner;    // u8; optional
  std::uint32_t frame_entry;    // u8: the interpreter was called for it; optional
  std::uint32_t frame_tlbc;     // index of the thread's copy of the bytecode; optional
  std::uint32_t object_type;    // object -> its type
  std::uint32_t code_name;      // -> text
  std::uint32_t code_qualname;  // -> text; optional
  std::uint32_t code_file;      // -> text
  std::uint32_t code_first_line;
  std::uint32_t code_lines;     // -> bytes: lnotab, line table or location table
  std::uint32_t code_bytecode;  // the instructions themselves
  std::uint32_t code_tlbc;      // -> copies of the bytecode by thread; optional
  std::uint32_t bytes_length;
  std::uint32_t bytes_data;
  std::uint32_t text_length;  // the hash follows it
  std::uint32_t text_state;
  std::uint32_t text_ascii;  // data of an ASCII text
  std::uint32_t text_other;  // data of any other text
  std::uint32_t runtime_finalizing;
  std::uint32_t runtime_interpreters;  // -> first interpreter
  std::uint32_t interpreter_next;
  std::uint32_t interpreter_threads;  // -> first thread state
  std::uint32_t thread_next;
  std::uint32_t thread_native_id;  // id that gettid() returns; optional
  std::uint32_t thread_id;         // pthread_t
  std::uint32_t thread_status;     // u32, with kPythonActive; optional
  std::uint32_t runtime_current;   // -> thread state with the lock of all interpreters; optional

  // The unit of frame_instr.
  enum class Instr : std::uint8_t {
    kByte,     // i32: offset in the bytecode
    kIndex,    // i32: number of a two-byte instruction
    kPointer,  // address of an instruction
  };
  Instr instr;
};

inline constexpr std::uint32_t kNoHolder = 0xffffffff;
// A bit of thread_status: the thread runs with this state.
inline constexpr std::uint32_t kPythonActive = 1 << 4;

inline constexpr std::uint8_t kPythonFirstShim =
    3;  // this and higher owners: the frame is not of a function

constexpr std::uint16_t python_version(unsigned major, unsigned minor) {
  return static_cast<std::uint16_t>(major << 8 | minor);
}

namespace detail {

// The offsets that are the same from 3.9 to 3.12.
constexpr PythonLayout common_python() {
  PythonLayout l{};
  l.object_type = 8;
  l.bytes_length = 16;
  l.bytes_data = 32;
  l.text_length = 16;
  l.text_state = 32;
  l.text_ascii = 48;
  l.text_other = 72;
  l.thread_next = 8;
  return l;
}

// The layout of 3.9 and 3.10, where frames are heap objects.
constexpr PythonLayout python_3_9() {
  PythonLayout l = common_python();
  l.version = python_version(3, 9);
  l.frame_holder = 24;
  l.holder_frame = kNoHolder;
  l.frame_back = 24;
  l.frame_code = 32;
  l.frame_instr = 104;
  l.instr = PythonLayout::Instr::kByte;
  l.code_name = 112;
  l.code_file = 104;
  l.code_first_line = 40;
  l.code_lines = 120;
  l.runtime_finalizing = 16;
  l.runtime_interpreters = 32;
  l.interpreter_threads = 8;
  l.thread_id = 176;
  l.runtime_current = 568;
  return l;
}

constexpr PythonLayout python_3_10() {
  PythonLayout l = python_3_9();
  l.version = python_version(3, 10);
  l.frame_instr = 96;
  l.instr = PythonLayout::Instr::kIndex;
  return l;
}

// The layout from 3.11 on, where frames lie in a stack of the thread or in their generator.
constexpr PythonLayout python_3_11() {
  PythonLayout l = common_python();
  l.version = python_version(3, 11);
  l.frame_holder = 56;
  l.holder_frame = 8;
  l.frame_back = 48;
  l.frame_code = 32;
  l.frame_instr = 56;
  l.frame_owner = 69;
  l.frame_entry = 68;
  l.instr = PythonLayout::Instr::kPointer;
  l.code_name = 120;
  l.code_qualname = 128;
  l.code_file = 112;
  l.code_first_line = 72;
  l.code_lines = 136;
  l.code_bytecode = 184;
  l.runtime_finalizing = 24;
  l.runtime_interpreters = 40;
  l.interpreter_threads = 16;
  l.thread_id = 152;
  l.thread_native_id = 160;
  l.runtime_current = 576;
  return l;
}

constexpr PythonLayout python_3_12() {
  PythonLayout l = python_3_11();
  l.version = python_version(3, 12);
  l.frame_entry = 0;
  l.holder_frame = 0;
  l.frame_back = 8;
  l.frame_code = 0;
  l.frame_owner = 70;
  l.code_first_line = 68;
  l.code_bytecode = 192;
  l.text_ascii = 40;
  l.text_other = 56;
  l.interpreter_threads = 72;
  l.thread_id = 136;
  l.thread_native_id = 144;
  l.runtime_current = 0;
  l.thread_status = 24;
  return l;
}

}  // namespace detail

// Decodes the bit field at text_state. Its position in the word depends on the build, so the
// position is taken at which the bits are plausible.
struct PythonTextState {
  std::uint32_t width = 0;  // bytes of a character; 0: not a text that prof can read
  bool ascii = false;

  explicit constexpr PythonTextState(std::uint32_t word) {
    constexpr unsigned kInternedBits[] = {2, 8};
    for (const unsigned interned_bits : kInternedBits) {
      const std::uint32_t bits = word >> interned_bits;
      const std::uint32_t kind = bits & 7;
      const bool compact = (bits >> 3 & 1) != 0;
      if (!compact || (kind != 1 && kind != 2 && kind != 4)) continue;
      width = kind;
      ascii = (bits >> 4 & 1) != 0;
      return;
    }
  }
};

// Returns the layout of a version that does not publish its offsets. PythonLayout::version is 0 if
// the version is not known.
constexpr PythonLayout python_layout(std::uint16_t version) {
  switch (version) {
    case python_version(3, 9):
      return detail::python_3_9();
    case python_version(3, 10):
      return detail::python_3_10();
    case python_version(3, 11):
      return detail::python_3_11();
    case python_version(3, 12):
      return detail::python_3_12();
    default:
      return {};
  }
}

// The number of 8-byte words at the beginning of _PyRuntime of 3.13 and 3.14: a cookie, the version
// in the form of PY_VERSION_HEX, whether it is free-threaded, then groups of offsets that each
// begin with a size. The meaning of each word depends on the version.
inline constexpr std::size_t kPythonOffsetWords = 84;
inline constexpr std::uint64_t kLargestPythonOffset = 1 << 24;
inline constexpr char kPythonCookie[] = "xdebugpy";

namespace detail {

// The positions of the groups in a version, and whether it has the newer fields.
struct PythonOffsetWords {
  std::size_t interpreter, thread, frame, code, object, bytes, text;
  bool has_tlbc;  // copies of the bytecode by thread, in free-threaded builds
};

inline constexpr PythonOffsetWords kPython13{6, 19, 28, 34, 44, 64, 67, false};
inline constexpr PythonOffsetWords kPython14{6, 22, 31, 39, 50, 74, 77, true};

}  // namespace detail

// Returns the layout that these words publish. PythonLayout::version is 0 if prof cannot read them.
inline PythonLayout python_layout(const std::uint64_t (&words)[kPythonOffsetWords]) {
  if (std::memcmp(words, kPythonCookie, 8) != 0) return {};
  const auto version = static_cast<std::uint16_t>(words[1] >> 16);
  const bool is_13 = version == python_version(3, 13);
  if (!is_13 && version != python_version(3, 14)) return {};
  const detail::PythonOffsetWords& at = is_13 ? detail::kPython13 : detail::kPython14;
  bool ok = true;
  const auto word = [&](std::size_t index) {
    ok = ok && words[index] < kLargestPythonOffset;
    return static_cast<std::uint32_t>(words[index]);
  };
  PythonLayout l{};
  l.version = version;
  l.instr = PythonLayout::Instr::kPointer;
  l.runtime_finalizing = word(4);
  l.runtime_interpreters = word(5);
  l.interpreter_next = word(at.interpreter + 2);
  l.interpreter_threads = word(at.interpreter + 3);
  l.thread_next = word(at.thread + 2);
  l.frame_holder = word(at.thread + 4);
  l.holder_frame = kNoHolder;
  l.thread_id = word(at.thread + 5);
  l.thread_native_id = word(at.thread + 6);
  l.thread_status = word(at.thread + 8);
  l.frame_back = word(at.frame + 1);
  l.frame_code = word(at.frame + 2);
  l.frame_instr = word(at.frame + 3);
  l.frame_owner = word(at.frame + 5);
  l.frame_tlbc = at.has_tlbc ? word(at.frame + 7) : 0;
  l.code_file = word(at.code + 1);
  l.code_name = word(at.code + 2);
  l.code_qualname = word(at.code + 3);
  l.code_lines = word(at.code + 4);
  l.code_first_line = word(at.code + 5);
  l.code_bytecode = word(at.code + 9);
  l.code_tlbc = at.has_tlbc ? word(at.code + 10) : 0;
  l.object_type = word(at.object + 1);
  l.bytes_length = word(at.bytes + 1);
  l.bytes_data = word(at.bytes + 2);
  l.text_state = word(at.text + 1);
  l.text_length = word(at.text + 2);
  l.text_ascii = word(at.text + 3);
  l.text_other = l.text_ascii + 16;  // after a length and a pointer
  if (!ok) return {};
  return l;
}

}  // namespace prof::python_frames
