import type { BotFamily } from '../../shared/identity/bot-family.ts';
import { Words } from './words.ts';

type Names = Partial<Record<BotFamily, readonly string[]>>;

/** Names of bots that isbot does not know, parted by bars. No program of a person is called so. */
const overlooked: Names = {
  'search engine': [
    'googleother|googleother-image|googleother-video|duplexweb-google|binglocalsearch|yandex.translate|slurp|lucidworks-anda|surphace scout|snapsearch|stackrambler',
    'grub-client|arachmo|sqworm|seznam screenshot-generator|caam dot crwlr|htdig|compatible; owler',
  ],
  seo: [
    'evc-batch|seolizer|seocompany|linkexaminer|kimonolabs|clarsentia|econtext|delve.ai|nitro-optimizer-agent',
  ],
  monitor: [
    'copperegg|gtmetrix|debugbear|ylt chrome|siteimprove|kube-probe|siteguardian|webmon|nodemeter|echoping',
    'automaticwptester|whatweb|wp rocket',
  ],
  'link preview': [
    'webthumb|websnapr|webthumbnail|miniature.io|unshorten.it|hatena::bookmark|chatterino-api-cache',
  ],
  advertising: ['adbeat|criteo|dotmailer'],
  archive: ['memgator|advanced email extractor'],
  'security scanner': ['siege|assetnote|laravel reaver|cerberian|alibaba.security.heimdall|nikto'],
  library: [
    'reactornetty|^dart/|docker-client|containerd|cri-o|kubectl|gitlab-runner|gitlab-kas|^gitlab/|gradle',
    'twine|ureq|artifactory|git-annex|tcms-api|kiwi-tcms|ipinfoclient|mikrotik|powershell',
    'windowspowershell|matomotrackersdk|nyawc|ms web services client protocol|fetch api request',
  ],
  'headless browser': [
    'wkhtmltopdf|wkhtmltoimage|slimerjs|jsdom|zombie.js|squider|webscreenie|homepagescreenshot.de|wpif safari',
    'imgsizer',
  ],
};

/**
 * Names that sort what isbot calls a bot. Products of AI makers that are no AI clients are listed here too, so
 * that their makers' names do not turn them into such.
 */
