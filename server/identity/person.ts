import { createIsbotFromList, list } from 'isbot';

/**
 * The user agents of today's browsers with every character accounted for: nothing can hide in them, so
 * nothing else needs to be asked. Most visits end here.
 */
const plain =
  /^Mozilla\/5\.0 \((?:Windows NT \d\d?\.\d(?:; Win64; x64|; WOW64)?|Macintosh; Intel Mac OS X [\d_.]{4,8}|X11; (?:Ubuntu; |Fedora; )?Linux (?:x86_64|aarch64|i686)|X11; CrOS (?:x86_64|aarch64|armv7l) [\d.]{5,14}|(?:iPhone; CPU iPhone|iPad; CPU) OS [\d_]{3,8} like Mac OS X|Android \d\d?(?:\.\d){0,2}; (?:Mobile|Tablet))(?:; rv:\d{2,3}\.\d)?\) (?:Gecko\/(?:20100101|\d{2,3}\.\d) Firefox\/\d{2,3}\.\d|AppleWebKit\/[\d.]{6,10} \(KHTML, like Gecko\)(?: Version\/[\d.]{2,8})?(?: (?:Chrome|CriOS|FxiOS|EdgiOS|GSA)\/[\d.]{2,16})?(?: Mobile\/\d{2}[A-Z]\d{1,4}[a-z]?)? Safari\/[\d.]{5,10}(?: (?:Edg|OPR|Vivaldi|Ddg)\/[\d.]{2,16}| Brave)?)$/;

