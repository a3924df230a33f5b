// Latency, access, lanes, barrier and chain on the GPU: right at odd sizes, whatever the parameters.

#include "operations/access/access.h"
#include "operations/barrier/barrier.h"
#include "operations/chain/chain.h"
#include "operations/chase/chase.h"
#include "operations/lanes/lanes.h"
#include "tests/gpu/on_gpu.h"
#include "tests/operation_case.h"

namespace gemmlab {
namespace {

class MachineRows : public OnGpu {
 protected:
  /// The operands of a case in the card's memory.
  class OnCard {
   public:
    OnCard(Backend& backend, OperationCase& of_case) : backend_(backend), case_(of_case) {
      for (std::size_t i = 0; i < of_case.size(); ++i)
        memory_.push_back(backend.allocate_bytes(of_case.bytes(i)));
    }
    ~OnCard() {
      for (void* memory : memory_) backend_.release(memory);
    }
    OnCard(const OnCard&) = delete;
    OnCard& operator=(const OnCard&) = delete;

    Operands operands() const { return Operands(memory_); }
    void upload() {
      for (std::size_t i = 0; i < memory_.size(); ++i)
        backend_.upload_bytes(memory_[i], case_.data(i), case_.bytes(i));
    }
    void download() {
      backend_.synchronize();
      for (std::size_t i = 0; i < memory_.size(); ++i) {
        backend_.download_bytes(case_.data(i), memory_[i], case_.bytes(i));
      }
    }

   private:
    Backend& backend_;
    OperationCase& case_;
    std::vector<void*> memory_;
  };

  /// Two sets by one session, the first twice.
  void expect_right(const Implementation& implementation, const Instance& instance,
                    const Parameters& parameters) {
    OperationCase of_case(instance);
    OnCard on_card(*backend_, of_case);
    const auto session = implementation.prepare(instance, parameters);
    for (const std::int64_t set : {0, 0, 3}) {
      of_case.fill(set);
      on_card.upload();
      if (implementation.operands_resident(parameters)) session->stage({on_card.operands()});
      session->run(on_card.operands());
      on_card.download();
      EXPECT_EQ(of_case.verdict(set), Verdict::kOk)
          << implementation.description().id << " " << to_string(instance) << " " << to_string(parameters);
    }
  }

  void expect_right_everywhere(const std::string& id, const Operation& operation,
                               const Options& options = {}) {
    for (const Parameters& parameters : all_choices(row_of(id).description())) {
      for (const auto& dims : operation.odd_dimensions()) {
        const Instance instance = instance_of(operation, dims, options);
        if (row_of(id).why_not(instance, parameters).empty()) expect_right(row_of(id), instance, parameters);
      }
    }
  }

