// The files that descriptors of processes refer to, and the processes at the other end of a pipe.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace prof::live {

struct Descriptor {
  std::string name;        // "/data/x", "pipe 123", "TCP 10.0.0.1:80 to 10.0.0.2:4711", "epoll"
  std::uint64_t pipe = 0;  // inode of the pipe; 0: another kind of file
  bool is_there = false;   // false: the process has no such descriptor, or prof may not read it
};

class Descriptors {
 public:
  Descriptor find(pid_t pid, std::uint64_t number);

  // Returns the processes in `processes` that have the other end of the pipe: the end for writing
  // if `reads`. `but` is left out.
  std::vector<pid_t> other_ends(std::uint64_t pipe, bool reads, pid_t but,
                                const std::vector<pid_t>& processes);
  // Returns how many of these processes have this end of the pipe: the one for reading if `reads`.
  std::size_t sharers(std::uint64_t pipe, bool reads, const std::vector<pid_t>& processes);

  // Returns the descriptors that an epoll descriptor watches, up to a maximum.
  std::vector<std::uint64_t> watched(pid_t pid, std::uint64_t epoll) const;

 private:
  struct End {
    std::uint64_t pipe;
    bool reads, writes;
  };
  const std::vector<End>& ends_of(pid_t pid);
  std::string socket_name(pid_t pid, std::uint64_t inode);
  void read_sockets(pid_t pid, std::map<std::uint64_t, std::string>& names) const;

  std::map<pid_t, std::vector<End>> ends_;
  std::map<std::string, std::map<std::uint64_t, std::string>> sockets_;  // by network namespace
};

}  // namespace prof::live
