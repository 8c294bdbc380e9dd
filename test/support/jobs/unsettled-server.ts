// A server that works off jobs and gets stuck at the moment before a turn is settled, to be killed there.
import { startHeadcount } from '../headcount.ts';

const [dataDir = '', env = '{}'] = process.argv.slice(2);
const never = () => new Promise<boolean>(() => {});
const { url } = await startHeadcount({
  dataDir,
  env: JSON.parse(env) as Record<string, string>,
  wrapStore: (store) => ({ ...store, jobs: { ...store.jobs, settleTurn: never } }),
});
process.stdout.write(`${url}\n`);
