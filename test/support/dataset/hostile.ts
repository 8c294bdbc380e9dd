import { siteUrl } from './site.ts';
import type { DatasetView } from './view.ts';

const chromeOnLinux =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const desktop = { device: 'desktop', browser: 'Chrome', system: 'Linux' };

/** Paths as they are asked for, and as they are counted. */
const paths: readonly (readonly [asked: string, counted: string])[] = [
  ['/<script>alert(1)</script>', '/%3Cscript%3Ealert(1)%3C/script%3E'],
  ['/"><img src=x onerror=alert(2)>', '/%22%3E%3Cimg%20src=x%20onerror=alert(2)%3E'],
  [`/'-alert(3)-'`, `/'-alert(3)-'`],
  ['/{{constructor.constructor("alert(4)")()}}', '/%7B%7Bconstructor.constructor(%22alert(4)%22)()%7D%7D'],
  ['/javascript:alert(5)', '/javascript:alert(5)'],
  ['/invoice\u202Efdp.exe', '/invoice%E2%80%AEfdp.exe'],
  ['/\u05E9\u05DC\u05D5\u05DD/\u200F', '/%D7%A9%D7%9C%D7%95%D7%9D/%E2%80%8F'],
  ['/🫖/👩‍👩‍👧', '/%F0%9F%AB%96/%F0%9F%91%A9%E2%80%8D%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7'],
  [
    '/\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645/pay\u200Cpal',
    '/%D9%85%DB%8C%E2%80%8C%D8%AE%D9%88%D8%A7%D9%87%D9%85/pay%E2%80%8Cpal',
  ],
  // In composed form (NFC).
  ['/z\u0351\u036B\u0343a\u0351lgo', '/z%CD%91%CD%AB%CC%93a%CD%91lgo'],
  ['/%00/%0d%0aSet-Cookie:%20a=b', '/%00/%0D%0ASet-Cookie:%20a=b'],
  ['/=cmd|calc!A1', '/=cmd|calc!A1'],
  ['/__proto__', '/__proto__'],
  [`/${'long-'.repeat(200)}`.slice(0, 1000), `/${'long-'.repeat(200)}`.slice(0, 1000)],
  [`/${'w'.repeat(4000)}`, `/${'w'.repeat(1023)}`],
];

/** Campaigns as in addresses, and as they are counted. */
const campaigns: readonly (readonly [sent: string, counted: string])[] = [
  ['<script>alert(6)</script>', '<script>alert(6)</script>'],
  ['"><svg onload=alert(7)>', '"><svg onload=alert(7)>'],
  ['javascript:alert(8)', 'javascript:alert(8)'],
  ['\u202Eevil', '\u202Eevil'],
  ['🫖🫖🫖', '🫖🫖🫖'],
  ['=HYPERLINK("https://evil.example")', '=hyperlink("https://evil.example")'],
  ['__proto__', '__proto__'],
  ['constructor', 'constructor'],
  ['u'.repeat(1000), 'u'.repeat(100)],
];

const referrers: readonly (readonly [sent: string, counted: string])[] = [
  ['javascript:alert(9)', '(direct)'],
  ['https://evil.example/"><script>alert(10)</script>', 'evil.example'],
  ['https://xn--e1afmkfd.example/', 'xn--e1afmkfd.example'],
  [`https://${'sub.'.repeat(40)}example/`, `${'sub.'.repeat(40)}example`.slice(0, 100)],
  ['data:text/html,<script>alert(11)</script>', '(direct)'],
  ['not an address <b>at all</b>', '(direct)'],
];

/** Somebody who tries what reports make of texts; the same every day. */
export function hostileViews(): DatasetView[] {
  const plain = '/docs/faq';
  return [
    ...paths.map(([asked, counted]) => viewOf(siteUrl + asked, undefined, counted, '(direct)')),
    ...campaigns.map(([sent, counted]) =>
      viewOf(`${siteUrl}${plain}?utm_source=${encodeURIComponent(sent)}`, undefined, plain, counted),
    ),
    ...referrers.map(([sent, counted]) => viewOf(siteUrl + plain, sent, plain, counted)),
  ];
}

function viewOf(url: string, referrer: string | undefined, path: string, source: string): DatasetView {
  return {
    via: 'script',
    url,
    ...(referrer !== undefined && { referrer }),
    address: '73.99.250.251',
    userAgent: chromeOnLinux,
    fate: {
      kind: 'human',
      path,
      source,
      country: 'US',
      language: null,
      screen: null,
      traits: desktop,
      client: null,
    },
  };
}
