# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A folder in a toolkit's shape, for what looks for one: bin/nvcc, include, and libraries of NVIDIA's names, each of which
# hands the linker on to the runtime. The runtime has no SONAME, so that what is linked by this folder's path finds it there.
set(toolkit ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/toolkit)
set(toolkit_libraries cudart cuda curand nvToolsExt nccl)
set(toolkit_archives cudart_static cudadevrt curand_static culibos)

file(MAKE_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY} ${toolkit}/bin ${toolkit}/lib64/stubs ${toolkit}/nvvm/libdevice)
foreach(name nvcc lanescope-nvcc)
  file(CREATE_LINK ../../../bin/lanescope ${toolkit}/bin/${name} SYMBOLIC)
endforeach()
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/instrumented/include ${toolkit}/include SYMBOLIC)
file(CREATE_LINK ../../liblanescope_runtime.so ${toolkit}/lib64/liblanescope_runtime.so SYMBOLIC)
foreach(name ${toolkit_libraries})
  file(WRITE ${toolkit}/lib64/lib${name}.so "INPUT(AS_NEEDED(liblanescope_mpi.so) liblanescope_runtime.so)\n")
endforeach()
file(CREATE_LINK ../../liblanescope_mpi.so ${toolkit}/lib64/liblanescope_mpi.so SYMBOLIC)
file(CREATE_LINK ../../liblanescope_math.so ${toolkit}/lib64/liblanescope_math.so SYMBOLIC)
foreach(name cublas cublasLt cufft cusolver cusparse)
  foreach(ending .so _static.a)
    file(WRITE ${toolkit}/lib64/lib${name}${ending} "INPUT(AS_NEEDED(liblanescope_math.so) liblanescope_runtime.so)\n")
  endforeach()
endforeach()
foreach(name ${toolkit_archives})
  file(WRITE ${toolkit}/lib64/lib${name}.a "INPUT(AS_NEEDED(liblanescope_mpi.so) liblanescope_runtime.so)\n")
endforeach()
file(WRITE ${toolkit}/version.json "{\"cuda\": {\"name\": \"Lanescope in the place of CUDA\", \"version\": \"12.4.0\"}}\n")
file(CREATE_LINK lanescope ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/lanescope-nvcc SYMBOLIC)

install(FILES ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/lanescope-nvcc DESTINATION bin)
install(DIRECTORY ${toolkit} DESTINATION ${library_folder} PATTERN bin EXCLUDE PATTERN include EXCLUDE)
# They lead somewhere else than where it was built.
install(CODE "
  set(toolkit \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${library_folder}/toolkit)
  file(MAKE_DIRECTORY \${toolkit}/bin)
  foreach(name nvcc lanescope-nvcc)
    file(CREATE_LINK ../../../../bin/lanescope \${toolkit}/bin/\${name} SYMBOLIC)
  endforeach()
  file(CREATE_LINK ../../../share/lanescope/include \${toolkit}/include SYMBOLIC)")