/** Chrome, its relatives and web views on Android. The one free part is the name of the device. */
const android =
  /^Mozilla\/5\.0 \(Linux; (?:arm_64; )?(?:U; )?Android \d\d?(?:\.\d){0,2}; (?:[a-z]{2}[-_][a-zA-Z]{2}; )?([^;/@<>"\\]{1,60})(?:Build\/[\w.+-]{1,60})?(?:; wv)?\) AppleWebKit\/[\d.]{6,10} \(KHTML, like Gecko\)(?: Version\/4\.0)?(?: SamsungBrowser\/[\d.]{1,5})?(?: Chrome\/[\d.]{2,16})?(?: YaBrowser\/[\d.]{2,16})?(?: SA\/\d)?(?: Mobile)? Safari\/[\d.]{5,10}(?: (?:OPR|EdgA|DuckDuckGo)\/[\d.]{1,16})?$/;

/** What no device is called. A bare "bot" or "spider" is a phone's name: "M bot 54", "GLX SpiderI". */
const automatedDevice =
  /https?:|www\.|crawl|compatible|headless|lighthouse|catchpoint|screenshot|(?<=[a-z])(?<!cu|ro|x)bots?(?![a-z])/i;

/** Apps of AI makers, and programs of people whose names hold a word that speaks of automation. */
const programs =
  /geminiios|grokapp|copilotsapphire|samanthadoubao|kimi\/\d|micromessenger\/|aliapp\(|sogoumse|sogou(?:mobile|search|android)|metasr|qqdownload|firephp\/|chromeframe\/|fb(?:an|_iab)\/|instagram \d|google ?earth|privacybrowser|dillo\/|w3m\/|netsurf|\belinks|midori|bonecho|omniweb|maemo browser|firefox [23]|html5 parser|webexplorer|mosaic/;

/** Televisions, consoles, watches and phones before Android. Their user agents look like those of tools. */
const devices =
  /; wv\)|mobile\/\d\d[a-z]\d|\(linux; ?u; ?android|android \d[^)]{0,80}build\/|browser\/applewebkit|\(iphone; ios|ip(?:hone|ad|od)\d{1,3},\d|hw\/ip(?:hone|ad|od)|server-bag \[|\/qcx3\/|;tpapi;|hbbtv|ce-html|nettv\/|netrange|smart-?tv|smarttv_|google ?tv|gftv|gfiber|netcast|webos\.tv|web0s|viera|bravia|aquos|bdplayer|\(dtv|dtv;|apple ?tv|roku|vidaa|opera tv|tv store|\bomi\/|inettvbrowser|espial|crkey|zeasn|tbrowser\/|large screen|opentv|sagemcom|machblue|\bmidp|cldc|j2me|maui|wap[ _-]?browser|wap1\.|up\.browser|up\.link|au\.browser|obigo|teleca|netfront|ave-?front|dolfin|bada\/|brew\/|symbian|series ?[3468]0|nokia|ericsson|blackberry|playbook|ucweb|ucbrowser|opera mini|opera mobi|samsung-|kddi-|docomo|softbank|vodafone\/|ddipocket|palmos|windows ce|iemobile|windows phone|pocket internet|\bwatch ?(?:os|\d)|nintendo|playstation|dreampassport|dreamkey|segasaturn|webos\/|nook browser|kindle|iph\d\d?,\d|^ip(?:hone|ad|od)(?:x|s|\d|pro|air|mini|touch)\w{0,20}$|^apple-ip(?:hone|ad|od)|\bmre[/\\ (]|\bmot-|\blge?[- ]?[a-z]{0,2}\d|\bsie-|\bbird[-.]|\bhaier-|\bhtc_|\bsch-|polaris\/|micromax|karbonn|\bspice[ _]|\blava[. ]/;

/**
 * Patterns of isbot that the names of devices and programs of people run into. Against a device the others
 * still count.
 */
export const doubtfulPatterns: readonly string[] = [
  '(?<! channel/|google/)google(?!(?:wv|app|/google| pixel))',
  '(?<!lib)http',
  '24x7',
  '\\(\\)',
  ';\\s\\w+;$',
  '\\.com\\b',
  '\\b\\w+/1\\.0;',
  '\\|',
  '^[<\\(;]',
  '^[\\w \\.\\-\\(?:\\):%]+(?:/v?\\d+(?:\\.\\d+)?(?:\\.\\d{1,10})*?)?(?:,|$)',
  '^[\\w\\-]+/[\\w]+$',
  '^[^ ]{50,}$',
  '^\\d+\\b',
  '^\\w+/[\\w\\(\\)]*$',
  '^\\w+/\\d\\.\\d\\s\\([\\w@]+\\)$',
  '^mozilla/\\d\\.\\d\\s\\((?:compatible;)?(?:\\s?[\\w\\d-.]+[\\s/]\\d+\\.\\d+)?\\)$',
  '(?:^|[^g])news(?!sapphire)',
  '^netsurf',
  'catch',
  'chromeframe',
  'discovery',
  'download',
  'firephp',
  'java(?!;)',
  'parser',
  'proxy',
  'radar',
  'server',
  'sogou',
  'tools',
];

const looksAutomated = createIsbotFromList(list.filter((pattern) => !doubtfulPatterns.includes(pattern)));

/** What the doubtful patterns are right about, on a device too. */
const automation =
  /https?:\/\/|www\.|google(?:bot| web| search|weblight|-|producer|\))|adsbot|safari\/[\d.]{1,12} \(compatible|catchpoint|devtools|httpclient|whatsapp|^java\/|sogou (?:web|pic|head)/;

export function isPlainBrowser(userAgent: string): boolean {
  return plain.test(userAgent);
}

/** The name of the Android device whose browser this is, where that is all that could be anything else. */
export function findAndroidDevice(userAgent: string): string | undefined {
  const device = android.exec(userAgent)?.[1];
  return device === undefined || automatedDevice.test(device) ? undefined : device;
}

/**
 * People whom isbot takes for bots by a word in the name of their device or program.
 *
 * @param text the user agent in lower case
 */
export function isMistakenPerson(text: string): boolean {
  // What refutes most of them comes first.
  if (automation.test(text) || looksAutomated(text.replaceAll('cubot', ''))) return false;
  return programs.test(text) || devices.test(text);
}
