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
    std::vector<std::byte> bytes;
  };

  // By process image; 0: of all.
  std::unordered_map<std::uint32_t, std::unordered_map<Key, Definition, Hash>> definitions_;
};

}  // namespace prof::spool
