import { findByToken } from '../identity/token.ts';
import { isProduct } from '../identity/unlisted/product.ts';
import { parseUnlisted, unnamed } from '../identity/unlisted/unlisted-name.ts';
import { dateOf } from '../insights/days.ts';
import { listUnlisted } from '../insights/unlisted-clients.ts';
import { program } from '../process/program.ts';
import type { NamedDay } from '../store/counts/analytics-store.ts';
import type { Store } from '../store/store.ts';
import type { Terminal } from './terminal/command.ts';
import { readOptions } from './terminal/options.ts';
import { table } from './terminal/table.ts';
import { withStore } from './terminal/with-store.ts';

/** What may be published about a client that is missing from the catalogue. */
interface UnknownClient {
  name: string;
  /** Null: not known. */
  operator: string | null;
  purpose: string | null;
  views: number;
  visitors: number;
  firstDay: string;
  lastDay: string;
}

const allDays = { from: -1e6, to: 1e6 };

/** Of all projects; those with the most views first. */
async function readUnknown(store: Store): Promise<UnknownClient[]> {
  const { projects } = await store.directory();
  const found = new Map<string, UnknownClient>();
  for (const { id: projectId } of projects) {
    const unlisted = await listUnlisted(store, { projectId, from: null, to: null });
    const names = unlisted.filter(isUnknown);
    if (names.length === 0) continue;
    const days = await store.readNamedDays({ projectId, ...allDays, of: 'client', names });
    for (const day of days) found.set(day.name, add(found.get(day.name), day));
  }
  return [...found.values()].sort((a, b) => b.views - a.views || (a.name < b.name ? -1 : 1));
}

/** The catalogue may have learned the name since it was counted, and an imported project may hold any text as one. */
function isUnknown(name: string): boolean {
  const token = parseUnlisted(name)?.token ?? unnamed;
  return token !== unnamed && isProduct(token) && findByToken(`${token.toLowerCase()}/`) === undefined;
}

function add(known: UnknownClient | undefined, { name, day, views, visitors }: NamedDay): UnknownClient {
  const date = dateOf(day);
  const client = known ?? { ...describe(name), views: 0, visitors: 0, firstDay: date, lastDay: date };
  return {
    ...client,
    views: client.views + views.ai,
    visitors: client.visitors + visitors.ai,
    firstDay: date < client.firstDay ? date : client.firstDay,
    lastDay: date > client.lastDay ? date : client.lastDay,
  };
}

function describe(counted: string): Pick<UnknownClient, 'name' | 'operator' | 'purpose'> {
  const { token = counted, operator, purpose } = parseUnlisted(counted) ?? {};
  const known = (fact: string | undefined) => (fact === undefined || fact === 'unknown' ? null : fact);
  return { name: token, operator: known(operator), purpose: known(purpose) };
}

function inWords(clients: UnknownClient[]): string {
  if (clients.length === 0) return 'No AI client was counted that the catalogue lacks.\n';
  const rows = clients.map(({ name, operator, purpose, views, visitors, firstDay, lastDay }) => [
    name,
    operator ?? 'unknown',
    purpose ?? 'unknown',
    String(views),
    String(visitors),
    firstDay,
    lastDay,
  ]);
  return `${table(['NAME', 'OPERATOR', 'PURPOSE', 'VIEWS', 'VISITORS', 'FIRST DAY', 'LAST DAY'], rows)}
To have them added, remove your own programs from the list, and put the output of
"${program} catalogue unlisted --json" into an issue of Headcount.
`;
}

/** AI clients that are missing from the catalogue. */
export async function listUnlistedClients(args: string[], terminal: Terminal): Promise<void> {
  const { values } = readOptions(args, { json: { type: 'boolean' } });
  const clients = await withStore(terminal, readUnknown);
  terminal.print(values.json ? `${JSON.stringify(clients, null, 2)}\n` : inWords(clients));
}
