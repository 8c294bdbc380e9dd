import { type Terminal, UsageError } from './command.ts';

type Action = (args: string[], terminal: Terminal) => Promise<void>;

/** Runs what the first argument names. @throws UsageError */
export function runAction(
  command: string,
  choices: Record<string, Action>,
  [name, ...rest]: string[],
  terminal: Terminal,
): Promise<void> {
  const action = name !== undefined && Object.hasOwn(choices, name) ? choices[name] : undefined;
  if (action) return action(rest, terminal);
  const got = name === undefined ? '' : `, not "${name}"`;
  const names = Object.keys(choices);
  const wanted = names.length > 1 ? `one of ${names.join(', ')}` : `"${names}"`;
  throw new UsageError(`"${command}" must be followed by ${wanted}${got}.`);
}
