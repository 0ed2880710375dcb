set(RUSHLIGHT_KERNEL_FAMILIES conv elementwise matmul)
set(RUSHLIGHT_KERNELS_conv
  /work/wt/schema/rushlight/ops/conv/convolution.cpp
  /work/wt/schema/rushlight/ops/conv/direct.cpp
  /work/wt/schema/rushlight/ops/conv/geometry.cpp
  /work/wt/schema/rushlight/ops/conv/shapes.cpp
  /work/wt/schema/rushlight/ops/conv/strips.cpp)
set(RUSHLIGHT_KERNELS_elementwise
  /work/wt/schema/rushlight/ops/elementwise/leaky_relu.cpp)
set(RUSHLIGHT_KERNELS_matmul
  /work/wt/schema/rushlight/ops/matmul/gemm.cpp
  /work/wt/schema/rushlight/ops/matmul/mm.cpp
  /work/wt/schema/rushlight/ops/matmul/panel.cpp
  /work/wt/schema/rushlight/ops/matmul/shapes.cpp)
