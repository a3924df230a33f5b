#pragma once

// What a processor has of instructions for types, as CPUID tells it.

namespace gemmlab::cpu {

/// A bit of CPUID, leaf 7: of EAX, ECX or EDX of a subleaf. False on other processors than x86.
enum class Register { kEax, kEcx, kEdx };
bool has_feature(unsigned subleaf, Register where, unsigned bit);

constexpr unsigned kVnni = 11;  ///< ECX: AVX-512 VNNI

/// VNNI, of 512 or 256 bits? On x86 without it libraries add pairs of products of bytes in 16 bits, where they saturate (oneDNN's guide,
/// "Nuances of int8 Computations").
bool adds_bytes_in_32_bits();

}  // namespace gemmlab::cpu
