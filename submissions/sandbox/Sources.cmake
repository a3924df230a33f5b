# The sandbox' sources, each named once: a program that is confined needs the first part, one that starts it the second as well.
set(sandbox ${CMAKE_CURRENT_LIST_DIR})
set(GEMMLAB_SANDBOX_INSIDE
  ${sandbox}/devices.cpp
  ${sandbox}/inner.cpp
  ${sandbox}/landlock.cpp
  ${sandbox}/libraries.cpp
  ${sandbox}/seccomp.cpp
  ${sandbox}/user.cpp)
set(GEMMLAB_SANDBOX_START
  ${GEMMLAB_SANDBOX_INSIDE}
  ${sandbox}/bubblewrap.cpp
  ${sandbox}/bubblewrap_bare.cpp
  ${sandbox}/sandbox.cpp
  ${sandbox}/start.cpp)
unset(sandbox)
