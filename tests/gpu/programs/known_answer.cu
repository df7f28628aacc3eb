// One of each thing that a CUDA program does. Checks its results and prints counts of its calls and
// work.
//  known_answer [--scale N]    N repeats every loop; the counts grow with it
#include <pthread.h>
#include <sys/wait.h>

#include <thread>

#include "known/graphs.cuh"
#include "known/launches.cuh"
#include "known/memory.cuh"

namespace known {

constexpr int kThreads = 4;

// The child never uses CUDA, and ends like a program: destructors and exit handlers run.
int fork_before_cuda() {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    volatile unsigned long long sum = 0;
    for (unsigned i = 0; i < 20'000'000; ++i) sum = sum + i;
    std::exit(sum == 199'999'990'000'000ULL ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child && status == 0);
  return static_cast<int>(child);
}

// The child of a process with a CUDA context must not use CUDA: it writes and exits.
int fork_after_cuda() {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) _exit(write(ends[1], "alive", 5) == 5 ? 0 : 1);
  char text[5];
  int status = -1;
  REQUIRE(read(ends[0], text, 5) == 5 && std::memcmp(text, "alive", 5) == 0);
  REQUIRE(waitpid(child, &status, 0) == child && status == 0);
  close(ends[0]);
  close(ends[1]);
  return static_cast<int>(child);
}

void set_up(Data& data) {
  CALL(cudaSetDevice, 0);
  int least = 0, greatest = 0;
  CALL(cudaDeviceGetStreamPriorityRange, &least, &greatest);
  CALL(cudaStreamCreate, &data.ordinary);
  CALL(cudaStreamCreateWithFlags, &data.non_blocking, cudaStreamNonBlocking);
  CALL(cudaStreamCreateWithPriority, &data.urgent, cudaStreamNonBlocking, greatest);
  for (int i = 0; i < 3; ++i) count(&Counters::streams);
  CALL(cudaMalloc, &data.device, kBytes);
  CALL(cudaMalloc, &data.other, kBytes);
  CALL(cudaHostAlloc, &data.pinned, kBytes, cudaHostAllocDefault);
  CALL(cudaHostAlloc, &data.pinned_other, kBytes, cudaHostAllocDefault);
  for (const char* kind : {"Device", "Device", "Pinned", "Pinned"}) note_allocation(kind, kBytes);
  data.pageable.resize(kCount);
}

void tear_down(Data& data) {
  synchronize_device();
  for (cudaStream_t stream : {data.ordinary, data.non_blocking, data.urgent})
    CALL(cudaStreamDestroy, stream);
  CALL(cudaFree, data.device);
  CALL(cudaFree, data.other);
  CALL(cudaFreeHost, data.pinned);
  CALL(cudaFreeHost, data.pinned_other);
}

