// Made first and run at each build: `source_hashes ROOT RULES HEADER` writes a header with a SHA-256 for what
// measures and checks (ROOT/cmake/measures.txt lists it) and one for each implementation, of its own file and
// all that it stands on; RULES are the compiler's, of what each unit includes (cmake/SourceHash.cmake). A recorded
// point is stale where one of its two has changed. `source_hashes ROOT RULES --unlisted` prints the files of core/,
// operations/, cpu/ and gpu/ that neither the list nor an implementation has.

#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

#include "cmake/source_hashes/text.h"
#include "core/records/sha256.h"

namespace fs = std::filesystem;

namespace gemmlab::source_hashes {
namespace {

std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) throw std::runtime_error(file.string() + ": cannot be read");
  return text.str();
}

bool is_unit(const fs::path& file) {
  return file.extension() == ".cpp" || file.extension() == ".cu";
}

const std::string kFile = "file=";

/// Lists of what there is: a new row says nothing of the others.
bool is_list(const std::string& file) {
  const std::string name = fs::path(file).filename();
  return name == "table.cpp" || name == "ids.cpp" || name == "methods.cpp";
}

/// What a line of measures.txt says: "WHOSE FILE", whose: core (all points'), cpu, gpu, or nobody's, "-".
std::map<std::string, std::set<std::string>> measuring_files(const fs::path& list) {
  std::map<std::string, std::set<std::string>> files;
  std::istringstream lines(read(list));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string whose, file;
    if (!(words >> whose >> file) || whose[0] == '#') continue;
    files[whose].insert(file);
  }
  return files;
}

/// Unit -> what it includes, by rules as the compiler writes them for make: "unit.o: unit header header \\".
std::map<std::string, std::set<std::string>> includes_in(const fs::path& rules) {
  std::map<std::string, std::set<std::string>> found;
  std::istringstream words(read(rules));
  std::string unit;
  for (std::string word; words >> word;) {
    if (word.ends_with(':')) {
      words >> unit;
      found[unit];
    } else if (word != "\\") {
      found[unit].insert(word);
    }
  }
  return found;
}

/// Folders with the table of a back end, as CMakeLists.txt has them.
std::set<std::string> devices_in(const fs::path& root) {
  std::set<std::string> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(root))
    if (fs::exists(entry.path() / "table.cpp")) found.insert(entry.path().filename().string());
  return found;
}

