import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadFailure } from '../../processes/failures.ts';
import { ask, findProgram } from '../../processes/programs.ts';
import { probeOpensslTls } from '../../tls/tls-library.ts';
import { type ClientKind, writeOpensslConfiguration, writeScriptSettings } from '../client-program.ts';

const probe =
  'import json, ssl, _ssl, paho.mqtt\n' +
  "print(json.dumps([paho.mqtt.__version__, getattr(_ssl, '__file__', '')]))";

/** Finds a Python with paho-mqtt: the interpreter in MQTTLAB_PYTHON, otherwise the one on the PATH. */
export const pahoClient: ClientKind = {
  name: 'paho-mqtt client',
  async find() {
    const python = await findPython();
    if (python === null) return null;
    const { stdout, code } = await ask(python, ['-c', probe]);
    if (code !== 0) return null;
    const [version, library] = JSON.parse(stdout) as [string, string];
    return { version, tls: await probeOpensslTls(library || python) };
  },
  async prepare(options) {
    const { command, folder } = options;
    const python = await findPython();
    if (python === null)
      throw loadFailure('load-worker', 'No python3 with paho-mqtt is installed on this device.');
    const script = join(folder, 'paho-client.py');
    await writeFile(script, pahoScript, { mode: 0o600 });
    const settings = await writeScriptSettings(options);
    const { variables, cipherString } = await writeOpensslConfiguration(command.spec, folder);
    return {
      command: (role, { address, port }, clientId) => [
        python,
        '-u',
        script,
        settings,
        role,
        address,
        String(port),
        clientId,
        cipherString,
      ],
      environment: variables,
      reportsConnection: true,
    };
  },
};

async function findPython(): Promise<string | null> {
  return process.env.MQTTLAB_PYTHON || (await findProgram('python3'));
}

