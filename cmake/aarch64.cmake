# Toolchain file for 64-bit ARM on another Linux: Debian's cross compiler, its emulator, and in $GEMMLAB_SYSROOT the libraries of
# arm64. `bash tests/arm/under_qemu FOLDER` makes such a folder, builds with it and runs tests.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static;-L;$ENV{GEMMLAB_SYSROOT})

set(CMAKE_SYSROOT $ENV{GEMMLAB_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} $ENV{GEMMLAB_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} $ENV{GEMMLAB_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig)
