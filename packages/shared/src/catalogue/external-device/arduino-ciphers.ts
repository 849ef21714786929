/** C++ of the hybrid payload ciphers, by what mbedTLS of ESP-IDF has; it needs PAYLOAD_KEY. */
export const arduinoCiphers = `// The hybrid payload ciphers: ECDH on P-256 with the public key that the run gives, HKDF-SHA-256, AES-128.
enum class Cipher { none, gcm, cbc };
Cipher cipher = Cipher::none;
uint8_t aesKey[16], prefix[8];
uint32_t number = 0;

int randomBytes(void *, unsigned char *out, size_t size) {
  esp_fill_random(out, size);
  return 0;
}

bool agree(const std::string &name, const std::string &peer) {
  const size_t pointAt = 26, secretAt = 36;  // in a public key as SubjectPublicKeyInfo, in a private one as PKCS #8
  uint8_t open[128], own[192], shared[32], derived[32] = {};
  size_t openSize = 0, ownSize = 0;
  bool gcm = name == "ecdh-p256-aes-128-gcm";
  if (!gcm && name != "ecdh-p256-aes-128-cbc-as-published") return false;
  if (mbedtls_base64_decode(open, sizeof open, &openSize, (const uint8_t *)peer.data(), peer.size()) != 0 ||
      mbedtls_base64_decode(own, sizeof own, &ownSize, (const uint8_t *)PAYLOAD_KEY, strlen(PAYLOAD_KEY)) != 0 ||
      openSize != pointAt + 65 || ownSize < secretAt + 32)
    return false;
  mbedtls_ecp_group group;
  mbedtls_ecp_point point;
  mbedtls_mpi secret, product;
  mbedtls_ecp_group_init(&group);
  mbedtls_ecp_point_init(&point);
  mbedtls_mpi_init(&secret);
  mbedtls_mpi_init(&product);
  bool agreed = mbedtls_ecp_group_load(&group, MBEDTLS_ECP_DP_SECP256R1) == 0 &&
                mbedtls_ecp_point_read_binary(&group, &point, open + pointAt, 65) == 0 &&
                mbedtls_mpi_read_binary(&secret, own + secretAt, 32) == 0 &&
                mbedtls_ecdh_compute_shared(&group, &product, &point, &secret, randomBytes, nullptr) == 0 &&
                mbedtls_mpi_write_binary(&product, shared, sizeof shared) == 0;
  mbedtls_ecp_group_free(&group);
  mbedtls_ecp_point_free(&point);
  mbedtls_mpi_free(&secret);
  mbedtls_mpi_free(&product);
  if (!agreed) return false;
  auto *sha256 = mbedtls_md_info_from_type(MBEDTLS_MD_SHA256);
  std::string info = "mqttlab " + name + "\x01";
  uint8_t extracted[32];
  mbedtls_md_hmac(sha256, derived, sizeof derived, shared, sizeof shared, extracted);
  mbedtls_md_hmac(sha256, extracted, sizeof extracted, (const uint8_t *)info.data(), info.size(), derived);
  memcpy(aesKey, derived, sizeof aesKey);
  esp_fill_random(prefix, sizeof prefix);
  number = 0;
  cipher = gcm ? Cipher::gcm : Cipher::cbc;
  return true;
}

bool crypt(int mode, const uint8_t *nonce, const std::string &topic, const std::vector<uint8_t> &in, uint8_t *out,
           uint8_t *tag) {
  std::string bound = topic + std::string((const char *)nonce + 8, 4);
  auto *authentic = (const uint8_t *)bound.data();
  mbedtls_gcm_context box;
  mbedtls_gcm_init(&box);
  mbedtls_gcm_setkey(&box, MBEDTLS_CIPHER_ID_AES, aesKey, 128);
  int failed = mode == MBEDTLS_GCM_ENCRYPT
                   ? mbedtls_gcm_crypt_and_tag(&box, mode, in.size(), nonce, 12, authentic, bound.size(), in.data(),
                                               out, 16, tag)
                   : mbedtls_gcm_auth_decrypt(&box, in.size(), nonce, 12, authentic, bound.size(), tag, 16,
                                              in.data(), out);
  mbedtls_gcm_free(&box);
  return failed == 0;
}

std::vector<uint8_t> seal(const std::vector<uint8_t> &plain, const std::string &topic) {
  if (cipher == Cipher::none) return plain;
  if (cipher == Cipher::gcm) {
    std::vector<uint8_t> sealed(12 + plain.size() + 16);
    memcpy(sealed.data(), prefix, 8);
    for (int i = 0; i < 4; i++) sealed[8 + i] = number >> (24 - 8 * i);
    number++;
    crypt(MBEDTLS_GCM_ENCRYPT, sealed.data(), topic, plain, &sealed[12], &sealed[12 + plain.size()]);
    return sealed;
  }
  uint8_t pad = 16 - plain.size() % 16, vector[16];
  std::vector<uint8_t> padded(plain), sealed(16 + plain.size() + pad);
  padded.resize(plain.size() + pad, pad);
  esp_fill_random(vector, sizeof vector);
  memcpy(sealed.data(), vector, sizeof vector);
  mbedtls_aes_context box;
  mbedtls_aes_init(&box);
  mbedtls_aes_setkey_enc(&box, aesKey, 128);
  mbedtls_aes_crypt_cbc(&box, MBEDTLS_AES_ENCRYPT, padded.size(), vector, padded.data(), &sealed[16]);
  mbedtls_aes_free(&box);
  return sealed;
}

// Empty where it is none.
std::vector<uint8_t> unseal(const std::vector<uint8_t> &sealed, const std::string &topic) {
  if (cipher == Cipher::none) return sealed;
  if (cipher == Cipher::gcm) {
    if (sealed.size() < 12 + 16) return {};
    std::vector<uint8_t> body(sealed.begin() + 12, sealed.end() - 16), plain(body.size()), tag(sealed.end() - 16, sealed.end());
    return crypt(MBEDTLS_GCM_DECRYPT, sealed.data(), topic, body, plain.data(), tag.data()) ? plain : std::vector<uint8_t>();
  }
  if (sealed.size() < 32 || sealed.size() % 16 != 0) return {};
  uint8_t vector[16];
  memcpy(vector, sealed.data(), sizeof vector);
  std::vector<uint8_t> plain(sealed.size() - 16);
  mbedtls_aes_context box;
  mbedtls_aes_init(&box);
  mbedtls_aes_setkey_dec(&box, aesKey, 128);
  mbedtls_aes_crypt_cbc(&box, MBEDTLS_AES_DECRYPT, plain.size(), vector, &sealed[16], plain.data());
  mbedtls_aes_free(&box);
  return plain;  // the padding behind it is of no use here
}`;
