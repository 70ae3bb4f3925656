# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# `cmake --install` and `cpack`: the command, what it links programs to, headers, gallery, desktop entries.
set(library_folder lib/lanescope)  # as compiler::findInstallation() looks for it
install(TARGETS lanescope RUNTIME DESTINATION bin)
install(TARGETS lanescope_runtime lanescope_math lanescope_mpi LIBRARY DESTINATION ${library_folder})
install(FILES ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/lanescope_start.o DESTINATION ${library_folder})
if(TARGET lanescope_instrument)
  install(TARGETS lanescope_instrument RUNTIME DESTINATION ${library_folder})
endif()
if(TARGET lanescope_instrument AND TARGET lanescope_logger)
  foreach(part logger counter races tensors)
    install(FILES ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/lanescope_${part}.bc DESTINATION ${library_folder})
  endforeach()
endif()
if(TARGET lanescope_native)
  install(TARGETS lanescope_native LIBRARY DESTINATION ${library_folder})
endif()
if(TARGET lanescope_attach)
  install(TARGETS lanescope_attach LIBRARY DESTINATION ${library_folder})
endif()
get_property(standins GLOBAL PROPERTY LS_STANDINS)
install(TARGETS ${standins} LIBRARY DESTINATION ${library_folder}/standins NAMELINK_SKIP)
install(PROGRAMS instrumented/standins/ptxas DESTINATION ${library_folder}/standins)
install(DIRECTORY instrumented/standins/python DESTINATION ${library_folder}/standins PATTERN "__pycache__" EXCLUDE)
install(CODE "
  set(standins \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${library_folder}/standins)
  file(CREATE_LINK libcuda.so.1 \${standins}/libcuda.so SYMBOLIC)
  foreach(name libcublasLt.so.12 libcublasLt.so.13 libcufft.so.11 libcufft.so.12 libcusolver.so.11
      libcusolver.so.12 libcusparse.so.12)
    file(CREATE_LINK ../liblanescope_math.so \${standins}/\${name} SYMBOLIC)
  endforeach()")
install(DIRECTORY instrumented/include/ DESTINATION share/lanescope/include)
install(DIRECTORY kernels/ DESTINATION share/lanescope/kernels
        FILES_MATCHING PATTERN "*.cu" PATTERN "*.cuh" PATTERN "*.mojo" PATTERN "*.py" PATTERN "*.exercise" PATTERN "tensor.h" EXCLUDE)
install(FILES core/layout/tensor.h DESTINATION share/lanescope/kernels)
install(FILES resources/desktop/lanescope.desktop DESTINATION share/applications)
install(FILES resources/desktop/lanescope.xml DESTINATION share/mime/packages)
install(FILES resources/icons/lanescope.svg DESTINATION share/icons/hicolor/scalable/apps)
install(FILES resources/completion/lanescope.bash DESTINATION share/bash-completion/completions RENAME lanescope)
install(FILES LICENSES/copyright DESTINATION share/doc/lanescope)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/package)
foreach(name lanescope.1 changelog)
  execute_process(COMMAND gzip -9nc ${CMAKE_SOURCE_DIR}/resources/desktop/${name}
                  OUTPUT_FILE ${CMAKE_BINARY_DIR}/package/${name}.gz)
endforeach()
install(FILES ${CMAKE_BINARY_DIR}/package/lanescope.1.gz DESTINATION share/man/man1)
install(CODE "file(CREATE_LINK lanescope.1.gz
  \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/man/man1/lanescope-nvcc.1.gz SYMBOLIC)")
install(FILES resources/desktop/lintian-overrides DESTINATION share/lintian/overrides RENAME lanescope)
install(FILES ${CMAKE_BINARY_DIR}/package/changelog.gz DESTINATION share/doc/lanescope)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME lanescope)
set(CPACK_PACKAGE_CONTACT "The Lanescope developers <developers@lanescope.dev>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "visual debugger for GPU kernels")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Runs the kernels of CUDA programs, and of what Mojo, Triton, Numba and CuPy
make, on a simulator that needs no GPU. Shows every thread's memory accesses,
variables and barriers step by step, forwards and backwards, and finds accesses
out of bounds, races, divergent barriers and reads of what nobody wrote.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Who only looks at recordings compiles nothing.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "clang-19, g++")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "ffmpeg")
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
# That of a later system is newer, so that upgrading the system upgrades it.
cmake_host_system_information(RESULT system QUERY DISTRIB_ID DISTRIB_VERSION_ID)
list(JOIN system "" system)
set(CPACK_DEBIAN_PACKAGE_VERSION ${PROJECT_VERSION}~${system})
include(CPack)
