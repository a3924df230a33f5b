// What is said of definitions that are refused.

#include <gmock/gmock.h>

#include "tests/runner/definition/definition_support.h"

namespace gemmlab::runner {
namespace {

using ::testing::HasSubstr;

struct Bad {
  const char* what;
  std::string text;
  std::string message;
};

/// Is each refused with line, key, value and what is allowed?
class DefinitionMistakes : public DefinitionTest {
 protected:
  void expect_refused(const std::vector<Bad>& mistakes) {
    for (const Bad& bad : mistakes) EXPECT_THAT(refusal(bad.text), HasSubstr(bad.message)) << bad.what;
  }
  const std::string good_ = group("size = 64");
};

TEST_F(DefinitionMistakes, keys_that_are_unknown_misplaced_or_missing) {
  expect_refused({
      {"unknown key at the top", "sizes = 3\n" + good_, ":3: unknown key 'sizes'; allowed: title, question"},
      {"unknown key in a group", group("size = 64\nblok = 3"),
       ":6: group 'g': unknown key 'blok'; allowed: name, operation, run"},
      {"unknown parameter", group("size = 64", "implementation = \"cpu.blocked\"\nblok = 3"),
       ":8: group 'g', run 1: unknown key 'blok' (did you mean 'block'?); allowed: implementation, label"},
      {"no group", "", ": an empty sweep: at least one [[group]] is expected"},
      {"no run", "[[group]]\nname = \"g\"\nsize = 3\n", "at least one [[group.run]]"},
      {"k missing", group("m = 3\nn = 4"), "the key 'k' is missing"},
      {"two groups of one name", good_ + good_, "two groups are called 'g'"},
      {"no TOML at all", "this is [ not", "not valid TOML"},
      {"a run without its group", good_ + "[[run]]\nimplementation = \"cpu.ikj\"\n",
       "unknown key 'run' (it is written as [[group.run]], under its [[group]]); allowed: title"},
      {"a setting at the top", "precision = 0.1\n" + good_,
       "unknown key 'precision' (it stands in [settings] or in a [[group]])"},
      {"a size in a run", group("size = 3", "implementation = \"cpu.ikj\"\nsize = 4"),
       "unknown key 'size' (it stands in a [[group]])"},
      {"the report's table in a definition", "[report]\nauthor = \"A\"\n" + group("size = 3"),
       "unknown key 'report' (it stands in gemmlab.toml, beside the records or where gemmlab is called)"},
      {"a run that is one table",
       "[[group]]\nname = \"g\"\nsize = 3\n[group.run]\nimplementation = \"cpu.ikj\"\n",
       "'run' must be written as [[group.run]]"},
      {"a range within a run", group("size = 3", "implementation = \"cpu.ikj\"\nthreads = { from = 1 }"),
       ":8: group 'g', run 1, range 'threads': the key 'to' is missing"},
  });
}

TEST_F(DefinitionMistakes, loads_that_cannot_be) {
  const auto with = [&](const std::string& keys) {
    return group("size = 8", "implementation = \"cpu.ikj\"\n" + keys);
  };
  expect_refused({
      {"another word", with("load = \"long\""),
       ":8: group 'g', run 1: 'load' is 'long'; allowed: burst, sustained"},
      {"a number", with("load = 5"), ":8: group 'g', run 1: 'load' is 5"},
      {"transfers without a pause", with("load = \"sustained\"\nscope = \"end-to-end\""),
       ":8: group 'g', run 1: load = \"sustained\" repeats kernels or calls without a pause, and scope is "
       "\"end-to-end\"; allowed with it: scope = \"kernel\" or \"call\""},
      {"first calls without a pause, by the group's load",
       group("size = 8\nload = \"sustained\"", "implementation = \"cpu.ikj\"\nscope = \"first-call\""),
       ":9: group 'g', run 1: load = \"sustained\" repeats kernels or calls"},
      {"too short to be sustained", group("size = 8\nsustained_s = 4.9"),
       ":6: group 'g': 'sustained_s' is 4.9; a number from 5 to 60 is expected"},
      {"far too long", group("size = 8\nsustained_s = 61"), "'sustained_s' is 61; a number from 5 to 60"},
  });
  EXPECT_EQ(refusal(with("load = \"sustained\"\nscope = \"call\"")), "accepted");
}

TEST_F(DefinitionMistakes, values_that_are_not_allowed) {
  expect_refused({
      {"unknown implementation", group("size = 64", "implementation = \"cpu.fast\""),
       ":7: group 'g', run 1: unknown implementation 'cpu.fast'; the nearest: cpu."},
      {"unknown GPU implementation, with or without CUDA in the build",
       group("size = 64", "implementation = \"gpu.tild\""),
       ":7: group 'g', run 1: unknown implementation 'gpu.tild' (did you mean 'gpu.tiled'?); the nearest: "
       "gpu.tiled, "},
      {"value not allowed", group("size = 64", "implementation = \"cpu.blocked\"\nblock = 17"),
       ":8: group 'g', run 1: parameter 'block' of cpu.blocked is 17; allowed: 16, 32"},
      {"empty sweep", group("size = []"), ":5: group 'g': 'size' is an empty sweep"},
      {"empty range", group("size = { from = 9, to = 3, factor = 2 }"),
       ":5: group 'g': 'size' is an empty sweep"},
      {"size of zero", group("size = 0"),
       ":5: group 'g': 'size' has the value 0; allowed: whole numbers from 1 to"},
      {"a table for a number", good_ + "[group.precision]\na = 1\nb = 2\n",
       "'precision' is { a = 1, b = 2 }; a number"},
      {"a value of two lines", group("size = 3\nscope = \"\"\"a\nb\"\"\""),
       "'scope' is 'a b'; allowed: kernel"},
      {"size as text", group("size = \"big\""), "'size' has the value 'big'"},
      {"zip of unequal lists", group("m = [1, 2]\nn = 3\nk = 4\ncombine = \"zip\""),
       "m (2), n (1) and k (1)"},
      {"size beside m", group("size = 3\nm = 4"), "give it or them, not both"},
      {"bad scope", group("size = 3\nscope = \"wall\""), "'scope' is 'wall'; allowed: kernel, call"},
      {"bad host memory", group("size = 3\nhost_memory = \"locked\""),
       "'host_memory' is 'locked'; allowed: pageable, pinned"},
      {"bad allocation", group("size = 3\nallocation = true"), "'allocation'"},
      {"twins as text", group("size = 3\ntwins = \"no\""), "'twins' is 'no'; allowed: true, false"},
      {"handicap out of range", group("size = 3", "implementation = \"cpu.ikj\"\nhandicap = 2"),
       "'handicap' is 2; a number from 0 to 0.5"},
      {"handicap of a first call",
       group("size = 3\nscope = \"first-call\"", "implementation = \"cpu.ikj\"\nhandicap = 0.1"),
       "'handicap' slows every call"},
      {"bad distribution", group("size = 3\ndistribution = \"zeros\""),
       "'distribution' is 'zeros'; allowed: uniform"},
      {"precision out of range", group("size = 3\nprecision = 7.0"), "'precision' is 7.0; a number from"},
      {"threads beyond its own limits", group("size = 3", "implementation = \"cpu.ikj\"\nthreads = 0"),
       "'threads' has the value 0; allowed: whole numbers from 1 to 4096, a range"},
      {"a block of no choice", group("size = 3", "implementation = \"cpu.blocked\"\nblock = 0"),
       "'block' has the value 0; allowed: 16, 32"},
      {"a number as it was written", group("size = 3", "implementation = \"cpu.ikj\"\nhandicap = 0.9"),
       "'handicap' is 0.9; a number from 0 to 0.5"},
      {"numbers within a list", group("size = 3\nprecision = [0.9, 7.0, 1e300, nan]"),
       "'precision' is [0.9, 7.0, 1e+300, nan]; a number"},
      {"a label of two lines", group("size = 3", "implementation = \"cpu.ikj\"\nlabel = \"a\\nb\""),
       "'label' is 'a b'; one line of 1 to 1000 bytes is expected"},
      {"an endless name", "[[group]]\nname = \"" + std::string(1001, 'x') + "\"\nsize = 3\n",
       "...'; one line of 1 to 1000 bytes is expected"},
      {"a name that a terminal obeys", "[[group]]\nname = \"\\u001b[2J\"\nsize = 3\n",
       "'name' is ' [2J'; a text without control characters is expected"},
      {"a name that begins an order of a terminal in one letter",
       "[[group]]\nname = \"\\u009b2J\"\nsize = 3\n",
       "'name' is ' 2J'; a text without control characters is expected"},
      {"a name that is read backwards", "[[group]]\nname = \"a\\u202eb\"\nsize = 3\n",
       "'name' is 'a b'; a text without control characters is expected"},
      {"no name", "[[group]]\nname = \"\"\nsize = 3\n", "'name' is ''; one line"},
      {"slot in a label", group("size = 3", "implementation = \"cpu.ikj\"\nlabel = \"{tile}\""),
       ":8: group 'g', run 1: 'label' is '{tile}'; in braces may stand, of cpu.ikj: name, method, varied, "
       "isa, "
       "threads, scope, host_memory"},
      {"a label without its brace's end", group("size = 3", "implementation = \"cpu.ikj\"\nlabel = \"{isa\""),
       "'label' is '{isa'; in braces may stand"},
  });
}

TEST_F(DefinitionMistakes, lists_that_cannot_be) {
  const auto with = [&](const std::string& implementations, const std::string& keys) {
    return group("size = 8", "implementation = " + implementations + "\n" + keys);
  };
  const std::string two = "[\"cpu.ikj\", \"cpu.serial\"]";
  expect_refused({
      {"one of several is unknown", with("[\"cpu.ikj\",\n\"cpu.fast\"]", ""),
       ":8: group 'g', run 1: unknown implementation 'cpu.fast'; the nearest: cpu."},
      {"one of several is a number", with("[\"cpu.ikj\", 5]", ""),
       ":7: group 'g', run 1: 'implementation' is 5; a text in quotes is expected"},
      {"none", with("[]", ""),
       ":7: group 'g', run 1: 'implementation' is an empty sweep; at least one value is expected"},
      {"one of several scopes is unknown", with(two, "scope = [\"kernel\", \"wall\"]"),
       ":8: group 'g', run 1: 'scope' is 'wall'; allowed: kernel, call"},
      {"no scope", with(two, "scope = []"), ":8: group 'g', run 1: 'scope' is an empty sweep"},
      {"a list in a group", group("size = 8\nhost_memory = [\"pinned\", \"pageable\"]"),
       ":6: group 'g': 'host_memory' is a list, which stands in a [[group.run]]; allowed here: pageable, "
       "pinned"},
      {"one label of two implementations", with(two, "label = \"a loop\""),
       ":8: group 'g', run 1: 'a loop' would be the label of both cpu.ikj, scope kernel and cpu.serial, "
       "scope "
       "kernel; {name}, {method} or {varied} in a label tells them apart"},
      {"one label of two scopes", with("\"cpu.ikj\"", "label = \"{isa}\"\nscope = [\"kernel\", \"call\"]"),
       "of both cpu.ikj, scope kernel and cpu.ikj, scope call; {name}"},
      {"a label of nothing", with("\"cpu.ikj\"", "label = \"{varied}\"\nscope = [\"kernel\", \"call\"]"),
       ":8: group 'g', run 1: 'label' is '{varied}', which leaves a line of cpu.ikj without a name"},
      {"some without a pause",
       with(two, "load = [\"burst\", \"sustained\"]\nscope = [\"call\", \"end-to-end\"]"),
       ":8: group 'g', run 1: load = \"sustained\" repeats kernels or calls without a pause, and scope is "
       "\"end-to-end\""},
      {"some first calls with a handicap", with(two, "handicap = 0.1\nscope = [\"call\", \"first-call\"]"),
       ":8: group 'g', run 1: 'handicap' slows every call"},
      {"an exclusion of what is unknown",
       good_ + "[[group.exclude]]\nreason = \"r\"\nimplementation = [\"cpu.ikj\", \"cpu.fast\"]\n",
       ":10: group 'g', exclude 1: unknown implementation 'cpu.fast'"},
      {"several baselines",
       good_ + "[[table]]\nkind = \"speedup\"\nbaseline = { implementation = " + two + " }\n",
       "'implementation' is ['cpu.ikj', 'cpu.serial']; a text in quotes is expected"},
  });
}

TEST_F(DefinitionMistakes, exclusions_of_what_does_not_exist) {
  expect_refused({
      {"exclusion of instructions that no machine has",
       good_ + "[[group.exclude]]\nreason = \"r\"\nisa = \"avx9\"\n",
       ":10: group 'g', exclude 1: parameter 'isa' is 'avx9'; allowed: baseline, "},
      {"exclusion of a block that the implementation does not have",
       good_ + "[[group.exclude]]\nreason = \"r\"\nimplementation = \"cpu.blocked\"\nblock = 17\n",
       ":11: group 'g', exclude 1: parameter 'block' is 17; allowed: 16, 32"},
      {"threads of an exclusion", good_ + "[[group.exclude]]\nreason = \"r\"\nthreads = 0\n",
       "parameter 'threads' is 0; allowed: 1 to 4096"},
      {"an exclusion of no cores", good_ + "[[group.exclude]]\nreason = \"r\"\ncores_below = 0\n",
       "'cores_below' is 0; "},
      {"a fraction as a block of an exclusion", good_ + "[[group.exclude]]\nreason = \"r\"\nblock = 1.5\n",
       "parameter 'block' is 1.5; allowed: "},
      {"a list as a kernel of an exclusion", good_ + "[[group.exclude]]\nreason = \"r\"\nkernel = [1]\n",
       "parameter 'kernel' is [1]; allowed: "},
      {"exclusion of an implementation without a name",
       good_ + "[[group.exclude]]\nreason = \"r\"\nimplementation = \"\"\n", "unknown implementation ''"},
      {"an exclusion without its group", good_ + "[[exclude]]\nreason = \"r\"\n",
       "unknown key 'exclude' (it is written as [[group.exclude]], under its [[group]])"},
  });
}

TEST_F(DefinitionMistakes, tables_and_figures_of_what_no_line_measures) {
  expect_refused({
      {"bad figure", good_ + "[[figure]]\nkind = \"pie\"\n", "'kind' is 'pie'; allowed: "},
      {"speedup without baseline", good_ + "[[table]]\nkind = \"speedup\"\n",
       "the key 'baseline' is missing"},
      {"baseline unknown",
       good_ + "[[table]]\nkind = \"speedup\"\nbaseline = { implementation = \"cpu.slow\" }\n",
       "unknown implementation 'cpu.slow'"},
      {"baseline that no line measures",
       good_ + "[[table]]\nkind = \"speedup\"\nbaseline = { implementation = \"cpu.serial\" }\n",
       ":10: table 1: 'baseline' is { implementation = 'cpu.serial' }, which no line measures; allowed: "
       "cpu.ikj (ikj)"},
      {"baseline with a value that no line measures",
       group("size = 64", "implementation = \"cpu.ikj\"\nthreads = [1, 2]") +
           "[[table]]\nkind = \"speedup\"\nbaseline = { implementation = \"cpu.ikj\", threads = 3 }\n",
       "which no line measures; allowed: cpu.ikj (ikj, 1 thread), cpu.ikj (ikj, 2 threads)"},
      {"baseline that another group measures",
       good_ + "[[group]]\nname = \"h\"\nsize = 64\n[[group.run]]\nimplementation = \"cpu.serial\"\n" +
           "[[figure]]\nkind = \"speedup_bars\"\ngroup = \"g\"\nbaseline = { implementation = \"cpu.serial\" "
           "}\n",
       "which no line of group 'g' measures; allowed: cpu.ikj (ikj)"},
      {"figure of an unknown group", good_ + "[[figure]]\nkind = \"block_size\"\ngroup = \"h\"\n",
       "unknown group 'h'; allowed: g"},
      {"labels not a list", good_ + "[[figure]]\nkind = \"block_size\"\nlabels = \"ikj\"\n",
       "'labels' must be a list"},
      {"a baseline without its implementation", good_ + "[[table]]\nkind = \"speedup\"\nbaseline = {}\n",
       "table 1, baseline: the key 'implementation' is missing"},
  });
}

TEST_F(DefinitionTest, a_long_value_is_cut_and_obeyed_by_no_terminal) {
  std::string many = "[1";
  for (int i = 0; i < 100000; ++i) many += ", 1";
  for (const std::string& value :
       {many + "]", "\"" + std::string(100000, 'x') + "\"", std::string("\"\\u001b[2J\""),
        "{ a = \"" + std::string(100000, 'x') + "\" }"}) {
    for (const char* key : {"scope = ", "precision = ", "name = ", "size = "}) {
      const std::string named = key == std::string("name = ") ? "" : "name = \"g\"\n";
      const std::string message =
          refusal("[[group]]\n" + named + key + value + "\n[[group.run]]\nimplementation = \"cpu.none\"\n");
      EXPECT_LT(message.size(), 2500u) << message.substr(0, 200);
      EXPECT_EQ(message.find('\x1b'), std::string::npos) << message;
    }
  }
}

TEST_F(DefinitionTest, what_is_allowed_among_many_is_told_by_the_first_of_them) {
  const std::string lines =
      group("size = 3", "implementation = \"cpu.ikj\"\nthreads = { from = 1, to = 4096, step = 1 }");
  const std::string message = refusal(lines + "[[figure]]\nkind = \"block_size\"\nlabels = [\"x\"]\n");
  EXPECT_THAT(message, HasSubstr("unknown label 'x'; allowed: ikj, 1 thread; ikj, 2 threads; "));
  EXPECT_THAT(message, HasSubstr("; and 4066 more"));
}

TEST_F(DefinitionTest, keys_lists_and_tables_have_a_greatest_depth_and_what_only_looks_deep_is_read) {
  const auto repeated = [](const std::string& part, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += part;
    return text;
  };
  for (const std::string& deep :
       {repeated("a.", 30000) + "a = 1\n", "[" + repeated("a.", 30000) + "a]\n",
        "[[" + repeated("a . \"b\".", 20000) + "a]]\n", "a = " + repeated("[", 100000) + "\n",
        "a = " + repeated("{a=", 100000) + "\n",
        "x = '''\n'''\na = \"\\\"\" # \"\nb = " + repeated("[\n", 100)}) {
    EXPECT_THAT(refusal(deep), HasSubstr("keys, lists or tables within one another, more than 32 deep"))
        << deep.substr(0, 60);
  }
  const std::string dots = repeated("a.[{", 100);
  const std::string rest = group("size = 40");
  EXPECT_EQ(refusal("# " + dots + "\nsource = '" + dots + "' # " + dots + "\n" + rest), "accepted");
  EXPECT_EQ(refusal("source = \"\"\"\n" + dots + "\"" + dots + "\n\"\"\"\n" + rest), "accepted");
}

TEST_F(DefinitionTest, lines_beyond_memory_are_refused) {
  std::string runs;
  for (int i = 0; i < 50; ++i)
    runs += "[[group.run]]\nimplementation = \"cpu.blocked\"\nblock = \"all\"\nlabel = \"" +
            std::to_string(i) + "\"\nthreads = { from = 1, to = 4096, step = 1 }\n";
  EXPECT_THAT(refusal(group("size = 64") + runs), HasSubstr("over 1000000 points"));
  EXPECT_THAT(refusal(group("size = { from = 1, to = 300, step = 1 }",
                            "implementation = \"cpu.ikj\"\nthreads = { from = 1, to = 4096, step = 1 }")),
              HasSubstr("over 1000000 points"));
}

TEST_F(DefinitionTest, a_sweep_beyond_memory_is_refused_before_it_is_made) {
  const std::string side = " = { from = 1, to = 100000, step = 1 }\n";
  EXPECT_THAT(refusal(group("m" + side + "n" + side + "k" + side)), HasSubstr("over 1000000 points"));
}

}  // namespace
}  // namespace gemmlab::runner
