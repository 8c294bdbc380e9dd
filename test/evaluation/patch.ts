import type { CheckedChange } from '../../server/jobs/site/check/task.ts';
import type { Files } from './site-files.ts';
import type { ChangedLine, Outcome } from './task.ts';

/** Shows each changed file as a whole, so that nothing besides has to be read. */
export const patchArguments = ['diff', '-M', '--unified=1000000', '--no-prefix'];

/** What a patch of whole files makes of the files before. */
export function readPatch(
  patch: string,
  before: Files,
): Pick<Outcome, 'after' | 'changes' | 'added' | 'removed'> {
  const after = new Map(before);
  const changes: CheckedChange[] = [];
  const lines = { added: [] as ChangedLine[], removed: [] as ChangedLine[] };
  for (const part of patch.split(/^diff --git /m).slice(1)) {
    const [head = '', body] = splitAtHunk(part);
    const change = readHead(head);
    const { path, from = path } = change;
    changes.push(change);
    const old = after.get(from) ?? '';
    after.delete(from);
    if (change.status !== 'deleted') after.set(path, body === undefined ? old : newText(body));
    for (const line of body ?? []) {
      const changed = { path, text: line.slice(1) };
      if (line.startsWith('+')) lines.added.push(changed);
      else if (line.startsWith('-')) lines.removed.push(changed);
    }
  }
  return { after, changes, ...lines };
}

/** Without a hunk only the name is another one. */
function splitAtHunk(part: string): [head: string, body: string[] | undefined] {
  const [head = '', body] = part.split(/^@@ .*\n/m);
  return [head, body?.split('\n').filter((line) => line !== '')];
}

/** https://git-scm.com/docs/diff-format#generate_patch_text_with_p */
function readHead(head: string): CheckedChange {
  const find = (pattern: RegExp) => pattern.exec(head)?.[1];
  const [from, to] = [find(/^rename from (.+)$/m), find(/^rename to (.+)$/m)];
  if (from !== undefined && to !== undefined) return { path: to, from, status: 'renamed' };
  const [old = '', next = ''] = [find(/^--- (.+?)\t?$/m), find(/^\+\+\+ (.+?)\t?$/m)];
  if (next === '/dev/null') return { path: old, from: undefined, status: 'deleted' };
  return { path: next, from: undefined, status: old === '/dev/null' ? 'added' : 'modified' };
}

/** The added lines, and those that stayed. */
function newText(body: readonly string[]): string {
  let text = '';
  let isNew = false;
  for (const line of body) {
    // "\ No newline at end of file" is about the line before it.
    if (line.startsWith('\\')) {
      if (isNew) text = text.slice(0, -1);
      continue;
    }
    isNew = /^[+ ]/.test(line);
    if (isNew) text += `${line.slice(1)}\n`;
  }
  return text;
}
