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
    `(?:${gecko.source}|${webkit.source}(?: Version/[\\d.]{2,8})?${product.source} ${ending.source})$`,
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

/** What no device is called. A bare "bot" or "spider" is a phone's name: "M bot 54", "GLX SpiderI". */
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

/** What no browser does, on a phone neither. @param text the user agent in lower case */
export function namesAnotherAsEngine(text: string): boolean {
  return /like gecko\)?; compatible;/.test(text);
}
