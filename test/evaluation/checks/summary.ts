import type { Check, Outcome } from '../task.ts';

/** In a sentence that tells what was not changed. */
const leavesAlone =
  /\b(?:unchanged|untouched|stays?|left|leaves?|not (?:been )?(?:changed|touched|edited|renamed|updated))\b/i;

/** The pull request names every file that it changes, and no page that it leaves alone. */
export const summary: Check = {
  name: 'summary',
  find: (outcome) => {
    const { pull, changes } = outcome;
    if (!pull) return [];
    const [told = ''] = pull.body.split(/\n### (?:Left to put right|Request)\n/);
    const claims = `${pull.title}\n${told}`
      .split(/(?<=[.;])\s|\n/)
      .filter((sentence) => !leavesAlone.test(sentence));
    const named = readNames(claims.join('\n'), outcome);
    const touched = new Set(changes.flatMap(({ path, from = path }) => [from, path]));
    return [
      ...changes
        .filter(({ path }) => !named.has(path))
        .map(({ path }) => `${path} was changed, and is not named.`),
      ...[...named]
        .filter((path) => /\.mdx?$/.test(path) && !touched.has(path))
        .map((path) => `${path} is named, and was not changed.`),
    ];
  },
};

/** Files by their paths, or by as much of their ends as is clear. */
function readNames(text: string, { before, after }: Outcome): Set<string> {
  const known = [...new Set([...before.keys(), ...after.keys()])];
  const named = text.match(/[\w./-]+\.\w+/g) ?? [];
  return new Set(
    named.flatMap((name) => {
      if (known.includes(name)) return [name];
      const ending = known.filter((path) => path.endsWith(`/${name}`));
      return ending.length === 1 ? ending : [];
    }),
  );
}
