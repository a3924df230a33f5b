#include "runner/definition/definition.h"

#include <algorithm>
#include <set>

#include "core/machine/machine.h"
#include "gpu/table.h"
#include "tests/runner/definition/definition_support.h"

namespace gemmlab::runner {
namespace {

TEST_F(DefinitionTest, sizes_make_squares_in_the_order_given) {
  EXPECT_EQ(shapes(load(group("size = [512, 100]"))), (std::vector<Shape>{{512, 512, 512}, {100, 100, 100}}));
}

TEST_F(DefinitionTest, ranges_go_by_factor_or_step) {
  EXPECT_EQ(load(group("size = { from = 256, to = 4096, factor = 2 }")).groups.size(), 5u);
  EXPECT_EQ(load(group("size = { from = 100, to = 1000, step = 100 }")).groups.size(), 10u);
  EXPECT_EQ(load(group("size = [{ from = 1, to = 4, step = 1 }, 3, 9]")).groups.size(), 5u);
}

TEST_F(DefinitionTest, m_n_k_are_crossed_or_zipped) {
  EXPECT_EQ(load(group("m = [1, 2]\nn = [3, 4]\nk = 5")).groups.size(), 4u);
  EXPECT_EQ(shapes(load(group("m = [1, 2]\nn = [3, 4]\nk = [5, 6]\ncombine = \"zip\""))),
            (std::vector<Shape>{{1, 3, 5}, {2, 4, 6}}));
}

TEST_F(DefinitionTest, zipped_lists_stay_as_written_and_a_shape_counts_once) {
  EXPECT_EQ(shapes(load(group("m = [8, 8, 2, 8]\nn = [3, 4, 4, 3]\nk = [5, 6, 5, 5]\ncombine = \"zip\""))),
            (std::vector<Shape>{{8, 3, 5}, {8, 4, 6}, {2, 4, 5}}));
}

TEST_F(DefinitionTest, parameters_are_crossed_and_named_in_labels) {
  const Definition definition =
      load(group("size = 64", "implementation = \"cpu.blocked\"\nblock = [16, 32]\nthreads = [1, 2]"));
  ASSERT_EQ(definition.groups.size(), 1u);
  std::set<std::string> labels;
  for (const Point& point : definition.groups[0].points) labels.insert(point.label);
  EXPECT_EQ(labels, (std::set<std::string>{"blocked 16, 1 thread", "blocked 16, 2 threads",
                                           "blocked 32, 1 thread", "blocked 32, 2 threads"}));
}

TEST_F(DefinitionTest, every_number_that_a_parameter_lists_may_be_swept) {
  int listed = 0;
  for (const Implementation* row : catalogue_.all()) {
    const Description& description = row->description();
    for (const ParameterSpec& spec : description.parameters) {
      for (const ParameterValue& choice : spec.choices) {
        const auto* number = std::get_if<std::int64_t>(&choice);
        if (number == nullptr) continue;
        ++listed;
        const std::string run =
            "implementation = \"" + description.id + "\"\n" + spec.name + " = " + std::to_string(*number);
        EXPECT_NO_THROW(load(group("operation = \"" + description.operation + "\"\nsize = 64", run))) << run;
      }
    }
  }
  EXPECT_GT(listed, 0);
}

TEST_F(DefinitionTest, cores_is_this_machines_number) {
  const Definition definition =
      load(group("size = 64", "implementation = \"cpu.ikj\"\nthreads = [\"cores*2\", \"cores\"]"));
  ASSERT_EQ(definition.groups[0].points.size(), 2u);
  EXPECT_EQ(integer(definition.groups[0].points[0].parameters, "threads"), cpu_info().cores);
  EXPECT_EQ(integer(definition.groups[0].points[1].parameters, "threads"), 2 * cpu_info().cores);
}

TEST_F(DefinitionTest, a_wildcard_takes_the_whole_table) {
  const Definition definition = load(group("size = 64", "implementation = \"cpu.*\"\nthreads = 1"));
  const auto all = of_operation(catalogue_.matching("cpu.*"), "gemm");
  const auto meant = std::count_if(all.begin(), all.end(), [&](const Implementation* implementation) {
    return implementation->meant_for(definition.groups[0].instance);
  });
  EXPECT_EQ(definition.groups[0].points.size(), meant);
  EXPECT_LT(meant, all.size()) << "some multiply other types alone";
}

TEST_F(DefinitionTest, a_wildcard_means_what_multiplies_the_groups_type_and_a_name_is_taken_at_its_word) {
  const std::string types = "size = 64\ntype = \"float8_e4m3\"\nresult = \"float32\"";
  const Definition definition = load(group(types, "implementation = \"cpu.*\"\nthreads = 1"));
  ASSERT_EQ(definition.groups[0].points.size(), 1u);
  EXPECT_EQ(definition.groups[0].points[0].implementation, "cpu.widened");
  EXPECT_EQ(load(group(types, "implementation = \"cpu.serial\"")).groups[0].points.size(), 1u)
      << "refused with its reason where it is measured";
}

TEST_F(DefinitionTest, a_name_of_others_becomes_its_id_and_is_told) {
  const Definition definition =
      load(group("size = 64", "implementation = \"Loop Interchange\"") +
           "[[table]]\nkind = \"speedup\"\nbaseline = { implementation = \"loop-interchange\" }\n");
  ASSERT_EQ(definition.groups.size(), 1u);
  const Point& point = definition.groups[0].points.at(0);
  EXPECT_EQ(point.implementation, "cpu.ikj");
  EXPECT_EQ(point.label, "ikj");
  EXPECT_EQ(definition.presentation().at("tables").at(0).at("baseline"),
            Json({{"implementation", "cpu.ikj"}}));
  EXPECT_EQ(definition.notes,
            (std::vector<std::string>{"'Loop Interchange' is cpu.ikj", "'loop-interchange' is cpu.ikj"}));
  EXPECT_EQ(point.case_id(), load(group("size = 64")).groups[0].points.at(0).case_id());
}

TEST_F(DefinitionTest, a_name_of_others_brings_the_parameters_that_make_it_theirs) {
  const std::string named = group("size = 64", "implementation = \"kernel 7\"");
  const Definition definition = load(named);
  EXPECT_EQ(definition.notes,
            (std::vector<std::string>{"'kernel 7' is gpu.contiguous_columns, layout linearised"}));
  if (catalogue_.find("gpu.contiguous_columns") == nullptr) {  // a build without CUDA
    ASSERT_EQ(definition.left_out.size(), 1u);
    EXPECT_EQ(definition.left_out[0].implementation, "gpu.contiguous_columns");
    return;
  }
  EXPECT_EQ(to_string(definition.groups[0].points.at(0).parameters.at("layout")), "linearised");
  EXPECT_EQ(definition.groups[0].points[0].label, "contiguous columns, linearised");
  EXPECT_EQ(load(named + "layout = \"plain\"\n").groups[0].points.at(0).label, "contiguous columns");
}

TEST_F(DefinitionTest, the_report_learns_the_ladders_order_and_what_to_show) {
  const Definition definition = load(
      group("size = 64", "implementation = \"cpu.ikj\"\n[[group.run]]\nimplementation = \"cpu.blocked\"") +
      "[[figure]]\nkind = \"gflops_vs_size\"\nlabels = [\"ikj\"]\n");
  EXPECT_EQ(definition.presentation().at("lines"), Json({"ikj", "blocked"}));
  EXPECT_EQ(definition.presentation().at("figures").at(0).at("labels"), Json({"ikj"}));
}

TEST_F(DefinitionTest, equal_points_are_kept_once) {
  const Definition definition =
      load(group("size = 64", "implementation = \"cpu.ikj\"\n[[group.run]]\nimplementation = \"cpu.ikj\""));
  EXPECT_EQ(definition.groups[0].points.size(), 1u);
}

TEST_F(DefinitionTest, an_equal_point_under_another_label_is_a_replica) {
  const Definition definition =
      load(group("size = 64",
                 "implementation = \"cpu.ikj\"\nlabel = \"a\"\n[[group.run]]\nimplementation = "
                 "\"cpu.ikj\"\nlabel = \"b\"\n[[group.run]]\nimplementation = \"cpu.ikj\"\n"
                 "label = \"c\"\nhandicap = 0.03"));
  const std::vector<Point>& points = definition.groups[0].points;
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[0].replica, 0);
  EXPECT_EQ(points[1].replica, 1);
  EXPECT_EQ(points[2].replica, 0) << "a handicap makes it another point";
  EXPECT_EQ(points[2].handicap, 0.03);
  std::set<std::string> ids;
  for (const Point& point : points) ids.insert(point.case_id());
  EXPECT_EQ(ids.size(), 3u);
}

TEST_F(DefinitionTest, a_run_may_have_a_scope_of_its_own) {
  const Definition definition = load(group(
      "size = 64\nscope = \"end-to-end\"\nhost_memory = \"pinned\"",
      "implementation = \"cpu.ikj\"\nlabel = \"a\"\nallocation = \"host memory too\"\n[[group.run]]\n"
      "implementation = \"cpu.ikj\"\nlabel = \"b\"\nscope = \"call\"\n[[group.run]]\n"
      "implementation = \"cpu.ikj\"\nlabel = \"c\"\nscope = \"first-call\"\nmodule_loading = \"eager\""));
  const std::vector<Point>& points = definition.groups[0].points;
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[0].scope, Scope::kEndToEnd);
  EXPECT_EQ(points[0].host_memory, HostMemory::kPinned);
  EXPECT_EQ(points[0].allocation, Allocation::kHostToo);
  EXPECT_EQ(points[1].scope, Scope::kCall);
  EXPECT_EQ(points[2].scope, Scope::kFirstCall);
  EXPECT_EQ(points[2].module_loading, ModuleLoading::kEager);
}

