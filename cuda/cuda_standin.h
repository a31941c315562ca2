/* The calls of CUDA's runtime that vectors need, on host memory: see device.h.
 * LRGD_STANDIN_BYTES in the environment is how much the "card" holds, so that
 * tests can run out of it. */
#ifndef LR_CUDA_STANDIN_H
#define LR_CUDA_STANDIN_H

typedef enum cudaError_t { cudaSuccess, cudaErrorMemoryAllocation } cudaError_t;
typedef enum cudaMemcpyKind {
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice
} cudaMemcpyKind;
typedef struct cudaDeviceProp {
  char name[256];
} cudaDeviceProp;

static inline cudaError_t lr_standin_malloc(void **to, size_t bytes)
{
  const char *most = getenv("LRGD_STANDIN_BYTES");
  bool fits = most == NULL || bytes <= strtoull(most, NULL, 10);
  *to = fits ? malloc(bytes) : NULL;
  return *to ? cudaSuccess : cudaErrorMemoryAllocation;
}

static inline cudaError_t cudaFree(void *at)
{
  free(at);
  return cudaSuccess;
}

static inline cudaError_t cudaFreeHost(void *at)
{
  return cudaFree(at);
}

static inline cudaError_t cudaStreamSynchronize(void *stream)
{
  (void)stream;
  return cudaSuccess;
}

static inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                                     cudaMemcpyKind kind)
{
  (void)kind;
  memmove(to, from, bytes);
  return cudaSuccess;
}

static inline cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
  memset(to, value, bytes);
  return cudaSuccess;
}

static inline cudaError_t cudaGetLastError(void)
{
  return cudaSuccess;
}

static inline const char *cudaGetErrorString(cudaError_t error)
{
  return error == cudaSuccess ? "no error" : "out of memory";
}

static inline cudaError_t cudaGetDevice(int *device)
{
  *device = 0;
  return cudaSuccess;
}

static inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *of,
                                                  int device)
{
  (void)device;
  memcpy(of->name, "host stand-in", sizeof "host stand-in");
  return cudaSuccess;
}

#define cudaMalloc(to, bytes) lr_standin_malloc((void **)(to), bytes)
#define cudaHostAlloc(to, bytes, how) lr_standin_malloc((void **)(to), bytes)

#endif
