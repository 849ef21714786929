import type { DeviceProbe } from '@mqttlab/shared/messages/devices';
import type { Administrator } from './administrator.ts';
import { DeviceError } from './device-errors.ts';
import type { SshSession } from './ssh-session.ts';

/** Ours from the first to the last character; reads only. One fact a line: a word, a space, the rest. */
const script = `
PATH=/usr/local/sbin:/usr/sbin:/sbin:$PATH
LC_ALL=C; export LC_ALL
echo "kernel $(uname -sr)"
echo "architecture $(uname -m)"
echo "bits $(getconf LONG_BIT 2>/dev/null)"
[ -r /etc/os-release ] && . /etc/os-release && echo "os $PRETTY_NAME"
awk '/^MemTotal:/ { print "memory", $2 * 1024 }' /proc/meminfo
for folder in /opt / ; do [ -d $folder ] && df -Pk $folder | awk 'NR == 2 { print "disk", $4 * 1024 }' && break; done
[ -d /run/systemd/system ] && echo "init systemd" || echo "init none"
ip -o -4 address 2>/dev/null | awk '{ sub("/.*", "", $4); print "interface", $2, $4 }'
for tool in ip tc nft sudo systemctl setpriv chronyc ethtool mosquitto_pub mosquitto_sub; do
  command -v $tool > /dev/null && echo "tool $tool"
done
for name in /sys/class/hwmon/hwmon*/name; do [ -r $name ] && echo "sensor $(cat $name)"; done
for zone in /sys/class/thermal/thermal_zone*/type; do [ -r $zone ] && echo "sensor $(cat $zone)"; done
command -v vcgencmd > /dev/null && echo "sensor vcgencmd"
[ -d /sys/class/powercap/intel-rapl:0 ] && echo "sensor rapl"
command -v mosquitto > /dev/null && echo "broker $(mosquitto -h 2>/dev/null | head -n 1)"
exit 0
`;

/** Tried on the loopback of a network namespace that lives for this command: nothing of the device is touched. */
const shapingScript = `
PATH=/usr/local/sbin:/usr/sbin:/sbin:$PATH
tc qdisc add dev lo root netem delay 1ms && echo netem && tc qdisc del dev lo root
tc qdisc add dev lo root tbf rate 1mbit burst 10kb latency 50ms && echo tbf && tc qdisc del dev lo root
nft add table inet probe && nft add chain inet probe out '{ type filter hook output priority 0; }' &&
  nft add rule inet probe out numgen random mod 1000 '<' 5 drop && echo nft-drop
exit 0
`;

/** Reads what the device is, as the user who logs in. Rejects with DeviceError where it is no Linux. */
export async function probeDevice(session: SshSession): Promise<DeviceProbe> {
  const { stdout, stderr } = await session.run(['sh', '-c', script]);
  const facts = parseFacts(stdout);
  const one = (name: string): string => facts.get(name)?.at(-1) ?? '';
  if (!one('kernel').startsWith('Linux ')) {
    throw new DeviceError({
      code: 'no-linux',
      message: `This is no Linux system (${(one('kernel') || stderr || stdout).trim().slice(0, 200)}).`,
      remedy: 'The agent runs on Linux, for example Raspberry Pi OS (64-bit).',
      field: 'host',
    });
  }
  const all = (name: string): string[] => [...new Set(facts.get(name) ?? [])].sort();
  return {
    os: one('os') || 'unknown',
    kernel: one('kernel').slice('Linux '.length),
    // A 64-bit kernel may carry a 32-bit system, as some Raspberry Pi OS do.
    architecture: one('architecture') === 'aarch64' && one('bits') === '32' ? 'armv7l' : one('architecture'),
    memoryBytes: Number(one('memory')) || 0,
    diskFreeBytes: Number(one('disk')) || 0,
    init: one('init') === 'systemd' ? 'systemd' : 'none',
    interfaces: (facts.get('interface') ?? []).map((text) => {
      const [name = '', address = ''] = text.split(' ');
      return { name, address };
    }),
    tools: all('tool'),
    sensors: all('sensor'),
    brokers: all('broker'),
    shaping: [],
  };
}

/** What of netem, tbf and nftables the kernel really has; empty where namespaces cannot be made. */
export async function probeShaping(administrator: Administrator): Promise<string[]> {
  try {
    const { stdout } = await administrator.run(['unshare', '--net', 'sh', '-c', shapingScript]);
    return stdout.split('\n').filter((line) => line !== '');
  } catch (error) {
    if (error instanceof DeviceError && error.failure.code === 'command-failed') return [];
    throw error;
  }
}

function parseFacts(text: string): Map<string, string[]> {
  const facts = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const space = line.indexOf(' ');
    if (space < 1) continue;
    const name = line.slice(0, space);
    facts.set(name, [...(facts.get(name) ?? []), line.slice(space + 1).trim()]);
  }
  return facts;
}
