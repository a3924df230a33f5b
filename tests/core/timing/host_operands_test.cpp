// Operands that lie on the host when the clock starts: parameter `operands` is `host`.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <stdexcept>
#include <vector>

#include "core/session_row.h"
#include "core/timing/measure.h"
#include "operations/gemm/implementation.h"
#include "operations/gemm/reference.h"
#include "tests/core/plain_backend.h"
#include "tests/core/plain_product.h"

namespace gemmlab {
namespace {

/// Knows which memory is the host's, and says so where its own is taken for it.
class TwoRooms : public test::PlainBackend {
 public:
  void* allocate_host_bytes(std::int64_t bytes, HostMemory memory) override {
    EXPECT_EQ(memory, HostMemory::kPinned);
    char* const from = static_cast<char*>(PlainBackend::allocate_bytes(bytes));
    on_host_.insert({from, from + bytes});
    return from;
  }
  void release_host(void* memory, HostMemory) override {
    EXPECT_EQ(std::erase_if(on_host_, [&](const auto& range) { return range.first == memory; }), 1u);
    PlainBackend::release(memory);
  }
  void* allocate_bytes(std::int64_t bytes) override {
    ++taken_of_its_own;
    return PlainBackend::allocate_bytes(bytes);
  }
  bool is_on_host(const void* address) const {
    return std::any_of(on_host_.begin(), on_host_.end(),
                       [&](const auto& range) { return address >= range.first && address < range.second; });
  }
  std::size_t host_left() const { return on_host_.size(); }

  int taken_of_its_own = 0;

 private:
  std::set<std::pair<char*, char*>> on_host_;
};

class Plain : public GemmImplementation {
 public:
  explicit Plain(const TwoRooms& backend) : backend_(backend) {
    description_.id = "cpu.plain";
    description_.parameters = {
        choice("operands", "where", {std::string("first"), std::string("host")}, std::string("first"))};
  }
  const Description& description() const override { return description_; }
  std::string why_not(const Shape&, const Parameters&) const override { return {}; }
  std::unique_ptr<Session> prepare(const Shape& shape, const Parameters& parameters) const override {
    return std::make_unique<Product>(shape, text(parameters, "operands") == "host", backend_);
  }

 private:
  struct Product : GemmSession {
    Product(const Shape& of, bool host, const TwoRooms& rooms) : shape(of), on_host(host), backend(rooms) {}
    void multiply(const float* a, const float* b, float* c) override {
      for (const float* one : {a, b, static_cast<const float*>(c)}) {
        if (backend.is_on_host(one) != on_host) throw std::runtime_error("an operand in the other memory");
      }
      test::plain_product(shape, a, b, c);
    }
    Shape shape;
    bool on_host;
    const TwoRooms& backend;
  };
  const TwoRooms& backend_;
  Description description_;
};

class HostOperands : public ::testing::Test {
 protected:
  std::vector<Outcome> measured(const std::vector<const char*>& rooms, Scope scope = Scope::kKernel) {
    std::vector<Subject> subjects;
    for (const char* room : rooms) {
      Subject subject;
      subject.implementation = &plain_;
      subject.backend = &backend_;
      subject.point.implementation = "cpu.plain";
      subject.point.instance = gemm_at({20, 8, 8});
      subject.point.parameters = {{"operands", std::string(room)}};
      subject.point.scope = scope;
      subjects.push_back(subject);
    }
    MeasureSettings settings;
    settings.min_time_s = 0.01;
    test::NoWatch watch;
    std::vector<Outcome> all;
    measure_group(subjects, settings, plain_double_product, watch,
                  [&](int, const Point&, const Outcome& outcome) { all.push_back(outcome); });
    return all;
  }

  TwoRooms backend_;
  Plain plain_{backend_};
};

TEST_F(HostOperands, are_page_locked_memory_and_take_none_of_the_device) {
  for (const Outcome& outcome : measured({"host"})) EXPECT_EQ(outcome.status, Status::kOk) << outcome.reason;
  EXPECT_EQ(backend_.taken_of_its_own, 0);
  EXPECT_EQ(backend_.host_left(), 0u);
}

TEST_F(HostOperands, are_measured_beside_those_on_the_device_with_one_twin_for_both) {
  const std::vector<Outcome> all = measured({"first", "host"});
  EXPECT_EQ(all.size(), 3u);
  for (const Outcome& outcome : all) EXPECT_EQ(outcome.status, Status::kOk) << outcome.reason;
  EXPECT_GT(backend_.taken_of_its_own, 0);
}

TEST_F(HostOperands, are_refused_in_a_scope_that_brings_them_there_itself) {
  const std::vector<Outcome> all = measured({"host"}, Scope::kEndToEnd);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all.front().status, Status::kUnsupported);
  EXPECT_NE(all.front().reason.find("lie on the host in every scope"), std::string::npos)
      << all.front().reason;
}

}  // namespace
}  // namespace gemmlab
