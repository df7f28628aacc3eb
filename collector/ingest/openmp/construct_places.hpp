// Where constructs of OpenMP and OpenACC are in the source of programs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "collector/ingest/process_table.hpp"
#include "collector/ingest/string_table.hpp"
#include "common/code/symbols/source_lines.hpp"
#include "common/code/symbols/symbolizer.hpp"
#include "common/report/report_writer.hpp"
#include "common/wire/openmp_records.hpp"

namespace prof::ingest {

struct ConstructPlace {
  std::int32_t id = 0;                  // of PROF_OPENMP_CODE
  symbols::SourceFrame source;          // as far as it is known
  std::string module;                   // path of the program or library
  std::optional<std::uint64_t> offset;  // in that file
};

class ConstructPlaces {
 public:
  // The references outlive the object.
  ConstructPlaces(const StringTable& strings, const ProcessTable& processes,
                  report::ReportWriter& writer);
  ~ConstructPlaces();
  ConstructPlaces(const ConstructPlaces&) = delete;
  ConstructPlaces& operator=(const ConstructPlaces&) = delete;

  // Takes an address of a process image.
  void define(std::uint32_t serial, const wire::CodeAddressRecord& record) {
    addresses_.try_emplace({serial, record.code}, Address{record.module, record.address});
  }

  // Returns the place to which an address belongs; null if it is not known. A fork child has the
  // addresses of its parent. The place is valid as long as this object.
  const ConstructPlace* find(std::uint32_t serial, std::uint64_t code);

  // Writes the places that were found as PROF_OPENMP_CODE.
  void write();

 private:
  class Module;
  struct Address {
    std::uint64_t module, linked;  // as in the record
  };

  std::optional<std::pair<std::string, std::uint64_t>> module_of(std::uint32_t serial,
                                                                 std::uint64_t code) const;
  ConstructPlace look_up(const std::string& path, std::uint64_t address);

  const StringTable& strings_;
  const ProcessTable& processes_;
  report::ReportWriter& writer_;
  symbols::Symbolizer symbolizer_;
  std::map<std::string, std::unique_ptr<Module>> modules_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, Address> addresses_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, const ConstructPlace*> known_;
  std::map<std::pair<std::string, std::uint64_t>, ConstructPlace> places_;  // by linked address
};

}  // namespace prof::ingest
