#include "collector/ingest/openmp/construct_places.hpp"

#include <filesystem>
#include <vector>

#include "common/code/symbols/elf_image.hpp"

namespace prof::ingest {

// A program or library with constructs.
class ConstructPlaces::Module {
 public:
  explicit Module(const std::string& path) : path_(path) {
    if (auto image = symbols::ElfImage::open(path)) segments_ = image->segments();
    if (auto lines = symbols::SourceLines::open(path))
      lines_ = std::make_unique<symbols::SourceLines>(std::move(*lines));
  }

  // Returns where the address lies in the file.
  std::optional<std::uint64_t> offset_of(std::uint64_t address) const {
    for (const symbols::Segment& each : segments_)
      if (address - each.address < each.size) return address - each.address + each.offset;
    return {};
  }

  symbols::SourceFrame source_of(std::uint64_t offset, symbols::Symbolizer& symbolizer) const {
    symbols::SourceFrame found;
    if (lines_ != nullptr)
      if (const auto frames = lines_->at(offset); !frames.empty()) found = frames.front();
    if (!found.file.empty())
      found.file = std::filesystem::path(found.file).lexically_normal().string();
    if (found.function.empty())
      if (const auto name = symbolizer.in_file(path_, offset); name.is_resolved)
        found.function = name.name;
    return found;
  }

 private:
  std::string path_;
  std::vector<symbols::Segment> segments_;
  std::unique_ptr<symbols::SourceLines> lines_;
};

ConstructPlaces::ConstructPlaces(const StringTable& strings, const ProcessTable& processes,
                                 report::ReportWriter& writer)
    : strings_(strings), processes_(processes), writer_(writer) {}

ConstructPlaces::~ConstructPlaces() = default;

// Returns the file that has the code, and the linked address.
std::optional<std::pair<std::string, std::uint64_t>> ConstructPlaces::module_of(
    std::uint32_t serial, std::uint64_t code) const {
  constexpr int kMaxGenerations = 64;
  for (int i = 0; i < kMaxGenerations && serial != 0; ++i) {
    const ProcessImage* const process = processes_.find(serial);
    if (const auto found = addresses_.find({serial, code}); found != addresses_.end()) {
      std::string path(strings_.text(found->second.module));
      if (path.empty() && process != nullptr) path = process->name;
      return std::pair(std::move(path), found->second.linked);
    }
    serial = process == nullptr ? 0 : process->parent_serial;
  }
  return {};
}

ConstructPlace ConstructPlaces::look_up(const std::string& path, std::uint64_t address) {
  auto& module = modules_[path];
  if (module == nullptr) module = std::make_unique<Module>(path);
  ConstructPlace place{static_cast<std::int32_t>(places_.size() + 1), {}, path, {}};
  // A call returns to the address. The call is before it.
  place.offset = module->offset_of(address - 1);
  if (place.offset) place.source = module->source_of(*place.offset, symbolizer_);
  return place;
}

const ConstructPlace* ConstructPlaces::find(std::uint32_t serial, std::uint64_t code) {
  if (code == 0) return nullptr;
  const auto [known, is_new] = known_.try_emplace({serial, code}, nullptr);
  if (!is_new) return known->second;
  const auto at = module_of(serial, code);
  if (!at) return nullptr;
  auto place = places_.find(*at);
  if (place == places_.end()) place = places_.emplace(*at, look_up(at->first, at->second)).first;
  known->second = &place->second;
  return known->second;
}

void ConstructPlaces::write() {
  const auto text = [this](const std::string& of) {
    return of.empty() ? report::Value(nullptr)
                      : report::Value(static_cast<std::int64_t>(writer_.string_id(of)));
  };
  for (const auto& [at, place] : places_)
    writer_.add(
        "PROF_OPENMP_CODE",
        {static_cast<std::int64_t>(place.id), text(place.source.function), text(place.source.file),
         place.source.line > 0 ? report::Value(static_cast<std::int64_t>(place.source.line))
                               : report::Value(nullptr),
         static_cast<std::int64_t>(writer_.string_id(place.module)),
         place.offset ? report::Value(static_cast<std::int64_t>(*place.offset))
                      : report::Value(nullptr)});
}

}  // namespace prof::ingest
