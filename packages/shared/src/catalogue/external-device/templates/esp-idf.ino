// Plays __DEVICE__ for mqttlab. Arduino core for ESP32, 3.0 or newer (ESP-IDF 5); nothing else to install.
#include <WiFi.h>
#include <esp_random.h>
#include <esp_timer.h>
#include <mbedtls/aes.h>
#include <mbedtls/base64.h>
#include <mbedtls/ecdh.h>
#include <mbedtls/gcm.h>
#include <mbedtls/md.h>
#include <mqtt_client.h>
#include <string>
#include <vector>

const char *WIFI_NAME = "the name of your network";
const char *WIFI_PASSWORD = "its password";
const char *HOST = __ADDRESS__;
const uint32_t PORT = __PORT__, TLS_PORT = __TLS_PORT__;
const char *NAME = __NAME__;
const char *PASSWORD = __PASSWORD__;
const char *SERVER_NAME = __SERVER_NAME__;
const char *ASK = __ASK__;
const char *TELL = __TELL__;
const char *ECHO = __ECHO__;
const char *AUTHORITY = R"pem(__AUTHORITY__
)pem";
// On P-256, PKCS #8.
const char *PAYLOAD_KEY = "__PAYLOAD_KEY_BASE64__";
const int64_t LATE_US = 10000;  // a message sent so far behind its due time counts as late

struct Load {
  uint32_t tag;
  int qos, size, every;
  int64_t interval, due, measure, stop, offset;
  char topic[128];
};

#pragma pack(push, 1)
struct Stamp {  // little endian, as the ESP32 is
  uint32_t tag;
  uint16_t publisher;
  uint8_t measured, version;
  uint32_t sequence;
  uint64_t dueUs;
};
#pragma pack(pop)

esp_mqtt_client_handle_t client = nullptr;
volatile bool connected = false, ended = false, started = false, stopped = false;
volatile uint32_t acknowledged = 0;
Load load;
std::vector<uint32_t> rounds;
std::string echoed, heardTopic, heardData;
int echoQos = 0;

int64_t now() { return esp_timer_get_time(); }

// The hybrid payload ciphers: ECDH on P-256 with the public key that the run gives, HKDF-SHA-256, AES-128.
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
  std::string info = "mqttlab " + name + "";
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
}

void tell(const std::string &line) { esp_mqtt_client_enqueue(client, TELL, line.c_str(), 0, 1, 0, true); }

void hello() { tell("hello __PROTOCOL_VERSION__ esp-mqtt " + std::string(esp_get_idf_version())); }

void heardLine(const std::string &line) {
  Load next = {};
  if (line == "hello") hello();
  else if (line == "stop") {
    stopped = true;
    echoed.clear();
  } else if (line.rfind("echo ", 0) == 0 && line.size() > 7) {
    echoQos = line[5] - '0';
    echoed = line.substr(7);
    esp_mqtt_client_subscribe(client, echoed.c_str(), echoQos);
    tell("echo 1");
  }
  else if (line.rfind("key ", 0) == 0) {
    size_t gap = line.find(' ', 4);
    tell(gap != std::string::npos && agree(line.substr(4, gap - 4), line.substr(gap + 1)) ? "key 1" : "key 0");
  } else if (line.rfind("clock ", 0) == 0) tell(line + " " + std::to_string(now()));
  else if (sscanf(line.c_str(), "start %lu %d %d %lld %lld %lld %lld %lld %d %127s", (unsigned long *)&next.tag,
                  &next.qos, &next.size, &next.interval, &next.due, &next.measure, &next.stop, &next.offset,
                  &next.every, next.topic) == 10) {
    load = next;
    stopped = false;
    started = true;
  }
}

void heardMessage(const std::string &data, const std::string &topic) {
  Stamp stamp;
  if (load.every == 0) return;
  std::vector<uint8_t> plain = unseal(std::vector<uint8_t>(data.begin(), data.end()), topic);
  int64_t at = now();
  if (plain.size() < sizeof stamp) return;
  memcpy(&stamp, plain.data(), sizeof stamp);
  if (stamp.tag != load.tag || !stamp.measured || stamp.sequence % load.every != 0) return;
  rounds.push_back((uint32_t)(at - ((int64_t)stamp.dueUs - load.offset)));
}

