#include "transports/bootstrap/keyed_digest.hpp"

#include <stdexcept>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace ringmark {

Digest keyed_digest(std::string_view key, std::string_view bytes) {
  Digest digest{};
  unsigned length = digest.size();
  if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(bytes.data()),
           bytes.size(), digest.data(), &length) == nullptr)
    throw std::runtime_error("OpenSSL cannot compute HMAC-SHA-256");
  return digest;
}

bool are_equal(const Digest& a, const Digest& b) { return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0; }

}  // namespace ringmark
