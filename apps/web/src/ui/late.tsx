import { type ComponentType, lazy, type ReactElement, type ReactNode, Suspense } from 'react';

/**
 * Makes a component whose code is loaded when it is first shown, such as a dialog. `meanwhile` is shown while
 * the code loads.
 */
export function late<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  meanwhile: ReactNode = null,
): (props: Props) => ReactElement {
  const Loaded = lazy(async () => ({ default: await load() }));
  return (props) => (
    <Suspense fallback={meanwhile}>
      <Loaded {...props} />
    </Suspense>
  );
}
