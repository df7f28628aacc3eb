// The arena reader against a hostile writer: the input overwrites headers and chunk contents.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "collector/ingest/arena.hpp"
#include "collector/ingest/arena_reader.hpp"
#include "tests/fuzz/input.hpp"

using namespace prof;
using fuzz::Input;

namespace {

volatile std::uint64_t g_sink;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static ingest::Arena arena = *ingest::Arena::create(4, 8);
  auto* header = arena.header();
  for (std::uint32_t i = 0; i < 8; ++i) {
    header->owners[i] = 0;
    if (i < 4)
      std::memset(static_cast<void*>(wire::chunk_at(header, i)), 0, sizeof(wire::ChunkHeader));
  }
  header->backed_chunks = 4;
  ingest::ArenaReader reader(arena);
  for (Input input(data, size); !input.empty();) {
    const auto what = input.take<std::uint8_t>();
    auto* chunk = wire::chunk_at(header, what & 3);
    switch (what >> 2 & 7) {
      case 0:
        header->owners[what & 3] = input.take<std::uint64_t>();
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
        header->max_chunks = input.take<std::uint32_t>();
        break;
      default: {
        const auto drained = reader.drain(
            [](const ingest::PieceHeader&, std::span<const std::byte> bytes) -> base::Status {
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
