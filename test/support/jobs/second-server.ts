// One more server that runs jobs on the data of a real one, of which there is one at a time.
import { startHeadcount } from '../headcount.ts';

const [dataDir = '', env = '{}'] = process.argv.slice(2);
const { url } = await startHeadcount({ dataDir, env: JSON.parse(env) as Record<string, string> });
process.stdout.write(`${url}\n`);
