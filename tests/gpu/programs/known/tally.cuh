// Counts what a program did and prints one JSON object: the known answer. Every CUDA call is made
// with CALL, so the number of calls is exact.
#pragma once
#include <cuda_runtime.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace tally {

struct Sum {
  long long count = 0;
  long long bytes = 0;
};

using Counts = std::map<std::string, long long>;
using Sums = std::map<std::string, Sum>;

// Work of the GPU, as opposed to calls of the program: one graph launch is one call and much work.
struct Work {
  Counts kernels;     // by the function's name without namespace, template or parameters
  Counts mangled;     // by the symbol
  Counts shapes;      // "name|grid|block|dynamic shared memory in bytes"
  Sums memcpy;        // by direction: HtoD, DtoH, DtoD, HtoH
  Sums memcpy_kinds;  // by "direction:source>destination", kinds named as in ENUM_CUDA_MEM_KIND
  Sums memset;        // by value

  void add(const Work& other) {
    for (const auto& [name, count] : other.kernels) kernels[name] += count;
    for (const auto& [name, count] : other.mangled) mangled[name] += count;
    for (const auto& [name, count] : other.shapes) shapes[name] += count;
    add(memcpy, other.memcpy);
    add(memcpy_kinds, other.memcpy_kinds);
    add(memset, other.memset);
  }

  Sum memset_total() const {
    Sum total;
    for (const auto& [value, sum] : memset) {
      total.count += sum.count;
      total.bytes += sum.bytes;
    }
    return total;
  }

 private:
  static void add(Sums& to, const Sums& from) {
    for (const auto& [name, sum] : from) {
      to[name].count += sum.count;
      to[name].bytes += sum.bytes;
    }
  }
};

inline std::mutex g_mutex;  // protects everything below
inline Counts g_calls;      // of the runtime API, by the name in the source
inline Work g_direct;       // work that was launched directly
inline Work g_graph;        // work that ran as nodes of graphs

[[noreturn]] inline void fail(const char* file, int line, const char* what, const char* why) {
  std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, what, why);
  std::fflush(stderr);
  std::_Exit(1);  // exit() would wait for threads and streams in an unknown state
}

inline void called(const char* name) {
  const std::lock_guard lock(g_mutex);
  ++g_calls[name];
}

inline void checked(const char* name, cudaError_t status, const char* file, int line) {
  called(name);
  if (status != cudaSuccess) fail(file, line, name, cudaGetErrorString(status));
}

#define CALL(function, ...) tally::checked(#function, function(__VA_ARGS__), __FILE__, __LINE__)
#define REQUIRE(condition) \
  ((condition) ? (void)0 : tally::fail(__FILE__, __LINE__, #condition, "does not hold"))

inline int thread_id() { return static_cast<int>(syscall(SYS_gettid)); }

inline std::string json(long long value) { return std::to_string(value); }

inline std::string json(const Sum& sum) {
  return "[" + json(sum.count) + ", " + json(sum.bytes) + "]";
}

// Keys and strings are names and numbers here, so nothing needs escaping.
inline std::string quoted(const std::string& text) { return "\"" + text + "\""; }

template <typename Value>
std::string json(const std::map<std::string, Value>& values) {
  std::string text = "{";
  for (const auto& [key, value] : values)
    text += (text.size() > 1 ? ", " : "") + quoted(key) + ": " + json(value);
  return text + "}";
}

inline std::string json_list(const std::vector<std::string>& items) {
  std::string text = "[";
  for (const auto& item : items) text += (text.size() > 1 ? ", " : "") + item;
  return text + "]";
}

// The members of one object, in the order they are added.
class Answer {
 public:
  void add(const char* key, const std::string& value) {
    text_ += (text_.empty() ? "" : ",\n ") + quoted(key) + ": " + value;
  }
  void add(const char* key, long long value) { add(key, json(value)); }

  // Flushed at once, because some programs are killed right after.
  void print() const {
    std::printf("{%s}\n", text_.c_str());
    std::fflush(stdout);
  }

 private:
  std::string text_;
};

}  // namespace tally