TEST_F(DefinitionTest, exclusions_keep_their_reason) {
  const Definition definition =
      load(group("size = [64, 512]") +
           "[[group.exclude]]\nimplementation = \"cpu.ikj\"\nsize_above = 100\nreason = \"too long\"\n");
  EXPECT_EQ(definition.groups.size(), 1u);
  ASSERT_EQ(definition.excluded.size(), 1u);
  EXPECT_EQ(definition.excluded[0].reason, "too long");
  EXPECT_EQ(definition.excluded[0].point.instance.dims[0], 512);
  EXPECT_EQ(definition.point_count(), 2u);
}

TEST_F(DefinitionTest, an_exclusion_may_mean_another_machine) {
  for (const char* isa : {"baseline", "avx2", "avx512", "neon"}) {
    EXPECT_EQ(refusal(group("size = 64") + "[[group.exclude]]\nreason = \"r\"\nisa = \"" + isa + "\"\n"),
              "accepted")
        << isa;
  }
}

TEST_F(DefinitionTest, a_run_may_ask_for_another_machines_isa) {
  const Definition definition =
      load(group("size = 64", "implementation = \"cpu.ikj\"\nisa = [\"avx2\", \"avx512\", \"neon\"]"));
  EXPECT_EQ(definition.point_count(), 3u);
  EXPECT_NE(
      refusal(group("size = 64", "implementation = \"cpu.ikj\"\nisa = \"avx9\"")).find("is avx9; allowed: "),
      std::string::npos);
}

