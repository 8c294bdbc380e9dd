/** Each of up to 256 characters, and a path of 1,024 that makes it slow. */
export const slowGlobs: [name: string, glob: (i: number) => string, path: string][] = [
  ['a character after each *', (i) => `/*b${'*a'.repeat(120 + (i % 6))}`, `/${'a'.repeat(1023)}`],
  ['a character before each *', (i) => `/*b*${'a*'.repeat(120 + (i % 6))}`, `/${'a'.repeat(1023)}`],
  ['dashes', (i) => `/blog/*b*${'-*'.repeat(115 + (i % 6))}`, `/blog/${'-'.repeat(1000)}/x`],
  ['one * and a long name', (i) => `/*b${'a'.repeat(230 + (i % 20))}*`, `/${'a'.repeat(1023)}`],
  ['* and ?', (i) => `/*c${'*a?b'.repeat(60 + (i % 2))}*`, `/${'ab'.repeat(511)}`],
  ['folders of any depth', (i) => `/*b/${'**/a/'.repeat(48 + (i % 2))}*`, `/${'a/'.repeat(511)}`],
  ['names in such folders', (i) => `/*b/${'**/*a*/'.repeat(33 + (i % 2))}*`, `/${'a/'.repeat(511)}`],
  ['sets', (i) => `/*@*${`*[${i % 10}-a]`.repeat(40)}`, `/${'0123456789ab'.repeat(85)}`],
  ['braces', (i) => `/*@*${'{a,b}'.repeat(48 + (i % 2))}*`, `/${'a'.repeat(1023)}`],
  ['braces with *', (i) => `/*@*${'{a*,*b}'.repeat(33 + (i % 2))}*`, `/${'a'.repeat(1023)}`],
  ['anything but', (i) => `/*@*${'!(a*b)'.repeat(35 + (i % 2))}*`, `/${'a'.repeat(1023)}`],
  [
    'repeated names',
    () => `/+(${Array.from({ length: 80 }, () => 'ab').join('|')})`,
    `/x${'ab'.repeat(510)}`,
  ],
];

/** As people write them. */
export const naturalGlobs = [
  ...['/admin/**', '/wp-admin/**', '/*.php', '/blog/*/draft', '/api/**', '/**/preview', '/user/*/settings'],
  ...[
    '/[a-z][a-z]/private/**',
    '/{de,en}/intern/**',
    '/**/*.pdf',
    '/checkout/*/step-?',
    '/preview-*',
    '/*/edit',
  ],
];
