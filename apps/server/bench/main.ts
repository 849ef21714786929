import { benchAgents } from './agents.ts';
import { benchDatabase } from './database.ts';
import { benchStatistics } from './statistics.ts';

/** Writes rows as JSON to standard output; `npm run bench` shows them with the other rows. */
const rows = [...benchStatistics(), ...benchDatabase(), ...(await benchAgents())];
console.log(JSON.stringify(rows));
process.exitCode = rows.some(({ met }) => met === false) ? 1 : 0;