/** One connection of paho-mqtt (1.5 and later): turns lines into messages, or messages into lines. */
const pahoScript = String.raw`
import json, os, signal, socket, ssl, sys, threading, time
import paho.mqtt.client as mqtt

path, role, host, port, client_id, ciphers = sys.argv[1:7]
with open(path) as file:
    settings = json.load(file)
versions = {"3.1": mqtt.MQTTv31, "3.1.1": mqtt.MQTTv311, "5.0": mqtt.MQTTv5}
websocket = settings["transport"] == "websocket"
chosen = {
    "client_id": client_id,
    "protocol": versions[settings["mqttVersion"]],
    "transport": "websockets" if websocket else "tcp",
}
if hasattr(mqtt, "CallbackAPIVersion"):
    chosen["callback_api_version"] = mqtt.CallbackAPIVersion.VERSION2
    chosen["reconnect_on_failure"] = False
client = mqtt.Client(**chosen)
marks = {}
state = {"ending": False, "sent": 0, "acknowledged": 0}
ready = threading.Event()
progress = threading.Condition()


def fail(why):
    if not state["ending"]:
        sys.stderr.write(str(why) + "\n")
        os._exit(1)


def number(code):
    return getattr(code, "value", code)


def mark(name):
    marks[name] = time.perf_counter() * 1e6


def plain_socket():
    over = client.socket()
    return getattr(over, "_socket", over) if websocket else over


def connection_report(granted):
    over = plain_socket()
    secure = settings["tls"] is not None
    return {
        "protocol": over.version() if secure else None,
        "cipherSuite": over.cipher()[0] if secure else None,
        "grantedQos": granted,
    }


def reply(answer):
    print(json.dumps(answer), flush=True)


def tell(granted):
    reply(connection_report(granted))


def on_connect(_client, _data, _flags, code, _properties=None):
    if number(code) != 0:
        named = code if hasattr(code, "value") else mqtt.connack_string(code)
        fail("Connection refused: %s" % named)
    if role == "subscriber":
        client.subscribe(settings["topic"], settings["qos"])
        return
    tell(None)
    ready.set()


def on_subscribe(_client, _data, _id, granted, _properties=None):
    level = number(granted[0])
    if level > 2:
        fail("not authorised to subscribe (%s)" % granted[0])
    tell(level)
    client.on_message = on_message


def on_message(_client, _data, message):
    if not message.retain:
        sys.stdout.buffer.write(message.payload + b"\n")
        sys.stdout.buffer.flush()


def on_publish(*_):
    with progress:
        state["acknowledged"] += 1
        progress.notify()
    if settings["confirmation"]:
        os.write(1, settings["confirmation"].encode())


def on_socket_open(_client, _data, opened):
    opened = getattr(opened, "_socket", opened)
    opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


class Handshake(ssl.SSLSocket):
    def do_handshake(self, *args):
        super().do_handshake(*args)
        mark("tls")


class Context(ssl.SSLContext):
    """Checks the certificate against the server name in the experiment, regardless of the address."""

    sslsocket_class = Handshake

    def wrap_socket(self, *args, **options):
        options["server_hostname"] = settings["tls"]["serverName"]
        return super().wrap_socket(*args, **options)


def make_context(tls):
    context = Context(ssl.PROTOCOL_TLS_CLIENT)
    version = ssl.TLSVersion.TLSv1_3 if tls["maxVersion"] == "TLSv1.3" else ssl.TLSVersion.TLSv1_2
    context.minimum_version = context.maximum_version = version
    if ciphers:
        context.set_ciphers(ciphers)
    context.load_verify_locations(cadata=tls["ca"])
    if tls.get("cert"):
        folder = os.path.dirname(path)
        # Clients of one run share the folder.
        names = [os.path.join(folder, f"client-{os.getpid()}.{kind}") for kind in ("pem", "key")]
        for name, text in zip(names, (tls["cert"], tls["key"])):
            with open(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
                file.write(text)
        context.load_cert_chain(*names)
    return context


class Lost(Exception):
    pass


class Reconnects:
    """Opens a connection for each message. Each "open" and "close" on standard input is answered by one line."""

    def __init__(self):
        self.changed = threading.Condition()
        self.code = self.why = self.sent = None
        client.on_connect = self.on_connect
        client.on_disconnect = self.on_disconnect

    def on_connect(self, _client, _data, _flags, code, _properties=None):
        mark("connect")
        with self.changed:
            self.code = code
            self.changed.notify()

    def on_disconnect(self, *_):
        with self.changed:
            self.why = "The connection was lost."
            self.changed.notify()
        with progress:
            progress.notify()

    def open(self):
        self.drop()
        self.code = self.why = self.sent = None
        state["acknowledged"] = state["sent"]
        marks.clear()
        mark("begin")
        reach()
        client.loop_start()
        with self.changed:
            self.changed.wait_for(lambda: self.code is not None or self.why)
        if self.code is None:
            raise Lost(self.why)
        if number(self.code) != 0:
            named = self.code if hasattr(self.code, "value") else mqtt.connack_string(self.code)
            raise Lost("Connection refused: %s" % named)
        secure = settings["tls"] is not None
        ready = marks["tls"] if secure else marks["tcp"]
        address, port = plain_socket().getsockname()[:2]
        times = {
            "address": address,
            "port": port,
            "tcpUs": marks["tcp"] - marks["begin"],
            "tlsUs": marks["tls"] - marks["tcp"] if secure else None,
            "connectUs": marks["connect"] - ready,
            "setUpUs": marks["connect"] - marks["begin"],
        }
        reply({"opened": dict(connection_report(None), **times)})

    def close(self):
        if self.sent is not None:
            with progress:
                progress.wait_for(lambda: self.sent <= state["acknowledged"] or self.why)
        if self.why:
            raise Lost(self.why)
        client.disconnect()
        client.loop_stop()
        reply({"closed": True})

    def drop(self):
        client.disconnect()
        client.loop_stop()

    def run(self):
        for line in sys.stdin.buffer:
            word = line[:-1]
            try:
                if word == b"open":
                    self.open()
                elif word == b"close":
                    self.close()
                else:
                    state["sent"] += 1
                    self.sent = state["sent"]
                    client.publish(settings["topic"], word, settings["qos"])
            except Exception as error:
                self.drop()
                reply({"failed": str(error)})


def reach():
    bound = {"bind_address": settings["localAddress"] or ""}
    if settings["mqttVersion"] == "5.0":
        bound["clean_start"] = True
    client.connect(host, int(port), settings["keepAliveS"], **bound)


def create_connection(*args, _make=socket.create_connection, **options):
    made = _make(*args, **options)
    mark("tcp")
    return made


socket.create_connection = create_connection


def end(*_):
    state["ending"] = True
    client.disconnect()
    client.loop_stop()
    os._exit(0)


signal.signal(signal.SIGTERM, end)
client.on_connect = on_connect
client.on_subscribe = on_subscribe
client.on_publish = on_publish
client.on_socket_open = on_socket_open
client.on_disconnect = lambda *_: fail("The connection was lost.")
client.max_inflight_messages_set(65535)
client.max_queued_messages_set(0)
if websocket:
    client.ws_set_options(path="/mqtt")
if settings["credentials"]:
    client.username_pw_set(settings["credentials"]["username"], settings["credentials"]["password"])
try:
    if settings["tls"]:
        client.tls_set_context(make_context(settings["tls"]))
    if settings["reconnects"] and role == "publisher":
        Reconnects().run()
        os._exit(0)
    reach()
except Exception as error:
    fail(error)
client.loop_start()
if role == "subscriber":
    threading.Event().wait()
ready.wait()
most = 1000 if settings["qos"] == 0 else settings["window"]
for line in sys.stdin.buffer:
    with progress:
        progress.wait_for(lambda: state["sent"] - state["acknowledged"] < most)
    state["sent"] += 1
    client.publish(settings["topic"], line[:-1], settings["qos"])
with progress:
    progress.wait_for(lambda: state["sent"] == state["acknowledged"])
end()
`.trimStart();
