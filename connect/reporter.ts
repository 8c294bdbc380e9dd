import { type Seen, toHit } from './hit.ts';
import { createSender, type Sender, type WaitUntil } from './sender.ts';
import type { Options } from './types/options.d.ts';

type Known = Options & { filter?: unknown };

/** What each option looks like, as `<type> <value>` (`u` is undefined), and an example. */
const rules: Record<keyof Known, readonly [RegExp, string]> = {
  server: [/^string https?:\/\/[^?#\s]+$/, 'https://count.example.com'],
  key: [/^string hc_(ingest|admin)_/, 'hc_ingest_…'],
  project: [/^(u|string)/, '7kq2m9'],
  countPeople: [/^(u|b)/, 'true'],
  trustedProxies: [/^(u|string [\w\s,.:/]+$)/, 'loopback,10.0.0.0/8'],
  addressHeader: [/^(u|string [\w-]+$)/, 'cf-connecting-ip'],
  filter: [/^(u|f)/, '() => true'],
  log: [/^(u|f)/, 'console.warn'],
};

function check(options: Known): void {
  for (const name of Object.keys({ ...rules, ...options })) {
    const [pattern, example] = rules[name as keyof Known] ?? [];
    const value = options[name as keyof Known];
    if (!pattern) throw new Error(`There is no option ${name}.`);
    // Never with the value, as it may be a key.
    if (!pattern.test(`${typeof value} ${value}`)) throw new Error(`${name} must be like ${example}`);
  }
}

export interface Reporter extends Pick<Sender, 'flush'> {
  /** Reports what `see` tells, if that was a page and the filter lets it pass. Never throws. */
  report(see: () => Seen, passes: () => boolean | undefined, waitUntil?: WaitUntil): void;
}

/** @throws Error with a sentence for whoever sets it up */
export function prepare(options: Known): Reporter {
  check(options);
  const { server, key, project, countPeople, trustedProxies = 'loopback', addressHeader = '' } = options;
  // biome-ignore lint/suspicious/noConsole: this is where warnings go on a site that has no log of its own
  const { log: tell = (message: string) => console.warn(message) } = options;
  const log = (message: string) => {
    try {
      tell(message);
    } catch {
      // Nobody is left to hear of it, and the site goes on.
    }
  };
  const batch = { project, people: countPeople ? 'count' : 'skip', trustedProxies } as const;
  const { add, flush } = createSender({ server, key, batch, log });
  let complain: typeof log | undefined = log;
  return {
    flush,
    report(see, passes, waitUntil) {
      try {
        const hit = toHit(see(), addressHeader.toLowerCase());
        if (hit && passes() !== false) add(hit, waitUntil);
      } catch (error) {
        complain?.(`Headcount misses views: ${error}`);
        complain = undefined;
      }
    },
  };
}
