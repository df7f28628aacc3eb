// Launches of kernels that do the same work each time, for the counters of prof kernel.
//   counted_launches [--launches N] [--others N] [--threads T] [--graph 1] [--capture 1] [--end
//   HOW]
// Each thread launches `add` N times in turn with three sizes of work, and the kernel `other` after
// each. --graph launches a graph of 20 nodes in the middle, --capture captures a launch of `add`
// there, which never runs.
// HOW: return  wait for everything, free it, then return from main
//      exit    return from main without waiting
//      reset   cudaDeviceReset
//      sleep   wait to be killed
// The memory is compared with what the launches must have made of it.
#include <chrono>
#include <cstring>
#include <string>
#include <thread>

#include "known/tally.cuh"

namespace {

constexpr int kElements = 1 << 20;
constexpr int kBlock = 256;
constexpr int kRounds[] = {1, 200, 20000};  // additions for each element

__global__ void add(float* memory, int rounds) {
  float& mine = memory[blockIdx.x * blockDim.x + threadIdx.x];
  float value = mine;
  for (int i = 0; i < rounds; ++i) value += 1;
  mine = value;
}

__global__ void other(int* counter) {
  if (threadIdx.x == 0) atomicAdd(counter, 1);
}

struct Options {
  int launches = 300, others = 0, threads = 1, graph = 0, capture = 0;
  std::string end = "return";
};

struct Worker {
  float* memory = nullptr;
  int* counter = nullptr;
  cudaStream_t stream = nullptr;
  double added = 0;
  int counted = 0;
  double ms = 0;  // for each turn

  void launch_others(int number) {
    for (int i = 0; i < number; ++i) other<<<1, 32, 0, stream>>>(counter);
    counted += number;
  }

  void launch_graph() {
    constexpr int kNodes = 20;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CALL(cudaStreamBeginCapture, stream, cudaStreamCaptureModeThreadLocal);
    launch_others(kNodes);
    CALL(cudaStreamEndCapture, stream, &graph);
    CALL(cudaGraphInstantiate, &executable, graph, 0);
    CALL(cudaGraphLaunch, executable, stream);
  }

  void capture_only() {
    cudaGraph_t graph;
    CALL(cudaStreamBeginCapture, stream, cudaStreamCaptureModeThreadLocal);
    add<<<kElements / kBlock, kBlock, 0, stream>>>(memory, 1);
    CALL(cudaStreamEndCapture, stream, &graph);
  }

  void run(const Options& options) {
    CALL(cudaStreamCreateWithFlags, &stream, cudaStreamNonBlocking);
    CALL(cudaMalloc, reinterpret_cast<void**>(&memory), kElements * sizeof(float));
    CALL(cudaMalloc, reinterpret_cast<void**>(&counter), sizeof(int));
    CALL(cudaMemsetAsync, memory, 0, kElements * sizeof(float), stream);
    CALL(cudaMemsetAsync, counter, 0, sizeof(int), stream);
    CALL(cudaStreamSynchronize, stream);
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < options.launches; ++i) {
      const int rounds = kRounds[i % 3];
      add<<<kElements / kBlock, kBlock, 0, stream>>>(memory, rounds);
      added += rounds;
      launch_others(options.others);
      if (options.graph != 0 && i == options.launches / 2) launch_graph();
      if (options.capture != 0 && i == options.launches / 2) capture_only();
      if (options.end != "exit") CALL(cudaStreamSynchronize, stream);
    }
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    ms = took.count() / options.launches;
  }

  // Returns whether the memory is as it must be.
  bool check() const {
    std::vector<float> found(kElements);
    int others = 0;
    CALL(cudaMemcpy, found.data(), memory, kElements * sizeof(float), cudaMemcpyDeviceToHost);
    CALL(cudaMemcpy, &others, counter, sizeof others, cudaMemcpyDeviceToHost);
    // Sums above 2^24 are rounded, in the same way by each element.
    for (float value : found)
      if (value != found[0] || (added < (1 << 24) && value != static_cast<float>(added)))
        return false;
    return others == counted;
  }
};

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    int* value = name == "--launches"  ? &options.launches
                 : name == "--others"  ? &options.others
                 : name == "--threads" ? &options.threads
                 : name == "--graph"   ? &options.graph
                 : name == "--capture" ? &options.capture
                                       : nullptr;
    if (value != nullptr)
      *value = std::atoi(argv[i + 1]);
    else if (name == "--end")
      options.end = argv[i + 1];
    else
      return false;
  }
  return argc % 2 == 1;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::fprintf(stderr, "usage: %s [--launches N] [--others N] [--threads T] ...\n", argv[0]);
    return 2;
  }
  std::vector<Worker> workers(options.threads);
  std::vector<std::thread> threads;
  for (Worker& worker : workers) threads.emplace_back([&] { worker.run(options); });
  for (std::thread& thread : threads) thread.join();
  bool is_right = true;
  if (options.end != "exit")
    for (const Worker& worker : workers) is_right = is_right && worker.check();
  tally::Answer answer;
  answer.add("pid", getpid());
  answer.add("launches", options.launches * options.threads);
  answer.add("us", std::to_string(1000 * workers[0].ms));
  answer.add("right", is_right ? 1 : 0);
  answer.print();
  std::fflush(stdout);
  if (options.end == "reset") CALL(cudaDeviceReset);
  while (options.end == "sleep") std::this_thread::sleep_for(std::chrono::seconds(1));
  return is_right ? 0 : 3;
}
