import { ChildRecords } from '../processes/child-records.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** Records of children in a temporary folder. */
export function makeTestRecords(folder = makeTemporaryFolder()): ChildRecords {
  return new ChildRecords({ folder, procRoot: '/proc', onFailure: () => {} });
}
