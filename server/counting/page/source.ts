import { assistants } from '../../../shared/identity/assistant.ts';
import { hostAsSent } from '../../../shared/project/host.ts';
import { memoize } from '../../memo.ts';
import { countedPath, maskPersonalParts, type Page } from './page.ts';

/** A visit that names no source: typed in, a bookmark, an app, or a page that keeps its address to itself. */
const directSource = '(direct)';

const maxSourceLength = 100;

/** Android apps say android-app://com.example.app */
const protocols = new Set(['http:', 'https:', 'android-app:']);

/** The host name in the referrer, and the source; null where there is none. */
const readReferrer = memoize((referrer: string): { host: string; source: string } | null => {
  const url = URL.parse(referrer);
  if (!url || url.host === '' || !protocols.has(url.protocol)) return null;
  const host = url.host.replace(/\.?(?::\d+)?$/, '');
  return { host, source: nameSource(host) };
}, 10_000);

/** The part of a project that names its own hosts. */
interface Site {
  settings: { hosts: readonly string[]; personalPaths: 'mask' | 'keep' };
  acceptsHost(host: string): boolean;
}

/**
 * Where a view came from: `utm_source`, else the site that the referrer's host belongs to, else `(direct)`; an AI
 * assistant by its name. Null for a step inside the site, which has no source of its own.
 */
export function findSource(
  page: Page,
  referrer: string | undefined,
  { settings, acceptsHost }: Site,
): string | null {
  const { utmSource } = page.campaign;
  if (utmSource?.trim()) return nameSource(countedPath(utmSource, settings));
  if (!referrer) return directSource;
  const from = readReferrer(referrer);
  if (!from) return directSource;
  // Where a project names its hosts, all of them are the site itself.
  if (from.host === page.host || (settings.hosts.length > 0 && acceptsHost(from.host))) return null;
  return from.source;
}

/** By their names, as `utm_source` may give them. */
const namedAssistants = new Map(Array.from(assistants.values(), (name) => [name.toLowerCase(), name]));

/** The stored form of a source that is written in capitals, with non-ASCII characters or as an address. */
export function writtenSources(written: string): string[] {
  const host = /^https?:\/\//i.test(written) ? URL.parse(written)?.hostname.replace(/\.$/, '') : undefined;
  const name = lowerName(host ?? written);
  return [...new Set([host ?? written, name, nameSource(name)])];
}

function lowerName(text: string): string {
  const name = text.normalize('NFKC').trim().toLowerCase();
  // Of ASCII a URL would make numbers such as `1.2` addresses.
  const isHost = name.includes('.') && /[^ -~]/.test(name);
  return (isHost ? (hostAsSent(name) ?? name) : name).replace(/^www\./, '');
}

function nameSource(text: string): string {
  const name = lowerName(text);
  const site = siteOfSource(name);
  const assistant = assistants.get(site) ?? namedAssistants.get(site);
  return assistant ?? Array.from(site).slice(0, maxSourceLength).join('').toWellFormed();
}

const maxLength = 200;

/** Begins the part of a fragment that is for the browser and not the page (https://wicg.github.io/scroll-to-text-fragment/). */
const directiveMark = ':~';

/** Splits what the tracker sends as the referrer of a landing, which is an address and so has no directive of its own. */
export function splitReferrer(referrer: string | undefined): {
  referrer: string | undefined;
  directive: string | undefined;
} {
  const at = referrer?.indexOf(directiveMark) ?? -1;
  if (referrer === undefined || at < 0) return { referrer, directive: undefined };
  return { referrer: referrer.slice(0, at) || undefined, directive: referrer.slice(at) };
}

/**
 * The text fragment of a link: the first of the directive, without prefix and suffix, and without personal data. Null
 * where there is none that can be read.
 *
 * @param directive such as `:~:text=before-,first%20words,last%20words,-after&text=…`
 */
export function readPassage(directive: string): string | null {
  const text = /[:&]text=([^&]*)/.exec(directive)?.[1]?.slice(0, 20 * maxLength);
  if (!text) return null;
  const parts = text.split(',').filter((part) => !part.endsWith('-') && !part.startsWith('-'));
  try {
    const words = parts.map((part) => decodeURIComponent(part).replace(/\s+/g, ' ').trim());
    const passage = maskPersonalParts(words.filter(Boolean).join(' … '));
    return Array.from(passage).slice(0, maxLength).join('').trim().toWellFormed() || null;
  } catch {
    return null;
  }
}

/**
 * Sites by the name they are counted under: the best-known host, or the title of an app without a site. Each with its
 * other hosts, its Android apps, and the names by which links call it in `utm_source`, but for names that are as often
 * something else, such as "medium" and "copilot". From the sites' own addresses and from Google Play; reviewed 2026-11-27.
 */
