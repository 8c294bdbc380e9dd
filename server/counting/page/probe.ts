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
  // Copies that editors, archivers and hands leave behind, also of what is no page.
  String.raw`(/[^/]+)?/[^/]+(~|\.(bak|backup|bkp|old|orig|save|saved|sw[nop]|tmp|temp)\d?)`,
  // Secrets, settings and state of programs, keys, and dumps of databases and of whole sites.
  String.raw`${folder}/(docker-)?compose[\w.-]*\.ya?ml`,
  String.raw`${folder}/(application|appsettings|config|configuration|credentials?|database|local[._-]settings|parameters|secrets?|service-?account(-?key)?|settings|users?)([._-](dev|development|local|prod|production|staging|test))?\.(conf|config|env|inc|ini|json|php|properties|toml|xml|ya?ml)`,
  String.raw`${folder}/(web\.config|composer\.(json|lock)|package-lock\.json|yarn\.lock|[\w.-]*\.tf(state|vars)[\w.-]*)`,
  String.raw`${folder}/(id_(dsa|ecdsa|ed25519|rsa)(\.pub)?|[\w.-]+\.(jks|kdbx|key|keystore|p12|pem|pfx|ppk))`,
  String.raw`(/[^/]+)?/[\w.-]+\.(db|dump|mdb|sql|sqlite3?)(\.(7z|bz2|gz|rar|tar|tar\.gz|tgz|xz|zip))?`,
  String.raw`(/[^/]+)?/(archive|backups?|data|database|db|dump|full|htdocs|html|mysql|old|public_html|site|source|src|web|website|wordpress|wp|www|wwwroot)[\w.-]*\.(7z|bz2|gz|rar|tar|tgz|xz|zip)`,
  String.raw`(${folder}|/storage/logs|/logs?)/[\w-]+\.log`,
  // Consoles and states of servers, and files of the machine through a server for developers.
  '/@(fs|vite)/.*',
  '(/[^/]+)*/(etc/passwd|proc/self/environ)',
  String.raw`${folder}/(info|php[_-]?info|infophp|pinfo)\.php\d?`,
  '/(server-(info|status)|jmx-console|web-console|jolokia|_cat|_cluster|_all_dbs|_utils|nacos|solr|geoserver/web|druid/indexer|v2/_catalog|invoker|ecp)(/.*)?',
  '/(debug/(default/view|pprof|vars)|manager/(html|status|text)|jenkins/(login|script))(/.*)?',
  '/telescope/(client-requests|commands|exceptions|jobs|logs|queries|requests|schedule|telescope-api.*)?',
  String.raw`/(elmah|trace)\.axd`,
];

const probe = new RegExp(`^(?:${probes.join('|')})$`, 'i');

/** @param path in its normal form, without a query */
export const isProbe = memoize((path: string) => probe.test(path), 10_000);
