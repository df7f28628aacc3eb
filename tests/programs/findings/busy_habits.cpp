// busy_habits spins|blocks: two threads work under one lock, the waiting one calls sched_yield
// again and again, or blocks. Prints how often it called sched_yield. busy_habits throws|returns:
// half of the texts are no numbers, which is an exception, or a value. Prints how many were no
// numbers. busy_habits exhausted|accepts: a server polls while it has no free descriptor for the
// next client, or serves its clients. Prints how many calls of accept failed.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTime{1200};
constexpr std::chrono::milliseconds kWork{3};

std::atomic<int> g_turn{0};  // the two threads take turns, so that both spin
std::atomic<long> g_yields{0};
long g_failed = 0;
std::mutex g_mutex;

[[gnu::noinline]] void spin_until_free(int turn) {
  while (g_turn.load(std::memory_order_acquire) != turn) {
    ++g_yields;
    sched_yield();
  }
}

[[gnu::noinline]] void work() {
  const auto end = Clock::now() + kWork;
  while (Clock::now() < end)
    for (int i = 0; i < 1000; ++i) std::atomic_signal_fence(std::memory_order_seq_cst);
}

void run_threads(bool spins) {
  const auto end = Clock::now() + kTime;
  const auto run = [&](int turn) {
    while (Clock::now() < end) {
      if (spins) {
        spin_until_free(turn);
        work();
        g_turn.store(1 - turn, std::memory_order_release);
      } else {
        const std::lock_guard lock(g_mutex);
        work();
      }
    }
  };
  std::thread other(run, 1);
  run(0);
  other.join();
  std::printf("%ld\n", g_yields.load());
}

[[gnu::noinline]] int parse_number(const std::string& text) {
  if (text.empty() || text[0] < '0' || text[0] > '9') throw std::invalid_argument(text);
  return text[0] - '0';
}

[[gnu::noinline]] std::optional<int> find_number(const std::string& text) {
  if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
  return text[0] - '0';
}

[[gnu::noinline]] bool is_number(const std::string& text, bool throws) {
  if (!throws) return find_number(text).has_value();
  try {
    return parse_number(text) >= 0;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

void parse_texts(bool throws) {
  const std::string texts[] = {"seven", "7"};
  const auto end = Clock::now() + kTime;
  long wrong = 0;
  while (Clock::now() < end)
    for (int i = 0; i < 100; ++i) wrong += is_number(texts[i % 2], throws) ? 0 : 1;
  std::printf("%ld\n", wrong);
}

sockaddr_in address_of(int listener) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  return address;
}

// Clients that stay until the server ends, or that come one after the other.
void be_clients(const sockaddr_in& server, bool stay) {
  constexpr int kClients = 30;
  constexpr std::chrono::milliseconds kPause{2};
  const auto end = Clock::now() + kTime;
  for (int i = 0; stay ? i < kClients : Clock::now() < end; ++i) {
    const int client = socket(AF_INET, SOCK_STREAM, 0);
    connect(client, reinterpret_cast<const sockaddr*>(&server), sizeof server);
    if (!stay) close(client);
    if (!stay) std::this_thread::sleep_for(kPause);
  }
  if (stay) std::this_thread::sleep_until(end);
}

[[gnu::noinline]] int take_client(int listener) {
  const int client = accept(listener, nullptr, nullptr);
  if (client < 0) ++g_failed;
  return client;
}

void serve(bool is_exhausted) {
  constexpr int kBacklog = 64, kDescriptors = 20, kTimeout = 50;
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  bind(listener, reinterpret_cast<sockaddr*>(&any), sizeof any);
  listen(listener, kBacklog);
  const sockaddr_in address = address_of(listener);
  if (fork() == 0) {
    be_clients(address, is_exhausted);
    _exit(0);
  }
  if (is_exhausted) {
    const rlimit limit{kDescriptors, kDescriptors};
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  for (const auto end = Clock::now() + kTime; Clock::now() < end;) {
    pollfd waited{listener, POLLIN, 0};
    if (poll(&waited, 1, kTimeout) <= 0) continue;
    const int client = take_client(listener);
    if (client >= 0 && !is_exhausted) close(client);
  }
  std::printf("%ld\n", g_failed);
}

}  // namespace

int main(int count, char** arguments) {
  const std::string way = count > 1 ? arguments[1] : "";
  if (way == "spins" || way == "blocks")
    run_threads(way == "spins");
  else if (way == "throws" || way == "returns")
    parse_texts(way == "throws");
  else if (way == "exhausted" || way == "accepts")
    serve(way == "exhausted");
  else
    return 2;
}