/// Every source below ROOT that something measured may be compiled from, by its path there.
class Tree {
 public:
  Tree(const fs::path& root, const fs::path& rules)
      : devices_(devices_in(root)),
        measuring_(measuring_files(root / "cmake" / "measures.txt")),
        includes_(includes_in(rules)) {
    std::set<std::string> folders{"core", "operations", "runner"};
    folders.insert(devices_.begin(), devices_.end());
    for (const std::string& folder : folders) {
      for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
        if (!is_unit(entry.path()) && entry.path().extension() != ".h") continue;
        const std::string file = fs::relative(entry.path(), root).generic_string();
        code_[file] = code_of(read(entry.path()));
      }
    }
    for (const std::string& device : devices_) {
      read_options(root, device);
      for (const fs::directory_entry& entry : fs::directory_iterator(root / device)) {
        if (fs::exists(entry.path() / "rows.txt")) read_rows(root, device, entry.path());
        if (fs::exists(entry.path() / "options.cmake"))
          read_file_options(root, entry.path() / "options.cmake");
      }
    }
    for (const auto& [id, file] : homes_) home_files_.insert(file);
  }

  const std::map<std::string, std::string>& homes() const { return homes_; }

  using Listed = std::map<std::string, std::set<std::string>>;
  const std::set<std::string>& devices() const { return devices_; }
  const Listed& measuring() const { return measuring_; }
  /// Of what measures on a device; of one that the list does not know, nothing of its own.
  std::string measuring_hash(const std::string& device) const {
    const auto found = measuring_.find(device);
    return found == measuring_.end() ? "" : hash_of(found->second);
  }
  std::vector<std::string> files() const {
    std::vector<std::string> all;
    for (const auto& [file, code] : code_) all.push_back(file);
    return all;
  }

  std::string hash_of(const std::set<std::string>& files) const {
    std::string all;
    for (const std::string& file : files) {
      const auto found = code_.find(file);
      if (found == code_.end()) throw std::runtime_error(file + ": there is no such source");
      all += file + " " + sha256(found->second);
      const auto options = options_.find(file);
      all += (options == options_.end() ? "" : " " + options->second) + "\n";
    }
    return sha256(all);
  }

  /// `file` and what it includes; of a header also the .cpp or .cu of its name; of a
  /// file in a folder below an operation's the whole folder; the folder in operations/ of the operation; and units
  /// of the operation's folder that no header is named after. Never another implementation's own file, nor
  /// what is nobody's.
  std::set<std::string> all_below(const std::string& file) const {
    std::set<std::string> found{file};
    std::vector<std::string> left{file};
    const Listed::const_iterator nobodys = measuring_.find("-");
    const auto add = [&](const std::string& other) {
      if (is_unit(other) && nobodys != measuring_.end() && nobodys->second.count(other) > 0) return;
      if (code_.count(other) == 0 || is_list(other) || home_files_.count(other) > 0) return;
      if (found.insert(other).second) left.push_back(other);
    };
    const auto add_folder = [&](const std::string& folder) {
      for (auto at = code_.lower_bound(folder); at != code_.end() && at->first.rfind(folder, 0) == 0; ++at)
        add(at->first);
    };
    const fs::path home = fs::path(file).parent_path();
    add_folder("operations/" + home.filename().generic_string() + "/");
    for (const auto& [other, code] : code_) {
      if (fs::path(other).parent_path() != home || !is_unit(other)) continue;
      const std::string header = fs::path(other).replace_extension(".h").generic_string();
      if (code_.count(header) == 0 || is_list(header)) add(other);
    }
    while (!left.empty()) {
      const fs::path path = left.back();
      left.pop_back();
      if (is_unit(path)) {
        for (const std::string& include : included_by(path.generic_string())) add(include);
      } else {
        for (const char* extension : {".cpp", ".cu"})
          add(fs::path(path).replace_extension(extension).generic_string());
      }
      const std::string folder = path.parent_path().generic_string() + "/";
      if (is_below_an_operation(folder)) add_folder(folder);
    }
    return found;
  }

  /// How a device's folder is compiled, apart from which files there are and what single files are given.
  std::string options_of(const std::string& device) const { return options_.at(device); }

 private:
  const std::set<std::string>& included_by(const std::string& unit) const {
    const auto found = includes_.find(unit);
    if (found == includes_.end()) throw std::runtime_error(unit + ": no rule says what it includes");
    return found->second;
  }

  /// "gpu/gemm/tensor/": an operation's own folder is one with rows.txt.
  bool is_below_an_operation(const std::string& folder) const {
    const std::size_t end = folder.find('/', folder.find('/') + 1);
    return end + 1 < folder.size() && operations_.count(folder.substr(0, end)) > 0;
  }

  /// Where each row of an operation is defined: "NAME [file=FILE] …", else in the file of its name.
  void read_rows(const fs::path& root, const std::string& device, const fs::path& folder) {
    const std::string here = fs::relative(folder, root).generic_string();
    operations_.insert(here);
    std::istringstream lines(read(folder / "rows.txt"));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string name, word;
      if (!(words >> name) || name[0] == '#') continue;
      std::string file = name + (code_.count(here + "/" + name + ".cu") > 0 ? ".cu" : ".cpp");
      while (words >> word) {
        if (word.rfind(kFile, 0) == 0) file = word.substr(kFile.size());
      }
      homes_[device + "." + name] = here + "/" + file;
    }
  }

  /// What CMakeLists.txt says of all files of a device; of single files, what `options.cmake` says too.
  void read_options(const fs::path& root, const std::string& device) {
    const fs::path list = root / device / "CMakeLists.txt";
    read_file_options(root, list);
    for (const std::string& statement : statements_of(read(list))) {
      if (is_of_files(statement)) continue;
      for (const std::string& word : words_of(statement)) {
        if (!is_unit(word)) options_[device] += word + " ";
      }
    }
  }

  void read_file_options(const fs::path& root, const fs::path& list) {
    const std::string folder = fs::relative(list.parent_path(), root).generic_string() + "/";
    const std::string here = "${CMAKE_CURRENT_LIST_DIR}/";
    for (const std::string& statement : statements_of(read(list))) {
      if (!is_of_files(statement)) continue;
      for (const std::string& word : words_of(statement)) {
        const std::string file = word.rfind(here, 0) == 0 ? word.substr(here.size()) : word;
        if (is_unit(file)) options_[folder + file] += statement.substr(statement.find("PROPERTIES"));
      }
    }
  }

  static bool is_of_files(const std::string& statement) {
    return statement.rfind("set_source_files_properties", 0) == 0;
  }
  static std::vector<std::string> words_of(std::string statement) {
    std::istringstream stream(statement.replace(statement.find('('), 1, " "));
    return {std::istream_iterator<std::string>(stream), {}};
  }

  std::set<std::string> devices_;
  Listed measuring_;
  std::map<std::string, std::set<std::string>> includes_;
  std::map<std::string, std::string> code_;
  std::set<std::string> operations_;          ///< their folders: "gpu/gemm"
  std::map<std::string, std::string> homes_;  ///< id -> the file that defines it
  std::set<std::string> home_files_;
  std::map<std::string, std::string> options_;  ///< by file, and by device
};

