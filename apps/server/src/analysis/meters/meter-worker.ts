import { answerInThread } from '../../run-in-thread.ts';
import { readMeterFile } from './read-meter-file.ts';

answerInThread(readMeterFile);
