# Plays __DEVICE__ for mqttlab, as main.py of an ESP32 with MicroPython 1.23 or newer. QoS 0 and 1.
# No payload ciphers: MicroPython has no key agreement.
# Once, with a network: import mip; mip.install("umqtt.simple")
import binascii, network, ssl, struct, time
from umqtt.simple import MQTTClient

WIFI_NAME, WIFI_PASSWORD = "the name of your network", "its password"
HOST, PORT, TLS_PORT = __ADDRESS__, __PORT__, __TLS_PORT__
NAME, PASSWORD = __NAME__, __PASSWORD__
SERVER_NAME = __SERVER_NAME__
ASK, TELL, ECHO = __ASK__, __TELL__, __ECHO__
AUTHORITY = """__AUTHORITY__
"""
LATE_US = 10000  # a message sent so far behind its due time counts as late
STAMP = "<IHBBIQ"  # run tag, publisher, measured, version, sequence, due time in µs


def now():
    return time.time_ns() // 1000


class NamedContext:
    """Checks the certificate against its name, whatever address it is reached at."""

    def __init__(self):
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self.context.verify_mode = ssl.CERT_REQUIRED
        lines = AUTHORITY.strip().split("\n")[1:-1]
        self.context.load_verify_locations(cadata=binascii.a2b_base64("".join(lines)))

    def wrap_socket(self, sock, server_hostname=None):
        return self.context.wrap_socket(sock, server_hostname=SERVER_NAME)


class Device:
    def __init__(self, port):
        secure = NamedContext() if port == TLS_PORT else None
        self.client = MQTTClient(NAME, HOST, port, NAME, PASSWORD, keepalive=15, ssl=secure)
        self.start, self.stopped, self.load, self.rounds, self.at = None, False, None, [], 0
        self.echoed, self.echo_qos, self.waiting = None, 0, []
        self.client.set_last_will(TELL, "gone", qos=1)
        self.client.set_callback(self.heard)
        self.client.connect()
        self.client.subscribe(ASK, qos=1)
        self.hello()

    def tell(self, line):
        self.client.publish(TELL, line, qos=1)

    def hello(self):
        self.tell("hello __PROTOCOL_VERSION__ umqtt.simple")

    def heard(self, topic, payload):
        at = now()
        if topic == self.echoed:
            return self.waiting.append(payload)
        if topic != ASK.encode():
            return self.note_round(payload, at)
        words = payload.decode().split()
        if words[0] == "hello":
            self.hello()
        elif words[0] == "clock":
            self.tell("clock %s %d" % (words[1], now()))
        elif words[0] == "echo":
            self.echo_qos, self.echoed = int(words[1]), words[2].encode()
            self.client.subscribe(self.echoed, qos=self.echo_qos)
            self.tell("echo 1")
        elif words[0] == "key":
            self.tell("key 0")
        elif words[0] == "start":
            self.start, self.stopped = words, False
        elif words[0] == "stop":
            self.stopped, self.echoed = True, None

    def note_round(self, payload, at):
        tag, _, measured, _, sequence, due = struct.unpack_from(STAMP, payload)
        if self.load and tag == self.load[0] and measured and sequence % self.load[1] == 0:
            self.rounds.append(at - (due - self.load[2]))

    def listen(self):
        self.client.check_msg()
        if now() - self.at > 5000000:
            self.at = now()
            self.client.ping()
        while self.waiting:
            self.client.publish(ECHO, self.waiting.pop(0), qos=self.echo_qos)

    def send(self, words):
        tag, qos, size, interval, due, measure, stop, offset, every = [int(word) for word in words[1:10]]
        topic = words[10]
        self.rounds, self.load = [], (tag, every, offset) if every else None
        if every:
            self.client.subscribe(topic)
        payload, sequence, sent, late, expected = bytearray(size), 0, 0, 0, 0
        while due < stop and not self.stopped:
            while now() < due:
                self.client.check_msg()
            measured = due >= measure
            struct.pack_into(STAMP, payload, 0, tag, 0, 1 if measured else 0, 2, sequence, due + offset)
            if measured:
                sent += 1
                late += 1 if now() - due > LATE_US else 0
                expected += 1 if every and sequence % every == 0 else 0
            self.client.publish(topic, payload, qos=qos)
            sequence, due = sequence + 1, due + interval
        patience = now() + 2000000
        while not self.stopped and now() < patience and len(self.rounds) < expected:
            self.client.check_msg()
        if self.stopped:
            return
        for first in range(0, len(self.rounds), 50):
            self.tell("round " + " ".join([str(us) for us in self.rounds[first : first + 50]]))
        self.tell("sent %d %d %d" % (sent, sent if qos else 0, late))

    def play(self):
        while True:
            self.listen()
            if self.start:
                words, self.start = self.start, None
                self.send(words)


radio = network.WLAN(network.STA_IF)
radio.active(True)
radio.connect(WIFI_NAME, WIFI_PASSWORD)
while not radio.isconnected():
    time.sleep(0.1)
try:
    import ntptime

    ntptime.settime()  # certificates are valid from a date on
except Exception as error:
    print("no time from the network:", error)

# The broker is there during runs only, on one of the two ports.
while True:
    for port in (PORT, TLS_PORT):
        try:
            Device(port).play()
        except Exception as error:
            print(port, error)
    time.sleep(0.3)
