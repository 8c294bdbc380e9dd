import { memoize } from '../../memo.ts';

/** Where scanners suppose an application besides the root. */
const folder = '(/(api|app|backend|blog|cms|new|old|public|shop|site|src|test|web|wordpress|wp|www))?';

/**
 * What scanners ask every site for, and no site shows anybody: a page about one of these has another name, or lies
 * deeper. Many sites answer whatever they do not have with their start page, so that no status tells.
 */
const probes = [
  // Hidden files; /.md is the text of a page.
  String.raw`/\.(?!well-known(/|$)|mdx?$)\w.*`,
  String.raw`${folder}/\.(aws|env|git|hg|ssh|svn)([./].*)?`,
  // Programs of WordPress. Its pages are called as their author likes.
  String.raw`${folder}/(wp-[\w-]+|xmlrpc)\.php(\W.*)?`,
  String.raw`${folder}/wp-(admin|content|includes)/.*\.php`,
  `${folder}/wp-json/.+`,
  '/wp-(admin|includes|json)(/.*)?',
  // Programs that manage databases or servers.
  String.raw`${folder}/(adminer|phpinfo)\.php`,
  String.raw`${folder}/(phpmyadmin|pma|vendor/phpunit)/.*\.php`,
  `${folder}/(_ignition|_profiler)/.+`,
  `${folder}/actuator/(env|gateway|heapdump|mappings).*`,
  '/(boaform|cgi-bin/luci|gponform|hnap1|owa/auth)(/.*)?',
];

const probe = new RegExp(`^(?:${probes.join('|')})$`, 'i');

/** @param path in its normal form, without a query */
export const isProbe = memoize((path: string) => probe.test(path), 10_000);
