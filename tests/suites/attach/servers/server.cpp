// A server of 64 threads: one for each connection, and others that wait for work, sleep, allocate,
// throw, and load and unload a library. Prints its port, ends with status 7 at the end of its
// input, and then prints how many requests it answered and how often something went wrong.
#include <arpa/inet.h>
#include <dlfcn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "answer.hpp"

namespace {

constexpr int kConnections = 40;
constexpr int kAllocating = 8, kWaiting = 8, kThrowing = 4, kLoading = 2, kSleeping = 1;

std::atomic<bool> g_end;
std::atomic<long> g_answered, g_wrong, g_handed;
std::mutex g_mutex;
std::condition_variable g_changed;

void serve(int listener) {
  while (!g_end) {
    const int fd = accept(listener, nullptr, nullptr);
    if (fd < 0) return;
    std::string line;
    for (char c; read(fd, &c, 1) == 1;) {
      if (c != '\n') {
        line += c;
        continue;
      }
      const std::string answer =
          std::to_string(answer_to(std::strtoull(line.c_str(), nullptr, 10))) + "\n";
      line.clear();
      {
        const std::lock_guard lock(g_mutex);
        ++g_handed;
      }
      g_changed.notify_one();
      ++g_answered;
      if (write(fd, answer.data(), answer.size()) != static_cast<ssize_t>(answer.size())) break;
    }
    close(fd);
  }
}

void allocate() {
  std::uint64_t state = 1;
  while (!g_end) {
    std::vector<std::vector<char>> kept;
    for (int i = 0; i < 200; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      kept.emplace_back(16 + (state >> 40) % 5000, static_cast<char>(i));
    }
    for (std::size_t i = 0; i < kept.size(); ++i)
      if (kept[i].back() != static_cast<char>(i)) ++g_wrong;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

void wait_for_requests() {
  while (!g_end) {
    std::unique_lock lock(g_mutex);
    g_changed.wait(lock, [] { return g_handed > 0 || g_end; });
    g_handed = 0;
  }
}

void throw_and_catch() {
  while (!g_end) {
    for (int i = 0; i < 20; ++i) try {
        throw std::runtime_error(std::to_string(i));
      } catch (const std::runtime_error& error) {
        if (error.what() != std::to_string(i)) ++g_wrong;
      }
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
  }
}

void load_and_unload() {
  while (!g_end) {
    void* library = dlopen("libutil.so.1", RTLD_NOW);
    void* other = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr || other == nullptr || dlsym(other, "crc32") == nullptr) ++g_wrong;
    if (other != nullptr) dlclose(other);
    if (library != nullptr) dlclose(library);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void sleep_exactly() {
  while (!g_end) {
    const timespec duration{0, 1'000'000};
    if (nanosleep(&duration, nullptr) != 0) ++g_wrong;
  }
}

}  // namespace

int main() {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof address;
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      listen(listener, 128) != 0 ||
      getsockname(listener, reinterpret_cast<sockaddr*>(&address), &bytes) != 0)
    return 1;
  std::vector<std::thread> threads;
  for (int i = 0; i < kConnections; ++i) threads.emplace_back(serve, listener);
  for (int i = 0; i < kAllocating; ++i) threads.emplace_back(allocate);
  for (int i = 0; i < kWaiting; ++i) threads.emplace_back(wait_for_requests);
  for (int i = 0; i < kThrowing; ++i) threads.emplace_back(throw_and_catch);
  for (int i = 0; i < kLoading; ++i) threads.emplace_back(load_and_unload);
  for (int i = 0; i < kSleeping; ++i) threads.emplace_back(sleep_exactly);
  std::printf("%d\n", ntohs(address.sin_port));
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  g_end = true;
  shutdown(listener, SHUT_RDWR);
  { const std::lock_guard lock(g_mutex); }
  g_changed.notify_all();
  for (std::thread& thread : threads) thread.join();
  std::printf("answered %ld wrong %ld\n", g_answered.load(), g_wrong.load());
  std::fflush(stdout);
  return 7;
}
