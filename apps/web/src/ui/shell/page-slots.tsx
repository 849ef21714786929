import { createContext, type RefCallback, use, useState } from 'react';

/** Places in the shell that the current page fills through portals. */
export type SlotName = 'crumbs' | 'phoneTitle' | 'phoneActions' | 'bottomBar';
export type PageSlots = Partial<Record<SlotName, HTMLElement | null>>;

export const PageSlotsContext = createContext<PageSlots>({});

export function usePageSlots(): PageSlots {
  return use(PageSlotsContext);
}

export type SlotRefs = Record<SlotName, RefCallback<HTMLElement>>;

/** For a shell: the slots found so far and one stable ref for each. */
export function useSlotRefs(): { slots: PageSlots; refs: SlotRefs } {
  const [slots, setSlots] = useState<PageSlots>({});
  const [refs] = useState<SlotRefs>(() => {
    const refFor = (name: SlotName) => (element: HTMLElement | null) =>
      setSlots((old) => ({ ...old, [name]: element }));
    return {
      crumbs: refFor('crumbs'),
      phoneTitle: refFor('phoneTitle'),
      phoneActions: refFor('phoneActions'),
      bottomBar: refFor('bottomBar'),
    };
  });
  return { slots, refs };
}
