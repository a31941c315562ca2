/* What only Hopper's instruction set has, as functions: barriers in shared
 * memory, copies of tiles by the copy engine, matrix products of a warpgroup.
 * Written after NVIDIA's "Parallel Thread Execution ISA", sections "wgmma" and
 * "cp.async.bulk.tensor". */
#ifndef LR_HOPPER_H
#define LR_HOPPER_H

#include <cuda.h> /* CUtensorMap */
#include <stdint.h>

#define LR_ON_CARD static __device__ __forceinline__

LR_ON_CARD uint32_t lr_shared_address(const void *at)
{
  return (uint32_t)__cvta_generic_to_shared(at);
}

/* ---- barriers that count arrivals and bytes ---- */

LR_ON_CARD void lr_barrier_init(uint64_t *barrier, uint32_t arrivals)
{
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(
                   lr_shared_address(barrier)),
               "r"(arrivals)
               : "memory");
}

/* Barriers that were begun are seen by the copy engine from here on. */
LR_ON_CARD void lr_barriers_begun(void)
{
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* One arrival, and so many bytes that the copy engine will bring. */
LR_ON_CARD void lr_barrier_expect(uint64_t *barrier, uint32_t bytes)
{
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                   lr_shared_address(barrier)),
               "r"(bytes)
               : "memory");
}

LR_ON_CARD void lr_barrier_arrive(uint64_t *barrier)
{
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(
                   lr_shared_address(barrier))
               : "memory");
}

/* Waits for the end of the phase of this parity. */
LR_ON_CARD void lr_barrier_wait(uint64_t *barrier, uint32_t parity)
{
  uint32_t done = 0;
  while (!done) {
    asm volatile(
        "{\n\t"
        ".reg .pred p;\n\t"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
        "selp.u32 %0, 1, 0, p;\n\t"
        "}"
        : "=r"(done)
        : "r"(lr_shared_address(barrier)), "r"(parity)
        : "memory");
  }
}

/* ---- tiles from global into shared memory ---- */

LR_ON_CARD void lr_copy_tile_2d(void *to, const CUtensorMap *map,
                                uint64_t *barrier, int x, int y)
{
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier"
      "::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(
          lr_shared_address(to)),
      "l"((uint64_t)map), "r"(lr_shared_address(barrier)), "r"(x), "r"(y)
      : "memory");
}

LR_ON_CARD void lr_copy_tile_3d(void *to, const CUtensorMap *map,
                                uint64_t *barrier, int x, int y, int z)
{
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier"
      "::complete_tx::bytes [%0], [%1, {%3, %4, %5}], [%2];" ::"r"(
          lr_shared_address(to)),
      "l"((uint64_t)map), "r"(lr_shared_address(barrier)), "r"(x), "r"(y),
      "r"(z)
      : "memory");
}

/* ---- blocks of a cluster, which share what one of them fetches ---- */

/* Which of them this is. */
LR_ON_CARD unsigned lr_cluster_rank(void)
{
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

/* Until all threads of all of them have come here. */
LR_ON_CARD void lr_cluster_meet(void)
{
  asm volatile(
      "barrier.cluster.arrive.release;\n\t"
      "barrier.cluster.wait.acquire;" ::
          : "memory");
}

/* An arrival at the barrier of this place in block `rank`. */
LR_ON_CARD void lr_barrier_arrive_at(uint64_t *barrier, unsigned rank)
{
  asm volatile(
      "{\n\t"
      ".reg .b32 there;\n\t"
      "mapa.shared::cluster.u32 there, %0, %1;\n\t"
      "mbarrier.arrive.shared::cluster.b64 _, [there];\n\t"
      "}" ::"r"(lr_shared_address(barrier)),
      "r"(rank)
      : "memory");
}

/* A tile into the same place of the blocks of `which` (a bit for each), whose
 * barriers of this place are told. */
LR_ON_CARD void lr_copy_tile_to_all(void *to, const CUtensorMap *map,
                                    uint64_t *barrier, int x, int y,
                                    unsigned which)
{
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier"
      "::complete_tx::bytes.multicast::cluster [%0], [%1, {%3, %4}], "
      "[%2], %5;" ::"r"(lr_shared_address(to)),
      "l"((uint64_t)map), "r"(lr_shared_address(barrier)), "r"(x), "r"(y),
      "h"((uint16_t)which)
      : "memory");
}

/* A map's description is fetched before it is used. */
LR_ON_CARD void lr_map_prefetch(const CUtensorMap *map)
{
  asm volatile("prefetch.tensormap [%0];" ::"l"((uint64_t)map) : "memory");
}