const sites: Readonly<Record<string, string>> = {
  'facebook.com':
    'facebook fb l.facebook.com lm.facebook.com m.facebook.com mbasic.facebook.com touch.facebook.com web.facebook.com business.facebook.com fb.com fb.me com.facebook.katana com.facebook.lite',
  'messenger.com': 'messenger l.messenger.com com.facebook.orca com.facebook.mlite',
  'instagram.com': 'instagram ig l.instagram.com instagr.am com.instagram.android com.instagram.lite',
  'threads.com': 'l.threads.com threads.net l.threads.net com.instagram.barcelona',
  'whatsapp.com': 'whatsapp web.whatsapp.com l.wl.co wa.me com.whatsapp com.whatsapp.w4b',
  'reddit.com':
    'reddit old.reddit.com new.reddit.com out.reddit.com amp.reddit.com i.reddit.com np.reddit.com sh.reddit.com redd.it com.reddit.frontpage com.laurencedawson.reddit_sync com.andrewshu.android.reddit me.ccrama.redditslide',
  'x.com':
    'x twitter t.co twitter.com mobile.twitter.com mobile.x.com com.twitter.android com.twitter.android.lite',
  'linkedin.com': 'linkedin lnkd.in l.linkedin.com com.linkedin.android',
  'youtube.com': 'youtube youtu.be m.youtube.com music.youtube.com com.google.android.youtube',
  'tiktok.com': 'tiktok vm.tiktok.com com.zhiliaoapp.musically com.ss.android.ugc.trill',
  'pinterest.com': 'pinterest pin.it com.pinterest',
  'tumblr.com': 'tumblr t.umblr.com com.tumblr',
  'snapchat.com': 'snapchat web.snapchat.com com.snapchat.android',
  'telegram.org':
    'telegram t.me web.telegram.org org.telegram.messenger org.telegram.messenger.web org.telegram.plus',
  'discord.com': 'discord discordapp.com canary.discord.com ptb.discord.com com.discord',
  'slack.com': 'slack app.slack.com com.slack',
  'teams.microsoft.com': 'teams.live.com statics.teams.cdn.office.net com.microsoft.teams',
  'bsky.app': 'bluesky bsky go.bsky.app xyz.blueskyweb.app',
  'vk.com': 'vk away.vk.com m.vk.com vk.ru away.vk.ru com.vkontakte.android',
  'quora.com': 'quora com.quora.android',
  'medium.com': 'link.medium.com com.medium.reader',
  'substack.com': 'substack com.substack.app',
  'github.com': 'github com.github.android',
  'stackoverflow.com': 'stackoverflow com.stackexchange.stackoverflow',
  'news.ycombinator.com': 'hackernews io.github.hidroh.materialistic com.hackernews.reader',
  'google.com':
    'google com.google.android.googlequicksearchbox com.google.android.apps.searchlite com.google.android.launcher',
  'bing.com': 'bing cn.bing.com www2.bing.com com.microsoft.bing',
  'duckduckgo.com':
    'duckduckgo html.duckduckgo.com lite.duckduckgo.com safe.duckduckgo.com noai.duckduckgo.com com.duckduckgo.mobile.android',
  'search.yahoo.com': 'r.search.yahoo.com',
  'ecosia.org': 'ecosia com.ecosia.android',
  'search.brave.com': 'com.brave.browser',
  'yandex.ru': 'yandex ya.ru away.yandex.ru ru.yandex.searchplugin',
  'baidu.com': 'baidu m.baidu.com com.baidu.searchbox',
  'naver.com': 'naver m.naver.com search.naver.com m.search.naver.com com.nhn.android.search',
  Gmail: 'gmail mail.google.com com.google.android.gm com.google.android.gm.lite',
  Outlook:
    'outlook.live.com outlook.office.com outlook.office365.com outlook.com com.microsoft.office.outlook',
  'Yahoo Mail': 'mail.yahoo.com com.yahoo.mobile.client.android.mail',
  'Proton Mail': 'mail.proton.me ch.protonmail.android',
  'Google News': 'news.google.com com.google.android.apps.magazines',
  'Google Chat': 'chat.google.com com.google.android.apps.dynamite',
  'Google Messages': 'messages.google.com com.google.android.apps.messaging',
  ChatGPT: 'openai com.openai.chatgpt',
  Claude: 'com.anthropic.claude',
  Perplexity: 'ai.perplexity.app.android',
  Gemini: 'com.google.android.apps.bard',
  'Microsoft Copilot': 'com.microsoft.copilot',
  Grok: 'ai.x.grok',
  DeepSeek: 'com.deepseek.chat',
  Mistral: 'ai.mistral.chat',
};

const siteOf = new Map(
  Object.entries(sites).flatMap(([site, names]) => names.split(' ').map((name) => [name, site])),
);

/** The same search in the languages and countries of its readers. */
const google = /^(?:images\.)?google\.(?:com|(?:com?\.)?[a-z]{2})$/;
const yahoo = /^(?:[a-z]{2}(?:-[a-z]{2})?\.)?(?:r\.)?search\.yahoo\.(?:com|(?:com?\.)?[a-z]{2})$/;
const pinterest = /^(?:[a-z]{2}\.)?pinterest\.(?:com|(?:com?\.)?[a-z]{2})$/;

/**
 * The site of a host, of an Android app, or of a name in `utm_source`. Pages for phones belong to the site itself, as
 * does the host through which it sends people out.
 *
 * @param host or name; lower case, without `www.`
 */
export function siteOfSource(host: string): string {
  const known = siteOf.get(host);
  if (known !== undefined) return known;
  if (google.test(host)) return 'google.com';
  if (yahoo.test(host)) return 'search.yahoo.com';
  if (pinterest.test(host)) return 'pinterest.com';
  const whole = host
    .replace(/^(?:m|mobile|amp)\.(?=[^.]+\.)/, '')
    .replace(/^([a-z-]{2,12})\.m\.(?=wiki)/, '$1.');
  return siteOf.get(whole) ?? whole;
}
