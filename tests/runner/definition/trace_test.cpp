#include "runner/definition/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operations/gemm/implementation.h"
#include "runner/usage_error.h"
#include "tests/runner/support.h"

namespace gemmlab::runner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kLine =
    R"({"function":"cblas_sgemm","operands":"host","m":8,"n":6,"k":4,"transpose_a":true,"transpose_b":false,)"
    R"("alpha":0.7,"beta":1.0,"lda":10,"ldb":6,"ldc":6,"batch":1,"by":"cpu.packed","reason":"","calls":3,)"
    R"("timed_calls":3,"seconds":0.25})";

std::string with(std::string line, const std::string& text, const std::string& other) {
  const std::size_t at = line.find(text);
  EXPECT_NE(at, std::string::npos) << text;
  return line.replace(at, text.size(), other);
}

class Trace : public test::Scratch {
 protected:
  Definition loaded(const std::string& text) { return load_trace(write("program.jsonl", text), catalogue_); }
  std::string refusal(const std::string& text) {
    try {
      loaded(text);
    } catch (const UsageError& error) {
      return error.what();
    }
    return {};
  }
  Catalogue catalogue_;
};

TEST_F(Trace, becomes_a_group_for_each_product_the_longest_first) {
  const std::string longer = with(with(kLine, "\"m\":8", "\"m\":9"), "0.25", "0.75");
  const Definition definition = loaded(std::string(kLine) + "\n" + longer + "\n" + kLine + "\n");
  EXPECT_EQ(definition.name, "trace_program");
  ASSERT_EQ(definition.groups.size(), 2u);
  EXPECT_THAT(definition.groups[0].name, HasSubstr("9x6x4"));
  const Group& group = definition.groups[1];
  EXPECT_THAT(group.name, HasSubstr("A transposed, alpha = 0.7, beta = 1, lda = 10 (6 calls)"));
  EXPECT_THAT(group.instance.dims, ElementsAre(8, 6, 4));
  const GemmForm form = form_of(group.instance);
  EXPECT_TRUE(form.transpose_a);
  EXPECT_FALSE(form.transpose_b);
  EXPECT_EQ(form.alpha, 0.7F);
  EXPECT_EQ(form.beta, 1);
  EXPECT_EQ(form.lda, 10);
  bool has_packed = false;
  for (const Point& point : group.points) has_packed |= point.implementation == "cpu.packed";
  EXPECT_TRUE(has_packed);
}

std::string of_types(const std::string& types) {
  return with(kLine, "\"batch\":1", types + ",\"batch\":1");
}

TEST_F(Trace, types_are_measured_with_the_last_of_our_own_and_what_answered) {
  const std::string line = of_types(R"("type":"bfloat16","result":"float32","bias":true)");
  const Definition definition = loaded(std::string(kLine) + "\n" + with(line, "cpu.packed", "cpu.widened"));
  ASSERT_EQ(definition.groups.size(), 2u) << "one shape, and two pairs of types";
  EXPECT_TRUE(types_of(definition.groups[0].instance).plain());
  const Group& group = definition.groups[1];
  EXPECT_EQ(types_of(group.instance), (GemmTypes{ElementType::kBfloat16, ElementType::kFloat32}));
  EXPECT_THAT(group.name, HasSubstr("lda = 10, bfloat16 to float32 (3 calls)"));
  std::vector<std::string> ids;
  for (const Point& point : group.points) ids.push_back(point.implementation);
  EXPECT_THAT(ids, ElementsAre("cpu.widened", "cpu.tiles_blocked", "cpu.onednn_typed", "cpu.mkl_typed"));
}

