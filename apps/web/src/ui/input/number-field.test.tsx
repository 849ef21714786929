import { MantineProvider } from '@mantine/core';
import { fc } from '@mqttlab/shared/testing/properties';
import { act, type ReactElement, useState } from 'react';
import { describe, expect, it } from 'vitest';
import { mountEachTest } from '../../testing/mount.ts';
import { NumberField } from './number-field.tsx';

// @vitest-environment jsdom
const mounted = mountEachTest();

const draft = { value: 0, change: (_value: number): void => undefined };
function Draft({ initial, scale }: { initial: number; scale: number }): ReactElement {
  const [value, setValue] = useState(initial);
  draft.value = value;
  draft.change = setValue;
  return (
    <MantineProvider>
      <NumberField label="Warm-up" unit="s" scale={scale} min={0} value={value} onChange={setValue} />
    </MantineProvider>
  );
}
const render = (initial: number, scale = 1000): void =>
  act(() => mounted.root.render(<Draft key={Math.random()} initial={initial} scale={scale} />));
const input = (): HTMLInputElement => mounted.host.querySelector('input') as HTMLInputElement;
function type(text: string): void {
  const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set;
  act(() => {
    set?.call(input(), text);
    input().dispatchEvent(new Event('input', { bubbles: true }));
  });
}

describe('NumberField', () => {
  it('accepts 16384.005 s, whose product with 1000 is not an integer', () => {
    render(16_384_005);
    expect(input().value).toBe('16384.005');
    render(5000);
    type('16384.005');
    expect(draft.value).toBe(16_384_005);
  });

  it('renders every value of a draft', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1e18, max: 1e18, noNaN: true }),
        fc.constantFrom(1, 1000, 1024 * 1024),
        (value, scale) => {
          render(value, scale);
          expect(input()).not.toBeNull();
        },
      ),
      { numRuns: 50 },
    );
  });

  it.each(['-', '', '.', '99999999999999999999', '9'.repeat(400)])(
    'shows an error for "%.20s" and keeps the value of the draft',
    (text) => {
      render(5000);
      type(text);
      expect(draft.value).toBe(5000);
      expect(mounted.host.textContent).toMatch(/until then 5 s is used|^Warm-up, s$/);
      expect(input()).not.toBeNull();
    },
  );

  it('shows a value that another field or tab sets', () => {
    render(5000);
    act(() => draft.change(7000));
    expect(input().value).toBe('7');
    type('8');
    expect([draft.value, input().value]).toEqual([8000, '8']);
  });
});
