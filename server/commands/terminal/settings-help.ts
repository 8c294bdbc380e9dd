import type { Setting } from '../../config/setting.ts';
import { settingGroups } from '../../config/settings.ts';

const nameWidth = 32;
const lineWidth = 100;

/** All settings, what they mean and what holds without them. */
export function describeSettings(): string {
  return settingGroups
    .map(({ title, settings }) => `${title}:\n${settings.map(describeSetting).join('')}`)
    .join('\n');
}

function describeSetting({ name, standard, meaning }: Setting): string {
  const [first, ...rest] = wrap(`${meaning} (${standard})`, lineWidth - nameWidth);
  const indent = ' '.repeat(nameWidth);
  return [`  ${name}`.padEnd(nameWidth) + first, ...rest.map((line) => indent + line)]
    .join('\n')
    .concat('\n');
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) as string;
    if (line === '') lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
