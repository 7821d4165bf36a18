#include "accept/judge/chance.hpp"

#include <boost/math/distributions/binomial.hpp>

namespace ringmark::accept {

double chance_of_at_least(std::size_t slow, std::size_t all, double share) {
  if (slow == 0) return 1;
  const boost::math::binomial distribution(static_cast<double>(all), share);
  return boost::math::cdf(boost::math::complement(distribution, static_cast<double>(slow) - 1));
}

}  // namespace ringmark::accept
