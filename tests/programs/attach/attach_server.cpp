// Waits for commands on its standard input, with as many threads as its argument says:
//   work N        each thread makes N calls of sched_yield and N ranges "request"
//   domain N      N ranges in a domain that was created at the start, and N in one created now
//   load PATH N   loads a plugin, which makes N calls of sched_yield
//   fork N        a child makes N calls of sched_yield
// Answers "done". Ends with status 7 at the end of its input.
#include <dlfcn.h>
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t g_begin = PTHREAD_COND_INITIALIZER;
pthread_cond_t g_end = PTHREAD_COND_INITIALIZER;
int g_round, g_count, g_busy;

void yield(int count) {
  for (int i = 0; i < count; ++i) sched_yield();
}

void* work(void*) {
  for (int round = 1;; ++round) {
    pthread_mutex_lock(&g_mutex);
    while (g_round < round) pthread_cond_wait(&g_begin, &g_mutex);
    const int count = g_count;
    pthread_mutex_unlock(&g_mutex);
    for (int i = 0; i < count; ++i) {
      nvtxRangePushA("request");
      sched_yield();
      nvtxRangePop();
    }
    pthread_mutex_lock(&g_mutex);
    if (--g_busy == 0) pthread_cond_signal(&g_end);
    pthread_mutex_unlock(&g_mutex);
  }
  return nullptr;
}

void work_all(int threads, int count) {
  pthread_mutex_lock(&g_mutex);
  g_count = count;
  g_busy = threads;
  ++g_round;
  pthread_cond_broadcast(&g_begin);
  while (g_busy > 0) pthread_cond_wait(&g_end, &g_mutex);
  pthread_mutex_unlock(&g_mutex);
}

void use_domain(nvtxDomainHandle_t domain, int count) {
  nvtxEventAttributes_t attributes = {};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = "step";
  for (int i = 0; i < count; ++i) {
    nvtxDomainRangePushEx(domain, &attributes);
    nvtxDomainRangePop(domain);
  }
}

int load(const char* path, int count) {
  void* plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr) return 1;
  const auto calls = reinterpret_cast<int (*)(int)>(dlsym(plugin, "plugin_calls"));
  if (calls == nullptr || calls(count) != count) return 1;
  return dlclose(plugin);
}

int in_child(int count) {
  const pid_t child = fork();
  if (child == 0) {
    yield(count);
    _exit(3);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status) == 3 ? 0 : 1;
}

}  // namespace

int main(int, char** words) {
  const int threads = atoi(words[1]);
  nvtxMarkA("NVTX looks for a tool now, and finds none");
  const nvtxDomainHandle_t early = nvtxDomainCreateA("early");
  for (int i = 0; i < threads; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, nullptr, work, nullptr) != 0) abort();
  }
  printf("ready\n");
  fflush(stdout);
  char line[4096], path[4096];
  while (fgets(line, sizeof line, stdin) != nullptr) {
    int count = 0, failed = 0;
    if (sscanf(line, "work %d", &count) == 1) work_all(threads, count);
    if (sscanf(line, "fork %d", &count) == 1) failed = in_child(count);
    if (sscanf(line, "load %4000s %d", path, &count) == 2) failed = load(path, count);
    if (sscanf(line, "domain %d", &count) == 1) {
      use_domain(early, count);
      use_domain(nvtxDomainCreateA("late"), count);
    }
    printf(failed == 0 ? "done\n" : "failed\n");
    fflush(stdout);
  }
  return 7;
}
