#include "cli/options/arguments.hpp"

#include <gtest/gtest.h>

#include "cli/messages/failure.hpp"
#include "cli/options/option_kinds.hpp"

namespace prof::cli {
namespace {

class Arguments : public ::testing::Test {
 protected:
  Arguments() {
    app_.add_option("-o,--output", output_);
    add_bool(app_, "-f,--force-overwrite", force_, "");
    app_.add_flag("--json", json_);
  }
  SplitArguments split(std::vector<std::string> words, bool takes_command = true) {
    OptionSet options(app_);
    return split_arguments(options, "profile", words, takes_command);
  }
  std::string error_of(std::vector<std::string> words) {
    try {
      split(std::move(words));
    } catch (const Failure& failure) {
      return failure.what();
    }
    return "";
  }
  using Words = std::vector<std::string>;

  CLI::App app_;
  std::string output_;
  bool force_ = false;
  bool json_ = false;
};

TEST_F(Arguments, BothSpellingsOfAValue) {
  for (const Words& words :
       {Words{"-o", "x"}, Words{"-ox"}, Words{"-o=x"}, Words{"--output", "x"}, Words{"--output=x"}})
    EXPECT_EQ(split(words).options, Words{"--output=x"});
}

TEST_F(Arguments, BooleansTakeTheirValueOnlyIfItIsOne) {
  EXPECT_EQ(split({"-f", "true", "cmd"}).options, Words{"--force-overwrite=true"});
  EXPECT_EQ(split({"-f", "false", "cmd"}).options, Words{"--force-overwrite=false"});
  const auto without = split({"-f", "cmd", "true"});
  EXPECT_EQ(without.options, Words{"--force-overwrite=true"});
  EXPECT_EQ(without.command, (Words{"cmd", "true"}));
}

TEST_F(Arguments, SoDoBooleansWithAuto) {
  std::string taken;
  add_auto_bool(
      app_, "--sampling", [&taken](const std::string& word) { taken = word; }, "");
  EXPECT_EQ(split({"--sampling", "cmd"}).options, Words{"--sampling=true"});
  EXPECT_EQ(split({"--sampling", "auto", "cmd"}).options, Words{"--sampling=auto"});
  EXPECT_EQ(split({"-f", "auto"}).command, Words{"auto"});
}

TEST_F(Arguments, AnOptionalValueIsOneOfTheWords) {
  app_.add_option("--backtrace", output_)->expected(0, 1)->type_name("cuda|osrt|none");
  EXPECT_EQ(split({"--backtrace", "python3", "x.py"}).command, (Words{"python3", "x.py"}));
  EXPECT_EQ(split({"--backtrace", "cuda,osrt", "x"}).options, Words{"--backtrace=cuda,osrt"});
  EXPECT_EQ(split({"--backtrace=none", "x"}).options, Words{"--backtrace=none"});
}

TEST_F(Arguments, BooleansOfPythonAreBooleans) {
  EXPECT_EQ(split({"-f", "True", "cmd"}).options, Words{"--force-overwrite=true"});
  EXPECT_EQ(split({"--force-overwrite=False", "cmd"}).options, Words{"--force-overwrite=false"});
  EXPECT_EQ(split({"-o", "True", "cmd"}).options, Words{"--output=True"});
}

TEST_F(Arguments, OptionsOfNsysBecomeNotes) {
  const auto words = split({"--etw-provider=x", "--auto-report-name", "--etw-provider=y", "--dask",
                            "functions-trace", "cmd"});
  EXPECT_EQ(words.command, Words{"cmd"});
  EXPECT_TRUE(words.options.empty());
  ASSERT_EQ(words.notes.size(), 3U);
  EXPECT_EQ(words.notes[0].find("--etw-provider: "), 0U);
  EXPECT_EQ(words.notes[1].find("--auto-report-name: "), 0U);
  EXPECT_EQ(words.notes[2].find("--dask: "), 0U);
}

TEST_F(Arguments, OptionsOfNsysAreThoseOfTheVerb) {
  OptionSet options(app_);
  EXPECT_EQ(
      split_arguments(options, "launch", {"-y", "2", "x"}, true).notes.at(0).find("--delay: "), 0U);
  EXPECT_THROW(split_arguments(options, "stats", {"-y", "2"}, false), Failure);
  EXPECT_THROW(split_arguments(options, "launch", {"-Y", "x"}, true), Failure);  // not -y
}

TEST_F(Arguments, ValuesThatAskForNothingAreAcceptedSilently) {
  const auto words = split({"--dask", "None", "--resolve-symbols=true", "--auto-report-name=False",
                            "--cuda-trace-scope=process-tree", "--cpu-metrics=none", "cmd"});
  EXPECT_TRUE(words.options.empty() && words.notes.empty());
  EXPECT_EQ(words.command, Words{"cmd"});
  EXPECT_EQ(split({"--discard-environment=false", "cmd"}).notes.size(), 1U);
}

TEST_F(Arguments, OtherSpellingsBecomeOptionsOfProf) {
  std::string devices;
  std::vector<std::string> plugins;
  app_.add_option("--gpu-metrics-devices", devices);
  app_.add_option("--enable", plugins)->allow_extra_args(false);
  EXPECT_EQ(split({"--gpu-metrics-device", "0,1", "cmd"}).options,
            Words{"--gpu-metrics-devices=0,1"});
  EXPECT_EQ(split({"--nic-metrics=lf", "--storage-metrics", "./cmd"}).options,
            (Words{"--enable=network_interface", "--enable=storage_metrics"}));
  EXPECT_EQ(split({"--storage-metrics=--interval=5,--storage-devices=a", "cmd"}).options,
            Words{"--enable=storage_metrics,--interval=5,--storage-devices=a"});
}

TEST_F(Arguments, TheLastOfSeveralValuesCounts) {
  CLI::App app;
  let_last_value_count(app);
  std::string output;
  std::vector<std::string> plugins;
  app.add_option("-o,--output", output);
  app.add_option("--enable", plugins)->allow_extra_args(false);
  parse_options(app, {{"--output=a", "--enable=x", "--output=b", "--enable=y"}, {}, {}}, "profile");
  EXPECT_EQ(output, "b");
  EXPECT_EQ(plugins, (Words{"x", "y"}));
}

TEST_F(Arguments, FlagsKeepTheValueGivenWithThem) {
  std::string rule;
  app_.add_flag("--help-rules{all}", rule);
  EXPECT_EQ(split({"--help-rules", "cmd"}).options, Words{"--help-rules"});
  EXPECT_EQ(split({"--help-rules=x", "cmd"}).options, Words{"--help-rules=x"});
}

TEST_F(Arguments, TheCommandKeepsItsOwnOptions) {
  const auto words = split({"--json", "cmd", "-o", "--json", "--"});
  EXPECT_EQ(words.options, Words{"--json"});
  EXPECT_EQ(words.command, (Words{"cmd", "-o", "--json", "--"}));
  EXPECT_EQ(split({"--", "-weird"}).command, Words{"-weird"});
}

TEST_F(Arguments, WithoutACommandPositionalsCanBeAnywhere) {
  EXPECT_EQ(split({"file", "--json"}, false).options, (Words{"file", "--json"}));
  EXPECT_EQ(split({"--", "-file"}, false).options, (Words{"--", "-file"}));
  EXPECT_TRUE(split({"--"}, false).options.empty());
}

TEST_F(Arguments, ErrorsSuggest) {
  EXPECT_EQ(error_of({"--outptu", "x"}),
            "unknown option --outptu; did you mean --output? (see --help)");
  EXPECT_EQ(error_of({"--zzzzzzzz"}), "unknown option --zzzzzzzz (see --help)");
  EXPECT_EQ(error_of({"-o"}), "option -o needs a value (see --help)");
}

TEST(Nearest, FindsTyposAndPrefixesButNotStrangers) {
  const std::vector<std::string> known{"osrt", "nvtx", "cuda"};
  EXPECT_EQ(nearest("osrtt", known), "osrt");
  EXPECT_EQ(nearest("cud", known), "cuda");
  EXPECT_EQ(nearest("nvt", known), "nvtx");
  EXPECT_EQ(nearest("completely-else", known), "");
}

}  // namespace
}  // namespace prof::cli
