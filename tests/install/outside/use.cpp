// A stranger's C++ program: the library is the version named in the argument,
// and minimises a function that is a lambda.
#include <lrgd/lrgd.h>

#include <iostream>
#include <string>
#include <vector>

int main(int argc, char **argv)
{
  if (argc != 2 || std::string(argv[1]) != lrgd_version()) return 2;
  std::vector<double> x(2, 0.0);
  lrgd_problem problem = lrgd_problem_default(x.size());
  lrgd_options options = lrgd_options_default();
  lrgd_result result;
  lrgd_error error;
  problem.value = [](std::size_t, const double *at, void *) {
    return (at[0] - 1) * (at[0] - 1) + 3 * (at[1] + 2) * (at[1] + 2);
  };
  options.method = LRGD_METHOD_GD;
  if (lrgd_minimize(&problem, &options, x.data(), &result, &error)) {
    std::cerr << error.text << '\n';
    return 1;
  }
  std::cout << lrgd_outcome_text(result.outcome) << '\n';
  return result.f < 1e-6 ? 0 : 3;
}
