#pragma once

// What every shared library offers that was linked with the emulator's runtime. C, so that it can be looked up by name.

#include <cstddef>
#include <cstdint>

extern "C" {

/// What a call may use; 0 stands for the default.
struct GemmlabEmulationLimits {
  std::uint64_t memory_bytes;  ///< device memory, 1 GiB; settled by the first allocation
  std::uint64_t accesses;      ///< of all threads together, 4e9
  double seconds;              ///< that launches compute, 600
  std::uint64_t blocks;        ///< of each grid so many are run, spread over it: counts, but no results; all
  std::uint64_t
      sparse;  ///< 1: memory holds zeros, and of what is not written to none is taken: for matrices larger than this
               ///< machine, of whose grids a few blocks are run; settled by the first allocation
  std::uint64_t counts;  ///< 1: count requests, sectors and wavefronts, too; 0: check only
};

/// Registers that a thread of this kernel holds, as its compiler says: launches that need more than a block has are refused.
void gemmlab_emulation_registers(const char* kernel, int registers);

/// Forgets findings, counts and errors: what follows is a call of its own.
void gemmlab_emulation_begin(const GemmlabEmulationLimits* limits);

/// As cudaMalloc, with a name for messages ("A"). nullptr where memory is out.
void* gemmlab_emulation_allocate(std::size_t bytes, const char* name);
void gemmlab_emulation_release(void* memory);

/// The `which`-th cudaStreamWaitEvent from now on (1: the next) makes nothing wait, to see whether what it is for is missed; 0:
/// all do. How many there have been, and where in the library the function was called that asked for one of them.
void gemmlab_emulation_leave_out_wait(std::uint64_t which);
std::uint64_t gemmlab_emulation_waits();
std::uint64_t gemmlab_emulation_place_of_wait(std::uint64_t which);

/// Calls of the runtime that have answered with an error so far, also those whose caller went on.
std::uint64_t gemmlab_emulation_failed_calls();

/// Runs what waits in streams. 0, or CUDA's error with its text.
int gemmlab_emulation_synchronize(char* text, std::size_t size);

/// Findings, and counts where asked for, as JSON: of the first launches, and how many more there were and were not run ("launches_left_out"); places are offsets in the library ("pc"), which lines.h turns into
/// lines. Valid until the next call of any of these.
const char* gemmlab_emulation_report();
}
