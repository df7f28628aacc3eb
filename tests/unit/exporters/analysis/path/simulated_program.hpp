// Random programs. A simulation runs each program forward, and knows at each moment what its time
// has gone into.
#pragma once

#include <array>
#include <cmath>
#include <map>
#include <random>
#include <string>

#include "tests/unit/exporters/gpu_fixture.hpp"

namespace prof::test {

using Parts = std::map<std::string, std::int64_t>;  // ns on the path by kind

// Where the time up to a moment went.
struct Moment {
  std::int64_t time = 0;
  Parts parts;

  Moment after(const std::string& kind, std::int64_t duration) const {
    Moment result = *this;
    result.time += duration;
    if (duration > 0) result.parts[kind] += duration;
    return result;
  }
};

// What takes another time than it does by the random numbers.
struct Factors {
  double of_stream_1 = 1;  // kernels on stream 1, with the name g
  double load = 1;         // code in the range "load"
  double launches = 1;
};

// One thread that launches kernels on streams and waits for them.
class Simulation {
 public:
  explicit Simulation(unsigned seed, const Factors& factors = {})
      : random_(seed), factors_(factors) {}

  std::string run(int steps) {
    call("cudaSetDevice");
    for (int i = 0; i < steps; ++i) {
      if (number(1, 3) == 1) {
        const bool is_load = number(1, 2) == 1;
        compute(number(1, 5000), is_load);
      }
      const std::int64_t what = number(0, 9);
      if (what < 7)
        launch(static_cast<std::size_t>(number(0, 2)));
      else if (what < 8)
        wait_for_event(static_cast<std::size_t>(number(0, 2)));
      else
        synchronize(number(0, 3) == 0 ? kAll : static_cast<std::size_t>(number(0, 2)));
    }
    return sql_;
  }

  Moment end() const {
    Moment last = thread_;
    for (const Moment& each : streams_)
      if (each.time > last.time) last = each;
    return last;
  }

 private:
  static constexpr std::size_t kAll = 3;

  std::int64_t number(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }

  void add_call(std::int64_t start, std::int64_t end, const char* name) {
    sql_ += fmt::format(
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({},{},0,{},{},(SELECT id FROM StringIds "
        "WHERE value = '{}'),0,NULL);",
        start, end, global_id(9, 9), ++correlation_, name);
  }

  void compute(std::int64_t duration, bool is_load) {
    const Moment after =
        thread_.after("CPU", is_load ? changed(duration, factors_.load) : duration);
    if (is_load)
      sql_ += fmt::format(
          "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId) VALUES "
          "({},{},"
          "59,'load',{},0);",
          thread_.time, after.time, global_id(9, 9));
    thread_ = after;
  }

  static std::int64_t changed(std::int64_t time, double factor) {
    return std::llround(factor * static_cast<double>(time));
  }

  void call(const char* name, double factor = 1) {
    const Moment after = thread_.after("CUDA call", changed(number(10, 50), factor));
    add_call(thread_.time, after.time, name);
    thread_ = after;
  }

  void launch(std::size_t stream) {
    call("cudaLaunchKernel", factors_.launches);
    Moment& before = streams_[stream];
    const bool is_behind = before.time >= thread_.time;
    Moment start = is_behind ? before.after("GPU queue", 3) : thread_.after("launch latency", 3);
    const bool is_g = stream == 1;
    start = start.after("kernel", changed(number(1, 4000), is_g ? factors_.of_stream_1 : 1));
    const std::int64_t begin = (is_behind ? before : thread_).time + 3;
    sql_ += fmt::format(
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({},{},0,1,{},{},{},{},3,16,1,1,1,64,1,1,"
        "0,0);",
        begin, start.time, stream, correlation_, global_id(9, 0), is_g ? 16 : 2);
    before = start;
  }

  // Stream 0 waits for all that was launched on another one, and runs a kernel.
  void wait_for_event(std::size_t stream) {
    if (stream == 0) return;
    const std::int64_t event = correlation_;
    call("cudaEventRecord");
    sql_ += fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES ({},0,{},{},{});",
                        global_id(9, 0), stream, correlation_, event);
    call("cudaStreamWaitEvent");
    sql_ += fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES ({},0,0,{},{},2);",
                        global_id(9, 0), correlation_, event);
    if (streams_[stream].time > streams_[0].time) streams_[0] = streams_[stream];
    launch(0);
  }

  void synchronize(std::size_t stream) {
    const Moment* last = stream == kAll ? &streams_[0] : &streams_[stream];
    for (const Moment& each : streams_)
      if (stream == kAll && each.time > last->time) last = &each;
    const Moment after =
        last->time > thread_.time ? last->after("wake-up", 7) : thread_.after("CUDA call", 9);
    add_call(thread_.time, after.time,
             stream == kAll ? "cudaDeviceSynchronize" : "cudaStreamSynchronize");
    sql_ += fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES ({},0,{},{},0,{});",
                        global_id(9, 0), stream, correlation_, stream == kAll ? 4 : 3);
    thread_ = after;
  }

  std::mt19937 random_;
  Factors factors_;
  Moment thread_{1000, {}};
  std::array<Moment, 3> streams_;
  std::int64_t correlation_ = 0;
  std::string sql_;
};

// A report for simulated programs.
class SimulatedProgram : public GpuFixture {
 protected:
  SimulatedProgram() {
    create_api();
    sql("CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (globalPid, deviceId, streamId, "
        "correlationId, eventId);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (globalPid, deviceId, streamId, "
        "correlationId, eventId, syncType);"
        "INSERT INTO StringIds VALUES (10,'cudaSetDevice'),(11,'cudaLaunchKernel'),"
        "(12,'cudaEventRecord'),(13,'cudaStreamWaitEvent'),(14,'cudaStreamSynchronize'),"
        "(15,'cudaDeviceSynchronize'),(16,'g');");
    create_ranges();
  }

  void clear() const {
    sql("DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME; DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL;"
        "DELETE FROM CUPTI_ACTIVITY_KIND_CUDA_EVENT;"
        "DELETE FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION; DELETE FROM NVTX_EVENTS;");
  }
};

}  // namespace prof::test
