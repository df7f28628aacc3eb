#include "collector/ingest/cuda/cubins.hpp"

#include <zlib.h>

namespace prof::ingest {

namespace {

std::string compressed(const std::string& bytes) {
  std::string packed(compressBound(bytes.size()), '\0');
  uLongf size = packed.size();
  const int status =
      compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), Z_BEST_SPEED);
  packed.resize(status == Z_OK ? size : 0);
  return packed;
}

}  // namespace

void Cubins::add(const wire::CudaCubinRecord& record, std::span<const std::byte> bytes) {
  if (record.size == 0 || known_.contains(record.crc)) return;
  const auto found = parts_.try_emplace(record.crc).first;
  Part& part = found->second;
  if (part.pieces.empty()) part.size = record.size;
  if (!part.pieces.try_emplace(record.at, bytes).second) return;
  part.received += bytes.size();
  if (part.received != part.size) return;
  std::string whole;
  for (const auto& [at, piece] : part.pieces)
    if (at == whole.size()) whole.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  if (whole.size() == part.size) write(record.crc, whole);
  parts_.erase(found);
}

void Cubins::write(std::uint64_t crc, const std::string& bytes) {
  known_.insert(crc);
  const std::string packed = compressed(bytes);
  report::CubinRow row;
  row.crc = static_cast<std::int64_t>(crc);
  row.size = static_cast<std::int64_t>(bytes.size());
  if (!packed.empty()) row.set<&report::CubinRow::content>(report::Blob{packed});
  writer_.add(row);
  writer_.flush();  // the bytes end with this function
}

}  // namespace prof::ingest
