const desktops = anyOf(
  /Windows NT \d\d?\.\d(?:; Win64; x64|; WOW64)?/,
  /Macintosh; Intel Mac OS X [\d_.]{4,8}/,
  /X11; (?:Ubuntu; |Fedora; )?Linux (?:x86_64|aarch64|i686)/,
  /X11; CrOS (?:x86_64|aarch64|armv7l) [\d.]{5,14}/,
);
const phones = anyOf(
  /(?:iPhone; CPU iPhone|iPad; CPU) OS [\d_]{3,8} like Mac OS X/,
  /Android \d\d?(?:\.\d){0,2}; (?:Mobile|Tablet)/,
);
const gecko = /Gecko\/(?:20100101|\d{2,3}\.\d) Firefox\/\d{2,3}\.\d/;
const webkit = /AppleWebKit\/[\d.]{6,10} \(KHTML, like Gecko\)/;
const product = /(?: (?:Chrome|CriOS|FxiOS|EdgiOS|GSA)\/[\d.]{2,16})?(?: Mobile\/\d{2}[A-Z]\d{1,4}[a-z]?)?/;
const ending = /Safari\/[\d.]{5,10}(?: (?:Edg|OPR|Vivaldi|Ddg)\/[\d.]{2,16}| Brave)?/;

/**
 * The user agents of today's browsers with every character accounted for: nothing can hide in them, so
 * nothing else needs to be asked. Most visits end here.
 */
const plain = new RegExp(
  `^Mozilla/5\\.0 \\((?:${desktops.source}|${phones.source})(?:; rv:\\d{2,3}\\.\\d)?\\) ` +
    `(?:${gecko.source}|${webkit.source}(?! Safari)(?: Version/[\\d.]{2,8})?${product.source} ${ending.source})$`,
);

/** The name of the device is the one part that is free; `; Build/…` and `; wv` may follow it. */
const androidSystem =
  /Linux; (?:arm_64; )?(?:U; )?Android \d\d?(?:\.\d){0,2}; (?:[a-z]{2}[-_][a-zA-Z]{2}; )?([^;/@<>"\\]{1,60})(?:Build\/[\w.+-]{1,60})?(?:; wv)?/;
const androidProduct =
  /(?: Version\/4\.0)?(?: SamsungBrowser\/[\d.]{1,5})?(?: Chrome\/[\d.]{2,16})?(?: YaBrowser\/[\d.]{2,16})?(?: SA\/\d)?/;
const androidEnding = /(?: Mobile)? Safari\/[\d.]{5,10}(?: (?:OPR|EdgA|DuckDuckGo)\/[\d.]{1,16})?/;

/** Chrome, its relatives and web views on Android. */
const android = new RegExp(
  `^Mozilla/5\\.0 \\(${androidSystem.source}\\) ${webkit.source}${androidProduct.source}${androidEnding.source}$`,
);

/** Words in no device name. A bare "bot" or "spider" is a phone's name: "M bot 54", "GLX SpiderI". */
const automatedDevice =
  /https?:|www\.|crawl|compatible|headless|lighthouse|catchpoint|screenshot|(?<=[a-z])(?<!cu|ro|x)bots?(?![a-z])/i;

/** One pattern that matches what any of them matches. */
export function anyOf(...patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join('|'));
}

export function isPlainBrowser(userAgent: string): boolean {
  return plain.test(userAgent);
}

/** The name of the Android device whose browser this is, where that is all that could be anything else. */
export function findAndroidDevice(userAgent: string): string | undefined {
  const device = android.exec(userAgent)?.[1];
  return device === undefined || automatedDevice.test(device) ? undefined : device;
}

/** Signs of no browser, not even on a phone. @param text the user agent in lower case */
export function namesAnotherAsEngine(text: string): boolean {
  return /like gecko\)?; compatible;|(?:safari|mobile)\/[\w.]{2,12} ?\(compatible[;,)] ?(?!msie)/.test(text);
}

/** A comment, which may have another in it: `Moto G (4)`. */
const comment = String.raw`[^()]{0,200}(?:\([^()]{0,40}\)[^()]{0,80})?`;

/** The browser or web view of a phone with every part of its engine, and behind it whatever an app adds. */
const phoneBrowser = new RegExp(
  `^mozilla/5\\.0 \\((?:linux; (?:arm_64; )?(?:u; )?android|ip(?:hone|ad|od)(?: touch)?; (?:u; )?cpu)${comment}\\) ` +
    'applewebkit/[\\d.+]{3,14} \\(khtml, like gecko\\) ',
);
/** The part of one of these behind the engine. */
const phoneProduct = / safari\/\d| mobile\/\d\d[a-z]\d| chrome\/\d| version\/\d|\(wkwebview\)/;

/** Whether a person's phone sent it, whatever app its name is of. @param text the user agent in lower case */
export function isPhoneBrowser(text: string): boolean {
  return phoneBrowser.test(text) && phoneProduct.test(text);
}

