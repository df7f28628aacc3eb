#include "exporters/analysis/stalls/kernel_code.hpp"

#include <zlib.h>

#include <algorithm>
#include <utility>

#include "common/code/demangle/demangle_function.hpp"

namespace prof::stalls {
namespace {

// Larger cubins do not exist. A damaged report must not take all memory.
constexpr std::int64_t kMaxCubinBytes = std::int64_t{1} << 30;

std::vector<std::byte> decompressed(std::string_view compressed, std::int64_t size) {
  // zlib packs at most about 1,000 bytes into one.
  constexpr std::int64_t kMaxRatio = 1100;
  if (size <= 0 || size > kMaxCubinBytes ||
      size / kMaxRatio > static_cast<std::int64_t>(compressed.size()))
    return {};
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  auto length = static_cast<uLongf>(size);
  if (uncompress(reinterpret_cast<Bytef*>(bytes.data()), &length,
                 reinterpret_cast<const Bytef*>(compressed.data()),
                 static_cast<uLong>(compressed.size())) != Z_OK)
    return {};
  bytes.resize(length);
  return bytes;
}

}  // namespace

std::string place_text(const symbols::SourceFrame& frame) {
  if (frame.line == 0) return {};
  return frame.file + ":" + std::to_string(frame.line);
}

std::string callers_text(const std::vector<symbols::SourceFrame>& frames) {
  std::string text;
  for (std::size_t i = 1; i < frames.size(); ++i) {
    if (!text.empty()) text += "; ";
    text += "in " + frames[i].function;
    if (const std::string place = place_text(frames[i]); !place.empty()) text += " at " + place;
  }
  return text;
}

KernelCode::File& KernelCode::file(std::int64_t crc) {
  const auto [at, is_new] = files_.try_emplace(crc);
  if (!is_new || !reader_->has_table(kCubinTable)) return at->second;
  auto query = reader_->prepare("SELECT size, content FROM PROF_CUBINS WHERE crc = ?");
  if (!query) {
    reader_->note(query.error());
    return at->second;
  }
  query->bind(1, crc);
  if (const auto row = query->step(); !row || !*row || query->is_null(1)) return at->second;
  at->second.bytes = decompressed(query->text(1), query->integer(0));
  if (auto cubin = cubin::Cubin::read(at->second.bytes))
    at->second.cubin = std::make_unique<cubin::Cubin>(*std::move(cubin));
  return at->second;
}

std::span<const std::byte> KernelCode::bytes(std::int64_t cubin) { return file(cubin).bytes; }

const cubin::Function* KernelCode::find(std::int64_t cubin, const std::string& function) {
  const File& code = file(cubin);
  return code.cubin ? code.cubin->find(function) : nullptr;
}

std::vector<symbols::SourceFrame> KernelCode::frames(std::int64_t cubin,
                                                     const std::string& function,
                                                     std::uint64_t offset) {
  if (const cubin::Function* found = find(cubin, function))
    return file(cubin).cubin->frames(*found, offset);
  return {{demangle::demangle_function(function), {}, 0, false}};
}

}  // namespace prof::stalls
