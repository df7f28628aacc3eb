// Times of the GPU's work in one context, by timestamp queries.
//
// The program must not see a difference: no query that it has bound is touched, glGetError is never
// called and no call here can set an error, and results are read only when they are available. So
// nothing waits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "injection/graphics/opengl/functions.hpp"

namespace prof::opengl {

struct Context;

// The functions of OpenGL that are used here. Types are those of OpenGL's ABI.
struct QueryFunctions {
  void (*gen)(std::int32_t count, std::uint32_t* queries);
  void (*counter)(std::uint32_t query, std::uint32_t target);
  void (*get_state)(std::uint32_t query, std::uint32_t name, std::int32_t* value);
  void (*get_result)(std::uint32_t query, std::uint32_t name, std::uint64_t* value);
  void (*get_clock)(std::uint32_t name, std::int64_t* value);
  void (*get_integer)(std::uint32_t name, std::int32_t* value);
};

// A debug group that is in progress.
struct Group {
  std::uint64_t text;         // hash
  std::uint32_t correlation;  // 0: it is not recorded
  bool is_measured;           // the GPU's time is
};
inline constexpr std::uint32_t kMaxGroups = 64;

class GpuTimes {
 public:
  // Makes a context without queries of it.
  void clear();

  // A call that gives work to the GPU begins. Returns its correlation id.
  std::uint32_t begin_call(Context& context, Index function);
  // The call has returned.
  void end_call(Context& context, Index function, std::uint32_t correlation);

  // A debug group has begun. Returns whether it is measured: then end_group() has to follow.
  bool begin_group(Context& context, const Group& group);
  void end_group(const Context& context, const Group& group);

  // The context is about to be no longer current.
  void leave(Context& context);

 private:
  enum class State : std::uint8_t { kUnknown, kOn, kOff };
  enum class Mark : std::uint8_t { kWorkBegin, kWorkEnd, kGroupBegin, kGroupEnd };

  static constexpr std::uint32_t kQueries = 1024;
  static constexpr std::uint32_t kMaxCalls = 64;  // of one workload

  struct Work {
    std::uint32_t first, last;  // Index
    std::uint32_t correlation, last_correlation;
  };
  // A query that the GPU has not answered, or whose answer was not read.
  struct Slot {
    Mark mark;
    Work work;    // of kWorkEnd
    Group group;  // of kGroupBegin and kGroupEnd
  };
  struct OpenGroup {
    std::uint64_t start;
    std::uint32_t correlation;
  };

  bool is_on(Context& context);
  bool set_up(const Context& context);
  bool has_room(std::uint32_t needed);
  void add(Mark mark, const Work& work, const Group& group);
  void end_work();
  void poll(const Context& context);
  void read(const Context& context, const Slot& slot, std::uint64_t time);
  void read_clock();

  State state_;
  bool has_query_buffer_;  // results may go to a buffer of the program
  QueryFunctions gl_;
  std::uint32_t queries_[kQueries];
  Slot slots_[kQueries];
  // Slots [read_, added_) wait for answers; indexes modulo kQueries.
  std::uint32_t added_, read_;
  std::uint32_t ends_;  // answers that work and groups in progress still need
  bool is_working_;
  std::uint32_t calls_;
  Work work_;
  OpenGroup open_[kMaxGroups];  // whose begin was read
  std::uint32_t open_depth_;
  std::uint64_t work_start_;
  std::uint64_t gpu_clock_, clock_;  // the same moment on both clocks
};

}  // namespace prof::opengl