TEST_F(DefinitionTest, points_for_more_cores_than_there_are_are_left_out) {
  const int cores = cpu_info().cores;
  const auto left_out = [&](int cores_below) {
    return load(group("size = [64, 512]") + "[[group.exclude]]\ncores_below = " +
                std::to_string(cores_below) + "\nreason = \"too few cores\"\n")
        .excluded.size();
  };
  EXPECT_EQ(left_out(cores), 0u);
  EXPECT_EQ(left_out(cores + 1), 2u);
}

TEST_F(DefinitionTest, a_table_of_a_group_that_is_left_out_whole_keeps_its_baseline) {
  const auto with_baseline = [&](const std::string& id, const std::string& limit) {
    return refusal(group("size = 64") + "[[group.exclude]]\n" + limit + "\nreason = \"r\"\n" +
                   "[[table]]\nkind = \"speedup\"\nbaseline = { implementation = \"" + id + "\" }\n");
  };
  const std::string all = "cores_below = " + std::to_string(cpu_info().cores + 1);
  EXPECT_EQ(with_baseline("cpu.ikj", all), "accepted");
  EXPECT_NE(with_baseline("cpu.serial", all), "accepted");
}

TEST_F(DefinitionTest, settings_of_a_group_override_the_files) {
  const Definition definition =
      load("[settings]\nprecision = 0.1\nseed = 7\ncache = \"warm\"\n" + group("size = 8\nprecision = 0.2"));
  EXPECT_EQ(definition.groups[0].settings.precision, 0.2);
  EXPECT_EQ(definition.groups[0].points[0].seed, 7u);
  EXPECT_FALSE(definition.groups[0].points[0].cold);
}

