import type { QueryKey } from '@tanstack/react-query';

/** A question that was put to the server while the code that will use its answer was still loading. */
export type Asked = { queryKey: QueryKey; answer: Promise<unknown> };
