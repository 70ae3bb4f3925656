# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DNVCC=… -DKERNELS=folder -DOUTPUT=folder -P build_with_nvcc.cmake: every program of the gallery must build.
file(GLOB programs ${KERNELS}/*.cu ${KERNELS}/as_published/*.cu)
foreach(program IN LISTS programs)
  get_filename_component(name ${program} NAME_WE)
  execute_process(COMMAND ${NVCC} -arch=sm_90 -Werror all-warnings -o ${OUTPUT}/${name} ${program} RESULT_VARIABLE failed)
  if(failed)
    message(SEND_ERROR "nvcc does not build ${program}")
  endif()
endforeach()
