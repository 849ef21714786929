# Plays __DEVICE__ for mqttlab. Needs Python 3.9 and paho-mqtt, with payload ciphers cryptography too:
# pip install paho-mqtt cryptography
import base64, os, queue, ssl, struct, time
import paho.mqtt.client as mqtt

try:
    from cryptography.hazmat.primitives import ciphers, hashes, padding, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF
except ImportError:
    ec = None

HOST, PORT, TLS_PORT = __ADDRESS__, __PORT__, __TLS_PORT__
NAME, PASSWORD = __NAME__, __PASSWORD__
SERVER_NAME = __SERVER_NAME__
ASK, TELL, ECHO = __ASK__, __TELL__, __ECHO__
AUTHORITY = """__AUTHORITY__
"""
PAYLOAD_KEY = """__PAYLOAD_KEY__
"""
LATE_US = 10_000  # a message sent so far behind its due time counts as late
STAMP = struct.Struct("<IHBBIQ")  # run tag, publisher, measured, version, sequence, due time in µs


def now():
    return time.monotonic_ns() // 1000


class NamedContext(ssl.SSLContext):
    """Checks the certificate against its name, whatever address it is reached at."""

    def wrap_socket(self, *args, **options):
        return super().wrap_socket(*args, **{**options, "server_hostname": SERVER_NAME})


class Clear:
    """No payload cipher."""

    def seal(self, plain, topic):
        return bytes(plain)

    def open(self, sealed, topic):
        return sealed


class Hybrid:
    """ECDH on P-256 with the public key that the run gives, HKDF-SHA-256, AES-128."""

    def __init__(self, cipher, peer):
        own = serialization.load_pem_private_key(PAYLOAD_KEY.encode(), None)
        secret = own.exchange(ec.ECDH(), serialization.load_der_public_key(base64.b64decode(peer)))
        key = HKDF(hashes.SHA256(), 16, None, f"mqttlab {cipher}".encode()).derive(secret)
        self.aes = ciphers.algorithms.AES(key)


class Gcm(Hybrid):
    """Nonce of 8 random bytes and a number, ciphertext, tag; topic and number are authenticated."""

    def __init__(self, *about):
        super().__init__(*about)
        self.prefix, self.number = os.urandom(8), 0

    def seal(self, plain, topic):
        nonce = self.prefix + struct.pack(">I", self.number)
        self.number += 1
        box = ciphers.Cipher(self.aes, ciphers.modes.GCM(nonce)).encryptor()
        box.authenticate_additional_data(topic.encode() + nonce[8:])
        return nonce + box.update(bytes(plain)) + box.finalize() + box.tag

    def open(self, sealed, topic):
        nonce, tag = sealed[:12], sealed[-16:]
        box = ciphers.Cipher(self.aes, ciphers.modes.GCM(nonce, tag)).decryptor()
        box.authenticate_additional_data(topic.encode() + nonce[8:])
        return box.update(sealed[12:-16]) + box.finalize()


class Cbc(Hybrid):
    """Random vector, then padded ciphertext, with no code that would tell a change."""

    def seal(self, plain, topic):
        vector, pad = os.urandom(16), padding.PKCS7(128).padder()
        box = ciphers.Cipher(self.aes, ciphers.modes.CBC(vector)).encryptor()
        return vector + box.update(pad.update(bytes(plain)) + pad.finalize()) + box.finalize()

    def open(self, sealed, topic):
        box = ciphers.Cipher(self.aes, ciphers.modes.CBC(sealed[:16])).decryptor()
        pad = padding.PKCS7(128).unpadder()
        return pad.update(box.update(sealed[16:]) + box.finalize()) + pad.finalize()


HYBRIDS = {"ecdh-p256-aes-128-gcm": Gcm, "ecdh-p256-aes-128-cbc-as-published": Cbc} if ec else {}


