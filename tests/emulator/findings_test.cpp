// faults/*.cu each have one fault, which must be found at its line; right/*.cu have none, and nothing may be found.
//
// What a file of faults/ begins with:
//   // finds: KIND | KIND     one of these must be found,
//   // may find: KIND         these may be found as well,
//   // says: TEXT, names: ARRAY, operation: WORD     of that finding,
//   // error: NUMBER, crash or any   CUDA's error after the call (none),
//   // accesses: N, shape: MxNxK, devices: N     in the place of the defaults,
//   // without a line: KIND  may be found without one (of a copy, say),
// and `// <- KIND, KIND` behind each line at which those kinds may be found.

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "tests/emulator/emulated_submission.h"
#include "tests/scratch.h"

namespace gemmlab::emulation {
namespace {

std::vector<std::filesystem::path> sources(const std::string& folder) {
  std::vector<std::filesystem::path> found;
  const auto root = std::filesystem::path(GEMMLAB_SOURCE_ROOT) / "tests/emulator" / folder;
  for (const auto& entry : std::filesystem::directory_iterator(root)) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

std::string name_of(const testing::TestParamInfo<std::filesystem::path>& info) {
  return info.param.stem().string();
}

std::vector<std::string> split(const std::string& text, const std::string& separator) {
  const std::regex by(" *" + separator + " *");
  return {std::sregex_token_iterator(text.begin(), text.end(), by, -1), {}};
}

Shape shape_of(const std::string& text) {
  const auto extents = split(text, "x");
  return {std::stoi(extents.at(0)), std::stoi(extents.at(1)), std::stoi(extents.at(2))};
}

struct Planted {
  explicit Planted(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::string line;
    std::smatch match;
    for (int number = 1; std::getline(file, line); ++number) {
      if (std::regex_match(line, match, std::regex("// ([a-z ]+): (.*)"))) words[match[1]] = match[2];
      if (!std::regex_search(line, match, std::regex("// <- (.*)"))) continue;
      for (const std::string& kind : split(match[1], ",")) lines[kind].insert(number);
    }
  }
  std::string word(const std::string& name, const std::string& otherwise) const {
    const auto found = words.find(name);
    return found == words.end() ? otherwise : found->second;
  }

  std::map<std::string, std::string> words;
  std::map<std::string, std::set<int>> lines;
};

void emulate_devices(const Planted& planted) {
  setenv("GEMMLAB_EMULATED_DEVICES", planted.word("devices", "1").c_str(), 1);
}

class Fault : public test::ScratchFolder, public testing::WithParamInterface<std::filesystem::path> {};

TEST_P(Fault, is_found_at_its_line) {
  const Planted planted(GetParam());
  const EmulatedSubmission submission(GetParam(), folder_);
  emulate_devices(planted);
  GemmlabEmulationLimits limits{};
  limits.accesses = std::stoull(planted.word("accesses", "0"));
  const Called called = submission.call(shape_of(planted.word("shape", "37x29x45")), limits);
  SCOPED_TRACE(called.findings.dump(1));

  const auto wanted = split(planted.word("finds", ""), "\\|");
  const auto allowed = split(planted.word("may find", ""), ",");
  bool found = false;
  for (const auto& finding : called.findings) {
    const std::string kind = finding.at("kind");
    const bool is_wanted = std::count(wanted.begin(), wanted.end(), kind) > 0;
    EXPECT_TRUE(is_wanted || std::count(allowed.begin(), allowed.end(), kind) > 0) << kind;
    if (kind == planted.word("without a line", "")) {
      EXPECT_THAT(finding.at("text"), testing::HasSubstr(planted.word("says", "")));
      found = found || is_wanted;
      if (finding.at("line") == 0) continue;
    }
    const auto at = planted.lines.find(kind);
    ASSERT_NE(at, planted.lines.end()) << kind << " is at no line of the file";
    EXPECT_THAT(at->second, testing::Contains(finding.at("line").get<int>()));
    if (!is_wanted) continue;
    found = true;
    EXPECT_THAT(finding.at("text"),
                testing::HasSubstr("line " + std::to_string(finding.at("line").get<int>())));
    EXPECT_THAT(finding.at("text"), testing::HasSubstr(planted.word("says", "")));
    EXPECT_EQ(finding.at("array"), planted.word("names", finding.at("array")));
  }
  EXPECT_TRUE(found) << "nothing was found";
  const std::string happened = called.crashed ? "crash" : std::to_string(called.error);
  const std::string error = planted.word("error", "0");
  EXPECT_EQ(happened, error == "any" ? happened : error) << called.error_text;
}

INSTANTIATE_TEST_SUITE_P(Planted, Fault, testing::ValuesIn(sources("faults")), name_of);

class Right : public test::ScratchFolder, public testing::WithParamInterface<std::filesystem::path> {};

TEST_P(Right, raises_no_finding_and_gives_the_product) {
  const EmulatedSubmission submission(GetParam(), folder_);
  emulate_devices(Planted(GetParam()));
  for (const Shape& shape : {Shape{1, 1, 1}, Shape{37, 29, 45}, Shape{64, 32, 128}, Shape{4, 130, 65}}) {
    SCOPED_TRACE(testing::Message() << shape.m << "x" << shape.n << "x" << shape.k);
    const Called called = submission.call(shape, {});
    EXPECT_EQ(called.findings, nlohmann::json::array()) << called.findings.dump(1);
    EXPECT_EQ(called.error, 0) << called.error_text;
    EXPECT_EQ(called.wrong, 0);
  }
}

class ManyLaunches : public test::ScratchFolder {};

TEST_F(ManyLaunches, are_not_kept_but_for_the_first_that_are_counted) {
  std::filesystem::create_directory(folder_ / "from");
  const auto source = folder_ / "from/many_launches.cu";
  std::ofstream(source) << R"(
__global__ void set(float* C) { C[0] = 1; }
extern "C" void solve(const float*, const float*, float* C, int, int, int) {
  for (int i = 0; i < 3000; ++i) set<<<1, 1>>>(C);
})";
  const EmulatedSubmission submission(source, folder_);
  EXPECT_EQ(submission.call({1, 1, 1}, {}).launches, 0U);
  GemmlabEmulationLimits limits{};
  limits.counts = 1;
  const Called counted = submission.call({1, 1, 1}, limits);
  EXPECT_EQ(counted.launches, 2000U);
  EXPECT_EQ(counted.launches_left_out, 1000U);
}

INSTANTIATE_TEST_SUITE_P(Tricky, Right, testing::ValuesIn(sources("right")), name_of);

}  // namespace
}  // namespace gemmlab::emulation
