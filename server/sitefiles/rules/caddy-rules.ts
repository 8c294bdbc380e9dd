import { byName } from './nginx-rules.ts';
import { agentRules, type RuledClient } from './ruled-client.ts';

const answers = {
  refuse: ['\trespond 403'],
  pay: ['\trespond 402'],
  slow: ['\theader Retry-After 10', '\trespond 429'],
} as const;

/** Caddy itself measures no rate: slow clients are let in for one second in ten. */
const isOutsideWindow = ' && int({time.now.unix}) % 10 != 0';

export function caddyRules(clients: readonly RuledClient[]) {
  const rules = agentRules(clients);
  const used = (['refuse', 'pay', 'slow'] as const).filter((action) =>
    rules.some((rule) => rule.action === action),
  );
  return {
    text: [
      'map {header.User-Agent} {ai_action} {',
      ...rules.map(({ pattern, action }) => `\t"~(?i)${pattern}" ${action}`),
      '\tdefault allow',
      '}',
      ...used.flatMap((action) => [
        `@ai_${action} {`,
        '\t# What is asked of clients stays readable for them.',
        '\tnot path /robots.txt',
        `\texpression \`{ai_action} == "${action}"${action === 'slow' ? isOutsideWindow : ''}\``,
        '}',
        `handle @ai_${action} {`,
        ...answers[action],
        '}',
      ]),
      '',
    ].join('\n'),
    place:
      'Paste it into the block of your site in the Caddyfile, check it with “caddy validate”, and reload.',
    notes: [
      byName,
      'Caddy runs “handle” blocks with a path before these: where your site has some, put these lines and those into one “route” block, these first.',
      ...(used.includes('slow')
        ? [
            'Caddy itself measures no rate: slow clients are let in for one second in ten, and told to come again otherwise.',
          ]
        : []),
    ],
  };
}
