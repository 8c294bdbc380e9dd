import { assistants } from '../../../shared/identity/assistant.ts';
import { type Channel, readChannelRule } from '../../../shared/reports/channels.ts';
import { globMatcher } from '../../pattern/glob.ts';

/**
 * The sources of each channel, as the report `sources` names them (source.ts), and globs of sources; in lower case. Those of
 * `paid` and `mail` come first, as a glob of another channel may match them, too.
 */
const sources: readonly [Channel, readonly string[]][] = [
  [
    'paid',
    [
      ...[
        'adwords',
        'google[-_ ]ads',
        'googleads',
        'google-adwords',
        '{facebook,fb,meta,linkedin,x,twitter}[-_]ads',
      ],
      ...['bing[-_ ]ads', 'bingads', 'microsoft[-_]ads', 'googleadservices.com', '{,*.}doubleclick.net'],
      ...[
        '{,*.}googlesyndication.com',
        'taboola{,.com}',
        'outbrain{,.com}',
        'criteo{,.com}',
        'carbonads{,.net}',
      ],
      ...['ethicalads{,.io}', 'buysellads{,.com}'],
    ],
  ],
  [
    'mail',
    [
      ...['gmail', 'outlook', 'yahoo mail', 'proton mail', 'email', 'e-mail', 'mail', '*newsletter*'],
      ...['{mail,webmail}.*', 'mailchimp{,.com}', '*.list-manage.com', 'sendgrid{,.net}', 'brevo{,.com}'],
      ...['buttondown{,.com,.email}', 'mailerlite{,.com}', 'app.fastmail.com', 'deref-{gmx,web-02,web}.*'],
    ],
  ],
  ['ai', [...new Set(assistants.values())].map((name) => name.toLowerCase())],
  [
    'search',
    [
      ...['google.com', 'bing.com', 'duckduckgo.com', 'search.yahoo.com', 'ecosia.org', 'search.brave.com'],
      ...[
        'yandex.*',
        'baidu.com',
        'naver.com',
        'startpage.com',
        '{,www.}qwant.com',
        'kagi.com',
        'mojeek.com',
      ],
      ...[
        'search.marginalia.nu',
        'swisscows.com',
        'metager.{de,org}',
        'searx*',
        'sogou.com',
        'so.com',
        'seznam.cz',
      ],
      ...['search.seznam.cz', 'search.daum.net', 'ask.com', 'search.aol.com', 'presearch.com', 'you.com'],
    ],
  ],
  [
    'social',
    [
      ...[
        'facebook.com',
        'messenger.com',
        'instagram.com',
        'threads.com',
        'whatsapp.com',
        'reddit.com',
        'x.com',
      ],
      ...['linkedin.com', 'youtube.com', 'tiktok.com', 'pinterest.com', 'tumblr.com', 'snapchat.com'],
      ...[
        'telegram.org',
        'discord.com',
        'bsky.app',
        'vk.com',
        'quora.com',
        'news.ycombinator.com',
        'lobste.rs',
      ],
      ...['{,*.}mastodon.*', 'mastodon', 'fosstodon.org', 'hachyderm.io', 'lemmy.*', 'weibo.com', 'xing.com'],
      ...['ok.ru', 'line.me', 'medium.com', 'dev.to', 'producthunt.com'],
    ],
  ],
  ['direct', ['(direct)']],
];

/** The words of `utm_medium` that say what a link is, whatever its source; in lower case. */
const mediums: Partial<Record<Channel, string>> = {
  paid: 'cpc ppc cpm cpv cpa cpl cpi paid paidsearch paid-search paid_search paidsocial paid-social paid_social ppc-social display banner retargeting remarketing sem ads ad sponsored sponsorship',
  mail: 'email e-mail e_mail mail newsletter',
  social: 'social social-media social_media socialmedia social-network sm',
};

const byMedium = new Map(
  Object.entries(mediums).flatMap(([channel, words]) =>
    words.split(' ').map((word) => [word, channel as Channel]),
  ),
);

export interface Channels {
  /** Undefined: the source says it. */
  ofMedium(medium: string): Channel | undefined;
  /** What the limit of a day's names has put together is a channel of its own. */
  ofSource(source: string): string;
}

interface Rule {
  channel: Channel;
  matches: (source: string) => boolean;
}

const ruleOf = (channel: Channel, globs: readonly string[]): Rule => ({
  channel,
  matches: globMatcher(globs),
});

const usual = sources.map(([channel, globs]) => ruleOf(channel, globs));

/** Sources whose channel was found by these, as every report asks for all of them. */
const usualNames = new Map<string, string>();
const mostKnown = 20_000;

/** @param own rules of the project (`readChannelRule`), which come before the others; the first that matches holds */
export function channelsBy(own: readonly string[]): Channels {
  const rules = own.flatMap((text): Rule[] => {
    const rule = readChannelRule(text);
    return rule ? [ruleOf(rule.channel, [rule.source.toLowerCase()])] : [];
  });
  const known = own.length === 0 ? usualNames : new Map<string, string>();
  return {
    ofMedium: (medium) => byMedium.get(medium.trim().toLowerCase()),
    ofSource(source) {
      const name = source.toLowerCase();
      const before = known.get(name);
      if (before !== undefined) return before;
      const channel = [...rules, ...usual].find(({ matches }) => matches(name))?.channel ?? otherOf(name);
      if (known.size >= mostKnown) known.clear();
      known.set(name, channel);
      return channel;
    },
  };
}

/** A source is a site, as a referrer names it, or a tag. */
function otherOf(source: string): string {
  if (source === '(other)') return source;
  return source.includes('.') ? 'referral' : 'campaign';
}
