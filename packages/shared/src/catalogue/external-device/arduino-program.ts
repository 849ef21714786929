import { arduinoCiphers } from './arduino-ciphers.ts';
import { type DeviceProgramSettings, deviceProtocolVersion } from './protocol.ts';

/** For the ESP32 core 3 of Arduino, which is ESP-IDF 5 with its own MQTT client. */
export function writeArduinoProgram({ access, address, ask, tell, echo }: DeviceProgramSettings): string {
  const { device, password, payloadKey, authority, serverName } = access;
  return `// Plays ${device.name} for mqttlab. Arduino core for ESP32, 3.0 or newer (ESP-IDF 5); nothing else to install.
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
const char *HOST = ${JSON.stringify(address)};
const uint32_t PORT = ${device.port}, TLS_PORT = ${device.tlsPort};
const char *NAME = ${JSON.stringify(device.name)};
const char *PASSWORD = ${JSON.stringify(password)};
const char *SERVER_NAME = ${JSON.stringify(serverName)};
const char *ASK = ${JSON.stringify(ask)};
const char *TELL = ${JSON.stringify(tell)};
const char *ECHO = ${JSON.stringify(echo)};
const char *AUTHORITY = R"pem(${authority.trim()}
)pem";
// On P-256, PKCS #8.
const char *PAYLOAD_KEY = "${payloadKey.replaceAll(/-----[A-Z ]+-----|\s/g, '')}";
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

${arduinoCiphers}

void tell(const std::string &line) { esp_mqtt_client_enqueue(client, TELL, line.c_str(), 0, 1, 0, true); }

void hello() { tell("hello ${deviceProtocolVersion} esp-mqtt " + std::string(esp_get_idf_version())); }

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
`;
}