 private:
  static std::string to_string(const Parameters& parameters) {
    std::string all;
    for (const auto& [name, value] : parameters) all += name + "=" + gemmlab::to_string(value) + " ";
    return all;
  }
  static std::string to_string(const Instance& instance) { return gemmlab::to_string(instance); }
};

TEST_F(MachineRows, a_chase_ends_where_the_cycle_leads) {
  expect_right_everywhere("gpu.chase", chase(), {{"loads", std::int64_t{1001}}});
  expect_right_everywhere("gpu.chase", chase(),
                          {{"loads", std::int64_t{37}}, {"spacing", std::int64_t{4096}}});
}

TEST_F(MachineRows, a_chase_refuses_operands_that_were_not_staged) {
  const Instance instance = instance_of(chase(), {4096});
  OperationCase of_case(instance);
  const OnCard on_card(*backend_, of_case);
  const auto session = row_of("gpu.chase").prepare(instance, complete(row_of("gpu.chase").description(), {}));
  EXPECT_THROW(session->run(on_card.operands()), std::logic_error);
}

/// A load takes tens of cycles from the nearest memory and a thousand from the farthest; the
/// nearer the faster.
TEST_F(MachineRows, latencies_rise_from_shared_memory_to_dram) {
  std::map<std::string, double> cycles;
  const auto measure = [&](const std::string& name, const std::string& path, std::int64_t bytes) {
    const Instance instance = instance_of(chase(), {bytes});
    OperationCase of_case(instance);
    OnCard on_card(*backend_, of_case);
    const auto session =
        row_of("gpu.chase").prepare(instance, complete(row_of("gpu.chase").description(), {{"path", path}}));
    of_case.fill(0);
    on_card.upload();
    session->stage({on_card.operands()});
    for (int call = 0; call < 2; ++call) session->run(on_card.operands());
    const Facts facts = session->chosen();
    cycles[name] = std::get<double>(facts.at("cycles_per_load"));
    if (path == "l2") {
      const auto near = std::get<std::int64_t>(facts.at("near_load_cycles"));
      const auto far = std::get<std::int64_t>(facts.at("far_load_cycles"));
      EXPECT_LE(near, far);
      // Of a working set beyond the L2 a tenth may still be found there.
      const double least = name == "l2" ? 0.5 * cycles[name] : 0.5 * cycles["l2"];
      EXPECT_GT(near, least) << "a load that nothing waited for";
      std::cout << name << ": one tenth of the loads within " << near << ", nine tenths within " << far
                << " cycles\n";
    }
    RecordProperty(name, std::to_string(cycles[name]));
    std::cout << name << ": " << cycles[name] << " cycles per load\n";
  };
  measure("shared", "shared", 32 << 10);
  measure("l1", "l1", 32 << 10);
  measure("l2", "l2", 1 << 20);
  measure("dram", "l2", 512 << 20);
  EXPECT_GT(cycles["shared"], 10);
  EXPECT_LT(cycles["shared"], 60);
  EXPECT_GT(cycles["l1"], cycles["shared"]);
  EXPECT_LT(cycles["l1"], 100);
  EXPECT_GT(cycles["l2"], 2 * cycles["l1"]);
  EXPECT_GT(cycles["dram"], 1.3 * cycles["l2"]);
  EXPECT_LT(cycles["dram"], 3000);
}

TEST_F(MachineRows, access_adds_up_what_the_pattern_names) {
  for (const char* id : {"gpu.access", "gpu.access_spilling"}) {
    for (const std::int64_t offset : {0, 1, 4, 31}) {
      for (const std::int64_t stride : {1, 3, 32}) {
        for (const Parameters& parameters : all_choices(row_of(id).description())) {
          const std::int64_t blocks = integer(parameters, "blocks_per_sm");
          if (blocks != 0 && blocks != 3) continue;
          for (const std::int64_t n : {1, 33, 1025, 100003}) {
            const Instance instance = instance_of(access(), {n}, {{"offset", offset}, {"stride", stride}});
            if (row_of(id).why_not(instance, parameters).empty())
              expect_right(row_of(id), instance, parameters);
          }
        }
      }
    }
  }
}

TEST_F(MachineRows, access_reads_again_in_each_pass) {
  for (const std::int64_t n : {33, 4099}) {
    const Instance instance = instance_of(access(), {n}, {{"passes", std::string("many")}});
    for (const std::int64_t width : {1, 4, 16}) {
      expect_right(row_of("gpu.access"), instance,
                   complete(row_of("gpu.access").description(), {{"width", width}}));
    }
    expect_right(row_of("gpu.access_spilling"), instance,
                 complete(row_of("gpu.access_spilling").description(), {}));
  }
}

TEST_F(MachineRows, shared_memory_holds_blocks_down) {
  const Instance instance = instance_of(access(), {100003});
  for (const std::int64_t wanted : {1, 2, 4}) {
    const auto session =
        row_of("gpu.access")
            .prepare(instance, complete(row_of("gpu.access").description(), {{"blocks_per_sm", wanted}}));
    const Facts resources = session->resources();
    EXPECT_EQ(std::get<std::int64_t>(resources.at("blocks_per_sm")), wanted);
    EXPECT_EQ(std::get<std::string>(resources.at("occupancy_limit")), "shared memory");
  }
}

TEST_F(MachineRows, the_spilling_kernel_spills_and_the_plain_one_does_not) {
  const Instance instance = instance_of(access(), {100003});
  const auto spilled = [&](const char* id) {
    const auto session = row_of(id).prepare(instance, complete(row_of(id).description(), {}));
    return std::get<std::int64_t>(session->resources().at("spill_bytes"));
  };
  EXPECT_GT(spilled("gpu.access_spilling"), 100);
  EXPECT_EQ(spilled("gpu.access"), 0);
}

TEST_F(MachineRows, lanes_read_the_words_of_their_pattern) {
  for (const char* pattern : {"conflict", "distinct"}) {
    for (const std::int64_t degree : {1, 2, 5, 31, 32}) {
      expect_right_everywhere("gpu.lanes", lanes(), {{"pattern", std::string(pattern)}, {"degree", degree}});
    }
  }
}

TEST_F(MachineRows, every_thread_of_a_block_waits) {
  expect_right_everywhere("gpu.barrier", barrier());
}

TEST_F(MachineRows, a_chain_comes_to_the_last_value) {
  expect_right_everywhere("gpu.chain", chain());
}

}  // namespace
}  // namespace gemmlab