TEST_F(DefinitionTest, a_line_may_be_sustained_beside_a_burst) {
  const Definition definition =
      load("[settings]\nsustained_s = 6\n" +
           group("size = 8",
                 "implementation = \"cpu.ikj\"\nload = \"sustained\"\nlabel = \"for good\"\n"
                 "[[group.run]]\nimplementation = \"cpu.ikj\"\nlabel = \"burst\""));
  ASSERT_EQ(definition.groups[0].points.size(), 2u);
  EXPECT_EQ(definition.groups[0].settings.sustained_s, 6);
  EXPECT_EQ(definition.groups[0].points[0].load, Load::kSustained);
  EXPECT_EQ(definition.groups[0].points[1].load, Load::kBurst);
}

TEST_F(DefinitionTest, a_baseline_is_found_by_implementation_parameter_and_label) {
  const std::string lines =
      group("size = 64", "implementation = \"cpu.ikj\"\nthreads = [1, 2]\nlabel = \"on {threads}\"");
  for (const char* more : {"", ", threads = 2", ", label = \"on 1\"", ", threads = 1, label = \"on 1\""}) {
    const std::string table = "[[table]]\nkind = \"speedup\"\nbaseline = { implementation = \"cpu.ikj\"";
    EXPECT_EQ(refusal(lines + table + more + " }\n"), "accepted") << more;
  }
}

TEST_F(DefinitionTest, an_exclusion_of_what_this_build_lacks_is_no_mistake) {
  const std::string gpu = gpu::known_rows().front().id;
  const std::string exclusion =
      "[[group.exclude]]\nimplementation = \"" + gpu + "\"\nreason = \"too long\"\n";
  const std::string text = group("size = 64") + exclusion;
  EXPECT_EQ(load(text).point_count(), 1u);
  if (gpu::built_with_cuda()) return;
  EXPECT_EQ(load(text + "block = 32\n").point_count(), 1u) << "a parameter that cannot be looked up here";
}

TEST_F(DefinitionTest, every_shipped_experiment_loads) {
  std::set<std::string> names;
  for (const std::string& file : shipped_definitions()) {
    const Definition definition = load_definition(file, catalogue_);
    EXPECT_FALSE(definition.question.empty()) << file;
    EXPECT_FALSE(definition.tables.empty()) << file;
    names.insert(definition.name);
  }
  for (const char* name : {"quick", "cpu_vs_gpu", "published_lab", "block_size", "cpu_loops",
                           "thread_scaling", "gpu_ladder", "gpu_peers", "cpu_ladder", "cpu_peers", "noise",
                           "transfers", "first_call", "timer_check", "accuracy"}) {
    EXPECT_EQ(names.count(name), 1u) << name;
  }
}

}  // namespace
}  // namespace gemmlab::runner
