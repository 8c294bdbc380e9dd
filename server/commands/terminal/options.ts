import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { UsageError } from './command.ts';

type Values<T extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: T; allowPositionals: true }>
>;

/** Reads options and any number of operands. @throws UsageError for unknown options */
export function readOperands<T extends ParseArgsOptionsConfig>(args: string[], options: T): Values<T> {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(explain((error as Error).message));
  }
}

/** The first sentence of what Node says. */
function explain(message: string): string {
  const [first = ''] = message.split(/\.(?:\s|$)/);
  const [option, isAmbiguous] = first.split(' argument is ambiguous');
  return isAmbiguous === undefined
    ? `${first}.`
    : `${option} needs a value; one that begins with a dash is joined to it with "=".`;
}

/** Reads options and operands. @throws UsageError for unknown options and a wrong number of operands */
export function readOptions<T extends ParseArgsOptionsConfig>(
  args: string[],
  options: T,
  operands: readonly string[] = [],
): Values<T> {
  const parsed = readOperands(args, options);
  if (parsed.positionals.length !== operands.length) {
    const expected = operands.length === 0 ? 'no operand' : operands.map((name) => `<${name}>`).join(' ');
    throw new UsageError(
      `Expected ${expected}, got ${parsed.positionals.length === 0 ? 'none' : `"${parsed.positionals.join(' ')}"`}.`,
    );
  }
  return parsed;
}

/** A list given as `--host a --host b` or `--host a,b`; one empty text empties the list. */
export function readList(values: string[] | undefined): string[] | undefined {
  return values
    ?.flatMap((value) => value.split(','))
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