std::string unlisted(const Tree& tree) {
  std::set<std::string> known;
  for (const auto& [whose, files] : tree.measuring()) known.insert(files.begin(), files.end());
  for (const auto& [id, file] : tree.homes()) known.merge(tree.all_below(file));
  std::string text;
  for (const std::string& file : tree.files()) {
    if (file.rfind("runner/", 0) != 0 && !is_list(file) && known.count(file) == 0) text += file + "\n";
  }
  return text;
}

std::string header(const Tree& tree) {
  std::ostringstream text;
  text << "#pragma once\n// Made at each build by cmake/source_hashes.\nnamespace gemmlab::facts {\n"
       << "struct SourceHash {\n  const char* name;\n  const char* sha256;\n};\n"
       << "inline constexpr SourceHash kMeasuring[] = {\n";
  for (const std::string& device : tree.devices()) {
    const std::string both = tree.measuring_hash("core") + tree.measuring_hash(device);
    text << "    {\"" << device << "\", \"" << sha256(both + tree.options_of(device)) << "\"},\n";
  }
  text << "};\ninline constexpr SourceHash kImplementations[] = {\n";
  for (const auto& [id, file] : tree.homes())
    text << "    {\"" << id << "\", \"" << tree.hash_of(tree.all_below(file)) << "\"},\n";
  text << "};\n}  // namespace gemmlab::facts\n";
  return text.str();
}

}  // namespace
}  // namespace gemmlab::source_hashes

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "source_hashes ROOT RULES HEADER\nsource_hashes ROOT RULES --unlisted\n";
    return 2;
  }
  try {
    const gemmlab::source_hashes::Tree tree(argv[1], argv[2]);
    const std::string to = argv[3];
    if (to == "--unlisted") {
      std::cout << gemmlab::source_hashes::unlisted(tree);
      return 0;
    }
    const std::string text = gemmlab::source_hashes::header(tree);
    std::error_code none;
    if (fs::exists(to, none) && gemmlab::source_hashes::read(to) == text) return 0;
    std::ofstream(to) << text;
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "source_hashes: " << error.what() << '\n';
    return 1;
  }
}
