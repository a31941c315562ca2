// Row 22: the public headers are C++ too.  Callbacks may not throw; a C++
// program catches inside its callback, says "cannot be evaluated", and throws
// again when the library has returned.
#include <lrgd/lrgd.h>
#include <lrgd/space.h>

#include <cmath>
#include <exception>
#include <stdexcept>

namespace
{

struct Job {
  std::exception_ptr thrown;
};

double value(std::size_t, const double *x, void *user)
{
  try {
    if (x[0] > 10) throw std::runtime_error("too far");
    return (x[0] - 1) * (x[0] - 1);
  } catch (...) {
    static_cast<Job *>(user)->thrown = std::current_exception();
    return NAN;
  }
}

} // namespace

int main()
{
  Job job;
  lrgd_problem problem = lrgd_problem_default(1);
  lrgd_options options = lrgd_options_default();
  lrgd_result result;
  double x = 100;
  problem.value = value;
  problem.user = &job;
  options.method = LRGD_METHOD_GD;
  lrgd_status status = lrgd_minimize(&problem, &options, &x, &result, nullptr);
  if (status != LRGD_OK || result.outcome != LRGD_OUTCOME_FAILED) return 1;
  try {
    if (job.thrown) std::rethrow_exception(job.thrown);
  } catch (const std::runtime_error &) {
    return 0;
  }
  return 1;
}
