import { type ComponentType, lazy, type ReactElement, Suspense } from 'react';

/** Makes a component whose code is loaded when it is first shown, such as a dialog. Nothing is shown meanwhile. */
export function late<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): (props: Props) => ReactElement {
  const Loaded = lazy(async () => ({ default: await load() }));
  return (props) => (
    <Suspense fallback={null}>
      <Loaded {...props} />
    </Suspense>
  );
}
