import { answerInThread } from '../base/run-in-thread.ts';
import { type DocumentKind, readYaml } from './documents.ts';

answerInThread(
  ({ text, kind }: { text: string; kind: DocumentKind }) => JSON.stringify(readYaml(text, kind)) ?? 'null',
);
