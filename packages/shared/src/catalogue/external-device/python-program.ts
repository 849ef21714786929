import { type DeviceProgramSettings, deviceProtocolVersion } from './protocol.ts';

/** For CPython 3.9 and paho-mqtt 1.6 or 2; texts in it are as JSON writes them, which is Python too. */
export function writePythonProgram({ access, address, ask, tell }: DeviceProgramSettings): string {
  const { device, password, authority, serverName } = access;
  return `# Plays ${device.name} for mqttlab. Needs Python 3.9 and paho-mqtt: pip install paho-mqtt
import queue, ssl, struct, time
import paho.mqtt.client as mqtt

HOST, PORT, TLS_PORT = ${JSON.stringify(address)}, ${device.port}, ${device.tlsPort}
NAME, PASSWORD = ${JSON.stringify(device.name)}, ${JSON.stringify(password)}
SERVER_NAME = ${JSON.stringify(serverName)}
ASK, TELL = ${JSON.stringify(ask)}, ${JSON.stringify(tell)}
AUTHORITY = """${authority.trim()}
"""
LATE_US = 10_000  # a message sent so far behind its due time counts as late
STAMP = struct.Struct("<IHBBIQ")  # run tag, publisher, measured, version, sequence, due time in µs


def now():
    return time.monotonic_ns() // 1000


class NamedContext(ssl.SSLContext):
    """Checks the certificate against its name, whatever address it is reached at."""

    def wrap_socket(self, *args, **options):
        return super().wrap_socket(*args, **{**options, "server_hostname": SERVER_NAME})


class Device:
    def __init__(self, port):
        versions = [mqtt.CallbackAPIVersion.VERSION2] if hasattr(mqtt, "CallbackAPIVersion") else []
        self.client = client = mqtt.Client(*versions, client_id=NAME, protocol=mqtt.MQTTv311)
        self.lines, self.rounds, self.load = queue.Queue(), [], None
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
        self.tell("hello ${deviceProtocolVersion} paho-mqtt")

    def left(self, *_about):
        self.lines.put(None)

    def heard(self, _client, _data, message):
        at = now()
        if message.topic != ASK:
            return self.note_round(message.payload, at)
        words = message.payload.decode().split()
        if words[0] == "hello":
            self.hello()
        elif words[0] == "clock":
            self.tell(f"clock {words[1]} {now()}")
        else:
            if words[0] == "stop":
                self.load = None
            self.lines.put(words)

    def note_round(self, payload, at):
        load = self.load
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
            info = self.client.publish(topic, bytes(payload), qos)
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
`;
}
