// Measures what one launch of an empty kernel costs the launching thread.
//  launch_loop [--batches B] [--per-batch P] [--threads T] [--pin 1]
// Each thread, on its own stream, launches P kernels and synchronizes, B times. A few batches
// before that warm up; they are counted but not timed. If P is above the queue's 1,024, the
// launching thread waits for the GPU, and the result is the GPU's pace. --pin keeps each thread on
// one core, so that migrations by the scheduler are not measured.
#include <sched.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstring>
#include <thread>

#include "known/tally.cuh"

namespace {

constexpr int kWarmUpBatches = 5;

__global__ void empty() {}

struct Options {
  int batches = 200, per_batch = 1000, threads = 1, pin = 0;
};

struct Batch {
  double launching, whole;  // ns for each launch: without and with synchronization
};

double nanoseconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double, std::nano>(duration).count();
}

Batch run_batch(cudaStream_t stream, int launches) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < launches; ++i) empty<<<1, 1, 0, stream>>>();
  const auto launched = std::chrono::steady_clock::now();
  CALL(cudaStreamSynchronize, stream);
  const auto end = std::chrono::steady_clock::now();
  CALL(cudaGetLastError);  // once for each batch, because after each launch it would be timed too
  return {nanoseconds(launched - begin) / launches, nanoseconds(end - begin) / launches};
}

void pin_to_this_core() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(sched_getcpu(), &cores);
  sched_setaffinity(0, sizeof cores, &cores);
}

std::vector<Batch> run_thread(const Options& options, std::barrier<>& start) {
  CALL(cudaSetDevice, 0);
  cudaStream_t stream = nullptr;
  CALL(cudaStreamCreateWithFlags, &stream, cudaStreamNonBlocking);
  for (int i = 0; i < kWarmUpBatches; ++i) run_batch(stream, options.per_batch);
  // Pinned only here, because the threads that CUDA and a profiler start would inherit it.
  if (options.pin != 0) pin_to_this_core();
  start.arrive_and_wait();  // so that the timed batches of all threads overlap
  std::vector<Batch> batches;
  for (int i = 0; i < options.batches; ++i) batches.push_back(run_batch(stream, options.per_batch));
  CALL(cudaStreamDestroy, stream);
  return batches;
}

std::string quantile(std::vector<Batch> batches, double Batch::*member, double share) {
  std::vector<double> values;
  for (const Batch& batch : batches) values.push_back(batch.*member);
  const size_t at = static_cast<size_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", values[at]);
  return text;
}

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; i += 2) {
    int* value = nullptr;
    if (std::strcmp(argv[i], "--batches") == 0) value = &options.batches;
    if (std::strcmp(argv[i], "--per-batch") == 0) value = &options.per_batch;
    if (std::strcmp(argv[i], "--threads") == 0) value = &options.threads;
    if (std::strcmp(argv[i], "--pin") == 0) value = &options.pin;
    if (value == nullptr || i + 1 == argc || (*value = std::atoi(argv[i + 1])) < 1) return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::fprintf(stderr, "usage: %s [--batches B] [--per-batch P] [--threads T] [--pin 1]\n",
                 argv[0]);
    return 2;
  }
  std::vector<Batch> batches;
  std::mutex batches_mutex;
  std::barrier<> start(options.threads);
  std::vector<std::thread> threads;
  for (int i = 0; i < options.threads; ++i)
    threads.emplace_back([&] {
      const std::vector<Batch> own = run_thread(options, start);
      const std::lock_guard lock(batches_mutex);
      batches.insert(batches.end(), own.begin(), own.end());
    });
  for (std::thread& thread : threads) thread.join();

  const long long launches = static_cast<long long>(options.batches + kWarmUpBatches) *
                             options.per_batch * options.threads;
  tally::g_calls["cudaLaunchKernel"] = launches;
  tally::Answer answer;
  answer.add("pid", getpid());
  answer.add("ns_per_launch", quantile(batches, &Batch::launching, 0.5));
  answer.add("ns_per_launch_p10", quantile(batches, &Batch::launching, 0.1));
  answer.add("ns_per_launch_p90", quantile(batches, &Batch::launching, 0.9));
  answer.add("ns_per_launch_synced", quantile(batches, &Batch::whole, 0.5));
  answer.add("batches", options.batches);
  answer.add("per_batch", options.per_batch);
  answer.add("threads", options.threads);
  answer.add("launches", launches);
  answer.add("kernels", tally::json(tally::Counts{{"empty", launches}}));
  answer.add("syncs",
             tally::json(tally::Counts{{"stream", tally::g_calls["cudaStreamSynchronize"]}}));
  answer.add("runtime_calls", tally::json(tally::g_calls));
  answer.print();
  return 0;
}
