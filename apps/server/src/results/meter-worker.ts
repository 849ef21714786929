import { answerInThread } from '../base/child-programs.ts';
import { readMeterFile } from './read-meter-file.ts';

answerInThread(readMeterFile);
