# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DNVCC=… -DKERNELS=folder -DOUTPUT=folder -P build_with_nvcc.cmake: every program of the gallery must build, as
# far as nvcc itself goes, which is C++ for the host's compiler.
file(GLOB programs ${KERNELS}/*.cu ${KERNELS}/as_published/*.cu)
foreach(program IN LISTS programs)
  get_filename_component(name ${program} NAME_WE)
  # The defects that were published warn, some of them; the others must not.
  if(program MATCHES "as_published")
    set(strict)
  else()
    set(strict -Werror all-warnings)
  endif()
  execute_process(COMMAND ${NVCC} -gencode arch=compute_90a,code=sm_90a ${strict} --cuda -o ${OUTPUT}/${name}.cu.cpp.ii ${program} RESULT_VARIABLE failed)
  if(failed)
    message(SEND_ERROR "nvcc does not build ${program}")
  endif()
endforeach()
