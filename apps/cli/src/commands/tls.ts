import { plural } from '@mqttlab/shared/format/number';
import type { Cli } from '../cli.ts';
import { renderTable } from '../terminal.ts';

const stateWords = {
  pinned: 'pins the new authority',
  'not-needed': 'connected over SSH, nothing to do',
  pending: 'offline',
  'by-hand': 'does not pin it',
} as const;

export function addTls(cli: Cli): void {
  cli
    .group('tls', { does: "Replace the certificate authority that signs the server's certificate." })
    .command('rotate', {
      does: "Replace the certificate authority that signs the server's certificate, and print the new CA certificate.",
      examples: ['tls rotate > authority.pem'],
    })
    .action(
      cli.runs(async ({ api, json, print, note }) => {
        const rotation = await api.call('POST /tls/rotate');
        if (json) {
          print(JSON.stringify(rotation));
          return 0;
        }
        const { certificate, fingerprint, devices } = rotation;
        print(certificate.trim());
        note(`The new CA certificate has the SHA-256 fingerprint ${fingerprint}.`);
        note(
          'Replace the old certificate with this one in browsers, in MQTTLAB_AUTHORITY for command lines, in pool secrets and in Prometheus.',
        );
        if (devices.length > 0) {
          const rows = devices.map(({ name, state, remedy }) => [name, stateWords[state], remedy ?? '']);
          note(renderTable([{ head: 'Device' }, { head: 'State' }, { head: 'What to do' }], rows));
        }
        const left = devices.filter(({ remedy }) => remedy !== null).length;
        if (left > 0) note(`${plural(left, 'device')} cannot connect until then.`);
        return 0;
      }),
    );
}
