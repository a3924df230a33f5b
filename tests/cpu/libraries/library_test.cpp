#include "cpu/libraries/library.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "cpu/table.h"
#include "operations/gemm/implementation.h"
#include "tests/gemm_forms.h"

namespace gemmlab::cpu {
namespace {

const Implementation* find(const std::string& id) {
  for (const Implementation* implementation : of_operation(implementations(), "gemm")) {
    if (implementation->description().id == id) return implementation;
  }
  return nullptr;
}

/// A product of 8×8×8, in types that the row takes.
Instance small(const Implementation& implementation) {
  return taken_at(implementation, {8, 8, 8});
}
/// Can it be prepared here for that?
bool takes_small(const Implementation& implementation) {
  const Parameters defaults = complete(implementation.description(), {});
  return implementation.unavailable().empty() &&
         implementation.why_not(small(implementation), defaults).empty();
}
/// cpu.mkl_jit and cpu.mkl_typed are other functions of cpu.mkl's library, by design.
std::string library_of(const std::string& id) {
  return id.substr(0, std::min(id.find("_jit"), id.find("_typed")));
}

std::string word(const Facts& facts, const std::string& name) {
  const auto fact = facts.find(name);
  return fact == facts.end() ? std::string() : std::get<std::string>(fact->second);
}

TEST(References, no_two_are_one_file) {
  std::map<std::string, std::string> owner_of;
  for (const Implementation* implementation : of_operation(implementations(), "gemm")) {
    const Description& description = implementation->description();
    if (!description.reference || !takes_small(*implementation)) continue;
    const Facts chosen = implementation->prepare(small(*implementation), complete(description, {}))->chosen();
    for (const char* where : {"library", "loaded_from"}) {
      const std::string file = word(chosen, where);
      ASSERT_FALSE(file.empty()) << description.id << " " << where;
      const std::string library = library_of(description.id);
      const auto [owner, first] = owner_of.emplace(file, library);
      EXPECT_TRUE(first || owner->second == library)
          << description.id << " and " << owner->second << ": " << file;
    }
  }
}

TEST(References, record_their_version_and_kernel) {
  for (const Implementation* implementation : of_operation(implementations(), "gemm")) {
    const Description& description = implementation->description();
    if (!description.reference || !takes_small(*implementation)) continue;
    const Facts chosen = implementation->prepare(small(*implementation), complete(description, {}))->chosen();
    EXPECT_FALSE(word(chosen, "version").empty()) << description.id;
    EXPECT_FALSE(word(chosen, "kernel").empty()) << description.id;
  }
}

TEST(References, mkl_jit_refuses_beforehand_where_mkl_writes_no_kernels) {
  const Implementation* jit = find("cpu.mkl_jit");
  ASSERT_NE(jit, nullptr);
  if (!jit->unavailable().empty()) GTEST_SKIP() << jit->unavailable();
  const Parameters defaults = complete(jit->description(), {});
  const std::string refusal = jit->why_not(gemm_at({8, 8, 8}), defaults);
  if (refusal.empty()) {
    EXPECT_EQ(jit->prepare(gemm_at({8, 8, 8}), defaults)->threads_actual(), 1);
  } else {
    EXPECT_EQ(refusal.rfind("MKL writes no kernel", 0), 0u) << refusal;
  }
}

TEST(References, dimensions_beyond_32_bits_are_refused_by_32_bit_interfaces) {
  const Shape shape{1, std::int64_t{1} << 31, 1};
  const Implementation* openblas = find("cpu.openblas");
  ASSERT_NE(openblas, nullptr);
  EXPECT_NE(openblas->why_not(gemm_at(shape), complete(openblas->description(), {})), "");
  const Implementation* serial = find("cpu.serial");
  ASSERT_NE(serial, nullptr);
  EXPECT_EQ(serial->why_not(gemm_at(shape), complete(serial->description(), {})), "");
}

TEST(References, run_the_kernel_that_was_asked_for_also_after_another) {
  for (const Implementation* implementation : of_operation(implementations(), "gemm")) {
    const Description& description = implementation->description();
    const ParameterSpec* kernels = description.find("kernel");
    if (kernels == nullptr || !implementation->unavailable().empty()) continue;
    std::map<std::string, std::string> loaded_from;
    for (const ParameterValue& choice : kernels->choices) {
      const std::string asked = to_string(choice);
      const auto session =
          implementation->prepare(gemm_at({8, 8, 8}), complete(description, {{"kernel", choice}}));
      const Facts chosen = session->chosen();
      EXPECT_TRUE(asked == "auto" || word(chosen, "kernel") == asked)
          << asked << " ran " << word(chosen, "kernel");
      EXPECT_FALSE(word(chosen, "kernel").empty());
      EXPECT_TRUE(loaded_from.emplace(word(chosen, "loaded_from"), asked).second)
          << description.id << " " << asked << " shares a load with "
          << loaded_from[word(chosen, "loaded_from")];
    }
  }
}

TEST(References, leave_the_environment_as_it_was) {
  const char* const names[] = {"BLIS_ARCH_TYPE", "OPENBLAS_CORETYPE", "OPENBLAS_THREAD_TIMEOUT"};
  std::map<std::string, std::string> before;
  for (const char* name : names) before[name] = std::getenv(name) == nullptr ? "unset" : std::getenv(name);
  for (const Implementation* implementation : of_operation(implementations(), "gemm")) {
    if (!implementation->description().reference || !takes_small(*implementation)) continue;
    implementation->prepare(gemm_at({8, 8, 8}), complete(implementation->description(), {}));
  }
  for (const char* name : names) {
    EXPECT_EQ(before[name], std::getenv(name) == nullptr ? "unset" : std::getenv(name)) << name;
  }
}

TEST(Library, says_what_is_missing_and_how_to_get_it) {
  Library absent({"Nothing", "GEMMLAB_TEST_NOTHING", {"libnothing-of-the-kind.so.7"}, "apt install nothing"});
  EXPECT_EQ(absent.missing(), "libnothing-of-the-kind.so.7 was not found; apt install nothing");
  EXPECT_THROW(absent.symbol<void()>("anything"), std::runtime_error);
}

TEST(Library, names_the_variable_that_points_at_nothing) {
  setenv("GEMMLAB_TEST_POINTED", "/nowhere/lib.so", 1);
  Library pointed({"Pointed", "GEMMLAB_TEST_POINTED", {"libm.so.6"}, ""});
  EXPECT_EQ(pointed.missing(), "GEMMLAB_TEST_POINTED names /nowhere/lib.so, which does not exist");
}

TEST(Library, refuses_a_file_that_another_reference_uses) {
  Library first({"First", "GEMMLAB_TEST_FIRST", {"libm.so.6"}, ""});
  if (!first.missing().empty()) GTEST_SKIP() << first.missing();
  EXPECT_NE(first.symbol<double(double)>("cos"), nullptr);
  Library second({"Second", "GEMMLAB_TEST_SECOND", {"libm.so.6"}, ""});
  EXPECT_THROW(second.symbol<double(double)>("cos"), std::runtime_error);
}

}  // namespace
}  // namespace gemmlab::cpu