/* What this thread wrote to shared memory is seen by products from here on. */
LR_ON_CARD void lr_shared_written(void)
{
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* ---- words, without waiting for them ---- */

/* 4 bytes, or zero. */
LR_ON_CARD void lr_copy_word(float *to, const float *from, bool there)
{
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(
                   lr_shared_address(to)),
               "l"(from), "r"(there ? 4 : 0)
               : "memory");
}

/* Until this thread's words have arrived. */
LR_ON_CARD void lr_words_wait(void)
{
  asm volatile("cp.async.wait_all;" ::: "memory");
}

/* ---- matrix products ---- */

/* A tile of rows of 128 bytes, swizzled as the copy engine writes it: groups of
 * eight rows are 1,024 bytes apart. */
LR_ON_CARD uint64_t lr_tile_descriptor(const void *at)
{
  uint64_t address = (lr_shared_address(at) & 0x3ffff) >> 4;
  return address | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 |
         (uint64_t)1 << 62;
}

LR_ON_CARD void lr_products_begin(void)
{
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

LR_ON_CARD void lr_products_commit(void)
{
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/* Until at most `left` groups of products are under way. */
#define lr_products_wait(left)                                                 \
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(left) : "memory")

/* d (+)= A B' for tiles of 64 x 8 and 112 x 8 numbers, rounded to TF32 by
 * leaving out low bits; d: the numbers of each thread of a warpgroup. */
LR_ON_CARD void lr_product(float (&d)[56], uint64_t A, uint64_t B, bool add)
{
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "setp.ne.b32 p, %58, 0;\n\t"
      "wgmma.mma_async.sync.aligned.m64n112k8.f32.tf32.tf32 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, "
      "%14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, "
      "%28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, "
      "%42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55"
      "}, %56, %57, p, 1, 1;\n\t"
      "}"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
        "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]),
        "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
        "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
        "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]),
        "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]),
        "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]),
        "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]),
        "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]),
        "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]),
        "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55])
      : "l"(A), "l"(B), "r"((int)add));
}

/* The same for 64 x 8 and 64 x 8 numbers, those of A in registers: of each warp
 * 16 rows, a thread has rows lane / 4 and + 8 of column lane % 4, then the same
 * of column + 4. */
LR_ON_CARD void lr_product(float (&d)[32], const uint32_t (&a)[4], uint64_t B,
                           bool add)
{
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "setp.ne.b32 p, %37, 0;\n\t"
      "wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, "
      "%12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "
      "%24, %25, %26, %27, %28, %29, %30, %31"
      "}, {%32, %33, %34, %35}, %36, p, 1, 1;\n\t"
      "}"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
        "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]),
        "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
        "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
        "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]),
        "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]),
        "+f"(d[31])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(B), "r"((int)add));
}

/* ---- products of one warp ---- */

/* x such that leaving out its low 13 bits, as the product does, rounds to
 * nearest.  (There is an instruction for it, four times slower than a sum.) */
LR_ON_CARD uint32_t lr_tf32(float x)
{
  return __float_as_uint(x) + 0x1000u;
}

/* c += A B for 16 x 8 and 8 x 8 numbers. */
LR_ON_CARD void lr_warp_product(float (&c)[4], const uint32_t (&a)[4],
                                uint32_t b0, uint32_t b1)
{
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/* ---- registers, handed from one warpgroup to the others ---- */

#define lr_registers_fewer(count)                                              \
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"((int)(count)))
#define lr_registers_more(count)                                               \
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"((int)(count)))

/* ---- words between blocks ---- */

LR_ON_CARD unsigned lr_read_acquire(const unsigned *at)
{
  unsigned x;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
               : "=r"(x)
               : "l"(at)
               : "memory");
  return x;
}

/* One more, after all that this thread knows of is in memory: what it wrote,
 * and what those wrote with whom it has met. */
LR_ON_CARD void lr_count_release(unsigned *at)
{
  asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(at) : "memory");
}

/* The same, and this thread sees what was in memory when others counted; how
 * many had. */
LR_ON_CARD unsigned lr_count_both(unsigned *at)
{
  unsigned before;
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;"
               : "=r"(before)
               : "l"(at)
               : "memory");
  return before;
}

/* So many threads wait for each other; the others of the block do not. */
LR_ON_CARD void lr_threads_meet(int threads)
{
  asm volatile("bar.sync 1, %0;" ::"r"(threads) : "memory");
}

/* The 128 threads of this warpgroup wait for each other. */
LR_ON_CARD void lr_group_meet(void)
{
  asm volatile("bar.sync %0, 128;" ::"r"(2 + threadIdx.x / 128) : "memory");
}

#endif
