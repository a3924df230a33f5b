// A point keeps its case_id for ever: what is recorded is not measured again, and reports find it.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/records/attributes.h"
#include "operations/gemm/implementation.h"

namespace gemmlab::test {
namespace {

namespace fs = std::filesystem;

/// The point of a `case` record, of today's or of an older format.
Point point_of(const Json& record) {
  Point point;
  point.implementation = record.at("implementation");
  point.parameters = parameters_from(record.at("parameters"));
  point.group = record.at("group");
  point.instance = instance_from(record);
  point.replica = record.value("replica", 0);
  point.handicap = record.value("handicap", 0.0);
  const Json twin_of = record.value("twin_of", Json());
  if (twin_of.is_string()) point.twin_of = twin_of;
  for (const Attribute& attribute : attributes()) {
    const Json value = record.value(attribute.name, Json());
    if (!value.is_null()) attribute.set(point, value);
  }
  return point;
}

TEST(CaseId, of_every_committed_record_is_what_its_fields_give) {
  std::size_t checked = 0;
  const fs::path results = fs::path(GEMMLAB_SOURCE_ROOT) / "data" / "results";
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(results)) {
    if (entry.path().extension() != ".jsonl") continue;
    std::ifstream lines(entry.path());
    for (std::string line; std::getline(lines, line);) {
      const Json record = Json::parse(line);
      if (record.value("kind", "") != "case") continue;
      ++checked;
      ASSERT_EQ(point_of(record).case_id(), record.at("case_id"))
          << entry.path() << ": " << line.substr(0, 500);
    }
  }
  EXPECT_GT(checked, 1000u) << "the committed records were not found";
}

TEST(CaseId, tells_operations_and_options_apart_from_gemm_and_its_defaults) {
  Point plain;
  plain.implementation = "cpu.serial";
  plain.instance = gemm_at({8, 8, 8});
  const Json canonical = plain.canonical();
  EXPECT_FALSE(canonical.contains("operation"));
  EXPECT_FALSE(canonical.contains("options"));
  Point other = plain;
  other.instance.dims[2] = 9;
  EXPECT_NE(other.case_id(), plain.case_id());
  Point with_option = plain;
  with_option.instance.options["of_another_program"] = std::int64_t{2};
  EXPECT_NE(with_option.case_id(), plain.case_id());
}

}  // namespace
}  // namespace gemmlab::test
