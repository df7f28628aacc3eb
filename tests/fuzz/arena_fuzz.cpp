// The arena reader with a hostile writer: the input overwrites headers and chunk contents.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "collector/spool/arena.hpp"
#include "collector/spool/arena_reader.hpp"
#include "tests/fuzz/input.hpp"

using namespace prof;
using fuzz::Input;

namespace {

volatile std::uint64_t g_sink;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static spool::Arena arena = *spool::Arena::create({2, 2}, {4, 4});
  auto* header = arena.header();
  // For each size two chunks that are backed by memory and one that is not, at least at first.
  constexpr std::uint32_t kLarge = wire::first_chunk(wire::ChunkSize::kLarge);
  constexpr std::uint32_t kChunks[] = {0, 1, kLarge, kLarge + 1, 2, kLarge + 2};
  for (const std::uint32_t chunk : kChunks) {
    header->owners[chunk] = 0;
    if (chunk % 4 < 2)
      std::memset(static_cast<void*>(wire::chunk_at(header, chunk)), 0, sizeof(wire::ChunkHeader));
  }
  spool::ArenaReader reader(arena);
  for (Input input(data, size); !input.empty();) {
    const auto what = input.take<std::uint8_t>();
    auto* chunk = wire::chunk_at(header, kChunks[what & 3]);
    switch (what >> 2 & 7) {
      case 0:
        header->owners[kChunks[(what >> 5) % 6]] = input.take<std::uint64_t>();
        break;
      case 1:
        chunk->committed = input.take<std::uint32_t>();
        break;
      case 2:
        chunk->committed = input.take<std::uint16_t>() & ~7U;
        break;
      case 3:
        chunk->retired = what >> 5;
        break;
      case 4:
        chunk->magic = what & 32 ? wire::kChunkMagic : input.take<std::uint32_t>();
        break;
      case 5:
        reader.mark_dead(input.take<std::uint32_t>());
        break;
      case 6:
        header->pools[what >> 5 & 1].backed = input.take<std::uint32_t>();
        header->pools[what >> 5 & 1].free_from = input.take<std::uint32_t>();
        if ((what & 0x80) != 0) arena.repair();
        if (arena.backed().small > 4 || arena.backed().large > 4) __builtin_trap();
        break;
      default: {
        const auto drained = reader.drain(
            [](const spool::PieceHeader&, std::span<const std::byte> bytes) -> base::Status {
              std::uint64_t sum = 0;
              for (const std::byte byte : bytes) sum += static_cast<std::uint64_t>(byte);
              g_sink = sum;
              return {};
            });
        if (!drained) __builtin_trap();
        break;
      }
    }
  }
  return 0;
}
