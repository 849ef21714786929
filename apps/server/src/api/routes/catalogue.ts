import { factors } from '@mqttlab/shared/catalogue/factors';
import { metrics } from '@mqttlab/shared/catalogue/metrics';
import { verdicts } from '@mqttlab/shared/catalogue/verdicts';
import { makeTestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import { licensedAuthorshipSchema } from '@mqttlab/shared/domain/licensed-authorship';
import type { Catalogue } from '@mqttlab/shared/messages/catalogue';
import { optionsOf } from '@mqttlab/shared/planning/check-plan';
import { notFound, unprocessable } from '../../base/errors.ts';
import { fingerprintOf } from '../../exchange/bundle-format.ts';
import { on, parseBody, type Route } from '../route.ts';
import type { Services } from '../services.ts';
import { makeSupportFile } from '../support-file.ts';

/** Returns the fingerprint of a key. Throws a 422 problem if the text is not a public key. */
function fingerprintOfKey(pem: string): string {
  try {
    return fingerprintOf(pem);
  } catch {
    throw unprocessable('The key cannot be read.', [
      { field: 'key', reason: 'is not a PEM public key', remedy: 'Send the contents of signer.pem.' },
    ]);
  }
}

/** Returns factors and metrics as data, and the current caller. */
export function catalogueRoutes(services: Services): Route[] {
  return [
    on('GET /catalogue', ({ query }) => makeCatalogue(services, query.testbedId)),
    on('GET /version', () => services.system.version),
    on('GET /storage', async () => ({
      ...(await services.stores.storage.measureUsage()),
      freeBytes: await services.system.diskFreeBytes(),
    })),
    on('GET /support.json', async () => ({
      name: 'mqttlab-support.json',
      body: await makeSupportFile(services),
    })),
    on('GET /signers', () => ({
      items: services.stores.signers.listSigners(),
      unknown: services.stores.signers.listUnknownSigners(),
    })),
    on('POST /signers', ({ body: { name, key, fingerprint } }) => {
      const found = key === undefined ? fingerprint : fingerprintOfKey(key);
      if (found === undefined) {
        throw unprocessable('No signer is named.', [
          { field: 'key', reason: 'is missing', remedy: 'Send the public key (PEM) or its fingerprint.' },
        ]);
      }
      return services.stores.signers.saveSigner({ fingerprint: found, name });
    }),
    on('DELETE /signers/{id}', ({ params: { id } }) => {
      if (!services.stores.signers.removeSigner(id)) throw notFound('signer', id);
    }),
    on('GET /authorship', () => services.stores.authorship.read()),
    on('PUT /authorship', ({ body }) =>
      services.stores.authorship.save(parseBody(licensedAuthorshipSchema, body)),
    ),
    on('PUT /storage/settings', ({ body }) => services.system.saveStorageSettings(body)),
  ];
}

function makeCatalogue(services: Services, wanted: string | undefined): Catalogue {
  const testbedId = wanted ?? services.devices.testbeds.listTestbeds()[0]?.testbedId ?? '';
  const capabilities = services.devices.testbeds.findTestbedCapabilities(testbedId);
  if (!capabilities) throw notFound('testbed', testbedId);
  const view = makeTestbedView(capabilities);
  // A level is possible if at least one of the testbed's brokers supports it.
  const anyBroker = { factors: { broker: view.brokers.map(({ kind }) => kind) } };
  return {
    testbedId,
    factors: factors.map((factor) => {
      const { id, label, group, audience, help, unit, input } = factor;
      const levels = optionsOf(factor, anyBroker, view).map(({ value, refusal }) => ({
        value,
        refusal,
        label: factor.levelLabel(value, view),
      }));
      return { id, label, group, audience, help, unit, input, default: factor.defaultLevel(view), levels };
    }),
    metrics: metrics.map(({ id, label, group, unit, better, role, help }) => ({
      id,
      label,
      group,
      unit,
      better,
      role,
      help,
    })),
    verdicts: verdicts.map(({ id, label }) => ({ id, label })),
  };
}
