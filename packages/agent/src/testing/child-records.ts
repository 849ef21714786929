import { ChildRecords } from '../children/child-records.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** Records of children in a folder of their own. */
export function makeTestRecords(folder = makeTemporaryFolder()): ChildRecords {
  return new ChildRecords({ folder, procRoot: '/proc', onTrouble: () => {} });
}
