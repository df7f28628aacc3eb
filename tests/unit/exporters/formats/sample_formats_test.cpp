#include "exporters/formats/sample_formats.hpp"

#include <zlib.h>

#include <nlohmann/json.hpp>

#include "tests/unit/exporters/sample_fixture.hpp"

namespace prof::formats {
namespace {

using nlohmann::json;
using test::global_id;
using test::python_frame;

class SampleFormatsTest : public test::SampleFixture {
 protected:
  base::Result<std::string> written(std::string_view type, std::string_view kind = "cpu") {
    for (const SampleFormat& format : sample_formats()) {
      if (type != format.name) continue;
      std::string text;
      const auto file = reader();
      const base::Status done = export_samples(file, format, *sample_kind(kind), {lines_.get()},
                                               [&](std::string_view part) {
                                                 text += part;
                                                 return base::Status();
                                               });
      if (!done) return tl::make_unexpected(done.error());
      return text;
    }
    return base::fail("no such format");
  }
  Lines collapsed(std::string_view kind = "cpu") {
    const std::string text = *written("collapsed", kind);
    Lines result;
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
      result.push_back(text.substr(at, text.find('\n', at) - at));
    return result;
  }
};

// Fields of a protocol buffer message, by number.
struct Field {
  std::uint64_t number = 0;
  std::string bytes = {};
};
using Fields = std::multimap<std::uint64_t, Field>;

std::uint64_t varint(const std::string& bytes, std::size_t& at) {
  std::uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.at(at++));
    value |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return value;
  }
}

Fields fields_of(const std::string& bytes) {
  Fields fields;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::uint64_t tag = varint(bytes, at);
    Field field;
    if ((tag & 7) == 0) {
      field.number = varint(bytes, at);
    } else {
      const std::uint64_t length = varint(bytes, at);
      field.bytes = bytes.substr(at, length);
      at += length;
    }
    fields.emplace(tag >> 3, field);
  }
  return fields;
}

std::vector<std::uint64_t> list_of(const std::string& bytes) {
  std::vector<std::uint64_t> list;
  for (std::size_t at = 0; at < bytes.size();) list.push_back(varint(bytes, at));
  return list;
}

std::string unzipped(const std::string& packed) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, MAX_WBITS + 16), Z_OK);
  std::string text(packed.size() * 200 + 1000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return text;
}

TEST_F(SampleFormatsTest, CollapsedCountsPaths) {
  add_shares();
  EXPECT_EQ(collapsed(), (Lines{"app (9);thread (9);main;hot 5", "app (9);thread (9);main;warm 3",
                                "app (9);worker (10);main;recursive;recursive;recursive 2"}));
  set_interval("2000000");
  EXPECT_EQ(collapsed()[0], "app (9);thread (9);main;hot 5");
}

TEST_F(SampleFormatsTest, CollapsedPathsAreOneLineWhateverNamesHold) {
  add_samples(1, {{"a;b\nc"}, {"operator new(unsigned long)"}});
  EXPECT_EQ(collapsed(), (Lines{"app (9);thread (9);operator new(unsigned long);a:b c 1"}));
}

TEST_F(SampleFormatsTest, CollapsedWaitsWeighNanoseconds) {
  add_os_call(100, 160, "read", 1);
  add_os_call(110, 120, "inner", 1, 1);  // nested: not counted
  add_os_call(200, 240, "read", 2);
  add_os_call(300, 305, "poll");
  add_chain("OSRT_CALLCHAINS", 1, {{"__libc_read", "/lib/libc.so.6"}, {"load"}, {"main"}});
  add_chain("OSRT_CALLCHAINS", 2, {python_frame("fetch", "/x/a.py", 3)});
  EXPECT_EQ(collapsed("osrt"), (Lines{"app (9);thread (9);[No call chain];poll 5",
                                      "app (9);thread (9);main;load;__libc_read 60",
                                      "app (9);thread (9);fetch (a.py);read 40"}));
}

TEST_F(SampleFormatsTest, SpeedscopeHasAProfileForEachThread) {
  add_shares();
  set_interval("1000");
  const json document = json::parse(*written("speedscope"));
  const json& frames = document["shared"]["frames"];
  ASSERT_EQ(document["profiles"].size(), 2U);
  const json& profile = document["profiles"][0];
  EXPECT_EQ(profile["name"], "app (9): thread (9)");
  EXPECT_EQ(profile["unit"], "nanoseconds");
  EXPECT_EQ(profile["endValue"], 8000);
  // Consecutive samples with equal paths are merged.
  EXPECT_EQ(profile["weights"], json({5000, 3000}));
  const json& outermost = frames[profile["samples"][0][0].get<std::size_t>()];
  EXPECT_EQ(outermost["name"], "main");
  EXPECT_EQ(outermost["file"], "/bin/app");
  EXPECT_EQ(document["profiles"][1]["samples"][0].size(), 4U);
}

