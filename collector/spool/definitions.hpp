// Records that later records refer to: texts, names, threads, domains, CUDA's contexts. A process
// sends each of them once. A session with several collections keeps them, so that each recording
// has all of them.
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
  // Forgets the definitions of a process image that has ended. Definitions for all processes stay,
  // because other processes may refer to them.
  void forget(std::uint32_t serial);

  // Passes all that is kept, by thread, as pieces that come before the pieces of the thread's
  // chunks.
  using Sink = std::function<void(const PieceHeader&, std::span<const std::byte>)>;
  void for_each(const Sink& sink) const;

  // Returns about how much memory the definitions take.
  std::size_t bytes() const { return bytes_; }
  // Notices, in a sample of the events, which texts NVTX events use again and again.
  void notice_uses(std::span<const std::byte> bytes);
  // Forgets definitions of types that a program can make without a limit (texts, threads, streams,
  // …) until all definitions take at most `most` bytes. Definitions that were not used again are
  // forgotten first, the oldest before the others. Definitions that were used again are forgotten
  // only if they alone take more. Keeps definitions that records may refer to, the definitions that
  // these refer to themselves, and living threads. Returns how many were forgotten.
  struct Use {
    // Calls its argument with the bytes of all records that are kept.
    std::function<void(const std::function<void(std::span<const std::byte>)>&)> records;
    std::function<bool(std::uint32_t serial, std::uint32_t tid)> lives;
  };
  std::size_t shrink(std::size_t most, const Use& use);

  // The identity of a definition. `serial` is 0 if the definition is the same for all processes.
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
    std::uint32_t serial, tid;  // the thread that sent it
    std::uint64_t order;        // position in the order of the last definitions or noticed uses
    std::uint32_t uses;         // number of noticed uses
    std::vector<std::byte> bytes;
  };
  static std::size_t cost(const Definition& definition);

  // By process image; 0: for all processes.
  std::unordered_map<std::uint32_t, std::unordered_map<Key, Definition, Hash>> definitions_;
  std::size_t bytes_ = 0;
  std::uint64_t next_order_ = 0;
  std::uint32_t unnoticed_ = 0;  // number of used texts since the last one that was looked at
};

}  // namespace prof::spool
