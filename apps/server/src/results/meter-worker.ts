import { answerInThread } from '../base/run-in-thread.ts';
import { readMeterFile } from './read-meter-file.ts';

answerInThread(readMeterFile);
