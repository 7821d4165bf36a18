#include "transports/bootstrap/keyed_digest.hpp"

#include <stdexcept>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/random.h>

#include "base/system/check.hpp"

namespace ringmark {

Digest keyed_digest(std::string_view key, std::string_view bytes) {
  Digest digest{};
  unsigned length = digest.size();
  if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(bytes.data()),
           bytes.size(), digest.data(), &length) == nullptr)
    throw std::runtime_error("OpenSSL cannot compute HMAC-SHA-256");
  return digest;
}

bool are_equal(std::span<const unsigned char> bytes, const Digest& digest) {
  return bytes.size() == digest.size() && CRYPTO_memcmp(bytes.data(), digest.data(), digest.size()) == 0;
}

void fill_random(std::span<unsigned char> bytes) {
  check_sys(::getrandom(bytes.data(), bytes.size(), 0), "read the system's random source");
}

}  // namespace ringmark
