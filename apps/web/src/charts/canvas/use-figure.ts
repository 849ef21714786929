import { type RefCallback, useCallback, useRef, useState } from 'react';
import { type ChartTheme, useChartTheme } from './chart-theme.ts';

/**
 * Returns the result of `describe`, which is the same figure until a property or the colour scheme changes.
 */
export function useFigure<Properties extends object, Described>(
  describe: (theme: ChartTheme, properties: Properties) => Described,
  properties: Properties,
): Described {
  const theme = useChartTheme();
  const last = useRef<{ theme: ChartTheme; properties: Properties; figure: Described } | null>(null);
  if (last.current?.theme !== theme || !haveSameValues(last.current.properties, properties)) {
    last.current = { theme, properties, figure: describe(theme, properties) };
  }
  return last.current.figure;
}

/** Treats lists of equal members as equal, because ranges are often written inline. */
function haveSameValues(before: object, now: object): boolean {
  const [a, b] = [new Map(Object.entries(before)), new Map(Object.entries(now))];
  return (
    a.size === b.size &&
    [...a].every(([name, value]) => {
      const other: unknown = b.get(name);
      if (!Array.isArray(value) || !Array.isArray(other)) return Object.is(value, other);
      return value.length === other.length && value.every((member, i) => Object.is(member, other[i]));
    })
  );
}

/** Returns the width of an element in whole CSS pixels; 0 until it is known. */
export function useWidth(): [RefCallback<HTMLElement>, number] {
  const [width, setWidth] = useState(0);
  const ref = useCallback((element: HTMLElement | null) => {
    if (!element) return;
    const measure = () => setWidth(Math.floor(element.clientWidth));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}