const system = '(?:windows|macintosh|x11|linux|android|ip(?:hone|ad|od))';

/** Where a browser's user agent ends too early: every browser of that engine sends more. */
const halves = anyOf(
  // The system alone, with the number of the engine at most; old devices and their builds do so.
  new RegExp(
    `^mozilla/5\\.0 \\(${system}(?!;(?: linux;)? u;)(?![^()]{0,160}(?:build/|silk/))[^()]{0,200}\\)?` +
      '(?: applewebkit(?:/[\\d.]{0,12})?(?: \\(khtml,? ?(?:like)?)?)?$',
  ),
  // WebKit without a product; in a program's window on macOS it has none.
  new RegExp(
    `^mozilla/5\\.0 \\(${system}[^()]{0,200}\\) applewebkit/537\\.36 \\(khtml, like gecko\\)?(?: version/[\\d.]{1,9})?(?: chrome)?(?: mobile)?(?: safari(?:/[\\d.]{1,9})?)?$`,
  ),
  /^mozilla\/5\.0 \((?:iphone|ipad)[^()]{0,200}\) applewebkit\/[\d.]{1,12} \(khtml, like gecko\)?$/,
  /^mozilla\/5\.0 \(macintosh[^()]{0,200}\) applewebkit\/6\d\d[\d.]{0,9} \(khtml, like gecko\) (?:version\/[\d.]{1,9}|safari(?:\/[\d.]{1,9})?)$/,
  // Chrome without Safari, and both without the engine.
  /^mozilla\/5\.0 \((?:windows|macintosh|x11)[^()]{0,200}\)(?: applewebkit\/537\.36(?: \(khtml, like gecko\))?)? chrome\/[\d.]{1,20}(?: safari)?$/,
  /^mozilla\/5\.0 \((?:windows|macintosh|x11)[^()]{0,200}\)(?: applewebkit\/537\.36)? chrome\/[\d.]{1,20} safari\//,
  // Gecko without a product, and the reverse.
  /^mozilla\/5\.0 \([^()]{0,200}\) gecko(?:\/20100101)?(?: firefox)?$/,
  /^mozilla\/5\.0 \([^()]{0,200}rv:\d{1,3}\.[\d.]{1,5}\) firefox\/[\d.]{1,9}$/,
  // Internet Explorer names its system, and the last one says what it is like.
  /^mozilla\/\d\.\d\d? \(compatible; msie [\d.b]{1,5}\)?$/,
  /^mozilla\/5\.0 \((?!compatible)[^()]{0,200}trident\/7[^()]{0,60}\)(?: like)?$/,
  /^opera(?:\/[\d.]{1,6})?$|^opera\/9\.80 \((?![^()]{0,80}; u;)[^()]{0,200}\)$/,
  // A browser says where it runs.
  /^mozilla\/[\d.]{1,5} (?:applewebkit\/[\d.]{1,9}(?: \(khtml, like gecko\))? ?)?(?:version\/[\d.]{1,9} ?)?(?:chrome\/[\d.]{1,20} ?)?(?:safari\/[\d.]{1,12} ?)?(?:gecko\/[\d.]{1,9} ?)?(?:firefox\/[\d.]{1,9})?$/,
);

/** The engines and browsers that call themselves compatible. */
const compatibles =
  /msie|konqueror|applewebkit|gecko|khtml|opera|icab|omniweb|netpositive|ms-?office|golive|amigaos|netfront|netbox|snom|printsmart|qdesk|sundance|eudoraweb|antfresco|offbyone|syllable|\(compatible; ?(?:icab|wap|maui)|cell ?phone|wap browser|polaris|teleca|dplus|web ?tv/;

/** What browsers on computers add in parentheses behind themselves. */
const notes =
  /^(?:edition|blink|chromium|electron|ecosia|tab|swiftfox|kubuntu|ubuntu|debian|x\d\d|x11|\.net|ip:|fban|fbid|(?:[^()[\]]{0,40} )?(?:browser|package)\b)/;
const noted =
  /^mozilla\/5\.0 \((?:windows|macintosh|x11)[^()]{0,200}\) (?:applewebkit\/[\d.]{3,12} \(khtml, like gecko\) [^()[\]]{0,120}safari|gecko\/[\d.]{3,9} firefox)\/[\d.]{2,12}(?: (?:edg|opr|vivaldi|ddg)\/[\d.]{1,20})? ?[([]([^()[\]]{0,60})/;

/** Begins like a browser's user agent, but no browser sends it. @param text the user agent in lower case */
export function isHalfABrowser(text: string): boolean {
  const trimmed = text.trimEnd();
  if (halves.test(trimmed)) return true;
  if (/^mozilla\/[\d.]{1,5} ?\(compatible(?:[;,]|\)$)/.test(text) && !compatibles.test(text)) return true;
  const note = noted.exec(text)?.[1];
  return note !== undefined && !notes.test(note);
}
