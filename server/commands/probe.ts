import { Resolver } from 'node:dns/promises';
import { type AiClient, findClient } from '../identity/catalogue.ts';
import { createHttpsGetBytes, type HttpsGetBytes } from '../net/https-get.ts';
import { matchesHost } from '../projects/registry.ts';
import { type ProbeResult, probe } from '../sitefiles/probe/probe.ts';
import { imitable, usualClients } from '../sitefiles/probe/probed-client.ts';
import type { Directory } from '../store/projects.ts';
import { type Command, CommandError, type Terminal, UsageError } from './terminal/command.ts';
import { readList, readOptions } from './terminal/options.ts';
import { table } from './terminal/table.ts';
import { withStore } from './terminal/with-store.ts';

interface ProbeOptions {
  get?: HttpsGetBytes;
  /** Between two requests. */
  pauseMs?: number;
}

const options = {
  client: { type: 'string', multiple: true },
  all: { type: 'boolean' },
  yes: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

/** With another way to the site for tests. */
export function createProbeCommand({ get, pauseMs = 2_000 }: ProbeOptions = {}): Command {
  return {
    help,
    run: async (args, terminal) => {
      const { values, positionals } = readOptions(args, options, ['address']);
      const url = readAddress(String(positionals[0]));
      const clients = chooseClients(readList(values.client), values.all ?? false);
      const { config, isWatched, draw, print } = terminal;
      if (config.offline)
        throw new CommandError('This server makes no outgoing requests (HEADCOUNT_OFFLINE is set).');
      const isOwnHost = await readOwnHosts(terminal);
      if (!isOwnHost(url.hostname.replace(/\.$/, ''))) throw foreignHost(url.hostname);
      if (!values.yes) {
        const requests = clients.length + 1;
        throw new UsageError(
          `This sends ${requests} requests to ${url.host}, one every ${pauseMs / 1000} seconds, and its server will see them: add --yes if the site is yours.`,
        );
      }
      const result = await probe(url.href, clients, {
        get: get ?? createHttpsGetBytes({ resolver: new Resolver({ timeout: 5_000, tries: 2 }) }),
        pauseMs,
        isOwnHost,
        onProgress: (done, all) =>
          isWatched && draw(`\r${done} of ${all} clients\x1b[K${done === all ? '\r\x1b[K' : ''}`),
      });
      print(values.json ? `${JSON.stringify(result)}\n` : toText(result));
    },
  };
}

function readAddress(text: string): URL {
  const url = URL.parse(text.includes('://') ? text : `https://${text}`);
  if (url?.protocol !== 'https:') {
    throw new UsageError(
      `The address must be that of a page, such as https://www.example.com/, not "${text}".`,
    );
  }
  url.hash = '';
  return url;
}

function chooseClients(names: string[] | undefined, all: boolean): readonly AiClient[] {
  if (names === undefined) return all ? imitable() : usualClients();
  return names.map((name) => {
    const client = findClient(name);
    if (!client) throw new UsageError(`--client ${name} is not an AI client of the catalogue.`);
    if (!imitable().includes(client)) {
      throw new UsageError(
        `--client ${name} is known by other things than its user agent: it cannot be imitated.`,
      );
    }
    return client;
  });
}

/** The hosts that projects name. One that counts any host names none. */
async function readOwnHosts(terminal: Terminal): Promise<(host: string) => boolean> {
  const { projects }: Directory = await withStore(terminal, (store) => store.directory());
  const hosts = projects.flatMap(({ settings }) => [...settings.hosts, settings.siteHost ?? []].flat());
  return (host) => hosts.some((pattern) => matchesHost(pattern, host));
}

function foreignHost(host: string): CommandError {
  return new CommandError(
    `${host} is not a host of any project, and only your own site is asked: name it with "project set <project> --host ${host}" or --site-host.`,
  );
}

function toText({ address, browser, clients, counts }: ProbeResult): string {
  const rows = clients.map(({ client, purpose, outcome, why }) => [client, purpose, outcome, why]);
  const shut = clients.some(
    ({ outcome, isProvable }) => isProvable && (outcome === 'blocked' || outcome === 'challenged'),
  );
  const outcomes = Object.entries(counts).filter(([, count]) => count > 0);
  return [
    `${address}\n\nA browser: ${browser.outcome}. ${browser.why}\n`,
    table(['CLIENT', 'PURPOSE', 'OUTCOME', 'WHY'], rows),
    `${outcomes.map(([outcome, count]) => `${count} ${outcome}`).join(', ')}.`,
    ...(shut ? [addressesNote] : []),
    '',
  ].join('\n');
}

const addressesNote =
  'This probe has the names of these clients and not their addresses: a proxy or CDN that checks addresses may let the real ones in.';

const help = `Usage: headcount probe <address> --yes [--client <name>]... [--all] [--json]

Asks your own public site for a page as a browser and as AI clients, one request every two seconds,
and reports what each of them gets:

  open          it gets the page
  challenged    it is asked to prove that it is a person
  blocked       it is refused, or asked for payment
  inconclusive  it gets something else, or a browser is not let in either

The host has to be one that a project names, with --host or --site-host.

  --yes              the site is yours, and its server may see these requests
  --client <name>    ask as this client only, such as GPTBot; may be given several times
  --all              ask as every client that can be imitated, not only as those whose operators
                     publish how to recognise them
  --json             print the result as JSON, for programs
`;

export const probeCommand: Command = createProbeCommand();
