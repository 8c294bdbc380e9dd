import { createIsbotFromList, list } from 'isbot';
import { anyOf } from './browser.ts';

/** Apps of AI makers, and programs of people with a word in their names that speaks of automation. */
const programs = anyOf(
  /geminiios|grokapp|copilotsapphire|samanthadoubao|kimi\/\d/,
  /micromessenger\/|aliapp\(|fb(?:an|_iab)\/|instagram \d|qqdownload|metasr/,
  /sogoumse|sogou(?:mobile|search|android)|firephp\/|chromeframe\/|html5 parser|google ?earth|javafx\/\d|windows server 20\d\d/,
  /mqqbrowser\/mini|\blynx\/|^links \(|browsh|edbrowse|browsex|offbyone|icebrowser|dplus|doggcatcher|inspectbrowser| torrent\/[\d.]{2,16} safari|robloxapp\/|roblox android app/,
  /privacybrowser|dillo\/|w3m\/|netsurf|\belinks|midori|bonecho|omniweb|maemo browser|firefox [23]|webexplorer|mosaic/,
);

/** Apps and web views on phones and watches. */
const phones = anyOf(
  /; wv\)|mobile\/\d\d[a-z]\d|\(linux; ?u; ?android|\(android \d|android \d[^)]{0,80}build\/|browser\/applewebkit/,
  /\(iphone; ios|ip(?:hone|ad|od)\d{1,3},\d|hw\/ip(?:hone|ad|od)|iph\d\d?,\d|^apple-ip(?:hone|ad|od)/,
  /^ip(?:hone|ad|od)(?:x|s|\d|pro|air|mini|touch)\w{0,20}$|\bwatch ?(?:os|\d)|server-bag \[|\/qcx3\/|;tpapi;/,
);

/** Televisions, players and consoles. */
const screens = anyOf(
  /hbbtv|ce-html|nettv\/|netrange|smart-?tv|smarttv_|google ?tv|gftv|gfiber|netcast|webos\.tv|web0s|webos\//,
  /viera|bravia|aquos|bdplayer|\(dtv|dtv;|apple ?tv|roku|vidaa|opera tv|tv store|\bomi\/|inettvbrowser|espial/,
  /crkey|zeasn|tbrowser\/|large screen|opentv|sagemcom|machblue|nook browser|kindle/,
  /nintendo|playstation|dreampassport|dreamkey|segasaturn/,
);

/** Workstations and handhelds of another time. */
const oldComputers =
  /openvms|alphaserver|news-os|risc os|\(win(?:95|98|nt)|cassiopeia|; rim\d{3}|lindows|amigaos|minix/;

/** Phones before Android and their browsers. */
const featurePhones = anyOf(
  /\bmidp|cldc|j2me|maui|wap[ _-]?browser|wap1\.|up\.browser|up\.link|au\.browser|obigo|teleca|netfront|ave-?front/,
  /dolfin|bada\/|brew\/|symbian|series ?[3468]0|ucweb|ucbrowser|opera mini|opera mobi|polaris\/|\bmre[/\\ (]/,
  /nokia|ericsson|blackberry|playbook|samsung-|micromax|karbonn|kddi-|docomo|softbank|vodafone\/|ddipocket/,
  /\bmot-|\blge?[- ]?[a-z]{0,2}\d|\bsie-|\bbird[-.]|\bhaier-|\bhtc_|\bsch-|\bspice[ _]|\blava[. ]/,
  /palmos|windows ce|iemobile|windows phone|pocket internet/,
);

/** Their user agents often look like those of tools. */
const devices = anyOf(phones, screens, featurePhones, oldComputers);

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
  'browsex',
  'catch',
  'chromeframe',
  'discovery',
  'download',
  'firephp',
  'inspect',
  'java(?!;)',
  'offbyone',
  'parser',
  'proxy',
  'radar',
  'server',
  'sogou',
  'tools',
  'torrent',
];

const looksAutomated = createIsbotFromList(list.filter((pattern) => !doubtfulPatterns.includes(pattern)));

/** Addresses that browsers send, of those who made them. */
const ownAddresses =
  /embedded web browser from: http:\/\/bsalsa\.com|http:\/\/www\.qtweb\.net|\(http:\/\/www\.getmiro\.com/;

/** What the doubtful patterns are right about, on a device too. */
const automation =
  /https?:\/\/|www\.|google(?:bot| web| search|weblight|-|producer|\))|adsbot|safari\/[\d.]{1,12} \(compatible|catchpoint|devtools|httpclient|whatsapp|^java\/|sogou (?:web|pic|head)/;

/**
 * People whom isbot takes for bots by a word in the name of their device or program.
 *
 * @param text the user agent in lower case
 */
export function isMistakenPerson(text: string): boolean {
  if (ownAddresses.test(text)) return !looksAutomated(text);
  // What refutes most of them comes first.
  if (automation.test(text) || looksAutomated(text.replaceAll('cubot', ''))) return false;
  return isPersonsProgram(text);
}

/** Whether it names a device or a program that people use. @param text the user agent in lower case */
export function isPersonsProgram(text: string): boolean {
  return programs.test(text) || devices.test(text);
}

/** Words in the names of apps that isbot knows from bots. Behind a phone's own browser they say nothing. */
const appWords =
  /\(\)|@[a-z]|\|| (?:bw|dlc|ort|perl|time)(?=[ /]|$)|(?:node|agent|check|monitor|rss)\b|(?:bot|cursor|readable|sparkler|server)(?:s|\/|(?![a-z]))|abuse|advisor|analyz|archive|audit|capture|checker|classif|crawl|detect|feed|grab|headless(?!chrome)|insight|inspect|library|measure|optimi[sz]e|pageburst|preview|retriever|rigor|scan|scrape|spider|splash|synapse|synthetic|torrent|transcod|url|validat|virtuoso/g;

/** Whether a user agent that has all parts of a phone's browser says that a program sent it. @param text in lower case */
export function isPhoneOfAProgram(text: string): boolean {
  return automation.test(text) || looksAutomated(text.replace(appWords, ' ').replaceAll('cubot', ''));
}