void onEvent(void *, esp_event_base_t, int32_t id, void *data) {
  auto *event = (esp_mqtt_event_handle_t)data;
  if (id == MQTT_EVENT_CONNECTED) {
    connected = true;
    esp_mqtt_client_subscribe(client, ASK, 1);
    hello();
  } else if (id == MQTT_EVENT_DISCONNECTED) {
    ended = true;
  } else if (id == MQTT_EVENT_PUBLISHED) {
    acknowledged = acknowledged + 1;
  } else if (id == MQTT_EVENT_DATA) {
    // A long payload comes in parts, of which the first has the topic.
    if (event->current_data_offset == 0) {
      heardTopic.assign(event->topic, event->topic_len);
      heardData.clear();
    }
    heardData.append(event->data, event->data_len);
    if ((int)heardData.size() < event->total_data_len) return;
    if (heardTopic == ASK) heardLine(heardData);
    else if (heardTopic == echoed)
      esp_mqtt_client_enqueue(client, ECHO, heardData.data(), heardData.size(), echoQos, 0, true);
    else heardMessage(heardData, heardTopic);
  }
}

void sendLoad() {
  std::vector<uint8_t> payload(load.size, 0);
  uint32_t sequence = 0, warmUp = 0, sent = 0, late = 0, expected = 0;
  rounds.clear();
  rounds.reserve(2000);
  acknowledged = 0;
  if (load.every) esp_mqtt_client_subscribe(client, load.topic, 0);
  for (int64_t due = load.due; due < load.stop && !stopped && !ended; due += load.interval) {
    while (now() < due) delay(due - now() > 2000 ? 1 : 0);
    bool measured = due >= load.measure;
    Stamp stamp = {load.tag, 0, measured, 2, sequence, (uint64_t)(due + load.offset)};
    memcpy(payload.data(), &stamp, sizeof stamp);
    if (measured) {
      sent++;
      if (now() - due > LATE_US) late++;
      if (load.every && sequence % load.every == 0) expected++;
    } else {
      warmUp++;
    }
    std::vector<uint8_t> sealed = seal(payload, load.topic);
    esp_mqtt_client_publish(client, load.topic, (const char *)sealed.data(), sealed.size(), load.qos, 0);
    sequence++;
  }
  int64_t patience = now() + 2000000;
  while (now() < patience && !stopped && !ended &&
         (rounds.size() < expected || (load.qos > 0 && acknowledged < sequence)))
    delay(10);
  if (load.every) esp_mqtt_client_unsubscribe(client, load.topic);
  if (stopped || ended) return;
  uint32_t taken = acknowledged > warmUp ? acknowledged - warmUp : 0;
  for (size_t first = 0; first < rounds.size(); first += 50) {
    std::string line = "round";
    for (size_t i = first; i < rounds.size() && i < first + 50; i++) line += " " + std::to_string(rounds[i]);
    tell(line);
  }
  if (load.qos == 0) taken = 0;
  tell("sent " + std::to_string(sent) + " " + std::to_string(taken < sent ? taken : sent) + " " + std::to_string(late));
}

void play(uint32_t port) {
  esp_mqtt_client_config_t config = {};
  config.broker.address.hostname = HOST;
  config.broker.address.port = port;
  config.broker.address.transport = port == TLS_PORT ? MQTT_TRANSPORT_OVER_SSL : MQTT_TRANSPORT_OVER_TCP;
  if (port == TLS_PORT) {
    config.broker.verification.certificate = AUTHORITY;
    config.broker.verification.common_name = SERVER_NAME;
  }
  config.credentials.client_id = NAME;
  config.credentials.username = NAME;
  config.credentials.authentication.password = PASSWORD;
  config.session.protocol_ver = MQTT_PROTOCOL_V_3_1_1;
  config.session.keepalive = 15;
  config.session.last_will.topic = TELL;
  config.session.last_will.msg = "gone";
  config.session.last_will.qos = 1;
  config.network.disable_auto_reconnect = true;
  config.buffer.size = 4096;
  config.task.stack_size = 10240;
  connected = ended = started = false;
  cipher = Cipher::none;
  echoed.clear();
  client = esp_mqtt_client_init(&config);
  esp_mqtt_client_register_event(client, MQTT_EVENT_ANY, onEvent, nullptr);
  esp_mqtt_client_start(client);
  int64_t patience = now() + 10000000;
  while (!ended && (connected || now() < patience)) {
    if (started) {
      started = false;
      sendLoad();
    }
    delay(1);
  }
  esp_mqtt_client_stop(client);
  esp_mqtt_client_destroy(client);
}

void setup() {
  Serial.begin(115200);
  WiFi.begin(WIFI_NAME, WIFI_PASSWORD);
  WiFi.setSleep(false);
  while (WiFi.status() != WL_CONNECTED) delay(100);
}

// The broker is there during runs only, on one of the two ports.
void loop() {
  play(PORT);
  play(TLS_PORT);
  delay(300);
}
