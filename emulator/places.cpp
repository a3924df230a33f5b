#include "emulator/places.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <sstream>
#include <stdexcept>

extern char** environ;

namespace gemmlab::emulation {
namespace {

constexpr std::size_t kMostInOneCall = 2000;

std::string hexadecimal(std::uint64_t value) {
  std::array<char, 24> text;
  std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(value));
  return text.data();
}

/// What a command prints.
std::string output_of(std::vector<std::string> command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe for " + command[0]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::vector<char*> arguments;
  for (std::string& each : command) arguments.push_back(each.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  std::array<char, 65536> part;
  for (ssize_t got = 0; failed == 0 && (got = read(ends[0], part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  if (failed != 0 || waitpid(child, &status, 0) != child || status != 0) {
    throw std::runtime_error(command[0] + " cannot be run: it comes with g++ (package binutils)");
  }
  return text;
}

bool ours(const std::string& file) {
  return file.find("emulator/include/") != std::string::npos ||
         file.find("emulator/rows/stand_ins/") != std::string::npos || file.rfind("/usr/", 0) == 0 ||
         file == "??";
}

/// "file:31" or "file:31 (discriminator 2)".
Place parsed(const std::string& line) {
  const std::size_t end = line.find(" (");
  const std::string text = line.substr(0, end);
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return {};
  return {text.substr(0, colon), std::atoi(text.c_str() + colon + 1), {}};
}

/// After each address, functions and places by turns, the innermost first.
void read_answers(const std::string& output, std::map<std::uint64_t, Place>& places) {
  std::istringstream lines(output);
  Place* found = nullptr;
  std::string function;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("0x", 0) == 0) {
      found = &places[std::stoull(line, nullptr, 16)];
      continue;
    }
    function = line;
    if (found == nullptr || !std::getline(lines, line)) continue;
    const Place place = parsed(line);
    found->function = function;
    if (found->line != 0 || place.line == 0 || ours(place.file)) continue;
    found->file = place.file;
    found->line = place.line;
  }
}

}  // namespace

std::map<std::uint64_t, Place> places(const std::vector<std::uint64_t>& offsets, const std::string& library) {
  std::map<std::uint64_t, Place> found;
  for (std::size_t from = 0; from < offsets.size(); from += kMostInOneCall) {
    std::vector<std::string> command = {"addr2line", "-i", "-a", "-f", "-C", "-e", library};
    for (std::size_t i = from; i < std::min(offsets.size(), from + kMostInOneCall); ++i) {
      command.push_back(hexadecimal(offsets[i]));
    }
    read_answers(output_of(std::move(command)), found);
  }
  return found;
}

}  // namespace gemmlab::emulation
