#pragma once

// What a file that is compiled once for each isa includes. CMake names the isa of its object; every external
// name in it lies in the namespace of that isa. Whatever else the file includes may hold nothing that becomes
// code of its own: an inline function or a template used there with AVX-512 flags is a symbol that the linker
// may pick for every caller, also on machines without AVX-512.

#if defined(GEMMLAB_ISA)
#define GEMMLAB_KERNEL_NAMESPACE gemmlab::cpu::GEMMLAB_ISA
#endif
