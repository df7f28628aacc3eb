// Records that later ones refer to: texts, names, threads, domains, CUDA's contexts. A process
// sends each of them once. A session with several collections keeps them, so that each recording
// has all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "collector/spool/spool.hpp"

namespace prof::spool {

class Definitions {
 public:
  // Keeps the definitions among the records, each once. The bytes are not trusted.
  void take(const PieceHeader& piece, std::span<const std::byte> bytes);
  // The process image has ended. What is known for all processes stays: others may refer to it.
  void forget(std::uint32_t serial);

  // All that is kept, by thread, as pieces that come before those of the thread's chunks.
  using Sink = std::function<void(const PieceHeader&, std::span<const std::byte>)>;
  void for_each(const Sink& sink) const;

  // About how much memory they take.
  std::size_t bytes() const { return bytes_; }
  // Notices, by samples, which texts NVTX events use again and again.
  void notice_uses(std::span<const std::byte> bytes);
  // Forgets those that a program can make without end (texts, threads, streams, …) until all take
  // at most `most` bytes: first what was not used again, and of that the oldest. What was used
  // again goes only if it alone takes more. Keeps those that records may refer to, what these refer
  // to themselves, and threads that live. Returns how many were forgotten.
  struct Use {
    // Calls its argument with the bytes of all records that are kept.
    std::function<void(const std::function<void(std::span<const std::byte>)>&)> records;
    std::function<bool(std::uint32_t serial, std::uint32_t tid)> lives;
  };
  std::size_t shrink(std::size_t most, const Use& use);

  // What a record defines. `serial` is 0 if it is the same for all processes.
  struct Key {
    std::uint32_t type = 0;
    std::uint32_t serial = 0;
    std::uint64_t id = 0;
    std::uint64_t part = 0;
    bool operator==(const Key&) const = default;
  };

 private:
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  struct Definition {
    std::uint32_t serial, tid;  // who sent it
    std::uint64_t order;        // by the last definition or noticed use
    std::uint32_t uses;         // that were noticed
    std::vector<std::byte> bytes;
  };
  static std::size_t cost(const Definition& definition);

  // By process image; 0: of all.
  std::unordered_map<std::uint32_t, std::unordered_map<Key, Definition, Hash>> definitions_;
  std::size_t bytes_ = 0;
  std::uint64_t next_order_ = 0;
  std::uint32_t unnoticed_ = 0;  // texts that were used since the last one that was looked at
};

}  // namespace prof::spool