TEST_F(SampleFormatsTest, PprofHasPathsFromTheInnermostAndLabels) {
  add_shares();
  set_interval("1000");
  const Fields profile = fields_of(unzipped(*written("pprof")));
  Lines texts;
  for (auto [at, end] = profile.equal_range(6); at != end; ++at) texts.push_back(at->second.bytes);
  EXPECT_EQ(texts[0], "");
  std::map<std::uint64_t, std::string> functions;
  for (auto [at, end] = profile.equal_range(5); at != end; ++at) {
    const Fields function = fields_of(at->second.bytes);
    functions[function.find(1)->second.number] = texts[function.find(2)->second.number];
  }
  std::map<std::uint64_t, std::string> locations;
  for (auto [at, end] = profile.equal_range(4); at != end; ++at) {
    const Fields location = fields_of(at->second.bytes);
    const Fields line = fields_of(location.find(4)->second.bytes);
    locations[location.find(1)->second.number] = functions[line.find(1)->second.number];
    EXPECT_EQ(location.find(3)->second.number, 4096U);
    EXPECT_EQ(location.find(2)->second.number, 1U);
  }
  std::map<std::string, std::vector<std::uint64_t>> values;
  for (auto [at, end] = profile.equal_range(2); at != end; ++at) {
    const Fields sample = fields_of(at->second.bytes);
    std::string path;
    for (const std::uint64_t id : list_of(sample.find(1)->second.bytes))
      path += locations[id] + " ";
    const Fields tid = fields_of(std::next(sample.find(3))->second.bytes);
    EXPECT_EQ(texts[tid.find(1)->second.number], "tid");
    path += std::to_string(tid.find(3)->second.number);
    values[path] = list_of(sample.find(2)->second.bytes);
  }
  const std::map<std::string, std::vector<std::uint64_t>> expected = {
      {"hot main 9", {5, 5000}},
      {"warm main 9", {3, 3000}},
      {"recursive recursive recursive main 10", {2, 2000}}};
  EXPECT_EQ(values, expected);
  EXPECT_EQ(profile.count(3), 1U);  // of /bin/app
}

TEST_F(SampleFormatsTest, FirefoxTablesReferToEachOther) {
  add_shares();
  add_samples(1, {python_frame("work", "/x/a.py", 7)});
  const json document = json::parse(*written("firefox"));
  const json& shared = document["shared"];
  for (const char* table : {"stackTable", "frameTable", "funcTable", "resourceTable", "sources"})
    for (const auto& [name, column] : shared[table].items()) {
      if (name == "length") continue;
      EXPECT_EQ(column.size(), shared[table]["length"].get<std::size_t>()) << table << "." << name;
    }
  std::map<std::string, int> paths;
  for (const json& thread : document["threads"])
    for (const json& stack : thread["samples"]["stack"]) {
      std::string path = std::to_string(thread["tid"].get<int>());
      for (json at = stack; !at.is_null();
           at = shared["stackTable"]["prefix"][at.get<std::size_t>()]) {
        const std::size_t frame = shared["stackTable"]["frame"][at.get<std::size_t>()];
        const std::size_t function = shared["frameTable"]["func"][frame];
        const std::size_t name = shared["funcTable"]["name"][function];
        path += " " + shared["stringArray"][name].get<std::string>();
        if (path.ends_with("work")) {
          EXPECT_EQ(shared["frameTable"]["line"][frame], 7);
          EXPECT_EQ(shared["funcTable"]["source"][function], 0);
        }
      }
      ++paths[path];
    }
  EXPECT_EQ(paths, (std::map<std::string, int>{{"9 hot main", 5},
                                               {"9 warm main", 3},
                                               {"9 work", 1},
                                               {"10 recursive recursive recursive main", 2}}));
  EXPECT_EQ(document["threads"][0]["samples"]["time"][0], 0.001);
}

TEST_F(SampleFormatsTest, FirefoxWeighsCallsInMilliseconds) {
  add_os_call(1000000, 3500000, "read");
  const json samples = json::parse(*written("firefox", "osrt"))["threads"][0]["samples"];
  EXPECT_EQ(samples["weight"], json({2.5}));
  EXPECT_EQ(samples["weightType"], "tracing-ms");
}

TEST_F(SampleFormatsTest, NoSamplesIsAnError) {
  const auto none = written("collapsed", "python");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("PROF_PYTHON_SAMPLES"), std::string::npos);
}

TEST_F(SampleFormatsTest, AFailingOutputStopsIt) {
  add_shares();
  const auto file = reader();
  for (const SampleFormat& format : sample_formats()) {
    const base::Status done =
        export_samples(file, format, events::SampleKind::kCpu, {},
                       [](std::string_view) -> base::Status { return base::fail("disk full"); });
    ASSERT_FALSE(done) << format.name;
    EXPECT_EQ(done.error().message, "disk full");
  }
}