TEST_F(Trace, types_that_gemm_does_not_multiply_are_skipped_or_told) {
  const Definition definition = loaded(
      std::string(kLine) + "\n" + of_types(R"("type":"bfloat16","result":"float16")") + "\n" +
      with(with(of_types(R"("type":"float16","result":"float16")"), "0.7", "1.0"), "\"m\":8", "\"m\":7"));
  ASSERT_EQ(definition.groups.size(), 2u);
  EXPECT_EQ(describe(types_of(definition.groups[1].instance)), "float16");
  ASSERT_EQ(definition.notes.size(), 1u);
  EXPECT_THAT(definition.notes[0], HasSubstr("program.jsonl:2: skipped: "));
  EXPECT_THAT(refusal(of_types(R"("type":"half","result":"float16")")),
              HasSubstr("program.jsonl:1: 'type' is \"half\"; allowed: "));
  EXPECT_THAT(refusal(of_types(R"("type":1,"result":"float16")")), HasSubstr("'type' is 1; allowed: a text"));
}

TEST_F(Trace, what_has_no_elements_is_left_out) {
  const std::string empty = with(with(kLine, "\"k\":4", "\"k\":0"), "\"m\":8", "\"m\":-1");
  EXPECT_EQ(loaded(empty + "\n" + kLine).groups.size(), 1u);
  EXPECT_THAT(refusal(empty), HasSubstr("no product is in it"));
}

TEST_F(Trace, a_product_over_the_limit_is_skipped_with_its_line_and_the_others_stay) {
  const std::string large = with(with(kLine, "\"m\":8", "\"m\":2000000"), "\"lda\":10", "\"lda\":2000000");
  const Definition definition = loaded(std::string(kLine) + "\n" + large + "\n" + kLine + "\n");
  EXPECT_EQ(definition.groups.size(), 1u);
  ASSERT_EQ(definition.notes.size(), 1u);
  EXPECT_THAT(definition.notes[0], HasSubstr("program.jsonl:2: skipped: "));
  EXPECT_THAT(definition.notes[0], HasSubstr("2000000"));
  EXPECT_THAT(refusal(large), HasSubstr("program.jsonl:1: skipped: "));
}

TEST_F(Trace, any_name_of_a_file_stands_in_the_title) {
  const auto title_of = [&](const std::string& name) {
    return load_trace(write(name, kLine), catalogue_).title;
  };
  EXPECT_EQ(title_of("a \"new\" one.jsonl"), "The products of a \"new\" one");
  EXPECT_EQ(title_of("back\\slash \\u0041.jsonl"), "The products of back\\slash \\u0041");
  EXPECT_EQ(title_of("x\"\nsource = \"y.jsonl"), "The products of x\" source = \"y");
  EXPECT_EQ(title_of("\xe7\x9f\xa9\xe9\x98\xb5.jsonl"), "The products of \xe7\x9f\xa9\xe9\x98\xb5");
  EXPECT_EQ(title_of("not \xff text.jsonl"), "The products of not \xef\xbf\xbd text");
}

TEST_F(Trace, mistakes_are_told_with_file_line_key_and_what_is_allowed) {
  const std::string good = std::string(kLine) + "\n";
  EXPECT_THAT(refusal(good + "M=8"), HasSubstr("program.jsonl:2: 'M=8' is not a line of a trace"));
  EXPECT_THAT(refusal(with(kLine, "\"m\":8", "\"m\":\"8\"")),
              HasSubstr("program.jsonl:1: 'm' is \"8\"; allowed: a whole number from -1"));
  EXPECT_THAT(refusal(with(kLine, "\"k\":4,", "")), HasSubstr("program.jsonl:1: the key 'k' is missing"));
  EXPECT_THAT(refusal(with(kLine, "host", "card")), HasSubstr("'operands' is \"card\"; allowed: \"host\""));
  EXPECT_THAT(refusal(with(kLine, "true", "1")), HasSubstr("'transpose_a' is 1; allowed: true or false"));
  EXPECT_THAT(refusal(""), HasSubstr("no product is in it"));
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  EXPECT_THAT(refusal(good + with(kLine, "\"m\":8", "\"m\":" + deep)),
              HasSubstr("program.jsonl:2: lists or objects within one another, more than 64 deep"));
  EXPECT_THROW(load_trace(path("missing.jsonl"), catalogue_), UsageError);
}

}  // namespace
}  // namespace gemmlab::runner
