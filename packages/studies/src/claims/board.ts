import type { PartEvidence } from '@mqttlab/shared/analysis/claims/claim';
import { judgeClaims, openClaims } from '@mqttlab/shared/analysis/claims/judge';
import type { ClaimAnswer, ClaimBoard } from '@mqttlab/shared/domain/report/claims';
import type { PublishedStudy } from '../study.ts';

/** Evidence from a part, or the reason why it is missing. */
export type PartState = PartEvidence | { missing: string };

/** Judges all claims of a study in order, with the runs of its parts. */
export function makeBoard(study: PublishedStudy, stateOf: (partId: string) => PartState): ClaimBoard {
  const results = study.parts.flatMap(({ id }) => {
    const own = study.claims.filter(({ part }) => part === id);
    const state = stateOf(id);
    return 'missing' in state ? openClaims(own, state.missing) : judgeClaims(own, state);
  });
  const claims = study.claims.flatMap(({ id }) => results.filter((result) => result.id === id));
  const missing = study.parts.flatMap(({ id, title }) => {
    const reasons = new Set(claims.flatMap((claim) => (claim.part === id ? (claim.missing ?? []) : [])));
    const [reason] = reasons;
    return reason === undefined ? [] : [{ part: id, title, reason }];
  });
  return { claims, missing };
}

/** Explains brackets after numbers. */
export const intervalWords =
  'In brackets: intervals over runs. Intervals for claims are adjusted for all claims in a part; tables and figures use 95 %.';

export function countAnswers({ claims }: Pick<ClaimBoard, 'claims'>): Record<ClaimAnswer, number> {
  const of = (answer: ClaimAnswer) => claims.filter((claim) => claim.answer === answer).length;
  return {
    agrees: of('agrees'),
    differs: of('differs'),
    open: of('open'),
    'not testable': of('not testable'),
  };
}

/** Summarises the board: "7 agree, 2 differ, 3 open, 1 not testable here". */
export function boardWords(board: Pick<ClaimBoard, 'claims'>): string {
  return answerWords(countAnswers(board));
}

export function answerWords(answers: Partial<Record<ClaimAnswer, number>>): string {
  const { agrees = 0, differs = 0, open = 0, 'not testable': rest = 0 } = answers;
  const words = [
    `${agrees} ${agrees === 1 ? 'agrees' : 'agree'}`,
    `${differs} ${differs === 1 ? 'differs' : 'differ'}`,
    `${open} open`,
    ...(rest > 0 ? [`${rest} not testable here`] : []),
  ];
  return words.join(', ');
}