TEST_F(SampleFormatsTest, CollapsedAndSpeedscopeWithLines) {
  add_inlined();
  add_samples(1, {python_frame("work", "/x/a.py", 7)});
  EXPECT_EQ(
      collapsed(),
      (Lines{"app (9);thread (9);main (a.cpp:9);half (a.cpp:5);between (b.h:2);step (a.cpp:1) 6",
             "app (9);thread (9);main (a.cpp:9);half (a.cpp:5);between (b.h:2);step (a.cpp:3) 3",
             "app (9);thread (9);main (a.cpp:9);other 1", "app (9);thread (9);work (a.py:7) 1"}));
  const json document = json::parse(*written("speedscope"));
  const json& frames = document["shared"]["frames"];
  const json& path = document["profiles"][0]["samples"][0];
  ASSERT_EQ(path.size(), 4U);
  EXPECT_EQ(frames[path[2].get<std::size_t>()],
            (json{{"name", "between"}, {"file", "/s/b.h"}, {"line", 2}}));
}

TEST_F(SampleFormatsTest, PprofHasTheProgramAsItsFirstMappingAndNoNamesOfTheSystem) {
  add_samples(3, {{"copy<int>", "/lib/libcopy.so"}, {"main"}});
  const Fields profile = fields_of(unzipped(*written("pprof")));
  Lines texts;
  for (auto [at, end] = profile.equal_range(6); at != end; ++at) texts.push_back(at->second.bytes);
  const Fields first = fields_of(profile.find(3)->second.bytes);
  EXPECT_EQ(texts[first.find(5)->second.number], "/bin/app");
  EXPECT_EQ(profile.count(3), 2U);
  for (auto [at, end] = profile.equal_range(5); at != end; ++at)
    EXPECT_EQ(fields_of(at->second.bytes).count(3), 0U);
}

TEST_F(SampleFormatsTest, PprofHasInlinedFunctionsInOneLocation) {
  add_inlined();
  const Fields profile = fields_of(unzipped(*written("pprof")));
  Lines texts;
  for (auto [at, end] = profile.equal_range(6); at != end; ++at) texts.push_back(at->second.bytes);
  std::map<std::uint64_t, std::string> functions;
  for (auto [at, end] = profile.equal_range(5); at != end; ++at) {
    const Fields function = fields_of(at->second.bytes);
    const auto file = function.find(4);
    functions[function.find(1)->second.number] =
        texts[function.find(2)->second.number] +
        (file == function.end() ? "" : "@" + texts[file->second.number]);
  }
  std::map<std::uint64_t, std::string> locations;
  Lines all;
  for (auto [at, end] = profile.equal_range(4); at != end; ++at) {
    const Fields location = fields_of(at->second.bytes);
    std::string& lines = locations[location.find(1)->second.number];
    lines = std::to_string(location.find(3)->second.number);
    for (auto [each, last] = location.equal_range(4); each != last; ++each) {
      const Fields line = fields_of(each->second.bytes);
      lines += " " + functions[line.find(1)->second.number];
      if (line.contains(2)) lines += ":" + std::to_string(line.find(2)->second.number);
    }
    all.push_back(lines);
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, (Lines{"1000 step@/s/a.cpp:1 between@/s/b.h:2 half@/s/a.cpp:5",
                        "1010 step@/s/a.cpp:3 between@/s/b.h:2 half@/s/a.cpp:5",
                        "2000 main@/s/a.cpp:9", "3000 other"}));
  std::map<std::string, std::uint64_t> samples;
  for (auto [at, end] = profile.equal_range(2); at != end; ++at) {
    const Fields sample = fields_of(at->second.bytes);
    const auto path = list_of(sample.find(1)->second.bytes);
    ASSERT_EQ(path.size(), 2U);
    EXPECT_EQ(locations[path[1]], "2000 main@/s/a.cpp:9");
    samples[locations[path[0]].substr(0, 4)] = list_of(sample.find(2)->second.bytes)[0];
  }
  EXPECT_EQ(samples, (std::map<std::string, std::uint64_t>{{"1000", 6}, {"1010", 3}, {"3000", 1}}));
}

TEST_F(SampleFormatsTest, FirefoxHasTheDepthOfInlinedFrames) {
  add_inlined();
  const json shared = json::parse(*written("firefox"))["shared"];
  const json& frames = shared["frameTable"];
  Lines found;
  for (std::size_t i = 0; i < frames["length"].get<std::size_t>(); ++i) {
    const std::size_t function = frames["func"][i];
    const json& source = shared["funcTable"]["source"][function];
    const auto text = [&](const json& index) {
      return shared["stringArray"][index.get<std::size_t>()].get<std::string>();
    };
    found.push_back(
        text(shared["funcTable"]["name"][function]) + " " + frames["line"][i].dump() + " " +
        frames["inlineDepth"][i].dump() + " " +
        (source.is_null() ? "-" : text(shared["sources"]["filename"][source.get<std::size_t>()])));
  }
  EXPECT_EQ(found, (Lines{"step 1 2 /s/a.cpp", "between 2 1 /s/b.h", "half 5 0 /s/a.cpp",
                          "main 9 0 /s/a.cpp", "step 3 2 /s/a.cpp", "other null 0 -"}));
}

}  // namespace
}  // namespace prof::formats
