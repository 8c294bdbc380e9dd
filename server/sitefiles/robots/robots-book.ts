import { factsOf } from '../../identity/client-facts.ts';
import { memoize } from '../../memo.ts';
import type { LiveProject } from '../../projects/registry.ts';
import { maxRobotsVersions, type RobotsVersion } from '../../store/sites.ts';
import { normalizeTarget } from './pattern.ts';
import { allows, type ClientRules, parseRobots, rulesFor } from './robots-file.ts';

/** A site that never could say what it disallows disallows everything, for so long (RFC 9309, section 2.3.1.4). */
const unreachableMs = 30 * 86_400_000;

const maxRemembered = 5_000;

type Disallows = (client: string, target: string) => boolean;

interface KnownVersion extends RobotsVersion {
  readonly disallows: Disallows;
}

/** A view by an AI client, as far as a robots.txt is about it. */
export interface AiView {
  project: Pick<LiveProject, 'id' | 'settings'>;
  client: string;
  /** Absolute address of what was asked for. */
  url: string;
  /** Milliseconds since 1970. */
  at: number;
}

/** Every known version of the robots.txt of each project's site. */
export class RobotsBook {
  /** The newest first. */
  readonly #versions = new Map<string, KnownVersion[]>();

  put(version: RobotsVersion): void {
    const { projectId, knownAt, text } = version;
    const versions = this.#versions.get(projectId) ?? [];
    if (versions.some((one) => one.knownAt === knownAt)) return;
    const known = [{ ...version, disallows: judgeOf(text) }, ...versions];
    this.#versions.set(projectId, known.sort((a, b) => b.knownAt - a.knownAt).slice(0, maxRobotsVersions));
  }

  newest(projectId: string, host: string): RobotsVersion | undefined {
    return this.#versions.get(projectId)?.find((version) => version.host === host);
  }

  /** Of projects that are gone nothing has to be known. */
  keepOnly(isThere: (projectId: string) => boolean): void {
    for (const id of this.#versions.keys()) if (!isThere(id)) this.#versions.delete(id);
  }

  /** Whether the file that was known when the client asked disallows it; false where none was known. */
  disallows({ project: { id, settings }, client, url, at }: AiView): boolean {
    const host = settings.siteHost;
    const address = host === null ? null : URL.parse(url);
    if (address?.hostname.replace(/\.$/, '') !== host) return false;
    const version = this.#versions.get(id)?.find((one) => one.host === host && one.knownAt <= at);
    if (!version || version.status === 'missing') return false;
    const target = normalizeTarget(address);
    if (version.status === 'found') return version.disallows(client, target);
    return target !== '/robots.txt' && at < version.knownAt + unreachableMs;
  }
}

/** Read when it is first asked; most of what is asked is asked again. */
function judgeOf(text: string): Disallows {
  let rules: ((client: string) => ClientRules) | undefined;
  const judge = memoize((question: string) => {
    const [client = '', target = ''] = question.split('\n');
    rules ??= rulesOf(text);
    return !allows(rules(client), target);
  }, maxRemembered);
  return (client, target) => judge(`${client}\n${target}`);
}

function rulesOf(text: string): (client: string) => ClientRules {
  const file = parseRobots(text);
  return memoize((name) => {
    const names = factsOf(name).robotsNames.map((token) => token.toLowerCase());
    return rulesFor(file, names);
  }, maxRemembered);
}
