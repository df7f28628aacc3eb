// A load of requests, and what a client sees of its server. Usage: client PORT CONNECTIONS PAUSE_US
// [http PATH BYTES]
//
// Each connection asks for the answer to one number after the other, with a pause in between, and
// checks it. For each line on the standard input prints what happened since the last one: requests,
// wrong answers, and the median, the 99th percentile and the longest time of an answer in us.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "answer.hpp"

namespace {

using Clock = std::chrono::steady_clock;

std::mutex g_mutex;
std::vector<double> g_times;
long g_wrong;

struct Job {
  int port;
  long pause_us;
  std::string path;  // of HTTP; empty: numbers
  std::size_t bytes;
};

int connect_to(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int one = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    close(fd);
    return -1;
  }
  return fd;
}

bool send_all(int fd, const std::string& text) {
  return write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

// Up to the end of a line.
bool read_line(int fd, std::string& line) {
  line.clear();
  for (char c; read(fd, &c, 1) == 1; line += c)
    if (c == '\n') return true;
  return false;
}

bool ask_number(int fd, std::uint64_t number) {
  std::string line;
  return send_all(fd, std::to_string(number) + "\n") && read_line(fd, line) &&
         line == std::to_string(answer_to(number));
}

bool ask_page(int fd, const Job& job) {
  if (!send_all(fd, "GET " + job.path + " HTTP/1.1\r\nHost: localhost\r\n\r\n")) return false;
  std::string text;
  char buffer[16384];
  for (;;) {
    const std::size_t body = text.find("\r\n\r\n");
    if (body != std::string::npos && text.size() >= body + 4 + job.bytes)
      return text.starts_with("HTTP/1.1 200") && text.size() == body + 4 + job.bytes;
    const ssize_t got = read(fd, buffer, sizeof buffer);
    if (got <= 0) return false;
    text.append(buffer, static_cast<std::size_t>(got));
  }
}

void work(const Job& job, std::uint64_t number) {
  int fd = -1;
  for (;; number += 1000003) {
    if (fd < 0) fd = connect_to(job.port);
    const auto begin = Clock::now();
    const bool is_right =
        fd >= 0 && (job.path.empty() ? ask_number(fd, number) : ask_page(fd, job));
    const double us = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
    {
      const std::lock_guard lock(g_mutex);
      g_times.push_back(us);
      g_wrong += !is_right;
    }
    if (!is_right) {
      if (fd >= 0) close(fd);
      fd = -1;
      usleep(10'000);
    }
    usleep(static_cast<useconds_t>(job.pause_us));
  }
}

void report() {
  std::vector<double> times;
  long wrong;
  {
    const std::lock_guard lock(g_mutex);
    times.swap(g_times);
    wrong = g_wrong;
    g_wrong = 0;
  }
  std::sort(times.begin(), times.end());
  const auto at = [&](double part) {
    return times.empty()
               ? 0
               : times[static_cast<std::size_t>(part * static_cast<double>(times.size() - 1))];
  };
  std::printf("%zu %ld %.0f %.0f %.0f\n", times.size(), wrong, at(0.5), at(0.99), at(1));
  std::fflush(stdout);
}

}  // namespace

int main(int, char** words) {
  const std::string path = words[4] != nullptr ? words[5] : "";
  const Job job{std::atoi(words[1]), std::atol(words[3]), path,
                path.empty() ? 0 : static_cast<std::size_t>(std::atol(words[6]))};
  for (int i = 0; i < std::atoi(words[2]); ++i)
    std::thread(work, job, static_cast<std::uint64_t>(i) << 32).detach();
  for (int c; (c = std::getchar()) != EOF;)
    if (c == '\n') report();
  _exit(0);
}
