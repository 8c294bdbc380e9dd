import { type Flaw, quoted } from './finding.ts';

/** Shorter lines are text: https://docutils.sourceforge.io/docs/ref/rst/restructuredtext.html#sections */
const underline = /^([!-/:-@[-`{-~])\1{3,}$/;
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u;

/** Titles of reStructuredText that are longer than the line below or above them, which its builder warns of. */
export function findTitleFlaws(text: string): Flaw[] {
  const lines = text.split('\n').map((line) => line.trimEnd());
  return lines.flatMap((line, index) => {
    const before = lines[index - 1] ?? '';
    const after = lines[index + 1] ?? '';
    if (!isTitle(line, { before, after })) return [];
    const width = widthOf(line.trimStart());
    const isShort = [before, after].some((mark) => underline.test(mark) && mark.length < width);
    const problem = `the line that marks the title ${quoted(line)} is shorter than it.`;
    return isShort ? [{ kind: 'title', of: line, line: index + 1, problem }] : [];
  });
}

/** One line with nothing above it, or with the same mark above and below. */
function isTitle(line: string, { before, after }: { before: string; after: string }): boolean {
  if (line === '' || underline.test(line) || !underline.test(after)) return false;
  const isBetween = underline.test(before) && before[0] === after[0];
  return isBetween || (before === '' && /^\S/.test(line) && !line.startsWith('.. '));
}

/** In columns: letters of Chinese, Japanese and Korean take two, and marks above others none. */
function widthOf(line: string): number {
  const letters = Array.from(line.replace(/\p{Mn}/gu, ''));
  return letters.reduce((width, letter) => width + (wide.test(letter) ? 2 : 1), 0);
}