const known: Names = {
  'search engine': [
    'googlebot|googlebot-image|googlebot-video|googlebot-news|googleother|google-inspectiontool',
    'storebot-google|google-read-aloud|google-site-verification|google-firebase|feedburner|applebot',
    'bingbot|msnbot|adidxbot|bingpreview|yandexbot|yandeximages|yandexmobilebot|yandexrenderresourcesbot',
    'baiduspider|baiduspider-render|sogou web spider|sogou|360spider|yisouspider|toutiaospider|petalbot',
    'aspiegelbot|seznambot|duckduckbot|duckduckgo-favicons-bot|qwantbot|qwantify|mojeekbot|coccocbot',
    'coccocbot-web|yeti|naverbot|daum|daumoa|bravebot|kagibot|coveobot|iboubot|icc-crawler|exabot|teoma',
    'ask jeeves|gigabot|seekport|seekportbot|mail.ru_bot|ichiro|orangebot|istellabot|yacybot',
    'accoona-ai-agent|owler|yoozbot|semanticscholarbot|oicrawler|stractbot',
  ],
  seo: [
    'ahrefsbot|ahrefssiteaudit|semrushbot|semrushbot-ocob|semrushbot-swa|semrushbot-ba|siteauditbot',
    'mj12bot|dotbot|rogerbot|dataforseobot|dataforseo|blexbot|megaindex|serpstatbot|seokicks|sistrix',
    'xovibot|barkrowler|screaming frog seo spider|linkdexbot|netestate|zoominfobot|awario|awariobot',
    'awariosmartbot|aihitbot|velenpublicwebcrawler|sentibot|omgili|omgilibot|turnitinbot|turnitin',
    'trendictionbot|seobilitybot|seozoombot|domainstatsbot|linkpadbot|spbot|dataprovider|dnyzbot',
    'sitescorebot|linkfluence|meltwaternews|brandwatch|magpie-crawler|infegyatlas|infegy',
  ],
  monitor: [
    'uptimerobot|pingdom|pingdom.com_bot|statuscake|site24x7|chrome-lighthouse|lighthouse',
    'google page speed insights|pagespeed|ptst|speedcurve|dareboost|catchpoint|newrelicsynthetics',
    'datadogsynthetics|betteruptime|better uptime bot|freshpingbot|uptime-kuma|hetrixtools|check_http',
    'zabbix|nagios|prometheus|blackbox exporter|googlehc|elb-healthchecker|googlestackdrivermonitoring',
    'cloudflare-healthchecks|cloudflare-alwaysonline|siteimprove.com|monsidobot|silktide|w3c_validator',
    'w3c-checklink|validator.nu|ghost inspector|ruxitsynthetic|checkly|ibm-crawler|wappalyzer',
  ],
  'link preview': [
    'facebookexternalhit|meta-externalhit|facebookcatalog|facebot|twitterbot|linkedinbot|slackbot',
    'slackbot-linkexpanding|slack-imgproxy|discordbot|telegrambot|whatsapp|skypeuripreview',
    'microsoftpreview|pinterestbot|redditbot|embedly|iframely|vkshare|viber|tumblr|mastodon|pleroma',
    'akkoma|misskey|lemmy|bluesky|google web preview|yahoo link preview|googleimageproxy|github-camo',
    'flipboardproxy|arenaunfurlbot|lmarenaunfurlbot|dingtalkbot-linkservice|url preview|metauri|bitlybot',
  ],
  'feed reader': [
    'feedfetcher-google|feedfetcher|feedly|feedlybot|feedbin|feedspot|inoreader|newsblur|theoldreader.com',
    'netvibes|tiny tiny rss|freshrss|miniflux|nextcloud-news|commafeed|superfeedr|simplepie|magpierss',
    'universalfeedparser|feedparser|podcastrepublic|podcastaddict|overcast|pocketcasts|syndirella',
    'netnewswire|newsfire|newsbeuter|newsboat|akregator|bazqux|flipboardrss|apple-pubsub|rome client',
  ],
  advertising: [
    'adsbot-google|adsbot-google-mobile|mediapartners-google|apis-google|google-adwords-instant',
    'google-ads-conversions|oai-adsbot|meta-externalads|criteobot|grapeshotcrawler|proximic|ias_crawler',
    'ias_wombles|ias crawler|admantx|adbeat_bot|outbrain|taboolabot|cxensebot|adscanner|adstxtcrawler',
    'ads.txt crawler|peer39_crawler|quantcastbot|amazonadbot|moatbot|snapchatads|weborama-fetcher',
  ],
  archive: [
    'archive.org_bot|ia_archiver|heritrix|wayback|archivebot|arquivo-web-crawler|httrack|webcopier|webzip',
    'sitesucker|teleport pro|offline explorer|webcapture|nicecrawler|bl.uk_lddc_bot|bnf.fr_bot',
    'web-archive-net.com.bot|cyotekwebcopy',
  ],
  research: [
    'internetmeasurement|researchscan|censysinspect|paloaltonetworks|expanse|netcraftsurveyagent|shodan',
    'zgrab|masscan|netsystemsresearch|ltx71|bubing|citeseerxbot|spiderling|macocu|l9explore|l9scan|leakix',
  ],
  'security scanner': [
    'nmap|sqlmap|wpscan|acunetix|nessus|qualys|openvas|nuclei|dirbuster|gobuster|detectify|sucuri|sansec',
    'virustotal|safednsbot|bitsightbot|burpcollaborator|zmeu|webshag|redback|ssllabs',
  ],
  library: [
    'axios|node-fetch|undici|superagent|got|sindresorhus/got|curl|libcurl|wget|wget2|httpie|python',
    'python-requests|python-urllib|python-httpx|aiohttp|httpx|urllib|urllib3|requests|pycurl|scrapy|colly',
    'go-http-client|fasthttp|okhttp|java|apache-httpclient|asynchttpclient|ahc|jersey|jetty|httpclient',
    'httpurlconnection|ktor-client|vert.x-webclient|libwww-perl|lwp-trivial|lwp|perl|www-mechanize',
    'mechanize|ruby|faraday|rest-client|http.rb|typhoeus|php|guzzlehttp|guzzle|symfony|zend_http_client',
    'dart|dart:io|reqwest|hyper|deno|bun|node.js|winhttp|postmanruntime|postman|insomnia|bruno|libsoup',
    'cpp-httplib|restsharp|unirest|trafilatura|docker|gitlab|maven|pip|npm|yarn|composer|adobeair',
    'bitdiscovery|nutch',
  ],
  'headless browser': [
    'headlesschrome|headlessedg|headless|phantomjs|puppeteer|playwright|selenium|webdriver|cypress',
    'testcafe|splash|cutycapt|browsershot|rendertron|prerender|chromium-headless|homepagescreenshot',
  ],
};

export interface BotName {
  readonly family: BotFamily;
  /** False: a person's app or device may have the word in its name too. */
  readonly certain: boolean;
  /** Behind a complete browser of a phone it is an app. */
  readonly ofPeopleToo: boolean;
}

/** Libraries of people's programs, and names that these use in their own windows. */
const peoplesFamilies: ReadonlySet<BotFamily> = new Set(['library', 'link preview', 'feed reader']);

/** Names of bots that are words of a dictionary or names of places, and so of apps. */
const commonWords: ReadonlySet<string> = new Set(
  'slurp|yeti|ichiro|daum|teoma|siege|expanse|qualys|nuclei|splash|headless|cypress|puppeteer|playwright|selenium|lighthouse|prometheus|wayback|owler|redback|turnitin|criteo|zabbix|nagios|shodan|sistrix|checkly|outbrain'.split(
    '|',
  ),
);

function list(names: Names, certain: boolean): (readonly [word: string, name: BotName])[] {
  return Object.entries(names).flatMap(([family, lines]) =>
    lines.flatMap((line) =>
      line.split('|').map((word) => {
        const ofPeopleToo = peoplesFamilies.has(family as BotFamily) || commonWords.has(word);
        return [word, { family: family as BotFamily, certain, ofPeopleToo }] as const;
      }),
    ),
  );
}

const unambiguous = list(known, false).filter(([, { family }]) => !peoplesFamilies.has(family));

/** Names in lower case. To be used where isbot sees no bot. */
export const overlookedBots: Words<BotName> = new Words([...list(overlooked, true), ...unambiguous]);

/** To be used where isbot sees one. */
export const knownBots: Words<BotName> = new Words([...list(overlooked, true), ...list(known, false)]);
