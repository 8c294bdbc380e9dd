import { fileDrop, pageDrop, type RuleReason } from '../counting/drop-rules.ts';
import { type Interned, intern } from '../counting/names/interned.ts';
import {
  type ByTag,
  byTag,
  type Campaign,
  countedCampaign,
  noCampaign,
  type Page,
  parsePage,
  untwinned,
} from '../counting/page/page.ts';
import { viewedPath } from '../counting/page/renamed.ts';
import { findSource } from '../counting/page/source.ts';
import type { LiveProject } from '../projects/registry.ts';
import { copyOf, fromBytes, textFromBytes } from './bytes.ts';
import { remember } from './senders.ts';

/** Targets and sources that are remembered, of all hosts together: some 20 MB at the worst. */
const maxRemembered = 20_000;
const maxHosts = 1_000;

type TargetCampaign = ByTag<Interned<string> | null>;

/** The page and the rules for a target of requests. */
export interface RequestTarget {
  /** Why it is not counted, whatever the client. */
  readonly dropped: RuleReason<'page'> | 'unreadable' | undefined;
  /** Why it is for no page, by whether it was answered with the type of one. */
  readonly fileDrops: Readonly<Record<'ofPageType' | 'byName', ReturnType<typeof fileDrop>>>;
  /** The path that was asked for, with a kept query; the view counts under `path`. */
  readonly asked: string;
  /** The same without a query. */
  readonly file: string;
  readonly path: Interned<string>;
  readonly campaign: TargetCampaign;
  readonly page: Page;
  readonly url: string;
}

interface Host {
  readonly targets: Map<string, RequestTarget>;
  readonly sources: Map<string, Interned<string> | null>;
}

/** The pages of the site, as request lines name them. */
export class LoggedSite {
  readonly #project: LiveProject;
  /** Where a log does not have the host. */
  readonly #ownHost: string;
  readonly #hosts = new Map<string, Host>();
  readonly #secureHosts = new Map<string, Host>();
  #remembered = 0;
  readonly #paths = new Map<string, Interned<string>>();
  readonly #sources = new Map<string, Interned<string>>();
  /** Each on its own, as a place in a batch is one among the texts of its dimension. */
  readonly #campaigns = byTag(() => new Map<string, Interned<string>>());

  constructor(project: LiveProject, ownHost: string) {
    this.#project = project;
    this.#ownHost = ownHost;
  }

  target(host: string, secure: boolean, target: string): RequestTarget {
    const { targets } = hostIn(secure ? this.#secureHosts : this.#hosts, host);
    const known = targets.get(target);
    if (known) return known;
    const found = this.#read(fromBytes(host), secure, textFromBytes(target));
    this.#remember(targets, target, found);
    return found;
  }

  /** Where a view came from; null: from inside the site. */
  source({ page }: RequestTarget, referrer: string): Interned<string> | null {
    if (page.campaign.utmSource !== null) return this.#sourceOf(page, referrer);
    const { sources } = hostIn(this.#hosts, page.host);
    const known = sources.get(referrer);
    if (known !== undefined) return known;
    const source = this.#sourceOf(page, referrer);
    this.#remember(sources, referrer, source);
    return source;
  }

  #remember<T>(map: Map<string, T>, key: string, value: T): void {
    if (++this.#remembered >= maxRemembered) {
      this.#hosts.clear();
      this.#secureHosts.clear();
      this.#remembered = 0;
    }
    remember(map, copyOf(key), value, maxRemembered);
  }

  #read(host: string, secure: boolean, target: string): RequestTarget {
    // A request to a proxy has the whole address.
    const isWhole = /^https?:\/\//i.test(target);
    const origin = `${secure ? 'https' : 'http'}://${host || this.#ownHost}`;
    const url = isWhole ? target : `${origin}${target.startsWith('/') ? target : `/${target}`}`;
    const { keptParameters } = this.#project.settings;
    const page = parsePage(url, keptParameters, false);
    if (!page) return { ...unreadable, url };
    const counted = { ...page, path: untwinned(page.path, this.#project.settings) };
    const file = page.path.split('?', 1)[0] as string;
    return {
      dropped: pageDrop(
        isWhole || host !== '' ? page.host : null,
        counted.path,
        url,
        this.#project,
        isWhole ? (URL.parse(origin)?.hostname.replace(/\.$/, '') ?? '') : undefined,
      ),
      fileDrops: { ofPageType: fileDrop(file, true, false), byName: fileDrop(file, false, false) },
      asked: page.path,
      file,
      path: internIn(this.#paths, viewedPath(counted.path, this.#project.settings)),
      campaign: this.#campaign(page.campaign),
      page: counted,
      url,
    };
  }

  #campaign(campaign: Campaign): TargetCampaign {
    if (campaign === noCampaign) return noNames;
    const counted = countedCampaign(campaign, this.#project.settings);
    return byTag((tag) => {
      const text = counted[tag];
      return text === null ? null : internIn(this.#campaigns[tag], text);
    });
  }

  #sourceOf(page: Page, referrer: string): Interned<string> | null {
    const source = findSource(page, fromBytes(referrer), this.#project);
    return source === null ? null : internIn(this.#sources, source);
  }
}

function hostIn(hosts: Map<string, Host>, name: string): Host {
  const known = hosts.get(name);
  if (known) return known;
  const host = { targets: new Map(), sources: new Map() };
  remember(hosts, copyOf(name), host, maxHosts);
  return host;
}

const noPage: Page = { host: '', path: '', campaign: noCampaign };
const noNames: TargetCampaign = byTag(() => null);
const unreadable: Omit<RequestTarget, 'url'> = {
  dropped: 'unreadable',
  fileDrops: { ofPageType: undefined, byName: undefined },
  asked: '',
  file: '',
  path: intern(''),
  campaign: noNames,
  page: noPage,
};

/** The same object for the same text, as long as it is remembered. */
function internIn(map: Map<string, Interned<string>>, text: string): Interned<string> {
  const known = map.get(text);
  if (known) return known;
  const found = intern(text);
  remember(map, text, found, maxRemembered);
  return found;
}
