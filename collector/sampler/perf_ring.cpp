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
  const std::uint64_t end = written();
  read(released(), end, [&](const PerfRecord& record) {
    visit(record);
    return true;
  });
  release(end);
}

// This acquire pairs with the kernel's barrier before it advances data_head, so the records are
// complete.
std::uint64_t PerfRing::written() const {
  return __atomic_load_n(&control_->data_head, __ATOMIC_ACQUIRE);
}

std::uint64_t PerfRing::released() const {
  return __atomic_load_n(&control_->data_tail, __ATOMIC_RELAXED);
}

std::uint64_t PerfRing::read(std::uint64_t begin, std::uint64_t end, const Reader& reader) {
  if (end - begin > data_.size()) {  // impossible, because the buffer is not in overwrite mode
    corrupt_bytes_ += data_.size();
    return end;
  }
  while (begin != end) {
    perf_event_header header;
    const std::uint64_t left = end - begin;
    if (left >= sizeof header) std::memcpy(&header, at(begin, sizeof header).data(), sizeof header);
    if (left < sizeof header || header.size < sizeof header || header.size > left) {
      corrupt_bytes_ += left;  // no record after these bytes can be located
      return end;
    }
    if (!reader({header.type, header.misc, at(begin, header.size).subspan(sizeof header)})) break;
    begin += header.size;
  }
  return begin;
}

// This release pairs with the kernel's load before it writes again, so the records have been read
// by then.
void PerfRing::release(std::uint64_t position) {
  __atomic_store_n(&control_->data_tail, position, __ATOMIC_RELEASE);
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
