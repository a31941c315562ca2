/* Gaussian numbers for directions of a perceptron: those of the host, to the
 * bit, so this file is compiled without fused operations. */
#include "card_mlp.h"

#include "base/normal.h"

using namespace lr_card;

namespace
{

/* Four numbers share their random bits, wherever the first one is. */
__global__ void normals_kernel(uint64_t seed, uint64_t stream, uint64_t first,
                               size_t count, double scale, float *Z, size_t z)
{
  uint64_t begin = first / 4, end = (first + count + 3) / 4;
  float *mine = Z + blockIdx.y * z;
  LR_OVER(b, end - begin)
  {
    uint32_t words[4];
    lr_philox_words(seed, stream + blockIdx.y, begin + b, words);
    for (size_t j = 0; j < 4; j++) {
      uint64_t i = 4 * (begin + b) + j;
      if (i < first || i >= first + count) continue;
      float number = (float)lr_quantile(lr_centred(words[j]));
      mine[i - first] = (float)scale * number;
    }
  }
}

} // namespace

void lr_card_normals(uint64_t seed, uint64_t stream, uint64_t first,
                     size_t count, size_t k, double scale, float *Z, size_t z)
{
  if (count == 0 || k == 0) return;
  normals_kernel<<<dim3(blocks_of(count / 4 + 1), (unsigned)k), THREADS>>>(
      seed, stream, first, count, scale, Z, z);
}
