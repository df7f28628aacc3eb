/* Clients of NVTX that are loaded and unloaded all the time: PLUGIN (libnvtx_one.so) for two ranges
   each in two domains, then something else is mapped where it was. In between, the program numbers
   its own ranges by payloads: 0, 1, 2, ... A child that was forked before numbers ranges, too, in
   the domain "child". Usage: clients_come_and_go PLUGIN PROGRESS. PROGRESS is a file of three
   64-bit numbers: how many ranges the program and the child made, and one that ends both when it is
   not 0. Prints how many ranges the program made. */
#include <dlfcn.h>
#include <fcntl.h>
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void require(int is_true) {
  if (!is_true) abort();
}

struct progress {
  _Atomic int64_t of_program, of_child, is_over;
};

static struct progress* open_progress(const char* path) {
  const int fd = open(path, O_RDWR);
  require(fd >= 0);
  struct progress* at =
      mmap(NULL, sizeof(struct progress), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  require(at != MAP_FAILED && close(fd) == 0);
  return at;
}

static void make_range(nvtxDomainHandle_t domain, int64_t number) {
  nvtxEventAttributes_t attributes = {0};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.payloadType = NVTX_PAYLOAD_TYPE_INT64;
  attributes.payload.llValue = number;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = "numbered";
  nvtxDomainRangePushEx(domain, &attributes);
  usleep(200);
  nvtxDomainRangePop(domain);
}

static void use_plugin(const char* path) {
  enum { kBytes = 1 << 20 };
  void* plugin = dlopen(path, RTLD_NOW);
  require(plugin != NULL);
  void (*work)(int) = (void (*)(int))dlsym(plugin, "work_in_one");
  require(work != NULL);
  work(2);
  require(dlclose(plugin) == 0);
  /* Nothing may be written to what is there now. */
  char* other = mmap(NULL, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(other != MAP_FAILED);
  usleep(500);
  for (int i = 0; i < kBytes; ++i) require(other[i] == 0);
  munmap(other, kBytes);
}

static void* sleep_on(void* unused) {
  pause();
  return unused;
}

int main(int argc, char** argv) {
  require(argc == 3);
  struct progress* progress = open_progress(argv[2]);
  nvtxDomainHandle_t domain = nvtxDomainCreateA("program");
  make_range(domain, -1); /* the client has started */
  pthread_t thread;
  require(pthread_create(&thread, NULL, sleep_on, NULL) == 0);
  usleep(200000);
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    nvtxDomainHandle_t own = nvtxDomainCreateA("child");
    while (!progress->is_over) make_range(own, progress->of_child++);
    _exit(0);
  }
  while (!progress->is_over) {
    make_range(domain, progress->of_program++);
    if (progress->of_program % 8 == 0) use_plugin(argv[1]);
  }
  int status = 0;
  require(waitpid(child, &status, 0) == child && status == 0);
  printf("%lld\n", (long long)progress->of_program);
  return 0;
}
