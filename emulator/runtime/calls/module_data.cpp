#include "emulator/runtime/calls/module_data.h"

#include <cxxabi.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

#include "emulator/include/gemmlab_cuda_api.h"
#include "emulator/runtime/checks/wording.h"
#include "emulator/runtime/run.h"

extern const char __ehdr_start[]
    __attribute__((visibility("hidden")));  // of the library or program that holds this

namespace gemmlab::emulation {
namespace {

struct Module {
  std::uintptr_t base = 0;          ///< what is added to the addresses in its file
  std::uintptr_t from = 0, to = 0;  ///< the writable part in memory
  std::string file;
  std::vector<ModuleVariable> variables;  ///< by rising address
};

int look_at(dl_phdr_info* info, std::size_t, void* data) {
  const auto here = reinterpret_cast<std::uintptr_t>(__ehdr_start);
  Module found;
  bool mine = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD) continue;
    const std::uintptr_t from = info->dlpi_addr + part.p_vaddr;
    mine = mine || (from <= here && here < from + part.p_memsz);
    if ((part.p_flags & PF_W) == 0) continue;
    found.from = from;
    found.to = from + part.p_memsz;
  }
  if (!mine) return 0;
  found.base = info->dlpi_addr;
  found.file = info->dlpi_name[0] == '\0' ? "/proc/self/exe" : info->dlpi_name;
  *static_cast<Module*>(data) = found;
  return 1;
}

std::string readable(const char* symbol) {
  int status = 0;
  char* const text = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
  std::string name = status == 0 && text != nullptr ? text : symbol;
  std::free(text);
  const std::string anonymous = "(anonymous namespace)::";
  if (name.rfind(anonymous, 0) == 0) name.erase(0, anonymous.size());
  return name;
}

/// The runtime's own data is nobody's to touch, but for what a kernel's shared arrays are noted in.
bool of_the_runtime(const std::string& symbol) {
  return symbol.find("7gemmlab9emulation") != std::string::npos &&
         symbol.find("9emulationL6sharedI") == std::string::npos;
}

/// Not what the emulator gives it besides: blockDim and the like.
bool is_a_kernels(const ModuleVariable& variable) {
  return variable.name.rfind("gemmlab_emulation", 0) != 0;
}

template <typename T>
const T* entry(const std::vector<char>& file, std::uint64_t at, std::uint64_t count = 1) {
  return at <= file.size() && count <= (file.size() - at) / sizeof(T) ? reinterpret_cast<const T*>(&file[at])
                                                                      : nullptr;
}

/// From the table of symbols in its file; none where that has none, or another form.
void read_variables(Module& module) {
  std::ifstream stream(module.file, std::ios::binary);
  const std::vector<char> file{std::istreambuf_iterator<char>(stream), {}};
  const auto* head = entry<ElfW(Ehdr)>(file, 0);
  const auto* parts = head == nullptr ? nullptr : entry<ElfW(Shdr)>(file, head->e_shoff, head->e_shnum);
  if (parts == nullptr) return;
  for (const auto* part = parts; part != parts + head->e_shnum; ++part) {
    if (part->sh_type != SHT_SYMTAB || part->sh_link >= head->e_shnum) continue;
    const auto& names = parts[part->sh_link];
    const std::uint64_t count = part->sh_size / sizeof(ElfW(Sym));
    const auto* symbols = entry<ElfW(Sym)>(file, part->sh_offset, count);
    const char* texts = entry<char>(file, names.sh_offset, names.sh_size);
    if (symbols == nullptr || texts == nullptr || names.sh_size == 0 || texts[names.sh_size - 1] != '\0')
      return;
    for (const auto* one = symbols; one != symbols + count; ++one) {
      const std::uintptr_t from = module.base + one->st_value;
      const bool data = (one->st_info & 0xf) == STT_OBJECT && one->st_shndx != SHN_UNDEF && one->st_size > 0;
      if (!data || one->st_name >= names.sh_size || from < module.from || from >= module.to) continue;
      const char* name = texts + one->st_name;
      if (!of_the_runtime(name)) module.variables.push_back({from, from + one->st_size, name});
    }
  }
  std::sort(module.variables.begin(), module.variables.end(),
            [](const ModuleVariable& one, const ModuleVariable& other) { return one.from < other.from; });
}

const Module& module() {
  static const Module found = [] {
    Module made;
    dl_iterate_phdr(look_at, &made);
    read_variables(made);
    return made;
  }();
  return found;
}

}  // namespace

bool is_module_data(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return module().from <= at && at < module().to;
}

const ModuleVariable* beside_variables(const void* address, std::size_t bytes) {
  static const ModuleVariable* last = nullptr;  // a loop stays in one variable
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const auto within = [&](const ModuleVariable& one) { return one.from <= at && at + bytes <= one.to; };
  if (last != nullptr && within(*last)) return nullptr;
  const auto& all = module().variables;
  const auto after =
      std::upper_bound(all.begin(), all.end(), at,
                       [](std::uintptr_t value, const ModuleVariable& one) { return value < one.from; });
  const auto before =
      std::find_if(std::make_reverse_iterator(after), all.rend(),
                   [&](const ModuleVariable& one) { return within(one) || is_a_kernels(one); });
  const auto behind = std::find_if(after, all.end(), is_a_kernels);
  if (before == all.rend()) return behind == all.end() ? nullptr : &*behind;
  if (within(*before)) {
    last = &*before;
    return nullptr;
  }
  const bool nearer = behind != all.end() && behind->from - at < at - before->to;  // wraps within one
  return nearer ? &*behind : &*before;
}

void check_variable(const void* address, unsigned bytes, Operation operation) {
  const ModuleVariable* const beside = beside_variables(address, bytes);
  if (beside == nullptr) return;
  const auto offset = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address) - beside->from);
  const auto size = static_cast<std::int64_t>(beside->to - beside->from);
  Finding finding = finding_at("out-of-bounds", operation, offset);
  finding.array = readable(beside->name.c_str());
  finding.text = "At " + place_text(current->place) + " " + who() + " " + verb(operation) + " byte " +
                 std::to_string(offset) + " of " + finding.array + ", a variable of " + std::to_string(size) +
                 " bytes: out of bounds.";
  run().end_kernel(std::move(finding), cudaErrorIllegalAddress);
}

}  // namespace gemmlab::emulation