class Device:
    def __init__(self, port):
        versions = [mqtt.CallbackAPIVersion.VERSION2] if hasattr(mqtt, "CallbackAPIVersion") else []
        self.client = client = mqtt.Client(*versions, client_id=NAME, protocol=mqtt.MQTTv311)
        self.lines, self.rounds, self.load, self.cipher = queue.Queue(), [], None, Clear()
        self.echoed, self.echo_qos = None, 0
        client.username_pw_set(NAME, PASSWORD)
        client.will_set(TELL, "gone", qos=1)
        client.max_inflight_messages_set(1000)
        if port == TLS_PORT:
            context = NamedContext(ssl.PROTOCOL_TLS_CLIENT)
            context.load_verify_locations(cadata=AUTHORITY)
            client.tls_set_context(context)
        client.on_connect, client.on_disconnect, client.on_message = self.met, self.left, self.heard
        client.connect(HOST, port, keepalive=15)

    def tell(self, line):
        self.client.publish(TELL, line, qos=1)

    def met(self, client, _data, _flags, code, *_more):
        if code != 0:
            print("the broker refuses: ", code)
            return client.disconnect()
        client.subscribe(ASK, qos=1)
        self.hello()

    def hello(self):
        self.tell("hello __PROTOCOL_VERSION__ paho-mqtt")

    def left(self, *_about):
        self.lines.put(None)

    def heard(self, _client, _data, message):
        if message.topic == self.echoed:
            return self.client.publish(ECHO, message.payload, self.echo_qos)
        if message.topic != ASK:
            return self.note_round(message)
        words = message.payload.decode().split()
        if words[0] == "hello":
            self.hello()
        elif words[0] == "clock":
            self.tell(f"clock {words[1]} {now()}")
        elif words[0] == "echo":
            self.echo_qos, self.echoed = int(words[1]), words[2]
            self.client.subscribe(self.echoed, self.echo_qos)
            self.tell("echo 1")
        elif words[0] == "key":
            self.tell(f"key {int(self.agree(*words[1:3]))}")
        else:
            if words[0] == "stop":
                self.load = self.echoed = None
            self.lines.put(words)

    def agree(self, cipher, peer):
        if cipher not in HYBRIDS:
            return False
        self.cipher = HYBRIDS[cipher](cipher, peer)
        return True

    def note_round(self, message):
        load, payload = self.load, self.cipher.open(message.payload, message.topic)
        at = now()
        tag, _, measured, _, sequence, due = STAMP.unpack_from(payload)
        if load and tag == load["tag"] and measured and sequence % load["every"] == 0:
            self.rounds.append(at - (due - load["offset"]))

    def send(self, words):
        tag, qos, size, interval, due, measure, stop, offset, every = map(int, words[1:10])
        topic = words[10]
        self.rounds.clear()
        self.load = load = {"tag": tag, "every": every, "offset": offset}
        if every:
            self.client.subscribe(topic)
        payload, sequence, sent, late, pending, acknowledged = bytearray(size), 0, 0, 0, [], 0
        while due < stop and self.load is load:
            if due > now():
                time.sleep((due - now()) / 1e6 if due > now() else 0)
            measured = due >= measure
            STAMP.pack_into(payload, 0, tag, 0, measured, 2, sequence, due + offset)
            info = self.client.publish(topic, self.cipher.seal(payload, topic), qos)
            if measured:
                sent += 1
                late += now() - due > LATE_US
                pending.append(info)
            while pending and pending[0].is_published():
                pending.pop(0)
                acknowledged += 1
            sequence, due = sequence + 1, due + interval
        patience = now() + 2_000_000
        expected = len([n for n in range(sequence - sent, sequence) if n % every == 0]) if every else 0
        while self.load is load and now() < patience and (len(self.rounds) < expected or pending):
            while pending and pending[0].is_published():
                pending.pop(0)
                acknowledged += 1
            time.sleep(0.01)
        if every:
            self.client.unsubscribe(topic)
        if self.load is not load:
            return
        for first in range(0, len(self.rounds), 50):
            self.tell("round " + " ".join(map(str, self.rounds[first : first + 50])))
        self.tell(f"sent {sent} {acknowledged if qos else 0} {late}")

    def play(self):
        self.client.loop_start()
        try:
            while (words := self.lines.get()) is not None:
                if words[0] == "start":
                    self.send(words)
        finally:
            self.client.loop_stop()


# The broker is there during runs only, on one of the two ports.
while True:
    for port in (PORT, TLS_PORT):
        try:
            Device(port).play()
        except OSError as error:
            if not isinstance(error, ConnectionRefusedError):
                print(error)
    time.sleep(0.3)