// The urgent stream adds to the output of the non-blocking one. The sum is right only if it waited.
void events(Data& data) {
  cudaEvent_t begin = nullptr, filled = nullptr, end = nullptr;
  CALL(cudaEventCreate, &begin);
  CALL(cudaEventCreateWithFlags, &filled, cudaEventDisableTiming);
  CALL(cudaEventCreate, &end);
  synchronize_device();  // these two streams do not wait for the default stream
  record(begin, data.non_blocking);
  launch(tally::g_direct, "fill", fill, shape_for(kCount), data.non_blocking, data.device, 40,
         kCount);
  record(filled, data.non_blocking);
  CALL(cudaStreamWaitEvent, data.urgent, filled, 0);
  count(&Counters::stream_waits);
  launch(tally::g_direct, "add_plain", add_plain, shape_for(kCount), data.urgent, data.device, 2,
         kCount);
  record(end, data.urgent);
  CALL(cudaEventSynchronize, end);
  count(&Counters::event_syncs);
  CALL(cudaEventQuery, end);
  float milliseconds = -1;
  CALL(cudaEventElapsedTime, &milliseconds, begin, end);
  REQUIRE(milliseconds > 0 && milliseconds < 60'000);
  for (cudaEvent_t event : {begin, filled, end}) CALL(cudaEventDestroy, event);
  verify(data, data.device, kCount, [](int) { return 42; });
}

void host_function(Data& data) {
  const int before = g_host_functions;
  CALL(
      cudaLaunchHostFunc, data.ordinary,
      [](void* counter) { ++*static_cast<std::atomic<int>*>(counter); }, &g_host_functions);
  synchronize(data.ordinary);
  REQUIRE(g_host_functions == before + 1);
}

void thread_main(int index, int launches) {
  constexpr int kNumbers = 10'000;
  const std::string name = "launcher-" + std::to_string(index);
  pthread_setname_np(pthread_self(), name.c_str());
  CALL(cudaSetDevice, 0);
  cudaStream_t stream = nullptr;
  CALL(cudaStreamCreateWithFlags, &stream, cudaStreamNonBlocking);
  count(&Counters::streams);
  int* memory = nullptr;
  CALL(cudaMallocAsync, &memory, kNumbers * sizeof(int), stream);
  note_allocation("Pool", kNumbers * sizeof(int));
  CALL(cudaMemsetAsync, memory, 0, kNumbers * sizeof(int), stream);
  note_memset(tally::g_direct, 0, kNumbers * sizeof(int));
  for (int i = 0; i < launches; ++i)
    launch(tally::g_direct, "thread_work", thread_work, shape_for(kNumbers), stream, memory,
           kNumbers);
  std::vector<int> result(kNumbers);
  copy_async(tally::g_direct, result.data(), memory, kNumbers * sizeof(int), cudaMemcpyDeviceToHost,
             "Device>Pageable", stream);
  CALL(cudaFreeAsync, memory, stream);
  synchronize(stream);
  for (const int value : result) REQUIRE(value == launches);
  CALL(cudaStreamDestroy, stream);
  const std::lock_guard lock(tally::g_mutex);
  g_threads.push_back("{\"tid\": " + tally::json(tally::thread_id()) + ", \"name\": \"" + name +
                      "\", \"kernels\": " + tally::json(launches) + "}");
}

void threads(int launches) {
  std::vector<std::thread> running;
  for (int i = 0; i < kThreads; ++i) running.emplace_back(thread_main, i, launches);
  for (std::thread& thread : running) thread.join();
}

void print(int child_before, int child_after, int driver_launches) {
  const Work &direct = tally::g_direct, &graph = tally::g_graph;
  const tally::Counts syncs = {{"stream", g_counted.stream_syncs},
                               {"device", g_counted.device_syncs},
                               {"event", g_counted.event_syncs},
                               {"stream_wait_event", g_counted.stream_waits}};
  tally::Answer answer;
  answer.add("pid", getpid());
  answer.add("children", tally::json(tally::Counts{{"before_cuda", child_before},
                                                   {"after_cuda", child_after}}));
  answer.add("threads", tally::json_list(g_threads));
  answer.add("kernels", tally::json(direct.kernels));
  answer.add("kernels_mangled", tally::json(direct.mangled));
  answer.add("kernel_shapes", tally::json(direct.shapes));
  answer.add("memcpy", tally::json(direct.memcpy));
  answer.add("memcpy_kinds", tally::json(direct.memcpy_kinds));
  answer.add("memset", tally::json(direct.memset_total()));
  answer.add("memset_by_value", tally::json(direct.memset));
  answer.add("graph_launches", g_counted.graph_launches);
  answer.add("graphs", tally::json_list(g_graphs));
  answer.add("graph_kernels", tally::json(graph.kernels));
  answer.add("graph_memcpy", tally::json(graph.memcpy));
  answer.add("graph_memset", tally::json(graph.memset_total()));
  answer.add("syncs", tally::json(syncs));
  answer.add("event_records", g_counted.event_records);
  answer.add("streams_created", g_counted.streams);
  answer.add("host_functions", g_host_functions);
  answer.add("chevron_launches", g_counted.chevrons);
  answer.add("allocated", tally::json(g_allocated));
  answer.add("captured_calls", tally::json(g_captured));
  answer.add("runtime_calls", tally::json(tally::g_calls));
  answer.add("driver_calls", tally::json(tally::Counts{{"cuLaunchKernel", driver_launches}}));
  answer.print();
}

}  // namespace known

int main(int argc, char** argv) {
  using namespace known;
  int scale = 1;
  if (argc == 3 && std::strcmp(argv[1], "--scale") == 0) scale = std::atoi(argv[2]);
  if (scale < 1 || (argc != 1 && argc != 3)) {
    std::fprintf(stderr, "usage: %s [--scale N]\n", argv[0]);
    return 2;
  }
  const int child_before = fork_before_cuda();
  Data data;
  int driver_launches = 0;
  set_up(data);
  for (int round = 0; round < scale; ++round) {
    copies(data, round);
    copies_2d(data);
    copies_of_symbol();
    memsets(data);
    kernels(data);
    scale_instance<float>(data, 10);
    scale_instance<double>(data, 7);
    launch_by_function(data);
    launch_cooperative(data);
    launch_clusters(data);
    driver_launches += launch_by_driver(data, 6);
    captured_graph(data, 20);
    explicit_graph(data, 3);
    events(data);
    memory_pool(data);
    host_function(data);
  }
  threads(25 * scale);
  const int child_after = fork_after_cuda();
  tear_down(data);
  print(child_before, child_after, driver_launches);
  return 0;
}
