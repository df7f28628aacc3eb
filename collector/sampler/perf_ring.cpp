#include "collector/sampler/perf_ring.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace prof::sampler {

base::Result<PerfRing> PerfRing::map(const base::UniqueFd& event, std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto memory = base::MappedFile::share(event.get(), page + bytes);
  if (!memory) return tl::make_unexpected(memory.error());
  PerfRing ring(reinterpret_cast<perf_event_mmap_page*>(memory->data()),
                memory->bytes().subspan(page));
  ring.memory_ = std::move(*memory);
  return ring;
}

void PerfRing::drain(const Visitor& visit) {
  // Pairs with the kernel's barrier before it advances data_head: the records are there.
  const std::uint64_t head = __atomic_load_n(&control_->data_head, __ATOMIC_ACQUIRE);
  std::uint64_t tail = __atomic_load_n(&control_->data_tail, __ATOMIC_RELAXED);
  if (head - tail > data_.size()) {  // never in a buffer that is not overwritten
    corrupt_bytes_ += data_.size();
    tail = head;
  }
  while (tail != head) {
    perf_event_header header;
    const std::uint64_t left = head - tail;
    if (left >= sizeof header) std::memcpy(&header, at(tail, sizeof header).data(), sizeof header);
    if (left < sizeof header || header.size < sizeof header || header.size > left) {
      corrupt_bytes_ += left;  // nothing behind it can be located
      break;
    }
    visit({header.type, header.misc, at(tail, header.size).subspan(sizeof header)});
    tail += header.size;
  }
  // Pairs with the kernel's load before it writes again: we have read everything up to here.
  __atomic_store_n(&control_->data_tail, head, __ATOMIC_RELEASE);
}

std::span<const std::byte> PerfRing::at(std::uint64_t position, std::size_t bytes) {
  const std::size_t offset = position & (data_.size() - 1);
  const std::size_t first = std::min(bytes, data_.size() - offset);
  if (first == bytes) return data_.subspan(offset, bytes);
  joined_.resize(bytes);
  std::memcpy(joined_.data(), data_.data() + offset, first);
  std::memcpy(joined_.data() + first, data_.data(), bytes - first);
  return joined_;
}

}  // namespace prof::sampler
