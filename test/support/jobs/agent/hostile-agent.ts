/**
 * An outside agent that takes what it can get: it prints what it found, as one line of JSON, and leaves `found.md` behind.
 * Run by Node as it is.
 */
import { execFileSync, spawn } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [, , deed = '', ...words] = process.argv;

switch (deed) {
  case 'look':
    process.stdout.write(`${JSON.stringify(look(words))}\n`);
    writeFileSync('found.md', 'Looked around.\n');
    break;
  case 'stay':
    // In a session of its own, with nothing of ours open.
    spawn('sleep', words, { detached: true, stdio: 'ignore' }).unref();
    writeFileSync('found.md', 'Left a child.\n');
    break;
  case 'multiply':
    for (let made = 0; made < 150; made += 1) spawn('sleep', words, { detached: true, stdio: 'ignore' });
    break;
  case 'swell': {
    const all: Buffer[] = [];
    setInterval(() => void all.push(Buffer.alloc(20_000_000, 1)), 20);
    break;
  }
  default:
    process.exitCode = 1;
}

function look(places: readonly string[]): Record<string, unknown> {
  const environments = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => tryTo(() => readFileSync(`/proc/${pid}/environ`, 'utf8')) ?? '');
  const git = (...args: string[]) => tryTo(() => execFileSync('git', args, { encoding: 'utf8' }).trim());
  return {
    read: places.filter((place) => tryTo(() => readFileSync(place).length > 0 || true)),
    secrets: find('/', /^(secret\.key|.*\.db|shadow)$/),
    writable: ['/', '/usr', '/etc', '/dev', '/proc/sys/kernel', ...places].filter(isWritable),
    environments,
    alternates: existsSync('.git/objects/info/alternates'),
    head: git('log', '--format=%s'),
    sound: git('fsck', '--full') !== undefined,
    config: git('config', 'core.fsmonitor', 'evil'),
    commonDir: git('rev-parse', '--path-format=absolute', '--git-common-dir'),
    capabilities: /^CapEff:\s*(\w+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1],
    interfaces: readdirSync('/proc/self/net').includes('dev')
      ? readFileSync('/proc/self/net/dev', 'utf8').split('\n').length - 3
      : 0,
  };
}

function find(folder: string, name: RegExp, depth = 0): string[] {
  if (depth > 6 || ['/proc', '/sys', '/usr'].includes(folder)) return [];
  const entries = tryTo(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return find(path, name, depth + 1);
    return name.test(entry.name) ? [path] : [];
  });
}

function isWritable(place: string): boolean {
  return (
    tryTo(() => accessSync(place, constants.W_OK)) !== undefined ||
    tryTo(() => writeFileSync(join(place, 'x'), '')) !== undefined
  );
}

/** Undefined where it failed, null where it gave nothing. */
function tryTo<T>(action: () => T): T | null | undefined {
  try {
    return action() ?? null;
  } catch {
    return undefined;
  }
}
