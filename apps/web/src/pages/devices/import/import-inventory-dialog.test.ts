import { ApiError } from '@mqttlab/shared/messages/api-client';
import { describe, expect, it } from 'vitest';
import { inventoryInHash, readInventory } from './import-inventory-dialog.tsx';

const pi = { name: 'pi-1', address: '10.83.0.11', user: 'pi' };

async function issuesIn(document: unknown) {
  const error = await readInventory(JSON.stringify(document)).then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ApiError);
  return (error as ApiError).problem.issues.map(({ field, reason }) => `${field}: ${reason}`);
}

describe('an inventory', () => {
  it('is read as JSON or YAML, with port 22 and no links unless it names them', async () => {
    const wanted = { ...pi, port: 22, links: [] };
    expect((await readInventory(JSON.stringify({ devices: [pi] }))).devices).toEqual([wanted]);
    const yaml = 'testbed: Kitchen\ndevices:\n  - { name: pi-1, address: 10.83.0.11, user: pi }\n';
    expect(await readInventory(yaml)).toEqual({ testbed: 'Kitchen', devices: [wanted] });
  });

  it('names every invalid field', async () => {
    expect(await issuesIn({ devices: [] })).toEqual(['devices: names no device']);
    expect(await issuesIn({ devices: [{ ...pi, address: 'a;b' }] })).toEqual([
      'devices[0].address: is not a host name or address',
    ]);
    expect(await issuesIn({ devices: [pi, { ...pi, address: '10.83.0.12', name: 'PI-1' }] })).toEqual([
      'devices[1].name: PI-1 is listed twice',
    ]);
    expect(await issuesIn({ devices: [{ ...pi, passwort: 'x' }] })).toHaveLength(1);
  });

  it('reports unparsable text', async () => {
    await expect(readInventory('{ "devices": [')).rejects.toThrow('neither YAML nor JSON');
    await expect(readInventory('> mqttlab@0.1.0 lab')).rejects.toThrow(/not an inventory|neither/);
  });

  it('is decoded from a link, including non-ASCII letters', () => {
    const text = JSON.stringify({ lab: 'Küche ~~~', devices: [pi] });
    const bytes = String.fromCharCode(...new TextEncoder().encode(text));
    const packed = btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
    expect(inventoryInHash(`#inventory=${packed}`)).toBe(text);
    expect(inventoryInHash('#top')).toBeNull();
    expect(inventoryInHash('#inventory=%%%')).toBe('');
  });
});
