import type { Study } from '@mqttlab/shared/planning/study';
import type { Claim } from './claims/claim.ts';

/** A study of others with its claims. */
export interface PublishedStudy extends Study {
  claims: readonly Claim[];
}
