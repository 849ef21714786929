import { answerInThread } from '../base/child-programs.ts';
import { type DocumentKind, readYaml } from './documents.ts';

answerInThread(
  ({ text, kind }: { text: string; kind: DocumentKind }) => JSON.stringify(readYaml(text, kind)) ?? 'null',
);
